//! Values that are seen in the file: they have no bytes of their own.

use proc_macro2::TokenStream;
use quote::quote;

use super::body::{Work, extent};
use super::{Ctx, Reading, nothing};
use crate::model::{Constant, Expr, ExprId, Home, Path, Role, Row, RowId, RowKind};
use crate::rust::mentions::mentions;
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::early::{early, is_early_number};
use crate::rust::straight::questions::{has_pointer, is_aligned, own_row};
use crate::rust::straight::scope::{Late, Scope};

/// Addresses of rows that were read, besides those that any reader knows.
struct Behind<'r, 's, 'p, 'm> {
    reading: &'r Reading<'s, 'p, 'm>,
    /// What was read.
    read: &'r TokenStream,
}

impl Late for Behind<'_, '_, '_, '_> {
    fn steps(&self, list: &TokenStream) -> Option<TokenStream> {
        self.reading.steps(list)
    }

    fn member_count(&self, scope: &Scope<'_>, path: &Path) -> Option<TokenStream> {
        self.reading.member_count(scope, path)
    }

    fn address(&self, scope: &Scope<'_>, expr: ExprId) -> Able<TokenStream> {
        let Some(this) = scope.frames.last() else { return unable("no node") };
        let expr_is = &self.reading.model[expr];
        let (Expr::At(path) | Expr::End(path) | Expr::Size(path)) = expr_is else {
            return self.reading.address(scope, expr);
        };
        let Some(row) = own_row(path, this.record) else {
            return self.reading.address(scope, expr);
        };
        let extent = extent(this.record, row);
        if !mentions(self.read, &extent.to_string()) {
            return unable("the address of what is not read yet");
        }
        Ok(match expr_is {
            Expr::At(_) => quote!(#extent.map(|(at, _)| at as i128)),
            Expr::End(_) => quote!(#extent.map(|(_, end)| end as i128)),
            _ => quote!(#extent.map(|(at, end)| (end - at) as i128)),
        })
    }
}

impl<'m> Reading<'_, '_, 'm> {
    /// Reads a value where it stands, if rows behind it ask for it or it says where that is. `place`: the
    /// address, and that of the end of the region around, as far as they are known.
    pub(super) fn seen_early(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        place: Option<(TokenStream, Option<TokenStream>)>,
    ) -> Able<()> {
        let ctx = work.ctx;
        let row = self.row(ctx, ctx.record, id);
        let Some(seen) = self.is_seen_early(ctx, id) else { return Ok(()) };
        if let Some((at, end)) = place {
            self.straight.stand((ctx.record, id), at, end);
        }
        let doubt = self.doubt.borrow().clone();
        let made = self.straight.perhaps(|| {
            let late = Behind { reading: self, read: &work.code };
            let scope = Scope { late: Some(&late), ..self.scope(ctx) };
            let number = self.straight.typed(&scope, ctx.view, seen)?.number()?;
            self.checked(number)
        });
        let made = match (made, row.when) {
            (Ok(number), Some(when)) => {
                let made = self.seen_when(work, id, when, &number);
                work.code.extend(self.straight.stood(&TokenStream::new()));
                work.code.extend(made?);
                return Ok(());
            }
            (made, _) => made,
        };
        let ahead = self.straight.stood(&TokenStream::new());
        let number = match made {
            Ok(number) if doubt.is_some() || self.is_sealed() => number,
            Err(why) if self.straight.is_about_place(seen) => return Err(why),
            // It is seen later, or tried.
            _ => {
                self.doubt.replace(doubt);
                return Ok(());
            }
        };
        let name = early(ctx.record, id);
        work.code.extend(quote!(#ahead let #name: i128 = s::known(#number)?;));
        self.known.borrow_mut().insert(name.to_string());
        if let Some(shape) = (work.wanted)(id) {
            let (value, field) = (self.seen_as(&shape, &quote!(#name))?, self.local("f"));
            work.code.extend(quote!(let #field = #value;));
            work.fields.push((id, quote!(#field)));
        }
        Ok(())
    }

    /// A value that is there only if a condition holds.
    fn seen_when(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        when: ExprId,
        number: &TokenStream,
    ) -> Able<TokenStream> {
        let Some(shape) = (work.wanted)(id) else { return unable("a value that is in no value") };
        let holds = self.straight.block_holds(when, &|expr| self.truth(work.ctx, expr))?;
        let (name, field) = (self.local("number"), self.local("f"));
        let (value, none) = (self.seen_as(&shape, &quote!(#name))?, nothing(&shape)?);
        work.fields.push((id, quote!(#field)));
        Ok(quote! {
            let #field = if #holds { let #name: i128 = s::known(#number)?; #value } else { #none };
        })
    }

    /// What such a value follows from, if it is read where it stands.
    fn is_seen_early(&self, ctx: &Ctx<'m>, id: RowId) -> Option<ExprId> {
        let row = self.row(ctx, ctx.record, id);
        let RowKind::Value { seen: Some(seen) } = row.kind else { return None };
        let gone = matches!(row.homes.get(ctx.epoch), Some(Home::Absent));
        if gone || !is_early_number(row) {
            return None;
        }
        let is_about_place = self.straight.is_about_place(seen);
        let wanted = match row.when {
            Some(when) => is_about_place || self.straight.is_about_place(when),
            None => {
                is_about_place
                    || self.is_asked(ctx.record, id)
                    || !self.rows_behind(ctx, id, seen).is_empty()
            }
        };
        wanted.then_some(seen)
    }

    /// Rows whose addresses such values ask for.
    pub(super) fn extents_seen(&self, ctx: &Ctx<'m>, found: &mut Vec<RowId>) {
        for (id, _) in ctx.view.records[ctx.record.index()].numbered_rows() {
            if let Some(seen) = self.is_seen_early(ctx, id) {
                found.extend(self.rows_behind(ctx, id, seen));
            }
        }
    }

    /// Rows in front of a value whose addresses it asks for.
    fn rows_behind(&self, ctx: &Ctx<'m>, id: RowId, seen: ExprId) -> Vec<RowId> {
        let (mut found, mut open) = (Vec::new(), vec![seen]);
        while let Some(expr) = open.pop() {
            let expr = &self.model[expr];
            if let Expr::At(path) | Expr::End(path) | Expr::Size(path) = expr
                && let Some(asked) = own_row(path, ctx.record)
            {
                let row = self.row(ctx, ctx.record, asked);
                let is_inline = matches!(row.homes.get(ctx.epoch), Some(Home::Next | Home::At(_)))
                    && !has_pointer(&row.ty)
                    && !is_aligned(&row.ty);
                let is_always = row.when.is_none();
                if asked < id && is_always && is_inline && !row.ty.is_bits() && row.none.is_empty()
                {
                    found.push(asked);
                }
            }
            expr.operands(&mut |operand| open.push(operand));
        }
        found
    }

    /// A value that follows from what was read.
    pub(super) fn seen_value(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        seen: ExprId,
        shape: Option<Shape>,
    ) -> Able<()> {
        let ctx = work.ctx;
        let row = self.row(ctx, ctx.record, id);
        if work.fields.iter().any(|(known, _)| *known == id) {
            return Ok(());
        }
        let Some(shape) = shape else { return unable("a value that is in no value") };
        let field = self.local("f");
        if let (Some(constant), true) = (usual(row), self.straight.is_tried(ctx.record, row)) {
            self.doubt_value("a value that is seen in the file");
            self.tried.borrow_mut().insert(id);
            let Some(value) = self.straight.shapes.constant(constant, &shape, true) else {
                return unable("a constant of another Rust type");
            };
            work.code.extend(quote!(let #field = #value;));
            work.fields.push((id, quote!(#field)));
            return Ok(());
        }
        let seen = self.typed(ctx, seen)?.number()?;
        let number = self.local("number");
        let value = self.seen_as(&shape, &quote!(#number))?;
        let read = quote!({ let #number: i128 = s::known(#seen)?; #value });
        work.code.extend(match &row.when {
            Some(when) => {
                let (when, none) = (self.truth(ctx, *when)?, nothing(&shape)?);
                quote!(let #field = if #when { #read } else { #none };)
            }
            None => quote!(let #field = #read;),
        });
        work.fields.push((id, quote!(#field)));
        Ok(())
    }

    /// A number as a value of a Rust type.
    fn seen_as(&self, shape: &Shape, number: &TokenStream) -> Able<TokenStream> {
        let value = match shape.core() {
            Shape::Int(prim) => {
                let prim = prim.ident();
                quote!(s::known(#prim::try_from(#number).ok())?)
            }
            Shape::Bool => quote!((#number != 0)),
            Shape::Enum(of) => {
                let prim = self.straight.shapes.enum_prim(*of).ident();
                self.member(*of, quote!(s::known(#prim::try_from(#number).ok())?))?
            }
            _ => return unable("a value that is no number, seen in the file"),
        };
        Ok(self.wrap(shape, value))
    }
}

/// What a value usually is.
fn usual(row: &Row) -> Option<&Constant> {
    match &row.role {
        Role::Default(constant) => Some(constant),
        _ => None,
    }
}
