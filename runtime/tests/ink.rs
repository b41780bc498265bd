//! Files that straight writers make, piece by piece.

use formwork::algorithms::{GroupOrder, PoolOrder};
use formwork::spelling::{KeptKind, KeptValue, SpellingEntry};
use formwork::straight::{
    self, BaseCell, Cut, Ink, LabelBase, LabelKind, Odd, PoolText, Scan, Stop, Straight,
    Terminated, Tree, Width,
};
use formwork::{ReadOptions, Spelling};

const MSB: GroupOrder = GroupOrder::MsbFirst;

/// A file behind other bytes.
fn begun<'v>(anchors: usize) -> Ink<'v> {
    Ink::new(anchors, 0, vec![0xa5; 3], None)
}

fn finish(mut ink: Ink<'_>) -> Straight<Vec<u8>> {
    ink.finish()?;
    assert_eq!(ink.out[..3], [0xa5; 3]);
    Ok(ink.out.split_off(3))
}

fn kept(stored: i128, instead_of: i128) -> Spelling {
    let mut spelling = Spelling::default();
    let (stored, instead_of) = (KeptValue::Int(stored), KeptValue::Int(instead_of));
    spelling.keep(SpellingEntry { row: 3, index: None, kind: KeptKind::Width, stored, instead_of });
    spelling
}

#[test]
fn a_size_makes_room_for_itself() {
    for (size, head) in [(0, &[0x05, 0x00][..]), (127, &[0x05, 0x7f]), (128, &[0x05, 0x81, 0x00])] {
        let mut ink = begun(0);
        ink.put(&[5]);
        let place = ink.varint_place();
        ink.put(&vec![9; size]);
        ink.varint_before(place, Some(size as i128), 32, 5, MSB, Width::SHORTEST).unwrap();
        let out = finish(ink).unwrap();
        assert_eq!(out[..head.len()], *head, "{size}");
        assert_eq!(out[head.len()..], vec![9; size], "{size}");
    }
}

#[test]
fn a_size_does_not_move_what_has_an_address() {
    let mut ink = begun(0);
    let place = ink.varint_place();
    ink.put(&[0; 200]);
    let here = ink.here();
    ink.patch(20, 4, false, here).unwrap();
    let moved = ink.varint_before(place, Some(200), 32, 5, MSB, Width::SHORTEST);
    assert_eq!(moved, Err(Odd));
}

#[test]
fn a_width_is_kept_while_the_shortest_is_the_same() {
    for (spelling, number, expected) in [
        (kept(5, 1), 7, &[0x80, 0x80, 0x80, 0x80, 0x07][..]),
        (kept(5, 1), 200, &[0x81, 0x48]),
        (kept(9, 1), 7, &[0x07]),
        (Spelling::default(), 7, &[0x07]),
    ] {
        let mut ink = begun(0);
        let width = Width::of(&spelling, 3);
        ink.varint(Some(number), 32, 5, MSB, width).unwrap();
        assert_eq!(finish(ink).unwrap(), expected, "{number}");
    }
    let mut ink = begun(0);
    assert_eq!(ink.varint(Some(1 << 32), 32, 5, MSB, Width::SHORTEST), Err(Odd));
    assert_eq!(ink.varint(Some(-1), 32, 5, MSB, Width::SHORTEST), Err(Odd));
}

#[test]
fn a_token_stands_for_an_address_to_come() {
    let mut ink = begun(0);
    let token = ink.token().unwrap();
    ink.patch(token + 1, 2, true, 0x1234).unwrap();
    ink.put(&[7]);
    assert_eq!(ink.resolve(token), Err(Odd));
    let here = ink.align(4);
    ink.settle(token, here).unwrap();
    assert_eq!(ink.settle(token, here), Err(Odd));
    ink.put(&[0; 4]);
    assert_eq!(finish(ink).unwrap(), [7, 0, 0, 0, 0, 0x12, 0x34, 0]);
}

#[test]
fn tokens_stand_for_elements_to_come() {
    let mut ink = begun(0);
    let first = ink.tokens(2).unwrap();
    let second = first + (1 << 32);
    ink.patch(second, 1, false, 8).unwrap();
    ink.patch(first, 1, false, 9).unwrap();
    for token in [first, second] {
        let here = ink.here();
        ink.settle(token, here).unwrap();
        ink.put(&[0]);
    }
    assert_eq!(finish(ink).unwrap(), [9, 8]);
}

fn stop(bytes: &'static [u8], mode: Terminated) -> Stop<'static> {
    Stop { bytes, any: &[], big: false, unit: 1, mode, optional: false }
}

#[test]
fn what_must_follow_is_looked_at_in_the_end() {
    for (behind, good) in [(b"|x", true), (b"x|", false)] {
        let mut ink = begun(0);
        ink.put(b"ab");
        ink.must_follow(stop(b"|", Terminated::Unread));
        ink.put(behind);
        assert_eq!(finish(ink).is_ok(), good);
    }
}

#[test]
fn what_must_follow_stands_in_the_region_around() {
    let mut ink = begun(0);
    ink.put(b"ab");
    ink.must_follow(stop(b"--", Terminated::Unread));
    assert_eq!(ink.closes(0), Err(Odd));
    ink.put(b"-");
    assert_eq!(ink.closes(0), Err(Odd));
    ink.put(b"-");
    assert_eq!(ink.closes(0), Ok(()));
    assert_eq!(finish(ink).unwrap(), b"ab--");
}

#[test]
fn what_may_follow_need_not_where_a_region_ends() {
    let optional = Stop { optional: true, ..stop(b"--", Terminated::Unread) };
    let mut ink = begun(0);
    ink.put(b"ab");
    ink.must_follow(optional);
    assert_eq!(ink.closes(0), Ok(()));
    ink.put(b"cd");
    ink.must_follow(optional);
    ink.put(b"-");
    assert_eq!(ink.closes(0), Err(Odd));
    ink.put(b"-");
    ink.must_follow(optional);
    assert_eq!(finish(ink).unwrap(), b"abcd--");
    // The end of an empty region behind it does not stand for it.
    let mut ink = begun(0);
    ink.must_follow(optional);
    let left = ink.left();
    assert_eq!(ink.closes(left), Err(Odd));
}

#[test]
fn content_ends_where_a_reader_finds_its_end() {
    for (content, mode, all) in [
        (&b"ab"[..], Terminated::Dropped, Some(&b"ab|"[..])),
        (b"ab", Terminated::Unread, Some(b"ab")),
        (b"ab|", Terminated::Kept, Some(b"ab|")),
        (b"a|b", Terminated::Dropped, None),
        (b"ab", Terminated::Kept, None),
    ] {
        let mut ink = begun(0);
        let from = ink.begun();
        ink.put(content);
        let ended = ink.end(from, stop(b"|", mode));
        assert_eq!(ended.is_ok(), all.is_some());
        if let Some(all) = all {
            assert_eq!(finish(ink).unwrap(), all);
        }
    }
    let cut = Cut { stop: Some(stop(b"|", Terminated::Dropped)), strip: Some(b'.') };
    for (content, all) in [
        (&b"ab"[..], Some(&b"ab|."[..])),
        (b"abcd", Some(b"abcd")),
        (b"abcde", None),
        (b"a|", None),
    ] {
        let mut ink = begun(0);
        let from = ink.begun();
        ink.put(content);
        assert_eq!(ink.end_room(from, 4, cut).is_ok(), all.is_some());
        if let Some(all) = all {
            assert_eq!(finish(ink).unwrap(), all);
        }
    }
}

#[test]
fn a_room_is_no_larger_than_a_file_can_be() {
    let cut = Cut { stop: None, strip: Some(0) };
    let mut ink = begun(0);
    let from = ink.begun();
    ink.put(&[1]);
    assert_eq!(ink.end_room(from, 1 << 40, cut), Err(Odd));
    assert_eq!(ink.out.len(), 4);
}

#[test]
fn content_does_not_end_while_a_number_in_it_waits() {
    let mut ink = begun(0);
    let from = ink.begun();
    ink.put(&[0]);
    ink.fill_size(0, 1, false, false, Some(1)).unwrap();
    let stop = stop(b"|", Terminated::Dropped);
    ink.end(from, stop).unwrap();
    let from = ink.begun();
    ink.put(&[0]);
    ink.later(0, 2, 0, 0);
    assert_eq!(ink.end(from, stop), Err(Odd));
}

#[test]
fn only_one_thing_is_measured_since() {
    let mut ink = begun(1);
    ink.anchor(0, 1, 2);
    let since = ink.anchored(0);
    assert_eq!(ink.only_since(0, since, false), Err(Odd));
    ink.anchor(0, 3, 5);
    assert_eq!(ink.only_since(0, since, false), Ok(Some(3)));
    assert_eq!(ink.only_since(0, since, true), Ok(Some(5)));
    ink.anchor(0, 6, 6);
    assert_eq!(ink.only_since(0, since, true), Err(Odd));
}

#[test]
fn labels_may_count_from_a_base() {
    let text = PoolText { prefix: 0, big: false, suffix: b"\0", align: 1, pad: 1, ascii: true };
    const BASED: LabelKind =
        LabelKind { width: 1, base: Some(LabelBase { anchor: 0, end: false }), ..LabelKind::PLAIN };
    const NEVER_0: LabelKind = LabelKind { nones: &[0], ..BASED };
    for (kind, expected) in [(&BASED, Ok(b"\x00a\0".to_vec())), (&NEVER_0, Err(Odd))] {
        let mut ink = begun(1);
        ink.put(&[0]);
        ink.label(0, b"a", kind);
        ink.anchor(0, 1, 3);
        let members = ink.members(0, &[], PoolOrder::FirstUse).unwrap();
        let written = ink.pool(&members, &text).and_then(|()| finish(ink));
        assert_eq!(written, expected);
    }
}

#[test]
fn a_base_is_learned_once() {
    let options = ReadOptions::default();
    let mut scan = Scan::new(b"abc", &options, 1, 0);
    assert_eq!(scan.base(0, false), None);
    scan.found(0, 1, 2);
    let known = scan.must_know().unwrap().unwrap();
    let mut again = Scan::new(b"abc", &options, 1, 0);
    again.know(known);
    assert_eq!((again.base(0, false), again.base(0, true)), (Some(1), Some(2)));
    assert!(again.must_know().unwrap().is_none());
    assert_eq!(again.base(1, true), None);
    assert!(again.must_know().is_err());
    assert_eq!(straight::from_base(2, Some(-1)), Ok(1));
    assert_eq!(straight::from_base(2, Some(-3)), Err(Odd));
}

#[test]
fn shifts_and_extremes_are_those_of_expressions() {
    assert_eq!(straight::shift_left(Some(3), Some(4)), Ok(Some(48)));
    assert_eq!(straight::shift_left(Some(1), Some(127)), Err(Odd));
    assert_eq!(straight::shift_left(Some(1), Some(-1)), Err(Odd));
    assert_eq!(straight::shift_right(Some(-5), Some(1)), Ok(Some(-3)));
    assert_eq!(straight::shift_right(Some(1), Some(128)), Err(Odd));
    assert_eq!(straight::shift_right(None, Some(128)), Ok(None));
    assert_eq!(
        (straight::least(Some(2), Some(1)), straight::least(None, Some(1))),
        (Some(1), None)
    );
    assert_eq!(straight::greatest(Some(2), Some(1)), Some(2));
}

#[test]
fn something_without_a_place_is_odd() {
    let mut ink = begun(0);
    let token = ink.token().unwrap();
    ink.patch(token, 1, false, 1).unwrap();
    assert_eq!(finish(ink), Err(Odd));
    let mut ink = begun(0);
    ink.label(0, b"text", &LabelKind { width: 4, ..LabelKind::PLAIN });
    assert_eq!(finish(ink), Err(Odd));
}

#[test]
fn a_pool_has_each_text_once_in_its_order() {
    let kind = &LabelKind { width: 2, skip: 1, ..LabelKind::PLAIN };
    let text = PoolText { prefix: 1, big: false, suffix: b"\0", align: 1, pad: 2, ascii: false };
    let mut ink = begun(0);
    let words: [&[u8]; 4] = [b"RotX", b"PosX", b"RotX", b"a much longer text"];
    for (at, word) in (0..).step_by(2).zip(words) {
        ink.put(&[0; 2]);
        ink.label(at, word, kind);
    }
    let members = ink.members(0, &[""], PoolOrder::Bytes).unwrap();
    assert_eq!(members.count(), 4);
    ink.pool(&members, &text).unwrap();
    let out = finish(ink).unwrap();
    assert_eq!(out[8..26], *b"\x00\x00\x04PosX\x00\x04RotX\x00\x12a m");
    assert_eq!(out[..8], [17, 0, 11, 0, 17, 0, 23, 0]);
}

#[test]
fn texts_sort_as_the_runtime_compares_them() {
    // Lengths around that of a key, and bytes that only the tie decides.
    let mut words: Vec<Vec<u8>> = Vec::new();
    for length in 0..20 {
        for fill in [0, 1, 0x80, 0xff] {
            let mut word = vec![fill; length];
            words.push(word.clone());
            if let Some(first) = word.first_mut() {
                *first ^= 0x11;
                words.push(word);
            }
        }
    }
    words.sort();
    words.dedup();
    for order in [PoolOrder::Bytes, PoolOrder::BitsFromEnd, PoolOrder::FirstUse] {
        let mut ink = begun(0);
        for word in &words {
            ink.label(0, word, &LabelKind { width: 8, ..LabelKind::PLAIN });
        }
        ink.put(&[0; 8]);
        let members = ink.members(0, &[], order).unwrap();
        let text = PoolText { prefix: 2, big: true, suffix: b"", align: 1, pad: 1, ascii: false };
        ink.pool(&members, &text).unwrap();
        let mut sorted = words.clone();
        sorted.sort_by(|a, b| formwork::algorithms::compare(order, a, b));
        let expected: Vec<u8> = sorted
            .iter()
            .flat_map(|word| [&(word.len() as u16).to_be_bytes()[..], word].concat())
            .collect();
        assert_eq!(finish(ink).unwrap()[8..], expected, "{order:?}");
    }
}

#[test]
fn labels_behind_their_pool_are_odd() {
    let kind = &LabelKind { width: 2, ..LabelKind::PLAIN };
    let mut ink = begun(0);
    ink.put(&[0; 2]);
    let members = ink.members(0, &[""], PoolOrder::Bytes).unwrap();
    let text = PoolText { prefix: 0, big: false, suffix: b"\0", align: 1, pad: 1, ascii: true };
    ink.pool(&members, &text).unwrap();
    ink.label(0, b"", kind);
    assert_eq!(finish(ink), Err(Odd));
}

#[test]
fn a_text_with_its_end_in_it_is_odd() {
    let kind = &LabelKind { width: 2, ..LabelKind::PLAIN };
    let mut ink = begun(0);
    ink.put(&[0; 2]);
    ink.label(0, b"a\0b", kind);
    let members = ink.members(0, &[], PoolOrder::Bytes).unwrap();
    let text = PoolText { prefix: 0, big: false, suffix: b"\0", align: 1, pad: 1, ascii: false };
    assert_eq!(ink.pool(&members, &text), Err(Odd));
}

#[test]
fn a_dictionary_has_the_empty_key_at_its_root() {
    let tree = Tree::new(vec![b"PosX", b"RotX"]).unwrap();
    assert_eq!(tree.count(), 3);
    assert_eq!([tree.key(0), tree.key(1), tree.key(2)], [&b""[..], b"PosX", b"RotX"]);
    assert!(Tree::new(vec![b"PosX", b"PosX"]).is_err());
}

#[test]
fn a_relocation_table_lists_each_pointer_once() {
    let mut ink = begun(0);
    for at in [0x28, 0x20, 0x28, 0x38] {
        ink.list(at, 0);
    }
    let (sections, entries) = ink.listed(1).unwrap().masks(&[(0, 0x40)]).unwrap();
    assert_eq!(sections, [[0, 0x40, 0, 1]]);
    assert_eq!((entries[0].start, entries[0].mask), (0x20, 0b1011));
    // One that comes too late is missing in the table.
    ink.list(0x40, 0);
    assert_eq!(finish(ink), Err(Odd));
}

#[test]
fn anchors_know_begin_and_end() {
    let mut ink = begun(2);
    let first = ink.anchor_begins(0, 4);
    assert_eq!(ink.only(0, false), Ok(Some(4)));
    assert_eq!(ink.only(0, true), Err(Odd));
    ink.anchor_ends(0, first, 9);
    assert_eq!(ink.only(0, true), Ok(Some(9)));
    assert_eq!(ink.only(1, true), Err(Odd));
    ink.anchor(1, 10, 11);
    ink.anchor(1, 20, 21);
    assert_eq!(ink.only(1, false), Err(Odd));
    assert_eq!(ink.one_of(1, 2, Some(1), false), Ok(Some(20)));
    assert_eq!(ink.one_of(1, 2, Some(2), false), Ok(None));
    assert_eq!(ink.one_of(1, 3, Some(2), false), Err(Odd));
}

/// Bases of a byte each, of lists in the table 0; those without elements have the base 9.
static BASE: BaseCell = BaseCell {
    width: 1,
    big: false,
    signed: false,
    factor: 1,
    offset: 0,
    plus: 0,
    empty: Some(9),
    range: (0, 255),
    again: false,
};

#[test]
fn lists_of_a_table_begin_where_it_has_them() {
    let lists = [vec![1_u8, 2], vec![], vec![3]];
    let mut ink = Ink::new(0, 0, Vec::new(), None);
    ink.put(&[0; 3]);
    // The table has them in another order than those that store where they begin.
    for (at, list) in (0..).zip(&lists) {
        ink.base(list, at, 0, &BASE).unwrap();
    }
    let order = vec![(2, &lists[0]), (0, &lists[1]), (1, &lists[2])];
    let gathered = ink.gather(0, order, true).unwrap();
    assert_eq!(gathered.iter().copied().collect::<Vec<_>>(), [3, 1, 2]);
    ink.placed().unwrap();
    ink.finish().unwrap();
    assert_eq!(ink.out, [1, 9, 0]);
}

#[test]
fn a_list_that_no_table_has_is_odd() {
    let list = vec![1_u8];
    let mut ink = Ink::new(0, 0, Vec::new(), None);
    ink.put(&[0]);
    ink.base(&list, 0, 0, &BASE).unwrap();
    assert_eq!(ink.placed(), Err(Odd));
}

#[test]
fn a_bit_is_set_if_its_place_is_in_the_set() {
    let mut ink = Ink::new(0, 0, Vec::new(), None);
    ink.put(&[0; 8]);
    ink.flag(0, 0, 4, false, 31);
    ink.flag(0, 4, 4, false, 31);
    assert!(ink.asks(0) && !ink.asks(1));
    ink.set_flags(0, vec![8, 4]).unwrap();
    ink.finish().unwrap();
    assert_eq!(ink.out, [0, 0, 0, 0, 0, 0, 0, 0x80]);
}

#[test]
fn ranks_count_only_some_elements() {
    let mut ink = Ink::new(0, 0, Vec::new(), None);
    ink.rank(0, [false, true, true].into_iter());
    assert_eq!(ink.ranked(0, 2), Ok(1));
    assert_eq!(ink.ranked(0, 0), Err(Odd));
    assert_eq!(ink.ranked(0, 3), Err(Odd));
}

#[test]
fn members_that_a_file_has_more_are_kept() {
    let mut spelling = Spelling::default();
    straight::list_members(&mut spelling, 3, 0, vec!["b", "more", "a"]);
    let written = |spelling: &Spelling| {
        let mut ink = Ink::new(0, 0, Vec::new(), None);
        ink.put(&[0; 4]);
        let kind = &LabelKind { width: 2, ..LabelKind::PLAIN };
        ink.label(0, b"b", kind);
        ink.label(2, b"a", kind);
        let kept = straight::kept_members(spelling, 3, 0)?;
        assert_eq!(ink.members_kept(0, &[], kept)?.count(), 3);
        Ok(ink.take_members())
    };
    let found = written(&spelling).unwrap();
    straight::mend_members(&mut spelling, 3, 0, found).unwrap();
    assert!(straight::has_only_members(&spelling, 3));
    // It says what they are instead of now, so nothing has to be found again.
    assert!(matches!(written(&spelling), Straight::Ok(None)));
}
