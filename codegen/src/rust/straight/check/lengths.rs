//! Lengths that cannot be others, since they follow from what they are of.

use super::Checking;
use crate::model::{
    Definer, DefinerScope, DefinerSource, Expr, ExprId, Measure, Member, Model, Path, RecordId,
    Role, Row, RowId, RunType, Start, Step, StreamFunction, Type,
};
use crate::rust::straight::questions::{own_row, target};

impl Checking<'_, '_, '_> {
    /// Whether a length follows from this very row, so that it cannot be another.
    pub(super) fn is_trivial(
        &self,
        view: &Model,
        (record, id): (RecordId, RowId),
        row: &Row,
        count: ExprId,
    ) -> bool {
        // The forms of a case have the rows that say how long theirs are.
        if matches!(row.role, Role::Elsewhere) {
            return true;
        }
        if let Expr::Stream(StreamFunction::Count, stream, None) = &view[count]
            && let Expr::Path(path) = &view[*stream]
            && let Some(other) = own_row(path, record)
        {
            let other = &view.records[record.index()].rows[other.index()];
            return other.ty.in_step().is_some_and(|in_step| in_step.with == id);
        }
        let Expr::Path(path) = &view[count] else { return false };
        let [Step::Field(field)] = path.steps.as_slice() else { return false };
        let holder = match path.start {
            Start::This => Some(record),
            Start::Up(1) => self.straight.owner(record),
            _ => None,
        };
        let Some(holder) = holder else { return false };
        let found = field.members.iter().find(|(record, _)| *record == holder);
        let Some((_, members)) = found else { return false };
        let [Member::Row(number)] = members.as_slice() else { return false };
        let number = &view.records[holder.index()].rows[number.index()];
        matches!(number.role, Role::Derived)
            && number.definers.iter().any(|definer| self.defines(definer, holder, record, id))
    }

    /// Whether the length of a run is a number of the struct around that follows from its size.
    pub(super) fn is_own_size(
        &self,
        view: &Model,
        (record, id): (RecordId, RowId),
        run: &RunType,
        count: ExprId,
    ) -> bool {
        // An argument stands for a row of the struct around.
        let argument = match &view[count] {
            Expr::Path(Path { start: Start::Argument(number), steps, .. }) if steps.is_empty() => {
                self.straight.record(record).arguments.get(*number as usize)
            }
            _ => None,
        };
        let (Some(argument), Some(holder)) = (argument, self.straight.owner(record)) else {
            return false;
        };
        let Expr::Path(Path { start: Start::This, steps, .. }) = &view[*argument] else {
            return false;
        };
        let Some(number) = row_of(steps, holder) else { return false };
        let number = &view.records[holder.index()].rows[number.index()];
        let (Role::Derived, [definer]) = (&number.role, number.definers.as_slice()) else {
            return false;
        };
        let (DefinerScope::Own, DefinerSource::Expr(size)) = (&definer.scope, &definer.source)
        else {
            return false;
        };
        let Expr::Size(Path { start: Start::This, steps, .. }) = &view[*size] else {
            return false;
        };
        let [first, last] = steps.as_slice() else { return false };
        let way = row_of(std::slice::from_ref(first), holder);
        let leads_here = way.is_some_and(|way| {
            let ty = &view.records[holder.index()].rows[way.index()].ty;
            matches!(target(ty), Type::Record(inner) if *inner == record)
        });
        let measured = row_of(std::slice::from_ref(last), record);
        leads_here && measured == Some(id) && run.content.is_in_bytes()
    }

    fn defines(&self, definer: &Definer, holder: RecordId, record: RecordId, id: RowId) -> bool {
        let plain = matches!(
            &definer.source,
            DefinerSource::Measure { measure: Measure::Count, row, factor: 1, offset: 0 }
                if *row == id
        );
        let here = match &definer.scope {
            DefinerScope::Own => holder == record,
            DefinerScope::Case(row, case) => {
                let ty = &self.straight.record(holder).rows[row.index()].ty;
                ty.union().is_some_and(|union| {
                    let cases = &self.straight.model.unions[union.index()].cases;
                    cases.get(*case as usize).is_some_and(|case| case.record == record)
                })
            }
            DefinerScope::Owner(..) => false,
        };
        plain && here
    }
}

/// The row of a record that the only step of a path leads to.
fn row_of(steps: &[Step], record: RecordId) -> Option<RowId> {
    let [Step::Field(field)] = steps else { return None };
    let (_, members) = field.members.iter().find(|(of, _)| *of == record)?;
    match members.as_slice() {
        [Member::Row(row)] => Some(*row),
        _ => None,
    }
}
