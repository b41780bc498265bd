//! Every owned object is placed exactly once: its bytes, and what it owns in turn.
//!
//! Each struct is looked at by itself. Its layout, together with its passes, must do for each of its
//! rows what the row needs; that the rows' own types do the same for theirs follows by induction,
//! from the root down.

use std::collections::{HashMap, HashSet};

use super::context::{Context, element, epochs, row_name};
use super::owning::{
    Owning, Tails, Way, ever_owns, inline_records, object_records, owning, owning_differs,
    skippable, ways,
};
use crate::diagnostic::Diagnostics;
use crate::model::{
    BinaryOp, EpochId, Expr, ExprId, Home, LayoutPath, Member, Model, Record, RecordId, RecordKind,
    Row, RowKind, Statement, Step, Target, Type, UnaryOp,
};
use crate::print::expr_text;
use crate::span::Span;

/// Something that has to be done once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Duty {
    /// Place the struct itself.
    This,
    /// Place the bytes of objects.
    Record(Way),
    /// Place what they own.
    Tail(Way),
    /// Run this pass of them.
    Pass(Way, String),
    /// Set the address of a mark.
    Mark(Way),
}

/// Duties that are done, with the place where.
type Done = HashMap<Duty, Span>;

/// One struct with its layout.
struct Scope<'a> {
    context: &'a Context<'a>,
    /// The model of all epochs.
    whole: &'a Model,
    tails: &'a Tails,
    epoch: EpochId,
    /// What the epoch variables may be.
    versions: &'a [Ranges],
    /// What is taken to hold, or not.
    assumed: &'a Assumed,
    id: RecordId,
    record: &'a Record,
    /// Ways of inline rows whose insides the layout places one by one.
    stepped: HashSet<Way>,
    /// What has to be done, with the row that needs it.
    duties: Vec<(Duty, &'a Row)>,
    /// Their positions.
    places: HashMap<Duty, usize>,
}

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let whole = context.model;
    if !owning_differs(whole) {
        return placed(context, whole, epochs(whole), found);
    }
    for epoch in epochs(whole) {
        let view = whole.in_epoch(epoch);
        placed(&Context::new(&view), whole, [epoch], found);
    }
}

fn placed(
    context: &Context,
    whole: &Model,
    epochs: impl IntoIterator<Item = EpochId>,
    found: &mut Diagnostics,
) {
    let tails = Tails::new(context.model);
    let laid = laid(context);
    for epoch in epochs {
        for (id, record) in context.records(epoch) {
            if matches!(record.kind, RecordKind::Word(_)) {
                continue;
            }
            for versions in versions(context.model, epoch, record) {
                let all = assumptions(context.model, &versions, record);
                let scope = |assumed| {
                    let given = (versions.as_slice(), assumed);
                    Scope::new(context, whole, (&tails, epoch), given, id, record)
                };
                let done: Vec<Done> = all.iter().map(|assumed| scope(assumed).all(found)).collect();
                let mut ever = Done::new();
                done.iter().for_each(|done| ever.extend(done.clone()));
                for (assumed, done) in all.iter().zip(&done) {
                    scope(assumed).undone(done, &ever, laid.contains(&id), found);
                }
            }
        }
    }
    for (_, record) in context.model.records() {
        midst(context, record, found);
    }
    let Some(root) = context.record(context.model.root) else { return };
    if let Some((pass, _)) = root.passes.first() {
        let message = format!("nobody runs pass `{pass}` of the root");
        found.error("E0604", root.span, message);
    }
    if says_self(&root.layout) && !begins_with_self(&root.layout) {
        let message = "the layout of the root does not begin with `self`";
        let diagnostic = found.error("E0607", root.span, message);
        diagnostic.label("a file is read from its first byte on");
    }
}

/// Ways of inline rows of a struct whose insides its layout places one by one.
fn stepped(context: &Context, id: RecordId, record: &Record) -> HashSet<Way> {
    let mut paths = Vec::new();
    collect_paths(&record.layout, &mut paths);
    record.passes.iter().for_each(|(_, pass)| collect_paths(pass, &mut paths));
    let ways = paths.iter().flat_map(|path| ways(context, id, path));
    ways.flat_map(|way| (1..way.len()).map(move |n| way[..n].to_vec())).collect()
}

/// The structs whose layouts are run: not those that stand only where somebody else's layout places
/// their insides one by one.
pub(super) fn laid(context: &Context) -> HashSet<RecordId> {
    let model = context.model;
    let (mut laid, mut open) = (HashSet::new(), vec![model.root]);
    while let Some(id) = open.pop() {
        let Some(record) = context.record(id).filter(|_| laid.insert(id)) else { continue };
        let stepped = stepped(context, id, record);
        let mut inside = vec![(id, Way::new())];
        while let Some((of, before)) = inside.pop() {
            for (number, row) in context.record(of).into_iter().flat_map(Record::numbered_rows) {
                let mut way = before.clone();
                way.push((of, number));
                match owning(row) {
                    Owning::Nothing => {}
                    Owning::Object(ty) => open.extend(object_records(model, ty)),
                    Owning::Inline if stepped.contains(&way) => {
                        let records = inline_records(model, &row.ty).into_iter();
                        inside.extend(records.map(|record| (record, way.clone())));
                    }
                    Owning::Inline => open.extend(inline_records(model, &row.ty)),
                }
            }
        }
    }
    laid
}

/// Whether a layout places the struct itself somewhere.
fn says_self(layout: &[Statement]) -> bool {
    layout.iter().any(|statement| match statement {
        Statement::This => true,
        Statement::When(_, yes, no) => says_self(yes) || says_self(no),
        _ => false,
    })
}

/// Whether it does so first.
fn begins_with_self(layout: &[Statement]) -> bool {
    match layout.first() {
        Some(Statement::This) => true,
        Some(Statement::When(_, yes, no)) => begins_with_self(yes) && begins_with_self(no),
        _ => false,
    }
}

impl<'a> Scope<'a> {
    fn new(
        context: &'a Context,
        whole: &'a Model,
        (tails, epoch): (&'a Tails, EpochId),
        (versions, assumed): (&'a [Ranges], &'a Assumed),
        id: RecordId,
        record: &'a Record,
    ) -> Self {
        let stepped = stepped(context, id, record);
        let (duties, places) = (Vec::new(), HashMap::new());
        let mut scope = Scope {
            context,
            whole,
            tails,
            epoch,
            versions,
            assumed,
            id,
            record,
            stepped,
            duties,
            places,
        };
        scope.collect_duties(id, record, &Vec::new());
        if record.kind == RecordKind::Struct {
            for row in record.rows.iter().take(1) {
                scope.duties.push((Duty::This, row));
            }
        }
        for (at, (duty, _)) in scope.duties.iter().enumerate() {
            scope.places.entry(duty.clone()).or_insert(at);
        }
        scope
    }

    /// Those of the duties that are done here, in their order, with the place where.
    fn of(&self, done: &Done) -> Vec<(&(Duty, &'a Row), Span)> {
        let places = done.iter().filter_map(|(duty, span)| Some((*self.places.get(duty)?, *span)));
        let mut places: Vec<(usize, Span)> = places.collect();
        places.sort_by_key(|(at, _)| *at);
        places.into_iter().filter_map(|(at, span)| Some((self.duties.get(at)?, span))).collect()
    }

    fn collect_duties(&mut self, id: RecordId, record: &'a Record, before: &Way) {
        let model = self.context.model;
        for (number, row) in record.numbered_rows() {
            if row.home(self.epoch) == Home::Absent {
                continue;
            }
            let mut way = before.clone();
            way.push((id, number));
            if let RowKind::Mark { .. } = row.kind {
                self.duties.push((Duty::Mark(way), row));
                continue;
            }
            let ty = match owning(row) {
                Owning::Nothing => continue,
                Owning::Object(ty) => {
                    self.duties.push((Duty::Record(way.clone()), row));
                    ty
                }
                Owning::Inline if self.stepped.contains(&way) => {
                    for inside in inline_records(model, &row.ty) {
                        if let Some(record) = self.context.record(inside) {
                            self.collect_duties(inside, record, &way);
                        }
                    }
                    continue;
                }
                Owning::Inline => &row.ty,
            };
            if self.tails.of(model, ty) {
                self.duties.push((Duty::Tail(way.clone()), row));
            }
            for pass in passes(self.context, ty) {
                self.duties.push((Duty::Pass(way.clone(), pass), row));
            }
        }
    }

    /// What the layout and its passes do.
    fn all(&self, found: &mut Diagnostics) -> Done {
        let mut done = self.run(&self.record.layout, found);
        for (_, statements) in &self.record.passes {
            let pass = self.run(statements, found);
            self.join(&mut done, pass, found);
        }
        done
    }

    /// What the statements do.
    fn run(&self, statements: &[Statement], found: &mut Diagnostics) -> Done {
        let mut done = Done::new();
        for statement in statements {
            let step = match statement {
                Statement::This => Done::from([(Duty::This, self.record.span)]),
                Statement::Mark(row, _) => {
                    Done::from([(Duty::Mark(vec![(self.id, *row)]), self.record.span)])
                }
                Statement::Align(_) | Statement::Zero(_) => continue,
                Statement::Record(path) => self.place(path, true, false, found),
                Statement::Tail(path) => self.place(path, false, true, found),
                Statement::Put(path) => self.place(path, true, true, found),
                Statement::Run(pass, path) => self.pass(pass, path, found),
                Statement::When(condition, yes, no) => {
                    match decided(self.context.model, *condition, self.versions, self.assumed) {
                        Some(true) => {
                            let step = self.run(yes, found);
                            self.join(&mut done, step, found);
                            continue;
                        }
                        Some(false) => {
                            let step = self.run(no, found);
                            self.join(&mut done, step, found);
                            continue;
                        }
                        None => {}
                    }
                    let yes = self.run(yes, found);
                    let no = self.run(no, found);
                    self.branches(yes, no, found)
                }
            };
            self.join(&mut done, step, found);
        }
        done
    }

    fn place(&self, path: &LayoutPath, record: bool, tail: bool, found: &mut Diagnostics) -> Done {
        let mut done = Done::new();
        let ways = ways(self.context, self.id, path);
        if ways.is_empty() {
            let message = format!("`{}` is not placed by this layout", path.text);
            let diagnostic = found.error("E0605", path.span, message);
            diagnostic.label("leads into an object with a layout of its own").help(
                "that layout places it, or a `pass` of the struct, which `run` does at this place: \
                 `pass later { put data }` there, and here `run later PATH`",
            );
            return done;
        }
        let mut owns = false;
        for way in ways {
            let row = way.last().and_then(|&(record, row)| self.context.row(record, row));
            match row.map(owning) {
                Some(Owning::Object(_)) => {
                    owns = true;
                    if record {
                        done.insert(Duty::Record(way.clone()), path.span);
                    }
                    if tail {
                        done.insert(Duty::Tail(way), path.span);
                    }
                }
                Some(Owning::Inline) => {
                    owns = true;
                    let inside = |duty: &Duty| match duty {
                        Duty::Record(at) | Duty::Tail(at) => at.starts_with(&way),
                        _ => false,
                    };
                    let duties = self.duties.iter().map(|(duty, _)| duty);
                    let duties = duties.filter(|duty| tail && inside(duty));
                    done.extend(duties.map(|duty| (duty.clone(), path.span)));
                }
                Some(Owning::Nothing) | None => owns |= self.ever(&way).is_some_and(ever_owns),
            }
        }
        if !owns {
            let message = format!("`{}` owns no object", path.text);
            found.error("E0605", path.span, message).label("there is nothing to place");
        }
        done
    }

    /// The row at the end of a way, as all epochs have it.
    fn ever(&self, way: &Way) -> Option<&'a Row> {
        let &(record, row) = way.last()?;
        self.whole.records.get(record.index())?.rows.get(row.index())
    }

    fn pass(&self, pass: &str, path: &LayoutPath, found: &mut Diagnostics) -> Done {
        let mut done = Done::new();
        let mut known = false;
        for way in ways(self.context, self.id, path) {
            let has = |row: &Row| passes(self.context, &row.ty).iter().any(|name| name == pass);
            known |= self.ever(&way).is_some_and(has);
            let row = way.last().and_then(|&(record, row)| self.context.row(record, row));
            if row.is_some_and(has) {
                done.insert(Duty::Pass(way, pass.to_owned()), path.span);
            }
        }
        if !known {
            let message = format!("`{}` has no pass `{pass}`", path.text);
            found.error("E0606", path.span, message);
        }
        done
    }

    /// Both branches of a condition do the same, except for what may be empty.
    fn branches(&self, yes: Done, no: Done, found: &mut Diagnostics) -> Done {
        for (one, other) in [(&yes, &no), (&no, &yes)] {
            for ((duty, row), span) in self.of(one) {
                if other.contains_key(duty) || self.may_be_empty(duty) {
                    continue;
                }
                one_branch_only(duty, row, span, found);
            }
        }
        let mut both = no;
        both.extend(yes);
        both
    }

    fn may_be_empty(&self, duty: &Duty) -> bool {
        let way = match duty {
            Duty::This | Duty::Mark(_) => return false,
            Duty::Record(way) | Duty::Tail(way) | Duty::Pass(way, _) => way,
        };
        way.iter().any(|&(record, row)| {
            let cases = self.context.record(record).map(|record| &record.kind);
            let in_case = !matches!(cases, Some(RecordKind::Struct));
            self.context
                .row(record, row)
                .is_none_or(|row| in_case || skippable(self.context.model, self.epoch, row))
        })
    }

    /// Adds what was done, unless it was done before.
    fn join(&self, done: &mut Done, step: Done, found: &mut Diagnostics) {
        for ((duty, row), second) in self.of(&step) {
            // What owns things that stand before it is placed by `tail`, with them.
            if let Duty::Record(way) = duty
                && let Some(first) = done.get(&Duty::Tail(way.clone()))
                && self.comes_later(row)
            {
                let message = format!("{} is placed twice", describe(duty, row));
                let diagnostic = found.error("E0602", second, message);
                diagnostic.label("again").also(*first, "with what it owns");
                diagnostic
                    .help("its layout does not begin with `self`: say `record` first, or `put`");
                continue;
            }
            if let Some(first) = done.get(duty) {
                if *duty == Duty::This {
                    let name = &self.record.name;
                    let message = format!("the layout of `{name}` says `self` twice");
                    found.error("E0608", self.record.span, message);
                    continue;
                }
                let message = format!("{} is placed twice", describe(duty, row));
                let diagnostic = found.error("E0602", second, message);
                if *first != second {
                    diagnostic.label("again").also(*first, "first");
                }
            }
        }
        done.extend(step);
    }

    /// Whether the object of a row stands behind something that it owns.
    fn comes_later(&self, row: &Row) -> bool {
        let Owning::Object(ty) = owning(row) else { return false };
        object_records(self.context.model, ty).into_iter().any(|id| {
            let layout = self.context.record(id).map(|record| &record.layout);
            layout.is_some_and(|layout| !matches!(layout.first(), None | Some(Statement::This)))
        })
    }

    /// Says what is not done, which is done `ever`, where other conditions hold, or never. A layout
    /// that is not run has no passes to run: who places the insides of the struct runs them.
    fn undone(&self, done: &Done, ever: &Done, is_run: bool, found: &mut Diagnostics) {
        for (duty, row) in &self.duties {
            if done.contains_key(duty) {
                continue;
            }
            if let Some(span) = ever.get(duty) {
                if !self.may_be_empty(duty) {
                    one_branch_only(duty, row, *span, found);
                }
                continue;
            }
            let name = &self.record.name;
            match duty {
                Duty::Pass(..) if !is_run => {}
                Duty::This => {
                    let message = format!("the layout of `{name}` does not say `self`");
                    found.error("E0608", self.record.span, message);
                }
                Duty::Pass(_, pass) => {
                    let message = format!("nobody runs pass `{pass}` of {}", row_name(row));
                    let diagnostic = found.error("E0604", row.span, message);
                    diagnostic.help(format!("say `run {pass}` in the layout of `{name}`"));
                }
                Duty::Record(_) | Duty::Tail(_) | Duty::Mark(_) => {
                    let message = format!("{} is never placed", describe(duty, row));
                    let diagnostic = found.error("E0601", row.span, message);
                    diagnostic.also(self.record.span, "by the layout of this struct");
                    let row = row.name.as_deref().unwrap_or_default();
                    diagnostic.help(match duty {
                        Duty::Record(_) => format!("say `put {row}`"),
                        Duty::Tail(_) => format!("say `tail {row}`"),
                        _ => format!("say `mark {row}`"),
                    });
                }
            }
        }
    }
}

/// What a number may be: ranges with both ends.
type Ranges = Vec<(i128, i128)>;

/// The epoch variable that an expression is, as such or as the row that holds it.
fn epoch_variable(model: &Model, expr: ExprId) -> Option<usize> {
    let path = match &model[expr] {
        Expr::Epoch(variable) => return Some(*variable as usize),
        Expr::Path(path) => path,
        _ => return None,
    };
    let Some(Step::Field(field)) = path.steps.last() else { return None };
    let [_] = field.members.as_slice() else { return None };
    let Some((record, Member::Row(row))) = model.ends(field).next() else { return None };
    model.epoch_variables.iter().position(|variable| {
        model.rows_along(model.root, &variable.path).last() == Some(&(record, row))
    })
}

/// The versions of an epoch, so many that conditions in the layout of a record decide for each: the
/// layout may look at versions that make no difference to any row.
fn versions(model: &Model, epoch: EpochId, record: &Record) -> Vec<Vec<Ranges>> {
    let all = model.epochs.get(epoch.index()).map(|epoch| epoch.ranges.clone());
    let all = all.unwrap_or_default();
    let mut marks: Vec<(usize, i128)> = Vec::new();
    let passes = record.passes.iter().map(|(_, pass)| pass);
    for statements in passes.chain([&record.layout]) {
        compared(model, statements, &mut marks);
    }
    // One variable is told apart; of more than one, conditions stay open.
    let Some(&(variable, _)) = marks.first() else { return vec![all] };
    let Some(ranges) = all.get(variable) else { return vec![all] };
    let near = marks.iter().filter(|(of, _)| *of == variable).take(SAMPLES);
    let near = near.flat_map(|(_, n)| [n.saturating_sub(1), *n, n.saturating_add(1)]);
    let ends = ranges.iter().flat_map(|&(low, high)| [low, high]);
    let mut samples: Vec<i128> = near
        .chain(ends)
        .filter(|n| ranges.iter().any(|(low, high)| (low..=high).contains(&n)))
        .collect();
    samples.sort_unstable();
    samples.dedup();
    let one = |n: i128| {
        let mut versions = all.clone();
        versions[variable] = vec![(n, n)];
        versions
    };
    samples.into_iter().map(one).collect()
}

/// Most numbers of a layout that versions are told apart by.
const SAMPLES: usize = 64;

/// Epoch variables with the numbers that they are compared with.
fn compared(model: &Model, statements: &[Statement], marks: &mut Vec<(usize, i128)>) {
    for statement in statements {
        let Statement::When(condition, yes, no) = statement else { continue };
        let mut open = vec![*condition];
        while let Some(expr) = open.pop() {
            match &model[expr] {
                Expr::Binary(_, a, b) => {
                    for (a, b) in [(a, b), (b, a)] {
                        let found = epoch_variable(model, *a).zip(model.exprs.constant(*b));
                        marks.extend(found);
                    }
                }
                Expr::In(a, list) => {
                    if let Some((variable, list)) =
                        epoch_variable(model, *a).zip(bounds(model, list))
                    {
                        marks.extend(
                            list.iter().flat_map(|of| [(variable, of.0), (variable, of.1)]),
                        );
                    }
                }
                _ => {}
            }
            model[expr].operands(&mut |operand| open.push(operand));
        }
        compared(model, yes, marks);
        compared(model, no, marks);
    }
}

/// Conditions about the value, by their text, with what they are taken to be.
type Assumed = HashMap<String, bool>;

/// All that the conditions may be that a layout and its passes ask more than once: what one of them
/// places where such a condition holds, another one may place where it does not.
fn assumptions(model: &Model, versions: &[Ranges], record: &Record) -> Vec<Assumed> {
    let mut asked: Vec<(String, usize)> = Vec::new();
    let passes = record.passes.iter().map(|(_, pass)| pass);
    let mut open: Vec<&Statement> = passes.chain([&record.layout]).flatten().collect();
    while let Some(statement) = open.pop() {
        let Statement::When(condition, yes, no) = statement else { continue };
        open.extend(yes.iter().chain(no));
        if decided(model, *condition, versions, &Assumed::new()).is_none() {
            let text = expr_text(model, affirmed(model, *condition).0);
            match asked.iter_mut().find(|(known, _)| *known == text) {
                Some((_, times)) => *times += 1,
                None => asked.push((text, 1)),
            }
        }
    }
    let mut all = vec![Assumed::new()];
    for (text, _) in asked.iter().filter(|(_, times)| *times > 1).take(ASSUMED) {
        all = all
            .iter()
            .flat_map(|known| {
                [false, true].map(|truth| {
                    let mut known = known.clone();
                    known.insert(text.clone(), truth);
                    known
                })
            })
            .collect();
    }
    all
}

/// Most conditions of a layout that are told apart.
const ASSUMED: usize = 6;

/// A condition without what turns it round, and whether that is an odd number of times.
fn affirmed(model: &Model, mut condition: ExprId) -> (ExprId, bool) {
    let mut turned = false;
    while let Expr::Unary(UnaryOp::Not, inner) = &model[condition] {
        (condition, turned) = (*inner, !turned);
    }
    (condition, turned)
}

/// What a condition says of some versions, if it is about nothing but that and what is assumed.
fn decided(
    model: &Model,
    condition: ExprId,
    versions: &[Ranges],
    assumed: &Assumed,
) -> Option<bool> {
    if !assumed.is_empty() {
        let (condition, turned) = affirmed(model, condition);
        if let Some(truth) = assumed.get(&expr_text(model, condition)) {
            return Some(*truth != turned);
        }
    }
    let decided = |expr: ExprId| decided(model, expr, versions, assumed);
    match &model[condition] {
        Expr::Bool(truth) => Some(*truth),
        Expr::Unary(UnaryOp::Not, inner) => decided(*inner).map(|truth| !truth),
        Expr::Binary(BinaryOp::BothTrue, a, b) => match (decided(*a), decided(*b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (a, b) => Some(a? && b?),
        },
        Expr::Binary(BinaryOp::EitherTrue, a, b) => match (decided(*a), decided(*b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (a, b) => Some(a? || b?),
        },
        Expr::Binary(op, a, b) => {
            let variable = |expr: ExprId| versions.get(epoch_variable(model, expr)?);
            let (ranges, number, turned) = match (variable(*a), variable(*b)) {
                (Some(ranges), None) => (ranges, model.exprs.constant(*b)?, false),
                (None, Some(ranges)) => (ranges, model.exprs.constant(*a)?, true),
                _ => return None,
            };
            let holds = |n: i128| {
                let (a, b) = if turned { (number, n) } else { (n, number) };
                op.holds(a.cmp(&b))
            };
            throughout(ranges, &[number], holds)
        }
        Expr::In(a, list) => {
            let ranges = versions.get(epoch_variable(model, *a)?)?;
            let list = bounds(model, list)?;
            let edges: Vec<i128> = list.iter().flat_map(|(low, high)| [*low, *high]).collect();
            let inside = |n: i128| list.iter().any(|(low, high)| (*low..=*high).contains(&n));
            throughout(ranges, &edges, |n| Some(inside(n)))
        }
        _ => None,
    }
}

/// The ranges of a list of constants.
fn bounds(model: &Model, list: &[(ExprId, Option<ExprId>)]) -> Option<Ranges> {
    let bound = |(low, high): &(ExprId, Option<ExprId>)| {
        let last = model.exprs.constant(high.unwrap_or(*low))?;
        Some((model.exprs.constant(*low)?, last))
    };
    list.iter().map(bound).collect()
}

/// What holds of all numbers in some ranges, if that changes nowhere but beside some of them.
fn throughout(
    ranges: &Ranges,
    edges: &[i128],
    holds: impl Fn(i128) -> Option<bool>,
) -> Option<bool> {
    let mut all = ranges.iter().flat_map(|&(low, high)| {
        let inside = edges.iter().flat_map(|n| [n - 1, *n, n + 1]);
        [low, high].into_iter().chain(inside.filter(move |n| (low..=high).contains(n)))
    });
    let first = holds(all.next()?)?;
    all.all(|n| holds(n) == Some(first)).then_some(first)
}

fn one_branch_only(duty: &Duty, row: &Row, span: Span, found: &mut Diagnostics) {
    let message = format!("{} is placed in one branch only", describe(duty, row));
    found.error("E0603", span, message).also(row.span, "always there");
}

fn describe(duty: &Duty, row: &Row) -> String {
    match duty {
        Duty::This => "the struct itself".to_owned(),
        Duty::Record(_) | Duty::Mark(_) => row_name(row),
        Duty::Tail(_) => format!("what {} owns", row_name(row)),
        Duty::Pass(_, pass) => format!("pass `{pass}` of {}", row_name(row)),
    }
}

/// Names of the passes of the objects of a type.
fn passes(context: &Context, ty: &Type) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for id in object_records(context.model, ty) {
        for (name, _) in context.record(id).into_iter().flat_map(|record| &record.passes) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    names
}

fn collect_paths<'a>(statements: &'a [Statement], paths: &mut Vec<&'a LayoutPath>) {
    for statement in statements {
        match statement {
            Statement::Record(path)
            | Statement::Tail(path)
            | Statement::Put(path)
            | Statement::Run(_, path) => paths.push(path),
            Statement::When(_, yes, no) => {
                collect_paths(yes, paths);
                collect_paths(no, paths);
            }
            _ => {}
        }
    }
}

/// A struct that is placed in the midst of what it owns cannot stand where its bytes must follow
/// others: inline or in an array.
fn midst(context: &Context, record: &Record, found: &mut Diagnostics) {
    for row in record.rows.iter().filter(|row| row.holds_bytes()) {
        let mut elements = Vec::new();
        match owning(row) {
            Owning::Inline => elements.push(&row.ty),
            Owning::Object(ty) => {
                let mut ty = ty;
                loop {
                    if matches!(ty, Type::Array(_) | Type::Region(_)) {
                        elements.push(ty);
                    }
                    match element(ty) {
                        Type::Pointer(pointer) => match &pointer.target {
                            Target::Own(target) => ty = target,
                            _ => break,
                        },
                        _ => break,
                    }
                }
            }
            Owning::Nothing => {}
        }
        for ty in elements {
            let Type::Record(id) = element(ty) else { continue };
            let Some(inner) = context.record(*id) else { continue };
            let first = inner.layout.first();
            if first.is_some_and(|first| !matches!(first, Statement::This)) {
                let message = format!(
                    "`{}` cannot stand here, because its layout does not begin with `self`",
                    inner.name
                );
                let diagnostic = found.error("E0607", row.span, message);
                diagnostic.also(inner.span, "places something before itself");
                diagnostic.help("use an array of pointers: `*T*`");
            }
        }
    }
}
