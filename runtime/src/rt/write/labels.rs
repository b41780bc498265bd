//! What string pools and relocation tables are made of: pooled texts and addresses of pointers,
//! logged while rows are placed.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::super::engine::Engine;
use super::super::labels::{Policy, Relocation};
use super::super::tables::listings;
use super::super::tree::{Item, Loc, NodeId, UNPLACED};
use super::super::val::{Fallible, Fault};

/// Class of a pointer's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// One object.
    Object,
    /// An array.
    Array,
    /// A dictionary.
    Dictionary,
    /// A pooled text.
    Text,
    /// A row that a program fills in memory, of so many bytes.
    Runtime(u64),
    /// A number that stands for no kind of pointer.
    Plain,
}

/// A pooled text.
#[derive(Debug, Clone)]
pub struct Label<'a> {
    /// Address of the pointer.
    pub cell: u64,
    /// Number of its kind.
    pub kind: u16,
    /// The nearest node around it.
    pub node: NodeId,
    /// The text: [`Item::Text`], [`Item::Bytes`] or [`Item::Units`].
    pub text: Item<'a>,
}

/// A pointer, or a number that stands for one.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// Its address.
    pub at: u64,
    /// Number of its kind; of no meaning for [`Class::Runtime`] and [`Class::Plain`].
    pub kind: u16,
    /// Class of its target.
    pub class: Class,
    /// What its row says, if it says something.
    pub policy: Option<Policy>,
    /// Section of the table.
    pub section: u16,
    /// Whether it is not none.
    pub set: Set,
}

/// Whether a pointer is not none.
#[derive(Debug, Clone, Copy)]
pub enum Set {
    /// Known already.
    Known(bool),
    /// As the pointer in a slot or element says.
    Pointer(Loc),
    /// As the number in a slot says, which is not this one.
    Number(Loc, Option<i128>),
}

/// What is logged.
#[derive(Debug, Default)]
pub struct Labels<'a> {
    /// Pooled texts with their addresses.
    pub labels: Vec<Label<'a>>,
    /// Pooled texts that may not have an address yet when the pool is made.
    pub planned: Vec<Label<'a>>,
    /// Pointers.
    pub cells: Vec<Cell>,
}

/// Addresses of all pointers that belong in the relocation table, with their sections. `set` says
/// whether one is not none where the log does not know.
///
/// # Errors
///
/// If a condition fails, or a pointer has no address.
pub fn listed_cells<'a, E: Engine<'a>>(
    engine: &mut E,
    relocation: &'static Relocation,
    cells: &[Cell],
    set: &mut dyn FnMut(&mut E, &Cell) -> Fallible<bool>,
) -> Fallible<Vec<(u64, u16)>> {
    let listings = listings(engine, relocation)?;
    let mut found = Vec::with_capacity(cells.len());
    for cell in cells {
        let listing = listings.get(usize::from(cell.kind)).copied().flatten();
        let by_class = match cell.class {
            Class::Object => listing.map(|l| l.object),
            Class::Array => listing.map(|l| l.array),
            Class::Dictionary => listing.map(|l| l.dictionary),
            Class::Text => listing.map(|l| l.string),
            Class::Plain => None,
            Class::Runtime(width) => {
                relocation.kinds.iter().zip(&listings).find_map(|(kind, listing)| {
                    let policy = listing.filter(|_| u64::from(kind.width) == width)?.runtime;
                    Some(policy).filter(|policy| *policy != Policy::Never)
                })
            }
        };
        let listed = match cell.policy.or(by_class) {
            Some(Policy::Always) => true,
            Some(Policy::Set) => match cell.set {
                Set::Known(set) => set,
                _ => set(engine, cell)?,
            },
            Some(Policy::Never) | None => false,
        };
        if listed {
            if cell.at == UNPLACED {
                return Err(Box::new(Fault::NotPlaced("a pointer".into())));
            }
            found.push((cell.at, cell.section));
        }
    }
    engine.charge(found.len() as u64)?;
    Ok(found)
}
