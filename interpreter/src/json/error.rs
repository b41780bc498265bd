//! What is wrong with a JSON text.

use std::error::Error;
use std::fmt;

use super::SyntaxError;

/// Why a JSON text is no value of a format.
#[derive(Clone, PartialEq, Eq)]
pub enum JsonError {
    /// It is no JSON.
    Syntax(SyntaxError),
    /// It is JSON, but no value of the format: everything that is wrong, in the order of the text
    /// as far as the order of the schema allows.
    Value(Vec<JsonProblem>),
}

/// One thing that is wrong with a value in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonProblem {
    /// Where it is, from the top: `value.rooms[3].name`; empty for the whole text.
    pub path: String,
    /// Line of the text, from 1. Of what is missing: where the object around it begins.
    pub line: usize,
    /// What was expected, and what is there.
    pub message: String,
}

impl fmt::Display for JsonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JsonProblem { path, line, message } = self;
        let colon = if path.is_empty() { "" } else { ": " };
        write!(f, "{path}{colon}{message} (line {line})")
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonError::Syntax(error) => error.fmt(f),
            JsonError::Value(problems) => {
                for (index, problem) in problems.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "\n" };
                    write!(f, "{comma}{problem}")?;
                }
                Ok(())
            }
        }
    }
}

/// As in words: it is what `main` prints of an error.
impl fmt::Debug for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for JsonError {}
