//! Files of this machine, whoever wrote them, are rewritten byte for byte by drafts of their
//! formats. What is not there is skipped.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use formwork::ReadOptions;
use formwork_interpreter::{Value, read};
use formwork_tests::programs::draft;

/// Largest file that is tried, in bytes, so that the test stays short in a build without optimising.
const LARGEST: u64 = 100_000;
/// At most so many files of a format are tried, evenly from all over the list.
const MOST: usize = 400;

/// Files in these folders, without those that are links.
fn files(folders: &[&str], is: &dyn Fn(&Path, &[u8]) -> bool) -> Vec<PathBuf> {
    let mut todo: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    let mut found = Vec::new();
    while let Some(path) = todo.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            todo.extend(entries.map(|entry| entry.path()));
        } else if metadata.is_file()
            && metadata.len() <= LARGEST
            && fs::read(&path).is_ok_and(|bytes| is(&path, &bytes))
        {
            found.push(path);
        }
    }
    found.sort();
    let step = found.len().div_ceil(MOST).max(1);
    found.into_iter().step_by(step).collect()
}

fn ends(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|end| extensions.iter().any(|e| end == *e))
}

/// Reads and writes the files. Each that is read must come back; at most so many of a hundred may
/// be refused.
fn rewrite(schema: &str, files: &[PathBuf], refused_of_hundred: usize) {
    if files.is_empty() {
        println!("SKIPPED: no files for {schema}");
        return;
    }
    let program = draft(schema);
    let (mut identical, mut by_the_rules) = (0, 0);
    let mut refused: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let mut broken = Vec::new();
    for path in files {
        let bytes = fs::read(path).expect("the file can be read");
        let document = match read(&program, &bytes, &ReadOptions::default()) {
            Ok(document) => document,
            Err(error) => {
                let first = format!("{}: {error}", path.display());
                refused.entry(error.kind().code()).or_insert((0, first)).0 += 1;
                continue;
            }
        };
        by_the_rules += usize::from(document.is_canonical());
        match formwork_interpreter::write(&program, &document.value()) {
            Ok(written) if written == bytes => identical += 1,
            Ok(written) => {
                let at = bytes.iter().zip(&written).position(|(a, b)| a != b);
                let sizes = [bytes.len(), written.len()];
                broken.push(format!("{}: sizes {sizes:?}, differs at {at:x?}", path.display()));
            }
            Err(error) => broken.push(format!("{}: {error}", path.display())),
        }
    }
    println!(
        "{schema}: {identical} of {} files are identical, {by_the_rules} by the rules",
        files.len()
    );
    for (code, (count, first)) in &refused {
        println!("{schema}: {count} refused, {code}, such as {first}");
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let count: usize = refused.values().map(|(count, _)| count).sum();
    assert!(count * 100 <= files.len() * refused_of_hundred, "{count} files are refused");
}

#[test]
fn terminals() {
    let is =
        |_: &Path, bytes: &[u8]| bytes.starts_with(b"\x1a\x01") || bytes.starts_with(b"\x1e\x02");
    rewrite("terminfo.kdl", &files(&["/lib/terminfo", "/usr/share/terminfo"], &is), 1);
}

#[test]
fn catalogues() {
    let is = |path: &Path, bytes: &[u8]| ends(path, &["mo"]) && !bytes.is_empty();
    rewrite("mo.kdl", &files(&["/usr/share/locale", "/usr/share/vim"], &is), 1);
}

#[test]
fn programs() {
    let is = |_: &Path, bytes: &[u8]| bytes.starts_with(b"\x7fELF\x02\x01");
    rewrite("elf.kdl", &files(&["/usr/bin", "/usr/lib/gcc", "/usr/lib/x86_64-linux-gnu"], &is), 1);
}

#[test]
fn fonts() {
    let is = |path: &Path, _: &[u8]| ends(path, &["ttf", "otf", "ttc"]);
    rewrite("sfnt.kdl", &files(&["/usr/share/fonts"], &is), 5);
}

#[test]
fn libraries() {
    let is = |_: &Path, bytes: &[u8]| bytes.starts_with(b"glibc-ld.so.cache1.1");
    rewrite("ldcache.kdl", &files(&["/etc/ld.so.cache"], &is), 0);
}

#[test]
fn images() {
    let is = |path: &Path, _: &[u8]| ends(path, &["png"]);
    rewrite(
        "png.kdl",
        &files(&["/usr/share/icons", "/usr/share/doc", "/usr/share/pixmaps"], &is),
        1,
    );
}

#[test]
fn pictures() {
    let is = |path: &Path, _: &[u8]| ends(path, &["gif"]);
    // Some are cut.
    rewrite("gif.kdl", &files(&["/usr/share/doc", "/usr/share/tcltk", "/usr/lib/python3"], &is), 5);
}

#[test]
fn archives() {
    let is = |path: &Path, _: &[u8]| ends(path, &["zip", "jar", "whl", "odt"]);
    let folders = ["/usr/share/java", "/usr/share/maven", "/usr/share/python-wheels"];
    // Some have a comment.
    rewrite("zip.kdl", &files(&folders, &is), 5);
}

#[test]
fn zones() {
    let is = |_: &Path, bytes: &[u8]| bytes.starts_with(b"TZif");
    rewrite("tzif.kdl", &files(&["/usr/share/zoneinfo"], &is), 0);
}

#[test]
fn classes() {
    let is = |_: &Path, bytes: &[u8]| bytes.starts_with(b"\xca\xfe\xba\xbe\x00");
    rewrite("class.kdl", &files(&["/usr/share/gettext", "/usr/share/java"], &is), 0);
}

#[test]
fn sounds() {
    let is = |path: &Path, _: &[u8]| ends(path, &["wav"]);
    rewrite(
        "wav.kdl",
        &files(&["/usr/share/sounds", "/usr/share/games", "/usr/lib/python3"], &is),
        5,
    );
}

#[test]
fn objects() {
    let is = |_: &Path, bytes: &[u8]| bytes.starts_with(b"!<arch>\n");
    rewrite("ar.kdl", &files(&["/usr/lib", "/var/cache/apt"], &is), 0);
}

/// What `tar` writes in each of its formats is read as what the files are.
#[test]
fn tapes() {
    let folder = std::env::temp_dir().join(format!("formwork-tapes-{}", std::process::id()));
    let inner = folder.join("folder");
    fs::create_dir_all(&inner).expect("there is room");
    let contents = [("empty", 0), ("small", 3), ("whole", 512), ("large", 70_000)];
    for (name, size) in contents {
        let content: Vec<u8> = (0..size).map(|n: u32| n.to_le_bytes()[0]).collect();
        fs::write(inner.join(name), content).expect("there is room");
    }
    let mut archives = Vec::new();
    for format in ["v7", "oldgnu", "gnu", "ustar", "posix"] {
        let archive = folder.join(format!("{format}.tar"));
        let made = Command::new("tar")
            .arg(format!("--format={format}"))
            .args(["--sort=name", "-cf"])
            .arg(&archive)
            .args(["-C".as_ref(), folder.as_os_str(), "folder".as_ref()])
            .output();
        if made.is_ok_and(|made| made.status.success()) {
            archives.push(archive);
        }
    }
    rewrite("tar.kdl", &archives, 0);
    let program = draft("tar.kdl");
    for archive in archives {
        let bytes = fs::read(&archive).expect("the file can be read");
        let document = read(&program, &bytes, &ReadOptions::default()).expect("it is an archive");
        let value = document.value();
        let mut found = BTreeMap::new();
        for entry in value.at_path("entries").and_then(Value::elements).expect("there are some") {
            let (Some(Value::Bytes(name)), Some(Value::Bytes(data))) =
                (entry.at_path("name"), entry.at_path("rest.header.content.data"))
            else {
                continue;
            };
            found.insert(String::from_utf8_lossy(name).into_owned(), data.clone());
        }
        for (name, size) in contents {
            let data = &found[&format!("folder/{name}")];
            let content = fs::read(inner.join(name)).expect("the file can be read");
            assert_eq!(
                (data.len(), data == &content),
                (size as usize, true),
                "{}",
                archive.display()
            );
        }
    }
    fs::remove_dir_all(folder).expect("it is our own");
}
