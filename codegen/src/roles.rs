//! What part each row plays in the value, and where derived rows get their numbers from.

use crate::check::exprs::{lengths, own_rows, values};
use crate::model::{
    DefinerScope, DefinerSource, Expr, Member, Model, Record, RecordId, RecordKind, Role, Row,
    RowId, RowKind, Start, Step, Tag, Type,
};
use crate::print::{columns, constant_text, definer_text, expr_text, record_name};

/// The role of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleLine {
    /// Name of the record.
    pub record: String,
    /// Name of the row; of rows without one, the kind in angle brackets: `<zero>`.
    pub row: String,
    /// `data`, `default`, `fixed`, `derived`, `kept`, `spelling`, `view` or `elsewhere`.
    pub role: &'static str,
    /// The constant or equation that gives the row; empty for data.
    pub from: String,
    /// Everything else that must agree with the row: other uses of the same number, and rules.
    pub checks: Vec<String>,
}

/// One line per row, in the order of the model.
#[must_use]
pub fn roles(model: &Model) -> Vec<RoleLine> {
    let mut lines = Vec::new();
    for (id, record) in model.records() {
        for (number, row) in record.numbered_rows() {
            let (role, from) = role(model, record, row);
            let mut checks = uses(model, record, id, number, row);
            checks.extend(row.checks.iter().map(|check| check.text.clone()));
            lines.push(RoleLine {
                record: record.name.clone(),
                row: label(row),
                role,
                from,
                checks,
            });
        }
    }
    lines
}

/// The lines as text, in aligned columns, with a heading per record.
#[must_use]
pub fn roles_text(lines: &[RoleLine]) -> String {
    let mut out = String::new();
    for group in lines.chunk_by(|a, b| a.record == b.record) {
        if let Some(first) = group.first() {
            out.push_str(&format!("{}\n", first.record));
        }
        let rows: Vec<Vec<String>> = group
            .iter()
            .map(|line| {
                let checks = line.checks.join("; ");
                let checks =
                    if checks.is_empty() { String::new() } else { format!("checked: {checks}") };
                vec![line.row.clone(), line.role.to_owned(), line.from.clone(), checks]
            })
            .collect();
        out.push_str(&columns(&rows, "  "));
    }
    out
}

fn label(row: &Row) -> String {
    let kind = match (&row.name, &row.kind) {
        (Some(name), _) => return name.clone(),
        (None, RowKind::Constant(_)) => "<constant>",
        (None, RowKind::Zero) => "<zero>",
        (None, RowKind::Reserved) => "<reserved>",
        (None, RowKind::Runtime) => "<runtime>",
        (None, RowKind::Zeros) => "<zeros>",
        (None, _) => "<unnamed>",
    };
    kind.to_owned()
}

fn role(model: &Model, record: &Record, row: &Row) -> (&'static str, String) {
    match &row.role {
        Role::Data => ("data", String::new()),
        Role::Default(constant) => ("default", constant_text(constant)),
        Role::Fixed => {
            let from = match &row.kind {
                RowKind::Constant(constant) => constant_text(constant),
                RowKind::Zero | RowKind::Runtime => "0".to_owned(),
                _ => String::new(),
            };
            ("fixed", from)
        }
        Role::Derived => {
            let equations = row.definers.iter();
            let equations = equations.map(|d| definer_text(model, record, &d.scope, &d.source));
            ("derived", equations.collect::<Vec<_>>().join(" | "))
        }
        Role::Kept(expr) => ("kept", expr_text(model, expr)),
        Role::Spelling => ("spelling", String::new()),
        Role::View { slices, key } => {
            let slices: Vec<String> =
                slices.iter().map(|path| expr_text(model, &Expr::Path(path.clone()))).collect();
            let key = key.as_ref().map(|key| format!(" by {}", expr_text(model, key)));
            ("view", format!("{}{}", slices.join(", "), key.unwrap_or_default()))
        }
        Role::Elsewhere => ("elsewhere", String::new()),
    }
}

/// Lengths, conditions and choices that use the row's number, except the one that gives it.
fn uses(model: &Model, record: &Record, id: RecordId, number: RowId, row: &Row) -> Vec<String> {
    let mut uses = Vec::new();
    for (at, other) in record.numbered_rows() {
        let gives = row.definers.iter().any(|definer| {
            matches!(definer.scope, DefinerScope::Own)
                && matches!(&definer.source, DefinerSource::Measure { row, .. } if *row == at)
        });
        if gives || at == number {
            continue;
        }
        let mentions =
            |expr: &Expr| own_rows(record, id, expr).iter().any(|(row, _)| *row == number);
        let lengths = lengths(&other.ty);
        let length = lengths.iter().find(|expr| mentions(expr));
        uses.extend(
            length.map(|expr| format!("length of {}: {}", label(other), expr_text(model, expr))),
        );
        if let Some(when) = other.when.as_ref().filter(|when| mentions(when)) {
            uses.push(format!("presence of {}: {}", label(other), expr_text(model, when)));
        }
        if let Type::Union(union) = other.ty
            && let Some(union) = model.unions.get(union.index())
        {
            let given = match &union.tag {
                Tag::Row(tag) => *tag == number,
                Tag::Given(expr) => mentions(expr),
                Tag::Own(_) | Tag::Word(_) => false,
            };
            if given {
                uses.push(format!("choice of {}", label(other)));
            }
            uses.extend(uses_in_cases(
                model,
                union.cases.iter().map(|case| case.record),
                id,
                number,
                row,
            ));
        }
    }
    uses
}

/// Lengths in the bodies of cases that use a row of the struct around them.
fn uses_in_cases(
    model: &Model,
    bodies: impl Iterator<Item = RecordId>,
    id: RecordId,
    number: RowId,
    row: &Row,
) -> Vec<String> {
    let mut uses = Vec::new();
    for body in bodies {
        let Some(record) = model.records.get(body.index()) else { continue };
        if !matches!(record.kind, RecordKind::Case(..)) {
            continue;
        }
        for (at, other) in record.numbered_rows() {
            let gives = row.definers.iter().any(|definer| {
                matches!(definer.scope, DefinerScope::Case(..))
                    && matches!(&definer.source, DefinerSource::Measure { row, .. } if *row == at)
            });
            for expr in lengths(&other.ty) {
                let mut found = false;
                values(expr, &mut |path| {
                    let up = matches!(path.start, Start::Up(1));
                    let first = path.steps.first();
                    found |= up && first.is_some_and(|step| leads_to(step, id, number));
                });
                if found && !gives {
                    let (name, expr) = (label(other), expr_text(model, expr));
                    let record = record_name(model, body);
                    uses.push(format!("length of {name} in {record}: {expr}"));
                }
            }
        }
    }
    uses
}

fn leads_to(step: &Step, record: RecordId, row: RowId) -> bool {
    let Step::Field(field) = step else { return false };
    field.members.iter().any(|(id, way)| *id == record && way.first() == Some(&Member::Row(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_with_its_source() {
        let text = "
            module t \"Test\" root=File endian=little
            pointer * u32 none=0
            struct File {
                magic   TEST  size=4
                u8      count
                u8      level  usually=3 max=9
                u32     size   is=\"end(file)\"
                u32     slots  usually=\"count * 2\"
                u8      kind
                reserved size=2
                *Leaf   first
                u16     numbers  count=count
                u16     others   count=count
                union body on=kind {
                    case one 1 { u8 value }
                    case two 2 { bytes data size=\"count\" }
                }
            }
            struct Leaf 4 { u32 value 0 }
        ";
        let loaded = crate::load("t.kdl", text, None, &());
        let problems = crate::diagnostic::render(&loaded.diagnostics, &loaded.sources, false);
        let model = loaded.model.as_ref().unwrap_or_else(|| panic!("{problems}"));
        let expected = "\
File
  <constant>  fixed     hex('54455354')
  count       derived   count(numbers)   checked: length of others: count; length of data in File.body.two: ^.count
  level       default   3                checked: 9
  size        derived   end(file)
  slots       kept      count * 2
  kind        derived   tag(body)
  <reserved>  spelling
  first       data
  numbers     data
  others      data
  body        data
";
        let lines = roles(model);
        let file: Vec<RoleLine> = lines.into_iter().filter(|l| l.record == "File").collect();
        assert_eq!(roles_text(&file), expected);
    }
}
