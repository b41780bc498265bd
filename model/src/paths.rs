//! Paths in expressions, and where they lead.

use alloc::vec::Vec;

use super::{
    EpochId, Expr, ExprId, Exprs, Field, Home, Let, Member, Model, Path, RecordId, RowId, Start,
    Step,
};

/// What the value of a path is.
#[derive(Debug, Clone, Copy)]
pub enum Lead<'m> {
    /// An argument of the record that the path is in.
    Argument(u32),
    /// A `let` of a record.
    Let(RecordId, &'m Let),
    /// A row of a record.
    Row(RecordId, RowId),
}

/// Looks at something, and at all that looking at it leaves to be looked at, each once, until one is
/// what is looked for.
pub fn search<T: Copy + PartialEq>(first: T, mut is: impl FnMut(T, &mut Vec<T>) -> bool) -> bool {
    let (mut open, mut seen) = (alloc::vec![first], Vec::new());
    while let Some(next) = open.pop() {
        if !seen.contains(&next) {
            seen.push(next);
            if is(next, &mut open) {
                return true;
            }
        }
    }
    false
}

impl Exprs {
    /// Calls `visit` for every path in an expression: in its operands too, and in subscripts.
    pub fn paths<'m>(&'m self, id: ExprId, visit: &mut dyn FnMut(&'m Path)) {
        let expr: &Expr = &self[id];
        if let Some(path) = expr.path() {
            self.with_subscripts(path, visit);
        }
        expr.operands(&mut |operand| self.paths(operand, visit));
    }

    /// Calls `visit` for a path and for those in its subscripts.
    pub fn with_subscripts<'m>(&'m self, path: &'m Path, visit: &mut dyn FnMut(&'m Path)) {
        visit(path);
        for step in &path.steps {
            if let Step::Index(index) = step {
                self.paths(*index, visit);
            }
        }
    }
}

impl Model {
    /// For each expression, whether this holds for it, for one of its operands, or for a `let` that it
    /// names.
    #[must_use]
    pub fn mentioning(&self, is: impl Fn(&Expr) -> bool) -> Vec<bool> {
        let mut found: Vec<bool> = self.exprs.iter().map(|(_, expr)| is(expr)).collect();
        let mut changed = found.contains(&true);
        // A `let` may be named in front of where it is.
        while changed {
            changed = false;
            for (id, expr) in self.exprs.iter() {
                if found[id.index()] {
                    continue;
                }
                let mut here = false;
                expr.operands(&mut |operand| here |= found[operand.index()]);
                let steps = expr.path().map_or(&[][..], |path| path.steps.as_slice());
                for step in steps {
                    let Step::Field(field) = step else { continue };
                    here |= field.members.iter().any(|(record, way)| {
                        let [Member::Let(number)] = way.as_slice() else { return false };
                        let named = self.records[record.index()].lets.get(*number as usize);
                        named.is_some_and(|named| found[named.expr.index()])
                    });
                }
                found[id.index()] = here;
                changed |= here;
            }
        }
        found
    }

    /// What the value of a path may be: an argument, or what the field is that it ends with.
    pub fn leads<'m>(&'m self, path: &'m Path) -> impl Iterator<Item = Lead<'m>> + 'm {
        let argument = match (&path.start, path.steps.last()) {
            (Start::Argument(number), None) => Some(Lead::Argument(*number)),
            _ => None,
        };
        let field = path.steps.last().and_then(|step| match step {
            Step::Field(field) => Some(field),
            Step::Index(_) | Step::Last => None,
        });
        let ends = field.into_iter().flat_map(|field| self.ends(field));
        let ends = ends.filter_map(|(of, member)| match member {
            Member::Let(number) => {
                let named = self.records[of.index()].lets.get(number as usize)?;
                Some(Lead::Let(of, named))
            }
            Member::Row(row) => Some(Lead::Row(of, row)),
            Member::Into(_) => None,
        });
        argument.into_iter().chain(ends)
    }

    /// What a field is in each record that has it, with the record whose member that is: where the way
    /// leads through structs without names, the last of these.
    pub fn ends<'m>(&'m self, field: &'m Field) -> impl Iterator<Item = (RecordId, Member)> + 'm {
        field.members.iter().filter_map(|(record, way)| {
            let (last, through) = way.split_last()?;
            let mut record = *record;
            for member in through {
                let (Member::Row(row) | Member::Into(row)) = member else { return None };
                let row = self.records[record.index()].rows.get(row.index())?;
                record = row.ty.records().next()?;
            }
            Some((record, *last))
        })
    }

    /// Whether no file of an epoch has what a path leads to, since all rows that one of its steps may
    /// be are in other epochs.
    #[must_use]
    pub fn is_absent(&self, path: &Path, epoch: EpochId) -> bool {
        path.steps.iter().any(|step| {
            let Step::Field(field) = step else { return false };
            let in_others = |(record, way): &(RecordId, Vec<Member>)| {
                let mut record = *record;
                way.iter().any(|member| {
                    let (Member::Row(row) | Member::Into(row)) = member else { return false };
                    let row = &self.records[record.index()].rows[row.index()];
                    record = row.ty.records().next().unwrap_or(record);
                    row.home(epoch) == Home::Absent
                })
            };
            !field.members.is_empty() && field.members.iter().all(in_others)
        })
    }
}

impl Field {
    /// The way to the field in a record; of one that does not have it, none.
    #[must_use]
    pub fn way_in(&self, record: RecordId) -> &[Member] {
        self.members.iter().find(|(of, _)| *of == record).map_or(&[], |(_, way)| way)
    }
}

impl Path {
    /// The steps that the path goes on with behind a row of a record, if it leads there from a node of
    /// that record, which may be the root.
    #[must_use]
    pub fn behind(&self, record: RecordId, is_root: bool, row: RowId) -> Option<&[Step]> {
        let from_here = match &self.start {
            Start::This => true,
            Start::Root => is_root,
            Start::Enclosing(records) => records.contains(&record),
            _ => false,
        };
        let (Step::Field(field), rest @ [_, ..]) = self.steps.split_first()? else { return None };
        let leads = matches!(field.way_in(record), [Member::Row(to)] if *to == row);
        (from_here && leads).then_some(rest)
    }

    /// The row of this very record that the path names from a node of it, and nothing but that.
    #[must_use]
    pub fn own_row(&self, record: RecordId) -> Option<RowId> {
        let (Start::This, [Step::Field(field)]) = (&self.start, self.steps.as_slice()) else {
            return None;
        };
        match field.members.as_slice() {
            [(of, way)] if *of == record => match way.as_slice() {
                [Member::Row(row)] => Some(*row),
                _ => None,
            },
            _ => None,
        }
    }
}
