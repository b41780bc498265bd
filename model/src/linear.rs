//! Expressions that are a multiple of one number, plus something: those that can be turned round.

use super::{BinaryOp, Expr, ExprId, Exprs, Path};

/// `factor * number + offset`, and for places `base` added to that.
#[derive(Debug, Clone, Copy)]
pub struct Linear<'m> {
    /// Where the number is.
    pub path: &'m Path,
    /// Not zero.
    pub factor: i128,
    /// Added after multiplying.
    pub offset: i128,
    /// Of a place: what is added that is no constant.
    pub base: Option<ExprId>,
}

impl<'m> Linear<'m> {
    fn times(self, n: i128) -> Option<Linear<'m>> {
        let factor = self.factor.checked_mul(n).filter(|factor| *factor != 0)?;
        Some(Linear { factor, offset: self.offset.checked_mul(n)?, ..self })
    }
}

impl Exprs {
    /// An expression as `factor * number + offset`, if it is written in a way that can be turned
    /// round: sums, differences and products of one path with constants, and shifts to the left.
    #[must_use]
    pub fn linear(&self, id: ExprId) -> Option<Linear<'_>> {
        self.linear_or_place(id, false)
    }

    /// An address as [`Exprs::linear`], which may count from another address: `at(this) + offset`.
    #[must_use]
    pub fn place(&self, id: ExprId) -> Option<Linear<'_>> {
        self.linear_or_place(id, true)
    }

    fn linear_or_place(&self, id: ExprId, place: bool) -> Option<Linear<'_>> {
        match &self[id] {
            Expr::Path(path) => Some(Linear { path, factor: 1, offset: 0, base: None }),
            Expr::Binary(BinaryOp::Add, a, b) => {
                for (inner, other) in [(*a, *b), (*b, *a)] {
                    if let Some(n) = self.constant(other) {
                        let mut found = self.linear_or_place(inner, place)?;
                        found.offset = found.offset.checked_add(n)?;
                        return Some(found);
                    }
                }
                if !place {
                    return None;
                }
                // `at(this) + row`
                for (inner, other) in [(*b, *a), (*a, *b)] {
                    if self.is_address(other) {
                        let found = self.linear(inner)?;
                        return Some(Linear { base: Some(other), ..found });
                    }
                }
                None
            }
            Expr::Binary(BinaryOp::Subtract, a, b) => match self.constant(*a) {
                Some(n) => {
                    let found = self.linear(*b)?;
                    let factor = found.factor.checked_neg()?;
                    Some(Linear { factor, offset: n.checked_sub(found.offset)?, ..found })
                }
                None => {
                    let n = self.constant(*b)?;
                    let mut found = self.linear_or_place(*a, place)?;
                    found.offset = found.offset.checked_sub(n)?;
                    Some(found)
                }
            },
            Expr::Binary(BinaryOp::Multiply, a, b) => {
                for (inner, other) in [(*a, *b), (*b, *a)] {
                    if let Some(n) = self.constant(other) {
                        return self.linear(inner)?.times(n);
                    }
                }
                None
            }
            Expr::Binary(BinaryOp::ShiftLeft, a, b) => {
                let by = u32::try_from(self.constant(*b)?).ok()?;
                self.linear(*a)?.times(1_i128.checked_shl(by)?)
            }
            _ => None,
        }
    }

    /// Whether an expression is an address that rows can count from.
    fn is_address(&self, id: ExprId) -> bool {
        match self[id] {
            Expr::At(_) | Expr::End(_) | Expr::Here | Expr::RegionEnd => true,
            Expr::Coalesce(a, b) => self.is_address(a) && self.is_address(b),
            Expr::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) => {
                self.is_address(a) && self.constant(b).is_some()
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Field, Start, Step};
    use alloc::{string::String, vec, vec::Vec};

    #[test]
    fn what_can_be_turned_round() {
        use BinaryOp::{Add, Divide, Multiply, ShiftLeft, ShiftRight, Subtract};
        let mut exprs = Exprs::default();
        let name = Field { name: String::from("n"), members: Vec::new() };
        let steps = vec![Step::Field(name)];
        let path = Path { start: Start::This, steps, text: String::from("n") };
        let here = Path { start: Start::This, steps: Vec::new(), text: String::from("this") };
        let n = exprs.add(Expr::Path(path));
        let at = exprs.add(Expr::At(here));
        let [zero, two, seven] = [0, 2, 7].map(|number| exprs.add(Expr::Int(number)));
        let mut both = |op, a, b| exprs.add(Expr::Binary(op, a, b));
        let twice = both(Multiply, two, n);
        let cases = [
            (n, Some((1, 0))),
            (both(Add, twice, seven), Some((2, 7))),
            (both(Subtract, n, seven), Some((1, -7))),
            (both(Subtract, seven, twice), Some((-2, 7))),
            (both(Multiply, n, zero), None),
            (both(Divide, n, two), None),
            (both(Add, n, n), None),
            (both(ShiftLeft, twice, two), Some((8, 0))),
            (both(ShiftLeft, seven, n), None),
            (both(ShiftRight, n, two), None),
            (both(Add, at, twice), None),
            (seven, None),
        ];
        let place = both(Add, at, twice);
        for (id, expected) in cases {
            let found = exprs.linear(id).map(|found| (found.factor, found.offset));
            assert_eq!(found, expected, "{:?}", exprs[id]);
        }
        let found = exprs.place(place).map(|found| (found.factor, found.offset, found.base));
        assert_eq!(found, Some((2, 0, Some(at))));
    }
}
