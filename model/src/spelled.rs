//! Where a value may be spelled in more than one way.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::{
    Cell, ExprId, Extent, Meaning, Model, Record, RecordId, RecordKind, Role, Row, RowKind,
    RunLength, Storage, Tag, Target, Terminated, Type,
};

impl Model {
    /// Whether something is kept of a record itself: of its own rows, or of structs in them that
    /// carry no data. In values and in JSON a struct that stands for its only row has what is kept
    /// of it around that row. Where several such structs are one in another, it is by this that
    /// each knows which level is its own.
    #[must_use]
    pub fn keeps_spelling(&self, id: RecordId) -> bool {
        let mut todo = vec![id];
        let mut seen = BTreeSet::from([id]);
        while let Some(id) = todo.pop() {
            if self.may_be_spelled(id) {
                return true;
            }
            for row in &self.records[id.index()].rows {
                if matches!(row.role, Role::Kept(expr) if self.is_kept_field(row, expr)) {
                    return true;
                }
                if !self.carries_data(&row.ty) {
                    todo.extend(row.ty.records().filter(|inner| seen.insert(*inner)));
                }
            }
        }
        false
    }

    /// Whether something of a record's own rows may be spelled in more than one way.
    #[must_use]
    pub fn may_be_spelled(&self, id: RecordId) -> bool {
        let record = &self.records[id.index()];
        let forms = self.forms_of(record);
        let word = matches!(record.kind, RecordKind::Word(_));
        let mut rows = record.rows.iter().chain(forms.iter().flat_map(|form| &form.rows));
        // What lies behind everything is kept in the root.
        id == self.root || forms.len() > 1 || rows.any(|row| self.row_spelled(row, word))
    }

    /// The forms of a case.
    #[must_use]
    pub fn forms_of(&self, record: &Record) -> Vec<&Record> {
        let RecordKind::Case(union, case) = record.kind else { return Vec::new() };
        let case = &self.unions[union.index()].cases[case as usize];
        case.forms.iter().map(|form| &self.records[form.record.index()]).collect()
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
        if matches!(row.role, Role::Kept(expr) if !self.is_kept_field(row, expr)) {
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
                self.records[id.index()].rows.iter().any(padding)
            };
            if matches!(row.ty.stripped(), Type::Array(_)) && row.ty.records().any(padded) {
                return true;
            }
        }
        row.none.len() > 1 || self.type_spelled(&row.ty)
    }

    /// Whether a row that usually follows from an expression is a field of its own: a number, a
    /// truth value or a text, but no table.
    #[must_use]
    pub fn is_kept_field(&self, row: &Row, expr: ExprId) -> bool {
        if self[expr].is_table() || row.name.is_none() {
            return false;
        }
        simple(&row.ty)
    }

    /// Whether bytes of more than one kind say the same number.
    #[must_use]
    pub fn has_forms(&self, cell: &Cell) -> bool {
        match cell.storage {
            Storage::Varint(id) => !self.varints[id.index()].shortest,
            Storage::Digits { .. } => true,
            _ => false,
        }
    }

    fn type_spelled(&self, ty: &Type) -> bool {
        match ty {
            Type::Cell(cell) => self.has_forms(cell),
            Type::Run(run) => {
                matches!(&run.length, RunLength::Prefix(cell) if self.has_forms(cell))
            }
            Type::Union(union) => match &self.unions[union.index()].tag {
                Tag::Own(cell) | Tag::Word(cell) => self.has_forms(cell),
                Tag::Row(_) | Tag::Given(_) => false,
            },
            Type::Pointer(pointer) => {
                let kind = &self.pointers[pointer.kind.index()];
                self.has_forms(&kind.cell)
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
        Type::Cell(cell) => !matches!(cell.meaning, Meaning::Word(_)),
        Type::Run(_) | Type::Text => true,
        Type::PerEpoch(types) => types.iter().all(|ty| matches!(ty, Type::Nothing) || simple(ty)),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => simple(target),
            Target::Pooled | Target::Element => true,
        },
        _ => false,
    }
}
