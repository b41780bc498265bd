//! Which rows are data, which types say anything, and where spelling may have to be kept.

use crate::model::{
    Cell, Constant, DefinerScope, Expr, ExprId, Extent, Home, Model, Record, RecordId, RecordKind,
    Role, Row, RowKind, RunLength, Storage, Tag, Target, Terminated, Type,
};

/// Answers about the rows of a model, computed once.
#[derive(Debug)]
pub struct Data<'m> {
    model: &'m Model,
    /// Whether values of a record say anything.
    carries: Vec<bool>,
    /// Whether something of a record's own rows may be spelled in more than one way.
    spelled: Vec<bool>,
}

impl<'m> Data<'m> {
    pub fn new(model: &'m Model) -> Data<'m> {
        let mut data =
            Data { model, carries: vec![true; model.records.len()], spelled: Vec::new() };
        data.find_carriers();
        data.spelled = model.records.iter().map(|record| data.is_spelled(record)).collect();
        // What lies behind everything is kept there.
        data.spelled[model.root.index()] = true;
        data
    }

    /// Whether values of a record say anything.
    pub fn record_carries(&self, record: RecordId) -> bool {
        self.carries[record.index()]
    }

    /// Whether something of a record's own rows may be spelled in more than one way.
    pub fn spelled(&self, record: RecordId) -> bool {
        self.spelled[record.index()]
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
                Role::Derived => self.perhaps_given(row),
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
        let forms = self.forms_of(record);
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
            (_, Role::Derived) => self.perhaps_given(row),
            (_, Role::Fixed | Role::Kept(_) | Role::Spelling | Role::View { .. }) => false,
        }
    }

    /// Whether a derived row is data where no equation applies: all of them belong to cases.
    pub fn perhaps_given(&self, row: &Row) -> bool {
        row.definers.iter().all(|definer| matches!(definer.scope, DefinerScope::Case(..)))
    }

    /// Whether something of these rows may be spelled in more than one way.
    fn is_spelled(&self, record: &Record) -> bool {
        let forms = self.forms_of(record);
        let word = matches!(record.kind, RecordKind::Word(_));
        let rows = record.rows.iter().chain(forms.iter().flat_map(|form| &form.rows));
        forms.len() > 1 || rows.into_iter().any(|row| self.row_spelled(row, word))
    }

    /// The forms of a case.
    pub fn forms_of(&self, record: &Record) -> Vec<&'m Record> {
        let RecordKind::Case(union, case) = record.kind else { return Vec::new() };
        let case = &self.model.unions[union.index()].cases[case as usize];
        case.forms.iter().map(|form| &self.model.records[form.record.index()]).collect()
    }

    fn row_spelled(&self, row: &Row, word: bool) -> bool {
        match &row.kind {
            RowKind::Reserved | RowKind::Pool { .. } => return true,
            // Bytes that should be zero and are not can be read leniently; bits can not.
            RowKind::Zero | RowKind::Runtime => return !word,
            // Where what it leads to lies, or what lies there.
            RowKind::Mark { .. } | RowKind::Object { .. } => return true,
            RowKind::Slice { .. } => return false,
            _ => {}
        }
        if let Role::Kept(expr) = &row.role
            && !self.is_kept_field(row, *expr)
        {
            return true;
        }
        // In which order the slices lie in their table, and what is between them.
        if matches!(row.role, Role::View { .. }) {
            return true;
        }
        if matches!(row.role, Role::Derived | Role::Kept(_)) {
            // Elements that are computed are in no value, but their padding may say something.
            let padded = |id: RecordId| {
                let padding = |row: &Row| {
                    matches!(row.kind, RowKind::Zero | RowKind::Reserved | RowKind::Runtime)
                };
                self.model.records[id.index()].rows.iter().any(padding)
            };
            if matches!(row.ty.stripped(), Type::Array(_)) && row.ty.records().any(padded) {
                return true;
            }
        }
        row.none.len() > 1 || self.type_spelled(&row.ty)
    }

    /// Whether a row that usually follows from an expression is a field of its own: a number, a
    /// truth value or a text, but no table.
    pub fn is_kept_field(&self, row: &Row, expr: ExprId) -> bool {
        if matches!(
            &self.model[expr],
            Expr::Patricia(_) | Expr::RelocationSections | Expr::RelocationEntries
        ) || row.name.is_none()
        {
            return false;
        }
        simple(&row.ty)
    }

    fn type_spelled(&self, ty: &Type) -> bool {
        match ty {
            Type::Cell(cell) => is_varint(cell),
            Type::Run(run) => matches!(&run.length, RunLength::Prefix(cell) if is_varint(cell)),
            Type::Union(union) => match &self.model.unions[union.index()].tag {
                Tag::Own(cell) | Tag::Word(cell) => is_varint(cell),
                Tag::Row(_) | Tag::Given(_) => false,
            },
            Type::Pointer(pointer) => {
                let kind = &self.model.pointers[pointer.kind.index()];
                is_varint(&kind.cell)
                    || match &pointer.target {
                        // Where that lies.
                        Target::Own(_) => true,
                        Target::Pooled => {
                            kind.text.as_deref().is_some_and(|text| self.type_spelled(text))
                        }
                        Target::Element => false,
                    }
            }
            // Bytes that no element takes.
            Type::Array(_) if ty.columns().is_some() || ty.scattered().is_some() => true,
            Type::Array(array) => self.type_spelled(&array.element),
            Type::Region(region) => {
                region.trim.is_some()
                    || matches!(&region.extent, Extent::Terminated(end)
                        if end.optional && end.mode == Terminated::Dropped)
                    || self.type_spelled(&region.inner)
            }
            Type::PerEpoch(types) => types.iter().any(|ty| self.type_spelled(ty)),
            Type::Record(_) | Type::ByteOrderMark | Type::Text | Type::Nothing => false,
        }
    }
}

/// Whether a type is a number, truth value, enumeration member, text or bytes in every epoch.
fn simple(ty: &Type) -> bool {
    match ty.stripped() {
        Type::Cell(cell) => !matches!(cell.meaning, crate::model::Meaning::Word(_)),
        Type::Run(_) | Type::Text => true,
        Type::PerEpoch(types) => types.iter().all(|ty| matches!(ty, Type::Nothing) || simple(ty)),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => simple(target),
            Target::Pooled | Target::Element => true,
        },
        _ => false,
    }
}

fn is_varint(cell: &Cell) -> bool {
    matches!(cell.storage, Storage::Varint(_))
}
