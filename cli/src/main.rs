//! The command `formwork`: looks into, checks and rewrites binary files by a schema.
//!
//! What it prints and how it ends is a contract, written down in `docs/cli.md`.
#![forbid(unsafe_code)]

mod args;
mod check;
mod coverage;
mod decode;
mod detect;
mod diff;
mod docs;
mod dump;
mod edit;
mod encode;
mod explain;
mod files;
mod formats;
mod fuzz;
mod generate;
mod many;
mod merge;
mod new;
mod outcome;
mod problem;
mod roundtrip;
mod schema;
mod shown;
mod terminal;
mod unfinished;
mod unread;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use outcome::Outcome;
use problem::Problem;
use terminal::say;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(error),
    };
    // Where exit code 1 is an answer, whatever keeps it from being found is trouble.
    let answers = matches!(args.command, Command::Diff(_) | Command::Merge(_));
    let mut out = io::BufWriter::new(io::stdout().lock());
    let result = match &args.command {
        Command::Formats(options) => formats::run(options, &mut out),
        Command::Check(options) => check::run(options, &mut out),
        Command::Explain(options) => explain::run(options, &mut out),
        Command::Roundtrip(options) => roundtrip::run(options, &mut out),
        Command::Dump(options) => dump::run(options, &mut out),
        Command::Decode(options) => decode::run(options, &mut out),
        Command::Encode(options) => encode::run(options, &mut out),
        Command::Edit(options) => edit::run(options, &mut out),
        Command::Diff(options) => diff::run(options, &mut out),
        Command::Merge(options) => merge::run(options, &mut out),
        Command::Coverage(options) => coverage::run(options, &mut out),
        Command::New(options) => new::run(options, &mut out),
        Command::Generate(options) => generate::run(options, &mut out),
        Command::Docs(options) => docs::run(options, &mut out),
        Command::Fuzz(options) => fuzz::run(options, &mut out),
    };
    let flushed = out.flush();
    // What the buffer holds after an error must not be written when it is dropped.
    let _ = out.into_parts();
    end(result.and_then(|outcome| Ok(flushed.map(|()| outcome)?)), answers)
}

fn end(result: Result<Outcome, Problem>, answers: bool) -> ExitCode {
    match result {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::Bad) => ExitCode::from(1),
        Ok(Outcome::Trouble) => ExitCode::from(2),
        // Whoever reads the output has seen enough.
        Err(Problem::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(problem) => {
            say(&problem.to_string());
            ExitCode::from(if answers { 2 } else { problem.exit_code() })
        }
    }
}

/// Prints what clap has to say: help and versions, which are output, or wrong usage.
fn usage(mut error: clap::Error) -> ExitCode {
    if error.use_stderr() {
        // It repeats what was written, which may be the name of a file.
        let shown = |word: OsString| shown::text(&word.to_string_lossy()).into_owned();
        error = Args::try_parse_from(std::env::args_os().map(shown)).err().unwrap_or(error);
        // If nobody listens there, there is nobody to tell.
        let _ = error.print();
        return ExitCode::from(2);
    }
    let printed = error.print().and_then(|()| io::stdout().flush());
    end(printed.map(|()| Outcome::Good).map_err(Problem::from), false)
}
