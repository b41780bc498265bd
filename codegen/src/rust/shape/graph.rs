//! What the types of a model contain: circles, lifetimes, and which types are used at all.

use super::build::Built;
use super::{FieldShape, IndexId, Shape};
use crate::model::{RecordId, RecordKind, Union, UnionId};

/// A type that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Struct(RecordId),
    Choice(UnionId),
}

/// Which types are in values of the root.
#[derive(Debug, Default)]
pub struct Used {
    pub records: Vec<bool>,
    pub unions: Vec<bool>,
    pub enums: Vec<bool>,
    pub indices: Vec<bool>,
}

/// Which types have a lifetime.
#[derive(Debug, Default)]
pub struct Borrowing {
    records: Vec<bool>,
    unions: Vec<bool>,
}

impl Borrowing {
    pub fn of(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Str | Shape::Bytes => true,
            Shape::Struct(record) => self.records.get(record.index()).copied().unwrap_or(false),
            Shape::Choice(union) => self.unions.get(union.index()).copied().unwrap_or(false),
            Shape::List(inner)
            | Shape::Fixed(inner, _)
            | Shape::Option(inner)
            | Shape::Boxed(inner)
            | Shape::Kept(inner) => self.of(inner),
            _ => false,
        }
    }
}

/// The shapes that a named type is made of.
fn contents(built: &Built<'_>, part: Part) -> Vec<Shape> {
    match part {
        Part::Struct(record) => {
            built.fields[record.index()].iter().map(|field| field.shape.clone()).collect()
        }
        Part::Choice(union) => {
            let cases =
                0..u32::try_from(built.model.unions[union.index()].cases.len()).unwrap_or(0);
            let payloads = cases.filter_map(|case| built.payload(union, case));
            payloads.map(|record| built.record(record)).collect()
        }
    }
}

/// The named type that values of this shape hold by value.
fn held(shape: &Shape) -> Option<Part> {
    match shape {
        Shape::Struct(record) => Some(Part::Struct(*record)),
        Shape::Choice(union) => Some(Part::Choice(*union)),
        Shape::Option(inner) | Shape::Kept(inner) | Shape::Fixed(inner, _) => held(inner),
        _ => None,
    }
}

/// Whether a type contains another (or itself) by value.
fn reaches(built: &Built<'_>, from: Part, to: Part) -> bool {
    let mut seen = vec![from];
    let mut todo = vec![from];
    while let Some(part) = todo.pop() {
        if part == to {
            return true;
        }
        for next in contents(built, part).iter().filter_map(held) {
            if !seen.contains(&next) {
                seen.push(next);
                todo.push(next);
            }
        }
    }
    false
}

/// Puts what would contain itself into boxes: optional fields first, then any.
pub fn box_circles(built: &mut Built<'_>) {
    for any in [false, true] {
        for index in 0..built.fields.len() {
            let record = RecordId(u32::try_from(index).unwrap_or(u32::MAX));
            for field in 0..built.fields[index].len() {
                let shape = &built.fields[index][field].shape;
                let Some(part) = held(shape) else { continue };
                if (any || matches!(shape, Shape::Option(_)))
                    && reaches(built, part, Part::Struct(record))
                {
                    let shape = boxed(shape.clone());
                    built.fields[index][field].shape = shape;
                }
            }
        }
    }
}

fn boxed(shape: Shape) -> Shape {
    match shape {
        Shape::Option(inner) => Shape::Option(Box::new(boxed(*inner))),
        other => Shape::Boxed(Box::new(other)),
    }
}

/// Everything that values of the root may contain.
pub fn reachable(built: &Built<'_>) -> Used {
    let mut used = Used {
        records: vec![false; built.model.records.len()],
        unions: vec![false; built.model.unions.len()],
        enums: vec![false; built.model.enums.len()],
        indices: vec![false; built.indices.len()],
    };
    let root = built.model.root;
    // The root has a struct even if it stands for its row.
    let mut todo = vec![Shape::Struct(root)];
    while let Some(shape) = todo.pop() {
        match shape {
            Shape::Struct(record) => {
                if !std::mem::replace(&mut used.records[record.index()], true) {
                    todo.extend(contents(built, Part::Struct(record)));
                }
            }
            Shape::Choice(union) => {
                if !std::mem::replace(&mut used.unions[union.index()], true) {
                    todo.extend(contents(built, Part::Choice(union)));
                }
            }
            Shape::Word(record) => {
                used.records[record.index()] = true;
                let rows = &built.model.records[record.index()].rows;
                todo.extend(rows.iter().map(|row| built.shape(&row.ty, row)));
            }
            Shape::Enum(id) => used.enums[id.index()] = true,
            Shape::Index(IndexId(id)) => used.indices[id as usize] = true,
            Shape::List(inner)
            | Shape::Fixed(inner, _)
            | Shape::Option(inner)
            | Shape::Boxed(inner)
            | Shape::Kept(inner) => todo.push(*inner),
            Shape::Int(_)
            | Shape::Float32
            | Shape::Float64
            | Shape::Bool
            | Shape::Endian
            | Shape::Str
            | Shape::Bytes
            | Shape::Utf16 => {}
        }
    }
    used
}

/// Which types have a lifetime: those with text or bytes, and whatever contains them.
pub fn borrowing(built: &Built<'_>) -> Borrowing {
    let mut known = Borrowing {
        records: vec![false; built.model.records.len()],
        unions: vec![false; built.model.unions.len()],
    };
    loop {
        let mut changed = false;
        for index in 0..known.records.len() {
            let part = Part::Struct(RecordId(u32::try_from(index).unwrap_or(u32::MAX)));
            if !known.records[index] && contents(built, part).iter().any(|shape| known.of(shape)) {
                known.records[index] = true;
                changed = true;
            }
        }
        for index in 0..known.unions.len() {
            let part = Part::Choice(UnionId(u32::try_from(index).unwrap_or(u32::MAX)));
            if !known.unions[index] && contents(built, part).iter().any(|shape| known.of(shape)) {
                known.unions[index] = true;
                changed = true;
            }
        }
        if !changed {
            return known;
        }
    }
}

/// The case of each union's default value: the first that has nothing in it, else the first one, unless
/// that needs a default of the same union again. Where unions need each other, the first of them takes
/// its first case that does not.
pub fn first_cases(built: &Built<'_>) -> Vec<u32> {
    let mut ends = vec![false; built.model.records.len()];
    let unions = || (0..).map(UnionId).zip(&built.model.unions);
    let cases = |union: &Union| 0..u32::try_from(union.cases.len()).unwrap_or(0);
    let empty = |(id, union): (UnionId, &Union)| {
        cases(union).find(|case| built.payload(id, *case).is_none())
    };
    let mut first: Vec<Option<u32>> = unions().map(empty).collect();
    loop {
        let mut changed = false;
        for index in 0..ends.len() {
            let here = !ends[index]
                && built.fields[index].iter().all(|field| has_end(&field.shape, &ends, &first));
            if here {
                ends[index] = true;
                changed = true;
            }
        }
        let finite = |id: UnionId, case: u32| {
            built.payload(id, case).is_none_or(|record| ends[record.index()])
        };
        let open: Vec<_> = unions().filter(|(id, _)| first[id.index()].is_none()).collect();
        for (id, union) in &open {
            if !union.cases.is_empty() && finite(*id, 0) {
                first[id.index()] = Some(0);
                changed = true;
            }
        }
        if !changed {
            // What is left goes round in its first cases.
            let other = open.iter().find_map(|(id, union)| {
                cases(union).find(|case| finite(*id, *case)).map(|case| (*id, case))
            });
            match other {
                Some((id, case)) => first[id.index()] = Some(case),
                None => return first.into_iter().map(Option::unwrap_or_default).collect(),
            }
        }
    }
}

/// Whether a default value of a shape is finite, as far as that is known.
fn has_end(shape: &Shape, ends: &[bool], first: &[Option<u32>]) -> bool {
    match shape {
        Shape::Struct(record) => ends[record.index()],
        Shape::Choice(union) => first[union.index()].is_some(),
        Shape::Fixed(inner, _) | Shape::Boxed(inner) => has_end(inner, ends, first),
        _ => true,
    }
}

/// Uses of one declaration with other arguments that hold nothing but spelling, or numbers that
/// usually follow from something, have one type: the first of them that is used.
pub fn twins(built: &Built<'_>) -> Vec<RecordId> {
    let records = &built.model.records;
    let ids = || (0..).map(RecordId).take(records.len());
    let empty = |id: RecordId| {
        built.used.records[id.index()]
            && built.fields[id.index()].iter().all(|f| matches!(f.shape, Shape::Kept(_)))
            && built.words[id.index()].is_none()
            && records[id.index()].kind == RecordKind::Struct
    };
    ids()
        .map(|id| {
            let record = &records[id.index()];
            let twin = |other: &RecordId| {
                let there = &records[other.index()];
                empty(*other)
                    && there.template == record.template
                    && there.span == record.span
                    && there.rows.len() == record.rows.len()
                    && same_fields(&built.fields[other.index()], &built.fields[id.index()])
                    && built.spelled[other.index()] == built.spelled[id.index()]
            };
            if empty(id) { ids().find(twin).unwrap_or(id) } else { id }
        })
        .collect()
}

fn same_fields(a: &[FieldShape], b: &[FieldShape]) -> bool {
    let same = |(a, b): (&FieldShape, &FieldShape)| {
        (a.row, &a.ident, &a.shape) == (b.row, &b.ident, &b.shape)
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}
