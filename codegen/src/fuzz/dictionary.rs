//! What a fuzzer puts into files: the numbers and texts that a schema states.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::model::{
    ByteOrder, ByteOrderRule, Cell, CheckKind, Constant, DefinerSource, Enum, Expr, ExprId,
    FloatCode, IntType, Label, Meaning, Model, Record, Role, Row, RowKind, Storage, Tag, Type,
};

/// Longest entry, in bytes. libFuzzer takes no longer ones.
const LONGEST: usize = 64;

/// A dictionary in the form that libFuzzer and AFL read: magic, tags, members of enumerations,
/// constants, bounds of versions, and numbers that mean "nothing", each as it stands in a file, in
/// both byte orders if files may have both.
#[must_use]
pub fn dictionary(model: &Model) -> String {
    let mut words = Words::new(model);
    for record in &model.records {
        words.record(record);
    }
    for union in &model.unions {
        let cell = match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => Some(cell),
            Tag::Row(_) | Tag::Given(_) => None,
        };
        words.labels(&union.name, &union.cases, cell);
    }
    for pointer in &model.pointers {
        if let Some(none) = pointer.none {
            words.number(&format!("none of pointer {}", pointer.name), &pointer.cell, none);
        }
    }
    for variable in &model.epoch_variables {
        let position = model.epoch_variables.iter().position(|v| v.name == variable.name);
        for epoch in &model.epochs {
            let ranges = position.and_then(|position| epoch.ranges.get(position));
            for &(low, high) in ranges.into_iter().flatten() {
                words.number(&variable.name, &variable.cell, low);
                words.number(&variable.name, &variable.cell, high);
            }
        }
    }
    words.text
}

struct Words<'m> {
    model: &'m Model,
    orders: Vec<ByteOrder>,
    known: BTreeSet<Vec<u8>>,
    text: String,
}

impl<'m> Words<'m> {
    fn new(model: &'m Model) -> Words<'m> {
        let orders = match model.byte_order {
            ByteOrderRule::Fixed(order) => vec![order],
            ByteOrderRule::Mark { .. } => vec![ByteOrder::Little, ByteOrder::Big],
        };
        let text = format!(
            "# Made by `formwork fuzz` of the schema {}: what stands in files of this format.\n",
            model.name
        );
        Words { model, orders, known: BTreeSet::new(), text }
    }

    fn record(&mut self, record: &'m Record) {
        for row in &record.rows {
            let place = match &row.name {
                Some(name) => format!("{}.{name}", record.name),
                None => record.name.clone(),
            };
            self.row(&place, row);
            // The labels of a choice that this row decides.
            let Some(union) = row.ty.union() else { continue };
            let union = &self.model.unions[union.index()];
            if let Tag::Row(tag) = &union.tag
                && let Type::Cell(cell) = &record.rows[tag.index()].ty
            {
                self.labels(&union.name, &union.cases, Some(cell));
            }
        }
    }

    fn row(&mut self, place: &str, row: &'m Row) {
        if let RowKind::Constant(constant) = &row.kind {
            self.constant(place, &row.ty, constant);
        }
        if let RowKind::Pool { always, .. } = &row.kind {
            always.iter().for_each(|text| self.add(place, text.as_bytes()));
        }
        if let Role::Default(constant) = &row.role {
            self.constant(place, &row.ty, constant);
        }
        for none in &row.none {
            self.constant(place, &row.ty, &Constant::Int(*none));
        }
        let definers = row.definers.iter().filter_map(|definer| match &definer.source {
            DefinerSource::Expr(expr) => Some(expr),
            DefinerSource::Measure { .. } => None,
        });
        let checks = row.checks.iter().flat_map(|check| match &check.kind {
            CheckKind::Min(expr) | CheckKind::Max(expr) | CheckKind::Equals(expr) => {
                std::slice::from_ref(expr)
            }
            CheckKind::OneOf(list) => list.as_slice(),
            CheckKind::Holds(_) => &[],
        });
        let stated: Vec<Constant> =
            definers.chain(checks).filter_map(|expr| stated(self.model, *expr)).collect();
        stated.iter().for_each(|constant| self.constant(place, &row.ty, constant));
        if let Type::ByteOrderMark = row.ty {
            self.add(place, &[0xff, 0xfe]);
            self.add(place, &[0xfe, 0xff]);
        }
        self.members(&row.ty);
    }

    /// Members of the enumerations that cells of a type have.
    fn members(&mut self, ty: &'m Type) {
        for part in ty.parts() {
            let Type::Cell(cell) = part else { continue };
            let Meaning::Enum(id) = cell.meaning else { continue };
            let Enum { name, members, .. } = &self.model.enums[id.index()];
            for member in members {
                self.number(&format!("{name}.{}", member.name), cell, member.number);
            }
        }
    }

    fn labels(&mut self, union: &str, cases: &[crate::model::Case], cell: Option<&Cell>) {
        for case in cases {
            let place = format!("{union}.{}", case.name);
            let forms = case.forms.iter().flat_map(|form| &form.labels);
            for label in case.labels.iter().chain(forms) {
                match (label, cell) {
                    (Label::Range(low, high), Some(cell)) => {
                        self.number(&place, cell, *low);
                        self.number(&place, cell, *high);
                    }
                    (Label::Text(text), _) => self.add(&place, text.as_bytes()),
                    (Label::Pattern(pattern), _) => {
                        let bytes = pattern.bits.to_be_bytes();
                        let width = (pattern.width as usize / 8).min(bytes.len());
                        self.add(&place, &bytes[bytes.len() - width..]);
                    }
                    (Label::Range(..), None) | (Label::Else, _) => {}
                }
            }
        }
    }

    fn constant(&mut self, place: &str, ty: &'m Type, constant: &Constant) {
        for part in ty.inline_parts() {
            let cell = match part {
                Type::Cell(cell) => Some(cell),
                _ => None,
            };
            match (constant, cell) {
                (Constant::Text(text), _) => self.add(place, text.as_bytes()),
                (Constant::Bytes(bytes), _) => self.add(place, bytes),
                (Constant::Int(number), Some(cell)) => self.number(place, cell, *number),
                (Constant::Bool(yes), Some(cell)) => self.number(place, cell, i128::from(*yes)),
                (Constant::Float(_), Some(cell @ Cell { storage: Storage::Fixed(int), .. })) => {
                    let code = FloatCode::of(cell);
                    if let Some(stored) = code.and_then(|code| code.stored_constant(constant)) {
                        self.stored(place, *int, stored);
                    }
                }
                _ => {}
            }
        }
    }

    /// A number as it stands in a cell of whole bytes; others have no bytes of their own.
    fn number(&mut self, place: &str, cell: &Cell, number: i128) {
        match cell.storage {
            Storage::Fixed(int) => self.stored(place, int, number),
            Storage::Digits { digits, .. } => {
                let digits = &self.model.digits[digits.index()];
                if let Some(bytes) = digits.store(number) {
                    self.add(place, &bytes);
                }
            }
            _ => {}
        }
    }

    fn stored(&mut self, place: &str, int: IntType, number: i128) {
        let width = usize::from(int.bytes).min(16);
        let little = number.to_le_bytes();
        let orders = int.order.map_or_else(|| self.orders.clone(), |order| vec![order]);
        for order in orders {
            let mut bytes = little[..width].to_vec();
            if order == ByteOrder::Big {
                bytes.reverse();
            }
            self.add(place, &bytes);
        }
    }

    fn add(&mut self, place: &str, bytes: &[u8]) {
        let says_something = bytes.iter().any(|byte| *byte != 0);
        let fits = !bytes.is_empty() && bytes.len() <= LONGEST;
        if !fits || !says_something || !self.known.insert(bytes.to_vec()) {
            return;
        }
        let _ = write!(self.text, "\n# {place}\n\"");
        for byte in bytes {
            match byte {
                b'"' | b'\\' => {
                    let _ = write!(self.text, "\\{}", char::from(*byte));
                }
                0x20..=0x7e => self.text.push(char::from(*byte)),
                _ => {
                    let _ = write!(self.text, "\\x{byte:02x}");
                }
            }
        }
        self.text.push_str("\"\n");
    }
}

/// The constant that an expression is, if it is one.
fn stated(model: &Model, expr: ExprId) -> Option<Constant> {
    match &model[expr] {
        Expr::Text(text) => Some(Constant::Text(text.clone())),
        Expr::Bytes(bytes) => Some(Constant::Bytes(bytes.clone())),
        Expr::Float(number) => Some(Constant::Float(number.to_bits())),
        Expr::Bool(yes) => Some(Constant::Bool(*yes)),
        _ => model.exprs.constant(expr).map(Constant::Int),
    }
}
