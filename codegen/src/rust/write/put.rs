//! The walk over the bytes of a record: it measures, sets addresses, or writes.

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

    /// The number that a cell stores. `wide` asks for one of 128 bits where it may be negative.
    fn raw(&self, put: &Put<'m>, cell: &Cell, src: &Src, wide: bool) -> Raw {
        let row = put.row;
        let code = &src.code;
        let rank = row.reference.as_ref().and_then(|reference| reference.filter.as_ref());
        let int = matches!(cell.meaning, Meaning::Int);
        let plus = row.plus;
        let proven = src.shape.as_ref().is_some_and(|shape| {
            row.reference.is_none()
                && (self.always_fits(shape, cell, plus)
                    || int
                    || matches!(cell.meaning, Meaning::Enum(_)))
        });
        if let (Some(Shape::Int(_)), true, 0, None, false) = (&src.shape, proven, plus, rank, wide)
        {
            return Raw::Low(quote!(*(#code) as u64));
        }
        let long = self.cell_range(cell).0 == 64;
        match (&src.shape, &cell.meaning) {
            (Some(Shape::Float32), Meaning::Float) => {
                return Raw::Low(quote!(u64::from((#code).to_bits())));
            }
            (Some(Shape::Float64), Meaning::Float) if long => {
                return Raw::Low(quote!((#code).to_bits()));
            }
            (Some(Shape::Float64), Meaning::Float) => {
                return Raw::Low(quote!(u64::from((*(#code) as f32).to_bits())));
            }
            (Some(Shape::Option(inner)), Meaning::Float) if **inner == Shape::Float64 && !long => {
                return Raw::Low(quote!((#code).map_or(0, |x| u64::from((x as f32).to_bits()))));
            }
            (Some(Shape::Bool), Meaning::Bool { yes }) => {
                return Raw::Low(quote!(if *(#code) { #yes } else { 0 }));
            }
            (Some(Shape::Word(_)), Meaning::Word(_)) => {
                return Raw::Low(quote!(u64::from((#code).0)));
            }
            (Some(Shape::Enum(_)), _) if plus == 0 && rank.is_none() && !wide => {
                return Raw::Low(quote!((#code).number() as u64));
            }
            _ => {}
        }
        let number = src.number();
        let none = match row.none.as_slice() {
            [] => quote!(0_i128),
            [none] => {
                let none = Literal::i128_suffixed(*none);
                quote!(#none)
            }
            [first, ..] => {
                let all = row.none.iter().map(|n| Literal::i128_suffixed(*n));
                let first = Literal::i128_suffixed(*first);
                match self.kept(put.ctx.id, put.row_id, &put.index, "Number") {
                    Some(kept) => quote!(w::kept_none(#kept, &[#(#all),*], #first)),
                    None => quote!(#first),
                }
            }
        };
        let some = match &cell.meaning {
            Meaning::Bool { yes } => quote!(if n != 0 { i128::from(#yes) } else { 0 }),
            Meaning::Int | Meaning::Enum(_) => {
                let ranked = match (rank, put.row.reference.as_ref()) {
                    (Some(filter), Some(reference)) => {
                        let path = self.plan.path(&reference.array);
                        let filter = self.plan.expr(filter, put.ctx.id);
                        let at = &put.at;
                        quote!(match cx.rank(#path, #filter, node, n) {
                            rt::Ok(rt::Some(n)) => n,
                            rt::Ok(rt::None) => {
                                cx.w.problem(#at, w::no_rank(n));
                                0
                            }
                            rt::Err(fault) => {
                                w::Write::fail::<M>(cx, fault, #at)?;
                                0
                            }
                        })
                    }
                    _ => quote!(n),
                };
                let plus = Literal::i128_suffixed(plus);
                quote!({ let n = #ranked; n.checked_add(#plus).unwrap_or(n) })
            }
            _ => quote!(n),
        };
        let unset = if src.shape.is_none() {
            let at = &put.at;
            quote! {
                if ::core::matches!(#code, rt::Item::Unset) {
                    cx.w.problem(#at, w::not_there());
                }
            }
        } else {
            quote!()
        };
        // Constants of the schema fit; what is computed may not.
        let constant = matches!(put.row.kind, RowKind::Constant(_));
        let exact = proven || constant || matches!(cell.meaning, Meaning::Float | Meaning::Word(_));
        let code = quote!({ #unset match #number { rt::Some(n) => #some, rt::None => #none } });
        Raw::Wide(code, exact)
    }

    fn put_cell(&self, put: &Put<'m>, cell: &'m Cell, src: &Src) -> TokenStream {
        if let Meaning::Word(word) = cell.meaning
            && let Some(code) = self.put_word(put, word, cell, src)
        {
            return code;
        }
        match cell.storage {
            Storage::Fixed(int) => {
                let width = usize::from(int.bytes);
                let store = self.store(put, cell, &int, src);
                quote! {
                    if M == w::FILL { #store }
                    spot.skip(#width as u64);
                }
            }
            Storage::Varint(id) => {
                let varint = &self.model.varints[id.index()];
                let most = varint.max_bytes;
                let bits = u32::from(varint.ty.bytes) * 8;
                let order = group_order(varint.order);
                let n = self.raw_number(put, cell, src);
                let name = self.cell_name(cell);
                let kept = self
                    .kept(put.ctx.id, put.row_id, &put.index, "Width")
                    .unwrap_or(quote!(rt::None));
                let at = &put.at;
                quote! {
                    let n: i128 = #n;
                    let low = u64::try_from(n).unwrap_or(u64::MAX);
                    let width = w::varint_width(#kept, low, #most);
                    if M == w::FILL {
                        if !::formwork::fits(n, #bits, false)
                            || !cx.w.varint(spot.at, low, width, #most, #order)
                        {
                            cx.w.problem(#at, w::does_not_fit(n, #name));
                        }
                    }
                    spot.skip(u64::from(width));
                }
            }
            Storage::Bits { width, msb_first } => {
                let n = self.raw_number(put, cell, src);
                let name = format!("{width} bits");
                let at = &put.at;
                quote! {
                    if M == w::FILL {
                        let n: i128 = #n;
                        if ::formwork::fits(n, u32::from(#width), false) {
                            w::put_bits(&mut cx.w.out, *spot, #width, #msb_first, w::low(n));
                        } else {
                            cx.w.problem(#at, w::does_not_fit(n, #name));
                        }
                    }
                    spot.skip_bits(#width);
                }
            }
            Storage::Word { .. } | Storage::Letter { .. } | Storage::TagOf => quote!(),
        }
    }

    /// Code of type `i128`: the number that a cell stores.
    pub fn raw_number(&self, put: &Put<'m>, cell: &Cell, src: &Src) -> TokenStream {
        match self.raw(put, cell, src, true) {
            Raw::Low(low) => quote!(i128::from(#low)),
            Raw::Wide(code, _) => code,
        }
    }

    /// Code that stores the number of a cell of whole bytes.
    fn store(&self, put: &Put<'m>, cell: &'m Cell, int: &IntType, src: &Src) -> TokenStream {
        let width = usize::from(int.bytes);
        let order = self.order_of(int);
        let n = match self.raw(put, cell, src, false) {
            Raw::Low(n) => {
                return quote! {
                    let n: u64 = #n;
                    cx.w.int(spot.at, #width, #order, n);
                };
            }
            Raw::Wide(n, true) => {
                return quote! {
                    let n: i128 = #n;
                    cx.w.int(spot.at, #width, #order, w::low(n));
                };
            }
            Raw::Wide(n, false) => n,
        };
        let (bits, signed) = (u32::from(int.bytes) * 8, int.signed);
        let name = self.cell_name(cell);
        let at = &put.at;
        quote! {
            let n: i128 = #n;
            if ::formwork::fits(n, #bits, #signed) {
                cx.w.int(spot.at, #width, #order, w::low(n));
            } else {
                cx.w.problem(#at, w::does_not_fit(n, #name));
            }
        }
    }

    /// A word that has a node, or bit fields that need one.
    fn put_word(
        &self,
        put: &Put<'m>,
        word: RecordId,
        cell: &'m Cell,
        src: &Src,
    ) -> Option<TokenStream> {
        let noded = self.plan.noded(word);
        let plain = self.shapes.is_plain_word(word);
        if plain && !noded {
            return None;
        }
        let Storage::Fixed(int) = cell.storage else { return None };
        let width = usize::from(int.bytes);
        let order = self.order_of(&int);
        let loc = put.loc();
        let number = if plain {
            let code = &src.code;
            quote!(u64::from((#code).0))
        } else {
            let name = format_ident!("word_{}", word.0);
            let value = self.value_of(word, src);
            let at = &put.at;
            let node = if noded { quote!(inner) } else { quote!(node) };
            quote!(match #name(cx, #node, #value) {
                rt::Ok(n) => n,
                rt::Err(fault) => {
                    w::Write::fail::<M>(cx, fault, #at)?;
                    0
                }
            })
        };
        let logs = (!plain).then(|| {
            let name = format_ident!("word_log_{}", word.0);
            let value = self.value_of(word, src);
            let node = if noded { quote!(inner) } else { quote!(node) };
            quote!(#name(cx, #node, #value, spot.at);)
        });
        let body = quote! {
            if M == w::LAY { #logs }
            if M == w::FILL {
                let n: u64 = #number;
                cx.w.int(spot.at, #width, #order, n);
            }
        };
        let body = if noded {
            quote! {
                if let rt::Some(inner) = cx.node_at(#loc) {
                    if M == w::LAY {
                        cx.w.lay_word(inner, spot.at, spot.at.saturating_add(#width as u64));
                    }
                    #body
                }
            }
        } else {
            body
        };
        Some(quote!(#body spot.skip(#width as u64);))
    }

    /// The integer made of the bit fields of a record.
    fn word_fn(&self, id: RecordId) -> TokenStream {
        if self.shapes.is_plain_word(id) {
            return quote!();
        }
        let ctx = Ctx { id, noded: self.plan.noded(id) };
        let record = &self.model.records[id.index()];
        let name = format_ident!("word_{}", id.0);
        let log_name = format_ident!("word_log_{}", id.0);
        let ty = self.value_ty(id);
        let mut code = TokenStream::new();
        let mut logs = TokenStream::new();
        for (row_id, row) in (0_u32..).map(RowId).zip(&record.rows) {
            let cell = match &row.ty {
                Type::Cell(cell) => cell,
                Type::Pointer(pointer) => match &pointer.cell {
                    Some(cell) => cell,
                    None => continue,
                },
                _ => continue,
            };
            let Storage::Word { first, last, .. } = cell.storage else { continue };
            let at = ctx.at(self, row_id);
            let slot = self.plan.slot(id, row_id).filter(|_| ctx.noded);
            let put = Put { ctx, row_id, row, slot, index: quote!(rt::None), at: at.clone() };
            let number = if matches!(row.kind, RowKind::Zero | RowKind::Reserved) {
                match self.kept(id, row_id, &quote!(rt::None), "Reserved") {
                    Some(kept) => quote!(#kept
                        .and_then(|e| w::Number::number(&w::kept_item(&e.stored)))
                        .unwrap_or(0)),
                    None => continue,
                }
            } else {
                let (before, src) = self.row_source(&put);
                let n = match &row.ty {
                    Type::Pointer(pointer) => {
                        let log = self.pointer_log(&put, pointer, &src, &quote!(at));
                        let before = before.clone();
                        logs.extend(quote!({ #before #log }));
                        self.pointer_number(&put, pointer, &src)
                    }
                    _ => self.raw_number(&put, cell, &src),
                };
                quote!({ #before #n })
            };
            let width = u32::from(last - first) + 1;
            let name = format!("{width} bits");
            code.extend(quote! {{
                let n: i128 = #number;
                if ::formwork::fits(n, #width, false) || ::formwork::fits(n, #width, true) {
                    word |= w::bits_of(n, #first, #last);
                } else {
                    cx.w.problem(#at, w::does_not_fit(n, #name));
                }
            }});
        }
        quote! {
            fn #name<'v>(
                cx: &mut Writer<'v>,
                node: rt::NodeId,
                value: &'v #ty,
            ) -> rt::Fallible<u64> {
                const M: u8 = w::FILL;
                let mut word = 0_u64;
                #code
                rt::Ok(word)
            }

            fn #log_name<'v>(cx: &mut Writer<'v>, node: rt::NodeId, value: &'v #ty, at: u64) {
                const M: u8 = w::LAY;
                #logs
            }
        }
    }

    fn put_run(&self, put: &Put<'m>, run: &'m RunType, src: &Src) -> TokenStream {
        let chars = src.chars();
        let coding = coding(run.content);
        let order = run_order(run.content);
        let unit = crate::model::size::unit_size(run.content);
        let at = &put.at;
        let align = run.align.filter(|align| *align > 1).map(|align| {
            quote! {
                if M == w::DRY {
                    return rt::eval_error(
                        "the size of something aligned depends on its address",
                    );
                }
                spot.at = w::align_up(spot.at, #align);
            }
        });
        if let RunLength::Fixed(wanted) = &run.length {
            let suffix = suffix(&run.suffix);
            return quote! {
                #align
                let chars = #chars;
                let size = chars.size(#coding);
                if size != #wanted {
                    if M == w::LAY && !::core::matches!(chars, w::Chars::None) {
                        cx.w.problem(#at, w::wrong_length(#wanted, size));
                    }
                    spot.skip(#wanted);
                } else {
                    if M == w::FILL {
                        cx.w.put(spot.at, &chars.encode(#coding, #order));
                    }
                    spot.skip(size);
                    #suffix
                }
            };
        }
        let prefix = match &run.length {
            RunLength::Prefix(cell) => match cell.storage {
                Storage::Fixed(int) => {
                    let width = usize::from(int.bytes);
                    let int_order = self.order_of(&int);
                    let (bits, signed) = (u32::from(int.bytes) * 8, int.signed);
                    let name = format!("a length of type {}", self.cell_name(cell));
                    quote! {
                        if M == w::FILL {
                            let units = size / #unit;
                            if ::formwork::fits(units.into(), #bits, #signed) {
                                cx.w.int(spot.at, #width, #int_order, units);
                            } else {
                                cx.w.problem(#at, w::does_not_fit(units.into(), #name));
                            }
                        }
                        spot.skip(#width as u64);
                    }
                }
                Storage::Varint(id) => {
                    let varint = &self.model.varints[id.index()];
                    let most = varint.max_bytes;
                    let group = group_order(varint.order);
                    let kept = self
                        .kept(put.ctx.id, put.row_id, &put.index, "Width")
                        .unwrap_or(quote!(rt::None));
                    quote! {
                        let units = size / #unit;
                        let width = w::varint_width(#kept, units, #most);
                        if M == w::FILL && !cx.w.varint(spot.at, units, width, #most, #group) {
                            cx.w.problem(#at, w::does_not_fit(units.into(), "a length"));
                        }
                        spot.skip(u64::from(width));
                    }
                }
                _ => quote!(),
            },
            _ => quote!(),
        };
        let suffix = suffix(&run.suffix);
        quote! {
            #align
            let chars = #chars;
            let size = chars.size(#coding);
            #prefix
            if M == w::FILL {
                cx.w.put(spot.at, &chars.encode(#coding, #order));
            }
            spot.skip(size);
            #suffix
        }
    }

    fn put_record(&self, put: &Put<'m>, record: RecordId, src: &Src) -> TokenStream {
        let before = self.alias.replace(self.alias_in(put.ctx.id, put.row_id, record));
        let code = self.put_record_here(put, record, src);
        self.alias.set(before);
        code
    }

    fn put_record_here(&self, put: &Put<'m>, record: RecordId, src: &Src) -> TokenStream {
        let name = self.name("node", record);
        if self.plan.noded(record) {
            let loc = put.loc();
            let value = self.child_value(record, src);
            return quote! {
                if let rt::Some(inner) = cx.node_at(#loc) {
                    let x = #value;
                    spot.at = #name::<M>(cx, inner, x, spot.at, order)?;
                }
            };
        }
        let value = self.value_of(record, src);
        let at = &put.at;
        quote! {{
            let from = cx.w.problems.len();
            spot.at = #name::<M>(cx, node, #value, spot.at, order)?;
            cx.w.within(from, #at);
        }}
    }

    /// The value of the node `inner`: from the source, or remembered.
    fn child_value(&self, record: RecordId, src: &Src) -> TokenStream {
        if src.shape.is_none() {
            let name = format_ident!("value_{}", record.0);
            return if self.has_value(record) {
                quote!(#name(cx, inner))
            } else {
                self.nothing(record)
            };
        }
        self.value_of(record, src)
    }

    fn put_array(&self, put: &Put<'m>, array: &'m ArrayType, src: &Src) -> TokenStream {
        let code = &src.code;
        let items_of;
        let (iter, x) = match &src.shape {
            Some(Shape::List(inner) | Shape::Fixed(inner, _)) => {
                (quote!((#code).iter()), Src::typed(quote!(x), (**inner).clone()))
            }
            Some(_) => (quote!(([] as [bool; 0]).iter()), Src::typed(quote!(x), Shape::Bool)),
            None => {
                items_of = quote!(w::items_of(#code).iter());
                (items_of, Src::item(quote!(x)))
            }
        };
        let place = put.slot.filter(|_| !self.in_array(put)).map(|slot| {
            quote! {
                if M == w::LAY {
                    w::Tables::place_array(cx, rt::Loc::slot(node, #slot), begin, spot.at, starts);
                }
            }
        });
        // Numbers in one call.
        if let Type::Cell(cell @ Cell { storage: Storage::Fixed(int), meaning }) = &array.element
            && array.stride.is_none()
            && !matches!(meaning, Meaning::Word(_))
        {
            let width = usize::from(int.bytes);
            let order = self.order_of(int);
            let inner =
                Put { index: quote!(rt::Some(index)), at: element_at(&put.at), ..put.clone() };
            let raw = self.raw(&inner, cell, &x, false);
            let body = if let (Raw::Low(raw), true) = (raw, x.shape.is_some()) {
                quote! {
                    if M == w::FILL {
                        cx.w.ints(spot.at, #width, #order, #iter.map(|x| #raw));
                    }
                    spot.skip((#iter.len() as u64).saturating_mul(#width as u64));
                }
            } else {
                let store = self.store(&inner, cell, int, &x);
                quote! {
                    if M == w::FILL {
                        for (index, x) in (0_u32..).zip(#iter) {
                            { #store }
                            spot.skip(#width as u64);
                        }
                    } else {
                        spot.skip((#iter.len() as u64).saturating_mul(#width as u64));
                    }
                }
            };
            return quote! {
                let begin = spot.at;
                let starts: rt::Vec<u64> = rt::Vec::new();
                #body
                #place
            };
        }
        let inner = Put { index: quote!(rt::Some(index)), at: element_at(&put.at), ..put.clone() };
        let element = self.put_type(&inner, &array.element, &x);
        // Elements of one size whose addresses nobody wants.
        let sizes: Vec<Option<u64>> =
            self.epochs().map(|epoch| self.model.size_of(&array.element, epoch)).collect();
        let same = sizes.iter().all(|size| *size == sizes[0]);
        if let (Some(size), true, None, false) = (
            sizes[0],
            same && !is_bits(&array.element),
            &array.stride,
            self.holds_nodes(&array.element) || self.logs(&array.element),
        ) {
            return quote! {
                let begin = spot.at;
                let starts: rt::Vec<u64> = rt::Vec::new();
                if M == w::FILL {
                    for (index, x) in (0_u32..).zip(#iter) {
                        #element
                    }
                } else {
                    spot.skip((#iter.len() as u64).saturating_mul(#size));
                }
                #place
            };
        }
        let stride = array.stride.as_ref().map(|stride| {
            let expect = self.expect(&inner, stride, &quote!(spot.at.saturating_sub(from)), "size");
            quote!(spot.align(); #expect)
        });
        let wants_starts = place.is_some();
        let push = wants_starts.then(|| {
            quote!(if M == w::LAY {
                starts.push(from);
            })
        });
        quote! {
            let begin = spot.at;
            let mut starts: rt::Vec<u64> = rt::Vec::new();
            for (index, x) in (0_u32..).zip(#iter) {
                let from = spot.at;
                #push
                #element
                #stride
            }
            #place
        }
    }

    /// Whether a value is put for an element already.
    fn in_array(&self, put: &Put<'m>) -> bool {
        put.index.to_string() != quote!(rt::None).to_string()
    }

    /// Whether something in a type is logged for pools or the relocation table.
    fn logs(&self, ty: &Type) -> bool {
        if !self.has_pool && !self.has_reloc {
            return false;
        }
        self.logs_in(ty, 0)
    }

    fn logs_in(&self, ty: &Type, depth: u32) -> bool {
        if depth > 16 {
            return true;
        }
        match ty {
            Type::Pointer(_) => true,
            Type::Array(array) => self.logs_in(&array.element, depth + 1),
            Type::Region(region) => self.logs_in(&region.inner, depth + 1),
            Type::PerEpoch(types) => types.iter().any(|ty| self.logs_in(ty, depth + 1)),
            Type::Record(record) => self.record_logs(*record, depth),
            Type::Union(union) => self.model.unions[union.index()]
                .cases
                .iter()
                .any(|case| self.record_logs(case.record, depth)),
            Type::Cell(Cell { meaning: Meaning::Word(word), .. }) => self.record_logs(*word, depth),
            _ => false,
        }
    }

    fn record_logs(&self, record: RecordId, depth: u32) -> bool {
        self.model.records[record.index()].rows.iter().any(|row| {
            row.listed.is_some()
                || matches!(row.kind, RowKind::Runtime)
                || self.logs_in(&row.ty, depth + 1)
        })
    }

    fn put_union(&self, put: &Put<'m>, id: UnionId, src: &Src) -> TokenStream {
        let union = &self.model.unions[id.index()];
        let ident = self.shapes.union_ident(id);
        let loc = put.loc();
        let mut arms = Vec::new();
        for (case_number, case) in (0_u32..).zip(&union.cases) {
            let (variant, payload) = self.shapes.variant(id, case_number);
            let noded = self.plan.noded(case.record);
            let (pattern, inner) = match payload {
                Some(record) => (
                    quote!(super::#ident::#variant(x)),
                    Src::typed(quote!(x), Shape::Struct(record)),
                ),
                None => (quote!(super::#ident::#variant), Src::typed(quote!(()), Shape::Bool)),
            };
            let body = self.put_case(put, id, case_number, &inner);
            let record = number(case.record.index());
            if src.shape.is_none() {
                // The value is remembered by the node.
                let value = self.child_value(case.record, src);
                arms.push(quote!(#record => { let x = #value; #body }));
            } else if noded {
                arms.push(quote!(#pattern => if let rt::Some(inner) = cx.node_at(#loc) { #body }));
            } else {
                arms.push(quote!(#pattern => { #body }));
            }
        }
        let start = quote!(let begin = spot.at;);
        if src.shape.is_none() {
            return quote! {
                #start
                if let rt::Some(inner) = cx.node_at(#loc) {
                    match cx.w.tree.node(inner).record { #(#arms)* _ => {} }
                }
            };
        }
        let code = &src.code;
        quote!(#start match #code { #(#arms)* })
    }

    fn put_case(&self, put: &Put<'m>, id: UnionId, number_of: u32, src: &Src) -> TokenStream {
        let union = &self.model.unions[id.index()];
        let case = &union.cases[number_of as usize];
        let noded = self.plan.noded(case.record);
        let value = self.value_of(case.record, src);
        let at = &put.at;
        if case.whole {
            let name = format_ident!("node_{}", case.record.0);
            let own = matches!(union.tag, Tag::Own(_) | Tag::Word(_));
            let from = if union.body || !own {
                quote!(if M == w::DRY { begin } else { base })
            } else {
                quote!(begin)
            };
            let call =
                |node: TokenStream| quote!(spot.at = #name::<M>(cx, #node, #value, #from, order)?;);
            return if noded {
                call(quote!(inner))
            } else {
                let call = call(quote!(node));
                quote!(let from = cx.w.problems.len(); #call cx.w.within(from, #at);)
            };
        }
        if case.forms.is_empty() {
            return self.put_rows(put, id, &case.labels, case.record, &value, noded, None);
        }
        let arms = case.forms.iter().enumerate().map(|(index, form)| {
            let index = number(index);
            let body = self.put_rows(
                put,
                id,
                &form.labels,
                form.record,
                &value,
                noded,
                Some(quote!(rows)),
            );
            quote!(#index => { #body })
        });
        quote! {
            if let rt::Some((form, rows)) = cx.w.tree.node(inner).form {
                match form { #(#arms)* _ => {} }
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "all of it is about one case")]
    fn put_rows(
        &self,
        put: &Put<'m>,
        id: UnionId,
        labels: &'m [Label],
        record: RecordId,
        value: &TokenStream,
        noded: bool,
        rows: Option<TokenStream>,
    ) -> TokenStream {
        let union = &self.model.unions[id.index()];
        let name = format_ident!("put_{}", record.0);
        let tag_size = match &union.tag {
            Tag::Own(Cell { storage: Storage::Fixed(int), .. })
            | Tag::Word(Cell { storage: Storage::Fixed(int), .. }) => u64::from(int.bytes),
            _ => 0,
        };
        let patterned = match (&union.tag, labels.first()) {
            (Tag::Own(_), Some(Label::Pattern(pattern))) => u64::from(pattern.width / 8),
            _ => 0,
        };
        let skip = tag_size.max(patterned);
        let node = match (&rows, noded) {
            (Some(rows), _) => rows.clone(),
            (None, true) => quote!(inner),
            (None, false) => quote!(node),
        };
        let tag = self.put_tag(put, id, labels, record, &node, value, noded);
        let set_at = noded.then(|| {
            let rows = rows.as_ref().map(|rows| quote!(cx.w.tree.node_mut(#rows).at = base;));
            quote!(if M == w::LAY { cx.w.tree.node_mut(inner).at = base; #rows })
        });
        let set_end = noded.then(|| {
            let rows = rows.as_ref().map(|rows| quote!(cx.w.tree.node_mut(#rows).end = spot.at;));
            quote!(if M == w::LAY { cx.w.tree.node_mut(inner).end = spot.at; #rows })
        });
        let size = union.size.map(|size| quote!(.max(begin.saturating_add(#size))));
        let within = (!noded).then(|| {
            let at = &put.at;
            quote!(cx.w.within(from, #at);)
        });
        let from = (!noded).then(|| quote!(let from = cx.w.problems.len();));
        let letters = self.letter_logs(record, &node, value);
        quote! {
            let base = if M == w::DRY { begin } else { base };
            #set_at
            #tag
            #letters
            #from
            let mut after = w::Spot::new(begin.saturating_add(#skip));
            #name::<M>(cx, #node, #value, &mut after, base, order)?;
            after.align();
            *spot = w::Spot::new(after.at #size);
            #within
            #set_end
        }
    }

    /// Pointers in letters stand where the tag does.
    fn letter_logs(
        &self,
        record: RecordId,
        node: &TokenStream,
        value: &TokenStream,
    ) -> TokenStream {
        let ctx = Ctx { id: record, noded: self.plan.noded(record) };
        let mut code = TokenStream::new();
        for (row_id, row) in (0_u32..).map(RowId).zip(&self.model.records[record.index()].rows) {
            let Type::Pointer(pointer) = &row.ty else { continue };
            if !matches!(pointer.cell, Some(Cell { storage: Storage::Letter { .. }, .. })) {
                continue;
            }
            let slot = self.plan.slot(record, row_id).filter(|_| ctx.noded);
            let put =
                Put { ctx, row_id, row, slot, index: quote!(rt::None), at: ctx.at(self, row_id) };
            let (before, src) = self.row_source(&put);
            let log = self.pointer_log(&put, pointer, &src, &quote!(begin));
            let set = slot.map(|slot| quote!(cx.w.lay_letter(node, #slot, begin);));
            code.extend(quote!(if M == w::LAY {
                let (node, value) = (#node, #value);
                #set
                #before
                #log
            }));
        }
        code
    }

    /// The tag in front of a case.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one case")]
    fn put_tag(
        &self,
        put: &Put<'m>,
        id: UnionId,
        labels: &'m [Label],
        record: RecordId,
        node: &TokenStream,
        value: &TokenStream,
        noded: bool,
    ) -> TokenStream {
        let union = &self.model.unions[id.index()];
        let (Tag::Own(cell) | Tag::Word(cell)) = &union.tag else { return quote!() };
        let at = &put.at;
        let ctx = Ctx { id: record, noded };
        let record_rows = &self.model.records[record.index()].rows;
        let row_number = |row_id: RowId, row: &'m Row, cell: &'m Cell| -> TokenStream {
            let slot = self.plan.slot(record, row_id).filter(|_| ctx.noded);
            let inner_at = ctx.at(self, row_id);
            let inner = Put { ctx, row_id, row, slot, index: quote!(rt::None), at: inner_at };
            let (before, src) = self.row_source(&inner);
            let n = match &row.ty {
                Type::Pointer(pointer) => self.pointer_number(&inner, pointer, &src),
                _ => self.raw_number(&inner, cell, &src),
            };
            quote!({ let (node, value) = (#node, #value); #before #n })
        };
        let tag_row =
            (0_u32..).map(RowId).zip(record_rows).find_map(|(row_id, row)| match &row.ty {
                Type::Cell(cell) if matches!(cell.storage, Storage::TagOf) => {
                    Some(row_number(row_id, row, cell))
                }
                _ => None,
            });
        let fixed = match cell.storage {
            Storage::Fixed(int) => Some(int),
            _ => None,
        };
        let code = match labels.first() {
            Some(Label::Pattern(pattern)) => {
                let bits = Literal::u128_suffixed(pattern.bits);
                let mut letters = TokenStream::new();
                for (row_id, row) in (0_u32..).map(RowId).zip(record_rows) {
                    let Some((letter, width)) = Self::is_letter(row) else { continue };
                    let cell = match &row.ty {
                        Type::Cell(cell) => cell,
                        Type::Pointer(pointer) => match &pointer.cell {
                            Some(cell) => cell,
                            None => continue,
                        },
                        _ => continue,
                    };
                    let Some((_, positions)) =
                        Self::letters(&labels[0]).into_iter().find(|(known, _)| *known == letter)
                    else {
                        continue;
                    };
                    let n = row_number(row_id, row, cell);
                    let name = format!("{width} bits");
                    let row_at = ctx.at(self, row_id);
                    let width = u32::from(width);
                    letters.extend(quote! {{
                        let n: i128 = #n;
                        if ::formwork::fits(n, #width, false) {
                            number |= w::sum_bits(w::low(n), &[#(#positions),*]);
                        } else {
                            let node = #node;
                            cx.w.problem(#row_at, w::does_not_fit(n, #name));
                        }
                    }});
                }
                let bytes = usize::try_from(pattern.width / 8).unwrap_or(0).min(16);
                let store = match (&union.tag, fixed) {
                    (Tag::Word(_), Some(int)) => {
                        let width = usize::from(int.bytes);
                        let order = self.order_of(&int);
                        quote!(cx.w.int(begin, #width, #order, number as u64);)
                    }
                    _ => {
                        let skip = 16 - bytes;
                        quote!(cx.w.put(begin, &number.to_be_bytes()[#skip..]);)
                    }
                };
                quote!(let mut number: u128 = #bits; #letters #store)
            }
            Some(Label::Range(low, _)) => {
                let Some(int) = fixed else { return quote!() };
                let width = usize::from(int.bytes);
                let order = self.order_of(&int);
                match tag_row {
                    Some(n) => {
                        let ranges = labels.iter().filter_map(|label| match label {
                            Label::Range(a, b) => {
                                let (a, b) =
                                    (Literal::i128_suffixed(*a), Literal::i128_suffixed(*b));
                                Some(quote!((#a <= number && number <= #b)))
                            }
                            _ => None,
                        });
                        quote! {
                            let number: i128 = #n;
                            if #(#ranges)||* {
                                cx.w.int(begin, #width, #order, w::low(number));
                            } else {
                                cx.w.problem(#at, w::does_not_fit(number, "the case's labels"));
                            }
                        }
                    }
                    None => {
                        #[allow(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "two's complement is meant"
                        )]
                        let low = *low as u64;
                        quote!(cx.w.int(begin, #width, #order, #low);)
                    }
                }
            }
            Some(Label::Else) => match (tag_row, fixed) {
                (Some(n), Some(int)) => {
                    let width = usize::from(int.bytes);
                    let order = self.order_of(&int);
                    quote! {
                        let number: i128 = #n;
                        cx.w.int(begin, #width, #order, w::low(number));
                    }
                }
                _ => quote!(),
            },
            _ => quote!(),
        };
        if code.is_empty() {
            return code;
        }
        quote!(if M == w::FILL { #code })
    }

    fn put_pointer(&self, put: &Put<'m>, pointer: &'m PointerType, src: &Src) -> TokenStream {
        let kind = &self.model.pointers[pointer.kind.index()];
        let cell = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let Storage::Fixed(int) = cell.storage else { return quote!() };
        let width = usize::from(int.bytes);
        let order = self.order_of(&int);
        let (bits, signed) = (u32::from(int.bytes) * 8, int.signed);
        let name = self.cell_name(cell);
        let log = self.pointer_log(put, pointer, src, &quote!(spot.at));
        let n = self.pointer_number(put, pointer, src);
        let at = &put.at;
        let loc = put.loc();
        let set = put.slot.map(|_| {
            quote! {
                if let rt::Some(pointer) = cx.w.tree.pointer_mut(#loc) {
                    pointer.cell = spot.at;
                }
            }
        });
        quote! {
            if M == w::LAY { #set #log }
            if M == w::FILL {
                let n: i128 = #n;
                if ::formwork::fits(n, #bits, #signed) {
                    cx.w.int(spot.at, #width, #order, w::low(n));
                } else {
                    cx.w.problem(#at, w::does_not_fit(n, #name));
                }
            }
            spot.skip(#width as u64);
        }
    }

    /// Code that logs a pointer at an address for pools and the relocation table.
    fn pointer_log(
        &self,
        put: &Put<'m>,
        pointer: &'m PointerType,
        src: &Src,
        at: &TokenStream,
    ) -> TokenStream {
        let kind = number(pointer.kind.index());
        let code = &src.code;
        let pooled = matches!(pointer.target, Target::Pooled);
        let is_some = match &src.shape {
            Some(Shape::Option(_)) => quote!((#code).is_some()),
            Some(_) => quote!(true),
            None => quote!(w::is_set(#code)),
        };
        let label = (pooled && self.has_pool).then(|| {
            let push = |item: TokenStream| {
                quote!(cx.w.log.labels.push(w::Label { cell: #at, kind: #kind, node, text: #item });)
            };
            match &src.shape {
                Some(Shape::Option(_)) => {
                    let push = push(quote!(w::Datum::item(x)));
                    quote!(if let rt::Some(x) = #code { #push })
                }
                Some(_) => push(quote!(w::Datum::item(#code))),
                None => {
                    let push = push(quote!(w::target_of(#code)));
                    quote!(if w::is_set(#code) { #push })
                }
            }
        });
        let cell = self.has_reloc.then(|| {
            let class = self.class(pointer);
            let section = number(pointer.section as usize);
            let policy = match pointer.list {
                Some(policy) => {
                    let policy = super::layout::policy(policy);
                    quote!(rt::Some(#policy))
                }
                None => quote!(rt::None),
            };
            let set = match (&pointer.target, put.slot) {
                (Target::Own(_), Some(_)) => {
                    let loc = put.loc();
                    quote!(w::Set::Pointer(#loc))
                }
                _ => quote!(w::Set::Known(#is_some)),
            };
            quote!(cx.w.log.cells.push(w::Cell {
                at: #at,
                kind: #kind,
                class: #class,
                policy: #policy,
                section: #section,
                set: #set,
            });)
        });
        quote!(#label #cell)
    }

    /// Code of type `i128`: the number that a pointer stores.
    fn pointer_number(&self, put: &Put<'m>, pointer: &'m PointerType, src: &Src) -> TokenStream {
        let kind = &self.model.pointers[pointer.kind.index()];
        let none = option_i128(put.row.none.first().copied().or(kind.none));
        let at = &put.at;
        let loc = put.loc();
        let address = match &pointer.target {
            Target::Own(target) => {
                let empty = matches!(target, Type::Nothing) && !pointer.optional;
                quote!(cx.own_address(#loc, #empty))
            }
            Target::Pooled => {
                let pool = kind.pool.as_ref().map_or(u16::MAX, |pool| self.plan.path(pool));
                let chars = src.chars();
                quote!(cx.label_address(#pool, node, #chars, #at))
            }
            Target::Element => {
                let path = put
                    .row
                    .reference
                    .as_ref()
                    .map_or(u16::MAX, |reference| self.plan.path(&reference.array));
                let n = src.number();
                quote!(cx.element_address(#path, node, #n))
            }
        };
        let skip = kind.skip;
        let base = match &kind.base {
            Some(base) => {
                let n = self.plan.expr(base, put.ctx.id);
                quote!(rt::Some(#n))
            }
            None => quote!(rt::None),
        };
        quote!({
            let address = #address;
            match cx.pointer_number(address, #none, #skip, #base, node, #at) {
                rt::Ok(n) => n,
                rt::Err(fault) => {
                    w::Write::fail::<M>(cx, fault, #at)?;
                    0
                }
            }
        })
    }

    /// The function that puts what a slot, or a pointer in it, leads to.
    pub fn content_fn(&self, id: RecordId, row_id: RowId) -> Option<(u16, TokenStream)> {
        let slot = self.plan.slot(id, row_id)?;
        let row = self.row(id, row_id);
        let object = matches!(row.kind, RowKind::Object { .. });
        if !object && !owns_target(&row.ty) {
            return None;
        }
        let ctx = Ctx { id, noded: true };
        let at = ctx.at(self, row_id);
        let put = Put { ctx, row_id, row, slot: Some(slot), index: quote!(rt::None), at };
        let (before, src) = self.row_source(&put);
        let whole = if object {
            self.put_type(&put, &row.ty, &src)
        } else {
            self.put_target(&put, &row.ty, &src)
        };
        let element = self.put_element_target(&put, &row.ty, &src);
        let body = if element.is_empty() {
            whole
        } else {
            quote!(match index {
                rt::None => { #whole }
                rt::Some(index) => { #element }
            })
        };
        let name = format_ident!("content_{}_{}", id.0, slot);
        let value = self.remembered(id);
        Some((
            slot,
            quote! {
                fn #name<'v, const M: u8>(
                    cx: &mut Writer<'v>,
                    node: rt::NodeId,
                    index: rt::Option<u32>,
                    spot: &mut w::Spot,
                ) -> rt::Fallible<()> {
                    let value = #value;
                    let base = cx.w.tree.node(node).at;
                    let order = cx.order_at(node);
                    #before
                    #body
                    rt::Ok(())
                }
            },
        ))
    }

    /// Code for the value of the node `node`.
    pub fn remembered(&self, id: RecordId) -> TokenStream {
        if self.has_value(id) {
            let name = format_ident!("value_{}", id.0);
            quote!(#name(cx, node))
        } else {
            self.nothing(id)
        }
    }

    fn put_target(&self, put: &Put<'m>, ty: &'m Type, src: &Src) -> TokenStream {
        let code = &src.code;
        match &src.shape {
            Some(Shape::Boxed(inner)) => {
                let src = Src::typed(quote!(&**#code), (**inner).clone());
                return self.put_target(put, ty, &src);
            }
            Some(Shape::Option(inner)) if !matches!(ty, Type::PerEpoch(_)) => {
                let some = Src::typed(quote!(x), (**inner).clone());
                let body = self.put_target(put, ty, &some);
                return quote!(if let rt::Some(x) = #code { #body });
            }
            _ => {}
        }
        match ty {
            Type::PerEpoch(types) => self.by_epoch(types, &|ty| self.put_target(put, ty, src)),
            Type::Region(region) => self.put_target(put, &region.inner, src),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => {
                    let src = if src.shape.is_none() {
                        Src::item(quote!(rt::through(#code)))
                    } else {
                        src.clone()
                    };
                    self.put_type(put, target, &src)
                }
                _ => quote!(),
            },
            _ => quote!(),
        }
    }

    /// Code that puts what the pointer in the element `index` leads to.
    fn put_element_target(&self, put: &Put<'m>, ty: &'m Type, src: &Src) -> TokenStream {
        let code = &src.code;
        match &src.shape {
            Some(Shape::Boxed(inner)) => {
                let src = Src::typed(quote!(&**#code), (**inner).clone());
                return self.put_element_target(put, ty, &src);
            }
            Some(Shape::Option(inner)) if !matches!(ty, Type::PerEpoch(_)) => {
                let some = Src::typed(quote!(x), (**inner).clone());
                let body = self.put_element_target(put, ty, &some);
                if body.is_empty() {
                    return body;
                }
                return quote!(if let rt::Some(x) = #code { #body });
            }
            _ => {}
        }
        match ty {
            Type::PerEpoch(types) => {
                let mut any = false;
                let code = self.by_epoch(types, &|ty| self.put_element_target(put, ty, src));
                any |= types.iter().any(|ty| !self.put_element_target(put, ty, src).is_empty());
                if any { code } else { quote!() }
            }
            Type::Region(region) => self.put_element_target(put, &region.inner, src),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => self.put_element_target(put, target, src),
                _ => quote!(),
            },
            Type::Array(array) => {
                let (get, x) = match &src.shape {
                    Some(Shape::List(inner) | Shape::Fixed(inner, _)) => (
                        quote!((#code).get(index as usize)),
                        Src::typed(quote!(x), (**inner).clone()),
                    ),
                    Some(_) => return quote!(),
                    None => (quote!(w::items_of(#code).get(index as usize)), Src::item(quote!(x))),
                };
                let inner =
                    Put { index: quote!(rt::Some(index)), at: element_at(&put.at), ..put.clone() };
                let body = self.put_target(&inner, &array.element, &x);
                if body.is_empty() {
                    return body;
                }
                quote!(if let rt::Some(x) = #get { #body })
            }
            _ => quote!(),
        }
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
