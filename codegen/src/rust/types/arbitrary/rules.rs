//! What a schema says about the values of a field, as far as a value that is made of nothing can
//! heed it.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::lengths::Unit;
use super::{keys, lengths};
use crate::model::{
    ArrayLength, ArrayType, Cell, CheckKind, Content, Encoding, Expr, FloatCode, Home, Meaning,
    Member, Model, Path, RecordId, Role, Row, RowId, RowKind, RunLength, RunType, Step, Storage,
    Target, Type, UnionId, limits,
};
use crate::rust::shape::{FieldShape, IndexId, Shapes, constant_count, float_code};

/// Most zero bytes that a made value asks for.
const MOST_ZEROS: i128 = 4096;

/// Greatest number that a list is to have so many elements of, and the like.
const MOST_ELEMENTS: i128 = 64;

/// Most numbers of which one is chosen.
const CHOICES: usize = 64;

/// Rules for a field.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// Least and greatest number.
    pub range: Option<(i128, i128)>,
    /// Whether that holds for values that break rules, too.
    pub firm: bool,
    /// Numbers that it may be, per epoch or once for all; none if it may be any.
    pub choices: Vec<Vec<i128>>,
    /// How a float is stored, if not any can be.
    pub float: Option<FloatCode>,
    /// Texts have characters of 7 bits.
    pub ascii: bool,
    /// Most bytes of a text, or units of other width.
    pub most: Option<u64>,
    /// Exact number of bytes of a byte run.
    pub size: Option<u64>,
    /// Texts are neither empty nor equal to others; numbers are not equal to others.
    pub key: bool,
    /// The array whose elements are known by this number.
    pub key_at: Option<u32>,
    /// The array of which an element is known by this number.
    pub key_in: Option<u32>,
    /// Exact length of the list.
    pub length: Option<usize>,
    /// Position in [`wants`]: the element that is referred to must be of this case.
    pub want: Option<usize>,
}

/// An element of an array that must have a certain case, because something refers to it that
/// says so: `check="File.parts[part].body is wheel"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// The array.
    pub array: IndexId,
    /// The choice in its elements.
    pub union: UnionId,
    /// The case, by position.
    pub case: u32,
}

impl Rule {
    /// The rules of a field.
    pub fn of(shapes: &Shapes<'_>, record: RecordId, field: &FieldShape) -> Rule {
        let model = shapes.model();
        let row = &model.records[record.index()].rows[field.row.index()];
        let mut rule = Rule { length: constant_count(model, row), ..Rule::default() };
        rule.key = row.unique || tree_keys(model).contains(&(record, field.row));
        rule.key_at = keys::at(shapes, record, field);
        rule.key_in = keys::referred(shapes, row);
        match leaf(&row.ty) {
            Some(Type::Cell(cell)) => rule.cell(model, cell, row),
            Some(Type::Run(run)) => rule.run(run),
            _ => {}
        }
        // A number of bytes that are written: a value is made to be tried, not to fill a disk.
        if matches!(row.kind, RowKind::Zeros) {
            rule.few(MOST_ZEROS);
            rule.firm = true;
        }
        for (_, unit) in
            lengths::sources(shapes, record).iter().filter(|(row, _)| *row == field.row)
        {
            match unit {
                Unit::Padding => {
                    rule.few(MOST_ZEROS);
                    rule.firm = true;
                }
                Unit::Bytes => rule.few(MOST_ZEROS),
                Unit::Elements => rule.few(MOST_ELEMENTS),
            }
        }
        rule.want =
            want(shapes, row).and_then(|want| wants(shapes).iter().position(|w| *w == want));
        for check in &row.checks {
            match &check.kind {
                CheckKind::Min(expr) => rule.bound(model.exprs.constant(*expr), None),
                CheckKind::Max(expr) => rule.bound(None, model.exprs.constant(*expr)),
                CheckKind::Equals(expr) => {
                    rule.choices = vec![model.exprs.constant(*expr).into_iter().collect()];
                }
                CheckKind::OneOf(list) => {
                    let numbers = list.iter().filter_map(|expr| model.exprs.constant(*expr));
                    rule.choices = vec![numbers.collect()];
                }
                CheckKind::Holds(_) => {}
            }
        }
        if let Some(choices) = epoch_numbers(model, record, field.row) {
            let (least, most) = rule.range.unwrap_or((i128::MIN, i128::MAX));
            let allowed = rule.choices.concat();
            let of_epoch = |numbers: Vec<i128>| {
                // Both ends of what the epoch has, as far as the rules go.
                let mut numbers: Vec<i128> =
                    numbers.into_iter().map(|number| number.clamp(least, most)).collect();
                if allowed.iter().any(|number| numbers.contains(number)) {
                    numbers.retain(|number| allowed.contains(number));
                }
                numbers
            };
            rule.choices = choices.into_iter().map(of_epoch).collect();
        }
        rule
    }

    fn cell(&mut self, model: &Model, cell: &Cell, row: &Row) {
        self.float = FloatCode::of(cell).filter(|code| !code.is_plain());
        if !matches!(cell.meaning, Meaning::Int) {
            return;
        }
        if matches!(cell.storage, Storage::TagOf) {
            return;
        }
        let (bits, signed) = model.cell_range(cell);
        let (low, high) = limits(bits, signed);
        // Most integers fill the Rust type that they have.
        if row.plus != 0 || !matches!(bits, 8 | 16 | 32 | 64) {
            self.range = Some((low.saturating_sub(row.plus), high.saturating_sub(row.plus)));
        }
    }

    fn run(&mut self, run: &RunType) {
        self.ascii = matches!(
            run.content,
            Content::Text(Encoding::Ascii | Encoding::Latin1 | Encoding::Cp1252 | Encoding::Mutf8)
        );
        if let RunLength::Fixed(size) = run.length {
            match run.content {
                Content::Bytes => self.size = Some(size),
                Content::Text(Encoding::Utf32) => self.most = Some(size / 4),
                Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be) => {
                    self.most = Some(size / 2);
                }
                Content::Text(
                    Encoding::Ascii
                    | Encoding::Utf8
                    | Encoding::Latin1
                    | Encoding::Cp1252
                    | Encoding::Mutf8,
                ) => self.most = Some(size),
            }
        }
    }

    fn few(&mut self, most: i128) {
        self.bound(Some(0), Some(most));
    }

    fn bound(&mut self, low: Option<i128>, high: Option<i128>) {
        let (least, greatest) = self.range.unwrap_or((i128::MIN, i128::MAX));
        self.range =
            Some((least.max(low.unwrap_or(least)), greatest.min(high.unwrap_or(greatest))));
    }

    /// The rules as a Rust value; `least` is the array that must be long enough for those who refer
    /// to it, `size` the bytes or units, and `length` the elements that other numbers ask for. Nothing
    /// if there is no rule.
    pub fn tokens(
        &self,
        least: Option<u32>,
        size: Option<TokenStream>,
        length: Option<TokenStream>,
    ) -> Option<TokenStream> {
        let mut fields: Vec<TokenStream> = Vec::new();
        if let Some((low, high)) = self.range {
            let (low, high) = (Literal::i128_unsuffixed(low), Literal::i128_unsuffixed(high));
            fields.push(quote!(low: #low, high: #high));
            if self.firm {
                fields.push(quote!(firm: true));
            }
        }
        if let Some(first) = self.choices.first().filter(|first| !first.is_empty()) {
            let list = |numbers: &[i128]| {
                let numbers = numbers.iter().take(CHOICES).copied().map(Literal::i128_unsuffixed);
                quote!(&[#(#numbers),*])
            };
            fields.push(if self.choices.len() == 1 {
                let first = list(first);
                quote!(choices: #first)
            } else {
                let all = self.choices.iter().map(|numbers| list(numbers));
                quote!(choices: as_arbitrary::in_epoch(&[#(#all),*], cx))
            });
        }
        if let Some(code) = self.float {
            let code = float_code(code);
            fields.push(quote!(float: ::formwork::__rt::Some(#code)));
        }
        if self.ascii {
            fields.push(quote!(ascii: true));
        }
        if let Some(most) = self.most.and_then(|most| usize::try_from(most).ok()) {
            fields.push(quote!(most: #most));
        }
        if let Some(size) = size {
            fields.push(quote!(size: ::formwork::__rt::Some(#size)));
        } else if let Some(size) = self.size.and_then(|size| usize::try_from(size).ok()) {
            fields.push(quote!(size: ::formwork::__rt::Some(#size)));
        }
        if self.key {
            fields.push(quote!(key: true));
        }
        if let Some(array) = self.key_at {
            fields.push(quote!(key_at: ::formwork::__rt::Some(#array)));
        }
        if let Some(array) = self.key_in {
            fields.push(quote!(key_in: ::formwork::__rt::Some(#array)));
        }
        if let Some(length) = length {
            fields.push(quote!(length: ::formwork::__rt::Some(#length)));
        } else if let Some(length) = self.length {
            fields.push(quote!(length: ::formwork::__rt::Some(#length)));
        }
        if let Some(want) = self.want {
            fields.push(quote!(want: ::formwork::__rt::Some(#want)));
        }
        if let Some(least) = least {
            let least = Literal::u32_unsuffixed(least);
            fields.push(quote!(least: ::formwork::__rt::Some(#least)));
        }
        (!fields.is_empty())
            .then(|| quote!(as_arbitrary::Rule { #(#fields,)* ..as_arbitrary::ANY }))
    }
}

/// What elements, targets and insides consist of in the end.
fn leaf(ty: &Type) -> Option<&Type> {
    match ty.stripped() {
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => leaf(target),
            Target::Pooled | Target::Element => None,
        },
        Type::Array(array) => leaf(&array.element),
        Type::PerEpoch(types) => {
            types.iter().find(|ty| !matches!(ty, Type::Nothing)).and_then(leaf)
        }
        other => Some(other),
    }
}

/// The array in a row or behind its pointer.
fn array(row: &Row) -> Option<&ArrayType> {
    match row.ty.stripped() {
        Type::Array(array) => Some(array),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => match target.stripped() {
                Type::Array(array) => Some(array),
                _ => None,
            },
            Target::Pooled | Target::Element => None,
        },
        _ => None,
    }
}

/// How the length of a list follows from a number of the file: the number's path, factor, offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The path as written.
    pub number: String,
    /// Never zero.
    pub factor: i128,
    /// Added after multiplying.
    pub offset: i128,
}

/// The number that says the length of the list in a row, if it says it plainly.
pub fn shared(model: &Model, row: &Row) -> Option<Shared> {
    let ArrayLength::Count(count) = &array(row)?.length else { return None };
    // A length that falls while the number grows is nothing to begin with.
    let found = model.exprs.linear(*count).filter(|found| found.factor > 0)?;
    let (factor, offset) = (found.factor, found.offset);
    Some(Shared { number: found.path.text.clone(), factor, offset })
}

/// Rows whose texts are keys of a radix tree.
fn tree_keys(model: &Model) -> BTreeSet<(RecordId, RowId)> {
    let mut keys = BTreeSet::new();
    for record in &model.records {
        for row in &record.rows {
            let Role::Kept(expr) = row.role else { continue };
            let Expr::Patricia(path) = &model[expr] else { continue };
            match (&path.start, path.steps.as_slice()) {
                (crate::model::Start::Argument(number), []) => {
                    let argument = record.arguments.get(*number as usize);
                    if let Some(Expr::Path(path)) = argument.map(|argument| &model[*argument]) {
                        ends(path, &mut keys);
                    }
                }
                _ => ends(path, &mut keys),
            }
        }
    }
    keys
}

/// The rows that a path leads to.
fn ends(path: &Path, rows: &mut BTreeSet<(RecordId, RowId)>) {
    let field = path.steps.iter().rev().find_map(|step| match step {
        Step::Field(field) => Some(field),
        Step::Index(_) | Step::Last => None,
    });
    for (record, members) in field.iter().flat_map(|field| &field.members) {
        if let [Member::Row(row)] = members.as_slice() {
            rows.insert((*record, *row));
        }
    }
}

/// All elements that must have a certain case, each once.
pub fn wants(shapes: &Shapes<'_>) -> Vec<Want> {
    let mut wants = Vec::new();
    for row in shapes.model().records.iter().flat_map(|record| &record.rows) {
        if let Some(want) = want(shapes, row).filter(|want| !wants.contains(want)) {
            wants.push(want);
        }
    }
    wants
}

/// The case that the element must have which a row refers to.
fn want(shapes: &Shapes<'_>, row: &Row) -> Option<Want> {
    let model = shapes.model();
    row.reference.as_ref()?;
    row.checks.iter().find_map(|check| {
        let CheckKind::Holds(rule) = check.kind else { return None };
        let Expr::Is(path, case) = &model[rule] else { return None };
        let [before @ .., Step::Index(index), Step::Field(field)] = path.steps.as_slice() else {
            return None;
        };
        // Only what is about the element at the row's own number.
        let own = match &model[*index] {
            Expr::Path(own) => own.steps.last(),
            _ => None,
        };
        let Some(Step::Field(own)) = own else { return None };
        let Some(Step::Field(array)) = before.last() else { return None };
        if row.name.as_ref() != Some(&own.name) {
            return None;
        }
        let row_at = |field: &crate::model::Field| {
            let (record, members) = field.members.first()?;
            match members.as_slice() {
                [Member::Row(row)] => Some((*record, *row)),
                _ => None,
            }
        };
        let (record, array) = row_at(array)?;
        let array = shapes.index_into(record, array)?;
        let (record, choice) = row_at(field)?;
        let Type::Union(union) = model.records[record.index()].rows[choice.index()].ty.stripped()
        else {
            return None;
        };
        let cases = &model.unions[union.index()].cases;
        let case = cases.iter().position(|known| known.name == *case)?;
        Some(Want { array, union: *union, case: u32::try_from(case).ok()? })
    })
}

/// If a row tells epochs apart: numbers that it has in each, the bounds of the ranges.
fn epoch_numbers(model: &Model, record: RecordId, row: RowId) -> Option<Vec<Vec<i128>>> {
    let position = model.epoch_variables.iter().position(|variable| {
        model.rows_along(model.root, &variable.path).last() == Some(&(record, row))
    })?;
    let numbers = |epoch: &crate::model::Epoch| {
        let ranges = epoch.ranges.get(position).map_or(&[][..], Vec::as_slice);
        ranges.iter().flat_map(|&(low, high)| [low, high]).collect()
    };
    Some(model.epochs.iter().map(numbers).collect())
}

/// Which epochs have a row, if not all do.
pub fn epochs(row: &Row) -> Option<Vec<bool>> {
    let has: Vec<bool> = row.homes.iter().map(|home| *home != Home::Absent).collect();
    has.contains(&false).then_some(has)
}

/// Whether what a row holds has an array of whose elements others speak: without it they would speak
/// of nothing.
pub fn has_referred(shapes: &Shapes<'_>, row: &Row) -> bool {
    let model = shapes.model();
    let mut known = BTreeSet::new();
    let mut todo = vec![&row.ty];
    while let Some(ty) = todo.pop() {
        for part in ty.parts() {
            let Type::Record(id) = part else { continue };
            let rows = &model.records[id.index()].rows;
            if !known.insert(id.0) {
                continue;
            }
            for (number, inner) in (0..).zip(rows) {
                if shapes.index_into(*id, RowId(number)).is_some() {
                    return true;
                }
                todo.push(&inner.ty);
            }
        }
    }
    false
}

/// Whether a row may be missing where its layout has it.
pub fn may_be_none(row: &Row) -> bool {
    let optional = match row.ty.stripped() {
        Type::Pointer(pointer) => pointer.optional,
        _ => false,
    };
    row.when.is_some() || !row.none.is_empty() || optional
}
