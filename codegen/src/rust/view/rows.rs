//! Where the rows of a view are.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::item::Spot;
use super::{Views, Wanted, layout};
use crate::model::{
    BinaryOp, Expr, ExprId, Home, Model, Pattern, RecordId, Row, RowId, RowKind, Storage, Type,
    UnaryOp,
};
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
    /// Where the rows are found one after another: those in front of this one are locals.
    pub found: Option<RowId>,
}

/// Who asks what is somewhere.
#[derive(Clone, Copy)]
pub(super) enum Scope<'x> {
    /// A row, with those beside it.
    Row(&'x Body<'x>),
    /// An element of an array in this layout, which knows nothing of what is around.
    Element(usize),
}

impl<'x> Scope<'x> {
    pub fn body(self) -> Option<&'x Body<'x>> {
        match self {
            Scope::Row(body) => Some(body),
            Scope::Element(_) => None,
        }
    }

    pub fn epoch(self) -> usize {
        match self {
            Scope::Row(body) => body.epoch,
            Scope::Element(epoch) => epoch,
        }
    }
}

/// The rows of a record that stand behind something of no fixed size.
pub(super) struct Sequence {
    /// Each with a statement that makes its place a local, of the place of the one before it.
    steps: Vec<(RowId, TokenStream)>,
    /// Where the record ends; or why that is not found.
    behind: Able<TokenStream>,
}

impl Body<'_> {
    pub fn row(&self, id: RowId) -> &Row {
        &self.model.records[self.record.index()].rows[id.index()]
    }

    pub fn home(&self, id: RowId) -> Home {
        self.row(id).home(layout(self.epoch))
    }

    /// Name of the function that finds rows.
    fn finder(&self) -> Ident {
        match self.form {
            Some(form) => format_ident!("__find_{form}"),
            None => format_ident!("__find"),
        }
    }
}

/// How many rows of no fixed size a record may have for each to be found in place.
const MOST_STEPS_INLINE: usize = 2;

/// The attribute of a function that makes a view. A case of a union is made where its tag is known: its
/// function is a part of that.
pub(super) fn inline(always: bool) -> TokenStream {
    match always {
        true => quote!(#[inline(always)]),
        false => quote!(#[inline]),
    }
}

/// Name of the local that is the place of a row.
fn local(id: RowId) -> Ident {
    format_ident!("row_{}", id.0)
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
        let model = &self.layouts[epoch];
        Body { model, record, form, epoch, view, place, pattern, found: None }
    }

    /// Where a row is.
    pub(super) fn spot(&self, body: &Body<'_>, id: RowId) -> Able<Spot> {
        let (row, view, place) = (body.row(id), &body.view, &body.place);
        if let RowKind::Object { address, .. } = &row.kind {
            let address = self.number(body, place, *address)?;
            return Ok(Spot::At(quote!(#place.to(#address)?)));
        }
        // The number that chose a case says it.
        if let Type::Cell(cell) = &row.ty
            && matches!(cell.storage, Storage::Letter { .. } | Storage::TagOf)
        {
            return Ok(Spot::At(place.clone()));
        }
        if let Some(at) = self.constant_place(body, id) {
            return Ok(Spot::Block { block: quote!(#view.block), place: place.clone(), at });
        }
        match body.home(id) {
            Home::At(at) => {
                let at = Literal::u64_unsuffixed(at);
                Ok(Spot::At(quote!(#place.skip(#at)?)))
            }
            Home::Next => match body.found {
                Some(found) if id < found => {
                    let local = local(id);
                    Ok(Spot::At(quote!(#local)))
                }
                Some(_) => unable("it depends on what stands behind it"),
                None => {
                    self.is_found(body, id)?;
                    let (finder, id) = (body.finder(), Literal::u32_unsuffixed(id.0));
                    Ok(Spot::At(quote!(#view.#finder(#id)?)))
                }
            },
            Home::Absent => unable("it is in no file of this layout"),
            Home::Nowhere => unable("it has no bytes of its own"),
        }
    }

    /// Offset of a row in the block of its record, if it stands there.
    fn constant_place(&self, body: &Body<'_>, id: RowId) -> Option<u64> {
        let block = &self.blocks[body.epoch][body.record.index()];
        match body.home(id) {
            Home::At(at) => {
                let end = self.sizes[body.epoch].of(&body.row(id).ty)?.checked_add(at)?;
                (end <= block.size).then_some(at)
            }
            Home::Next => block.rows.get(&id).copied(),
            Home::Absent | Home::Nowhere => None,
        }
    }

    /// Finds the rows one after another. Each is found once, however many others ask for it.
    fn sequence(&self, body: &Body<'_>) -> Sequence {
        let (begin, rows) = (&body.place, &body.model.records[body.record.index()].rows);
        let block = Literal::u64_unsuffixed(self.block(body.record, body.epoch));
        let mut sequence =
            Sequence { steps: Vec::new(), behind: Ok(quote!(#begin.forward(#block))) };
        for (id, row) in (0..).map(RowId).zip(rows) {
            let body = Body { found: Some(id), ..body.clone() };
            let at = match body.home(id) {
                Home::Absent | Home::Nowhere => continue,
                Home::Next if self.constant_place(&body, id).is_none() => sequence.behind.clone(),
                Home::At(_) | Home::Next => match self.spot(&body, id) {
                    Ok(Spot::Block { .. }) => continue,
                    Ok(Spot::At(at)) => Ok(at),
                    Err(why) => Err(why),
                },
            };
            sequence.behind = at.and_then(|at| {
                let local = local(id);
                sequence.steps.push((id, quote!(let #local = #at;)));
                self.end_of(&body, row, &quote!(#local))
            });
        }
        sequence
    }

    /// Where a row ends that begins at a place.
    fn end_of(&self, body: &Body<'_>, row: &Row, at: &TokenStream) -> Able<TokenStream> {
        let past = match &row.kind {
            RowKind::Zeros => quote!(#at.at_end()),
            RowKind::Pool { .. } => return unable("a pool of texts stands before it"),
            _ => self.past(Scope::Row(body), &row.ty, row, at)?,
        };
        Ok(match row.when {
            Some(when) => {
                let when = self.present(body, row, at, when)?;
                quote!(if v::holds(#when) { #past } else { #at })
            }
            None => past,
        })
    }

    /// Whether a row is there whose bytes would be at a place, an option.
    pub(super) fn present(
        &self,
        body: &Body<'_>,
        row: &Row,
        at: &TokenStream,
        when: ExprId,
    ) -> Able<TokenStream> {
        let rows = &body.model.records[body.record.index()].rows;
        let before = rows.iter().take_while(|other| !std::ptr::eq(*other, row));
        let composed = matches!(
            self.model[when],
            Expr::Unary(UnaryOp::Not, _) | Expr::Binary(BinaryOp::BothTrue, ..)
        );
        if self.positions[when.index()]
            && (composed || before.into_iter().any(|other| other.when == Some(when)))
        {
            return unable("it depends on where a block of rows begins");
        }
        self.truth(body, at, when)
    }

    /// Where an expression is asked for by a row that has no bytes: behind those before it, if it is about
    /// that.
    pub(super) fn stand(&self, body: &Body<'_>, id: RowId, expr: ExprId) -> Able<TokenStream> {
        if !self.positions[expr.index()] {
            return Ok(body.place.clone());
        }
        let has_bytes = |id: &RowId| matches!(body.home(*id), Home::At(_) | Home::Next);
        let Some(before) = (0..id.0).rev().map(RowId).find(has_bytes) else {
            return Ok(body.place.clone());
        };
        let at = self.spot(body, before)?.place();
        let behind = self.end_of(body, body.row(before), &quote!(at))?;
        Ok(quote!({ let at = #at; #behind }))
    }

    /// Refuses a row that is not found.
    fn is_found(&self, body: &Body<'_>, id: RowId) -> Able<()> {
        let key = (body.record, body.epoch);
        let known = self.found.borrow().get(&key).cloned();
        let (last, why) = match known {
            Some(known) => known,
            None => {
                // While it is looked for, nothing is found.
                let nothing = (None, Unable("it depends on itself".to_owned()));
                self.found.borrow_mut().insert(key, nothing);
                let Sequence { steps, behind } =
                    self.sequence(&Body { found: None, ..body.clone() });
                let why = behind.err().unwrap_or_else(|| Unable("it has no place".to_owned()));
                let known = (steps.last().map(|(id, _)| *id), why);
                self.found.borrow_mut().insert(key, known.clone());
                known
            }
        };
        match last.is_some_and(|last| id <= last) {
            true => Ok(()),
            false => Err(why),
        }
    }

    /// The function that finds the rows of a view, or of one of its forms.
    pub(super) fn finder(&self, id: RecordId, form: Option<usize>) -> TokenStream {
        let none = quote!(rt::Err(self.place.null()));
        let mut most = 0;
        let found = self.by_layout(
            &quote!(self.place),
            |epoch| {
                let body = self.body(id, form, epoch, quote!(self));
                let steps = self.sequence(&body).steps;
                most = most.max(steps.len());
                let steps = steps.iter().map(|(id, step)| {
                    let (local, id) = (local(*id), Literal::u32_unsuffixed(id.0));
                    quote!(#step if row == #id { return rt::Ok(#local); })
                });
                Ok(Some(quote!(#(#steps)* #none)))
            },
            &none,
        );
        let (name, found) = (self.body(id, form, 0, quote!(self)).finder(), found.ok());
        // A place goes through memory when it is handed back, and what it is found by is mostly known
        // where it is asked for. Who asks of many rows would be as long as all of them.
        let inline = inline(most <= MOST_STEPS_INLINE);
        let found = found.filter(|_| most > 0).map(|found| {
            quote! {
                #inline
                fn #name(&self, row: u32) -> v::Result<v::Place<'a>> { #found }
            }
        });
        found.unwrap_or_default()
    }

    /// Statements that find the rows of a view one after another, and where it ends.
    pub(super) fn behind(&self, body: &Body<'_>) -> Able<TokenStream> {
        let Sequence { steps, behind } = self.sequence(body);
        let (steps, behind) = (steps.into_iter().map(|(_, step)| step), behind?);
        Ok(match steps.len() {
            0 => behind,
            _ => quote!({ #(#steps)* #behind }),
        })
    }

    /// Which bodies a view may have: one for each form.
    pub(super) fn bodies(&self, id: RecordId) -> Vec<Option<usize>> {
        match self.forms(id).len() {
            0 => vec![None],
            forms => (0..forms).map(Some).collect(),
        }
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
