//! The public type that holds the root of a value and the pools of its lists.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::name;
use crate::rust::shape::{Shape, Shapes};
use crate::rust::types::docs;

/// The type with its methods. `straight`: there are readers and writers that need no ordinary value.
pub(super) fn emit(shapes: &Shapes<'_>, straight: bool) -> TokenStream {
    let root = shapes.model().root;
    let (name, root, borrows) =
        (name(shapes), shapes.ident(root), shapes.borrows(&Shape::Struct(root)));
    let doc = docs(Some(&format!(
        "What a file holds, as a [`{root}`] and the lists in it: `arena[run]` is the slice of a list.\n\n\
         Runs, texts and spellings of another arena are mistakes, and indexing or writing them may\n\
         panic. A list that is replaced stays in the arena, unused, until the arena is dropped."
    )));
    let methods = [files(&root, straight), values(&root, borrows), lists()];
    let index = index(&name);
    quote! {
        #doc
        #[derive(Debug, Clone)]
        pub struct #name {
            /// The root; its lists are in this arena.
            pub root: #root,
            pools: pools::Pools,
        }

        impl #name {
            #(#methods)*
        }

        #index
    }
}

/// Between files and arenas.
fn files(root: &Ident, straight: bool) -> TokenStream {
    let (read, bytes) = if straight {
        (
            quote! {
                if let ::formwork::__rt::Ok((root, pools)) = straight::file(bytes, options) {
                    return ::formwork::__rt::Ok(Self { root, pools });
                }
                let value = super::#root::__read_engine(bytes, options)?;
            },
            quote! {
                let mut bytes = ::formwork::__rt::Vec::new();
                if straight::whole(&self.root, &self.pools, &mut bytes).is_ok() {
                    return ::formwork::__rt::Ok(bytes);
                }
                self.to_value()?.__write_engine()
            },
        )
    } else {
        (
            quote!(let value = super::#root::read_with(bytes, options)?;),
            quote!(self.to_value()?.write()),
        )
    };
    quote! {
        /// Reads a file.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read(
            bytes: &[u8],
        ) -> ::core::result::Result<Self, ::formwork::ReadError> {
            Self::read_with(bytes, &::formwork::ReadOptions::default())
        }

        /// Reads a file with these limits, as strictly as they say.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read_with(
            bytes: &[u8],
            options: &::formwork::ReadOptions,
        ) -> ::core::result::Result<Self, ::formwork::ReadError> {
            #read
            Self::packed(&value, ::formwork::Nesting::of(options))
                .map_err(::formwork::__rt::s::unreadable)
        }

        /// The bytes of the file.
        ///
        /// # Errors
        ///
        /// Everything in the value that the format cannot say, each with its path.
        pub fn write(
            &self,
        ) -> ::core::result::Result<::formwork::alloc::vec::Vec<u8>, ::formwork::WriteError> {
            #bytes
        }
    }
}

/// Between ordinary values and arenas.
fn values(root: &Ident, borrows: bool) -> TokenStream {
    let (elided, owned) =
        if borrows { (quote!(<'_>), quote!(<'static>)) } else { (quote!(), quote!()) };
    quote! {
        /// The same as an ordinary value.
        ///
        /// # Errors
        ///
        /// If it is nested deeper than a reader would accept by default.
        pub fn to_value(
            &self,
        ) -> ::core::result::Result<super::#root #owned, ::formwork::WriteError> {
            ::formwork::Pack::unpack(&self.root, &self.pools, ::formwork::Nesting::default())
                .map_err(::formwork::__rt::s::unwritable)
        }

        /// The same as an ordinary value.
        ///
        /// # Errors
        ///
        /// If the value is nested deeper than a reader would accept by default, or has more than
        /// 2³² elements of one type.
        pub fn from_value(
            value: &super::#root #elided,
        ) -> ::core::result::Result<Self, ::formwork::WriteError> {
            Self::packed(value, ::formwork::Nesting::default())
                .map_err(::formwork::__rt::s::unwritable)
        }

        fn packed(
            value: &super::#root #elided,
            nesting: ::formwork::Nesting,
        ) -> ::core::result::Result<Self, ::formwork::ProblemKind> {
            let mut pools: pools::Pools = ::formwork::__rt::Default::default();
            let root = ::formwork::Pack::pack(value, &mut pools, nesting)?;
            ::formwork::__rt::Ok(Self { root, pools })
        }
    }
}

/// New lists, and what is in lists.
fn lists() -> TokenStream {
    quote! {
        /// A new list of these elements.
        ///
        /// # Panics
        ///
        /// If there would be more than 2³² elements of this type.
        #[track_caller]
        pub fn add<T>(
            &mut self,
            elements: impl ::core::iter::IntoIterator<Item = T>,
        ) -> ::formwork::Run<T>
        where
            pools::Pools: ::formwork::Pools<T>,
        {
            ::formwork::__rt::s::added(&mut self.pools, elements)
        }

        /// A new text.
        ///
        /// # Panics
        ///
        /// If there would be more than 4 GiB of text.
        #[track_caller]
        pub fn add_text(&mut self, text: &str) -> ::formwork::Run<str> {
            ::formwork::__rt::s::text_added(&mut self.pools, text)
        }

        /// The number of a spelling, new or not.
        ///
        /// # Panics
        ///
        /// If there would be more than 2²⁴ spellings.
        #[track_caller]
        pub fn add_spelling(&mut self, spelling: ::formwork::Spelling) -> ::formwork::SpellingId {
            ::formwork::__rt::s::spelling_added(&mut self.pools, spelling)
        }

        /// A text.
        ///
        /// # Panics
        ///
        /// If it is not of this arena.
        #[must_use]
        #[track_caller]
        pub fn text(&self, text: ::formwork::Run<str>) -> &str {
            &::formwork::__rt::s::Common::texts(&self.pools)[text]
        }

        /// The spelling with a number.
        ///
        /// # Panics
        ///
        /// If there is none in this arena.
        #[must_use]
        #[track_caller]
        pub fn spelling(&self, id: ::formwork::SpellingId) -> &::formwork::Spelling {
            ::formwork::__rt::s::Common::spellings(&self.pools).get(id)
        }
    }
}

/// `arena[run]`.
fn index(name: &Ident) -> TokenStream {
    quote! {
        /// The elements of a list.
        ///
        /// # Panics
        ///
        /// If they are not of this arena.
        impl<T> ::core::ops::Index<::formwork::Run<T>> for #name
        where
            pools::Pools: ::formwork::Pools<T>,
        {
            type Output = [T];

            #[inline]
            #[track_caller]
            fn index(&self, run: ::formwork::Run<T>) -> &[T] {
                &::formwork::Pools::pool(&self.pools)[run]
            }
        }

        /// The elements of a list, to change them.
        ///
        /// # Panics
        ///
        /// If they are not of this arena.
        impl<T> ::core::ops::IndexMut<::formwork::Run<T>> for #name
        where
            pools::Pools: ::formwork::Pools<T>,
        {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, run: ::formwork::Run<T>) -> &mut [T] {
                &mut ::formwork::Pools::pool_mut(&mut self.pools)[run]
            }
        }

        /// A text.
        ///
        /// # Panics
        ///
        /// If it is not of this arena.
        impl ::core::ops::Index<::formwork::Run<str>> for #name {
            type Output = str;

            #[inline]
            #[track_caller]
            fn index(&self, run: ::formwork::Run<str>) -> &str {
                self.text(run)
            }
        }
    }
}
