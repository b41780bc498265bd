//! Builds an archive of animation events from nothing, writes it, and reads it back.
//!
//!     cargo run -p formwork-formats --features baev --example build_baev -- walk.baev

use std::error::Error;
use std::{env, fs};

use formwork_formats::baev::{
    Archive, Event, EventTable, File, Group, Node, NodeIndex, NodeList, Parameter, ParameterList,
    ParameterText, Record, RecordTable, TableGroup, TableNode,
};

fn main() -> Result<(), Box<dyn Error>> {
    let file = walk();
    let bytes = file.write()?;
    assert_eq!(File::read(&bytes)?, file);
    let path = env::args().nth(1).unwrap_or_else(|| "walk.baev".to_owned());
    fs::write(&path, &bytes)?;
    println!("{path}: {} bytes", bytes.len());
    for event in &file.archive.nodes.items[0].events.items {
        let times = event.triggers.items.iter().chain(&event.holds.items);
        let times: Vec<String> = times.map(|time| time.start_frame.to_string()).collect();
        println!("  {} at {}", event.name.as_deref().unwrap_or_default(), times.join(", "));
    }
    Ok(())
}

/// While somebody walks, a foot is heard twice, and dust rises for a while.
pub fn walk() -> File<'static> {
    let step = |foot: &'static str, frame| Record {
        params: parameters(vec![text(foot).into()]),
        start_frame: frame,
        ..Default::default()
    };
    let sound = Event {
        name: Some("Sound".into()),
        triggers: records(vec![step("Left", 4.0), step("Right", 19.0)]),
        ..Default::default()
    };
    let rises = Record {
        params: parameters(vec![text("Dust").into(), Parameter::Vector([0.0, 0.25, 0.0].into())]),
        start_frame: 5.0,
        end_frame: 12.0,
    };
    let dust = Event {
        name: Some("Effect".into()),
        holds: records(vec![rises]),
        event_id: 2,
        ..Default::default()
    };
    let key = formwork::algorithms::fnv1a_32(b"Walk", formwork::algorithms::FNV1A_SEED);
    let events = EventTable { items: vec![sound, dust], ..Default::default() };
    let nodes = vec![Node { events, name_hash: key, ..Default::default() }];
    let group = Group {
        key_hash: key,
        nodes: NodeList { items: vec![NodeIndex::at(0)], ..Default::default() },
        ..Default::default()
    };
    File {
        archive: Archive {
            version_major: 2,
            version_minor: 1,
            groups: TableGroup { items: vec![group], ..Default::default() },
            nodes: TableNode { items: nodes, ..Default::default() },
            ..Default::default()
        },
        ..Default::default()
    }
}

fn records(items: Vec<Record<'static>>) -> RecordTable<'static> {
    RecordTable { items, ..Default::default() }
}

fn parameters(items: Vec<Parameter<'static>>) -> ParameterList<'static> {
    ParameterList { items, ..Default::default() }
}

fn text(value: &'static str) -> ParameterText<'static> {
    ParameterText { value: Some(value.into()), ..Default::default() }
}
