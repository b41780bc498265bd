//! Where levels of types that contain themselves are counted, and the stack is looked at.
//!
//! A level is counted only where each reader counts one, so that what a reader accepts fits an arena.
//! On each circle of types is a struct, so there at least the stack is looked at.

use proc_macro2::TokenStream;
use quote::quote;

use super::types::variants;
use crate::model::{RecordId, RecordKind, Type, UnionId};
use crate::rust::shape::{Shape, Shapes};

/// What the code for a record does first.
pub(super) fn record(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    if !is_circular(shapes, id) {
        return TokenStream::new();
    }
    let model = shapes.model();
    let record = &model.records[id.index()];
    let forms = match record.kind {
        RecordKind::Case(union, case) => &*model.unions[union.index()].cases[case as usize].forms,
        _ => &[],
    };
    let each_form = forms.iter().all(|form| model.records[form.record.index()].recursive);
    if record.recursive || !forms.is_empty() && each_form {
        quote!(let nesting = nesting.deeper()?;)
    } else {
        quote!(let nesting = nesting.further()?;)
    }
}

/// What the code for a union does first: it may be the body of records that have no struct.
pub(super) fn union(shapes: &Shapes<'_>, id: UnionId) -> Option<TokenStream> {
    let records = (0..).map(RecordId).zip(&shapes.model().records);
    let mut holders = records
        .filter(|(_, record)| record.rows.iter().any(|row| holds(&row.ty, id)))
        .map(|(holder, record)| record.recursive && shapes.is_transparent(holder))
        .peekable();
    let counted = holders.peek().is_some() && holders.all(|counted| counted);
    counted.then(|| quote!(let nesting = nesting.deeper()?;))
}

/// Whether values of a type hold a union with no record between.
fn holds(ty: &Type, id: UnionId) -> bool {
    ty.unions().any(|union| union == id)
}

/// Whether values of a record may contain others of it.
fn is_circular(shapes: &Shapes<'_>, id: RecordId) -> bool {
    let model = shapes.model();
    let mut records = vec![false; model.records.len()];
    let mut unions = vec![false; model.unions.len()];
    let fields = |id: RecordId| shapes.fields(id).iter().map(|field| field.shape.clone());
    let mut todo: Vec<Shape> = fields(id).collect();
    while let Some(shape) = todo.pop() {
        match shape {
            Shape::Struct(record) if !std::mem::replace(&mut records[record.index()], true) => {
                todo.extend(fields(record));
            }
            Shape::Choice(union) if !std::mem::replace(&mut unions[union.index()], true) => {
                let payloads = variants(shapes, union).into_iter().filter_map(|v| v.payload);
                todo.extend(payloads.map(|(record, _)| shapes.record(record)));
            }
            Shape::List(inner)
            | Shape::Fixed(inner, _)
            | Shape::Option(inner)
            | Shape::Boxed(inner)
            | Shape::Kept(inner) => todo.push(*inner),
            _ => {}
        }
    }
    records[id.index()]
}
