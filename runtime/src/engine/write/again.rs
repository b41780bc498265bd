//! Reads what was written, where reading depends on where something stands.
//!
//! When writing, the value decides what is there; when reading, conditions and lengths over `here`
//! and `region_end` do, and so do terminators that belong to what follows or that the end of a region
//! stands for. Only reading can tell whether the two agree.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;

use super::super::document::read_once;
use super::super::item::{Item, Loc, NodeRef, WHOLE};
use super::super::program::Program;
use super::super::tree::Tree;
use crate::options::ReadOptions;
use crate::problem::{Problem, ProblemKind};

/// Letters of what is read otherwise.
const MOST_SHOWN: usize = 60;

/// What keeps the value in `tree` from being read again from its bytes.
pub(super) fn reads_otherwise(program: &Program, tree: &Tree, bytes: &[u8]) -> Option<Problem> {
    if bytes == tree.file {
        // The very file that the value was read from.
        return None;
    }
    let options = ReadOptions { lenient: true, ..program.writing.clone() };
    let (document, error) = read_once(program, bytes, &options);
    if let Some(error) = error {
        let why: Box<str> = format!("{}", error.kind()).into();
        return Some(Problem::new(error.path().clone(), ProblemKind::ReadsOtherwise { why }));
    }
    let (loc, why) = difference(tree, document.tree())?;
    let why = why.into();
    Some(Problem::new(tree.path(loc), ProblemKind::ReadsOtherwise { why }))
}

/// The first place where the values of two trees of one layout are not the same, and what is in the
/// other one.
fn difference(one: &Tree, other: &Tree) -> Option<(Loc, String)> {
    let root = Item::Node(NodeRef::ROOT);
    // A list in place of calls in calls: values may be nested deeply.
    let mut open = vec![(Loc::row(NodeRef::ROOT, WHOLE), root, root)];
    while let Some((loc, a, b)) = open.pop() {
        let (a, b) = (one.through(a), other.through(b));
        let first = open.len();
        match (a, b) {
            (Item::Node(a), Item::Node(b)) => {
                if one.record_id(a) != other.record_id(b) {
                    return Some((loc, format!("it is `{}`", other.record(b).name)));
                }
                for (id, row) in one.record(a).numbered_rows() {
                    let (at, to) = (Loc::row(a, id), Loc::row(b, id));
                    if one.is_data(at, row) && other.is_data(to, row) {
                        open.push((at, one.entry(at), other.entry(to)));
                    }
                }
            }
            (Item::Array(a), Item::Array(b)) => {
                let count = one.count(a);
                if count != other.count(b) {
                    return Some((loc, format!("its length is {}, not {count}", other.count(b))));
                }
                for index in 0..count {
                    let item = |item: Option<Item>| item.unwrap_or(Item::Absent);
                    let items = (item(one.element(a, index)), item(other.element(b, index)));
                    open.push((loc.at(index), items.0, items.1));
                }
            }
            (a, b) if is_same(one, a, other, b) => {}
            (Item::Absent | Item::Unset, _) => return Some((loc, "something is there".into())),
            (_, Item::Absent | Item::Unset) => return Some((loc, "nothing is there".into())),
            (_, b) => return Some((loc, format!("it is {}", shown(other, b)))),
        }
        // The first of them is the next.
        open[first..].reverse();
    }
    None
}

/// An item in a message, which has no more of it than is easily read.
fn shown(tree: &Tree, item: Item) -> String {
    let all = tree.show(tree.val(item));
    match all.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &all[..end]),
        None => all,
    }
}

fn is_same(one: &Tree, a: Item, other: &Tree, b: Item) -> bool {
    match (a, b) {
        (Item::Absent | Item::Unset, Item::Absent | Item::Unset) => true,
        (Item::F32(a), Item::F32(b)) => a == b,
        (Item::F64(a), Item::F64(b)) => a == b,
        (Item::Bool(a), Item::Bool(b)) => a == b,
        (Item::Text(a) | Item::Bytes(a), Item::Text(b) | Item::Bytes(b)) => {
            one.bytes(a) == other.bytes(b)
        }
        (Item::Units(a, n), Item::Units(b, m)) => one.units(a, n) == other.units(b, m),
        (a, b) => one.int(a).is_some() && one.int(a) == other.int(b),
    }
}
