//! Does what `docs/tutorial.md` does, in an empty folder.
//!
//! Blocks with `file=NAME` are written to that file. Blocks `console` are commands behind `$`, each
//! with what it prints on both streams. `BLESS=1` writes that anew.
#![forbid(unsafe_code)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the Python of the page writes, for machines without Python.
fn tone() -> Vec<u8> {
    let mut bytes = b"RIFF\x74\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    bytes.extend(8000_u32.to_le_bytes());
    bytes.extend(16000_u32.to_le_bytes());
    bytes.extend(b"\x02\0\x10\0data\x50\0\0\0");
    bytes.extend((0..40_i16).flat_map(|t| ((t % 20 - 10) * 800).to_le_bytes()));
    bytes
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a command as a shell does; both streams, in the order standard output, standard error.
fn run(folder: &Path, command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_formwork"));
    let mut path = binary.parent().expect("it lies in a folder").as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .output()
        .expect("there is a shell");
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    shown(&output.stdout) + &shown(&output.stderr)
}

/// The page with what its commands really print.
fn replay(page: &str, folder: &Path) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let Some(words) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some((_, name)) = words.split_once(" file=") {
            fs::write(folder.join(name), block.join("\n") + "\n").expect("it can be written");
        }
        if words == "console" {
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                text.push_str(&format!("$ {command}\n"));
                text.push_str(&step(folder, command));
            }
        } else {
            block.iter().for_each(|line| text.push_str(&format!("{line}\n")));
        }
        text.push_str("```\n");
    }
    text
}

fn step(folder: &Path, command: &str) -> String {
    if command != "python3 tone.py" {
        return run(folder, command);
    }
    let printed = run(folder, "if command -v python3 > /dev/null; then python3 tone.py; fi");
    let sound = folder.join("tone.wav");
    if sound.exists() {
        assert_eq!(fs::read(&sound).expect("it is there"), tone());
    } else {
        fs::write(&sound, tone()).expect("it can be written");
    }
    printed
}

#[test]
fn tutorial_is_as_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tutorial.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let folder = env::temp_dir().join(format!("formwork-tutorial-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let folder = Folder(folder);
    let really = replay(&page, &folder.0);
    if really == page {
        return;
    }
    if env::var_os("BLESS").is_some() {
        fs::write(&path, really).expect("the page can be written");
        return;
    }
    let mut lines = page.lines().zip(really.lines()).enumerate();
    let (line, (was, is)) = lines.find(|(_, (a, b))| a != b).expect("they differ");
    panic!("docs/tutorial.md, line {} (BLESS=1 accepts):\n  was {was}\n  is  {is}", line + 1);
}

/// The schema of the page is short.
#[test]
fn schema_has_less_than_sixty_lines() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tutorial.md"))
            .expect("the page is there");
    let blocks = page.split("```kdl file=wav.kdl\n").skip(1);
    let sizes: Vec<_> =
        blocks.map(|block| block.lines().take_while(|line| *line != "```").count()).collect();
    assert!(!sizes.is_empty() && sizes.iter().all(|size| *size < 60), "{sizes:?}");
}
