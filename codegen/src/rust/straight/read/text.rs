//! Texts behind offsets. Many rows point to texts of one kind, so each kind has one function.

use std::cell::RefCell;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::pointer::{Label, LabelBase};
use super::{Ctx, Reading, Spot, size, sweep};
use crate::model::{Content, Row, Type};
use crate::rust::in_arena;
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::context::Flavour;

/// The functions that read texts and bytes.
#[derive(Default)]
pub(super) struct Texts {
    /// Each by all that is behind its name.
    known: RefCell<Vec<(String, Ident)>>,
    code: RefCell<Vec<(String, TokenStream)>>,
}

impl Texts {
    /// All that were asked for, each behind its name.
    pub fn functions(&self) -> Vec<(String, TokenStream)> {
        self.code.borrow().clone()
    }

    /// The name of a function, which is made unless there is one that does the same.
    fn name(&self, kind: &str, rest: TokenStream) -> Ident {
        let text = rest.to_string();
        let mut known = self.known.borrow_mut();
        if let Some((_, name)) = known.iter().find(|(same, _)| *same == text) {
            return name.clone();
        }
        let name = format_ident!("{kind}__{}", known.len());
        self.code.borrow_mut().push((name.to_string(), quote!(#[inline] fn #name #rest)));
        known.push((text, name.clone()));
        name
    }
}

impl<'m> Reading<'_, '_, 'm> {
    /// A call that gives the text of a type at an offset, a `u64`, before which `skip` bytes stand.
    #[allow(clippy::too_many_arguments, reason = "the parts of a pointer")]
    pub(super) fn text_at(
        &self,
        ctx: &Ctx<'m>,
        offset: &Ident,
        base: Option<&LabelBase>,
        label: Option<&Label>,
        skip: u64,
        ty: &'m Type,
        row: &'m Row,
        shape: &Shape,
    ) -> Able<TokenStream> {
        let Some(content) = content(ty) else { return unable("no text") };
        let kind = if content == Content::Bytes { "bytes" } else { "text" };
        let from_base = match base {
            None => None,
            Some(LabelBase::Known(base)) if asks_around(base) => {
                return unable("an offset from a base that the struct around knows");
            }
            Some(LabelBase::Known(base)) => Some(quote! {
                let offset = s::from_base(offset, #base)?;
            }),
            Some(LabelBase::Later(anchor, end)) => {
                let empty = self.empty(shape)?;
                Some(quote! {
                    let rt::Some(base) = cx.base(#anchor, #end) else { return rt::Ok(#empty) };
                    let offset = s::from_base(offset, rt::Some(base.into()))?;
                })
            }
        };
        let make = || {
            let inner = Ctx { frames: Vec::new(), filled: false, keeps: None, ..ctx.clone() };
            let (part, from) = (self.local("p"), self.local("a"));
            let read = self.item(
                &inner,
                &Spot::local(part.clone()),
                ty,
                row,
                shape,
                &|value| quote!(let value = #value;),
            )?;
            let skip = size(skip);
            // All labels of a pool have the same function.
            let label = label.map(|label| Label { pool: label.pool, at: format_ident!("label") });
            let noted = label.map(|label| label.noted(&from, &part));
            Ok(sweep::sweep(quote! {
                #from_base
                let mut #part = cx.target(offset, #skip)?;
                let #from = #part.at();
                #read
                cx.charge(#part.at() - #from)?;
                #noted
                rt::Ok(value)
            }))
        };
        // What is known around is not known in a function.
        let known = self.known.take();
        let apart = || self.locals.apart(|| self.locals.about_name(kind, make));
        let body = self.straight.elsewhere(apart);
        self.known.replace(known);
        let body = body?;
        let shapes = self.straight.shapes;
        let (generics, arena, ty) = match self.straight.flavour {
            Flavour::Values => {
                let generics = quote!(<'i, 'o, M: s::Mode<'i, 'o>>);
                (generics, None, shapes.ty_for(shape, true, &quote!('o)))
            }
            Flavour::Arena => {
                let arena = quote!(arena: &mut super::pools::Pools,);
                (quote!(<'i>), Some(arena), in_arena::ty(shapes, shape, true))
            }
        };
        let more = label.map(|_| quote!(, label: usize));
        let rest = quote! {
            #generics(cx: &mut s::Scan<'i>, #arena offset: u64 #more) -> s::Straight<#ty> { #body }
        };
        let name = self.texts.name(kind, rest);
        let mode = self.straight.mode_argument().map(|mode| quote!(::<#mode>));
        let arena = self.straight.arena_argument();
        let more = label.map(|Label { at, .. }| quote!(, #at));
        Ok(quote!(#name #mode(cx, #arena #offset #more)?))
    }
}

/// What a type of text or bytes has in it.
fn content(ty: &Type) -> Option<Content> {
    match ty {
        Type::Run(run) => Some(run.content),
        Type::Region(region) => content(&region.inner),
        _ => None,
    }
}

/// Whether code has locals.
fn asks_around(code: &TokenStream) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident.to_string().contains("__"),
        TokenTree::Group(group) => asks_around(&group.stream()),
        _ => false,
    })
}
