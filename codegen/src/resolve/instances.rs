//! Records for types with arguments: one per distinct list.

use super::late::Late;
use super::{Bound, Cx, Env, Expr, MAX_RECORDS, Open, ScopeId, Shape, id32};
use crate::model::{ExprId, Path, RecordId, Start};
use crate::span::Span;
use crate::syntax::ast::{Argument, Decl};

/// Arguments of a record without a name: those of types that are its arguments.
pub(super) struct Further {
    /// How many have a name.
    pub(super) named: usize,
    /// Evaluated in the owner.
    pub(super) list: Vec<ExprId>,
}

impl<'t> Cx<'t> {
    /// Arguments of a type, resolved where they are written.
    pub(super) fn arguments(
        &mut self,
        scope: ScopeId,
        record: Option<RecordId>,
        decl: &'t Decl,
        args: &'t [Argument],
        span: Span,
    ) -> Option<Vec<Bound>> {
        if args.len() != decl.params.len() {
            let name = &decl.name.value;
            let (needs, has) = (decl.params.len(), args.len());
            let plural = if needs == 1 { "" } else { "s" };
            self.d
                .error("E0213", span, format!("`{name}` takes {needs} argument{plural}, not {has}"))
                .also(decl.name.span, "declared here");
            return None;
        }
        args.iter()
            .enumerate()
            .map(|(at, arg)| self.argument(scope, record, arg, id32(at)))
            .collect()
    }

    pub(super) fn argument(
        &mut self,
        scope: ScopeId,
        record: Option<RecordId>,
        arg: &'t Argument,
        at: u32,
    ) -> Option<Bound> {
        if let Some(ty) = &arg.ty {
            let path = arg.ex.as_ref().and_then(|ex| ex.path());
            let is_value = path.is_some_and(|path| self.is_value(scope, record, path));
            let length_word = matches!(arg.text.as_str(), "until-nul" | "fill");
            let literal = matches!(
                arg.ex.as_ref().map(|ex| &ex.kind),
                Some(crate::syntax::expr::ExKind::Bool(_))
            );
            if !is_value && !length_word && !literal {
                let base = self.passed(scope, record, ty)?;
                if base.raw {
                    self.d.error("E0209", arg.span, "`bytes` and `text` need a length");
                    return None;
                }
                return Some(Self::as_argument(base));
            }
        }
        let ex = arg.ex.as_ref()?;
        let env = Env { it: self.it.clone(), ..self.env(scope, record) };
        if ex.word() == Some("none") {
            return Some(Bound::Argument(at, Shape::ANY, self.nothing("none")));
        }
        let mut val = self.expr(&env, ex)?;
        // Not what a parameter adds to: each struct that hands it on would be another one.
        let mut is_handed_on = false;
        ex.walk(&mut |part| {
            let path = part.path();
            is_handed_on |=
                path.is_some_and(|path| self.bound_to(record, &path.head.value).is_some());
        });
        if let (Some(n), false) = (self.exprs.constant(val.expr), is_handed_on) {
            val.expr = self.exprs.add(Expr::Int(n));
        }
        match &self.exprs[val.expr] {
            Expr::Int(_) | Expr::Bool(_) | Expr::Float(_) | Expr::Text(_) | Expr::Bytes(_) => {
                Some(Bound::Const(val.expr, val.shape))
            }
            _ => {
                let it = self.it.clone();
                self.late.push(Late { scope, record, it, ex, expr: val.expr });
                Some(Bound::Argument(at, val.shape, val.expr))
            }
        }
    }

    /// What an argument is inside the record that it is given to. What it asks its own owner for is
    /// handed on to types inside by further arguments, behind those that have a name.
    pub(super) fn inside(&mut self, bound: Bound, further: &mut Further) -> Bound {
        let Bound::Open(open) = bound else { return bound };
        let args = open.args.into_iter().map(|arg| match arg {
            Bound::Argument(at, shape, expr) => {
                let known = further.list.iter().position(|known| *known == expr);
                let given = known.unwrap_or_else(|| {
                    further.list.push(expr);
                    further.list.len() - 1
                });
                let text = match &self.exprs[expr] {
                    Expr::Path(path) => path.text.clone(),
                    _ => "..".to_owned(),
                };
                let start = Start::Argument(id32(further.named + given));
                let path = Expr::Path(Path { start, steps: Vec::new(), text });
                Bound::Argument(at, shape, self.exprs.add(path))
            }
            other => self.inside(other, further),
        });
        let args = args.collect();
        Bound::Open(Open { args, ..open })
    }

    /// The record for a declaration with these arguments; one per distinct list.
    pub(super) fn instance(
        &mut self,
        scope: ScopeId,
        index: usize,
        args: Vec<Bound>,
        span: Span,
    ) -> Option<RecordId> {
        let key = format!("{} {index} {args:?}", scope.0);
        if let Some(&id) = self.instances.get(&key) {
            return Some(id);
        }
        if self.records.len() >= MAX_RECORDS {
            if !self.too_many {
                self.too_many = true;
                self.d.error("E0208", span, format!("more than {MAX_RECORDS} structs")).help(
                    "parameters multiply structs: does a struct use itself with an argument that \
                     grows, or with a row of its own? Then put the rows around the inner one into \
                     a struct without parameters",
                );
            }
            return None;
        }
        if key.len() > 1 << 16 {
            self.d.error("E0208", span, "the arguments of this type are too long");
            return None;
        }
        let id = RecordId(id32(self.records.len()));
        self.instances.insert(key, id);
        self.by_decl.entry((scope, index)).or_default().push(id);
        self.declare(scope, index, args);
        Some(id)
    }
}
