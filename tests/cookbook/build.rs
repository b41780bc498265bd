//! Generates code of each schema that documentation shows, with every combination of options; and makes
//! a test of each recipe of the cookbook.

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
    let mut modules = String::new();
    for (name, text) in &schemas {
        for options in 0..8_u8 {
            let [serde, arbitrary, arena] = [1, 2, 4].map(|bit| options & bit != 0);
            let module = format!("{name}_{options}");
            let folder = out.join(&module);
            let build = Build::new().schema_text(*name, text.clone()).out_dir(&folder);
            build.serde(serde).arbitrary(arbitrary).arena(arena).run();
            let file = folder.join(format!("{name}.rs"));
            writeln!(modules, "/// {name}: serde {serde}, arbitrary {arbitrary}, arena {arena}.")
                .and_then(|()| {
                    writeln!(
                        modules,
                        "pub mod {module} {{\n    include!(\"{}\");\n}}",
                        file.display()
                    )
                })
                .expect("a text takes everything");
        }
    }
    fs::write(out.join("modules.rs"), modules).expect("the folder is there");
    fs::write(out.join("recipes.rs"), recipes(&root.join("docs/rust.md"))).expect("as before");
}

/// A test for each piece of Rust, named by the heading before it and its number there.
fn recipes(page: &Path) -> String {
    let mut tests = String::new();
    let mut number = 0;
    let mut last = String::new();
    for block in blocks(page, "rust") {
        number = if block.heading == last { number + 1 } else { 1 };
        last.clone_from(&block.heading);
        let name: String = block
            .heading
            .chars()
            .map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { '_' })
            .collect();
        writeln!(
            tests,
            "#[test]\nfn {name}_{number}() -> Result<(), Box<dyn std::error::Error>> {{\n{}\nOk(())\n}}\n",
            block.text
        )
        .expect("a text takes everything");
    }
    tests
}

struct Block {
    heading: String,
    text: String,
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
                    found.push(Block { heading: heading.clone(), text: std::mem::take(text) });
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
