//! Numbers that follow from bytes of the file: where these begin and end.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::able::{Able, unable};
use super::equations::{Equation, Measured, Side, measure_plus};
use super::scope::{Late, Scope};
use crate::model::{
    Expr, ExprId, Home, Model, RecordId, RecordKind, Row, RowId, Sizes, Start, Step, Tag, Type,
};

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
    pub fn rows(&self) -> impl Iterator<Item = RowId> + use<> {
        let row = |edge: &Edge| match edge.base {
            Base::Row(row, _) => Some(row),
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
        (Side::At | Side::End, [Step::Field(_)]) if path.start.is_in(record) => {
            super::questions::own_row(path, record).map(|row| Base::Row(row, side == Side::End))
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

/// How far behind the begin of a struct around another one begins, if that is always the same.
pub(super) fn distance(
    model: &Model,
    sizes: &Sizes<'_>,
    epoch: usize,
    inner: RecordId,
    outer: RecordId,
) -> Option<u64> {
    let (mut at, mut distance) = (inner, 0_u64);
    for _ in 0..MOST_LEVELS {
        if at == outer {
            return Some(distance);
        }
        let mut holders = model.records().flat_map(|(id, record)| {
            record.numbered_rows().filter_map(move |(row, found)| {
                let inline = match found.ty.stripped() {
                    Type::Record(inner) => *inner == at,
                    Type::Union(union) => {
                        model.unions[union.index()].cases.iter().any(|case| case.record == at)
                    }
                    _ => false,
                };
                let holds = inline || found.ty.parts().any(|part| is_or_has(model, part, at));
                holds.then_some((id, row, inline))
            })
        });
        let (holder, row, true) = holders.next()? else { return None };
        if holders.next().is_some() {
            return None;
        }
        drop(holders);
        distance = distance.checked_add(offset(model, sizes, epoch, holder, row)?)?;
        at = holder;
    }
    None
}

/// Structs in structs that are looked through.
const MOST_LEVELS: u32 = 16;

fn is_or_has(model: &Model, part: &Type, record: RecordId) -> bool {
    match part {
        Type::Record(id) => *id == record,
        Type::Union(id) => model.unions[id.index()].records().any(|case| case == record),
        _ => false,
    }
}

/// Where a row begins in its struct, if only rows of fixed size are in front of it.
fn offset(
    model: &Model,
    sizes: &Sizes<'_>,
    epoch: usize,
    record: RecordId,
    row: RowId,
) -> Option<u64> {
    let record = &model.records[record.index()];
    let found = &record.rows[row.index()];
    if let Type::Union(union) = found.ty.stripped()
        && !matches!(model.unions[union.index()].tag, Tag::Row(_) | Tag::Given(_))
    {
        return None;
    }
    let home = |row: &Row| row.homes.get(epoch).copied();
    let has_homes = record.rows.iter().any(|row| matches!(home(row), Some(Home::At(_))));
    match home(found)? {
        // Those of cases count from the struct around.
        Home::At(at) => {
            let plain = matches!(record.kind, RecordKind::Struct);
            return (plain && matches!(found.ty, Type::Record(_))).then_some(at);
        }
        Home::Next if !has_homes => {}
        _ => return None,
    }
    let before = record.rows.iter().take(row.index());
    let mut sum = 0_u64;
    for row in before.filter(|row| home(row) == Some(Home::Next)) {
        let plain = row.when.is_none() && !row.ty.is_bits();
        sum = sum.checked_add(sizes.of(&row.ty).filter(|_| plain)?)?;
    }
    Some(sum)
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
