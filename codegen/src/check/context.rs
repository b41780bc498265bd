//! What several proofs need to know about a model.

use std::collections::{BTreeSet, HashSet};

use crate::model::{
    Cell, EpochId, Model, Owners, Record, RecordId, RecordKind, Row, RowId, RowKind, Sizes, Type,
    UnionId,
};

/// A model with what follows from it.
pub(super) struct Context<'a> {
    pub model: &'a Model,
    pub owners: Owners,
    /// Per epoch.
    pub sizes: Vec<Sizes<'a>>,
    /// Per epoch: whether a file of the epoch can hold the record.
    reachable: Vec<BTreeSet<RecordId>>,
    /// Records that some file holds.
    used: HashSet<RecordId>,
}

impl<'a> Context<'a> {
    pub fn new(model: &'a Model) -> Self {
        let epochs: Vec<EpochId> = epochs(model).collect();
        let sizes = epochs.iter().map(|&epoch| model.sizes(epoch)).collect();
        let mut reachable: Vec<BTreeSet<RecordId>> =
            epochs.iter().map(|&epoch| model.reached(epoch)).collect();
        // What no file holds is looked at too, in every epoch in which it has a layout.
        let used: HashSet<RecordId> = reachable.iter().flatten().copied().collect();
        for (id, record) in model.records() {
            if record.kind != RecordKind::Struct || used.contains(&id) {
                continue;
            }
            for (&epoch, reached) in epochs.iter().zip(&mut reachable) {
                if exists(record, epoch) {
                    model.reach(epoch, id, reached);
                }
            }
        }
        Context { model, owners: model.owners(), sizes, reachable, used }
    }

    /// All epochs with their sizes.
    pub fn epochs(&self) -> impl Iterator<Item = (EpochId, &Sizes<'a>)> {
        epochs(self.model).zip(&self.sizes)
    }

    /// The records that a file of this epoch can hold, in order.
    pub fn records(&self, epoch: EpochId) -> impl Iterator<Item = (RecordId, &'a Record)> {
        let reachable = self.reachable.get(epoch.index());
        self.model
            .records()
            .filter(move |(id, _)| reachable.is_some_and(|reachable| reachable.contains(id)))
    }

    /// Whether some file holds the record.
    pub fn used(&self, record: RecordId) -> bool {
        self.used.contains(&record)
    }

    /// ` in epoch ...` for messages; nothing where there is one layout only.
    pub fn in_epoch(&self, epoch: EpochId) -> String {
        match self.model.epochs.get(epoch.index()) {
            Some(found) if self.model.epochs.len() > 1 => format!(" in epoch `{}`", found.label),
            _ => String::new(),
        }
    }

    pub fn record(&self, id: RecordId) -> Option<&'a Record> {
        self.model.records.get(id.index())
    }

    pub fn row(&self, record: RecordId, row: RowId) -> Option<&'a Row> {
        self.record(record)?.rows.get(row.index())
    }
}

/// Repeats a step for each record until none of them says that it changed something. Goes backwards
/// and forwards in turn, because what a struct contains may be declared behind or before it.
pub(super) fn until_settled(model: &Model, mut step: impl FnMut(RecordId, &Record) -> bool) {
    loop {
        let backwards = model.records.iter().enumerate().rev();
        let forwards = model.records.iter().enumerate();
        let mut changed = false;
        for (number, record) in backwards.chain(forwards) {
            let id = RecordId(u32::try_from(number).unwrap_or(u32::MAX));
            changed |= step(id, record);
        }
        if !changed {
            return;
        }
    }
}

pub(super) fn epochs(model: &Model) -> impl Iterator<Item = EpochId> + use<> {
    let count = u32::try_from(model.epochs.len()).unwrap_or(u32::MAX);
    (0..count).map(EpochId)
}

/// Whether a record has a layout in an epoch: one with a closed block may not.
pub(super) fn exists(record: &Record, epoch: EpochId) -> bool {
    record.open
        || record.sizes.get(epoch.index()).copied().flatten().is_some()
        || record.sizes.iter().all(Option::is_none)
}

/// The row in messages: its name, or its kind where it has none.
pub(super) fn row_name(row: &Row) -> String {
    let kind = match (&row.name, &row.kind) {
        (Some(name), _) => return format!("`{name}`"),
        (None, RowKind::Constant(_)) => "constant",
        (None, RowKind::Zero) => "`zero`",
        (None, RowKind::Reserved) => "`reserved`",
        (None, RowKind::Runtime) => "`runtime`",
        (None, RowKind::Zeros) => "`zeros`",
        (None, _) => match row.ty {
            Type::Record(_) => "struct without a name",
            Type::Union(_) => "union without a name",
            _ => "row without a name",
        },
    };
    format!("the {kind}")
}

/// The type without arrays and regions around it. Of types that differ by epoch the first that is
/// anything.
pub(super) fn element(ty: &Type) -> &Type {
    let mut ty = ty;
    loop {
        ty = match ty {
            Type::Array(array) => &array.element,
            Type::Region(region) => &region.inner,
            Type::PerEpoch(_) => ty.first(),
            _ => return ty,
        };
    }
}

/// [`element`] of every epoch.
pub(super) fn elements(ty: &Type) -> impl Iterator<Item = &Type> {
    ty.inline_parts().filter(|ty| {
        !matches!(ty, Type::Array(_) | Type::Region(_) | Type::PerEpoch(_) | Type::Nothing)
    })
}

/// The cells of a row or of its elements, of each epoch; behind no pointer.
pub(super) fn cells<'a>(model: &'a Model, ty: &'a Type) -> Vec<&'a Cell> {
    let cell = |ty: &'a Type| match ty {
        Type::Cell(cell) => Some(cell),
        Type::Pointer(pointer) => match &pointer.cell {
            Some(cell) => Some(cell),
            None => model.pointers.get(pointer.kind.index()).map(|kind| &kind.cell),
        },
        _ => None,
    };
    elements(ty).filter_map(cell).collect()
}

/// Records of the cases of a union that an epoch has: bodies, or the forms' bodies.
pub(super) fn bodies(model: &Model, union: UnionId, epoch: EpochId) -> Vec<RecordId> {
    model.unions.get(union.index()).map_or(Vec::new(), |union| union.bodies(epoch))
}
