//! Forms of a case say the same fields, and one of each epoch can say every value.

use super::context::{Context, element};
use super::fits::range;
use crate::diagnostic::Diagnostics;
use crate::model::{
    Case, Cell, CheckKind, EpochId, FloatCode, Form, Meaning, Model, Record, RecordId, Role, Row,
    RowKind, Storage, Type,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for union in &context.model.unions {
        for (epoch, _) in context.epochs() {
            for case in &union.cases {
                let forms: Vec<&Form> =
                    case.forms.iter().filter(|form| form.is_in(epoch)).collect();
                if case.is_in(epoch) && !forms.is_empty() {
                    check_case(context, epoch, case, &forms, found);
                }
            }
        }
    }
}

fn check_case(
    context: &Context,
    epoch: EpochId,
    case: &Case,
    forms: &[&Form],
    found: &mut Diagnostics,
) {
    let Some(logical) = context.record(case.record) else { return };
    let mut total = true;
    for form in forms {
        let Some(record) = context.record(form.record) else { continue };
        for row in record.rows.iter().filter(|row| row.name.is_some()) {
            let data = matches!(row.kind, RowKind::Plain)
                && matches!(row.role, Role::Data | Role::Default(_));
            if data && !logical.rows.iter().any(|field| field.name == row.name) {
                found
                    .error("E0217", row.span, "this row is no field of the case, though it is data")
                    .help("a form has no row that is both a length or label, and data");
            }
            let follows = match row.role {
                Role::Kept(_) | Role::View { .. } => true,
                Role::Derived => logical.rows.iter().any(|field| field.name == row.name),
                _ => false,
            };
            if follows {
                found
                    .error("E0217", row.span, "what follows from other rows is no field of a form")
                    .help("put the row into a struct, or leave out what says it: `usually=`, `from=`, or `value` before the forms");
            }
        }
        for row in &logical.rows {
            let Some(name) = &row.name else { continue };
            if let Some((spelled, why)) = said(record, name).and_then(|spelled| {
                Some((spelled, other_kind(context.model, epoch, row, spelled)?))
            }) {
                let diagnostic = found.error("E0217", spelled.span, why);
                diagnostic.also(row.span, "the field").help("put the row into a struct");
            }
            if said(record, name).is_none() {
                let message = format!("a form of case `{}` does not say `{name}`", case.name);
                let diagnostic = found.error("E0406", form.span, message);
                diagnostic.also(row.span, "the field");
                total = false;
            }
        }
    }
    if !total {
        return;
    }
    let Some(last) = forms.last() else { return };
    let Some(record) = context.record(last.record) else { return };
    for row in &logical.rows {
        let Some(name) = &row.name else { continue };
        let Some(spelled) = said(record, name) else { continue };
        let others = forms
            .iter()
            .filter_map(|form| Some((form.record, said(context.record(form.record)?, name)?)));
        let others: Vec<(RecordId, &Row)> = others.collect();
        let narrow = |spelled: (RecordId, &Row)| {
            std::iter::once((case.record, row))
                .chain(others.iter().copied())
                .find_map(|row| narrow(context.model, row, spelled))
        };
        // Of labels that each stand for one number nobody expects that they say all, unless the field
        // is declared by itself.
        let declared = others.iter().all(|(_, other)| other.span != row.span);
        let constants = others.iter().all(|(_, row)| matches!(row.kind, RowKind::Constant(_)));
        if constants && !declared || others.iter().any(|other| narrow(*other).is_none()) {
            continue;
        }
        if let Some(why) = narrow((last.record, spelled)) {
            let within = context.in_epoch(epoch);
            let message = format!("no form of case `{}` can say every `{name}`{within}", case.name);
            let diagnostic = found.note("E0407", last.span, message);
            diagnostic.label(format!("the last form, where `{name}` {why}"));
            diagnostic.help("writing such a value is an error; put the widest form last");
        }
    }
}

fn said<'a>(form: &'a Record, name: &str) -> Option<&'a Row> {
    form.rows.iter().find(|row| row.name.as_deref() == Some(name))
}

/// Why the last form's row cannot hold every value of the field, or of another form.
fn narrow(
    model: &Model,
    (holder, field): (RecordId, &Row),
    (form, spelled): (RecordId, &Row),
) -> Option<String> {
    if let RowKind::Constant(_) = field.kind {
        return None;
    }
    if let RowKind::Constant(_) = spelled.kind {
        return Some("is a constant".to_owned());
    }
    let (Type::Cell(wide), Type::Cell(cell)) = (element(&field.ty), element(&spelled.ty)) else {
        return None;
    };
    if let (Some(wide), Some(code)) = (FloatCode::of(wide), FloatCode::of(cell)) {
        let all = code.is_plain() || code == wide;
        return (!all).then(|| format!("is one of `{}` only", code.name("")));
    }
    if wide.meaning != Meaning::Int {
        return None;
    }
    let (low, high) = ruled(model, field, numbers(model, holder, field, wide)?);
    let (lowest, highest) = numbers(model, form, spelled, cell)?;
    (low < lowest || high > highest).then(|| format!("is {lowest} to {highest} only"))
}

/// The least and the greatest number of a row, or of its elements, of this type: of the value, and not
/// of what is stored for it.
fn numbers(model: &Model, record: RecordId, row: &Row, cell: &Cell) -> Option<(i128, i128)> {
    let (lowest, highest) = range(model, cell)?;
    let (lowest, highest) = match cell.storage {
        Storage::TagOf => model.numbers_of(record, cell),
        _ => (lowest, highest),
    };
    Some((lowest.checked_sub(row.plus)?, highest.checked_sub(row.plus)?))
}

/// Those of a range of numbers that keep to the bounds of a row.
fn ruled(model: &Model, row: &Row, (mut low, mut high): (i128, i128)) -> (i128, i128) {
    for check in &row.checks {
        match &check.kind {
            CheckKind::Min(least) => low = low.max(model.exprs.constant(*least).unwrap_or(low)),
            CheckKind::Max(most) => high = high.min(model.exprs.constant(*most).unwrap_or(high)),
            _ => {}
        }
    }
    (low, high)
}

/// Why what a row of a form spells is not of the kind of its field.
fn other_kind(model: &Model, epoch: EpochId, field: &Row, spelled: &Row) -> Option<&'static str> {
    if let RowKind::Constant(_) = spelled.kind {
        return None;
    }
    let is_list = |ty: &Type| matches!(ty.in_epoch(epoch).stripped(), Type::Array(_));
    let (ty, nothing) = match spelled.ty.in_epoch(epoch).stripped() {
        Type::Pointer(pointer) => {
            let nothing = pointer.may_be_none(model, spelled) && spelled.none.is_empty();
            (pointer.owned().unwrap_or(&spelled.ty), nothing)
        }
        ty => (ty, false),
    };
    if is_list(ty) != is_list(&field.ty) {
        return Some("the field is a list and this is none, or the other way round");
    }
    let nothing = nothing
        || matches!(ty.stripped(), Type::Array(array) if matches!(array.element.stripped(), Type::Pointer(pointer) if pointer.owned().is_some() && pointer.optional));
    // A pointer that may be none is nothing there; the field says so if it is one itself.
    if nothing && !matches!(field.ty.stripped(), Type::Pointer(_)) {
        return Some("what it leads to may be nothing, which no field of forms is");
    }
    None
}
