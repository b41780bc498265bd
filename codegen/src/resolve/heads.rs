//! Beginnings of paths: what the first name means.

use super::exprs::numeric;
use super::imports::Found;
use super::{Bound, Cx, Env, Expr, ExprId, RecordId, ScopeParam, Shape, id32};
use crate::model::{BinaryOp, Field, Start, Step};
use crate::span::Span;
use crate::syntax::ast::DeclBody;
use crate::syntax::expr::{PathEx, StepEx};
use crate::syntax::near::nearest;

/// The beginning of a path.
pub(super) enum Head {
    /// Start, first steps, what was reached, and how many written steps were used.
    Path(Start, Vec<Step>, Shape, usize),
    Value(ExprId, Shape),
}

impl<'t> Cx<'t> {
    pub(super) fn head(&mut self, env: &Env, ex: &PathEx) -> Option<Head> {
        let name = ex.head.value.as_str();
        let span = ex.head.span;
        // A row of such a name wins, unless a path goes on that can't from there.
        let own = env.record.filter(|_| matches!(name, "this" | "parent"));
        let is_row = own.is_some_and(|id| {
            self.settle_unnamed(id, 0);
            let way = self.member(id, name, 0);
            way.is_some_and(|way| {
                ex.steps.is_empty()
                    || !self.member_shape(id, &way).is_some_and(|shape| numeric(&shape))
            })
        });
        match (name, env.record) {
            _ if is_row => {}
            ("this", None) if !env.holders.is_empty() => {
                let shape = Shape::Nodes(env.holders.clone());
                return Some(Head::Path(Start::This, Vec::new(), shape, 0));
            }
            ("this", Some(id)) => {
                return Some(Head::Path(Start::This, Vec::new(), Shape::Nodes(vec![id]), 0));
            }
            ("it", _) if env.it.is_some() => {
                let shape = env.it.clone().unwrap_or(Shape::ANY);
                return Some(Head::Path(Start::It, Vec::new(), shape, 0));
            }
            ("parent", Some(id)) => {
                // `parent.parent` is the owner's owner.
                let more = ex
                    .steps
                    .iter()
                    .take_while(|step| matches!(step, StepEx::Field(f) if f.value == "parent"))
                    .count();
                let mut nodes = vec![id];
                for _ in 0..=more {
                    let mut next: Vec<RecordId> = Vec::new();
                    for node in nodes {
                        for &owner in self.owners.get(node.index()).into_iter().flatten() {
                            if !next.contains(&owner) {
                                next.push(owner);
                            }
                        }
                    }
                    nodes = next;
                }
                let shape = if nodes.is_empty() { Shape::ANY } else { Shape::Nodes(nodes) };
                return Some(Head::Path(Start::Up(1 + id32(more)), Vec::new(), shape, more));
            }
            _ => {}
        }
        if env.alias.as_deref() == Some(name) && ex.steps.is_empty() {
            let shape = env.it.clone().unwrap_or(Shape::ANY);
            return Some(Head::Path(Start::It, Vec::new(), shape, 0));
        }
        if let Some(element) = &env.element
            && let Some((steps, shape)) = self.field_in_element(element, name, span)
        {
            return Some(Head::Path(Start::It, steps, shape, 0));
        }
        let mut at = env.record;
        let mut level = 0;
        while let Some(id) = at {
            self.settle_unnamed(id, 0);
            if let Some(way) = self.member(id, name, 0) {
                let shape = match env.place && ex.steps.is_empty() && self.is_open_end(id, &way) {
                    true => None,
                    false => self.member_shape(id, &way),
                };
                let shape = shape.unwrap_or(Shape::ANY);
                let start = if level == 0 { Start::This } else { Start::Up(level) };
                let field = Field { name: name.to_owned(), members: vec![(id, way)] };
                return Some(Head::Path(start, vec![Step::Field(field)], shape, 0));
            }
            if level == 0 {
                let bound = self.rec(id).params.iter().find(|p| p.0 == name).map(|p| p.1.clone());
                match bound {
                    Some(Bound::Const(expr, shape)) => return Some(Head::Value(expr, shape)),
                    Some(Bound::Argument(at, shape, _)) => {
                        return Some(Head::Path(Start::Argument(at), Vec::new(), shape, 0));
                    }
                    Some(Bound::Type(_) | Bound::Open(_)) => {
                        self.d.error("E0219", span, format!("parameter `{name}` is a type"));
                        return None;
                    }
                    None => {}
                }
            }
            at = self.rec(id).outer;
            level += 1;
        }
        let param = self.scope(env.scope).params.iter().find(|p| p.0 == name).map(|p| p.1.clone());
        if let Some(ScopeParam::Const(expr, shape)) = param {
            return Some(Head::Value(expr, shape));
        }
        if env.scope == self.main {
            let vars = &self.epochs.vars;
            if let Some(at) = vars.iter().position(|v| v.decl.name.value == name) {
                let (shape, is_truth) = match vars[at].cell.meaning {
                    crate::model::Meaning::Enum(id) => (Shape::Int(Some(id)), false),
                    crate::model::Meaning::Bool { .. } => (Shape::Bool, true),
                    _ => (Shape::Int(None), false),
                };
                let mut epoch = self.exprs.add(Expr::Epoch(id32(at)));
                if is_truth {
                    let yes = self.exprs.add(Expr::Int(1));
                    epoch = self.exprs.add(Expr::Binary(BinaryOp::Equal, epoch, yes));
                }
                return Some(Head::Value(epoch, shape));
            }
        }
        let tree = self.scope(env.scope).tree;
        if let Some(decl) = tree.lets.iter().find(|l| l.name.value == name) {
            if env.depth > 32 {
                self.d.error("E0208", decl.span, format!("`{name}` depends on itself"));
                return None;
            }
            let inner = Env { depth: env.depth + 1, ..self.env(env.scope, None) };
            let val = self.expr(&inner, &decl.ex)?;
            return Some(Head::Value(val.expr, val.shape));
        }
        if let Some(head) = self.type_head(env, ex)? {
            return Some(head);
        }
        if !env.holders.is_empty() {
            let found = self.field_of(&env.holders.clone(), name, span, false);
            if let Some((steps, shape)) = found {
                return Some(Head::Path(Start::This, steps, shape, 0));
            }
        }
        self.unknown_name(env, ex);
        None
    }

    /// A path that begins with the name of a struct, or of an enumeration.
    fn type_head(&mut self, env: &Env, ex: &PathEx) -> Option<Option<Head>> {
        let mut names = vec![ex.head.value.as_str()];
        for step in &ex.steps {
            match step {
                StepEx::Field(name) => names.push(&name.value),
                _ => break,
            }
        }
        for length in (1..=names.len()).rev() {
            let joined = names[..length].join(".");
            let found = self.lookup(env.scope, &joined);
            if found.is_empty() {
                continue;
            }
            let found = self.lookup_one(env.scope, &joined, ex.head.span)?;
            let (scope, index) = match found {
                Found::Decl(scope, index) => (scope, index),
                Found::Type(scope, ty) => match self.lookup(scope, &ty.name).first() {
                    Some(Found::Decl(scope, index)) => (*scope, *index),
                    _ => continue,
                },
            };
            let decl = self.decl(scope, index);
            match &decl.body {
                DeclBody::Struct { .. } | DeclBody::Union { .. } => {
                    if decl.params.is_empty() {
                        self.instance(scope, index, Vec::new(), ex.head.span)?;
                    }
                    let list = self.by_decl.get(&(scope, index)).cloned().unwrap_or_default();
                    let root = self.root.is_some_and(|root| list == [root]);
                    let start = if root { Start::Root } else { Start::Enclosing(list.clone()) };
                    let shape = if list.is_empty() { Shape::ANY } else { Shape::Nodes(list) };
                    return Some(Some(Head::Path(start, Vec::new(), shape, length - 1)));
                }
                DeclBody::Enum { members, .. } => {
                    let id = self.enumeration(scope, index);
                    let Some(StepEx::Field(member)) = ex.steps.get(length - 1) else {
                        self.d
                            .error("E0219", ex.span(), format!("`{joined}` is an enumeration"))
                            .help(format!("name a member: `{joined}.MEMBER`"));
                        return None;
                    };
                    match members.iter().find(|m| m.name.value == member.value) {
                        Some(found) => {
                            let value = self.exprs.add(Expr::Int(found.number));
                            return Some(Some(Head::Value(value, Shape::Int(Some(id)))));
                        }
                        None => {
                            let names = members.iter().map(|m| m.name.value.as_str());
                            let near = nearest(&member.value, names).map(str::to_owned);
                            let d = self.d.error(
                                "E0219",
                                member.span,
                                format!("`{joined}` has no member `{}`", member.value),
                            );
                            if let Some(near) = near {
                                d.label(format!("did you mean `{near}`?"));
                            }
                            d.also(decl.name.span, "declared here");
                            return None;
                        }
                    }
                }
                _ => {}
            }
        }
        Some(None)
    }

    /// The field of an element, if it has one of this name.
    fn field_in_element(
        &mut self,
        element: &Shape,
        name: &str,
        span: Span,
    ) -> Option<(Vec<Step>, Shape)> {
        let leads = |step: &Step| !matches!(step, Step::Field(to) if to.members.is_empty());
        self.field(element, name, span, false).filter(|(steps, _)| steps.iter().all(leads))
    }

    fn unknown_name(&mut self, env: &Env, ex: &PathEx) {
        let mut names: Vec<String> = Vec::new();
        let mut at = env.record;
        while let Some(id) = at {
            names.extend(self.names_in(id, 0));
            at = self.rec(id).outer;
        }
        names.extend(self.type_names(env.scope));
        if env.scope == self.main {
            names.extend(self.epochs.vars.iter().map(|v| v.decl.name.value.clone()));
        }
        names.extend(self.scope(env.scope).tree.lets.iter().map(|l| l.name.value.clone()));
        let name = &ex.head.value;
        let near = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        let of_it = env
            .it
            .as_ref()
            .is_some_and(|it| self.field_in_element(it, name, ex.head.span).is_some());
        let it = env.it.clone();
        let is_case = it.is_some_and(|it| self.may_be_case(&it, name));
        let record = env.record;
        let shown = record.map(|id| (self.rec(id).name.clone(), self.rec(id).span));
        let d = self.d.error("E0219", ex.head.span, format!("unknown name `{name}`"));
        if let Some(near) = near {
            d.label(format!("did you mean `{near}`?"));
        }
        match name.as_str() {
            name if of_it => d.help(format!("of the element it is `it.{name}`")),
            name if is_case => {
                d.help(format!("whether the element is this case says `it is {name}`"))
            }
            "index" => d.help("write `index(this)`"),
            "last" => d.help("write `is_last(this)`, or `items[last]` for an element"),
            "until" | "end" | "eof" | "eos" | "rest" | "remaining" => {
                d.help("as many as there is room for: `count=fill`")
            }
            _ => match shown {
                Some((shown, span)) => d.also(span, format!("in `{shown}`")),
                None => d,
            },
        };
    }
}
