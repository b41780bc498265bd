//! Enumerations: Rust enums if they are closed, newtypes with constants if not.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{arbitrary, serde};
use crate::model::{Enum, EnumId};
use crate::rust::Options;
use crate::rust::docs::docs;
use crate::rust::shape::{Prim, Shapes, integer};

/// An enumeration with everything that it implements.
pub fn emit(shapes: &Shapes<'_>, id: EnumId, options: &Options) -> TokenStream {
    let definition = &shapes.model().enums[id.index()];
    let ident = shapes.enum_ident(id);
    let prim = shapes.enum_prim(id);
    let doc = docs(definition.doc.as_deref());
    let members: Vec<Member> = members(shapes, id, definition, prim);
    let own = if definition.closed {
        closed(&ident, prim, &members)
    } else {
        open(&ident, prim, &members)
    };
    let default = (!definition.closed && shapes.default_member(id) != 0)
        .then(|| shapes.member(id, shapes.default_member(id), false))
        .flatten()
        .map(|member| {
            quote! {
                impl ::core::default::Default for #ident {
                    fn default() -> Self {
                        #member
                    }
                }
            }
        });
    let derive_default = default.is_none().then(|| quote!(, Default));
    let declaration = if definition.closed {
        let usual = shapes.default_member(id);
        let at = definition.members.iter().position(|member| member.number == usual);
        let variants = members.iter().enumerate().map(|(index, Member { ident, doc, .. })| {
            let default = (at == Some(index)).then(|| quote!(#[default]));
            quote!(#doc #default #ident)
        });
        quote! {
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
            pub enum #ident { #(#variants,)* }
        }
    } else {
        let prim = prim.ident();
        quote! {
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash #derive_default)]
            pub struct #ident(
                /// The number as stored.
                pub #prim,
            );
        }
    };
    let kind = if definition.closed { quote!(closed) } else { quote!(open) };
    let serde = options.serde.then(|| {
        let numbers: Vec<_> = members.iter().map(|member| member.number.clone()).collect();
        serde::enums(&ident, definition, &numbers)
    });
    let arbitrary = options.arbitrary.then(|| arbitrary::enums(shapes, id));
    quote! {
        #doc
        #declaration
        #own

        #default
        ::formwork::__enum!(#ident #kind);

        #serde
        #arbitrary
    }
}

/// A member as tokens.
struct Member {
    ident: Ident,
    name: String,
    number: TokenStream,
    doc: TokenStream,
    /// Whether no member before it has the same number.
    first: bool,
}

fn members(shapes: &Shapes<'_>, id: EnumId, definition: &Enum, prim: Prim) -> Vec<Member> {
    let numbers: Vec<i128> = definition.members.iter().map(|member| member.number).collect();
    let idents = shapes.members(id).iter().cloned();
    idents
        .zip(&definition.members)
        .enumerate()
        .map(|(at, (ident, member))| Member {
            ident,
            name: member.name.clone(),
            number: integer(prim, member.number).unwrap_or_else(|| quote!(0)),
            doc: docs(member.doc.as_deref()),
            first: !numbers[..at].contains(&member.number),
        })
        .collect()
}

fn closed(ident: &Ident, prim: Prim, members: &[Member]) -> TokenStream {
    let prim = prim.ident();
    let numbers =
        members.iter().map(|Member { ident, number, .. }| quote!(Self::#ident => #number));
    let names = members.iter().map(|Member { ident, name, .. }| quote!(Self::#ident => #name));
    let first = members.iter().filter(|member| member.first);
    let of = first.map(
        |Member { ident, number, .. }| quote!(#number => ::formwork::__rt::Some(Self::#ident)),
    );
    quote! {
        impl #ident {
            /// The number as stored.
            #[must_use]
            pub const fn number(self) -> #prim {
                match self { #(#numbers,)* }
            }

            /// The member with this number, if there is one.
            #[must_use]
            pub const fn from_number(number: #prim) -> ::core::option::Option<Self> {
                match number {
                    #(#of,)*
                    _ => ::formwork::__rt::None,
                }
            }

            /// Name in the schema.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { #(#names,)* }
            }
        }
    }
}

fn open(ident: &Ident, prim: Prim, members: &[Member]) -> TokenStream {
    let prim = prim.ident();
    let constants = members.iter().map(
        |Member { ident, number, doc, .. }| quote!(#doc pub const #ident: Self = Self(#number);),
    );
    let first = members.iter().filter(|member| member.first);
    let names =
        first.map(|Member { number, name, .. }| quote!(#number => ::formwork::__rt::Some(#name)));
    quote! {
        impl #ident {
            #(#constants)*

            /// The number as stored.
            #[must_use]
            pub const fn number(self) -> #prim {
                self.0
            }

            /// Name in the schema, if it has one for the number.
            #[must_use]
            pub const fn name(self) -> ::core::option::Option<&'static str> {
                match self.0 {
                    #(#names,)*
                    _ => ::formwork::__rt::None,
                }
            }
        }
    }
}
