//! Elements of arrays: types that say how one is found.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::item::{Item, Spot, may_fail};
use super::rows::Scope;
use super::{Views, Wanted, layout};
use crate::model::{ArrayType, Home, RecordId, RowId, Target, Type};
use crate::rust::names::camel;
use crate::rust::shape::Shape;
use crate::rust::straight::{Able, unable};

/// How elements of an array are found.
#[derive(Clone)]
pub(super) struct Element {
    /// The type that says it.
    pub marker: TokenStream,
    /// Whether all are of one size.
    pub fixed: bool,
}

/// A type that is emitted for the elements of an array.
pub(super) struct Decoder {
    pub element: Element,
    pub tokens: TokenStream,
}

impl Views<'_, '_> {
    /// How the elements of the array in a row are found.
    pub(super) fn element(&self, row: (RecordId, RowId)) -> Able<Element> {
        if let Some(known) = self.decoders.borrow().get(&row) {
            return Ok(known.element.clone());
        }
        let definition = &self.model.records[row.0.index()].rows[row.1.index()];
        // The element in each layout that has the array.
        let mut types: Vec<(usize, &Type)> = Vec::new();
        for epoch in self.epochs() {
            let row = &self.layouts[epoch].records[row.0.index()].rows[row.1.index()];
            if row.home(layout(epoch)) == Home::Absent {
                continue;
            }
            if let Some(array) = array_in(&row.ty) {
                types.push((epoch, &array.element));
            }
        }
        let Some((_, first)) = types.first() else { return unable("no array") };
        let shape = match self.shapes.field(row.0, row.1).map(|field| field.shape.core()) {
            Some(Shape::List(inner) | Shape::Fixed(inner, _)) => (**inner).clone(),
            _ => self.shapes.of(first, definition),
        };
        if let Type::Record(id) = first
            && types.iter().all(|(_, ty)| matches!(ty, Type::Record(other) if other == id))
            && !self.shapes.is_plain_word(*id)
        {
            if let Some(union) = self.body_union(*id) {
                let item = self.union_item(Scope::Element(0), &Spot::At(quote!(place)), union)?;
                if self.fixed_size(first).is_none() && self.is_endless(Wanted::Union(union)) {
                    return unable("the end of an element cannot be found");
                }
                return Ok(Element { marker: item.ty, fixed: false });
            }
            if self.model.records[id.index()].endian.is_some() {
                return unable("structs with a byte order of their own");
            }
            if self.model.records[id.index()].align.is_some_and(|align| align > 1) {
                return unable("elements that begin on an alignment");
            }
            self.says_something(*id)?;
            let fixed = self.fixed_size(first).is_some();
            if !fixed && self.is_endless(Wanted::Record(*id)) {
                return unable("the end of an element cannot be found");
            }
            return Ok(Element { marker: self.record_ty(*id), fixed });
        }
        if let [(_, Type::Cell(cell))] | [(_, Type::Cell(cell)), ..] = &types[..]
            && types.iter().all(|(_, ty)| matches!(ty, Type::Cell(other) if other == cell))
            && let Some(marker) = self.number_element(cell, definition, shape.core())
        {
            return Ok(Element { marker, fixed: true });
        }
        let decoder = self.decoder(row, &types, &shape)?;
        let element = decoder.element.clone();
        self.decoders.borrow_mut().insert(row, decoder);
        Ok(element)
    }

    fn decoder(
        &self,
        row: (RecordId, RowId),
        types: &[(usize, &Type)],
        shape: &Shape,
    ) -> Able<Decoder> {
        let record = &self.model.records[row.0.index()];
        let definition = &record.rows[row.1.index()];
        let sized = |(epoch, ty): &(usize, &Type)| self.sizes[*epoch].of(ty).is_some();
        let fixed = types.iter().all(sized);
        let place = quote!(place);
        let spot = match fixed {
            true => Spot::Block { block: quote!(block), place: place.clone(), at: 0 },
            false => Spot::At(place.clone()),
        };
        let mut items: Vec<(usize, Item)> = Vec::new();
        for (epoch, ty) in types {
            if array_in(ty).is_some() {
                return unable("arrays in an array");
            }
            items.push((*epoch, self.item(Scope::Element(*epoch), &spot, ty, row, shape)?));
        }
        let Some((_, first)) = items.first() else { return unable("no array") };
        let text = first.ty.to_string();
        if items.iter().any(|(_, item)| item.ty.to_string() != text) {
            return unable("what an element is depends on the layout");
        }
        let optional =
            matches!(shape, Shape::Option(_)) || items.iter().any(|(_, item)| item.optional);
        let of =
            |epoch: usize| items.iter().find(|(known, _)| *known == epoch).map(|(_, item)| item);
        let mut ty = first.ty.clone();
        if optional {
            ty = quote!(::core::option::Option<#ty>);
        }
        let value = |epoch: usize| {
            of(epoch).map(|item| if optional { item.option() } else { item.value.clone() })
        };
        let name = self.element_name(&format!(
            "{}{}Element",
            self.record_ident(row.0),
            camel(definition.name.as_deref().unwrap_or("row"))
        ));
        let value = self.by_layout(&place, |epoch| Ok(value(epoch)), &TokenStream::new())?;
        let tokens = if fixed {
            let size = self.element_size(types)?;
            let (item, body) = match may_fail(&value) {
                true => (quote!(v::Result<#ty>), quote!((|| rt::Ok(#value))())),
                false => (ty, value),
            };
            quote! {
                impl<'a> v::Fixed<'a> for #name {
                    type Item = #item;

                    #[inline]
                    fn size(place: v::Place<'a>) -> usize { #size }

                    #[inline]
                    fn item(block: &'a [u8], place: v::Place<'a>) -> #item { #body }
                }
            }
        } else {
            let past = self.by_layout(
                &place,
                |epoch| {
                    let found = types.iter().find(|(known, _)| *known == epoch);
                    let past = found.map(|(epoch, ty)| {
                        let row = &self.layouts[*epoch].records[row.0.index()].rows[row.1.index()];
                        self.past(Scope::Element(*epoch), ty, row, &place)
                    });
                    past.transpose()
                },
                &place,
            )?;
            quote! {
                impl<'a> v::Walked<'a> for #name {
                    type Item = #ty;

                    #[inline]
                    fn walk(first: &v::Place<'a>, passed: usize) -> v::Result<(#ty, usize)> {
                        let place = first.forward(passed);
                        let item = #value;
                        let behind = #past;
                        rt::Ok((item, behind.since(first)))
                    }
                }
            }
        };
        let doc = format!(
            " How elements of `{}` of `{}` are found.",
            definition.name.as_deref().unwrap_or("a row"),
            record.name
        );
        let tokens = quote! {
            #[doc = #doc]
            #[derive(Debug, Clone, Copy)]
            pub enum #name {}

            #tokens
        };
        Ok(Decoder { element: Element { marker: quote!(#name), fixed }, tokens })
    }

    fn element_size(&self, types: &[(usize, &Type)]) -> Able<TokenStream> {
        self.by_layout(
            &quote!(place),
            |epoch| {
                let size = types.iter().find(|(known, _)| *known == epoch);
                let size = size.and_then(|(epoch, ty)| self.sizes[*epoch].of(ty));
                Ok(size.map(|size| {
                    let size = Literal::u64_unsuffixed(size);
                    quote!(#size)
                }))
            },
            &quote!(0),
        )
    }

    fn element_name(&self, name: &str) -> Ident {
        self.names.borrow_mut().take(&[name.to_owned()])
    }
}

/// The array that a row holds, perhaps in regions and behind a pointer.
fn array_in(ty: &Type) -> Option<&ArrayType> {
    match ty {
        Type::Array(array) => Some(array),
        Type::Region(region) => array_in(&region.inner),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => array_in(target),
            _ => None,
        },
        _ => None,
    }
}
