//! Why a value could not be written, and where.
//!
//! A writer validates before it writes, and reports every problem, not the first: there is no
//! offset, since no byte was written yet.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{broken_rule, Bytes};
use crate::path::Path;

/// Every problem that keeps a value from being written, in the order in which they were found.
///
/// ```
/// use formwork::{Problem, ProblemKind, WriteError};
/// use formwork::path::Path;
///
/// let mut name = Path::new();
/// name.push("name");
/// let error = WriteError::new(vec![
///     Problem::new(name, ProblemKind::TextNotEncodable { encoding: "ascii", letter: 'é' }),
///     Problem::new(Path::new(), ProblemKind::NoForm),
/// ]);
/// assert_eq!(
///     error.to_string(),
///     "it has the character 'é', which ascii cannot say, in name\n\
///      none of the forms that the schema has can hold it, in file",
/// );
/// ```
///
/// `Debug` adds the [code](ProblemKind::code) of each, since that is what `main` prints of an error;
/// `{:#?}` has the parts one by one.
#[derive(Clone, PartialEq, Eq)]
pub struct WriteError {
    problems: Vec<Problem>,
}

impl WriteError {
    /// An error of these problems; there should be at least one.
    #[cold]
    #[must_use]
    pub fn new(problems: Vec<Problem>) -> Self {
        WriteError { problems }
    }

    /// `Ok` if there are no problems, else an error of all of them.
    ///
    /// # Errors
    ///
    /// If `problems` is not empty.
    pub fn check(problems: Vec<Problem>) -> Result<(), WriteError> {
        if problems.is_empty() {
            Ok(())
        } else {
            Err(WriteError::new(problems))
        }
    }

    /// The problems, in the order in which they were found.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Gives the problems away.
    #[must_use]
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

impl From<Problem> for WriteError {
    fn from(problem: Problem) -> Self {
        WriteError::new(vec![problem])
    }
}

/// One problem per line.
impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().enumerate() {
            if position > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.debug_struct("WriteError").field("problems", &self.problems).finish();
        }
        for (position, problem) in self.problems.iter().enumerate() {
            let line = if position == 0 { "" } else { "\n" };
            write!(f, "{line}{problem} ({})", problem.kind.code())?;
        }
        Ok(())
    }
}

impl core::error::Error for WriteError {}

/// One reason why a value cannot be written, with the field that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field, from the root of the value.
    pub path: Path,
    /// What is wrong with it.
    pub kind: ProblemKind,
}

impl Problem {
    /// A problem of the field at `path`.
    #[cold]
    #[must_use]
    pub fn new(path: Path, kind: ProblemKind) -> Self {
        Problem { path, kind }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, in {}", self.kind, self.path.shortened())
    }
}

/// What is wrong with a value that cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A number is outside the range of its field, or a derived one (a count, a size, an address)
    /// is.
    DoesNotFit {
        /// The number.
        value: Box<str>,
        /// The type of the field, such as `u16`.
        ty: Box<str>,
    },
    /// A text or byte run does not fit into its room.
    TooLong {
        /// The most bytes that it may have.
        most: u64,
        /// The bytes that it has.
        actual: u64,
        /// What fixes the room.
        why: Box<str>,
    },
    /// An array, a text or a byte run has the wrong length.
    LengthMismatch {
        /// The length that it must have.
        expected: i128,
        /// The length that it has.
        actual: u64,
        /// What fixes the length.
        why: Box<str>,
    },
    /// An index is outside the array that it refers to.
    IndexOutOfRange {
        /// The index, from 0.
        index: i128,
        /// How many elements the array has.
        count: u64,
    },
    /// A text holds a character that its encoding has no code for.
    TextNotEncodable {
        /// Name of the encoding, such as `ascii`.
        encoding: &'static str,
        /// The first such character.
        letter: char,
    },
    /// Two things in the value do not go together, or something is where it cannot be.
    Contradicts {
        /// What must be, or is not.
        what: Box<str>,
    },
    /// A text or byte run holds what would end it early when it is read again.
    TextContains {
        /// What it holds, such as `its terminator`.
        what: Box<str>,
    },
    /// A number is the one that stands for nothing, so it would be read as nothing.
    MeansNothing {
        /// The number.
        value: i128,
    },
    /// A field that this version of the format has is absent from the value.
    MissingField,
    /// A field is present that this version of the format has no place for.
    UnexpectedField {
        /// Why there is no place.
        why: Box<str>,
    },
    /// A value is of the wrong kind, such as a text where a number must stand.
    WrongKind {
        /// The kind it must have.
        expected: Box<str>,
        /// The kind it has.
        actual: Box<str>,
    },
    /// A union has no case of this name, or not in this version.
    UnknownCase {
        /// The name.
        name: Box<str>,
    },
    /// A condition of the schema does not hold.
    CheckFailed {
        /// The condition, as the schema writes it.
        check: Box<str>,
        /// What the schema says about the condition; empty if it says nothing.
        why: Box<str>,
    },
    /// Two elements have one key where keys must differ.
    DuplicateKey {
        /// The key.
        key: Box<str>,
    },
    /// A key is empty, or only NUL characters, where it must be found again by its bits.
    EmptyKey,
    /// No spelling that the schema knows can hold the value.
    NoForm,
    /// No layout of the schema covers a version that the value states.
    NoLayout {
        /// Name of the number that selects the layout.
        name: Box<str>,
        /// Its value.
        value: i128,
    },
    /// The layout puts this object nowhere, though something refers to it.
    NotPlaced,
    /// A derived number depends on itself.
    Cycle {
        /// What depends on itself.
        what: Box<str>,
    },
    /// The value is nested deeper than a reader would accept.
    DepthLimit {
        /// The limit, in entries into types that contain themselves.
        limit: u32,
    },
    /// A value must occur in another array, and does not.
    NotAnElement {
        /// How it does not: that no element has it, for instance.
        what: Box<str>,
    },
    /// What would be written is larger than can be held.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// What would be written is read as something else, or not at all.
    ReadsOtherwise {
        /// What a reader would find.
        why: Box<str>,
    },
    /// An object would stand where nobody looks for it.
    FoundElsewhere {
        /// Its address.
        at: u64,
        /// Where a reader looks; nowhere if nothing says an address.
        looked: Option<i128>,
    },
    /// An expression of the schema has no value here: it overflows, divides by zero, or names what
    /// is absent.
    Expression {
        /// What happened.
        message: Box<str>,
    },
}

impl ProblemKind {
    /// A name for programs, in snake case. It does not change when the words of the message do.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::DoesNotFit { .. } => "does_not_fit",
            Self::LengthMismatch { .. } | Self::TooLong { .. } => "length_mismatch",
            Self::IndexOutOfRange { .. } => "index_out_of_range",
            Self::TextNotEncodable { .. } => "text_not_encodable",
            Self::Contradicts { .. } => "contradicts",
            Self::TextContains { .. } => "text_contains",
            Self::MeansNothing { .. } => "means_nothing",
            Self::MissingField => "missing_field",
            Self::UnexpectedField { .. } => "unexpected_field",
            Self::WrongKind { .. } => "wrong_kind",
            Self::UnknownCase { .. } => "unknown_case",
            Self::CheckFailed { .. } => "check_failed",
            Self::DuplicateKey { .. } => "duplicate_key",
            Self::EmptyKey => "empty_key",
            Self::NoForm => "no_form",
            Self::NoLayout { .. } => "no_layout",
            Self::NotPlaced => "not_placed",
            Self::Cycle { .. } => "cycle",
            Self::DepthLimit { .. } => "depth_limit",
            Self::NotAnElement { .. } => "not_an_element",
            Self::TooLarge { .. } => "too_large",
            Self::ReadsOtherwise { .. } => "reads_otherwise",
            Self::FoundElsewhere { .. } => "found_elsewhere",
            Self::Expression { .. } => "expression",
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotFit { value, ty } => write!(f, "{value} does not fit `{ty}`"),
            Self::TooLong { most, actual, why } => {
                write!(f, "its length is {actual}, but must be at most {most}: {why}")
            }
            Self::LengthMismatch { expected, actual, why } => {
                write!(f, "its length is {actual}, but must be {expected}: {why}")
            }
            Self::IndexOutOfRange { index, count } => {
                let elements = if *count == 1 { "element" } else { "elements" };
                write!(f, "index {index} is out of range, the array has {count} {elements}")
            }
            Self::TextNotEncodable { encoding, letter } => {
                write!(f, "it has the character {letter:?}, which {encoding} cannot say")
            }
            Self::Contradicts { what } => f.write_str(what),
            Self::TextContains { what } => {
                write!(f, "it contains {what}, and would be read as less than it is")
            }
            Self::MeansNothing { value } => write!(f, "{value} would be read as nothing"),
            Self::MissingField => f.write_str("it must be there, and is not"),
            Self::UnexpectedField { why } => write!(f, "it must not be there: {why}"),
            Self::WrongKind { expected, actual } => {
                write!(f, "expected {expected}, found {actual}")
            }
            Self::UnknownCase { name } => write!(f, "there is no case `{name}` here"),
            Self::CheckFailed { check, why } => broken_rule(f, check, why),
            Self::DuplicateKey { key } => write!(f, "the key {key:?} is there twice"),
            Self::EmptyKey => f.write_str("a key must not be empty"),
            Self::NoForm => f.write_str("none of the forms that the schema has can hold it"),
            Self::NoLayout { name, value } => write!(f, "there is no layout for `{name}` {value}"),
            Self::NotPlaced => {
                f.write_str("it would be written nowhere: the layout has no place for it")
            }
            Self::Cycle { what } => write!(f, "{what} depends on itself"),
            Self::DepthLimit { limit } => {
                write!(f, "it is nested deeper than the limit of {limit}")
            }
            Self::NotAnElement { what } => f.write_str(what),
            Self::TooLarge { limit } => {
                write!(f, "it is larger than the limit of {}", Bytes(*limit))
            }
            Self::ReadsOtherwise { why } => write!(f, "it would be read as something else: {why}"),
            Self::FoundElsewhere { at, looked: Some(looked) } => {
                write!(f, "it would be at {at:#x}, but a reader looks for it at {looked:#x}")
            }
            Self::FoundElsewhere { at, looked: None } => {
                write!(f, "it would be at {at:#x}, but nothing tells a reader where it is")
            }
            Self::Expression { message } => f.write_str(message),
        }
    }
}
