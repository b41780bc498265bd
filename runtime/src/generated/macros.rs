//! What all generated types implement in the same way.

/// Equality and conversion of a struct: `Name<'a> { fields that borrow } { others }`, or
/// `Name { fields }`; and `new` with the fields that have no default.
#[doc(hidden)]
#[macro_export]
macro_rules! __struct {
    ($name:ident<$a:lifetime> { $($borrowed:ident)* } { $($plain:ident)* } $(new $($new:tt)*)?) => {
        $crate::__borrowed!($name);
        $($crate::__new! { [<$a>] [$name<$a>] $($new)* })?

        impl $crate::__rt::Own for $name<'_> {
            type Owned = $name<'static>;

            fn own(self) -> $name<'static> {
                $name {
                    $($borrowed: $crate::__rt::Own::own(self.$borrowed),)*
                    $($plain: self.$plain,)*
                }
            }
        }

        $crate::__same! { [$name<'_>] $($borrowed)* $($plain)* }
    };
    ($name:ident { $($plain:ident)* } $(new $($new:tt)*)?) => {
        $crate::__plain!($name);
        $($crate::__new! { [] [$name] $($new)* })?
        $crate::__same! { [$name] $($plain)* }
    };
}

/// Equality and conversion of a union: `Name<'a> { variants that borrow } { others } { units }`, or
/// `Name { variants } { units }`.
#[doc(hidden)]
#[macro_export]
macro_rules! __union {
    ($name:ident<$a:lifetime> { $($borrowed:ident)* } { $($plain:ident)* } { $($unit:ident)* }) => {
        $crate::__borrowed!($name);

        impl $crate::__rt::Own for $name<'_> {
            type Owned = $name<'static>;

            fn own(self) -> $name<'static> {
                match self {
                    $($name::$borrowed(value) => $name::$borrowed($crate::__rt::Own::own(value)),)*
                    $($name::$plain(value) => $name::$plain(value),)*
                    $($name::$unit => $name::$unit,)*
                }
            }
        }

        $crate::__same_case! { [$name<'_>] $name { $($borrowed)* $($plain)* } { $($unit)* } }
    };
    ($name:ident { $($plain:ident)* } { $($unit:ident)* }) => {
        $crate::__plain!($name);
        $crate::__same_case! { [$name] $name { $($plain)* } { $($unit)* } }
    };
}

/// The values of cases: `[<'a>] [Name<'a>] Variant [Type] as_x as_x_mut, ...`, then `from` if the value
/// becomes the union, and in an arena `CANONICAL` if the variant has a second element.
#[doc(hidden)]
#[macro_export]
macro_rules! __values {
    ($generics:tt [$name:ty] $(
        $case:ident [$ty:ty] $as:ident $as_mut:ident $($from:ident $($spelling:ident)?)?,
    )*) => {
        $crate::__values! { @as $generics [$name] $($case [$ty] $as $as_mut,)* }
        $($($crate::__values! { @$from $generics [$name] $case [$ty] $($spelling)? })?)*
    };
    (@as [$($generics:tt)*] [$name:ty] $($case:ident [$ty:ty] $as:ident $as_mut:ident,)*) => {
        // Of a union with one case, it is never another.
        #[allow(unreachable_patterns)]
        impl $($generics)* $name {$(
            #[doc = concat!("What is in the case `", stringify!($case), "`, if it is that.")]
            #[must_use]
            pub fn $as(&self) -> $crate::__rt::Option<&$ty> {
                match self {
                    Self::$case(value, ..) => $crate::__rt::Some(value),
                    _ => $crate::__rt::None,
                }
            }

            #[doc = concat!("What is in the case `", stringify!($case), "`, to change it.")]
            pub fn $as_mut(&mut self) -> $crate::__rt::Option<&mut $ty> {
                match self {
                    Self::$case(value, ..) => $crate::__rt::Some(value),
                    _ => $crate::__rt::None,
                }
            }
        )*}
    };
    (@from [$($generics:tt)*] [$name:ty] $case:ident [$ty:ty] $($spelling:ident)?) => {
        impl $($generics)* $crate::__rt::From<$ty> for $name {
            fn from(value: $ty) -> Self {
                Self::$case(value $(, $crate::arena::SpellingId::$spelling)?)
            }
        }
    };
}

/// A struct of its fields that have no default: `[<'a>] [Name<'a>] field: [type] ...`, with `#into` before
/// the type if whatever becomes it is taken.
#[doc(hidden)]
#[macro_export]
macro_rules! __new {
    ([$($generics:tt)*] [$name:ty] $($field:ident: $(#$into:ident)? [$ty:ty])*) => {
        impl $($generics)* $name {
            /// With what has no default; the rest is as by default.
            #[must_use]
            #[allow(clippy::needless_update)]
            pub fn new($($field: $crate::__new!(@$($into)? [$ty])),*) -> Self {
                Self { $($field: $field $(.$into())?,)* ..$crate::__rt::Default::default() }
            }
        }
    };
    (@into [$ty:ty]) => { impl ::core::convert::Into<$ty> };
    (@[$ty:ty]) => { $ty };
}

/// Conversion of the only field into a struct: `[<'a>] [Name<'a>] field: type { others }` and
/// `spelling` if it has that, too. The others are types that become that of the field.
#[doc(hidden)]
#[macro_export]
macro_rules! __from_field {
    (
        [$($generics:tt)*] [$name:ty] $field:ident: [$ty:ty] $({ $other:ty })* $($spelling:ident)?
    ) => {
        impl $($generics)* $crate::__rt::From<$ty> for $name {
            fn from($field: $ty) -> Self {
                Self { $field, $($spelling: $crate::__rt::Default::default())? }
            }
        }
        $crate::__from_others! { [$($generics)*] [$name] [$ty] $({ $other })* }
    };
}

/// Conversion into a struct of what becomes its only field.
#[doc(hidden)]
#[macro_export]
macro_rules! __from_others {
    ($generics:tt $name:tt $ty:tt) => {};
    ([$($generics:tt)*] [$name:ty] [$ty:ty] { $other:ty } $($rest:tt)*) => {
        impl $($generics)* $crate::__rt::From<$other> for $name {
            fn from(value: $other) -> Self {
                Self::from(<$ty>::from(value))
            }
        }
        $crate::__from_others! { [$($generics)*] [$name] [$ty] $($rest)* }
    };
}

/// Methods of a type that borrows, and equality.
#[doc(hidden)]
#[macro_export]
macro_rules! __borrowed {
    ($name:ident) => {
        impl $name<'_> {
            /// The same value, borrowing nothing.
            #[must_use]
            pub fn into_owned(self) -> $name<'static> {
                $crate::__rt::Own::own(self)
            }
        }

        $crate::__equal!([$name<'_>]);
    };
}

/// Equality of a type that borrows nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __plain {
    ($name:ident) => {
        $crate::__equal!([$name]);
    };
}

/// Equality and hashes, by way of `Same`.
#[doc(hidden)]
#[macro_export]
macro_rules! __equal {
    ([$($name:tt)*]) => {
        impl $($name)* {
            /// Whether both are equal and were spelled in the same way.
            #[must_use]
            pub fn same_spelling(&self, other: &Self) -> bool {
                $crate::__rt::Same::same(self, other, true)
            }
        }

        impl ::core::cmp::PartialEq for $($name)* {
            fn eq(&self, other: &Self) -> bool {
                $crate::__rt::Same::same(self, other, false)
            }
        }

        impl ::core::cmp::Eq for $($name)* {}

        /// As `==`, of meaning: floats by their bits, and no spelling.
        impl ::core::hash::Hash for $($name)* {
            fn hash<H: ::core::hash::Hasher>(&self, state: &mut H) {
                $crate::__rt::Same::digest(self, state);
            }
        }
    };
}

/// `Same` of a struct.
#[doc(hidden)]
#[macro_export]
macro_rules! __same {
    ([$($name:tt)*] $($field:ident)*) => {
        impl $crate::__rt::Same for $($name)* {
            fn same(&self, other: &Self, spelling: bool) -> bool {
                // A struct may have no fields.
                let _ = (other, spelling);
                true $(&& $crate::__rt::Same::same(&self.$field, &other.$field, spelling))*
            }

            fn digest(&self, state: &mut dyn ::core::hash::Hasher) {
                let _ = &state;
                $($crate::__rt::Same::digest(&self.$field, state);)*
            }
        }
    };
}

/// `Same` of a union.
#[doc(hidden)]
#[macro_export]
macro_rules! __same_case {
    ([$($ty:tt)*] $name:ident { $($variant:ident)* } { $($unit:ident)* }) => {
        impl $crate::__rt::Same for $($ty)* {
            // Of a union with one case, two values never have different ones.
            #[allow(unreachable_patterns)]
            fn same(&self, other: &Self, spelling: bool) -> bool {
                let _ = spelling;
                match (self, other) {
                    $(($name::$variant(a), $name::$variant(b)) => {
                        $crate::__rt::Same::same(a, b, spelling)
                    })*
                    $(($name::$unit, $name::$unit) => true,)*
                    _ => false,
                }
            }

            fn digest(&self, mut state: &mut dyn ::core::hash::Hasher) {
                ::core::hash::Hash::hash(&::core::mem::discriminant(self), &mut state);
                match self {
                    $($name::$variant(value) => $crate::__rt::Same::digest(value, state),)*
                    $($name::$unit => {})*
                }
            }
        }
    };
}

/// Functions and traits of an enumeration: its name and the type of its numbers, `closed` or `open`,
/// then its members with their numbers and their names in the schema.
#[doc(hidden)]
#[macro_export]
macro_rules! __enum {
    ($name:ident $prim:ident closed { $($member:ident $number:literal $text:literal,)* }) => {
        impl $name {
            /// The number as stored.
            #[must_use]
            pub const fn number(self) -> $prim {
                match self { $(Self::$member => $number,)* }
            }

            /// The member with this number, if there is one.
            #[must_use]
            #[allow(unreachable_patterns)] // Of members with one number, it is the first.
            pub const fn from_number(number: $prim) -> $crate::__rt::Option<Self> {
                match number {
                    $($number => $crate::__rt::Some(Self::$member),)*
                    _ => $crate::__rt::None,
                }
            }

            /// Name in the schema.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$member => $text,)* }
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad((*self).name())
            }
        }

        /// By the name in the schema.
        impl ::core::str::FromStr for $name {
            type Err = $crate::MemberError;

            fn from_str(text: &str) -> $crate::__rt::Result<Self, $crate::MemberError> {
                match text {
                    $($text => $crate::__rt::Ok(Self::$member),)*
                    _ => $crate::__rt::Err($crate::MemberError::new(stringify!($name), text)),
                }
            }
        }

        /// By the number as stored.
        impl ::core::convert::TryFrom<$prim> for $name {
            type Error = $crate::MemberError;

            fn try_from(number: $prim) -> $crate::__rt::Result<Self, $crate::MemberError> {
                let none = || $crate::MemberError::new(stringify!($name), number);
                Self::from_number(number).ok_or_else(none)
            }
        }

        $crate::__enum!(@traits $name $prim, |member: &$name| $crate::__rt::Some((*member).name()));
        $crate::__number! {
            [$name] member => member.number(),
            number => $name::from_number(number as _).unwrap_or_default()
        }
    };
    ($name:ident $prim:ident open { $($member:ident $number:literal $text:literal,)* }) => {
        impl $name {
            /// The number as stored.
            #[must_use]
            pub const fn number(self) -> $prim {
                self.0
            }

            /// Name in the schema, if it has one for the number.
            #[must_use]
            #[allow(unreachable_patterns)] // Of names of one number, it is the first.
            pub const fn name(self) -> $crate::__rt::Option<&'static str> {
                match self.0 {
                    $($number => $crate::__rt::Some($text),)*
                    _ => $crate::__rt::None,
                }
            }
        }

        /// The name in the schema, or the number where there is none.
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match (*self).name() {
                    $crate::__rt::Some(name) => f.pad(name),
                    $crate::__rt::None => ::core::fmt::Display::fmt(&self.0, f),
                }
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(self, f)
            }
        }

        /// By the name in the schema, or the number.
        impl ::core::str::FromStr for $name {
            type Err = $crate::MemberError;

            fn from_str(text: &str) -> $crate::__rt::Result<Self, $crate::MemberError> {
                match text {
                    $($text => $crate::__rt::Ok(Self::$member),)*
                    _ => match text.parse() {
                        $crate::__rt::Ok(number) => $crate::__rt::Ok(Self(number)),
                        $crate::__rt::Err(_) => {
                            $crate::__rt::Err($crate::MemberError::new(stringify!($name), text))
                        }
                    },
                }
            }
        }

        /// By the number as stored.
        impl $crate::__rt::From<$prim> for $name {
            fn from(number: $prim) -> Self {
                Self(number)
            }
        }

        $crate::__enum!(@traits $name $prim, |member: &$name| (*member).name());
        $crate::__number! { [$name] member => member.number(), number => $name(number as _) }
    };
    (@traits $name:ident $prim:ident, $shown:expr) => {
        impl $crate::__rt::From<$name> for $prim {
            fn from(member: $name) -> $prim {
                member.number()
            }
        }

        impl $crate::__rt::Same for $name {
            fn same(&self, other: &Self, _: bool) -> bool {
                self == other
            }

            fn digest(&self, mut state: &mut dyn ::core::hash::Hasher) {
                ::core::hash::Hash::hash(self, &mut state);
            }
        }

        impl $crate::__rt::ToKept for $name {
            fn to_kept(&self) -> $crate::spelling::KeptValue {
                $crate::spelling::KeptValue::Int(i128::from((*self).number()))
            }
        }

        impl $crate::inspect::Inspect for $name {
            fn inspect(&self, to: &mut dyn $crate::inspect::Inspector) {
                let name = $shown;
                to.member(i128::from((*self).number()), name(self));
            }
        }
    };
}

/// Equality of a word: of the bits of its fields, and of all if spelling counts; and both ways between
/// it, its number, and the engine.
#[doc(hidden)]
#[macro_export]
macro_rules! __word {
    ($name:ident $prim:ident $record:literal, $data:expr) => {
        $crate::__plain!($name);

        /// Of all bits.
        impl $crate::__rt::From<$prim> for $name {
            fn from(bits: $prim) -> Self {
                Self(bits)
            }
        }

        impl $crate::__rt::From<$name> for $prim {
            fn from(word: $name) -> $prim {
                word.0
            }
        }

        impl $crate::__rt::Same for $name {
            fn same(&self, other: &Self, spelling: bool) -> bool {
                self.0 == other.0 || (!spelling && (self.0 ^ other.0) & $data == 0)
            }

            fn digest(&self, mut state: &mut dyn ::core::hash::Hasher) {
                ::core::hash::Hash::hash(&(self.0 & $data), &mut state);
            }
        }

        impl $crate::__rt::Source for $name {
            fn given(&self) -> $crate::__rt::Given<'_> {
                $crate::__rt::Given::Word(u64::from(self.0))
            }

            fn numbers<'n>(
                all: impl Iterator<Item = &'n Self>,
                to: &mut [u64],
            ) -> $crate::__rt::Option<$crate::__rt::Numbering> {
                $crate::__rt::bits_of(all, to, |word| u64::from(word.0));
                $crate::__rt::Some($crate::__rt::Numbering::Word)
            }
        }

        impl<'v> $crate::__rt::Made<'v> for $name {
            const RECORDS: &'static [u32] = &[$record];

            #[allow(clippy::cast_possible_truncation)] // It fits.
            fn made(seen: $crate::__rt::Seen<'_, 'v>) -> Self {
                $name(seen.word() as _)
            }
        }
    };
}

/// Both ways between a struct and the engine: `[Name<'v>]`, then for each record that it stands for
/// its number and in braces the rows with their fields, those that usually follow from others,
/// `spelling` if the struct has that, and `Default` if some field is none of them; then once more
/// what has spelling: such fields, with the numbers that their rows have there. Those of one record that
/// have nothing but numbers begin with `numbers`.
#[doc(hidden)]
#[macro_export]
macro_rules! __fields {
    (numbers [$($name:tt)*] $record:literal { $($row:literal $field:ident,)* } $($rest:tt)*) => {
        $crate::__fields! {
            @all [$($name)*] [
                fn numbers_in(
                    all: &[Self],
                    row: $crate::__rt::Asked<'_>,
                    to: &mut [u64],
                ) -> $crate::__rt::Option<$crate::__rt::Numbering> {
                    match (row.record.0, row.row.0) {
                        $(($record, $row) => $crate::__rt::numbers_of(all, |one| &one.$field, to),)*
                        _ => $crate::__rt::None,
                    }
                }
            ]
            $record { $($row $field,)* } $($rest)*
        }
    };
    ([$($name:tt)*] $($rest:tt)*) => { $crate::__fields! { @all [$($name)*] [] $($rest)* } };
    (
        @all [$($name:tt)*] [$($numbers:tt)*]
        $($record:literal {
            $($row:literal $field:ident,)*
        } {
            $($kept_row:literal $kept:ident,)*
        } { $($spelling:ident)? } { $($default:ident)? })*
        [$($number:literal $visited:ident,)* $(.. $own:ident)?]
    ) => {
        impl<'v> $crate::__rt::Fields for $($name)* {
            #[allow(unused_variables)]
            fn field(&self, asked: $crate::__rt::Asked<'_>) -> $crate::__rt::Given<'_> {
                match (asked.record.0, asked.row.0) {
                    $($(($record, $row) => $crate::__rt::Source::given(&self.$field),)*)*
                    _ => $crate::__rt::Given::Missing,
                }
            }

            #[allow(unused_variables)]
            fn spelling(
                &self,
                of: $crate::__rt::Spelled<'_>,
                visit: &mut dyn FnMut(&$crate::spelling::SpellingEntry),
            ) {
                $($crate::__rt::visit_kept(&self.$visited, $number, visit);)*
                $(self.$own.entries().iter().for_each(visit);)?
            }
        }

        impl<'v> $crate::__rt::Source for $($name)* {
            fn given(&self) -> $crate::__rt::Given<'_> {
                $crate::__rt::Given::Struct(self)
            }

            $($numbers)*
        }

        impl<'v> $crate::__rt::Made<'v> for $($name)* {
            const RECORDS: &'static [u32] = &[$($record),*];

            fn made(seen: $crate::__rt::Seen<'_, 'v>) -> Self {
                match seen.record() {
                    $($record => {
                        #[allow(dead_code)]
                        const KEPT: &[u32] = &[$($kept_row),*];
                        Self {
                            $($field: seen.row($row),)*
                            $($kept: seen.kept($kept_row),)*
                            $($spelling: seen.spelling(KEPT),)?
                            $(..$crate::__rt::$default::default())?
                        }
                    })*
                    _ => $crate::__rt::Default::default(),
                }
            }
        }
    };
}

/// Both ways between a union and the engine: `[Name<'v>] { number Variant, ... } { number Unit, ... }`.
#[doc(hidden)]
#[macro_export]
macro_rules! __cases {
    (
        [$($ty:tt)*]
        { $($number:literal $case:ident,)* } { $($empty:literal $unit:ident,)* }
    ) => {
        impl<'v> $crate::__rt::Source for $($ty)* {
            fn given(&self) -> $crate::__rt::Given<'_> {
                match self {
                    $(Self::$case(value) => $crate::__rt::Given::NumberedCase($number, value),)*
                    $(Self::$unit => $crate::__rt::Given::BareCase($empty),)*
                }
            }
        }

        impl<'v> $crate::__rt::Made<'v> for $($ty)* {
            fn made(seen: $crate::__rt::Seen<'_, 'v>) -> Self {
                match seen.case() {
                    $($number => Self::$case($crate::__rt::Made::of(seen)),)*
                    $($empty => Self::$unit,)*
                    _ => $crate::__rt::Default::default(),
                }
            }
        }
    };
}

/// The way to numbers in a struct that refer to elements: `[Name<'_>]`, the fields that have some, by
/// record and row, and `spelling` with the records if the struct has that.
#[doc(hidden)]
#[macro_export]
macro_rules! __places {
    (
        [$($name:tt)*]
        { $($record:literal $row:literal $field:ident,)* }
        { $($spelling:ident $($spelled:literal)*)? }
    ) => {
        impl $crate::__rt::Places for $($name)* {
            #[allow(unused_variables)]
            fn place(
                &mut self,
                way: &[$crate::__rt::Step],
                spelling: bool,
            ) -> $crate::__rt::Option<$crate::__rt::Place<'_>> {
                let (step, rest) = way.split_first()?;
                let $crate::__rt::Step::Row { record, row, only } = *step else {
                    return $crate::__rt::None;
                };
                match (record.0, row.0) {
                    $($(($spelled, _) if spelling && rest.is_empty() => {
                        $crate::__rt::Some($crate::__rt::Place::Spelling(&mut self.$spelling))
                    })*)?
                    $(($record, $row) => {
                        $crate::__rt::Places::place(&mut self.$field, rest, spelling)
                    })*
                    _ if only => self.place(rest, spelling),
                    _ => $crate::__rt::None,
                }
            }
        }
    };
}

/// The same of a union: `[Name<'_>] Variant...`, the cases that have some.
#[doc(hidden)]
#[macro_export]
macro_rules! __place_cases {
    ([$($name:tt)*] $($case:ident)*) => {
        impl $crate::__rt::Places for $($name)* {
            #[allow(unreachable_patterns)] // All cases may have some.
            fn place(
                &mut self,
                way: &[$crate::__rt::Step],
                spelling: bool,
            ) -> $crate::__rt::Option<$crate::__rt::Place<'_>> {
                match self {
                    $(Self::$case(value) => $crate::__rt::Places::place(value, way, spelling),)*
                    _ => $crate::__rt::None,
                }
            }
        }
    };
}

/// Edits of an array that something refers to: `[<'a>] [Name<'a>] File record [way] { positions on
/// the way } [Element<'a>] Index`, the list by the value and these positions, to change it and to look
/// at it, and names.
#[doc(hidden)]
#[macro_export]
macro_rules! __edits {
    (
        [$($generics:tt)*] [$name:ty] $file:ident $record:literal [$($way:expr),*]
        { $($on_way:ident: $on_way_ty:ty,)* } [$element:ty] $index:ident
        |$of:ident, $at:ident| { $list_mut:expr } { $list:expr }
        $array:literal $one:ident $one_mut:ident $insert:ident $push:ident $remove:ident
        $replace:ident $move:ident $map:ident
    ) => {
        const _: () = {
            const ARRAY: $crate::__rt::Array = $crate::__rt::Array {
                format: $file::__format,
                record: $record,
                way: &[$($way),*],
            };

            #[allow(unused_variables)]
            fn list_mut<'v, $($generics)*>(
                $of: &'v mut $name,
                $at: &[usize],
            ) -> $crate::__rt::Option<&'v mut $crate::__rt::Vec<$element>> {
                $list_mut
            }

            #[allow(unused_variables)]
            fn list<'v, $($generics)*>(
                $of: &'v $name,
                $at: &[usize],
            ) -> $crate::__rt::Option<&'v $crate::__rt::Vec<$element>> {
                $list
            }

            impl<$($generics)*> $name {
                #[doc = concat!("The element at a position in `", $array, "`, if it has so many.")]
                #[must_use]
                pub fn $one(
                    &self,
                    $($on_way: $on_way_ty,)*
                    at: $index,
                ) -> $crate::__rt::Option<&$element> {
                    list(self, &[$(usize::from($on_way)),*])?.get(usize::from(at))
                }

                #[doc = concat!("The same to change it: the element at a position in `", $array, "`.")]
                pub fn $one_mut(
                    &mut self,
                    $($on_way: $on_way_ty,)*
                    at: $index,
                ) -> $crate::__rt::Option<&mut $element> {
                    list_mut(self, &[$(usize::from($on_way)),*])?.get_mut(usize::from(at))
                }

                #[doc = concat!(
                    "Puts an element into `", $array, "`. Whatever refers to an element refers to it \
                     afterwards. References in the new one count elements as they are before."
                )]
                ///
                /// # Errors
                ///
                /// Why it cannot be; the value is as it was then.
                pub fn $insert(
                    &mut self,
                    $($on_way: $on_way_ty,)*
                    at: $index,
                    element: $element,
                ) -> $crate::__rt::Result<(), $crate::EditError> {
                    let on_way = [$(usize::from($on_way)),*];
                    ARRAY.insert(self, &on_way, list_mut, usize::from(at), element)
                }

                #[doc = concat!("Puts an element at the end of `", $array, "`, and says where it is.")]
                ///
                /// # Errors
                ///
                /// If the value has no such array, or no more room in it.
                pub fn $push(
                    &mut self,
                    $($on_way: $on_way_ty,)*
                    element: $element,
                ) -> $crate::__rt::Result<$index, $crate::EditError> {
                    let on_way = [$(usize::from($on_way)),*];
                    ARRAY.push(self, &on_way, list_mut, element).map($index::new_const)
                }

                #[doc = concat!(
                    "Takes an element out of `", $array, "`. Whatever refers to another one refers to \
                     it afterwards."
                )]
                ///
                /// # Errors
                ///
                /// If something refers to it, each with its path from this value on, or why else it
                /// cannot be; the value is as it was then.
                pub fn $remove(
                    &mut self,
                    $($on_way: $on_way_ty,)*
                    at: $index,
                ) -> $crate::__rt::Result<$element, $crate::EditError> {
                    let on_way = [$(usize::from($on_way)),*];
                    ARRAY.remove(self, &on_way, list_mut, usize::from(at), $crate::__rt::None)
                }

                #[doc = concat!(
                    "Takes an element out of `", $array, "`; what refers to it refers to another one \
                     afterwards, whose position is the one before."
                )]
                ///
                /// # Errors
                ///
                /// If something refers to what is in it, or why else it cannot be; the value is as it
                /// was then.
                pub fn $replace(
                    &mut self,
                    $($on_way: $on_way_ty,)*
                    at: $index,
                    by: $index,
                ) -> $crate::__rt::Result<$element, $crate::EditError> {
                    let on_way = [$(usize::from($on_way)),*];
                    let by = $crate::__rt::Some(usize::from(by));
                    ARRAY.remove(self, &on_way, list_mut, usize::from(at), by)
                }

                #[doc = concat!(
                    "Takes an element to another position in `", $array, "`, and those between by \
                     one. Whatever refers to one of them refers to it afterwards."
                )]
                ///
                /// # Errors
                ///
                /// Why it cannot be; the value is as it was then.
                pub fn $move(
                    &mut self,
                    $($on_way: $on_way_ty,)*
                    from: $index,
                    to: $index,
                ) -> $crate::__rt::Result<(), $crate::EditError> {
                    let on_way = [$(usize::from($on_way)),*];
                    ARRAY.shift(self, &on_way, list_mut, usize::from(from), usize::from(to))
                }

                #[doc = concat!(
                    "Puts another position into whatever refers to an element of `", $array, "`, \
                     after its elements were put into another order. `new` gives it by the one before."
                )]
                ///
                /// # Errors
                ///
                /// Why it cannot be; the value is as it was then.
                pub fn $map(
                    &mut self,
                    $($on_way: $on_way_ty,)*
                    mut new: impl FnMut($index) -> $index,
                ) -> $crate::__rt::Result<(), $crate::EditError> {
                    let on_way = [$(usize::from($on_way)),*];
                    ARRAY.map(self, &on_way, &mut |old| new($index::new_const(old)).number())
                }
            }
        };
    };
}

/// An element is taken out of an array whose elements something refers to by a field only: as
/// `__edits`.
#[doc(hidden)]
#[macro_export]
macro_rules! __key_remove {
    (
        [$($generics:tt)*] [$name:ty] $file:ident $record:literal [$($way:expr),*]
        { $($on_way:ident: $on_way_ty:ty,)* } [$element:ty]
        |$of:ident, $at:ident| { $list_mut:expr }
        $array:literal $remove:ident
    ) => {
        impl<$($generics)*> $name {
            #[doc = concat!("Takes an element out of `", $array, "`.")]
            ///
            /// # Errors
            ///
            /// If something refers to it, each with its path from this value on, or why else it cannot
            /// be; the value is as it was then.
            pub fn $remove(
                &mut self,
                $($on_way: $on_way_ty,)*
                at: usize,
            ) -> $crate::__rt::Result<$element, $crate::EditError> {
                const ARRAY: $crate::__rt::Array = $crate::__rt::Array {
                    format: $file::__format,
                    record: $record,
                    way: &[$($way),*],
                };

                #[allow(unused_variables)]
                fn list_mut<'v, $($generics)*>(
                    $of: &'v mut $name,
                    $at: &[usize],
                ) -> $crate::__rt::Option<&'v mut $crate::__rt::Vec<$element>> {
                    $list_mut
                }

                let on_way = [$(usize::from($on_way)),*];
                ARRAY.remove(self, &on_way, list_mut, at, $crate::__rt::None)
            }
        }
    };
}

/// An element gets another number in the field by which something refers to it: as `__edits`, with the
/// field and its type.
#[doc(hidden)]
#[macro_export]
macro_rules! __key_edits {
    (
        [$($generics:tt)*] [$name:ty] $file:ident $record:literal [$($way:expr),*]
        { $($on_way:ident: $on_way_ty:ty,)* } [$element:ty]
        |$of:ident, $at:ident| { $list_mut:expr }
        $array:literal $key:literal $field:ident [$key_ty:ty] $rename:ident
    ) => {
        const _: () = {
            const ARRAY: $crate::__rt::Array = $crate::__rt::Array {
                format: $file::__format,
                record: $record,
                way: &[$($way),*],
            };

            #[allow(unused_variables)]
            fn list_mut<'v, $($generics)*>(
                $of: &'v mut $name,
                $at: &[usize],
            ) -> $crate::__rt::Option<&'v mut $crate::__rt::Vec<$element>> {
                $list_mut
            }

            impl<$($generics)*> $name {
                #[doc = concat!(
                    "Gives an element of `", $array, "` another `", $key, "`. Whatever refers to it \
                     by that refers to it afterwards."
                )]
                ///
                /// # Errors
                ///
                /// Why it cannot be; the value is as it was then.
                pub fn $rename(
                    &mut self,
                    $($on_way: $on_way_ty,)*
                    at: usize,
                    new: $key_ty,
                ) -> $crate::__rt::Result<(), $crate::EditError> {
                    let on_way = [$(usize::from($on_way)),*];
                    let elements = list_mut(self, &on_way).ok_or($crate::EditError::NoArray)?;
                    let count = elements.len() as u64;
                    let outside = $crate::EditError::OutOfRange { index: at as u64, count };
                    let old = elements.get(at).ok_or(outside)?.$field;
                    ARRAY.rename(self, &on_way, $key, i128::from(old), i128::from(new))?;
                    if let $crate::__rt::Some(element) =
                        list_mut(self, &on_way).and_then(|elements| elements.get_mut(at))
                    {
                        element.$field = new;
                    }
                    $crate::__rt::Ok(())
                }
            }
        };
    };
}

/// Both ways between a number of a generated type and the engine: `[Name] value => its number,
/// number => its value`.
#[doc(hidden)]
#[macro_export]
macro_rules! __number {
    ([$($name:tt)*] $value:ident => $number:expr, $read:ident => $made:expr) => {
        impl<'v> $crate::__rt::Source for $($name)* {
            fn given(&self) -> $crate::__rt::Given<'_> {
                let $value = *self;
                $crate::__rt::Given::Int(i128::from($number))
            }
        }

        impl<'v> $crate::__rt::Made<'v> for $($name)* {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It fits.
            fn made(seen: $crate::__rt::Seen<'_, 'v>) -> Self {
                let $read = seen.int();
                $made
            }
        }
    };
}

/// Reads and writes of the type that stands for a file: `Name<'a>` or `Name`, in brackets the module
/// with fast readers and writers if there is one, and `places` if it has references in it, the name of
/// the format, extensions, and by offset what stands there, and the packed model.
#[doc(hidden)]
#[macro_export]
macro_rules! __file {
    (
        $name:ident<$a:lifetime> [$($fast:ident)?] [$($places:ident)?]
        $format:literal [$($extension:literal)*] {$($offset:literal [$($magic:literal)*])*}
        $packed:literal
    ) => {
        impl<$a> $name<$a> {
            $crate::__file! { @reads $a [$($fast)?] }
        }

        impl $name<'static> {
            $crate::__file! { @owned [$($fast)?] |value: $name<'_>| value.into_owned() }
        }

        impl $name<'_> {
            $crate::__file! { @writes [$($fast)?] $packed }
            $crate::__file! { @turns [$($places)?] }
        }

        impl $crate::Format for $name<'_> {
            $crate::__file! { @format $format [$($extension)*] {$($offset [$($magic)*])*} }
            $crate::__file! { @trait 'v $name [$name<'v>] [$name<'static>] }

            fn into_owned(self) -> $name<'static> {
                $crate::__rt::Own::own(self)
            }
        }
    };
    (
        $name:ident [$($fast:ident)?] [$($places:ident)?]
        $format:literal [$($extension:literal)*] {$($offset:literal [$($magic:literal)*])*}
        $packed:literal
    ) => {
        impl $name {
            $crate::__file! { @reads '_ [$($fast)?] }
            $crate::__file! { @owned [$($fast)?] |value: $name| value }
            $crate::__file! { @writes [$($fast)?] $packed }
            $crate::__file! { @turns [$($places)?] }
        }

        impl $crate::Format for $name {
            $crate::__file! { @format $format [$($extension)*] {$($offset [$($magic)*])*} }
            $crate::__file! { @trait 'v $name [$name] [$name] }

            fn into_owned(self) -> $name {
                self
            }
        }
    };
    (@format $format:literal [$($extension:literal)*] {$($offset:literal [$($magic:literal)*])*}) => {
        const NAME: &'static str = $format;
        const EXTENSIONS: &'static [&'static str] = &[$($extension),*];
        const MAGIC: &'static [$crate::Magic] =
            &[$($crate::Magic { offset: $offset, allowed: &[$($magic),*] }),*];
    };
    // What the trait has in common with the functions of the type: `'v`, the type, and the type as it
    // borrows for `'v` and forever.
    (@trait $v:lifetime $name:ident [$of:ty] [$owned:ty]) => {
        type Of<$v> = $of;

        fn read_with<$v>(
            bytes: &$v [u8],
            options: &$crate::ReadOptions,
        ) -> $crate::__rt::Result<$of, $crate::ReadError> {
            <$of>::read_with(bytes, options)
        }

        fn read_noting<$v>(
            bytes: &$v [u8],
            options: &$crate::ReadOptions,
            notes: &mut $crate::Notes,
        ) -> $crate::__rt::Result<$of, $crate::ReadError> {
            <$of>::read_noting(bytes, options, notes)
        }

        fn read_owned_with(
            bytes: &[u8],
            options: &$crate::ReadOptions,
        ) -> $crate::__rt::Result<$owned, $crate::ReadError> {
            <$owned>::read_owned_with(bytes, options)
        }

        fn write_into(
            &self,
            out: &mut $crate::__rt::Vec<u8>,
        ) -> $crate::__rt::Result<(), $crate::WriteError> {
            $name::write_into(self, out)
        }

        fn validate(&self) -> $crate::__rt::Result<(), $crate::WriteError> {
            $name::validate(self)
        }
    };
    (@turns []) => {};
    (@turns [places]) => {
        /// Turns the lowest bit of every reference round.
        #[doc(hidden)]
        pub fn __turn(&mut self) -> $crate::__rt::Result<(), $crate::EditError> {
            $crate::__rt::turn(Self::__format(), self)
        }
    };
    (@reads $a:lifetime [$($fast:ident)?]) => {
        /// Reads a file.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read(bytes: &$a [u8]) -> ::core::result::Result<Self, $crate::ReadError> {
            Self::read_with(bytes, &$crate::__rt::Default::default())
        }

        /// Reads a file with these limits, as strictly as they say.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read_with(
            bytes: &$a [u8],
            options: &$crate::ReadOptions,
        ) -> ::core::result::Result<Self, $crate::ReadError> {
            $(if let $crate::__rt::Ok(value) = $fast::file::<$crate::__rt::s::Borrow>(bytes, options) {
                return $crate::__rt::Ok(value);
            })?
            $crate::__rt::read(Self::__format(), bytes, options, $crate::__rt::None)
        }

        /// Reads a file, and notes what is worth knowing of it and no error, such as pointers of
        /// which the relocation table does not know.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read_noting(
            bytes: &$a [u8],
            options: &$crate::ReadOptions,
            notes: &mut $crate::Notes,
        ) -> ::core::result::Result<Self, $crate::ReadError> {
            // A file that the fast reader carries has nothing to note.
            $(if let $crate::__rt::Ok(value) = $fast::file::<$crate::__rt::s::Borrow>(bytes, options) {
                return $crate::__rt::Ok(value);
            })?
            $crate::__rt::read(Self::__format(), bytes, options, $crate::__rt::Some(notes))
        }

        /// Reads a file by the engine, which carries every file.
        #[doc(hidden)]
        pub fn __read_engine(
            bytes: &$a [u8],
            options: &$crate::ReadOptions,
        ) -> ::core::result::Result<Self, $crate::ReadError> {
            $crate::__rt::read(Self::__format(), bytes, options, $crate::__rt::None)
        }

        /// Reads a file, if the fast reader carries it.
        #[doc(hidden)]
        #[allow(unused_variables, unreachable_code)]
        pub fn __read_fast(
            bytes: &$a [u8],
            options: &$crate::ReadOptions,
        ) -> ::core::option::Option<Self> {
            $(return $fast::file::<$crate::__rt::s::Borrow>(bytes, options).ok();)?
            $crate::__rt::None
        }
    };
    (@owned [$($fast:ident)?] $own:expr) => {
        /// Reads a file into a value that borrows nothing of it.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read_owned(bytes: &[u8]) -> ::core::result::Result<Self, $crate::ReadError> {
            Self::read_owned_with(bytes, &$crate::__rt::Default::default())
        }

        /// Reads a file with these limits into a value that borrows nothing of it.
        ///
        /// # Errors
        ///
        /// The first thing that does not fit the schema, with its offset in bytes and its path.
        pub fn read_owned_with(
            bytes: &[u8],
            options: &$crate::ReadOptions,
        ) -> ::core::result::Result<Self, $crate::ReadError> {
            $(if let $crate::__rt::Ok(value) = $fast::file::<$crate::__rt::s::Owning>(bytes, options) {
                return $crate::__rt::Ok(value);
            })?
            $crate::__rt::read(Self::__format(), bytes, options, $crate::__rt::None).map($own)
        }
    };
    (@writes [$($fast:ident)?] $packed:literal) => {
        /// The bytes of the file.
        ///
        /// # Errors
        ///
        /// Everything in the value that the format cannot say, each with its path.
        pub fn write(&self) -> ::core::result::Result<$crate::__rt::Vec<u8>, $crate::WriteError> {
            let mut bytes = $crate::__rt::Vec::new();
            self.write_into(&mut bytes)?;
            // Writers take room for more than most small files need.
            if bytes.capacity() / 2 > bytes.len() {
                bytes.shrink_to_fit();
            }
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
        ) -> ::core::result::Result<(), $crate::WriteError> {
            $(if $fast::whole(self, out).is_ok() {
                return $crate::__rt::Ok(());
            })?
            $crate::__rt::write(Self::__format(), self, out)
        }

        /// Whether the value can be written.
        ///
        /// # Errors
        ///
        /// Those of `write`.
        pub fn validate(&self) -> ::core::result::Result<(), $crate::WriteError> {
            let result = $crate::__rt::validate(Self::__format(), self);
            // What nests too deeply for the engine's stack may be written by the fast path.
            $(if result.is_err() && $fast::whole(self, &mut $crate::__rt::Vec::new()).is_ok() {
                return $crate::__rt::Ok(());
            })?
            result
        }

        /// The bytes of the file, by the engine, which carries every value.
        #[doc(hidden)]
        pub fn __write_engine(
            &self,
        ) -> ::core::result::Result<$crate::__rt::Vec<u8>, $crate::WriteError> {
            let mut bytes = $crate::__rt::Vec::new();
            $crate::__rt::write(Self::__format(), self, &mut bytes)?;
            $crate::__rt::Ok(bytes)
        }

        /// The bytes of the file, if the fast writer carries the value.
        #[doc(hidden)]
        #[allow(unreachable_code)]
        pub fn __write_fast(&self) -> ::core::option::Option<$crate::__rt::Vec<u8>> {
            $(
                let mut bytes = $crate::__rt::Vec::new();
                return $fast::whole(self, &mut bytes).ok().map(|()| bytes);
            )?
            $crate::__rt::None
        }

        /// The format, as the engine has it.
        #[doc(hidden)]
        pub fn __format() -> &'static $crate::__rt::Carried {
            static FORMAT: $crate::__rt::Carried = $crate::__rt::Carried::new($packed);
            &FORMAT
        }
    };
}

/// What the case is called that a union is: `[Name<'_>]`, then the cases with their names.
#[doc(hidden)]
#[macro_export]
macro_rules! __case {
    ([$($ty:tt)*] $($case:ident $name:literal,)*) => {
        impl $($ty)* {
            /// Name of the case in the schema.
            #[must_use]
            pub const fn case(&self) -> &'static str {
                match self { $(Self::$case { .. } => $name,)* }
            }
        }
    };
}

/// A case of a union that is read in few steps. Without optimisation it is a function of its own, so
/// that all cases together do not make one large stack frame.
#[doc(hidden)]
#[macro_export]
#[cfg(debug_assertions)]
macro_rules! __small_case {
    ($($body:tt)*) => {
        (|| { $($body)* })()
    };
}

/// A case of a union that is read in few steps.
#[doc(hidden)]
#[macro_export]
#[cfg(not(debug_assertions))]
macro_rules! __small_case {
    ($($body:tt)*) => {
        { $($body)* }
    };
}
