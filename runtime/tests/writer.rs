//! Measuring and filling.

mod common;

use common::Random;
use formwork::{Endian, Fill, FillMismatch, Measure, ProblemKind, Sink};

/// Steps of a walk that do not depend on the sink.
fn walk(sink: &mut impl Sink, seed: u64) -> bool {
    let mut random = Random::new(seed);
    let mut fits = true;
    for _ in 0..random.below(30) {
        match random.below(6) {
            0 => {
                let len = random.below(20) as usize;
                sink.bytes(&random.bytes(len));
            }
            1 => sink.zeros(random.below(9)),
            2 => sink.align(random.below(20)),
            3 => {
                let (value, width) = (random.number(), random.below(10) as u8);
                fits &= sink.uint(value, width, Endian::Big);
            }
            4 => {
                let size = random.below(10);
                sink.fill_with(size, |bytes| bytes.fill(0xee));
            }
            _ => sink.block(|bytes: &mut [u8; 6]| bytes[5] = 1),
        }
    }
    fits
}

#[test]
fn both_walks_agree() {
    for seed in 0..3_000 {
        let mut measure = Measure::new();
        let fits = walk(&mut measure, seed);
        let mut fill = Fill::new(measure.position()).unwrap();
        assert_eq!(walk(&mut fill, seed), fits);
        assert_eq!(fill.position(), measure.position());
        assert_eq!(fill.finish().unwrap().len() as u64, measure.position());
    }
}

#[test]
fn what_is_filled() {
    let mut fill = Fill::new(0x18).unwrap();
    assert!(fill.uint(0x01_0203, 3, Endian::Big));
    fill.align(4);
    fill.bytes(b"ab");
    assert!(fill.uint(-2i64 as u64, 2, Endian::Little));
    assert!(!fill.uint(0x1_0000, 2, Endian::Little));
    fill.block(|block: &mut [u8; 4]| block[1..3].copy_from_slice(b"xy"));
    fill.zeros(1);
    fill.align(8);
    fill.fill_with(8, |bytes| bytes[7] = 9);
    assert!(fill.store(0x10, 4, Endian::Little, 0x18));
    assert!(!fill.store(0x15, 4, Endian::Little, 0));
    assert_eq!(
        fill.finish().unwrap(),
        b"\x01\x02\x03\x00ab\xfe\xff\x00\x00\x00xy\x00\x00\x00\x18\x00\x00\x00\x00\x00\x00\x09"
    );
}

#[test]
fn alignment_counts_from_the_start() {
    let mut measure = Measure::new();
    measure.align(8);
    assert_eq!(measure.position(), 0);
    measure.zeros(9);
    measure.align(0);
    measure.align(1);
    assert_eq!(measure.position(), 9);
    measure.align(12);
    assert_eq!(measure.position(), 12);
    measure.align(4);
    assert_eq!(measure.position(), 12);
}

#[test]
fn a_buffer_that_is_not_exactly_filled() {
    let fill = Fill::new(2).unwrap();
    assert_eq!(fill.finish(), Err(FillMismatch { measured: 2, filled: 0 }));

    let mut fill = Fill::new(2).unwrap();
    fill.bytes(b"abc");
    fill.bytes(b"d");
    assert!(fill.uint(1, 1, Endian::Little));
    assert!(!fill.uint(256, 1, Endian::Little));
    fill.fill_with(1, |_| panic!("these bytes are outside the buffer"));
    let error = fill.finish().unwrap_err();
    assert_eq!(error, FillMismatch { measured: 2, filled: 7 });
    assert_eq!(error.to_string(), "0x2 bytes were measured, but 0x7 written");
}

#[test]
fn sizes_beyond_all_memory() {
    let mut measure = Measure::new();
    measure.zeros(u64::MAX);
    measure.bytes(b"a");
    measure.align(8);
    assert_eq!(measure.position(), u64::MAX);
    let error = Fill::new(measure.position()).unwrap_err();
    assert_eq!(error, ProblemKind::TooLarge { limit: isize::MAX as u64 });
    let mut fill = Fill::new(4).unwrap();
    fill.zeros(u64::MAX);
    fill.bytes(b"a");
    assert!(fill.finish().is_err());
}
