//! Generates code for every schema of the tests, and divides it among the test programs.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use formwork_codegen::fuzz::codec_types;
use formwork_codegen::rust::{Options, arena_type, emit_types, root_type};
use formwork_tests_compiled::generate::{Generated, generate, generate_with, items, plain_items};
use formwork_tests_compiled::known::{CRASHED, Known, REFUSED, UNCOMPILED};
use formwork_tests_compiled::schemas::{self, Group};

/// Number of test programs.
const SHARDS: usize = 6;

/// Number of test programs for code with all options.
const RICH_SHARDS: usize = 2;

/// Number of test programs for views.
const LOOKED_SHARDS: usize = 2;

fn main() {
    println!("cargo::rerun-if-env-changed=FORMWORK_ONLY");
    let only = env::var("FORMWORK_ONLY").unwrap_or_default();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    let known = Known::load();
    println!("cargo::rerun-if-changed={}", Known::path().display());
    let mut modules = Vec::new();
    let mut wrong = Vec::new();
    for schema in schemas::chosen(&only) {
        println!("cargo::rerun-if-changed={}", schema.path.display());
        let expected = known.of(&schema.name);
        let refused = expected.iter().any(|kind| kind == REFUSED);
        match generate(&schema) {
            Generated::Library => {}
            Generated::Refused(_) | Generated::Panicked(_) if refused => {}
            Generated::Refused(problems) => {
                wrong.push(format!("{} is refused: {}", schema.name, problems.join("; ")));
            }
            Generated::Panicked(text) => {
                wrong.push(format!("{} is not generated: {text}", schema.name));
            }
            Generated::Code { .. } if refused => {
                wrong.push(format!("{} is no longer refused", schema.name));
            }
            Generated::Code { .. } if expected.iter().any(|k| k == UNCOMPILED || k == CRASHED) => {}
            Generated::Code { text, root } => modules.push((schema.name, text, root)),
        }
    }
    for line in &wrong {
        println!("cargo::error={}", line.replace('\n', " "));
    }
    if !wrong.is_empty() {
        println!("cargo::error=known.txt says otherwise; BLESS=1 tests/compiled/each.sh accepts");
        std::process::exit(1);
    }
    divide(&out, "shard", SHARDS, "check", modules, |name, path, root| {
        plain_items(name, path, root)
    });

    let options = Options { serde: true, arbitrary: true, arena: true, ..Options::default() };
    let golden = schemas::chosen(&only).into_iter().filter(|s| s.group == Group::Golden);
    let compiled = golden.filter(|schema| {
        let compiles = |kind: &String| kind != UNCOMPILED && kind != CRASHED;
        known.of(&schema.name).iter().all(compiles)
    });
    let rich = compiled.filter_map(|schema| match generate_with(&schema, &options) {
        Generated::Code { text, root } => {
            let model = schema.model()?;
            let codec = codec_types(&model, &schema.name);
            let arena = arena_type(&model);
            let arena = format!("{}::arena::{arena}", schema.name);
            let root = format!("{root}, {}, {arena}, {codec}", has_straight_arena(&text));
            Some((schema.name, text, root))
        }
        _ => None,
    });
    divide(&out, "rich", RICH_SHARDS, "check_rich", rich.collect(), |name, path, root| {
        let (ty, with) = ("::formwork_tests_shards::Rich", "::formwork_tests_shards::rich");
        items(ty, with, name, path, root)
    });

    let looked = schemas::chosen(&only).into_iter().filter_map(|schema| {
        let expected = known.of(&schema.name);
        let model = schema.model().filter(|_| !expected.iter().any(|kind| kind == REFUSED))?;
        let options = Options { views: true, shown_views: true, ..Options::default() };
        let text = emit_types(&model, &options);
        let (root, _) = root_type(&model);
        text.contains("\npub mod view {").then_some((schema.name, text, root))
    });
    for name in ["golden_many_lengths", "golden_trees_inline"] {
        let schema = schemas::all().into_iter().find(|schema| schema.name == name);
        let model = schema.and_then(|schema| schema.model()).expect("there is such a schema");
        let text = emit_types(&model, &Options { views: true, ..Options::default() });
        fs::write(out.join(format!("views_{name}.rs")), text).expect("it can be written");
    }
    divide(&out, "looked", LOOKED_SHARDS, "check_looked", looked.collect(), |name, path, root| {
        let (ty, with) = ("::formwork_tests_shards::Looked", "::formwork_tests_shards::looked");
        items(ty, with, name, path, root)
    });
}

/// Whether files are read into arenas without an ordinary value between.
fn has_straight_arena(text: &str) -> bool {
    let arena = text.split_once("\npub mod arena {").map(|(_, arena)| arena);
    arena.is_some_and(|arena| arena.contains(" mod straight {"))
}

/// Writes modules and the programs that test them: the largest first, each to the program that has
/// least.
fn divide(
    out: &Path,
    kind: &str,
    count: usize,
    check: &str,
    mut modules: Vec<(String, String, String)>,
    items: impl Fn(&str, &str, &str) -> String,
) {
    modules.sort_by_key(|(_, text, _)| std::cmp::Reverse(text.len()));
    let mut shards = vec![(0, String::new(), Vec::new()); count];
    for (name, text, root) in modules {
        let path = out.join(format!("{kind}_{name}.rs"));
        fs::write(&path, &text).expect("the output folder can be written");
        let shard = shards.iter_mut().min_by_key(|(size, ..)| *size).expect("there are shards");
        shard.0 += text.len();
        shard.1 += &items(&name, &path.to_string_lossy(), &root);
        shard.2.push(name.to_uppercase());
    }
    for (number, (_, mut text, names)) in shards.into_iter().enumerate() {
        let _ = write!(
            text,
            "\n#[test]\nfn both_engines_agree() {{\n    formwork_tests_shards::{check}(&[{}]);\n}}\n",
            names.join(", ")
        );
        fs::write(out.join(format!("{kind}_{number}.rs")), text).expect("it can be written");
    }
}
