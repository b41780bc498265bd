//! Generated code of one schema, for functions that are generic over schemas.

use std::fmt::Debug;

use arbitrary::Arbitrary;
use formwork::inspect::Inspect;
use formwork::{ReadError, ReadOptions, WriteError};

use crate::arena::Arenas;

/// Who wants to see a value.
pub type Show<'a> = &'a mut dyn FnMut(&dyn Inspect);

/// Reader and writer of a generated root type. Types cannot be named without their lifetime, so
/// this stands for them; [`codec!`](crate::codec) makes it.
pub trait Codec: Sized {
    /// The value of a file.
    type File<'a>: Arbitrary<'a> + Inspect + Eq + Clone + Debug;

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// As `read_with` of the type.
    fn read<'a>(bytes: &'a [u8], options: &ReadOptions) -> Result<Self::File<'a>, ReadError>;

    /// Writes a file.
    ///
    /// # Errors
    ///
    /// As `write` of the type.
    fn write(file: &Self::File<'_>) -> Result<Vec<u8>, WriteError>;

    /// Whether both have the same spelling, too.
    fn same_spelling<'a>(file: &Self::File<'a>, other: &Self::File<'a>) -> bool;

    /// How files come into arenas, if there is a type for that.
    #[must_use]
    fn arenas() -> Option<Arenas<Self>> {
        None
    }
}

/// Declares a unit struct that is the [`Codec`] of a generated root type, which must have been
/// generated with `arbitrary`.
///
/// ```ignore
/// formwork_properties::codec!(Level: level::File<'a>);
/// ```
///
/// The lifetime is left out if the type has none. If the type was generated with `arena`, the name
/// of the type for arenas, which stands beside it in the module `arena`, may follow:
///
/// ```ignore
/// formwork_properties::codec!(Level: level::File<'a>, arena level::arena::FileArena);
/// ```
#[macro_export]
macro_rules! codec {
    ($name:ident: $($root:ident)::+ $(<$a:lifetime>)? $(, arena $arena:path)?) => {
        #[derive(Debug, Clone, Copy)]
        struct $name;

        impl $crate::Codec for $name {
            type File<'a> = $($root)::+ $(<$a>)?;

            fn read<'a>(
                bytes: &'a [u8],
                options: &$crate::formwork::ReadOptions,
            ) -> ::core::result::Result<Self::File<'a>, $crate::formwork::ReadError> {
                $($root)::+::read_with(bytes, options)
            }

            fn write(
                file: &Self::File<'_>,
            ) -> ::core::result::Result<::std::vec::Vec<u8>, $crate::formwork::WriteError> {
                file.write()
            }

            fn same_spelling<'a>(file: &Self::File<'a>, other: &Self::File<'a>) -> bool {
                file.same_spelling(other)
            }

            $(
                fn arenas() -> ::core::option::Option<$crate::Arenas<Self>> {
                    ::core::option::Option::Some($crate::Arenas {
                        read: |bytes, options| {
                            let arena = <$arena>::read_with(bytes, options)?;
                            ::core::result::Result::Ok(::std::boxed::Box::new(arena))
                        },
                        from_value: |value| {
                            let arena = <$arena>::from_value(value)?;
                            ::core::result::Result::Ok(::std::boxed::Box::new(arena))
                        },
                    })
                }
            )?
        }

        $(
            impl $crate::Arena<$name> for $arena {
                fn write(
                    &self,
                ) -> ::core::result::Result<::std::vec::Vec<u8>, $crate::formwork::WriteError>
                {
                    <$arena>::write(self)
                }

                fn is(
                    &self,
                    file: &<$name as $crate::Codec>::File<'_>,
                    show: $crate::Show<'_>,
                ) -> ::core::result::Result<bool, $crate::formwork::WriteError> {
                    let value = self.to_value()?;
                    let same = value == *file && value.same_spelling(file);
                    if !same {
                        show(file);
                        show(&value);
                    }
                    ::core::result::Result::Ok(same)
                }
            }
        )?
    };
}
