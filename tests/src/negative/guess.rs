//! What a reader finds at a place where no element was written.
//!
//! If a count is too large, the reader takes what lies behind the last element for one more. This
//! reads such bytes in the plainest way, and gives up where a rule needs more than the bytes.

use formwork::Endian;
use formwork_codegen::model::{
    Cell, Constant, Content, Encoding, EndianRule, Home, Label, Meaning, PointerType, RecordId,
    RecordKind, Row, RowId, RowKind, RunLength, RunType, Storage, Tag, Target, Type, UnionId,
    text_of_mutf8,
};

use super::file::File;
use super::texts::unit;

/// What reading something ends in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Guess {
    /// It can be read; the offset behind it.
    Passes(u64),
    /// It can't.
    Fails {
        /// Code of the error.
        code: &'static str,
        /// Offset of what fails.
        offset: u64,
        /// Path from what was read.
        path: String,
    },
    /// Too hard to say.
    Unknown,
}

pub(super) struct Guesser<'f, 'm> {
    file: &'f File<'m>,
    /// The bytes of the broken file.
    broken: &'f [u8],
    order: Option<Endian>,
    /// Rules of the row around count for its elements.
    plain: bool,
}

impl<'f, 'm> Guesser<'f, 'm> {
    pub(super) fn new(file: &'f File<'m>, broken: &'f [u8], node: usize, row: &Row) -> Self {
        let order = file.nodes[node].order;
        Guesser { file, broken, order, plain: row.checks.is_empty() }
    }

    /// Reads an element of an array.
    pub(super) fn element(&mut self, ty: &'m Type, at: u64) -> Guess {
        if !self.plain {
            // Rules for elements are looked at when all of them are there.
            return match ty {
                Type::Cell(_) => self.read(ty, at),
                _ => Guess::Unknown,
            };
        }
        self.read(ty, at)
    }

    fn read(&mut self, ty: &'m Type, at: u64) -> Guess {
        match ty {
            Type::Cell(cell) => self.cell(cell, at),
            Type::Record(record) => self.record(*record, at),
            Type::Pointer(pointer) => self.pointer(pointer, at),
            Type::Run(run) => self.run(run, at),
            _ => Guess::Unknown,
        }
    }

    fn room(&self, at: u64, size: u64) -> Option<Guess> {
        (size > self.file.size().saturating_sub(at)).then(|| fails("unexpected_end", at))
    }

    fn number(&self, cell: &Cell, at: u64) -> Option<i128> {
        let Storage::Fixed(int) = cell.storage else { return None };
        let order = int.order.map(Endian::from).or(self.order)?;
        let raw = formwork::algorithms::load_uint(self.broken, at, int.bytes, order).ok()?;
        Some(if int.signed {
            formwork::algorithms::sign_extend(raw, u32::from(int.bytes) * 8).into()
        } else {
            raw.into()
        })
    }

    fn cell(&mut self, cell: &'m Cell, at: u64) -> Guess {
        let Storage::Fixed(int) = cell.storage else { return Guess::Unknown };
        let size = u64::from(int.bytes);
        if let Some(end) = self.room(at, size) {
            return end;
        }
        let Some(number) = self.number(cell, at) else { return Guess::Unknown };
        match &cell.meaning {
            Meaning::Int | Meaning::Float(_) => Guess::Passes(at + size),
            Meaning::Bool { yes } if number == 0 || number == i128::from(*yes) => {
                Guess::Passes(at + size)
            }
            Meaning::Bool { .. } => fails("invalid_bool", at),
            Meaning::Enum(id) => {
                let definition = &self.file.model.enums[id.index()];
                let known = definition.members.iter().any(|member| member.number == number);
                if known || !definition.closed {
                    Guess::Passes(at + size)
                } else {
                    fails("not_in_enum", at)
                }
            }
            Meaning::Word(_) => Guess::Unknown,
        }
    }

    fn pointer(&mut self, pointer: &'m PointerType, at: u64) -> Guess {
        let kind = &self.file.model.pointers[pointer.kind.index()];
        let cell = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let (Guess::Passes(end), Some(number)) = (self.cell(cell, at), self.number(cell, at))
        else {
            return match self.cell(cell, at) {
                Guess::Passes(_) => Guess::Unknown,
                other => other,
            };
        };
        let Target::Pooled = pointer.target else { return Guess::Passes(end) };
        if kind.none == Some(number) {
            return Guess::Passes(end);
        }
        let (None, Some(text)) = (&kind.base, kind.text.as_deref()) else { return Guess::Unknown };
        let target = u64::try_from(number - i128::from(kind.skip));
        let Some(target) = target.ok().filter(|target| *target <= self.file.size()) else {
            return fails("pointer_out_of_bounds", at);
        };
        match self.read(text, target) {
            Guess::Passes(_) => Guess::Passes(end),
            other => other,
        }
    }

    fn run(&mut self, run: &'m RunType, at: u64) -> Guess {
        let Some(start) = at.checked_next_multiple_of(run.align.unwrap_or(1).max(1)) else {
            return Guess::Unknown;
        };
        if let Some(end) = self.room(at, start - at) {
            return end;
        }
        if self.bytes(at, start).is_none_or(|fill| fill.iter().any(|byte| *byte != 0)) {
            return fails("not_zero", at);
        }
        let (content, units) = match &run.length {
            RunLength::Prefix(cell) => match (self.cell(cell, start), self.number(cell, start)) {
                (Guess::Passes(content), Some(units)) => (content, units),
                (Guess::Passes(_), None) => return Guess::Unknown,
                (other, _) => return other,
            },
            RunLength::Fixed(size) => (start, i128::from(*size) / i128::from(unit(run.content))),
            RunLength::Count(_) | RunLength::Fill => return Guess::Unknown,
        };
        let Ok(size) = u64::try_from(units * i128::from(unit(run.content))) else {
            return Guess::Unknown;
        };
        if let Some(end) = self.room(content, size) {
            return end;
        }
        let Some(bytes) = self.bytes(content, content + size) else { return Guess::Unknown };
        let valid = match run.content {
            Content::Bytes | Content::Text(Encoding::Latin1 | Encoding::Cp1252) => true,
            Content::Text(Encoding::Ascii) => bytes.is_ascii(),
            Content::Text(Encoding::Mutf8) => text_of_mutf8(bytes).is_some(),
            Content::Text(Encoding::Utf8) => std::str::from_utf8(bytes).is_ok(),
            Content::Text(_) => return Guess::Unknown,
        };
        if !valid {
            return fails("invalid_text", content);
        }
        let suffix = run.suffix.len() as u64;
        if let Some(end) = self.room(content + size, suffix) {
            return end;
        }
        if self.bytes(content + size, content + size + suffix) != Some(&run.suffix) {
            return fails("missing_terminator", content + size);
        }
        Guess::Passes(content + size + suffix)
    }

    fn bytes(&self, at: u64, end: u64) -> Option<&'f [u8]> {
        self.broken.get(usize::try_from(at).ok()?..usize::try_from(end).ok()?)
    }

    /// Skips the zero bytes behind a member of a pool.
    pub(super) fn padding(&self, at: u64, multiple: u64) -> Guess {
        let Some(end) = at.checked_next_multiple_of(multiple.max(1)) else { return Guess::Unknown };
        let end = end.min(self.file.size());
        match self.bytes(at, end) {
            Some(fill) if fill.iter().all(|byte| *byte == 0) => Guess::Passes(end),
            Some(_) => fails("not_zero", at),
            None => Guess::Unknown,
        }
    }

    /// A struct of fixed size, of which every row has its place.
    fn record(&mut self, id: RecordId, at: u64) -> Guess {
        let file = self.file;
        let record = &file.model.records[id.index()];
        let Some(size) = record.sizes.get(file.epoch.index()).copied().flatten() else {
            return Guess::Unknown;
        };
        if record.open || !record.checks.is_empty() && record.recursive {
            return Guess::Unknown;
        }
        let around = self.order;
        match &record.endian {
            None => {}
            Some(EndianRule::Fixed(order)) => self.order = Some((*order).into()),
            Some(EndianRule::Chosen(..)) => return Guess::Unknown,
        }
        let result = match self.room(at, size) {
            Some(end) => end,
            None => self.rows(id, at, at + size),
        };
        self.order = around;
        result
    }

    fn rows(&mut self, id: RecordId, base: u64, end: u64) -> Guess {
        let file = self.file;
        let record = &file.model.records[id.index()];
        if record.rows.iter().any(|row| matches!(file.home(row), Home::Next)) {
            return Guess::Unknown;
        }
        for row_id in &record.read_order {
            let row = &record.rows[row_id.index()];
            let Home::At(offset) = file.home(row) else { continue };
            match self.row(id, *row_id, base, base + offset) {
                Guess::Passes(_) => {}
                Guess::Unknown => return Guess::Unknown,
                Guess::Fails { code, offset, path } => {
                    let body =
                        matches!(row.ty, Type::Union(u) if file.model.unions[u.index()].body);
                    let named = record.transparent != Some(*row_id) && !body;
                    let path = match row.name.as_ref().filter(|_| named) {
                        Some(name) => format!(".{name}{path}"),
                        None => path,
                    };
                    return Guess::Fails { code, offset, path };
                }
            }
        }
        Guess::Passes(end)
    }

    fn row(&mut self, id: RecordId, row_id: RowId, base: u64, at: u64) -> Guess {
        let file = self.file;
        let row = &file.model.records[id.index()].rows[row_id.index()];
        let ruled = row
            .checks
            .iter()
            .any(|check| !matches!(check.kind, formwork_codegen::model::CheckKind::Holds(_)));
        if ruled || row.when.is_some() {
            return Guess::Unknown;
        }
        match (&row.kind, &row.ty) {
            (RowKind::Plain, Type::Union(union)) => self.union(*union, id, base, at),
            (RowKind::Plain, Type::Cell(cell)) if row.none.is_empty() || int(cell) => {
                self.cell(cell, at)
            }
            (RowKind::Plain, ty) => self.read(ty, at),
            (RowKind::Constant(Constant::Bytes(wanted)), Type::Run(_)) => {
                match self.bytes(at, at + wanted.len() as u64) {
                    Some(bytes) if bytes == wanted => Guess::Passes(at),
                    Some(_) => fails("not_equal", at),
                    None => Guess::Unknown,
                }
            }
            (RowKind::Constant(Constant::Int(wanted)), Type::Cell(cell)) if int(cell) => {
                match self.number(cell, at) {
                    Some(number) if number == *wanted => Guess::Passes(at),
                    Some(_) => fails("not_equal", at),
                    None => Guess::Unknown,
                }
            }
            (RowKind::Zero | RowKind::Runtime, Type::Run(run)) => {
                let RunLength::Fixed(size) = run.length else { return Guess::Unknown };
                let Some(bytes) = self.bytes(at, at + size) else { return Guess::Unknown };
                match bytes.iter().position(|byte| *byte != 0) {
                    Some(first) => fails("not_zero", at + first as u64),
                    None => Guess::Passes(at),
                }
            }
            (RowKind::Reserved, Type::Run(_)) => Guess::Passes(at),
            _ => Guess::Unknown,
        }
    }

    fn union(&mut self, union: UnionId, around: RecordId, base: u64, at: u64) -> Guess {
        let file = self.file;
        let union = &file.model.unions[union.index()];
        let Tag::Row(tag) = union.tag else { return Guess::Unknown };
        let tag_row = &file.model.records[around.index()].rows[tag.index()];
        let (Type::Cell(cell), Home::At(offset)) = (&tag_row.ty, file.home(tag_row)) else {
            return Guess::Unknown;
        };
        if !int(cell) || tag_row.plus != 0 || !tag_row.none.is_empty() {
            return Guess::Unknown;
        }
        let Some(number) = self.number(cell, base + offset) else { return Guess::Unknown };
        for case in &union.cases {
            let here = case.epochs.get(file.epoch.index()).copied().unwrap_or(true);
            let plain = case.forms.is_empty() && case.guard.is_none() && !case.whole;
            if !plain || case.labels.contains(&Label::Else) {
                return Guess::Unknown;
            }
            let taken = |label: &Label| match label {
                Label::Range(low, high) => *low <= number && number <= *high,
                _ => false,
            };
            if here && case.labels.iter().any(taken) {
                let body = &file.model.records[case.record.index()];
                return match body.kind {
                    RecordKind::Case(..) => self.rows(case.record, base, at),
                    _ => Guess::Unknown,
                };
            }
        }
        fails_at_tag(base + offset)
    }
}

fn int(cell: &Cell) -> bool {
    cell.meaning == Meaning::Int
}

fn fails(code: &'static str, offset: u64) -> Guess {
    Guess::Fails { code, offset, path: String::new() }
}

fn fails_at_tag(offset: u64) -> Guess {
    fails("unknown_tag", offset)
}
