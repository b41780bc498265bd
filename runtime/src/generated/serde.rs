//! `serde`, as macros: the crate that includes generated code has `serde`, and this one has not.
//!
//! For people, a value is what it shows of itself, in the form of the command's JSON; for programs, a
//! run of bytes.

/// The module `as_serde`: how a value goes through `serde`.
#[doc(hidden)]
#[macro_export]
macro_rules! __as_serde {
    () => {
        #[allow(dead_code)]
        mod as_serde {
            use ::core::cell::Cell;
            use ::core::fmt;

            use ::serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
            use ::serde::ser::{SerializeMap as _, SerializeSeq as _};
            use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

            use $crate::__rt::{
                layout_of, pack, pack_file, unpack, unpack_file, Carried, Err, Ok, Packed, Result,
                Some, Source, String, Vec,
            };
            use $crate::inspect::Inspect;
            use $crate::json::{self, FromJson, Json, Tape, Token};

            pub fn serialize<T: Inspect + Packed, S: Serializer>(
                value: &T,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                if !to.is_human_readable() {
                    return to.serialize_bytes(&pack(value));
                }
                let tape = json::tape_of(value, None);
                Part { tape: &tape, at: &Cell::new(0) }.serialize(to)
            }

            pub fn deserialize<'de, T: FromJson + Packed, D: Deserializer<'de>>(
                from: D,
            ) -> Result<T, D::Error> {
                if !from.is_human_readable() {
                    let bytes = from.deserialize_byte_buf(Bytes)?;
                    return unpack(&bytes).map_err(D::Error::custom);
                }
                let Tree(json) = Tree::deserialize(from)?;
                json::read(json).map_err(D::Error::custom)
            }

            pub fn serialize_file<T: Inspect + Packed + Source, S: Serializer>(
                value: &T,
                format: &Carried,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                if !to.is_human_readable() {
                    return to.serialize_bytes(&pack_file(format, value));
                }
                let tape = json::tape_of(value, layout_of(format, value));
                let model = format.program().model();
                let mut head = to.serialize_map(Some(4))?;
                head.serialize_entry(json::TOOL, &json::tool())?;
                head.serialize_entry(json::FORMAT, &model.name)?;
                head.serialize_entry(json::SCHEMA_VERSION, &model.version)?;
                head.serialize_entry(json::VALUE, &Part { tape: &tape, at: &Cell::new(0) })?;
                head.end()
            }

            pub fn deserialize_file<'de, T: FromJson + Packed, D: Deserializer<'de>>(
                format: &Carried,
                from: D,
            ) -> Result<T, D::Error> {
                if !from.is_human_readable() {
                    let bytes = from.deserialize_byte_buf(Bytes)?;
                    return unpack_file(format, &bytes).map_err(D::Error::custom);
                }
                let Tree(json) = Tree::deserialize(from)?;
                let model = format.program().model();
                json::with_header(json, &model.name, model.version).map_err(D::Error::custom)
            }

            /// What comes next of a value.
            struct Part<'t> {
                tape: &'t Tape,
                at: &'t Cell<usize>,
            }

            impl Part<'_> {
                /// Whether a list or an object ends here.
                fn ends(&self) -> bool {
                    let end = self.tape.end(self.at.get());
                    if let Some(behind) = end {
                        self.at.set(behind);
                    }
                    end.is_some()
                }
            }

            impl Serialize for Part<'_> {
                fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    let (token, behind) = self.tape.token(self.at.get());
                    self.at.set(behind);
                    match token {
                        Token::Null => to.serialize_none(),
                        Token::Bool(yes) => to.serialize_bool(yes),
                        Token::Int(number) => {
                            match (i64::try_from(number), u64::try_from(number)) {
                                (Ok(number), _) => to.serialize_i64(number),
                                (_, Ok(number)) => to.serialize_u64(number),
                                _ => to.serialize_i128(number),
                            }
                        }
                        Token::Float32(number) => to.serialize_f32(number),
                        Token::Float64(number) => to.serialize_f64(number),
                        Token::Text(text) => to.serialize_str(text),
                        Token::List(count) => {
                            let mut list = to.serialize_seq(Some(count))?;
                            while !self.ends() {
                                list.serialize_element(self)?;
                            }
                            list.end()
                        }
                        Token::Object => {
                            let mut object = to.serialize_map(None)?;
                            while !self.ends() {
                                let key = self.at.get();
                                self.at.set(key + 1);
                                object.serialize_entry(self.tape.key(key), self)?;
                            }
                            object.end()
                        }
                    }
                }
            }

            /// Bytes of a packed value.
            struct Bytes;

            impl<'de> Visitor<'de> for Bytes {
                type Value = Vec<u8>;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("bytes")
                }

                fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                    Ok(Vec::from(bytes))
                }

                fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
                    Ok(bytes)
                }

                fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
                    let mut bytes = Vec::new();
                    while let Some(byte) = list.next_element()? {
                        bytes.push(byte);
                    }
                    Ok(bytes)
                }
            }

            /// Anything that JSON may have.
            struct Tree(Json);

            impl<'de> Deserialize<'de> for Tree {
                fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Tree, D::Error> {
                    from.deserialize_any(Anything).map(Tree)
                }
            }

            struct Anything;

            impl<'de> Visitor<'de> for Anything {
                type Value = Json;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a value")
                }

                fn visit_unit<E>(self) -> Result<Json, E> {
                    Ok(Json::Null)
                }

                fn visit_none<E>(self) -> Result<Json, E> {
                    Ok(Json::Null)
                }

                fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Json, D::Error> {
                    from.deserialize_any(self)
                }

                fn visit_newtype_struct<D: Deserializer<'de>>(
                    self,
                    from: D,
                ) -> Result<Json, D::Error> {
                    from.deserialize_any(self)
                }

                fn visit_bool<E>(self, yes: bool) -> Result<Json, E> {
                    Ok(Json::Bool(yes))
                }

                fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
                    Ok(Json::Int(number.into()))
                }

                fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
                    Ok(Json::Int(number.into()))
                }

                fn visit_i128<E>(self, number: i128) -> Result<Json, E> {
                    Ok(Json::Int(number))
                }

                fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
                    Ok(Json::Float(number))
                }

                fn visit_str<E>(self, text: &str) -> Result<Json, E> {
                    Ok(Json::Text(String::from(text)))
                }

                fn visit_string<E>(self, text: String) -> Result<Json, E> {
                    Ok(Json::Text(text))
                }

                fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
                    let mut elements = Vec::new();
                    while let Some(Tree(element)) = list.next_element()? {
                        elements.push(element);
                    }
                    Ok(Json::List(elements))
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
                    let mut members = json::Keys::default();
                    while let Some((key, Tree(member))) = map.next_entry::<String, Tree>()? {
                        members.add(key, member).map_err(A::Error::custom)?;
                    }
                    Ok(members.object())
                }
            }
        }
    };
}

/// The traits of `serde`: of a type, of the type that stands for a file, of the arena of one.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde {
    ([$($name:tt)*] $($packed:tt)*) => {
        $crate::__packed! { [$($name)*] $($packed)* }

        impl ::serde::Serialize for $($name)* {
            fn serialize<S: ::serde::Serializer>(
                &self,
                to: S,
            ) -> $crate::__rt::Result<S::Ok, S::Error> {
                as_serde::serialize(self, to)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $($name)* {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                from: D,
            ) -> $crate::__rt::Result<Self, D::Error> {
                as_serde::deserialize(from)
            }
        }
    };
    (file [$($name:tt)*] $($packed:tt)*) => {
        $crate::__packed! { [$($name)*] $($packed)* }

        impl ::serde::Serialize for $($name)* {
            fn serialize<S: ::serde::Serializer>(
                &self,
                to: S,
            ) -> $crate::__rt::Result<S::Ok, S::Error> {
                as_serde::serialize_file(self, Self::__format(), to)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $($name)* {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                from: D,
            ) -> $crate::__rt::Result<Self, D::Error> {
                as_serde::deserialize_file(Self::__format(), from)
            }
        }
    };
    (arena $name:ident [$value:ty]) => {
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(
                &self,
                to: S,
            ) -> $crate::__rt::Result<S::Ok, S::Error> {
                let value = self.to_value().map_err(::serde::ser::Error::custom)?;
                ::serde::Serialize::serialize(&value, to)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                from: D,
            ) -> $crate::__rt::Result<Self, D::Error> {
                let value = <$value as ::serde::Deserialize>::deserialize(from)?;
                Self::from_value(&value).map_err(::serde::de::Error::custom)
            }
        }
    };
}

/// The same of a position in an array, a number.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_index {
    ($name:ident) => {
        impl $crate::json::FromJson for $name {
            fn expected() -> $crate::__rt::String {
                $crate::json::index_words()
            }

            fn read(
                json: $crate::json::Json,
                _: $crate::json::Within,
            ) -> $crate::__rt::Result<Self, $crate::json::Wrong> {
                let number = $crate::json::index(&json)?;
                $name::try_new(number)
                    .map_err(|_| $crate::json::Wrong::expected(&Self::expected(), &json))
            }
        }

        $crate::__serde! {
            [$name] number value => value.number(), $name::try_new(value).ok()
        }
    };
}
