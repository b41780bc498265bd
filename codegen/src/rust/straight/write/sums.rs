//! Numbers that follow from bytes of the file: they are stored last of all.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::derive::{Inline, measured_names};
use super::spot::{Spot, position};
use super::writer::{Node, Writer, numbered};
use crate::model::{ByteOrder, Cell, RecordId, Row, RowId, RowKind, Storage, Type};
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::digits;
use crate::rust::straight::equations::Side;
use crate::rust::straight::questions::{has_pointer, is_aligned, is_here};
use crate::rust::straight::scope::{Access, Frame, Scope};
use crate::rust::straight::summed::{AtHand, Base, Edge, Summed, distance, plus, summed};

/// A row that is such a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SumRow {
    record: RecordId,
    row: RowId,
    big: bool,
}

/// The same, with the bytes that it follows from.
pub(super) struct Sum {
    pub by: RowId,
    of: Summed,
}

impl<'m> Writer<'_, '_, 'm> {
    /// Rows of a node that follow from bytes of the file.
    pub(super) fn sums(&self, node: &Node<'m>) -> Able<Vec<Sum>> {
        let mut found = Vec::new();
        for (by, row) in node.record().numbered_rows() {
            if is_here(row, node.epoch)
                && let Some(of) = summed(node.view, node.id, row)?
            {
                found.push(Sum { by, of });
            }
        }
        Ok(found)
    }

    /// Code before the rows that declares where the bytes and the number are, and code behind them
    /// that remembers it. What is to be noted of rows is added to `measured`.
    pub(super) fn sum_code(
        &self,
        node: &Node<'m>,
        sum: &Sum,
        measured: &mut Vec<Inline>,
        (before, after): (&mut TokenStream, &mut TokenStream),
    ) -> Able<()> {
        let row = node.row(sum.by);
        let Some(width) = self.size(node, &row.ty) else {
            return unable("a sum of no fixed size");
        };
        if row.plus != 0 || !row.none.is_empty() {
            return unable("a sum with another meaning");
        }
        for of in sum.of.rows() {
            let target = node.row(of);
            let plain = is_here(target, node.epoch)
                && target.when.is_none()
                && !has_pointer(&target.ty)
                && !target.ty.is_bits()
                && target.none.is_empty()
                && !is_aligned(&target.ty)
                && !matches!(target.kind, RowKind::Pool { .. });
            if !plain {
                return unable("bytes of the file at no plain row");
            }
            if measured.iter().any(|known| (known.by, known.row) == (sum.by, of)) {
                continue;
            }
            // Both sides of it are noted.
            let (measure, factor, offset) = (Side::At, 1, 0);
            let inline = Inline { by: sum.by, row: of, measure, factor, offset, own: false };
            let (_, from, to) = measured_names(node.id, sum.by, of);
            before.extend(quote!(let (mut #from, mut #to) = (0, 0);));
            measured.push(inline);
        }
        let place = sum_place(node.id, sum.by);
        let from = self.edge(node, sum, &sum.of.from)?;
        let to = self.edge(node, sum, &sum.of.to)?;
        let number = numbered(&self.sums, SumRow { record: node.id, row: sum.by, big: node.big });
        let number = Literal::usize_unsuffixed(number);
        let width = Literal::u64_unsuffixed(width);
        let kept = self.kept_digits(node, sum.by);
        let remember = quote!(cx.sum(#number, #place, (#width, #kept), (#from, #to))?;);
        // It may not be there.
        let (first, remember) = match row.when {
            Some(_) => (quote!(s::Spot::MAX), quote!(if #place != s::Spot::MAX { #remember })),
            None => (quote!(0), remember),
        };
        before.extend(quote!(let mut #place = #first;));
        after.extend(remember);
        Ok(())
    }

    /// Where bytes begin or end: an `i128`.
    fn edge(&self, node: &Node<'m>, sum: &Sum, edge: &Edge) -> Able<TokenStream> {
        let address = match edge.base {
            Base::FileBegin => {
                let at = Literal::i128_unsuffixed(edge.plus);
                return Ok(quote!(#at));
            }
            Base::FileEnd if edge.plus == 0 => return Ok(quote!(s::FILE_END)),
            Base::FileEnd => return unable("bytes that end before the file does"),
            Base::Around(record) => {
                let at = node.scope.frame_of(record).and_then(|frame| frame.at.clone());
                let sizes = &self.sizes[node.epoch];
                let (at, behind) = match at {
                    Some(at) => (at, 0),
                    None => match distance(node.view, sizes, node.epoch, node.id, record) {
                        Some(distance) => (node.at.clone(), distance.into()),
                        None => return unable("bytes from where something around begins"),
                    },
                };
                let more = edge.plus.saturating_sub(behind);
                return Ok(plus(quote!(i128::from(cx.resolve(#at)?)), more));
            }
            Base::Row(row, end) => {
                let (_, from, to) = measured_names(node.id, sum.by, row);
                if end { quote!(#to) } else { quote!(#from) }
            }
        };
        Ok(plus(quote!(i128::from(#address)), edge.plus))
    }

    /// The bytes of a row that follows from bytes of the file: zeros, until all others are there.
    pub(super) fn sum_row(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<Option<TokenStream>> {
        if summed(node.view, node.id, row)?.is_none() {
            return Ok(None);
        }
        let place = sum_place(node.id, id);
        let Some(size) = self.size(node, &row.ty) else { return unable("a sum of no fixed size") };
        let size = i128::from(size);
        Ok(Some(match spot {
            Spot::Block(offset) => {
                let at = position(offset);
                quote!(#place = #at;)
            }
            Spot::End => quote!(#place = cx.here(); cx.zero(rt::Some(#size))?;),
        }))
    }

    /// Code that stores all such numbers.
    pub(super) fn sum_rows(&self) -> Able<TokenStream> {
        let rows = self.sums.borrow().clone();
        if rows.is_empty() {
            return Ok(quote!());
        }
        let mut arms = TokenStream::new();
        for (number, sum) in (0_u32..).zip(rows) {
            let number = Literal::u32_unsuffixed(number);
            let body = self.by_epoch(|view, epoch| {
                let row = &view.records[sum.record.index()].rows[sum.row.index()];
                let of = match is_here(row, epoch) {
                    true => summed(view, sum.record, row)?,
                    false => None,
                };
                let Some(of) = of else { return Ok(quote!(return rt::Err(s::Odd);)) };
                let frame = Frame {
                    record: sum.record,
                    access: Access::Value(quote!(v)),
                    at: None,
                    index: None,
                };
                let scope = Scope { frames: vec![frame], it: None, late: Some(&AtHand) };
                let n = self.straight.number(&scope, view, of.expr)?;
                let Type::Cell(Cell { storage, .. }) = row.ty else {
                    return unable("a sum that is no number");
                };
                let fill = match storage {
                    Storage::Fixed(int) => {
                        let (width, signed) = (int.bytes, int.signed);
                        let big = int.order.map_or(sum.big, |order| order == ByteOrder::Big);
                        quote!(cx.fill(sum.at, #width, #big, #signed, n)?;)
                    }
                    Storage::Digits { digits, bytes: Some(bytes) } => {
                        let form = digits::form(self.model, digits, bytes);
                        quote!(cx.fill_digits(sum.at, n, &#form, sum.kept)?;)
                    }
                    _ => return unable("a sum that is no number in bytes"),
                };
                Ok(quote! {
                    let n: rt::Option<i128> = {
                        let bytes: &[u8] = &cx.summed(&sum)?;
                        #n
                    };
                    #fill
                })
            })?;
            arms.extend(quote!(#number => { #body }));
        }
        Ok(quote! {
            for sum in cx.sums()? {
                match sum.row { #arms _ => return rt::Err(s::Odd), }
            }
        })
    }
}

/// The local that has where such a row is.
fn sum_place(id: RecordId, row: RowId) -> proc_macro2::Ident {
    format_ident!("sum__{}_{}", id.0, row.0)
}
