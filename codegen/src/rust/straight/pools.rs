//! String pools: which there are, their orders, and how their texts are stored.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::able::{Able, unable};
use super::anchors::Anchors;
use super::context::Straight;
use super::ends;
use super::questions::target;
use super::scope::Scope;
use crate::model::{
    Cell, Content, Encoding, ExprId, Extent, IntType, Model, Path, PoolOrder, RecordId, RowId,
    RowKind, RunLength, Storage, Terminated, Type,
};

/// How many pools may be in the structs of a schema where these are in several places.
const PLACES: u8 = 16;

impl<'m> Straight<'_, 'm> {
    /// Rows that hold a struct with a pool: the record, the row, and the record of the struct.
    pub(super) fn holders_of_pools(&self) -> Vec<(RecordId, RowId, RecordId)> {
        let mut found = Vec::new();
        for (id, record) in self.model.records() {
            for (row_id, row) in record.numbered_rows() {
                if let Type::Record(inner) = target(&row.ty)
                    && self.has_pool(*inner)
                {
                    found.push((id, row_id, *inner));
                }
            }
        }
        found
    }

    fn has_pool(&self, record: RecordId) -> bool {
        self.record(record).rows.iter().any(|row| matches!(row.kind, RowKind::Pool { .. }))
    }

    /// The rows that hold a struct with a pool; none of another one.
    pub(super) fn places_of(&self, record: RecordId) -> Vec<(RecordId, RowId)> {
        if !self.has_pool(record) {
            return Vec::new();
        }
        let holders = self.holders_of_pools();
        let places = holders.into_iter().filter(|(.., pool)| *pool == record);
        places.map(|(of, row, _)| (of, row)).collect()
    }

    /// In which of its places a struct with a pool is that a row holds, if it has several.
    pub(super) fn pool_place(&self, holder: RecordId, row: RowId, of: RecordId) -> Option<u8> {
        let places = self.places_of(of);
        let at = places.iter().position(|place| *place == (holder, row))?;
        u8::try_from(at).ok().filter(|_| places.len() > 1)
    }

    /// Number of the pool that a path leads to.
    pub(super) fn pool_number(&self, anchors: &Anchors, path: &Path) -> Option<u8> {
        let (record, row) = anchors.place(path, self.model.root)?;
        let number = self.number_of_pool(record, row)?;
        let more = match self.places_of(record).as_slice() {
            [] | [_] => 0,
            places => {
                let way = self.way_of(self.model.root, path)?;
                let holder = way.len().checked_sub(2).and_then(|at| way.get(at))?;
                places.iter().position(|place| place == holder)?
            }
        };
        number.checked_add(u8::try_from(more).ok()?.checked_mul(PLACES)?)
    }

    /// Number of the pool that a path from a record leads to, if there is one such in a file.
    pub(super) fn only_pool(&self, anchors: &Anchors, path: &Path, this: RecordId) -> Option<u8> {
        let (record, row) = anchors.place(path, this)?;
        let alone = self.places_of(record).len() <= 1 && self.way_to(record).is_some();
        self.number_of_pool(record, row).filter(|_| alone)
    }

    /// Code for the number of its members, as readers and writers know it: an `Option<i128>`.
    pub(super) fn member_count(
        &self,
        anchors: &Anchors,
        scope: &Scope<'_>,
        path: &Path,
    ) -> Option<TokenStream> {
        let pool = self.only_pool(anchors, path, scope.frames.last()?.record)?;
        Some(quote!(cx.member_count(#pool)))
    }

    /// The number of a pool where it stands: a `u8`. If its struct is in several places, `place` is
    /// which of them.
    pub(super) fn pool_here(
        &self,
        id: RecordId,
        row: RowId,
        place: &TokenStream,
    ) -> Able<TokenStream> {
        let Some(number) = self.number_of_pool(id, row) else { return unable("too many pools") };
        Ok(match self.places_of(id).len() {
            0 | 1 => quote!(#number),
            _ => quote!((#number + #place * #PLACES)),
        })
    }

    fn number_of_pool(&self, id: RecordId, row: RowId) -> Option<u8> {
        let mut pools = self.model.records().flat_map(|(id, record)| {
            let pools =
                record.numbered_rows().filter(|(_, row)| matches!(row.kind, RowKind::Pool { .. }));
            pools.map(move |(row, _)| (id, row))
        });
        let at = pools.position(|pool| pool == (id, row))?;
        let several = self.places_of(id).len() > 1;
        u8::try_from(at).ok().filter(|at| !several || *at < PLACES)
    }

    /// Code for the order of a pool that the first condition which holds says.
    pub(super) fn pool_order(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        rules: &[(Option<ExprId>, PoolOrder)],
    ) -> Able<TokenStream> {
        let Some(((condition, order), rest)) = rules.split_first() else {
            return Ok(quote!(::formwork::algorithms::PoolOrder::FirstUse));
        };
        let holds = match condition {
            Some(condition) => self.truth(scope, view, *condition)?,
            None => quote!(true),
        };
        let is = |truth: &str| holds.to_string() == truth;
        if is("false") {
            return self.pool_order(scope, view, rest);
        }
        let order = match order {
            PoolOrder::DepthFirst => return unable("a pool in the order of the value"),
            PoolOrder::FirstUse => quote!(::formwork::algorithms::PoolOrder::FirstUse),
            PoolOrder::EachUse => quote!(::formwork::algorithms::PoolOrder::EachUse),
            PoolOrder::Bytes => quote!(::formwork::algorithms::PoolOrder::Bytes),
            PoolOrder::BitsFromEnd => quote!(::formwork::algorithms::PoolOrder::BitsFromEnd),
        };
        if is("true") {
            return Ok(order);
        }
        let otherwise = self.pool_order(scope, view, rest)?;
        Ok(quote!(if #holds { #order } else { #otherwise }))
    }
}

/// How the texts of a pool are stored.
pub(super) struct PoolText<'m> {
    pub content: Content,
    /// The number in front of each that says how long it is.
    prefix: Option<&'m IntType>,
    /// What stands behind each.
    suffix: &'m [u8],
    align: u64,
    ascii: bool,
}

impl<'m> PoolText<'m> {
    /// That of a pool's members.
    pub fn of(member: &'m Type) -> Able<PoolText<'m>> {
        let (run, suffix): (_, &[u8]) = match member {
            Type::Run(run) => (run, &run.suffix),
            Type::Region(region) => match &region.extent {
                Extent::Terminated(stop)
                    if region.trim.is_none()
                        && stop.mode == Terminated::Dropped
                        && !stop.optional
                        && stop.unit == 1 =>
                {
                    match ends::filling(region) {
                        Some(run) => (run, &stop.bytes),
                        None => return unable("a string pool of something that is no text"),
                    }
                }
                _ => return unable("a string pool of texts with other ends"),
            },
            _ => return unable("a string pool of something that is no text"),
        };
        let prefix = match &run.length {
            RunLength::Prefix(Cell { storage: Storage::Fixed(int), .. }) if !int.signed => {
                Some(int)
            }
            RunLength::Fill if suffix.len() == 1 => None,
            _ => return unable("a pool of texts of another length"),
        };
        let ascii = match run.content {
            Content::Bytes | Content::Text(Encoding::Utf8) => false,
            Content::Text(Encoding::Ascii) => true,
            Content::Text(_) => return unable("a pool of wide texts"),
        };
        let (content, align) = (run.content, run.align.unwrap_or(1));
        Ok(PoolText { content, prefix, suffix, align, ascii })
    }

    /// The same as code; `pad`: the end of each is filled up to a multiple of so many bytes.
    pub fn tokens(&self, is_big: &dyn Fn(&IntType) -> bool, pad: u64) -> TokenStream {
        let (prefix, big) = self.prefix.map_or((0, false), |int| (int.bytes, is_big(int)));
        let (suffix, align, ascii) = (Literal::byte_string(self.suffix), self.align, self.ascii);
        quote! {
            s::PoolText {
                prefix: #prefix,
                big: #big,
                suffix: #suffix,
                align: #align,
                pad: #pad,
                ascii: #ascii,
            }
        }
    }
}
