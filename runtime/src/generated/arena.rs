//! The type that holds the root of a value and the pools of its lists.

/// Its functions: `Name of [Root<'_>] [Root<'static>]`, in brackets the module with readers and writers
/// that need no ordinary value, if there is one, and `utf16` if there is text in such units. The module
/// around has the pools in a module `pools`.
#[doc(hidden)]
#[macro_export]
macro_rules! __arena {
    ($name:ident of [$value:ty] [$owned:ty] [$($straight:ident)?] [$($utf16:ident)?]) => {
        impl $name {
            $crate::__arena! { @reads [$value] [$($straight)?] }
            $crate::__arena! { @writes [$owned] [$($straight)?] }
            $crate::__arena! { @values [$value] [$owned] }
            $crate::__arena! { @lists }
            $($crate::__arena! { @$utf16 })?
        }

        $crate::__arena! { @index $name }

        impl $crate::Format for $name {
            const NAME: &'static str = <$owned as $crate::Format>::NAME;
            const EXTENSIONS: &'static [&'static str] = <$owned as $crate::Format>::EXTENSIONS;
            const MAGIC: &'static [$crate::Magic] = <$owned as $crate::Format>::MAGIC;

            $crate::__file! { @trait 'v $name [$name] [$name] }

            fn into_owned(self) -> $name {
                self
            }
        }
    };
    (@reads [$value:ty] [$($straight:ident)?]) => {
        /// Reads a file.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read(bytes: &[u8]) -> $crate::__rt::Result<Self, $crate::ReadError> {
            Self::read_with(bytes, &$crate::__rt::Default::default())
        }

        /// Reads a file with these limits, as strictly as they say.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read_with(
            bytes: &[u8],
            options: &$crate::ReadOptions,
        ) -> $crate::__rt::Result<Self, $crate::ReadError> {
            $(if let $crate::__rt::Ok((root, pools)) = $straight::file(bytes, options) {
                return $crate::__rt::Ok(Self { root, pools });
            })?
            Self::read_as_value(bytes, options, $crate::__rt::None)
        }

        /// Reads a file, and notes what is worth knowing of it and no error, such as pointers of
        /// which the relocation table does not know.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read_noting(
            bytes: &[u8],
            options: &$crate::ReadOptions,
            notes: &mut $crate::Notes,
        ) -> $crate::__rt::Result<Self, $crate::ReadError> {
            // A file that the fast reader carries has nothing to note.
            $(if let $crate::__rt::Ok((root, pools)) = $straight::file(bytes, options) {
                return $crate::__rt::Ok(Self { root, pools });
            })?
            Self::read_as_value(bytes, options, $crate::__rt::Some(notes))
        }

        /// The same as `read`: an arena borrows nothing.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read_owned(bytes: &[u8]) -> $crate::__rt::Result<Self, $crate::ReadError> {
            Self::read(bytes)
        }

        /// The same as `read_with`: an arena borrows nothing.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read_owned_with(
            bytes: &[u8],
            options: &$crate::ReadOptions,
        ) -> $crate::__rt::Result<Self, $crate::ReadError> {
            Self::read_with(bytes, options)
        }

        /// Reads a file by way of an ordinary value.
        fn read_as_value(
            bytes: &[u8],
            options: &$crate::ReadOptions,
            notes: $crate::__rt::Option<&mut $crate::Notes>,
        ) -> $crate::__rt::Result<Self, $crate::ReadError> {
            let value = $crate::__arena! {
                @value [$value] [$($straight)?] bytes options notes
            };
            Self::packed(&value, $crate::arena::Nesting::of(options))
                .map_err($crate::__rt::s::unreadable)
        }
    };
    // What the fast way to an arena does not carry, that to a value does not either.
    (@value [$value:ty] [straight] $bytes:ident $options:ident $notes:ident) => {
        $crate::__rt::read::<$value>(<$value>::__format(), $bytes, $options, $notes)?
    };
    (@value [$value:ty] [] $bytes:ident $options:ident $notes:ident) => {
        match $notes {
            $crate::__rt::Some(notes) => <$value>::read_noting($bytes, $options, notes)?,
            $crate::__rt::None => <$value>::read_with($bytes, $options)?,
        }
    };
    (@write $value:ident $out:ident [straight]) => {
        $crate::__rt::write(Self::__format(), &$value, $out)
    };
    (@write $value:ident $out:ident []) => {
        $value.write_into($out)
    };
    (@writes [$value:ty] [$($straight:ident)?]) => {
        /// The bytes of the file.
        ///
        /// # Errors
        ///
        /// Everything in the value that the format cannot say, each with its path.
        pub fn write(&self) -> $crate::__rt::Result<$crate::__rt::Vec<u8>, $crate::WriteError> {
            let mut bytes = $crate::__rt::Vec::new();
            self.write_into(&mut bytes)?;
            $crate::__rt::Ok(bytes)
        }

        /// Appends the bytes of the file.
        ///
        /// # Errors
        ///
        /// Those of `write`; nothing is appended then.
        pub fn write_into(
            &self,
            out: &mut $crate::__rt::Vec<u8>,
        ) -> $crate::__rt::Result<(), $crate::WriteError> {
            $(if $straight::whole(&self.root, &self.pools, out).is_ok() {
                return $crate::__rt::Ok(());
            })?
            let value = self.to_value()?;
            $crate::__arena! { @write value out [$($straight)?] }
        }

        /// Whether the value can be written.
        ///
        /// # Errors
        ///
        /// Those of `write`.
        pub fn validate(&self) -> $crate::__rt::Result<(), $crate::WriteError> {
            self.to_value()?.validate()
        }

        #[doc(hidden)]
        pub fn __format() -> &'static $crate::__rt::Carried {
            <$value>::__format()
        }
    };
    (@values [$value:ty] [$owned:ty]) => {
        /// The same as an ordinary value.
        ///
        /// # Errors
        ///
        /// If it is nested deeper than a reader would accept by default.
        pub fn to_value(&self) -> $crate::__rt::Result<$owned, $crate::WriteError> {
            $crate::arena::Pack::unpack(
                &self.root,
                &self.pools,
                $crate::arena::Nesting::default(),
            )
            .map_err($crate::__rt::s::unwritable)
        }

        /// The same as an ordinary value.
        ///
        /// # Errors
        ///
        /// If the value is nested deeper than a reader would accept by default, or has more than
        /// 2³² elements of one type.
        pub fn from_value(value: &$value) -> $crate::__rt::Result<Self, $crate::WriteError> {
            Self::packed(value, $crate::arena::Nesting::default())
                .map_err($crate::__rt::s::unwritable)
        }

        fn packed(
            value: &$value,
            nesting: $crate::arena::Nesting,
        ) -> $crate::__rt::Result<Self, $crate::ProblemKind> {
            let mut pools: pools::Pools = $crate::__rt::Default::default();
            let root = $crate::arena::Pack::pack(value, &mut pools, nesting)?;
            $crate::__rt::Ok(Self { root, pools })
        }
    };
    (@lists) => {
        /// A new list of these elements.
        ///
        /// # Panics
        ///
        /// If there would be more than 2³² elements of this type.
        #[track_caller]
        pub fn add<T>(
            &mut self,
            elements: impl ::core::iter::IntoIterator<Item = T>,
        ) -> $crate::arena::Run<T>
        where
            pools::Pools: $crate::arena::Pools<T>,
        {
            $crate::__rt::s::added(&mut self.pools, elements)
        }

        /// A new text.
        ///
        /// # Panics
        ///
        /// If there would be more than 4 GiB of text.
        #[track_caller]
        pub fn add_text(&mut self, text: &str) -> $crate::arena::Run<str> {
            $crate::__rt::s::text_added(&mut self.pools, text)
        }

        /// The number of a spelling, new or not.
        ///
        /// # Panics
        ///
        /// If there would be more than 2²⁴ spellings.
        #[track_caller]
        pub fn add_spelling(&mut self, spelling: $crate::Spelling) -> $crate::arena::SpellingId {
            $crate::__rt::s::spelling_added(&mut self.pools, spelling)
        }

        /// A text.
        ///
        /// # Panics
        ///
        /// If it is not of this arena.
        #[must_use]
        #[track_caller]
        pub fn text(&self, text: $crate::arena::Run<str>) -> &str {
            &$crate::__rt::s::Common::texts(&self.pools)[text]
        }

        /// The spelling with a number.
        ///
        /// # Panics
        ///
        /// If there is none in this arena.
        #[must_use]
        #[track_caller]
        pub fn spelling(&self, id: $crate::arena::SpellingId) -> &$crate::Spelling {
            $crate::__rt::s::Common::spellings(&self.pools).get(id)
        }
    };
    (@utf16) => {
        /// A new text in UTF-16.
        ///
        /// # Panics
        ///
        /// If there would be more than 2³² units.
        #[track_caller]
        pub fn add_utf16(&mut self, text: &str) -> $crate::arena::Run<u16> {
            self.add(text.encode_utf16())
        }

        /// A text in UTF-16.
        ///
        /// # Panics
        ///
        /// If it is not of this arena.
        #[must_use]
        #[track_caller]
        pub fn utf16(&self, units: $crate::arena::Run<u16>) -> $crate::Utf16 {
            $crate::Utf16::from_units(self[units].to_vec())
        }
    };
    (@index $name:ident) => {
        /// The elements of a list.
        ///
        /// # Panics
        ///
        /// If they are not of this arena.
        impl<T> ::core::ops::Index<$crate::arena::Run<T>> for $name
        where
            pools::Pools: $crate::arena::Pools<T>,
        {
            type Output = [T];

            #[inline]
            #[track_caller]
            fn index(&self, run: $crate::arena::Run<T>) -> &[T] {
                &$crate::arena::Pools::pool(&self.pools)[run]
            }
        }

        /// The elements of a list, to change them.
        ///
        /// # Panics
        ///
        /// If they are not of this arena.
        impl<T> ::core::ops::IndexMut<$crate::arena::Run<T>> for $name
        where
            pools::Pools: $crate::arena::Pools<T>,
        {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, run: $crate::arena::Run<T>) -> &mut [T] {
                &mut $crate::arena::Pools::pool_mut(&mut self.pools)[run]
            }
        }

        /// A text.
        ///
        /// # Panics
        ///
        /// If it is not of this arena.
        impl ::core::ops::Index<$crate::arena::Run<str>> for $name {
            type Output = str;

            #[inline]
            #[track_caller]
            fn index(&self, run: $crate::arena::Run<str>) -> &str {
                self.text(run)
            }
        }
    };
}
