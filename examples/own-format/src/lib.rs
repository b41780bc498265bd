//! A format of one's own: `schema/mixtape.kdl` says what a file looks like, and the module
//! [`mixtape`] is what Formwork makes of it.

/// Reads and writes mixtapes.
pub mod mixtape {
    formwork::schema!("mixtape");
}

use mixtape::{File, Mood, Song, SongLive, SongRadio, SongSource, SongStudio, Traits};

/// A tape that is made here, from nothing.
#[must_use]
pub fn tape() -> File<'static> {
    let reply = Song {
        name: "I Heard You".into(),
        seconds: 187,
        mood: Mood::HAPPY,
        source: SongSource::Live(SongLive { year: 1991, crowd: 12_000, ..Default::default() }),
        beats: Some(128),
        ..Default::default()
    };
    let songs = vec![
        Song {
            name: "Is Anybody Out There".into(),
            seconds: 241,
            mood: Mood::CALM,
            traits: Traits::default().with_stars(5),
            source: SongSource::Studio(SongStudio { year: 1987, ..Default::default() }),
            answer: Some(Box::new(reply)),
            beats: Some(92),
            ..Default::default()
        },
        Song {
            name: "Night Signal".into(),
            seconds: 305,
            mood: Mood::ANGRY,
            traits: Traits::default().with_loud(true).with_stars(3),
            source: SongSource::Radio(SongRadio { station: 7, ..Default::default() }),
            beats: Some(160),
            ..Default::default()
        },
    ];
    File {
        version: 2,
        title: "For the Long Road".into(),
        songs,
        dedication: Some("whoever finds it".into()),
        ..Default::default()
    }
}
