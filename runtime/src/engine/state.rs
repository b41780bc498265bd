//! The state that reading and writing share: the tree, the context, and what is asked for on demand.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use super::chains::Chains;
use super::item::{Item, Loc, NodeRef};
use super::memo::Memo;
use super::node::Order;
use super::plan::Direction;
use super::program::{Layout, Program};
use super::reading::{Keys, Reading};
use super::tree::Tree;
use super::val::{Fallible, Fault, Val};
use super::writing::Writing;
use crate::error::ReadErrorKind;
use crate::load::Endian;
use crate::model::{EndianRule, ExprId, Model, RowId};
use crate::options::{Budget, ReadOptions};

pub(crate) struct Engine<'p, 'b> {
    pub program: &'p Program,
    pub layout: &'p Layout,
    pub model: &'p Model,
    pub tree: Tree<'p, 'b>,
    /// Values of the epoch variables.
    pub context: Vec<i128>,
    /// Byte order of the file.
    pub order: Endian,
    pub budget: Budget,
    pub options: ReadOptions,
    /// Address of the next byte to read.
    pub here: u64,
    /// End of the region around it.
    pub region_end: u64,
    /// What conditions gave that are about where their blocks begin, in the nodes whose rows are looked at.
    pub begun: Vec<(NodeRef, ExprId, Val)>,
    /// Rows that are being read or computed: asked for again, they would depend on themselves.
    busy: Vec<(NodeRef, RowId)>,
    /// The row that an expression is evaluated for.
    pub(crate) own: Option<Loc>,
    /// Bytes of the file that were asked for to work that out.
    pub(crate) summed: u64,
    /// Where copies of them are among the tree's own bytes.
    pub(crate) copies: Vec<Range<usize>>,
    /// Depth of nested evaluation.
    depth: u32,
    /// Where the stack was when this began.
    stack: usize,
    pub memo: Memo,
    /// What the numbers of pointers count from, by their kind, if that is the same everywhere.
    pub bases: Vec<Base>,
    /// Names of elements, by the dictionary that has them.
    pub keys: Keys,
    /// Streams that were worked out.
    pub chains: Chains<'p>,
    /// Tables that algorithms made.
    pub tables: Vec<Table>,
    pub reading: Reading,
    pub writing: Writing,
}

/// What is remembered of where numbers count from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Base {
    #[default]
    Unknown,
    /// Somebody has asked.
    Asked,
    /// The number, and what it takes from the budget to look it up.
    Known(i128, u64),
}

/// Expressions may lead from `let` to `let` and from row to row only so far. Sizes of nested regions
/// count too, several steps a level.
const MAX_EVALUATION_DEPTH: u32 = 4000;

/// Bytes of the stack that may be in use before another level is entered, where it does not grow.
/// Threads have 2 MiB by default.
const STACK: usize = 5 << 18;

/// Rows of numbers and texts that an algorithm made.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    columns: usize,
    items: Vec<Item>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: usize) -> Table {
        Table::with_room_for(columns, 0)
    }

    /// The same, for so many rows.
    pub(crate) fn with_room_for(columns: usize, rows: usize) -> Table {
        Table { columns: columns.max(1), items: Vec::with_capacity(columns * rows) }
    }

    /// Adds a row, which has as many items as the table has columns.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = Item>) {
        self.items.extend(row);
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len() / self.columns
    }

    pub(crate) fn rows(&self) -> core::slice::ChunksExact<'_, Item> {
        self.items.chunks_exact(self.columns)
    }
}

impl<'p, 'b> Engine<'p, 'b> {
    pub(crate) fn new(
        program: &'p Program,
        layout: &'p Layout,
        direction: Direction,
        file: &'b [u8],
        options: &ReadOptions,
    ) -> Self {
        let budget = match direction {
            Direction::Reading => Budget::new(file.len() as u64, options),
            Direction::Writing => Budget::new(u64::MAX / 128, options),
        };
        Engine {
            program,
            layout,
            model: &layout.model,
            tree: Tree::new(layout, direction, file),
            context: Vec::new(),
            order: Endian::Little,
            budget,
            options: options.clone(),
            here: 0,
            begun: Vec::new(),
            region_end: file.len() as u64,
            busy: Vec::new(),
            own: None,
            summed: 0,
            copies: Vec::new(),
            depth: 0,
            stack: crate::stack::here(),
            memo: Memo::default(),
            bases: Vec::new(),
            keys: Keys::default(),
            chains: Chains::default(),
            tables: Vec::new(),
            reading: Reading::default(),
            writing: Writing::default(),
        }
    }

    pub(crate) fn is_reading(&self) -> bool {
        self.tree.is_reading()
    }

    /// Makes sure that a row has its item, and that what a pointer in it leads to is there.
    #[inline]
    pub(crate) fn force(&mut self, node: NodeRef, row: RowId) -> Fallible<()> {
        let loc = Loc::row(node, row);
        match self.tree.entry(loc) {
            Item::Unset | Item::Pointer(_) => {}
            _ => {
                self.tree.note_asked(loc);
                return Ok(());
            }
        }
        self.force_unset(loc)
    }

    /// The same, of a row that has none, or a pointer that may lead to something that is not there.
    pub(crate) fn force_unset(&mut self, loc: Loc) -> Fallible<()> {
        if self.is_reading() {
            self.force_read(loc)
        } else {
            self.force_write(loc)
        }
    }

    pub(crate) fn is_busy(&self, loc: Loc) -> bool {
        self.busy.iter().rev().any(|(node, row)| *node == loc.node && *row == loc.row)
    }

    /// Whether a row is being worked out, and no other one since.
    pub(crate) fn is_busiest(&self, loc: Loc) -> bool {
        self.busy.last() == Some(&(loc.node, loc.row))
    }

    /// Does something with a row that depends on itself if it is asked for meanwhile.
    pub(crate) fn while_busy<T>(&mut self, loc: Loc, what: impl FnOnce(&mut Self) -> T) -> T {
        self.busy.push((loc.node, loc.row));
        let result = what(self);
        self.busy.pop();
        result
    }

    #[inline]
    pub(crate) fn charge(&mut self, units: u64) -> Fallible<()> {
        self.budget.charge(units).map_err(|kind| Box::new(Fault::Limit(kind)))
    }

    /// Runs something that may nest deeply: where the stack can grow, it does if little of it is left.
    pub(crate) fn deep<T>(&mut self, what: impl FnOnce(&mut Self) -> T) -> T {
        let program = self.program;
        program.deep(|| what(self))
    }

    /// Whether the stack does not grow and is used up.
    pub(crate) fn is_too_deep(&self) -> bool {
        self.program.grow.is_none() && self.stack.abs_diff(crate::stack::here()) > STACK
    }

    pub(crate) fn depth_limit(&self) -> ReadErrorKind {
        ReadErrorKind::DepthLimit { limit: self.options.max_depth }
    }

    pub(crate) fn deeper<T>(&mut self, what: impl FnOnce(&mut Self) -> Fallible<T>) -> Fallible<T> {
        if self.depth >= MAX_EVALUATION_DEPTH {
            let limit = MAX_EVALUATION_DEPTH;
            return Err(Box::new(Fault::Limit(ReadErrorKind::DepthLimit { limit })));
        }
        if self.is_too_deep() {
            return Err(Box::new(Fault::Limit(self.depth_limit())));
        }
        self.depth += 1;
        let result = if self.depth % 8 == 0 { self.deep(what) } else { what(self) };
        self.depth -= 1;
        result
    }

    /// Byte order of the cells of a node that do not say their own; nothing if no condition decides
    /// it.
    pub(crate) fn node_order(&mut self, node: NodeRef) -> Fallible<Option<Endian>> {
        if let Order::Known(order) = self.tree.known_order(node) {
            return Ok(Some(order));
        }
        let mut at = Some(node);
        while let Some(node) = at {
            match &self.tree.record(node).endian {
                Some(EndianRule::Fixed(order)) => return Ok(Some((*order).into())),
                Some(EndianRule::Chosen(choices, otherwise)) => {
                    for (condition, order) in choices {
                        if self.eval_bool(*condition, node, None)? {
                            return Ok(Some((*order).into()));
                        }
                    }
                    return Ok(otherwise.map(Endian::from));
                }
                None => at = self.around(node),
            }
        }
        Ok(Some(self.order))
    }

    pub(crate) fn describe(&self, loc: Loc) -> String {
        self.tree.path(loc).to_string()
    }
}
