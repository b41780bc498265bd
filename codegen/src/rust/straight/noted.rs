//! References that a reader notes, and looks up when it has read everything.
//!
//! What they lead to may stand behind them, so they cannot be looked up where they are met; and to
//! go through the whole value for them once more takes as long as a fifth of reading.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::{Goal, Straight};
use super::epochs::epoch_id;
use crate::model::{RecordId, RecordKind, Reference, Row, RowId, Step};
use crate::rust::shape::{Prim, Shape};

impl Straight<'_, '_> {
    /// All goals of references that a reader can note.
    pub(super) fn find_goals(&self) -> Vec<Goal> {
        let mut goals: Vec<Goal> = Vec::new();
        for (id, record) in self.model.records() {
            for (row_id, row) in record.numbered_rows() {
                let Some(reference) = self.notable(id, row_id, row) else { continue };
                if !goals.iter().any(|goal| goal.is_of(reference)) {
                    let (array, field) = (reference.array.clone(), reference.field.clone());
                    goals.push(Goal { array, field });
                }
            }
        }
        goals
    }

    /// The number of the goal that the numbers in a row are noted for.
    pub(super) fn goal(&self, id: RecordId, row_id: RowId, row: &Row) -> Option<usize> {
        if !self.noting.get() {
            return None;
        }
        let reference = self.notable(id, row_id, row)?;
        if self.refers_to_nothing(reference) {
            return None;
        }
        self.goals.iter().position(|goal| goal.is_of(reference))
    }

    /// Whether numbers are only numbers, since the layout at hand does not have what they refer to.
    pub(super) fn refers_to_nothing(&self, reference: &Reference) -> bool {
        self.epoch
            .get()
            .is_some_and(|epoch| self.model.is_absent(&reference.array, epoch_id(epoch)))
    }

    fn notable<'r>(&self, id: RecordId, row_id: RowId, row: &'r Row) -> Option<&'r Reference> {
        let reference = row.reference.as_ref().filter(|reference| reference.filter.is_none())?;
        let fields = reference.array.steps.iter().all(|step| matches!(step, Step::Field(_)));
        let of_root = self.start(&reference.array, id) == Some(self.model.root);
        let plain = matches!(self.record(id).kind, RecordKind::Struct | RecordKind::Case(..));
        if !fields || !of_root || !plain || self.shapes.is_transparent(id) {
            return None;
        }
        let field = self.shapes.field(id, row_id)?;
        is_noted(&field.shape).then_some(reference)
    }

    /// A value, of which the numbers that it refers to are noted.
    pub(super) fn noted(&self, goal: usize, shape: &Shape, value: &TokenStream) -> TokenStream {
        if let Shape::Option(inner) = shape
            && !matches!(**inner, Shape::List(_))
        {
            let note = self.note(goal, inner, &quote!(some));
            return quote!(cx.note_some(#value, |cx, some| #note));
        }
        let note = self.note(goal, shape, &quote!((&value)));
        quote!({ let value = #value; #note; value })
    }

    /// Code that notes the numbers that `value` refers to.
    fn note(&self, goal: usize, shape: &Shape, value: &TokenStream) -> TokenStream {
        let note = match self.goals[goal].field {
            Some(_) => quote!(note_key),
            None => quote!(note_index),
        };
        match shape {
            Shape::Int(_) => quote!(cx.#note(#goal, *#value as u64)),
            Shape::Index(_) => quote!(cx.#note(#goal, #value.number() as u64)),
            Shape::Option(inner) => {
                let note = self.note(goal, inner, &quote!(some));
                quote!(if let rt::Some(some) = #value { #note; })
            }
            Shape::List(inner) => {
                let (list, note) = (self.reached(shape, value), self.note(goal, inner, &quote!(n)));
                quote!(for n in #list.iter() { #note; })
            }
            _ => TokenStream::new(),
        }
    }
}

/// Whether a field of a shape holds numbers that can be noted.
fn is_noted(shape: &Shape) -> bool {
    match shape {
        Shape::Int(Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64) | Shape::Index(_) => true,
        Shape::Option(inner) | Shape::List(inner) => is_noted(inner),
        _ => false,
    }
}
