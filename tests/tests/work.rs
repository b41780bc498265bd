//! How much the engine does: what many elements ask of others stays within the usual budget, which
//! grows with the file, however many there are.

use formwork::ReadOptions;
use formwork_interpreter::read;
use formwork_tests::programs;

/// Reads a file of so many elements, and writes it again from its value.
fn stays_within(schema: &str, file: impl Fn(u16) -> Vec<u8>) {
    let text = format!("module work \"Work\" root=File endian=little\n{schema}");
    let program = programs::from_text("work.kdl", &text, None);
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    for count in [10, 10_000] {
        let bytes = file(count);
        let document = read(&program, &bytes, &ReadOptions::default());
        let document = document.unwrap_or_else(|error| panic!("{count}: {error}"));
        let written = formwork_interpreter::write(&program, &document.value());
        let written = written.unwrap_or_else(|error| panic!("{count}: {error}"));
        assert!(written == bytes, "{count}: the same bytes");
    }
}

fn words(numbers: impl IntoIterator<Item = u16>) -> Vec<u8> {
    numbers.into_iter().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn groups_of_described_elements() {
    let schema = "struct File { u16 n; Field fields count=n; Group groups count=n }
        struct Field { u16 group; u16 size }
        struct Group { u16 mark; Value<it.size> values of=\"File.fields where group == index(Group)\" }
        struct Value<size> { bytes data size=size }";
    stays_within(schema, |count| {
        let fields = (0..count).rev().flat_map(|group| [group, 2]);
        words([count].into_iter().chain(fields).chain((0..count).flat_map(|at| [at, 0x6161])))
    });
}

#[test]
fn ranks_among_elements_like_their_own() {
    let schema = "struct File { u16 n; Node nodes count=n }
        struct Node { u16 kind; u16 next ref=\"File.nodes where kind == Node.kind\" }";
    stays_within(schema, |count| {
        words(
            [count].into_iter().chain((0..count).flat_map(|at| [at % 4, (count / 4).min(at) / 2])),
        )
    });
}

#[test]
fn ranks_by_a_key_and_more() {
    let schema = "struct File { u16 n; Node nodes count=n }
        struct Node {
            u16 kind
            u16 next ref=\"File.nodes where kind == Node.kind && index(it) < 0xffff\"
        }";
    stays_within(schema, |count| {
        words([count].into_iter().chain((0..count).flat_map(|at| [at, 0])))
    });
}

#[test]
fn the_first_element_behind_a_running_total() {
    let schema = "struct File { u16 n; Group groups count=n; Item items count=\"sum(groups.length)\" }
        struct Group {
            u16 length
            u16 first is=\"(File.groups[index(this) - 1].first + File.groups[index(this) - 1].length) ?? 0\"
        }
        struct Item {
            u16 owner is=\"index(first(File.groups where it.first + it.length > index(Item)))\"
            u16 more  is=\"any(File.groups where index(Item) < it.first) ? 1 : 0\"
        }";
    stays_within(schema, |count| {
        let groups = (0..count).flat_map(|at| [1, at]);
        let items = (0..count).flat_map(|at| [at, u16::from(at + 1 < count)]);
        words([count].into_iter().chain(groups).chain(items))
    });
}

#[test]
fn counts_of_many_elements_with_one_key() {
    let schema = "struct File { u16 n; Item items count=n }
        struct Item { u16 kind; u16 same is=\"count(File.items where kind == Item.kind)\" }";
    stays_within(schema, |count| {
        let same = |kind: u16| (0..count).filter(|at| at % 2 == kind).count();
        let same = [0, 1].map(|kind| u16::try_from(same(kind)).unwrap_or(0));
        let items = (0..count).flat_map(|at| [at % 2, same[usize::from(at % 2)]]);
        words([count].into_iter().chain(items))
    });
}

#[test]
fn elements_found_while_they_are_read() {
    let schema = "struct File { u16 n; Item items count=n }
        struct Item {
            u16 key
            u16 like
            bytes data size=\"like == key ? 2 : index(first(File.items where key == Item.like)) * 2\"
        }";
    stays_within(schema, |count| {
        let after = |at: u16| if at == 0 { vec![0, 0, 7] } else { vec![at, 1, 7] };
        let items = (0..count).flat_map(|at| if at == 1 { vec![1, 1, 7] } else { after(at) });
        words([count].into_iter().chain(items))
    });
}

#[test]
fn chains_by_what_is_computed_of_a_hash() {
    let schema = "struct File { u16 n; u16 m; Bucket buckets count=m; Item items count=n }
        struct Bucket { u16 head is=\"index(first(File.items where hash % File.m == index(Bucket))) ?? 0xffff\" }
        struct Item { u16 hash }";
    stays_within(schema, |count| words([count, count].into_iter().chain(0..count).chain(0..count)));
}

#[test]
fn elements_by_how_far_they_are_from_another_row() {
    let schema = "struct File { Body body }
        struct Body { u16 n; u16 m; Part parts count=n; Line lines count=m }
        struct Part { u16 number }
        struct Line {
            value u16 part ref=Body.parts seen=\"index(first(Body.parts where at(it) - at(Body.parts) == Line.place))\"
            u16 place is=\"at(Body.parts[part]) - at(Body.parts)\"
        }";
    stays_within(schema, |count| {
        words([count, count].into_iter().chain(0..count).chain((0..count).map(|at| 2 * at)))
    });
}
