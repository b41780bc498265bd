//! `serde` and the command: the same JSON of every sample, and each reads what the other writes.

use std::fs;
use std::path::PathBuf;

use formwork::inspect::Inspect;
use formwork::{ReadError, WriteError};
use formwork_interpreter::Program;
use formwork_interpreter::json::{Style, Text, to_json};
use formwork_tests::{programs, samples};
use serde::de::DeserializeOwned;

/// Larger files are left out where nothing is optimised.
const LARGEST: u64 = if cfg!(debug_assertions) { 300_000 } else { u64::MAX };

fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let Some(samples) = samples::samples() else { return Vec::new() };
    let all = fs::read_dir(samples.join(folder)).expect("the folder can be read");
    let mut files: Vec<PathBuf> = all.map(|file| file.expect("it can be read").path()).collect();
    files.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| extensions.contains(&extension))
            && path.metadata().is_ok_and(|file| file.len() <= LARGEST)
    });
    files.sort();
    files
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    // Trees are deeper than the 128 levels that are read by default.
    json.disable_recursion_limit();
    T::deserialize(&mut json)
}

/// Where two texts part.
fn apart(a: &str, b: &str) -> String {
    let at = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| {
        let bytes = &text.as_bytes()[at.saturating_sub(40)..text.len().min(at + 40)];
        String::from_utf8_lossy(bytes).into_owned()
    };
    format!("{}\n{}", part(a), part(b))
}

fn compare<T, A>(
    program: &Program,
    paths: &[PathBuf],
    read: fn(&[u8]) -> Result<T, ReadError>,
    arena: fn(&T) -> A,
    write: fn(&T) -> Result<Vec<u8>, WriteError>,
    same: fn(&T, &T) -> bool,
) where
    T: serde::Serialize + DeserializeOwned + Inspect,
    A: serde::Serialize + DeserializeOwned,
{
    let mut identical = 0;
    for path in paths {
        let bytes = fs::read(path).expect("the sample can be read");
        let Ok(file) = read(&bytes) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let document = formwork_interpreter::read(program, &bytes, &Default::default());
        let value = document.expect("generated code reads it").value();

        let command = to_json(program, &value, Style::Compact);
        let compact = serde_json::to_string(&file).expect("it can be written");
        if command.trim_end() == compact {
            identical += 1;
        } else {
            // Characters that nobody sees are escaped by the command.
            let parsed = |text: &str| from_json::<serde_json::Value>(text).expect("it is JSON");
            assert!(parsed(&command) == parsed(&compact), "{name}: {}", apart(&command, &compact));
        }
        let of_arena = serde_json::to_string(&arena(&file)).expect("it can be written");
        assert!(of_arena == compact, "{name}");

        let again: T = from_json(&to_json(program, &value, Style::Pretty))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = serde_json::to_string(&again).expect("it can be written");
        assert!(text == compact, "{name}: {}", apart(&text, &compact));
        assert!(write(&again).is_ok_and(|written| written == bytes), "{name}");
        let again: A = from_json(&compact).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(serde_json::to_string(&again).expect("it can be written") == compact, "{name}");

        let pretty = serde_json::to_string_pretty(&file).expect("it can be written");
        let again = Text::parse(&pretty).and_then(|text| text.value(program));
        let again = again.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(again.same_spelling(&value), "{name}");
        let written = formwork_interpreter::write(program, &again);
        assert!(written.is_ok_and(|written| written == bytes), "{name}");

        let packed = postcard::to_allocvec(&file).expect("it can be written");
        let again: T = postcard::from_bytes(&packed).expect("it was just written");
        assert!(same(&again, &file), "{name}");
    }
    println!("{} files, of {identical} each byte of the JSON is the same", paths.len());
}

#[test]
fn event_flows() {
    use formwork_formats::evfl::File;
    use formwork_formats::evfl::arena::FileArena;
    compare(
        programs::evfl(),
        &files("evfl", &["bfevfl", "bfevtm"]),
        File::read_owned,
        |file| FileArena::from_value(file).expect("it is not deep"),
        File::write,
        |a, b| a.same_spelling(b),
    );
}

#[test]
fn trees() {
    use formwork_formats::esf::File;
    use formwork_formats::esf::arena::FileArena;
    compare(
        programs::esf(),
        &files("esf", &["esf", "replay"]),
        File::read_owned,
        |file| FileArena::from_value(file).expect("it is not deep"),
        File::write,
        |a, b| a.same_spelling(b),
    );
}

#[test]
fn what_is_wrong_has_its_path() {
    use formwork_formats::evfl::{Event, File};
    let head = r#"{"tool": "formwork 0.1.0", "format": "evfl", "schema_version": 1, "value": "#;
    let wrong = |value: &str| {
        let result = serde_json::from_str::<File>(&format!("{head}{value}}}"));
        result.expect_err("something is wrong").to_string()
    };
    let cases = [
        (
            "[]",
            "value: expected an object with the fields of `File` (header, flowcharts, flowchart_names, timelines, timeline_names, strings, relocations, other_writer), found a list",
        ),
        (
            r#"{"header": []}"#,
            "value.header: expected an object with the fields of `FileHeader` (version, byte_order, alignment_shift, address_size, file_name, flags), found a list",
        ),
    ];
    for (value, expected) in cases {
        assert_eq!(wrong(value), expected);
    }
    let other = serde_json::from_str::<File>(&format!("{}{{}}}}", head.replace("evfl", "esf")));
    let other = other.expect_err("it is of another format").to_string();
    assert_eq!(other, "format: expected the format `evfl`, found `esf`");
    let bare = serde_json::from_str::<Event>(r#"{"name": 3}"#).expect_err("it has a wrong name");
    assert_eq!(bare.to_string(), "name: expected a text, found 3");
    // Bytes of a packed value are not trusted.
    let packed = postcard::to_allocvec(&File::default()).expect("it can be written");
    for end in 0..packed.len() {
        assert!(postcard::from_bytes::<File>(&packed[..end]).is_err(), "{end}");
    }
}
