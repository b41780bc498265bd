//! What errors say: which comes first, and which field of a value somebody has to change.

use formwork::ReadOptions;
use formwork_interpreter::json::Text;
use formwork_interpreter::{Program, StructValue, Value, read, write};
use formwork_tests::programs;

fn schema(text: &str) -> Program {
    programs::from_text("e.kdl", text, None).expect("the schema is clean")
}

#[test]
fn a_wrong_magic_comes_first() {
    let program = schema(
        "module e root=File endian=byte_order\n\
         struct File { Head head; u32 size; bytes data size=size }\n\
         struct Head { magic \"EVT\" size=4 0x00; u8 kind 0x04; reserved 0x05 size=1; byte_order 0x06 }",
    );
    let error = |bytes: &[u8]| {
        let document = read(&program, bytes, &ReadOptions::default());
        document.err().expect("it is no file").to_string()
    };
    let png = "expected \"EVT\\0\", found \"\\x89PNG\" (hex 89 50 4e 47), at 0x0 in head";
    assert_eq!(error(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), png);
    // Also where the file ends early.
    assert_eq!(error(b"\x89PNG"), png);
    assert_eq!(error(b"PK"), "expected \"EVT\\0\", found \"PK\", at 0x0 in head");
    assert!(error(b"EV").starts_with("needs "), "{}", error(b"EV"));
    assert!(error(b"EVT\0\x01\0ab\0\0\0\0").contains("no byte order mark"));
}

/// A hundred thousand problems that are compared with each other are not done in a minute.
#[test]
fn there_may_be_as_many_problems_as_fields() {
    let program = schema(
        "module e root=File endian=little\n\
         struct File { u32 count; Item items count=count }\n\
         struct Item { u8 value max=9 }",
    );
    let item = Value::Struct(StructValue {
        fields: vec![("value".to_owned(), Value::Int(10))],
        ..StructValue::default()
    });
    let count = 100_000;
    let value = Value::Struct(StructValue {
        fields: vec![("items".to_owned(), Value::Array(vec![item; count]))],
        ..StructValue::default()
    });
    let error = write(&program, &value).expect_err("it is refused");
    assert_eq!(error.problems().len(), count);
    let last = error.problems().last().map(ToString::to_string);
    assert_eq!(last.as_deref(), Some("the rule `it <= 9` does not hold, in items[99999].value"));
}

#[test]
fn problems_are_at_what_can_be_changed() {
    let program = schema(
        "module e root=File endian=little\n\
         struct File { u8 count; Element elements count=count; u8 more; Plain plain count=more }\n\
         struct Node { u8 value max=9 }\n\
         struct Plain transparent { u8 n max=2; Node nodes count=n }\n\
         union Element tag=u8 { case list 1 as=Plain; case one 2 { u8 n; Node nodes count=n } }",
    );
    let problems = |value: &str| {
        let head = r#"{"tool": "formwork 0.1.0", "format": "e", "schema_version": 1, "value": "#;
        let text = format!("{head}{value}}}");
        let value = Text::parse(&text).and_then(|text| text.value(&program));
        let error = write(&program, &value.expect("it is a value")).expect_err("it is refused");
        error.problems().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let rule = "the rule `it <= 9` does not hold";
    assert_eq!(
        problems(
            r#"{"elements": [{"list": {"nodes": [{"value": 10}]}}, {"one": {"nodes": [{"value": 11}]}}],
                "plain": [[{"value": 12}]]}"#
        ),
        [
            format!("{rule}, in elements[0].nodes[0].value"),
            format!("{rule}, in elements[1].nodes[0].value"),
            format!("{rule}, in plain[0][0].value"),
        ]
    );
    // The count follows from the array.
    let three = r#"[{"value": 1}, {"value": 1}, {"value": 1}]"#;
    assert_eq!(
        problems(&format!(r#"{{"elements": [], "plain": [{three}]}}"#)),
        ["the rule `n: it <= 2` does not hold, in plain[0]"]
    );
}

/// What is said of a file that cannot be read.
fn refused(text: &str, bytes: &[u8]) -> String {
    let program = schema(&format!("module e root=File endian=big\n{text}"));
    let document = read(&program, bytes, &ReadOptions::default());
    document.err().expect("it is no file").to_string()
}

#[test]
fn references_say_what_they_lead_to() {
    let picks = |pick: &str| {
        format!(
            "struct File {{ u8 kind; union body on=kind {{ case list 1 {{ u8 n; u8 list count=n }}; \
             case none 0 {{ }} }}; u8 pick {pick} }}"
        )
    };
    assert_eq!(
        refused(&picks("ref=\"body.list\""), &[0, 1]),
        "index 1 refers to an array that is not there, at 0x1 in pick"
    );
    assert_eq!(
        refused(&picks("ref=\"body.list\" plus=1"), &[0, 0]),
        "index -1 (stored as 0) refers to an array that is not there, at 0x1 in pick"
    );
    let keys = |pick: &str| {
        format!(
            "pointer \"*\" u8 none=0\n\
             struct File {{ u8 n; Item items count=n; {pick} }}\n\
             struct Item {{ u8 key; u8 kind }}"
        )
    };
    assert_eq!(
        refused(&keys("u8 pick ref=\"items.key\""), &[1, 5, 0, 6]),
        "key 6 is that of no element of its array, at 0x3 in pick"
    );
    assert_eq!(
        refused(&keys("* pick ref=items"), &[1, 5, 0, 2]),
        "pointer 0x2 leads to no element of its array, at 0x3 in pick"
    );
    assert_eq!(
        refused(
            &keys("value u8 pick seen=\"items[0].key\" ref=\"items where kind == 1\""),
            &[1, 0, 0]
        ),
        "index 0 is that of an element that cannot be referred to, at 0x0 in pick"
    );
}

#[test]
fn sizes_and_ends_are_called_so() {
    assert_eq!(
        refused("struct File { u8 size; u8 x count=fill size=\"size - 2\" }", &[1, 0]),
        "size -1 is negative, at 0x1 in x"
    );
    assert_eq!(
        refused("struct File { u8 size; bytes x size=\"size - 2\" }", &[1, 0]),
        "size -1 is negative, at 0x1 in x"
    );
    assert_eq!(
        refused("struct File { u8 n; u16 x count=\"n - 2\" }", &[1, 0]),
        "count -1 is negative, at 0x1 in x"
    );
    let rest = "struct File { u32 n; u8 rest count=fill end=\"end(file) - 4\"; u32 sum }";
    assert_eq!(
        refused(rest, &[0, 0, 0, 1, 0, 0]),
        "it would end at 0x2, which is in front of its start, at 0x4 in rest"
    );
    let rest = "struct File { u8 n; u8 rest count=fill end=n }";
    assert_eq!(
        refused(rest, &[9, 0]),
        "it would end at 0x9, but what is around it ends at 0x2, at 0x1 in rest"
    );
}

#[test]
fn limits_are_called_what_they_are() {
    let problem = |text: &str, value: &str| {
        let program = schema(&format!("module e root=File endian=little\n{text}"));
        let head = r#"{"tool": "formwork 0.1.0", "format": "e", "schema_version": 1, "value": "#;
        let text = format!("{head}{value}}}");
        let value = Text::parse(&text).and_then(|text| text.value(&program));
        write(&program, &value.expect("it is a value")).expect_err("it is refused").to_string()
    };
    let room = "struct File { text name size=8 terminator=nul }";
    assert_eq!(
        problem(room, r#"{"name": "abcdefghijk"}"#),
        "its length is 11, but must be at most 8: the schema fixes the size, in name"
    );
    let varint = "varint len u32 bytes=2 order=lsb-first\nstruct File { len n }";
    assert_eq!(problem(varint, r#"{"n": 16384}"#), "16384 does not fit `u32 bytes=2`, in n");
}
