//! What a writer knows only when all is placed.

use alloc::vec::Vec;

use crate::{
    search, DefinerScope, DefinerSource, Expr, ExprId, Field, Home, Lead, Measure, Member, Model,
    Owners, Path, RecordId, Role, Row, RowId, Start, Step, Type,
};

/// Something that is looked at: an expression in a record, in front of one of its rows, and whether it
/// is about the very struct in which the row is that asks. Structs that may hold others of their kind
/// are not inside of themselves.
type Open = (RecordId, RowId, ExprId, bool);

impl Model {
    /// Whether an expression of a row follows from where something is that comes behind it, from where
    /// the file ends, or from the size of the row or of something around it. A reader knows that; a
    /// writer does not before it has placed the row.
    #[must_use]
    pub fn asks_ahead(
        &self,
        owners: &Owners,
        (record, row): (RecordId, RowId),
        expr: ExprId,
    ) -> bool {
        self.finds_ahead(owners, (record, row), expr, None)
    }

    /// The same, but where something begins that the struct of the row is in is known, and where the
    /// row does if it is a list: a writer that goes into it knows where that is.
    #[must_use]
    pub fn asks_beyond(
        &self,
        owners: &Owners,
        (record, row): (RecordId, RowId),
        expr: ExprId,
    ) -> bool {
        self.finds_ahead(owners, (record, row), expr, Some(record))
    }

    fn finds_ahead(
        &self,
        owners: &Owners,
        asker: (RecordId, RowId),
        expr: ExprId,
        inside: Option<RecordId>,
    ) -> bool {
        search((asker.0, asker.1, expr, true), |next, open| {
            self.is_ahead(owners, next, asker, open, inside)
        })
    }

    fn is_ahead(
        &self,
        owners: &Owners,
        (record, row, expr, own): Open,
        asker: (RecordId, RowId),
        open: &mut Vec<Open>,
        inside: Option<RecordId>,
    ) -> bool {
        let mut ahead = false;
        match &self[expr] {
            Expr::FileEnd => return true,
            Expr::At(path) | Expr::End(path) => {
                let end = matches!(&self[expr], Expr::End(_));
                let begun = |inner| self.is_around(path, inner) || self.is_own_list(path, asker);
                if !end && inside.is_some_and(begun) {
                    return false;
                }
                return !self.is_placed_before(path, end, record, row);
            }
            Expr::Size(path) => return self.is_size_around(path, asker, own),
            Expr::Path(path) => {
                if let Start::Argument(number) = path.start {
                    let given = self.given(owners, record, number);
                    open.extend(given.map(|(owner, argument)| {
                        (owner, self.first_around(owner, record), argument, false)
                    }));
                }
                ahead = self.names_ahead(path, (record, row, own), asker, open);
            }
            _ => {}
        }
        self[expr].operands(&mut |operand| open.push((record, row, operand, own)));
        ahead
    }

    /// Whether a path names something in the struct that it is asked in itself.
    fn is_of_this(path: &Path, record: RecordId) -> bool {
        let within = match &path.start {
            Start::This => true,
            Start::Enclosing(records) => records.contains(&record),
            Start::Up(_) | Start::Root | Start::It | Start::Argument(_) => false,
        };
        within && matches!(path.steps.as_slice(), [Step::Field(_)])
    }

    /// The first row of a record in which another one may be; the first of all rows if there is none.
    fn first_around(&self, record: RecordId, inner: RecordId) -> RowId {
        let rows = self.records[record.index()].numbered_rows();
        let mut around = rows.filter(|(_, row)| self.has_in_it(row, inner)).map(|(id, _)| id);
        around.next().unwrap_or(RowId(0))
    }

    /// Whether values of a row may have some of a record in them.
    fn has_in_it(&self, row: &Row, record: RecordId) -> bool {
        self.held(&row.ty).any(|held| held == record || self.holds(held, record))
    }

    /// Whether a size is that of a row, or of something that it is in.
    fn is_size_around(&self, path: &Path, (record, row): (RecordId, RowId), own: bool) -> bool {
        let fields = path.steps.iter().rev().find_map(|step| match step {
            Step::Field(field) => Some(field),
            Step::Index(_) | Step::Last => None,
        });
        let Some(field) = fields else {
            return !matches!(path.start, Start::It | Start::Argument(_));
        };
        let beside = own && Self::is_of_this(path, record);
        self.ends(field).any(|(of, member)| match member {
            Member::Row(id) | Member::Into(id) => {
                (of, id) == (record, row) && !self.tries_sizes(of, id)
                    || !(beside && of == record)
                        && self.has_in_it(&self.records[of.index()].rows[id.index()], record)
            }
            Member::Let(_) => false,
        })
    }

    /// Whether a number follows from how many bytes it takes, which depends on it.
    #[must_use]
    pub fn counts_itself(&self, owners: &Owners, record: RecordId, row: RowId) -> bool {
        let definition = &self.records[record.index()].rows[row.index()];
        let given = definition.definers.iter().filter_map(|definer| match definer.source {
            DefinerSource::Expr(expr) => Some(expr),
            DefinerSource::Measure { .. } => None,
        });
        let kept = match definition.role {
            Role::Kept(expr) => Some(expr),
            _ => None,
        };
        self.tries_sizes(record, row)
            && given.chain(kept).any(|expr| {
                search((record, row, expr), |(inside, _, expr), open| {
                    self[expr].operands(&mut |operand| open.push((inside, row, operand)));
                    let (path, is_size) = match &self[expr] {
                        Expr::Size(path) => (path, true),
                        Expr::Path(path) => (path, false),
                        _ => return false,
                    };
                    if let Start::Argument(number) = path.start {
                        let given = self.given(owners, inside, number);
                        open.extend(given.map(|(owner, argument)| (owner, row, argument)));
                    }
                    let mut leads = self.leads(path);
                    leads.any(|lead| match lead {
                        Lead::Let(of, named) => {
                            open.push((of, row, named.expr));
                            false
                        }
                        Lead::Row(of, found) => is_size && (of, found) == (record, row),
                        Lead::Argument(..) => false,
                    })
                })
            })
    }

    /// Whether a row is a number whose bytes depend on it: a writer tries how many they are.
    fn tries_sizes(&self, record: RecordId, row: RowId) -> bool {
        let ty = &self.records[record.index()].rows[row.index()].ty;
        let varies = |ty: &Type| match ty {
            Type::Cell(cell) => cell.storage.varies(),
            Type::Nothing => true,
            _ => false,
        };
        match ty {
            Type::PerEpoch(types) => types.iter().all(varies),
            ty => varies(ty),
        }
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
            let leads_here = |row: &Row| self.has_in_it(row, record);
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

    /// Whether a path names the row itself, and that is a list, which knows early where it begins.
    fn is_own_list(&self, path: &Path, asker: (RecordId, RowId)) -> bool {
        match (path.steps.as_slice(), &path.start) {
            ([Step::Field(field)], Start::This | Start::Enclosing(_)) => {
                self.all_rows(field, |record, row| {
                    let ty = &self.records[record.index()].rows[row.index()].ty;
                    (record, row) == asker && matches!(ty.stripped(), Type::Array(_))
                })
            }
            _ => false,
        }
    }

    /// Whether a path names rows, each of which a record is in wherever it is.
    fn is_around(&self, path: &Path, inner: RecordId) -> bool {
        let (steps, first) = match path.steps.as_slice() {
            [steps @ .., Step::Index(index)] => (steps, Some(self.exprs.constant(*index))),
            steps => (steps, None),
        };
        match (steps, &path.start) {
            (_, Start::It | Start::Argument(_)) => false,
            ([Step::Field(field)], _) => self.all_rows(field, |record, row| {
                let begins = match first {
                    None => true,
                    Some(index) => index == Some(0) && self.begins_with_first(record, row),
                };
                begins && self.is_only_in(inner, (record, row))
            }),
            _ => false,
        }
    }

    /// Whether the first element of a row, if it is an array, is where the row begins.
    fn begins_with_first(&self, record: RecordId, row: RowId) -> bool {
        match self.records[record.index()].rows[row.index()].ty.stripped() {
            Type::Array(array) => array.described.is_none() && self.is_in_place(record, row, true),
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

    /// Whether something about a row is known only when all is placed, or when another record is that
    /// is in it.
    fn measures_ahead(
        &self,
        measure: &Measure,
        of: Option<RecordId>,
        row: RowId,
        inner: RecordId,
    ) -> bool {
        let measured = of.and_then(|of| self.records[of.index()].rows.get(row.index()));
        match measure {
            Measure::At(_) | Measure::End => true,
            Measure::Size => measured.is_some_and(|row| self.has_in_it(row, inner)),
            Measure::Count | Measure::Records | Measure::Base | Measure::Tag => false,
        }
    }

    /// Where an expression stands that belongs to a row or `let` which a path from a record names: the
    /// row of its record in front of which all is placed when the path is followed.
    fn stands_at(&self, path: &Path, (record, row): (RecordId, RowId), of: RecordId) -> RowId {
        match &path.start {
            _ if path.steps.len() != 1 => RowId(0),
            Start::This if of == record => row,
            Start::Enclosing(records) if of == record && records.contains(&record) => row,
            Start::Up(_) | Start::Enclosing(_) | Start::Root => self.first_around(of, record),
            Start::This | Start::It | Start::Argument(_) => RowId(0),
        }
    }

    /// Whether a path names a number that follows from an address; expressions that it follows from
    /// are left to be looked at.
    fn names_ahead(
        &self,
        path: &Path,
        (record, row, own): (RecordId, RowId, bool),
        asker: (RecordId, RowId),
        open: &mut Vec<Open>,
    ) -> bool {
        let (from, beside) = ((record, row), own && Self::is_of_this(path, asker.0));
        for step in &path.steps {
            let Step::Field(field) = step else { continue };
            for (record, way) in &field.members {
                let of = &self.records[record.index()];
                let at = self.stands_at(path, from, *record);
                let own = beside && *record == asker.0;
                match way.as_slice() {
                    [Member::Let(number)] => {
                        let named = of.lets.get(*number as usize);
                        open.extend(named.map(|named| (*record, at, named.expr, own)));
                    }
                    [Member::Row(id)] => {
                        let row = &of.rows[id.index()];
                        let at = if at == RowId(0) { *id } else { at };
                        if let Role::Kept(expr) = row.role {
                            open.push((*record, at, expr, own));
                        }
                        for definer in &row.definers {
                            match (&definer.source, &definer.scope) {
                                (DefinerSource::Measure { measure, row, .. }, scope) => {
                                    let scope = match scope {
                                        // What is beside it does not have it inside.
                                        DefinerScope::Own if own && *measure == Measure::Size => {
                                            None
                                        }
                                        DefinerScope::Own => Some(*record),
                                        DefinerScope::Owner(owner, _) => Some(*owner),
                                        DefinerScope::Case(..) => None,
                                    };
                                    if self.measures_ahead(measure, scope, *row, asker.0) {
                                        return true;
                                    }
                                }
                                (DefinerSource::Expr(expr), DefinerScope::Own) => {
                                    open.push((*record, at, *expr, own));
                                }
                                (DefinerSource::Expr(expr), DefinerScope::Owner(owner, _)) => {
                                    open.push((*owner, RowId(0), *expr, false));
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
