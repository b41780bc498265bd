//! Columns of records: each is one array, whose elements have one size and lie in the records.

use std::collections::HashSet;

use super::context::{Context, bodies, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{
    ArrayLength, Cell, EpochId, Extent, Home, Meaning, Model, RecordId, Row, RowKind, RunLength,
    Sizes, Storage, Tag, Type,
};
use crate::span::Span;

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (epoch, sizes) in context.epochs() {
        let proof = Proof { model: context.model, epoch, sizes };
        for (_, record) in context.records(epoch) {
            for row in record.rows.iter().filter(|row| row.home(epoch) != Home::Absent) {
                let Type::Array(array) = row.ty.in_epoch(epoch).stripped() else { continue };
                if row.ty.in_epoch(epoch).stripped().columns().is_none() {
                    continue;
                }
                let Type::Record(column) = array.element else { continue };
                if let Err((span, why)) = proof.column(column) {
                    let message = format!("{} cannot be columns: {why}", row_name(row));
                    let diagnostic = found.error("E0740", row.span, message);
                    diagnostic.also(span, "here");
                    diagnostic.help(match why {
                        LEAD => {
                            "let each record have an array of its elements with `of=`, and no \
                             `records=`: a pointer may stand there"
                        }
                        _ => "a column is one array with `count=`, of elements of one size",
                    });
                }
            }
        }
    }
}

struct Proof<'c> {
    model: &'c Model,
    epoch: EpochId,
    sizes: &'c Sizes<'c>,
}

const LEAD: &str = "the elements lead somewhere else in the file";

type Proven = Result<(), (Span, &'static str)>;

impl Proof<'_> {
    /// A struct that is one array, or a union type whose cases are.
    fn column(&self, id: RecordId) -> Proven {
        let row = self.only_row(id)?;
        let Type::Union(union) = row.ty.in_epoch(self.epoch) else {
            return self.array(row);
        };
        let definition = &self.model.unions[union.index()];
        if matches!(definition.tag, Tag::Own(_) | Tag::Word(_)) {
            return Err((definition.span, "a union with a tag of its own has bytes in front"));
        }
        if let Some(case) = definition.cases.iter().find(|case| !case.forms.is_empty()) {
            return Err((case.span, "a case with forms is not one array"));
        }
        if definition.size.is_some() {
            return Err((definition.span, "the union has a size of its own"));
        }
        let cases = bodies(self.model, *union, self.epoch);
        cases.into_iter().try_for_each(|case| self.array(self.only_row(case)?))
    }

    fn only_row(&self, id: RecordId) -> Result<&Row, (Span, &'static str)> {
        let record = &self.model.records[id.index()];
        let mut rows = record.rows.iter().filter(|row| row.home(self.epoch) != Home::Absent);
        match (rows.next(), rows.next()) {
            (Some(row), None) if row.holds_bytes() && row.when.is_none() => Ok(row),
            (Some(_), Some(other)) => Err((other.span, "there is another row beside the array")),
            (Some(row), None) => Err((row.span, "the array is not always there")),
            (None, _) => Err((record.span, "there is no array")),
        }
    }

    fn array(&self, row: &Row) -> Proven {
        let Type::Array(array) = row.ty.in_epoch(self.epoch) else {
            return Err((row.span, "the row is no array"));
        };
        let ArrayLength::Count(count) = array.length else {
            return Err((row.span, "the array has no `count=`"));
        };
        if self.model.exprs.constant(count).is_some() {
            return Err((row.span, "the number of elements is a constant"));
        }
        if array.stride.is_some()
            || array.described.is_some()
            || !matches!(row.kind, RowKind::Plain)
        {
            return Err((row.span, "the elements stand apart"));
        }
        if self.leads(&array.element) {
            return Err((row.span, LEAD));
        }
        match self.has_one_size(&array.element) {
            true => Ok(()),
            false => Err((row.span, "the elements have no size that the column says")),
        }
    }

    /// Whether elements of a type have the same size in each record.
    fn has_one_size(&self, ty: &Type) -> bool {
        match ty.in_epoch(self.epoch) {
            Type::Cell(cell) => matches!(cell.storage, Storage::Fixed(_)),
            Type::Run(run) => {
                let known = matches!(run.length, RunLength::Fixed(_) | RunLength::Count(_));
                known && run.align.is_none_or(|align| align <= 1)
            }
            Type::Region(region) => {
                matches!((&region.inner, &region.extent), (Type::Run(_), Extent::Size(_)))
            }
            Type::Record(id) => self.sizes.record(*id).is_some(),
            _ => false,
        }
    }

    /// Whether something inside leads to somewhere else in the file.
    fn leads(&self, ty: &Type) -> bool {
        let (mut seen, mut open) = (HashSet::new(), vec![ty]);
        while let Some(ty) = open.pop() {
            for part in ty.parts() {
                let records = match part {
                    Type::Pointer(_) => return true,
                    Type::Record(id) => vec![*id],
                    Type::Cell(Cell { meaning: Meaning::Word(id), .. }) => vec![*id],
                    Type::Union(union) => bodies(self.model, *union, self.epoch),
                    _ => continue,
                };
                for id in records.into_iter().filter(|id| seen.insert(*id)) {
                    let rows = &self.model.records[id.index()].rows;
                    let apart = |row: &Row| {
                        matches!(
                            row.kind,
                            RowKind::Object { .. }
                                | RowKind::Mark { .. }
                                | RowKind::Slice { .. }
                                | RowKind::Pool { .. }
                        )
                    };
                    if rows.iter().any(apart) {
                        return true;
                    }
                    open.extend(rows.iter().map(|row| &row.ty));
                }
            }
        }
        false
    }
}
