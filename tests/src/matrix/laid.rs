//! What is around the row of a cell in the bytes of a file, said without the engine.

use super::place::Place;
use super::row::{Byte, Piece, Row};
use super::rules::Ty;

/// Bytes of two structs that are there where a schema of a cell begins: `k`, `xs` and `recs`.
pub(super) const BEFORE: [u8; 11] = [4, 0, 1, 2, 3, 4, 5, 6, 7, 4, 6];

/// The byte behind everything that is in line.
pub(super) const LAST: u8 = 0x5a;

/// A file, and where in it the pieces are.
#[derive(Debug, Clone, Default)]
pub struct Laid {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where the rows in front of each row begin.
    pub leads: [usize; 2],
    /// Where each row begins.
    pub rows: [usize; 2],
}

/// A byte of a file whose addresses are not known yet.
#[derive(Clone, Copy)]
enum Slot {
    Is(u8),
    /// Of the first or the second piece.
    Of(usize, Byte),
    /// The address of what stands behind the root.
    Behind,
    /// The address of the pool, and so many bytes more.
    Pool(u8),
    /// The address of the relocation table.
    Table,
}

/// A file that is put together.
#[derive(Default)]
struct Sheet {
    slots: Vec<Slot>,
    leads: [usize; 2],
    rows: [usize; 2],
    ends: [usize; 2],
    targets: [usize; 2],
}

impl Sheet {
    fn plain(&mut self, bytes: &[u8]) {
        self.slots.extend(bytes.iter().copied().map(Slot::Is));
    }

    fn bytes(&mut self, which: usize, bytes: &[Byte]) {
        self.slots.extend(bytes.iter().map(|byte| Slot::Of(which, *byte)));
    }

    fn lead(&mut self, which: usize, piece: &Piece) {
        self.leads[which] = self.slots.len();
        self.bytes(which, &piece.lead);
    }

    fn row(&mut self, which: usize, piece: &Piece) {
        self.rows[which] = self.slots.len();
        self.bytes(which, &piece.row);
        self.ends[which] = self.slots.len();
    }

    fn body(&mut self, which: usize, piece: &Piece) {
        self.lead(which, piece);
        self.row(which, piece);
        self.bytes(which, &piece.rest);
    }

    /// What a piece leads to, but for the first bytes, which are there already.
    fn owned(&mut self, which: usize, piece: &Piece, first: usize) {
        while piece.targets.len() > first && !self.slots.len().is_multiple_of(piece.align) {
            self.plain(&[0]);
        }
        self.targets[which] = self.slots.len() - first;
        self.bytes(which, &piece.targets[first..]);
    }

    /// The table of the pointers in each of the two sections.
    fn table(&mut self, pieces: &[&Piece]) {
        let start = self.slots.len();
        let mut entries: [Vec<(usize, u32)>; 2] = Default::default();
        for (which, piece) in pieces.iter().enumerate() {
            let Some(section) = piece.listed else { continue };
            let at = self.rows[which];
            match entries[section].last_mut() {
                // Words of eight bytes that stand one behind the other.
                Some((first, mask)) if at == *first + 8 => *mask |= 2,
                _ => entries[section].push((at, 1)),
            }
        }
        let [main, other] = entries.each_ref().map(Vec::len);
        let head = [2, main + other, 0, start, 0, main, start, 0, main, other];
        self.plain(&head.map(|number| u8::try_from(number).unwrap_or(u8::MAX)));
        for (at, mask) in entries.concat() {
            self.plain(&[u8::try_from(at).unwrap_or(u8::MAX)]);
            self.plain(&mask.to_le_bytes());
        }
    }

    /// The bytes; `behind`, `pool` and `table` are addresses.
    fn laid(self, behind: usize, pool: usize, table: usize) -> Laid {
        let slots = self.slots.iter().map(|slot| match *slot {
            Slot::Is(byte) | Slot::Of(_, Byte::Is(byte)) => usize::from(byte),
            Slot::Of(which, Byte::To(more)) => self.targets[which] + more,
            Slot::Of(which, Byte::End) => self.ends[which],
            Slot::Of(which, Byte::Start) => self.rows[which],
            Slot::Behind => behind,
            Slot::Pool(more) => pool + usize::from(more),
            Slot::Table => table,
        });
        let bytes = slots.map(|number| u8::try_from(number).unwrap_or(u8::MAX)).collect();
        Laid { bytes, leads: self.leads, rows: self.rows }
    }
}

impl Place {
    /// The bytes of a number that are its own.
    #[must_use]
    pub fn number(self, ty: Ty, stored: i128) -> Vec<u8> {
        ty.bits(stored).to_be_bytes()[8 - ty.width()..].to_vec()
    }

    /// The piece that stands in the file, where bits are around the bytes of a row.
    fn piece(self, piece: &Piece) -> Piece {
        let number = piece.row.iter().fold(0_u64, |number, byte| match byte {
            Byte::Is(byte) => number << 8 | u64::from(*byte),
            _ => number,
        });
        let width = piece.row.len();
        let row = match self {
            _ if width > 4 => return piece.clone(),
            Place::Field => (number << 4).to_le_bytes()[..4].to_vec(),
            Place::Cursor => {
                let all = 0b101 << (8 * width + 5) | number << 5 | 0b00110;
                all.to_be_bytes()[7 - width..].to_vec()
            }
            Place::Pattern => {
                let all = 1 << (8 * width + 7) | number << 7;
                all.to_be_bytes()[7 - width..].to_vec()
            }
            _ => return piece.clone(),
        };
        Piece { row: row.into_iter().map(Byte::Is).collect(), ..piece.clone() }
    }

    /// A file with this piece. In an array of two, the second element is `second`; `whole` says
    /// that the piece is the whole array, which has so many elements.
    #[must_use]
    pub fn file(self, piece: &Piece, second: &Piece, whole: Option<usize>, row: &Row) -> Laid {
        let (x, second) = (&self.piece(piece), &self.piece(second));
        let one = u8::try_from(whole.unwrap_or(1)).unwrap_or_default();
        let mut sheet = Sheet::default();
        sheet.plain(&BEFORE);
        let mut pair = self == Place::Elements;
        match self {
            Place::Columns => sheet.plain(&[2, 0x77]),
            Place::Epoch => sheet.plain(&[2]),
            Place::When
            | Place::Case
            | Place::Tagged
            | Place::Common
            | Place::Form
            | Place::Formed => sheet.plain(&[1]),
            Place::Else => sheet.plain(&[0]),
            Place::Table => sheet.plain(&[0, 1, 0, 0, 1]),
            Place::Shared if row.has("count") => sheet.plain(&[0, one]),
            Place::Shared => sheet.plain(&[0, one, one]),
            _ => {}
        }
        match self {
            Place::Array if whole.is_none() => {
                pair = true;
                sheet.lead(0, x);
                sheet.row(0, x);
                sheet.row(1, second);
                sheet.ends[0] = sheet.ends[1];
                sheet.bytes(0, &x.rest);
            }
            Place::Elements => {
                sheet.body(0, x);
                sheet.body(1, second);
            }
            Place::Behind => sheet.slots.push(Slot::Behind),
            Place::Object => {
                sheet.lead(0, x);
                sheet.slots.push(Slot::Behind);
                sheet.bytes(0, &x.rest);
            }
            Place::Named => {
                sheet.body(0, x);
                // "a" has its lowest bit set, and nothing else is there.
                sheet.plain(&u32::MAX.to_le_bytes());
                sheet.slots.extend([Slot::Is(1), Slot::Is(0), Slot::Pool(1)]);
                sheet.plain(&0_u32.to_le_bytes());
                sheet.slots.extend([Slot::Is(0), Slot::Is(1), Slot::Pool(2), Slot::Pool(0)]);
            }
            _ => sheet.body(0, x),
        }
        if row.relocated {
            sheet.slots.push(Slot::Table);
        }
        if !row.open {
            sheet.plain(&[LAST]);
        }
        let mut behind = sheet.slots.len();
        match self {
            Place::Behind => sheet.body(0, x),
            Place::Object => {
                while row.has("align") && !sheet.slots.len().is_multiple_of(x.align) {
                    sheet.plain(&[0]);
                }
                behind = sheet.slots.len();
                sheet.row(0, x);
            }
            _ => {}
        }
        sheet.owned(0, x, 0);
        if pair {
            // Elements of one array have the same rows in front.
            let first = if self == Place::Array { second.front } else { 0 };
            sheet.owned(1, second, first);
        }
        let pool = sheet.slots.len();
        if self == Place::Named {
            sheet.plain(&[2, 0, 1, b'a']);
        }
        let table = sheet.slots.len();
        if row.relocated {
            sheet.table(&[x, second][..if pair { 2 } else { 1 }]);
        }
        sheet.laid(behind, pool, table)
    }

    /// A file without the row, if the place is optional.
    #[must_use]
    pub fn file_without(self, row: &Row) -> Option<Vec<u8>> {
        let inline: &[u8] = match self {
            Place::Columns => &[1, 0x77],
            Place::Epoch => &[1],
            Place::When => &[0],
            Place::Else => &[1, 0x66],
            _ => return None,
        };
        let mut sheet = Sheet::default();
        sheet.plain(&BEFORE);
        sheet.plain(inline);
        if row.relocated {
            sheet.slots.push(Slot::Table);
        }
        if !row.open {
            sheet.plain(&[LAST]);
        }
        let table = sheet.slots.len();
        if row.relocated {
            sheet.table(&[]);
        }
        Some(sheet.laid(table, table, table).bytes)
    }
}
