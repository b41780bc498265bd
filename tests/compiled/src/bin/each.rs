//! Compiles the generated code of each schema alone, then compares all of it that compiles with
//! the interpreter. `each.sh` beside the sources calls this with what it needs.
//!
//! Arguments: names or parts of names of schemas; `-v` shows all differences and whole messages of
//! the compiler; `--check` compiles the generated code only, without the standard library and
//! without making machine code;
//! `--list` prints what becomes of each schema without compiling it.
//!
//! Succeeds if everything is as `known.txt` says; with the environment variable `BLESS`, writes that
//! list anew if all schemas were tried.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{env, panic, thread};

use formwork_tests_compiled::driver::kinds;
use formwork_tests_compiled::generate::{Generated, generate, plain_items};
use formwork_tests_compiled::known::{Known, REFUSED, UNCOMPILED};
use formwork_tests_compiled::schemas::{Schema, chosen};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let only: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|a| !a.starts_with('-')).collect();
    let schemas = chosen(&only.join(","));
    let places = Places::new(flag("--check"));
    // What an emitter panics with stands in the table.
    panic::set_hook(Box::new(|_| {}));
    let results = in_parallel(&schemas, |schema| places.work(schema, flag("--list")));
    let _ = panic::take_hook();

    let (mut good, mut bad, mut found) = (Vec::new(), 0, Known::default());
    for (schema, result) in schemas.iter().zip(&results) {
        let name = &schema.name;
        match result {
            Compiled::Library => {}
            Compiled::Good(root) => good.push((name.as_str(), root.as_str())),
            Compiled::Bad(word, text) => {
                bad += 1;
                found.add(name, vec![(*word).to_owned()]);
                let mut lines = text.lines();
                println!("{name}: {}", lines.next().unwrap_or_default());
                if flag("-v") {
                    lines.for_each(|line| println!("    {line}"));
                }
            }
        }
    }
    println!("{} compile, {bad} do not", good.len());
    if flag("--check") || flag("--list") {
        return if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if !good.is_empty() {
        match places.link(&good).and_then(|program| compare(&program, flag("-v"))) {
            Ok(kinds) => kinds.into_iter().for_each(|(name, kinds)| found.add(&name, kinds)),
            Err(text) => {
                println!("not compared: {text}");
                return ExitCode::FAILURE;
            }
        }
    }
    if env::var_os("BLESS").is_some() && only.is_empty() {
        found.store(&Known::path());
    }
    let known = Known::load();
    let other = schemas.iter().filter(|schema| known.of(&schema.name) != found.of(&schema.name));
    let other: Vec<&str> = other.map(|schema| schema.name.as_str()).collect();
    if other.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("not as known.txt says: {}", other.join(" "));
    ExitCode::FAILURE
}

/// Runs the program that compares, passes on its table, and gives the kinds of differences that
/// each schema has.
fn compare(program: &Path, verbose: bool) -> Result<Vec<(String, Vec<String>)>, String> {
    let mut run = Command::new(program);
    run.args(verbose.then_some("-v")).stderr(Stdio::inherit());
    let output = run.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    Ok(kinds(&text))
}

/// What came of a schema.
enum Compiled {
    Library,
    /// Name of the type that stands for a file.
    Good(String),
    /// Why there is nothing to run: a word of `known.txt`, and a text whose first line says it in
    /// short.
    Bad(&'static str, String),
}

/// Where things are.
struct Places {
    /// Folder in which cargo leaves libraries, such as `target/debug`.
    built: PathBuf,
    /// Folder for generated code and what is compiled of it.
    out: PathBuf,
    /// Whether to stop before machine code.
    check: bool,
    /// Changes when a library that the code is compiled against does.
    libraries: u64,
}

impl Places {
    fn new(check: bool) -> Places {
        let program = env::current_exe().expect("this program has a place");
        let built = program.parent().expect("it lies in a folder").to_owned();
        let out = built.join("each_modules");
        fs::create_dir_all(&out).expect("the folder for output can be made");
        let mut hasher = DefaultHasher::new();
        for name in ["libformwork.rlib", "libformwork_tests_module.rlib"] {
            if !(check && name.contains("tests")) {
                fs::read(built.join(name)).expect("the libraries are built").hash(&mut hasher);
            }
        }
        Places { built, out, check, libraries: hasher.finish() }
    }

    fn work(&self, schema: &Schema, list: bool) -> Compiled {
        let (text, root) = match generate(schema) {
            Generated::Library => return Compiled::Library,
            Generated::Refused(problems) => {
                let text = format!("refused by the back end: {}", problems.join("; "));
                return Compiled::Bad(REFUSED, text);
            }
            Generated::Panicked(text) => {
                return Compiled::Bad(REFUSED, format!("not generated: {text}"));
            }
            Generated::Code { text, root } => (text, root),
        };
        let name = &schema.name;
        let path = self.out.join(format!("{name}.rs"));
        if fs::read_to_string(&path).unwrap_or_default() != text {
            fs::write(&path, &text).expect("generated code can be written");
        }
        if list {
            return Compiled::Good(root);
        }
        let (source, kind) = if self.check {
            // In the first line, so that the numbers of the others stay.
            (format!("#![no_std] #![forbid(unsafe_code)] {text}"), "check")
        } else {
            (plain_items(name, &path.to_string_lossy(), &root), "rlib")
        };
        let mut hasher = DefaultHasher::new();
        (&source, &text, self.libraries).hash(&mut hasher);
        let stamp = self.out.join(format!("{name}.{kind}"));
        let hash = format!("{:016x}", hasher.finish());
        if fs::read_to_string(&stamp).unwrap_or_default() == hash {
            return Compiled::Good(root);
        }
        let _ = fs::remove_file(&stamp);
        let main = self.out.join(format!("{kind}_{name}.rs"));
        fs::write(&main, source).expect("a source can be written");
        let mut rustc = self.rustc(&main);
        rustc.args(["--crate-type=rlib", "--crate-name", &format!("{kind}_{name}")]);
        if self.check {
            rustc.arg("--emit=metadata");
        }
        match rustc.output() {
            Ok(output) if output.status.success() => {
                fs::write(&stamp, hash).expect("a stamp can be written");
                Compiled::Good(root)
            }
            Ok(output) => {
                Compiled::Bad(UNCOMPILED, format!("does not compile: {}", shown(&output)))
            }
            Err(error) => Compiled::Bad(UNCOMPILED, format!("no compiler: {error}")),
        }
    }

    fn rustc(&self, source: &Path) -> Command {
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let library = |name: &str| format!("{name}={}/lib{name}.rlib", self.built.display());
        rustc.arg(source).arg("--out-dir").arg(&self.out);
        // Generated code is valid in both editions; each is tried in one of the two ways.
        rustc.arg(if self.check { "--edition=2024" } else { "--edition=2021" });
        rustc.args(["--cap-lints=allow", "-Cdebuginfo=0"]);
        rustc.arg("-L").arg(format!("dependency={}/deps", self.built.display()));
        rustc.arg("-L").arg(&self.out);
        rustc.arg("--extern").arg(library("formwork"));
        if !self.check {
            rustc.arg("--extern").arg(library("formwork_tests_module"));
        }
        rustc
    }

    /// One program of all that compiles.
    fn link(&self, good: &[(&str, &str)]) -> Result<PathBuf, String> {
        let modules: Vec<_> =
            good.iter().map(|(name, _)| format!("rlib_{name}::{}", name.to_uppercase())).collect();
        let text = format!(
            "fn main() -> std::process::ExitCode {{\n    \
             formwork_tests_compiled::driver::main(&[{}])\n}}\n",
            modules.join(", ")
        );
        let main = self.out.join("compare_all.rs");
        fs::write(&main, text).map_err(|error| error.to_string())?;
        let mut rustc = self.rustc(&main);
        rustc.args(["--crate-type=bin", "--crate-name", "compare_all"]);
        let library = self.built.join("libformwork_tests_compiled.rlib");
        rustc.arg("--extern").arg(format!("formwork_tests_compiled={}", library.display()));
        for (name, _) in good {
            let file = self.out.join(format!("librlib_{name}.rlib"));
            rustc.arg("--extern").arg(format!("rlib_{name}={}", file.display()));
        }
        let output = rustc.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(self.out.join("compare_all"))
    }
}

/// How many errors there are and the first; then all the compiler says.
fn shown(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("error") && !line.starts_with("error: aborting"))
        .collect();
    let first = errors.first().copied().unwrap_or("no error is shown");
    let place = text.lines().find(|line| line.trim_start().starts_with("--> "));
    let file = |line: &str| line.rsplit('/').next().unwrap_or_default().to_owned();
    let place = place.map(file).unwrap_or_default();
    format!("{} errors, the first at {place}: {first}\n{text}", errors.len())
}

/// Works on all items on all cores; results in the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(position) else { return };
                    let result = work(item);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.push((position, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(position, _)| *position);
    results.into_iter().map(|(_, result)| result).collect()
}
