//! Each derived row has exactly one equation, wherever its struct is used, and none needs itself.

use std::collections::{HashMap, HashSet};

use super::context::{Context, bodies, row_name};
use super::exprs::{own_rows, own_rows_on, paths, places};
use super::fits::range;
use crate::diagnostic::Diagnostics;
use crate::model::{
    BinaryOp, Cell, DefinerScope, DefinerSource, Expr, ExprId, Home, Meaning, Measure, Member,
    Model, Path, RecordId, Role, Row, RowId, RowKind, Start, Step, Type,
};
use crate::print::path_text;
use crate::span::Span;

/// Rows through which a record is used, with the records that have them.
type Uses = HashMap<RecordId, Vec<(RecordId, RowId)>>;

/// Most structs in structs between an equation and its row.
const NESTING: u32 = 16;

/// Most ways that are followed from one row to the structs around it.
const WAYS: u32 = 10_000;

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let uses = uses(context);
    rooted_circles(context, &uses, found);
    for (id, record) in context.model.records() {
        for (number, row) in record.numbered_rows() {
            if !matches!(row.role, Role::Derived) || !context.used(id) {
                continue;
            }
            if row.definers.is_empty() {
                let message = format!("nothing gives {} of `{}`", row_name(row), record.name);
                let diagnostic = found.error("E0501", row.span, message);
                diagnostic.label("derived, but without an equation");
                diagnostic.help(match uses.get(&id).is_some_and(|uses| elements(context, uses)) {
                    true => "elements get none from whoever holds them: write `is=EXPR` here, where `parent` is the struct around",
                    false => "say `derive PATH is=...` in the struct that holds this one",
                });
                continue;
            }
            let transparent = record.transparent.is_some_and(|only| only != number);
            if transparent && !context.model.always_derived(record, row) {
                let what = row_name(row);
                let message = format!("`{}` is transparent, but {what} is data, too", record.name);
                let diagnostic = found.error("E0233", row.span, message);
                diagnostic.label("nothing gives it its number in some layout or case");
                diagnostic.help("the value of a transparent struct is that of its only row");
            }
            owners(context, &uses, id, number, row, found);
        }
        circles(context.model, id, found);
        widths(context, id, found);
        presences(context.model, id, found);
        turned(context.model, id, found);
        always_there(context.model, id, found);
    }
}

/// Rows whose equations always need a row at a place that is the same in the whole file, and that one
/// needs itself: written below a path from the root, the row itself is one of its instances.
fn rooted_circles(context: &Context, uses: &Uses, found: &mut Diagnostics) {
    let model = context.model;
    if uses.contains_key(&model.root) {
        return;
    }
    // What each row always needs: with the path, if that begins at the root.
    let mut needs: HashMap<(RecordId, RowId), Vec<Need<'_>>> = HashMap::new();
    for (id, record) in model.records() {
        for (number, row) in record.numbered_rows() {
            let written = matches!(row.role, Role::Derived | Role::Kept(_)) && context.used(id);
            let Some(expr) = row.equation().filter(|_| written) else { continue };
            let mut paths = Vec::new();
            always(model, expr, &mut |path| paths.push(path));
            let need = |path| need(model, id, path);
            needs.insert((id, number), paths.into_iter().filter_map(need).collect());
        }
    }
    let mut told: HashSet<(RecordId, RowId)> = HashSet::new();
    let mut all: Vec<_> = needs.keys().copied().collect();
    all.sort_unstable();
    for at in all {
        for (next, path) in needs[&at].iter().filter_map(|(next, path)| Some((*next, (*path)?))) {
            let mut reached = HashSet::from([next]);
            let mut open = vec![next];
            while let Some(here) = open.pop() {
                let ways = needs.get(&here).into_iter().flatten();
                open.extend(ways.map(|(to, _)| *to).filter(|to| reached.insert(*to)));
            }
            if !reached.contains(&at) || told.contains(&at) {
                continue;
            }
            let row = &model.records[at.0.index()].rows[at.1.index()];
            let message = format!("{} is needed to compute itself", row_name(row));
            let diagnostic = found.error("E0505", row.span, message);
            let root = &model.records[model.root.index()].name;
            let path = path_text(model, path);
            let path =
                path.strip_prefix("root").map_or(path.clone(), |rest| format!("{root}{rest}"));
            diagnostic.label(format!("`{path}` is one of these rows, and needs itself"));
            diagnostic.help(
                "a condition says which of them follow from another one: \
                 `index(this) > 0 ? ... : NUMBER`",
            );
            told.extend(reached);
        }
    }
}

/// A row that is needed, and the path to it if that begins at the root.
type Need<'m> = ((RecordId, RowId), Option<&'m Path>);

/// The row that a path leads to from a node of a record, if it is at the same place whichever node it is
/// among those of the file, or in the node itself.
fn need<'m>(model: &'m Model, id: RecordId, path: &'m Path) -> Option<Need<'m>> {
    if path.start.is_in(id) && id != model.root {
        return path.own_row(id).map(|row| ((id, row), None));
    }
    let rooted = matches!(path.start, Start::Root) || path.start.is_in(model.root);
    let fixed = path.steps.iter().all(|step| match step {
        Step::Field(_) => true,
        Step::Index(index) => matches!(model[*index], Expr::Int(_)),
        Step::Last => false,
    });
    let Some(Step::Field(field)) = path.steps.last().filter(|_| rooted && fixed) else {
        return None;
    };
    let mut ends = model.ends(field);
    match (ends.next(), ends.next()) {
        (Some((record, Member::Row(row))), None) => {
            let own = id == model.root && path.steps.len() == 1;
            Some(((record, row), Some(path).filter(|_| !own)))
        }
        _ => None,
    }
}

/// The paths whose values are asked for whatever anything else is.
fn always<'m>(model: &'m Model, expr: ExprId, visit: &mut dyn FnMut(&'m Path)) {
    match &model[expr] {
        Expr::Path(path) => visit(path),
        Expr::Binary(BinaryOp::BothTrue | BinaryOp::EitherTrue, first, _)
        | Expr::If(first, ..)
        | Expr::In(first, _) => always(model, *first, visit),
        expr @ (Expr::Unary(..) | Expr::Binary(..) | Expr::Call(..)) => {
            expr.operands(&mut |operand| always(model, operand, visit));
        }
        _ => {}
    }
}

/// Numbers of which it follows from where something behind them is how many bytes they take.
fn widths(context: &Context, id: RecordId, found: &mut Diagnostics) {
    let model = context.model;
    for (number, row) in model.records[id.index()].numbered_rows() {
        let varies = |part: &Type| matches!(part, Type::Cell(cell) if cell.storage.varies());
        let varies = row.ty.inline_parts().any(varies);
        if varies
            && row
                .equation()
                .is_some_and(|expr| model.asks_ahead(&context.owners, (id, number), expr))
        {
            let message = format!("{} is needed to compute itself", row_name(row));
            let diagnostic = found.error("E0505", row.span, message);
            diagnostic.label("how many bytes it takes follows from what stands behind them");
            diagnostic.help("give it a type of a fixed width, such as `u32`");
        }
    }
}

/// Rows of which it follows from where something behind them is whether they are there.
fn presences(model: &Model, id: RecordId, found: &mut Diagnostics) {
    let record = &model.records[id.index()];
    for (number, row) in record.numbered_rows() {
        // Of what is data a value says whether it is there.
        let follows = !matches!(row.role, Role::Data | Role::Default(_));
        let inline = row.holds_bytes() && !matches!(row.kind, RowKind::Object { .. });
        let Some(when) = row.when.filter(|_| inline && follows) else { continue };
        let asked = own_rows(model, id, when).into_iter().filter(|(_, steps)| *steps == 1);
        let ahead = asked.map(|(given, _)| &record.rows[given.index()]).find(|given| {
            let written = matches!(given.role, Role::Derived | Role::Kept(_));
            let equation = given.equation().filter(|_| written);
            equation.is_some_and(|expr| looks_behind(model, id, number, expr))
        });
        if let Some(given) = ahead {
            let message = format!("whether {} is there depends on itself", row_name(row));
            let diagnostic = found.error("E0505", row.span, message);
            diagnostic.label("a condition asks for a number");
            diagnostic.also(given.span, "it follows from where something behind is");
            diagnostic.help("sizes are known before anything is placed: `size(data) + 1`");
        }
    }
}

/// Whether an expression asks where something is that comes behind a row, or where its struct or the
/// file ends.
fn looks_behind(model: &Model, id: RecordId, row: RowId, expr: ExprId) -> bool {
    match &model[expr] {
        Expr::FileEnd => true,
        Expr::At(path) | Expr::End(path) | Expr::Size(path) => {
            if path.steps.is_empty() {
                return matches!(path.start, Start::This) && !matches!(model[expr], Expr::At(_));
            }
            let is_place = !matches!(model[expr], Expr::Size(_));
            is_place && own_rows_on(model, id, path).iter().any(|(other, _)| *other >= row)
        }
        expr => {
            let mut found = false;
            expr.operands(&mut |operand| found |= looks_behind(model, id, row, operand));
            found
        }
    }
}

/// Numbers that nothing but a length uses, in a way that is not turned round: they stay data, which
/// must agree with what is there.
fn turned(model: &Model, id: RecordId, found: &mut Diagnostics) {
    let record = &model.records[id.index()];
    for row in record.rows.iter().filter(|row| row.holds_bytes()) {
        for length in row.ty.parts().flat_map(Type::lengths) {
            if model.exprs.linear(length).is_some() || !is_arithmetic(model, length) {
                continue;
            }
            let rows = own_rows(model, id, length);
            let Some(&(number, 1)) = rows.first() else { continue };
            let given = &record.rows[number.index()];
            let integer = matches!(&given.ty, Type::Cell(cell) if cell.meaning == Meaning::Int);
            let free = given.reference.is_none() && given.none.is_empty();
            if rows.iter().all(|(row, _)| *row == number)
                && matches!(given.role, Role::Data)
                && integer
                && free
            {
                let message = format!("{} does not follow from {}", row_name(given), row_name(row));
                let diagnostic = found.note("E0506", row.span, message);
                diagnostic.label("this length is not turned round").also(given.span, "stays data");
                diagnostic.help("whoever writes a value must say both; an `is=` gives the number");
            }
        }
    }
}

/// Objects that may be none, at an address that each number of a row is: no value has none. And those
/// without data, of which no value says whether they are none.
fn always_there(model: &Model, id: RecordId, found: &mut Diagnostics) {
    let record = &model.records[id.index()];
    for (number, row) in record.numbered_rows() {
        let (RowKind::Object { address, .. }, Some(when)) = (&row.kind, row.when) else { continue };
        if !decides(model, when, *address) {
            continue;
        }
        let linear = model.exprs.place(*address);
        let given = linear.as_ref().and_then(|linear| linear.path.own_row(id));
        let given = given.map(|number| &record.rows[number.index()]);
        let follows = given.is_some_and(|given| follows_from_place(model, id, given, number))
            || all_follow(model, id, *address, number);
        if follows && !model.carries_data(&row.ty) {
            let message = format!("no value says whether {} is there", row_name(row));
            let diagnostic = found.error("E0512", row.span, message);
            diagnostic.label("it has no data");
            diagnostic.help("leave out the `?`: without data it may be there in any case");
            continue;
        }
        let Some(linear) = linear else { continue };
        let counted = match linear.base.map(|base| &model[base]) {
            None => true,
            Some(Expr::At(path) | Expr::End(path)) => path.steps.is_empty(),
            Some(_) => false,
        };
        let Some(given) = given.filter(|given| given.none.is_empty() && given.when.is_none())
        else {
            continue;
        };
        let Type::Cell(cell) = &given.ty else { continue };
        let Some((least, greatest)) = range(model, cell) else { continue };
        let address = |stored: i128| {
            let number = stored.checked_sub(given.plus)?.checked_mul(linear.factor)?;
            number.checked_add(linear.offset)
        };
        let positive = [least, greatest].map(address).iter().all(|at| at.is_some_and(|at| at >= 0));
        if counted && positive && !given.homes.contains(&Home::Absent) {
            let message = format!("{} is always there", row_name(row));
            let diagnostic = found.note("E0511", row.span, message);
            diagnostic.label("`?` says that it may be none");
            diagnostic.also(given.span, "each number is an address");
            diagnostic.help("say which number stands for nothing: `none=0`");
        }
    }
}

/// Whether all rows that an address depends on follow from where another one of the record is.
fn all_follow(model: &Model, id: RecordId, address: ExprId, of: RowId) -> bool {
    let rows = own_rows(model, id, address);
    let row = |number: RowId| &model.records[id.index()].rows[number.index()];
    !rows.is_empty()
        && rows.iter().all(|(number, _)| follows_from_place(model, id, row(*number), of))
}

/// Whether a row follows from where another one of its record is, and from nothing else.
fn follows_from_place(model: &Model, id: RecordId, given: &Row, of: RowId) -> bool {
    given.definers.iter().any(|definer| match definer.source {
        DefinerSource::Measure { measure: Measure::At(_), row, .. } => row == of,
        DefinerSource::Measure { .. } => false,
        DefinerSource::Expr(expr) => {
            let rows = places(model, expr).into_iter();
            let mut rows = rows.flat_map(|path| own_rows_on(model, id, path));
            paths(model, expr).is_empty() && rows.any(|(row, _)| row == of)
        }
    })
}

/// Whether something is there only if an address is one.
fn decides(model: &Model, when: ExprId, address: ExprId) -> bool {
    match &model[when] {
        Expr::Binary(BinaryOp::BothTrue, a, b) => {
            decides(model, *a, address) || decides(model, *b, address)
        }
        Expr::Binary(BinaryOp::GreaterOrEqual, a, b) => {
            *a == address && model.exprs.constant(*b) == Some(0)
        }
        _ => false,
    }
}

/// Whether an expression computes with numbers of the same struct alone.
fn is_arithmetic(model: &Model, expr: ExprId) -> bool {
    match &model[expr] {
        Expr::Int(_) => true,
        Expr::Path(path) => path.steps.len() == 1,
        Expr::Binary(op, a, b) => {
            use BinaryOp as Op;
            let sum = matches!(op, Op::Add | Op::Subtract | Op::Multiply | Op::Divide);
            (sum || matches!(op, Op::ShiftLeft | Op::ShiftRight))
                && is_arithmetic(model, *a)
                && is_arithmetic(model, *b)
        }
        _ => false,
    }
}

/// Whether all rows through which a record is used are arrays.
fn elements(context: &Context, uses: &[(RecordId, RowId)]) -> bool {
    let array = |&(record, row): &(RecordId, RowId)| {
        let row = context.row(record, row);
        row.is_some_and(|row| row.ty.parts().any(|part| matches!(part, Type::Array(_))))
    };
    uses.iter().all(array)
}

fn uses(context: &Context) -> Uses {
    let mut uses = Uses::new();
    for (id, record) in context.model.records() {
        if !context.used(id) {
            continue;
        }
        for (number, row) in record.numbered_rows().filter(|(_, row)| row.holds_bytes()) {
            for ty in row.ty.parts() {
                let used = match ty {
                    Type::Record(used) => vec![*used],
                    Type::Cell(Cell { meaning: Meaning::Word(used), .. }) => vec![*used],
                    Type::Union(union) => {
                        let epochs = super::context::epochs(context.model);
                        epochs.flat_map(|epoch| bodies(context.model, *union, epoch)).collect()
                    }
                    _ => continue,
                };
                for used in used {
                    let places = uses.entry(used).or_default();
                    if !places.contains(&(id, number)) {
                        places.push((id, number));
                    }
                }
            }
        }
    }
    uses
}

/// Every struct that uses this one gives the row.
fn owners(
    context: &Context,
    uses: &Uses,
    id: RecordId,
    number: RowId,
    row: &Row,
    found: &mut Diagnostics,
) {
    if !row.definers.iter().all(|definer| matches!(definer.scope, DefinerScope::Owner(..))) {
        return;
    }
    let mut budget = WAYS;
    for place in uncovered(context, uses, id, vec![number], row, (NESTING, &mut budget)) {
        let message = format!("nothing gives {} here", row_name(row));
        let diagnostic = found.error("E0502", place, message);
        diagnostic.also(row.span, "whoever uses the struct gives this row");
        if let Some(definer) = row.definers.first() {
            diagnostic.also(definer.span, "as here");
        }
    }
}

/// Places where the record is used without an equation for the row at the end of the way.
fn uncovered(
    context: &Context,
    uses: &Uses,
    id: RecordId,
    way: Vec<RowId>,
    row: &Row,
    (nesting, budget): (u32, &mut u32),
) -> Vec<Span> {
    let gives = |definer: &&crate::model::Definer| matches!(&definer.scope, DefinerScope::Owner(owner, path) if *owner == id && *path == way);
    if row.definers.iter().find(gives).is_some() {
        return Vec::new();
    }
    let Some(nesting) = nesting.checked_sub(1) else { return Vec::new() };
    let Some(rest) = budget.checked_sub(1) else { return Vec::new() };
    *budget = rest;
    let mut places = Vec::new();
    for &(owner, through) in uses.get(&id).into_iter().flatten() {
        let mut way = way.clone();
        way.insert(0, through);
        let missing = uncovered(context, uses, owner, way, row, (nesting, budget));
        // The innermost use is where the equation is missed.
        if !missing.is_empty()
            && let Some(through) = context.row(owner, through)
        {
            places.push(through.span);
        }
    }
    if uses.get(&id).is_none_or(Vec::is_empty) {
        places.push(row.span);
    }
    places
}

/// Equations within a record that need each other, and measured values that do: what is written
/// follows from values, and what is seen from what is stored, so one of either is no circle.
fn circles(model: &Model, id: RecordId, found: &mut Diagnostics) {
    let is_written = |row: &Row| matches!(row.role, Role::Derived | Role::Kept(_));
    circle(model, id, &|row| row.equation().filter(|_| is_written(row)), found);
    let known_later = |row: &Row| match row.kind {
        RowKind::Value { seen } => seen,
        RowKind::Slice { .. } => row.ty.element_count(),
        _ => None,
    };
    circle(model, id, &known_later, found);
}

fn circle(
    model: &Model,
    id: RecordId,
    equation: &dyn Fn(&Row) -> Option<ExprId>,
    found: &mut Diagnostics,
) {
    let record = &model.records[id.index()];
    let needs: HashMap<RowId, Vec<RowId>> = record
        .numbered_rows()
        .filter_map(|(number, row)| {
            let rows = own_rows(model, id, equation(row)?).into_iter();
            // A longer path leads into other nodes, which have equations of their own.
            let rows = rows.filter(|(_, steps)| *steps == 1).map(|(row, _)| row);
            Some((number, rows.collect()))
        })
        .collect();
    let mut done: HashSet<RowId> = HashSet::new();
    for (number, _) in record.numbered_rows().filter(|(number, _)| needs.contains_key(number)) {
        if done.contains(&number) {
            continue;
        }
        let mut way: Vec<(RowId, usize)> = vec![(number, 0)];
        let mut places = HashMap::from([(number, 0)]);
        while let Some((at, next)) = way.last_mut() {
            let (at, next) = (*at, std::mem::replace(next, *next + 1));
            let Some(&need) = needs.get(&at).and_then(|needs| needs.get(next)) else {
                done.insert(at);
                places.remove(&at);
                way.pop();
                continue;
            };
            if let Some(&start) = places.get(&need) {
                let circle: Vec<&Row> = way[start..]
                    .iter()
                    .filter_map(|(row, _)| record.rows.get(row.index()))
                    .collect();
                done.extend(way.iter().map(|(row, _)| *row));
                if let Some((first, others)) = circle.split_first() {
                    let message = format!("{} is needed to compute itself", row_name(first));
                    let diagnostic = found.error("E0505", first.span, message);
                    for other in others.iter().take(5) {
                        diagnostic.also(other.span, "through this equation");
                    }
                }
                break;
            }
            if !done.contains(&need) && needs.contains_key(&need) {
                places.insert(need, way.len());
                way.push((need, 0));
            }
        }
    }
}
