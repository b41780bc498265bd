//! `formwork dump --watch`: shows a file again and again, as it or its schema changes.

use std::convert::Infallible;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use super::show;
use crate::args::Dump;
use crate::files;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::Formats;
use crate::terminal::say;

/// Time between two looks at the files.
const PAUSE: Duration = Duration::from_millis(200);

/// Time in which an editor may finish what it has begun to write.
const SETTLE: Duration = Duration::from_millis(30);

/// Clears a terminal, what was scrolled away included.
const CLEAR: &str = "\x1b[2J\x1b[3J\x1b[H";

pub(super) fn run(options: &Dump, out: &mut dyn Write) -> Result<Outcome, Problem> {
    if files::is_stream(&options.file) {
        return Err(Problem::Usage("standard input cannot be watched".to_owned()));
    }
    match watch(options, out) {
        Ok(never) => match never {},
        Err(problem) => Err(problem),
    }
}

fn watch(options: &Dump, out: &mut dyn Write) -> Result<Infallible, Problem> {
    let terminal = io::stdout().is_terminal();
    let mut first = true;
    loop {
        if terminal {
            write!(out, "{CLEAR}")?;
        } else if !first {
            writeln!(out)?;
        }
        first = false;
        // Looked at before they are read, so that no change is missed; which files a schema imports
        // is only known when it was read once.
        let mut schemas: Vec<PathBuf> = options.choice.schema.iter().cloned().collect();
        if Formats::choose_noting(&options.choice, &mut schemas).is_err() {
            // A file that is missed may come to be.
            schemas.extend(options.choice.schema.as_deref().and_then(folder));
        }
        let mut stamps = Stamps::default();
        stamps.add(&options.file);
        schemas.iter().for_each(|schema| stamps.add(schema));
        match show(options, out) {
            Ok(_) => {}
            Err(problem @ Problem::Output(_)) => return Err(problem),
            Err(problem) => {
                out.flush()?;
                say(&problem.to_string());
            }
        }
        out.flush()?;
        while stamps.hold() {
            thread::sleep(PAUSE);
        }
        thread::sleep(SETTLE);
    }
}

/// The folder of a file.
fn folder(path: &Path) -> Option<PathBuf> {
    let parent = path.parent()?;
    let is_here = parent.as_os_str().is_empty();
    Some(if is_here { PathBuf::from(".") } else { parent.to_owned() })
}

/// Times and sizes of files, by which a change is noticed.
#[derive(Debug, Default)]
struct Stamps(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl Stamps {
    fn add(&mut self, path: &Path) {
        self.0.push((path.to_owned(), stamp(path)));
    }

    fn hold(&self) -> bool {
        self.0.iter().all(|(path, known)| stamp(path) == *known)
    }
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
