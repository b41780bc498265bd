//! What rows of a form say that follow from its values, before any of them is built.

use super::forms::count;
use super::source::Given;
use crate::model::{
    Constant, Expr, ExprId, Model, Path, Plain, RecordId, Role, RowId, RowKind, Start,
    StreamFunction,
};

/// Operands of operands are followed so far.
const MAX_DEPTH: u32 = 65;

/// The values of the fields of a form, by name.
pub(super) struct Foreseen<'a, 'v> {
    pub model: &'a Model,
    pub record: RecordId,
    /// The numbers of the epoch.
    pub context: &'a [i128],
    pub value: &'a dyn Fn(&str) -> Option<Given<'v>>,
}

impl Foreseen<'_, '_> {
    /// What an expression is, if it follows from numbers of the form alone.
    pub(super) fn eval(&self, expr: ExprId, it: Option<Plain>) -> Option<Plain> {
        self.eval_within(expr, it, MAX_DEPTH)
    }

    fn eval_within(&self, expr: ExprId, it: Option<Plain>, nesting: u32) -> Option<Plain> {
        self.model.exprs.fold(expr, nesting, &|expr, nesting| match expr {
            Expr::Epoch(variable) => {
                self.context.get(*variable as usize).map(|number| Plain::Int(*number))
            }
            Expr::Path(Path { start: Start::It, steps, .. }) if steps.is_empty() => it,
            Expr::Path(path) => self.row(path.own_row(self.record)?, nesting),
            Expr::Stream(StreamFunction::Count, source, None) => {
                let row = self.model[*source].path()?.own_row(self.record)?;
                let row = &self.model.records[self.record.index()].rows[row.index()];
                let value = (self.value)(row.name.as_deref()?)?;
                Some(Plain::Int(count(&row.ty, &value)?.into()))
            }
            _ => None,
        })
    }

    fn row(&self, id: RowId, nesting: u32) -> Option<Plain> {
        let row = &self.model.records[self.record.index()].rows[id.index()];
        match (&row.kind, &row.role) {
            (RowKind::Constant(Constant::Int(n)), _) => Some(Plain::Int(*n)),
            (_, Role::Derived) => self.eval_within(row.equation()?, None, nesting),
            _ => plain((self.value)(row.name.as_deref()?)?),
        }
    }
}

/// An integer or truth value of a field.
pub(super) fn plain(value: Given<'_>) -> Option<Plain> {
    match value {
        Given::Int(n) => Some(Plain::Int(n)),
        Given::Bool(b) => Some(Plain::Bool(b)),
        _ => None,
    }
}
