//! Which rows are data, and which types say anything.

use crate::model::{Constant, Home, Model, Record, RecordId, Role, Row, RowKind, Target, Type};

/// Answers about the rows of a model, computed once.
#[derive(Debug)]
pub struct Data<'m> {
    model: &'m Model,
    /// Whether values of a record say anything.
    carries: Vec<bool>,
}

impl<'m> Data<'m> {
    pub fn new(model: &'m Model) -> Data<'m> {
        let mut data = Data { model, carries: vec![true; model.records.len()] };
        data.find_carriers();
        data
    }

    /// Whether values of a record say anything.
    pub fn record_carries(&self, record: RecordId) -> bool {
        self.carries[record.index()]
    }

    /// Begins with "everything says something" and takes away what does not, until nothing
    /// changes: what says something only because of itself does.
    fn find_carriers(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for (index, record) in self.model.records.iter().enumerate() {
                if self.carries[index] && !record.rows.iter().any(|row| self.says(record, row)) {
                    self.carries[index] = false;
                    changed = true;
                }
            }
        }
    }

    fn says(&self, record: &Record, row: &Row) -> bool {
        match row.kind {
            RowKind::Mark { .. } => false,
            RowKind::Slice { .. } => true,
            _ => match &row.role {
                Role::Data | Role::Default(_) | Role::Elsewhere => self.row_carries(record, row),
                Role::Derived => row.perhaps_given(),
                Role::Kept(_) | Role::Fixed | Role::Spelling | Role::View { .. } => false,
            },
        }
    }

    /// Whether the value of a row says anything.
    pub fn row_carries(&self, record: &Record, row: &Row) -> bool {
        self.carries(&row.ty) || !self.stated(record, row).is_empty()
    }

    /// What the forms of a case say a row is, if none of them stores it.
    pub fn stated(&self, record: &Record, row: &Row) -> Vec<&'m Constant> {
        if !matches!((&row.ty, &row.role), (Type::Nothing, Role::Elsewhere)) {
            return Vec::new();
        }
        let forms = self.model.forms_of(record);
        let rows = forms.into_iter().flat_map(|form| &form.rows).filter(|r| r.name == row.name);
        rows.filter_map(|row| match &row.kind {
            RowKind::Constant(constant) => Some(constant),
            _ => None,
        })
        .collect()
    }

    /// Whether values of a type say anything.
    pub fn carries(&self, ty: &Type) -> bool {
        match ty {
            Type::Nothing => false,
            Type::Region(region) => self.carries(&region.inner),
            Type::PerEpoch(types) => types.iter().any(|ty| self.carries(ty)),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => {
                    (pointer.optional && pointer.none_with.is_none()) || self.carries(target)
                }
                Target::Pooled | Target::Element => true,
            },
            Type::Record(record) => self.record_carries(*record),
            Type::Array(array) => array.in_step.is_none(),
            _ => true,
        }
    }

    /// Whether a row is in the value, of a node of some case at least.
    pub fn is_data(&self, row: &Row) -> bool {
        if row.homes.iter().all(|home| *home == Home::Absent) && !row.homes.is_empty() {
            return false;
        }
        match (&row.kind, &row.role) {
            (RowKind::Mark { .. }, _) => false,
            (RowKind::Slice { .. }, _) => true,
            (_, Role::Data | Role::Default(_) | Role::Elsewhere) => true,
            (_, Role::Derived) => row.perhaps_given(),
            (_, Role::Fixed | Role::Kept(_) | Role::Spelling | Role::View { .. }) => false,
        }
    }
}
