//! The fuzz pack in `fuzz/` is what `formwork fuzz` makes of all built-in schemas.
//!
//! `BLESS=1 cargo test -p formwork-tests --test fuzz_pack` writes it anew.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use formwork_codegen::fuzz::{Origin, Target, manifest};
use formwork_codegen::load;
use formwork_tests::programs::Shipped;
use formwork_tests::samples;

fn folder() -> PathBuf {
    samples::workspace().join("fuzz")
}

/// A target for each schema that is no library.
fn targets() -> Vec<Target> {
    let mut targets = Vec::new();
    for name in formwork_schemas::names() {
        let text = formwork_schemas::get(name).expect("every name has a text");
        if let Some(model) = load(&format!("{name}.kdl"), text, None, &Shipped).model {
            targets.push(Target::new(&model, name, Origin::BuiltIn));
        }
    }
    assert!(!targets.is_empty());
    targets
}

fn compare(path: &Path, text: &str, stale: &mut Vec<String>) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    if env::var_os("BLESS").is_some() {
        fs::write(path, text).expect("the file can be written");
    } else {
        stale.push(path.display().to_string());
    }
}

#[test]
fn the_pack_is_current() {
    let mut stale = Vec::new();
    let targets = targets();
    for target in &targets {
        let program = folder().join(format!("fuzz_targets/{}.rs", target.name));
        compare(&program, &target.program, &mut stale);
        let dictionary = folder().join(format!("dictionaries/{}.dict", target.name));
        compare(&dictionary, &target.dictionary, &mut stale);
    }
    let path = folder().join("Cargo.toml");
    let known = fs::read_to_string(&path).expect("the pack has a manifest");
    compare(&path, &manifest(Some(&known), &targets), &mut stale);
    assert!(stale.is_empty(), "stale; `formwork fuzz` writes them: {}", stale.join(", "));
}

/// Dictionaries and targets of formats that are gone would be stale, too.
#[test]
fn nothing_else_is_there() {
    let names: BTreeSet<String> = targets().into_iter().map(|target| target.name).collect();
    for entry in fs::read_dir(folder().join("dictionaries")).expect("there are dictionaries") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(names.contains(&name), "{} belongs to no schema", path.display());
    }
    let known = fs::read_to_string(folder().join("Cargo.toml")).expect("the pack has a manifest");
    for entry in fs::read_dir(folder().join("fuzz_targets")).expect("there are targets") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(known.contains(&format!("name = \"{name}\"\n")), "{name} is not in the manifest");
    }
}

/// Entries of dictionaries are quoted, escaped, and short enough for libFuzzer.
#[test]
fn dictionaries_are_well_formed() {
    for target in targets() {
        let mut entries = 0;
        for line in target.dictionary.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let inner = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let inner = inner.unwrap_or_else(|| panic!("{}: {line}", target.name));
            let mut size = 0;
            let mut chars = inner.chars();
            while let Some(char) = chars.next() {
                assert!(char == ' ' || char.is_ascii_graphic(), "{}: {line}", target.name);
                size += 1;
                match (char, chars.clone().next()) {
                    ('\\', Some('x')) => {
                        let digits: String = chars.by_ref().skip(1).take(2).collect();
                        assert!(u8::from_str_radix(&digits, 16).is_ok(), "{line}");
                    }
                    ('\\', Some('\\' | '"')) => drop(chars.next()),
                    ('\\' | '"', _) => panic!("{}: {line}", target.name),
                    _ => {}
                }
            }
            assert!((1..=64).contains(&size), "{}: {line}", target.name);
            entries += 1;
        }
        assert!(entries > 0, "{}: the dictionary is empty", target.name);
    }
}
