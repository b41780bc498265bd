//! Spellings by number.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::Spelling;

/// A [`Spelling`] in an arena, by number. It takes 3 bytes, and is aligned to 1.
///
/// The default value is the canonical spelling, which is the same in every arena.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpellingId([u8; 3]);

impl SpellingId {
    /// Everything is spelled canonically.
    pub const CANONICAL: SpellingId = SpellingId([0; 3]);

    /// Whether everything is spelled canonically.
    #[must_use]
    #[inline]
    pub const fn is_canonical(self) -> bool {
        matches!(self.0, [0, 0, 0])
    }

    /// With this number; `None` if it has no 24 bits.
    pub(super) fn new(number: usize) -> Option<SpellingId> {
        match u32::try_from(number).ok()?.to_le_bytes() {
            [a, b, c, 0] => Some(SpellingId([a, b, c])),
            _ => None,
        }
    }

    /// The number; 0 is canonical.
    pub(super) fn number(self) -> usize {
        let [a, b, c] = self.0;
        u32::from_le_bytes([a, b, c, 0]) as usize
    }
}

/// All spellings of an arena that are not canonical. Equal ones have one number.
#[derive(Debug, Clone, Default)]
pub struct Spellings {
    /// By number, from 1.
    list: Vec<Spelling>,
    numbers: BTreeMap<Spelling, SpellingId>,
}

impl Spellings {
    /// Known when a program is compiled, so that what is done for other spellings falls away.
    const CANONICAL: &'static Spelling = &Spelling::CANONICAL;

    /// The number of a spelling; `None` if there are 2²⁴ others.
    #[inline]
    pub fn add(&mut self, spelling: Spelling) -> Option<SpellingId> {
        if spelling.is_canonical() {
            Some(SpellingId::CANONICAL)
        } else {
            self.keep(spelling)
        }
    }

    #[cold]
    fn keep(&mut self, spelling: Spelling) -> Option<SpellingId> {
        if let Some(known) = self.numbers.get(&spelling) {
            return Some(*known);
        }
        let id = SpellingId::new(self.list.len().checked_add(1)?)?;
        self.list.push(spelling.clone());
        self.numbers.insert(spelling, id);
        Some(id)
    }

    /// The spelling with a number.
    ///
    /// # Panics
    ///
    /// If there is none in this arena.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn get(&self, id: SpellingId) -> &Spelling {
        match id.number().checked_sub(1) {
            None => Spellings::CANONICAL,
            Some(position) => match self.list.get(position) {
                Some(spelling) => spelling,
                None => panic!("spelling {} is not of this arena", id.number()),
            },
        }
    }
}
