//! Fields that a value lacks, in layouts that have them and in layouts that do not.

use formwork_interpreter::{Program, StructValue, Value, program, write};

/// `added` is there from version 2 on.
const SCHEMA: &str = r#"
module missing "A field that is added later" root=File endian=little

epoch version from=File.version

struct File {
    u8  version
    when "version >= 2" { u8 added }
}
"#;

/// The same, with a number that stands for it in layouts that lack it.
const STATED: &str = r#"
module missing "A field that is added later" root=File endian=little

epoch version from=File.version

struct File {
    columns "1" "2.."
    u8  version  0  0
    u8  added    -  1  absent=0
}
"#;

fn prepared(schema: &str) -> Program {
    let loaded = formwork_codegen::load("missing.kdl", schema, None, &());
    program(loaded.model.expect("the schema has no errors"))
}

/// A file of this version; `added` is left out, or has the value.
fn file(version: i128, added: Option<Value>) -> Value {
    let version = ("version".to_owned(), Value::Int(version));
    let added = added.map(|added| ("added".to_owned(), added));
    Value::Struct(StructValue {
        fields: [version].into_iter().chain(added).collect(),
        kept: vec![],
    })
}

/// The bytes that are written, or the codes and paths of all problems.
fn written(schema: &str, value: &Value) -> Result<Vec<u8>, Vec<String>> {
    let problem = |p: &formwork::Problem| format!("{} {}", p.kind.code(), p.path);
    write(&prepared(schema), value).map_err(|error| error.problems().iter().map(problem).collect())
}

#[test]
fn a_layout_without_the_field_needs_no_value() {
    for added in [None, Some(Value::None)] {
        assert_eq!(written(SCHEMA, &file(1, added.clone())), Ok(vec![1]));
        assert_eq!(written(STATED, &file(1, added)), Ok(vec![1]));
    }
}

/// That some other layout lacks the field is no reason to do without its value.
#[test]
fn a_layout_with_the_field_needs_a_value() {
    for added in [None, Some(Value::None)] {
        let refused = vec!["missing_field added".to_owned()];
        assert_eq!(written(SCHEMA, &file(2, added.clone())), Err(refused.clone()));
        // What the schema states stands for a field that is left out, not for one without a value.
        let stated = if added.is_none() { Ok(vec![2, 0]) } else { Err(refused) };
        assert_eq!(written(STATED, &file(2, added)), stated);
    }
    for schema in [SCHEMA, STATED] {
        assert_eq!(written(schema, &file(2, Some(Value::Int(7)))), Ok(vec![2, 7]));
    }
}
