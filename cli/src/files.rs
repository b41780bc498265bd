//! Files that are read and written, standard streams among them.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use formwork_codegen::build::has_text;
use formwork_codegen::texts::schema_text;

use crate::problem::{Problem, words};
use crate::shown;
use crate::unfinished::Unfinished;

/// Most bytes of what does not say how long it is.
const MOST: u64 = 1 << 30;

/// How long a pipe is waited for until somebody is at its other end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a path stands for standard input or output.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Pipe,
    Socket,
    Device,
}

impl Kind {
    pub(crate) fn of(kind: FileType) -> Kind {
        if kind.is_file() {
            Kind::File
        } else if kind.is_dir() {
            Kind::Folder
        } else {
            Kind::special(kind)
        }
    }

    #[cfg(unix)]
    fn special(kind: FileType) -> Kind {
        use std::os::unix::fs::FileTypeExt;
        match kind {
            kind if kind.is_fifo() => Kind::Pipe,
            kind if kind.is_socket() => Kind::Socket,
            _ => Kind::Device,
        }
    }

    #[cfg(not(unix))]
    fn special(_: FileType) -> Kind {
        Kind::Device
    }

    /// What it is, for messages.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Kind::File => "it is a file",
            Kind::Folder => "it is a folder",
            Kind::Pipe => "it is a named pipe",
            Kind::Socket => "it is a socket",
            Kind::Device => "it is a device",
        }
    }
}

/// The bytes of a file, or of standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    content(path).map_err(|error| unopened(path, &error))
}

/// The same, if it cannot be opened in words of the system.
pub(crate) fn content(path: &Path) -> io::Result<Vec<u8>> {
    opened(path)?.content()
}

/// The text of a schema.
pub(crate) fn schema(path: &Path) -> io::Result<String> {
    schema_text(opened(path)?.file)
}

/// Something that was named, and can be read to an end.
struct Opened {
    file: File,
    metadata: Metadata,
}

fn opened(path: &Path) -> io::Result<Opened> {
    if is_stream(path) {
        return Opened::new(standard_input()?);
    }
    let kind = Kind::of(fs::metadata(path)?.file_type());
    let file = match kind {
        Kind::Folder => return Err(io::ErrorKind::IsADirectory.into()),
        Kind::Socket => return Err(io::Error::other(kind.words())),
        Kind::Pipe => patiently(path, OpenOptions::new().read(true), "writes into")?,
        Kind::File | Kind::Device => File::open(path)?,
    };
    Opened::new(file)
}

impl Opened {
    fn new(file: File) -> io::Result<Opened> {
        let metadata = file.metadata()?;
        let kind = Kind::of(metadata.file_type());
        if kind == Kind::Device && !file.is_terminal() && !ends(&metadata) {
            return Err(io::Error::other(kind.words()));
        }
        Ok(Opened { file, metadata })
    }

    fn content(self) -> io::Result<Vec<u8>> {
        let length = if self.metadata.is_file() { self.metadata.len() } else { 0 };
        let most = length.max(MOST);
        let mut bytes = Vec::new();
        let room = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.try_reserve_exact(room.saturating_add(1))?;
        self.file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most {
            let message = format!("it goes on behind {} GiB", MOST >> 30);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok(bytes)
    }
}

#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn standard_input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

/// Whether a device has an end: disks have one, and so has `/dev/null`.
#[cfg(unix)]
fn ends(device: &Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    device.file_type().is_block_device()
        || fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == device.rdev())
}

#[cfg(not(unix))]
fn ends(_: &Metadata) -> bool {
    true
}

/// Opens a pipe. Whoever does so waits for somebody at the other end, and there may be nobody.
fn patiently(path: &Path, options: &OpenOptions, does: &str) -> io::Result<File> {
    let (sender, receiver) = mpsc::channel();
    let (path, options) = (path.to_owned(), options.clone());
    thread::Builder::new().spawn(move || sender.send(options.open(path)))?;
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        let message = format!("nobody {does} this pipe");
        Err(io::Error::new(io::ErrorKind::TimedOut, message))
    })
}

/// Writes a file, or to standard output. A file is there as a whole or not at all: it is written
/// beside its place and then moved there.
pub(crate) fn write(path: &Path, bytes: &[u8], out: &mut dyn Write) -> Result<(), Problem> {
    if is_stream(path) {
        return Ok(out.write_all(bytes)?);
    }
    put(path, bytes).map_err(|error| unwritten(path, &error))
}

/// Writes a file, and tells of it. If that cannot be told, the file stays as it is, or is not made,
/// unless whoever listens has heard enough.
pub(crate) fn write_telling(
    path: &Path,
    bytes: &[u8],
    out: &mut dyn Write,
    tell: impl FnOnce(&mut dyn Write) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let file = match is_stream(path) {
        true => None,
        false => prepared(path, bytes).map_err(|error| unwritten(path, &error))?,
    };
    let Some(file) = file else {
        write(path, bytes, out)?;
        return tell(out);
    };
    let told = tell(out).and_then(|()| Ok(out.flush()?));
    match &told {
        Err(Problem::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(_) => return told,
        Ok(()) => {}
    }
    file.replace().map_err(|error| unwritten(path, &error))?;
    told
}

/// Whether a path, through links, leads to a file, or to nothing yet.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

/// Writes a text unless the file has it already. Folders that are missing are made.
pub(crate) fn write_if_changed(path: &Path, text: &str) -> Result<(), Problem> {
    if has_text(path, text) {
        return Ok(());
    }
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| put(path, text.as_bytes())).map_err(|error| unwritten(path, &error))
}

/// Writes files that must not be there yet: all of them, or none.
pub(crate) fn write_new(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Problem> {
    let mut written: Vec<Unfinished> = Vec::new();
    for (path, bytes) in files {
        let file = Unfinished::create(path).and_then(|mut file| {
            file.write(bytes)?;
            Ok(file)
        });
        // Those that were written are removed with the list.
        written.push(file.map_err(|error| unwritten(path, &error))?);
    }
    written.into_iter().for_each(Unfinished::keep);
    Ok(())
}

/// A file that cannot be opened: wrong usage if there is nothing of that name.
pub(crate) fn unopened(path: &Path, error: &io::Error) -> Problem {
    let message = match is_stream(path) {
        true => format!("cannot read standard input: {}", words(error)),
        false => format!("cannot open {}: {}", shown::path(path), words(error)),
    };
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Problem::Usage(message),
        _ => Problem::Failure(message),
    }
}

pub(crate) fn unwritten(path: &Path, error: &io::Error) -> Problem {
    Problem::Failure(format!("cannot write {}: {}", shown::path(path), words(error)))
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(file) = prepared(path, bytes)? {
        return file.replace();
    }
    let mut options = OpenOptions::new();
    options.write(true);
    let mut file = match fs::metadata(path).map(|metadata| Kind::of(metadata.file_type())) {
        Ok(Kind::Pipe) => patiently(path, &options, "reads from")?,
        _ => options.open(path)?,
    };
    file.write_all(bytes)
}

/// A file that has only to take its place. Devices and pipes are written as they are; a link is
/// followed.
fn prepared(path: &Path, bytes: &[u8]) -> io::Result<Option<Unfinished>> {
    match fs::metadata(path).map(|metadata| Kind::of(metadata.file_type())) {
        Ok(Kind::Folder) => Err(io::ErrorKind::IsADirectory.into()),
        Ok(kind @ Kind::Socket) => Err(io::Error::other(kind.words())),
        Ok(Kind::Pipe | Kind::Device) => Ok(None),
        Ok(Kind::File) | Err(_) => {
            let mut file = Unfinished::replacing(path)?;
            file.write(bytes)?;
            Ok(Some(file))
        }
    }
}
