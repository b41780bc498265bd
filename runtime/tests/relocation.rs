//! Relocation entries: stored ones, and that every set of offsets comes back.

mod common;

use std::collections::BTreeSet;

use common::Random;
use formwork::algorithms::{
    decode_masks, decode_runs, encode_masks, encode_runs, MaskEntry, RunEntry,
};

#[test]
fn stored_mask() {
    let offsets =
        [0x28, 0x30, 0x38, 0x40, 0x48, 0x60, 0x70, 0x88, 0xb0, 0xb8, 0xc0, 0xc8, 0xd0, 0xe8];
    let entries = [MaskEntry { start: 0x28, mask: 0x013e_129f }];
    assert_eq!(encode_masks(&offsets).unwrap(), entries);
    assert_eq!(decode_masks(&entries), offsets);
}

#[test]
fn masks_at_their_edges() {
    assert_eq!(encode_masks(&[]), Some(vec![]));
    // Bit 31 is the last one.
    let entries = encode_masks(&[0, 0xf8, 0x100]).unwrap();
    assert_eq!(
        entries,
        [MaskEntry { start: 0, mask: 0x8000_0001 }, MaskEntry { start: 0x100, mask: 1 }]
    );
    assert_eq!(encode_masks(&[0xffff_fff8]).unwrap().len(), 1);
    assert_eq!(encode_masks(&[0, 0x1_0000_0000]), None);
    // The last fields of this entry are beyond 32 bits, and are offsets all the same.
    let entry = MaskEntry { start: u32::MAX, mask: 0x8000_0000 };
    assert_eq!(decode_masks(&[entry]), [u64::from(u32::MAX) + 0xf8]);
}

#[test]
fn offsets_that_are_not_aligned_have_entries_of_their_own() {
    let offsets = [0x10, 0x14, 0x18, 0x1c];
    let entries = encode_masks(&offsets).unwrap();
    assert_eq!(
        entries,
        [MaskEntry { start: 0x10, mask: 0b11 }, MaskEntry { start: 0x14, mask: 0b11 }]
    );
    assert_eq!(decode_masks(&entries), offsets);
}

#[test]
fn order_and_repetition_of_offsets_do_not_matter() {
    let sorted = [0x10, 0x18, 0x28];
    let mixed = [0x28, 0x10, 0x10, 0x18];
    assert_eq!(encode_masks(&mixed), encode_masks(&sorted));
    assert_eq!(encode_runs(&mixed), encode_runs(&sorted));
}

/// The definition, followed word by word.
fn masks_by_definition(offsets: &BTreeSet<u64>) -> Vec<MaskEntry> {
    let mut left = offsets.clone();
    let mut entries = Vec::new();
    while let Some(start) = left.pop_first() {
        let mut mask = 1;
        for bit in 1..32 {
            if left.remove(&(start + 8 * bit)) {
                mask |= 1 << bit;
            }
        }
        entries.push(MaskEntry { start: start as u32, mask });
    }
    entries
}

/// The converter's procedure, followed word by word. Takes quadratic time.
fn runs_by_definition(offsets: &BTreeSet<u64>) -> Vec<RunEntry> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &offset in offsets {
        match runs.last_mut() {
            Some((start, len)) if *start + 8 * *len == offset && *len < 255 => *len += 1,
            _ => runs.push((offset, 1)),
        }
    }
    let mut used = BTreeSet::new();
    let mut entries = Vec::new();
    for &(start, len) in &runs {
        if !used.insert(start) {
            continue;
        }
        let mut entry = RunEntry { start: start as u32, repeats: 1, pointers: len as u8, gap: 0 };
        let next = runs.iter().find(|r| r.0 > start && r.1 == len && !used.contains(&r.0));
        let distance = next.map_or(0, |next| next.0 - start);
        if distance > 0 && distance % 8 == 0 && distance / 8 - len <= 255 {
            entry.gap = (distance / 8 - len) as u8;
            let mut then = start + distance;
            while runs.contains(&(then, len)) && used.insert(then) {
                entry.repeats += 1;
                then += distance;
            }
        }
        entries.push(entry);
    }
    entries
}

fn offsets(random: &mut Random) -> BTreeSet<u64> {
    let mut offset = random.below(64) * 8;
    let dense = random.below(8) + 1;
    let wide = [2, 4, 40, 600][random.below(4) as usize];
    let mut offsets = BTreeSet::new();
    for _ in 0..random.below(120) {
        offset += if random.below(dense) == 0 { 8 * random.below(wide) } else { 8 };
        offsets.insert(offset);
    }
    offsets
}

#[test]
fn random_offsets_come_back() {
    let mut random = Random::new(1);
    for _ in 0..5_000 {
        let set = offsets(&mut random);
        let sorted: Vec<u64> = set.iter().copied().collect();

        let masks = encode_masks(&sorted).unwrap();
        assert_eq!(masks, masks_by_definition(&set));
        assert_eq!(decode_masks(&masks), sorted);

        let runs = encode_runs(&sorted).unwrap();
        assert_eq!(runs, runs_by_definition(&set));
        assert_eq!(decode_runs(&runs, sorted.len() as u64).unwrap(), sorted);
    }
}

#[test]
fn random_offsets_that_are_not_aligned_come_back() {
    let mut random = Random::new(2);
    for _ in 0..5_000 {
        let count = random.below(60);
        let set: BTreeSet<u64> = (0..count).map(|_| random.below(600)).collect();
        let sorted: Vec<u64> = set.iter().copied().collect();
        let masks = encode_masks(&sorted).unwrap();
        assert_eq!(masks, masks_by_definition(&set));
        assert_eq!(decode_masks(&masks), sorted);
        let runs = encode_runs(&sorted).unwrap();
        assert_eq!(decode_runs(&runs, count).unwrap(), sorted);
    }
}

#[test]
fn every_set_of_sixteen_fields() {
    for bits in 0u64..1 << 16 {
        let set: BTreeSet<u64> =
            (0..16).filter(|bit| bits >> bit & 1 == 1).map(|b| b * 8).collect();
        let sorted: Vec<u64> = set.iter().copied().collect();
        let runs = encode_runs(&sorted).unwrap();
        assert_eq!(runs, runs_by_definition(&set));
        assert_eq!(decode_runs(&runs, 16).unwrap(), sorted);
    }
}

#[test]
fn long_runs_are_split() {
    let sorted: Vec<u64> = (0..600).map(|field| 0x20 + 8 * field).collect();
    let entries = encode_runs(&sorted).unwrap();
    assert_eq!(
        entries,
        [
            RunEntry { start: 0x20, repeats: 2, pointers: 255, gap: 0 },
            RunEntry { start: 0x20 + 8 * 510, repeats: 1, pointers: 90, gap: 0 },
        ]
    );
    assert_eq!(decode_runs(&entries, 600).unwrap(), sorted);
}

#[test]
fn more_repeats_than_an_entry_holds() {
    let sorted: Vec<u64> = (0..70_000).map(|group| 16 * group).collect();
    let entries = encode_runs(&sorted).unwrap();
    assert_eq!(
        entries,
        [
            RunEntry { start: 0, repeats: 65_535, pointers: 1, gap: 1 },
            RunEntry { start: 16 * 65_535, repeats: 4_465, pointers: 1, gap: 1 },
        ]
    );
    assert_eq!(decode_runs(&entries, 70_000).unwrap(), sorted);
}

#[test]
fn the_widest_gap() {
    let near = encode_runs(&[0, 8 * 256]).unwrap();
    assert_eq!(near, [RunEntry { start: 0, repeats: 2, pointers: 1, gap: 255 }]);
    assert_eq!(encode_runs(&[0, 8 * 257]).unwrap().len(), 2);
}

#[test]
fn runs_at_their_edges() {
    assert_eq!(encode_runs(&[]), Some(vec![]));
    assert_eq!(encode_runs(&[0x1_0000_0000]), None);
    let last = [0xffff_fff0, 0xffff_fff8];
    assert_eq!(decode_runs(&encode_runs(&last).unwrap(), 2).unwrap(), last);
    let huge = RunEntry { start: 0, repeats: 65_535, pointers: 255, gap: 0 };
    assert_eq!(decode_runs(&[huge; 1_000], 1 << 20), None);
    let none = RunEntry { start: 8, repeats: 0, pointers: 5, gap: 1 };
    assert_eq!(decode_runs(&[none], 0), Some(vec![]));
    let over = RunEntry { start: u32::MAX, repeats: 2, pointers: 1, gap: 255 };
    assert_eq!(decode_runs(&[over], 2).unwrap()[1], u64::from(u32::MAX) + 2_048);
}

#[test]
fn many_runs_are_encoded_in_time() {
    // Runs of one pointer at distances that grow and shrink, so that entries interleave.
    let mut random = Random::new(3);
    let mut offset = 0;
    let sorted: Vec<u64> = (0..200_000)
        .map(|_| {
            offset += 16 + 8 * random.below(3);
            offset
        })
        .collect();
    let entries = encode_runs(&sorted).unwrap();
    assert_eq!(decode_runs(&entries, 200_000).unwrap(), sorted);
}
