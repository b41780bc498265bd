//! Builds an event flow from nothing, writes it, and reads it back.
//!
//!     cargo run -p formwork-formats --features evfl --example build_evfl -- door.bfevfl

use std::error::Error;
use std::{env, fs};

use formwork_formats::evfl::{
    Actor, ActorActionsIndex, ActorQueriesIndex, Container, EntryPoint, Event, EventAction,
    EventData, EventIndex, EventSubFlow, EventSwitch, File, FileHeader, Flowchart,
    FlowchartActorIndex, FourBytes, Item, ItemCase, SwitchCase,
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
    let event = |name: &'static str, data| Event { name: name.into(), data, ..Default::default() };
    let ask = EventData::Switch(EventSwitch {
        actor: keeper_index,
        query: ActorQueriesIndex::default(),
        cases: vec![answer(1, 1), answer(0, 2)],
        ..Default::default()
    });
    let open = EventData::Action(EventAction {
        actor: keeper_index,
        action: ActorActionsIndex::default(),
        params: Some(Container {
            items: vec![
                item("Slowness", ItemCase::Int(3.into())),
                item("Sound", ItemCase::String("creak".into())),
            ],
            ..Default::default()
        }),
        ..Default::default()
    });
    let call_guards = EventData::SubFlow(EventSubFlow {
        flowchart: "Guards".into(),
        entry_point: "Alarm".into(),
        ..Default::default()
    });
    let door = Flowchart {
        name: "Door".into(),
        actors: vec![keeper],
        events: vec![event("Event0", ask), event("Event1", open), event("Event2", call_guards)],
        entry_points: vec![EntryPoint {
            name: "Knock".into(),
            main_event: Some(EventIndex::at(0)),
            ..Default::default()
        }],
        ..Default::default()
    };
    File {
        header: FileHeader {
            version: FourBytes { major: 0, minor: 3, ..Default::default() },
            file_name: Some("Door".into()),
            ..Default::default()
        },
        flowcharts: vec![door],
        ..Default::default()
    }
}

fn answer(value: u32, event: u32) -> SwitchCase {
    let event = EventIndex::at(event);
    SwitchCase { value, event, ..Default::default() }
}

fn item(name: &'static str, case: ItemCase<'static>) -> Item<'static> {
    Item { name: name.into(), case }
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
