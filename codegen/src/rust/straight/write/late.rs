//! Numbers that follow from addresses: they are stored when everything is placed.

use proc_macro2::Literal;

use super::behind::{Measured, equation};
use super::derive::givers;
use super::spot::{Spot, in_block, position};
use super::*;
use crate::model::{
    Cell, Definer, DefinerScope, DefinerSource, Expr, ExprId, Measure, Member, Path, Role, RowKind,
    Start, Step, Storage,
};
use crate::rust::straight::Unable;
use crate::rust::straight::expr::Late;
use crate::rust::visit::{Part, expressions};

/// A row whose number is stored in the end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LateRow {
    record: RecordId,
    row: RowId,
    /// The row whose number it is.
    said: RowId,
    /// What leads to the record, as in [`Node`].
    way: Vec<(RecordId, RowId)>,
    big: bool,
}

/// A place in the file that expressions ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Anchor {
    /// What is in a row, or behind its pointer.
    Whole(RecordId, RowId),
    /// What the pointers in a row's array lead to.
    Elements(RecordId, RowId),
}

/// What a number in a record measures, and the row that leads there.
pub(super) struct Way {
    pub first: RowId,
    pub anchor: usize,
}

/// All such places.
pub(in crate::rust::straight) struct Anchors {
    list: Vec<Anchor>,
    /// How many of them are there once in each file; the others are asked for in one record only.
    unique: usize,
    /// For each record the only row that holds it, if there is only one and that is no array.
    only: BTreeMap<RecordId, (RecordId, RowId)>,
    root: RecordId,
    /// The record in a row, or behind its pointer.
    inner: BTreeMap<(RecordId, RowId), RecordId>,
    /// Rows of which addresses are those of something else.
    away: BTreeSet<(RecordId, RowId)>,
}

impl Anchors {
    pub fn new(straight: &Straight<'_, '_>) -> Anchors {
        let model = straight.model;
        let mut anchors = Anchors {
            list: Vec::new(),
            unique: 0,
            only: BTreeMap::new(),
            root: model.root,
            inner: BTreeMap::new(),
            away: BTreeSet::new(),
        };
        let mut holders: BTreeMap<RecordId, Vec<(RecordId, RowId, bool)>> = BTreeMap::new();
        for (id, record) in model.records() {
            for (row_id, row) in record.numbered_rows() {
                let mut found = Vec::new();
                records_in(model, &row.ty, false, &mut found);
                if let [(record, false)] = found.as_slice() {
                    anchors.inner.insert((id, row_id), *record);
                }
                if leads_away(&row.ty) || matches!(row.kind, RowKind::Object { .. }) {
                    anchors.away.insert((id, row_id));
                }
                for (record, array) in found {
                    holders.entry(record).or_default().push((id, row_id, array));
                }
            }
        }
        for (record, holders) in holders {
            if let [(holder, row, false)] = holders.as_slice() {
                anchors.only.insert(record, (*holder, *row));
            }
        }
        let mut list = Vec::new();
        expressions(model, &mut |id, part| {
            if let Part::Expr(expr) = part {
                anchors.collect(model, expr, id, &mut list);
            }
        });
        for (id, record) in model.records() {
            for definer in record.rows.iter().flat_map(|row| &row.definers) {
                if let (DefinerScope::Own, DefinerSource::Measure { measure, row, .. }) =
                    (&definer.scope, &definer.source)
                    && matches!(measure, Measure::At(_) | Measure::End | Measure::Size)
                    && anchors.away.contains(&(id, *row))
                {
                    list.push(Anchor::Whole(id, *row));
                }
            }
        }
        let found = straight.found_objects().map(|(row, _)| Anchor::Whole(model.root, row));
        list.extend(found);
        list.sort();
        list.dedup();
        list.retain(|anchor| match anchor {
            Anchor::Whole(record, _) | Anchor::Elements(record, _) => anchors.is_unique(*record),
        });
        anchors.unique = list.len();
        anchors.list = list;
        anchors.add_ways(model);
        anchors
    }

    /// Adds what numbers measure of what their own record leads to.
    fn add_ways(&mut self, model: &Model) {
        let mut found = BTreeSet::new();
        for (id, record) in model.records() {
            for definer in record.rows.iter().flat_map(|row| &row.definers) {
                if let (DefinerScope::Own, Some(equation)) =
                    (&definer.scope, equation(model, &definer.source))
                    && let Some((_, anchor)) = self.measured(&equation.of, id)
                {
                    found.insert(anchor);
                }
            }
        }
        found.retain(|anchor| !self.list.contains(anchor));
        self.list.extend(found);
    }

    /// What an equation in a record measures of what that leads to, and the row that leads there.
    fn measured(&self, of: &Measured<'_>, record: RecordId) -> Option<(RowId, Anchor)> {
        let (first, anchor) = match of {
            Measured::Row(row) => (*row, Anchor::Whole(record, *row)),
            Measured::Path(path) => {
                let here = match &path.start {
                    Start::This => true,
                    Start::Enclosing(records) => records.contains(&record),
                    _ => false,
                };
                let Some(Step::Field(field)) = path.steps.first().filter(|_| here) else {
                    return None;
                };
                let (_, members) = field.members.iter().find(|(of, _)| *of == record)?;
                let [Member::Row(first)] = members.as_slice() else { return None };
                match self.anchor(path, record)? {
                    (anchor @ Anchor::Whole(..), None) => (*first, anchor),
                    _ => return None,
                }
            }
        };
        self.away.contains(&(record, first)).then_some((first, anchor))
    }

    /// The way to what an equation measures of what its record leads to.
    pub(super) fn way(&self, of: &Measured<'_>, record: RecordId) -> Option<Way> {
        let (first, anchor) = self.measured(of, record)?;
        Some(Way { first, anchor: self.number(anchor)? })
    }

    /// Whether numbers that follow from an anchor are stored when everything is placed.
    pub fn is_late(&self, number: usize) -> bool {
        number < self.unique
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether there is exactly one node of a record in every file.
    fn is_unique(&self, record: RecordId) -> bool {
        let mut record = record;
        for _ in 0..64 {
            if record == self.root {
                return true;
            }
            match self.only.get(&record) {
                Some((holder, _)) => record = *holder,
                None => return false,
            }
        }
        false
    }

    fn collect(&self, model: &Model, expr: ExprId, id: RecordId, list: &mut Vec<Anchor>) {
        let expr = &model[expr];
        if let Expr::At(path) | Expr::End(path) | Expr::Size(path) = expr
            && let Some((anchor, _)) = self.anchor(path, id)
        {
            list.push(anchor);
        }
        expr.operands(&mut |operand| self.collect(model, operand, id, list));
    }

    /// The row that a path from the root leads to.
    pub fn place(&self, path: &Path, this: RecordId) -> Option<(RecordId, RowId)> {
        match self.anchor(path, this)? {
            (Anchor::Whole(record, row), None) => Some((record, row)),
            _ => None,
        }
    }

    /// The number of the only place in a file whose begin or end an expression is, and whether it is
    /// the end.
    pub fn side(&self, model: &Model, expr: ExprId, this: RecordId) -> Option<(usize, bool)> {
        let (path, end) = match &model[expr] {
            Expr::At(path) => (path, false),
            Expr::End(path) => (path, true),
            _ => return None,
        };
        let (anchor, None) = self.anchor(path, this)? else { return None };
        let number = self.number(anchor).filter(|number| self.is_late(*number))?;
        Some((number, end))
    }

    /// The number of what is in a row, wherever that is, if it is there once in a file.
    pub fn of_row(&self, record: RecordId, row: RowId) -> Option<usize> {
        self.number(Anchor::Whole(record, row)).filter(|number| self.is_late(*number))
    }

    /// The anchor that a path leads to, and the step that chooses an element.
    fn anchor<'e>(&self, path: &'e Path, this: RecordId) -> Option<(Anchor, Option<&'e Step>)> {
        let mut record = match &path.start {
            Start::This => this,
            Start::Root => self.root,
            Start::Enclosing(records) if records.contains(&this) => this,
            Start::Enclosing(records) if records.as_slice() == [self.root] => self.root,
            Start::Enclosing(records)
                if let [only] = records.as_slice()
                    && self.is_unique(*only) =>
            {
                *only
            }
            _ => return None,
        };
        let mut found = None;
        let mut steps = path.steps.iter().peekable();
        while let Some(step) = steps.next() {
            let Step::Field(field) = step else { return None };
            let (_, members) = field.members.iter().find(|(of, _)| *of == record)?;
            let [Member::Row(row)] = members.as_slice() else { return None };
            if matches!(steps.peek(), Some(Step::Index(_) | Step::Last)) {
                let index = steps.next();
                return steps.next().is_none().then_some((Anchor::Elements(record, *row), index));
            }
            found = Some(Anchor::Whole(record, *row));
            if steps.peek().is_some() {
                record = *self.inner.get(&(record, *row))?;
            }
        }
        found.map(|anchor| (anchor, None))
    }

    fn number(&self, anchor: Anchor) -> Option<usize> {
        self.list.iter().position(|known| *known == anchor)
    }

    /// Number of the anchor of an inline row.
    pub fn inline(&self, record: RecordId, row: RowId) -> Option<usize> {
        self.number(Anchor::Whole(record, row)).filter(|_| !self.away.contains(&(record, row)))
    }

    /// Number of the anchor of what a row's pointer leads to, or of an object.
    pub fn whole(&self, record: RecordId, row: RowId) -> Option<usize> {
        self.number(Anchor::Whole(record, row)).filter(|_| self.away.contains(&(record, row)))
    }

    /// Number of the anchor of what the pointers in an array lead to.
    pub fn elements(&self, record: RecordId, row: RowId) -> Option<usize> {
        self.number(Anchor::Elements(record, row))
    }
}

/// Records in a type, inline or behind pointers, and whether each is in an array or union.
fn records_in(model: &Model, ty: &Type, many: bool, found: &mut Vec<(RecordId, bool)>) {
    match ty {
        Type::Record(record) => found.push((*record, many)),
        Type::Union(union) => {
            for case in &model.unions[union.index()].cases {
                found.push((case.record, true));
                found.extend(case.forms.iter().map(|form| (form.record, true)));
            }
        }
        Type::Array(array) => records_in(model, &array.element, true, found),
        Type::Region(region) => records_in(model, &region.inner, many, found),
        Type::PerEpoch(types) => {
            // One and the same in all layouts, or nothing to rely on.
            let mut all = Vec::new();
            types.iter().for_each(|ty| records_in(model, ty, many, &mut all));
            all.sort();
            all.dedup();
            let several = all.len() > 1;
            found.extend(all.into_iter().map(|(record, many)| (record, many || several)));
        }
        Type::Pointer(pointer) => {
            if let crate::model::Target::Own(target) = &pointer.target {
                records_in(model, target, many, found);
            }
        }
        _ => {}
    }
}

fn leads_away(ty: &Type) -> bool {
    match ty.stripped() {
        Type::Pointer(_) => true,
        Type::PerEpoch(types) => types.iter().any(leads_away),
        _ => false,
    }
}

/// Addresses of what is placed.
pub(super) struct Addresses<'a, 'p, 'm> {
    pub straight: &'a Straight<'p, 'm>,
    pub view: &'m Model,
    pub anchors: &'a Anchors,
    /// Whether everything is placed.
    pub finished: bool,
}

/// What the writer knows while it writes: no addresses, but it counts steps.
pub(super) struct Counting;

impl Late for Counting {
    fn address(&self, _: &Scope<'_>, _: ExprId) -> Able<TokenStream> {
        unable("an address that is not known yet")
    }

    fn has_addresses(&self) -> bool {
        false
    }

    fn steps(&self, list: &TokenStream) -> Option<TokenStream> {
        Some(quote!(cx.steps(#list.len())?;))
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
    fn address(&self, scope: &Scope<'_>, expr: ExprId) -> Able<TokenStream> {
        let Some(this) = scope.frames.last() else { return unable("no node") };
        let here = |path: &Path| {
            path.steps.is_empty()
                && match &path.start {
                    Start::This => true,
                    Start::Enclosing(records) => records.contains(&this.record),
                    _ => false,
                }
        };
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
        let number = {
            let mut rows = self.late.borrow_mut();
            let known = rows.iter().position(|known| *known == late);
            known.unwrap_or_else(|| {
                rows.push(late.clone());
                rows.len() - 1
            })
        };
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
        let around = Scope { frames: vec![outer], it: None, late: Some(&addresses) };
        let own = if late.record == root {
            around.clone()
        } else {
            around.within(frame(late.record, Access::Early, quote!(at), Some(quote!(index))))
        };
        let rows = &view.records[late.record.index()].rows;
        let (row, said) = (&rows[late.row.index()], &rows[late.said.index()]);
        let expr = |expr: ExprId| -> Able<TokenStream> {
            if late.record != root && !is_rooted(view, expr) {
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
                        let (factor, offset) =
                            (Literal::i128_suffixed(*factor), Literal::i128_suffixed(*offset));
                        quote!(s::solved(s::known(#measured)?, #factor, #offset)?)
                    }
                }
            }
        };
        Ok(match row.plus {
            0 => number,
            plus => {
                let plus = Literal::i128_suffixed(plus);
                quote!(s::add(#number, rt::Some(#plus))?)
            }
        })
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
                let RowKind::Object { address } = row.kind else { continue };
                if self.is_address_of(view, address, id) {
                    continue;
                }
                let Some(number) = self.anchors.whole(root, id) else {
                    return unable("an object that is at no known place");
                };
                let found = straight.number(&scope, view, address)?;
                let here = quote! {
                    let found: rt::Option<i128> = #found;
                    s::holds(found == cx.only(#number, false)?)?;
                };
                let shape = straight.shapes.field(root, id).map(|field| field.shape.clone());
                let field = self.field(&node, id).map(|src| src.code);
                tokens.extend(match (shape, field, &row.when) {
                    (Some(Shape::Option(_)), Some(field), when) => {
                        let none = quote! {
                            let found: rt::Option<i128> = #found;
                            s::holds(found.is_none())?;
                        };
                        let none = match when {
                            Some(when) => {
                                let holds = straight.truth(&scope, view, *when)?;
                                quote!(if #holds { #none })
                            }
                            None => none,
                        };
                        quote!(if #field.is_some() { #here } else { #none })
                    }
                    (_, _, None) => here,
                    _ => return unable("an object with a condition of another Rust type"),
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
                let (RowKind::Value { seen: Some(seen) }, true) =
                    (&row.kind, self.straight.is_tried(root, row))
                else {
                    continue;
                };
                let Some(src) = self.field(&node, id) else { continue };
                let (code, seen) = (src.code, self.straight.option(&scope, view, *seen)?);
                tokens.extend(quote!(s::holds(#seen == rt::Some(*#code))?;));
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
                let Type::Cell(Cell { storage: Storage::Fixed(int), .. }) = row.ty else {
                    return Ok(quote!(return rt::Err(s::Odd);));
                };
                if !here {
                    return Ok(quote!(return rt::Err(s::Odd);));
                }
                let n = self.late_number(view, &late)?;
                let (width, signed, big) = (int.bytes, int.signed, late.big);
                Ok(quote! {
                    let n: rt::Option<i128> = #n;
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

/// Whether an expression looks at nothing but addresses and what the root leads to.
fn is_rooted(model: &Model, expr: ExprId) -> bool {
    let expr = &model[expr];
    let mut rooted = match expr {
        Expr::Path(path) | Expr::Is(path, _) => matches!(path.start, Start::Root),
        Expr::At(path) | Expr::End(path) | Expr::Size(path) => {
            path.steps.iter().all(|step| match step {
                Step::Index(index) => is_rooted(model, *index),
                _ => true,
            })
        }
        _ => true,
    };
    expr.operands(&mut |operand| rooted &= is_rooted(model, operand));
    rooted
}
