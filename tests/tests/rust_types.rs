//! The public types of every schema are Rust: they compile in both editions, without and with the
//! optional implementations.
//!
//! `TYPES=name` takes only schemas whose name contains it.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use formwork_codegen::rust::{Options, check, emit_types};
use formwork_tests::programs;
use formwork_tests::samples::workspace;

#[test]
fn types_compile() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rust_types");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let runtime = runtime(&folder);
    let modules = generate(&folder, &Options::default());
    assert!(!modules.is_empty(), "there are no schemas");
    let mut failed = String::new();
    let with = Some(("formwork", runtime.as_path()));
    for edition in ["2021", "2024"] {
        let mut text = String::from("#![deny(warnings)]\n#![allow(dead_code)]\n");
        for (name, path) in &modules {
            let _ = writeln!(text, "pub mod {name} {{ include!({path:?}); }}");
        }
        let lib = folder.join(format!("all_{edition}.rs"));
        fs::write(&lib, text).expect("the file can be written");
        if let Err(error) = rustc(&lib, &["--edition", edition], with, &folder) {
            let _ = writeln!(failed, "edition {edition}:\n{error}");
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// The generated text of a small schema, so that changes of it can be seen.
#[test]
fn text() {
    let path = workspace().join("tests/generated/types.kdl");
    let program = programs::from_file(&path).unwrap_or_else(|error| panic!("{error}"));
    let optional = Options { serde: true, arbitrary: true, arena: false, ..Options::default() };
    for (name, options) in [("types.rs", Options::default()), ("types_optional.rs", optional)] {
        let given = emit_types(program.model(), &options);
        let expected = path.with_file_name(name);
        if env::var_os("BLESS").is_some() {
            fs::write(&expected, &given).expect("the file can be written");
        }
        let expected = fs::read_to_string(&expected).unwrap_or_default();
        assert!(given == expected, "{name} differs, see it with BLESS=1 and git diff");
    }
}

/// Names of modules, and files of what is generated for every schema that has a model.
fn generate(folder: &Path, options: &Options) -> Vec<(String, PathBuf)> {
    let only = env::var("TYPES").unwrap_or_default();
    let mut modules = Vec::new();
    for group in ["tests/golden", "tests/conformance", "tests/reach", "schemas", "tests/generated"]
    {
        let entries = fs::read_dir(workspace().join(group)).expect("there is such a folder");
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "kdl")) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{}_{stem}", group.rsplit('/').next().unwrap_or(group));
            // Libraries and schemas that are meant to be wrong have no model.
            let Ok(program) = programs::from_file(path) else { continue };
            if !name.contains(&only) || !check(program.model()).is_empty() {
                continue;
            }
            let file = folder.join(format!("{name}.rs"));
            fs::write(&file, emit_types(program.model(), options))
                .expect("the file can be written");
            modules.push((name, file));
        }
    }
    modules
}

/// The runtime as a library, and the model that it is made with.
fn runtime(folder: &Path) -> PathBuf {
    let model = crate_of("model", "formwork_model", None, folder);
    crate_of("runtime", "formwork", Some(("formwork_model", &model)), folder)
}

fn crate_of(part: &str, name: &str, with: Option<(&str, &Path)>, folder: &Path) -> PathBuf {
    let source = workspace().join(part).join("src/lib.rs");
    let crate_name = format!("--crate-name={name}");
    rustc(&source, &["--edition=2021", &crate_name, "--cap-lints=allow"], with, folder)
        .unwrap_or_else(|error| panic!("{part}: {error}"));
    folder.join(format!("lib{name}.rmeta"))
}

fn rustc(
    source: &Path,
    arguments: &[&str],
    with: Option<(&str, &Path)>,
    folder: &Path,
) -> Result<(), String> {
    let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--crate-type=lib", "--emit=metadata"]).args(arguments);
    command.arg("-L").arg(folder).arg("--out-dir").arg(folder).arg(source);
    if let Some((name, path)) = with {
        command.arg("--extern").arg(format!("{name}={}", path.display()));
    }
    let output = command.output().map_err(|error| format!("rustc cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(text.lines().take(200).collect::<Vec<_>>().join("\n"))
}
