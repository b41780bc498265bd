//! What the length of a row asks of what is in it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::{
    unit_size, ArrayLength, Cell, DefinerScope, DefinerSource, EpochId, ExprId, Extent, Label,
    Measure, Model, RecordId, Role, Row, RowId, RunLength, Storage, Tag, Type,
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

    /// The least number that is allowed and not below this one.
    #[must_use]
    pub fn at_least(&self, count: u64) -> Option<u64> {
        let rest = i128::from(count.checked_mul(self.unit)?).checked_sub(self.offset)?;
        // What is left over is not negative, whatever the factor is.
        let mut number = rest.checked_div_euclid(self.factor)?;
        if rest.checked_rem_euclid(self.factor)? > 0 {
            number = number.checked_add(self.factor.signum())?;
        }
        number = if self.factor > 0 { number.max(self.least) } else { number.min(self.most) };
        if !(self.least..=self.most).contains(&number) {
            return None;
        }
        let bytes = number.checked_mul(self.factor)?.checked_add(self.offset)?;
        u64::try_from(bytes).ok()?.checked_div(self.unit)
    }

    /// What this asks of the size of something, if it is about the address where that ends.
    #[must_use]
    pub fn from(&self, start: u64) -> LengthRule {
        LengthRule { offset: self.offset.saturating_sub(start.into()), ..*self }
    }

    /// The greatest number of them that is allowed, whatever a number of them takes.
    #[must_use]
    pub fn greatest(&self) -> i128 {
        let number = if self.factor > 0 { self.most } else { self.least };
        number.saturating_mul(self.factor).saturating_add(self.offset)
            / i128::from(self.unit.max(1))
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

    /// The same of the bytes of a row whose size is said, where they are not so many elements, letters
    /// or bytes of data.
    #[must_use]
    pub fn size_rule(&self, record: RecordId, row: &Row, epoch: EpochId) -> Option<LengthRule> {
        let ty = row.ty.in_epoch(epoch);
        let Type::Region(region) = ty else { return None };
        let Extent::Size(size) = &region.extent else { return None };
        if region.trim.is_some() || self.rule_of(record, ty, epoch, 0).is_some() {
            return None;
        }
        let rule = self.rule(record, *size, 1)?;
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
        let row = &self.records[record.index()].rows[number.index()];
        let derived = matches!((&row.role, &row.ty), (Role::Derived, Type::Cell(_)));
        let rule = self.number_rule(record, row, linear.factor, linear.offset);
        derived.then_some(LengthRule { unit, ..rule })
    }

    /// Rows from whose size a derived number follows, and what that number asks of the size.
    #[must_use]
    pub fn sizes_followed(&self) -> BTreeMap<(RecordId, RowId), LengthRule> {
        self.followed(|measure| matches!(measure, Measure::Size))
    }

    /// The same of rows from whose end one follows: of the address there.
    #[must_use]
    pub fn ends_followed(&self) -> BTreeMap<(RecordId, RowId), LengthRule> {
        self.followed(|measure| matches!(measure, Measure::End))
    }

    fn followed(&self, by: fn(&Measure) -> bool) -> BTreeMap<(RecordId, RowId), LengthRule> {
        let mut found = BTreeMap::new();
        for (id, record) in self.records() {
            for number in &record.rows {
                for definer in &number.definers {
                    let DefinerSource::Measure { ref measure, row, factor, offset } =
                        definer.source
                    else {
                        continue;
                    };
                    if !by(measure) {
                        continue;
                    }
                    // Where the equation is evaluated.
                    let holder = match &definer.scope {
                        DefinerScope::Own => id,
                        DefinerScope::Owner(owner, _) => *owner,
                        DefinerScope::Case(row, case) => {
                            let Some(union) = record.rows[row.index()].ty.union() else { continue };
                            self.unions[union.index()].cases[*case as usize].record
                        }
                    };
                    let rule = self.number_rule(id, number, factor, offset);
                    found.entry((holder, row)).or_insert(rule);
                }
            }
        }
        found
    }

    /// Lengths that are `factor` times a number of this row of a record, plus `offset`.
    #[must_use]
    pub fn number_rule(
        &self,
        record: RecordId,
        number: &Row,
        factor: i128,
        offset: i128,
    ) -> LengthRule {
        let (least, most) = match number.ty.stripped() {
            Type::Cell(cell) => self.numbers_of(record, cell),
            _ => (0, i128::MAX),
        };
        // What is stored is the number and what is added to it.
        let (least, most) = (least.saturating_sub(number.plus), most.saturating_sub(number.plus));
        LengthRule { unit: 1, factor, offset, least, most }
    }

    /// The least and the greatest number of a cell; of the tag, of those that lead to the record.
    #[must_use]
    pub fn numbers_of(&self, record: RecordId, cell: &Cell) -> (i128, i128) {
        if !matches!(cell.storage, Storage::TagOf) {
            return self.number_range(cell);
        }
        let all = match self.tag_of(record) {
            Some(Tag::Own(tag) | Tag::Word(tag)) => self.number_range(tag),
            _ => self.number_range(cell),
        };
        leading(self.labels_of(record), all)
    }
}

/// The least and the greatest of all numbers of a tag that lead to something with these labels.
#[must_use]
pub fn leading(labels: &[Label], all: (i128, i128)) -> (i128, i128) {
    let ranges: Option<Vec<(i128, i128)>> = labels
        .iter()
        .map(|label| match label {
            // An open range ends where the tag does.
            Label::Range(low, high) => Some(((*low).max(all.0), (*high).min(all.1))),
            _ => None,
        })
        .collect();
    let ends = ranges.unwrap_or_default().into_iter();
    ends.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))).unwrap_or(all)
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

    #[test]
    fn the_next_length_is_one_that_is_allowed() {
        for (factor, offset) in [(1, 0), (4, 2), (3, -1), (-1, 9), (-2, 10)] {
            for (least, most) in [(0, 5), (-2, 3), (1, 4)] {
                let rule = LengthRule { unit: 1, factor, offset, least, most };
                for count in 0..30 {
                    let next = (count..200).find(|count| rule.allows(*count));
                    assert_eq!(rule.at_least(count), next, "{count} of {rule:?}");
                }
            }
        }
    }
}
