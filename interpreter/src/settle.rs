//! After everything is read: what follows from something else is compared with it.

use std::rc::Rc;

use formwork::{ReadError, ReadErrorKind};
use formwork_model::{
    CheckKind, Expr, ExprId, Home, Path, PoolOrder, Role, Row, RowId, RowKind, Type,
};

use crate::arithmetic::compare;
use crate::engine::{Engine, Fallible, Fault, eval_error};
use crate::eval::{Place, Val};
use crate::items::item_val;
use crate::references::Arrays;
use crate::relocation::table_rows;
use crate::tree::{ArrayItem, Item, Loc, NodeId, through};
use crate::value::{Kept, KeptKind, Value};

impl<'m> Engine<'m, '_> {
    pub(crate) fn settle(&mut self) -> Result<(), ReadError> {
        self.reading().settling = true;
        let nodes = u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX);
        for index in 0..nodes {
            self.settle_rows(NodeId(index), &mut |engine, loc, row| engine.fill_names(loc, row))?;
        }
        let mut arrays = Arrays::default();
        for index in 0..nodes {
            self.settle_rows(NodeId(index), &mut |engine, loc, row| {
                engine.leave_unnamed(loc, row);
                engine.resolve_reference(loc, row, &mut arrays)
            })?;
        }
        for index in 0..nodes {
            self.settle_rows(NodeId(index), &mut |engine, loc, row| {
                if matches!(engine.tree.slot(loc.node, loc.row).item, Item::Unset) {
                    engine.force(loc.node, loc.row)?;
                }
                engine.settle_row(loc, row)
            })?;
            self.check_record(NodeId(index))?;
            self.keep_form(NodeId(index));
        }
        self.compare_tables().map_err(|fault| {
            let root = Loc::row(self.root, RowId(u32::MAX));
            self.fault(*fault, 0, root)
        })?;
        self.find_gaps();
        Ok(())
    }

    /// Keeps the form of a case if it is not the first one that can say the value.
    fn keep_form(&mut self, node: NodeId) {
        let Some((form, _)) = self.tree.node(node).form else { return };
        let n = self.tree.node(node);
        let Some(owner) = n.owner else { return };
        let ty = &self.record(owner).rows[n.owner_row.index()].ty;
        let Some(Type::Union(union)) = crate::eval::union_type(ty) else { return };
        let union = &self.model.unions[union.index()];
        let Some(case) = union.cases.iter().find(|case| case.record == n.record) else { return };
        let value = crate::value::StructValue {
            fields: (0_u32..)
                .zip(&self.record(node).rows)
                .filter_map(|(row, definition)| {
                    let item = &self.tree.slot(node, RowId(row)).item;
                    Some((definition.name.clone()?, self.flat_value(item)?))
                })
                .collect(),
            kept: Vec::new(),
        };
        let Some(first) = self.first_form(case, &value) else { return };
        if first != form as usize {
            let kept = Kept {
                row: String::new(),
                kind: KeptKind::Form,
                stored: Value::Int(form.into()),
                instead_of: Value::Int(first as i128),
            };
            self.tree.node_mut(node).kept.push((RowId(u32::MAX), kept));
        }
    }

    /// A number, or a list of numbers, as a value; nothing for structs.
    fn flat_value(&self, item: &Item) -> Option<Value> {
        match through(item) {
            Item::Node(node) => {
                let row = self.record(*node).transparent?;
                self.flat_value(&self.tree.slot(*node, row).item)
            }
            Item::Array(array) if array.items.iter().any(|i| matches!(i, Item::Node(_))) => None,
            Item::Unset | Item::Absent => None,
            item => Some(crate::items::item_value(item)),
        }
    }

    fn settle_rows(
        &mut self,
        node: NodeId,
        action: &mut dyn FnMut(&mut Self, Loc, &'m Row) -> Fallible<()>,
    ) -> Result<(), ReadError> {
        let record = self.record(node);
        for (index, row) in (0_u32..).zip(&record.rows) {
            let loc = Loc::row(node, RowId(index));
            if let Err(fault) = action(self, loc, row) {
                let at = self.tree.slot(node, loc.row).at;
                let at = if at == crate::tree::UNPLACED { self.tree.node(node).at } else { at };
                let at = if at == crate::tree::UNPLACED { 0 } else { at };
                return Err(self.fault(*fault, at, loc));
            }
        }
        Ok(())
    }

    /// A list of names that no dictionary of the file has filled is empty.
    fn leave_unnamed(&mut self, loc: Loc, row: &'m Row) {
        let named = matches!(row.kind, RowKind::Value { seen: None })
            && matches!(row.ty, Type::Array(_))
            && self.home(row) != Home::Absent;
        if named && self.is_unfilled(loc) {
            let list = Item::Array(Box::new(ArrayItem::of(Vec::new())));
            self.tree.slot_mut(loc.node, loc.row).item = list;
        }
    }

    /// Gives elements the names that a dictionary holds for them.
    fn fill_names(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        let Some(path) = row.patricia(self.model) else { return Ok(()) };
        let Item::Array(array) = self.tree.item(loc) else { return Ok(()) };
        let mut names = Vec::with_capacity(array.items.len());
        for item in array.items.iter().skip(1) {
            let Item::Node(node) = through(item) else { continue };
            let name = table_rows(&self.record(*node).rows).get(3).copied();
            if let Some(name) = name
                && let Item::Text(text) = self.tree.item(Loc::row(*node, name))
            {
                names.push(Rc::clone(text));
            }
        }
        let found = self.find(path, loc.node, None)?;
        let places: Vec<Loc> = found
            .values
            .iter()
            .filter_map(|val| match val {
                Val::Place(Place::Loc(place)) => Some(*place),
                _ => None,
            })
            .collect();
        if let ([only], false) = (places.as_slice(), found.many)
            && matches!(self.row(*only).ty, Type::Array(_))
        {
            if self.is_unfilled(*only) {
                let items = names.into_iter().map(Item::Text).collect();
                let list = Item::Array(Box::new(ArrayItem::of(items)));
                self.tree.slot_mut(only.node, only.row).item = list;
            }
            return Ok(());
        }
        if places.len() != names.len() && places.iter().any(|place| self.is_unfilled(*place)) {
            return eval_error(format!(
                "the dictionary has {} names for {} elements",
                names.len(),
                places.len()
            ));
        }
        for (place, name) in places.into_iter().zip(names) {
            if self.is_unfilled(place) {
                self.tree.slot_mut(place.node, place.row).item = Item::Text(name);
            }
        }
        Ok(())
    }

    fn is_unfilled(&self, loc: Loc) -> bool {
        matches!(self.row(loc).role, Role::Elsewhere)
            && matches!(self.tree.slot(loc.node, loc.row).item, Item::Unset | Item::Absent)
    }

    pub(crate) fn refused(&self, loc: Loc, kind: ReadErrorKind) -> Box<Fault> {
        let at = match self.tree.cell_at(loc) {
            crate::tree::UNPLACED => 0,
            at => at,
        };
        Box::new(Fault::Read(self.error(kind, at, loc)))
    }

    /// Compares a row with what it follows from.
    fn settle_row(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        self.compare_none_with(loc, row)?;
        if matches!(self.tree.item(loc), Item::Absent) && !matches!(row.role, Role::Elsewhere) {
            return Ok(());
        }
        match &row.role {
            Role::Derived => self.compare_derived(loc)?,
            Role::Kept(expr) => self.compare_kept(loc, *expr)?,
            Role::View { slices, key } => self.compare_view(loc, slices, *key)?,
            Role::Data | Role::Default(_) | Role::Fixed | Role::Spelling | Role::Elsewhere => {}
        }
        if let RowKind::Pool { always, order, .. } = &row.kind {
            self.compare_pool(loc, always, order)?;
        }
        for check in &row.checks {
            if let CheckKind::Holds(_) = check.kind {
                self.check_row(loc, check)?;
            }
        }
        if row.unique {
            self.check_unique(loc)?;
        }
        Ok(())
    }

    /// A pointer that is none exactly if an array is empty.
    fn compare_none_with(&mut self, loc: Loc, row: &'m Row) -> Fallible<()> {
        let Type::Pointer(pointer) = &row.ty else { return Ok(()) };
        let (Some(with), Item::Pointer(item)) =
            (pointer.none_with, &self.tree.slot(loc.node, loc.row).item)
        else {
            return Ok(());
        };
        let none = self.model.pointers[pointer.kind.index()].none == Some(item.stored);
        let with = Loc::row(loc.node, with);
        self.force_loc(with)?;
        let empty = self.count_items(with) == 0;
        if none == empty {
            return Ok(());
        }
        let words = |none: bool| if none { "no pointer" } else { "a pointer" };
        let kind =
            ReadErrorKind::NotDerived { expected: words(empty).into(), actual: words(none).into() };
        Err(self.refused(loc, kind))
    }

    fn compare_derived(&mut self, loc: Loc) -> Fallible<()> {
        let derived = match self.derived(loc)? {
            None => return Ok(()),
            // What it is derived from is not there: nothing to compare with.
            Some(Val::None) => return Ok(()),
            Some(Val::Table(table)) => return self.compare_table_strictly(loc, &table),
            Some(val) => val,
        };
        let stored = item_val(self.tree.item(loc));
        if matches!(stored, Val::Place(_)) || same(&stored, &derived) {
            return Ok(());
        }
        let kind = ReadErrorKind::NotDerived {
            expected: show(&derived).into(),
            actual: show(&stored).into(),
        };
        Err(self.refused(loc, kind))
    }

    fn compare_table_strictly(&mut self, loc: Loc, table: &[Vec<Item>]) -> Fallible<()> {
        if self.table_of(loc).is_some_and(|stored| same_table(&stored, table)) {
            return Ok(());
        }
        let kind = ReadErrorKind::NotDerived {
            expected: format!("{} computed elements", table.len()).into(),
            actual: "other elements".into(),
        };
        Err(self.refused(loc, kind))
    }

    /// The data of an array of records, as rows of numbers and texts.
    pub(crate) fn table_of(&self, loc: Loc) -> Option<Vec<Vec<Item>>> {
        let Item::Array(array) = self.tree.item(loc) else { return None };
        array
            .items
            .iter()
            .map(|item| {
                let Item::Node(node) = through(item) else { return None };
                Some(
                    table_rows(&self.record(*node).rows)
                        .into_iter()
                        .map(|row| self.tree.item(Loc::row(*node, row)).clone())
                        .collect(),
                )
            })
            .collect()
    }

    /// A digest of the canonical table. Sections and entries of a relocation table are kept or
    /// dropped together, so they have one.
    pub(crate) fn table_digest(&mut self, expr: ExprId, table: &[Vec<Item>]) -> Fallible<Value> {
        if !matches!(&self.model[expr], Expr::RelocationSections | Expr::RelocationEntries) {
            return Ok(digest(table));
        }
        let (sections, entries) = self.relocation_tables()?;
        Ok(digest(&[sections.as_slice(), entries.as_slice()].concat()))
    }

    fn compare_kept(&mut self, loc: Loc, expr: ExprId) -> Fallible<()> {
        let kind = match &self.model[expr] {
            Expr::Patricia(_) => KeptKind::Dictionary,
            Expr::RelocationSections | Expr::RelocationEntries => KeptKind::Relocation,
            _ => KeptKind::Number,
        };
        let canonical = match self.eval(expr, loc.node, None) {
            Ok(val) => val,
            // Names that no tree can hold: the nodes are kept as they are.
            Err(fault) if kind == KeptKind::Dictionary => {
                let message = match *fault {
                    Fault::Eval(message) => message,
                    Fault::Keys(error, _) => error.to_string(),
                    other => return Err(Box::new(other)),
                };
                let at = self.tree.slot(loc.node, loc.row).at;
                self.note(at, loc, message);
                let stored = self.array_value(loc);
                self.keep(loc, kind, stored, Value::None);
                return Ok(());
            }
            Err(fault) => return Err(fault),
        };
        match canonical {
            Val::Table(table) => {
                let same = self.table_of(loc).is_some_and(|stored| same_table(&stored, &table));
                if !same {
                    let stored = self.array_value(loc);
                    let instead = self.table_digest(expr, &table)?;
                    self.keep(loc, kind, stored, instead);
                }
            }
            canonical => {
                let stored = item_val(self.tree.item(loc));
                if !same(&stored, &canonical) {
                    let value = crate::items::item_value(self.tree.item(loc));
                    let instead = val_value(&canonical);
                    self.keep(loc, kind, value, instead);
                }
            }
        }
        Ok(())
    }

    /// An array of records as a value.
    fn array_value(&mut self, loc: Loc) -> Value {
        let ty = &self.row(loc).ty;
        let item = self.tree.item(loc).clone();
        self.project_item(ty, &item)
    }

    fn compare_view(&mut self, loc: Loc, slices: &'m [Path], key: Option<ExprId>) -> Fallible<()> {
        // The slices tile the table in the declared order if their bases are running totals.
        let mut owners: Vec<(i128, usize, Loc)> = Vec::new();
        for path in slices {
            for val in self.find(path, loc.node, None)?.values {
                let Val::Place(Place::Loc(slice)) = val else { continue };
                self.force_loc(slice)?;
                let rank = match key {
                    Some(key) => self.eval_int(key, slice.node, None)?.unwrap_or(i128::MAX),
                    None => 0,
                };
                owners.push((rank, owners.len(), slice));
            }
        }
        owners.sort_by_key(|(rank, index, _)| (*rank, *index));
        let mut next: i128 = 0;
        for (_, _, slice) in owners {
            let count = i128::from(self.count_items(slice));
            let stored = self.stored_base(slice)?.unwrap_or(next);
            if count == 0 {
                let usual = self.empty_base(slice)?.unwrap_or(next);
                if stored != usual {
                    let at = match &self.row(slice).kind {
                        RowKind::Slice { base, .. } => self.tree.slot(slice.node, *base).at,
                        _ => self.tree.slot(slice.node, slice.row).at,
                    };
                    let message = format!("the empty slice begins at {stored}, not {usual}");
                    self.note(at, slice, message);
                }
                continue;
            }
            if stored != next {
                let at = self.tree.slot(loc.node, loc.row).at;
                self.note(at, loc, "the slices do not tile the table in its order".to_owned());
                return Ok(());
            }
            next += count;
        }
        if next != i128::from(self.count_items(loc)) {
            let at = self.tree.slot(loc.node, loc.row).at;
            self.note(at, loc, "elements of the table belong to nobody".to_owned());
        }
        Ok(())
    }

    /// Compares a pool's members with the texts that pooled pointers name.
    fn compare_pool(
        &mut self,
        loc: Loc,
        always: &'m [String],
        order: &'m [(Option<ExprId>, PoolOrder)],
    ) -> Fallible<()> {
        let canonical = self.pool_members(loc, always, order)?;
        let Item::Array(array) = self.tree.item(loc) else { return Ok(()) };
        let stored: Vec<Item> = array.items.clone();
        let same = stored.len() == canonical.len()
            && stored.iter().zip(&canonical).all(|(a, b)| same_item(a, b));
        if !same {
            let stored = Value::Array(stored.iter().map(crate::items::item_value).collect());
            let instead = digest(&[canonical]);
            self.keep(loc, KeptKind::Pool, stored, instead);
        }
        Ok(())
    }
}

/// Whether two values are the same; floats by their bits.
pub(crate) fn same(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Float(a), Val::Float(b)) => a.to_bits() == b.to_bits(),
        (Val::None, Val::None) => true,
        _ => compare(a, b).is_ok_and(|order| order == Some(std::cmp::Ordering::Equal)),
    }
}

pub(crate) fn same_item(a: &Item, b: &Item) -> bool {
    match (through(a), through(b)) {
        (Item::Int(a), Item::Int(b)) => a == b,
        (Item::Text(a), Item::Text(b)) => a == b,
        (Item::Bytes(a), Item::Bytes(b)) => a == b,
        (Item::Units(a), Item::Units(b)) => a == b,
        (Item::Absent, Item::Absent) => true,
        _ => false,
    }
}

fn same_table(a: &[Vec<Item>], b: &[Vec<Item>]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            // Algorithms may give more columns than the record has rows for.
            a.len() <= b.len() && a.iter().zip(b).all(|(a, b)| same_item(a, b))
        })
}

/// A digest of a computed table, to tell whether it is still the same.
pub(crate) fn digest(table: &[Vec<Item>]) -> Value {
    let mut bytes = Vec::new();
    for row in table {
        for item in row {
            match through(item) {
                Item::Int(n) => bytes.extend_from_slice(&n.to_le_bytes()),
                Item::Text(text) => {
                    bytes.extend_from_slice(text.as_bytes());
                    bytes.push(0xff);
                }
                Item::Bytes(b) => {
                    bytes.extend_from_slice(b);
                    bytes.push(0xff);
                }
                _ => bytes.push(0xfe),
            }
        }
        bytes.push(0xfd);
    }
    let low = formwork::fnv1a_32(&bytes, formwork::FNV1A_SEED);
    let high = formwork::murmur3_32(&bytes, 0);
    Value::Int(i128::from(u64::from(high) << 32 | u64::from(low)))
}

pub(crate) fn val_value(val: &Val) -> Value {
    match val {
        Val::Int(n) => Value::Int(*n),
        Val::Float(f) => Value::Float { bits: f.to_bits(), bytes: 8 },
        Val::Bool(b) => Value::Bool(*b),
        Val::Text(text) => Value::Text(text.to_string()),
        Val::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        Val::Units(units) => Value::Units(units.to_vec()),
        Val::None | Val::Place(_) | Val::Table(_) => Value::None,
    }
}

pub(crate) fn show(val: &Val) -> String {
    match val {
        Val::Int(n) => n.to_string(),
        Val::Float(f) => f.to_string(),
        Val::Bool(b) => b.to_string(),
        Val::Text(text) => format!("{text:?}"),
        Val::Bytes(bytes) => crate::items::hex(bytes),
        other => crate::eval::describe(other).to_owned(),
    }
}

impl Kept {
    /// Whether the canonical spelling is still what this one replaced.
    pub(crate) fn still_for(&self, canonical: &Value) -> bool {
        self.instead_of.same_spelling(canonical)
    }
}
