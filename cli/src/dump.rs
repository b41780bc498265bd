//! `formwork dump`: shows the fields of a file.

mod json;
mod text;
mod watch;

use std::io::Write;
use std::ops::ControlFlow;

use formwork::ReadError;
use formwork_interpreter::{Document, FieldView, WalkOptions, read_partly};

use crate::args::Dump;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::{Format, Formats};
use crate::terminal::say;
use crate::unread::reading_block;
use crate::{files, shown};

pub(crate) fn run(options: &Dump, out: &mut dyn Write) -> Result<Outcome, Problem> {
    if options.watch {
        return watch::run(options, out);
    }
    show(options, out)
}

/// Shows the file once.
fn show(options: &Dump, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let formats = Formats::choose(&options.choice)?;
    let bytes = files::read(&options.file)?;
    let format = formats.require(&options.file, &bytes)?;
    let (document, error) = read_partly(&format.program, &bytes, &format.options);
    let shown = if options.json {
        json::print(options, format, &document, &bytes, error.as_ref(), out)
    } else {
        text::print(options, &document, &bytes, out)
    };
    out.flush()?;
    match (shown, &error) {
        // The part with the path may not have been reached.
        (Err(Problem::Usage(message)), Some(_)) => say(&format!("error: {message}")),
        (shown, _) => shown?,
    }
    Ok(match error {
        None => Outcome::Good,
        Some(error) => {
            report(options, format, &error, &bytes);
            Outcome::Bad
        }
    })
}

fn report(options: &Dump, format: &Format, error: &ReadError, bytes: &[u8]) {
    say(&reading_block(&options.file, format, error, bytes));
}

/// Calls `line` for every field that the options ask for.
fn for_each(
    options: &Dump,
    document: &Document<'_>,
    mut line: impl FnMut(&FieldView) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let fold = if options.all { None } else { WalkOptions::default().fold };
    let mut result = Ok(());
    let walked = document.walk(options.path.as_deref(), &WalkOptions { fold }, &mut |field| {
        result = line(field);
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    walked.map_err(|error| Problem::Usage(shown::text(&error.to_string()).into_owned()))?;
    result
}
