//! Tables that say where what is beside them is: zeros are left for them, and when all rows of their
//! record are written, their elements are. And tables that no value has, whose elements follow from
//! other things.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::rows::Plan;
use super::spot::{Spot, in_block, lit};
use super::writer::{Beside, Node, Src, Writer};
use crate::model::{
    ArrayLength, ArrayType, DefinerScope, DefinerSource, Expr, ExprId, Home, InStep, Measure, Path,
    RecordId, Role, Row, RowId, RowKind, Type,
};
use crate::rust::mentions::mentions;
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::outline::piece;
use crate::rust::straight::questions::{has_pointer, is_aligned, is_cell};
use crate::rust::straight::scope::{Elements, Placed};

/// Structs in a struct in a table.
const DEEPEST: u32 = 8;

/// The tables of a record that are filled when its rows are written.
#[derive(Default)]
pub(super) struct Tables {
    tables: Vec<Table>,
    /// Rows of which they say where they are.
    asked: Vec<Placed>,
}

struct Table {
    row: RowId,
    /// Size of an element in bytes.
    size: usize,
    /// The local with its address.
    at: Ident,
}

impl<'m> Writer<'_, '_, 'm> {
    /// The tables among the rows of a record that stand one behind the other.
    pub(super) fn tables_beside(&self, node: &Node<'m>, plan: &Plan) -> Tables {
        let mut found = Tables::default();
        for id in &plan.rest {
            let Some((size, asked)) = self.table_beside(node, *id, plan) else { continue };
            let at = self.locals.about(node.row(*id), || self.fresh("at"));
            self.beside.borrow_mut().insert((node.id, *id, node.epoch), Beside::Filled);
            found.tables.push(Table { row: *id, size, at });
            for row in asked {
                if !found.asked.iter().any(|known| known.row == row) {
                    found.asked.extend(self.to_be_placed(node, row));
                }
            }
        }
        found
    }

    /// Size of an element of a table, and the rows of its record of which it says where they are.
    fn table_beside(&self, node: &Node<'m>, id: RowId, plan: &Plan) -> Option<(usize, Vec<RowId>)> {
        let row = node.row(id);
        let Type::Array(array) = &row.ty else { return None };
        let Type::Record(element) = array.element else { return None };
        let plain = matches!((&row.kind, &row.role), (RowKind::Plain, Role::Data))
            && row.when.is_none()
            && array.stride.is_none()
            && array.described.is_none();
        let size = self.block_size(node, &array.element).filter(|size| (1..=256).contains(size))?;
        if !plain || row.ty.parts().any(|part| matches!(part, Type::Pointer(_))) {
            return None;
        }
        let mut asked = Vec::new();
        self.asked_beside(element, DEEPEST, &mut |path, this| {
            asked.extend(self.straight.led_beside(path, this, node.id).map(|led| led.row));
        });
        asked.sort();
        asked.dedup();
        // What it is about itself is known where it is written.
        asked.retain(|asked| *asked != id);
        let known = asked.iter().all(|row| plan.rest.contains(row) && self.is_placed(node, *row));
        (known && !asked.is_empty()).then_some((usize::try_from(size).ok()?, asked))
    }

    /// Takes the paths of whose addresses the rows of a record say something, with the record where they
    /// begin.
    fn asked_beside(&self, record: RecordId, depth: u32, then: &mut dyn FnMut(&'m Path, RecordId)) {
        let Some(depth) = depth.checked_sub(1) else { return };
        for row in &self.model.records[record.index()].rows {
            for part in row.ty.inline_parts() {
                if let Type::Record(inner) = part {
                    self.asked_beside(*inner, depth, then);
                }
            }
            if let Role::Kept(expr) = row.role {
                self.addresses_in(expr, &mut |path| then(path, record));
            }
            for definer in &row.definers {
                let this = match definer.scope {
                    DefinerScope::Owner(owner, _) => owner,
                    _ => record,
                };
                if let DefinerSource::Expr(expr) = definer.source {
                    self.addresses_in(expr, &mut |path| then(path, this));
                }
            }
        }
    }

    /// Takes the paths of which an expression asks where that is.
    fn addresses_in(&self, expr: ExprId, then: &mut dyn FnMut(&'m Path)) {
        let expr = &self.model[expr];
        if let Expr::At(path) | Expr::End(path) | Expr::Size(path) = expr {
            then(path);
        }
        expr.operands(&mut |operand| self.addresses_in(operand, then));
    }

    /// Whether a row is there, in a place that is known as soon as it is written.
    fn is_placed(&self, node: &Node<'m>, id: RowId) -> bool {
        let row = node.row(id);
        let aligned = |ty: &Type| match ty {
            Type::Record(record) => {
                self.straight.record(*record).align.is_some_and(|align| align > 1)
            }
            ty => is_aligned(ty),
        };
        let element = match row.ty.stripped() {
            Type::Array(array) => {
                let sized = self.size(node, &array.element).is_some();
                array.described.is_none()
                    && array.stride.is_none()
                    && !aligned(array.element.stripped())
                    && !has_pointer(&array.element)
                    // Nothing says where elements of other kinds begin.
                    && (sized || matches!(array.element, Type::Record(_) | Type::Union(_)))
                    && self.count(node, id).is_some()
            }
            ty => !aligned(ty) && !has_pointer(ty),
        };
        element
            && matches!(row.kind, RowKind::Plain)
            && matches!(row.homes.get(node.epoch), Some(Home::Next | Home::At(_)))
            && row.when.is_none()
            && !row.ty.is_bits()
            && (row.reference.is_none() && row.none.is_empty() || !is_cell(&row.ty))
            && !matches!(row.role, Role::View { .. })
    }

    /// What is to be remembered of where a row is.
    fn to_be_placed(&self, node: &Node<'m>, id: RowId) -> Option<Placed> {
        let row = node.row(id);
        let local = |kind: &str| self.locals.about(row, || self.fresh(kind));
        let elements = match row.ty.stripped() {
            Type::Array(array) => {
                let elements = match self.size(node, &array.element) {
                    Some(size) => Elements::OfSize(size),
                    None => {
                        let key = (node.id, id, node.epoch);
                        self.beside.borrow_mut().insert(key, Beside::Listed);
                        Elements::Listed(local("starts"))
                    }
                };
                Some((self.count(node, id)?, elements))
            }
            _ => None,
        };
        let (from, end) = (local("at"), local("end"));
        Some(Placed { record: node.id, row: id, from, end, elements })
    }

    /// How many elements a row has: a `usize`.
    fn count(&self, node: &Node<'m>, id: RowId) -> Option<TokenStream> {
        let row = node.row(id);
        if row.ty.in_step().is_some() {
            return None;
        }
        match self.field(node, id) {
            Some(src) => match &src.shape {
                Some(Shape::List(inner) | Shape::Fixed(inner, _))
                    if !matches!(**inner, Shape::Option(_)) =>
                {
                    let code = &src.code;
                    Some(quote!(#code.len()))
                }
                _ => None,
            },
            None => None,
        }
    }

    /// What becomes of an array that is written at the end of the file.
    pub(super) fn beside_of(&self, node: &Node<'m>, id: RowId, spot: &Spot) -> Option<Beside> {
        let known = self.beside.borrow().get(&(node.id, id, node.epoch)).copied();
        known.filter(|_| matches!(spot, Spot::End) && node.element.is_none())
    }

    /// The code of a row, with notes of where it is for code that fills a table beside it.
    pub(super) fn noted_beside(
        &self,
        tables: &Tables,
        filled: &TokenStream,
        id: RowId,
        body: TokenStream,
    ) -> TokenStream {
        let table = tables.tables.iter().find(|table| table.row == id);
        let table = table.map(|Table { at, .. }| quote!(let #at = cx.here();));
        let Some(placed) = tables.asked.iter().find(|placed| placed.row == id) else {
            return quote!(#table #body);
        };
        let Placed { from, end, elements, .. } = placed;
        let (mark, last) = match elements {
            Some((_, Elements::Listed(mark))) => {
                (Some(quote!(let #mark: usize = cx.mark();)), Some(quote!(cx.start();)))
            }
            _ => (None, None),
        };
        let here = |local: &Ident| {
            mentions(filled, &local.to_string()).then(|| quote!(let #local = cx.here();))
        };
        let (from, end) = (here(from), here(end));
        quote!(#table #from #mark #body #last #end)
    }

    /// Code that fills the tables.
    pub(super) fn fill_tables(&self, node: &Node<'m>, tables: &Tables) -> Able<TokenStream> {
        let Tables { tables, asked } = tables;
        let marks = asked.iter().filter_map(|placed| match &placed.elements {
            Some((_, Elements::Listed(mark))) => Some(mark.clone()),
            _ => None,
        });
        let first = marks.into_iter().next();
        let around = self.straight.placed.replace(asked.clone());
        let mut tokens = TokenStream::new();
        for table in tables {
            let row = node.row(table.row);
            let filled = self.locals.about(row, || self.filled(node, table, row));
            let filled = self.straight.carried(node.id, Some(table.row), filled);
            tokens.extend(match filled {
                Ok(filled) => filled,
                Err(why) => {
                    self.straight.placed.replace(around);
                    return Err(why);
                }
            });
        }
        self.straight.placed.replace(around);
        // Those behind are forgotten with it.
        let release = first.map(|mark| quote!(cx.release(#mark);));
        Ok(quote!(#tokens #release))
    }

    fn filled(&self, node: &Node<'m>, table: &Table, row: &'m Row) -> Able<TokenStream> {
        let Type::Array(array) = &row.ty else { return unable("a table that is no array") };
        let (i, element, at) = (self.fresh("i"), self.fresh("e"), &table.at);
        let (each, src) = match self.elements(node, table.row, array)? {
            (list, Some(inner)) => (
                quote!((#i, #element) in #list.iter().enumerate()),
                self.src(quote!(#element), inner),
            ),
            (count, None) => (quote!(#i in 0..#count), Src::nothing()),
        };
        let block = Spot::Block(quote!(0));
        let body = self.put_element(node, table.row, row, &array.element, &src, &block, &i)?;
        let size = lit(table.size);
        let label = piece("fill", node.id, table.row);
        Ok(quote! {
            #label: {
                for #each {
                    let at = #at + #i as u64 * #size;
                    let b = &mut [0_u8; #size];
                    #body
                    cx.put_at(at, b)?;
                }
            }
        })
    }

    /// The elements of a table: a list, and the shape of what is in it; or how many there are, a
    /// `usize`.
    fn elements(
        &self,
        node: &Node<'m>,
        id: RowId,
        array: &ArrayType,
    ) -> Able<(TokenStream, Option<Shape>)> {
        let Some(in_step) = array.in_step else {
            let src = self.field(node, id);
            return match src.as_ref().map(|src| (&src.code, &src.shape)) {
                Some((code, Some(Shape::List(inner)))) => {
                    Ok((code.clone(), Some((**inner).clone())))
                }
                _ => unable("an array of another Rust type"),
            };
        };
        let Some(count) = self.count(node, in_step.with) else {
            return unable("a table beside something else than a list");
        };
        Ok(match in_step.plus {
            0 => (count, None),
            plus @ 1.. => {
                let plus = Literal::i128_unsuffixed(plus);
                (quote!((#count + #plus)), None)
            }
            plus => (quote!(s::length(rt::Some(#count as i128 + #plus))?), None),
        })
    }

    /// Code that leaves zeros for a table.
    pub(super) fn leave_table(
        &self,
        node: &Node<'m>,
        id: RowId,
        array: &'m ArrayType,
    ) -> Able<TokenStream> {
        let Some(size) = self.size(node, &array.element) else {
            return unable("a table of no fixed size");
        };
        let size = lit(usize::try_from(size).unwrap_or(usize::MAX));
        let (count, length) = match self.elements(node, id, array)? {
            (list, Some(_)) => (quote!(#list.len()), None),
            (count, None) => {
                let length = self.length_in_step(node, array, &count)?;
                (count, length)
            }
        };
        Ok(quote!(#length cx.grow(#count, #size)?;))
    }

    /// A table that no value has, whose elements are known where it is written.
    pub(super) fn put_in_step(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        array: &'m ArrayType,
        spot: &Spot,
    ) -> Able<TokenStream> {
        let Spot::End = spot else { return unable("a table that no value has, in a block") };
        let (count, _) = self.elements(node, id, array)?;
        let length = self.length_in_step(node, array, &count)?;
        let (i, src) = (self.fresh("i"), Src::nothing());
        let put = |spot: &Spot| self.put_element(node, id, row, &array.element, &src, spot, &i);
        let body = match self.block_size(node, &array.element).filter(|size| *size <= 256) {
            Some(size) => {
                let body = put(&Spot::Block(quote!(0)))?;
                in_block(usize::try_from(size).unwrap_or(0), &body)
            }
            None => put(&Spot::End)?,
        };
        let name = match mentions(&body, &i.to_string()) {
            true => quote!(#i),
            false => quote!(_),
        };
        Ok(quote!(#length for #name in 0..#count { #body }))
    }

    /// Code that holds how many elements a table has that no value has against what says so, if that is
    /// not what follows from it.
    fn length_in_step(
        &self,
        node: &Node<'m>,
        array: &ArrayType,
        count: &TokenStream,
    ) -> Able<Option<TokenStream>> {
        let said = match array.length {
            ArrayLength::Count(said) => said,
            ArrayLength::Fill => return Ok(None),
            ArrayLength::Last(_) => {
                return unable("a table that no value has, which ends with a certain element");
            }
        };
        if array.in_step.is_none_or(|in_step| self.follows_in_step(node, said, in_step)) {
            return Ok(None);
        }
        let said = self.straight.number(&node.scope, node.view, said)?;
        Ok(Some(quote!(s::holds(#said == rt::Some(#count as i128))?;)))
    }

    /// Whether an expression says how many elements a table has because of what it follows from.
    fn follows_in_step(&self, node: &Node<'m>, said: ExprId, in_step: InStep) -> bool {
        let Some(said) = self.model.exprs.linear(said) else { return false };
        let Some(by) = self.own_row(node, said.path) else { return false };
        let mut definers = node.row(by).definers.iter();
        definers.any(|definer| match (&definer.scope, &definer.source) {
            (
                DefinerScope::Own,
                DefinerSource::Measure { measure: Measure::Count, row, factor: 1, offset },
            ) => {
                let more = said.offset.checked_sub(*offset);
                *row == in_step.with && said.factor == 1 && more == Some(in_step.plus)
            }
            _ => false,
        })
    }
}
