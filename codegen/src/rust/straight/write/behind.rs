//! Numbers that say where something is, or how large, that a pointer or object of the same record
//! leads to: they are stored when that is placed.

use proc_macro2::TokenStream;
use quote::quote;

use super::writer::{Node, Writer};
use crate::model::{
    Cell, DefinerScope, Expr, ExprId, Member, Role, RowId, RowKind, Start, Step, Storage, Type,
};
use crate::rust::straight::able::Able;
use crate::rust::straight::anchors::Way;
use crate::rust::straight::equations::{Equation, Measured, Side, equation};
use crate::rust::straight::operators::{known, solved};
use crate::rust::straight::questions::{is_here, is_in_tag, rows_with_bytes, target};

/// A number that is stored when the first row's target is placed.
struct Behind {
    first: RowId,
    anchor: usize,
    side: Side,
    factor: i128,
    offset: i128,
}

impl<'m> Writer<'_, '_, 'm> {
    /// The equation of a row that measures something in its own record, or that its record leads to.
    pub(super) fn equation_of(&self, node: &Node<'m>, by: RowId) -> Option<Equation<'m>> {
        let row = node.row(by);
        let [definer] = row.definers.as_slice() else { return None };
        let is_stored = is_here(row, node.epoch) || is_in_tag(&row.ty);
        let derived = matches!(row.role, Role::Derived) && is_stored;
        if !derived || !matches!(definer.scope, DefinerScope::Own) {
            return None;
        }
        equation(self.model, &definer.source)
    }

    fn behind_of(&self, node: &Node<'m>, by: RowId) -> Option<Behind> {
        let row = node.row(by);
        let Type::Cell(Cell { storage: Storage::Fixed(_), .. }) = row.ty else { return None };
        if row.plus != 0 || !row.none.is_empty() || row.when.is_some() {
            return None;
        }
        let Equation { side, of, factor, offset } = self.equation_of(node, by)?;
        let Way { first, anchor } = self.anchors.way(&of, node.id)?;
        node.row(first).when.is_none().then_some(Behind { first, anchor, side, factor, offset })
    }

    /// A number that is stored later, when what it measures is placed.
    pub(super) fn is_behind(&self, node: &Node<'m>, by: RowId) -> bool {
        self.behind_of(node, by).is_some()
    }

    /// Code that places what a row leads to, with the numbers that measure it.
    pub(super) fn with_measures(
        &self,
        node: &Node<'m>,
        id: RowId,
        placed: TokenStream,
    ) -> Able<TokenStream> {
        let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
        for (by, row) in node.record().numbered_rows() {
            let Some(behind) = self.behind_of(node, by).filter(|behind| behind.first == id) else {
                continue;
            };
            if self.anchors.is_late(behind.anchor) {
                continue;
            }
            let Type::Cell(Cell { storage: Storage::Fixed(int), .. }) = row.ty else { continue };
            let (number, since, at) = (behind.anchor, self.fresh("since"), self.row_at(node, by)?);
            let side = |end: bool| quote!(cx.only_since(#number, #since, #end)?);
            let measure = match behind.side {
                Side::At => side(false),
                Side::End => side(true),
                Side::Size => {
                    let (from, to) = (side(false), side(true));
                    quote!(s::subtract(#to, #from)?)
                }
            };
            let stored = solved(&known(&measure), behind.factor, behind.offset);
            let (width, signed, big) = (int.bytes, int.signed, self.is_big(node, &int));
            before.extend(quote!(let #since = cx.anchored(#number);));
            after.extend(quote! {
                let number = #stored;
                cx.fill(#at, #width, #big, #signed, number)?;
            });
        }
        Ok(quote!(#before #placed #after))
    }

    /// Whether a region has the size that an expression says because of what that follows from: a
    /// number of the struct around, which is the size of what its pointer leads to, and that is this
    /// region.
    pub(super) fn size_is_said(&self, node: &Node<'m>, expr: ExprId, region: RowId) -> bool {
        self.size_said(node, expr, region).is_some_and(|holds| holds)
    }

    fn size_said(&self, node: &Node<'m>, expr: ExprId, region: RowId) -> Option<bool> {
        let said = self.model.exprs.linear(expr)?;
        let owner = self.straight.owner(node.id)?;
        // An argument stands for a path of the struct around.
        let path = match said.path.start {
            Start::Argument(number) if said.path.steps.is_empty() => {
                let argument =
                    self.model.records[node.id.index()].arguments.get(number as usize)?;
                let Expr::Path(path) = &self.model[*argument] else { return None };
                path
            }
            _ => return None,
        };
        let [Step::Field(field)] = path.steps.as_slice() else { return None };
        let here = path.start.is_in(owner);
        let (_, members) = field.members.iter().find(|(record, _)| *record == owner)?;
        let [Member::Row(by)] = members.as_slice() else { return None };
        let around = Node { id: owner, ..node.clone() };
        let Equation { side: Side::Size, of, factor: 1, offset } =
            self.equation_of(&around, *by)?
        else {
            return None;
        };
        let measured = match of {
            Measured::Row(row) => row,
            Measured::Path(path) => self.own_row(&around, path)?,
        };
        let target = target(&around.row(measured).ty);
        let only = rows_with_bytes(node.record(), node.epoch).map(|(id, _)| id).eq([region]);
        let plain = matches!(node.row(region).kind, RowKind::Plain);
        // The number is the size less `offset`.
        let same = said.factor == 1 && said.offset.checked_sub(offset)? == 0;
        let whole = matches!(target, Type::Record(record) if *record == node.id);
        Some(here && whole && only && plain && same)
    }
}
