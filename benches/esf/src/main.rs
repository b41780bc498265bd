//! esf [rounds] [factions] [distinct strings] [--save PATH]: reads and writes one large file that is
//! made here; medians over rounds of processor time. With the feature `count`: allocations and peak
//! of live bytes, beyond the file itself.
//!
//! `ONLY=text` keeps the contenders whose name contains it, `PART=encode` one of the two tables, for
//! profilers.
#![forbid(unsafe_code)]

#[path = "../../tree/src/hand.rs"]
#[allow(dead_code)]
mod hand;
mod look;
mod make;

use std::hint::black_box;

use formwork_formats::esf::File;
use formwork_formats::esf::arena::FileArena;

#[cfg(feature = "count")]
#[global_allocator]
static A: harness::CountingAlloc = harness::CountingAlloc;

/// What is measured: its name, and one run of it. What a run makes is dropped outside of the time.
struct Contender<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> Measured + 'a>,
}

struct Measured {
    /// Nanoseconds of processor time.
    time: u64,
    drop: u64,
    calls: usize,
    /// Bytes.
    peak: usize,
}

fn contender<'a, T: 'a>(name: &'static str, mut what: impl FnMut() -> T + 'a) -> Contender<'a> {
    let run = move || {
        let start = harness::processor_time();
        let (made, counted) = harness::counted(&mut what);
        let time = harness::processor_time() - start;
        let made = black_box(made);
        let start = harness::processor_time();
        drop(made);
        let drop = harness::processor_time() - start;
        Measured { time, drop, calls: counted.calls, peak: counted.peak }
    };
    Contender { name, run: Box::new(run) }
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let save = args.iter().position(|arg| arg == "--save").map(|at| {
        args.remove(at);
        args.remove(at)
    });
    let arg = |at: usize, or: u32| {
        args.get(at).map_or(or, |arg| arg.parse().expect("rounds, factions, strings: numbers"))
    };
    let (rounds, factions, strings) = (arg(0, 5), arg(1, 3000), arg(2, 300));
    let made = make::file(factions, strings);
    let nodes: usize = made.root.nodes.iter().map(make::count).sum();
    let bytes = made.write().expect("it can be written");
    if let Some(path) = save {
        std::fs::write(&path, &bytes).expect("the file can be written");
    }
    let d = &bytes[..];
    let tree = hand::decode(d).expect("the hand-written reader reads it");
    assert!(hand::encode(&tree) == d, "the hand-written writer writes it as it is");
    {
        let read = File::read(d).expect("it is read");
        assert!(read == made, "it is read as it was");
    }
    let arena = FileArena::read(d).expect("it is read");
    assert!(arena.to_value().expect("it is not too deep") == made, "it is read as it was");
    assert!(arena.write().expect("it can be written") == d, "it is written as it is");
    println!(
        "{} bytes, {nodes} nodes, {strings} distinct strings; node: {} B, in an arena {} B, by hand {} B",
        d.len(),
        size_of::<formwork_formats::esf::Node>(),
        size_of::<formwork_formats::esf::arena::Node>(),
        size_of::<hand::Node>(),
    );

    let mut dst = vec![1u8; d.len()];
    let mut reading = vec![
        contender("memcpy, warm buffer", move || dst.copy_from_slice(black_box(d))),
        contender("hand, walk in place", || hand::walk(black_box(d)).expect("good")),
        contender("formwork, walk by views", || look::walk(black_box(d)).expect("good")),
        contender("hand, tree", || hand::decode(black_box(d)).expect("good")),
        contender("formwork, borrowed", || File::read(black_box(d)).expect("good")),
        contender("formwork, owned", || File::read_owned(black_box(d)).expect("good")),
        contender("formwork, arena", || FileArena::read(black_box(d)).expect("good")),
    ];
    let mut writing = vec![
        contender("hand, tree", || hand::encode(black_box(&tree))),
        contender("formwork", || black_box(&made).write().expect("good")),
        contender("formwork, arena", || black_box(&arena).write().expect("good")),
    ];
    #[cfg(feature = "rpfm")]
    let mut peer = rpfm::decode(d);
    #[cfg(feature = "rpfm")]
    {
        reading.push(contender("rpfm_lib", || rpfm::decode(black_box(d))));
        writing.push(contender("rpfm_lib", move || rpfm::encode(&mut peer)));
    }
    report("decode", d.len(), nodes, rounds, &mut reading);
    drop(reading);
    report("encode", d.len(), nodes, rounds, &mut writing);
}

/// The peer, which is there with the feature only.
#[cfg(feature = "rpfm")]
mod rpfm {
    use std::io::Cursor;

    use rpfm_lib::files::esf::ESF;
    use rpfm_lib::files::{Decodeable, Encodeable};

    pub fn decode(bytes: &[u8]) -> ESF {
        ESF::decode(&mut Cursor::new(bytes), &None).expect("good")
    }

    pub fn encode(file: &mut ESF) -> Vec<u8> {
        let mut out = Vec::new();
        file.encode(&mut out, &None).expect("good");
        out
    }
}

/// Runs all contenders by turns, and prints a table.
fn report(what: &str, bytes: usize, nodes: usize, rounds: u32, all: &mut [Contender<'_>]) {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let only = variable("ONLY");
    if !what.contains(&variable("PART")) {
        return;
    }
    let mut measured: Vec<Vec<Measured>> = all.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds.max(1) {
        for (contender, list) in all.iter_mut().zip(&mut measured) {
            if contender.name.contains(&only) {
                list.push((contender.run)());
            }
        }
    }
    let median = |list: &[Measured], of: fn(&Measured) -> u64| {
        harness::median_time(list.iter().map(of).collect())
    };
    let hand = all.iter().position(|contender| contender.name == "hand, tree");
    let hand = hand.filter(|at| !measured[*at].is_empty());
    let hand = hand.map(|at| median(&measured[at], |m| m.time));
    println!("\n{what:24}      ms     MB/s  ns/node  by hand  drop ms   allocations  peak/file");
    for (contender, list) in all.iter().zip(&measured) {
        let Some(last) = list.last() else { continue };
        let time = median(list, |m| m.time).max(1);
        let drop = median(list, |m| m.drop);
        println!(
            "{:24} {:>8.2} {:>8.0} {:>8.1} {:>8} {:>8.2} {:>13} {:>10.2}",
            contender.name,
            time as f64 / 1e6,
            bytes as f64 * 1e3 / time as f64,
            time as f64 / nodes as f64,
            hand.map_or("-".to_owned(), |hand| format!("{:.2}", time as f64 / hand as f64)),
            drop as f64 / 1e6,
            last.calls,
            last.peak as f64 / bytes as f64,
        );
    }
}

