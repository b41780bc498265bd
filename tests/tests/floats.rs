//! Each pattern of bits of a float that is stored in another way than in the value is read, and
//! written again: from the file, from its value, and from its JSON.

use std::collections::HashSet;

use formwork::ReadOptions;
use formwork_interpreter::json::{Style, Text, to_json};
use formwork_interpreter::{Value, read, write};
use formwork_tests::programs;

/// All patterns of one or two bytes; of wider numbers both ends, and some of what lies between.
fn patterns(bytes: usize) -> Vec<u8> {
    let most = u64::MAX >> (64 - 8 * bytes);
    let pattern = |n: u64| match bytes {
        1 | 2 => n,
        _ => match n % 4 {
            0 => n,
            1 => most - n,
            2 => most / 2 + n,
            _ => n.wrapping_mul(0x9e37_79b9_7f4a_7c15) & most,
        },
    };
    let all = if bytes == 1 { 1 << 8 } else { 1 << 16 };
    (0..all).flat_map(|n| pattern(n).to_le_bytes().into_iter().take(bytes)).collect()
}

fn all_come_back(ty: &str, bytes: usize) {
    let schema = format!(
        "module n \"Numbers\" root=File endian=little\nstruct File {{ \"{ty}\" list count=fill }}"
    );
    let model = programs::from_text("n.kdl", &schema, None).unwrap_or_else(|e| panic!("{ty}: {e}"));
    let file = patterns(bytes);
    let document = read(&model, &file, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let value = document.value();
    assert!(write(&model, &value).is_ok_and(|again| again == file), "{ty}: from the value");

    let text = to_json(&model, &value, Style::Compact);
    let parsed = Text::parse(&text).expect("it was just written");
    let again = parsed.value(&model).unwrap_or_else(|error| panic!("{ty}: {error}"));
    assert!(value.same_spelling(&again), "{ty}: JSON has another value");

    let Some(Value::Array(list)) = value.at_path("list") else { panic!("{ty}: no list") };
    let different: HashSet<u64> = list
        .iter()
        .map(|number| match number {
            Value::Float { bits, .. } => *bits,
            other => panic!("{ty}: {other:?}"),
        })
        .collect();
    let stored: HashSet<&[u8]> = file.chunks(bytes).collect();
    assert_eq!(different.len(), stored.len(), "{ty}: two patterns are one number");
}

#[test]
fn halves() {
    all_come_back("f16", 2);
    all_come_back("f16be", 2);
}

#[test]
fn numbers_between_zero_and_one() {
    for (ty, bytes) in [("u8", 1), ("i8", 1), ("u16", 2), ("i16", 2), ("i16be", 2)] {
        all_come_back(&format!("norm<{ty}>"), bytes);
    }
    for (ty, bytes) in [("u24", 3), ("i32", 4), ("u32be", 4), ("i40", 5), ("u48", 6), ("i48", 6)] {
        all_come_back(&format!("norm<{ty}>"), bytes);
    }
}

#[test]
fn fixed_point() {
    for (ty, bytes) in [("u8", 1), ("i8", 1), ("u16", 2), ("i16", 2), ("i32", 4), ("u48be", 6)] {
        for fraction in [0, 1, 5, 8, 16, 64] {
            all_come_back(&format!("fixed<{ty},{fraction}>"), bytes);
        }
    }
}
