//! Numbers that follow from the rest of a value, or from where it is.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::spot::{Spot, position};
use super::writer::{Node, Src, Writer};
use crate::model::{
    Content, Definer, DefinerScope, DefinerSource, Expr, ExprId, Extent, Measure, Path, RecordId,
    Role, Row, RowId, RowKind, Start, Step, Storage, Type,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::context::AtHand;
use crate::rust::straight::digits;
use crate::rust::straight::epochs::epoch_id;
use crate::rust::straight::equations::{Equation, Measured, Side, givers};
use crate::rust::straight::locals::case_name;
use crate::rust::straight::operators::{Typed, added, solved};
use crate::rust::straight::questions::{
    has_pointer, is_algorithm, is_aligned, is_cell, is_here, is_varint, only_row, own_row,
};
use crate::rust::straight::scope::Scope;

/// How many rows may be said to be equal to each other in a line.
const MOST_EQUAL: usize = 8;

/// A row of which address or size is asked for in another one.
pub(super) struct Inline {
    /// The row that says it.
    pub by: RowId,
    /// The row that is measured.
    pub row: RowId,
    pub measure: Side,
    pub factor: i128,
    pub offset: i128,
    /// It is where the struct itself ends, and not about a row.
    pub own: bool,
}

impl<'m> Writer<'_, '_, 'm> {
    /// Rows whose numbers say where others are, as long as those are inline.
    pub(super) fn measured(&self, node: &Node<'m>) -> Able<Vec<Inline>> {
        let mut found = Vec::new();
        for (by, row) in node.record().numbered_rows() {
            if !is_here(row, node.epoch) || !matches!(row.role, Role::Derived) {
                continue;
            }
            if let Some(measured) = self.measure_of(node, by, row) {
                found.push(measured);
            }
        }
        let varints = found.iter().filter(|m| is_varint(&node.row(m.by).ty));
        if varints.count() > 1 {
            return unable("two numbers of variable width that follow from sizes");
        }
        // Their bytes move what stands behind them.
        found.sort_by_key(|m| is_varint(&node.row(m.by).ty));
        Ok(found)
    }

    pub(super) fn measure_of(&self, node: &Node<'m>, by: RowId, row: &'m Row) -> Option<Inline> {
        // One that may not be there follows from what is in the value.
        if !matches!(row.role, Role::Derived) || row.when.is_some() {
            return None;
        }
        let Equation { side, of, factor, offset } = self.equation_of(node, by)?;
        if let (Measured::Path(path), Side::End) = (&of, side)
            && self.straight.is_own_end(path, node.id)
        {
            return Some(Inline { by, row: by, measure: side, factor, offset, own: true });
        }
        let measured = match of {
            Measured::Row(row) => row,
            Measured::Path(path) => self.own_row(node, path)?,
        };
        let target = node.row(measured);
        let inline = is_here(target, node.epoch)
            && target.when.is_none()
            && !has_pointer(&target.ty)
            && !is_aligned(&target.ty)
            && !matches!(target.kind, RowKind::Pool { .. })
            // A number that stands for none has no address.
            && (target.reference.is_none() && target.none.is_empty() || !is_cell(&target.ty));
        inline.then_some(Inline { by, row: measured, measure: side, factor, offset, own: false })
    }

    /// The row of the node itself that a path leads to.
    pub(super) fn own_row(&self, node: &Node<'m>, path: &Path) -> Option<RowId> {
        match (&path.start, path.steps.as_slice()) {
            (Start::Root, [Step::Field(field)]) if node.id == self.model.root => {
                only_row(field, node.id)
            }
            _ => own_row(path, node.id),
        }
    }

    /// Whether an expression is a row that follows from a measure of this one.
    pub(super) fn says(&self, node: &Node<'m>, expr: ExprId, measured: RowId, side: Side) -> bool {
        let Some(said) = self.model.exprs.linear(expr) else { return false };
        let Some(by) = self.own_row(node, said.path) else { return false };
        let row = node.row(by);
        if self.measure_of(node, by, row).is_none() && !self.is_behind(node, by) {
            return false;
        }
        self.equation_of(node, by).is_some_and(|found| {
            let row = match found.of {
                Measured::Row(row) => Some(row),
                Measured::Path(path) => self.own_row(node, path),
            };
            let same = (found.factor, found.offset) == (said.factor, said.offset);
            row == Some(measured) && found.side == side && same
        })
    }

    /// Code before the rows that declares what is measured, and code behind them that stores it.
    pub(super) fn measure_code(
        &self,
        node: &Node<'m>,
        measured: &Inline,
        before: &mut TokenStream,
        after: &mut TokenStream,
    ) -> Able<()> {
        let (place, from, to) = measured_names(node.id, measured.by, measured.row);
        let row = node.row(measured.by);
        let Type::Cell(cell) = &row.ty else { return unable("a measure that is no number") };
        if !row.none.is_empty() {
            return unable("a measure that may be nothing");
        }
        let number = added(measured_number(node.id, measured), row.plus);
        match measured.own {
            true => after.extend(quote!(let #to = cx.here();)),
            false => before.extend(quote!(let (mut #from, mut #to) = (0, 0);)),
        }
        match cell.storage {
            Storage::Fixed(int) => {
                let (width, signed, big) = (int.bytes, int.signed, self.is_big(node, &int));
                before.extend(quote!(let mut #place = 0;));
                // Sizes stay what they are where bytes move.
                let fill = match measured.measure {
                    Side::Size => quote!(fill_size),
                    Side::At | Side::End => quote!(fill),
                };
                after.extend(quote!(cx.#fill(#place, #width, #big, #signed, #number)?;));
            }
            Storage::Varint(varint) => {
                if measured.measure != Side::Size {
                    return unable("an address in a number of variable width");
                }
                let (bits, most, order) = self.varint(varint)?;
                let width = self.width(node, measured.by);
                before.extend(quote!(let mut #place = (0, 0);));
                after.extend(
                    quote!(cx.varint_before(#place, #number, #bits, #most, #order, #width)?;),
                );
            }
            Storage::Digits { digits, bytes: Some(bytes) } => {
                if measured.measure != Side::Size {
                    return unable("an address in digits");
                }
                let form = digits::form(self.model, digits, bytes);
                before.extend(quote!(let mut #place = 0;));
                let kept = self.kept_digits(node, measured.by);
                after.extend(quote!(cx.fill_digits(#place, #number, &#form, #kept)?;));
            }
            Storage::Digits { bytes: None, .. } => return unable(digits::OPEN),
            _ => return unable("a size or an address in single bits"),
        }
        Ok(())
    }

    /// The code of a row, with notes of where it is for those who ask.
    pub(super) fn noted(
        &self,
        node: &Node<'m>,
        measured: &[Inline],
        row: RowId,
        spot: &Spot,
        body: TokenStream,
    ) -> TokenStream {
        let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
        for measured in measured.iter().filter(|of| of.row == row && !of.own) {
            let (_, from, to) = measured_names(node.id, measured.by, measured.row);
            match spot {
                Spot::End => {
                    before.extend(quote!(#from = cx.here();));
                    after.extend(quote!(#to = cx.here();));
                }
                Spot::Block(offset) => {
                    let at = position(offset);
                    let size = self.size(node, &node.row(row).ty).unwrap_or(0);
                    after.extend(quote!((#from, #to) = (#at, #at + #size);));
                }
            }
        }
        quote!(#before #body #after)
    }

    /// Lets expressions about rows behind this one ask for what follows from where it is.
    pub(super) fn remember(&self, node: &Node<'m>, measured: &[Inline], row: RowId) {
        for measured in measured.iter().filter(|of| of.row == row && !of.own) {
            let by = node.row(measured.by);
            let is_plain = by.plus == 0 && by.none.is_empty() && by.when.is_none();
            if is_plain && self.measure_of(node, measured.by, by).is_some() {
                self.straight.at_hand.borrow_mut().push(AtHand {
                    record: node.id,
                    row: measured.by,
                    value: node.value.to_string(),
                    number: measured_number(node.id, measured),
                });
            }
        }
    }

    /// A row whose number follows from others.
    pub(super) fn derived(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<TokenStream> {
        if let Some(base) = self.base_row(node, id, row, spot)? {
            return Ok(base);
        }
        if let Some(sum) = self.sum_row(node, id, row, spot)? {
            return Ok(sum);
        }
        if self.straight.is_ruled_late(node.view, node.id, id) {
            let why = unable("a rule for a number that is measured");
            return match (&row.ty, why) {
                (Type::Cell(cell), Err(why)) => self.later(node, id, id, cell, spot, why),
                (_, why) => why,
            };
        }
        if let Some(measured) = self.measure_of(node, id, row) {
            let (place, ..) = measured_names(node.id, measured.by, measured.row);
            return Ok(match spot {
                Spot::Block(offset) => {
                    let at = position(offset);
                    quote!(#place = #at;)
                }
                Spot::End if is_varint(&row.ty) => quote!(#place = cx.varint_place();),
                Spot::End => {
                    let Some(size) = self.size(node, &row.ty) else {
                        return unable("a measure of no fixed width");
                    };
                    let size = i128::from(size);
                    quote!(#place = cx.here(); cx.zero(rt::Some(#size))?;)
                }
            });
        }
        let Type::Cell(cell) = &row.ty else {
            return self.derived_text(node, id, row, spot);
        };
        let said = self.equal_row(node, id);
        if let Some(number) = self.end_around(node, said) {
            return self.put_number(node, id, row, cell, number, spot);
        }
        // What is placed behind it says it then.
        let number = match self.is_behind(node, said) {
            true => unable("an address that is not known yet"),
            false => self.number(node, said, node.row(said)),
        };
        let number = match number {
            Ok(number) => number,
            Err(why) => {
                return match self.later(node, id, said, cell, spot, why) {
                    Err(_) if self.is_behind(node, id) => self.padding(node, id, row, spot),
                    made => made,
                };
            }
        };
        self.put_number(node, id, row, cell, number, spot)
    }

    /// Where a struct of constant size around a node ends, if a row follows from that: an
    /// `Option<i128>`.
    fn end_around(&self, node: &Node<'m>, id: RowId) -> Option<TokenStream> {
        let row = node.row(id);
        let [Definer { scope: DefinerScope::Own, source: DefinerSource::Expr(expr), .. }] =
            row.definers.as_slice()
        else {
            return None;
        };
        let Expr::End(path) = &self.model[*expr] else { return None };
        let record = self.straight.start(path, node.id).filter(|_| path.steps.is_empty())?;
        let at = node.scope.frame_of(record)?.at.clone()?;
        let size = self.sizes[node.epoch].record(record)?;
        Some(quote!(rt::Some(i128::from(cx.resolve(#at)? + #size))))
    }

    /// A row whose text or bytes follow from others.
    fn derived_text(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<TokenStream> {
        let Type::Run(run) = row.ty.stripped() else {
            return unable("something derived that is no number");
        };
        let (scope, source) = match (row.definers.as_slice(), self.given(node, id)?) {
            (_, Some((scope, _, source))) => (scope, source),
            ([Definer { scope: DefinerScope::Own, source, .. }], None) => {
                (node.scope.clone(), source)
            }
            _ => return unable("something derived that is no number"),
        };
        let text = match source {
            DefinerSource::Measure { measure: Measure::Tag, row, .. } => {
                self.tag_text(node, *row)?
            }
            DefinerSource::Expr(expr) => match self.straight.typed(&scope, node.view, *expr)? {
                Typed::Text(text) => text,
                _ => return unable("something derived that is no number"),
            },
            _ => return unable("something derived that is no number"),
        };
        let shape = match run.content {
            Content::Bytes => Shape::Bytes,
            _ => Shape::Str,
        };
        let name = self.fresh("x");
        let src = Src { code: quote!(#name), held: quote!(#name), shape: Some(shape) };
        let put = self.put(node, id, row, &row.ty, &src, spot, None)?;
        Ok(quote!({ let #name: &[u8] = s::known(#text)?; #put }))
    }

    /// A row that usually follows from an expression.
    pub(super) fn kept(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        expr: ExprId,
        spot: &Spot,
    ) -> Able<TokenStream> {
        if is_algorithm(self.model, expr) {
            return self.table_row(node, id, row, expr);
        }
        let kept = match self.field(node, id) {
            Some(Src { code, shape: Some(Shape::Kept(_)), .. }) => Some(code),
            None => None,
            Some(_) => return unable("a kept number of another Rust type"),
        };
        let canonical = kept.iter().map(|kept| quote!(s::holds(#kept.is_canonical())?;));
        let canonical = TokenStream::from_iter(canonical);
        let Type::Cell(cell) = &row.ty else { return unable("something kept that is no number") };
        if let Some(sum) = self.sum_row(node, id, row, spot)? {
            return Ok(quote!(#canonical #sum));
        }
        let body = match (self.straight.equation(&node.scope, node.view, id, expr), &kept) {
            (Ok(number), Some(kept)) if self.straight.takes_deviation(node.id, id, row) => {
                let number = quote!(s::kept_number(#kept, #number));
                return self.put_number(node, id, row, cell, number, spot);
            }
            (Ok(number), _) => self.put_number(node, id, row, cell, number, spot)?,
            (Err(why), _) => self.later(node, id, id, cell, spot, why)?,
        };
        Ok(quote!(#canonical #body))
    }

    /// Code that looks whether a value leaves out a derived number, where it has it in other layouts.
    pub(super) fn left_out(&self, node: &Node<'m>, id: RowId, row: &Row) -> TokenStream {
        match self.field(node, id).filter(|_| !row.perhaps_given()) {
            Some(Src { code, .. }) => quote!(s::holds(#code.is_none())?;),
            None => quote!(),
        }
    }

    /// The number of a derived row: an `Option<i128>`.
    pub(super) fn number(&self, node: &Node<'m>, id: RowId, row: &'m Row) -> Able<TokenStream> {
        let own = row.definers.iter().find(|d| matches!(d.scope, DefinerScope::Own));
        if let Some(definer) = own {
            return match &definer.source {
                DefinerSource::Expr(expr) => {
                    self.straight.equation(&node.scope, node.view, id, *expr)
                }
                source => self.source(node, source),
            };
        }
        if let Some((scope, owner, source)) = self.given(node, id)? {
            let Some(value) = scope.value_of(owner) else {
                return unable("a number that a struct around gives");
            };
            return self.source(&Node { id: owner, value, scope, ..node.clone() }, source);
        }
        let mut union_row = None;
        let mut arms = TokenStream::new();
        for definer in &row.definers {
            let DefinerScope::Case(at, case) = &definer.scope else {
                return unable("a number that a struct around gives");
            };
            if *union_row.get_or_insert(*at) != *at {
                return unable("a number that follows from two unions");
            }
            let Type::Union(union) = node.row(*at).ty else { return unable("a union in an array") };
            let record = self.model.unions[union.index()].cases[*case as usize].record;
            let (_, payload) = self.straight.shapes.variant(union, *case);
            let name = case_name(record);
            let pattern = self.straight.pattern(union, *case, &name);
            let src = match payload {
                Some(record) => self.src(quote!(#name), Shape::Struct(record)),
                None => Src::nothing(),
            };
            let inner = self.inside(node, record, &src, node.at.clone(), None)?;
            let number = self.source(&inner, &definer.source)?;
            arms.extend(quote!(#pattern => #number,));
        }
        let Some(src) = union_row.and_then(|at| self.field(node, at)) else {
            return unable("a derived number that nothing gives");
        };
        if matches!(src.shape, Some(Shape::Option(_))) {
            return unable("a number that follows from a union that may not be there");
        }
        let code = &src.code;
        let other = match self.field(node, id) {
            // Where no case says it, it is data.
            Some(given) => {
                let Some(Shape::Option(inner)) = &given.shape else {
                    return unable("a number that may be given of another Rust type");
                };
                let Some(n) = self.plain_number(&quote!(n), inner) else {
                    return unable("a number that may be given of another Rust type");
                };
                let given = &given.code;
                return Ok(quote! {{
                    let derived: rt::Option<i128> = match #code { #arms _ => rt::None };
                    match (derived, #given) {
                        (rt::Some(n), rt::None) => rt::Some(n),
                        (rt::None, rt::Some(n)) => rt::Some(#n),
                        _ => return rt::Err(s::Odd),
                    }
                }});
            }
            None => quote!(_ => rt::None,),
        };
        Ok(quote!(match #code { #arms #other }))
    }

    /// What a struct around gives a row, where that is.
    fn given(
        &self,
        node: &Node<'m>,
        id: RowId,
    ) -> Able<Option<(Scope<'static>, RecordId, &'m DefinerSource)>> {
        let given = givers(&node.row(id).definers, &node.way, id).collect::<Vec<_>>();
        let Some(((owner, source), more)) = given.split_first() else { return Ok(None) };
        // Of lists with one number for all, the rules say that they are as long as each other.
        if more.iter().any(|(other, _)| other != owner) {
            return unable("a number that two structs give");
        }
        let Some(frame) = node.scope.frame_of(*owner) else { return Ok(None) };
        Ok(Some((node.scope.at(frame), *owner, *source)))
    }

    /// The derived row that a row is said to be equal to, or itself.
    fn equal_row(&self, node: &Node<'m>, id: RowId) -> RowId {
        let mut at = id;
        for _ in 0..MOST_EQUAL {
            let [Definer { scope: DefinerScope::Own, source: DefinerSource::Expr(expr), .. }] =
                node.row(at).definers.as_slice()
            else {
                break;
            };
            let Expr::Path(path) = &self.model[*expr] else { break };
            let Some(other) = self.own_row(node, path) else { break };
            let row = node.row(other);
            let is_plain = row.plus == 0 && row.none.is_empty() && is_here(row, node.epoch);
            if !is_plain || !matches!(row.role, Role::Derived) {
                break;
            }
            at = other;
        }
        at
    }

    /// What an equation says: an `Option<i128>`.
    pub(super) fn source(&self, node: &Node<'m>, source: &'m DefinerSource) -> Able<TokenStream> {
        match source {
            DefinerSource::Measure { measure: Measure::Tag, row, factor: 1, offset: 0 } => {
                self.tag_number(node, *row)
            }
            DefinerSource::Measure { measure: Measure::Count, row, factor, offset }
                if self.is_made(node.row(*row)) =>
            {
                let made = made_name(node.id, *row);
                Ok(solved(&quote!(#made.count() as i128), *factor, *offset))
            }
            DefinerSource::Measure { measure: Measure::Count, row, factor, offset }
                if matches!(node.row(*row).role, Role::View { .. }) =>
            {
                let count = self.gathered_count(node, node.row(*row))?;
                Ok(solved(&count, *factor, *offset))
            }
            DefinerSource::Measure { measure: Measure::Count, row, factor, offset } => {
                let count = self.length_of(node, *row)?;
                Ok(solved(&quote!(#count as i128), *factor, *offset))
            }
            DefinerSource::Measure { measure: Measure::Size, row, factor, offset }
                if let Some(unit) = unit(node, node.row(*row)) =>
            {
                let count = self.length_of(node, *row)?;
                Ok(solved(&quote!(#count as i128 * #unit), *factor, *offset))
            }
            other => self.straight.source(&node.scope, node.view, other),
        }
    }

    /// Number of elements, bytes or units of a row: a `usize`.
    fn length_of(&self, node: &Node<'m>, id: RowId) -> Able<TokenStream> {
        let Some(Src { code, shape: Some(shape), .. }) = self.field(node, id) else {
            return unable("a count of something that is not in the value");
        };
        self.straight.counted(node.row(id), &code, &shape)
    }
}

/// Bytes of each element, byte or unit of a row whose size is said, if it has nothing else.
fn unit(node: &Node<'_>, row: &Row) -> Option<Literal> {
    let Type::Region(region) = &row.ty else { return None };
    let Extent::Size(_) = region.extent else { return None };
    let ends =
        matches!(&region.inner, Type::Run(run) if !run.suffix.is_empty() || run.align.is_some());
    let rule = node.view.length_rule(node.id, row, epoch_id(node.epoch)).filter(|_| !ends)?;
    Some(Literal::i128_unsuffixed(rule.unit.into()))
}

/// What follows from a measure: an `Option<i128>`.
fn measured_number(id: RecordId, measured: &Inline) -> TokenStream {
    let (_, from, to) = measured_names(id, measured.by, measured.row);
    let side = match measured.measure {
        Side::At => quote!(#from),
        Side::End => quote!(#to),
        Side::Size => quote!((#to - #from)),
    };
    solved(&quote!(i128::from(#side)), measured.factor, measured.offset)
}

pub(super) fn measured_names(id: RecordId, by: RowId, row: RowId) -> (Ident, Ident, Ident) {
    (
        format_ident!("place__{}_{}", id.0, by.0),
        format_ident!("from__{}_{}_{}", id.0, by.0, row.0),
        format_ident!("to__{}_{}_{}", id.0, by.0, row.0),
    )
}

/// The local in which a table is that follows from other things.
pub(super) fn made_name(id: RecordId, row: RowId) -> Ident {
    format_ident!("made__{}_{}", id.0, row.0)
}
