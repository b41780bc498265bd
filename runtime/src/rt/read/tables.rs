//! What a schema says about reading, as tables that the generator makes.

use super::super::labels::{Relocation, RelocationEncoding};
use super::super::rows::{nowhere, RecordRows, Row, Ty};
use super::super::schema::Schema;
use super::constant::Constant;
use crate::PoolOrder;

/// What a schema says about reading.
#[derive(Debug)]
pub struct ReadTables {
    /// What it says about the tree.
    pub schema: &'static Schema,
    /// By record.
    pub records: &'static [RecordRead],
    /// Their rows.
    pub rows: &'static [RecordRows],
    /// Texts that pointers of a kind lead to, where they do not depend on the row.
    pub texts: &'static [Option<Ty>],
    /// Whether some record says its own byte order.
    pub orders: bool,
    /// Whether elements of a table belong to several slices.
    pub slices: bool,
    /// Pointers in the relocation table.
    pub relocation: &'static Relocation,
    /// Whether numbers have their highest byte first, if the schema says so.
    pub big: bool,
    /// Whether bytes are kept that nothing claims.
    pub gaps: bool,
}

/// Stands for the row of something that stands in none.
pub(super) static NO_ROW: Row = nowhere(0);

/// A record.
#[derive(Debug)]
pub struct RecordRead {
    /// Added to the row's number in spellings: of forms, whose rows come behind those of the case.
    pub spelling_base: u16,
    /// Byte order of the cells below that do not say their own.
    pub endian: Option<EndianRule>,
    /// Slots that may lead to something, in the order in which rows are read.
    pub order: &'static [u16],
    /// Rows with a slot.
    pub slots: &'static [SlotRead],
    /// Whether a slot holds the names of elements.
    pub names: bool,
    /// Whether a slot refers to elements, or may be a list without names.
    pub references: bool,
    /// Whether a slot is compared with something.
    pub settles: bool,
    /// Rules for the whole record: expression and text.
    pub checks: &'static [(u16, &'static str)],
    /// Slots that take the numbers of an algorithm, in their order.
    pub table: &'static [u16],
    /// Algorithm that this record is an entry of.
    pub encodes: Option<RelocationEncoding>,
    /// Spellings of a case.
    pub forms: &'static [FormRead],
}

/// Byte order of a record's cells.
#[derive(Debug)]
pub struct EndianRule {
    /// The first condition that holds decides; whether the highest byte comes first.
    pub choices: &'static [(u16, bool)],
    /// What holds otherwise.
    pub otherwise: Option<bool>,
}

/// One spelling of a case.
#[derive(Debug)]
pub struct FormRead {
    /// Epochs that have it.
    pub epochs: &'static [bool],
    /// What the rows of the case must be so that it can say them, by slot.
    pub rows: &'static [(u16, Can)],
}

/// What a row can say.
#[derive(Debug)]
pub enum Can {
    /// Only this.
    Constant(Constant),
    /// Integers of so many bits.
    Fits {
        /// Bits.
        bits: u32,
        /// Two's complement.
        signed: bool,
    },
    /// 0, 1 or this.
    Truth(u64),
    /// Elements that this one can say.
    Elements(&'static Can),
    /// Anything.
    Any,
}

/// A row with a slot.
#[derive(Debug)]
pub struct SlotRead {
    /// What it is.
    pub kind: SlotKind,
    /// Condition under which it is there, of rows without bytes.
    pub when: Option<u16>,
    /// The pointer in the row, by epoch (or one for all); empty if it is none.
    pub pointer: &'static [Option<Pointer>],
    /// The pointer in elements of the row.
    pub element: &'static [Option<Pointer>],
    /// Slot of the array with whose emptiness the pointer is none.
    pub none_with: Option<u16>,
    /// Equations.
    pub definers: &'static [Definer],
    /// What it usually is.
    pub kept: Option<Usual>,
    /// Whether deviations from that are in a field of their own.
    pub kept_field: bool,
    /// The slices that tile this table: paths, and what they are sorted by.
    pub view: Option<(&'static [u16], Option<u16>)>,
    /// Members of a string pool.
    pub pool: Option<Pool>,
    /// Path of the texts that these nodes of a radix tree name.
    pub names: Option<u16>,
    /// Whether it is given what it holds by something else.
    pub elsewhere: bool,
    /// Whether it is a list of names.
    pub name_list: bool,
    /// The array that it refers to.
    pub reference: Option<Reference>,
    /// Whether no two of its numbers may be equal.
    pub unique: bool,
    /// Rules that are checked as soon as the row is read.
    pub checks: &'static [Check],
    /// Rules that are checked when everything is read: condition and text.
    pub conditions: &'static [(u16, &'static str)],
    /// Bytes of a unit of text.
    pub unit: u8,
    /// Alignment of the object that the row leads to, and of those that its elements lead to.
    pub aligns: (u64, u64),
}

/// What a [`SlotRead`] is.
#[derive(Debug, Clone, Copy)]
pub enum SlotKind {
    /// Bytes in the record.
    Plain,
    /// An object at this address.
    Object(u16),
    /// An address without bytes.
    Mark(u16),
    /// A value that this expression gives.
    Seen(u16),
    /// A value that something else gives.
    Unseen,
    /// Elements of a shared table.
    Slice(Slice),
}

/// Elements of a shared table.
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    /// Path of the table.
    pub table: u16,
    /// Slot of the first element's index.
    pub base: u16,
    /// Slot of the number of elements.
    pub count: u16,
    /// Times the stored number.
    pub factor: i128,
    /// Added to that.
    pub offset: i128,
    /// Stored number if there are no elements.
    pub empty_base: Option<i128>,
}

/// A pointer that owns its target, or leads to an element.
#[derive(Debug, Clone, Copy)]
pub struct Pointer {
    /// Whether it owns its target.
    pub own: bool,
    /// Numbers for "nothing".
    pub none: &'static [i128],
    /// Whether it may be none.
    pub optional: bool,
    /// Whether it is none with an array.
    pub none_with: bool,
    /// Number of elements behind it.
    pub count: Option<u16>,
    /// Whether the elements behind it fill what there is.
    pub fill: bool,
    /// Whether bytes or text are behind it, not an array.
    pub run: bool,
    /// Whether a pointer to an empty array is none.
    pub none_when_empty: bool,
    /// Address that the number counts from.
    pub base: Option<u16>,
    /// The number points so many bytes into the target.
    pub skip: i128,
}

/// Equation that gives a row its number.
#[derive(Debug)]
pub struct Definer {
    /// Node in which it is evaluated.
    pub scope: Scope,
    /// The other side.
    pub source: Usual,
}

/// Node in which a [`Definer`] is evaluated.
#[derive(Debug)]
pub enum Scope {
    /// That of the row.
    Own,
    /// That of this case of the union in a slot, if that case is chosen.
    Case(u16, u16),
    /// An enclosing node of this record, from which slots lead to the row.
    Owner(u16, &'static [u16]),
}

/// What a row follows from.
#[derive(Debug, Clone, Copy)]
pub enum Usual {
    /// An expression.
    Expr(u16),
    /// Nodes of a radix tree over the texts at a path.
    Patricia(u16),
    /// Sections of the relocation table.
    Sections,
    /// Entries of the relocation table.
    Entries,
    /// `(measure - offset) / factor`, exactly.
    Measure {
        /// What is measured.
        measure: Measure,
        /// Slot that is measured.
        slot: u16,
        /// Not zero.
        factor: i128,
        /// Added after multiplying.
        offset: i128,
    },
}

/// Something about a row that a number can be derived from.
#[derive(Debug, Clone, Copy)]
pub enum Measure {
    /// Number of elements.
    Count,
    /// Size in bytes.
    Size,
    /// Address behind the last byte.
    End,
    /// Address of the first byte, minus this base.
    At(u16),
    /// Index of a slice's first element.
    Base,
    /// Label of the chosen case, by record.
    Tag(&'static [(u16, Constant)]),
}

/// Members of a string pool.
#[derive(Debug, Clone, Copy)]
pub struct Pool {
    /// Members that are there even if nothing refers to them.
    pub always: &'static [&'static str],
    /// The first whose condition holds; no order means that of first use.
    pub order: &'static [(Option<u16>, Option<PoolOrder>)],
    /// Whether the file's list is data.
    pub data: bool,
}

/// A number or pointer that must hit an element.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    /// Path of the array.
    pub array: u16,
    /// Only elements for which this holds count.
    pub filter: Option<u16>,
    /// The number is the content of this slot of some element, by record.
    pub field: Option<&'static [(u16, u16)]>,
    /// Whether it is a pointer to the element.
    pub pointer: bool,
}

/// A rule for a value.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// At least.
    Min(u16),
    /// At most.
    Max(u16),
    /// One of these.
    OneOf(&'static [u16]),
    /// Equal.
    Equals(u16),
}

/// A record with slots that may lead to something, and rows with a slot.
#[must_use]
pub const fn record_read(order: &'static [u16], slots: &'static [SlotRead]) -> RecordRead {
    RecordRead {
        spelling_base: 0,
        endian: None,
        order,
        slots,
        names: false,
        references: false,
        settles: false,
        checks: &[],
        table: &[],
        encodes: None,
        forms: &[],
    }
}

/// Bytes that nothing is known of besides.
#[must_use]
pub const fn slot() -> SlotRead {
    slot_of(SlotKind::Plain)
}

/// A row with a slot.
#[must_use]
pub const fn slot_of(kind: SlotKind) -> SlotRead {
    SlotRead {
        kind,
        when: None,
        pointer: &[],
        element: &[],
        none_with: None,
        definers: &[],
        kept: None,
        kept_field: false,
        view: None,
        pool: None,
        names: None,
        elsewhere: false,
        name_list: false,
        reference: None,
        unique: false,
        checks: &[],
        conditions: &[],
        unit: 1,
        aligns: (1, 1),
    }
}

/// A pointer with these numbers for nothing.
#[must_use]
pub const fn pointer(none: &'static [i128]) -> Pointer {
    Pointer {
        own: false,
        none,
        optional: false,
        none_with: false,
        count: None,
        fill: false,
        run: false,
        none_when_empty: false,
        base: None,
        skip: 0,
    }
}

/// Methods that set a field of what they are called on.
macro_rules! setters {
    ($ty:ident: $($(#[$doc:meta])* $field:ident $value:ty;)*) => {
        impl $ty {
            $(
                $(#[$doc])*
                #[must_use]
                pub const fn $field(mut self, $field: $value) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

/// Methods that set a field that may have nothing.
macro_rules! options {
    ($ty:ident: $($(#[$doc:meta])* $field:ident $value:ty;)*) => {
        impl $ty {
            $(
                $(#[$doc])*
                #[must_use]
                pub const fn $field(mut self, $field: $value) -> Self {
                    self.$field = Some($field);
                    self
                }
            )*
        }
    };
}

/// Methods that set a field that says whether.
macro_rules! flags {
    ($ty:ident: $($(#[$doc:meta])* $field:ident;)*) => {
        impl $ty {
            $(
                $(#[$doc])*
                #[must_use]
                pub const fn $field(mut self) -> Self {
                    self.$field = true;
                    self
                }
            )*
        }
    };
}

setters! { RecordRead:
    /// See [`RecordRead::spelling_base`].
    spelling_base u16;
    /// See [`RecordRead::checks`].
    checks &'static [(u16, &'static str)];
    /// See [`RecordRead::table`].
    table &'static [u16];
    /// See [`RecordRead::forms`].
    forms &'static [FormRead];
}

options! { RecordRead:
    /// See [`RecordRead::endian`].
    endian EndianRule;
    /// See [`RecordRead::encodes`].
    encodes RelocationEncoding;
}

flags! { RecordRead:
    /// See [`RecordRead::names`].
    names;
    /// See [`RecordRead::references`].
    references;
    /// See [`RecordRead::settles`].
    settles;
}

setters! { SlotRead:
    /// See [`SlotRead::pointer`].
    pointer &'static [Option<Pointer>];
    /// See [`SlotRead::element`].
    element &'static [Option<Pointer>];
    /// See [`SlotRead::definers`].
    definers &'static [Definer];
    /// See [`SlotRead::checks`].
    checks &'static [Check];
    /// See [`SlotRead::conditions`].
    conditions &'static [(u16, &'static str)];
    /// See [`SlotRead::unit`].
    unit u8;
    /// See [`SlotRead::aligns`].
    aligns (u64, u64);
}

options! { SlotRead:
    /// See [`SlotRead::when`].
    when u16;
    /// See [`SlotRead::none_with`].
    none_with u16;
    /// See [`SlotRead::kept`].
    kept Usual;
    /// See [`SlotRead::view`].
    view (&'static [u16], Option<u16>);
    /// See [`SlotRead::pool`].
    pool Pool;
    /// See [`SlotRead::names`].
    names u16;
    /// See [`SlotRead::reference`].
    reference Reference;
}

flags! { SlotRead:
    /// See [`SlotRead::kept_field`].
    kept_field;
    /// See [`SlotRead::elsewhere`].
    elsewhere;
    /// See [`SlotRead::name_list`].
    name_list;
    /// See [`SlotRead::unique`].
    unique;
}

setters! { Pointer:
    /// See [`Pointer::skip`].
    skip i128;
}

options! { Pointer:
    /// See [`Pointer::count`].
    count u16;
    /// See [`Pointer::base`].
    base u16;
}

flags! { Pointer:
    /// See [`Pointer::own`].
    own;
    /// See [`Pointer::optional`].
    optional;
    /// See [`Pointer::none_with`].
    none_with;
    /// See [`Pointer::fill`].
    fill;
    /// See [`Pointer::run`].
    run;
    /// See [`Pointer::none_when_empty`].
    none_when_empty;
}
