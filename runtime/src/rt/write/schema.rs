//! What a writer knows of a schema: who owns what, and in which order it is placed.

use super::super::labels::Relocation;
use crate::Endian;

/// Tables of a schema for writing.
#[derive(Debug)]
pub struct WriteSchema {
    /// Records by number.
    pub records: &'static [WriteRecord],
    /// Their rows.
    pub rows: &'static [super::super::rows::RecordRows],
    /// Kinds of pointers and sections.
    pub relocation: &'static Relocation,
}

/// A record.
#[derive(Debug)]
pub struct WriteRecord {
    /// Statements of its layout.
    pub layout: &'static [Statement],
    /// Named parts.
    pub passes: &'static [(&'static str, &'static [Statement])],
    /// Rows with a slot.
    pub slots: &'static [WriteSlot],
    /// Byte order of the cells below.
    pub endian: OrderRule,
    /// Number by which the first row is named in the spelling.
    pub spelling: u16,
}

/// Byte order of a record's cells.
#[derive(Debug)]
pub enum OrderRule {
    /// That of the owner, or of the file.
    Inherited,
    /// Always this one.
    Fixed(Endian),
    /// The first whose condition holds; else the last, if there is one.
    Chosen(&'static [(u16, Endian)], Option<Endian>),
}

/// A row with a slot.
#[derive(Debug)]
pub struct WriteSlot {
    /// What it owns.
    pub own: Own,
    /// The array that it refers to.
    pub reference: Option<Reference>,
}

/// The array that a row refers to.
#[derive(Debug)]
pub struct Reference {
    /// Path of the array.
    pub path: u16,
    /// Whether the row is a pointer to an element.
    pub pointer: bool,
}

/// What a row owns.
#[derive(Debug)]
pub enum Own {
    /// Nothing that is placed.
    Nothing,
    /// An object without a pointer; its alignment.
    Object(&'static Content, u64),
    /// What hangs on inline bytes.
    Inline(&'static Content),
}

/// What is placed.
#[derive(Debug)]
pub enum Content {
    /// Bytes that own nothing; alignment of the bytes in themselves.
    Leaf(u64),
    /// A struct: is placed as its own layout says.
    Record,
    /// A struct or union, as a part of something else.
    Node,
    /// Elements.
    Array(&'static Content),
    /// A pointer.
    Pointer(&'static Pointer),
    /// One of these, by epoch.
    PerEpoch(&'static [Content]),
}

/// A pointer that owns its target.
#[derive(Debug)]
pub struct Pointer {
    /// The target.
    pub target: Content,
    /// Alignment of the target.
    pub align: PointerAlign,
    /// The slot with whose emptiness it is none.
    pub none_with: Option<u16>,
    /// Whether one to something empty has an address.
    pub here: bool,
    /// Whether an empty target is left out at all.
    pub counts: bool,
    /// Whether it leads to a place without bytes.
    pub empty_target: bool,
}

/// Alignment of a target.
#[derive(Debug)]
pub enum PointerAlign {
    /// So many bytes.
    Fixed(u64),
    /// What this expression says.
    Expr(u16),
}

/// The rows to take at one step of a way: by record, the slot.
pub type Step = &'static [(u16, u16)];

/// One statement of a layout.
#[derive(Debug)]
pub enum Statement {
    /// The bytes of the struct itself.
    This,
    /// The bytes of the objects at a path.
    Record(&'static [Step]),
    /// What they own.
    Tail(&'static [Step]),
    /// Both.
    Put(&'static [Step]),
    /// A named part of their layouts.
    Run(&'static str, &'static [Step]),
    /// Zero bytes up to a multiple.
    Align(u16),
    /// So many zero bytes.
    Zero(u16),
    /// Sets the address of a mark, which marks nothing if the address is nothing.
    Mark(u16, u16, Option<u16>),
    /// One or the other.
    When(u16, &'static [Statement], &'static [Statement]),
}

/// A record with a layout and rows with a slot.
#[must_use]
pub const fn record(layout: &'static [Statement], slots: &'static [WriteSlot]) -> WriteRecord {
    WriteRecord { layout, passes: &[], slots, endian: OrderRule::Inherited, spelling: 0 }
}

impl WriteRecord {
    /// It has named parts.
    #[must_use]
    pub const fn passes(mut self, passes: &'static [(&'static str, &'static [Statement])]) -> Self {
        self.passes = passes;
        self
    }

    /// It has a byte order.
    #[must_use]
    pub const fn endian(self, endian: OrderRule) -> Self {
        let WriteRecord { layout, passes, slots, spelling, .. } = self;
        WriteRecord { layout, passes, slots, endian, spelling }
    }

    /// Its first row is named by this number in the spelling.
    #[must_use]
    pub const fn spelling(mut self, spelling: u16) -> Self {
        self.spelling = spelling;
        self
    }
}

/// A row that owns nothing.
#[must_use]
pub const fn slot() -> WriteSlot {
    WriteSlot { own: Own::Nothing, reference: None }
}

/// An object without a pointer, with its alignment.
#[must_use]
pub const fn object(content: &'static Content, align: u64) -> WriteSlot {
    WriteSlot { own: Own::Object(content, align), reference: None }
}

/// A row with something that hangs on it.
#[must_use]
pub const fn inline(content: &'static Content) -> WriteSlot {
    WriteSlot { own: Own::Inline(content), reference: None }
}

impl WriteSlot {
    /// It refers to the array at a path; whether it is a pointer to an element.
    #[must_use]
    pub const fn refers(mut self, path: u16, pointer: bool) -> Self {
        self.reference = Some(Reference { path, pointer });
        self
    }
}

/// A pointer to a target of an alignment.
#[must_use]
pub const fn pointer(target: Content, align: u64) -> Pointer {
    Pointer {
        target,
        align: PointerAlign::Fixed(align),
        none_with: None,
        here: false,
        counts: true,
        empty_target: false,
    }
}

impl Pointer {
    /// An expression says the alignment.
    #[must_use]
    pub const fn align(mut self, expr: u16) -> Self {
        self.align = PointerAlign::Expr(expr);
        self
    }

    /// It is none if the array in a slot is empty.
    #[must_use]
    pub const fn none_with(mut self, slot: u16) -> Self {
        self.none_with = Some(slot);
        self
    }

    /// One to something empty has an address.
    #[must_use]
    pub const fn here(mut self) -> Self {
        self.here = true;
        self
    }

    /// Its target is there even if it is empty.
    #[must_use]
    pub const fn always(mut self) -> Self {
        self.counts = false;
        self
    }

    /// It leads to a place without bytes.
    #[must_use]
    pub const fn empty_target(mut self) -> Self {
        self.empty_target = true;
        self
    }
}
