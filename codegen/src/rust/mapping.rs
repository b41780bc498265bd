//! Both ways between generated types and the engine, which the runtime has as macros: which row of
//! which record each field is.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, quote};

use super::packed;
use super::shape::{FieldShape, Shape, Shapes};
use crate::model::{Model, Record, RecordId, RecordKind, Signature, Type, UnionId};

/// What generated types have for the engine, and the functions of the type that stands for a file.
/// `fast`: there is a module `straight`.
pub(super) fn emit(shapes: &Shapes<'_>, fast: bool) -> TokenStream {
    let mut code = structs(shapes);
    code.extend(unions(shapes));
    code.extend(file(shapes, fast));
    code
}

fn file(shapes: &Shapes<'_>, fast: bool) -> TokenStream {
    let root = shapes.model().root;
    let (ident, packed) = (shapes.ident(root), packed::literal(shapes.model()));
    let fast = fast.then(|| quote!(straight));
    let lifetime = shapes.borrows(&Shape::Struct(root)).then(|| quote!(<'a>));
    let places = super::edits::has_places(shapes, root).then(|| quote!(places));
    let about = about(shapes.model());
    quote!(::formwork::__file! { #ident #lifetime [#fast] [#places] #about #packed })
}

/// A record whose values are in a struct, with the fields that its rows have there.
pub(super) struct Held<'s> {
    pub record: RecordId,
    pub fields: Vec<(u32, &'s FieldShape)>,
}

/// What the trait of formats says of one: its name, extensions, and what stands where in each file.
fn about(model: &Model) -> TokenStream {
    let (name, extensions) = (&model.name, &model.extensions);
    let signature = Signature::of(model);
    let cells = signature.cells.iter().filter(|_| signature.is_telling()).map(|cell| {
        let offset = Literal::u64_unsuffixed(cell.offset);
        let allowed = cell.allowed.iter().map(|bytes| Literal::byte_string(bytes));
        quote!(#offset [#(#allowed)*])
    });
    quote!(#name [#(#extensions)*] { #(#cells)* })
}

fn structs(shapes: &Shapes<'_>) -> TokenStream {
    held(shapes).values().map(|(holder, held)| fields_macro(shapes, *holder, held)).collect()
}

/// By the name of a struct: the record that it is made for, and all whose values are in it.
pub(super) fn held<'s>(shapes: &'s Shapes<'_>) -> BTreeMap<String, (RecordId, Vec<Held<'s>>)> {
    let model = shapes.model();
    let mut all: BTreeMap<String, (RecordId, Vec<Held<'_>>)> = BTreeMap::new();
    let own = model.records().map(|(id, _)| (id, id));
    for (id, holder) in own.chain(aliases(model)) {
        let plain = shapes.is_plain_word(holder) || shapes.is_transparent(holder);
        let form = matches!(model.records[id.index()].kind, RecordKind::Form(..));
        if plain || form || !shapes.is_typed(holder) {
            continue;
        }
        let ident = shapes.ident(holder).to_string();
        let (_, held) = all.entry(ident).or_insert((holder, Vec::new()));
        held.push(Held { record: id, fields: fields(shapes, id, holder) });
    }
    all
}

/// The fields of a struct that the rows of a record have.
fn fields<'s>(
    shapes: &'s Shapes<'_>,
    id: RecordId,
    holder: RecordId,
) -> Vec<(u32, &'s FieldShape)> {
    let rows = |id: RecordId| shapes.model().records[id.index()].numbered_rows();
    let field = |(row_id, row): (crate::model::RowId, &crate::model::Row)| {
        let in_holder = if holder == id {
            row_id
        } else {
            let name = row.name.as_ref()?;
            rows(holder).find(|(_, other)| other.name.as_ref() == Some(name))?.0
        };
        Some((row_id.0, shapes.field(holder, in_holder)?))
    };
    rows(id).filter_map(field).collect()
}

fn fields_macro(shapes: &Shapes<'_>, holder: RecordId, held: &[Held<'_>]) -> TokenStream {
    let ty = shapes.ty_for(&Shape::Struct(holder), false, &quote!('v));
    let spelling = shapes.has_spelling(holder).then(|| quote!(spelling));
    let all = shapes.fields(holder);
    let records = held.iter().map(|Held { record, fields }| {
        let number = Literal::u32_unsuffixed(record.0);
        let pairs = |kept: bool| {
            let of_kind = fields.iter().filter(move |(_, field)| is_kept(field) == kept);
            of_kind.map(|(row, field)| {
                let (row, ident) = (Literal::u32_unsuffixed(*row), &field.ident);
                quote!(#row #ident,)
            })
        };
        let (data, kept) = (pairs(false), pairs(true));
        let has = |field: &FieldShape| fields.iter().any(|(_, other)| other.ident == field.ident);
        let rest = (!all.iter().all(has)).then(|| quote!(Default));
        quote!(#number { #(#data)* } { #(#kept)* } { #spelling } { #rest })
    });
    let visited = all.iter().filter(|field| is_kept(field)).map(|field| {
        let row = Literal::u16_unsuffixed(shapes.spelling_row(holder, field.row));
        let ident = &field.ident;
        quote!(#row #ident,)
    });
    let own = spelling.as_ref().map(|spelling| quote!(.. #spelling));
    let is_number = |field: &FieldShape| field.shape.is_number();
    let flat = held.len() == 1 && spelling.is_none() && all.iter().all(is_number);
    let numbers = flat.then(|| quote!(numbers));
    quote!(::formwork::__fields! { #numbers [#ty] #(#records)* [#(#visited)* #own] })
}

fn is_kept(field: &FieldShape) -> bool {
    matches!(field.shape, Shape::Kept(_))
}

fn unions(shapes: &Shapes<'_>) -> TokenStream {
    let mut code = TokenStream::new();
    for (id, union) in (0..).map(UnionId).zip(&shapes.model().unions) {
        if !shapes.has_union(id) {
            continue;
        }
        let ty = shapes.ty_for(&Shape::Choice(id), false, &quote!('v));
        let (mut full, mut empty) = (TokenStream::new(), TokenStream::new());
        for (index, _) in (0_u32..).zip(&union.cases) {
            let (variant, payload): (Ident, _) = shapes.variant(id, index);
            let number = Literal::u32_unsuffixed(index);
            let cases = if payload.is_some() { &mut full } else { &mut empty };
            cases.extend(quote!(#number #variant,));
        }
        code.extend(quote!(::formwork::__cases! { [#ty] { #full } { #empty } }));
    }
    code.into_token_stream()
}

/// Records whose values are in the structs of others: a row of a form, or what is in it, may be of
/// another record than that of its case.
fn aliases(model: &Model) -> BTreeSet<(RecordId, RecordId)> {
    let mut found = BTreeSet::new();
    let mut todo = Vec::new();
    for (_, record) in model.records() {
        let RecordKind::Form(union, case, _) = record.kind else { continue };
        let logical = model.unions[union.index()].cases[case as usize].record;
        todo.extend(same_rows(record, &model.records[logical.index()]));
    }
    while let Some((ty, field)) = todo.pop() {
        match (ty, field) {
            (Type::Region(region), other) => todo.push((&region.inner, other)),
            (other, Type::Region(region)) => todo.push((other, &region.inner)),
            (Type::Array(array), Type::Array(field)) => {
                todo.push((&array.element, &field.element));
            }
            (Type::PerEpoch(types), Type::PerEpoch(fields)) => {
                todo.extend(types.iter().zip(fields));
            }
            (Type::PerEpoch(types), other) => todo.extend(types.iter().map(|ty| (ty, other))),
            (Type::Pointer(pointer), Type::Pointer(field)) => {
                todo.extend(pointer.owned().zip(field.owned()));
            }
            (Type::Pointer(pointer), other) => todo.extend(pointer.owned().map(|ty| (ty, other))),
            _ => {
                for (record, holder) in same_records(model, ty, field) {
                    if holder != record && found.insert((record, holder)) {
                        let [record, holder] =
                            [record, holder].map(|id| &model.records[id.index()]);
                        todo.extend(same_rows(record, holder));
                    }
                }
            }
        }
    }
    // What is in the struct of one that is in that of another is in that.
    loop {
        let next = |(record, through): &(RecordId, RecordId)| {
            let further = found.iter().filter(|(other, _)| other == through);
            let further = further.map(|(_, holder)| (*record, *holder));
            further.filter(|(record, holder)| record != holder).collect::<Vec<_>>()
        };
        let more: Vec<_> =
            found.iter().flat_map(next).filter(|pair| !found.contains(pair)).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// The types of rows that two records have by the same names.
fn same_rows<'m>(record: &'m Record, holder: &'m Record) -> Vec<(&'m Type, &'m Type)> {
    let named = record.rows.iter().filter(|row| row.name.is_some());
    let named = named.filter_map(|row| {
        let same = holder.rows.iter().find(|other| other.name == row.name)?;
        Some((&row.ty, &same.ty))
    });
    named.collect()
}

/// The records that two types are, or have as their cases.
fn same_records(model: &Model, ty: &Type, field: &Type) -> Vec<(RecordId, RecordId)> {
    match (ty, field) {
        (Type::Record(record), Type::Record(holder)) => vec![(*record, *holder)],
        (Type::Union(union), Type::Union(field)) => {
            let cases = |id: &UnionId| model.unions[id.index()].cases.iter();
            let pairs = cases(union).zip(cases(field));
            pairs.map(|(case, field)| (case.record, field.record)).collect()
        }
        _ => Vec::new(),
    }
}
