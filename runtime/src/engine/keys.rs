//! Keys of dictionaries.
//!
//! A dictionary is asked for its keys several times: to give elements their names, for their number, and
//! for the nodes over them. They are looked for once.

use alloc::vec::Vec;
use core::ops::Range;

use super::item::{Blob, Item, Loc, NodeRef};
use super::reading::Known;
use super::state::Engine;
use super::val::Fallible;
use crate::model::{Expr, ExprId, Member, Path, Start, Step};

impl<'p> Engine<'p, '_> {
    /// Keeps what a path leads to, if these are elements with texts. `units` is what looking for them
    /// took from the budget.
    pub(crate) fn keep_keys(&mut self, path: &'p Path, this: NodeRef, places: &[Loc], units: u64) {
        let text = |place: &Loc| match self.tree.item(*place) {
            Item::Text(text) => Some(text),
            _ => None,
        };
        if let Some(texts) = places.iter().map(text).collect::<Option<Vec<Blob>>>() {
            self.keep_texts(path, this, &texts, units);
        }
    }

    /// Keeps the texts of elements that a path leads to.
    pub(crate) fn keep_texts(&mut self, path: &'p Path, this: NodeRef, texts: &[Blob], units: u64) {
        let Some(argument) = self.plain_argument(path, this) else { return };
        let keys = &mut self.keys;
        let first = keys.texts.len();
        keys.texts.extend_from_slice(texts);
        let Ok(number) = u32::try_from(keys.known.len()) else { return };
        keys.known.push(Known { texts: first..keys.texts.len(), units });
        keys.by_argument.insert(argument, number);
    }

    /// The keys that a path leads to, if they are known: a range of [`Engine::key_texts`].
    pub(crate) fn known_keys(
        &mut self,
        path: &'p Path,
        this: NodeRef,
    ) -> Fallible<Option<Range<usize>>> {
        if self.keys.known.is_empty() {
            return Ok(None);
        }
        let Some(argument) = self.plain_argument(path, this) else { return Ok(None) };
        let Some(number) = self.keys.by_argument.get(argument) else { return Ok(None) };
        let Known { texts, units } = &self.keys.known[number as usize];
        let (texts, units) = (texts.clone(), *units);
        self.charge(units)?;
        Ok(Some(texts))
    }

    pub(crate) fn key_texts(&self, range: Range<usize>) -> &[Blob] {
        &self.keys.texts[range]
    }

    /// A number for the argument that a path consists of and the node that it is evaluated in. Only of
    /// arguments that go from row to row, which lead to the same places whenever they are followed.
    fn plain_argument(&self, path: &Path, this: NodeRef) -> Option<u64> {
        let (Start::Argument(index), []) = (&path.start, &path.steps[..]) else { return None };
        let argument = *self.tree.record(this).arguments.get(*index as usize)?;
        let owner = self.around(this)?;
        let Expr::Path(inner) = &self.model[argument] else { return None };
        let plain = !matches!(inner.start, Start::It | Start::Argument(_))
            && inner.steps.iter().all(|step| match step {
                Step::Field(field) => field.members.iter().all(|(_, members)| {
                    members.iter().all(|member| !matches!(member, Member::Let(_)))
                }),
                Step::Index(_) | Step::Last => false,
            });
        let whole = !owner.is_element() && owner.part == 0;
        (plain && whole).then(|| number(argument, owner))
    }
}

fn number(argument: ExprId, owner: NodeRef) -> u64 {
    u64::from(argument.0) << 32 | u64::from(owner.id)
}
