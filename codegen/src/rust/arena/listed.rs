//! What has a type in an arena, and the name of the type that holds it all.

use proc_macro2::Ident;

use crate::model::{EnumId, RecordId, UnionId};
use crate::rust::names::Scope;
use crate::rust::shape::Shapes;

/// Name of the type that holds root and pools.
pub(in crate::rust) fn name(shapes: &Shapes<'_>) -> Ident {
    let model = shapes.model();
    let records = records(shapes).map(|id| shapes.ident(id));
    let unions = unions(shapes).map(|id| shapes.union_ident(id));
    let enums = enums(shapes).map(|id| shapes.enum_ident(id));
    let indices = shapes.indices().filter(|id| shapes.has_index(*id));
    let indices = indices.map(|id| shapes.index_ident(id));
    let taken: Vec<String> =
        records.chain(unions).chain(enums).chain(indices).map(|ident| ident.to_string()).collect();
    let taken: Vec<&str> = taken.iter().map(String::as_str).collect();
    Scope::with(&taken).take(&[format!("{}Arena", shapes.ident(model.root))])
}

/// Records that have a type of their own.
pub(super) fn records<'s>(shapes: &'s Shapes<'_>) -> impl Iterator<Item = RecordId> + 's {
    let ids = (0..).map(RecordId).take(shapes.model().records.len());
    ids.filter(|id| shapes.has_type(*id))
}

/// Records that have a struct of their own.
pub(super) fn structs<'s>(shapes: &'s Shapes<'_>) -> impl Iterator<Item = RecordId> + 's {
    records(shapes).filter(|id| !shapes.is_plain_word(*id))
}

/// Unions that have a type.
pub(super) fn unions<'s>(shapes: &'s Shapes<'_>) -> impl Iterator<Item = UnionId> + 's {
    let ids = (0..).map(UnionId).take(shapes.model().unions.len());
    ids.filter(|id| shapes.has_union(*id))
}

/// Enumerations that have a type.
pub(super) fn enums<'s>(shapes: &'s Shapes<'_>) -> impl Iterator<Item = EnumId> + 's {
    let ids = (0..).map(EnumId).take(shapes.model().enums.len());
    ids.filter(|id| shapes.has_enum(*id))
}
