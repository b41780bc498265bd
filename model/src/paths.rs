//! Paths in expressions, and where they lead.

use alloc::vec::Vec;

use super::{Expr, ExprId, Exprs, Field, Member, Model, Path, RecordId, RowId, Start, Step};

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
}

impl Field {
    /// The way to the field in a record; of one that does not have it, none.
    #[must_use]
    pub fn way_in(&self, record: RecordId) -> &[Member] {
        self.members.iter().find(|(of, _)| *of == record).map_or(&[], |(_, way)| way)
    }
}

impl Path {
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
