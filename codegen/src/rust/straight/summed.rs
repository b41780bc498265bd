//! Numbers that follow from bytes of the file: where these begin and end.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::able::{Able, unable};
use super::equations::{Equation, Measured, Side, measure_plus};
use super::scope::{Late, Scope};
use crate::model::{Expr, ExprId, Model, Path, RecordId, Row, RowId, Start, Step};

/// The bytes that a number follows from.
pub(super) struct Summed {
    /// What follows from them.
    pub expr: ExprId,
    pub from: Edge,
    pub to: Edge,
}

/// An address, to which a number is added.
pub(super) struct Edge {
    pub base: Base,
    pub plus: i128,
}

/// What an address is said by.
pub(super) enum Base {
    /// A row of the same struct, and whether it is its end.
    Row(RowId, bool),
    /// Where a struct around begins.
    Around(RecordId),
    /// The end of the file.
    FileEnd,
    /// Where the file begins.
    FileBegin,
}

impl Summed {
    /// Rows of the struct whose addresses are asked for.
    pub fn rows(&self) -> impl Iterator<Item = (RowId, Side)> + use<> {
        let row = |edge: &Edge| match edge.base {
            Base::Row(row, end) => Some((row, if end { Side::End } else { Side::At })),
            _ => None,
        };
        [row(&self.from), row(&self.to)].into_iter().flatten()
    }
}

/// What a row follows from, if that is bytes of the file.
pub(super) fn summed(model: &Model, record: RecordId, row: &Row) -> Able<Option<Summed>> {
    let Some(expr) = row.equation() else { return Ok(None) };
    let mut found = Vec::new();
    stored(model, expr, &mut found);
    match found.as_slice() {
        [] => Ok(None),
        [(from, to)] if !looks_elsewhere(model, expr) => Ok(Some(Summed {
            expr,
            from: edge(model, record, *from)?,
            to: edge(model, record, *to)?,
        })),
        [_] => unable("a number that follows from bytes of the file and something else"),
        _ => unable("a number that follows from bytes at several places"),
    }
}

/// Where bytes of the file begin and end that an expression asks for.
fn stored(model: &Model, expr: ExprId, found: &mut Vec<(ExprId, ExprId)>) {
    if let Expr::Stored(from, to) = &model[expr] {
        found.push((*from, *to));
        return;
    }
    model[expr].operands(&mut |operand| stored(model, operand, found));
}

/// Whether an expression asks for something else than bytes of the file.
fn looks_elsewhere(model: &Model, expr: ExprId) -> bool {
    let mut looks = match &model[expr] {
        Expr::Stored(..) => return false,
        Expr::FileEnd | Expr::Epoch(_) => true,
        other => other.path().is_some(),
    };
    model[expr].operands(&mut |operand| looks |= looks_elsewhere(model, operand));
    looks
}

fn edge(model: &Model, record: RecordId, expr: ExprId) -> Able<Edge> {
    if let Some(plus) = model.exprs.constant(expr) {
        return Ok(Edge { base: Base::FileBegin, plus });
    }
    let Some(Equation { side, of: Measured::Path(path), offset, .. }) =
        measure_plus(model, expr, 0)
    else {
        return match &model[expr] {
            Expr::FileEnd => Ok(Edge { base: Base::FileEnd, plus: 0 }),
            _ => unable("bytes of the file between other places"),
        };
    };
    let base = match (side, path.steps.as_slice()) {
        (Side::At | Side::End, [Step::Field(field)]) if is_own(path, record) => {
            let row = super::questions::only_row(field, record);
            row.map(|row| Base::Row(row, side == Side::End))
        }
        (Side::At, []) => match &path.start {
            Start::This => Some(Base::Around(record)),
            Start::Root => Some(Base::FileBegin),
            Start::Enclosing(records) => match records.as_slice() {
                [only] => Some(Base::Around(*only)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    match (base, offset.checked_neg()) {
        (Some(base), Some(plus)) => Ok(Edge { base, plus }),
        _ => unable("bytes of the file between other places"),
    }
}

fn is_own(path: &Path, record: RecordId) -> bool {
    match &path.start {
        Start::This => true,
        Start::Enclosing(records) => records.contains(&record),
        _ => false,
    }
}

/// An address plus a number: an `i128`.
pub(super) fn plus(address: TokenStream, plus: i128) -> TokenStream {
    let number = Literal::u128_unsuffixed(plus.unsigned_abs());
    match plus {
        0 => address,
        1.. => quote!(#address + #number),
        _ => quote!(#address - #number),
    }
}

/// Who has the bytes of the file in a local.
pub(super) struct AtHand;

impl Late for AtHand {
    fn address(&self, _: &Scope<'_>, _: ExprId) -> Able<TokenStream> {
        unable("an address beside bytes of the file")
    }

    fn has_addresses(&self) -> bool {
        false
    }

    fn stored(&self) -> Able<TokenStream> {
        Ok(quote!(rt::Some(bytes)))
    }
}
