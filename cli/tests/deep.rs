//! Values that are nested more deeply than the usual limits: no command overflows the stack.
#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const BINARY: &str = env!("CARGO_BIN_EXE_formwork");

/// Structs in lists, and cases in cases.
const SCHEMAS: [&str; 2] = [
    "module deep root=File endian=little\n\
     struct File { Node root }\n\
     struct Node { u8 n; Node value count=n }\n",
    "module deep root=File endian=little\n\
     struct File { Value root }\n\
     union Value tag=u8 { case leaf 0 { u8 x }; case some 1 { Value value } }\n",
];

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(schema: &str, levels: usize) -> Folder {
        let name = format!("formwork-deep-{}-{levels}-{}", std::process::id(), schema.len());
        let folder = Folder(std::env::temp_dir().join(name));
        let _ = fs::remove_dir_all(&folder.0);
        fs::create_dir_all(&folder.0).expect("a temporary folder can be made");
        let leaf: &[u8] = if schema.contains("union") { &[0, 7] } else { &[0] };
        let file = [vec![1; levels], leaf.to_vec()].concat();
        fs::write(folder.0.join("deep.kdl"), schema).expect("it can be written");
        fs::write(folder.0.join("deep.bin"), file).expect("it can be written");
        folder
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(BINARY);
        command.args(arguments).args(["--schema", "deep.kdl"]).current_dir(&self.0);
        command.output().expect("the command can be started")
    }

    fn succeeds(&self, arguments: &[&str]) {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_is_deeper_than_usual_is_refused_and_says_how_not_to() {
    for schema in SCHEMAS {
        let folder = Folder::new(schema, 600);
        let output = folder.run(&["dump", "deep.bin", "--path", "root"]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("\n  nested deeper than the limit of 256\n"), "{said}");
        assert!(said.contains("\n  --max-depth N allows more\n"), "{said}");
        let place = said.lines().find(|line| line.starts_with("  at ")).expect("it says where");
        assert!(place.contains(" steps …") && place.len() < 400, "{place}");
    }
}

#[test]
fn deep_values_are_read_and_written_within_a_larger_limit() {
    let depth = "--max-depth=100000";
    for schema in SCHEMAS {
        let folder = Folder::new(schema, 5000);
        folder.succeeds(&["roundtrip", depth, "deep.bin"]);
        folder.succeeds(&["coverage", depth, "deep.bin"]);
        folder.succeeds(&["dump", depth, "deep.bin", "--path", "root"]);
        folder.succeeds(&["decode", depth, "--compact", "deep.bin", "-o", "deep.json"]);
        folder.succeeds(&["diff", depth, "--json", "deep.bin", "deep.bin"]);
        // JSON nests less deeply.
        let folder = Folder::new(schema, 600);
        folder.succeeds(&["decode", depth, "--compact", "deep.bin", "-o", "deep.json"]);
        folder.succeeds(&["encode", depth, "deep.json", "-o", "again.bin"]);
        folder.succeeds(&["diff", depth, "deep.bin", "again.bin"]);
        let output = folder.run(&["encode", "deep.json", "-o", "never.bin"]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("\n  --max-depth N allows more"), "{said}");
    }
}
