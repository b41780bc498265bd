//! Loading and storing numbers.

mod common;

use common::Random;
use formwork::algorithms::{fits, load_uint, sign_extend, slice, store_uint};
use formwork::{Endian, ReadErrorKind};

const ENDIANS: [Endian; 2] = [Endian::Little, Endian::Big];

#[test]
fn little_endian_is_the_default() {
    assert_eq!(Endian::default(), Endian::Little);
}

#[test]
fn every_width() {
    let bytes = [0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89];
    for (width, little, big) in [
        (1, 0x82, 0x82),
        (2, 0x8382, 0x8283),
        (3, 0x84_8382, 0x82_8384),
        (4, 0x8584_8382, 0x8283_8485),
        (5, 0x86_8584_8382, 0x82_8384_8586),
        (6, 0x8786_8584_8382, 0x8283_8485_8687),
        (7, 0x88_8786_8584_8382, 0x82_8384_8586_8788),
        (8, 0x8988_8786_8584_8382, 0x8283_8485_8687_8889),
    ] {
        assert_eq!(load_uint(&bytes, 1, width, Endian::Little).unwrap(), little);
        assert_eq!(load_uint(&bytes, 1, width, Endian::Big).unwrap(), big);
    }
}

#[track_caller]
fn check_end(at: u64, width: u8, remaining: u64) {
    for endian in ENDIANS {
        let error = load_uint(&[0; 4], at, width, endian).unwrap_err();
        let needed = u64::from(width);
        assert_eq!(error.kind(), &ReadErrorKind::UnexpectedEnd { needed, remaining });
        assert_eq!(error.offset(), at);
        assert!(!store_uint(&mut [0; 4], at, width, endian, 0));
    }
}

#[test]
fn numbers_beyond_the_end() {
    check_end(0, 8, 4);
    check_end(1, 4, 3);
    check_end(4, 1, 0);
    check_end(5, 1, 0);
    check_end(u64::MAX, 1, 0);
    check_end(u64::MAX - 3, 8, 0);
}

#[test]
fn widths_that_no_number_has() {
    for width in [0, 9, 255] {
        let bytes = [0; 300];
        let error = load_uint(&bytes, 0, width, Endian::Big).unwrap_err();
        assert_eq!(error.kind().code(), "expression");
        assert!(!store_uint(&mut [0; 300], 0, width, Endian::Big, 0));
    }
}

#[test]
fn runs_of_bytes() {
    let bytes = [1, 2, 3];
    assert_eq!(slice(&bytes, 1, 2).unwrap(), [2, 3]);
    assert_eq!(slice(&bytes, 3, 0).unwrap(), []);
    for (at, len, remaining) in [(4, 0, 0), (2, 2, 1), (1, u64::MAX, 2), (u64::MAX, u64::MAX, 0)] {
        let error = slice(&bytes, at, len).unwrap_err();
        assert_eq!(error.kind(), &ReadErrorKind::UnexpectedEnd { needed: len, remaining });
    }
}

#[test]
fn signs() {
    assert_eq!(sign_extend(0x80, 8), -128);
    assert_eq!(sign_extend(0xff80, 8), -128);
    assert_eq!(sign_extend(0x80, 9), 128);
    assert_eq!(sign_extend(1, 1), -1);
    assert_eq!(sign_extend(u64::MAX, 0), 0);
    assert_eq!(sign_extend(u64::MAX, 64), -1);
    assert_eq!(sign_extend(1 << 63, 64), i64::MIN);
    assert_eq!(sign_extend(5, 1_000), 5);
}

#[test]
fn ranges() {
    for bits in 1..=126 {
        let top = 1i128 << bits;
        assert!(fits(top - 1, bits, false) && fits(0, bits, false));
        assert!(!fits(top, bits, false) && !fits(-1, bits, false));
        let half = 1i128 << (bits - 1);
        assert!(fits(half - 1, bits, true) && fits(-half, bits, true));
        assert!(!fits(half, bits, true) && !fits(-half - 1, bits, true));
    }
    assert!(fits(i128::MAX, 127, false) && !fits(-1, 127, false));
    assert!(!fits(i128::MAX, 127, true) && !fits(i128::MIN, 127, true));
    for bits in [128, u32::MAX] {
        assert!(fits(i128::MAX, bits, true) && fits(i128::MIN, bits, true));
        assert!(fits(i128::MAX, bits, false) && !fits(-1, bits, false));
    }
    for signed in [false, true] {
        assert!(fits(0, 0, signed) && !fits(1, 0, signed) && !fits(-1, 0, signed));
    }
}

#[test]
fn random_numbers_come_back() {
    let mut random = Random::new(1);
    for round in 0..50_000 {
        let endian = ENDIANS[round % 2];
        let width = 1 + random.below(8) as u8;
        let bits = u32::from(width) * 8;
        let value = random.number();
        let value = if random.below(2) == 0 { value } else { value.wrapping_neg() };
        let mut out = [0xaa; 12];
        let stored = store_uint(&mut out, 2, width, endian, value);
        let unsigned = fits(i128::from(value), bits, false);
        let signed = fits(i128::from(value as i64), bits, true);
        assert_eq!(stored, unsigned || signed);
        if stored {
            let loaded = load_uint(&out, 2, width, endian).unwrap();
            assert!(loaded == value || sign_extend(loaded, bits) as u64 == value);
            assert!(!unsigned || loaded == value);
            assert_eq!(out[..2], [0xaa; 2]);
            assert!(out[2 + usize::from(width)..].iter().all(|byte| *byte == 0xaa));
        } else {
            assert_eq!(out, [0xaa; 12]);
        }
    }
}
