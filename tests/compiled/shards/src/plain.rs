//! Generated code as it is by default, compared with the interpreter.

use std::fmt::Write as _;
use std::panic;

use formwork_tests::samples;
use formwork_tests_compiled::compare::{Report, compare, keep_panics};
use formwork_tests_compiled::known::Known;
use formwork_tests_compiled::schemas;
use formwork_tests_module::Module;
use rayon::prelude::*;

/// Compares modules with the interpreter.
///
/// # Panics
///
/// If there is a difference that the list of known ones does not have, or one that it has is gone.
pub fn check(modules: &[Module]) {
    keep_panics();
    let known = Known::load();
    let all_files = samples::samples().is_some() && samples::conformance().is_some();
    let schemas = schemas::all();
    let mut problems = String::new();
    let mut files = 0;
    let compared = modules.par_iter().map(|module| {
        let schema = schemas.iter().find(|schema| schema.name == module.name);
        compare(module, schema.expect("the module was made of a schema"))
    });
    let reports: Vec<Report> = compared.collect();
    for (module, report) in modules.iter().zip(reports) {
        files += report.inputs;
        let (expected, found) = (known.of(module.name), report.kinds());
        let unknown = found.iter().any(|kind| !expected.contains(kind));
        // Without the files from outside, a difference may not show.
        if unknown || all_files && found != expected {
            let _ = writeln!(problems, "{}: {}", module.name, report.line());
        }
    }
    // What is said from here on is to be seen.
    drop(panic::take_hook());
    println!("{} schemas, {files} files", modules.len());
    assert!(
        problems.is_empty(),
        "these are not as tests/compiled/known.txt says (BLESS=1 tests/compiled/each.sh \
         accepts):\n{problems}"
    );
}
