//! Rows: what is read where, and what becomes of it.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::build::{Part, store_name};
use super::{Ctx, Reading, in_tag, is_bits, is_fill, val_name};
use crate::model::{
    Cell, Check, CheckKind, Constant, Content, EpochId, Home, Meaning, RecordId, Row, RowId,
    RowKind, RunLength, RunType, Storage, Type,
};
use crate::rust::shape::Shape;

/// What is wanted of a row that has no slot.
pub(super) struct Wanted {
    /// The value, of this shape.
    pub field: Option<Shape>,
    /// A variable for expressions.
    pub val: bool,
}

impl<'m> Reading<'_, 'm> {
    /// Statements that read a row without a slot: variables `f0` for its value, `v0` for
    /// expressions, and `a0` for its address.
    pub(super) fn free_row(
        &self,
        id: RecordId,
        row_id: RowId,
        direct: bool,
        block: bool,
        wanted: &Wanted,
        only: Option<EpochId>,
    ) -> TokenStream {
        let row = self.row(id, row_id);
        let (f, v, a) =
            (format_ident!("f{}", row_id.0), val_name(row_id), format_ident!("a{}", row_id.0));
        let make = |epoch: EpochId| {
            let ctx = Ctx { record: id, row: row_id, epoch, direct, loc: false, block: None };
            self.free_row_in(ctx, row, block, wanted)
        };
        let code = match only {
            Some(epoch) => make(epoch),
            None => self.per_epoch(make),
        };
        let ty = match &wanted.field {
            Some(shape) => self.ty(shape),
            None => quote!(()),
        };
        let name = self.step(id, row_id).map(|name| quote!(.in_field(#name)));
        let fail = if direct {
            quote!(return rt::Err(error #name))
        } else {
            quote!(return rt::Err(cx.core.under(error #name, owner)))
        };
        let val = if wanted.val { quote!(rt::Val<'i>) } else { quote!(()) };
        let checks = if wanted.val { self.checks_now(id, row_id, row, direct) } else { quote!() };
        if !fallible(&code) {
            return quote! {
                let (#f, #v, #a): (#ty, #val, u64) = #code;
                #checks
            };
        }
        quote! {
            let (#f, #v, #a): (#ty, #val, u64) = match (|| -> rt::Read<_> { rt::Ok(#code) })() {
                rt::Ok(read) => read,
                rt::Err(error) => #fail,
            };
            #checks
        }
    }

    /// Code of type `(value, val, address)`.
    fn free_row_in(&self, ctx: Ctx, row: &'m Row, block: bool, wanted: &Wanted) -> TokenStream {
        let gone = || {
            let f = match &wanted.field {
                Some(shape) => match &row.absent {
                    Some(constant) => self
                        .shapes
                        .constant(constant, shape, true)
                        .map_or_else(|| quote!(rt::Default::default()), |code| self.shifted(code)),
                    None => quote!(rt::Default::default()),
                },
                None => quote!(()),
            };
            let v = match (&row.absent, wanted.val) {
                (_, false) => quote!(()),
                (Some(constant), true) => {
                    let constant = Self::constant(constant);
                    quote!(rt::Val::of(&#constant.item()))
                }
                (None, true) => quote!(rt::Val::None),
            };
            quote!((#f, #v, base))
        };
        match self.home(row, ctx.epoch) {
            Home::Absent => gone(),
            Home::At(offset) => {
                if block
                    && self.fits_block(ctx, offset, row)
                    && let Some(code) = self.block_row(ctx, offset, row, wanted)
                {
                    return code;
                }
                let body = self.free_body(ctx, row, wanted);
                quote!({
                    let mut inside = rt::row_at(base, #offset, cursor.limit)?;
                    let cursor = &mut inside;
                    let read = #body;
                    reach = reach.max(cursor.position());
                    read
                })
            }
            Home::Nowhere if !in_tag(row) => gone(),
            Home::Next | Home::Nowhere => {
                let body = self.free_body(ctx, row, wanted);
                let here = self.positions.then(|| {
                    quote! {
                        cx.core.here = cursor.position();
                        cx.core.region_end = cursor.limit;
                    }
                });
                let align =
                    (!is_bits(row.ty.in_epoch(ctx.epoch))).then(|| quote!(cursor.align_bits();));
                match &row.when {
                    None => quote!({ #here #align #body }),
                    Some(when) => {
                        let condition = self.truth(ctx, when, None);
                        let gone = match &wanted.field {
                            Some(_) => quote!(rt::Default::default()),
                            None => quote!(()),
                        };
                        let val = if wanted.val { quote!(rt::Val::None) } else { quote!(()) };
                        quote!({
                            #here
                            if #condition { #align #body } else { (#gone, #val, base) }
                        })
                    }
                }
            }
        }
    }

    /// Whether the bytes of a row lie in the fixed block of the struct.
    fn fits_block(&self, ctx: Ctx, offset: u64, row: &Row) -> bool {
        let record = &self.model.records[ctx.record.index()];
        let Some(size) = record.sizes.get(ctx.epoch.index()).copied().flatten() else {
            return false;
        };
        let cell = |cell: &Cell| match cell.storage {
            Storage::Fixed(int) => Some(u64::from(int.bytes)),
            _ => None,
        };
        let width = match row.ty.in_epoch(ctx.epoch) {
            Type::Cell(c) => cell(c),
            Type::Pointer(pointer) => {
                let kind = &self.model.pointers[pointer.kind.index()].cell;
                cell(pointer.cell.as_ref().unwrap_or(kind))
            }
            Type::Run(RunType { length: RunLength::Fixed(n), content, suffix, align: None })
                if suffix.is_empty() && matches!(content, Content::Bytes) =>
            {
                Some(*n)
            }
            _ => None,
        };
        width.is_some_and(|width| offset + width <= size)
    }

    /// A row of the block, without a cursor of its own.
    fn block_row(
        &self,
        ctx: Ctx,
        offset: u64,
        row: &'m Row,
        wanted: &Wanted,
    ) -> Option<TokenStream> {
        let ctx = Ctx { block: Some(offset), ..ctx };
        let at = Self::at(ctx);
        let ty = row.ty.in_epoch(ctx.epoch);
        match (&row.kind, ty) {
            (RowKind::Plain, Type::Cell(cell)) => {
                if matches!(cell.meaning, Meaning::Word(w) if !self.shapes.is_plain_word(w)) {
                    return None;
                }
                if wanted.val {
                    return Some(self.through_item(ctx, ty, row, wanted, &at));
                }
                let f = match &wanted.field {
                    Some(shape) => self.value(ctx, ty, row, shape),
                    None => {
                        let item = self.item(ctx, ty, row);
                        quote!({ let _ = #item; })
                    }
                };
                Some(quote!((#f, (), #at)))
            }
            (RowKind::Plain, Type::Pointer(_)) => {
                Some(self.through_item(ctx, ty, row, wanted, &at))
            }
            (RowKind::Reserved, Type::Run(RunType { length: RunLength::Fixed(n), .. }))
                if !wanted.val =>
            {
                let from = Literal::usize_unsuffixed(usize::try_from(offset).ok()?);
                let to = Literal::usize_unsuffixed(usize::try_from(offset + n).ok()?);
                let spelled = self.spelling_row(ctx);
                Some(quote!({
                    let bytes = block.get(#from..#to).unwrap_or(&[]);
                    rt::reserved_bytes(bytes, &mut spelling, #spelled);
                    ((), (), #at)
                }))
            }
            (
                RowKind::Constant(Constant::Bytes(wanted_bytes)),
                Type::Run(RunType { length: RunLength::Fixed(n), content: Content::Bytes, .. }),
            ) if !wanted.val && wanted_bytes.len() as u64 == *n => {
                let from = Literal::usize_unsuffixed(usize::try_from(offset).ok()?);
                let to = Literal::usize_unsuffixed(usize::try_from(offset + n).ok()?);
                let wanted_bytes = Literal::byte_string(wanted_bytes);
                Some(quote!({
                    let bytes = block.get(#from..#to).unwrap_or(&[]);
                    rt::expect_bytes(bytes, #wanted_bytes, #at)?;
                    ((), (), #at)
                }))
            }
            _ => None,
        }
    }

    fn through_item(
        &self,
        ctx: Ctx,
        ty: &'m Type,
        row: &'m Row,
        wanted: &Wanted,
        at: &TokenStream,
    ) -> TokenStream {
        let item = self.item(ctx, ty, row);
        let f = match &wanted.field {
            Some(shape) => {
                let build = self.build_plain(shape);
                quote!({ let item = &item; #build })
            }
            None => quote!(()),
        };
        let v = if wanted.val { quote!(rt::Val::of(&item)) } else { quote!(()) };
        quote!({
            let item: rt::Item<'i> = #item;
            (#f, #v, #at)
        })
    }

    /// Code of type `(value, val, address)` for a row at the cursor.
    fn free_body(&self, ctx: Ctx, row: &'m Row, wanted: &Wanted) -> TokenStream {
        let ty = row.ty.in_epoch(ctx.epoch);
        let plain = matches!(row.kind, RowKind::Plain);
        if plain && !wanted.val {
            let f = match &wanted.field {
                Some(shape) => self.value(ctx, ty, row, shape),
                None => {
                    let item = self.item(ctx, ty, row);
                    quote!({ let _ = #item; })
                }
            };
            return quote!({ let at = cursor.at; (#f, (), at) });
        }
        let item = self.kind_item(ctx, row);
        let f = match &wanted.field {
            Some(shape) => {
                let build = self.build_plain(shape);
                quote!({ let item = &item; #build })
            }
            None => quote!(()),
        };
        let v = if wanted.val { quote!(rt::Val::of(&item)) } else { quote!(()) };
        quote!({
            let at = cursor.at;
            let item: rt::Item<'i> = #item;
            (#f, #v, at)
        })
    }

    /// Code of type `rt::Item` for a row at the cursor, with the rules of its kind.
    pub(super) fn kind_item(&self, ctx: Ctx, row: &'m Row) -> TokenStream {
        let ty = row.ty.in_epoch(ctx.epoch);
        let spelled = self.spelling_row(ctx);
        let open = if is_fill(ty) { quote!(!cursor.room) } else { quote!(false) };
        match &row.kind {
            RowKind::Plain => self.item(ctx, ty, row),
            RowKind::Constant(constant) => {
                let wanted = Self::constant(constant);
                if matches!(ty, Type::Nothing) {
                    return quote!(#wanted.item());
                }
                let item = self.item(ctx, ty, row);
                quote!({
                    let at = cursor.at;
                    let item: rt::Item<'i> = #item;
                    rt::expect(&item, &#wanted, at)?;
                    item
                })
            }
            RowKind::Zero | RowKind::Runtime => {
                let item = self.item(ctx, ty, row);
                let name = match self.step(ctx.record, ctx.row) {
                    Some(name) => quote!(rt::Some(#name)),
                    None => quote!(rt::None),
                };
                quote!({
                    let at = cursor.at;
                    let open: bool = #open;
                    let item: rt::Item<'i> = #item;
                    rt::zero(&mut cx.core, &item, open, at, &mut spelling, #spelled, owner, #name)?;
                    item
                })
            }
            RowKind::Reserved => {
                let item = self.item(ctx, ty, row);
                quote!({
                    let open: bool = #open;
                    let item: rt::Item<'i> = #item;
                    rt::reserved(&item, open, &mut spelling, #spelled);
                    item
                })
            }
            RowKind::Zeros => quote!(rt::Item::Int(rt::zeros(&cx.core, cursor)?.into())),
            RowKind::Pool { .. } => match pool_array(ty) {
                Some(array) => self.array_item(ctx, array, row),
                None => quote!(rt::Item::Absent),
            },
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => quote!(rt::Item::Absent),
        }
    }

    /// The function that reads a row that has a slot. For rows of the fixed block the cursor is at
    /// its start.
    pub(super) fn slot_row(&self, id: RecordId, row_id: RowId, slot: u16) -> TokenStream {
        let row = self.row(id, row_id);
        let inline = self.epochs().any(|epoch| match self.home(row, epoch) {
            Home::At(_) | Home::Next => true,
            Home::Nowhere => in_tag(row),
            Home::Absent => false,
        });
        if !inline {
            return quote!();
        }
        let name = format_ident!("row_{}_{}", id.0, row_id.0);
        let own = self.part_of(id, row_id, Part::Own);
        let code = self.per_epoch(|epoch| {
            let ctx = Ctx { record: id, row: row_id, epoch, direct: false, loc: true, block: None };
            let bits = is_bits(row.ty.in_epoch(epoch));
            let item = match (&own, &row.kind) {
                (Some((shape, _)), RowKind::Plain) => {
                    let store = self.store_for(id, row_id, Part::Own);
                    let whole = self.whole(ctx, &row.ty, row, shape, &store);
                    quote!({
                        let (item, value) = #whole;
                        cx.core.tree.slot_mut(owner, #slot).value = value;
                        item
                    })
                }
                _ => self.kind_item(ctx, row),
            };
            let read = quote! {
                rt::begin_row(&mut cx.core, loc, cursor, #bits);
                let item = (|| -> rt::Read<rt::Item<'i>> { rt::Ok(#item) })();
                cx.core.keep_all(owner, spelling);
                rt::end_row(cx, loc, item, cursor)
            };
            match self.home(row, epoch) {
                Home::At(offset) => quote!({
                    let mut inside = match rt::row_at(cursor.at, #offset, cursor.limit) {
                        rt::Ok(inside) => inside,
                        rt::Err(error) => return rt::Err(cx.core.located(error, loc)),
                    };
                    let cursor = &mut inside;
                    #read
                }),
                Home::Absent => quote!(rt::Ok(())),
                Home::Next | Home::Nowhere => read,
            }
        });
        let letter = matches!(
            &row.ty,
            Type::Pointer(pointer) if pointer.cell.as_ref().is_some_and(
                |cell| matches!(cell.storage, Storage::Letter { .. }))
        );
        let letter = letter.then(|| {
            quote! {
                let place = cx.core.tree.slot_mut(owner, #slot);
                place.at = tag_at;
                place.end = tag_at;
            }
        });
        quote! {
            fn #name<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                owner: rt::NodeId,
                cursor: &mut rt::Cursor<'i>,
                tag_at: u64,
            ) -> rt::Read<()> {
                let loc = rt::Loc::slot(owner, #slot);
                let base = cx.core.tree.node(owner).at;
                let tag = cx.core.tree.node(owner).tag;
                let mut spelling = ::formwork::Spelling::default();
                let index: rt::Option<u32> = rt::None;
                let result = { #code };
                #letter
                result
            }
        }
    }

    /// Name of the store for a part, which is there from now on.
    pub(super) fn store_for(&self, id: RecordId, row: RowId, part: Part) -> proc_macro2::Ident {
        let name = store_name(id, row, part);
        if let Some((shape, _)) = self.part_of(id, row, part) {
            let ty = self.ty(&shape);
            let mut store = self.store.borrow_mut();
            if !store.iter().any(|(known, _)| *known == name) {
                store.push((name.clone(), ty));
            }
        }
        name
    }

    /// Rules of a row without a slot that need no other row.
    fn checks_now(&self, id: RecordId, row_id: RowId, row: &Row, direct: bool) -> TokenStream {
        let mut code = TokenStream::new();
        for check in &row.checks {
            if !matches!(check.kind, CheckKind::Holds(_)) {
                code.extend(self.check(id, row_id, check, direct));
            }
        }
        code
    }

    /// Conditions of a row without a slot, when all rows of the record are read.
    pub(super) fn conditions(&self, id: RecordId, row_id: RowId, direct: bool) -> TokenStream {
        let mut code = TokenStream::new();
        for check in &self.row(id, row_id).checks {
            if matches!(check.kind, CheckKind::Holds(_)) {
                code.extend(self.check(id, row_id, check, direct));
            }
        }
        code
    }

    fn check(&self, id: RecordId, row_id: RowId, check: &Check, direct: bool) -> TokenStream {
        let ctx =
            Ctx { record: id, row: row_id, epoch: EpochId(0), direct, loc: false, block: None };
        let (v, a) = (val_name(row_id), format_ident!("a{}", row_id.0));
        let it = || Some(quote!(it));
        let test = match &check.kind {
            CheckKind::Min(e) => {
                let limit = self.expr(ctx, e, it());
                quote!({ let limit = #limit?; rt::below(&it, &limit) })
            }
            CheckKind::Max(e) => {
                let limit = self.expr(ctx, e, it());
                quote!({ let limit = #limit?; rt::above(&it, &limit) })
            }
            CheckKind::OneOf(list) => {
                let allowed = list.iter().map(|e| self.expr(ctx, e, it()));
                quote!({
                    let mut allowed = rt::Vec::new();
                    #(allowed.push(#allowed);)*
                    rt::none_of(&it, allowed)
                })
            }
            CheckKind::Equals(e) => {
                let wanted = self.expr(ctx, e, it());
                quote!({ let wanted = #wanted?; rt::not_equal(&it, &wanted) })
            }
            CheckKind::Holds(e) => {
                let holds = self.expr(ctx, e, it());
                let text = &check.text;
                quote!({
                    let holds = #holds?;
                    rt::Ok(if rt::truth_of(&holds)? {
                        rt::None
                    } else {
                        rt::Some(rt::failed(#text, &it))
                    })
                })
            }
        };
        let name = self.step(id, row_id).map(|name| quote!(.in_field(#name)));
        quote! {
            if !::core::matches!(#v, rt::Val::None) {
                let it = #v.clone();
                let broken = (|| -> rt::Fallible<rt::Option<::formwork::ReadErrorKind>> { #test })();
                match broken {
                    rt::Ok(rt::None) => {}
                    rt::Ok(rt::Some(kind)) => {
                        return rt::Err(::formwork::ReadError::new(kind, #a)#name);
                    }
                    rt::Err(fault) => return rt::Err(cx.core.fault(*fault, #a)#name),
                }
            }
        }
    }
}

/// Whether code can fail.
fn fallible(code: &TokenStream) -> bool {
    code.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Punct(punct) => punct.as_char() == '?',
        proc_macro2::TokenTree::Group(group) => fallible(&group.stream()),
        proc_macro2::TokenTree::Ident(ident) => ident == "return",
        proc_macro2::TokenTree::Literal(_) => false,
    })
}

/// The array of a pool's members.
fn pool_array(ty: &Type) -> Option<&crate::model::ArrayType> {
    match ty {
        Type::Array(array) => Some(array),
        Type::Region(region) => pool_array(&region.inner),
        _ => None,
    }
}
