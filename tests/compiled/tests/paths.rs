//! Which schemas have a fast path in their generated code, and why the others have none: a change
//! that loses one shows here.
//!
//! `BLESS=1` writes the list anew; read the difference before it is committed.

use std::env;
use std::fmt::Write as _;
use std::fs;

use formwork_codegen::rust::{FastPath, fast_path};
use formwork_tests::samples::workspace;
use formwork_tests_compiled::schemas::{self, Group};

#[test]
fn fast_paths_are_as_listed() {
    let mut list = String::new();
    for schema in schemas::all() {
        if schema.group == Group::Made {
            continue;
        }
        let Some(model) = schema.model() else { continue };
        let _ = match fast_path(&model) {
            FastPath::Sealed => writeln!(list, "{}: sealed", schema.name),
            FastPath::Compared => writeln!(list, "{}: compared", schema.name),
            FastPath::None(why) => writeln!(list, "{}: none, {why}", schema.name),
        };
    }
    let path = workspace().join("tests/compiled/paths.txt");
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &list).expect("the list can be written");
    }
    let listed = fs::read_to_string(&path).unwrap_or_default();
    let was: Vec<&str> = listed.lines().collect();
    let changed: Vec<&str> = list.lines().filter(|line| !was.contains(line)).collect();
    assert!(list == listed, "tests/compiled/paths.txt says otherwise of:\n{}", changed.join("\n"));
}
