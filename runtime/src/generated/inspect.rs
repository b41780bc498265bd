//! `Inspect` of generated types: values shown part by part, as the interpreter has them.

use crate::inspect::{Inspect, Inspector};
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

/// Shows a field that not every layout has.
pub fn show_in_some<T: Inspect + ?Sized>(to: &mut dyn Inspector, name: &'static str, value: &T) {
    to.field_of_some_layouts(name);
    value.inspect(to);
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
    /// Names of the rows in it.
    pub rows: &'static [&'static str],
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
    rows: &'static [&'static str],
) {
    if let Some((stored, instead_of)) = kept.deviation() {
        let instead_of = instead_of.map_or(KeptValue::None, T::to_kept);
        inspect_one(KeptKind::Number, row, stored.to_kept(), instead_of, to, rows);
    }
}

/// Shows reserved bits of a word that are not zero, as spelling of the word.
pub fn inspect_bits(bits: u64, row: u16, to: &mut dyn Inspector, rows: &'static [&'static str]) {
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
    rows: &'static [&'static str],
) {
    let mut spelling = Spelling::default();
    spelling.keep(SpellingEntry { row, index: None, kind, stored, instead_of });
    to.spelling(&spelling, rows);
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
    (
        [$($name:tt)*] $how:ident $($field:ident)? { $($part:tt)* }
        [$($row:literal),*] { $($number:literal $kept:ident,)* } { $($spelling:ident)? }
    ) => {
        impl $crate::__rt::Parts for $($name)* {
            #[allow(unused_variables)] // A struct may have no fields, or no spelling.
            fn fields(&self, to: &mut dyn $crate::inspect::Inspector) {
                $($crate::__show! { self to $part })*
            }

            #[allow(unused_variables)]
            fn spelled(&self, to: &mut dyn $crate::inspect::Inspector) {
                let rows: &'static [&'static str] = &[$($row),*];
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
    ($value:ident $to:ident ($show:ident $what:literal $field:ident)) => {
        $crate::__rt::$show($to, $what, &$value.$field);
    };
}

/// `Inspect` of a union: `[Name<'_>]`, then the cases with their names: those whose structs are shown as
/// they are, those that are shown with all fields although one stands for them, and those without.
#[doc(hidden)]
#[macro_export]
macro_rules! __inspect_cases {
    (
        [$($ty:tt)*] { $($case:ident $name:literal,)* } { $($whole:ident $whole_name:literal,)* }
        { $($unit:ident $unit_name:literal,)* }
    ) => {
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
