//! Variable-length integers in both orders.

mod common;

use common::Random;
use formwork::algorithms::{read_varint, store_varint, varint_width, GroupOrder};
use formwork::ReadErrorKind;

const ORDERS: [GroupOrder; 2] = [GroupOrder::MsbFirst, GroupOrder::LsbFirst];

#[track_caller]
fn check(bytes: &[u8], value: u64) {
    let width = bytes.len() as u8;
    assert_eq!(read_varint(bytes, 0, GroupOrder::MsbFirst, 5, 32).unwrap(), (value, width));
    let mut out = Vec::new();
    assert!(store_varint(&mut out, value, width, GroupOrder::MsbFirst));
    assert_eq!(out, bytes);
}

#[test]
fn stored_numbers() {
    check(&[0x00], 0);
    check(&[0x7f], 127);
    check(&[0x81, 0x00], 128);
    check(&[0x81, 0x7f], 255);
    check(&[0xff, 0x7f], 16_383);
    check(&[0x81, 0x80, 0x00], 16_384);
    check(&[0x86, 0x80, 0x67], 98_407);
    check(&[0x80, 0x80, 0x89, 0x9a, 0x03], 150_787);
    check(&[0x8f, 0xff, 0xff, 0xff, 0x7f], 4_294_967_295);
    check(&[0x80, 0x80, 0x80, 0x80, 0x01], 1);
    check(&[0x80, 0x80, 0x80, 0x01], 1);
    check(&[0x80, 0x80, 0x01], 1);
    check(&[0x80, 0x01], 1);
    check(&[0x01], 1);
}

#[test]
fn least_significant_group_first() {
    let read = |bytes: &[u8]| read_varint(bytes, 0, GroupOrder::LsbFirst, 10, 64).unwrap();
    assert_eq!(read(&[0xe5, 0x8e, 0x26]), (624_485, 3));
    assert_eq!(read(&[0x81, 0x80, 0x00]), (1, 3));
    assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), (u64::MAX, 10));
}

#[test]
fn shortest_widths() {
    for (value, width) in [
        (0, 1),
        (127, 1),
        (128, 2),
        (16_383, 2),
        (16_384, 3),
        (2_097_151, 3),
        (2_097_152, 4),
        (268_435_455, 4),
        (268_435_456, 5),
        (u64::MAX >> 1, 9),
        (u64::MAX, 10),
    ] {
        assert_eq!(varint_width(value), width, "{value}");
    }
}

#[track_caller]
fn check_error(bytes: &[u8], order: GroupOrder, limits: (u8, u32), kind: ReadErrorKind) {
    let mut shifted = vec![0xff; 3];
    shifted.extend_from_slice(bytes);
    let error = read_varint(&shifted, 3, order, limits.0, limits.1).unwrap_err();
    assert_eq!(error.kind(), &kind);
    assert_eq!(error.offset(), 3);
}

#[test]
fn refused_numbers() {
    for order in ORDERS {
        let too_long = ReadErrorKind::VarintTooLong { limit: 5 };
        check_error(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x02], order, (5, 32), too_long);
        check_error(&[0x00], order, (0, 32), ReadErrorKind::VarintTooLong { limit: 0 });
        let end = ReadErrorKind::UnexpectedEnd { needed: 3, remaining: 2 };
        check_error(&[0x80, 0x80], order, (5, 32), end);
        let end = ReadErrorKind::UnexpectedEnd { needed: 1, remaining: 0 };
        check_error(&[], order, (5, 32), end);
    }
    let overflow = || ReadErrorKind::VarintOverflow;
    check_error(&[0x90, 0x80, 0x80, 0x80, 0x00], GroupOrder::MsbFirst, (5, 32), overflow());
    check_error(&[0xff, 0xff, 0xff, 0xff, 0x10], GroupOrder::LsbFirst, (5, 32), overflow());
    check_error(&[0x82, 0x00], GroupOrder::MsbFirst, (2, 8), overflow());
    check_error(&[0x01], GroupOrder::MsbFirst, (2, 0), overflow());
    // The 65th bit, and bits far above.
    let mut above = [0x80; 20];
    above[0] = 0x82;
    above[9] = 0x00;
    check_error(&above[..10], GroupOrder::MsbFirst, (20, 64), overflow());
    let mut above = [0x80; 20];
    above[9] = 0x02;
    check_error(&above[..10], GroupOrder::LsbFirst, (20, 64), overflow());
    above[9] = 0x80;
    above[19] = 0x01;
    check_error(&above, GroupOrder::LsbFirst, (20, 64), overflow());
    assert!(read_varint(&[0], u64::MAX, GroupOrder::MsbFirst, 5, 32).is_err());
}

#[test]
fn random_numbers_come_back() {
    let mut random = Random::new(1);
    for round in 0..20_000 {
        let order = ORDERS[round % 2];
        let value = random.number();
        let shortest = varint_width(value);
        let width = shortest + random.below(20) as u8;
        let mut out = vec![0xaa];
        assert!(!store_varint(&mut out, value, shortest - 1, order));
        assert_eq!(out, [0xaa]);
        assert!(store_varint(&mut out, value, width, order));
        assert_eq!(out.len(), 1 + usize::from(width));
        assert_eq!(read_varint(&out, 1, order, width, 64).unwrap(), (value, width));
        let bits = 64 - value.leading_zeros();
        assert!(read_varint(&out, 1, order, width, bits).is_ok());
        if bits > 0 {
            let error = read_varint(&out, 1, order, width, bits - 1).unwrap_err();
            assert_eq!(error.kind(), &ReadErrorKind::VarintOverflow);
        }
    }
}

#[test]
fn random_bytes_do_no_harm() {
    let mut random = Random::new(2);
    for round in 0..20_000 {
        let len = random.below(16) as usize;
        let bytes: Vec<u8> = random.bytes(len).iter().map(|byte| byte | 0x40).collect();
        let limits = (random.next() as u8, random.below(100) as u32);
        let _ = read_varint(&bytes, random.below(20), ORDERS[round % 2], limits.0, limits.1);
    }
}
