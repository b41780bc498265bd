//! What drafts read, beside what a few lines find in the same files that know no schema: bytes that
//! come back prove nothing about values.

use std::fs;

use formwork::ReadOptions;
use formwork_interpreter::{Program, Value, read, write};
use formwork_tests::bytes::Bytes;
use formwork_tests::programs::draft;

/// The value of a file, which is written again as the same bytes.
fn value(program: &Program, bytes: &[u8]) -> Value {
    let document = read(program, bytes, &ReadOptions::default()).expect("it is a file");
    let value = document.value();
    assert_eq!(write(program, &value).expect("it can be written"), bytes);
    value
}

#[track_caller]
fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    value.at_path(path).unwrap_or_else(|| panic!("{path} is not there"))
}

#[track_caller]
fn number(value: &Value, path: &str) -> i128 {
    match at(value, path) {
        Value::Int(number) => *number,
        other => panic!("{path} is {other:?}"),
    }
}

fn case(value: &Value) -> &str {
    match value {
        Value::Union(union) => &union.case,
        other => panic!("it is {other:?}"),
    }
}

fn be(bytes: &[u8], at: usize, width: usize) -> usize {
    bytes[at..at + width].iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

/// Tags of the constants of a class by their position, and where they end; none for what has no
/// constant. Sizes are those of table 4.4-A of the specification and of the sections behind it.
fn tags(bytes: &[u8]) -> (Vec<Option<u8>>, usize) {
    let (mut tags, mut at) = (Vec::new(), 10);
    while tags.len() + 1 < be(bytes, 8, 2) {
        let tag = bytes[at];
        at += 1 + match tag {
            1 => 2 + be(bytes, at + 1, 2),
            7 | 8 | 16 | 19 | 20 => 2,
            15 => 3,
            5 | 6 => 8,
            _ => 4,
        };
        tags.push(Some(tag));
        if matches!(tag, 5 | 6) {
            tags.push(None);
        }
    }
    (tags, at)
}

const KINDS: [(&str, u8); 17] = [
    ("text", 1),
    ("integer", 3),
    ("float", 4),
    ("long", 5),
    ("double", 6),
    ("class", 7),
    ("string", 8),
    ("field", 9),
    ("method", 10),
    ("interface_method", 11),
    ("named", 12),
    ("handle", 15),
    ("method_kind", 16),
    ("dynamic", 17),
    ("invoke_dynamic", 18),
    ("module", 19),
    ("package", 20),
];

/// The constants of a class, and what stands behind them, are those that a walk over the bytes finds.
fn constants_are_right(value: &Value, bytes: &[u8]) {
    let (tags, end) = tags(bytes);
    let constants = at(value, "constants").elements().expect("it is a list");
    let found: Vec<Option<u8>> = constants
        .iter()
        .map(|slot| match case(slot) {
            "second" => None,
            _ => {
                let kind = case(at(slot, "constant"));
                KINDS.iter().find(|(name, _)| *name == kind).map(|(_, tag)| *tag)
            }
        })
        .collect();
    assert_eq!(found, tags);
    assert_eq!(number(value, "access"), be(bytes, end, 2) as i128);
    assert_eq!(number(value, "this_class") + 1, be(bytes, end + 2, 2) as i128);
}

const CLASS: &str = r#"
    big cafebabe 0:u16 45:u16 8:u16
    01 4:u16 "Code"                 # 1
    05 0000000100000002             # 2, and 3
    01 1:u16 "A"                    # 4
    07 4:u16                        # 5
    06 3ff8000000000000             # 6, and 7
    0x21:u16 5:u16 0:u16 0:u16 0:u16
    1:u16                           # methods
    9:u16 4:u16 4:u16 2:u16
    1:u16 13:u32 2:u16 3:u16 1:u32 b1 0:u16 0:u16
    4:u16 2:u32 aabb
    0:u16
"#;

#[test]
fn wide_constants_take_two_places_and_attributes_are_what_their_names_say() {
    let bytes = Bytes::parse(CLASS).expect("it is well-formed").finish();
    let value = value(&draft("class.kdl"), &bytes);
    constants_are_right(&value, &bytes);
    assert_eq!(number(&value, "constants[1].constant.value"), (1 << 32) + 2);
    let double = at(&value, "constants[5].constant.value");
    assert!(matches!(double, Value::Float { bits, bytes: 8 } if *bits == 1.5_f64.to_bits()));
    let first = at(&value, "methods[0].attributes[0].content");
    assert_eq!(case(first), "code");
    assert_eq!((number(first, "stack"), number(first, "locals")), (2, 3));
    assert!(matches!(at(first, "code"), Value::Bytes(code) if *code == [0xb1]));
    assert_eq!(case(at(&value, "methods[0].attributes[1].content")), "other");
}

#[test]
fn constants_of_a_compiled_class() {
    let path = "/usr/share/gettext/javaversion.class";
    let Ok(bytes) = fs::read(path) else {
        println!("SKIPPED: no {path}");
        return;
    };
    constants_are_right(&value(&draft("class.kdl"), &bytes), &bytes);
}

/// A sound with one chunk before the format, and one sample of each sign.
fn sound(coding: u16, bits: u16, samples: &str) -> Vec<u8> {
    let text = format!(
        "\"RIFF\" &end-@wave:u32 @wave \"WAVE\" \
         \"note\" 3:u32 010203 00 \
         \"fmt \" 16:u32 {coding}:u16 1:u16 8000:u32 8000:u32 1:u16 {bits}:u16 \
         \"data\" &end-@samples:u32 @samples {samples}"
    );
    Bytes::parse(&text).expect("it is well-formed").finish()
}

#[test]
fn samples_are_as_wide_as_the_chunk_before_says() {
    let program = draft("wav.kdl");
    let cases = [
        (1, 8, "80 7f", "bytes", vec![128, 127]),
        (1, 16, "ffff 0100", "words", vec![-1, 1]),
        (1, 24, "ffffff 010000", "three", vec![-1, 1]),
        (1, 32, "ffffffff 01000000", "four", vec![-1, 1]),
    ];
    for (coding, bits, bytes, kind, numbers) in cases {
        let value = value(&program, &sound(coding, bits, bytes));
        let samples = at(&value, "chunks[2].content.samples");
        assert_eq!(case(samples), kind);
        let found = at(samples, "samples").elements().expect("a list").to_vec();
        let wanted: Vec<Value> = numbers.into_iter().map(Value::Int).collect();
        assert_eq!(found, wanted, "{bits} bits");
    }
    // Packed by another coding, they are bytes, however wide.
    let value = value(&program, &sound(7, 16, "0102"));
    assert_eq!(case(at(&value, "chunks[2].content.samples")), "other");
}

#[test]
fn samples_before_their_format_are_refused() {
    let text = "\"RIFF\" &end-@wave:u32 @wave \"WAVE\" \"data\" 2:u32 @samples 0102";
    let bytes = Bytes::parse(text).expect("it is well-formed").finish();
    let program = draft("wav.kdl");
    let error = read(&program, &bytes, &ReadOptions::default()).err().expect("there is no format");
    assert_eq!((error.kind().code(), error.offset()), ("expression", 20));
}
