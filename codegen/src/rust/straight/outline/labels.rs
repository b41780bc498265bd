//! Labels of pieces.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Expr, Lifetime, Member};

use crate::model::{RecordId, RowId};

/// How labels of cases begin, and of those that make values.
const CASE: &str = "case__";
const ARM: &str = "arm__";
const SMALL: &str = "small__";

/// The label of what is done for a row.
pub(in crate::rust::straight) fn piece(verb: &str, record: RecordId, row: RowId) -> Lifetime {
    Lifetime::new(&format!("'{verb}__{}_{}", record.0, row.0), Span::call_site())
}

/// The label of what is done for the whole file.
pub(in crate::rust::straight) fn root_piece(verb: &str, root: RecordId) -> Lifetime {
    Lifetime::new(&format!("'{verb}__{}", root.0), Span::call_site())
}

/// The label of what is found in a case.
pub(in crate::rust::straight) fn find_piece(record: RecordId) -> Lifetime {
    Lifetime::new(&format!("'find__{}", record.0), Span::call_site())
}

/// Whether a label is that of what is done for a row.
pub(super) fn is_piece(label: &Ident) -> bool {
    let label = label.to_string();
    label.contains("__") && ![CASE, ARM, SMALL].iter().any(|begin| label.starts_with(begin))
}

/// Whether a label is that of a case of few steps.
pub(super) fn is_small(label: &Ident) -> bool {
    label.to_string().starts_with(SMALL)
}

/// The name of what a loop goes through: the last field on the way.
pub(super) fn words_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::MethodCall(call) => words_of(&call.receiver),
        Expr::Reference(of) => words_of(&of.expr),
        Expr::Paren(of) => words_of(&of.expr),
        Expr::Field(field) => match &field.member {
            Member::Named(name) => Some(name.to_string().trim_start_matches("r#").to_owned()),
            Member::Unnamed(_) => None,
        },
        _ => None,
    }
}

/// What functions of a case begin with, and the number of its record, if a label is that of one.
pub(super) fn case_of(label: &Ident) -> Option<(&'static str, String)> {
    let label = label.to_string();
    let of = |begin: &str| label.strip_prefix(begin).map(str::to_owned);
    let arm = || of(ARM).or_else(|| of(SMALL)).map(|record| ("arm", record));
    of(CASE).map(|record| ("one", record)).or_else(arm)
}

/// What sets a local of a type for a row that is read.
pub(in crate::rust::straight) fn field_piece(
    (record, row): (RecordId, RowId),
    (field, ty): (&Ident, &TokenStream),
    code: &TokenStream,
) -> TokenStream {
    let label = piece("read", record, row);
    quote!(#label: { let #field: #ty = #field; #code })
}

/// What is done for an element whose value has a name, as perhaps its index.
pub(in crate::rust::straight) fn element_piece(
    record: RecordId,
    (value, ty): (&Ident, &TokenStream),
    index: Option<&Ident>,
    code: &TokenStream,
) -> TokenStream {
    let label = Lifetime::new(&format!("'one__{}", record.0), Span::call_site());
    let index = index.map(|index| quote!(let #index: usize = #index;));
    quote!(#label: { let #value: &'v #ty = #value; #index #code })
}

/// The label of what is done for a case.
pub(in crate::rust::straight) fn case_piece(record: RecordId) -> Lifetime {
    Lifetime::new(&format!("'{CASE}{}", record.0), Span::call_site())
}

/// A case that is read, which sets a local of a type, or none.
pub(in crate::rust::straight) fn arm_piece(
    record: RecordId,
    made: Option<(&Ident, &TokenStream)>,
    code: &TokenStream,
) -> TokenStream {
    let label = Lifetime::new(&format!("'{ARM}{}", record.0), Span::call_site());
    match made {
        Some((made, ty)) => quote!(#label: { let #made: #ty; #code rt::Ok(#made) }),
        None => quote!(#label: { #code rt::Ok(()) }),
    }
}

/// The same for one of few steps.
pub(in crate::rust::straight) fn small_piece(
    record: RecordId,
    made: Option<(&Ident, &TokenStream)>,
    code: &TokenStream,
) -> TokenStream {
    let label = Lifetime::new(&format!("'{SMALL}{}", record.0), Span::call_site());
    match made {
        Some((made, ty)) => {
            quote!(#label: { let #made: #ty; #code rt::Ok::<_, s::Odd>(#made) })
        }
        None => quote!(#label: { #code rt::Ok::<(), s::Odd>(()) }),
    }
}
