//! Rows of one file that are rows of another, also of what is in no value: tables, dictionaries,
//! pools. Where no part says more, elements of the same number are the same.

use std::collections::{HashMap, HashSet};

use formwork::engine::{CASE, Item, Loc, NodeRef, WHOLE};
use formwork_model::{RowId, RowKind};

use super::SpellingChange;
use crate::compare::{Matching, PartId, Parts, Quick, What};
use crate::stack::with_stack;
use crate::view::Places;

/// Rows of the first file by rows of the second.
pub(crate) struct Partners<'w, 't> {
    /// The file that is asked about, and the other one.
    of: &'w Parts<'t>,
    other: &'w Parts<'t>,
    matching: &'w Matching,
    /// Whether the other file is the first one of the matching.
    back: bool,
    nodes: HashMap<NodeRef, Option<NodeRef>, Quick>,
    /// Texts of pools of the other file, with their positions.
    pools: HashMap<Loc, HashMap<&'t str, u32>, Quick>,
}

impl<'w, 't> Partners<'w, 't> {
    /// Asks about rows of the second file.
    pub(crate) fn of_second(
        first: &'w Parts<'t>,
        second: &'w Parts<'t>,
        matching: &'w Matching,
    ) -> Self {
        let (nodes, pools) = Default::default();
        Partners { of: second, other: first, matching, back: true, nodes, pools }
    }

    /// Asks about rows of the first file.
    pub(crate) fn of_first(
        first: &'w Parts<'t>,
        second: &'w Parts<'t>,
        matching: &'w Matching,
    ) -> Self {
        let (nodes, pools) = Default::default();
        Partners { of: first, other: second, matching, back: false, nodes, pools }
    }

    /// The row or element of the other file that one of this is.
    pub(crate) fn row(&mut self, loc: Loc) -> Option<Loc> {
        if let Some(part) = self.of.at(loc)
            && self.of.part(part).loc == loc
            && loc.row != WHOLE
        {
            let partner =
                if self.back { self.matching.backward(part) } else { self.matching.forward(part) };
            return partner.map(|partner| self.other.part(partner).loc);
        }
        let node = self.node(loc.node)?;
        let row = Loc::row(node, self.named_alike(loc.node, node, loc.row)?);
        match self.text_of_pool(loc) {
            Some(text) => self.pooled(row, text),
            None => Some(row.indexed(loc.index())),
        }
    }

    /// The text that an element of a pool is.
    fn text_of_pool(&self, loc: Loc) -> Option<&'t str> {
        loc.index()?;
        let tree = self.of.tree;
        let row = tree.record(loc.node).rows.get(loc.row.index())?;
        match (&row.kind, tree.through(tree.entry(loc))) {
            (RowKind::Pool { .. }, Item::Text(text)) => Some(tree.text(text)),
            _ => None,
        }
    }

    /// The place of a text in a pool of the other file.
    fn pooled(&mut self, row: Loc, text: &str) -> Option<Loc> {
        let tree = self.other.tree;
        let texts = self.pools.entry(row).or_insert_with(|| {
            let Item::Array(array) = tree.through(tree.entry(row)) else { return HashMap::new() };
            let texts = (0..tree.count(array)).filter_map(|at| match tree.element(array, at) {
                Some(Item::Text(text)) => Some((tree.text(text), at)),
                _ => None,
            });
            texts.collect()
        });
        texts.get(text).map(|at| row.at(*at))
    }

    fn partner(&self, part: PartId) -> Option<PartId> {
        match self.back {
            true => self.matching.backward(part),
            false => self.matching.forward(part),
        }
    }

    /// The node of the other file that one of this is.
    pub(crate) fn node(&mut self, node: NodeRef) -> Option<NodeRef> {
        if let Some(part) = self.of.of_node(node)
            && let What::Struct(own) | What::Case(own) = self.of.part(part).what
            && own == node
            && let Some(partner) = self.partner(part)
            && let What::Struct(other) | What::Case(other) = self.other.part(partner).what
        {
            return Some(other);
        }
        if let Some(known) = self.nodes.get(&node) {
            return *known;
        }
        let found = with_stack(|| self.find(node));
        self.nodes.insert(node, found);
        found
    }

    fn find(&mut self, node: NodeRef) -> Option<NodeRef> {
        if node == NodeRef::ROOT {
            return Some(node);
        }
        let holder = self.of.tree.holder(node)?;
        if holder.node.part == CASE && holder.node.id == node.id && node.part == 0 {
            // The rows of a form are beside those of its case.
            let case = self.node(holder.node)?;
            return Some(case.as_rows()).filter(|form| *form != case);
        }
        let place = self.row(holder)?;
        let tree = self.other.tree;
        match tree.through(tree.entry(place)) {
            Item::Node(found) => Some(found),
            _ => None,
        }
    }

    /// The row of another node that has the name of a row, or is the same.
    fn named_alike(&self, node: NodeRef, other: NodeRef, row: RowId) -> Option<RowId> {
        let (record, its) = (self.of.tree.record_id(node), self.other.tree.record_id(other));
        if record == its || row == WHOLE {
            return Some(row);
        }
        let name = self.of.tree.record(node).rows.get(row.index())?.name.as_ref()?;
        let mut rows = self.other.tree.record(other).numbered_rows();
        rows.find(|(_, row)| row.name.as_ref() == Some(name)).map(|(row, _)| row)
    }
}

/// What is spelled differently in the two files, other than in what only one of them has.
pub(crate) fn spellings(a: &Parts<'_>, b: &Parts<'_>, matching: &Matching) -> Vec<SpellingChange> {
    let mut found = Vec::new();
    let known: HashMap<_, _> =
        a.tree.deviations().map(|(loc, kind, stored)| ((loc, kind), stored)).collect();
    let mut met = HashSet::new();
    let mut partners = Partners::of_second(a, b, matching);
    for (loc, kind, stored) in b.tree.deviations() {
        // A row that only this file has is told of with its value.
        let Some(partner) = partners.row(loc) else { continue };
        let its = known.get(&(partner, kind));
        met.insert((partner, kind));
        if its != Some(&stored) {
            let field = Places(b.tree).path(loc);
            found.push(SpellingChange { field, kind, unusual: [its.is_some(), true] });
        }
    }
    let mut partners = Partners::of_first(a, b, matching);
    for (loc, kind, _) in a.tree.deviations() {
        if !met.contains(&(loc, kind)) && partners.row(loc).is_some() {
            let field = Places(a.tree).path(loc);
            found.push(SpellingChange { field, kind, unusual: [true, false] });
        }
    }
    found
}
