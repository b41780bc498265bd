//! The type of a field of forms: what all of them can say.

use super::{Cx, RecordId, Source};
use crate::model::{
    ArrayLength, Cell, Constant, Content, Expr, Extent, FloatCode, FloatForm, Form, IntType,
    Meaning, Role, Row, RowKind, RunLength, RunType, Storage, Tag, Type, leading, limits,
    storage_range,
};

impl Cx<'_> {
    /// Gives the fields of a case the widest of the numbers and texts that its forms have, unless the
    /// schema says the type: a file may have any of the forms, and not the last alone.
    pub(super) fn widen_fields(&mut self, case: RecordId, forms: &[Form], tag: &Tag) {
        for at in 0..self.rec(case).rows.len() {
            self.may_be_nothing(case, at, forms);
            self.widen_text(case, at, forms);
            let declared = self.rec(case).slots.get(at).is_none_or(|slot| {
                !matches!(slot.variants.first().map(|v| &v.source), Some(Source::Logical(.., None)))
            });
            if declared {
                continue;
            }
            self.free_length(case, at, forms);
            let field = &self.rec(case).rows[at];
            let said: Vec<(&Form, &Row)> = forms
                .iter()
                .filter_map(|form| {
                    let mut rows = self.rec(form.record).rows.iter();
                    Some((form, rows.find(|row| row.name == field.name)?))
                })
                .collect();
            let rows: Vec<&Row> = said.iter().map(|(_, row)| *row).collect();
            if let (Type::Nothing, Some((least, most))) = (&field.ty, said_by_labels(&rows)) {
                let int = holding(least, most).map(Storage::Fixed);
                if let Some(storage) = int {
                    let ty = Type::Cell(Cell { storage, meaning: Meaning::Int });
                    self.rec_mut(case).rows[at].ty = ty;
                }
                continue;
            }
            let floats = rows.iter().filter_map(|row| FloatCode::of(cell(&row.ty)?));
            let wide = common_float(floats);
            if let (Some(wide), Some(cell)) = (wide, cell(&field.ty))
                && FloatCode::of(cell).is_some()
            {
                let field = &mut self.rec_mut(case).rows[at];
                if let Some(cell) = cell_mut(&mut field.ty) {
                    *cell = wide;
                }
                continue;
            }
            let Some(cell) = integer(&field.ty) else { continue };
            let stored = match cell.storage {
                // It has what the forms have.
                Storage::TagOf => None,
                _ => self.numbers(cell, field.plus),
            };
            let all = said.iter().filter_map(|(form, row)| match (&row.kind, integer(&row.ty)) {
                (RowKind::Constant(Constant::Int(number)), _) => Some((*number, *number)),
                (_, Some(Cell { storage: Storage::TagOf, .. })) => {
                    let (least, most) = self.tags(form, tag)?;
                    Some((least.checked_sub(row.plus)?, most.checked_sub(row.plus)?))
                }
                (_, cell) => self.numbers(cell?, row.plus),
            });
            let widest = stored.into_iter().chain(all);
            let widest = widest.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)));
            let Some((least, most)) = widest.filter(|_| widest != stored) else { continue };
            // What is stored for the field is of no form, and so is the number itself.
            let same = rows.iter().all(|row| row.plus == field.plus);
            let plus = if same { field.plus } else { 0 };
            let (least, most) = (least.saturating_add(plus), most.saturating_add(plus));
            let field = &mut self.rec_mut(case).rows[at];
            if let (Some(cell), Some(int)) = (cell_mut(&mut field.ty), holding(least, most)) {
                cell.storage = Storage::Fixed(int);
                let by = plus.saturating_sub(field.plus);
                for none in &mut field.none {
                    *none = none.saturating_add(by);
                }
                field.plus = plus;
            }
        }
    }

    /// What one form has a number of nothing for, or under a condition, may be nothing in the value,
    /// whatever the others have, and what it is usually in one form may be left out.
    fn may_be_nothing(&mut self, case: RecordId, at: usize, forms: &[Form]) {
        let field = &self.rec(case).rows[at];
        let rows = forms.iter().flat_map(|form| &self.rec(form.record).rows);
        let rows = rows.filter(|row| row.name == field.name);
        let none = rows.clone().find(|row| !row.none.is_empty()).map(|row| row.none.clone());
        let sometimes = rows.clone().any(|row| row.when.is_some());
        let usual = rows.clone().find_map(|row| match &row.role {
            Role::Default(usual) => Some(usual.clone()),
            _ => None,
        });
        // The form says whether it is there.
        let when = sometimes.then(|| self.exprs.add(Expr::Bool(true)));
        let field = &mut self.rec_mut(case).rows[at];
        field.when = field.when.or(when);
        if let (Some(none), true) = (none, field.none.is_empty()) {
            field.none = none;
        }
        field.absent = field.absent.take().or(usual);
    }

    /// Gives a text the encoding of the forms whose units may be no text.
    fn widen_text(&mut self, case: RecordId, at: usize, forms: &[Form]) {
        let field = &self.rec(case).rows[at];
        let rows = forms.iter().flat_map(|form| &self.rec(form.record).rows);
        let mut runs = rows.filter(|row| row.name == field.name).filter_map(|row| run(&row.ty));
        let wide = runs.find(|run| is_wide(run)).map(|run| run.content);
        let field = &mut self.rec_mut(case).rows[at];
        if let (Some(wide), Some(run)) = (wide, run_mut(&mut field.ty))
            && matches!(run.content, Content::Text(_))
            && !is_wide(run)
        {
            run.content = wide;
        }
    }

    /// How long a field is says the form that it is in, unless all forms say the same number.
    fn free_length(&mut self, case: RecordId, at: usize, forms: &[Form]) {
        let name = self.rec(case).rows[at].name.clone();
        let rows = |form: &Form| self.rec(form.record).rows.iter().find(|row| row.name == name);
        let mut lengths = forms.iter().filter_map(rows).map(|row| self.fixed_length(&row.ty));
        let first = lengths.next().flatten();
        if first.is_some() && lengths.all(|length| length == first) {
            return;
        }
        let ty = &mut self.rec_mut(case).rows[at].ty;
        while let Type::Region(region) = ty {
            *ty = region.inner.clone();
        }
        match ty {
            Type::Array(array) => array.length = ArrayLength::Fill,
            Type::Run(run) => run.length = RunLength::Fill,
            _ => {}
        }
    }

    /// The number of elements or bytes that is the same for each value of a type.
    fn fixed_length(&self, ty: &Type) -> Option<i128> {
        match ty {
            Type::Region(region) => match &region.extent {
                Extent::Size(size) if region.trim.is_none() => self.exprs.constant(*size),
                _ => None,
            },
            Type::Array(array) => match &array.length {
                ArrayLength::Count(count) => self.exprs.constant(*count),
                _ => None,
            },
            Type::Run(run) => match &run.length {
                RunLength::Count(count) => self.exprs.constant(*count),
                RunLength::Fixed(size) => Some((*size).into()),
                RunLength::Prefix(_) | RunLength::Fill => None,
            },
            Type::Pointer(pointer) => self.fixed_length(pointer.owned()?),
            _ => None,
        }
    }

    /// The least and the greatest tag that leads to a form.
    fn tags(&self, form: &Form, tag: &Tag) -> Option<(i128, i128)> {
        let (Tag::Own(cell) | Tag::Word(cell)) = tag else { return None };
        Some(leading(&form.labels, self.numbers(cell, 0)?))
    }

    /// The least and the greatest number that a row of this type has.
    fn numbers(&self, cell: &Cell, plus: i128) -> Option<(i128, i128)> {
        let (bits, signed) = storage_range(&cell.storage, &self.varints, &self.digits);
        let (least, most) = limits(bits, signed);
        Some((least.checked_sub(plus)?, most.checked_sub(plus)?))
    }
}

/// The least and the greatest of the numbers that rows without bytes or a type stand for.
fn said_by_labels(rows: &[&Row]) -> Option<(i128, i128)> {
    let number = |row: &&Row| match row.kind {
        RowKind::Constant(Constant::Int(number)) => Some(number),
        _ => None,
    };
    let numbers: Option<Vec<i128>> = rows.iter().map(number).collect();
    let numbers = numbers?;
    Some((*numbers.iter().min()?, *numbers.iter().max()?))
}

/// The smallest integer that has these numbers: of those with and without a sign in 64 bits, one of
/// more bytes.
fn holding(least: i128, most: i128) -> Option<IntType> {
    let signed = least < 0;
    let fits = |bytes: &u8| {
        let (low, high) = limits(u32::from(*bytes) * 8, signed);
        low <= least && most <= high
    };
    (1..=9).find(fits).map(|bytes| IntType { bytes, signed, order: None })
}

/// The float of which all are values: that of 8 bytes, unless all are of 4.
fn common_float(mut codes: impl Iterator<Item = FloatCode>) -> Option<Cell> {
    let first = codes.next()?;
    let (mut same, mut single) = (true, first.is_single());
    for code in codes {
        same &= code == first;
        single &= code.is_single();
    }
    let bytes = if single { 4 } else { 8 };
    let storage = Storage::Fixed(IntType { bytes, signed: false, order: None });
    (!same).then_some(Cell { storage, meaning: Meaning::Float(FloatForm::Ieee) })
}

/// Whether a run may have units that are no text.
fn is_wide(run: &RunType) -> bool {
    matches!(run.content, Content::Text(encoding) if encoding.keeps_surrogates())
}

/// The integer that a row or each element of it is.
fn integer(ty: &Type) -> Option<&Cell> {
    cell(ty).filter(|cell| cell.meaning == Meaning::Int)
}

/// The number that a row or each element of it is.
fn cell(ty: &Type) -> Option<&Cell> {
    match element(ty) {
        Some(Type::Cell(cell)) => Some(cell),
        _ => None,
    }
}

fn cell_mut(ty: &mut Type) -> Option<&mut Cell> {
    match element_mut(ty) {
        Type::Cell(cell) => Some(cell),
        _ => None,
    }
}

/// The text or bytes that a row or each element of it is.
fn run(ty: &Type) -> Option<&RunType> {
    match element(ty) {
        Some(Type::Run(run)) => Some(run),
        _ => None,
    }
}

fn run_mut(ty: &mut Type) -> Option<&mut RunType> {
    match element_mut(ty) {
        Type::Run(run) => Some(run),
        _ => None,
    }
}

/// What a row or each element of it is, of a pointer what it leads to.
fn element(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Array(array) => element(&array.element),
        Type::Region(region) => element(&region.inner),
        Type::Pointer(pointer) => element(pointer.owned()?),
        ty => Some(ty),
    }
}

/// The same of a field, which is no pointer.
fn element_mut(ty: &mut Type) -> &mut Type {
    match ty {
        Type::Array(array) => element_mut(&mut array.element),
        Type::Region(region) => element_mut(&mut region.inner),
        ty => ty,
    }
}
