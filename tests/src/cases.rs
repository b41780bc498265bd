//! Conformance cases: small files with what a reader must find in them.
//!
//! A case says nothing about how it is read. Whoever runs it gives a [`Reading`].

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value as Json;

use crate::samples;

/// A case, as the suite describes it.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name, which is that of its schema too.
    pub name: String,
    /// What it is about, such as `bits`.
    pub group: String,
    /// The file to read.
    pub bytes: Vec<u8>,
    /// What must be found.
    pub asserts: Vec<Assert>,
    /// The error that reading must end in.
    pub error: Option<ExpectedError>,
}

/// Something that must be found in a file.
#[derive(Debug, Clone)]
pub struct Assert {
    /// Where: field names and indices.
    pub path: String,
    /// What.
    pub expected: Expected,
    /// Feature that this is about and that a language may do without.
    pub needs: Option<String>,
}

/// A value, as a case states it.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// An integer.
    Int(i128),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(String),
    /// A float of so many bytes, by its bits.
    Float {
        /// 4 or 8.
        width: u8,
        /// The bits, in the low end.
        bits: u64,
    },
    /// Bytes.
    Bytes(Vec<u8>),
    /// A member of an enumeration, or a number without a name.
    Enum {
        /// Name of the member.
        name: Option<String>,
        /// Its number.
        number: i128,
    },
    /// So many elements, or bytes.
    Count(u64),
    /// All elements.
    List(Vec<Expected>),
    /// A field that is absent.
    Absent,
}

/// An error that reading must end in.
#[derive(Debug, Clone)]
pub struct ExpectedError {
    /// What is wrong, in the words of the suite.
    pub kind: String,
    /// The field that fails.
    pub path: String,
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
}

/// What a reader found.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A value; an enumeration member has its number even if it has no name.
    Value(Expected),
    /// No such place.
    Nothing,
    /// Something that no case speaks of.
    Other(String),
}

/// An error that reading ended in.
#[derive(Debug, Clone)]
pub struct FoundError {
    /// Code of the kind, in the words of the runtime.
    pub code: String,
    /// The field that failed.
    pub path: String,
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
    /// The whole message.
    pub message: String,
}

/// A file that was read.
pub trait Reading {
    /// What is stored at a path, derived fields included.
    fn find(&self, path: &str) -> Found;

    /// The bytes that the value is written as.
    ///
    /// # Errors
    ///
    /// The message of the writer, if it refuses.
    fn write(&mut self) -> Result<Vec<u8>, String>;
}

/// What became of a case.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// What went wrong; the case passes if nothing did.
    pub problems: Vec<String>,
    /// How many assertions about features that a language may do without hold.
    pub held: usize,
    /// Why others do not, each with the feature.
    pub missed: Vec<String>,
}

/// Other names of places: path in the case to path in the schema. An index may be `[*]` on both
/// sides.
pub type Names = BTreeMap<String, String>;

/// All cases of the suite, by name; none where it is not. They are read once.
///
/// # Panics
///
/// If a file cannot be read, or is not as the suite describes it.
#[must_use]
pub fn all() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| match samples::conformance() {
        Some(folder) => load(&folder).expect("the cases can be read"),
        None => Vec::new(),
    })
}

/// All cases of the suite in this folder, by name.
///
/// # Errors
///
/// If a file cannot be read, or is not as the suite describes it.
pub fn load(folder: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder.join("cases"))? {
        let path = entry?.path();
        let json: Json = serde_json::from_slice(&fs::read(&path)?)?;
        let case = parse(&json, &folder.join("data"))
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
        cases.push(case);
    }
    cases.sort_by(|a: &Case, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn parse(json: &Json, data: &Path) -> io::Result<Case> {
    let asserts = json["asserts"].as_array().ok_or_else(|| invalid("no asserts"))?;
    let error = &json["error"];
    Ok(Case {
        name: text(&json["name"])?,
        group: text(&json["group"])?,
        bytes: fs::read(data.join(text(&json["data"])?))?,
        asserts: asserts.iter().map(parse_assert).collect::<io::Result<_>>()?,
        error: match error {
            Json::Null => None,
            _ => Some(ExpectedError {
                kind: text(&error["kind"])?,
                path: text(&error["path"])?,
                offset: error["offset"].as_u64().ok_or_else(|| invalid("no offset"))?,
            }),
        },
    })
}

fn parse_assert(json: &Json) -> io::Result<Assert> {
    let expected = match json.get("count") {
        Some(count) => Expected::Count(count.as_u64().ok_or_else(|| invalid("bad count"))?),
        None => parse_value(&text(&json["type"])?, json)?,
    };
    Ok(Assert {
        path: text(&json["path"])?,
        expected,
        needs: json.get("needs").map(text).transpose()?,
    })
}

fn parse_value(ty: &str, json: &Json) -> io::Result<Expected> {
    let value = &json["value"];
    Ok(match ty {
        "int" => Expected::Int(integer(value)?),
        "bool" => Expected::Bool(value.as_bool().ok_or_else(|| invalid("bad bool"))?),
        "text" => Expected::Text(text(value)?),
        "f32" | "f64" => Expected::Float {
            width: if ty == "f32" { 4 } else { 8 },
            bits: u64::from_str_radix(&text(&json["bits"])?, 16)
                .map_err(|_| invalid("bad bits"))?,
        },
        "bytes" => Expected::Bytes(bytes(&text(value)?)?),
        "enum" => Expected::Enum {
            name: (!value.is_null()).then(|| text(value)).transpose()?,
            number: integer(&json["number"])?,
        },
        "list" => {
            let of = text(&json["of"])?;
            let items = value.as_array().ok_or_else(|| invalid("bad list"))?;
            let item = |item: &Json| parse_value(&of, &serde_json::json!({ "value": item }));
            Expected::List(items.iter().map(item).collect::<io::Result<_>>()?)
        }
        "none" => Expected::Absent,
        _ => return Err(invalid(&format!("unknown type {ty}"))),
    })
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn text(json: &Json) -> io::Result<String> {
    json.as_str().map(String::from).ok_or_else(|| invalid(&format!("no text: {json}")))
}

/// Integers beyond 2^53 are written as texts.
fn integer(json: &Json) -> io::Result<i128> {
    match json {
        Json::String(digits) => digits.parse().ok(),
        _ => json.as_i64().map(i128::from).or_else(|| json.as_u64().map(i128::from)),
    }
    .ok_or_else(|| invalid(&format!("no integer: {json}")))
}

fn bytes(hex: &str) -> io::Result<Vec<u8>> {
    (0..hex.len())
        .step_by(2)
        .map(|at| hex.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect::<Option<_>>()
        .ok_or_else(|| invalid("bad hex"))
}

/// Compares what reading a case's file gave with what the case demands: the file as far as it was
/// read, and the error that reading ended in.
#[must_use]
pub fn judge(
    case: &Case,
    names: &Names,
    reading: &mut dyn Reading,
    error: Option<&FoundError>,
) -> Report {
    let mut report = Report::default();
    for assert in &case.asserts {
        let problem = compare(reading, &renamed(&assert.path, names), &assert.expected);
        match (&assert.needs, problem) {
            (None, problem) if error.is_none() => report.problems.extend(problem),
            (None, _) => {}
            (Some(_), None) => report.held += 1,
            (Some(needs), Some(problem)) => report.missed.push(format!("{needs}: {problem}")),
        }
    }
    match (error, &case.error) {
        (None, Some(expected)) => {
            report.problems.push(format!("read, but must fail with {}", expected.kind));
        }
        (Some(found), None) => report.problems.push(format!("not read: {}", found.message)),
        (Some(found), Some(expected)) => {
            if !same_error(expected, &renamed(&expected.path, names), found) {
                report.problems.push(format!(
                    "must fail with {} at 0x{:x} in {}, but: {}",
                    expected.kind, expected.offset, expected.path, found.message
                ));
            }
        }
        (None, None) => match reading.write() {
            Err(message) => report.problems.push(format!("not written: {message}")),
            Ok(written) => report.problems.extend(difference(&case.bytes, &written)),
        },
    }
    report
}

fn compare(reading: &dyn Reading, path: &str, expected: &Expected) -> Option<String> {
    if let Expected::List(items) = expected {
        let mut all = items.iter().enumerate();
        return compare(reading, path, &Expected::Count(items.len() as u64))
            .or_else(|| all.find_map(|(i, item)| compare(reading, &format!("{path}[{i}]"), item)));
    }
    let found = reading.find(path);
    let same = match (&found, expected) {
        (Found::Value(Expected::Bytes(bytes)), Expected::Count(count)) => {
            bytes.len() as u64 == *count
        }
        (Found::Value(found), _) => found == expected,
        _ => false,
    };
    (!same).then(|| format!("{path}: expected {expected:?}, found {found:?}"))
}

/// A reader that checks a whole fixed block at once may name a struct around the field that ends
/// too early, with the offset of the struct. Where no case of a byte order fits, the field that
/// decides is as good a place, and it lies in the struct around.
fn same_error(expected: &ExpectedError, path: &str, found: &FoundError) -> bool {
    let code = match expected.kind.as_str() {
        "end_of_input" => "unexpected_end",
        other => other,
    };
    let exact = found.path == path && found.offset == expected.offset;
    let around = leads_into(&found.path, path) && found.offset <= expected.offset;
    let decides = found.path.rsplit_once('.').is_some_and(|(owner, _)| leads_into(owner, path));
    found.code == code
        && (exact
            || code == "unexpected_end" && around
            || code == "undecided_byte_order" && decides)
}

/// Whether the place `path` lies in the struct or array `owner`.
fn leads_into(owner: &str, path: &str) -> bool {
    let rest = path.strip_prefix(owner);
    rest.is_some_and(|rest| owner.is_empty() || rest.starts_with(['.', '[']))
}

fn difference(expected: &[u8], written: &[u8]) -> Option<String> {
    if expected == written {
        return None;
    }
    let at = expected.iter().zip(written).take_while(|(a, b)| a == b).count();
    let show = |bytes: &[u8]| {
        let part = bytes.iter().skip(at).take(8);
        part.map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
    };
    Some(format!(
        "written differently from 0x{at:x} on: {} bytes, `{}`, instead of {} bytes, `{}`",
        written.len(),
        show(written),
        expected.len(),
        show(expected)
    ))
}

/// The path under which a schema has what a case has at `path`.
fn renamed(path: &str, names: &Names) -> String {
    names.iter().find_map(|(from, to)| rename(path, from, to)).unwrap_or_else(|| path.to_owned())
}

/// Renames the steps of `from` at the start of `path`, if they are there.
fn rename(path: &str, from: &str, to: &str) -> Option<String> {
    let (mut rest, mut indices) = (path, Vec::new());
    for (i, part) in from.split("[*]").enumerate() {
        if i > 0 {
            let end = rest.strip_prefix('[')?.find(']')? + 2;
            indices.push(&rest[..end]);
            rest = &rest[end..];
        }
        rest = rest.strip_prefix(part)?;
    }
    let whole_step = rest.is_empty() || rest.starts_with(['.', '[']);
    let mut indices = indices.into_iter();
    let mut parts = to.split("[*]");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result.push_str(indices.next()?);
        result.push_str(part);
    }
    whole_step.then(|| result + rest)
}

#[cfg(test)]
mod tests {
    use super::{
        Assert, Case, Expected, ExpectedError, Found, FoundError, Names, Reading, judge, renamed,
    };

    #[test]
    fn names_are_mapped_by_whole_steps() {
        let names = Names::from([
            ("body".into(), "body.value".into()),
            ("items[*].body".into(), "items[*].case[*]".into()),
            ("list[*]".into(), "list[*].value".into()),
        ]);
        let check = |path: &str, expected: &str| assert_eq!(renamed(path, &names), expected);
        check("body", "body.value");
        check("body[2].x", "body.value[2].x");
        check("bodyguard", "bodyguard");
        check("list[12]", "list[12].value");
        check("list", "list");
        check("other.body", "other.body");
    }

    /// A file with the byte 7 in the field `a`.
    struct Seven(Vec<u8>);

    impl Reading for Seven {
        fn find(&self, path: &str) -> Found {
            if path == "a" { Found::Value(Expected::Int(7)) } else { Found::Nothing }
        }

        fn write(&mut self) -> Result<Vec<u8>, String> {
            Ok(self.0.clone())
        }
    }

    fn case(path: &str, expected: Expected, error: Option<ExpectedError>) -> Case {
        let asserts = vec![Assert { path: path.into(), expected, needs: None }];
        Case { name: "x".into(), group: "x".into(), bytes: vec![7], asserts, error }
    }

    #[test]
    fn cases_fail_for_other_values_bytes_and_errors() {
        let seven = Expected::Int(7);
        let problems = |case: &Case, written: &[u8], error: Option<&FoundError>| {
            judge(case, &Names::new(), &mut Seven(written.to_vec()), error).problems.len()
        };
        assert_eq!(problems(&case("a", seven.clone(), None), &[7], None), 0);
        assert_eq!(problems(&case("b", seven.clone(), None), &[7], None), 1);
        assert_eq!(problems(&case("a", Expected::Int(8), None), &[7], None), 1);
        assert_eq!(problems(&case("a", Expected::Bool(true), None), &[7], None), 1);
        assert_eq!(problems(&case("a", seven.clone(), None), &[7, 0], None), 1);

        let fails = |path: &str, offset, code: &str| FoundError {
            code: code.into(),
            path: path.into(),
            offset,
            message: String::new(),
        };
        let end = ExpectedError { kind: "end_of_input".into(), path: "a.b[1].c".into(), offset: 9 };
        let end = case("a", seven, Some(end));
        assert_eq!(problems(&end, &[7], None), 1);
        assert_eq!(problems(&end, &[7], Some(&fails("a.b[1].c", 9, "unexpected_end"))), 0);
        assert_eq!(problems(&end, &[7], Some(&fails("a.b[1]", 8, "unexpected_end"))), 0);
        assert_eq!(problems(&end, &[7], Some(&fails("a.b[1]", 10, "unexpected_end"))), 1);
        assert_eq!(problems(&end, &[7], Some(&fails("a.b[2]", 8, "unexpected_end"))), 1);
        assert_eq!(problems(&end, &[7], Some(&fails("a.b[1].c", 8, "unexpected_end"))), 1);
        assert_eq!(problems(&end, &[7], Some(&fails("a.b[1].c", 9, "not_equal"))), 1);
    }
}
