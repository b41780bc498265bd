//! Rows of a record: a block of fixed size, filled at constant offsets, and what follows it.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::super::{bits, ends};
use super::array::Starts;
use super::beside::Tables;
use super::late::Addresses;
use super::spot::{Spot, bytes_at, in_block, lit, position, stood_number, sum};
use super::writer::{Beside, Node, Src, Writer};
use crate::model::{
    Constant, ExprId, Extent, Home, RecordId, Role, Row, RowId, RowKind, RunLength, RunType, Type,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::equations::Side;
use crate::rust::straight::operators::Typed;
use crate::rust::straight::questions::{element, is_aligned, is_here, is_reserved, kind};
use crate::rust::straight::scope::Scope;

/// Makes code that writes a tag to an offset of the block `b`.
pub(super) type TagCode = Box<dyn Fn(&TokenStream) -> TokenStream>;

/// What stands in front of the rows of a case.
#[derive(Default)]
pub(super) struct Head {
    /// Where the case begins, from where offsets of its rows count; in bytes.
    pub from: u64,
    /// Size in bytes.
    pub size: u64,
    /// What writes it; nothing for records that are no cases.
    pub code: Option<TagCode>,
    /// Least size of all, in bytes.
    pub least: u64,
}

/// Where the rows of a record are, in one epoch.
pub(super) struct Plan {
    /// Rows in the block, with their offsets.
    pub block: Vec<(RowId, u64)>,
    /// Where the block ends.
    pub end: u64,
    /// What follows.
    pub rest: Vec<RowId>,
}

impl<'m> Writer<'_, '_, 'm> {
    /// Where rows are. Offsets count from where the record begins; of cases, from where the record
    /// around them does.
    pub(super) fn plan(&self, node: &Node<'m>, head: &Head) -> Able<Plan> {
        let record = node.record();
        let home = |row: &Row| row.homes.get(node.epoch).copied().unwrap_or(Home::Nowhere);
        let mut plan = Plan { block: Vec::new(), end: head.from + head.size, rest: Vec::new() };
        let own = record.sizes.get(node.epoch).copied().flatten();
        let has_homes = record.rows.iter().any(|row| matches!(home(row), Home::At(_)));
        let limit = own.filter(|_| has_homes || head.code.is_none());
        let mut last: Option<(RowId, u64)> = None;
        for (id, row) in record.numbered_rows() {
            let Home::At(offset) = home(row) else { continue };
            if offset < head.from {
                return unable("a row in front of its union");
            }
            match self.row_size(node, row, offset, limit) {
                Some(size) if row.when.is_none() => {
                    plan.block.push((id, offset));
                    plan.end = plan.end.max(offset + size);
                }
                _ if last.is_none() => last = Some((id, offset)),
                _ => return unable("two rows of no fixed size at fixed offsets"),
            }
        }
        if let Some(limit) = limit {
            plan.end = plan.end.max(limit);
        }
        if let Some((row, offset)) = last {
            if plan.end > offset {
                return unable("a row of no fixed size before others");
            }
            plan.end = offset;
            plan.rest.push(row);
        }
        for (id, row) in record.numbered_rows() {
            if !matches!(home(row), Home::Next) || plan.block.iter().any(|(known, _)| *known == id)
            {
                continue;
            }
            if row.ty.is_bits() && row.when.is_none() && plan.rest.is_empty() {
                let group = bits::group(record, node.epoch, id)?;
                plan.block.extend(group.rows.iter().map(|(id, _)| (*id, plan.end)));
                plan.end += u64::from(group.bytes);
                continue;
            }
            match self.row_size(node, row, plan.end, None) {
                Some(size) if plan.rest.is_empty() && row.when.is_none() => {
                    plan.block.push((id, plan.end));
                    plan.end += size;
                }
                _ => plan.rest.push(id),
            }
        }
        plan.end = plan.end.max(head.from + head.least);
        if plan.end > 0x1_0000 {
            return unable("a struct of more than 64 KiB");
        }
        Ok(plan)
    }

    /// Size of a row in a block.
    pub(super) fn row_size(
        &self,
        node: &Node<'m>,
        row: &'m Row,
        offset: u64,
        limit: Option<u64>,
    ) -> Option<u64> {
        if matches!(row.kind, RowKind::Pool { .. })
            || matches!(row.role, Role::Kept(_) | Role::View { .. })
                && !matches!(row.ty, Type::Cell(_) | Type::Pointer(_))
        {
            return None;
        }
        match self.block_size(node, &row.ty) {
            Some(size) => Some(size),
            None if self.size(node, &row.ty).is_some() => None,
            // All cases end inside.
            None => match (&row.ty, limit) {
                (Type::Union(union), Some(limit)) => self
                    .union_fits(node, *union, offset, limit)
                    .then(|| limit.saturating_sub(offset)),
                _ => None,
            },
        }
    }

    /// All rows of a node.
    pub(super) fn rows(&self, node: &Node<'m>, spot: &Spot, head: &Head) -> Able<TokenStream> {
        // Of another struct of the same type nothing is known.
        let around = self.straight.at_hand.take();
        let others = around.into_iter().partition(|known| known.record != node.id);
        let (others, same): (Vec<_>, Vec<_>) = others;
        self.straight.at_hand.replace(others);
        let made = self.straight.elsewhere(|| self.rows_of(node, spot, head));
        let mut at_hand = self.straight.at_hand.borrow_mut();
        at_hand.retain(|known| known.record != node.id);
        at_hand.extend(same);
        made
    }

    fn rows_of(&self, node: &Node<'m>, spot: &Spot, head: &Head) -> Able<TokenStream> {
        let plan = self.plan(node, head)?;
        let canonical = self.canonical(node.id, &node.value);
        let mut measured = self.measured(node)?;
        let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
        for measured in &measured {
            let made = self.measure_code(node, measured, &mut before, &mut after);
            self.straight.carried(node.id, None, made)?;
        }
        for sum in self.straight.carried(node.id, None, self.sums(node))?.unwrap_or_default() {
            let codes = (&mut before, &mut after);
            let made = self.sum_code(node, &sum, &mut measured, codes);
            self.straight.carried(node.id, Some(sum.by), made)?;
        }
        let made = self.made(node);
        before.extend(self.straight.carried(node.id, None, made)?);
        let tables = match spot {
            Spot::End => self.tables_beside(node, &plan),
            Spot::Block(_) => Tables::default(),
        };
        let filled = self.fill_tables(node, &tables)?;
        let mut block = TokenStream::new();
        let offset = |home: u64| -> TokenStream {
            let local = usize::try_from(home).unwrap_or(usize::MAX);
            match spot {
                Spot::End => lit(local - usize::try_from(head.from).unwrap_or(0)),
                Spot::Block(base) => sum(base, local),
            }
        };
        if let Some(code) = &head.code {
            block.extend(code(&offset(head.from)));
        }
        let mut grouped = BTreeSet::new();
        for (row_id, home) in &plan.block {
            let place = Spot::Block(offset(*home));
            let made = match node.row(*row_id).ty.is_bits() {
                true => self.bit_row(node, *row_id, &mut grouped, &place),
                false => self.row(node, *row_id, &place, Some(*home)),
            };
            let body = self.straight.carried(node.id, Some(*row_id), made)?.unwrap_or_default();
            block.extend(self.noted(node, &measured, *row_id, &place, body));
            self.remember(node, &measured, *row_id);
        }
        let mut tokens = quote!(#canonical #before);
        match spot {
            Spot::Block(_) => {
                if !plan.rest.is_empty() {
                    return unable("rows of no fixed size within a block");
                }
                tokens.extend(block);
            }
            Spot::End => {
                let size = usize::try_from(plan.end - head.from).unwrap_or(usize::MAX);
                if size > 0 {
                    tokens.extend(in_block(size, &block));
                }
                let mut first = Some(plan.end);
                let mut standing = self.standing_values(node, &plan)?.into_iter().peekable();
                for row_id in &plan.rest {
                    let home = first.take();
                    while let Some(value) = standing.next_if(|value| value < row_id) {
                        tokens.extend(self.standing_value(node, value)?);
                    }
                    self.straight.stand((node.id, *row_id), quote!(cx.here()), None);
                    let made = match node.row(*row_id).ty.is_bits() {
                        true => self.bit_row(node, *row_id, &mut grouped, &Spot::End),
                        false => self.row(node, *row_id, &Spot::End, home),
                    };
                    let made = self.straight.carried(node.id, Some(*row_id), made)?;
                    let body =
                        self.noted_beside(&tables, &filled, *row_id, made.unwrap_or_default());
                    if home.is_none() && self.is_stood(node, *row_id) {
                        let (number, at) = (stood_number(node.id, *row_id), &node.at);
                        tokens.extend(quote!(cx.stands(#number, #at);));
                    }
                    // What stands in front of it must not move any more.
                    tokens.extend(self.straight.stood(&quote!(cx.pin();)));
                    tokens.extend(self.noted(node, &measured, *row_id, &Spot::End, body));
                    self.remember(node, &measured, *row_id);
                }
                for value in standing {
                    tokens.extend(self.standing_value(node, value)?);
                }
            }
        }
        // Rows that have no place must say so.
        for (row_id, row) in node.record().numbered_rows() {
            let made = self.gone(node, row_id, row);
            tokens.extend(self.straight.carried(node.id, Some(row_id), made)?);
        }
        tokens.extend(filled);
        tokens.extend(after);
        Ok(tokens)
    }

    /// A row of bits: the first one of a group writes the integer that all are part of.
    fn bit_row(
        &self,
        node: &Node<'m>,
        first: RowId,
        grouped: &mut BTreeSet<RowId>,
        spot: &Spot,
    ) -> Able<TokenStream> {
        if grouped.contains(&first) {
            return Ok(quote!());
        }
        let group = bits::group(node.record(), node.epoch, first)?;
        let mut parts = TokenStream::new();
        for (id, lowest) in &group.rows {
            if self.anchors.inline(node.id, *id).is_some() {
                return unable("the address of bits");
            }
            parts.extend(self.part_of_word(node, *id, *lowest)?);
            grouped.insert(*id);
        }
        if parts.is_empty() {
            let size = i128::from(group.bytes);
            return Ok(match spot {
                Spot::Block(_) => quote!(),
                Spot::End => quote!(cx.zero(rt::Some(#size))?;),
            });
        }
        let width = lit(group.bytes.into());
        let set = if group.big { quote!(set_big) } else { quote!(set) };
        let word = quote!({ let mut word = 0_u64; #parts word });
        Ok(match spot {
            Spot::Block(offset) => quote!(s::#set::<#width>(b, #offset, #word);),
            Spot::End => in_block(group.bytes.into(), &quote!(s::#set::<#width>(b, 0, #word);)),
        })
    }

    /// What must hold of a row without bytes.
    pub(super) fn gone(&self, node: &Node<'m>, row_id: RowId, row: &'m Row) -> Able<TokenStream> {
        let home = row.homes.get(node.epoch).copied().unwrap_or(Home::Nowhere);
        if matches!(row.kind, RowKind::Mark { .. }) {
            return unable(kind(row));
        }
        if home != Home::Absent {
            return match row.kind {
                RowKind::Value { seen: Some(seen) }
                    if !self.is_seen_at_last(node.id, row, seen) =>
                {
                    match self.stands(row, seen) {
                        true => Ok(quote!()),
                        false => self.seen((node, &node.scope), row_id, row, seen),
                    }
                }
                _ => Ok(quote!()),
            };
        }
        let Some(src) = self.field(node, row_id) else { return Ok(quote!()) };
        match &row.absent {
            Some(constant) => self.is_constant(&src, constant),
            None => self.is_nothing(&src),
        }
    }

    /// Code that gives up if a field has something, of a row that is not there.
    fn is_nothing(&self, src: &Src) -> Able<TokenStream> {
        let code = &src.code;
        match &src.shape {
            Some(Shape::Option(_)) => Ok(quote!(s::holds(#code.is_none())?;)),
            Some(Shape::Kept(_)) => Ok(quote!(s::holds(#code.is_canonical())?;)),
            _ => unable("a field of another Rust type, where its row may not be there"),
        }
    }

    /// Values that follow from where they stand: where the rows behind them will be written.
    fn standing_values(&self, node: &Node<'m>, plan: &Plan) -> Able<Vec<RowId>> {
        let mut found = Vec::new();
        for (id, row) in node.record().numbered_rows() {
            let RowKind::Value { seen: Some(seen) } = row.kind else { continue };
            let gone = matches!(row.homes.get(node.epoch), Some(Home::Absent));
            if gone || !self.stands(row, seen) || self.straight.is_about_end(seen) {
                continue;
            }
            if row.when.is_some_and(|when| self.straight.is_about_end(when)) {
                continue;
            }
            // The block is written before any of them.
            if plan.block.iter().any(|(block, _)| *block > id) {
                return unable("a value about where it stands, before rows of constant size");
            }
            found.push(id);
        }
        Ok(found)
    }

    /// Whether a value follows from where it stands.
    fn stands(&self, row: &Row, seen: ExprId) -> bool {
        let mut asked = [Some(seen), row.when].into_iter().flatten();
        asked.any(|expr| self.straight.is_about_place(expr))
    }

    fn standing_value(&self, node: &Node<'m>, id: RowId) -> Able<TokenStream> {
        let row = node.row(id);
        let RowKind::Value { seen: Some(seen) } = row.kind else { return unable(kind(row)) };
        self.straight.stand((node.id, id), quote!(cx.here()), None);
        let (straight, anchors) = (self.straight, &self.anchors);
        let late = Addresses { straight, view: node.view, anchors, finished: false };
        let scope = Scope { late: Some(&late), ..node.scope.clone() };
        let made = self.seen((node, &scope), id, row, seen);
        let ahead = self.straight.stood(&quote!(cx.pin();));
        let made = self.straight.carried(node.id, Some(id), made)?;
        Ok(quote!(#ahead #made))
    }

    /// Whether it is looked at last of all what a reader will see: for some of it everything has to be
    /// placed.
    pub(super) fn is_seen_at_last(&self, record: RecordId, row: &Row, seen: ExprId) -> bool {
        record == self.model.root
            && !self.stands(row, seen)
            && (self.straight.is_tried(record, row) || self.straight.is_about_address(seen))
    }

    /// Code that gives up if a reader would see another value.
    pub(super) fn seen(
        &self,
        (node, scope): (&Node<'m>, &Scope<'_>),
        row_id: RowId,
        row: &'m Row,
        seen: ExprId,
    ) -> Able<TokenStream> {
        let Some(src) = self.field(node, row_id) else { return Ok(quote!()) };
        let (shape, is_optional) = match &src.shape {
            Some(Shape::Option(inner)) => (&**inner, true),
            Some(shape) => (shape, false),
            None => return unable("a value that is in no value"),
        };
        let name = if is_optional { quote!(x) } else { src.code.clone() };
        let Some(number) = self.plain_number(&name, shape) else {
            return unable("a value that is no number, seen in the file");
        };
        let same = match (self.straight.typed(scope, node.view, seen)?, shape) {
            (Typed::Truth(seen), Shape::Bool) if !is_optional => {
                quote!(s::holds(#seen == rt::Some(*#name))?;)
            }
            (seen, _) => {
                let seen = seen.number()?;
                quote!(s::holds(#seen == rt::Some(#number))?;)
            }
        };
        let code = &src.code;
        Ok(match (&row.when, is_optional) {
            (None, false) => same,
            (Some(when), true) => {
                let truth = |expr| self.straight.truth(scope, node.view, expr);
                let holds = self.straight.block_holds(*when, &truth)?;
                quote! {
                    match #code {
                        rt::Some(x) => { s::holds(#holds)?; #same }
                        rt::None => s::holds(!(#holds))?,
                    }
                }
            }
            _ => return unable("a value with a condition of another Rust type"),
        })
    }

    /// Code that gives up if a field is anything but a constant.
    pub(super) fn is_constant(&self, src: &Src, constant: &Constant) -> Able<TokenStream> {
        let Some(shape) = &src.shape else { return unable("a constant of another Rust type") };
        let test = self.straight.equals(&src.code, shape, constant)?;
        Ok(quote!(s::holds(#test)?;))
    }

    /// One row.
    pub(super) fn row(
        &self,
        node: &Node<'m>,
        id: RowId,
        spot: &Spot,
        home: Option<u64>,
    ) -> Able<TokenStream> {
        let row = node.row(id);
        self.locals.about(row, || self.row_when_there(node, id, row, spot, home))
    }

    fn row_when_there(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
        home: Option<u64>,
    ) -> Able<TokenStream> {
        let Some(when) = &row.when else {
            let body = self.row_bytes(node, id, row, spot, home, None)?;
            return self.anchored(node, id, spot, body);
        };
        if self.straight.is_about_end(*when) {
            return self.row_by_value(node, id, row, spot, home);
        }
        let truth = |expr| self.straight.truth(&node.scope, node.view, expr);
        let holds = self.straight.block_holds(*when, &truth)?;
        let field = match row.kind {
            RowKind::Plain | RowKind::Zeros => self.field(node, id),
            _ => None,
        };
        match field {
            Some(src) => {
                let nothing = self.is_nothing(&src)?;
                let (some, given) = match &src.shape {
                    Some(Shape::Option(inner)) if !self.may_be_none(&row.ty, row) => {
                        let (x, code) = (self.fresh("x"), &src.code);
                        let some = quote!(let #x = s::known(#code.as_ref())?;);
                        (some, self.src(quote!(#x), (**inner).clone()))
                    }
                    _ => (quote!(), src),
                };
                let body = self.row_bytes(node, id, row, spot, home, Some(given))?;
                let body = self.anchored(node, id, spot, body)?;
                Ok(quote!(if #holds { #some #body } else { #nothing }))
            }
            None => {
                let body = self.row_bytes(node, id, row, spot, home, None)?;
                let body = self.anchored(node, id, spot, body)?;
                if node.record().is_slice_number(id) {
                    return Ok(quote!(s::holds(#holds)?; #body));
                }
                Ok(quote!(if #holds { #body }))
            }
        }
    }

    /// A row that is there if the value has it.
    fn row_by_value(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
        home: Option<u64>,
    ) -> Able<TokenStream> {
        let field = self.field(node, id).filter(|_| matches!(row.kind, RowKind::Plain));
        let Some(Src { code, shape: Some(Shape::Option(inner)), .. }) = field else {
            return unable("bytes that the value does not have, by where a region ends");
        };
        let x = self.fresh("x");
        let some = self.src(quote!(#x), *inner);
        let body = self.row_bytes(node, id, row, spot, home, Some(some))?;
        let body = self.anchored(node, id, spot, body)?;
        Ok(quote!(if let rt::Some(#x) = #code.as_ref() { #body }))
    }

    /// The bytes of a row that is there, with where that is if its address is asked for. A number
    /// that stands for none has no address.
    fn anchored(
        &self,
        node: &Node<'m>,
        id: RowId,
        spot: &Spot,
        body: TokenStream,
    ) -> Able<TokenStream> {
        let row = node.row(id);
        let Some(number) = self.anchors.inline(node.id, id) else { return Ok(body) };
        if is_aligned(element(&row.ty)) {
            return unable("the address of something aligned");
        }
        if !row.none.is_empty() {
            let (None, Some(Src { code, shape: Some(Shape::Option(_)), .. })) =
                (row.when, self.field(node, id))
            else {
                return unable("the address of a number that may stand for none");
            };
            let (from, to) = match spot {
                Spot::End => (quote!(from), quote!(cx.here())),
                Spot::Block(offset) => {
                    let size = self.size(node, &row.ty).unwrap_or(0);
                    let from = position(offset);
                    (from.clone(), quote!(#from + #size))
                }
            };
            let begin = matches!(spot, Spot::End).then(|| quote!(let from = cx.here();));
            return Ok(quote! {
                #begin
                #body
                if #code.is_some() {
                    cx.anchor(#number, #from, #to);
                }
            });
        }
        Ok(match spot {
            Spot::End => quote! {
                let anchor = cx.anchor_begins(#number, cx.here());
                #body
                cx.anchor_ends(#number, anchor, cx.here());
            },
            Spot::Block(offset) => {
                let size = self.size(node, &row.ty).unwrap_or(0);
                let from = position(offset);
                quote!(#body cx.anchor(#number, #from, #from + #size);)
            }
        })
    }

    pub(super) fn row_bytes(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
        home: Option<u64>,
        given: Option<Src>,
    ) -> Able<TokenStream> {
        self.listed_row(row)?;
        match &row.kind {
            RowKind::Zero | RowKind::Reserved | RowKind::Runtime => {
                self.padding(node, id, row, spot)
            }
            RowKind::Zeros => {
                let (Some(src), Spot::End) = (given.or_else(|| self.field(node, id)), spot) else {
                    return unable("zeros without a number");
                };
                let Some(number) =
                    src.shape.as_ref().and_then(|shape| self.plain_number(&src.code, shape))
                else {
                    return unable("zeros without a number");
                };
                Ok(quote!(cx.zero(rt::Some(#number))?;))
            }
            RowKind::Pool { pad, .. } => self.pool_row(node, id, row, *pad),
            RowKind::Constant(constant) => self.constant(node, id, row, constant, spot),
            RowKind::Plain => match &row.role {
                Role::Derived => {
                    let (free, body) =
                        (self.left_out(node, id, row), self.derived(node, id, row, spot)?);
                    Ok(quote!(#free #body))
                }
                Role::Kept(expr) => self.kept(node, id, row, *expr, spot),
                Role::Data | Role::Default(_) | Role::Elsewhere => {
                    let src = match given {
                        Some(src) => src,
                        None => match self.field(node, id) {
                            Some(src) => src,
                            None if !self.straight.shapes.carries(&row.ty) => Src::nothing(),
                            None => return unable("a row without a field"),
                        },
                    };
                    match &src.shape {
                        // A row that other layouts do not have.
                        Some(Shape::Option(inner)) if !self.may_be_none(&row.ty, row) => {
                            let (x, code) = (self.fresh("x"), &src.code);
                            let some = self.src(quote!(#x), (**inner).clone());
                            let body = self.put(node, id, row, &row.ty, &some, spot, home)?;
                            Ok(quote!({ let #x = s::known(#code.as_ref())?; #body }))
                        }
                        _ => self.put(node, id, row, &row.ty, &src, spot, home),
                    }
                }
                Role::View { .. } => match row.ty {
                    Type::Pointer(_) => {
                        let owed = self.owes.then(|| quote!(cx.owe();));
                        let padding = self.padding(node, id, row, spot)?;
                        Ok(quote!(#padding #owed))
                    }
                    _ => self.put_table(node, id, row, spot),
                },
                Role::Fixed | Role::Spelling => unable("a row that is no data"),
            },
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => Ok(quote!()),
        }
    }

    /// Whether a value of a type may be nothing where the row is there.
    pub(super) fn may_be_none(&self, ty: &Type, row: &Row) -> bool {
        match ty.stripped() {
            Type::Cell(_) => !row.none.is_empty(),
            Type::Pointer(pointer) => pointer.may_be_none(self.model, row),
            _ => false,
        }
    }

    /// Code behind what was written in a room of a size that is said elsewhere, an `Option<i128>`: if
    /// padding comes last there, it takes what is left.
    pub(super) fn room_is_full(
        &self,
        node: &Node<'m>,
        ty: &Type,
        size: &TokenStream,
    ) -> TokenStream {
        let padding = match ty {
            Type::Record(id) => {
                let rows = &node.view.records[id.index()].rows;
                let last = rows.iter().rev().find(|row| is_here(row, node.epoch));
                last.filter(|row| {
                    row.ty.is_fill()
                        && row.when.is_none()
                        && matches!(row.kind, RowKind::Zero | RowKind::Reserved)
                })
            }
            _ => None,
        };
        match padding {
            Some(row) => {
                let fill = Literal::u8_unsuffixed(row.fill);
                quote!(cx.pad(begun, #size, #fill)?;)
            }
            None => quote!(s::holds(#size == rt::Some(i128::from(cx.here() - begun)))?;),
        }
    }

    pub(super) fn padding(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<TokenStream> {
        if row.ty.is_bits() {
            return unable("bits that share bytes with their neighbours");
        }
        let kept = self.kept_row(node, id).filter(|_| is_reserved(row));
        let size = match (self.size(node, &row.ty), spot) {
            (Some(size), Spot::Block(offset)) => {
                let size = Literal::u64_unsuffixed(size);
                return Ok(kept.map_or(quote!(), |(spelling, number)| {
                    quote!(s::set_reserved(b, #offset, #size, #spelling, #number)?;)
                }));
            }
            (None, Spot::Block(_)) => return Ok(quote!()),
            (Some(size), Spot::End) => {
                let size = i128::from(size);
                quote!(rt::Some(#size))
            }
            (None, Spot::End) => match &row.ty {
                Type::Region(region) => match &region.extent {
                    Extent::Size(size) => self.straight.number(&node.scope, node.view, *size)?,
                    // By itself it has nothing to fill.
                    Extent::Rest => return Ok(quote!()),
                    _ => return unable("padding of no known size"),
                },
                Type::Run(RunType { length: RunLength::Count(count), .. }) => {
                    self.straight.number(&node.scope, node.view, *count)?
                }
                Type::Run(RunType { length: RunLength::Fill, .. }) => return Ok(quote!()),
                _ => return unable("padding of no known size"),
            },
        };
        Ok(match kept {
            Some((spelling, number)) => quote!(cx.reserved(#size, #spelling, #number)?;),
            None if row.fill != 0 => {
                let fill = Literal::u8_unsuffixed(row.fill);
                quote!(cx.filled(#size, #fill)?;)
            }
            None => quote!(cx.zero(#size)?;),
        })
    }

    /// Code that writes a value of a type.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one value")]
    pub(super) fn put(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        ty: &'m Type,
        src: &Src,
        spot: &Spot,
        home: Option<u64>,
    ) -> Able<TokenStream> {
        let code = &src.code;
        match &src.shape {
            Some(Shape::Boxed(inner)) => {
                let src = self.src(self.straight.unboxed(code), (**inner).clone());
                return self.put(node, id, row, ty, &src, spot, home);
            }
            Some(Shape::Kept(_)) => return unable("a kept number in another row"),
            _ => {}
        }
        match ty {
            Type::Cell(cell) => self.put_cell(node, id, row, cell, src, spot),
            Type::Run(run) => self.put_run(node, id, run, src, spot),
            Type::Record(record) => {
                let put = Node { row: Some(id), ..node.clone() };
                let put = self.put_record(&put, *record, src, spot, None)?;
                Ok(self.in_place(node.id, id, ty, put))
            }
            Type::Union(union) => self.put_union(node, id, *union, src, spot, home),
            Type::Pointer(pointer) => self.put_pointer(node, id, row, pointer, src, spot),
            Type::Array(array) => match self.beside_of(node, id, spot) {
                Some(Beside::Filled) => self.leave_table(node, id, array),
                None if array.in_step.is_some() => self.put_in_step(node, id, row, array, spot),
                Some(Beside::Listed) => {
                    self.put_array(node, id, row, array, src, spot, Starts::Listed)
                }
                None => self.put_array(node, id, row, array, src, spot, Starts::No),
            },
            Type::Region(region) => {
                if let Some(ends) = ends::ends(self.model, region)? {
                    return match ends::filling(region) {
                        Some(run) => self.put_ended(node, id, run, &ends, src, spot),
                        None => self.put_ended_struct(node, id, row, region, &ends, src, spot),
                    };
                }
                let inner = self.put(node, id, row, &region.inner, src, spot, home)?;
                if let Extent::Rest = region.extent {
                    return Ok(inner);
                }
                let inner = self.closed(&inner);
                // What measures a row measures none of its elements.
                let element = node.element.is_some();
                let expected = match &region.extent {
                    Extent::Rest | Extent::Terminated(_) => {
                        return unable("a terminator in a room");
                    }
                    Extent::Size(size) if !element && self.says(node, *size, id, Side::Size) => {
                        return Ok(inner);
                    }
                    Extent::End(end) if !element && self.says(node, *end, id, Side::End) => {
                        return Ok(inner);
                    }
                    Extent::Size(size) if !element && self.size_is_said(node, *size, id) => {
                        return Ok(inner);
                    }
                    Extent::Size(size) => {
                        match self.straight.number_of_some(&node.scope, node.view, *size) {
                            Err(_)
                                if matches!(spot, Spot::End)
                                    && self.straight.is_about_address(*size) =>
                            {
                                let fills = self.must_fill(node, *size)?;
                                return Ok(quote!(let begun = cx.here(); #inner #fills));
                            }
                            expected => expected?,
                        }
                    }
                    Extent::End(end) => {
                        let Spot::End = spot else { return unable("an end within a block") };
                        let ends = self.must_end(node, *end)?;
                        return Ok(quote!(#inner #ends));
                    }
                };
                match spot {
                    Spot::End => {
                        let fills = self.room_is_full(node, &region.inner, &expected);
                        Ok(quote!(let begun = cx.here(); #inner #fills))
                    }
                    Spot::Block(_) => {
                        let Some(size) = self.size(node, &region.inner) else {
                            return unable("content of no fixed size within a block");
                        };
                        let size = i128::from(size);
                        Ok(quote!(#inner s::holds(#expected == rt::Some(#size))?;))
                    }
                }
            }
            Type::ByteOrderMark => {
                let put = bytes_at(&quote!(&[0xff, 0xfe]), spot);
                Ok(quote!(s::holds(*#code == ::formwork::Endian::Little)?; #put))
            }
            Type::Text | Type::Nothing => Ok(quote!()),
            Type::PerEpoch(_) => unable("a type that differs by layout"),
        }
    }
}
