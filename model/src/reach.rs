//! What files of an epoch can hold.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::{Cell, EpochId, Home, Meaning, Model, RecordId, Target, Type, Union};

impl Type {
    /// The types in this one in one epoch, itself included.
    #[must_use]
    pub fn parts_in(&self, epoch: EpochId) -> Vec<&Type> {
        let mut all = Vec::new();
        let mut next = Some(self);
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
}

impl Union {
    /// Records of the cases that an epoch has: bodies, or the forms' bodies.
    #[must_use]
    pub fn bodies(&self, epoch: EpochId) -> Vec<RecordId> {
        let mut bodies = Vec::new();
        for case in self.cases.iter().filter(|case| case.is_in(epoch)) {
            if case.forms.is_empty() {
                bodies.push(case.record);
            }
            let forms = case.forms.iter().filter(|form| form.is_in(epoch));
            bodies.extend(forms.map(|form| form.record));
        }
        bodies
    }
}

impl Model {
    /// Adds a record, and those that its rows can hold in an epoch, and so on.
    pub fn reach(&self, epoch: EpochId, from: RecordId, reached: &mut BTreeSet<RecordId>) {
        let mut stack = vec![from];
        while let Some(id) = stack.pop() {
            let Some(record) = self.records.get(id.index()) else { continue };
            if !reached.insert(id) {
                continue;
            }
            for row in &record.rows {
                if row.home(epoch) == Home::Absent || !row.holds_bytes() {
                    continue;
                }
                for ty in row.ty.parts_in(epoch) {
                    match ty {
                        Type::Record(id) => stack.push(*id),
                        Type::Union(union) => {
                            let Some(union) = self.unions.get(union.index()) else { continue };
                            let here = union.cases.iter().filter(|case| case.is_in(epoch));
                            stack.extend(here.map(|case| case.record));
                            stack.extend(union.bodies(epoch));
                        }
                        Type::Cell(Cell { meaning: Meaning::Word(id), .. }) => stack.push(*id),
                        Type::Pointer(pointer) => {
                            let kind = self.pointers.get(pointer.kind.index());
                            let text = kind.and_then(|kind| kind.text.as_deref());
                            if let Some(Type::Record(id)) = text {
                                stack.push(*id);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    /// The records that a file of an epoch can hold.
    #[must_use]
    pub fn reached(&self, epoch: EpochId) -> BTreeSet<RecordId> {
        let mut reached = BTreeSet::new();
        self.reach(epoch, self.root, &mut reached);
        reached
    }
}
