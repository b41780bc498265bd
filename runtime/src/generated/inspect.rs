//! `Inspect` of generated types: values shown part by part, as the interpreter has them.

use crate::inspect::{Inspect, Inspector, RowName};
use alloc::vec::Vec;

use crate::json::FromMembers;
use crate::same::Same;
use crate::spelling::{KeptKind, KeptValue, Spelling, SpellingEntry};
use crate::Kept;

use super::value::ToKept;

/// A struct, in two parts.
pub trait Parts {
    /// Shows the fields.
    fn fields(&self, to: &mut dyn Inspector);

    /// Shows what is spelled in an unusual way.
    fn spelled(&self, to: &mut dyn Inspector);
}

/// Shows all fields of a struct.
pub fn show_struct(value: &dyn Parts, to: &mut dyn Inspector) {
    to.begin_struct();
    value.fields(to);
    value.spelled(to);
    to.end_struct();
}

/// Shows a struct that one field stands for.
pub fn show_spelled(value: &dyn Parts, field: &dyn Inspect, to: &mut dyn Inspector) {
    to.begin_spelled();
    field.inspect(to);
    value.spelled(to);
    to.end_spelled();
}

/// Shows a field of a struct.
pub fn show<T: Inspect + ?Sized>(to: &mut dyn Inspector, name: &'static str, value: &T) {
    to.field(name);
    value.inspect(to);
}

/// Shows a field that these layouts do not have, unless it is in one of them and says no more than
/// what stands for it there.
pub fn show_in_some<T: Inspect + Same>(
    to: &mut dyn Inspector,
    name: &'static str,
    value: &T,
    without: &[u32],
    absent: &[T],
) {
    let is_without = to.layout().is_some_and(|layout| without.contains(&layout));
    if !(is_without && absent.iter().any(|nothing| value.same(nothing, false))) {
        to.field_of_some_layouts(name);
        value.inspect(to);
    }
}

/// Shows a struct in a row without a name, as fields of the struct around it.
pub fn show_flat<T: Inspect + ?Sized>(to: &mut dyn Inspector, row: u16, value: &T) {
    to.flatten(row);
    value.inspect(to);
}

/// A row with a struct that has nothing but spelling, which is kept in that of the struct around it.
#[derive(Debug)]
pub struct Inside {
    /// Its number in the spelling of the struct around it.
    pub row: u16,
    /// Its name, if it has one.
    pub name: Option<&'static str>,
    /// The rows in it.
    pub rows: &'static [RowName<'static>],
    /// Such rows in it.
    pub insides: &'static [Inside],
}

/// Shows how a struct is spelled that has nothing but that.
pub fn show_inside(to: &mut dyn Inspector, around: &Spelling, inside: &'static Inside) {
    let Some(spelling) = around.inside(inside.row) else { return };
    match inside.name {
        Some(name) => to.field(name),
        None => to.flatten(inside.row),
    }
    to.begin_struct();
    for below in inside.insides {
        show_inside(to, spelling, below);
    }
    to.spelling(spelling, inside.rows);
    to.end_struct();
}

/// Shows a row that deviates from what it usually is, as spelling of the struct around it.
pub fn inspect_kept<T: ToKept>(
    kept: &Kept<T>,
    row: u16,
    to: &mut dyn Inspector,
    rows: &[RowName<'_>],
) {
    if let Some((stored, instead_of)) = kept.deviation() {
        let instead_of = instead_of.map_or(KeptValue::None, T::to_kept);
        inspect_one(KeptKind::Number, row, stored.to_kept(), instead_of, to, rows);
    }
}

/// Shows reserved bits of a word that are not zero, as spelling of the word.
pub fn inspect_bits(bits: u64, row: u16, to: &mut dyn Inspector, rows: &[RowName<'_>]) {
    if bits != 0 {
        let stored = KeptValue::Int(bits.into());
        inspect_one(KeptKind::Reserved, row, stored, KeptValue::None, to, rows);
    }
}

fn inspect_one(
    kind: KeptKind,
    row: u16,
    stored: KeptValue,
    instead_of: KeptValue,
    to: &mut dyn Inspector,
    rows: &[RowName<'_>],
) {
    let mut spelling = Spelling::default();
    spelling.keep(SpellingEntry { row, index: None, kind, stored, instead_of });
    to.spelling(&spelling, rows);
}

/// Adds the names of the fields of a struct that a field has.
pub fn names_of<V, T: FromMembers>(_: fn(&V) -> &T, all: &mut Vec<&'static str>) {
    T::names(all);
}

/// Adds those of a struct that a field perhaps has.
pub fn names_of_some<V, T: FromMembers>(_: fn(&V) -> &Option<T>, all: &mut Vec<&'static str>) {
    T::names(all);
}

/// `Inspect` of a struct: `[Name<'_>]`, how it is shown, in braces its parts in the order of rows, then
/// the names of all rows, those that usually follow from others with their numbers, and `spelling`.
///
/// It is shown as `all` fields, as the `only` one that stands for it, or as that one `spelled`. A part
/// is the function that shows it, what that says of it, and the field; with `perhaps` nothing is shown
/// where there is nothing. `inside` is a row with a struct that has nothing but spelling.
#[doc(hidden)]
#[macro_export]
macro_rules! __inspect {
    (read $schema:literal [$($required:literal),*] $($rest:tt)*) => {
        $crate::__inspect! { $($rest)* }
        $crate::__read! { $schema [$($required),*] $($rest)* }
    };
    (
        [$($name:tt)*] $how:ident $($field:ident)? { $($part:tt)* }
        [$($row:tt),*] { $($number:literal $kept:ident,)* } { $($spelling:ident)? }
    ) => {
        impl $crate::__rt::Parts for $($name)* {
            #[allow(unused_variables)] // A struct may have no fields, or no spelling.
            fn fields(&self, to: &mut dyn $crate::inspect::Inspector) {
                $($crate::__show! { self to $part })*
            }

            #[allow(unused_variables)]
            fn spelled(&self, to: &mut dyn $crate::inspect::Inspector) {
                let rows: &[$crate::inspect::RowName<'_>] = $crate::__rows![$($row),*];
                $(to.spelling(&self.$spelling, rows);)?
                $($crate::__rt::inspect_kept(&self.$kept, $number, to, rows);)*
            }
        }

        impl $crate::inspect::Inspect for $($name)* {
            fn inspect(&self, to: &mut dyn $crate::inspect::Inspector) {
                $crate::__show! { self to ($how $($field)?) }
            }
        }
    };
}

/// Shows a struct, or a part of it.
#[doc(hidden)]
#[macro_export]
macro_rules! __show {
    ($value:ident $to:ident (all)) => {
        $crate::__rt::show_struct($value, $to)
    };
    ($value:ident $to:ident (only $field:ident)) => {
        $crate::inspect::Inspect::inspect(&$value.$field, $to)
    };
    ($value:ident $to:ident (spelled $field:ident)) => {
        $crate::__rt::show_spelled($value, &$value.$field, $to)
    };
    ($value:ident $to:ident (inside $inside:expr)) => {
        $crate::__rt::show_inside($to, &$value.spelling, &$inside);
    };
    ($value:ident $to:ident (perhaps $show:ident $what:literal $field:ident)) => {
        if let $crate::__rt::Some(field) = &$value.$field {
            $crate::__rt::$show($to, $what, field);
        }
    };
    (
        $value:ident $to:ident
        ($show:ident $what:literal $field:ident [$($without:literal),*] [$($absent:expr),*])
    ) => {
        $crate::__rt::$show($to, $what, &$value.$field, &[$($without),*], &[$($absent),*]);
    };
    ($value:ident $to:ident ($show:ident $what:literal $field:ident)) => {
        $crate::__rt::$show($to, $what, &$value.$field);
    };
}

/// Rows that a spelling may be about: each its name, or in parentheses that with the width of a float
/// or the columns of a table.
#[doc(hidden)]
#[macro_export]
macro_rules! __rows {
    ($($row:tt),*) => {
        &[$($crate::__rows!(@ $row)),*]
    };
    (@ ($name:literal [$($column:literal),*])) => {
        $crate::inspect::RowName { name: $name, holds: $crate::inspect::Holds::Table(&[$($column),*]) }
    };
    (@ ($name:literal $bytes:literal)) => {
        $crate::inspect::RowName { name: $name, holds: $crate::inspect::Holds::Float($bytes) }
    };
    (@ $name:literal) => {
        $crate::inspect::RowName { name: $name, holds: $crate::inspect::Holds::Value }
    };
}

/// `Inspect` of a union, and what its case is called: `[Name<'_>]`, then the cases with their names:
/// those whose structs are shown as they are, those that are shown with all fields although one stands
/// for them, and those without.
#[doc(hidden)]
#[macro_export]
macro_rules! __inspect_cases {
    (read $($rest:tt)*) => {
        $crate::__inspect_cases! { $($rest)* }
        $crate::__read_cases! { $($rest)* }
    };
    (
        [$($ty:tt)*] { $($case:ident $name:literal,)* } { $($whole:ident $whole_name:literal,)* }
        { $($unit:ident $unit_name:literal,)* }
    ) => {
        $crate::__case! {
            [$($ty)*] $($case $name,)* $($whole $whole_name,)* $($unit $unit_name,)*
        }

        impl $crate::inspect::Inspect for $($ty)* {
            fn inspect(&self, to: &mut dyn $crate::inspect::Inspector) {
                match self {
                    $(Self::$case(value) => {
                        to.begin_case($name);
                        $crate::inspect::Inspect::inspect(value, to);
                    })*
                    $(Self::$whole(value) => {
                        to.begin_case($whole_name);
                        $crate::__rt::show_struct(value, to);
                    })*
                    $(Self::$unit => {
                        to.begin_case($unit_name);
                        to.begin_struct();
                        to.end_struct();
                    })*
                }
                to.end_case();
            }
        }
    };
}

/// Reading of what `__inspect` shows: the name of the struct, those that must be there, and the same.
#[doc(hidden)]
#[macro_export]
macro_rules! __read {
    (
        $schema:literal [$($required:literal),*]
        [$($name:tt)*] $how:ident $($field:ident)? { $($part:tt)* }
        [$($row:tt),*] { $($number:literal $kept:ident,)* } { $($spelling:ident)? }
    ) => {
        impl $crate::__rt::FromMembers for $($name)* {
            const NAME: &'static str = $schema;

            #[allow(unused_variables)] // A struct may have no fields.
            fn names(all: &mut $crate::__rt::Vec<&'static str>) {
                $($crate::__read! { @name Self all $part })*
            }

            #[allow(unused_variables)]
            fn fill(
                &mut self,
                from: &mut $crate::json::Members,
            ) -> $crate::__rt::Result<(), $crate::json::Wrong> {
                let required: &[&str] = &[$($required),*];
                let rows: &[$crate::inspect::RowName<'_>] = $crate::__rows![$($row),*];
                $(self.$kept = from.kept($number, rows)?;)*
                $(self.$spelling = from.spelling(rows)?;)?
                $($crate::__read! { @part self from required $part })*
                $crate::__rt::Ok(())
            }
        }

        impl $crate::json::FromJson for $($name)* {
            fn expected() -> $crate::__rt::String {
                $crate::json::words_of_struct::<Self>()
            }

            fn read(
                json: $crate::json::Json,
                within: $crate::json::Within,
            ) -> $crate::__rt::Result<Self, $crate::json::Wrong> {
                $crate::__read! { @how json within $how $($field)? [$($row),*] { $($number $kept,)* } { $($spelling)? } }
            }
        }
    };

    (@how $json:ident $within:ident all $($rest:tt)*) => {
        $crate::__rt::FromMembers::whole($json, $within)
    };
    (@how $json:ident $within:ident only $field:ident $($rest:tt)*) => {{
        let mut value = Self::default();
        value.$field = $crate::json::FromJson::read($json, $within)?;
        $crate::__rt::Ok(value)
    }};
    (
        @how $json:ident $within:ident spelled $field:ident
        [$($row:tt),*] { $($number:literal $kept:ident,)* } { $($spelling:ident)? }
    ) => {{
        let (json, mut members) = $crate::json::split($json, $within)?;
        let from = &mut members;
        let mut value = Self::default();
        value.$field = $crate::json::FromJson::read(json, $within)?;
        let rows: &[$crate::inspect::RowName<'_>] = $crate::__rows![$($row),*];
        $(value.$kept = from.kept($number, rows)?;)*
        $(value.$spelling = from.spelling(rows)?;)?
        from.all_kept()?;
        $crate::__rt::Ok(value)
    }};

    (@name $this:ident $all:ident (perhaps show_flat $row:literal $field:ident)) => {
        $crate::__rt::names_of_some(|value: &$this| &value.$field, $all);
    };
    (@name $this:ident $all:ident (perhaps $($rest:tt)*)) => {
        $crate::__read! { @name $this $all ($($rest)*) }
    };
    (@name $this:ident $all:ident (inside $inside:expr)) => {
        $all.extend({
            const INSIDE: $crate::__rt::Inside = $inside;
            INSIDE.name
        });
    };
    (@name $this:ident $all:ident (show_flat $row:literal $field:ident)) => {
        $crate::__rt::names_of(|value: &$this| &value.$field, $all);
    };
    (@name $this:ident $all:ident ($show:ident $what:literal $($rest:tt)*)) => {
        $all.push($what);
    };

    (@part $value:ident $from:ident $required:ident (inside $inside:expr)) => {
        $from.inside(&mut $value.spelling, &$inside)?;
    };
    (@part $value:ident $from:ident $required:ident (perhaps show_flat $row:literal $field:ident)) => {
        $from.flat_option($row, &mut $value.$field)?;
    };
    (@part $value:ident $from:ident $required:ident (show_flat $row:literal $field:ident)) => {
        $from.flat($row, &mut $value.$field)?;
    };
    (@part $value:ident $from:ident $required:ident (perhaps $($rest:tt)*)) => {
        $crate::__read! { @part $value $from $required ($($rest)*) }
    };
    (
        @part $value:ident $from:ident $required:ident
        ($show:ident $what:literal $field:ident $($rest:tt)*)
    ) => {
        if let $crate::__rt::Some(field) = $from.field($what, $required)? {
            $value.$field = field;
        }
    };
}

/// Reading of what `__inspect_cases` shows.
#[doc(hidden)]
#[macro_export]
macro_rules! __read_cases {
    (
        [$($ty:tt)*] { $($case:ident $name:literal,)* } { $($whole:ident $whole_name:literal,)* }
        { $($unit:ident $unit_name:literal,)* }
    ) => {
        impl $crate::json::FromJson for $($ty)* {
            fn expected() -> $crate::__rt::String {
                let names = [$($name,)* $($whole_name,)* $($unit_name,)*];
                $crate::json::union_words(::core::iter::IntoIterator::into_iter(names))
            }

            #[allow(unused_variables)]
            fn read(
                json: $crate::json::Json,
                within: $crate::json::Within,
            ) -> $crate::__rt::Result<Self, $crate::json::Wrong> {
                let (case, body) = $crate::json::case(json, &Self::expected)?;
                match &*case {
                    $($name => $crate::json::FromJson::read(body, within).map(Self::$case),)*
                    $($whole_name => {
                        $crate::__rt::FromMembers::whole(body, within).map(Self::$whole)
                    })*
                    $($unit_name => {
                        $crate::json::nothing(body, within).map(|()| Self::$unit)
                    })*
                    _ => return $crate::json::no_case(&case, &Self::expected),
                }
                .map_err(|wrong| wrong.in_field(case))
            }
        }
    };
}

/// Reading of an enumeration: `Name kind`, then its members with their numbers.
#[doc(hidden)]
#[macro_export]
macro_rules! __read_enum {
    ($name:ident $schema:literal $kind:ident { $($member:literal $number:literal,)* }) => {
        impl $crate::json::FromJson for $name {
            fn expected() -> $crate::__rt::String {
                let names = [$($member),*];
                let names = ::core::iter::IntoIterator::into_iter(names);
                $crate::json::member_words($schema, names, $crate::__read_enum!(@closed $kind))
            }

            fn read(
                json: $crate::json::Json,
                _: $crate::json::Within,
            ) -> $crate::__rt::Result<Self, $crate::json::Wrong> {
                let number = match &json {
                    $crate::json::Json::Text(text) => match text.as_str() {
                        $($member => $crate::__rt::Some($number),)*
                        _ => $crate::__rt::None,
                    },
                    $crate::json::Json::Int(number) => {
                        ::core::convert::TryInto::try_into(*number).ok()
                    }
                    _ => $crate::__rt::None,
                };
                let member = number.and_then($crate::__read_enum!(@make $kind $name));
                member.ok_or_else(|| $crate::json::Wrong::expected(&Self::expected(), &json))
            }
        }
    };
    (@closed open) => { false };
    (@closed closed) => { true };
    (@make open $name:ident) => { |number| $crate::__rt::Some($name(number)) };
    (@make closed $name:ident) => { $name::from_number };
}

/// Reading of a packed word: its name in the schema, the fields that must be there, each field with
/// what sets it, its type, and the least and greatest number where not all fit, and reserved bits with
/// the name of their row, their mask and where they are.
#[doc(hidden)]
#[macro_export]
macro_rules! __read_word {
    (
        $name:ident $schema:literal [$($required:literal),*]
        { $($field:literal $set:ident [$ty:ty] $($low:literal $high:literal)?,)* }
        { $($reserved:literal $mask:literal $first:literal $word:ident,)* }
    ) => {
        impl $crate::__rt::FromMembers for $name {
            const NAME: &'static str = $schema;

            fn names(all: &mut $crate::__rt::Vec<&'static str>) {
                all.extend([$($field),*] as [&'static str; 0 $(+ $crate::__read_word!(@one $field))*]);
            }

            #[allow(unused_variables)]
            fn fill(
                &mut self,
                from: &mut $crate::json::Members,
            ) -> $crate::__rt::Result<(), $crate::json::Wrong> {
                let required: &[&str] = &[$($required),*];
                $(
                    let value: $crate::__rt::Option<$ty> =
                        $crate::__read_word!(@field from required $field $($low $high)?);
                    if let $crate::__rt::Some(value) = value {
                        self.$set(value);
                    }
                )*
                $(self.0 |= ((from.reserved($reserved) & $mask) << $first) as $word;)*
                $crate::__rt::Ok(())
            }
        }

        impl $crate::json::FromJson for $name {
            fn expected() -> $crate::__rt::String {
                $crate::json::words_of_struct::<Self>()
            }

            fn read(
                json: $crate::json::Json,
                within: $crate::json::Within,
            ) -> $crate::__rt::Result<Self, $crate::json::Wrong> {
                $crate::__rt::FromMembers::whole(json, within)
            }
        }
    };
    (@one $field:literal) => { 1 };
    (@field $from:ident $required:ident $field:literal) => {
        $from.field($field, $required)?
    };
    (@field $from:ident $required:ident $field:literal $low:literal $high:literal) => {
        $crate::json::part_of_word($from, $field, $required, $low, $high)?
    };
}
