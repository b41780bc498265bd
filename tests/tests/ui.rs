//! Every schema in `ui/` gives the diagnostics in the file beside it, and no text at all panics.
//!
//! `BLESS=1 cargo test -p formwork-tests --test ui` accepts what is given now.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use formwork_codegen::diagnostic::{Severity, render, to_json};
use formwork_codegen::examples::report;
use formwork_codegen::{Loaded, Provider, codes, load, rust};
use formwork_interpreter::{examples, program};

/// The libraries that the tools bring along.
struct Shipped;

impl Provider for Shipped {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }

    fn names(&self) -> Vec<String> {
        formwork_schemas::names().map(str::to_owned).collect()
    }
}

/// Relative, because names of files beside a schema are shown: tests run in their package.
fn directory(name: &str) -> PathBuf {
    PathBuf::from(name)
}

fn blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// The schemas of a directory, sorted by name.
fn schemas(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kdl"));
    // What cases import is loaded with them.
    paths.retain(|path| path.file_name().is_some_and(|n| !n.to_string_lossy().starts_with("lib_")));
    paths.sort();
    paths
}

fn load_file(path: &Path) -> Loaded {
    let text = fs::read_to_string(path).expect("the schema is readable");
    let name = path.file_name().expect("it has a name").to_string_lossy();
    let mut loaded = load(&name, &text, path.parent(), &Shipped);
    // What only generating code finds.
    for problem in loaded.model.iter().flat_map(rust::check) {
        let shown = loaded.diagnostics.error(problem.code, problem.span, problem.message);
        shown.label = problem.label;
        shown.help = problem.help;
    }
    // What only reading finds.
    let problems = loaded.model.as_ref().map(|model| examples(&program(model.clone())));
    for problem in problems.and_then(Result::err).into_iter().flatten() {
        report(&mut loaded.diagnostics, problem.span, problem.message);
    }
    loaded
}

fn shown(loaded: &Loaded) -> String {
    render(&loaded.diagnostics, &loaded.sources, false)
}

/// Compares with the file, or writes it.
fn compare(path: &Path, given: &str, differences: &mut String) {
    if blessing() {
        fs::write(path, given).expect("the file can be written");
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected != given {
        let name = path.display();
        let _ = writeln!(differences, "{name}: expected\n{expected}\ngiven\n{given}");
    }
}

#[test]
fn diagnostics_are_as_accepted() {
    let mut differences = String::new();
    for path in schemas(&directory("ui")) {
        let loaded = load_file(&path);
        if loaded.diagnostics.all().is_empty() {
            let _ = writeln!(differences, "{}: nothing is reported", path.display());
        }
        compare(&path.with_extension("stderr"), &shown(&loaded), &mut differences);
    }
    assert!(differences.is_empty(), "{differences}\nBLESS=1 accepts");
}

/// A case breaks one rule, so it has one diagnostic. Cases with a number in front have that many.
#[test]
fn each_case_has_one_diagnostic() {
    let mut wrong = String::new();
    for path in schemas(&directory("ui")) {
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let expected = if name.starts_with("ten_") { 10 } else { 1 };
        let loaded = load_file(&path);
        let given = loaded.diagnostics.all().len();
        if given != expected {
            let _ = writeln!(wrong, "{name}: {given} diagnostics\n{}", shown(&loaded));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Lines that end in `// E0301` are those with a diagnostic of that code, and no others.
#[test]
fn marked_lines_are_the_reported_ones() {
    for path in schemas(&directory("ui")) {
        let text = fs::read_to_string(&path).expect("the schema is readable");
        let marked: BTreeSet<(usize, String)> = (1..)
            .zip(text.lines())
            .filter_map(|(line, text)| Some((line, text.rsplit_once("// E")?.1)))
            .filter(|(_, code)| code.len() == 4 && code.bytes().all(|b| b.is_ascii_digit()))
            .map(|(line, code)| (line, format!("E{code}")))
            .collect();
        if marked.is_empty() {
            continue;
        }
        let loaded = load_file(&path);
        let reported: BTreeSet<(usize, String)> = loaded
            .diagnostics
            .all()
            .iter()
            .map(|d| (loaded.sources.line_column(d.span.source, d.span.start).0, d.code.to_owned()))
            .collect();
        assert_eq!(reported, marked, "{}", shown(&loaded));
    }
}

#[test]
fn every_code_has_a_case() {
    let mut shown: BTreeSet<String> = BTreeSet::new();
    for path in schemas(&directory("ui")) {
        let loaded = load_file(&path);
        shown.extend(loaded.diagnostics.all().iter().map(|d| d.code.to_owned()));
    }
    // Its text is longer than 16 MiB, so it is made here.
    let long = load("long.kdl", &" ".repeat((16 << 20) + 1), None, &Shipped);
    shown.extend(long.diagnostics.all().iter().map(|d| d.code.to_owned()));

    let codes: BTreeSet<String> = codes::all().into_iter().map(|code| code.0.to_owned()).collect();
    let without: Vec<&String> = codes.difference(&shown).collect();
    let unknown: Vec<&String> = shown.difference(&codes).collect();
    assert!(without.is_empty(), "without a case: {without:?}");
    assert!(unknown.is_empty(), "not in the registry: {unknown:?}");
}

#[test]
fn the_page_of_codes_is_current() {
    let mut differences = String::new();
    compare(&directory("../docs/diagnostics.md"), &codes::page(), &mut differences);
    assert!(differences.is_empty(), "{differences}\nBLESS=1 accepts");
}

#[test]
fn shipped_schemas_have_no_errors() {
    for path in schemas(&directory("../schemas")) {
        let loaded = load_file(&path);
        assert!(!loaded.diagnostics.has_errors(), "{}\n{}", path.display(), shown(&loaded));
    }
}

#[test]
fn json_has_every_field() {
    let loaded = load_file(&directory("ui/ten_mistakes.kdl"));
    let value = to_json(&loaded.diagnostics, &loaded.sources);
    let list = value.as_array().expect("a list");
    assert_eq!(list.len(), loaded.diagnostics.all().len());
    for (item, diagnostic) in list.iter().zip(loaded.diagnostics.all()) {
        assert_eq!(item["code"], diagnostic.code);
        let error = diagnostic.severity == Severity::Error;
        assert_eq!(item["severity"], if error { "error" } else { "note" });
        assert_eq!(item["message"], diagnostic.message.as_str());
        assert_eq!(item["file"], "ten_mistakes.kdl");
        for place in std::iter::once(item).chain(item["secondary"].as_array().expect("a list")) {
            for field in ["line", "column", "end_line", "end_column"] {
                assert!(place[field].as_u64().is_some_and(|n| n > 0), "{field} of {place}");
            }
            assert!(place["label"].is_string() && place["file"].is_string(), "{place}");
        }
        assert!(item["help"].is_string() || item["help"].is_null());
        assert!(item.get("help").is_some());
    }
}

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Runs in a thread with a stack of 2 MiB, as tools may.
fn in_small_thread(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    thread.spawn(run).expect("the thread starts").join().expect("no panic");
}

/// Loads and renders; that it ends is all that is wanted.
fn survive(text: &str) {
    let loaded = load("any.kdl", text, None, &Shipped);
    assert!(loaded.model.is_none() || !loaded.diagnostics.has_errors(), "{text}");
    let _ = shown(&loaded);
    let _ = to_json(&loaded.diagnostics, &loaded.sources);
    if let Some(model) = &loaded.model {
        let _ = formwork_codegen::print::model_text(model);
        let _ = formwork_codegen::roles::roles(model);
    }
}

const TOKENS: &[&str] = &[
    "module",
    "t",
    "\"Test\"",
    "root=File",
    "struct",
    "File",
    "{",
    "}",
    "{",
    "}",
    ";",
    "\n",
    "\n",
    "\n",
    "\n",
    "0x00",
    "0x04",
    "8",
    "-",
    "-1",
    "0xffffffffffffffff",
    "..",
    "u8",
    "u16",
    "u32be",
    "i64",
    "f32",
    "b3",
    "bit",
    "bytes",
    "text",
    "a",
    "b",
    "c",
    "name",
    "count=a",
    "count=fill",
    "count=\"2 * a\"",
    "size=a",
    "size=fill",
    "end=a",
    "is=owner",
    "is=\"a + b\"",
    "is=3",
    "usually=0",
    "union",
    "on=a",
    "tag=u8",
    "word=u16",
    "case",
    "form",
    "1",
    "\"2..5\"",
    "else",
    "\"0000aaaa\"",
    "when",
    "\"a == 1\"",
    "*",
    "*A",
    "*?A",
    "A*",
    "*A*",
    "A",
    "B",
    "A<a>",
    "pointer",
    "u64",
    "none=0",
    "layout",
    "self",
    "put",
    "record",
    "tail",
    "run",
    "pass",
    "align",
    "zero",
    "reserved",
    "magic",
    "const",
    "enum",
    "bits",
    "flags",
    "string",
    "length=u16",
    "varint",
    "digits",
    "fill=blanks-last",
    "order=msb-first",
    "bytes=5",
    "import",
    "nn",
    "library",
    "part",
    "include",
    "param",
    "epoch",
    "version",
    "from=File.a",
    "columns",
    "\"<9\"",
    "\">=9\"",
    "let",
    "derive",
    "check",
    "object",
    "at=a",
    "find=\"end(file)\"",
    "mark",
    "value",
    "seen=\"at(a)\"",
    "slice",
    "of=b",
    "base=a",
    "pool",
    "relocation",
    "section",
    "to=\"end(file)\"",
    "ref=b",
    "terminator=nul",
    "type",
    "align=4",
    "endian=little",
    "transparent",
    "encodes=pointer-masks",
    "min=1",
    "max=0",
    "absent=1",
    "/*",
    "*/",
    "//",
    "/-",
    "\"",
    "#true",
    "#\"",
    "\"\"\"",
    "é",
    "\u{feff}",
    "(u8)",
    "until=end",
];

#[test]
fn any_tokens_end_in_diagnostics() {
    in_small_thread(|| {
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        for round in 0..1500 {
            let mut text = String::new();
            if round % 2 == 0 {
                text.push_str("module t \"Test\" root=File endian=little\nstruct File {\n");
            }
            for _ in 0..random.below(60) {
                text.push_str(TOKENS[random.below(TOKENS.len())]);
                text.push(if random.below(8) == 0 { '\n' } else { ' ' });
            }
            if round % 4 == 0 {
                text.push_str("\n}\n");
            }
            survive(&text);
        }
    });
}

/// All schemas that are at hand.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for name in ["../schemas", "ui"] {
        for path in schemas(&directory(name)) {
            texts.push(fs::read_to_string(path).expect("the schema is readable"));
        }
    }
    texts
}

#[test]
fn truncated_schemas_end_in_diagnostics() {
    in_small_thread(|| {
        for text in texts() {
            let step = (text.len() / 40).max(7);
            for end in (0..text.len()).step_by(step).filter(|&end| text.is_char_boundary(end)) {
                survive(&text[..end]);
            }
        }
    });
}

#[test]
fn altered_schemas_end_in_diagnostics() {
    in_small_thread(|| {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for text in texts() {
            let lines: Vec<&str> = text.lines().collect();
            for _ in 0..12 {
                let mut altered: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
                let at = random.below(altered.len());
                match random.below(5) {
                    0 => drop(altered.remove(at)),
                    1 => altered.insert(at, lines[random.below(lines.len())].to_owned()),
                    2 => {
                        let words: Vec<&str> = lines[at].split(' ').collect();
                        let mut words: Vec<String> = words.iter().map(|&w| w.to_owned()).collect();
                        let word = random.below(words.len());
                        words[word] = TOKENS[random.below(TOKENS.len())].to_owned();
                        altered[at] = words.join(" ");
                    }
                    3 => altered[at] = lines[at].replace("0x0", "0x1"),
                    _ => altered[at] = lines[at].replacen(' ', "", 3),
                }
                survive(&altered.join("\n"));
            }
        }
    });
}

#[test]
fn deep_and_long_texts_end_in_diagnostics() {
    in_small_thread(|| {
        let row = |property: &str| {
            format!(
                "module t \"T\" root=File\nstruct File {{\n    u8 a\n    bytes b {property}\n}}\n"
            )
        };
        let many = 100_000;
        survive(&"a{".repeat(many));
        survive(&"struct A {".repeat(65));
        survive(&"/*".repeat(many));
        survive(&"/-".repeat(many));
        survive(&"/- a {".repeat(many));
        survive(&"\"".repeat(many));
        survive(&"(".repeat(many));
        survive(&"a=".repeat(many));
        survive(&"#".repeat(many));
        survive(&"\\".repeat(many));
        survive(&format!("struct \"A{}\"", "<A".repeat(many)));
        survive(&format!("struct \"A{}\"", "<A".repeat(60) + &">".repeat(60)));
        for operator in
            ["+ a ", "* a ", "== a ", "&& a ", "?? a ", "? a : a ", "++ a ", ".a", "[a]"]
        {
            survive(&row(&format!("size=\"a {}\"", operator.repeat(many))));
            survive(&row(&format!("size=\"a {}\"", operator.repeat(50))));
        }
        for prefix in ["(", "-", "!", "~", "count(", "a[", "a ? ", "length("] {
            survive(&row(&format!("size=\"{}a\"", prefix.repeat(many))));
            survive(&row(&format!("size=\"{}a\"", prefix.repeat(50))));
        }
        survive(&row(&format!("size={}", "9".repeat(many))));
        survive(&row(&format!("size=\"{}\"", "9".repeat(many))));
    });
}

#[test]
fn large_models_end_in_diagnostics() {
    in_small_thread(|| {
        let head = "module t \"T\" root=File endian=little\nstruct File { S0 a }\n";
        let chain = |count: usize, body: &dyn Fn(usize) -> String| {
            let structs = (0..count).map(|n| format!("struct S{n} {{ {} }}\n", body(n)));
            format!("{head}{}struct S{count} {{ u8 x }}\n", structs.collect::<String>())
        };
        // Struct in struct, thousands deep.
        survive(&chain(3000, &|n| format!("S{} a", n + 1)));
        // Sizes that double at each level.
        survive(&chain(200, &|n| format!("S{0} a; S{0} b", n + 1)));
        survive(&chain(200, &|n| format!("S{} a count=65536", n + 1)));
        // Types that grow without end.
        let text = "struct G<T> { T x; G<G<T>> y }\n";
        survive(&format!("{head}struct S0 {{ G<u8> g }}\n{text}"));
        // A struct of many rows, and a union of many cases.
        let rows: String = (0..5000).map(|n| format!("u8 a{n}\n")).collect();
        survive(&format!("{head}struct S0 {{\n{rows}}}\n"));
        let cases: String = (0..1500).map(|n| format!("case c{n} {n} {{ u8 x }}\n")).collect();
        survive(&format!("{head}struct S0 {{ u16 k; union u on=k {{\n{cases}}} }}\n"));
    });
}
