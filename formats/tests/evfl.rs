//! A file that is built from nothing, by generated code and as the interpreter sees it.

#[allow(dead_code)]
#[path = "../examples/build_evfl.rs"]
mod build_evfl;

use build_evfl::flow;
use formwork::ReadOptions;
use formwork_codegen::Provider;
use formwork_formats::FormatId;
use formwork_formats::evfl::{EventData, EventIndex, File};
use formwork_interpreter::{Program, program};

/// The schemas that come with Formwork.
struct BuiltIn;

impl Provider for BuiltIn {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

fn model() -> Program {
    let text = formwork_schemas::get("evfl").expect("the schema is built in");
    let loaded = formwork_codegen::load("evfl.kdl", text, None, &BuiltIn);
    program(loaded.model.expect("the schema is good"))
}

#[test]
fn the_example_reads_back() {
    let bytes = flow().write().expect("the example can be written");
    let file = File::read(&bytes).expect("it was just written");
    assert_eq!(file, flow());
    assert!(file.same_spelling(&flow()), "nothing in it is unusual");
    assert_eq!(file.write().expect("it was just read"), bytes);
    assert_eq!(File::read_owned(&bytes).expect("it was just written"), file);
    let mut into = Vec::new();
    file.write_into(&mut into).expect("it was just read");
    assert_eq!(into, bytes);
}

#[test]
fn the_interpreter_agrees() {
    let model = model();
    let bytes = flow().write().expect("the example can be written");
    let document = formwork_interpreter::read(&model, &bytes, &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(document.notes().is_empty());
    let value = document.value();
    let name = value.at_path("flowcharts[0].events[1].name").expect("there are three events");
    assert_eq!(*name, formwork_interpreter::Value::Text("Event1".to_owned()));
    let mut unusual = 0;
    value.for_each_kept(&mut |_| unusual += 1);
    assert_eq!(unusual, 0);
    let written = formwork_interpreter::write(&model, &value).expect("it was just read");
    assert_eq!(written, bytes);
}

#[test]
fn every_problem_is_reported() {
    let mut file = flow();
    let EventData::Switch(switch) = &mut file.flowcharts[0].events[0].data else {
        panic!("the first event asks");
    };
    switch.cases[1].event = EventIndex::at(99);
    file.flowcharts[0].entry_points[0].main_event = Some(EventIndex::at(3));
    let error = file.write().expect_err("there are three events");
    let found: Vec<_> =
        error.problems().iter().map(|p| (p.kind.code(), p.path.to_string())).collect();
    let expected = [
        ("index_out_of_range", "flowcharts[0].events[0].data.cases[1].event".to_owned()),
        ("index_out_of_range", "flowcharts[0].entry_points[0].main_event".to_owned()),
    ];
    assert_eq!(found, expected);
    assert_eq!(file.validate().expect_err("as writing").problems().len(), 2);
}

#[test]
fn formats_are_listed() {
    let names: Vec<_> = FormatId::ALL.iter().map(|format| format.name()).collect();
    assert!(names.contains(&"evfl") && names.is_sorted());
    assert!(FormatId::named("evfl").is_some() && FormatId::named("nothing").is_none());
}

/// A reserved byte that is not zero is kept by the fast path, as the engine keeps it.
#[test]
fn reserved_bytes_take_no_file_to_the_engine() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");
    let options = ReadOptions::default();
    let mut changed = 0;
    for path in std::fs::read_dir(fixtures).expect("the folder").map(|file| file.unwrap().path()) {
        let little = path.extension().is_some_and(|extension| extension == "bfevfl");
        let bytes = std::fs::read(&path).expect("the file can be read");
        // Files of the other byte order are the engine's.
        if !little || File::__read_fast(&bytes, &options).is_none() {
            continue;
        }
        for at in (0..bytes.len()).filter(|at| bytes[*at] == 0) {
            let mut odd = bytes.clone();
            odd[at] = 0x5a;
            let Ok(engine) = File::__read_engine(&odd, &options) else { continue };
            let shown = format!("{engine:?}");
            let kept = shown.matches("SpellingEntry").count();
            if kept != 1 || !shown.contains("kind: Reserved") {
                continue;
            }
            changed += 1;
            let fast = File::__read_fast(&odd, &options)
                .unwrap_or_else(|| panic!("{}: {at:#x}", path.display()));
            assert!(fast == engine && fast.same_spelling(&engine), "{}: {at:#x}", path.display());
            assert_eq!(
                fast.__write_fast().as_deref(),
                Some(&odd[..]),
                "{}: {at:#x}",
                path.display()
            );
        }
    }
    assert!(changed > 0, "no fixture has a reserved byte");
}
