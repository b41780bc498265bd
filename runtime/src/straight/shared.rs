//! Shared tables: the elements of lists one behind the other, and where each list begins.

use alloc::vec::Vec;

use super::waiting::{BaseCell, Spot, Table, Waiting};
use super::{add, holds, solved, Ink, Odd, Straight};

/// The elements of a table, list by list.
#[derive(Debug)]
pub struct Gathered<'v, T> {
    elements: Vec<&'v T>,
}

impl<'v, T> Gathered<'v, T> {
    /// How many there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.elements.len()
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// All of them.
    #[inline]
    pub fn iter(&self) -> core::iter::Copied<core::slice::Iter<'_, &'v T>> {
        self.elements.iter().copied()
    }
}

/// Where a list is in memory. All are fields of structs that live, so each has a place of its own.
#[inline]
fn place<T>(list: &Vec<T>) -> usize {
    core::ptr::from_ref(list) as usize
}

impl<'v> Ink<'v> {
    fn table(&mut self, number: usize) -> Straight<&mut Table> {
        if self.tables.len() <= number {
            self.tables.resize_with(number.saturating_add(1), Table::default);
        }
        self.tables.get_mut(number).ok_or(Odd)
    }

    /// Remembers where the base of a list goes, in the table of a number.
    ///
    /// # Errors
    ///
    /// Never, unless there are too many tables.
    #[inline]
    pub fn base<T>(
        &mut self,
        list: &'v Vec<T>,
        spot: Spot,
        table: usize,
        cell: &'static BaseCell,
    ) -> Straight<()> {
        let waiting = Waiting { list: place(list), spot, cell, empty: list.is_empty() };
        self.pin();
        self.table(table)?.waiting.push(waiting);
        Ok(())
    }

    /// The elements of a table: those of its lists, in the order of these, or of the keys with them.
    ///
    /// # Errors
    ///
    /// If the table was gathered before, or is too large.
    pub fn gather<T>(
        &mut self,
        number: usize,
        mut lists: Vec<(i128, &'v Vec<T>)>,
        sorted: bool,
    ) -> Straight<Gathered<'v, T>> {
        if sorted {
            lists.sort_by_key(|(key, _)| *key);
        }
        let count = lists.iter().map(|(_, list)| list.len()).sum();
        let mut elements = Vec::with_capacity(count);
        let table = self.table(number)?;
        holds(!core::mem::replace(&mut table.gathered, true))?;
        table.bases.reserve(lists.len());
        for (_, list) in lists {
            table.bases.push((place(list), u32::try_from(elements.len()).map_err(|_| Odd)?));
            elements.extend(list.iter());
        }
        Ok(Gathered { elements })
    }

    /// Stores what waits for places, and the bases of all lists: from here on, numbers that are seen
    /// in the file are those that stay.
    ///
    /// # Errors
    ///
    /// If a list is in no table, or a number does not fit.
    pub fn placed(&mut self) -> Straight<()> {
        self.store_waiting()?;
        for table in core::mem::take(&mut self.tables) {
            // Most are asked for in the order in which the table has them.
            let (mut next, mut by_place) = (0_usize, Vec::new());
            for waiting in &table.waiting {
                let base = match table.bases.get(next) {
                    Some((list, base)) if *list == waiting.list => *base,
                    _ => {
                        if by_place.is_empty() {
                            by_place.clone_from(&table.bases);
                            by_place.sort_unstable();
                        }
                        let at = by_place.binary_search_by_key(&waiting.list, |(list, _)| *list);
                        let found = at.ok().and_then(|at| by_place.get(at));
                        found.ok_or(Odd)?.1
                    }
                };
                next = next.saturating_add(1);
                self.store_base(waiting, base)?;
            }
        }
        Ok(())
    }

    fn store_base(&mut self, waiting: &Waiting, base: u32) -> Straight<()> {
        let &BaseCell { width, big, signed, factor, offset, plus, empty, range, again, .. } =
            waiting.cell;
        let number = match empty.filter(|_| waiting.empty) {
            Some(empty) => Some(empty),
            None => solved(base.into(), factor, offset)?,
        };
        holds(number.is_some_and(|number| range.0 <= number && number <= range.1))?;
        let number = add(number, Some(plus))?;
        if again {
            let stored = self.seen_signed(waiting.spot, width, big, signed)?;
            return holds(number == Some(stored));
        }
        self.fill(waiting.spot, width, big, signed, number)
    }
}
