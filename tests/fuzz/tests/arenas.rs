//! Whatever an arena does in another way than ordinary values is found.

use formwork::{ReadError, ReadOptions, WriteError};
use formwork_formats::esf::{File, arena::FileArena};
use formwork_properties::laws::Broken;
use formwork_properties::{Case, Check, Codec, Outcome, Property, Subject, codec};
use formwork_tests_fuzz::fixtures;

/// An arena that does one thing wrong, or none.
struct Liar<const LIE: u8>(FileArena);

const NOTHING: u8 = 0;
const READS_LESS: u8 = 1;
const READS_NOTHING: u8 = 2;
const TAKES_ANOTHER: u8 = 3;
const GIVES_ANOTHER: u8 = 4;
const WRITES_MORE: u8 = 5;

impl<const LIE: u8> Liar<LIE> {
    fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<Self, ReadError> {
        let bytes = match LIE {
            READS_LESS => &bytes[..bytes.len().saturating_sub(1)],
            READS_NOTHING => &[],
            _ => bytes,
        };
        FileArena::read_with(bytes, options).map(Liar)
    }

    fn from_value(value: &File<'_>) -> Result<Self, WriteError> {
        let taken = if LIE == TAKES_ANOTHER { &File::default() } else { value };
        FileArena::from_value(taken).map(Liar)
    }

    fn to_value(&self) -> Result<File<'static>, WriteError> {
        if LIE == GIVES_ANOTHER { Ok(File::default()) } else { self.0.to_value() }
    }

    fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut bytes = self.0.write()?;
        bytes.extend((LIE == WRITES_MORE).then_some(0));
        Ok(bytes)
    }
}

codec!(Alone: formwork_formats::esf::File<'a>);
codec!(Honest: formwork_formats::esf::File<'a>, arena Liar<NOTHING>);
codec!(ReadsLess: formwork_formats::esf::File<'a>, arena Liar<READS_LESS>);
codec!(ReadsNothing: formwork_formats::esf::File<'a>, arena Liar<READS_NOTHING>);
codec!(TakesAnother: formwork_formats::esf::File<'a>, arena Liar<TAKES_ANOTHER>);
codec!(GivesAnother: formwork_formats::esf::File<'a>, arena Liar<GIVES_ANOTHER>);
codec!(WritesMore: formwork_formats::esf::File<'a>, arena Liar<WRITES_MORE>);

/// What comes of a fixture, without the last bytes.
fn outcome<C: Codec>(property: Property, without: usize) -> Result<Outcome, Broken> {
    let subject = Subject::<C>::built_in("esf").unwrap_or_else(|error| panic!("{error}"));
    let (_, bytes) = fixtures(&subject).into_iter().next().expect("it has fixtures");
    let input = Case::input(property, &[], &bytes[..bytes.len() - without]);
    subject.check(&Case::of(&input).expect("it is long enough"))
}

#[track_caller]
fn is_found<C: Codec>(property: Property, without: usize, words: &str) {
    match outcome::<C>(property, without) {
        Err(Broken::Arena(text)) => assert!(text.contains(words), "{text}"),
        other => panic!("not found: {other:?}"),
    }
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let arena = Property::Arena;
    assert!(matches!(outcome::<Honest>(arena, 0), Ok(Outcome::Held)));
    assert!(matches!(outcome::<Honest>(arena, 1), Ok(Outcome::Refused)));
    assert!(matches!(outcome::<Alone>(arena, 0), Ok(Outcome::Refused)));
}

#[test]
fn what_differs_is_found() {
    let arena = Property::Arena;
    is_found::<ReadsLess>(arena, 0, "only the arena refuses to read");
    is_found::<ReadsNothing>(arena, 1, "for other reasons");
    is_found::<TakesAnother>(arena, 0, "ordinary and arena");
    is_found::<GivesAnother>(arena, 0, "ordinary and arena");
    is_found::<WritesMore>(arena, 0, "written differently");
}

/// What a value is made of matters little: a default one is not equal to a fixture.
#[test]
fn what_differs_in_made_values_is_found() {
    is_found::<GivesAnother>(Property::Make, 0, "ordinary and arena");
    is_found::<WritesMore>(Property::Make, 0, "written differently");
}
