//! Every property of a row, at every place where a row may stand, in every part that it may play.
//!
//! The files in `tests/matrix` are the tables: properties against places. A cell says `works`, or
//! the codes that the schema is refused with; `works E0721` has a note, and `never contradicts` is a
//! schema without files, since something always stands behind what reaches to the end: each value is
//! refused with that problem. What works was tried with the numbers, or with the bytes, that the row
//! may store and the values that it may be given, against what `tests/src/matrix` says of it, which
//! knows neither the front end nor the engine.
//!
//! `BLESS=1 cargo test -p formwork-tests --test matrix` accepts the tables. `MATRIX=text` runs the
//! lines that contain it, prints them, and the schema of each cell that is not as it is said to be.
//! `MATRIX_ALL=1` tries all pairs at all places, which takes several minutes.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use formwork_tests::matrix::{self, Cell, Depth, Outcome, Part, Place, Rule, Rules, Ty, Wide};
use formwork_tests::samples;

/// A line of a table: type and properties.
type Line = (Ty, Vec<Rule>);

fn is_whole() -> bool {
    env::var_os("MATRIX_ALL").is_some()
}

/// Each property alone.
fn singles(ty: Ty) -> Vec<Line> {
    let mut lines = vec![(ty, Vec::new())];
    lines.extend(Rule::ALL.map(|rule| (ty, vec![rule])));
    lines
}

/// Each property beside each other.
fn pairs() -> Vec<Line> {
    let mut lines = Vec::new();
    for (at, first) in Rule::ALL.into_iter().enumerate() {
        for second in Rule::ALL.into_iter().skip(at + 1) {
            if first.word() != second.word() && second != Rule::Source {
                lines.push((Ty::U8, vec![first, second]));
            }
        }
    }
    lines
}

fn line_name((ty, rules): &Line) -> String {
    let rules: String = rules.iter().map(|rule| format!(" {}", rule.text(*ty))).collect();
    format!("{}{rules}", format!("{ty:?}").to_lowercase())
}

fn is_syntax(code: &str) -> bool {
    code.starts_with("E01") && !["E0106", "E0113"].contains(&code)
}

/// A name for files.
fn file_name(head: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    head.to_lowercase().chars().map(plain).collect()
}

/// Writes a cell for tests of generated code, if somebody wants it.
fn write_files(head: &str, schema: &str, files: &[(String, Vec<u8>)]) {
    let Some(folder) = env::var_os("MATRIX_FILES") else { return };
    let path = std::path::Path::new(&folder).join(file_name(head));
    let mut text = String::new();
    for (name, file) in files {
        let bytes: Vec<String> = file.iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(text, "== {name}\n{}\n", bytes.join(" "));
    }
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(path.with_extension("kdl"), schema).expect("the schema can be written");
    fs::write(path.with_extension("hex"), text).expect("the files can be written");
}

/// What a cell about a number is, with what is wrong of it.
fn cell(place: Place, part: Part, (ty, rules): &Line, depth: Depth, wrong: &mut String) -> String {
    let rules = Rules {
        ty: *ty,
        rules: rules.clone(),
        array: place == Place::Array,
        bare: matches!(place, Place::Value | Place::Perhaps | Place::Formed),
        seen: place == Place::Perhaps,
    };
    let cell = Cell { place, part, rules };
    let head = format!("{:?}{} | {} | {}", ty, cell.rules.text(), place.name(), part.name());
    let text = said(&head, &cell.schema(), || cell.outcome(depth), wrong);
    if text == "works" {
        let files =
            cell.files().into_iter().map(|(stored, file)| (format!("stored{stored}"), file));
        write_files(&head, &cell.schema(), &files.collect::<Vec<_>>());
    }
    text
}

/// What a cell about a wider row is, with what is wrong of it.
fn wide_cell(cell: Wide<'_>, depth: Depth, wrong: &mut String) -> String {
    let head = format!("{} | {}", cell.line.name(), cell.place.name());
    let text = said(&head, &cell.schema(), || cell.outcome(depth), wrong);
    match cell.never() {
        Some(codes) if text.starts_with("works") => format!("never {}", codes[0]),
        None if text == "works" => {
            let files = cell.files().into_iter().enumerate();
            let files = files.map(|(at, file)| (format!("file{at}"), file));
            write_files(&head, &cell.schema(), &files.collect::<Vec<_>>());
            text
        }
        _ => text,
    }
}

/// What became of a cell, with what is wrong of it.
fn said(head: &str, schema: &str, outcome: impl FnOnce() -> Outcome, wrong: &mut String) -> String {
    match catch_unwind(AssertUnwindSafe(outcome)) {
        Ok(Outcome::Works(notes)) if notes.is_empty() => "works".to_owned(),
        Ok(Outcome::Works(notes)) => format!("works {}", notes.join("+")),
        // Properties and blocks that a statement does not have are refused; the rest is an oversight here.
        Ok(Outcome::Refused(codes)) if codes.iter().any(|code| is_syntax(code)) => {
            let _ = writeln!(wrong, "{head}: {}\n{schema}", codes.join("+"));
            "NO SCHEMA".to_owned()
        }
        Ok(Outcome::Refused(codes)) => codes.join("+"),
        Ok(Outcome::Wrong(found)) => {
            let _ = writeln!(wrong, "{head}: {} of", found.len());
            let shown = if env::var_os("MATRIX").is_some() { 9 } else { 1 };
            for line in found.iter().take(shown) {
                let _ = writeln!(wrong, "    {line}");
            }
            if shown > 1 {
                let _ = writeln!(wrong, "{schema}");
            }
            "WRONG".to_owned()
        }
        Err(_) => {
            let _ = writeln!(wrong, "{head}: panic\n{schema}");
            "PANIC".to_owned()
        }
    }
}

/// A table as text; `cells` are the lines with their names.
fn table<T>(
    corner: String,
    places: &[Place],
    lines: &[(String, T)],
    mut cell: impl FnMut(Place, &T) -> String,
) -> String {
    let only = env::var("MATRIX").unwrap_or_default();
    let mut head = vec![corner];
    head.extend(places.iter().map(|place| place.name().to_owned()));
    let mut rows = vec![head];
    for (name, line) in lines.iter().filter(|(name, _)| name.contains(&only)) {
        let mut row = vec![name.clone()];
        row.extend(places.iter().map(|place| cell(*place, line)));
        rows.push(row);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=places.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join(" | ").trim_end());
    }
    text
}

/// Compares a table of numbers with the one that is committed.
fn check(name: &str, part: Part, places: &[Place], lines: &[Line], depth: Depth) {
    let mut wrong = String::new();
    let places: Vec<Place> =
        if is_whole() && places != of_bytes() { Place::ALL.to_vec() } else { places.to_vec() };
    let places: Vec<Place> =
        places.into_iter().filter(|place| part == Part::Data || place.has_room()).collect();
    let lines: Vec<_> = lines.iter().map(|line| (line_name(line), line)).collect();
    let text = table(part.rows("x"), &places, &lines, |place, line| {
        cell(place, part, line, depth, &mut wrong)
    });
    compare(name, &text, wrong);
}

/// Compares a table of wider rows with the one that is committed.
fn check_wide(name: &str, places: &[Place], text: &str, depth: Depth) {
    let mut wrong = String::new();
    let lines = matrix::lines(text).into_iter().map(|line| (line.name(), line));
    let lines: Vec<_> = lines.collect();
    let places = if is_whole() { &Place::ALL } else { places };
    let text = table(String::new(), places, &lines, |place, line| {
        wide_cell(Wide { place, line }, depth, &mut wrong)
    });
    compare(name, &text, wrong);
}

fn compare(name: &str, text: &str, mut wrong: String) {
    if env::var_os("MATRIX").is_some() {
        println!("{text}");
    } else if !is_whole() {
        let path = samples::workspace().join("tests/matrix").join(name).with_extension("txt");
        if env::var_os("BLESS").is_some() {
            fs::write(&path, text).expect("the table can be written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        for (old, new) in expected.lines().zip(text.lines()).filter(|(old, new)| old != new) {
            let _ = writeln!(wrong, "{name}:\n  was {old}\n  now {new}");
        }
        if expected.lines().count() != text.lines().count() {
            let _ = writeln!(wrong, "{name}: the table has other lines");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

fn special() -> Vec<Place> {
    Place::ALL.into_iter().filter(|place| place.is_special()).collect()
}

fn of_bytes() -> Vec<Place> {
    special().into_iter().filter(|place| !place.is_of_bits()).collect()
}

#[test]
fn properties_at_all_places() {
    check("data_u8", Part::Data, &Place::ALL, &singles(Ty::U8), Depth::All);
}

#[test]
fn properties_of_signed_numbers() {
    check("data_i8", Part::Data, &special(), &singles(Ty::I8), Depth::Few);
}

#[test]
fn properties_of_wide_numbers() {
    check("data_u16", Part::Data, &special(), &singles(Ty::U16), Depth::Few);
}

#[test]
fn properties_of_numbers_of_four_bytes() {
    check("data_u32", Part::Data, &of_bytes(), &singles(Ty::U32), Depth::Few);
}

#[test]
fn properties_of_numbers_of_eight_bytes() {
    check("data_i64", Part::Data, &of_bytes(), &singles(Ty::I64), Depth::Few);
}

#[test]
fn properties_beside_each_other() {
    check("data_pairs", Part::Data, &special(), &pairs(), Depth::Few);
}

/// A test for each part, so that they run side by side.
macro_rules! parts {
    ($($name:ident $part:ident)*) => {$(
        #[test]
        fn $name() {
            let part = Part::$part;
            check(part.name(), part, &special(), &singles(Ty::U8), Depth::Few);
        }
    )*};
}

parts! {
    counts Count
    sizes Size
    labels On
    labels_with_else Else
    numbers_that_are_asked Asked
    indices Index
    conditions When
    rules Check
    arguments Argument
    named_expressions Let
}

#[test]
fn arrays_and_regions() {
    check_wide("lengths", &Place::ALL, matrix::LENGTHS, Depth::Law);
}

#[test]
fn texts_and_bytes() {
    check_wide("texts", &Place::ALL, matrix::TEXTS, Depth::Law);
}

#[test]
fn pointers_to_all_kinds() {
    check_wide("pointers", &Place::ALL, matrix::POINTERS, Depth::Law);
}

#[test]
fn lengths_beside_each_other() {
    check_wide("together", &special(), matrix::TOGETHER, Depth::Law);
}

/// The names in a table of properties of the front end.
fn properties_of(table: &str) -> BTreeSet<String> {
    let path = samples::workspace().join("codegen/src/syntax/props.rs");
    let text = fs::read_to_string(path).expect("the tables of properties are there");
    let (_, behind) = text.split_once(&format!("const {table}: ")).expect("the table is there");
    let (body, _) = behind.split_once("];").expect("the table ends");
    let names = body.split("(\"").skip(1).filter_map(|part| part.split('"').next());
    names.map(str::to_owned).collect()
}

#[test]
fn every_property_of_a_row_has_a_line() {
    let wide = [matrix::LENGTHS, matrix::TEXTS, matrix::POINTERS].map(matrix::lines).concat();
    let wide: Vec<String> = wide.iter().flat_map(matrix::Line::words).collect();
    let numbers = Rule::ALL.iter().map(|rule| rule.word());
    let wide = wide.iter().map(String::as_str);
    // The places say `array=` of a value that is a list.
    let known: BTreeSet<&str> = numbers.chain(wide).chain(["array"]).collect();
    for table in ["ROW", "TAG", "WORD_FIELD", "CONST", "VALUE"] {
        let names = properties_of(table);
        assert!(!names.is_empty());
        let missing: Vec<_> = names.iter().filter(|name| !known.contains(name.as_str())).collect();
        assert!(missing.is_empty(), "{table} has {missing:?}, of which no line of the matrix is");
    }
    let value = properties_of("VALUE");
    for (name, place) in [("none", Place::Value), ("plus", Place::Formed)] {
        assert!(!value.contains(name), "`{name}` is refused at {}", place.name());
    }
}
