//! The walk over the bytes of a record: it measures, sets addresses, or writes.

mod array;
mod cell;
mod pointer;
mod run;
mod union;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::src::{Ctx, Src, coding, constant_item, is_bits, run_order};
use super::{Gen, float_width, number};
use crate::model::{
    ArrayType, Cell, EndianRule, EpochId, Extent, Home, IntType, Label, Meaning, PointerType,
    RecordId, RecordKind, Role, Row, RowId, RowKind, RunLength, RunType, Storage, Tag, Target,
    Type, UnionId,
};
use crate::rust::shape::Shape;

/// Code for a number.
enum Raw {
    /// Its low bits, of type `u64`.
    Low(TokenStream),
    /// All of it, of type `i128`, and whether it is known to fit.
    Wide(TokenStream, bool),
}

/// What a value is put for.
#[derive(Clone)]
pub(super) struct Put<'m> {
    pub ctx: Ctx,
    pub row_id: RowId,
    pub row: &'m Row,
    /// The slot of the row.
    pub slot: Option<u16>,
    /// Code for the element: `Option<u32>`.
    pub index: TokenStream,
    /// Code for the place.
    pub at: TokenStream,
}

impl Put<'_> {
    fn loc(&self) -> TokenStream {
        let slot = self.slot.unwrap_or(u16::MAX);
        let index = &self.index;
        quote!(rt::Loc { node, slot: #slot, index: #index })
    }
}

impl<'m> Gen<'_, 'm> {
    /// Code of type `Option<u64>`: size of the fixed block.
    fn size_code(&self, id: RecordId) -> TokenStream {
        let sizes = &self.model.records[id.index()].sizes;
        by_number(sizes.as_slice())
    }

    pub fn put_fns(&self, id: RecordId) -> TokenStream {
        let record = &self.model.records[id.index()];
        let ty = self.value_ty(id);
        if matches!(record.kind, RecordKind::Word(_)) {
            return self.word_fn(id);
        }
        let noded = self.plan.noded(id);
        let ctx = Ctx { id, noded };
        let put = self.name("put", id);
        let node = self.name("node", id);
        let body = self.rows_code(ctx);
        let order = match &record.endian {
            None => quote!(),
            Some(EndianRule::Fixed(crate::model::ByteOrder::Little)) => {
                quote!(let order = ::formwork::Endian::Little;)
            }
            Some(EndianRule::Fixed(crate::model::ByteOrder::Big)) => {
                quote!(let order = ::formwork::Endian::Big;)
            }
            Some(EndianRule::Chosen(..)) => quote! {
                let order = if M == w::FILL { cx.order_at(node) } else { order };
            },
        };
        let size = self.size_code(id);
        let (set_at, set_end) = if noded {
            (
                quote!(if M == w::LAY {
                    cx.w.tree.node_mut(node).at = at;
                }),
                quote!(if M == w::LAY {
                    cx.w.tree.node_mut(node).end = end;
                }),
            )
        } else {
            (quote!(), quote!())
        };
        quote! {
            #[inline]
            fn #put<'v, const M: u8>(
                cx: &mut Writer<'v>,
                node: rt::NodeId,
                value: &'v #ty,
                spot: &mut w::Spot,
                base: u64,
                order: ::formwork::Endian,
            ) -> rt::Fallible<()> {
                #order
                #body
                rt::Ok(())
            }

            #[inline]
            fn #node<'v, const M: u8>(
                cx: &mut Writer<'v>,
                node: rt::NodeId,
                value: &'v #ty,
                at: u64,
                order: ::formwork::Endian,
            ) -> rt::Fallible<u64> {
                #set_at
                let mut spot = w::Spot::new(at);
                #put::<M>(cx, node, value, &mut spot, at, order)?;
                spot.align();
                let size: rt::Option<u64> = #size;
                let end = match size {
                    rt::Some(size) => spot.at.max(at.saturating_add(size)),
                    rt::None => spot.at,
                };
                #set_end
                rt::Ok(end)
            }
        }
    }

    fn rows_code(&self, ctx: Ctx) -> TokenStream {
        let record = &self.model.records[ctx.id.index()];
        let rows = || (0_u32..).map(RowId).zip(&record.rows);
        let mut code = TokenStream::new();
        for (row_id, row) in rows() {
            let homes: Vec<Option<u64>> = (0..self.model.epochs.len())
                .map(|epoch| match row.homes.get(epoch) {
                    Some(Home::At(offset)) => Some(*offset),
                    _ => None,
                })
                .collect();
            if homes.iter().all(Option::is_none) {
                continue;
            }
            let body = self.row_code(ctx, row_id, row);
            if body.is_empty() {
                continue;
            }
            let home = by_number(&homes);
            let all = homes.iter().all(|home| *home == homes[0]);
            code.extend(if let (true, Some(offset)) = (all, homes[0]) {
                quote! {{
                    let mut here = w::Spot::new(base.saturating_add(#offset));
                    { let spot = &mut here; #body }
                    here.align();
                    spot.at = spot.at.max(here.at);
                }}
            } else {
                quote! {
                    let home: rt::Option<u64> = #home;
                    if let rt::Some(offset) = home {
                        let mut here = w::Spot::new(base.saturating_add(offset));
                        { let spot = &mut here; #body }
                        here.align();
                        spot.at = spot.at.max(here.at);
                    }
                }
            });
        }
        if !code.is_empty()
            || rows().any(|(_, row)| row.homes.iter().any(|h| matches!(h, Home::At(_))))
        {
            let size = self.size_code(ctx.id);
            let homes = self.epochs_with_block(ctx.id);
            let jump = quote! {
                let size: rt::Option<u64> = #size;
                if let rt::Some(size) = size {
                    spot.at = spot.at.max(base.saturating_add(size));
                }
            };
            code.extend(self.in_epochs(&homes, jump));
        }
        for (row_id, row) in rows() {
            let next = self.epochs_where(row, |home| matches!(home, Home::Next));
            let body = if next.is_empty() { quote!() } else { self.row_code(ctx, row_id, row) };
            code.extend(self.in_epochs(&next, body));
        }
        code
    }

    fn epochs_with_block(&self, id: RecordId) -> Vec<usize> {
        let rows = &self.model.records[id.index()].rows;
        (0..self.model.epochs.len())
            .filter(|epoch| {
                rows.iter().any(|row| matches!(row.homes.get(*epoch), Some(Home::At(_))))
            })
            .collect()
    }

    fn row_code(&self, ctx: Ctx, row_id: RowId, row: &'m Row) -> TokenStream {
        let slot = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded);
        let at = ctx.at(self, row_id);
        let put = Put { ctx, row_id, row, slot, index: quote!(rt::None), at: at.clone() };
        let body = match &row.kind {
            RowKind::Zero | RowKind::Reserved | RowKind::Runtime => self.padding(&put),
            RowKind::Zeros => {
                let Some(src) = self.access(ctx.id, row_id, &quote!(value)) else {
                    return quote!();
                };
                let number = src.number();
                quote! {
                    let count = #number.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
                    if count > w::MAX_SIZE {
                        return rt::eval_error("more zero bytes than a file may have");
                    }
                    spot.skip(count);
                }
            }
            RowKind::Pool { pad, .. } => self.pool(&put, *pad),
            RowKind::Plain | RowKind::Constant(_) => self.plain(&put),
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => return quote!(),
        };
        let align = (!is_bits(&row.ty)).then(|| quote!(spot.align();));
        let place =
            slot.map(|slot| quote!(if M == w::LAY { cx.w.lay_slot(node, #slot, start, *spot); }));
        let start = slot.map(|_| quote!(let start = *spot;));
        let listed = self.listed(&put);
        let code = quote! {{
            #align
            #start
            #listed
            #body
            #place
        }};
        match &row.when {
            Some(when) => {
                let there = self.is_there(&put, when);
                quote!(if #there { #code })
            }
            None => code,
        }
    }

    /// Code for whether a row with a condition is there.
    fn is_there(&self, put: &Put<'m>, when: &crate::model::Expr) -> TokenStream {
        let (ctx, row) = (put.ctx, put.row);
        let plain =
            matches!(row.kind, RowKind::Plain) && matches!(row.role, Role::Data | Role::Elsewhere);
        if plain {
            if let Some(slot) = put.slot {
                return quote!(
                    !::core::matches!(cx.w.tree.slot(node, #slot).item, rt::Item::Absent)
                );
            }
            if let Some(Src { code, shape: Some(Shape::Option(_)) }) =
                self.access(ctx.id, put.row_id, &quote!(value))
            {
                return quote!((#code).is_some());
            }
        }
        let at = &put.at;
        let holds = self.truth(ctx, when, &quote!(rt::None));
        let condition = quote!(match #holds {
            rt::Ok(holds) => holds,
            rt::Err(fault) => {
                w::Write::fail::<M>(cx, fault, #at)?;
                false
            }
        });
        match put.slot {
            // What was kept is there.
            Some(slot)
                if !plain
                    && matches!(row.kind, RowKind::Reserved | RowKind::Zero | RowKind::Runtime) =>
            {
                quote!((!::core::matches!(cx.w.tree.slot(node, #slot).item, rt::Item::Absent) || #condition))
            }
            _ => condition,
        }
    }

    /// Notes a number that stands in the relocation table.
    fn listed(&self, put: &Put<'m>) -> TokenStream {
        let row = put.row;
        let runtime = matches!(row.kind, RowKind::Runtime);
        if !self.has_reloc || (row.listed.is_none() && !runtime) {
            return quote!();
        }
        let policy = match row.listed.and_then(|listed| listed.policy) {
            Some(policy) => {
                let policy = super::layout::policy(policy);
                quote!(rt::Some(#policy))
            }
            None => quote!(rt::None),
        };
        let section = row.listed.map_or(0, |listed| listed.section);
        let section = number(section as usize);
        let kind = row.listed.and_then(|listed| listed.kind);
        let (kind_number, class) = match kind {
            Some(kind) => (number(kind.index()), quote!(w::Class::Object)),
            None if runtime => {
                let sizes: Vec<Option<u64>> =
                    self.epochs().map(|epoch| self.model.size_of(&row.ty, epoch)).collect();
                let width = by_number(&sizes);
                (
                    0,
                    quote!(w::Class::Runtime({ let size: rt::Option<u64> = #width; size.unwrap_or(0) })),
                )
            }
            None => (0, quote!(w::Class::Plain)),
        };
        let set = if runtime {
            quote!(w::Set::Known(false))
        } else {
            let none = match kind {
                Some(kind) => self.model.pointers[kind.index()].none,
                None => Some(0),
            };
            let none = option_i128(none);
            let slot = put.slot.unwrap_or(u16::MAX);
            quote!(w::Set::Number(rt::Loc::slot(node, #slot), #none))
        };
        let absent = match (runtime, put.slot) {
            (false, Some(slot)) => {
                quote!(&&!::core::matches!(cx.w.tree.slot(node, #slot).item, rt::Item::Absent))
            }
            _ => quote!(),
        };
        quote! {
            if M == w::LAY #absent {
                cx.w.log.cells.push(w::Cell {
                    at: spot.at,
                    kind: #kind_number,
                    class: #class,
                    policy: #policy,
                    section: #section,
                    set: #set,
                });
            }
        }
    }

    pub fn epochs(&self) -> impl Iterator<Item = EpochId> + use<> {
        (0..u32::try_from(self.model.epochs.len()).unwrap_or(u32::MAX)).map(EpochId)
    }

    fn padding(&self, put: &Put<'m>) -> TokenStream {
        let row = put.row;
        let ctx = put.ctx;
        let kept = self.kept(ctx.id, put.row_id, &quote!(rt::None), "Reserved");
        if let Type::Cell(Cell { storage: Storage::Bits { width, msb_first }, .. }) = row.ty {
            let fill = kept.map(|kept| {
                quote! {
                    if M == w::FILL {
                        if let rt::Some(kept) = #kept {
                            let n = w::Number::number(&w::kept_item(&kept.stored)).unwrap_or(0);
                            w::put_bits(&mut cx.w.out, *spot, #width, #msb_first, w::low(n));
                        }
                    }
                }
            });
            return quote!(#fill spot.skip_bits(#width););
        }
        let sizes: Vec<Option<u64>> =
            self.epochs().map(|epoch| self.model.size_of(&row.ty, epoch)).collect();
        let fixed = sizes.iter().all(|size| *size == sizes[0] && size.is_some());
        let at = &put.at;
        let size = if let (true, Some(size)) = (fixed, sizes[0]) {
            quote!(#size)
        } else {
            let constant = by_number(&sizes);
            let otherwise = self.padding_size(put, &row.ty);
            quote!({
                let constant: rt::Option<u64> = #constant;
                match constant {
                    rt::Some(size) => size,
                    rt::None => { #otherwise }
                }
            })
        };
        let Some(kept) = kept else {
            return quote! {
                let kept_size: rt::Option<u64> = rt::None;
                let size: u64 = #size;
                spot.skip(size);
            };
        };
        let cell = if let Type::Cell(Cell { storage: Storage::Fixed(int), .. }) = &row.ty {
            let width = usize::from(int.bytes);
            let order = self.order_of(int);
            quote!(_ => {
                let n = w::Number::number(&w::kept_item(&entry.stored)).unwrap_or(0);
                cx.w.int(spot.at, #width, #order, w::low(n));
            })
        } else {
            quote!(_ => {})
        };
        let _ = at;
        quote! {
            let kept = #kept;
            let kept_size: rt::Option<u64> = match kept {
                rt::Some(entry) => match &entry.stored {
                    ::formwork::KeptValue::Bytes(bytes) => rt::Some(bytes.len() as u64),
                    _ => rt::None,
                },
                rt::None => rt::None,
            };
            let size: u64 = #size;
            if M == w::FILL {
                if let rt::Some(entry) = kept {
                    match &entry.stored {
                        ::formwork::KeptValue::Bytes(bytes) => {
                            if bytes.len() as u64 == size {
                                cx.w.put(spot.at, bytes);
                            }
                        }
                        #cell
                    }
                }
            }
            spot.skip(size);
        }
    }

    /// Size of padding that only the value or the region around it knows.
    fn padding_size(&self, put: &Put<'m>, ty: &'m Type) -> TokenStream {
        let size = match ty {
            Type::Region(region) => match &region.extent {
                Extent::Size(size) => Some(size),
                _ => None,
            },
            Type::Run(RunType { length: RunLength::Count(count), .. }) => Some(&**count),
            Type::PerEpoch(types) => {
                let arms = types.iter().enumerate().map(|(epoch, ty)| {
                    let code = self.padding_size(put, ty);
                    quote!(#epoch => { #code })
                });
                return quote!(match cx.w.epoch { #(#arms)* _ => 0 });
            }
            _ => None,
        };
        match size {
            Some(size) => {
                let number = self.int(put.ctx, size, &quote!(rt::None));
                let at = &put.at;
                let code = quote! {
                    match #number {
                        rt::Ok(size) => match u64::try_from(size.unwrap_or(0)) {
                            rt::Ok(size) => size,
                            rt::Err(_) => return w::bad_size(size.unwrap_or(0)),
                        },
                        rt::Err(fault) => {
                            w::Write::fail::<M>(cx, fault, #at)?;
                            0
                        }
                    }
                };
                if super::mentions_position(size) {
                    // Only reading knows the position; the value has what it found.
                    quote!(match kept_size { rt::Some(size) => size, rt::None => { #code } })
                } else {
                    code
                }
            }
            None => quote!(match cx.w.room {
                rt::Some(room) => room.saturating_sub(spot.at),
                rt::None => kept_size.unwrap_or(0),
            }),
        }
    }

    fn pool(&self, put: &Put<'m>, pad: u64) -> TokenStream {
        let Some(slot) = put.slot else { return quote!() };
        let Some(element) = pool_element(&put.row.ty) else { return quote!() };
        let inner = Put { index: quote!(rt::Some(index)), ..put.clone() };
        let body = self.put_type(&inner, element, &Src::item(quote!(x)));
        quote! {
            rt::Engine::force(cx, node, #slot)?;
            let item = cx.w.tree.slot(node, #slot).item.clone();
            let mut starts = rt::Vec::new();
            if let rt::Item::Array(array) = &item {
                for (index, x) in (0_u32..).zip(array.items.iter()) {
                    starts.push(spot.at);
                    #body
                    spot.at = w::align_up(spot.at, #pad);
                }
            }
            if M == w::LAY {
                w::Tables::place_members(cx, rt::Loc::slot(node, #slot), &starts, spot.at);
            }
        }
    }

    /// Where the number or content of a plain row comes from.
    pub fn row_source(&self, put: &Put<'m>) -> (TokenStream, Src) {
        let (ctx, row) = (put.ctx, put.row);
        if let RowKind::Constant(constant) = &row.kind {
            let item = constant_item(constant, float_width(self, &row.ty));
            return (quote!(let item: rt::Item<'v> = #item;), Src::item(quote!(&item)));
        }
        let own =
            matches!(row.role, Role::Kept(_) | Role::View { .. } | Role::Derived | Role::Spelling)
                || put.slot.is_some() && self.plan.table(ctx.id);
        if own {
            let needs = needs_value(&row.ty);
            let when = if needs { quote!(true) } else { quote!(M == w::FILL) };
            let at = &put.at;
            if let Some(slot) = put.slot {
                return (
                    quote! {
                        let item: rt::Item<'v> = if #when {
                            match rt::Engine::force(cx, node, #slot) {
                                rt::Ok(()) => {}
                                rt::Err(fault) => w::Write::fail::<M>(cx, fault, #at)?,
                            }
                            cx.w.tree.slot(node, #slot).item.clone()
                        } else {
                            rt::Item::Absent
                        };
                    },
                    Src::item(quote!(&item)),
                );
            }
            let derived = self.derive(ctx, row, &quote!(value));
            let given = match self.access(ctx.id, put.row_id, &quote!(value)) {
                Some(src) => {
                    let item = match &src.shape {
                        Some(Shape::Option(_)) => {
                            let code = &src.code;
                            let x = Src::typed(quote!(x), inner_shape(&src.shape));
                            let item = self.datum(&x);
                            quote!(match #code { rt::Some(x) => #item, rt::None => rt::Item::Unset })
                        }
                        _ => self.datum(&src),
                    };
                    quote!(#item)
                }
                None => quote!(rt::Item::Unset),
            };
            return (
                quote! {
                    let item: rt::Item<'v> = if #when {
                        let derived: rt::Fallible<rt::Option<rt::Val<'v>>> = #derived;
                        match derived {
                            rt::Ok(rt::Some(val)) => val.into_item(),
                            rt::Ok(rt::None) => #given,
                            rt::Err(fault) => {
                                w::Write::fail::<M>(cx, fault, #at)?;
                                rt::Item::Absent
                            }
                        }
                    } else {
                        rt::Item::Absent
                    };
                },
                Src::item(quote!(&item)),
            );
        }
        match self.access(ctx.id, put.row_id, &quote!(value)) {
            Some(Src { code, shape: Some(Shape::Option(inner)) })
                if matches!(row.role, Role::Default(_)) =>
            {
                // What is left out is the constant.
                let Role::Default(constant) = &row.role else { return (quote!(), Src::item(code)) };
                let constant = constant_item(constant, float_width(self, &row.ty));
                let item = self.datum(&Src::typed(quote!(x), *inner));
                (
                    quote! {
                        let item: rt::Item<'v> =
                            match #code { rt::Some(x) => #item, rt::None => #constant };
                    },
                    Src::item(quote!(&item)),
                )
            }
            Some(src) => (quote!(), src),
            None => (quote!(), Src::typed(quote!(nothing), Shape::Bool)),
        }
    }

    fn plain(&self, put: &Put<'m>) -> TokenStream {
        let (before, src) = self.row_source(put);
        if let (RowKind::Constant(_), Type::Nothing) = (&put.row.kind, &put.row.ty) {
            return quote!();
        }
        let body = self.put_type(put, &put.row.ty, &src);
        quote!(#before #body)
    }

    /// Code that puts a value of a type at `spot`.
    pub fn put_type(&self, put: &Put<'m>, ty: &'m Type, src: &Src) -> TokenStream {
        let code = &src.code;
        if let Some(Shape::Boxed(inner)) = &src.shape {
            let src = Src::typed(quote!(&**#code), (**inner).clone());
            return self.put_type(put, ty, &src);
        }
        let align = (!is_bits(ty)).then(|| quote!(spot.align();));
        let structural =
            matches!(ty, Type::Record(_) | Type::Union(_) | Type::Array(_) | Type::Region(_));
        if let (Some(Shape::Option(inner)), true) = (&src.shape, structural) {
            let some = Src::typed(quote!(x), (**inner).clone());
            let body = self.put_type(put, ty, &some);
            return quote!(if let rt::Some(x) = #code { #body });
        }
        let body = match ty {
            Type::PerEpoch(types) => {
                return self.by_epoch(types, &|ty| self.put_type(put, ty, src));
            }
            Type::Cell(cell) => self.put_cell(put, cell, src),
            Type::Run(run) => self.put_run(put, run, src),
            Type::Record(record) => self.put_record(put, *record, src),
            Type::Union(union) => self.put_union(put, *union, src),
            Type::Pointer(pointer) => self.put_pointer(put, pointer, src),
            Type::Array(array) => self.put_array(put, array, src),
            Type::Region(region) => self.put_region(put, region, src),
            Type::ByteOrderMark => quote! {
                if M == w::FILL {
                    let mark = match cx.w.order {
                        ::formwork::Endian::Little => [0xff, 0xfe],
                        ::formwork::Endian::Big => [0xfe, 0xff],
                    };
                    cx.w.put(spot.at, &mark);
                }
                spot.skip(2);
            },
            Type::Text | Type::Nothing => quote!(),
        };
        quote!(#align #body)
    }
}

/// Whether a pointer that owns something is in a type.
pub(super) fn owns_target(ty: &Type) -> bool {
    match ty {
        Type::Pointer(pointer) => matches!(pointer.target, Target::Own(_)),
        Type::Array(array) => owns_target(&array.element),
        Type::Region(region) => owns_target(&region.inner),
        Type::PerEpoch(types) => types.iter().any(owns_target),
        _ => false,
    }
}

fn element_at(at: &TokenStream) -> TokenStream {
    quote!((#at).element(index))
}

fn suffix(bytes: &[u8]) -> TokenStream {
    if bytes.is_empty() {
        return quote!();
    }
    let literal = Literal::byte_string(bytes);
    let size = bytes.len() as u64;
    quote! {
        if M == w::FILL { cx.w.put(spot.at, #literal); }
        spot.skip(#size);
    }
}

fn group_order(order: crate::model::GroupOrder) -> TokenStream {
    match order {
        crate::model::GroupOrder::MsbFirst => quote!(::formwork::GroupOrder::MsbFirst),
        crate::model::GroupOrder::LsbFirst => quote!(::formwork::GroupOrder::LsbFirst),
    }
}

pub(super) fn option_i128(n: Option<i128>) -> TokenStream {
    match n {
        Some(n) => {
            let n = Literal::i128_suffixed(n);
            quote!(rt::Some(#n))
        }
        None => quote!(rt::None),
    }
}

/// Code of type `Option<u64>` for a number by epoch.
pub(super) fn by_number(numbers: &[Option<u64>]) -> TokenStream {
    let code = |n: &Option<u64>| match n {
        Some(n) => quote!(rt::Some(#n)),
        None => quote!(rt::None),
    };
    match numbers {
        [] => quote!(rt::None),
        [first, rest @ ..] if rest.iter().all(|n| n == first) => code(first),
        _ => {
            let arms = numbers.iter().enumerate().map(|(epoch, n)| {
                let n = code(n);
                quote!(#epoch => #n,)
            });
            quote!(match cx.w.epoch { #(#arms)* _ => rt::None })
        }
    }
}

fn pool_element(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Array(array) => Some(&array.element),
        Type::Region(region) => pool_element(&region.inner),
        _ => None,
    }
}

/// Whether the size of a row depends on what is in it.
fn needs_value(ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => matches!(cell.storage, Storage::Varint(_)),
        Type::Array(_) | Type::Run(_) | Type::Region(_) => true,
        Type::PerEpoch(types) => types.iter().any(needs_value),
        // What is logged of a pointer.
        Type::Pointer(_) => true,
        Type::Record(_) | Type::Union(_) => true,
        Type::ByteOrderMark | Type::Text | Type::Nothing => false,
    }
}

fn inner_shape(shape: &Option<Shape>) -> Shape {
    match shape {
        Some(Shape::Option(inner)) => (**inner).clone(),
        Some(other) => other.clone(),
        None => Shape::Bool,
    }
}
