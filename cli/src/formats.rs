//! `formwork formats`: lists the built-in formats.

use std::io::Write;

use serde_json::{Value, json};

use crate::args::Formats;
use crate::detect::{hex, words};
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::{Format, built_in};
use crate::shown::{self, line};

pub(crate) fn run(options: &Formats, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let formats = built_in()?;
    if options.json {
        let list: Vec<Value> = formats.iter().map(as_json).collect();
        shown::print_json(out, &json!({ "formats": list }))?;
        return Ok(Outcome::Good);
    }
    for format in &formats {
        let model = format.model();
        line!(out, "{}  {}", model.name, model.title)?;
        line!(out, "    versions    {}", versions(format))?;
        if !model.extensions.is_empty() {
            line!(out, "    extensions  {}", model.extensions.join(", "))?;
        }
        for (position, cell) in format.signature.cells.iter().enumerate() {
            let label = if position == 0 { "magic" } else { "" };
            line!(out, "    {label:<11} {} at {:#x}", words(cell), cell.offset)?;
        }
    }
    Ok(Outcome::Good)
}

/// The versions of files that have layouts of their own, and the version of the schema.
fn versions(format: &Format) -> String {
    let labels: Vec<&str> =
        format.model().epochs.iter().map(|epoch| epoch.label.as_str()).collect();
    format!("{} (schema version {})", labels.join(", "), format.model().version)
}

fn as_json(format: &Format) -> Value {
    let model = format.model();
    let magic: Vec<Value> = format
        .signature
        .cells
        .iter()
        .map(|cell| {
            let allowed: Vec<_> = cell.allowed.iter().map(|bytes| hex(bytes)).collect();
            json!({ "offset": cell.offset, "hex": allowed })
        })
        .collect();
    let labels: Vec<_> = model.epochs.iter().map(|epoch| epoch.label.clone()).collect();
    json!({
        "name": model.name,
        "title": model.title,
        "schema_version": model.version,
        "versions": labels,
        "extensions": model.extensions,
        "magic": magic,
    })
}
