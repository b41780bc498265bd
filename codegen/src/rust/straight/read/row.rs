//! One row of a record.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::body::{Holder, Work, extent};
use super::seal::follows;
use super::{Ctx, Keeps, Reading, Sink, Spot, push, size};
use crate::model::{
    ArrayLength, Cell, Constant, Content, Encoding, PointerType, RecordId, RecordKind, Role, Row,
    RowId, RowKind, RunLength, Storage, Target, Type, UnionId,
};
use crate::rust::in_arena;
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::context::Flavour;
use crate::rust::straight::early::early;
use crate::rust::straight::outline::{field_piece, piece};
use crate::rust::straight::questions::{is_reserved, kind, target};

impl<'m> Reading<'_, '_, 'm> {
    /// A row with bytes at a spot; if a pointer is in it, later.
    pub(super) fn row_at(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<()> {
        let waits = match spot {
            Spot::Stream { .. } => self.waits_for(work, id, row),
            Spot::Block { .. } => None,
        };
        let made = self.about(row, || match &row.ty {
            _ if self.is_passed(row) => self.pass(work, row, spot),
            _ if row.ty.in_step().is_some() => self.pass_table(work, id, row, spot),
            _ if let Some(of) = waits => self.wait(work, (of, id), row, spot),
            Type::Pointer(pointer) if matches!(pointer.target, Target::Own(_)) => {
                self.pointer_at(work, id, pointer, spot)
            }
            _ => self.row_based(work, id, row, spot),
        });
        self.behind(work, id, made)?;
        self.waited(work, id)
    }

    /// A row at a spot, which is remembered if numbers of labels count from it.
    fn row_based(&self, work: &mut Work<'_, 'm>, id: RowId, row: &'m Row, spot: &Spot) -> Able<()> {
        let Some(base) = self.is_base(work.ctx.record, id) else {
            return self.row_here(work, id, row, spot);
        };
        let Spot::Stream { part, .. } = spot else { return unable("a base within a block") };
        if aligned(&row.ty) {
            return unable("a base that is aligned");
        }
        let from = self.local("from");
        work.code.extend(quote!(let #from = #part.at();));
        self.row_here(work, id, row, spot)?;
        work.code.extend(quote!(cx.found(#base, #from, #part.at());));
        Ok(())
    }

    /// A row with a pointer to what it owns at a spot.
    pub(super) fn pointer_at(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        pointer: &PointerType,
        spot: &Spot,
    ) -> Able<()> {
        let spot = match spot {
            Spot::Block { .. } => spot.clone(),
            Spot::Stream { part, .. } => {
                let kind = &work.ctx.view.pointers[pointer.kind.index()];
                let Storage::Fixed(int) = kind.cell.storage else {
                    return unable("a pointer of variable width");
                };
                let (block, width) = (self.local("b"), size(int.bytes.into()));
                work.code.extend(quote!(let #block: &'i [u8; #width] = #part.block()?;));
                Spot::block(block)
            }
        };
        work.later.push((id, spot));
        Ok(())
    }

    /// Code that reads the members of a pool to the end of the region around. Which they are is compared
    /// by the reader in the end, or by what writes the value again, if the file is not trusted.
    fn members_to_end(
        &self,
        ctx: &Ctx<'m>,
        spot: &Spot,
        row: &'m Row,
        part: &Ident,
        pad: u64,
    ) -> TokenStream {
        let rest = quote!(#part.rest(););
        if self.is_sealed() {
            return rest;
        }
        let shape = self.straight.shapes.of(&row.ty, row);
        let all = || self.item(ctx, spot, &row.ty, row, &shape, &|_| TokenStream::new());
        match self.straight.perhaps(all) {
            Ok(all) if pad <= 1 => quote!(if cx.trusts() { #all } else { #rest }),
            _ => {
                self.doubt_value("a pool to the end of a region");
                rest
            }
        }
    }

    /// A row with bytes at a spot.
    pub(super) fn row_here(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<()> {
        let mut ctx = self.row_ctx(work, id);
        if let (Some(keeps), true) = (&work.keeps, self.keeps_row(ctx.record, row)) {
            let number = self.straight.shapes.spelling_row(ctx.record, id);
            ctx.keeps = Some(Keeps { spelling: keeps.clone(), row: number, list: None });
        }
        let ctx = &ctx;
        if self.is_sealed()
            && let Type::Record(inner) = target(&row.ty)
            && let Some(place) = self.straight.pool_place(ctx.record, id, *inner)
        {
            work.code.extend(quote!(cx.at_pool_place(#place);));
        }
        let mut shape = (work.wanted)(id);
        if matches!(row.role, Role::Derived) && !row.perhaps_given() && shape.take().is_some() {
            // Other layouts have it in the value.
            work.fields.push((id, quote!(rt::None)));
        }
        match &row.kind {
            RowKind::Plain => {}
            RowKind::Constant(constant) => {
                return self.constant(work, id, row, constant, spot, shape);
            }
            RowKind::Zero | RowKind::Reserved | RowKind::Runtime => {
                return self.padding(work, ctx, row, spot);
            }
            RowKind::Pool { pad, .. } => {
                let Spot::Stream { part, .. } = spot else { return unable("a pool in a block") };
                let from = self.local("a");
                let members = match &row.ty {
                    Type::Array(array) if matches!(array.length, ArrayLength::Fill) => {
                        self.members_to_end(ctx, spot, row, part, *pad)
                    }
                    _ if *pad > 1 => return unable("so many members of a pool with padding"),
                    ty => {
                        let shape = self.straight.shapes.of(ty, row);
                        let all = self.item(ctx, spot, ty, row, &shape, &|_| TokenStream::new())?;
                        quote!({ #all })
                    }
                };
                let noted = self.pool_noted(ctx, id, row, &quote!((#from, #part.at())));
                let from = noted.as_ref().map(|_| quote!(let #from = #part.at();));
                work.code.extend(quote!(#from #members #noted));
                return Ok(());
            }
            RowKind::Zeros => {
                let Spot::Stream { part, .. } = spot else { return unable("zeros in a block") };
                let (bytes, field) = (self.local("r"), self.local("f"));
                work.code.extend(quote!(let #bytes = #part.rest(); s::zeros(#bytes)?;));
                if let Some(shape) = shape {
                    let Shape::Int(prim) = shape.core() else { return unable("zeros") };
                    let prim = prim.ident();
                    let value = self.wrap(&shape, quote!((#bytes.len() as #prim)));
                    work.code.extend(quote!(let #field = #value;));
                    work.fields.push((id, quote!(#field)));
                }
                return Ok(());
            }
            _ => return unable(kind(row)),
        }
        if ctx.view.counts_itself(&self.straight.held_by, ctx.record, id) {
            return unable("a number that counts its own bytes");
        }
        let maybe = matches!(row.role, Role::Derived) && shape.is_some();
        if maybe && !matches!((&row.ty, &shape), (Type::Cell(_), Some(Shape::Option(_)))) {
            return unable("a number that only some cases derive");
        }
        // What follows from the rest may be asked for all the same.
        let is_field = shape.is_some();
        let shape = match shape {
            None if self.is_value_asked(ctx.record, id, row)
                && self.straight.shapes.carries(&row.ty) =>
            {
                Some(self.straight.early_shape(ctx.record, id, row))
            }
            shape => shape,
        };
        if !is_field && (!row.checks.is_empty() || row.reference.is_some()) {
            self.doubt_value("a rule for what is not in the value");
        }
        let extent = work.extents.contains(&id).then(|| extent(ctx.record, id));
        if extent.is_some() && !row.none.is_empty() && matches!(row.ty, Type::Cell(_)) {
            return unable("the address of a number that may stand for none");
        }
        let field = self.field_local(ctx, id, row);
        // The number of a row is read once, for the value and for expressions.
        if let Type::Cell(cell) = &row.ty
            && (self.is_asked(ctx.record, id) || follows(row))
            && (maybe || !self.is_value_asked(ctx.record, id, row))
        {
            let (before, stored) = self.stored(ctx, spot, cell.storage)?;
            let (raw, name) = (&stored.tokens, self.local("c"));
            work.code.extend(quote!(#before let #name = #raw;));
            let known = super::cell::Stored { tokens: quote!(#name), ..stored };
            let number = self.early(cell, row, &known);
            let value =
                self.known_cell(ctx, known, cell, row, shape.as_ref(), &|v| quote!(#field = #v;))?;
            if shape.is_some() {
                self.field(work, id, &field, value, true, shape.as_ref());
            } else {
                work.code.extend(value);
            }
            if maybe {
                // It is in the value where the case that is read does not say it.
                let Some((_, value)) = work.fields.pop() else { return unable("no field") };
                let given = self.local("g");
                work.code.extend(quote!(let #given = #value;));
                work.fields.push((id, quote!(#given)));
            }
            if let Some(number) = number {
                let name = early(ctx.record, id);
                work.code.extend(quote!(let #name: i128 = #number;));
                self.known.borrow_mut().insert(name.to_string());
            }
            self.place_extent(work, &extent, spot, row);
            return Ok(());
        }
        let mut inner = ctx.clone();
        let (mut start, mut stop) = (None, None);
        if let Some(extent) = &extent {
            match (&row.ty, spot) {
                (Type::Pointer(_), _) => {
                    work.code.extend(quote! {
                        let mut #extent: rt::Option<(usize, usize)> = rt::None;
                    });
                    inner.extent = Some(extent.clone());
                }
                (_, Spot::Block { .. }) => {
                    self.place_extent(work, &Some(extent.clone()), spot, row)
                }
                (_, Spot::Stream { part, .. }) => {
                    if aligned(&row.ty) {
                        self.doubt("the address of something aligned");
                    }
                    let from = self.local("a");
                    start = Some(quote!(let #from = #part.at();));
                    stop = Some(quote!(let #extent = rt::Some((#from, #part.at()));));
                }
            }
        }
        let code = match &shape {
            Some(shape) => {
                let code =
                    self.item(&inner, spot, &row.ty, row, shape, &|v| quote!(#field = #v;))?;
                work.code.extend(start);
                let still = matches!(spot, Spot::Block { .. });
                self.field(work, id, &field, code, still, Some(shape));
                if !is_field {
                    work.fields.pop();
                }
                work.code.extend(stop);
                return Ok(());
            }
            None => {
                let shape = self.straight.shapes.of(&row.ty, row);
                let spelled = match shape.core() {
                    Shape::Struct(of) if self.straight.shapes.has_spelling(*of) => {
                        if shape != Shape::Struct(*of) || self.straight.spelling_outside(*of) {
                            return unable("spelling that is in no field");
                        }
                        true
                    }
                    _ => false,
                };
                // Which is nowhere in the value.
                let is_usual = |value: TokenStream| match spelled {
                    true => quote!(let unseen = #value; s::holds(unseen.spelling.is_canonical())?;),
                    false => TokenStream::new(),
                };
                let code = self.item(&inner, spot, &row.ty, row, &shape, &is_usual)?;
                let label = piece("read", work.ctx.record, id);
                quote!({ #label: { #code } })
            }
        };
        work.code.extend(quote!(#start #code #stop));
        Ok(())
    }

    /// A union in a row, with the block and the base of the record around it.
    pub(super) fn union_row(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        holder: &Holder,
    ) -> Able<()> {
        let made = self.union_here(work, id, row, holder);
        self.behind(work, id, made)
    }

    fn union_here(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        holder: &Holder,
    ) -> Able<()> {
        let Type::Union(union) = row.ty else { return unable("no union") };
        let stream = holder.stream();
        let spot = stream.clone().unwrap_or_else(|_| Spot::local(format_ident!("part")));
        if work.extents.contains(&id) {
            match stream {
                Ok(Spot::Stream { part, .. }) if holder.block.is_none() => {
                    let from = self.local("a");
                    work.code.extend(quote!(let #from = #part.at();));
                    self.union_code(work, id, (union, row), holder, &spot)?;
                    let extent = extent(work.ctx.record, id);
                    work.code.extend(quote!(let #extent = rt::Some((#from, #part.at()));));
                    return Ok(());
                }
                _ => self.doubt("the address of a union"),
            }
        }
        self.union_code(work, id, (union, row), holder, &spot)
    }

    fn union_code(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        (union, row): (UnionId, &'m Row),
        holder: &Holder,
        spot: &Spot,
    ) -> Able<()> {
        let field = self.field_local(work.ctx, id, row);
        let shape = (work.wanted)(id);
        let target = shape.clone().unwrap_or(Shape::Choice(union));
        let ctx = &self.row_ctx(work, id);
        if ctx.pushing {
            let code =
                self.union(ctx, holder, spot, union, target.core(), &|value| push(&value))?;
            work.code.extend(code);
            work.fields.push((id, quote!(())));
            return Ok(());
        }
        let code = self.union(ctx, holder, spot, union, target.core(), &|value| match &shape {
            Some(shape) => {
                let value = self.wrap(shape, value);
                quote!(#field = #value;)
            }
            None => TokenStream::new(),
        })?;
        if shape.is_some() {
            self.field(work, id, &field, code, false, shape.as_ref());
        } else {
            work.code.extend(quote!({ #code }));
        }
        Ok(())
    }

    /// The type of a field.
    pub(super) fn ty_of(&self, shape: &Shape) -> TokenStream {
        match self.straight.flavour {
            Flavour::Values => self.straight.shapes.ty_for(shape, true, &quote!('o)),
            Flavour::Arena => in_arena::ty(self.straight.shapes, shape, true),
        }
    }

    /// A field whose local is set by this code. `still`: the code moves nothing on.
    fn field(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        field: &Ident,
        code: TokenStream,
        still: bool,
        shape: Option<&Shape>,
    ) {
        let form =
            matches!(work.ctx.view.records[work.ctx.record.index()].kind, RecordKind::Form(..));
        let asked = field.to_string().starts_with("v__");
        self.value_is_known(field);
        let ty = shape.map(|shape| self.ty_of(shape));
        if let (true, Some(ty)) = (asked, &ty) {
            self.types.borrow_mut().insert(field.to_string(), ty.clone());
        }
        match only_value(field, &code) {
            // Looked at where the struct is made. Forms look at values twice.
            Some(value) if still && !form && !asked => work.fields.push((id, value)),
            Some(value) => {
                work.code.extend(quote!(let #field = #value;));
                work.fields.push((id, quote!(#field)));
            }
            None => {
                let code = match &ty {
                    Some(ty) => field_piece((work.ctx.record, id), (field, ty), &code),
                    None => code,
                };
                work.code.extend(quote!(let mut #field; #code));
                work.fields.push((id, quote!(#field)));
            }
        }
    }

    /// Remembers where a row of constant size lies.
    fn place_extent(
        &self,
        work: &mut Work<'_, 'm>,
        extent: &Option<Ident>,
        spot: &Spot,
        row: &Row,
    ) {
        let Some(extent) = extent else { return };
        let width = size(self.fixed(work.ctx, &row.ty).unwrap_or(0));
        let code = match spot {
            Spot::Block { .. } => {
                let at = spot.address();
                quote!(let #extent = rt::Some((#at, #at + #width));)
            }
            Spot::Stream { .. } => {
                self.doubt("the address of a number");
                quote!(let #extent: rt::Option<(usize, usize)> = rt::None;)
            }
        };
        work.code.extend(code);
    }

    /// Bytes that are always the same.
    fn constant(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        constant: &Constant,
        spot: &Spot,
        shape: Option<Shape>,
    ) -> Able<()> {
        let ctx = work.ctx;
        match &row.ty {
            Type::Nothing => {}
            Type::Cell(cell) => {
                let (before, stored) = self.stored(ctx, spot, cell.storage)?;
                let same = self.same_number(cell, &stored, constant, row.plus)?;
                work.code.extend(quote!(#before #same));
            }
            Type::Run(_) | Type::Array(_) => {
                let bytes: Vec<u8> = match (&row.ty, constant) {
                    (Type::Run(run), Constant::Bytes(bytes)) => [&bytes[..], &run.suffix].concat(),
                    (Type::Run(run), Constant::Text(text))
                        if matches!(run.content, Content::Bytes)
                            || matches!(
                                run.content,
                                Content::Text(Encoding::Ascii | Encoding::Utf8)
                            ) =>
                    {
                        [text.as_bytes(), &run.suffix].concat()
                    }
                    (Type::Array(_), Constant::Bytes(bytes)) => bytes.clone(),
                    _ => return unable("a constant of this type"),
                };
                if let Type::Run(run) = &row.ty
                    && matches!(run.length, RunLength::Prefix(_))
                {
                    return unable("a constant with a length");
                }
                if self.fixed(ctx, &row.ty) != Some(bytes.len() as u64) {
                    return unable("a constant of another size");
                }
                let wanted = Literal::byte_string(&bytes);
                work.code.extend(match spot {
                    Spot::Block { block, at, .. } => {
                        let (at, width) = (size(*at), size(bytes.len() as u64));
                        quote!(s::holds(s::bytes(#block, #at, #width) == #wanted)?;)
                    }
                    Spot::Stream { part, .. } => quote!(#part.expect(#wanted)?;),
                });
            }
            _ => return unable("a constant of this type"),
        }
        if let (Constant::Int(n), true) = (constant, self.is_asked(ctx.record, id)) {
            let (name, n) = (early(ctx.record, id), Literal::i128_suffixed(*n));
            work.code.extend(quote!(let #name: i128 = #n;));
            self.known.borrow_mut().insert(name.to_string());
        }
        if let Some(shape) = shape {
            let Some(value) = self.straight.shapes.constant(constant, &shape, true) else {
                return unable("a constant of another Rust type");
            };
            let field = self.local("f");
            work.code.extend(quote!(let #field = #value;));
            work.fields.push((id, quote!(#field)));
        }
        Ok(())
    }

    /// Bytes that are zero in a plain file.
    fn padding(
        &self,
        work: &mut Work<'_, 'm>,
        ctx: &Ctx<'m>,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<()> {
        if let Type::Cell(Cell { storage, .. }) = &row.ty
            && (ctx.word.is_some() || ctx.bits.is_some())
        {
            let (before, stored) = self.stored(ctx, spot, *storage)?;
            let raw = stored.tokens;
            work.code.extend(quote!(#before s::holds(#raw == 0)?;));
            return Ok(());
        }
        if row.ty.is_bits() {
            return unable("bits that share bytes with their neighbours");
        }
        let fixed = self.fixed(ctx, &row.ty).map(size);
        let bytes = match (spot, fixed, &row.ty) {
            (Spot::Block { block, at, .. }, Some(width), _) => {
                let at = size(*at);
                quote!(s::bytes(#block, #at, #width))
            }
            (Spot::Stream { part, .. }, Some(width), _) => quote!(#part.take(#width)?),
            (Spot::Stream { part, .. }, None, Type::Run(run)) if run.suffix.is_empty() => {
                match &run.length {
                    RunLength::Count(count) => {
                        let count = self.length(ctx, *count)?;
                        quote!(#part.take(#count)?)
                    }
                    RunLength::Fill => {
                        // By itself it has none, and in a room what is left of that.
                        self.doubt_value("padding that fills a room");
                        work.code.extend(is_fill(row, &quote!(#part.rest())));
                        return Ok(());
                    }
                    _ => return unable("padding of no known size"),
                }
            }
            _ => return unable("padding of no known size"),
        };
        work.code.extend(match ctx.keeps_row() {
            Some((spelling, number)) if is_reserved(row) => {
                quote!(s::keep_reserved(#bytes, &mut #spelling, #number);)
            }
            _ => is_fill(row, &bytes),
        });
        Ok(())
    }

    /// A number that was read already, with its meaning.
    fn known_cell(
        &self,
        ctx: &Ctx<'m>,
        known: super::cell::Stored,
        cell: &Cell,
        row: &'m Row,
        shape: Option<&Shape>,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        if let Some(shape) = shape {
            return self.cell_of(ctx, known, cell, row, shape, sink);
        }
        let shape = self.straight.shapes.of(&row.ty, row);
        let shape = if row.none.is_empty() { shape } else { shape.optional() };
        // It may be no member, or no truth value.
        let drop = |value: TokenStream| match value.to_string().contains('?') {
            true => quote!(let _ = #value;),
            false => TokenStream::new(),
        };
        self.cell_of(ctx, known, cell, row, &shape, &drop)
    }

    /// Whether a row of this record is asked for.
    pub(super) fn is_asked(&self, record: RecordId, row: RowId) -> bool {
        self.asked.contains(&(record, row))
    }
}

/// The value, if code does nothing but set a local to it.
fn only_value(field: &Ident, code: &TokenStream) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = code.clone().into_iter().collect();
    let is = |tree: &TokenTree, sign: char| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign);
    match trees.as_slice() {
        [TokenTree::Ident(name), equals, value @ .., end]
            if name == field
                && is(equals, '=')
                && is(end, ';')
                && !value.iter().any(|tree| is(tree, ';')) =>
        {
            Some(value.iter().cloned().collect())
        }
        _ => None,
    }
}

/// Whether a type begins behind padding.
fn aligned(ty: &Type) -> bool {
    match ty {
        Type::Run(run) => run.align.is_some(),
        Type::Region(region) => aligned(&region.inner),
        _ => false,
    }
}

/// Code that compares bytes with the padding that a row says.
fn is_fill(row: &Row, bytes: &TokenStream) -> TokenStream {
    match row.fill {
        0 => quote!(s::zeros(#bytes)?;),
        fill => {
            let fill = Literal::u8_unsuffixed(fill);
            quote!(s::filled(#bytes, #fill)?;)
        }
    }
}
