//! Trees of typed values that are deep or wide: nothing runs out of stack, and nothing takes more
//! than linear time.
#![allow(missing_docs)]

use std::thread;
use std::time::{Duration, Instant};

use formwork::{ReadErrorKind, ReadOptions};
use formwork_formats::esf::{Element, File, Node, NodeRecord, NodeRecords, NodeU32, Root, Variant};

/// One variant for each way to say where lists end.
const VARIANTS: [Variant; 2] = [Variant::Abce, Variant::Abca];

fn file(variant: Variant, nodes: Vec<Node<'static>>) -> File<'static> {
    File {
        variant,
        root: Root { nodes, ..Default::default() },
        tag_names: vec![b"root".into()],
        unicode: (variant == Variant::Abca).then(Vec::new),
        ascii: (variant == Variant::Abca).then(Vec::new),
        ..Default::default()
    }
}

/// Records in records, so many of them besides the root; each other one is an element of an array.
fn nested(variant: Variant, levels: usize) -> File<'static> {
    let mut nodes = Vec::new();
    for level in 0..levels {
        nodes = vec![if level % 2 == 0 {
            Node::Record(NodeRecord { nodes, ..Default::default() })
        } else {
            let elements = vec![Element { nodes, ..Default::default() }];
            Node::Records(NodeRecords { elements, ..Default::default() })
        }];
    }
    file(variant, nodes)
}

/// Drops a file without asking more of the stack than for one level at a time.
fn take_apart(file: File<'_>) {
    let mut todo = file.root.nodes;
    while let Some(node) = todo.pop() {
        match node {
            Node::Record(record) => todo.extend(record.nodes),
            Node::Records(records) => {
                todo.extend(records.elements.into_iter().flat_map(|element| element.nodes));
            }
            _ => {}
        }
    }
}

/// Stack for the deepest trees, in bytes: what threads have by default.
const STACK: usize = 2 << 20;

/// Runs something with so much stack.
fn on_a_stack(what: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK).spawn(what).expect("a thread");
    thread.join().expect("the thread ends well");
}

/// The most levels that are read by default.
fn deepest(variant: Variant) -> usize {
    let limit = usize::try_from(ReadOptions::default().max_depth).expect("a small number");
    let reads = |levels| {
        let bytes = nested(variant, levels).write().expect("it can be written");
        File::read(&bytes).is_ok()
    };
    let deepest = (0..=limit).rev().find(|levels| reads(*levels));
    deepest.expect("a file without records is read")
}

#[test]
fn nested_to_the_limit() {
    for variant in VARIANTS {
        on_a_stack(move || {
            let levels = deepest(variant);
            assert!(levels >= 200, "{levels} levels");
            let bytes = nested(variant, levels).write().expect("it can be written");
            let file = File::read(&bytes).expect("it is read");
            let copy = file.clone();
            assert!(copy == file);
            assert!(copy.same_spelling(&file));
            assert_eq!(format!("{copy:?}").matches("Record(").count(), levels.div_ceil(2));
            assert!(copy.write().expect("it is written") == bytes);
            drop(copy);
            let owned = file.into_owned();
            assert!(owned == File::read_owned(&bytes).expect("it is read"));
        });
    }
}

#[test]
fn nested_beyond_the_limit() {
    for variant in VARIANTS {
        on_a_stack(move || {
            let levels = deepest(variant) + 1;
            let file = nested(variant, levels);
            let bytes = file.write();
            take_apart(file);
            let bytes = match bytes {
                Ok(bytes) => bytes,
                // The writer may have the same limit.
                Err(error) => {
                    assert!(error.to_string().contains("deep"), "{error}");
                    return;
                }
            };
            let error = File::read(&bytes).expect_err("too deep");
            assert!(matches!(error.kind(), ReadErrorKind::DepthLimit { .. }), "{error}");
            let options = ReadOptions::default().max_depth(400);
            assert!(File::read_with(&bytes, &options).is_ok());
        });
    }
}

/// A value that is far too deep is refused by the writer, not by the stack.
#[test]
fn values_that_are_far_too_deep() {
    on_a_stack(|| {
        let file = nested(Variant::Abca, 100_000);
        let error = file.write().expect_err("it is too deep");
        assert!(error.to_string().contains("deep"), "{error}");
        take_apart(file);
    });
}

fn wide(variant: Variant, children: u32) -> File<'static> {
    let number = |value| Node::U32(NodeU32 { value, ..Default::default() });
    file(variant, (0..children).map(number).collect())
}

/// Time that reading and writing take.
fn time(variant: Variant, children: u32) -> Duration {
    let file = wide(variant, children);
    let start = Instant::now();
    let bytes = file.write().expect("it can be written");
    let again = File::read(&bytes).expect("it is read");
    let time = start.elapsed();
    assert!(again == file);
    time
}

/// Ten times as many children take ten times as long; if anything were quadratic, a hundred times.
#[test]
fn wide_records_take_linear_time() {
    for variant in VARIANTS {
        let least = |children| (0..3).map(|_| time(variant, children)).min().expect("three");
        let (few, many) = (least(20_000), least(200_000));
        assert!(many < few * 40, "{few:?} for 20,000 children, {many:?} for 200,000");
    }
}
