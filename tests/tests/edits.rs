//! Values of event flow files that are edited: what is written reads back equal, and what cannot be
//! written names the field.

use formwork_interpreter::{Value, write};
use formwork_tests::flows::{self, int, text};
use formwork_tests::laws::{self, Broken};
use formwork_tests::{programs, samples};

/// Files to edit: the fixtures, which have something for every edit, and the smallest samples.
fn files() -> Vec<(String, Value)> {
    let model = programs::evfl();
    let fixture = |(name, value): (&str, Value)| {
        (name.to_owned(), write(model, &value).expect("the fixture can be written"))
    };
    let mut files: Vec<_> = flows::all().into_iter().map(fixture).collect();
    if let Some(folder) = samples::samples() {
        let entries = std::fs::read_dir(folder.join("evfl")).expect("the folder can be read");
        let paths = entries.map(|entry| entry.expect("readable").path());
        let mut all: Vec<_> = paths
            .filter(|path| path.extension().is_some_and(|e| e == "bfevfl"))
            .map(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (name, std::fs::read(&path).expect("the file can be read"))
            })
            .collect();
        all.sort_by_key(|(name, bytes)| (bytes.len(), name.clone()));
        files.extend(all.into_iter().take(12));
    }
    let value = |bytes: &[u8]| laws::value_of(model, bytes).expect("the file can be read");
    files.into_iter().map(|(name, bytes)| (name, value(&bytes))).collect()
}

/// Edits every file for which `edit` finds something, and checks what is written.
fn each(edit: impl Fn(&mut Value) -> Option<()>) {
    let model = programs::evfl();
    let mut edited = 0;
    for (name, value) in files() {
        let mut changed = value.clone();
        if edit(&mut changed).is_none() {
            continue;
        }
        edited += 1;
        assert!(changed != value, "{name}: nothing changed");
        laws::put_get(model, &changed).unwrap_or_else(|broken| panic!("{name}: {broken}"));
        laws::stable(model, &changed).unwrap_or_else(|broken| panic!("{name}: {broken}"));
    }
    assert!(edited > 0, "no file has anything to edit");
}

/// Edits the fixture, and checks that writing names exactly these fields.
fn refused(edit: impl Fn(&mut Value), expected: &[&str]) {
    let mut value = flows::full();
    edit(&mut value);
    match laws::put_get(programs::evfl(), &value) {
        Err(Broken::Refused(error)) => {
            let problem = |p: &formwork::Problem| format!("{} {}", p.kind.code(), p.path);
            let found: Vec<_> = error.problems().iter().map(problem).collect();
            assert_eq!(found, expected, "{error}");
        }
        Err(broken) => panic!("{broken}"),
        Ok(_) => panic!("{expected:?}: the value is written"),
    }
}

fn set(value: &mut Value, path: &str, new: Value) -> Option<()> {
    *value.at_path_mut(path)? = new;
    Some(())
}

fn events(value: &mut Value) -> Option<&mut Vec<Value>> {
    value.at_path_mut("flowcharts[0].events")?.elements_mut()
}

#[test]
fn an_actor_gets_a_longer_name() {
    each(|value| set(value, "flowcharts[0].actors[0].name", text("A name that is rather long, é")));
}

#[test]
fn a_name_of_the_pool_gets_unused() {
    each(|value| {
        let other = value.at_path("flowcharts[0].events[1].name")?.clone();
        set(value, "flowcharts[0].events[0].name", other)
    });
}

#[test]
fn an_event_is_added() {
    each(|value| {
        let events = events(value)?;
        let next = match events.len() {
            0 => Value::None,
            count => Value::Int(count as i128 - 1),
        };
        let join = flows::case("join", [("next", next)]);
        events.push(flows::record([("name", text("EventNew")), ("data", join)]));
        Some(())
    });
}

/// Lowers all indices behind a deleted event, and drops those of the event itself.
fn forget(value: &mut Value, deleted: i128) {
    let fix = |value: &mut Value| match value {
        Value::Int(index) if *index == deleted => *value = Value::None,
        Value::Int(index) if *index > deleted => *index -= 1,
        _ => {}
    };
    let fix_list = |value: &mut Value| {
        if let Some(list) = value.elements_mut() {
            list.iter_mut().for_each(fix);
            list.retain(|index| *index != Value::None);
        }
    };
    let Some(events) = events(value) else { return };
    for event in events {
        let Some(data) = event.get_mut("data") else { continue };
        if let Some(next) = data.get_mut("next") {
            fix(next);
        }
        if let Some(join) = data.get_mut("join") {
            fix(join);
        }
        if let Some(branches) = data.get_mut("branches") {
            fix_list(branches);
        }
        if let Some(cases) = data.get_mut("cases").and_then(Value::elements_mut) {
            cases.iter_mut().filter_map(|case| case.get_mut("event")).for_each(fix);
            cases.retain(|case| case.get("event") != Some(&Value::None));
        }
    }
    let entries = value.at_path_mut("flowcharts[0].entry_points").and_then(Value::elements_mut);
    for entry in entries.into_iter().flatten() {
        if let Some(main) = entry.get_mut("main_event") {
            fix(main);
        }
        if let Some(sub_flows) = entry.get_mut("sub_flow_events") {
            fix_list(sub_flows);
        }
    }
}

#[test]
fn an_event_is_deleted() {
    each(|value| {
        let at = events(value)?.iter().position(|event| {
            // Not a join: a fork needs it.
            matches!(event.get("data"), Some(Value::Union(data)) if data.case == "action")
        })?;
        events(value)?.remove(at);
        forget(value, at as i128);
        Some(())
    });
}

#[test]
fn all_events_are_deleted() {
    each(|value| {
        if events(value)?.is_empty() {
            return None;
        }
        events(value)?.clear();
        let entries = value.at_path_mut("flowcharts[0].entry_points")?.elements_mut()?;
        for entry in entries {
            *entry.get_mut("main_event")? = Value::None;
            *entry.get_mut("sub_flow_events")? = flows::list([]);
        }
        Some(())
    });
}

fn first_items(value: &mut Value) -> Option<&mut Vec<Value>> {
    let at =
        events(value)?.iter().position(|event| event.at_path("data.params.items").is_some())?;
    value.at_path_mut(&format!("flowcharts[0].events[{at}].data.params.items"))?.elements_mut()
}

#[test]
fn a_container_item_is_added() {
    each(|value| {
        let new = flows::case("string", [("value", text("new, ü"))]);
        let item = flows::record([("name", text("NewItem")), ("case", new)]);
        first_items(value)?.push(item);
        Some(())
    });
}

#[test]
fn a_container_item_gets_another_type() {
    each(|value| {
        let case = flows::case("int_array", [("values", flows::list([int(1), int(2)]))]);
        *first_items(value)?.first_mut()?.get_mut("case")? = case;
        Some(())
    });
}

#[test]
fn items_change_places() {
    each(|value| {
        let places = ["flowcharts[0].actors[0]", "flowcharts[0].events[0].data", "timelines[0]"];
        let path = places.iter().map(|place| format!("{place}.params.items")).find(
            |path| matches!(value.at_path(path), Some(Value::Array(items)) if items.len() > 1),
        )?;
        value.at_path_mut(&path)?.elements_mut()?.reverse();
        Some(())
    });
}

#[test]
fn indices_out_of_range_are_refused() {
    let check = |path: &'static str, new| {
        let set_it = |value: &mut Value| set(value, path, int(new)).expect("there is such a field");
        refused(set_it, &[&format!("index_out_of_range {path}")]);
    };
    check("flowcharts[0].events[0].data.next", 6);
    check("flowcharts[0].events[0].data.action", 2);
    check("flowcharts[0].events[1].data.query", 1);
    check("flowcharts[0].events[1].data.cases[1].event", -1);
    check("flowcharts[0].events[2].data.branches[1]", 99);
    check("flowcharts[0].entry_points[0].main_event", 6);
}

#[test]
fn what_an_index_selects_is_missing_too() {
    let path = "flowcharts[0].events[0].data.actor";
    let edit = |value: &mut Value| set(value, path, int(2)).expect("there is such a field");
    let action = "not_an_element flowcharts[0].events[0].data.action";
    refused(edit, &[&format!("index_out_of_range {path}"), action]);
}

#[test]
fn a_fork_must_end_in_a_join() {
    let path = "flowcharts[0].events[2].data.join";
    let edit = |value: &mut Value| set(value, path, int(0)).expect("there is such a field");
    refused(edit, &[&format!("check_failed {path}")]);
}

#[test]
fn what_an_entry_point_lists_calls_others() {
    let path = "flowcharts[0].entry_points[0].sub_flow_events[0]";
    let edit = |value: &mut Value| set(value, path, int(0)).expect("there is such a field");
    refused(edit, &[&format!("check_failed {path}")]);
    let edit = |value: &mut Value| set(value, path, int(6)).expect("there is such a field");
    let problems = ["index_out_of_range", "check_failed"].map(|code| format!("{code} {path}"));
    refused(edit, &problems.each_ref().map(String::as_str));
}

#[test]
fn everything_wrong_is_reported_at_once() {
    refused(
        |value| {
            let mut put = |path: &str, new| set(value, path, new).expect("there is such a field");
            put("flowcharts[0].events[0].data.next", int(6));
            put("flowcharts[0].events[5].data.next", int(7));
            put("flowcharts[0].entry_points[2].main_event", int(-1));
        },
        &[
            "index_out_of_range flowcharts[0].events[0].data.next",
            "index_out_of_range flowcharts[0].events[5].data.next",
            "index_out_of_range flowcharts[0].entry_points[2].main_event",
        ],
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let check = |path: &'static str, new: Value, problem: &str| {
        let edit =
            |value: &mut Value| set(value, path, new.clone()).expect("there is such a field");
        refused(edit, &[&format!("{problem} {path}")]);
    };
    check("header.file_name", int(3), "wrong_kind");
    check("flowcharts[0].name", Value::None, "missing_field");
    check("flowcharts[0].actors[0].slot_count", int(0x10000), "does_not_fit");
    check("flowcharts[0].events[1].data.cases[0].value", int(-1), "does_not_fit");
    check("flowcharts[0].events[3].data", flows::case("jump", []), "unknown_case");
}

#[test]
fn names_that_a_dictionary_cannot_hold_are_refused() {
    let items = "flowcharts[0].events[0].data.params.items";
    let duplicate = |value: &mut Value| {
        let list = value.at_path_mut(items).and_then(Value::elements_mut).expect("a list");
        list.push(list[0].clone());
    };
    refused(duplicate, &["duplicate_key flowcharts[0].events[0].data.params.items[1].name"]);
    let empty = |value: &mut Value| {
        set(value, &format!("{items}[0].name"), text("")).expect("there is such a field");
    };
    refused(empty, &["empty_key flowcharts[0].events[0].data.params.items[0].name"]);
}
