//! Calls of functions in expressions.

use super::paths::one_only;
use super::{Cx, Env, Expr, Shape, Source, Val};
use crate::model::{BinaryOp, ExprId, Function, Member, Path, RowId, Step, StreamFunction, Type};
use crate::span::{Span, Spanned};
use crate::syntax::ast::RowWord;
use crate::syntax::expr::{Ex, ExKind, PathEx};
use crate::syntax::near::nearest;

const FUNCTIONS: [&str; 38] = [
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
    "polynomial",
    "crc32",
    "adler32",
    "md5",
    "sha1",
    "sha256",
    "bytes",
    "stem",
    "extension",
    "ends_with",
    "length",
    "utf16_units",
    "number",
    "numbers",
    "floor",
    "ceil",
    "round",
    "trunc",
    "hex",
    "last",
];

/// The digest that a name means.
pub(super) fn digest(name: &str) -> Option<Function> {
    [Function::Md5, Function::Sha1, Function::Sha256].into_iter().find(|of| of.name() == name)
}

impl<'t> Cx<'t> {
    /// An expression, of which a path goes on through transparent structs.
    fn reached(&mut self, env: &Env, ex: &Ex) -> Option<Val> {
        let mut found = self.expr(env, ex)?;
        let mut through = Vec::new();
        if let Expr::Path(_) = self.exprs[found.expr] {
            self.through_transparent(&mut found.shape, &mut through);
        }
        if let (Expr::Path(path), false) = (&self.exprs[found.expr], through.is_empty()) {
            let steps = path.steps.iter().cloned().chain(through).collect();
            let longer = Path { start: path.start.clone(), steps, text: path.text.clone() };
            found.expr = self.exprs.add(Expr::Path(longer));
        }
        Some(found)
    }

    /// Texts and runs of bytes, one behind the other: one of them, a stream of them or of numbers, or
    /// several of this with `++` between them.
    fn runs(&mut self, env: &Env, ex: &Ex) -> Option<Val> {
        if let ExKind::Binary(BinaryOp::Concatenate, a, b) = &ex.kind {
            let (a, b) = (self.runs(env, a)?, self.runs(env, b)?);
            let both = Expr::Binary(BinaryOp::Concatenate, a.expr, b.expr);
            return self.val(both, Shape::Array(Box::new(Shape::ANY)));
        }
        let found = self.reached(env, ex)?;
        let shape = self.seen(&found.shape);
        let fine = match &shape {
            Shape::Text | Shape::Bytes | Shape::Run | Shape::Any(_) => true,
            Shape::Array(element) => {
                let element = self.seen(element);
                matches!(
                    element,
                    Shape::Text | Shape::Bytes | Shape::Run | Shape::Int(_) | Shape::Any(_)
                )
            }
            _ => false,
        };
        if fine {
            return Some(found);
        }
        self.wrong(ex.span, "a text or byte run", &shape)
            .help("several of them stand one behind the other: `a ++ b`");
        None
    }

    /// An array or a stream.
    pub(super) fn stream(&mut self, env: &Env, ex: &Ex) -> Option<Val> {
        let found = self.reached(env, ex)?;
        if matches!(found.shape, Shape::Array(_) | Shape::Any(_)) {
            return Some(found);
        }
        if found.shape == Shape::Bytes {
            let bytes = Expr::Call(Function::Numbers, vec![found.expr]);
            return self.val(bytes, Shape::Array(Box::new(Shape::Int(None))));
        }
        let row = match &self.exprs[found.expr] {
            Expr::Path(path) => self.row_of(path),
            _ => None,
        };
        one_only(self.wrong(ex.span, "an array", &found.shape), row);
        None
    }

    pub(super) fn call(
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
        let greatest = match stream {
            Some(StreamFunction::Min) if args.len() == 2 => Some(Function::Least),
            Some(StreamFunction::Max) if args.len() == 2 => Some(Function::Greatest),
            _ => None,
        };
        if let (Some(function), None) = (greatest, filter) {
            return self.of_two(env, function, args);
        }
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
                match crate::syntax::hex(text) {
                    Some(bytes) => self.val(Expr::Bytes(bytes), Shape::Bytes),
                    None => {
                        self.d.error("E0222", args[0].span, "these are not bytes in hex");
                        None
                    }
                }
            }
            "bytes" => self.stored(env, name, args, span),
            "length" | "utf16_units" | "number" | "numbers" | "stem" | "extension" | "fnv1a"
            | "murmur3" | "polynomial" | "crc32" | "adler32" | "md5" | "sha1" | "sha256"
            | "ends_with" | "floor" | "ceil" | "round" | "trunc" => {
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
        self.arity_of(name, &format!("{needs} argument{plural}"), has, span);
    }

    fn arity_of(&mut self, name: &Spanned<String>, needs: &str, has: usize, span: Span) {
        self.d.error("E0222", span, format!("`{}` takes {needs}, not {has}", name.value));
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
            "utf16_units" => (Function::Utf16Units, &["name"], Shape::Int(None)),
            "number" => (Function::Number, &["member"], Shape::Int(None)),
            "numbers" => {
                let bytes = Shape::Array(Box::new(Shape::Int(None)));
                (Function::Numbers, &["bytes"], bytes)
            }
            "stem" => (Function::Stem, &["name"], Shape::Text),
            "extension" => (Function::Extension, &["name"], Shape::Text),
            "fnv1a" => (Function::Fnv1a, &["text"], Shape::Int(None)),
            "crc32" => (Function::Crc32, &["runs"], Shape::Int(None)),
            "adler32" => (Function::Adler32, &["runs"], Shape::Int(None)),
            "murmur3" => (Function::Murmur3, &["text", "int"], Shape::Int(None)),
            // Where it starts may be left out.
            "polynomial" if args.len() == 2 => {
                (Function::Polynomial, &["text", "int"], Shape::Int(None))
            }
            "polynomial" => (Function::Polynomial, &["text", "int", "int"], Shape::Int(None)),
            "md5" => (Function::Md5, &["runs"], Shape::Bytes),
            "sha1" => (Function::Sha1, &["runs"], Shape::Bytes),
            "sha256" => (Function::Sha256, &["runs"], Shape::Bytes),
            "floor" => (Function::Floor, &["number"], Shape::Int(None)),
            "ceil" => (Function::Ceil, &["number"], Shape::Int(None)),
            "round" => (Function::Round, &["number"], Shape::Int(None)),
            "trunc" => (Function::Trunc, &["number"], Shape::Int(None)),
            _ => (Function::EndsWith, &["text", "text"], Shape::Bool),
        };
        if args.len() != kinds.len() {
            match function {
                Function::Polynomial => self.arity_of(name, "2 or 3 arguments", args.len(), span),
                _ => self.arity(name, kinds.len(), args.len(), span),
            }
            return None;
        }
        let mut list = Vec::new();
        for (arg, kind) in args.iter().zip(kinds) {
            if *kind == "runs" {
                list.push(self.runs(env, arg)?.expr);
                continue;
            }
            let found = self.seen_expr(env, arg)?;
            let fine = match *kind {
                "int" => matches!(found.shape, Shape::Int(_) | Shape::Address | Shape::Any(_)),
                "member" => matches!(found.shape, Shape::Int(_) | Shape::Bool | Shape::Any(_)),
                "bytes" => matches!(found.shape, Shape::Bytes | Shape::Any(_)),
                "name" => matches!(found.shape, Shape::Text | Shape::Any(_)),
                "number" => matches!(found.shape, Shape::Float | Shape::Int(_) | Shape::Any(_)),
                _ => matches!(found.shape, Shape::Text | Shape::Bytes | Shape::Run | Shape::Any(_)),
            };
            if !fine {
                let what = match *kind {
                    "int" | "member" => "an integer",
                    "bytes" => "a byte run",
                    "number" => "a number",
                    _ => "a text",
                };
                self.wrong(arg.span, what, &found.shape);
                return None;
            }
            self.of_one_kind(arg.span, &found)?;
            list.push(found.expr);
        }
        self.val(Expr::Call(function, list), result)
    }

    /// The lesser or greater of two numbers.
    fn of_two(&mut self, env: &Env, function: Function, args: &[Ex]) -> Option<Val> {
        let mut list = Vec::new();
        let mut shape = Shape::ANY;
        for arg in args {
            let found = self.seen_expr(env, arg)?;
            shape = match (found.shape, shape) {
                (found @ (Shape::Int(_) | Shape::Address), Shape::Any(_)) => found,
                (Shape::Int(_) | Shape::Address, Shape::Int(_) | Shape::Address) => {
                    Shape::Int(None)
                }
                (Shape::Float, Shape::Float | Shape::Any(_)) => Shape::Float,
                (Shape::Any(_), shape) => shape,
                (other, before) => {
                    let what = match before {
                        Shape::Any(_) => "a number",
                        Shape::Float => "a float",
                        _ => "an integer",
                    };
                    self.wrong(arg.span, what, &other);
                    return None;
                }
            };
            list.push(found.expr);
        }
        self.val(Expr::Call(function, list), shape)
    }

    /// `bytes(P)`, or the bytes between two addresses.
    fn stored(
        &mut self,
        env: &Env,
        name: &Spanned<String>,
        args: &[Ex],
        span: Span,
    ) -> Option<Val> {
        let (from, to) = match args {
            [place] => (self.place(env, "at", place)?, self.place(env, "end", place)?),
            [from, to] => {
                let (from_value, to_value) = (self.expr(env, from)?, self.expr(env, to)?);
                for (arg, found) in [(from, &from_value), (to, &to_value)] {
                    if !matches!(found.shape, Shape::Int(_) | Shape::Address | Shape::Any(_)) {
                        self.wrong(arg.span, "an address", &found.shape);
                        return None;
                    }
                }
                (from_value, to_value)
            }
            _ => {
                self.arity(name, 1, args.len(), span);
                return None;
            }
        };
        self.val(Expr::Stored(from.expr, to.expr), Shape::Bytes)
    }

    fn place(&mut self, env: &Env, name: &str, arg: &Ex) -> Option<Val> {
        if arg.word() == Some("file") {
            let named = env.record.is_some_and(|id| self.member(id, "file", 0).is_some());
            if !named {
                return match name {
                    "end" | "size" | "size_of" => {
                        let shape = if name == "end" { Shape::Address } else { Shape::Int(None) };
                        self.val(Expr::FileEnd, shape)
                    }
                    "at" => self.val(Expr::Int(0), Shape::Address),
                    _ => {
                        self.d.error("E0222", arg.span, format!("the file has no {name}"));
                        None
                    }
                };
            }
        }
        if let (ExKind::Call { .. }, "index") = (&arg.kind, name)
            && let found = self.expr(env, arg)?
            && let Expr::Stream(StreamFunction::First, source, filter) = self.exprs[found.expr]
        {
            let index = StreamFunction::FirstIndex;
            return self.val(Expr::Stream(index, source, filter), Shape::Int(None));
        }
        let Some(path) = arg.path() else {
            self.d
                .error("E0222", arg.span, format!("`{name}` needs a path"))
                .help(format!("write `{name}(row)` or `{name}(this)`"));
            return None;
        };
        let (path, shape) = match name {
            "patricia" => self.path(env, path)?,
            _ => self.place_of(env, path)?,
        };
        if name != "patricia"
            && let Some(computed) = self.computed(&path)
        {
            let message = format!("`{}` stands nowhere", path.text);
            let diagnostic = self.d.error("E0222", arg.span, message);
            diagnostic.also(computed, "it is computed");
            diagnostic.help("name a row; a `let` may be one, or choose one: `kind == 0 ? a : b`");
            return None;
        }
        if matches!(name, "at" | "end" | "size" | "size_of")
            && let Some(slice) = self.sliced(&path)
        {
            let message = format!("`{}` has no place of its own", path.text);
            let diagnostic = self.d.error("E0222", arg.span, message);
            diagnostic.also(slice, "its elements stand in the shared table");
            diagnostic.help(format!(
                "ask its elements: `end({0}[last]) - at({0}[0])`; of an empty one these are nothing",
                path.text
            ));
            return None;
        }
        match name {
            "at" => self.val(Expr::At(path), Shape::Address),
            "end" => self.val(Expr::End(path), Shape::Address),
            "size" | "size_of" => self.val(Expr::Size(path), Shape::Int(None)),
            "index" => self.val(Expr::Index(path), Shape::Int(None)),
            "is_last" => self.val(Expr::IsLast(path), Shape::Bool),
            "listed" => self.val(Expr::Listed(path), Shape::Bool),
            _ => {
                let fine = match &shape {
                    Shape::Array(element) => {
                        matches!(self.seen(element), Shape::Text | Shape::Run | Shape::Any(_))
                    }
                    shape => matches!(shape, Shape::Any(_)),
                };
                if !fine {
                    self.wrong(arg.span, "an array of texts", &shape);
                    return None;
                }
                self.val(Expr::Patricia(path), Shape::Array(Box::new(Shape::ANY)))
            }
        }
    }

    /// The `let` that a path ends with, if that makes something of rows and is none of them.
    fn computed(&self, path: &Path) -> Option<Span> {
        let Some(Step::Field(field)) = path.steps.last() else { return None };
        field.members.iter().find_map(|(id, way)| {
            let [Member::Let(number)] = way.as_slice() else { return None };
            let ways = self.rec(*id).let_ways.get(*number as usize)?;
            ways.iter().all(|way| is_computed(way.ex)).then(|| ways.first().map(|way| way.span))?
        })
    }

    /// The slice that a path ends with.
    fn sliced(&self, path: &Path) -> Option<Span> {
        let Some(Step::Field(field)) = path.steps.last() else { return None };
        field.members.iter().find_map(|(id, way)| {
            let [Member::Row(row)] = way.as_slice() else { return None };
            let variant = self.rec(*id).slots.get(row.index())?.variants.first()?;
            match variant.source {
                Source::Row(row, _) if matches!(row.word, RowWord::Slice) => Some(row.span),
                _ => None,
            }
        })
    }

    /// A path of which only the place matters: it may end at a row whose type needs this very
    /// path, as in `object Block<length> block` with `let length "end(file) - at(block)"`.
    fn place_of(&mut self, env: &Env, ex: &PathEx) -> Option<(Path, Shape)> {
        let around = (std::mem::replace(&mut self.placing, true), self.unfinished.take());
        let found = self.path(&Env { place: true, ..env.clone() }, ex);
        let unfinished = self.unfinished.take();
        (self.placing, self.unfinished) = around;
        let (path, shape) = found?;
        if let Some((id, slot)) = unfinished {
            let row = Member::Row(RowId(super::id32(slot)));
            let ends = match path.steps.last() {
                Some(Step::Field(field)) => {
                    field.members.iter().any(|(_, way)| way.last() == Some(&row))
                }
                _ => false,
            };
            if !ends || path.steps.iter().any(is_blind) {
                let span = self.source_span(id, slot, 0);
                self.d
                    .error("E0208", ex.span(), "what this path leads through depends on itself")
                    .also(span, "the type of this row needs the path")
                    .help("a type may need the place of its own row, but nothing inside of it");
                return None;
            }
        }
        Some((path, shape))
    }

    /// Size of a type that is the same everywhere.
    fn sizeof(&mut self, env: &Env, arg: &Ex) -> Option<Val> {
        let text = arg.path().map(PathEx::text).unwrap_or_default();
        let bound = env
            .record
            .and_then(|id| self.rec(id).params.iter().find(|p| p.0 == text).map(|p| p.1.clone()));
        let size = match bound {
            Some(super::Bound::Type(ty)) => self.type_size(&ty),
            Some(super::Bound::Open(open)) => {
                let ty = self.opened(open, arg.span)?;
                self.type_size(&ty)
            }
            _ => self.static_size(env.scope, &text, 0),
        };
        match size {
            Some(size) => self.val(Expr::Int(size), Shape::Int(None)),
            None => {
                self.d
                    .error("E0222", arg.span, "`sizeof` needs a type of a constant size")
                    .help("the size of a row is `size(row)`");
                None
            }
        }
    }

    /// Whether a path leads to a text that has other units than bytes of UTF-8.
    fn has_wide_units(&mut self, expr: ExprId) -> bool {
        let path = match &self.exprs[expr] {
            Expr::Path(path) => path,
            Expr::If(_, a, b) | Expr::Coalesce(a, b) => {
                let (a, b) = (*a, *b);
                return self.has_wide_units(a) || self.has_wide_units(b);
            }
            _ => return false,
        };
        let Some(Step::Field(field)) = path.steps.last() else { return false };
        let rows = field.members.iter().filter_map(|(id, way)| match way.as_slice() {
            [Member::Row(row)] => Some((*id, *row)),
            _ => None,
        });
        rows.collect::<Vec<_>>().into_iter().any(|(id, row)| {
            let Some(base) = self.variant_base(id, row.index(), 0) else { return false };
            let is_wide =
                |part: &Type| matches!(part, Type::Run(run) if !run.content.is_in_bytes());
            base.element.parts().any(is_wide)
        })
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
            if matches!(found.shape, Shape::Bytes | Shape::Text | Shape::Run) {
                // Units of several bytes are counted as elements of an array are.
                let counted = match self.has_wide_units(found.expr) {
                    true => Expr::Stream(StreamFunction::Units, found.expr, None),
                    false => Expr::Call(Function::Length, vec![found.expr]),
                };
                return self.val(counted, Shape::Int(None));
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
                Some(self.truth(&inner, filter)?)
            }
        };
        let shape = match function {
            StreamFunction::Count | StreamFunction::Units | StreamFunction::FirstIndex => {
                Shape::Int(None)
            }
            StreamFunction::Any | StreamFunction::All => {
                if filter.is_none() && !matches!(seen, Shape::Bool | Shape::Any(_)) {
                    self.wrong(arg.span, "an array of truth values, or `where`", &found.shape);
                    return None;
                }
                Shape::Bool
            }
            StreamFunction::First => element,
            StreamFunction::Sum | StreamFunction::Min | StreamFunction::Max => {
                if !matches!(seen, Shape::Int(_) | Shape::Any(_) | Shape::Float | Shape::Address) {
                    self.wrong(arg.span, "an array of numbers", &found.shape);
                    return None;
                }
                seen
            }
        };
        self.val(Expr::Stream(function, found.expr, filter), shape)
    }
}

/// Whether an expression gives no row in any case.
fn is_computed(ex: &Ex) -> bool {
    match &ex.kind {
        ExKind::Path(_) => false,
        ExKind::If(_, a, b) | ExKind::Coalesce(a, b) => is_computed(a) && is_computed(b),
        ExKind::Call { name, .. } => name.value != "first",
        _ => true,
    }
}

/// Whether a step goes into something whose fields are not known.
fn is_blind(step: &Step) -> bool {
    matches!(step, Step::Field(field) if field.members.is_empty())
}
