//! Numbers as they are stored.

use formwork::Endian;
use formwork_codegen::model::{Cell, IntType, Meaning, PointerType, RecordKind, Storage};

use super::file::{File, Site};

impl<'m> File<'m> {
    /// The number in a cell, as stored.
    #[must_use]
    pub fn load(&self, site: &Site<'_>, cell: &Cell) -> Option<i128> {
        match cell.storage {
            Storage::Fixed(int) => {
                let endian = self.endian(site.node, int)?;
                let raw =
                    formwork::algorithms::load_uint(self.bytes, site.at, int.bytes, endian).ok()?;
                Some(signed(raw, u32::from(int.bytes) * 8, int.signed))
            }
            Storage::Word { first, last, signed: is_signed } => {
                let word = u64::try_from(self.nodes[site.node].tag).ok()?;
                let width = u32::from(last - first) + 1;
                Some(signed(word >> first & ones(width), width, is_signed))
            }
            Storage::Bits { width, msb_first } => {
                let mut number = 0_u64;
                for (position, weight) in self.bit_places(site, width, msb_first)? {
                    let byte = self.byte(position / 8)?;
                    number |= u64::from(byte >> (position % 8) & 1) << weight;
                }
                Some(number.into())
            }
            _ => None,
        }
    }

    /// The bytes that make a cell hold another number; none if it can't, or is of a kind that shares
    /// its bytes in a way that this does not undo.
    #[must_use]
    pub fn store(&self, site: &Site<'_>, cell: &Cell, number: i128) -> Option<(u64, Vec<u8>)> {
        match cell.storage {
            Storage::Fixed(int) => {
                let width = u32::from(int.bytes) * 8;
                self.store_int(site.node, site.at, int, unsigned(number, width, int.signed)?)
            }
            Storage::Word { first, last, signed } => {
                let RecordKind::Word(int) = self.record(site.node).kind else { return None };
                let width = u32::from(last - first) + 1;
                let bits = unsigned(number, width, signed)?;
                let word = u64::try_from(self.nodes[site.node].tag).ok()?;
                let word = word & !(ones(width) << first) | bits << first;
                self.store_int(site.node, site.at, int, word)
            }
            Storage::Bits { width, msb_first } => {
                let bits = unsigned(number, width.into(), false)?;
                let places = self.bit_places(site, width, msb_first)?;
                let last = places.iter().map(|(position, _)| position / 8).max()?;
                let mut bytes: Vec<u8> =
                    (site.at..=last).map(|at| self.byte(at)).collect::<Option<_>>()?;
                for (position, weight) in places {
                    let byte = bytes.get_mut(usize::try_from(position / 8 - site.at).ok()?)?;
                    let mask = 1 << (position % 8);
                    *byte = if bits >> weight & 1 == 1 { *byte | mask } else { *byte & !mask };
                }
                Some((site.at, bytes))
            }
            _ => None,
        }
    }

    /// The bits of a field, as eight times the byte plus the bit in it, each with its weight in the
    /// number.
    fn bit_places(&self, site: &Site<'_>, width: u8, msb_first: bool) -> Option<Vec<(u64, u8)>> {
        if site.index.is_some() || site.behind {
            return None;
        }
        let first = self.nodes[site.node].rows[site.row.index()].bit;
        let begin = site.at * 8 + u64::from(first);
        let place = |i: u8| {
            let position = begin + u64::from(i);
            match msb_first {
                true => (position - position % 8 + (7 - position % 8), width - 1 - i),
                false => (position, i),
            }
        };
        Some((0..width).map(place).collect())
    }

    fn store_int(&self, node: usize, at: u64, int: IntType, raw: u64) -> Option<(u64, Vec<u8>)> {
        let endian = self.endian(node, int)?;
        let mut bytes = vec![0; usize::from(int.bytes)];
        formwork::algorithms::store_uint(&mut bytes, 0, int.bytes, endian, raw)
            .then_some((at, bytes))
    }

    fn endian(&self, node: usize, int: IntType) -> Option<Endian> {
        int.order.map(Endian::from).or(self.nodes[node].order)
    }

    /// Lowest and highest number that a cell can hold.
    #[must_use]
    pub fn limits(&self, cell: &Cell) -> Option<(i128, i128)> {
        let (width, signed) = match cell.storage {
            Storage::Fixed(int) => (u32::from(int.bytes) * 8, int.signed),
            Storage::Word { first, last, signed } => (u32::from(last - first) + 1, signed),
            Storage::Bits { width, .. } => (u32::from(width), false),
            _ => return None,
        };
        Some(if signed {
            (-(1 << (width - 1)), (1 << (width - 1)) - 1)
        } else {
            (0, (1 << width) - 1)
        })
    }

    /// How the number of a pointer is stored.
    #[must_use]
    pub fn pointer_cell<'p>(&self, pointer: &'p PointerType) -> &'p Cell
    where
        'm: 'p,
    {
        let kind: &'p Cell = &self.model.pointers[pointer.kind.index()].cell;
        pointer.cell.as_ref().unwrap_or(kind)
    }
}

/// Size of a cell of whole bytes; of bits in a word that of nothing.
#[must_use]
pub fn whole_bytes(cell: &Cell) -> Option<u64> {
    match (cell.storage, &cell.meaning) {
        (Storage::Fixed(int), Meaning::Int | Meaning::Float(_) | Meaning::Bool { .. })
        | (Storage::Fixed(int), Meaning::Enum(_) | Meaning::Word(_)) => Some(int.bytes.into()),
        _ => None,
    }
}

fn ones(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn signed(raw: u64, width: u32, signed: bool) -> i128 {
    if signed { formwork::algorithms::sign_extend(raw, width).into() } else { raw.into() }
}

/// The bits of a number, if so many can hold it.
fn unsigned(number: i128, width: u32, signed: bool) -> Option<u64> {
    let (low, high) = if signed {
        (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1)
    } else {
        (0, (1_i128 << width) - 1)
    };
    let mask = i128::from(ones(width));
    (low..=high).contains(&number).then(|| u64::try_from(number & mask).ok()).flatten()
}
