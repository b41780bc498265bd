//! Builds the tree from a value.

use std::collections::HashMap;

use formwork::ProblemKind;
use formwork_model::{
    ByteOrder, Cell, Content, Encoding, Home, Meaning, PointerType, RecordId, Role, Row, RowId,
    RowKind, RunType, Target, Type, UnionId,
};

use crate::engine::Engine;
use crate::forms::cell_fits;
use crate::items::{constant_item, default_item};
use crate::read::cell::encoding_name;
use crate::tree::{ArrayItem, Item, Loc, NodeId, PointerItem};
use crate::value::{Kept, StructValue, Value};

/// Fields of a value by name.
type Fields<'v> = HashMap<&'v str, &'v Value>;

impl<'m> Engine<'m, '_> {
    pub(crate) fn build_root(&mut self, value: &Value) {
        let root = self.tree.add(self.model, self.model.root, None, RowId(0), None);
        self.root = root;
        self.build_node(root, value);
    }

    fn build_node(&mut self, node: NodeId, value: &Value) {
        crate::engine::with_stack(|| self.build_node_here(node, value));
    }

    fn build_node_here(&mut self, node: NodeId, value: &Value) {
        let record = self.record(node);
        if let Some(row) = record.transparent {
            let empty = Vec::new();
            let (inner, kept) = match value {
                Value::Spelled(inner, kept) => (&**inner, kept),
                other => (other, &empty),
            };
            let name = record.rows[row.index()].name.as_deref().unwrap_or("");
            let mut fields = Fields::new();
            fields.insert(name, inner);
            self.build_rows(node, &fields, kept);
            return;
        }
        let inner = match value {
            Value::Spelled(inner, _) => inner,
            other => other,
        };
        match inner {
            Value::Struct(value) => self.build_struct(node, value),
            other => {
                let at = self.node_loc(node);
                self.problem(
                    at,
                    ProblemKind::WrongKind {
                        expected: "a struct".into(),
                        actual: other.kind_name().into(),
                    },
                );
            }
        }
    }

    /// The row or element that holds a node.
    pub(crate) fn node_loc(&self, node: NodeId) -> Loc {
        let n = self.tree.node(node);
        match n.owner {
            Some(owner) => Loc { node: owner, row: n.owner_row, index: n.index },
            None => Loc::row(node, RowId(u32::MAX)),
        }
    }

    fn build_struct(&mut self, node: NodeId, value: &StructValue) {
        let fields: Fields<'_> =
            value.fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let mut known = Vec::new();
        self.names_of(self.tree.node(node).record, &mut known, 0);
        for (name, _) in &value.fields {
            if !known.contains(&name.as_str()) {
                let why = format!("`{name}` is no field of `{}`", self.record(node).template);
                let at = self.node_loc(node);
                self.problem(at, ProblemKind::UnexpectedField { why: why.into() });
            }
        }
        self.build_rows(node, &fields, &value.kept);
    }

    /// Names that the value of a record may have, with those of unnamed structs in it.
    fn names_of(&self, record: RecordId, names: &mut Vec<&'m str>, depth: u32) {
        if depth > 64 {
            return;
        }
        for row in &self.model.records[record.index()].rows {
            match (&row.name, &row.ty) {
                (Some(name), _) => names.push(name),
                (None, ty) => {
                    if let Type::Record(inner) = crate::read::object::strip_region(ty) {
                        self.names_of(*inner, names, depth + 1);
                    }
                }
            }
        }
    }

    fn build_rows(&mut self, node: NodeId, fields: &Fields<'_>, kept: &[Kept]) {
        let record = self.record(node);
        for kept in kept {
            // What belongs to an unnamed struct in this one is handed on.
            if kept.row.starts_with('#') && kept.row.contains('.') {
                continue;
            }
            let name = kept.row.split('[').next().unwrap_or("");
            let row = match name.strip_prefix('#') {
                Some(row) => row.parse().ok().filter(|row| (*row as usize) < record.rows.len()),
                None => record
                    .rows
                    .iter()
                    .position(|row| row.name.as_deref() == Some(name))
                    .and_then(|row| u32::try_from(row).ok()),
            };
            if let Some(row) = row {
                self.tree.node_mut(node).kept.push((RowId(row), kept.clone()));
            } else if name.is_empty() {
                self.tree.node_mut(node).kept.push((RowId(u32::MAX), kept.clone()));
            }
        }
        let mut later = Vec::new();
        for (index, row) in (0_u32..).zip(&record.rows) {
            let loc = Loc::row(node, RowId(index));
            if matches!(row.role, Role::Derived) {
                later.push((loc, row));
                continue;
            }
            let item = self.build_row(loc, row, fields, kept);
            self.tree.slot_mut(node, loc.row).item = item;
        }
        // A number may follow from one case of a union and be data in another.
        for (loc, row) in later {
            let derived = self.is_derived_here(loc);
            let given = row.name.as_deref().and_then(|name| fields.get(name).copied());
            let absent = self.home(row) == Home::Absent;
            match (derived, given) {
                (true, None) => {
                    if absent {
                        self.tree.slot_mut(loc.node, loc.row).item = Item::Absent;
                    }
                }
                (true, Some(_)) => {
                    let why = "it follows from other fields".into();
                    self.problem(loc, ProblemKind::UnexpectedField { why });
                }
                (false, Some(value)) => {
                    let item = self.build_item(&row.ty, value, loc, row);
                    self.tree.slot_mut(loc.node, loc.row).item = item;
                }
                (false, None) if absent => {
                    self.tree.slot_mut(loc.node, loc.row).item = Item::Absent;
                }
                // A derived row without an equation here stays to be asked for.
                (false, None) => {
                    if row.definers.iter().all(|definer| {
                        matches!(definer.scope, formwork_model::DefinerScope::Case(..))
                    }) {
                        self.problem(loc, ProblemKind::MissingField);
                    }
                }
            }
        }
    }

    /// Notes a problem if a number would be read as none.
    fn must_not_be_none(&mut self, loc: Loc, row: &Row, number: i128, stored: i128) {
        let ranked = row.reference.as_ref().is_some_and(|reference| reference.filter.is_some());
        // What a rank among some elements is stored as is known later.
        if !ranked && row.none.contains(&stored) {
            self.problem(loc, is_nothing(number));
        }
    }

    /// A constant of the schema in a row: of a pointer, it is what the pointer leads to.
    fn stated_item(&self, constant: &formwork_model::Constant, ty: &Type) -> Item {
        let item = default_item(constant, float_width(self.model, ty));
        match ty {
            Type::Pointer(_) => Item::Pointer(Box::new(PointerItem::to(item))),
            _ => item,
        }
    }

    fn build_row(&mut self, loc: Loc, row: &'m Row, fields: &Fields<'_>, kept: &[Kept]) -> Item {
        let given = row.name.as_deref().and_then(|name| fields.get(name).copied());
        if self.home(row) == Home::Absent {
            let fallback = row.absent.as_ref().map_or(Item::Absent, constant_item);
            match given {
                None | Some(Value::None) => {}
                Some(value) => {
                    let same = row.absent.as_ref().is_some_and(|constant| {
                        crate::items::is_constant(&crate::items::value_item(value), constant)
                    });
                    if !same {
                        let epoch = &self.model.epochs[self.epoch.index()].label;
                        let why = format!("it does not exist in {epoch}");
                        self.problem(loc, ProblemKind::UnexpectedField { why: why.into() });
                    }
                }
            }
            return fallback;
        }
        match &row.kind {
            RowKind::Constant(constant) => {
                return self.stated_item(constant, &row.ty);
            }
            RowKind::Zero | RowKind::Runtime => return self.kept_bytes(loc),
            RowKind::Reserved => return self.kept_bytes(loc),
            RowKind::Mark { .. } => return Item::Unset,
            RowKind::Pool { kept: false, .. } => return Item::Unset,
            _ => {}
        }
        match &row.role {
            Role::Kept(_) | Role::Spelling | Role::View { .. } | Role::Fixed => {
                if matches!(row.kind, RowKind::Plain | RowKind::Object { .. })
                    && matches!(row.role, Role::Fixed)
                {
                    return self.build_missing(loc, row);
                }
                if given.is_some() && !matches!(row.kind, RowKind::Pool { .. }) {
                    let why = "it follows from other fields".into();
                    self.problem(loc, ProblemKind::UnexpectedField { why });
                }
                return Item::Unset;
            }
            _ => {}
        }
        if row.name.is_none()
            && let Type::Record(record) = *crate::read::object::strip_region(&row.ty)
        {
            let prefix = format!("#{}.", loc.row.0);
            let inner: Vec<Kept> = kept
                .iter()
                .filter_map(|kept| {
                    let row = kept.row.strip_prefix(&prefix)?.to_owned();
                    Some(Kept { row, ..kept.clone() })
                })
                .collect();
            let node = self.tree.add(self.model, record, Some(loc.node), loc.row, None);
            self.tree.slot_mut(loc.node, loc.row).item = Item::Node(node);
            self.build_rows(node, fields, &inner);
            return Item::Node(node);
        }
        match given {
            Some(value) if matches!(row.kind, RowKind::Zeros) => self.build_zeros(value, loc),
            Some(value) => self.build_item(&row.ty, value, loc, row),
            None => self.build_missing(loc, row),
        }
    }

    /// A run of zero bytes: the value is how many.
    fn build_zeros(&mut self, value: &Value, loc: Loc) -> Item {
        match value {
            Value::Int(n) if *n < 0 || *n > i128::from(u32::MAX) => {
                self.problem(loc, does_not_fit(*n, "u32"));
                Item::Absent
            }
            Value::Int(n) => Item::Int(*n),
            other => self.wrong(loc, "a number of bytes", other),
        }
    }

    /// Bytes that were kept where zero is canonical.
    fn kept_bytes(&self, loc: Loc) -> Item {
        let kept = &self.tree.node(loc.node).kept;
        kept.iter()
            .find(|(row, kept)| *row == loc.row && kept.kind == crate::value::KeptKind::Reserved)
            .map_or(Item::Absent, |(_, kept)| crate::items::value_item(&kept.stored))
    }

    /// A row that the value does not mention.
    fn build_missing(&mut self, loc: Loc, row: &'m Row) -> Item {
        if let Role::Default(constant) = &row.role {
            return self.stated_item(constant, &row.ty);
        }
        if let Some(absent) = &row.absent {
            return constant_item(absent);
        }
        if row.when.is_some() || !row.none.is_empty() {
            return Item::Absent;
        }
        match &row.ty {
            Type::ByteOrderMark => return Item::Text("little".into()),
            Type::Pointer(pointer) if pointer.optional && pointer.none_with.is_none() => {
                return Item::Pointer(Box::new(PointerItem::to(Item::Absent)));
            }
            Type::Nothing => return Item::Absent,
            _ => {}
        }
        if self.carries_data(&row.ty, 0) {
            if matches!(row.kind, RowKind::Value { seen: None })
                && matches!(row.role, Role::Elsewhere)
            {
                self.problem(loc, ProblemKind::MissingField);
                return Item::Absent;
            }
            self.problem(loc, ProblemKind::MissingField);
            return Item::Absent;
        }
        self.build_item(&row.ty, &Value::Struct(StructValue::default()), loc, row)
    }

    fn wrong(&mut self, loc: Loc, expected: &str, value: &Value) -> Item {
        self.problem(
            loc,
            ProblemKind::WrongKind { expected: expected.into(), actual: value.kind_name().into() },
        );
        Item::Absent
    }

    pub(crate) fn build_item(
        &mut self,
        ty: &'m Type,
        value: &Value,
        loc: Loc,
        row: &'m Row,
    ) -> Item {
        // Spellings of a transparent record belong to its node.
        let bare = match value {
            Value::Spelled(inner, _)
                if !matches!(ty, Type::Record(_) | Type::Pointer(_) | Type::Region(_)) =>
            {
                &**inner
            }
            other => other,
        };
        match ty {
            Type::Cell(cell) => self.build_cell(cell, bare, loc, row),
            Type::Run(run) => self.build_run(run, bare, loc, row),
            Type::Record(record) => {
                if matches!(bare, Value::None) {
                    return self.build_none(loc, row);
                }
                let Some(node) = self.build_add(*record, loc) else { return Item::Absent };
                self.build_node(node, value);
                Item::Node(node)
            }
            Type::Union(union) => self.build_union(*union, bare, loc, row),
            Type::Pointer(pointer) => self.build_pointer(pointer, value, loc, row),
            Type::Array(array) => match bare {
                Value::Array(elements) => {
                    let mut items = Vec::with_capacity(elements.len());
                    for (index, element) in (0_u32..).zip(elements) {
                        let at = Loc { index: Some(index), ..loc };
                        items.push(self.build_item(&array.element, element, at, row));
                    }
                    Item::Array(Box::new(ArrayItem::of(items)))
                }
                Value::Bytes(bytes) if is_byte(&array.element) => {
                    let items = bytes.iter().map(|b| Item::Int((*b).into())).collect();
                    Item::Array(Box::new(ArrayItem::of(items)))
                }
                Value::None => self.build_none(loc, row),
                other => self.wrong(loc, "an array", other),
            },
            Type::Region(region) => self.build_item(&region.inner, value, loc, row),
            Type::ByteOrderMark => match bare {
                Value::Text(text) if text == "little" || text == "big" => {
                    self.order = if text == "big" { ByteOrder::Big } else { ByteOrder::Little };
                    Item::Text(text.as_str().into())
                }
                other => self.wrong(loc, "`little` or `big`", other),
            },
            Type::Text => match bare {
                Value::Text(text) => Item::Text(text.as_str().into()),
                Value::None => self.build_none(loc, row),
                other => self.wrong(loc, "a text", other),
            },
            Type::Nothing | Type::PerEpoch(_) => Item::Absent,
        }
    }

    fn build_add(&mut self, record: RecordId, loc: Loc) -> Option<NodeId> {
        let node = self.tree.add(self.model, record, Some(loc.node), loc.row, loc.index);
        let limit = self.options.max_depth;
        if self.tree.node(node).depth > limit {
            self.problem(loc, ProblemKind::DepthLimit { limit });
            return None;
        }
        if loc.index.is_none() {
            // What is inside may ask for what is around it.
            let slot = self.tree.slot_mut(loc.node, loc.row);
            if matches!(slot.item, Item::Unset) {
                slot.item = Item::Node(node);
            }
        }
        Some(node)
    }

    /// A value that says "nothing".
    fn build_none(&mut self, loc: Loc, row: &'m Row) -> Item {
        let optional = row.when.is_some()
            || !row.none.is_empty()
            || row.homes.get(self.epoch.index()) == Some(&Home::Absent);
        if !optional {
            self.problem(loc, ProblemKind::MissingField);
        }
        Item::Absent
    }

    fn build_cell(&mut self, cell: &'m Cell, value: &Value, loc: Loc, row: &'m Row) -> Item {
        if matches!(value, Value::None) {
            return self.build_none(loc, row);
        }
        match (&cell.meaning, value) {
            (Meaning::Float, Value::Float { bits, bytes }) => {
                let width = float_width(self.model, &Type::Cell(cell.clone()));
                if *bytes == width {
                    Item::Float { bits: *bits, bytes: *bytes }
                } else {
                    self.wrong(
                        loc,
                        if width == 4 { "a 4-byte float" } else { "an 8-byte float" },
                        value,
                    )
                }
            }
            (Meaning::Bool { .. }, Value::Bool(b)) => Item::Bool(*b),
            (Meaning::Int, Value::Int(n)) => {
                // References are checked against their arrays, and may be stored differently.
                let stored = n.saturating_add(row.plus);
                if row.reference.is_none() && !cell_fits(self.model, cell, stored) {
                    self.problem(loc, does_not_fit(*n, &cell_name(self.model, cell)));
                } else {
                    self.must_not_be_none(loc, row, *n, stored);
                }
                Item::Int(*n)
            }
            (Meaning::Enum(id), Value::Int(n)) => {
                let definition = &self.model.enums[id.index()];
                if definition.closed && !definition.members.iter().any(|m| m.number == *n) {
                    self.problem(loc, does_not_fit(*n, &definition.name));
                } else if !cell_fits(self.model, cell, *n) {
                    self.problem(loc, does_not_fit(*n, &cell_name(self.model, cell)));
                } else {
                    self.must_not_be_none(loc, row, *n, *n);
                }
                Item::Int(*n)
            }
            (Meaning::Enum(id), Value::Text(name)) => {
                let definition = &self.model.enums[id.index()];
                match definition.members.iter().find(|m| m.name == *name) {
                    Some(member) => Item::Int(member.number),
                    None => {
                        self.problem(loc, ProblemKind::UnknownCase { name: name.as_str().into() });
                        Item::Absent
                    }
                }
            }
            (Meaning::Word(record), value) => {
                let Some(node) = self.build_add(*record, loc) else { return Item::Absent };
                self.build_node(node, value);
                Item::Node(node)
            }
            (Meaning::Float, other) => self.wrong(loc, "a float", other),
            (Meaning::Bool { .. }, other) => self.wrong(loc, "a truth value", other),
            (Meaning::Int | Meaning::Enum(_), other) => self.wrong(loc, "an integer", other),
        }
    }

    fn build_run(&mut self, run: &'m RunType, value: &Value, loc: Loc, row: &'m Row) -> Item {
        match (run.content, value) {
            (_, Value::None) => self.build_none(loc, row),
            (Content::Bytes, Value::Bytes(bytes)) => Item::Bytes(bytes.as_slice().into()),
            (Content::Bytes, Value::Text(text)) => Item::Bytes(text.as_bytes().into()),
            (Content::Text(encoding), Value::Text(text)) => {
                if encoding == Encoding::Ascii && !text.is_ascii() {
                    let encoding = encoding_name(encoding);
                    self.problem(loc, ProblemKind::TextNotEncodable { encoding });
                }
                if run.suffix.len() == 1 && text.as_bytes().contains(&run.suffix[0]) && {
                    !matches!(run.length, formwork_model::RunLength::Prefix(_))
                } {
                    let what = "the terminator".into();
                    self.problem(loc, ProblemKind::TextContains { what });
                }
                Item::Text(text.as_str().into())
            }
            (
                Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be),
                Value::Units(units),
            ) => Item::Units(units.as_slice().into()),
            (Content::Bytes, other) => self.wrong(loc, "bytes", other),
            (Content::Text(_), other) => self.wrong(loc, "a text", other),
        }
    }

    fn build_union(&mut self, id: UnionId, value: &Value, loc: Loc, row: &'m Row) -> Item {
        let union = &self.model.unions[id.index()];
        let value = match value {
            Value::Union(value) => value,
            Value::None => return self.build_none(loc, row),
            other => return self.wrong(loc, "a union", other),
        };
        let case = union.cases.iter().find(|case| case.name == value.case);
        let Some(case) = case else {
            let name = value.case.as_str().into();
            self.problem(loc, ProblemKind::UnknownCase { name });
            return Item::Absent;
        };
        if case.forms.is_empty() && !self.in_epoch(&case.epochs) {
            let epoch = &self.model.epochs[self.epoch.index()].label;
            let why = format!("case `{}` does not exist in {epoch}", case.name).into();
            self.problem(loc, ProblemKind::UnexpectedField { why });
            return Item::Absent;
        }
        let Some(node) = self.build_add(case.record, loc) else { return Item::Absent };
        // Rows of the case may look at the union it belongs to.
        if loc.index.is_none() {
            self.tree.slot_mut(loc.node, loc.row).item = Item::Node(node);
        }
        if case.forms.is_empty() {
            self.build_struct(node, &value.value);
            return Item::Node(node);
        }
        self.build_form(node, case, &value.value, loc);
        Item::Node(node)
    }

    /// Chooses the form of a case: the one that was kept if it still holds, else the first.
    fn build_form(
        &mut self,
        node: NodeId,
        case: &'m formwork_model::Case,
        value: &StructValue,
        loc: Loc,
    ) {
        let Some(first) = self.first_form(case, value) else {
            self.problem(loc, ProblemKind::NoForm);
            return;
        };
        let kept = value.kept.iter().find(|kept| kept.kind == crate::value::KeptKind::Form);
        let mut chosen = first;
        if let Some(kept) = kept
            && let (Value::Int(stored), Value::Int(instead)) = (&kept.stored, &kept.instead_of)
            && usize::try_from(*instead).is_ok_and(|instead| instead == first)
            && let Some(form) = usize::try_from(*stored).ok().and_then(|i| case.forms.get(i))
            && self.form_fits(form, value)
        {
            chosen = usize::try_from(*stored).unwrap_or(first);
        }
        let fields: Fields<'_> =
            value.fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let logical = self.record(node);
        for (name, _) in &value.fields {
            if !logical.rows.iter().any(|row| row.name.as_deref() == Some(name)) {
                let why = format!("`{name}` is no field of `{}`", case.name).into();
                self.problem(loc, ProblemKind::UnexpectedField { why });
            }
        }
        let form = case.forms[chosen].record;
        let owner_row = self.tree.node(node).owner_row;
        let rows = self.tree.add(self.model, form, Some(node), owner_row, None);
        self.tree.node_mut(node).form = Some((u32::try_from(chosen).unwrap_or(0), rows));
        self.build_rows(rows, &fields, &value.kept);
        for (index, row) in (0_u32..).zip(&logical.rows) {
            let from = self.record(rows).rows.iter().position(|r| r.name == row.name);
            let item = match from {
                Some(from) => self.tree.node(rows).slots[from].item.clone(),
                None => match row.name.as_deref().and_then(|name| fields.get(name)) {
                    Some(value) => {
                        self.build_item(&row.ty, value, Loc::row(node, RowId(index)), row)
                    }
                    None => Item::Absent,
                },
            };
            self.tree.slot_mut(node, RowId(index)).item = item;
        }
    }

    fn build_pointer(
        &mut self,
        pointer: &'m PointerType,
        value: &Value,
        loc: Loc,
        row: &'m Row,
    ) -> Item {
        let kind = &self.model.pointers[pointer.kind.index()];
        if matches!(value, Value::None) {
            if row.when.is_some() && loc.index.is_none() {
                // The condition will say whether the row or its target is not there.
                return Item::Absent;
            }
            if !pointer.may_be_none(self.model, row) {
                self.problem(loc, ProblemKind::MissingField);
            }
            return Item::Pointer(Box::new(PointerItem::to(Item::Absent)));
        }
        let target = match &pointer.target {
            Target::Own(target) => {
                // What is inside asks for its row through the pointer.
                self.build_item(target, value, loc, row)
            }
            Target::Pooled => {
                let text = match kind.text.as_deref().map(crate::read::object::strip_region) {
                    Some(Type::Run(run)) => Some(run),
                    _ => None,
                };
                match text {
                    Some(run) => self.build_run(run, value, loc, row),
                    None => self.wrong(loc, "a text", value),
                }
            }
            Target::Element => match value {
                Value::Int(n) => Item::Int(*n),
                other => self.wrong(loc, "an index", other),
            },
        };
        Item::Pointer(Box::new(PointerItem::to(target)))
    }
}

fn is_byte(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Cell(Cell {
            storage: formwork_model::Storage::Fixed(formwork_model::IntType {
                bytes: 1,
                signed: false,
                ..
            }),
            meaning: Meaning::Int,
        })
    )
}

pub(crate) fn does_not_fit(n: i128, ty: &str) -> ProblemKind {
    ProblemKind::DoesNotFit { value: n.to_string().into(), ty: ty.into() }
}

/// A number that would be read as none.
pub(crate) fn is_nothing(n: i128) -> ProblemKind {
    ProblemKind::TextContains { what: format!("{n} is the number for nothing").into() }
}

/// Name of a cell's type for messages: `u16`.
pub(crate) fn cell_name(model: &formwork_model::Model, cell: &Cell) -> String {
    let (bits, signed) = crate::forms::cell_range(model, cell);
    format!("{}{bits}", if signed { "i" } else { "u" })
}

/// Bytes of a float cell.
pub(crate) fn float_width(model: &formwork_model::Model, ty: &Type) -> u8 {
    match ty {
        Type::Cell(cell) if crate::forms::cell_range(model, cell).0 == 32 => 4,
        _ => 8,
    }
}
