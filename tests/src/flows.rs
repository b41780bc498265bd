//! Values of event flow files of our own making, for fixtures and tests. Nothing in them comes from
//! a real file.

use formwork_interpreter::{StructValue, UnionValue, Value};

/// An integer.
#[must_use]
pub fn int(number: i128) -> Value {
    Value::Int(number)
}

/// A text.
#[must_use]
pub fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// A float of four bytes.
#[must_use]
pub fn f32(number: f32) -> Value {
    Value::Float { bits: number.to_bits().into(), bytes: 4 }
}

/// A list.
#[must_use]
pub fn list(elements: impl IntoIterator<Item = Value>) -> Value {
    Value::Array(elements.into_iter().collect())
}

fn texts<const N: usize>(elements: [&str; N]) -> Value {
    list(elements.map(text))
}

fn ints<const N: usize>(elements: [i128; N]) -> Value {
    list(elements.map(int))
}

fn fields<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> StructValue {
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
    StructValue { fields: fields.collect(), kept: Vec::new() }
}

/// A struct.
#[must_use]
pub fn record<'a>(values: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::Struct(fields(values))
}

/// A case of a union.
#[must_use]
pub fn case<'a>(name: &str, values: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::Union(Box::new(UnionValue { case: name.to_owned(), value: fields(values) }))
}

/// A file.
fn file(name: &str, order: &str, flowcharts: Vec<Value>, timelines: Vec<Value>) -> Value {
    let version = [("major", int(0)), ("minor", int(3)), ("patch", int(0)), ("sub", int(0))];
    let header = [
        ("version", record(version)),
        ("byte_order", text(order)),
        ("alignment_shift", int(3)),
        ("address_size", int(0)),
        ("file_name", text(name)),
        ("flags", int(0)),
    ];
    record([
        ("header", record(header)),
        ("flowcharts", Value::Array(flowcharts)),
        ("timelines", Value::Array(timelines)),
        ("other_writer", Value::Bool(false)),
    ])
}

fn flowchart(name: &str, actors: Vec<Value>, events: Vec<Value>, entries: Vec<Value>) -> Value {
    record([
        ("name", text(name)),
        ("actors", Value::Array(actors)),
        ("events", Value::Array(events)),
        ("entry_points", Value::Array(entries)),
    ])
}

fn actor(name: &str, argument: &str, actions: Value, queries: Value, params: Value) -> Value {
    record([
        ("name", text(name)),
        ("secondary_name", text("")),
        ("argument_name", text(argument)),
        ("actions", actions),
        ("queries", queries),
        ("params", params),
        ("entry_point", if argument.is_empty() { Value::None } else { int(0) }),
        ("slot_count", int(1)),
    ])
}

fn event(name: &str, data: Value) -> Value {
    record([("name", text(name)), ("data", data)])
}

fn action(next: Value, actor: i128, action: i128, params: Value) -> Value {
    case(
        "action",
        [("next", next), ("actor", int(actor)), ("action", int(action)), ("params", params)],
    )
}

fn join(next: Value) -> Value {
    case("join", [("next", next)])
}

/// A named parameter.
fn item<'a>(name: &str, kind: &str, values: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    record([("name", text(name)), ("case", case(kind, values))])
}

fn container(items: Vec<Value>) -> Value {
    record([("items", Value::Array(items))])
}

/// One item of every type, one of them a container.
fn every_item() -> Value {
    container(vec![
        item("Argument", "argument", [("value", text("Who"))]),
        item("Int", "int", [("value", int(-7))]),
        item("Yes", "bool", [("value", Value::Bool(true))]),
        item("No", "bool", [("value", Value::Bool(false))]),
        item("Float", "float", [("value", f32(0.25))]),
        item("Text", "string", [("value", text("Grüße, 世界"))]),
        item("Wide", "wide_string", [("value", text("wide 🙂"))]),
        item("Ints", "int_array", [("values", ints([1, -2, 3]))]),
        item("Flags", "bool_array", [("values", ints([0, 0x8000_0001]))]),
        item("Floats", "float_array", [("values", list([f32(1.0), f32(-0.0)]))]),
        item("Texts", "string_array", [("values", texts(["one", "", "drei"]))]),
        item("WideTexts", "wide_string_array", [("values", texts(["a", "bc"]))]),
        item("Actor", "actor", [("actor", text("Keeper")), ("secondary_name", text("second"))]),
        item(
            "Nested",
            "container",
            [(
                "items",
                list([
                    item("Int", "int", [("value", int(1))]),
                    item("Deeper", "container", [("items", list([]))]),
                ]),
            )],
        ),
    ])
}

fn variables() -> Value {
    let variable = |name: &str, value: Value| record([("name", text(name)), ("value", value)]);
    list([
        variable("Count", case("int", [("value", int(-3))])),
        variable("Ready", case("bool", [("value", Value::Bool(true))])),
        variable("Weight", case("float", [("value", f32(2.5))])),
        variable("Steps", case("int_array", [("values", ints([4, 5]))])),
        variable("Ratios", case("float_array", [("values", list([f32(0.5)]))])),
    ])
}

fn entry(name: &str, sub_flows: Value, variables: Value, main: Value) -> Value {
    record([
        ("name", text(name)),
        ("sub_flow_events", sub_flows),
        ("variables", variables),
        ("main_event", main),
    ])
}

/// A flowchart with all kinds of events, all types of items, and variables.
fn full_flowchart(name: &str) -> Value {
    let actors = vec![
        actor("Keeper", "", texts(["Greet", "Wait"]), texts(["IsDay"]), every_item()),
        actor("Gärtner", "Who", texts(["Dig"]), texts([]), Value::None),
    ];
    let params = |value| container(vec![item("Value", "int", [("value", int(value))])]);
    let case_of = |value, event| record([("value", int(value)), ("event", int(event))]);
    let events = vec![
        event("Event0", action(int(1), 0, 0, params(1))),
        event(
            "Event1",
            case(
                "switch",
                [
                    ("actor", int(0)),
                    ("query", int(0)),
                    ("params", params(2)),
                    ("cases", list([case_of(1, 2), case_of(0, 5)])),
                ],
            ),
        ),
        event("Event2", case("fork", [("join", int(4)), ("branches", ints([3, 0]))])),
        event("Event3", action(Value::None, 1, 0, Value::None)),
        event("Event4", join(int(5))),
        event(
            "Event5",
            case(
                "sub_flow",
                [
                    ("next", Value::None),
                    ("params", Value::None),
                    ("flowchart", text("")),
                    ("entry_point", text("Ende")),
                ],
            ),
        ),
    ];
    let entries = vec![
        entry("Start", ints([5]), variables(), int(0)),
        entry("Ende", list([]), list([]), int(4)),
        entry("Leer", list([]), list([]), Value::None),
    ];
    flowchart(name, actors, events, entries)
}

/// A timeline with clips, oneshots, cuts, triggers and subtimelines.
fn full_timeline(name: &str) -> Value {
    let actors = vec![
        actor("Camera", "", texts(["Move", "Shake"]), texts([]), Value::None),
        actor("Bühne", "", texts(["Light"]), texts([]), every_item()),
    ];
    let params = |value: f32| container(vec![item("Value", "float", [("value", f32(value))])]);
    let clip = |start: f32, duration: f32, actor, action, slot, params| {
        record([
            ("start", f32(start)),
            ("duration", f32(duration)),
            ("actor", int(actor)),
            ("action", int(action)),
            ("slot", int(slot)),
            ("params", params),
        ])
    };
    let trigger = |clip, kind| record([("clip", int(clip)), ("type", int(kind))]);
    let oneshot = record([
        ("time", f32(12.0)),
        ("actor", int(0)),
        ("action", int(1)),
        ("params", params(3.0)),
    ]);
    let cut = |start: f32, name: &str, params| {
        record([("start", f32(start)), ("name", text(name)), ("params", params)])
    };
    record([
        ("duration", f32(60.0)),
        ("name", text(name)),
        ("actors", Value::Array(actors)),
        (
            "clips",
            list([
                clip(0.0, 30.0, 0, 0, 0, params(1.0)),
                clip(10.0, 20.0, 0, 1, 1, Value::None),
                clip(30.0, 30.0, 1, 0, 0, params(2.0)),
            ]),
        ),
        ("oneshots", list([oneshot])),
        (
            "triggers",
            list([
                trigger(0, 1),
                trigger(1, 1),
                trigger(0, 2),
                trigger(1, 2),
                trigger(2, 1),
                trigger(2, 2),
            ]),
        ),
        ("subtimelines", list([record([("name", text("Nachspiel"))])])),
        ("cuts", list([cut(0.0, "Cut0", Value::None), cut(30.0, "Cut1", params(4.0))])),
        ("params", every_item()),
    ])
}

/// A file with a flowchart that has everything.
#[must_use]
pub fn full() -> Value {
    file("Garden", "little", vec![full_flowchart("Garden")], Vec::new())
}

/// Names of fixture files, and their values.
#[must_use]
pub fn all() -> Vec<(&'static str, Value)> {
    let empty = |name: &str| flowchart(name, Vec::new(), Vec::new(), Vec::new());
    let mut other_writer = full();
    if let Some(value) = other_writer.get_mut("other_writer") {
        *value = Value::Bool(true);
    }
    vec![
        ("nothing.bfevfl", file("Nothing", "little", Vec::new(), Vec::new())),
        ("empty.bfevfl", file("Empty", "little", vec![empty("Empty")], Vec::new())),
        ("flowchart.bfevfl", full()),
        ("timeline.bfevtm", file("Play", "little", Vec::new(), vec![full_timeline("Play")])),
        (
            "both.bfevfl",
            file(
                "Both",
                "little",
                vec![empty("First"), full_flowchart("Second")],
                vec![full_timeline("Third")],
            ),
        ),
        ("other_writer.bfevfl", other_writer),
        (
            "big_endian.bfevfl",
            file("Big", "big", vec![full_flowchart("Big")], vec![full_timeline("Small")]),
        ),
    ]
}
