//! The pools of an arena: one for each type that lists and boxes have in them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::listed::structs;
use crate::rust::in_arena::ty;
use crate::rust::shape::{Prim, Shape, Shapes};

/// The module `pools`.
pub(super) fn emit(shapes: &Shapes<'_>) -> TokenStream {
    let elements = elements(shapes);
    let names: Vec<_> = (0..elements.len()).map(|number| format_ident!("pool_{number}")).collect();
    quote! {
        mod pools {
            /// The elements of all lists, by type.
            #[derive(Debug, Clone, Default)]
            pub struct Pools {
                #(#names: ::formwork::arena::Pool<#elements>,)*
                texts: ::formwork::__rt::s::Texts,
                spellings: ::formwork::__rt::s::Spellings,
            }

            impl Pools {
                /// Bytes that all elements take.
                pub fn size(&self) -> usize {
                    0 #(+ ::core::mem::size_of_val(::formwork::arena::Pools::<#elements>::pool(self).all()))*
                }
            }

            #(
                impl ::formwork::arena::Pools<#elements> for Pools {
                    #[inline]
                    fn pool(&self) -> &::formwork::arena::Pool<#elements> {
                        &self.#names
                    }

                    #[inline]
                    fn pool_mut(&mut self) -> &mut ::formwork::arena::Pool<#elements> {
                        &mut self.#names
                    }
                }
            )*

            impl ::formwork::__rt::s::Common for Pools {
                #[inline]
                fn texts(&self) -> &::formwork::__rt::s::Texts {
                    &self.texts
                }

                #[inline]
                fn texts_mut(&mut self) -> &mut ::formwork::__rt::s::Texts {
                    &mut self.texts
                }

                #[inline]
                fn spellings(&self) -> &::formwork::__rt::s::Spellings {
                    &self.spellings
                }

                #[inline]
                fn spellings_mut(&mut self) -> &mut ::formwork::__rt::s::Spellings {
                    &mut self.spellings
                }
            }
        }
    }
}

/// Whether there is a pool of units of text.
pub(super) fn has_units(shapes: &Shapes<'_>) -> bool {
    elements(shapes).iter().any(|element| element.to_string() == "u16")
}

/// The types that need a pool, as seen from a module in `arena`; each once.
fn elements(shapes: &Shapes<'_>) -> Vec<TokenStream> {
    let mut found: Vec<(String, TokenStream)> = Vec::new();
    for id in structs(shapes) {
        for field in shapes.fields(id) {
            in_pools(&field.shape, &mut |element| {
                let ty = ty(shapes, element, true);
                let text = ty.to_string();
                if found.iter().all(|(known, _)| *known != text) {
                    found.push((text, ty));
                }
            });
        }
    }
    found.into_iter().map(|(_, ty)| ty).collect()
}

/// The element types of the lists that values of a shape hold.
fn in_pools(shape: &Shape, found: &mut dyn FnMut(&Shape)) {
    match shape {
        Shape::Bytes => found(&Shape::Int(Prim::U8)),
        Shape::Utf16 => found(&Shape::Int(Prim::U16)),
        Shape::List(element) | Shape::Boxed(element) => {
            found(element);
            in_pools(element, found);
        }
        Shape::Fixed(inner, _) | Shape::Option(inner) | Shape::Kept(inner) => {
            in_pools(inner, found);
        }
        Shape::Int(_)
        | Shape::Float32
        | Shape::Float64
        | Shape::Bool
        | Shape::Endian
        | Shape::Str
        | Shape::Enum(_)
        | Shape::Word(_)
        | Shape::Struct(_)
        | Shape::Choice(_)
        | Shape::Index(_) => {}
    }
}
