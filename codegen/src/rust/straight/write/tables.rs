//! Tables that follow from the rest: pools, dictionaries, relocation tables.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::derive::made_name;
use super::late::{Addresses, Gathered};
use super::rows::Head;
use super::spot::{Spot, in_block, sum};
use super::writer::{Node, Writer};
use crate::model::{
    ArrayLength, BinaryOp, Cell, Content, DefinerScope, DefinerSource, Encoding, Expr, ExprId,
    Measure, Member, Path, PoolOrder, RecordId, RelocationEncoding, Role, Row, RowId, RowKind,
    Start, Step, Storage, StreamFunction, Target, Type,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::operators::combined;
use crate::rust::straight::pools::PoolText;
use crate::rust::straight::questions::{is_algorithm, is_here, target};
use crate::rust::straight::scope::{Access, Frame, Place, Scope};

/// Most equations in equations of a number of rows.
const DEEPEST: u32 = 8;

impl<'m> Writer<'_, '_, 'm> {
    /// Whether a row is a table that follows from the rest.
    pub(super) fn is_made(&self, row: &Row) -> bool {
        matches!(row.kind, RowKind::Pool { .. })
            || matches!(row.role, Role::View { .. }) && matches!(row.ty, Type::Array(_))
            || matches!(row.role, Role::Kept(expr) if is_algorithm(self.model, expr))
    }

    /// The number of a pool where it is written: a `u8`. If its struct is in several places, whoever
    /// has placed it has said which.
    fn pool_here(&self, id: RecordId, row: RowId) -> Able<TokenStream> {
        let place = quote!(cx.pool_place());
        self.straight.pool_here(id, row, &place)
    }

    /// Code that says in which place a row's struct is and then writes it, if it has a pool and
    /// stands in other places, too. The members of pools are found before anything of a struct is
    /// written, so the place may be another one behind it.
    pub(super) fn in_place(
        &self,
        holder: RecordId,
        row: RowId,
        ty: &Type,
        put: TokenStream,
    ) -> TokenStream {
        let Type::Record(id) = target(ty) else { return put };
        match self.straight.pool_place(holder, row, *id) {
            Some(at) => quote!(cx.at_pool_place(#at); #put),
            None => put,
        }
    }

    /// Code that makes the tables of a node, before its rows are written.
    pub(super) fn made(&self, node: &Node<'m>) -> Able<TokenStream> {
        let mut tokens = TokenStream::new();
        let mut relocated = false;
        for (id, row) in node.record().numbered_rows() {
            if !self.is_made(row) {
                continue;
            }
            if row.when.is_some() {
                return unable("a table with a condition");
            }
            let name = made_name(node.id, id);
            let kept = match row.role {
                Role::Kept(expr) => Some(&self.model[expr]),
                _ => None,
            };
            match (&row.kind, kept) {
                _ if matches!(row.role, Role::View { .. }) => {
                    // A layout may not have it.
                    let here = is_here(row, node.epoch);
                    let gathered = here.then(|| self.gathered(node, id, row)).transpose()?;
                    tokens.extend(gathered.map(|gathered| quote!(let #name = #gathered;)));
                }
                (RowKind::Pool { always, kept, order, .. }, _) => {
                    let pool = self.pool_here(node.id, id)?;
                    if *kept {
                        let members = self.kept_members(node, id, order)?;
                        tokens.extend(quote! {
                            let #name = cx.members_kept(#pool, &[#(#always),*], #members)?;
                        });
                        continue;
                    }
                    let code = self.straight.pool_order(&node.scope, node.view, order)?;
                    tokens.extend(quote!(let #name = cx.members(#pool, &[#(#always),*], #code)?;));
                }
                (_, Some(Expr::Patricia(path))) => {
                    let keys =
                        self.straight.walk(&node.scope, node.view, path, true, &mut |place| {
                            match place {
                                Place::Text(text) => Ok(quote!(keys.push(s::Chars::chars(#text));)),
                                _ => unable("keys that are no texts"),
                            }
                        })?;
                    tokens.extend(quote! {
                        let mut keys: rt::Vec<&'v [u8]> = rt::Vec::new();
                        #keys
                        let #name = s::Tree::new(keys)?;
                    });
                }
                (_, Some(made @ (Expr::RelocationSections | Expr::RelocationEntries))) => {
                    if !std::mem::replace(&mut relocated, true) {
                        tokens.extend(self.relocation(node)?);
                    }
                    let of = match made {
                        Expr::RelocationSections => quote!(sections),
                        _ => quote!(entries),
                    };
                    tokens.extend(quote!(let #name = s::Rows(#of);));
                }
                _ => {}
            }
        }
        Ok(tokens)
    }

    /// Code that makes the locals `sections` and `entries`.
    fn relocation(&self, node: &Node<'m>) -> Able<TokenStream> {
        let root = self.model.root;
        let Some(value) = node.scope.value_of(root) else {
            return unable("a relocation table that does not know the root");
        };
        let addresses = Addresses {
            straight: self.straight,
            view: node.view,
            anchors: &self.anchors,
            finished: false,
        };
        let access = Access::Value(value);
        let frame = Frame { record: root, access, at: Some(quote!(0_u64)), index: None };
        let scope = Scope { frames: vec![frame], it: None, late: Some(&addresses) };
        let mut bounds = Vec::new();
        for section in &self.model.relocation {
            let from = self.straight.number(&scope, node.view, section.from)?;
            let to = self.straight.number(&scope, node.view, section.to)?;
            bounds.push(quote!((s::known::<i128>(#from)?, s::known::<i128>(#to)?)));
        }
        let count = bounds.len();
        let encode = match self.model.records.iter().find_map(|record| record.encodes) {
            Some(RelocationEncoding::PointerMasks) => quote!(masks),
            Some(RelocationEncoding::PointerRuns) => quote!(runs),
            None => return unable("a relocation table without entries"),
        };
        Ok(quote! {
            let (sections, entries) = cx.listed(#count)?.#encode(&[#(#bounds),*])?;
        })
    }

    /// What a value says of the members of a pool.
    fn kept_members(
        &self,
        node: &Node<'m>,
        id: RowId,
        order: &[(Option<ExprId>, PoolOrder)],
    ) -> Able<TokenStream> {
        let first_use = order.iter().all(|(_, order)| *order == PoolOrder::FirstUse);
        let root = self.model.root;
        let (Some((row, members)), Some(value), true) =
            (self.straight.kept_pool()?, node.scope.value_of(root), first_use)
        else {
            return unable("a pool whose members are data");
        };
        let Type::Array(array) = node.row(id).ty.stripped() else {
            return unable("a pool that is no array");
        };
        let content = PoolText::of(&array.element)?.content;
        if !matches!(content, Content::Text(Encoding::Utf8 | Encoding::Ascii)) {
            return unable("a pool whose members are data, and no texts");
        }
        let spelling = self.straight.spelling(root, &value);
        let kept = quote!(s::kept_members(#spelling, #row, #members)?);
        let places = self.straight.places_of(node.id);
        if places.len() < 2 {
            return Ok(kept);
        }
        let own = places.iter().position(|(of, _)| *of == root);
        let Some(own) = own.and_then(|own| u8::try_from(own).ok()) else {
            return unable("a pool whose members are data");
        };
        Ok(quote!(if cx.pool_place() == #own { #kept } else { rt::None }))
    }

    /// A row that is such a table.
    pub(super) fn table_row(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        expr: ExprId,
    ) -> Able<TokenStream> {
        let Type::Array(array) = row.ty.stripped() else {
            return unable("a table that is no array");
        };
        let Type::Record(record) = array.element else {
            return unable("a table of something else");
        };
        let made = made_name(node.id, id);
        // The number of rows must be what the schema says.
        let check = match &array.length {
            ArrayLength::Fill => quote!(),
            ArrayLength::Last(_) => {
                return unable("an array that ends with a certain element (`last=`)");
            }
            ArrayLength::Count(count) if self.is_sum_of_sections(node, *count, expr) => quote!(),
            ArrayLength::Count(count) => {
                let count = self.made_count(node, *count)?;
                quote!(s::holds(s::length(#count)? == #made.count())?;)
            }
        };
        let Some(size) = self.sizes[node.epoch].record(record) else {
            return unable("a table whose rows differ in size");
        };
        let columns: &[TokenStream] = match &self.model[expr] {
            Expr::Patricia(_) => &[
                quote!(u64::from(x.bit)),
                quote!(u64::from(x.zero)),
                quote!(u64::from(x.one)),
                quote!(key),
            ],
            Expr::RelocationSections => &[
                quote!(s::bits(x[0], 64, false)?),
                quote!(s::bits(x[1], 64, false)?),
                quote!(s::bits(x[2], 64, false)?),
                quote!(s::bits(x[3], 64, false)?),
            ],
            _ => match self.model.records.iter().find_map(|record| record.encodes) {
                Some(RelocationEncoding::PointerMasks) => {
                    &[quote!(u64::from(x.start)), quote!(u64::from(x.mask))]
                }
                _ => &[
                    quote!(u64::from(x.start)),
                    quote!(u64::from(x.repeats)),
                    quote!(u64::from(x.pointers)),
                    quote!(u64::from(x.gap)),
                ],
            },
        };
        let element = Node { id: record, ..node.clone() };
        let plan = self.plan(&element, &Head::default())?;
        if !plan.rest.is_empty() {
            return unable("a table whose rows differ in size");
        }
        let mut columns = columns.iter();
        let mut body = TokenStream::new();
        let homes: BTreeMap<RowId, u64> = plan.block.iter().copied().collect();
        for (row_id, row) in element.record().numbered_rows() {
            let Some(offset) = homes.get(&row_id) else { continue };
            let offset = usize::try_from(*offset).unwrap_or(usize::MAX);
            let spot = Spot::Block(sum(&quote!(0), offset));
            if !matches!(row.kind, RowKind::Plain) {
                let nothing = Node { value: quote!(v), ..element.clone() };
                body.extend(match &row.kind {
                    RowKind::Zero | RowKind::Reserved => quote!(),
                    RowKind::Constant(constant) => {
                        self.constant(&nothing, row_id, row, constant, &spot)?
                    }
                    _ => return unable("a row of another kind in a table"),
                });
                continue;
            }
            if !matches!(row.role, Role::Data | Role::Default(_))
                || row.plus != 0
                || !row.none.is_empty()
            {
                return unable("a row of another kind in a table");
            }
            let Some(column) = columns.next() else { return unable("a table with more columns") };
            body.extend(match &row.ty {
                Type::Cell(Cell { storage: Storage::Fixed(int), .. }) => {
                    let bits = u32::from(int.bytes) * 8;
                    let fits = quote!(s::bits(i128::from(#column), #bits, false)?);
                    self.store(&element, int, &fits, &spot)
                }
                Type::Pointer(pointer) if matches!(pointer.target, Target::Pooled) => {
                    let src = self.src(quote!(key), Shape::Bytes);
                    self.put_pointer(&element, row_id, row, pointer, &src, &spot)?
                }
                _ => return unable("a column of another kind"),
            });
        }
        let block = in_block(usize::try_from(size).unwrap_or(0), &body);
        let key = matches!(self.model[expr], Expr::Patricia(_))
            .then(|| quote!(let key: &'v [u8] = #made.key(i);));
        Ok(quote! {
            #check
            for (i, x) in #made.rows().iter().enumerate() { #key #block }
        })
    }

    /// Whether a number of entries is the sum of what the sections say.
    fn is_sum_of_sections(&self, node: &Node<'m>, count: ExprId, made: ExprId) -> bool {
        let (Expr::RelocationEntries, Expr::Stream(StreamFunction::Sum, stream, None)) =
            (&self.model[made], &self.model[count])
        else {
            return false;
        };
        let Expr::Path(path) = &self.model[*stream] else { return false };
        let [sections @ Step::Field(_), Step::Field(count)] = path.steps.as_slice() else {
            return false;
        };
        let own = Path { steps: vec![sections.clone()], ..path.clone() };
        let Some(row) = self.own_row(node, &own) else { return false };
        let row = node.row(row);
        let Type::Array(array) = row.ty.stripped() else { return false };
        let (Role::Kept(kept), Type::Record(record)) = (&row.role, &array.element) else {
            return false;
        };
        if !matches!(self.model[*kept], Expr::RelocationSections) {
            return false;
        }
        let data = node.view.records[record.index()].numbered_rows().filter(|(_, row)| {
            matches!(row.kind, RowKind::Plain) && matches!(row.role, Role::Data | Role::Default(_))
        });
        let fourth = data.map(|(id, _)| id).nth(3);
        count.members.iter().any(|(of, members)| {
            of == record && matches!(members.as_slice(), [Member::Row(row)] if Some(*row) == fourth)
        })
    }

    /// A number of rows: an `Option<i128>`. The equations of the node's derived rows stand in place
    /// of them.
    fn made_count(&self, node: &Node<'m>, count: ExprId) -> Able<TokenStream> {
        let (count, depth) = self.unfolded(node, count, 0);
        // The row says the number of rows of this very table.
        if let Expr::Path(path) = &self.model[count]
            && let Some(row) = self.own_row(node, path)
            && let [definer] = node.row(row).definers.as_slice()
            && let DefinerSource::Measure { measure: Measure::Count, row: of, .. } = &definer.source
            && self.is_made(node.row(*of))
        {
            return self.number(node, row, node.row(row));
        }
        self.unfolded_number((node, &node.scope), count, depth)
    }

    /// What a derived row of the node follows from, instead of the row, and how deep that is in
    /// equations.
    fn unfolded(&self, node: &Node<'m>, mut expr: ExprId, mut depth: u32) -> (ExprId, u32) {
        while depth <= DEEPEST
            && let Some(source) = self.folded(node, expr)
        {
            (expr, depth) = (source, depth + 1);
        }
        (expr, depth)
    }

    /// What an expression stands for, if that is a `let` of the node, or a row that follows from
    /// something.
    fn folded(&self, node: &Node<'m>, expr: ExprId) -> Option<ExprId> {
        let Expr::Path(path) = &self.model[expr] else { return None };
        if let Some(row) = self.own_row(node, path) {
            let [definer] = node.row(row).definers.as_slice() else { return None };
            return match (&definer.scope, &definer.source) {
                (DefinerScope::Own, DefinerSource::Expr(source)) => Some(*source),
                _ => None,
            };
        }
        let [Step::Field(field)] = path.steps.as_slice() else { return None };
        let (_, members) = field.members.iter().find(|(of, _)| *of == node.id)?;
        match members.as_slice() {
            [Member::Let(number)] if path.start.is_in(node.id) => {
                node.record().lets.get(*number as usize).map(|named| named.expr)
            }
            _ => None,
        }
    }

    fn unfolded_number(
        &self,
        (node, scope): (&Node<'m>, &Scope<'_>),
        expr: ExprId,
        depth: u32,
    ) -> Able<TokenStream> {
        let (expr, depth) = self.unfolded(node, expr, depth);
        match self.model[expr] {
            Expr::Binary(op, a, b)
                if depth <= DEEPEST && !matches!(op, BinaryOp::BothTrue | BinaryOp::EitherTrue) =>
            {
                let a = self.unfolded_number((node, scope), a, depth + 1)?;
                let b = self.unfolded_number((node, scope), b, depth + 1)?;
                combined(op, &a, &b)?.number()
            }
            _ => self.straight.number(scope, node.view, expr),
        }
    }

    /// What an argument stands for, and the node around that says it; otherwise the node itself.
    fn said_by_argument(&self, node: &Node<'m>, expr: ExprId) -> Able<(Node<'m>, ExprId)> {
        let Expr::Path(path) = &self.model[expr] else { return Ok((node.clone(), expr)) };
        let (Start::Argument(number), []) = (&path.start, path.steps.as_slice()) else {
            return Ok((node.clone(), expr));
        };
        let owner = self.straight.owner(node.id);
        let frame = owner.and_then(|owner| node.scope.frame_of(owner));
        let argument = node.record().arguments.get(*number as usize);
        let (Some(frame), Some(argument)) = (frame, argument) else {
            return unable("an argument from several places");
        };
        let Access::Value(value) = &frame.access else { return unable("an argument") };
        let (id, value, scope) = (frame.record, value.clone(), node.scope.at(frame));
        Ok((Node { id, value, scope, ..node.clone() }, *argument))
    }

    /// The members of a pool.
    pub(super) fn pool_row(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        pad: u64,
    ) -> Able<TokenStream> {
        let Type::Array(array) = row.ty.stripped() else {
            return unable("a pool that is no array");
        };
        let text = PoolText::of(&array.element)?;
        let text = text.tokens(&|int| self.is_big(node, int), pad);
        let made = made_name(node.id, id);
        // That the number is right is checked where it is said to be the number of members.
        let said = match &array.length {
            ArrayLength::Count(count) if !self.counts_members(node, *count, id) => {
                let (of, count) = self.said_by_argument(node, *count)?;
                let late = Gathered(self);
                let scope = Scope { late: Some(&late), ..of.scope.clone() };
                let count = self.unfolded_number((&of, &scope), count, 0)?;
                Some(quote!(s::holds(s::length(#count)? == #made.count())?;))
            }
            _ => None,
        };
        Ok(quote!(#said cx.pool(&#made, &#text)?;))
    }

    /// Whether an expression is the number of members, as a row that follows from it has it.
    fn counts_members(&self, node: &Node<'m>, count: ExprId, pool: RowId) -> bool {
        let path = match &self.model[count] {
            Expr::Path(path) => path,
            Expr::Binary(_, a, b) => match (&self.model[*a], &self.model[*b]) {
                (Expr::Path(path), _) if self.model.exprs.constant(*b).is_some() => path,
                (_, Expr::Path(path)) if self.model.exprs.constant(*a).is_some() => path,
                _ => return false,
            },
            _ => return false,
        };
        let Some(row) = self.own_row(node, path) else { return false };
        node.row(row).definers.iter().any(|definer| {
            matches!(
                &definer.source,
                DefinerSource::Measure { measure: Measure::Count, row, .. }
                    if *row == pool
            )
        })
    }
}
