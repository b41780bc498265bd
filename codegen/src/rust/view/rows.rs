//! Where the rows of a view are.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::item::Spot;
use super::{Views, Wanted};
use crate::model::{EpochId, Home, Model, Pattern, RecordId, Row, RowId, RowKind, Storage, Type};
use crate::rust::straight::{Able, unable};

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
    pub(super) fn finder(&self, id: RowId) -> Ident {
        match self.form {
            Some(form) => format_ident!("__form_{form}_row_{}", id.0),
            None => format_ident!("__row_{}", id.0),
        }
    }
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
    pub(super) fn begin(&self, body: &Body<'_>, id: RowId) -> Able<TokenStream> {
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
    pub(super) fn behind(&self, body: &Body<'_>) -> Able<TokenStream> {
        let rows = u32::try_from(body.model.records[body.record.index()].rows.len()).unwrap_or(0);
        let last = (0..rows).rev().map(RowId).find(|id| self.has_bytes(body, *id));
        self.end_of(body, last)
    }

    /// Code for each form and layout of a view that is `self`.
    pub(super) fn by_body(
        &self,
        id: RecordId,
        make: impl FnMut(&Body<'_>) -> Able<Option<TokenStream>>,
        otherwise: &TokenStream,
    ) -> Able<TokenStream> {
        self.by_body_at(id, &quote!(self), &quote!(self.place), &quote!(self.form), make, otherwise)
    }

    /// Code for each form and layout of a view, which is at a place.
    pub(super) fn by_body_at(
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
}
