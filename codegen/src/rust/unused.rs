//! Structs and unions that a schema declares and no file can hold. They have no Rust types, so
//! nothing may be generated for them.

use super::write;
use crate::model::{Model, Statement};

/// The model with nothing in such records. They stay, since numbers lead to them.
pub(super) fn without(model: &Model) -> Model {
    let reachable = write::reachable(model);
    let mut model = model.clone();
    for (id, record) in (0_u32..).zip(&mut model.records) {
        if reachable.contains(&crate::model::RecordId(id)) {
            continue;
        }
        record.rows.clear();
        record.lets.clear();
        record.arguments.clear();
        record.sizes.fill(Some(0));
        record.open = false;
        record.transparent = None;
        record.endian = None;
        record.derives.clear();
        record.checks.clear();
        record.layout = vec![Statement::This];
        record.passes.clear();
        record.read_order.clear();
        record.recursive = false;
        record.encodes = None;
    }
    model
}
