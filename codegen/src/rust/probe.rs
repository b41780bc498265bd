//! Whether generated types have room for values that the interpreter has read; for tests.

use super::shape::{FieldShape, Shape, Shapes};
use crate::model::{Home, Model, RecordId, RecordKind, UnionId};

/// A value, as far as types are concerned.
#[derive(Debug)]
pub enum Probe<'v> {
    /// An integer.
    Int(i128),
    /// A float of 4 or 8 bytes.
    Float(u8),
    /// A truth value.
    Bool,
    /// A text.
    Text(&'v str),
    /// Bytes.
    Bytes,
    /// Units of UTF-16.
    Units,
    /// Elements.
    List(Vec<Probe<'v>>),
    /// Fields by name, and names of rows with spelling.
    Struct(Vec<(&'v str, Probe<'v>)>, Vec<&'v str>),
    /// Name of a case, and its struct.
    Case(&'v str, Box<Probe<'v>>),
    /// Nothing.
    None,
    /// A value with names of rows with spelling.
    Spelled(Box<Probe<'v>>, Vec<&'v str>),
}

/// What of a value of the root has no place in the generated types.
#[must_use]
pub fn misfits(model: &Model, value: &Probe<'_>) -> Vec<String> {
    let shapes = Shapes::new(model);
    let mut found = Vec::new();
    fits(&shapes, &Shape::Struct(model.root), value, "File", &mut found);
    found
}

fn fits(shapes: &Shapes<'_>, shape: &Shape, value: &Probe<'_>, at: &str, found: &mut Vec<String>) {
    let ok = match (shape, value) {
        (Shape::Option(_), Probe::None) => true,
        (Shape::Option(inner) | Shape::Boxed(inner), value) => {
            return fits(shapes, inner, value, at, found);
        }
        (Shape::Int(prim), Probe::Int(number)) => {
            let (low, high) = prim.range();
            (low..=high).contains(number)
        }
        (Shape::Enum(id), Probe::Int(number)) => {
            let (low, high) = shapes.enum_prim(*id).range();
            let definition = &shapes.model().enums[id.index()];
            (low..=high).contains(number)
                && (!definition.closed || definition.members.iter().any(|m| m.number == *number))
        }
        (Shape::Index(_), Probe::Int(number)) => (0..i128::from(u32::MAX)).contains(number),
        (Shape::Float32, Probe::Float(bytes)) => *bytes == 4,
        (Shape::Float64, Probe::Float(bytes)) => *bytes == 8,
        (Shape::Endian, Probe::Text(text)) => *text == "little" || *text == "big",
        (Shape::Bool, Probe::Bool)
        | (Shape::Str | Shape::Utf16, Probe::Text(_))
        | (Shape::Utf16, Probe::Units)
        | (Shape::Bytes, Probe::Bytes) => true,
        (Shape::Fixed(element, _) | Shape::List(element), Probe::List(elements)) => {
            for (index, value) in elements.iter().enumerate() {
                fits(shapes, element, value, &format!("{at}[{index}]"), found);
            }
            !matches!(shape, Shape::Fixed(_, count) if *count != elements.len())
        }
        (Shape::Word(id), Probe::Struct(values, _)) => {
            return fields(shapes, *id, shapes.word_fields(*id), values, &[], at, found);
        }
        (Shape::Struct(id), value) => return record(shapes, *id, value, at, found),
        (Shape::Choice(id), Probe::Case(name, value)) => {
            return case(shapes, *id, name, value, at, found);
        }
        _ => false,
    };
    if !ok {
        found.push(format!("{at}: {shape:?} has no room for {value:?}"));
    }
}

fn record(shapes: &Shapes<'_>, id: RecordId, value: &Probe<'_>, at: &str, found: &mut Vec<String>) {
    let record = &shapes.model().records[id.index()];
    if let (Some(row), RecordKind::Struct) = (record.transparent, &record.kind)
        && let Some(field) = shapes.field(id, row)
    {
        let (inner, kept): (_, &[&str]) = match value {
            Probe::Spelled(inner, kept) => (&**inner, kept),
            other => (other, &[]),
        };
        spelling(shapes, id, kept, at, found);
        return fits(shapes, &field.shape, inner, at, found);
    }
    match value {
        Probe::Struct(values, kept) => {
            fields(shapes, id, shapes.fields(id), values, kept, at, found);
        }
        other => found.push(format!("{at}: a struct has no room for {other:?}")),
    }
}

fn case(
    shapes: &Shapes<'_>,
    id: UnionId,
    name: &str,
    value: &Probe<'_>,
    at: &str,
    found: &mut Vec<String>,
) {
    let union = &shapes.model().unions[id.index()];
    let at = format!("{at}({name})");
    let number = (0..).zip(&union.cases).find(|(_, case)| case.name == name);
    let Some((number, _)) = number else { return found.push(format!("{at}: no such case")) };
    let Probe::Struct(values, kept) = value else { return found.push(format!("{at}: no struct")) };
    match shapes.variant(id, number).1 {
        Some(record) if shapes.is_plain_word(record) => {
            fields(shapes, record, shapes.word_fields(record), values, &[], &at, found);
        }
        Some(record) => fields(shapes, record, shapes.fields(record), values, kept, &at, found),
        None if values.is_empty() && kept.is_empty() => {}
        None => found.push(format!("{at}: nothing is in the variant, but {value:?}")),
    }
}

fn fields(
    shapes: &Shapes<'_>,
    id: RecordId,
    fields_here: &[FieldShape],
    values: &[(&str, Probe<'_>)],
    kept: &[&str],
    at: &str,
    found: &mut Vec<String>,
) {
    let record = &shapes.model().records[id.index()];
    let mut known: Vec<&str> = Vec::new();
    for field in fields_here {
        let row = &record.rows[field.row.index()];
        if let Some(name) = row.name.as_deref() {
            known.push(name);
            let at = format!("{at}.{name}");
            match values.iter().find(|(given, _)| *given == name) {
                Some((_, value)) => fits(shapes, &field.shape, value, &at, found),
                None if matches!(field.shape, Shape::Option(_) | Shape::Kept(_))
                    || row.homes.contains(&Home::Absent)
                    || !shapes.carries(&row.ty) => {}
                None => found.push(format!("{at}: is not there")),
            }
            continue;
        }
        let mut shape = &field.shape;
        let optional = matches!(shape, Shape::Option(_));
        while let Shape::Option(inner) | Shape::Boxed(inner) = shape {
            shape = inner;
        }
        let prefix = format!("#{}.", field.row.index());
        let inner_kept: Vec<&str> = kept.iter().filter_map(|k| k.strip_prefix(&prefix)).collect();
        match shape {
            Shape::Struct(inner) | Shape::Word(inner) => {
                let inner_fields = match shape {
                    Shape::Word(_) => shapes.word_fields(*inner),
                    _ => shapes.fields(*inner),
                };
                let names = names(shapes, *inner);
                let some: Vec<_> =
                    values.iter().filter(|(name, _)| names.iter().any(|n| n == name)).collect();
                known.extend(some.iter().map(|(name, _)| *name));
                if !optional || !some.is_empty() {
                    let mut own = Vec::new();
                    for (name, value) in some {
                        own.push((*name, copy(value)));
                    }
                    fields(shapes, *inner, inner_fields, &own, &inner_kept, at, found);
                }
            }
            shape => {
                // What stands for its row has the row's name.
                for (name, value) in values {
                    if !known.contains(name) && field.flattened {
                        fits(shapes, shape, value, &format!("{at}.{name}"), found);
                        known.push(name);
                        break;
                    }
                }
            }
        }
    }
    known.extend(insides(shapes, id, values, at, found));
    for (name, value) in values {
        if !known.contains(name) && !says_nothing(value) {
            found.push(format!("{at}.{name}: is no field, but {value:?}"));
        }
    }
    let own: Vec<&str> = kept
        .iter()
        .filter(|name| !(name.starts_with('#') && name.contains('.')))
        .copied()
        .collect();
    if !shapes.is_plain_word(id) {
        spelling(shapes, id, &own, at, found);
    }
}

/// Looks whether there is a place for how structs are spelled that have nothing but that, and gives
/// the names of their rows.
fn insides<'s>(
    shapes: &'s Shapes<'_>,
    id: RecordId,
    values: &[(&str, Probe<'_>)],
    at: &str,
    found: &mut Vec<String>,
) -> Vec<&'s str> {
    let mut names = Vec::new();
    for (row, inner) in shapes.insides(id) {
        let row = &shapes.model().records[id.index()].rows[row.index()];
        let Some(name) = row.name.as_deref() else { continue };
        names.push(name);
        let Some((_, Probe::Struct(below, kept))) = values.iter().find(|(n, _)| *n == name) else {
            continue;
        };
        let at = format!("{at}.{name}");
        let rows = shapes.spelling_names(*inner);
        for name in kept {
            let name = name.split('[').next().unwrap_or_default();
            if !name.is_empty() && !rows.iter().any(|row| row == name) {
                found.push(format!("{at}: no place for the spelling of `{name}`"));
            }
        }
        let known = insides(shapes, *inner, below, &at, found);
        for (name, value) in below {
            if !known.contains(name) && !says_nothing(value) {
                found.push(format!("{at}.{name}: is no field, but {value:?}"));
            }
        }
    }
    names
}

/// Names of all fields, also of structs without a name in it.
fn names(shapes: &Shapes<'_>, id: RecordId) -> Vec<String> {
    let mut all = Vec::new();
    for row in &shapes.model().records[id.index()].rows {
        match (&row.name, row.ty.stripped()) {
            (Some(name), _) => all.push(name.clone()),
            (None, crate::model::Type::Record(inner)) => all.extend(names(shapes, *inner)),
            _ => {}
        }
    }
    all
}

/// Whether rows whose spelling was kept have a place for it.
fn spelling(shapes: &Shapes<'_>, id: RecordId, kept: &[&str], at: &str, found: &mut Vec<String>) {
    let names = shapes.spelling_names(id);
    for name in kept {
        let name = name.split('[').next().unwrap_or_default();
        let record = &shapes.model().records[id.index()];
        let row = (0..).zip(&record.rows).find(|(_, row)| row.name.as_deref() == Some(name));
        let field = row.and_then(|(row, _)| shapes.field(id, crate::model::RowId(row)));
        let own = field.is_some_and(|field| matches!(field.shape, Shape::Kept(_)));
        let known = name.is_empty() || names.iter().any(|n| n == name);
        if !(own || shapes.has_spelling(id) && known) {
            found.push(format!("{at}: no place for the spelling of `{name}`"));
        }
    }
}

fn says_nothing(value: &Probe<'_>) -> bool {
    matches!(value, Probe::Struct(fields, kept)
        if kept.is_empty() && fields.iter().all(|(_, value)| says_nothing(value)))
}

/// The same value again.
fn copy<'v>(value: &Probe<'v>) -> Probe<'v> {
    match value {
        Probe::Int(number) => Probe::Int(*number),
        Probe::Float(bytes) => Probe::Float(*bytes),
        Probe::Bool => Probe::Bool,
        Probe::Text(text) => Probe::Text(text),
        Probe::Bytes => Probe::Bytes,
        Probe::Units => Probe::Units,
        Probe::List(elements) => Probe::List(elements.iter().map(copy).collect()),
        Probe::Struct(fields, kept) => Probe::Struct(
            fields.iter().map(|(name, value)| (*name, copy(value))).collect(),
            kept.clone(),
        ),
        Probe::Case(name, value) => Probe::Case(name, Box::new(copy(value))),
        Probe::None => Probe::None,
        Probe::Spelled(value, kept) => Probe::Spelled(Box::new(copy(value)), kept.clone()),
    }
}
