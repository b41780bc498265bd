//! Runs the examples of the documentation: what it shows is what the tools do.
//!
//! A block `kdl` is a schema that is accepted, `kdl error=E0203` one that is refused with that
//! code, and `kdl library=NAME` one that later blocks of the page may import. Blocks behind a
//! schema belong to it: `hex` is a file that is read and written again as the same bytes,
//! `hex error=KIND` one that can't be read, and `json` the value of the file above.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use formwork::ReadOptions;
use formwork_codegen::diagnostic::render;
use formwork_codegen::{Loaded, Provider, codes, load};
use formwork_interpreter::{Kept, Program, StructValue, Value, examples, program, read, write};
use formwork_tests::samples::workspace;
use serde_json::{Map, Value as Json, json};

/// A fenced block of a page.
struct Block {
    line: usize,
    /// First word behind the fence.
    language: String,
    /// The other words, which are of the form `name=value`.
    properties: BTreeMap<String, String>,
    text: String,
}

/// Libraries that a page declares, and those that the tools bring along.
#[derive(Default)]
struct Libraries(BTreeMap<String, String>);

impl Provider for Libraries {
    fn library(&self, name: &str) -> Option<String> {
        let shipped = || formwork_schemas::get(name).map(str::to_owned);
        self.0.get(name).cloned().or_else(shipped)
    }
}

fn page(name: &str) -> String {
    fs::read_to_string(workspace().join(name)).expect("the page is there")
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (line, content) in (1..).zip(text.lines()) {
        let Some(fence) = content.strip_prefix("```") else {
            if let Some(block) = &mut open {
                block.text.push_str(content);
                block.text.push('\n');
            }
            continue;
        };
        if let Some(block) = open.take() {
            blocks.push(block);
            continue;
        }
        let mut words = fence.split_whitespace();
        let language = words.next().unwrap_or_default().to_owned();
        let properties = words
            .map(|word| word.split_once('=').unwrap_or((word, "")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        open = Some(Block { line, language, properties, text: String::new() });
    }
    assert!(open.is_none(), "a fence is not closed");
    blocks
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: String = hex.split_whitespace().collect();
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A value in the notation of the pages.
fn notation(value: &Value) -> Json {
    match value {
        Value::Int(number) => match i64::try_from(*number) {
            Ok(number) => json!(number),
            Err(_) => json!(u64::try_from(*number).expect("numbers have 64 bits")),
        },
        Value::Float { bits, bytes: 4 } => {
            json!(f32::from_bits(u32::try_from(*bits).expect("four bytes")))
        }
        Value::Float { bits, .. } => json!(f64::from_bits(*bits)),
        Value::Bool(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::Bytes(bytes) => json!(hex(bytes)),
        Value::Units(units) => json!(units),
        Value::Array(elements) => elements.iter().map(notation).collect(),
        Value::Struct(value) => Json::Object(fields(value)),
        Value::Union(union) => json!({ &union.case: fields(&union.value) }),
        Value::None => Json::Null,
        Value::Spelled(value, list) => json!({ "value": notation(value), "kept": kept(list) }),
    }
}

fn fields(value: &StructValue) -> Map<String, Json> {
    let fields = value.fields.iter();
    let mut object: Map<_, _> =
        fields.map(|(name, value)| (name.clone(), notation(value))).collect();
    if !value.kept.is_empty() {
        object.insert("kept".to_owned(), kept(&value.kept));
    }
    object
}

fn kept(list: &[Kept]) -> Json {
    let entries = list.iter().map(|kept| (kept.row.clone(), notation(&kept.stored)));
    Json::Object(entries.collect())
}

/// What the schema of a page became, with the value of its last file.
struct Example {
    program: Option<Program>,
    value: Option<Json>,
}

/// Runs all blocks of a page. Returns what went wrong, and how many schemas there are.
fn run(name: &str) -> (String, usize) {
    let mut problems = String::new();
    let mut libraries = Libraries::default();
    let mut example = Example { program: None, value: None };
    let mut schemas = 0;
    for block in blocks(&page(name)) {
        let problem = match block.language.as_str() {
            "kdl" => {
                schemas += 1;
                example = Example { program: None, value: None };
                schema(&block, &mut libraries, &mut example)
            }
            "hex" => file(&block, &mut example),
            "json" => value(&block, &example),
            _ => Ok(()),
        };
        if let Err(problem) = problem {
            let _ = writeln!(problems, "{name}:{}: {problem}", block.line);
        }
    }
    (problems, schemas)
}

fn schema(block: &Block, libraries: &mut Libraries, example: &mut Example) -> Result<(), String> {
    if let Some(name) = block.properties.get("library") {
        libraries.0.insert(name.clone(), block.text.clone());
    }
    if let Some(name) = block.properties.get("part") {
        // The schema that includes it comes next.
        libraries.0.insert(name.clone(), block.text.clone());
        return Ok(());
    }
    let loaded: Loaded = load("example.kdl", &block.text, None, libraries);
    let shown = render(&loaded.diagnostics, &loaded.sources, false);
    if let Some(code) = block.properties.get("error") {
        let codes: BTreeSet<_> = loaded.diagnostics.all().iter().map(|d| d.code).collect();
        return match codes.iter().eq([&code.as_str()]) {
            true => Ok(()),
            false => Err(format!("refused with {codes:?}, not with {code}\n{shown}")),
        };
    }
    if !loaded.diagnostics.all().is_empty() {
        return Err(format!("the schema is refused\n{shown}"));
    }
    example.program = loaded.model.map(program);
    if let Some(Err(problems)) = example.program.as_ref().map(examples) {
        return Err(format!("the examples are wrong: {problems:?}"));
    }
    let expects_model = !block.properties.contains_key("library");
    match example.program.is_some() == expects_model {
        true => Ok(()),
        false => Err("a module gives a model, and a library gives none".to_owned()),
    }
}

fn file(block: &Block, example: &mut Example) -> Result<(), String> {
    example.value = None;
    let program = example.program.as_ref().ok_or("no accepted schema stands before the file")?;
    let bytes = bytes(&block.text).ok_or("these are not bytes in hexadecimal")?;
    let expected = block.properties.get("error");
    let document = match (read(program, &bytes, &ReadOptions::default()), expected) {
        (Ok(document), None) => document,
        (Ok(_), Some(kind)) => return Err(format!("read, but must fail with {kind}")),
        (Err(error), Some(kind)) if error.kind().code() == kind => return Ok(()),
        (Err(error), _) => return Err(format!("{}: {error}", error.kind().code())),
    };
    let notes = document.notes();
    if !notes.is_empty() {
        return Err(format!("there are notes: {notes:?}"));
    }
    let value = document.value();
    let json = notation(&value);
    let written =
        write(program, &value).map_err(|error| format!("not written: {error}\n{json}"))?;
    if written != bytes {
        return Err(format!("written as\n{}\ninstead of\n{}\n{json}", hex(&written), hex(&bytes)));
    }
    // Without its spelling the value must still be one that can be written and read.
    let canonical = write(program, &value.clone().canonical())
        .map_err(|error| format!("not written canonically: {error}"))?;
    let again = read(program, &canonical, &ReadOptions::default())
        .map_err(|error| format!("the canonical file is not read: {error}\n{}", hex(&canonical)))?
        .value();
    if again != value {
        return Err(format!("the canonical file {} is another value", hex(&canonical)));
    }
    example.value = Some(json);
    Ok(())
}

fn value(block: &Block, example: &Example) -> Result<(), String> {
    let found = example.value.as_ref().ok_or("no file stands before the value")?;
    let expected: Json =
        serde_json::from_str(&block.text).map_err(|error| format!("no JSON: {error}"))?;
    match *found == expected {
        true => Ok(()),
        false => Err(format!("the value is\n{found}")),
    }
}

#[test]
fn examples_of_the_language() {
    let (problems, schemas) = run("docs/schema-language.md");
    println!("{schemas} schemas");
    assert!(problems.is_empty(), "{problems}");
    assert!(schemas > 40, "only {schemas} schemas were found");
}

#[test]
fn examples_of_the_readme() {
    let (problems, schemas) = run("README.md");
    assert!(problems.is_empty(), "{problems}");
    assert!(schemas > 0);
}

#[test]
fn other_pages() {
    for name in ["docs/architecture.md", "docs/decisions.md"] {
        let (problems, _) = run(name);
        assert!(problems.is_empty(), "{problems}");
    }
}

/// Words between quotes that follow something.
fn quoted(text: &str, before: &str) -> BTreeSet<String> {
    let parts = text.split(before).skip(1);
    parts.filter_map(|part| Some(part.split_once('"')?.0.to_owned())).collect()
}

/// The source of the front end that declares something, from there on.
fn source(declaration: &str) -> String {
    let folder = workspace().join("codegen/src");
    for phase in ["syntax", "resolve"] {
        let entries = fs::read_dir(folder.join(phase)).expect("the phase has a folder");
        for entry in entries {
            let path = entry.expect("readable").path();
            let text = fs::read_to_string(&path).unwrap_or_default();
            if let Some((_, behind)) = text.split_once(declaration) {
                return behind.to_owned();
            }
        }
    }
    panic!("the front end declares no `{declaration}`");
}

/// The elements of a list of words in the front end.
fn list(name: &str) -> BTreeSet<String> {
    let behind = source(name);
    let (_, behind) = behind.split_once('=').expect("the list has a value");
    let (words, _) = behind.split_once("];").expect("the list ends");
    words.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// All words of the examples, and all names of properties in them.
fn words_of_examples() -> (BTreeSet<String>, BTreeSet<String>) {
    let mut words = BTreeSet::new();
    let mut properties = BTreeSet::new();
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for block in blocks(&page("docs/schema-language.md")) {
        if block.language != "kdl" {
            continue;
        }
        words.extend(block.text.split(|c| !name(c)).map(str::to_owned));
        for (before, after) in block.text.match_indices('=').map(|(at, _)| block.text.split_at(at))
        {
            let start = before.rfind(|c| !name(c)).map_or(0, |at| at + 1);
            if !after.starts_with("==") {
                properties.insert(before[start..].to_owned());
            }
        }
    }
    (words, properties)
}

#[test]
fn every_word_and_property_has_an_example() {
    let (words, properties) = words_of_examples();

    // The tables of properties stand in front of the one of words that are not known.
    let tables = source("const MODULE");
    let (tables, _) = tables.split_once("const ELSEWHERE").expect("the table is there");
    let known = quoted(tables, "(\"");
    assert!(known.len() > 60, "the tables of properties have moved: {known:?}");
    let missing: Vec<_> = known.iter().filter(|k| !properties.contains(*k)).collect();
    assert!(missing.is_empty(), "no example has the properties {missing:?}");

    let mut statements = list("const TOP");
    statements.extend(list("const KEYWORDS"));
    statements.extend(list("const STATEMENTS"));
    statements.extend(list("const ABOUT"));
    let others = ["case", "form", "list", "section", "always", "members", "order", "extension"];
    statements.extend(others.map(str::to_owned));
    let missing: Vec<_> = statements.iter().filter(|s| !words.contains(*s)).collect();
    assert!(missing.is_empty(), "no example has the words {missing:?}");

    let mut functions = list("const FUNCTIONS");
    // It is none, but has a hint of its own.
    functions.remove("last");
    let missing: Vec<_> = functions.iter().filter(|f| !words.contains(*f)).collect();
    assert!(missing.is_empty(), "no example has the functions {missing:?}");
}

#[test]
fn codes_that_pages_name_exist() {
    let known: BTreeSet<&str> = codes::all().into_iter().map(|code| code.0).collect();
    for name in
        ["README.md", "docs/schema-language.md", "docs/architecture.md", "docs/decisions.md"]
    {
        let text = page(name);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        for word in words.filter(|w| w.len() == 5 && w.starts_with('E')) {
            if word[1..].bytes().all(|b| b.is_ascii_digit()) {
                assert!(known.contains(word), "{name} names {word}, which is no code");
            }
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let pages = [
        "README.md",
        "CHANGELOG.md",
        "docs/schema-language.md",
        "docs/architecture.md",
        "docs/decisions.md",
    ];
    for name in pages {
        let text = page(name);
        for (at, _) in text.match_indices("](") {
            let Some((target, _)) = text[at + 2..].split_once(')') else { continue };
            if target.starts_with("http") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = workspace().join(name);
            let folder = folder.parent().expect("a page lies in a folder");
            let path = if file.is_empty() { workspace().join(name) } else { folder.join(file) };
            assert!(path.exists(), "{name} leads to {target}, which is not there");
            if !anchor.is_empty() {
                let text = fs::read_to_string(&path).expect("the page can be read");
                let found = text.lines().filter(|l| l.starts_with('#')).any(|l| slug(l) == anchor);
                assert!(found, "{name} leads to {target}, but no heading is called so");
            }
        }
    }
}

/// The anchor of a heading.
fn slug(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// The structs that the first page shows are what comes of its schema.
#[test]
fn the_rust_of_the_readme() {
    let text = page("README.md");
    let part = |language: &str| {
        let start = text.find(&format!("```{language}\n")).expect("the block is there");
        let block = text[start..].split_once('\n').expect("it has lines").1;
        block.split("```").next().unwrap_or_default().to_owned()
    };
    let loaded = formwork_codegen::load("level.kdl", &part("kdl"), None, &());
    let model = loaded.model.expect("the schema is right");
    let code = formwork_codegen::rust::emit_types(&model, &Default::default())
        .replace("::core::option::", "")
        .replace("::formwork::alloc::vec::", "")
        .replace("::formwork::alloc::borrow::", "")
        .replace("::formwork::", "formwork::");
    let lines: Vec<&str> = code.lines().map(str::trim).filter(|l| !l.starts_with("#[")).collect();
    for group in part("rust").split("\n\n") {
        let wanted: Vec<&str> = group.lines().map(str::trim).collect();
        let found = lines.windows(wanted.len()).any(|window| window == wanted);
        assert!(found, "not generated:\n{group}");
    }
}
