//! A value as JSON comes back as it was, its spelling included; what is no value is refused with the
//! place in the text.

use std::fs;

use formwork::ReadOptions;
use formwork_interpreter::json::{JsonError, JsonProblem, Style, Text, to_json};
use formwork_interpreter::{Program, Value, read, write};
use formwork_tests::golden::features;
use formwork_tests::{programs, samples, value_text};

/// What is wrong with the JSON of a value, if anything is.
fn check(model: &Program, value: &Value) -> Result<(), String> {
    let written = write(model, value).ok();
    for style in [Style::Pretty, Style::Compact] {
        let text = to_json(model, value, style);
        let parsed = Text::parse(&text).map_err(|error| format!("{error}\n{text}"))?;
        let again = parsed.value(model).map_err(|error| format!("{error}\n{text}"))?;
        let said = to_json(model, &again, style);
        if said != text {
            let mut lines = text.lines().zip(said.lines());
            return Err(format!("becomes another text: {:?}", lines.find(|(a, b)| a != b)));
        }
        if !value.same_spelling(&again) && !same_kept(value, &again) {
            let (was, is) = (value_text::print(value), value_text::print(&again));
            return Err(format!("becomes another value\n{was}\n{is}\n{text}"));
        }
        if written != write(model, &again).ok() {
            return Err("is written as other bytes".to_owned());
        }
    }
    Ok(())
}

/// Whether two values differ in nothing but the order of what is kept.
fn same_kept(a: &Value, b: &Value) -> bool {
    let sorted = |value: &Value| {
        let mut lines = Vec::new();
        value.for_each_kept(&mut |kept| lines.push(format!("{kept:?}")));
        lines.sort();
        lines
    };
    a == b && sorted(a) == sorted(b)
}

fn check_bytes(model: &Program, bytes: &[u8], options: &ReadOptions) -> Result<(), String> {
    match read(model, bytes, options) {
        Ok(document) => check(model, &document.value()),
        Err(_) => Ok(()),
    }
}

#[test]
fn values_of_all_features_come_back() {
    let mut problems = Vec::new();
    let mut count = 0;
    let only = std::env::var("GOLDEN").unwrap_or_default();
    for feature in features(&samples::workspace().join("tests/golden")).expect("features") {
        let name = feature.schema.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(model) = programs::from_file(&feature.schema) else { continue };
        for file in feature.files.iter().filter(|_| name.contains(&only)) {
            count += 1;
            let mut add = |what: String, result: Result<(), String>| {
                if let Err(problem) = result {
                    problems.push(format!("{name}, {what}: {problem}"));
                }
            };
            add(file.name.clone(), check_bytes(&model, &file.bytes, &file.options));
            // Changed files have odd spellings.
            for at in 0..file.bytes.len() {
                let mut bytes = file.bytes.clone();
                bytes[at] ^= 1 << (at % 8);
                let what = format!("{} with a bit of 0x{at:x} changed", file.name);
                add(what, check_bytes(&model, &bytes, &file.options));
            }
        }
    }
    assert!(count > 0);
    let shown: Vec<_> = problems.iter().take(10).cloned().collect();
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), shown.join("\n"));
}

/// Checks the samples of a format; returns how many there are.
/// Files of more than `largest` bytes take too long in a build without optimising.
fn check_samples(
    model: &Program,
    folder: &str,
    extensions: &[&str],
    largest: u64,
) -> Option<usize> {
    let mut files = samples::files(folder, extensions)?;
    files.retain(|path| path.metadata().is_ok_and(|file| file.len() <= largest));
    samples::each(&files, "are the same in JSON", |bytes| {
        let problem = check_bytes(model, bytes, &ReadOptions::default());
        problem.map_err(|problem| problem.chars().take(2000).collect())
    });
    Some(files.len())
}

#[test]
fn samples_of_event_flows_come_back() {
    if let Some(count) = check_samples(programs::evfl(), "evfl", &["bfevfl", "bfevtm"], 300_000) {
        assert_eq!(count, 51);
    }
}

#[test]
fn samples_of_trees_come_back() {
    if let Some(count) = check_samples(programs::esf(), "esf", &["esf", "replay"], 50_000) {
        assert!(count >= 15, "{count} files");
    }
}

#[test]
fn samples_of_graphs_come_back() {
    if let Some(count) = check_samples(programs::ainb(), "ainb", &["ainb"], 50_000) {
        assert!(count >= 12, "{count} files");
    }
}

const SCHEMA: &str = r#"
module shelf "Books" root=File endian=little {
    extension shelf
}
string Title length=until-nul encoding=ascii
enum Kind u8 closed=#true { novel 1; atlas 2 }
enum Shade u8 { dark 0 }
struct File {
    u8     book_count
    Book   books   count=book_count
    f32    height
    Item   item
    Shade  shade
    bytes  seal    size=2
    text   owner   size=4 encoding=utf16
    bool8  locked
}
struct Book { Kind kind; u16 pages; Title title; i8 shelf none=-1 }
union Item tag=u8 { case plain 0 { u8 a }; case other 1 { u8 b } }
"#;

const GOOD: &str = r#"{
  "tool": "formwork 0.1.0",
  "format": "shelf",
  "schema_version": 1,
  "value": {
    "books": [
      {
        "kind": "atlas",
        "pages": 300,
        "title": "M\"\\\t\u007f",
        "shelf": null
      },
      {
        "kind": "novel",
        "pages": 0,
        "title": "",
        "shelf": -128
      }
    ],
    "height": -0.0,
    "item": {
      "other": {
        "b": 7
      }
    },
    "shade": 9,
    "seal": {"hex": "00ff"},
    "owner": {"utf16": [55296, 65]},
    "locked": true
  }
}
"#;

fn shelf() -> Program {
    programs::from_text("shelf.kdl", SCHEMA, None).expect("the schema is clean")
}

#[test]
fn text_is_as_documented() {
    let model = shelf();
    let value = Text::parse(GOOD).and_then(|text| text.value(&model)).expect("it is good");
    assert_eq!(to_json(&model, &value, Style::Pretty), GOOD);
    let compact = to_json(&model, &value, Style::Compact);
    assert!(
        compact.contains(r#"{"kind":"atlas","pages":300,"title":"M\"\\\t\u007f","shelf":null}"#)
    );
    assert_eq!(compact.lines().count(), 1);
    let bytes = write(&model, &value).expect("it can be written");
    let again = read(&model, &bytes, &ReadOptions::default()).expect("it can be read").value();
    assert_eq!(to_json(&model, &again, Style::Pretty), GOOD);
}

/// Problems of the good text with one part replaced, as `PATH: MESSAGE`.
fn problems(model: &Program, old: &str, new: &str) -> Vec<String> {
    assert!(GOOD.contains(old), "{old}");
    problems_of(model, &GOOD.replacen(old, new, 1))
}

/// Problems of a text, as `PATH: MESSAGE`.
fn problems_of(model: &Program, text: &str) -> Vec<String> {
    match Text::parse(text).and_then(|text| text.value(model)) {
        Ok(value) => panic!("`{text}` is read as {}", value_text::line(&value)),
        Err(JsonError::Syntax(error)) => vec![error.to_string()],
        Err(JsonError::Value(problems)) => {
            let text = |problem: &JsonProblem| format!("{}: {}", problem.path, problem.message);
            problems.iter().map(text).collect()
        }
    }
}

#[test]
fn problems_name_the_path_and_what_was_expected() {
    let model = shelf();
    let cases = [
        ("\"pages\": 300,\n", "", "value.books[0].pages: expected an integer, found nothing"),
        (
            "300",
            "\"many\"",
            "value.books[0].pages: expected an integer from 0 to 65535, found \"many\"",
        ),
        ("300", "70000", "value.books[0].pages: expected an integer from 0 to 65535, found 70000"),
        ("300", "3.5", "value.books[0].pages: expected an integer from 0 to 65535, found 3.5"),
        ("300", "null", "value.books[0].pages: expected an integer from 0 to 65535, found null"),
        ("300", "1e400", "value.books[0].pages: expected an integer from 0 to 65535, found 1e400"),
        ("-128", "-129", "value.books[1].shelf: expected an integer from -128 to 127, found -129"),
        (
            "\"atlas\"",
            "\"atlsa\"",
            "value.books[0].kind: expected a member of `Kind` (novel, atlas), found \"atlsa\"",
        ),
        (
            "\"atlas\"",
            "3",
            "value.books[0].kind: expected a member of `Kind` (novel, atlas), found 3",
        ),
        ("9", "256", "value.shade: expected a member of `Shade` (dark), or its number, found 256"),
        (
            "\"kind\"",
            "\"knid\": 1, \"kind\"",
            "value.books[0].knid: `Book` has no such field; it has: kind, pages, title, shelf",
        ),
        (
            "-0.0",
            "1e39",
            "value.height: expected a number of 32 bits (the largest is 3.4028235e38), found 1e39",
        ),
        (
            "-0.0",
            "{\"bits\": \"0x123456789\"}",
            "value.height: expected a number of 32 bits, or {\"bits\": \"0x..\"}, found an object",
        ),
        (
            "\"other\"",
            "\"else\"",
            "value.item: expected an object whose one key is a case (plain, other), found `else`",
        ),
        (
            "\"b\": 7",
            "\"b\": []",
            "value.item.other.b: expected an integer from 0 to 255, found a list",
        ),
        (
            "\"00ff\"",
            "\"00f\"",
            "value.seal: expected two hexadecimal digits for a byte, found \"00f\"",
        ),
        (
            "{\"hex\": \"00ff\"}",
            "\"00ff\"",
            "value.seal: expected bytes, {\"hex\": \"..\"} or {\"base64\": \"..\"}, found \"00ff\"",
        ),
        (
            "[55296, 65]",
            "[65536]",
            "value.owner: expected a text, or {\"utf16\": [..]} with units from 0 to 65535, found an object",
        ),
        ("true", "1", "value.locked: expected `true` or `false`, found 1"),
        ("\"shelf\",", "\"game\",", "format: expected the format `shelf`, found `game`"),
        (": 1,\n", ": 2,\n", "schema_version: expected version 1 of the schema, found 2"),
        ("formwork 0", "other 0", "tool: expected `formwork` and its version, found `other 0.1.0`"),
        ("\"tool\"", "\"tolo\"", "tolo: the header has no such key"),
        ("true\n", "true,\n", "a key in quotes is missing, at line 30, column 3"),
    ];
    for (old, new, expected) in cases {
        let found = problems(&model, old, new);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{old} -> {new}");
    }
}

#[test]
fn a_text_need_not_say_what_made_it() {
    let said = Text::parse(GOOD).expect("it can be read");
    let head = GOOD.find("\"value\"").expect("it has a value");
    let short = format!("{{\"format\": \"shelf\", {}", &GOOD[head..]);
    let text = Text::parse(&short).expect("it can be read");
    assert_eq!((text.header().tool.as_deref(), text.header().schema_version), (None, None));
    assert_eq!(text.value(&shelf()).ok(), said.value(&shelf()).ok());
}

#[test]
fn every_problem_is_reported() {
    let text = GOOD.replace("300", "-1").replace("true", "\"yes\"").replace("\"atlas\"", "[]");
    let Err(JsonError::Value(problems)) = Text::parse(&text).and_then(|text| text.value(&shelf()))
    else {
        panic!("three things are wrong");
    };
    let places: Vec<_> = problems.iter().map(|p| (p.path.as_str(), p.line)).collect();
    let expected = [("value.books[0].kind", 8), ("value.books[0].pages", 9), ("value.locked", 29)];
    assert_eq!(places, expected);
}

#[test]
fn numbers_are_exact() {
    let schema =
        "module n root=File endian=little\nstruct File { u64 a; i64 b; f64 c; f32 d; f32 e }";
    let model = programs::from_text("n.kdl", schema, None).expect("it is clean");
    let mut bytes = [0xff; 8].to_vec();
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 0x80]);
    bytes.extend(0x7ff8_0000_0000_0001_u64.to_le_bytes());
    bytes.extend(0x7fc0_0001_u32.to_le_bytes());
    bytes.extend(0.1_f32.to_le_bytes());
    let value = read(&model, &bytes, &ReadOptions::default()).expect("it can be read").value();
    let text = to_json(&model, &value, Style::Compact);
    assert!(text.ends_with(
        "{\"a\":18446744073709551615,\"b\":-9223372036854775808,\
         \"c\":{\"bits\":\"0x7ff8000000000001\"},\"d\":{\"bits\":\"0x7fc00001\"},\"e\":0.1}}\n"
    ));
    let again = Text::parse(&text).and_then(|text| text.value(&model)).expect("it comes back");
    assert_eq!(write(&model, &again).expect("it can be written"), bytes);
}

#[test]
fn hostile_texts_end_in_errors() {
    let model = programs::from_text(
        "deep.kdl",
        "module deep root=File endian=little\nstruct File { Node top }\n\
         struct Node { u8 count; Node nodes count=count }",
        None,
    )
    .expect("it is clean");
    let head = r#"{"tool": "formwork 0.1.0", "format": "deep", "schema_version": 1, "value": "#;
    let run = move || {
        for depth in [10, 900, 5_000, 1_000_000] {
            let mut text = format!("{head}{{\"top\": ");
            text.push_str(&"{\"nodes\":[".repeat(depth));
            text.push_str(&"]}".repeat(depth));
            text.push_str("}}");
            let result = Text::parse(&text).and_then(|text| text.value(&model));
            assert_eq!(result.is_ok(), depth < 1_000, "{depth}");
            if let Ok(value) = result {
                assert_eq!(write(&model, &value).is_ok(), depth < 100, "{depth}");
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    thread.expect("a thread can be started").join().expect("it does not panic");
}

#[test]
fn fields_of_what_is_not_there_may_be_left_out() {
    let schema = r#"module a root=File endian=little
struct File { u8 k; when "k != 0" { A }; u8 z }
struct A { u8 a; u8 b none=0 }
"#;
    let model = programs::from_text("a.kdl", schema, None).expect("the schema is clean");
    let bytes = |rest: &str| {
        let head = r#""tool": "formwork 0.1.0", "format": "a", "schema_version": 1"#;
        let text = format!(r#"{{{head}, "value": {{"k": {rest}, "z": 9}}}}"#);
        let value = Text::parse(&text).and_then(|text| text.value(&model));
        write(&model, &value.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
    };
    assert_eq!(bytes("0"), Ok(vec![0, 9]));
    assert_eq!(bytes(r#"0, "a": null, "b": null"#), Ok(vec![0, 9]));
    assert_eq!(bytes(r#"1, "a": 5, "b": 6"#), Ok(vec![1, 5, 6, 9]));
    assert_eq!(bytes(r#"1, "a": 5, "b": null"#), Ok(vec![1, 5, 0, 9]));
    assert!(bytes("1").is_err(), "a struct that is there needs its fields");
    assert!(bytes(r#"0, "a": 5"#).is_err(), "nothing is where the struct is not there");
}

#[test]
fn labels_that_may_be_none_may_be_left_out() {
    let schema = "module a root=File endian=little\n\
                  string Name length=until-nul\n\
                  pointer Label u8 to=Name in=File.pool.names none=0\n\
                  struct File { Label first; Label second; u8 k; object Pool pool find=\"3\" }\n\
                  struct Pool { pool names of=Name }";
    let model = programs::from_text("a.kdl", schema, None).expect("the schema is clean");
    let bytes = |fields: &str| {
        let head = r#""tool": "formwork 0.1.0", "format": "a", "schema_version": 1"#;
        let text = format!(r#"{{{head}, "value": {{{fields}"k": 9}}}}"#);
        let value = Text::parse(&text).and_then(|text| text.value(&model));
        write(&model, &value.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
    };
    assert_eq!(bytes(""), Ok(vec![0, 0, 9]));
    assert_eq!(bytes(r#""second": "x", "#), Ok(vec![0, 3, 9, b'x', 0]));
    assert_eq!(bytes(r#""first": null, "second": "x", "#), Ok(vec![0, 3, 9, b'x', 0]));
}

#[test]
fn a_struct_may_stand_for_itself() {
    let schema = "module a root=File endian=little\n\
                  struct File { T t }\nstruct T transparent { u8 n; T inner count=n }";
    let model = programs::from_text("a.kdl", schema, None).expect("it is clean");
    let value = read(&model, &[2, 0, 1, 0], &ReadOptions::default());
    let text = to_json(&model, &value.expect("it can be read").value(), Style::Compact);
    assert!(text.contains("\"value\":{\"t\":[[],[[]]]}"), "{text}");
    let with = |other: &str| {
        let text = text.replace("[[],[[]]]", other);
        Text::parse(&text).and_then(|text| text.value(&model)).is_ok()
    };
    assert!(with("[[[[]]]]"));
    for other in ["5", "{}", "null", "[[5]]", "\"x\""] {
        assert!(!with(other), "{other}");
    }
}

/// What is kept of a row that there is not was kept of another one, or is a slip.
#[test]
fn what_is_kept_is_of_a_row() {
    let schema = "module k root=File endian=little\n\
                  struct File { Sub sub; Outer outer; Half }\n\
                  struct Sub { u8 n; u8 more usually=\"n + 1\" }\n\
                  struct Outer transparent { reserved size=1; Inner inner }\n\
                  struct Inner transparent { reserved size=1; Bare bare }\n\
                  struct Bare transparent { u8 n }\n\
                  struct Half { u8 half; reserved size=1 }";
    let model = programs::from_text("k.kdl", schema, None).expect("it is clean");
    let bytes = [1, 9, 2, 3, 4, 5, 6];
    let value = read(&model, &bytes, &ReadOptions::default()).expect("it can be read").value();
    let text = to_json(&model, &value, Style::Compact);
    let again = Text::parse(&text).and_then(|text| text.value(&model)).expect("it is a value");
    assert_eq!(write(&model, &again).expect("it can be written"), bytes, "{text}");
    let deviation = |row: &str| {
        format!("{{\"row\":\"{row}\",\"kind\":\"reserved\",\"stored\":{{\"hex\":\"07\"}}}}")
    };
    let cases = [
        ("\"row\":\"more\"", "\"row\":\"moer\"", "value.sub.$kept[0].row", "moer"),
        ("\"row\":\"more\"", "\"row\":\"#2\"", "value.sub.$kept[0].row", "#2"),
        ("\"row\":\"#2.#1\"", "\"row\":\"#2.#2\"", "value.$kept[0].row", "#2.#2"),
        ("\"row\":\"#2.#1\"", "\"row\":\"#1.#0\"", "value.$kept[0].row", "#1.#0"),
        ("\"$value\":4", "\"$value\":{\"$value\":4,\"$kept\":[DEVIATION]}", "", "#0"),
    ];
    for (old, new, path, row) in cases {
        let new = new.replace("DEVIATION", &deviation(row));
        assert!(text.contains(old), "{old} in {text}");
        let path = match path {
            "" => "value.outer.$value.$value.$kept[0].row",
            path => path,
        };
        let found = problems_of(&model, &text.replacen(old, &new, 1));
        let expected = format!("{path}: nothing is kept of `{row}`: there is no such row");
        assert_eq!(found, [expected], "{old} -> {new}");
    }
}

/// The schema and the text of the page belong together.
#[test]
fn page_shows_what_is_written() {
    let page = fs::read_to_string(samples::workspace().join("docs/json.md")).expect("it is there");
    let block = |language: &str| {
        let begin = format!("\n```{language}\n");
        let (_, rest) = page.split_once(&begin).expect("there is such a block");
        rest.split_once("```").expect("it has an end").0.to_owned()
    };
    let model = programs::from_text("level.kdl", &block("kdl"), None).expect("it is clean");
    let json = block("json");
    let value = Text::parse(&json).and_then(|text| text.value(&model)).expect("it is a value");
    let bytes = write(&model, &value).expect("it can be written");
    assert_eq!(bytes[1], 1, "the kept number is written");
    let value = read(&model, &bytes, &ReadOptions::default()).expect("it can be read").value();
    assert_eq!(to_json(&model, &value, Style::Pretty), json);
}
