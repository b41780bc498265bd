//! Which row accounts for which bytes.

use super::item::{Loc, NodeRef, UNPLACED, WHOLE};
use super::plan::Store;
use super::read::short;
use super::state::Engine;
use super::tree::Tree;
use crate::model::{Home, RecordKind, RowId};

/// Bytes that a row, or the object that a row or element leads to, accounts for.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// Address of the first byte.
    pub at: u64,
    /// Address behind the last one.
    pub end: u64,
    /// The row or element; or [`WHOLE`] of an element of an array of compact records, which stands
    /// for as many elements from that one on as there are bytes. [`Tree::claims_in`] says what each
    /// of their rows accounts for.
    pub loc: Loc,
}

impl Claim {
    /// The first element, if this is about elements of an array of compact records.
    #[must_use]
    pub fn run(&self) -> Option<NodeRef> {
        (self.loc.row == WHOLE && self.loc.node.is_element()).then_some(self.loc.node)
    }
}

impl Tree<'_, '_> {
    /// What each row of a compact record accounts for, in the order of the schema; of a word, the
    /// word before its fields.
    pub fn claims_in(&self, node: NodeRef, found: &mut dyn FnMut(Claim)) {
        for (row, _) in self.record(node).numbered_rows() {
            self.claims_of_row(Loc::row(node, row), found);
        }
    }

    fn claims_of_row(&self, loc: Loc, found: &mut dyn FnMut(Claim)) {
        let mut claim = |at: u32, end: u32| {
            if at != UNPLACED && end != UNPLACED && at < end {
                found(Claim { at: at.into(), end: end.into(), loc });
            }
        };
        let at = self.row_at(loc);
        match self.row_plan(loc.node, loc.row).store {
            Store::Part(_) if at == UNPLACED => {}
            Store::Part(part) => {
                let node = NodeRef { part: loc.node.part + part, ..loc.node };
                if let RecordKind::Word(int) = self.record(node).kind {
                    if self.is_unread(loc).is_some()
                        && self.is_unread(Loc::row(node, WHOLE)).is_none()
                    {
                        // It does not lie within the file.
                        return;
                    }
                    claim(at, at + u32::from(int.bytes));
                }
                self.claims_in(node, found);
            }
            _ => claim(at, self.row_end(loc)),
        }
    }
}

impl Engine<'_, '_> {
    #[inline]
    pub(crate) fn claim(&mut self, at: u64, end: u64, loc: Loc) {
        if let Some(claims) = self.reading.claims.as_mut().filter(|_| at < end) {
            claims.push(Claim { at, end, loc });
        }
    }

    /// How many claims there are, to go back to.
    pub(crate) fn claimed(&self) -> usize {
        self.reading.claims.as_ref().map_or(0, alloc::vec::Vec::len)
    }

    /// Takes back what was claimed since.
    pub(crate) fn unclaim(&mut self, claimed: usize) {
        if let Some(claims) = &mut self.reading.claims {
            claims.truncate(claimed);
        }
    }

    /// Claims what each row of a compact record accounts for.
    pub(crate) fn claim_rows(&mut self, node: NodeRef) {
        if let Some(claims) = &mut self.reading.claims {
            self.tree.claims_in(node, &mut |claim| claims.push(claim));
        }
    }

    /// Claims the bytes of a row in place, unless reading failed there: then what of them was read is
    /// claimed already.
    pub(crate) fn claim_in_place(&mut self, loc: Loc) {
        if let Some(claims) = &mut self.reading.claims {
            self.tree.claims_of_row(loc, &mut |claim| claims.push(claim));
        }
    }

    /// Claims the bytes of the first numbers of an array that is not read to its end.
    #[cold]
    pub(crate) fn claim_elements(&mut self, at: u64, size: u64, count: u64, array: Loc) {
        for index in 0..self.reading.claims.as_ref().map_or(0, |_| count) {
            self.claim(at + index * size, at + (index + 1) * size, array.at(short(index)));
        }
    }

    /// Claims the bytes of the rows in place with homes, as if that was before anything else that was
    /// claimed from a position on.
    pub(crate) fn claim_homes(&mut self, node: NodeRef, from: usize) {
        if self.reading.claims.is_none() {
            return;
        }
        let before = self.claimed();
        let plan = self.tree.plan(node);
        for (id, planned) in (0..).map(RowId).zip(&plan.rows) {
            if matches!(planned.home, Home::At(_)) && !matches!(planned.store, Store::Slot(_)) {
                self.claim_in_place(Loc::row(node, id));
            }
        }
        if let Some(claims) = &mut self.reading.claims {
            let added = claims.len() - before;
            claims[from..].rotate_right(added);
        }
    }
}
