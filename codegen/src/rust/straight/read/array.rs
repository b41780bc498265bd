//! Elements one behind the other.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::{Ctx, Reading, Sink, Spot, size};
use crate::model::{ArrayLength, ArrayType, Extent, Meaning, Row, RunLength, Terminated, Type};
use crate::rust::mentions::mentions;
use crate::rust::shape::{Prim, Shape};
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::context::Flavour;
use crate::rust::straight::questions;
use crate::rust::straight::scope::{It, Scope};

/// A list on its way to code.
struct List {
    /// The local that it is in.
    name: Ident,
    /// Statements before its elements.
    open: TokenStream,
    /// What becomes of an element.
    push: Box<dyn Fn(TokenStream) -> TokenStream>,
    /// Statements behind its elements.
    close: TokenStream,
}

impl<'m> Reading<'_, '_, 'm> {
    pub(super) fn array(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        array: &'m ArrayType,
        row: &'m Row,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        if array.in_step.is_some() {
            return unable("an array that no value has");
        }
        if array.described.as_ref().is_some_and(|described| !described.is_plain()) {
            return unable("elements that something else describes (`of=`)");
        }
        if let Type::Record(id) = array.element.stripped()
            && self.straight.record(*id).align.is_some_and(|align| align > 1)
            && self.straight.sizes()[ctx.epoch].of(&array.element).is_none()
        {
            return unable("elements that begin on an alignment");
        }
        let inner = Ctx {
            filled: false,
            whole: false,
            extent: None,
            index: matches!(questions::target(&array.element), Type::Record(_))
                .then(|| self.local("i")),
            // What describes an element around describes none of these.
            it: ctx.it.as_ref().map(|(it, _)| (it.clone(), TokenStream::new())),
            pushing: false,
            ..ctx.clone()
        };
        if let Some(described) = &array.described {
            let Shape::List(element) = target else {
                return unable("an array of another Rust type");
            };
            if self.straight.flavour == Flavour::Arena || array.stride.is_some() {
                return unable("elements that something else describes (`of=`)");
            }
            let (i, by) = (self.local("i"), self.local("by"));
            let (list, it) =
                self.straight.describer(&self.scope(ctx), ctx.view, described.by, &by)?;
            let list = self.checked(list)?;
            let read = quote!(let #by = s::known(#list.get(#i))?;);
            let inner = Ctx { it: Some((it, read)), index: Some(i), keeps: None, ..inner };
            return self.list(&inner, spot, array, row, element, ctx.filled, false, sink);
        }
        if ctx.whole && !self.is_block(ctx, &array.element) {
            let Shape::List(element) = target else {
                return unable("an array of another Rust type");
            };
            return self.list(&inner, spot, array, row, element, ctx.filled, true, sink);
        }
        match target {
            Shape::Fixed(element, count) if array.stride.is_none() => {
                self.fixed_array(&inner, spot, array, row, element, *count, sink)
            }
            Shape::List(element)
                if array.stride.is_none()
                    && self.is_block(ctx, &array.element)
                    && (ctx.whole || !matches!(array.length, ArrayLength::Last(_))) =>
            {
                self.blocks(&inner, spot, array, row, element, ctx.filled, sink)
            }
            Shape::List(element) => {
                self.list(&inner, spot, array, row, element, ctx.filled, false, sink)
            }
            _ => unable("an array of another Rust type"),
        }
    }

    /// An array of Rust: numbers at constant places.
    #[allow(clippy::too_many_arguments, reason = "the parts of an array")]
    fn fixed_array(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        array: &'m ArrayType,
        row: &'m Row,
        element: &Shape,
        count: usize,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let (Type::Cell(cell), true) = (&array.element, row.none.is_empty()) else {
            return unable("an array of Rust of something else");
        };
        let Some(width) = self.fixed(ctx, &array.element) else { return unable("no width") };
        if matches!(cell.meaning, Meaning::Word(_)) {
            return unable("an array of Rust of words");
        }
        let (before, spot) = match spot {
            Spot::Block { .. } => (None, spot.clone()),
            Spot::Stream { part, .. } => {
                let block = self.local("b");
                let all = size(width * count as u64);
                let before = quote!(let #block: &'i [u8; #all] = #part.block()?;);
                (Some(before), Spot::block(block))
            }
        };
        let ctx = &Ctx { keeps: None, ..ctx.clone() };
        let mut elements = TokenStream::new();
        for index in 0..count {
            let spot = spot.plus(width * index as u64);
            let (_, stored) = self.stored(ctx, &spot, cell.storage)?;
            let value = self.wrap(element, self.meaning(cell, row, &stored, element.core())?);
            elements.extend(quote!(#value,));
        }
        let value = sink(quote!([#elements]));
        Ok(quote!(#before #value))
    }

    /// A list of elements of constant size.
    #[allow(clippy::too_many_arguments, reason = "the parts of an array")]
    fn blocks(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        array: &'m ArrayType,
        row: &'m Row,
        element: &Shape,
        filled: bool,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let Some(width) = self.fixed(ctx, &array.element) else { return unable("no width") };
        if width == 0 {
            return unable("elements without bytes");
        }
        let wide = size(width);
        let (bytes, base) = (self.local("r"), self.local("a"));
        let address = spot.address();
        let take = match (&array.length, spot) {
            (ArrayLength::Count(count), Spot::Stream { part, .. }) => {
                let count = self.length(ctx, *count)?;
                quote!(#part.many(#count, #wide)?)
            }
            (ArrayLength::Fill, Spot::Stream { part, .. }) if width == 1 => quote!(#part.rest()),
            (ArrayLength::Fill | ArrayLength::Last(_), Spot::Stream { part, .. }) => {
                quote!(#part.all(#wide)?)
            }
            (ArrayLength::Count(count), Spot::Block { block, at, .. }) => {
                let count = self.model.exprs.constant(*count);
                let count = count.and_then(|count| u64::try_from(count).ok());
                let Some(count) = count else {
                    return unable("an array of no fixed size within a block");
                };
                let (at, all) = (size(*at), size(count * width));
                quote!(s::bytes(#block, #at, #all))
            }
            _ => return unable("an array of no fixed size within a block"),
        };
        let some = filled.then(|| quote!(s::holds(!#bytes.is_empty())?;));
        let before = quote!(let #bytes = #take; #some);
        // Numbers as they are.
        if let (Type::Cell(cell), true) = (&array.element, row.none.is_empty())
            && !matches!(cell.meaning, Meaning::Word(_))
        {
            let block = self.local("b");
            let at = Spot::block(block.clone());
            let ctx = &Ctx { keeps: None, ..ctx.clone() };
            let (_, stored) = self.stored(ctx, &at, cell.storage)?;
            let number = self.wrap(element, self.meaning(cell, row, &stored, element.core())?);
            let plain = matches!(
                (&cell.meaning, element),
                (Meaning::Int, Shape::Int(Prim::U8)) if stored.prim == Prim::U8 && row.plus == 0
            );
            if let Flavour::Arena = self.straight.flavour {
                if !number.to_string().contains('?') {
                    let each = match plain {
                        true => quote!(#bytes.iter().copied()),
                        false => quote!(s::each::<#wide>(#bytes).map(|#block| #number)),
                    };
                    let value = sink(quote!(s::gathered(arena, #each)?));
                    return Ok(quote!(#before #value));
                }
                let list = self.list_of(quote!(), sink, None);
                let (open, push) = (&list.open, (list.push)(number));
                let close = &list.close;
                return Ok(quote! {
                    #before
                    #open
                    for #block in s::each::<#wide>(#bytes) { #push }
                    #close
                });
            }
            let value = if plain {
                quote!(#bytes.to_vec())
            } else if number.to_string().contains('?') {
                let list = self.local("v");
                let value = sink(quote!(#list));
                return Ok(quote! {
                    #before
                    let mut #list = rt::Vec::with_capacity(#bytes.len() / #wide);
                    for #block in s::each::<#wide>(#bytes) { #list.push(#number); }
                    #value
                });
            } else {
                quote!(s::each::<#wide>(#bytes).map(|#block| #number).collect::<rt::Vec<_>>())
            };
            let value = sink(value);
            return Ok(quote!(#before #value));
        }
        let block = self.local("b");
        let index = ctx.index.clone().unwrap_or_else(|| self.local("i"));
        let own = quote!((#base + #index * #wide));
        let at = Spot::Block { block: block.clone(), at: 0, base: own, whole: true };
        let room = quote!(rt::Vec::with_capacity(#bytes.len() / #wide));
        let list = self.list_of(room, sink, None);
        let ctx = &ctx.for_element(&list.name);
        let body = self.inside(|| {
            self.straight.for_element(&array.element, || {
                self.item(ctx, &at, &array.element, row, element, &*list.push)
            })
        })?;
        let (iterate, address) = if mentions(&body, &index.to_string()) {
            (
                quote!(for (#index, #block) in s::each::<#wide>(#bytes).enumerate()),
                Some(quote!(let #base = #address;)),
            )
        } else {
            (quote!(for #block in s::each::<#wide>(#bytes)), None)
        };
        let (open, close) = (list.open, list.close);
        Ok(quote! {
            #address
            #before
            #open
            #iterate { #body }
            #close
        })
    }

    /// A list of elements of any size.
    #[allow(clippy::too_many_arguments, reason = "the parts of an array")]
    fn list(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        array: &'m ArrayType,
        row: &'m Row,
        element: &Shape,
        filled: bool,
        whole: bool,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let Spot::Stream { part, .. } = spot else {
            return unable("an array of no fixed size within a block");
        };
        let number = self.local("u");
        // Each element is a part of its own at a stride.
        let (stride, own) = (self.local("s"), self.local("p"));
        let spot = &match array.stride {
            Some(_) => Spot::local(own.clone()),
            None => spot.clone(),
        };
        let before = match array.stride {
            Some(expr) => {
                let expr = self.length(ctx, expr)?;
                Some(quote!(let #stride = #expr;))
            }
            None => None,
        };
        let length = if whole { &ArrayLength::Fill } else { &array.length };
        let room = match length {
            ArrayLength::Count(_) => {
                let least = Literal::usize_unsuffixed(self.least(ctx, &array.element));
                quote!(s::list(#number, #least, #part.left())?)
            }
            _ => quote!(rt::Vec::new()),
        };
        let rest = matches!(array.length, ArrayLength::Fill).then_some(part);
        let list = self.list_of(room, sink, rest);
        // The level of a type that contains itself is entered once for all elements.
        let entered = matches!(
            &array.element,
            Type::Record(id) if self.straight.record(*id).recursive
        );
        let inner = Ctx { entered, ..ctx.for_element(&list.name) };
        let moves = array.stride.is_none() && self.least(ctx, &array.element) > 0;
        let many = match length {
            ArrayLength::Count(_) => quote!(#number),
            _ if moves => quote!(s::FILL),
            _ => quote!(1),
        };
        let (open, close) = (&list.open, &list.close);
        let read = || {
            let pushed = match self.straight.flavour {
                Flavour::Values => unable("no arena"),
                Flavour::Arena if array.stride.is_some() => unable("elements at a `stride=`"),
                Flavour::Arena => {
                    self.pushed(&inner, spot, &array.element, element, &list.name, &many)
                }
            };
            match pushed {
                Ok(pushed) => Ok((pushed, true)),
                Err(_) => self
                    .straight
                    .for_element(&array.element, || {
                        self.item(&inner, spot, &array.element, row, element, &*list.push)
                    })
                    .map(|read| (read, false)),
            }
        };
        let (body, all_at_once) = self.inside(read)?;
        let body = match &ctx.it {
            Some((_, described)) => quote!(#described #body),
            None => body,
        };
        let index = ctx.index.as_ref().filter(|index| mentions(&body, &index.to_string()));
        let (first, next) = match index {
            Some(index) => (Some(quote!(let mut #index = 0_usize;)), Some(quote!(#index += 1;))),
            None => (None, None),
        };
        let body = match array.stride {
            Some(_) => quote!(let mut #own = #part.sized(#stride)?; #body #own.done()?; #next),
            None => quote!(#body #next),
        };
        let within = |condition: TokenStream, code: TokenStream| match entered {
            true => quote!(if #condition { cx.enter()?; #code cx.leave(); }),
            false => code,
        };
        match length {
            ArrayLength::Count(count) => {
                let count = self.length(ctx, *count)?;
                let some = filled.then(|| quote!(s::holds(#number != 0)?;));
                let all = match all_at_once {
                    true => body,
                    false => quote!(for _ in 0..#number { #body }),
                };
                let all = within(quote!(#number != 0), all);
                Ok(quote! {
                    let #number = #count;
                    #some
                    #before
                    cx.charge(#number)?;
                    #first
                    #open
                    #all
                    #close
                })
            }
            ArrayLength::Fill => {
                let left = self.local("u");
                let some = filled.then(|| quote!(s::holds(#part.left() != 0)?;));
                let all = match (moves, all_at_once) {
                    (true, true) => body,
                    (true, false) => quote!(while #part.left() > 0 { #body }),
                    (false, _) => quote! {
                        while #part.left() > 0 {
                            let #left = #part.left();
                            #body
                            s::holds(#part.left() < #left)?;
                        }
                    },
                };
                let all = within(quote!(#part.left() > 0), all);
                Ok(quote!(#some #before #first #open #all #close))
            }
            ArrayLength::Last(last) => {
                if self.straight.flavour == Flavour::Arena {
                    return unable("an array in an arena that ends with a certain element");
                }
                if open.is_empty() {
                    return unable("members of a pool up to a certain one");
                }
                let name = &list.name;
                let it = It::Value(array.element.clone(), element.clone(), quote!(element));
                let scope = Scope { it: Some(it), ..self.scope(ctx) };
                let is_last = self.checked(self.straight.truth(&scope, ctx.view, *last)?)?;
                let all = within(
                    quote!(true),
                    quote! {
                        loop {
                            #body
                            cx.charge(1)?;
                            let element = s::known(#name.last())?;
                            if #is_last { break; }
                        }
                    },
                );
                Ok(quote!(#before #first #open #all #close))
            }
        }
    }

    /// A list that is made element by element; `room`: the `Vec` that it begins with; `rest`: that of
    /// which it takes all.
    fn list_of(&self, room: TokenStream, sink: Sink<'_>, rest: Option<&Ident>) -> List {
        let list = self.local("v");
        let value = sink(quote!(#list));
        match self.straight.flavour {
            // Nobody wants them, as those of a pool; they are looked at all the same.
            Flavour::Values if value.is_empty() => List {
                name: list,
                open: TokenStream::new(),
                close: TokenStream::new(),
                push: Box::new(|element| quote!(let _ = #element;)),
            },
            Flavour::Values => List {
                name: list.clone(),
                open: quote!(let mut #list = #room;),
                close: value,
                push: match rest.cloned() {
                    None => Box::new(move |element| quote!(#list.push(#element);)),
                    Some(rest) => Box::new(
                        move |element| quote!(let element = #element; s::push(&mut #list, element, #rest.left());),
                    ),
                },
            },
            Flavour::Arena => List {
                name: list.clone(),
                open: quote!(let #list = s::opened(arena);),
                close: quote!(let #list = s::closed(arena, #list)?; #value),
                push: Box::new(
                    move |element| quote!(let element = #element; s::pushed(arena, &#list, element);),
                ),
            },
        }
    }

    /// Bytes that a value of a type takes at least, as far as is easily said.
    fn least(&self, ctx: &Ctx<'m>, ty: &Type) -> usize {
        if let Some(size) = self.fixed(ctx, ty) {
            return usize::try_from(size).unwrap_or(0);
        }
        match ty {
            Type::Run(run) => {
                let prefix = match &run.length {
                    RunLength::Prefix(cell) => match cell.storage {
                        crate::model::Storage::Fixed(int) => int.bytes.into(),
                        _ => 1,
                    },
                    _ => 0,
                };
                prefix + run.suffix.len()
            }
            Type::Region(region) => match &region.extent {
                Extent::Terminated(stop) if stop.mode == Terminated::Dropped => stop.bytes.len(),
                _ => 0,
            },
            Type::Record(id) => {
                let record = &ctx.view.records[id.index()];
                let block = record.sizes.get(ctx.epoch).copied().flatten().unwrap_or(0);
                let next = record.rows.iter().filter(|row| {
                    matches!(row.homes.get(ctx.epoch), Some(crate::model::Home::Next))
                        && row.when.is_none()
                });
                let next: usize = next
                    .map(|row| match &row.ty {
                        // Records may hold themselves.
                        Type::Record(_) => 0,
                        ty => self.least(ctx, ty),
                    })
                    .sum();
                usize::try_from(block).unwrap_or(0).saturating_add(next)
            }
            Type::Union(id) => match &ctx.view.unions[id.index()].tag {
                crate::model::Tag::Own(cell) | crate::model::Tag::Word(cell) => {
                    match cell.storage {
                        crate::model::Storage::Fixed(int) => int.bytes.into(),
                        _ => 1,
                    }
                }
                _ => 0,
            },
            Type::Cell(_) => 1,
            _ => 0,
        }
    }
}
