//! Trees of typed values that are built from nothing, changed, cut and broken.

#[allow(dead_code)]
#[path = "../examples/build_esf.rs"]
mod build_esf;
#[path = "esf/walk.rs"]
mod walk;

use build_esf::{VARIANTS, garden, inline};
use formwork::{ReadError, ReadOptions};
use formwork_codegen::Provider;
use formwork_formats::esf::{
    Element, File, FileTagNamesIndex, Node, NodeRecord, NodeU8s, NodeU32, NodeU32s, Root, Variant,
};
use formwork_interpreter::{Program, program};
use walk::{Found, walk};

/// The schemas that come with Formwork.
struct BuiltIn;

impl Provider for BuiltIn {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

fn model() -> Program {
    let text = formwork_schemas::get("esf").expect("the schema is built in");
    let loaded = formwork_codegen::load("esf.kdl", text, None, &BuiltIn);
    program(loaded.model.expect("the schema is good"))
}

/// Writes a value, and checks that it is read as the same value, by both engines, and that a walk
/// finds every end and size right.
fn written(model: &Program, file: &File<'_>) -> (Vec<u8>, Found) {
    let bytes = file.write().unwrap_or_else(|error| panic!("{error}"));
    let again = File::read(&bytes).unwrap_or_else(|error| panic!("{error}"));
    assert!(again == *file, "it is read as another value");
    assert_eq!(again.write().expect("it was just read"), bytes);
    let document = formwork_interpreter::read(model, &bytes, &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let value = document.value();
    assert_eq!(formwork_interpreter::write(model, &value).expect("it was just read"), bytes);
    let found = walk(&bytes).unwrap_or_else(|error| panic!("{:?}: {error}", file.variant));
    (bytes, found)
}

#[test]
fn the_example_reads_back() {
    let model = model();
    for (_, variant) in VARIANTS {
        let (bytes, found) = written(&model, &garden(variant));
        let read = File::read(&bytes).expect("it was just read");
        assert!(read.same_spelling(&garden(variant)), "nothing in it is unusual");
        assert_eq!(File::read_owned(&bytes).expect("it was just read"), read);
        assert_eq!(found.nodes, 18);
        assert_eq!(found.depth, 1);
        assert_eq!(found.names, [&b"garden"[..], b"head", b"beds", b"map"]);
        assert_eq!(found.unicode, ["Grüner Garten".encode_utf16().collect::<Vec<_>>()]);
        assert_eq!(found.ascii, [b"gardener"]);
    }
}

/// The record `head` of the example.
fn head<'f, 'a>(file: &'f mut File<'a>) -> &'f mut NodeRecord<'a> {
    let Node::Record(head) = &mut file.root.nodes[0] else { panic!("the first node is a record") };
    head
}

/// The text in UTF-16 of the example, wherever it stands.
fn set_title(file: &mut File<'_>, title: &str) {
    if inline(file.variant) {
        let Node::Unicode(text) = &mut head(file).nodes[0] else { panic!("a text") };
        text.text = title.into();
    } else {
        file.unicode.as_mut().expect("there are tables")[0].text = title.into();
    }
}

#[test]
fn a_text_is_edited() {
    let model = model();
    for (_, variant) in VARIANTS {
        let before = garden(variant).write().expect("it can be written").len();
        for title in ["", "x", "Ein Garten in 😀 Farben", &"lang ".repeat(2000)] {
            let mut file = garden(variant);
            set_title(&mut file, title);
            let units: Vec<u16> = title.encode_utf16().collect();
            let (bytes, found) = written(&model, &file);
            assert_eq!(found.unicode, std::slice::from_ref(&units));
            // Sizes around the text grow by a byte or two where they are relative and inline.
            let grown = bytes.len() as i64 - before as i64;
            assert_eq!(grown, 2 * (units.len() as i64 - 13));
        }
    }
}

/// Fields become the structs of cases, and these nodes.
#[test]
fn short_ways_to_make_nodes() {
    let number = NodeU32 { value: 7, ..Default::default() };
    assert_eq!(Node::U32(7.into()), Node::from(number));
    let bytes = Node::Ascii("a".as_bytes().into());
    assert_eq!(bytes, Node::Ascii(b"a".to_vec().into()));
    assert_eq!(Node::Unicode("ü".into()), Node::Unicode("ü".to_owned().into()));
    let element = Element { nodes: vec![bytes.clone()], ..Default::default() };
    assert_eq!(Element::from(vec![bytes]), element);
}

#[test]
fn a_record_is_added() {
    let model = model();
    for (_, variant) in VARIANTS {
        let mut file = garden(variant);
        let tag = u32::try_from(file.tag_names.len()).expect("few names");
        file.tag_names.push(b"shed".into());
        let tag = FileTagNamesIndex::at(tag);
        let nodes = vec![Node::U32(1.into()), Node::U32(500.into())];
        let shed = Node::Record(NodeRecord { tag, version: 1, nodes, ..Default::default() });
        head(&mut file).nodes.push(shed.clone());
        file.root.nodes.push(shed);
        let (_, found) = written(&model, &file);
        assert_eq!(found.nodes, 18 + 6);
        assert_eq!(found.depth, 2);
        assert_eq!(found.names.last().expect("five names"), b"shed");
    }
}

/// An element, and a tag that no short head has room for.
#[test]
fn an_element_is_added_and_removed() {
    let model = model();
    for (_, variant) in VARIANTS {
        let mut file = garden(variant);
        file.tag_names.extend((4..600).map(|n| format!("bed{n}").into_bytes().into()));
        let Node::Records(beds) = &mut file.root.nodes[1] else { panic!("an array of records") };
        beds.tag = FileTagNamesIndex::at(555);
        beds.elements.remove(0);
        beds.elements.push(vec![Node::U32(9.into())].into());
        beds.elements.push(Element::default());
        let (_, found) = written(&model, &file);
        assert_eq!(found.nodes, 18 - 3 + 1);
    }
}

/// Sizes take one to four bytes, and what is around them grows with them.
#[test]
fn an_array_grows_past_the_sizes_of_its_size() {
    let model = model();
    for (_, variant) in VARIANTS {
        let mut before = 0;
        for (length, width) in
            [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (2_097_151, 3), (2_097_152, 4)]
        {
            let bytes = vec![0xaa; length];
            let node = Node::U8s(NodeU8s { values: bytes.into(), ..Default::default() });
            let file = File {
                variant,
                root: Root { nodes: vec![node], ..Default::default() },
                tag_names: vec![b"root".into()],
                unicode: (!inline(variant)).then(Vec::new),
                ascii: (!inline(variant)).then(Vec::new),
                ..Default::default()
            };
            // The interpreter is slow with large files in a build without optimising.
            let bytes = if length < 20_000 {
                let (bytes, found) = written(&model, &file);
                assert_eq!(found.array_bytes, length);
                bytes
            } else {
                let bytes = file.write().expect("it can be written");
                assert!(File::read(&bytes).expect("it was just written") == file);
                assert_eq!(walk(&bytes).expect("it is right").array_bytes, length);
                bytes
            };
            let size = bytes.len() - length;
            if matches!(variant, Variant::Abca | Variant::Abcb) {
                // The node's own size, and that of the root, which is a little larger.
                let own = 1 + width;
                let root = match length + own {
                    0..0x80 => 1,
                    0x80..0x4000 => 2,
                    0x4000..0x20_0000 => 3,
                    _ => 4,
                };
                let empty = 16 + 4 + 8 + 8;
                assert_eq!(size, empty + own + root, "{variant:?} with {length} bytes");
            } else {
                assert!(before == 0 || size == before, "{variant:?} with {length} bytes");
            }
            before = size;
        }
    }
}

/// The size of an array in a compact variant, in five bytes where one would do.
fn padded() -> Vec<u8> {
    let root = [&[0x80, 0, 0, 0, 8, 0x46][..], &[0x80, 0x80, 0x80, 0x80, 2], &[7, 9]].concat();
    compact(&root)
}

/// A file in a compact variant around a root.
fn compact(root: &[u8]) -> Vec<u8> {
    let footer = u32::try_from(16 + root.len()).expect("a short root");
    let mut file = vec![0xca, 0xab, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend(footer.to_le_bytes());
    file.extend(root);
    file.extend([1, 0, 4, 0]);
    file.extend(b"root");
    file.extend([0; 8]);
    file
}

/// A width that nothing explains stays, as long as the canonical one is what it stood for.
#[test]
fn padded_sizes_are_kept() {
    let bytes = padded();
    let mut file = File::read(&bytes).expect("it is right");
    assert_eq!(file.write().expect("it was just read"), bytes);
    walk(&bytes).expect("it is right");

    let u8s = |file: &mut File<'_>, values: Vec<u8>| {
        let Node::U8s(node) = &mut file.root.nodes[0] else { panic!("an array") };
        node.values = values.into();
    };
    // One byte would still do.
    u8s(&mut file, vec![1; 100]);
    let longer = file.write().expect("it can be written");
    assert_eq!(longer[21..27], [0x46, 0x80, 0x80, 0x80, 0x80, 100]);
    walk(&longer).expect("it is right");
    // Two bytes are needed, so the writer does as always.
    u8s(&mut file, vec![1; 200]);
    let longest = file.write().expect("it can be written");
    assert_eq!(longest[22..25], [0x46, 0x81, 0x48]);
    walk(&longest).expect("it is right");
    assert!(File::read(&longest).expect("it was just written") == file);
    // A value that says the same, and was not read, has the shortest size.
    u8s(&mut file, vec![7, 9]);
    let Node::U8s(node) = &mut file.root.nodes[0] else { panic!("an array") };
    node.spelling = formwork::Spelling::default();
    assert_eq!(file.write().expect("it can be written")[21..25], [0x46, 2, 7, 9]);
}

/// The form of an array that the file had is kept while it can say the numbers.
#[test]
fn forms_follow_the_numbers() {
    let bytes = compact(&[0x80, 0, 0, 0, 4, 0x57, 2, 5, 0]);
    let mut file = File::read(&bytes).expect("it is right");
    assert_eq!(file.write().expect("it was just read"), bytes);
    let cases: [(&[u32], &[u8]); 4] = [
        (&[6, 7], &[0x57, 4, 6, 0, 7, 0]),
        (&[0x1_0000], &[0x58, 3, 1, 0, 0]),
        (&[0x100_0000], &[0x48, 4, 0, 0, 0, 1]),
        (&[], &[0x57, 0]),
    ];
    for (values, expected) in cases {
        let Node::U32s(node) = &mut file.root.nodes[0] else { panic!("an array") };
        node.values = values.to_vec();
        let bytes = file.write().expect("it can be written");
        assert_eq!(bytes[21..21 + expected.len()], *expected, "{values:x?}");
        walk(&bytes).expect("it is right");
    }
    // A value that was not read takes the shortest form.
    file.root.nodes[0] = Node::U32s(NodeU32s { values: vec![6, 7], ..Default::default() });
    assert_eq!(file.write().expect("it can be written")[21..25], [0x56, 2, 6, 7]);
}

#[test]
fn no_part_of_a_file_is_a_file() {
    let model = model();
    for (_, variant) in VARIANTS {
        let bytes = garden(variant).write().expect("it can be written");
        for end in 0..bytes.len() {
            let cut = &bytes[..end];
            let error = File::read(cut).err().unwrap_or_else(|| panic!("{variant:?} to {end}"));
            assert!(error.offset() <= end as u64, "{error}");
            let options = ReadOptions::default();
            let other = formwork_interpreter::read(&model, cut, &options).err();
            let other = other.unwrap_or_else(|| panic!("{variant:?} to {end}: interpreted"));
            assert_eq!(said(&error), said(&other), "{variant:?} to {end}");
        }
    }
}

fn said(error: &ReadError) -> (String, u64, String) {
    (error.kind().code().to_owned(), error.offset(), error.path().to_string())
}

/// Broken files: what is wrong, and where.
/// What is wrong, the file, and the error's code, offset and path.
type Broken = (&'static str, Vec<u8>, (&'static str, u64, &'static str));

#[test]
fn broken_files_are_refused() {
    let model = model();
    let root = |nodes: &[u8]| {
        let size = u8::try_from(nodes.len()).expect("few bytes");
        compact(&[&[0x80, 0, 0, 0, size], nodes].concat())
    };
    let mut not_at_the_end = compact(&[0x80, 0, 0, 0, 0]);
    not_at_the_end[12] += 1;
    let mut behind_the_tables = compact(&[0x80, 0, 0, 0, 0]);
    behind_the_tables.extend([0, 0, 1]);
    let mut cases: Vec<Broken> = vec![
        (
            "low bits of a long head",
            root(&[0xa1, 0, 0, 0, 0]),
            ("unknown_tag", 21, "root.nodes[0]"),
        ),
        (
            "an array leaves its record",
            root(&[0x46, 5, 1, 2]),
            ("unexpected_end", 23, "root.nodes[0].values"),
        ),
        (
            "half a number",
            root(&[0x48, 3, 1, 2, 3]),
            ("unexpected_end", 23, "root.nodes[0].values[0]"),
        ),
        (
            "a record leaves its parent",
            root(&[0x80, 0, 2, 0x12]),
            ("unexpected_end", 24, "root.nodes[0].nodes"),
        ),
        ("neither true nor false", root(&[0x01, 2]), ("invalid_bool", 22, "root.nodes[0].value")),
        ("no such key", root(&[0x0e, 1, 0, 0, 0]), ("not_an_element", 22, "root.nodes[0].key")),
        (
            "no such key in an array",
            root(&[0x4f, 4, 1, 0, 0, 0]),
            ("not_an_element", 23, "root.nodes[0].keys[0]"),
        ),
        ("no such name", root(&[0x80, 1, 0]), ("index_out_of_range", 23, "root.nodes[0].tag")),
        ("the tables are elsewhere", not_at_the_end, ("not_derived", 12, "footer_offset")),
        (
            "six bytes of size",
            root(&[0x46, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1]),
            ("varint_too_long", 22, "root.nodes[0].size"),
        ),
        (
            "more than 32 bits",
            root(&[0x46, 0x9f, 0xff, 0xff, 0xff, 0x7f]),
            ("varint_overflow", 22, "root.nodes[0].size"),
        ),
        ("no zeros", behind_the_tables, ("not_zero", 39, "padding")),
    ];
    // Codes that nothing is known to have, among them those of arrays of nothing.
    for code in [0x00, 0x11, 0x1e, 0x22, 0x27, 0x40, 0x51, 0x52, 0x59, 0x5d, 0x60, 0x66, 0xff] {
        let expected = ("unknown_tag", 21, "root.nodes[0]");
        cases.push(("no such code", root(&[code, 0]), expected));
    }
    let mut problems = Vec::new();
    for (what, bytes, (code, offset, path)) in cases {
        let error = match File::read(&bytes) {
            Ok(_) => {
                problems.push(format!("{what}: it is read"));
                continue;
            }
            Err(error) => error,
        };
        let other = formwork_interpreter::read(&model, &bytes, &ReadOptions::default()).err();
        let other = other.unwrap_or_else(|| panic!("{what}: interpreted"));
        if said(&error) != said(&other) {
            problems.push(format!("{what}: {error}, but interpreted {other}"));
        }
        if said(&error) != (code.to_owned(), offset, path.to_owned()) {
            problems.push(format!("{what}: {:?} {error}", said(&error)));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// All that is wrong with a value is said at once.
#[test]
fn every_problem_is_reported() {
    let mut file = garden(Variant::Abca);
    file.unicode.as_mut().expect("there are tables").clear();
    head(&mut file).tag = FileTagNamesIndex::at(9);
    let error = file.write().expect_err("a key and a name are missing");
    let found: Vec<_> =
        error.problems().iter().map(|p| (p.kind.code(), p.path.to_string())).collect();
    let expected = [
        ("index_out_of_range", "root.nodes[0].tag".to_owned()),
        ("not_an_element", "root.nodes[0].nodes[0].key".to_owned()),
    ];
    assert_eq!(found, expected);
    // What only another variant has.
    let mut file = garden(Variant::Abca);
    file.variant = Variant::Abcd;
    assert!(file.write().is_err());
}
