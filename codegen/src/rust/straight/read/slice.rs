//! Lists that are parts of shared tables, and rows that hold nothing of a value: such tables, and
//! pointers to nothing.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::body::Work;
use super::{Ctx, Reading, Spot, size};
use crate::model::{
    ArrayLength, ArrayType, Extent, Path, PointerType, Role, Row, RowId, RowKind, Storage, Target,
    Type,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::early::early;
use crate::rust::straight::outline::field_piece;

impl<'m> Reading<'_, '_, 'm> {
    /// Whether a row is read by nobody: a shared table, or a pointer to nothing.
    pub(super) fn is_passed(&self, row: &Row) -> bool {
        let nothing = |pointer: &PointerType| matches!(pointer.target, Target::Own(Type::Nothing));
        matches!(row.role, Role::View { .. })
            || matches!(&row.ty, Type::Pointer(pointer) if nothing(pointer))
    }

    /// Steps over such a row.
    pub(super) fn pass(&self, work: &mut Work<'_, 'm>, row: &'m Row, spot: &Spot) -> Able<()> {
        self.doubt_value("a shared table");
        match (&row.ty, spot) {
            (Type::Pointer(_) | Type::Array(_), Spot::Block { .. }) => {}
            (Type::Pointer(pointer), Spot::Stream { part, .. }) => {
                let kind = &work.ctx.view.pointers[pointer.kind.index()];
                let Storage::Fixed(int) = kind.cell.storage else {
                    return unable("a pointer of variable width");
                };
                let width = size(int.bytes.into());
                work.code.extend(quote!(#part.take(#width)?;));
            }
            (Type::Array(array), Spot::Stream { part, .. }) => {
                let (ArrayLength::Count(count), Some(wide), None) =
                    (&array.length, self.fixed(work.ctx, &array.element), array.stride)
                else {
                    return unable("a shared table of no known size");
                };
                let (count, wide) = (self.length(work.ctx, *count)?, size(wide));
                work.code.extend(quote!(#part.many(#count, #wide)?;));
            }
            _ => return unable("a shared table of another type"),
        }
        Ok(())
    }

    /// Steps over a table that no value has, all of which follows from what the value has: who writes
    /// that again has to make the same bytes. Others may ask how many elements there are.
    pub(super) fn pass_table(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<()> {
        let ctx = work.ctx;
        if self.is_base(ctx.record, id).is_some() {
            return unable("a table that no value has, and that numbers count from");
        }
        self.doubt("a table beside what it is about");
        match (&row.ty, spot) {
            (Type::Region(region), Spot::Stream { part, .. }) => {
                let (Type::Array(array), Extent::Size(bytes), None) =
                    (&region.inner, &region.extent, &region.trim)
                else {
                    return unable("a table that no value has, in a region of another kind");
                };
                let (bytes, own) = (self.length(ctx, *bytes)?, self.local("p"));
                work.code.extend(quote!(let mut #own = #part.sized(#bytes)?;));
                self.pass_elements(work, id, array, &Spot::local(own.clone()))?;
                work.code.extend(quote!(#own.done()?;));
                Ok(())
            }
            (Type::Array(array), _) => self.pass_elements(work, id, array, spot),
            _ => unable("a table that no value has, of another type"),
        }
    }

    fn pass_elements(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        array: &'m ArrayType,
        spot: &Spot,
    ) -> Able<()> {
        let ctx = work.ctx;
        let wide = self.fixed(ctx, &array.element).filter(|wide| *wide > 0);
        let (Some(wide), None) = (wide.map(size), array.stride) else {
            return unable("a table that no value has, of elements of no known size");
        };
        let count = early(ctx.record, id);
        let (before, number) = match (&array.length, spot) {
            (ArrayLength::Count(said), Spot::Stream { part, .. }) => {
                let (said, number) = (self.length(ctx, *said)?, self.local("u"));
                let before = quote!(let #number = #said; #part.many(#number, #wide)?;);
                (before, quote!(#number as i128))
            }
            (ArrayLength::Count(said), Spot::Block { .. }) => {
                let said = self.length(ctx, *said)?;
                (TokenStream::new(), quote!(#said as i128))
            }
            (ArrayLength::Fill, Spot::Stream { part, .. }) => {
                let bytes = self.local("r");
                (quote!(let #bytes = #part.all(#wide)?;), quote!((#bytes.len() / #wide) as i128))
            }
            _ => return unable("a table that no value has, which ends with a certain element"),
        };
        work.code.extend(before);
        if self.is_asked(ctx.record, id) {
            work.code.extend(quote!(let #count: i128 = #number;));
            self.known.borrow_mut().insert(count.to_string());
        }
        Ok(())
    }

    /// A list that is part of a shared table.
    pub(super) fn slice(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        shape: Option<Shape>,
    ) -> Able<()> {
        let ctx = work.ctx;
        let RowKind::Slice { table, base, factor, offset, unit, count, .. } = &row.kind else {
            return unable("no slice");
        };
        if *unit != 1 {
            return unable("a slice that begins at a number of something else than elements");
        }
        let Some(count) = count else { return unable("a slice without a number of elements") };
        let Some(shape) = shape else { return unable("a slice that is in no value") };
        self.doubt_value("a shared table");
        let number = |row: RowId| {
            self.checked({
                let name = early(ctx.record, row);
                quote!(#name)
            })
        };
        // A number that is not there says nothing of the slice.
        let (first, many) = (number(*base)?, number(*count)?);
        let (factor, offset) = (Literal::i128_suffixed(*factor), Literal::i128_suffixed(*offset));
        let first =
            quote!(s::add(s::multiply(rt::Some(#first), rt::Some(#factor))?, rt::Some(#offset))?);
        let (part, field, whole) =
            (self.local("p"), self.field_local(ctx, id, row), self.local("n"));
        let begin = self.table_part(ctx, table, &quote!(#whole))?;
        let spot = Spot::local(part.clone());
        // Whoever looks at its elements later has to know their place; nobody does.
        let inner = Ctx {
            index: None,
            extent: None,
            keeps: None,
            filled: false,
            whole: true,
            ..ctx.clone()
        };
        let sink = |value: TokenStream| quote!(#field = #value;);
        let read = self.inside(|| self.item(&inner, &spot, &row.ty, row, &shape, &sink))?;
        let empty = self.wrap(&shape, self.empty(shape.core())?);
        let ty = self.ty_of(&shape);
        if field.to_string().starts_with("v__") {
            self.types.borrow_mut().insert(field.to_string(), ty.clone());
        }
        let code = quote! {
            let #whole = s::length(rt::Some(#many))?;
            if #whole == 0 {
                #field = #empty;
            } else {
                let first: i128 = s::known(#first)?;
                let mut #part = #begin;
                cx.charge(#part.left())?;
                #read
            }
        };
        let code = field_piece((ctx.record, id), (&field, &ty), &code);
        work.code.extend(quote!(let #field; #code));
        self.value_is_known(&field);
        work.fields.push((id, quote!(#field)));
        Ok(())
    }

    /// The part of a table with so many elements from that with the number `first` on.
    fn table_part(&self, ctx: &Ctx<'m>, table: &Path, count: &TokenStream) -> Able<TokenStream> {
        let way = self.straight.table(ctx.record, table)?;
        let found = self.straight.sight_table(ctx.view, &way, &mut |_, wide, at| {
            let wide = size(wide);
            Ok(quote!(found = rt::Some(cx.slice(#at, first, #count, #wide)?);))
        })?;
        Ok(quote!(s::known({ let mut found = rt::None; #found found })?))
    }
}
