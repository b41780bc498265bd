//! Builds a tree of typed values from nothing, writes it in each variant, and reads it back.
//!
//!     cargo run -p formwork-formats --features esf --example build_esf -- FOLDER

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use formwork_formats::esf::{
    AsciiText, Element, File, FileTagNamesIndex, Node, NodeRecord, NodeRecords, Root, UnicodeText,
    Variant, Xy,
};

/// All variants, with names for files.
pub const VARIANTS: [(&str, Variant); 5] = [
    ("abcd", Variant::Abcd),
    ("abce", Variant::Abce),
    ("abcf", Variant::Abcf),
    ("abca", Variant::Abca),
    ("abcb", Variant::Abcb),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    for (name, variant) in VARIANTS {
        let file = garden(variant);
        let bytes = file.write()?;
        assert_eq!(File::read(&bytes)?, file);
        let path = Path::new(&folder).join(format!("garden.{name}.esf"));
        fs::write(&path, &bytes)?;
        println!("{}: {} bytes", path.display(), bytes.len());
    }
    Ok(())
}

/// A garden: what it is called, its beds, and a map of it.
pub fn garden(variant: Variant) -> File<'static> {
    // Names of records, in the order of their first use; a tag is a position in this list.
    let names = ["garden", "head", "beds", "map"];
    let [garden, head, beds, map] = [0, 1, 2, 3].map(FileTagNamesIndex::at);
    let record =
        |tag, version, nodes| NodeRecord { tag, version, nodes, ..Default::default() }.into();
    let bed = |plants: u32, slope: i32, sunny: bool| {
        // How many bytes a number takes is nothing to care about: as few as will do.
        Element::from(vec![
            Node::U32(plants.into()),
            Node::I32(slope.into()),
            Node::Bool(sunny.into()),
        ])
    };
    let nodes = vec![
        record(head, 3, vec![unicode(variant, 0, "Grüner Garten"), ascii(variant, 0, "gardener")]),
        Node::Records(NodeRecords {
            tag: beds,
            version: 0,
            elements: vec![bed(5, -1, true), bed(70_000, 300, false), bed(0, 0, true)],
            ..Default::default()
        }),
        record(
            map,
            // More than fits a short head.
            20,
            vec![
                Node::Xy(Xy { x: 12.5, y: -3.0 }.into()),
                Node::U32s(vec![1, 200, 3].into()),
                Node::U8s(vec![7; 40].into()),
                Node::F32(0.0.into()),
            ],
        ),
    ];
    let tables = !inline(variant);
    File {
        variant,
        // Not in files of the oldest variant.
        stamp: if variant == Variant::Abcd { 0 } else { 1_234_567_890 },
        root: Root { tag: garden, version: 0, nodes, ..Default::default() },
        tag_names: names.iter().map(|name| name.as_bytes().into()).collect(),
        unicode: tables.then(|| vec![UnicodeText { text: "Grüner Garten".into(), key: 0 }]),
        ascii: tables.then(|| vec![AsciiText { text: b"gardener".into(), key: 0 }]),
        ..Default::default()
    }
}

/// Whether texts stand in the nodes themselves, instead of in tables.
pub fn inline(variant: Variant) -> bool {
    matches!(variant, Variant::Abcd | Variant::Abce)
}

/// A text, or the key of one that is in the table.
fn unicode(variant: Variant, key: u32, text: &str) -> Node<'static> {
    if inline(variant) { Node::Unicode(text.into()) } else { Node::UnicodeKey(key.into()) }
}

fn ascii(variant: Variant, key: u32, text: &'static str) -> Node<'static> {
    if inline(variant) { Node::Ascii(text.as_bytes().into()) } else { Node::AsciiKey(key.into()) }
}
