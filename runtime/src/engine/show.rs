//! A file shown to a visitor: the same as a value of generated types would show.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::document::Document;
use super::item::{Item, Loc, NodeRef};
use super::kept::Kept;
use super::partial::Unfinished;
use super::program::Program;
use super::source::{row_name, spelled_row};
use super::tree::{as_wide, Tree};
use crate::inspect::{Holds, Inspector, RowName};
use crate::model::{KeptAs, Meaning, RecordId, RecordKind, Row, Type};
use crate::spelling::{KeptKind, KeptValue, Spelling, SpellingEntry};

impl Document<'_, '_> {
    /// Shows the value of the file, as far as it could be read; nothing if nothing could be.
    pub fn inspect(&self, to: &mut dyn Inspector) {
        let tree = &self.engine.tree;
        if !tree.is_empty() {
            let mut left = Left::new();
            for nodes in tree.unfinished() {
                left.entry(nodes.row).or_default().push(nodes);
            }
            Show { program: self.program, tree, left: &left }.node(NodeRef::ROOT, to);
        }
    }
}

/// Nodes that no row leads to, because reading failed before their row was finished.
type Left = BTreeMap<Loc, Vec<Unfinished>>;

#[derive(Clone, Copy)]
struct Show<'d> {
    program: &'d Program,
    tree: &'d Tree<'d, 'd>,
    left: &'d Left,
}

impl Show<'_> {
    fn node(self, node: NodeRef, to: &mut dyn Inspector) {
        self.program.deep(|| self.node_here(node, to));
    }

    fn node_here(self, node: NodeRef, to: &mut dyn Inspector) {
        let record = self.tree.record(node);
        let Some(row) = record.transparent else {
            self.fields(node, to);
            return;
        };
        let keeps =
            !self.tree.kept.is_empty() && self.tree.plan_of(self.tree.record_id(node)).keeps;
        if keeps {
            to.begin_spelled();
        }
        self.item(&record.rows[row.index()].ty, Loc::row(node, row), to);
        if keeps {
            self.spelling(node, to);
            to.end_spelled();
        }
    }

    fn fields(self, node: NodeRef, to: &mut dyn Inspector) {
        to.begin_struct();
        for (id, row) in self.tree.record(node).numbered_rows() {
            self.row(Loc::row(node, id), row, to);
        }
        self.spelling(node, to);
        to.end_struct();
    }

    fn row(self, loc: Loc, row: &Row, to: &mut dyn Inspector) {
        if !self.tree.is_data(loc, row) {
            return;
        }
        let item = self.tree.entry(loc);
        let Some(name) = &row.name else {
            // Rows of an unnamed struct belong to this one.
            if let Item::Node(inner) = item {
                to.flatten(u16::try_from(loc.row.0).unwrap_or(u16::MAX));
                self.fields(inner, to);
            }
            return;
        };
        if self.tree.model().carries_data(&row.ty) || !self.says_nothing(item) {
            to.field(name);
            self.item(&row.ty, loc, to);
        }
    }

    /// Whether something that carries no data has no spelling either.
    fn says_nothing(self, item: Item) -> bool {
        match self.tree.through(item) {
            Item::Node(node) => {
                !self.tree.kept.has(node)
                    && self.tree.record(node).numbered_rows().all(|(id, row)| {
                        let loc = Loc::row(node, id);
                        !self.tree.is_data(loc, row) || self.says_nothing(self.tree.entry(loc))
                    })
            }
            // Elements of an array that is in step with another one.
            Item::Array(_) => true,
            item => !item.is_there(),
        }
    }

    /// What is in a row or element.
    fn item(self, ty: &Type, loc: Loc, to: &mut dyn Inspector) {
        let item = self.tree.entry(loc);
        match self.left.get(&loc.whole_row()) {
            Some(nodes) if self.tree.through(item).is_unset() => self.unfinished(nodes, loc, to),
            _ => self.there(ty, item, loc, to),
        }
    }

    /// What was read of a row or element in which reading failed.
    fn unfinished(self, nodes: &[Unfinished], loc: Loc, to: &mut dyn Inspector) {
        let all = nodes.iter().flat_map(|some| {
            (0..some.count).map(|n| (some.node(n), some.index.map(|first| first + n)))
        });
        if let Some(index) = loc.index() {
            match all.clone().find(|(_, position)| *position == Some(index)) {
                Some((node, _)) => self.held(node, to),
                None => to.none(),
            }
            return;
        }
        match nodes {
            [one] if one.index.is_none() => self.held(one.first, to),
            _ => {
                to.begin_list(all.clone().count());
                all.for_each(|(node, _)| self.held(node, to));
                to.end_list();
            }
        }
    }

    /// A node as what it is in its row.
    fn held(self, node: NodeRef, to: &mut dyn Inspector) {
        match self.tree.case_of(node) {
            Some((union, case)) => {
                to.begin_case(&union.cases[case].name);
                self.program.deep(|| self.fields(node, to));
                to.end_case();
            }
            None => self.node(node, to),
        }
    }

    fn there(self, ty: &Type, item: Item, loc: Loc, to: &mut dyn Inspector) {
        match (ty.stripped(), item) {
            (_, Item::Unset | Item::Absent) => to.none(),
            (ty, Item::Pointer(pointer)) => {
                let target = self.tree.pointers[pointer as usize].target;
                let inner = match ty {
                    Type::Pointer(pointer) => pointer.owned().unwrap_or(ty),
                    _ => ty,
                };
                self.there(inner, target, loc, to);
            }
            (ty, Item::Array(array)) => {
                let element = match ty {
                    Type::Array(array) => &array.element,
                    _ => ty,
                };
                let count = self.tree.count(array);
                to.begin_list(count as usize);
                for index in 0..count {
                    let item = self.tree.element(array, index).unwrap_or(Item::Absent);
                    // Elements of elements have no place of their own.
                    let left = loc.index().is_none() && self.tree.through(item).is_unset();
                    match self.left.get(&loc).filter(|_| left) {
                        Some(nodes) => self.unfinished(nodes, loc.at(index), to),
                        None => self.there(element, item, loc.at(index), to),
                    }
                }
                to.end_list();
            }
            (_, Item::Node(node)) => self.held(node, to),
            // Elements of forms may be narrower than those of their case.
            (Type::Cell(cell), item @ Item::F32(_)) => match as_wide(item, cell) {
                Item::F64(bits) => to.float64(bits),
                Item::F32(bits) => to.float32(bits),
                _ => {}
            },
            (_, Item::F32(bits)) => to.float32(bits),
            (_, Item::F64(bits)) => to.float64(bits),
            (_, Item::Bool(yes)) => to.bool(yes),
            (_, Item::Text(blob)) => to.text(self.tree.text(blob)),
            (_, Item::Bytes(blob)) => to.bytes(self.tree.bytes(blob)),
            (_, Item::Units(start, len)) => to.units(self.tree.units(start, len)),
            (ty, item) => {
                let number = self.tree.int(item).unwrap_or(0);
                match ty {
                    Type::Cell(cell) => match cell.meaning {
                        Meaning::Enum(id) => {
                            let members = &self.tree.model().enums[id.index()].members;
                            let member = members.iter().find(|m| m.number == number);
                            to.member(number, member.map(|m| m.name.as_str()));
                        }
                        _ => to.int(number),
                    },
                    _ => to.int(number),
                }
            }
        }
    }

    fn spelling(self, node: NodeRef, to: &mut dyn Inspector) {
        let spelling = self.tree.spelling(node, &|_, _| true);
        if spelling.is_canonical() {
            return;
        }
        let names = self.names(self.tree.record_id(node));
        let columns: Vec<Vec<&str>> = names.iter().map(|(_, row)| self.columns(row)).collect();
        let rows = names.iter().zip(&columns).map(|((name, row), columns)| {
            let holds = self.tree.model().kept_as(row);
            let holds = match holds {
                KeptAs::Value => Holds::Value,
                KeptAs::Float(bytes) => Holds::Float(bytes),
                KeptAs::Table(_) => Holds::Table(columns),
            };
            RowName { name, holds }
        });
        to.spelling(&spelling, &rows.collect::<Vec<_>>());
    }

    /// Names of the columns of a computed table.
    fn columns(&self, row: &Row) -> Vec<&str> {
        match self.tree.model().kept_as(row) {
            KeptAs::Table(id) => self.tree.model().columns(id),
            _ => Vec::new(),
        }
    }

    /// The rows that a spelling of a record may be about, by number, with their names.
    fn names(&self, id: RecordId) -> Vec<(String, &Row)> {
        let model = self.tree.model();
        let mut names = Vec::new();
        let mut add = |record: RecordId| {
            let rows = model.records[record.index()].numbered_rows();
            names.extend(rows.map(|(id, row)| (row_name(row, id), row)));
        };
        add(id);
        if let RecordKind::Case(union, case) = model.records[id.index()].kind {
            let forms = &model.unions[union.index()].cases[case as usize].forms;
            forms.iter().for_each(|form| add(form.record));
        }
        names
    }
}

impl Tree<'_, '_> {
    /// All that is spelled in an unusual way: the row, or the record as a whole, the kind, and what
    /// is stored.
    pub fn deviations(&self) -> impl Iterator<Item = (Loc, KeptKind, Cow<'_, KeptValue>)> {
        let others = self.kept.nodes().flat_map(|(node, all)| {
            all.iter().map(|kept| {
                let loc = Loc::row(*node, kept.row).indexed(kept.index);
                (loc, kept.kind, Cow::Borrowed(&kept.stored))
            })
        });
        let places = self.kept.places().map(|(loc, kind, stored)| (loc, kind, Cow::Owned(stored)));
        places.chain(others)
    }

    /// How a struct is spelled, as far as `wanted` of each record and what is kept of it; of a case
    /// with forms, that of its form, too.
    pub(crate) fn spelling(
        &self,
        node: NodeRef,
        wanted: &dyn Fn(RecordId, &Kept) -> bool,
    ) -> Spelling {
        let rows = node.as_rows();
        let mut spelling = Spelling::default();
        if self.kept.is_empty() {
            return spelling;
        }
        let places = if rows == node { [None, Some(node)] } else { [Some(node), Some(rows)] };
        for place in places.into_iter().flatten() {
            let record = self.record_id(place);
            let first = self.model().first_row(record);
            let kept = self.kept.all_of(place).into_iter();
            for kept in kept.filter(|kept| wanted(record, kept)) {
                spelling.keep(entry(kept, first));
            }
        }
        spelling
    }
}

impl Tree<'_, '_> {
    /// Adds how structs in the rows of a node are spelled that have nothing but that.
    pub(crate) fn keep_insides(&self, node: NodeRef, spelling: &mut Spelling) {
        if self.kept.is_empty() {
            return;
        }
        let record = self.record_id(node);
        let first = self.model().first_row(record);
        for (row, definition) in self.model().records[record.index()].numbered_rows() {
            let loc = Loc::row(node, row);
            if self.model().carries_data(&definition.ty) || !self.is_data(loc, definition) {
                continue;
            }
            if let Item::Node(inner) = self.through(self.entry(loc)) {
                let mut inside = self.spelling(inner, &|_, _| true);
                self.keep_insides(inner, &mut inside);
                spelling.keep_inside(spelled_row(row, first), inside);
            }
        }
    }
}

/// A spelling as an entry of a struct whose rows are counted from `first` on.
fn entry(kept: Kept, first: usize) -> SpellingEntry {
    let row = match kept.row {
        super::item::WHOLE => Spelling::WHOLE,
        row => spelled_row(row, first),
    };
    SpellingEntry {
        row,
        index: kept.index,
        kind: kept.kind,
        stored: kept.stored,
        instead_of: kept.instead_of,
    }
}
