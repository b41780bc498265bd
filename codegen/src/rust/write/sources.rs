//! What the generated types have for the rows of records.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, quote};

use super::Gen;
use crate::model::{RecordId, RowId};
use crate::rust::shape::Shape;

impl Gen<'_, '_> {
    /// Implementations of what the walk over values asks of them.
    pub(super) fn sources(&self) -> TokenStream {
        let mut code = self.numbers();
        code.extend(self.structs());
        code.extend(self.unions());
        code
    }

    fn structs(&self) -> TokenStream {
        let mut all: BTreeMap<String, (RecordId, Vec<TokenStream>)> = BTreeMap::new();
        let aliases = self.aliases();
        let own = self.model.records().map(|(id, _)| (id, self.holder(id)));
        for (id, holder) in own.chain(aliases) {
            let plain = self.shapes.is_plain_word(holder) || self.shapes.is_transparent(holder);
            if plain || !self.shapes.is_typed(holder) {
                continue;
            }
            let ident = self.shapes.ident(holder);
            let (_, fields) = all.entry(ident.to_string()).or_insert((holder, Vec::new()));
            for (row_id, _) in self.model.records[id.index()].numbered_rows() {
                let Some(field) = self.field_of(id, holder, row_id) else { continue };
                let (record, row) =
                    (Literal::u32_unsuffixed(id.0), Literal::u32_unsuffixed(row_id.0));
                fields.push(quote!(#record #row #field,));
            }
        }
        let mut code = TokenStream::new();
        for (holder, fields) in all.values() {
            let ty = self.shapes.ty_for(&Shape::Struct(*holder), true, &quote!('v));
            let spelling = self.shapes.has_spelling(*holder).then(|| quote!(spelling));
            code.extend(quote!(::formwork::__fields! { [#ty] { #(#fields)* } #spelling }));
        }
        code
    }

    /// Field of a struct for the row of a record.
    fn field_of(&self, id: RecordId, holder: RecordId, row: RowId) -> Option<Ident> {
        let row = if holder == id {
            row
        } else {
            let name = self.row(id, row).name.as_ref()?;
            self.model.records[holder.index()]
                .numbered_rows()
                .find(|(_, other)| other.name.as_ref() == Some(name))?
                .0
        };
        let field = self.shapes.field(holder, row)?;
        (!matches!(field.shape, Shape::Kept(_))).then(|| field.ident.clone())
    }

    fn unions(&self) -> TokenStream {
        let mut code = TokenStream::new();
        for id in (0..).map(crate::model::UnionId).take(self.model.unions.len()) {
            if !self.shapes.has_union(id) {
                continue;
            }
            let ty = self.shapes.ty_for(&Shape::Choice(id), true, &quote!('v));
            let (mut full, mut empty) = (TokenStream::new(), TokenStream::new());
            for (index, _) in (0_u32..).zip(&self.model.unions[id.index()].cases) {
                let (variant, payload) = self.shapes.variant(id, index);
                let number = Literal::u32_unsuffixed(index);
                if payload.is_some() { &mut full } else { &mut empty }
                    .extend(quote!(#number #variant,));
            }
            code.extend(quote!(::formwork::__cases! { [#ty] { #full } { #empty } }));
        }
        code
    }

    /// Numbers of types that the runtime does not know.
    fn numbers(&self) -> TokenStream {
        let mut code = TokenStream::new();
        let mut number = |ident: Ident, value: TokenStream| {
            code.extend(quote!(::formwork::__number! { [super::#ident] x => #value }));
        };
        for (index, _) in self.model.enums.iter().enumerate() {
            let id = crate::model::EnumId(u32::try_from(index).unwrap_or(u32::MAX));
            if self.shapes.has_enum(id) {
                number(self.shapes.enum_ident(id), quote!((*x).number()));
            }
        }
        for id in self.shapes.indices() {
            if self.shapes.has_index(id) {
                number(self.shapes.index_ident(id), quote!((*x).number()));
            }
        }
        for (id, _) in self.model.records() {
            if self.shapes.is_plain_word(id) && self.shapes.has_type(id) {
                number(self.shapes.ident(id), quote!(x.0));
            }
        }
        code.into_token_stream()
    }
}
