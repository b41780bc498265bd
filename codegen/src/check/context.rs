//! What several proofs need to know about a model.

use std::collections::HashSet;

use crate::model::{
    Cell, EpochId, Home, Meaning, Model, Owners, Record, RecordId, RecordKind, Row, RowId, RowKind,
    Sizes, Target, Type, UnionId,
};

/// A model with what follows from it.
pub(super) struct Context<'a> {
    pub model: &'a Model,
    pub owners: Owners,
    /// Per epoch.
    pub sizes: Vec<Sizes<'a>>,
    /// Per epoch: whether a file of the epoch can hold the record.
    reachable: Vec<HashSet<RecordId>>,
    /// Records that some file holds.
    used: HashSet<RecordId>,
}

impl<'a> Context<'a> {
    pub fn new(model: &'a Model) -> Self {
        let epochs: Vec<EpochId> = epochs(model).collect();
        let sizes = epochs.iter().map(|&epoch| model.sizes(epoch)).collect();
        let mut reachable: Vec<HashSet<RecordId>> = epochs
            .iter()
            .map(|&epoch| {
                let mut reached = HashSet::new();
                reach(model, epoch, model.root, &mut reached);
                reached
            })
            .collect();
        // What no file holds is looked at too, in every epoch in which it has a layout.
        let used: HashSet<RecordId> = reachable.iter().flatten().copied().collect();
        for (id, record) in model.records() {
            if record.kind != RecordKind::Struct || used.contains(&id) {
                continue;
            }
            for (&epoch, reached) in epochs.iter().zip(&mut reachable) {
                if exists(record, epoch) {
                    reach(model, epoch, id, reached);
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

/// The types in this one in one epoch, itself included.
pub(super) fn types_in(ty: &Type, epoch: EpochId) -> Vec<&Type> {
    let mut all = Vec::new();
    let mut next = Some(ty);
    while let Some(ty) = next {
        let ty = ty.in_epoch(epoch);
        all.push(ty);
        next = match ty {
            Type::Array(array) => Some(&array.element),
            Type::Region(region) => Some(&region.inner),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => Some(target),
                Target::Pooled | Target::Element => None,
            },
            _ => None,
        };
    }
    all
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
    let Some(union) = model.unions.get(union.index()) else { return Vec::new() };
    let mut bodies = Vec::new();
    for case in union.cases.iter().filter(|case| case.is_in(epoch)) {
        if case.forms.is_empty() {
            bodies.push(case.record);
        }
        bodies.extend(case.forms.iter().filter(|form| form.is_in(epoch)).map(|form| form.record));
    }
    bodies
}

/// Whether the rows of a record hold bytes: those of a case with forms do not.
pub(super) fn has_bytes(row: &Row) -> bool {
    !matches!(row.kind, RowKind::Value { .. } | RowKind::Mark { .. } | RowKind::Slice { .. })
        && (!matches!(row.role, crate::model::Role::Elsewhere))
}

fn reach(model: &Model, epoch: EpochId, from: RecordId, reached: &mut HashSet<RecordId>) {
    let mut stack = vec![from];
    while let Some(id) = stack.pop() {
        let Some(record) = model.records.get(id.index()) else { continue };
        if !reached.insert(id) {
            continue;
        }
        for row in &record.rows {
            let gone = row.home(epoch) == Home::Absent;
            if gone || !has_bytes(row) {
                continue;
            }
            for ty in types_in(&row.ty, epoch) {
                match ty {
                    Type::Record(id) => stack.push(*id),
                    Type::Union(union) => {
                        let cases = model.unions.get(union.index()).map(|union| &union.cases);
                        let here = cases.into_iter().flatten().filter(|case| case.is_in(epoch));
                        stack.extend(here.map(|case| case.record));
                        stack.extend(bodies(model, *union, epoch));
                    }
                    Type::Cell(Cell { meaning: Meaning::Word(id), .. }) => stack.push(*id),
                    Type::Pointer(pointer) => {
                        let kind = model.pointers.get(pointer.kind.index());
                        if let Some(Type::Record(id)) = kind.and_then(|kind| kind.text.as_deref()) {
                            stack.push(*id);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}
