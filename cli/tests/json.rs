//! `decode` and `encode`, files and streams, good and broken.
#![forbid(unsafe_code)]

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

const BINARY: &str = env!("CARGO_BIN_EXE_formwork");

const SCHEMA: &str = r#"module shelf "Books" root=File endian=little version=3
struct File { magic SHLF; u16 book_count; Book books count=book_count }
struct Book { Kind kind; u16 pages; f32 height; reserved size=1 }
enum Kind u8 { novel 1; atlas 2 }
"#;

/// Two books; the second has something in its reserved byte, and a height that is no number.
const FILE: &[u8] = b"SHLF\x02\x00\x02\x2c\x01\0\0\x80\x3f\0\x09\0\0\x01\0\xc0\x7f\x05";

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("formwork-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        fs::write(path.join("shelf.kdl"), SCHEMA).expect("the file can be written");
        fs::write(path.join("a.shelf"), FILE).expect("the file can be written");
        Folder(path)
    }

    fn run(&self, arguments: &str) -> Output {
        Command::new(BINARY)
            .args(arguments.split_whitespace())
            .current_dir(&self.0)
            .output()
            .expect("the command can be started")
    }

    fn good(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments}");
        assert_eq!(output.status.code(), Some(0), "{arguments}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).expect("the file is there")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder can be read");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("readable"))).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_comes_back() {
    let folder = Folder::new("back");
    assert_eq!(folder.good("decode --schema shelf.kdl a.shelf -o a.shelf.json"), "");
    assert_eq!(folder.good("encode --schema shelf.kdl a.shelf.json -o b.shelf"), "");
    assert_eq!(folder.read("b.shelf"), FILE);
    // The name of the file is that of the JSON, and what is there is not replaced.
    let output = folder.run("encode --schema shelf.kdl a.shelf.json");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: a.shelf is there already; `-o a.shelf` replaces it\n"
    );
    fs::remove_file(folder.0.join("a.shelf")).expect("it is there");
    folder.good("encode --schema shelf.kdl a.shelf.json");
    assert_eq!(folder.read("a.shelf"), FILE);
    // Compact JSON says the same.
    folder.good("decode --schema shelf.kdl a.shelf --compact -o c.json");
    folder.good("encode --schema shelf.kdl c.json");
    assert_eq!(folder.read("c.bin"), FILE);
    assert_eq!(
        folder.names(),
        ["a.shelf", "a.shelf.json", "b.shelf", "c.bin", "c.json", "shelf.kdl"]
    );
}

#[test]
fn streams() {
    let folder = Folder::new("streams");
    let mut decode = Command::new(BINARY)
        .args(["decode", "--schema", "shelf.kdl", "-"])
        .current_dir(&folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command can be started");
    decode.stdin.take().expect("piped").write_all(FILE).expect("it reads");
    let encode = Command::new(BINARY)
        .args(["encode", "--schema", "shelf.kdl", "-"])
        .current_dir(&folder.0)
        .stdin(decode.stdout.take().expect("piped"))
        .output()
        .expect("the command can be started");
    assert_eq!(decode.wait().expect("it ends").code(), Some(0));
    assert_eq!(encode.stdout, FILE);
    assert_eq!(encode.status.code(), Some(0));
}

#[test]
fn broken_json_leaves_no_file() {
    let folder = Folder::new("broken");
    let good = folder.good("decode --schema shelf.kdl a.shelf");
    let cases = [
        ("300", "65536", "value.books[0].pages: expected an integer from 0 to 65535, found 65536"),
        ("\"atlas\"", "\"map\"", "value.books[0].kind: expected a member of `Kind` (novel, atlas)"),
        ("\"pages\": 300,", "", "value.books[0].pages: expected an integer, found nothing"),
        ("\"pages\"", "\"page\"", "value.books[0].page: `Book` has no such field"),
        ("\"shelf\"", "\"level\"", "format: expected the format `shelf`, found `level`"),
        (": 3", ": 2", "schema_version: expected version 3 of the schema, found 2"),
        ("}", "", "`}` is missing, at line"),
    ];
    for (old, new, expected) in cases {
        let broken = match old {
            // The last brace.
            "}" => good.trim_end().trim_end_matches('}').to_owned(),
            _ => good.replacen(old, new, 1),
        };
        assert_ne!(broken, good, "{old}");
        fs::write(folder.0.join("broken.json"), &broken).expect("the file can be written");
        let output = folder.run("encode --schema shelf.kdl broken.json -o broken.shelf");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.starts_with("error: cannot encode broken.json"), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert_eq!(folder.names(), ["a.shelf", "broken.json", "shelf.kdl"]);
    }
    // What is there stays as it is.
    fs::write(folder.0.join("broken.shelf"), b"old").expect("the file can be written");
    folder.run("encode --schema shelf.kdl broken.json -o broken.shelf");
    assert_eq!(folder.read("broken.shelf"), b"old");
}

#[test]
fn problems_of_writing_name_their_fields() {
    let folder = Folder::new("writing");
    let schema = SCHEMA.replace("u16 pages;", "u16 pages max=500;");
    fs::write(folder.0.join("shelf.kdl"), schema).expect("the file can be written");
    let json = folder.good("decode --schema shelf.kdl a.shelf").replace("300", "501");
    fs::write(folder.0.join("x.json"), json).expect("the file can be written");
    let output = folder.run("encode --schema shelf.kdl x.json");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("  value.books[0].pages: "), "{stderr}");
    assert_eq!(folder.names(), ["a.shelf", "shelf.kdl", "x.json"]);
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let entries = fs::read_dir(folder).expect("the fixtures are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "md"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Both engines give the same text, from which the file comes back. Each command reads all schemas,
/// which takes its time, so threads share the files.
#[test]
fn engines_agree() {
    let files = fixtures();
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = files.len().div_ceil(threads);
    thread::scope(|scope| {
        for (number, files) in files.chunks(share).enumerate() {
            scope.spawn(move || {
                let folder = Folder::new(&format!("engines-{number}"));
                files.iter().for_each(|path| engines_agree_on(path, &folder));
            });
        }
    });
}

fn engines_agree_on(path: &Path, folder: &Folder) {
    let file = path.to_string_lossy();
    let interpreted = folder.good(&format!("decode --engine interpreted {file}"));
    let compiled = folder.good(&format!("decode --engine compiled {file}"));
    assert!(interpreted == compiled, "{file}");
    folder.good(&format!("decode --engine compiled {file} -o x.json"));
    folder.good("encode x.json -o x.bin");
    assert_eq!(folder.read("x.bin"), fs::read(path).expect("it is there"), "{file}");
}
