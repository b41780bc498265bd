//! `formwork diff`: how two files differ.

mod report;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use formwork_interpreter::diff;

use crate::args::Diff;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::{Format, Formats};
use crate::shown::line;
use crate::terminal::say;
use crate::unread::reading_block;
use crate::{files, shown};

use report::Report;
pub(crate) use report::Show;

pub(crate) fn run(options: &Diff, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let show = Show { meaning: !options.bytes, bytes: !options.meaning, all: options.all };
    let formats = Formats::choose(&options.choice)?;
    if options.git {
        return git(options, &formats, show, out);
    }
    let [a, b] = options.files.as_slice() else {
        return Err(Problem::Usage("`formwork diff` compares two files".to_owned()));
    };
    if files::is_stream(a) && files::is_stream(b) {
        return Err(Problem::Usage("standard input is only one file".to_owned()));
    }
    let sides = [Side::read(a.clone(), a)?, Side::read(b.clone(), b)?];
    compare(options, &formats, show, &sides, out)
}

/// One of the files that are compared.
struct Side {
    /// Its name in the report.
    name: PathBuf,
    bytes: Vec<u8>,
}

impl Side {
    fn read(name: PathBuf, path: &Path) -> Result<Side, Problem> {
        Ok(Side { name, bytes: files::read(path)? })
    }
}

fn compare(
    options: &Diff,
    formats: &Formats,
    show: Show,
    sides: &[Side; 2],
    out: &mut dyn Write,
) -> Result<Outcome, Problem> {
    let [a, b] = sides;
    if a.bytes == b.bytes && !options.json {
        return Ok(Outcome::Good);
    }
    let format = one_format(formats, sides)?;
    let found = diff(&format.program, &a.bytes, &b.bytes, &format.options);
    let report = Report { names: [&a.name, &b.name], format: format.name(), diff: &found, show };
    if options.json {
        shown::print_json(out, &report.to_json())?;
    } else {
        report.print(out)?;
    }
    let mut trouble = false;
    for (side, error) in sides.iter().zip(&found.errors) {
        if let Some(error) = error {
            trouble = true;
            // What is read so far was compared.
            out.flush()?;
            say(&reading_block(&side.name, format, error, &side.bytes));
        }
    }
    Ok(match (trouble, report.is_equal()) {
        (true, _) => Outcome::Trouble,
        (false, true) => Outcome::Good,
        (false, false) => Outcome::Bad,
    })
}

/// The format that both files have.
fn one_format<'f>(formats: &'f Formats, sides: &[Side; 2]) -> Result<&'f Format, Problem> {
    let [a, b] = sides;
    let first = formats.require(&a.name, &a.bytes)?;
    let second = formats.require(&b.name, &b.bytes)?;
    if first.name() != second.name() {
        return Err(Problem::Failure(format!(
            "{} is {}, {} is {}",
            shown::path(&a.name),
            first.name(),
            shown::path(&b.name),
            second.name()
        )));
    }
    Ok(first)
}

/// Compares what git gives to a program of `diff.NAME.command`: a path, then file, hash and mode of
/// the old and of the new content. Git stops unless the exit code is 0.
fn git(
    options: &Diff,
    formats: &Formats,
    show: Show,
    out: &mut dyn Write,
) -> Result<Outcome, Problem> {
    let (path, old, new, new_path) = match options.files.as_slice() {
        [path] => {
            line!(out, "{}: not merged yet", path.display())?;
            return Ok(Outcome::Good);
        }
        [path, old, _, _, new, _, _] => (path, old, new, path),
        [path, old, _, _, new, _, _, new_path, ..] => (path, old, new, new_path),
        _ => {
            let message = "`--git` is for git, which gives a path, two files, hashes and modes";
            return Err(Problem::Usage(message.to_owned()));
        }
    };
    for (file, what, name) in [(old, "added", new_path), (new, "removed", path)] {
        if file.as_os_str() == OsStr::new("/dev/null") {
            line!(out, "{what}: {}", name.display())?;
            return Ok(Outcome::Good);
        }
    }
    let sides = [
        Side::read(Path::new("a").join(path), old)?,
        Side::read(Path::new("b").join(new_path), new)?,
    ];
    match compare(options, formats, show, &sides, out) {
        Ok(_) => Ok(Outcome::Good),
        Err(Problem::Failure(message)) => {
            // Other files have their turn.
            writeln!(out, "{}: {message}", shown::path(path))?;
            Ok(Outcome::Good)
        }
        Err(problem) => Err(problem),
    }
}

/// Shows how a file that is written differs from the one before; on standard error if the file
/// itself goes to standard output.
pub(crate) fn written(
    format: &Format,
    names: [&Path; 2],
    [before, after]: [&[u8]; 2],
    show: Show,
    out: &mut dyn Write,
) -> Result<(), Problem> {
    let found = diff(&format.program, before, after, &format.options);
    let report = Report { names, format: format.name(), diff: &found, show };
    match files::is_stream(names[1]) {
        true => {
            out.flush()?;
            report.print(&mut std::io::stderr().lock())?;
        }
        false => report.print(out)?,
    }
    if let [Some(error), _] = &found.errors {
        out.flush()?;
        say(&reading_block(names[0], format, error, before));
    }
    Ok(())
}
