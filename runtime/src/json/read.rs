//! From JSON to values: with the path of what is wrong.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::{
    bits_of, bytes_of, keys_words, no_field, plain_key, BYTES, INSTEAD_OF, KEPT, KIND, ROW,
    SPELLED, STORED,
};
use crate::inspect::RowName;
use crate::path::{Path, Segment};
use crate::spelling::{KeptKind, KeptValue, Spelling, SpellingEntry};
use crate::stack;
use crate::{Endian, Kept, Utf16};

/// A text of JSON that was taken apart.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number without a fraction.
    Int(i128),
    /// Another number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// Keys with their values.
    Object(Vec<(String, Json)>),
}

/// Why something is no value of a type, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrong(Box<(Path, String)>);

impl Wrong {
    /// With these words.
    #[cold]
    pub fn new(message: impl Into<String>) -> Wrong {
        Wrong(Box::new((Path::new(), message.into())))
    }

    /// Something else was expected.
    #[cold]
    #[must_use]
    pub fn expected(expected: &str, found: &Json) -> Wrong {
        Wrong::new(format!("expected {expected}, found {}", described(found)))
    }

    /// The same seen from around.
    #[must_use]
    pub fn in_field(mut self, name: impl Into<Cow<'static, str>>) -> Wrong {
        self.0 .0.prepend(Segment::Field(name.into()));
        self
    }

    fn in_index(mut self, index: usize) -> Wrong {
        self.0 .0.prepend(index);
        self
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, message) = &*self.0;
        match path.is_empty() {
            true => f.write_str(message),
            false => write!(f, "{path}: {message}"),
        }
    }
}

/// What is there, for messages.
#[must_use]
pub fn described(json: &Json) -> String {
    match json {
        Json::Null => "null".into(),
        Json::Bool(yes) => yes.to_string(),
        Json::Int(number) => number.to_string(),
        Json::Float(number) => format!("{number:?}"),
        Json::Text(text) if text.chars().count() <= 40 => format!("{text:?}"),
        Json::Text(_) => "a text".into(),
        Json::List(_) => "a list".into(),
        Json::Object(_) => "an object".into(),
    }
}

/// Where on the stack reading began.
#[derive(Debug, Clone, Copy)]
pub struct Within(usize);

impl Within {
    /// Reading begins here.
    #[must_use]
    pub fn here() -> Within {
        Within(stack::here())
    }

    fn deeper(self) -> Result<(), Wrong> {
        match self.0.abs_diff(stack::here()) > stack::PACKING {
            true => Err(Wrong::new("it is nested too deeply")),
            false => Ok(()),
        }
    }
}

/// A value that is read from JSON.
pub trait FromJson: Sized {
    /// What it must be, for messages.
    fn expected() -> String;

    /// The value.
    ///
    /// # Errors
    ///
    /// Why it is none, and where.
    fn read(json: Json, within: Within) -> Result<Self, Wrong>;

    /// The number that a byte is.
    #[must_use]
    fn of_byte(_: u8) -> Option<Self> {
        None
    }
}

/// The value that JSON stands for.
///
/// # Errors
///
/// Why it is none, and where.
pub fn read<T: FromJson>(json: Json) -> Result<T, Wrong> {
    T::read(json, Within::here())
}

/// A struct, which is read from an object.
pub trait FromMembers: Default {
    /// Its name in the schema.
    const NAME: &'static str;

    /// Adds the names of its fields.
    fn names(all: &mut Vec<&'static str>);

    /// Takes the fields that are there, and how it is spelled.
    ///
    /// # Errors
    ///
    /// What is missing or wrong.
    fn fill(&mut self, from: &mut Members) -> Result<(), Wrong>;

    /// A struct with all its fields, also where one of them stands for it elsewhere.
    ///
    /// # Errors
    ///
    /// What is missing or wrong.
    fn whole(json: Json, within: Within) -> Result<Self, Wrong> {
        within.deeper()?;
        let mut members = Members::new(json, Self::NAME, Self::names, within)?;
        let mut value = Self::default();
        value.fill(&mut members)?;
        let mut names = Vec::new();
        Self::names(&mut names);
        members.finish(Self::NAME, &names)?;
        Ok(value)
    }
}

/// The members of an object that were not read yet.
#[derive(Debug)]
pub struct Members {
    fields: Vec<(String, Option<Json>)>,
    /// Where the next field probably is.
    next: usize,
    kept: Vec<Option<Deviation>>,
    /// What begins the names of rows in the struct that is being read.
    prefix: String,
    within: Within,
}

#[derive(Debug)]
struct Deviation {
    row: String,
    kind: KeptKind,
    stored: Json,
    instead_of: Option<Json>,
}

impl Members {
    fn new(
        json: Json,
        name: &str,
        names: fn(&mut Vec<&'static str>),
        within: Within,
    ) -> Result<Members, Wrong> {
        let Json::Object(object) = json else {
            return Err(Wrong::expected(&words_of(name, names), &json));
        };
        let mut kept = Vec::new();
        let mut fields = Vec::with_capacity(object.len());
        for (key, member) in object {
            match key == KEPT {
                true => kept = deviations(member).map_err(|wrong| wrong.in_field(KEPT))?,
                false => fields.push((key, Some(member))),
            }
        }
        Ok(Members { fields, next: 0, kept, prefix: String::new(), within })
    }

    /// Looks whether all that is kept was of some row.
    ///
    /// # Errors
    ///
    /// If something is of none.
    pub fn all_kept(&self) -> Result<(), Wrong> {
        let mut left = self.kept.iter().enumerate();
        match left.find_map(|(at, one)| Some((at, one.as_ref()?))) {
            None => Ok(()),
            Some((at, one)) => Err(no_such_row(&one.row, at)),
        }
    }

    fn finish(self, name: &str, names: &[&'static str]) -> Result<(), Wrong> {
        self.all_kept()?;
        match self.fields.into_iter().find(|(_, member)| member.is_some()) {
            None => Ok(()),
            Some((key, _)) => Err(Wrong::new(no_field(name, names.iter().copied())).in_field(key)),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        let is_it = |(key, member): &(String, Option<Json>)| {
            member.is_some() && plain_key(key) == Some(name)
        };
        if self.fields.get(self.next).is_some_and(is_it) {
            return Some(self.next);
        }
        self.fields.iter().position(is_it)
    }

    fn take(&mut self, name: &str) -> Option<Json> {
        let at = self.position(name)?;
        self.next = at + 1;
        self.fields[at].1.take()
    }

    /// A field, if it is there.
    ///
    /// # Errors
    ///
    /// If it is not, and must be, or is something else.
    pub fn field<T: FromJson>(
        &mut self,
        name: &'static str,
        required: &[&str],
    ) -> Result<Option<T>, Wrong> {
        match self.take(name) {
            Some(json) => {
                let value = T::read(json, self.within).map_err(|wrong| wrong.in_field(name))?;
                Ok(Some(value))
            }
            None if required.contains(&name) => {
                let message = format!("expected {}, found nothing", T::expected());
                Err(Wrong::new(message).in_field(name))
            }
            None => Ok(None),
        }
    }

    /// The fields of a struct that has none of its own here.
    ///
    /// # Errors
    ///
    /// What is missing or wrong.
    pub fn flat<T: FromMembers>(&mut self, row: u16, to: &mut T) -> Result<(), Wrong> {
        let length = self.prefix.len();
        self.prefix.push_str(&format!("#{row}."));
        let result = to.fill(self);
        self.prefix.truncate(length);
        result
    }

    /// Whether one of these fields is there, or something is kept of the struct that is being read.
    fn mentions(&self, names: &[&str]) -> bool {
        let mut kept = self.kept.iter().flatten();
        kept.any(|one| one.row.starts_with(&self.prefix))
            || names.iter().any(|name| self.position(name).is_some())
    }

    /// What is kept of a row, which usually follows from others.
    ///
    /// # Errors
    ///
    /// If it is something else.
    pub fn kept<T: FromJson>(
        &mut self,
        number: u16,
        rows: &[RowName<'_>],
    ) -> Result<Kept<T>, Wrong> {
        let Some(row) = rows.get(usize::from(number)) else { return Ok(Kept::canonical()) };
        let is_it = |one: &Deviation| {
            let name = one.row.strip_prefix(&self.prefix);
            one.kind == KeptKind::Number && name == Some(row.name)
        };
        let position = self.kept.iter().position(|one| one.as_ref().is_some_and(is_it));
        let Some(at) = position else { return Ok(Kept::canonical()) };
        let Some(Deviation { stored, instead_of, .. }) = self.kept[at].take() else {
            return Ok(Kept::canonical());
        };
        let within = self.within;
        let read = |json: Json, key| T::read(json, within).map_err(|wrong| in_kept(wrong, at, key));
        let stored = read(stored, STORED)?;
        Ok(match instead_of {
            None => Kept::from(stored),
            Some(instead_of) => Kept::instead_of(stored, read(instead_of, INSTEAD_OF)?),
        })
    }

    /// How the struct is spelled.
    ///
    /// # Errors
    ///
    /// If something that is kept is nothing of that kind.
    pub fn spelling(&mut self, rows: &[RowName<'_>]) -> Result<Spelling, Wrong> {
        let mut spelling = Spelling::default();
        for (at, place) in self.kept.iter_mut().enumerate() {
            let is_ours = |one: &mut Deviation| {
                let rest = one.row.strip_prefix(&self.prefix);
                rest.is_some_and(|rest| !rest.contains('.'))
            };
            let Some(one) = place.take_if(is_ours) else { continue };
            let rest = &one.row[self.prefix.len()..];
            let (name, index) = match rest.split_once('[') {
                Some((name, index)) => {
                    (name, index.strip_suffix(']').and_then(|index| index.parse().ok()))
                }
                None => (rest, None),
            };
            let stored = kept_value(one.stored).map_err(|wrong| in_kept(wrong, at, STORED))?;
            let instead_of = kept_value(one.instead_of.unwrap_or(Json::Null))
                .map_err(|wrong| in_kept(wrong, at, INSTEAD_OF))?;
            let entry = SpellingEntry { row: 0, index, kind: one.kind, stored, instead_of };
            if name.is_empty() {
                spelling.keep(SpellingEntry { row: Spelling::WHOLE, ..entry });
                continue;
            }
            if !rows.iter().any(|row| row.name == name) {
                return Err(no_such_row(&one.row, at));
            }
            // Forms of a case may have rows of one name; which is written is known then.
            for (row, _) in (0..).zip(rows).filter(|(_, row)| row.name == name) {
                spelling.keep(SpellingEntry { row, ..entry.clone() });
            }
        }
        Ok(spelling)
    }

    /// Reserved bits of a word.
    #[must_use]
    pub fn reserved(&mut self, name: &str) -> u64 {
        let is_it = |one: &Deviation| {
            one.kind == KeptKind::Reserved && one.row.strip_prefix(&self.prefix) == Some(name)
        };
        let place = self.kept.iter_mut().find(|one| one.as_ref().is_some_and(is_it));
        match place.and_then(Option::take).map(|one| one.stored) {
            Some(Json::Int(bits)) => u64::try_from(bits).unwrap_or(0),
            _ => 0,
        }
    }

    /// How a struct in a row is spelled that has nothing but that.
    ///
    /// # Errors
    ///
    /// If something that is kept is nothing of that kind.
    pub fn inside(
        &mut self,
        around: &mut Spelling,
        inside: &crate::__rt::Inside,
    ) -> Result<(), Wrong> {
        let spelling = match inside.name {
            None => {
                let length = self.prefix.len();
                self.prefix.push_str(&format!("#{}.", inside.row));
                let spelling = self.inside_here(inside);
                self.prefix.truncate(length);
                spelling?
            }
            Some(name) => {
                let Some(json) = self.take(name) else { return Ok(()) };
                let wrong = |wrong: Wrong| wrong.in_field(name);
                let mut members = Members::new(json, name, |_| {}, self.within).map_err(wrong)?;
                let spelling = members.inside_here(inside).map_err(wrong)?;
                members.finish(name, &[]).map_err(wrong)?;
                spelling
            }
        };
        around.keep_inside(inside.row, spelling);
        Ok(())
    }

    fn inside_here(&mut self, inside: &crate::__rt::Inside) -> Result<Spelling, Wrong> {
        let mut spelling = self.spelling(inside.rows)?;
        for below in inside.insides {
            self.inside(&mut spelling, below)?;
        }
        Ok(spelling)
    }
}

#[cold]
fn no_such_row(row: &str, at: usize) -> Wrong {
    in_kept(Wrong::new(crate::json::no_kept_row(row)), at, ROW)
}

fn in_kept(wrong: Wrong, at: usize, key: &'static str) -> Wrong {
    wrong.in_field(key).in_index(at).in_field(KEPT)
}

impl<T: FromMembers> FromMembers for Box<T> {
    const NAME: &'static str = T::NAME;

    fn names(all: &mut Vec<&'static str>) {
        T::names(all);
    }

    fn fill(&mut self, from: &mut Members) -> Result<(), Wrong> {
        (**self).fill(from)
    }
}

impl Members {
    /// The same, of a struct that may not be there.
    ///
    /// # Errors
    ///
    /// What is missing or wrong.
    pub fn flat_option<T: FromMembers>(
        &mut self,
        row: u16,
        to: &mut Option<T>,
    ) -> Result<(), Wrong> {
        let mut names = Vec::new();
        T::names(&mut names);
        let length = self.prefix.len();
        self.prefix.push_str(&format!("#{row}."));
        let is_there = self.mentions(&names);
        self.prefix.truncate(length);
        *to = None;
        if is_there {
            self.flat(row, to.insert(T::default()))?;
        }
        Ok(())
    }
}

/// A value that may be in an object with how it is spelled: the value, and the object.
///
/// # Errors
///
/// If there is something else in that object.
pub fn split(json: Json, within: Within) -> Result<(Json, Members), Wrong> {
    let bare = |json| {
        (
            json,
            Members {
                fields: Vec::new(),
                next: 0,
                kept: Vec::new(),
                prefix: String::new(),
                within,
            },
        )
    };
    match json {
        Json::Object(members) if members.iter().any(|(key, _)| key == SPELLED) => {
            let mut value = Json::Null;
            let mut kept = Vec::new();
            for (key, member) in members {
                match key.as_str() {
                    SPELLED => value = member,
                    KEPT => kept = deviations(member).map_err(|wrong| wrong.in_field(KEPT))?,
                    _ => {
                        let message = "beside `$value` there is only `$kept`";
                        return Err(Wrong::new(message).in_field(key));
                    }
                }
            }
            let (value, members) = bare(value);
            Ok((value, Members { kept, ..members }))
        }
        json => Ok(bare(json)),
    }
}

fn deviations(json: Json) -> Result<Vec<Option<Deviation>>, Wrong> {
    let Json::List(list) = json else {
        return Err(Wrong::expected("a list of deviations", &json));
    };
    let one = |(at, json)| match deviation(json) {
        Ok(one) => Ok(Some(one)),
        Err(wrong) => Err(wrong.in_index(at)),
    };
    list.into_iter().enumerate().map(one).collect()
}

fn deviation(json: Json) -> Result<Deviation, Wrong> {
    let wrong = "an object with `row`, `kind`, `stored`, and `instead_of`";
    let Json::Object(members) = json else { return Err(Wrong::expected(wrong, &json)) };
    let (mut row, mut kind, mut stored, mut instead_of) = (None, None, None, None);
    for (key, member) in members {
        match (key.as_str(), member) {
            (ROW, Json::Text(text)) => row = Some(text),
            (KIND, Json::Text(text)) => kind = Some(text),
            (STORED, member) => stored = Some(member),
            (INSTEAD_OF, member) => instead_of = Some(member).filter(|json| *json != Json::Null),
            (_, other) => return Err(Wrong::expected(wrong, &other)),
        }
    }
    let (Some(row), Some(kind), Some(stored)) = (row, kind, stored) else {
        return Err(Wrong::new(format!("expected {wrong}")));
    };
    let Some(kind) = KeptKind::ALL.into_iter().find(|known| known.name() == kind) else {
        let names: Vec<_> = KeptKind::ALL.iter().map(|kind| kind.name()).collect();
        let message =
            format!("expected a kind of deviation ({}), found {kind:?}", names.join(", "));
        return Err(Wrong::new(message).in_field(KIND));
    };
    Ok(Deviation { row, kind, stored, instead_of })
}

/// A value whose type nothing says.
fn kept_value(json: Json) -> Result<KeptValue, Wrong> {
    Ok(match json {
        Json::Null => KeptValue::None,
        Json::Bool(yes) => KeptValue::Bool(yes),
        Json::Int(number) => KeptValue::Int(number),
        Json::Text(text) => KeptValue::Text(text),
        Json::Float(_) => {
            return Err(Wrong::expected("an integer, or a float {\"f32\": ..}", &json));
        }
        Json::List(list) if !list.is_empty() && list.iter().all(is_row) => {
            KeptValue::Table(list.into_iter().map(row_values).collect::<Result<_, _>>()?)
        }
        Json::List(list) => {
            KeptValue::List(list.into_iter().map(kept_value).collect::<Result<_, _>>()?)
        }
        Json::Object(members) => return wrapped(members),
    })
}

fn wrapped(members: Vec<(String, Json)>) -> Result<KeptValue, Wrong> {
    match members.as_slice() {
        [(key, Json::Text(text))] => {
            if let Some(bytes) = bytes_of(key, text) {
                let wrong = |expected| Wrong::expected(expected, &Json::Text(text.clone()));
                return bytes.map(KeptValue::Bytes).map_err(wrong);
            }
        }
        [(key, _)] if key == "utf16" => {
            let units = Utf16::read(Json::Object(members), Within::here())?;
            return Ok(crate::__rt::ToKept::to_kept(&units));
        }
        [(key, _)] if key == "f32" || key == "f64" => {
            let narrow = key == "f32";
            let Some((_, json)) = members.into_iter().next() else { return Ok(KeptValue::None) };
            let bits = match narrow {
                true => f32::read(json, Within::here())?.to_bits().into(),
                false => f64::read(json, Within::here())?.to_bits().into(),
            };
            return Ok(KeptValue::Int(bits));
        }
        _ => {}
    }
    Err(Wrong::expected("a value in the notation of deviations", &Json::Object(members)))
}

fn is_row(json: &Json) -> bool {
    match json {
        Json::List(_) => true,
        Json::Object(members) => matches!(members.as_slice(), [(key, _)] if key == "struct"),
        _ => false,
    }
}

/// The fields of a row of a table.
fn row_values(json: Json) -> Result<Vec<KeptValue>, Wrong> {
    match json {
        Json::List(values) => values.into_iter().map(kept_value).collect(),
        Json::Object(mut members) => match members.pop() {
            Some((_, Json::Object(fields))) => {
                fields.into_iter().map(|(_, value)| kept_value(value)).collect()
            }
            _ => Err(Wrong::new("expected an object with the columns")),
        },
        other => Ok(Vec::from([kept_value(other)?])),
    }
}

/// A field of a word, which has so few bits that only these numbers fit.
///
/// # Errors
///
/// If it is not there, and must be, or is something else.
pub fn part_of_word<T: FromJson + crate::__rt::ToKept>(
    from: &mut Members,
    name: &'static str,
    required: &[&str],
    low: i128,
    high: i128,
) -> Result<Option<T>, Wrong> {
    let value: Option<T> = from.field(name, required)?;
    match value.as_ref().map(crate::__rt::ToKept::to_kept) {
        Some(KeptValue::Int(number)) if number < low || number > high => {
            let expected = format!("an integer from {low} to {high}");
            Err(Wrong::expected(&expected, &Json::Int(number)).in_field(name))
        }
        _ => Ok(value),
    }
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl FromJson for $ty {
            fn expected() -> String {
                format!("an integer from {} to {}", <$ty>::MIN, <$ty>::MAX)
            }

            fn read(json: Json, _: Within) -> Result<Self, Wrong> {
                let number = match json {
                    Json::Int(number) => <$ty>::try_from(number).ok(),
                    _ => None,
                };
                number.ok_or_else(|| Wrong::expected(&Self::expected(), &json))
            }

            fn of_byte(byte: u8) -> Option<Self> {
                <$ty>::try_from(byte).ok()
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 i8 i16 i32 i64 i128);

/// The number that is said, or its bits; also in the notation of what is kept, where computed ones
/// have 64 bits.
fn float(json: &Json, bytes: u8) -> Option<Result<f64, u64>> {
    match json {
        Json::Float(number) => Some(Ok(*number)),
        #[allow(clippy::cast_precision_loss)] // As a float is meant.
        Json::Int(number) => Some(Ok(*number as f64)),
        Json::Object(members) => match members.as_slice() {
            [(key, Json::Text(text))] if key == "bits" => bits_of(text, bytes).map(Err),
            [(key, inner)] if key == "f32" && bytes == 4 => float(inner, 4),
            [(key, inner)] if key == "f64" => match float(inner, 8) {
                Some(Err(bits)) => Some(Ok(f64::from_bits(bits))),
                other => other,
            },
            _ => None,
        },
        _ => None,
    }
}

impl FromJson for f32 {
    fn expected() -> String {
        "a number of 32 bits, or {\"bits\": \"0x..\"}".into()
    }

    #[allow(clippy::cast_possible_truncation)] // That is what is asked for.
    fn read(json: Json, _: Within) -> Result<Self, Wrong> {
        match float(&json, 4) {
            Some(Err(bits)) => Ok(f32::from_bits(bits as u32)),
            Some(Ok(number)) if (number as f32).is_finite() || !number.is_finite() => {
                Ok(number as f32)
            }
            Some(Ok(_)) => {
                let expected = format!("a number of 32 bits (the largest is {:e})", f32::MAX);
                Err(Wrong::expected(&expected, &json))
            }
            None => Err(Wrong::expected(&Self::expected(), &json)),
        }
    }
}

impl FromJson for f64 {
    fn expected() -> String {
        "a number of 64 bits, or {\"bits\": \"0x..\"}".into()
    }

    fn read(json: Json, _: Within) -> Result<Self, Wrong> {
        match float(&json, 8) {
            Some(Ok(number)) => Ok(number),
            Some(Err(bits)) => Ok(f64::from_bits(bits)),
            None => Err(Wrong::expected(&Self::expected(), &json)),
        }
    }
}

impl FromJson for bool {
    fn expected() -> String {
        "`true` or `false`".into()
    }

    fn read(json: Json, _: Within) -> Result<Self, Wrong> {
        match json {
            Json::Bool(yes) => Ok(yes),
            other => Err(Wrong::expected(&Self::expected(), &other)),
        }
    }
}

impl FromJson for Endian {
    fn expected() -> String {
        "\"little\" or \"big\"".into()
    }

    fn read(json: Json, _: Within) -> Result<Self, Wrong> {
        match &json {
            Json::Text(text) if text == "little" => Ok(Endian::Little),
            Json::Text(text) if text == "big" => Ok(Endian::Big),
            _ => Err(Wrong::expected(&Self::expected(), &json)),
        }
    }
}

impl FromJson for Cow<'_, str> {
    fn expected() -> String {
        "a text".into()
    }

    fn read(json: Json, _: Within) -> Result<Self, Wrong> {
        match json {
            Json::Text(text) => Ok(Cow::Owned(text)),
            other => Err(Wrong::expected(&Self::expected(), &other)),
        }
    }
}

impl FromJson for Cow<'_, [u8]> {
    fn expected() -> String {
        BYTES.into()
    }

    fn read(json: Json, _: Within) -> Result<Self, Wrong> {
        bytes(&json).map(Cow::Owned)
    }
}

fn bytes(json: &Json) -> Result<Vec<u8>, Wrong> {
    if let Json::Object(members) = json {
        if let [(key, Json::Text(text))] = members.as_slice() {
            if let Some(bytes) = bytes_of(key, text) {
                let wrong = |expected| Wrong::expected(expected, &Json::Text(text.clone()));
                return bytes.map_err(wrong);
            }
        }
    }
    Err(Wrong::expected(BYTES, json))
}

impl FromJson for Utf16 {
    fn expected() -> String {
        "a text, or {\"utf16\": [..]} with units from 0 to 65535".into()
    }

    fn read(json: Json, _: Within) -> Result<Self, Wrong> {
        let units = match &json {
            Json::Text(text) => return Ok(Utf16::from(text.as_str())),
            Json::Object(members) => match members.as_slice() {
                [(key, Json::List(list))] if key == "utf16" => {
                    let unit = |unit: &Json| match unit {
                        Json::Int(unit) => u16::try_from(*unit).ok(),
                        _ => None,
                    };
                    list.iter().map(unit).collect()
                }
                _ => None,
            },
            _ => None,
        };
        let units: Option<Vec<u16>> = units;
        units.map(Utf16::from_units).ok_or_else(|| Wrong::expected(&Self::expected(), &json))
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn expected() -> String {
        T::expected()
    }

    fn read(json: Json, within: Within) -> Result<Self, Wrong> {
        match json {
            Json::Null => Ok(None),
            json => T::read(json, within).map(Some),
        }
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn expected() -> String {
        T::expected()
    }

    fn read(json: Json, within: Within) -> Result<Self, Wrong> {
        T::read(json, within).map(Box::new)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn expected() -> String {
        "a list".into()
    }

    fn read(json: Json, within: Within) -> Result<Self, Wrong> {
        within.deeper()?;
        match json {
            Json::List(list) => {
                let one = |(index, json)| {
                    T::read(json, within).map_err(|wrong: Wrong| wrong.in_index(index))
                };
                list.into_iter().enumerate().map(one).collect()
            }
            // Numbers of eight bits may be given as bytes.
            Json::Object(_) if T::of_byte(0).is_some() => {
                let wrong = || Wrong::new(format!("expected {}", T::expected()));
                let numbers = bytes(&json)?.into_iter().map(|byte| T::of_byte(byte));
                numbers.map(|number| number.ok_or_else(wrong)).collect()
            }
            other => Err(Wrong::expected(&Self::expected(), &other)),
        }
    }
}

impl<T: FromJson, const N: usize> FromJson for [T; N] {
    fn expected() -> String {
        format!("a list of {N}")
    }

    fn read(json: Json, within: Within) -> Result<Self, Wrong> {
        let list = Vec::<T>::read(json, within)?;
        let wrong = |list: Vec<T>| {
            Wrong::new(format!("expected {}, found one of {}", Self::expected(), list.len()))
        };
        <[T; N]>::try_from(list).map_err(wrong)
    }
}

/// The case of a union, and the object with its fields.
///
/// # Errors
///
/// If it is none.
pub fn case(json: Json, expected: &dyn Fn() -> String) -> Result<(String, Json), Wrong> {
    let Json::Object(mut members) = json else { return Err(Wrong::expected(&expected(), &json)) };
    if members.len() == 1 {
        if let Some((key, body)) = members.pop() {
            return match plain_key(&key) {
                Some(name) => Ok((name.into(), body)),
                None => Err(no_case_of([key.as_str()].into_iter(), expected)),
            };
        }
    }
    Err(no_case_of(members.iter().map(|(key, _)| key.as_str()), expected))
}

fn no_case_of<'k>(
    keys: impl ExactSizeIterator<Item = &'k str>,
    expected: &dyn Fn() -> String,
) -> Wrong {
    Wrong::new(format!("expected {}, found {}", expected(), keys_words(keys)))
}

/// That a union has no such case.
///
/// # Errors
///
/// That.
pub fn no_case<T>(key: &str, expected: &dyn Fn() -> String) -> Result<T, Wrong> {
    Err(no_case_of([key].into_iter(), expected))
}

/// A case without fields.
///
/// # Errors
///
/// If it has some.
pub fn nothing(json: Json, within: Within) -> Result<(), Wrong> {
    Members::new(json, "it", |_| {}, within)?.finish("it", &[])
}

/// What must be given for a struct.
#[must_use]
pub fn words_of_struct<T: FromMembers>() -> String {
    words_of(T::NAME, T::names)
}

fn words_of(name: &str, names: fn(&mut Vec<&'static str>)) -> String {
    let mut all = Vec::new();
    names(&mut all);
    super::struct_words(name, all.into_iter())
}

/// The members of an object, each key once.
#[derive(Debug, Default)]
pub struct Keys {
    members: Vec<(String, Json)>,
    /// Keys by name, from so many on that looking through all takes long.
    seen: BTreeSet<String>,
}

/// Objects with more keys have them in a set.
const FEW_KEYS: usize = 16;

impl Keys {
    /// Adds a member.
    ///
    /// # Errors
    ///
    /// If the key is there already.
    pub fn add(&mut self, key: String, member: Json) -> Result<(), Wrong> {
        if self.members.len() == FEW_KEYS {
            self.seen.extend(self.members.iter().map(|(key, _)| key.clone()));
        }
        let is_new = if self.members.len() < FEW_KEYS {
            self.members.iter().all(|(other, _)| *other != key)
        } else {
            self.seen.insert(key.clone())
        };
        if !is_new {
            return Err(Wrong::new(format!("the key {key:?} is there twice")));
        }
        self.members.push((key, member));
        Ok(())
    }

    /// The object.
    #[must_use]
    pub fn object(self) -> Json {
        Json::Object(self.members)
    }
}

/// What must be given for a position in an array.
#[must_use]
pub fn index_words() -> String {
    format!("an integer from 0 to {}", u32::MAX - 1)
}

/// A position in an array.
///
/// # Errors
///
/// If it is none.
pub fn index(json: &Json) -> Result<u32, Wrong> {
    match json {
        Json::Int(number) => u32::try_from(*number).ok(),
        _ => None,
    }
    .ok_or_else(|| Wrong::expected(&index_words(), json))
}
