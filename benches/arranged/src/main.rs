//! arranged [ROUNDS [OBJECTS]]: the engine reads and writes a file of many objects (20 MB), as its
//! layout has them, and with the same objects elsewhere.

use formwork::ReadOptions;
use formwork_interpreter::{read, write, Program};
use harness::{Group, Lcg};

#[cfg(feature = "count")]
#[global_allocator]
static A: harness::CountingAlloc = harness::CountingAlloc;

const SCHEMA: &str = r#"
module arranged "Records, each with a list of its own" root=File endian=little

pointer * u32 none=0 align=4

struct File   0x04 .. { u32 count 0x00; *Record records count=count }
struct Record 0x10    { u32 id 0x00; u32 kind 0x04; u32 count 0x08; *u32 numbers 0x0c count=count }
"#;

/// Bytes of a record, and of its numbers.
const RECORD: usize = 16;
const NUMBERS: usize = 20;

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse().expect("a number"));
    let rounds: usize = args.next().unwrap_or(9);
    let count: usize = args.next().unwrap_or(560_000);
    let program = program();
    let options = ReadOptions::default();
    let ordered: Vec<usize> = (0..count).collect();
    let mut mixed = ordered.clone();
    let mut random = Lcg(1);
    for i in (1..count).rev() {
        mixed.swap(i, random.draw() as usize % (i + 1));
    }
    let files = [
        ("canonical", file(&ordered)),
        ("two swapped", file(&swapped(&ordered))),
        ("backwards", file(&ordered.iter().rev().copied().collect::<Vec<_>>())),
        ("by chance", file(&mixed)),
    ];
    for (name, bytes) in &files {
        let document = read(&program, bytes, &options).expect("the file is read");
        assert_eq!(document.is_canonical(), *name == "canonical", "{name}");
        let written = document.write().expect("what was read is written");
        assert!(written == *bytes, "{name} is not identical");
        let written = write(&program, &document.value()).expect("the value is written");
        assert!(written == *bytes, "the value of {name} is not identical");
    }
    let size = files[0].1.len();
    let counting = cfg!(feature = "count");
    let mut group = Group::new("read by the engine", size, count, 1);
    for (name, bytes) in &files {
        let work = || read(&program, bytes, &options).expect("the file is read");
        group.case(name, work, |_| 0);
    }
    group.run(rounds, "canonical", counting);
    let documents = files.iter().map(|(name, bytes)| (*name, read(&program, bytes, &options)));
    let documents: Vec<_> = documents.collect();
    let mut group = Group::new("written by the engine", size, count, 1);
    for (name, document) in &documents {
        let document = document.as_ref().expect("the file is read");
        group.case(name, || document.write().expect("it is written"), |bytes| bytes.len() as u64);
    }
    group.run(rounds, "canonical", counting);
}

struct Nothing;

impl formwork_codegen::Provider for Nothing {
    fn library(&self, _: &str) -> Option<String> {
        None
    }
}

fn program() -> Program {
    let loaded = formwork_codegen::load("arranged.kdl", SCHEMA, None, &Nothing);
    formwork_interpreter::program(loaded.model.expect("the schema has no error"))
}

fn swapped(order: &[usize]) -> Vec<usize> {
    let mut order = order.to_vec();
    let middle = order.len() / 2;
    order.swap(middle, middle + 1);
    order
}

/// A file whose lists stand in this order; records stand in the order of their numbers.
fn file(order: &[usize]) -> Vec<u8> {
    let start = 8 + 16 * order.len();
    let mut places = vec![0; order.len()];
    for (place, record) in order.iter().enumerate() {
        places[*record] = start + NUMBERS * place;
    }
    let mut bytes = Vec::with_capacity((RECORD + NUMBERS) * order.len());
    let mut put = |number: usize| bytes.extend((number as u32).to_le_bytes());
    [order.len(), 8].into_iter().for_each(&mut put);
    for (record, place) in places.iter().enumerate() {
        [record, record % 7, NUMBERS / 4, *place].into_iter().for_each(&mut put);
    }
    for record in order {
        (0..NUMBERS / 4).for_each(|number| put(record + number));
    }
    bytes
}
