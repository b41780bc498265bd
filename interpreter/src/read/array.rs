//! Reads arrays and the members of string pools.

use formwork::ReadErrorKind;
use formwork_model::{ArrayLength, Cell, ExprId, Meaning, Row, Storage, Type};

use super::{Claim, Cursor, Read};
use crate::engine::Engine;
use crate::items::item_val;
use crate::tree::{ArrayItem, Item, Loc};

impl<'m, 'b> Engine<'m, 'b> {
    pub(crate) fn read_array(
        &mut self,
        ty: &'m Type,
        loc: Loc,
        row: &'m Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let Type::Array(array) = ty else { return Ok(Item::Absent) };
        let at = cursor.at;
        let count = match &array.length {
            ArrayLength::Count(count) => Some(self.evaluate_count(*count, loc, at)?),
            ArrayLength::Fill | ArrayLength::Last(_) => None,
        };
        let bulk = matches!(
            &array.element,
            Type::Cell(Cell { storage: Storage::Fixed(_), meaning })
                if !matches!(meaning, Meaning::Word(_))
        );
        if let (Some(count), Some(size)) = (count, self.element_size(&array.element)) {
            // Counts are held against the bytes that remain before anything is set aside.
            let needed = count.saturating_mul(size);
            if needed > cursor.remaining() && array.stride.is_none() {
                // Elements are read one by one so that the error names the one that does not fit,
                // but never more of them than there are bytes.
                let fit = cursor.remaining().checked_div(size).unwrap_or(0);
                self.budget.charge(fit).map_err(|kind| self.error(kind, at, loc))?;
            }
        }
        let claimed = self.reading().claims.len();
        let mut items = Vec::new();
        let mut starts = Vec::new();
        let mut index: u64 = 0;
        loop {
            match (&array.length, count) {
                (_, Some(count)) if index >= count => break,
                (ArrayLength::Fill, None) if cursor.bits.is_none() && cursor.remaining() == 0 => {
                    break;
                }
                _ => {}
            }
            let position = u32::try_from(index).unwrap_or(u32::MAX);
            let element = Loc { index: Some(position), ..loc };
            self.budget.charge(4).map_err(|kind| self.error(kind, cursor.at, element))?;
            let start = cursor.at;
            let item = match &array.stride {
                None => self.read_type(&array.element, element, row, cursor)?,
                Some(stride) => {
                    let stride = self.evaluate_count(*stride, element, start)?;
                    if stride > cursor.remaining() {
                        let remaining = cursor.remaining();
                        let kind = ReadErrorKind::UnexpectedEnd { needed: stride, remaining };
                        return Err(self.error(kind, start, element));
                    }
                    let mut inner = Cursor::new(start, start + stride);
                    inner.room = true;
                    let item = self.read_type(&array.element, element, row, &mut inner)?;
                    inner.align_bits();
                    if inner.remaining() > 0 {
                        let kind = ReadErrorKind::TrailingBytes { remaining: inner.remaining() };
                        return Err(self.error(kind, inner.at, element));
                    }
                    cursor.at = inner.limit;
                    item
                }
            };
            let fill = matches!(array.length, ArrayLength::Fill);
            if fill && cursor.at == start && cursor.bits.is_none() {
                let kind = ReadErrorKind::Expression { message: "an element has no bytes".into() };
                return Err(self.error(kind, start, element));
            }
            if !bulk {
                starts.push(start);
            }
            let last = match &array.length {
                ArrayLength::Last(last) => {
                    let it = item_val(&item);
                    self.eval_bool(*last, loc.node, Some(&it))
                        .map_err(|fault| self.fault(*fault, start, element))?
                }
                _ => false,
            };
            items.push(item);
            index += 1;
            if last {
                break;
            }
        }
        if bulk {
            // One claim for all, instead of one an element. What was claimed before may be the
            // pointer to the array.
            let claims = &mut self.reading().claims;
            let own = |c: &Claim| c.loc.node == loc.node && c.loc.row == loc.row;
            while claims.len() > claimed && claims.last().is_some_and(own) {
                claims.pop();
            }
            self.claim(at, cursor.at, loc);
        }
        Ok(Item::Array(Box::new(ArrayItem { items, at, end: cursor.at, starts })))
    }

    fn element_size(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Cell(Cell { storage: Storage::Fixed(int), .. }) => Some(int.bytes.into()),
            _ => None,
        }
    }

    /// A count or size from an expression: not negative.
    pub(crate) fn evaluate_count(&mut self, expr: ExprId, loc: Loc, at: u64) -> Read<u64> {
        // The rows of an element come before those of the record around it.
        let count =
            self.eval_int(expr, loc.node, None).map_err(|fault| self.fault(*fault, at, loc))?;
        match count {
            Some(count) => u64::try_from(count)
                .map_err(|_| self.error(ReadErrorKind::NegativeCount { count }, at, loc)),
            None => {
                let message = "the count or size depends on something that is not there".into();
                Err(self.error(ReadErrorKind::Expression { message }, at, loc))
            }
        }
    }

    /// Reads the members of a string pool.
    pub(crate) fn read_members(
        &mut self,
        loc: Loc,
        row: &'m Row,
        pad: u64,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let (element, length) = pool_type(&row.ty);
        let Some(element) = element else { return Ok(Item::Absent) };
        let at = cursor.at;
        let count = match length {
            Some(ArrayLength::Count(count)) => Some(self.evaluate_count(*count, loc, at)?),
            _ => None,
        };
        let mut items = Vec::new();
        let mut starts = Vec::new();
        let mut index = 0_u64;
        while count.map_or(cursor.remaining() > 0, |count| index < count) {
            let position = u32::try_from(index).unwrap_or(u32::MAX);
            let element_loc = Loc { index: Some(position), ..loc };
            self.budget.charge(4).map_err(|kind| self.error(kind, cursor.at, element_loc))?;
            starts.push(cursor.at);
            let start = cursor.at;
            items.push(self.read_type(element, element_loc, row, cursor)?);
            let padded = cursor.at.next_multiple_of(pad.max(1)).min(cursor.limit);
            let fill = self.take(cursor, padded - cursor.at, element_loc)?;
            if fill.iter().any(|b| *b != 0) {
                let offset = cursor.at - fill.len() as u64;
                return Err(self.error(ReadErrorKind::NotZero, offset, element_loc));
            }
            if let Some(claim) = self.reading().claims.last_mut()
                && claim.at == start
            {
                claim.end = padded;
            }
            index += 1;
        }
        Ok(Item::Array(Box::new(ArrayItem { items, at, end: cursor.at, starts })))
    }
}

/// Type of a pool's member, and how many there are.
pub(crate) fn pool_type(ty: &Type) -> (Option<&Type>, Option<&ArrayLength>) {
    match ty {
        Type::Array(array) => (Some(&array.element), Some(&array.length)),
        Type::Region(region) => pool_type(&region.inner),
        _ => (None, None),
    }
}
