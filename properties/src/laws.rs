//! The laws that reading and writing obey, as functions for tests and fuzz targets.
//!
//! A value `v` and a file `f` of a format: `read(write(v)) == v` ([`put_get`]), `write(read(f)) == f`
//! if the file is placed as its schema says ([`get_put`]), `write(read(write(v))) == write(v)`
//! ([`stable`]), and each direction ends in a value or in an error with its place ([`total`]).

use std::fmt;

use formwork::spelling::KeptKind;
use formwork::{ProblemKind, ReadError, ReadOptions, WriteError};
use formwork_interpreter::{Document, Program, Value, in_layout, read, write};

use crate::{shown, value_text};

/// What became of a file that was read and written again.
#[derive(Debug)]
pub enum Outcome {
    /// It has the same bytes.
    Identical,
    /// It has other bytes, and the same value.
    Equivalent(Difference),
    /// It could not be read, written, or read again as the same value.
    Failed(Broken),
}

/// Where two files differ first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Offset of the first byte that differs, from the start of the file.
    pub offset: u64,
    /// Sizes of the file and of what was written, in bytes.
    pub sizes: (u64, u64),
    /// Up to eight bytes of each from there on.
    pub bytes: (Vec<u8>, Vec<u8>),
    /// Path of the innermost row of the file at the offset; empty if none is there.
    pub path: String,
}

/// Why a law does not hold.
#[derive(Debug)]
pub enum Broken {
    /// The file cannot be read.
    Unread(ReadError),
    /// The value cannot be written. For values that a program made up this is no defect.
    Refused(WriteError),
    /// What was written cannot be read.
    Unreadable(ReadError, Vec<u8>),
    /// What was read again has another value; where, and what each has there.
    Changed(String),
    /// What was written the second time has other bytes.
    Unstable(Difference),
    /// An error says no place: its offset lies outside of the file.
    Misplaced(ReadError, u64),
    /// An error of writing says nothing.
    Silent,
    /// What was read again is spelled in another way; what is kept before and after, without what
    /// both have.
    Respelled(Vec<String>, Vec<String>),
    /// What was written has other bytes than what was read, though nothing allows that.
    Rewritten(Difference),
    /// Generated code and interpreter do not agree; in what.
    Engines(String),
    /// An arena does not hold what the ordinary value holds; in what they differ.
    Arena(String),
    /// JSON does not say what the value says; what is wrong.
    Json(String),
    /// The front end broke a promise; which.
    Schema(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |bytes: &[u8]| {
            let parts: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            parts.join(" ")
        };
        write!(
            f,
            "from 0x{:x} on in {}: `{}` of {} bytes became `{}` of {} bytes",
            self.offset,
            if self.path.is_empty() { "no row" } else { &self.path },
            show(&self.bytes.0),
            self.sizes.0,
            show(&self.bytes.1),
            self.sizes.1,
        )
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Unread(error) => write!(f, "not read: {error}"),
            Broken::Refused(error) => write!(f, "not written: {error}"),
            Broken::Unreadable(error, bytes) => {
                write!(f, "the {} bytes written are not read: {error}", bytes.len())
            }
            Broken::Changed(what) => write!(f, "the value changed: {what}"),
            Broken::Unstable(difference) => write!(f, "written differently again: {difference}"),
            Broken::Misplaced(error, size) => {
                write!(f, "error outside of the file of {size} bytes: {error}")
            }
            Broken::Silent => f.write_str("an error without any problem"),
            Broken::Respelled(before, after) => {
                let line = |kept: &[String]| kept.join("; ");
                write!(f, "spelled differently\n    {}\n    {}", line(before), line(after))
            }
            Broken::Rewritten(difference) => write!(f, "the file changed: {difference}"),
            Broken::Engines(what) => write!(f, "the engines differ: {what}"),
            Broken::Arena(what) => write!(f, "the arena differs: {what}"),
            Broken::Json(what) => write!(f, "JSON: {what}"),
            Broken::Schema(what) => write!(f, "front end: {what}"),
        }
    }
}

impl std::error::Error for Broken {}

/// The value of a file.
///
/// # Errors
///
/// As [`read`].
pub fn value_of(program: &Program, bytes: &[u8]) -> Result<Value, ReadError> {
    read(program, bytes, &ReadOptions::default()).map(|document| document.value())
}

/// Reads a file and writes its value.
#[must_use]
pub fn get_put(program: &Program, bytes: &[u8]) -> Outcome {
    let document = match read(program, bytes, &ReadOptions::default()) {
        Ok(document) => document,
        Err(error) => return Outcome::Failed(Broken::Unread(error)),
    };
    let value = document.value();
    let written = match rewritten(program, &document) {
        Ok(written) => written,
        Err(broken) => return Outcome::Failed(broken),
    };
    let Some(mut difference) = first_difference(bytes, &written) else {
        return Outcome::Identical;
    };
    let field = document.field_at(difference.offset);
    difference.path = field.unwrap_or_default();
    match value_of(program, &written) {
        Err(error) => Outcome::Failed(Broken::Unreadable(error, written)),
        Ok(again) => match value_text::difference(&value, &again) {
            None => Outcome::Equivalent(difference),
            Some(what) => Outcome::Failed(Broken::Changed(format!("{what} ({difference})"))),
        },
    }
}

/// Writes the value of a file that was read. The file itself, of which much stands where it stood, is
/// written as the same bytes.
///
/// # Errors
///
/// If the value cannot be written, or the file is written otherwise.
pub fn rewritten(program: &Program, document: &Document<'_>) -> Result<Vec<u8>, Broken> {
    let written = write(program, &document.value()).map_err(Broken::Refused)?;
    let again = document.write().map_err(Broken::Refused)?;
    match first_difference(&written, &again) {
        None => Ok(written),
        Some(difference) => Err(Broken::Rewritten(difference)),
    }
}

/// Writes a value and reads it again. What its layout does not have may be said with the value that
/// stands for it, and is not read again.
///
/// # Errors
///
/// If that gives no value or another one. A value that writing refuses is an error too:
/// [`Broken::Refused`].
pub fn put_get(program: &Program, value: &Value) -> Result<Vec<u8>, Broken> {
    let written = write(program, value).map_err(Broken::Refused)?;
    let again = match value_of(program, &written) {
        Ok(again) => again,
        Err(error) => return Err(Broken::Unreadable(error, written)),
    };
    match value_text::difference(&in_layout(program, value.clone()), &again) {
        None => Ok(written),
        Some(what) => Err(Broken::Changed(what)),
    }
}

/// Writes a value, reads it, and writes that.
///
/// # Errors
///
/// If the second file differs from the first, or there is none.
pub fn stable(program: &Program, value: &Value) -> Result<(), Broken> {
    let written = write(program, value).map_err(Broken::Refused)?;
    let again = match value_of(program, &written) {
        Ok(again) => again,
        Err(error) => return Err(Broken::Unreadable(error, written)),
    };
    let twice = write(program, &again).map_err(Broken::Refused)?;
    match first_difference(&written, &twice) {
        None => Ok(()),
        Some(difference) => Err(Broken::Unstable(difference)),
    }
}

/// Reads any bytes: a value, or an error whose offset lies in the file or at its end.
///
/// Time and memory are bounded by the budget of [`ReadOptions`], not measured here: every byte that
/// is decoded and every element that takes none is charged before it is stored.
///
/// # Errors
///
/// If the offset lies outside. A panic is one.
pub fn total(program: &Program, bytes: &[u8]) -> Result<Result<Value, ReadError>, Broken> {
    match value_of(program, bytes) {
        Ok(value) => Ok(Ok(value)),
        Err(error) => inside(error, bytes).map(Err),
    }
}

/// The error of a file, if it is at an offset in the file or at its end, and says something.
///
/// # Errors
///
/// If not.
pub fn inside(error: ReadError, bytes: &[u8]) -> Result<ReadError, Broken> {
    if error.offset() <= bytes.len() as u64 && !error.to_string().is_empty() {
        Ok(error)
    } else {
        Err(Broken::Misplaced(error, bytes.len() as u64))
    }
}

/// The value without any unusual spelling is written, read as an equal value, and has none again.
/// It may be refused where a file had a number instead of one that its row cannot have, where its
/// arrangement let several things reach to one end, where what is spelled as briefly as it can be has a
/// size that no number of the value says (`size="2 * n"`), and where bits that were kept hid what ends a
/// region (`flags x terminator=nul`).
///
/// # Errors
///
/// If not.
pub fn canonical(program: &Program, value: &Value) -> Result<(), Broken> {
    let canonical = value.clone().canonical();
    let (mut beyond, mut moved, mut hidden, mut wider) = (false, false, false, false);
    value.for_each_kept(&mut |kept| {
        beyond |= matches!(kept.kind, KeptKind::Number | KeptKind::Digits)
            && kept.instead_of == Value::None;
        hidden |= kept.kind == KeptKind::Reserved;
        wider |= matches!(kept.kind, KeptKind::Width | KeptKind::Form);
        moved |= matches!(
            kept.kind,
            KeptKind::Shared | KeptKind::Place | KeptKind::Gap | KeptKind::Width | KeptKind::Form
        );
    });
    let is_no_end = |error: &WriteError| {
        let mut problems = error.problems().iter();
        problems.all(|problem| {
            matches!(problem.kind, ProblemKind::Contradicts { .. } | ProblemKind::Expression { .. })
        })
    };
    let is_short = |error: &WriteError| {
        error.problems().iter().all(|p| matches!(p.kind, ProblemKind::LengthMismatch { .. }))
    };
    let is_ended = |error: &WriteError| {
        error.problems().iter().all(|p| matches!(p.kind, ProblemKind::TextContains { .. }))
    };
    let written = match put_get(program, &canonical) {
        Err(Broken::Refused(_)) if beyond => return Ok(()),
        Err(Broken::Refused(error)) if moved && is_no_end(&error) => return Ok(()),
        Err(Broken::Refused(error)) if wider && is_short(&error) => return Ok(()),
        Err(Broken::Refused(error)) if hidden && is_ended(&error) => return Ok(()),
        written => written?,
    };
    let again = value_of(program, &written).map_err(Broken::Unread)?;
    let mut kept = None;
    again.for_each_kept(&mut |spelling| {
        kept.get_or_insert_with(|| format!("{} is kept: {spelling:?}", spelling.kind.name()));
    });
    match kept {
        None => stable(program, &canonical),
        Some(what) => Err(Broken::Changed(what)),
    }
}

/// The [`Broken`] of two values that are spelled differently.
#[must_use]
pub fn respelled(before: &Value, after: &Value) -> Broken {
    let (mut before, mut after) = (shown::kept(before), shown::kept(after));
    let common: Vec<String> = before.iter().filter(|kept| after.contains(kept)).cloned().collect();
    before.retain(|kept| !common.contains(kept));
    after.retain(|kept| !common.contains(kept));
    Broken::Respelled(before, after)
}

/// Where two files differ first, without a path.
#[must_use]
pub fn first_difference(file: &[u8], written: &[u8]) -> Option<Difference> {
    if file == written {
        return None;
    }
    let at = file.iter().zip(written).take_while(|(a, b)| a == b).count();
    let part = |bytes: &[u8]| bytes.iter().skip(at).take(8).copied().collect();
    Some(Difference {
        offset: at as u64,
        sizes: (file.len() as u64, written.len() as u64),
        bytes: (part(file), part(written)),
        path: String::new(),
    })
}
