//! Values of node graphs of our own making, for fixtures and tests. Nothing in them comes from a
//! real file.

use formwork_interpreter::{Kept, KeptKind, StructValue, Value};

use crate::flows::{case, f32, int, list, record, text};

/// Types of parameters: the properties, inputs and outputs of a node stand in this order.
const TYPES: [&str; 6] = ["int", "bool", "float", "string", "vector", "pointer"];

type Fields<'a> = Vec<(&'a str, Value)>;

/// A struct of these fields, some of which others stand for.
fn with<'a>(usual: Fields<'a>, others: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let mut fields = usual;
    for (name, value) in others {
        match fields.iter_mut().find(|(usual, _)| *usual == name) {
            Some((_, usual)) => *usual = value,
            None => fields.push((name, value)),
        }
    }
    record(fields)
}

fn none() -> Value {
    list([])
}

fn guid(number: u8) -> Value {
    Value::Bytes((0..16).map(|byte| byte ^ number).collect())
}

fn vector(x: f32, y: f32, z: f32) -> Value {
    record([("x", f32(x)), ("y", f32(y)), ("z", f32(z))])
}

/// The value of a constant, or of an input without a source.
fn of_type(kind: &str) -> Value {
    match kind {
        "int" => int(-5),
        "bool" => Value::Bool(true),
        "float" => f32(0.5),
        "string" => text("Grüße"),
        _ => vector(1.0, -2.0, 0.0),
    }
}

fn no() -> Value {
    Value::Bool(false)
}

/// Of an input: whether it is set for one without a source follows from the source.
fn own() -> Value {
    case("own", [("unknown_24", no())])
}

/// Of anything else.
fn plain() -> Value {
    case("own", [])
}

/// Of an input.
fn computed(index: i128) -> Value {
    case("expression", [("index", int(index)), ("unknown_24", no())])
}

/// Of anything else.
fn from_expression(index: i128) -> Value {
    case("expression", [("index", int(index))])
}

fn from_variable(index: i128, component: i128) -> Value {
    let fields = [("index", int(index)), ("component", int(component)), ("unknown", no())];
    case("blackboard", fields)
}

/// A field for the class of a pointer, and one for the value of anything else.
fn class_and_value(kind: &str) -> [Option<(&'static str, Value)>; 2] {
    match kind {
        "pointer" => [Some(("class", text("our::Actor"))), None],
        _ => [None, Some(("value", of_type(kind)))],
    }
}

fn property(kind: &str, name: &str, origin: Value) -> Value {
    let [class, value] = class_and_value(kind);
    let name = [("name", text(name))];
    record(name.into_iter().chain(class).chain([("origin", origin)]).chain(value))
}

fn input(kind: &str, name: &str, source: Value, origin: Value) -> Value {
    let [class, value] = class_and_value(kind);
    let from = [("source", source), ("origin", origin)];
    record([("name", text(name))].into_iter().chain(class).chain(from).chain(value))
}

fn output(kind: &str, name: &str) -> Value {
    let word = record([("name", text(name)), ("unknown", no())]);
    let [class, _] = class_and_value(kind);
    record([("word", word)].into_iter().chain(class))
}

fn unread() -> Value {
    case("none", [("output", int(0))])
}

fn output_number(number: i128) -> Value {
    record([("number", int(number)), ("sets_blackboard", no())])
}

fn from_node(node: i128, number: i128) -> Value {
    case("node", [("node", int(node)), ("output", output_number(number))])
}

fn from_several(sources: &[(i128, i128, Value)]) -> Value {
    let one = |(node, number, origin): &(i128, i128, Value)| {
        record([
            ("node", int(*node)),
            ("output", output_number(*number)),
            ("origin", origin.clone()),
        ])
    };
    case("multi", [("items", list(sources.iter().map(one)))])
}

/// A node; what is not said is empty.
pub fn node<'a>(
    kind: i128,
    name: &str,
    number: u8,
    fields: impl IntoIterator<Item = (&'a str, Value)>,
    body: impl IntoIterator<Item = (&'a str, Value)>,
) -> Value {
    let mut usual: Fields<'a> = ["ints", "bools", "floats", "strings", "vectors", "pointers"]
        .into_iter()
        .chain(["int_in", "int_out", "bool_in", "bool_out", "float_in", "float_out"])
        .chain(["string_in", "string_out", "vector_in", "vector_out", "pointer_in", "pointer_out"])
        .chain(["links", "children", "transition_links", "text_links", "int_links"])
        .map(|name| (name, none()))
        .collect();
    let body = with(std::mem::take(&mut usual), body);
    let usual = vec![
        ("type", int(kind)),
        ("flags", flags([])),
        ("name", text(name)),
        ("body", body),
        ("state", Value::None),
        ("guid", guid(number)),
        ("attachments", none()),
        ("queries", none()),
    ];
    with(usual, fields)
}

fn flags<const N: usize>(names: [&str; N]) -> Value {
    let all = ["query", "module", "root", "multi_2"];
    record(all.map(|name| (name, Value::Bool(names.contains(&name)))))
}

fn constant() -> Value {
    case("constant", [])
}

fn of_variable(index: i128) -> Value {
    case("blackboard", [("index", int(index))])
}

fn child(node: i128, name: &str, condition: Value) -> Value {
    record([("node", int(node)), ("name", text(name)), ("condition", condition)])
}

fn always(node: i128, name: &str) -> Value {
    child(node, name, case("always", []))
}

fn equals(node: i128, name: &str, word: Value, value: i128) -> Value {
    child(node, name, case("equals", [("word", word), ("value", int(value))]))
}

fn link(node: Value, name: &str, default: Value) -> Value {
    record([("node", node), ("name", text(name)), ("default", default)])
}

/// A graph; what is not said is empty.
pub fn graph<'a>(
    version: i128,
    name: &str,
    fields: impl IntoIterator<Item = (&'a str, Value)>,
) -> Value {
    let later = version >= 0x408;
    let changes = record([("items", none())]);
    let usual = vec![
        ("version", int(version)),
        ("file_name", text(name)),
        ("blackboard", blackboard(later, [])),
        ("enums", record([("items", none())])),
        ("transitions", none()),
        ("attachments", none()),
        ("expressions", Value::None),
        ("replacements", if version >= 0x407 { changes } else { Value::None }),
        ("section_58", Value::None),
        ("modules", record([("items", none())])),
        ("category_name", text("AI")),
        ("category", int(0)),
        ("actions", record([("items", none())])),
        ("blackboard_ids", record([("id", int(0x1234_5678)), ("parent_id", int(0))])),
        ("commands", none()),
        ("nodes", none()),
    ];
    with(usual, fields)
}

fn blackboard<'a>(later: bool, fields: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let rows = ["strings", "ints", "unsigneds", "floats", "bools", "vectors", "pointers"];
    let values = ["string_values", "int_values", "unsigned_values", "float_values"];
    let all = rows.into_iter().chain(values).chain(["bool_values", "vector_values", "files"]);
    let usual = all.filter(|row| later || !row.starts_with("unsigned"));
    with(usual.map(|row| (row, none())).collect(), fields)
}

fn variable(name: &str, inherit: i128) -> Value {
    let word = case("own", [("name", text(name)), ("inherit", int(inherit))]);
    record([("word", word), ("notes", text(""))])
}

fn variable_of_file(name: &str, file: i128) -> Value {
    let word = case("file", [("name", text(name)), ("inherit", int(0)), ("file", int(file))]);
    record([("word", word), ("notes", text("see there"))])
}

/// A variable of each type, two of them with files.
fn every_variable(later: bool) -> Value {
    let file = |path: &str| record([("path", text(path))]);
    let mut all = vec![
        ("strings", list([variable("Greeting", 2)])),
        ("ints", list([variable("Steps", 1), variable_of_file("Weight", 1)])),
        ("floats", list([variable_of_file("Ratio", 0)])),
        ("bools", list([variable("IsDay", 2)])),
        ("vectors", list([variable("Home", 2)])),
        ("pointers", list([variable("Friend", 2)])),
        ("string_values", list([text("Hello")])),
        ("int_values", list([int(-1), int(7)])),
        ("float_values", list([f32(0.25)])),
        ("bool_values", list([Value::Bool(true)])),
        ("vector_values", list([vector(1.0, 2.0, 3.0)])),
        ("files", list([file("Work/Garden/Ratio.table.gyml"), file("Work/Garden/Weight")])),
    ];
    if later {
        all.push(("unsigneds", list([variable("Mask", 2)])));
        all.push(("unsigned_values", list([int(0xffff_fff0)])));
    }
    blackboard(later, all)
}

fn command(name: &str, number: u8, root: i128, second: Value) -> Value {
    record([
        ("name", text(name)),
        ("guid", guid(number)),
        ("root_node", int(root)),
        ("second_root", second),
    ])
}

fn store(kind: i128, to: (i128, i128), from: (i128, i128)) -> Value {
    binary(2, kind, to, from)
}

fn binary(op: i128, kind: i128, a: (i128, i128), b: (i128, i128)) -> Value {
    case(
        "binary",
        [
            ("op", int(op)),
            ("type", int(kind)),
            ("kind_1", int(a.0)),
            ("kind_2", int(b.0)),
            ("value_1", int(a.1)),
            ("value_2", int(b.1)),
        ],
    )
}

fn unary(op: i128, kind: i128, (of, value): (i128, i128)) -> Value {
    case("unary", [("op", int(op)), ("type", int(kind)), ("kind", int(of)), ("value", int(value))])
}

fn end() -> Value {
    case("end", [])
}

/// Expressions with every instruction and every kind of operand, and types of a later version if
/// that is wanted.
fn every_expression(version: i128) -> Value {
    let later = i128::from(version >= 3);
    let (float, string, vec) = (4 + later, 5 + later, 6 + later);
    let call = [("type", int(float)), ("argument", int(4)), ("signature", int(1))];
    let branch = [("type", int(2)), ("kind", int(6)), ("value", int(0)), ("target", int(6))];
    let steps = [
        store(3, (2, 0), (0, 7)),
        store(string, (8, 8), (1, 0)),
        store(vec, (2, 8), (3, 0)),
        store(string, (2, 24), (4, 12)),
        case("jump_if", branch),
        case("call", call),
        case("jump", [("target", int(8))]),
        unary(3, 3, (7, 4)),
        unary(4, 2, (2, 0)),
        binary(12, vec, (2, 8), (3, 0)),
        binary(13, vec, (2, 8), (2, 4)),
        store(3, (9, 0), (10, 1)),
        store(vec, (5, 4), (2, 8)),
        end(),
    ];
    let all = (5..=11).chain(14..=26).filter(|op| !(10..=11).contains(op));
    let every = all.map(|op| binary(op, 3, (2, 0), (2, 4)));
    let every = every.chain([unary(10, 3, (2, 0)), unary(11, 3, (2, 0)), end()]);
    let expression = |setup: Value, main: Value, kind: i128| {
        record([
            ("output_type", int(kind)),
            ("input_type", int(kind)),
            ("setup", setup),
            ("main", main),
        ])
    };
    let first = list([store(3, (7, 0), (0, 0)), end()]);
    let records = [
        expression(first, list(steps), 1),
        expression(none(), list(every), 2),
        expression(none(), list([store(float, (5, 0), (6, 0)), end()]), float),
    ];
    let signatures = ["Wait( None )", "CastIntToFloat( Float, Int )"];
    record([
        ("version", int(version)),
        ("records", record([("items", list(records))])),
        ("signatures", record([("items", list(signatures.map(text)))])),
        ("values", list([0, 0x3f80_0000, 0x4000_0000, 0].map(int))),
    ])
}

/// Properties of every type, one of which an expression gives and one a variable.
fn every_property() -> Fields<'static> {
    vec![
        (
            "ints",
            list([
                property("int", "Count", plain()),
                property("int", "Sum", from_expression(2)),
                property("int", "Weight", from_variable(1, 0)),
            ]),
        ),
        ("bools", list([property("bool", "IsLoud", plain())])),
        (
            "floats",
            list([
                property("float", "Speed", plain()),
                property("float", "Up", from_variable(0, 2)),
            ]),
        ),
        ("strings", list([property("string", "Word", plain())])),
        ("vectors", list([property("vector", "Where", plain())])),
        ("pointers", list([property("pointer", "Who", plain())])),
    ]
}

/// A node that gives a value of every type, and is asked for them.
fn giver(number: u8) -> Value {
    let outputs = ["int_out", "bool_out", "float_out", "string_out", "vector_out", "pointer_out"];
    let both = |kind: &str| list([output(kind, "Own"), output(kind, "Result")]);
    let body = outputs.into_iter().zip(TYPES).map(|(row, kind)| (row, both(kind)));
    node(0, "QueryGarden", number, [("flags", flags(["query"]))], body)
}

/// A node that takes a value of every type: from nowhere, from a node, and from several.
fn taker(number: u8, givers: [i128; 2]) -> Value {
    let inputs = ["int_in", "bool_in", "float_in", "string_in", "vector_in", "pointer_in"];
    let [one, two] = givers;
    let body = inputs.into_iter().zip(TYPES).map(|(row, kind)| {
        let several = from_several(&[(one, 1, plain()), (two, 1, from_variable(0, 0))]);
        let all = [
            input(kind, "Default", unread(), own()),
            input(kind, "Computed", unread(), computed(0)),
            input(kind, "Read", from_node(two, 1), own()),
            input(kind, "Several", several, own()),
        ];
        (row, list(all))
    });
    let queries = [two, one, two].repeat(6);
    let queries = list(queries.into_iter().map(|node| record([("node", int(node))])));
    let fields = [("queries", queries), ("attachments", list([int(1), int(0)]))];
    node(0, "ExecuteGarden", number, fields, body)
}

/// Nodes of every type, with links of every kind.
fn every_node() -> Value {
    let query = |node: i128| ("queries", list([record([("node", int(node))])]));
    let from = |row: &'static str, kind: &str, name: &str, node: i128| {
        (row, list([input(kind, name, from_node(node, 1), own())]))
    };
    let leave =
        |transition: i128, node: Value| record([("node", node), ("transition", int(transition))]);
    let number = |node: i128, word: Value, value: i128| {
        link(int(node), "Input", case("int", [("word", word), ("value", int(value))]))
    };
    let range = |min: f32, max: f32| {
        let fields = [
            ("word", constant()),
            ("min", f32(min)),
            ("word_2", of_variable(0)),
            ("max", f32(max)),
        ];
        case("above", fields)
    };
    let others = case("other", [("word", constant()), ("text", text("その他"))]);
    let words = |name: &str| case("text", [("word", constant()), ("value", text(name))]);
    let weight = |value| case("weight", [("word", of_variable(1)), ("value", f32(value))]);
    let verb = |value| case("verb", [("word", constant()), ("value", int(value))]);
    let mut nodes = vec![
        node(
            2,
            "",
            0,
            [("flags", flags(["root"]))],
            [(
                "children",
                list([always(1, "Child0"), always(4, "Child1"), always(5, ""), always(6, "")]),
            )],
        ),
        taker(1, [2, 3]),
        giver(2),
        giver(3),
        node(
            1,
            "",
            4,
            [query(2)],
            [
                from("int_in", "int", "Input", 2),
                (
                    "children",
                    list([
                        equals(7, "One", constant(), -1),
                        equals(8, "Two", of_variable(1), 0),
                        equals(9, "Other", constant(), 0),
                    ]),
                ),
                ("int_links", list([number(2, constant(), 3)])),
            ],
        ),
        node(
            4,
            "",
            5,
            [query(3)],
            [
                from("float_in", "float", "Input", 3),
                (
                    "links",
                    list([link(
                        int(3),
                        "Input",
                        case("float", [("word", constant()), ("value", f32(0.75))]),
                    )]),
                ),
                (
                    "children",
                    list([
                        child(7, "Low", range(0.0, 0.5)),
                        child(8, "High", range(0.5, 1.0)),
                        child(9, "", others),
                    ]),
                ),
            ],
        ),
        node(
            5,
            "",
            6,
            [query(2)],
            [
                from("string_in", "string", "Input", 2),
                ("children", list([child(10, "", words("Rose")), child(11, "", words("その他"))])),
                ("text_links", list([link(int(2), "Input", words("Rose"))])),
            ],
        ),
        node(
            6,
            "",
            7,
            [],
            [("children", list([child(12, "", weight(0.25)), child(13, "", weight(0.75))]))],
        ),
        node(
            7,
            "",
            8,
            [query(3)],
            [
                from("bool_in", "bool", "Input", 3),
                (
                    "links",
                    list([link(
                        int(3),
                        "Input",
                        case("bool", [("word", of_variable(0)), ("value", int(1))]),
                    )]),
                ),
                ("children", list([always(13, "True"), always(14, "False")])),
            ],
        ),
        node(
            20,
            "",
            9,
            [("flags", flags(["query"])), query(2)],
            [
                ("ints", list([property("int", "ExpressionBase", from_expression(1))])),
                ("bool_in", list([input("bool", "IsDay", from_node(2, 1), own())])),
                ("vector_out", list([output("vector", "Sum")])),
                (
                    "links",
                    list([
                        link(
                            int(1),
                            "Sum",
                            case(
                                "vector",
                                [
                                    ("word", constant()),
                                    ("value", list([f32(0.0), f32(0.0), f32(0.0)])),
                                ],
                            ),
                        ),
                        link(
                            int(2),
                            "IsDay",
                            case("raw", [("word", constant()), ("value", int(1))]),
                        ),
                    ]),
                ),
                ("text_links", list([link(Value::None, "Text", words("none"))])),
                (
                    "int_links",
                    list([link(
                        Value::None,
                        "Input",
                        case("int", [("word", constant()), ("value", int(2))]),
                    )]),
                ),
            ],
        ),
        node(
            0,
            "SelectorBSABrainVerbUpdater",
            10,
            [],
            [("children", list([child(11, "Verb", verb(3)), child(12, "Verb", verb(4))]))],
        ),
        node(
            0,
            "Garden/Water.module",
            11,
            [("flags", flags(["module", "root"]))],
            [
                (
                    "int_in",
                    list([input(
                        "int",
                        "Amount",
                        case(
                            "node",
                            [
                                ("node", int(2)),
                                (
                                    "output",
                                    record([
                                        ("number", int(1)),
                                        ("sets_blackboard", Value::Bool(true)),
                                    ]),
                                ),
                            ],
                        ),
                        own(),
                    )]),
                ),
                (
                    "links",
                    list([
                        link(int(2), "Amount", case("none", [])),
                        link(Value::None, "Left", case("none", [])),
                    ]),
                ),
                (
                    "transition_links",
                    list([leave(0, int(12)), leave(1, Value::None), leave(2, int(13))]),
                ),
                ("text_links", list([link(int(2), "Word", case("none", []))])),
                ("int_links", list([link(int(2), "Amount", case("none", []))])),
            ],
        ),
        node(3, "", 12, [], every_property()),
        node(500, "", 13, [], []),
    ];
    let rest = (8..=10).chain(100..=105).chain(200..=205).chain([300, 400]);
    for (kind, number) in rest.zip(14..) {
        nodes.push(node(kind, "", number, [], []));
    }
    let module = nodes.get_mut(11).and_then(|node| node.get_mut("queries"));
    if let Some(queries) = module {
        *queries = list([record([("node", int(2))])]);
    }
    Value::Array(nodes)
}

fn attachment<'a>(name: &str, block: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let rows = ["ints", "bools", "floats", "strings", "vectors", "pointers"];
    let usual = [("debug", int(0))].into_iter().chain(rows.map(|row| (row, none())));
    let block = with(usual.collect(), block);
    record([("name", text(name)), ("block", block)])
}

fn transitions() -> Value {
    let leave = |after, command: &str| {
        case("leave", [("after_command", Value::Bool(after)), ("command", text(command))])
    };
    let plain = case("plain", [("after_command", Value::Bool(true))]);
    list([leave(true, "Rest"), plain, leave(false, "Root")])
}

fn modules() -> Value {
    let module = record([
        ("path", text("Garden/Water.module.ainb")),
        ("category", text("AI")),
        ("instance_count", int(1)),
    ]);
    record([("items", list([module]))])
}

fn actions() -> Value {
    let action = |node, slot: &str, action: &str| {
        record([("node", int(node)), ("slot", text(slot)), ("action", text(action))])
    };
    record([("items", list([action(1, "Enter", "Sing"), action(1, "Leave", "Rest")]))])
}

fn changes() -> Value {
    let change = |kind, node, which, new| {
        record([("type", int(kind)), ("node", int(node)), ("which", int(which)), ("new", int(new))])
    };
    record([("items", list([change(0, 0, 1, 0), change(1, 4, 0, 8), change(2, 1, 0, 0)]))])
}

/// A number that a program replaces, by what says where it is.
fn patch(places: &[(&'static str, i128)]) -> StructValue {
    let rows = ["node", "property", "input", "child", "int_link"].into_iter();
    let rows = rows.chain(["attachment", "attachment_property", "variable", "constant"]);
    let usual = [("class", text("our::Weather")), ("value", text("Rain"))].into_iter();
    let usual = usual.chain(rows.map(|row| (row, Value::None)));
    let places = places.iter().map(|(row, index)| (*row, int(*index)));
    let Value::Struct(patch) = with(usual.collect(), places) else { unreachable!("a struct") };
    patch
}

/// Numbers that a program replaces: one for each list of places, and one at an offset that none of
/// them is.
fn patches(places: &[&[(&'static str, i128)]], offset: i128) -> Value {
    let mut elsewhere = patch(&[]);
    elsewhere.kept.push(Kept {
        row: "offset".into(),
        kind: KeptKind::Number,
        stored: int(offset),
        instead_of: int(0),
    });
    let known = places.iter().map(|places| patch(places));
    record([("items", list(known.chain([elsewhere]).map(Value::Struct)))])
}

/// A graph with everything that a version has but what only others have.
pub fn full(version: i128, expressions: i128) -> Value {
    let mut fields = vec![
        ("blackboard", every_variable(version >= 0x408)),
        ("transitions", transitions()),
        (
            "attachments",
            list([attachment("Sing", every_property()), attachment("Wait", [("debug", int(1))])]),
        ),
        ("expressions", every_expression(expressions)),
        ("modules", modules()),
        ("actions", actions()),
        (
            "commands",
            list([command("Root", 100, 0, Value::None), command("Rest", 101, 11, int(1))]),
        ),
        ("nodes", every_node()),
        (
            "enums",
            patches(
                &[
                    &[("node", 4), ("child", 0)],
                    &[("node", 4), ("child", 2)],
                    &[("node", 4), ("input", 0)],
                    &[("node", 4), ("int_link", 0)],
                    &[("node", 1), ("input", 3)],
                    &[("node", 12), ("property", 1)],
                    &[("attachment", 0), ("attachment_property", 2)],
                    &[("variable", 1)],
                    &[("constant", 3)],
                ],
                0x64,
            ),
        ),
    ];
    if version >= 0x407 {
        fields.push(("replacements", changes()));
    }
    graph(version, "Garden", fields)
}

/// A graph of version 0x404: states, patches, and the section that nobody knows.
fn old() -> Value {
    let state = |desired: &str| {
        record([("desired", text(desired)), ("unknown", list([1, 2, 3, 4].map(int)))])
    };
    let name = |name: &str, number: u8, desired| {
        node(
            0,
            name,
            number,
            [("state", desired), ("attachments", list([int(0)]))],
            [("ints", list([property("int", "Weather", plain())]))],
        )
    };
    let selector = node(
        1,
        "",
        3,
        [],
        [
            ("int_in", list([input("int", "Input", unread(), own())])),
            ("children", list([equals(0, "", constant(), 5), equals(1, "", constant(), 0)])),
            ("int_links", list([link(int(0), "Input", case("none", []))])),
            ("text_links", list([link(int(1), "Text", case("none", []))])),
        ],
    );
    let unknown = record([("text", text("Nobody knows")), ("unknown", list([7, 8, 9].map(int)))]);
    graph(
        0x404,
        "Old",
        [
            ("blackboard", every_variable(false)),
            (
                "attachments",
                list([attachment("Sing", [("ints", list([property("int", "Mood", plain())]))])]),
            ),
            ("section_58", unknown),
            ("category_name", text("Logic")),
            (
                "enums",
                patches(
                    &[
                        &[("node", 1), ("property", 0)],
                        &[("node", 2), ("input", 0)],
                        &[("node", 2), ("child", 0)],
                        &[("attachment", 0), ("attachment_property", 0)],
                        &[("variable", 0)],
                    ],
                    0x74,
                ),
            ),
            (
                "nodes",
                list([
                    name("One", 1, state("Sleeping")),
                    name("Two", 2, state("Waking")),
                    selector,
                ]),
            ),
        ],
    )
}

/// Names of fixture files, and their values.
#[must_use]
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("nothing.ainb", graph(0x407, "Nothing", [])),
        ("every_node.ainb", full(0x407, 2)),
        ("first_expressions.ainb", full(0x407, 1)),
        ("later.ainb", full(0x408, 3)),
        ("old.ainb", old()),
    ]
}
