//! Builds an event flow from nothing, writes it, and reads it back.
//!
//!     cargo run -p formwork-formats --features evfl --example build_evfl -- door.bfevfl

use std::error::Error;
use std::{env, fs};

use formwork_formats::evfl::{
    Actor, ActorActionsIndex, ActorQueriesIndex, Container, EntryPoint, Event, EventAction,
    EventData, EventIndex, EventSubFlow, EventSwitch, File, FileHeader, Flowchart,
    FlowchartActorIndex, FourBytes, Item, ItemInt, ItemString, SwitchCase,
};

fn main() -> Result<(), Box<dyn Error>> {
    let file = flow();
    let bytes = file.write()?;
    assert_eq!(File::read(&bytes)?, file);
    let path = env::args().nth(1).unwrap_or_else(|| "door.bfevfl".to_owned());
    fs::write(&path, &bytes)?;
    println!("{path}: {} bytes", bytes.len());
    for event in &file.flowcharts[0].events {
        println!("  {}: {}", event.name, words(&event.data));
    }
    Ok(())
}

/// Somebody knocks. The keeper opens if it is day, and calls the guards otherwise.
pub fn flow() -> File<'static> {
    let keeper = Actor {
        name: "Keeper".into(),
        actions: vec!["OpenDoor".into()],
        queries: vec!["IsDay".into()],
        ..Default::default()
    };
    // Positions have types of their own: that of an actor is not that of an event.
    let keeper_index = FlowchartActorIndex::default();
    let answer = |value, event| SwitchCase::new(value, EventIndex::at(event));
    let ask = EventSwitch {
        cases: vec![answer(1, 1), answer(0, 2)],
        ..EventSwitch::new(keeper_index, ActorQueriesIndex::default())
    };
    let open = EventAction {
        params: Some(Container {
            items: vec![
                Item::new("Slowness", ItemInt::new(3)),
                Item::new("Sound", ItemString::new("creak")),
            ],
            ..Default::default()
        }),
        ..EventAction::new(keeper_index, ActorActionsIndex::default())
    };
    let call_guards = EventSubFlow::new("Guards", "Alarm");
    let door = Flowchart {
        actors: vec![keeper],
        events: vec![
            Event::new("Event0", ask),
            Event::new("Event1", open),
            Event::new("Event2", call_guards),
        ],
        entry_points: vec![EntryPoint {
            main_event: Some(EventIndex::at(0)),
            ..EntryPoint::new("Knock")
        }],
        ..Flowchart::new("Door")
    };
    File {
        header: FileHeader {
            version: FourBytes::new(0, 3, 0, 0),
            file_name: Some("Door".into()),
            ..Default::default()
        },
        flowcharts: vec![door],
        ..Default::default()
    }
}

fn words(data: &EventData<'_>) -> String {
    match data {
        EventData::Action(action) => format!("action {:?}", action.action),
        EventData::Switch(switch) => format!("{} answers", switch.cases.len()),
        EventData::Fork(fork) => format!("{} branches", fork.branches.len()),
        EventData::Join(_) => "join".to_owned(),
        EventData::SubFlow(call) => format!("calls {} of {}", call.entry_point, call.flowchart),
    }
}
