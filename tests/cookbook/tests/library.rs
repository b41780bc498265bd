//! What `docs/library.md` shows, as tests, in a folder with the files that it names.
#![allow(clippy::pedantic, missing_docs, reason = "the page is for people")]

use std::path::Path as Folder;
use std::sync::Once;
use std::{env, fs};

mod mixtape {
    formwork::schema!("mixtape");
}

/// A tape of two songs.
fn tape() -> mixtape::File<'static> {
    use mixtape::{File, Mood, Song, SongLive, SongRadio};

    let mut radio = Song::new("Night Signal", 305, Mood::ANGRY, SongRadio::new(7));
    radio.beats = Some(160);
    let mut live = Song::new("I Heard You", 187, Mood::HAPPY, SongLive::new(1991, 12_000));
    live.beats = Some(128);
    let mut tape = File::new(2, "For the Long Road");
    tape.songs = vec![radio, live];
    tape
}

/// Goes to a folder of this test alone, with files by short names.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let example = Folder::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-format");
        let folder = Folder::new(env!("CARGO_TARGET_TMPDIR")).join("library");
        fs::create_dir_all(&folder).expect("the folder can be made");
        fs::copy(example.join("schema/mixtape.kdl"), folder.join("mixtape.kdl"))
            .expect("there is such a file");
        let bytes = tape().write().expect("it can be written");
        fs::write(folder.join("road.mix"), bytes).expect("the file can be written");
        env::set_current_dir(&folder).expect("it was just made");
    });
}

include!(concat!(env!("OUT_DIR"), "/library.rs"));
