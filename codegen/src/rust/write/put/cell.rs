//! Numbers: cells and words.

use super::*;

impl<'m> Gen<'_, 'm> {
    /// The number that a cell stores. `wide` asks for one of 128 bits where it may be negative.
    pub(super) fn raw(&self, put: &Put<'m>, cell: &Cell, src: &Src, wide: bool) -> Raw {
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

    pub(super) fn put_cell(&self, put: &Put<'m>, cell: &'m Cell, src: &Src) -> TokenStream {
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
    pub(in super::super) fn raw_number(
        &self,
        put: &Put<'m>,
        cell: &Cell,
        src: &Src,
    ) -> TokenStream {
        match self.raw(put, cell, src, true) {
            Raw::Low(low) => quote!(i128::from(#low)),
            Raw::Wide(code, _) => code,
        }
    }

    /// Code that stores the number of a cell of whole bytes.
    pub(super) fn store(
        &self,
        put: &Put<'m>,
        cell: &'m Cell,
        int: &IntType,
        src: &Src,
    ) -> TokenStream {
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
    pub(super) fn put_word(
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
    pub(super) fn word_fn(&self, id: RecordId) -> TokenStream {
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
}
