//! known [rounds] [format]: generated code beside code written by hand and the usual crates, on files
//! of this machine.
//!
//! One group reads and one writes all files of a format. What is read by hand has the types of the
//! generated code, so both make the same value: that is looked at before anything is timed.

mod cursor;
mod elf;
mod files;
mod gif;
mod mo;
mod png;
mod terminfo;
mod tzif;
mod zip;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;

use files::Wanted;
use formwork::ReadOptions;
use harness::Group;

#[cfg(feature = "count")]
#[global_allocator]
static A: harness::CountingAlloc = harness::CountingAlloc;

const COUNTING: bool = cfg!(feature = "count");
/// Files are read several times in a row until they come to so many bytes.
const LEAST: usize = 1 << 20;

const HAND: &str = "by hand";
const SCHEMA: &str = "from the schema";
const TRUSTING: &str = "from the schema, trusting";

/// Everything below is the same for all formats, whose types have nothing in common.
macro_rules! known {
    (
        $format:ident, $rounds:expr, $wanted:expr,
        write [$($write:path)?], peers [$($name:literal $peer:path),*]
    ) => {{
        let files = files::collect(&$wanted);
        let files = accepted(files, |bytes| $format::File::read(bytes).is_ok());
        let options = ReadOptions::default();
        let trusting = &options.clone().trusting(true);
        let name = stringify!($format);
        let (mut read_fast, mut trusted, mut write_fast, mut by_hand) = (0, 0, 0, 0);
        let mut values = Vec::new();
        let mut taken = Vec::new();
        for bytes in &files {
            let value = $format::File::read(bytes).expect("it was read before");
            read_fast += usize::from($format::File::__read_fast(bytes, &options).is_some());
            trusted += usize::from($format::File::__read_fast(bytes, trusting).is_some());
            write_fast += usize::from(value.__write_fast().is_some());
            let written = value.write().expect("what was read can be written");
            assert!(written == *bytes, "{name}: a file does not come back");
            let Some(hand) = $format::read(bytes) else { continue };
            assert!(hand == value, "{name}: what is read by hand is another value");
            by_hand += 1;
            $(
                // What does not follow the rules of the format is not written by hand.
                if $write(&hand).as_ref() != Some(bytes) {
                    continue;
                }
            )?
            values.push(value);
            taken.push(&bytes[..]);
        }
        let size: usize = taken.iter().map(|bytes| bytes.len()).sum();
        println!("\n## {name}\n");
        println!(
            "{} files; the fast path reads {read_fast} ({trusted} trusting) and writes \
             {write_fast}, {by_hand} are read by hand, {} are timed.",
            files.len(),
            taken.len(),
        );
        if taken.is_empty() {
            return;
        }
        // Clocks are not exact enough for a few files.
        let times = (LEAST / size.max(1)).clamp(1, 1_000);
        let (taken, size) = (&taken.repeat(times), size * times);
        let mut group = Group::new(format!("{name}, read"), size, taken.len(), 3);
        group.clock = harness::processor_clock;
        copy(&mut group, taken);
        group.case(
            HAND,
            || taken.iter().map(|b| $format::read(black_box(b)).unwrap()).collect::<Vec<_>>(),
            |values| digest(values),
        );
        group.case(
            SCHEMA,
            || taken.iter().map(|b| $format::File::read(black_box(b)).unwrap()).collect::<Vec<_>>(),
            |values| digest(values),
        );
        group.case(
            TRUSTING,
            || {
                let read = |b| $format::File::read_with(black_box(b), trusting).unwrap();
                taken.iter().map(|b| read(b)).collect::<Vec<_>>()
            },
            |values| digest(values),
        );
        $(
            group.case(
                $name,
                || taken.iter().map(|b| $peer(black_box(b)).unwrap_or(0)).sum::<u64>(),
                |_| 0,
            );
        )*
        group.run($rounds, HAND, COUNTING);
        let values: Vec<_> = (0..times).flat_map(|_| &values).collect();
        let values = &values;
        let mut group = Group::new(format!("{name}, write"), size, taken.len(), 3);
        group.clock = harness::processor_clock;
        copy(&mut group, taken);
        #[allow(unused_mut, unused_assignments)]
        let mut baseline = "memcpy";
        $(
            group.case(
                HAND,
                || values.iter().map(|v| $write(black_box(v)).unwrap()).collect::<Vec<_>>(),
                |files| digest(files),
            );
            baseline = HAND;
        )?
        group.case(
            SCHEMA,
            || values.iter().map(|v| black_box(v).write().unwrap()).collect::<Vec<_>>(),
            |files| digest(files),
        );
        group.run($rounds, baseline, COUNTING);
    }};
}

/// Files that belong to the format, as the schema has it.
fn accepted(mut files: Vec<Vec<u8>>, reads: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let all = files.len();
    files.retain(|bytes| reads(bytes));
    if files.len() < all {
        println!("\n{} of {all} files are refused.", all - files.len());
    }
    files
}

/// Each file into memory of its own, as writers have to.
fn copy<'a>(group: &mut Group<'a>, files: &'a [&'a [u8]]) {
    group.case(
        "memcpy",
        move || files.iter().map(|bytes| black_box(bytes).to_vec()).collect::<Vec<_>>(),
        |_| 0,
    );
}

fn digest<T: Hash>(of: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish() | 1
}

fn elf(rounds: usize) {
    let wanted = Wanted {
        folders: &["/usr/lib", "~/.rustup"],
        extensions: &[".so", ".o"],
        magics: &[b"\x7fELF\x02\x01\x01"],
        largest: 1 << 20,
        total: 16 << 20,
    };
    known!(elf, rounds, wanted, write [], peers ["goblin" elf::goblin, "object" elf::object]);
}

fn gif(rounds: usize) {
    let wanted = Wanted {
        folders: &["/usr"],
        extensions: &[".gif"],
        magics: &[b"GIF8"],
        largest: 4 << 20,
        total: 16 << 20,
    };
    known!(gif, rounds, wanted, write [gif::write], peers ["gif" gif::peer]);
}

fn mo(rounds: usize) {
    let wanted = Wanted {
        folders: &["/usr/share/locale", "/usr/lib"],
        extensions: &[".mo"],
        magics: &[b"\xde\x12\x04\x95", b"\x95\x04\x12\xde"],
        largest: 1 << 20,
        total: 16 << 20,
    };
    known!(mo, rounds, wanted, write [mo::write], peers []);
}

fn png(rounds: usize) {
    let wanted = Wanted {
        folders: &["/usr"],
        extensions: &[".png"],
        magics: &[b"\x89PNG"],
        largest: 1 << 20,
        total: 8 << 20,
    };
    known!(png, rounds, wanted, write [png::write], peers ["png, up to the pixels" png::peer]);
}

fn terminfo(rounds: usize) {
    let wanted = Wanted {
        folders: &["/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo"],
        extensions: &[],
        magics: &[b"\x1a\x01", b"\x1e\x02"],
        largest: 1 << 16,
        total: 4 << 20,
    };
    known!(terminfo, rounds, wanted, write [], peers ["terminfo" terminfo::peer]);
}

fn tzif(rounds: usize) {
    let wanted = Wanted {
        folders: &["/usr/share/zoneinfo"],
        extensions: &[],
        magics: &[b"TZif"],
        largest: 1 << 16,
        total: 4 << 20,
    };
    known!(tzif, rounds, wanted, write [tzif::write], peers ["tz-rs" tzif::peer]);
}

fn zip(rounds: usize) {
    let wanted = Wanted {
        folders: &["/usr"],
        extensions: &[".zip", ".jar", ".whl"],
        magics: &[b"PK"],
        largest: 4 << 20,
        total: 16 << 20,
    };
    known!(
        zip, rounds, wanted, write [zip::write],
        peers ["zip, directory" zip::peer, "zip, local headers too" zip::peer_all]
    );
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    let wanted = arguments.next();
    let run = |name: &str, run: fn(usize)| {
        if wanted.as_ref().is_none_or(|wanted| wanted == name) {
            run(rounds);
        }
    };
    run("elf", elf);
    run("gif", gif);
    run("mo", mo);
    run("png", png);
    run("terminfo", terminfo);
    run("tzif", tzif);
    run("zip", zip);
}
