//! Elements that a file may well do without: where they cannot be carried, files without them are.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;

use super::able::Able;
use super::context::Straight;
use super::questions::children;
use crate::model::{Model, RecordId, Type};

/// A struct is a small part of a schema if it has at most one of so many of its rows. A fast path that
/// leaves out more than that would be there for few files.
const PART: usize = 16;

/// Structs that are elements of one array and a small part of the schema.
pub(super) fn rare(model: &Model) -> Vec<bool> {
    let mut rare = vec![false; model.records.len()];
    let uses = model.uses();
    for record in &model.records {
        for row in &record.rows {
            for part in row.ty.parts() {
                if let Type::Array(array) = part
                    && let Type::Record(id) = array.element.stripped()
                {
                    rare[id.index()] = true;
                }
            }
        }
    }
    let all: usize = model.records.iter().map(|record| record.rows.len()).sum();
    for (id, record) in model.records() {
        let is_one = rare[id.index()] && uses[id.index()] == 1 && !record.recursive;
        let inside = held(model, id);
        let rows: usize = inside.iter().map(|id| model.records[id.index()].rows.len()).sum();
        rare[id.index()] = is_one && rows.saturating_mul(PART) <= all;
    }
    rare
}

/// A record and all that it holds.
fn held(model: &Model, id: RecordId) -> BTreeSet<RecordId> {
    let (mut seen, mut open) = (BTreeSet::from([id]), vec![id]);
    while let Some(id) = open.pop() {
        let record = &model.records[id.index()];
        open.extend(children(model, record).into_iter().filter(|child| seen.insert(*child)));
    }
    seen
}

impl Straight<'_, '_> {
    /// Code for an element, which gives up if that cannot be carried and files may do without it.
    pub(super) fn for_element(
        &self,
        element: &Type,
        make: impl FnOnce() -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        match element.stripped() {
            Type::Record(id) => self.for_rare(*id, make),
            _ => make(),
        }
    }

    /// The same for what is in a record of its own, such as its rules.
    pub(super) fn for_rare(
        &self,
        record: RecordId,
        make: impl FnOnce() -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        match self.rare[record.index()] {
            true => Ok(self.or_odd(record, make)),
            false => make(),
        }
    }
}
