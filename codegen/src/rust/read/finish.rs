//! From what was read to values: of a node its slots and early rows, of other records a list.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::build::{Part, store_name};
use super::{Reading, number};
use crate::model::{Record, RecordId, Role, RowId, UnionId};
use crate::rust::shape::{FieldShape, Shape};

impl Reading<'_, '_> {
    /// The function that makes the value of a node.
    pub(super) fn finish(&self, id: RecordId, _record: &Record) -> TokenStream {
        if !self.typed_record(id) {
            return quote!();
        }
        let finish = format_ident!("finish_{}", id.0);
        let result = self.result(id);
        let mut code = TokenStream::new();
        let early: Vec<RowId> = self.early_rows(id);
        if !early.is_empty() {
            code.extend(quote!(let own = rt::take_early(cx, owner)?;));
        }
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
        let values = fields.iter().map(|field| {
            if early.contains(&field.row) {
                self.own_value(id, field)
            } else {
                self.slot_field(id, field)
            }
        });
        let values: Vec<_> = values.collect();
        let value = if self.shapes.is_transparent(id) {
            values.into_iter().next().unwrap_or_else(|| quote!(rt::Default::default()))
        } else {
            self.struct_of(id, &values, quote!(rt::take_spelling(cx, owner)))
        };
        quote! {
            fn #finish(cx: &mut Self, owner: rt::NodeId) -> rt::Read<#result> {
                #code
                rt::Ok(#value)
            }
        }
    }

    /// The value of a field that has a slot.
    fn slot_field(&self, id: RecordId, field: &FieldShape) -> TokenStream {
        let Some(slot) = self.plan.slot(id, field.row) else {
            return quote!(rt::Default::default());
        };
        let slot = Literal::u16_unsuffixed(slot);
        let derived = matches!(self.row(id, field.row).role, Role::Derived)
            .then(|| format_ident!("d{}", field.row.0));
        let beside = [Part::Own, Part::Target, Part::Element]
            .iter()
            .any(|part| self.part_of(id, field.row, *part).is_some());
        if !beside && self.is_plain(&field.shape) {
            self.want(&field.shape);
            return match (&field.shape, derived) {
                (Shape::Kept(_), _) => quote!(rt::take_kept(cx, owner, #slot)?),
                (_, Some(derived)) => quote!(rt::take_given(cx, owner, #slot, #derived)?),
                (_, None) => quote!(rt::take(cx, owner, #slot)?),
            };
        }
        let value = match &field.shape {
            Shape::Kept(inner) => {
                let build = self.build(inner, id, field.row);
                quote!(match cx.core.deviating.remove(&(owner, #slot)) {
                    rt::None => ::formwork::Kept::canonical(),
                    rt::Some(val) => {
                        let stored = #build;
                        let item = &val.into_item();
                        ::formwork::Kept::instead_of(stored, #build)
                    }
                })
            }
            shape => self.slot_value(id, field.row, &slot, shape),
        };
        let value = match derived {
            Some(derived) => quote!(if #derived { rt::None } else { #value }),
            None => value,
        };
        quote!({
            let item = &rt::take_item(cx, owner, #slot);
            #value
        })
    }

    /// The value of a slot that may be kept beside the tree as a whole.
    fn slot_value(&self, id: RecordId, row: RowId, slot: &Literal, shape: &Shape) -> TokenStream {
        let Some((kept, _)) = self.part_of(id, row, Part::Own) else {
            return self.build(shape, id, row);
        };
        let store = store_name(id, row, Part::Own);
        let slices = self.slices;
        let value = quote!(cx.core.tree.slot(owner, #slot).value);
        if kept == *shape {
            return quote!(rt::stored_or(&mut cx.store.#store, #value, #slices)?);
        }
        let take = self.unstore(&store);
        let (wrapped, default) = wrap(shape, take);
        quote!(match #value { rt::NOTHING => #default, value => #wrapped })
    }

    /// The value of a field of a record without a node, or of an early one: from a list `own`.
    fn own_value(&self, id: RecordId, field: &FieldShape) -> TokenStream {
        let row = Literal::u32_unsuffixed(field.row.0);
        if self.free_typed(id, field.row).is_some() {
            let store = store_name(id, field.row, Part::Own);
            let slices = self.slices && self.plan.noded(id);
            return quote!(rt::stored_or(&mut cx.store.#store, own.value(#row), #slices)?);
        }
        if self.is_plain(&field.shape) {
            self.want(&field.shape);
            return quote!(rt::Build::build(cx, own.item(#row))?);
        }
        let build = self.build_plain(&field.shape);
        quote!({ let item = own.item(#row); #build })
    }

    /// The function that makes the value of a record without a node.
    pub(super) fn make(&self, id: RecordId) -> TokenStream {
        if !self.typed_record(id) {
            let make = format_ident!("make_{}", id.0);
            return quote! {
                fn #make(cx: &mut Self, own: rt::Frame<'i>) -> rt::Read<()> {
                    rt::Ok(())
                }
            };
        }
        let make = format_ident!("make_{}", id.0);
        let result = self.result(id);
        let fields = self.shapes.fields(id);
        let values = fields.iter().map(|field| self.own_value(id, field));
        let values: Vec<_> = values.collect();
        let value = if self.shapes.is_transparent(id) {
            values.into_iter().next().unwrap_or_else(|| quote!(rt::Default::default()))
        } else {
            self.struct_of(id, &values, quote!(own.spelling))
        };
        quote! {
            fn #make(cx: &mut Self, own: rt::Frame<'i>) -> rt::Read<#result> {
                rt::Ok(#value)
            }
        }
    }

    /// The function that makes the value of a union: of the node of its case, or of a list.
    pub(super) fn make_union(&self, id: UnionId) -> TokenStream {
        if !self.shapes.has_union(id) {
            return quote!();
        }
        let noded = self.is_noded_union(id);
        let ty = self.ty(&Shape::Choice(id));
        let union = &self.model.unions[id.index()];
        let arms = (0_u32..).zip(&union.cases).map(|(index, case)| {
            let record = number(case.record.index());
            let path = self.path(&self.shapes.union_ident(id));
            let (variant, payload) = self.shapes.variant(id, index);
            let (number, value) = if noded {
                let finish = format_ident!("finish_{}", case.record.0);
                (Literal::u16_unsuffixed(record), quote!(Self::#finish(cx, owner)?))
            } else {
                let make = format_ident!("make_{}", case.record.0);
                (Literal::u32_unsuffixed(index), quote!(Self::#make(cx, own)?))
            };
            match payload {
                Some(_) if self.typed_record(case.record) => {
                    quote!(#number => #path::#variant(#value),)
                }
                Some(_) => quote!(#number => #path::#variant(rt::Default::default()),),
                None => quote!(#number => #path::#variant,),
            }
        });
        let (name, of, what) = if noded {
            (
                format_ident!("finish_union_{}", id.0),
                quote!(owner: rt::NodeId),
                quote!(cx.core.tree.node(owner).record),
            )
        } else {
            (
                format_ident!("make_union_{}", id.0),
                quote!(case: u16, own: rt::Frame<'i>),
                quote!(case),
            )
        };
        quote! {
            fn #name(cx: &mut Self, #of) -> rt::Read<#ty> {
                rt::Ok(match #what {
                    #(#arms)*
                    _ => rt::Default::default(),
                })
            }
        }
    }

    /// A record's value of the values of its fields.
    fn struct_of(
        &self,
        id: RecordId,
        values: &[TokenStream],
        spelling: TokenStream,
    ) -> TokenStream {
        let fields = self.shapes.fields(id);
        let path = self.path(&self.shapes.ident(id));
        let names = fields.iter().map(|field| &field.ident);
        let spelling = self.shapes.has_spelling(id).then(|| quote!(spelling: #spelling,));
        quote!(#path { #(#names: #values,)* #spelling })
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
