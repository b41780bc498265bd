//! Structs and unions that a schema declares and no file can hold. They have no Rust types, so
//! nothing may be generated for them.

use std::collections::HashSet;

use crate::model::{Model, RecordId, Statement};

/// The model with nothing in such records. They stay, since numbers lead to them.
pub(super) fn without(model: &Model) -> Model {
    let reachable = reachable(model);
    let mut model = model.clone();
    for (id, record) in (0_u32..).zip(&mut model.records) {
        if reachable.contains(&RecordId(id)) {
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

/// Records that a file can hold.
pub(super) fn reachable(model: &Model) -> HashSet<RecordId> {
    let mut found = HashSet::from([model.root]);
    let mut todo = vec![model.root];
    while let Some(id) = todo.pop() {
        let mut inner: Vec<RecordId> = model.held_by(id).collect();
        for kind in &model.pointers {
            if let Some(text) = &kind.text {
                inner.extend(model.held(text));
            }
        }
        todo.extend(inner.into_iter().filter(|record| found.insert(*record)));
    }
    found
}
