//! Unions: an enum with a view for each case.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::item::{Item, Spot};
use super::rows::Scope;
use super::{Views, Wanted, layout};
use crate::model::{
    Case, Label, Pattern, RecordId, RecordKind, Storage, Tag, Union, UnionId, limits,
};
use crate::rust::docs::docs;
use crate::rust::shape::mask;
use crate::rust::straight::{Able, unable};

/// The rows of a case in a layout, and how its view is made.
#[derive(Clone, Copy)]
struct Rows {
    /// The record that has them.
    body: RecordId,
    /// Number of the form, 0 for a case without forms.
    form: usize,
    epoch: usize,
    /// Whether the end is looked for, too.
    walk: bool,
}

impl Views<'_, '_> {
    /// The size of a union, if it says one.
    pub(super) fn union_size(&self, id: UnionId) -> Option<u64> {
        self.model.unions[id.index()].size
    }

    /// The chosen case of a union at a spot.
    pub(super) fn union_item(&self, scope: Scope<'_>, spot: &Spot, id: UnionId) -> Able<Item> {
        let (tag, at) = (self.tag_of(scope, spot, id)?, spot.place());
        let ident = &self.unions[id.index()];
        let value = quote!({ let at = #at; #ident::__at(at #tag)? });
        Ok(Item { ty: self.union_ty(id), value, optional: false })
    }

    /// The chosen case of a union at a place that is known as `from`, and how many bytes it has.
    pub(super) fn union_walk(
        &self,
        scope: Scope<'_>,
        place: &TokenStream,
        id: UnionId,
    ) -> Able<TokenStream> {
        let tag = self.tag_of(scope, &Spot::At(place.clone()), id)?;
        let ident = &self.unions[id.index()];
        Ok(quote!({ let at = from; #ident::__walk(&from, 0 #tag)? }))
    }

    /// What the functions of a union's view have to be told, by code that knows its place as `at`.
    fn tag_of(&self, scope: Scope<'_>, spot: &Spot, id: UnionId) -> Able<TokenStream> {
        let union = &self.model.unions[id.index()];
        if let Some(why) = self.refused(union, id) {
            return unable(why);
        }
        self.union_ty(id);
        Ok(match &union.tag {
            Tag::Own(_) | Tag::Word(_) => {
                // Constant places in cases count from the struct around, which begins with the union.
                let at_start = match (scope.body(), spot) {
                    (None, _) | (_, Spot::Block { at: 0, .. }) => true,
                    (Some(body), Spot::At(_)) => {
                        body.model.records[body.record.index()].rows.len() == 1
                    }
                    _ => false,
                };
                if !at_start && self.any_block(union) {
                    return unable(
                        "a union whose cases have constant places, but not at the start",
                    );
                }
                TokenStream::new()
            }
            Tag::Row(row) => {
                let Scope::Row(body) = scope else {
                    return unable("a union whose tag is elsewhere");
                };
                let (tag, base) = (self.row_number(body, *row)?, &body.place);
                quote!(, #base, v::known(#tag, at)?)
            }
            Tag::Given(expr) => {
                let Scope::Row(body) = scope else {
                    return unable("a union whose tag is elsewhere");
                };
                let (tag, base) = (self.number(body, &quote!(at), *expr)?, &body.place);
                quote!(, #base, v::known(#tag, at)?)
            }
        })
    }

    /// Whether a case has constant places.
    fn any_block(&self, union: &Union) -> bool {
        let bodies = union.cases.iter().filter(|case| !case.whole);
        let bodies = bodies.flat_map(|case| {
            std::iter::once(case.record).chain(case.forms.iter().map(|form| form.record))
        });
        bodies.into_iter().any(|id| self.epochs().any(|epoch| self.has_block(id, epoch)))
    }

    fn has_block(&self, id: RecordId, epoch: usize) -> bool {
        self.layouts[epoch].records[id.index()].sizes.get(epoch).copied().flatten().is_some()
    }

    /// Why there is no view of a union.
    fn refused(&self, union: &Union, id: UnionId) -> Option<&'static str> {
        if !self.shapes.has_union(id) {
            return Some("a union that is no value");
        }
        let own = match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => match cell.storage {
                Storage::Fixed(int) => Some(int.bytes),
                _ => return Some("a tag of no whole bytes"),
            },
            _ => None,
        };
        if union.size.is_some() && self.any_block(union) {
            return Some("a union of a size whose cases have constant places");
        }
        for case in &union.cases {
            if case.guard.is_some() {
                return Some("cases with conditions");
            }
            if self.model.records[case.record.index()].endian.is_some() {
                return Some("cases with a byte order of their own");
            }
            let forms = case.forms.iter().flat_map(|form| &form.labels);
            for label in case.labels.iter().chain(forms) {
                match label {
                    Label::Text(_) => return Some("a tag that is a text"),
                    Label::Pattern(pattern) => {
                        let Some(bytes) = own else {
                            return Some("a pattern of what is elsewhere");
                        };
                        let behind = pattern.width.saturating_sub(u32::from(bytes) * 8);
                        let word = matches!(union.tag, Tag::Word(_));
                        if pattern.width > 64
                            || pattern.mask & ((1 << behind) - 1) != 0
                            || !word && bytes != 1
                            || word && behind != 0
                        {
                            return Some("a pattern of several bytes");
                        }
                    }
                    Label::Range(..) | Label::Else => {}
                }
            }
        }
        None
    }

    /// The enum of a union.
    pub(super) fn choice(&self, id: UnionId) -> TokenStream {
        let union = &self.model.unions[id.index()];
        let ident = &self.unions[id.index()];
        let doc = docs(union.doc.as_deref());
        let variants = (0_u32..).zip(&union.cases).map(|(at, case)| {
            let (variant, _) = self.shapes.variant(id, at);
            let (doc, ty) = (docs(case.doc.as_deref()), self.record_ty(case.record));
            quote!(#doc #variant(#ty))
        });
        let variants: Vec<_> = variants.collect();
        let found = |walk: bool| {
            let chosen = |epoch| Ok(Some(self.chosen(id, union, epoch, walk)));
            self.by_layout(&quote!(place), chosen, &TokenStream::new()).unwrap_or_default()
        };
        let name = &union.name;
        let limit = union.size.map(|size| {
            let size = Literal::u64_unsuffixed(size);
            quote!(let place = place.region(rt::Some(#size))?;)
        });
        let own = matches!(union.tag, Tag::Own(_) | Tag::Word(_));
        let (parameters, values, tag) = match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => {
                let Storage::Fixed(int) = cell.storage else { return TokenStream::new() };
                let raw = self.load(int, &quote!(place)).0;
                let width = Literal::u8_unsuffixed(int.bytes);
                (quote!(), quote!(), quote!(let (tag, inner) = (#raw, place.skip(#width)?);))
            }
            Tag::Row(_) | Tag::Given(_) => (
                quote!(, base: v::Place<'a>, tag: i128),
                quote!(, base, tag),
                quote!(let inner = place;),
            ),
        };
        let at = found(false);
        let walk = match (union.size, self.is_endless(Wanted::Union(id))) {
            (Some(size), _) => {
                let size = Literal::u64_unsuffixed(size);
                Some(
                    quote!(rt::Ok((#ident::__at(place #values)?, place.skip(#size)?.since(first)))),
                )
            }
            (None, true) => None,
            (None, false) => {
                let found = found(true);
                Some(quote!(#tag #found))
            }
        };
        let walk = walk.map(|walk| {
            let walked = own.then(|| {
                quote! {
                    impl<'a> v::Walked<'a> for #ident<'a> {
                        type Item = #ident<'a>;

                        #[inline(always)]
                        fn walk(
                            first: &v::Place<'a>,
                            passed: usize
                        ) -> v::Result<(#ident<'a>, usize)> {
                            #ident::__walk(first, passed)
                        }
                    }
                }
            });
            // Who walks through elements tells the cases apart again. Where that is one function, it
            // is done once.
            let inline = own.then(|| quote!(#[inline(always)]));
            quote! {
                impl<'a> #ident<'a> {
                    #inline
                    fn __walk(
                        first: &v::Place<'a>,
                        passed: usize #parameters
                    ) -> v::Result<(#ident<'a>, usize)> {
                        let place = first.forward(passed);
                        #walk
                    }
                }

                #walked
            }
        });
        let no_case = quote! {
            #[cold]
            fn __none<T>(at: usize, tag: i128) -> v::Result<T> {
                rt::Err(v::no_case(at, #name, tag))
            }
        };
        let inspect = self.shown.then(|| {
            let arms = (0_u32..).zip(&union.cases).map(|(at, case)| {
                let ((variant, _), name) = (self.shapes.variant(id, at), &case.name);
                quote! {
                    #ident::#variant(case) => {
                        to.begin_case(#name);
                        ::formwork::inspect::Inspect::inspect(case, to);
                        to.end_case();
                    }
                }
            });
            quote! {
                impl ::formwork::inspect::Inspect for #ident<'_> {
                    fn inspect(&self, to: &mut dyn ::formwork::inspect::Inspector) {
                        match self { #(#arms)* }
                    }
                }
            }
        });
        let named = (0_u32..).zip(&union.cases).map(|(at, case)| {
            let ((variant, _), name) = (self.shapes.variant(id, at), &case.name);
            quote!(#variant #name,)
        });
        quote! {
            #inspect

            #doc
            #[derive(Debug, Clone, Copy)]
            pub enum #ident<'a> { #(#variants,)* }

            ::formwork::__case! { [#ident<'_>] #(#named)* }

            impl<'a> #ident<'a> {
                fn __at(place: v::Place<'a> #parameters) -> v::Result<#ident<'a>> {
                    #limit
                    #tag
                    #at
                }

                #no_case
            }

            #walk
        }
    }

    /// The case that a tag chooses in a layout: a result.
    fn chosen(&self, id: UnionId, union: &Union, epoch: usize, walk: bool) -> TokenStream {
        let ident = &self.unions[id.index()];
        let mut arms = TokenStream::new();
        let mut otherwise = quote!(_ => Self::__none(place.address(), tag.into()));
        // A label that the tag cannot be is in no file.
        let (least, most) = match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => match cell.storage {
                Storage::Fixed(int) => limits(u32::from(int.bytes) * 8, int.signed),
                _ => (0, 0),
            },
            Tag::Row(_) | Tag::Given(_) => (i128::MIN, i128::MAX),
        };
        let layout = layout(epoch);
        for (at, case) in (0_u32..).zip(&union.cases) {
            let (variant, _) = self.shapes.variant(id, at);
            let mut add = |labels: &[Label], form: usize, body: RecordId| {
                for label in labels {
                    let made = self.made(union, case, Rows { body, form, epoch, walk }, label);
                    let made = match walk {
                        true => {
                            quote!(#made.map(|(case, at)| (#ident::#variant(case), at.since(first))))
                        }
                        false => quote!(#made.map(#ident::#variant)),
                    };
                    match label {
                        Label::Range(low, high) if *low > most || *high < least => {}
                        Label::Range(low, high) => {
                            let (low, high) = (low.max(&least), high.min(&most));
                            let pattern = match low == high {
                                true => {
                                    let low = Literal::i128_unsuffixed(*low);
                                    quote!(#low)
                                }
                                false => {
                                    let low = Literal::i128_unsuffixed(*low);
                                    let high = Literal::i128_unsuffixed(*high);
                                    quote!(#low..=#high)
                                }
                            };
                            arms.extend(quote!(#pattern => #made,));
                        }
                        Label::Pattern(pattern) => {
                            let (mask, bits) = in_tag(union, pattern);
                            arms.extend(quote!(tag if tag & #mask == #bits => #made,));
                        }
                        Label::Else => otherwise = quote!(_ => #made),
                        Label::Text(_) => {}
                    }
                }
            };
            match case.forms.is_empty() {
                true if case.is_in(layout) => add(&case.labels, 0, case.record),
                true => {}
                false => {
                    for (number, form) in case.forms.iter().enumerate() {
                        if form.is_in(layout) {
                            add(&form.labels, number, form.record);
                        }
                    }
                }
            }
        }
        quote!(match tag { #arms #otherwise })
    }

    /// The view of a case: code that knows where the union begins (`place`), the struct around
    /// (`base`), what is behind the tag (`inner`), and the `tag`.
    fn made(
        &self,
        union: &Union,
        case: &Case,
        Rows { body, form, epoch, walk }: Rows,
        label: &Label,
    ) -> TokenStream {
        let look = match walk {
            true => quote!(__walk),
            false => quote!(__at),
        };
        let view = self.record_ident(case.record);
        let own = matches!(union.tag, Tag::Own(_) | Tag::Word(_));
        if case.whole {
            return quote!(#view::#look(place));
        }
        let (tag, behind) = match label {
            Label::Pattern(pattern) => {
                let width = Literal::u32_unsuffixed(pattern.width / 8);
                match union.tag {
                    Tag::Word(_) => {
                        let bits = u8::try_from(pattern.width.saturating_sub(1)).unwrap_or(63);
                        let mask = Literal::u64_unsuffixed(mask(0, bits));
                        (quote!(tag as u64 & #mask), quote!(inner))
                    }
                    _ => (
                        quote!(v::uint::<#width>(place.block::<#width>()?, 0, v::BE)),
                        quote!(place.skip(#width)?),
                    ),
                }
            }
            _ => (quote!(tag as u64), quote!(inner)),
        };
        let from = match self.has_block(body, epoch) {
            true if own => quote!(place),
            true => quote!(base),
            false => behind,
        };
        let form = Literal::usize_unsuffixed(form);
        quote!(#view::#look(#from, #tag, #form))
    }

    /// The pattern that selects a case or form, if there is just one.
    pub(super) fn pattern(&self, id: RecordId, form: Option<usize>) -> Option<&Pattern> {
        let RecordKind::Case(union, case) = self.model.records[id.index()].kind else {
            return None;
        };
        let case = &self.model.unions[union.index()].cases[case as usize];
        let labels = match form {
            Some(form) => &case.forms.get(form)?.labels,
            None => &case.labels,
        };
        match labels.as_slice() {
            [Label::Pattern(pattern)] => Some(pattern),
            _ => None,
        }
    }

    /// Whether a layout has a case, or its form.
    pub(super) fn has_form(&self, id: RecordId, form: Option<usize>, epoch: usize) -> bool {
        let RecordKind::Case(union, case) = self.model.records[id.index()].kind else {
            return true;
        };
        let case = &self.model.unions[union.index()].cases[case as usize];
        let layout = layout(epoch);
        match form {
            Some(form) => case.forms.get(form).is_some_and(|form| form.is_in(layout)),
            None => case.is_in(layout),
        }
    }
}

/// The bits of a tag that a pattern fixes, and what they are.
fn in_tag(union: &Union, pattern: &Pattern) -> (Literal, Literal) {
    let behind = match union.tag {
        Tag::Own(_) => pattern.width.saturating_sub(8),
        _ => 0,
    };
    let of = |bits: u128| Literal::u128_unsuffixed(bits >> behind);
    (of(pattern.mask), of(pattern.bits))
}
