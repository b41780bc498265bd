//! Archives of animation events of our own making: their values, and their bytes by a writer that
//! knows nothing of the schema. It follows what is known of the programs that write such files.

use formwork_interpreter::{StructValue, Value};

use crate::flows::{case, f32, int, list, record, text};

/// An archive.
#[derive(Debug, Clone)]
pub struct Archive {
    /// Who writes it.
    pub form: Form,
    /// Hash of a key, and positions of nodes.
    pub groups: Vec<(u32, Vec<u32>)>,
    /// What belongs together.
    pub nodes: Vec<Node>,
}

/// In which form a program writes archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Version 2.1.0.
    Later,
    /// Version 1.0.0, event by event.
    Early,
    /// Version 1.0.0, what the events of a node have by kind.
    ByKind,
}

/// Events that belong together.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its events.
    pub events: Vec<Event>,
    /// Hash of a name.
    pub name_hash: u32,
    /// What nobody knows.
    pub unknown: u32,
}

/// An event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its kind.
    pub name: &'static str,
    /// When it happens.
    pub triggers: Vec<Record>,
    /// From when until when it goes on.
    pub holds: Vec<Record>,
    /// Position of the name in a list of the game.
    pub id: u32,
}

/// A time.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its parameters.
    pub params: Vec<Parameter>,
    /// When it begins and ends.
    pub frames: (f32, f32),
}

/// A value for an event.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Parameter {
    Int(u32),
    Float(f32),
    Vector([f32; 3]),
    Text(&'static str),
}

const CLASS: &str =
    "Nintendo.AnimationEvent.ResourceConverter.Resource.AnimationEventArchiveResData";

impl Archive {
    /// Its value as readers of the schema show it.
    #[must_use]
    pub fn value(&self) -> Value {
        let section = || record([]);
        let (minor, major) = if self.form == Form::Later { (1, 2) } else { (0, 1) };
        let groups = self.groups.iter().map(|(hash, nodes)| {
            let nodes = items(nodes.iter().map(|node| int((*node).into())));
            record([
                ("key_hash", int((*hash).into())),
                ("nodes", with(nodes, [("element_size", int(4))])),
            ])
        });
        let nodes = self.nodes.iter().map(|node| {
            record([
                ("events", items(node.events.iter().map(event_value))),
                ("name_hash", int(node.name_hash.into())),
                ("unknown", int(node.unknown.into())),
            ])
        });
        let archive = record([
            ("version_micro", int(0)),
            ("version_minor", int(minor)),
            ("version_major", int(major)),
            ("groups", items(groups)),
            ("nodes", items(nodes)),
        ]);
        record([
            ("alignment", int(8)),
            ("class_name", text(CLASS)),
            ("default", section()),
            ("string_pool", section()),
            ("archive", archive),
            ("strings", record([])),
            ("by_kind", Value::Bool(self.form == Form::ByKind)),
        ])
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Out { later: self.form == Form::Later, ..Out::default() };
        out.bytes.resize(0xf8, 0);
        out.bytes.extend([0; 8]);
        out.bytes.extend(if out.later { [0, 1, 2, 0] } else { [0, 0, 1, 0] });
        out.bytes.extend([0; 4 + 8 + 32]);
        out.array(0x110, 0x130, self.groups.len(), 0x18, out.later);
        let lists = out.grow(self.groups.len() * 0x18);
        for (number, (hash, nodes)) in self.groups.iter().enumerate() {
            let at = lists + number * 0x18;
            out.put(at, &hash.to_le_bytes());
            out.array(at + 8, out.bytes.len(), nodes.len(), 4, true);
            nodes.iter().for_each(|node| out.bytes.extend(node.to_le_bytes()));
        }
        out.align();
        out.array(0x120, out.bytes.len(), self.nodes.len(), 0x18, out.later);
        let nodes = out.grow(self.nodes.len() * 0x18);
        for (number, node) in self.nodes.iter().enumerate() {
            let at = nodes + number * 0x18;
            out.put(at + 0x10, &node.name_hash.to_le_bytes());
            out.put(at + 0x14, &node.unknown.to_le_bytes());
            out.array(at, out.bytes.len(), node.events.len(), 0x30, out.later);
            out.events(node, self.form);
        }
        self.finish(out)
    }

    /// Texts, head and sections.
    fn finish(&self, mut out: Out) -> Vec<u8> {
        out.align();
        let mut texts = vec![""];
        for event in self.nodes.iter().flat_map(|node| &node.events) {
            texts.push(event.name);
            let records = event.triggers.iter().chain(&event.holds);
            for parameter in records.flat_map(|record| &record.params) {
                if let Parameter::Text(text) = parameter {
                    texts.push(text);
                }
            }
        }
        let mut pool: Vec<&str> = Vec::new();
        texts.into_iter().for_each(|text| {
            if !pool.contains(&text) {
                pool.push(text);
            }
        });
        if out.later {
            pool.sort_unstable();
        }
        let start = out.bytes.len();
        let mut places = Vec::new();
        for text in pool {
            places.push((text, out.bytes.len()));
            out.bytes.extend(text.as_bytes());
            out.bytes.push(0);
        }
        for (at, text) in std::mem::take(&mut out.labels) {
            let place = places.iter().find(|(known, _)| *known == text).expect("it is there").1;
            out.put(at, &(place as u64).to_le_bytes());
        }
        let end = out.bytes.len();
        let mut head = Vec::new();
        let word = |head: &mut Vec<u8>, word: usize| {
            head.extend(u32::try_from(word).expect("it is small").to_le_bytes());
        };
        head.extend(b"BFFH");
        [0, end, 8, 0xa8, 0, 2, 0x28, 0xf8, 0].into_iter().for_each(|n| word(&mut head, n));
        head.extend(CLASS.as_bytes());
        head.resize(0xa8, 0);
        for (from, to, step, name) in [(0xf8, start, 8, "Default"), (start, end, 1, "StringPool")] {
            let next = head.len() + 0x28;
            head.extend(b"BFSI");
            [from, to - from, step, from, 0].into_iter().for_each(|n| word(&mut head, n));
            head.extend(name.as_bytes());
            head.resize(next, 0);
        }
        out.put(0, &head);
        out.put(0x108, &(start as u64).to_le_bytes());
        out.bytes
    }
}

#[derive(Default)]
struct Out {
    later: bool,
    bytes: Vec<u8>,
    /// Where texts are pointed to.
    labels: Vec<(usize, &'static str)>,
}

impl Out {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn grow(&mut self, size: usize) -> usize {
        let at = self.bytes.len();
        self.bytes.resize(at + size, 0);
        at
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    /// The 16 bytes of an array, which say nothing of an empty one unless `always`.
    fn array(&mut self, at: usize, start: usize, count: usize, size: u32, always: bool) {
        if count == 0 && !always {
            return;
        }
        self.put(at, &(start as u64).to_le_bytes());
        self.put(at + 8, &u32::try_from(count).expect("it is small").to_le_bytes());
        self.put(at + 12, &size.to_le_bytes());
    }

    /// The events of a node, and all that they have.
    fn events(&mut self, node: &Node, form: Form) {
        let table = self.grow(node.events.len() * 0x30);
        let mut gathered = Vec::new();
        for (number, event) in node.events.iter().enumerate() {
            let at = table + number * 0x30;
            self.labels.push((at, event.name));
            self.put(at + 0x28, &u32::from(!event.holds.is_empty()).to_le_bytes());
            self.put(at + 0x2c, &event.id.to_le_bytes());
            for (field, records) in [(at + 8, &event.triggers), (at + 0x18, &event.holds)] {
                self.array(field, self.bytes.len(), records.len(), 0x18, false);
                let table = self.grow(records.len() * 0x18);
                let places = (table..).step_by(0x18).zip(records);
                match form {
                    Form::ByKind => gathered.extend(places),
                    _ => places.for_each(|(at, record)| {
                        let list = self.list(at, record, form);
                        self.parameters(list, record);
                    }),
                }
            }
        }
        let lists: Vec<usize> =
            gathered.iter().map(|(at, record)| self.list(*at, record, form)).collect();
        for (list, (_, record)) in lists.into_iter().zip(gathered) {
            self.parameters(list, record);
        }
    }

    /// A record, and its list of pointers.
    fn list(&mut self, at: usize, record: &Record, form: Form) -> usize {
        let vector = record.params.iter().any(|one| matches!(one, Parameter::Vector(_)));
        let size = if form == Form::ByKind && vector { 16 } else { 8 };
        self.array(at, self.bytes.len(), record.params.len(), size, form == Form::Later);
        if form == Form::ByKind {
            self.put(at + 12, &u32::to_le_bytes(size));
        }
        self.put(at + 0x10, &record.frames.0.to_le_bytes());
        self.put(at + 0x14, &record.frames.1.to_le_bytes());
        self.grow(record.params.len() * 8)
    }

    fn parameters(&mut self, list: usize, record: &Record) {
        for (number, parameter) in record.params.iter().enumerate() {
            let at = self.bytes.len();
            self.put(list + 8 * number, &(at as u64).to_le_bytes());
            let kind: u32 = match parameter {
                Parameter::Int(_) => 0,
                Parameter::Float(_) => 1,
                Parameter::Vector(_) => 3,
                Parameter::Text(_) => 5,
            };
            self.bytes.extend(u64::from(kind).to_le_bytes());
            match *parameter {
                Parameter::Int(number) => self.bytes.extend(u64::from(number).to_le_bytes()),
                Parameter::Float(number) => self.bytes.extend(number.to_le_bytes()),
                Parameter::Vector(numbers) => {
                    numbers.iter().for_each(|n| self.bytes.extend(n.to_le_bytes()));
                }
                Parameter::Text(text) => {
                    self.labels.push((at + 8, text));
                    self.bytes.extend([0; 8]);
                }
            }
            self.align();
        }
    }
}

fn items(elements: impl IntoIterator<Item = Value>) -> Value {
    record([("items", list(elements))])
}

fn with<const N: usize>(value: Value, more: [(&str, Value); N]) -> Value {
    let Value::Struct(StructValue { mut fields, kept }) = value else { return value };
    fields.extend(more.map(|(name, value)| (name.to_owned(), value)));
    Value::Struct(StructValue { fields, kept })
}

fn event_value(event: &Event) -> Value {
    record([
        ("name", text(event.name)),
        ("triggers", items(event.triggers.iter().map(record_value))),
        ("holds", items(event.holds.iter().map(record_value))),
        ("event_id", int(event.id.into())),
    ])
}

fn record_value(made: &Record) -> Value {
    let params = made.params.iter().map(|parameter| match *parameter {
        Parameter::Int(number) => case("int", [("value", int(number.into()))]),
        Parameter::Float(number) => case("float", [("value", f32(number))]),
        Parameter::Vector(numbers) => case("vector", [("value", list(numbers.map(f32)))]),
        Parameter::Text(is) => case("text", [("value", text(is))]),
    });
    record([
        ("params", items(params)),
        ("start_frame", f32(made.frames.0)),
        ("end_frame", f32(made.frames.1)),
    ])
}

/// Name and content of each fixture.
#[must_use]
pub fn all() -> Vec<(&'static str, Archive)> {
    let one = |params, start| Record { params, frames: (start, 0.0) };
    let long = |params, from, to| Record { params, frames: (from, to) };
    let swing = Event {
        name: "AtCollision",
        triggers: Vec::new(),
        holds: vec![
            long(vec![Parameter::Text("Sword"), Parameter::Vector([0.0, -1.5, 3.25])], 3.0, 9.5),
            long(vec![Parameter::Text("Bow")], 10.0, 11.0),
        ],
        id: 0,
    };
    let step = Event {
        name: "Sound",
        triggers: vec![
            one(vec![Parameter::Text("Step"), Parameter::Float(0.5)], 2.0),
            one(vec![Parameter::Int(7), Parameter::Int(u32::MAX)], 4.0),
            one(Vec::new(), 6.0),
        ],
        holds: Vec::new(),
        id: 48,
    };
    let both = Event {
        name: "Änderung",
        triggers: vec![one(vec![Parameter::Int(1)], 0.0)],
        holds: vec![long(vec![Parameter::Text("")], 1.0, 2.0)],
        id: 3,
    };
    let nodes = vec![
        Node { events: vec![step.clone(), swing], name_hash: 0x0674_fd60, unknown: 0 },
        Node { events: Vec::new(), name_hash: 1, unknown: 0x8000_0001 },
        Node { events: vec![both, step], name_hash: u32::MAX, unknown: 2 },
    ];
    let groups = vec![(0x0674_fd60, vec![2, 0]), (0x14b8_6a92, Vec::new()), (0xe40c_292c, vec![1])];
    let whole = |form| Archive { form, groups: groups.clone(), nodes: nodes.clone() };
    let empty = |form| Archive { form, groups: Vec::new(), nodes: Vec::new() };
    vec![
        ("archive.2.1.0.baev", whole(Form::Later)),
        ("archive.1.0.0.baev", whole(Form::Early)),
        ("by_kind.1.0.0.baev", whole(Form::ByKind)),
        ("empty.2.1.0.baev", empty(Form::Later)),
        ("empty.1.0.0.baev", empty(Form::Early)),
    ]
}
