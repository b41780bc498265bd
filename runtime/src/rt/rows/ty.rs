//! Types that lead to others.

use super::super::labels::{Class, Policy};
use super::super::read::{Terminator, Trim};
use super::{Cell, Ex, Length, Run, Storage, Union};

/// A type.
#[derive(Debug, Clone, Copy)]
pub enum Ty {
    /// No bytes.
    Nothing,
    /// A number.
    Cell(Cell),
    /// Bytes or text.
    Run(&'static Run),
    /// A record with a node.
    Node(u16),
    /// A record without one.
    Direct(u16),
    /// What generated code makes a value of, by its number; and its type.
    Value(u16, &'static Ty),
    /// One of several records.
    Union(&'static Union),
    /// A pointer.
    Pointer(&'static Pointer),
    /// Elements.
    Array(&'static Array),
    /// Bytes that something must fill exactly.
    Region(&'static Region),
    /// The byte order mark.
    Mark,
    /// By epoch.
    PerEpoch(&'static [Ty]),
}

/// A pointer.
#[derive(Debug)]
pub struct Pointer {
    /// Number of its kind.
    pub kind: u16,
    /// How it is stored.
    pub cell: Cell,
    /// Section of the relocation table.
    pub section: u16,
    /// What it says of the relocation table itself.
    pub list: Option<Policy>,
    /// What it leads to, by epoch, or one for all.
    pub class: &'static [Class],
    /// Numbers for nothing: that of the kind first.
    pub none: &'static [i128],
    /// That of the kind.
    pub kind_none: Option<i128>,
    /// Whether pools or relocation want to know of it.
    pub logged: bool,
    /// What it leads to.
    pub target: Target,
    /// What the address counts from.
    pub base: Option<Ex>,
    /// It leads so many bytes into its target.
    pub skip: u64,
    /// Whether it always leads to a place without bytes.
    pub empty: bool,
}

/// What a pointer leads to.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// Something of its own.
    Own(&'static Ty),
    /// An element of an array.
    Element,
    /// A member of a pool: its text.
    Pooled(Pooled),
}

/// A text that a pointer into a pool leads to.
#[derive(Debug, Clone, Copy)]
pub enum Pooled {
    /// That of the kind.
    Kind,
    /// One that depends on the row.
    Row(&'static Ty),
}

/// Elements.
#[derive(Debug)]
pub struct Array {
    /// Type of an element.
    pub element: Ty,
    /// How many there are.
    pub count: Count,
    /// Bytes from one to the next, if something says it.
    pub stride: Option<Ex>,
}

/// Number of elements of an [`Array`].
#[derive(Debug, Clone, Copy)]
pub enum Count {
    /// So many.
    Is(Ex),
    /// As many as there are.
    Fill,
    /// Up to the first for which this holds.
    Last(Ex),
}

/// Bytes that something must fill exactly.
#[derive(Debug)]
pub struct Region {
    /// How far it reaches.
    pub extent: Extent,
    /// What follows the content.
    pub trim: Option<Trim>,
    /// What is in it.
    pub inner: Ty,
}

/// How far a [`Region`] reaches.
#[derive(Debug)]
pub enum Extent {
    /// So many bytes, and whether nothing follows from its content.
    Size(Ex, bool),
    /// Up to this address.
    End(Ex),
    /// Up to the end of the region around it.
    Rest,
    /// Up to some bytes.
    Terminated(Terminator),
}

impl Ty {
    /// The type in an epoch, also of a value that generated code makes.
    #[must_use]
    pub fn stored(&'static self, epoch: usize) -> &'static Ty {
        match self.within(epoch) {
            Ty::Value(_, ty) => ty.stored(epoch),
            other => other,
        }
    }

    /// The type in an epoch.
    #[must_use]
    pub fn within(&'static self, epoch: usize) -> &'static Ty {
        match self {
            Ty::PerEpoch(types) => types.get(epoch).map_or(&Ty::Nothing, |ty| ty.within(epoch)),
            other => other,
        }
    }

    /// Whether its values are bits that share bytes with their neighbours.
    #[must_use]
    pub fn is_bits(&self) -> bool {
        match self {
            Ty::Cell(Cell { storage: Storage::Bits(..), .. }) => true,
            Ty::Array(array) => array.element.is_bits(),
            _ => false,
        }
    }

    /// Whether it reaches to the end of the region around it.
    #[must_use]
    pub fn is_fill(&self) -> bool {
        match self {
            Ty::Run(run) => matches!(run.length, Length::Fill),
            Ty::Region(region) => matches!(region.extent, Extent::Rest),
            _ => false,
        }
    }

    /// What a pointer of this type owns.
    #[must_use]
    pub fn target(&'static self, epoch: usize) -> Option<&'static Ty> {
        match self.within(epoch) {
            Ty::Region(region) => region.inner.target(epoch),
            Ty::Pointer(Pointer { target: Target::Own(target), .. }) => Some(target),
            _ => None,
        }
    }

    /// Type of the elements in a row or behind its pointer.
    #[must_use]
    pub fn element(&'static self, epoch: usize) -> Option<&'static Ty> {
        match self.within(epoch) {
            Ty::Region(region) => region.inner.element(epoch),
            Ty::Array(array) => Some(&array.element),
            Ty::Pointer(Pointer { target: Target::Own(target), .. }) => target.element(epoch),
            _ => None,
        }
    }
}

/// A pointer of a kind.
#[must_use]
pub const fn pointer(kind: u16, cell: Cell, class: &'static [Class], target: Target) -> Pointer {
    Pointer {
        kind,
        cell,
        section: 0,
        list: None,
        class,
        none: &[],
        kind_none: None,
        logged: false,
        target,
        base: None,
        skip: 0,
        empty: false,
    }
}

impl Pointer {
    /// It stands in this section of the relocation table.
    #[must_use]
    pub const fn section(mut self, section: u16) -> Self {
        self.section = section;
        self
    }

    /// It says of the relocation table itself.
    #[must_use]
    pub const fn list(mut self, policy: Policy) -> Self {
        self.list = Some(policy);
        self
    }

    /// These numbers are nothing, the first for its kind.
    #[must_use]
    pub const fn none(mut self, none: &'static [i128], kind: Option<i128>) -> Self {
        self.none = none;
        self.kind_none = kind;
        self
    }

    /// Pools or relocation want to know of it.
    #[must_use]
    pub const fn logged(mut self) -> Self {
        self.logged = true;
        self
    }

    /// Its number counts from this.
    #[must_use]
    pub const fn base(mut self, base: Ex) -> Self {
        self.base = Some(base);
        self
    }

    /// It leads so many bytes into its target.
    #[must_use]
    pub const fn skip(mut self, skip: u64) -> Self {
        self.skip = skip;
        self
    }

    /// It leads to a place without bytes.
    #[must_use]
    pub const fn empty(mut self) -> Self {
        self.empty = true;
        self
    }
}
