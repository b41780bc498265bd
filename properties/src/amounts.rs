//! Fields that say how many bytes the writer makes of nothing.
//!
//! A number in a value is as large as its bits allow, and most of them change a few bytes of a file.
//! These make the file as large as they say: padding whose size is data, strides, alignments.

use std::collections::BTreeSet;

use formwork_codegen::model::{
    DefinerSource, Expr, ExprId, Extent, Model, Path, Record, Role, Row, RowKind, RunLength, Start,
    Statement, Step, Target, Type,
};

/// Names of such fields. Where other fields have the same name, these are meant as well.
#[must_use]
pub fn names(model: &Model) -> BTreeSet<String> {
    let mut found = Found { model, names: BTreeSet::new(), arguments: false };
    for record in &model.records {
        let passes = record.passes.iter().map(|(_, statements)| statements);
        passes.chain([&record.layout]).for_each(|statements| found.layout(statements));
        for row in &record.rows {
            if matches!(row.kind, RowKind::Zeros) {
                found.names.extend(row.name.clone());
            }
            found.ty(&row.ty);
        }
    }
    // What such a number follows from is one, too.
    loop {
        let before = (found.names.len(), found.arguments);
        model.records.iter().for_each(|record| found.follow(record));
        if (found.names.len(), found.arguments) == before {
            break;
        }
    }
    let rows = || model.records.iter().flat_map(|record| &record.rows);
    let is_data = |row: &Row| !matches!(row.role, Role::Derived | Role::Fixed);
    found.names.retain(|name| rows().any(|row| row.name.as_ref() == Some(name) && is_data(row)));
    found.names
}

struct Found<'m> {
    model: &'m Model,
    names: BTreeSet<String>,
    /// Whether an argument of some record is such a number. It may come from an argument of those
    /// around, so all are meant then.
    arguments: bool,
}

impl Found<'_> {
    fn layout(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Align(expr) | Statement::Zero(expr) | Statement::Mark(_, Some(expr)) => {
                    self.expr(*expr);
                }
                Statement::When(_, yes, no) => {
                    self.layout(yes);
                    self.layout(no);
                }
                Statement::This
                | Statement::Record(_)
                | Statement::Tail(_)
                | Statement::Put(_)
                | Statement::Run(..)
                | Statement::Mark(_, None) => {}
            }
        }
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Run(run) => {
                if let RunLength::Count(count) = &run.length {
                    self.expr(*count);
                }
            }
            Type::Pointer(pointer) => {
                pointer.align.iter().for_each(|align| self.expr(*align));
                if let Target::Own(target) = &pointer.target {
                    self.ty(target);
                }
            }
            Type::Array(array) => {
                array.stride.iter().for_each(|stride| self.expr(*stride));
                self.ty(&array.element);
            }
            Type::Region(region) => {
                if let Extent::Size(expr) | Extent::End(expr) = &region.extent {
                    self.expr(*expr);
                }
                self.ty(&region.inner);
            }
            Type::PerEpoch(types) => types.iter().for_each(|ty| self.ty(ty)),
            Type::Cell(_)
            | Type::Record(_)
            | Type::Union(_)
            | Type::ByteOrderMark
            | Type::Text
            | Type::Nothing => {}
        }
    }

    fn expr(&mut self, expr: ExprId) {
        let model = self.model;
        if let Expr::Path(path) = &model[expr] {
            self.path(path);
        }
        model[expr].operands(&mut |operand| self.expr(operand));
    }

    fn path(&mut self, path: &Path) {
        let field = path.steps.iter().rev().find_map(|step| match step {
            Step::Field(field) => Some(field),
            Step::Index(_) | Step::Last => None,
        });
        let Some(field) = field else {
            self.arguments |= matches!(path.start, Start::Argument(_));
            return;
        };
        self.names.insert(field.name.clone());
    }

    /// What the fields of a record follow from that are known.
    fn follow(&mut self, record: &Record) {
        if self.arguments {
            record.arguments.iter().for_each(|argument| self.expr(*argument));
        }
        for named in &record.lets {
            if self.names.contains(&named.name) {
                self.expr(named.expr);
            }
        }
        for row in &record.rows {
            if self.stands_for(&row.ty) {
                self.names.extend(row.name.clone());
            }
            if !row.name.as_ref().is_some_and(|name| self.names.contains(name)) {
                continue;
            }
            if let Role::Kept(expr) = &row.role {
                self.expr(*expr);
            }
            if let RowKind::Value { seen: Some(expr) } = &row.kind {
                self.expr(*expr);
            }
            for definer in &row.definers {
                if let DefinerSource::Expr(expr) = &definer.source {
                    self.expr(*expr);
                }
            }
        }
    }

    /// Whether a value of this type is the value of a field that is known.
    fn stands_for(&self, ty: &Type) -> bool {
        match ty {
            Type::Record(id) => {
                let record = &self.model.records[id.index()];
                let name =
                    record.transparent.and_then(|row| record.rows[row.index()].name.as_ref());
                name.is_some_and(|name| self.names.contains(name))
            }
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => self.stands_for(target),
                Target::Pooled | Target::Element => false,
            },
            Type::Array(array) => self.stands_for(&array.element),
            Type::Region(region) => self.stands_for(&region.inner),
            Type::PerEpoch(types) => types.iter().any(|ty| self.stands_for(ty)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in a schema whose rows are these, besides structs.
    fn of(rest: &str) -> Vec<String> {
        let text = format!("module amounts \"Amounts\" root=File endian=little\n{rest}\n");
        let loaded = formwork_codegen::load("amounts.kdl", &text, None, &());
        let model = loaded.model.unwrap_or_else(|| {
            panic!(
                "{}",
                formwork_codegen::diagnostic::render(&loaded.diagnostics, &loaded.sources, false)
            )
        });
        names(&model).into_iter().collect()
    }

    #[test]
    fn numbers_of_bytes_are_known() {
        let cases: [(&str, &[&str]); 9] = [
            ("struct File { u32 other; zeros padding until=end }", &["padding"]),
            ("struct File { u32 many; zero size=many }", &["many"]),
            ("struct File { u32 many; reserved size=\"2 * many\" }", &["many"]),
            ("struct File { u32 step; u8 numbers count=3 stride=step }", &["step"]),
            (
                "struct File { u32 gap; *u8 to; layout { self; zero gap; put to } }\npointer * u32",
                &["gap"],
            ),
            (
                "struct File { u32 to; *u8 part; layout { self; align to; put part } }\npointer * u32",
                &["to"],
            ),
            (
                "struct File { Long many }\nstruct Long transparent { u32 bytes; zero size=bytes }",
                &["bytes", "many"],
            ),
            (
                "struct File { u32 many; Part<many> part }\nstruct Part<N> { u8 a; zero size=N }",
                &["many"],
            ),
            // What follows from its content is no such number.
            ("struct File { u32 size; bytes data size=size }", &[]),
        ];
        for (schema, expected) in cases {
            assert_eq!(of(schema), expected, "{schema}");
        }
    }
}
