//! Where rows are, for tables beside them that say so, and how many elements such tables have.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::able::{Able, unable};
use super::anchors::records_in;
use super::context::Straight;
use super::questions::only_row;
use super::scope::{Elements, Frame, Place, Scope};
use crate::model::{Expr, ExprId, InStep, Model, Path, RecordId, RowId, Step, Type};

/// A row of a record that a path leads to from somewhere in that, or from around it.
pub(super) struct Led<'e> {
    pub row: RowId,
    /// The step that chooses an element of it.
    pub element: Option<&'e Step>,
}

impl<'m> Straight<'_, 'm> {
    /// The row of a record that a path from a node in it leads to: of the very record around the node.
    pub(super) fn led_beside<'e>(
        &self,
        path: &'e Path,
        this: RecordId,
        holder: RecordId,
    ) -> Option<Led<'e>> {
        let (element, fields) = match path.steps.split_last()? {
            (step @ (Step::Index(_) | Step::Last), fields) => (Some(step), fields),
            _ => (None, path.steps.as_slice()),
        };
        let (last, way) = fields.split_last()?;
        let Step::Field(last) = last else { return None };
        let mut outer = holder;
        for step in way.iter().rev() {
            let Step::Field(field) = step else { return None };
            let (record, row) = self.only_inline(outer)?;
            if only_row(field, record) != Some(row) {
                return None;
            }
            outer = record;
        }
        let row = only_row(last, holder)?;
        (self.start(path, this)? == outer).then_some(Led { row, element })
    }

    /// The only row that holds a record, or has it as a case, if there is one such node in it.
    fn only_inline(&self, record: RecordId) -> Option<(RecordId, RowId)> {
        let owner = self.owner(record)?;
        let mut found = None;
        for (id, row) in self.record(owner).numbered_rows() {
            let mut records = Vec::new();
            records_in(self.model, &row.ty, false, &mut records);
            let is_it = |(of, _): &&(RecordId, bool)| *of == record;
            match records.iter().filter(is_it).count() {
                0 => continue,
                1 if matches!(row.ty.stripped(), Type::Record(_) | Type::Union(_)) => {}
                _ => return None,
            }
            if found.replace((owner, id)).is_some() {
                return None;
            }
        }
        found
    }

    /// Where something is, an `Option<i128>`, if a table beside it is filled.
    pub(super) fn placed_number(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        expr: ExprId,
    ) -> Able<Option<TokenStream>> {
        if self.placed.borrow().is_empty() {
            return Ok(None);
        }
        Ok(match &view[expr] {
            Expr::At(path) if path.steps.is_empty() => self.around_at(scope, path),
            Expr::At(path) => self.placed_side(scope, view, path, false)?,
            Expr::End(path) => self.placed_side(scope, view, path, true)?,
            Expr::Size(path) => {
                let from = self.placed_side(scope, view, path, false)?;
                let end = self.placed_side(scope, view, path, true)?;
                from.zip(end).map(|(from, end)| quote!(s::subtract(#end, #from)?))
            }
            _ => None,
        })
    }

    /// The address of a struct around.
    fn around_at(&self, scope: &Scope<'_>, path: &Path) -> Option<TokenStream> {
        let record = self.start(path, scope.frames.last()?.record)?;
        let is_struct = matches!(self.record(record).kind, crate::model::RecordKind::Struct);
        let at = scope.frame_of(record).filter(|_| is_struct)?.at.as_ref()?;
        Some(quote!(rt::Some(i128::from(#at))))
    }

    fn placed_side(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        path: &Path,
        end: bool,
    ) -> Able<Option<TokenStream>> {
        let Some(this) = scope.frames.last() else { return Ok(None) };
        let found = self.placed.borrow().iter().rev().find_map(|placed| {
            let led = self.led_beside(path, this.record, placed.record)?;
            let side = if end { &placed.end } else { &placed.from };
            let parts = (placed.from.clone(), side.clone(), placed.elements.clone());
            (led.row == placed.row).then_some((parts, led.element))
        });
        let Some(((from, side, elements), step)) = found else { return Ok(None) };
        let (Some(step), Some((count, elements))) = (step, elements) else {
            return Ok(step.is_none().then(|| quote!(rt::Some(i128::from(#side)))));
        };
        let index = match step {
            Step::Index(index) => self.number(scope, view, *index)?,
            _ => quote!(rt::Some(#count as i128 - 1)),
        };
        Ok(Some(match elements {
            Elements::OfSize(size) => {
                let size = Literal::u64_unsuffixed(size);
                quote!(s::element_of(#from, #size, #count, #index, #end))
            }
            Elements::Listed(mark) => quote!(cx.element(#mark, #count, #index, #end)?),
        }))
    }

    /// How many elements a table has that another row of its record says how many it has.
    pub(super) fn count_in_step(
        &self,
        view: &'m Model,
        frame: &Frame,
        in_step: InStep,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        self.row_place(view, frame, in_step.with, &mut |place| match place {
            Place::List(list, _) => {
                then(Place::Counted(plus(quote!(#list.len() as i128), in_step.plus)))
            }
            _ => unable("a table beside something else than a list"),
        })
    }
}

/// A number of type `i128`, and so many more.
fn plus(number: TokenStream, more: i128) -> TokenStream {
    let literal = Literal::u128_unsuffixed(more.unsigned_abs());
    match more {
        0 => number,
        ..0 => quote!((#number - #literal)),
        _ => quote!((#number + #literal)),
    }
}
