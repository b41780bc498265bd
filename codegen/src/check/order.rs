//! Reading can begin somewhere: no row needs, for its place, length or presence, one that needs it.

use std::collections::{HashMap, HashSet};

use super::context::{Context, element, row_name};
use super::exprs::{first_member, inline_lengths, located, own_rows, own_rows_on, paths, values};
use crate::diagnostic::Diagnostics;
use crate::model::{
    ArrayLength, BinaryOp, Expr, ExprId, Home, Lead, Member, Model, Path, Record, RecordId,
    RecordKind, Row, RowId, RowKind, Start, Step, StreamFunction, Tag, Target, Type, search,
};

/// Most places around a row that are looked at.
const PLACES: usize = 10_000;

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let holders = holders(context.model);
    let positions = context.model.mentioning(|expr| matches!(expr, Expr::Here | Expr::RegionEnd));
    for (id, record) in context.model.records() {
        let order: HashMap<RowId, usize> =
            record.read_order.iter().enumerate().map(|(place, &row)| (row, place)).collect();
        for (number, row) in record.numbered_rows() {
            let Some(&place) = order.get(&number) else { continue };
            if !is_inline(row) {
                continue;
            }
            let first = bytes(context.model, row);
            let ranked = |row: &RowId| record.rows.get(row.index()).filter(|row| row.is_ranked());
            let tag = first.rows.iter().find_map(ranked);
            let said = first.exprs.clone();
            let Reached { exprs: needed, rows: own } = reached(context.model, id, first);
            let rank = needed.iter().find_map(|expr| rank(context, id, *expr));
            if let Some(rank) = rank.or(tag) {
                let what = row_name(rank);
                found
                    .error("E0508", row.span, format!("{what} is known when everything is read"))
                    .label("which needs it for its place, length or presence")
                    .also(rank.span, "a rank is stored, and the value is an index");
                continue;
            }
            let late = own.iter().find(|(row, direct)| {
                let definition = &record.rows[row.index()];
                is_inline(definition)
                    && (*direct || is_loose(definition))
                    && order.get(row).is_some_and(|at| *at >= place)
            });
            // What is about the place where it stands is known there.
            let stands = |row: &RowId| match record.rows.get(row.index()) {
                Some(Row { kind: RowKind::Value { seen: Some(seen) }, when, .. }) => {
                    when.iter().chain([seen]).any(|expr| positions[expr.index()])
                }
                _ => false,
            };
            let standing = || own.iter().find(|(row, _)| *row >= number && stands(row));
            let late = late.or_else(standing).map(|(row, _)| row);
            if let (None, Some(late)) = (late, behind(context.model, id, (number, &order), &needed))
            {
                let (name, what) = (row_name(row), row_name(&record.rows[late.index()]));
                let message = format!("{name} is read before it is known where {what} is");
                found
                    .error("E0508", row.span, message)
                    .also(
                        record.rows[late.index()].span,
                        "needed for its place, length or presence",
                    )
                    .help("ask for the row that says the size or address, or for `here`");
                continue;
            }
            // Where a size was said, what is read later may ask for the end.
            if late.is_none() && asks_for_own_end(context.model, id, &said) {
                let message = format!("{} is needed to know where its struct ends", row_name(row));
                found
                    .error("E0508", row.span, message)
                    .label("which it needs for its length or presence")
                    .help("of a region around it is known where it ends: `region_end`");
                continue;
            }
            let Some(late) = late.and_then(|late| record.rows.get(late.index())) else {
                if asks_for_all(context.model, &holders, (id, number)) {
                    let message = format!("{} is needed to read itself", row_name(row));
                    found.error("E0508", row.span, message).help(
                        "only the elements so far are known: `value u32 upto seen=\"size + \
                         (index(this) > 0 ? ARRAY[index(this) - 1].upto : 0)\"` adds up in each",
                    );
                    continue;
                }
                let Some((around, late)) = later_around(context, &holders, id, &needed) else {
                    continue;
                };
                let (name, what) = (row_name(row), row_name(late));
                if std::ptr::eq(around, late) {
                    let message = format!("{name} needs more of {what} than is before it");
                    found
                        .error("E0508", row.span, message)
                        .also(
                            late.span,
                            "it is in an element of this, which is read with those behind it",
                        )
                        .help(
                            "ask for elements before this one, or for what says how many there are",
                        );
                } else {
                    let message = format!("{name} is read before {what}, which it needs");
                    found
                        .error("E0508", row.span, message)
                        .also(around.span, "which is read here")
                        .also(late.span, "needed for its place, length or presence");
                }
                continue;
            };
            let message = if std::ptr::eq(late, row) {
                format!("{} is needed to read itself", row_name(row))
            } else {
                format!("{} is read before {}, which it needs", row_name(row), row_name(late))
            };
            let diagnostic = found.error("E0508", row.span, message);
            if !std::ptr::eq(late, row) {
                diagnostic.also(late.span, "needed for its place, length or presence");
            }
        }
    }
}

/// What has to be known of a record.
#[derive(Default)]
struct Needs<'m> {
    exprs: Vec<ExprId>,
    rows: Vec<RowId>,
    /// Elsewhere, too.
    arrays: Vec<&'m Path>,
}

/// What says how long the bytes of a row are, and whether they are there.
fn bytes<'m>(model: &'m Model, row: &Row) -> Needs<'m> {
    let mut needs = Needs::default();
    needs.exprs.extend(inline_lengths(&row.ty));
    needs.exprs.extend(row.when);
    if let Type::Union(union) = *element(&row.ty)
        && let Some(union) = model.unions.get(union.index())
    {
        needs.exprs.extend(union.conditions());
        if let Tag::Row(tag) = union.tag {
            needs.rows.push(tag);
        }
    }
    needs
}

/// What the value of a row follows from besides bytes that stand in its record, on a path of so many
/// steps.
fn behind_value<'m>(model: &'m Model, record: &'m Record, row: RowId, steps: usize) -> Needs<'m> {
    let Some(definition) = record.rows.get(row.index()) else { return Needs::default() };
    let mut needs = match &definition.kind {
        RowKind::Object { address, .. } => {
            let mut needs = bytes(model, definition);
            needs.exprs.push(*address);
            needs
        }
        RowKind::Mark { address: said } | RowKind::Value { seen: Some(said) } => Needs {
            exprs: definition.when.into_iter().chain([*said]).collect(),
            ..Needs::default()
        },
        RowKind::Slice { table, base, count, .. } => Needs {
            exprs: definition.when.into_iter().chain(definition.ty.element_count()).collect(),
            rows: count.iter().copied().chain([*base]).collect(),
            arrays: vec![table],
        },
        _ => Needs::default(),
    };
    let mut ty = definition.ty.stripped();
    while let Type::Pointer(pointer) = ty {
        let Some(target) = pointer.owned() else { break };
        needs.exprs.extend(inline_lengths(target));
        ty = target.stripped();
    }
    needs.arrays.extend(referred(record, row, steps));
    needs
}

/// What is needed of a record, whatever that follows from in turn.
struct Reached {
    exprs: Vec<ExprId>,
    /// Each with whether it is named, and not only what follows from one that is.
    rows: Vec<(RowId, bool)>,
}

fn reached(model: &Model, id: RecordId, first: Needs) -> Reached {
    let record = &model.records[id.index()];
    let all = |needs: &Needs| -> Vec<(RowId, usize)> {
        let rows = needs.rows.iter().map(|row| (*row, 1));
        let of = needs.exprs.iter().flat_map(|expr| own_rows(model, id, *expr));
        let marks = needs.exprs.iter().flat_map(|expr| marks(model, *expr));
        let paths = marks.chain(needs.arrays.iter().copied());
        rows.chain(of).chain(paths.flat_map(|path| own_rows_on(model, id, path))).collect()
    };
    let mut open: Vec<(RowId, usize, bool)> =
        all(&first).into_iter().map(|(row, steps)| (row, steps, true)).collect();
    let mut found = Reached { exprs: first.exprs, rows: Vec::new() };
    let (mut at, mut seen) = (0, HashSet::new());
    while let Some(&(row, steps, direct)) = open.get(at) {
        at += 1;
        if seen.insert((row, steps > 1)) {
            found.rows.push((row, direct));
            let needs = behind_value(model, record, row, steps);
            open.extend(all(&needs).into_iter().map(|(row, steps)| (row, steps, false)));
            found.exprs.extend(needs.exprs);
        }
    }
    found
}

/// Marks of which an expression takes the address, and objects.
fn marks(model: &Model, expr: ExprId) -> Vec<&Path> {
    let mut found = Vec::new();
    located(model, expr, &mut |path, _| {
        let stands_elsewhere = model.leads(path).any(|lead| match lead {
            Lead::Row(of, row) => {
                let row = model.records[of.index()].rows.get(row.index());
                row.is_some_and(|row| {
                    matches!(row.kind, RowKind::Mark { .. } | RowKind::Object { .. })
                })
            }
            _ => false,
        });
        if stands_elsewhere {
            found.push(path);
        }
    });
    found
}

/// A row that is read behind this one, or with it, of which an expression takes the address or size.
fn behind(
    model: &Model,
    id: RecordId,
    (row, order): (RowId, &HashMap<RowId, usize>),
    exprs: &[ExprId],
) -> Option<RowId> {
    let record = &model.records[id.index()];
    let mut late = None;
    let mut see = |path: &Path, of: &Expr| {
        let whole = !matches!(of, Expr::At(_));
        let [step] = path.steps.as_slice() else { return };
        let Some(Member::Row(found)) = first_member(step, id) else { return };
        let own = matches!(path.start, Start::This)
            && record.rows.get(found.index()).is_some_and(is_inline)
            && is_loose(&record.rows[found.index()]);
        // Where it is itself is known.
        let is_late = order.get(&found) > order.get(&row) || whole && found == row;
        late = late.or_else(|| (own && is_late).then_some(found));
    };
    for expr in exprs {
        located(model, *expr, &mut see);
    }
    late
}

/// Whether an expression takes the end or size of the very struct, which follows from its rows.
fn asks_for_own_end(model: &Model, id: RecordId, exprs: &[ExprId]) -> bool {
    let record = &model.records[id.index()];
    let mut asks = false;
    let own = |start: &Start| start.is_in(id) || matches!(start, Start::Root) && id == model.root;
    let mut see = |path: &Path, of: &Expr| {
        asks |= !matches!(of, Expr::At(_)) && path.steps.is_empty() && own(&path.start);
    };
    if record.sizes.iter().any(Option::is_none) {
        exprs.iter().for_each(|expr| located(model, *expr, &mut see));
    }
    asks
}

/// Whether a row stands behind another one, and at no offset of its own.
fn is_loose(row: &Row) -> bool {
    row.homes.iter().all(|home| matches!(home, Home::Next | Home::Absent))
}

/// Whether a row is read where it stands. Objects and what pointers lead to are read when somebody
/// needs them.
fn is_inline(row: &Row) -> bool {
    row.holds_bytes() && !matches!(row.kind, RowKind::Object { .. })
}

/// For each record, those that have its bytes among theirs, and in which row; of a form the case.
type Holders = HashMap<RecordId, Vec<(RecordId, Option<RowId>)>>;

fn holders(model: &Model) -> Holders {
    let mut holders = Holders::new();
    for (id, record) in model.records() {
        if let RecordKind::Case(union, case) = record.kind
            && let Some(case) = model.unions[union.index()].cases.get(case as usize)
        {
            for form in &case.forms {
                holders.entry(form.record).or_default().push((id, None));
            }
        }
        for (number, row) in record.numbered_rows().filter(|(_, row)| is_inline(row)) {
            for held in row.ty.inline_parts().flat_map(|part| model.held_here(part)) {
                let of = holders.entry(held).or_default();
                if !of.contains(&(id, Some(number))) {
                    of.push((id, Some(number)));
                }
            }
        }
    }
    holders
}

/// Paths that are followed in a node, each with how many owners have been passed on its way.
type Asked<'m> = Vec<(&'m Path, u32)>;

/// The paths of which an expression takes the value, and those to marks.
fn asked(model: &Model, expr: ExprId) -> impl Iterator<Item = &Path> {
    paths(model, expr).into_iter().chain(marks(model, expr))
}

/// A row of a struct around a record that an expression in the record takes the value of, if it is read
/// later, with the row of that struct in which the record is: the same of an array that is needed to its
/// end.
fn later_around<'m>(
    context: &Context<'m>,
    holders: &Holders,
    id: RecordId,
    exprs: &[ExprId],
) -> Option<(&'m Row, &'m Row)> {
    let model = context.model;
    let asked: Asked = exprs.iter().flat_map(|expr| asked(model, *expr)).map(|p| (p, 0)).collect();
    let mut beyond = Vec::new();
    exprs.iter().for_each(|expr| always_all(context, (id, *expr), &mut beyond));
    let first = id;
    let (mut open, mut seen) = (vec![(id, None, asked)], HashSet::new());
    while let Some((id, at, asked)) = open.pop() {
        let key: Vec<(*const Path, u32)> =
            asked.iter().map(|(path, up)| (std::ptr::from_ref(*path), *up)).collect();
        if seen.len() > PLACES || !seen.insert((id, at, key)) {
            continue;
        }
        let Sorted { rows, here, above } = sorted(model, holders, id, asked);
        let beyond_here = |at: RowId| {
            let ty = &model.records[id.index()].rows[at.index()].ty;
            let is_array = matches!(ty.stripped(), Type::Array(_));
            let is_element = ty.records().any(|held| held == first);
            is_array
                && here.iter().any(|path| {
                    let is_it = |(of, next): &(&Path, bool)| {
                        std::ptr::eq(*of, *path) && (!next || is_element)
                    };
                    let leads = path.steps.first().and_then(|step| first_member(step, id));
                    matches!(leads, Some(Member::Row(row)) if row == at) && beyond.iter().any(is_it)
                })
        };
        if let Some(at) = at.filter(|at| beyond_here(*at)) {
            let array = &model.records[id.index()].rows[at.index()];
            return Some((array, array));
        }
        let record = &model.records[id.index()];
        if let Some(at) = at
            && let Some(late) = rows.into_iter().find(|row| is_behind(record, *row, at))
        {
            return Some((&record.rows[at.index()], &record.rows[late.index()]));
        }
        if !above.is_empty() {
            let around = holders.get(&id).into_iter().flatten();
            open.extend(around.map(|(owner, row)| (*owner, *row, above.clone())));
        }
    }
    None
}

/// Whether the condition that ends an array asks for something of all its elements, by way of a `let`
/// of the struct or of the element that it is about. Of those of how many are known, the last may.
fn asks_for_all(model: &Model, holders: &Holders, array: (RecordId, RowId)) -> bool {
    let ty = &model.records[array.0.index()].rows[array.1.index()].ty;
    let lasts = ty.parts().filter_map(|part| match part {
        Type::Array(array) => match array.length {
            ArrayLength::Last(last) => Some(last),
            _ => None,
        },
        _ => None,
    });
    let mut asks = false;
    for last in lasts {
        search((array.0, last), |(_, expr), open| {
            let mut all = Vec::new();
            all_elements(model, expr, &mut |path, which| {
                if !matches!(which, Elements::Named) {
                    all.push(path);
                }
            });
            let around = |path: &&Path| {
                matches!(path.start, Start::Root | Start::Up(_) | Start::Enclosing(_))
                    && !matches!(path.steps.get(1), Some(Step::Index(_) | Step::Last))
            };
            let fields =
                all.into_iter().filter(around).filter_map(|path| match path.steps.first() {
                    Some(Step::Field(field)) => Some(field),
                    _ => None,
                });
            let (of, row) = array;
            let mut ends = fields.flat_map(|field| model.ends(field));
            asks |= ends.any(|end| end == (of, Member::Row(row)));
            for path in paths(model, expr).into_iter().filter(|path| path.steps.len() == 1) {
                open.extend(model.leads(path).filter_map(|lead| match lead {
                    Lead::Let(of, named) => Some((of, named.expr)),
                    _ => None,
                }));
            }
            asks
        });
    }
    // In a struct that may be in itself it can be the array of another one.
    asks && !is_in_itself(holders, array.0)
}

fn is_in_itself(holders: &Holders, id: RecordId) -> bool {
    let (mut seen, mut open) = (HashSet::new(), vec![id]);
    while let Some(at) = open.pop() {
        for (owner, _) in holders.get(&at).into_iter().flatten() {
            if seen.insert(*owner) {
                open.push(*owner);
            }
        }
    }
    seen.contains(&id)
}

/// Like [`all_elements`], of an expression in a record: by way of a `let`, an argument or a `value` that
/// is always there, too.
fn always_all<'m>(
    context: &Context<'m>,
    first: (RecordId, ExprId),
    found: &mut Vec<(&'m Path, bool)>,
) {
    let model = context.model;
    search(first, |(of, expr), open| {
        let mut named = Vec::new();
        all_elements(model, expr, &mut |path, which| match which {
            Elements::All => found.push((path, false)),
            Elements::Next => found.push((path, true)),
            Elements::Named => named.push(path),
        });
        let leads = named.into_iter().filter(|path| path.steps.len() < 2);
        for lead in leads.flat_map(|path| model.leads(path)) {
            match lead {
                Lead::Argument(number) => open.extend(model.given(&context.owners, of, number)),
                Lead::Let(of, named) => open.push((of, named.expr)),
                Lead::Row(of, row) => {
                    let row = model.records[of.index()].rows.get(row.index());
                    if let Some(Row {
                        kind: RowKind::Value { seen: Some(seen) }, when: None, ..
                    }) = row
                    {
                        open.push((of, *seen));
                    }
                }
            }
        }
        false
    });
}

/// What an expression needs of what a path leads through.
enum Elements {
    /// All elements of the array that it begins with.
    All,
    /// An element behind the one the expression is in.
    Next,
    /// Nothing but what it names.
    Named,
}

/// Calls back with the paths that an expression always follows.
fn all_elements<'m>(model: &'m Model, expr: ExprId, see: &mut dyn FnMut(&'m Path, Elements)) {
    use StreamFunction::{Count, Max, Min, Sum};
    let element = |path: &Path| match path.steps.get(1) {
        Some(Step::Last) => Some(Elements::All),
        Some(Step::Index(index)) if is_next(model, *index) => Some(Elements::Next),
        Some(Step::Index(_)) => Some(Elements::Named),
        _ => None,
    };
    match &model[expr] {
        Expr::Stream(Count | Sum | Min | Max, stream, _) => {
            if let Expr::Path(path) = &model[*stream] {
                see(path, element(path).unwrap_or(Elements::All));
            }
        }
        Expr::Path(path) => see(path, element(path).unwrap_or(Elements::Named)),
        Expr::If(always, ..)
        | Expr::Coalesce(always, _)
        | Expr::Binary(BinaryOp::BothTrue | BinaryOp::EitherTrue, always, _) => {
            all_elements(model, *always, see);
        }
        Expr::Stream(..) => {}
        other => other.operands(&mut |operand| all_elements(model, operand, see)),
    }
}

/// Whether an expression is `index(this) + 1`, or more than that.
fn is_next(model: &Model, expr: ExprId) -> bool {
    let Expr::Binary(BinaryOp::Add, a, b) = &model[expr] else { return false };
    let (Expr::Index(of), Expr::Int(more)) = (&model[*a], &model[*b]) else { return false };
    matches!(of.start, Start::This) && of.steps.is_empty() && *more > 0
}

/// Whether a path that is followed in a record, so many owners on its way, begins there.
fn is_here(model: &Model, holders: &Holders, id: RecordId, start: &Start, up: u32) -> bool {
    match start {
        Start::This => true,
        Start::Up(levels) => *levels == up,
        Start::Enclosing(records) => records.contains(&id),
        Start::Root => id == model.root && !holders.contains_key(&id),
        Start::It | Start::Argument(_) => false,
    }
}

/// The array in which a path goes on that leads so many steps, first to a pointer to an element.
fn referred(record: &Record, row: RowId, steps: usize) -> Option<&Path> {
    let row = record.rows.get(row.index())?;
    let leads = row
        .ty
        .parts()
        .any(|part| matches!(part, Type::Pointer(p) if matches!(p.target, Target::Element)));
    row.reference.as_ref().filter(|_| leads && steps > 1).map(|reference| &reference.array)
}

/// Paths that are followed in a node, by where they lead.
struct Sorted<'m> {
    /// The rows of its record that they lead through.
    rows: Vec<RowId>,
    /// Those that begin there.
    here: Vec<&'m Path>,
    /// Those that are followed in its owner.
    above: Asked<'m>,
}

fn sorted<'m>(model: &'m Model, holders: &Holders, id: RecordId, from: Asked<'m>) -> Sorted<'m> {
    let record = &model.records[id.index()];
    let (mut rows, mut here, mut above) = (Vec::new(), Vec::new(), Vec::new());
    let mut lets = Vec::new();
    let mut open = from;
    let mut seen = HashSet::new();
    while let Some((path, up)) = open.pop() {
        match &path.start {
            Start::It => continue,
            Start::Argument(number) => {
                let given = record.arguments.get(*number as usize);
                above.extend(given.into_iter().flat_map(|e| asked(model, *e)).map(|p| (p, 0)));
                continue;
            }
            _ => {}
        }
        if !is_here(model, holders, id, &path.start, up) {
            above.push((path, up + 1));
            continue;
        }
        here.push(path);
        match path.steps.first().and_then(|step| first_member(step, id)) {
            Some(Member::Row(row) | Member::Into(row)) => {
                rows.push(row);
                if seen.insert((row, path.steps.len() > 1)) {
                    let needs = behind_value(model, record, row, path.steps.len());
                    rows.extend(needs.rows);
                    let said = needs.exprs.into_iter().flat_map(|expr| asked(model, expr));
                    open.extend(said.chain(needs.arrays).map(|path| (path, 0)));
                }
            }
            Some(Member::Let(number)) if !lets.contains(&number) => {
                lets.push(number);
                let found = record.lets.get(number as usize);
                open.extend(found.into_iter().flat_map(|e| asked(model, e.expr)).map(|p| (p, 0)));
            }
            _ => {}
        }
    }
    Sorted { rows, here, above }
}

/// Whether a row follows another one, and is not known where that one is read.
fn is_behind(record: &Record, row: RowId, other: RowId) -> bool {
    let place = |row: RowId| record.read_order.iter().position(|known| *known == row);
    let definition = &record.rows[row.index()];
    is_inline(definition) && is_loose(definition) && place(row) > place(other)
}

/// A row of which an expression takes the value, if what it stores is a rank.
fn rank<'m>(context: &Context<'m>, of: RecordId, expr: ExprId) -> Option<&'m Row> {
    let model = context.model;
    let mut found = None;
    search((of, expr), |(of, expr), open| {
        values(model, expr, &mut |path| {
            for lead in model.leads(path) {
                match lead {
                    Lead::Row(of, row) => {
                        let row = model.records[of.index()].rows.get(row.index());
                        found = found.or(row.filter(|row| row.is_ranked()));
                    }
                    Lead::Let(of, named) => open.push((of, named.expr)),
                    Lead::Argument(number) => open.extend(model.given(&context.owners, of, number)),
                }
            }
        });
        found.is_some()
    });
    found
}
