//! What is looked at for all of a value at once: keys, references that a reader has noted, and the
//! elements of lists in an arena.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{
    Able, Checking, RecordId, Row, Scope, Shape, Type, records, rows, target, unable, value_frame,
};
use crate::model::Path;
use crate::rust::straight::expr::Place;

/// Sets of keys as code.
pub(super) struct Keys {
    /// The type that has them.
    pub items: TokenStream,
    /// Statements that make `keys` of it.
    pub made: TokenStream,
}

impl<'m> Checking<'_, '_, 'm> {
    pub(super) fn keys_struct(&self) -> Able<Keys> {
        let straight = self.straight;
        let root = straight.model.root;
        let keys = self.keys.borrow();
        let ty = self.keys_name();
        let names: Vec<_> = (0..keys.len()).map(|number| format_ident!("k{number}")).collect();
        let mut made = TokenStream::new();
        for ((path, field), name) in keys.iter().zip(&names) {
            let scope = Scope { frames: vec![value_frame(root, quote!(v))], ..Scope::default() };
            let body = straight.by_epoch(|view, _| {
                straight.walk(&scope, view, path, true, &mut |place| {
                    let Place::List(list, Some(element)) = place else {
                        return unable("keys of something else");
                    };
                    let push = straight.element(&Some(element), quote!(element), &mut |place| {
                        let Place::Node(frame) = place else { return unable("keys of numbers") };
                        let record = straight.record(frame.record);
                        let found = rows(record).find(|(_, row)| row.name.as_ref() == Some(field));
                        let Some((row, _)) = found else { return unable("no such key") };
                        straight.row_place(view, &frame, row, &mut |place| match place {
                            Place::Number(number) => Ok(quote!(found.push(#number);)),
                            _ => unable("keys that are no numbers"),
                        })
                    })?;
                    Ok(quote!(for element in #list.iter() { #push }))
                })
            })?;
            made.extend(quote! {
                let mut found: rt::Vec<i128> = rt::Vec::new();
                #body
                let #name = s::KeySet::new(found.into_iter(), false)?;
            });
        }
        Ok(Keys {
            items: quote! {
                struct #ty { depth: s::Depth, #(#names: s::KeySet,)* }
            },
            made: quote!(#made let keys = &#ty { depth: s::Depth::default(), #(#names,)* };),
        })
    }

    /// Whether the elements of a list are looked at elsewhere.
    pub(super) fn is_pooled(&self, element: &Type, shape: &Shape) -> bool {
        let Type::Record(id) = element else { return false };
        let in_pool = match shape {
            Shape::List(inner) => **inner == self.straight.value_shape(*id),
            _ => false,
        };
        in_pool && self.pooled.iter().any(|(record, _)| record == id)
    }

    /// Looks up what the reader has noted.
    pub(super) fn noted(&self) -> Able<TokenStream> {
        let straight = self.straight;
        if !self.seen || !straight.noting.get() {
            return Ok(TokenStream::new());
        }
        let mut tokens = TokenStream::new();
        for (number, goal) in straight.goals.iter().enumerate() {
            if let Some(field) = &goal.field {
                let set = format_ident!("k{}", self.key_set(&goal.array, field));
                tokens.extend(quote!(s::holds(cx.keys_noted(#number, &keys.#set))?;));
                continue;
            }
            let root = straight.model.root;
            let scope = Scope { frames: vec![value_frame(root, quote!(v))], ..Scope::default() };
            let found = straight.by_epoch(|view, _| {
                straight.walk(&scope, view, &goal.array, false, &mut |place| match place {
                    Place::List(list, ..) => Ok(quote!(count = #list.len();)),
                    _ => unable("references to something else"),
                })
            })?;
            tokens.extend(quote! {
                let mut count = 0_usize;
                #found
                s::holds(cx.indices_noted(#number, count))?;
            });
        }
        Ok(tokens)
    }

    /// Records whose values in lists need nothing around them but the root, and do not share their
    /// Rust type with others.
    pub(super) fn find_pooled(&self) -> Vec<(RecordId, &'m Row)> {
        let straight = self.straight;
        let mut found: Vec<(RecordId, &'m Row)> = Vec::new();
        for (_, record) in records(straight.model) {
            for (_, row) in rows(record) {
                let Type::Array(array) = target(&row.ty) else { continue };
                let Type::Record(id) = &array.element else { continue };
                if found.iter().all(|(known, _)| known != id) {
                    found.push((*id, row));
                }
            }
        }
        let ty = |id: RecordId| straight.value_ty(id, &quote!('_)).to_string();
        let types: Vec<String> = found.iter().map(|(id, _)| ty(*id)).collect();
        let of_root = |id: RecordId| {
            straight.needs[id.index()].iter().all(|need| *need == straight.model.root)
        };
        found.retain(|(id, _)| {
            let shape = straight.value_shape(*id);
            let ty = ty(*id);
            matches!(shape, Shape::Struct(_) | Shape::Choice(_))
                && of_root(*id)
                && types.iter().filter(|other| **other == ty).count() == 1
        });
        found
    }

    /// Looks at the elements of all lists, pool by pool. Elements that no list has any more are
    /// looked at as well, which at worst is odd.
    pub(super) fn pools(&self) -> Able<TokenStream> {
        let straight = self.straight;
        let root = straight.model.root;
        let scope = Scope { frames: vec![value_frame(root, quote!(v))], ..Scope::default() };
        let mut tokens = TokenStream::new();
        for (id, row) in &self.pooled {
            let (ty, element) = (Type::Record(*id), quote!(element));
            let shape = straight.value_shape(*id);
            let each = straight.by_epoch(|view, epoch| {
                self.inner(&scope, view, row, &ty, &shape, &element, epoch, true)
            })?;
            if !each.is_empty() {
                let ty = straight.value_ty(*id, &quote!('_));
                tokens.extend(quote!(for element in s::all_of::<#ty, _>(arena) { #each }));
            }
        }
        Ok(tokens)
    }

    /// The number of the set of keys that the elements of an array have.
    pub(super) fn key_set(&self, array: &Path, field: &str) -> usize {
        let mut keys = self.keys.borrow_mut();
        let known = keys.iter().position(|(path, name)| path.text == array.text && name == field);
        known.unwrap_or_else(|| {
            keys.push((array.clone(), field.to_owned()));
            keys.len() - 1
        })
    }
}
