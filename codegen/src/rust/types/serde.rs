//! `serde`: derived, with conversions for the types of the runtime, which has no dependencies.
//!
//! Spelling is left out where it is canonical.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::rust::Options;
use crate::rust::shape::Shape;

/// The derive attribute of a type.
pub fn derive(options: &Options) -> TokenStream {
    if !options.serde {
        return quote!();
    }
    quote!(#[derive(::serde::Serialize, ::serde::Deserialize)])
}

/// The attribute of a field of this shape.
pub fn with(options: &Options, shape: &Shape) -> TokenStream {
    if options.serde && is_foreign(shape) { quote!(#[serde(with = "as_serde")]) } else { quote!() }
}

/// The attribute of a field for spelling.
pub fn spelling(options: &Options) -> TokenStream {
    if !options.serde {
        return quote!();
    }
    quote! {
        #[serde(
            default,
            with = "as_serde",
            skip_serializing_if = "::formwork::Spelling::is_canonical"
        )]
    }
}

/// Whether a type of the runtime is in it.
fn is_foreign(shape: &Shape) -> bool {
    match shape {
        Shape::Endian | Shape::Utf16 | Shape::Kept(_) => true,
        Shape::List(inner)
        | Shape::Fixed(inner, _)
        | Shape::Option(inner)
        | Shape::Boxed(inner) => is_foreign(inner),
        _ => false,
    }
}

/// What stands for a generated number in a type of the runtime: itself.
pub fn remote(ident: &Ident) -> TokenStream {
    quote! {
        impl as_serde::Remote for #ident {
            type Form = #ident;

            fn form(&self) -> #ident {
                *self
            }

            fn of_form(form: #ident) -> ::core::result::Result<#ident, &'static str> {
                ::formwork::__rt::Ok(form)
            }
        }
    }
}

/// Implementations for an index.
pub fn index(ident: &Ident) -> TokenStream {
    let remote = remote(ident);
    quote! {
        impl ::serde::Serialize for #ident {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.number())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for #ident {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let number = <u32 as ::serde::Deserialize>::deserialize(deserializer)?;
                #ident::new(number).ok_or_else(|| {
                    ::serde::de::Error::custom("the position is too large for an index")
                })
            }
        }

        #remote
    }
}

/// The module of the attribute.
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
            impl Remote for #ty {
                type Form = #ty;

                fn form(&self) -> #ty {
                    *self
                }

                fn of_form(form: #ty) -> Result<#ty, &'static str> {
                    Ok(form)
                }
            }
        }
    });
    quote! {
        #[allow(dead_code, unused_imports)]
        mod as_serde {
            use ::formwork::__rt::{Box, Cow, Err, None, Ok, Option, Result, Some, String, Vec};

            /// A type that knows nothing of `serde`, and what is serialized in its place.
            pub trait Remote: Sized {
                type Form: ::serde::Serialize + ::serde::de::DeserializeOwned;

                fn form(&self) -> Self::Form;

                fn of_form(form: Self::Form) -> Result<Self, &'static str>;
            }

            pub fn serialize<T: Remote, S: ::serde::Serializer>(
                value: &T,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                ::serde::Serialize::serialize(&value.form(), serializer)
            }

            pub fn deserialize<'de, T: Remote, D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<T, D::Error> {
                let form = <T::Form as ::serde::Deserialize>::deserialize(deserializer)?;
                T::of_form(form).map_err(::serde::de::Error::custom)
            }

            #(#plain)*

            impl<'a> Remote for Cow<'a, str> {
                type Form = String;

                fn form(&self) -> String {
                    String::from(&**self)
                }

                fn of_form(form: String) -> Result<Self, &'static str> {
                    Ok(Cow::Owned(form))
                }
            }

            impl<'a> Remote for Cow<'a, [u8]> {
                type Form = Vec<u8>;

                fn form(&self) -> Vec<u8> {
                    self.to_vec()
                }

                fn of_form(form: Vec<u8>) -> Result<Self, &'static str> {
                    Ok(Cow::Owned(form))
                }
            }

            impl Remote for ::formwork::Endian {
                type Form = String;

                fn form(&self) -> String {
                    String::from(match self {
                        ::formwork::Endian::Little => "little",
                        ::formwork::Endian::Big => "big",
                    })
                }

                fn of_form(form: String) -> Result<Self, &'static str> {
                    match form.as_str() {
                        "little" => Ok(::formwork::Endian::Little),
                        "big" => Ok(::formwork::Endian::Big),
                        _ => Err("a byte order is `little` or `big`"),
                    }
                }
            }

            impl Remote for ::formwork::Utf16 {
                type Form = Units;

                fn form(&self) -> Units {
                    match self.to_text() {
                        Some(text) => Units::Text(text),
                        None => Units::Units(self.units().to_vec()),
                    }
                }

                fn of_form(form: Units) -> Result<Self, &'static str> {
                    Ok(match form {
                        Units::Text(text) => ::formwork::Utf16::from(text),
                        Units::Units(units) => ::formwork::Utf16::from_units(units),
                    })
                }
            }

            /// A text, or units that are none.
            #[derive(::serde::Serialize, ::serde::Deserialize)]
            #[serde(untagged)]
            pub enum Units {
                Text(String),
                Units(Vec<u16>),
            }

            /// One deviation: row, index, kind, what was stored, what it is instead of.
            type Entry = (u16, Option<u32>, String, Stored, Stored);

            /// Something of a file that spelling remembers.
            #[derive(::serde::Serialize, ::serde::Deserialize)]
            pub enum Stored {
                None,
                Bool(bool),
                Int(i128),
                Text(String),
                Bytes(Vec<u8>),
                Units(Vec<u16>),
                Table(Vec<Vec<Stored>>),
                List(Vec<Stored>),
                Spelling(Vec<Entry>),
            }

            fn stored(value: &::formwork::KeptValue) -> Stored {
                match value {
                    ::formwork::KeptValue::None => Stored::None,
                    ::formwork::KeptValue::Bool(yes) => Stored::Bool(*yes),
                    ::formwork::KeptValue::Int(number) => Stored::Int(*number),
                    ::formwork::KeptValue::Text(text) => Stored::Text(text.clone()),
                    ::formwork::KeptValue::Bytes(bytes) => Stored::Bytes(bytes.clone()),
                    ::formwork::KeptValue::Units(units) => Stored::Units(units.clone()),
                    ::formwork::KeptValue::Table(rows) => Stored::Table(
                        rows.iter().map(|row| row.iter().map(stored).collect()).collect(),
                    ),
                    ::formwork::KeptValue::List(list) => {
                        Stored::List(list.iter().map(stored).collect())
                    }
                    ::formwork::KeptValue::Spelling(spelling) => Stored::Spelling(spelling.form()),
                }
            }

            fn kept(form: Stored) -> Result<::formwork::KeptValue, &'static str> {
                Ok(match form {
                    Stored::None => ::formwork::KeptValue::None,
                    Stored::Bool(yes) => ::formwork::KeptValue::Bool(yes),
                    Stored::Int(number) => ::formwork::KeptValue::Int(number),
                    Stored::Text(text) => ::formwork::KeptValue::Text(text),
                    Stored::Bytes(bytes) => ::formwork::KeptValue::Bytes(bytes),
                    Stored::Units(units) => ::formwork::KeptValue::Units(units),
                    Stored::Table(rows) => ::formwork::KeptValue::Table(
                        rows.into_iter()
                            .map(|row| row.into_iter().map(kept).collect())
                            .collect::<Result<_, _>>()?,
                    ),
                    Stored::List(list) => {
                        let list = list.into_iter().map(kept).collect::<Result<_, _>>()?;
                        ::formwork::KeptValue::List(list)
                    }
                    Stored::Spelling(form) => {
                        ::formwork::KeptValue::Spelling(Remote::of_form(form)?)
                    }
                })
            }

            impl Remote for ::formwork::Spelling {
                type Form = Vec<Entry>;

                fn form(&self) -> Vec<Entry> {
                    self.entries()
                        .iter()
                        .map(|entry| {
                            let kind = String::from(entry.kind.name());
                            let (new, old) = (stored(&entry.stored), stored(&entry.instead_of));
                            (entry.row, entry.index, kind, new, old)
                        })
                        .collect()
                }

                fn of_form(form: Vec<Entry>) -> Result<Self, &'static str> {
                    let mut spelling = ::formwork::Spelling::default();
                    for (row, index, kind, stored, instead_of) in form {
                        let kinds = ::formwork::KeptKind::ALL.into_iter();
                        let kind = kinds
                            .chain([::formwork::KeptKind::Inside])
                            .find(|known| known.name() == kind)
                            .ok_or("no such kind of spelling")?;
                        let (stored, instead_of) = (kept(stored)?, kept(instead_of)?);
                        let entry =
                            ::formwork::SpellingEntry { row, index, kind, stored, instead_of };
                        spelling.keep(entry);
                    }
                    Ok(spelling)
                }
            }

            impl<T: Remote> Remote for ::formwork::Kept<T> {
                type Form = Option<(T::Form, Option<T::Form>)>;

                fn form(&self) -> Self::Form {
                    self.deviation().map(|(stored, instead_of)| {
                        (stored.form(), instead_of.map(Remote::form))
                    })
                }

                fn of_form(form: Self::Form) -> Result<Self, &'static str> {
                    Ok(match form {
                        None => ::formwork::Kept::canonical(),
                        Some((stored, None)) => ::formwork::Kept::from(T::of_form(stored)?),
                        Some((stored, Some(instead_of))) => {
                            ::formwork::Kept::instead_of(T::of_form(stored)?, T::of_form(instead_of)?)
                        }
                    })
                }
            }

            impl<T: Remote> Remote for Option<T> {
                type Form = Option<T::Form>;

                fn form(&self) -> Self::Form {
                    self.as_ref().map(Remote::form)
                }

                fn of_form(form: Self::Form) -> Result<Self, &'static str> {
                    form.map(T::of_form).transpose()
                }
            }

            impl<T: Remote> Remote for Vec<T> {
                type Form = Vec<T::Form>;

                fn form(&self) -> Self::Form {
                    self.iter().map(Remote::form).collect()
                }

                fn of_form(form: Self::Form) -> Result<Self, &'static str> {
                    form.into_iter().map(T::of_form).collect()
                }
            }

            impl<T: Remote> Remote for Box<T> {
                type Form = T::Form;

                fn form(&self) -> Self::Form {
                    (**self).form()
                }

                fn of_form(form: Self::Form) -> Result<Self, &'static str> {
                    T::of_form(form).map(Box::new)
                }
            }
        }
    }
}
