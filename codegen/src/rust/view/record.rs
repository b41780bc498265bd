//! Views of structs: where their rows are, and a function for each field.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::item::{Item, Spot, may_fail};
use super::{Views, Wanted};
use crate::model::{
    Constant, EpochId, Home, Model, Pattern, RecordId, Row, RowId, RowKind, Storage, Type,
};
use crate::rust::docs::{docs, record_doc};
use crate::rust::shape::{FieldShape, Shape};
use crate::rust::straight::{Able, Unable, unable};

/// Rows, and where they are looked at.
#[derive(Clone)]
pub(super) struct Body<'x> {
    pub model: &'x Model,
    /// The record that has the rows: a form's, or the view's own.
    pub record: RecordId,
    /// Which form that is.
    pub form: Option<usize>,
    pub epoch: usize,
    /// The view, and the place that it is at.
    pub view: TokenStream,
    pub place: TokenStream,
    /// The pattern that selects the rows, if that is always the same one.
    pub pattern: Option<&'x Pattern>,
}

impl Body<'_> {
    pub fn row(&self, id: RowId) -> &Row {
        &self.model.records[self.record.index()].rows[id.index()]
    }

    pub fn home(&self, id: RowId) -> Home {
        self.row(id).home(EpochId(u32::try_from(self.epoch).unwrap_or(0)))
    }

    /// Name of the function that finds a row.
    fn finder(&self, id: RowId) -> Ident {
        match self.form {
            Some(form) => format_ident!("__form_{form}_row_{}", id.0),
            None => format_ident!("__row_{}", id.0),
        }
    }
}

/// A function for a field.
struct Accessor {
    ident: Ident,
    row: RowId,
    tokens: TokenStream,
    /// Whether it always gives a number, text or the like.
    plain: bool,
}

impl Views<'_, '_> {
    /// The rows of a view's record, or those of one of its forms.
    pub(super) fn body(
        &self,
        id: RecordId,
        form: Option<usize>,
        epoch: usize,
        view: TokenStream,
    ) -> Body<'_> {
        let record = form.and_then(|form| self.forms(id).get(form).copied()).unwrap_or(id);
        let (pattern, place) = (self.pattern(id, form), quote!(#view.place));
        Body { model: &self.layouts[epoch], record, form, epoch, view, place, pattern }
    }

    /// Where a row is.
    pub(super) fn spot(&self, body: &Body<'_>, id: RowId) -> Able<Spot> {
        let (row, view, place) = (body.row(id), &body.view, &body.place);
        if let RowKind::Object { address } = &row.kind {
            let address = self.number(body, place, *address)?;
            return Ok(Spot::At(quote!(#place.to(#address)?)));
        }
        // The number that chose a case says it.
        if let Type::Cell(cell) = &row.ty
            && matches!(cell.storage, Storage::Letter { .. } | Storage::TagOf)
        {
            return Ok(Spot::At(place.clone()));
        }
        match body.home(id) {
            Home::At(at) => {
                let size = self.sizes[body.epoch].of(&row.ty);
                let end = size.and_then(|size| size.checked_add(at));
                if end.is_some_and(|end| end <= self.block(body.record, body.epoch)) {
                    let (block, place) = (quote!(#view.block), place.clone());
                    return Ok(Spot::Block { block, place, at });
                }
                let at = Literal::u64_unsuffixed(at);
                Ok(Spot::At(quote!(#place.skip(#at)?)))
            }
            Home::Next => {
                let known = &self.blocks[body.epoch][body.record.index()].rows;
                if let Some(at) = known.get(&id) {
                    let (block, place) = (quote!(#view.block), place.clone());
                    return Ok(Spot::Block { block, place, at: *at });
                }
                self.begin(body, id)?;
                let finder = body.finder(id);
                Ok(Spot::At(quote!(#view.#finder()?)))
            }
            Home::Absent => unable("it is in no file of this layout"),
            Home::Nowhere => unable("it has no bytes of its own"),
        }
    }

    /// Where a row begins that stands behind another one.
    fn begin(&self, body: &Body<'_>, id: RowId) -> Able<TokenStream> {
        let before = (0..id.0).rev().map(RowId);
        let before = before.into_iter().find(|before| self.has_bytes(body, *before));
        self.end_of(body, before)
    }

    /// Whether a row is one of those that stand one behind the other.
    fn has_bytes(&self, body: &Body<'_>, id: RowId) -> bool {
        matches!(body.home(id), Home::At(_) | Home::Next)
    }

    /// Where a row ends; without one, the block of the record.
    fn end_of(&self, body: &Body<'_>, id: Option<RowId>) -> Able<TokenStream> {
        let begin = &body.place;
        let block = Literal::u64_unsuffixed(self.block(body.record, body.epoch));
        let Some(id) = id else { return Ok(quote!(#begin.forward(#block))) };
        let at = match self.spot(body, id)? {
            Spot::Block { .. } => return Ok(quote!(#begin.forward(#block))),
            Spot::At(at) => at,
        };
        let row = body.row(id);
        let place = quote!(at);
        let past = match &row.kind {
            RowKind::Zeros => quote!(at.at_end()),
            RowKind::Pool { .. } => return unable("a pool of texts stands before it"),
            _ => self.past(Some(body), &row.ty, row, &place)?,
        };
        Ok(match row.when {
            Some(when) => {
                let when = self.truth(body, &place, when)?;
                quote!({ let at = #at; if v::holds(#when) { #past } else { at } })
            }
            None => quote!({ let at = #at; #past }),
        })
    }

    /// Where what a view is of ends.
    fn behind(&self, body: &Body<'_>) -> Able<TokenStream> {
        let rows = u32::try_from(body.model.records[body.record.index()].rows.len()).unwrap_or(0);
        let last = (0..rows).rev().map(RowId).find(|id| self.has_bytes(body, *id));
        self.end_of(body, last)
    }

    /// Code for each form and layout of a view that is `self`.
    fn by_body(
        &self,
        id: RecordId,
        make: impl FnMut(&Body<'_>) -> Able<Option<TokenStream>>,
        otherwise: &TokenStream,
    ) -> Able<TokenStream> {
        self.by_body_at(id, &quote!(self), &quote!(self.place), &quote!(self.form), make, otherwise)
    }

    /// Code for each form and layout of a view, which is at a place.
    fn by_body_at(
        &self,
        id: RecordId,
        view: &TokenStream,
        place: &TokenStream,
        form_of: &TokenStream,
        mut make: impl FnMut(&Body<'_>) -> Able<Option<TokenStream>>,
        otherwise: &TokenStream,
    ) -> Able<TokenStream> {
        let mut of_form = |form: Option<usize>| {
            self.by_layout(
                place,
                |epoch| {
                    let body = self.body(id, form, epoch, view.clone());
                    let body = Body { place: place.clone(), ..body };
                    match self.exists(body.record, epoch) && self.has_form(id, form, epoch) {
                        true => make(&body),
                        false => Ok(None),
                    }
                },
                otherwise,
            )
        };
        let forms = self.forms(id);
        if forms.is_empty() {
            return of_form(None);
        }
        // A view has one of them, so that the last is any other.
        let mut arms = Vec::new();
        for form in 0..forms.len() {
            let tokens = of_form(Some(form))?;
            let number = Literal::usize_unsuffixed(form);
            arms.push(match form + 1 == forms.len() {
                true => quote!(_ => { #tokens }),
                false => quote!(#number => { #tokens }),
            });
        }
        Ok(quote!(match #form_of { #(#arms)* }))
    }

    /// Whether the end of a record or union can be found; `ends` says it of others.
    pub(super) fn has_end(&self, of: Wanted) -> bool {
        match of {
            Wanted::Record(id) => {
                self.by_body(id, |body| self.behind(body).map(Some), &quote!(x)).is_ok()
            }
            Wanted::Union(id) => {
                let cases = &self.model.unions[id.index()].cases;
                self.union_size(id).is_some()
                    || cases.iter().all(|case| !self.is_endless(Wanted::Record(case.record)))
            }
        }
    }

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
        let finders = self.finders(id);
        // A view has what its functions ask for, and nothing else.
        let methods: Vec<_> = methods.collect();
        let asked = quote!(#(#methods)* #finders);
        let forced = self.forced.borrow().contains(&id);
        let mut fields = TokenStream::new();
        let mut values = TokenStream::new();
        if forced || asks(&asked, "place") {
            fields.extend(quote!(place: v::Place<'a>,));
            values.extend(quote!(place,));
        }
        if case && asks(&asked, "tag") {
            fields.extend(quote!(tag: u64,));
            values.extend(quote!(tag,));
        }
        if case && asks(&asked, "form") {
            fields.extend(quote!(form: u8,));
            values.extend(quote!(form,));
        }
        let parameters = case.then(|| quote!(tag: u64, form: u8,));
        let walk = self.walk_function(id, forced || asks(&asked, "place"));
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

                #[inline]
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
        // What is spelling alone, or perhaps is, is no field of a value.
        let fields = accessors.iter().filter(|accessor| {
            let field = self.shapes.field(id, accessor.row);
            !field.is_some_and(|field| matches!(field.shape, Shape::Kept(_)))
                && !self.shapes.perhaps_given(&record.rows[accessor.row.index()])
        });
        let show = fields.map(|accessor| {
            let (ident, row) = (&accessor.ident, &record.rows[accessor.row.index()]);
            let head = match &row.name {
                _ if record.transparent == Some(accessor.row) => TokenStream::new(),
                Some(name) => quote!(to.field(#name);),
                None => match self.stands_for(row) {
                    Some(name) => quote!(to.field(#name);),
                    None => {
                        let row = self.shapes.spelling_row(id, accessor.row);
                        quote!(to.flatten(#row);)
                    }
                },
            };
            quote!(#head ::formwork::inspect::Inspect::inspect(&Self::#ident(self), to);)
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

    /// The name of the row that a struct in a row without a name stands for.
    fn stands_for(&self, row: &Row) -> Option<&str> {
        let Type::Record(record) = row.ty.stripped().first().stripped() else { return None };
        let record = &self.model.records[record.index()];
        record.rows[record.transparent?.index()].name.as_deref()
    }

    /// The block of a view at `place`.
    fn block_at(&self, id: RecordId) -> TokenStream {
        if let Some(size) = self.constant_block(id) {
            let size = Literal::u64_unsuffixed(size);
            return quote!(place.block::<#size>());
        }
        let forms = self.forms(id);
        let of = |record: RecordId| {
            let sized = self.by_layout(
                &quote!(place),
                |epoch| {
                    let size = Literal::u64_unsuffixed(self.block(record, epoch));
                    Ok(self.exists(record, epoch).then(|| quote!(#size)))
                },
                &quote!(0),
            );
            sized.unwrap_or_default()
        };
        let size = if forms.is_empty() {
            of(id)
        } else {
            let arms = forms.iter().enumerate().map(|(form, record)| {
                let (form, size) = (Literal::usize_unsuffixed(form), of(*record));
                quote!(#form => { #size })
            });
            quote!(match form { #(#arms)* _ => 0 })
        };
        quote!(place.take(#size))
    }

    /// The functions that find rows which stand behind others.
    fn finders(&self, id: RecordId) -> TokenStream {
        let forms = self.forms(id);
        let bodies: Vec<Option<usize>> =
            if forms.is_empty() { vec![None] } else { (0..forms.len()).map(Some).collect() };
        let mut functions = TokenStream::new();
        for form in bodies {
            let first = self.body(id, form, 0, quote!(self));
            let rows = u32::try_from(self.model.records[first.record.index()].rows.len());
            for row in (0..rows.unwrap_or(0)).map(RowId) {
                let mut any = false;
                let found = self.by_layout(
                    &quote!(self.place),
                    |epoch| {
                        let body = self.body(id, form, epoch, quote!(self));
                        let known = &self.blocks[epoch][body.record.index()].rows;
                        let next = body.home(row) == Home::Next && !known.contains_key(&row);
                        if !next || self.begin(&body, row).is_err() {
                            return Ok(None);
                        }
                        any = true;
                        self.begin(&body, row).map(Some)
                    },
                    &quote!(),
                );
                let Some(found) = found.ok().filter(|_| any) else { continue };
                let name = first.finder(row);
                functions.extend(quote! {
                    #[inline]
                    fn #name(&self) -> v::Result<v::Place<'a>> { rt::Ok(#found) }
                });
            }
        }
        functions
    }

    /// The function that finds a view and its end, if that can be found.
    fn walk_function(&self, id: RecordId, has_place: bool) -> TokenStream {
        if self.is_endless(Wanted::Record(id)) {
            return TokenStream::new();
        }
        let recursive = self.model.records[id.index()].recursive && has_place;
        let view = match recursive {
            true => quote!(inner),
            false => quote!(item),
        };
        let behind = self.by_body_at(
            id,
            &view,
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
        let deeper = recursive.then(|| {
            quote! {
                let outer = place;
                let place = place.deeper()?;
                let inner = #ident { place, ..item };
            }
        });
        let back = recursive.then(|| quote!(.seen_from(outer)));
        quote! {
            #[inline]
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
                    let size = self.block_size(id, &quote!(place));
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

    fn block_size(&self, id: RecordId, place: &TokenStream) -> TokenStream {
        let size = self.by_layout(
            place,
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
                let id = EpochId(u32::try_from(epoch).unwrap_or(0));
                let ty = ty.in_epoch(id);
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
    fn accessor(&self, id: RecordId, field: &FieldShape) -> Able<Accessor> {
        let optional = matches!(field.shape, Shape::Option(_));
        let core = core(&field.shape);
        let (mut ty, mut found) = (None::<String>, false);
        let mut ty_tokens = TokenStream::new();
        let name = self.model.records[id.index()].rows[field.row.index()].name.as_deref();
        let mut items: Vec<(Option<usize>, usize, Option<Item>)> = Vec::new();
        let forms = self.forms(id);
        let bodies: Vec<Option<usize>> =
            if forms.is_empty() { vec![None] } else { (0..forms.len()).map(Some).collect() };
        for form in bodies {
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
                    Some((.., Some(item))) => {
                        let value = &item.value;
                        Some(match (optional, item.optional) {
                            (true, false) => quote!(rt::Some(#value)),
                            _ => value.clone(),
                        })
                    }
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
        Ok(Accessor { ident: ident.clone(), row: field.row, tokens, plain })
    }

    /// What is in a row; nothing if its layout has none.
    fn row_item(&self, body: &Body<'_>, id: RowId, shape: &Shape) -> Able<Option<Item>> {
        let row = body.row(id);
        match &row.kind {
            RowKind::Constant(constant) => return constant_item(constant, shape).map(Some),
            RowKind::Slice { .. } => return unable("elements of a shared table"),
            RowKind::Pool { .. } => return unable("a pool of texts"),
            RowKind::Zeros => return unable("a number of zero bytes"),
            RowKind::Object { .. } | RowKind::Value { seen: Some(_) } => {}
            _ if body.home(id) == Home::Absent => {
                return match &row.absent {
                    Some(constant) => constant_item(constant, shape).map(Some),
                    None => Ok(None),
                };
            }
            _ => {}
        }
        let (spot, mut item) = match &row.kind {
            RowKind::Value { seen: Some(seen) } => {
                let Shape::Int(prim) = shape else { return unable("a value that is no number") };
                let (place, prim) = (&body.place, prim.ident());
                let number = self.number(body, place, *seen)?;
                let value = quote!(v::known(#number, #place)? as #prim);
                let item = Item { ty: quote!(#prim), value, optional: false };
                (Spot::At(place.clone()), item)
            }
            _ => {
                let spot = self.spot(body, id)?;
                let item = self.item(Some(body), &spot, &row.ty, (body.record, id), shape)?;
                (spot, item)
            }
        };
        if let Some(when) = row.when {
            let when = self.truth(body, &spot.place(), when)?;
            let value = &item.value;
            let value = match item.optional {
                true => value.clone(),
                false => quote!(rt::Some(#value)),
            };
            item.value = quote!(if v::holds(#when) { #value } else { rt::None });
            item.optional = true;
        }
        Ok(Some(item))
    }
}

/// A value that the schema states.
fn constant_item(constant: &Constant, shape: &Shape) -> Able<Item> {
    let (ty, value) = match (constant, shape) {
        (Constant::Int(number), Shape::Int(prim)) => {
            let (prim, number) = (prim.ident(), Literal::i128_unsuffixed(*number));
            (quote!(#prim), quote!(#number))
        }
        (Constant::Bool(yes), Shape::Bool) => (quote!(bool), quote!(#yes)),
        (constant, Shape::Float32) => {
            let bits = constant.float_bits(4).and_then(|bits| u32::try_from(bits).ok());
            let bits = Literal::u32_unsuffixed(bits.unwrap_or(0));
            (quote!(f32), quote!(f32::from_bits(#bits)))
        }
        (constant, Shape::Float64) => {
            let bits = Literal::u64_unsuffixed(constant.float_bits(8).unwrap_or(0));
            (quote!(f64), quote!(f64::from_bits(#bits)))
        }
        _ => return unable("a constant of this type"),
    };
    Ok(Item { ty, value, optional: false })
}

/// Whether code asks a view for this part of it.
fn asks(code: &TokenStream, part: &str) -> bool {
    let mut before = [false, false];
    code.clone().into_iter().any(|token| {
        let [of_self, dot] = before;
        let here = matches!(&token, TokenTree::Ident(ident) if *ident == "self");
        before =
            [here || of_self && !dot, matches!(&token, TokenTree::Punct(p) if p.as_char() == '.')];
        match token {
            TokenTree::Group(group) => asks(&group.stream(), part),
            TokenTree::Ident(ident) => of_self && dot && ident == part,
            _ => false,
        }
    })
}

/// What a field is of, without the option, box or kept number around it.
pub(super) fn core(shape: &Shape) -> &Shape {
    match shape {
        Shape::Option(inner) | Shape::Boxed(inner) | Shape::Kept(inner) => core(inner),
        other => other,
    }
}
