//! Objects: their bytes, the pointers to them, and what hangs on them.

use proc_macro2::TokenStream;
use quote::quote;

use super::array::Starts;
use super::place::{Kept, Part};
use super::spot::Spot;
use super::writer::{Node, Src, Task, Writer};
use crate::model::{ArrayType, Extent, PointerType, Row, RowId, RowKind, Storage, Target, Type};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::equations::Side;
use crate::rust::straight::scope::Scope;

impl<'m> Writer<'_, '_, 'm> {
    pub(super) fn place_object(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        part: Part,
        kept: Option<&Kept>,
    ) -> Able<TokenStream> {
        let align = self.model.type_align(&row.ty).unwrap_or(1);
        let src = match self.field(node, id) {
            Some(src) => src,
            None if !self.straight.shapes.carries(&row.ty) => Src::nothing(),
            None => return unable("an object without a field"),
        };
        let code = &src.code;
        let anchor = self.anchors.whole(node.id, id);
        let (align, nothing) = (quote!(#align), quote!());
        let more = match row.kind {
            RowKind::Object { align: Some(align), .. } if part != Part::Tail => {
                let align = self.straight.number(&node.scope, node.view, align)?;
                Some(quote!(cx.align_to(#align)?;))
            }
            _ => None,
        };
        let lay = |src: &Src| {
            let content = self
                .content(node, id, row, &row.ty, src, &align, part, kept, anchor, None, &nothing)?;
            Ok(quote!(#more #content))
        };
        match &src.shape {
            Some(Shape::Option(inner)) => {
                let x = self.fresh("x");
                let some = self.src(quote!(#x), (**inner).clone());
                let body = lay(&some)?;
                let check = match self.address_if_there(node, row)? {
                    Some(address) => {
                        quote!(s::holds((#address).is_some() == #code.is_some())?;)
                    }
                    None => quote!(),
                };
                Ok(quote!(#check if let rt::Some(#x) = #code { #body }))
            }
            // Without data there is nothing in the value that says whether it is there.
            _ => {
                let body = lay(&src)?;
                Ok(match self.address_if_there(node, row)? {
                    Some(address) => quote!(if (#address).is_some() { #body }),
                    None => body,
                })
            }
        }
    }

    /// Where a reader would look for an object that may not be there: an `Option<i128>`.
    fn address_if_there(&self, node: &Node<'m>, row: &'m Row) -> Able<Option<TokenStream>> {
        let (RowKind::Object { address, .. }, Some(_)) = (&row.kind, row.when) else {
            return Ok(None);
        };
        self.straight.object_address(&node.scope, node.view, row, *address).map(Some)
    }

    /// What a pointer owns. `at` is the address of the pointer.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one pointer")]
    pub(super) fn place_target(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        pointer: &'m PointerType,
        src: &Src,
        at: &TokenStream,
        part: Part,
        kept: Option<&Kept>,
        index: Option<&TokenStream>,
    ) -> Able<TokenStream> {
        let Target::Own(target) = &pointer.target else { return Ok(quote!()) };
        let kind = &self.model.pointers[pointer.kind.index()];
        let cell = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let Storage::Fixed(int) = cell.storage else { return unable("a pointer in single bits") };
        let align = match &pointer.align {
            Some(align) => {
                let align = self.straight.number(&node.scope, node.view, *align)?;
                quote!(s::alignment(#align)?)
            }
            None => {
                let align = self.model.target_align(pointer, target);
                quote!(#align)
            }
        };
        let placed = self.placed(node, pointer, target, src)?;
        let code = &src.code;
        let x = self.fresh("x");
        let inner = match &src.shape {
            Some(Shape::Option(inner)) => self.src(quote!(#x), (**inner).clone()),
            _ => src.clone(),
        };
        let (width, big, skip) = (int.bytes, self.is_big(node, &int), kind.skip);
        let to = match skip {
            0 => quote!(here),
            _ => quote!((here + #skip)),
        };
        let nones = self.nones(row, kind);
        let patch = match &kind.base {
            None if kind.unit == 1 && !int.signed => {
                let leads = (!nones.is_empty()).then(|| quote!(s::holds(#(#to != #nones)&&*)?;));
                quote!(#leads cx.patch(#at, #width, #big, #to)?;)
            }
            base => {
                let addresses = super::late::Addresses {
                    straight: self.straight,
                    view: node.view,
                    anchors: &self.anchors,
                    finished: false,
                };
                let scope = Scope { late: Some(&addresses), ..node.scope.clone() };
                let base = match base {
                    Some(base) => self.straight.number(&scope, node.view, *base)?,
                    None => quote!(rt::Some(0)),
                };
                let (signed, unit) = (int.signed, kind.unit);
                let units = (unit != 1).then(|| quote!(let number = s::units(number, #unit)?;));
                let leads = (!nones.is_empty())
                    .then(|| quote!(s::holds(!matches!(number, rt::Some(#(#nones)|*)))?;));
                quote! {
                    let number = s::subtract(rt::Some(i128::from(#to)), #base)?;
                    #units
                    #leads
                    cx.fill(#at, #width, #big, #signed, number)?;
                }
            }
        };
        let paid = self.owes.then(|| quote!(cx.pay()?;));
        let patch = match (part, kept) {
            (Part::Tail, None) => {
                let led = self.led(node, pointer, at)?;
                quote!(let here = #led;)
            }
            _ => quote!(#patch #paid),
        };
        let anchor = match index {
            None => self.anchors.whole(node.id, id),
            Some(_) => self.anchors.elements(node.id, id),
        };
        let body =
            self.content(node, id, row, target, &inner, &align, part, kept, anchor, index, &patch)?;
        if body.is_empty() {
            return Ok(body);
        }
        let body = match &src.shape {
            Some(Shape::Option(_)) => quote!(if let rt::Some(#x) = #code { #body }),
            _ => quote!({ #body }),
        };
        Ok(match placed {
            Some(placed) => quote!(if #placed { #body }),
            None => body,
        })
    }

    /// Something at the cursor. `patch` is run where its address is in the local `here`; if other
    /// statements have placed it, `patch` says where.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one object")]
    pub(super) fn content(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        ty: &'m Type,
        src: &Src,
        align: &TokenStream,
        part: Part,
        kept: Option<&Kept>,
        anchor: Option<usize>,
        index: Option<&TokenStream>,
        patch: &TokenStream,
    ) -> Able<TokenStream> {
        if let Some(Shape::Boxed(inner)) = &src.shape {
            let code = &src.code;
            let src = self.src(self.straight.unboxed(code), (**inner).clone());
            return self.content(node, id, row, ty, &src, align, part, kept, anchor, index, patch);
        }
        if let Type::Record(record) = ty
            && !self.straight.record(*record).comes_first()
        {
            if part != Part::Put {
                return unable("a struct whose own bytes do not come first, in two steps");
            }
            let value = self.argument(*record, src);
            let anchored = anchor.map(|number| quote!(cx.anchor(#number, here, s::Spot::MAX);));
            return self.by_order(node, *record, src, &mut |node| {
                let call = self.call(Task::Lay, node, *record, &value, index, &quote!(#align,))?;
                let call = call_value(&call);
                Ok(quote! {
                    let placed = #call; let here = cx.resolve(placed)?;
                    #anchored
                    #patch
                })
            });
        }
        let mut tokens = TokenStream::new();
        let starts = part != Part::Record && self.needs_starts(node, ty)?
            || part == Part::Record && kept.is_some() && self.needs_starts(node, ty)?;
        if part != Part::Tail {
            let remembered = match kept {
                _ if !starts => Starts::No,
                Some(Kept { name, token: true }) => Starts::Settled(name),
                _ => Starts::Listed,
            };
            let put = self.content_bytes(node, id, row, ty, src, index, remembered)?;
            let put = self.in_place(node.id, id, ty, put);
            let (begin, end) = match anchor {
                Some(number) => (
                    quote!(let anchor = cx.anchor_begins(#number, here);),
                    quote!(let end = cx.here(); cx.anchor_ends(#number, anchor, end);),
                ),
                None => (quote!(), quote!()),
            };
            let remember = match kept {
                Some(Kept { token: true, .. }) if starts => quote!(),
                Some(Kept { name, token: true }) => quote!(cx.settle(#name, here)?;),
                Some(Kept { name, token: false }) if starts => quote!(#name = cx.mark() as u64;),
                Some(Kept { name, token: false }) => quote!(#name = here;),
                None if starts => quote!(let first = cx.mark();),
                None => quote!(),
            };
            tokens.extend(quote! {
                let here = cx.align(#align);
                #patch
                #begin
                #remember
                #put
                #end
            });
        } else {
            let code = &src.code;
            tokens.extend(match kept {
                Some(Kept { name, token: true }) if starts => {
                    quote!(#name = cx.tokens(#code.len())?; let here = #name;)
                }
                Some(Kept { name, .. }) if starts => quote!(let first = #name as usize;),
                Some(Kept { name, .. }) => quote!(let here = #name;),
                None if starts || patch.is_empty() => {
                    return unable("what hangs on something that is not placed here");
                }
                None => patch.clone(),
            });
        }
        if part == Part::Record {
            return Ok(tokens);
        }
        let settled = matches!(kept, Some(Kept { token: true, .. })) && starts;
        let first = match starts {
            true if settled => Some(quote!(here + ((element_number as u64) << 32))),
            true => Some(quote!(cx.start_of(first, element_number)?)),
            false => None,
        };
        let tail = self.content_tail(node, id, row, ty, src, index, first.as_ref())?;
        if part == Part::Tail && tail.is_empty() {
            return Ok(tail);
        }
        let release = (starts && kept.is_none()).then(|| quote!(cx.release(first);));
        Ok(quote!(#tokens #tail #release))
    }

    /// The bytes of an object.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one object")]
    pub(super) fn content_bytes(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        ty: &'m Type,
        src: &Src,
        index: Option<&TokenStream>,
        starts: Starts<'_>,
    ) -> Able<TokenStream> {
        match ty {
            Type::Record(record) => self.put_record(node, *record, src, &Spot::End, index),
            Type::Array(array) => self.put_array(node, id, row, array, src, &Spot::End, starts),
            Type::Region(region)
                if region.trim.is_none() && matches!(region.extent, Extent::Rest) =>
            {
                self.content_bytes(node, id, row, &region.inner, src, index, starts)
            }
            Type::Region(region)
                if region.trim.is_none()
                    && matches!(&region.extent, Extent::Size(size) if self.says(node, *size, id, Side::Size)) =>
            {
                let inner = self.content_bytes(node, id, row, &region.inner, src, index, starts)?;
                Ok(self.closed(&inner))
            }
            Type::Region(region)
                if let Extent::End(end) = &region.extent
                    && region.trim.is_none()
                    && !self.says(node, *end, id, Side::End) =>
            {
                let inner = self.content_bytes(node, id, row, &region.inner, src, index, starts)?;
                let (inner, ends) = (self.closed(&inner), self.must_end(node, *end)?);
                Ok(quote!(#inner #ends))
            }
            _ if starts != Starts::No => {
                unable("elements of no fixed size in a region, which own something")
            }
            _ => self.put(node, id, row, ty, src, &Spot::End, None),
        }
    }

    /// Whether the elements of an object differ in size, and own something.
    pub(super) fn needs_starts(&self, node: &Node<'m>, ty: &'m Type) -> Able<bool> {
        let Type::Array(array) = ty.stripped() else { return Ok(false) };
        let owns = match array.element.stripped() {
            Type::Record(record) => self.straight.record(*record).owns_objects(),
            Type::Union(_) => true,
            _ => false,
        };
        Ok(owns && self.size(node, &array.element).is_none())
    }

    /// What an object owns; its address is in the local `here`. `first`: where the element with the
    /// number `element_number` begins.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one object")]
    pub(super) fn content_tail(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        ty: &'m Type,
        src: &Src,
        index: Option<&TokenStream>,
        first: Option<&TokenStream>,
    ) -> Able<TokenStream> {
        match ty.stripped() {
            Type::Record(record) => self.by_order(node, *record, src, &mut |node| {
                let here = quote!(here);
                self.tail(&self.inside(node, *record, src, here, index.cloned())?)
            }),
            Type::Array(array) => {
                self.tail_elements(node, id, row, array, src, &quote!(here), first)
            }
            Type::Union(_) => unable("a union behind a pointer"),
            _ => Ok(quote!()),
        }
    }

    /// What elements own that begin at an address, one behind the other; or each where `first` says.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one array")]
    pub(super) fn tail_elements(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        array: &'m ArrayType,
        src: &Src,
        at: &TokenStream,
        first: Option<&TokenStream>,
    ) -> Able<TokenStream> {
        let (Some(Shape::List(inner)) | Some(Shape::Fixed(inner, _))) = &src.shape else {
            return match array.element.stripped() {
                Type::Pointer(_) | Type::Record(_) | Type::Union(_) => {
                    unable("an array of another Rust type")
                }
                _ => Ok(quote!()),
            };
        };
        let code = &src.code;
        let (i, base, name) = (self.fresh("i"), self.fresh("base"), self.fresh("e"));
        let element = self.fresh("element");
        let x = self.src(quote!(#name), (**inner).clone());
        let element_at = match (first, self.size(node, &array.element)) {
            (Some(start), _) => quote!({ let element_number = #i; #start }),
            (None, Some(size)) => quote!((#base + #i as u64 * #size)),
            (None, None) => quote!(),
        };
        let body = match array.element.stripped() {
            Type::Pointer(pointer) => self.place_target(
                node,
                id,
                row,
                pointer,
                &x,
                &quote!(#element),
                Part::Put,
                None,
                Some(&quote!(#i)),
            )?,
            Type::Record(record) => self.by_order(node, *record, &x, &mut |node| {
                let index = Some(quote!(#i));
                self.tail(&self.inside(node, *record, &x, quote!(#element), index)?)
            })?,
            Type::Union(union) => {
                let cases = &node.view.unions[union.index()].cases;
                let owns =
                    cases.iter().any(|case| node.view.records[case.record.index()].owns_objects());
                if owns {
                    return unable("a union in an array that owns something");
                }
                quote!()
            }
            _ => quote!(),
        };
        if body.is_empty() {
            return Ok(body);
        }
        if element_at.is_empty() {
            return unable("elements at addresses that vary");
        }
        let from = first.is_none().then(|| quote!(let #base = #at;));
        Ok(quote! {
            #from
            for (#i, #name) in #code.iter().enumerate() {
                let #element = #element_at;
                #body
            }
        })
    }
}

/// A call as an expression: without the semicolon at its end.
fn call_value(call: &TokenStream) -> TokenStream {
    let mut tokens: Vec<_> = call.clone().into_iter().collect();
    if matches!(tokens.last(), Some(proc_macro2::TokenTree::Punct(punct)) if punct.as_char() == ';')
    {
        tokens.pop();
    }
    tokens.into_iter().collect()
}
