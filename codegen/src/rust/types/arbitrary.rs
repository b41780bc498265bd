//! `arbitrary::Arbitrary`: values of bounded depth, with small lists and small positions.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::generics;
use crate::model::{Constant, EnumId, RecordId, Role, UnionId};
use crate::rust::shape::{Prim, Shape, Shapes};

/// Of a struct.
pub fn structs(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let ident = shapes.ident(id);
    let record = &shapes.model().records[id.index()];
    let fields = shapes.fields(id).iter().map(|field| {
        let name = &field.ident;
        let row = &record.rows[field.row.index()];
        // What a layout lacks has to be what the schema says it is then.
        let stated = row.absent.as_ref().filter(|_| !matches!(row.role, Role::Default(_)));
        let stated: Option<&Constant> = stated;
        match stated {
            Some(_) => {
                let value = shapes.field_default(id, field, false);
                quote!(#name: #value)
            }
            None => quote!(#name: as_arbitrary::Make::make(u, depth)?),
        }
    });
    let spelling = shapes.has_spelling(id).then(|| format_ident!("spelling"));
    let spelling = spelling.map(|name| quote!(#name: ::formwork::__rt::Default::default()));
    let fields = fields.chain(spelling);
    let body = quote! {
        let _ = (&mut *u, depth);
        ::formwork::__rt::Ok(#ident { #(#fields,)* })
    };
    traits(shapes, &Shape::Struct(id), &ident, &body)
}

/// Of a union.
pub fn unions(shapes: &Shapes<'_>, id: UnionId) -> TokenStream {
    let ident = shapes.union_ident(id);
    let count = u32::try_from(shapes.model().unions[id.index()].cases.len()).unwrap_or(0);
    let last = Literal::u32_unsuffixed(count.saturating_sub(1));
    let cases = (0..count).map(|case| {
        let (variant, payload) = shapes.variant(id, case);
        let number = Literal::u32_unsuffixed(case);
        let payload = payload.map(|_| quote!((as_arbitrary::Make::make(u, depth)?)));
        quote!(#number => #ident::#variant #payload)
    });
    let body = quote! {
        let ::formwork::__rt::Some(depth) = depth.checked_sub(1) else {
            return ::formwork::__rt::Ok(::formwork::__rt::Default::default());
        };
        let _ = depth;
        ::formwork::__rt::Ok(match u.int_in_range(0..=#last)? {
            #(#cases,)*
            _ => ::formwork::__rt::Default::default(),
        })
    };
    traits(shapes, &Shape::Choice(id), &ident, &body)
}

/// Of a word: any bits in its fields, the others as by default.
pub fn words(shapes: &Shapes<'_>, id: RecordId, data: u64) -> TokenStream {
    let ident = shapes.ident(id);
    let data = Literal::u64_unsuffixed(data);
    let prim = shapes.word_prim(id).unwrap_or(Prim::U64).ident();
    let body = quote! {
        let _ = depth;
        let bits: #prim = ::arbitrary::Arbitrary::arbitrary(u)?;
        let default: Self = ::formwork::__rt::Default::default();
        ::formwork::__rt::Ok(#ident((default.0 & !#data) | (bits & #data)))
    };
    traits(shapes, &Shape::Word(id), &ident, &body)
}

/// Of an enumeration: its members, and now and then a number without a name.
pub fn enums(shapes: &Shapes<'_>, id: EnumId) -> TokenStream {
    let ident = shapes.enum_ident(id);
    let closed = shapes.model().enums[id.index()].closed;
    let members = shapes.members(id);
    let count = members.len();
    let cases = members.iter().enumerate().map(|(at, member)| {
        let at = Literal::usize_unsuffixed(at);
        quote!(#at => #ident::#member)
    });
    let last = Literal::usize_unsuffixed(if closed { count.saturating_sub(1) } else { count });
    let rest = if closed {
        quote!(::formwork::__rt::Default::default())
    } else {
        quote!(#ident(::arbitrary::Arbitrary::arbitrary(u)?))
    };
    let body = quote! {
        let _ = depth;
        ::formwork::__rt::Ok(match u.int_in_range(0..=#last)? {
            #(#cases,)*
            _ => #rest,
        })
    };
    traits(shapes, &Shape::Enum(id), &ident, &body)
}

/// Of an index: positions in short lists.
pub fn index(ident: &Ident) -> TokenStream {
    quote! {
        impl<'a> as_arbitrary::Make<'a> for #ident {
            fn make(
                u: &mut ::arbitrary::Unstructured<'a>,
                _: u32,
            ) -> ::arbitrary::Result<Self> {
                ::formwork::__rt::Ok(#ident::new_const(u.int_in_range(0..=3)?))
            }
        }
    }
}

fn traits(shapes: &Shapes<'_>, shape: &Shape, ident: &Ident, body: &TokenStream) -> TokenStream {
    let generics = generics(shapes, shape);
    quote! {
        impl<'a> as_arbitrary::Make<'a> for #ident #generics {
            fn make(
                u: &mut ::arbitrary::Unstructured<'a>,
                depth: u32,
            ) -> ::arbitrary::Result<Self> {
                #body
            }
        }

        impl<'a> ::arbitrary::Arbitrary<'a> for #ident #generics {
            fn arbitrary(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
                as_arbitrary::Make::make(u, as_arbitrary::DEPTH)
            }
        }
    }
}

/// The module that all of these use.
pub fn helper() -> TokenStream {
    let plain = [
        quote!(u8),
        quote!(u16),
        quote!(u32),
        quote!(u64),
        quote!(i8),
        quote!(i16),
        quote!(i32),
        quote!(i64),
        quote!(i128),
        quote!(f32),
        quote!(f64),
        quote!(bool),
    ]
    .map(|ty| {
        quote! {
            impl<'a> Make<'a> for #ty {
                fn make(u: &mut Unstructured<'a>, _: u32) -> Result<Self> {
                    Arbitrary::arbitrary(u)
                }
            }
        }
    });
    quote! {
        #[allow(dead_code, unused_imports)]
        mod as_arbitrary {
            use ::arbitrary::{Arbitrary, Result, Unstructured};
            use ::formwork::__rt::{Box, Cow, None, Ok, Option, Some, Vec};

            /// How deep a value is at most, counted in lists, options and unions.
            pub const DEPTH: u32 = 12;

            /// Longest list.
            const LENGTH: u8 = 5;

            pub trait Make<'a>: Sized {
                fn make(u: &mut Unstructured<'a>, depth: u32) -> Result<Self>;
            }

            #(#plain)*

            impl<'a> Make<'a> for Cow<'a, str> {
                fn make(u: &mut Unstructured<'a>, _: u32) -> Result<Self> {
                    let text: &'a str = Arbitrary::arbitrary(u)?;
                    Ok(Cow::Borrowed(text))
                }
            }

            impl<'a> Make<'a> for Cow<'a, [u8]> {
                fn make(u: &mut Unstructured<'a>, _: u32) -> Result<Self> {
                    let bytes: &'a [u8] = Arbitrary::arbitrary(u)?;
                    Ok(Cow::Borrowed(bytes))
                }
            }

            impl<'a> Make<'a> for ::formwork::Utf16 {
                fn make(u: &mut Unstructured<'a>, _: u32) -> Result<Self> {
                    let text: &'a str = Arbitrary::arbitrary(u)?;
                    Ok(::formwork::Utf16::from(text))
                }
            }

            impl<'a> Make<'a> for ::formwork::Endian {
                fn make(u: &mut Unstructured<'a>, _: u32) -> Result<Self> {
                    let big = bool::arbitrary(u)?;
                    Ok(if big { ::formwork::Endian::Big } else { ::formwork::Endian::Little })
                }
            }

            /// Always what follows from the rest.
            impl<'a, T> Make<'a> for ::formwork::Kept<T> {
                fn make(_: &mut Unstructured<'a>, _: u32) -> Result<Self> {
                    Ok(::formwork::Kept::canonical())
                }
            }

            impl<'a, T: Make<'a>> Make<'a> for Option<T> {
                fn make(u: &mut Unstructured<'a>, depth: u32) -> Result<Self> {
                    match depth.checked_sub(1) {
                        Some(depth) if bool::arbitrary(u)? => T::make(u, depth).map(Some),
                        _ => Ok(None),
                    }
                }
            }

            impl<'a, T: Make<'a>> Make<'a> for Vec<T> {
                fn make(u: &mut Unstructured<'a>, depth: u32) -> Result<Self> {
                    let mut list = Vec::new();
                    if let Some(depth) = depth.checked_sub(1) {
                        for _ in 0..u.int_in_range(0..=LENGTH)? {
                            list.push(T::make(u, depth)?);
                        }
                    }
                    Ok(list)
                }
            }

            impl<'a, T: Make<'a> + Copy + ::formwork::__rt::Default, const N: usize> Make<'a> for [T; N] {
                fn make(u: &mut Unstructured<'a>, depth: u32) -> Result<Self> {
                    let mut array = [T::default(); N];
                    for element in &mut array {
                        *element = T::make(u, depth)?;
                    }
                    Ok(array)
                }
            }

            impl<'a, T: Make<'a>> Make<'a> for Box<T> {
                fn make(u: &mut Unstructured<'a>, depth: u32) -> Result<Self> {
                    T::make(u, depth).map(Box::new)
                }
            }
        }
    }
}
