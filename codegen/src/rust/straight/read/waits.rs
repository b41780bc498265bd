//! Labels whose texts are found when rows behind them have been read.

use quote::quote;

use super::body::Work;
use super::{Ctx, Reading, Spot, size};
use crate::model::{
    ArrayLength, Expr, ExprId, Home, Member, Row, RowId, RowKind, Step, Target, Type,
};
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::questions::has_pointer;

impl<'m> Reading<'_, '_, 'm> {
    /// The row that an array of labels waits for, which counts from it: otherwise the whole file would
    /// be read twice.
    pub(super) fn waits_for(&self, work: &Work<'_, 'm>, id: RowId, row: &Row) -> Option<RowId> {
        let ctx = work.ctx;
        let Type::Array(array) = &row.ty else { return None };
        let Type::Pointer(pointer) = &array.element else { return None };
        let kind = &self.model.pointers[pointer.kind.index()];
        let (Target::Pooled, Some(base)) = (&pointer.target, kind.base) else { return None };
        let is_plain = matches!(row.kind, RowKind::Plain)
            && matches!(array.length, ArrayLength::Count(_))
            && array.stride.is_none()
            && row.when.is_none()
            && !self.is_asked(ctx.record, id)
            && !work.extents.contains(&id)
            && self.is_base(ctx.record, id).is_none()
            && self.fixed(ctx, &array.element).is_some();
        self.row_behind(ctx, id, base).filter(|_| is_plain)
    }

    /// The row behind another one that an expression is the begin or the end of, or of a row inside of
    /// it, if that cannot be known before.
    fn row_behind(&self, ctx: &Ctx<'m>, id: RowId, base: ExprId) -> Option<RowId> {
        let (Expr::At(path) | Expr::End(path)) = &self.model[base] else { return None };
        let here = self.straight.start(path, ctx.record) == Some(ctx.record);
        let Some(Step::Field(field)) = path.steps.first().filter(|_| here) else { return None };
        let members = field.members.iter().find(|(of, _)| *of == ctx.record);
        let Some([Member::Row(first)]) = members.map(|(_, members)| members.as_slice()) else {
            return None;
        };
        let there = self.row(ctx, ctx.record, *first);
        let is_next = matches!(there.homes.get(ctx.epoch), Some(Home::Next));
        let is_read_there =
            there.when.is_none() && !has_pointer(&there.ty) && !matches!(there.ty, Type::Union(_));
        let waits = is_next && *first > id && is_read_there;
        (waits && self.ahead(ctx, &quote!(at), *first).is_none()).then_some(*first)
    }

    /// Takes the bytes of such a row, which is read when the others are.
    pub(super) fn wait(
        &self,
        work: &mut Work<'_, 'm>,
        (of, id): (RowId, RowId),
        row: &Row,
        spot: &Spot,
    ) -> Able<()> {
        let (Type::Array(array), Spot::Stream { part, .. }) = (&row.ty, spot) else {
            return unable("labels in a block");
        };
        let (ArrayLength::Count(count), Some(width)) =
            (&array.length, self.fixed(work.ctx, &array.element))
        else {
            return unable("labels of no fixed size");
        };
        let (count, width, waiting) =
            (self.length(work.ctx, *count)?, size(width), self.local("waiting"));
        work.code.extend(quote!(let mut #waiting = #part.so_many(#count, #width)?;));
        work.waiting.push((of, id, Spot::local(waiting)));
        Ok(())
    }

    /// Reads the rows that wait for one, which was read.
    pub(super) fn waited(&self, work: &mut Work<'_, 'm>, of: RowId) -> Able<()> {
        let record = &work.ctx.view.records[work.ctx.record.index()];
        while let Some(at) = work.waiting.iter().position(|(first, ..)| *first == of) {
            let (_, id, spot) = work.waiting.remove(at);
            let row = &record.rows[id.index()];
            let made = self.about(row, || self.row_here(work, id, row, &spot));
            self.behind(work, id, made)?;
        }
        Ok(())
    }
}
