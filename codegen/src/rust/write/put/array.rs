//! Structs and arrays, and what is logged of pointers in them.

use super::*;

impl<'m> Gen<'_, 'm> {
    pub(super) fn put_record(&self, put: &Put<'m>, record: RecordId, src: &Src) -> TokenStream {
        let before = self.alias.replace(self.alias_in(put.ctx.id, put.row_id, record));
        let code = self.put_record_here(put, record, src);
        self.alias.set(before);
        code
    }

    pub(super) fn put_record_here(
        &self,
        put: &Put<'m>,
        record: RecordId,
        src: &Src,
    ) -> TokenStream {
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
    pub(super) fn child_value(&self, record: RecordId, src: &Src) -> TokenStream {
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

    pub(super) fn put_array(&self, put: &Put<'m>, array: &'m ArrayType, src: &Src) -> TokenStream {
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
    pub(super) fn in_array(&self, put: &Put<'m>) -> bool {
        put.index.to_string() != quote!(rt::None).to_string()
    }

    /// Whether something in a type is logged for pools or the relocation table.
    pub(super) fn logs(&self, ty: &Type) -> bool {
        if !self.has_pool && !self.has_reloc {
            return false;
        }
        self.logs_in(ty, 0)
    }

    pub(super) fn logs_in(&self, ty: &Type, depth: u32) -> bool {
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

    pub(super) fn record_logs(&self, record: RecordId, depth: u32) -> bool {
        self.model.records[record.index()].rows.iter().any(|row| {
            row.listed.is_some()
                || matches!(row.kind, RowKind::Runtime)
                || self.logs_in(&row.ty, depth + 1)
        })
    }
}
