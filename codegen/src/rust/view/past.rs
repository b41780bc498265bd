//! Where something ends.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::rows::Scope;
use super::{Views, Wanted, layout};
use crate::model::{
    ArrayLength, Extent, RecordId, Row, RowId, RunLength, Storage, Type, UnionId, unit_size,
};
use crate::rust::straight::{Able, unable};

impl Views<'_, '_> {
    /// The place behind something at a place.
    pub(super) fn past(
        &self,
        scope: Scope<'_>,
        ty: &Type,
        row: &Row,
        place: &TokenStream,
    ) -> Able<TokenStream> {
        let epoch = scope.epoch();
        let ty = ty.in_epoch(layout(epoch));
        if let Some(size) = self.sizes[epoch].of(ty) {
            let size = Literal::u64_unsuffixed(size);
            return Ok(quote!(#place.skip(#size)?));
        }
        Ok(match ty {
            Type::Cell(cell) => match cell.storage {
                storage @ Storage::Varint(_) => {
                    let found = self.varint(storage, place)?;
                    quote!(#found.1)
                }
                Storage::Digits { .. } => return unable("a number in digits"),
                _ => return unable("bits that share bytes with their neighbours"),
            },
            Type::Pointer(pointer) => {
                let kind = &self.model.pointers[pointer.kind.index()];
                let storage = pointer.cell.as_ref().map_or(kind.cell.storage, |cell| cell.storage);
                let found = self.varint(storage, place)?;
                quote!(#found.1)
            }
            Type::Run(run) => {
                let unit = Literal::u64_unsuffixed(unit_size(run.content));
                let suffix = Literal::usize_unsuffixed(run.suffix.len());
                let begin = match run.align.filter(|align| *align > 1) {
                    Some(align) => {
                        let align = Literal::u64_unsuffixed(align);
                        quote!(#place.aligned(#align)?)
                    }
                    None => place.clone(),
                };
                let at = quote!(at);
                let behind = match &run.length {
                    RunLength::Fill => quote!(at.at_end()),
                    RunLength::Fixed(size) => {
                        let size = Literal::u64_unsuffixed(*size);
                        quote!(at.skip(#size)?)
                    }
                    RunLength::Count(count) => {
                        let count = self.size(scope, &at, *count)?;
                        quote!(at.skip(at.size(#count)?.saturating_mul(#unit))?)
                    }
                    RunLength::Prefix(cell) => {
                        let prefix = self.prefix(cell, &at)?;
                        quote!({
                            let (count, at) = #prefix;
                            at.skip(at.size(rt::Some(count as i128))?.saturating_mul(#unit))?
                        })
                    }
                };
                let suffix = (!run.suffix.is_empty()).then(|| quote!(.skip(#suffix)?));
                quote!({ let at = #begin; #behind #suffix })
            }
            Type::Record(id) => {
                if self.is_endless(Wanted::Record(*id)) {
                    return unable("the end of a struct cannot be found");
                }
                if let Some(union) = self.body_union(*id) {
                    return self.past(scope, &Type::Union(union), row, place);
                }
                self.record_ty(*id);
                let ident = self.record_ident(*id);
                quote!(#ident::__walk(#place)?.1.seen_from(#place))
            }
            Type::Union(id) => {
                if self.is_endless(Wanted::Union(*id)) {
                    return unable("the end of a union cannot be found");
                }
                match self.union_size(*id) {
                    Some(size) => {
                        let size = Literal::u64_unsuffixed(size);
                        quote!(#place.skip(#size)?)
                    }
                    None => {
                        let found = self.union_walk(scope, place, *id)?;
                        quote!({ let from = #place; from.forward(#found.1) })
                    }
                }
            }
            Type::Array(array) => {
                let Scope::Row(body) = scope else {
                    return unable("the end of an array in an array");
                };
                if array.stride.is_some() || array.described.is_some() {
                    return unable("the end of elements that have places of their own");
                }
                let count = match &array.length {
                    ArrayLength::Count(count) => self.size(scope, place, *count)?,
                    ArrayLength::Fill => return Ok(quote!(#place.at_end())),
                    ArrayLength::Last(_) => return unable("an array that an element ends"),
                };
                match self.sizes[epoch].of(&array.element) {
                    Some(size) => {
                        let size = Literal::u64_unsuffixed(size);
                        quote!(#place.skip(#place.count(#count)?.saturating_mul(#size))?)
                    }
                    None => {
                        let element = self.element((body.record, self.row_of(body, row)?))?;
                        let marker = element.marker;
                        match element.fixed {
                            true => quote!(v::List::<#marker>::counted(#place, #count)?.behind()),
                            false => {
                                quote!(v::Items::<#marker>::counted(#place, #count)?.behind()?)
                            }
                        }
                    }
                }
            }
            Type::Region(region) if region.align().is_some() => {
                return unable("the end of an aligned text");
            }
            Type::Region(region) => match &region.extent {
                Extent::Size(size) => {
                    let size = self.size(scope, place, *size)?;
                    quote!(#place.skip_size(#size)?)
                }
                Extent::End(end) => {
                    let end = self.size(scope, place, *end)?;
                    quote!({ let inner = #place.region_to(#end)?; inner.at_end().seen_from(#place) })
                }
                Extent::Terminated(stop) => {
                    let stop = self.stop(stop)?;
                    quote!(#place.terminated(#stop)?.1)
                }
                Extent::Rest => quote!(#place.at_end()),
            },
            Type::PerEpoch(_) | Type::ByteOrderMark | Type::Text | Type::Nothing => place.clone(),
        })
    }

    /// Position of a row in the body that has it.
    fn row_of(&self, body: &super::rows::Body<'_>, row: &Row) -> Able<RowId> {
        let rows = &body.model.records[body.record.index()].rows;
        let at = rows.iter().position(|known| std::ptr::eq(known, row));
        match at.and_then(|at| u32::try_from(at).ok()) {
            Some(at) => Ok(RowId(at)),
            None => unable("a row of another struct"),
        }
    }

    /// Whether the end of something cannot be found.
    pub(super) fn is_endless(&self, of: Wanted) -> bool {
        self.endless.borrow().contains(&of)
    }

    /// Finds out which records and unions have no end that can be found: all have one until one is
    /// met that is not found, and those that need it have none either.
    pub(super) fn find_ends(&self) {
        let records = (0..u32::try_from(self.model.records.len()).unwrap_or(0)).map(RecordId);
        let unions = (0..u32::try_from(self.model.unions.len()).unwrap_or(0)).map(UnionId);
        let all: Vec<Wanted> =
            records.map(Wanted::Record).chain(unions.map(Wanted::Union)).collect();
        loop {
            let known = |of: &Wanted| self.is_endless(*of) || self.has_end(*of);
            let endless: Vec<Wanted> = all.iter().copied().filter(|of| !known(of)).collect();
            if endless.is_empty() {
                return;
            }
            self.endless.borrow_mut().extend(endless);
            // What was made of them was made for nothing.
            self.forget();
        }
    }
}
