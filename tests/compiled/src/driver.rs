//! The program that compares: one process for each schema, so that code which never ends or uses
//! up its stack stops nothing but its own row of the table.

use std::env;
use std::io::{self, Read as _, Write as _};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use formwork_tests_module::Module;

use crate::compare::{Kind, compare, keep_panics};
use crate::known::CRASHED;
use crate::schemas;

/// How long one schema may take.
const LONGEST: Duration = Duration::from_secs(120);

/// Compares all modules and prints a row for each; with `-v` all differences. With names, only
/// modules whose name contains one of them.
#[must_use]
pub fn main(modules: &[Module]) -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [one, name, rest @ ..] = arguments.as_slice()
        && one == "--one"
    {
        let module = modules.iter().find(|module| module.name == name);
        return module.map_or(ExitCode::FAILURE, |module| run(module, !rest.is_empty()));
    }
    let verbose = arguments.iter().any(|argument| argument == "-v");
    let names: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let chosen: Vec<&Module> = modules
        .iter()
        .filter(|m| names.is_empty() || names.iter().any(|name| m.name.contains(name.as_str())))
        .collect();
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let Some(module) = chosen.get(position) else { return };
                    let row = isolated(module.name, verbose);
                    rows.lock().unwrap_or_else(PoisonError::into_inner).push((position, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort();
    let mut out = io::stdout().lock();
    let mut good = 0;
    for (_, row) in &rows {
        good += usize::from(row.split_once(": ").is_some_and(|(_, rest)| rest.starts_with("ok")));
        let _ = writeln!(out, "{row}");
    }
    let _ = writeln!(out, "{good} ok, {} differ", rows.len() - good);
    if good == rows.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What a table says is wrong with each schema, in the words of [`crate::known`].
#[must_use]
pub fn kinds(table: &str) -> Vec<(String, Vec<String>)> {
    let rows = table.lines().filter(|line| !line.starts_with(' '));
    rows.filter_map(|row| {
        let (name, rest) = row.split_once(": ")?;
        let counts = rest.split(", ").map_while(|part| {
            let (kind, count) = part.split_once(' ')?;
            let known = Kind::ALL.iter().any(|known| known.to_string() == kind);
            (known && count.parse::<usize>().is_ok()).then(|| kind.to_owned())
        });
        let mut kinds: Vec<String> = counts.collect();
        if kinds.is_empty() && !rest.starts_with("ok") {
            kinds.push(CRASHED.to_owned());
        }
        Some((name.to_owned(), kinds))
    })
    .collect()
}

fn run(module: &Module, verbose: bool) -> ExitCode {
    let schema = schemas::all().into_iter().find(|schema| schema.name == module.name);
    let Some(schema) = schema else { return ExitCode::FAILURE };
    keep_panics();
    // As on the main thread of a small program, so that deep values are noticed.
    let report = thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(8 << 20);
        let worker = worker.spawn_scoped(scope, || compare(module, &schema));
        worker.expect("a thread can be started").join()
    });
    let Ok(report) = report else { return ExitCode::FAILURE };
    let mut out = io::stdout().lock();
    let _ = write!(out, "{}: {}", module.name, report.line());
    if verbose {
        for difference in &report.differences {
            let text = difference.text.replace('\n', "\n        ");
            let _ = write!(out, "\n    {} {}: {text}", difference.kind, difference.input);
        }
    }
    ExitCode::SUCCESS
}

/// Runs this program for one module.
fn isolated(name: &str, verbose: bool) -> String {
    let child = env::current_exe().and_then(|program| {
        Command::new(program)
            .args(["--one", name])
            .args(verbose.then_some("-v"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    });
    match child {
        Ok(child) => watched(name, child),
        Err(error) => format!("{name}: cannot be started: {error}"),
    }
}

fn watched(name: &str, mut child: Child) -> String {
    let drain = |stream: Option<Box<dyn io::Read + Send>>| {
        thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(mut stream) = stream {
                let _ = stream.read_to_end(&mut text);
            }
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let out = drain(child.stdout.take().map(|s| Box::new(s) as Box<dyn io::Read + Send>));
    let err = drain(child.stderr.take().map(|s| Box::new(s) as Box<dyn io::Read + Send>));
    let started = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if started.elapsed() < LONGEST => thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let text = |thread: thread::JoinHandle<String>| thread.join().unwrap_or_default();
    let (out, err) = (text(out), text(err));
    match status {
        // Standard output has a line for each folder that is missing as well.
        Some(status) if status.success() => {
            let lines: Vec<&str> = out.lines().filter(|l| !l.starts_with("SKIPPED")).collect();
            lines.join("\n")
        }
        Some(status) => {
            let panic: Vec<&str> = err.lines().filter(|line| !line.trim().is_empty()).collect();
            format!("{name}: crashed ({status}): {}", panic.join(" | "))
        }
        None => format!("{name}: does not end within {} s", LONGEST.as_secs()),
    }
}
