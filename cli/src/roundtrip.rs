//! `formwork roundtrip`: reads files, writes them again, and compares.

mod engine;
mod report;

use std::io::Write;

use crate::args::{EngineName, Roundtrip};
use crate::many::{self, Found, NotRead, find};
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::{Format, Formats};
use engine::{Engine, deviations, field_at};
use report::{Report, Result as FileResult, Totals};

pub(crate) fn run(options: &Roundtrip, out: &mut dyn Write) -> Result<Outcome, Problem> {
    if options.engine == Some(EngineName::Compiled) && options.choice.schema.is_some() {
        let message = "there is no compiled code of a schema file; it is interpreted";
        return Err(Problem::Usage(message.to_owned()));
    }
    let files = find(&options.paths)?;
    let formats = Formats::choose(&options.choice)?;
    let judge = |file: &Found| judge(file, &formats, options);
    let print = |report: &Report, out: &mut dyn Write| report.print(options.verbose, out);
    many::report::<Totals>(&files, options.json, out, judge, print, Report::to_json)
}

/// What becomes of one file.
fn judge(file: &Found, formats: &Formats, options: &Roundtrip) -> Report {
    let mut report = Report::new(&file.path);
    let bytes = match file.content() {
        Ok(bytes) => bytes,
        Err(NotRead::Skipped(reason)) => {
            report.reason = Some(reason);
            return report;
        }
        Err(NotRead::Failed(error)) => return report.failed(error),
    };
    report.size = Some(bytes.len());
    match formats.of(&file.path, &bytes) {
        Some(format) => {
            let detailed = options.verbose || options.json;
            roundtrip(report, format, engine(format, options), detailed, &bytes)
        }
        None if file.is_named => report.failed("no known format".to_owned()),
        None => report,
    }
}

/// The engine for a format: the compiled one where there is one, unless something else is said.
fn engine<'a>(format: &'a Format, options: &Roundtrip) -> Engine<'a> {
    // Compiled code writes within the usual limits.
    let usual = options.choice.schema.is_none() && !options.choice.limits.are_said();
    let interpreted = options.engine.map_or(!usual, |name| name == EngineName::Interpreted);
    let compiled = formwork_formats::FormatId::named(format.name()).filter(|_| !interpreted);
    compiled.map_or(Engine::Interpreted(&format.program), Engine::Compiled)
}

fn roundtrip(
    mut report: Report,
    format: &Format,
    engine: Engine<'_>,
    detailed: bool,
    bytes: &[u8],
) -> Report {
    report.format = Some(format.name().to_owned());
    let done = match engine.run(bytes, &format.options) {
        Ok(done) => done,
        Err(error) => {
            report.allowance = format.allowance(error.kind());
            return report.failed_reading(&error);
        }
    };
    report.notes = done.notes;
    report.kept = done.kept;
    if detailed {
        report.deviations = deviations(format, bytes);
    }
    let written = match done.written {
        Ok(written) => written,
        Err(error) => {
            let problems = error.to_string();
            let problems: Vec<_> = problems.lines().map(str::trim).collect();
            report.allowance = format.allowance_to_write(&error);
            return report.failed(format!("cannot be written: {}", problems.join("; ")));
        }
    };
    let Some(offset) = first_difference(bytes, &written) else {
        report.result = FileResult::Identical;
        return report;
    };
    report.offset = Some(offset);
    report.field = field_at(format, [bytes, &written], offset);
    match done.again {
        Some(Err(error)) => report.failed(format!("what is written cannot be read: {error}")),
        Some(Ok(true)) => {
            report.result = FileResult::Equivalent;
            report
        }
        _ => {
            let place = report.place();
            report.failed(format!("what is written reads back to another value, {place}"))
        }
    }
}

/// Offset of the first byte that is not the same in both.
fn first_difference(a: &[u8], b: &[u8]) -> Option<u64> {
    let differs = a.iter().zip(b).position(|(a, b)| a != b);
    let shorter = a.len().min(b.len());
    let position = differs.or((a.len() != b.len()).then_some(shorter))?;
    u64::try_from(position).ok()
}
