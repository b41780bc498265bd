//! Known files of one node each: what they say, and what is written for a value that says the same.

use std::collections::BTreeSet;
use std::fs;

use formwork::ReadOptions;
use formwork_formats::FormatId;
use formwork_interpreter::json::{Style, to_json};
use formwork_interpreter::value_of;
use formwork_interpreter::{Value, write};
use formwork_tests::{laws, programs, samples};
use serde_json::{Value as Json, json};

/// Name of a vector; the node as JSON; the bytes of the node for a value that was built by hand, if
/// they are others than those of the vector.
const NODES: &[(&str, &str, Option<&str>)] = &[
    ("bool-01-true", r#"{"bool":{"value":true}}"#, Some("12")),
    ("bool-01-false", r#"{"bool":{"value":false}}"#, Some("13")),
    ("bool-12", r#"{"bool":{"value":true}}"#, None),
    ("bool-13", r#"{"bool":{"value":false}}"#, None),
    ("i8", r#"{"i8":{"value":-2}}"#, None),
    ("i16", r#"{"i16":{"value":-2}}"#, None),
    ("i32", r#"{"i32":{"value":-2}}"#, Some("1afe")),
    ("i64", r#"{"i64":{"value":-2}}"#, None),
    ("u8", r#"{"u8":{"value":255}}"#, None),
    ("u16", r#"{"u16":{"value":65534}}"#, None),
    ("u32", r#"{"u32":{"value":5}}"#, Some("1605")),
    ("u64", r#"{"u64":{"value":5}}"#, None),
    ("f32", r#"{"f32":{"value":1.5}}"#, None),
    ("f32-zero-long", r#"{"f32":{"value":0.0}}"#, Some("1d")),
    ("f32-negzero", r#"{"f32":{"value":-0.0}}"#, None),
    ("f32-nan", r#"{"f32":{"value":{"bits":"0xffffffff"}}}"#, None),
    ("f64", r#"{"f64":{"value":1.5}}"#, None),
    ("v2", r#"{"xy":{"value":{"x":1.0,"y":-2.0}}}"#, None),
    ("v3", r#"{"xyz":{"value":{"x":1.0,"y":-2.0,"z":3.0}}}"#, None),
    ("str", r#"{"unicode_key":{"key":7}}"#, None),
    ("str-empty", r#"{"unicode_key":{"key":0}}"#, None),
    ("asc", r#"{"ascii_key":{"key":1}}"#, None),
    ("angle", r#"{"angle":{"value":16384}}"#, None),
    ("angle-hi", r#"{"angle":{"value":49152}}"#, None),
    ("u32-14", r#"{"u32":{"value":0}}"#, None),
    ("u32-15", r#"{"u32":{"value":1}}"#, None),
    ("u32-16", r#"{"u32":{"value":200}}"#, None),
    ("u32-16-nonmin", r#"{"u32":{"value":1}}"#, Some("15")),
    ("u32-17", r#"{"u32":{"value":1000}}"#, None),
    ("u32-17-nonmin", r#"{"u32":{"value":5}}"#, Some("1605")),
    ("u32-18", r#"{"u32":{"value":65536}}"#, None),
    ("u32-18-nonmin", r#"{"u32":{"value":5}}"#, Some("1605")),
    ("u32-18-max", r#"{"u32":{"value":16777215}}"#, None),
    ("i32-19", r#"{"i32":{"value":0}}"#, None),
    ("i32-1a", r#"{"i32":{"value":-1}}"#, None),
    ("i32-1a-min", r#"{"i32":{"value":-128}}"#, None),
    ("i32-1b", r#"{"i32":{"value":300}}"#, None),
    ("i32-1b-neg", r#"{"i32":{"value":-300}}"#, None),
    ("i32-1c", r#"{"i32":{"value":65536}}"#, None),
    ("i32-1c-neg", r#"{"i32":{"value":-65537}}"#, None),
    ("i32-1c-min", r#"{"i32":{"value":-8388608}}"#, None),
    ("f32-1d", r#"{"f32":{"value":0.0}}"#, None),
    ("x21", r#"{"unknown_21":{"value":16909060}}"#, None),
    ("x23", r#"{"unknown_23":{"value":7}}"#, None),
    ("x24", r#"{"unknown_24":{"value":513}}"#, None),
    ("x25", r#"{"unknown_25":{"value":16909060}}"#, None),
    ("x26-short", r#"{"unknown_26":{"first":1,"rest":{"hex":"00012000000000"}}}"#, None),
    ("x26-8", r#"{"unknown_26":{"first":8,"rest":{"hex":"0100000000000000"}}}"#, None),
    (
        "x26-16",
        r#"{"unknown_26":{"first":16,"rest":{"hex":"01000000000000000500000000000000"}}}"#,
        None,
    ),
    ("a-bool", r#"{"bools":{"values":[true,false,true]}}"#, None),
    ("a-i8", r#"{"i8s":{"values":[-1,1]}}"#, None),
    ("a-i16", r#"{"i16s":{"values":[-1,1]}}"#, None),
    ("a-i32", r#"{"i32s":{"values":[-1,1]}}"#, Some("5a02ff01")),
    ("a-i64", r#"{"i64s":{"values":[-1]}}"#, None),
    ("a-u8", r#"{"u8s":{"values":{"hex":"0102ff"}}}"#, None),
    ("a-u8-empty", r#"{"u8s":{"values":{"hex":""}}}"#, None),
    ("a-u16", r#"{"u16s":{"values":[1,65535]}}"#, None),
    ("a-u32", r#"{"u32s":{"values":[100,200]}}"#, Some("560264c8")),
    ("a-u32-empty", r#"{"u32s":{"values":[]}}"#, Some("5600")),
    ("a-u64", r#"{"u64s":{"values":[1]}}"#, None),
    ("a-f32", r#"{"f32s":{"values":[1.0,0.0]}}"#, None),
    ("a-f64", r#"{"f64s":{"values":[1.0]}}"#, None),
    ("a-v2", r#"{"xys":{"values":[{"x":1.0,"y":-2.0}]}}"#, None),
    ("a-v3", r#"{"xyzs":{"values":[{"x":1.0,"y":-2.0,"z":3.0}]}}"#, None),
    ("a-str", r#"{"unicode_keys":{"keys":[7,2]}}"#, None),
    ("a-str-empty", r#"{"unicode_keys":{"keys":[]}}"#, None),
    ("a-asc", r#"{"ascii_keys":{"keys":[3]}}"#, None),
    ("a-angle", r#"{"angles":{"values":[16384,32768]}}"#, None),
    ("a-56", r#"{"u32s":{"values":[100,200]}}"#, None),
    ("a-57", r#"{"u32s":{"values":[0,1,1000]}}"#, None),
    ("a-58", r#"{"u32s":{"values":[65536,1]}}"#, None),
    ("a-5a", r#"{"i32s":{"values":[-1,1]}}"#, None),
    ("a-5b", r#"{"i32s":{"values":[-1,300]}}"#, None),
    ("a-5c", r#"{"i32s":{"values":[-1,65536]}}"#, None),
    (
        "uv-2byte",
        r#"{"u8s":{"values":{"hex":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}}"#,
        None,
    ),
    ("uv-overlong-2", r#"{"u8s":{"values":{"hex":"0102"}}}"#, Some("46020102")),
    ("uv-overlong-5", r#"{"u32s":{"values":[100,200]}}"#, Some("560264c8")),
    (
        "rec-compact",
        r#"{"record":{"tag":1,"version":1,"nodes":[{"u32":{"value":0}},{"u32":{"value":1}}]}}"#,
        None,
    ),
    ("rec-compact-v15", r#"{"record":{"tag":2,"version":15,"nodes":[]}}"#, None),
    ("rec-empty", r#"{"record":{"tag":1,"version":0,"nodes":[]}}"#, None),
    (
        "rec-overlong",
        r#"{"record":{"tag":1,"version":1,"nodes":[{"u32":{"value":0}},{"u32":{"value":1}}]}}"#,
        Some("8201021415"),
    ),
    (
        "rec-long",
        r#"{"record":{"tag":1,"version":20,"nodes":[{"u32":{"value":0}},{"u32":{"value":1}}]}}"#,
        None,
    ),
    (
        "rec-long-nonmin",
        r#"{"record":{"tag":1,"version":1,"nodes":[{"u32":{"value":0}},{"u32":{"value":1}}]}}"#,
        Some("8201021415"),
    ),
    (
        "rec-nested",
        r#"{"record":{"tag":1,"version":1,"nodes":[{"record":{"tag":2,"version":2,"nodes":[{"u32":{"value":5}},{"bool":{"value":true}}]}}]}}"#,
        None,
    ),
    (
        "arr-compact",
        r#"{"records":{"tag":2,"version":1,"elements":[[{"u32":{"value":0}}],[{"u32":{"value":5}},{"bool":{"value":true}}]]}}"#,
        None,
    ),
    ("arr-empty", r#"{"records":{"tag":2,"version":0,"elements":[]}}"#, None),
    ("arr-one-empty", r#"{"records":{"tag":2,"version":0,"elements":[[]]}}"#, None),
    (
        "arr-long",
        r#"{"records":{"tag":2,"version":20,"elements":[[{"u32":{"value":0}}],[{"u32":{"value":5}},{"bool":{"value":true}}]]}}"#,
        None,
    ),
    ("rec-tag511", r#"{"record":{"tag":511,"version":1,"nodes":[{"u32":{"value":0}}]}}"#, None),
    ("rec-tag300", r#"{"record":{"tag":300,"version":15,"nodes":[{"u32":{"value":0}}]}}"#, None),
    (
        "arr-tag300",
        r#"{"records":{"tag":300,"version":15,"elements":[[{"u32":{"value":0}}]]}}"#,
        None,
    ),
    ("rec-tag512", r#"{"record":{"tag":512,"version":1,"nodes":[{"u32":{"value":0}}]}}"#, None),
    (
        "arr-tag512",
        r#"{"records":{"tag":512,"version":1,"elements":[[{"u32":{"value":0}}]]}}"#,
        None,
    ),
];

/// The tree that exists in every variant, as its root; texts are in the nodes or in tables.
fn small_tree(texts: [Json; 2]) -> Json {
    let [unicode, ascii] = texts;
    json!({
        "tag": 0,
        "version": 0,
        "nodes": [
            {"record": {"tag": 1, "version": 1, "nodes": [
                {"u32": {"value": 5}}, {"bool": {"value": true}}, unicode, ascii,
            ]}},
            {"records": {"tag": 2, "version": 0, "elements": [
                [{"i32": {"value": -1}}],
                [{"i32": {"value": 300}}, {"f32": {"value": 0.0}}],
            ]}},
            {"u32s": {"values": [100, 200]}},
        ],
    })
}

/// A line of the list.
struct Vector {
    id: String,
    variant: String,
    node: String,
    file: Vec<u8>,
}

fn vectors() -> Option<Vec<Vector>> {
    let path = samples::samples()?.join("esf/synthetic/vectors.tsv");
    let text = fs::read_to_string(path).expect("the vectors can be read");
    let vector = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, variant, node, _, file] = fields[..] else { panic!("{line}: not five fields") };
        let (id, variant, node) = (id.to_owned(), variant.to_owned(), node.to_owned());
        let file = if file.is_empty() { with_600_names(&variant, &node) } else { bytes(file) };
        Vector { id, variant, node, file }
    };
    Some(text.lines().skip(1).map(vector).collect())
}

/// The file around a node whose tag needs more names than the list has room for.
fn with_600_names(variant: &str, node: &str) -> Vec<u8> {
    let mut root = vec![0x80, 0, 0, 0];
    let node = bytes(node);
    root.push(u8::try_from(node.len()).expect("a short node"));
    root.extend(node);
    let mut file = match variant {
        "ABCA" => vec![0xca, 0xab, 0, 0],
        "ABCB" => vec![0xcb, 0xab, 0, 0],
        other => panic!("{other}: not a compact variant"),
    };
    let footer = u32::try_from(16 + root.len()).expect("a short file");
    for word in [0, 0, footer] {
        file.extend(u32::to_le_bytes(word));
    }
    file.extend(root);
    file.extend(600_u16.to_le_bytes());
    for number in 0..600 {
        let name = if number == 0 { "root".to_owned() } else { format!("n{number}") };
        file.extend(u16::try_from(name.len()).expect("a short name").to_le_bytes());
        file.extend(name.bytes());
    }
    // Both tables of texts are empty.
    file.extend([0; 8]);
    file
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |c: u8| char::from(c).to_digit(16).expect("a hexadecimal digit");
    let byte = |pair: &[u8]| u8::try_from(digit(pair[0]) * 16 + digit(pair[1])).expect("a byte");
    hex.as_bytes().chunks_exact(2).map(byte).collect()
}

/// What a file says, and how it is spelled.
fn spelled(value: &Value) -> Json {
    let text = to_json(programs::esf(), value, Style::Compact);
    let json: Json = serde_json::from_str(&text).expect("it is JSON");
    json["value"].clone()
}

/// What a file says, without how it is spelled.
fn said(value: &Value) -> Json {
    spelled(&value.clone().canonical())
}

/// What generated code makes of a file: the value, and the bytes that it writes for it.
fn compiled(bytes: &[u8]) -> (Value, Vec<u8>) {
    let format = FormatId::named("esf").expect("the format is compiled in");
    let mut done = None;
    let value = value_of(programs::esf(), |to| {
        done = format.roundtrip(bytes, &ReadOptions::default(), to).ok();
    });
    let done = done.expect("generated code reads it");
    (value.expect("a value"), done.written.expect("generated code writes it"))
}

/// The bytes of the only node in the root of a file in a compact variant.
fn only_node(file: &[u8]) -> &[u8] {
    let footer = u32::from_le_bytes(file[12..16].try_into().expect("four bytes"));
    let size = file[20..].iter().position(|byte| byte & 0x80 == 0).expect("a last byte") + 1;
    &file[20 + size..footer as usize]
}

#[test]
fn each_says_what_it_should() {
    let Some(vectors) = vectors() else { return };
    let model = programs::esf();
    let mut seen = BTreeSet::new();
    for vector in &vectors {
        let name = format!("{} {}", vector.id, vector.variant);
        let value = laws::value_of(model, &vector.file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let json = said(&value);
        assert_eq!(json["variant"], vector.variant, "{name}");
        let (same, written) = compiled(&vector.file);
        assert_eq!(spelled(&same), spelled(&value), "{name}: the engines differ");
        assert_eq!(written, vector.file, "{name}: rewritten by generated code");
        let written = write(model, &value).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(written, vector.file, "{name}: rewritten by the interpreter");

        let by_hand = write(model, &value.clone().canonical()).expect("it is written");
        match NODES.iter().find(|(id, ..)| *id == vector.id) {
            Some((id, node, canonical)) => {
                seen.insert(*id);
                let node: Json = serde_json::from_str(node).expect("the list is JSON");
                assert_eq!(json["root"]["nodes"], json!([node]), "{name}");
                let canonical = canonical.map_or(vector.node.as_str(), |canonical| canonical);
                assert_eq!(only_node(&by_hand), bytes(canonical), "{name}: built by hand");
            }
            None => {
                // Whole files, none of which is spelled in an unusual way.
                let inline = ["ABCD", "ABCE"].contains(&vector.variant.as_str());
                let texts = match inline {
                    true => [
                        json!({"unicode": {"text": "Hi"}}),
                        json!({"ascii": {"text": {"hex": "706177"}}}),
                    ],
                    false => [json!({"unicode_key": {"key": 0}}), json!({"ascii_key": {"key": 0}})],
                };
                let (root, padding) = match vector.id.as_str() {
                    "tiny-tree" => (small_tree(texts), 0),
                    "smallest" => (json!({"tag": 0, "version": 0, "nodes": []}), 0),
                    "padded" => (json!({"tag": 0, "version": 0, "nodes": []}), 4),
                    other => panic!("{other}: not known here"),
                };
                assert_eq!(json["root"], root, "{name}");
                assert_eq!(json["padding"], padding, "{name}");
                assert_eq!(by_hand, vector.file, "{name}: built by hand");
            }
        }
    }
    assert_eq!(seen.len(), NODES.len(), "not all are in the list: {seen:?}");
    println!("{} vectors", vectors.len());
}
