//! What part each row plays in the value, and where derived rows get their numbers from.

use std::collections::HashMap;

use crate::check::exprs::{lengths, own_rows, values};
use crate::model::{
    DefinerScope, DefinerSource, ExprId, InStep, Member, Model, Record, RecordId, RecordKind, Role,
    Row, RowId, RowKind, Start, Step, Tag,
};
use crate::print::{columns, constant_text, definers_text, expr_text, path_text, record_name};

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
        let mut uses = uses(model, id);
        for (number, row) in record.numbered_rows() {
            let (role, from) = role(model, record, row);
            let mut checks = uses.remove(&number).unwrap_or_default();
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

/// Name of a row, or its kind in angle brackets.
pub(crate) fn label(row: &Row) -> String {
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
    if let Some(in_step) = row.ty.in_step() {
        return ("derived", in_step_text(record, in_step));
    }
    match &row.role {
        Role::Data => ("data", String::new()),
        Role::Default(constant) => ("default", constant_text(constant)),
        Role::Fixed => {
            let from = match &row.kind {
                RowKind::Constant(constant) => constant_text(constant),
                RowKind::Zero | RowKind::Runtime => row.fill.to_string(),
                _ => String::new(),
            };
            ("fixed", from)
        }
        Role::Derived => ("derived", definers_text(model, record, row)),
        Role::Kept(expr) => ("kept", expr_text(model, *expr)),
        Role::Spelling => ("spelling", String::new()),
        Role::View { slices, key } => {
            let slices: Vec<String> = slices.iter().map(|path| path_text(model, path)).collect();
            let key = key.map(|key| format!(" by {}", expr_text(model, key)));
            ("view", format!("{}{}", slices.join(", "), key.unwrap_or_default()))
        }
        Role::Elsewhere => ("elsewhere", String::new()),
    }
}

/// How many elements an array has that is in step with another one.
pub(crate) fn in_step_text(record: &Record, in_step: InStep) -> String {
    let other = label(&record.rows[in_step.with.index()]);
    match in_step.plus {
        0 => format!("as many as {other}"),
        more @ 1.. => format!("{more} more than {other}"),
        less => format!("{} less than {other}", less.unsigned_abs()),
    }
}

/// Lengths, conditions and choices that use the number of a row, by row; without those that give it.
fn uses(model: &Model, id: RecordId) -> HashMap<RowId, Vec<String>> {
    let record = &model.records[id.index()];
    let mut uses: HashMap<RowId, Vec<String>> = HashMap::new();
    let mut note = |rows: Vec<RowId>, from: RowId, use_: String| {
        for row in rows.into_iter().filter(|row| *row != from) {
            let known = uses.entry(row).or_default();
            if !known.contains(&use_) {
                known.push(use_.clone());
            }
        }
    };
    let mentioned = |expr: ExprId| -> Vec<RowId> {
        own_rows(model, id, expr).into_iter().map(|(row, _)| row).collect()
    };
    for (at, other) in record.numbered_rows() {
        for expr in lengths(&other.ty) {
            let mut rows = mentioned(expr);
            rows.retain(|&row| !gives(record, row, None, at));
            if !rows.is_empty() {
                note(rows, at, format!("length of {}: {}", label(other), expr_text(model, expr)));
            }
        }
        if let Some(when) = &other.when {
            let text = format!("presence of {}: {}", label(other), expr_text(model, *when));
            note(mentioned(*when), at, text);
        }
        let Some(union) = other.ty.union() else { continue };
        let Some(union) = model.unions.get(union.index()) else { continue };
        let mut rows = match &union.tag {
            Tag::Row(tag) => vec![*tag],
            Tag::Given(expr) => mentioned(*expr),
            Tag::Own(_) | Tag::Word(_) => Vec::new(),
        };
        rows.retain(|&row| !gives(record, row, None, at));
        note(rows, at, format!("choice of {}", label(other)));
        for (number, case) in (0u32..).zip(&union.cases) {
            let Some(body) = model.records.get(case.record.index()) else { continue };
            if !matches!(body.kind, RecordKind::Case(..)) {
                continue;
            }
            for (inner, other) in body.numbered_rows() {
                for expr in lengths(&other.ty) {
                    let mut rows = mentioned_above(model, expr, id);
                    rows.retain(|&row| !gives(record, row, Some(number), inner));
                    if !rows.is_empty() {
                        let (name, expr) = (label(other), expr_text(model, expr));
                        let body = record_name(model, case.record);
                        note(rows, at, format!("length of {name} in {body}: {expr}"));
                    }
                }
            }
        }
    }
    uses
}

/// Whether an equation derives a row from a measure of another one, in the same node or in the node
/// of a case.
fn gives(record: &Record, row: RowId, case: Option<u32>, measured: RowId) -> bool {
    let definers = record.rows.get(row.index()).map_or(&[][..], |row| &row.definers);
    definers.iter().any(|definer| {
        let here = match definer.scope {
            DefinerScope::Own => case.is_none(),
            DefinerScope::Case(_, number) => case == Some(number),
            DefinerScope::Owner(..) => false,
        };
        here && matches!(&definer.source, DefinerSource::Measure { row, .. } if *row == measured)
    })
}

/// Rows of the record around a case that an expression in the case mentions.
fn mentioned_above(model: &Model, expr: ExprId, record: RecordId) -> Vec<RowId> {
    let mut rows = Vec::new();
    values(model, expr, &mut |path| {
        if !matches!(path.start, Start::Up(1)) {
            return;
        }
        if let Some(Step::Field(field)) = path.steps.first() {
            let ways = field.members.iter().filter(|(id, _)| *id == record);
            rows.extend(ways.filter_map(|(_, way)| match way.first() {
                Some(Member::Row(row)) => Some(*row),
                _ => None,
            }));
        }
    });
    rows
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
