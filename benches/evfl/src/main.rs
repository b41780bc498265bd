//! evfl DIRECTORY [rounds]: reads and writes every event flow in a directory, one line of JSON per
//! file and engine: medians over rounds of processor time, in nanoseconds. With the feature `count`: allocations and
//! peak of live bytes.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use formwork_formats::evfl::File;
use formwork_interpreter::Program;

#[cfg(feature = "count")]
#[global_allocator]
static A: harness::CountingAlloc = harness::CountingAlloc;

fn main() {
    let mut args = std::env::args().skip(1);
    let directory = args.next().expect("a directory of event flows");
    let rounds: usize = args.next().map_or(15, |n| n.parse().expect("a number of rounds"));
    let program = program();
    for path in files(Path::new(&directory)) {
        let bytes = std::fs::read(&path).expect("the file can be read");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let line = |engine: &str, times: (u64, u64), same: bool| {
            let line = serde_json::json!({
                "engine": engine, "file": name, "bytes": bytes.len(),
                "read": times.0, "write": times.1, "identical": same,
            });
            println!("{line}");
        };
        if cfg!(feature = "count") {
            count(&name, &bytes);
            continue;
        }
        let flow = File::read(&bytes).expect("the file is read");
        let same = flow.write().expect("the value is written") == bytes;
        line("generated", times(rounds, || File::read(&bytes), || flow.write()), same);
        let owned = File::read_owned(&bytes).expect("the file is read");
        line(
            "generated, owned",
            times(rounds, || File::read_owned(&bytes), || owned.write()),
            same,
        );
        if let Some(bytes) = odd(&bytes, &flow) {
            let flow = File::read(&bytes).expect("the file is read");
            let same = flow.write().expect("the value is written") == bytes;
            let times = times(rounds, || File::read(&bytes), || flow.write());
            line("generated, one reserved byte changed", times, same);
        }
        // ONLY=generated leaves the engine alone out, for profilers.
        if std::env::var_os("ONLY").is_some() {
            continue;
        }
        let options = formwork::ReadOptions::default();
        let read = || formwork_interpreter::read(&program, &bytes, &options).map(|d| d.value());
        let value = read().expect("the file is read");
        let write = || formwork_interpreter::write(&program, &value);
        let same = write().expect("the value is written") == bytes;
        line("interpreted", times(rounds.min(5), read, write), same);
    }
}

/// The file with another byte in a reserved row: the value is the same, and its spelling keeps that
/// and nothing else.
fn odd(bytes: &[u8], flow: &File<'_>) -> Option<Vec<u8>> {
    let zeros = (8..bytes.len()).filter(|at| bytes[*at] == 0);
    zeros.take(1000).find_map(|at| {
        let mut changed = bytes.to_vec();
        changed[at] = 1;
        let read = File::read(&changed).ok()?;
        let shown = format!("{read:?}");
        let is_odd = shown.matches("SpellingEntry").count() == 1 && shown.contains("Reserved");
        (read == *flow && is_odd && read.write().is_ok_and(|written| written == changed))
            .then_some(changed)
    })
}

struct Libraries;

impl formwork_codegen::Provider for Libraries {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

fn program() -> Program {
    let text = formwork_schemas::get("evfl").expect("a built-in schema");
    let loaded = formwork_codegen::load("evfl.kdl", text, None, &Libraries);
    formwork_interpreter::program(loaded.model.expect("the built-in schema is right"))
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("the directory can be read");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| {
        matches!(path.extension().and_then(|e| e.to_str()), Some("bfevfl" | "bfevtm"))
    });
    files.sort();
    files
}

/// Medians of reading and writing. Small files are done several times a round.
fn times<R, W>(
    rounds: usize,
    mut read: impl FnMut() -> R,
    mut write: impl FnMut() -> W,
) -> (u64, u64) {
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    for _ in 0..rounds {
        reads.push(once(&mut read));
        writes.push(once(&mut write));
    }
    (harness::median_time(reads), harness::median_time(writes))
}

fn once<T>(what: &mut impl FnMut() -> T) -> u64 {
    const TIMES: u32 = 8;
    let start = harness::processor_time();
    for _ in 0..TIMES {
        black_box(what());
    }
    (harness::processor_time() - start) / u64::from(TIMES)
}

fn count(name: &str, bytes: &[u8]) {
    let (flow, read) = harness::counted(|| File::read(bytes).expect("the file is read"));
    let (_, write) = harness::counted(|| flow.write().expect("the value is written"));
    let line = serde_json::json!({
        "file": name, "bytes": bytes.len(),
        "read allocations": read.calls, "read peak": read.peak,
        "write allocations": write.calls, "write peak": write.peak,
    });
    println!("{line}");
}
