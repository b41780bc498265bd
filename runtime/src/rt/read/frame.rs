//! What is known while the rows of a record are read.

use super::super::rows::{Ex, Row};
use super::prelude::*;
use super::tables::ReadTables;

/// A row of a record that was read and has no slot.
#[derive(Debug, Clone)]
pub struct OwnRow<'i> {
    /// What was read.
    pub item: Item<'i>,
    /// Where its typed value is; [`NOTHING`] if it has none.
    pub value: u32,
    /// Its address.
    pub at: u64,
}

/// What is known while the rows of a record are read.
#[derive(Debug, Clone)]
pub struct Frame<'i> {
    /// The nearest node.
    pub owner: NodeId,
    /// The slot or element that is being read, of rows that have one.
    pub loc: Option<Loc>,
    /// Address that homes count from.
    pub base: u64,
    /// Number that chose the case.
    pub tag: i128,
    /// Address of it.
    pub tag_at: u64,
    /// Word that bit fields are taken from.
    pub word: u64,
    /// Position in the array that is being read.
    pub index: Option<u32>,
    /// Deviations.
    pub spelling: Spelling,
    /// Rows that were read, by their position; empty where nobody asks for them.
    pub own: Vec<OwnRow<'i>>,
}

impl<'i> Frame<'i> {
    /// Nothing is read yet.
    #[must_use]
    pub fn new(owner: NodeId, base: u64) -> Self {
        Frame {
            owner,
            loc: None,
            base,
            tag: 0,
            tag_at: base,
            word: 0,
            index: None,
            spelling: Spelling::default(),
            own: Vec::new(),
        }
    }

    /// With room for so many rows.
    pub(super) fn with_rows(mut self, rows: usize) -> Self {
        self.own.resize(rows, OwnRow { item: Item::Unset, value: NOTHING, at: 0 });
        self
    }

    pub(super) fn set(&mut self, row: usize, item: Item<'i>, value: u32, at: u64) {
        if let Some(own) = self.own.get_mut(row) {
            *own = OwnRow { item, value, at };
        }
    }

    /// What was read of a row.
    #[must_use]
    pub fn item(&self, row: usize) -> &Item<'i> {
        self.own.get(row).map_or(&Item::Unset, |own| &own.item)
    }

    /// Where its typed value is.
    #[must_use]
    pub fn value(&self, row: usize) -> u32 {
        self.own.get(row).map_or(NOTHING, |own| own.value)
    }

    /// A row as a value for expressions.
    #[must_use]
    pub fn val(&self, row: usize) -> Val<'i> {
        Val::of(self.item(row))
    }
}

/// Evaluates an expression.
///
/// # Errors
///
/// If it fails.
pub fn eval<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &Frame<'i>,
    e: Ex,
    it: Option<&Val<'i>>,
) -> Fallible<Val<'i>> {
    match e {
        Ex::Int(n) => Ok(Val::Int(n)),
        Ex::Node(number) | Ex::NodeHere(number) => cx.expr(number, f.owner, it),
        Ex::Own(number) | Ex::OwnHere(number) => cx.own(number, f, it),
    }
}

/// A count or size.
pub(super) fn count<'i, R: Reader<'i>>(cx: &mut R, f: &Frame<'i>, e: Ex, at: u64) -> Read<u64> {
    let val = eval(cx, f, e, None);
    super::count_of(cx.core_mut(), val, at)
}

/// A condition.
pub(super) fn holds<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &Frame<'i>,
    e: Ex,
    it: Option<&Val<'i>>,
    at: u64,
) -> Read<bool> {
    let val = eval(cx, f, e, it);
    super::number::holds(cx.core_mut(), val, at)
}

/// Whether the highest byte of a number comes first.
pub(super) fn big<'i, R: Reader<'i>>(
    cx: &mut R,
    f: &Frame<'i>,
    bytes: u8,
    order: Option<bool>,
    at: u64,
) -> Read<bool> {
    match order {
        _ if bytes == 1 => Ok(false),
        Some(big) => Ok(big),
        None if cx.core().tables.orders => super::order_of(cx, f.owner, at),
        None => Ok(cx.core().big),
    }
}

impl ReadTables {
    /// The rows of a record.
    pub(super) fn rows_of(&self, record: u16) -> &'static super::super::rows::RecordRows {
        &self.rows[usize::from(record)]
    }
}

impl<'i> Core<'i> {
    /// The row of a slot.
    pub(in super::super) fn row_of(&self, node: NodeId, slot: u16) -> &'static Row {
        let row = self.tree.slot_info(Loc::slot(node, slot)).row;
        &self.tables.rows_of(self.tree.node(node).record).rows[usize::from(row)]
    }

    /// Says where a row begins, for expressions that ask.
    pub(super) fn come_to(&mut self, cursor: &Cursor<'i>) {
        self.here = cursor.position();
        self.region_end = cursor.limit;
    }
}
