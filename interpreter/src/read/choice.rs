//! Reads unions: which case is there, and its rows.

use formwork::ReadErrorKind;
use formwork_model::{Case, Cell, Label, Pattern, RowId, Storage, Tag, Type, UnionId};

use super::{Cursor, Read};
use crate::engine::Engine;
use crate::eval::{Place, Val};
use crate::tree::{Item, Loc, NodeId};

/// What decides a case: the value of the tag, and the bytes from the tag on.
struct Decision<'b> {
    val: Val,
    /// Bytes from the tag on, if the union begins with its tag.
    bytes: &'b [u8],
    /// Whether patterns cover a word, highest bit first, instead of bytes.
    word: Option<(u128, u32)>,
}

impl<'m, 'b> Engine<'m, 'b> {
    pub(crate) fn read_union(
        &mut self,
        id: UnionId,
        loc: Loc,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let union = &self.model.unions[id.index()];
        let start = cursor.at;
        let fail =
            |engine: &Self, fault: Box<crate::engine::Fault>| engine.fault(*fault, start, loc);
        let tag_size = match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => cell_bytes(cell),
            Tag::Row(_) | Tag::Given(_) => 0,
        };
        let decision = match &union.tag {
            Tag::Row(tag) => {
                let place = Val::Place(Place::Loc(Loc::row(loc.node, *tag)));
                let val = self.load(place).map_err(|f| fail(self, f))?;
                Decision { val, bytes: &[], word: None }
            }
            Tag::Given(expr) => {
                let val = self.eval(*expr, loc.node, None).map_err(|f| fail(self, f))?;
                Decision { val, bytes: &[], word: None }
            }
            Tag::Own(cell) | Tag::Word(cell) => {
                let claims = self.reading().claims.len();
                let mut ahead = Cursor::new(start, cursor.limit);
                let item = self.read_cell(cell, &[], loc, &mut ahead)?;
                self.reading().claims.truncate(claims);
                let bytes = self.reading().bytes;
                let from = usize::try_from(start).unwrap_or(usize::MAX);
                let to = usize::try_from(cursor.limit).unwrap_or(usize::MAX);
                let bytes = bytes.get(from..to).unwrap_or(&[]);
                let val = crate::items::item_val(&item);
                let word = match (&union.tag, &val) {
                    (Tag::Word(_), Val::Int(n)) => {
                        Some((n.cast_unsigned() & bits_mask(tag_size * 8), tag_size * 8))
                    }
                    _ => None,
                };
                Decision { val, bytes, word }
            }
        };
        let mut otherwise = None;
        for (index, case) in union.cases.iter().enumerate() {
            if case.forms.is_empty() {
                if !self.in_epoch(&case.epochs) {
                    continue;
                }
                if let Some(taken) = matching(&case.labels, &decision) {
                    let holds = match &case.guard {
                        Some(guard) => {
                            self.eval_bool(*guard, loc.node, None).map_err(|f| fail(self, f))?
                        }
                        None => true,
                    };
                    if holds && matches!(taken, Taken::Else(_)) {
                        otherwise = otherwise.or(Some(index));
                    } else if holds {
                        return self.read_case(id, index, None, taken, loc, cursor, tag_size);
                    }
                }
                continue;
            }
            for (form_index, form) in case.forms.iter().enumerate() {
                if !self.in_epoch(&form.epochs) {
                    continue;
                }
                if let Some(taken) = matching(&form.labels, &decision) {
                    let form = Some(form_index);
                    return self.read_case(id, index, form, taken, loc, cursor, tag_size);
                }
            }
        }
        if let Some(index) = otherwise {
            let taken = Taken::Else(number_of(&decision.val).unwrap_or(0));
            return self.read_case(id, index, None, taken, loc, cursor, tag_size);
        }
        let kind = ReadErrorKind::UnknownTag {
            union_name: union.name.as_str().into(),
            tag: show_val(&decision.val).into(),
        };
        let at = match &union.tag {
            Tag::Row(tag) => self.tree.cell_at(Loc::row(loc.node, *tag)),
            _ => start,
        };
        Err(self.error(kind, at, loc))
    }

    pub(crate) fn in_epoch(&self, epochs: &[bool]) -> bool {
        epochs.get(self.epoch.index()).copied().unwrap_or(true)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one decision")]
    fn read_case(
        &mut self,
        id: UnionId,
        index: usize,
        form: Option<usize>,
        taken: Taken,
        loc: Loc,
        cursor: &mut Cursor<'b>,
        tag_size: u32,
    ) -> Read<Item> {
        let union = &self.model.unions[id.index()];
        let case = &union.cases[index];
        let start = cursor.at;
        let base = self.tree.node(loc.node).at;
        let node = self.add_node(case.record, loc, start)?;
        let known = matches!(self.tree.slot(loc.node, loc.row).item, Item::Unset);
        if known && loc.index.is_none() {
            self.tree.slot_mut(loc.node, loc.row).item = Item::Node(node);
        }
        if case.whole {
            // The record stands for the whole union, the tag included.
            let from = if matches!(union.tag, Tag::Row(_) | Tag::Given(_)) { base } else { start };
            let from = if union.body { base } else { from };
            let end = self.read_record(node, cursor.inside(from, cursor.limit))?;
            cursor.at = end;
            return Ok(Item::Node(node));
        }
        let taken_bytes = match &taken {
            Taken::Pattern { bytes, .. } => (*bytes).max(tag_size),
            _ => tag_size,
        };
        let number = match taken {
            Taken::Pattern { number, .. } => number,
            Taken::Range(number) | Taken::Else(number) => number,
        };
        if u64::from(taken_bytes) > cursor.remaining() {
            let remaining = cursor.remaining();
            let kind = ReadErrorKind::UnexpectedEnd { needed: taken_bytes.into(), remaining };
            return Err(self.error(kind, start, loc));
        }
        self.claim(start, start + u64::from(taken_bytes), loc);
        cursor.at = start + u64::from(taken_bytes);
        self.tree.node_mut(node).tag = number;
        self.tree.node_mut(node).at = base;
        let limit = match union.size {
            Some(size) => cursor.limit.min(start.saturating_add(size)),
            None => cursor.limit,
        };
        let mut inner = cursor.inside(cursor.at, limit);
        inner.room |= union.size.is_some();
        match form {
            None => {
                let fixed = self.fixed_part(node);
                crate::engine::with_stack(|| self.read_rows(node, &mut inner, base, fixed))?;
                self.set_letter_cells(node, start);
            }
            Some(form_index) => {
                let form = &case.forms[form_index];
                let rows = self.tree.add(self.model, form.record, Some(node), loc.row, None);
                self.tree.node_mut(rows).tag = number;
                self.tree.node_mut(rows).at = base;
                self.tree.node_mut(node).form =
                    Some((u32::try_from(form_index).unwrap_or(u32::MAX), rows));
                let fixed = self.fixed_part(rows);
                crate::engine::with_stack(|| self.read_rows(rows, &mut inner, base, fixed))?;
                self.set_letter_cells(rows, start);
                inner.align_bits();
                self.tree.node_mut(rows).end = inner.at;
                self.lift_form(node, rows);
            }
        }
        inner.align_bits();
        cursor.at = match union.size {
            Some(size) => inner.at.max(start + size),
            None => inner.at,
        };
        self.tree.node_mut(node).end = cursor.at;
        Ok(Item::Node(node))
    }

    /// Pointers in the letters of a tag stand where the tag stands.
    pub(crate) fn set_letter_cells(&mut self, rows: NodeId, at: u64) {
        for (index, row) in (0_u32..).zip(&self.record(rows).rows) {
            if let Type::Pointer(pointer) = &row.ty
                && let Some(Cell { storage: Storage::Letter { .. }, .. }) = &pointer.cell
            {
                let slot = self.tree.slot_mut(rows, RowId(index));
                slot.at = at;
                slot.end = at;
                if let Item::Pointer(item) = &mut slot.item {
                    item.cell = at;
                }
            }
        }
    }

    /// Where the rows with homes of a case end, counted from its base.
    fn fixed_part(&self, node: NodeId) -> Option<u64> {
        let record = self.record(node);
        let sized = record.sizes.get(self.epoch.index()).copied().flatten();
        let homes =
            record.rows.iter().any(|row| matches!(self.home(row), formwork_model::Home::At(_)));
        if homes { sized } else { None }
    }

    /// Gives the logical fields of a case what its form says.
    fn lift_form(&mut self, node: NodeId, rows: NodeId) {
        let logical = self.record(node);
        let spelled = self.record(rows);
        for (index, row) in logical.rows.iter().enumerate() {
            let from = spelled.rows.iter().position(|r| r.name == row.name);
            let Some(from) = from else { continue };
            let item = self.tree.node(rows).slots[from].item.clone();
            let (at, end) =
                (self.tree.node(rows).slots[from].at, self.tree.node(rows).slots[from].end);
            let item = match item {
                // Constants of forms are of 64 bits.
                Item::Float { bits, bytes: 8 } => {
                    let bytes = crate::write::build::float_width(self.model, &row.ty);
                    Item::Float { bits: crate::items::float_bits(bits, bytes), bytes }
                }
                item => item,
            };
            let slot = &mut self.tree.node_mut(node).slots[index];
            slot.item = item;
            slot.at = at;
            slot.end = end;
        }
    }

    /// The pattern that selected the case or form of a node, and the number it was matched with.
    pub(crate) fn pattern_of(&self, node: NodeId) -> Option<(&'m Pattern, i128)> {
        let n = self.tree.node(node);
        let owner = n.owner?;
        let union_of = |owner: NodeId, row: formwork_model::RowId| match crate::eval::union_type(
            &self.record(owner).rows[row.index()].ty,
        )? {
            Type::Union(id) => Some(&self.model.unions[id.index()]),
            _ => None,
        };
        // A form's node belongs to its case's node.
        let union = match union_of(owner, n.owner_row) {
            Some(union) => union,
            None => {
                let case = self.tree.node(owner);
                union_of(case.owner?, case.owner_row)?
            }
        };
        let labels = |case: &'m Case| -> Option<&'m [Label]> {
            if case.record == n.record {
                return Some(&case.labels);
            }
            case.forms.iter().find(|form| form.record == n.record).map(|f| f.labels.as_slice())
        };
        let labels = union.cases.iter().find_map(labels)?;
        labels.iter().find_map(|label| match label {
            Label::Pattern(pattern) if pattern_matches(pattern, n.tag.cast_unsigned()) => {
                Some((pattern, n.tag))
            }
            _ => None,
        })
    }
}

/// How a label took the tag.
enum Taken {
    Range(i128),
    Pattern { number: i128, bytes: u32 },
    Else(i128),
}

fn number_of(val: &Val) -> Option<i128> {
    match val {
        Val::Int(n) => Some(*n),
        Val::Bool(b) => Some(i128::from(*b)),
        _ => None,
    }
}

fn matching(labels: &[Label], decision: &Decision<'_>) -> Option<Taken> {
    labels.iter().find_map(|label| match label {
        Label::Range(low, high) => {
            let number = number_of(&decision.val)?;
            (*low <= number && number <= *high).then_some(Taken::Range(number))
        }
        Label::Text(wanted) => match &decision.val {
            Val::Text(text) => (text.as_ref() == wanted).then_some(Taken::Range(0)),
            Val::Bytes(bytes) => (bytes.as_ref() == wanted.as_bytes()).then_some(Taken::Range(0)),
            _ => None,
        },
        Label::Pattern(pattern) => match decision.word {
            Some((word, width)) if pattern.width == width => pattern_matches(pattern, word)
                .then_some(Taken::Pattern { number: word.cast_signed(), bytes: 0 }),
            Some(_) => None,
            None => {
                let bytes = pattern.width / 8;
                let covered = decision.bytes.get(..bytes as usize)?;
                let number = covered.iter().fold(0_u128, |n, b| n << 8 | u128::from(*b));
                pattern_matches(pattern, number)
                    .then_some(Taken::Pattern { number: number.cast_signed(), bytes })
            }
        },
        Label::Else => Some(Taken::Else(number_of(&decision.val).unwrap_or(0))),
    })
}

/// Whether labels take a value that stands elsewhere.
pub(crate) fn takes(labels: &[Label], val: &Val) -> bool {
    matching(labels, &Decision { val: val.clone(), bytes: &[], word: None }).is_some()
}

pub(crate) fn pattern_matches(pattern: &Pattern, number: u128) -> bool {
    number & pattern.mask == pattern.bits
}

pub(crate) fn bits_mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// Bytes of a cell of whole bytes.
pub(crate) fn cell_bytes(cell: &Cell) -> u32 {
    match cell.storage {
        Storage::Fixed(int) => int.bytes.into(),
        _ => 0,
    }
}

fn show_val(val: &Val) -> String {
    match val {
        Val::Int(n) if *n >= 0 => format!("{n:#x}"),
        Val::Int(n) => n.to_string(),
        Val::Bool(b) => b.to_string(),
        Val::Text(text) => format!("{text:?}"),
        Val::Bytes(bytes) => crate::items::hex(bytes),
        other => crate::eval::describe(other).to_owned(),
    }
}
