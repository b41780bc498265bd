//! Functions of streams.

use alloc::rc::Rc;
use core::cmp::Ordering;

use super::find::Visit;
use super::item::{Item, NodeRef};
use super::memo::Index;
use super::state::Engine;
use super::val::{Fallible, Val};
use crate::model::{BinaryOp, Expr, ExprId, Function, StreamFunction};

impl<'p, 'b> Engine<'p, 'b> {
    /// The value of a function of a stream. What others below the same node would get, too, is
    /// remembered.
    pub(crate) fn stream(
        &mut self,
        id: ExprId,
        function: StreamFunction,
        source: ExprId,
        filter: Option<ExprId>,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Val> {
        let mut exprs = [source; 2];
        exprs[1] = filter.unwrap_or(source);
        let exprs = if filter.is_some() { &exprs[..] } else { &exprs[..1] };
        let defined = self.layout.is_defined(id);
        let Some(anchor) = self.shared_anchor(exprs, this, defined) else {
            return self.stream_here(function, source, filter, this, it);
        };
        if let Some(val) = self.remembered(id, anchor) {
            return Ok(val);
        }
        let val = self.stream_here(function, source, filter, this, it)?;
        self.remember(id, anchor, val);
        Ok(val)
    }

    fn stream_here(
        &mut self,
        function: StreamFunction,
        source: ExprId,
        filter: Option<ExprId>,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Val> {
        use StreamFunction as Of;
        match (function, filter) {
            (Of::Units, _) => self.units_of(source, this, it),
            (Of::Count, None) => self.count_of(source, this, it),
            (Of::Count, Some(filter)) => {
                if let Some((index, wanted)) = self.all_with_key(source, filter, this, it)? {
                    let count = self.with_key(&index, wanted).map_or(0, <[_]>::len);
                    return Ok(Val::Int(count as i128));
                }
                let mut count = 0;
                self.filtered(source, Some(filter), this, it, &mut |_, _| {
                    count += 1;
                    Ok(true)
                })?;
                Ok(Val::Int(count))
            }
            (Of::First | Of::FirstIndex, _) => {
                let mut first = Val::None;
                let beyond = match filter {
                    Some(filter) => self.first_beyond(source, filter, this, it)?,
                    None => None,
                };
                if let Some(found) = beyond {
                    first = found.unwrap_or(Val::None);
                } else {
                    self.filtered(source, filter, this, it, &mut |_, val| {
                        first = val;
                        Ok(false)
                    })?;
                }
                if function == Of::First {
                    self.load(first)
                } else {
                    self.position(first)
                }
            }
            (Of::Any, Some(condition)) => {
                if let Some(found) = self.first_beyond(source, condition, this, it)? {
                    return Ok(Val::Bool(found.is_some()));
                }
                let none = self.filtered(source, filter, this, it, &mut |_, _| Ok(false))?;
                Ok(Val::Bool(!none))
            }
            (Of::All, Some(condition)) => {
                let all = self.stream_of(source, this, it, &mut |engine, val| {
                    engine.eval_bool(condition, this, Some(val))
                })?;
                Ok(Val::Bool(all))
            }
            (Of::Sum | Of::Min | Of::Max | Of::Any | Of::All, _) => {
                let mut result = match function {
                    Of::Sum => Val::Int(0),
                    Of::Any => Val::Bool(false),
                    Of::All => Val::Bool(true),
                    _ => Val::None,
                };
                self.filtered(source, filter, this, it, &mut |engine, val| {
                    let val = engine.load(val)?;
                    if !matches!(val, Val::None) {
                        result = engine.folded(function, result, val)?;
                    }
                    Ok(true)
                })?;
                Ok(result)
            }
        }
    }

    /// The index that has all elements of a stream for which a filter holds, and their key in it.
    fn all_with_key(
        &mut self,
        source: ExprId,
        filter: ExprId,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Option<(Rc<Index>, Val)>> {
        let Some(lookup) = self.lookup(filter).filter(|lookup| lookup.is_all) else {
            return Ok(None);
        };
        let index = self.index(source, lookup, this, it)?;
        let Some(index) = index.filter(|index| index.so_far.is_none()) else { return Ok(None) };
        let wanted = self.wanted(lookup, this)?;
        let known = wanted.filter(|wanted| self.with_key(&index, *wanted).is_some());
        Ok(known.map(|wanted| (index, wanted)))
    }

    fn folded(&mut self, function: StreamFunction, so_far: Val, val: Val) -> Fallible<Val> {
        let truth = |val| matches!(val, Val::Bool(true));
        let chosen = |engine: &Self, wanted| {
            let better =
                matches!(so_far, Val::None) || engine.tree.compare(val, so_far)? == Some(wanted);
            Ok(if better { val } else { so_far })
        };
        match function {
            StreamFunction::Sum => self.tree.binary(BinaryOp::Add, so_far, val),
            StreamFunction::Any => Ok(Val::Bool(truth(so_far) || truth(val))),
            StreamFunction::All => Ok(Val::Bool(truth(so_far) && truth(val))),
            StreamFunction::Min => chosen(self, Ordering::Less),
            StreamFunction::Max => chosen(self, Ordering::Greater),
            StreamFunction::Count
            | StreamFunction::First
            | StreamFunction::FirstIndex
            | StreamFunction::Units => Ok(so_far),
        }
    }

    /// Number of elements of a stream; of one byte run or text, of its bytes.
    fn count_of(&mut self, source: ExprId, this: NodeRef, it: Option<Val>) -> Fallible<Val> {
        if let Expr::Path(path) = &self.model[source] {
            if let Some(keys) = self.known_keys(path, this)? {
                return Ok(Val::Int(keys.len() as i128));
            }
        }
        let mut many = false;
        let mut count = 0_u64;
        let mut places = 0_u64;
        let mut only = None;
        self.walk_expr(source, this, it, &mut many, &mut |engine, val| {
            places += 1;
            only = Some(val);
            count += match val {
                Val::Loc(loc) => match engine.fetch_known(loc)? {
                    Item::Array(array) if loc.index().is_none() => engine.tree.count(array).into(),
                    Item::Absent => 0,
                    _ => 1,
                },
                _ => 1,
            };
            Ok(true)
        })?;
        if let (Some(Val::Loc(loc)), 1, false) = (only, places, many) {
            return Ok(Val::Int(self.count_units(loc).into()));
        }
        Ok(Val::Int(count.into()))
    }

    /// Units of a text; nothing if there is none.
    fn units_of(&mut self, source: ExprId, this: NodeRef, it: Option<Val>) -> Fallible<Val> {
        let mut found = Val::None;
        self.walk_expr(source, this, it, &mut false, &mut |_, val| {
            found = val;
            Ok(false)
        })?;
        match found {
            Val::Loc(loc) => Ok(match self.fetch_known(loc)? {
                Item::Absent => Val::None,
                _ => Val::Int(self.count_units(loc).into()),
            }),
            other => self.call(Function::Length, &[other]),
        }
    }

    /// Gives the elements of a stream for which a filter holds.
    pub(crate) fn filtered(
        &mut self,
        source: ExprId,
        filter: Option<ExprId>,
        this: NodeRef,
        it: Option<Val>,
        visit: &mut Visit<'_, 'p, 'b>,
    ) -> Fallible<bool> {
        let Some(filter) = filter else { return self.stream_of(source, this, it, visit) };
        if let Some(lookup) = self.lookup(filter) {
            if let Some(index) = self.index(source, lookup, this, it)? {
                let wanted = self.wanted(lookup, this)?;
                let found = wanted.and_then(|wanted| self.with_key(&index, wanted));
                if let Some(candidates) = found {
                    for (_, val) in candidates {
                        self.charge(1)?;
                        let holds = lookup.is_all || self.eval_bool(filter, this, Some(*val))?;
                        if holds && !visit(self, *val)? {
                            return Ok(false);
                        }
                    }
                    return match index.so_far {
                        None => Ok(true),
                        Some((array, _)) => self.what_follows(array),
                    };
                }
            }
        }
        self.stream_of(source, this, it, &mut |engine, val| {
            if engine.eval_bool(filter, this, Some(val))? {
                visit(engine, val)
            } else {
                Ok(true)
            }
        })
    }
}
