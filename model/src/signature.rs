//! What the first bytes of a file must be for it to have a format.

use alloc::vec;
use alloc::vec::Vec;

use crate::{
    ByteOrder, ByteOrderRule, Cell, Constant, Content, EndianRule, EpochId, Home, Meaning, Model,
    RecordId, RowId, RowKind, RunLength, Storage, Type,
};

/// Bytes at constant offsets that are the same in every file of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// In the order of their offsets.
    pub cells: Vec<SignatureCell>,
}

/// One place that must hold one of a few byte strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureCell {
    /// In bytes from the start of the file.
    pub offset: u64,
    /// What may stand there; all of one length, at least one.
    pub allowed: Vec<Vec<u8>>,
    /// Inline rows from the root to what stands there, in the first epoch.
    pub rows: Vec<RowId>,
    /// Whether it is a text or bytes that the schema states.
    pub is_magic: bool,
}

impl SignatureCell {
    /// Whether both say the same, whichever rows say it.
    fn same(&self, other: &SignatureCell) -> bool {
        self.offset == other.offset && self.allowed == other.allowed
    }
}

/// Inline structs in structs that are looked into.
const NESTING: usize = 16;

/// A closed enumeration with more members says little.
const MOST_MEMBERS: usize = 64;

impl Signature {
    /// Collects the cells that are the same in all epochs of the root.
    #[must_use]
    pub fn of(model: &Model) -> Signature {
        let epochs = 0..u32::try_from(model.epochs.len()).unwrap_or(u32::MAX);
        let mut common: Option<Vec<SignatureCell>> = None;
        for epoch in epochs {
            let mut cells = Vec::new();
            let orders = match model.byte_order {
                ByteOrderRule::Fixed(order) => vec![order],
                ByteOrderRule::Mark { .. } => vec![ByteOrder::Little, ByteOrder::Big],
            };
            let collector = Collector { model, epoch: EpochId(epoch) };
            collector.collect(model.root, 0, &orders, &mut Vec::new(), &mut cells);
            common = Some(match common {
                None => cells,
                Some(mut before) => {
                    before.retain(|cell| cells.iter().any(|other| other.same(cell)));
                    before
                }
            });
        }
        let mut cells = common.unwrap_or_default();
        cells.sort_by_key(|cell| cell.offset);
        Signature { cells }
    }

    /// Whether bytes have every cell. A signature that says too little fits nothing.
    #[must_use]
    pub fn fits(&self, bytes: &[u8]) -> bool {
        self.is_telling() && self.cells.iter().all(|cell| stands(bytes, cell.offset, &cell.allowed))
    }

    /// Whether it says enough to tell a file from those of other formats.
    #[must_use]
    pub fn is_telling(&self) -> bool {
        self.bits() >= LEAST_BITS
    }

    /// How much it says: the number of bits that a file of another kind would have to have by
    /// chance.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.cells.iter().map(|cell| bits(&cell.allowed)).sum()
    }
}

/// Less than this many bits are no magic number; a byte order mark alone has 15.
const LEAST_BITS: u64 = 16;

/// Whether one of these stands at an offset.
#[must_use]
pub fn stands<T: AsRef<[u8]>>(bytes: &[u8], offset: u64, allowed: &[T]) -> bool {
    let Ok(offset) = usize::try_from(offset) else { return false };
    let rest = bytes.get(offset..).unwrap_or(&[]);
    allowed.iter().any(|allowed| rest.starts_with(allowed.as_ref()))
}

/// How many bits a place says in which one of these stands.
#[must_use]
pub fn bits<T: AsRef<[u8]>>(allowed: &[T]) -> u64 {
    let bytes = allowed.first().map_or(0, |first| first.as_ref().len());
    let choices = u64::from(allowed.len().max(1).ilog2());
    u64::try_from(bytes).unwrap_or(u64::MAX).saturating_mul(8).saturating_sub(choices)
}

struct Collector<'m> {
    model: &'m Model,
    epoch: EpochId,
}

impl Collector<'_> {
    fn collect(
        &self,
        record: RecordId,
        base: u64,
        orders: &[ByteOrder],
        rows: &mut Vec<RowId>,
        cells: &mut Vec<SignatureCell>,
    ) {
        if rows.len() >= NESTING {
            return;
        }
        let Some(record) = self.model.records.get(record.index()) else { return };
        let own = match &record.endian {
            None => orders.to_vec(),
            Some(EndianRule::Fixed(order)) => vec![*order],
            Some(EndianRule::Chosen(..)) => Vec::new(),
        };
        // Rows without homes have known offsets as long as everything before them has one size.
        let fixed = record.sizes.get(self.epoch.index()).copied().flatten();
        let mut next = base.checked_add(fixed.unwrap_or(0));
        for (id, row) in (0..).map(RowId).zip(&record.rows) {
            let size = self.model.size_of(&row.ty, self.epoch);
            let offset = match row.homes.get(self.epoch.index()) {
                Some(Home::At(offset)) => base.checked_add(*offset),
                Some(Home::Next) if row.when.is_some() => {
                    next = None;
                    None
                }
                Some(Home::Next) => {
                    let here = next;
                    next = here.zip(size).and_then(|(here, size)| here.checked_add(size));
                    here
                }
                Some(Home::Absent | Home::Nowhere) | None => None,
            };
            let Some(offset) = offset.filter(|_| row.when.is_none()) else { continue };
            let ty = row.ty.in_epoch(self.epoch);
            let allowed = match (&row.kind, ty) {
                (RowKind::Constant(constant), _) => constant_bytes(constant, ty, &own),
                (RowKind::Plain, Type::ByteOrderMark) => vec![vec![0xff, 0xfe], vec![0xfe, 0xff]],
                (RowKind::Plain, Type::Record(inner)) => {
                    rows.push(id);
                    self.collect(*inner, offset, &own, rows, cells);
                    rows.pop();
                    continue;
                }
                (RowKind::Plain, Type::Cell(cell)) => self.members(cell, &own),
                _ => continue,
            };
            if !allowed.is_empty() {
                let is_magic = matches!(row.kind, RowKind::Constant(_))
                    && matches!(ty, Type::Run(_) | Type::Region(_));
                let rows = rows.iter().copied().chain([id]).collect();
                cells.push(SignatureCell { offset, allowed, rows, is_magic });
            }
        }
    }

    /// What a cell of a closed enumeration may hold; nothing for other cells.
    fn members(&self, cell: &Cell, orders: &[ByteOrder]) -> Vec<Vec<u8>> {
        let Meaning::Enum(id) = &cell.meaning else { return Vec::new() };
        let Some(definition) = self.model.enums.get(id.index()) else { return Vec::new() };
        if !definition.closed || definition.members.len() > MOST_MEMBERS {
            return Vec::new();
        }
        let numbers = definition.members.iter().map(|member| member.number);
        let mut allowed: Vec<_> =
            numbers.flat_map(|number| number_bytes(number, cell, orders)).collect();
        allowed.sort();
        allowed.dedup();
        allowed
    }
}

/// Bytes of a constant of this type, in each of the byte orders; empty if they are not known.
fn constant_bytes(constant: &Constant, ty: &Type, orders: &[ByteOrder]) -> Vec<Vec<u8>> {
    match (constant, ty) {
        (Constant::Int(number), Type::Cell(cell)) => number_bytes(*number, cell, orders),
        (Constant::Text(text), Type::Run(run)) => {
            let mut all: Vec<Vec<u8>> = Vec::new();
            for bytes in text_bytes(run.content, text, orders) {
                all.extend(fixed_bytes(&bytes, &run.length).filter(|bytes| !all.contains(bytes)));
            }
            all
        }
        (Constant::Bytes(bytes), Type::Run(run)) => {
            fixed_bytes(bytes, &run.length).into_iter().collect()
        }
        (constant, Type::Region(region)) => constant_bytes(constant, &region.inner, orders),
        _ => Vec::new(),
    }
}

fn text_bytes(content: Content, text: &str, orders: &[ByteOrder]) -> Vec<Vec<u8>> {
    match content {
        Content::Bytes => vec![text.as_bytes().to_vec()],
        Content::Text(encoding) if encoding.has_order() => {
            orders.iter().map(|order| encoding.encode(text, *order)).collect()
        }
        Content::Text(encoding) => vec![encoding.encode(text, ByteOrder::Little)],
    }
}

fn fixed_bytes(bytes: &[u8], length: &RunLength) -> Option<Vec<u8>> {
    let size = match length {
        RunLength::Fixed(size) => usize::try_from(*size).ok()?,
        RunLength::Count(_) | RunLength::Fill => bytes.len(),
        RunLength::Prefix(_) => return None,
    };
    let mut all = bytes.to_vec();
    // A magic number that is longer than its field cannot be; one that is shorter is filled up.
    (size >= all.len() && size <= 256).then(|| {
        all.resize(size, 0);
        all
    })
}

fn number_bytes(number: i128, cell: &Cell, orders: &[ByteOrder]) -> Vec<Vec<u8>> {
    let Storage::Fixed(int) = cell.storage else { return Vec::new() };
    let width = usize::from(int.bytes);
    let little: Vec<u8> = number.to_le_bytes().into_iter().take(width).collect();
    let orders = match int.order {
        Some(order) => vec![order],
        None => orders.to_vec(),
    };
    let mut all: Vec<Vec<u8>> = Vec::new();
    for order in orders {
        let mut bytes = little.clone();
        if order == ByteOrder::Big {
            bytes.reverse();
        }
        if !all.contains(&bytes) {
            all.push(bytes);
        }
    }
    all
}
