//! A graph of nodes that is built from nothing, by generated code and as the engine sees it, and
//! edits of it.

#[allow(dead_code)]
#[path = "../examples/build_ainb.rs"]
mod build_ainb;

use build_ainb::graph;
use formwork::{EditError, ReadOptions};
use formwork_codegen::Provider;
use formwork_formats::ainb::{File, NodeIndex, Source};
use formwork_interpreter::{Program, Value, program};

/// The schemas that come with Formwork.
struct BuiltIn;

impl Provider for BuiltIn {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

fn model() -> Program {
    let text = formwork_schemas::get("ainb").expect("the schema is built in");
    let loaded = formwork_codegen::load("ainb.kdl", text, None, &BuiltIn);
    program(loaded.model.expect("the schema is good"))
}

#[test]
fn the_example_reads_back() {
    let bytes = graph().write().expect("the example can be written");
    let file = File::read(&bytes).expect("it was just written");
    assert_eq!(file, graph());
    assert!(file.same_spelling(&graph()), "nothing in it is unusual");
    assert_eq!(file.write().expect("it was just read"), bytes);
    assert_eq!(File::read_owned(&bytes).expect("it was just written"), file);
}

#[test]
fn the_engine_agrees() {
    let model = model();
    let bytes = graph().write().expect("the example can be written");
    let document = formwork_interpreter::read(&model, &bytes, &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(document.notes().is_empty());
    let value = document.value();
    let words = value.at_path("nodes[2].body.strings[0].value").expect("there are four nodes");
    assert_eq!(*words, Value::Text("Come in!".to_owned()));
    let mut unusual = 0;
    value.for_each_kept(&mut |_| unusual += 1);
    assert_eq!(unusual, 0);
    assert_eq!(formwork_interpreter::write(&model, &value).expect("it was just read"), bytes);
}

#[test]
fn what_refers_to_nodes_follows_them() {
    let mut file = graph();
    let first = NodeIndex::at(0);
    let again = file.nodes[2].clone();
    file.insert_node(first, again).expect("there is room");
    assert_eq!(file.commands[0].root_node, NodeIndex::at(1));
    let Source::Node(source) = &file.nodes[1].body.bool_in[0].source else {
        panic!("it reads a node");
    };
    assert_eq!(source.node, NodeIndex::at(2));
    assert_eq!(file.nodes[1].queries[0].node, NodeIndex::at(2));
    let bytes = file.write().expect("it can be written");
    assert_eq!(File::read(&bytes).expect("it was just written"), file);
    let error = file.remove_node(NodeIndex::at(2)).expect_err("the first one reads it");
    assert!(matches!(error, EditError::StillReferenced { .. }), "{error}");
    file.remove_node(first).expect("nothing refers to it");
    assert_eq!(file, graph());
}

/// Files of version 0x407 in which nothing deviates but the texts of the pool that nothing leads to
/// are read and written without the engine, and to the same value as by it.
#[test]
fn plain_samples_take_the_fast_path() {
    // Numbers of these are not those that follow from the rest: they were compiled with changes for
    // other settings, or saved by a tool. The engine keeps what they have.
    const DEVIATING: [&str; 3] = ["Vss_Kaisou04", "WeaponBoneAnmCommon", "reserialization_test"];
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let samples = match std::env::var_os("FORMWORK_SAMPLES") {
        Some(folder) => std::path::PathBuf::from(folder),
        None => root.join("../shared/samples"),
    };
    let Ok(files) = std::fs::read_dir(samples.join("ainb")) else {
        let required = std::env::var("FORMWORK_REQUIRE_SAMPLES").is_ok_and(|value| value == "1");
        assert!(!required, "no folder {}", samples.display());
        eprintln!("SKIPPED: no folder {}", samples.display());
        return;
    };
    for path in files.map(|file| file.expect("an entry").path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).expect("the file can be read");
        let options = ReadOptions::default();
        let engine = File::__read_engine(&bytes, &options).expect("the file is read");
        let fast = File::__read_fast(&bytes, &options);
        let plain = !DEVIATING.iter().any(|deviating| name.starts_with(deviating));
        assert_eq!(fast.is_some(), plain, "{name}");
        let Some(fast) = fast else { continue };
        assert!(fast == engine && fast.same_spelling(&engine), "{name}");
        assert!(fast.__write_fast().as_deref() == Some(&bytes[..]), "{name}");
    }
}
