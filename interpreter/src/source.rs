//! Values as what the engine writes.

use formwork::Spelling;
use formwork::engine::{Asked, Fields, Given, List, Spelled, StandsFor};
use formwork::spelling::{KeptValue, SpellingEntry};
use formwork_model::{Record, RowId};

use crate::value::{Kept, StructValue, Value};

impl Value {
    /// The value as the engine writes it.
    pub(crate) fn given(&self) -> Given<'_> {
        match self {
            Value::Int(n) => Given::Int(*n),
            Value::Float { bits, bytes: 4 } => Given::F32(u32::try_from(*bits).unwrap_or(u32::MAX)),
            Value::Float { bits, .. } => Given::F64(*bits),
            Value::Bool(b) => Given::Bool(*b),
            Value::Text(text) => Given::Text(text),
            Value::Bytes(bytes) => Given::Bytes(bytes),
            Value::Units(units) => Given::Units(units),
            Value::Array(_) => Given::List(self),
            Value::Struct(value) => Given::Struct(value),
            Value::Union(union) => Given::Case(&union.case, &union.value),
            Value::None => Given::None,
            Value::Spelled(..) => Given::Struct(self),
        }
    }
}

impl List for Value {
    fn count(&self) -> usize {
        self.elements().map_or(0, <[Value]>::len)
    }

    fn element(&self, index: usize) -> Given<'_> {
        self.elements().and_then(|all| all.get(index)).map_or(Given::Missing, Value::given)
    }
}

impl Fields for StructValue {
    fn field(&self, asked: Asked<'_>) -> Given<'_> {
        match asked.name {
            None => Given::Here,
            Some(name) => self.get(name).map_or(Given::Missing, Value::given),
        }
    }

    fn spelling(&self, of: Spelled<'_>, visit: &mut dyn FnMut(&SpellingEntry)) {
        entries(&self.kept, of, visit);
    }

    fn stands_for(&self) -> StandsFor {
        StandsFor::Value
    }

    fn strangers(&self, known: &dyn Fn(&str) -> bool, found: &mut dyn FnMut(&str)) {
        self.fields.iter().map(|(name, _)| name.as_str()).filter(|n| !known(n)).for_each(found);
    }
}

/// A value of a struct that is its only row, with its spelling.
impl Fields for Value {
    fn field(&self, _: Asked<'_>) -> Given<'_> {
        match self {
            Value::Spelled(inner, _) => inner.given(),
            other => other.given(),
        }
    }

    fn spelling(&self, of: Spelled<'_>, visit: &mut dyn FnMut(&SpellingEntry)) {
        if let Value::Spelled(_, kept) = self {
            entries(kept, of, visit);
        }
    }

    fn stands_for(&self) -> StandsFor {
        StandsFor::OnlyRow
    }
}

/// Spellings by name as spellings by number.
fn entries(all: &[Kept], of: Spelled<'_>, visit: &mut dyn FnMut(&SpellingEntry)) {
    let prefix: String = of.inside.iter().map(|row| format!("#{}.", row.0)).collect();
    for kept in all {
        let Some(rest) = kept.row.strip_prefix(&prefix).filter(|rest| !rest.contains('.')) else {
            continue;
        };
        let (name, index) = match rest.split_once('[') {
            Some((name, index)) => {
                (name, index.strip_suffix(']').and_then(|index| index.parse().ok()))
            }
            None => (rest, None),
        };
        let row = match (name, row_named(of.record, name)) {
            ("", _) => Spelling::WHOLE,
            (_, Some(row)) => match u16::try_from(row.index() + of.first) {
                Ok(row) => row,
                Err(_) => continue,
            },
            (_, None) => continue,
        };
        visit(&SpellingEntry {
            row,
            index,
            kind: kept.kind,
            stored: kept_value(&kept.stored),
            instead_of: kept_value(&kept.instead_of),
        });
    }
}

/// The row of this name, or at this position: `#3`.
fn row_named(record: &Record, name: &str) -> Option<RowId> {
    match name.strip_prefix('#') {
        Some(row) => {
            row.parse().ok().map(RowId).filter(|row: &RowId| row.index() < record.rows.len())
        }
        None => record
            .numbered_rows()
            .find(|(_, row)| row.name.as_deref() == Some(name))
            .map(|(id, _)| id),
    }
}

fn kept_value(value: &Value) -> KeptValue {
    match value {
        Value::Int(n) => KeptValue::Int(*n),
        Value::Float { bits, .. } => KeptValue::Int((*bits).into()),
        Value::Bool(b) => KeptValue::Bool(*b),
        Value::Text(text) => KeptValue::Text(text.clone()),
        Value::Bytes(bytes) => KeptValue::Bytes(bytes.clone()),
        Value::Units(units) => KeptValue::Units(units.clone()),
        Value::Array(rows) if !rows.is_empty() && rows.iter().all(is_row) => {
            KeptValue::Table(rows.iter().map(row_values).collect())
        }
        Value::Array(values) => KeptValue::List(values.iter().map(kept_value).collect()),
        Value::Spelled(inner, _) => kept_value(inner),
        Value::Struct(_) | Value::Union(_) | Value::None => KeptValue::None,
    }
}

fn is_row(value: &Value) -> bool {
    match value {
        Value::Struct(_) | Value::Array(_) => true,
        Value::Spelled(inner, _) => is_row(inner),
        _ => false,
    }
}

/// The fields of a row of a table.
fn row_values(row: &Value) -> Vec<KeptValue> {
    match row {
        Value::Struct(row) => row.fields.iter().map(|(_, value)| kept_value(value)).collect(),
        Value::Array(fields) => fields.iter().map(kept_value).collect(),
        Value::Spelled(inner, _) => row_values(inner),
        other => vec![kept_value(other)],
    }
}
