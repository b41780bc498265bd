//! Rows of records, complete but for equations that other rows give.

use super::base::{own_pointer, per_epoch, run};
use super::consts::constant;
use super::shapes::is_array;
use super::{Base, Cx, Env, Expr, RecordId, Shape, Source, id32};
use crate::model::{
    ArrayLength, ArrayType, BinaryOp, Cell, Check, CheckKind, Constant, Content, Definer,
    DefinerScope, DefinerSource, Encoding, Extent, Home, Meaning, PoolOrder, RecordKind, Reference,
    RegionType, Role, Row as ModelRow, RowKind, RunLength, RunType, Storage, Target, Trim, Type,
    UnaryOp, WhenEmpty,
};
use crate::span::Span;
use crate::syntax::ast::{HomeEx, PropValue, Props, Row, RowWord};
use crate::syntax::expr::{Ex, ExKind, FromEx, PathEx, RefEx, StepEx};

/// Kind and role of a row, with its equation.
struct Part {
    kind: RowKind,
    role: Role,
    definers: Vec<Definer>,
}

impl<'t> Cx<'t> {
    /// Builds all rows of a record.
    pub(super) fn build_rows(&mut self, id: RecordId) {
        let mut rows = Vec::new();
        for slot in 0..self.rec(id).slots.len() {
            let row = match self.rec(id).slots[slot].variants[0].source.clone() {
                Source::Word(_) => self.word_row(id, slot),
                Source::Gap(first, last) => Some(self.gap_row(id, slot, first, last)),
                Source::Case(union) => self.case_row(id, union),
                Source::Logical(..) => self.logical_row(id, slot),
                Source::Row(row, _) => self.build_row(id, slot, row),
            };
            rows.push(row.unwrap_or_else(|| self.broken_row(id, slot)));
        }
        self.rec_mut(id).rows = rows;
    }

    /// Stands in for a row with problems, which are reported.
    fn broken_row(&self, id: RecordId, slot: usize) -> ModelRow {
        self.new_row(id, slot, Type::Nothing, vec![Home::Nowhere; self.epoch_count()])
    }

    fn new_row(&self, id: RecordId, slot: usize, ty: Type, homes: Vec<Home>) -> ModelRow {
        ModelRow {
            name: self.rec(id).slots[slot].name.map(str::to_owned),
            doc: None,
            source: None,
            kind: RowKind::Plain,
            ty,
            homes,
            when: None,
            role: Role::Data,
            definers: Vec::new(),
            none: Vec::new(),
            plus: 0,
            reference: None,
            checks: Vec::new(),
            absent: None,
            unique: false,
            span: self.source_span(id, slot, 0),
        }
    }

    fn record_env(&self, id: RecordId) -> Env {
        self.env(self.rec(id).scope, Some(id))
    }

    /// The row of the choice in a declared union.
    fn case_row(&mut self, id: RecordId, union: crate::model::UnionId) -> Option<ModelRow> {
        let slot = self.rec(id).slots.len() - 1;
        let home = if self.rec(id).homed { Home::At(0) } else { Home::Next };
        let limit = match &self.uni(union).decl {
            super::UnionDecl::Decl(decl) => decl.props.int("size"),
            super::UnionDecl::Row(_) => None,
        };
        if let Some(size) = limit.and_then(|n| u64::try_from(n).ok()) {
            self.set_limits(union, &vec![Some(size); self.epoch_count()]);
        }
        let homes = vec![home; self.epoch_count()];
        Some(self.new_row(id, slot, Type::Union(union), homes))
    }

    fn set_limits(&mut self, union: crate::model::UnionId, limits: &[Option<u64>]) {
        let mut records = Vec::new();
        for case in &self.uni(union).cases {
            records.push(case.record);
            records.extend(case.forms.iter().map(|f| f.1));
        }
        for record in records {
            self.rec_mut(record).limits = limits.to_vec();
        }
    }

    fn logical_row(&mut self, id: RecordId, slot: usize) -> Option<ModelRow> {
        let Source::Logical(form, row, value) = self.rec(id).slots[slot].variants[0].source.clone()
        else {
            return None;
        };
        let ty = match value {
            Some(_) => self.variant_base(id, slot, 0)?.element,
            None => {
                let last = self.rec(form).slots[row.index()].variants.len().checked_sub(1)?;
                let Source::Row(row_ex, _) =
                    self.rec(form).slots[row.index()].variants[last].source.clone()
                else {
                    return None;
                };
                self.full_type(form, row.index(), last, row_ex)?
            }
        };
        let homes = vec![Home::Nowhere; self.epoch_count()];
        let mut built = self.new_row(id, slot, ty, homes);
        built.role = Role::Elsewhere;
        if let Some(row) = value {
            let env = self.record_env(id);
            self.common(id, slot, row, &env, &mut built);
        }
        Some(built)
    }

    fn word_row(&mut self, id: RecordId, slot: usize) -> Option<ModelRow> {
        let Source::Word(field) = self.rec(id).slots[slot].variants[0].source.clone() else {
            return None;
        };
        let ty = self.variant_base(id, slot, 0)?.element;
        let first = u64::try_from(field.first.value).unwrap_or(0);
        let homes = vec![Home::At(first); self.epoch_count()];
        let mut built = self.new_row(id, slot, ty, homes);
        built.doc.clone_from(&field.doc);
        built.source = field.props.text("source").map(str::to_owned);
        let env = self.record_env(id);
        self.values(id, slot, &field.props, &env, &mut built);
        if let Some(part) = self.equations(id, slot, &field.props, &env, &built, field.span) {
            built.kind = part.kind;
            built.role = part.role;
            built.definers = part.definers;
        }
        Some(built)
    }

    /// Bits of a word that no field claims.
    fn gap_row(&mut self, id: RecordId, slot: usize, first: u8, last: u8) -> ModelRow {
        let storage = Storage::Word { first, last, signed: false };
        let ty = Type::Cell(Cell { storage, meaning: Meaning::Int });
        let homes = vec![Home::At(first.into()); self.epoch_count()];
        let mut built = self.new_row(id, slot, ty, homes);
        (built.kind, built.role) = if self.rec(id).rest_zero {
            (RowKind::Zero, Role::Fixed)
        } else {
            (RowKind::Reserved, Role::Spelling)
        };
        built
    }

    fn build_row(&mut self, id: RecordId, slot: usize, row: &'t Row) -> Option<ModelRow> {
        let env = self.record_env(id);
        let homes = self.homes(id, slot);
        let fill = matches!(row.word, RowWord::Zero | RowWord::Reserved | RowWord::Runtime);
        let ty = if fill { self.fill_type(id, slot, row, &homes) } else { self.row_type(id, slot) };
        let mut built = self.new_row(id, slot, Type::Nothing, homes);
        built.doc.clone_from(&row.doc);
        built.source = row.props.text("source").map(str::to_owned);
        built.when = self.condition(id, slot);
        let ty = ty?;
        built.ty = ty;
        if let Type::Union(union) = &built.ty {
            let limits = self.limits_behind(id, &built.homes);
            self.set_limits(*union, &limits);
        }
        self.common(id, slot, row, &env, &mut built);
        let part = self.part(id, slot, row, &env, &mut built)?;
        built.kind = part.kind;
        built.role = part.role;
        built.definers = part.definers;
        Some(built)
    }

    /// Where a body that begins at these homes ends, per epoch: at the next row, or with the
    /// struct.
    fn limits_behind(&self, id: RecordId, homes: &[Home]) -> Vec<Option<u64>> {
        let mut limits = Vec::new();
        for (epoch, home) in homes.iter().enumerate() {
            limits.push(match home {
                Home::At(at) => self.next_home(id, epoch, *at),
                _ => None,
            });
        }
        limits
    }

    /// The conjunction of the conditions around a row.
    fn condition(&mut self, id: RecordId, slot: usize) -> Option<Expr> {
        let env = self.record_env(id);
        let list = self.rec(id).slots[slot].variants[0].when.clone();
        let mut all: Option<Expr> = None;
        for (ex, negated) in list {
            let mut one = self.truth(&env, ex)?;
            if negated {
                one = Expr::Unary(UnaryOp::Not, Box::new(one));
            }
            all = Some(match all {
                None => one,
                Some(before) => Expr::Binary(BinaryOp::BothTrue, Box::new(before), Box::new(one)),
            });
        }
        all
    }

    /// Documentation aside, what rows of all kinds may say.
    fn common(&mut self, id: RecordId, slot: usize, row: &'t Row, env: &Env, built: &mut ModelRow) {
        self.values(id, slot, &row.props, env, built);
        if let Some(ex) = row.props.ex("absent") {
            built.absent = self.stated(env, ex, &built.ty);
        }
        built.unique = row.props.flag("unique");
    }

    /// `none= plus= ref= min= max= one_of= check=`.
    fn values(
        &mut self,
        id: RecordId,
        slot: usize,
        props: &'t Props,
        env: &Env,
        built: &mut ModelRow,
    ) {
        built.none = props.numbers("none");
        built.plus = props.int("plus").unwrap_or(0);
        if let Some(PropValue::Ref(reference)) = props.get("ref").map(|p| &p.value) {
            built.reference = self.reference(env, reference);
        }
        let shape = self.slot_shape(id, slot).unwrap_or(Shape::Any);
        let array = shape.is_array();
        let element = if array { shape.element() } else { shape };
        let alias = self.rec(id).slots[slot].name.filter(|_| array).map(str::to_owned);
        let inner = Env { it: Some(element.clone()), alias, ..env.clone() };
        let hint = match &element {
            Shape::Int(id) => *id,
            _ => None,
        };
        if let (true, Some(ex), Some(prop)) = (array, props.ex("is"), props.get("is")) {
            let owner = ex.word() == Some("owner");
            let kept = std::mem::take(&mut self.d);
            let found = if owner { None } else { self.expr_hint(&inner, ex, hint) };
            self.d = kept;
            if let Some(value) = found.filter(|v| constant(&v.expr).is_some()) {
                let kind = CheckKind::Equals(value.expr);
                built.checks.push(Check { kind, text: prop.text.clone(), span: prop.span });
            }
        }
        for name in ["min", "max", "one_of", "check"] {
            let Some(prop) = props.get(name) else { continue };
            let Some(ex) = props.ex(name) else { continue };
            let kind = match name {
                "min" => self.expr_hint(&inner, ex, hint).map(|v| CheckKind::Min(v.expr)),
                "max" => self.expr_hint(&inner, ex, hint).map(|v| CheckKind::Max(v.expr)),
                "one_of" => {
                    let list = match &ex.kind {
                        ExKind::List(list) => list.as_slice(),
                        _ => std::slice::from_ref(ex),
                    };
                    let list: Option<Vec<Expr>> = list
                        .iter()
                        .map(|ex| self.expr_hint(&inner, ex, hint).map(|v| v.expr))
                        .collect();
                    list.map(CheckKind::OneOf)
                }
                _ => self.truth(&inner, ex).map(CheckKind::Holds),
            };
            if let Some(kind) = kind {
                built.checks.push(Check { kind, text: prop.text.clone(), span: prop.span });
            }
        }
    }

    /// `ref=`.
    fn reference(&mut self, env: &Env, ex: &RefEx) -> Option<Reference> {
        let mut field = None;
        let mut path_ex = ex.array.clone();
        // `ARRAY.field`: what stands before the last name is an array already.
        if let Some(StepEx::Field(last)) = ex.array.steps.last() {
            let before = PathEx {
                head: ex.array.head.clone(),
                steps: ex.array.steps[..ex.array.steps.len() - 1].to_vec(),
            };
            let kept = std::mem::take(&mut self.d);
            let found = self.path_or_value(env, &before);
            self.d = kept;
            if let Some(Ok((_, Shape::Array(_)))) = found {
                // Reports an unknown field.
                self.path(env, &ex.array)?;
                field = Some(last.value.clone());
                path_ex = before;
            }
        }
        let (mut array, mut shape) = self.path(env, &path_ex)?;
        self.through_transparent(&mut shape, &mut array.steps);
        if !matches!(shape, Shape::Array(_) | Shape::Any) {
            let what = self.describe(&shape);
            self.d
                .error("E0223", ex.array.span(), "`ref=` needs the path of an array")
                .label(format!("this is {what}"));
            return None;
        }
        let filter = match &ex.filter {
            None => None,
            Some(filter) => {
                let element = shape.element();
                let inner =
                    Env { it: Some(element.clone()), element: Some(element), ..env.clone() };
                Some(self.truth(&inner, filter)?)
            }
        };
        Some(Reference { array, filter, field })
    }

    /// A constant that a property states, as the row's type has it.
    fn stated(&mut self, env: &Env, ex: &'t Ex, ty: &Type) -> Option<Constant> {
        let hint = match ty {
            Type::Cell(Cell { meaning: Meaning::Enum(id), .. }) => Some(*id),
            _ => None,
        };
        let found = self.expr_hint(env, ex, hint)?;
        match constant(&found.expr) {
            Some(value) => Some(convert(value, ty)),
            None => {
                self.d.error("E0224", ex.span, "a constant is expected here");
                None
            }
        }
    }

    /// Kind, role and equation.
    fn part(
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
            RowWord::Zero => plain(RowKind::Zero, Role::Fixed),
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
                            "bytes" => PoolOrder::Bytes,
                            "bits-from-end" => PoolOrder::BitsFromEnd,
                            other => {
                                self.d
                                    .error("E0225", word.span, format!("unknown order `{other}`"))
                                    .help("an order is `first-use`, `bytes` or `bits-from-end`");
                                return None;
                            }
                        },
                    ));
                }
                if order.last().is_none_or(|last| last.0.is_some()) {
                    order.push((None, PoolOrder::FirstUse));
                }
                let pad = props.int("pad").unwrap_or(1);
                let pad = u64::try_from(pad).unwrap_or(1).max(1);
                let kind =
                    RowKind::Pool { always: pool.always.clone(), kept: pool.kept, order, pad };
                plain(kind, Role::Spelling)
            }
            RowWord::Object(_) => {
                let address = self.address(id, row, env)?;
                let kind = RowKind::Object { address };
                if let Some(PropValue::From(from)) = props.get("from").map(|p| &p.value) {
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
                    Some(ex) => Some(self.expr(env, ex)?.expr),
                    None => None,
                };
                let role = match props.ex("usually") {
                    Some(ex) => {
                        let found = self.expr(env, ex)?;
                        match constant(&found.expr) {
                            Some(value) => Role::Default(convert(value, &built.ty)),
                            None => Role::Kept(found.expr),
                        }
                    }
                    None if seen.is_some() => Role::Data,
                    None => Role::Elsewhere,
                };
                plain(RowKind::Value { seen }, role)
            }
        }
    }

    fn view(&mut self, env: &Env, from: &FromEx) -> Option<Role> {
        let mut slices = Vec::new();
        let mut holders = Vec::new();
        for ex in &from.slices {
            let (path, _) = self.path(env, ex)?;
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
                .help("write `slice NAME of=TABLE base=ROW count=ROW`");
        };
        let Some(of) = props.ex("of").and_then(|ex| ex.path()) else {
            needs(self, "of");
            return None;
        };
        let (table, _) = self.path(env, of)?;
        let mut rows = Vec::new();
        for name in ["base", "count"] {
            let Some(ex) = props.ex(name) else {
                needs(self, name);
                return None;
            };
            match ex.word().and_then(|word| self.row_named(id, word)) {
                Some(row) => rows.push(row),
                None => {
                    self.d
                        .error("E0225", ex.span, format!("`{name}=` of a slice names a row"))
                        .help("a row of the same struct holds the number");
                    return None;
                }
            }
        }
        let empty_base = props.int("empty_base");
        Some(RowKind::Slice { table, base: rows[0], count: rows[1], empty_base })
    }

    /// Address of an object or mark: `at=`, with `base=`, or `find=`.
    fn address(&mut self, _id: RecordId, row: &'t Row, env: &Env) -> Option<Expr> {
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
            address = Expr::Binary(BinaryOp::Add, Box::new(base), Box::new(address));
        }
        Some(address)
    }

    fn magic_bytes(&mut self, id: RecordId, row: &'t Row) -> Option<Vec<u8>> {
        let props = &row.props;
        let mut bytes = match &row.word {
            RowWord::Magic(Some(text)) => text.value.clone().into_bytes(),
            _ => Vec::new(),
        };
        if let Some(text) = props.text("hex") {
            match super::texts::hex(text) {
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
                Some(super::ScopeParam::Const(Expr::Text(text), _)) => bytes = text.into_bytes(),
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
    fn equations(
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
        let shape = self.slot_shape(id, slot).unwrap_or(Shape::Any);
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
            if let (Shape::Array(element), Some(_)) = (&shape, constant(&found.expr)) {
                // Each element is equal to it.
                self.fits(element, &found.shape, ex.span)?;
                return Some(Part { kind, role: Role::Data, definers: Vec::new() });
            }
            self.fits(&shape, &found.shape, ex.span)?;
            if let Some(value) = constant(&found.expr) {
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
                span: props.span("is").unwrap_or(span),
            };
            return Some(Part { kind, role: Role::Derived, definers: vec![definer] });
        }
        if let Some(ex) = props.ex("usually") {
            let found = match self.parameter(id, slot, ex) {
                Some(found) => found,
                None => self.expr_hint(env, ex, hint)?,
            };
            self.fits(&shape, &found.shape, ex.span)?;
            let role = match constant(&found.expr) {
                Some(value) => Role::Default(convert(value, ty)),
                None => Role::Kept(found.expr),
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
                Some(super::Val { expr: expr.clone(), shape: shape.clone() })
            }
            (Some(super::Bound::Argument(at, shape, _)), _) => {
                let path = crate::model::Path {
                    start: crate::model::Start::Argument(*at),
                    steps: Vec::new(),
                    text: word.to_owned(),
                };
                Some(super::Val { expr: Expr::Path(path), shape: shape.clone() })
            }
            _ => None,
        }
    }

    /// Whether an equation's sides are of one kind.
    fn fits(&mut self, row: &Shape, value: &Shape, span: Span) -> Option<()> {
        let value = &self.seen(value);
        let number = |s: &Shape| matches!(s, Shape::Int(_) | Shape::Address | Shape::Bool);
        let fine = match (row, value) {
            (Shape::Any, _) | (_, Shape::Any) | (Shape::Nothing, _) => true,
            (Shape::Float, Shape::Int(_)) => true,
            (Shape::Bytes, Shape::Text) | (Shape::Text, Shape::Bytes) => true,
            (Shape::Array(_), Shape::Array(_)) => true,
            // A packed word is a number, too.
            (Shape::Nodes(list), Shape::Int(_)) => {
                list.iter().all(|id| matches!(self.rec(*id).kind, RecordKind::Word(_)))
            }
            (a, b) if number(a) && number(b) => (*a == Shape::Bool) == (*b == Shape::Bool),
            (a, b) => a == b,
        };
        if fine {
            return Some(());
        }
        let (row, value) = (self.describe(row), self.describe(value));
        self.d.error("E0221", span, format!("the row is {row}")).label(format!("this is {value}"));
        None
    }

    // ---- homes ----------------------------------------------------------------------------------

    /// Where a row stands in each epoch.
    fn homes(&mut self, id: RecordId, slot: usize) -> Vec<Home> {
        let epochs = self.epoch_count();
        let mut homes = vec![Home::Absent; epochs];
        let mut wrong: Option<(Span, String)> = None;
        {
            let rec = self.rec(id);
            for variant in &rec.slots[slot].variants {
                let Source::Row(row, _) = &variant.source else { continue };
                let nowhere = matches!(
                    row.word,
                    RowWord::Slice
                        | RowWord::Object(_)
                        | RowWord::Mark
                        | RowWord::Value(_)
                        | RowWord::Const(None)
                        | RowWord::Tag
                ) || row.props.has("bits") && matches!(row.word, RowWord::Typed(_));
                let columns = rec.columns.as_ref().map_or(1, |c| c.0);
                let count = row.homes.len();
                if count > 1 && count != columns && wrong.is_none() {
                    let message = format!("{count} offsets for {columns} columns");
                    wrong = Some((row.homes[0].span.to(row.homes[count - 1].span), message));
                } else if count == 1 && columns > 1 && wrong.is_none() {
                    let message = format!("one offset for {columns} columns");
                    wrong = Some((row.homes[0].span, message));
                }
                for (epoch, home) in homes.iter_mut().enumerate() {
                    if !variant.epochs[epoch] || !rec.exists[epoch] {
                        continue;
                    }
                    let column = rec.columns.as_ref().map_or(Some(0), |c| c.1[epoch]);
                    *home = match column {
                        None => Home::Absent,
                        Some(_) if nowhere => Home::Nowhere,
                        Some(_) if count == 0 => Home::Next,
                        Some(column) => match row.homes.get(column).map(|h| h.value) {
                            Some(HomeEx::At(at)) => Home::At(at),
                            Some(HomeEx::Absent) => Home::Absent,
                            None => Home::Next,
                        },
                    };
                }
            }
        }
        if let Some((span, message)) = wrong {
            self.d
                .error("E0215", span, message)
                .help("give one offset per column, `-` where the row does not exist");
        }
        homes
    }

    /// The next home behind an offset, or the end of the record.
    fn next_home(&self, id: RecordId, epoch: usize, at: u64) -> Option<u64> {
        let rec = self.rec(id);
        let mut next = rec.stated[epoch].or(rec.limits[epoch]);
        for slot in &rec.slots {
            for variant in &slot.variants {
                let Source::Row(row, _) = &variant.source else { continue };
                if !variant.epochs[epoch] {
                    continue;
                }
                let column = rec.columns.as_ref().map_or(Some(0), |c| c.1[epoch]);
                let home = column.and_then(|column| row.homes.get(column)).map(|h| h.value);
                if let Some(HomeEx::At(other)) = home
                    && other > at
                    && next.is_none_or(|next| other < next)
                {
                    next = Some(other);
                }
            }
        }
        next.filter(|&next| next > at)
    }

    /// Type of `zero`, `reserved`, `runtime`.
    fn fill_type(
        &mut self,
        id: RecordId,
        slot: usize,
        row: &'t Row,
        homes: &[Home],
    ) -> Option<Type> {
        let env = self.record_env(id);
        if let Some(bits) = row.props.int("bits") {
            let Some(width) = u8::try_from(bits).ok().filter(|b| (1..=64).contains(b)) else {
                let span = row.props.span("bits").unwrap_or(row.span);
                self.d.error("E0214", span, "`bits=` lies between 1 and 64");
                return None;
            };
            let msb_first = self.rec(id).msb_first;
            let storage = Storage::Bits { width, msb_first };
            return Some(Type::Cell(Cell { storage, meaning: Meaning::Int }));
        }
        if let Some(ex) = row.props.ex("size") {
            if matches!(ex.word(), Some("fill" | "rest")) && self.member(id, "fill", 0).is_none() {
                return Some(run(Content::Bytes, RunLength::Fill));
            }
            let size = self.int(&env, ex)?;
            return Some(match size.constant().and_then(|n| u64::try_from(n).ok()) {
                Some(size) => run(Content::Bytes, RunLength::Fixed(size)),
                None => run(Content::Bytes, RunLength::Count(Box::new(size))),
            });
        }
        let mut types = Vec::new();
        for (epoch, home) in homes.iter().enumerate() {
            types.push(match home {
                Home::At(at) => match self.next_home(id, epoch, *at) {
                    Some(next) => run(Content::Bytes, RunLength::Fixed(next - at)),
                    None => {
                        self.no_size(id, slot, row);
                        return None;
                    }
                },
                Home::Next => {
                    self.no_size(id, slot, row);
                    return None;
                }
                Home::Absent | Home::Nowhere => Type::Nothing,
            });
        }
        Some(per_epoch(types))
    }

    fn no_size(&mut self, _id: RecordId, _slot: usize, row: &Row) {
        let word = match row.word {
            RowWord::Zero => "zero",
            RowWord::Reserved => "reserved",
            _ => "runtime",
        };
        self.d
            .error("E0226", row.span, format!("how many bytes are `{word}`?"))
            .help(format!("write `{word} size=4`; only before another offset it can be left out"));
    }

    // ---- types ----------------------------------------------------------------------------------

    /// The complete type of a row.
    fn row_type(&mut self, id: RecordId, slot: usize) -> Option<Type> {
        let epochs = self.epoch_count();
        let mut types = vec![Type::Nothing; epochs];
        for at in 0..self.rec(id).slots[slot].variants.len() {
            let variant = &self.rec(id).slots[slot].variants[at];
            let mask = variant.epochs.clone();
            let Source::Row(row, _) = variant.source.clone() else { return None };
            let ty = self.full_type(id, slot, at, row)?;
            for (epoch, present) in mask.iter().enumerate() {
                if *present {
                    types[epoch] = match &ty {
                        Type::PerEpoch(list) => list[epoch].clone(),
                        ty => ty.clone(),
                    };
                }
            }
        }
        Some(per_epoch(types))
    }

    fn full_type(&mut self, id: RecordId, slot: usize, at: usize, row: &'t Row) -> Option<Type> {
        let base = self.variant_base(id, slot, at)?;
        let env = self.record_env(id);
        match &row.word {
            RowWord::Magic(_) => {
                let size = self.magic_bytes(id, row)?.len();
                return Some(run(Content::Bytes, RunLength::Fixed(u64::try_from(size).ok()?)));
            }
            RowWord::Mark | RowWord::Const(None) => return Some(Type::Nothing),
            RowWord::Slice => {
                let of = row.props.ex("of").and_then(|ex| ex.path())?;
                let (_, shape) = self.path(&env, of)?;
                let (path, _) = self.path(&env, of)?;
                let element = match shape.element() {
                    Shape::Nodes(list) if list.len() == 1 => Type::Record(list[0]),
                    _ => self.element_of(&path).unwrap_or(Type::Nothing),
                };
                return Some(Type::Array(Box::new(ArrayType {
                    element,
                    length: ArrayLength::Fill,
                    stride: None,
                })));
            }
            RowWord::Pool(_) => {
                let length = match row.props.ex("count") {
                    Some(ex) if !is_fill(ex) => ArrayLength::Count(self.int(&env, ex)?),
                    _ => ArrayLength::Fill,
                };
                return Some(Type::Array(Box::new(ArrayType {
                    element: base.element,
                    length,
                    stride: None,
                })));
            }
            RowWord::Value(_) => {
                let mut element = base.element;
                self.meaning(id, row, &mut element)?;
                if row.props.flag("array") {
                    let length = ArrayLength::Fill;
                    element = Type::Array(Box::new(ArrayType { element, length, stride: None }));
                }
                return Some(element);
            }
            _ => {}
        }
        self.with_length(id, row, base, &env)
    }

    /// Type of the elements of the row that a path leads to.
    fn element_of(&mut self, path: &crate::model::Path) -> Option<Type> {
        let crate::model::Step::Field(field) = path.steps.last()? else { return None };
        let (record, members) = field.members.first()?;
        let [crate::model::Member::Row(row)] = members.as_slice() else { return None };
        let base = self.variant_base(*record, row.index(), 0)?;
        Some(match base.suffix {
            Some((kind, optional)) => own_pointer(kind, optional, base.element),
            None => base.element,
        })
    }

    /// `yes=` and `enum=` of a cell.
    fn meaning(&mut self, id: RecordId, row: &'t Row, element: &mut Type) -> Option<()> {
        if let Some(yes) = row.props.int("yes") {
            let span = row.props.span("yes").unwrap_or(row.span);
            match element {
                Type::Cell(Cell { meaning: Meaning::Bool { yes: known }, .. }) => {
                    match u64::try_from(yes).ok().filter(|&n| n > 0) {
                        Some(number) => *known = number,
                        None => {
                            self.d.error("E0214", span, "the number for true is positive");
                        }
                    }
                }
                _ => {
                    self.d.error("E0225", span, "`yes=` belongs to `bool8`, `bool16` and `bool32`");
                }
            }
        }
        if let Some(name) = row.props.text("enum") {
            let span = row.props.span("enum").unwrap_or(row.span);
            let scope = self.rec(id).scope;
            let found = self.enum_named(scope, name, span)?;
            match element {
                Type::Cell(Cell { meaning, .. }) if *meaning == Meaning::Int => {
                    *meaning = Meaning::Enum(found);
                }
                Type::Cell(Cell { meaning, .. })
                    if matches!(meaning, Meaning::Bool { .. }) && row_is_bit(row) =>
                {
                    *meaning = Meaning::Enum(found);
                }
                _ => {
                    self.d.error("E0225", span, "`enum=` belongs to an integer");
                }
            }
        }
        Some(())
    }

    fn with_length(&mut self, id: RecordId, row: &'t Row, base: Base, env: &Env) -> Option<Type> {
        let props = &row.props;
        let array = is_array(row, &base);
        let mut element = base.element.clone();
        self.meaning(id, row, &mut element)?;
        if let Type::Cell(Cell { storage: Storage::Letter { letter, width }, .. }) = &mut element {
            *width = self.letter_width(id, *letter, row)?;
        }
        let content = match &element {
            Type::Run(run) => run.content,
            _ => Content::Bytes,
        };
        let content = super::texts::content(props.word("encoding"), content);
        if let (Some(span), false) = (props.span("encoding"), matches!(element, Type::Run(_))) {
            self.d.error("E0225", span, "`encoding=` belongs to `text`");
        }
        if let (true, Type::Run(run)) = (base.raw, &mut element) {
            run.content = content;
        }
        if let Some((kind, optional)) = base.suffix {
            element = own_pointer(kind, optional, element);
        }
        let mut ty = element;
        let mut regioned = false;
        if base.raw && !array {
            ty = self.raw(id, row, content, env)?;
            regioned = true;
        } else if array {
            if base.raw && super::shapes::is_bounded(props) {
                ty = self.bounded(id, row, content, env)?;
                regioned = true;
            }
            ty = self.array(row, ty, env)?;
        } else if base.sigil_only {
            ty = Type::Nothing;
        }
        if !regioned {
            ty = self.region(id, row, ty, content, env)?;
        }
        if let Some((kind, optional)) = base.prefix {
            let target = if base.sigil_only { Target::Element } else { Target::Own(ty) };
            if matches!(target, Target::Element) && !props.has("ref") {
                self.d
                    .error("E0225", row.span, "a pointer without a type needs `ref=`")
                    .help("name the array whose element it points to: `ref=ARRAY`");
                return None;
            }
            ty = Type::Pointer(Box::new(super::base::pointer(kind, optional, target)));
        }
        self.pointer_props(id, row, &mut ty, env)?;
        Some(ty)
    }

    /// `when_empty= none_with= align= section= list=` of pointers.
    fn pointer_props(
        &mut self,
        id: RecordId,
        row: &'t Row,
        ty: &mut Type,
        env: &Env,
    ) -> Option<()> {
        let props = &row.props;
        let names = ["when_empty", "none_with", "section", "list"];
        let pointer = match ty {
            Type::Pointer(pointer) => Some(pointer),
            Type::Array(array) => match &mut array.element {
                Type::Pointer(pointer) => Some(pointer),
                _ => None,
            },
            _ => None,
        };
        let Some(pointer) = pointer else {
            for name in names {
                if let Some(span) = props.span(name) {
                    self.d.error("E0225", span, format!("`{name}=` belongs to a pointer"));
                }
            }
            if let (Some(span), RowWord::Typed(_)) = (props.span("align"), &row.word) {
                self.d.error("E0225", span, "`align=` belongs to a pointer, an object or a struct");
            }
            return Some(());
        };
        pointer.when_empty = match props.word("when_empty") {
            Some("none") => Some(WhenEmpty::None),
            Some("here") => Some(WhenEmpty::Here),
            Some("kept") => Some(WhenEmpty::Kept),
            _ => None,
        };
        if let Some(name) = props.text("none_with") {
            pointer.none_with = self.row_named(id, name);
            if pointer.none_with.is_none() {
                let span = props.span("none_with").unwrap_or(row.span);
                self.d.error("E0219", span, format!("no row `{name}` in this struct"));
            }
        }
        pointer.list = props.word("list").and_then(super::pointers::policy);
        if let Some(ex) = props.ex("align") {
            pointer.align = Some(self.int(env, ex)?);
        }
        if let Some(name) = props.text("section") {
            let tree = self.scope(self.main).tree;
            match tree.relocation.iter().position(|s| s.name == name) {
                Some(at) => pointer.section = id32(at),
                None => {
                    let span = props.span("section").unwrap_or(row.span);
                    self.d.error("E0219", span, format!("no relocation section `{name}`"));
                }
            }
        }
        Some(())
    }

    fn array(&mut self, row: &'t Row, element: Type, env: &Env) -> Option<Type> {
        let props = &row.props;
        let stride = match props.ex("stride") {
            Some(ex) => Some(self.int(env, ex)?),
            None => None,
        };
        let length = if let Some(ex) = props.ex("last") {
            if let Some(span) = props.span("count") {
                self.d.error("E0225", span, "`count=` and `last=` exclude each other");
            }
            let shape = self.type_shape(&element);
            let inner = Env { it: Some(shape), ..env.clone() };
            ArrayLength::Last(self.truth(&inner, ex)?)
        } else {
            match props.ex("count") {
                Some(ex) if !is_fill(ex) => ArrayLength::Count(self.int(env, ex)?),
                _ => ArrayLength::Fill,
            }
        };
        Some(Type::Array(Box::new(ArrayType { element, length, stride })))
    }

    /// The region around something, if the row says one.
    fn region(
        &mut self,
        id: RecordId,
        row: &'t Row,
        inner: Type,
        content: Content,
        env: &Env,
    ) -> Option<Type> {
        let props = &row.props;
        let terminator = self.terminator(props, content);
        let strip = self.strip(props);
        let extent = self.extent(id, row, env)?;
        let (extent, trim) = match (extent, terminator) {
            (Some(extent), terminator) => {
                let trim = terminator.is_some() || strip.is_some();
                (extent, trim.then_some(Trim { terminator, strip }))
            }
            (None, Some(terminator)) => (Extent::Terminated(terminator), None),
            (None, None) => match strip {
                Some(_) => (Extent::Rest, Some(Trim { terminator: None, strip })),
                None => return Some(inner),
            },
        };
        Some(Type::Region(Box::new(RegionType { inner, extent, trim })))
    }

    /// `size=`, `end=` or `until=`.
    fn extent(&mut self, id: RecordId, row: &'t Row, env: &Env) -> Option<Option<Extent>> {
        let props = &row.props;
        let given: Vec<&str> =
            ["size", "end", "until"].into_iter().filter(|name| props.has(name)).collect();
        if given.len() > 1 {
            let span = props.span(given[1]).unwrap_or(row.span);
            self.d.error(
                "E0225",
                span,
                format!("`{}=` and `{}=` exclude each other", given[0], given[1]),
            );
        }
        Some(match given.first() {
            Some(&"size") => {
                let ex = props.ex("size")?;
                if is_fill(ex) && self.member(id, "fill", 0).is_none() {
                    Some(Extent::Rest)
                } else {
                    Some(Extent::Size(self.int(env, ex)?))
                }
            }
            Some(&"end") => Some(Extent::End(self.int(env, props.ex("end")?)?)),
            Some(_) => {
                let ex = props.ex("until")?;
                if ex.word() == Some("end") && self.member(id, "end", 0).is_none() {
                    Some(Extent::Rest)
                } else {
                    let found = self.expr(env, ex)?;
                    Some(Extent::End(addresses(found.expr)))
                }
            }
            None => None,
        })
    }

    /// `bytes` or `text` with its length.
    fn raw(&mut self, id: RecordId, row: &'t Row, content: Content, env: &Env) -> Option<Type> {
        let props = &row.props;
        let make = |length| Type::Run(RunType { content, length, suffix: Vec::new(), align: None });
        if let Some(ex) = props.ex("count") {
            let length = if is_fill(ex) {
                RunLength::Fill
            } else {
                RunLength::Count(Box::new(self.int(env, ex)?))
            };
            return self.region(id, row, make(length), content, env);
        }
        self.bounded(id, row, content, env)
    }

    /// `bytes` or `text` with `size=`, `end=`, `terminator=` or `strip=`.
    fn bounded(&mut self, id: RecordId, row: &'t Row, content: Content, env: &Env) -> Option<Type> {
        let props = &row.props;
        let make = |length| Type::Run(RunType { content, length, suffix: Vec::new(), align: None });
        let bounded = props.has("terminator") || props.has("strip");
        if let (Some(ex), false) = (props.ex("size"), bounded) {
            if is_fill(ex) && self.member(id, "fill", 0).is_none() {
                return Some(make(RunLength::Fill));
            }
            if !props.has("end") && !props.has("until") {
                let size = self.int(env, ex)?;
                match size.constant() {
                    Some(n) => match u64::try_from(n) {
                        Ok(size) => return Some(make(RunLength::Fixed(size))),
                        Err(_) => {
                            self.d.error("E0214", ex.span, "a size is not negative");
                            return None;
                        }
                    },
                    None if content == Content::Bytes => {
                        return Some(make(RunLength::Count(Box::new(size))));
                    }
                    None => {}
                }
            }
        }
        let any = ["size", "end", "until", "terminator", "strip"].iter().any(|n| props.has(n));
        if !any {
            // A constant has the length of its value.
            if let Some(ExKind::Text(text)) = props.ex("is").map(|ex| &ex.kind)
                && matches!(
                    content,
                    Content::Text(Encoding::Ascii | Encoding::Utf8) | Content::Bytes
                )
            {
                let size = u64::try_from(text.len()).ok()?;
                return Some(make(RunLength::Fixed(size)));
            }
            if let Some(ExKind::Call { name, args, .. }) = props.ex("is").map(|ex| &ex.kind)
                && let ("hex", [Ex { kind: ExKind::Text(text), .. }]) =
                    (name.value.as_str(), args.as_slice())
            {
                let size = super::texts::hex(text).map_or(0, |b| b.len());
                return Some(make(RunLength::Fixed(u64::try_from(size).ok()?)));
            }
            self.d
                .error("E0226", row.span, "how long is it?")
                .help("write `size=N`, `size=fill`, `count=N` or `terminator=\"00\"`");
            return None;
        }
        self.region(id, row, make(RunLength::Fill), content, env)
    }

    /// Number of bits that a letter has in the pattern of the case.
    fn letter_width(&mut self, id: RecordId, letter: char, row: &Row) -> Option<u8> {
        let labels = match self.rec(id).kind {
            RecordKind::Case(union, case) => {
                self.uni(union).cases[case as usize].decl.labels.clone()
            }
            RecordKind::Form(union, case, form) => {
                self.uni(union).cases[case as usize].decl.forms[form as usize].labels.clone()
            }
            _ => Vec::new(),
        };
        let span = row.props.span("bits").unwrap_or(row.span);
        let mut width = None;
        for label in &labels {
            if let crate::syntax::ast::LabelKind::Pattern(bits) = &label.kind {
                let count = bits.chars().filter(|&c| c == letter).count();
                if count > 0 {
                    width = u8::try_from(count).ok();
                }
            }
        }
        let Some(width) = width.filter(|w| (1..=64).contains(w)) else {
            let d = self.d.error("E0227", span, format!("no pattern of this case has `{letter}`"));
            if let Some(label) = labels.first() {
                d.also(label.span, "the label");
            }
            return None;
        };
        if let RowWord::Typed(ty) = &row.word {
            let said = super::base::small(&ty.name)
                .or_else(|| super::base::bit_width(&ty.name).map(|w| (w, false)));
            // `u16 index bits=i` may be wider than its bits.
            if let Some((said, _)) = said
                && said < width
            {
                self.d
                    .error(
                        "E0227",
                        ty.span,
                        format!("`{}` is too narrow for the {width} bits `{letter}`", ty.name),
                    )
                    .help(format!("write `u{width}`"));
            }
        }
        Some(width)
    }
}

fn row_is_bit(row: &Row) -> bool {
    matches!(&row.word, RowWord::Typed(ty) if ty.name == "bit")
}

fn is_fill(ex: &Ex) -> bool {
    ex.word() == Some("fill")
}

/// Where objects begin: each path in `a ?? b` becomes its address.
fn addresses(expr: Expr) -> Expr {
    match expr {
        Expr::Path(path) => Expr::At(path),
        Expr::Coalesce(a, b) => Expr::Coalesce(Box::new(addresses(*a)), Box::new(addresses(*b))),
        other => other,
    }
}

/// A constant in the form that its row's type has.
pub(super) fn convert(value: Constant, ty: &Type) -> Constant {
    match (value, ty) {
        (Constant::Int(n), Type::Cell(Cell { meaning: Meaning::Float, .. })) => {
            #[expect(clippy::cast_precision_loss, reason = "constants of schemas are small")]
            let float = n as f64;
            Constant::Float(float.to_bits())
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
