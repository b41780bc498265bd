//! Conditions: over the context or over data.

use super::consts::Plain;
use super::{Bound, Cx, RecordId, ScopeId};
use crate::syntax::ast::LetDecl;
use crate::syntax::expr::{Ex, ExKind, PathEx};

impl<'t> Cx<'t> {
    /// Whether a condition is only about the context: epochs, parameters of the library, literals.
    pub(super) fn is_context(
        &self,
        scope: ScopeId,
        record: RecordId,
        names: &[&str],
        ex: &Ex,
    ) -> bool {
        let (mut context, mut named) = (true, false);
        ex.walk(&mut |part| match &part.kind {
            ExKind::Path(path) => {
                named = true;
                context &= self.is_context_path(scope, record, names, path);
            }
            ExKind::Call { .. } | ExKind::Is(..) => context = false,
            _ => {}
        });
        context && named
    }

    fn is_context_path(
        &self,
        scope: ScopeId,
        record: RecordId,
        names: &[&str],
        path: &PathEx,
    ) -> bool {
        let head = path.head.value.as_str();
        if !path.steps.is_empty() {
            return self.enum_member_path(scope, path).is_some();
        }
        // The nearest struct that has a row of this name.
        let mut nearest = names.contains(&head).then_some(record);
        let mut at = Some(record);
        while let Some(id) = at {
            let rec = self.rec(id);
            if nearest.is_none() && rec.slot_named(head).is_some() {
                nearest = Some(id);
            }
            if let Some((_, bound)) = rec.params.iter().find(|p| p.0 == head) {
                return matches!(bound, Bound::Const(..));
            }
            at = rec.outer;
        }
        if let Some(var) = self.var(head) {
            // The row that holds the epoch has its name in most schemas.
            let (holder, index, row) = self.epochs.vars[var].holder;
            let own = self.by_decl.get(&(holder, index));
            let is_own = |id| row == head && own.is_some_and(|list| list.contains(&id));
            return scope == self.main && nearest.is_none_or(is_own);
        }
        if nearest.is_some() {
            return false;
        }
        let here = self.scope(scope);
        here.tree.lets.iter().any(|l| l.name.value == head)
            || here.params.iter().any(|p| p.0 == head)
            || self.epochs.vars.iter().any(|v| v.members.iter().any(|m| m.0 == head))
    }

    /// Whether a condition over the context holds, per epoch.
    pub(super) fn holds(&mut self, scope: ScopeId, record: Option<RecordId>, ex: &Ex) -> Vec<bool> {
        let mut list = Vec::new();
        for epoch in 0..self.epoch_count() {
            let sample = self.epochs.samples.get(epoch).cloned().unwrap_or_default();
            match self.eval(scope, record, ex, &sample, 0) {
                Some(Plain::Bool(b)) => list.push(b),
                _ => {
                    match self.let_in_circle(scope, ex) {
                        Some(decl) => {
                            let text = format!("`{}` depends on itself", decl.name.value);
                            self.d.error("E0208", decl.span, text);
                        }
                        None => {
                            let text = "the condition is neither true nor false";
                            let about_epochs = self.is_about_epochs(scope, record, ex, 0);
                            let error = self.d.error("E0218", ex.span, text);
                            if about_epochs {
                                error.help(
                                    "an epoch is compared with numbers or members of its \
                                     enumeration, and one that is true or false stands alone: \
                                     `when long`",
                                );
                            }
                        }
                    }
                    return vec![true; self.epoch_count()];
                }
            }
        }
        self.check_cuts(scope, record, ex);
        list
    }

    /// A named expression of the text that an expression asks for, and which asks for itself.
    fn let_in_circle(&self, scope: ScopeId, ex: &Ex) -> Option<&'t LetDecl> {
        let lets = &self.scope(scope).tree.lets;
        let asked = |ex: &Ex| {
            let mut list: Vec<usize> = Vec::new();
            ex.walk(&mut |part| {
                let named =
                    part.word().and_then(|word| lets.iter().position(|l| l.name.value == word));
                list.extend(named);
            });
            list
        };
        let all = |from: Vec<usize>| {
            let mut list = from;
            let mut at = 0;
            while let Some(&next) = list.get(at) {
                let more = asked(&lets[next].ex);
                list.extend(more.into_iter().filter(|one| !list.contains(one)).collect::<Vec<_>>());
                at += 1;
            }
            list
        };
        let circle = |one: &usize| all(asked(&lets[*one].ex)).contains(one);
        all(asked(ex)).into_iter().find(circle).map(|one| &lets[one])
    }

    /// For each epoch the first choice whose condition holds (`None` holds always).
    pub(super) fn choose(
        &mut self,
        scope: ScopeId,
        conditions: &[Option<&Ex>],
    ) -> Option<Vec<Option<usize>>> {
        let mut chosen = vec![None; self.epoch_count()];
        for (at, condition) in conditions.iter().enumerate() {
            let holds = match condition {
                Some(ex) => self.holds(scope, None, ex),
                None => vec![true; self.epoch_count()],
            };
            for (chosen, holds) in chosen.iter_mut().zip(holds) {
                if holds && chosen.is_none() {
                    *chosen = Some(at);
                }
            }
        }
        Some(chosen)
    }
}
