//! Builds numbers, texts and bytes.

use super::super::super::forms::cell_fits;
use super::super::super::item::{Blob, From, Item, Loc};
use super::super::super::sayable::has_own_end;
use super::super::super::source::Given;
use super::super::super::state::Engine;
use super::super::super::tree::{float, stored_float};
use crate::model::{Cell, Content, Encoding, FloatCode, Home, Meaning, Row, RunType, Type};
use crate::problem::ProblemKind;
use alloc::format;
use alloc::string::String;

impl<'p> Engine<'p, '_> {
    /// A value that says "nothing".
    pub(super) fn build_none(&mut self, loc: Loc, row: &'p Row) -> Item {
        // The condition is about the row, not about its elements.
        let conditional = row.when.is_some() && loc.index().is_none();
        let element = loc.index().is_some() || !matches!(row.ty.stripped(), Type::Array(_));
        let number = !row.none.is_empty() && element;
        let optional = conditional || number || self.tree.home(loc) == Home::Absent;
        if !optional {
            self.unfinished(loc, ProblemKind::MissingField);
        }
        Item::Absent
    }

    pub(super) fn build_cell(
        &mut self,
        cell: &'p Cell,
        value: Given<'_>,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        match (&cell.meaning, value) {
            (_, Given::None) => self.build_none(loc, row),
            // A field of forms, or one that differs by layout, may be wider than the cell.
            (Meaning::Float(_), Given::F32(bits)) => self.float(loc, cell, Item::F32(bits)),
            (Meaning::Float(_), Given::F64(bits)) => self.float(loc, cell, Item::F64(bits)),
            (Meaning::Bool { .. }, Given::Bool(b)) => Item::Bool(b),
            (Meaning::Int, Given::Int(n)) => {
                // References are checked against their arrays, and may be stored differently.
                let stored = n.saturating_add(row.plus);
                if row.reference.is_none() && !cell_fits(self.model, cell, stored) {
                    self.problem(loc, does_not_fit(n, &self.model.cell_name(cell)));
                } else {
                    self.must_not_be_none(loc, row, n, stored);
                }
                self.tree.integer(n)
            }
            (Meaning::Enum(id), Given::Int(n)) => {
                let definition = &self.model.enums[id.index()];
                if !definition.allows(n) {
                    self.problem(loc, does_not_fit(n, &definition.name));
                } else if !cell_fits(self.model, cell, n) {
                    self.problem(loc, does_not_fit(n, &self.model.cell_name(cell)));
                } else {
                    self.must_not_be_none(loc, row, n, n);
                }
                self.tree.integer(n)
            }
            (Meaning::Enum(id), Given::Text(name)) => {
                let definition = &self.model.enums[id.index()];
                match definition.members.iter().find(|m| m.name == name) {
                    Some(member) => self.tree.integer(member.number),
                    None => {
                        self.problem(loc, ProblemKind::UnknownCase { name: name.into() });
                        Item::Absent
                    }
                }
            }
            (Meaning::Word(record), value) => {
                let Some(node) = self.build_add(*record, loc) else { return Item::Absent };
                self.build_node(node, value);
                Item::Node(node)
            }
            (Meaning::Float(_), other) => self.wrong(loc, "a float", other),
            (Meaning::Bool { .. }, other) => self.wrong(loc, "a truth value", other),
            (Meaning::Int | Meaning::Enum(_), other) => self.wrong(loc, "an integer", other),
        }
    }

    /// A float as wide as those of the cell, if that can store it.
    pub(super) fn float(&mut self, loc: Loc, cell: &Cell, item: Item) -> Item {
        match stored_float(cell, item) {
            Some(stored) => float(stored, cell),
            None => {
                self.float_problem(loc, cell, item);
                item
            }
        }
    }

    /// Notes that a cell cannot store a float.
    #[cold]
    pub(crate) fn float_problem(&mut self, loc: Loc, cell: &Cell, item: Item) {
        let value = self.tree.show(self.tree.val(item)).into();
        let ty = self.model.cell_name(cell).into();
        self.problem(loc, ProblemKind::DoesNotFit { value, ty });
    }

    /// Notes a problem if a number would be read as none.
    pub(super) fn must_not_be_none(&mut self, loc: Loc, row: &Row, number: i128, stored: i128) {
        // What a rank among some elements is stored as is known later.
        if !row.is_ranked() && row.none.contains(&stored) {
            self.problem(loc, is_nothing(number));
        }
    }

    pub(super) fn build_run(
        &mut self,
        run: &'p RunType,
        value: Given<'_>,
        loc: Loc,
        row: &'p Row,
    ) -> Item {
        match (run.content, value) {
            (_, Given::None) => self.build_none(loc, row),
            (Content::Text(_), Given::Units(units)) if String::from_utf16(units).is_ok() => {
                let text = String::from_utf16_lossy(units);
                self.build_run(run, Given::Text(&text), loc, row)
            }
            (Content::Bytes, Given::Bytes(bytes)) => Item::Bytes(self.blob(bytes)),
            (Content::Bytes, Given::Text(text)) => Item::Bytes(self.blob(text.as_bytes())),
            (Content::Text(encoding), Given::Text(text)) => {
                if let Some(letter) = encoding.missing(text) {
                    let encoding = encoding.name();
                    self.problem(loc, ProblemKind::TextNotEncodable { encoding, letter });
                }
                if has_own_end(run, text) {
                    let what = "its terminator".into();
                    self.problem(loc, ProblemKind::TextContains { what });
                }
                Item::Text(self.blob(text.as_bytes()))
            }
            (
                Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be),
                Given::Units(units),
            ) => self.tree.add_units(units),
            (Content::Bytes, other) => self.wrong(loc, "bytes", other),
            (Content::Text(_), other) => self.wrong(loc, "a text", other),
        }
    }

    /// Bytes that are written: those of the file that was read where they are.
    pub(super) fn blob(&mut self, bytes: &[u8]) -> Blob {
        let start = (bytes.as_ptr() as usize).wrapping_sub(self.tree.file.as_ptr() as usize);
        let inside = start.checked_add(bytes.len()).is_some_and(|end| end <= self.tree.file.len());
        if inside && !bytes.is_empty() {
            let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            return Blob { from: From::File, start: number(start), len: number(bytes.len()) };
        }
        self.tree.add_bytes(bytes)
    }
}

/// Whether the value of a float is one of 4 bytes.
pub(super) fn is_single(cell: &Cell) -> bool {
    FloatCode::of(cell).is_some_and(FloatCode::is_single)
}

pub(crate) fn does_not_fit(n: i128, ty: &str) -> ProblemKind {
    ProblemKind::DoesNotFit { value: format!("{n}").into(), ty: ty.into() }
}

/// A number that would be read as none.
pub(crate) fn is_nothing(n: i128) -> ProblemKind {
    ProblemKind::MeansNothing { value: n }
}
