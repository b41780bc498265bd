//! Which schemas have a fast path in their generated code, and why the others have none: a change
//! that loses one shows here.
//!
//! `BLESS=1` writes the list anew; read the difference before it is committed.

use std::collections::HashSet;
use std::env;
use std::fmt::Write as _;
use std::fs;

use formwork_codegen::rust::{FastPath, Paths, RecordPath, paths, paths_agree, without_view};
use formwork_tests::samples::workspace;
use formwork_tests_compiled::schemas::{self, Group};

#[test]
fn reasons_are_found_where_there_is_no_fast_path_and_nowhere_else() {
    let schemas = schemas::all();
    let models = schemas.iter().filter_map(|schema| Some((&schema.name, schema.model()?)));
    let wrong = models.filter(|(_, model)| !paths_agree(model)).map(|(name, _)| name);
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// Whether there is a fast path, and all that it does not carry: of none the reasons, else the
/// structs and cases.
fn line(paths: &Paths) -> String {
    let carries = !matches!(paths.whole, FastPath::None(_));
    let mut parts = vec![match &paths.whole {
        FastPath::Compared(why) => format!("compared for {why}"),
        whole => whole.word().to_owned(),
    }];
    for record in paths.records.iter().filter(|record| !record.reasons.is_empty()) {
        match carries {
            true => parts.push(format!("not {}{}", record.record, layouts(record))),
            false => parts.extend(record.reasons.iter().map(|reason| reason.why.clone())),
        }
    }
    let mut seen = HashSet::new();
    parts.retain(|part| seen.insert(part.clone()));
    parts.join("; ")
}

/// The layouts in which a record is not carried, if it is in others.
fn layouts(record: &RecordPath) -> String {
    let mut layouts: Vec<&str> = Vec::new();
    for reason in &record.reasons {
        if reason.layouts.is_empty() {
            return String::new();
        }
        layouts.extend(reason.layouts.iter().map(String::as_str));
    }
    layouts.sort_unstable();
    layouts.dedup();
    format!(" in {}", layouts.join(", "))
}

#[test]
fn fast_paths_are_as_listed() {
    let mut list = String::new();
    for schema in schemas::all() {
        if schema.group == Group::Made {
            continue;
        }
        let Some(model) = schema.model() else { continue };
        let _ = writeln!(list, "{}: {}", schema.name, line(&paths(&model)));
    }
    is_as_listed("paths.txt", &list);
}

/// Compares a list with the one that is committed.
fn is_as_listed(file: &str, list: &str) {
    let path = workspace().join("tests/compiled").join(file);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, list).expect("the list can be written");
    }
    let listed = fs::read_to_string(&path).unwrap_or_default();
    let was: Vec<&str> = listed.lines().collect();
    let changed: Vec<&str> = list.lines().filter(|line| !was.contains(line)).collect();
    assert!(list == listed, "tests/compiled/{file} says otherwise of:\n{}", changed.join("\n"));
}

#[test]
fn fields_without_a_function_of_views_are_as_listed() {
    let mut list = String::new();
    for schema in schemas::all() {
        if schema.group == Group::Made {
            continue;
        }
        let Some(model) = schema.model() else { continue };
        match without_view(&model) {
            Ok(missing) if missing.is_empty() => {
                let _ = writeln!(list, "{}: all", schema.name);
            }
            Ok(missing) => {
                let _ = writeln!(list, "{}:", schema.name);
                missing.iter().for_each(|line| {
                    let _ = writeln!(list, "    {line}");
                });
            }
            Err(why) => {
                let _ = writeln!(list, "{}: none: {why}", schema.name);
            }
        }
    }
    is_as_listed("views.txt", &list);
}
