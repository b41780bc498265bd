//! Finds out which node an expression depends on, and remembers what it gave there.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::find::Found;
use super::item::{Loc, NodeRef};
use super::map::Map;
use super::memo::{Elements, Index, Lookup, Ranks};
use super::state::Engine;
use super::val::{Fallible, Val};
use crate::model::{BinaryOp, Expr, ExprId, Path, Start, Step, StreamFunction};

impl<'p> Engine<'p, '_> {
    /// The lowest node that an expression depends on, when evaluated in a node; `None` if it depends
    /// on where the reader is, or on an `it` that is not its own.
    fn anchor(&self, exprs: &[ExprId], this: NodeRef, own_it: bool) -> Option<NodeRef> {
        let mut lowest = None;
        for expr in exprs {
            self.anchor_of(*expr, this, own_it, &mut lowest)?;
        }
        Some(lowest.map_or(NodeRef::ROOT, |(_, node)| node))
    }

    /// Lowers the anchor to what an expression needs. The number of levels above `this` tells which
    /// of two nodes is lower.
    fn anchor_of(
        &self,
        expr: ExprId,
        this: NodeRef,
        own_it: bool,
        lowest: &mut Option<(u32, NodeRef)>,
    ) -> Option<()> {
        let model = self.model;
        match &model[expr] {
            Expr::Here | Expr::RegionEnd => None,
            // Inside of a stream, `it` is an element of that.
            Expr::Stream(_, source, filter) => {
                self.anchor_of(*source, this, own_it, lowest)?;
                match filter {
                    Some(filter) => self.anchor_of(*filter, this, true, lowest),
                    None => Some(()),
                }
            }
            other => {
                if let Some(path) = other.path() {
                    self.anchor_of_path(path, this, own_it, lowest)?;
                }
                let mut all = Some(());
                other.operands(&mut |operand| {
                    if all.is_some() {
                        all = self.anchor_of(operand, this, own_it, lowest);
                    }
                });
                all
            }
        }
    }

    fn anchor_of_path(
        &self,
        path: &Path,
        this: NodeRef,
        own_it: bool,
        lowest: &mut Option<(u32, NodeRef)>,
    ) -> Option<()> {
        for step in &path.steps {
            if let Step::Index(index) = step {
                self.anchor_of(*index, this, own_it, lowest)?;
            }
        }
        let mut node = this;
        let mut levels = 0;
        match &path.start {
            Start::This => {}
            Start::Root => return Some(()),
            Start::It => return own_it.then_some(()),
            Start::Up(up) => {
                while levels < *up {
                    node = self.around(node)?;
                    levels += 1;
                }
            }
            Start::Enclosing(records) => {
                while !records.contains(&self.tree.record_id(node)) {
                    node = self.around(node)?;
                    levels += 1;
                }
            }
            // Each use of a struct has arguments of its own.
            Start::Argument(_) => {}
        }
        if lowest.map_or(true, |(known, _)| levels < known) {
            *lowest = Some((levels, node));
        }
        Some(())
    }

    /// The node below which a stream gives the same for everybody, if that is not the one that asks
    /// or an element: then it is worth remembering. So it is in a definition, which may be asked for often.
    pub(crate) fn shared_anchor(
        &self,
        exprs: &[ExprId],
        this: NodeRef,
        defined: bool,
    ) -> Option<NodeRef> {
        if !defined && exprs.iter().any(|expr| self.layout.is_own(*expr)) {
            return None;
        }
        let (source, filter) = exprs.split_first()?;
        let mut lowest = None;
        self.anchor_of(*source, this, false, &mut lowest)?;
        for filter in filter {
            self.anchor_of(*filter, this, true, &mut lowest)?;
        }
        let anchor = lowest.map_or(NodeRef::ROOT, |(_, node)| node);
        (defined || anchor != this).then_some(anchor)
    }

    pub(crate) fn remembered(&self, expr: ExprId, anchor: NodeRef) -> Option<Val> {
        self.memo.values.get(&(expr, anchor)).copied()
    }

    pub(crate) fn remember(&mut self, expr: ExprId, anchor: NodeRef, val: Val) {
        // With another size of the number that asks, it may be another one.
        if !self.writing.tried.iter().any(|tried| tried.asked) {
            self.memo.values.insert((expr, anchor), val);
        }
    }

    /// How a filter finds its elements by a key: it is `KEY == WANTED`, or that and more, where KEY
    /// is only about the element and WANTED not at all; or it is `any(PARTS where KEY == WANTED)`,
    /// where PARTS are of the element, and KEY is only about one of them. What is added to the key, or
    /// taken from it, and not about the element, is brought to the other side.
    pub(crate) fn lookup(&self, filter: ExprId) -> Option<Lookup> {
        let model = self.model;
        match &model[filter] {
            Expr::Binary(BinaryOp::BothTrue, a, b) => {
                let found = self.lookup(*a).or_else(|| self.lookup(*b))?;
                Some(Lookup { is_all: false, ..found })
            }
            Expr::Binary(BinaryOp::Equal, a, b) => self.sides(*a, *b).map(|(lookup, _)| lookup),
            Expr::Stream(StreamFunction::Any, parts, Some(inner))
                if self.about_it(*parts) == About::Element =>
            {
                let found = self.lookup(*inner)?;
                found.parts.is_none().then_some(Lookup { parts: Some(*parts), ..found })
            }
            _ => None,
        }
    }

    /// The same where keys are compared by `<` and the like: how they are, and with what.
    pub(crate) fn comparison(&self, filter: ExprId) -> Option<(BinaryOp, Lookup)> {
        use BinaryOp::{Greater, GreaterOrEqual, Less, LessOrEqual};
        match &self.model[filter] {
            Expr::Binary(op @ (Less | LessOrEqual | Greater | GreaterOrEqual), a, b) => {
                let (lookup, key_grows) = self.sides(*a, *b)?;
                let op = match op {
                    _ if key_grows => *op,
                    Less => Greater,
                    LessOrEqual => GreaterOrEqual,
                    Greater => Less,
                    _ => LessOrEqual,
                };
                Some((op, lookup))
            }
            Expr::Stream(StreamFunction::Any, parts, Some(inner))
                if self.about_it(*parts) == About::Element =>
            {
                let (op, found) = self.comparison(*inner)?;
                found.parts.is_none().then_some((op, Lookup { parts: Some(*parts), ..found }))
            }
            _ => None,
        }
    }

    /// Which of two operands is a key of elements, and which is what is wanted; and whether an element
    /// with a greater key has a greater first operand, as against the second.
    fn sides(&self, a: ExprId, b: ExprId) -> Option<(Lookup, bool)> {
        let (side, wanted, first) = match (self.about_it(a), self.about_it(b)) {
            (About::Element | About::Both, About::Other | About::Root) => (a, b, true),
            (About::Other | About::Root, About::Element | About::Both) => (b, a, false),
            _ => return None,
        };
        let mut key = side;
        let mut grows = first;
        while self.about_it(key) != About::Element {
            let term = self.term(key)?;
            grows ^= term.takes_key;
            key = term.key;
        }
        Some((Lookup { parts: None, key, side, wanted, is_all: true }, grows))
    }

    /// A sum or difference of which one operand is not about the element.
    fn term(&self, side: ExprId) -> Option<Term> {
        let (takes, a, b) = match &self.model[side] {
            Expr::Binary(BinaryOp::Add, a, b) => (false, *a, *b),
            Expr::Binary(BinaryOp::Subtract, a, b) => (true, *a, *b),
            _ => return None,
        };
        let is_free = |operand| !matches!(self.about_it(operand), About::Element | About::Both);
        match (is_free(a), is_free(b)) {
            (false, true) => Some(Term { key: a, other: b, takes_key: false, takes_other: takes }),
            (true, false) => Some(Term { key: b, other: a, takes_key: takes, takes_other: false }),
            _ => None,
        }
    }

    /// The key that a filter asks for; nothing if that cannot be said for a key alone.
    pub(crate) fn wanted(&mut self, lookup: Lookup, this: NodeRef) -> Fallible<Option<Val>> {
        let mut wanted = self.eval(lookup.wanted, this, None)?;
        let mut side = lookup.side;
        while side != lookup.key {
            let Some(term) = self.term(side) else { return Ok(None) };
            let other = self.eval(term.other, this, None)?;
            let (Val::Int(sum), Val::Int(part)) = (wanted, other) else { return Ok(None) };
            let key = match (term.takes_key, term.takes_other) {
                (true, _) => part.checked_sub(sum),
                (false, true) => sum.checked_add(part),
                (false, false) => sum.checked_sub(part),
            };
            let Some(key) = key else { return Ok(None) };
            wanted = Val::Int(key);
            side = term.key;
        }
        Ok(Some(wanted))
    }

    /// What an expression is about.
    fn about_it(&self, expr: ExprId) -> About {
        let model = self.model;
        let path = match &model[expr] {
            Expr::Path(path)
            | Expr::Index(path)
            | Expr::At(path)
            | Expr::End(path)
            | Expr::Size(path) => path,
            Expr::Stream(..) | Expr::Here | Expr::RegionEnd => return About::Both,
            other => {
                if other.path().is_some() {
                    return About::Both;
                }
                let mut about = About::Nothing;
                other.operands(&mut |operand| about = about.and(self.about_it(operand)));
                return about;
            }
        };
        let start = match path.start {
            Start::It => About::Element,
            Start::Root => About::Root,
            _ => About::Other,
        };
        path.steps.iter().fold(start, |about, step| match step {
            Step::Index(index) => about.and(self.about_it(*index)),
            Step::Field(_) | Step::Last => about,
        })
    }

    /// The elements of a stream by a key; nothing if only one would ever ask for them.
    pub(crate) fn index(
        &mut self,
        source: ExprId,
        lookup: Lookup,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Option<Rc<Index>>> {
        let Lookup { parts, key, .. } = lookup;
        let Some(elements) = self.elements_asked(source, lookup, this, it)? else {
            return Ok(None);
        };
        let number = (elements, parts, key);
        if let Some(known) = self.memo.indices.get(&number) {
            return Ok(Some(Rc::clone(known)));
        }
        if self.tree.is_in_array() {
            if let Some(begun) = self.begun_array(source, this, it) {
                return self.index_so_far(begun, lookup, this);
            }
        }
        let mut index = Index::default();
        let mut count = 0;
        let built = self.stream_of(source, this, it, &mut |engine, val| {
            let element = (count, val);
            count += 1;
            engine.add_element(&mut index, lookup, this, element)
        });
        match built {
            // Perhaps one that is still being read, of which a look at each element may be enough.
            Err(_) if self.tree.is_in_array() || lookup.side != lookup.key => return Ok(None),
            built => built?,
        };
        Ok(Some(self.remember_index(number, index)))
    }

    /// The elements of a stream that others ask for by a key as well, if any do.
    pub(crate) fn elements_asked(
        &mut self,
        source: ExprId,
        lookup: Lookup,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Option<Elements>> {
        let Lookup { parts, key, .. } = lookup;
        match self.shared_anchor(&[source, parts.unwrap_or(key), key], this, false) {
            Some(anchor) => Ok(Some(Elements::Stream(source, anchor))),
            None => Ok(self.chosen_array(source, this, it)?.map(Elements::Array)),
        }
    }

    /// The array that is still being read to which a path leads.
    pub(crate) fn begun_array(
        &mut self,
        source: ExprId,
        this: NodeRef,
        it: Option<Val>,
    ) -> Option<Loc> {
        let Expr::Path(path) = &self.model[source] else { return None };
        match self.find_first(path, this, it) {
            Ok(Found { first: Val::Loc(array), many: false, more: false }) => {
                self.tree.count_so_far(array).map(|_| array)
            }
            _ => None,
        }
    }

    /// The elements so far of an array that is being read, by a key: those that came since the
    /// last one asked are added. Nothing if the key of one is not known.
    fn index_so_far(
        &mut self,
        array: Loc,
        lookup: Lookup,
        this: NodeRef,
    ) -> Fallible<Option<Rc<Index>>> {
        let number = (array, lookup.parts, lookup.key);
        let known = self.memo.so_far.remove(&number).unwrap_or_default();
        let now = self.tree.count_so_far(array).unwrap_or(0);
        let mut index = match Rc::try_unwrap(known) {
            Ok(index) => index,
            // Whoever holds it is looking at what it found.
            Err(held) => {
                self.memo.so_far.insert(number, held);
                return Ok(None);
            }
        };
        let (_, count) = index.so_far.unwrap_or((array, 0));
        index.so_far = Some((array, now));
        for at in count..now {
            let element = (at, Val::Loc(array.at(at)));
            if self.add_element(&mut index, lookup, this, element).is_err() {
                return Ok(None);
            }
        }
        let index = Rc::new(index);
        self.memo.so_far.insert(number, Rc::clone(&index));
        Ok(Some(index))
    }

    /// The array that a path with a number in it leads to: many may have the same number.
    fn chosen_array(
        &mut self,
        source: ExprId,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Option<Loc>> {
        let Expr::Path(path) = &self.model[source] else { return Ok(None) };
        if !path.steps.iter().any(|step| matches!(step, Step::Index(_))) {
            return Ok(None);
        }
        let found = self.find_first(path, this, it)?;
        Ok(match found.first {
            Val::Loc(array) if !found.many && !found.more => Some(array),
            _ => None,
        })
    }

    /// Adds an element by its key, or by those of its parts.
    fn add_element(
        &mut self,
        index: &mut Index,
        lookup: Lookup,
        this: NodeRef,
        element: (u32, Val),
    ) -> Fallible<bool> {
        let Lookup { parts, key, .. } = lookup;
        match parts {
            None => self.add_to(index, key, this, element.1, element),
            Some(parts) => self.stream_of(parts, this, Some(element.1), &mut |engine, part| {
                engine.add_to(index, key, this, part, element)
            }),
        }
    }

    /// Adds an element by the key of itself, or of a part.
    fn add_to(
        &mut self,
        index: &mut Index,
        key: ExprId,
        this: NodeRef,
        part: Val,
        element: (u32, Val),
    ) -> Fallible<bool> {
        self.charge(4)?;
        let list = match self.eval(key, this, Some(part))? {
            Val::Int(n) => index.numbers.entry(n).or_default(),
            Val::Text(blob) | Val::Bytes(blob) => {
                index.bytes.entry(self.tree.bytes(blob).to_vec()).or_default()
            }
            Val::None => &mut index.nothing,
            _ => {
                index.partial = true;
                return Ok(true);
            }
        };
        // Several parts of one element may have the key.
        if list.last().map_or(true, |(last, _)| *last != element.0) {
            list.push(element);
        }
        Ok(true)
    }

    /// The elements with a key; `None` if the index does not tell.
    pub(crate) fn with_key<'i>(&self, index: &'i Index, wanted: Val) -> Option<&'i [(u32, Val)]> {
        if index.partial {
            return None;
        }
        match wanted {
            Val::None => Some(&index.nothing),
            Val::Int(n) if index.bytes.is_empty() => {
                Some(index.numbers.get(&n).map_or(&[], Vec::as_slice))
            }
            Val::Text(blob) | Val::Bytes(blob) if index.numbers.is_empty() => {
                let bytes = self.tree.bytes(blob);
                Some(index.bytes.get(bytes).map_or(&[], Vec::as_slice))
            }
            _ => None,
        }
    }

    /// Positions of the elements for which a filter holds, in order.
    pub(crate) fn ranks(&mut self, array: Loc, filter: ExprId, this: NodeRef) -> Fallible<Ranks> {
        let anchor = self.anchor(&[filter], this, true).unwrap_or(this);
        let key = (array, filter, anchor);
        if let Some(known) = self.memo.ranks.get(&key) {
            return Ok(Ranks::List(Rc::clone(known)));
        }
        // Each asker may want others: what has the same key is put together once for all of them.
        let lookup = self.lookup(filter).filter(|lookup| anchor == this && lookup.parts.is_none());
        let mut candidates = None;
        if let Some(lookup) = lookup {
            let index = self.elements_by_key(array, lookup.key, this)?;
            if let Some(wanted) = self.wanted(lookup, this)? {
                if let Some(list) = self.with_key(&index, wanted) {
                    if lookup.is_all {
                        return Ok(Ranks::WithKey(index, wanted));
                    }
                    candidates = Some(list.iter().map(|(at, _)| *at).collect());
                }
            }
        }
        let count = u32::try_from(self.count_items(array)).unwrap_or(u32::MAX);
        let candidates: Vec<u32> = candidates.unwrap_or_else(|| (0..count).collect());
        let mut ranks = Vec::new();
        for index in candidates {
            if self.eval_bool(filter, this, Some(Val::Loc(array.at(index))))? {
                ranks.push(index);
            }
        }
        let ranks = Rc::new(ranks);
        self.memo.ranks.insert(key, Rc::clone(&ranks));
        Ok(Ranks::List(ranks))
    }

    /// The elements of an array by a key that is only about them.
    fn elements_by_key(&mut self, array: Loc, key: ExprId, this: NodeRef) -> Fallible<Rc<Index>> {
        let number = (Elements::Positions(array), None, key);
        if let Some(known) = self.memo.indices.get(&number) {
            return Ok(Rc::clone(known));
        }
        let mut index = Index::default();
        let count = u32::try_from(self.count_items(array)).unwrap_or(u32::MAX);
        for at in 0..count {
            let element = Val::Loc(array.at(at));
            self.add_to(&mut index, key, this, element, (at, element))?;
        }
        Ok(self.remember_index(number, index))
    }

    fn remember_index(
        &mut self,
        number: (Elements, Option<ExprId>, ExprId),
        mut index: Index,
    ) -> Rc<Index> {
        // Numbers are not compared with texts.
        index.partial |= !index.numbers.is_empty() && !index.bytes.is_empty();
        let index = Rc::new(index);
        self.memo.indices.insert(number, Rc::clone(&index));
        index
    }

    /// Which of these an element is.
    pub(crate) fn rank_in(&self, ranks: &Ranks, position: u32) -> Option<usize> {
        match ranks {
            Ranks::List(list) => list.binary_search(&position).ok(),
            Ranks::WithKey(index, wanted) => {
                let list = self.with_key(index, *wanted)?;
                list.binary_search_by_key(&position, |(at, _)| *at).ok()
            }
        }
    }

    /// The position of one of these.
    pub(crate) fn ranked(&self, ranks: &Ranks, rank: usize) -> Option<u32> {
        match ranks {
            Ranks::List(list) => list.get(rank).copied(),
            Ranks::WithKey(index, wanted) => {
                self.with_key(index, *wanted)?.get(rank).map(|(at, _)| *at)
            }
        }
    }

    pub(crate) fn count_ranks(&self, ranks: &Ranks) -> usize {
        match ranks {
            Ranks::List(list) => list.len(),
            Ranks::WithKey(index, wanted) => self.with_key(index, *wanted).map_or(0, <[_]>::len),
        }
    }

    /// Positions of an array's elements by address; of several with one address, the first. Nothing
    /// if some element has no address yet.
    pub(crate) fn addresses(&mut self, array: Loc) -> Fallible<Option<Rc<Map>>> {
        if let Some(known) = self.memo.addresses.get(&array) {
            return Ok(Some(Rc::clone(known)));
        }
        let count = u32::try_from(self.count_items(array)).unwrap_or(u32::MAX);
        self.charge(count.into())?;
        let mut map = Map::with_room_for(count as usize);
        for index in (0..count).rev() {
            match self.loc_address(array.at(index), false)? {
                Some(super::item::UNPLACED) => return Ok(None),
                Some(at) => map.insert(at.into(), index),
                None => {}
            }
        }
        let map = Rc::new(map);
        self.memo.addresses.insert(array, Rc::clone(&map));
        Ok(Some(map))
    }

    /// The numbers by which the elements of an array are known, sorted.
    pub(crate) fn contents(&mut self, array: Loc, key: ExprId) -> Fallible<Rc<Vec<i128>>> {
        if let Some(known) = self.memo.contents.get(&(array, key)) {
            return Ok(Rc::clone(known));
        }
        let keys = self.keys_in(array, key)?;
        let mut contents: Vec<i128> = keys.into_iter().map(|key| key.number).collect();
        contents.sort_unstable();
        let contents = Rc::new(contents);
        self.memo.contents.insert((array, key), Rc::clone(&contents));
        Ok(contents)
    }

    /// The numbers by which elements are known that have one.
    pub(crate) fn keys_in(&mut self, array: Loc, key: ExprId) -> Fallible<Vec<KeyNumber>> {
        let Expr::Path(path) = &self.model[key] else { return Ok(Vec::new()) };
        let count = u32::try_from(self.count_items(array)).unwrap_or(u32::MAX);
        let mut keys = Vec::new();
        for index in 0..count {
            self.charge(1)?;
            let first = self.find_first(path, array.node, Some(Val::Loc(array.at(index))))?.first;
            if let Val::Int(number) = self.load(first)? {
                let at = match first {
                    Val::Loc(loc) => Some(loc),
                    _ => None,
                };
                keys.push(KeyNumber { index, number, at });
            }
        }
        Ok(keys)
    }
}

/// The number by which an element is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyNumber {
    /// Position of the element.
    pub index: u32,
    pub number: i128,
    /// The row that it stands in; none of what is computed.
    pub at: Option<Loc>,
}

/// One operand of a sum or difference, which is about the element, and the other, which is not.
#[derive(Debug, Clone, Copy)]
struct Term {
    key: ExprId,
    other: ExprId,
    /// The key is taken from the other one, so it is less where the key is greater.
    takes_key: bool,
    /// The other one is taken from the key.
    takes_other: bool,
}

/// What an expression is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// Constants.
    Nothing,
    /// The element.
    Element,
    /// The root, which is the same for all elements and whoever asks: a key may be about it, too.
    Root,
    /// Something that is the same for all elements.
    Other,
    Both,
}

impl About {
    fn and(self, other: About) -> About {
        match (self, other) {
            (About::Nothing, about) | (about, About::Nothing) => about,
            (About::Root, about) | (about, About::Root) => about,
            (a, b) if a == b => a,
            _ => About::Both,
        }
    }
}
