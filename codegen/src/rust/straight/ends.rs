//! Content that ends before what is around it does: at a terminator, or in a room.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::able::{Able, unable};
use super::context::Straight;
use crate::model::{
    ByteOrder, ExprId, Extent, LengthRule, Model, RecordId, RegionType, RowId, RunLength, RunType,
    Terminated, Terminator, Trim, Type,
};

/// What straight code carries of them. A terminator is always there, although the end of a region may
/// stand for it: that is odd.
pub(super) enum Ends<'m> {
    /// At a terminator.
    Stop(&'m Terminator),
    /// In a room of so many bytes.
    Cut(u64, &'m Trim),
    /// In a room of as many bytes as an expression says.
    Room(ExprId, &'m Trim),
}

/// How the content of a region ends; `None` if it takes the whole region.
pub(super) fn ends<'m>(model: &Model, region: &'m RegionType) -> Able<Option<Ends<'m>>> {
    Ok(Some(match (&region.extent, &region.trim) {
        (Extent::Terminated(stop), None) => Ends::Stop(stop),
        (Extent::Size(size), Some(trim)) => {
            match model.exprs.constant(*size).and_then(|size| u64::try_from(size).ok()) {
                Some(size) => Ends::Cut(size, trim),
                None => Ends::Room(*size, trim),
            }
        }
        (_, Some(_)) => return unable("content that may end in a room up to an address"),
        (_, None) => return Ok(None),
    }))
}

/// The run that a region is filled with, if it has nothing else in it.
pub(super) fn filling(region: &RegionType) -> Option<&RunType> {
    match &region.inner {
        Type::Run(run)
            if matches!(run.length, RunLength::Fill)
                && run.suffix.is_empty()
                && run.align.is_none() =>
        {
            Some(run)
        }
        _ => None,
    }
}

/// The byte that is a terminator, which most are.
pub(super) fn byte(of: &Terminator) -> Option<Literal> {
    match of.bytes.as_slice() {
        [byte] if of.unit <= 1 && of.mode == Terminated::Dropped => {
            Some(Literal::u8_unsuffixed(*byte))
        }
        _ => None,
    }
}

/// A terminator in a struct of this byte order, in generated code.
pub(in crate::rust) fn stop(of: &Terminator, big: bool) -> TokenStream {
    let (bytes, unit, optional) =
        (Literal::byte_string(&of.bytes), Literal::u32_unsuffixed(of.unit), of.optional);
    let big = of.order.map_or(big, |order| order == ByteOrder::Big) && !of.any.is_empty();
    let any = of.any.iter().map(|(least, most)| {
        let (least, most) = (Literal::u32_unsuffixed(*least), Literal::u32_unsuffixed(*most));
        quote!((#least, #most))
    });
    let mode = match of.mode {
        Terminated::Dropped => quote!(Dropped),
        Terminated::Kept => quote!(Kept),
        Terminated::Unread => quote!(Unread),
    };
    quote! {
        s::Stop {
            bytes: #bytes,
            any: &[#(#any),*],
            big: #big,
            unit: #unit,
            mode: s::Terminated::#mode,
            optional: #optional,
        }
    }
}

/// What ends content in a room, in generated code.
pub(in crate::rust) fn cut(of: &Trim, big: bool) -> TokenStream {
    let stop = match of.terminator.as_ref().map(|of| stop(of, big)) {
        Some(stop) => quote!(rt::Some(#stop)),
        None => quote!(rt::None),
    };
    let strip = match of.strip {
        Some(strip) => quote!(rt::Some(#strip)),
        None => quote!(rt::None),
    };
    quote!(s::Cut { stop: #stop, strip: #strip })
}

/// How it is known how large a room is.
pub(super) enum RoomSize<'s> {
    /// Something says it that does not follow from the content.
    Said,
    /// It follows from the content, by a number with this rule.
    Least(&'s LengthRule),
}

impl<'m> Straight<'_, 'm> {
    /// How it is known how large the room of a row is, of which this expression says it.
    pub(super) fn room_size(
        &self,
        record: RecordId,
        row: RowId,
        size: ExprId,
    ) -> Able<RoomSize<'_>> {
        if let Some(rule) = self.followed.get(&(record, row)) {
            return Ok(RoomSize::Least(rule));
        }
        if self.model.asks_ahead(&self.held_by, (record, row), size) || self.is_about_place(size) {
            return unable("a room whose size follows from a place");
        }
        Ok(RoomSize::Said)
    }
}
