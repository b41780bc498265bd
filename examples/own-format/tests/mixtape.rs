//! What is written is read as the same value, and written as the same bytes.

use own_format::mixtape::File;
use own_format::tape;

#[test]
fn read_gives_what_was_written() {
    let bytes = tape().write().expect("the format can hold it");
    let file = File::read(&bytes).expect("it was just written");
    assert_eq!(file, tape());
    assert_eq!(file.write().expect("it was just read"), bytes);
}

#[test]
fn counts_follow() {
    let mut tape = tape();
    tape.songs.truncate(1);
    let bytes = tape.write().expect("the format can hold it");
    assert_eq!(bytes[6..8], [1, 0]);
}

#[test]
fn older_version_has_no_beats() {
    let mut tape = tape();
    tape.version = 1;
    let error = tape.write().expect_err("version 1 has no place for beats");
    assert!(error.to_string().contains("songs[0].beats"), "{error}");

    for song in &mut tape.songs {
        song.beats = None;
        if let Some(answer) = &mut song.answer {
            answer.beats = None;
        }
    }
    let bytes = tape.write().expect("the format can hold it");
    assert_eq!(File::read(&bytes).expect("it was just written"), tape);
}

#[test]
fn errors_say_where() {
    let mut bytes = tape().write().expect("the format can hold it");
    bytes[0] = b'm';
    let error = File::read(&bytes).expect_err("it is no mixtape");
    assert_eq!((error.kind().code(), error.offset()), ("not_equal", 0));
}
