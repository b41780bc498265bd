//! The language carries formats whose schemas are not shipped yet: drafts of them read and write
//! real files. What is not identical yet may only become better.

use std::fs;
use std::path::PathBuf;

use formwork_interpreter::program;
use formwork_tests::laws::{self, Outcome};
use formwork_tests::samples;

/// Largest file that is tried, in bytes, so that the test stays short in a build without optimising.
const LARGEST: u64 = 400_000;

/// Rewrites the samples of a format by its draft; returns how many came out identical, of how many.
/// A file that cannot be read, or whose value cannot be written, fails the test.
fn rewrite(schema: &str, folder: &str, extensions: &[&str]) -> Option<(usize, usize)> {
    let folder = samples::samples()?.join(folder);
    let path = samples::workspace().join("tests/reach").join(schema);
    let text = fs::read_to_string(&path).expect("the draft can be read");
    let loaded =
        formwork_codegen::load(schema, &text, path.parent(), &formwork_tests::programs::Shipped);
    let program = program(loaded.model.expect("the draft has no error"));
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.retain(|path| {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        extensions.contains(&extension)
            && path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST)
    });
    files.sort();
    let mut identical = 0;
    let mut problems = Vec::new();
    for path in &files {
        let bytes = fs::read(path).expect("the sample can be read");
        match laws::get_put(&program, &bytes) {
            Outcome::Identical => identical += 1,
            Outcome::Equivalent(_) => {}
            Outcome::Failed(broken) => problems.push(format!("{}: {broken}", path.display())),
        }
    }
    println!("{schema}: {identical} of {} files are identical", files.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    Some((identical, files.len()))
}

fn collect(folder: &std::path::Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder of samples can be read") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

#[test]
fn models_and_animations() {
    if let Some((identical, files)) = rewrite("bfres.kdl", "bfres", &["bfres"]) {
        assert!(identical >= 8 && files >= 20, "{identical} of {files}");
    }
}
