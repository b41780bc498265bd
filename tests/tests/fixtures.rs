//! The files in `fixtures/` are what the writer makes of the values in `formwork_tests::flows` and
//! `formwork_tests::trees`.
//!
//! `BLESS=1 cargo test -p formwork-tests --test fixtures` writes them.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::PathBuf;

use formwork_interpreter::{Program, StructValue, Value, write};
use formwork_tests::laws::{self, Outcome};
use formwork_tests::{archives, flows, graphs, programs, resources, samples, trees};

fn folder() -> PathBuf {
    samples::workspace().join("fixtures")
}

/// All fixtures: their programs, names and values.
fn all() -> Vec<(&'static Program, &'static str, Value)> {
    let flows = flows::all().into_iter().map(|(name, value)| (programs::evfl(), name, value));
    let trees = trees::all().into_iter().map(|(name, value)| (programs::esf(), name, value));
    let archives = archives::all().into_iter();
    let archives = archives.map(|(name, archive)| (programs::baev(), name, archive.value()));
    let resources = resources::all().into_iter();
    let resources = resources.map(|(name, value)| {
        let whole = whole(programs::bfres(), name, &value);
        (programs::bfres(), name, whole)
    });
    let graphs = graphs::all().into_iter().map(|(name, value)| (programs::ainb(), name, value));
    flows.chain(trees).chain(archives).chain(resources).chain(graphs).collect()
}

/// A value with what it leaves out, which a reader sees in what is written.
fn whole(program: &Program, name: &str, value: &Value) -> Value {
    let bytes = write(program, value).unwrap_or_else(|error| panic!("{name}: {error}"));
    let read = laws::value_of(program, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    holds(&read, value, name);
    read
}

/// All that one value says, the other one says, too.
fn holds(read: &Value, said: &Value, path: &str) {
    match (read, said) {
        (Value::Struct(read), Value::Struct(said)) => holds_fields(read, said, path),
        (Value::Union(read), Value::Union(said)) => {
            assert_eq!(read.case, said.case, "{path}");
            holds_fields(&read.value, &said.value, path);
        }
        (Value::Array(read), Value::Array(said)) => {
            assert_eq!(read.len(), said.len(), "{path}");
            for (at, (read, said)) in read.iter().zip(said).enumerate() {
                holds(read, said, &format!("{path}[{at}]"));
            }
        }
        (read, said) => assert_eq!(read, said, "{path}"),
    }
}

fn holds_fields(read: &StructValue, said: &StructValue, path: &str) {
    for (name, said) in &said.fields {
        holds(read.get(name).unwrap_or(&Value::None), said, &format!("{path}.{name}"));
    }
}

#[test]
fn fixtures_are_current() {
    for (model, name, value) in all() {
        let written = write(model, &value).unwrap_or_else(|error| panic!("{name}: {error}"));
        let path = folder().join(name);
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &written).expect("the fixture can be written");
        }
        let file = fs::read(&path).unwrap_or_default();
        if let Some(difference) = laws::first_difference(&file, &written) {
            panic!("{name}: {difference}");
        }
    }
}

#[test]
fn all_laws_hold() {
    for (model, name, value) in all() {
        let written = laws::put_get(model, &value).unwrap_or_else(|e| panic!("{name}: {e}"));
        laws::stable(model, &value).unwrap_or_else(|e| panic!("{name}: {e}"));
        laws::canonical(model, &value).unwrap_or_else(|e| panic!("{name}: {e}"));
        match laws::get_put(model, &written) {
            Outcome::Identical => {}
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// What a fixture says of unusual spellings is in its file.
#[test]
fn spellings_are_written() {
    for (model, name, value) in all() {
        let bytes = fs::read(folder().join(name)).expect("the fixture can be read");
        let read = laws::value_of(model, &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let count = |value: &Value| {
            let mut kept = 0;
            value.for_each_kept(&mut |_| kept += 1);
            kept
        };
        assert_eq!(count(&read), count(&value), "{name}");
    }
}

#[test]
fn nothing_else_is_there() {
    let expected: BTreeSet<String> = all().iter().map(|(_, name, _)| (*name).into()).collect();
    let entries = fs::read_dir(folder()).expect("the folder can be read");
    let found = entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned());
    let found: BTreeSet<String> = found.filter(|name| name != "README.md").collect();
    assert_eq!(found, expected);
}

/// Expressions that parameters take their values from, counted without the schema: a word of flags
/// with 0xc200 in its upper half is one, and the head of the expressions says how many there are in
/// the file.
#[test]
fn expressions_of_inputs_are_counted() {
    let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).expect("it has four bytes");
    let mut inputs = 0;
    for name in ["every_node", "first_expressions", "later"] {
        let path = samples::workspace().join(format!("fixtures/{name}.ainb"));
        let bytes = fs::read(path).expect("the fixture is there");
        let flags = bytes.chunks_exact(4).filter(|bytes| word(bytes) >> 16 == 0xc200).count();
        let head = bytes.windows(4).position(|bytes| bytes == b"EXB ").expect("it has expressions");
        assert_eq!(word(&bytes[head + 0xc..head + 0x10]) as usize, flags, "{name}");
        inputs += flags;
    }
    assert_eq!(inputs, 27);
}
