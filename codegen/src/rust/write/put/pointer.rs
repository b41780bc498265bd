//! Pointers, and what they lead to.

use super::*;

impl<'m> Gen<'_, 'm> {
    pub(super) fn put_pointer(
        &self,
        put: &Put<'m>,
        pointer: &'m PointerType,
        src: &Src,
    ) -> TokenStream {
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
    pub(super) fn pointer_log(
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
                    let policy = super::super::layout::policy(policy);
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
    pub(super) fn pointer_number(
        &self,
        put: &Put<'m>,
        pointer: &'m PointerType,
        src: &Src,
    ) -> TokenStream {
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
    pub(in super::super) fn content_fn(
        &self,
        id: RecordId,
        row_id: RowId,
    ) -> Option<(u16, TokenStream)> {
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
    pub(in super::super) fn remembered(&self, id: RecordId) -> TokenStream {
        if self.has_value(id) {
            let name = format_ident!("value_{}", id.0);
            quote!(#name(cx, node))
        } else {
            self.nothing(id)
        }
    }

    pub(super) fn put_target(&self, put: &Put<'m>, ty: &'m Type, src: &Src) -> TokenStream {
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
    pub(super) fn put_element_target(&self, put: &Put<'m>, ty: &'m Type, src: &Src) -> TokenStream {
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
