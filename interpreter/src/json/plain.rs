//! Parts of JSON that need no model: bytes, floats, and deviations from what is canonical.

use formwork::json::{BYTES, bits_of, bytes_of};
use formwork_model::float_of;

use super::parse::{Json, Kind};
use super::read::Problems;
use super::{INSTEAD_OF, KEPT, KIND, ROW, SPELLED, STORED};
use crate::stack::with_stack;
use crate::value::{Kept, KeptKind, StructValue, UnionValue, Value};

/// Reads them, and notes what is wrong.
pub(super) struct Plain<'p, 't> {
    pub problems: &'p mut Problems<'t>,
}

impl Plain<'_, '_> {
    /// Bytes in either notation.
    pub(super) fn bytes(&mut self, json: &Json<'_>) -> Value {
        let Some((key, inner)) = single(json) else { return self.problems.wrong(json, BYTES) };
        let decoded = match &inner.kind {
            Kind::Text(text) => bytes_of(key, text),
            _ => None,
        };
        match decoded {
            Some(Ok(bytes)) => Value::Bytes(bytes),
            Some(Err(expected)) => self.problems.wrong(inner, expected),
            None => self.problems.wrong(json, BYTES),
        }
    }

    /// Units of UTF-16. If they are a text after all, they are one.
    pub(super) fn units(&mut self, json: &Json<'_>) -> Value {
        let expected = "a text, or {\"utf16\": [..]} with units from 0 to 65535";
        let Some(("utf16", Json { kind: Kind::List(list), .. })) = single(json) else {
            return self.problems.wrong(json, expected);
        };
        let units: Option<Vec<u16>> = list
            .iter()
            .map(|unit| match unit.kind {
                Kind::Number(number) => number.parse().ok(),
                _ => None,
            })
            .collect();
        let Some(units) = units else { return self.problems.wrong(json, expected) };
        match String::from_utf16(&units) {
            Ok(text) => Value::Text(text),
            Err(_) => Value::Units(units),
        }
    }

    /// A float of so many bytes: a number, or its bits.
    pub(super) fn float(&mut self, json: &Json<'_>, bytes: u8) -> Value {
        let digits = usize::from(bytes) * 2;
        let bits = match (&json.kind, single(json)) {
            (Kind::Number(number), _) => match float_of(number, bytes) {
                Ok(bits) => Some(bits),
                Err(error) => {
                    let width = digits * 4;
                    let expected = format!("a number of {width} bits ({error})");
                    return self.problems.wrong(json, &expected);
                }
            },
            (_, Some(("bits", Json { kind: Kind::Text(text), .. }))) => bits_of(text, bytes),
            _ => None,
        };
        match bits {
            Some(bits) => Value::Float { bits, bytes },
            None => {
                let width = digits * 4;
                let expected = format!("a number of {width} bits, or {{\"bits\": \"0x..\"}}");
                self.problems.wrong(json, &expected)
            }
        }
    }

    /// The deviations of a struct.
    pub(super) fn kept(&mut self, json: &Json<'_>) -> Vec<Kept> {
        let Kind::List(list) = &json.kind else {
            self.problems.wrong(json, "a list of deviations");
            return Vec::new();
        };
        list.iter().filter_map(|entry| self.deviation(entry)).collect()
    }

    fn deviation(&mut self, json: &Json<'_>) -> Option<Kept> {
        let members = match &json.kind {
            Kind::Object(members) => members.as_slice(),
            _ => &[],
        };
        let keys = [ROW, KIND, STORED, INSTEAD_OF];
        let strange = members.iter().find(|(key, _)| !keys.contains(&key.as_str()));
        let row = json.get(ROW).map(|row| &row.kind);
        let kind = json.get(KIND).map(|kind| &kind.kind);
        let (None, Some(Kind::Text(row)), Some(Kind::Text(kind)), Some(stored)) =
            (strange, row, kind, json.get(STORED))
        else {
            self.problems.wrong(json, "an object with `row`, `kind`, `stored`, and `instead_of`");
            return None;
        };
        let Some(kind) = KeptKind::ALL.into_iter().find(|known| known.name() == kind) else {
            let names: Vec<_> = KeptKind::ALL.iter().map(|kind| kind.name()).collect();
            let place = json.get(KIND).unwrap_or(json);
            self.problems.wrong(place, &format!("a kind of deviation ({})", names.join(", ")));
            return None;
        };
        let stored = self.value(stored);
        let instead_of = json.get(INSTEAD_OF).map_or(Value::None, |json| self.value(json));
        Some(Kept { row: row.clone(), kind, stored, instead_of })
    }

    /// A value whose type nothing says.
    fn value(&mut self, json: &Json<'_>) -> Value {
        match &json.kind {
            Kind::Null => Value::None,
            Kind::Bool(yes) => Value::Bool(*yes),
            Kind::Text(text) => Value::Text(text.clone()),
            Kind::Number(number) => match number.parse() {
                Ok(number) => Value::Int(number),
                Err(_) => self.problems.wrong(json, "an integer, or a float {\"f32\": ..}"),
            },
            Kind::List(list) => {
                with_stack(|| Value::Array(list.iter().map(|json| self.value(json)).collect()))
            }
            Kind::Object(_) => with_stack(|| self.wrapped(json)),
        }
    }

    fn wrapped(&mut self, json: &Json<'_>) -> Value {
        match single(json) {
            Some(("hex" | "base64", _)) => return self.bytes(json),
            Some(("utf16", _)) => return self.units(json),
            Some(("f32", float)) => return self.float(float, 4),
            Some(("f64", float)) => return self.float(float, 8),
            Some(("struct", fields)) => return Value::Struct(self.fields(fields)),
            _ => {}
        }
        let keys: Vec<&str> = match &json.kind {
            Kind::Object(members) => members.iter().map(|(key, _)| key.as_str()).collect(),
            _ => Vec::new(),
        };
        match (keys.as_slice(), json.get("case").map(|case| &case.kind)) {
            (["case", "struct"] | ["struct", "case"], Some(Kind::Text(case))) => {
                let value = json.get("struct").map(|fields| self.fields(fields));
                let value = value.unwrap_or_default();
                Value::Union(Box::new(UnionValue { case: case.clone(), value }))
            }
            ([SPELLED, KEPT] | [KEPT, SPELLED], _) => {
                let value = json.get(SPELLED).map_or(Value::None, |json| self.value(json));
                let kept = json.get(KEPT).map(|json| self.kept(json)).unwrap_or_default();
                Value::Spelled(Box::new(value), kept)
            }
            _ => self.problems.wrong(json, "a value in the notation of deviations"),
        }
    }

    fn fields(&mut self, json: &Json<'_>) -> StructValue {
        let Kind::Object(members) = &json.kind else {
            self.problems.wrong(json, "an object");
            return StructValue::default();
        };
        let mut value = StructValue::default();
        for (key, member) in members {
            if key == KEPT {
                value.kept = self.kept(member);
            } else {
                let name = key.strip_prefix("$").unwrap_or(key);
                value.fields.push((name.to_owned(), self.value(member)));
            }
        }
        value
    }
}

/// The one member of an object.
fn single<'j, 't>(json: &'j Json<'t>) -> Option<(&'j str, &'j Json<'t>)> {
    match &json.kind {
        Kind::Object(members) => match members.as_slice() {
            [(key, value)] => Some((key, value)),
            _ => None,
        },
        _ => None,
    }
}
