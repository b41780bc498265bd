//! The fast test for short ASCII agrees with the general one.

mod common;

use common::Random;
use formwork::algorithms::checked_str;

#[track_caller]
fn check(bytes: &[u8]) {
    assert_eq!(checked_str(bytes), core::str::from_utf8(bytes).ok(), "{bytes:02x?}");
}

#[test]
fn every_byte_at_every_place_of_every_length() {
    for len in 0..=48 {
        check(&vec![b'a'; len]);
        for place in 0..len {
            for byte in 0..=255 {
                let mut bytes = vec![b'a'; len];
                bytes[place] = byte;
                check(&bytes);
            }
        }
    }
}

#[test]
fn every_mix_of_high_and_low_bytes_up_to_16() {
    for len in 0..=16 {
        for high in 0u32..1 << len {
            let bytes: Vec<u8> =
                (0..len).map(|place| if high >> place & 1 == 1 { 0x80 } else { 0x7f }).collect();
            check(&bytes);
        }
    }
}

#[test]
fn every_two_bytes() {
    for word in 0..=u16::MAX {
        check(&word.to_le_bytes());
    }
}

#[test]
fn random_bytes_and_characters() {
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        let len = random.below(40) as usize;
        check(&random.bytes(len));
        let text: String = (0..len / 3)
            .map(|_| char::from_u32(random.number() as u32 & 0x1f_ffff).unwrap_or('x'))
            .collect();
        check(text.as_bytes());
        assert_eq!(checked_str(text.as_bytes()), Some(text.as_str()));
    }
}

#[test]
fn any_alignment() {
    let text = [b'n'; 64];
    for start in 0..16 {
        for len in 0..=40 {
            assert_eq!(checked_str(&text[start..start + len]).map(str::len), Some(len));
        }
    }
}
