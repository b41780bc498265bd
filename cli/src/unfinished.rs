//! Files that are not whole yet. A signal that ends the command removes them first.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use formwork_codegen::build::Replacement;

/// Where such files are now. Whoever holds the lock keeps signals from ending the command.
static PATHS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is gone if it is dropped.
pub(crate) struct Unfinished {
    path: PathBuf,
    file: Option<Kind>,
}

enum Kind {
    /// It stands beside its place.
    Beside(Replacement),
    /// It stands in its place, where nothing was.
    New(File),
}

impl Unfinished {
    /// A file that will take this place.
    pub(crate) fn replacing(path: &Path) -> io::Result<Unfinished> {
        signals::watch();
        let mut paths = paths();
        let file = Replacement::new(path)?;
        let path = file.beside().to_owned();
        paths.insert(path.clone());
        Ok(Unfinished { path, file: Some(Kind::Beside(file)) })
    }

    /// A file in a place where nothing is.
    pub(crate) fn create(path: &Path) -> io::Result<Unfinished> {
        signals::watch();
        let mut paths = paths();
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        paths.insert(path.to_owned());
        Ok(Unfinished { path: path.to_owned(), file: Some(Kind::New(file)) })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(Kind::Beside(file)) => file.write(bytes),
            Some(Kind::New(file)) => file.write_all(bytes),
            None => Ok(()),
        }
    }

    /// Puts it in its place.
    pub(crate) fn replace(mut self) -> io::Result<()> {
        let mut paths = paths();
        let replaced = match self.file.take() {
            Some(Kind::Beside(file)) => file.replace(),
            _ => Ok(()),
        };
        paths.remove(&self.path);
        replaced
    }

    /// Lets it be where it is.
    pub(crate) fn keep(mut self) {
        paths().remove(&self.path);
        self.file = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some(file) = self.file.take() else { return };
        let mut paths = paths();
        if let Kind::New(_) = file {
            let _ = fs::remove_file(&self.path);
        }
        drop(file);
        paths.remove(&self.path);
    }
}

#[cfg(unix)]
mod signals {
    use std::sync::Arc;
    use std::sync::Once;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// Those that end the command, as it would end without being asked.
    const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

    /// Waits for signals from the first unfinished file on.
    pub(super) fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // A file that becomes too long is an error of writing then.
            let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
            let ignored = ignored();
            let heeded = ENDING.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
            let Ok(mut signals) = Signals::new(heeded) else { return };
            let wait = move || {
                for signal in signals.forever() {
                    let paths = super::paths();
                    paths.iter().for_each(|path| drop(std::fs::remove_file(path)));
                    let _ = emulate_default_handler(signal);
                }
            };
            let _ = thread::Builder::new().spawn(wait);
        });
    }

    /// Signals that whoever started the command wants ignored, as `nohup` does: bit `n - 1` is
    /// signal `n`. Only Linux says it without unsafe code.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) fn watch() {}
}
