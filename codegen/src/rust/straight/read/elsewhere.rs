//! Rows whose bytes are elsewhere, or that have none.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::body::{Work, extent};
use super::{Ctx, Reading, Spot, nothing, size};
use crate::model::{
    Expr, ExprId, Field, Home, Member, Path, RecordId, Role, Row, RowId, RowKind, Start, Step, Type,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::questions::{kind, target};

impl<'m> Reading<'_, '_, 'm> {
    /// Rows whose bytes are elsewhere, or that have none.
    pub(super) fn row_without_bytes(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
    ) -> Able<()> {
        let ctx = work.ctx;
        if !matches!(row.homes.get(ctx.epoch), Some(Home::Nowhere) | None) || row.in_tag() {
            return Ok(());
        }
        let shape = (work.wanted)(id);
        let field = self.local("f");
        match (&row.kind, &row.role) {
            (RowKind::Value { seen: Some(seen) }, _) => {
                return self.seen_value(work, id, *seen, shape);
            }
            (RowKind::Value { seen: None }, Role::Elsewhere) => {
                self.doubt_value("names that stand elsewhere");
                match shape {
                    None => return Ok(()),
                    Some(Shape::Str) => {
                        let value = self.empty(&Shape::Str)?;
                        work.code.extend(quote!(let #field = #value;));
                    }
                    Some(_) => return unable("names that are no texts"),
                }
            }
            (RowKind::Object { address, .. }, _) => {
                if self.is_table(&row.ty) {
                    self.doubt("a table that follows from the value");
                    let table = || self.table(ctx, id, row, *address);
                    match self.straight.perhaps(table) {
                        Ok(table) => work.code.extend(table),
                        Err(_) => self.doubt_value("a table that is not read"),
                    }
                    let Some(shape) = shape else { return Ok(()) };
                    let value = self.wrap(&shape, quote!(rt::Default::default()));
                    work.code.extend(quote!(let #field = #value;));
                } else {
                    return self.object(work, id, row, *address, shape);
                }
            }
            (RowKind::Mark { .. }, _) => {
                self.doubt("an address without bytes");
                return match shape {
                    None => Ok(()),
                    Some(_) => unable("an address as a value"),
                };
            }
            (RowKind::Slice { .. }, _) => return self.slice(work, id, row, shape),
            _ => return unable(kind(row)),
        }
        work.fields.push((id, quote!(#field)));
        Ok(())
    }

    /// Code for a table: it is remembered if numbers of labels count from it, and read if nobody compares
    /// it.
    fn table(&self, ctx: &Ctx<'m>, id: RowId, row: &'m Row, address: ExprId) -> Able<TokenStream> {
        if self.unsure.get() {
            // It is compared in any case.
            return Ok(TokenStream::new());
        }
        let base = self.is_base(ctx.record, id);
        let root = self.model.root;
        let mut bases = self.model.pointers.iter().filter_map(|kind| kind.base);
        let mut is_end =
            |base| bases.any(|of| self.anchors.side(ctx.view, of, root) == Some((base, true)));
        if base.is_some_and(&mut is_end) {
            return unable("labels that count from the end of a table");
        }
        let address = self.straight.object_address(&self.scope(ctx), ctx.view, row, address)?;
        let address = self.checked(address)?;
        let (part, begin) = (self.local("p"), self.local("from"));
        let (spot, shape) = (Spot::local(part.clone()), self.straight.shapes.of(&row.ty, row));
        let table = || self.item(ctx, &spot, &row.ty, row, &shape, &|_| TokenStream::new());
        let table = self.inside(|| self.straight.of_some(table))?;
        let found = base.map(|base| quote!(cx.found(#base, #begin, #begin);));
        let none = row.when.is_none().then(|| quote!(s::holds(!cx.trusts())?;));
        Ok(quote! {
            match #address {
                rt::Some(at) => {
                    let mut #part = cx.part(s::length(rt::Some(at))?)?;
                    let #begin = #part.at();
                    #found
                    if cx.trusts() {
                        #table
                        cx.charge(#part.at() - #begin)?;
                    }
                }
                rt::None => { #none }
            }
        })
    }

    /// An object that no pointer of the record leads to.
    fn object(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        address: ExprId,
        shape: Option<Shape>,
    ) -> Able<()> {
        let ctx = work.ctx;
        // The writer finds the root's own objects again.
        if ctx.record != self.model.root && !self.straight.says_address(ctx.record, id) {
            return unable("an object that is found in another way than by its address");
        }
        if work.extents.contains(&id) {
            self.doubt("the address of an object");
        }
        let address = self.straight.object_address(&self.scope(ctx), ctx.view, row, address)?;
        let address = self.checked(address)?;
        let (part, field) = (self.local("p"), self.field_local(ctx, id, row));
        let target = shape.clone().unwrap_or_else(|| self.straight.shapes.of(&row.ty, row));
        let keep = shape.is_some();
        let sink = |value: TokenStream| match keep {
            true => quote!(#field = #value;),
            false => TokenStream::new(),
        };
        let spot = Spot::local(part.clone());
        if self.placing && row.when.is_some() {
            self.doubt("an object with a condition");
        }
        if matches!(row.ty.stripped(), Type::Record(inner) if self.straight.places_of(*inner).len() > 1)
        {
            self.doubt("an object with a pool, in one of several places");
        }
        let align = size(self.model.type_align(&row.ty).unwrap_or(1));
        let begin = format_ident!("from");
        let outer = self.row_ctx(work, id);
        let linked =
            self.object_chain(&outer, &row.ty, &quote!(#align), &begin, &quote!(#part.at()));
        let inner = Ctx { chains: linked.chains, ..ctx.clone() };
        let (open, mut join) = (linked.open, linked.join);
        if let (RowKind::Object { align: Some(align), .. }, Some(chains)) =
            (&row.kind, &outer.chains)
        {
            let (own, aligned) = (&chains.own, self.aligned(ctx, *align));
            join = quote!(cx.join(&mut #own, #aligned)?; #join);
        }
        let code = self.inside(|| self.item(&inner, &spot, &row.ty, row, &target, &sink))?;
        // Without an address there is nothing.
        let none = match (&shape, nothing(&target)) {
            (Some(_), Ok(none)) => quote!(#field = #none;),
            (None, _) => TokenStream::new(),
            (Some(_), Err(_)) => quote!(return rt::Err(s::Odd);),
        };
        let declare = keep.then(|| quote!(let mut #field;));
        let base = self.is_base(ctx.record, id);
        let based = base.map(|base| quote!(cx.found(#base, from, #part.at());));
        work.code.extend(quote! {
            #declare
            match #address {
                rt::Some(at) => {
                    let mut #part = cx.part(s::length(rt::Some(at))?)?;
                    let from = #part.at();
                    #open
                    #code
                    cx.charge(#part.at() - from)?;
                    #join
                    #based
                }
                rt::None => { #none }
            }
        });
        if keep {
            self.value_is_known(&field);
            work.fields.push((id, quote!(#field)));
        }
        Ok(())
    }

    /// Names of elements that dictionaries of this record hold.
    pub(super) fn names(&self, work: &mut Work<'_, 'm>) -> Able<()> {
        let ctx = work.ctx;
        let record = &ctx.view.records[ctx.record.index()];
        for (row_id, row) in record.numbered_rows() {
            let Some(dictionary) = self.dictionary_in(&row.ty) else { continue };
            let Some(named) = self.named_by(ctx, dictionary) else { continue };
            let Some((_, list)) = work.fields.iter().find(|(id, _)| *id == named.array) else {
                return unable("names of no array");
            };
            let extent = extent(ctx.record, row_id);
            if !work.extents.contains(&row_id) {
                return unable("a dictionary without an address");
            }
            let (part, block) = (self.local("p"), self.local("b"));
            let (begin, width, ident) = (size(named.begin), size(named.width), &named.ident);
            let spot = Spot::block(block.clone()).plus(named.label);
            let set = |value: TokenStream| quote!(element.#ident = #value;);
            let inner = Ctx { record: named.node, ..ctx.clone() };
            let row = &ctx.view.records[named.node.index()].rows[named.row.index()];
            let read = self.item(&inner, &spot, &row.ty, row, &Shape::Str, &set)?;
            work.code.extend(quote! {
                if let rt::Some((at, _)) = #extent {
                    let mut #part = cx.part(at)?;
                    #part.take(#begin)?;
                    for element in &mut #list {
                        let #block: &'i [u8; #width] = #part.block()?;
                        #read
                    }
                }
            });
        }
        Ok(())
    }

    /// What a dictionary names: elements of an array of the record around it.
    fn named_by(&self, ctx: &Ctx<'m>, dictionary: RecordId) -> Option<Named> {
        let record = &ctx.view.records[dictionary.index()];
        let (home, row, keys) = record.rows.iter().find_map(|row| {
            let Role::Kept(expr) = row.role else { return None };
            let Expr::Patricia(keys) = &self.model[expr] else { return None };
            match row.homes.get(ctx.epoch) {
                Some(Home::At(at)) => Some((*at, row, keys)),
                _ => None,
            }
        })?;
        let (Start::Argument(argument), true) = (&keys.start, keys.steps.is_empty()) else {
            return None;
        };
        let Expr::Path(Path { start: Start::This, steps, .. }) =
            &self.model[*record.arguments.get(*argument as usize)?]
        else {
            return None;
        };
        let [Step::Field(array), Step::Field(name)] = steps.as_slice() else { return None };
        let member = |field: &Field, of: RecordId| {
            field.members.iter().find_map(|(record, way)| match way.as_slice() {
                [Member::Row(row)] if *record == of => Some(*row),
                _ => None,
            })
        };
        let array = member(array, ctx.record)?;
        let array_row = &ctx.view.records[ctx.record.index()].rows[array.index()];
        let Type::Array(elements) = target(&array_row.ty) else { return None };
        let Type::Record(element) = target(&elements.element) else {
            return None;
        };
        let name = member(name, *element)?;
        let name_row = &ctx.view.records[element.index()].rows[name.index()];
        if !matches!((&name_row.kind, &name_row.role), (RowKind::Value { .. }, Role::Elsewhere)) {
            return None;
        }
        let ident = self.straight.shapes.field(*element, name)?.ident.clone();
        // The first node is the root, which has no name; the label is the fourth number of a node.
        let Type::Array(nodes) = &row.ty else { return None };
        let Type::Record(node) = nodes.element else { return None };
        let width = self.fixed(ctx, &nodes.element)?;
        let rows = &ctx.view.records[node.index()];
        let label = *rows.table_rows().get(3)?;
        let Some(Home::At(at)) = rows.rows[label.index()].homes.get(ctx.epoch) else { return None };
        Some(Named {
            array,
            ident,
            begin: home.checked_add(width)?,
            width,
            node,
            row: label,
            label: *at,
        })
    }
}

/// Elements that a dictionary names.
struct Named {
    /// The array.
    array: RowId,
    /// The field with the name.
    ident: Ident,
    /// Offset of the first node with a name, from the dictionary.
    begin: u64,
    /// Size of a node.
    width: u64,
    node: RecordId,
    /// The row of a node that holds the name, and its offset.
    row: RowId,
    label: u64,
}
