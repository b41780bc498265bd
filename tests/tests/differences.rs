//! Differences of files, and merges: edits by chance are found and put together again, and so are
//! edits by hand of what refers to something.

use std::collections::BTreeSet;

use formwork::algorithms::{FNV1A_SEED, fnv1a_32};
use formwork::{EditError, ReadOptions};
use formwork_interpreter::{
    Change, ChangeKind, ConflictKind, Diff, Edit, EditFailure, MergeError, Merged, Program, Value,
    diff, edit, merge, read, write,
};
use formwork_model::{Model, Step};
use formwork_tests::flows::{self, case, int, record, text};
use formwork_tests::golden::features;
use formwork_tests::{graphs, programs, samples, trees};

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % limit.max(1)
    }
}

fn compare(program: &Program, a: &[u8], b: &[u8]) -> Diff {
    diff(program, a, b, &ReadOptions::default())
}

fn value_of(program: &Program, bytes: &[u8]) -> Value {
    read(program, bytes, &ReadOptions::default()).expect("the file can be read").value()
}

/// A file to edit, with what its format is.
struct Subject {
    name: String,
    program: &'static Program,
    bytes: Vec<u8>,
}

fn subjects() -> Vec<Subject> {
    let mut all = Vec::new();
    let mut add = |name: &str, program: &'static Program, bytes: Vec<u8>| {
        all.push(Subject { name: name.to_owned(), program, bytes });
    };
    for (name, value) in flows::all() {
        let bytes = write(programs::evfl(), &value).expect("the fixture can be written");
        add(name, programs::evfl(), bytes);
    }
    for (name, value) in trees::all() {
        let bytes = write(programs::esf(), &value).expect("the fixture can be written");
        add(name, programs::esf(), bytes);
    }
    for (name, value) in graphs::all() {
        let bytes = write(programs::ainb(), &value).expect("the fixture can be written");
        add(name, programs::ainb(), bytes);
    }
    if let Some(folder) = samples::samples() {
        let formats = [("evfl", programs::evfl()), ("esf", programs::esf())];
        for (folder, program) in formats.map(|(name, program)| (folder.join(name), program)) {
            let mut files: Vec<_> = std::fs::read_dir(folder)
                .expect("the folder can be read")
                .map(|entry| entry.expect("readable").path())
                .filter(|path| path.is_file())
                .map(|path| (std::fs::read(&path).expect("readable"), path))
                .filter(|(bytes, _)| {
                    bytes.len() < 8_000 && read(program, bytes, &ReadOptions::default()).is_ok()
                })
                .collect();
            files.sort_by_key(|(bytes, path)| (bytes.len(), path.clone()));
            for (bytes, path) in files.into_iter().rev().take(3) {
                add(&path.display().to_string(), program, bytes);
            }
        }
    }
    all
}

/// What the model says of names: arrays that something refers to, rows that are references, and rows
/// that have no step of their own in paths.
struct Names {
    targets: BTreeSet<String>,
    references: BTreeSet<String>,
    bodies: BTreeSet<String>,
}

impl Names {
    fn of(model: &Model) -> Names {
        let (mut targets, mut references, mut bodies) = Default::default();
        for row in model.records.iter().flat_map(|record| &record.rows) {
            let Some(name) = &row.name else { continue };
            if model.is_body(&row.ty) {
                BTreeSet::insert(&mut bodies, name.clone());
            }
            if let Some(reference) = &row.reference {
                BTreeSet::insert(&mut references, name.clone());
                for step in &reference.array.steps {
                    if let Step::Field(field) = step {
                        BTreeSet::insert(&mut targets, field.name.clone());
                    }
                }
            }
        }
        Names { targets, references, bodies }
    }
}

/// A place in a value: its path as values have it, and as listings have it.
#[derive(Debug, Clone)]
struct Place {
    path: String,
    shown: String,
    field: String,
}

impl Place {
    fn field(&self, names: &Names, name: &str, value: &Value) -> Place {
        let step = |path: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        let is_body = names.bodies.contains(name) && matches!(value, Value::Union(_));
        let shown = if is_body { self.shown.clone() } else { step(&self.shown) };
        Place { path: step(&self.path), shown, field: name.to_owned() }
    }

    fn index(&self, at: usize) -> Place {
        let (path, shown) = (format!("{}[{at}]", self.path), format!("{}[{at}]", self.shown));
        Place { path, shown, field: self.field.clone() }
    }
}

/// All numbers and texts that are no references, and all arrays that nothing refers to.
fn places(
    names: &Names,
    at: &Place,
    value: &Value,
    leaves: &mut Vec<Place>,
    lists: &mut Vec<Place>,
) {
    match value {
        Value::Spelled(inner, _) => places(names, at, inner, leaves, lists),
        Value::Struct(value) => {
            for (name, field) in &value.fields {
                places(names, &at.field(names, name, field), field, leaves, lists);
            }
        }
        Value::Union(union) => {
            for (name, field) in &union.value.fields {
                places(names, &at.field(names, name, field), field, leaves, lists);
            }
        }
        Value::Array(elements) => {
            if !names.targets.contains(&at.field) && !names.references.contains(&at.field) {
                lists.push(at.clone());
            }
            for (index, element) in elements.iter().enumerate() {
                places(names, &at.index(index), element, leaves, lists);
            }
        }
        Value::Int(_) | Value::Text(_) | Value::Float { .. } | Value::Bytes(_)
            if !names.references.contains(&at.field) =>
        {
            leaves.push(at.clone());
        }
        _ => {}
    }
}

fn all_places(names: &Names, value: &Value) -> (Vec<Place>, Vec<Place>) {
    let root = Place { path: String::new(), shown: String::new(), field: String::new() };
    let (mut leaves, mut lists) = Default::default();
    places(names, &root, value, &mut leaves, &mut lists);
    (leaves, lists)
}

/// Changes a number or text a little.
fn change(value: &mut Value, random: &mut Random) {
    match value {
        Value::Int(number) => *number = (*number + 1 + random.below(3) as i128) % 250,
        Value::Text(text) => text.push_str(["x", "yz", "é"][random.below(3)]),
        Value::Float { bits, .. } => *bits ^= 1,
        Value::Bytes(bytes) => bytes.iter_mut().take(1).for_each(|first| *first ^= 1),
        Value::Spelled(inner, _) => change(inner, random),
        _ => {}
    }
}

/// The file of a value, if it is read back as that.
fn written(program: &Program, value: &Value) -> Option<Vec<u8>> {
    let bytes = write(program, value).ok()?;
    let again = read(program, &bytes, &ReadOptions::default()).ok()?;
    (again.value() == *value).then_some(bytes)
}

fn paths(diff: &Diff) -> Vec<String> {
    let path = |change: &Change| {
        let place = change.new.as_ref().or(change.old.as_ref()).expect("a change has a place");
        format!("{} {}", change.kind.name(), place.path)
    };
    diff.changes.iter().map(path).collect()
}

#[test]
fn a_changed_field_is_the_only_change() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for Subject { name, program, bytes } in subjects() {
        let names = Names::of(program.model());
        let value = value_of(program, &bytes);
        let (leaves, _) = all_places(&names, &value);
        let mut tried = 0;
        for _ in 0..60 {
            let place = &leaves[random.below(leaves.len())];
            let mut edited = value.clone();
            change(edited.at_path_mut(&place.path).expect("it is there"), &mut random);
            let Some(after) = written(program, &edited).filter(|_| edited != value) else {
                continue;
            };
            tried += 1;
            let found = compare(program, &bytes, &after);
            assert_eq!(paths(&found), [format!("changed {}", place.shown)], "{name}");
            assert!(!found.same_bytes && !found.ranges.is_empty(), "{name}");
        }
        assert!(tried > 10 || leaves.len() < 20, "{name}: {tried} of 60");
    }
}

#[test]
fn an_element_that_is_added_or_removed_is_the_only_change() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut tried = [0, 0];
    for Subject { name, program, bytes } in subjects() {
        let names = Names::of(program.model());
        let value = value_of(program, &bytes);
        let (_, lists) = all_places(&names, &value);
        for round in 0..60 {
            if lists.is_empty() {
                break;
            }
            let place = &lists[random.below(lists.len())];
            let mut edited = value.clone();
            let elements = edited.at_path_mut(&place.path).and_then(Value::elements_mut);
            let elements = elements.expect("it is an array");
            if elements.is_empty() {
                continue;
            }
            let at = random.below(elements.len());
            let added = round % 2 == 0;
            let element = match added {
                true => {
                    let mut element = elements[at].clone();
                    let (inner, _) = all_places(&names, &element);
                    match inner.get(random.below(inner.len())) {
                        Some(place) if !place.path.is_empty() => {
                            change(element.at_path_mut(&place.path).expect("there"), &mut random);
                        }
                        _ => change(&mut element, &mut random),
                    }
                    elements.insert(at, element.clone());
                    element
                }
                false => elements.remove(at),
            };
            let Some(after) = written(program, &edited) else { continue };
            tried[usize::from(added)] += 1;
            let found = compare(program, &bytes, &after);
            let [Change { kind, old, new, .. }] = found.changes.as_slice() else {
                panic!("{name}: {:?} at {at} of {}", paths(&found), place.shown);
            };
            let (expected, side) = match added {
                true => (ChangeKind::Added, new),
                false => (ChangeKind::Removed, old),
            };
            assert_eq!(*kind, expected, "{name}");
            let side = side.as_ref().expect("it has a place");
            // Of equal neighbours, any one may be meant.
            let of = if added { &edited } else { &value };
            let index: usize = side.path[..side.path.len() - 1]
                .strip_prefix(&format!("{}[", place.shown))
                .and_then(|index| index.parse().ok())
                .unwrap_or_else(|| panic!("{name}: {} for {}", side.path, place.shown));
            let path = format!("{}[{index}]", place.path);
            assert_eq!(of.at_path(&path), Some(&element), "{name}");
        }
    }
    assert!(tried.iter().all(|count| *count > 100), "{tried:?}");
}

#[test]
fn edits_of_different_fields_are_merged() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for Subject { name, program, bytes } in subjects() {
        let names = Names::of(program.model());
        let value = value_of(program, &bytes);
        let (leaves, _) = all_places(&names, &value);
        let mut tried = 0;
        for _ in 0..40 {
            let [one, other] = [0, 1].map(|_| &leaves[random.below(leaves.len())]);
            let mut both = value.clone();
            let mut edits = Vec::new();
            for place in [one, other] {
                let mut edited = value.clone();
                change(edited.at_path_mut(&place.path).expect("it is there"), &mut random);
                let new = edited.at_path(&place.path).expect("it is there").clone();
                *both.at_path_mut(&place.path).expect("it is there") = new;
                edits.push(edited);
            }
            let [ours, theirs] = edits.try_into().expect("there are two");
            let all = [&ours, &theirs, &both].map(|value| written(program, value));
            let [Some(ours), Some(theirs), Some(both)] = all else { continue };
            let merged = merge(program, [&bytes, &ours, &theirs], &ReadOptions::default());
            let merged = merged.unwrap_or_else(|error| panic!("{name}: {error}"));
            if one.path != other.path {
                tried += 1;
                let Merged::File(merged) = merged else { panic!("{name}: {merged:?}") };
                assert!(merged == both, "{name}: {} and {}", one.shown, other.shown);
                continue;
            }
            match merged {
                Merged::File(merged) => assert!(merged == ours && ours == theirs, "{name}"),
                Merged::Conflicts(conflicts) => {
                    assert_eq!(conflicts.len(), 1, "{name}");
                    assert_eq!(conflicts[0].path, one.shown, "{name}");
                    assert_eq!(conflicts[0].kind, ConflictKind::Changed, "{name}");
                    assert!(conflicts[0].values.iter().all(Option::is_some), "{name}");
                }
            }
        }
        assert!(tried > 5 || leaves.len() < 20, "{name}: {tried} of 40");
    }
}

/// A shared table has the references, and the value has them in its slices.
#[test]
fn references_in_slices_lead_where_they_led() {
    let schema = "module groups root=File endian=little
        struct File {
            u8 n; u8 m; u8 g
            Item items count=n
            u8 refs count=m ref=items from=\"groups.refs\"
            Group groups count=g
        }
        struct Item { u8 value }
        struct Group { u8 base; u8 count; slice refs of=File.refs base=base count=count }";
    let program = programs::from_text("groups", schema, None).expect("the schema is right");
    let base = [2, 3, 2, 7, 9, 0, 1, 0, 0, 2, 2, 1];
    let turned = [2, 3, 2, 9, 7, 1, 0, 1, 0, 2, 2, 1];
    let found = compare(&program, &base, &turned);
    assert!(matches!(&found.changes[..], [Change { kind: ChangeKind::Moved, .. }]), "{found:?}");
    // One more reference to the second item, which is the first one by then.
    let more = [2, 4, 2, 7, 9, 0, 1, 0, 1, 0, 2, 2, 2];
    let wanted = [2, 4, 2, 9, 7, 1, 0, 1, 0, 0, 2, 2, 2];
    for sides in [[&base[..], &turned, &more], [&base, &more, &turned]] {
        let merged = merge(&program, sides, &ReadOptions::default());
        assert!(matches!(&merged, Ok(Merged::File(file)) if file == &wanted), "{merged:?}");
    }
}

/// What is in both files is what `==` says, and nothing is too broken to be compared or merged.
#[test]
fn changed_files_are_compared_and_merged() {
    let mut both_read = 0;
    let folder = samples::workspace().join("tests/golden");
    for feature in features(&folder).expect("the features can be read") {
        // Each feature has chances of its own, which do not change when another is added.
        let name = feature.schema.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let mut random =
            Random(0xdead_beef_cafe_f00d ^ u64::from(fnv1a_32(name.as_bytes(), FNV1A_SEED)));
        let Ok(program) = programs::from_file(&feature.schema) else { continue };
        for file in &feature.files {
            let options = ReadOptions::default();
            for _ in 0..24 {
                let mut changed = [file.bytes.clone(), file.bytes.clone()];
                for bytes in &mut changed {
                    if bytes.is_empty() {
                        continue;
                    }
                    let at = random.below(bytes.len());
                    match random.below(6) {
                        0 => bytes.truncate(at),
                        1 => bytes.extend_from_slice(&file.bytes[..at]),
                        2 => drop(bytes.remove(at)),
                        _ => bytes[at] = bytes[at].wrapping_add(1 << random.below(8)),
                    }
                }
                let [ours, theirs] = &changed;
                let found = diff(&program, &file.bytes, ours, &options);
                let readable =
                    |bytes: &[u8]| read(&program, bytes, &options).ok().map(|d| d.value());
                if let (Some(a), Some(b)) = (readable(&file.bytes), readable(ours)) {
                    both_read += 1;
                    let name = file.name.as_str();
                    let schema = feature.schema.display();
                    assert_eq!(found.same_meaning(), a == b, "{schema} {name} {:?}", paths(&found));
                }
                match merge(&program, [&file.bytes, ours, theirs], &options) {
                    Ok(Merged::File(merged)) => {
                        assert!(read(&program, &merged, &options).is_ok(), "{}", file.name);
                    }
                    Ok(Merged::Conflicts(conflicts)) => assert!(!conflicts.is_empty()),
                    Err(MergeError::ReadBack) => {
                        println!("{:02x?}\n{ours:02x?}\n{theirs:02x?}", file.bytes);
                        panic!(
                            "{} {}: it reads back to something else",
                            feature.schema.display(),
                            file.name
                        )
                    }
                    Err(_) => {}
                }
                for side in [ours, theirs] {
                    let merged = merge(&program, [&file.bytes, side, &file.bytes], &options);
                    if let Ok(merged) = merged {
                        assert!(matches!(merged, Merged::File(bytes) if bytes == *side));
                    }
                }
            }
        }
    }
    assert!(both_read > 500, "{both_read}");
}

// By hand.

fn flow(edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value = flows::full();
    edit(&mut value);
    write(programs::evfl(), &value).expect("it can be written")
}

fn set(value: &mut Value, path: &str, new: Value) {
    *value.at_path_mut(path).unwrap_or_else(|| panic!("no {path}")) = new;
}

/// Raises all references to events from a position on.
fn make_room(value: &mut Value, from: i128) {
    fn raise(name: &str, value: &mut Value, from: i128) {
        let is_reference = ["next", "join", "event", "main_event", "branches", "sub_flow_events"];
        match value {
            Value::Int(at) if is_reference.contains(&name) && *at >= from => *at += 1,
            Value::Array(all) => all.iter_mut().for_each(|value| raise(name, value, from)),
            Value::Struct(inner) => {
                inner.fields.iter_mut().for_each(|(name, value)| raise(name, value, from));
            }
            Value::Union(union) => {
                let fields = union.value.fields.iter_mut();
                fields.for_each(|(name, value)| raise(name, value, from));
            }
            _ => {}
        }
    }
    raise("", value.at_path_mut("flowcharts[0]").expect("there is one"), from);
}

fn insert_event(value: &mut Value, at: usize, name: &str) {
    make_room(value, at as i128);
    let event = record([("name", text(name)), ("data", case("join", [("next", Value::None)]))]);
    let events = value.at_path_mut("flowcharts[0].events").and_then(Value::elements_mut);
    events.expect("there are some").insert(at, event);
}

#[test]
fn references_to_the_same_element_are_equal() {
    let before = flow(|_| {});
    let after = flow(|value| insert_event(value, 1, "New"));
    let found = compare(programs::evfl(), &before, &after);
    assert_eq!(paths(&found), ["added flowcharts[0].events[1]"]);
    let back = compare(programs::evfl(), &after, &before);
    assert_eq!(paths(&back), ["removed flowcharts[0].events[1]"]);
}

#[test]
fn a_reference_of_the_same_number_may_lead_elsewhere() {
    let before = flow(|_| {});
    let after = flow(|value| {
        insert_event(value, 1, "New");
        set(value, "flowcharts[0].events[0].data.next", int(1));
    });
    let found = compare(programs::evfl(), &before, &after);
    let expected = ["changed flowcharts[0].events[0].data.next", "added flowcharts[0].events[1]"];
    assert_eq!(paths(&found), expected);
}

#[test]
fn elements_with_names_are_known_by_them() {
    let path = "flowcharts[0].actors[0].params.items";
    let before = flow(|_| {});
    let after = flow(|value| {
        let items = value.at_path_mut(path).and_then(Value::elements_mut).expect("there are some");
        assert!(items.len() > 2);
        items.rotate_left(1);
    });
    let found = compare(programs::evfl(), &before, &after);
    let shown = paths(&found);
    assert!(matches!(shown.as_slice(), [one] if one.starts_with("moved ")), "{shown:?}");
    let renamed = flow(|value| set(value, &format!("{path}[1].name"), text("Renamed")));
    let found = compare(programs::evfl(), &before, &renamed);
    assert_eq!(paths(&found), [format!("changed {path}[1].name")]);
    let replaced = flow(|value| {
        let other = case("float", [("value", flows::f32(8.5))]);
        let other = record([("name", text("Other")), ("case", other)]);
        set(value, &format!("{path}[1]"), other);
    });
    let found = compare(programs::evfl(), &before, &replaced);
    assert_eq!(paths(&found), [format!("added {path}[1]"), format!("removed {path}[1]")]);
}

fn merged(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Value, Vec<String>> {
    let program = programs::evfl();
    match merge(program, [base, ours, theirs], &ReadOptions::default()) {
        Ok(Merged::File(bytes)) => Ok(value_of(program, &bytes)),
        Ok(Merged::Conflicts(conflicts)) => Err(conflicts
            .iter()
            .map(|conflict| format!("{} {}", conflict.kind.name(), conflict.path))
            .collect()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn references_lead_to_their_elements_in_the_result() {
    let base = flow(|_| {});
    let ours = flow(|value| insert_event(value, 1, "Ours"));
    let theirs = flow(|value| {
        insert_event(value, 3, "Theirs");
        set(value, "flowcharts[0].events[0].data.next", int(3));
    });
    let expected = {
        let mut value = flows::full();
        insert_event(&mut value, 3, "Theirs");
        set(&mut value, "flowcharts[0].events[0].data.next", int(3));
        insert_event(&mut value, 1, "Ours");
        value
    };
    let found = merged(&base, &ours, &theirs).expect("nothing is in conflict");
    let expected = write(programs::evfl(), &expected).expect("it can be written");
    assert!(found == value_of(programs::evfl(), &expected));
}

#[test]
fn both_may_add_events_at_one_place() {
    let base = flow(|_| {});
    let count =
        flows::full().at_path("flowcharts[0].events").and_then(|e| Some(e.elements()?.len()));
    let count = count.expect("there are some");
    let ours = flow(|value| insert_event(value, count, "Ours"));
    let theirs = flow(|value| insert_event(value, count, "Theirs"));
    let found = merged(&base, &ours, &theirs).expect("nothing is in conflict");
    let name = |at: usize| found.at_path(&format!("flowcharts[0].events[{at}].name")).cloned();
    assert_eq!(name(count), Some(text("Ours")));
    assert_eq!(name(count + 1), Some(text("Theirs")));
    // The same event is added once.
    let found = merged(
        &base,
        &ours,
        &flow(|value| {
            insert_event(value, count, "Ours");
            set(value, "flowcharts[0].actors[0].argument_name", text("Other"));
        }),
    );
    let found = found.expect("nothing is in conflict");
    let events = found.at_path("flowcharts[0].events").and_then(Value::elements);
    assert_eq!(events.map(<[Value]>::len), Some(count + 1));
}

#[test]
fn a_reference_to_what_the_other_removed_is_a_conflict() {
    let events = "flowcharts[0].events";
    let with_more = |value: &mut Value| insert_event(value, 1, "Extra");
    let base = flow(with_more);
    let ours = flow(|value| {
        with_more(value);
        set(value, &format!("{events}[0].data.next"), int(1));
    });
    let theirs = flow(|_| {});
    let conflicts = merged(&base, &ours, &theirs).expect_err("it leads to nothing");
    assert_eq!(conflicts, [format!("reference {events}[0].data.next")]);
    let conflicts = merged(&base, &theirs, &ours).expect_err("it leads to nothing");
    assert_eq!(conflicts, [format!("reference {events}[0].data.next")]);
}

#[test]
fn what_one_removed_and_the_other_changed_is_a_conflict() {
    let events = "flowcharts[0].events";
    let base = flow(|value| insert_event(value, 1, "Extra"));
    let ours = flow(|value| insert_event(value, 1, "ExtraChanged"));
    let theirs = flow(|_| {});
    let conflicts = merged(&base, &ours, &theirs).expect_err("one of them has to yield");
    assert_eq!(conflicts, [format!("removed {events}[1]")]);
}

#[test]
fn elements_without_names_that_both_add_at_one_place_are_a_conflict() {
    let add = |name: &'static str| {
        flow(move |value| {
            let actions = value.at_path_mut("flowcharts[0].actors[1].queries");
            actions.and_then(Value::elements_mut).expect("there is a list").push(text(name));
        })
    };
    let both = merged(&flow(|_| {}), &add("One"), &add("Two"));
    assert!(both.is_ok(), "events refer to queries, so both are there");
    let add = |number: i128| {
        flow(move |value| {
            let actor = "flowcharts[0].actors[0].params.items[7].case.values";
            let values = value.at_path_mut(actor).and_then(Value::elements_mut);
            values.expect("there is a list").push(int(number));
        })
    };
    let conflicts = merged(&flow(|_| {}), &add(1), &add(2)).expect_err("which is the first?");
    assert_eq!(conflicts, ["added flowcharts[0].actors[0].params.items[7].values[3]"]);
    assert!(merged(&flow(|_| {}), &add(1), &add(1)).is_ok());
}

#[test]
fn a_spelling_is_no_change_and_is_kept_by_a_merge() {
    let schema = "module m root=File endian=little { extension m }\n\
                  struct File 0x08 { u8 a 0x00; u8 b 0x01; reserved 0x02 size=2; u32 c 0x04 }";
    let program = programs::from_text("m.kdl", schema, None).expect("it is clean");
    let base = [1, 2, 0, 0, 3, 0, 0, 0];
    let ours = [1, 2, 9, 0, 3, 0, 0, 0];
    let theirs = [1, 5, 0, 0, 3, 0, 0, 0];
    let found = diff(&program, &base, &ours, &ReadOptions::default());
    assert!(found.same_meaning() && !found.same_bytes);
    assert_eq!(found.spellings.len(), 1);
    assert_eq!(found.spellings[0].unusual, [false, true]);
    match merge(&program, [&base, &ours, &theirs], &ReadOptions::default()) {
        Ok(Merged::File(bytes)) => assert_eq!(bytes, [1, 5, 9, 0, 3, 0, 0, 0]),
        other => panic!("{other:?}"),
    }
}

fn merge_bytes(schema: &str, files: [&[u8]; 3]) -> Result<Vec<u8>, Vec<String>> {
    let program = programs::from_text("m.kdl", schema, None).expect("it is clean");
    match merge(&program, files, &ReadOptions::default()) {
        Ok(Merged::File(bytes)) => Ok(bytes),
        Ok(Merged::Conflicts(conflicts)) => Err(conflicts
            .iter()
            .map(|conflict| format!("{} {}", conflict.kind.name(), conflict.path))
            .collect()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn spellings_of_elements_move_with_them() {
    let schema = "module m root=File endian=little { extension m }\n\
                  varint wide u32 order=lsb-first bytes=5 usually=shortest\n\
                  struct File { u8 count; wide numbers count=count }";
    // Ours says 3 in two bytes, theirs has a number more.
    let merged = merge_bytes(schema, [&[3, 1, 2, 3], &[3, 1, 2, 0x83, 0], &[4, 9, 1, 2, 3]]);
    assert_eq!(merged, Ok(vec![4, 9, 1, 2, 0x83, 0]));
}

#[test]
fn spellings_of_structs_without_data_are_kept() {
    let head = "module m root=File endian=little { extension m }\npointer * u8 none=0\n";
    let gap = "struct Gap { reserved size=1 }\nstruct Outer { Gap gap; Seal seal }\n\
               struct Seal { u8 sum usually=5 }\n";
    let rows = [
        // The rows, what is in the middle of the base, and what theirs has made of it.
        ("Gap g", &[7][..], &[8][..]),
        ("Gap", &[7], &[8]),
        ("Outer o", &[7, 5], &[7, 6]),
        ("Outer o", &[7, 6], &[8, 5]),
        ("U u", &[1, 7], &[1, 8]),
        ("W w", &[0x70], &[0x20]),
    ];
    let others = "union U tag=u8 { case one 1 { Gap gap }; case two 2 { } }\n\
                  bits W u8 { u4 n 0 3 is=0 }\n";
    for (row, before, after) in rows {
        let schema = format!("{head}{gap}{others}struct File {{ u8 a; {row}; u8 b }}");
        let file = |a: u8, middle: &[u8], b: u8| [&[a][..], middle, &[b]].concat();
        let base = file(1, before, 1);
        let kept = merge_bytes(&schema, [&base, &file(2, before, 1), &file(1, before, 2)]);
        assert_eq!(kept, Ok(file(2, before, 2)), "{row}");
        let changed = merge_bytes(&schema, [&base, &file(2, before, 1), &file(1, after, 1)]);
        assert_eq!(changed, Ok(file(2, after, 1)), "{row}");
        let changed = merge_bytes(&schema, [&base, &file(2, after, 1), &file(1, before, 2)]);
        assert_eq!(changed, Ok(file(2, after, 2)), "{row}");
    }
    let far = format!("{head}{gap}struct File {{ u8 a; *Outer o; u8 b }}");
    let merged = merge_bytes(&far, [&[1, 3, 1, 7, 6], &[2, 3, 1, 7, 6], &[1, 3, 2, 8, 6]]);
    assert_eq!(merged, Ok(vec![2, 3, 2, 8, 6]));
    let items = format!(
        "{head}{gap}struct File {{ u8 n; Item items count=n }}\nstruct Item {{ u8 v; Outer o }}"
    );
    let base = [2, 1, 7, 6, 2, 8, 5];
    let ours = [3, 9, 7, 5, 1, 7, 6, 2, 8, 5];
    let merged = merge_bytes(&items, [&base, &ours, &[2, 1, 7, 6, 2, 9, 7]]);
    assert_eq!(merged, Ok(vec![3, 9, 7, 5, 1, 7, 6, 2, 9, 7]));
}

#[test]
fn a_pool_that_is_all_of_a_struct_keeps_its_order_and_members() {
    let schema = "module m root=File endian=little { extension m }\n\
                  pointer Text u8 to=Str in=File.strings.pool\n\
                  pointer * u8 none=0\n\
                  string Str length=until-nul\n\
                  struct File { *List list; object Strings strings find=1 end=\"at(list)\"\n\
                  layout { self; put strings; put list } }\n\
                  struct List { u8 n; Item items count=n }\n\
                  struct Item { Text name }\n\
                  struct Strings { pool pool of=Str { members kept } }";
    let base = b"\x09d\0c\0b\0a\0\x04\x07\x05\x03\x01";
    let ours = b"\x09d\0c\0b\0a\0\x03\x05\x03\x01";
    let theirs = b"\x0bd\0c\0b\0a\0x\0\x04\x07\x09\x03\x01";
    let both = b"\x0bd\0c\0b\0a\0x\0\x03\x09\x03\x01";
    assert_eq!(merge_bytes(schema, [base, ours, theirs]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(schema, [base, theirs, ours]), Ok(both.to_vec()));
}

#[test]
fn references_lead_into_arrays_that_are_found_in_any_way() {
    let references = [
        "ref=items",
        "ref=named",
        "ref=chosen",
        "ref=given",
        "ref=either",
        "ref=one.items",
        "ref=first.items",
        "ref=\"ones[0].items\"",
        "ref=whole",
    ];
    for reference in references {
        let schema = format!(
            "module m root=File endian=little {{ extension m }}\n\
             struct File {{ One ones count=1; One one; u8 n; u8 items count=n; All whole\n\
             u8 mark; Part<named> part; u8 users count=2 {reference}\n\
             let named \"items\"; let chosen \"mark > 20 ? whole : named\"\n\
             let given part.rows; let either \"ones[index(first(ones where it.n == 99))].items ?? items\"\n\
             let first \"first(ones)\" }}\n\
             struct One {{ u8 n; u8 items count=n }}\n\
             struct All transparent {{ u8 n; u8 items count=n }}\n\
             struct Part<list> {{ u8 who ref=list; let rows list }}"
        );
        let file = |new: &[u8], mark: u8, who: u8, users: [u8; 2]| {
            let items = [&[2 + new.len() as u8], new, b"ab"].concat();
            [&items.repeat(4)[..], &[mark, who], &users].concat()
        };
        let files = [file(b"", 1, 1, [0, 1]), file(b"x", 1, 2, [1, 2]), file(b"", 9, 0, [1, 1])];
        let merged = merge_bytes(&schema, files.each_ref().map(Vec::as_slice));
        assert_eq!(merged, Ok(file(b"x", 9, 1, [2, 2])), "{reference}");
    }
}

#[test]
fn references_by_key_follow_what_the_other_has_renamed() {
    let head = "module m root=File endian=little { extension m }\n";
    let schema = format!(
        "{head}struct File {{ u8 n; Item items count=n; u8 start ref=items.id; \
         u8 uses count=fill ref=items.id }}\n\
         struct Item {{ u8 id unique=#true; u8 power }}"
    );
    let base = b"\x02\x03\x0a\x07\x0b\x03";
    let renamed = b"\x02\x03\x0a\xc8\x0b\x03";
    // A reference that one side changes, and one that it adds.
    for (side, both) in [
        (&b"\x02\x03\x0a\x07\x0b\x07"[..], &b"\x02\x03\x0a\xc8\x0b\xc8"[..]),
        (b"\x02\x03\x0a\x07\x0b\x03\x07\x03", b"\x02\x03\x0a\xc8\x0b\x03\xc8\x03"),
    ] {
        assert_eq!(merge_bytes(&schema, [base, renamed, side]), Ok(both.to_vec()));
        assert_eq!(merge_bytes(&schema, [base, side, renamed]), Ok(both.to_vec()));
    }
    // Where another element has the old key then, nobody knows which one is meant.
    let other = b"\x03\x03\x0a\xc8\x0b\x07\x63\x03";
    let side = b"\x02\x03\x0a\x07\x0b\x03\x07";
    assert_eq!(merge_bytes(&schema, [base, other, side]), Err(vec!["renamed uses[0]".to_owned()]));
    assert_eq!(merge_bytes(&schema, [base, side, other]), Err(vec!["renamed uses[0]".to_owned()]));
    // Only what says something else: an element more is none that was renamed.
    let other = b"\x03\x03\x0a\xc8\x0b\x07\x0b\x03";
    let both = b"\x03\x03\x0a\xc8\x0b\x07\x0b\x03\x07";
    assert_eq!(merge_bytes(&schema, [base, other, side]), Ok(both.to_vec()));

    // References among the elements themselves, in structs without a name, to an element that is gone.
    let schema = format!(
        "{head}struct File {{ u8 n; Area areas count=n }}\n\
         struct Area {{ u8 id unique=#true; Way; u8 x; u8 y }}\n\
         struct Way {{ u8 up ref=File.areas.id none=0 }}"
    );
    let base = b"\x02\x05\0\x01\x02\x07\x05\x03\x04";
    let renamed = b"\x02\x4d\0\x01\x02\x07\x4d\x03\x04";
    let side = b"\x03\x05\0\x01\x02\x07\x05\x03\x04\x09\x05\x08\x08";
    let both = b"\x03\x4d\0\x01\x02\x07\x4d\x03\x04\x09\x4d\x08\x08";
    assert_eq!(merge_bytes(&schema, [base, renamed, side]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(&schema, [base, side, renamed]), Ok(both.to_vec()));
    let gone = b"\x01\x07\0\x03\x04";
    let conflict = vec!["reference areas[2].up".to_owned()];
    assert_eq!(merge_bytes(&schema, [base, side, gone]), Err(conflict));
    let program = programs::from_text("m.kdl", &schema, None).expect("it is clean");
    assert_eq!(paths(&compare(&program, base, renamed)), ["changed areas[0].id"]);
}

#[test]
fn elements_that_are_new_have_what_another_version_brings() {
    let head = "module m root=File endian=little { extension m }\nepoch v from=File.v\n\
                struct File { u8 v; Item items count=fill }\n";
    for item in [
        "struct Item 0x01 0x02 { columns \"<2\" \">=2\"; u8 id 0 0; u8 extra - 1 absent=7 }",
        "struct Item 0x01 0x02 { columns \"<2\" \">=2\"; u8 id 0 0; u8 extra - 1 usually=7 }",
        "struct Item { u8 id; when \"v >= 2\" { u8 extra usually=7 } }",
    ] {
        let schema = format!("{head}{item}");
        let (base, newer) = (b"\x01\x0a\x0b", b"\x02\x0a\x07\x0b\x08");
        let (more, both) = (b"\x01\x0a\x0c\x0b", b"\x02\x0a\x07\x0c\x07\x0b\x08");
        assert_eq!(merge_bytes(&schema, [base, newer, more]), Ok(both.to_vec()), "{item}");
        assert_eq!(merge_bytes(&schema, [base, more, newer]), Ok(both.to_vec()), "{item}");
    }
}

#[test]
fn elements_are_known_by_a_key_that_a_let_leads_to() {
    let schema = "module m root=File endian=little { extension m }\n\
                  struct File { u8 n; Item items count=n; u8 user ref=known.key\n\
                  let known \"items\" }\n\
                  struct Item { u8 key; u8 mark }";
    // Ours has the items in another order, theirs has another mark.
    let [base, ours] = [[2, 10, 5, 11, 5, 10], [2, 11, 5, 10, 5, 10]];
    let merged = merge_bytes(schema, [&base, &ours, &[2, 10, 7, 11, 5, 10]]);
    assert_eq!(merged, Ok(vec![2, 11, 5, 10, 7, 10]));
}

/// Keys of a dictionary, said by a path or by a `let`.
#[test]
fn elements_are_known_by_keys_of_a_dictionary_that_a_let_leads_to() {
    let base = b"\x04\x06\x02\x1f\x05\x05\x02\xff\xff\xff\xff\x01\x00\x20\x00\x00\x00\x00\x00\x02\
                 \x01\x25\x00\x01\x00\x00\x00\x00\x02\x22\x00\x03\x00\x00\x01b\x00\x01a\x00";
    // Both add an element behind `a`: ours `x`, theirs `y`.
    let ours = b"\x04\x07\x03\x28\x05\x01\x05\x03\xff\xff\xff\xff\x01\x00\x29\x00\x00\x00\x00\x00\
                 \x03\x01\x31\x00\x03\x00\x00\x00\x00\x02\x2b\x00\x01\x00\x00\x00\x02\x03\x2e\x00\
                 \x04\x00\x00\x01x\x00\x01b\x00\x01a\x00";
    let theirs = b"\x04\x07\x03\x28\x05\x02\x05\x03\xff\xff\xff\xff\x01\x00\x29\x00\x00\x00\x00\
                   \x00\x03\x02\x2e\x00\x03\x00\x00\x00\x01\x02\x31\x00\x01\x00\x00\x00\x00\x03\
                   \x2b\x00\x04\x00\x00\x01b\x00\x01a\x00\x01y\x00";
    let both = b"\x04\x08\x04\x31\x05\x01\x02\x05\x04\xff\xff\xff\xff\x01\x00\x32\x00\x00\x00\x00\
                 \x00\x04\x03\x3a\x00\x03\x00\x00\x00\x00\x02\x34\x00\x03\x00\x00\x00\x01\x03\x3d\
                 \x00\x01\x00\x00\x00\x02\x04\x37\x00\x05\x00\x00\x01x\x00\x01b\x00\x01a\x00\x01y\
                 \x00";
    for [file, item, keys, names] in [
        ["", "", "items.name", "keys"],
        ["let all \"items\"", "", "all.name", "keys"],
        ["let keys \"items.name\"", "", "keys", "keys"],
        ["let keys \"true ? items.name : items.name\"", "", "keys", "keys"],
        ["let keys \"items.name\"", "", "items.name", "File.keys"],
        ["", "let key \"name\"", "items.key", "keys"],
    ] {
        let schema = format!(
            "module m root=File endian=little {{ extension m }}\n\
             string Name length=u8 end=nul\npointer * u8 none=0\n\
             pointer Label u8 to=Name in=File.pool.names\n\
             struct File 0x04 {{\n *Item items 0x00 count=count\n\
             *Names<{keys}> index 0x01 none_with=items\n u8 count 0x02\n u8 offset 0x03\n\
             object Pool pool at=offset\n {file}\n}}\n\
             struct Item 0x01 {{ value text name; u8 weight 0x00\n {item}\n}}\n\
             struct Names<keys> 0x01 .. {{\n u8 count 0x00 is=\"count(keys)\"\n\
             Node nodes count=\"count + 1\" usually=\"patricia({names})\"\n}}\n\
             struct Node 0x08 {{\n u32 bit 0x00\n u8 if_0 0x04\n u8 if_1 0x05\n\
             Label name 0x06\n zero 0x07\n}}\n\
             struct Pool 0x01 .. {{\n u8 count 0x00\n\
             pool names of=Name count=count {{ always \"\"; order bits-from-end }}\n}}"
        );
        assert_eq!(merge_bytes(&schema, [base, ours, theirs]), Ok(both.to_vec()), "{schema}");
    }
}

/// Columns, and rows with a cell for each.
const CELLS: &str = "module m root=File endian=little { extension m }\n\
                     struct File { u8 c; u8 r; Column columns count=c; Row rows count=r }\n\
                     struct Column { text name size=1 unique=#true; u8 wide max=1 }\n\
                     struct Row { Cell<it.wide> cells of=File.columns }\n\
                     union Cell<w> given=w { case byte 0 { u8 v }; case word 1 { u16 v } }";

#[test]
fn elements_come_along_with_what_describes_them() {
    let base = b"\x02\x02a\0b\x01\x0a\x01\0\x14\x02\0";
    let turned = b"\x02\x02b\x01a\0\x01\0\x0a\x02\0\x14";
    // Another cell, and one more row.
    for (other, both) in [
        (
            &b"\x02\x02a\0b\x01\x0a\x01\0\x15\x02\0"[..],
            &b"\x02\x02b\x01a\0\x01\0\x0a\x02\0\x15"[..],
        ),
        (
            b"\x02\x03a\0b\x01\x0a\x01\0\x14\x02\0\x07\x08\0",
            b"\x02\x03b\x01a\0\x01\0\x0a\x02\0\x14\x08\0\x07",
        ),
    ] {
        assert_eq!(merge_bytes(CELLS, [base, turned, other]), Ok(both.to_vec()));
        assert_eq!(merge_bytes(CELLS, [base, other, turned]), Ok(both.to_vec()));
    }
    // Both have added a column.
    let merged = merge_bytes(
        CELLS,
        [
            b"\x01\x02a\0\x0a\x14",
            b"\x02\x02a\0b\x01\x0a\x01\0\x14\x02\0",
            b"\x02\x02x\0a\0\x05\x0a\x06\x15",
        ],
    );
    let both = b"\x03\x02x\0a\0b\x01\x05\x0a\x01\0\x06\x15\x02\0";
    assert_eq!(merged, Ok(both.to_vec()));
    // A column is gone, of which the other has changed a cell.
    let one = b"\x01\x02a\0\x0a\x14";
    let merged = merge_bytes(CELLS, [base, one, b"\x02\x02a\0b\x01\x0a\x01\0\x14\x03\0"]);
    assert_eq!(merged, Err(vec!["removed rows[1].cells[1]".to_owned()]));
}

#[test]
fn elements_are_told_apart_by_what_is_described_in_them() {
    let base = b"\x02\x03a\0b\x01\x0a\x01\0\x14\x02\0\x1e\x03\0";
    // The columns are in another order, and a row is new; the other has changed a cell.
    let turned = b"\x02\x04b\x01a\0\x01\0\x0a\x09\0\x05\x02\0\x14\x03\0\x1e";
    let other = b"\x02\x03a\0b\x01\x0a\x01\0\x15\x02\0\x1e\x03\0";
    let both = b"\x02\x04b\x01a\0\x01\0\x0a\x09\0\x05\x02\0\x15\x03\0\x1e";
    assert_eq!(merge_bytes(CELLS, [base, turned, other]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(CELLS, [base, other, turned]), Ok(both.to_vec()));
    // Rows have changed places as well.
    let turned = b"\x02\x03b\x01a\0\x03\0\x1e\x01\0\x0a\x02\0\x14";
    let both = b"\x02\x03b\x01a\0\x03\0\x1e\x01\0\x0a\x02\0\x15";
    assert_eq!(merge_bytes(CELLS, [base, turned, other]), Ok(both.to_vec()));
}

/// Elements of which each has an array with one for each of them.
#[test]
fn elements_come_along_with_what_is_around_them() {
    let schema = "module m root=File endian=little { extension m }\n\
                  pointer * u8 none=0\n\
                  struct File 0x02 { *Node nodes 0x00 count=n; u8 n 0x01 }\n\
                  struct Node 0x02 { u8 id 0x00 unique=#true; *u8 far 0x01 count=\"count(File.nodes)\" }";
    let base = b"\x02\x02\x0a\x06\x0b\x08\x01\x02\x03\x04";
    let turned = b"\x02\x02\x0b\x06\x0a\x08\x04\x03\x02\x01";
    let other = b"\x02\x02\x0a\x06\x0b\x08\x01\x09\x03\x04";
    let both = b"\x02\x02\x0b\x06\x0a\x08\x04\x03\x09\x01";
    assert_eq!(merge_bytes(schema, [base, turned, other]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(schema, [base, other, turned]), Ok(both.to_vec()));
    // A new node.
    let more = b"\x02\x03\x0a\x08\x0b\x0b\x0c\x0e\x01\x02\x05\x03\x04\x06\x07\x08\x09";
    let all = b"\x02\x03\x0b\x08\x0c\x0b\x0a\x0e\x04\x06\x03\x08\x09\x07\x02\x05\x01";
    assert_eq!(merge_bytes(schema, [base, turned, more]), Ok(all.to_vec()));
    let moved = b"\x02\x03\x0b\x08\x0a\x0b\x0c\x0e\x04\x03\x06\x02\x01\x05\x08\x07\x09";
    let program = programs::from_text("m.kdl", schema, None).expect("it is clean");
    let mut value = value_of(&program, more);
    edit(&program, &mut value, "nodes[0]", Edit::Move(1)).expect("it can be moved");
    assert_eq!(write(&program, &value).expect("it is right"), moved);
}

/// What refers to elements of an array that only one file has.
#[test]
fn references_lead_to_elements_that_have_come_along() {
    let base = b"\x02\x01ab\x0a\x0b\0";
    let turned = b"\x02\x01ba\x0b\x0a\x01";
    let more = b"\x02\x02ab\x0a\x0b\0\x0c\x0d\x01";
    let both = b"\x02\x02ba\x0b\x0a\x01\x0d\x0c\0";
    let column = "struct Column { text name size=1 unique=#true }";
    for row in ["u8 cells of=File.columns", "u8 cells count=\"count(File.columns)\""] {
        let schema = format!(
            "module m root=File endian=little {{ extension m }}\n\
             struct File {{ u8 c; u8 r; Column columns count=c; Row rows count=r }}\n{column}\n\
             struct Row {{ {row}; u8 best ref=cells }}"
        );
        assert_eq!(merge_bytes(&schema, [base, turned, more]), Ok(both.to_vec()));
        assert_eq!(merge_bytes(&schema, [base, more, turned]), Ok(both.to_vec()));
    }
    // By a key, and through an array that is described by the one that is.
    let schema = format!(
        "module m root=File endian=little {{ extension m }}\n\
         struct File {{ u8 c; u8 r; Column columns count=c; Row rows count=r }}\n{column}\n\
         struct Row {{ u8 sizes of=File.columns; Cell<it> cells of=sizes; u8 best ref=cells.key }}\n\
         struct Cell<n> {{ u8 key; u8 v count=n }}"
    );
    let base = b"\x02\x01ab\0\x01\x0a\x0b\x07\x0a";
    let turned = b"\x02\x01ba\x01\0\x0b\x07\x0a\x0a";
    let more = b"\x02\x02ab\0\x01\x0a\x0b\x07\x0a\x01\0\x0c\x08\x0d\x0c";
    let both = b"\x02\x02ba\x01\0\x0b\x07\x0a\x0a\0\x01\x0d\x0c\x08\x0c";
    assert_eq!(merge_bytes(&schema, [base, turned, more]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(&schema, [base, more, turned]), Ok(both.to_vec()));
}

#[test]
fn elements_come_along_where_nothing_describes_any_in_one_file() {
    let [none, one] = [&b"\x00\x01"[..], b"\x01\x01a\0\x0a"];
    let both = b"\x02\x01a\0b\0\x0a\x14";
    assert_eq!(merge_bytes(CELLS, [none, one, b"\x01\x01b\0\x14"]), Ok(both.to_vec()));
    let left = b"\x01\x01b\0\x14";
    assert_eq!(merge_bytes(CELLS, [one, none, both]), Ok(left.to_vec()));
    assert_eq!(merge_bytes(CELLS, [one, both, none]), Ok(left.to_vec()));
}

/// Elements of numbers, elements that only some describe, and elements that describe others.
#[test]
fn elements_come_along_with_what_describes_them_by_others() {
    let numbers = "module m root=File endian=little { extension m }\n\
                   struct File { u8 n; u8 m; u8 kinds count=n; u8 all of=kinds leading=1\n\
                   Row rows count=m }\n\
                   struct Row { u8 some of=\"File.kinds where it > 4\" }";
    let base = b"\x03\x01\x01\x05\x06\xff\x0a\x0b\x0c\x50\x60";
    let turned = b"\x03\x01\x06\x01\x05\xff\x0c\x0a\x0b\x60\x50";
    let more = b"\x03\x02\x01\x05\x06\xff\x0a\x0b\x0d\x50\x60\x51\x61";
    let both = b"\x03\x02\x06\x01\x05\xff\x0d\x0a\x0b\x60\x50\x61\x51";
    assert_eq!(merge_bytes(numbers, [base, turned, more]), Ok(both.to_vec()));
    let chain = "module m root=File endian=little { extension m }\n\
                 struct File { u8 n; u8 kinds count=n; u8 sizes of=kinds\n\
                 Data<it> data of=sizes; u8 user ref=data }\n\
                 struct Data<n> { u8 v count=n }";
    let program = programs::from_text("m.kdl", chain, None).expect("it is clean");
    let mut value = value_of(&program, b"\x02\x11\x22\x01\x02\xaa\xbb\xbb\x01");
    edit(&program, &mut value, "kinds[0]", Edit::Move(1)).expect("it can be moved");
    let moved = write(&program, &value);
    assert_eq!(moved.expect("it is right"), b"\x02\x22\x11\x02\x01\xbb\xbb\xaa\x00");
    let refused = edit(&program, &mut value, "kinds[0]", Edit::Remove(None));
    let EditFailure::Edit(EditError::StillReferenced { paths }) = refused.expect_err("it is used")
    else {
        panic!("something refers to it");
    };
    assert_eq!(paths[0].to_string(), "user");
    edit(&program, &mut value, "kinds[1]", Edit::Remove(None)).expect("it can be removed");
    let left = write(&program, &value);
    assert_eq!(left.expect("it is right"), b"\x01\x22\x02\xbb\xbb\x00");
}

/// A row with a default is there by a number that is no epoch.
#[test]
fn elements_that_are_new_have_what_a_condition_brings() {
    let schema = "module m root=File endian=little { extension m }\n\
                  struct File { u8 v; u8 n; Item items count=n }\n\
                  struct Item { u8 id; when \"File.v >= 2\" { u8 extra usually=7 } }";
    let (base, newer) = (b"\x01\x02\x0a\x0b", b"\x02\x02\x0a\x07\x0b\x08");
    let (more, both) = (b"\x01\x03\x0a\x0c\x0b", b"\x02\x03\x0a\x07\x0c\x07\x0b\x08");
    assert_eq!(merge_bytes(schema, [base, newer, more]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(schema, [base, more, newer]), Ok(both.to_vec()));
}

#[test]
fn references_to_references_are_known_by_what_these_lead_to() {
    let schema = "module m root=File endian=little { extension m }\n\
                  struct File { u8 nt; u8 nf; u8 nu; u8 types count=nt\n\
                  u8 functions count=nf ref=types; u8 users count=nu ref=functions }";
    let base = b"\x03\x03\x03abc\0\x01\x02\0\x01\x02";
    // The last type comes first, so what leads to types has other numbers.
    let ours = b"\x03\x03\x03cab\x01\x02\0\0\x01\x02";
    let more = b"\x03\x03\x04abc\0\x01\x02\0\0\x01\x02";
    let both = b"\x03\x03\x04cab\x01\x02\0\0\0\x01\x02";
    assert_eq!(merge_bytes(schema, [base, ours, more]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(schema, [base, more, ours]), Ok(both.to_vec()));
    let other = b"\x03\x03\x03abc\0\x01\x02\0\x02\x02";
    let both = b"\x03\x03\x03cab\x01\x02\0\0\x02\x02";
    assert_eq!(merge_bytes(schema, [base, ours, other]), Ok(both.to_vec()));
    // Where numbers lead to each other in a circle, there is an end.
    let ring = "module m root=File endian=little { extension m }\n\
                struct File { u8 n; u8 m; u8 a count=n ref=b; u8 b count=m ref=a }";
    let merged = merge_bytes(
        ring,
        [b"\x02\x02\0\x01\x01\0", b"\x02\x02\x01\x01\x01\0", b"\x02\x02\0\x01\x01\x01"],
    );
    assert_eq!(merged, Ok(b"\x02\x02\x01\x01\x01\x01".to_vec()));
}

#[test]
fn elements_are_known_by_which_elements_they_refer_to() {
    let schema = "module m root=File endian=little { extension m }\n\
                  struct File { u8 nn; u8 nk; u8 nl; u8 nc; u8 names count=nn; Kind kinds count=nk\n\
                  List lists count=nl; u8 calls count=nc ref=lists }\n\
                  struct Kind { u8 name ref=File.names }\n\
                  struct List { u8 kind ref=File.kinds }";
    let base = b"\x03\x03\x02\x01abc\0\x01\x02\0\x01\0";
    // Ours has a list of the last kind in front of the second one, which theirs has a call of.
    let ours = b"\x03\x03\x03\x01abc\0\x01\x02\0\x02\x01\0";
    let theirs = b"\x03\x03\x02\x02abc\0\x01\x02\0\x01\x01\0";
    let both = b"\x03\x03\x03\x02abc\0\x01\x02\0\x02\x01\x02\0";
    assert_eq!(merge_bytes(schema, [base, ours, theirs]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(schema, [base, theirs, ours]), Ok(both.to_vec()));
}

#[test]
fn elements_are_known_although_what_they_refer_to_has_changed() {
    let schema = "module m root=File endian=little { extension m }\n\
                  struct File { u8 n; u8 m; Item items count=n; Symbol symbols count=m }\n\
                  struct Item { u8 count; u8 parts count=count }\n\
                  struct Symbol { u8 id; u8 item ref=File.items }";
    let base = b"\x01\x03\x01\x01a\0b\0c\0";
    // The item has got another part on both sides; ours has moved the first symbol.
    let moved = b"\x01\x03\x02\x07\x01b\0a\0c\0";
    let theirs = b"\x01\x03\x02\x01\x08a\0b\0d\0";
    let both = b"\x01\x03\x03\x07\x01\x08b\0a\0d\0";
    assert_eq!(merge_bytes(schema, [base, moved, theirs]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(schema, [base, theirs, moved]), Ok(both.to_vec()));
}

/// Things that a number names, each with another one that it leads to.
const THINGS: &str = "module m root=File endian=little { extension m }\n\
                      struct File { u8 count; Thing things count=count; u8 first ref=things }\n\
                      struct Thing 0x03 { u8 key 0x00 unique=#true; u8 next 0x01 ref=File.things; \
                      u8 mark 0x02 }";

#[test]
fn the_order_that_one_has_changed_is_taken() {
    // 10, 11, 12; each leads to the next one, the first is 10.
    let base = [3, 10, 1, 0, 11, 2, 0, 12, 0, 0, 0];
    // 12, 10, 11.
    let ours = [3, 12, 1, 0, 10, 2, 0, 11, 0, 0, 1];
    // 10 is marked, and 13 is new behind 11, which leads to it.
    let theirs = [4, 10, 1, 7, 11, 2, 0, 13, 3, 0, 12, 0, 0, 0];
    // 12, 10, 11, 13.
    let both = vec![4, 12, 1, 0, 10, 2, 7, 11, 3, 0, 13, 0, 0, 1];
    assert_eq!(merge_bytes(THINGS, [&base, &ours, &theirs]), Ok(both.clone()));
    assert_eq!(merge_bytes(THINGS, [&base, &theirs, &ours]), Ok(both));
    // 11, 10, 12.
    let other = [3, 11, 2, 0, 10, 0, 0, 12, 1, 0, 1];
    let conflicts = merge_bytes(THINGS, [&base, &ours, &other]);
    assert_eq!(conflicts, Err(vec!["order things".to_owned()]));
}

#[test]
fn elements_of_one_name_that_both_add_are_one() {
    let base = [1, 10, 0, 0, 0];
    let ours = [2, 10, 1, 0, 11, 0, 5, 0];
    let same = [3, 9, 1, 0, 10, 2, 0, 11, 1, 5, 1];
    assert_eq!(merge_bytes(THINGS, [&base, &ours, &same]), Ok(same.to_vec()));
    let other = [2, 10, 1, 0, 11, 0, 6, 0];
    let conflicts = merge_bytes(THINGS, [&base, &ours, &other]);
    assert_eq!(conflicts, Err(vec!["changed things[1]".to_owned()]));
}

/// Byte ranges that differ between two files: cause, bytes of the second file, and fields.
fn ranges(schema: &str, a: &[u8], b: &[u8]) -> Vec<String> {
    let schema = format!("module m root=File endian=big {{ extension m }}\n{schema}");
    let program = programs::from_text("m.kdl", &schema, None).expect("it is clean");
    let found = compare(&program, a, b);
    assert_eq!(found.errors, [None, None]);
    found
        .ranges
        .iter()
        .map(|range| {
            let place = match (range.new, range.old) {
                (Some(new), _) => format!("{}..{}", new.at, new.end),
                (None, Some(old)) => format!("{}..{} before", old.at, old.end),
                (None, None) => String::new(),
            };
            let field = range.field.as_deref().unwrap_or_default();
            let last = range.last_field.as_ref().map(|field| format!(" to {field}"));
            format!("{} {place} {field}{}", range.cause.name(), last.unwrap_or_default())
        })
        .collect()
}

#[test]
fn bytes_that_fields_of_bits_share_belong_to_those_that_differ() {
    let word = "bits Id u16 { u8 low 0 7; u8 high 8 15 }\nstruct File { Id id; u8 x }";
    let (before, low, high) = ([1, 2, 3], [1, 9, 3], [9, 2, 3]);
    assert_eq!(ranges(word, &before, &low), ["edited 1..2 id.low"]);
    assert_eq!(ranges(word, &before, &high), ["edited 0..1 id.high"]);
    let words = "bits Id u8 { u4 low 0 3; u4 high 4 7 }\nstruct File { u8 n; Id ids count=n }";
    assert_eq!(ranges(words, &[2, 1, 2], &[2, 1, 0x12]), ["edited 2..3 ids[1].high"]);
    assert_eq!(
        ranges(words, &[2, 1, 2], &[2, 1, 0x13]),
        ["edited 2..3 ids[1].low", "edited 2..3 ids[1].high"]
    );
    let cursor = "struct File { b4 first; b4 second; b12 third; b4 fourth count=3 }";
    let before = [0x12, 0x34, 0x56, 0x78];
    assert_eq!(ranges(cursor, &before, &[0x92, 0x34, 0x56, 0x78]), ["edited 0..1 first"]);
    assert_eq!(ranges(cursor, &before, &[0x19, 0x34, 0x56, 0x78]), ["edited 0..1 second"]);
    assert_eq!(ranges(cursor, &before, &[0x12, 0x34, 0x96, 0x78]), ["edited 2..3 third"]);
    assert_eq!(
        ranges(cursor, &before, &[0x12, 0x34, 0x59, 0x79]),
        ["edited 2..3 fourth[0]", "edited 3..4 fourth[2]"]
    );
}

#[test]
fn bytes_that_derived_bits_share_are_recomputed() {
    let text = "struct File { bit a; b7 n is=\"length(t)\"; text t terminator=nul }";
    assert_eq!(
        ranges(text, b"\x82hi\0", b"\x85hello\0"),
        ["recomputed 0..1 n", "edited 1..6 t", "moved 6..7 t"]
    );
    assert_eq!(
        ranges(text, b"\x82hi\0", b"\x05hello\0")[..2],
        ["edited 0..1 a", "recomputed 0..1 n"]
    );
    let two = "struct File { b4 m is=\"n\"; b4 n is=\"length(t)\"; text t terminator=nul }";
    assert_eq!(ranges(two, b"\x22hi\0", b"\x33hey\0")[0], "recomputed 0..1 m to n");
}

#[test]
fn tags_belong_to_the_rows_that_have_them() {
    let forms = "struct File { Box b; u8 x }\n\
                 union Box tag=u8 { case box {\n\
                 form \"1..200\" { tag size; bytes data size=size }\n\
                 form 0 { u16 size; bytes data size=size } } }";
    let long = [&[0, 0, 201][..], &[7; 202]].concat();
    assert_eq!(
        ranges(forms, b"\x02hix", b"\x03heyx"),
        ["recomputed 0..1 b.size", "edited 1..4 b.data", "moved 4..5 x"]
    );
    assert_eq!(
        ranges(forms, b"\x02hix", &[&long[..204], b"x"].concat())[..2],
        ["recomputed 0..1 b", "recomputed 1..3 b.size"]
    );
    // The usual form of a text as short as this is the other one.
    assert_eq!(ranges(forms, b"\x02hix", b"\0\0\x02hix")[0], "spelled 0..1 b");
    assert_eq!(ranges(forms, b"\0\0\x02hix", b"\x02hix")[0], "spelled 0..1 b");
    let letters = "struct File { Item item; u8 x }\n\
                   union Item tag=u8 {\n\
                   case few \"0aaabbbb\" { u8 a bits=a; u8 b bits=b }\n\
                   case range \"128..255\" { tag code } }";
    assert_eq!(ranges(letters, &[0x12, 0], &[0x13, 0]), ["edited 0..1 item.b"]);
    assert_eq!(ranges(letters, &[0x12, 0], &[0x22, 0]), ["edited 0..1 item.a"]);
    assert_eq!(ranges(letters, &[0x82, 0], &[0x83, 0]), ["edited 0..1 item.code"]);
    assert_eq!(ranges(letters, &[0x82, 0], &[0x12, 0]), ["edited 0..1 item"]);
}

#[test]
fn bytes_that_end_alike_belong_to_their_own_elements() {
    let chunks = "struct File { u8 n; Chunk chunks count=n }\n\
                  struct Chunk { u8 size; union c given=\"size > 0\" {\n\
                  case t #true { Item items count=fill size=size }; case f #false { } } }\n\
                  struct Item { u8 a; u8 b }";
    let one = [1, 4, 0, 2, 1, 5];
    let two = [2, 4, 0, 2, 1, 5, 4, 0, 9, 1, 5];
    assert_eq!(ranges(chunks, &one, &two), ["recomputed 0..1 n", "added 6..11 chunks[1]"]);
    assert_eq!(ranges(chunks, &two, &one), ["recomputed 0..1 n", "removed 6..11 before chunks[1]"]);
    let other = [2, 4, 0, 9, 1, 5, 4, 0, 2, 1, 5];
    assert_eq!(
        ranges(chunks, &one, &other),
        [
            "recomputed 0..1 n",
            "added 1..6 chunks[0]",
            "moved 6..11 chunks[1].size to chunks[1].c.items[1].b"
        ]
    );
}

#[test]
fn what_refers_to_a_shared_table_is_not_merged_with_other_places_in_it() {
    let schema = "module m root=File endian=little { extension m }\n\
                  struct File { u8 group_count; u8 item_count; Group groups count=group_count\n\
                  u8 items count=item_count from=groups.items; u8 name\n\
                  u8 mark_count; u8 marks count=mark_count ref=items }\n\
                  struct Group { u8 first; u8 size; slice items of=File.items base=first count=size }";
    let base = [2, 3, 0, 2, 2, 1, 7, 8, 9, 5, 1, 1];
    // An element in front moves what a reference leads to, and one behind all others does not.
    let before = [2, 4, 0, 3, 3, 1, 6, 7, 8, 9, 5, 1, 2];
    let behind = [2, 4, 0, 2, 2, 2, 7, 8, 9, 6, 5, 1, 1];
    let marked = [2, 3, 0, 2, 2, 1, 7, 8, 9, 5, 2, 1, 2];
    let clash = Err(vec!["shared items".to_owned()]);
    assert_eq!(merge_bytes(schema, [&base, &before, &marked]), clash);
    assert_eq!(merge_bytes(schema, [&base, &marked, &before]), clash);
    let both = [2, 4, 0, 2, 2, 2, 7, 8, 9, 6, 5, 2, 1, 2];
    assert_eq!(merge_bytes(schema, [&base, &behind, &marked]), Ok(both.to_vec()));
    assert_eq!(merge_bytes(schema, [&base, &marked, &behind]), Ok(both.to_vec()));
    // A reference to an element that is added beside it is about another table than that of the result.
    let own = [2, 4, 0, 2, 2, 2, 7, 8, 9, 4, 5, 2, 1, 3];
    assert_eq!(merge_bytes(schema, [&base, &before, &own]), clash);
    // Something else is no matter.
    let named = [2, 3, 0, 2, 2, 1, 7, 8, 9, 4, 1, 1];
    let renamed = [2, 4, 0, 3, 3, 1, 6, 7, 8, 9, 4, 1, 2];
    assert_eq!(merge_bytes(schema, [&base, &before, &named]), Ok(renamed.to_vec()));
}
