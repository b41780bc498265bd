//! `formwork edit`: changes something in a file.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use formwork::EditError;
use formwork_interpreter::{Edit, EditFailure, Source, edit, read, write};

use crate::args::{self, Action};
use crate::diff::Show;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::Formats;
use crate::terminal::say;
use crate::unread::reading_block;
use crate::{diff, files, shown};

/// One change, as somebody says it.
struct Change {
    action: Action,
    path: String,
    value: Option<String>,
    /// Of `remove`: what stands for the element.
    instead: Option<u32>,
    /// Line of the text of changes.
    line: Option<usize>,
}

pub(crate) fn run(options: &args::Edit, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let changes = changes(options)?;
    let place = |change: &Change| match (&options.changes, change.line) {
        (Some(text), Some(line)) => format!(" ({}:{line})", shown::path(text)),
        _ => String::new(),
    };
    let edits = changes.iter().map(|change| {
        let edit = change.edit().map_err(|message| message + &place(change));
        edit.map(|edit| (change, edit)).map_err(Problem::Usage)
    });
    let edits: Vec<_> = edits.collect::<Result<_, _>>()?;
    let formats = Formats::choose(&options.choice)?;
    if options.output.is_none() && !options.dry_run && !is_replaceable(&options.file) {
        let file = shown::path(&options.file);
        let message = format!("{file} is no file that can be replaced; -o says where to write");
        return Err(Problem::Usage(message));
    }
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
    let refused = |what: &str, place: &str, lines: &[String]| {
        let lines = lines.iter().map(|line| format!("\n  {}", shown::text(line)));
        let (lines, file) = (lines.collect::<String>(), shown::path(&options.file));
        Problem::Failure(format!("cannot {what} in {file}{place}{lines}"))
    };
    for (change, made) in edits {
        let place = place(change);
        let lines = match edit(&format.program, &mut value, &change.path, made) {
            Ok(()) => continue,
            Err(EditFailure::Path { known, message }) => {
                let known =
                    if known.is_empty() { "the file".to_owned() } else { format!("`{known}`") };
                let path = &change.path;
                let wrong = match message.strip_prefix("it ") {
                    Some(what) => format!("{known} {what}"),
                    None => format!("of {known}, {message}"),
                };
                let problem = format!("{path} leads nowhere: {wrong}{place}");
                return Err(Problem::Usage(shown::text(&problem).into_owned()));
            }
            Err(error @ EditFailure::Place { .. }) => {
                let problem = format!("cannot {} {error}{place}", name(change.action));
                return Err(Problem::Usage(shown::text(&problem).into_owned()));
            }
            Err(EditFailure::Edit(EditError::StillReferenced { paths })) => {
                let mut lines: Vec<_> =
                    paths.iter().map(|path| format!("{path} refers to it")).collect();
                lines.push(change.way_out().to_owned());
                lines
            }
            Err(error) => {
                let mut lines: Vec<_> = error.to_string().lines().map(str::to_owned).collect();
                if let (EditFailure::Json(_), Some(text)) = (&error, change.unquoted()) {
                    lines.push(match change.line {
                        None => format!("a text stands in quotes, in a shell as '\"{text}\"'"),
                        Some(_) => format!("a text stands in quotes: \"{text}\""),
                    });
                }
                lines
            }
        };
        return Err(refused(&change.words(), &place, &lines));
    }
    let written = write(&format.program, &value).map_err(|error| {
        let problems = error.problems().iter();
        let lines =
            problems.map(|problem| format!("{}: {}", problem.path.shortened(), problem.kind));
        let lines: Vec<_> =
            lines.chain(format.allowance_to_write(&error).map(str::to_owned)).collect();
        match (&options.changes, &changes[..]) {
            (None, [change]) => refused(&change.words(), "", &lines),
            (text, _) => {
                let text = text.as_ref().map(|text| format!(" ({})", shown::path(text)));
                refused("make the changes", &text.unwrap_or_default(), &lines)
            }
        }
    })?;
    let target = options.output.as_ref().unwrap_or(&options.file);
    let show = Show { meaning: true, bytes: !options.meaning, all: options.all };
    let tell = |out: &mut dyn Write| {
        diff::written(format, [&options.file, target], [&bytes, &written], show, out)
    };
    match options.dry_run {
        true => tell(out)?,
        false => files::write_telling(target, &written, out, tell)?,
    }
    Ok(Outcome::Good)
}

/// Whether the result can take the place of what is edited. Standard input becomes standard output;
/// what does not exist is for reading to say.
fn is_replaceable(file: &Path) -> bool {
    files::is_stream(file) || files::is_file(file) || file.is_dir()
}

/// All changes that are to be made, in this order.
fn changes(options: &args::Edit) -> Result<Vec<Change>, Problem> {
    if let Some(text) = &options.changes {
        let said = text_of(text, &options.file)?;
        return parse(&said).map_err(|(line, message)| {
            Problem::Usage(format!("{}:{line}: {message}", shown::path(text)))
        });
    }
    let (Some(action), Some(path)) = (options.action, &options.path) else {
        return Err(Problem::Usage("nothing is said to be done".to_owned()));
    };
    let value = match &options.value {
        Some(value) if value == "-" && action != Action::Move => {
            Some(text_of(Path::new("-"), &options.file)?)
        }
        value => value.clone(),
    };
    Ok(vec![Change { action, path: path.clone(), value, instead: options.instead, line: None }])
}

/// A text that is no schema and no file of a format, such as new values.
fn text_of(path: &Path, file: &Path) -> Result<String, Problem> {
    if files::is_stream(path) && files::is_stream(file) {
        return Err(Problem::Usage("standard input is only one file".to_owned()));
    }
    String::from_utf8(files::read(path)?).map_err(|_| {
        let name = if files::is_stream(path) {
            "standard input".to_owned()
        } else {
            shown::path(path).to_string()
        };
        Problem::Failure(format!("{name} is no UTF-8 text"))
    })
}

/// The changes of a text, or what is wrong in which line.
fn parse(text: &str) -> Result<Vec<Change>, (usize, String)> {
    let mut parts: Vec<(usize, String)> = Vec::new();
    for (line, said) in (1..).zip(text.lines()) {
        let trimmed = said.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        match parts.last_mut().filter(|_| said.starts_with([' ', '\t'])) {
            Some((_, before)) => {
                before.push('\n');
                before.push_str(trimmed);
            }
            None => parts.push((line, trimmed.to_owned())),
        }
    }
    let change = |(line, said): (usize, String)| {
        let mut words = said.splitn(3, char::is_whitespace);
        let word = words.next().unwrap_or_default();
        let action = Action::from_str(word, false).map_err(|_| {
            let known: Vec<_> = Action::value_variants().iter().map(|it| name(*it)).collect();
            (line, format!("`{word}` is no action: they are {}", known.join(", ")))
        })?;
        let path = words.next().map(str::trim).filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| (line, format!("`{word}` needs a path")))?.to_owned();
        let mut value = words.next().map(|value| value.trim().to_owned());
        let mut instead = None;
        if let Some(said) = value.as_deref().and_then(|value| value.strip_prefix("--instead")) {
            let index = said.trim_start_matches('=').trim().parse();
            let none = || (line, "`--instead` needs the position of an element".to_owned());
            instead = Some(index.map_err(|_| none())?);
            value = None;
        }
        Ok(Change { action, path, value, instead, line: Some(line) })
    };
    let changes: Vec<_> = parts.into_iter().map(change).collect::<Result<_, _>>()?;
    match changes.is_empty() {
        true => Err((1, "there is no change".to_owned())),
        false => Ok(changes),
    }
}

impl Change {
    fn edit(&self) -> Result<Edit<'_>, String> {
        if self.instead.is_some() && self.action != Action::Remove {
            return Err("`--instead` is for `remove`".to_owned());
        }
        let value = self.value.as_deref();
        let json = || {
            let none = || {
                let input = if self.line.is_none() { ", or `-` for standard input" } else { "" };
                format!("`{}` needs a value: JSON{input}", name(self.action))
            };
            value.map(Source::Json).ok_or_else(none)
        };
        Ok(match self.action {
            Action::Insert => Edit::Insert(json()?),
            Action::Set => Edit::Set(json()?),
            Action::Rename => Edit::Rename(json()?),
            Action::Remove if value.is_some() => {
                return Err("`remove` takes no value".to_owned());
            }
            Action::Remove => Edit::Remove(self.instead),
            Action::Move => {
                let to = value.and_then(|value| value.parse().ok());
                Edit::Move(to.ok_or("`move` needs the position to move to")?)
            }
        })
    }

    /// A value that is a text without quotes.
    fn unquoted(&self) -> Option<&str> {
        let text = self.value.as_deref()?;
        let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/');
        let other = matches!(text, "true" | "false" | "null");
        (text.starts_with(char::is_alphabetic) && text.chars().all(plain) && !other).then_some(text)
    }

    /// What was to be done, for messages.
    fn words(&self) -> String {
        format!("{} {}", name(self.action), shown::text(&self.path))
    }

    /// What can be done where something refers to an element.
    fn way_out(&self) -> &'static str {
        match self.action {
            Action::Remove if self.instead.is_some() => "nothing can stand for what is in it",
            Action::Set => "`rename` lets them follow",
            _ => "--instead INDEX says what these are to refer to",
        }
    }
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
