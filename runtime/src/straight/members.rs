//! Pools whose members are data: the list of a file stays as it is, whether its texts are used or not.

use alloc::string::String;
use alloc::vec::Vec;

use super::pool::{Members, Texts};
use super::waiting::FoundMembers;
use super::{holds, known, Ink, Odd, Scan, Straight};
use crate::digest::Digest;
use crate::pool::{has_only_more, PoolOrder};
use crate::{KeptKind, KeptValue, Spelling, SpellingEntry};

/// What a value says of the members of a pool.
#[derive(Debug, Clone, Copy)]
pub struct KeptMembers<'v> {
    texts: &'v [KeptValue],
    instead_of: &'v KeptValue,
}

/// The members of a pool that a value says, if it says some: `row` is the row of the root whose
/// struct holds the pool, and `pool` its row there.
///
/// # Errors
///
/// If it says something else of the struct.
pub fn kept_members(spelling: &Spelling, row: u16, pool: u16) -> Straight<Option<KeptMembers<'_>>> {
    let Some(inside) = spelling.inside(row) else { return Ok(None) };
    match inside.entries() {
        [SpellingEntry {
            row,
            index: None,
            kind: KeptKind::Members,
            stored: KeptValue::List(texts),
            instead_of,
        }] if *row == pool => Ok(Some(KeptMembers { texts, instead_of })),
        _ => Err(Odd),
    }
}

/// Whether nothing of a root deviates but how the struct in a row is spelled, which holds a pool.
#[must_use]
pub fn has_only_members(spelling: &Spelling, row: u16) -> bool {
    let inside = |entry: &SpellingEntry| entry.row == row && entry.kind == KeptKind::Inside;
    spelling.entries().len() <= 1 && spelling.entries().iter().all(inside)
}

/// Takes down the members that a file has.
pub fn list_members(spelling: &mut Spelling, row: u16, pool: u16, texts: Vec<&str>) {
    let texts = texts.into_iter().map(|text| KeptValue::Text(String::from(text))).collect();
    let mut inside = Spelling::default();
    inside.keep(SpellingEntry {
        row: pool,
        index: None,
        kind: KeptKind::Members,
        stored: KeptValue::List(texts),
        instead_of: KeptValue::None,
    });
    spelling.keep_inside(row, inside);
}

/// Forgets the members again if they are the usual ones, or says instead of what they are there.
///
/// # Errors
///
/// If the file has them in another order than that of a plain one, or twice.
pub fn mend_members(
    spelling: &mut Spelling,
    row: u16,
    pool: u16,
    found: Option<FoundMembers>,
) -> Straight<()> {
    let found = known(found)?;
    let kept = kept_members(spelling, row, pool)?;
    let texts = known(kept)?.texts;
    if found.same {
        spelling.clear();
        return Ok(());
    }
    holds(found.only_more)?;
    let mut inside = Spelling::default();
    inside.keep(SpellingEntry {
        row: pool,
        index: None,
        kind: KeptKind::Members,
        stored: KeptValue::List(texts.to_vec()),
        instead_of: KeptValue::Int(found.digest),
    });
    spelling.clear();
    spelling.keep_inside(row, inside);
    Ok(())
}

impl<'i> Scan<'i> {
    /// The members of a pool at an address, each with a zero byte behind it: so many, or those up to
    /// the end of the file.
    ///
    /// # Errors
    ///
    /// If there are not so many, or they are no texts.
    pub fn members(&self, at: u64, count: Option<usize>) -> Straight<Vec<&'i str>> {
        let mut rest = self.bytes().get(usize::try_from(at).map_err(|_| Odd)?..).ok_or(Odd)?;
        let mut texts = Vec::new();
        while count.map_or(!rest.is_empty(), |count| texts.len() < count) {
            let end = rest.iter().position(|byte| *byte == 0).ok_or(Odd)?;
            let (text, behind) = rest.split_at_checked(end).ok_or(Odd)?;
            texts.push(core::str::from_utf8(text).map_err(|_| Odd)?);
            rest = behind.get(1..).ok_or(Odd)?;
        }
        Ok(texts)
    }
}

impl<'v> Ink<'v> {
    /// The members of a pool: those that a value says, or those that pointers lead to, in the order
    /// of these.
    ///
    /// # Errors
    ///
    /// If what the value says fits no file.
    pub fn members_kept(
        &mut self,
        pool: u8,
        always: &[&'static str],
        kept: Option<KeptMembers<'v>>,
    ) -> Straight<Members<'v>> {
        let mut members = self.members(pool, always, PoolOrder::FirstUse)?;
        let Some(KeptMembers { texts: stored, instead_of }) = kept else { return Ok(members) };
        let usual = members.texts.len();
        let mut texts = Texts::of(core::mem::take(&mut members.texts), stored.len())?;
        let mut sorted = Vec::with_capacity(stored.len());
        let mut there = alloc::vec![false; usual.saturating_add(stored.len())];
        let mut twice = false;
        for text in stored {
            let KeptValue::Text(text) = text else { return Err(Odd) };
            let position = texts.add(text.as_bytes(), PoolOrder::FirstUse)?;
            let place = there.get_mut(position as usize).ok_or(Odd)?;
            twice |= core::mem::replace(place, true);
            sorted.push(position);
        }
        let missing = there.iter().take(usual).filter(|there| !**there).count();
        let reading = matches!(instead_of, KeptValue::None);
        if reading || missing > 0 {
            let digest = digest(texts.all().iter().take(usual).map(|(_, text)| *text));
            if reading {
                holds(missing == 0)?;
                let same = (0..).zip(&sorted).all(|(a, b)| a == *b) && sorted.len() == usual;
                let places = sorted.iter().map(|at| (*at as usize) < usual).zip(&sorted);
                let places = places.map(|(is_usual, at)| is_usual.then_some(*at as usize));
                let only_more = !twice && has_only_more(places, usual);
                self.found = Some(FoundMembers { digest, same, only_more });
            } else {
                // Nothing has changed, so nothing may be missing.
                holds(*instead_of != KeptValue::Int(digest))?;
            }
        }
        holds(!twice)?;
        let new = (0..).zip(&there).take(usual).filter(|(_, there)| !**there);
        sorted.extend(new.map(|(position, _)| position));
        self.counts.push((pool, sorted.len()));
        (members.texts, members.sorted) = (texts.into_all(), sorted);
        Ok(members)
    }

    /// What the members of a pool would be, if a file was read.
    pub fn take_members(&mut self) -> Option<FoundMembers> {
        self.found.take()
    }
}

/// What texts are known by, as one row.
fn digest<'t>(texts: impl Iterator<Item = &'t [u8]>) -> i128 {
    let mut digest = Digest::default();
    texts.for_each(|text| digest.text(text));
    digest.end_row();
    digest.finish()
}
