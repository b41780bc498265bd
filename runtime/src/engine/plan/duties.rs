//! Which rows of a record are looked at in which phase.

use super::{has_order, inline_record, Direction, Duties, Place, Plan, Planning, Store};
use crate::model::{
    ArrayLength, Case, Cell, Content, Definer, DefinerScope, DefinerSource, Expr, ExprId, Home,
    Label, Meaning, Measure, Record, RecordId, RecordKind, Role, Row, RowId, RowKind, Storage, Tag,
    Type,
};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

impl Planning<'_> {
    /// Whether a row without bytes is about where they would be.
    pub(super) fn stands(&self, row: &Row) -> bool {
        let RowKind::Value { seen: Some(seen) } = row.kind else { return false };
        let mut asked = row.when.into_iter().chain([seen]);
        self.direction == Direction::Reading && asked.any(|expr| self.positions[expr.index()])
    }

    /// What has to be done with the rows, and in which order.
    pub(super) fn rows_to_do(&self, of: RecordId, plans: &[Option<Plan>], plan: &mut Plan) {
        let record = &self.model.records[of.index()];
        let inner = |row: &Row| {
            inline_record(&row.ty).and_then(|id| plans[id.index()].as_ref()).filter(|p| p.inner)
        };
        let row_of = |id: RowId| &record.rows[id.index()];
        let at_home = |id: &RowId| matches!(plan.rows[id.index()].home, Home::At(_));
        let next = (0..).take(record.rows.len()).map(RowId).filter(|id| {
            let planned = &plan.rows[id.index()];
            let tag = row_of(*id).in_tag() && matches!(planned.store, Store::Slot(_));
            planned.home == Home::Next || planned.home == Home::Nowhere && (tag || planned.stands)
        });
        let next: Vec<RowId> = next.collect();
        let word = matches!(record.kind, RecordKind::Word(_));
        let outside = |id: &RowId| {
            let planned = &plan.rows[id.index()];
            let end = match (planned.place, planned.size) {
                (Place::Home(at), Some(size)) => Some(at + size),
                _ => None,
            };
            let within = end.zip(plan.block).is_some_and(|(end, block)| end <= block);
            !word && at_home(id) && !within
        };
        let reaches =
            |id: &RowId| matches!(plan.rows[id.index()].store, Store::Slot(_)) && outside(id);
        let reaching = (0..).take(record.rows.len()).map(RowId).filter(reaches).collect();
        let rows = record.read_order.iter().copied().filter(at_home).chain(next.iter().copied());
        let rows: Vec<RowId> = if word {
            (0..).take(record.rows.len()).map(RowId).filter(at_home).collect()
        } else {
            rows.collect()
        };
        plan.reading = rows
            .into_iter()
            .filter(|id| match plan.rows[id.index()].store {
                Store::Slot(_) => true,
                // Nobody has looked whether the file is long enough.
                Store::Part(_)
                | Store::Cell
                | Store::Cells(_)
                | Store::Bytes(_)
                | Store::Fill(_)
                    if outside(id) =>
                {
                    true
                }
                Store::Part(_) => inner(row_of(*id)).is_some_and(|inner| !inner.reading.is_empty()),
                Store::Absent | Store::Said => false,
                _ => self.is_looked_at(row_of(*id)),
            })
            .collect();
        plan.following = next;
        plan.reaching = reaching;
        plan.ordered = record.rows.iter().any(|row| match &row.ty {
            Type::Record(_) => inner(row).is_some_and(|inner| inner.ordered),
            ty => has_order(self.model, ty),
        });
        for id in (0..).map(RowId).take(record.rows.len()) {
            self.row_to_do(of, id, plan);
        }
        plan.keeps = record.transparent.is_some() && self.model.keeps_spelling(of);
        if let RecordKind::Form(union, case, _) = record.kind {
            let case = self.model.unions[union.index()].cases[case as usize].record;
            let row_for = |row: &Row| {
                let row = record.rows.iter().position(|own| own.name == row.name)?;
                u32::try_from(row).ok().map(RowId)
            };
            plan.spelled = self.model.records[case.index()].rows.iter().map(row_for).collect();
        }
    }

    /// Whether a row was read with just the number that a derived row has: there is nothing to
    /// compare.
    pub(super) fn is_followed(&self, of: RecordId, id: RowId) -> bool {
        let record = &self.model.records[of.index()];
        let Some(Definer {
            scope: DefinerScope::Own,
            source: DefinerSource::Measure { measure, row, factor, offset },
            ..
        }) = record.rows[id.index()].definers.first()
        else {
            return false;
        };
        let row = &record.rows[row.index()];
        let plain = (*factor, *offset) == (1, 0);
        match (measure, &row.kind) {
            (Measure::Base, RowKind::Slice { base, .. }) => *base == id,
            _ if row.when.is_some() || self.home(row) == Home::Absent => false,
            (Measure::Count, RowKind::Slice { count, .. }) => plain && *count == Some(id),
            (Measure::Count, _) => plain && self.is_counted_by(&row.ty, of, id),
            (Measure::Tag, _) => plain && self.is_selected_by(&row.ty, of, id),
            _ => false,
        }
    }

    /// Whether an array has as many elements as a row says, also behind a pointer.
    pub(super) fn is_counted_by(&self, ty: &Type, of: RecordId, id: RowId) -> bool {
        match ty.stripped() {
            Type::Array(array) => match array.length {
                ArrayLength::Count(count) => self.is_row(count, of, id),
                _ => false,
            },
            // Where there may be no array, nobody has looked at the number.
            Type::Pointer(pointer) if !pointer.optional && pointer.none_with.is_none() => {
                let target = pointer.owned().filter(|target| matches!(target, Type::Array(_)));
                target.is_some_and(|target| self.is_counted_by(target, of, id))
            }
            _ => false,
        }
    }

    /// What has to be done with a row after all is read, and when it is written.
    pub(super) fn row_to_do(&self, of: RecordId, id: RowId, plan: &mut Plan) {
        let row = &self.model.records[of.index()].rows[id.index()];
        let slot = matches!(plan.rows[id.index()].store, Store::Slot(_));
        if plan.rows[id.index()].store != Store::Absent {
            self.row_to_compare(of, id, plan);
        }
        self.building(of, id, plan);
        if slot {
            plan.slotted.push(id);
            let object = matches!(row.kind, RowKind::Object { .. });
            if object || has_object(&row.ty) && !matches!(row.kind, RowKind::Slice { .. }) {
                plan.placing.push(id);
            }
            if is_filled(row) {
                plan.filling.push(id);
            }
        }
        let none_with = matches!(&row.ty, Type::Pointer(p) if p.none_with.is_some());
        let computed = row.patricia(self.model).is_some() || matches!(row.role, Role::View { .. });
        let pointer = matches!(row.ty.stripped(), Type::Pointer(_));
        let usual = row.has_usual();
        if computed || none_with || (pointer || usual) && row.when.is_some() {
            plan.expanding.push(id);
        }
        let listed = row.listed.is_some() || matches!(row.kind, RowKind::Runtime);
        let slice = matches!(row.kind, RowKind::Slice { .. });
        if (listed || has_pointer(&row.ty)) && !slice {
            plan.pointing.push(id);
        }
    }

    /// Which phases look at a row that the epoch has, to compare it with something.
    pub(super) fn row_to_compare(&self, of: RecordId, id: RowId, plan: &mut Plan) {
        let row = &self.model.records[of.index()].rows[id.index()];
        let slot = matches!(plan.rows[id.index()].store, Store::Slot(_));
        if row.patricia(self.model).is_some() {
            plan.dictionaries.push(id);
        }
        let unnamed =
            matches!(row.kind, RowKind::Value { seen: None }) && matches!(row.ty, Type::Array(_));
        if row.reference.is_some() || unnamed {
            plan.references.push(id);
        }
        if self.is_key(of, row) {
            plan.named.push(id);
        }
        let compared = match row.role {
            Role::Derived => !self.is_followed(of, id),
            Role::Kept(_) | Role::View { .. } => true,
            Role::Data | Role::Default(_) | Role::Fixed | Role::Spelling | Role::Elsewhere => false,
        };
        let ruled = row.checks.iter().any(|check| row.is_late(check));
        let late = matches!(
            row.kind,
            RowKind::Pool { .. }
                | RowKind::Object { .. }
                | RowKind::Mark { .. }
                | RowKind::Value { .. }
                | RowKind::Slice { .. }
        ) || row.has_no_bytes() && self.may_be_wrong(&row.ty);
        let none_with = matches!(&row.ty, Type::Pointer(p) if p.none_with.is_some());
        if compared || ruled || late || none_with || row.unique || (slot && row.when.is_some()) {
            plan.settling.push(id);
        }
        if self.is_validated(row) || slot && self.is_counted(of, id) {
            plan.validating.push(id);
        }
    }

    /// Whether a row has no bytes of its own, and only the keys of a dictionary say what it is. Those of
    /// a case that has forms stand there.
    pub(super) fn is_key(&self, of: RecordId, row: &Row) -> bool {
        let key =
            matches!((&row.kind, &row.role), (RowKind::Value { seen: None }, Role::Elsewhere));
        let formed = match self.model.records[of.index()].kind {
            RecordKind::Case(union, case) => {
                !self.model.unions[union.index()].cases[case as usize].forms.is_empty()
            }
            _ => false,
        };
        key && !formed && self.direction == Direction::Writing
    }

    /// What has to be done with a row when a value is taken in.
    pub(super) fn building(&self, of: RecordId, id: RowId, plan: &mut Plan) {
        let row = &self.model.records[of.index()].rows[id.index()];
        let store = plan.rows[id.index()].store;
        let absent = store == Store::Absent;
        if matches!(row.role, Role::Derived) {
            plan.building.1.push(id);
            let own = |definer: &Definer| matches!(definer.scope, DefinerScope::Own);
            if absent || !row.definers.iter().any(own) {
                plan.taking.1.push(id);
            }
            return;
        }
        let stated = matches!(row.kind, RowKind::Constant(_)) && !matches!(store, Store::Slot(_));
        if stated && !absent {
            return;
        }
        plan.building.0.push(id);
        let silent = match row.kind {
            RowKind::Mark { .. } | RowKind::Pool { kept: false, .. } => true,
            RowKind::Constant(_) | RowKind::Zero | RowKind::Runtime | RowKind::Reserved => false,
            _ => matches!(row.role, Role::Kept(_) | Role::Spelling | Role::View { .. }),
        };
        if !silent {
            plan.taking.0.push(id);
        }
    }

    /// Whether what is in a row has to be compared with a number before it is written: how many
    /// elements it has, which case it is.
    pub(super) fn is_counted(&self, of: RecordId, id: RowId) -> bool {
        let record = &self.model.records[of.index()];
        let row = &record.rows[id.index()];
        // Numbers that follow from the row itself are as they have to be.
        let follows = |number: RowId| {
            let source =
                record.rows[number.index()].definers.first().map(|definer| &definer.source);
            let own = matches!(source, Some(DefinerSource::Measure { row, .. }) if *row == id);
            own && self.is_followed(of, number)
        };
        let compared = |expr: ExprId| match &self.model[expr] {
            Expr::Path(path) => !path.own_row(of).is_some_and(follows),
            _ => true,
        };
        let given = row.ty.union().and_then(|union| match self.model.unions[union.index()].tag {
            Tag::Given(given) => Some(given),
            _ => None,
        });
        // A slice may need a row that is not there, or that something else gives.
        let sure = |number: RowId| {
            let row = &record.rows[number.index()];
            follows(number) && row.when.is_none() && self.home(row) != Home::Absent
        };
        let slice = match row.kind {
            RowKind::Slice { base, count, .. } => {
                !sure(base) || count.is_some_and(|row| !sure(row))
            }
            _ => false,
        };
        slice
            || super::count_of(&row.ty).is_some_and(compared)
            || given.is_some_and(compared)
            || super::last_of(&row.ty).is_some()
    }

    /// Whether each case of a union has one number, which a row says.
    pub(super) fn is_selected_by(&self, ty: &Type, of: RecordId, id: RowId) -> bool {
        let Type::Union(union) = ty else { return false };
        let union = &self.model.unions[union.index()];
        let Tag::Given(given) = union.tag else { return false };
        let number = |case: &Case| match case.labels[..] {
            [Label::Range(low, high)]
                if low == high && case.guard.is_none() && case.forms.is_empty() =>
            {
                Some(low)
            }
            _ => None,
        };
        let numbers: Option<BTreeSet<i128>> = union.cases.iter().map(number).collect();
        self.is_row(given, of, id)
            && numbers.is_some_and(|numbers| numbers.len() == union.cases.len())
    }

    /// Whether an expression is a row of the record in which it is evaluated.
    pub(super) fn is_row(&self, expr: ExprId, of: RecordId, id: RowId) -> bool {
        matches!(&self.model[expr], Expr::Path(path) if path.own_row(of) == Some(id))
    }

    /// Whether something about a row in place has to be checked when it is read.
    pub(super) fn is_looked_at(&self, row: &Row) -> bool {
        let ruled = row.checks.iter().any(|check| !row.is_late(check));
        let by_kind = matches!(
            row.kind,
            RowKind::Constant(_) | RowKind::Zero | RowKind::Reserved | RowKind::Runtime
        );
        ruled || by_kind || row.none.len() > 1 || self.may_be_wrong(&row.ty)
    }

    pub(super) fn is_validated(&self, row: &Row) -> bool {
        row.reference.is_some()
            || row.unique
            || row.when.is_some()
            || !row.checks.is_empty()
            || (row.has_no_bytes() || matches!(row.role, Role::View { .. }))
                && self.may_be_wrong(match row.ty.stripped() {
                    Type::Pointer(pointer) => pointer.owned().unwrap_or(&row.ty),
                    ty => ty,
                })
            || matches!(
                row.kind,
                RowKind::Object { .. } | RowKind::Mark { .. } | RowKind::Value { seen: Some(_) }
            )
            || matches!(&row.ty, Type::Cell(Cell { storage: Storage::TagOf, .. }))
    }

    /// Whether some bytes are no value of a type.
    pub(super) fn may_be_wrong(&self, ty: &Type) -> bool {
        match ty {
            Type::Cell(cell) => match cell.meaning {
                Meaning::Bool { .. } => true,
                Meaning::Enum(id) => self.model.enums[id.index()].closed,
                Meaning::Int | Meaning::Float(_) | Meaning::Word(_) => false,
            },
            Type::Array(array) => self.may_be_wrong(&array.element),
            Type::Region(region) => self.may_be_wrong(&region.inner),
            Type::Run(run) => run.content != Content::Bytes,
            _ => false,
        }
    }
}

pub(super) fn duties(record: &Record, plan: &Plan) -> Duties {
    let mut duties = Duties::EXISTING;
    for (duty, applies) in [
        (Duties::DICTIONARIES, !plan.dictionaries.is_empty()),
        (Duties::REFERENCES, !plan.references.is_empty()),
        (Duties::SETTLING, !plan.settling.is_empty() || plan.ruled || !plan.spelled.is_empty()),
        (Duties::VALIDATING, !plan.validating.is_empty() || plan.ruled),
        (Duties::EXPANDING, !plan.expanding.is_empty()),
        (Duties::POINTING, !plan.pointing.is_empty()),
        (Duties::ENCODING, record.encodes.is_some()),
        (Duties::PLACING, !plan.placing.is_empty()),
        (Duties::NAMED, !plan.named.is_empty()),
    ] {
        if applies {
            duties |= duty;
        }
    }
    duties
}

/// Whether the bytes of a row are not all written with something else.
pub(super) fn is_filled(row: &Row) -> bool {
    let kind =
        !matches!(row.kind, RowKind::Slice { .. } | RowKind::Mark { .. } | RowKind::Value { .. });
    let none = |ty: &Type| matches!(ty, Type::Record(_) | Type::Text | Type::Nothing);
    kind && match row.ty.stripped() {
        Type::Array(array) => !none(array.element.stripped()),
        ty => !none(ty),
    }
}

/// Whether a type leads to something that has a place of its own.
pub(super) fn has_object(ty: &Type) -> bool {
    match ty {
        Type::Pointer(pointer) => pointer.owned().is_some(),
        Type::Array(array) => has_object(&array.element),
        Type::Region(region) => has_object(&region.inner),
        _ => false,
    }
}

/// Whether a type is a pointer, or has some that are no rows of a record of their own.
pub(super) fn has_pointer(ty: &Type) -> bool {
    match ty {
        Type::Pointer(_) => true,
        Type::Array(array) => has_pointer(&array.element),
        Type::Region(region) => has_pointer(&region.inner),
        _ => false,
    }
}
