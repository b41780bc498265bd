//! Follows paths through the tree.

use alloc::format;
use alloc::rc::Rc;

use super::chains::Chain;
use super::item::{ArrayRef, Blob, Item, Loc, NodeRef};
use super::state::Engine;
use super::val::{eval_error, Fallible, Val};
use crate::model::{BinaryOp, Expr, ExprId, Field, Member, Path, RecordId, RowId, Start, Step};

/// What a path leads to is given to this, one place after the other, until it says `false`.
pub(crate) type Visit<'v, 'p, 'b> = dyn FnMut(&mut Engine<'p, 'b>, Val) -> Fallible<bool> + 'v;

/// How a path goes on from elements of a record: along a chain, or by members.
type Onward<'p> = (RecordId, &'p [Member], Option<Rc<Chain<'p>>>);

/// The first of what a path leads to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    /// [`Val::None`] if it leads to nothing.
    pub first: Val,
    /// Whether there is more than that.
    pub more: bool,
    /// Whether the path went through an array.
    pub many: bool,
}

/// How far steps lead without going through arrays, references and definitions.
enum Ahead<'p> {
    /// To their end.
    At(Val),
    /// To nothing.
    Nothing,
    /// From here on there may be several ways.
    Before(Val, &'p [Step]),
}

/// Where a path begins.
enum Begin {
    At(Val),
    Nowhere,
    /// With what an argument of a record is, in the node that holds the record, and `it` there.
    Argument(ExprId, NodeRef, Option<Val>),
}

/// What of a path is the same for all its steps.
#[derive(Clone, Copy)]
struct Way {
    this: NodeRef,
    it: Option<Val>,
}

impl<'p, 'b> Engine<'p, 'b> {
    /// Gives everything that a path leads to, in order; `many` becomes true if it goes through an
    /// array. Says whether the visitor wants more.
    pub(crate) fn walk(
        &mut self,
        path: &'p Path,
        this: NodeRef,
        it: Option<Val>,
        many: &mut bool,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        let way = Way { this, it };
        let steps = &path.steps;
        match self.start_of(path, way)? {
            Begin::At(start) => self.steps(steps, start, way, many, visit),
            Begin::Nowhere => Ok(true),
            Begin::Argument(argument, owner, it) => self.deeper(|engine| {
                let mut inside = false;
                let more =
                    engine.walk_expr(argument, owner, it, &mut inside, &mut |engine, val| {
                        engine.steps(steps, val, way, many, visit)
                    })?;
                *many |= inside;
                Ok(more)
            }),
        }
    }

    /// The same of the steps of a path that are left at a node.
    pub(crate) fn walk_on(
        &mut self,
        steps: &'p [Step],
        node: NodeRef,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<()> {
        self.steps(steps, Val::Node(node), Way { this: node, it: None }, &mut false, visit)?;
        Ok(())
    }

    /// What a path leads to, if it goes through records inline and pointers that were followed, to a
    /// number, truth value or text, as most paths do.
    pub(crate) fn near(&mut self, path: &'p Path, this: NodeRef) -> Fallible<Option<Val>> {
        let mut node = match path.start {
            Start::This => this,
            Start::It => return Ok(None),
            Start::Argument(_) => return self.near_argument(path, this),
            _ => match self.start_of(path, Way { this, it: None })? {
                Begin::At(Val::Node(node)) => node,
                _ => return Ok(None),
            },
        };
        let mut steps = path.steps.iter();
        let mut record = self.tree.record_id(node);
        while let Some(Step::Field(field)) = steps.next() {
            let row = match field.way_in(record) {
                [Member::Row(row)] => row,
                [Member::Let(index)] if steps.len() == 0 => {
                    return self.near_definition(node, *index);
                }
                _ => break,
            };
            match self.tree.through(self.tree.row_entry(node, *row)) {
                Item::Node(inner) => {
                    (node, record) = (inner, self.tree.record_id(inner));
                    if self.model.records[record.index()].transparent.is_some() {
                        break;
                    }
                }
                item @ (Item::Int(_) | Item::Bool(_) | Item::Text(_)) if steps.len() == 0 => {
                    self.charge(path.steps.len() as u64 + 1)?;
                    return Ok(Some(self.tree.val(item)));
                }
                _ => break,
            }
        }
        Ok(None)
    }

    /// The same of a path that begins with an argument, if it is nothing else.
    fn near_argument(&mut self, path: &'p Path, this: NodeRef) -> Fallible<Option<Val>> {
        if !path.steps.is_empty() {
            return Ok(None);
        }
        match self.start_of(path, Way { this, it: None })? {
            Begin::Argument(argument, owner, it) => self.near_expr(argument, owner, it),
            _ => Ok(None),
        }
    }

    /// The same of a definition.
    fn near_definition(&mut self, node: NodeRef, index: u32) -> Fallible<Option<Val>> {
        match self.tree.record(node).lets.get(index as usize) {
            Some(definition) => self.near_expr(definition.expr, node, None),
            None => Ok(None),
        }
    }

    /// The same of what an argument or a definition stands for, unless that may be several things.
    fn near_expr(&mut self, expr: ExprId, node: NodeRef, it: Option<Val>) -> Fallible<Option<Val>> {
        match &self.model[expr] {
            Expr::Path(path) => self.deeper(|engine| engine.near(path, node)),
            Expr::Binary(BinaryOp::Concatenate, ..) | Expr::Coalesce(..) => Ok(None),
            Expr::If(condition, a, b) => {
                self.charge(1)?;
                let holds = self.deeper(|engine| engine.eval_bool(*condition, node, it))?;
                self.near_expr(if holds { *a } else { *b }, node, it)
            }
            _ => {
                self.charge(1)?;
                let val = self.deeper(|engine| engine.eval(expr, node, it))?;
                self.load(val).map(Some)
            }
        }
    }

    /// Where a path begins that leads to the same from there for everybody.
    pub(crate) fn fixed_start(&mut self, path: &Path, this: NodeRef) -> Option<NodeRef> {
        let fixed = !matches!(path.start, Start::It | Start::Argument(_))
            && path.steps.iter().all(|step| matches!(step, Step::Field(_)));
        match self.start_of(path, Way { this, it: None }) {
            Ok(Begin::At(Val::Node(node))) if fixed => Some(node),
            _ => None,
        }
    }

    /// Where a path begins.
    fn start_of(&mut self, path: &Path, way: Way) -> Fallible<Begin> {
        let mut node = way.this;
        match &path.start {
            Start::This => {}
            Start::Up(levels) => {
                for _ in 0..*levels {
                    match self.around(node) {
                        Some(owner) => node = owner,
                        None => return Ok(Begin::Nowhere),
                    }
                }
            }
            Start::Enclosing(records) => match self.enclosing(records, node)? {
                Some(found) => node = found,
                None => return Ok(Begin::Nowhere),
            },
            Start::Root => node = NodeRef::ROOT,
            Start::It => {
                return match way.it {
                    Some(val) => Ok(Begin::At(val)),
                    None => eval_error("`it` stands for nothing here"),
                };
            }
            Start::Argument(index) => {
                let argument = self.tree.record(node).arguments.get(*index as usize);
                return Ok(match (self.around(node), argument) {
                    (Some(owner), Some(argument)) => {
                        Begin::Argument(*argument, owner, self.describing(node)?)
                    }
                    _ => Begin::Nowhere,
                });
            }
        }
        Ok(Begin::At(Val::Node(node)))
    }

    fn steps(
        &mut self,
        steps: &'p [Step],
        val: Val,
        way: Way,
        many: &mut bool,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        if steps.is_empty() {
            return visit(self, val);
        }
        match self.advance(steps, val, way, many)? {
            Ahead::At(val) => visit(self, val),
            Ahead::Nothing => Ok(true),
            Ahead::Before(val, steps) => self.branch(steps, val, way, many, visit),
        }
    }

    /// Goes on where there may be several ways.
    fn branch(
        &mut self,
        steps: &'p [Step],
        val: Val,
        way: Way,
        many: &mut bool,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        let Some((step, rest)) = steps.split_first() else { return visit(self, val) };
        match step {
            Step::Field(field) => self.onto_field(val, field, rest, way, many, visit),
            Step::Index(index) => {
                let Some(index) = self.eval_int(*index, way.this, way.it)? else { return Ok(true) };
                match self.indexed(val, index, way.this)? {
                    Some(val) => self.steps(rest, val, way, many, visit),
                    None => Ok(true),
                }
            }
            Step::Last => {
                let Val::Loc(loc) = val else { return Ok(true) };
                self.force_known(loc)?;
                let count = i128::from(self.count_items(loc));
                match self.indexed(val, count - 1, way.this)? {
                    Some(val) => self.steps(rest, val, way, many, visit),
                    None => Ok(true),
                }
            }
        }
    }

    /// Goes from a node to a field, and on.
    fn member(
        &mut self,
        mut node: NodeRef,
        members: &'p [Member],
        rest: &'p [Step],
        way: Way,
        many: &mut bool,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        for member in members {
            self.charge(1)?;
            match member {
                Member::Row(row) => {
                    let val = Val::Loc(Loc::row(node, *row));
                    if !self.steps(rest, val, way, many, visit)? {
                        return Ok(false);
                    }
                }
                Member::Into(row) => match self.fetch(Loc::row(node, *row))? {
                    Item::Node(inner) => node = inner,
                    _ => return Ok(true),
                },
                Member::Let(index) => {
                    let lets = &self.tree.record(node).lets;
                    let Some(definition) = lets.get(*index as usize) else { continue };
                    let expr = definition.expr;
                    let more = self.deeper(|engine| {
                        let mut inside = false;
                        let more = engine.walk_expr(
                            expr,
                            node,
                            None,
                            &mut inside,
                            &mut |engine, val| engine.steps(rest, val, way, many, visit),
                        )?;
                        *many |= inside;
                        Ok(more)
                    })?;
                    if !more {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// What an expression leads to, as a stream if it is one.
    pub(crate) fn walk_expr(
        &mut self,
        expr: ExprId,
        this: NodeRef,
        it: Option<Val>,
        many: &mut bool,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        let model = self.model;
        match &model[expr] {
            Expr::Path(path) => self.walk(path, this, it, many, visit),
            Expr::Binary(BinaryOp::Concatenate, ..) => {
                *many = true;
                self.stream_of(expr, this, it, visit)
            }
            Expr::Coalesce(a, b) => {
                let mut inside = false;
                let mut there = false;
                self.walk_expr(*a, this, it, &mut inside, &mut |engine, val| {
                    there = !matches!(engine.load(val)?, Val::None);
                    Ok(!there)
                })?;
                let chosen = if there || inside { a } else { b };
                self.walk_expr(*chosen, this, it, many, visit)
            }
            Expr::If(condition, a, b) => {
                let chosen = if self.eval_bool(*condition, this, it)? { a } else { b };
                self.walk_expr(*chosen, this, it, many, visit)
            }
            _ => match self.eval(expr, this, it)? {
                Val::None => Ok(true),
                val => visit(self, val),
            },
        }
    }

    /// The elements that an expression names: of an array all, of anything else itself.
    pub(crate) fn stream_of(
        &mut self,
        expr: ExprId,
        this: NodeRef,
        it: Option<Val>,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        if let Some(chains) = {
            let about = (self.model, self.tree.plans());
            self.chains.of(about, expr, self.tree.record_id(this))
        } {
            // Where the rows of the chain before led to, and where the slots are there.
            let mut known: Option<(NodeRef, Option<usize>)> = None;
            for chain in &*chains {
                if !chain.same_node {
                    let node = self.down(&chain.rows[..chain.to_node], this)?;
                    known = node.map(|node| (node, self.tree.first_slot(node)));
                }
                let Some((node, slots)) = known else { continue };
                self.charge(1)?;
                let slot = slots.zip(chain.slot).map(|(first, slot)| first + usize::from(slot));
                if !slot.is_some_and(|slot| self.tree.is_empty_slot(slot))
                    && !self.chained(chain, node, visit)?
                {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        if let Expr::Binary(BinaryOp::Concatenate, a, b) = &self.model[expr] {
            return Ok(self.stream_of(*a, this, it, visit)? && self.stream_of(*b, this, it, visit)?);
        }
        self.walk_expr(expr, this, it, &mut false, &mut |engine, val| engine.elements(val, visit))
    }

    /// Gives the elements that a place names: of an array all, of a run of bytes these, of anything
    /// else itself.
    pub(crate) fn elements(&mut self, val: Val, visit: &mut Visit<'_, 'p, 'b>) -> Fallible<bool> {
        let loc = match val {
            Val::Loc(loc) => loc,
            Val::Bytes(blob) => {
                for at in 0..blob.len {
                    self.charge(1)?;
                    if !visit(self, Val::Byte(blob, at))? {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
            _ => return visit(self, val),
        };
        let Some(item) = self.fetch_finished(loc)? else {
            return self.elements_so_far(loc, visit);
        };
        match item {
            Item::Array(array) if loc.index().is_none() => {
                for index in 0..self.tree.count(array) {
                    self.charge(1)?;
                    if !visit(self, Val::Loc(loc.at(index)))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Item::Absent => Ok(true),
            _ => visit(self, val),
        }
    }

    /// Gives the elements so far of an array that is being read. If the visitor wants more, nobody
    /// knows what follows.
    fn elements_so_far(&mut self, loc: Loc, visit: &mut Visit<'_, 'p, 'b>) -> Fallible<bool> {
        for index in 0..self.tree.count_so_far(loc).unwrap_or(0) {
            self.charge(1)?;
            if !visit(self, Val::Loc(loc.at(index)))? {
                return Ok(false);
            }
        }
        self.what_follows(loc)
    }

    /// Of an array that is being read nobody knows what follows.
    pub(crate) fn what_follows(&self, array: Loc) -> Fallible<bool> {
        eval_error(format!("what follows in `{}` is not known here", self.describe(array)))
    }

    /// The node that rows lead to, from one inline record or target of a pointer to the next.
    fn down(&mut self, rows: &[RowId], this: NodeRef) -> Fallible<Option<NodeRef>> {
        self.charge(rows.len() as u64)?;
        let mut node = this;
        for row in rows {
            match self.fetch_known(Loc::row(node, *row))? {
                Item::Node(inner) => node = inner,
                _ => return Ok(None),
            }
        }
        Ok(Some(node))
    }

    /// The elements that a chain leads to from the node that has its last row, itself or in a part.
    fn chained(
        &mut self,
        chain: &Chain<'p>,
        node: NodeRef,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        let Some(node) = self.down(&chain.rows[chain.to_node..chain.last()], node)? else {
            return Ok(true);
        };
        let loc = Loc::row(node, chain.rows[chain.last()]);
        match self.fetch_finished(loc)? {
            Some(Item::Absent) => return Ok(true),
            Some(Item::Array(array)) if self.tree.count(array) == 0 => return Ok(true),
            _ => {}
        }
        let way = Way { this: node, it: None };
        if chain.each {
            return self.elements(Val::Loc(loc), &mut |engine, val| {
                engine.steps(chain.rest, val, way, &mut true, &mut |engine, val| {
                    engine.elements(val, visit)
                })
            });
        }
        self.steps(chain.rest, Val::Loc(loc), way, &mut true, &mut |engine, val| {
            engine.elements(val, visit)
        })
    }

    /// Goes as far as steps lead from one record to the next, as most do, or into arrays without
    /// elements.
    fn advance(
        &mut self,
        steps: &'p [Step],
        from: Val,
        way: Way,
        many: &mut bool,
    ) -> Fallible<Ahead<'p>> {
        let mut val = from;
        let mut steps = steps;
        while let Some((step, rest)) = steps.split_first() {
            match step {
                Step::Field(field) => {
                    let (mut node, record) = match val {
                        Val::Node(node) => (node, self.tree.record_id(node)),
                        Val::Loc(loc) => match self.fetch_finished(loc)?.unwrap_or(Item::Unset) {
                            Item::Node(node) => {
                                let record = self.tree.record_id(node);
                                // What only the record itself has is not looked for in elements.
                                let elements = match self.is_alone(field, record) {
                                    true => None,
                                    false => self.elements_in(node, record)?,
                                };
                                match elements {
                                    None => {}
                                    Some(array) if self.tree.count(array) == 0 => *many = true,
                                    Some(_) => return Ok(Ahead::Before(val, steps)),
                                }
                                (node, record)
                            }
                            Item::Absent => return Ok(Ahead::Nothing),
                            Item::Array(array) if self.tree.count(array) == 0 => {
                                *many = true;
                                return Ok(Ahead::Nothing);
                            }
                            _ => return Ok(Ahead::Before(val, steps)),
                        },
                        _ => return Ok(Ahead::Nothing),
                    };
                    let members = field.way_in(record);
                    if members.is_empty() {
                        return Ok(Ahead::Nothing);
                    }
                    let into = |member: &Member| matches!(member, Member::Into(_));
                    match members {
                        [Member::Row(row)] => {
                            self.charge(1)?;
                            val = Val::Loc(Loc::row(node, *row));
                        }
                        [around @ .., Member::Row(row)] if around.iter().all(into) => {
                            self.charge(members.len() as u64)?;
                            for member in around {
                                let Member::Into(row) = member else { continue };
                                match self.fetch(Loc::row(node, *row))? {
                                    Item::Node(inner) => node = inner,
                                    _ => return Ok(Ahead::Nothing),
                                }
                            }
                            val = Val::Loc(Loc::row(node, *row));
                        }
                        [Member::Let(index)] => match self.definition(node, *index)? {
                            Ahead::At(defined) => val = defined,
                            Ahead::Nothing => return Ok(Ahead::Nothing),
                            Ahead::Before(..) => return Ok(Ahead::Before(Val::Node(node), steps)),
                        },
                        _ => return Ok(Ahead::Before(Val::Node(node), steps)),
                    }
                }
                Step::Index(index) => {
                    let Some(index) = self.eval_int(*index, way.this, way.it)? else {
                        return Ok(Ahead::Nothing);
                    };
                    match self.indexed(val, index, way.this)? {
                        Some(element) => val = element,
                        None => return Ok(Ahead::Nothing),
                    }
                }
                Step::Last => return Ok(Ahead::Before(val, steps)),
            }
            steps = rest;
        }
        Ok(Ahead::At(val))
    }

    /// Whether a transparent record has a field that no element in it can have.
    fn is_alone(&self, field: &Field, record: RecordId) -> bool {
        let of = &self.model.records[record.index()];
        of.transparent.is_some_and(|row| {
            matches!(&*field.members, [(only, _)] if *only == record)
                && !of.rows[row.index()].ty.records().any(|inner| inner == record)
        })
    }

    /// The array that a node of a transparent record stands for.
    #[inline]
    fn elements_in(&mut self, node: NodeRef, record: RecordId) -> Fallible<Option<ArrayRef>> {
        let Some(row) = self.model.records[record.index()].transparent else { return Ok(None) };
        Ok(match self.fetch(Loc::row(node, row))? {
            Item::Array(array) => Some(array),
            _ => None,
        })
    }

    /// What a definition of a record stands for, if that is one thing.
    fn definition(&mut self, node: NodeRef, index: u32) -> Fallible<Ahead<'p>> {
        let Some(definition) = self.tree.record(node).lets.get(index as usize) else {
            return Ok(Ahead::Nothing);
        };
        match &self.model[definition.expr] {
            // They may be several, or want to be asked one after the other.
            Expr::Path(_) | Expr::Binary(BinaryOp::Concatenate, ..) | Expr::Coalesce(..) => {
                Ok(Ahead::Before(Val::None, &[]))
            }
            Expr::If(..) => Ok(match self.near_expr(definition.expr, node, None)? {
                None => Ahead::Before(Val::None, &[]),
                Some(Val::None) => Ahead::Nothing,
                Some(val) => Ahead::At(val),
            }),
            _ => {
                self.charge(1)?;
                Ok(match self.deeper(|engine| engine.eval(definition.expr, node, None))? {
                    Val::None => Ahead::Nothing,
                    val => Ahead::At(val),
                })
            }
        }
    }

    /// The first of what a path leads to.
    pub(crate) fn find_first(
        &mut self,
        path: &'p Path,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Found> {
        let mut found = Found { first: Val::None, more: false, many: false };
        let way = Way { this, it };
        let mut before = None;
        if let Begin::At(start) = self.start_of(path, way)? {
            match self.advance(&path.steps, start, way, &mut found.many)? {
                Ahead::At(val) => {
                    found.first = val;
                    return Ok(found);
                }
                Ahead::Nothing => return Ok(found),
                Ahead::Before(val, steps) => before = Some((val, steps)),
            }
        }
        let mut any = false;
        let mut many = found.many;
        let mut visit = |_: &mut Self, val| {
            if any {
                found.more = true;
            } else {
                any = true;
                found.first = val;
            }
            Ok(!found.more)
        };
        match before {
            Some((val, steps)) => self.branch(steps, val, way, &mut many, &mut visit)?,
            None => self.walk(path, this, it, &mut many, &mut visit)?,
        };
        found.many = many;
        Ok(found)
    }

    /// The node around another one that a row or element holds.
    fn held_around(&self, element: Loc, mut node: NodeRef) -> Option<NodeRef> {
        loop {
            let holder = self.tree.holder(node)?;
            if holder == element {
                return Some(node);
            }
            node = holder.node;
        }
    }

    /// An element of an array, or a byte, as `this` asks for it.
    fn indexed(&mut self, val: Val, index: i128, this: NodeRef) -> Fallible<Option<Val>> {
        let byte = |blob: Blob| {
            let at = u32::try_from(index).ok().filter(|at| *at < blob.len);
            at.map(|at| Val::Byte(blob, at))
        };
        let mut loc = match val {
            Val::Loc(loc) if loc.index().is_none() => loc,
            Val::Bytes(blob) => return Ok(byte(blob)),
            _ => return Ok(None),
        };
        if self.opened_at(loc).is_some() {
            let Ok(index) = u32::try_from(index) else { return Ok(None) };
            let element = loc.at(index);
            // Of pointers it is known where their targets are, of anything else nothing.
            return match super::address::pointer_type(self.tree.row(loc), element) {
                Some(_) => Ok(Some(Val::Loc(element))),
                None => self.not_known(element),
            };
        }
        if let Some(count) = self.tree.count_so_far(loc) {
            return match u32::try_from(index) {
                Ok(index) if index < count => Ok(Some(Val::Loc(loc.at(index)))),
                // No array has an element with a negative number.
                Err(_) if index < 0 => Ok(None),
                // Of the element that is being read, the rows so far are known.
                Ok(index) if index == count => match self.held_around(loc.at(index), this) {
                    Some(node) => Ok(Some(Val::Node(node))),
                    None => self.not_known(loc.at(index)),
                },
                _ => self.not_known(loc.indexed(u32::try_from(index).ok())),
            };
        }
        let mut item = self.fetch_known(loc)?;
        // A transparent record stands for the array in it.
        while let Item::Node(node) = item {
            match self.tree.record(node).transparent {
                Some(row) => loc = Loc::row(node, row),
                None => return Ok(None),
            }
            item = self.tree.item(loc);
        }
        Ok(match item {
            Item::Array(array) => {
                let index = u32::try_from(index).ok().filter(|i| *i < self.tree.count(array));
                index.map(|index| Val::Loc(loc.at(index)))
            }
            Item::Bytes(blob) => byte(blob),
            _ => None,
        })
    }

    /// Goes on with a field of what is at a place: of an array, of all elements.
    fn onto_field(
        &mut self,
        val: Val,
        field: &'p Field,
        rest: &'p [Step],
        way: Way,
        many: &mut bool,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        let loc = match val {
            Val::Node(node) => return self.field_in(node, field, rest, way, many, visit),
            Val::Loc(loc) => loc,
            _ => return Ok(true),
        };
        let Some(item) = self.fetch_finished(loc)? else {
            *many = true;
            return self.elements_so_far(loc, &mut |engine, val| {
                engine.onto_field(val, field, rest, way, &mut true, visit)
            });
        };
        match item {
            Item::Node(node) => {
                // Into a transparent record that stands for an array of records.
                if let Some(row) = self.tree.record(node).transparent {
                    let inner = Loc::row(node, row);
                    if let Item::Array(array) = self.fetch(inner)? {
                        *many = true;
                        return Ok(self.field_in(node, field, rest, way, many, visit)?
                            && self.onto_elements(inner, array, field, rest, way, visit)?);
                    }
                }
                self.field_in(node, field, rest, way, many, visit)
            }
            Item::Array(array) => {
                *many = true;
                self.onto_elements(loc, array, field, rest, way, visit)
            }
            Item::Int(_) => match self.element_of(loc)? {
                Some(element) => self.onto_field(Val::Loc(element), field, rest, way, many, visit),
                None => Ok(true),
            },
            _ => Ok(true),
        }
    }

    fn onto_elements(
        &mut self,
        loc: Loc,
        array: ArrayRef,
        field: &'p Field,
        rest: &'p [Step],
        way: Way,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        let mut known: Option<Onward<'p>> = None;
        for index in 0..self.tree.count(array) {
            let Some(mut item) = self.tree.element(array, index) else { break };
            if let Item::Pointer(number) = item {
                item = self.tree.pointers[number as usize].target;
                if matches!(item, Item::Unset | Item::Pointer(_)) {
                    item = self.fetch(loc.at(index))?;
                }
            }
            let Item::Node(node) = item else {
                // Elements are of one kind.
                if item.is_there() {
                    break;
                }
                continue;
            };
            self.charge(1)?;
            let record = self.tree.record_id(node);
            if !matches!(&known, Some((of, ..)) if *of == record) {
                let chain = match rest {
                    [] => None,
                    _ => self.chains.way_on((self.model, self.tree.plans()), field, rest, record),
                };
                known = Some((record, field.way_in(record), chain));
            }
            let more = match &known {
                Some((_, _, Some(chain))) => {
                    let (rows, last) = (&chain.rows[..chain.last()], chain.rows[chain.last()]);
                    match self.down(rows, node)? {
                        Some(node) => {
                            let val = Val::Loc(Loc::row(node, last));
                            self.steps(chain.rest, val, way, &mut true, visit)?
                        }
                        None => true,
                    }
                }
                Some((_, members, None)) => {
                    self.member(node, members, rest, way, &mut true, visit)?
                }
                None => true,
            };
            if !more {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn field_in(
        &mut self,
        node: NodeRef,
        field: &'p Field,
        rest: &'p [Step],
        way: Way,
        many: &mut bool,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        let record = self.tree.record_id(node);
        self.member(node, field.way_in(record), rest, way, many, visit)
    }
}
