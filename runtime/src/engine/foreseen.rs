//! What rows of a form say that follow from its values, before any of them is built.

use super::forms::count;
use super::source::Given;
use crate::model::{
    unit_size, Constant, Definer, DefinerScope, DefinerSource, Expr, ExprId, Function, Measure,
    Model, Path, Plain, RecordId, Role, Row, RowId, RowKind, RunLength, Start, StreamFunction,
    Type,
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
    /// What an expression is, if it follows from numbers, texts and bytes of the form alone.
    pub(super) fn eval(&self, expr: ExprId, it: Option<Given<'_>>) -> Option<Plain> {
        self.eval_within(expr, it, MAX_DEPTH)
    }

    /// Whether a rule does not hold, whatever else there is.
    pub(super) fn fails(&self, rule: ExprId, it: Option<Given<'_>>) -> bool {
        matches!(self.eval(rule, it), Some(Plain::Bool(false)))
    }

    fn eval_within(&self, expr: ExprId, it: Option<Given<'_>>, nesting: u32) -> Option<Plain> {
        self.model.exprs.fold(expr, nesting, &|expr, nesting| match expr {
            Expr::Epoch(variable) => {
                self.context.get(*variable as usize).map(|number| Plain::Int(*number))
            }
            Expr::Path(Path { start: Start::It, steps, .. }) if steps.is_empty() => plain(it?),
            Expr::Path(path) => self.row(path.own_row(self.record)?, nesting),
            Expr::Stream(StreamFunction::Count | StreamFunction::Units, source, None) => {
                let row = self.model[*source].path()?.own_row(self.record)?;
                let row = &self.model.records[self.record.index()].rows[row.index()];
                let value = (self.value)(row.name.as_deref()?)?;
                Some(Plain::Int(count(&row.ty, &value)?.into()))
            }
            Expr::Call(Function::Length, of) => match of.as_slice() {
                [of] => Some(Plain::Int(self.run(*of, it)?.len() as i128)),
                _ => None,
            },
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.run(*a, it)?, self.run(*b, it)?);
                Some(Plain::Bool(op.holds(a.cmp(b))?))
            }
            _ => None,
        })
    }

    /// The letters of a text, or bytes.
    fn run<'s>(&'s self, expr: ExprId, it: Option<Given<'s>>) -> Option<&'s [u8]> {
        let value = match &self.model[expr] {
            Expr::Text(text) => return Some(text.as_bytes()),
            Expr::Bytes(bytes) => return Some(bytes),
            Expr::Path(Path { start: Start::It, steps, .. }) if steps.is_empty() => it?,
            Expr::Path(path) => {
                let row = path.own_row(self.record)?;
                let row = &self.model.records[self.record.index()].rows[row.index()];
                (self.value)(row.name.as_deref()?)?
            }
            _ => return None,
        };
        match value {
            Given::Text(text) => Some(text.as_bytes()),
            Given::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The number of a derived row, where it follows from the form alone.
    pub(super) fn derived(&self, row: &Row) -> Option<Plain> {
        self.derived_within(row, MAX_DEPTH)
    }

    fn derived_within(&self, row: &Row, nesting: u32) -> Option<Plain> {
        if let Some(equation) = row.equation() {
            return self.eval_within(equation, None, nesting);
        }
        let [Definer { scope: DefinerScope::Own, source, .. }] = row.definers.as_slice() else {
            return None;
        };
        let DefinerSource::Measure { measure, row: of, factor, offset } = source else {
            return None;
        };
        let of = &self.model.records[self.record.index()].rows[of.index()];
        let count = count(&of.ty, &(self.value)(of.name.as_deref()?)?)?;
        let measured = match measure {
            Measure::Count => count,
            Measure::Size => count.checked_mul(unit_of(&of.ty)?)?,
            _ => return None,
        };
        let rest = i128::from(measured).checked_sub(*offset)?;
        let number = rest.checked_div(*factor)?;
        (number.checked_mul(*factor)? == rest).then_some(Plain::Int(number))
    }

    fn row(&self, id: RowId, nesting: u32) -> Option<Plain> {
        let row = &self.model.records[self.record.index()].rows[id.index()];
        match (&row.kind, &row.role) {
            (RowKind::Constant(Constant::Int(n)), _) => Some(Plain::Int(*n)),
            (_, Role::Derived) => self.derived_within(row, nesting),
            _ => plain((self.value)(row.name.as_deref()?)?),
        }
    }
}

/// Bytes of each unit of a run that fills its region.
fn unit_of(ty: &Type) -> Option<u64> {
    let Type::Region(region) = ty else { return None };
    let Type::Run(run) = &region.inner else { return None };
    let fills =
        region.trim.is_none() && matches!(run.length, RunLength::Fill) && run.suffix.is_empty();
    fills.then(|| unit_size(run.content))
}

/// An integer or truth value of a field.
pub(super) fn plain(value: Given<'_>) -> Option<Plain> {
    match value {
        Given::Int(n) => Some(Plain::Int(n)),
        Given::Bool(b) => Some(Plain::Bool(b)),
        _ => None,
    }
}

/// Whether rules can be asked about a value.
pub(super) fn is_known(value: Given<'_>) -> bool {
    plain(value).is_some() || matches!(value, Given::Text(_) | Given::Bytes(_))
}
