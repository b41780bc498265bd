//! Trees of typed values in arenas: the same files, values and errors as without.
#![allow(missing_docs)]

use std::path::{Path, PathBuf};
use std::{fs, thread};

use formwork::ProblemKind;
use formwork::arena::SpellingId;
use formwork::spelling::{KeptKind, KeptValue, SpellingEntry};
use formwork::{Format, Notes, ReadErrorKind, ReadOptions, Spelling};
use formwork_formats::esf::arena::{self, FileArena, NodeRecord, NodeU32};
use formwork_formats::esf::{self, File, Variant};

/// Files of every variant, some with unusual spellings.
fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|name| name == "esf"));
    let files: Vec<_> = paths
        .map(|path| {
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            (path, bytes)
        })
        .collect();
    assert!(files.len() >= 9, "{} files", files.len());
    files
}

fn fixture(name: &str) -> Vec<u8> {
    let files = fixtures();
    let found = files.into_iter().find(|(path, _)| path.ends_with(name));
    found.unwrap_or_else(|| panic!("there is no {name}")).1
}

#[test]
fn files_become_the_same_values() {
    for (path, bytes) in fixtures() {
        let value = File::read(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let arena = FileArena::read(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let again = arena.to_value().expect("it is not deep");
        assert!(again == value && again.same_spelling(&value), "{path:?}");
        assert!(arena.write().expect("it was just read") == bytes, "{path:?}");
    }
}

#[test]
fn values_go_in_and_out() {
    for (path, bytes) in fixtures() {
        let value = File::read(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let arena = FileArena::from_value(&value).expect("it is not deep");
        assert!(arena.write().expect("it was just read") == bytes, "{path:?}");
        let again = arena.to_value().expect("it is not deep");
        assert!(again == value && again.same_spelling(&value), "{path:?}");
    }
}

/// Whatever is cut off, and whichever byte is another, the error is that of the ordinary reader.
#[test]
fn errors_are_the_same() {
    for (path, mut bytes) in fixtures() {
        let same = |bytes: &[u8], what: &str| match (File::read(bytes), FileArena::read(bytes)) {
            (Ok(value), Ok(arena)) => {
                let again = arena.to_value().expect("it is not deep");
                assert!(again.same_spelling(&value), "{path:?}, {what}");
            }
            (Err(one), Err(other)) => assert_eq!(one, other, "{path:?}, {what}"),
            (one, other) => {
                panic!("{path:?}, {what}: {:?} and {:?}", one.err(), other.err());
            }
        };
        for end in 0..bytes.len() {
            same(&bytes[..end], &format!("{end} bytes"));
        }
        for at in 0..bytes.len() {
            bytes[at] ^= 0x81;
            same(&bytes, &format!("byte {at}"));
            bytes[at] ^= 0x81;
        }
    }
}

#[test]
fn limits_are_the_same() {
    let bytes = fixture("every_node.abca.esf");
    let options = ReadOptions::default().max_depth(0);
    let error = FileArena::read_with(&bytes, &options).expect_err("it has records");
    assert_eq!(Err(error), File::read_with(&bytes, &options));
}

/// What the trait says of arenas is what it says of ordinary values.
#[test]
fn formats_are_alike() {
    fn read<F: Format>(bytes: &[u8]) -> (F::Of<'_>, Notes, Vec<u8>) {
        let mut notes = Notes::default();
        let file = F::read_noting(bytes, &ReadOptions::default(), &mut notes);
        let file = file.expect("it is read");
        file.validate().expect("it was just read");
        let mut written = b"before".to_vec();
        file.write_into(&mut written).expect("it was just read");
        (file, notes, written)
    }
    for (path, bytes) in fixtures() {
        let (value, notes, written) = read::<File>(&bytes);
        let (arena, arena_notes, arena_written) = read::<FileArena>(&bytes);
        assert_eq!(arena_notes.all(), notes.all(), "{path:?}");
        assert!(arena_written == written && written[6..] == bytes, "{path:?}");
        assert!(Format::into_owned(arena).to_value().expect("it is not deep") == value);
        assert!(FileArena::detect(&bytes) && File::detect(&bytes), "{path:?}");
    }
    assert!(!FileArena::detect(b"BFEVFL\0\0"));
    assert_eq!((FileArena::NAME, FileArena::MAGIC), (File::NAME, File::MAGIC));
}

/// Numbers in the record `map`, which has a list of lists.
#[test]
fn lists_can_be_changed() {
    let mut file = FileArena::read(&fixture("garden.abca.esf")).expect("it is read");
    let nodes = file.root.root.nodes;
    assert_eq!(nodes.len(), 3);
    let arena::Node::Record(_, spelling) = file[nodes][2] else { panic!("the map is a record") };
    assert!(spelling.is_canonical() && file.spelling(spelling).is_canonical());
    let list = file.add([5, 70_000].map(|value| arena::Node::from(NodeU32 { value })));
    file[nodes][2].as_record_mut().expect("the map is a record").nodes = list;
    file[list][0] = NodeU32::from(6).into();
    assert_eq!(file[list][1].as_u32().map(|node| node.value), Some(70_000));
    assert!(file[list][1].as_bool().is_none());

    let again =
        File::read_owned(&file.write().expect("it can be written")).expect("it was written");
    let esf::Node::Record(map) = &again.root.nodes[2] else { panic!("the map is a record") };
    let number = |value| esf::Node::U32(esf::NodeU32 { value, ..Default::default() });
    assert_eq!(map.nodes, [number(6), number(70_000)]);
    assert!(again == file.to_value().expect("it is not deep"));
}

/// A name or text that is not in its table is refused, in whatever list it stands; what no list has
/// any more is not written, so nothing is wrong with it.
#[test]
fn references_are_looked_up() {
    let missing = arena::FileTagNamesIndex::from(999_u16);
    assert_eq!((missing.to_string(), missing.get()), ("999".to_owned(), 999));
    assert_eq!(esf::FileTagNamesIndex::from(missing), esf::FileTagNamesIndex::at(999));
    assert!(arena::FileTagNamesIndex::try_from(esf::FileTagNamesIndex::at(0x1_0000)).is_err());
    let key = arena::NodeUnicodeKey { key: 0xdead_beef };
    let record = NodeRecord { tag: missing, ..NodeRecord::default() };
    for wrong in [arena::Node::from(key), arena::Node::from(record)] {
        let mut file = FileArena::read(&fixture("garden.abca.esf")).expect("it is read");
        let nodes = file.root.root.nodes;
        let arena::Node::Record(map, spelling) = file[nodes][2] else { panic!("a record") };
        let inner = file.add([wrong]);
        let outer = NodeRecord { nodes: inner, ..map };
        let list = file.add([arena::Node::Record(outer, spelling)]);
        file.write().expect("no list of the file has it");

        file[nodes][2] = arena::Node::Record(NodeRecord { nodes: list, ..map }, spelling);
        let problems = |error: formwork::WriteError| -> Vec<String> {
            let shown = |p: &formwork::Problem| format!("{} {}", p.kind.code(), p.path);
            error.problems().iter().map(shown).collect()
        };
        let refused = problems(file.write().expect_err("it is not in the table"));
        let value = file.to_value().expect("it is not deep");
        assert_eq!(refused, problems(value.write().expect_err("it is not in the table")));
        assert_eq!(refused, problems(file.validate().expect_err("as writing")));
        assert_eq!(refused.len(), 1, "{refused:?}");
    }
}

#[test]
fn texts_can_be_changed() {
    let mut file = FileArena::read(&fixture("garden.abca.esf")).expect("it is read");
    let texts = file.root.unicode.expect("there is a table");
    let value = file.to_value().expect("it is not deep");
    assert_eq!(
        file[file[texts][0].text],
        *value.unicode.expect("there is a table")[0].text.units()
    );
    let text = file.add_utf16("Beet");
    file[texts][0].text = text;
    assert_eq!(file.utf16(text), "Beet");
    let again =
        File::read_owned(&file.write().expect("it can be written")).expect("it was written");
    assert_eq!(again.unicode.expect("there is a table")[0].text, "Beet");
}

/// Spellings are interned: the number of one that is there already is the same.
#[test]
fn spellings_have_numbers() {
    let mut file = FileArena::read(&fixture("garden.abca.esf")).expect("it is read");
    let mut spelling = Spelling::default();
    assert!(file.add_spelling(spelling.clone()).is_canonical());
    spelling.keep(SpellingEntry {
        row: 0,
        index: None,
        kind: KeptKind::Width,
        stored: KeptValue::Int(5),
        instead_of: KeptValue::Int(1),
    });
    let id = file.add_spelling(spelling.clone());
    assert_eq!(file.add_spelling(spelling.clone()), id);
    assert_eq!(*file.spelling(id), spelling);
}

#[test]
#[should_panic = "is not of this arena"]
fn lists_of_other_arenas() {
    let file = FileArena::read(&fixture("garden.abca.esf")).expect("it is read");
    let small = FileArena::from_value(&File::default()).expect("it is not deep");
    let _ = &small[file.root.root.nodes];
}

#[test]
fn nodes_are_small() {
    assert_eq!(size_of::<arena::Node>(), 16);
    assert!(size_of::<arena::Node>() * 2 <= size_of::<esf::Node<'_>>());
}

/// Records in records, so many besides the root.
fn nested(levels: usize) -> File<'static> {
    let record = |nodes| esf::Node::Record(esf::NodeRecord { nodes, ..Default::default() });
    File {
        variant: Variant::Abca,
        root: esf::Root {
            nodes: (0..levels).fold(Vec::new(), |nodes, _| vec![record(nodes)]),
            ..Default::default()
        },
        tag_names: vec![b"root".into()],
        unicode: Some(Vec::new()),
        ascii: Some(Vec::new()),
        ..Default::default()
    }
}

/// Drops a file without asking more of the stack than for one level at a time.
fn take_apart(file: File<'_>) {
    let mut todo = file.root.nodes;
    while let Some(node) = todo.pop() {
        if let esf::Node::Record(record) = node {
            todo.extend(record.nodes);
        }
    }
}

/// Runs something with the stack that threads have by default.
fn on_a_stack(what: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(what).expect("a thread");
    thread.join().expect("the thread ends well");
}

#[test]
fn deep_values() {
    on_a_stack(|| {
        let value = nested(200);
        let arena = FileArena::from_value(&value).expect("it is not too deep");
        let bytes = arena.write().expect("it is not too deep");
        assert!(bytes == value.write().expect("it is not too deep"));
        assert!(arena.to_value().expect("it is not too deep") == value);
        let arena = FileArena::read(&bytes).expect("it is not too deep");
        assert!(arena.to_value().expect("it is not too deep") == value);
    });
}

#[test]
fn values_that_are_too_deep() {
    on_a_stack(|| {
        for levels in [300, 100_000] {
            let value = nested(levels);
            let error = FileArena::from_value(&value).expect_err("it is too deep");
            take_apart(value);
            let [problem] = error.problems() else { panic!("{error}") };
            assert!(matches!(problem.kind, ProblemKind::DepthLimit { .. }), "{error}");
        }
    });
}

/// A list that contains itself has no end.
#[test]
fn lists_in_themselves() {
    on_a_stack(|| {
        let mut file = FileArena::from_value(&nested(1)).expect("it is not too deep");
        let nodes = file.root.root.nodes;
        let record = NodeRecord { nodes, ..NodeRecord::default() };
        file[nodes][0] = arena::Node::Record(record, SpellingId::CANONICAL);
        for error in [file.to_value().map(|_| ()), file.write().map(|_| ())] {
            let error = error.expect_err("it has no end");
            let [problem] = error.problems() else { panic!("{error}") };
            assert!(matches!(problem.kind, ProblemKind::DepthLimit { .. }), "{error}");
        }
    });
}

#[test]
fn files_that_are_too_deep() {
    on_a_stack(|| {
        let deepest = (0..=256)
            .rev()
            .find(|levels| nested(*levels).write().is_ok_and(|bytes| File::read(&bytes).is_ok()));
        let deepest = deepest.expect("a file without records is read");
        let bytes = nested(deepest).write().expect("it was just written");
        assert!(FileArena::read(&bytes).is_ok());
        let Ok(bytes) = nested(deepest + 1).write() else { return };
        let error = FileArena::read(&bytes).expect_err("it is too deep");
        assert!(matches!(error.kind(), ReadErrorKind::DepthLimit { .. }), "{error}");
        assert_eq!(Err(error), File::read(&bytes));
        let options = ReadOptions::default().max_depth(400);
        assert!(FileArena::read_with(&bytes, &options).is_ok());
    });
}
