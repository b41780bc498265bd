//! Sizes that are the same for every file of an epoch.

#![deny(clippy::arithmetic_side_effects)]

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::encoding::mutf8_len;
use super::{
    ArrayLength, Cell, Content, Encoding, EpochId, Exprs, Extent, Home, Label, Model, RecordId,
    RecordKind, Row, RowId, RowKind, RunLength, RunType, Storage, Tag, Type, Union, UnionId,
};

/// Most types inside types (arrays of regions of arrays...) that sizes are computed of.
const NESTING: u32 = 256;

/// Sizes of everything in one epoch, as far as they are the same for every file.
#[derive(Debug, Clone)]
pub struct Sizes<'a> {
    model: &'a Model,
    epoch: EpochId,
    known: Known,
}

impl Sizes<'_> {
    /// Size in bytes; see [`Model::size_of`].
    #[must_use]
    pub fn of(&self, ty: &Type) -> Option<u64> {
        self.model.size_knowing(ty, self.epoch, &self.known, NESTING)
    }

    /// Size in bits; see [`Model::bits_of`].
    #[must_use]
    pub fn bits_of(&self, ty: &Type) -> Option<u64> {
        match bit_width(ty, self.epoch) {
            Some(width) => Some(width),
            None => self.of(ty)?.checked_mul(8),
        }
    }

    /// Size in bytes; see [`Model::fixed_size`].
    #[must_use]
    pub fn record(&self, record: RecordId) -> Option<u64> {
        self.known.get(&Part::Record(record)).copied().flatten()
    }
}

impl Type {
    /// The type in one epoch: never [`Type::PerEpoch`]. [`Type::Nothing`] in epochs that the list
    /// does not have.
    #[must_use]
    pub fn in_epoch(&self, epoch: EpochId) -> &Type {
        let mut ty = self;
        while let Type::PerEpoch(types) = ty {
            ty = types.get(epoch.index()).unwrap_or(&Type::Nothing);
        }
        ty
    }
}

impl Model {
    /// Size in bytes of a value of this type, if it is the same for every file of the epoch.
    ///
    /// Neither bit fields nor letters nor anything behind a pointer has bytes of its own here: bit
    /// fields give `None` (see [`Model::bits_of`]), letters and tags 0, pointers the size of their
    /// number. A union whose tag stands elsewhere has a size if it states one or if all its cases
    /// of the epoch have the same; not in the midst of a block, where its cases fill what is left.
    /// `None` too if the size does not fit 64 bits.
    ///
    /// Looks at all that the type contains; whoever asks often uses [`Model::sizes`].
    #[must_use]
    pub fn size_of(&self, ty: &Type, epoch: EpochId) -> Option<u64> {
        self.sizes_below(inline_parts(self, ty, epoch), epoch).of(ty)
    }

    /// Like [`Model::size_of`], in bits; bit fields have their width.
    #[must_use]
    pub fn bits_of(&self, ty: &Type, epoch: EpochId) -> Option<u64> {
        self.sizes_below(inline_parts(self, ty, epoch), epoch).bits_of(ty)
    }

    /// Size in bytes of a record with everything inline that belongs to it, if it is the same for
    /// every file of the epoch.
    ///
    /// Of the body of a case, the size counts from where its homes count from; bodies without
    /// homes begin behind the tag. `None` also where the record does not exist in the epoch.
    #[must_use]
    pub fn fixed_size(&self, record: RecordId, epoch: EpochId) -> Option<u64> {
        self.sizes_below(vec![Part::Record(record)], epoch).record(record)
    }

    /// Where a row begins, counted from the start of its record, if that is the same for every record of
    /// the epoch. Of bodies of cases, whose rows may begin behind a tag, nothing is said.
    #[must_use]
    pub fn row_offset(&self, record: RecordId, row: RowId, epoch: EpochId) -> Option<u64> {
        let record = &self.records[record.index()];
        let asked = record.rows.get(row.index())?;
        if !matches!(record.kind, RecordKind::Struct) {
            return None;
        }
        if let Home::At(at) = asked.home(epoch) {
            return Some(at);
        }
        if asked.home(epoch) != Home::Next {
            return None;
        }
        // Rows without offsets begin behind those that have some.
        let mut at = record.sizes.get(epoch.index()).copied().flatten().unwrap_or(0);
        for row in &record.rows {
            if let Home::At(home) = row.home(epoch) {
                if home.checked_add(self.size_of(&row.ty, epoch)?)? > at {
                    return None;
                }
            }
        }
        for before in record.rows.iter().take(row.index()) {
            if before.home(epoch) == Home::Next {
                let size = self.size_of(&before.ty, epoch).filter(|_| before.when.is_none())?;
                at = at.checked_add(size)?;
            }
        }
        Some(at)
    }

    /// All sizes of an epoch at once.
    #[must_use]
    pub fn sizes(&self, epoch: EpochId) -> Sizes<'_> {
        let records = (0u32..).map(|id| Part::Record(RecordId(id))).take(self.records.len());
        let unions = (0u32..).map(|id| Part::Union(UnionId(id))).take(self.unions.len());
        self.sizes_below(records.chain(unions).collect(), epoch)
    }

    fn sizes_below(&self, wanted: Vec<Part>, epoch: EpochId) -> Sizes<'_> {
        let mut known = BTreeMap::new();
        self.settle(&mut known, wanted, epoch);
        Sizes { model: self, epoch, known }
    }

    /// Computes the sizes of these parts and of all they contain. A loop over a stack, because
    /// structs may be nested thousands deep; a part that contains itself has no size.
    fn settle(&self, known: &mut Known, wanted: Vec<Part>, epoch: EpochId) {
        let mut open: BTreeMap<Part, ()> = BTreeMap::new();
        let mut stack: Vec<(Part, bool)> = wanted.into_iter().map(|part| (part, false)).collect();
        while let Some((part, ready)) = stack.pop() {
            if known.contains_key(&part) {
                continue;
            }
            if ready {
                let size = match part {
                    Part::Record(id) => self.record_size(id, epoch, known),
                    Part::Union(id) => self.union_size(id, epoch, known),
                };
                known.insert(part, size);
            } else if open.insert(part, ()).is_none() {
                stack.push((part, true));
                stack.extend(self.parts_of(part, epoch).into_iter().map(|part| (part, false)));
            }
        }
    }

    /// What a record or union contains inline.
    fn parts_of(&self, part: Part, epoch: EpochId) -> Vec<Part> {
        match part {
            Part::Record(id) => {
                let rows = self.records.get(id.index()).map_or(&[][..], |record| &record.rows);
                rows.iter().flat_map(|row| inline_parts(self, &row.ty, epoch)).collect()
            }
            Part::Union(id) => {
                let cases = self.unions.get(id.index()).map_or(&[][..], |union| &union.cases);
                let forms = cases.iter().flat_map(|case| case.forms.iter().map(|f| f.record));
                let bodies = cases.iter().map(|case| case.record);
                bodies.chain(forms).map(Part::Record).collect()
            }
        }
    }

    fn record_size(&self, id: RecordId, epoch: EpochId, known: &Known) -> Option<u64> {
        let record = self.records.get(id.index())?;
        if let RecordKind::Word(int) = record.kind {
            return Some(int.bytes.into());
        }
        let block = record.sizes.get(epoch.index()).copied().flatten();
        if !record.open {
            return block;
        }
        // In bits, because rows of bits may follow each other.
        let start = block.unwrap_or(0);
        let mut end = start.checked_mul(8)?;
        for row in &record.rows {
            let at = match row.home(epoch) {
                Home::Absent | Home::Nowhere => continue,
                Home::At(at) if at < start => continue,
                Home::At(at) => at.checked_mul(8)?,
                Home::Next if bit_width(&row.ty, epoch).is_some() => end,
                Home::Next => end.checked_next_multiple_of(8)?,
            };
            if row.when.is_some() {
                return None;
            }
            let size = match bit_width(&row.ty, epoch) {
                Some(width) => width,
                None => self.row_size(row, epoch, known)?.checked_mul(8)?,
            };
            end = end.max(at.checked_add(size)?);
        }
        Some(end.div_ceil(8))
    }

    fn row_size(&self, row: &Row, epoch: EpochId, known: &Known) -> Option<u64> {
        match row.kind {
            RowKind::Zeros | RowKind::Pool { .. } => None,
            RowKind::Object { .. }
            | RowKind::Mark { .. }
            | RowKind::Value { .. }
            | RowKind::Slice { .. } => Some(0),
            _ => self.size_knowing(&row.ty, epoch, known, NESTING),
        }
    }

    fn union_size(&self, id: UnionId, epoch: EpochId, known: &Known) -> Option<u64> {
        let union = self.unions.get(id.index())?;
        union.size.or_else(|| self.cases_size(union, epoch, known))
    }

    /// Size that all cases of a union have by what stands in them.
    fn cases_size(&self, union: &Union, epoch: EpochId, known: &Known) -> Option<u64> {
        let own = matches!(union.tag, Tag::Own(_) | Tag::Word(_));
        let mut common = None;
        for case in &union.cases {
            if !case.is_in(epoch) {
                continue;
            }
            let forms = case.forms.iter().filter(|form| form.is_in(epoch));
            let bodies: Vec<(RecordId, &[Label])> = if case.forms.is_empty() {
                vec![(case.record, &case.labels)]
            } else {
                forms.map(|form| (form.record, &form.labels[..])).collect()
            };
            for (body, labels) in bodies {
                let tag = union.covered(labels)?;
                // In the midst of a block, homes count from the start of the struct around.
                if !own && self.has_block(body, epoch) {
                    return None;
                }
                let size = known.get(&Part::Record(body)).copied().flatten()?;
                let size = match case.whole || self.has_block(body, epoch) {
                    true => size,
                    false => size.checked_add(tag)?,
                };
                if common.is_some_and(|common| common != size) {
                    return None;
                }
                common = Some(size);
            }
        }
        common
    }

    /// Whether each case of a union with `size=` takes so many bytes, whatever is in it.
    #[must_use]
    pub fn is_filled(&self, id: UnionId, epoch: EpochId) -> bool {
        let Some(union) = self.unions.get(id.index()) else { return false };
        let parts = self.parts_of(Part::Union(id), epoch);
        let known = self.sizes_below(parts, epoch).known;
        union.size.is_some() && self.cases_size(union, epoch, &known) == union.size
    }

    /// Whether the homes of a case's rows count from the union's first byte, tag included.
    fn has_block(&self, record: RecordId, epoch: EpochId) -> bool {
        let record = self.records.get(record.index());
        record.is_some_and(|r| r.sizes.get(epoch.index()).copied().flatten().is_some())
    }

    fn size_knowing(&self, ty: &Type, epoch: EpochId, known: &Known, nesting: u32) -> Option<u64> {
        let nesting = nesting.checked_sub(1)?;
        match ty {
            Type::Cell(cell) => cell_size(cell),
            Type::Run(run) => run_size(&self.exprs, run),
            Type::Record(id) => known.get(&Part::Record(*id)).copied().flatten(),
            Type::Union(id) => known.get(&Part::Union(*id)).copied().flatten(),
            Type::Pointer(pointer) => match &pointer.cell {
                Some(cell) => cell_size(cell),
                None => cell_size(&self.pointers.get(pointer.kind.index())?.cell),
            },
            Type::Array(array) => {
                let ArrayLength::Count(count) = &array.length else { return None };
                if array.described.is_some() {
                    return None;
                }
                let count = u64::try_from(self.exprs.constant(*count)?).ok()?;
                let step = match &array.stride {
                    Some(stride) => u64::try_from(self.exprs.constant(*stride)?).ok()?,
                    None => self.size_knowing(&array.element, epoch, known, nesting)?,
                };
                count.checked_mul(step)
            }
            // Padding in front of the region has as many bytes as its address asks for.
            Type::Region(region) if region.align().is_some() => None,
            Type::Region(region) => match &region.extent {
                Extent::Size(size) => u64::try_from(self.exprs.constant(*size)?).ok(),
                Extent::End(_) | Extent::Terminated(_) | Extent::Rest => None,
            },
            Type::PerEpoch(_) => self.size_knowing(ty.in_epoch(epoch), epoch, known, nesting),
            Type::ByteOrderMark => Some(2),
            Type::Text | Type::Nothing => Some(0),
        }
    }
}

impl Union {
    /// Labels of the case or form whose rows a record has.
    #[must_use]
    pub fn labels_of(&self, body: RecordId) -> &[Label] {
        for case in &self.cases {
            if case.record == body {
                return &case.labels;
            }
            if let Some(form) = case.forms.iter().find(|form| form.record == body) {
                return &form.labels;
            }
        }
        &[]
    }

    /// Bytes of the tag, or of the pattern that reaches into the bytes behind it, in front of the
    /// rows of a case or form with these labels; `None` if that depends on the label.
    #[must_use]
    pub fn covered(&self, labels: &[Label]) -> Option<u64> {
        let (Tag::Own(cell) | Tag::Word(cell)) = &self.tag else { return Some(0) };
        let tag = cell_size(cell)?;
        let mut covered = labels.iter().map(|label| match label {
            Label::Pattern(pattern) => tag.max(u64::from(pattern.width) / 8),
            _ => tag,
        });
        let first = covered.next().unwrap_or(tag);
        covered.all(|other| other == first).then_some(first)
    }
}

/// Something whose size is computed once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Record(RecordId),
    Union(UnionId),
}

type Known = BTreeMap<Part, Option<u64>>;

/// Records and unions whose sizes a type's size needs.
fn inline_parts(model: &Model, ty: &Type, epoch: EpochId) -> Vec<Part> {
    let mut ty = ty;
    for _ in 0..NESTING {
        ty = match ty.in_epoch(epoch) {
            Type::Record(id) if id.index() < model.records.len() => {
                return vec![Part::Record(*id)];
            }
            Type::Union(id) if id.index() < model.unions.len() => return vec![Part::Union(*id)],
            Type::Array(array) => &array.element,
            Type::Region(region) => &region.inner,
            _ => break,
        };
    }
    Vec::new()
}

/// Width of a field that the bit cursor reads, in bits.
#[must_use]
pub fn bit_width(ty: &Type, epoch: EpochId) -> Option<u64> {
    match ty.in_epoch(epoch) {
        Type::Cell(Cell { storage: Storage::Bits { width, .. }, .. }) => Some((*width).into()),
        _ => None,
    }
}

/// Size of a cell in bytes, if it has whole bytes of its own: letters and tags have none.
#[must_use]
pub fn cell_size(cell: &Cell) -> Option<u64> {
    match cell.storage {
        Storage::Fixed(int) => Some(int.bytes.into()),
        Storage::Digits { bytes, .. } => bytes.map(u64::from),
        Storage::Letter { .. } | Storage::TagOf => Some(0),
        Storage::Varint(_) | Storage::Bits { .. } | Storage::Word { .. } => None,
    }
}

fn run_size(exprs: &Exprs, run: &RunType) -> Option<u64> {
    // What an aligned run takes depends on where it begins.
    if run.align.is_some_and(|align| align > 1) {
        return None;
    }
    let content = match &run.length {
        RunLength::Prefix(_) | RunLength::Fill => return None,
        RunLength::Fixed(size) => *size,
        RunLength::Count(count) => {
            u64::try_from(exprs.constant(*count)?).ok()?.checked_mul(unit_size(run.content))?
        }
    };
    content.checked_add(u64::try_from(run.suffix.len()).ok()?)
}

/// Size in bytes of what the length of a run counts.
#[must_use]
pub fn unit_size(content: Content) -> u64 {
    match content {
        Content::Bytes
        | Content::Text(
            Encoding::Ascii
            | Encoding::Utf8
            | Encoding::Mutf8
            | Encoding::Latin1
            | Encoding::Cp1252,
        ) => 1,
        Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be) => 2,
        Content::Text(Encoding::Utf32) => 4,
    }
}

/// How many of its units a text has.
#[must_use]
pub fn text_units(content: Content, text: &str) -> u64 {
    match content {
        Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be) => {
            text.encode_utf16().count() as u64
        }
        Content::Text(Encoding::Utf32 | Encoding::Latin1 | Encoding::Cp1252) => {
            text.chars().count() as u64
        }
        Content::Text(Encoding::Mutf8) => text.chars().map(mutf8_len).sum(),
        Content::Bytes | Content::Text(_) => text.len() as u64,
    }
}
