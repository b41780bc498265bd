//! Runs of bytes or text.

use super::*;

impl<'m> Gen<'_, 'm> {
    pub(super) fn put_run(&self, put: &Put<'m>, run: &'m RunType, src: &Src) -> TokenStream {
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
}
