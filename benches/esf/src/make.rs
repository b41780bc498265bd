//! A file made up: mostly small scalars in short records, as saves are, two fifths of the bytes in
//! bulk arrays.

use formwork_formats::esf::{
    AsciiText, Element, File, FileTagNamesIndex, Node, NodeAngle, NodeAsciiKey, NodeAsciiKeys,
    NodeBool, NodeF32, NodeF32s, NodeI32, NodeRecord, NodeRecords, NodeU32, NodeU32s, NodeU8s,
    NodeUnicodeKey, NodeXy, Root, UnicodeText, Variant, Xy,
};
use harness::Lcg;

/// Names of records; a tag is a position in it.
const NAMES: [&str; 11] = [
    "CAMPAIGN_SAVE_GAME",
    "FACTION_ARRAY",
    "FACTION",
    "CHARACTER_ARRAY",
    "CHARACTER",
    "CHARACTER_DETAILS",
    "TRAITS",
    "POS",
    "HEIGHTS",
    "AREAS",
    "BITMAP",
];

struct Maker {
    random: Lcg,
    strings: u32,
}

type Nodes = Vec<Node<'static>>;

fn tag(name: &str) -> FileTagNamesIndex {
    let at = NAMES.iter().position(|known| *known == name).expect("a known name");
    FileTagNamesIndex::at(at as u32)
}

fn record(name: &str, version: u8, nodes: Nodes) -> Node<'static> {
    Node::Record(NodeRecord { tag: tag(name), version, nodes, ..Default::default() })
}

fn records(name: &str, version: u8, elements: Vec<Nodes>) -> Node<'static> {
    let element = |nodes| Element { nodes, ..Default::default() };
    let elements = elements.into_iter().map(element).collect();
    Node::Records(NodeRecords { tag: tag(name), version, elements, ..Default::default() })
}

fn u(value: u32) -> Node<'static> {
    Node::U32(NodeU32 { value, ..Default::default() })
}

fn i(value: i32) -> Node<'static> {
    Node::I32(NodeI32 { value, ..Default::default() })
}

fn b(value: bool) -> Node<'static> {
    Node::Bool(NodeBool { value, ..Default::default() })
}

fn f(value: f32) -> Node<'static> {
    Node::F32(NodeF32 { value, ..Default::default() })
}

fn us(values: Vec<u32>) -> Node<'static> {
    Node::U32s(NodeU32s { values, ..Default::default() })
}

impl Maker {
    fn below(&mut self, n: u32) -> u32 {
        self.random.below(n)
    }

    fn many(&mut self, count: u32, below: u32) -> Vec<u32> {
        (0..count).map(|_| self.below(below)).collect()
    }

    fn key(&mut self) -> Node<'static> {
        Node::AsciiKey(NodeAsciiKey { key: self.random.below(self.strings) })
    }

    fn text(&mut self) -> Node<'static> {
        Node::UnicodeKey(NodeUnicodeKey { key: self.random.below(self.strings.div_ceil(4)) })
    }

    fn character(&mut self, number: u32) -> Nodes {
        let traits = (0..self.below(5)).map(|_| vec![self.key(), u(self.below(7)), i(0)]).collect();
        let count = self.below(12);
        let details = vec![
            self.text(),
            self.text(),
            self.key(),
            u(self.below(90)),
            b(self.below(2) == 0),
            b(true),
            i(self.below(500) as i32 - 250),
            u(0),
            us(self.many(count, 200)),
            records("TRAITS", 0, traits),
        ];
        let angle = Node::Angle(NodeAngle { value: self.below(360) as u16 });
        let place = vec![f(self.below(50) as f32), f(1.5), angle];
        let count = self.below(4);
        let keys = self.many(count, self.strings);
        let xy = Xy { x: self.below(9000) as f32, y: self.below(9000) as f32 };
        let all = vec![
            u(self.below(70_000)),
            self.key(),
            b(self.below(2) == 0),
            b(false),
            i(self.below(100_000) as i32 - 50_000),
            f(self.below(1000) as f32 / 8.0),
            f(0.0),
            Node::Xy(NodeXy { value: xy }),
            u(1),
            u(self.below(3)),
            Node::AsciiKeys(NodeAsciiKeys { keys, ..Default::default() }),
            record("CHARACTER_DETAILS", 3, details),
            record("POS", 0, place),
        ];
        vec![u(number), record("CHARACTER", 9, all)]
    }

    fn faction(&mut self, number: u32) -> Nodes {
        let children = vec![
            u(number),
            self.key(),
            self.text(),
            i(self.below(1 << 20) as i32),
            b(true),
            us(self.many(200, 60_000)),
            records("CHARACTER_ARRAY", 1, (0..40).map(|k| self.character(k)).collect()),
        ];
        vec![record("FACTION", 4, children)]
    }
}

/// A file with so many factions (7.8 kB each) and distinct texts.
pub fn file(factions: u32, strings: u32) -> File<'static> {
    let mut m = Maker { random: Lcg(7), strings };
    let all = (0..factions).map(|k| m.faction(k)).collect();
    let bulk = factions * 400;
    let heights = (0..bulk).map(|_| m.below(5000) as f32 / 16.0).collect();
    let areas = m.many(bulk, 60_000);
    let bitmap: Vec<u8> = (0..bulk).map(|_| m.below(256) as u8).collect();
    let nodes = vec![
        u(factions),
        records("FACTION_ARRAY", 0, all),
        record("HEIGHTS", 0, vec![Node::F32s(NodeF32s { values: heights, ..Default::default() })]),
        record("AREAS", 0, vec![us(areas)]),
        record(
            "BITMAP",
            0,
            vec![Node::U8s(NodeU8s { values: bitmap.into(), ..Default::default() })],
        ),
    ];
    let unicode = (0..strings.div_ceil(4)).map(|key| {
        let text = format!("Lord of the {key:04}").into();
        UnicodeText { text, key }
    });
    let ascii = (0..strings).map(|key| {
        let text = format!("wh_main_agent_key_{key:05}").into_bytes().into();
        AsciiText { text, key }
    });
    File {
        variant: Variant::Abca,
        stamp: 1,
        root: Root { tag: tag(NAMES[0]), version: 2, nodes, ..Default::default() },
        tag_names: NAMES.iter().map(|name| name.as_bytes().into()).collect(),
        unicode: Some(unicode.collect()),
        ascii: Some(ascii.collect()),
        ..Default::default()
    }
}

/// Nodes below one, itself included; elements of arrays of records are none.
pub fn count(node: &Node<'_>) -> usize {
    match node {
        Node::Record(record) => 1 + record.nodes.iter().map(count).sum::<usize>(),
        Node::Records(records) => {
            1 + records.elements.iter().flat_map(|e| &e.nodes).map(count).sum::<usize>()
        }
        _ => 1,
    }
}
