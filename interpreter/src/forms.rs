//! Spellings of one value: which forms can say it.

use formwork_model::{Case, Cell, Form, Meaning, Model, Row, RowKind, Storage, Type};

use crate::engine::Engine;
use crate::items::{is_constant, value_item};
use crate::value::{StructValue, Value};

impl<'m> Engine<'m, '_> {
    /// Position of the first form of this epoch that can say a value.
    pub(crate) fn first_form(&self, case: &'m Case, value: &StructValue) -> Option<usize> {
        case.forms.iter().position(|form| self.form_fits(form, value))
    }

    /// Whether a form exists in this epoch and can say a value.
    pub(crate) fn form_fits(&self, form: &'m Form, value: &StructValue) -> bool {
        self.in_epoch(&form.epochs)
            && self.model.records[form.record.index()].rows.iter().all(|row| {
                let Some(name) = &row.name else { return true };
                match value.get(name) {
                    Some(value) => row_can_say(self.model, row, value),
                    None => true,
                }
            })
    }
}

fn row_can_say(model: &Model, row: &Row, value: &Value) -> bool {
    match &row.kind {
        RowKind::Constant(constant) => is_constant(&value_item(value), constant),
        _ => can_say(model, &row.ty, value, 0),
    }
}

fn can_say(model: &Model, ty: &Type, value: &Value, depth: u32) -> bool {
    if depth > 64 {
        return true;
    }
    match (ty, value) {
        (ty, Value::Spelled(inner, _)) => can_say(model, ty, inner, depth + 1),
        (Type::Cell(cell), Value::Int(n)) => cell_fits(model, cell, *n),
        (Type::Array(array), Value::Array(elements)) => {
            elements.iter().all(|e| can_say(model, &array.element, e, depth + 1))
        }
        (Type::Region(region), value) => can_say(model, &region.inner, value, depth + 1),
        (Type::Record(record), value) => {
            let record = &model.records[record.index()];
            match record.transparent {
                Some(row) => can_say(model, &record.rows[row.index()].ty, value, depth + 1),
                None => true,
            }
        }
        _ => true,
    }
}

/// Whether an integer fits a cell.
pub(crate) fn cell_fits(model: &Model, cell: &Cell, n: i128) -> bool {
    let (bits, signed) = cell_range(model, cell);
    match cell.meaning {
        Meaning::Bool { yes } => n == 0 || n == 1 || n == i128::from(yes),
        _ => formwork::fits(n, bits, signed),
    }
}

/// Width in bits and sign of a cell.
pub(crate) fn cell_range(model: &Model, cell: &Cell) -> (u32, bool) {
    match cell.storage {
        Storage::Fixed(int) => (u32::from(int.bytes) * 8, int.signed),
        Storage::Varint(id) => {
            let ty = model.varints[id.index()].ty;
            (u32::from(ty.bytes) * 8, ty.signed)
        }
        Storage::Bits { width, .. } | Storage::Letter { width, .. } => (width.into(), false),
        Storage::Word { first, last, signed } => (u32::from(last - first) + 1, signed),
        Storage::TagOf => (64, true),
    }
}
