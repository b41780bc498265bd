//! Event flow files, and graphs of nodes, that are cut or changed: no panic, no endless work, and every error has a place.
//!
//! Memory is bounded by the budget: a byte that is decoded and an element that takes none are charged
//! before they are stored, and the limit is 64 units for each byte of the file, or 65,536. These tests
//! therefore check that what is read is no larger than the budget lets it be.

use std::fs;
use std::path::PathBuf;

use formwork::ReadOptions;
use formwork_interpreter::{Program, Value};
use formwork_tests::laws::{self, Outcome};
use formwork_tests::{programs, samples};

/// The smallest samples, and the fixtures.
fn files(most: usize) -> Vec<(String, Vec<u8>)> {
    let mut real = folder_files(samples::samples().map(|folder| folder.join("evfl")));
    real.truncate(most);
    let mut files = folder_files(Some(samples::workspace().join("fixtures")));
    files.truncate(most);
    files.extend(real);
    assert!(!files.is_empty(), "there are no fixtures");
    files
}

fn folder_files(folder: Option<PathBuf>) -> Vec<(String, Vec<u8>)> {
    let Some(folder) = folder else { return Vec::new() };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("readable").path();
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if matches!(extension, "bfevfl" | "bfevtm") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, fs::read(&path).expect("the file can be read")));
        }
    }
    files.sort_by_key(|(name, bytes)| (bytes.len(), name.clone()));
    files
}

/// Elements, rows, bytes and characters of a value.
fn size(value: &Value) -> u64 {
    match value {
        Value::Text(text) => text.len() as u64,
        Value::Bytes(bytes) => bytes.len() as u64,
        Value::Units(units) => 2 * units.len() as u64,
        Value::Array(elements) => 1 + elements.iter().map(size).sum::<u64>(),
        Value::Struct(value) => 1 + value.fields.iter().map(|(_, field)| size(field)).sum::<u64>(),
        Value::Union(union) => {
            1 + union.value.fields.iter().map(|(_, field)| size(field)).sum::<u64>()
        }
        Value::Spelled(inner, _) => 1 + size(inner),
        _ => 1,
    }
}

/// Reads bytes that may be anything, as an event flow.
fn check(name: &str, bytes: &[u8]) {
    check_as(programs::evfl(), 0x48, name, bytes);
}

/// Reads bytes that may be anything, as a file with a fixed head.
fn check_as(program: &Program, head: u64, name: &str, bytes: &[u8]) {
    let options = ReadOptions::default();
    match laws::total(program, bytes) {
        Err(broken) => panic!("{name}: {broken}"),
        Ok(Ok(value)) => {
            let most = (bytes.len() as u64 * options.budget_factor).max(options.budget_floor);
            assert!(size(&value) <= most, "{name}: {} parts are too many", size(&value));
            // What is read is also written, and read again as an equal value.
            if let Outcome::Failed(broken) = laws::get_put(program, bytes) {
                panic!("{name}: {broken}");
            }
        }
        Ok(Err(error)) => {
            // The root itself is a path, too; it can only fail as a whole in its fixed block.
            let whole = error.path().is_empty() && error.offset() >= head;
            assert!(!whole || (bytes.len() as u64) < head, "{name}: no path: {error}");
        }
    }
}

#[test]
fn every_cut() {
    for (name, bytes) in files(3) {
        for size in 0..bytes.len() {
            check(&format!("{name} cut to {size} bytes"), &bytes[..size]);
        }
    }
}

#[test]
fn every_byte_changed() {
    for (name, bytes) in files(1) {
        for at in 0..bytes.len() {
            let old = bytes[at];
            // All numbers in the header, which steers the rest.
            let all: Vec<u8> = if at < 0x48 {
                (0..=255).collect()
            } else {
                let flips = (0..8).map(|bit| old ^ (1 << bit));
                flips.chain([0x00, 0xff, 0x80, 0x7f]).collect()
            };
            for new in all.into_iter().filter(|new| *new != old) {
                let mut changed = bytes.clone();
                changed[at] = new;
                check(&format!("{name} with 0x{new:02x} at 0x{at:x}"), &changed);
            }
        }
    }
}

#[test]
fn bytes_of_files_with_everything_changed() {
    let folder = samples::workspace().join("fixtures");
    for name in ["flowchart.bfevfl", "timeline.bfevtm"] {
        let bytes = fs::read(folder.join(name)).expect("the fixture can be read");
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= [0x01, 0x80, 0xff][at % 3];
            check(&format!("{name} with 0x{:02x} at 0x{at:x}", changed[at]), &changed);
        }
    }
}

/// The head of a graph, which has all counts and offsets.
const GRAPH_HEAD: u64 = 0x74;

fn graph(name: &str) -> Vec<u8> {
    let path = samples::workspace().join("fixtures").join(name);
    fs::read(path).expect("the fixture can be read")
}

#[test]
fn graphs_cut() {
    for (name, step) in [("nothing.ainb", 1), ("old.ainb", 1), ("every_node.ainb", 97)] {
        let bytes = graph(name);
        for size in (0..bytes.len()).step_by(step) {
            let name = format!("{name} cut to {size} bytes");
            check_as(programs::ainb(), GRAPH_HEAD, &name, &bytes[..size]);
        }
    }
}

#[test]
fn graphs_with_other_bytes() {
    for (name, step) in [("nothing.ainb", 1), ("old.ainb", 3), ("later.ainb", 31)] {
        let bytes = graph(name);
        for at in (0..bytes.len()).step_by(step) {
            let all: &[u8] = if at < 0x74 { &[1, 4, 0x7f, 0x80, 0xff] } else { &[1, 0xff] };
            for flip in all {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                let name = format!("{name} with 0x{:02x} at 0x{at:x}", changed[at]);
                check_as(programs::ainb(), GRAPH_HEAD, &name, &changed);
            }
        }
    }
}

#[test]
fn fields_of_eight_bytes_changed() {
    for (name, bytes) in files(2) {
        let size = bytes.len() as u64;
        for at in (0..bytes.len().saturating_sub(8)).step_by(8) {
            for new in [0, 1, size - 1, size, size + 8, u64::MAX, 1 << 63, at as u64, 0x48, 0xffff]
            {
                let mut changed = bytes.clone();
                changed[at..at + 8].copy_from_slice(&new.to_le_bytes());
                check(&format!("{name} with {new} at 0x{at:x}"), &changed);
            }
        }
    }
}

#[test]
fn files_with_another_one_behind() {
    for (name, bytes) in files(3) {
        let twice = [bytes.clone(), bytes].concat();
        check(&format!("{name} twice"), &twice);
    }
}
