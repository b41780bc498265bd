//! Forms of a case say the same fields, and one of each epoch can say every value.

use super::context::{Context, element};
use super::fits::{fits, range};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Case, Cell, CheckKind, Constant, Content, EpochId, FloatCode, Form, Meaning, Model, Record,
    RecordId, Role, Row, RowKind, Storage, Type,
};
use crate::print::type_text;

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
            } else if let Some(spelled) = said(record, name) {
                let of = Places { model: context.model, epoch };
                if let Some(why) = of.cannot_hold((case.record, row), (form.record, spelled)) {
                    let diagnostic = found.error("E0217", spelled.span, why);
                    let field = (row.span != spelled.span).then_some(row.span);
                    let field =
                        field.into_iter().fold(diagnostic, |it, at| it.also(at, "the field"));
                    let [field_type, type_here] = [row, spelled].map(|row| {
                        // How much there is of a text is not what it is.
                        let text = type_text(context.model, row.ty.in_epoch(epoch));
                        text.trim_end_matches("[fill]").to_owned()
                    });
                    field.help(format!(
                        "the field is `{field_type} {name}`, and this row `{type_here} {name}`. A field \
                         has one type, which says what every form has: put the widest form last, give \
                         the rows types of one kind, or make two cases of the forms",
                    ));
                }
            }
            if said(record, name).is_none() {
                let message = format!("a form of case `{}` does not say `{name}`", case.name);
                let diagnostic = found.error("E0406", form.span, message);
                diagnostic.also(row.span, "the field");
                let typed = crate::syntax::builtin::is_builtin(name);
                if typed
                    && record
                        .rows
                        .iter()
                        .any(|row| row.name.is_none() && matches!(row.kind, RowKind::Constant(_)))
                {
                    diagnostic.help(format!(
                        "a type behind `const` is no name: write `const TYPE {name} is=...`"
                    ));
                }
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
        let all = code.is_plain() && (wide.is_single() || !code.is_single()) || code == wide;
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

/// Finds out whether a field has a type that holds what a form says.
struct Places<'m> {
    model: &'m Model,
    epoch: EpochId,
}

/// Rows whose types are compared, with the records that they are in.
type InRecord<'m> = (RecordId, &'m Row);

/// The greatest depth of structs in structs that are compared.
const MAX_DEPTH: u32 = 64;

impl<'m> Places<'m> {
    /// Why the field of a case cannot hold all that a row of a form says, if it cannot.
    fn cannot_hold(&self, field: InRecord<'m>, spelled: InRecord<'m>) -> Option<String> {
        let (field_type, spelled_type) = (&field.1.ty, &spelled.1.ty);
        if let (RowKind::Constant(constant), kind) = (&spelled.1.kind, &field.1.kind) {
            let first = match kind {
                RowKind::Constant(first) => Some(first),
                _ => None,
            };
            return match (field_type, first) {
                (Type::Nothing, Some(first)) => {
                    let same = discriminant(first) == discriminant(constant);
                    (!same).then(|| "this constant is of another kind than the field".to_owned())
                }
                (Type::Nothing | Type::PerEpoch(_), _) => None,
                (Type::Cell(cell), _) if cell.storage == Storage::TagOf => None,
                (ty, _) => fits(self.model, ty, constant, field.1.plus)
                    .err()
                    .map(|why| format!("the field cannot be this constant: {why}")),
            };
        }
        self.types(field, field_type, spelled, spelled_type, &mut Vec::new(), 0)
    }

    fn types(
        &self,
        field: InRecord<'m>,
        wide: &'m Type,
        spelled: InRecord<'m>,
        ty: &'m Type,
        seen: &mut Vec<(RecordId, RecordId)>,
        depth: u32,
    ) -> Option<String> {
        let (wide, ty) = (self.bare(wide), self.bare(ty));
        let other = || Some("the field is of another kind than this row".to_owned());
        match (wide, ty) {
            (Type::Nothing, _) | (_, Type::Nothing) => None,
            (Type::Array(wide), Type::Array(array)) => {
                self.types(field, &wide.element, spelled, &array.element, seen, depth)
            }
            (Type::Cell(wide), Type::Cell(cell)) => {
                match (&wide.meaning, &cell.meaning) {
                    (Meaning::Word(a), Meaning::Word(b)) => self.records(*a, *b, seen, depth + 1),
                    (Meaning::Float(_), Meaning::Float(_)) => {
                        let (wide, code) = (FloatCode::of(wide)?, FloatCode::of(cell)?);
                        let same = wide.is_single() == code.is_single();
                        // In structs nobody looks at what the field of the case is.
                        let all = wide.is_plain() && (same || !wide.is_single() && depth == 0);
                        let message = || {
                            let (wide, code) = (wide.name(""), code.name(""));
                            format!("the field is a `{wide}`, which has not all that a `{code}` is")
                        };
                        (!all && wide != code).then(message)
                    }
                    (Meaning::Int, Meaning::Int) => {
                        // What refers to an element is its position, however that is stored.
                        if field.1.reference.is_some() || spelled.1.reference.is_some() {
                            return None;
                        }
                        let all = numbers(self.model, field.0, field.1, wide)?;
                        let some = numbers(self.model, spelled.0, spelled.1, cell)?;
                        let (low, high) = ruled(self.model, spelled.1, some);
                        (low < all.0 || high > all.1).then(|| {
                            format!(
                                "the field is {} to {}, and this row {low} to {high}",
                                all.0, all.1
                            )
                        })
                    }
                    (Meaning::Bool { .. }, Meaning::Bool { .. }) => None,
                    // A number is that of a member, and the other way round.
                    (Meaning::Enum(_), Meaning::Int) | (Meaning::Int, Meaning::Enum(_)) => None,
                    (a, b) if a == b => None,
                    _ => other(),
                }
            }
            (Type::Run(wide), Type::Run(run)) => match (wide.content, run.content) {
                (Content::Bytes, Content::Bytes) => None,
                (Content::Text(wide), Content::Text(code)) => (code.keeps_surrogates()
                    && !wide.keeps_surrogates())
                .then(|| "units that are no text are nothing that the field can be".to_owned()),
                _ => other(),
            },
            (Type::Text, Type::Run(run)) | (Type::Run(run), Type::Text) => match run.content {
                Content::Text(_) => None,
                Content::Bytes => other(),
            },
            (Type::Text, Type::Text) | (Type::ByteOrderMark, Type::ByteOrderMark) => None,
            (Type::Record(a), Type::Record(b)) => self.records(*a, *b, seen, depth + 1),
            (Type::Union(a), Type::Union(b)) => {
                if a == b {
                    return None;
                }
                let cases = |id: crate::model::UnionId| &self.model.unions[id.index()].cases;
                let (a, b) = (cases(*a), cases(*b));
                let same = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name);
                if !same {
                    return other();
                }
                a.iter().zip(b).find_map(|(a, b)| self.records(a.record, b.record, seen, depth + 1))
            }
            // Numbers of elements, and texts of pools.
            (Type::Pointer(_), _) | (_, Type::Pointer(_)) => None,
            _ => other(),
        }
    }

    /// The type of the value itself: without what is around it in the file.
    fn bare(&self, ty: &'m Type) -> &'m Type {
        let mut ty = ty;
        for _ in 0..MAX_DEPTH {
            let inner = self.model.through_transparent(ty.in_epoch(self.epoch)).stripped();
            ty = match inner {
                Type::Pointer(pointer) => match pointer.owned() {
                    Some(target) => target,
                    None => return inner,
                },
                inner if std::ptr::eq(inner, ty) => return inner,
                inner => inner,
            };
        }
        ty
    }

    /// Why the values of a struct are none of another one.
    fn records(
        &self,
        wide: RecordId,
        id: RecordId,
        seen: &mut Vec<(RecordId, RecordId)>,
        depth: u32,
    ) -> Option<String> {
        if wide == id || depth > MAX_DEPTH || seen.contains(&(wide, id)) {
            return None;
        }
        seen.push((wide, id));
        let [all, some] = [wide, id].map(|id| &self.model.records[id.index()]);
        let is_data = |row: &&Row| {
            row.home(self.epoch) != crate::model::Home::Absent
                && matches!(row.role, Role::Data | Role::Default(_) | Role::Elsewhere)
                && row.name.is_some()
        };
        let names = |record: &'m Record| record.rows.iter().filter(is_data);
        let find = |record: &'m Record, row: &Row| names(record).find(|it| it.name == row.name);
        let lone = names(all).find(|row| find(some, row).is_none());
        let lone = lone.or_else(|| names(some).find(|row| find(all, row).is_none()));
        if let Some(lone) = lone {
            let name = lone.name.as_deref().unwrap_or_default();
            return Some(format!("not all of these structs have a field `{name}`"));
        }
        names(some).find_map(|row| {
            let field = find(all, row)?;
            let why = self.types((wide, field), &field.ty, (id, row), &row.ty, seen, depth)?;
            let name = row.name.as_deref().unwrap_or_default();
            Some(format!("of `{name}` in it, {why}"))
        })
    }
}

fn discriminant(constant: &Constant) -> std::mem::Discriminant<Constant> {
    std::mem::discriminant(constant)
}
