//! The first element of a stream with a key that is greater or less than a number.
//!
//! Only elements come into question with keys that are greater than all before them (or less), so those
//! are kept, and looked for by halves.

use alloc::boxed::Box;
use alloc::rc::Rc;

use super::item::NodeRef;
use super::memo::{Bounds, Lookup};
use super::state::Engine;
use super::val::{Fallible, Fault, Val};
use crate::model::{BinaryOp, ExprId};

impl<'p> Engine<'p, '_> {
    /// The first element for which a filter holds, if any, where it compares keys of elements with a
    /// number: `KEY < WANTED` and the like. Nothing if it has to be looked for.
    pub(crate) fn first_beyond(
        &mut self,
        source: ExprId,
        filter: ExprId,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Option<Option<Val>>> {
        let Some((op, lookup)) = self.comparison(filter) else { return Ok(None) };
        let Some(bounds) = self.bounds(source, lookup, this, it)? else { return Ok(None) };
        let Some(Val::Int(wanted)) = self.wanted(lookup, this)? else { return Ok(None) };
        let list = match op {
            BinaryOp::Greater | BinaryOp::GreaterOrEqual => &bounds.greater,
            _ => &bounds.less,
        };
        self.charge(1)?;
        let first = list.partition_point(|(key, _)| op.holds(key.cmp(&wanted)) != Some(true));
        Ok(Some(list.get(first).map(|(_, element)| *element)))
    }

    /// The elements that come into question; nothing if only one would ever ask, or they do not tell.
    fn bounds(
        &mut self,
        source: ExprId,
        lookup: Lookup,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Option<Rc<Bounds>>> {
        let Lookup { parts, key, .. } = lookup;
        let Some(elements) = self.elements_asked(source, lookup, this, it)? else {
            return Ok(None);
        };
        let number = (elements, parts, key);
        if let Some(known) = self.memo.bounds.get(&number) {
            return Ok(Some(Rc::clone(known)).filter(|known| !known.partial));
        }
        // Each look at an array that is still being read finds more of it.
        if self.tree.is_in_array() && self.begun_array(source, this, it).is_some() {
            return Ok(None);
        }
        let mut bounds = Bounds::default();
        let built = self.stream_of(source, this, it, &mut |engine, element| match parts {
            None => engine.add_bound(&mut bounds, key, this, element, element),
            Some(parts) => engine.stream_of(parts, this, Some(element), &mut |engine, part| {
                engine.add_bound(&mut bounds, key, this, part, element)
            }),
        });
        match built.map_err(|fault| *fault) {
            Err(fault @ Fault::Limit(_)) => return Err(Box::new(fault)),
            Err(_) if self.tree.is_in_array() => return Ok(None),
            // Who asks may be content with an element before the one whose key is not known.
            built => bounds.partial |= built.is_err(),
        }
        let bounds = Rc::new(bounds);
        self.memo.bounds.insert(number, Rc::clone(&bounds));
        Ok(Some(bounds).filter(|bounds| !bounds.partial))
    }

    fn add_bound(
        &mut self,
        bounds: &mut Bounds,
        key: ExprId,
        this: NodeRef,
        part: Val,
        element: Val,
    ) -> Fallible<bool> {
        self.charge(4)?;
        match self.eval(key, this, Some(part))? {
            Val::Int(key) => bounds.add(key, element),
            // It is neither greater nor less.
            Val::None => {}
            _ => bounds.partial = true,
        }
        Ok(!bounds.partial)
    }
}
