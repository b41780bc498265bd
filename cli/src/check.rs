//! `formwork check`: checks schemas.

use std::collections::HashSet;
use std::io::Write;

use formwork_codegen::Loaded;
use formwork_codegen::diagnostic::{Severity, render, to_json};
use formwork_codegen::examples::report;
use formwork_codegen::roles::{RoleLine, roles, roles_text};
use formwork_codegen::rust::{Paths, Reason, RecordPath, paths, paths_text};
use formwork_codegen::span::SourceMap;
use formwork_interpreter::{examples, program};
use serde_json::{Value, json};

use crate::args::Check;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::load_named;
use crate::shown;
use crate::terminal::{say, wants_color};

pub(crate) fn run(options: &Check, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let mut loaded = Vec::new();
    for path in &options.schemas {
        let mut schema = load_named(path)?;
        look_at_examples(&mut schema);
        loaded.push((path.display().to_string(), schema));
    }
    if !options.json {
        say_once(loaded.iter_mut().map(|(_, schema)| schema));
    }
    let errors: usize = loaded.iter().map(|(_, schema)| schema.diagnostics.errors()).sum();
    let notes: usize = loaded.iter().map(|(_, schema)| notes(schema)).sum();
    if options.json {
        let schemas: Vec<Value> =
            loaded.iter().map(|(name, schema)| as_json(name, schema, options)).collect();
        let summary = json!({ "schemas": loaded.len(), "errors": errors, "notes": notes });
        shown::print_json(out, &json!({ "schemas": schemas, "summary": summary }))?;
    } else {
        for (_, schema) in &loaded {
            if !schema.diagnostics.all().is_empty() {
                let text = render(&schema.diagnostics, &schema.sources, wants_color());
                say(text.trim_end());
            }
            if options.roles
                && let Some(model) = &schema.model
            {
                writeln!(out, "{}", shown::lines(&roles_text(&roles(model))))?;
            }
            if options.paths
                && let Some(model) = &schema.model
            {
                let text = paths_text(&model.name, &paths(model), &schema.sources);
                writeln!(out, "{}", shown::lines(&text))?;
            }
        }
        let schemas = counted(loaded.len(), "schema");
        let (errors, notes) = (counted(errors, "error"), counted(notes, "note"));
        writeln!(out, "{schemas}, {errors}, {notes}")?;
    }
    Ok(if errors == 0 { Outcome::Good } else { Outcome::Bad })
}

/// Leaves out what was said of an earlier schema: both may import a third one, or be the same.
fn say_once<'a>(schemas: impl Iterator<Item = &'a mut Loaded>) {
    let mut seen = HashSet::new();
    for Loaded { diagnostics, sources, .. } in schemas {
        diagnostics.retain(|found| {
            let file = sources.get(found.span.source).name.clone();
            seen.insert((file, found.span.start, found.span.end, found.code, found.message.clone()))
        });
    }
}

/// Reads the examples of a schema without errors, and reports what is wrong with them.
fn look_at_examples(schema: &mut Loaded) {
    let Some(model) = schema.model.as_ref().filter(|model| !model.examples.is_empty()) else {
        return;
    };
    if let Err(problems) = examples(&program(model.clone())) {
        for problem in problems {
            report(&mut schema.diagnostics, problem.span, problem.message);
        }
        schema.diagnostics.sort();
    }
}

fn notes(schema: &Loaded) -> usize {
    schema.diagnostics.all().iter().filter(|found| found.severity == Severity::Note).count()
}

/// The plural stands for one, too, so that programs find the same words in every line.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}s")
}

fn as_json(name: &str, schema: &Loaded, options: &Check) -> Value {
    let mut value = json!({
        "schema": name,
        "module": schema.model.as_ref().map(|model| model.name.clone()),
        "diagnostics": to_json(&schema.diagnostics, &schema.sources),
    });
    if options.roles
        && let Some(model) = &schema.model
    {
        value["roles"] = roles(model).iter().map(role_json).collect();
    }
    if options.paths
        && let Some(model) = &schema.model
    {
        value["paths"] = paths_json(&paths(model), &schema.sources);
    }
    value
}

fn role_json(line: &RoleLine) -> Value {
    json!({
        "record": line.record,
        "row": line.row,
        "role": line.role,
        "from": line.from,
        "checks": line.checks,
    })
}

fn paths_json(paths: &Paths, sources: &SourceMap) -> Value {
    let record = |record: &RecordPath| {
        json!({
            "record": record.record,
            "carried": record.reasons.is_empty(),
            "reasons": record.reasons.iter().map(|r| reason_json(r, sources)).collect::<Vec<_>>(),
        })
    };
    json!({
        "path": paths.whole.word(),
        "why": paths.whole.why(),
        "records": paths.records.iter().map(record).collect::<Vec<_>>(),
    })
}

fn reason_json(reason: &Reason, sources: &SourceMap) -> Value {
    let (line, column) = sources.line_column(reason.span.source, reason.span.start);
    json!({
        "row": reason.row,
        "reason": reason.why,
        "layouts": reason.layouts,
        "file": sources.get(reason.span.source).name,
        "line": line,
        "column": column,
    })
}
