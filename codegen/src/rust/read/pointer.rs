//! Pointers.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{Ctx, Reading, number};
use crate::model::{
    Content, DefinerSource, Expr, Listing, PointerType, Policy, RecordId, Role, Row, RunLength,
    Target, Type,
};
use crate::rust::shape::strip;

impl<'m> Reading<'_, 'm> {
    /// A pointer as an item: of a pooled one the text is read too.
    pub(super) fn pointer_item(
        &self,
        ctx: Ctx,
        pointer: &'m PointerType,
        row: &'m Row,
    ) -> TokenStream {
        let kind = &self.model.pointers[pointer.kind.index()];
        let stored = self.stored(ctx, pointer.cell.as_ref().unwrap_or(&kind.cell));
        let at = Self::at(ctx);
        let kind_number = number(pointer.kind.index());
        let none = none_numbers(kind.none, row);
        let is_none = match none.as_slice() {
            [] => quote!(false),
            none => quote!(::core::matches!(stored, #(#none)|*)),
        };
        let set = match kind.none {
            Some(none) => {
                let none = Literal::i128_unsuffixed(none);
                quote!(stored != #none)
            }
            None => quote!(true),
        };
        let wanted = kind.pool.is_some() || !kind.listing.is_empty() || pointer.list.is_some();
        let section = number(pointer.section as usize);
        let list = match pointer.list {
            Some(policy) => {
                let policy = policy_code(policy);
                quote!(rt::Some(#policy))
            }
            None => quote!(rt::None),
        };
        let class = self.class(pointer, ctx);
        // Pointers in the letters of a tag stand where the tag stands.
        let letter = pointer
            .cell
            .as_ref()
            .is_some_and(|cell| matches!(cell.storage, crate::model::Storage::Letter { .. }));
        let cell = if letter { quote!(tag_at) } else { quote!(at) };
        let label = |text: TokenStream| {
            wanted.then(|| {
                quote!(cx.core.label(
                    #cell, #kind_number, #section, #class, #list, #set, owner, #text,
                );)
            })
        };
        let start = quote!(let at = #at; let stored: i128 = #stored;);
        match &pointer.target {
            Target::Pooled => {
                let base = match &kind.base {
                    Some(base) => {
                        let code = self.expr(ctx, base, None);
                        quote!(rt::Some(#code))
                    }
                    None => quote!(rt::None),
                };
                let skip = Literal::i128_suffixed(kind.skip.into());
                let text = match kind.text.as_deref() {
                    Some(text) if !spelled(text) => {
                        let read = quote::format_ident!("text_{}", pointer.kind.0);
                        quote!(#read(cx, address, owner)?)
                    }
                    Some(text) => {
                        let item = self.item(Ctx { block: None, ..ctx }, text, row);
                        quote!(match cx.core.known_text(address, #kind_number)? {
                            rt::Some(item) => item,
                            rt::None => {
                                let mut inside = rt::Cursor::new(address, cx.core.length());
                                let item: rt::Item<'i> = { let cursor = &mut inside; #item };
                                cx.core.texts.insert((address, #kind_number), item.clone());
                                item
                            }
                        })
                    }
                    None => quote!(rt::Item::Absent),
                };
                let (nothing, some) =
                    (label(quote!(rt::Item::Absent)), label(quote!(item.clone())));
                quote!({
                    #start
                    if #is_none {
                        #nothing
                        rt::pointer_item(#cell, stored, rt::Item::Absent, rt::UNPLACED)
                    } else {
                        let base = #base;
                        let address = rt::target(&mut cx.core, base, stored, #skip, at)?;
                        let item: rt::Item<'i> = #text;
                        #some
                        rt::pointer_item(#cell, stored, item, address)
                    }
                })
            }
            Target::Own(_) => {
                let label = label(quote!(rt::Item::Unset));
                quote!({
                    #start
                    #label
                    rt::pointer_item(#cell, stored, rt::Item::Unset, rt::UNPLACED)
                })
            }
            Target::Element => {
                let label = label(quote!(rt::Item::Unset));
                quote!({
                    #start
                    #label
                    let target = if #is_none { rt::Item::Absent } else { rt::Item::Unset };
                    rt::pointer_item(#cell, stored, target, rt::UNPLACED)
                })
            }
        }
    }

    /// The functions that read pooled texts, one for each kind of pointer.
    pub(super) fn text_functions(&self) -> TokenStream {
        let mut functions = TokenStream::new();
        let Some(bare) = self.model.records[self.model.root.index()].rows.first() else {
            return functions;
        };
        for (index, kind) in (0_u32..).zip(&self.model.pointers) {
            let Some(text) = kind.text.as_deref().filter(|text| !spelled(text)) else { continue };
            let name = quote::format_ident!("text_{index}");
            let kind_number = number(index as usize);
            let item = self.per_epoch(|epoch| {
                let ctx = Ctx {
                    record: self.model.root,
                    row: crate::model::RowId(0),
                    epoch,
                    direct: false,
                    loc: false,
                    block: None,
                };
                self.item(ctx, text, bare)
            });
            functions.extend(quote! {
                fn #name<'i, 'o, M: rt::Mode<'i, 'o>>(
                    cx: &mut Reader<'i, 'o, M>,
                    address: u64,
                    owner: rt::NodeId,
                ) -> rt::Read<rt::Item<'i>> {
                    if let rt::Some(item) = cx.core.known_text(address, #kind_number)? {
                        return rt::Ok(item);
                    }
                    let mut cursor = rt::Cursor::new(address, cx.core.length());
                    let cursor = &mut cursor;
                    let mut spelling = ::formwork::Spelling::default();
                    let index: rt::Option<u32> = rt::None;
                    let item: rt::Item<'i> = #item;
                    cx.core.texts.insert((address, #kind_number), item.clone());
                    rt::Ok(item)
                }
            });
        }
        functions
    }

    fn class(&self, pointer: &PointerType, ctx: Ctx) -> TokenStream {
        match &pointer.target {
            Target::Pooled => quote!(rt::labels::Class::Text),
            Target::Element => quote!(rt::labels::Class::Object),
            Target::Own(ty) => match strip(ty.in_epoch(ctx.epoch)) {
                Type::Array(_) => quote!(rt::labels::Class::Array),
                Type::Run(run) if matches!(run.length, RunLength::Count(_)) => {
                    quote!(rt::labels::Class::Array)
                }
                Type::Record(record) if self.is_dictionary(*record) => {
                    quote!(rt::labels::Class::Dictionary)
                }
                _ => quote!(rt::labels::Class::Object),
            },
        }
    }

    /// Whether a record holds the nodes of a radix tree.
    fn is_dictionary(&self, record: RecordId) -> bool {
        self.model.records[record.index()].rows.iter().any(|row| {
            let by_role = matches!(&row.role, Role::Kept(Expr::Patricia(_)));
            let by_definer = row
                .definers
                .iter()
                .any(|definer| matches!(&definer.source, DefinerSource::Expr(Expr::Patricia(_))));
            by_role || by_definer
        })
    }
}

/// Numbers for "nothing": that of the kind first.
pub(super) fn none_numbers(kind: Option<i128>, row: &Row) -> Vec<Literal> {
    let mut all: Vec<i128> = kind.into_iter().collect();
    for none in &row.none {
        if !all.contains(none) {
            all.push(*none);
        }
    }
    all.into_iter().map(Literal::i128_unsuffixed).collect()
}

pub(super) fn policy_code(policy: Policy) -> TokenStream {
    match policy {
        Policy::Never => quote!(rt::labels::Policy::Never),
        Policy::Set => quote!(rt::labels::Policy::Set),
        Policy::Always => quote!(rt::labels::Policy::Always),
    }
}

pub(super) fn listing_code(listing: &Listing) -> TokenStream {
    let [object, array, dictionary, string, runtime] =
        [listing.object, listing.array, listing.dictionary, listing.string, listing.runtime]
            .map(policy_code);
    quote!(rt::labels::Listing {
        object: #object,
        array: #array,
        dictionary: #dictionary,
        string: #string,
        runtime: #runtime,
    })
}

/// Bytes of a unit of the text in a type.
pub(super) fn text_unit(ty: &Type) -> u8 {
    match ty {
        Type::Region(region) => text_unit(&region.inner),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => text_unit(target),
            _ => 1,
        },
        Type::PerEpoch(types) => types.iter().map(text_unit).max().unwrap_or(1),
        Type::Run(run) => match run.content {
            Content::Bytes => 1,
            content => u8::try_from(super::item::unit_bytes(content)).unwrap_or(1),
        },
        _ => 1,
    }
}

/// Whether a text may be spelled in more than one way, or depends on who points to it.
fn spelled(ty: &Type) -> bool {
    let varint =
        |cell: &crate::model::Cell| matches!(cell.storage, crate::model::Storage::Varint(_));
    match ty {
        Type::Run(run) => match &run.length {
            RunLength::Prefix(cell) => varint(cell),
            RunLength::Count(count) => count.constant().is_none(),
            RunLength::Fill | RunLength::Fixed(_) => false,
        },
        Type::Region(region) => {
            region.trim.is_some()
                || match &region.extent {
                    crate::model::Extent::Size(e) | crate::model::Extent::End(e) => {
                        e.constant().is_none()
                    }
                    crate::model::Extent::Terminated(end) => end.optional,
                    crate::model::Extent::Rest => false,
                }
                || spelled(&region.inner)
        }
        _ => true,
    }
}
