//! Elements are inserted, removed and moved by generated code: what refers to them follows, as the
//! engine says it.

#[allow(dead_code)]
#[path = "../examples/build_evfl.rs"]
mod build_evfl;

use std::fs;
use std::path::{Path, PathBuf};

use formwork::{EditError, ReadOptions};
use formwork_codegen::Provider;
use formwork_formats::{esf, evfl};
use formwork_interpreter::{Edit, Program, Source, Value, edit, program, value_of, write};

use build_evfl::flow;
use evfl::{
    ActorActionsIndex, Event, EventData, EventIndex, EventJoin, EventSubFlow, FlowchartActorIndex,
};

/// The schemas that come with Formwork.
struct BuiltIn;

impl Provider for BuiltIn {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

fn model(name: &str) -> Program {
    let text = formwork_schemas::get(name).expect("the schema is built in");
    let loaded = formwork_codegen::load(&format!("{name}.kdl"), text, None, &BuiltIn);
    program(loaded.model.expect("the schema is good"))
}

/// Files of a format, the largest first: samples, and fixtures.
fn files(format: &str, extensions: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let samples = match std::env::var_os("FORMWORK_SAMPLES") {
        Some(folder) => PathBuf::from(folder),
        None => root.join("../shared/samples"),
    };
    let required = std::env::var("FORMWORK_REQUIRE_SAMPLES").is_ok_and(|value| value == "1");
    assert!(samples.is_dir() || !required, "no folder {}", samples.display());
    let mut all = Vec::new();
    for folder in [samples.join(format), root.join("fixtures")] {
        let Ok(entries) = fs::read_dir(&folder) else {
            println!("SKIPPED: no folder {}", folder.display());
            continue;
        };
        let paths = entries.map(|entry| entry.expect("readable").path());
        let known = |path: &PathBuf| {
            path.extension().is_some_and(|e| extensions.iter().any(|known| e == *known))
        };
        all.extend(paths.filter(known).map(|path| {
            let bytes = fs::read(&path).expect("the file can be read");
            (path, bytes)
        }));
    }
    all.sort_by(|(a, x), (b, y)| (y.len(), a).cmp(&(x.len(), b)));
    all
}

/// What every reference to an event means, by the names of events.
fn meaning(flow: &evfl::Flowchart<'_>) -> Vec<String> {
    let name = |index: &EventIndex| flow.event(*index).map_or("?", |event| &*event.name);
    let maybe = |index: &Option<EventIndex>| index.as_ref().map_or("-", name).to_owned();
    let mut all = Vec::new();
    for event in &flow.events {
        let to: Vec<String> = match &event.data {
            EventData::Action(action) => {
                let actor = flow.actor(action.actor).expect("there is such an actor");
                vec![
                    maybe(&action.next),
                    actor.name.to_string(),
                    actor.actions[action.action.get()].to_string(),
                ]
            }
            EventData::Switch(switch) => {
                let actor = flow.actor(switch.actor).expect("there is such an actor");
                let cases = switch.cases.iter().map(|case| name(&case.event).to_owned());
                let query = actor.queries[switch.query.get()].to_string();
                cases.chain([actor.name.to_string(), query]).collect()
            }
            EventData::Fork(fork) => {
                let branches = fork.branches.iter().map(|event| name(event).to_owned());
                branches.chain([name(&fork.join).to_owned()]).collect()
            }
            EventData::Join(join) => vec![maybe(&join.next)],
            EventData::SubFlow(sub) => vec![maybe(&sub.next)],
        };
        all.push(format!("{}: {}", event.name, to.join(" ")));
    }
    for entry in &flow.entry_points {
        let flows: Vec<&str> = entry.sub_flow_events.iter().map(name).collect();
        all.push(format!("{}: {} {flows:?}", entry.name, maybe(&entry.main_event)));
    }
    all
}

fn join(name: &str, next: Option<EventIndex>) -> Event<'_> {
    Event {
        name: name.into(),
        data: EventData::Join(EventJoin { next, ..Default::default() }),
        ..Default::default()
    }
}

#[test]
fn an_event_at_the_front_of_the_largest_file() {
    let all = files("evfl", &["bfevfl"]);
    let read = |bytes| evfl::File::read(bytes).expect("the file can be read");
    let has_events = |file: &evfl::File<'_>| file.flowcharts.iter().any(|f| !f.events.is_empty());
    let mut with_events = all.iter().filter(|(_, bytes)| has_events(&read(bytes)));
    let (path, bytes) = with_events.next().expect("there are fixtures with events");
    let mut file = read(bytes);
    let flow = file.flowcharts.iter_mut().find(|flow| !flow.events.is_empty());
    let flow = flow.expect("there is a flowchart with events");
    let before = meaning(flow);
    let first = flow.event(EventIndex::at(0)).expect("there is an event").name.clone();
    flow.insert_event(EventIndex::at(0), join("Front", Some(EventIndex::at(0))))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let after = meaning(flow);
    assert_eq!(after[0], format!("Front: {first}"));
    assert_eq!(after[1..], before);
    let written = file.write().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(evfl::File::read(&written).expect("it was just written"), file);
}

#[test]
fn what_something_refers_to_is_not_removed() {
    let mut file = flow();
    let flow = &mut file.flowcharts[0];
    let before = flow.clone();
    let error = flow.remove_event(EventIndex::at(1)).expect_err("something refers to it");
    let EditError::StillReferenced { paths } = &error else { panic!("{error}") };
    assert!(!paths.is_empty());
    assert!(error.to_string().contains("events[0].data"), "{error}");
    assert!(flow.same_spelling(&before));
    // Another event stands for it.
    let removed = flow.replace_event(EventIndex::at(1), EventIndex::at(2)).expect("it can be");
    assert_eq!(removed, before.events[1]);
    assert_eq!(flow.events.len() + 1, before.events.len());
}

#[test]
fn actors_and_what_they_do() {
    let mut file = flow();
    let flow = &mut file.flowcharts[0];
    let before = meaning(flow);
    let last = flow.push_actor(flow.actors[0].clone()).expect("there is room");
    flow.move_actor(last, FlowchartActorIndex::at(0)).expect("nothing keeps it");
    assert_eq!(meaning(flow), before);
    let actor = FlowchartActorIndex::at(1);
    flow.insert_action(actor, ActorActionsIndex::at(0), "Wait".into()).expect("nothing keeps it");
    assert_eq!(meaning(flow), before);
    assert_eq!(flow.action(actor, ActorActionsIndex::at(0)).map(|name| &**name), Some("Wait"));
    let outside = FlowchartActorIndex::at(99);
    assert_eq!(
        flow.insert_action(outside, ActorActionsIndex::at(0), "Wait".into()),
        Err(EditError::NoArray)
    );
    let far = EventIndex::at(999);
    assert_eq!(
        flow.remove_event(far),
        Err(EditError::OutOfRange { index: 999, count: flow.events.len() as u64 })
    );
    file.write().expect("it can be written");
}

#[test]
fn another_order_of_events() {
    let mut file = flow();
    let flow = &mut file.flowcharts[0];
    let mut before = meaning(flow);
    flow.events.reverse();
    let last = u32::try_from(flow.events.len()).expect("they are few") - 1;
    flow.map_event_indices(|old| EventIndex::at(last - old.number())).expect("nothing keeps it");
    let mut after = meaning(flow);
    before.sort();
    after.sort();
    assert_eq!(after, before);
}

#[test]
fn sub_flow_events_are_those_of_the_files() {
    let (mut same, mut others) = (0, 0);
    for (path, bytes) in files("evfl", &["bfevfl"]) {
        // Fixtures say what no tool would write.
        if path.components().any(|part| part.as_os_str() == "fixtures") {
            continue;
        }
        let file = evfl::File::read(&bytes).expect("the file can be read");
        for flow in &file.flowcharts {
            let mut made = flow.clone();
            made.refresh_sub_flow_events();
            for (entry, own) in flow.entry_points.iter().zip(&made.entry_points) {
                let (mut listed, mut found) =
                    (entry.sub_flow_events.clone(), own.sub_flow_events.clone());
                // Another tool lists the same in another order.
                if file.other_writer {
                    listed.sort_unstable();
                    found.sort_unstable();
                    others += 1;
                } else {
                    same += 1;
                }
                assert_eq!(listed, found, "{}: {}", path.display(), entry.name);
            }
        }
    }
    println!("{same} entry points, and {others} of another writer");
}

#[test]
fn sub_flow_events_follow_from_the_graph() {
    let mut file = flow();
    let flow = &mut file.flowcharts[0];
    let call = |name: &'static str, next| Event {
        name: name.into(),
        data: EventData::SubFlow(EventSubFlow { next, ..Default::default() }),
        ..Default::default()
    };
    let last = flow.push_event(call("Last", None)).expect("there is room");
    let first = flow.push_event(call("First", Some(last))).expect("there is room");
    flow.entry_points[0].main_event = Some(first);
    flow.refresh_sub_flow_events();
    assert_eq!(flow.entry_points[0].sub_flow_events, [first, last]);
    // What leads back to where it came from ends.
    let event = flow.event_mut(last).expect("it is there");
    event.data = EventData::Join(EventJoin { next: Some(first), ..Default::default() });
    flow.refresh_sub_flow_events();
    assert_eq!(flow.entry_points[0].sub_flow_events, [first]);
}

#[test]
fn an_index_is_never_the_number_for_nothing() {
    let mut file = flow();
    file.flowcharts[0].entry_points[0].main_event = Some(EventIndex::at(0xffff));
    let error = file.validate().expect_err("0xffff says that there is none");
    assert!(error.to_string().contains("entry_points[0].main_event"), "{error}");
    assert!(EventIndex::try_new(u32::MAX).is_err());
}

/// Whether a file that generated code has edited is what the engine has made of its value: by what
/// both say, and by the bytes that they are written as.
fn same(program: &Program, file: &dyn formwork::inspect::Inspect, value: &Value) -> bool {
    let own = value_of(program, |to| file.inspect(to)).expect("it is one value");
    own == *value && write(program, &own).ok() == write(program, value).ok()
}

#[test]
fn generated_code_does_what_the_engine_says() {
    let program = model("evfl");
    let mut edits = 0;
    for (path, bytes) in files("evfl", &["bfevfl"]).into_iter().rev().take(40) {
        let file = evfl::File::read(&bytes).expect("the file can be read");
        let read = formwork_interpreter::read(&program, &bytes, &ReadOptions::default());
        let value = read.expect("the file can be read").value();
        for flow in 0..file.flowcharts.len() {
            let count = u32::try_from(file.flowcharts[flow].events.len()).expect("they are few");
            let Some(last) = count.checked_sub(1) else { continue };
            let at = |index: u32| format!("flowcharts[{flow}].events[{index}]");
            for index in [0, count / 2, last] {
                let (mut own, mut other) = (file.clone(), value.clone());
                let element = own.flowcharts[flow].events[0].clone();
                let like = other.at_path(&at(0)).expect("there is an event").clone();
                let done =
                    own.flowcharts[flow].insert_event(EventIndex::at(index), element).is_ok();
                let insert = Edit::Insert(Source::Value(&like));
                assert_eq!(done, edit(&program, &mut other, &at(index), insert).is_ok());
                assert!(same(&program, &own, &other), "{}", path.display());

                let (mut own, mut other) = (file.clone(), value.clone());
                let done = own.flowcharts[flow].remove_event(EventIndex::at(index)).is_ok();
                assert_eq!(
                    done,
                    edit(&program, &mut other, &at(index), Edit::Remove(None)).is_ok()
                );
                assert!(same(&program, &own, &other), "{}", path.display());

                let (mut own, mut other) = (file.clone(), value.clone());
                let (from, to) = (EventIndex::at(index), EventIndex::at(last - index));
                let done = own.flowcharts[flow].move_event(from, to).is_ok();
                let to = Edit::Move(last - index);
                assert_eq!(done, edit(&program, &mut other, &at(index), to).is_ok());
                assert!(same(&program, &own, &other), "{}", path.display());
                edits += 3;
            }
        }
    }
    assert!(edits > 9, "{edits}");
}

#[test]
fn trees_of_values_keep_their_names_and_texts() {
    let program = model("esf");
    let mut edits = 0;
    let all = files("esf", &["esf"]);
    for (path, bytes) in all.into_iter().rev().filter(|(_, bytes)| bytes.len() < 40_000) {
        let Ok(file) = esf::File::read(&bytes) else { continue };
        let read = formwork_interpreter::read(&program, &bytes, &ReadOptions::default());
        let value = read.expect("the file can be read").value();
        let (mut own, mut other) = (file.clone(), value.clone());
        let index = esf::FileTagNamesIndex::at(0);
        own.insert_tag_name(index, b"front"[..].into()).expect("there is room");
        let name = Value::Bytes(b"front".to_vec());
        let insert = Edit::Insert(Source::Value(&name));
        edit(&program, &mut other, "tag_names[0]", insert).expect("there is room");
        assert!(same(&program, &own, &other), "{}", path.display());
        own.write().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        edits += 1;
        let texts = file.ascii.as_ref().map_or(0, Vec::len);
        for at in 0..texts.min(4) {
            let (mut own, mut other) = (file.clone(), value.clone());
            let path = format!("ascii[{at}]");
            let done = own.remove_ascii(at).is_ok();
            assert_eq!(done, edit(&program, &mut other, &path, Edit::Remove(None)).is_ok());
            assert!(same(&program, &own, &other));

            let (mut own, mut other) = (file.clone(), value.clone());
            own.rename_ascii(at, 0x7000_0001).expect("all follow");
            let key = Value::Int(0x7000_0001);
            let rename = Edit::Rename(Source::Value(&key));
            edit(&program, &mut other, &format!("{path}.key"), rename).expect("all follow");
            assert!(same(&program, &own, &other));
            own.write().expect("every text is found by its key");
            edits += 2;
        }
    }
    assert!(edits > 4, "{edits}");
}
