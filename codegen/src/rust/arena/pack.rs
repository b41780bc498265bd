//! Ordinary values into arenas, and back.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::listed::{enums, records, structs, unions};
use super::nesting;
use super::types::{Variant, variants};
use crate::model::{RecordId, UnionId};
use crate::rust::in_arena::{Beside, has_field, spelling_outside};
use crate::rust::shape::{Shape, Shapes};

/// The module `codec`, which has what ordinary types implement. There, `super` has the types of
/// arenas, and `super::super` the ordinary ones.
pub(super) fn emit(shapes: &Shapes<'_>) -> TokenStream {
    let words = records(shapes).filter(|id| shapes.is_plain_word(*id)).map(|id| shapes.ident(id));
    let enums = enums(shapes).map(|id| shapes.enum_ident(id));
    let indices = shapes.indices().filter(|id| shapes.has_index(*id));
    let indices = indices.filter(|id| !super::indices::is_narrow(shapes, *id));
    let indices = indices.map(|id| shapes.index_ident(id));
    let alike = words.chain(enums).chain(indices);
    let structs = structs(shapes).map(|id| record(shapes, id));
    let unions = unions(shapes).map(|id| union(shapes, id));
    quote! {
        mod codec {
            use ::formwork::__rt as rt;

            #(#structs)*
            #(#unions)*
            ::formwork::__packed_alike!(#(super::super::#alike)*);
        }
    }
}

/// Of a struct.
fn record(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let ident = shapes.ident(id);
    let outside = spelling_outside(shapes, id);
    let mut fields: Vec<_> = shapes.fields(id).iter().map(|field| field.ident.clone()).collect();
    fields.extend(has_field(shapes, id).then(|| format_ident!("spelling")));
    let deeper = nesting::record(shapes, id);
    let packed = quote! {
        super::#ident { #(#fields: ::formwork::arena::Pack::pack(&self.#fields, arena, nesting)?,)* }
    };
    let unpacked =
        quote!(#(#fields: ::formwork::arena::Pack::unpack(&packed.#fields, arena, nesting)?,)*);
    let (ty, packed, split, spelling) = if outside {
        (
            quote!((super::#ident, ::formwork::arena::SpellingId)),
            quote!((#packed, ::formwork::arena::Pack::pack(&self.spelling, arena, nesting)?)),
            quote!(let (packed, spelling) = packed;),
            quote!(spelling: ::formwork::arena::Pack::unpack(spelling, arena, nesting)?,),
        )
    } else {
        (quote!(super::#ident), packed, quote!(), quote!())
    };
    implement(
        shapes,
        &Shape::Struct(id),
        &ty,
        &quote!(#deeper rt::Ok(#packed)),
        &quote!(#deeper #split rt::Ok(super::super::#ident { #unpacked #spelling })),
    )
}

/// Of a union.
fn union(shapes: &Shapes<'_>, id: UnionId) -> TokenStream {
    let ident = shapes.union_ident(id);
    let variants = variants(shapes, id);
    let deeper = nesting::union(shapes, id);
    let packed = variants.iter().map(|Variant { ident: variant, payload }| match payload {
        None => quote!(Self::#variant => rt::Ok(super::#ident::#variant),),
        Some((_, Beside::Nothing)) => quote! {
            Self::#variant(value) => {
                rt::s::packed_case(value, arena, nesting, super::#ident::#variant)
            }
        },
        Some((_, Beside::Canonical)) => quote! {
            Self::#variant(value) => rt::s::packed_case(value, arena, nesting, |value| {
                super::#ident::#variant(value, ::formwork::arena::SpellingId::CANONICAL)
            }),
        },
        Some((_, Beside::Spelling)) => quote! {
            Self::#variant(value) => rt::s::packed_case(value, arena, nesting, |(value, spelling)| {
                super::#ident::#variant(value, spelling)
            }),
        },
    });
    let unpacked = variants.iter().map(|Variant { ident: variant, payload }| match payload {
        None => quote!(super::#ident::#variant => rt::Ok(Self::#variant),),
        Some((_, beside @ (Beside::Nothing | Beside::Canonical))) => {
            let ignored = (*beside == Beside::Canonical).then(|| quote!(, _));
            quote! {
                super::#ident::#variant(value #ignored) => {
                    rt::s::unpacked_case(value, arena, nesting, Self::#variant)
                }
            }
        }
        Some((_, Beside::Spelling)) => quote! {
            super::#ident::#variant(value, spelling) => {
                rt::s::unpacked_case(&(*value, *spelling), arena, nesting, Self::#variant)
            }
        },
    });
    implement(
        shapes,
        &Shape::Choice(id),
        &quote!(super::#ident),
        &quote!(#deeper match self { #(#packed)* }),
        &quote!(#deeper match packed { #(#unpacked)* }),
    )
}

/// `Pack` of an ordinary type.
fn implement(
    shapes: &Shapes<'_>,
    shape: &Shape,
    packed: &TokenStream,
    pack: &TokenStream,
    unpack: &TokenStream,
) -> TokenStream {
    let own = match shape {
        Shape::Choice(union) => shapes.union_ident(*union),
        Shape::Struct(record) => shapes.ident(*record),
        _ => return TokenStream::new(),
    };
    let elided = shapes.borrows(shape).then(|| quote!(<'_>));
    quote! {
        impl ::formwork::arena::Pack<super::pools::Pools> for super::super::#own #elided {
            type Packed = #packed;

            fn pack(
                &self,
                arena: &mut super::pools::Pools,
                nesting: ::formwork::arena::Nesting,
            ) -> rt::Result<#packed, ::formwork::ProblemKind> {
                #pack
            }

            fn unpack(
                packed: &#packed,
                arena: &super::pools::Pools,
                nesting: ::formwork::arena::Nesting,
            ) -> rt::Result<Self, ::formwork::ProblemKind> {
                #unpack
            }
        }
    }
}
