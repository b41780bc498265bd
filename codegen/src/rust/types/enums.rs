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
    let prim = prim.ident();
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
        let constants = members.iter().map(|Member { ident, number, doc, .. }| {
            quote!(#doc pub const #ident: Self = Self(#number);)
        });
        quote! {
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash #derive_default)]
            pub struct #ident(
                /// The number as stored.
                pub #prim,
            );

            impl #ident {
                #(#constants)*
            }
        }
    };
    let kind = if definition.closed { quote!(closed) } else { quote!(open) };
    let named =
        members.iter().map(|Member { ident, name, number, .. }| quote!(#ident #number #name,));
    let serde = options.serde.then(|| {
        let numbers: Vec<_> = members.iter().map(|member| member.number.clone()).collect();
        serde::enums(&ident, definition, &numbers)
    });
    let arbitrary = options.arbitrary.then(|| arbitrary::enums(shapes, id));
    quote! {
        #doc
        #declaration

        #default
        ::formwork::__enum! { #ident #prim #kind { #(#named)* } }

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
}

fn members(shapes: &Shapes<'_>, id: EnumId, definition: &Enum, prim: Prim) -> Vec<Member> {
    let idents = shapes.members(id).iter().cloned();
    idents
        .zip(&definition.members)
        .map(|(ident, member)| Member {
            ident,
            name: member.name.clone(),
            number: integer(prim, member.number).unwrap_or_else(|| quote!(0)),
            doc: docs(member.doc.as_deref()),
        })
        .collect()
}
