//! From the tree to a value: what is data, without what follows from it.

use formwork_model::{
    ExprId, Home, Model, PoolOrder, Role, Row, RowId, RowKind, Start, Target, Type,
};

use crate::engine::{Engine, Fallible};
use crate::eval::{Place, Val};
use crate::relocation::collect;
use crate::tree::{Item, Loc, NodeId, UNPLACED};
use crate::value::{StructValue, UnionValue, Value};

impl<'m> Engine<'m, '_> {
    /// The value of the whole file.
    pub(crate) fn project_root(&self) -> Value {
        self.project_node(self.root)
    }

    fn project_node(&self, node: NodeId) -> Value {
        crate::engine::with_stack(|| self.project_node_here(node))
    }

    fn project_node_here(&self, node: NodeId) -> Value {
        let record = self.record(node);
        if let Some(row) = record.transparent {
            let item = self.tree.slot(node, row).item.clone();
            let inner = self.project_item(&record.rows[row.index()].ty, &item);
            let kept: Vec<_> = self.tree.node(node).kept.iter().map(|(_, k)| k.clone()).collect();
            return if kept.is_empty() { inner } else { Value::Spelled(Box::new(inner), kept) };
        }
        Value::Struct(self.project_struct(node))
    }

    fn project_struct(&self, node: NodeId) -> StructValue {
        let record = self.record(node);
        let mut value = StructValue {
            fields: Vec::with_capacity(record.rows.len()),
            kept: self.tree.node(node).kept.iter().map(|(_, kept)| kept.clone()).collect(),
        };
        for (index, row) in (0_u32..).zip(&record.rows) {
            self.project_row(Loc::row(node, RowId(index)), row, &mut value);
        }
        if let Some((_, form)) = self.tree.node(node).form {
            let kept = self.tree.node(form).kept.iter().map(|(_, kept)| kept.clone());
            value.kept.extend(kept);
        }
        value
    }

    fn project_row(&self, loc: Loc, row: &'m Row, value: &mut StructValue) {
        if !self.is_data(loc, row) {
            return;
        }
        let item = self.tree.slot(loc.node, loc.row).item.clone();
        let Some(name) = &row.name else {
            // Rows of an unnamed struct belong to this one.
            if let Item::Node(inner) = item {
                let inner = self.project_struct(inner);
                value.fields.extend(inner.fields);
                let row = loc.row.0;
                value.kept.extend(inner.kept.into_iter().map(|kept| crate::value::Kept {
                    row: format!("#{row}.{}", kept.row),
                    ..kept
                }));
            }
            return;
        };
        let projected = self.project_item(&row.ty, &item);
        if !self.carries_data(&row.ty, 0) && is_empty(&projected) {
            return;
        }
        value.fields.push((name.clone(), projected));
    }

    /// Whether a row is in the value of this node.
    pub(crate) fn is_data(&self, loc: Loc, row: &'m Row) -> bool {
        if self.home(row) == Home::Absent {
            return false;
        }
        match (&row.kind, &row.role) {
            (RowKind::Mark { .. }, _) => false,
            (RowKind::Slice { .. }, _) => true,
            (_, Role::Data | Role::Default(_) | Role::Elsewhere) => true,
            (_, Role::Derived) => !self.is_derived_here(loc),
            // Spellings inside may have to be kept.
            (_, Role::Fixed | Role::Kept(_) | Role::Spelling | Role::View { .. }) => false,
        }
    }

    /// Whether values of a type say anything.
    pub(crate) fn carries_data(&self, ty: &Type, depth: u32) -> bool {
        carries_data(self.model, ty, depth)
    }

    pub(crate) fn project_item(&self, ty: &'m Type, item: &Item) -> Value {
        match item {
            Item::Node(node) => match self.case_of(*node) {
                Some(case) => {
                    let case = case.to_owned();
                    Value::Union(Box::new(UnionValue { case, value: self.project_struct(*node) }))
                }
                None => self.project_node(*node),
            },
            Item::Array(array) => {
                let element = element_type(ty);
                Value::Array(
                    array.items.iter().map(|item| self.project_item(element, item)).collect(),
                )
            }
            Item::Pointer(pointer) => {
                let target = target_type(ty);
                self.project_item(target, &pointer.target)
            }
            other => crate::items::item_value(other),
        }
    }

    /// Members of a pool that follow from the pooled pointers in the tree.
    pub(crate) fn pool_members(
        &mut self,
        loc: Loc,
        always: &'m [String],
        order: &'m [(Option<ExprId>, PoolOrder)],
    ) -> Fallible<Vec<Item>> {
        let mut chosen = PoolOrder::FirstUse;
        for (condition, order) in order {
            let holds = match condition {
                Some(condition) => self.eval_bool(*condition, loc.node, None)?,
                None => true,
            };
            if holds {
                chosen = *order;
                break;
            }
        }
        // Kinds of pointers whose pool does not depend on who holds them.
        let mut kinds: Vec<Option<bool>> = Vec::new();
        for kind in &self.model.pointers {
            kinds.push(match &kind.pool {
                None => Some(false),
                Some(path) if matches!(path.start, Start::Root) => {
                    let found = self.find(path, self.root, None)?;
                    Some(found.values.iter().any(|val| is_loc(val, loc)))
                }
                Some(_) => None,
            });
        }
        let mut met: Vec<(u64, Item)> = Vec::new();
        let nodes = u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX);
        for index in 0..nodes {
            let node = NodeId(index);
            if self.tree.node(node).dead {
                continue;
            }
            let record = self.record(node);
            for (row, definition) in (0_u32..).zip(&record.rows) {
                if matches!(definition.kind, RowKind::Slice { .. }) {
                    continue;
                }
                let mut own: Vec<(usize, u64, Item)> = Vec::new();
                let slot = self.tree.slot(node, RowId(row));
                collect(&definition.ty, &slot.item, &mut |pointer, item| {
                    let text =
                        matches!(item.target, Item::Text(_) | Item::Bytes(_) | Item::Units(_));
                    if matches!(pointer.target, Target::Pooled) && text {
                        own.push((pointer.kind.index(), item.cell, item.target.clone()));
                    }
                });
                for (kind, cell, text) in own {
                    let ours = match kinds[kind] {
                        Some(ours) => ours,
                        None => match &self.model.pointers[kind].pool {
                            Some(path) => {
                                let found = self.find(path, node, None)?;
                                found.values.iter().any(|val| is_loc(val, loc))
                            }
                            None => false,
                        },
                    };
                    if ours {
                        met.push((cell, text));
                    }
                }
            }
        }
        self.charge(met.len() as u64)?;
        met.sort_by_key(|(cell, _)| if *cell == UNPLACED { u64::MAX } else { *cell });
        let mut seen = std::collections::HashSet::new();
        let mut members: Vec<(Vec<u8>, Item)> = Vec::new();
        let first = always.iter().map(|text| Item::Text(text.as_str().into()));
        for item in first.chain(met.into_iter().map(|(_, item)| item)) {
            let key = item_key(&item);
            if seen.insert(key.clone()) {
                members.push((key, item));
            }
        }
        let compare = match chosen {
            PoolOrder::FirstUse => None,
            PoolOrder::Bytes => Some(formwork::PoolOrder::Bytes),
            PoolOrder::BitsFromEnd => Some(formwork::PoolOrder::BitsFromEnd),
        };
        if let Some(order) = compare {
            members.sort_by(|(a, _), (b, _)| formwork::compare(order, a, b));
        }
        Ok(members.into_iter().map(|(_, item)| item).collect())
    }
}

/// Whether values of a type say anything.
pub(crate) fn carries_data(model: &Model, ty: &Type, depth: u32) -> bool {
    if depth > 64 {
        return true;
    }
    match ty {
        Type::Nothing => false,
        Type::Region(region) => carries_data(model, &region.inner, depth + 1),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => {
                (pointer.optional && pointer.none_with.is_none())
                    || carries_data(model, target, depth + 1)
            }
            _ => true,
        },
        Type::Record(record) => {
            model.records[record.index()].rows.iter().any(|row| match &row.role {
                Role::Data | Role::Default(_) | Role::Elsewhere => {
                    !matches!(row.kind, RowKind::Mark { .. })
                        && carries_data(model, &row.ty, depth + 1)
                }
                Role::Derived => row
                    .definers
                    .iter()
                    .all(|definer| matches!(definer.scope, formwork_model::DefinerScope::Case(..))),
                _ => matches!(row.kind, RowKind::Slice { .. }),
            })
        }
        _ => true,
    }
}

fn is_loc(val: &Val, loc: Loc) -> bool {
    matches!(val, Val::Place(Place::Loc(found)) if found.node == loc.node && found.row == loc.row)
}

/// Bytes by which two pooled texts are told apart and ordered.
pub(crate) fn item_key(item: &Item) -> Vec<u8> {
    match item {
        Item::Text(text) => text.as_bytes().to_vec(),
        Item::Bytes(bytes) => bytes.to_vec(),
        Item::Units(units) => units.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
        _ => Vec::new(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::None => true,
        Value::Struct(value) => value.fields.is_empty() && value.kept.is_empty(),
        _ => false,
    }
}

/// Type of an array's elements, inside regions.
pub(crate) fn element_type(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => &array.element,
        Type::Region(region) => element_type(&region.inner),
        other => other,
    }
}

/// Type that a pointer leads to.
pub(crate) fn target_type(ty: &Type) -> &Type {
    match ty {
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => target,
            _ => ty,
        },
        Type::Region(region) => target_type(&region.inner),
        other => other,
    }
}
