//! Values of trees of typed values of our own making, for fixtures and tests. Nothing in them comes
//! from a real file.

use formwork_interpreter::{Kept, KeptKind, StructValue, UnionValue, Value};

use crate::flows::{case, f32, int, list, record, text};

/// Numbers of the variants.
const ABCD: i128 = 0xabcd;
const ABCE: i128 = 0xabce;
const ABCF: i128 = 0xabcf;
const ABCA: i128 = 0xabca;
const ABCB: i128 = 0xabcb;

/// Names of records; tags are positions in it.
const NAMES: [&str; 5] = ["garden", "head", "beds", "map", "empty"];

/// Texts in UTF-16, and texts in bytes.
const UNICODE: [&str; 3] = ["Grüner Garten", "", "im \u{2}Mai \u{1f33b}"];
const ASCII: [&str; 2] = ["gardener", ""];

/// Whether texts stand in tables.
fn indexed(variant: i128) -> bool {
    ![ABCD, ABCE].contains(&variant)
}

/// Whether numbers and heads of records have short forms.
fn compact(variant: i128) -> bool {
    [ABCA, ABCB].contains(&variant)
}

fn bytes(text: &str) -> Value {
    Value::Bytes(text.as_bytes().to_vec())
}

fn f64(number: f64) -> Value {
    Value::Float { bits: number.to_bits(), bytes: 8 }
}

fn one(name: &str, value: Value) -> Value {
    case(name, [("value", value)])
}

fn many(name: &str, values: impl IntoIterator<Item = Value>) -> Value {
    case(name, [("values", list(values))])
}

fn ints<const N: usize>(name: &str, values: [i128; N]) -> Value {
    many(name, values.map(int))
}

fn nodes(tag: i128, version: i128, nodes: Vec<Value>) -> Value {
    case("record", [("tag", int(tag)), ("version", int(version)), ("nodes", Value::Array(nodes))])
}

fn elements(tag: i128, version: i128, elements: Vec<Vec<Value>>) -> Value {
    let elements = list(elements.into_iter().map(Value::Array));
    case("records", [("tag", int(tag)), ("version", int(version)), ("elements", elements)])
}

fn unicode(variant: i128, index: usize) -> Value {
    if !indexed(variant) {
        return case("unicode", [("text", text(UNICODE[index]))]);
    }
    case("unicode_key", [("key", key(index))])
}

fn ascii(variant: i128, index: usize) -> Value {
    if !indexed(variant) {
        return case("ascii", [("text", bytes(ASCII[index]))]);
    }
    case("ascii_key", [("key", key(index))])
}

/// Keys are no positions.
fn key(index: usize) -> Value {
    int(7 * index as i128 + 1)
}

fn file(variant: i128, root: Vec<Value>, padding: i128) -> Value {
    let root = record([("tag", int(0)), ("version", int(5)), ("nodes", Value::Array(root))]);
    let mut fields = vec![("variant", int(variant))];
    if variant != ABCD {
        fields.extend([("second_word", int(0)), ("stamp", int(1_234_567_890))]);
    }
    fields.push(("root", root));
    fields.push(("tag_names", list(NAMES.map(bytes))));
    if indexed(variant) {
        // Not in the order of keys.
        let entry = |(index, text): (usize, Value)| record([("text", text), ("key", key(index))]);
        let unicode = UNICODE.map(text).into_iter().enumerate().rev();
        let ascii = ASCII.map(bytes).into_iter().enumerate().rev();
        fields.push(("unicode", list(unicode.map(entry))));
        fields.push(("ascii", list(ascii.map(entry))));
    }
    fields.push(("padding", int(padding)));
    record(fields)
}

/// Numbers for which a compact variant has forms of their own, one for each form.
fn numbers() -> Vec<Value> {
    let unsigned = [0, 1, 255, 0xffff, 0xff_ffff, 0xffff_ffff];
    let signed = [0, -1, -128, 127, -32_768, 32_767, -0x80_0000, 0x7f_ffff, -0x8000_0000];
    let mut all = Vec::new();
    all.extend(unsigned.map(|number| one("u32", int(number))));
    all.extend(signed.map(|number| one("i32", int(number))));
    all.extend([0.0, -0.0, 1.5, std::f32::consts::PI].map(|number| one("f32", f32(number))));
    all.push(one("f32", Value::Float { bits: 0xffff_ffff, bytes: 4 }));
    all.extend([true, false].map(|truth| one("bool", Value::Bool(truth))));
    all
}

/// A node of each kind that a variant has.
fn every_node(variant: i128) -> Vec<Value> {
    let xy = |x, y| record([("x", f32(x)), ("y", f32(y))]);
    let xyz = |x, y, z| record([("x", f32(x)), ("y", f32(y)), ("z", f32(z))]);
    let mut all = numbers();
    all.extend([
        one("i8", int(-2)),
        one("i16", int(-300)),
        one("i64", int(i64::MIN.into())),
        one("u8", int(200)),
        one("u16", int(60_000)),
        one("u64", int(u64::MAX.into())),
        one("f64", f64(-0.1)),
        one("xy", xy(1.0, -2.0)),
        one("xyz", xyz(1.0, -2.0, 3.0)),
        one("angle", int(0x4000)),
        many("bools", [true, false].map(Value::Bool)),
        ints("i8s", [-1, 127]),
        ints("i16s", [-1, 300]),
        ints("i32s", [-1, 1]),
        ints("i32s", [-129, 1]),
        ints("i32s", [0x8000, 1]),
        ints("i32s", [0x80_0000, 1]),
        ints("i32s", []),
        ints("i64s", [-1, 1 << 40]),
        case("u8s", [("values", Value::Bytes((0..=255).collect()))]),
        ints("u16s", [1, 0xffff]),
        ints("u32s", [255, 1]),
        ints("u32s", [256, 1]),
        ints("u32s", [0x1_0000, 1]),
        ints("u32s", [0x100_0000, 1]),
        ints("u32s", []),
        ints("u64s", [1, 1 << 63]),
        many("f32s", [1.0, -0.0].map(f32)),
        many("f64s", [1.0, -0.0].map(f64)),
        many("xys", [xy(0.0, 1.0), xy(2.0, 3.0)]),
        many("xyzs", [xyz(0.0, 1.0, 2.0)]),
        ints("angles", [0, 0xffff]),
        unicode(variant, 1),
        unicode(variant, 2),
        ascii(variant, 1),
    ]);
    if indexed(variant) {
        let keys = |indices: &[usize]| list(indices.iter().map(|index| key(*index)));
        all.push(case("unicode_keys", [("keys", keys(&[2, 0, 2]))]));
        all.push(case("ascii_keys", [("keys", keys(&[]))]));
    }
    if compact(variant) {
        let unknown = |first, rest: &[u8]| {
            case("unknown_26", [("first", int(first)), ("rest", Value::Bytes(rest.to_vec()))])
        };
        all.extend([
            one("unknown_21", int(1)),
            one("unknown_23", int(2)),
            one("unknown_24", int(3)),
            one("unknown_25", int(4)),
            unknown(1, &[0, 1, 0x20, 0, 0, 0, 0]),
            unknown(0, &[0; 7]),
            unknown(16, &[5; 16]),
        ]);
    }
    all.extend([
        nodes(4, 0, Vec::new()),
        nodes(4, 15, Vec::new()),
        nodes(4, 16, Vec::new()),
        elements(2, 0, Vec::new()),
        elements(2, 255, vec![Vec::new(), numbers(), Vec::new()]),
        nodes(3, 1, vec![nodes(4, 2, vec![elements(2, 3, vec![vec![nodes(3, 4, Vec::new())]])])]),
    ]);
    all
}

/// A small tree: a head, an array of records, and a map.
fn garden(variant: i128) -> Vec<Value> {
    let bed = |plants, slope, sunny| {
        vec![one("u32", int(plants)), one("i32", int(slope)), one("bool", Value::Bool(sunny))]
    };
    vec![
        nodes(1, 3, vec![unicode(variant, 0), ascii(variant, 0)]),
        elements(2, 0, vec![bed(5, -1, true), bed(70_000, 300, false), Vec::new()]),
        nodes(3, 20, vec![ints("u32s", [1, 200, 3]), one("f32", f32(0.0))]),
    ]
}

/// Says how a node was spelled.
fn spelled(mut node: Value, kept: &[(KeptKind, &str, i128, i128)]) -> Value {
    let entry = |(kind, row, stored, instead_of): &(KeptKind, &str, i128, i128)| Kept {
        row: (*row).to_owned(),
        kind: *kind,
        stored: int(*stored),
        instead_of: int(*instead_of),
    };
    if let Value::Union(union) = &mut node {
        let UnionValue { value: StructValue { kept: list, .. }, .. } = &mut **union;
        list.extend(kept.iter().map(entry));
    }
    node
}

/// Longer forms, heads and sizes than needed, and zeros at the end of the file.
fn unusual() -> Value {
    use KeptKind::{Form, Width};
    let inner = vec![
        spelled(one("u32", int(5)), &[(Form, "", 5, 2)]),
        spelled(one("bool", Value::Bool(true)), &[(Form, "", 2, 0)]),
        spelled(one("f32", f32(0.0)), &[(Form, "", 1, 0)]),
        spelled(ints("u32s", [100, 200]), &[(Form, "", 3, 0), (Width, "size", 5, 1)]),
    ];
    let root = vec![
        spelled(nodes(1, 0, inner), &[(Form, "", 2, 1), (Width, "size", 5, 1)]),
        spelled(
            elements(2, 0, vec![Vec::new(), numbers()]),
            &[(Width, "size", 5, 1), (Width, "count", 2, 1)],
        ),
    ];
    file(ABCA, root, 12)
}

/// Names of fixture files, and their values.
#[must_use]
pub fn all() -> Vec<(&'static str, Value)> {
    let garden = |variant| file(variant, garden(variant), 0);
    let every_node = |variant| file(variant, every_node(variant), 0);
    vec![
        ("garden.abcd.esf", garden(ABCD)),
        ("garden.abce.esf", garden(ABCE)),
        ("garden.abcf.esf", garden(ABCF)),
        ("garden.abca.esf", garden(ABCA)),
        ("garden.abcb.esf", garden(ABCB)),
        ("every_node.abce.esf", every_node(ABCE)),
        ("every_node.abcf.esf", every_node(ABCF)),
        ("every_node.abca.esf", every_node(ABCA)),
        ("unusual.abca.esf", unusual()),
    ]
}
