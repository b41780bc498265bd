//! Text to tree: KDL, then lines, types and expressions, each with its place.
//!
//! Nothing is looked up here; any text ends in a tree and problems, never in a panic.

mod about;
pub(crate) mod ast;
pub(crate) mod builtin;
mod cases;
pub mod codes;
pub(crate) mod expr;
pub(crate) mod kdl;
pub(crate) mod labels;
mod layouts;
mod lex;
pub(crate) mod near;
mod props;
mod rows;
mod scan;
mod tops;
mod types;
mod words;

pub(crate) use scan::MAX_TEXT;

use crate::diagnostic::Diagnostics;
use crate::span::{SourceId, SourceMap};

/// Parses a text of the map. `None` if it is not KDL; then the problems say why.
pub(crate) fn parse(
    source: SourceId,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<ast::Tree> {
    let nodes = kdl::nodes(source, &sources.get(source).text, diagnostics)?;
    Some(tops::tree(source, &nodes, diagnostics))
}

/// Bytes from hex digits; blanks between them don't count.
pub(crate) fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect()
}
