//! Numbers whose bytes depend on them, and that count those bytes: `LENGTH is="size(LENGTH) + ..."`.

use alloc::boxed::Box;
use alloc::format;

use super::item::{Loc, NodeRef};
use super::state::Engine;
use super::val::{eval_error, Fallible, Fault, Val};
use super::writing::TriedSize;
use crate::error::{ReadError, ReadErrorKind};
use crate::model::{Digits, Path, Role, Row, Storage, Type};
use crate::spelling::{KeptKind, KeptValue};

/// Bytes that a number takes at most: a sign, 64 digits of base 2, and what ends them.
const MOST: u64 = 65 + Digits::MOST_BYTES as u64;

impl<'p> Engine<'p, '_> {
    /// Whether a number follows from how many bytes it takes.
    #[inline]
    pub(crate) fn counts_itself(&self, loc: Loc) -> bool {
        let counting = &self.layout.counting;
        !counting.is_empty() && counting.contains(&(self.tree.record_id(loc.node), loc.row))
    }

    /// The size that is tried for a number that is being worked out, if it asks itself.
    #[inline]
    pub(crate) fn tried_size_of(
        &mut self,
        path: &'p Path,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Option<u64>> {
        match self.writing.tried.is_empty() {
            true => Ok(None),
            false => self.tried_size(path, this, it),
        }
    }

    #[cold]
    fn tried_size(
        &mut self,
        path: &'p Path,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Option<u64>> {
        let Val::Loc(loc) = self.find_first(path, this, it)?.first else { return Ok(None) };
        // What it asks may ask, too: that is not worked out again for another size.
        let is_asking = self.is_busiest(loc);
        let tried = self.writing.tried.last_mut().filter(|tried| is_asking && tried.loc == loc);
        Ok(tried.map(|tried| {
            tried.asked = true;
            tried.size
        }))
    }

    /// Works out a number that may count its own bytes. Of the sizes that it may have the least is
    /// taken that gives a number of that size, and one that is kept before all others.
    pub(crate) fn of_its_size<T>(
        &mut self,
        loc: Loc,
        row: &'p Row,
        work: impl Fn(&mut Self) -> Fallible<T>,
        number: impl Fn(&Self, &T) -> Option<i128>,
    ) -> Fallible<T> {
        let Some(storage) = varying(row) else { return work(self) };
        let kept = match self.kept_spelling(loc) {
            Some(KeptValue::Bytes(bytes)) => Some(bytes.len() as u64),
            Some(KeptValue::Int(width)) => u64::try_from(*width).ok(),
            _ => None,
        };
        for size in kept.into_iter().chain(1..=MOST) {
            let (found, asked) = self.with_size(loc, size, &work)?;
            let stored = number(self, &found).and_then(|n| n.checked_add(row.plus));
            match stored {
                Some(n) if asked && self.number_size(loc, storage, n) != size => {}
                _ => return Ok(found),
            }
        }
        let what = self.describe(loc);
        eval_error(format!("{what} counts its own bytes, and never takes as many as it says"))
    }

    fn with_size<T>(
        &mut self,
        loc: Loc,
        size: u64,
        work: impl Fn(&mut Self) -> Fallible<T>,
    ) -> Fallible<(T, bool)> {
        self.writing.tried.push(TriedSize { loc, size, asked: false });
        let found = work(self);
        let asked = self.writing.tried.pop().is_some_and(|tried| tried.asked);
        Ok((found?, asked))
    }

    fn kept_spelling(&self, loc: Loc) -> Option<&KeptValue> {
        let mut kinds = [KeptKind::Digits, KeptKind::Width].into_iter();
        kinds.find_map(|kind| self.tree.kept_of(loc, kind)).map(|kept| &kept.stored)
    }

    /// Keeps the bytes of a number that counts them and would be right in fewer of them, too: with 96
    /// bytes behind it, `99 ` and `100 ` both are.
    pub(crate) fn keep_own_size(&mut self, loc: Loc, row: &'p Row) -> Fallible<()> {
        if !self.counts_itself(loc) || self.kept_spelling(loc).is_some() {
            return Ok(());
        }
        let Some(storage) = varying(row) else { return Ok(()) };
        let (at, end) = (self.tree.row_at(loc), self.tree.row_end(loc));
        let size = u64::from(end.saturating_sub(at));
        let canonical = |engine: &mut Self| {
            engine.while_busy(loc, |engine| match row.role {
                Role::Derived => engine.derived(loc),
                Role::Kept(expr) => {
                    engine.of_row(loc, |engine| engine.eval(expr, loc.node, None)).map(Some)
                }
                _ => Ok(None),
            })
        };
        if !self.with_size(loc, size, canonical)?.1 {
            return Ok(());
        }
        for less in 1..size {
            let (found, _) = self.with_size(loc, less, canonical)?;
            let Some(Val::Int(n)) = found else { return Ok(()) };
            if self.number_size(loc, storage, n.saturating_add(row.plus)) == less {
                if let Some(error) = self.not_shortest(storage, (less, size), at, loc) {
                    return Err(Box::new(Fault::Read(error)));
                }
                self.keep_bytes(loc, storage, at, end);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The error of a number that always takes as few bytes as will do, and takes more.
    fn not_shortest(
        &self,
        storage: Storage,
        (least, size): (u64, u64),
        at: u32,
        loc: Loc,
    ) -> Option<ReadError> {
        let Storage::Varint(id) = storage else { return None };
        if !self.model.varints[id.index()].shortest {
            return None;
        }
        let width = u8::try_from(size).ok()?;
        let shortest = u8::try_from(least).ok()?;
        let kind = ReadErrorKind::VarintNotShortest { width, shortest };
        Some(self.error(kind, at, loc))
    }

    /// Keeps how a number is stored although that is the usual form.
    fn keep_bytes(&mut self, loc: Loc, storage: Storage, at: u32, end: u32) {
        let size = KeptValue::Int(end.saturating_sub(at).into());
        match storage {
            Storage::Varint(_) => self.keep(loc, KeptKind::Width, size.clone(), size),
            _ => {
                let bytes = self.tree.file.get(at as usize..end as usize).unwrap_or_default();
                let stored = KeptValue::Bytes(bytes.to_vec());
                self.keep(loc, KeptKind::Digits, stored, KeptValue::None);
            }
        }
    }
}

fn varying(row: &Row) -> Option<Storage> {
    match row.ty.stripped() {
        Type::Cell(cell) if cell.storage.varies() => Some(cell.storage),
        _ => None,
    }
}
