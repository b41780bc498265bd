//! Dictionaries: nodes as stored in known files, and that every key is found again.

mod common;

use std::collections::BTreeSet;

use common::Random;
use formwork::algorithms::{patricia, DictionaryError, DictionaryNode, DICTIONARY_LIMIT};

/// The position of a key, found as a program finds it: each step tests a later bit than the one
/// before, and where that ends stands the only key that it can be.
fn find(nodes: &[DictionaryNode], key: &[u8], name: impl Fn(usize) -> Vec<u8>) -> Option<usize> {
    let bit = |number: u32| {
        let byte = key.iter().rev().nth((number >> 3) as usize);
        byte.is_some_and(|byte| byte >> (number & 7) & 1 == 1)
    };
    let (mut last, mut at) = (nodes[0], nodes[0].zero);
    loop {
        let node = nodes[usize::from(at)];
        if node.bit as i32 <= last.bit as i32 {
            return usize::from(at).checked_sub(1).filter(|index| name(*index) == key);
        }
        (last, at) = (node, if bit(node.bit) { node.one } else { node.zero });
    }
}

/// Compares nodes with `(bit, zero, one)`; the root's bit as a signed number.
#[track_caller]
fn check(keys: &[&str], expected: &[(i64, u16, u16)]) {
    let nodes = patricia(keys).unwrap();
    let actual: Vec<_> = nodes.iter().map(|n| (i64::from(n.bit as i32), n.zero, n.one)).collect();
    assert_eq!(actual, expected);
    for (index, key) in keys.iter().enumerate() {
        assert_eq!(find(&nodes, key.as_bytes(), |i| keys[i].into()), Some(index));
    }
}

#[test]
fn no_keys() {
    check(&[], &[(-1, 0, 0)]);
}

#[test]
fn one_key() {
    check(&["GanonQuest"], &[(-1, 1, 0), (2, 0, 1)]);
}

#[test]
fn stored_nodes() {
    check(&["Arg_Turn", "Arg_Greeting"], &[(-1, 2, 0), (1, 0, 1), (0, 1, 2)]);
    check(&["Talk", "NearActorsTalk"], &[(-1, 1, 0), (0, 0, 2), (0x20, 1, 2)]);
    check(
        &[
            "IsWaitFinish",
            "ASName",
            "IsCloseMessageDialog",
            "IsBecomingSpeaker",
            "IsOverWriteLabelActorName",
            "MessageId",
        ],
        &[(-1, 2, 0), (3, 0, 1), (0, 4, 3), (1, 5, 3), (1, 6, 4), (0x20, 5, 2), (2, 1, 6)],
    );
    check(
        &["CreateMode", "IsGrounding", "IsWorld", "PosX", "PosY", "PosZ", "RotX", "RotY", "RotZ"],
        &[
            (-1, 1, 0),
            (0, 6, 2),
            (1, 5, 2),
            (2, 4, 3),
            (3, 0, 7),
            (2, 8, 1),
            (1, 3, 9),
            (8, 7, 4),
            (8, 8, 5),
            (8, 9, 6),
        ],
    );
}

#[test]
fn bits_beyond_the_first_byte_are_zero() {
    // The last 22 bytes agree, so the second key tests a bit of byte 22.
    let nodes = patricia(&["abcdefghijklmnopqrstuv", "Xabcdefghijklmnopqrstuv"]).unwrap();
    assert_eq!(nodes[2].bit, 22 * 8 + 3);
}

#[test]
fn refused_keys() {
    assert_eq!(patricia(&["a", ""]), Err(DictionaryError::EmptyKey { index: 1 }));
    assert_eq!(patricia(&["\0\0"]), Err(DictionaryError::EmptyKey { index: 0 }));
    assert_eq!(patricia(&["A", "\0"]), Err(DictionaryError::EmptyKey { index: 1 }));
    assert_eq!(patricia(&["a", "b", "a"]), Err(DictionaryError::DuplicateKey { index: 2, of: 0 }));
    assert_eq!(
        patricia(&["b", "a", "\0a"]),
        Err(DictionaryError::DuplicateKey { index: 2, of: 1 })
    );
    let count = DICTIONARY_LIMIT + 1;
    let keys: Vec<String> = (0..count).map(|i| format!("{i}")).collect();
    assert_eq!(patricia(&keys), Err(DictionaryError::TooMany { count }));
}

#[test]
fn as_many_keys_as_there_may_be() {
    let keys: Vec<String> = (0..DICTIONARY_LIMIT).map(|i| format!("Event{i}")).collect();
    let nodes = patricia(&keys).unwrap();
    assert_eq!(nodes.len(), DICTIONARY_LIMIT + 1);
    for (index, key) in keys.iter().enumerate() {
        assert_eq!(find(&nodes, key.as_bytes(), |i| keys[i].clone().into()), Some(index));
    }
}

/// Without the keys' leading NUL bytes, since those do not count.
fn significant(key: &[u8]) -> &[u8] {
    let zeros = key.iter().take_while(|byte| **byte == 0).count();
    &key[zeros..]
}

#[test]
fn random_keys_are_found_again_and_others_are_not() {
    let mut random = Random::new(1);
    for round in 0..2_000 {
        // Few different bytes, so that keys share ends and differ in length only.
        let alphabet = [b"ab".as_slice(), b"\x00\x01", b"\x00\x80\xff", b"abcdefgh"][round % 4];
        let mut seen = BTreeSet::new();
        let mut keys: Vec<Vec<u8>> = Vec::new();
        for _ in 0..random.below(40) {
            let len = random.below(12);
            let key: Vec<u8> =
                (0..len).map(|_| alphabet[random.below(alphabet.len() as u64) as usize]).collect();
            let old = !seen.insert(significant(&key).to_vec());
            if significant(&key).is_empty() {
                keys.push(key);
                let index = keys.len() - 1;
                assert_eq!(patricia(&keys), Err(DictionaryError::EmptyKey { index }));
                keys.pop();
            } else if old {
                let of = keys.iter().position(|k| significant(k) == significant(&key)).unwrap();
                keys.push(key);
                let index = keys.len() - 1;
                assert_eq!(patricia(&keys), Err(DictionaryError::DuplicateKey { index, of }));
                keys.pop();
            } else {
                keys.push(key);
            }
        }
        let nodes = patricia(&keys).unwrap();
        assert_eq!(nodes.len(), keys.len() + 1);
        for (index, key) in keys.iter().enumerate() {
            assert_eq!(find(&nodes, key, |i| keys[i].clone()), Some(index));
        }
        for _ in 0..20 {
            let len = random.below(12) as usize;
            let key = random.bytes(len);
            let expected = keys.iter().position(|k| *k == key);
            assert_eq!(find(&nodes, &key, |i| keys[i].clone()), expected);
        }
    }
}

#[test]
fn a_deep_tree_is_built_in_time() {
    // Key `i` has its only bit at `i`, so each node hangs below all before it.
    let keys: Vec<Vec<u8>> = (0..4_096usize)
        .map(|i| {
            let mut key = vec![0; i / 8 + 1];
            key[0] = 1 << (i % 8);
            key
        })
        .collect();
    let nodes = patricia(&keys).unwrap();
    for (index, key) in keys.iter().enumerate() {
        assert_eq!(find(&nodes, key, |i| keys[i].clone()), Some(index));
    }
}
