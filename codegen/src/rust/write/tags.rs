//! Checks of tags that rows say.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Gen;
use super::put::Put;
use crate::model::{ByteOrder, Cell, Label, RecordKind, Storage, Tag, Type, Union};
use crate::rust::read::labels;

impl<'m> Gen<'_, 'm> {
    /// Code that checks the tag that a row says; nothing if it says none.
    pub fn check_tag(&self, put: &Put<'m>) -> TokenStream {
        let (id, case, form) = match self.model.records[put.ctx.id.index()].kind {
            RecordKind::Case(id, case) => (id, case as usize, None),
            RecordKind::Form(id, case, form) => (id, case as usize, Some(form as usize)),
            _ => return quote!(),
        };
        let Type::Cell(Cell { storage: Storage::TagOf, .. }) = put.row.ty else { return quote!() };
        let union = &self.model.unions[id.index()];
        let (Tag::Own(tag) | Tag::Word(tag)) = &union.tag else { return quote!() };
        let Storage::Fixed(int) = tag.storage else { return quote!() };
        let own = match form {
            Some(form) => &union.cases[case].forms[form].labels,
            None => &union.cases[case].labels,
        };
        let (record, row) = (super::number(put.ctx.id.index()), super::number(put.row_id.index()));
        let (ty, signed) = (self.cell_name(tag), int.signed);
        let width = Literal::u32_unsuffixed(u32::from(int.bytes) * 8);
        let word = matches!(union.tag, Tag::Word(_));
        let big = match int.order {
            Some(order) => {
                let big = order == ByteOrder::Big;
                quote!(rt::Some(#big))
            }
            None => quote!(rt::None),
        };
        let own = labels(own);
        let others = others(union, case, form);
        let (noded, value, at) = (put.ctx.noded, self.src_of_value(put.ctx.id), &put.at);
        quote! {{
            static TAG: w::TagRow = w::TagRow {
                record: #record,
                row: #row,
                ty: #ty,
                width: #width,
                signed: #signed,
                word: #word,
                big: #big,
                labels: &[#(#own),*],
                others: &[#(#others),*],
            };
            if let rt::Err(fault) = w::check_tag(cx, &TAG, node, #noded, #value) {
                cx.w.report(*fault, #at);
            }
        }}
    }
}

/// Names, epochs and labels of what a reader prefers to a case or form, conditions aside: a case
/// that may decline is none of them.
fn others(union: &Union, case: usize, form: Option<usize>) -> Vec<TokenStream> {
    let mut found = Vec::new();
    let other = |name: &str, epochs: &[bool], taken: &[Label]| {
        let epochs = if epochs.contains(&false) { epochs } else { &[] };
        let taken = labels(taken);
        quote!((#name, &[#(#epochs),*], &[#(#taken),*]))
    };
    for (index, beside) in union.cases.iter().enumerate() {
        let plain = beside.forms.is_empty() && beside.guard.is_none();
        if plain && index != case {
            found.push(other(&beside.name, &beside.epochs, &beside.labels));
        }
        for (number, spelled) in beside.forms.iter().enumerate() {
            // The first form that fits is taken, also if it takes everything.
            if (index, Some(number)) == (case, form) {
                return found;
            }
            found.push(other(&beside.name, &spelled.epochs, &spelled.labels));
        }
    }
    found
}
