//! Paths: from names to rows of records.

use super::choices::measures;
use super::exprs::sort;
use super::heads::Head;
use super::{
    Bound, Cx, Env, Expr, ExprId, Memo, RecordId, ScopeId, ScopeParam, Shape, Source, Val, id32,
};
use crate::diagnostic::Diagnostic;
use crate::model::{Field, Member, Path, RowId, Start, Step};
use crate::span::Span;
use crate::syntax::builtin;
use crate::syntax::expr::{Ex, ExKind, PathEx, StepEx};
use crate::syntax::near::nearest;

/// Words at the head of a path that are not names.
const WORDS: [&str; 3] = ["this", "parent", "it"];

/// A step to a field.
type Stepped = (Vec<Step>, Shape);

/// A path, or a constant with that name.
type Found<T> = Option<Result<T, (ExprId, Shape)>>;

impl<'t> Cx<'t> {
    /// A path that leads to nothing.
    pub(super) fn nothing(&mut self, text: &str) -> ExprId {
        self.exprs.add(Expr::Path(Path {
            start: Start::This,
            steps: vec![Step::Field(Field { name: text.to_owned(), members: Vec::new() })],
            text: text.to_owned(),
        }))
    }

    pub(super) fn env(&self, scope: ScopeId, record: Option<RecordId>) -> Env {
        Env {
            record,
            scope,
            it: None,
            element: None,
            alias: None,
            place: false,
            holders: Vec::new(),
            depth: 0,
        }
    }

    /// Whether the head of a path names a row, `let` or value, rather than a type.
    pub(super) fn is_value(&self, scope: ScopeId, record: Option<RecordId>, path: &PathEx) -> bool {
        let head = path.head.value.as_str();
        if WORDS.contains(&head) || head == "none" {
            return true;
        }
        let mut at = record;
        while let Some(id) = at {
            let rec = self.rec(id);
            if let Some((_, bound)) = rec.params.iter().find(|p| p.0 == head) {
                return !matches!(bound, Bound::Type(_) | Bound::Open(_));
            }
            if self.member(id, head, 0).is_some() {
                return true;
            }
            at = rec.outer;
        }
        if builtin::is_builtin(head) && !builtin::takes_arguments(head) && path.steps.is_empty() {
            return false;
        }
        let here = self.scope(scope);
        if let Some((_, param)) = here.params.iter().find(|p| p.0 == head) {
            return matches!(param, ScopeParam::Const(..));
        }
        // `File.nodes` begins with a type, but is none.
        self.lookup(scope, &path.text()).is_empty()
    }

    /// Way from a node to a row or `let` by name, through unnamed structs.
    pub(super) fn member(&self, id: RecordId, name: &str, depth: u32) -> Option<Vec<Member>> {
        let rec = self.rec(id);
        if let Some(at) = rec.slot_named(name) {
            return Some(vec![Member::Row(RowId(id32(at)))]);
        }
        if let Some(at) = rec.let_named(name) {
            return Some(vec![Member::Let(id32(at))]);
        }
        if depth > 8 {
            return None;
        }
        for &at in &*rec.unnamed() {
            let slot = &rec.slots[at];
            // Only what is known already: types of unnamed rows are found first.
            for variant in &slot.variants {
                let Memo::Done(Some(base)) = &variant.base else { continue };
                let crate::model::Type::Record(inner) = &base.element else { continue };
                if base.prefix.is_some() {
                    continue;
                }
                if let Some(mut rest) = self.member(*inner, name, depth + 1) {
                    rest.insert(0, Member::Into(RowId(id32(at))));
                    return Some(rest);
                }
            }
        }
        None
    }

    /// Finds the types of unnamed rows, so that their rows can be found.
    pub(super) fn settle_unnamed(&mut self, id: RecordId, depth: u32) {
        if depth > 8 {
            return;
        }
        for &slot in &*self.rec(id).unnamed() {
            for at in 0..self.rec(id).slots[slot].variants.len() {
                let variant = &self.rec(id).slots[slot].variants[at];
                let typed = matches!(&variant.source, Source::Row(row, _)
                    if matches!(&row.word, crate::syntax::ast::RowWord::Typed(ty) if ty.prefix.is_none()));
                if !typed || matches!(variant.base, Memo::Busy) {
                    continue;
                }
                let base = self.variant_base(id, slot, at);
                if let Some(crate::model::Type::Record(inner)) = base.map(|b| b.element) {
                    self.settle_unnamed(inner, depth + 1);
                }
            }
        }
    }

    pub(super) fn member_shape(&mut self, id: RecordId, members: &[Member]) -> Option<Shape> {
        let mut id = id;
        for member in members {
            match member {
                Member::Row(row) => return self.slot_shape(id, row.index()),
                Member::Let(at) => return self.let_shape(id, *at as usize),
                Member::Into(row) => {
                    let base = self.variant_base(id, row.index(), 0)?;
                    let crate::model::Type::Record(inner) = base.element else { return None };
                    id = inner;
                }
            }
        }
        None
    }

    fn let_shape(&mut self, id: RecordId, at: usize) -> Option<Shape> {
        match &self.rec(id).let_shapes[at] {
            Memo::Done(shape) => return shape.clone(),
            Memo::Busy => {
                let decl = self.rec(id).lets[at];
                self.d.error(
                    "E0208",
                    decl.span,
                    format!("`{}` depends on itself", decl.name.value),
                );
                return None;
            }
            Memo::Unknown => {}
        }
        self.rec_mut(id).let_shapes[at] = Memo::Busy;
        let shape = self.once(|cx| cx.evaluated(false, |cx| cx.let_val(id, at)));
        let shape = shape.map(|val| val.shape);
        self.rec_mut(id).let_shapes[at] = Memo::Done(shape.clone());
        shape
    }

    /// What a `let` gives: where its conditions don't hold, nothing.
    pub(super) fn let_val(&mut self, id: RecordId, at: usize) -> Option<Val> {
        let env = self.env(self.rec(id).scope, Some(id));
        let nothing = Val { expr: self.nothing("none"), shape: Shape::ANY };
        self.chosen(&env, &self.rec(id).let_ways[at].clone(), &nothing)
    }

    /// Resolves a path. What is a constant has no path.
    pub(super) fn path(&mut self, env: &Env, ex: &PathEx) -> Option<(Path, Shape)> {
        match self.path_or_value(env, ex)? {
            Ok(found) => Some(found),
            Err(_) => {
                self.d.error(
                    "E0219",
                    ex.span(),
                    format!("`{}` is a constant, not a row", ex.text()),
                );
                None
            }
        }
    }

    /// Resolves the path of one array: none that goes through another one without an index.
    pub(super) fn path_of_one(&mut self, env: &Env, ex: &PathEx) -> Option<Path> {
        match self.path_through(env, ex)? {
            Ok((path, mut shape, false)) => {
                self.through_transparent(&mut shape, &mut path.steps.clone());
                if matches!(shape, Shape::Array(_) | Shape::Any(_)) {
                    return Some(path);
                }
                let what = self.describe(&shape);
                self.d
                    .error("E0223", ex.span(), "a slice is a part of an array")
                    .label(format!("this is {what}"));
                None
            }
            Ok((_, _, true)) => {
                self.several(ex);
                None
            }
            Err(_) => self.path(env, ex).map(|found| found.0),
        }
    }

    /// That a path of one array goes through another one.
    pub(super) fn several(&mut self, ex: &PathEx) {
        self.d
            .error("E0223", ex.span(), format!("`{}` may be several arrays", ex.text()))
            .help("begin with the name of the struct that is around, or say an index");
    }

    /// Resolves a path, or a name of a constant.
    pub(super) fn path_or_value(&mut self, env: &Env, ex: &PathEx) -> Found<(Path, Shape)> {
        Some(self.path_through(env, ex)?.map(|(path, shape, _)| (path, shape)))
    }

    /// The same, and whether the path goes through an array without an index.
    pub(super) fn path_through(&mut self, env: &Env, ex: &PathEx) -> Found<(Path, Shape, bool)> {
        let (start, mut steps, mut shape, used) = match self.head(env, ex)? {
            Head::Path(start, steps, shape, used) => (start, steps, shape, used),
            Head::Value(expr, shape) => {
                // The path of a constant goes nowhere, except an enumeration's member.
                if let Some(StepEx::Field(name)) = ex.steps.first()
                    && self.enum_member_path(env.scope, ex).is_none()
                {
                    self.d.error(
                        "E0220",
                        name.span,
                        format!("`{}` is a constant without fields", ex.head.value),
                    );
                    return None;
                }
                return Some(Err((expr, shape)));
            }
        };
        let mut streamed = false;
        for (number, step) in ex.steps.iter().enumerate().skip(used) {
            match step {
                StepEx::Field(name) => {
                    let end = match env.place && number + 1 == ex.steps.len() {
                        true => self.field_at_end(&shape, &name.value),
                        false => None,
                    };
                    let (more, next) = match end {
                        Some(found) => found,
                        None => self.field(&shape, &name.value, name.span, true)?,
                    };
                    // A transparent struct may stand for an array.
                    if shape.is_array() || (more.len() > 1 && self.seen(&shape).is_array()) {
                        streamed = true;
                    }
                    steps.extend(more);
                    shape = next;
                }
                StepEx::Index(index) => {
                    self.through_transparent(&mut shape, &mut steps);
                    if !is_indexed(&shape) {
                        let what = self.describe(&shape);
                        let row = self.row_at(&steps);
                        let d = self.d.error("E0220", index.span, "only arrays have elements");
                        d.label(format!("this is {what}"));
                        one_only(d, row);
                        return None;
                    }
                    let index = self.int(&Env { place: false, ..env.clone() }, index)?;
                    steps.push(Step::Index(index));
                    shape = shape.element();
                }
                StepEx::Last(span) => {
                    self.through_transparent(&mut shape, &mut steps);
                    if !is_indexed(&shape) {
                        let what = self.describe(&shape);
                        let row = self.row_at(&steps);
                        let d = self.d.error("E0220", *span, "only arrays have a last element");
                        d.label(format!("this is {what}"));
                        one_only(d, row);
                        return None;
                    }
                    steps.push(Step::Last);
                    shape = shape.element();
                }
            }
        }
        if streamed {
            self.through_transparent(&mut shape, &mut steps);
            if !shape.is_array() {
                shape = Shape::Array(Box::new(shape));
            }
        }
        Some(Ok((Path { start, steps, text: ex.text() }, shape, streamed)))
    }

    /// The field that a path ends with, if nobody knows yet what it is, and it is no matter.
    fn field_at_end(&mut self, shape: &Shape, name: &str) -> Option<Stepped> {
        let Shape::Nodes(records) = shape else { return None };
        let members = self.ways_to(records, name);
        if members.is_empty() || !members.iter().all(|(id, way)| self.is_open_end(*id, way)) {
            return None;
        }
        let field = Field { name: name.to_owned(), members };
        Some((vec![Step::Field(field)], Shape::ANY))
    }

    /// Whether a way leads to a row of which nobody knows yet what it is.
    pub(super) fn is_open_end(&self, id: RecordId, way: &[Member]) -> bool {
        let [Member::Row(row)] = way else { return false };
        !matches!(self.rec(id).slots[row.index()].shape, Memo::Done(_))
    }

    /// Ways to a field by its name, in each of these records that has it.
    fn ways_to(&mut self, records: &[RecordId], name: &str) -> Vec<(RecordId, Vec<Member>)> {
        let mut members = Vec::new();
        for &id in records {
            self.settle_unnamed(id, 0);
            members.extend(self.member(id, name, 0).map(|way| (id, way)));
        }
        members
    }

    /// What something is as a value: a transparent struct is what it stands for.
    pub(super) fn seen(&mut self, shape: &Shape) -> Shape {
        match shape {
            Shape::Array(inner) => Shape::Array(Box::new(self.seen(&inner.clone()))),
            Shape::Nodes(_) => {
                let mut found = shape.clone();
                self.through_transparent(&mut found, &mut Vec::new());
                found
            }
            other => other.clone(),
        }
    }

    /// Goes from a transparent struct to the array that it stands for.
    pub(super) fn through_transparent(&mut self, shape: &mut Shape, steps: &mut Vec<Step>) {
        for _ in 0..8 {
            let Shape::Nodes(records) = &*shape else { return };
            let mut members = Vec::new();
            let mut inner: Option<Shape> = None;
            for id in records.clone() {
                let Some(row) = self.transparent_row(id) else { return };
                let Some(found) = self.slot_shape(id, row.index()) else { return };
                inner = Some(match inner {
                    None => found,
                    Some(known) => self.merge(known, found),
                });
                members.push((id, vec![Member::Row(row)]));
            }
            let Some(found) = inner else { return };
            let name = members
                .first()
                .and_then(|(id, list)| match list.first() {
                    Some(Member::Row(row)) => self.rec(*id).slots[row.index()].name,
                    _ => None,
                })
                .unwrap_or_default()
                .to_owned();
            steps.push(Step::Field(Field { name, members }));
            *shape = found;
        }
    }

    /// The row that a transparent record stands for: its only row of data.
    pub(super) fn transparent_row(&mut self, id: RecordId) -> Option<RowId> {
        if !self.rec(id).transparent {
            return None;
        }
        let rec = self.rec(id);
        if let Some(at) =
            rec.slots.iter().position(|slot| matches!(slot.variants[0].source, Source::Case(_)))
        {
            return Some(RowId(id32(at)));
        }
        // Rows that others name as their length, place or number are no data.
        let mut used: Vec<&str> = Vec::new();
        for slot in &rec.slots {
            for variant in &slot.variants {
                if let Source::Row(row, _) = &variant.source {
                    used.extend(measures(row).filter_map(measured_word));
                }
            }
        }
        let mut data = rec.slots.iter().enumerate().filter(|(_, slot)| {
            slot.name.is_some_and(|name| !used.contains(&name))
                && slot.variants.iter().any(|v| match &v.source {
                    Source::Row(row, _) => {
                        use crate::syntax::ast::RowWord;
                        !row.props.has("is")
                            && !matches!(
                                row.word,
                                RowWord::Magic(_)
                                    | RowWord::Const(_)
                                    | RowWord::Zero
                                    | RowWord::Reserved
                                    | RowWord::Runtime
                                    | RowWord::Mark
                            )
                    }
                    _ => true,
                })
        });
        let first = data.next();
        let only = data.next().is_none();
        first.filter(|_| only).map(|(at, _)| RowId(id32(at)))
    }

    /// Records that a union's value can be a node of.
    pub(super) fn case_records(&mut self, union: crate::model::UnionId) -> Vec<RecordId> {
        let mut list = Vec::new();
        for at in 0..self.uni(union).cases.len() {
            if let Some(id) = self.case_record(union, at)
                && !list.contains(&id)
            {
                list.push(id);
            }
        }
        list
    }

    /// A field of what a path has reached.
    pub(super) fn field(
        &mut self,
        shape: &Shape,
        name: &str,
        span: Span,
        report: bool,
    ) -> Option<Stepped> {
        match shape {
            Shape::Array(inner) => {
                let (steps, shape) = self.field(&inner.clone(), name, span, report)?;
                Some((steps, shape))
            }
            Shape::Any(records) => {
                if let Some((steps, found)) = self.field_of(&records.clone(), name, span, false) {
                    return Some((steps, Shape::Any(self.records_of(found))));
                }
                let field = Field { name: name.to_owned(), members: Vec::new() };
                Some((vec![Step::Field(field)], Shape::ANY))
            }
            Shape::Union(union) => {
                let records = self.case_records(*union);
                self.field_of(&records, name, span, report)
            }
            Shape::Nodes(records) => self.field_of(&records.clone(), name, span, report),
            other => {
                if report {
                    let what = self.describe(other);
                    self.d.error("E0220", span, format!("no field `{name}`: this is {what}"));
                }
                None
            }
        }
    }

    pub(super) fn field_of(
        &mut self,
        records: &[RecordId],
        name: &str,
        span: Span,
        report: bool,
    ) -> Option<Stepped> {
        let members = self.ways_to(records, name);
        let mut shape: Option<Shape> = None;
        for (id, way) in &members {
            if let Some(found) = self.member_shape(*id, way) {
                shape = Some(match shape {
                    None => found,
                    Some(known) => self.merge(known, found),
                });
            }
        }
        if !members.is_empty() {
            let field = Field { name: name.to_owned(), members };
            return Some((vec![Step::Field(field)], shape.unwrap_or(Shape::ANY)));
        }
        // Through what stands for the record, or its choice.
        let (mut through, mut ways, mut inner) = (None, Vec::new(), None);
        for &id in records {
            let choice = self.rec(id).slots.iter().position(|slot| {
                matches!(slot.variants.first().map(|v| &v.source), Some(Source::Case(_)))
            });
            let row = match choice {
                Some(at) => Some(RowId(id32(at))),
                None => self.transparent_row(id),
            };
            let Some(row) = row else { continue };
            let Some(shape) = self.slot_shape(id, row.index()) else { continue };
            if self.field(&shape, name, span, false).is_none() {
                continue;
            }
            through.get_or_insert(self.rec(id).slots[row.index()].name.unwrap_or_default());
            ways.push((id, vec![Member::Row(row)]));
            inner = Some(match inner {
                None => shape,
                Some(known) => self.merge(known, shape),
            });
        }
        if let (Some(through), Some(inner)) = (through, inner) {
            let (mut steps, shape) = self.field(&inner, name, span, false)?;
            steps.insert(0, Step::Field(Field { name: through.to_owned(), members: ways }));
            return Some((steps, shape));
        }
        if report && !records.is_empty() {
            let mut names: Vec<String> = Vec::new();
            for &id in records {
                names.extend(self.names_in(id, 0));
            }
            let near = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
            let shown: Vec<String> =
                records.iter().take(3).map(|&id| format!("`{}`", self.rec(id).name)).collect();
            let declared = self.rec(records[0]).span;
            let is_case = self.may_be_case(&Shape::Nodes(records.to_vec()), name);
            let d =
                self.d.error("E0220", span, format!("{} has no field `{name}`", shown.join(", ")));
            if let Some(near) = near {
                d.label(format!("did you mean `{near}`?"));
            }
            let d = d.also(declared, "declared here");
            if is_case {
                d.help(format!(
                    "`{name}` is a case: paths leave out its name, and `is {name}` asks for it"
                ));
            }
        }
        None
    }

    /// Where rows of one name in cases or structs that a path leads to are of different kinds: what
    /// it leads to, the line of one of them, and what that is.
    pub(super) fn kinds_at_end(&mut self, expr: ExprId) -> Option<(String, Span, String)> {
        let Expr::Path(path) = &self.exprs[expr] else { return None };
        let Some(Step::Field(field)) = path.steps.last() else { return None };
        let name = field.name.clone();
        let mut first: Option<(RecordId, Shape)> = None;
        for (id, way) in field.members.clone() {
            let Some(shape) = self.member_shape(id, &way) else { continue };
            let shape = self.seen(&shape);
            let Some(kind) = sort(&shape) else { continue };
            match &first {
                Some((one, known)) if sort(known) != Some(kind) => {
                    let what = [(known, *one), (&shape, id)].map(|(shape, id)| {
                        format!("{} in `{}`", self.describe(shape), self.rec(id).name)
                    });
                    let line = self.line_of(id, &way).unwrap_or(self.rec(id).span);
                    let text = format!("`{name}` is {}, and {}", what[0], what[1]);
                    return Some((text, line, format!("here it is {}", self.describe(&shape))));
                }
                Some(_) => {}
                None => first = Some((id, shape)),
            }
        }
        None
    }

    /// The line of the row that a path leads to.
    pub(super) fn row_of(&self, path: &Path) -> Option<Span> {
        self.row_at(&path.steps)
    }

    fn row_at(&self, steps: &[Step]) -> Option<Span> {
        let Some(Step::Field(field)) = steps.last() else { return None };
        let (id, way) = field.members.first()?;
        self.line_of(*id, way)
    }

    fn line_of(&self, id: RecordId, way: &[Member]) -> Option<Span> {
        let [Member::Row(row)] = way else { return None };
        match &self.rec(id).slots.get(row.index())?.variants.first()?.source {
            Source::Row(row, _) => Some(row.span),
            _ => None,
        }
    }

    /// Names of rows and lets, for "did you mean".
    pub(super) fn names_in(&self, id: RecordId, depth: u32) -> Vec<String> {
        let rec = self.rec(id);
        let mut names: Vec<String> =
            rec.slots.iter().filter_map(|s| s.name).map(str::to_owned).collect();
        names.extend(rec.lets.iter().map(|l| l.name.value.clone()));
        names.extend(rec.params.iter().map(|p| p.0.to_owned()));
        if depth < 4 {
            for slot in rec.slots.iter().filter(|s| s.name.is_none()) {
                for variant in &slot.variants {
                    if let Memo::Done(Some(base)) = &variant.base
                        && let crate::model::Type::Record(inner) = base.element
                    {
                        names.extend(self.names_in(inner, depth + 1));
                    }
                }
            }
        }
        names
    }

    /// What something is, for messages.
    pub(super) fn describe(&self, shape: &Shape) -> String {
        match shape {
            Shape::Int(None) => "an integer".to_owned(),
            Shape::Int(Some(id)) => format!("a member of `{}`", self.enums[id.index()].name),
            Shape::Bool => "a truth value".to_owned(),
            Shape::Float => "a float".to_owned(),
            Shape::Text => "a text".to_owned(),
            Shape::Bytes => "bytes".to_owned(),
            Shape::Run => "a text or bytes".to_owned(),
            Shape::Address => "an address".to_owned(),
            Shape::Nodes(list) => match list.as_slice() {
                [only] => format!("a `{}`", self.rec(*only).name),
                _ => "a struct".to_owned(),
            },
            Shape::Union(id) => format!("the union `{}`", self.uni(*id).name),
            Shape::Array(_) => "an array".to_owned(),
            Shape::Order => "a byte order".to_owned(),
            Shape::Nothing => "nothing".to_owned(),
            Shape::Any(_) => "something".to_owned(),
        }
    }
}

/// The name in `f`, `n * f + c` and the like.
fn measured_word(ex: &Ex) -> Option<&str> {
    match &ex.kind {
        ExKind::Binary(_, a, b) => measured_word(a).or_else(|| measured_word(b)),
        _ => ex.word(),
    }
}

/// Says of what is no array how its row becomes one.
pub(super) fn one_only(diagnostic: &mut Diagnostic, row: Option<Span>) {
    if let Some(row) = row {
        diagnostic.also(row, "this row has no `count=`").help("an array says its length: `count=`");
    }
}

/// Whether there is an element at a position.
fn is_indexed(shape: &Shape) -> bool {
    matches!(shape, Shape::Array(_) | Shape::Bytes | Shape::Run | Shape::Any(_))
}
