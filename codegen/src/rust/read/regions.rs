//! What the extent of a region means for what is in it.

use super::{Ctx, Reading};
use crate::model::{DefinerScope, DefinerSource, ExprId, Measure};
use crate::rust::expr::mentions_position;

impl Reading<'_, '_> {
    /// Whether the size of a region follows from something else than what is in it.
    pub(super) fn gives_room(&self, ctx: Ctx, size: ExprId) -> bool {
        let mut followed = false;
        for (id, record) in self.model.records() {
            for definer in record.rows.iter().flat_map(|row| &row.definers) {
                let DefinerSource::Measure { measure: Measure::Size, row, .. } = &definer.source
                else {
                    continue;
                };
                let holder = match &definer.scope {
                    DefinerScope::Own => Some(id),
                    DefinerScope::Owner(owner, _) => Some(*owner),
                    DefinerScope::Case(union, case) => record.rows[union.index()]
                        .ty
                        .union()
                        .map(|u| self.model.unions[u.index()].cases[*case as usize].record),
                };
                followed |= holder == Some(ctx.id) && *row == ctx.row;
            }
        }
        !followed && !mentions_position(self.plan.model, size)
    }
}
