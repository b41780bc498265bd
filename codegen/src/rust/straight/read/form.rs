//! Forms: the first that can say the value is the usual one; another is kept.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::super::ends;
use super::body::Rows;
use super::{Ctx, Reading, number};
use crate::model::{
    Case, Cell, Constant, Meaning, Model, RecordId, Role, Row, RowId, RowKind, Type, limits,
};
use crate::rust::shape::{Prim, Shape};
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::context::{has_not_all, says_all};
use crate::rust::straight::epochs::epoch_id;
use crate::rust::straight::operators::allows;

/// Whether a row can say a value.
enum Fits {
    Always,
    Never,
    /// If this holds: a `bool`.
    If(TokenStream),
}

impl<'m> Reading<'_, '_, 'm> {
    /// Keeps the form if one before it could say the same.
    pub(super) fn keep_form(
        &self,
        ctx: &Ctx<'m>,
        case: &'m Case,
        form: usize,
        rows: &mut Rows,
    ) -> Able<()> {
        let here = &ctx.view.records[case.forms[form].record.index()];
        let logical = &ctx.view.records[case.record.index()];
        let mut first = TokenStream::new();
        let mut always = None;
        'forms: for (index, other) in case.forms[..form].iter().enumerate() {
            if !other.epochs.get(ctx.epoch).copied().unwrap_or(true) {
                continue;
            }
            let mut all = Vec::new();
            for row in &ctx.view.records[other.record.index()].rows {
                if row.name.is_none() {
                    continue;
                }
                if matches!(row.role, Role::Derived) && row.equation().is_some() {
                    return unable("a form with a number that follows from others");
                }
                // The value has what the case has.
                let Some(field) = (0_u32..)
                    .zip(&logical.rows)
                    .find(|(_, r)| r.name == row.name)
                    .and_then(|(id, _)| self.straight.shapes.field(case.record, RowId(id)))
                else {
                    continue;
                };
                let local =
                    rows.fields.iter().find(|(id, _)| here.rows[id.index()].name == row.name);
                let Some((id, local)) = local else { continue };
                if !same_records(ctx.view, &here.rows[id.index()].ty, &row.ty) {
                    return unable("a form of another struct");
                }
                match self.fits(ctx, row, &field.shape, local)? {
                    Fits::Always => {}
                    Fits::Never => continue 'forms,
                    Fits::If(condition) => all.push(condition),
                }
                if ctx.view.size_rule(other.record, row, epoch_id(ctx.epoch)).is_some() {
                    return unable("a form that asks how many bytes a struct takes");
                }
                if let Some(rule) = ctx.view.length_rule(other.record, row, epoch_id(ctx.epoch)) {
                    all.push(allows(&rule, &self.counted(row, &field.shape, local)?));
                }
            }
            let index = Literal::usize_unsuffixed(index);
            if all.is_empty() {
                always = Some(index);
                break;
            }
            first.extend(quote!(if #(#all)&&* { #index } else));
        }
        if first.is_empty() && always.is_none() {
            return Ok(());
        }
        let keeps = match &rows.keeps {
            Some(keeps) => keeps.clone(),
            None => {
                let keeps = self.local("k");
                rows.code.extend(quote!(let mut #keeps = ::formwork::Spelling::default();));
                rows.keeps = Some(keeps.clone());
                keeps
            }
        };
        let form = Literal::usize_unsuffixed(form);
        let last = always.unwrap_or_else(|| form.clone());
        rows.code.extend(quote!(s::keep_form(&mut #keeps, #form, #first { #last });));
        Ok(())
    }

    /// Number of elements, bytes or units of a value: a `usize`.
    fn counted(&self, row: &Row, shape: &Shape, value: &TokenStream) -> Able<TokenStream> {
        Ok(match shape {
            Shape::Option(inner) => {
                let inner = self.counted(row, inner, &quote!(some))?;
                quote!(#value.as_ref().map_or(0, |some| #inner))
            }
            Shape::List(_) => {
                let list = self.straight.reached(shape, &quote!((&#value)));
                quote!(#list.len())
            }
            Shape::Str if !matches!(row.ty.stripped(), Type::Run(run) if run.content.is_in_bytes()) =>
            {
                return unable("a form of wide letters");
            }
            Shape::Fixed(..) | Shape::Bytes | Shape::Utf16 | Shape::Str => quote!(#value.len()),
            _ => return unable("a form of something that has a length"),
        })
    }

    fn fits(&self, ctx: &Ctx<'m>, row: &'m Row, shape: &Shape, local: &TokenStream) -> Able<Fits> {
        if !row.none.is_empty() || row.plus != 0 || row.when.is_some() {
            return unable("a form with numbers for nothing");
        }
        let value = match shape {
            // What is not there can be said by all.
            Shape::Option(_) if !matches!(row.ty.stripped(), Type::Pointer(_)) => {
                return unable("a form that cannot say nothing");
            }
            Shape::Option(inner) => {
                let inner_fits = self.fits_plain(ctx, row, inner, &quote!((*some)))?;
                return Ok(match inner_fits {
                    Fits::If(condition) => Fits::If(quote! {
                        #local.as_ref().map_or(true, |some| #condition)
                    }),
                    Fits::Never => Fits::If(quote!(#local.is_none())),
                    Fits::Always => Fits::Always,
                });
            }
            Shape::Boxed(_) | Shape::Kept(_) => return unable("a form of something kept"),
            _ => quote!(#local),
        };
        self.fits_plain(ctx, row, shape, &value)
    }

    fn fits_plain(
        &self,
        ctx: &Ctx<'m>,
        row: &'m Row,
        shape: &Shape,
        value: &TokenStream,
    ) -> Able<Fits> {
        let RowKind::Constant(constant) = &row.kind else {
            return self.says(ctx, &row.ty, shape, value, 0);
        };
        Ok(Fits::If(match (shape.core(), constant) {
            (Shape::Int(_), Constant::Int(n)) => {
                let n = number(*n);
                quote!(#value == #n)
            }
            (Shape::Bool, Constant::Bool(b)) => quote!(#value == #b),
            (Shape::Bool, Constant::Int(n)) => match n {
                0 => quote!(!#value),
                1 => quote!(#value),
                _ => return Ok(Fits::Never),
            },
            (Shape::Float32, Constant::Float(_)) => {
                let bits = Literal::u64_unsuffixed(constant.float_bits(4).unwrap_or(0));
                quote!(#value.to_bits() == #bits)
            }
            (Shape::Float64, Constant::Float(bits)) => {
                let bits = Literal::u64_unsuffixed(*bits);
                quote!(#value.to_bits() == #bits)
            }
            _ => return unable("a constant of this type"),
        }))
    }

    /// Whether a type can say a value of this shape.
    fn says(
        &self,
        ctx: &Ctx<'m>,
        ty: &'m Type,
        shape: &Shape,
        value: &TokenStream,
        depth: u32,
    ) -> Able<Fits> {
        if depth > 16 {
            return unable("a form nested too deep");
        }
        Ok(match (ty, shape) {
            (Type::Cell(cell), Shape::Float32 | Shape::Float64)
                if !says_all(cell, *shape == Shape::Float32) =>
            {
                return unable("a float that a form may be unable to say");
            }
            (Type::Cell(cell), Shape::Int(prim)) => self.holds(cell, *prim, value)?,
            (Type::Cell(cell), Shape::Index(_)) => {
                self.holds(cell, Prim::U32, &quote!(#value.number()))?
            }
            (Type::Cell(cell), Shape::Enum(id)) => {
                let prim = self.straight.shapes.enum_prim(*id);
                self.holds(cell, prim, &quote!(#value.number()))?
            }
            (Type::Array(array), Shape::List(element) | Shape::Fixed(element, _)) => {
                match self.says(ctx, &array.element, element, &quote!((*it)), depth + 1)? {
                    Fits::Always => Fits::Always,
                    Fits::Never => Fits::If(quote!(#value.is_empty())),
                    Fits::If(condition) => {
                        let list = match shape {
                            Shape::List(_) => self.straight.reached(shape, &quote!((&#value))),
                            _ => value.clone(),
                        };
                        Fits::If(quote!(#list.iter().all(|it| #condition)))
                    }
                }
            }
            (Type::Run(run), shape) if has_not_all(run, shape) => {
                return unable("a text that a form may be unable to say");
            }
            (Type::Region(region), _) if ends::ends(self.model, region)?.is_some() => {
                return unable("content that a form may be unable to end");
            }
            (Type::Region(region), shape) => {
                self.says(ctx, &region.inner, shape, value, depth + 1)?
            }
            (Type::Record(id), shape) => {
                let record = &ctx.view.records[id.index()];
                let Some(row) = record.transparent else { return Ok(Fits::Always) };
                let ty = &record.rows[row.index()].ty;
                match shape {
                    // A struct around the value, for its spelling.
                    Shape::Struct(of) => {
                        let [field] = self.straight.shapes.fields(*of) else {
                            return unable("a form of a struct");
                        };
                        let ident = &field.ident;
                        self.says(ctx, ty, &field.shape, &quote!(#value.#ident), depth + 1)?
                    }
                    shape => self.says(ctx, ty, shape, value, depth + 1)?,
                }
            }
            (Type::PerEpoch(_), _) => return unable("a type by epoch"),
            _ => Fits::Always,
        })
    }

    /// Whether a cell holds a number of this type.
    fn holds(&self, cell: &Cell, prim: Prim, value: &TokenStream) -> Able<Fits> {
        let (bits, signed) = self.model.cell_range(cell);
        if matches!(cell.meaning, Meaning::Bool { .. }) || bits == 0 || bits > 64 {
            return unable("a form that says a number as something else");
        }
        let (low, high) = limits(bits, signed);
        let (least, greatest) = prim.range();
        let mut tests = Vec::new();
        if low > least {
            let low = number(low);
            tests.push(quote!(#value >= #low));
        }
        if high < greatest {
            let high = number(high);
            tests.push(quote!(#value <= #high));
        }
        Ok(match tests.as_slice() {
            [] => Fits::Always,
            tests => Fits::If(quote!((#(#tests)&&*))),
        })
    }
}

/// Whether two types have the same structs in them, as far as those are more than their only row.
fn same_records(model: &Model, a: &Type, b: &Type) -> bool {
    let records = |ty: &Type| -> Vec<RecordId> {
        let parts = ty.parts().filter_map(|part| match model.through_transparent(part) {
            Type::Record(id) => Some(*id),
            _ => None,
        });
        parts.collect()
    };
    records(a) == records(b)
}
