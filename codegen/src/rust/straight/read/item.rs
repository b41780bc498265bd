//! Values of a type at a spot.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::ends::{self, Ends, RoomSize};
use super::super::operators;
use super::{Callee, Ctx, Handed, Reading, Sink, Spot, function, size};
use crate::model::{
    ArrayLength, Content, Encoding, Extent, Home, RecordId, RecordKind, RegionType, Row, RowKind,
    RunLength, Storage, Tag, Type, UnionId,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::context::Flavour;
use crate::rust::straight::scope::Access;

impl<'m> Reading<'_, '_, 'm> {
    /// Statements that read a value of a type and hand it on.
    pub(super) fn item(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        ty: &'m Type,
        row: &'m Row,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        match ty {
            Type::Cell(cell) => self.cell(ctx, spot, cell, row, target, sink),
            Type::Run(run) => self.run(ctx, spot, run, target, sink),
            Type::Record(record) => self
                .record(ctx, spot, *record, target.core(), &|value| sink(self.wrap(target, value))),
            Type::Union(union) => {
                let holder = self.lone(ctx, spot)?;
                self.union(ctx, &holder, spot, *union, target.core(), &|value| {
                    sink(self.wrap(target, value))
                })
            }
            Type::Pointer(pointer) => self.pointer(ctx, spot, pointer, row, target, sink),
            Type::Array(array) => self.array(ctx, spot, array, row, target.core(), &|value| {
                sink(self.wrap(target, value))
            }),
            Type::Region(region) => self.region(ctx, spot, region, row, target, sink),
            Type::ByteOrderMark => {
                let check = match spot {
                    Spot::Block { block, at, .. } => {
                        let at = size(*at);
                        quote!(s::holds(s::u16(#block, #at) == 0xfeff)?;)
                    }
                    Spot::Stream { part, .. } => quote!(#part.expect(b"\xff\xfe")?;),
                };
                let value = sink(self.wrap(target, quote!(::formwork::Endian::Little)));
                Ok(quote!(#check #value))
            }
            Type::PerEpoch(_) | Type::Text | Type::Nothing => unable("something without bytes"),
        }
    }

    /// What a union that no row of the record around it holds counts from.
    fn lone(&self, ctx: &Ctx<'m>, spot: &Spot) -> Able<super::body::Holder> {
        let Spot::Stream { part, local } = spot else { return unable("a union in a block") };
        Ok(super::body::Holder {
            base: ctx.base.clone(),
            block: None,
            whole: false,
            part: Some((part.clone(), *local)),
            case: true,
        })
    }

    /// A record, where it stands or by its function.
    pub(super) fn record(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        id: RecordId,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        self.by_order(ctx, spot, id, &|ctx| self.record_in_order(ctx, spot, id, target, sink))
    }

    /// The same, where its byte order is known.
    fn record_in_order(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        id: RecordId,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let own = ctx.record == id && ctx.frames.is_empty();
        if !own {
            let recursive = self.straight.record(id).recursive;
            if matches!(spot, Spot::Stream { .. }) || !self.is_plain(ctx, id) {
                let call = || match self.is_block(ctx, &Type::Record(id)) {
                    true => self.called_with_block(ctx, spot, id, target, sink),
                    false => self.called(ctx, spot, id, target, sink),
                };
                match if recursive { call() } else { self.straight.perhaps(call) } {
                    Err(why) if recursive => return Err(why),
                    // It asks for something around, so it is read where it stands.
                    Err(_) => {}
                    made => return made,
                }
            }
        }
        self.inside(|| self.record_here(ctx, spot, id, target, sink))
    }

    /// Makes the function of a struct, if that gives a value of this shape.
    pub(super) fn callable(&self, ctx: &Ctx<'m>, callee: Callee, target: &Shape) -> Able<()> {
        let (shapes, id) = (self.straight.shapes, callee.record);
        let typed = shapes.is_typed(id) || shapes.is_transparent(id);
        if !typed || *target != self.straight.value_shape(id) {
            return unable("a struct of another Rust type");
        }
        self.call(callee, ctx.epoch)
    }

    /// A call of a function with the bytes or the part that it is handed.
    pub(super) fn call_code(&self, callee: Callee, handed: &TokenStream) -> TokenStream {
        let (name, epoch) = (function(callee), self.straight.epoch_argument());
        let (mode, arena) = (self.straight.mode_argument(), self.straight.arena_argument());
        quote!(#name::<#mode #epoch>(cx, #arena #handed)?)
    }

    fn called(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        id: RecordId,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let callee = Callee { record: id, big: ctx.big, pushing: false, handed: Handed::Part };
        self.callable(ctx, callee, target)?;
        let (before, part) = match spot {
            Spot::Stream { part, local: true } => (None, quote!(&mut #part)),
            Spot::Stream { part, local: false } => (None, quote!(#part)),
            Spot::Block { .. } => {
                let (part, at) = (self.local("p"), spot.address());
                (Some(quote!(let mut #part = cx.part(#at)?;)), quote!(&mut #part))
            }
        };
        let call = self.call_code(callee, &part);
        let (value, chain) = (sink(quote!(value)), self.take_chain(ctx, id));
        let recursive = self.straight.record(id).recursive && !ctx.entered;
        let enter = recursive.then(|| quote!(cx.enter()?;));
        let leave = recursive.then(|| quote!(cx.leave();));
        Ok(quote! {
            #before
            #enter
            let value = #call;
            #leave
            #chain
            #value
        })
    }

    /// A call that reads elements to an open list of an arena, if they have a function: so many, or
    /// with `s::FILL` all up to the end.
    pub(super) fn pushed(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        ty: &Type,
        element: &Shape,
        list: &Ident,
        count: &TokenStream,
    ) -> Able<TokenStream> {
        let (Type::Record(id), Spot::Stream { part, .. }) = (ty, spot) else {
            return unable("elements without a function");
        };
        let function_of = self.straight.record(*id).recursive || self.uses[id.index()] > 1;
        if !function_of
            || *element != self.straight.value_shape(*id)
            || self.straight.is_order_chosen(*id)
        {
            return unable("elements without a function");
        }
        let callee = Callee { record: *id, big: ctx.big, pushing: true, handed: Handed::Part };
        self.call(callee, ctx.epoch)?;
        let (name, epoch) = (function(callee), self.straight.epoch_argument());
        let chain = self.take_chain(ctx, *id);
        Ok(quote! {
            #part.go_on(
                #name::<#epoch>(cx, arena, &#list, #part.left_over(), #part.end(), #count)?
            );
            #chain
        })
    }

    fn record_here(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        id: RecordId,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let record = &ctx.view.records[id.index()];
        if let RecordKind::Word(_) = record.kind {
            return unable("a word that is no number");
        }
        if ctx.frames.len() > 64 {
            return unable("structs nested too deep");
        }
        let block_size = record.sizes.get(ctx.epoch).copied().flatten();
        let (before, holder, address) = match spot {
            Spot::Block { block, at, whole, .. } => {
                let all = self.fixed(ctx, &Type::Record(id));
                let Some(all) = all else {
                    return unable("a struct of no fixed size within a block");
                };
                let holder = super::body::Holder {
                    base: spot.address(),
                    block: Some((block.clone(), *at, at + all)),
                    whole: *whole,
                    part: None,
                    case: false,
                };
                (TokenStream::new(), holder, spot.address())
            }
            Spot::Stream { part, local } => {
                let base = self.local("a");
                let mut before = quote!(let #base = #part.at(););
                let mut block = None;
                if let Some(n) = block_size.filter(|n| *n > 0) {
                    let name = self.local("b");
                    let width = size(n);
                    before.extend(quote!(let #name: &'i [u8; #width] = #part.block()?;));
                    block = Some((name, 0, n));
                }
                let holder = super::body::Holder {
                    base: quote!(#base),
                    case: block.is_none(),
                    block,
                    whole: true,
                    part: Some((part.clone(), *local)),
                };
                (before, holder, quote!(#base))
            }
        };
        let mut inner = ctx.clone();
        let big = self.order_in(ctx, id);
        inner.big = self.straight.carried(id, None, big)?.unwrap_or(ctx.big);
        inner.decided = None;
        inner.record = id;
        inner.base = address.clone();
        (inner.pattern, inner.tag, inner.word) = (None, None, None);
        (inner.filled, inner.extent, inner.keeps) = (false, None, None);
        inner.entered = false;
        inner.pushing &= self.straight.shapes.is_transparent(id);
        inner.frames.push(super::Frame {
            record: id,
            access: Access::Early,
            at: Some(quote!((#address as u64))),
            index: inner.index.take().map(|index| quote!(#index)),
        });
        let rows = self.rows(&inner, &holder, &|row| self.wanted(id, row, target))?;
        let value = sink(self.literal(id, target, &rows)?);
        let rows = rows.code;
        Ok(quote!(#before #rows #value))
    }

    /// Shape that the row of a record has in a value of this shape, which is that of the record or
    /// of one with rows of the same names.
    pub(super) fn wanted(
        &self,
        id: RecordId,
        row: crate::model::RowId,
        target: &Shape,
    ) -> Option<Shape> {
        let shapes = self.straight.shapes;
        match target {
            Shape::Struct(other) if *other != id && !shapes.is_transparent(id) => {
                let name = &self.straight.record(id).rows[row.index()].name;
                let rows = &self.straight.record(*other).rows;
                let field = shapes
                    .fields(*other)
                    .iter()
                    .find(|field| name.is_some() && rows[field.row.index()].name == *name)?;
                Some(field.shape.clone())
            }
            _ => shapes.field(id, row).map(|field| field.shape.clone()),
        }
    }

    /// A value of a record from its fields.
    pub(super) fn literal(
        &self,
        id: RecordId,
        target: &Shape,
        rows: &super::body::Rows,
    ) -> Able<TokenStream> {
        let shapes = self.straight.shapes;
        if shapes.is_transparent(id) {
            return match rows.fields.as_slice() {
                [(_, only)] => Ok(quote!(#only)),
                _ => unable("a transparent struct without its field"),
            };
        }
        let Shape::Struct(of) = target else {
            return if shapes.is_typed(id) {
                unable("a struct of another Rust type")
            } else {
                Ok(quote!(()))
            };
        };
        if !shapes.is_typed(*of) {
            return Ok(quote!(()));
        }
        let path = self.path(&shapes.ident(*of));
        let own = &self.straight.record(id).rows;
        let mut values = TokenStream::new();
        for field in shapes.fields(*of) {
            let name = &self.straight.record(*of).rows[field.row.index()].name;
            let found = rows.fields.iter().find(|(row, _)| match *of == id {
                true => *row == field.row,
                false => own[row.index()].name == *name,
            });
            let Some((read, local)) = found else { return unable("a field without a row") };
            let ident = &field.ident;
            let row = &self.straight.record(*of).rows[field.row.index()];
            let goal = self.straight.goal(*of, field.row, row);
            if let Some(goal) = goal.filter(|_| !rows.gone.contains(read)) {
                let value = self.straight.noted(goal, &field.shape, &quote!(#local));
                values.extend(quote!(#ident: #value,));
                continue;
            }
            values.extend(quote!(#ident: #local,));
        }
        if !shapes.has_spelling(*of) {
            return Ok(quote!(#path { #values }));
        }
        let spelling = match (self.straight.flavour, &rows.keeps) {
            (Flavour::Values, Some(local)) => quote!(#local),
            (Flavour::Values, None) => quote!(::formwork::Spelling::default()),
            (Flavour::Arena, Some(local)) => quote!(s::spelled(arena, #local)?),
            (Flavour::Arena, None) => quote!(::formwork::arena::SpellingId::CANONICAL),
        };
        if self.straight.spelling_outside(*of) {
            // The two things that the variant has.
            return Ok(quote!(#path { #values }, #spelling));
        }
        Ok(quote!(#path { #values spelling: #spelling, }))
    }

    fn region(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        region: &'m RegionType,
        row: &'m Row,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let inner = self.local("p");
        let ends = ends::ends(self.model, region)?;
        let align = match (region.align(), spot) {
            (Some(_), Spot::Block { .. }) => return unable("an aligned text in a block"),
            (Some(align), Spot::Stream { part, .. }) => {
                let align = size(align);
                Some(quote!(#part.align(#align)?;))
            }
            (None, _) => None,
        };
        let take = match (&ends, spot) {
            (Some(Ends::Cut(bytes, trim)), _) => {
                let (bytes, cut, at) = (size(*bytes), ends::cut(trim, ctx.big), self.local("a"));
                let address = spot.address();
                let room = match spot {
                    Spot::Block { block, at, .. } => {
                        let at = size(*at);
                        quote!(s::bytes(#block, #at, #bytes))
                    }
                    Spot::Stream { part, .. } => quote!(#part.take(#bytes)?),
                };
                quote!({ let #at = #address; s::trimmed(#room, #at, #cut)? })
            }
            (Some(Ends::Room(bytes, trim)), Spot::Stream { part, .. }) => {
                let (cut, at, address) =
                    (ends::cut(trim, ctx.big), self.local("a"), spot.address());
                let rows = &ctx.view.records[ctx.record.index()];
                let Some((id, _)) = rows.numbered_rows().find(|(_, own)| std::ptr::eq(*own, row))
                else {
                    return unable("a room of another struct");
                };
                let room = self.straight.room_size(ctx.record, id, *bytes)?;
                let bytes = self.length(ctx, *bytes)?;
                let trimmed = match room {
                    RoomSize::Said => quote!(s::trimmed(room, #at, #cut)?),
                    RoomSize::Least(of) => {
                        let rule = operators::rule(of);
                        quote!(s::trimmed_least(room, #at, #cut, &#rule)?)
                    }
                };
                quote!({ let #at = #address; let room = #part.take(#bytes)?; #trimmed })
            }
            (_, Spot::Block { .. }) => return unable("a region in a block"),
            (Some(Ends::Stop(stop)), Spot::Stream { part, .. }) => match ends::byte(stop) {
                Some(byte) => quote!(#part.ended_by(#byte)?),
                None => {
                    let stop = ends::stop(stop, ctx.big);
                    quote!(#part.ended(#stop)?)
                }
            },
            (None, Spot::Stream { part, .. }) => self.whole_region(ctx, part, region)?,
        };
        let content =
            self.item(ctx, &Spot::local(inner.clone()), &region.inner, row, target, sink)?;
        // An array that takes all there is leaves nothing.
        let done = match &region.inner {
            Type::Array(array) if matches!(array.length, ArrayLength::Fill) => None,
            Type::Run(run) if matches!(run.length, RunLength::Fill) => None,
            _ => Some(quote!(#inner.done()?;)),
        };
        Ok(quote!(#align let mut #inner = #take; #content #done))
    }

    /// The part that something fills.
    fn whole_region(&self, ctx: &Ctx<'m>, part: &Ident, region: &RegionType) -> Able<TokenStream> {
        Ok(match &region.extent {
            Extent::Size(size) => {
                let size = self.length(ctx, *size)?;
                quote!(#part.sized(#size)?)
            }
            Extent::End(end) => {
                let end = self.length(ctx, *end)?;
                quote!(#part.until(#end)?)
            }
            Extent::Rest => {
                let left = quote!(#part.left());
                quote!({ let left = #left; #part.sized(left)? })
            }
            Extent::Terminated(_) => return unable("a terminator in a room"),
        })
    }

    /// Size in bytes of a type, if it is the same for all files of the epoch.
    pub(super) fn fixed(&self, ctx: &Ctx<'m>, ty: &Type) -> Option<u64> {
        self.sizes.get(ctx.epoch)?.of(ty)
    }

    /// Whether a type is read from a block: it has a constant size, and so has all in it.
    pub(super) fn is_block(&self, ctx: &Ctx<'m>, ty: &Type) -> bool {
        if self.fixed(ctx, ty).is_none() {
            return false;
        }
        match ty {
            Type::Cell(cell) => {
                matches!(cell.storage, Storage::Fixed(_) | Storage::Digits { bytes: Some(_), .. })
            }
            Type::Run(run) => {
                !matches!(run.length, RunLength::Prefix(_) | RunLength::Fill)
                    && run.align.is_none()
                    && !matches!(
                        run.content,
                        Content::Text(
                            Encoding::Utf32 | Encoding::Latin1 | Encoding::Cp1252 | Encoding::Mutf8
                        )
                    )
            }
            Type::Record(id) => self.is_block_record(ctx, *id),
            Type::Pointer(pointer) => {
                let kind = &ctx.view.pointers[pointer.kind.index()];
                pointer.cell.is_none() && matches!(kind.cell.storage, Storage::Fixed(_))
            }
            Type::Array(array) => {
                array.stride.is_none()
                    && matches!(array.length, ArrayLength::Count(_))
                    && self.is_block(ctx, &array.element)
            }
            Type::ByteOrderMark => true,
            Type::Region(region) => {
                matches!(ends::ends(self.model, region), Ok(Some(Ends::Cut(..))))
            }
            Type::Union(_) | Type::PerEpoch(_) | Type::Text | Type::Nothing => false,
        }
    }

    fn is_block_record(&self, ctx: &Ctx<'m>, id: RecordId) -> bool {
        let record = &ctx.view.records[id.index()];
        if record.recursive
            || matches!(record.kind, RecordKind::Word(_))
            || self.straight.is_order_chosen(id)
        {
            return false;
        }
        let Some(all) = self.fixed(ctx, &Type::Record(id)) else { return false };
        record.rows.iter().all(|row| match row.homes.get(ctx.epoch) {
            Some(Home::Absent) => true,
            Some(Home::Nowhere) => !matches!(row.kind, RowKind::Object { .. }),
            Some(Home::At(at)) => {
                let Some(left) = all.checked_sub(*at) else { return false };
                match &row.ty {
                    Type::Union(union) => self.is_block_union(ctx, *union, all),
                    ty => {
                        self.is_block(ctx, ty)
                            && self.fixed(ctx, ty).is_some_and(|size| size <= left)
                    }
                }
            }
            Some(Home::Next) => row.when.is_none() && self.is_block(ctx, &row.ty),
            None => false,
        })
    }

    /// Whether all cases of a union lie in the block of the record around it, which has this size.
    pub(super) fn is_block_union(&self, ctx: &Ctx<'m>, id: UnionId, all: u64) -> bool {
        let union = &ctx.view.unions[id.index()];
        let outside = matches!(union.tag, Tag::Row(_) | Tag::Given(_));
        outside
            && union.cases.iter().all(|case| {
                if case.epochs.get(ctx.epoch) == Some(&false) {
                    return true;
                }
                !case.whole
                    && case.forms.is_empty()
                    && ctx.view.records[case.record.index()].rows.iter().all(|row| {
                        match row.homes.get(ctx.epoch) {
                            Some(Home::Absent) => true,
                            Some(Home::Nowhere) => !matches!(row.kind, RowKind::Object { .. }),
                            Some(Home::At(at)) => {
                                self.is_block(ctx, &row.ty)
                                    && self
                                        .fixed(ctx, &row.ty)
                                        .and_then(|size| size.checked_add(*at))
                                        .is_some_and(|end| end <= all)
                            }
                            _ => false,
                        }
                    })
            })
    }
}
