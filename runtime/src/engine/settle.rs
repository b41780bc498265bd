//! After everything is read: what follows from something else is compared with it.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::forms::can_be;
use super::item::{ArrayRef, Blob, Item, Loc, NodeRef, CASE, UNPLACED, WHOLE};
use super::kept::Kept;
use super::plan::{Duties, Plan};
use super::reading::Read;
use super::state::Engine;
use super::tree::{float, stored_float};
use super::val::{eval_error, Fallible, Fault, Val};
use super::walk::Walk;
use crate::digest::Digest;
use crate::error::ReadErrorKind;
use crate::model::{
    unit_size, Content, Expr, ExprId, FloatCode, Meaning, RecordKind, Role, Row, RowId, RowKind,
    RunLength, Tag, Type, UnionId,
};
use crate::spelling::{KeptKind, KeptValue};

/// One of the rounds over all nodes.
type Action<'p, 'b> = fn(&mut Engine<'p, 'b>, Loc, &'p Row) -> Fallible<()>;

impl<'p, 'b> Engine<'p, 'b> {
    pub(crate) fn settle(&mut self) -> Read<()> {
        self.reading.settling = true;
        self.memo.forget();
        let mut walk = Walk::new(&self.tree, Duties::DICTIONARIES);
        while let Some(node) = walk.next(&self.tree) {
            self.settle_rows(node, |plan| &plan.dictionaries, Self::fill_names)?;
        }
        self.memo.forget();
        let mut walk = Walk::new(&self.tree, Duties::REFERENCES);
        while let Some(node) = walk.next(&self.tree) {
            self.settle_rows(
                node,
                |plan| &plan.references,
                |engine, loc, row| {
                    engine.leave_unnamed(loc, row);
                    engine.resolve_reference(loc, row)
                },
            )?;
        }
        self.memo.forget();
        self.check_later()?;
        let mut walk = Walk::new(&self.tree, Duties::SETTLING);
        while let Some(node) = walk.next(&self.tree) {
            self.settle_rows(
                node,
                |plan| &plan.settling,
                |engine, loc, row| {
                    if engine.tree.entry(loc).is_unset() {
                        engine.force(loc.node, loc.row)?;
                    }
                    match row.kind {
                        // Where it stands is compared by its table.
                        RowKind::Slice { .. } if row.checks.is_empty() && !row.unique => Ok(()),
                        _ => engine.settle_row(loc, row),
                    }
                },
            )?;
            let record = self.tree.record_id(node);
            if self.tree.plan_of(record).ruled {
                self.check_record(node)?;
            }
            if let RecordKind::Form(union, case, form) = self.model.records[record.index()].kind {
                self.keep_form(node, union, case, form);
            }
        }
        if self.options.trusting {
            return Ok(());
        }
        if let Some((_, error)) = self.reading.wrong_sum.take() {
            return Err(error);
        }
        self.sums_end()?;
        self.compare_tables()
            .map_err(|fault| self.fault(*fault, 0_u32, Loc::row(NodeRef::ROOT, WHOLE)))?;
        self.must_have_pools()?;
        self.find_arrangement()
    }

    fn settle_rows(
        &mut self,
        node: NodeRef,
        rows: fn(&Plan) -> &[RowId],
        action: Action<'p, 'b>,
    ) -> Read<()> {
        let id = self.tree.record_id(node);
        let record = &self.model.records[id.index()];
        for id in rows(self.tree.plan_of(id)) {
            let loc = Loc::row(node, *id);
            if let Err(fault) = action(self, loc, &record.rows[id.index()]) {
                let places = [self.tree.row_at(loc), self.tree.node_at(node)];
                let at = places.into_iter().find(|at| *at != UNPLACED).unwrap_or(0);
                return Err(self.fault(*fault, at, loc));
            }
        }
        Ok(())
    }

    /// Keeps the form of a case if it is not the first one that can say the value.
    fn keep_form(&mut self, node: NodeRef, union: UnionId, case: u32, form: u32) {
        let union = &self.model.unions[union.index()];
        // What decides otherwise is data.
        if matches!(union.tag, Tag::Given(_)) {
            return;
        }
        let case = &union.cases[case as usize];
        let node = NodeRef { part: CASE, ..node };
        let first = self.first_form(case, node, form as usize);
        if first != form as usize {
            let kept = Kept {
                row: WHOLE,
                index: None,
                kind: KeptKind::Form,
                stored: KeptValue::Int(form.into()),
                instead_of: KeptValue::Int(first as i128),
            };
            self.tree.keep(node, kept);
        }
    }

    /// A list of names that no dictionary of the file has filled is empty.
    fn leave_unnamed(&mut self, loc: Loc, row: &Row) {
        let named =
            matches!(row.kind, RowKind::Value { seen: None }) && matches!(row.ty, Type::Array(_));
        if named && self.is_unfilled(loc) {
            let list = self.tree.add_items(&[]);
            self.tree.set_item(loc, Item::Array(ArrayRef::Own(list)));
        }
    }

    /// Gives elements the names that a dictionary holds for them.
    fn fill_names(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let Some(path) = row.patricia(self.model) else { return Ok(()) };
        let Item::Array(array) = self.tree.item(loc) else { return Ok(()) };
        let count = self.tree.count(array);
        let mut names: Vec<Blob> = Vec::with_capacity(count as usize);
        for index in 1..count {
            let element = self.tree.element(array, index).unwrap_or(Item::Absent);
            let Item::Node(node) = self.tree.through(element) else { continue };
            let name = self.tree.plan(node).table.get(3).copied();
            if let Some(Item::Text(name)) = name.map(|row| self.tree.item(Loc::row(node, row))) {
                names.push(name);
            }
        }
        let mut places = Vec::with_capacity(names.len());
        let mut many = false;
        let mut all = true;
        let before = self.budget.left();
        self.walk(path, loc.node, None, &mut many, &mut |_, val| {
            match val {
                Val::Loc(place) => places.push(place),
                _ => all = false,
            }
            Ok(true)
        })?;
        let units = before - self.budget.left();
        if let ([only], false) = (places.as_slice(), many) {
            if matches!(self.tree.row(*only).ty, Type::Array(_)) {
                if self.is_unfilled(*only) {
                    let items: Vec<Item> = names.into_iter().map(Item::Text).collect();
                    let list = self.tree.add_items(&items);
                    self.tree.set_item(*only, Item::Array(ArrayRef::Own(list)));
                }
                return Ok(());
            }
        }
        if places.len() != names.len() && places.iter().any(|place| self.is_unfilled(*place)) {
            let (names, places) = (names.len(), places.len());
            return eval_error(format!("the dictionary has {names} names for {places} elements"));
        }
        for (place, name) in places.iter().zip(names) {
            if self.is_unfilled(*place) {
                self.tree.set_item(*place, Item::Text(name));
            }
        }
        if many && all {
            self.keep_keys(path, loc.node, &places, units);
        }
        Ok(())
    }

    fn is_unfilled(&self, loc: Loc) -> bool {
        matches!(self.tree.row(loc).role, Role::Elsewhere) && !self.tree.entry(loc).is_there()
    }

    #[cold]
    pub(crate) fn refused(&self, loc: Loc, kind: ReadErrorKind) -> Box<Fault> {
        let at = match self.tree.cell_at(loc) {
            UNPLACED => 0,
            at => at,
        };
        Box::new(Fault::Read(self.error(kind, at, loc)))
    }

    /// Compares a row with what it follows from.
    fn settle_row(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let trusting = self.options.trusting;
        if !trusting {
            self.compare_none_with(loc, row)?;
        }
        if self.tree.item(loc).is_absent() && !matches!(row.role, Role::Elsewhere) {
            // A number for nothing is compared as well, unless there is none.
            let number = matches!(row.role, Role::Derived) && !row.none.is_empty();
            let there = match row.when {
                Some(condition) if number => self.eval_bool(condition, loc.node, None)?,
                _ => number,
            };
            return if there && !trusting { self.compare_derived(loc) } else { Ok(()) };
        }
        self.keep_own_size(loc, row)?;
        match &row.role {
            // What it is instead is part of the value.
            Role::Kept(expr) if trusting && matches!(row.ty, Type::Cell(_)) => {
                self.compare_kept(loc, *expr)?;
            }
            // Nothing may be inside of itself.
            Role::View { slices, key } if trusting && self.holds_own_slices(loc, slices) => {
                self.slices(loc, slices, *key, false)?;
            }
            _ if trusting => {}
            Role::Derived => {
                self.compare_derived(loc)?;
                self.keep_padding(loc);
            }
            Role::Kept(expr) => {
                self.compare_kept(loc, *expr)?;
                self.keep_padding(loc);
            }
            Role::View { slices, key } => self.compare_view(loc, slices, *key)?,
            Role::Data | Role::Default(_) | Role::Fixed | Role::Spelling | Role::Elsewhere => {}
        }
        if let (RowKind::Pool { always, order, .. }, false) = (&row.kind, trusting) {
            self.compare_pool(loc, always, order)?;
        }
        let late = row.has_no_bytes();
        if late {
            self.check_meaning(loc, row)?;
        }
        if late && matches!(row.kind, RowKind::Value { seen: Some(_) }) {
            self.resolve_reference(loc, row)?;
        }
        for check in &row.checks {
            if row.is_late(check) {
                self.check_row(loc, check)?;
            }
        }
        if row.unique {
            self.check_unique(loc)?;
        }
        Ok(())
    }

    /// A pointer that is none exactly if an array is empty.
    fn compare_none_with(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        let Type::Pointer(pointer) = &row.ty else { return Ok(()) };
        let (Some(with), Some(item)) = (pointer.none_with, self.tree.pointer(loc)) else {
            return Ok(());
        };
        let of_kind = self.model.pointers[pointer.kind.index()].none;
        let none = of_kind == Some(item.stored()) || row.none.contains(&item.stored());
        let with = Loc::row(loc.node, with);
        self.force_loc(with)?;
        let empty = self.is_none_with(with);
        if none == empty {
            return Ok(());
        }
        let words = |none: bool| if none { "no pointer" } else { "a pointer" };
        let kind =
            ReadErrorKind::NotDerived { expected: words(empty).into(), actual: words(none).into() };
        Err(self.refused(loc, kind))
    }

    /// Whether a pointer with `none_with=` is none: this array, which it follows, is empty.
    pub(crate) fn is_none_with(&self, with: Loc) -> bool {
        self.count_items(with) == 0
    }

    fn compare_derived(&mut self, loc: Loc) -> Fallible<()> {
        self.summed = 0;
        let derived = match self.derived(loc)? {
            None => return Ok(()),
            Some(Val::None) => return self.compare_with_nothing(loc),
            Some(Val::Table(table)) => return self.compare_table_strictly(loc, table),
            Some(val) => val,
        };
        let stored = self.tree.val(self.tree.item(loc));
        if matches!(stored, Val::Node(_)) || self.tree.same(stored, derived) {
            return Ok(());
        }
        let kind = ReadErrorKind::NotDerived {
            expected: self.tree.show(derived).into(),
            actual: self.tree.show(stored).into(),
        };
        let refused = self.refused(loc, kind);
        match *refused {
            // A wrong byte makes all sums wrong that it is in: the one of the fewest bytes says most.
            Fault::Read(error) if self.summed > 0 => {
                let before = self.reading.wrong_sum.as_ref().map_or(u64::MAX, |(bytes, _)| *bytes);
                if self.summed < before {
                    self.reading.wrong_sum = Some((self.summed, error));
                }
                Ok(())
            }
            _ => Err(refused),
        }
    }

    /// A row that follows from something that is not there holds what is written for nothing.
    fn compare_with_nothing(&mut self, loc: Loc) -> Fallible<()> {
        let row = self.tree.row(loc);
        let stored = self.tree.item(loc);
        if let Type::Run(_) = row.ty.stripped() {
            let nothing = self.for_nothing(row)?;
            if self.tree.same(self.tree.val(stored), nothing) {
                return Ok(());
            }
            let nothing = self.tree.show(nothing);
            let expected = format!("{nothing}, since there is nothing that it follows from").into();
            let actual = self.tree.show(self.tree.val(stored)).into();
            return Err(self.refused(loc, ReadErrorKind::NotDerived { expected, actual }));
        }
        let number = self.tree.int(stored).map(|n| n.saturating_add(row.plus));
        let zero = match stored {
            Item::F32(bits) => bits == 0,
            Item::F64(bits) => bits == 0,
            Item::Bool(b) => !b,
            Item::Node(_) => return Ok(()),
            Item::Absent if !row.none.is_empty() => return Ok(()),
            _ => number == Some(0),
        };
        if zero && row.none.is_empty() {
            return Ok(());
        }
        let expected = match row.none.first() {
            Some(code) => format!("{code}, since there is nothing that it follows from"),
            None => "0, since there is nothing that it follows from".into(),
        };
        let actual = self.tree.show(self.tree.val(stored)).into();
        let kind = ReadErrorKind::NotDerived { expected: expected.into(), actual };
        Err(self.refused(loc, kind))
    }

    /// What a row is that follows from nothing: it has a number for none, or is stored as zero, and
    /// what follows from it sees that.
    pub(crate) fn for_nothing(&mut self, row: &Row) -> Fallible<Val> {
        let cell = match row.ty.stripped() {
            Type::Cell(cell) => cell,
            Type::Run(run) => {
                let size = match run.length {
                    RunLength::Fixed(size) => size / unit_size(run.content),
                    _ => 0,
                };
                self.charge(size)?;
                let zeros = self.tree.add_bytes(&alloc::vec![0; size as usize]);
                return Ok(match run.content {
                    Content::Bytes => Val::Bytes(zeros),
                    Content::Text(_) => Val::Text(zeros),
                });
            }
            _ => return Ok(Val::None),
        };
        Ok(match cell.meaning {
            _ if !row.none.is_empty() => Val::None,
            Meaning::Word(_) => Val::None,
            Meaning::Bool { .. } => Val::Bool(false),
            _ if FloatCode::of(cell).is_some() => Val::Float(0.0),
            _ => Val::Int(-row.plus),
        })
    }

    /// Keeps padding that is not zero in elements that are computed, and so are in no value: where it
    /// is in its element, and its bytes.
    fn keep_padding(&mut self, loc: Loc) {
        let cell = matches!(self.tree.row(loc).ty, Type::Cell(_));
        if cell || self.tree.kept.is_empty() {
            return;
        }
        let Item::Array(array) = self.tree.item(loc) else { return };
        for index in 0..self.tree.count(array) {
            let element = self.tree.element(array, index).unwrap_or(Item::Absent);
            let Item::Node(node) = self.tree.through(element) else { return };
            let all = self.tree.kept.of(node).into_iter().flatten();
            let padding = all.filter(|kept| kept.kind == KeptKind::Reserved);
            let rows: Vec<Loc> = padding.map(|kept| Loc::row(node, kept.row)).collect();
            let start = self.tree.node_at(node);
            for row in rows {
                let (at, end) = (self.tree.row_at(row), self.tree.row_end(row));
                let bytes = self.tree.file.get(at as usize..end as usize).unwrap_or_default();
                let place = KeptValue::Int((at.saturating_sub(start)).into());
                let stored = KeptValue::List(alloc::vec![place, KeptValue::Bytes(bytes.to_vec())]);
                self.keep(loc.at(index), KeptKind::Reserved, stored, KeptValue::None);
            }
        }
    }

    fn compare_table_strictly(&mut self, loc: Loc, table: u32) -> Fallible<()> {
        if self.is_table(loc, table) {
            return Ok(());
        }
        let kind = ReadErrorKind::NotDerived {
            expected: format!("{} computed elements", self.tables[table as usize].len()).into(),
            actual: "other elements".into(),
        };
        Err(self.refused(loc, kind))
    }

    /// Whether the records of an array have the data of a computed table.
    fn is_table(&self, loc: Loc, table: u32) -> bool {
        let Item::Array(array) = self.tree.item(loc) else { return false };
        let table = &self.tables[table as usize];
        if self.tree.count(array) as usize != table.len() {
            return false;
        }
        let rows = match self.tree.element(array, 0).map(|item| self.tree.through(item)) {
            Some(Item::Node(node)) => &self.tree.plan(node).table[..],
            _ => &[],
        };
        (0..).zip(table.rows()).all(|(index, computed)| {
            let element = self.tree.element(array, index).unwrap_or(Item::Absent);
            let Item::Node(node) = self.tree.through(element) else { return false };
            // Algorithms may give more columns than the record has rows for.
            rows.len() <= computed.len()
                && rows.iter().zip(computed).all(|(row, computed)| {
                    match (self.tree.item(Loc::row(node, *row)), *computed) {
                        (Item::Int(stored), Item::Int(computed)) => stored == computed,
                        (stored, computed) => self.same_item(stored, computed),
                    }
                })
        })
    }

    pub(crate) fn same_item(&self, a: Item, b: Item) -> bool {
        match (self.tree.through(a), self.tree.through(b)) {
            (Item::Text(a), Item::Text(b)) | (Item::Bytes(a), Item::Bytes(b)) => {
                a == b || self.tree.bytes(a) == self.tree.bytes(b)
            }
            (Item::Units(a, n), Item::Units(b, m)) => {
                self.tree.units(a, n) == self.tree.units(b, m)
            }
            (Item::Absent, Item::Absent) => true,
            (a, b) => match (self.tree.int(a), self.tree.int(b)) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    /// A digest of the canonical table. Sections and entries of a relocation table are kept or
    /// dropped together, so they have one.
    pub(crate) fn table_digest(&mut self, expr: ExprId, table: u32) -> Fallible<KeptValue> {
        if !is_relocation(&self.model[expr]) {
            return Ok(self.digest(&[table]));
        }
        let (sections, entries) = self.relocation_tables()?;
        Ok(self.digest(&[sections, entries]))
    }

    /// A digest of the names in a dictionary, of which no tree can be made; nothing if they are no
    /// texts.
    pub(crate) fn names_digest(&mut self, loc: Loc, expr: ExprId) -> Fallible<KeptValue> {
        let Expr::Patricia(path) = &self.model[expr] else { return Ok(KeptValue::None) };
        match self.texts(path, loc.node, None) {
            Ok(names) => {
                let names: Vec<Item> = names.into_iter().map(Item::Text).collect();
                Ok(self.digest_rows([&names[..]].into_iter()))
            }
            Err(fault) if matches!(*fault, Fault::Eval(_)) => Ok(KeptValue::None),
            Err(fault) => Err(fault),
        }
    }

    fn digest(&self, tables: &[u32]) -> KeptValue {
        self.digest_rows(tables.iter().flat_map(|table| self.tables[*table as usize].rows()))
    }

    /// A digest of computed rows, to tell whether they are still the same.
    pub(crate) fn digest_rows<'r>(&self, rows: impl Iterator<Item = &'r [Item]>) -> KeptValue {
        let mut digest = Digest::default();
        for row in rows {
            for item in row {
                match self.tree.through(*item) {
                    Item::Text(blob) | Item::Bytes(blob) => digest.text(self.tree.bytes(blob)),
                    item => digest.number(self.tree.int(item)),
                }
            }
            digest.end_row();
        }
        KeptValue::Int(digest.finish())
    }

    fn compare_kept(&mut self, loc: Loc, expr: ExprId) -> Fallible<()> {
        let kind = kept_kind(&self.model[expr]);
        let canonical = match self.of_row(loc, |engine| engine.eval(expr, loc.node, None)) {
            Ok(Val::None) => {
                let row = self.tree.row(loc);
                self.for_nothing(row)?
            }
            Ok(val) => val,
            // Names that no tree can hold: the nodes are kept as they are.
            Err(fault) if kind == KeptKind::Dictionary => {
                let message = match *fault {
                    Fault::Eval(message) => message,
                    Fault::Keys(error, ..) => format!("{error}"),
                    other => return Err(Box::new(other)),
                };
                self.note(self.tree.row_at(loc), loc, message);
                let stored = self.kept_value(self.tree.entry(loc));
                let instead = self.names_digest(loc, expr)?;
                self.keep(loc, kind, stored, instead);
                return Ok(());
            }
            Err(fault) => return Err(fault),
        };
        match canonical {
            Val::Table(table) => {
                if !self.is_table(loc, table) {
                    let stored = self.kept_value(self.tree.entry(loc));
                    let instead = self.table_digest(expr, table)?;
                    self.keep(loc, kind, stored, instead);
                }
            }
            canonical => {
                let stored = self.tree.val(self.tree.item(loc));
                if !self.tree.same(stored, canonical) {
                    let value = self.kept_value(self.tree.item(loc));
                    let instead = self.kept_canonical(loc, canonical);
                    self.keep(loc, kind, value, instead);
                }
            }
        }
        Ok(())
    }

    /// An item without structs that own anything, as it is kept.
    pub(crate) fn kept_value(&self, item: Item) -> KeptValue {
        match self.tree.through(item) {
            Item::F32(bits) => KeptValue::Int(bits.into()),
            Item::F64(bits) => KeptValue::Int(bits.into()),
            Item::Bool(b) => KeptValue::Bool(b),
            Item::Text(blob) => KeptValue::Text(self.tree.text(blob).into()),
            Item::Bytes(blob) => KeptValue::Bytes(self.tree.bytes(blob).to_vec()),
            Item::Units(start, len) => KeptValue::Units(self.tree.units(start, len).to_vec()),
            Item::Array(array) => self.kept_array(array),
            Item::Node(node) => KeptValue::List(self.kept_rows(node)),
            item => self.tree.int(item).map_or(KeptValue::None, KeptValue::Int),
        }
    }

    fn kept_array(&self, array: ArrayRef) -> KeptValue {
        let elements =
            (0..self.tree.count(array)).filter_map(|index| self.tree.element(array, index));
        let records = matches!(self.tree.element(array, 0), Some(Item::Node(_)));
        if !records {
            return KeptValue::List(elements.map(|item| self.kept_value(item)).collect());
        }
        let row = |item| match item {
            Item::Node(node) => self.kept_rows(node),
            item => alloc::vec![self.kept_value(item)],
        };
        KeptValue::Table(elements.map(row).collect())
    }

    /// The data of a record that an algorithm computes, row by row.
    fn kept_rows(&self, node: NodeRef) -> Vec<KeptValue> {
        let rows = self.tree.plan(node).table.iter().copied();
        rows.map(|row| self.kept_value(self.tree.entry(Loc::row(node, row)))).collect()
    }

    /// What the expression of a row gives, as it is kept: a float as the row has it. What the row
    /// cannot have is no value of its type, so that what is there is instead of nothing in particular,
    /// and written always.
    pub(crate) fn kept_canonical(&self, loc: Loc, val: Val) -> KeptValue {
        let row = self.tree.row(loc);
        if !can_be(self.model, row, val) {
            return KeptValue::None;
        }
        let item = match val {
            Val::Int(n) => Item::small(n),
            Val::Float(f) => Some(Item::F64(f.to_bits())),
            _ => None,
        };
        match (row.ty.stripped(), item) {
            (Type::Cell(cell), Some(item)) => match stored_float(cell, item) {
                Some(stored) => self.kept_value(float(stored, cell)),
                None => self.kept_val(val),
            },
            _ => self.kept_val(val),
        }
    }

    fn kept_val(&self, val: Val) -> KeptValue {
        match val {
            Val::Int(n) => KeptValue::Int(n),
            Val::Float(f) => KeptValue::Int(f.to_bits().into()),
            Val::Bool(b) => KeptValue::Bool(b),
            Val::Text(blob) => KeptValue::Text(self.tree.text(blob).into()),
            Val::Bytes(blob) => KeptValue::Bytes(self.tree.bytes(blob).to_vec()),
            Val::Byte(blob, at) => KeptValue::Int(self.tree.byte(blob, at).into()),
            Val::Units(start, len) => KeptValue::Units(self.tree.units(start, len).to_vec()),
            Val::None | Val::Node(_) | Val::Loc(_) | Val::Table(_) => KeptValue::None,
        }
    }

    /// Notes pointers that the file's table and the schema do not both know.
    fn compare_tables(&mut self) -> Fallible<()> {
        for (address, unknown) in self.table_differences()? {
            let message = match (unknown, address as usize >= self.tree.file.len()) {
                (true, false) => {
                    "the relocation table lists a pointer that the schema does not know".into()
                }
                (true, true) => format!(
                    "the relocation table lists a pointer at 0x{address:x}, behind the end of the file"
                ),
                _ => "a pointer of the schema is not in the relocation table".into(),
            };
            self.note(address, Loc::row(NodeRef::ROOT, WHOLE), message);
        }
        Ok(())
    }
}

fn is_relocation(expr: &Expr) -> bool {
    matches!(expr, Expr::RelocationSections | Expr::RelocationEntries)
}

/// What kind of spelling a number or table that deviates from an expression is.
pub(crate) fn kept_kind(expr: &Expr) -> KeptKind {
    match expr {
        Expr::Patricia(_) => KeptKind::Dictionary,
        expr if is_relocation(expr) => KeptKind::Relocation,
        _ => KeptKind::Number,
    }
}
