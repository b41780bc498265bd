//! Node graphs of real games are rewritten byte for byte, and what is read from them is what
//! another reader finds, which was written from descriptions of the format alone. So is what comes
//! of edits.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use formwork::ReadOptions;
use formwork_interpreter::{
    ByteRange, Cause, Change, Edit, EditFailure, KeptKind, Source, Value, diff, edit,
};
use formwork_tests::laws;
use formwork_tests::{peers, programs, samples};
use serde_json::{Value as Json, json};

/// Files in the folder; all of them must pass.
const FILES: usize = 14;

/// Largest file whose laws are tried in a build without optimising.
const LARGEST: u64 = 100_000;

fn files() -> Option<Vec<PathBuf>> {
    samples::files("ainb", &["ainb"])
}

#[test]
fn all_files_are_rewritten_identically() {
    let Some(files) = files() else { return };
    samples::each(&files, "are identical", |bytes| samples::rewritten(programs::ainb(), bytes));
    assert_eq!(files.len(), FILES);
}

#[test]
fn the_other_laws_hold() {
    let Some(mut files) = files() else { return };
    files.retain(|path| path.metadata().is_ok_and(|file| file.len() <= LARGEST));
    samples::each(&files, "obey the laws", |bytes| samples::other_laws(programs::ainb(), bytes));
}

/// What does not follow from the rules in each file; of a file that is not named, nothing.
const UNUSUAL: [(&str, &[(&str, usize)]); 3] = [
    // Saved by a tool: it lays out bodies, texts and uses of outputs in its own way.
    ("Vss_Kaisou04_66b8.logic.root.ainb", &[("gap", 3), ("number is_used", 4), ("pool", 1)]),
    // The compiler took nodes out, and left their numbers in place.
    ("WeaponBoneAnmCommon.root.ainb", &[("number multi_count", 2), ("number node_count", 1)]),
    // Saved by a tool that adds sizes twice.
    ("reserialization_test.ainb", &[("number is_used", 4), ("number value_offset", 3)]),
];

#[test]
fn all_other_files_are_by_the_rules() {
    let Some(files) = files() else { return };
    for path in &files {
        let bytes = fs::read(path).expect("the sample can be read");
        let value = laws::value_of(programs::ainb(), &bytes).expect("the sample can be read");
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        value.for_each_kept(&mut |kept| {
            if !kept.kind.is_data() {
                let row = match kept.kind {
                    KeptKind::Number => format!(" {}", kept.row),
                    _ => String::new(),
                };
                *found.entry(format!("{}{row}", kept.kind.name())).or_default() += 1;
            }
        });
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unusual = UNUSUAL.iter().find(|(file, _)| *file == name);
        let expected = unusual.map_or([].as_slice(), |(_, kept)| kept);
        let expected = expected.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect();
        assert_eq!(found, expected, "{name}");
    }
}

/// A value, its fields and cases, or nothing where there is none.
fn of<'v>(value: &'v Value, path: &str) -> &'v Value {
    value.at_path(path).unwrap_or(&Value::None)
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Int(number) => json!(i64::try_from(*number).expect("it has 32 bits")),
        Value::Float { bits, .. } => json!(bits),
        Value::Bool(truth) => json!(truth),
        Value::Text(text) => json!(text),
        Value::Bytes(bytes) => {
            json!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        Value::Array(elements) => elements.iter().map(plain).collect(),
        Value::Struct(value) => value.fields.iter().map(|(_, field)| plain(field)).collect(),
        Value::Spelled(inner, _) => plain(inner),
        _ => Json::Null,
    }
}

fn elements<'v>(value: &'v Value, path: &str) -> &'v [Value] {
    of(value, path).elements().unwrap_or_default()
}

fn listed(value: &Value, path: &str, of_element: impl Fn(&Value) -> Json) -> Json {
    elements(value, path).iter().map(of_element).collect()
}

fn case(value: &Value) -> &str {
    match value {
        Value::Union(union) => &union.case,
        Value::Spelled(inner, _) => case(inner),
        other => panic!("no union: {other:?}"),
    }
}

fn number_of_flags(flags: &Value) -> Json {
    let names = ["query", "module", "root", "multi_2"];
    let set = |name: &&str| *of(flags, name) == Value::Bool(true);
    json!((0..4).filter(|bit| set(&names[*bit])).map(|bit| 1 << bit).sum::<u32>())
}

fn origin(value: &Value) -> Json {
    let unknown = u8::from(*of(value, "unknown_24") == Value::Bool(true));
    match case(value) {
        "own" => json!(["own", 0, unknown]),
        "expression" => json!(["expression", plain(of(value, "index")), unknown]),
        _ => {
            let component = plain(of(value, "component"));
            json!(["blackboard", plain(of(value, "index")), unknown, component])
        }
    }
}

fn source(value: &Value) -> Json {
    let sets = |value: &Value| u8::from(*of(value, "output.sets_blackboard") == Value::Bool(true));
    let (node, number) = ("node", "output.number");
    match case(value) {
        "none" => Json::Null,
        "node" => json!([[plain(of(value, node)), plain(of(value, number)), sets(value)]]),
        _ => {
            let one = |item: &Value| {
                let from = origin(of(item, "origin"));
                json!([plain(of(item, node)), plain(of(item, number)), sets(item), from])
            };
            json!({ "multi": listed(value, "items", one) })
        }
    }
}

/// A property, input or output.
fn parameter(value: &Value) -> Json {
    let mut found = serde_json::Map::new();
    let name = value.at_path("word.name").unwrap_or_else(|| of(value, "name"));
    found.insert("name".into(), plain(name));
    if let Some(class) = value.get("class") {
        found.insert("class".into(), plain(class));
    }
    if let Some(from) = value.get("source") {
        found.insert("source".into(), source(from));
    }
    if let Some(from) = value.get("origin") {
        found.insert("flags".into(), origin(from));
        found.insert("value".into(), plain(of(value, "value")));
    }
    Json::Object(found)
}

fn by_type(value: &Value, rows: [&str; 6]) -> Json {
    let types = ["int", "bool", "float", "string", "vector", "pointer"];
    let all = types.into_iter().zip(rows);
    all.map(|(name, row)| (name.to_owned(), listed(value, row, parameter)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn properties(value: &Value) -> Json {
    by_type(value, ["ints", "bools", "floats", "strings", "vectors", "pointers"])
}

fn link(slot: u8, value: &Value, tail: &str) -> Json {
    let tail = of(value, tail);
    let (node, name) = (plain(of(value, "node")), plain(of(value, "name")));
    let more = match case(tail) {
        "always" | "none" => return json!([slot, node, name]),
        "above" => json!([plain(of(tail, "min")), plain(of(tail, "max"))]),
        "other" => plain(of(tail, "text")),
        _ => plain(of(tail, "value")),
    };
    json!([slot, node, name, more])
}

fn transition(file: &Value, value: &Value) -> Json {
    let Value::Int(index) = of(value, "transition") else { panic!("no index") };
    let to = of(file, "transitions").elements().expect("a list");
    let to = &to[usize::try_from(*index).expect("an index")];
    let after = u8::from(*of(to, "after_command") == Value::Bool(true));
    let kind = u8::from(case(to) == "plain");
    json!([3, plain(of(value, "node")), [kind, after, plain(of(to, "command"))]])
}

fn node(file: &Value, value: &Value) -> Json {
    let body = of(value, "body");
    let mut links = Vec::new();
    let mut add = |slot, row: &str, tail: &str| {
        links.extend(elements(body, row).iter().map(|value| link(slot, value, tail)));
    };
    add(0, "links", "default");
    add(2, "children", "condition");
    links.extend(elements(body, "transition_links").iter().map(|value| transition(file, value)));
    let mut add = |slot, row: &str, tail: &str| {
        links.extend(elements(body, row).iter().map(|value| link(slot, value, tail)));
    };
    add(4, "text_links", "default");
    add(5, "int_links", "default");
    let attachments = of(file, "attachments").elements().expect("a list");
    let inputs = ["int_in", "bool_in", "float_in", "string_in", "vector_in", "pointer_in"];
    let outputs = ["int_out", "bool_out", "float_out", "string_out", "vector_out", "pointer_out"];
    json!({
        "type": plain(of(value, "type")),
        "flags": number_of_flags(of(value, "flags")),
        "name": plain(of(value, "name")),
        "guid": plain(of(value, "guid")),
        "properties": properties(body),
        "inputs": by_type(body, inputs),
        "outputs": by_type(body, outputs),
        "links": links,
        "attachments": listed(value, "attachments", |index| {
            let Value::Int(index) = index else { panic!("no index") };
            plain(of(&attachments[usize::try_from(*index).expect("an index")], "name"))
        }),
        "queries": listed(value, "queries", |query| plain(of(query, "node"))),
    })
}

fn variables(file: &Value) -> Json {
    let board = of(file, "blackboard");
    let files = of(board, "files").elements().expect("a list");
    let mut all = serde_json::Map::new();
    for kind in ["string", "int", "unsigned", "float", "bool", "vector", "pointer"] {
        let Some(found) = board.get(&format!("{kind}s")).and_then(Value::elements) else {
            continue;
        };
        let values = board.get(&format!("{kind}_values")).and_then(Value::elements);
        let one = |(index, variable): (usize, &Value)| {
            let word = of(variable, "word");
            let refers = match of(word, "file") {
                Value::Int(file) => plain(of(&files[usize::try_from(*file).expect("few")], "path")),
                _ => Json::Null,
            };
            let value = values.map_or(Json::Null, |values| plain(&values[index]));
            let (name, inherit) = (plain(of(word, "name")), plain(of(word, "inherit")));
            json!([name, plain(of(variable, "notes")), inherit, value, refers])
        };
        all.insert(kind.into(), found.iter().enumerate().map(one).collect());
    }
    all.into()
}

fn step(value: &Value, functions: &[Value]) -> Json {
    let row = |name| plain(of(value, name));
    match case(value) {
        "end" => json!([1]),
        "call" => {
            let Value::Int(index) = of(value, "signature") else { panic!("no index") };
            let function = plain(&functions[usize::try_from(*index).expect("an index")]);
            json!([27, row("type"), row("argument"), function])
        }
        "jump_if" => json!([28, row("type"), row("kind"), row("value"), row("target")]),
        "jump" => json!([29, row("target")]),
        "unary" => json!([row("op"), row("type"), row("kind"), row("value")]),
        _ => json!([
            row("op"),
            row("type"),
            row("kind_1"),
            row("kind_2"),
            row("value_1"),
            row("value_2")
        ]),
    }
}

fn expressions(file: &Value) -> Json {
    let all = of(file, "expressions");
    if *all == Value::None {
        return Json::Null;
    }
    let functions = elements(all, "signatures.items");
    let steps = |value: &Value, row| listed(value, row, |value| step(value, functions));
    json!({
        "version": plain(of(all, "version")),
        "records": listed(all, "records.items", |value| {
            let types = json!([plain(of(value, "output_type")), plain(of(value, "input_type"))]);
            json!([steps(value, "setup"), steps(value, "main"), types])
        }),
        "functions": listed(all, "signatures.items", plain),
        "values": listed(all, "values", plain),
    })
}

/// A number that a program replaces: what is said of where it is, or else its offset.
fn replaced(value: &Value) -> Json {
    let rows = ["node", "property", "input", "child", "int_link"].into_iter();
    let rows = rows.chain(["attachment", "attachment_property", "variable", "constant"]);
    let said = rows.map(|row| (row.to_owned(), plain(of(value, row))));
    let said: serde_json::Map<_, _> = said.filter(|(_, index)| !index.is_null()).collect();
    let place = match value {
        Value::Struct(patch) if said.is_empty() => plain(&patch.kept[0].stored),
        _ => said.into(),
    };
    json!([place, plain(of(value, "class")), plain(of(value, "value"))])
}

/// What a graph says, in the words of the other reader.
fn everything(file: &Value) -> Json {
    let old = *of(file, "version") == Value::Int(0x404);
    let count = |path: &str| elements(file, path).len();
    let named = if old { 0 } else { count("nodes") + count("attachments") };
    json!({
        "version": plain(of(file, "version")),
        "file_name": plain(of(file, "file_name")),
        "category": [plain(of(file, "category_name")), plain(of(file, "category"))],
        "commands": listed(file, "commands", plain),
        "nodes": listed(file, "nodes", |value| node(file, value)),
        "blackboard": variables(file),
        "attachments": listed(file, "attachments", |value| {
            json!({
                "name": plain(of(value, "name")),
                "debug": plain(of(value, "block.debug")),
                "properties": properties(of(value, "block")),
            })
        }),
        "modules": listed(file, "modules.items", plain),
        "actions": listed(file, "actions.items", plain),
        "expressions": expressions(file),
        "hashes": named + 3 * count("blackboard.files"),
        "replaced": listed(file, "enums.items", replaced),
    })
}

/// The first place where two texts differ.
fn difference(a: &Json, b: &Json, path: &str) -> Option<String> {
    match (a, b) {
        (Json::Object(x), Json::Object(y)) if x.len() == y.len() => {
            x.iter().find_map(|(key, a)| {
                let path = format!("{path}.{key}");
                match y.get(key) {
                    Some(b) => difference(a, b, &path),
                    None => Some(path),
                }
            })
        }
        (Json::Array(x), Json::Array(y)) if x.len() == y.len() => {
            let mut pairs = x.iter().zip(y).enumerate();
            pairs.find_map(|(index, (a, b))| difference(a, b, &format!("{path}[{index}]")))
        }
        _ if a == b => None,
        _ => Some(format!("{path}: {a} and {b}")),
    }
}

#[test]
fn values_are_those_of_another_reader() {
    let mut all = samples::files_in(&samples::workspace().join("fixtures"), &["ainb"]);
    all.extend(files().into_iter().flatten());
    let mut problems = Vec::new();
    for path in &all {
        let bytes = fs::read(path).expect("the file can be read");
        let value = laws::value_of(programs::ainb(), &bytes)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let Some(expected) = peers::print("ainb.py", path) else { return };
        if let Some(what) = difference(&everything(&value), &expected, "") {
            problems.push(format!("{}: {what}", path.display()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(all.len() > 3);
}

/// What inputs of a node read that is not among the outputs of the node which they read from.
fn reads_of_nothing(file: &Value) -> (usize, Vec<String>) {
    let nodes = of(file, "nodes").elements().expect("a list");
    let nodes: Vec<Json> = nodes.iter().map(|value| node(file, value)).collect();
    let (mut reads, mut problems) = (0, Vec::new());
    for (index, reader) in nodes.iter().enumerate() {
        for (kind, inputs) in reader["inputs"].as_object().expect("inputs have types") {
            for input in inputs.as_array().expect("a list") {
                let source = &input["source"];
                let sources = source.get("multi").unwrap_or(source).as_array();
                for source in sources.into_iter().flatten() {
                    let number = |at: usize| usize::try_from(source[at].as_u64()?).ok();
                    let read = || nodes.get(number(0)?)?["outputs"][kind].get(number(1)?);
                    reads += 1;
                    if read().is_none() {
                        let (name, output) = (input["name"].as_str(), &source[1]);
                        problems.push(format!(
                            "node {index}, input {}: output {output} of node {}",
                            name.unwrap_or_default(),
                            source[0]
                        ));
                    }
                }
            }
        }
    }
    (reads, problems)
}

/// A tool gave the sources of an input for truth values to one for integers, and the other way round.
/// What is used was computed before: these outputs are the ones that [`UNUSUAL`] has of this file.
const EXCHANGED: (&str, &[&str]) = (
    "reserialization_test.ainb",
    &[
        "node 610, input MultiBool: output 0 of node 728",
        "node 610, input MultiBool: output 0 of node 729",
        "node 708, input LayerEntities: output 0 of node 607",
        "node 708, input LayerEntities: output 0 of node 609",
    ],
);

#[test]
fn outputs_that_are_read_exist() {
    let mut all = samples::files_in(&samples::workspace().join("fixtures"), &["ainb"]);
    all.extend(files().into_iter().flatten());
    let mut reads = 0;
    for path in &all {
        let bytes = fs::read(path).expect("the file can be read");
        let value = laws::value_of(programs::ainb(), &bytes).expect("the file can be read");
        let (more, problems) = reads_of_nothing(&value);
        reads += more;
        let exchanged = path.ends_with(EXCHANGED.0);
        let expected = if exchanged { EXCHANGED.1 } else { &[] };
        assert_eq!(problems, expected, "{}", path.display());
    }
    assert!(reads > 3, "{reads} outputs are read");
    println!("{reads} outputs are read");
}

/// A node that nothing refers to, with a text and one child.
fn new_node(child: u32) -> String {
    let empty = |rows: &[&str]| {
        rows.iter().map(|row| format!(r#""{row}": []"#)).collect::<Vec<_>>().join(", ")
    };
    let before = empty(&["ints", "bools", "floats"]);
    let inputs = ["int_in", "bool_in", "float_in", "string_in", "vector_in", "pointer_in"];
    let outputs = ["int_out", "bool_out", "float_out", "string_out", "vector_out", "pointer_out"];
    let links = ["links", "transition_links", "text_links", "int_links"];
    let behind = [["vectors", "pointers"].as_slice(), &inputs, &outputs, &links].concat();
    let behind = empty(&behind);
    format!(
        r#"{{
            "type": "user_defined", "name": "ExecuteNew",
            "flags": {{"query": false, "module": false, "root": true, "multi_2": false}},
            "guid": {{"hex": "000102030405060708090a0b0c0d0e0f"}},
            "attachments": [], "queries": [],
            "body": {{
                {before},
                "strings": [
                    {{"name": "NewText", "origin": {{"own": {{}}}}, "value": "a text, as new"}}
                ],
                "children": [
                    {{"node": {child}, "name": "NewChild", "condition": {{"always": {{}}}}}}
                ],
                {behind}
            }}
        }}"#
    )
}

/// Files to edit: one with everything, and real ones of some nodes.
fn to_edit() -> Vec<PathBuf> {
    let mut all = vec![samples::workspace().join("fixtures/every_node.ainb")];
    let names = ["WeaponZonauCommon.root.ainb", "SoulSageWeapon.root.ainb"];
    let real = files().into_iter().flatten();
    all.extend(
        real.filter(|path| path.file_name().is_some_and(|name| names.iter().any(|n| *n == name))),
    );
    all
}

/// What an edit does to a value.
type Done = fn(&mut Value) -> Result<(), EditFailure>;

fn insert(value: &mut Value, path: &str, json: &str) -> Result<(), EditFailure> {
    edit(programs::ainb(), value, path, Edit::Insert(Source::Json(json)))
}

fn set(value: &mut Value, path: &str, json: &str) -> Result<(), EditFailure> {
    edit(programs::ainb(), value, path, Edit::Set(Source::Json(json)))
}

/// Edits, and what a comparison says that has changed.
const EDITS: &[(&str, Done, &[&str])] = &[
    ("a node in front", |value| insert(value, "nodes[0]", &new_node(0)), &["added nodes[0]"]),
    ("a node behind", |value| insert(value, "nodes", &new_node(1)), &["added nodes[*]"]),
    (
        "a command",
        |value| {
            let json = r#"{"name": "New", "guid": {"hex": "000102030405060708090a0b0c0d0e0f"},
                "root_node": 1, "second_root": null}"#;
            insert(value, "commands[0]", json)
        },
        &["added commands[0]"],
    ),
    (
        "transitions",
        |value| {
            let leave = r#"{"leave": {"after_command": true, "command": "New"}}"#;
            insert(value, "transitions[0]", leave)?;
            insert(value, "transitions[1]", r#"{"plain": {"after_command": false}}"#)?;
            let link = r#"{"node": 0, "transition": 1}"#;
            insert(value, "nodes[1].body.transition_links[0]", link)
        },
        &[
            "added nodes[1].body.transition_links[0]",
            "added transitions[0]",
            "added transitions[1]",
        ],
    ),
    (
        "a longer text",
        |value| set(value, "nodes[1].name", r#""ExecuteSomethingWithAMuchLongerName""#),
        &["changed nodes[1].name"],
    ),
    (
        "a node and none",
        |value| {
            insert(value, "nodes[1]", &new_node(1))?;
            edit(programs::ainb(), value, "nodes[1]", Edit::Remove(None))
        },
        &[],
    ),
    (
        "a node less",
        |value| {
            // Nothing may refer to it, so the ones in front of it do not.
            for node in 0..of(value, "nodes").elements().map_or(0, <[Value]>::len) {
                let path = format!("nodes[{node}]");
                if edit(programs::ainb(), value, &path, Edit::Remove(None)).is_ok() {
                    return Ok(());
                }
            }
            Err(EditFailure::Path { known: "nodes".into(), message: "all are needed".into() })
        },
        &["removed nodes[*]"],
    ),
];

#[test]
fn edits_are_written_as_what_they_say() {
    let program = programs::ainb();
    let mut removed = 0;
    for path in &to_edit() {
        let before = fs::read(path).expect("the file can be read");
        for (name, done, expected) in EDITS {
            let about = format!("{}: {name}", path.display());
            let mut value = laws::value_of(program, &before).expect("the file can be read");
            if let Err(error) = done(&mut value) {
                // Of a small graph each node may be needed.
                assert_eq!(*name, "a node less", "{about}: {error}");
                continue;
            }
            removed += u32::from(*name == "a node less");
            let after = laws::put_get(program, &value).unwrap_or_else(|e| panic!("{about}: {e}"));
            let found = diff(program, &before, &after, &ReadOptions::default());
            let mut changes: Vec<String> = found.changes.iter().map(shown).collect();
            changes.sort();
            assert_eq!(&changes, expected, "{about}");
            // Bytes of no field are those between objects, of which graphs have none.
            let unknown = |range: &&ByteRange| matches!(range.cause, Cause::Padding);
            assert_eq!(found.ranges.iter().find(unknown), None, "{about}");
            if expected.is_empty() {
                assert!(before == after, "{about}");
            }
            // The other reader looks at counts, bases, offsets, hashes and links, too.
            let file = std::env::temp_dir().join(format!("formwork-{}.ainb", std::process::id()));
            fs::write(&file, &after).expect("the file can be written");
            let other = peers::print("ainb.py", &file);
            fs::remove_file(&file).expect("the file is there");
            let Some(other) = other else { return };
            assert_eq!(difference(&everything(&value), &other, ""), None, "{about}");
        }
    }
    assert!(removed > 0);
}

#[test]
fn attachments_of_nodes_follow_them() {
    let path = samples::workspace().join("fixtures/every_node.ainb");
    let bytes = fs::read(path).expect("the fixture can be read");
    let mut value = laws::value_of(programs::ainb(), &bytes).expect("it can be read");
    let of_node = |value: &Value| plain(of(value, "nodes[1].attachments"));
    assert_eq!(of_node(&value), json!([1, 0]));
    let rows = ["ints", "bools", "floats", "strings", "vectors", "pointers"];
    let rows: Vec<_> = rows.iter().map(|row| format!(r#""{row}": []"#)).collect();
    let new = format!(r#"{{"name": "New", "block": {{"debug": 0, {}}}}}"#, rows.join(", "));
    insert(&mut value, "attachments[0]", &new).expect("there is room");
    assert_eq!(of_node(&value), json!([2, 1]));
    laws::put_get(programs::ainb(), &value).unwrap_or_else(|error| panic!("{error}"));
    let error = edit(programs::ainb(), &mut value, "attachments[1]", Edit::Remove(None));
    assert!(error.is_err(), "a node has it");
}

/// The numbers that a program replaces, where the offsets in a file say.
fn at_offsets(bytes: &[u8]) -> Vec<Option<i32>> {
    let word = |at: usize| bytes.get(at..at + 4).map(|b| [b[0], b[1], b[2], b[3]]);
    let offset = |at: usize| {
        let word = word(at).expect("it is in the file");
        usize::try_from(u32::from_le_bytes(word)).expect("it has 32 bits")
    };
    let table = offset(0x28);
    let patches = (0..offset(table)).map(|patch| offset(table + 4 + 12 * patch));
    patches.map(|at| word(at).map(i32::from_le_bytes)).collect()
}

#[test]
fn numbers_that_a_program_replaces_are_followed() {
    let program = programs::ainb();
    let path = samples::workspace().join("fixtures/every_node.ainb");
    let bytes = fs::read(path).expect("the fixture can be read");
    let mut value = laws::value_of(program, &bytes).expect("it can be read");
    let targets = [
        "nodes[4].body.children[0].condition.value",
        "nodes[4].body.children[2].condition.value",
        "nodes[4].body.int_in[0].value",
        "nodes[4].body.int_links[0].default.value",
        "nodes[1].body.int_in[3].value",
        "nodes[12].body.ints[1].value",
        "attachments[0].block.ints[2].value",
        "blackboard.int_values[1]",
        "expressions.values[3]",
    ];
    for (number, target) in (1000..).zip(targets) {
        *value.at_path_mut(target).expect("it is there") = Value::Int(number);
    }
    let numbers: Vec<_> = (1000..).take(targets.len()).map(Some).collect();
    let held = edit(program, &mut value, "nodes[12].body.ints[1]", Edit::Remove(None));
    assert!(held.is_err(), "a patch refers to it");
    let remove = |value: &mut Value, path| edit(program, value, path, Edit::Remove(None));
    let property = r#"{"name": "New", "origin": {"own": {}}, "value": 5}"#;
    let child = r#"{"node": 3, "name": "New", "condition": {"equals":
        {"word": {"constant": {}}, "value": 6}}}"#;
    type Change<'c> = &'c dyn Fn(&mut Value) -> Result<(), EditFailure>;
    let edits: [(&str, Change<'_>); 10] = [
        ("nothing", &|_| Ok(())),
        ("a node in front", &|value| insert(value, "nodes[0]", &new_node(0))),
        ("a longer name", &|value| set(value, "nodes[1].name", r#""AMuchLongerName""#)),
        ("a property less", &|value| remove(value, "nodes[13].body.ints[0]")),
        ("a property more", &|value| insert(value, "nodes[2].body.ints[0]", property)),
        ("a child more", &|value| insert(value, "nodes[5].body.children[0]", child)),
        ("a child elsewhere", &|value| {
            edit(program, value, "nodes[5].body.children[3]", Edit::Move(0))
        }),
        ("a property of an attachment less", &|value| {
            remove(value, "attachments[0].block.ints[0]")
        }),
        ("a variable less", &|value| {
            remove(value, "blackboard.ints[0]")?;
            remove(value, "blackboard.int_values[0]")
        }),
        ("a constant more", &|value| insert(value, "expressions.values[0]", "7")),
    ];
    for (about, done) in edits {
        done(&mut value).unwrap_or_else(|error| panic!("{about}: {error}"));
        let written = laws::put_get(program, &value).unwrap_or_else(|e| panic!("{about}: {e}"));
        let mut found = at_offsets(&written);
        found.pop();
        assert_eq!(found, numbers, "{about}");
    }
}

/// A change, without positions that are not that of the first element.
fn shown(change: &Change) -> String {
    let place = change.new.as_ref().or(change.old.as_ref()).expect("one of both");
    let (head, last) = place.path.rsplit_once('[').unwrap_or((&place.path, "0]"));
    let path = match last {
        "0]" | "1]" => place.path.clone(),
        last if last.ends_with(']') => format!("{head}[*]"),
        _ => place.path.clone(),
    };
    format!("{} {path}", change.kind.name())
}
