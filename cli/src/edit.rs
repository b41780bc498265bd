//! `formwork edit`: changes one thing in a file.

use std::io::Write;

use formwork::EditError;
use formwork_interpreter::{Edit, EditFailure, Source, edit, read, write};

use crate::args::{self, Action};
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::Formats;
use crate::terminal::say;
use crate::unread::reading_block;
use crate::{diff, files, shown};

pub(crate) fn run(options: &args::Edit, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let text = value(options)?;
    let action = action(options, text.as_deref())?;
    let formats = Formats::choose(&options.choice)?;
    let bytes = files::read(&options.file)?;
    let format = formats.require(&options.file, &bytes)?;
    let document = match read(&format.program, &bytes, &format.options) {
        Ok(document) => document,
        Err(error) => {
            say(&reading_block(&options.file, format, &error, &bytes));
            return Ok(Outcome::Bad);
        }
    };
    let mut value = document.value();
    drop(document);
    let refused = |lines: Vec<String>| {
        let lines = lines.iter().map(|line| format!("\n  {}", shown::text(line)));
        let (lines, file) = (lines.collect::<String>(), shown::path(&options.file));
        Problem::Failure(format!("cannot {} in {file}{lines}", words(options)))
    };
    match edit(&format.program, &mut value, &options.path, action) {
        Ok(()) => {}
        Err(EditFailure::Path { known, message }) => {
            let known = if known.is_empty() { "the file".to_owned() } else { format!("`{known}`") };
            let problem = format!("{} leads nowhere: of {known}, {message}", options.path);
            return Err(Problem::Usage(shown::text(&problem).into_owned()));
        }
        Err(EditFailure::Edit(EditError::StillReferenced { paths })) => {
            let mut lines: Vec<_> =
                paths.iter().map(|path| format!("{path} refers to it")).collect();
            lines.push(match options.action {
                Action::Remove if options.instead.is_some() => {
                    "nothing can stand for what is in it".to_owned()
                }
                Action::Set => "`rename` lets them follow".to_owned(),
                _ => "--instead INDEX says what these are to refer to".to_owned(),
            });
            return Err(refused(lines));
        }
        Err(error) => return Err(refused(error.to_string().lines().map(str::to_owned).collect())),
    }
    let written = write(&format.program, &value).map_err(|error| {
        let problems = error.problems().iter();
        let lines =
            problems.map(|problem| format!("{}: {}", problem.path.shortened(), problem.kind));
        refused(lines.chain(format.allowance_to_write(&error).map(str::to_owned)).collect())
    })?;
    let target = options.output.as_ref().unwrap_or(&options.file);
    if !options.dry_run {
        files::write(target, &written, out)?;
    }
    diff::written(format, [&options.file, target], [&bytes, &written], out)?;
    Ok(Outcome::Good)
}

/// The new value, as it was given.
fn value(options: &args::Edit) -> Result<Option<String>, Problem> {
    match &options.value {
        Some(value) if value == "-" && options.action != Action::Move => {
            if files::is_stream(&options.file) {
                return Err(Problem::Usage("standard input is only one file".to_owned()));
            }
            let bytes = files::read("-".as_ref())?;
            match String::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(Problem::Failure("standard input is no UTF-8 text".to_owned())),
            }
        }
        value => Ok(value.clone()),
    }
}

fn action<'t>(options: &args::Edit, value: Option<&'t str>) -> Result<Edit<'t>, Problem> {
    let usage = |message: &str| Problem::Usage(message.to_owned());
    if options.instead.is_some() && options.action != Action::Remove {
        return Err(usage("`--instead` is for `remove`"));
    }
    let json = || {
        let name = name(options.action);
        let none = || usage(&format!("`{name}` needs a value: JSON, or `-` for standard input"));
        value.map(Source::Json).ok_or_else(none)
    };
    Ok(match options.action {
        Action::Insert => Edit::Insert(json()?),
        Action::Set => Edit::Set(json()?),
        Action::Rename => Edit::Rename(json()?),
        Action::Remove if value.is_some() => return Err(usage("`remove` takes no value")),
        Action::Remove => Edit::Remove(options.instead),
        Action::Move => {
            let to = value.and_then(|value| value.parse().ok());
            Edit::Move(to.ok_or_else(|| usage("`move` needs the position to move to"))?)
        }
    })
}

fn name(action: Action) -> &'static str {
    match action {
        Action::Insert => "insert",
        Action::Remove => "remove",
        Action::Move => "move",
        Action::Set => "set",
        Action::Rename => "rename",
    }
}

/// What was to be done, for messages.
fn words(options: &args::Edit) -> String {
    format!("{} {}", name(options.action), shown::text(&options.path))
}
