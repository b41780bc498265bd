//! `dump --watch` shows a file again when it or its schema changes.
#![forbid(unsafe_code)]

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

const BINARY: &str = env!("CARGO_BIN_EXE_formwork");

/// Longest time until a change is shown.
const PATIENCE: Duration = Duration::from_secs(20);

struct Watch {
    child: Child,
    folder: PathBuf,
    output: Receiver<String>,
    seen: String,
}

impl Watch {
    /// Both streams, as they come.
    fn begin(folder: PathBuf) -> Watch {
        let mut child = Command::new(BINARY)
            .args(["dump", "--watch", "--schema", "a.kdl", "a.bin"])
            .current_dir(&folder)
            .env("NO_COLOR", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command can be started");
        let (sender, output) = channel();
        let streams: [Box<dyn Read + Send>; 2] = [
            Box::new(child.stdout.take().expect("it is piped")),
            Box::new(child.stderr.take().expect("it is piped")),
        ];
        for mut stream in streams {
            let sender = sender.clone();
            thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(length @ 1..) = stream.read(&mut buffer) {
                    let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
                    if sender.send(text).is_err() {
                        return;
                    }
                }
            });
        }
        Watch { child, folder, output, seen: String::new() }
    }

    /// Waits until a text is shown, and forgets what was shown until then.
    fn expect(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.seen.contains(text) {
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(more) => self.seen.push_str(&more),
                Err(_) => panic!("`{text}` is not shown, but: {}", self.seen),
            }
        }
        self.seen.clear();
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.folder.join(name), content).expect("the file can be written");
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn changes_are_shown() {
    let folder = std::env::temp_dir().join(format!("formwork-watch-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let schema = |row: &str| {
        format!("module a root=File endian=little\nimport b {{}}\nstruct File {{ {row}; Part p }}")
    };
    fs::write(folder.join("a.kdl"), schema("u16 x")).expect("the file can be written");
    fs::write(folder.join("b.kdl"), "library b\nstruct Part { u8 y }").expect("written");
    fs::write(folder.join("a.bin"), [7, 0, 9]).expect("the file can be written");
    let mut watch = Watch::begin(folder);
    watch.expect("x: u16 = 7");
    watch.write("a.bin", [8, 0, 9, 0]);
    watch.expect("x: u16 = 8");
    watch.write("a.kdl", schema("u8 first; u8 x"));
    watch.expect("first: u8 = 8");
    watch.write("a.kdl", schema("u7 first"));
    watch.expect("the schema a.kdl has errors");
    watch.write("a.kdl", schema("i16 mended"));
    watch.expect("mended: i16 = 8");
    watch.write("b.kdl", "library b\nstruct Part { u8 other }");
    watch.expect("other: u8 = 9");
    fs::remove_file(watch.folder.join("a.bin")).expect("it is there");
    watch.expect("cannot open a.bin");
    watch.write("a.bin", [1, 0, 2]);
    watch.expect("mended: i16 = 1");
    watch.write("a.bin", [1]);
    watch.expect("cannot read a.bin");
}
