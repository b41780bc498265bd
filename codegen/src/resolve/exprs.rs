//! Expressions: names become paths, and kinds of values are checked.

use super::{Cx, Env, Expr, ExprId, RecordId, Shape, Val};
use crate::diagnostic::Diagnostic;
use crate::model::{BinaryOp, Member, Path, Step, UnaryOp};
use crate::span::{Span, Spanned};
use crate::syntax::expr::{Ex, ExKind, PathEx};
use crate::syntax::near::nearest;

pub(super) fn numeric(shape: &Shape) -> bool {
    matches!(shape, Shape::Int(_) | Shape::Address | Shape::Any(_) | Shape::Bool)
}

impl<'t> Cx<'t> {
    pub(super) fn val(&mut self, expr: Expr, shape: Shape) -> Option<Val> {
        Some(Val { expr: self.exprs.add(expr), shape })
    }

    /// Resolves an expression.
    pub(super) fn expr(&mut self, env: &Env, ex: &Ex) -> Option<Val> {
        self.expr_hint(env, ex, None)
    }

    /// An expression that must be an integer or address.
    pub(super) fn int(&mut self, env: &Env, ex: &Ex) -> Option<ExprId> {
        let found = self.seen_expr(env, ex)?;
        if matches!(found.shape, Shape::Int(_) | Shape::Address | Shape::Any(_)) {
            self.of_one_kind(ex.span, &found)?;
            return Some(found.expr);
        }
        self.wrong(ex.span, "an integer", &found.shape);
        None
    }

    /// An expression that must be true or false.
    pub(super) fn truth(&mut self, env: &Env, ex: &Ex) -> Option<ExprId> {
        let found = self.seen_expr(env, ex)?;
        if matches!(found.shape, Shape::Bool | Shape::Any(_)) {
            return Some(found.expr);
        }
        self.wrong(ex.span, "a condition", &found.shape);
        None
    }

    /// An expression of which only the value matters.
    pub(super) fn seen_expr(&mut self, env: &Env, ex: &Ex) -> Option<Val> {
        let found = self.expr(env, ex)?;
        let shape = self.seen(&found.shape);
        Some(Val { shape, ..found })
    }

    /// Looks at something of which it is known whether it is evaluated in any file.
    pub(super) fn evaluated<R>(&mut self, always: bool, look: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.always, always);
        let found = look(self);
        self.always = before;
        found
    }

    /// Whether a row is in any file: one of the root without a condition. Whoever holds a struct may
    /// have asked what cases there are before.
    pub(super) fn is_always(&self, id: RecordId, slot: usize) -> bool {
        self.root == Some(id) && self.rec(id).slots[slot].variants[0].when.is_empty()
    }

    /// What is taken for a number or text in any file may not be one of the two, where cases of a
    /// union have rows of one name.
    pub(super) fn of_one_kind(&mut self, span: Span, val: &Val) -> Option<()> {
        if !self.always || !matches!(val.shape, Shape::Any(_)) {
            return Some(());
        }
        let Some((what, line, other)) = self.kinds_at_end(val.expr) else { return Some(()) };
        self.d
            .error("E0221", span, "the value may be of either kind")
            .label(what)
            .also(line, other)
            .help(
                "give the rows different names, or ask before which case it is: \
                 `a is x ? length(a.v) : a.v`",
            );
        None
    }

    pub(super) fn wrong(&mut self, span: Span, what: &str, shape: &Shape) -> &mut Diagnostic {
        let is = self.describe(shape);
        let d = self.d.error("E0221", span, format!("{what} is expected here"));
        d.label(format!("this is {is}"));
        if what == "a condition" && matches!(shape, Shape::Int(_)) {
            d.help("compare it: `x != 0`");
        }
        d
    }

    /// With an enumeration whose members can be named alone.
    pub(super) fn expr_hint(
        &mut self,
        env: &Env,
        ex: &Ex,
        hint: Option<crate::model::EnumId>,
    ) -> Option<Val> {
        match &ex.kind {
            ExKind::Int(n) => self.val(Expr::Int(*n), Shape::Int(None)),
            ExKind::Float(n) => self.val(Expr::Float(*n), Shape::Float),
            ExKind::Bool(b) => self.val(Expr::Bool(*b), Shape::Bool),
            ExKind::Text(t) => self.val(Expr::Text(t.clone()), Shape::Text),
            ExKind::List(_) => {
                self.d.error("E0221", ex.span, "a list can only follow `in`");
                None
            }
            ExKind::Path(path) => self.name(env, path, ex.span, hint),
            ExKind::Unary(op, a) => {
                let (inner, shape) = match op {
                    UnaryOp::Not => (self.truth(env, a)?, Shape::Bool),
                    UnaryOp::Negate => {
                        let found = self.expr(env, a)?;
                        match found.shape {
                            Shape::Int(_) | Shape::Float | Shape::Any(_) => {
                                (found.expr, found.shape)
                            }
                            Shape::Address => (found.expr, Shape::Int(None)),
                            other => {
                                self.wrong(a.span, "a number", &other);
                                return None;
                            }
                        }
                    }
                    UnaryOp::Complement => (self.int(env, a)?, Shape::Int(None)),
                };
                self.val(Expr::Unary(*op, inner), shape)
            }
            ExKind::Binary(op, a, b) => self.binary(env, *op, a, b, ex.span),
            ExKind::If(c, a, b) => {
                let c = self.truth(env, c)?;
                let a = self.evaluated(false, |cx| cx.expr_hint(env, a, hint))?;
                let b = self.evaluated(false, |cx| cx.expr_hint(env, b, hint))?;
                if self.alike(&a.shape, &b.shape, ex.span).is_some() {
                    return None;
                }
                let shape = self.either(a.shape, b.shape);
                self.val(Expr::If(c, a.expr, b.expr), shape)
            }
            ExKind::Coalesce(a, b) => {
                let a = self.expr_hint(env, a, hint)?;
                let is_compared = matches!(&b.kind, ExKind::Binary(..));
                let b = self.expr_hint(env, b, hint)?;
                if let Some(d) = self.alike(&a.shape, &b.shape, ex.span) {
                    if is_compared && b.shape == Shape::Bool {
                        d.help("comparisons come before `??`: it is `(a ?? b) == c`");
                    }
                    return None;
                }
                let shape = self.either(a.shape, b.shape);
                self.val(Expr::Coalesce(a.expr, b.expr), shape)
            }
            ExKind::In(a, list) => {
                let a = self.seen_expr(env, a)?;
                let hint = enum_of(&a.shape);
                let mut found = Vec::new();
                for (from, to) in list {
                    let from_val = self.expr_hint(env, from, hint)?;
                    self.comparable(&a.shape, &from_val.shape, from.span)?;
                    let to = match to {
                        Some(to) => {
                            let to_val = self.expr_hint(env, to, hint)?;
                            self.comparable(&a.shape, &to_val.shape, to.span)?;
                            Some(to_val.expr)
                        }
                        None => None,
                    };
                    found.push((from_val.expr, to));
                }
                self.val(Expr::In(a.expr, found), Shape::Bool)
            }
            ExKind::Is(a, case) => self.is(env, a, case),
            ExKind::Call { name, args, filter } => {
                self.call(env, name, args, filter.as_deref(), ex.span)
            }
        }
    }

    fn binary(&mut self, env: &Env, op: BinaryOp, a: &Ex, b: &Ex, span: Span) -> Option<Val> {
        use BinaryOp::*;
        match op {
            BothTrue | EitherTrue => {
                let left = self.truth(env, a);
                let right = self.evaluated(false, |cx| cx.truth(env, b));
                self.val(Expr::Binary(op, left?, right?), Shape::Bool)
            }
            Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual => {
                // A member of an enumeration may be named alone beside a row of that type.
                let (left, right) = if self.is_lone_word(env, a) {
                    let right = self.seen_expr(env, b)?;
                    (self.expr_hint(env, a, enum_of(&right.shape))?, right)
                } else {
                    let left = self.seen_expr(env, a)?;
                    let right = self.expr_hint(env, b, enum_of(&left.shape))?;
                    (left, right)
                };
                // Of two references it is what they lead to.
                let refer = self.is_reference(left.expr) && self.is_reference(right.expr);
                if !refer || left.shape != right.shape {
                    self.comparable(&left.shape, &right.shape, span)?;
                }
                for (one, other, ex) in [(&left, &right, a), (&right, &left, b)] {
                    if sort(&other.shape).is_some() {
                        self.of_one_kind(ex.span, one)?;
                    }
                }
                self.val(Expr::Binary(op, left.expr, right.expr), Shape::Bool)
            }
            Concatenate => {
                let (left, right) = (self.stream(env, a)?, self.stream(env, b)?);
                if self.alike(&left.shape.element(), &right.shape.element(), span).is_some() {
                    return None;
                }
                let shape = Shape::Array(Box::new(
                    self.either(left.shape.element(), right.shape.element()),
                ));
                self.val(Expr::Binary(op, left.expr, right.expr), shape)
            }
            Add | Subtract | Multiply | Divide | Remainder | And | Or | Xor | ShiftLeft
            | ShiftRight => {
                let left = self.seen_expr(env, a)?;
                let right = self.seen_expr(env, b)?;
                let is_float = left.shape == Shape::Float || right.shape == Shape::Float;
                // Bits are those of integers.
                let floats =
                    is_float && matches!(op, Add | Subtract | Multiply | Divide | Remainder);
                for (part, ex) in [(&left, a), (&right, b)] {
                    let fine = matches!(part.shape, Shape::Int(_) | Shape::Address | Shape::Any(_))
                        || (floats && part.shape == Shape::Float);
                    if !fine {
                        let what = match is_float && !floats {
                            true => "an integer",
                            false => "a number",
                        };
                        self.wrong(ex.span, what, &part.shape);
                        return None;
                    }
                    self.of_one_kind(ex.span, part)?;
                }
                let shape = match (op, &left.shape, &right.shape) {
                    _ if floats => Shape::Float,
                    (Add | Subtract, Shape::Address, Shape::Int(_))
                    | (Add, Shape::Int(_), Shape::Address) => Shape::Address,
                    (Add, Shape::Address, Shape::Address) => {
                        self.d
                            .error("E0221", span, "two addresses can't be added")
                            .help("their difference is a number: `at(a) - at(b)`");
                        return None;
                    }
                    (Add | Subtract, Shape::Any(_), _) | (Add | Subtract, _, Shape::Any(_)) => {
                        Shape::ANY
                    }
                    _ => Shape::Int(None),
                };
                self.val(Expr::Binary(op, left.expr, right.expr), shape)
            }
        }
    }

    /// Whether an expression is a row that points to what somebody else holds.
    fn is_reference(&mut self, expr: ExprId) -> bool {
        let Expr::Path(Path { steps, .. }) = &self.exprs[expr] else { return false };
        let Some(Step::Field(field)) = steps.last() else { return false };
        let members = field.members.clone();
        members.iter().all(|(id, way)| match way.as_slice() {
            [Member::Row(row)] => {
                self.variant_base(*id, row.index(), 0).is_some_and(|base| base.sigil_only)
            }
            _ => false,
        })
    }

    /// Whether an operand is a word that is no name here: perhaps a member of an enumeration.
    fn is_lone_word(&mut self, env: &Env, ex: &Ex) -> bool {
        let Some(word) = ex.word() else { return false };
        if matches!(word, "this" | "it" | "here" | "region_end" | "parent") {
            return false;
        }
        let Some(path) = ex.path() else { return false };
        self.attempt(|cx| cx.path_or_value(env, path)).is_none()
    }

    /// A value is one of the two: a list is exchanged for a list of the like only, and truth values,
    /// numbers and texts for their like.
    pub(super) fn alike(&mut self, a: &Shape, b: &Shape, span: Span) -> Option<&mut Diagnostic> {
        let (a, b) = (&self.seen(a), &self.seen(b));
        if let (Shape::Array(a), Shape::Array(b)) = (a, b) {
            return self.alike(a, b, span);
        }
        let message = match (sort(a), sort(b)) {
            (Some(left), Some(right)) if left != right => "the value would be of either kind",
            _ if matches!(a, Shape::Any(_)) || matches!(b, Shape::Any(_)) => return None,
            _ if a.is_array() != b.is_array() => "the value would be a list or something else",
            _ => return None,
        };
        let (left, right) = (self.describe(a), self.describe(b));
        Some(self.d.error("E0221", span, message).label(format!("{left} and {right}")))
    }

    pub(super) fn comparable(&mut self, a: &Shape, b: &Shape, span: Span) -> Option<()> {
        let (a, b) = (&self.seen(a), &self.seen(b));
        let fine = match (a, b) {
            (Shape::Any(_), _) | (_, Shape::Any(_)) => true,
            (Shape::Int(Some(a)), Shape::Int(Some(b))) => a == b,
            (Shape::Float, Shape::Int(_)) | (Shape::Int(_), Shape::Float) => true,
            // They are where they are, whatever is in them.
            (Shape::Nodes(_) | Shape::Union(_) | Shape::Array(_), _) => false,
            (_, Shape::Nodes(_) | Shape::Union(_) | Shape::Array(_)) => false,
            (a, b) if numeric(a) && numeric(b) => (*a == Shape::Bool) == (*b == Shape::Bool),
            (Shape::Run, Shape::Text | Shape::Bytes) => true,
            (Shape::Text | Shape::Bytes, Shape::Run) => true,
            (a, b) => a == b,
        };
        if fine {
            return Some(());
        }
        let help = match (a, b) {
            (Shape::Nodes(_), Shape::Nodes(_)) => {
                Some("compare what is in them: `a.x == b.x && a.y == b.y`")
            }
            (Shape::Array(_), Shape::Array(_)) => Some(
                "compare their elements: `count(a) == count(b) && all(a where it == b[index(it)])`",
            ),
            _ => None,
        };
        let (left, right) = (self.describe(a), self.describe(b));
        let d = self.d.error("E0221", span, "these can't be compared");
        d.label(format!("{left} and {right}"));
        if let Some(help) = help {
            d.help(help);
        }
        None
    }

    pub(super) fn name(
        &mut self,
        env: &Env,
        path: &PathEx,
        span: Span,
        hint: Option<crate::model::EnumId>,
    ) -> Option<Val> {
        if path.steps.is_empty() {
            let word = path.head.value.as_str();
            let shadowed = env.record.is_some_and(|id| self.member(id, word, 0).is_some());
            match word {
                "here" if !shadowed => return self.val(Expr::Here, Shape::Address),
                "region_end" if !shadowed => return self.val(Expr::RegionEnd, Shape::Address),
                _ => {}
            }
            if let Some(id) = hint {
                let number = self.enums[id.index()]
                    .members
                    .iter()
                    .find(|m| m.name == word)
                    .map(|m| m.number);
                if let Some(number) = number {
                    // A row of this name wins.
                    let lone = Ex::new(ExKind::Path(path.clone()), span);
                    if self.is_lone_word(env, &lone) {
                        return self.val(Expr::Int(number), Shape::Int(hint));
                    }
                }
            }
            if word == "none" {
                let expr = self.nothing("none");
                return Some(Val { expr, shape: Shape::ANY });
            }
        }
        match path.text().as_str() {
            "relocation.sections" => {
                return self.val(Expr::RelocationSections, Shape::Array(Box::new(Shape::ANY)));
            }
            "relocation.entries" => {
                return self.val(Expr::RelocationEntries, Shape::Array(Box::new(Shape::ANY)));
            }
            _ => {}
        }
        match self.path_or_value(env, path)? {
            Ok((path, shape)) => self.val(Expr::Path(path), shape),
            Err((expr, shape)) => Some(Val { expr, shape }),
        }
    }

    fn is(&mut self, env: &Env, a: &Ex, case: &Spanned<String>) -> Option<Val> {
        let Some(path) = a.path() else {
            self.d.error("E0221", a.span, "`is` needs the path of a union");
            return None;
        };
        let (mut path, shape) = self.path(env, path)?;
        // A stream may have structs of several kinds, each with a union of its own, in place or declared
        // elsewhere: then a record is around it.
        let mut shapes = vec![shape];
        let (mut unions, mut places) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            let here = self.unions_of(&shapes);
            if !here.is_empty() || matches!(shapes.as_slice(), [Shape::Any(_)]) {
                places.push(path.clone());
                unions.extend(here);
            }
            let nodes = shapes.iter().filter_map(|shape| match shape {
                Shape::Nodes(records) => Some(records.as_slice()),
                _ => None,
            });
            let mut field = crate::model::Field { name: String::new(), members: Vec::new() };
            let mut inner = Vec::new();
            for id in nodes.flatten().copied().collect::<Vec<_>>() {
                let choice = self.rec(id).slots.iter().position(|slot| {
                    matches!(slot.variants.first().map(|v| &v.source), Some(super::Source::Case(_)))
                });
                let row = match choice {
                    Some(at) => Some(crate::model::RowId(super::id32(at))),
                    None => self.transparent_row(id),
                };
                let Some(row) = row else { continue };
                if field.members.is_empty() {
                    field.name =
                        self.rec(id).slots[row.index()].name.unwrap_or_default().to_owned();
                }
                field.members.push((id, vec![crate::model::Member::Row(row)]));
                inner.push(self.slot_shape(id, row.index())?);
            }
            if inner.is_empty() {
                break;
            }
            path.steps.push(crate::model::Step::Field(field));
            shapes = inner;
        }
        if places.is_empty() {
            self.wrong(a.span, "a union", &shapes[0]);
            return None;
        }
        let cases: Vec<String> = unions
            .iter()
            .flat_map(|union| &self.uni(*union).cases)
            .map(|case| case.decl.name.value.clone())
            .collect();
        if let (Some(&union), false) = (unions.first(), cases.contains(&case.value)) {
            let near = nearest(&case.value, cases.iter().map(String::as_str)).map(str::to_owned);
            let name = self.uni(union).name.clone();
            let d =
                self.d.error("E0219", case.span, format!("`{name}` has no case `{}`", case.value));
            if let Some(near) = near {
                d.label(format!("did you mean `{near}`?"));
            }
            return None;
        }
        let mut either: Option<ExprId> = None;
        for path in places {
            let one = self.val(Expr::Is(path, case.value.clone()), Shape::Bool)?.expr;
            either = Some(match either {
                None => one,
                Some(known) => {
                    self.val(Expr::Binary(BinaryOp::EitherTrue, known, one), Shape::Bool)?.expr
                }
            });
        }
        Some(Val { expr: either?, shape: Shape::Bool })
    }

    /// The unions that these are, or of which they are cases.
    /// The case of a name that a value of this shape may be.
    pub(super) fn may_be_case(&mut self, shape: &Shape, name: &str) -> bool {
        let is_named = |cx: &Self, union: crate::model::UnionId| {
            cx.uni(union).cases.iter().any(|case| case.decl.name.value == name)
        };
        let shapes = [shape.clone()];
        if self.unions_of(&shapes).into_iter().any(|union| is_named(self, union)) {
            return true;
        }
        let Shape::Nodes(records) = shape else { return false };
        records.iter().any(|&id| {
            let choice = self.rec(id).slots.iter().find_map(|slot| match slot.variants.first() {
                Some(variant) => match variant.source {
                    super::Source::Case(union) => Some(union),
                    _ => None,
                },
                None => None,
            });
            choice.is_some_and(|union| is_named(self, union))
        })
    }

    fn unions_of(&mut self, shapes: &[Shape]) -> Vec<crate::model::UnionId> {
        let mut unions = Vec::new();
        for shape in shapes {
            match shape {
                Shape::Union(union) => unions.push(*union),
                // One struct alone is what it is, also where it stands for a case elsewhere.
                Shape::Nodes(records) if records.len() > 1 => {
                    let all =
                        (0..self.unions.len()).map(|at| crate::model::UnionId(super::id32(at)));
                    for union in all.collect::<Vec<_>>() {
                        let cases = self.case_records(union);
                        if cases.iter().any(|case| records.contains(case)) {
                            unions.push(union);
                        }
                    }
                }
                _ => {}
            }
        }
        unions
    }

    /// What is one of two, of which one may be unknown.
    pub(super) fn either(&mut self, a: Shape, b: Shape) -> Shape {
        match (&a, &b) {
            (Shape::Any(records), _) if records.is_empty() => b,
            (_, Shape::Any(records)) if records.is_empty() => a,
            (Shape::Address, Shape::Int(_)) | (Shape::Int(_), Shape::Address) => Shape::Address,
            (Shape::Float, Shape::Int(_) | Shape::Address)
            | (Shape::Int(_) | Shape::Address, Shape::Float) => Shape::Float,
            _ => self.merge(a, b),
        }
    }
}

/// Whether a single value is a truth value, a number, a text or bytes, or has fields.
pub(super) fn sort(shape: &Shape) -> Option<u8> {
    match shape {
        Shape::Bool => Some(0),
        Shape::Int(_) | Shape::Float | Shape::Address => Some(1),
        Shape::Text | Shape::Bytes | Shape::Run => Some(2),
        Shape::Nodes(_) | Shape::Union(_) => Some(3),
        _ => None,
    }
}

fn enum_of(shape: &Shape) -> Option<crate::model::EnumId> {
    match shape {
        Shape::Int(id) => *id,
        Shape::Array(inner) => enum_of(inner),
        _ => None,
    }
}
