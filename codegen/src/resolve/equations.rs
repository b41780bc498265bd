//! What gives a row its value: constants, equations, addresses, tables.

use super::lengths::is_fill;
use super::texts::content;
use super::{Cx, Env, Expr, ExprId, RecordId, Shape};
use crate::model::{
    BinaryOp, ByteOrder, Cell, Constant, Content, Definer, DefinerScope, DefinerSource, Encoding,
    Meaning, PointerType, PoolOrder, Role, Row as ModelRow, RowId, RowKind, RunLength, RunType,
    Target, Type, float_of,
};
use crate::span::Span;
use crate::syntax::ast::{PropValue, Props, Row, RowWord};
use crate::syntax::expr::{Ex, ExKind, FromEx, PathEx};

/// Most bytes of padding that is not zero and always as long.
const MOST_FILL: usize = 0x1_0000;

/// Kind and role of a row, with its equation.
pub(super) struct Part {
    pub kind: RowKind,
    pub role: Role,
    pub definers: Vec<Definer>,
}

impl<'t> Cx<'t> {
    /// A constant that a property states, as the row's type has it.
    pub(super) fn stated(&mut self, env: &Env, ex: &'t Ex, ty: &Type) -> Option<Constant> {
        let hint = match ty {
            Type::Cell(Cell { meaning: Meaning::Enum(id), .. }) => Some(*id),
            _ => None,
        };
        let found = self.expr_hint(env, ex, hint)?;
        match self.constant(found.expr) {
            Some(value) => Some(convert(value, ty)),
            None => {
                self.d.error("E0224", ex.span, "a constant is expected here");
                None
            }
        }
    }

    /// Kind, role and equation.
    pub(super) fn part(
        &mut self,
        id: RecordId,
        slot: usize,
        row: &'t Row,
        env: &Env,
        built: &mut ModelRow,
    ) -> Option<Part> {
        let plain = |kind, role| Some(Part { kind, role, definers: Vec::new() });
        let props = &row.props;
        match &row.word {
            RowWord::Typed(_) | RowWord::Tag | RowWord::Union(..) | RowWord::ByteOrder => {
                if let Some(PropValue::From(from)) = props.get("from").map(|p| &p.value) {
                    self.as_they_are(&built.ty, props);
                    return self.view(env, from).map(|role| Part {
                        kind: RowKind::Plain,
                        role,
                        definers: Vec::new(),
                    });
                }
                self.equations(id, slot, props, env, built, row.span)
            }
            RowWord::Magic(_) => {
                let bytes = self.magic_bytes(id, row)?;
                plain(RowKind::Constant(Constant::Bytes(bytes)), Role::Fixed)
            }
            RowWord::Const(_) => {
                let Some(ex) = props.ex("is") else {
                    self.d
                        .error("E0225", row.span, "`const` needs its value")
                        .help("write `const u8 kind is=1`");
                    return None;
                };
                let value = self.stated(env, ex, &built.ty)?;
                plain(RowKind::Constant(value), Role::Fixed)
            }
            RowWord::Zero => plain(self.padding(props, built)?, Role::Fixed),
            RowWord::Reserved => plain(RowKind::Reserved, Role::Spelling),
            RowWord::Runtime => plain(RowKind::Runtime, Role::Fixed),
            RowWord::Zeros => {
                let role = match props.ex("usually") {
                    Some(ex) => Role::Default(self.stated(env, ex, &Type::Nothing)?),
                    None => Role::Data,
                };
                plain(RowKind::Zeros, role)
            }
            RowWord::Slice => {
                let kind = self.slice(id, row, env)?;
                plain(kind, Role::Data)
            }
            RowWord::Pool(pool) => {
                let mut order = Vec::new();
                for (condition, word) in &pool.order {
                    let condition = match condition {
                        None => None,
                        Some(ex) => Some(self.truth(env, ex)?),
                    };
                    order.push((
                        condition,
                        match word.value.as_str() {
                            "first-use" => PoolOrder::FirstUse,
                            "each-use" => PoolOrder::EachUse,
                            "depth-first" => PoolOrder::DepthFirst,
                            "bytes" => PoolOrder::Bytes,
                            "bits-from-end" => PoolOrder::BitsFromEnd,
                            other => {
                                self.d
                                    .error("E0225", word.span, format!("unknown order `{other}`"))
                                    .help("an order is `first-use`, `each-use`, `depth-first`, `bytes` or `bits-from-end`");
                                return None;
                            }
                        },
                    ));
                }
                if order.last().is_none_or(|last| last.0.is_some()) {
                    order.push((None, PoolOrder::FirstUse));
                }
                let pad = self.natural(props, "pad", 1).unwrap_or(1);
                let kind =
                    RowKind::Pool { always: pool.always.clone(), kept: pool.kept, order, pad };
                plain(kind, Role::Spelling)
            }
            RowWord::Object(_) => {
                let address = self.address(id, row, env)?;
                if row.optional {
                    // It is there if something says where.
                    let zero = self.exprs.add(Expr::Int(0));
                    let there = Expr::Binary(BinaryOp::GreaterOrEqual, address, zero);
                    let there = self.exprs.add(there);
                    built.when = Some(match built.when {
                        None => there,
                        Some(when) => self.exprs.add(Expr::Binary(BinaryOp::BothTrue, when, there)),
                    });
                }
                let align = match props.ex("align") {
                    Some(ex) => Some(self.int(env, ex)?),
                    None => None,
                };
                let kind = RowKind::Object { address, align };
                if let Some(PropValue::From(from)) = props.get("from").map(|p| &p.value) {
                    self.as_they_are(&built.ty, props);
                    let role = self.view(env, from)?;
                    return plain(kind, role);
                }
                plain(kind, Role::Data)
            }
            RowWord::Mark => {
                let address = self.address(id, row, env)?;
                plain(RowKind::Mark { address }, Role::Fixed)
            }
            RowWord::Value(_) => {
                let seen = match props.ex("seen") {
                    Some(ex) if !matches!(built.ty, Type::Cell(_) | Type::Run(_) | Type::Text) => {
                        let what = match built.ty {
                            Type::Array(_) => "a list",
                            Type::Pointer(_) => "a pointer",
                            _ => "a struct or union",
                        };
                        self.d
                            .error("E0237", ex.span, format!("{what} can't be measured"))
                            .help("`seen=` gives one number, truth value or text");
                        return None;
                    }
                    Some(ex) => {
                        let found = self.expr(env, ex)?;
                        let shape = self.type_shape(&built.ty);
                        self.measures(&shape, &found.shape, ex.span)?;
                        Some(found.expr)
                    }
                    None => None,
                };
                let role = match props.ex("usually") {
                    Some(ex) if seen.is_none() => {
                        self.d
                            .error("E0225", ex.span, "what is not measured has no default")
                            .help("say `seen=EXPR`, or leave out `usually=`: its bytes are in a dictionary or in a form");
                        return None;
                    }
                    Some(ex) => {
                        let found = self.expr(env, ex)?;
                        match self.constant(found.expr) {
                            Some(value) => Role::Default(convert(value, &built.ty)),
                            None => {
                                self.d
                                    .error(
                                        "E0224",
                                        ex.span,
                                        "the default of a `value` is a constant",
                                    )
                                    .help("what follows from other rows is a `let`");
                                return None;
                            }
                        }
                    }
                    None if seen.is_some() => Role::Data,
                    None => Role::Elsewhere,
                };
                if row.optional {
                    // It is there if something is seen.
                    let found = seen.filter(|_| matches!(role, Role::Data));
                    let Some(found) = found else {
                        return self.never_nothing(row);
                    };
                    let nothing = self.nothing("none");
                    let there = Expr::Binary(BinaryOp::NotEqual, found, nothing);
                    let there = self.exprs.add(there);
                    built.when = Some(match built.when {
                        None => there,
                        Some(when) => self.exprs.add(Expr::Binary(BinaryOp::BothTrue, when, there)),
                    });
                }
                plain(RowKind::Value { seen }, role)
            }
        }
    }

    /// A `value` with `?` that is not measured, or is something unless it is said.
    pub(super) fn never_nothing<T>(&mut self, row: &Row) -> Option<T> {
        self.d
            .error("E0240", row.span, "only a measured value may be nothing")
            .help("`value ?TYPE NAME seen=EXPR` is nothing where the expression gives nothing");
        None
    }

    /// The elements of a shared table are in the value as the slices have them.
    fn as_they_are(&mut self, ty: &Type, props: &Props) {
        let inner = match ty {
            Type::Pointer(pointer) => pointer.owned().unwrap_or(ty),
            ty => ty,
        };
        if let (Type::Run(_) | Type::Cell(_), Some(span)) = (inner.stripped(), props.span("from")) {
            self.d
                .error("E0225", span, "`from=` belongs to an array, which consists of slices")
                .help("say its length: `count=`");
        }
        if let (Type::Array(array), Some(span)) = (inner.stripped(), props.span("from"))
            && array.element.owns_target()
        {
            self.d
                .error("E0225", span, "elements of a shared table own nothing by themselves")
                .help("let the elements be structs that have the pointer");
        }
        for name in ["is", "usually", "none", "plus", "ref"] {
            let ranked = |ex: &PropValue| matches!(ex, PropValue::Ref(ex) if ex.filter.is_some());
            let Some(prop) = props.get(name).filter(|p| name != "ref" || ranked(&p.value)) else {
                continue;
            };
            self.d
                .error("E0225", prop.span, format!("`{name}=` can't stand beside `from=`"))
                .help("let the elements be structs, and put it on their row");
        }
    }

    fn view(&mut self, env: &Env, from: &FromEx) -> Option<Role> {
        let mut slices = Vec::new();
        let mut holders = Vec::new();
        for ex in &from.slices {
            let (mut path, shape) = self.path(env, ex)?;
            // A transparent struct may stand for its slice.
            let mut inner = if shape.is_array() { shape.element() } else { shape };
            let mut through = Vec::new();
            self.through_transparent(&mut inner, &mut through);
            if inner.is_array() {
                path.steps.extend(through);
            }
            slices.push(path);
            let nodes = match ex.steps.split_last() {
                None => env.record.into_iter().collect(),
                Some((_, steps)) => {
                    let before = PathEx { head: ex.head.clone(), steps: steps.to_vec() };
                    let (_, shape) = self.path(env, &before)?;
                    let inner = if shape.is_array() { shape.element() } else { shape };
                    match inner {
                        Shape::Nodes(nodes) => nodes,
                        _ => Vec::new(),
                    }
                }
            };
            for node in nodes {
                if !holders.contains(&node) {
                    holders.push(node);
                }
            }
        }
        let key = match &from.key {
            None => None,
            Some(ex) => {
                // Rows of the struct that holds the slice.
                let inner = Env { record: None, holders, ..env.clone() };
                Some(self.int(&inner, ex)?)
            }
        };
        Some(Role::View { slices, key })
    }

    fn slice(&mut self, id: RecordId, row: &'t Row, env: &Env) -> Option<RowKind> {
        let props = &row.props;
        let needs = |cx: &mut Self, name: &str| {
            cx.d.error("E0225", row.span, format!("`slice` needs `{name}=`"))
                .help("write `slice NAME of=TABLE base=ROW count=ROW`, or `last=EXPRESSION`");
        };
        let Some(of) = props.ex("of").and_then(|ex| ex.path()) else {
            needs(self, "of");
            return None;
        };
        let table = self.path_of_one(env, of)?;
        let Some(ex) = props.ex("base") else {
            needs(self, "base");
            return None;
        };
        let found = match ex.word() {
            Some(word) => self.row_named(id, word).map(|row| (row, 1, 0, 1)),
            None => {
                let found = self.int(env, ex)?;
                self.base_row(id, found)
            }
        };
        let Some((base, factor, offset, unit)) = found else {
            self.d.error("E0225", ex.span, "`base=` of a slice names a row").help(
                "a row of the same struct, perhaps times a number and plus another one, or all \
                 that by one that leaves no rest: `first`, `-100 - first`, `offset / 4`",
            );
            return None;
        };
        // A number that is no row is the length of the type.
        let count = match props.ex("count") {
            Some(ex) if is_fill(ex) => {
                self.d.error("E0225", ex.span, "a slice ends where nothing else does").help(
                    "all elements of the table from the first one on are \
                     `count=\"count(TABLE) - BASE\"`",
                );
                return None;
            }
            Some(ex) => self.row_that_counts(id, ex),
            None if props.has("last") => None,
            None => {
                needs(self, "count");
                return None;
            }
        };
        if let (Some(ex), Some(last), None) = (props.ex("count"), props.span("last"), count) {
            self.d
                .error("E0225", last, "`count=` says where the slice ends")
                .also(ex.span, "which is a number in every file")
                .help("`last=` is for files without the row that `count=` names");
            return None;
        }
        let empty_base = props.int("empty_base");
        let counted = |n: i128| n.checked_mul(factor).and_then(|n| n.checked_add(offset));
        if let (Some(empty), Some(span)) = (empty_base, props.span("empty_base"))
            && counted(empty).is_none_or(|n| n % unit != 0)
        {
            self.d
                .error("E0225", span, format!("`base=` gives no index for {empty}"))
                .help("it is the number that is stored, which `base=` makes an index");
            return None;
        }
        Some(RowKind::Slice { table, base, factor, offset, unit, count, empty_base })
    }

    /// The row that an index follows from, which is `(factor * row + offset) / unit`.
    fn base_row(&self, id: RecordId, index: ExprId) -> Option<(RowId, i128, i128, i128)> {
        let (counted, unit) = match &self.exprs[index] {
            Expr::Binary(BinaryOp::Divide, counted, unit) => {
                (*counted, self.exprs.constant(*unit).filter(|unit| *unit > 0)?)
            }
            _ => (index, 1),
        };
        let (row, factor, offset) = self.linear_row(id, counted)?;
        Some((row, factor, offset, unit))
    }

    /// The row that `count=` of a slice names; nothing if the number is computed.
    pub(super) fn row_that_counts(&self, id: RecordId, count: &Ex) -> Option<RowId> {
        self.row_named(id, count.word()?)
    }

    /// Address of an object or mark: `at=`, with `base=`, or `find=`.
    fn address(&mut self, _id: RecordId, row: &'t Row, env: &Env) -> Option<ExprId> {
        let props = &row.props;
        let (at, find) = (props.ex("at"), props.ex("find"));
        if let (Some(_), Some(second)) = (at, props.span("find")) {
            self.d.error("E0225", second, "`at=` and `find=` say the same");
        }
        let Some(ex) = at.or(find) else {
            self.d
                .error("E0225", row.span, "where is it? `at=` or `find=` is missing")
                .help("write `at=ROW` if a row holds the address, or `find=EXPRESSION`");
            return None;
        };
        let mut address = self.int(env, ex)?;
        if let Some(base) = props.ex("base") {
            let base = self.int(env, base)?;
            address = self.exprs.add(Expr::Binary(BinaryOp::Add, base, address));
        }
        Some(address)
    }

    /// What `zero` is: with `fill=` bytes that are something else, of which a constant number is a
    /// constant.
    fn padding(&mut self, props: &Props, built: &mut ModelRow) -> Option<RowKind> {
        let (Some(fill), Some(span)) = (props.int("fill"), props.span("fill")) else {
            return Some(RowKind::Zero);
        };
        let Ok(fill) = u8::try_from(fill) else {
            self.d.error("E0214", span, format!("`{fill}` is no byte"));
            return None;
        };
        let Type::Run(run) = &built.ty else {
            self.d.error("E0225", span, "`fill=` is about so many bytes").help("say `size=`");
            return None;
        };
        match run.length {
            RunLength::Fixed(size) if fill != 0 => match usize::try_from(size) {
                Ok(size) if size <= MOST_FILL => {
                    Some(RowKind::Constant(Constant::Bytes(vec![fill; size])))
                }
                _ => {
                    let message = format!("more than {MOST_FILL} bytes of another number than 0");
                    self.d.error("E0225", span, message);
                    None
                }
            },
            _ => {
                built.fill = fill;
                Some(RowKind::Zero)
            }
        }
    }

    /// The text of a `magic` in its encoding.
    fn magic_text(&mut self, row: &Row, text: &str) -> Option<Vec<u8>> {
        let content = content(row.props.word("encoding"), Content::Text(Encoding::Utf8));
        let Content::Text(encoding) = content else { return Some(text.as_bytes().to_vec()) };
        if let Some(letter) = encoding.missing(text) {
            let span = row.props.span("encoding").unwrap_or(row.span);
            let message = format!("`{}` has no letter {letter:?}", encoding.name());
            self.d.error("E0214", span, message);
            return None;
        }
        Some(encoding.encode(text, ByteOrder::Little))
    }

    pub(super) fn magic_bytes(&mut self, id: RecordId, row: &'t Row) -> Option<Vec<u8>> {
        let props = &row.props;
        let mut bytes = match &row.word {
            RowWord::Magic(Some(text)) => self.magic_text(row, &text.value)?,
            _ => Vec::new(),
        };
        if let Some(text) = props.text("hex") {
            match crate::syntax::hex(text) {
                Some(found) => bytes = found,
                None => {
                    let span = props.span("hex").unwrap_or(row.span);
                    self.d.error("E0214", span, "these are not bytes in hex");
                    return None;
                }
            }
        }
        if let Some(name) = props.text("param") {
            let scope = self.rec(id).scope;
            let found = self.scope(scope).params.iter().find(|p| p.0 == name).map(|p| p.1.clone());
            match found {
                Some(super::ScopeParam::Const(expr, _))
                    if let Expr::Text(text) = &self.exprs[expr] =>
                {
                    let text = text.clone();
                    bytes = self.magic_text(row, &text)?;
                }
                None if self.scope(scope).tree.params.iter().any(|p| p.name.value == name) => {
                    // Whoever imports this does not say it, and is told so.
                    return None;
                }
                _ => {
                    let span = props.span("param").unwrap_or(row.span);
                    self.d
                        .error("E0219", span, format!("no parameter `{name}` of kind `chars`"))
                        .help("declare it at the top of the library: `param NAME chars`");
                    return None;
                }
            }
        }
        if let Some(ex) = props.ex("size") {
            let size = match ex.kind {
                ExKind::Int(n) => usize::try_from(n).ok().filter(|&n| n <= 1 << 16),
                _ => None,
            };
            let Some(size) = size else {
                self.d.error("E0224", ex.span, "the size of a `magic` is a small number");
                return None;
            };
            if size < bytes.len() {
                self.d.error(
                    "E0214",
                    ex.span,
                    format!("the text has {} bytes, more than `size=`", bytes.len()),
                );
                return None;
            }
            bytes.resize(size, 0);
        }
        if bytes.is_empty() {
            self.d.error("E0225", row.span, "the magic is empty");
            return None;
        }
        Some(bytes)
    }

    /// `is=` and `usually=` of a row with bytes.
    pub(super) fn equations(
        &mut self,
        id: RecordId,
        slot: usize,
        props: &'t Props,
        env: &Env,
        built: &ModelRow,
        span: Span,
    ) -> Option<Part> {
        let ty = &built.ty;
        let kind = RowKind::Plain;
        let shape = self.slot_shape(id, slot).unwrap_or(Shape::ANY);
        let hint = match &shape {
            Shape::Int(id) => *id,
            _ => None,
        };
        if let (Some(_), Some(second)) = (props.get("is"), props.span("usually")) {
            self.d
                .error("E0225", second, "`is=` and `usually=` exclude each other")
                .help("`is=` must hold; `usually=` is a default");
        }
        if let Some(ex) = props.ex("is") {
            if ex.word() == Some("owner") && self.member(id, "owner", 0).is_none() {
                return Some(Part { kind, role: Role::Derived, definers: Vec::new() });
            }
            let found = match self.parameter(id, slot, ex) {
                Some(found) => found,
                None => self.expr_hint(env, ex, hint)?,
            };
            if let (Shape::Array(element), Some(_)) = (&shape, self.constant(found.expr)) {
                // Each element is equal to it.
                self.leads_nowhere(ty, true, &found, ex.span)?;
                self.fits(element, &found.shape, ex.span)?;
                return Some(Part { kind, role: Role::Data, definers: Vec::new() });
            }
            self.leads_nowhere(ty, true, &found, ex.span)?;
            self.gives(&shape, &found, ex.span)?;
            if let Some(value) = self.constant(found.expr) {
                let value = convert(value, ty);
                return Some(Part {
                    kind: RowKind::Constant(value),
                    role: Role::Fixed,
                    definers: Vec::new(),
                });
            }
            let definer = Definer {
                scope: DefinerScope::Own,
                source: DefinerSource::Expr(found.expr),
                epochs: Vec::new(),
                span: props.span("is").unwrap_or(span),
            };
            return Some(Part { kind, role: Role::Derived, definers: vec![definer] });
        }
        if let Some(ex) = props.ex("usually") {
            let found = match self.parameter(id, slot, ex) {
                Some(found) => found,
                None => self.expr_hint(env, ex, hint)?,
            };
            self.leads_nowhere(ty, false, &found, ex.span)?;
            self.gives(&shape, &found, ex.span)?;
            let role = match self.constant(found.expr) {
                Some(value) => Role::Default(convert(value, ty)),
                None => {
                    if let (Some(span), Type::Cell(_)) = (props.span("none"), ty) {
                        self.d
                            .error(
                                "E0225",
                                span,
                                "what usually follows from other rows is a number",
                            )
                            .help("leave out `none=`, or let the row be data");
                    }
                    Role::Kept(found.expr)
                }
            };
            return Some(Part { kind, role, definers: Vec::new() });
        }
        Some(Part { kind, role: Role::Data, definers: Vec::new() })
    }

    /// The parameter that `limit=` means in `u8 limit is=limit`: a row is never equal to itself.
    fn parameter(&mut self, id: RecordId, slot: usize, ex: &Ex) -> Option<super::Val> {
        let word = ex.word()?;
        let rec = self.rec(id);
        if rec.slots[slot].name != Some(word) {
            return None;
        }
        let own = rec.params.iter().find(|p| p.0 == word).map(|p| &p.1);
        let library = self.scope(rec.scope).params.iter().find(|p| p.0 == word).map(|p| &p.1);
        match (own, library) {
            (Some(super::Bound::Const(expr, shape)), _)
            | (None, Some(super::ScopeParam::Const(expr, shape))) => {
                Some(super::Val { expr: *expr, shape: shape.clone() })
            }
            (Some(super::Bound::Argument(at, shape, _)), _) => {
                let path = crate::model::Path {
                    start: crate::model::Start::Argument(*at),
                    steps: Vec::new(),
                    text: word.to_owned(),
                };
                let shape = shape.clone();
                self.val(Expr::Path(path), shape)
            }
            _ => None,
        }
    }

    /// Whether what is measured is of the kind of its row; nothing is made of something else.
    fn measures(&mut self, row: &Shape, seen: &Shape, span: Span) -> Option<()> {
        self.fits(row, seen, span)?;
        let seen = self.seen(seen);
        let other = matches!(
            (row, &seen),
            (Shape::Text, Shape::Bytes | Shape::Run)
                | (Shape::Bytes, Shape::Text | Shape::Run)
                | (Shape::Float, Shape::Int(_))
        );
        if other {
            let (row, seen) = (self.describe(row), self.describe(&seen));
            self.d
                .error("E0221", span, format!("the row is {row}"))
                .label(format!("this is {seen}"));
            return None;
        }
        Some(())
    }

    /// Whether the row is itself what an equation gives. What a pointer leads to has no row, and a text
    /// that it names is in a pool, which knows it before anything is computed. So the one may have a
    /// default, and the other be constant.
    pub(super) fn leads_nowhere(
        &mut self,
        ty: &Type,
        always: bool,
        found: &super::Val,
        span: Span,
    ) -> Option<()> {
        let Some(pointer) = a_pointer(ty) else { return Some(()) };
        let constant = self.constant(found.expr).is_some();
        let help = match pointer.target {
            _ if self.exprs[found.expr].is_table() => return Some(()),
            Target::Own(_) if !constant || always => {
                "let it lead to a struct, of which a row has the `is=` or `usually=`"
            }
            Target::Pooled if !constant => {
                "let the row be data, and say what must hold: `check \"NAME == EXPR\"`"
            }
            Target::Own(_) | Target::Pooled | Target::Element => return Some(()),
        };
        let name = &self.pointers[pointer.kind.index()].name;
        self.d.error("E0221", span, format!("the row is a pointer `{name}`")).help(help);
        None
    }

    /// Whether an expression can give a row. An array is given only as a whole table.
    pub(super) fn gives(&mut self, row: &Shape, found: &super::Val, span: Span) -> Option<()> {
        let table = self.exprs[found.expr].is_table();
        if row.is_array() && self.seen(&found.shape).is_array() && !table {
            self.d.error("E0221", span, "no array follows from another one").help(
                "let its elements be structs with a row that does: \
                 `struct Copy { u16 number is=\"File.table[index(this)]\" }`",
            );
            return None;
        }
        self.fits(row, &found.shape, span)
    }

    /// Whether an equation's sides are of one kind.
    fn fits(&mut self, row: &Shape, value: &Shape, span: Span) -> Option<()> {
        let value = &self.seen(value);
        let number = |s: &Shape| matches!(s, Shape::Int(_) | Shape::Address | Shape::Bool);
        let fine = match (row, value) {
            // Their rows are given, one by one.
            (Shape::Nodes(_) | Shape::Union(_), _) => false,
            (Shape::Any(_), _) | (_, Shape::Any(_)) | (Shape::Nothing, _) => true,
            (Shape::Float, Shape::Int(_)) => true,
            (Shape::Bytes | Shape::Text, Shape::Bytes | Shape::Text | Shape::Run) => true,
            (Shape::Array(_), Shape::Array(_)) => true,
            (a, b) if number(a) && number(b) => (*a == Shape::Bool) == (*b == Shape::Bool),
            (a, b) => a == b,
        };
        if fine {
            return Some(());
        }
        let rows = matches!(row, Shape::Nodes(_));
        let (row, value) = (self.describe(row), self.describe(value));
        let d = self.d.error("E0221", span, format!("the row is {row}"));
        d.label(format!("this is {value}"));
        if rows {
            d.help("say it of its rows: `is=`, or `is=owner` with `derive ROW.FIELD is=EXPR`");
        }
        None
    }
}

/// The pointer that a row or its elements are, if they are one.
fn a_pointer(ty: &Type) -> Option<&PointerType> {
    match ty.stripped() {
        Type::Pointer(pointer) => Some(pointer),
        Type::Array(array) => a_pointer(&array.element),
        Type::PerEpoch(types) => types.iter().find_map(a_pointer),
        _ => None,
    }
}

/// A constant in the form that its row's type has.
pub(super) fn convert(value: Constant, ty: &Type) -> Constant {
    match (value, ty) {
        (Constant::Int(n), Type::Cell(Cell { meaning: Meaning::Float(_), .. })) => {
            // What no float is stays an integer, and does not fit.
            float_of(&n.to_string(), 8).map_or(Constant::Int(n), Constant::Float)
        }
        (Constant::Int(n), Type::Cell(Cell { meaning: Meaning::Bool { .. }, .. })) => {
            Constant::Bool(n != 0)
        }
        (Constant::Text(t), Type::Run(RunType { content: Content::Bytes, .. })) => {
            Constant::Bytes(t.into_bytes())
        }
        (value, _) => value,
    }
}
