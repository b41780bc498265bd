//! Documentation in generated code.

use proc_macro2::TokenStream;
use quote::quote;

use super::shape::{IndexId, Shapes};
use crate::model::{RecordId, RecordKind};
use crate::prose::documentation;

/// Documentation of an item, if it has some.
pub(in crate::rust) fn docs(doc: Option<&str>) -> TokenStream {
    match doc {
        Some(doc) => {
            let lines = doc.lines().map(|line| format!(" {}", documentation(line)));
            quote!(#(#[doc = #lines])*)
        }
        None => TokenStream::new(),
    }
}

/// Documentation of a record: its own, or that of the case that it is the body of.
pub(in crate::rust) fn record_doc(shapes: &Shapes<'_>, id: RecordId) -> Option<String> {
    let record = &shapes.model().records[id.index()];
    if let (None, RecordKind::Case(union, case)) = (&record.doc, &record.kind) {
        let union = &shapes.model().unions[union.index()];
        let case = &union.cases[*case as usize];
        let what = format!("Case `{}` of [`{}`].", case.name, {
            let RecordKind::Case(id, _) = record.kind else { return None };
            shapes.union_ident(id)
        });
        return Some(match &case.doc {
            Some(doc) => format!("{doc}\n\n{what}"),
            None => what,
        });
    }
    record.doc.clone()
}

/// Documentation of a type of positions.
pub(in crate::rust) fn index_doc(shapes: &Shapes<'_>, id: IndexId) -> String {
    let Some((record, row)) = shapes.index_array(id) else {
        return "Position in an array, counted from 0.".to_owned();
    };
    let record = &shapes.model().records[record.index()];
    let row = record.rows[row.index()].name.as_deref().unwrap_or_default();
    format!("Position in `{row}` of `{}`, counted from 0.", record.template)
}
