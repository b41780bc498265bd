//! Numbers that follow from addresses: they are stored when everything is placed.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::spot::{Spot, in_block, position};
use super::writer::{Counting, LateRow, Node, Writer, numbered};
use crate::model::{
    Cell, Definer, DefinerScope, DefinerSource, Expr, ExprId, Measure, Member, Model, Path,
    RecordId, Role, RowId, RowKind, Start, Step, Storage, Type,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, Unable, unable};
use crate::rust::straight::anchors::{Anchor, Anchors};
use crate::rust::straight::context::Straight;
use crate::rust::straight::equations::givers;
use crate::rust::straight::operators::{added, known, solved};
use crate::rust::straight::scope::{Access, Frame, It, Late, Scope};

/// Addresses of what is placed.
pub(super) struct Addresses<'a, 'p, 'm> {
    pub straight: &'a Straight<'p, 'm>,
    pub view: &'m Model,
    pub anchors: &'a Anchors,
    /// Whether everything is placed.
    pub finished: bool,
}

/// What is known as soon as pools have their members: how many these are.
pub(super) struct Gathered<'a, 's, 'p, 'm>(pub &'a Writer<'s, 'p, 'm>);

impl Late for Gathered<'_, '_, '_, '_> {
    fn address(&self, scope: &Scope<'_>, expr: ExprId) -> Able<TokenStream> {
        Counting.address(scope, expr)
    }

    fn has_addresses(&self) -> bool {
        false
    }

    fn steps(&self, list: &TokenStream) -> Option<TokenStream> {
        Counting.steps(list)
    }

    fn member_count(&self, scope: &Scope<'_>, path: &Path) -> Option<TokenStream> {
        self.0.straight.member_count(&self.0.anchors, scope, path)
    }
}

/// What a reader sees in the finished file.
struct Seen<'a, 's, 'p, 'm> {
    writer: &'a Writer<'s, 'p, 'm>,
    root: &'a Node<'m>,
}

impl Late for Seen<'_, '_, '_, '_> {
    fn address(&self, scope: &Scope<'_>, expr: ExprId) -> Able<TokenStream> {
        let Writer { straight, anchors, .. } = self.writer;
        let view = self.root.view;
        match anchors.side(view, expr, self.root.id) {
            // What is not there has no address.
            Some((number, end)) => Ok(quote!(cx.only_if_any(#number, #end)?)),
            None => Addresses { straight, view, anchors, finished: true }.address(scope, expr),
        }
    }

    fn is_listed(&self, path: &Path) -> Able<TokenStream> {
        match self.writer.anchors.place(path, self.root.id) {
            Some((record, row)) if record == self.root.id => self.writer.is_listed(self.root, row),
            _ => unable("whether a pointer farther in is listed"),
        }
    }
}

impl Late for Addresses<'_, '_, '_> {
    fn member_count(&self, scope: &Scope<'_>, path: &Path) -> Option<TokenStream> {
        self.straight.member_count(self.anchors, scope, path).filter(|_| self.finished)
    }

    fn address(&self, scope: &Scope<'_>, expr: ExprId) -> Able<TokenStream> {
        let Some(this) = scope.frames.last() else { return unable("no node") };
        let here = |path: &Path| path.steps.is_empty() && path.start.is_in(this.record);
        match &self.view[expr] {
            Expr::FileEnd if self.finished => Ok(quote!(rt::Some(i128::from(cx.here())))),
            Expr::At(path) if here(path) => match &this.at {
                Some(at) => Ok(quote!(rt::Some(i128::from(#at)))),
                None => unable("an address of a node"),
            },
            Expr::At(path) => self.side(scope, path, false),
            Expr::End(path) => self.side(scope, path, true),
            Expr::Size(path) => {
                let (at, end) = (self.side(scope, path, false)?, self.side(scope, path, true)?);
                Ok(quote!(s::subtract(#end, #at)?))
            }
            _ => unable("an address of another kind"),
        }
    }
}

impl Addresses<'_, '_, '_> {
    fn side(&self, scope: &Scope<'_>, path: &Path, end: bool) -> Able<TokenStream> {
        let Some(this) = scope.frames.last() else { return unable("no node") };
        let Some((anchor, index)) = self.anchors.anchor(path, this.record) else {
            return unable(format!("address of `{}`", path.text));
        };
        let number = self.anchors.number(anchor).filter(|number| self.anchors.is_late(*number));
        let Some(number) = number else {
            return unable(format!("address of `{}`", path.text));
        };
        match (anchor, index) {
            // What is not there has no address.
            (Anchor::Whole(..), _) => Ok(quote!(cx.only_if_any(#number, #end)?)),
            (Anchor::Elements(record, row), Some(step)) => {
                let Some(value) = scope.value_of(record) else {
                    return unable("an array elsewhere");
                };
                let Some(field) = self.straight.shapes.field(record, row) else {
                    return unable("an array without a field");
                };
                let (Shape::List(inner) | Shape::Fixed(inner, _)) = &field.shape else {
                    return unable("an array of another Rust type");
                };
                if matches!(**inner, Shape::Option(_)) {
                    return unable("an array of what may not be there");
                }
                let ident = &field.ident;
                let list = self.straight.reached(&field.shape, &quote!((&#value.#ident)));
                let count = quote!(#list.len());
                let index = match step {
                    Step::Index(index) => self.straight.number(scope, self.view, *index)?,
                    _ => quote!(rt::Some(#count as i128 - 1)),
                };
                Ok(quote!(cx.one_of(#number, #count, #index, #end)?))
            }
            (Anchor::Elements(..), None) => unable("addresses of all elements"),
        }
    }
}

impl<'m> Writer<'_, '_, 'm> {
    /// A number that is stored when everything is placed: that of the row `said`.
    pub(super) fn later(
        &self,
        node: &Node<'m>,
        id: RowId,
        said: RowId,
        cell: &'m Cell,
        spot: &Spot,
        why: Unable,
    ) -> Able<TokenStream> {
        let Storage::Fixed(int) = cell.storage else { return Err(why) };
        let (way, big) = (node.way.clone(), self.is_big(node, &int));
        let late = LateRow { record: node.id, row: id, said, way, big };
        if self.late_number(node.view, &late).is_err() || !node.row(id).none.is_empty() {
            return Err(why);
        }
        let number = numbered(&self.late, late);
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let (at, index) = (&node.at, node.index.clone().unwrap_or(quote!(usize::MAX)));
        Ok(match spot {
            Spot::Block(offset) => {
                let place = position(offset);
                quote!(cx.later(#number, #place, #at, #index);)
            }
            Spot::End => {
                let width = usize::from(int.bytes);
                in_block(width, &quote!(cx.later(#number, at, #at, #index);))
            }
        })
    }

    /// What is stored for such a row: an `Option<i128>`.
    fn late_number(&self, view: &'m Model, late: &LateRow) -> Able<TokenStream> {
        let root = self.model.root;
        let addresses =
            Addresses { straight: self.straight, view, anchors: &self.anchors, finished: true };
        let frame = |record, access, at, index| Frame { record, access, at: Some(at), index };
        let outer = frame(root, Access::Value(quote!(v)), quote!(0_u64), None);
        let around = Scope { frames: vec![outer.clone()], it: None, late: Some(&addresses) };
        let own = if late.record == root {
            around.clone()
        } else {
            around.within(frame(late.record, Access::Early, quote!(at), Some(quote!(index))))
        };
        let rows = &view.records[late.record.index()].rows;
        let (row, said) = (&rows[late.row.index()], &rows[late.said.index()]);
        let expr = |expr: ExprId| -> Able<TokenStream> {
            if late.record != root && !self.is_rooted(view, expr, late.record) {
                return unable("a number that follows from addresses and values");
            }
            self.straight.number(&own, view, expr)
        };
        let number = match &said.role {
            Role::Kept(e) => expr(*e)?,
            _ => {
                let given = givers(&said.definers, &late.way, late.said).collect::<Vec<_>>();
                let (record, source) = match (said.definers.as_slice(), given.as_slice()) {
                    ([Definer { scope: DefinerScope::Own, source, .. }], _) => {
                        (late.record, source)
                    }
                    (_, [(owner, source)]) if *owner == root => (root, *source),
                    _ => return unable("several equations"),
                };
                match source {
                    DefinerSource::Expr(e) if record == root => {
                        self.straight.number(&around, view, *e)?
                    }
                    DefinerSource::Expr(e) => expr(*e)?,
                    DefinerSource::Measure { measure, row, factor, offset } => {
                        let number = self
                            .anchors
                            .whole(record, *row)
                            .or_else(|| self.anchors.inline(record, *row))
                            .filter(|number| self.anchors.is_late(*number));
                        let Some(number) = number else {
                            return unable("a measure of what is there more than once");
                        };
                        let measured = match measure {
                            Measure::At(base) => {
                                let base = expr(*base)?;
                                quote!(s::subtract(cx.only(#number, false)?, #base)?)
                            }
                            Measure::End => quote!(cx.only(#number, true)?),
                            Measure::Size => {
                                quote!(s::subtract(cx.only(#number, true)?, cx.only(#number, false)?)?)
                            }
                            _ => return unable("a measure of another kind"),
                        };
                        solved(&known(&measured), *factor, *offset)
                    }
                }
            }
        };
        let (number, rules) = (added(number, row.plus), self.late_rules(view, &outer, late)?);
        Ok(match rules.is_empty() {
            true => number,
            false => {
                let plus = Literal::i128_suffixed(row.plus);
                quote!({
                    let number: rt::Option<i128> = #number;
                    let it: i128 = s::known(number)? - #plus;
                    #rules
                    number
                })
            }
        })
    }

    /// The rules of such a row, if nobody could look at them before: of `it`, in the root.
    fn late_rules(&self, view: &'m Model, root: &Frame, late: &LateRow) -> Able<TokenStream> {
        if !self.straight.is_ruled_late(view, late.record, late.row) {
            return Ok(TokenStream::new());
        }
        let frames = match late.record == self.model.root {
            true => vec![root.clone()],
            // Its values are not at hand any more.
            false => Vec::new(),
        };
        let scope = Scope { frames, it: Some(It::Number(quote!(it))), late: None };
        let checks = &view.records[late.record.index()].rows[late.row.index()].checks;
        checks.iter().map(|check| self.checking.rule(&scope, view, check)).collect()
    }

    /// Whether an expression in a record looks at nothing but addresses, numbers of members and what
    /// the root leads to.
    fn is_rooted(&self, model: &Model, expr: ExprId, this: RecordId) -> bool {
        let expr = &model[expr];
        let mut rooted = match expr {
            Expr::Path(path) | Expr::Is(path, _) => {
                matches!(path.start, Start::Root)
                    || self.straight.only_pool(&self.anchors, path, this).is_some()
            }
            Expr::At(path) | Expr::End(path) | Expr::Size(path) => {
                path.steps.iter().all(|step| match step {
                    Step::Index(index) => self.is_rooted(model, *index, this),
                    _ => true,
                })
            }
            _ => true,
        };
        expr.operands(&mut |operand| rooted &= self.is_rooted(model, operand, this));
        rooted
    }

    /// Code that looks for the objects of the root as a reader does.
    pub(super) fn found_objects(&self) -> Able<TokenStream> {
        let root = self.model.root;
        let straight = self.straight;
        self.by_epoch(|view, epoch| {
            let node = self.node(view, epoch, self.big(), root, quote!(v), None);
            let addresses = Addresses { straight, view, anchors: &self.anchors, finished: true };
            let scope = Scope { late: Some(&addresses), ..node.scope.clone() };
            let mut tokens = TokenStream::new();
            for (id, row) in straight.found_objects() {
                if matches!(row.homes.get(epoch), Some(crate::model::Home::Absent)) {
                    continue;
                }
                let RowKind::Object { address, .. } = row.kind else { continue };
                if self.is_address_of(view, address, id) {
                    continue;
                }
                let Some(number) = self.anchors.whole(root, id) else {
                    return unable("an object that is at no known place");
                };
                let found = straight.object_address(&scope, view, row, address)?;
                let found = quote!(let found: rt::Option<i128> = #found;);
                let here = quote!(s::holds(found == cx.only(#number, false)?)?;);
                let shape = straight.shapes.field(root, id).map(|field| field.shape.clone());
                let field = self.field(&node, id).map(|src| src.code);
                tokens.extend(match (shape, field) {
                    (Some(Shape::Option(_)), Some(field)) => quote! {
                        #found
                        if #field.is_some() { #here } else { s::holds(found.is_none())?; }
                    },
                    // Without data it is there if a reader finds it.
                    _ if row.when.is_some() => quote!(#found if found.is_some() { #here }),
                    _ => quote!(#found #here),
                });
            }
            Ok(tokens)
        })
    }

    /// Whether an expression is a row of which it is said that it is the address of this object of
    /// the root.
    fn is_address_of(&self, view: &'m Model, expr: ExprId, object: RowId) -> bool {
        let Expr::Path(path) = &view[expr] else { return false };
        if !matches!(path.start, Start::This | Start::Root) {
            return false;
        }
        let root = self.model.root;
        let (mut record, mut way) = (root, Vec::new());
        for step in &path.steps {
            let Step::Field(field) = step else { return false };
            let members = field.members.iter().find(|(of, _)| *of == record);
            let Some((_, [Member::Row(row)])) = members.map(|(of, all)| (of, all.as_slice()))
            else {
                return false;
            };
            way.push((record, *row));
            if let Type::Record(inner) = &view.records[record.index()].rows[row.index()].ty {
                record = *inner;
            }
        }
        let Some((record, row)) = way.pop() else { return false };
        let said = &view.records[record.index()].rows[row.index()];
        let mut given = givers(&said.definers, &way, row);
        said.plus == 0
            && given.any(|(owner, source)| match source {
                DefinerSource::Expr(expr) => match &view[*expr] {
                    Expr::At(path) => self.anchors.place(path, owner) == Some((root, object)),
                    _ => false,
                },
                DefinerSource::Measure { .. } => false,
            })
    }

    /// Code that gives up if a reader would see another value in the file than one that it tries.
    pub(super) fn seen_values(&self) -> Able<TokenStream> {
        let root = self.model.root;
        self.by_epoch(|view, epoch| {
            let node = self.node(view, epoch, self.big(), root, quote!(v), None);
            let node = Node { at: quote!(0_u64), ..node };
            let late = Seen { writer: self, root: &node };
            let scope = Scope { late: Some(&late), ..node.scope.clone() };
            let mut tokens = TokenStream::new();
            for (id, row) in view.records[root.index()].numbered_rows() {
                let RowKind::Value { seen: Some(seen) } = row.kind else { continue };
                if self.is_seen_at_last(root, row, seen) {
                    tokens.extend(self.seen((&node, &scope), id, row, seen)?);
                }
            }
            Ok(tokens)
        })
    }

    /// Code that stores all such numbers.
    pub(super) fn late_rows(&self) -> Able<TokenStream> {
        let rows = self.late.borrow().clone();
        if rows.is_empty() {
            return Ok(quote!());
        }
        let mut arms = TokenStream::new();
        for (number, late) in (0_u32..).zip(rows) {
            let body = self.by_epoch(|view, epoch| {
                let row = &view.records[late.record.index()].rows[late.row.index()];
                let here = matches!(
                    row.homes.get(epoch),
                    Some(crate::model::Home::At(_) | crate::model::Home::Next)
                );
                // In other layouts it may be data.
                let (Type::Cell(Cell { storage: Storage::Fixed(int), .. }), Ok(n), true) =
                    (&row.ty, self.late_number(view, &late), here)
                else {
                    return Ok(quote!(return rt::Err(s::Odd);));
                };
                let (width, signed, big) = (int.bytes, int.signed, late.big);
                // What follows from nothing is stored as none, or zero.
                let nothing = n.to_string().contains("only_if_any").then(|| {
                    let none = Literal::i128_unsuffixed(row.none.first().copied().unwrap_or(0));
                    quote!(let n = n.or(rt::Some(#none));)
                });
                Ok(quote! {
                    let n: rt::Option<i128> = #n;
                    #nothing
                    cx.fill(late.spot, #width, #big, #signed, n)?;
                })
            })?;
            arms.extend(quote!(#number => { #body }));
        }
        Ok(quote! {
            for late in cx.take_late()? {
                let (at, index) = (late.at, late.index);
                match late.row { #arms _ => return rt::Err(s::Odd), }
            }
        })
    }
}
