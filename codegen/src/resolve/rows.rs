//! Rows of records, complete but for equations that other rows give.

use super::imports::Found;
use super::paths::one_only;
use super::{Cx, Env, Expr, ExprId, RecordId, ScopeId, Shape, Source};
use crate::model::{
    ArrayLength, ArrayType, BinaryOp, Cell, Check, CheckKind, Definer, DefinerScope, DefinerSource,
    Home, Meaning, Path, Reference, Role, Row as ModelRow, RowId, RowKind, RunLength, Start,
    Storage, Target, Type, UnaryOp,
};
use crate::prose::line;
use crate::syntax::ast::{DeclBody, PropValue, Props, Row, RowWord};
use crate::syntax::expr::{Ex, ExKind, PathEx, RefEx, StepEx};

/// What a row says once, whatever layouts it is in.
const RULES: &[&str] = &[
    "is", "usually", "seen", "min", "max", "one_of", "check", "ref", "none", "plus", "from",
    "absent", "unique", "fill", "list", "section",
];
/// The same of rows that stand elsewhere.
const PLACES: &[&str] = &["at", "find", "base"];

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
        let name = self.rec(id).slots[slot].name.map(str::to_owned);
        ModelRow { span: self.source_span(id, slot, 0), ..ModelRow::new(name, ty, homes) }
    }

    pub(super) fn record_env(&self, id: RecordId) -> Env {
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

    fn logical_row(&mut self, id: RecordId, slot: usize) -> Option<ModelRow> {
        let Source::Logical(form, form_row, value) =
            self.rec(id).slots[slot].variants[0].source.clone()
        else {
            return None;
        };
        let ty = match value {
            Some(row) => {
                let mut element = self.variant_base(id, slot, 0)?.element;
                self.meaning(id, row, &mut element)?;
                if let Type::Text = element {
                    element = self.text_of_form(form, form_row)?;
                }
                match row.props.flag("array") {
                    true => Type::Array(Box::new(ArrayType {
                        element,
                        length: ArrayLength::Fill,
                        stride: None,
                        described: None,
                        in_step: None,
                    })),
                    false => element,
                }
            }
            None => {
                let last = self.rec(form).slots[form_row.index()].variants.len().checked_sub(1)?;
                let Source::Row(row_ex, _) =
                    self.rec(form).slots[form_row.index()].variants[last].source.clone()
                else {
                    return None;
                };
                led_to(self.full_type(form, form_row.index(), last, row_ex)?)
            }
        };
        let homes = vec![Home::Nowhere; self.epoch_count()];
        let mut built = self.new_row(id, slot, ty, homes);
        built.role = Role::Elsewhere;
        // The form that can say all values says whether one may be none, and how small it may be.
        if let Some(Source::Row(row, _)) =
            self.rec(form).slots[form_row.index()].variants.last().map(|last| last.source.clone())
        {
            built.none = row.props.numbers("none");
            built.plus = row.props.int("plus").unwrap_or(0);
        }
        if let Some(row) = value {
            for name in ["usually", "seen", "unique"] {
                if let Some(span) = row.props.span(name) {
                    self.d
                        .error("E0217", span, format!("`{name}=` has no meaning before forms"))
                        .help("write it on the rows in the forms");
                }
            }
            if row.optional {
                return self.never_nothing(row);
            }
            built.doc.clone_from(&row.doc);
            built.source = row.props.text("source").map(str::to_owned);
            let env = self.record_env(id);
            let (none, plus) = (std::mem::take(&mut built.none), built.plus);
            self.common(id, slot, row, &env, &mut built);
            // How a form stores the number says nothing of the type that the field is declared with.
            let by = built.plus.saturating_sub(plus);
            built.none = none.into_iter().map(|none| none.saturating_add(by)).collect();
        }
        Some(built)
    }

    /// A text that rows of forms spell: in the encoding of the last, which can say all.
    fn text_of_form(&mut self, form: RecordId, row: RowId) -> Option<Type> {
        let last = self.rec(form).slots[row.index()].variants.len().checked_sub(1)?;
        let base = self.variant_base(form, row.index(), last)?;
        Some(match base.element {
            Type::Run(run) => super::base::run(run.content, RunLength::Fill),
            _ => Type::Text,
        })
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

    /// What is said of the alias that is the type of a row.
    fn alias_doc(&self, scope: ScopeId, row: &Row) -> Option<String> {
        let (RowWord::Typed(ty) | RowWord::Const(Some(ty)) | RowWord::Object(ty)) = &row.word
        else {
            return None;
        };
        match self.lookup(scope, &ty.name).as_slice() {
            [Found::Decl(at, index)] => {
                let decl = self.decl(*at, *index);
                matches!(decl.body, DeclBody::Alias(_)).then(|| decl.doc.clone()).flatten()
            }
            _ => None,
        }
    }

    /// Rows of one name are one row, of which layouts may have other types and other places, but not
    /// other rules.
    fn one_set_of_rules(&mut self, id: RecordId, slot: usize, row: &'t Row) {
        let others = self.rec(id).slots[slot].variants[1..].iter();
        let others = others.filter(|variant| variant.epochs.contains(&true));
        let others: Vec<&'t Row> = others
            .filter_map(|variant| match variant.source {
                Source::Row(row, _) => Some(row),
                _ => None,
            })
            .collect();
        let places = matches!(row.word, RowWord::Object(_) | RowWord::Mark);
        let said = |row: &'t Row, name: &str| row.props.get(name).map(|said| said.text.as_str());
        for other in others {
            let name = |row: &Row| row.name.as_ref().map_or(row.span, |name| name.span);
            if std::mem::discriminant(&row.word) != std::mem::discriminant(&other.word) {
                self.d
                    .error("E0225", name(other), "rows with one name are one row")
                    .also(name(row), "this one is of another kind")
                    .help("give one of them another name");
                continue;
            }
            let rules = RULES.iter().chain(if places { PLACES } else { &[] });
            for &rule in rules {
                if said(row, rule) == said(other, rule) {
                    continue;
                }
                let span = |row: &Row| row.props.span(rule).unwrap_or_else(|| name(row));
                let message = format!("rows with one name are one row, and have one `{rule}=`");
                let help = match rule {
                    "is" | "usually" | "seen" | "min" | "max" | "check" => {
                        "say it of both, with a condition where it depends on one \
                         (`usually=\"version > 1 ? 7 : 5\"`), or give them different names"
                    }
                    _ => {
                        "say it of both, or give them different names: it can't depend on a condition"
                    }
                };
                self.d
                    .error("E0225", span(other), message)
                    .also(span(row), "which is not that of the other")
                    .help(help);
            }
        }
    }

    fn build_row(&mut self, id: RecordId, slot: usize, row: &'t Row) -> Option<ModelRow> {
        let always = self.is_always(id, slot);
        self.evaluated(always, |cx| cx.build_row_here(id, slot, row))
    }

    fn build_row_here(&mut self, id: RecordId, slot: usize, row: &'t Row) -> Option<ModelRow> {
        self.one_set_of_rules(id, slot, row);
        let env = self.record_env(id);
        let homes = self.homes(id, slot);
        let fill = matches!(row.word, RowWord::Zero | RowWord::Reserved | RowWord::Runtime);
        let ty = if fill { self.fill_type(id, slot, row, &homes) } else { self.row_type(id, slot) };
        let mut built = self.new_row(id, slot, Type::Nothing, homes);
        built.doc = row.doc.clone().or_else(|| self.alias_doc(self.rec(id).scope, row));
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
        self.point(id, slot, row, &env, &mut built);
        Some(built)
    }

    /// Pointers to objects that somebody else owns, and numbers in the relocation table.
    fn point(&mut self, id: RecordId, slot: usize, row: &'t Row, env: &Env, built: &mut ModelRow) {
        let lists = matches!(row.word, RowWord::Typed(_) | RowWord::Runtime);
        if !lists || !matches!(built.ty, Type::Cell(_) | Type::PerEpoch(_) | Type::Run(_)) {
            return;
        }
        let base = self.variant_base(id, slot, 0);
        let kind = base.filter(|base| base.sigil_only).and_then(|base| base.prefix);
        if let Some((kind, optional)) = kind
            && let Some(object) = self.owned_elsewhere(row, env)
        {
            if self.pointers[kind.index()].unit != 1 {
                let span = row.props.span("ref").unwrap_or(row.span);
                self.d
                    .error("E0225", span, "an object needs a kind of pointer that counts bytes")
                    .help("write a number: `is=\"at(OBJECT) / UNIT\"`");
            }
            let number = self.points_to(kind, object);
            if optional {
                built.role = Role::Kept(number);
            } else {
                let source = DefinerSource::Expr(number);
                built.role = Role::Derived;
                built.definers = vec![Definer {
                    scope: DefinerScope::Own,
                    source,
                    epochs: Vec::new(),
                    span: row.span,
                }];
            }
            built.listed = self.listed(row, Some(kind));
        } else if kind.is_none() {
            built.listed = self.listed(row, None);
        }
    }

    /// The conjunction of the conditions around a row.
    pub(super) fn condition(&mut self, id: RecordId, slot: usize) -> Option<ExprId> {
        let env = self.record_env(id);
        let list = self.rec(id).slots[slot].variants[0].when.clone();
        let mut all: Option<ExprId> = None;
        for (ex, negated) in list {
            let mut one = self.truth(&env, ex)?;
            if negated {
                one = self.exprs.add(Expr::Unary(UnaryOp::Not, one));
            }
            all = Some(match all {
                None => one,
                Some(before) => self.exprs.add(Expr::Binary(BinaryOp::BothTrue, before, one)),
            });
        }
        all
    }

    /// Documentation aside, what rows of all kinds may say.
    pub(super) fn common(
        &mut self,
        id: RecordId,
        slot: usize,
        row: &'t Row,
        env: &Env,
        built: &mut ModelRow,
    ) {
        self.values(id, slot, &row.props, env, built);
        if let (Some(ex), true) = (row.props.ex("absent"), self.is_list(id, slot)) {
            self.d
                .error("E0221", ex.span, "a list can't be one constant")
                .help("where the row is absent there are no elements");
        } else if let Some(ex) = row.props.ex("absent") {
            built.absent = self.stated(env, ex, &built.ty);
        }
        built.unique = row.props.flag("unique");
    }

    fn is_list(&mut self, id: RecordId, slot: usize) -> bool {
        matches!(self.slot_shape(id, slot), Some(Shape::Array(_)))
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
        // A number for nothing says that there may be nothing. Of an array that is no elements.
        if let (Type::Pointer(pointer), false) = (&mut built.ty, built.none.is_empty())
            && let Target::Own(target) = &pointer.target
            && !matches!(target.stripped(), Type::Array(_))
        {
            pointer.optional = true;
        }
        if leads_to_number(&built.ty) {
            for span in ["none", "plus"].into_iter().filter_map(|name| props.span(name)) {
                self.d
                    .error("E0225", span, "is it about the pointer, or about the number behind it?")
                    .help("say it of the kind of pointer, or let the number stand in a struct");
            }
        }
        if let Some(PropValue::Ref(reference)) = props.get("ref").map(|p| &p.value) {
            let object = matches!(self.variant_base(id, slot, 0), Some(base) if base.sigil_only)
                && matches!(built.ty, Type::Cell(_));
            if !object {
                built.reference = self.reference(env, reference);
            }
        }
        let shape = self.slot_shape(id, slot).unwrap_or(Shape::ANY);
        let array = shape.is_array();
        let element = if array { shape.element() } else { shape };
        // What a pointer to an element is, is that element.
        let led = matches!(self.variant_base(id, slot, 0), Some(base) if base.sigil_only);
        if let (Some(_), Some(span), false) = (&built.reference, props.span("ref"), led)
            && !matches!(element, Shape::Int(_) | Shape::Address | Shape::Any(_))
        {
            let what = self.describe(&element);
            self.d
                .error("E0221", span, "a reference is a number")
                .label(format!("this row is {what}"));
        }
        let alias = self.rec(id).slots[slot].name.filter(|_| array).map(str::to_owned);
        let inner = Env { it: Some(element.clone()), alias, ..env.clone() };
        let hint = match &element {
            Shape::Int(id) => *id,
            _ => None,
        };
        if let (true, Some(ex), Some(prop)) = (array, props.ex("is"), props.get("is")) {
            let owner = ex.word() == Some("owner");
            let found = match owner {
                true => None,
                false => self.attempt(|cx| cx.expr_hint(&inner, ex, hint)),
            };
            if let Some(value) = found.filter(|v| self.constant(v.expr).is_some()) {
                let kind = CheckKind::Equals(value.expr);
                built.checks.push(Check {
                    kind,
                    text: line(&prop.text),
                    doc: None,
                    span: prop.span,
                });
            }
        }
        for name in ["min", "max", "one_of", "check"] {
            let Some(prop) = props.get(name) else { continue };
            let Some(ex) = props.ex(name) else { continue };
            let kind = match name {
                "min" => self.bound(&inner, ex, &element).map(CheckKind::Min),
                "max" => self.bound(&inner, ex, &element).map(CheckKind::Max),
                "one_of" => {
                    let list = match &ex.kind {
                        ExKind::List(list) => list.as_slice(),
                        _ => std::slice::from_ref(ex),
                    };
                    let list: Option<Vec<ExprId>> =
                        list.iter().map(|ex| self.bound(&inner, ex, &element)).collect();
                    list.map(CheckKind::OneOf)
                }
                _ => self.truth(&inner, ex).map(CheckKind::Holds),
            };
            if let Some(kind) = kind {
                built.checks.push(Check {
                    kind,
                    text: line(&prop.text),
                    doc: None,
                    span: prop.span,
                });
            }
        }
    }

    /// What a value is compared with by `min= max= one_of=`.
    fn bound(&mut self, env: &Env, ex: &Ex, value: &Shape) -> Option<ExprId> {
        let hint = match value {
            Shape::Int(id) => *id,
            _ => None,
        };
        let found = self.expr_hint(env, ex, hint)?;
        // A text of the schema may stand for bytes.
        if !matches!((value, &found.shape), (Shape::Bytes, Shape::Text)) {
            self.comparable(value, &found.shape, ex.span)?;
        }
        Some(found.expr)
    }

    /// `ref=`.
    pub(super) fn reference(&mut self, env: &Env, ex: &RefEx) -> Option<Reference> {
        let (mut field, mut key) = (None, None);
        let mut path_ex = ex.array.clone();
        // `ARRAY.field`: what stands before the last name is an array already.
        if let Some(StepEx::Field(last)) = ex.array.steps.last() {
            let before = PathEx {
                head: ex.array.head.clone(),
                steps: ex.array.steps[..ex.array.steps.len() - 1].to_vec(),
            };
            let found = self.attempt(|cx| cx.path_or_value(env, &before));
            if let Some(Ok((_, elements @ Shape::Array(_)))) = found {
                // Reports an unknown field.
                self.path(env, &ex.array)?;
                let (steps, number) =
                    self.field(&elements.element(), &last.value, last.span, true)?;
                let number = self.seen(&number);
                if !matches!(number, Shape::Int(_) | Shape::Address | Shape::Any(_)) {
                    let what = self.describe(&number);
                    let d = self.d.error(
                        "E0223",
                        ex.array.span(),
                        format!("`{}` is no number that elements are known by", last.value),
                    );
                    d.label(format!("this is {what}"));
                    if let Shape::Array(_) = number {
                        d.help("begin with the name of the struct that is around, or say an index");
                    }
                    return None;
                }
                field = Some(last.value.clone());
                let text = last.value.clone();
                key = Some(self.exprs.add(Expr::Path(Path { start: Start::It, steps, text })));
                path_ex = before;
            }
        }
        let (mut array, mut shape) = match self.path_through(env, &path_ex)? {
            Ok((path, shape, false)) => (path, shape),
            Ok((_, _, true)) => {
                match (&field, self.part_of_elements(env, &path_ex)) {
                    (Some(field), Some(part)) => {
                        let way = format!("{part}.{field}");
                        let message = format!("`{way}` is no row of the elements themselves");
                        self.d.error("E0223", ex.array.span(), message).help(format!(
                            "rows of a struct without a name are their own, and a `let` in their \
                             struct may be what they are known by: `let {field} \"{way}\"`"
                        ));
                    }
                    _ => self.several(&path_ex),
                }
                return None;
            }
            Err(_) => self.path(env, &path_ex)?,
        };
        self.through_transparent(&mut shape, &mut array.steps);
        if !matches!(shape, Shape::Array(_) | Shape::Any(_)) {
            let what = self.describe(&shape);
            let row = self.row_of(&array);
            let d = self.d.error("E0223", ex.array.span(), "`ref=` needs the path of an array");
            d.label(format!("this is {what}"));
            one_only(d, row);
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
        Some(Reference { array, filter, field, key })
    }

    /// The name of the last row of a path that leads from the elements of one array to a part of each.
    fn part_of_elements(&mut self, env: &Env, path: &PathEx) -> Option<String> {
        let (StepEx::Field(last), before) = path.steps.split_last()? else { return None };
        let array = PathEx { head: path.head.clone(), steps: before.to_vec() };
        let found = self.attempt(|cx| cx.path_through(env, &array));
        let Some(Ok((_, elements @ Shape::Array(_), false))) = found else { return None };
        let (_, part) = self.field(&elements.element(), &last.value, last.span, false)?;
        (!self.seen(&part).is_array()).then(|| last.value.clone())
    }

    // ---- homes ----------------------------------------------------------------------------------

    // ---- types ----------------------------------------------------------------------------------
}

/// What a value has of a type: that of what pointers lead to.
fn led_to(ty: Type) -> Type {
    match ty {
        Type::Pointer(pointer) => match pointer.target {
            Target::Own(target) => led_to(target),
            _ => Type::Pointer(pointer),
        },
        Type::Array(mut array) => {
            array.element = led_to(array.element);
            Type::Array(array)
        }
        ty => ty,
    }
}

/// Whether a pointer in a row leads to a number, or to an array of numbers.
fn leads_to_number(ty: &Type) -> bool {
    match ty.stripped() {
        Type::Array(array) => leads_to_number(&array.element),
        Type::Pointer(pointer) => match pointer.owned().map(Type::stripped) {
            Some(Type::Array(array)) => {
                matches!(array.element, Type::Cell(_)) || leads_to_number(&array.element)
            }
            Some(target) => matches!(target, Type::Cell(_)) || leads_to_number(target),
            None => false,
        },
        Type::PerEpoch(types) => types.iter().any(leads_to_number),
        _ => false,
    }
}
