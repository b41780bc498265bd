//! Code with every combination of options does the same.

use formwork::Format;

/// The file of the README.
const LEVEL: &[u8] = b"LEVL\x01\0\x02\0\x10\0\0\0\x18\0\0\0\x05\x06\x01\0\x07\x08\xff\0\x02hi\0";

fn kept<F: Format>(bytes: &[u8]) {
    let file = F::read(bytes).expect("it is such a file");
    file.validate().expect("it was just read");
    assert!(file.write().expect("it was just read") == bytes, "{}", F::NAME);
    let owned = F::read_owned(bytes).expect("it is such a file");
    let mut streamed = Vec::new();
    owned.write_to(&mut streamed).expect("a vector takes everything");
    assert!(streamed == bytes, "{}", F::NAME);
    // The first byte is no magic in a format that has none.
    assert_eq!(F::detect(bytes), !F::MAGIC.is_empty());
    assert!(!F::detect(&bytes[1..]));
}

macro_rules! all {
    ($bytes:expr, $($module:ident)* $(, $with_arena:ident)*) => {
        $(
            mod $module {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($module), ".rs"));
            }
            kept::<$module::File>($bytes);
        )*
        $(
            mod $with_arena {
                include!(concat!(env!("OUT_DIR"), "/", stringify!($with_arena), ".rs"));
            }
            kept::<$with_arena::File>($bytes);
            kept::<$with_arena::arena::FileArena>($bytes);
        )*
    };
}

#[test]
fn level() {
    all!(LEVEL, level_0 level_1 level_2 level_3, level_4, level_5, level_6, level_7);
}

#[test]
fn letters() {
    all!(b"hi", letters_0 letters_1 letters_2 letters_3, letters_4, letters_5, letters_6, letters_7);
}

#[test]
fn mixtape() {
    let bytes = {
        mod made {
            include!(concat!(env!("OUT_DIR"), "/mixtape_0.rs"));
        }
        let live = made::SongLive::new(1991, 12_000);
        let mut tape = made::File::new(1, "For the Long Road");
        tape.songs = vec![made::Song::new("I Heard You", 187, made::Mood::HAPPY, live)];
        tape.write().expect("the format can hold it")
    };
    all!(&bytes, mixtape_0 mixtape_1 mixtape_2 mixtape_3, mixtape_4, mixtape_5, mixtape_6, mixtape_7);
}

#[test]
fn wav() {
    let mut sound = b"RIFF\x26\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    sound.extend(b"\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x02\0\0\0\x05\0");
    all!(&sound, wav_0 wav_1 wav_2 wav_3, wav_4, wav_5, wav_6, wav_7);
}
