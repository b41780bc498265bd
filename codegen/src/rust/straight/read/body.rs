//! The rows of a record, case or form.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::super::bits;
use super::chain::{Chains, Pieces};
use super::{Ctx, Reading, Spot, nothing, size};
use crate::model::{
    Constant, ExprId, Home, RecordId, RecordKind, Row, RowId, RowKind, Storage, Tag, Type,
};
use crate::rust::mentions::mentions;
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::early::{early, early_value, is_early_number};
use crate::rust::straight::questions::{has_varint, is_varint};

/// What holds rows.
#[derive(Clone)]
pub(super) struct Holder {
    /// Address that homes count from: a `usize`.
    pub base: TokenStream,
    /// A block, the offset in it that homes count from, and the offset behind it.
    pub block: Option<(Ident, u64, u64)>,
    /// Whether nothing else is in that block.
    pub whole: bool,
    /// Where reading goes on, and whether that is a local.
    pub part: Option<(Ident, bool)>,
    /// Whether no block was taken off the part.
    pub case: bool,
}

impl Holder {
    pub fn stream(&self) -> Able<Spot> {
        match &self.part {
            Some((part, local)) => Ok(Spot::Stream { part: part.clone(), local: *local }),
            None => unable("a row of no fixed size within a block"),
        }
    }
}

/// The rows of a record as code.
pub(super) struct Rows {
    /// Statements.
    pub code: TokenStream,
    /// The fields.
    pub fields: Vec<(RowId, TokenStream)>,
    /// The local that has kept widths, if some row may have an unusual one.
    pub keeps: Option<Ident>,
    /// Rows that the epoch does not have.
    pub gone: Vec<RowId>,
}

impl<'m> Reading<'_, '_, 'm> {
    /// Reads the rows of `ctx.record`. `wanted` says which of them are fields, and their shapes.
    pub(super) fn rows(
        &self,
        ctx: &Ctx<'m>,
        holder: &Holder,
        wanted: &dyn Fn(RowId) -> Option<Shape>,
    ) -> Able<Rows> {
        self.straight.elsewhere(|| self.rows_there(ctx, holder, wanted))
    }

    fn rows_there(
        &self,
        ctx: &Ctx<'m>,
        holder: &Holder,
        wanted: &dyn Fn(RowId) -> Option<Shape>,
    ) -> Able<Rows> {
        let record = &ctx.view.records[ctx.record.index()];
        let mut work = Work {
            ctx,
            wanted,
            extents: self.extents_asked(ctx),
            keeps: self.keeps(ctx),
            code: TokenStream::new(),
            fields: Vec::new(),
            later: Vec::new(),
            waiting: Vec::new(),
            gone: Vec::new(),
            chains: BTreeMap::new(),
            pieces: Pieces::default(),
            own: None,
        };
        if ctx.word.is_some() {
            for (id, row) in record.numbered_rows() {
                let spot = Spot::local(format_ident!("part"));
                self.row_at(&mut work, id, row, &spot)?;
            }
            let made = self.settle(&mut work);
            self.straight.carried(ctx.record, None, made)?;
            return Ok(work.done());
        }
        if let Some(keeps) = &work.keeps {
            work.code.extend(quote!(let mut #keeps = ::formwork::Spelling::default();));
        }
        let first = self.before_rows(ctx, holder);
        work.code.extend(first);
        self.open_chains(&mut work);
        let made = self.fixed_rows(&mut work, holder);
        self.straight.carried(ctx.record, None, made)?;
        let made = self.next_rows(&mut work, holder);
        self.straight.carried(ctx.record, None, made)?;
        self.own_end(&mut work, holder);
        // What pointers lead to, when all numbers are known.
        let order = record.read_order.iter().copied();
        for id in order {
            if let Some(at) = work.later.iter().position(|(row, _)| *row == id) {
                let (_, spot) = work.later.remove(at);
                let row = &record.rows[id.index()];
                let made = self.about(row, || match (&row.when, &spot) {
                    (Some(_), Spot::Block { block, .. }) => {
                        let there = quote!(let rt::Some(#block) = #block);
                        self.where_holds(&mut work, id, row, &there, &|work| {
                            self.row_here(work, id, row, &spot)
                        })
                    }
                    _ => self.row_here(&mut work, id, row, &spot),
                });
                self.behind(&mut work, id, made)?;
            }
        }
        if !work.later.is_empty() || !work.waiting.is_empty() {
            return unable("a pointer that is never read");
        }
        for (id, row) in record.numbered_rows() {
            let made = self.about(row, || self.row_without_bytes(&mut work, id, row));
            self.behind(&mut work, id, made)?;
        }
        let made = self.names(&mut work).and_then(|()| self.settle(&mut work));
        self.straight.carried(ctx.record, None, made)?;
        self.close_chains(&mut work);
        Ok(work.done())
    }

    /// What has to be known before the rows of a record are read: in which of its places it is, if
    /// it has a pool, and where rows will begin that labels in front of them count from.
    fn before_rows(&self, ctx: &Ctx<'m>, holder: &Holder) -> TokenStream {
        let record = &ctx.view.records[ctx.record.index()];
        let mut code = TokenStream::new();
        let is_pool = |row: &Row| matches!(row.kind, RowKind::Pool { .. });
        if self.is_sealed()
            && record.rows.iter().any(is_pool)
            && self.straight.places_of(ctx.record).len() > 1
        {
            let place = pool_place(ctx.record);
            code.extend(quote!(let #place = cx.pool_place();));
        }
        for (id, row) in record.numbered_rows() {
            let (Some(base), Some(Home::Next)) =
                (self.is_base(ctx.record, id), row.homes.get(ctx.epoch))
            else {
                continue;
            };
            let at = &holder.base;
            // Otherwise labels wait for it, or the file is read twice.
            if let Some(ahead) = self.ahead(ctx, &quote!(#at as u64), id) {
                code.extend(quote!(cx.ahead(#base, #ahead as usize);));
            }
        }
        code
    }

    /// Where a row of a record will begin that begins at an address, if numbers in it say so.
    pub(super) fn ahead(&self, ctx: &Ctx<'m>, at: &TokenStream, id: RowId) -> Option<TokenStream> {
        let ahead = || self.straight.sight_next(ctx.view, ctx.record, at, id);
        self.straight.perhaps(ahead).ok()
    }

    /// Whether something unusual about a row is kept: of runs, widths in front of them are not.
    pub(super) fn keeps_row(&self, of: RecordId, row: &Row) -> bool {
        self.straight.keeps(of, row) && (is_varint(&row.ty) || !has_varint(&row.ty))
    }

    /// A local for what is kept, if a row may have that and the struct has a place for it.
    fn keeps(&self, ctx: &Ctx<'m>) -> Option<Ident> {
        let record = &ctx.view.records[ctx.record.index()];
        let of = match record.kind {
            RecordKind::Form(union, case, _) => {
                self.model.unions[union.index()].cases[case as usize].record
            }
            _ => ctx.record,
        };
        let keeps = record.rows.iter().any(|row| {
            self.keeps_row(of, row) && !matches!(row.homes.get(ctx.epoch), Some(Home::Absent))
        });
        (keeps && self.straight.shapes.has_spelling(of)).then(|| self.local("k"))
    }

    /// Goes on behind a row. In a survey, one that is not carried counts as if it were.
    pub(super) fn behind(&self, work: &mut Work<'_, 'm>, id: RowId, made: Able<()>) -> Able<()> {
        let record = work.ctx.record;
        if self.straight.carried(record, Some(id), made)?.is_none() {
            self.known.borrow_mut().insert(early(record, id).to_string());
            self.known.borrow_mut().insert(early_value(record, id).to_string());
            if (work.wanted)(id).is_some() && !work.fields.iter().any(|(known, _)| *known == id) {
                work.fields.push((id, quote!(())));
            }
        }
        Ok(())
    }

    /// Rows with homes.
    fn fixed_rows(&self, work: &mut Work<'_, 'm>, holder: &Holder) -> Able<()> {
        let ctx = work.ctx;
        let record = &ctx.view.records[ctx.record.index()];
        let homes: Vec<(RowId, u64)> = record
            .read_order
            .iter()
            .filter_map(|id| match record.rows[id.index()].homes.get(ctx.epoch) {
                Some(Home::At(at)) => Some((*id, *at)),
                _ => None,
            })
            .collect();
        if homes.is_empty() {
            return Ok(());
        }
        let end_of = |(id, at): &(RowId, u64)| {
            let row = &record.rows[id.index()];
            let size = self.fixed(ctx, &row.ty).filter(|_| self.is_block(ctx, &row.ty))?;
            at.checked_add(size)
        };
        let sized = record.sizes.get(ctx.epoch).copied().flatten();
        let mut block = holder.block.clone();
        let mut reached = sized;
        if block.is_none() {
            // Homes of a case count from the record around it, whose part says where it ends.
            let (Some((part, _)), true) = (&holder.part, holder.case) else {
                return unable("offsets in a struct of no fixed size");
            };
            let end = homes.iter().filter_map(end_of).max();
            if let Some(end) = end.max(sized) {
                let (name, base, width) = (self.local("b"), &holder.base, size(end));
                work.code.extend(quote! {
                    let #name: &'i [u8; #width] = cx.between(#base, #part.end())?.block()?;
                });
                block = Some((name, 0, end));
                reached = Some(end);
            }
        }
        let mut beyond = Vec::new();
        for (id, at) in &homes {
            let row = &record.rows[id.index()];
            let spot = match &block {
                Some((name, delta, end))
                    if end_of(&(*id, *at)).is_some_and(|stop| delta + stop <= *end) =>
                {
                    let base = match *delta {
                        0 => holder.base.clone(),
                        delta => {
                            let (base, delta) = (&holder.base, size(delta));
                            quote!((#base - #delta))
                        }
                    };
                    Some(Spot::Block { block: name.clone(), at: delta + at, base, whole: false })
                }
                _ => None,
            };
            match spot {
                Some(spot) => self.row_at(work, *id, row, &spot)?,
                None if self.is_inner_union(ctx, row, &block) => {
                    let whole = holder.whole || holder.block.is_none();
                    let inner =
                        Holder { block: block.clone(), whole, part: None, ..holder.clone() };
                    self.union_row(work, *id, row, &inner)?;
                }
                None => {
                    let (Some((part, _)), base) = (&holder.part, &holder.base) else {
                        self.behind(work, *id, unable("a row of no fixed size within a block"))?;
                        continue;
                    };
                    let (name, at) = (self.local("p"), size(*at));
                    work.code.extend(quote! {
                        let mut #name = cx.between(#base + #at, #part.end())?;
                    });
                    let spot = Spot::local(name.clone());
                    if let Type::Union(_) = row.ty {
                        let inner = Holder {
                            block: block.clone(),
                            whole: holder.whole || holder.block.is_none(),
                            part: Some((name.clone(), true)),
                            ..holder.clone()
                        };
                        self.union_row(work, *id, row, &inner)?;
                    } else {
                        self.row_at(work, *id, row, &spot)?;
                    }
                    beyond.push(name);
                }
            }
        }
        if let Some((part, _)) = &holder.part {
            let base = &holder.base;
            // Of a record the block was taken off the part.
            if let (true, Some(reached)) = (holder.case, reached) {
                let reached = size(reached);
                work.code.extend(quote!(#part.reach(#base + #reached)?;));
            }
            for name in beyond {
                work.code.extend(quote!(#part.reach(#name.at())?;));
            }
        }
        Ok(())
    }

    /// Whether a row is a union whose cases lie in the block.
    fn is_inner_union(&self, ctx: &Ctx<'m>, row: &Row, block: &Option<(Ident, u64, u64)>) -> bool {
        match (&row.ty, block) {
            (Type::Union(union), Some((_, delta, end))) => {
                self.is_block_union(ctx, *union, end.saturating_sub(*delta))
            }
            _ => false,
        }
    }

    /// Rows one behind the other.
    fn next_rows(&self, work: &mut Work<'_, 'm>, holder: &Holder) -> Able<()> {
        let ctx = work.ctx;
        let record = &ctx.view.records[ctx.record.index()];
        let mut rows = record.numbered_rows().peekable();
        // A record in a block has its next rows there.
        let mut inside = match (&holder.part, &holder.block) {
            (None, Some((block, delta, _))) => {
                let size = record.sizes.get(ctx.epoch).copied().flatten().unwrap_or(0);
                Some((block.clone(), delta + size))
            }
            _ => None,
        };
        let mut bits = BTreeMap::new();
        while let Some((id, row)) = rows.next() {
            let home = row.homes.get(ctx.epoch).copied().unwrap_or(Home::Nowhere);
            if home == Home::Absent {
                let made = self.absent(work, id, row);
                self.behind(work, id, made)?;
                continue;
            }
            if row.in_tag() && home == Home::Nowhere {
                let spot = Spot::local(format_ident!("part"));
                self.row_at(work, id, row, &spot)?;
                continue;
            }
            if home != Home::Next {
                let place = match (&inside, &holder.part) {
                    (Some(_), _) | (_, None) => None,
                    (None, Some((part, _))) => {
                        Some((quote!(#part.at()), Some(quote!(#part.end()))))
                    }
                };
                let made = self.seen_early(work, id, place);
                self.behind(work, id, made)?;
                continue;
            }
            let blocked = row.when.is_none() && self.is_block(ctx, &row.ty);
            let size_of = |row: &Row| self.fixed(ctx, &row.ty).unwrap_or(0);
            if let Some((block, at)) = &mut inside {
                if !blocked {
                    self.behind(work, id, unable("a row of no fixed size within a block"))?;
                    continue;
                }
                let base = holder.block.as_ref().map_or(0, |(_, delta, _)| *delta);
                let (from, delta) = (&holder.base, size(base));
                let base = quote!((#from - #delta));
                let spot = Spot::Block { block: block.clone(), at: *at, base, whole: false };
                *at += size_of(row);
                self.row_at(work, id, row, &spot)?;
                continue;
            }
            let stream = holder.stream()?;
            let Spot::Stream { part, .. } = &stream else { return unable("no part") };
            if row.ty.is_bits() {
                let made = self.bits_at(work, id, row, part, &mut bits);
                self.behind(work, id, made)?;
                continue;
            }
            if !blocked {
                let around = std::mem::take(&mut work.code);
                let end = Some(quote!(#part.end()));
                self.straight.stand((ctx.record, id), quote!(#part.at()), end);
                if let Some(when) = &row.when {
                    let made = self.when(work, id, row, *when, &stream, holder);
                    self.behind(work, id, made)?;
                } else if let Type::Union(_) = row.ty {
                    // Its cases may have homes, which count from here.
                    let inner = Holder { block: None, case: true, ..holder.clone() };
                    self.union_row(work, id, row, &inner)?;
                } else {
                    self.row_at(work, id, row, &stream)?;
                }
                let code = std::mem::replace(&mut work.code, around);
                work.code.extend(self.straight.stood(&TokenStream::new()));
                work.code.extend(code);
                continue;
            }
            // All rows of constant size that follow are looked at as one block.
            let mut group = vec![(id, row, 0_u64)];
            let mut all = size_of(row);
            while let Some((next, row)) = rows.peek().copied() {
                let home = row.homes.get(ctx.epoch).copied().unwrap_or(Home::Nowhere);
                let joins = home == Home::Next
                    && row.when.is_none()
                    && self.is_block(ctx, &row.ty)
                    && !matches!(row.kind, RowKind::Zeros | RowKind::Pool { .. });
                if !joins {
                    break;
                }
                group.push((next, row, all));
                all += size_of(row);
                rows.next();
            }
            let (block, base, width) = (self.local("b"), self.local("a"), size(all));
            work.code.extend(quote! {
                let #base = #part.at();
                let #block: &'i [u8; #width] = #part.block()?;
            });
            let whole = group.len() == 1;
            for (id, row, at) in group {
                let spot = Spot::Block { block: block.clone(), at, base: quote!(#base), whole };
                self.row_at(work, id, row, &spot)?;
            }
        }
        Ok(())
    }

    /// A row of bits. The first one of a group reads the integer that all are in.
    fn bits_at(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        part: &Ident,
        known: &mut BTreeMap<RowId, (Ident, u8)>,
    ) -> Able<()> {
        if work.extents.contains(&id) {
            return unable("the address of bits");
        }
        if !known.contains_key(&id) {
            let record = &work.ctx.view.records[work.ctx.record.index()];
            let group = bits::group(record, work.ctx.epoch, id)?;
            let (block, word, width) = (self.local("b"), self.local("w"), size(group.bytes.into()));
            let load = if group.big { format_ident!("uint_be") } else { format_ident!("uint") };
            work.code.extend(quote! {
                let #block: &'i [u8; #width] = #part.block()?;
                let #word = s::#load::<#width, _>(#block, 0);
            });
            for (id, first) in group.rows {
                known.insert(id, (word.clone(), first));
            }
        }
        let ctx = Ctx { bits: known.get(&id).cloned(), ..work.ctx.clone() };
        let mut inner = Work {
            ctx: &ctx,
            wanted: work.wanted,
            extents: Vec::new(),
            keeps: None,
            code: std::mem::take(&mut work.code),
            fields: std::mem::take(&mut work.fields),
            later: Vec::new(),
            waiting: Vec::new(),
            gone: Vec::new(),
            chains: BTreeMap::new(),
            pieces: Pieces::default(),
            own: None,
        };
        let made = self.row_here(&mut inner, id, row, &Spot::local(part.clone()));
        (work.code, work.fields) = (inner.code, inner.fields);
        made
    }

    /// A row that is there only if a condition holds.
    fn when(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        when: ExprId,
        stream: &Spot,
        holder: &Holder,
    ) -> Able<()> {
        let condition = self.straight.block_holds(when, &|expr| self.truth(work.ctx, expr))?;
        if work.extents.contains(&id) {
            self.doubt("an address of a row that may not be there");
        }
        if let Type::Pointer(pointer) = &row.ty
            && pointer.owned().is_some()
        {
            if work.extents.contains(&id) {
                return unable("the address of what a pointer with a condition leads to");
            }
            // What it leads to is read when all numbers are known.
            let outer = std::mem::take(&mut work.code);
            self.pointer_at(work, id, pointer, stream)?;
            let inner = std::mem::replace(&mut work.code, outer);
            let Some((_, Spot::Block { block, .. })) = work.later.last() else {
                return unable("a pointer that is never read");
            };
            work.code.extend(quote! {
                let #block = if #condition { #inner rt::Some(#block) } else { rt::None };
            });
            return Ok(());
        }
        self.where_holds(work, id, row, &condition, &|work| {
            if let Type::Union(_) = row.ty {
                let inner = Holder { block: None, case: true, ..holder.clone() };
                self.union_row(work, id, row, &inner)
            } else {
                self.row_here(work, id, row, stream)
            }
        })
    }

    /// A row that is read where a condition holds, and is nothing elsewhere.
    fn where_holds(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        condition: &TokenStream,
        read: &dyn Fn(&mut Work<'_, 'm>) -> Able<()>,
    ) -> Able<()> {
        let shape = (work.wanted)(id);
        let outer = std::mem::take(&mut work.code);
        let fields = std::mem::take(&mut work.fields);
        let (name, maybe) = (early(work.ctx.record, id), early_value(work.ctx.record, id));
        // Its number is known only here; behind it, it may be none.
        let made = self.inside(|| {
            read(work)?;
            Ok(is_early_number(row) && self.known.borrow().contains(&name.to_string()))
        });
        let inner = std::mem::replace(&mut work.code, outer);
        let found = std::mem::replace(&mut work.fields, fields);
        let is_number = made?;
        let Some(shape) = shape else {
            let record = &work.ctx.view.records[work.ctx.record.index()];
            if record.is_slice_number(id) && mentions(&inner, &name.to_string()) {
                // A list without it ends in another way.
                work.code
                    .extend(quote!(let #name: i128 = if #condition { #inner #name } else { -1 };));
                self.known.borrow_mut().insert(name.to_string());
                return Ok(());
            }
            if is_number {
                work.code.extend(quote! {
                    let #maybe: rt::Option<i128> =
                        if #condition { #inner rt::Some(#name) } else { rt::None };
                });
                self.value_is_known(&maybe);
                return Ok(());
            }
            work.code.extend(quote!(if #condition { #inner }));
            return Ok(());
        };
        let [(_, local)] = found.as_slice() else { return unable("a condition without a field") };
        let (field, none) = (self.field_local(work.ctx, id, row), nothing(&shape)?);
        if is_number {
            work.code.extend(quote! {
                let (#field, #maybe) =
                    if #condition { #inner (#local, rt::Some(#name)) } else { (#none, rt::None) };
            });
            self.value_is_known(&maybe);
        } else {
            work.code.extend(quote! {
                let #field = if #condition { #inner #local } else { #none };
            });
            self.value_is_known(&field);
        }
        work.fields.push((id, quote!(#field)));
        Ok(())
    }

    /// A row of an epoch that does not have it.
    fn absent(&self, work: &mut Work<'_, 'm>, id: RowId, row: &Row) -> Able<()> {
        if let (Some(Constant::Int(n)), true) = (&row.absent, self.is_asked(work.ctx.record, id)) {
            let (name, n) = (early(work.ctx.record, id), Literal::i128_suffixed(*n));
            work.code.extend(quote!(let #name: i128 = #n;));
            self.known.borrow_mut().insert(name.to_string());
        }
        let Some(shape) = (work.wanted)(id) else { return Ok(()) };
        let value = match &row.absent {
            Some(constant) => match self.straight.shapes.constant(constant, &shape, true) {
                Some(value) => value,
                None => return unable("a constant of another Rust type"),
            },
            None => nothing(&shape)?,
        };
        let field = self.field_local(work.ctx, id, row);
        work.code.extend(quote!(let #field = #value;));
        self.value_is_known(&field);
        work.fields.push((id, quote!(#field)));
        work.gone.push(id);
        Ok(())
    }
}

/// The rows of a record on their way to code.
pub(super) struct Work<'w, 'm> {
    pub ctx: &'w Ctx<'m>,
    pub wanted: &'w dyn Fn(RowId) -> Option<Shape>,
    /// Rows whose addresses are asked for.
    pub extents: Vec<RowId>,
    /// The local that keeps unusual widths.
    pub keeps: Option<Ident>,
    pub code: TokenStream,
    pub fields: Vec<(RowId, TokenStream)>,
    /// Pointers whose targets are read when all rows are.
    pub later: Vec<(RowId, Spot)>,
    /// Labels that wait for a row: that row, their row, and where they are.
    pub waiting: Vec<(RowId, RowId, Spot)>,
    pub gone: Vec<RowId>,
    /// The chains of rows that own objects.
    pub chains: BTreeMap<RowId, Chains>,
    /// What the layout places.
    pub pieces: Pieces,
    /// Where the record begins, and the local with its end, if its layout puts something before it.
    pub own: Option<(TokenStream, Ident)>,
}

impl Work<'_, '_> {
    fn done(self) -> Rows {
        Rows { code: self.code, fields: self.fields, keeps: self.keeps, gone: self.gone }
    }
}

/// The local with the address of a row and the address behind it.
pub(super) fn extent(record: RecordId, row: RowId) -> Ident {
    format_ident!("x__{}_{}", record.0, row.0)
}

/// The local with the place that a struct with a pool is in, where that is one of several.
pub(super) fn pool_place(record: RecordId) -> Ident {
    format_ident!("place__{}", record.0)
}

/// Size in bytes of a union's own tag.
pub(super) fn tag_size(tag: &Tag) -> Able<u64> {
    match tag {
        Tag::Row(_) | Tag::Given(_) => Ok(0),
        Tag::Own(cell) | Tag::Word(cell) => match cell.storage {
            Storage::Fixed(int) => Ok(int.bytes.into()),
            _ => unable("a tag of variable width"),
        },
    }
}
