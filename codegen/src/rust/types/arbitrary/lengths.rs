//! Lengths that follow from numbers beside them that are data: `size="first % 8 + 1"`.
//!
//! The numbers are made first, in locals, and the length is computed of them.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::model::{
    ArrayLength, BinaryOp, Expr, ExprId, Extent, Member, Path, RecordId, Row, RowId, RowKind,
    RunLength, Start, Step, Target, Type, UnaryOp,
};
use crate::rust::shape::{FieldShape, Shape, Shapes};

/// What a length counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes, or units of a text.
    Bytes,
    /// Elements.
    Elements,
    /// Bytes of padding, of which the value says nothing.
    Padding,
}

/// The length of what is in a row, if numbers that are data say it: what it counts, how many, as an
/// `i128` that is made of [`local`]s.
pub fn of(shapes: &Shapes<'_>, record: RecordId, row: &Row) -> Option<(Unit, TokenStream)> {
    let (mut unit, length) = written(&row.ty)?;
    if matches!(row.kind, RowKind::Zero | RowKind::Reserved | RowKind::Runtime) {
        unit = Unit::Padding;
    }
    let mut rows = BTreeSet::new();
    let tokens = Numbers { shapes, record, rows: &mut rows }.number(length)?;
    (!rows.is_empty()).then_some((unit, tokens))
}

/// The local in which a field's value is.
pub fn local(row: RowId) -> Ident {
    format_ident!("field_{}", row.0)
}

/// Rows of a record that lengths follow from, with what these count.
pub fn sources(shapes: &Shapes<'_>, record: RecordId) -> Vec<(RowId, Unit)> {
    let mut sources = Vec::new();
    for row in &shapes.model().records[record.index()].rows {
        let Some((_, length)) = written(&row.ty) else { continue };
        let Some((unit, _)) = of(shapes, record, row) else { continue };
        let mut rows = BTreeSet::new();
        let _ = Numbers { shapes, record, rows: &mut rows }.number(length);
        sources.extend(rows.into_iter().map(|row| (row, unit)));
    }
    sources
}

/// The expression for the length of a run or list.
fn written(ty: &Type) -> Option<(Unit, ExprId)> {
    match ty {
        Type::Run(run) => match &run.length {
            RunLength::Count(count) => Some((Unit::Bytes, *count)),
            _ => None,
        },
        Type::Region(region) => match (&region.extent, &region.inner) {
            (Extent::Size(size), Type::Run(run)) if region.trim.is_none() => {
                matches!(run.length, RunLength::Fill).then_some((Unit::Bytes, *size))
            }
            (_, inner) => written(inner),
        },
        Type::Array(array) => match &array.length {
            ArrayLength::Count(count) => Some((Unit::Elements, *count)),
            _ => None,
        },
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => written(target),
            Target::Pooled | Target::Element => None,
        },
        _ => None,
    }
}

/// Expressions over numbers of one struct. Whoever puts one into another puts parentheses around it.
struct Numbers<'s, 'm> {
    shapes: &'s Shapes<'m>,
    record: RecordId,
    /// The rows that were asked for.
    rows: &'s mut BTreeSet<RowId>,
}

impl Numbers<'_, '_> {
    /// An `i128`; nothing if that takes more than numbers of the struct.
    fn number(&mut self, expr: ExprId) -> Option<TokenStream> {
        Some(match &self.shapes.model()[expr] {
            Expr::Int(number) => {
                let number = Literal::i128_suffixed(*number);
                quote!(#number)
            }
            Expr::Path(path) => {
                let field = self.field(path)?;
                let (row, local) = (field.row, local(field.row));
                self.rows.insert(row);
                quote!(i128::from(#local))
            }
            Expr::Unary(UnaryOp::Negate, a) => {
                let a = self.number(*a)?;
                quote!((#a).saturating_neg())
            }
            Expr::Unary(UnaryOp::Complement, a) => {
                let a = self.number(*a)?;
                quote!(!(#a))
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                match op {
                    BinaryOp::Add => quote!((#a).saturating_add(#b)),
                    BinaryOp::Subtract => quote!((#a).saturating_sub(#b)),
                    BinaryOp::Multiply => quote!((#a).saturating_mul(#b)),
                    BinaryOp::Divide => quote!((#a).checked_div_euclid(#b).unwrap_or(0)),
                    BinaryOp::Remainder => quote!((#a).checked_rem_euclid(#b).unwrap_or(0)),
                    BinaryOp::And => quote!((#a) & (#b)),
                    BinaryOp::Or => quote!((#a) | (#b)),
                    BinaryOp::Xor => quote!((#a) ^ (#b)),
                    _ => return None,
                }
            }
            Expr::If(condition, a, b) => {
                let condition = self.truth(*condition)?;
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                quote!(if #condition { #a } else { #b })
            }
            _ => return None,
        })
    }

    /// A `bool`.
    fn truth(&mut self, expr: ExprId) -> Option<TokenStream> {
        Some(match &self.shapes.model()[expr] {
            Expr::Bool(yes) => quote!(#yes),
            Expr::Unary(UnaryOp::Not, a) => {
                let a = self.truth(*a)?;
                quote!(!(#a))
            }
            Expr::Binary(op @ (BinaryOp::BothTrue | BinaryOp::EitherTrue), a, b) => {
                let (a, b) = (self.truth(*a)?, self.truth(*b)?);
                match op {
                    BinaryOp::BothTrue => quote!((#a) && (#b)),
                    _ => quote!((#a) || (#b)),
                }
            }
            Expr::Binary(op, a, b) => {
                let op = match op {
                    BinaryOp::Equal => quote!(==),
                    BinaryOp::NotEqual => quote!(!=),
                    BinaryOp::Less => quote!(<),
                    BinaryOp::LessOrEqual => quote!(<=),
                    BinaryOp::Greater => quote!(>),
                    BinaryOp::GreaterOrEqual => quote!(>=),
                    _ => return None,
                };
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                quote!((#a) #op (#b))
            }
            _ => return None,
        })
    }

    /// A number in the struct itself that every value of it has.
    fn field(&self, path: &Path) -> Option<&FieldShape> {
        let (Start::This, [Step::Field(field)]) = (&path.start, path.steps.as_slice()) else {
            return None;
        };
        let [(record, members)] = field.members.as_slice() else { return None };
        let [Member::Row(row)] = members.as_slice() else { return None };
        let field = self.shapes.field(*record, *row).filter(|_| *record == self.record)?;
        let fits = matches!(field.shape, Shape::Int(prim) if prim.name() != "i128");
        fits.then_some(field)
    }
}
