//! A function for each field.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Views;
use super::item::{Item, Spot, may_fail};
use super::rows::{Body, Scope};
use crate::model::{Constant, Home, RecordId, RowId, RowKind};
use crate::rust::docs::docs;
use crate::rust::shape::{FieldShape, Shape};
use crate::rust::straight::{Able, Unable, unable};

/// A function for a field.
pub(super) struct Accessor {
    pub ident: Ident,
    pub row: RowId,
    pub tokens: TokenStream,
    /// Whether it always gives a number, text or the like.
    pub plain: bool,
    /// What it gives where nothing is there, if that may be.
    pub nothing: Option<TokenStream>,
}

impl Views<'_, '_> {
    /// Refuses structs that stand for a row that has no function: they would say nothing.
    pub(super) fn says_something(&self, id: RecordId) -> Able<()> {
        let record = &self.model.records[id.index()];
        let Some(field) = record.transparent.and_then(|row| self.shapes.field(id, row)) else {
            return Ok(());
        };
        let known = self.stand_for.borrow().get(&id).cloned();
        let why = match known {
            Some(why) => why,
            None => {
                self.stand_for.borrow_mut().insert(id, None);
                let why = self.accessor(id, field).err().map(|Unable(why)| why);
                self.stand_for.borrow_mut().insert(id, why.clone());
                why
            }
        };
        match why {
            Some(why) => unable(why),
            None => Ok(()),
        }
    }

    /// The function of a field.
    pub(super) fn accessor(&self, id: RecordId, field: &FieldShape) -> Able<Accessor> {
        let optional = matches!(field.shape, Shape::Option(_));
        let core = field.shape.core();
        let (mut ty, mut found) = (None::<String>, false);
        let mut ty_tokens = TokenStream::new();
        let name = self.model.records[id.index()].rows[field.row.index()].name.as_deref();
        let mut items: Vec<(Option<usize>, usize, Option<Item>)> = Vec::new();
        for form in self.bodies(id) {
            for epoch in self.epochs() {
                let body = self.body(id, form, epoch, quote!(self));
                if !self.exists(body.record, epoch) || !self.has_form(id, form, epoch) {
                    continue;
                }
                let row = match form {
                    None => Some(field.row),
                    Some(_) => {
                        let rows = &body.model.records[body.record.index()].rows;
                        let at = rows.iter().position(|row| row.name.as_deref() == name);
                        at.and_then(|at| u32::try_from(at).ok()).map(RowId)
                    }
                };
                let item = match row {
                    Some(row) => self.row_item(&body, row, core)?,
                    None => None,
                };
                if let Some(item) = &item {
                    let text = item.ty.to_string();
                    if ty.as_ref().is_some_and(|known| *known != text) {
                        return unable("what it is depends on the layout");
                    }
                    ty_tokens = item.ty.clone();
                    ty = Some(text);
                    found = true;
                    if item.optional && !optional {
                        return unable("a number for nothing that is no value");
                    }
                } else if !optional {
                    return unable("a layout or form is without it");
                }
                items.push((form, epoch, item));
            }
        }
        if !found {
            return unable("no layout has it");
        }
        let value = self.by_body(
            id,
            |body| {
                let item = items
                    .iter()
                    .find(|(form, epoch, _)| (*form, *epoch) == (body.form, body.epoch));
                Ok(match item {
                    Some((.., Some(item))) if optional => Some(item.option()),
                    Some((.., Some(item))) => Some(item.value.clone()),
                    Some((.., None)) => Some(quote!(rt::None)),
                    None => None,
                })
            },
            &match optional {
                true => quote!(rt::None),
                false => quote!(rt::Err(self.place.null())?),
            },
        )?;
        let fallible = may_fail(&value);
        let ty = match optional {
            true => quote!(::core::option::Option<#ty_tokens>),
            false => ty_tokens,
        };
        let row = &self.model.records[id.index()].rows[field.row.index()];
        let doc = docs(row.doc.as_deref());
        let ident = &field.ident;
        // A row without a name is no step of a path.
        let found = match name {
            Some(name) => quote!(v::field(#name, || rt::Ok(#value))),
            None => quote!(rt::Ok(#value)),
        };
        let tokens = match fallible {
            true => quote! {
                #doc
                #[inline]
                pub fn #ident(&self) -> v::Result<#ty> {
                    #found
                }
            },
            false => quote! {
                #doc
                #[inline]
                #[must_use]
                pub fn #ident(&self) -> #ty { #value }
            },
        };
        let plain = !fallible
            && matches!(
                core,
                Shape::Int(_)
                    | Shape::Bool
                    | Shape::Float32
                    | Shape::Float64
                    | Shape::Enum(_)
                    | Shape::Word(_)
                    | Shape::Index(_)
            );
        let nothing = optional.then(|| match fallible {
            true => quote!(rt::Ok(rt::None)),
            false => quote!(rt::None),
        });
        Ok(Accessor { ident: ident.clone(), row: field.row, tokens, plain, nothing })
    }

    /// What is in a row; nothing if its layout has none.
    fn row_item(&self, body: &Body<'_>, id: RowId, shape: &Shape) -> Able<Option<Item>> {
        let row = body.row(id);
        match &row.kind {
            RowKind::Constant(constant) => return self.constant(constant, shape).map(Some),
            RowKind::Slice { .. } => return unable("elements of a shared table"),
            RowKind::Pool { .. } => return unable("a pool of texts"),
            RowKind::Zeros => return unable("a number of zero bytes"),
            _ if body.home(id) == Home::Absent => {
                return match &row.absent {
                    Some(constant) => self.constant(constant, shape).map(Some),
                    None => Ok(None),
                };
            }
            _ => {}
        }
        let (spot, mut item) = match &row.kind {
            RowKind::Value { seen: Some(seen) } => {
                let Shape::Int(prim) = shape else { return unable("a value that is no number") };
                let (place, prim) = (self.stand(body, id, *seen)?, prim.ident());
                let number = self.number(body, &place, *seen)?;
                let value = quote!(v::known(#number, #place)? as #prim);
                let item = Item { ty: quote!(#prim), value, optional: false };
                (Spot::At(place), item)
            }
            _ => {
                let spot = self.spot(body, id)?;
                let item = self.item(Scope::Row(body), &spot, &row.ty, (body.record, id), shape)?;
                (spot, item)
            }
        };
        if let Some(when) = row.when {
            let when = self.present(body, row, &spot.place(), when)?;
            let value = item.option();
            item.value = quote!(if v::holds(#when) { #value } else { rt::None });
            item.optional = true;
        }
        Ok(Some(item))
    }

    /// A value that the schema states.
    fn constant(&self, constant: &Constant, shape: &Shape) -> Able<Item> {
        match (shape, self.shapes.constant(constant, shape, true)) {
            (
                Shape::Int(_) | Shape::Bool | Shape::Float32 | Shape::Float64 | Shape::Enum(_),
                Some(value),
            ) => Ok(Item { ty: self.shapes.ty(shape, true), value, optional: false }),
            _ => unable("a constant of this type"),
        }
    }
}
