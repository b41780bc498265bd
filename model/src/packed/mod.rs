//! Models as texts that stand well in a string literal.
//!
//! A packed text is a checksum and the squeezed form of what [`values`] makes of a model by the
//! lists in [`fields`]. It is short rather than legible. What only pages, diagnostics and the front
//! end need of a model is left out: documentation, sources, places in schemas, and the like.

mod digits;
mod fields;
mod squeeze;
#[cfg(test)]
mod tests;
mod values;

use alloc::string::String;

use self::values::{Pack, Packer, Unpacker};
use super::Model;

/// A model as a text, without what reading and writing do not need.
///
/// Types and statements that are nested more than 256 levels deep are not read again.
#[must_use]
pub fn pack(model: &Model) -> String {
    let mut to = Packer::default();
    model.pack(&mut to);
    seal(&squeeze::squeeze(&to.finish()))
}

/// The model that [`pack`] has made a text of, where what it leaves out is empty. `None` for any
/// other text, and for one that a version of this crate with other models has made.
#[must_use]
pub fn unpack(text: &str) -> Option<Model> {
    let mut rest = text.chars();
    let sum = digits::read(&mut rest)?;
    if sum != checksum(rest.as_str()).into() {
        return None;
    }
    open(rest.as_str())
}

fn open(squeezed: &str) -> Option<Model> {
    let plain = squeeze::expand(squeezed)?;
    let mut from = Unpacker::new(&plain);
    let model = Model::unpack(&mut from)?;
    from.is_done().then_some(model)
}

fn seal(squeezed: &str) -> String {
    let mut text = String::new();
    digits::write(checksum(squeezed).into(), &mut text);
    text + squeezed
}

/// FNV-1a of the lists of fields without spaces, so that models with other fields have other sums.
const LISTS: u32 = {
    let (lists, mut at, mut sum) = (fields::LISTS.as_bytes(), 0, 0x811c_9dc5);
    while at < lists.len() {
        if !lists[at].is_ascii_whitespace() {
            sum = add(sum, lists[at]);
        }
        at += 1;
    }
    sum
};

fn checksum(text: &str) -> u32 {
    text.bytes().fold(LISTS, add)
}

const fn add(sum: u32, byte: u8) -> u32 {
    (sum ^ byte as u32).wrapping_mul(0x0100_0193)
}
