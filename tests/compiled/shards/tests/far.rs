//! Views of files that are made to be far away from what is asked: rows behind many others, and types
//! in types without end.

mod trees {
    include!(concat!(env!("OUT_DIR"), "/views_golden_trees_inline.rs"));
}

mod lengths {
    include!(concat!(env!("OUT_DIR"), "/views_golden_many_lengths.rs"));
}

use formwork::ReadErrorKind;
use trees::view::Node;

#[test]
fn the_end_of_a_tree_without_end_is_not_looked_for() {
    // Pairs of pairs, of which each has another one first; and the same with names between.
    for file in [vec![1; 100_000], [3, 0].repeat(50_000)] {
        let file = trees::File::view(&file).expect("it has a first byte");
        let error = file.last().expect_err("it is behind the tree");
        assert_eq!(error.kind(), &ReadErrorKind::DepthLimit { limit: 256 });
        assert_eq!(error.path().to_string(), "last");
    }
    let lists = [2, 1].repeat(50_000);
    let error = trees::File::view(&lists).and_then(|file| file.last());
    assert_eq!(error.expect_err("there is no end").kind().code(), "depth_limit");
}

#[test]
fn whoever_looks_goes_as_deep_as_there_is_something() {
    let file = vec![1; 100_000];
    let file = trees::File::view(&file).expect("it has a first byte");
    let mut node = file.tree().expect("it is a pair");
    for _ in 0..90_000 {
        let Node::Pair(pair) = node else { panic!("all are pairs") };
        node = pair.left().expect("it is a pair");
    }
    // Lists are walked from element to element, each of which is looked at one level deeper.
    let lists = [2, 2, 0, 7].repeat(200);
    let Ok(Node::List(list)) = trees::File::view(&lists).and_then(|file| file.tree()) else {
        panic!("it is a list")
    };
    let first = list.nodes().expect("it has elements").iter().next();
    assert!(matches!(first, Some(Ok(Node::Leaf(leaf))) if leaf.value() == 7));
}

#[test]
fn rows_behind_many_others_are_found_in_one_walk() {
    let mut file = Vec::new();
    for number in 1..=30 {
        file.push(number);
        file.extend(vec![number; number.into()]);
    }
    let view = lengths::File::view(&file).expect("it has a first byte");
    assert_eq!(view.d30().expect("it is there"), &[30; 30]);
    assert_eq!(view.d2().expect("it is there"), &[2, 2]);
    let cut = lengths::File::view(&file[..file.len() - 1]).expect("it has a first byte");
    assert_eq!(cut.d29().expect("it is there"), &[29; 29]);
    let error = cut.d30().expect_err("a byte is missing");
    assert_eq!(error.to_string(), "needs 30 bytes, but 29 remain, at 0x1d1 in d30");
}
