//! What all generated types implement in the same way.

/// Equality and conversion of a struct: `Name<'a> { fields that borrow } { others }`, or
/// `Name { fields }`.
#[doc(hidden)]
#[macro_export]
macro_rules! __struct {
    ($name:ident<$a:lifetime> { $($borrowed:ident)* } { $($plain:ident)* }) => {
        $crate::__borrowed!($name);

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
    ($name:ident { $($plain:ident)* }) => {
        $crate::__plain!($name);
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

/// Conversion of the structs of cases into the union: `Name<'a> { Variant(Struct that borrows) }
/// { Variant(Struct) }`, or `Name { Variant(Struct) }`.
#[doc(hidden)]
#[macro_export]
macro_rules! __from_cases {
    ($name:ident<$a:lifetime> { $($borrowed:ident($body:ident))* } { $($plain:ident($own:ident))* }) => {
        $(
            impl<$a> $crate::__rt::From<$body<$a>> for $name<$a> {
                fn from(value: $body<$a>) -> Self {
                    $name::$borrowed(value)
                }
            }
        )*
        $(
            impl $crate::__rt::From<$own> for $name<'_> {
                fn from(value: $own) -> Self {
                    $name::$plain(value)
                }
            }
        )*
    };
    ($name:ident { $($plain:ident($own:ident))* }) => {
        $(
            impl $crate::__rt::From<$own> for $name {
                fn from(value: $own) -> Self {
                    $name::$plain(value)
                }
            }
        )*
    };
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
                Self { $field, $($spelling: $crate::Spelling::default())? }
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

/// Equality, by way of `Same`.
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
        }
    };
}

/// Traits of an enumeration: `Name closed` or `Name open`.
#[doc(hidden)]
#[macro_export]
macro_rules! __enum {
    ($name:ident closed) => {
        $crate::__enum!(@traits $name, |member: &$name| $crate::__rt::Some((*member).name()));
    };
    ($name:ident open) => {
        $crate::__enum!(@traits $name, |member: &$name| (*member).name());

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match (*self).name() {
                    $crate::__rt::Some(name) => f.write_str(name),
                    $crate::__rt::None => ::core::fmt::Display::fmt(&(*self).number(), f),
                }
            }
        }
    };
    (@traits $name:ident, $shown:expr) => {
        impl $crate::__rt::Same for $name {
            fn same(&self, other: &Self, _: bool) -> bool {
                self == other
            }
        }

        impl $crate::__rt::ToKept for $name {
            fn to_kept(&self) -> $crate::KeptValue {
                $crate::KeptValue::Int(i128::from((*self).number()))
            }
        }

        impl $crate::Inspect for $name {
            fn inspect(&self, to: &mut dyn $crate::Inspector) {
                let name = $shown;
                to.member(i128::from((*self).number()), name(self));
            }
        }
    };
}

/// Equality of a word: of the bits of its fields, and of all if spelling counts.
#[doc(hidden)]
#[macro_export]
macro_rules! __word {
    ($name:ident, $data:expr) => {
        $crate::__plain!($name);

        impl $crate::__rt::Same for $name {
            fn same(&self, other: &Self, spelling: bool) -> bool {
                self.0 == other.0 || (!spelling && (self.0 ^ other.0) & $data == 0)
            }
        }
    };
}

/// What a struct has for the rows of records: `[Name<'v>] { record row field, ... } spelling`.
#[doc(hidden)]
#[macro_export]
macro_rules! __fields {
    ([$($name:tt)*] { $($record:literal $row:literal $field:ident,)* } $($spelling:ident)?) => {
        impl<'v> $crate::__rt::write::Fields<'v> for $($name)* {
            fn field(&'v self, record: u16, row: u16) -> $crate::__rt::write::Src<'v> {
                match (record, row) {
                    $(($record, $row) => $crate::__rt::write::Source::src(&self.$field),)*
                    _ => $crate::__rt::write::Src::Nothing,
                }
            }
            $(
                fn spelling(&'v self) -> $crate::__rt::Option<&'v $crate::Spelling> {
                    $crate::__rt::Some(&self.$spelling)
                }
            )?
        }

        impl<'v> $crate::__rt::write::Source<'v> for $($name)* {
            fn src(&'v self) -> $crate::__rt::write::Src<'v> {
                $crate::__rt::write::Src::Record(self)
            }
        }
    };
}

/// What a union has: `[Name<'v>] { number Variant, ... } { number Unit, ... }`.
#[doc(hidden)]
#[macro_export]
macro_rules! __cases {
    (
        [$($ty:tt)*]
        { $($number:literal $case:ident,)* } { $($empty:literal $unit:ident,)* }
    ) => {
        impl<'v> $crate::__rt::write::Source<'v> for $($ty)* {
            fn src(&'v self) -> $crate::__rt::write::Src<'v> {
                match self {
                    $(Self::$case(value) => {
                        $crate::__rt::write::case($number, value)
                    })*
                    $(Self::$unit => $crate::__rt::write::bare_case($empty),)*
                }
            }
        }
    };
}

/// A number of a generated type: `[Name] value => its number`.
#[doc(hidden)]
#[macro_export]
macro_rules! __number {
    ([$($name:tt)*] $value:ident => $number:expr) => {
        impl $crate::__rt::write::Number for $($name)* {
            fn number(&self) -> $crate::__rt::Option<i128> {
                let $value = self;
                $crate::__rt::Some(i128::from($number))
            }
        }

        impl<'v> $crate::__rt::write::Source<'v> for $($name)* {
            fn src(&'v self) -> $crate::__rt::write::Src<'v> {
                let item = $crate::__rt::write::number_item(self);
                $crate::__rt::write::Src::Item(item)
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
