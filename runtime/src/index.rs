//! Positions in arrays, as types.

use alloc::string::ToString;

use crate::ProblemKind;

/// Declares a type for positions in one array, so that a position in another cannot stand in its
/// place. An `Option` of it takes no more room than the position itself: 4 bytes.
///
/// ```
/// formwork::index! {
///     /// Position in the list of events.
///     pub struct EventIndex;
/// }
///
/// let event = EventIndex::at(3);
/// assert_eq!(event.get(), 3);
/// assert_eq!(EventIndex::from(3_u16), event);
/// assert!(EventIndex::try_new(u32::MAX).is_err());
/// assert_eq!(event.to_string(), "3");
/// assert_eq!(EventIndex::try_from(3_usize), Ok(event));
/// assert_eq!(format!("{event:?}"), "3");
/// assert_eq!(size_of::<Option<EventIndex>>(), 4);
/// ```
#[macro_export]
macro_rules! index {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident;) => {
        $(#[$attribute])*
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
            ::core::hash::Hash,
        )]
        // The complement of the position, which is not 0 unless the position is the greatest number.
        $visibility struct $name(::core::num::NonZeroU32);

        impl $name {
            /// The element at this position, counted from 0. `From` takes numbers of up to 16 bits,
            /// of which each is a position.
            ///
            /// Whether the array has so many elements is seen when the value is written.
            ///
            /// # Panics
            ///
            /// If the position is 0xffffffff, which no array has; `try_new` returns that as an error.
            #[must_use]
            #[track_caller]
            pub const fn at(position: u32) -> $name {
                match $name::try_new(position) {
                    $crate::__rt::Ok(index) => index,
                    $crate::__rt::Err(_) => panic!("no array has an element at 0xffffffff"),
                }
            }

            /// The same.
            ///
            /// # Errors
            ///
            /// If the position is 0xffffffff.
            pub const fn try_new(
                position: u32,
            ) -> $crate::__rt::Result<$name, $crate::IndexError> {
                match ::core::num::NonZeroU32::new(!position) {
                    $crate::__rt::Some(complement) => $crate::__rt::Ok($name(complement)),
                    $crate::__rt::None => $crate::__rt::Err($crate::IndexError),
                }
            }

            #[doc(hidden)]
            #[must_use]
            pub const fn new_const(position: u32) -> $name {
                match $name::try_new(position) {
                    $crate::__rt::Ok(index) => index,
                    $crate::__rt::Err(_) => $name(::core::num::NonZeroU32::MIN),
                }
            }

            /// The position, counted from 0.
            #[must_use]
            pub const fn get(self) -> usize {
                self.number() as usize
            }

            /// The position as a number of 32 bits.
            #[must_use]
            pub const fn number(self) -> u32 {
                !self.0.get()
            }
        }

        /// The first element.
        impl ::core::default::Default for $name {
            fn default() -> $name {
                $name(::core::num::NonZeroU32::MAX)
            }
        }

        impl ::core::cmp::PartialOrd for $name {
            fn partial_cmp(&self, other: &$name) -> $crate::__rt::Option<::core::cmp::Ordering> {
                $crate::__rt::Some(::core::cmp::Ord::cmp(self, other))
            }
        }

        impl ::core::cmp::Ord for $name {
            fn cmp(&self, other: &$name) -> ::core::cmp::Ordering {
                ::core::cmp::Ord::cmp(&self.number(), &other.number())
            }
        }

        impl ::core::convert::TryFrom<usize> for $name {
            type Error = $crate::IndexError;

            fn try_from(position: usize) -> $crate::__rt::Result<$name, $crate::IndexError> {
                let position = $crate::__rt::index_number(position).ok_or($crate::IndexError)?;
                $name::try_new(position)
            }
        }

        impl ::core::convert::From<u8> for $name {
            fn from(position: u8) -> $name {
                $name::new_const(position as u32)
            }
        }

        impl ::core::convert::From<u16> for $name {
            fn from(position: u16) -> $name {
                $name::new_const(position as u32)
            }
        }

        impl ::core::convert::TryFrom<u32> for $name {
            type Error = $crate::IndexError;

            fn try_from(position: u32) -> ::core::result::Result<$name, $crate::IndexError> {
                $name::try_new(position)
            }
        }

        impl ::core::convert::From<$name> for usize {
            fn from(index: $name) -> usize {
                index.get()
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.number(), f)
            }
        }

        /// The position.
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.number(), f)
            }
        }

        impl $crate::__rt::Number for $name {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It fits.
            fn put(&mut self, number: i128) {
                *self = $name::new_const(number as u32);
            }
        }

        impl $crate::__rt::Places for $name {
            fn place(
                &mut self,
                way: &[$crate::__rt::Step],
                spelling: bool,
            ) -> $crate::__rt::Option<$crate::__rt::Place<'_>> {
                $crate::__rt::number(self, way, spelling)
            }
        }

        impl $crate::__rt::Same for $name {
            fn same(&self, other: &$name, _: bool) -> bool {
                self == other
            }

            fn digest(&self, mut state: &mut dyn ::core::hash::Hasher) {
                ::core::hash::Hash::hash(self, &mut state);
            }
        }

        impl $crate::__rt::ToKept for $name {
            fn to_kept(&self) -> $crate::spelling::KeptValue {
                $crate::spelling::KeptValue::Int(self.number().into())
            }
        }

        impl $crate::inspect::Inspect for $name {
            fn inspect(&self, to: &mut dyn $crate::inspect::Inspector) {
                to.int(self.number().into());
            }
        }

        $crate::__number! {
            [$name] index => index.number(),
            number => $name::try_new(number as u32).unwrap_or_default()
        }
    };
}

/// A position too large for an index: 0xffffffff or more, or what has more than 16 bits where a file
/// has 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexError;

impl core::fmt::Display for IndexError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the position is too large for an index")
    }
}

impl core::error::Error for IndexError {}

/// Declares a type for positions that files store in 16 bits, which takes no more itself: what
/// stands in an arena for the type of positions named behind `for`.
#[doc(hidden)]
#[macro_export]
macro_rules! __short_index {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident for $long:path;) => {
        $(#[$attribute])*
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::default::Default,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
            ::core::cmp::PartialOrd,
            ::core::cmp::Ord,
            ::core::hash::Hash,
        )]
        $visibility struct $name(u16);

        impl $name {
            /// The element at this position, counted from 0.
            ///
            /// # Panics
            ///
            /// If the position is above 0xffff; `try_new` returns that as an error.
            #[must_use]
            #[track_caller]
            pub const fn at(position: u32) -> $name {
                match $name::try_new(position) {
                    $crate::__rt::Ok(index) => index,
                    $crate::__rt::Err(_) => panic!("the position has more than 16 bits"),
                }
            }

            /// The same.
            ///
            /// # Errors
            ///
            /// If the position is above 0xffff.
            pub const fn try_new(
                position: u32,
            ) -> $crate::__rt::Result<$name, $crate::IndexError> {
                if position <= 0xffff {
                    $crate::__rt::Ok($name(position as u16))
                } else {
                    $crate::__rt::Err($crate::IndexError)
                }
            }

            #[doc(hidden)]
            #[must_use]
            pub const fn new_const(position: u32) -> $name {
                match $name::try_new(position) {
                    $crate::__rt::Ok(index) => index,
                    $crate::__rt::Err(_) => $name(0),
                }
            }

            /// The position, counted from 0.
            #[must_use]
            pub const fn get(self) -> usize {
                self.0 as usize
            }

            /// The position as a number of 32 bits.
            #[must_use]
            pub const fn number(self) -> u32 {
                self.0 as u32
            }
        }

        impl ::core::convert::TryFrom<usize> for $name {
            type Error = $crate::IndexError;

            fn try_from(position: usize) -> $crate::__rt::Result<$name, $crate::IndexError> {
                let position = $crate::__rt::index_number(position).ok_or($crate::IndexError)?;
                $name::try_new(position)
            }
        }

        impl ::core::convert::TryFrom<u32> for $name {
            type Error = $crate::IndexError;

            fn try_from(position: u32) -> $crate::__rt::Result<$name, $crate::IndexError> {
                $name::try_new(position)
            }
        }

        impl ::core::convert::TryFrom<$long> for $name {
            type Error = $crate::IndexError;

            fn try_from(position: $long) -> $crate::__rt::Result<$name, $crate::IndexError> {
                $name::try_new(position.number())
            }
        }

        impl ::core::convert::From<$name> for $long {
            fn from(position: $name) -> $long {
                <$long>::from(position.0)
            }
        }

        impl ::core::convert::From<u8> for $name {
            fn from(position: u8) -> $name {
                $name(position as u16)
            }
        }

        impl ::core::convert::From<u16> for $name {
            fn from(position: u16) -> $name {
                $name(position)
            }
        }

        impl ::core::convert::From<$name> for usize {
            fn from(index: $name) -> usize {
                index.get()
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.number(), f)
            }
        }

        /// The position.
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.number(), f)
            }
        }

        impl<A> $crate::arena::Pack<A> for $long {
            type Packed = $name;

            #[inline]
            fn pack(
                &self,
                _: &mut A,
                _: $crate::arena::Nesting,
            ) -> $crate::__rt::Result<$name, $crate::ProblemKind> {
                $name::try_new(self.number()).map_err(|_| $crate::__rt::no_short_index(self.number()))
            }

            #[inline]
            fn unpack(
                packed: &$name,
                _: &A,
                _: $crate::arena::Nesting,
            ) -> $crate::__rt::Result<$long, $crate::ProblemKind> {
                $crate::__rt::Ok(<$long>::new_const(packed.number()))
            }
        }
    };
}

/// A position that has no 16 bits.
#[cold]
#[must_use]
pub fn no_short_index(position: u32) -> ProblemKind {
    ProblemKind::DoesNotFit { value: position.to_string().into(), ty: "u16".into() }
}
