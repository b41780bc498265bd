//! Records and their rows.

use super::super::labels::ListedRow;
use super::super::read::Constant;
use super::super::tree::WHOLE;
use super::Ty;

/// An expression.
#[derive(Debug, Clone, Copy)]
pub enum Ex {
    /// A constant.
    Int(i128),
    /// The expression of this number, evaluated in the nearest node.
    Node(u16),
    /// The function of this number over rows of a record without a node.
    Own(u16),
    /// Like [`Ex::Node`], but it asks where reading has come to: writing has no answer.
    NodeHere(u16),
    /// Like [`Ex::Own`], but it asks where reading has come to.
    OwnHere(u16),
}

impl Ex {
    /// Whether it means something when a value is written.
    #[must_use]
    pub const fn is_for_writing(self) -> bool {
        !matches!(self, Ex::NodeHere(_) | Ex::OwnHere(_))
    }
}

/// A record.
#[derive(Debug)]
pub struct RecordRows {
    /// Its rows, in the order of declaration.
    pub rows: &'static [Row],
    /// Positions of rows in the order in which those of the fixed block are read.
    pub order: &'static [u16],
    /// Size of the fixed block by epoch, or one for all; empty if there never is one.
    pub sizes: &'static [Option<u64>],
    /// Rules of records without a node: condition and text.
    pub checks: &'static [(Ex, &'static str)],
    /// Whether it is a case or form whose rows stand in the record around it.
    pub part: bool,
    /// Whether the value has rows that are kept beside the tree.
    pub early: bool,
    /// The row that its value is, if it is no struct.
    pub transparent: Option<u16>,
}

/// A row.
#[derive(Debug)]
pub struct Row {
    /// Step in paths for people; none if there is no step.
    pub name: Option<&'static str>,
    /// The slot; [`WHOLE`] if there is none.
    pub slot: u16,
    /// What it is.
    pub kind: RowKind,
    /// Where it stands.
    pub home: Home,
    /// The same by epoch, where it differs.
    pub homes: &'static [Home],
    /// Type of its bytes.
    pub ty: Ty,
    /// Number in spellings.
    pub spelled: u16,
    /// Condition under which it is there.
    pub when: Option<Ex>,
    /// Numbers that mean nothing.
    pub none: &'static [i128],
    /// Added to the number when it is stored.
    pub plus: i128,
    /// What it is in epochs without it.
    pub absent: Option<Constant>,
    /// Whether it is known from the tag of the union around it.
    pub in_tag: bool,
    /// Rules, of records without a node.
    pub checks: &'static [RowCheck],
    /// Its position in the record.
    pub number: u16,
    /// Whether it is an object, which stands at an address of its own.
    pub object: bool,
    /// Whether the value may leave it out.
    pub optional: bool,
    /// Who says what it is.
    pub role: Role,
    /// What it is if the value leaves it out.
    pub default: Option<Constant>,
    /// Equations that give it its number.
    pub definers: &'static [Definer],
    /// Place in the relocation table, of rows that are no pointers.
    pub listed: Option<ListedRow>,
    /// Path of the array that it refers to, and the rule for elements that count.
    pub refers: Option<(u16, Option<u16>)>,
}

/// Who says what is in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The value.
    Data,
    /// Equations.
    Derived,
    /// An algorithm, or what is usual.
    Made,
}

/// An equation.
#[derive(Debug)]
pub struct Definer {
    /// Node or record in which it is evaluated.
    pub scope: Scope,
    /// The other side.
    pub source: Given,
}

/// Node or record in which a [`Definer`] is evaluated.
#[derive(Debug, Clone, Copy)]
pub enum Scope {
    /// That of the row.
    Own,
    /// This case of the union in a row: row, case, its record.
    Case(u16, u16, u16),
    /// An enclosing node of this record, from which slots lead to the node of the row.
    Owner(u16, &'static [u16]),
}

/// What a number follows from.
#[derive(Debug, Clone, Copy)]
pub enum Given {
    /// An expression.
    Is(Ex),
    /// `(measure - offset) / factor`, exactly, of a row.
    Measure(Measure, u16, i128, i128),
}

/// Something about a row that a number can be derived from.
#[derive(Debug, Clone, Copy)]
pub enum Measure {
    /// Number of elements, units or bytes.
    Count,
    /// Size in bytes.
    Size,
    /// Address behind the last byte.
    End,
    /// Address of the first byte, minus this base.
    At(u16),
    /// Index of a slice's first element in the table at this path; if there are none, this.
    Base(u16, Option<i128>),
    /// First label of the chosen case.
    Tag,
}

/// What a row is.
#[derive(Debug, Clone, Copy)]
pub enum RowKind {
    /// A value.
    Plain,
    /// Always this.
    Constant(Constant),
    /// Zero.
    Zero,
    /// Anything.
    Reserved,
    /// Zero up to the end of the region.
    Zeros,
    /// Members of a pool, which end on a multiple of so many bytes.
    Pool(u64),
    /// Something without bytes here.
    Elsewhere,
}

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// At an offset in bytes from the beginning of the record; in words, a number of bits.
    At(u64),
    /// Behind the row before it.
    Next,
    /// Not in this epoch.
    Absent,
    /// It has no bytes of its own.
    Nowhere,
}

/// A rule for a row.
#[derive(Debug, Clone, Copy)]
pub enum RowCheck {
    /// At least.
    Min(Ex),
    /// At most.
    Max(Ex),
    /// One of these.
    OneOf(&'static [Ex]),
    /// Equal.
    Equals(Ex),
    /// A condition, and its text.
    Holds(Ex, &'static str),
}

/// A record of these rows, read in this order, with the sizes of its block.
#[must_use]
pub const fn record(
    rows: &'static [Row],
    order: &'static [u16],
    sizes: &'static [Option<u64>],
) -> RecordRows {
    RecordRows { rows, order, sizes, checks: &[], part: false, early: false, transparent: None }
}

impl RecordRows {
    /// Its rows stand in the record around it.
    #[must_use]
    pub const fn part(mut self) -> Self {
        self.part = true;
        self
    }

    /// It has rows that are kept beside the tree.
    #[must_use]
    pub const fn early(mut self) -> Self {
        self.early = true;
        self
    }

    /// Its value is that of this row.
    #[must_use]
    pub const fn transparent(mut self, row: u16) -> Self {
        self.transparent = Some(row);
        self
    }

    /// It has rules.
    #[must_use]
    pub const fn checks(mut self, checks: &'static [(Ex, &'static str)]) -> Self {
        self.checks = checks;
        self
    }
}

/// A row without bytes of its own.
#[must_use]
pub const fn nowhere(spelled: u16) -> Row {
    Row {
        name: None,
        slot: WHOLE,
        kind: RowKind::Elsewhere,
        home: Home::Nowhere,
        homes: &[],
        ty: Ty::Nothing,
        spelled,
        when: None,
        none: &[],
        plus: 0,
        absent: None,
        in_tag: false,
        checks: &[],
        number: spelled,
        object: false,
        optional: false,
        role: Role::Data,
        default: None,
        definers: &[],
        listed: None,
        refers: None,
    }
}

/// A row with these homes.
#[must_use]
pub const fn row(spelled: u16, homes: &'static [Home], ty: Ty) -> Row {
    Row { kind: RowKind::Plain, homes, ty, ..nowhere(spelled) }
}

/// A row at an offset.
#[must_use]
pub const fn at(spelled: u16, offset: u64, ty: Ty) -> Row {
    Row { home: Home::At(offset), ..row(spelled, &[], ty) }
}

/// A row behind the one before it.
#[must_use]
pub const fn next(spelled: u16, ty: Ty) -> Row {
    Row { home: Home::Next, ..row(spelled, &[], ty) }
}

/// A row without bytes of its own that has a type.
#[must_use]
pub const fn apart(spelled: u16, ty: Ty) -> Row {
    row(spelled, &[], ty)
}

impl Row {
    /// It has this name.
    #[must_use]
    pub const fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// It has this slot.
    #[must_use]
    pub const fn slot(mut self, slot: u16) -> Self {
        self.slot = slot;
        self
    }

    /// It is of this kind.
    #[must_use]
    pub const fn kind(mut self, kind: RowKind) -> Self {
        self.kind = kind;
        self
    }

    /// It is always this.
    #[must_use]
    pub const fn is(self, constant: Constant) -> Self {
        self.kind(RowKind::Constant(constant))
    }

    /// It is zero.
    #[must_use]
    pub const fn zero(self) -> Self {
        self.kind(RowKind::Zero)
    }

    /// It is kept.
    #[must_use]
    pub const fn reserved(self) -> Self {
        self.kind(RowKind::Reserved)
    }

    /// It is there if this holds.
    #[must_use]
    pub const fn when(mut self, when: Ex) -> Self {
        self.when = Some(when);
        self
    }

    /// These numbers mean nothing.
    #[must_use]
    pub const fn none(mut self, none: &'static [i128]) -> Self {
        self.none = none;
        self
    }

    /// This is added to what is stored.
    #[must_use]
    pub const fn plus(mut self, plus: i128) -> Self {
        self.plus = plus;
        self
    }

    /// It is this in epochs without it.
    #[must_use]
    pub const fn absent(mut self, constant: Constant) -> Self {
        self.absent = Some(constant);
        self
    }

    /// It is known from a tag.
    #[must_use]
    pub const fn in_tag(mut self) -> Self {
        self.in_tag = true;
        self
    }

    /// It has rules.
    #[must_use]
    pub const fn checks(mut self, checks: &'static [RowCheck]) -> Self {
        self.checks = checks;
        self
    }

    /// It stands at this position in the record, which differs from its number in spellings.
    #[must_use]
    pub const fn number(mut self, number: u16) -> Self {
        self.number = number;
        self
    }

    /// It is an object.
    #[must_use]
    pub const fn object(mut self) -> Self {
        self.object = true;
        self
    }

    /// The value may leave it out.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// It follows from these equations.
    #[must_use]
    pub const fn derived(mut self, definers: &'static [Definer]) -> Self {
        self.role = Role::Derived;
        self.definers = definers;
        self
    }

    /// It is made by an algorithm, or what is usual.
    #[must_use]
    pub const fn made(mut self) -> Self {
        self.role = Role::Made;
        self
    }

    /// It is this if the value leaves it out.
    #[must_use]
    pub const fn default(mut self, constant: Constant) -> Self {
        self.default = Some(constant);
        self
    }

    /// It stands in the relocation table.
    #[must_use]
    pub const fn listed(mut self, listed: ListedRow) -> Self {
        self.listed = Some(listed);
        self
    }

    /// It refers to the array at a path.
    #[must_use]
    pub const fn refers(mut self, path: u16, filter: Option<u16>) -> Self {
        self.refers = Some((path, filter));
        self
    }

    /// Where it stands in an epoch.
    #[must_use]
    pub fn home(&self, epoch: usize) -> Home {
        self.homes.get(epoch).copied().unwrap_or(self.home)
    }
}

impl RecordRows {
    /// Size of the fixed block in an epoch.
    #[must_use]
    pub fn size(&self, epoch: usize) -> Option<u64> {
        by_epoch(self.sizes, epoch).copied().flatten()
    }

    /// Size of the fixed block if there are rows in it.
    #[must_use]
    pub fn fixed_part(&self, epoch: usize) -> Option<u64> {
        let placed = self.rows.iter().any(|row| matches!(row.home(epoch), Home::At(_)));
        self.size(epoch).filter(|_| placed)
    }
}

/// What holds in an epoch: one for all, or one for each.
#[must_use]
pub fn by_epoch<T>(all: &[T], epoch: usize) -> Option<&T> {
    match all {
        [one] => Some(one),
        all => all.get(epoch),
    }
}
