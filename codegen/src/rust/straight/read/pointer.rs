//! Pointers, and what they lead to.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Ctx, Reading, Sink, Spot, nothing, size};
use crate::model::{
    ArrayLength, DefinerSource, Expr, ExprId, PointerKind, PointerType, RecordId, Role, Row,
    RowKind, RunLength, Storage, Target, Type, WhenEmpty,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::context::Flavour;
use crate::rust::straight::questions::{is_algorithm, target};

/// What the labels of a pool count from.
pub(super) enum LabelBase {
    /// A number: an `Option<i128>`.
    Known(TokenStream),
    /// A place that is known when the file has been read once: its number, and whether it is the
    /// end of what stands there.
    Later(usize, bool),
}

/// A pointer into a pool that the reader looks at.
pub(super) struct Label {
    /// Number of the pool.
    pub pool: u8,
    /// The local with its address.
    pub at: Ident,
}

impl Label {
    /// Code that remembers that it leads to the text that was read from an address on.
    pub(super) fn noted(&self, from: &Ident, part: &Ident) -> TokenStream {
        let Label { pool, at } = self;
        quote!(cx.label(#pool, #at, #from, #part.at());)
    }
}

impl<'m> Reading<'_, '_, 'm> {
    pub(super) fn pointer(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        pointer: &'m PointerType,
        row: &'m Row,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let kind = &ctx.view.pointers[pointer.kind.index()];
        let storage = match (&pointer.cell, kind.cell.storage) {
            (Some(cell), _) if matches!(pointer.target, Target::Pooled) => cell.storage,
            (Some(_), _) => return unable("a pointer in single bits"),
            (None, storage @ Storage::Fixed(_)) => storage,
            (None, _) => return unable("a pointer of variable width"),
        };
        let pooled = matches!(pointer.target, Target::Pooled);
        let signed = matches!(storage, Storage::Fixed(int) if int.signed);
        if signed && pooled {
            return unable("a label with a sign");
        }
        // Blocks may be handed on without their address.
        let address = match spot {
            Spot::Block { block, at, .. } => {
                let at = size(*at);
                quote!(cx.place(#block) + #at)
            }
            Spot::Stream { part, .. } => quote!(#part.at()),
        };
        let (before, stored) = self.stored(ctx, spot, storage)?;
        let name = self.local("n");
        let raw = &stored.tokens;
        let is_none = self.is_none(ctx, row, kind.none, &name);
        let wide = if signed { quote!(i128) } else { quote!(u64) };
        let before = quote!(#before let #name = #wide::from(#raw););
        // What it counts is known to be an address only where it leads somewhere.
        let unit = size(kind.unit);
        let bytes =
            (kind.unit != 1).then(|| quote!(let #name = #name.checked_mul(#unit).ok_or(s::Odd)?;));
        let unsigned = (signed && kind.base.is_none())
            .then(|| quote!(let #name = s::from_base(#name, rt::Some(0))?;));
        let scaled = quote!(#bytes #unsigned);
        let part = self.local("p");
        let skip = size(kind.skip);
        let begin = match kind.base.filter(|_| !pooled) {
            None => quote!(let mut #part = cx.target(#name, #skip)?;),
            Some(base) => {
                self.doubt("a pointer from a base");
                let base = self.number(ctx, base)?;
                quote!(let mut #part = cx.target(s::from_base(#name, #base)?, #skip)?;)
            }
        };
        let spot = Spot::local(part.clone());
        let inner = Ctx { extent: None, filled: false, keeps: None, ..ctx.clone() };
        let own = match &pointer.target {
            Target::Own(own) => own,
            Target::Pooled => {
                let Some(text) = kind.text.as_deref() else { return unable("a pool of no text") };
                let label = self.label(pointer, kind);
                let before = match (&label, &address) {
                    (Some(Label { at, .. }), address) => quote!(let #at = #address; #before),
                    (None, _) => before,
                };
                let wrapped = |value: TokenStream| sink(self.wrap(target, value));
                let base = match kind.base {
                    Some(base) => Some(self.label_base(ctx, base)?),
                    None => None,
                };
                let call = || {
                    let base = base.as_ref();
                    let (label, skip) = (label.as_ref(), kind.skip);
                    self.text_at(&inner, &name, base, label, skip, text, row, target.core())
                };
                let read = match self.straight.perhaps(call) {
                    Ok(call) => wrapped(call),
                    // It asks for something around, so it is read where it stands.
                    Err(_) => {
                        let read = self.inside(|| {
                            self.item(&inner, &spot, text, row, target.core(), &wrapped)
                        })?;
                        let from = self.local("a");
                        let noted = label.as_ref().map(|label| label.noted(&from, &part));
                        let read = quote! {
                            #begin
                            let #from = #part.at();
                            #read
                            cx.charge(#part.at() - #from)?;
                            #noted
                        };
                        match &base {
                            None => read,
                            Some(LabelBase::Known(base)) => {
                                quote!(let #name = s::from_base(#name, #base)?; #read)
                            }
                            Some(LabelBase::Later(anchor, end)) => {
                                let empty = sink(self.wrap(target, self.empty(target.core())?));
                                quote! {
                                    match cx.base(#anchor, #end) {
                                        rt::Some(base) => {
                                            let #name = s::from_base(#name, rt::Some(base.into()))?;
                                            #read
                                        }
                                        rt::None => { #empty }
                                    }
                                }
                            }
                        }
                    }
                };
                return Ok(match is_none {
                    None => quote!(#before #scaled #read),
                    Some(is_none) => {
                        let none = sink(nothing(target)?);
                        quote!(#before if #is_none { #none } else { #scaled #read })
                    }
                });
            }
            Target::Element => return unable("a pointer to an element"),
        };
        let when_empty = pointer.when_empty(self.model);
        let counted = match own.stripped() {
            Type::Array(array) => match &array.length {
                ArrayLength::Count(count) => Some(count),
                _ => None,
            },
            Type::Run(run) => match &run.length {
                RunLength::Count(count) => Some(count),
                _ => None,
            },
            _ => None,
        };
        let fill = matches!(
            own.stripped(),
            Type::Array(array) if matches!(array.length, ArrayLength::Fill)
        );
        let free = pointer.none_with.is_none() && (counted.is_some() || fill);
        // A pointer to nothing is none in a plain file.
        let filled = free && when_empty == WhenEmpty::None;
        let none = match &is_none {
            None => None,
            Some(_) if pointer.optional => Some(match nothing(target) {
                Ok(none) => sink(none),
                // It holds nothing but spelling.
                Err(_) if self.is_table(own) => {
                    sink(self.wrap(target, quote!(rt::Default::default())))
                }
                Err(why) => return Err(why),
            }),
            Some(_) => Some(match counted {
                Some(_) if matches!(target.core(), Shape::Fixed(..)) => {
                    quote!(return rt::Err(s::Odd);)
                }
                Some(count) => {
                    if when_empty != WhenEmpty::None && pointer.none_with.is_none() {
                        quote!(return rt::Err(s::Odd);)
                    } else {
                        let count = self.length(ctx, *count)?;
                        let empty = sink(self.wrap(target, self.empty(target.core())?));
                        quote!(s::holds(#count == 0)?; #empty)
                    }
                }
                None if pointer.none_with.is_some() => match nothing(target) {
                    Ok(none) => sink(none),
                    Err(_) if self.is_table(own) => {
                        sink(self.wrap(target, quote!(rt::Default::default())))
                    }
                    Err(why) => return Err(why),
                },
                None if fill && when_empty == WhenEmpty::None => {
                    sink(self.wrap(target, self.empty(target.core())?))
                }
                None => quote!(return rt::Err(s::Odd);),
            }),
        };
        let align = self.target_align(ctx, pointer, own);
        let from = self.local("a");
        let extent = |end: TokenStream| {
            ctx.extent.as_ref().map(|extent| quote!(#extent = rt::Some((#from, #end));))
        };
        let read = if self.is_table(own) {
            self.doubt_value("a table that follows from the value");
            let value = sink(self.wrap(target, quote!(rt::Default::default())));
            let extent = extent(quote!(#from));
            quote!(#begin let #from = #part.at(); #extent #value)
        } else {
            let linked = self.object_chain(ctx, own, &align, &from, &quote!(#part.at()));
            let alone = linked.open.is_empty() && linked.join.is_empty() && ctx.extent.is_none();
            let call = || {
                let (target, skip) = (target.core(), kind.skip);
                self.text_at(ctx, &name, None, None, skip, own, row, target)
            };
            if alone
                && !filled
                && kind.base.is_none()
                && let Ok(call) = self.straight.perhaps(call)
            {
                let value = sink(self.wrap(target, call));
                return Ok(match (is_none, none) {
                    (Some(is_none), Some(none)) => {
                        quote!(#before if #is_none { #none } else { #scaled #value })
                    }
                    _ => quote!(#before #scaled #value),
                });
            }
            let inner = Ctx { filled, chains: linked.chains, ..inner };
            let (open, join) = (linked.open, linked.join);
            let content = self.inside(|| self.item(&inner, &spot, own, row, target, sink))?;
            let aligned = matches!(own.stripped(), Type::Run(run) if run.align.is_some());
            if aligned && (ctx.extent.is_some() || self.placing) {
                self.doubt("the address of something aligned");
            }
            let extent = extent(quote!(#part.at()));
            quote! {
                #begin
                let #from = #part.at();
                #open
                #content
                cx.charge(#part.at() - #from)?;
                #join
                #extent
            }
        };
        Ok(match (is_none, none) {
            (Some(is_none), Some(none)) => {
                quote!(#before if #is_none { #none } else { #scaled #read })
            }
            _ => quote!(#before { #scaled #read }),
        })
    }

    /// What the reader has to know of a pointer into a pool, if it looks at pools.
    fn label(&self, pointer: &PointerType, kind: &PointerKind) -> Option<Label> {
        let pool = kind.pool.as_ref();
        match pool.and_then(|path| self.straight.pool_number(&self.anchors, path)) {
            Some(_) if pointer.cell.is_some() => self.doubt("a pointer in single bits"),
            None => self.doubt("a string pool at no known place"),
            Some(pool) if self.is_sealed() => {
                return Some(Label { pool, at: self.local("l") });
            }
            Some(_) => {}
        }
        None
    }

    /// What labels count from.
    fn label_base(&self, ctx: &Ctx<'m>, base: ExprId) -> Able<LabelBase> {
        if let Ok(base) = self.straight.perhaps(|| self.straight_base(ctx, base)) {
            return Ok(LabelBase::Known(base));
        }
        match self.anchors.side(ctx.view, base, ctx.record) {
            Some((anchor, end)) => Ok(LabelBase::Later(anchor, end)),
            None => unable("a pooled pointer from a base that is at no known place"),
        }
    }

    /// The base of labels, if numbers at known places lead there from the begin of the file.
    fn straight_base(&self, ctx: &Ctx<'m>, base: ExprId) -> Able<TokenStream> {
        self.straight.sight_at(&self.scope(ctx), ctx.view, base)
    }

    pub(super) fn empty(&self, shape: &Shape) -> Able<TokenStream> {
        if let Flavour::Arena = self.straight.flavour {
            return match shape {
                Shape::List(_) | Shape::Str | Shape::Bytes | Shape::Utf16 => {
                    Ok(quote!(rt::Default::default()))
                }
                _ => unable("a pointer to so many elements that may be none"),
            };
        }
        match shape {
            Shape::List(_) => Ok(quote!(rt::Vec::new())),
            Shape::Str => Ok(quote!(M::text(""))),
            Shape::Bytes => Ok(quote!(M::bytes(&[]))),
            Shape::Utf16 => Ok(quote!(rt::Default::default())),
            _ => unable("a pointer to so many elements that may be none"),
        }
    }

    /// Whether a type is a record that says nothing, and holds what an algorithm makes of the value.
    pub(super) fn is_table(&self, ty: &Type) -> bool {
        let Type::Record(id) = ty.stripped() else { return false };
        !self.straight.shapes.carries(ty)
            && self.straight.record(*id).rows.iter().any(|row| {
                let made = |expr: ExprId| is_algorithm(self.model, expr);
                matches!(row.kind, RowKind::Pool { .. })
                || matches!(&row.role, Role::Kept(expr) if made(*expr))
                || row.definers.iter().any(
                    |definer| matches!(&definer.source, DefinerSource::Expr(expr) if made(*expr)),
                )
            })
    }

    /// The dictionary that is in a row, or behind its pointer.
    pub(super) fn dictionary_in(&self, ty: &Type) -> Option<RecordId> {
        match target(ty) {
            Type::Record(id) => self
                .straight
                .record(*id)
                .rows
                .iter()
                .any(|row| {
                    matches!(row.role, Role::Kept(expr) if matches!(self.model[expr], Expr::Patricia(_)))
                })
                .then_some(*id),
            _ => None,
        }
    }
}
