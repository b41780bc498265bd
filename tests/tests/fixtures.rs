//! The files in `fixtures/` are what the writer makes of the values in `formwork_tests::flows`.
//!
//! `BLESS=1 cargo test -p formwork-tests --test fixtures` writes them.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::PathBuf;

use formwork_interpreter::write;
use formwork_tests::laws::{self, Outcome};
use formwork_tests::{flows, models, samples};

fn folder() -> PathBuf {
    samples::workspace().join("fixtures")
}

#[test]
fn fixtures_are_current() {
    let model = models::evfl();
    for (name, value) in flows::all() {
        let written = write(model, &value).unwrap_or_else(|error| panic!("{name}: {error}"));
        let path = folder().join(name);
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &written).expect("the fixture can be written");
        }
        let file = fs::read(&path).unwrap_or_default();
        if let Some(difference) = laws::first_difference(&file, &written) {
            panic!("{name}: {difference}");
        }
    }
}

#[test]
fn all_laws_hold() {
    let model = models::evfl();
    for (name, value) in flows::all() {
        let written = laws::put_get(model, &value).unwrap_or_else(|e| panic!("{name}: {e}"));
        laws::stable(model, &value).unwrap_or_else(|e| panic!("{name}: {e}"));
        laws::canonical(model, &value).unwrap_or_else(|e| panic!("{name}: {e}"));
        match laws::get_put(model, &written) {
            Outcome::Identical => {}
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn nothing_else_is_there() {
    let expected: BTreeSet<String> = flows::all().iter().map(|(name, _)| (*name).into()).collect();
    let entries = fs::read_dir(folder()).expect("the folder can be read");
    let found = entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned());
    let found: BTreeSet<String> = found.filter(|name| name != "README.md").collect();
    assert_eq!(found, expected);
}
