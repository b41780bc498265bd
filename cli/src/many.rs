//! Many files, one after another: finds them, works on several at once, and prints as it goes.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use crate::files::{Kind, unopened};
use crate::outcome::Outcome;
use crate::problem::{Problem, words};
use crate::shown;

/// Stack of a thread that reads files, in bytes.
const STACK: usize = 8 << 20;

/// From so many files on, a terminal is shown how far the work is.
const MANY: usize = 24;

/// So many results may wait for one before them.
const AHEAD: usize = 256;

/// Something that the command line names, or that is in a folder.
pub(crate) struct Found {
    pub path: PathBuf,
    /// Whether it was named itself, and not found in a folder.
    pub is_named: bool,
    pub what: What,
}

/// What was found.
pub(crate) enum What {
    File,
    /// No file, and nothing that has an end either.
    Skipped(&'static str),
    /// Why it cannot be opened.
    Failed(String),
}

/// Why there are no bytes of something.
pub(crate) enum NotRead {
    Skipped(&'static str),
    Failed(String),
}

impl Found {
    /// The bytes of the file.
    pub(crate) fn content(&self) -> Result<Vec<u8>, NotRead> {
        match &self.what {
            What::File => crate::files::content(&self.path).map_err(|error| {
                NotRead::Failed(format!("cannot open the file: {}", words(&error)))
            }),
            What::Skipped(reason) => Err(NotRead::Skipped(reason)),
            What::Failed(error) => Err(NotRead::Failed(error.clone())),
        }
    }
}

/// What is known of all files, as one after another is judged.
pub(crate) trait Totals: Default {
    /// What became of one file.
    type Report: Send;

    fn add(&mut self, report: &Self::Report);

    /// Whether nothing failed.
    fn is_good(&self) -> bool;

    fn print(&self, out: &mut dyn Write) -> Result<(), Problem>;

    fn to_json(&self) -> Value;
}

/// Judges all that is at and below some paths, and says as it goes what became of each file: in lines
/// that `print` writes, or as a JSON document if there is a `json`.
pub(crate) fn report<T: Totals>(
    found: &[Found],
    json: bool,
    out: &mut dyn Write,
    judge: impl Fn(&Found) -> T::Report + Sync,
    print: impl Fn(&T::Report, &mut dyn Write) -> Result<(), Problem>,
    to_json: impl Fn(&T::Report) -> Value,
) -> Result<Outcome, Problem> {
    let progress = progress(json, found.len());
    let mut totals = T::default();
    if json {
        let mut document = Document::begin(out)?;
        in_order(found, judge, |report| {
            progress.inc(1);
            totals.add(&report);
            Ok(document.file(&to_json(&report))?)
        })?;
        progress.finish_and_clear();
        document.end(&totals.to_json())?;
    } else {
        in_order(found, judge, |report| {
            progress.inc(1);
            totals.add(&report);
            print(&report, out)
        })?;
        progress.finish_and_clear();
        totals.print(out)?;
    }
    Ok(if totals.is_good() { Outcome::Good } else { Outcome::Bad })
}

/// All that is at and below these paths: folders are sorted, links to folders in them not followed.
pub(crate) fn find(paths: &[PathBuf]) -> Result<Vec<Found>, Problem> {
    let mut found = Vec::new();
    for path in paths {
        // What was named is opened whatever it is, since pipes and terminals are named on purpose.
        let what = match fs::metadata(path).map(|metadata| Kind::of(metadata.file_type())) {
            Ok(Kind::Folder) => {
                search(path, &mut found);
                continue;
            }
            Ok(_) => What::File,
            Err(_) if path.as_os_str() == "-" => What::File,
            // A link that leads nowhere is there; a name that nothing has is a mistake.
            Err(error) if path.symlink_metadata().is_err() && is_missing(&error) => {
                return Err(unopened(path, &error));
            }
            Err(error) => What::Failed(format!("cannot open the file: {}", words(&error))),
        };
        found.push(Found { path: path.clone(), is_named: true, what });
    }
    Ok(found)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn search(folder: &Path, found: &mut Vec<Found>) {
    let mut todo = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        let what = match fs::metadata(&path).map(|metadata| Kind::of(metadata.file_type())) {
            Ok(Kind::Folder) => {
                let is_link =
                    fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
                if is_link && path != folder {
                    continue;
                }
                match entries(&path) {
                    // The stack gives them back in order.
                    Ok(entries) => {
                        todo.extend(entries.into_iter().rev());
                        continue;
                    }
                    Err(error) => {
                        What::Failed(format!("cannot open the folder: {}", words(&error)))
                    }
                }
            }
            Ok(Kind::File) => What::File,
            Ok(kind) => What::Skipped(kind.words()),
            Err(error) => What::Failed(format!("cannot open the file: {}", words(&error))),
        };
        found.push(Found { path, is_named: false, what });
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

/// A bar on a terminal, unless the lines that are printed show how far the work is.
fn progress(json: bool, files: usize) -> ProgressBar {
    let lines_show_it = !json && io::stdout().is_terminal();
    if files < MANY || lines_show_it || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::try_from(files).unwrap_or(u64::MAX));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} files, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Works on several items at once, and takes the results in the order of the items.
fn in_order<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(items.len());
    let next = AtomicUsize::new(0);
    let gate = Gate::default();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        // Dropped when this ends early, so that nobody waits.
        let _open = OpenAtLast(&gate);
        for _ in 0..threads {
            let (sender, next, work, gate) = (sender.clone(), &next, &work, &gate);
            let worker = move || {
                loop {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(position) else { return };
                    gate.wait(position);
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
                gate.set(position);
            }
        }
        Ok(())
    })
}

/// Keeps those who work from being far ahead of the one who takes, since results take memory.
#[derive(Default)]
struct Gate {
    taken: Mutex<usize>,
    moved: Condvar,
}

impl Gate {
    fn wait(&self, position: usize) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let far = |taken: &mut usize| position >= taken.saturating_add(AHEAD);
        drop(self.moved.wait_while(taken, far).unwrap_or_else(PoisonError::into_inner));
    }

    fn set(&self, position: usize) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = position;
        self.moved.notify_all();
    }
}

struct OpenAtLast<'g>(&'g Gate);

impl Drop for OpenAtLast<'_> {
    fn drop(&mut self) {
        self.0.set(usize::MAX);
    }
}

/// The JSON document of many files, printed file by file: `{"files": [..], "summary": ..}`.
struct Document<'o> {
    out: &'o mut dyn Write,
    files: u64,
}

impl<'o> Document<'o> {
    fn begin(out: &'o mut dyn Write) -> io::Result<Document<'o>> {
        write!(out, "{{\n  \"files\": [")?;
        Ok(Document { out, files: 0 })
    }

    fn file(&mut self, file: &Value) -> io::Result<()> {
        let comma = if self.files > 0 { "," } else { "" };
        self.files += 1;
        write!(self.out, "{comma}\n    {}", shown::json(file, 4))
    }

    fn end(self, summary: &Value) -> io::Result<()> {
        let end = if self.files > 0 { "\n  ]" } else { "]" };
        writeln!(self.out, "{end},\n  \"summary\": {}\n}}", shown::json(summary, 2))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_order_and_not_far_ahead() {
        let items: Vec<usize> = (0..2000).collect();
        let taken = AtomicUsize::new(0);
        let work = |item: &usize| {
            if item.is_multiple_of(500) {
                thread::sleep(Duration::from_millis(5));
            }
            assert!(*item < taken.load(Ordering::SeqCst) + AHEAD);
            *item
        };
        let mut results = Vec::new();
        let done = in_order(&items, work, |result| {
            results.push(result);
            taken.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        assert!(done.is_ok());
        assert_eq!(results, items);
    }

    #[test]
    fn a_failure_ends_it() {
        let items: Vec<usize> = (0..2000).collect();
        let done = in_order(
            &items,
            |item| *item,
            |item| match item {
                5 => Err(Problem::Failure("full".to_owned())),
                _ => Ok(()),
            },
        );
        assert!(matches!(done, Err(Problem::Failure(_))));
    }

    #[test]
    fn documents_are_those_of_the_whole() {
        for files in [vec![], vec![serde_json::json!({"a": [1, {}], "b": []}); 3]] {
            let mut out = Vec::new();
            let mut document = Document::begin(&mut out).expect("a buffer takes all");
            files.iter().for_each(|file| document.file(file).expect("a buffer takes all"));
            document.end(&serde_json::json!({"n": 1})).expect("a buffer takes all");
            let whole = serde_json::json!({"files": files, "summary": {"n": 1}});
            assert_eq!(String::from_utf8_lossy(&out), format!("{whole:#}\n"));
        }
    }
}
