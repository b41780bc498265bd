//! What parts say, in digests, and how much two of them have in common.

use std::collections::{HashMap, HashSet};

use formwork::engine::Item;

use super::align::NONE;
use super::hash::{self, Quick, mix};
use super::parts::{Described, PartId, Parts, Spot, What, fields};
use crate::stack::with_stack;

/// What the parts of one of two files say. A reference says which element it leads to as soon as it is
/// known which element of the other file that one is.
pub(super) struct Content<'p, 't> {
    pub parts: &'p Parts<'t>,
    /// Digests of the parts with what they refer to.
    strong: Vec<u64>,
    /// Arrays whose elements are matched.
    settled: HashSet<PartId, Quick>,
    /// Elements in such arrays that are matched with one that says something else: what stands for
    /// both.
    changed: HashMap<(PartId, u32), u64, Quick>,
}

impl<'p, 't> Content<'p, 't> {
    pub(super) fn new(parts: &'p Parts<'t>) -> Content<'p, 't> {
        Content {
            parts,
            strong: parts.all.iter().map(|part| part.strong).collect(),
            settled: HashSet::default(),
            changed: HashMap::default(),
        }
    }

    /// Digest of a value with what it refers to.
    pub(super) fn digest_of(&self, id: PartId) -> u64 {
        self.strong[id as usize]
    }

    /// Digest of a number among numbers, with what it refers to.
    pub(super) fn number_digest(&self, id: PartId, index: u32) -> u64 {
        self.parts.referring(id, self.parts.number(id, index), Some(Refer::Matched(self)))
    }

    /// Digest of an element in an array.
    fn element_digest(&self, list: PartId, at: u32) -> u64 {
        match self.parts.element(list, at).number {
            Some(at) => self.number_digest(list, at),
            None => self.digest_of(self.parts.inside(list).start + at),
        }
    }

    /// What stands for an element of an array whose elements are matched, in both files.
    fn identity(&self, list: PartId, at: u32) -> u64 {
        let changed = self.changed.get(&(list, at)).copied();
        changed.unwrap_or_else(|| mix(9, self.element_digest(list, at)))
    }

    /// Makes the digests of the parts in a part anew, since more is matched by now. Returns how many
    /// it has looked at.
    pub(super) fn renew(&mut self, id: PartId) -> usize {
        let part = self.parts.part(id);
        if part.weak == part.strong {
            // Nothing in it refers to anything, or is described.
            return 1;
        }
        let inside = self.parts.inside(id);
        let looked = with_stack(|| inside.map(|inner| self.renew(inner)).sum::<usize>());
        let of = |inner: PartId| self.digest_of(inner);
        self.strong[id as usize] = self.parts.digest_with(id, &of, Some(Refer::Matched(self)));
        looked + 1
    }

    /// Takes down that the elements of an array are matched with those of one of the other file.
    pub(super) fn settle(
        &mut self,
        of_a: PartId,
        other: &mut Content<'_, '_>,
        of_b: PartId,
        pairs: impl Iterator<Item = (u32, u32)>,
    ) {
        for (from, to) in pairs {
            if self.element_digest(of_a, from) != other.element_digest(of_b, to) {
                let both = mix(mix(20, of_a.into()), from.into());
                self.changed.insert((of_a, from), both);
                other.changed.insert((of_b, to), both);
            }
        }
        self.settled.insert(of_a);
        other.settled.insert(of_b);
    }

    /// How much two values have in common; nothing means that one is not the other.
    pub(super) fn similar(&self, id: PartId, other: &Content<'_, '_>, its: PartId) -> u32 {
        let mut looks = 32;
        let common = self.common(id, other, its, &mut looks);
        match (self.parts.part(id).what, other.parts.part(its).what) {
            (What::Case(a), What::Case(b)) if self.parts.case(a) == other.parts.case(b) => {
                common + 2
            }
            _ => common,
        }
    }

    /// Whether two elements have nothing in common but what names them.
    pub(super) fn only_name(
        &self,
        id: PartId,
        other: &Content<'_, '_>,
        its: PartId,
        name: PartId,
    ) -> bool {
        self.similar(id, other, its) <= self.parts.weight(name)
    }

    /// Digest of an element without what names it.
    pub(super) fn rest_digest(&self, element: PartId, name: PartId) -> u64 {
        let others = self.parts.inside(element).filter(|field| *field != name);
        others.fold(17, |digest, field| {
            let row = self.parts.row_name(field).unwrap_or_default();
            hash::bytes(mix(digest, self.digest_of(field)), row.as_bytes())
        })
    }

    fn common(&self, id: PartId, other: &Content<'_, '_>, its: PartId, looks: &mut u32) -> u32 {
        if self.digest_of(id) == other.digest_of(its) {
            return self.parts.weight(id);
        }
        *looks = looks.saturating_sub(1);
        if *looks == 0 {
            return 0;
        }
        let (a, b) = (self.parts, other.parts);
        match (a.part(id).what, b.part(its).what) {
            (What::Case(x), What::Case(y)) if a.case(x) != b.case(y) => 0,
            (What::Struct(_), What::Struct(_)) | (What::Case(_), What::Case(_)) => {
                with_stack(|| {
                    let pairs = fields(a, id, b, its).into_iter();
                    pairs
                        .map(|(a, b)| match (a, b) {
                            (Some(a), Some(b)) => self.common(a, other, b, looks),
                            _ => 0,
                        })
                        .sum()
                })
            }
            _ => 0,
        }
    }
}

/// What references say.
#[derive(Clone, Copy)]
enum Refer<'c, 'p, 't> {
    /// What the element says, or what names it.
    Content,
    /// Which element it is, where that is known.
    Matched(&'c Content<'p, 't>),
}

impl<'t> Parts<'t> {
    /// Digest of a value without what it refers to.
    pub(crate) fn weak_digest_of(&self, id: PartId) -> u64 {
        self.part(id).weak
    }

    /// The same of a number among numbers.
    pub(super) fn weak_number_digest(&self, id: PartId, index: u32) -> u64 {
        self.referring(id, self.number(id, index), None)
    }

    /// Makes the digests, as far as they follow from this file alone. Parts come behind what they are
    /// in.
    pub(super) fn digest(&mut self) {
        for id in (0..u32::try_from(self.all.len()).unwrap_or(u32::MAX)).rev() {
            self.all[id as usize].weak = self.digest_with(id, &|inner| self.part(inner).weak, None);
        }
        for id in (0..u32::try_from(self.all.len()).unwrap_or(u32::MAX)).rev() {
            let of = |inner| self.part(inner).strong;
            self.all[id as usize].strong = self.digest_with(id, &of, Some(Refer::Content));
        }
    }

    /// The array that describes elements of another one.
    fn described_by(&self, id: PartId) -> Option<(PartId, &Described)> {
        let described = self.described(id)?;
        Some((described.list?, described))
    }

    fn digest_with(
        &self,
        id: PartId,
        of: &dyn Fn(PartId) -> u64,
        refer: Option<Refer<'_, '_, '_>>,
    ) -> u64 {
        let part = self.part(id);
        if let (Some(refer), Some((list, described))) = (refer, self.described_by(id)) {
            let element = |at: u32| match self.element(id, at) {
                Spot { part, number: None } => of(part),
                spot => self.referring(id, self.item(spot), Some(refer)),
            };
            let all = (0..).zip(&described.by);
            return match refer {
                Refer::Matched(content) if content.settled.contains(&list) => {
                    // It does not matter in which order the descriptors are.
                    let of_one = |(at, by): (u32, &u32)| match *by {
                        NONE => mix(mix(21, at.into()), element(at)),
                        by => mix(content.identity(list, by), element(at)),
                    };
                    all.map(of_one).fold(22, u64::wrapping_add)
                }
                _ => all.fold(23, |digest, (at, _)| mix(digest, element(at))),
            };
        }
        match part.what {
            What::Unread => 1,
            What::None => 2,
            What::Leaf(item) => self.referring(id, item, refer),
            What::Numbers(array) => {
                let count = self.tree.count(array);
                let all = (0..count).map(|at| self.referring(id, self.number(id, at), refer));
                all.fold(mix(3, count.into()), mix)
            }
            What::List(_) => {
                let inside = self.inside(id);
                let start = mix(3, u64::try_from(inside.len()).unwrap_or(u64::MAX));
                inside.fold(start, |digest, element| mix(digest, of(element)))
            }
            What::Struct(_) | What::Case(_) => {
                let start = match part.what {
                    What::Case(node) => hash::bytes(4, self.case(node).as_bytes()),
                    _ => 5,
                };
                // What is not there is as if it had no field.
                let there = self.inside(id).filter(|f| self.part(*f).what != What::None);
                there.fold(start, |digest, field| {
                    let name = self.row_name(field).unwrap_or_default();
                    hash::bytes(mix(digest, of(field)), name.as_bytes())
                })
            }
        }
    }

    /// Digest of a number or text; of a reference, what is known of the element that it leads to.
    /// Where that is a reference itself, it is what that one leads to.
    fn referring(&self, id: PartId, item: Item, refer: Option<Refer<'_, '_, '_>>) -> u64 {
        let (mut id, mut item) = (id, item);
        let mut passed = Vec::new();
        loop {
            // Numbers that lead to each other say nothing but their own.
            // The content of a field says which element it is.
            let array = self.target(id).filter(|_| self.keyed(id).is_none());
            let Some(array) = array.filter(|array| !passed.contains(array)) else {
                return self.leaf_digest(item);
            };
            let position = self.tree.int(item).and_then(|number| u32::try_from(number).ok());
            let Some(position) = position else { return 6 };
            let Some(refer) = refer else { return 7 };
            if self.length(array).is_none_or(|length| position >= length) {
                return 8;
            }
            let element = self.element(array, position);
            match refer {
                Refer::Matched(content) if content.settled.contains(&array) => {
                    if let Some(both) = content.changed.get(&(array, position)) {
                        return *both;
                    }
                    if element.number.is_none() {
                        return mix(9, content.digest_of(element.part));
                    }
                }
                _ if element.number.is_none() => {
                    let key = self.name_of(element.part).unwrap_or(element.part);
                    match self.part(key).what {
                        What::Leaf(_) if key == element.part && self.target(key).is_some() => {}
                        _ => return mix(9, self.weak_digest_of(key)),
                    }
                }
                _ => {}
            }
            passed.push(array);
            (id, item) = (element.part, self.item(element));
        }
    }

    fn leaf_digest(&self, item: Item) -> u64 {
        match item {
            Item::F32(bits) => mix(10, bits.into()),
            Item::F64(bits) => mix(11, bits),
            Item::Bool(yes) => mix(12, yes.into()),
            Item::Text(text) => hash::bytes(13, self.tree.text(text).as_bytes()),
            Item::Bytes(bytes) => hash::bytes(14, self.tree.bytes(bytes)),
            Item::Units(start, len) => {
                let units = self.tree.units(start, len);
                units.iter().fold(15, |digest, unit| mix(digest, (*unit).into()))
            }
            item => {
                let number = self.tree.int(item).unwrap_or(i128::MIN);
                let [low, high] = [number, number >> 64].map(|half| (half & HALF) as u64);
                mix(mix(16, low), high)
            }
        }
    }
}

/// The lower half of a number.
const HALF: i128 = u64::MAX as i128;
