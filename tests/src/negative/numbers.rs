//! Numbers that are checked as soon as they are read: enumerations, truth values, limits.

use formwork_codegen::model::{
    Cell, CheckKind, Expr, ExprId, Meaning, Model, RecordKind, RowKind, Storage, Type, UnaryOp,
};

use super::cell::whole_bytes;
use super::file::Site;
use super::{Kind, Plan, Reason, error};

pub(super) fn plan(plan: &mut Plan<'_, '_>, site: &Site<'_>) {
    let Type::Cell(cell) = site.ty else { return };
    let row = plan.file.row(site.node, site.row);
    if !matches!(row.kind, RowKind::Plain) {
        return;
    }
    match &cell.meaning {
        Meaning::Enum(id) => {
            let definition = &plan.file.model.enums[id.index()];
            if definition.closed {
                let named = |n: i128| definition.members.iter().any(|member| member.number == n);
                let none = row.none.clone();
                let known = |n: i128| named(n) || none.contains(&n);
                broken(plan, site, cell, Kind::Enumeration, "not_in_enum", &|n| !known(n));
            }
        }
        Meaning::Bool { yes } => {
            let yes = i128::from(*yes);
            let neither = |n: i128| n != 0 && n != yes;
            broken(plan, site, cell, Kind::Truth, "invalid_bool", &neither);
        }
        _ => {}
    }
    if matches!(cell.meaning, Meaning::Int | Meaning::Enum(_)) {
        limits(plan, site, cell);
    }
}

/// Stores a number that makes the reader stop here.
fn broken(
    plan: &mut Plan<'_, '_>,
    site: &Site<'_>,
    cell: &Cell,
    kind: Kind,
    code: &'static str,
    forbidden: &dyn Fn(i128) -> bool,
) {
    let file = plan.file;
    let place = (site.node, site.row);
    if !alone(plan, site, cell) {
        return plan.leave_out(kind, place, Reason::SharedBytes);
    }
    if file.load(site, cell).is_none() {
        return plan.leave_out(kind, place, Reason::Storage);
    }
    let Some(number) = candidates(plan, site, cell).find(|number| forbidden(*number)) else {
        return plan.leave_out(kind, place, Reason::NothingForbidden);
    };
    match file.store(site, cell, number) {
        Some(patch) => plan.add(kind, place, patch, error(code, site.at, file.site_path(site))),
        None => plan.leave_out(kind, place, Reason::Storage),
    }
}

/// Whether a cell's bytes are its own: for a field of a word, those of the word.
pub(super) fn alone(plan: &Plan<'_, '_>, site: &Site<'_>, cell: &Cell) -> bool {
    let size = match (cell.storage, &plan.file.record(site.node).kind) {
        (Storage::Word { .. }, RecordKind::Word(int)) => Some(u64::from(int.bytes)),
        _ => whole_bytes(cell),
    };
    size.is_none_or(|size| plan.file.alone(site.at, site.at + size))
}

/// Numbers that are worth a try: those beside the one that is there, and the ends.
fn candidates(plan: &Plan<'_, '_>, site: &Site<'_>, cell: &Cell) -> impl Iterator<Item = i128> {
    let (low, high) = plan.file.limits(cell).unwrap_or((0, 0));
    let now = plan.file.load(site, cell).unwrap_or(0);
    (1..300_i128)
        .flat_map(move |step| [now + step, now - step])
        .chain([high, low])
        .filter(move |number| (low..=high).contains(number))
}

fn limits(plan: &mut Plan<'_, '_>, site: &Site<'_>, cell: &Cell) {
    let file = plan.file;
    let row = file.row(site.node, site.row);
    let place = (site.node, site.row);
    for (position, check) in row.checks.iter().enumerate() {
        let (code, wanted): (_, Vec<ExprId>) = match &check.kind {
            CheckKind::Min(limit) => ("below_minimum", vec![*limit]),
            CheckKind::Max(limit) => ("above_maximum", vec![*limit]),
            CheckKind::Equals(wanted) => ("not_equal", vec![*wanted]),
            CheckKind::OneOf(list) => ("not_one_of", list.clone()),
            // Conditions are looked at when everything is read.
            CheckKind::Holds(_) => continue,
        };
        let Some(numbers) = wanted
            .into_iter()
            .map(|expr| constant(file.model, expr))
            .collect::<Option<Vec<i128>>>()
        else {
            plan.leave_out(Kind::Limit, place, Reason::Condition);
            continue;
        };
        let (least, most) = (numbers.first().copied(), numbers.first().copied());
        let (plus, none) = (row.plus, &row.none);
        let breaks = |stored: i128| {
            let number = stored - plus;
            !none.contains(&stored)
                && match &check.kind {
                    CheckKind::Min(_) => least.is_some_and(|least| number < least),
                    CheckKind::Max(_) => most.is_some_and(|most| number > most),
                    _ => !numbers.contains(&number),
                }
        };
        // What is stored is a rank, and the rule is about the element that it means.
        if row.reference.as_ref().is_some_and(|reference| reference.filter.is_some()) {
            plan.leave_out(Kind::Limit, place, Reason::Storage);
            continue;
        }
        // Rules are looked at in their order, and a closed enumeration before all of them.
        if position > 0 || matches!(&cell.meaning, Meaning::Enum(_)) {
            plan.leave_out(Kind::Limit, place, Reason::SteersOthers);
            continue;
        }
        let near = numbers.iter().flat_map(|n| [n + 1 + plus, n - 1 + plus]);
        let found = near
            .chain(candidates(plan, site, cell))
            .find(|stored| breaks(*stored) && file.store(site, cell, *stored).is_some());
        if !alone(plan, site, cell) {
            plan.leave_out(Kind::Limit, place, Reason::SharedBytes);
            continue;
        }
        // An array is checked when it is read, so its elements must not say where it ends.
        if site.ends_array || file.load(site, cell).is_none() {
            plan.leave_out(Kind::Limit, place, Reason::Storage);
            continue;
        }
        match found.and_then(|number| file.store(site, cell, number)) {
            Some(patch) => {
                plan.add(Kind::Limit, place, patch, error(code, site.at, file.site_path(site)));
            }
            None => plan.leave_out(Kind::Limit, place, Reason::NothingForbidden),
        }
    }
}

/// The number that an expression always is.
pub(super) fn constant(model: &Model, expr: ExprId) -> Option<i128> {
    match &model[expr] {
        Expr::Int(n) => Some(*n),
        Expr::Unary(UnaryOp::Negate, inner) => constant(model, *inner).map(|n| -n),
        _ => None,
    }
}
