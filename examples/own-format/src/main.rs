//! Makes a mixtape, writes it, reads it back, and prints what is on it.

use std::error::Error;

use own_format::mixtape::{File, Song, SongSource};
use own_format::tape;

fn main() -> Result<(), Box<dyn Error>> {
    // No offset and no count is in the value: they follow from it.
    let bytes = tape().write()?;
    println!("{} bytes, version {}", bytes.len(), u16::from_le_bytes([bytes[4], bytes[5]]));

    let mut file = File::read(&bytes)?;
    println!("{}", file.title);
    for song in &file.songs {
        print(song, "");
    }

    // An edit moves everything behind it, and the writer knows.
    file.songs[0].name = "Is Anybody Out There (Tonight)".into();
    let edited = file.write()?;
    println!("{} bytes after an edit", edited.len());
    assert_eq!(File::read(&edited)?, file);

    // What the format cannot hold is refused, with its place.
    file.version = 3;
    if let Err(error) = file.write() {
        println!("{error}");
    }
    Ok(())
}

fn print(song: &Song<'_>, indent: &str) {
    let source = match &song.source {
        SongSource::Studio(studio) => format!("{}", studio.year),
        SongSource::Live(live) => format!("live in {}, {} people", live.year, live.crowd),
        SongSource::Radio(radio) => format!("from radio station {}", radio.station),
    };
    let mood = song.mood.name().unwrap_or("?");
    let stars = "*".repeat(song.traits.stars().into());
    println!("{indent}- {} ({}s, {mood}, {source}) {stars}", song.name, song.seconds);
    if let Some(answer) = &song.answer {
        print(answer, "    answered by ");
    }
}
