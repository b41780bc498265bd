//! What `docs/git.md` says, in a repository: text of files, differences, merges.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BINARY: &str = env!("CARGO_BIN_EXE_formwork");

/// A repository that is removed in the end. Nothing of the user's settings takes part.
struct Repository(PathBuf);

impl Repository {
    /// `None` if there is no git.
    fn new(name: &str) -> Option<Repository> {
        if Command::new("git").arg("--version").output().is_err() {
            let required = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!required, "there is no git");
            println!("SKIPPED: there is no git");
            return None;
        }
        let name = format!("formwork-git-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        let repository = Repository(path);
        repository.git("init --quiet --initial-branch=main");
        repository.git("config user.name Somebody");
        repository.git("config user.email somebody@example.com");
        Some(repository)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        // Git finds the command as users have it: by its name.
        let mut path = OsString::from(Path::new(BINARY).parent().expect("it is in a folder"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        Command::new(program)
            .args(arguments)
            .current_dir(&self.0)
            .env("PATH", path)
            .env("HOME", &self.0)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_CONFIG_GLOBAL")
            .env_remove("GIT_DIR")
            .output()
            .expect("the program can be started")
    }

    fn try_git(&self, arguments: &str) -> Output {
        self.run("git", &words(arguments).iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn git(&self, arguments: &str) -> String {
        let output = self.try_git(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn formwork(&self, arguments: &str) -> Output {
        self.run(BINARY, &words(arguments).iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.0.join(name), content).expect("the file can be written");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).expect("the file can be read")
    }

    fn commit(&self, message: &str) {
        self.git("add -A");
        self.git(&format!("commit --quiet -m '{message}'"));
    }

    /// Replaces a text in the JSON of a file.
    fn edit(&self, name: &str, from: &str, to: &str) {
        let decoded = self.formwork(&format!("decode {name}"));
        let text = String::from_utf8(decoded.stdout).expect("JSON is text");
        assert_eq!(text.matches(from).count(), 1, "{from}");
        self.write("edited.json", text.replace(from, to).as_bytes());
        let encoded = self.formwork(&format!("encode edited.json -o {name}"));
        assert!(encoded.status.success(), "{}", String::from_utf8_lossy(&encoded.stderr));
        fs::remove_file(self.0.join("edited.json")).expect("it is there");
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Splits a line at spaces that are not in quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (position, part) in line.split('\'').enumerate() {
        if position % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(name);
    fs::read(path).expect("the fixture can be read")
}

/// The commands that the page shows, one per line.
fn page() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/git.md");
    let text = fs::read_to_string(path).expect("the page can be read");
    let lines = text.lines().filter_map(|line| line.strip_prefix("    git config "));
    lines.map(|line| format!("config {line}")).collect()
}

/// A repository with a file, set up as the page says.
fn repository(name: &str, setting: &str, attributes: &str) -> Option<Repository> {
    let repository = Repository::new(name)?;
    let lines: Vec<String> = page().into_iter().filter(|line| line.contains(setting)).collect();
    assert!(!lines.is_empty(), "docs/git.md has no {setting}");
    lines.iter().for_each(|line| drop(repository.git(line)));
    repository.write(".gitattributes", format!("{attributes}\n").as_bytes());
    repository.write("garden.bfevfl", &fixture("flowchart.bfevfl"));
    repository.commit("A garden");
    Some(repository)
}

#[test]
fn git_shows_the_text_of_files() {
    let Some(repository) = repository("textconv", "textconv", "*.bfevfl diff=evfl") else { return };
    repository.edit("garden.bfevfl", "\"Event3\"", "\"Rest\"");
    let shown = repository.git("diff");
    assert!(shown.contains("-            \"name\": \"Event3\","), "{shown}");
    assert!(shown.contains("+            \"name\": \"Rest\","), "{shown}");
    assert_eq!(shown.lines().filter(|line| line.starts_with(['+', '-'])).count(), 4, "{shown}");
    // A file that is cut is shown as far as it goes.
    let bytes = repository.read("garden.bfevfl");
    repository.write("garden.bfevfl", &bytes[..bytes.len() / 2]);
    let shown = repository.git("diff");
    assert!(shown.contains("+  \"incomplete\": {"), "{shown}");
    assert!(shown.contains("\"message\":"), "{shown}");
}

#[test]
fn git_shows_differences() {
    let Some(repository) = repository("command", "evfl.command", "*.bfevfl diff=evfl") else {
        return;
    };
    repository.edit("garden.bfevfl", "\"Event3\"", "\"Rest\"");
    repository.write("new.bfevfl", &fixture("empty.bfevfl"));
    repository.git("add -A");
    let shown = repository.git("diff --cached");
    assert!(shown.contains("--- a/garden.bfevfl\n+++ b/garden.bfevfl\n"), "{shown}");
    let change = "~ flowcharts[0].events[3].name: \"Event3\" -> \"Rest\"";
    assert!(shown.contains(change), "{shown}");
    assert!(shown.contains("added: new.bfevfl"), "{shown}");
    // Files that cannot be read do not keep git from showing the others.
    repository.write("garden.bfevfl", b"nothing");
    repository.write("new.bfevfl", &fixture("flowchart.bfevfl"));
    let shown = repository.git("diff");
    assert!(shown.contains("+++ b/new.bfevfl"), "{shown}");
}

#[test]
fn git_merges_files() {
    let Some(repository) = repository("driver", "merge.evfl", "*.bfevfl merge=evfl") else {
        return;
    };
    repository.git("switch --quiet -c theirs");
    repository.edit("garden.bfevfl", "\"Event3\"", "\"Rest\"");
    repository.commit("Rest");
    repository.git("switch --quiet main");
    repository.edit(
        "garden.bfevfl",
        "\"Keeper\",\n            \"secondary_name\": \"\"",
        "\"Keeper\",\n            \"secondary_name\": \"Old\"",
    );
    repository.commit("The keeper is old");
    let ours = repository.read("garden.bfevfl");
    repository.git("merge --quiet -m Both theirs");
    let merged = repository.read("garden.bfevfl");
    repository.write("ours.bfevfl", &ours);
    let difference = repository.formwork("diff --meaning ours.bfevfl garden.bfevfl");
    let difference = String::from_utf8_lossy(&difference.stdout).into_owned();
    let change = "~ flowcharts[0].events[3].name: \"Event3\" -> \"Rest\"";
    assert!(difference.contains(change) && difference.contains("1 change,"), "{difference}");
    assert_ne!(merged, ours);
    fs::remove_file(repository.0.join("ours.bfevfl")).expect("it is there");

    // Both change one field: the conflict is said, and ours stays as it is.
    repository.git("switch --quiet -c other");
    repository.edit("garden.bfevfl", "\"Rest\"", "\"Sleep\"");
    repository.commit("Sleep");
    repository.git("switch --quiet main");
    repository.edit("garden.bfevfl", "\"Rest\"", "\"Dream\"");
    repository.commit("Dream");
    let ours = repository.read("garden.bfevfl");
    let output = repository.try_git("merge --quiet -m Both other");
    assert!(!output.status.success());
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("conflict in garden.bfevfl"), "{said}");
    assert!(said.contains("flowcharts[0].events[3].name: both have changed it"), "{said}");
    assert_eq!(repository.read("garden.bfevfl"), ours);
    assert!(repository.git("status --short").contains("UU garden.bfevfl"));
}
