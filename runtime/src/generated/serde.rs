//! `serde` for types of the runtime, as macros: the crate that includes generated code has `serde`, and
//! this one has not.

/// The module `as_serde`, for the attributes of fields with types of the runtime.
#[doc(hidden)]
#[macro_export]
macro_rules! __as_serde {
    () => {
        #[allow(dead_code, unused_imports)]
        mod as_serde {
            use $crate::__rt::{Box, Cow, Err, None, Ok, Option, Result, Some, String, Vec};

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

            $crate::__serde_remote! {
                Remote: u8 u16 u32 u64 i8 i16 i32 i64 i128 f32 f64 bool
            }

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

            impl Remote for $crate::Endian {
                type Form = String;

                fn form(&self) -> String {
                    String::from(match self {
                        $crate::Endian::Little => "little",
                        $crate::Endian::Big => "big",
                    })
                }

                fn of_form(form: String) -> Result<Self, &'static str> {
                    match form.as_str() {
                        "little" => Ok($crate::Endian::Little),
                        "big" => Ok($crate::Endian::Big),
                        _ => Err("a byte order is `little` or `big`"),
                    }
                }
            }

            impl Remote for $crate::Utf16 {
                type Form = Units;

                fn form(&self) -> Units {
                    match self.to_text() {
                        Some(text) => Units::Text(text),
                        None => Units::Units(self.units().to_vec()),
                    }
                }

                fn of_form(form: Units) -> Result<Self, &'static str> {
                    Ok(match form {
                        Units::Text(text) => $crate::Utf16::from(text),
                        Units::Units(units) => $crate::Utf16::from_units(units),
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

            fn stored(value: &$crate::spelling::KeptValue) -> Stored {
                match value {
                    $crate::spelling::KeptValue::None => Stored::None,
                    $crate::spelling::KeptValue::Bool(yes) => Stored::Bool(*yes),
                    $crate::spelling::KeptValue::Int(number) => Stored::Int(*number),
                    $crate::spelling::KeptValue::Text(text) => Stored::Text(text.clone()),
                    $crate::spelling::KeptValue::Bytes(bytes) => Stored::Bytes(bytes.clone()),
                    $crate::spelling::KeptValue::Units(units) => Stored::Units(units.clone()),
                    $crate::spelling::KeptValue::Table(rows) => Stored::Table(
                        rows.iter().map(|row| row.iter().map(stored).collect()).collect(),
                    ),
                    $crate::spelling::KeptValue::List(list) => {
                        Stored::List(list.iter().map(stored).collect())
                    }
                    $crate::spelling::KeptValue::Spelling(spelling) => {
                        Stored::Spelling(spelling.form())
                    }
                }
            }

            fn kept(form: Stored) -> Result<$crate::spelling::KeptValue, &'static str> {
                Ok(match form {
                    Stored::None => $crate::spelling::KeptValue::None,
                    Stored::Bool(yes) => $crate::spelling::KeptValue::Bool(yes),
                    Stored::Int(number) => $crate::spelling::KeptValue::Int(number),
                    Stored::Text(text) => $crate::spelling::KeptValue::Text(text),
                    Stored::Bytes(bytes) => $crate::spelling::KeptValue::Bytes(bytes),
                    Stored::Units(units) => $crate::spelling::KeptValue::Units(units),
                    Stored::Table(rows) => $crate::spelling::KeptValue::Table(
                        rows.into_iter()
                            .map(|row| row.into_iter().map(kept).collect())
                            .collect::<Result<_, _>>()?,
                    ),
                    Stored::List(list) => {
                        let list = list.into_iter().map(kept).collect::<Result<_, _>>()?;
                        $crate::spelling::KeptValue::List(list)
                    }
                    Stored::Spelling(form) => {
                        $crate::spelling::KeptValue::Spelling(Remote::of_form(form)?)
                    }
                })
            }

            impl Remote for $crate::Spelling {
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
                    let mut spelling = $crate::Spelling::default();
                    for (row, index, kind, stored, instead_of) in form {
                        let kinds = $crate::spelling::KeptKind::ALL.into_iter();
                        let kind = kinds
                            .chain([$crate::spelling::KeptKind::Inside])
                            .find(|known| known.name() == kind)
                            .ok_or("no such kind of spelling")?;
                        let (stored, instead_of) = (kept(stored)?, kept(instead_of)?);
                        let entry = $crate::spelling::SpellingEntry {
                            row,
                            index,
                            kind,
                            stored,
                            instead_of,
                        };
                        spelling.keep(entry);
                    }
                    Ok(spelling)
                }
            }

            impl<T: Remote> Remote for $crate::Kept<T> {
                type Form = Option<(T::Form, Option<T::Form>)>;

                fn form(&self) -> Self::Form {
                    self.deviation()
                        .map(|(stored, instead_of)| (stored.form(), instead_of.map(Remote::form)))
                }

                fn of_form(form: Self::Form) -> Result<Self, &'static str> {
                    Ok(match form {
                        None => $crate::Kept::canonical(),
                        Some((stored, None)) => $crate::Kept::from(T::of_form(stored)?),
                        Some((stored, Some(instead_of))) => {
                            $crate::Kept::instead_of(T::of_form(stored)?, T::of_form(instead_of)?)
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
    };
}

/// `Remote`, by its path, of numbers that stand for themselves.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_remote {
    ($remote:path: $($name:ident)*) => {$(
        impl $remote for $name {
            type Form = $name;

            fn form(&self) -> $name {
                *self
            }

            fn of_form(form: $name) -> ::core::result::Result<$name, &'static str> {
                $crate::__rt::Ok(form)
            }
        }
    )*};
}

/// A position in an array, as a number.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_index {
    ($name:ident) => {
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.number())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let number = <u32 as ::serde::Deserialize>::deserialize(deserializer)?;
                $name::try_new(number).map_err(::serde::de::Error::custom)
            }
        }

        $crate::__serde_remote!(as_serde::Remote: $name);
    };
}
