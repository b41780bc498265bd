//! The second pass over a node: from its slots and early rows to its value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::build::{Part, store_name};
use super::{Reading, number};
use crate::model::{Record, RecordId, Role, RowId, UnionId};
use crate::rust::shape::Shape;

impl Reading<'_, '_> {
    /// The function that makes the value of a node.
    pub(super) fn finish(&self, id: RecordId, _record: &Record) -> TokenStream {
        if !self.typed(id) {
            return quote!();
        }
        let finish = format_ident!("finish_{}", id.0);
        let result = self.result(id);
        let mut code = TokenStream::new();
        let mut rows = Vec::new();
        let early: Vec<RowId> = self.early_rows(id);
        if !early.is_empty() {
            let store = Self::early_name(id);
            let take = self.unstore(&store);
            code.extend(quote! {
                let value = cx.core.tree.node(owner).value;
                let early = #take;
            });
            for row in &early {
                let name = format_ident!("f{}", row.0);
                code.extend(quote!(let #name = early.#name;));
            }
        }
        let transparent = self.shapes.is_transparent(id);
        let fields = self.shapes.fields(id);
        // What decides whether a row is derived is looked at before anything is taken.
        for field in fields {
            if let (Role::Derived, Some(slot)) =
                (&self.row(id, field.row).role, self.plan.slot(id, field.row))
            {
                let name = format_ident!("d{}", field.row.0);
                code.extend(quote!(let #name = rt::is_derived(cx, rt::Loc::slot(owner, #slot));));
            }
        }
        for field in fields {
            rows.push(field.row);
            let name = format_ident!("f{}", field.row.0);
            if early.contains(&field.row) {
                continue;
            }
            let Some(slot) = self.plan.slot(id, field.row) else {
                code.extend(quote!(let #name = rt::Default::default();));
                continue;
            };
            let definition = self.row(id, field.row);
            let value = match &field.shape {
                Shape::Kept(inner) => {
                    let build = self.build(inner, id, field.row);
                    quote!(match cx.core.deviating.remove(&(owner, #slot)) {
                        rt::None => ::formwork::Kept::canonical(),
                        rt::Some(val) => {
                            let stored = #build;
                            let canonical = val.into_item();
                            let item = &canonical;
                            ::formwork::Kept::instead_of(stored, #build)
                        }
                    })
                }
                shape => self.slot_value(id, field.row, slot, shape),
            };
            // Given where nothing derives it.
            let value = if matches!(definition.role, Role::Derived) {
                let derived = format_ident!("d{}", field.row.0);
                quote!(if #derived { rt::None } else { #value })
            } else {
                value
            };
            let item = if self.slices {
                quote!(cx.core.tree.slot(owner, #slot).item.clone())
            } else {
                quote!(cx.core.tree.take_item(owner, #slot))
            };
            code.extend(quote! {
                let #name = {
                    let owned: rt::Item<'i> = #item;
                    let item = &owned;
                    #value
                };
            });
        }
        let value = if transparent {
            let name = format_ident!("f{}", fields.first().map_or(0, |field| field.row.0));
            quote!(#name)
        } else {
            if self.shapes.has_spelling(id) {
                let take = if self.slices {
                    quote!(cx.core.kept.get(&owner).cloned().unwrap_or_default())
                } else {
                    quote!(cx.core.kept.remove(&owner).unwrap_or_default())
                };
                code.extend(quote!(let spelling = #take;));
            }
            self.struct_of(id, &rows)
        };
        quote! {
            fn #finish<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                owner: rt::NodeId,
            ) -> rt::Read<#result> {
                #code
                rt::Ok(#value)
            }
        }
    }

    /// The value of a slot that may be kept beside the tree as a whole.
    fn slot_value(&self, id: RecordId, row: RowId, slot: u16, shape: &Shape) -> TokenStream {
        let build = self.build(shape, id, row);
        if self.part_of(id, row, Part::Own).is_none() {
            return build;
        }
        let store = store_name(id, row, Part::Own);
        let take = self.unstore(&store);
        let (wrapped, default) = wrap(shape, take);
        quote!(match cx.core.tree.slot(owner, #slot).value {
            rt::NOTHING => #default,
            value => #wrapped,
        })
    }

    /// The function that makes the value of the node of a case.
    pub(super) fn finish_union(&self, id: UnionId) -> TokenStream {
        if !self.shapes.has_union(id) || !self.is_noded_union(id) {
            return quote!();
        }
        let finish = format_ident!("finish_union_{}", id.0);
        let ty = self.ty(&Shape::Choice(id));
        let union = &self.model.unions[id.index()];
        let arms = (0_u32..).zip(&union.cases).map(|(index, case)| {
            let record = number(case.record.index());
            let finish = format_ident!("finish_{}", case.record.0);
            let path = self.path(&self.shapes.union_ident(id));
            let (variant, payload) = self.shapes.variant(id, index);
            match payload {
                Some(_) if self.typed(case.record) => {
                    quote!(#record => #path::#variant(#finish(cx, owner)?),)
                }
                Some(_) => quote!(#record => #path::#variant(rt::Default::default()),),
                None => quote!(#record => #path::#variant,),
            }
        });
        quote! {
            fn #finish<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                owner: rt::NodeId,
            ) -> rt::Read<#ty> {
                rt::Ok(match cx.core.tree.node(owner).record {
                    #(#arms)*
                    _ => rt::Default::default(),
                })
            }
        }
    }

    /// A record's value from variables `f0`, `f1`... and `spelling`.
    pub(super) fn struct_of(&self, id: RecordId, rows: &[RowId]) -> TokenStream {
        if !self.typed(id) {
            return quote!(());
        }
        let fields = self.shapes.fields(id);
        if self.shapes.is_transparent(id) {
            let name = format_ident!("f{}", fields.first().map_or(0, |field| field.row.0));
            return quote!(#name);
        }
        let path = self.path(&self.shapes.ident(id));
        let values = fields.iter().map(|field| {
            let ident = &field.ident;
            if rows.contains(&field.row) {
                let name = format_ident!("f{}", field.row.0);
                quote!(#ident: #name)
            } else {
                quote!(#ident: rt::Default::default())
            }
        });
        let spelling = self.shapes.has_spelling(id).then(|| quote!(spelling,));
        quote!(#path { #(#values,)* #spelling })
    }
}

/// A value of the shape's core as one of the shape, and what it is if there is none.
fn wrap(shape: &Shape, value: TokenStream) -> (TokenStream, TokenStream) {
    match shape {
        Shape::Option(inner) => {
            let (value, _) = wrap(inner, value);
            (quote!(rt::Some(#value)), quote!(rt::None))
        }
        Shape::Boxed(inner) => {
            let (value, _) = wrap(inner, value);
            (quote!(rt::Box::new(#value)), quote!(rt::Default::default()))
        }
        _ => (value, quote!(rt::Default::default())),
    }
}
