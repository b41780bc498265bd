//! Values of generated types: defaults, equality, accessors, and how they are shown.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use formwork::inspect::{Inspect, Inspector, RowName};
use formwork::spelling::{KeptKind, KeptValue, SpellingEntry};
use formwork::{Kept, Spelling, Utf16};

#[allow(dead_code)]
mod types {
    include!("../generated/types.rs");
}

use types::{File, Kind, Level, Options, Thing, ThingData, ThingIndex, ThingNumber, ThingParts};

fn file() -> File<'static> {
    File {
        kind: Kind::END,
        things: vec![
            Thing { name: "root".into(), ..Thing::default() },
            Thing {
                name: "leaf".into(),
                parent: Some(ThingIndex::at(0)),
                data: ThingData::Number(ThingNumber { value: -1, extra: None }),
                ..Thing::default()
            },
        ],
        ..File::default()
    }
}

/// A deviation of a row.
fn spelled(row: u16) -> Spelling {
    let mut spelling = Spelling::default();
    spelling.keep(SpellingEntry {
        row,
        index: None,
        kind: KeptKind::Reserved,
        stored: KeptValue::Bytes(vec![1]),
        instead_of: KeptValue::None,
    });
    spelling
}

#[test]
fn defaults_are_those_of_the_schema() {
    let file = File::default();
    assert_eq!(file.r#type, 3);
    assert_eq!(file.kind, Kind::START);
    assert_eq!(file.level, Level::Low);
    assert!(file.size.is_canonical() && file.spelling.is_canonical());
    assert!(matches!(Thing::default().data, ThingData::Nothing(_)));
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Values that are equal have one hash; of others it would be chance.
#[test]
fn hashes_are_about_meaning() {
    let (a, mut b) = (file(), file());
    b.things[0].spelling = spelled(3);
    b.size = Kept::from(7);
    b.options.0 |= 0x8000;
    assert!(a == b && hash(&a) == hash(&b) && !a.same_spelling(&b));
    b.things[1].data = ThingNumber { value: -2, extra: None }.into();
    assert_ne!(hash(&a), hash(&b));
    b.things.pop();
    assert_ne!(hash(&a), hash(&b));
}

#[test]
fn cases_by_name() {
    let mut file = file();
    let data = &mut file.things[1].data;
    assert!(data.as_parts().is_none() && data.as_parts_mut().is_none());
    assert_eq!(data.as_number().map(|number| number.value), Some(-1));
    data.as_number_mut().expect("it is a number").value = 5;
    assert_eq!(*data, ThingNumber { value: 5, extra: None }.into());
    *data = ThingParts::default().into();
    assert!(data.as_number().is_none() && data.as_parts().is_some());
    assert_eq!((data.case(), file.things[0].data.case()), ("parts", "nothing"));
}

#[test]
fn equality_is_about_meaning() {
    let (a, mut b) = (file(), file());
    b.things[0].spelling = spelled(3);
    b.size = Kept::from(7);
    b.options.0 |= 0x8000;
    assert_eq!(a, b);
    assert!(!a.same_spelling(&b));
    assert!(b.same_spelling(&b.clone()));
    b.options.set_loud(true);
    assert_ne!(a, b);

    let (mut a, mut b) = (file(), file());
    a.weights[0] = f32::NAN;
    assert_ne!(a, b);
    b.weights[0] = f32::NAN;
    assert_eq!(a, b);
    b.weights[1] = -0.0;
    assert_ne!(a, b);
}

#[test]
fn owned_values_are_equal() {
    let name = String::from("borrowed");
    let mut file = File::default();
    file.things.push(Thing {
        name: name.as_str().into(),
        data: ThingData::Parts(ThingParts {
            part: Some(Box::new(Thing { name: name.as_str().into(), ..Thing::default() })),
            ..ThingParts::default()
        }),
        spelling: spelled(3),
        ..Thing::default()
    });
    let copy = file.clone();
    let owned: File<'static> = copy.into_owned();
    assert!(owned.same_spelling(&file));
}

#[test]
fn words_have_accessors() {
    let mut options = Options::default().with_loud(true).with_speed(15);
    assert_eq!(options.0, 0x1f);
    options.set_speed(2);
    assert_eq!((options.loud(), options.speed(), options.0), (true, 2, 5));
    assert_eq!(format!("{options:?}"), "Options { loud: true, speed: 2 }");
    assert_eq!((Options::from(5_u16), u16::from(options)), (options, 5));
}

#[test]
#[should_panic(expected = "the value does not fit 4 bits")]
fn wide_values_are_no_field_of_a_word() {
    let _ = Options::default().with_speed(16);
}

#[test]
fn enumerations_have_names() {
    assert_eq!(format!("{:?} {:?} {:?}", Kind::END, Kind(9), Level::High), "end 9 High");
    assert_eq!((Kind::END.name(), Kind(9).name()), (Some("end"), None));
    assert_eq!((Level::from_number(2), Level::from_number(3)), (Some(Level::High), None));
}

/// What is printed is read again, also a number that nobody named.
#[test]
fn enumerations_are_read_and_printed() {
    for kind in [Kind::START, Kind::END, Kind(9)] {
        assert_eq!(kind.to_string().parse(), Ok(kind));
    }
    for level in [Level::Low, Level::High] {
        assert_eq!(level.to_string().parse(), Ok(level));
    }
    assert_eq!(
        format!("{}{:>5}|{:<5}|{:>3}", Kind::END, Kind::END, Level::Low, Kind(9)),
        "end  end|low  |  9"
    );
    let error = "256".parse::<Kind>().expect_err("it is no number of eight bits");
    assert_eq!((error.enumeration(), error.sought()), ("Kind", "256"));
    assert_eq!(error.to_string(), "`Kind` has no member `256`");
    assert!("START".parse::<Kind>().is_err() && "1".parse::<Level>().is_err());
}

#[test]
fn enumerations_are_numbers() {
    assert_eq!((u8::from(Kind(9)), Kind::from(1)), (9, Kind::END));
    assert_eq!((u8::from(Level::High), Level::try_from(1)), (2, Ok(Level::Low)));
    let error = Level::try_from(3).expect_err("it is closed");
    assert_eq!(error.to_string(), "`Level` has no member `3`");
}

#[test]
fn deviations_are_written_as_long_as_they_fit() {
    let kept = Kept::instead_of(7_u32, 3);
    assert_eq!((kept.get(3), kept.get(4)), (7, 4));
    assert_eq!(Kept::from(7).get(4), 7);
    assert_eq!(
        format!("{kept:?} {:?} {:?}", Kept::from(7), Kept::<u8>::default()),
        "7 instead of 3 7 canonical"
    );
    assert_eq!(format!("{:?}", Spelling::default()), "..");
    assert_eq!(size_of::<Spelling>(), size_of::<usize>());
    assert_eq!(size_of::<Option<ThingIndex>>(), 4);
}

#[test]
fn texts_in_units_may_be_broken() {
    let broken = Utf16::from_units(vec![0x41, 0xdc00]);
    assert_eq!(
        (broken.to_string(), format!("{broken:?}")),
        ("A\u{fffd}".into(), "\"A\\u{dc00}\"".into())
    );
    let smile = Utf16::from("A\u{1f600}");
    let owned = String::from("A\u{1f600}");
    assert!(smile == "A\u{1f600}" && smile == owned && smile == *owned.as_str());
    assert!("A\u{1f600}" == smile);
    assert!(*owned.as_str() == smile);
    assert!(smile != "A" && broken != "A\u{fffd}");
    assert_eq!("A\u{1f600}".parse(), Ok(smile.clone()));
    assert_eq!(smile.len(), 3);
    assert_eq!(String::try_from(smile).as_deref(), Ok("A\u{1f600}"));
    assert_eq!(String::try_from(broken.clone()), Err(broken));
}

#[test]
fn values_are_shown_as_the_schema_has_them() {
    let mut file = file();
    file.things[0].spelling = spelled(3);
    file.size = Kept::instead_of(64, 60);
    file.options = Options(0xffff);
    let mut shown = Shown::default();
    file.inspect(&mut shown);
    assert_eq!(
        shown.0,
        "{ options { loud true speed 15 ~#2=Int(2047) } type 3 kind 1=end level 1=low \
         weights [2 0.0 0.0 ] \
         things [2 { name \"root\" parent - data nothing( { } ) ~#3=Bytes([1]) } \
         { name \"leaf\" parent 0 data number( { value -1 extra - } ) } ] ~size=Int(64) } "
    );
}

/// A value in one line.
#[derive(Default)]
struct Shown(String);

impl Shown {
    fn add(&mut self, text: impl std::fmt::Display) {
        let _ = write!(self.0, "{text} ");
    }
}

impl Inspector for Shown {
    fn int(&mut self, number: i128) {
        self.add(number);
    }

    fn float32(&mut self, bits: u32) {
        self.add(format!("{:?}", f32::from_bits(bits)));
    }

    fn float64(&mut self, bits: u64) {
        self.add(format!("{:?}", f64::from_bits(bits)));
    }

    fn bool(&mut self, yes: bool) {
        self.add(yes);
    }

    fn text(&mut self, text: &str) {
        self.add(format!("{text:?}"));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.add(format!("{bytes:?}"));
    }

    fn units(&mut self, units: &[u16]) {
        self.add(format!("{units:?}"));
    }

    fn none(&mut self) {
        self.add("-");
    }

    fn member(&mut self, number: i128, name: Option<&str>) {
        self.add(format!("{number}={}", name.unwrap_or_default()));
    }

    fn begin_list(&mut self, length: usize) {
        self.add(format!("[{length}"));
    }

    fn end_list(&mut self) {
        self.add("]");
    }

    fn begin_struct(&mut self) {
        self.add("{");
    }

    fn field(&mut self, name: &str) {
        self.add(name);
    }

    fn flatten(&mut self, row: u16) {
        self.add(format!("#{row}"));
    }

    fn end_struct(&mut self) {
        self.add("}");
    }

    fn begin_case(&mut self, name: &str) {
        self.add(format!("{name}("));
    }

    fn end_case(&mut self) {
        self.add(")");
    }

    fn begin_spelled(&mut self) {
        self.add("<");
    }

    fn end_spelled(&mut self) {
        self.add(">");
    }

    fn spelling(&mut self, spelling: &Spelling, rows: &[RowName<'_>]) {
        for entry in spelling.entries() {
            let name = rows.get(usize::from(entry.row)).map_or("", |row| row.name);
            self.add(format!("~{name}={:?}", entry.stored));
        }
    }
}
