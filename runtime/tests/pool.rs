//! Orders of string pools.

mod common;

use std::cmp::Ordering;

use common::Random;
use formwork::algorithms::{compare, PoolOrder};

/// A whole stored pool, in its order.
const STORED: [&str; 27] = [
    "",
    "subchallnpc000",
    "IsWaitFinish",
    "RotX",
    "PosX",
    "IsWorld",
    "MessageId",
    "Event4",
    "Event2",
    "IsBecomingSpeaker",
    "RotZ",
    "PosZ",
    "Arg_Turn",
    "subchallnpc000_twin",
    "RotY",
    "PosY",
    "CreateMode",
    "IsOverWriteLabelActorName",
    "ASName",
    "Event3",
    "Talk",
    "InitTalk",
    "NearActorsTalk",
    "Demo_Talk",
    "IsGrounding",
    "Arg_Greeting",
    "IsCloseMessageDialog",
];

#[test]
fn stored_order() {
    let mut random = Random::new(1);
    for _ in 0..50 {
        let mut members = STORED.to_vec();
        for end in (1..members.len()).rev() {
            members.swap(end, random.below(end as u64 + 1) as usize);
        }
        members.sort_by(|a, b| compare(PoolOrder::BitsFromEnd, a.as_ref(), b.as_ref()));
        assert_eq!(members, STORED);
    }
}

/// The other form of the same rule: bytes in reverse order, each mirrored.
fn mirrored(member: &[u8]) -> Vec<u8> {
    member.iter().rev().map(|byte| byte.reverse_bits()).collect()
}

#[test]
fn bits_from_end_is_the_order_of_mirrored_members() {
    let mut random = Random::new(2);
    for _ in 0..50_000 {
        let (a, b) = (short(&mut random), short(&mut random));
        let expected = mirrored(&a).cmp(&mirrored(&b));
        assert_eq!(compare(PoolOrder::BitsFromEnd, &a, &b), expected, "{a:?} {b:?}");
    }
}

#[test]
fn orders_are_total() {
    let mut random = Random::new(3);
    for order in [PoolOrder::Bytes, PoolOrder::BitsFromEnd] {
        for _ in 0..50_000 {
            let (a, b, c) = (short(&mut random), short(&mut random), short(&mut random));
            let (ab, bc, ac) =
                (compare(order, &a, &b), compare(order, &b, &c), compare(order, &a, &c));
            assert_eq!(compare(order, &b, &a), ab.reverse());
            assert_eq!(ab == Ordering::Equal, a == b);
            if ab == bc {
                assert_eq!(ac, ab);
            }
        }
    }
}

fn short(random: &mut Random) -> Vec<u8> {
    let len = random.below(4);
    (0..len).map(|_| [0, 1, 0x80, 0xff][random.below(4) as usize]).collect()
}

#[test]
fn first_use_keeps_the_order() {
    let mut members = vec!["b", "a", "", "b"];
    members.sort_by(|a, b| compare(PoolOrder::FirstUse, a.as_bytes(), b.as_bytes()));
    assert_eq!(members, ["b", "a", "", "b"]);
}

#[test]
fn bytes_of_utf8_are_in_the_order_of_code_points() {
    let mut members = vec!["\u{10000}", "\u{ffff}", "ab", "a", "", "é"];
    members.sort_by(|a, b| compare(PoolOrder::Bytes, a.as_bytes(), b.as_bytes()));
    assert_eq!(members, ["", "a", "ab", "é", "\u{ffff}", "\u{10000}"]);
}
