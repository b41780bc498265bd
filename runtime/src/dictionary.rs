//! PATRICIA dictionaries: binary radix trees from a key to its position in an array.
//!
//! Bits of a key are numbered from its end: bit 0 is the least significant bit of the last byte,
//! bit 8 that of the byte before. Bits beyond the first byte are 0, so keys that differ only by NUL
//! bytes in front are the same key.
//!
//! Each node has a key of its own and tests one bit. A link to a node that does not test a later
//! bit leads back up, and ends a search. Which node tests which bit depends on the order of
//! insertion, so the order of the keys fixes the bytes of a stored dictionary.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;
use core::fmt;

/// The greatest number of keys. Positions are stored in 16 bits, and count the root.
pub const DICTIONARY_LIMIT: usize = 65_534;

/// The longest key in bytes: bit numbers are stored in 32 bits, and compared as signed numbers.
const LONGEST_KEY: usize = 0x0fff_ffff;

/// A node of a dictionary. Its links are positions of nodes: 0 is the root, `i + 1` the node of key
/// number `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DictionaryNode {
    /// The bit that the node tests. `u32::MAX` at the root, which tests none.
    pub bit: u32,
    /// The link for keys that have 0 there. At the root: the node to begin with, or the root if
    /// there is none.
    pub zero: u16,
    /// The link for keys that have 1 there. At the root: 0, not used.
    pub one: u16,
}

impl DictionaryNode {
    /// The bit as it is compared: that of the root is less than all others.
    fn rank(self) -> i32 {
        i32::from_ne_bytes(self.bit.to_ne_bytes())
    }

    fn link(self, key: &[u8]) -> u16 {
        if bit(key, self.bit) {
            self.one
        } else {
            self.zero
        }
    }
}

/// Why keys cannot be put into a dictionary. Positions count keys, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DictionaryError {
    /// A key is empty, or only NUL bytes. It has no bit that sets it apart from the root.
    EmptyKey {
        /// Position of the key.
        index: usize,
    },
    /// A key equals an earlier one, NUL bytes in front not counted.
    DuplicateKey {
        /// Position of the key.
        index: usize,
        /// Position of the earlier one.
        of: usize,
    },
    /// There are more keys than [`DICTIONARY_LIMIT`].
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A key is so long that the number of its first bit is no positive number of 32 bits.
    KeyTooLong {
        /// Position of the key.
        index: usize,
    },
}

impl fmt::Display for DictionaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyKey { index } => write!(f, "key number {index} is empty"),
            Self::DuplicateKey { index, of } => {
                write!(f, "key number {index} equals key number {of}")
            }
            Self::TooMany { count } => {
                write!(f, "a dictionary holds at most {DICTIONARY_LIMIT} keys, not {count}")
            }
            Self::KeyTooLong { index } => write!(f, "key number {index} is too long"),
        }
    }
}

impl core::error::Error for DictionaryError {}

const ROOT: DictionaryNode = DictionaryNode { bit: u32::MAX, zero: 0, one: 0 };

/// The nodes of a dictionary of these keys, the root first, then one for each key in their order.
///
/// Takes time in proportion to the bytes of all keys and the nodes on the ways to them.
///
/// ```
/// use formwork::algorithms::{patricia, DictionaryNode};
///
/// let nodes = patricia(&["Arg_Turn", "Arg_Greeting"]).unwrap();
/// assert_eq!(nodes[0], DictionaryNode { bit: u32::MAX, zero: 2, one: 0 });
/// assert_eq!(nodes[1], DictionaryNode { bit: 1, zero: 0, one: 1 });
/// assert_eq!(nodes[2], DictionaryNode { bit: 0, zero: 1, one: 2 });
/// ```
///
/// # Errors
///
/// If there are too many keys, or a key is empty, too long, or there twice.
pub fn patricia<K: AsRef<[u8]>>(keys: &[K]) -> Result<Vec<DictionaryNode>, DictionaryError> {
    if keys.len() > DICTIONARY_LIMIT {
        return Err(DictionaryError::TooMany { count: keys.len() });
    }
    let mut nodes = Vec::with_capacity(keys.len().saturating_add(1));
    nodes.push(ROOT);
    for (new, (index, key)) in (1..=u16::MAX).zip(keys.iter().enumerate()) {
        let key = key.as_ref();
        if key.len() > LONGEST_KEY {
            return Err(DictionaryError::KeyTooLong { index });
        }
        let nearest = element(search(&nodes, key));
        let nearest_key = nearest.and_then(|of| keys.get(of)).map_or(&[][..], AsRef::as_ref);
        let Some(differs) = first_difference(key, nearest_key) else {
            return Err(match nearest {
                Some(of) => DictionaryError::DuplicateKey { index, of },
                None => DictionaryError::EmptyKey { index },
            });
        };
        insert(&mut nodes, key, new, differs);
    }
    Ok(nodes)
}

/// Adds the node number `new`, which is to test bit `differs` of its `key`: the first where the key
/// differs from the one that a search for it finds so far.
fn insert(nodes: &mut Vec<DictionaryNode>, key: &[u8], new: u16, differs: u32) {
    let mut previous = 0;
    let mut current = follow(nodes, previous, |root| root.zero);
    let mut tested = rank(nodes, previous);
    while let Some(node) = nodes.get(usize::from(current)) {
        let next = node.rank();
        if tested >= next || u32::try_from(next).map_or(true, |bit| bit >= differs) {
            break;
        }
        (previous, tested) = (current, next);
        current = node.link(key);
    }
    let (zero, one) = if bit(key, differs) { (current, new) } else { (new, current) };
    nodes.push(DictionaryNode { bit: differs, zero, one });
    if let Some(node) = nodes.get_mut(usize::from(previous)) {
        if previous != 0 && bit(key, node.bit) {
            node.one = new;
        } else {
            node.zero = new;
        }
    }
}

/// The node that a search for `key` ends on, which need not have that key. From nodes that are no
/// dictionary it may be a position outside of them.
fn search(nodes: &[DictionaryNode], key: &[u8]) -> u16 {
    let mut current = follow(nodes, 0, |root| root.zero);
    let mut tested = rank(nodes, 0);
    // Each step tests a later bit than the one before, so no node is met twice.
    while let Some(node) = nodes.get(usize::from(current)).filter(|node| tested < node.rank()) {
        tested = node.rank();
        current = node.link(key);
    }
    current
}

/// The element that a node belongs to, `None` for the root.
fn element(node: u16) -> Option<usize> {
    usize::from(node).checked_sub(1)
}

fn follow(
    nodes: &[DictionaryNode],
    position: u16,
    link: impl FnOnce(DictionaryNode) -> u16,
) -> u16 {
    nodes.get(usize::from(position)).copied().map_or(0, link)
}

/// The bit of a node as it is compared. A node that is missing ends a search.
fn rank(nodes: &[DictionaryNode], position: u16) -> i32 {
    nodes.get(usize::from(position)).map_or(i32::MIN, |node| node.rank())
}

/// Bit number `number` of a key, counted from its end.
fn bit(key: &[u8], number: u32) -> bool {
    let at = key.len().checked_sub(1).and_then(|last| last.checked_sub((number >> 3) as usize));
    at.and_then(|at| key.get(at)).is_some_and(|byte| byte >> (number & 7) & 1 == 1)
}

/// The lowest bit where two keys differ.
fn first_difference(a: &[u8], b: &[u8]) -> Option<u32> {
    let (mut a, mut b) = (a, b);
    let mut bits = 0_u32;
    while !a.is_empty() || !b.is_empty() {
        let (x, y);
        ((a, x), (b, y)) = (last_word(a), last_word(b));
        if x != y {
            return Some(bits.saturating_add((x ^ y).trailing_zeros()));
        }
        bits = bits.saturating_add(u64::BITS);
    }
    None
}

/// The last eight bytes of a key as a number, of which bit 0 is that of the key, and what is in front
/// of them. Where there are fewer, zeros stand in front.
#[inline]
fn last_word(key: &[u8]) -> (&[u8], u64) {
    match key.split_last_chunk::<8>() {
        Some((front, last)) => (front, u64::from_be_bytes(*last)),
        None => (&[], key.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte))),
    }
}
