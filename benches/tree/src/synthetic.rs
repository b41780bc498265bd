//! A tree made up: mostly small scalars in short records, as saves are, two fifths of the bytes in
//! bulk arrays.
use crate::hand::{Node, Record, Tree};
use harness::Lcg;

struct Maker {
    random: Lcg,
    names: Vec<String>,
    strings: u32,
}

impl Maker {
    fn below(&mut self, n: u32) -> u32 {
        self.random.below(n)
    }
    fn key(&mut self) -> Node {
        Node::Ascii(self.random.below(self.strings))
    }
    fn text(&mut self) -> Node {
        Node::Utf16(self.random.below(self.strings.div_ceil(4)))
    }
    fn record(
        &mut self,
        name: &str,
        version: u8,
        groups: Option<Vec<Vec<Node>>>,
        children: Vec<Node>,
    ) -> Node {
        let place = self.names.iter().position(|n| n == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        let mut r = Record { flags: 0x80, version, name: place as u16, children, groups: vec![] };
        if let Some(groups) = groups {
            r.flags |= 0x40;
            for group in groups {
                r.children.extend(group);
                r.groups.push(r.children.len() as u32);
            }
        }
        Node::Record(Box::new(r))
    }
    fn characters(&mut self, count: u32) -> Vec<Vec<Node>> {
        (0..count)
            .map(|k| {
                let traits =
                    (0..self.below(5)).map(|_| vec![self.key(), u(self.below(7)), i(0)]).collect();
                let traits = self.record("TRAITS", 0, Some(traits), vec![]);
                let details = vec![
                    self.text(),
                    self.text(),
                    self.key(),
                    u(self.below(90)),
                    Node::Bool(self.below(2) == 0, true),
                    Node::Bool(true, true),
                    i(self.below(500) as i32 - 250),
                    u(0),
                    us((0..self.below(12)).map(|_| self.below(200))),
                    traits,
                ];
                let details = self.record("CHARACTER_DETAILS", 3, None, details);
                let place = vec![
                    Node::F32(self.below(50) as f32, true),
                    Node::F32(1.5, true),
                    Node::Angle(self.below(360) as i16),
                ];
                let place = self.record("POS", 0, None, place);
                let all = vec![
                    u(self.below(70_000)),
                    self.key(),
                    Node::Bool(self.below(2) == 0, true),
                    Node::Bool(false, true),
                    i(self.below(100_000) as i32 - 50_000),
                    Node::F32(self.below(1000) as f32 / 8.0, true),
                    Node::F32(0.0, true),
                    Node::Coord2([self.below(9000) as f32, self.below(9000) as f32]),
                    u(1),
                    u(self.below(3)),
                    Node::Asciis((0..self.below(4)).map(|_| self.below(self.strings)).collect()),
                    details,
                    place,
                ];
                vec![u(k), self.record("CHARACTER", 9, None, all)]
            })
            .collect()
    }
}
fn u(v: u32) -> Node {
    Node::U32(v, true)
}
fn i(v: i32) -> Node {
    Node::I32(v, true)
}
fn us(v: impl Iterator<Item = u32>) -> Node {
    Node::U32s(v.collect(), true)
}

pub fn build(factions: u32, strings: u32) -> Tree {
    let mut m = Maker { random: Lcg(7), names: vec![], strings };
    let all = (0..factions)
        .map(|k| {
            let characters = m.characters(40);
            let children = vec![
                u(k),
                m.key(),
                m.text(),
                i(m.below(1 << 20) as i32),
                Node::Bool(true, true),
                us((0..200).map(|_| m.below(60_000))),
                m.record("CHARACTER_ARRAY", 1, Some(characters), vec![]),
            ];
            vec![m.record("FACTION", 4, None, children)]
        })
        .collect();
    let bulk = factions * 400;
    let heights = Node::F32s((0..bulk).map(|_| m.below(5000) as f32 / 16.0).collect());
    let areas = us((0..bulk).map(|_| m.below(60_000)));
    let bitmap = Node::U8s((0..bulk).map(|_| m.below(256) as u8).collect());
    let children = vec![
        u(factions),
        m.record("FACTION_ARRAY", 0, Some(all), vec![]),
        m.record("HEIGHTS", 0, None, vec![heights]),
        m.record("AREAS", 0, None, vec![areas]),
        m.record("BITMAP", 0, None, vec![bitmap]),
    ];
    let root = m.record("CAMPAIGN_SAVE_GAME", 2, None, children);
    let named = |n: u32, f: &dyn Fn(u32) -> String| (0..n).map(|i| (i, f(i))).collect::<Vec<_>>();
    Tree {
        unknown: 0,
        date: 1,
        names: m.names,
        utf16: named(strings.div_ceil(4), &|i| format!("Lord of the {i:04}")),
        ascii: named(strings, &|i| format!("wh_main_agent_key_{i:05}")),
        by16: (0..strings.div_ceil(4)).collect(),
        by8: (0..strings).collect(),
        root,
    }
}

pub fn count(n: &Node) -> usize {
    match n {
        Node::Record(r) => 1 + r.children.iter().map(count).sum::<usize>(),
        _ => 1,
    }
}
