//! engine ROUNDS FILE...: the engine alone reads files of the built-in formats and writes them again,
//! and so does generated code: medians over rounds of processor time. In place of a file, `records=N`
//! stands for one that is made here of N records of 8 bytes, which only the engine reads. With the feature `count`: allocations, and the peak of live bytes
//! beyond the file itself.

use std::hint::black_box;

use formwork::ReadOptions;
use formwork_interpreter::{read, Program};

#[cfg(feature = "count")]
#[global_allocator]
static A: harness::CountingAlloc = harness::CountingAlloc;

/// Shorter than this, something is done again.
const SHORTEST: u64 = 20_000_000;

const RECORDS: &str = r#"
module records "Records of one size" root=File endian=little

struct File   { u32 count; Record records count=count }
struct Record { u32 a; u16 b; u16 c }
"#;

fn main() {
    let mut args = std::env::args().skip(1);
    let rounds: usize = args.next().map_or(9, |n| n.parse().expect("a number of rounds"));
    let texts = formwork_schemas::names().map(|name| (name, formwork_schemas::get(name)));
    let formats: Vec<Program> =
        texts.filter_map(|(name, text)| program(name, text.unwrap_or_default())).collect();
    if cfg!(feature = "count") {
        println!("| file | MB | read: allocations | peak MB | written: allocations | peak MB |");
        println!("|---|---:|---:|---:|---:|---:|");
    } else {
        println!(
            "| file | MB | read ms | MB/s | written ms | MB/s | both ms | generated: read ms | \
             written ms |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    }
    let (mut size, mut reads, mut writes) = (0, 0, 0);
    let files: Vec<String> = args.collect();
    for name in &files {
        let (made, bytes) = match name.strip_prefix("records=") {
            Some(count) => (program("records", RECORDS), records(count.parse().expect("a number"))),
            None => (None, std::fs::read(name).expect("the file can be read")),
        };
        let options = ReadOptions::default();
        let mut all = made.iter().chain(&formats);
        let program = all.find(|program| read(program, &bytes, &options).is_ok());
        let Some(program) = program else { panic!("{name} is of no built-in format") };
        let name = name.rsplit('/').next().unwrap_or(name);
        if cfg!(feature = "count") {
            count(name, program, &bytes);
            continue;
        }
        let (read, written) = times(rounds, program, &bytes);
        (size, reads, writes) = (size + bytes.len(), reads + read, writes + written);
        line(name, bytes.len(), read, written, generated(rounds, &bytes));
    }
    if files.len() > 1 && !cfg!(feature = "count") {
        line("all", size, reads, writes, None);
    }
}

struct Libraries;

impl formwork_codegen::Provider for Libraries {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

/// A schema that is no format but a library of others has no model.
fn program(name: &str, text: &str) -> Option<Program> {
    let loaded = formwork_codegen::load(&format!("{name}.kdl"), text, None, &Libraries);
    loaded.model.map(formwork_interpreter::program)
}

fn records(count: u32) -> Vec<u8> {
    let mut bytes = count.to_le_bytes().to_vec();
    bytes.extend((0..count).flat_map(|n| [n, n.rotate_left(9)]).flat_map(u32::to_le_bytes));
    bytes
}

fn line(name: &str, size: usize, read: u64, written: u64, generated: Option<(u64, u64)>) {
    let rate = |time: u64| size as f64 / time as f64 * 1e3;
    let ms = |time: u64| time as f64 / 1e6;
    let generated = generated
        .map_or("| ".to_owned(), |(read, written)| format!("{:.2} | {:.2}", ms(read), ms(written)));
    println!(
        "| {name} | {:.3} | {:.2} | {:.1} | {:.2} | {:.1} | {:.2} | {generated} |",
        size as f64 / 1e6,
        ms(read),
        rate(read),
        ms(written),
        rate(written),
        ms(read + written),
    );
}

/// Medians of reading and of writing what was read, in nanoseconds.
fn times(rounds: usize, program: &Program, bytes: &[u8]) -> (u64, u64) {
    let options = ReadOptions::default();
    let document = read(program, bytes, &options).expect("the file is read");
    let written = document.write().expect("what was read is written");
    assert!(written == bytes, "it is not written as it was");
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        reads.push(once(&mut || read(program, bytes, &options).expect("the file is read")));
        writes.push(once(&mut || document.write().expect("what was read is written")));
    }
    (harness::median_time(reads), harness::median_time(writes))
}

/// The same of generated code, if the file is of a built-in format.
fn generated(rounds: usize, bytes: &[u8]) -> Option<(u64, u64)> {
    let file = formwork_formats::read_any(bytes).ok()?;
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        reads.push(once(&mut || formwork_formats::read_any(bytes).expect("the file is read")));
        writes.push(once(&mut || file.write().expect("what was read is written")));
    }
    Some((harness::median_time(reads), harness::median_time(writes)))
}

fn once<T>(what: &mut impl FnMut() -> T) -> u64 {
    let start = harness::processor_time();
    let mut times = 0;
    loop {
        black_box(what());
        times += 1;
        let time = harness::processor_time() - start;
        if time >= SHORTEST {
            return time / times;
        }
    }
}

fn count(name: &str, program: &Program, bytes: &[u8]) {
    let options = ReadOptions::default();
    let (document, read) = harness::counted(|| read(program, bytes, &options));
    let document = document.expect("the file is read");
    let (written, write) = harness::counted(|| document.write());
    assert!(written.expect("what was read is written") == bytes, "it is not written as it was");
    let mega = |bytes: usize| bytes as f64 / 1e6;
    println!(
        "| {name} | {:.3} | {} | {:.1} | {} | {:.1} |",
        mega(bytes.len()),
        read.calls,
        mega(read.peak),
        write.calls,
        mega(write.peak),
    );
}
