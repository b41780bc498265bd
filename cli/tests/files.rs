//! What the command does with files that are no files, that are replaced, and that it cannot finish.
#![cfg(unix)]
#![forbid(unsafe_code)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const BINARY: &str = env!("CARGO_BIN_EXE_formwork");

/// Longest time that any command here may take.
const PATIENCE: Duration = Duration::from_secs(120);

const SCHEMA: &str = "module small \"Small\" root=File endian=little\n\nstruct File {\n    \
     magic \"AB\"\n    u8 n\n    f32 ratio\n    bytes items count=n\n}\n";

const FILE: &[u8] = b"AB\x03\0\0\x80\x3fxyz";

/// A folder with a schema and a file, which is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("formwork-files-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        let folder = Folder(path);
        fs::write(folder.path("small.kdl"), SCHEMA).expect("it can be written");
        fs::write(folder.path("good.bin"), FILE).expect("it can be written");
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.args(arguments).current_dir(&self.0).env("NO_COLOR", "1").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        ended(self.command(arguments).spawn().expect("the command can be started"))
    }

    /// The JSON of the file.
    fn json(&self) -> String {
        let output = self.run(&["decode", "--schema", "small.kdl", "good.bin"]);
        assert_eq!(output.status.code(), Some(0));
        text(&output.stdout)
    }

    /// Names in the folder that are not those of this list.
    fn others(&self, known: &[&str]) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("it is there");
        let names = entries.map(|entry| entry.expect("it can be read").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| !known.contains(&name.as_str())).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits for a command; one that does not end is a failure.
fn ended(mut child: Child) -> Output {
    let end = Instant::now() + PATIENCE;
    while child.try_wait().expect("it can be waited for").is_none() {
        if Instant::now() > end {
            let _ = child.kill();
            panic!("the command does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it has ended")
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("there is mkfifo");
    assert!(made.success());
}

/// A folder with all that has no end, and what cannot be opened.
fn odd(name: &str) -> Folder {
    let folder = Folder::new(name);
    fs::create_dir(folder.path("odd")).expect("it can be made");
    pipe(&folder.path("odd/pipe"));
    let listener = UnixListener::bind(folder.path("odd/socket")).expect("it can be made");
    drop(listener);
    for (link, target) in [
        ("odd/device", "/dev/zero"),
        ("odd/gone", "nowhere"),
        ("odd/loop", "loop"),
        ("odd/up", ".."),
        ("odd/linked", "../good.bin"),
    ] {
        symlink(target, folder.path(link)).expect("it can be made");
    }
    folder
}

#[test]
fn folders_with_pipes_and_devices() {
    let folder = odd("folders");
    let output = folder.run(&["roundtrip", "--schema", "small.kdl", "odd", "good.bin"]);
    assert_eq!(
        text(&output.stdout),
        "skipped odd/device: it is a device\n\
         failed odd/gone: cannot open the file: no such file or folder\n\
         identical odd/linked\n\
         failed odd/loop: cannot open the file: Too many levels of symbolic links (os error 40)\n\
         skipped odd/pipe: it is a named pipe\n\
         skipped odd/socket: it is a socket\n\
         identical good.bin\n\
         2 identical, 0 equivalent, 2 failed, 3 skipped\n\
         of the identical: 2 by the rules, 0 spelled, 0 arranged\n"
    );
    assert_eq!(output.status.code(), Some(1));
    let output = folder.run(&["coverage", "--schema", "small.kdl", "odd"]);
    assert!(text(&output.stdout).ends_with(" 2 failed, 3 skipped\n"), "{output:?}");
    let output = folder.run(&["roundtrip", "--json", "--schema", "small.kdl", "odd"]);
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("it is one document");
    assert_eq!(report["summary"]["skipped"], 3);
    assert_eq!(report["files"][0]["reason"], "it is a device");
    let output = folder.run(&["fuzz", "small.kdl", "-o", "made", "--seeds", "odd/linked"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// One that cannot be opened does not keep the others from being read.
#[test]
fn arguments_that_cannot_be_opened() {
    let folder = odd("arguments");
    let named = ["roundtrip", "--schema", "small.kdl", "odd/gone", "odd/device", "good.bin"];
    let output = folder.run(&named);
    assert!(
        text(&output.stdout).contains("\nidentical good.bin\n1 identical, 0 equivalent, 2 failed")
    );
    assert_eq!(output.status.code(), Some(1));
    for path in ["/dev/zero", "odd/device", "odd/socket", "odd/loop"] {
        for command in ["dump", "decode", "coverage"] {
            let output = folder.run(&[command, "--schema", "small.kdl", path]);
            assert_eq!(output.status.code(), Some(1), "{command} {path}");
        }
        let output = folder.run(&["check", path]);
        assert!(text(&output.stderr).starts_with("error: cannot open"), "{output:?}");
    }
    let output = folder.run(&["dump", "--schema", "/dev/zero", "good.bin"]);
    assert_eq!(text(&output.stderr), "error: cannot open /dev/zero: it is a device\n");
    fs::write(folder.path("long.kdl"), vec![b' '; (16 << 20) + 1]).expect("it can be written");
    let output = folder.run(&["check", "long.kdl"]);
    assert_eq!(text(&output.stderr), "error: cannot open long.kdl: it is longer than 16 MiB\n");
}

#[test]
fn streams_that_are_named() {
    let folder = odd("streams");
    let dump = |path: &str, stdin: Stdio| {
        let mut command = folder.command(&["dump", "--schema", "small.kdl", path]);
        ended(command.stdin(stdin).spawn().expect("the command can be started"))
    };
    let file = || Stdio::from(fs::File::open(folder.path("good.bin")).expect("it is there"));
    let expected = dump("good.bin", Stdio::null()).stdout;
    assert!(!expected.is_empty());
    for path in ["-", "/dev/stdin"] {
        assert_eq!(text(&dump(path, file()).stdout), text(&expected), "{path}");
    }
    let zero = fs::File::open("/dev/zero").expect("it is there");
    let output = dump("-", zero.into());
    assert_eq!(text(&output.stderr), "error: cannot read standard input: it is a device\n");
    // Somebody who writes into a pipe later is waited for.
    let pipe = folder.path("odd/pipe");
    let writer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        fs::write(pipe, FILE)
    });
    assert_eq!(text(&dump("odd/pipe", Stdio::null()).stdout), text(&expected));
    writer.join().expect("it ends").expect("somebody reads");
    let output = dump("odd/pipe", Stdio::null());
    let message = "error: cannot open odd/pipe: nobody writes into this pipe\n";
    assert_eq!(text(&output.stderr), message);
}

/// Names and texts with line breaks and escapes are shown, and do nothing.
#[test]
fn nothing_forges_a_line() {
    let folder = Folder::new("forged");
    let name = "x\nidentical y\u{1b}[2J";
    fs::write(folder.path(name), FILE).expect("it can be written");
    fs::write(folder.path("bad.bin"), b"AB\xff").expect("it can be written");
    let output = folder.run(&["roundtrip", "--schema", "small.kdl", ".", name]);
    let lines = text(&output.stdout);
    assert!(lines.contains("\nidentical x\\nidentical y\\u{1b}[2J\n"), "{lines}");
    assert!(!lines.contains("\nidentical y"), "{lines}");
    let hostile = folder.json().replace("formwork 0", "x\\u001b\\nidentical \\u009b");
    let hostile = hostile.replace("\"ratio\"", "\"ratio\\u202e\\n\"");
    fs::write(folder.path("hostile.json"), hostile).expect("it can be written");
    fs::write(folder.path("hostile.kdl"), SCHEMA.replace("Small", "S\\u{1b}\\n# x"))
        .expect("it can be written");
    for arguments in [
        &["roundtrip", "--json", "--schema", "small.kdl", "."][..],
        &["coverage", "--schema", "small.kdl", "."],
        &["diff", "--schema", "small.kdl", name, "bad.bin"],
        &["dump", "--schema", "small.kdl", name, "--path", name],
        &["dump", "--json", "--schema", "small.kdl", name],
        &["encode", "--schema", "small.kdl", "hostile.json"],
        &["check", name],
        &["check", "--json", "hostile.kdl"],
        &["docs", "hostile.kdl"],
        &["generate", "hostile.kdl"],
        &["explain", name],
        &["formats", name],
        &["dump", "--format", name, name],
    ] {
        let output = folder.run(arguments);
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert!(!printed.is_empty(), "{arguments:?}");
        let unseen = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!printed.contains(unseen), "{arguments:?}: {printed:?}");
        let forged = printed.lines().find(|line| line.starts_with("identical y"));
        assert_eq!(forged, None, "{arguments:?}");
    }
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let folder = Folder::new("full");
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["roundtrip", "--help"],
        &["formats"],
        &["formats", "--json"],
        &["check", "small.kdl"],
        &["explain", "E0301"],
        &["generate", "small.kdl"],
        &["docs", "small.kdl"],
        &["dump", "--schema", "small.kdl", "good.bin"],
        &["decode", "--schema", "small.kdl", "good.bin"],
        &["roundtrip", "--json", "--schema", "small.kdl", "good.bin"],
        &["decode", "--schema", "small.kdl", "good.bin", "-o", "/dev/full"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        let mut command = folder.command(arguments);
        let output = ended(command.stdout(full).spawn().expect("the command can be started"));
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).starts_with("error: cannot write"), "{arguments:?}");
    }
}

#[test]
fn what_is_replaced_stays_as_private_as_it_was() {
    let folder = Folder::new("modes");
    fs::write(folder.path("a.json"), folder.json()).expect("it can be written");
    let mode = |name: &str| {
        let permissions = fs::metadata(folder.path(name)).expect("it is there").permissions();
        permissions.mode() & 0o7777
    };
    let encode = |to: &str| {
        let output = folder.run(&["encode", "--schema", "small.kdl", "a.json", "-o", to]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(fs::read(folder.path(to)).expect("it is there"), FILE);
    };
    encode("new.bin");
    // As any file that is made here.
    assert_eq!(mode("new.bin"), mode("a.json"));
    for private in [0o600, 0o640, 0o755] {
        let permissions = fs::Permissions::from_mode(private);
        fs::set_permissions(folder.path("new.bin"), permissions).expect("it is ours");
        fs::write(folder.path("new.bin"), "old").expect("it is ours");
        encode("new.bin");
        assert_eq!(mode("new.bin"), private);
    }
    symlink("new.bin", folder.path("link")).expect("it can be made");
    encode("link");
    assert!(folder.path("link").is_symlink());
    let generate = || {
        let output = folder.run(&["generate", "small.kdl", "-o", "small.rs"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    };
    generate();
    let permissions = fs::Permissions::from_mode(0o600);
    fs::set_permissions(folder.path("small.rs"), permissions).expect("it is ours");
    fs::write(folder.path("small.rs"), "old").expect("it is ours");
    generate();
    assert_eq!(mode("small.rs"), 0o600);
    let known = ["small.kdl", "good.bin", "a.json", "new.bin", "link", "small.rs"];
    assert_eq!(folder.others(&known), [""; 0]);
}

#[test]
fn links_that_lead_nowhere_yet_stay_links() {
    let folder = Folder::new("links");
    fs::create_dir(folder.path("far")).expect("it can be made");
    for (link, target) in [
        ("link", "new.json"),
        ("twice", "far/link"),
        ("far/link", "../far.json"),
        ("round", "round"),
    ] {
        symlink(target, folder.path(link)).expect("it can be made");
    }
    let decode = |to| folder.run(&["decode", "--schema", "small.kdl", "good.bin", "-o", to]);
    for (link, made) in [("link", "new.json"), ("twice", "far.json")] {
        assert_eq!(decode(link).status.code(), Some(0), "{link}");
        assert!(folder.path(link).is_symlink(), "{link}");
        let made = fs::read_to_string(folder.path(made)).expect("it is there");
        assert_eq!(made, folder.json(), "{link}");
    }
    assert!(folder.path("far/link").is_symlink());
    let output = decode("round");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(folder.path("round").is_symlink());
    let known = ["small.kdl", "good.bin", "far", "link", "new.json", "twice", "far.json", "round"];
    assert_eq!(folder.others(&known), [""; 0]);
}

#[test]
fn what_cannot_be_told_is_not_done() {
    let folder = Folder::new("told");
    fs::write(folder.path("a.json"), folder.json().replace(r#""ratio": 1"#, r#""ratio": 2"#))
        .expect("it can be written");
    let edit = ["edit", "--schema", "small.kdl", "good.bin", "set", "ratio", "2"];
    let encode = ["encode", "--schema", "small.kdl", "a.json", "-o"];
    let encode_to = |to| [&encode[..], &[to, "--against", "good.bin"]].concat();
    for arguments in [edit.to_vec(), encode_to("good.bin"), encode_to("new.bin")] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        let mut command = folder.command(&arguments);
        let output = ended(command.stdout(full).spawn().expect("the command can be started"));
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).starts_with("error: cannot write the output"), "{output:?}");
        assert_eq!(fs::read(folder.path("good.bin")).expect("it is there"), FILE);
        assert_eq!(folder.others(&["small.kdl", "good.bin", "a.json"]), [""; 0]);
    }
    // Nobody listens, which is no error.
    let (reader, writer) = std::io::pipe().expect("there are pipes");
    drop(reader);
    let mut command = folder.command(&edit);
    let output = ended(command.stdout(writer).spawn().expect("the command can be started"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_ne!(fs::read(folder.path("good.bin")).expect("it is there"), FILE);
}

#[test]
fn what_is_no_file_is_edited_into_another_one() {
    let folder = odd("edited");
    let edit = |file: &str, more: &[&str]| {
        let edit = ["edit", "--schema", "small.kdl", file, "set", "ratio", "2"];
        let mut command = folder.command(&[&edit[..], more].concat());
        let mut child = command.stdin(Stdio::piped()).spawn().expect("it can be started");
        let mut input = child.stdin.take().expect("it is piped");
        // Nobody may read it.
        let _ = std::io::Write::write_all(&mut input, FILE);
        drop(input);
        ended(child)
    };
    let output = edit("/dev/stdin", &[]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let message = "error: /dev/stdin is no file that can be replaced; -o says where to write\n";
    assert_eq!(text(&output.stderr), message);
    assert_eq!(edit("/dev/stdin", &["--dry-run"]).status.code(), Some(0));
    assert_eq!(edit("/dev/stdin", &["-o", "new.bin"]).status.code(), Some(0));
    let changed = fs::read(folder.path("new.bin")).expect("it is there");
    assert_ne!(changed, FILE);
    assert_eq!(edit("-", &[]).stdout, changed);
    assert_eq!(edit("odd/linked", &[]).status.code(), Some(0));
    assert_eq!(fs::read(folder.path("good.bin")).expect("it is there"), changed);
}

#[test]
fn new_makes_both_files_or_none() {
    let folder = Folder::new("new");
    symlink("nowhere", folder.path("level.bin")).expect("it can be made");
    let output = folder.run(&["new", "level"]);
    assert_eq!(text(&output.stderr), "error: level.bin is there already\n");
    fs::remove_file(folder.path("level.bin")).expect("it is there");
    // The schema is longer than a file may be here.
    let shell = format!("ulimit -f 1; exec '{BINARY}' new level");
    let output = Command::new("bash").args(["-c", &shell]).current_dir(&folder.0).output();
    let output = output.expect("there is a shell");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("cannot write level.kdl"), "{output:?}");
    assert_eq!(folder.others(&["small.kdl", "good.bin"]), [""; 0]);
}

/// Whether a signal is ignored, by this program and so by those that it starts.
fn ignores(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// A signal in the middle of writing leaves what was there, and nothing else.
#[test]
fn signals_leave_no_unfinished_file() {
    let folder = Folder::new("signals");
    let schema =
        "module all \"All\" root=File endian=little\nstruct File {\n    bytes b count=fill\n}\n";
    fs::write(folder.path("all.kdl"), schema).expect("it can be written");
    let json = "{\"tool\": \"formwork 0.1.0\", \"format\": \"all\", \"schema_version\": 1, \
                \"value\": {\"b\": {\"base64\": \"";
    let json = format!("{json}{}\"}}}}}}", "AAAA".repeat(4 << 20));
    fs::write(folder.path("all.json"), json).expect("it can be written");
    let known = ["small.kdl", "good.bin", "all.kdl", "all.json", "out.bin"];
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        // Whoever starts a program may have told it not to listen, as `nohup` does.
        if ignores(number) {
            println!("SKIPPED: SIG{signal} is ignored here");
            continue;
        }
        let mut stopped = false;
        for _ in 0..40 {
            fs::write(folder.path("out.bin"), "old").expect("it can be written");
            let arguments = ["encode", "--schema", "all.kdl", "all.json", "-o", "out.bin"];
            let mut child = folder.command(&arguments).spawn().expect("it can be started");
            while child.try_wait().expect("it can be waited for").is_none() {
                if !folder.others(&known).is_empty() {
                    let kill = format!("kill -{signal} {}", child.id());
                    let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
                    break;
                }
            }
            let status = ended(child).status;
            assert_eq!(folder.others(&known), [""; 0], "{signal}");
            let written = fs::read(folder.path("out.bin")).expect("it is there");
            if std::os::unix::process::ExitStatusExt::signal(&status) == Some(number) {
                assert!(written == b"old" || written.len() == 12 << 20, "{signal}");
                stopped |= written == b"old";
            } else {
                assert_eq!(status.code(), Some(0), "{signal}");
            }
            if stopped {
                break;
            }
        }
        assert!(stopped, "{signal} never came in time");
    }
}
