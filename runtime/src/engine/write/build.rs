//! Builds the tree from a value.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::forms::{cell_fits, given_is};
use super::super::item::{ArrayRef, Blob, From, Item, Loc, NodeRef, CASE, WHOLE};
use super::super::kept::Kept;
use super::super::node::Order;
use super::super::plan::{Place, Plan, RowPlan, Store};
use super::super::source::{
    spelled_row, Asked, Fields, Given, OnlySpelled, Spelled, StandsFor, Stored,
};
use super::super::state::Engine;
use super::super::tree::{cell_bytes, stored_float, Cells, Elements, Pointer, Records};
use crate::load::{mask, Endian};
use crate::model::{
    ArrayType, Case, Cell, Constant, Content, DefinerScope, Encoding, FloatCode, Home, IntType,
    Meaning, PointerType, RecordId, RecordKind, Role, Row, RowId, RowKind, RunLength, RunType,
    Storage, Target, Type, UnionId,
};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue, Spelling, SpellingEntry};

/// Where the fields of a record come from.
#[derive(Clone, Copy)]
enum Origin<'v> {
    /// A struct; the rows of structs without names lead from what it stands for to the record.
    Fields(&'v dyn Fields, &'v [RowId]),
    /// A node of a file.
    Node(Stored<'v>),
    /// A case of a file, whatever its form; by the names of its rows.
    Case(Stored<'v>, &'v [Row]),
    /// What the only row of a record is that stands for it.
    Only(Given<'v>),
    /// The bits of a packed word.
    Word(u64),
}

impl<'p> Engine<'p, '_> {
    pub(crate) fn build_root(&mut self, value: Given<'_>) {
        self.build_as(self.model.root, value);
    }

    /// Builds a value of any record, as if a file had nothing else.
    pub(crate) fn build_as(&mut self, record: RecordId, value: Given<'_>) {
        let root = self.tree.add(record, None);
        self.tree.add_block(root);
        self.build_node(root, value);
    }

    fn build_node(&mut self, node: NodeRef, value: Given<'_>) {
        if self.is_too_deep() {
            let kind = ProblemKind::DepthLimit { limit: self.options.max_depth };
            self.problem(self.tree.node_loc(node), kind);
            return;
        }
        self.deep(|engine| engine.build_node_here(node, value));
    }

    fn build_node_here(&mut self, node: NodeRef, value: Given<'_>) {
        let record = self.tree.record(node);
        let value = match value {
            // Of a struct that is more than its only row there is no such spelling.
            Given::Struct(fields) if record.transparent.is_none() => only_row(fields, value),
            value => value,
        };
        let from = match value {
            Given::Struct(fields) if self.is_further_in(node, fields) => Origin::Only(value),
            Given::Struct(fields)
                if record.transparent.is_none() || fields.stands_for() != StandsFor::Value =>
            {
                Origin::Fields(fields, &[])
            }
            Given::Stored(stored) if stored.node().is_some() => Origin::Node(stored),
            Given::Word(bits) => Origin::Word(bits),
            value if record.transparent.is_some() => Origin::Only(value),
            other => {
                let actual = other.kind_name().into();
                let expected = "a struct".into();
                let at = self.tree.node_loc(node);
                self.problem(at, ProblemKind::WrongKind { expected, actual });
                return;
            }
        };
        if let (Origin::Fields(fields, _), None) = (from, record.transparent) {
            self.report_strangers(node, fields);
        }
        self.build_rows(node, from);
    }

    /// Whether a struct is not the value of a node that stands for its only row, but of what is in
    /// that row: of the node itself nothing is kept, so no level of a value is for it, and generated
    /// types have no struct.
    fn is_further_in(&self, node: NodeRef, fields: &dyn Fields) -> bool {
        let id = self.tree.record_id(node);
        let record = &self.model.records[id.index()];
        let Some(row) = record.transparent.filter(|_| !self.tree.plan_of(id).keeps) else {
            return false;
        };
        match fields.stands_for() {
            StandsFor::Value => false,
            StandsFor::OnlyRow => true,
            StandsFor::Struct => {
                let asked = self.asked(Loc::row(node, row), &record.rows[row.index()]);
                matches!(fields.field(asked), Given::Missing)
            }
        }
    }

    /// Fields that the record does not have.
    fn report_strangers(&mut self, node: NodeRef, fields: &dyn Fields) {
        let mut strangers: Vec<String> = Vec::new();
        let record = self.tree.record_id(node);
        fields.strangers(&|name| self.has_field(record, name, 0), &mut |name| {
            strangers.push(name.into());
        });
        for name in strangers {
            let why = match self.tree.case_of(node) {
                Some((union, case)) => {
                    format!("`{name}` is no field of `{}`", union.cases[case].name)
                }
                None => format!("`{name}` is no field of `{}`", self.tree.record(node).template),
            };
            let at = self.tree.node_loc(node);
            self.problem(at, ProblemKind::UnexpectedField { why: why.into() });
        }
    }

    /// Whether the value of a record may have a field, those of unnamed structs in it included.
    fn has_field(&self, record: RecordId, name: &str, depth: u32) -> bool {
        depth <= 64
            && self.model.records[record.index()].rows.iter().any(|row| match &row.name {
                // What is always the same is in no value.
                Some(own) => own == name && !matches!(row.kind, RowKind::Constant(_)),
                None => match row.ty.stripped() {
                    Type::Record(inner) => self.has_field(*inner, name, depth + 1),
                    _ => false,
                },
            })
    }

    /// What a value has for a row.
    fn field_of<'v>(&self, from: Origin<'v>, loc: Loc, row: &Row) -> Given<'v> {
        let is_only = || self.tree.record(loc.node).transparent == Some(loc.row);
        match from {
            Origin::Fields(fields, _)
                if fields.stands_for() == StandsFor::OnlyRow && !is_only() =>
            {
                Given::Missing
            }
            Origin::Fields(fields, _) => fields.field(self.asked(loc, row)),
            Origin::Node(stored) => stored.data(loc.row),
            Origin::Case(stored, rows) => {
                let same = |logical: &Row| logical.name.is_some() && logical.name == row.name;
                match (0..).map(RowId).zip(rows).find(|(_, logical)| same(logical)) {
                    Some((id, _)) => stored.field(id),
                    None => Given::Missing,
                }
            }
            Origin::Only(value) if is_only() => value,
            Origin::Only(_) => Given::Missing,
            Origin::Word(bits) => self.bits_of(bits, row),
        }
    }

    /// The row that a struct is asked for: the rows of a form are fields of its case.
    fn asked<'m>(&self, loc: Loc, row: &'m Row) -> Asked<'m> {
        let (record, name) = (self.tree.record_id(loc.node), row.name.as_deref());
        if let (RecordKind::Form(union, case, _), Some(name)) =
            (&self.tree.record(loc.node).kind, name)
        {
            let record = self.model.unions[union.index()].cases[*case as usize].record;
            let rows = &self.model.records[record.index()].rows;
            let same = |logical: &Row| logical.name.as_deref() == Some(name);
            if let Some((row, _)) = (0..).map(RowId).zip(rows).find(|(_, row)| same(row)) {
                return Asked { record, row, name: Some(name) };
            }
        }
        Asked { record, row: loc.row, name }
    }

    /// What a field of a packed word is, from all its bits.
    fn bits_of<'v>(&self, bits: u64, row: &Row) -> Given<'v> {
        let Type::Cell(cell) = &row.ty else { return Given::Missing };
        let Storage::Word { first, last, .. } = cell.storage else { return Given::Missing };
        let raw = bits.checked_shr(first.into()).unwrap_or(0) & mask(last - first + 1);
        match self.tree.meant(raw, cell, row) {
            Item::Bool(yes) => Given::Bool(yes),
            item => self.tree.int(item).map_or(Given::None, Given::Int),
        }
    }

    /// Takes over how a record was spelled.
    fn build_kept(&mut self, node: NodeRef, from: Origin<'_>) {
        let id = self.tree.record_id(node);
        let record = &self.model.records[id.index()];
        match from {
            Origin::Fields(fields, inside) => {
                let first = self.model.first_row(id);
                let rows = record.rows.len();
                let mut all = Vec::new();
                let of = Spelled { record, first, inside };
                fields.spelling(of, &mut |entry: &SpellingEntry| {
                    if entry.kind == KeptKind::Inside {
                        return;
                    }
                    let row = usize::from(entry.row).checked_sub(first).filter(|row| *row < rows);
                    let row = match (entry.row, row) {
                        (crate::Spelling::WHOLE, _) => WHOLE,
                        (_, Some(row)) => RowId(u32::try_from(row).unwrap_or(u32::MAX)),
                        (_, None) => return,
                    };
                    all.push(Kept {
                        row,
                        index: entry.index,
                        kind: entry.kind,
                        stored: entry.stored.clone(),
                        instead_of: entry.instead_of.clone(),
                    });
                });
                all.into_iter().for_each(|kept| self.tree.keep(node, kept));
            }
            Origin::Node(stored) | Origin::Case(stored, _) => {
                let source = stored.node().map(NodeRef::as_rows);
                let source = source.filter(|source| stored.tree.record_id(*source) == id);
                if let Some(source) = source.filter(|_| !stored.tree.kept.is_empty()) {
                    self.tree.kept.take_over(&stored.tree.kept, source, node);
                }
            }
            Origin::Word(bits) => {
                for (row, definition) in record.numbered_rows() {
                    let reserved = matches!(definition.kind, RowKind::Reserved);
                    if let (true, Given::Int(bits @ 1..)) =
                        (reserved, self.bits_of(bits, definition))
                    {
                        let (kind, stored) = (KeptKind::Reserved, KeptValue::Int(bits));
                        let instead_of = KeptValue::None;
                        self.tree.keep(node, Kept { row, index: None, kind, stored, instead_of });
                    }
                }
            }
            Origin::Only(_) => {}
        }
    }

    fn build_rows(&mut self, node: NodeRef, from: Origin<'_>) {
        self.build_kept(node, from);
        let id = self.tree.record_id(node);
        let record = &self.model.records[id.index()];
        let plan = self.tree.plan_of(id);
        let (rows, derived) = match from {
            Origin::Node(stored) if self.copy_block(node, plan, stored) => {
                (&plan.not_copied, &plan.taking.1)
            }
            Origin::Node(_) => (&plan.taking.0, &plan.taking.1),
            _ => (&plan.building.0, &plan.building.1),
        };
        let same = core::ptr::eq(rows, &plan.not_copied);
        for id in rows {
            let (loc, row) = (Loc::row(node, *id), &record.rows[id.index()]);
            let planned = &plan.rows[id.index()];
            match from {
                Origin::Node(stored) if same && self.take_row(loc, row, planned, stored) => {}
                _ => self.build_row(loc, row, planned, from),
            }
        }
        // A number may follow from one case of a union and be data in another.
        for id in derived {
            let (loc, row) = (Loc::row(node, *id), &record.rows[id.index()]);
            let derived = self.tree.is_derived_here(loc);
            let given = match (self.field_of(from, loc, row), from) {
                // A type has a field for it in any case.
                (Given::None, Origin::Fields(fields, _))
                    if fields.stands_for() == StandsFor::Struct =>
                {
                    Given::Missing
                }
                (given, _) => given,
            };
            let absent = self.tree.home(loc) == Home::Absent;
            match (derived, given) {
                (_, Given::Missing) if absent => self.tree.set_item(loc, Item::Absent),
                (true, Given::Missing) => {}
                (true, _) => {
                    let why = "it follows from other fields".into();
                    self.problem(loc, ProblemKind::UnexpectedField { why });
                }
                (false, Given::Missing) => {
                    // A derived row without an equation here stays to be asked for.
                    let by_case = |scope: &DefinerScope| matches!(scope, DefinerScope::Case(..));
                    if row.definers.iter().all(|definer| by_case(&definer.scope)) {
                        self.problem(loc, ProblemKind::MissingField);
                    }
                }
                (false, value) => {
                    let item = self.build_item(&row.ty, value, loc, row);
                    self.tree.set_item(loc, item);
                }
            }
        }
    }

    /// Takes over bytes of rows in place from the file, if a node is of a file that was read with the
    /// same layout.
    fn copy_block(&mut self, node: NodeRef, plan: &'p Plan, stored: Stored<'_>) -> bool {
        let (Some(source), tree) = (stored.node(), stored.tree) else { return false };
        let own = |node: NodeRef| node.part == 0 && !node.is_element();
        let part = |node: NodeRef| !matches!(node.part, 0 | CASE) && !node.is_element();
        let parts = part(node) && part(source) && plan.copied.is_empty();
        let same = (own(node) && own(source) || parts)
            && tree.is_reading()
            && !tree.partial.failed
            && core::ptr::eq(tree.layout, self.tree.layout)
            && core::ptr::eq(tree.file, self.tree.file)
            && tree.record_id(source) == self.tree.record_id(node);
        if plan.copied.is_empty() {
            return same;
        }
        let (true, Order::Known(order)) = (same, tree.known_order(source)) else { return false };
        let (at, tail) = (tree.node_at(source), tree.own_tail(source));
        let block = self.tree.block(node);
        for piece in &plan.copied {
            let at = match piece.place {
                Place::Home(offset) => at + offset,
                Place::Tail(offset) => tail + offset,
                Place::Moving | Place::Nowhere => continue,
            };
            let to = (block + piece.from) as usize;
            let bytes = self.tree.file.get(at as usize..(at + piece.len) as usize);
            let place = self.tree.own.get_mut(to..to + piece.len as usize);
            let (Some(bytes), Some(place)) = (bytes, place) else { return false };
            place.copy_from_slice(bytes);
            if piece.number && piece.order.unwrap_or(order) == Endian::Big {
                place.reverse();
            }
        }
        true
    }

    /// Takes over what a node of a file that was read with the same layout has in a row with a slot, if
    /// that is a number, a text of the file, or no elements of a shared table.
    fn take_row(&mut self, loc: Loc, row: &Row, planned: &RowPlan, stored: Stored<'_>) -> bool {
        let Some(node) = stored.node() else { return false };
        let slot = match planned.store {
            Store::Slot(slot) if !self.tree.is_around_case(loc.node) => {
                self.tree.slot_at(loc.node, slot)
            }
            _ => return self.take_part(loc, row, node, stored),
        };
        let of_file = |blob: Blob| blob.from == From::File;
        let item = match (&row.kind, &row.role, &row.ty) {
            (RowKind::Slice { .. }, Role::Data, _) => match stored.tree.row_entry(node, loc.row) {
                Item::Array(array) if stored.tree.count(array) == 0 => {
                    Item::Array(ArrayRef::Own(self.tree.no_elements()))
                }
                _ => return false,
            },
            (RowKind::Plain, Role::Data | Role::Default(_), ty) => {
                match (ty, stored.tree.row_entry(node, loc.row)) {
                    (Type::Cell(_), item @ (Item::Int(_) | Item::Bool(_))) => item,
                    (Type::Run(_), item @ (Item::Text(blob) | Item::Bytes(blob)))
                        if of_file(blob) =>
                    {
                        item
                    }
                    (Type::Pointer(pointer), item @ Item::Pointer(_))
                        if matches!(pointer.target, Target::Pooled) =>
                    {
                        match stored.tree.through(item) {
                            text @ (Item::Text(blob) | Item::Bytes(blob)) if of_file(blob) => {
                                self.tree.add_pointer(Pointer::to(text))
                            }
                            _ => return false,
                        }
                    }
                    _ => return false,
                }
            }
            _ => return false,
        };
        self.tree.slots.set_item(slot, item);
        true
    }

    /// Takes over a part of a node.
    fn take_part(&mut self, loc: Loc, row: &Row, from: NodeRef, stored: Stored<'_>) -> bool {
        let data = matches!((&row.kind, &row.role), (RowKind::Plain, Role::Data))
            && matches!(row.ty, Type::Record(_))
            && row.name.is_some();
        if !data {
            return false;
        }
        let item = stored.tree.row_entry(from, loc.row);
        match (self.tree.row_entry(loc.node, loc.row), item) {
            (Item::Node(part), Item::Node(from)) => {
                if self.take_empty_slices(part, from, stored) {
                    return true;
                }
                self.build_rows(part, Origin::Node(Stored { item, ..stored }));
                true
            }
            _ => false,
        }
    }

    /// Takes over a part of a node that has nothing but slices without elements.
    fn take_empty_slices(&mut self, node: NodeRef, from: NodeRef, stored: Stored<'_>) -> bool {
        let record = self.tree.record_id(node);
        let plan = self.tree.plan_of(record);
        let whole = from.is_element() || from.part == CASE;
        if !plan.only_slices || whole || stored.tree.kept.tells_of(from) {
            return false;
        }
        let read = stored.tree.plan_of(record);
        let empty = |row: &RowId| match read.rows[row.index()].store {
            Store::Slot(slot) => stored.tree.has_no_elements(from, slot),
            _ => false,
        };
        if !plan.not_copied.iter().all(empty) {
            return false;
        }
        let item = Item::Array(ArrayRef::Own(self.tree.no_elements()));
        for row in &plan.not_copied {
            if let Store::Slot(slot) = plan.rows[row.index()].store {
                self.tree.slots.set_item(self.tree.slot_at(node, slot), item);
            }
        }
        true
    }

    fn build_row(&mut self, loc: Loc, row: &'p Row, planned: &'p RowPlan, from: Origin<'_>) {
        if planned.store == Store::Absent {
            self.build_elsewhere(loc, row, from);
            return;
        }
        match row.kind {
            // The block has them from the schema.
            RowKind::Constant(_) if !matches!(planned.store, Store::Slot(_)) => return,
            RowKind::Constant(_) => {
                let item = self.stated(loc, row);
                self.tree.set_item(loc, item);
                return;
            }
            RowKind::Zero | RowKind::Runtime | RowKind::Reserved => {
                self.build_padding(loc, row);
                return;
            }
            RowKind::Mark { .. } | RowKind::Pool { kept: false, .. } => return,
            _ => {}
        }
        let given = match (self.field_of(from, loc, row), from) {
            // A type has a field for it in layouts that lack it, too: nothing is the default.
            (Given::None, Origin::Fields(..)) if row.may_be_left_out() => Given::Missing,
            (given, _) => given,
        };
        match row.role {
            Role::Fixed if matches!(row.kind, RowKind::Plain | RowKind::Object { .. }) => {
                self.build_missing(loc, row);
                return;
            }
            Role::Kept(_) | Role::Spelling | Role::View { .. } | Role::Fixed => {
                let said = !matches!(given, Given::Missing | Given::Here);
                if said && !matches!(row.kind, RowKind::Pool { .. }) {
                    let why = "it follows from other fields".into();
                    self.problem(loc, ProblemKind::UnexpectedField { why });
                }
                return;
            }
            _ => {}
        }
        if row.name.is_none() {
            if let Type::Record(record) = *row.ty.stripped() {
                self.build_unnamed(loc, record, from, given);
                return;
            }
        }
        match given {
            Given::Missing | Given::Here => match self.spelled_inside(loc, row, from) {
                Some(spelling) => {
                    self.build_value(loc, row, Given::Struct(&OnlySpelled(&spelling)));
                }
                None => self.build_missing(loc, row),
            },
            value if matches!(row.kind, RowKind::Zeros) => {
                let item = self.build_zeros(value, loc, row);
                self.tree.set_item(loc, item);
            }
            value => self.build_value(loc, row, value),
        }
    }

    /// A field that the layout has no place for.
    fn build_elsewhere(&mut self, loc: Loc, row: &'p Row, from: Origin<'_>) {
        match self.field_of(from, loc, row) {
            Given::Missing | Given::Here | Given::None => {}
            value => {
                let same = row.absent.as_ref().is_some_and(|constant| given_is(&value, constant));
                if !same {
                    let epoch = &self.model.epochs[self.layout.epoch.index()].label;
                    let why = format!("it does not exist in {epoch}");
                    self.problem(loc, ProblemKind::UnexpectedField { why: why.into() });
                }
            }
        }
    }

    /// How the struct in a row is spelled that has nothing but that, if somebody says it.
    fn spelled_inside(&self, loc: Loc, row: &Row, from: Origin<'_>) -> Option<Spelling> {
        let Origin::Fields(fields, inside) = from else { return None };
        if self.model.carries_data(&row.ty) {
            return None;
        }
        let asked = self.asked(loc, row);
        let first = self.model.first_row(asked.record);
        let row = spelled_row(asked.row, first);
        let record = &self.model.records[asked.record.index()];
        let mut found = None;
        fields.spelling(Spelled { record, first, inside }, &mut |entry| match &entry.stored {
            KeptValue::Spelling(spelling) if entry.row == row => found = Some(spelling.clone()),
            _ => {}
        });
        found
    }

    /// Padding is zero, or the bytes that were kept.
    fn build_padding(&mut self, loc: Loc, row: &Row) {
        let kept = self.tree.kept_of(loc, KeptKind::Reserved).map(|kept| kept.stored.clone());
        let planned = self.tree.row_plan(loc.node, loc.row);
        match (kept, planned.store) {
            (None, Store::Slot(_)) => self.tree.set_item(loc, Item::Absent),
            (None, _) => {}
            (Some(KeptValue::Bytes(bytes)), Store::Fill(size)) => {
                // Another number of bytes: what was there is of no use.
                if bytes.len() == size as usize {
                    if let Some(place) = self.tree.place_mut(loc, size) {
                        place.copy_from_slice(&bytes);
                    }
                }
            }
            (Some(stored), store) => {
                let item = self.kept_item(&stored, row);
                if let Store::Slot(_) = store {
                    self.tree.set_item(loc, item);
                } else {
                    self.put_in_place(loc, row, item);
                }
            }
        }
    }

    /// The rows of a struct without a name, whose fields are those of the struct around it.
    fn build_unnamed(&mut self, loc: Loc, record: RecordId, from: Origin<'_>, given: Given<'_>) {
        let row_when = self.tree.row(loc).when.is_some();
        let nothing = match given {
            Given::Here | Given::Missing => !self.says_something(record, from, 0),
            given => matches!(given, Given::None),
        };
        if row_when && nothing && self.model.carries_data(&Type::Record(record)) {
            self.tree.set_item(loc, Item::Absent);
            return;
        }
        let node = match self.tree.entry(loc) {
            Item::Node(part) => part,
            _ => {
                let node = self.tree.add(record, Some(loc));
                self.tree.add_block(node);
                self.tree.set_item(loc, Item::Node(node));
                node
            }
        };
        match (given, from) {
            (Given::Here, Origin::Fields(fields, inside)) => {
                let mut path = inside.to_vec();
                path.push(loc.row);
                self.build_rows(node, Origin::Fields(fields, &path));
            }
            (Given::Struct(fields), _) => self.build_rows(node, Origin::Fields(fields, &[])),
            (Given::Missing, Origin::Fields(fields, _))
                if fields.stands_for() == StandsFor::Struct =>
            {
                let row = self.tree.row(loc);
                let spelling = self.spelled_inside(loc, row, from).unwrap_or_default();
                self.build_rows(node, Origin::Fields(&OnlySpelled(&spelling), &[]));
            }
            (Given::Stored(stored), _) => self.build_rows(node, Origin::Node(stored)),
            (_, from) => self.build_rows(node, from),
        }
    }

    /// Whether a struct has some field of a struct without a name in it.
    fn says_something(&self, record: RecordId, from: Origin<'_>, depth: u32) -> bool {
        let Origin::Fields(fields, _) = from else { return true };
        let rows = (0..).map(RowId).zip(&self.model.records[record.index()].rows);
        depth > 64
            || rows.into_iter().any(|(row, definition)| {
                let name = definition.name.as_deref();
                match (name, definition.ty.stripped()) {
                    (None, Type::Record(inner)) => self.says_something(*inner, from, depth + 1),
                    (None, _) => false,
                    (name, _) => {
                        let given = fields.field(Asked { record, row, name });
                        !matches!(given, Given::Missing | Given::None)
                    }
                }
            })
    }

    /// A run of zero bytes: the value is how many.
    fn build_zeros(&mut self, value: Given<'_>, loc: Loc, row: &Row) -> Item {
        match value {
            Given::None if row.when.is_some() => Item::Absent,
            Given::Int(n) if n < 0 || n > i128::from(u32::MAX) => {
                self.problem(loc, does_not_fit(n, "u32"));
                Item::Absent
            }
            Given::Int(n) => self.tree.integer(n),
            other => self.wrong(loc, "a number of bytes", other),
        }
    }

    /// A constant of the schema in a row: of a pointer, it is what the pointer leads to.
    fn stated(&mut self, loc: Loc, row: &Row) -> Item {
        let said = self.tree.row_plan(loc.node, loc.row).said;
        match row.ty {
            Type::Pointer(_) => self.tree.add_pointer(Pointer::to(said)),
            _ => said,
        }
    }

    /// What a row is that the value does not mention, if the schema says so.
    pub(crate) fn usual(&mut self, loc: Loc, row: &Row) -> Option<Item> {
        match (&row.role, &row.absent) {
            (Role::Default(_), _) => Some(self.stated(loc, row)),
            (Role::Data, Some(absent)) => Some(self.constant(absent)),
            _ => None,
        }
    }

    /// A row that the value does not mention.
    fn build_missing(&mut self, loc: Loc, row: &'p Row) {
        // Of an array it is elements that may be none.
        let may_be_none = !row.none.is_empty() && !matches!(row.ty.stripped(), Type::Array(_));
        let usual = self.usual(loc, row);
        let item = if let Some(usual) = usual {
            if row.when.is_some() && self.tree.slot(loc).is_some() {
                // Whether it is there is asked when all other rows are built.
                return;
            }
            usual
        } else if row.when.is_some() && self.is_optional_data(row) || may_be_none {
            Item::Absent
        } else {
            match &row.ty {
                Type::ByteOrderMark => Item::Text(self.tree.add_bytes(b"little")),
                Type::Pointer(pointer) if pointer.optional && pointer.none_with.is_none() => {
                    self.tree.add_pointer(Pointer::to(Item::Absent))
                }
                Type::Nothing => Item::Absent,
                ty if self.model.carries_data(ty) => {
                    self.problem(loc, ProblemKind::MissingField);
                    Item::Absent
                }
                _ => {
                    let spelling = crate::Spelling::default();
                    self.build_value(loc, row, Given::Struct(&OnlySpelled(&spelling)));
                    return;
                }
            }
        };
        self.put_item(loc, row, item);
    }

    fn constant(&mut self, constant: &Constant) -> Item {
        match constant {
            Constant::Int(n) => self.tree.integer(*n),
            Constant::Float(bits) => Item::F64(*bits),
            Constant::Bool(b) => Item::Bool(*b),
            Constant::Text(text) => Item::Text(self.tree.add_bytes(text.as_bytes())),
            Constant::Bytes(bytes) => Item::Bytes(self.tree.add_bytes(bytes)),
        }
    }

    /// Puts a value into a row.
    fn build_value(&mut self, loc: Loc, row: &'p Row, value: Given<'_>) {
        let planned = self.tree.row_plan(loc.node, loc.row);
        match planned.store {
            Store::Part(_) => {
                if matches!(value, Given::None) {
                    self.build_none(loc, row);
                } else if let Item::Node(node) = self.tree.entry(loc) {
                    self.build_node(node, value);
                }
            }
            Store::Slot(slot) if !self.tree.is_around_case(loc.node) => {
                let item = self.build_item(&row.ty, value, loc, row);
                self.tree.slots.set_item(self.tree.slot_at(loc.node, slot), item);
            }
            Store::Slot(_) => {
                let item = self.build_item(&row.ty, value, loc, row);
                self.tree.set_item(loc, item);
            }
            _ => {
                let item = self.build_item(&row.ty, value, loc, row);
                self.put_in_place(loc, row, item);
            }
        }
    }

    fn put_item(&mut self, loc: Loc, row: &'p Row, item: Item) {
        match self.tree.row_plan(loc.node, loc.row).store {
            Store::Slot(_) => self.tree.set_item(loc, item),
            _ => self.put_in_place(loc, row, item),
        }
    }

    /// Stores an item in the bytes of its row, or remembers it if it does not fit there.
    pub(crate) fn put_in_place(&mut self, loc: Loc, row: &Row, item: Item) {
        let planned = self.tree.row_plan(loc.node, loc.row);
        if let (Some(number), Item::Int(n)) = (planned.number, item) {
            if number.takes(n) && self.tree.put_number(loc.node, &number, n) {
                return;
            }
        }
        let stored = match (planned.store, row.ty.stripped()) {
            (Store::Cell, Type::Cell(cell)) => match self.bits_in_place(loc, cell, row, item) {
                Some(bits) => self.put_bits_in_place(loc, cell, bits),
                None => false,
            },
            (Store::Cells(count), Type::Array(array)) => match (item, &array.element) {
                (Item::Array(items), Type::Cell(cell)) if self.tree.count(items) == count => {
                    self.put_numbers_in_place(loc, cell, row, items)
                }
                _ => false,
            },
            (Store::Bytes(size), _) => match item {
                Item::Text(blob) | Item::Bytes(blob) if blob.len == size => {
                    let bytes = self.tree.bytes(blob).to_vec();
                    self.tree.place_mut(loc, size).map(|to| to.copy_from_slice(&bytes)).is_some()
                }
                _ => false,
            },
            (Store::Fill(_) | Store::Said | Store::Absent, _) => true,
            _ => false,
        };
        if !stored {
            self.tree.set_odd(loc, item);
        }
    }

    /// The bits that a cell stores for an item; `None` if it cannot.
    pub(crate) fn bits_in_place(
        &self,
        loc: Loc,
        cell: &Cell,
        row: &Row,
        item: Item,
    ) -> Option<u64> {
        Some(match (item, &cell.meaning) {
            (_, Meaning::Float(_)) => stored_float(cell, item)?,
            (Item::Bool(b), Meaning::Bool { yes }) => {
                if b {
                    *yes
                } else {
                    0
                }
            }
            (Item::Bool(b), _) => b.into(),
            (Item::Absent, _) => self.code_for_none(loc, row, None)? as u64,
            (item, _) => {
                let stored = self.tree.int(item)?.checked_add(row.plus)?;
                let stored = match cell.meaning {
                    Meaning::Bool { yes } if stored != 0 => i128::from(yes),
                    _ => stored,
                };
                let (bits, signed) = self.model.cell_range(cell);
                if !crate::fits(stored, bits, signed) {
                    return None;
                }
                stored as u64
            }
        })
    }

    /// The number that stands for nothing: the one that was kept, or the first. Behind those of the
    /// row may come another one.
    pub(crate) fn code_for_none(&self, loc: Loc, row: &Row, other: Option<i128>) -> Option<i128> {
        let first = row.none.first().copied().or(other)?;
        match self.tree.kept_of(loc, KeptKind::Number).map(|kept| &kept.stored) {
            Some(KeptValue::Int(code)) if row.none.contains(code) || other == Some(*code) => {
                Some(*code)
            }
            _ => Some(first),
        }
    }

    fn put_bits_in_place(&mut self, loc: Loc, cell: &Cell, bits: u64) -> bool {
        match (cell.storage, &self.tree.record(loc.node).kind) {
            (Storage::Word { first, last, .. }, RecordKind::Word(int)) => {
                let size = int.bytes;
                let Some(place) = self.tree.place_mut(loc, size.into()) else { return false };
                let mut word = [0; 8];
                word[..usize::from(size)].copy_from_slice(place);
                let ones = mask(last - first + 1);
                let word = u64::from_le_bytes(word) & !(ones << first) | (bits & ones) << first;
                place.copy_from_slice(&word.to_le_bytes()[..usize::from(size)]);
                true
            }
            (Storage::Fixed(int), _) => {
                let size = usize::from(int.bytes);
                let Some(place) = self.tree.place_mut(loc, int.bytes.into()) else { return false };
                place.copy_from_slice(&bits.to_le_bytes()[..size]);
                true
            }
            _ => false,
        }
    }

    fn put_numbers_in_place(&mut self, loc: Loc, cell: &Cell, row: &Row, items: ArrayRef) -> bool {
        let size = usize::from(cell_bytes(cell));
        let mut bytes = Vec::new();
        for index in 0..self.tree.count(items) {
            let item = self.tree.element(items, index).unwrap_or(Item::Absent);
            match self.bits_in_place(loc.at(index), cell, row, item) {
                Some(bits) => bytes.extend_from_slice(&bits.to_le_bytes()[..size]),
                None => return false,
            }
        }
        let all = u32::try_from(bytes.len()).unwrap_or(0);
        self.tree.place_mut(loc, all).map(|place| place.copy_from_slice(&bytes)).is_some()
    }

    #[cold]
    fn wrong(&mut self, loc: Loc, expected: &str, value: Given<'_>) -> Item {
        let actual = value.kind_name().into();
        self.problem(loc, ProblemKind::WrongKind { expected: expected.into(), actual });
        Item::Absent
    }

    pub(crate) fn build_item(
        &mut self,
        ty: &'p Type,
        value: Given<'_>,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        // Spellings of a record that stands for its only row belong to its node.
        let bare = match value {
            Given::Struct(fields) => only_row(fields, value),
            other => other,
        };
        match ty {
            Type::Cell(cell) => self.build_cell(cell, bare, loc, row),
            Type::Run(run) => self.build_run(run, bare, loc, row),
            Type::Record(record) => {
                if matches!(bare, Given::None) {
                    return self.build_none(loc, row);
                }
                let Some(node) = self.build_add(*record, loc) else { return Item::Absent };
                self.build_node(node, value);
                Item::Node(node)
            }
            Type::Union(union) => self.build_union(*union, bare, loc, row),
            Type::Pointer(pointer) => self.build_pointer(pointer, value, loc, row),
            Type::Array(array) => self.build_array(array, bare, loc, row),
            Type::Region(region) => self.build_item(&region.inner, value, loc, row),
            Type::ByteOrderMark => match bare {
                Given::Text(text @ ("little" | "big")) => {
                    self.order = if text == "big" { Endian::Big } else { Endian::Little };
                    Item::Text(self.tree.add_bytes(text.as_bytes()))
                }
                other => self.wrong(loc, "`little` or `big`", other),
            },
            Type::Text => match bare {
                Given::Text(text) => Item::Text(self.tree.add_bytes(text.as_bytes())),
                Given::None => self.build_none(loc, row),
                other => self.wrong(loc, "a text", other),
            },
            Type::Nothing | Type::PerEpoch(_) => Item::Absent,
        }
    }

    fn build_array(
        &mut self,
        array: &'p ArrayType,
        value: Given<'_>,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        let element = &array.element;
        let count = match (value, element) {
            (Given::None, _) => return self.build_none(loc, row),
            (Given::Bytes(bytes), Type::Cell(cell))
                if is_byte(cell) && row.plus == 0 && row.none.is_empty() && !row.is_ranked() =>
            {
                return self.build_bytes(cell, bytes, loc, row);
            }
            (value, _) => match value.count() {
                Some(count) => count,
                None => return self.wrong(loc, "an array", value),
            },
        };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        match element {
            Type::Cell(cell @ Cell { storage: Storage::Fixed(_), meaning })
                if !matches!(meaning, Meaning::Word(_)) && !row.is_ranked() =>
            {
                return self.build_numbers(cell, value, count, loc, row);
            }
            Type::Record(id) if !array.is_scattered() => {
                let plan = self.tree.plan_of(*id);
                if plan.compact && plan.size != Some(0) && count > 0 {
                    return self.build_records(*id, value, count, loc, row);
                }
            }
            _ => {}
        }
        let mut items = Vec::with_capacity(count as usize);
        for index in 0..count {
            let given = value.element(index as usize);
            items.push(self.build_item(element, given, loc.at(index), row));
        }
        Item::Array(ArrayRef::Own(self.tree.add_items(&items)))
    }

    fn build_bytes(&mut self, cell: &'p Cell, bytes: &[u8], _: Loc, row: &'p Row) -> Item {
        let blob = self.tree.add_bytes(bytes);
        let cells = Cells { cell, row, from: From::Own, first: blob.start, order: Endian::Little };
        Item::Array(ArrayRef::Own(self.tree.add_array(Elements::Cells(cells), blob.len)))
    }

    /// An array of numbers, in bytes unless one of them has no room there.
    fn build_numbers(
        &mut self,
        cell: &'p Cell,
        value: Given<'_>,
        count: u32,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        if let Some(array) = self.numbers_of_file(cell, value, row) {
            return array;
        }
        let size = usize::from(cell_bytes(cell));
        let mut bytes = Vec::with_capacity(count as usize * size);
        let mut items = Vec::new();
        for index in 0..count {
            let at = loc.at(index);
            let item = self.build_cell(cell, value.element(index as usize), at, row);
            if items.is_empty() {
                match self.bits_in_place(at, cell, row, item) {
                    Some(bits) => {
                        bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
                        continue;
                    }
                    None => {
                        let built = bytes.chunks_exact(size).map(|bytes| {
                            let raw = super::super::tree::load(
                                bytes,
                                0,
                                cell_bytes(cell),
                                Endian::Little,
                            );
                            self.tree.meant(raw, cell, row)
                        });
                        items = built.collect();
                    }
                }
            }
            items.push(item);
        }
        if !items.is_empty() {
            return Item::Array(ArrayRef::Own(self.tree.add_items(&items)));
        }
        let blob = self.tree.add_bytes(&bytes);
        let cells = Cells { cell, row, from: From::Own, first: blob.start, order: Endian::Little };
        Item::Array(ArrayRef::Own(self.tree.add_array(Elements::Cells(cells), count)))
    }

    /// Numbers that are written as they stand in the file that was read.
    fn numbers_of_file(&mut self, cell: &'p Cell, value: Given<'_>, row: &'p Row) -> Option<Item> {
        let Given::Stored(stored) = value else { return None };
        let ArrayRef::Own(number) = stored.array()? else { return None };
        let array = &stored.tree.arrays[number as usize];
        let Elements::Cells(cells) = stored.tree.elements(number) else { return None };
        let same = cells.from == From::File
            && core::ptr::eq(stored.tree.file.as_ptr(), self.tree.file.as_ptr())
            && core::ptr::eq(cells.cell, cell)
            && core::ptr::eq(cells.row, row);
        if !same {
            return None;
        }
        let cells = Cells { cell, row, ..cells };
        let own = self.tree.add_array(Elements::Cells(cells), array.count);
        self.tree.arrays[own as usize].gap = array.gap;
        Some(Item::Array(ArrayRef::Own(own)))
    }

    /// An array of compact records, in bytes.
    fn build_records(
        &mut self,
        id: RecordId,
        value: Given<'_>,
        count: u32,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        let stride = self.tree.plan_of(id).size.unwrap_or(1);
        let before = self.tree.next_id();
        let depth = self.tree.depth(loc.node);
        let records = Records {
            record: id,
            from: From::Own,
            first: 0,
            stride,
            owner: loc.node,
            owner_row: loc.row,
            depth,
            order: Endian::Little,
            before,
        };
        if let Some(array) = self.records_of_file(records, value) {
            return array;
        }
        let first = u32::try_from(self.tree.own.len()).unwrap_or(u32::MAX);
        let template = &self.tree.plan_of(id).template;
        for _ in 0..count {
            self.tree.own.extend_from_slice(template);
            let rest = (stride as usize).saturating_sub(template.len());
            self.tree.own.resize(self.tree.own.len() + rest, 0);
        }
        let elements = Elements::Records(Records { first, ..records });
        let number = self.tree.add_array(elements, count);
        for index in 0..count {
            let given = value.element(index as usize);
            if matches!(given, Given::None) {
                self.build_none(loc.at(index), row);
                continue;
            }
            self.build_node(NodeRef { id: number, element: index, part: 0 }, given);
        }
        Item::Array(ArrayRef::Own(number))
    }

    /// Compact records that are written as they stand in the file that was read.
    fn records_of_file(&mut self, as_own: Records, value: Given<'_>) -> Option<Item> {
        let Given::Stored(stored) = value else { return None };
        let ArrayRef::Own(number) = stored.array()? else { return None };
        let array = &stored.tree.arrays[number as usize];
        let records = stored.tree.records(number)?;
        let same = records.from == From::File
            && core::ptr::eq(stored.tree.file.as_ptr(), self.tree.file.as_ptr())
            && records.record == as_own.record
            && (array.gap == 0) == (records.stride == as_own.stride);
        if !same {
            return None;
        }
        let Records { first, stride, order, .. } = *records;
        let records = Records { from: From::File, first, stride, order, ..as_own };
        let own = self.tree.add_array(Elements::Records(records), array.count);
        for node in stored.tree.kept.elements_of(number) {
            let to = NodeRef { id: own, ..node };
            self.tree.kept.take_over(&stored.tree.kept, node, to);
        }
        Some(Item::Array(ArrayRef::Own(own)))
    }

    fn build_add(&mut self, record: RecordId, loc: Loc) -> Option<NodeRef> {
        let node = self.tree.add(record, Some(loc));
        let limit = self.options.max_depth;
        if self.tree.depth(node) > limit {
            self.problem(loc, ProblemKind::DepthLimit { limit });
            return None;
        }
        self.tree.add_block(node);
        // What is inside may ask for what is around it.
        self.show_early(loc, node);
        Some(node)
    }

    /// A value that says "nothing".
    fn build_none(&mut self, loc: Loc, row: &'p Row) -> Item {
        // The condition is about the row, not about its elements.
        let conditional = row.when.is_some() && loc.index().is_none();
        let element = loc.index().is_some() || !matches!(row.ty.stripped(), Type::Array(_));
        let number = !row.none.is_empty() && element;
        let optional = conditional || number || self.tree.home(loc) == Home::Absent;
        if !optional {
            self.problem(loc, ProblemKind::MissingField);
        }
        Item::Absent
    }

    fn build_cell(&mut self, cell: &'p Cell, value: Given<'_>, loc: Loc, row: &'p Row) -> Item {
        match (&cell.meaning, value) {
            (_, Given::None) => self.build_none(loc, row),
            (Meaning::Float(_), Given::F32(bits)) if is_single(cell) => {
                self.float(loc, cell, Item::F32(bits))
            }
            (Meaning::Float(_), Given::F64(bits)) if !is_single(cell) => {
                self.float(loc, cell, Item::F64(bits))
            }
            (Meaning::Float(_), value @ (Given::F32(_) | Given::F64(_))) => {
                let four = is_single(cell);
                self.wrong(loc, if four { "a 4-byte float" } else { "an 8-byte float" }, value)
            }
            (Meaning::Bool { .. }, Given::Bool(b)) => Item::Bool(b),
            (Meaning::Int, Given::Int(n)) => {
                // References are checked against their arrays, and may be stored differently.
                let stored = n.saturating_add(row.plus);
                if row.reference.is_none() && !cell_fits(self.model, cell, stored) {
                    self.problem(loc, does_not_fit(n, &self.model.cell_name(cell)));
                } else {
                    self.must_not_be_none(loc, row, n, stored);
                }
                self.tree.integer(n)
            }
            (Meaning::Enum(id), Given::Int(n)) => {
                let definition = &self.model.enums[id.index()];
                if !definition.allows(n) {
                    self.problem(loc, does_not_fit(n, &definition.name));
                } else if !cell_fits(self.model, cell, n) {
                    self.problem(loc, does_not_fit(n, &self.model.cell_name(cell)));
                } else {
                    self.must_not_be_none(loc, row, n, n);
                }
                self.tree.integer(n)
            }
            (Meaning::Enum(id), Given::Text(name)) => {
                let definition = &self.model.enums[id.index()];
                match definition.members.iter().find(|m| m.name == name) {
                    Some(member) => self.tree.integer(member.number),
                    None => {
                        self.problem(loc, ProblemKind::UnknownCase { name: name.into() });
                        Item::Absent
                    }
                }
            }
            (Meaning::Word(record), value) => {
                let Some(node) = self.build_add(*record, loc) else { return Item::Absent };
                self.build_node(node, value);
                Item::Node(node)
            }
            (Meaning::Float(_), other) => self.wrong(loc, "a float", other),
            (Meaning::Bool { .. }, other) => self.wrong(loc, "a truth value", other),
            (Meaning::Int | Meaning::Enum(_), other) => self.wrong(loc, "an integer", other),
        }
    }

    /// A float, if the cell can store it.
    fn float(&mut self, loc: Loc, cell: &Cell, item: Item) -> Item {
        if stored_float(cell, item).is_none() {
            self.float_problem(loc, cell, item);
        }
        item
    }

    /// Notes that a cell cannot store a float.
    #[cold]
    pub(crate) fn float_problem(&mut self, loc: Loc, cell: &Cell, item: Item) {
        let value = self.tree.show(self.tree.val(item)).into();
        let ty = self.model.cell_name(cell).into();
        self.problem(loc, ProblemKind::DoesNotFit { value, ty });
    }

    /// Notes a problem if a number would be read as none.
    fn must_not_be_none(&mut self, loc: Loc, row: &Row, number: i128, stored: i128) {
        // What a rank among some elements is stored as is known later.
        if !row.is_ranked() && row.none.contains(&stored) {
            self.problem(loc, is_nothing(number));
        }
    }

    fn build_run(&mut self, run: &'p RunType, value: Given<'_>, loc: Loc, row: &'p Row) -> Item {
        match (run.content, value) {
            (_, Given::None) => self.build_none(loc, row),
            (Content::Text(_), Given::Units(units)) if String::from_utf16(units).is_ok() => {
                let text = String::from_utf16_lossy(units);
                self.build_run(run, Given::Text(&text), loc, row)
            }
            (Content::Bytes, Given::Bytes(bytes)) => Item::Bytes(self.blob(bytes)),
            (Content::Bytes, Given::Text(text)) => Item::Bytes(self.blob(text.as_bytes())),
            (Content::Text(encoding), Given::Text(text)) => {
                if encoding == Encoding::Ascii && !text.is_ascii() {
                    let encoding = encoding.name();
                    self.problem(loc, ProblemKind::TextNotEncodable { encoding });
                }
                let ended = run.suffix.len() == 1 && !matches!(run.length, RunLength::Prefix(_));
                if ended && text.as_bytes().contains(&run.suffix[0]) {
                    let what = "its terminator".into();
                    self.problem(loc, ProblemKind::TextContains { what });
                }
                Item::Text(self.blob(text.as_bytes()))
            }
            (
                Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be),
                Given::Units(units),
            ) => self.tree.add_units(units),
            (Content::Bytes, other) => self.wrong(loc, "bytes", other),
            (Content::Text(_), other) => self.wrong(loc, "a text", other),
        }
    }

    /// Bytes that are written: those of the file that was read where they are.
    fn blob(&mut self, bytes: &[u8]) -> Blob {
        let start = (bytes.as_ptr() as usize).wrapping_sub(self.tree.file.as_ptr() as usize);
        let inside = start.checked_add(bytes.len()).is_some_and(|end| end <= self.tree.file.len());
        if inside && !bytes.is_empty() {
            let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            return Blob { from: From::File, start: number(start), len: number(bytes.len()) };
        }
        self.tree.add_bytes(bytes)
    }

    fn build_union(&mut self, id: UnionId, value: Given<'_>, loc: Loc, row: &'p Row) -> Item {
        let union = &self.model.unions[id.index()];
        let nothing = crate::Spelling::default();
        let bare = OnlySpelled(&nothing);
        let by_number = |number: u16| union.cases.get(usize::from(number));
        let (case, from) = match value {
            Given::None => return self.build_none(loc, row),
            Given::Case(name, fields) => {
                let case = union.cases.iter().find(|case| case.name == name);
                let Some(case) = case else {
                    self.problem(loc, ProblemKind::UnknownCase { name: name.into() });
                    return Item::Absent;
                };
                (Some(case), Origin::Fields(fields, &[]))
            }
            Given::NumberedCase(number, fields) => (by_number(number), Origin::Fields(fields, &[])),
            Given::BareCase(number) => (by_number(number), Origin::Fields(&bare, &[])),
            Given::Stored(stored) => match stored.node().and_then(|node| stored.tree.case_of(node))
            {
                Some((_, case)) => (union.cases.get(case), Origin::Node(stored)),
                None => return self.wrong(loc, "a union", value),
            },
            other => return self.wrong(loc, "a union", other),
        };
        let Some(case) = case else {
            self.problem(loc, ProblemKind::UnknownCase { name: "".into() });
            return Item::Absent;
        };
        if case.forms.is_empty() && !self.in_epoch(&case.epochs) {
            let epoch = &self.model.epochs[self.layout.epoch.index()].label;
            let why = format!("case `{}` does not exist in {epoch}", case.name).into();
            self.problem(loc, ProblemKind::UnexpectedField { why });
            return Item::Absent;
        }
        if !case.forms.is_empty() {
            return self.build_form(case, from, loc);
        }
        let Some(node) = self.build_add(case.record, loc) else { return Item::Absent };
        if let Origin::Fields(fields, _) = from {
            self.report_strangers(node, fields);
        }
        self.build_rows(node, from);
        Item::Node(node)
    }

    /// Chooses the form of a case: the one that was kept if it still holds, else the first.
    fn build_form(&mut self, case: &'p Case, from: Origin<'_>, loc: Loc) -> Item {
        let logical = &self.model.records[case.record.index()];
        // What the value has for a row of the case, by name.
        let value = |name: &str| {
            let row = logical.rows.iter().position(|row| row.name.as_deref() == Some(name))?;
            let row = RowId(u32::try_from(row).ok()?);
            let given = match from {
                Origin::Fields(fields, _) => {
                    fields.field(Asked { record: case.record, row, name: Some(name) })
                }
                Origin::Node(stored) | Origin::Case(stored, _) => stored.field(row),
                Origin::Only(value) => value,
                Origin::Word(_) => Given::Missing,
            };
            (!matches!(given, Given::Missing)).then_some(given)
        };
        let Some(first) = case.forms.iter().position(|form| self.form_fits(form, &value)) else {
            self.problem(loc, ProblemKind::NoForm);
            return Item::Absent;
        };
        let mut kept = None;
        let mut note = |entry: &SpellingEntry| {
            if let (KeptKind::Form, KeptValue::Int(stored), KeptValue::Int(instead)) =
                (entry.kind, &entry.stored, &entry.instead_of)
            {
                kept = Some((*stored, *instead));
            }
        };
        match from {
            Origin::Fields(fields, inside) => {
                fields.spelling(Spelled { record: logical, first: 0, inside }, &mut note);
            }
            Origin::Node(stored) | Origin::Case(stored, _) => {
                let node = stored.node().map(|node| NodeRef { part: CASE, ..node });
                for entry in node.and_then(|node| stored.tree.kept.of(node)).into_iter().flatten() {
                    if let (KeptKind::Form, KeptValue::Int(a), KeptValue::Int(b)) =
                        (entry.kind, &entry.stored, &entry.instead_of)
                    {
                        kept = Some((*a, *b));
                    }
                }
            }
            Origin::Only(_) | Origin::Word(_) => {}
        }
        let chosen = kept
            .filter(|(_, instead)| usize::try_from(*instead) == Ok(first))
            .and_then(|(stored, _)| usize::try_from(stored).ok())
            .filter(|form| case.forms.get(*form).is_some_and(|form| self.form_fits(form, &value)))
            .unwrap_or(first);
        let Some(rows) = self.build_add(case.forms[chosen].record, loc) else {
            return Item::Absent;
        };
        self.tree.set_case(rows, case.record);
        let node = NodeRef { part: CASE, ..rows };
        if loc.index().is_none() && self.tree.entry(loc) == Item::Node(rows) {
            self.tree.set_item(loc, Item::Node(node));
        }
        if let Origin::Fields(fields, _) = from {
            self.report_strangers(node, fields);
        }
        let from = match from {
            Origin::Node(stored) => Origin::Case(stored, &logical.rows),
            from => from,
        };
        self.build_rows(rows, from);
        Item::Node(node)
    }

    fn build_pointer(
        &mut self,
        pointer: &'p PointerType,
        value: Given<'_>,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        let kind = &self.model.pointers[pointer.kind.index()];
        if matches!(value, Given::None) {
            if row.when.is_some() && loc.index().is_none() {
                // The condition will say whether the row or its target is not there.
                return Item::Absent;
            }
            if !pointer.may_be_none(self.model, row) {
                self.problem(loc, ProblemKind::MissingField);
            }
            return self.tree.add_pointer(Pointer::to(Item::Absent));
        }
        let target = match &pointer.target {
            // What is inside asks for its row through the pointer.
            Target::Own(target) => self.build_item(target, value, loc, row),
            Target::Pooled => match kind.text.as_deref().map(Type::stripped) {
                Some(Type::Run(run)) => self.build_run(run, value, loc, row),
                _ => self.wrong(loc, "a text", value),
            },
            Target::Element => match value {
                Given::Int(n) => self.tree.integer(n),
                other => self.wrong(loc, "an index", other),
            },
        };
        self.tree.add_pointer(Pointer::to(target))
    }

    /// What was kept, as an item of a row.
    pub(crate) fn kept_item(&mut self, kept: &KeptValue, row: &Row) -> Item {
        match kept {
            KeptValue::None => Item::Absent,
            KeptValue::Bool(b) => Item::Bool(*b),
            KeptValue::Int(n) => match &row.ty {
                Type::Cell(cell) if matches!(cell.meaning, Meaning::Float(_)) => {
                    match is_single(cell) {
                        true => Item::F32(*n as u32),
                        false => Item::F64(*n as u64),
                    }
                }
                _ => self.tree.integer(*n),
            },
            KeptValue::Text(text) => Item::Text(self.tree.add_bytes(text.as_bytes())),
            KeptValue::Bytes(bytes) => Item::Bytes(self.tree.add_bytes(bytes)),
            KeptValue::Units(units) => self.tree.add_units(units),
            KeptValue::List(values) => {
                let items: Vec<Item> =
                    values.iter().map(|value| self.kept_item(value, row)).collect();
                Item::Array(ArrayRef::Own(self.tree.add_items(&items)))
            }
            KeptValue::Table(_) | KeptValue::Spelling(_) => Item::Absent,
        }
    }
}

/// The row that a struct is in a value, if it is that with its spelling; else the struct.
fn only_row<'v>(fields: &'v dyn Fields, value: Given<'v>) -> Given<'v> {
    if fields.stands_for() == StandsFor::OnlyRow {
        fields.field(Asked { record: RecordId(u32::MAX), row: WHOLE, name: None })
    } else {
        value
    }
}

/// Whether the value of a float is one of 4 bytes.
fn is_single(cell: &Cell) -> bool {
    FloatCode::of(cell).is_some_and(FloatCode::is_single)
}

fn is_byte(cell: &Cell) -> bool {
    matches!(
        (cell.storage, &cell.meaning),
        (Storage::Fixed(IntType { bytes: 1, signed: false, .. }), Meaning::Int)
    )
}

pub(crate) fn does_not_fit(n: i128, ty: &str) -> ProblemKind {
    ProblemKind::DoesNotFit { value: format!("{n}").into(), ty: ty.into() }
}

/// A number that would be read as none.
pub(crate) fn is_nothing(n: i128) -> ProblemKind {
    ProblemKind::MeansNothing { value: n }
}
