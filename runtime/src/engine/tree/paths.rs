//! Paths of rows and nodes, for messages.

use super::super::item::{Loc, NodeRef, WHOLE};
use super::Tree;
use crate::model::RecordKind;
use crate::path::{Path, Segment};

impl<'p> Tree<'p, '_> {
    /// Path of a row or element for messages, such as `flowcharts[0].events[3].params`.
    #[must_use]
    pub fn path(&self, loc: Loc) -> Path {
        let mut path = Path::default();
        if let Some(index) = loc.index() {
            path.prepend(index as usize);
        }
        let mut at = Some(loc);
        while let Some(Loc { node, row, .. }) = at {
            let record = self.record(node);
            let definition = record.rows.get(row.index());
            if let Some((name, ty)) = definition.and_then(|r| Some((r.name.as_ref()?, &r.ty))) {
                // The value of a transparent struct is its row, that of a case is all its fields,
                // and the row that holds a case of a union type has no name of its own in paths.
                let stands = record.transparent == Some(row) && self.case_of(node).is_none();
                if !stands && !self.model().is_body(ty) {
                    path.prepend(Segment::Field(name.clone().into()));
                }
            }
            let mut node = node;
            // The rows of a form stand for those of its case.
            while let (RecordKind::Form(..), Some(case)) =
                (&self.record(node).kind, self.owner(node))
            {
                node = case;
            }
            at = self.holder(node);
            if let Some(index) = at.and_then(Loc::index) {
                path.prepend(index as usize);
            }
        }
        path
    }

    /// Path of a node.
    #[must_use]
    pub fn node_path(&self, node: NodeRef) -> Path {
        self.holder(node).map(|loc| self.path(loc)).unwrap_or_default()
    }

    /// The row or element that holds a node; of the root, the root as a whole.
    pub(crate) fn node_loc(&self, node: NodeRef) -> Loc {
        self.holder(node).unwrap_or(Loc::row(node, WHOLE))
    }
}
