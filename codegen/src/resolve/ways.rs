//! Statements in a `when` that are no rows: what they say where their conditions hold.

use super::{Cx, Env, Expr, Val};
use crate::span::Span;
use crate::syntax::expr::Ex;

/// An expression, and the conditions around it, each perhaps negated.
#[derive(Debug, Clone)]
pub(super) struct Way<'t> {
    pub when: Vec<(&'t Ex, bool)>,
    pub epochs: Vec<bool>,
    pub ex: &'t Ex,
    pub span: Span,
}

/// A `let`, or several of one name of which one holds at a time.
pub(super) type Ways<'t> = Vec<Way<'t>>;

impl Way<'_> {
    /// Whether an epoch has it.
    pub fn lives(&self) -> bool {
        self.epochs.contains(&true)
    }

    /// Whether it never holds together with another one.
    pub fn is_apart(&self, other: &Way<'_>) -> bool {
        !self.epochs.iter().zip(&other.epochs).any(|(a, b)| *a && *b)
            || self.when.iter().any(|(ex, negated)| {
                other.when.iter().any(|(to, other)| std::ptr::eq(*ex, *to) && negated != other)
            })
    }
}

/// Whether one of these holds in any case.
pub(super) fn is_complete(ways: &[&Way<'_>], depth: usize) -> bool {
    let Some(first) = ways.first() else { return false };
    let Some((condition, _)) = first.when.get(depth) else { return true };
    [false, true].iter().all(|side| is_complete(&on_side(ways, depth, condition, *side), depth + 1))
}

/// Those that stand in one branch of a condition.
fn on_side<'a, 't>(
    ways: &[&'a Way<'t>],
    depth: usize,
    condition: &Ex,
    side: bool,
) -> Vec<&'a Way<'t>> {
    let stands = |way: &&&Way<'t>| {
        way.when.get(depth).is_some_and(|(ex, no)| std::ptr::eq(*ex, condition) && *no == side)
    };
    ways.iter().filter(stands).copied().collect()
}

impl<'t> Cx<'t> {
    /// The expression of what holds, and `otherwise` where nothing does.
    pub(super) fn chosen(&mut self, env: &Env, ways: &[Way<'t>], otherwise: &Val) -> Option<Val> {
        let live: Vec<&Way<'t>> = ways.iter().filter(|way| way.lives()).collect();
        if live.is_empty() {
            let first = self.expr(env, ways.first()?.ex)?;
            return Some(Val { shape: first.shape, ..otherwise.clone() });
        }
        self.chosen_of(env, &live, 0, otherwise)
    }

    fn chosen_of(
        &mut self,
        env: &Env,
        ways: &[&Way<'t>],
        depth: usize,
        otherwise: &Val,
    ) -> Option<Val> {
        let Some(first) = ways.first() else { return Some(otherwise.clone()) };
        let Some((condition, _)) = first.when.get(depth) else { return self.expr(env, first.ex) };
        let rest: Vec<&Way<'t>> = ways
            .iter()
            .filter(|way| way.when.get(depth).is_none_or(|(ex, _)| !std::ptr::eq(*ex, *condition)))
            .copied()
            .collect();
        let otherwise = self.chosen_of(env, &rest, depth, otherwise)?;
        let asked = self.truth(env, condition)?;
        let yes = on_side(ways, depth, condition, false);
        let yes = self.chosen_of(env, &yes, depth + 1, &otherwise)?;
        let no = on_side(ways, depth, condition, true);
        let no = self.chosen_of(env, &no, depth + 1, &otherwise)?;
        if self.alike(&yes.shape, &no.shape, first.span).is_some() {
            return None;
        }
        let shape = self.either(yes.shape, no.shape);
        self.val(Expr::If(asked, yes.expr, no.expr), shape)
    }
}
