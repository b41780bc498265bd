//! Every property of a row, at every place where a row may stand, in every part that it may play.
//!
//! `tests/matrix/PART.txt` has the tables: properties against places. A cell says `works`, or the
//! codes that the schema is refused with; `works E0506` has a note. `BLESS=1 cargo test -p
//! formwork-tests --test matrix` accepts them. What works was tried with every number that the row
//! may store and may be given, against what `tests/src/matrix` says of it, which knows neither the
//! front end nor the engine. `MATRIX=text` runs the lines that contain it and shows the schemas.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use formwork_tests::matrix::{Cell, Outcome, Part, Place, Rule, Rules, Ty};
use formwork_tests::samples;

/// The rows of a table: type and properties, and whether few numbers are enough.
fn lines(part: Part) -> Vec<(Rules, bool)> {
    let mut lines = Vec::new();
    let mut add = |ty, rules: &[Rule], few| {
        lines.push((Rules { ty, rules: rules.to_vec(), array: false, bare: false }, few));
    };
    if part != Part::Data {
        add(Ty::U8, &[], true);
        for rule in Rule::ALL {
            add(Ty::U8, &[rule], true);
        }
        return lines;
    }
    for ty in [Ty::U8, Ty::I8, Ty::U16] {
        add(ty, &[], ty != Ty::U8);
        for rule in Rule::ALL {
            add(ty, &[rule], ty != Ty::U8);
        }
    }
    for (at, first) in Rule::ALL.into_iter().enumerate() {
        for second in Rule::ALL.into_iter().skip(at + 1).filter(|rule| rule.word() != first.word()) {
            add(Ty::U8, &[first, second], true);
        }
    }
    lines
}

fn cell(place: Place, part: Part, rules: &Rules, few: bool, wrong: &mut String) -> String {
    let bare = matches!(place, Place::Value | Place::Formed);
    let rules = Rules { array: place == Place::Array, bare, ..rules.clone() };
    let cell = Cell { place, part, rules: rules.clone() };
    let outcome = catch_unwind(AssertUnwindSafe(|| cell.outcome(few)));
    match outcome {
        Ok(Outcome::Works(notes)) if notes.is_empty() => "works".to_owned(),
        Ok(Outcome::Works(notes)) => format!("works {}", notes.join("+")),
        Ok(Outcome::Refused(codes)) => codes.join("+"),
        Ok(Outcome::Wrong(found)) => {
            let head = format!("{:?}{} | {} | {}", rules.ty, rules.text(), place.name(), part.name());
            let _ = writeln!(wrong, "{head}: {} of", found.len());
            for line in found.iter().take(if env::var_os("MATRIX").is_some() { 9 } else { 1 }) {
                let _ = writeln!(wrong, "    {line}");
            }
            if env::var_os("MATRIX").is_some() {
                let _ = writeln!(wrong, "{}", cell.schema());
            }
            "WRONG".to_owned()
        }
        Err(_) => {
            let _ = writeln!(wrong, "panic: {:?}{} | {}", rules.ty, rules.text(), place.name());
            "PANIC".to_owned()
        }
    }
}

/// Names of the rows of a table.
fn name(rules: &Rules) -> String {
    format!("{:?}{}", rules.ty, rules.text()).to_lowercase()
}

fn table(part: Part, wrong: &mut String) -> String {
    let only = env::var("MATRIX").unwrap_or_default();
    let places: Vec<Place> =
        Place::ALL.into_iter().filter(|place| part == Part::Data || place.has_room()).collect();
    let mut rows = vec![
        std::iter::once("u8 x".to_owned()).chain(places.iter().map(|p| p.name().to_owned())).collect(),
    ];
    for (rules, few) in lines(part) {
        if !name(&rules).contains(&only) {
            continue;
        }
        let mut row = vec![name(&rules)];
        row.extend(places.iter().map(|place| cell(*place, part, &rules, few, wrong)));
        rows.push(row);
    }
    aligned(&rows)
}

fn aligned(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(at, cell)| format!("{cell:0$}", width(at)));
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join(" | ").trim_end());
    }
    text
}

fn check(parts: &[Part]) {
    let mut wrong = String::new();
    for part in parts {
        let start = std::time::Instant::now();
        let text = table(*part, &mut wrong);
        println!("{}: {:?}", part.name(), start.elapsed());
        if env::var_os("MATRIX").is_some() {
            println!("{text}");
            continue;
        }
        let path = samples::workspace().join("tests/matrix").join(part.name()).with_extension("txt");
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &text).expect("the table can be written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        for (old, new) in expected.lines().zip(text.lines()).filter(|(old, new)| old != new) {
            let _ = writeln!(wrong, "{}:\n  was {old}\n  now {new}", part.name());
        }
        if expected.lines().count() != text.lines().count() {
            let _ = writeln!(wrong, "{}: the table has other lines", part.name());
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn data() {
    check(&[Part::Data]);
}

#[test]
fn parts() {
    check(&Part::ALL[1..]);
}
