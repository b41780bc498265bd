//! After an edit, only those bytes of a file change that the edit explains, also in files that are
//! arranged in their own way.

use std::fs;
use std::path::{Path, PathBuf};

use formwork::ReadOptions;
use formwork_codegen::model::Type;
use formwork_interpreter::{Cause, Program, Value, diff, read, write};
use formwork_tests::{programs, samples};

/// Largest file that is edited, in bytes.
const LARGEST: u64 = 60_000;

/// How many edits are tried of each kind and format.
const EDITS: usize = 25;

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

/// What is done to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    Number,
    SameLength,
    LongerText,
    Added,
    Removed,
}

/// Calls `visit` with everything in a value that can be edited in this way.
fn each(value: &mut Value, edit: Edit, visit: &mut dyn FnMut(&mut Value)) {
    let fits = match (edit, &*value) {
        (Edit::Number, Value::Int(_)) => true,
        (Edit::SameLength | Edit::LongerText, Value::Text(text)) => {
            !text.is_empty() && text.is_ascii()
        }
        (Edit::Added | Edit::Removed, Value::Array(values)) => !values.is_empty(),
        _ => false,
    };
    if fits {
        visit(value);
    }
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| each(value, edit, visit)),
        Value::Struct(fields) => {
            fields.fields.iter_mut().for_each(|(_, value)| each(value, edit, visit));
        }
        Value::Union(case) => {
            case.value.fields.iter_mut().for_each(|(_, value)| each(value, edit, visit));
        }
        Value::Spelled(value, _) => each(value, edit, visit),
        _ => {}
    }
}

/// Edits one place of a value, chosen by chance. Says whether there is one.
fn apply(value: &mut Value, edit: Edit, random: &mut Random) -> bool {
    let mut places = 0;
    each(value, edit, &mut |_| places += 1);
    if places == 0 {
        return false;
    }
    let (mut left, chance) = (random.below(places), random.below(1 << 16));
    each(value, edit, &mut |value| {
        if left == 0 {
            match value {
                Value::Int(number) => *number ^= 1,
                Value::Text(text) if edit == Edit::LongerText => text.push_str("Longer"),
                Value::Text(text) => {
                    let first = if text.starts_with('q') { "r" } else { "q" };
                    text.replace_range(..1, first);
                }
                Value::Array(values) => {
                    let at = chance % values.len();
                    match edit {
                        Edit::Added => values.insert(at, values[at].clone()),
                        _ => drop(values.remove(at)),
                    }
                }
                _ => {}
            }
        }
        left = left.wrapping_sub(1);
    });
    true
}

/// The bytes that differ, if the files are of one size.
fn differing(a: &[u8], b: &[u8]) -> Option<Vec<u64>> {
    let same_size = a.len() == b.len();
    let places = (0_u64..).zip(a.iter().zip(b)).filter(|(_, (a, b))| a != b);
    same_size.then(|| places.map(|(at, _)| at).collect())
}

/// Edits files of a format until so many edits of each kind could be written; returns how many were.
fn edit_files(
    program: &Program,
    files: &[PathBuf],
    round: u64,
    problems: &mut Vec<String>,
) -> usize {
    let mut random = Random(0x1234_5678_9abc_def1 ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let options = ReadOptions::default();
    let mut done = 0;
    let kinds = [Edit::Number, Edit::SameLength, Edit::LongerText, Edit::Added, Edit::Removed];
    for edit in kinds {
        let mut written = 0;
        for _ in 0..EDITS * 8 {
            if written == EDITS {
                break;
            }
            let path = &files[random.below(files.len())];
            let bytes = fs::read(path).expect("the sample can be read");
            let Ok(document) = read(program, &bytes, &options) else { continue };
            let mut value = document.value();
            if !apply(&mut value, edit, &mut random) {
                continue;
            }
            // What breaks a rule of the format is refused, which is no business of this test.
            let Ok(edited) = write(program, &value) else { continue };
            written += 1;
            if let Err(problem) = check(program, edit, &bytes, &edited) {
                problems.push(format!("{}, {edit:?}: {problem}", path.display()));
            }
        }
        done += written;
    }
    done
}

/// Whether elements of a type go where numbers say.
fn moves(ty: &Type) -> bool {
    ty.columns().is_some() || ty.scattered().is_some()
}

fn check(program: &Program, edit: Edit, old: &[u8], new: &[u8]) -> Result<(), String> {
    let found = diff(program, old, new, &ReadOptions::default());
    if let Some(error) = found.errors.iter().flatten().next() {
        return Err(format!("it cannot be read: {error}"));
    }
    // An edit of fixed width moves nothing, but for elements whose offsets are such numbers.
    if matches!(edit, Edit::Number) && old.len() == new.len() {
        let rows = program.model().records.iter().flat_map(|record| &record.rows);
        let moving = rows.filter(|row| moves(row.ty.stripped()));
        let names: Vec<String> =
            moving.filter_map(|row| Some(format!(".{}[", row.name.as_ref()?))).collect();
        let in_column =
            |field: &str| names.iter().any(|name| format!(".{field}").contains(name.as_str()));
        let moved = found.ranges.iter().find(|range| {
            range.cause == Cause::Moved && !range.field.as_deref().is_some_and(in_column)
        });
        if let Some(moved) = moved {
            return Err(format!("{moved:?} has moved"));
        }
    }
    let Some(places) = differing(old, new) else { return Ok(()) };
    if found.ranges.iter().any(|range| range.cause == Cause::Moved) {
        return Ok(());
    }
    // By the bytes alone: each that differs is in a range, and each range has one that does.
    let ranges: Vec<_> = found.ranges.iter().filter_map(|range| range.new).collect();
    for at in &places {
        if !ranges.iter().any(|range| range.at <= *at && *at < range.end) {
            return Err(format!("the byte at {at:#x} has changed, and nothing explains it"));
        }
    }
    for range in &ranges {
        if !places.iter().any(|at| range.at <= *at && *at < range.end) {
            return Err(format!("{range:x?} is said to have changed, and has not"));
        }
    }
    Ok(())
}

fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("the folder of samples can be read")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| {
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            let small = path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST);
            extensions.contains(&extension) && small
        })
        .collect();
    found.sort();
    found
}

#[test]
fn edits_change_what_they_explain() {
    let Some(folder) = samples::samples() else { return };
    let mut problems = Vec::new();
    let formats: [(&Program, &str, &[&str]); 3] = [
        (programs::evfl(), "evfl", &["bfevfl", "bfevtm"]),
        (programs::ainb(), "ainb", &["ainb"]),
        (programs::bfres(), "bfres", &["bfres"]),
    ];
    let rounds = std::env::var("FORMWORK_EDITS").map_or(1, |n| n.parse().expect("a number"));
    let mut done = 0;
    for (program, name, extensions) in formats {
        let files = files(&folder.join(name), extensions);
        assert!(!files.is_empty(), "no small file of {name}");
        for round in 0..rounds {
            done += edit_files(program, &files, round, &mut problems);
        }
    }
    println!("{done} edits");
    assert!(done >= 200, "only {done} edits could be written");
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}
