//! tree [rounds] [factions] [distinct strings]: boxed nodes against a flat arena, in one run.
#![forbid(unsafe_code)]
mod arena;
mod boxed;
mod hand;
mod synthetic;
mod tables;

use harness::Group;
use std::hint::black_box;

#[cfg(feature = "count")]
#[global_allocator]
static A: harness::CountingAlloc = harness::CountingAlloc;

fn main() {
    let args: Vec<u32> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let arg = |i: usize, or: u32| args.get(i).copied().unwrap_or(or);
    let (rounds, factions, strings) = (arg(0, 11) as usize, arg(1, 3000), arg(2, 300));
    let counting = cfg!(feature = "count");
    let (file, nodes) = {
        let made = synthetic::build(factions, strings);
        (hand::encode(&made), synthetic::count(&made.root))
    };
    let d = &file[..];
    let hand_tree = hand::decode(d).unwrap();
    let hand_arena = hand::decode_arena(d).unwrap();
    let tree = boxed::read(d).unwrap();
    let arena = arena::read(d).unwrap();
    assert!(boxed::write(&tree).unwrap() == d, "boxed: not identical");
    assert!(arena::write(&arena).unwrap() == d, "arena: not identical");
    assert!(arena::same(&arena, &hand_tree));
    println!(
        "{strings} distinct strings, {nodes} nodes; node: boxed {} B (hand {} B), arena 16 B; arena pools {:.2} of the file",
        size_of::<boxed::Node>(),
        size_of::<hand::Node>(),
        arena.used() as f64 / d.len() as f64
    );

    let mut g = Group::new("7. tree, decode", d.len(), nodes, 1);
    let mut dst = vec![1u8; d.len()];
    g.case("memcpy, warm buffer", move || dst.copy_from_slice(black_box(d)), |_| 0);
    g.case("hand, walk in place", || hand::walk(black_box(d)).unwrap(), |_| 0);
    g.case(
        "hand arena, nodes only",
        || hand::decode_arena(black_box(d)).unwrap(),
        |a| hand::sum_arena(a, &hand_tree),
    );
    g.case("generated arena", || arena::read(black_box(d)).unwrap(), arena::sum);
    g.case(
        "generated arena, room reserved",
        || arena::read_reserved(black_box(d)).unwrap(),
        arena::sum,
    );
    g.case("generated arena, shrunk", || arena::read_shrunk(black_box(d)).unwrap(), arena::sum);
    g.case("hand tree", || hand::decode(black_box(d)).unwrap(), hand::sum);
    g.case("generated boxed", || boxed::read(black_box(d)).unwrap(), boxed::sum);
    g.run(rounds, "hand tree", counting);
    drop(g);

    let mut g = Group::new("7. tree, every value visited", d.len(), nodes, 1);
    g.case("hand tree", || hand::sum(black_box(&hand_tree)), |s| *s);
    g.case("generated boxed, by match", || boxed::sum(black_box(&tree)), |s| *s);
    g.case("generated arena, by cursor", || arena::sum(black_box(&arena)), |s| *s);
    g.run(rounds, "hand tree", counting);
    drop(g);

    let mut g = Group::new("7. tree, encode", d.len(), nodes, 1);
    g.case("hand arena, nodes only", || hand::encode_arena_nodes(black_box(&hand_arena)), |_| 0);
    g.case("generated arena", || arena::write(black_box(&arena)).unwrap(), |_| 0);
    g.case("hand tree", || hand::encode(black_box(&hand_tree)), |_| 0);
    g.case("generated boxed", || boxed::write(black_box(&tree)).unwrap(), |_| 0);
    g.run(rounds, "hand tree", counting);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_write_what_they_read() {
        let made = synthetic::build(3, 50);
        let file = hand::encode(&made);
        assert_eq!(boxed::write(&boxed::read(&file).unwrap()).unwrap(), file);
        assert_eq!(arena::write(&arena::read(&file).unwrap()).unwrap(), file);
        assert_eq!(boxed::sum(&boxed::read(&file).unwrap()), hand::sum(&made));
    }

    #[test]
    fn unusual_forms_and_widths_are_kept() {
        // A record whose size has two bytes where one would do, with numbers in wide forms.
        let mut file = vec![0xca, 0xab, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend_from_slice(&[0x80, 0, 0, 1, 0x80, 11]);
        file.extend_from_slice(&[0x08, 5, 0, 0, 0, 0x1b, 1, 0, 0x01, 1, 0x14]);
        let tables = file.len() as u32;
        file[12..16].copy_from_slice(&tables.to_le_bytes());
        file.extend_from_slice(&[1, 0, 1, 0, b'R', 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(boxed::write(&boxed::read(&file).unwrap()).unwrap(), file);
        assert_eq!(arena::write(&arena::read(&file).unwrap()).unwrap(), file);
    }

    #[test]
    fn dropping_a_deep_tree_needs_no_stack() {
        let leaf = boxed::Node::U8(1);
        let deep = (0..1_000_000).fold(leaf, |node, _| {
            let body = boxed::Body::Plain(vec![node].into());
            boxed::Node::Record(Box::new(boxed::Record {
                name: 0,
                version: 0,
                flags: 0x80,
                width: 0,
                body,
            }))
        });
        drop(deep);
    }

    #[test]
    fn no_prefix_of_a_file_panics() {
        let file = hand::encode(&synthetic::build(1, 5));
        for end in 0..file.len().min(3000) {
            assert!(boxed::read(&file[..end]).is_err());
            assert!(arena::read(&file[..end]).is_err());
        }
    }
}
