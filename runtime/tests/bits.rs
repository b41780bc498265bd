//! Bit fields in both orders.

mod common;

use common::Random;
use formwork::algorithms::{BitOrder, BitReader};
use formwork::ReadErrorKind;

const ORDERS: [BitOrder; 2] = [BitOrder::MsbFirst, BitOrder::LsbFirst];

#[track_caller]
fn read(bytes: &[u8], order: BitOrder, widths: &[u32]) -> Vec<u64> {
    let mut bits = BitReader::new(bytes, 0, bytes.len() as u64, order);
    widths.iter().map(|&width| bits.read(width).unwrap()).collect()
}

#[test]
fn most_significant_bit_first() {
    let bytes = [0b1011_0010, 0b0111_1111, 0x01];
    assert_eq!(read(&bytes, BitOrder::MsbFirst, &[1, 2, 8]), [1, 0b01, 0b1001_0011]);
    assert_eq!(read(&bytes, BitOrder::MsbFirst, &[24]), [0xb27f01]);
}

#[test]
fn least_significant_bit_first() {
    let bytes = [0b1011_0010, 0b0111_1111, 0x01];
    assert_eq!(read(&bytes, BitOrder::LsbFirst, &[1, 2, 8]), [0, 0b01, 0b1111_0110]);
    assert_eq!(read(&bytes, BitOrder::LsbFirst, &[24]), [0x017fb2]);
}

#[test]
fn a_field_of_64_bits_may_touch_nine_bytes() {
    let bytes = [0xff; 9];
    for order in ORDERS {
        assert_eq!(read(&bytes, order, &[1, 64, 7]), [1, u64::MAX, 0x7f]);
        assert_eq!(read(&bytes, order, &[7, 64, 1]), [0x7f, u64::MAX, 1]);
    }
    let bytes = [0x80, 0, 0, 0, 0, 0, 0, 0, 0x80];
    assert_eq!(read(&bytes, BitOrder::MsbFirst, &[1, 64]), [1, 1]);
    let bytes = [1, 0, 0, 0, 0, 0, 0, 0, 1];
    assert_eq!(read(&bytes, BitOrder::LsbFirst, &[1, 64]), [1, 1 << 63]);
}

#[track_caller]
fn check_end(bytes: &[u8], order: BitOrder, widths: [u32; 2], at: u64, needed: u64) {
    let mut bits = BitReader::new(bytes, 0, bytes.len() as u64, order);
    bits.read(widths[0]).unwrap();
    let before = bits.position();
    let error = bits.read(widths[1]).unwrap_err();
    let remaining = bytes.len() as u64 - at;
    assert_eq!(error.kind(), &ReadErrorKind::UnexpectedEnd { needed, remaining });
    assert_eq!(error.offset(), at);
    assert_eq!(bits.position(), before);
}

#[test]
fn a_field_that_does_not_fit_what_is_left() {
    for order in ORDERS {
        check_end(&[0; 3], order, [7, 18], 0, 4);
        check_end(&[0; 3], order, [8, 17], 1, 3);
        check_end(&[0; 8], order, [1, 64], 0, 9);
        check_end(&[], order, [0, 1], 0, 1);
    }
}

#[test]
fn the_last_bits_may_stay_unread() {
    for order in ORDERS {
        let mut bits = BitReader::new(&[0xff; 4], 0, 4, order);
        assert_eq!(bits.read(31).unwrap(), 0x7fff_ffff);
        assert_eq!(bits.position(), (3, 7));
        assert_eq!(bits.remaining(), 1);
        assert_eq!(bits.rest(), 1);
        assert_eq!(bits.rest(), 0);
        assert_eq!(bits.position(), (4, 0));
        assert_eq!(bits.remaining(), 0);
    }
}

#[test]
fn a_reader_stays_within_its_limit() {
    for order in ORDERS {
        let mut bits = BitReader::new(&[0xff; 8], 2, 4, order);
        assert_eq!(bits.read(16).unwrap(), 0xffff);
        let error = bits.read(1).unwrap_err();
        assert_eq!(error.kind(), &ReadErrorKind::UnexpectedEnd { needed: 1, remaining: 0 });
        assert_eq!(error.offset(), 4);
        for (offset, limit) in [(u64::MAX, u64::MAX), (9, 20), (4, 2)] {
            let mut bits = BitReader::new(&[0xff; 8], offset, limit, order);
            assert!(bits.read(1).is_err());
            assert_eq!(bits.remaining(), 0);
        }
    }
}

#[test]
fn widths_beyond_64_are_refused() {
    for order in ORDERS {
        let mut bits = BitReader::new(&[0; 32], 0, 32, order);
        assert_eq!(bits.read(65).unwrap_err().kind().code(), "expression");
        assert!(bits.read(u32::MAX).is_err());
    }
}

/// Bit number `position` of a stream.
fn bit(bytes: &[u8], position: usize, order: BitOrder) -> u64 {
    let within = match order {
        BitOrder::MsbFirst => 7 - position % 8,
        BitOrder::LsbFirst => position % 8,
    };
    u64::from(bytes[position / 8] >> within & 1)
}

#[test]
fn random_fields_are_what_the_orders_say() {
    let mut random = Random::new(1);
    for round in 0..4_000 {
        let order = ORDERS[round % 2];
        let len = 1 + random.below(160) as usize;
        let bytes = random.bytes(len);
        let mut reader = BitReader::new(&bytes, 0, bytes.len() as u64, order);
        let mut position = 0;
        loop {
            let width = 1 + random.below(64) as usize;
            if position + width > bytes.len() * 8 {
                break;
            }
            let number = |from: usize, to: usize| {
                let bits = (from..to).map(|at| bit(&bytes, at, order));
                match order {
                    BitOrder::MsbFirst => bits.fold(0, |word, bit| word << 1 | bit),
                    BitOrder::LsbFirst => bits.rev().fold(0, |word, bit| word << 1 | bit),
                }
            };
            assert_eq!(reader.read(width as u32).unwrap(), number(position, position + width));
            position += width;
            assert_eq!(reader.position(), ((position / 8) as u64, (position % 8) as u8));
            if random.below(8) == 0 {
                let next = position.next_multiple_of(8);
                assert_eq!(reader.rest(), number(position, next));
                position = next;
                assert_eq!(reader.position(), ((position / 8) as u64, 0));
            }
        }
    }
}
