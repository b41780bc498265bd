//! Views of structs: what they hold, and the functions that make them.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::quote;

use super::field::Accessor;
use super::rows::inline;
use super::{Views, Wanted, layout};
use crate::model::{RecordId, Type};
use crate::rust::docs::{docs, record_doc};
use crate::rust::shape::Shape;
use crate::rust::straight::{Unable, unable};

impl Views<'_, '_> {
    /// The view of a record.
    pub(super) fn record(&self, id: RecordId) -> TokenStream {
        let ident = self.record_ident(id);
        let doc = docs(record_doc(self.shapes, id).as_deref());
        let case = self.is_case(id);
        let block_ty = match self.constant_block(id) {
            Some(size) => {
                let size = Literal::u64_unsuffixed(size);
                quote!(&'a [u8; #size])
            }
            None => quote!(&'a [u8]),
        };
        let block = self.block_at(id);
        let accessors: Vec<Accessor> = self
            .shapes
            .fields(id)
            .iter()
            .filter_map(|field| match self.accessor(id, field) {
                Ok(accessor) => Some(accessor),
                Err(Unable(why)) => {
                    self.without(id, field.row, &field.ident.to_string(), &why);
                    None
                }
            })
            .collect();
        let methods = accessors.iter().map(|accessor| &accessor.tokens);
        let shown = accessors.iter().filter(|accessor| accessor.plain).map(|accessor| {
            let ident = &accessor.ident;
            let name = ident.to_string();
            let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
            quote!(.field(#name, &Self::#ident(self)))
        });
        let inspect = self.shown.then(|| self.inspect(id, &accessors));
        let finders = self.bodies(id).into_iter().map(|form| self.finder(id, form));
        let finders: TokenStream = finders.collect();
        // A view has what its functions ask for, and nothing else.
        let methods: Vec<_> = methods.collect();
        let (own, walk) = (quote!(#(#methods)* #finders), self.walk_function(id));
        let asks = |part: &str| asks(&own, "self", part) || asks(&walk, "item", part);
        let forced = self.forced.borrow().contains(&id);
        let mut fields = TokenStream::new();
        let mut values = TokenStream::new();
        if forced || asks("place") {
            fields.extend(quote!(place: v::Place<'a>,));
            values.extend(quote!(place,));
        }
        if case && asks("tag") {
            fields.extend(quote!(tag: u64,));
            values.extend(quote!(tag,));
        }
        if case && asks("form") {
            fields.extend(quote!(form: u8,));
            values.extend(quote!(form,));
        }
        let parameters = case.then(|| quote!(tag: u64, form: u8,));
        let inline = inline(case);
        let elements = self.elements_of(id, &values);
        let name = ident.to_string();
        quote! {
            #doc
            #[derive(Clone, Copy)]
            pub struct #ident<'a> {
                block: #block_ty,
                #fields
            }

            impl<'a> #ident<'a> {
                #(#methods)*

                #inline
                fn __at(place: v::Place<'a>, #parameters) -> v::Result<#ident<'a>> {
                    let block = #block?;
                    rt::Ok(#ident { block, #values })
                }

                #walk
                #finders
            }

            impl ::core::fmt::Debug for #ident<'_> {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.debug_struct(#name) #(#shown)* .finish_non_exhaustive()
                }
            }

            #elements
            #inspect
        }
    }

    /// Shows a view part by part.
    fn inspect(&self, id: RecordId, accessors: &[Accessor]) -> TokenStream {
        let (ident, record) = (self.record_ident(id), &self.model.records[id.index()]);
        let show = accessors.iter().map(|accessor| {
            let (ident, row) = (&accessor.ident, &record.rows[accessor.row.index()]);
            let field = self.shapes.field(id, accessor.row);
            // What is spelling alone, or perhaps is, is no field of a value.
            let stored = field.is_some_and(|field| matches!(field.shape, Shape::Kept(_)))
                || self.shapes.perhaps_given(row);
            let mut from_inside = false;
            let head = match (&row.name, self.shapes.inner_name(row)) {
                _ if record.transparent == Some(accessor.row) => TokenStream::new(),
                (Some(name), _) if stored => {
                    let name = format!("{name} as stored");
                    quote!(to.field(#name);)
                }
                (Some(name), _) => quote!(to.field(#name);),
                (None, Some(name)) => {
                    from_inside = true;
                    quote!(to.field(#name);)
                }
                (None, None) => {
                    let row = self.shapes.spelling_row(id, accessor.row);
                    quote!(to.flatten(#row);)
                }
            };
            let show = quote!(::formwork::inspect::Inspect::inspect);
            match &accessor.nothing {
                // The name is that of a row in what is not there.
                Some(nothing) if from_inside => quote! {
                    match Self::#ident(self) {
                        #nothing => {}
                        found => { #head #show(&found, to); }
                    }
                },
                _ => quote!(#head #show(&Self::#ident(self), to);),
            }
        });
        let show = quote!(#(#show)*);
        let show = match record.transparent {
            Some(_) => show,
            None => quote!(to.begin_struct(); #show to.end_struct();),
        };
        quote! {
            impl ::formwork::inspect::Inspect for #ident<'_> {
                fn inspect(&self, to: &mut dyn ::formwork::inspect::Inspector) { #show }
            }
        }
    }

    /// The block of a view at `place`.
    fn block_at(&self, id: RecordId) -> TokenStream {
        if let Some(size) = self.constant_block(id) {
            let size = Literal::u64_unsuffixed(size);
            return quote!(place.block::<#size>());
        }
        let forms = self.forms(id);
        let size = if forms.is_empty() {
            self.block_size(id)
        } else {
            let arms = forms.iter().enumerate().map(|(form, record)| {
                let (form, size) = (Literal::usize_unsuffixed(form), self.block_size(*record));
                quote!(#form => { #size })
            });
            quote!(match form { #(#arms)* _ => 0 })
        };
        quote!(place.take(#size))
    }

    /// The function that finds a view and its end, if that can be found.
    fn walk_function(&self, id: RecordId) -> TokenStream {
        if self.is_endless(Wanted::Record(id)) {
            return TokenStream::new();
        }
        let behind = self.by_body_at(
            id,
            &quote!(item),
            &quote!(place),
            &quote!(form),
            |body| self.behind(body).map(Some),
            &quote!(place),
        );
        let Ok(behind) = behind else { return TokenStream::new() };
        let ident = self.record_ident(id);
        let (parameters, values) = match self.is_case(id) {
            true => (quote!(, tag: u64, form: u8), quote!(, tag, form)),
            false => Default::default(),
        };
        // What is below is deeper, but not for who looks at the view.
        let circular = self.is_circular(id) && walks(&behind);
        let deeper = circular.then(|| quote!(let (outer, place) = (place, place.deeper()?);));
        let back = circular.then(|| quote!(.seen_from(outer)));
        let inline = inline(self.is_case(id) && !walks(&behind));
        quote! {
            #inline
            fn __walk(place: v::Place<'a> #parameters) -> v::Result<(#ident<'a>, v::Place<'a>)> {
                let item = #ident::__at(place #values)?;
                #deeper
                let behind = #behind;
                rt::Ok((item, behind #back))
            }
        }
    }

    /// What makes a record an element of an array.
    fn elements_of(&self, id: RecordId, values: &TokenStream) -> TokenStream {
        let ident = self.record_ident(id);
        if self.is_case(id) {
            return TokenStream::new();
        }
        if let Some(size) = self.fixed_size(&Type::Record(id)) {
            let block = match self.constant_block(id) {
                Some(_) => quote!(v::part(block, 0)),
                None => {
                    let size = self.block_size(id);
                    quote!(v::bytes(block, 0, #size))
                }
            };
            return quote! {
                impl<'a> v::Fixed<'a> for #ident<'a> {
                    type Item = #ident<'a>;

                    #[inline]
                    fn size(place: v::Place<'a>) -> usize { #size }

                    #[inline]
                    fn item(block: &'a [u8], place: v::Place<'a>) -> #ident<'a> {
                        #ident { block: #block, #values }
                    }
                }
            };
        }
        if self.is_endless(Wanted::Record(id)) {
            return TokenStream::new();
        }
        quote! {
            impl<'a> v::Walked<'a> for #ident<'a> {
                type Item = #ident<'a>;

                #[inline]
                fn walk(first: &v::Place<'a>, passed: usize) -> v::Result<(#ident<'a>, usize)> {
                    let (item, behind) = #ident::__walk(first.forward(passed))?;
                    rt::Ok((item, behind.since(first)))
                }
            }
        }
    }

    /// Size of the block of a record at `place`.
    fn block_size(&self, id: RecordId) -> TokenStream {
        let size = self.by_layout(
            &quote!(place),
            |epoch| {
                let size = Literal::u64_unsuffixed(self.block(id, epoch));
                Ok(self.exists(id, epoch).then(|| quote!(#size)))
            },
            &quote!(0),
        );
        size.unwrap_or_default()
    }

    /// Size of a type that is constant in each layout which has it, in generated code that knows a
    /// `place`.
    pub(super) fn fixed_size(&self, ty: &Type) -> Option<TokenStream> {
        let size = self.by_layout(
            &quote!(place),
            |epoch| {
                let ty = ty.in_epoch(layout(epoch));
                if let Type::Record(record) = ty
                    && !self.exists(*record, epoch)
                {
                    return Ok(None);
                }
                if matches!(ty, Type::Nothing) {
                    return Ok(None);
                }
                match self.sizes[epoch].of(ty) {
                    Some(size) => {
                        let size = Literal::u64_unsuffixed(size);
                        Ok(Some(quote!(#size)))
                    }
                    None => unable("no fixed size"),
                }
            },
            &quote!(0),
        );
        size.ok()
    }
}

/// Whether code looks for the end of other types.
fn walks(code: &TokenStream) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => walks(&group.stream()),
        TokenTree::Ident(ident) => ident == "__walk" || ident == "Items",
        _ => false,
    })
}

/// Whether code asks a view for this part of it.
fn asks(code: &TokenStream, of: &str, part: &str) -> bool {
    let mut before = [false, false];
    code.clone().into_iter().any(|token| {
        let [of_self, dot] = before;
        let here = matches!(&token, TokenTree::Ident(ident) if ident == of);
        before =
            [here || of_self && !dot, matches!(&token, TokenTree::Punct(p) if p.as_char() == '.')];
        match token {
            TokenTree::Group(group) => asks(&group.stream(), of, part),
            TokenTree::Ident(ident) => of_self && dot && ident == part,
            _ => false,
        }
    })
}
