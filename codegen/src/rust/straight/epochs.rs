//! Code for each layout, and what is known of the numbers that choose it.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::able::{Able, unable};
use super::context::Straight;
use super::operators::Typed;
use super::scope::{Access, Frame, Place, Scope};
use crate::model::{
    BinaryOp, EpochId, Expr, ExprId, Field, Member, Model, Path, RowKind, Sizes, Start, Step,
    UnaryOp,
};

/// Whether a number that chooses layouts is in one of these ranges: a `bool`.
pub(in crate::rust) fn is_in(name: &Ident, ranges: &[(i128, i128)]) -> TokenStream {
    let ranges = ranges.iter().map(|(low, high)| {
        let low_literal = Literal::i128_unsuffixed(*low);
        let high_literal = Literal::i128_unsuffixed(*high);
        match low == high {
            true => quote!(#low_literal),
            false => quote!(#low_literal..=#high_literal),
        }
    });
    quote!(matches!(#name, #(#ranges)|*))
}

/// An epoch by its position.
pub(super) fn epoch_id(epoch: usize) -> EpochId {
    EpochId(u32::try_from(epoch).unwrap_or(u32::MAX))
}

impl<'m> Straight<'_, 'm> {
    /// Whether there is more than one layout.
    pub(in crate::rust) fn has_epochs(&self) -> bool {
        self.model.epochs.len() > 1
    }

    /// `const E: usize,` for the generics of a function, if there is more than one layout.
    pub(in crate::rust) fn epoch_generic(&self) -> TokenStream {
        if self.has_epochs() { quote!(const E: usize,) } else { TokenStream::new() }
    }

    /// `E,` for calls of such functions.
    pub(in crate::rust) fn epoch_argument(&self) -> TokenStream {
        if self.has_epochs() { quote!(E,) } else { TokenStream::new() }
    }

    /// The model in an epoch.
    pub(in crate::rust) fn view(&self, epoch: usize) -> &'m Model {
        self.views.get(epoch).unwrap_or(self.model)
    }

    /// Sizes of records in each epoch.
    pub(in crate::rust) fn sizes(&self) -> Vec<Sizes<'m>> {
        let epochs = (0..).map(EpochId).zip(self.views.iter());
        epochs.map(|(epoch, view)| view.sizes(epoch)).collect()
    }

    /// Code for each layout: as one piece if it is the same for all.
    pub(in crate::rust) fn by_epoch(
        &self,
        mut body: impl FnMut(&'m Model, usize) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let mut bodies: Vec<(String, TokenStream, Vec<usize>)> = Vec::new();
        for &epoch in &self.layouts {
            let tokens = self.in_epoch(epoch, || body(self.view(epoch), epoch))?;
            let text = tokens.to_string();
            match bodies.iter_mut().find(|(known, ..)| *known == text) {
                Some((.., epochs)) => epochs.push(epoch),
                None => bodies.push((text, tokens, vec![epoch])),
            }
        }
        if bodies.len() == 1 {
            return Ok(bodies.pop().map(|(_, tokens, _)| tokens).unwrap_or_default());
        }
        let arms = bodies.iter().map(|(_, tokens, epochs)| {
            let epochs = epochs.iter().map(|epoch| Literal::usize_unsuffixed(*epoch));
            quote!(#(#epochs)|* => { #tokens })
        });
        Ok(quote!(match E { #(#arms)* _ => return rt::Err(s::Odd), }))
    }

    /// The function `epoch`, which says which layout a value has, if there is more than one.
    pub(super) fn epoch_function(&self) -> Able<TokenStream> {
        if !self.has_epochs() {
            return Ok(TokenStream::new());
        }
        let root = self.model.root;
        let mut numbers = TokenStream::new();
        let access = Access::Value(quote!(v));
        let frames = vec![Frame { record: root, access, at: None, index: None }];
        let scope = Scope { frames, ..Scope::default() };
        for number in 0..self.epoch_paths.len() {
            let name = format_ident!("n{number}");
            let found = self.variable(&scope, self.model, number)?;
            numbers.extend(quote! {
                let mut found = rt::None;
                #found
                let #name: i128 = s::known(found)?;
            });
        }
        let tests = self.model.epochs.iter().enumerate().map(|(epoch, layout)| {
            let tests = layout.ranges.iter().enumerate();
            let tests = tests.map(|(number, ranges)| is_in(&format_ident!("n{number}"), ranges));
            let epoch = Literal::usize_unsuffixed(epoch);
            quote!(if #(#tests)&&* { return rt::Ok(#epoch); })
        });
        let (ty, param) = (self.value_ty(root, &quote!('_)), self.arena_param(&quote!()));
        Ok(quote! {
            fn epoch(v: &#ty, #param) -> s::Straight<usize> {
                #numbers
                #(#tests)*
                rt::Err(s::Odd)
            }
        })
    }

    /// Code that sets `found` to a number that chooses the layout.
    fn variable(&self, scope: &Scope<'_>, view: &'m Model, number: usize) -> Able<TokenStream> {
        let Some(path) = self.epoch_paths.get(number) else { return unable("no epoch variable") };
        self.walk(scope, view, path, false, &mut |place| match place {
            Place::Number(number) => Ok(quote!(found = rt::Some(#number);)),
            Place::Truth(truth) => Ok(quote!(found = rt::Some(i128::from(#truth));)),
            _ => unable("an epoch variable that is no number"),
        })
    }

    /// The paths to the numbers that choose the layout.
    pub(super) fn find_epoch_paths(&self) -> Vec<Path> {
        let (model, root) = (self.model, self.model.root);
        let paths = model.epoch_variables.iter().map(|variable| {
            let rows = model.rows_along(root, &variable.path).into_iter();
            // A transparent struct is what its row is.
            let rows = rows.filter(|(id, _)| *id == root || !self.shapes.is_transparent(*id));
            let steps = rows.map(|(record, row)| {
                let members = vec![(record, vec![Member::Row(row)])];
                Step::Field(Field { name: variable.name.clone(), members })
            });
            Path { start: Start::Root, steps: steps.collect(), text: variable.name.clone() }
        });
        paths.collect()
    }

    /// Calls `visit` for every path in an expression, and for those to the numbers that choose the
    /// layout where that does not say what comes out.
    pub(super) fn paths<'p>(&'p self, expr: ExprId, visit: &mut dyn FnMut(&'p Path)) {
        self.model.exprs.paths(expr, visit);
        if !self.epoch_paths.is_empty() {
            self.numbers(expr, visit);
        }
    }

    fn numbers<'p>(&'p self, expr: ExprId, visit: &mut dyn FnMut(&'p Path)) {
        let known = |epoch| {
            self.in_epoch(epoch, || match self.model[expr] {
                Expr::Epoch(variable) => Ok(self.only(variable).is_some()),
                _ => Ok(self.decided(expr).is_some()),
            })
        };
        if (0..self.views.len()).all(|epoch| known(epoch).unwrap_or(false)) {
            return;
        }
        match &self.model[expr] {
            Expr::Epoch(variable) => {
                self.epoch_paths.get(*variable as usize).into_iter().for_each(visit)
            }
            expr => expr.operands(&mut |operand| self.numbers(operand, visit)),
        }
    }

    /// Makes code for a layout.
    pub(super) fn in_epoch<T>(&self, epoch: usize, make: impl FnOnce() -> Able<T>) -> Able<T> {
        let around = self.epoch.replace(Some(epoch));
        let made = make();
        self.epoch.set(around);
        made
    }

    /// What a number may be that chooses the layout at hand.
    fn ranges(&self, variable: u32) -> Option<&'m [(i128, i128)]> {
        let epoch = match (self.epoch.get(), self.model.epochs.as_slice()) {
            (Some(epoch), epochs) => epochs.get(epoch)?,
            (None, [only]) => only,
            (None, _) => return None,
        };
        epoch.ranges.get(variable as usize).map(Vec::as_slice)
    }

    /// The number that chooses the layout, if it is the same in all files of the layout at hand.
    fn only(&self, variable: u32) -> Option<i128> {
        match self.ranges(variable)? {
            [(low, high)] if low == high => Some(*low),
            _ => None,
        }
    }

    /// The number that chooses the layout: an `Option<i128>`.
    pub(super) fn epoch_number(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        variable: u32,
    ) -> Able<Typed> {
        if let Some(number) = self.only(variable) {
            let number = Literal::i128_suffixed(number);
            return Ok(Typed::Number(quote!(rt::Some(#number))));
        }
        let found = self.variable(scope, view, variable as usize)?;
        Ok(Typed::Number(quote!({ let mut found = rt::None; #found found })))
    }

    /// What comes out in all files of the layout at hand: of comparisons of the numbers that choose it,
    /// and of what is seen from those.
    pub(super) fn decided(&self, expr: ExprId) -> Option<bool> {
        match &self.model[expr] {
            Expr::Unary(UnaryOp::Not, a) => self.decided(*a).map(|a| !a),
            Expr::Binary(op @ (BinaryOp::BothTrue | BinaryOp::EitherTrue), a, b) => {
                // The second one is looked at only if the first one does not say it.
                let both = *op == BinaryOp::BothTrue;
                if self.decided(*a)? == both { self.decided(*b) } else { Some(!both) }
            }
            Expr::Binary(op, a, b) => self.epoch_truth(*op, *a, *b),
            Expr::Path(path) => {
                let root = self.model.root;
                let is_rooted = match &path.start {
                    Start::Root => true,
                    Start::Enclosing(records) => records.as_slice() == [root],
                    _ => false,
                };
                let [Step::Field(field)] = path.steps.as_slice() else { return None };
                let (_, members) = field.members.iter().find(|(of, _)| is_rooted && *of == root)?;
                let [Member::Row(row)] = members.as_slice() else { return None };
                let row = &self.model.records[root.index()].rows[row.index()];
                // The writer looks in the end whether it is so.
                match row.kind {
                    RowKind::Value { seen: Some(seen) } if self.is_tried(root, row) => {
                        self.decided(seen)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A comparison that comes out the same for all numbers that choose the layout.
    fn epoch_truth(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<bool> {
        let (op, variable, number) = match (&self.model[a], &self.model[b]) {
            (Expr::Epoch(variable), _) => (op, variable, self.model.exprs.constant(b)?),
            (_, Expr::Epoch(variable)) => (turned(op), variable, self.model.exprs.constant(a)?),
            _ => return None,
        };
        let mut all = self.ranges(*variable)?.iter().map(|(low, high)| match op {
            BinaryOp::Less => agreed(*low < number, *high < number),
            BinaryOp::LessOrEqual => agreed(*low <= number, *high <= number),
            BinaryOp::Greater => agreed(*low > number, *high > number),
            BinaryOp::GreaterOrEqual => agreed(*low >= number, *high >= number),
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let inside = *low <= number && number <= *high;
                let equal = if inside { (low == high).then_some(true) } else { Some(false) }?;
                Some(equal == (op == BinaryOp::Equal))
            }
            _ => None,
        });
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }
}

fn agreed(low: bool, high: bool) -> Option<bool> {
    (low == high).then_some(low)
}

/// The comparison that says the same with its sides exchanged.
fn turned(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessOrEqual => BinaryOp::GreaterOrEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterOrEqual => BinaryOp::LessOrEqual,
        other => other,
    }
}
