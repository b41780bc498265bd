//! What a writer knows of a schema: who owns what, and in which order it is placed.

use super::super::labels::Relocation;
use crate::Endian;

/// Tables of a schema for writing.
#[derive(Debug)]
pub struct WriteSchema {
    /// Records by number.
    pub records: &'static [WriteRecord],
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
