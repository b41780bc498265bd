//! Runs the cases in `tests/cli/`: a command, the files it finds, and what it prints.
//!
//! A case is a text file. Its first line is the command after `# `; then come sections that begin
//! with `-- NAME --`. The sections `stdout`, `stderr` and `status` are what is expected; all others
//! are files in the folder where the command runs, those named `NAME (hex)` in hexadecimal. The
//! files of `tests/cli/shared/` are there, too. `BLESS=1` writes what is expected anew.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_formwork");

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli")
}

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = env::temp_dir().join(format!("formwork-cli-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        Folder(path)
    }

    /// Writes a file; `.hex` and `(hex)` say that the text stands for bytes.
    fn add(&self, name: &str, text: &str) {
        let stem = name.strip_suffix(" (hex)").or_else(|| name.strip_suffix(".hex"));
        let path = self.0.join(stem.unwrap_or(name));
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("folders are made");
        let content = if stem.is_some() { unhex(text) } else { text.as_bytes().to_vec() };
        fs::write(path, content).expect("the file can be written");
    }

    fn add_shared(&self) {
        for entry in fs::read_dir(cases().join("shared")).expect("the shared files are there") {
            let path = entry.expect("the folder can be read").path();
            let name = path.file_name().expect("files have names").to_string_lossy().into_owned();
            self.add(&name, &fs::read_to_string(&path).expect("shared files are texts"));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Bytes in hexadecimal; `#` begins a comment.
fn unhex(text: &str) -> Vec<u8> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let digits: String = lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

struct Case {
    command: String,
    sections: Vec<(String, String)>,
}

impl Case {
    fn parse(text: &str) -> Case {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let command = first.strip_prefix("# formwork").expect("the first line is the command");
        let mut sections: Vec<(String, String)> = Vec::new();
        for line in lines {
            let name = line.strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --"));
            match (name, sections.last_mut()) {
                (Some(name), _) => sections.push((name.to_owned(), String::new())),
                (None, Some((_, content))) => {
                    content.push_str(line);
                    content.push('\n');
                }
                (None, None) => assert!(line.trim().is_empty(), "text before the first section"),
            }
        }
        Case { command: command.trim().to_owned(), sections }
    }

    fn files(&self) -> impl Iterator<Item = &(String, String)> {
        let expected = ["stdout", "stderr", "status"];
        self.sections.iter().filter(move |(name, _)| !expected.contains(&name.as_str()))
    }

    /// The whole case, with what the command really did.
    fn blessed(&self, output: &Output) -> String {
        let mut text = format!("# formwork {}", self.command).trim_end().to_owned() + "\n";
        for (name, content) in self.files() {
            text.push_str(&format!("-- {name} --\n{content}"));
        }
        let streams = [("stdout", &output.stdout), ("stderr", &output.stderr)];
        for (name, bytes) in streams.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let content = String::from_utf8_lossy(bytes);
            let end = if content.ends_with('\n') { "" } else { "\n" };
            text.push_str(&format!("-- {name} --\n{content}{end}"));
        }
        let status = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
        text.push_str(&format!("-- status --\n{status}\n"));
        text
    }
}

/// Splits a command at spaces that are not in single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (position, part) in command.split('\'').enumerate() {
        if position % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn run(folder: &Folder, arguments: &[String]) -> Output {
    Command::new(BINARY)
        .args(arguments)
        .current_dir(&folder.0)
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .output()
        .expect("the command can be started")
}

#[test]
fn cases_print_what_they_should() {
    let bless = env::var_os("BLESS").is_some();
    let mut paths: Vec<_> = fs::read_dir(cases())
        .expect("the cases are there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut failed = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("cases are texts");
        let name = path.file_stem().expect("files have names").to_string_lossy().into_owned();
        let case = Case::parse(&text);
        let folder = Folder::new(&name);
        folder.add_shared();
        for (name, content) in case.files() {
            folder.add(name, content);
        }
        let blessed = case.blessed(&run(&folder, &words(&case.command)));
        if blessed == text {
            continue;
        }
        if bless {
            fs::write(&path, blessed).expect("the case can be written");
        } else {
            println!("---- {name}: expected\n{text}\n---- {name}: found\n{blessed}");
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "these print something else (BLESS=1 accepts): {failed:?}");
}

#[test]
fn closed_pipe_is_no_error() {
    let folder = Folder::new("closed_pipe");
    folder.add_shared();
    // More than a pipe holds.
    let rooms = 0x4000_u32;
    let mut bytes = b"LVL1\x01\0\0\x40\x10\0\0\0\0\0\0\0".to_vec();
    for _ in 0..rooms {
        bytes.extend_from_slice(b"\x01\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0");
    }
    fs::write(folder.0.join("large.lvl"), bytes).expect("the file can be written");
    let mut child = Command::new(BINARY)
        .args(["dump", "--all", "--schema", "level.kdl", "large.lvl"])
        .current_dir(&folder.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be started");
    let mut some = [0; 16];
    let mut stdout = child.stdout.take().expect("it is piped");
    stdout.read_exact(&mut some).expect("something is printed");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

/// Compiled code and the interpreter say the same about good and broken files.
#[test]
fn engines_print_the_same() {
    let folder = Folder::new("both_engines");
    let fixtures = cases().join("../../fixtures");
    for entry in fs::read_dir(fixtures).expect("the fixtures are there") {
        let path = entry.expect("the folder can be read").path();
        let bytes = fs::read(&path).expect("a fixture can be read");
        let name = path.file_name().expect("files have names").to_string_lossy().into_owned();
        let half = &bytes[..bytes.len() / 2];
        let longer = [&bytes[..], b"more"].concat();
        let mut changed = bytes.clone();
        changed[0x20] ^= 1;
        let variants = [("", &bytes[..]), ("half_", half), ("long_", &longer), ("odd_", &changed)];
        for (prefix, bytes) in variants {
            fs::write(folder.0.join(format!("{prefix}{name}")), bytes).expect("it can be written");
        }
    }
    for options in ["--verbose", "--json"] {
        let print = |engine: &str| {
            let output = run(&folder, &words(&format!("roundtrip {options} --engine {engine} .")));
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let (compiled, interpreted) = (print("compiled"), print("interpreted"));
        assert_eq!(compiled, interpreted);
        assert!(compiled.contains("identical") && compiled.contains("failed"));
    }
}

#[test]
fn generate_writes_what_it_prints() {
    let folder = Folder::new("generate_writes");
    folder.add_shared();
    let generate = |arguments: &str| run(&folder, &words(&format!("generate {arguments}")));
    let printed = generate("level.kdl").stdout;
    assert!(printed.starts_with(b"// Generated by Formwork from schema level."));
    let path = folder.0.join("made/level.rs");
    for output in ["made/level.rs", "made/", "made"] {
        assert_eq!(generate(&format!("level.kdl -o {output}")).status.code(), Some(0));
        assert_eq!(fs::read(&path).expect("it is written"), printed);
    }
    // What is up to date is not touched.
    let written = fs::metadata(&path).and_then(|m| m.modified()).expect("there is a time");
    assert_eq!(generate("evfl level.kdl -o made").status.code(), Some(0));
    assert_eq!(fs::metadata(&path).and_then(|m| m.modified()).expect("it is there"), written);
    let mut names: Vec<_> = fs::read_dir(folder.0.join("made"))
        .expect("it is made")
        .map(|entry| entry.expect("it can be read").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["evfl.rs", "level.rs"]);
    let with_serde = generate("--serde level.kdl").stdout;
    assert!(with_serde != printed && String::from_utf8_lossy(&with_serde).contains("serde"));
}

#[test]
fn docs_writes_what_it_prints() {
    let folder = Folder::new("docs_writes");
    folder.add_shared();
    let docs = |arguments: &str| run(&folder, &words(&format!("docs {arguments}")));
    let printed = docs("level.kdl").stdout;
    assert!(printed.starts_with(b"# Levels of a made-up game\n"));
    let path = folder.0.join("made/level.md");
    assert_eq!(docs("level.kdl -o made").status.code(), Some(0));
    assert_eq!(fs::read(&path).expect("it is written"), printed);
    // What is up to date is not touched.
    let written = fs::metadata(&path).and_then(|m| m.modified()).expect("there is a time");
    assert_eq!(docs("evfl level.kdl -o made/").status.code(), Some(0));
    assert_eq!(fs::metadata(&path).and_then(|m| m.modified()).expect("it is there"), written);
    assert!(folder.0.join("made/evfl.md").is_file());
}

/// Every option that `--help` knows is in the table of `docs/cli.md`.
#[test]
fn documentation_has_every_option() {
    let page = fs::read_to_string(cases().join("../../docs/cli.md")).expect("docs/cli.md is there");
    let folder = Folder::new("every_help");
    let commands = [
        "formats",
        "check",
        "explain",
        "roundtrip",
        "dump",
        "decode",
        "encode",
        "edit",
        "diff",
        "merge",
        "coverage",
        "generate",
        "docs",
    ];
    for command in commands {
        assert!(page.contains(&format!("formwork {command}")), "{command}");
        let output = run(&folder, &["help".to_owned(), command.to_owned()]);
        let help = String::from_utf8_lossy(&output.stdout).into_owned();
        let options: BTreeSet<_> = help
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix('-'))
            .flat_map(|line| line.split(|c: char| c.is_whitespace() || c == ','))
            .filter(|word| word.starts_with("--") || word.starts_with('-'))
            .map(|word| word.trim_start_matches('-').to_owned())
            .collect();
        assert!(options.contains("help"), "{help}");
        for option in options {
            assert!(page.contains(&format!("--{option}")), "{command} --{option} is missing");
        }
    }
}
