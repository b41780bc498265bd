//! `arbitrary` for generated types, as macros: the crate that includes generated code has `arbitrary`,
//! and this one has not.

/// The module `as_arbitrary`: what all types share when they are made of nothing. It is given the last
/// epoch by number; the least and greatest number by which elements of each array are known; and
/// arrays of which an element must have a case, with the choice and the case.
#[doc(hidden)]
#[macro_export]
macro_rules! __as_arbitrary {
    (
        $last_epoch:literal [$($low:literal..=$high:literal,)*]
        [$($array:literal $choice:literal $case:literal,)*]
    ) => {
        #[allow(dead_code, unused_imports, clippy::all, clippy::pedantic)]
        mod as_arbitrary {
            use ::arbitrary::{Arbitrary, Result, Unstructured};
            use $crate::__rt::{Box, Cow, None, Ok, Option, Some, String, Vec};

            /// How deep a value is at most, counted in lists, options and unions.
            const DEPTH: u32 = 12;

            /// Longest list, unless the schema says how long it is.
            const LENGTH: usize = 5;

            /// Elements of all lists together.
            const ELEMENTS: i32 = 400;

            /// As many more, for lists that must not be shorter.
            const RESERVE: i32 = 1600;

            /// Longest list whose elements have different keys.
            const KEYS: i128 = 64;

            /// Least and greatest number by which elements of each array are known.
            const RANGES: &[(i128, i128)] = &[$(($low, $high)),*];

            /// Arrays of which an element must have a case, with the choice and the case.
            const WANTED: &[(u32, u32, u32)] = &[$(($array, $choice, $case)),*];

            /// What is known of the value around.
            pub struct Cx {
                depth: u32,
                elements: i32,
                /// Whether the value heeds the schema as far as possible; otherwise it is to be
                /// refused for something.
                tidy: bool,
                /// Number of the next text that must not be equal to others.
                serial: u32,
                pub epoch: usize,
                rule: Rule,
                /// Elements that each array has at least which something refers to.
                lengths: [Option<usize>; RANGES.len()],
                /// The numbers by which elements of each array are known: that of the first, and how
                /// much that of the next differs.
                keys: [Option<(i128, i128)>; RANGES.len()],
                /// Position in each array of the element that is being made.
                at: [usize; RANGES.len()],
                /// Where the elements are that must have a case, if there are any.
                wanted: [Option<usize>; WANTED.len()],
                /// Choice and case of the element that comes.
                forced: Option<(u32, u32)>,
            }

            impl Cx {
                pub fn new(u: &mut Unstructured<'_>) -> Result<Cx> {
                    Ok(Cx {
                        depth: DEPTH,
                        elements: ELEMENTS,
                        tidy: u.int_in_range(0..=15)? != 15,
                        serial: 0,
                        epoch: u.int_in_range(0..=$last_epoch)?,
                        rule: ANY,
                        lengths: [None; RANGES.len()],
                        keys: [None; RANGES.len()],
                        at: [0; RANGES.len()],
                        wanted: [None; WANTED.len()],
                        forced: None,
                    })
                }

                /// Elements that an array has at least.
                pub fn least(&mut self, u: &mut Unstructured<'_>, array: u32) -> Result<usize> {
                    let Some(length) = self.lengths.get_mut(array as usize) else { return Ok(0) };
                    if let Some(length) = length {
                        return Ok(*length);
                    }
                    let chosen = *u.choose(&[1, 2, 3, 1, 2, 3, 1, 0])?;
                    *length = Some(chosen);
                    Ok(chosen)
                }

                /// The same, of an array that must have an element.
                fn some(&mut self, u: &mut Unstructured<'_>, array: u32) -> Result<usize> {
                    let known = self.lengths.get(array as usize).copied().flatten();
                    let least = match known {
                        Some(least) => least.max(1),
                        None => u.int_in_range(1..=3)?,
                    };
                    if let Some(length) = self.lengths.get_mut(array as usize) {
                        *length = Some(least);
                    }
                    Ok(least)
                }

                /// The number by which the element at a position is known.
                fn key(
                    &mut self,
                    u: &mut Unstructured<'_>,
                    array: u32,
                    position: usize,
                ) -> Result<Option<i128>> {
                    let Some((low, high)) = RANGES.get(array as usize) else { return Ok(None) };
                    let count = high.saturating_sub(*low).saturating_add(1).max(1);
                    let (first, step) = match self.keys[array as usize] {
                        Some(known) => known,
                        None => {
                            let first = i128::from(u.arbitrary::<u64>()?) % count;
                            let step = if u.arbitrary()? { (count / KEYS).max(1) } else { 1 };
                            self.keys[array as usize] = Some((first, step));
                            (first, step)
                        }
                    };
                    let distance = (position as i128).saturating_mul(step);
                    Ok(Some(low + first.saturating_add(distance) % count))
                }

                /// The number that the rule asks for, which others must have or must not have.
                fn agreed(&mut self, u: &mut Unstructured<'_>) -> Result<Option<i128>> {
                    let Rule { key, key_at, key_in, low, high, .. } = self.rule;
                    if !self.tidy {
                        return Ok(None);
                    }
                    if let Some(array) = key_in {
                        let least = self.some(u, array)?;
                        let position = u.choose_index(least)?;
                        return self.key(u, array, position);
                    }
                    if let Some(array) = key_at {
                        let position = self.at[array as usize];
                        return self.key(u, array, position);
                    }
                    if !key {
                        return Ok(None);
                    }
                    self.serial += 1;
                    let number = low.max(0).saturating_add(i128::from(self.serial));
                    Ok((number <= high).then_some(number))
                }

                /// Whether the rule asks for the key of an element that is not there.
                fn lacks_key(&mut self, u: &mut Unstructured<'_>) -> Result<bool> {
                    let Some(array) = self.rule.key_in else { return Ok(false) };
                    Ok(self.least(u, array)? == 0)
                }

                /// Decides which elements of an array must have a case.
                fn place_wanted(
                    &mut self,
                    u: &mut Unstructured<'_>,
                    array: u32,
                    length: usize,
                ) -> Result<()> {
                    for (at, want) in WANTED.iter().enumerate() {
                        if want.0 == array {
                            let there = length > 0 && u.ratio(3, 4)?;
                            self.wanted[at] = match there {
                                true => Some(u.choose_index(length)?),
                                false => None,
                            };
                        }
                    }
                    Ok(())
                }

                /// The case that the element at this position must have.
                fn force(&self, array: u32, position: usize) -> Option<(u32, u32)> {
                    let places = WANTED.iter().zip(&self.wanted);
                    let mut here = places.filter(|(want, _)| want.0 == array);
                    let here = here.find(|(_, place)| **place == Some(position));
                    here.filter(|_| self.tidy).map(|(want, _)| (want.1, want.2))
                }

                /// The case that a choice must have.
                pub fn forced(&mut self, choice: u32) -> Option<u32> {
                    let (_, case) = self.forced.filter(|(forced, _)| *forced == choice)?;
                    self.forced = None;
                    Some(case)
                }

                /// Whether there is an element that has the case which is wanted.
                pub fn has_wanted(&self, want: usize) -> bool {
                    self.wanted.get(want).copied().flatten().is_some()
                }

                /// Whether a field has its usual value.
                pub fn usual(&self, u: &mut Unstructured<'_>) -> Result<bool> {
                    Ok(self.tidy && u.ratio(7, 8)?)
                }

                /// A number that the rule allows, if it says so.
                pub fn chosen(&self, u: &mut Unstructured<'_>) -> Result<Option<i128>> {
                    if !self.tidy || self.rule.choices.is_empty() {
                        return Ok(None);
                    }
                    u.choose(self.rule.choices).copied().map(Some)
                }
            }

            /// What the schema says about a field.
            #[derive(Clone, Copy)]
            pub struct Rule {
                pub low: i128,
                pub high: i128,
                /// Whether this holds for values that break rules, too.
                pub firm: bool,
                pub choices: &'static [i128],
                /// How a float is stored, if not any can be.
                pub float: Option<$crate::algorithms::FloatCode>,
                pub ascii: bool,
                pub most: usize,
                pub size: Option<usize>,
                pub key: bool,
                /// The array of which an element is known by this number: the one that is being
                /// made, or any.
                pub key_at: Option<u32>,
                pub key_in: Option<u32>,
                pub length: Option<usize>,
                pub least: Option<u32>,
                pub want: Option<usize>,
            }

            /// Nothing.
            pub const ANY: Rule = Rule {
                low: i128::MIN,
                high: i128::MAX,
                firm: false,
                choices: &[],
                float: None,
                ascii: false,
                most: usize::MAX,
                size: None,
                key: false,
                key_at: None,
                key_in: None,
                length: None,
                least: None,
                want: None,
            };

            pub trait Make<'a>: Sized {
                fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self>;

                /// Whether there is a value at all: not of a position in an array without elements.
                fn possible(_: &mut Unstructured<'a>, _: &mut Cx) -> Result<bool> {
                    Ok(true)
                }
            }

            /// A value by itself.
            pub fn whole<'a, T: Make<'a>>(u: &mut Unstructured<'a>) -> Result<T> {
                let mut cx = Cx::new(u)?;
                T::make(u, &mut cx)
            }

            /// A field.
            pub fn field<'a, T: Make<'a>>(
                u: &mut Unstructured<'a>,
                cx: &mut Cx,
                rule: Rule,
            ) -> Result<T> {
                cx.rule = rule;
                T::make(u, cx)
            }

            /// What is one level deeper; by default if that is too deep.
            pub fn deeper<'a, T: $crate::__rt::Default>(
                u: &mut Unstructured<'a>,
                cx: &mut Cx,
                make: impl FnOnce(&mut Unstructured<'a>, &mut Cx) -> Result<T>,
            ) -> Result<T> {
                let Some(depth) = cx.depth.checked_sub(1) else { return Ok(T::default()) };
                cx.depth = depth;
                let value = make(u, cx);
                cx.depth += 1;
                value
            }

            /// A field that the layout has in some epochs only, and always there.
            pub fn there<'a, T: Make<'a>>(
                u: &mut Unstructured<'a>,
                cx: &mut Cx,
                rule: Rule,
            ) -> Result<Option<T>> {
                if !cx.tidy {
                    return field(u, cx, rule);
                }
                field(u, cx, rule).map(Some)
            }

            /// Whether the layout has a field.
            pub fn has(epochs: &[bool], cx: &Cx) -> bool {
                epochs.get(cx.epoch).copied().unwrap_or(true)
            }

            /// The numbers of the epoch.
            pub fn in_epoch(all: &[&'static [i128]], cx: &Cx) -> &'static [i128] {
                all.get(cx.epoch).copied().unwrap_or(&[])
            }

            /// A number that several lists take their length from, so large that none of them lacks an
            /// element that something refers to.
            pub fn count<'a>(
                u: &mut Unstructured<'a>,
                cx: &mut Cx,
                lists: &[(Option<u32>, i128, i128)],
            ) -> Result<i128> {
                let mut number = u.int_in_range(0..=3)?;
                for &(array, factor, offset) in lists {
                    let least = match array {
                        Some(array) => cx.least(u, array)?,
                        None => 0,
                    };
                    while number < 8 && length(number, factor, offset) < least {
                        number += 1;
                    }
                }
                Ok(number)
            }

            /// The number of bytes that follows from other numbers.
            pub fn size(bytes: i128) -> usize {
                usize::try_from(bytes).unwrap_or(0).min(4096)
            }

            /// The length that follows from such a number.
            pub fn length(number: i128, factor: i128, offset: i128) -> usize {
                let length = number.saturating_mul(factor).saturating_add(offset);
                usize::try_from(length).unwrap_or(0).min(64)
            }

            /// A position in an array.
            pub fn position(u: &mut Unstructured<'_>, cx: &mut Cx, array: u32) -> Result<u32> {
                if !cx.tidy {
                    return u.int_in_range(0..=3);
                }
                if let Some(place) = cx.rule.want.and_then(|want| cx.wanted.get(want).copied()) {
                    return Ok(place.unwrap_or(0) as u32);
                }
                let least = cx.some(u, array)?;
                Ok(u.choose_index(least)? as u32)
            }

            $crate::__arbitrary_numbers! { u8 u16 u32 u64 i8 i16 i32 i64 i128 }
            $crate::__arbitrary_floats! { f32 f64 }

            impl<'a> Make<'a> for bool {
                fn make(u: &mut Unstructured<'a>, _: &mut Cx) -> Result<Self> {
                    Arbitrary::arbitrary(u)
                }
            }

            /// A short text. A tidy one can be stored.
            fn text(u: &mut Unstructured<'_>, cx: &mut Cx) -> Result<String> {
                const LETTERS: [char; 16] = [
                    'a', 'b', 'c', 'A', 'Z', '0', '9', '_', ' ', '/', '.', '~', 'é', 'ß', '世', '😀',
                ];
                let Rule { ascii, most, size, key, .. } = cx.rule;
                let mut text = String::new();
                if let Some(size) = size.filter(|_| cx.tidy) {
                    // Letters of one unit in any encoding.
                    for _ in 0..size {
                        text.push(*u.choose(&LETTERS[..12])?);
                    }
                    return Ok(text);
                }
                for _ in 0..u.int_in_range(0..=6)? {
                    let letter = if cx.tidy { *u.choose(&LETTERS)? } else { u.arbitrary()? };
                    let letter = if cx.tidy && ascii && !letter.is_ascii() { 'x' } else { letter };
                    if cx.tidy && text.len() + letter.len_utf8() > most {
                        break;
                    }
                    text.push(letter);
                }
                if key && cx.tidy {
                    cx.serial += 1;
                    let mut serial = cx.serial;
                    // In letters that no text has, so no two are equal.
                    while serial > 0 {
                        text.push((b'd' + (serial % 20) as u8) as char);
                        serial /= 20;
                    }
                }
                Ok(text)
            }

            impl<'a> Make<'a> for Cow<'a, str> {
                fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self> {
                    text(u, cx).map(Cow::Owned)
                }
            }

            impl<'a> Make<'a> for $crate::Utf16 {
                fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self> {
                    Ok($crate::Utf16::from(text(u, cx)?.as_str()))
                }
            }

            impl<'a> Make<'a> for Cow<'a, [u8]> {
                fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self> {
                    let mut bytes = Vec::new();
                    let size = match cx.rule.size {
                        Some(size) if cx.tidy => size,
                        _ => u.int_in_range(0..=9)?,
                    };
                    for _ in 0..size {
                        bytes.push(u.arbitrary()?);
                    }
                    Ok(Cow::Owned(bytes))
                }
            }

            impl<'a> Make<'a> for $crate::Endian {
                fn make(u: &mut Unstructured<'a>, _: &mut Cx) -> Result<Self> {
                    let big = bool::arbitrary(u)?;
                    Ok(if big { $crate::Endian::Big } else { $crate::Endian::Little })
                }
            }

            /// Always what follows from the rest.
            impl<'a, T> Make<'a> for $crate::Kept<T> {
                fn make(_: &mut Unstructured<'a>, _: &mut Cx) -> Result<Self> {
                    Ok($crate::Kept::canonical())
                }
            }

            impl<'a, T: Make<'a>> Make<'a> for Option<T> {
                fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self> {
                    if cx.depth == 0 || !bool::arbitrary(u)? || (cx.tidy && !T::possible(u, cx)?) {
                        return Ok(None);
                    }
                    if cx.tidy && cx.lacks_key(u)? {
                        return Ok(None);
                    }
                    cx.depth -= 1;
                    let value = T::make(u, cx);
                    cx.depth += 1;
                    value.map(Some)
                }
            }

            impl<'a, T: Make<'a>> Make<'a> for Vec<T> {
                fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self> {
                    let rule = cx.rule;
                    let least = match rule.least {
                        Some(array) => cx.least(u, array)?,
                        None => 0,
                    };
                    let length = match rule.length {
                        Some(length) if cx.tidy => length,
                        _ if cx.tidy && (!T::possible(u, cx)? || cx.lacks_key(u)?) => 0,
                        _ => u.int_in_range(least..=LENGTH)?,
                    };
                    let mut list = Vec::new();
                    if cx.depth == 0 {
                        return Ok(list);
                    }
                    if let Some(array) = rule.least {
                        cx.place_wanted(u, array, length)?;
                    }
                    cx.depth -= 1;
                    let firm = rule.length.unwrap_or(least);
                    for position in 0..length {
                        let floor = if position < firm { -RESERVE } else { 0 };
                        if cx.elements <= floor {
                            break;
                        }
                        cx.elements -= 1;
                        if let Some(array) = rule.least {
                            cx.at[array as usize] = position;
                        }
                        cx.rule = Rule { length: None, least: None, ..rule };
                        cx.forced = rule.least.and_then(|array| cx.force(array, position));
                        list.push(T::make(u, cx)?);
                    }
                    cx.depth += 1;
                    Ok(list)
                }
            }

            impl<'a, T: Make<'a> + Copy + $crate::__rt::Default, const N: usize> Make<'a>
                for [T; N]
            {
                fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self> {
                    let mut array = [T::default(); N];
                    let rule = cx.rule;
                    for element in &mut array {
                        cx.rule = rule;
                        *element = T::make(u, cx)?;
                    }
                    Ok(array)
                }

                fn possible(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<bool> {
                    T::possible(u, cx)
                }
            }

            impl<'a, T: Make<'a>> Make<'a> for Box<T> {
                fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self> {
                    T::make(u, cx).map(Box::new)
                }
            }
        }
    };
}

/// Integers that heed the rule.
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_numbers {
    ($($number:ident)*) => {$(
        impl<'a> Make<'a> for $number {
            fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self> {
                if let Some($crate::__rt::Ok(chosen)) = cx.chosen(u)?.map(Self::try_from) {
                    return Ok(chosen);
                }
                if let Some($crate::__rt::Ok(agreed)) = cx.agreed(u)?.map(Self::try_from) {
                    return Ok(agreed);
                }
                let number: $number = Arbitrary::arbitrary(u)?;
                let Rule { low, high, firm, .. } = cx.rule;
                let wide = number as i128;
                if !(cx.tidy || firm) || (low <= wide && wide <= high) {
                    return Ok(number);
                }
                let count = high.saturating_sub(low).saturating_add(1).max(1);
                Ok((low + wide.rem_euclid(count)) as $number)
            }
        }
    )*};
}

/// Floats, which can be stored if they are tidy.
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_floats {
    ($($float:ident)*) => {$(
        impl<'a> Make<'a> for $float {
            fn make(u: &mut Unstructured<'a>, cx: &mut Cx) -> Result<Self> {
                let float: $float = Arbitrary::arbitrary(u)?;
                Ok(match cx.rule.float.filter(|_| cx.tidy) {
                    Some(code) => code.nearest(float.into()).unwrap_or(0.0) as $float,
                    None => float,
                })
            }
        }
    )*};
}

/// How a type is made: `[Name<'a>]`, the names of the source and of what is known, and the steps; then,
/// if it matters, whether there is a value at all.
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary {
    ([$($name:tt)*] $u:ident $cx:ident { $($make:tt)* } $({ $possible:expr })?) => {
        #[allow(clippy::unreadable_literal)]
        impl<'a> as_arbitrary::Make<'a> for $($name)* {
            #[allow(unused_variables)]
            fn make(
                $u: &mut ::arbitrary::Unstructured<'a>,
                $cx: &mut as_arbitrary::Cx,
            ) -> ::arbitrary::Result<Self> {
                $($make)*
            }

            $(fn possible(
                $u: &mut ::arbitrary::Unstructured<'a>,
                $cx: &mut as_arbitrary::Cx,
            ) -> ::arbitrary::Result<bool> {
                let possible = $possible;
                $crate::__rt::Ok(possible)
            })?
        }

        impl<'a> ::arbitrary::Arbitrary<'a> for $($name)* {
            fn arbitrary(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
                as_arbitrary::whole(u)
            }
        }
    };
}

/// A position in the array of this number: one that it has.
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary_index {
    ($name:ident $array:literal) => {
        impl<'a> as_arbitrary::Make<'a> for $name {
            fn make(
                u: &mut ::arbitrary::Unstructured<'a>,
                cx: &mut as_arbitrary::Cx,
            ) -> ::arbitrary::Result<Self> {
                let position = as_arbitrary::position(u, cx, $array)?;
                $crate::__rt::Ok($name::try_new(position).unwrap_or_default())
            }

            fn possible(
                u: &mut ::arbitrary::Unstructured<'a>,
                cx: &mut as_arbitrary::Cx,
            ) -> ::arbitrary::Result<bool> {
                $crate::__rt::Ok(cx.least(u, $array)? > 0)
            }
        }
    };
}
