//! Formats behind one type: which format a file has, and that it is read as that.
#![allow(missing_docs)]

use std::error::Error as _;
use std::fs;
use std::path::{Path, PathBuf};

use formwork::{Format, ReadErrorKind, ReadOptions};
use formwork_formats::{
    AnyFile, FormatId, ReadAnyError, ainb, baev, bfres, detect, esf, evfl, read_any,
};

fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|name| name != "md"));
    let files = paths.map(|path| {
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        (path, bytes)
    });
    let files: Vec<_> = files.collect();
    assert!(files.len() >= 16, "{} files", files.len());
    files
}

#[test]
fn files_are_read_as_what_they_are() {
    for (path, bytes) in fixtures() {
        let format = detect(&bytes).unwrap_or_else(|| panic!("{path:?} is of no format"));
        let extension = path.extension().and_then(|name| name.to_str()).expect("it has one");
        assert!(format.extensions().contains(&extension), "{path:?} is no {format}");
        assert_eq!(FormatId::named(format.name()), Some(format));
        let file = read_any(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        assert_eq!(file.format(), format);
        file.validate().expect("it was just read");
        assert!(file.write().expect("it was just read") == bytes, "{path:?}");
        let owned = file.clone().into_owned();
        assert!(owned == file, "{path:?}");
        match &file {
            AnyFile::Evfl(file) => assert!(evfl::File::read(&bytes).as_ref() == Ok(file)),
            AnyFile::Esf(file) => assert!(esf::File::read(&bytes).as_ref() == Ok(file)),
            AnyFile::Ainb(file) => assert!(ainb::File::read(&bytes).as_ref() == Ok(file)),
            AnyFile::Baev(file) => assert!(baev::File::read(&bytes).as_ref() == Ok(file)),
            AnyFile::Bfres(file) => assert!(bfres::File::read(&bytes).as_ref() == Ok(file)),
            other => panic!("{path:?} is {other:?}"),
        }
    }
}

/// The first bytes are enough, and fewer are not.
#[test]
fn beginnings_are_enough() {
    for (path, bytes) in fixtures() {
        let magic = detect(&bytes).expect("as above").magic();
        let length = |magic: &formwork::Magic| magic.offset as usize + magic.allowed[0].len();
        let enough = magic.iter().map(length).max().expect("there is some");
        assert_eq!(detect(&bytes[..enough]), detect(&bytes), "{path:?}");
        assert_eq!(detect(&bytes[..enough - 1]), None, "{path:?}");
    }
    assert_eq!(detect(b""), None);
    assert_eq!(evfl::File::MAGIC[0].allowed, [b"BFEVFL\0\0"]);
    assert!(evfl::File::MAGIC.iter().map(formwork::Magic::bits).sum::<u64>() >= 64);
}

#[test]
fn errors_say_which_format_it_seemed_to_be() {
    assert_eq!(read_any(b"nothing that is known"), Err(ReadAnyError::Unknown));
    let (_, bytes) = fixtures().pop().expect("there are some");
    let format = detect(&bytes).expect("as above");
    let error = read_any(&bytes[..bytes.len() / 2]).expect_err("it is cut off");
    assert_eq!(error.to_string(), format!("the file is no {format}"));
    let source = error.source().expect("that is why");
    assert_eq!(format!("{error:?}"), format!("{error}: {source:?}"));
    let none = ReadOptions::default().budget_factor(0).budget_floor(0);
    let error = format.read(&bytes, &none).expect_err("nothing may be read");
    assert!(matches!(error.kind(), ReadErrorKind::BudgetExceeded { .. }), "{error}");
}

#[test]
fn streams_get_a_whole_file_or_nothing() {
    let mut file = evfl::File::default();
    let mut stream = Vec::new();
    file.write_to(&mut stream).expect("it can be written");
    assert_eq!(stream, file.write().expect("it can be written"));
    let mut flow = evfl::Flowchart::new("Door");
    flow.entry_points = vec![evfl::EntryPoint::new("Knock")];
    flow.entry_points[0].main_event = Some(evfl::EventIndex::at(0));
    file.flowcharts = vec![flow];
    stream.clear();
    let error = file.write_to(&mut stream).expect_err("there is no such event");
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    assert!(stream.is_empty());
    let inner = error.get_ref().expect("what the writer says").to_string();
    assert_eq!(inner, file.write().expect_err("as before").to_string());
}
