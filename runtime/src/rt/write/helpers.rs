//! What generated code calls while it plans, walks and checks.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::super::tree::{
    through, ArrayItem, Item, Loc, NodeId, PointerItem, Text, Tree, NOTHING, UNPLACED, WHOLE,
};
use super::super::val::{eval_error, Fallible, Fault, Val};
use super::labels::Label;
use super::{does_not_fit, still_for, At, Chars, Number, Spot, Tables, Write, Writing};
use crate::problem::ProblemKind;
use crate::spelling::{KeptKind, KeptValue, Spelling, SpellingEntry};
use crate::{varint_width as shortest_width, Endian};

/// A pointer to this.
#[must_use]
pub fn pointer_to(item: Item<'_>) -> Item<'_> {
    Item::Pointer(Box::new(PointerItem::to(item)))
}

/// Elements.
#[must_use]
pub fn array(items: Vec<Item<'_>>) -> Box<ArrayItem<'_>> {
    Box::new(ArrayItem::of(items))
}

/// So many elements that nobody looks at.
#[must_use]
pub fn counted<'v>(count: usize) -> Box<ArrayItem<'v>> {
    Box::new(ArrayItem::counted(u32::try_from(count).unwrap_or(NOTHING)))
}

/// A number as an item.
#[must_use]
pub fn number_item<'v>(number: &impl Number) -> Item<'v> {
    number.number().map_or(Item::Absent, Item::Int)
}

/// A field of a word as an item.
#[must_use]
pub fn word_item<'v>(word: u64, first: u8, last: u8, signed: bool, truth: bool) -> Item<'v> {
    let width = u32::from(last.saturating_sub(first)) + 1;
    let bits = word.checked_shr(first.into()).unwrap_or(0);
    let bits = if width >= 64 { bits } else { bits & ((1 << width) - 1) };
    if truth {
        return Item::Bool(bits != 0);
    }
    let number = i128::from(bits);
    if signed && bits.checked_shr(width - 1).unwrap_or(0) & 1 == 1 {
        return Item::Int(number - (1_i128 << width));
    }
    Item::Int(number)
}

/// The elements of an item.
#[must_use]
pub fn items_of<'t, 'v>(item: &'t Item<'v>) -> &'t [Item<'v>] {
    match through(item) {
        Item::Array(array) => &array.items,
        _ => &[],
    }
}

/// Whether a pointer leads anywhere.
#[must_use]
pub fn is_set(item: &Item<'_>) -> bool {
    !matches!(through(item), Item::Absent | Item::Unset)
}

/// What a pointer leads to.
#[must_use]
pub fn target_of<'v>(item: &Item<'v>) -> Item<'v> {
    through(item).clone()
}

/// Whether an item is a constant of the schema; floats by the bits of their own width.
#[must_use]
pub fn is_constant(item: &Item<'_>, constant: &Item<'_>) -> bool {
    match (through(item), constant) {
        (Item::Int(a), Item::Int(b)) => a == b,
        (Item::Int(a), Item::Bool(b)) | (Item::Bool(b), Item::Int(a)) => *a == i128::from(*b),
        (Item::Bool(a), Item::Bool(b)) => a == b,
        (Item::Float { bits, bytes }, Item::Float { bits: wanted, bytes: width }) => {
            let wanted = match (bytes, width) {
                (4, 8) => narrow(f64::from_bits(*wanted)),
                (8, 4) => {
                    f64::from(f32::from_bits(u32::try_from(*wanted).unwrap_or(u32::MAX))).to_bits()
                }
                _ => *wanted,
            };
            *bits == wanted
        }
        #[allow(clippy::cast_precision_loss)] // Schemas state small numbers.
        (Item::Float { bits, bytes }, Item::Int(wanted)) => {
            let wanted = *wanted as f64;
            *bits == if *bytes == 4 { narrow(wanted) } else { wanted.to_bits() }
        }
        (Item::Text(a), Item::Text(b)) => **a == **b,
        (Item::Bytes(a), Item::Bytes(b)) => **a == **b,
        (Item::Bytes(a), Item::Text(b)) | (Item::Text(b), Item::Bytes(a)) => **a == *b.as_bytes(),
        _ => false,
    }
}

#[allow(clippy::cast_possible_truncation)] // The width of the cell is what is meant.
fn narrow(wide: f64) -> u64 {
    u64::from((wide as f32).to_bits())
}

/// Whether what a spelling replaced is still what follows from the value.
#[must_use]
pub fn keeps(instead_of: &Item<'_>, canonical: &Val<'_>) -> bool {
    match (instead_of, canonical) {
        (Item::Absent, Val::None) => true,
        (Item::Float { bits, bytes: 8 }, Val::Float(f)) => *bits == f.to_bits(),
        (Item::Float { bits, .. }, Val::Float(f)) => *bits == narrow(*f),
        (Item::Int(a), Val::Int(b)) => a == b,
        (Item::Bool(a), Val::Bool(b)) => a == b,
        (Item::Int(a), Val::Bool(b)) => *a == i128::from(*b),
        (Item::Bool(a), Val::Int(b)) => i128::from(*a) == *b,
        (Item::Text(a), Val::Text(b)) => **a == **b,
        (Item::Bytes(a), Val::Bytes(b)) => **a == **b,
        (Item::Units(a), Val::Units(b)) => a == b,
        _ => false,
    }
}

/// The deviation of this kind of a row or element.
#[inline]
#[must_use]
pub fn kept_in(
    spelling: &Spelling,
    row: u16,
    index: Option<u32>,
    kind: KeptKind,
) -> Option<&SpellingEntry> {
    if spelling.is_canonical() {
        return None;
    }
    spelling.find(row, index, kind)
}

/// The form that was kept, if the first that fits is still what it was instead of.
#[must_use]
pub fn kept_form(kept: Option<&SpellingEntry>, first: usize) -> Option<usize> {
    let kept = kept?;
    match (&kept.stored, &kept.instead_of) {
        (KeptValue::Int(stored), KeptValue::Int(instead))
            if usize::try_from(*instead) == Ok(first) =>
        {
            usize::try_from(*stored).ok()
        }
        _ => None,
    }
}

/// The number for nothing that was kept, if it is one.
#[must_use]
pub fn kept_none(kept: Option<&SpellingEntry>, all: &[i128], first: i128) -> i128 {
    match kept {
        Some(SpellingEntry { stored: KeptValue::Int(code), .. }) if all.contains(code) => *code,
        _ => first,
    }
}

/// Bytes that a variable-length integer takes: as kept, if it is still the same number.
#[must_use]
pub fn varint_width(kept: Option<&SpellingEntry>, value: u64, most: u8) -> u8 {
    let shortest = shortest_width(value);
    match kept {
        Some(kept) if still_for(kept, &KeptValue::Int(shortest.into())) => match kept.stored {
            KeptValue::Int(width) => u8::try_from(width)
                .ok()
                .filter(|width| (shortest..=most).contains(width))
                .unwrap_or(shortest),
            _ => shortest,
        },
        _ => shortest,
    }
}

/// `(val - offset) / factor`, exactly.
///
/// # Errors
///
/// If it is no whole number.
pub fn exactly<'v>(val: Val<'v>, factor: i128, offset: i128) -> Fallible<Val<'v>> {
    let Val::Int(measured) = val else { return Ok(val) };
    let rest = measured.checked_sub(offset);
    let exact = rest.filter(|rest| rest.checked_rem(factor) == Some(0));
    match exact.and_then(|rest| rest.checked_div(factor)) {
        Some(stored) => Ok(Val::Int(stored)),
        None => {
            eval_error(format!("{measured} is not {factor} times a whole number plus {offset}"))
        }
    }
}

/// The nearest owner of this record from which these slots lead to the node.
#[must_use]
pub fn owner_scope(tree: &Tree<'_>, node: NodeId, record: u16, way: &[u16]) -> Option<NodeId> {
    let mut at = tree.owner(node);
    while let Some(owner) = at {
        if tree.node(owner).record == record {
            let mut inner = Some(owner);
            for slot in way {
                inner = inner.and_then(|inner| match tree.item(Loc::slot(inner, *slot)) {
                    Item::Node(next) => Some(*next),
                    _ => None,
                });
            }
            if inner == Some(node) {
                return Some(owner);
            }
        }
        at = tree.owner(owner);
    }
    None
}

/// A size below zero.
///
/// # Errors
///
/// Always.
#[cold]
pub fn bad_size<T>(size: i128) -> Fallible<T> {
    eval_error(format!("a size of {size}"))
}

/// A number that means nothing, in a value.
#[cold]
#[must_use]
pub fn is_nothing(n: i128) -> ProblemKind {
    ProblemKind::TextContains { what: format!("{n} is the number for nothing").into() }
}

/// An element that cannot be referred to.
#[cold]
#[must_use]
pub fn no_rank(index: i128) -> ProblemKind {
    let what = format!("element {index} is not one that can be referred to").into();
    ProblemKind::NotAnElement { what }
}

/// A number that follows from nothing.
#[cold]
#[must_use]
pub fn not_there() -> ProblemKind {
    let message = "its number follows from something that is not there".into();
    ProblemKind::Expression { message }
}

/// A run that is not as long as the schema says.
#[cold]
#[must_use]
pub fn wrong_length(wanted: u64, actual: u64) -> ProblemKind {
    let why = format!("the schema says {wanted} bytes").into();
    ProblemKind::LengthMismatch { expected: wanted.into(), actual, why }
}

impl<'v> Writing<'v> {
    /// Says where the bytes of a slot are.
    #[inline]
    pub fn lay_slot(&mut self, node: NodeId, slot: u16, start: Spot, end: Spot) {
        let slot = self.tree.slot_mut(node, slot);
        slot.at = start.at;
        slot.bit = start.bit;
        slot.end = end.end();
    }

    /// Says where a pointer in the pattern of a union is.
    pub fn lay_letter(&mut self, node: NodeId, slot: u16, at: u64) {
        let slot = self.tree.slot_mut(node, slot);
        slot.at = at;
        slot.end = at;
        if let Item::Pointer(pointer) = &mut slot.item {
            pointer.cell = at;
        }
    }

    /// Says where the bytes of a word are.
    pub fn lay_word(&mut self, node: NodeId, at: u64, end: u64) {
        let n = self.tree.node_mut(node);
        n.at = at;
        n.end = end;
        let slots = u16::try_from(self.tree.info(node).slots.len()).unwrap_or(u16::MAX);
        for slot in 0..slots {
            self.lay_letter(node, slot, at);
            self.tree.slot_mut(node, slot).end = end;
        }
    }

    /// Notes where the value of a node is.
    pub fn remember(&mut self, node: NodeId, number: usize) {
        self.tree.node_mut(node).value = u32::try_from(number).unwrap_or(NOTHING);
    }

    /// Logs a pooled text that has no address yet.
    pub fn plan_label(&mut self, kind: u16, node: NodeId, text: Item<'v>) {
        self.log.planned.push(Label { cell: UNPLACED, kind, node, text });
    }

    /// Address behind the last byte of the file.
    ///
    /// # Errors
    ///
    /// If not everything is placed yet.
    pub fn file_end(&self) -> Fallible<u64> {
        match self.total {
            Some(total) => Ok(total),
            None => Err(Box::new(Fault::NotPlaced("file".into()))),
        }
    }

    /// Compares a length with what the schema says of it.
    pub fn compare_length(&mut self, at: At, expected: i128, actual: u64, what: &str) {
        if expected != i128::from(actual) {
            let why = format!("another field gives the {what}").into();
            self.problem(at, ProblemKind::LengthMismatch { expected, actual, why });
        }
    }

    /// Compares the number of elements with what the schema says of it.
    pub fn compare_count(&mut self, at: At, expected: &Val<'_>, actual: i128, why: &str) {
        let actual = u64::try_from(actual).unwrap_or(0);
        match expected {
            Val::None => {}
            Val::Int(expected) if *expected == i128::from(actual) => {}
            Val::Int(expected) => {
                let why = why.into();
                let expected = *expected;
                self.problem(at, ProblemKind::LengthMismatch { expected, actual, why });
            }
            other => {
                let message = format!("the count is {}", super::show(other)).into();
                self.problem(at, ProblemKind::Expression { message });
            }
        }
    }
}

/// Helpers for any writer.
pub trait Helpers<'v>: Write<'v> + Tables<'v> {
    /// The node in a slot or element.
    #[inline]
    fn node_at(&self, loc: Loc) -> Option<NodeId> {
        if loc.slot == WHOLE {
            return None;
        }
        match self.tree().item(loc) {
            Item::Node(node) => Some(*node),
            _ => None,
        }
    }

    /// Adds a node to a slot or element, and plans what is in it.
    fn plan_node(
        &mut self,
        record: u16,
        loc: Loc,
        at: At,
        plan: impl FnOnce(&mut Self, NodeId),
    ) -> Item<'v> {
        match self.add(record, loc, at) {
            Some(node) => {
                plan(self, node);
                Item::Node(node)
            }
            None => Item::Absent,
        }
    }

    /// Byte order of the cells of a node; little if none is chosen, which is a problem.
    fn order_at(&mut self, node: NodeId) -> Endian {
        match self.order_of(node) {
            Ok(order) => order,
            Err(fault) => {
                self.w().report(*fault, At { node, row: None, index: None });
                Endian::Little
            }
        }
    }

    /// A row that this epoch does not have.
    #[cold]
    fn no_row(&mut self, at: At, epoch: &str) {
        let why = format!("it does not exist in {epoch}").into();
        self.w().problem(at, ProblemKind::UnexpectedField { why });
    }

    /// Takes away what a pointer leads to if the array in another slot is empty.
    fn none_with(&mut self, node: NodeId, slot: u16, with: u16) {
        let empty = self.tree().count_items(Loc::slot(node, with)) == 0;
        let loc = Loc::slot(node, slot);
        if !empty || matches!(self.tree().item(loc), Item::Absent) {
            return;
        }
        if let Item::Node(unused) = *self.tree().item(loc) {
            self.tree_mut().node_mut(unused).dead = true;
        }
        self.tree_mut().set(node, slot, pointer_to(Item::Absent));
    }

    /// A row that was left out is the constant if its condition holds.
    fn default_when(&mut self, node: NodeId, slot: u16, condition: u16, constant: Item<'v>) {
        if matches!(self.tree().slot(node, slot).item, Item::Absent)
            && matches!(self.truth(condition, node, None), Ok(true))
        {
            self.tree_mut().set(node, slot, constant);
        }
    }

    /// Size of the region of a row.
    ///
    /// # Errors
    ///
    /// If it cannot be computed.
    fn row_size(&mut self, loc: Loc) -> Fallible<Val<'v>> {
        self.force(loc.node, loc.slot)?;
        let (at, end) = (self.loc_address(loc, false)?, self.loc_address(loc, true)?);
        match (at, end) {
            (Some(at), Some(end)) if at != UNPLACED && end != UNPLACED => {
                Ok(Val::Int((end.saturating_sub(at)).into()))
            }
            (None, _) | (_, None) => Ok(Val::None),
            _ => self.measure(loc.node, loc.slot).map(|size| Val::Int(size.into())),
        }
    }

    /// Address of a row, minus a base.
    ///
    /// # Errors
    ///
    /// If it is not placed yet.
    fn placed(&mut self, loc: Loc, end: bool, base: Option<u16>) -> Fallible<Val<'v>> {
        self.force(loc.node, loc.slot)?;
        match self.loc_address(loc, end)? {
            Some(UNPLACED) => Err(Box::new(Fault::NotPlaced(self.describe(loc)))),
            None => Ok(Val::None),
            Some(at) => {
                let base = match base {
                    Some(base) => self.int(base, loc.node, None)?.unwrap_or(0),
                    None => 0,
                };
                Ok(Val::Int(i128::from(at) - base))
            }
        }
    }

    /// Number of elements of what is in a slot.
    ///
    /// # Errors
    ///
    /// If it cannot be computed.
    fn count_slot(&mut self, node: NodeId, slot: u16) -> Fallible<Val<'v>> {
        self.force(node, slot)?;
        Ok(Val::Int(self.tree().count_items(Loc::slot(node, slot)).into()))
    }

    /// Rank of an element among those for which a filter holds.
    ///
    /// # Errors
    ///
    /// If the array or filter fails.
    fn rank(
        &mut self,
        path: u16,
        filter: u16,
        node: NodeId,
        index: i128,
    ) -> Fallible<Option<i128>> {
        let Some(array) = self.referred(path, node)? else { return Ok(Some(index)) };
        let ranks = self.filtered(array, filter, node)?;
        Ok(ranks.iter().position(|rank| i128::from(*rank) == index).map(|rank| rank as i128))
    }

    /// Address of what a pointer owns.
    ///
    /// # Errors
    ///
    /// None.
    fn own_address(&mut self, loc: Loc, empty_target: bool) -> Fallible<Option<u64>> {
        let Some(pointer) = self.tree().pointer(loc) else { return Ok(None) };
        Ok(match &pointer.target {
            Item::Absent if empty_target => Some(pointer.at),
            Item::Absent | Item::Unset => None,
            Item::Node(node) => Some(self.tree().node(*node).at),
            Item::Array(_) | Item::Bytes(_) if pointer.at == UNPLACED => None,
            _ => Some(pointer.at),
        })
    }

    /// Address of a pooled text.
    ///
    /// # Errors
    ///
    /// If the path of the pool fails.
    fn label_address(
        &mut self,
        pool: u16,
        node: NodeId,
        text: Chars<'_>,
        at: At,
    ) -> Fallible<Option<u64>> {
        let found = match text {
            Chars::None => return Ok(None),
            Chars::Text(text) => self.member_address(pool, node, text.as_bytes())?,
            Chars::Bytes(bytes) => self.member_address(pool, node, bytes)?,
            Chars::Units(units) => match alloc::string::String::from_utf16(units) {
                Ok(text) => self.member_address(pool, node, text.as_bytes())?,
                Err(_) => {
                    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
                    self.member_address(pool, node, &bytes)?
                }
            },
        };
        if found.is_none() {
            let what = "the pool does not hold this text".into();
            self.w().problem(at, ProblemKind::NotAnElement { what });
        }
        Ok(Some(found.unwrap_or(0)))
    }

    /// Address of an element.
    ///
    /// # Errors
    ///
    /// If the array cannot be computed.
    fn element_address(
        &mut self,
        path: u16,
        node: NodeId,
        index: Option<i128>,
    ) -> Fallible<Option<u64>> {
        let Some(index) = index else { return Ok(None) };
        let (Some(array), Ok(index)) = (self.referred(path, node)?, u32::try_from(index)) else {
            return Ok(None);
        };
        self.loc_address(Loc { index: Some(index), ..array }, false)
    }

    /// Checks that numbers are positions in an array, or contents of a field of its elements.
    ///
    /// # Errors
    ///
    /// If the array cannot be computed.
    fn check_references(
        &mut self,
        path: u16,
        field: Option<&'static str>,
        node: NodeId,
        at: At,
        numbers: impl Iterator<Item = (Option<u32>, Option<i128>)>,
    ) -> Fallible<()> {
        let mut array = None;
        let mut contents: Option<Rc<BTreeSet<i128>>> = None;
        for (element, number) in numbers {
            let Some(index) = number else { continue };
            let here = At { index: element.or(at.index), ..at };
            let (known, count) = match array {
                Some(known) => known,
                None => {
                    let Some(found) = self.referred(path, node)? else {
                        let what = "the array that it refers to is not there".into();
                        self.w().problem(here, ProblemKind::NotAnElement { what });
                        return Ok(());
                    };
                    let count = self.tree().count_items(found);
                    array = Some((found, count));
                    (found, count)
                }
            };
            if let Some(field) = field {
                let contents = &*contents.get_or_insert_with(|| self.field_contents(known, field));
                if !contents.contains(&index) {
                    let what = format!("no element has the {field} {index}").into();
                    self.w().problem(here, ProblemKind::NotAnElement { what });
                }
            } else if index < 0 || index >= i128::from(count) {
                self.w().problem(here, ProblemKind::IndexOutOfRange { index, count });
            }
        }
        Ok(())
    }

    /// Checks that numbers differ.
    fn check_unique(&mut self, at: At, numbers: impl Iterator<Item = Option<i128>>) {
        let mut seen = BTreeSet::new();
        for (index, number) in (0_u32..).zip(numbers) {
            let Some(number) = number else { continue };
            if !seen.insert(number) {
                let key = number.to_string().into();
                self.w().problem(at.element(index), ProblemKind::DuplicateKey { key });
            }
        }
    }

    /// Checks that a row differs in all elements of the array around it. Called for each of them.
    fn check_unique_row(&mut self, node: NodeId, name: &str) {
        if self.tree().node(node).index != 0 {
            return;
        }
        let Some(holder) = self.tree().holder(node) else { return };
        let array = Loc { index: None, ..holder };
        let numbers = self.field_numbers(array, name);
        let mut seen = BTreeSet::new();
        for (index, number) in (0_u32..).zip(numbers) {
            if !seen.insert(number) {
                let key = number.to_string().into();
                let loc = Loc { index: Some(index), ..array };
                self.w().problem_loc(loc, ProblemKind::DuplicateKey { key });
            }
        }
    }

    /// Number for messages that does not fit.
    fn refuse_number(&mut self, at: At, n: i128, ty: &str) {
        self.w().problem(at, does_not_fit(n, ty));
    }

    /// The value of a slot or element, for a rule.
    ///
    /// # Errors
    ///
    /// If it cannot be computed.
    fn it(&mut self, loc: Loc) -> Fallible<Val<'v>> {
        self.load(Val::Loc(loc))
    }

    /// A text that was made, as a value.
    fn text(&self, text: &'static str) -> Val<'v> {
        Val::Text(Text::Borrowed(text))
    }
}

impl<'v, W: Write<'v>> Helpers<'v> for W {}

/// A case that this epoch does not have.
#[cold]
#[must_use]
pub fn no_case(case: &str, epoch: &str) -> ProblemKind {
    let why = format!("case `{case}` does not exist in {epoch}").into();
    ProblemKind::UnexpectedField { why }
}

/// An element that ends an array too early, or not at all.
#[cold]
#[must_use]
pub fn wrong_last(why: &str) -> ProblemKind {
    ProblemKind::CheckFailed { check: format!("this element {why}").into() }
}

/// A case that is not the one that data elsewhere says.
#[cold]
#[must_use]
pub fn wrong_case(name: Option<&str>, val: &Val<'_>) -> ProblemKind {
    let val = super::show(val);
    let check = match name {
        Some(name) => format!("the case is `{name}`, as {val} says"),
        None => format!("a case for {val}"),
    };
    ProblemKind::CheckFailed { check: check.into() }
}
