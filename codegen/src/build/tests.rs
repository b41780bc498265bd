use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use super::{Build, BuildError, assert_fresh_with};
use crate::rust::Options;

const SMALL: &str =
    "module small \"Small\" root=File endian=little\n\nstruct File {\n    u8 a\n}\n";

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = env::temp_dir().join(format!("formwork-build-{}-{name}", process::id()));
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        Folder(path)
    }

    fn add(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("it can be made");
        fs::write(&path, text).expect("a file can be written");
        path
    }

    fn build(&self) -> Build {
        Build::new().out_dir(self.0.join("out"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names(paths: &[PathBuf]) -> Vec<&str> {
    paths.iter().filter_map(|path| path.file_name()?.to_str()).collect()
}

#[test]
fn files_and_what_they_import() {
    let folder = Folder::new("imports");
    let schema = folder.add(
        "schema/big.kdl",
        "module big \"Big\" root=File endian=little\n\nimport part\nimport far\n\n\
         struct File {\n    part.Part a\n    far.Far b\n}\n",
    );
    folder.add("schema/part.kdl", "library part\n\nstruct Part {\n    u8 x\n}\n");
    let far = "library far\n\nstruct Far {\n    u8 y\n}\n";
    let build = || folder.build().schema(&schema).schema_text("small", SMALL);
    let built = build().library("far", far).try_run().expect("the schemas are good");
    assert_eq!(names(&built.generated), ["big.rs", "small.rs"]);
    assert_eq!(names(&built.read), ["big.kdl", "part.kdl"]);
    let get = move |name: &str| (name == "far").then_some(far);
    let same = build().libraries(get).try_run().expect("the schemas are good");
    assert_eq!(same.read, built.read);

    let error = build().try_run().expect_err("a library is missing");
    assert!(matches!(error, BuildError::Refused { .. }));
    assert!(error.lines()[0].contains("big.kdl:4:8: E0201: no library `far`"), "{error}");
}

/// A file that turns up beside a schema is imported instead of a text that is no file, so cargo has
/// to look for it; but not where it builds itself.
#[test]
fn folders_of_files_that_may_turn_up() {
    let folder = Folder::new("shadows");
    let text =
        "module big \"Big\" root=File endian=little\nimport far\nstruct File {\n    far.Far b\n}\n";
    let schema = folder.add("schema/big.kdl", text);
    let far = "library far\nstruct Far {\n    u8 y\n}\n";
    let build = || folder.build().schema(&schema).library("far", far).try_run();
    let built = build().expect("the schema is good");
    assert_eq!(names(&built.watched), ["schema"]);
    folder.add("schema/far.kdl", far);
    let built = build().expect("the schema is good");
    assert!(built.watched.is_empty());
    assert_eq!(names(&built.read), ["big.kdl", "far.kdl"]);
    let beside = folder.add("big.kdl", text);
    let build = folder.build().schema(&beside).library("far", far);
    assert!(build.try_run().expect("the schema is good").watched.is_empty());
}

/// A schema in several texts gives the same code as in one, and its parts are looked for like imports.
#[test]
fn parts_of_a_schema() {
    let folder = Folder::new("parts");
    let module = "module big \"Big\" root=File endian=little\n";
    let (first, second) = ("struct File { A a; B b }\n", "struct B { u8 b }\n");
    let part = "enum Kind u8 { one 1 }\nstruct A { Kind a }\n";
    let one = folder.add("one/big.kdl", &format!("{module}{first}{part}{second}"));
    let include = format!("{module}{first}include \"big/a\"\n{second}");
    let schema = folder.add("schema/big.kdl", &include);
    let file = format!("part big \"The first\"\n{part}");
    let code = |build: Build| {
        let built = build.try_run().expect("the schema is good");
        (fs::read_to_string(&built.generated[0]).expect("it was made"), built)
    };
    let (expected, _) = code(folder.build().schema(&one));

    let (text, built) = code(folder.build().schema(&schema).library("big/a", file.clone()));
    assert!(text == expected);
    assert_eq!((names(&built.read), names(&built.watched)), (vec!["big.kdl"], vec!["schema"]));
    folder.add("schema/big/a.kdl", &file);
    let (text, built) = code(folder.build().schema(&schema));
    assert!(text == expected && built.watched.is_empty());
    assert_eq!(names(&built.read), ["a.kdl", "big.kdl"]);

    let refused = |name: &str, text: &str| {
        folder.add(name, text);
        let error = folder.build().schema(&schema).try_run().expect_err("there is an error");
        error.lines().join("\n")
    };
    let wrong = refused("schema/big/a.kdl", "part bag\n");
    assert!(wrong.contains("big.kdl:3:9: E0239: "), "{wrong}");
    let wrong = refused("schema/big/a.kdl", "part big\ninclude \"big/b\"\n");
    assert!(wrong.contains("a.kdl:2:9: E0239: "), "{wrong}");
    folder.add("schema/big/a.kdl", &file);
    let twice = format!("{include}include \"big/a\"\n");
    let wrong = refused("schema/big.kdl", &twice);
    assert!(wrong.contains("big.kdl:5:9: E0203: "), "{wrong}");
    for name in ["../one/big", "/etc/passwd", "big//a", "big/./a", "big\\\\a", ""] {
        let wrong = refused("schema/big.kdl", &format!("{module}include \"{name}\"\n"));
        assert!(wrong.contains("big.kdl:2:9: E0110: "), "{wrong}");
    }
    #[cfg(unix)]
    {
        folder.add("elsewhere/a.kdl", "the secret is 42\n");
        std::os::unix::fs::symlink("../elsewhere", folder.0.join("schema/out")).expect("it can be");
        let include = format!("{module}include \"out/a\"\n");
        let wrong = refused("schema/big.kdl", &include);
        assert!(wrong.contains("E0201") && wrong.contains("is no schema"), "{wrong}");
    }
}

/// Whoever gets a schema with a link in it does not see what the link leads to.
#[cfg(unix)]
#[test]
fn links_out_of_the_folder() {
    let folder = Folder::new("links");
    folder.add("secret.txt", "the secret is 42\n");
    let far = "library far\nstruct Far {\n    u8 y\n}\n";
    folder.add("shared/far.kdl", far);
    let text =
        "module big \"Big\" root=File endian=little\nimport far\nstruct File {\n    far.Far b\n}\n";
    let schema = folder.add("schema/big.kdl", text);
    let link = folder.0.join("schema/far.kdl");
    std::os::unix::fs::symlink("../secret.txt", &link).expect("it can be made");
    let error = folder.build().schema(&schema).try_run().expect_err("that is no schema");
    let lines = error.lines().join("\n");
    assert!(lines.contains("big.kdl:2:8: E0201: ") && lines.contains("is no schema"), "{lines}");
    assert!(!error.to_string().contains("secret is"), "{error}");
    fs::remove_file(&link).expect("it is there");
    std::os::unix::fs::symlink("../shared/far.kdl", &link).expect("it can be made");
    folder.build().schema(&schema).try_run().expect("that is one");
}

/// What lies under the name of a temporary file is not written to.
#[cfg(unix)]
#[test]
fn prepared_links_are_not_followed() {
    let folder = Folder::new("prepared");
    let victim = folder.add("victim", "untouched");
    fs::create_dir_all(folder.0.join("out")).expect("it can be made");
    for number in 0..3 {
        let name = format!("out/.small.rs.{}.{number}", process::id());
        std::os::unix::fs::symlink(&victim, folder.0.join(name)).expect("it can be made");
    }
    folder.build().schema_text("small", SMALL).try_run().expect("the schema is good");
    assert_eq!(fs::read_to_string(&victim).expect("it is there"), "untouched");
    assert!(!folder.0.join("out/small.rs").is_symlink());
}

#[test]
fn unchanged_code_is_not_written() {
    let folder = Folder::new("unchanged");
    let build = || folder.build().schema_text("small", SMALL).try_run();
    let built = build().expect("the schema is good");
    let path = &built.generated[0];
    let text = fs::read_to_string(path).expect("it was written");
    // Who may not write finds out when trying.
    let mut permissions = fs::metadata(path).expect("it is there").permissions();
    let before = fs::metadata(path).and_then(|m| m.modified()).expect("there is a time");
    permissions.set_readonly(true);
    fs::set_permissions(path, permissions).expect("it is ours");
    build().expect("there is nothing to write");
    assert_eq!(fs::metadata(path).and_then(|m| m.modified()).expect("there is a time"), before);
    let entries = fs::read_dir(folder.0.join("out")).expect("it was made");
    assert_eq!(entries.count(), 1, "no other file is left");
    assert_eq!(fs::read_to_string(path).expect("it is there"), text);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new("wrong");
    let fails = |build: Build, expected: &str| {
        let error = build.try_run().expect_err(expected);
        let lines = error.lines().join("\n");
        assert!(lines.contains(expected), "{lines}");
    };
    let bad = SMALL.replace("u8 a", "u8 a; u8 a; v9 b");
    let both = folder.build().schema_text("bad", &bad).schema_text("small", SMALL);
    fails(both, "bad.kdl:4:14: E0203: `a` is declared twice");
    let twice = folder.build().schema_text("small", SMALL).schema_text("small", SMALL);
    fails(twice, "two schemas would become small.rs");
    let library = folder.build().schema_text("part", "library part\n");
    fails(library, "part.kdl is a library");
    fails(folder.build().schema("nowhere/x.kdl"), "x.kdl cannot be read");
    let blocked = folder.add("file", "");
    let build = Build::new().out_dir(blocked.join("out")).schema_text("small", SMALL);
    fails(build, "small.rs cannot be written");
}

#[test]
fn stale_code_is_found() {
    let folder = Folder::new("fresh");
    let schema = folder.add("small.kdl", SMALL);
    let built = folder.build().schema(&schema).try_run().expect("the schema is good");
    let check = |generated: &Path| {
        assert_fresh_with(&schema, generated, &Options::default(), |_| None::<String>);
    };
    check(&built.generated[0]);
    if env::var_os("BLESS").is_some() {
        return;
    }
    let text = fs::read_to_string(&built.generated[0]).expect("it was written");
    let old = folder.add("old.rs", &format!("{text}// more\n"));
    let stale = std::panic::catch_unwind(|| check(&old)).expect_err("it is stale");
    let message = stale.downcast_ref::<String>().expect("a panic has a message");
    assert!(message.contains("old.rs is not what") && message.contains("BLESS=1"), "{message}");
}
