//! Builds the tree from a value.

mod array;
mod cell;
mod copy;
mod flat;
mod place;
mod union;

pub(crate) use cell::{does_not_fit, is_nothing};

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::super::forms::given_is;
use super::super::item::{ArrayRef, Item, Loc, NodeRef, WHOLE};
use super::super::kept::Kept;
use super::super::plan::{RowPlan, Store};
use super::super::source::{
    spelled_row, Asked, Blank, Fields, Given, OnlySpelled, Spelled, StandsFor, Stored,
};
use super::super::state::Engine;
use super::super::tree::Pointer;
use crate::load::{mask, Endian};
use crate::model::{
    Constant, DefinerScope, Expr, Home, InStep, Meaning, PointerType, RecordId, RecordKind, Role,
    Row, RowId, RowKind, Storage, Target, Type,
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
            Given::Word(bits)
                if record.transparent.is_none() || matches!(record.kind, RecordKind::Word(_)) =>
            {
                Origin::Word(bits)
            }
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
                        self.unfinished(loc, ProblemKind::MissingField);
                    }
                }
                (false, value) => {
                    let item = self.build_item(&row.ty, value, loc, row);
                    self.tree.set_item(loc, item);
                }
            }
        }
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
        if let Some(in_step) = row.ty.in_step() {
            self.build_in_step(loc, row, in_step, given);
            return;
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

    /// A problem that other changes may solve.
    pub(super) fn unfinished(&mut self, loc: Loc, kind: ProblemKind) {
        if !self.writing.unfinished {
            self.problem(loc, kind);
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
                    self.unfinished(loc, ProblemKind::UnexpectedField { why: why.into() });
                }
            }
        }
    }

    /// An array of which another one says how long it is; what a value has for it changes nothing.
    fn build_in_step(&mut self, loc: Loc, row: &'p Row, in_step: InStep, given: Given<'_>) {
        let others = self.count_items(Loc::row(loc.node, in_step.with));
        let count = in_step.plus.saturating_add(others.into());
        let count = usize::try_from(count).unwrap_or(0);
        let spelling = Spelling::default();
        let blank = Blank { count, element: OnlySpelled(&spelling) };
        let given = match (given.count(), given) {
            (Some(said), given) if said == count => given,
            (Some(_), Given::List(_)) => {
                let other = self.tree.record(loc.node).rows[in_step.with.index()].name.as_deref();
                let why = format!("there are as many as `{}` has", other.unwrap_or_default());
                self.problem(loc, ProblemKind::UnexpectedField { why: why.into() });
                return;
            }
            _ => Given::List(&blank),
        };
        self.build_value(loc, row, given);
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
        // A type has a field for a struct that stands for its only row: what is in that.
        let is_value = self.model.records[record.index()].transparent.is_some()
            && !matches!(given, Given::Here | Given::Missing | Given::None | Given::Stored(_));
        let nothing = match given {
            _ if is_value => false,
            Given::Here | Given::Missing => !self.says_something(record, from, 0),
            Given::Struct(fields) => !self.says_something(record, Origin::Fields(fields, &[]), 0),
            given => matches!(given, Given::None),
        };
        if row_when
            && nothing
            && self.model.carries_data(&Type::Record(record))
            && !self.is_told_to_be_there(loc)
        {
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
            (given, _) if is_value => self.build_node(node, given),
            (Given::Here, Origin::Fields(fields, inside)) => {
                let mut path = inside.to_vec();
                path.push(loc.row);
                self.build_rows(node, Origin::Fields(fields, &path));
            }
            (Given::Struct(fields), _) => self.build_rows(node, Origin::Fields(fields, &[])),
            (Given::Missing | Given::None, Origin::Fields(fields, _))
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

    /// Whether data in front says that a row is there.
    fn is_told_to_be_there(&mut self, loc: Loc) -> bool {
        let record = self.tree.record_id(loc.node);
        let Some(condition) = self.tree.row(loc).when else { return true };
        // Only what is built: anything else follows from what may come yet.
        let (mut open, mut told) = (vec![condition], true);
        while let Some(expr) = open.pop() {
            let expr = &self.model[expr];
            told &= match expr {
                Expr::Path(path) => path.own_row(record).is_some_and(|row| {
                    let role = &self.model.records[record.index()].rows[row.index()].role;
                    row < loc.row && matches!(role, Role::Data | Role::Default(_))
                }),
                Expr::Int(_) | Expr::Bool(_) | Expr::Unary(..) | Expr::Binary(..) => true,
                _ => false,
            };
            expr.operands(&mut |operand| open.push(operand));
        }
        told && matches!(self.eval_bool(condition, loc.node, None), Ok(true))
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
        } else if row.when.is_some() && self.model.is_optional_data(row) || may_be_none {
            Item::Absent
        } else {
            match &row.ty {
                Type::ByteOrderMark => Item::Text(self.tree.add_bytes(b"little")),
                Type::Pointer(pointer)
                    if pointer.may_be_none(self.model, row) && pointer.none_with.is_none() =>
                {
                    self.tree.add_pointer(Pointer::to(Item::Absent))
                }
                Type::Nothing => Item::Absent,
                ty if self.model.carries_data(ty) => {
                    self.unfinished(loc, ProblemKind::MissingField);
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
                    match cell::is_single(cell) {
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
