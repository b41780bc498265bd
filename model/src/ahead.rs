//! What a writer knows only when all is placed.

use alloc::vec::Vec;

use crate::{
    DefinerScope, DefinerSource, Expr, ExprId, Field, Home, Measure, Member, Model, Path, RecordId,
    Role, Row, RowId, Start, Step, Type,
};

/// Something that is looked at: an expression in a record, in front of one of its rows.
type Open = (RecordId, RowId, ExprId);

impl Model {
    /// Whether an expression of a row follows from where something is that comes behind it, or from
    /// where the file ends. A reader knows that; a writer does not before it has placed the row.
    #[must_use]
    pub fn asks_ahead(&self, record: RecordId, row: RowId, expr: ExprId) -> bool {
        self.any_open((record, row, expr), |next, open| self.is_ahead(next, open, None))
    }

    /// The same, but where something begins that the struct of the row is in is known: a writer that
    /// goes into it knows where that is.
    #[must_use]
    pub fn asks_beyond(&self, record: RecordId, row: RowId, expr: ExprId) -> bool {
        self.any_open((record, row, expr), |next, open| self.is_ahead(next, open, Some(record)))
    }

    fn any_open(&self, first: Open, holds: impl Fn(Open, &mut Vec<Open>) -> bool) -> bool {
        let (mut open, mut seen) = (alloc::vec![first], Vec::new());
        while let Some(next) = open.pop() {
            if seen.contains(&next) {
                continue;
            }
            seen.push(next);
            if holds(next, &mut open) {
                return true;
            }
        }
        false
    }

    fn is_ahead(
        &self,
        (record, row, expr): Open,
        open: &mut Vec<Open>,
        inside: Option<RecordId>,
    ) -> bool {
        let mut ahead = false;
        match &self[expr] {
            Expr::FileEnd => return true,
            Expr::At(path) | Expr::End(path) => {
                let end = matches!(&self[expr], Expr::End(_));
                if !end && inside.is_some_and(|inner| self.is_around(path, inner)) {
                    return false;
                }
                return !self.is_placed_before(path, end, record, row);
            }
            Expr::Path(path) => {
                if let Start::Argument(number) = path.start {
                    let argument = self.records[record.index()].arguments.get(number as usize);
                    open.extend(argument.map(|argument| (record, RowId(0), *argument)));
                }
                ahead = self.names_ahead(path, open);
            }
            _ => {}
        }
        self[expr].operands(&mut |operand| open.push((record, row, operand)));
        ahead
    }

    /// Whether an address is that of something around, or of a row in front, here or in a struct
    /// around, or of what is in such a row.
    fn is_placed_before(&self, path: &Path, end: bool, record: RecordId, row: RowId) -> bool {
        if matches!(path.start, Start::It | Start::Argument(_)) {
            return false;
        }
        let first = match path.steps.first() {
            None => return !end,
            Some(Step::Field(field)) => field,
            Some(_) => return false,
        };
        let is_before = |around: RecordId, of: RowId| {
            let rows = &self.records[around.index()].rows;
            let leads_here =
                |row: &Row| self.held(&row.ty).any(|of| of == record || self.holds(of, record));
            match (around == record, &path.start) {
                (true, Start::This | Start::Enclosing(_)) => of < row,
                _ => !rows[..=of.index()].iter().any(leads_here),
            }
        };
        self.all_rows(first, is_before)
            && path.steps.iter().enumerate().all(|(at, step)| match step {
                Step::Field(field) => {
                    let inside = at + 1 < path.steps.len();
                    self.all_rows(field, |of, row| self.is_in_place(of, row, inside))
                }
                _ => true,
            })
    }

    /// Whether a path names rows, each of which a record is in wherever it is.
    fn is_around(&self, path: &Path, inner: RecordId) -> bool {
        match path.steps.as_slice() {
            [Step::Field(field)] if !matches!(path.start, Start::It | Start::Argument(_)) => {
                self.all_rows(field, |record, row| self.is_only_in(inner, (record, row)))
            }
            _ => false,
        }
    }

    /// Whether a row leads to a record, and nothing does but through this row.
    fn is_only_in(&self, inner: RecordId, (record, row): (RecordId, RowId)) -> bool {
        let (mut seen, mut todo) = (alloc::vec![inner], alloc::vec![inner]);
        let mut found = false;
        while let Some(of) = todo.pop() {
            if of == self.root {
                return false;
            }
            for (holder, _) in self.records() {
                let rows = self.records[holder.index()].numbered_rows();
                let rows = rows.filter(|(_, row)| self.held(&row.ty).any(|held| held == of));
                let rows: Vec<RowId> = rows.map(|(number, _)| number).collect();
                let other = match holder == record && rows.contains(&row) {
                    true => {
                        found = true;
                        rows.len() > 1
                    }
                    false => self.held_by(holder).any(|held| held == of),
                };
                if other && !seen.contains(&holder) {
                    seen.push(holder);
                    todo.push(holder);
                }
            }
        }
        found
    }

    /// Whether something holds for all rows that a field may be.
    fn all_rows(&self, field: &Field, holds: impl Fn(RecordId, RowId) -> bool) -> bool {
        field.members.iter().all(|(record, way)| match way.as_slice() {
            [Member::Row(row)] => holds(*record, *row),
            _ => false,
        })
    }

    /// Whether a row is among the bytes of its struct and does not lead elsewhere, nor do its
    /// elements if it is about something `inside`.
    fn is_in_place(&self, record: RecordId, row: RowId, inside: bool) -> bool {
        let row = &self.records[record.index()].rows[row.index()];
        let mut ty = row.ty.stripped();
        while let (Type::Array(array), true) = (ty, inside) {
            ty = array.element.stripped();
        }
        row.homes.iter().all(|home| !matches!(home, Home::Nowhere))
            && row.reference.is_none()
            && !matches!(ty, Type::Pointer(_))
    }

    /// Whether a path names a number that follows from an address; expressions that it follows from
    /// are left to be looked at.
    fn names_ahead(&self, path: &Path, open: &mut Vec<Open>) -> bool {
        for step in &path.steps {
            let Step::Field(field) = step else { continue };
            for (record, way) in &field.members {
                let of = &self.records[record.index()];
                match way.as_slice() {
                    [Member::Let(number)] => {
                        let named = of.lets.get(*number as usize);
                        open.extend(named.map(|named| (*record, RowId(0), named.expr)));
                    }
                    [Member::Row(id)] => {
                        let row = &of.rows[id.index()];
                        if let Role::Kept(expr) = row.role {
                            open.push((*record, *id, expr));
                        }
                        for definer in &row.definers {
                            match (&definer.source, &definer.scope) {
                                (DefinerSource::Measure { measure, .. }, _) => {
                                    if matches!(measure, Measure::At(_) | Measure::End) {
                                        return true;
                                    }
                                }
                                (DefinerSource::Expr(expr), DefinerScope::Own) => {
                                    open.push((*record, *id, *expr));
                                }
                                (DefinerSource::Expr(expr), DefinerScope::Owner(owner, _)) => {
                                    open.push((*owner, RowId(0), *expr));
                                }
                                // An equation of a case is about what is in it.
                                (DefinerSource::Expr(_), DefinerScope::Case(..)) => {}
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        false
    }
}
