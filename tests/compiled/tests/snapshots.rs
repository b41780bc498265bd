//! Whole generated files of some small schemas, so that a change of the generator has a difference
//! to read.
//!
//! `BLESS=1` writes them anew; read the difference before it is committed.

use std::env;
use std::fs;
use std::path::Path;

use formwork_codegen::rust::{Options, emit, emit_types};
use formwork_tests::samples::workspace;
use formwork_tests_compiled::schemas;

/// Schemas, with something of everything: plain rows, pointers, references, regions, bits, unions,
/// forms, epochs, texts, pools, dictionaries, conditions, and some without a fast path.
const SCHEMAS: [&str; 12] = [
    "golden_counts",
    "golden_bits_msb",
    "golden_dictionary",
    "golden_element_targets",
    "golden_epochs_columns",
    "golden_flags",
    "golden_forms",
    "golden_gaps_kept",
    "golden_label_text",
    "golden_slices",
    "golden_when_data",
    "conformance_hello_world",
];

#[test]
fn generated_files_are_as_committed() {
    let folder = workspace().join("tests/compiled/snapshots");
    let mut changed = Vec::new();
    let mut snapshot = |name: &str, code: String| {
        let path = folder.join(format!("{name}.rs"));
        if env::var_os("BLESS").is_some() {
            fs::create_dir_all(&folder).expect("the folder can be made");
            fs::write(&path, &code).expect("the file can be written");
        }
        if fs::read_to_string(&path).unwrap_or_default() != code {
            changed.push(path.display().to_string());
        }
    };
    let all = schemas::all();
    for name in SCHEMAS {
        let schema = all.iter().find(|schema| schema.name == name);
        let model = schema.and_then(|schema| schema.model()).expect("there is such a schema");
        snapshot(name, emit(&model, &Options::default()));
    }
    snapshot("readme", emit(&readme(), &Options::default()));
    let views = Options { views: true, ..Options::default() };
    snapshot("readme_views", emit_types(&readme(), &views));
    assert!(changed.is_empty(), "these differ, see it with BLESS=1 and git diff: {changed:#?}");
}

/// Somebody who tries this reads it.
#[test]
fn code_of_the_readme_is_short() {
    let lines = emit(&readme(), &Options::default()).lines().count();
    assert!(lines <= 300, "{lines} lines");
}

/// The schema that the README begins with.
fn readme() -> formwork_codegen::model::Model {
    let text = fs::read_to_string(workspace().join("README.md")).expect("there is a README");
    let schema = text.split("```kdl\n").nth(1).and_then(|rest| rest.split("```").next());
    let schema = schema.expect("the README has a schema");
    let loaded = formwork_codegen::load("level.kdl", schema, None::<&Path>, &());
    loaded.model.expect("the schema has no errors")
}
