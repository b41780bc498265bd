//! Pages that describe formats: those in `docs/formats` and `tests/golden` are current, links lead
//! somewhere, tables are tables, and nothing that a schema says in words is missing.
//!
//! `BLESS=1 cargo test -p formwork-tests --test docs` writes the pages anew.

use std::collections::{BTreeSet, HashMap};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use formwork_codegen::markdown::emit_with;
use formwork_codegen::model::{Home, Model};
use formwork_codegen::rust::{Options, emit};
use formwork_interpreter::{Program, examples, program};
use formwork_tests::{programs, samples};

/// The page of a schema. Its examples must be right.
fn page_of(program: &Program) -> String {
    let model = program.model();
    let listings = examples(program).unwrap_or_else(|problems| {
        let messages: Vec<&str> = problems.iter().map(|found| found.message.as_str()).collect();
        panic!("the examples of `{}` are wrong: {}", model.name, messages.join("; "))
    });
    emit_with(model, &listings)
}

fn page_of_model(model: &Model) -> String {
    page_of(&program(model.clone()))
}

/// Features whose whole page is in `tests/golden`.
const GOLDEN: [&str; 17] = [
    "dictionary",
    "endian_chosen",
    "epochs_columns",
    "epochs_when",
    "forms",
    "objects",
    "parameters",
    "pointers",
    "pool_orders",
    "regions",
    "relocation_masks",
    "relocation_numbers",
    "slices",
    "union_on",
    "union_patterns",
    "words",
    "words_for_people",
];

/// Compares with a file, or writes it if that is asked for.
fn compare(path: &Path, page: &str, stale: &mut Vec<String>) {
    let known = fs::read_to_string(path).unwrap_or_default();
    if known == page {
        return;
    }
    if env::var_os("BLESS").is_some() {
        let folder = path.parent().expect("it is in a folder");
        fs::create_dir_all(folder).expect("the folder can be made");
        fs::write(path, page).expect("the page can be written");
    } else {
        stale.push(path.display().to_string());
    }
}

fn report(stale: &[String]) {
    assert!(stale.is_empty(), "not current (BLESS=1 writes them): {}", stale.join(", "));
}

#[test]
fn pages_of_formats_are_current() {
    let folder = samples::workspace().join("docs/formats");
    let mut stale = Vec::new();
    let mut expected = BTreeSet::new();
    for name in ["ainb", "baev", "bfres", "esf", "evfl"] {
        let text = formwork_schemas::get(name).expect("every name has a text");
        // Libraries have no page.
        if let Ok(program) = programs::from_text(&format!("{name}.kdl"), text, None) {
            compare(&folder.join(format!("{name}.md")), &page_of(&program), &mut stale);
            expected.insert(format!("{name}.md"));
        }
    }
    report(&stale);
    let found: BTreeSet<String> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn golden_pages_are_current() {
    let mut stale = Vec::new();
    for name in GOLDEN {
        let path = samples::workspace().join(format!("tests/golden/{name}.kdl"));
        let program = programs::from_file(&path).unwrap_or_else(|error| panic!("{error}"));
        compare(&path.with_extension("md"), &page_of(&program), &mut stale);
    }
    report(&stale);
}

/// Every schema that has a model, with its name.
fn schemas() -> Vec<(String, Model)> {
    let mut found = Vec::new();
    for group in ["schemas", "tests/golden", "tests/reach", "tests/conformance", "tests/generated"]
    {
        let Ok(entries) = fs::read_dir(samples::workspace().join(group)) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "kdl")) {
            // Libraries, and schemas that are meant to be wrong, have no model.
            if let Ok(program) = programs::from_file(path) {
                found.push((path.display().to_string(), program.model().clone()));
            }
        }
    }
    assert!(found.len() > 100, "schemas are missing");
    found
}

#[test]
fn pages_are_sound() {
    let mut problems = Vec::new();
    for (name, model) in schemas() {
        let page = page_of_model(&model);
        assert_eq!(page, page_of_model(&model), "{name} gives another page the second time");
        let mut add = |problem: String| problems.push(format!("{name}: {problem}"));
        broken_links(&page).into_iter().for_each(&mut add);
        broken_tables(&page).into_iter().for_each(&mut add);
        missing_words(&model, &page).into_iter().for_each(&mut add);
        missing_rows(&model, &page).into_iter().for_each(&mut add);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Pieces of generated code, and of the schemas that they are from.
#[test]
fn code_that_is_shown_is_generated() {
    let path = samples::workspace().join("docs/generated-code.md");
    let page = fs::read_to_string(path).expect("the page is there");
    let (_, section) = page.split_once("### How the fast path reads").expect("it has this section");
    let section = section.split("\n## ").next().unwrap_or_default();
    // Pieces have their own indentation.
    let even = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let mut shown = 0;
    let mut about = String::new();
    for (at, part) in section.split("```").enumerate() {
        if at % 2 == 0 {
            // The line before a piece says what it is from.
            let line = part.lines().rev().find(|line| line.starts_with('`'));
            let name = line.and_then(|line| line.split('`').nth(1));
            about = name.map_or(about, str::to_owned);
            continue;
        }
        let (language, piece) = part.split_once('\n').expect("a piece has lines");
        let whole = match language {
            "kdl" => formwork_schemas::get(&about).expect("there is such a schema").to_owned(),
            _ => emit(programs::shipped(&about).model(), &Options::default()),
        };
        let found = even(&whole).contains(even(piece).trim());
        assert!(found, "this is not in the {language} of `{about}`:\n{piece}");
        shown += 1;
    }
    assert_eq!(shown, 6);
}

/// How many lines generated code has, as the page and the list of changes say it.
#[test]
fn figures_of_generated_code_hold() {
    let read = |name: &str| {
        fs::read_to_string(samples::workspace().join(name)).expect("the page is there")
    };
    let (page, changes) = (read("docs/generated-code.md"), read("CHANGELOG.md"));
    let number = |count: usize| match count {
        0..=999 => count.to_string(),
        _ => format!("{},{:03}", count / 1000, count % 1000),
    };
    let mut said = Vec::new();
    for name in ["ainb", "esf", "evfl"] {
        let code = emit(programs::shipped(name).model(), &Options::default());
        let lines = number(code.lines().count());
        said.push((&changes, format!("{lines} for `{name}`")));
        let fast = number(item_lines(&code, "mod straight ").expect("it has a fast path"));
        match name {
            "ainb" => said.push((&page, format!("`{name}`, with"))),
            "esf" => said.push((&page, format!("of the {lines} of `{name}` {fast}"))),
            _ => said.push((&page, format!("of the {lines} lines of `{name}` {fast}"))),
        }
        if name == "ainb" {
            said.push((&page, format!("has {lines} lines")));
        }
    }
    said.push((&page, "of the built-in schemas none has more".to_owned()));
    for name in ["ainb", "baev", "bfres", "esf", "evfl"] {
        let code = emit(programs::shipped(name).model(), &Options::default());
        assert_eq!(long_functions(&code), [0; 0], "lines of long functions of `{name}`");
    }
    for (text, figure) in said {
        assert!(text.contains(&figure), "`{figure}` is not said");
    }
}

/// Lines of an item that begins so, up to the brace that ends it.
fn item_lines(code: &str, begin: &str) -> Option<usize> {
    let mut lines = code.lines().skip_while(|line| !line.trim_start().starts_with(begin));
    let first = lines.next()?;
    let indent = first.len() - first.trim_start().len();
    let end = format!("{:indent$}}}", "");
    lines.position(|line| line == end).map(|behind| behind + 2)
}

/// Lines of each function that has more than 120.
fn long_functions(code: &str) -> Vec<usize> {
    let all: Vec<&str> = code.lines().collect();
    let functions = all.iter().enumerate().filter(|(_, line)| {
        let line = line.trim_start();
        line.starts_with("fn ") || line.starts_with("pub") && line.contains(" fn ")
    });
    let counts = functions.filter_map(|(at, line)| {
        let indent = line.len() - line.trim_start().len();
        let end = format!("{:indent$}}}", "");
        all[at..].iter().position(|line| *line == end).map(|behind| behind + 1)
    });
    counts.filter(|lines| *lines > 120).collect()
}

/// Links to headings that are not there. Anchors are made as GitHub does: lower case, without
/// punctuation, blanks as `-`, and a number behind those that occur again.
fn broken_links(page: &str) -> Vec<String> {
    let mut anchors = BTreeSet::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for line in page.lines().filter(|line| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim().replace('\\', "");
        let slug: String = title
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let count = counts.entry(slug.clone()).or_default();
        anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    let mut broken = Vec::new();
    for part in page.split("](").skip(1) {
        let target = part.split(')').next().unwrap_or_default();
        match target.strip_prefix('#') {
            Some(anchor) if anchors.contains(anchor) => {}
            None if target.starts_with("http") => {}
            _ => broken.push(format!("the link to `{target}` leads nowhere")),
        }
    }
    broken
}

/// Rows of tables with more or fewer cells than the head.
fn broken_tables(page: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let mut width = 0;
    for line in page.lines() {
        if !line.starts_with('|') {
            width = 0;
            continue;
        }
        let cells = line.replace("\\|", "").matches('|').count();
        if width == 0 {
            width = cells;
        } else if cells != width {
            broken.push(format!("a row of {width} cells has {cells}: {line}"));
        }
    }
    broken
}

/// Descriptions in the texts of schemas are on their pages, also those that a model could lose.
#[test]
fn descriptions_are_on_the_pages() {
    let mut problems = Vec::new();
    for (name, model) in schemas() {
        let text = fs::read_to_string(&name).expect("it was read before");
        let page = page_of_model(&model).replace('\\', "").replace("&lt;", "<");
        let missing = descriptions(&text).into_iter().filter(|words| !page.contains(words));
        problems.extend(missing.map(|words| format!("{name}: `{words}` is missing")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Quoted texts of a schema that are sentences: no values of properties or of `let`, no types, a capital
/// letter, a blank. Those of `type` are not in the model.
fn descriptions(schema: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in schema.lines().filter(|line| !line.starts_with("type ")) {
        let mut rest = line;
        while let Some((before, behind)) = rest.split_once('"') {
            let Some((words, after)) = behind.split_once('"') else { break };
            if before.contains("//") {
                break;
            }
            let sentence = words.starts_with(char::is_uppercase) && words.contains(' ');
            let named = before.split_whitespace().nth_back(1) == Some("let");
            if sentence && !words.contains('<') && !before.ends_with('=') && !named {
                found.push(words);
            }
            rest = after;
        }
    }
    found
}

/// Texts of the schema that are not on the page.
fn missing_words(model: &Model, page: &str) -> Vec<String> {
    let page = page.replace('\\', "").replace("&lt;", "<");
    let mut texts: Vec<&String> = vec![&model.title];
    texts.extend(&model.sources);
    for record in &model.records {
        texts.extend(record.doc.iter());
        for row in &record.rows {
            texts.extend(row.doc.iter());
        }
    }
    for union in &model.unions {
        texts.extend(union.doc.iter());
        for case in &union.cases {
            texts.extend(case.doc.iter());
        }
    }
    for found in &model.enums {
        texts.extend(found.doc.iter());
        texts.extend(found.members.iter().filter_map(|member| member.doc.as_ref()));
    }
    texts.extend(model.pointers.iter().filter_map(|kind| kind.doc.as_ref()));
    texts.extend(model.varints.iter().filter_map(|varint| varint.doc.as_ref()));
    texts.extend(model.digits.iter().filter_map(|digits| digits.doc.as_ref()));
    texts.extend(model.strings.iter().filter_map(|string| string.doc.as_ref()));
    let rows = model.records.iter().flat_map(|record| &record.rows);
    let sources = rows.filter_map(|row| row.source.as_ref());
    let sources = sources.chain(model.records.iter().filter_map(|record| record.source.as_ref()));
    // An address and its title become a link.
    let words: Vec<String> = sources.flat_map(|s| s.split(' ')).map(str::to_owned).collect();
    let texts = texts.into_iter().map(|text| text.trim().replace('\\', ""));
    texts
        .chain(words)
        .filter(|text| !page.contains(text.as_str()))
        .map(|text| format!("`{text}` is missing"))
        .collect()
}

/// Names and offsets of rows that are not on the page.
fn missing_rows(model: &Model, page: &str) -> Vec<String> {
    let mut missing = BTreeSet::new();
    for record in &model.records {
        let word = matches!(record.kind, formwork_codegen::model::RecordKind::Word(_));
        for row in &record.rows {
            if let Some(name) = &row.name
                && !page.contains(&format!("`{name}`"))
                && !is_union(&row.ty)
            {
                missing.insert(format!("the row `{name}` of {} is missing", record.name));
            }
            for home in &row.homes {
                let Home::At(at) = home else { continue };
                if !word && !is_union(&row.ty) && !page.contains(&format!("| 0x{at:02x} |")) {
                    missing.insert(format!("the offset {at:#x} of {} is missing", record.name));
                }
            }
        }
    }
    missing.into_iter().collect()
}

fn is_union(ty: &formwork_codegen::model::Type) -> bool {
    use formwork_codegen::model::Type;
    matches!(ty, Type::Union(_))
}

/// Conformance cases say what their page must show.
#[test]
fn conformance_pages_show_what_they_must() {
    let Some(folder) = samples::conformance() else { return };
    let mut count = 0;
    for entry in fs::read_dir(folder.join("cases")).expect("the cases can be read") {
        let path = entry.expect("the folder can be read").path();
        let text = fs::read_to_string(&path).expect("cases are texts");
        let case: serde_json::Value = serde_json::from_str(&text).expect("cases are JSON");
        let Some(words) = case["docs_must_show"].as_array() else { continue };
        count += 1;
        let name = case["name"].as_str().expect("cases have names");
        let schema = samples::workspace().join(format!("tests/conformance/{name}.kdl"));
        let program = programs::from_file(&schema).unwrap_or_else(|error| panic!("{error}"));
        let page = page_of(&program);
        for word in words {
            let word = word.as_str().expect("what must be shown is text");
            assert!(page.contains(word), "{name}: `{word}` is missing\n{page}");
        }
    }
    assert!(count > 0, "no case says what its page must show");
}
