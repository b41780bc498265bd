//! What of a model the fast path of its generated code carries, struct by struct.

use super::layouts::Layouts;
use super::straight::{self, Finding, Task};
use super::{FastPath, fast_path, shape, unused};
use crate::model::{Model, RecordId, Row};
use crate::print::columns;
use crate::roles::label;
use crate::span::{SourceMap, Span};

/// What the fast path of a model carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Whether there is a fast path.
    pub whole: FastPath,
    /// Labels of the layouts whose files it leaves to the engine, all of them.
    pub without: Vec<String>,
    /// Structs, cases and forms, and packed words, in the order of the model.
    pub records: Vec<RecordPath>,
}

/// Whether the fast path carries a struct, case or form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordPath {
    /// Name of the record.
    pub record: String,
    /// Why it is not carried; nothing if it is. What is in a struct that it holds is told there.
    pub reasons: Vec<Reason>,
}

/// Something that the fast path does not carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Name of the row, or the kind of one without a name in angle brackets; none if it is about the
    /// record, such as a rule for all of it.
    pub row: Option<String>,
    /// What it is.
    pub why: String,
    /// The layouts in which it is so; none if it is so in all.
    pub layouts: Vec<String>,
    /// Where the row or rule, or else the record, is declared.
    pub span: Span,
}

/// What the fast path of a model carries, and why not the rest.
#[must_use]
pub fn paths(model: &Model) -> Paths {
    let whole = fast_path(model);
    let reachable = unused::reachable(model);
    let model = &unused::without(model);
    let (found, lost) = straight::survey(&shape::Shapes::new(model), &Layouts::new(model));
    let records = model.records().filter(|(id, _)| reachable.contains(id)).map(|(id, record)| {
        let reasons = reasons(model, id, &found);
        RecordPath { record: record.name.clone(), reasons }
    });
    let lost = model.epochs.iter().zip(lost).filter(|(_, lost)| *lost);
    let without = lost.map(|(layout, _)| layout.label.clone()).collect();
    Paths { whole, without, records: records.collect() }
}

/// Whether what [`paths`] finds and what [`fast_path`] says go together: there is no fast path if
/// and only if something is found that takes it away.
#[doc(hidden)]
#[must_use]
pub fn paths_agree(model: &Model) -> bool {
    let whole = fast_path(model);
    let model = &unused::without(model);
    let (_, lost) = straight::survey(&shape::Shapes::new(model), &Layouts::new(model));
    lost.iter().all(|lost| *lost) == matches!(whole, FastPath::None(_))
}

/// Why a record is not carried: of each row, and of the record itself, what the first of reader, writer
/// and rules says that says something, as they meet the same things; and what rules say beside, which
/// nobody else looks at.
fn reasons(model: &Model, id: RecordId, found: &[Finding]) -> Vec<Reason> {
    let record = &model.records[id.index()];
    let mut found: Vec<&Finding> = found.iter().filter(|finding| finding.record == id).collect();
    found.sort_by_key(|finding| (finding.row, finding.task));
    let mut reasons = Vec::new();
    for of_row in found.chunk_by(|a, b| a.row == b.row) {
        let row = of_row[0].row.map(|row| &record.rows[row.index()]);
        let first = of_row[0].task;
        let has_rules =
            row.is_none_or(|row| !row.checks.is_empty() || row.unique || row.reference.is_some());
        let of_rules = |task| task == Task::Checking && has_rules;
        let of_row: Vec<_> =
            of_row.iter().filter(|f| f.task == first || of_rules(f.task)).collect();
        let mut whys: Vec<(&str, Option<Span>)> = Vec::new();
        for finding in &of_row {
            let why = (finding.why.as_str(), finding.span);
            if !whys.contains(&why) {
                whys.push(why);
            }
        }
        for (why, span) in whys {
            let here = of_row.iter().filter(|f| f.why == why && f.span == span);
            let epochs: Vec<usize> = here.map(|finding| finding.epoch).collect();
            reasons.push(Reason {
                row: row.map(|row: &Row| label(row)),
                why: why.to_owned(),
                layouts: layouts(model, &epochs),
                span: span.unwrap_or(row.map_or(record.span, |row| row.span)),
            });
        }
    }
    reasons
}

/// The labels of layouts, unless they are all.
fn layouts(model: &Model, epochs: &[usize]) -> Vec<String> {
    let labels = model.epochs.iter().enumerate().filter(|(epoch, _)| epochs.contains(epoch));
    let labels: Vec<String> = labels.map(|(_, layout)| layout.label.clone()).collect();
    if labels.len() == model.epochs.len() { Vec::new() } else { labels }
}

/// The same as text: a line for the module, one for each record, and below it one for each reason.
#[must_use]
pub fn paths_text(module: &str, paths: &Paths, sources: &SourceMap) -> String {
    let why = match &paths.whole {
        FastPath::Compared(why) => format!(", for {why}"),
        _ => String::new(),
    };
    let mut out = format!("{module}: {}{why}\n", paths.whole.word());
    let names = paths.records.iter().map(|record| {
        let carried = if record.reasons.is_empty() { "carried" } else { "not carried" };
        vec![record.record.clone(), carried.to_owned()]
    });
    let lines = columns(&names.collect::<Vec<_>>(), "  ");
    for (line, record) in lines.lines().zip(&paths.records) {
        out.push_str(&format!("{line}\n"));
        let reasons = record.reasons.iter().map(|reason| {
            let (line, column) = sources.line_column(reason.span.source, reason.span.start);
            let file = &sources.get(reason.span.source).name;
            let row = reason.row.as_ref().map(|row| format!("{row}: ")).unwrap_or_default();
            let layouts = match reason.layouts.is_empty() {
                true => String::new(),
                false => format!(", in {}", reason.layouts.join(", ")),
            };
            vec![format!("{file}:{line}:{column}"), format!("{row}{}{layouts}", reason.why)]
        });
        out.push_str(&columns(&reasons.collect::<Vec<_>>(), "    "));
    }
    out
}
