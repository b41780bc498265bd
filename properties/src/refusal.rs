//! What is not read or not written, with an error that says why.

use formwork::{ReadError, WriteError};

use crate::laws::{Broken, inside};
use crate::property::Outcome;

/// A file that is not read, if the error is honest.
pub(crate) fn refused(error: ReadError, bytes: &[u8]) -> Result<Outcome, Broken> {
    inside(error, bytes).map(|_| Outcome::Refused)
}

/// A value that is not written, if the error says why.
pub(crate) fn unwritten(error: &WriteError) -> Result<Outcome, Broken> {
    if error.problems().is_empty() || error.to_string().is_empty() {
        return Err(Broken::Silent);
    }
    Ok(Outcome::Refused)
}
