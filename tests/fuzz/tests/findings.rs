//! What fuzz targets have found, as small as it gets: files of our own with a few other bytes.
//!
//! Texts that the front end could not bear are in `tests/ui`.

use arbitrary::{Arbitrary as _, Unstructured};
use formwork_properties::{Case, Check, Outcome, Property, amounts, laws, mutate, value_text};
use formwork_tests_fuzz::{fixtures, subjects};

fn subject(name: &str) -> Box<dyn Check> {
    let found = subjects().into_iter().find(|(known, _)| *known == name);
    found.expect("there is such a format").1
}

fn fixture(subject: &dyn Check, name: &str) -> Vec<u8> {
    let found = fixtures(subject).into_iter().find(|(known, _)| known == name);
    found.expect("there is such a fixture").1
}

#[track_caller]
fn outcome(subject: &dyn Check, property: Property, bytes: &[u8]) -> Outcome {
    let input = Case::input(property, &[0; 16], bytes);
    let case = Case::of(&input).expect("it is long enough");
    subject.check(&case).unwrap_or_else(|broken| panic!("{}: {broken}", property.name()))
}

/// The number of texts in the pool is one too small, and a label still leads to the last text, which
/// lies behind the pool.
#[test]
fn a_text_may_lie_beside_its_pool() {
    let subject = subject("evfl");
    let mut bytes = fixture(&*subject, "both.bfevfl");
    let pool = bytes.windows(4).position(|four| four == b"STR ").expect("it has a pool");
    bytes[pool + 0x10] -= 1;
    assert_eq!(outcome(&*subject, Property::Rewrite, &bytes), Outcome::Held);
    assert_ne!(outcome(&*subject, Property::Engines, &bytes), Outcome::Refused);
}

/// Bytes behind the last object that count for the file's size.
#[test]
fn a_gap_at_the_end_is_kept() {
    let subject = subject("evfl");
    let mut bytes = fixture(&*subject, "nothing.bfevfl");
    bytes.extend([7; 8]);
    let size = u32::try_from(bytes.len()).expect("it is small");
    bytes[0x1c..0x20].copy_from_slice(&size.to_le_bytes());
    assert_eq!(outcome(&*subject, Property::Rewrite, &bytes), Outcome::Held);
}

/// Both arrays of the relocation table deviate, and JSON names them in another order than the
/// reader met them.
#[test]
fn the_order_of_deviations_means_nothing() {
    let subject = subject("evfl");
    let mut bytes = fixture(&*subject, "nothing.bfevfl");
    let table = bytes.windows(4).rposition(|four| four == b"RELT").expect("it has a table");
    let entry_count = table + 0x10 + 0x14;
    bytes[entry_count..entry_count + 4].fill(0);
    for property in [Property::Edit, Property::Rewrite, Property::Engines] {
        outcome(&*subject, property, &bytes);
    }
    assert_eq!(outcome(&*subject, Property::Engines, &bytes), Outcome::Held);
}

/// Padding that is not zero, in an element of the relocation table, which no value has.
#[test]
fn padding_of_computed_elements_is_kept() {
    let subject = subject("evfl");
    let mut bytes = fixture(&*subject, "nothing.bfevfl");
    let table = bytes.windows(4).rposition(|four| four == b"RELT").expect("it has a table");
    bytes[table + 0x10 + 7] = 0x0f;
    assert_eq!(outcome(&*subject, Property::Rewrite, &bytes), Outcome::Refused);
    let lenient = Case::input_read_as(1, Property::Rewrite, &[], &bytes);
    let case = Case::of(&lenient).expect("it is long enough");
    assert_eq!(subject.check(&case).expect("it holds"), Outcome::Held);
}

/// Bytes without meaning, the same for each seed.
fn noise(seed: u32) -> Vec<u8> {
    (0_u32..200)
        .map(|at| (seed.wrapping_mul(2_654_435_761) ^ at.wrapping_mul(0x9e37_79b9)) >> 13)
        .map(|number| number.to_le_bytes()[0])
        .collect()
}

/// Keys of made texts once differed from those that referred to them, lengths from what said them,
/// and a table that the root refers to had no elements.
#[test]
fn made_values_agree_with_themselves() {
    use formwork_formats::esf::{File, Node};
    let (mut keys, mut sized) = (0, 0);
    for seed in 0_u32..2000 {
        let bytes = noise(seed);
        // The first byte decides whether the value heeds the schema.
        if bytes[0] % 16 == 15 {
            continue;
        }
        let Ok(file) = File::arbitrary(&mut Unstructured::new(&bytes)) else { continue };
        keys += u32::from(file.root.nodes.iter().any(|node| matches!(node, Node::AsciiKey(_))));
        sized += u32::from(file.root.nodes.iter().any(|node| matches!(node, Node::Unknown26(_))));
        if let Err(error) = file.write() {
            panic!("seed {seed}: {error}");
        }
    }
    assert!(keys > 0 && sized > 0, "{keys} values have keys, {sized} lengths of their own");
}

/// A made value once asked for gigabytes of zero bytes, which the writer then wrote.
#[test]
fn made_values_ask_for_few_zero_bytes() {
    let mut padded = 0;
    for seed in 0_u32..2000 {
        let bytes = noise(seed);
        let made = formwork_formats::esf::File::arbitrary(&mut Unstructured::new(&bytes));
        let Ok(file) = made else { continue };
        padded += u32::from(file.padding > 0);
        assert!(file.padding <= 4096, "{} zero bytes", file.padding);
    }
    assert!(padded > 0, "no value has any");
}

/// Nor does a value that was read and changed in one field.
#[test]
fn edited_values_ask_for_few_zero_bytes() {
    let subject = subject("esf");
    let (_, bytes) = fixtures(&*subject).into_iter().next().expect("it has fixtures");
    let before = laws::value_of(subject.program(), &bytes).expect("the fixture can be read");
    let amounts = amounts::names(subject.program().model());
    let mut padded = 0;
    for seed in 0..20_000 {
        let mut value = before.clone();
        let changed = mutate::value(&mut Unstructured::new(&noise(seed)), &mut value, &amounts);
        let Ok(_) = changed else { continue };
        let Some(padding) = value.get("padding").map(value_text::line) else { continue };
        let Ok(padding) = padding.parse::<i128>() else { continue };
        padded += u32::from(padding > 8);
        assert!(padding <= 4096, "{padding} zero bytes");
    }
    assert!(padded > 0, "no value has more");
}
