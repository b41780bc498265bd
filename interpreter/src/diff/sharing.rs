//! Rows that have their bytes in common: fields of bits, fields of words, and rows that the tag of a
//! union is for. A byte that differs is told of once for each of them that differs.

use std::cell::OnceCell;

use formwork::engine::{Item, Loc, NodeRef, Tree};
use formwork_model::{Cell, RecordKind, Storage, Tag, Type};

use super::extent::{Extent, Owned};
use crate::compare::Parts;
use crate::view::form_of;

/// The fields of bits of a file, made when somebody asks for them.
#[derive(Default)]
pub(crate) struct Fields {
    /// Positions among the claims, in their order, with where the last of them so far ends.
    all: OnceCell<Vec<(u32, u64)>>,
}

impl Fields {
    /// The rows that share these bytes with the claim that owns them: of a byte with fields of bits,
    /// those; of a tag, the rows that have it.
    pub(crate) fn beside(
        &self,
        tree: &Tree<'_, '_>,
        claims: &[Owned],
        owner: Owned,
        range: Extent,
    ) -> Vec<Owned> {
        if let Some(rows) = tagged(tree, owner) {
            let record = tree.record(rows);
            let of_tag = record.numbered_rows().filter(|(_, row)| is_of_tag(&row.ty));
            return of_tag.map(|(row, _)| Owned { loc: Loc::row(rows, row), ..owner }).collect();
        }
        if !is_of_bits(tree, owner.loc) && !is_word(tree, owner.loc) {
            return Vec::new();
        }
        let all = self.all.get_or_init(|| {
            let mut reach = 0;
            let of_bits = (0..).zip(claims).filter(|(_, claim)| is_of_bits(tree, claim.loc));
            of_bits
                .map(|(position, claim)| {
                    reach = claim.end.max(reach);
                    (position, reach)
                })
                .collect()
        });
        let claim = |position: u32| claims[position as usize];
        let end = all.partition_point(|(position, _)| claim(*position).at < range.end);
        let near = all[..end].iter().rev().take_while(|(_, reach)| *reach > range.at);
        let mut found: Vec<Owned> = near
            .map(|(position, _)| claim(*position))
            .filter(|claim| claim.end > range.at)
            .collect();
        found.reverse();
        found
    }
}

/// Whether the numbers in two rows or elements are different ones.
pub(crate) fn differ(a: &Parts<'_>, of_a: Loc, b: &Parts<'_>, of_b: Loc) -> bool {
    let (item, its) = (a.tree.entry(of_a), b.tree.entry(of_b));
    match (a.tree.pointer_view(item), b.tree.pointer_view(its)) {
        (Some(item), Some(its)) => item.stored != its.stored,
        _ => !a.same(item, b, its),
    }
}

/// Whether a row or element is a field of bits, of a word or from the bit cursor.
fn is_of_bits(tree: &Tree<'_, '_>, loc: Loc) -> bool {
    let record = tree.record(loc.node);
    let Some(row) = record.rows.get(loc.row.index()) else { return false };
    // Each element of an array has a claim of its own.
    let is_array = matches!(row.ty, Type::Array(_)) && loc.index().is_none();
    matches!(record.kind, RecordKind::Word(_)) || (row.ty.is_bits() && !is_array)
}

/// Whether a row or element is a word of such fields.
fn is_word(tree: &Tree<'_, '_>, loc: Loc) -> bool {
    let Item::Node(node) = tree.item(loc) else { return false };
    matches!(tree.record(node).kind, RecordKind::Word(_))
}

/// The rows of the case or form whose tag a claim is.
pub(crate) fn tagged(tree: &Tree<'_, '_>, claim: Owned) -> Option<NodeRef> {
    let mut pointers = 0;
    let mut item = tree.entry(claim.loc);
    while let Some(pointer) = tree.pointer_view(item) {
        (item, pointers) = (pointer.target, pointers + 1);
    }
    let Item::Node(node) = item else { return None };
    // The numbers of pointers come before, padding comes behind.
    let (union, case) = tree.case_of(node).filter(|_| claim.number == pointers)?;
    let has_own = matches!(union.tag, Tag::Own(_) | Tag::Word(_)) && !union.cases[case].whole;
    has_own.then(|| form_of(node).unwrap_or(node))
}

/// Whether a claim is the tag of a case that its row does not have in the other file.
pub(crate) fn is_other_case(a: &Tree<'_, '_>, of_a: Loc, b: &Tree<'_, '_>, claim: Owned) -> bool {
    let case = |tree: &Tree<'_, '_>, loc| match tree.item(loc) {
        Item::Node(node) => tree.case_of(node).map(|(_, case)| case),
        _ => None,
    };
    tagged(b, claim).is_some() && case(a, of_a) != case(b, claim.loc)
}

/// Whether a row has the number of a tag, or bits of it.
fn is_of_tag(ty: &Type) -> bool {
    let cell = match ty.stripped() {
        Type::Pointer(pointer) => pointer.cell.as_ref(),
        Type::Cell(cell) => Some(cell),
        _ => None,
    };
    matches!(cell, Some(Cell { storage: Storage::TagOf | Storage::Letter { .. }, .. }))
}
