//! Generates code of each schema that documentation shows, with every combination of options; and makes
//! a test of each recipe of the cookbook, and of the page on schemas at run time.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use formwork_codegen::Build;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    let schemas = [
        ("level", blocks(&root.join("README.md"), "kdl").remove(0).text),
        ("wav", blocks(&root.join("docs/tutorial.md"), "kdl").pop().expect("a schema").text),
        ("mixtape", read(&root.join("examples/own-format/schema/mixtape.kdl"))),
        ("letters", read(&root.join("tests/cookbook/schemas/letters.kdl"))),
    ];
    for (name, text) in &schemas {
        let schema = || Build::new().schema_text(*name, text.clone());
        schema().serde(true).arbitrary(true).arena(true).run();
        for options in 0..8_u8 {
            let [serde, arbitrary, arena] = [1, 2, 4].map(|bit| options & bit != 0);
            let folder = out.join("options");
            fs::create_dir_all(&folder).expect("the folder can be made");
            let built = schema().serde(serde).arbitrary(arbitrary).arena(arena).out_dir(&folder);
            built.run();
            let file = out.join(format!("{name}_{options}.rs"));
            fs::rename(folder.join(format!("{name}.rs")), file).expect("it was just made");
        }
    }
    for (page, tests) in [("docs/rust.md", "recipes.rs"), ("docs/library.md", "library.rs")] {
        fs::write(out.join(tests), recipes(&root.join(page))).expect("as before");
    }
}

/// A test for each piece of Rust, named by the heading before it and its number there; those marked
/// `item` are for the others.
fn recipes(page: &Path) -> String {
    let mut tests = String::new();
    let mut number = 0;
    let mut last = String::new();
    for block in blocks(page, "rust") {
        if block.item {
            tests.push_str(&block.text);
            continue;
        }
        number = if block.heading == last { number + 1 } else { 1 };
        last.clone_from(&block.heading);
        let words = block.heading.split(|letter: char| !letter.is_alphanumeric());
        let words: Vec<_> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        let name = words.join("_");
        writeln!(
            tests,
            "#[test]\nfn {name}_{number}() -> Result<(), Box<dyn std::error::Error>> {{\nprepare();\n{}\nOk(())\n}}\n",
            block.text
        )
        .expect("a text takes everything");
    }
    tests
}

struct Block {
    heading: String,
    text: String,
    item: bool,
}

/// The pieces of code of a language in a page; not those marked `ignore`.
fn blocks(page: &Path, language: &str) -> Vec<Block> {
    let text = read(page);
    let (mut found, mut heading, mut open) = (Vec::new(), String::new(), None);
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.to_owned(), String::new())),
            (Some((info, text)), Some(_)) => {
                if info.split(' ').next() == Some(language) && !info.contains("ignore") {
                    let (text, item) = (std::mem::take(text), info.contains("item"));
                    found.push(Block { heading: heading.clone(), text, item });
                }
                open = None;
            }
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {
                if let Some(title) = line.strip_prefix('#') {
                    title.trim_start_matches('#').trim().clone_into(&mut heading);
                }
            }
        }
    }
    found
}

fn read(path: &Path) -> String {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
