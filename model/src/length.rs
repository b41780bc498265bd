//! What the length of a row asks of what is in it.

use alloc::vec::Vec;

use super::{
    limits, unit_size, ArrayLength, Cell, EpochId, ExprId, Extent, Label, Model, RecordId, Role,
    Row, RunLength, Storage, Type,
};

/// How many elements, bytes of a byte run or units of a text a row may have: so many that `unit` times
/// their number is `factor` times a number of `least..=most`, plus `offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LengthRule {
    /// Bytes of each, where a size in bytes is said; otherwise 1.
    pub unit: u64,
    /// Not zero.
    pub factor: i128,
    /// Added after multiplying.
    pub offset: i128,
    /// The least number.
    pub least: i128,
    /// The greatest number.
    pub most: i128,
}

impl LengthRule {
    /// Whether there may be so many.
    #[must_use]
    pub fn allows(&self, count: u64) -> bool {
        let number = || {
            let rest = i128::from(count.checked_mul(self.unit)?).checked_sub(self.offset)?;
            (rest.checked_rem(self.factor)? == 0).then_some(())?;
            rest.checked_div(self.factor)
        };
        number().is_some_and(|number| (self.least..=self.most).contains(&number))
    }

    /// Whether there may be as many as fit a file, whose addresses have 32 bits.
    fn is_none(&self) -> bool {
        (self.factor, self.offset) == (1, 0) && self.least <= 0 && self.most >= i128::from(u32::MAX)
    }
}

impl Model {
    /// What the length of a row of a record asks, as far as it follows from nothing else in a file: where
    /// it is a constant, stands in front of a text, or gives a number of the same record.
    #[must_use]
    pub fn length_rule(&self, record: RecordId, row: &Row, epoch: EpochId) -> Option<LengthRule> {
        let rule = self.rule_of(record, &row.ty, epoch, 0)?;
        (!rule.is_none()).then_some(rule)
    }

    fn rule_of(
        &self,
        record: RecordId,
        ty: &Type,
        epoch: EpochId,
        depth: u32,
    ) -> Option<LengthRule> {
        match ty.in_epoch(epoch) {
            Type::Run(run) => match &run.length {
                RunLength::Count(count) => self.rule(record, *count, 1),
                RunLength::Fixed(size) => Some(exactly(*size, unit_size(run.content))),
                RunLength::Prefix(cell) => {
                    let (least, most) = self.numbers_of(record, cell);
                    Some(LengthRule { unit: 1, factor: 1, offset: 0, least, most })
                }
                RunLength::Fill => None,
            },
            Type::Array(array) => match &array.length {
                ArrayLength::Count(count) => self.rule(record, *count, 1),
                _ => None,
            },
            Type::Region(region) if region.trim.is_none() => {
                match (&region.extent, &region.inner) {
                    (Extent::Size(size), Type::Run(run))
                        if matches!(run.length, RunLength::Fill) =>
                    {
                        self.rule(record, *size, unit_size(run.content))
                    }
                    (Extent::Size(size), Type::Array(array)) => {
                        let unit = self.size_of(&array.element, epoch).filter(|size| *size > 0)?;
                        self.rule(record, *size, unit)
                    }
                    _ => None,
                }
            }
            Type::Pointer(pointer) if depth == 0 => {
                self.rule_of(record, pointer.owned()?, epoch, depth + 1)
            }
            _ => None,
        }
    }

    fn rule(&self, record: RecordId, length: ExprId, unit: u64) -> Option<LengthRule> {
        if let Some(size) = self.exprs.constant(length) {
            return Some(exactly(u64::try_from(size).ok()?, unit));
        }
        let linear = self.exprs.linear(length)?;
        let number = linear.path.own_row(record)?;
        let number = &self.records[record.index()].rows[number.index()];
        let Type::Cell(cell) = &number.ty else { return None };
        if !matches!(number.role, Role::Derived) {
            return None;
        }
        let (least, most) = self.numbers_of(record, cell);
        let (factor, offset) = (linear.factor, linear.offset);
        let (least, most) = (least.checked_sub(number.plus)?, most.checked_sub(number.plus)?);
        Some(LengthRule { unit, factor, offset, least, most })
    }

    /// The least and the greatest number of a cell; of the tag, of those that lead to the record.
    fn numbers_of(&self, record: RecordId, cell: &Cell) -> (i128, i128) {
        let (bits, signed) = self.cell_range(cell);
        let all = limits(bits, signed);
        if !matches!(cell.storage, Storage::TagOf) {
            return all;
        }
        let labels = self.labels_of(record).iter();
        let ranges: Option<Vec<(i128, i128)>> = labels
            .map(|label| match label {
                Label::Range(low, high) => Some((*low, *high)),
                _ => None,
            })
            .collect();
        let ends = ranges.unwrap_or_default().into_iter();
        ends.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))).unwrap_or(all)
    }
}

/// One length alone.
fn exactly(size: u64, unit: u64) -> LengthRule {
    let size = i128::from(size);
    LengthRule { unit, factor: 1, offset: 0, least: size, most: size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_a_number_says() {
        let rule = LengthRule { unit: 2, factor: 4, offset: 2, least: 0, most: 3 };
        let allowed = [1, 3, 5, 7];
        for count in 0..20 {
            assert_eq!(rule.allows(count), allowed.contains(&count), "{count}");
        }
        assert!(exactly(6, 2).allows(3) && !exactly(6, 2).allows(6));
        assert!(!LengthRule { unit: u64::MAX, ..rule }.allows(2));
    }
}
