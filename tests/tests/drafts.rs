//! What drafts read, beside what a few lines find in the same files that know no schema: bytes that
//! come back prove nothing about values.

use std::fs;

use formwork::ReadOptions;
use formwork_interpreter::{Program, Value, read, write};
use formwork_tests::bytes::Bytes;
use formwork_tests::programs::draft;
use formwork_tests::{golden, samples};

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

/// A member of an archive of tapes, as POSIX says: numbers in octal digits, contents filled up to
/// blocks of 512 bytes. The sum is that of all bytes of the header, with blanks in its place.
fn on_tape(name: &str, kind: u8, size: usize, content: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 512];
    let mut put =
        |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    let texts = [(100, "0000644"), (108, "0001750"), (116, "0000144"), (148, "        ")];
    let more = [(257, "ustar"), (263, "00"), (265, "user"), (329, "0000000"), (337, "0000011")];
    for (at, text) in texts.into_iter().chain(more) {
        put(at, text);
    }
    put(124, &format!("{size:011o}\0{:011o}\0", 1_700_000_000));
    header[156] = kind;
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header.extend_from_slice(content);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}

#[test]
fn tapes_have_numbers_in_octal_digits() {
    let (long, program) = ("n".repeat(100), draft("tar.kdl"));
    let mut bytes = on_tape("a.txt", b'0', 3, b"abc");
    bytes.extend(on_tape(&long, 0, 512, &[7; 512]));
    // A link may say how large its target is, and has no content.
    bytes.extend(on_tape("c", b'1', 3, b""));
    bytes.resize(bytes.len() + 1024, 0);
    let document = read(&program, &bytes, &ReadOptions::default()).expect("it is a file");
    assert!(document.is_canonical());
    let value = value(&program, &bytes);
    let header = at(&value, "entries[0].rest.header");
    let found = ["mode", "owner", "group", "time", "minor"].map(|row| number(header, row));
    assert_eq!(found, [0o644, 0o1750, 0o144, 1_700_000_000, 0o11]);
    assert!(matches!(at(header, "content.data"), Value::Bytes(data) if data == b"abc"));
    assert!(
        matches!(at(&value, "entries[1].name"), Value::Bytes(name) if *name == long.as_bytes())
    );
    assert!(
        matches!(at(&value, "entries[1].rest.header.content.data"), Value::Bytes(data) if data == &[7; 512])
    );
    assert_eq!(case(at(&value, "entries[2].rest.header.content")), "nothing");
    assert_eq!(case(at(&value, "entries[3].rest")), "end");
    assert!(matches!(at(&value, "filler"), Value::Bytes(filler) if filler == &[0; 512]));
    // Another sum is kept until something changes that it is the sum of.
    bytes[153] = b'7';
    let document = read(&program, &bytes, &ReadOptions::default()).expect("it is a file");
    assert!(!document.is_canonical());
    let mut value = document.value();
    assert_eq!(write(&program, &value).expect("it can be written"), bytes);
    let row = value.at_path_mut("entries[0].rest.header.owner").expect("there is one");
    *row = Value::Int(0o1751);
    bytes[114] = b'1';
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let sum: u32 = bytes[..512].iter().map(|byte| u32::from(*byte)).sum();
    let said: u32 = bytes[148..156].iter().map(|byte| u32::from(*byte)).sum();
    bytes[148..154].copy_from_slice(format!("{:06o}", sum - said + 8 * 32).as_bytes());
    let written = write(&program, &value).expect("it can be written");
    assert_eq!(text(&written[100..160]), text(&bytes[100..160]));
    assert_eq!(written, bytes);
}

#[test]
fn archives_of_objects_have_numbers_in_digits() {
    let header = |name: &str, mode: &str, size: usize| {
        format!("{name:<16}{:<12}{:<6}{:<6}{mode:<8}{size:<10}`\n", 12, 3, 4)
    };
    let symbols = b"\0\0\0\x02\0\0\0\x66\0\0\0\x66one\0two\0";
    let mut bytes = b"!<arch>\n".to_vec();
    bytes.extend(header("/", "0", symbols.len()).as_bytes());
    bytes.extend(symbols);
    bytes.extend(header("a.o/", "100644", 3).as_bytes());
    bytes.extend(b"abc\n");
    bytes.extend(header("b.o/", "100644", 2).as_bytes());
    bytes.extend(b"de");
    let value = value(&draft("ar.kdl"), &bytes);
    let first = at(&value, "members[0].content.symbols");
    let members = at(first, "members").elements().expect("a list").to_vec();
    assert_eq!(members, [Value::Int(0x66), Value::Int(0x66)]);
    assert!(matches!(at(first, "names[1]"), Value::Bytes(name) if name == b"two"));
    let second = at(&value, "members[1]");
    let found = ["time", "owner", "group", "mode"].map(|row| number(second, row));
    assert_eq!(found, [12, 3, 4, 0o100_644]);
    assert!(matches!(at(second, "name"), Value::Bytes(name) if name == b"a.o/"));
    assert!(matches!(at(second, "content.data"), Value::Bytes(data) if data == b"abc"));
    assert!(matches!(at(&value, "members[2].content.data"), Value::Bytes(data) if data == b"de"));
}

#[test]
fn programs_have_names_in_sections_of_their_own() {
    let path = samples::workspace().join("tests/reach/elf.kdl");
    let feature = golden::feature(&path).expect("it has a file");
    let program = draft("elf.kdl");
    let bytes = &feature.files[0].bytes;
    let document = read(&program, bytes, &ReadOptions::default()).expect("it is a program");
    assert!(document.is_canonical());
    let value = value(&program, bytes);
    let titles = ["", ".symtab", ".strtab", ".shstrtab"];
    for (number, title) in titles.into_iter().enumerate() {
        let found = at(&value, &format!("sections[{number}].title"));
        assert!(matches!(found, Value::Bytes(found) if found == title.as_bytes()));
    }
    let symbol = at(&value, "sections[1].content.symbols[1]");
    assert!(matches!(at(symbol, "name"), Value::Bytes(name) if name == b"main"));
    assert_eq!((number(symbol, "value"), number(symbol, "size")), (0x40_1000, 16));
}

/// The values of a draft's files, by their names; each is by the rules.
fn made(name: &str) -> Vec<(String, Value)> {
    let path = samples::workspace().join("tests/reach").join(name).with_extension("kdl");
    let program = draft(&format!("{name}.kdl"));
    let files = golden::feature(&path).expect("it has files").files;
    let values = files.into_iter().map(|file| {
        let document = read(&program, &file.bytes, &ReadOptions::default()).expect("it is one");
        assert!(document.is_canonical(), "{name} {}", file.name);
        (file.name, value(&program, &file.bytes))
    });
    values.collect()
}

#[track_caller]
fn text<'v>(value: &'v Value, path: &str) -> &'v str {
    match at(value, path) {
        Value::Text(text) => text,
        other => panic!("{path} is {other:?}"),
    }
}

#[track_caller]
fn list<'v>(value: &'v Value, path: &str) -> &'v [Value] {
    at(value, path).elements().unwrap_or_else(|| panic!("{path} is no list"))
}

#[test]
fn archives_have_the_files_that_were_put_into_them() {
    let [little, big, empty] = &made("sarc")[..] else { panic!("three archives") };
    for ((_, value), alignment) in [(little, 8), (big, 0x40)] {
        // In the order of the hashes of their names.
        let bfres = [b"FRES", &[0; 20][..]].concat();
        let files: [(&str, &[u8]); 4] = [
            ("z", b""),
            ("a.txt", b"hello"),
            ("Event/C.bfevfl", b"BFEVFL"),
            ("Model/B.bfres", &bfres),
        ];
        assert_eq!(list(value, "table.entries").len(), files.len());
        assert_eq!(number(value, "alignment"), alignment);
        for (number, (name, data)) in files.into_iter().enumerate() {
            assert_eq!(text(value, &format!("names.names[{number}].name")), name);
            let found = at(value, &format!("table.entries[{number}].data"));
            assert!(matches!(found, Value::Bytes(found) if found == data), "{name}");
        }
    }
    assert!(list(&empty.1, "table.entries").is_empty());
}

#[test]
fn messages_have_their_labels_and_commands() {
    for (name, value) in made("msbt") {
        let mut labels = Vec::new();
        for group in list(&value, "sections[0].content.labels.groups") {
            for label in list(group, "labels") {
                labels.push((number(label, "message"), text(label, "name").to_owned()));
            }
        }
        labels.sort();
        let labels: Vec<&str> = labels.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["Title", "Npc_001", "Npc_002", "Long"], "{name}");
        // Each command by its number; the first has one argument of two bytes.
        let mut messages = Vec::new();
        for message in list(&value, "sections[2].content.texts.texts") {
            let mut all = String::new();
            for part in list(message, "parts") {
                all += text(part, "text");
                let control = at(part, "control");
                all += &match case(control) {
                    "open" => format!("<{}>", number(control, "command")),
                    "close" => format!("</{}>", number(control, "command")),
                    _ => "$".to_owned(),
                };
            }
            messages.push(all);
        }
        assert_eq!(messages, ["Hello$", "Take <3>this</4>!$", "$", "a\nb<7>é$"], "{name}");
        let first = "sections[2].content.texts.texts[1].parts[0].control.arguments";
        assert!(matches!(at(&value, first), Value::Bytes(bytes) if bytes == b"\x01\x00"), "{name}");
    }
}

/// A tree in few words, its texts and keys taken from the tables.
fn tree(file: &Value, value: &Value) -> String {
    let line = |table: &str, row: &Value, path: &str| {
        text(file, &format!("{table}.lines[{}].text", number(row, path))).to_owned()
    };
    match case(value) {
        "text" => format!("'{}'", line("strings", value, "text")),
        "list" => list_of(file, at(value, "list")),
        "map" => map_of(file, at(value, "map")),
        "nothing" => "-".to_owned(),
        "bool" => format!("{}", at(value, "bool") == &Value::Bool(true)),
        kind => match at(value, kind) {
            Value::Int(number) => format!("{number}:{kind}"),
            Value::Float { bits, .. } => {
                format!("{:?}:{kind}", f32::from_bits(u32::try_from(*bits).expect("32 bits")))
            }
            other => panic!("{other:?}"),
        },
    }
}

fn list_of(file: &Value, value: &Value) -> String {
    let values = list(value, "values").iter().map(|value| tree(file, value));
    format!("[{}]", values.collect::<Vec<_>>().join(" "))
}

fn map_of(file: &Value, value: &Value) -> String {
    let entries = list(value, "entries").iter().map(|entry| {
        let key = text(file, &format!("keys.lines[{}].text", number(entry, "key")));
        format!("{key}={}", tree(file, at(entry, "value")))
    });
    format!("{{{}}}", entries.collect::<Vec<_>>().join(" "))
}

#[test]
fn trees_have_the_values_that_they_were_made_of() {
    let files = made("byml");
    for (name, value) in &files {
        let root = at(value, "root");
        let found = match case(root) {
            "list" => list_of(value, root),
            _ => map_of(value, root),
        };
        let expected = match name.as_str() {
            "list" => "['a' [true -1:i32] 2.0:f32]",
            _ => {
                "{Big=1099511627776:i64 E={} Hp=3:i32 \
                 Items=[{Id=7:u32 Name='Sword' W=1.5:f32} {Id=8:u32 Name='Bow' W=0.5:f32} []] \
                 Name='Link' Off=- On=true}"
            }
        };
        assert_eq!(found, expected, "{name}");
    }
}
