//! `formwork roundtrip`: reads files, writes them again, and compares.

mod engine;
pub(crate) mod files;
mod report;

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::{fs, io};

use indicatif::{ProgressBar, ProgressStyle};

use crate::Outcome;
use crate::args::{EngineName, Roundtrip};
use crate::problem::{Problem, words};
use crate::schema::{Format, Formats};
use engine::{Engine, deviations, field_at};
use files::{Found, find};
use report::{Report, Result as FileResult, Totals};

/// Stack of a thread that reads files, in bytes.
const STACK: usize = 8 << 20;

/// From so many files on, a terminal is shown how far the work is.
const MANY: usize = 24;

pub(crate) fn run(options: &Roundtrip, out: &mut dyn Write) -> Result<Outcome, Problem> {
    if options.engine == Some(EngineName::Compiled) && options.choice.schema.is_some() {
        let message = "there is no compiled code of a schema file; it is interpreted";
        return Err(Problem::Usage(message.to_owned()));
    }
    let files = find(&options.paths)?;
    let formats = Formats::choose(&options.choice)?;
    let progress = progress(options, files.len());
    let mut totals = Totals::default();
    let mut reports = Vec::new();
    in_order(
        &files,
        |file| judge(file, &formats, options),
        |report| {
            progress.inc(1);
            totals.add(&report);
            if options.json {
                reports.push(report);
                return Ok(());
            }
            report.print(options.verbose, out)
        },
    )?;
    progress.finish_and_clear();
    if options.json {
        let files: Vec<_> = reports.iter().map(Report::to_json).collect();
        let document = serde_json::json!({ "files": files, "summary": totals.to_json() });
        writeln!(out, "{document:#}")?;
    } else {
        writeln!(out, "{totals}")?;
    }
    Ok(if totals.failed == 0 { Outcome::Good } else { Outcome::Bad })
}

/// A bar on a terminal, unless the lines that are printed show how far the work is.
fn progress(options: &Roundtrip, files: usize) -> ProgressBar {
    let lines_show_it = !options.json && io::stdout().is_terminal();
    if files < MANY || lines_show_it || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::try_from(files).unwrap_or(u64::MAX));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} files, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Works on all items at once, and takes the results in the order of the items.
fn in_order<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(items.len());
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, work) = (sender.clone(), &next, &work);
            let worker = move || {
                loop {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(position) else { return };
                    // Nobody waits for results once taking one has failed.
                    if sender.send((position, work(item))).is_err() {
                        return;
                    }
                }
            };
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker).map_err(
                |error| Problem::Failure(format!("cannot start a thread: {}", words(&error))),
            )?;
        }
        drop(sender);
        let mut waiting = std::collections::BTreeMap::new();
        let mut position = 0;
        // Owned here, so that workers notice when this ends early.
        let receiver = receiver;
        for (done, result) in &receiver {
            waiting.insert(done, result);
            while let Some(result) = waiting.remove(&position) {
                take(result)?;
                position += 1;
            }
        }
        Ok(())
    })
}

/// What becomes of one file.
fn judge(file: &Found, formats: &Formats, options: &Roundtrip) -> Report {
    let mut report = Report::new(&file.path);
    if let Some(error) = &file.error {
        return report.failed(error.clone());
    }
    let bytes = match fs::read(&file.path) {
        Ok(bytes) => bytes,
        Err(error) => return report.failed(format!("cannot open the file: {}", words(&error))),
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
    let interpreted =
        options.choice.schema.is_some() || options.engine == Some(EngineName::Interpreted);
    let compiled = formwork_formats::Format::named(format.name()).filter(|_| !interpreted);
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
    let done = match engine.run(bytes) {
        Ok(done) => done,
        Err(error) => return report.failed_reading(&error),
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

/// Whether a path is a folder, following links.
fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}
