//! Unions: cases, forms and tags.

use super::*;

impl<'m> Gen<'_, 'm> {
    pub(super) fn put_union(&self, put: &Put<'m>, id: UnionId, src: &Src) -> TokenStream {
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

    pub(super) fn put_case(
        &self,
        put: &Put<'m>,
        id: UnionId,
        number_of: u32,
        src: &Src,
    ) -> TokenStream {
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
    pub(super) fn put_rows(
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
    pub(super) fn letter_logs(
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
    pub(super) fn put_tag(
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
}
