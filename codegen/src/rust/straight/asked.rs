//! What `let`s and rows follow from, as functions, where that takes more than a few words: a `let` is
//! asked for in many places, and may ask for others.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::able::Able;
use super::context::Straight;
use super::mentions::{called, mentions};
use super::operators::Typed;
use super::scope::{Access, Frame, Scope};
use crate::model::{ExprId, Model, RecordId, RecordKind, RowId};

/// Tokens of what is not worth a function.
const FEW: usize = 24;

/// What an expression is asked for as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::rust) enum Asker {
    /// A `let`, by its number.
    Let(u32),
    /// What a row follows from.
    Row(RowId),
}

/// The functions for expressions.
#[derive(Default)]
pub(super) struct Asked {
    /// By the record, who asks, the layout, and whether the root is at hand: the function, or none if
    /// it is spelled out where it is asked for.
    known: RefCell<BTreeMap<Key, Option<Function>>>,
    /// Each behind its name, and all that is behind that as text.
    code: RefCell<Vec<(Ident, String, TokenStream)>>,
}

type Key = (RecordId, Asker, Option<usize>, bool);

/// A function that gives what an expression is.
#[derive(Clone)]
struct Function {
    name: Ident,
    /// Whether it takes the root, too.
    rooted: bool,
    is_truth: bool,
}

impl Asked {
    /// The functions that code calls, and those that they call.
    pub fn functions(&self, code: &[TokenStream]) -> Vec<TokenStream> {
        let all = self.code.borrow();
        let all = all.iter().map(|(name, _, code)| (name.to_string(), code.clone())).collect();
        called(code, all)
    }

    /// The name of a function, which is made unless there is one that does the same.
    fn name(&self, record: RecordId, asker: Asker, rest: &TokenStream) -> Ident {
        let first = match asker {
            Asker::Let(number) => format!("ask__{}_l{number}", record.0),
            Asker::Row(row) => format!("ask__{}_r{}", record.0, row.0),
        };
        let text = rest.to_string();
        let mut code = self.code.borrow_mut();
        let mut same = 0;
        for (name, known, _) in code.iter() {
            let is_of = name.to_string();
            if is_of == first || is_of.starts_with(&format!("{first}_")) {
                if *known == text {
                    return name.clone();
                }
                same += 1;
            }
        }
        let name = match same {
            0 => format_ident!("{first}"),
            _ => format_ident!("{first}_{same}"),
        };
        code.push((name.clone(), text, quote!(fn #name #rest)));
        name
    }
}

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
        let key = (frame.record, asker, self.epoch.get(), root.is_some());
        let known = self.asked.known.borrow().get(&key).cloned();
        let function = match known {
            Some(known) => known,
            None => {
                let made = self.asked_function(view, frame.record, asker, expr, root.is_some());
                self.asked.known.borrow_mut().insert(key, made.clone());
                made
            }
        }?;
        let (name, arena) = (&function.name, self.arena_argument());
        let root = root.filter(|_| function.rooted).map(|root| quote!(, #root));
        let arena = arena.map(|arena| quote!(, #arena));
        let call = quote!(#name(#value #root #arena)?);
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
        is_rooted: bool,
    ) -> Option<Function> {
        let frame =
            |record, name| Frame { record, access: Access::Value(name), at: None, index: None };
        let (this, file) = (quote!(v), quote!(file));
        let alone = Scope { frames: vec![frame(record, this.clone())], it: None, late: None };
        let typed = |scope: &Scope<'_>| self.apart(|| self.typed(scope, view, expr));
        let (typed, rooted) = match typed(&alone) {
            Ok(typed) => (typed, false),
            Err(_) if is_rooted && record != self.model.root => {
                let frames = vec![frame(self.model.root, file), frame(record, this)];
                (typed(&Scope { frames, it: None, late: None }).ok()?, true)
            }
            Err(_) => return None,
        };
        let (code, is_truth) = match typed {
            Typed::Number(number) => (number, false),
            Typed::Truth(truth) => (truth, true),
            Typed::Text(_) => return None,
        };
        if size(&code) <= FEW || mentions(&code, "cx") {
            return None;
        }
        let ty = self.value_ty(record, &quote!('_));
        let file = rooted.then(|| {
            let ty = self.value_ty(self.model.root, &quote!('_));
            quote!(, file: &#ty)
        });
        let arena = self.arena_param(&quote!()).map(|arena| quote!(, #arena));
        let result = if is_truth { quote!(bool) } else { quote!(i128) };
        let rest = quote! {
            (v: &#ty #file #arena) -> s::Straight<rt::Option<#result>> { rt::Ok(#code) }
        };
        Some(Function { name: self.asked.name(record, asker, &rest), rooted, is_truth })
    }

    /// Code for a function of its own: what is around the place that asks for it does not matter.
    fn apart(&self, make: impl FnOnce() -> Able<Typed>) -> Able<Typed> {
        let spelled = self.spelled.replace(0);
        let (counting, streaming) = (self.counting.replace(false), self.streaming.replace(false));
        let made = make();
        self.spelled.set(spelled);
        self.counting.set(counting);
        self.streaming.set(streaming);
        made
    }
}

/// Number of tokens.
fn size(code: &TokenStream) -> usize {
    let sizes = code.clone().into_iter().map(|token| match token {
        TokenTree::Group(group) => 1 + size(&group.stream()),
        _ => 1,
    });
    sizes.sum()
}
