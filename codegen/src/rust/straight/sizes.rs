//! Sizes of what a value holds, where it is not read or written yet.

use std::cell::RefCell;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::able::{Able, unable};
use super::context::Straight;
use super::early::{early_value, is_early_number};
use super::expr::is;
use super::questions::only_row;
use super::scope::{Access, Frame, Place, Scope};
use crate::model::{
    ExprId, Extent, Home, Model, Path, RowId, RowKind, RunLength, Step, Storage, Type, WhenEmpty,
    unit_size,
};
use crate::print::expr_text;
use crate::rust::shape::Shape;

/// Takes a size.
type Then<'a> = &'a dyn Fn(TokenStream) -> TokenStream;

impl<'m> Straight<'_, 'm> {
    /// The size in bytes of what a path leads to: an `Option<i128>`.
    pub(super) fn size_of(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        path: &Path,
        asked: ExprId,
    ) -> Able<TokenStream> {
        let not_known =
            || unable(format!("`{}` where that is not known yet", expr_text(view, asked)));
        let Some((Step::Field(field), way)) = path.steps.split_last() else { return not_known() };
        let way = Path { steps: way.to_vec(), ..path.clone() };
        self.size_found(&mut |then| {
            self.walk(scope, view, &way, false, &mut |place| {
                let Place::Node(frame) = place else { return not_known() };
                let Some(id) = only_row(field, frame.record) else { return not_known() };
                self.size_of_row(view, &frame, id, then).or_else(|_| not_known())
            })
        })
    }

    /// The size in bytes of what is in a row of a node, or of what it leads to: an `Option<i128>`.
    pub(super) fn row_size(&self, view: &'m Model, frame: &Frame, id: RowId) -> Able<TokenStream> {
        self.size_found(&mut |then| self.size_of_row(view, frame, id, then))
    }

    /// What code sets `found` to that is made with what takes a size: an `Option<i128>`.
    fn size_found(&self, make: &mut dyn FnMut(Then<'_>) -> Able<TokenStream>) -> Able<TokenStream> {
        let last = RefCell::new(TokenStream::new());
        let found = make(&|size| {
            last.replace(size.clone());
            quote!(found = #size;)
        })?;
        let last = last.take();
        Ok(match is(&found, &quote!(found = #last;).to_string()) {
            true => last,
            false => quote!({ let mut found: rt::Option<i128> = rt::None; #found found }),
        })
    }

    /// Code that runs `then` for the size of a row, or of what it leads to: an `Option<i128>`.
    fn size_of_row(
        &self,
        view: &'m Model,
        frame: &Frame,
        id: RowId,
        then: Then<'_>,
    ) -> Able<TokenStream> {
        let row = &view.records[frame.record.index()].rows[id.index()];
        let leads = match row.ty.stripped() {
            Type::Pointer(pointer) => Some(pointer),
            _ => None,
        };
        let ty = match leads.map(|pointer| pointer.owned()) {
            Some(Some(target)) => target,
            Some(None) => return unable("the size of what another row holds"),
            None => &row.ty,
        };
        let may_be_none = leads.is_some_and(|to| to.when_empty(self.model) != WhenEmpty::Here)
            && matches!(ty.stripped(), Type::Array(_) | Type::Run(_));
        // Nothing leads to what is empty.
        let filter = may_be_none.then(|| quote!(.filter(|size: &i128| *size > 0)));
        self.sized(view, frame, id, ty, &|size| then(quote!(rt::Some(#size) #filter)))
    }

    /// Code that runs `then` for the size of what is in a row of a type, an `i128`, if that is there.
    fn sized(
        &self,
        view: &'m Model,
        frame: &Frame,
        id: RowId,
        ty: &'m Type,
        then: Then<'_>,
    ) -> Able<TokenStream> {
        let row = &view.records[frame.record.index()].rows[id.index()];
        match row.homes.get(self.layout()) {
            Some(Home::Absent) => return Ok(TokenStream::new()),
            Some(Home::Nowhere) if !matches!(row.kind, RowKind::Object { .. }) => {
                return unable("the size of what has no bytes");
            }
            _ => {}
        }
        let is_number = is_early_number(row);
        let is_seen = matches!(row.ty.stripped(), Type::Pointer(_));
        let (shape, value) = match &frame.access {
            Access::Value(value) => match self.shapes.field(frame.record, id) {
                Some(field) if self.shapes.is_transparent(frame.record) => {
                    (Some(field.shape.clone()), value.clone())
                }
                Some(field) => {
                    let ident = &field.ident;
                    (Some(field.shape.clone()), quote!((&#value.#ident)))
                }
                None => (None, TokenStream::new()),
            },
            Access::Early => {
                let name = early_value(frame.record, id);
                match is_number {
                    true if row.when.is_some() => {
                        (Some(Shape::Option(Box::new(Shape::Bool))), quote!(&#name))
                    }
                    true => (None, TokenStream::new()),
                    false => (Some(self.early_shape(frame.record, id, row)), quote!((&#name))),
                }
            }
            _ => return unable("the size of what is in no value"),
        };
        let always = row.when.is_none() && row.none.is_empty();
        match (self.sight_size(ty), shape) {
            (Some(size), None) if always && !is_seen => Ok(then(constant(size))),
            (size, Some(shape)) => self.unwrapped(&shape, value, &mut |shape, value| match size {
                Some(size) => Ok(then(constant(size))),
                None => self.size_in(view, ty, shape, &value).map(then),
            }),
            _ => unable("the size of what is in no value"),
        }
    }

    /// The size of a value of a type: an `i128`.
    fn size_in(
        &self,
        view: &'m Model,
        ty: &'m Type,
        shape: &Shape,
        value: &TokenStream,
    ) -> Able<TokenStream> {
        let reached = self.reached(shape, value);
        match (ty, shape) {
            (Type::Region(region), _) => match region.extent {
                Extent::Terminated(_) => unable("the size of what ends at a terminator"),
                _ if region.trim.is_some() => unable("the size of what is trimmed"),
                _ => self.size_in(view, &region.inner, shape, value),
            },
            (Type::Run(run), Shape::Bytes | Shape::Str | Shape::Utf16)
                if run.align.is_none() && (run.content.is_in_bytes() || *shape == Shape::Utf16) =>
            {
                let before = match &run.length {
                    RunLength::Prefix(cell) => match cell.storage {
                        Storage::Fixed(int) => u64::from(int.bytes),
                        _ => return unable("the size of a number of variable width"),
                    },
                    _ => 0,
                };
                let more = before + run.suffix.len() as u64;
                Ok(multiple(unit_size(run.content), &reached, more))
            }
            (Type::Array(array), Shape::List(_))
                if array.stride.is_none() && array.described.is_none() =>
            {
                let Some(size) = self.sight_size(&array.element) else {
                    return unable("the size of elements that vary");
                };
                Ok(multiple(size, &reached, 0))
            }
            (Type::Record(id), _) if !self.record(*id).recursive => {
                let access = Access::Value(value.clone());
                let frame = Frame { record: *id, access, at: None, index: None };
                let record = &view.records[id.index()];
                let base = record.sizes.get(self.layout()).copied().flatten().unwrap_or(0);
                let mut rows = TokenStream::new();
                for (id, row) in record.numbered_rows() {
                    match row.homes.get(self.layout()) {
                        Some(Home::At(_)) if self.sight_size(&row.ty).is_some() => {}
                        Some(Home::Next) => {
                            let add = |size| quote!(size += #size;);
                            rows.extend(self.sized(view, &frame, id, &row.ty, &add)?);
                        }
                        Some(Home::Absent | Home::Nowhere) | None => {}
                        _ => return unable("the size of a row of no fixed size at an offset"),
                    }
                }
                let base = constant(base);
                Ok(quote!({ let mut size = #base; #rows size }))
            }
            _ => unable("the size of something else"),
        }
    }
}

/// The size of so many units, and of more bytes.
fn multiple(unit: u64, list: &TokenStream, more: u64) -> TokenStream {
    let count = quote!(#list.len() as i128);
    let unit = (unit != 1).then(|| constant(unit)).map(|unit| quote!(* #unit));
    let more = (more != 0).then(|| constant(more)).map(|more| quote!(+ #more));
    quote!((#count #unit #more))
}

fn constant(size: u64) -> TokenStream {
    let size = Literal::i128_suffixed(size.into());
    quote!(#size)
}
