//! Expressions: names become paths, and kinds of values are checked.

use super::shapes::merge;
use super::{Cx, Env, Expr, Shape, Val};
use crate::model::{BinaryOp, Function, StreamFunction, UnaryOp};
use crate::span::{Span, Spanned};
use crate::syntax::expr::{Ex, ExKind, PathEx};
use crate::syntax::near::nearest;

const FUNCTIONS: [&str; 25] = [
    "count",
    "sum",
    "min",
    "max",
    "any",
    "all",
    "first",
    "at",
    "end",
    "size",
    "size_of",
    "sizeof",
    "index",
    "is_last",
    "listed",
    "patricia",
    "murmur3",
    "fnv1a",
    "stem",
    "extension",
    "ends_with",
    "length",
    "number",
    "hex",
    "last",
];

fn val(expr: Expr, shape: Shape) -> Option<Val> {
    Some(Val { expr, shape })
}

fn numeric(shape: &Shape) -> bool {
    matches!(shape, Shape::Int(_) | Shape::Address | Shape::Any | Shape::Bool)
}

impl<'t> Cx<'t> {
    /// Resolves an expression.
    pub(super) fn expr(&mut self, env: &Env, ex: &Ex) -> Option<Val> {
        self.expr_hint(env, ex, None)
    }

    /// An expression that must be an integer or address.
    pub(super) fn int(&mut self, env: &Env, ex: &Ex) -> Option<Expr> {
        let found = self.seen_expr(env, ex)?;
        if matches!(found.shape, Shape::Int(_) | Shape::Address | Shape::Any) {
            return Some(found.expr);
        }
        self.wrong(ex.span, "an integer", &found.shape);
        None
    }

    /// An expression that must be true or false.
    pub(super) fn truth(&mut self, env: &Env, ex: &Ex) -> Option<Expr> {
        let found = self.seen_expr(env, ex)?;
        if matches!(found.shape, Shape::Bool | Shape::Any) {
            return Some(found.expr);
        }
        self.wrong(ex.span, "a condition", &found.shape);
        None
    }

    /// An expression of which only the value matters.
    fn seen_expr(&mut self, env: &Env, ex: &Ex) -> Option<Val> {
        let found = self.expr(env, ex)?;
        let shape = self.seen(&found.shape);
        Some(Val { shape, ..found })
    }

    fn wrong(&mut self, span: Span, what: &str, shape: &Shape) {
        let is = self.describe(shape);
        let d = self.d.error("E0221", span, format!("{what} is expected here"));
        d.label(format!("this is {is}"));
        if what == "a condition" && matches!(shape, Shape::Int(_)) {
            d.help("compare it: `x != 0`");
        }
    }

    /// With an enumeration whose members can be named alone.
    pub(super) fn expr_hint(
        &mut self,
        env: &Env,
        ex: &Ex,
        hint: Option<crate::model::EnumId>,
    ) -> Option<Val> {
        match &ex.kind {
            ExKind::Int(n) => val(Expr::Int(*n), Shape::Int(None)),
            ExKind::Float(n) => val(Expr::Float(*n), Shape::Float),
            ExKind::Bool(b) => val(Expr::Bool(*b), Shape::Bool),
            ExKind::Text(t) => val(Expr::Text(t.clone()), Shape::Text),
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
                        if !matches!(found.shape, Shape::Int(_) | Shape::Float | Shape::Any) {
                            self.wrong(a.span, "a number", &found.shape);
                            return None;
                        }
                        (found.expr, found.shape)
                    }
                    UnaryOp::Complement => (self.int(env, a)?, Shape::Int(None)),
                };
                val(Expr::Unary(*op, Box::new(inner)), shape)
            }
            ExKind::Binary(op, a, b) => self.binary(env, *op, a, b, ex.span),
            ExKind::If(c, a, b) => {
                let c = self.truth(env, c)?;
                let a = self.expr_hint(env, a, hint)?;
                let b = self.expr_hint(env, b, hint)?;
                let shape = either(a.shape, b.shape);
                val(Expr::If(Box::new(c), Box::new(a.expr), Box::new(b.expr)), shape)
            }
            ExKind::Coalesce(a, b) => {
                let a = self.expr_hint(env, a, hint)?;
                let b = self.expr_hint(env, b, hint)?;
                let shape = either(a.shape, b.shape);
                val(Expr::Coalesce(Box::new(a.expr), Box::new(b.expr)), shape)
            }
            ExKind::In(a, list) => {
                let a = self.seen_expr(env, a)?;
                let hint = enum_of(&a.shape);
                let mut found = Vec::new();
                for (from, to) in list {
                    let from_val = self.expr_hint(env, from, hint)?;
                    self.comparable(&a.shape, &from_val.shape, from.span)?;
                    let to = match to {
                        Some(to) => Some(self.expr_hint(env, to, hint)?.expr),
                        None => None,
                    };
                    found.push((from_val.expr, to));
                }
                val(Expr::In(Box::new(a.expr), found), Shape::Bool)
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
                let right = self.truth(env, b);
                val(Expr::Binary(op, Box::new(left?), Box::new(right?)), Shape::Bool)
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
                self.comparable(&left.shape, &right.shape, span)?;
                val(Expr::Binary(op, Box::new(left.expr), Box::new(right.expr)), Shape::Bool)
            }
            Concatenate => {
                let (left, right) = (self.stream(env, a)?, self.stream(env, b)?);
                let shape =
                    Shape::Array(Box::new(either(left.shape.element(), right.shape.element())));
                val(Expr::Binary(op, Box::new(left.expr), Box::new(right.expr)), shape)
            }
            Add | Subtract | Multiply | Divide | Remainder | And | Or | Xor | ShiftLeft
            | ShiftRight => {
                let left = self.seen_expr(env, a)?;
                let right = self.seen_expr(env, b)?;
                let floats = left.shape == Shape::Float || right.shape == Shape::Float;
                for (part, ex) in [(&left, a), (&right, b)] {
                    let fine = matches!(part.shape, Shape::Int(_) | Shape::Address | Shape::Any)
                        || (floats && part.shape == Shape::Float);
                    if !fine {
                        self.wrong(ex.span, "a number", &part.shape);
                        return None;
                    }
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
                    (Add | Subtract, Shape::Any, _) | (Add | Subtract, _, Shape::Any) => Shape::Any,
                    _ => Shape::Int(None),
                };
                val(Expr::Binary(op, Box::new(left.expr), Box::new(right.expr)), shape)
            }
        }
    }

    /// Whether an operand is a word that is no name here: perhaps a member of an enumeration.
    fn is_lone_word(&mut self, env: &Env, ex: &Ex) -> bool {
        let Some(word) = ex.word() else { return false };
        if matches!(word, "this" | "it" | "here" | "region_end" | "parent") {
            return false;
        }
        let Some(path) = ex.path() else { return false };
        let kept = std::mem::take(&mut self.d);
        let found = self.path_or_value(env, path);
        self.d = kept;
        found.is_none()
    }

    fn comparable(&mut self, a: &Shape, b: &Shape, span: Span) -> Option<()> {
        let (a, b) = (&self.seen(a), &self.seen(b));
        let fine = match (a, b) {
            (Shape::Any, _) | (_, Shape::Any) => true,
            (Shape::Int(Some(a)), Shape::Int(Some(b))) => a == b,
            (Shape::Float, Shape::Int(_)) | (Shape::Int(_), Shape::Float) => true,
            (Shape::Nodes(_) | Shape::Union(_) | Shape::Array(_), _) => a == b,
            (a, b) if numeric(a) && numeric(b) => (*a == Shape::Bool) == (*b == Shape::Bool),
            (a, b) => a == b,
        };
        if fine {
            return Some(());
        }
        let (left, right) = (self.describe(a), self.describe(b));
        self.d.error("E0221", span, "these can't be compared").label(format!("{left} and {right}"));
        None
    }

    fn name(
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
                "here" if !shadowed => return val(Expr::Here, Shape::Address),
                "region_end" if !shadowed => return val(Expr::RegionEnd, Shape::Address),
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
                        return val(Expr::Int(number), Shape::Int(hint));
                    }
                }
            }
            if word == "none" {
                return val(super::paths::nothing("none"), Shape::Any);
            }
        }
        match path.text().as_str() {
            "relocation.sections" => {
                return val(Expr::RelocationSections, Shape::Array(Box::new(Shape::Any)));
            }
            "relocation.entries" => {
                return val(Expr::RelocationEntries, Shape::Array(Box::new(Shape::Any)));
            }
            _ => {}
        }
        match self.path_or_value(env, path)? {
            Ok((path, shape)) => val(Expr::Path(path), shape),
            Err((expr, shape)) => val(expr, shape),
        }
    }

    fn is(&mut self, env: &Env, a: &Ex, case: &Spanned<String>) -> Option<Val> {
        let Some(path) = a.path() else {
            self.d.error("E0221", a.span, "`is` needs the path of a union");
            return None;
        };
        let (mut path, mut shape) = self.path(env, path)?;
        // Through the record of a declared union.
        for _ in 0..4 {
            let Shape::Nodes(records) = &shape else { break };
            let Some(&id) = records.first() else { break };
            let choice = self.rec(id).slots.iter().position(|slot| {
                matches!(slot.variants.first().map(|v| &v.source), Some(super::Source::Case(_)))
            });
            let row = match choice {
                Some(at) => Some(crate::model::RowId(super::id32(at))),
                None => self.transparent_row(id),
            };
            let Some(row) = row else { break };
            let name = self.rec(id).slots[row.index()].name.unwrap_or_default().to_owned();
            shape = self.slot_shape(id, row.index())?;
            path.steps.push(crate::model::Step::Field(crate::model::Field {
                name,
                members: vec![(id, vec![crate::model::Member::Row(row)])],
            }));
        }
        let Shape::Union(union) = shape else {
            if shape == Shape::Any {
                return val(Expr::Is(path, case.value.clone()), Shape::Bool);
            }
            self.wrong(a.span, "a union", &shape);
            return None;
        };
        let cases: Vec<String> =
            self.uni(union).cases.iter().map(|c| c.decl.name.value.clone()).collect();
        if !cases.contains(&case.value) {
            let near = nearest(&case.value, cases.iter().map(String::as_str)).map(str::to_owned);
            let name = self.uni(union).name.clone();
            let d =
                self.d.error("E0219", case.span, format!("`{name}` has no case `{}`", case.value));
            if let Some(near) = near {
                d.label(format!("did you mean `{near}`?"));
            }
            return None;
        }
        val(Expr::Is(path, case.value.clone()), Shape::Bool)
    }

    /// An array or a stream.
    fn stream(&mut self, env: &Env, ex: &Ex) -> Option<Val> {
        let mut found = self.expr(env, ex)?;
        if let Expr::Path(path) = &mut found.expr {
            let mut shape = found.shape.clone();
            self.through_transparent(&mut shape, &mut path.steps);
            found.shape = shape;
        }
        if matches!(found.shape, Shape::Array(_) | Shape::Any) {
            return Some(found);
        }
        self.wrong(ex.span, "an array", &found.shape);
        None
    }

    fn call(
        &mut self,
        env: &Env,
        name: &Spanned<String>,
        args: &[Ex],
        filter: Option<&Ex>,
        span: Span,
    ) -> Option<Val> {
        let stream = match name.value.as_str() {
            "count" => Some(StreamFunction::Count),
            "sum" => Some(StreamFunction::Sum),
            "min" => Some(StreamFunction::Min),
            "max" => Some(StreamFunction::Max),
            "any" => Some(StreamFunction::Any),
            "all" => Some(StreamFunction::All),
            "first" => Some(StreamFunction::First),
            _ => None,
        };
        if let Some(function) = stream {
            return self.stream_call(env, function, name, args, filter, span);
        }
        if let Some(filter) = filter {
            self.d
                .error("E0222", filter.span, format!("`{}` takes no `where`", name.value))
                .help("`where` belongs to count, sum, min, max, any, all and first");
        }
        let one = |cx: &mut Self| -> Option<()> {
            if args.len() == 1 {
                return Some(());
            }
            cx.arity(name, 1, args.len(), span);
            None
        };
        match name.value.as_str() {
            "at" | "end" | "size" | "size_of" | "index" | "is_last" | "listed" | "patricia" => {
                one(self)?;
                self.place(env, &name.value, &args[0])
            }
            "sizeof" => {
                one(self)?;
                self.sizeof(env, &args[0])
            }
            "hex" => {
                one(self)?;
                let ExKind::Text(text) = &args[0].kind else {
                    self.d
                        .error("E0222", args[0].span, "`hex` needs a text")
                        .help("write `hex('4142')`");
                    return None;
                };
                match super::texts::hex(text) {
                    Some(bytes) => val(Expr::Bytes(bytes), Shape::Bytes),
                    None => {
                        self.d.error("E0222", args[0].span, "these are not bytes in hex");
                        None
                    }
                }
            }
            "length" | "number" | "stem" | "extension" | "fnv1a" | "murmur3" | "ends_with" => {
                self.plain_call(env, name, args, span)
            }
            other => {
                let near = nearest(other, FUNCTIONS).map(str::to_owned);
                let d = self.d.error("E0222", name.span, format!("unknown function `{other}`"));
                match near {
                    Some(near) => d.label(format!("did you mean `{near}`?")),
                    None => d.help(format!("the functions are: {}", FUNCTIONS.join(", "))),
                };
                if other == "last" {
                    d.help("write `items[last]`, or `is_last(this)`");
                }
                None
            }
        }
    }

    fn arity(&mut self, name: &Spanned<String>, needs: usize, has: usize, span: Span) {
        let plural = if needs == 1 { "" } else { "s" };
        self.d.error(
            "E0222",
            span,
            format!("`{}` takes {needs} argument{plural}, not {has}", name.value),
        );
    }

    fn plain_call(
        &mut self,
        env: &Env,
        name: &Spanned<String>,
        args: &[Ex],
        span: Span,
    ) -> Option<Val> {
        let (function, kinds, result): (_, &[&str], _) = match name.value.as_str() {
            "length" => (Function::Length, &["text"], Shape::Int(None)),
            "number" => (Function::Number, &["int"], Shape::Int(None)),
            "stem" => (Function::Stem, &["text"], Shape::Text),
            "extension" => (Function::Extension, &["text"], Shape::Text),
            "fnv1a" => (Function::Fnv1a, &["text"], Shape::Int(None)),
            "murmur3" => (Function::Murmur3, &["text", "int"], Shape::Int(None)),
            _ => (Function::EndsWith, &["text", "text"], Shape::Bool),
        };
        if args.len() != kinds.len() {
            self.arity(name, kinds.len(), args.len(), span);
            return None;
        }
        let mut list = Vec::new();
        for (arg, kind) in args.iter().zip(kinds) {
            let found = self.seen_expr(env, arg)?;
            let fine = match *kind {
                "int" => matches!(found.shape, Shape::Int(_) | Shape::Bool | Shape::Any),
                _ => matches!(found.shape, Shape::Text | Shape::Bytes | Shape::Any),
            };
            if !fine {
                let what = if *kind == "int" { "an integer" } else { "a text" };
                self.wrong(arg.span, what, &found.shape);
                return None;
            }
            list.push(found.expr);
        }
        val(Expr::Call(function, list), result)
    }

    fn place(&mut self, env: &Env, name: &str, arg: &Ex) -> Option<Val> {
        if arg.word() == Some("file") {
            let named = env.record.is_some_and(|id| self.member(id, "file", 0).is_some());
            if !named {
                return match name {
                    "end" | "size" | "size_of" => {
                        let shape = if name == "end" { Shape::Address } else { Shape::Int(None) };
                        val(Expr::FileEnd, shape)
                    }
                    "at" => val(Expr::Int(0), Shape::Address),
                    _ => {
                        self.d.error("E0222", arg.span, format!("the file has no {name}"));
                        None
                    }
                };
            }
        }
        let Some(path) = arg.path() else {
            self.d
                .error("E0222", arg.span, format!("`{name}` needs a path"))
                .help(format!("write `{name}(row)` or `{name}(this)`"));
            return None;
        };
        let (path, shape) = self.path(env, path)?;
        match name {
            "at" => val(Expr::At(path), Shape::Address),
            "end" => val(Expr::End(path), Shape::Address),
            "size" | "size_of" => val(Expr::Size(path), Shape::Int(None)),
            "index" => val(Expr::Index(path), Shape::Int(None)),
            "is_last" => val(Expr::IsLast(path), Shape::Bool),
            "listed" => val(Expr::Listed(path), Shape::Bool),
            _ => {
                if !matches!(shape, Shape::Array(_) | Shape::Any) {
                    self.wrong(arg.span, "an array of texts", &shape);
                    return None;
                }
                val(Expr::Patricia(path), Shape::Array(Box::new(Shape::Any)))
            }
        }
    }

    /// Size of a type that is the same everywhere.
    fn sizeof(&mut self, env: &Env, arg: &Ex) -> Option<Val> {
        let text = arg.path().map(PathEx::text).unwrap_or_default();
        match self.static_size(env.scope, &text, 0) {
            Some(size) => val(Expr::Int(size), Shape::Int(None)),
            None => {
                self.d
                    .error("E0222", arg.span, "`sizeof` needs a type of a constant size")
                    .help("the size of a row is `size(row)`");
                None
            }
        }
    }

    fn stream_call(
        &mut self,
        env: &Env,
        function: StreamFunction,
        name: &Spanned<String>,
        args: &[Ex],
        filter: Option<&Ex>,
        span: Span,
    ) -> Option<Val> {
        let [arg] = args else {
            self.arity(name, 1, args.len(), span);
            return None;
        };
        if function == StreamFunction::Count && filter.is_none() {
            let found = self.seen_expr(env, arg)?;
            if matches!(found.shape, Shape::Bytes | Shape::Text) {
                return val(Expr::Call(Function::Length, vec![found.expr]), Shape::Int(None));
            }
        }
        let found = self.stream(env, arg)?;
        let element = found.shape.element();
        let seen = self.seen(&element);
        let filter = match filter {
            None => None,
            Some(filter) => {
                let inner = Env {
                    it: Some(element.clone()),
                    element: Some(element.clone()),
                    alias: None,
                    ..env.clone()
                };
                Some(Box::new(self.truth(&inner, filter)?))
            }
        };
        let shape = match function {
            StreamFunction::Count => Shape::Int(None),
            StreamFunction::Any | StreamFunction::All => {
                if filter.is_none() && !matches!(seen, Shape::Bool | Shape::Any) {
                    self.wrong(arg.span, "an array of truth values, or `where`", &found.shape);
                    return None;
                }
                Shape::Bool
            }
            StreamFunction::First => element,
            StreamFunction::Sum | StreamFunction::Min | StreamFunction::Max => {
                if !matches!(seen, Shape::Int(_) | Shape::Any | Shape::Float | Shape::Address) {
                    self.wrong(arg.span, "an array of numbers", &found.shape);
                    return None;
                }
                seen
            }
        };
        val(Expr::Stream(function, Box::new(found.expr), filter), shape)
    }
}

fn enum_of(shape: &Shape) -> Option<crate::model::EnumId> {
    match shape {
        Shape::Int(id) => *id,
        Shape::Array(inner) => enum_of(inner),
        _ => None,
    }
}

fn either(a: Shape, b: Shape) -> Shape {
    match (&a, &b) {
        (Shape::Any, _) => b,
        (_, Shape::Any) => a,
        (Shape::Address, Shape::Int(_)) | (Shape::Int(_), Shape::Address) => Shape::Address,
        _ => merge(a, b),
    }
}
