//! What `let`s and rows follow from, as functions, where that takes more than a few words: a `let` is
//! asked for in many places, and may ask for others.

use proc_macro2::TokenStream;
use quote::quote;

use super::able::Able;
use super::asked::{Asker, Function};
use super::context::Straight;
use super::operators::Typed;
use super::scope::{Access, Frame, Late, Scope};
use super::sight::Sights;
use crate::model::{ExprId, Model, RecordId, RecordKind, RowId};
use crate::rust::mentions::{mentions, size};

/// Tokens of what is not worth a function.
const FEW: usize = 24;

impl<'m> Straight<'_, 'm> {
    /// A call of the function for an expression about the node of a scope, if the values of that node
    /// and of the root are all that it takes, and it is worth one.
    pub(in crate::rust) fn asked(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        asker: Asker,
        expr: ExprId,
    ) -> Option<Typed> {
        let frame = scope.frames.last()?;
        let Access::Value(value) = &frame.access else { return None };
        let is_struct = self.shapes.is_typed(frame.record)
            && !self.shapes.is_transparent(frame.record)
            && !self.spelling_outside(frame.record)
            && !matches!(self.record(frame.record).kind, RecordKind::Form(..));
        // Where steps are counted, it is not in the values alone.
        let counts = self.counting.get() && scope.late.is_some();
        if !is_struct
            || counts
            || self.is_survey()
            || self.has_epochs() && self.epoch.get().is_none()
        {
            return None;
        }
        let root = scope.value_of(self.model.root);
        let looks = scope.late.is_some_and(|late| late.follows_ink());
        let key = (frame.record, asker, self.epoch.get(), root.is_some(), looks);
        let known = self.asked.known.borrow().get(&key).cloned();
        let function = match known {
            Some(known) => known,
            None => {
                let around = (root.is_some(), looks);
                let made = self.asked_function(view, frame.record, asker, expr, around);
                self.asked.known.borrow_mut().insert(key, made.clone());
                made
            }
        }?;
        let (name, arena) = (&function.name, self.arena_argument());
        let root = root.filter(|_| function.rooted).map(|root| quote!(, #root));
        let arena = arena.map(|arena| quote!(, #arena));
        let cx = function.looks.then(|| quote!(cx,));
        let call = quote!(#name(#cx #value #root #arena)?);
        Some(if function.is_truth { Typed::Truth(call) } else { Typed::Number(call) })
    }

    /// What a row follows from: an `Option<i128>`.
    pub(in crate::rust) fn equation(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        row: RowId,
        expr: ExprId,
    ) -> Able<TokenStream> {
        match self.asked(scope, view, Asker::Row(row), expr) {
            Some(asked) => asked.number(),
            None => self.number(scope, view, expr),
        }
    }

    fn asked_function(
        &self,
        view: &'m Model,
        record: RecordId,
        asker: Asker,
        expr: ExprId,
        (is_rooted, looks): (bool, bool),
    ) -> Option<Function> {
        let frame =
            |record, name| Frame { record, access: Access::Value(name), at: None, index: None };
        let sights = Sights { straight: self, view, ink: true };
        let (this, file) = (frame(record, quote!(v)), frame(self.model.root, quote!(file)));
        let typed = |frames: Vec<Frame>, looks: bool| {
            let late: Option<&dyn Late> = if looks { Some(&sights) } else { None };
            self.apart(|| self.typed(&Scope { frames, it: None, late }, view, expr))
        };
        // With as little as it can be: what is asked for from outside may be asked for in vain.
        let is_rooted = is_rooted && record != self.model.root;
        let ways = [(false, false), (true, false), (false, true), (true, true)];
        let mut ways = ways.into_iter().filter(|way| (is_rooted || !way.0) && (looks || !way.1));
        let (typed, rooted) = ways.find_map(|(rooted, looks)| {
            let frames = rooted.then(|| file.clone()).into_iter().chain([this.clone()]);
            Some((typed(frames.collect(), looks).ok()?, rooted))
        })?;
        let (code, is_truth) = match typed {
            Typed::Number(number) => (number, false),
            Typed::Truth(truth) => (truth, true),
            Typed::Text(_) => return None,
        };
        if size(&code) <= FEW || mentions(&code, "cx") && !looks {
            return None;
        }
        let (looks, rooted) = (mentions(&code, "cx"), rooted && mentions(&code, "file"));
        let ty = self.value_ty(record, &quote!('_));
        let file = rooted.then(|| {
            let ty = self.value_ty(self.model.root, &quote!('_));
            quote!(, file: &#ty)
        });
        let arena = self.arena_param(&quote!()).map(|arena| quote!(, #arena));
        let cx = looks.then(|| quote!(cx: &s::Ink<'_>,));
        let result = if is_truth { quote!(bool) } else { quote!(i128) };
        let rest = quote! {
            (#cx v: &#ty #file #arena) -> s::Straight<rt::Option<#result>> { rt::Ok(#code) }
        };
        Some(Function { name: self.asked.name(record, asker, &rest), rooted, looks, is_truth })
    }

    /// Code for a function of its own: what is around the place that asks for it does not matter.
    fn apart(&self, make: impl FnOnce() -> Able<Typed>) -> Able<Typed> {
        let spelled = self.spelled.replace(0);
        let (counting, streaming) = (self.counting.replace(false), self.streaming.replace(false));
        let (leaving, asking) = (self.leaving.replace(false), self.asking.replace(true));
        let (at_hand, placed) = (self.at_hand.take(), self.placed.take());
        let made = self.elsewhere(make);
        self.at_hand.replace(at_hand);
        self.placed.replace(placed);
        self.spelled.set(spelled);
        self.leaving.set(leaving);
        self.asking.set(asking);
        self.counting.set(counting);
        self.streaming.set(streaming);
        made
    }
}
