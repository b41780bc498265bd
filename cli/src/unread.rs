//! What is said of a file that could not be read.

use std::path::Path;

use formwork_formats::FormatId;

use crate::schema::Format;
use crate::shown;

/// The block that a failed read prints: what, and below it why and where, with the bytes there; and
/// which format a file of another one seems to have.
pub(crate) fn reading_block(
    path: &Path,
    format: &Format,
    error: &formwork::ReadError,
    bytes: &[u8],
) -> String {
    let mut block = format!(
        "error: cannot read {} as {}\n  {}\n  at {:#x} in {}",
        shown::path(path),
        format.name(),
        shown::text(&error.kind().to_string()),
        error.offset(),
        shown::text(&error.path().shortened().to_string()),
    );
    if let Some(allowance) = format.allowance(error.kind()) {
        block.push_str(&format!("\n  {allowance}"));
    }
    for line in error.excerpt(bytes).lines() {
        block.push_str("\n    ");
        block.push_str(line);
    }
    if !format.signature.fits(bytes) {
        let mut others = FormatId::ALL.iter().filter(|other| other.name() != format.name());
        if let Some(other) = others.find(|other| other.detects(bytes)) {
            block.push_str(&format!("\n  it seems to be a file of the format {other}"));
        }
    }
    block
}
