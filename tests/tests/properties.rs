//! Properties of the algorithms, for values that nobody thought of.

use std::collections::BTreeSet;
use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};
use arbtest::arbtest;
use formwork::algorithms::{GroupOrder, read_varint, store_varint, varint_width};
use formwork_interpreter::{KeptKind, Program, Value, program, write};
use formwork_properties::mutate;
use formwork_tests::flows::{self, int, list, record, text};
use formwork_tests::golden::features;
use formwork_tests::laws::{self, Broken};
use formwork_tests::{archives, graphs, programs, resources, samples, trees};

/// Milliseconds that each property is tried for.
const BUDGET: u64 = 1500;

fn golden(name: &str) -> Program {
    let path = samples::workspace().join("tests/golden").join(name).with_extension("kdl");
    programs::from_file(&path).unwrap_or_else(|error| panic!("{error}"))
}

/// Short texts of few different characters, so that they share beginnings and ends.
fn short_text(u: &mut Unstructured<'_>) -> Result<String> {
    let length = u.int_in_range(0..=6)?;
    (0..length).map(|_| u.choose(&['a', 'b', 'c', 'A', '1', 'é', '世']).copied()).collect()
}

/// All laws for a value that must be accepted.
fn all_laws(model: &Program, value: &Value) {
    let check = |law: &str, result: std::result::Result<(), Broken>| {
        if let Err(broken) = result {
            panic!("{law}: {broken}\n{}", formwork_tests::value_text::print(value));
        }
    };
    check("put-get", laws::put_get(model, value).map(drop));
    check("stable", laws::stable(model, value));
    check("canonical", laws::canonical(model, value));
}

#[test]
fn dictionaries_of_any_names() {
    for name in ["dictionary", "dictionary_keys"] {
        let model = golden(name);
        let value_row = if name == "dictionary" { "size" } else { "value" };
        arbtest(|u| {
            let mut names = BTreeSet::new();
            for _ in 0..u.int_in_range(0..=24)? {
                names.insert(short_text(u)?);
            }
            names.remove("");
            // Not sorted.
            let mut names: Vec<String> = names.into_iter().collect();
            for i in (1..names.len()).rev() {
                names.swap(i, u.int_in_range(0..=i)?);
            }
            let item = |name: &String| record([("name", text(name)), (value_row, int(7))]);
            all_laws(&model, &record([("items", list(names.iter().map(item)))]));
            Ok(())
        })
        .budget_ms(BUDGET);
    }
}

#[test]
fn pools_of_any_texts() {
    for (name, labels) in [("pool_used", "more"), ("pool_orders", "labels")] {
        let model = golden(name);
        arbtest(|u| {
            let mut texts = Vec::new();
            let count = if name == "pool_used" { 2 } else { u.int_in_range(0..=16)? };
            for _ in 0..count {
                texts.push(text(&short_text(u)?));
            }
            let value = if name == "pool_used" {
                record([
                    ("first", text(&short_text(u)?)),
                    ("second", text(&short_text(u)?)),
                    (labels, Value::Array(texts)),
                ])
            } else {
                let mut sorted = Vec::new();
                for _ in 0..u.int_in_range(0..=8)? {
                    sorted.push(text(&short_text(u)?));
                }
                record([(labels, Value::Array(texts)), ("sorted", Value::Array(sorted))])
            };
            all_laws(&model, &value);
            Ok(())
        })
        .budget_ms(BUDGET);
    }
}

#[test]
fn relocation_tables_of_any_pointers() {
    let masks = golden("relocation_masks");
    let runs = golden("relocation_runs");
    arbtest(|u| {
        let leaf = |u: &mut Unstructured<'_>| -> Result<Value> {
            Ok(record([("value", int(u.int_in_range(0..=9)?))]))
        };
        let maybe = |u: &mut Unstructured<'_>| -> Result<Value> {
            Ok(if u.arbitrary()? { leaf(u)? } else { Value::None })
        };
        let leaves = |u: &mut Unstructured<'_>, most| -> Result<Value> {
            let count = u.int_in_range(0..=most)?;
            Ok(Value::Array((0..count).map(|_| leaf(u)).collect::<Result<_>>()?))
        };
        let array = leaves(u, 3)?;
        // With a pointer to an array that is set, the other policy cannot be seen.
        let lists_empty = array.elements().is_none_or(|a| !a.is_empty()) || u.arbitrary()?;
        let value = record([
            ("leaf", maybe(u)?),
            ("unset", maybe(u)?),
            ("array", array),
            ("hidden", maybe(u)?),
            ("own", maybe(u)?),
            ("many", leaves(u, 80)?),
            ("lists_empty", Value::Bool(lists_empty)),
        ]);
        all_laws(&masks, &value);

        let mut pairs = Vec::new();
        for _ in 0..u.int_in_range(0..=20)? {
            pairs.push(record([("a", maybe(u)?), ("b", maybe(u)?), ("value", int(1))]));
        }
        let value = [("pairs", Value::Array(pairs)), ("far", maybe(u)?), ("value", int(2))];
        if value[1].1 != Value::None {
            all_laws(&runs, &record(value));
        }
        Ok(())
    })
    .budget_ms(BUDGET);
}

#[test]
fn varints_of_any_width() {
    arbtest(|u| {
        let value = u.arbitrary::<u64>()? >> u.int_in_range(0..=63)?;
        let shortest = varint_width(value);
        let width = u.int_in_range(1..=12)?;
        for order in [GroupOrder::MsbFirst, GroupOrder::LsbFirst] {
            let mut bytes = vec![0xaa];
            let stored = store_varint(&mut bytes, value, width, order);
            assert_eq!(stored, width >= shortest);
            if stored {
                assert_eq!(bytes.len(), 1 + usize::from(width));
                let read = read_varint(&bytes, 1, order, 12, 64).expect("it is read");
                assert_eq!(read, (value, width));
                assert!(read_varint(&bytes, 1, order, width - 1, 64).is_err());
            }
        }
        Ok(())
    })
    .budget_ms(BUDGET);

    let model = golden("varints");
    arbtest(|u| {
        let numbers = |u: &mut Unstructured<'_>| -> Result<Vec<Value>> {
            (0..u.int_in_range(0..=5)?)
                .map(|_| Ok(int((u.arbitrary::<u32>()? >> u.int_in_range(0..=31)?).into())))
                .collect()
        };
        let bytes: Vec<Value> = (0..u.int_in_range(0..=200)?).map(|n| int(n % 256)).collect();
        let value = record([
            ("a", int(u.arbitrary::<u32>()?.into())),
            ("b", int(u.arbitrary::<u64>()?.into())),
            ("nodes", record([("items", Value::Array(bytes))])),
            ("c", int(u.int_in_range(0..=16383)?)),
            ("list", Value::Array(numbers(u)?)),
        ]);
        all_laws(&model, &value);
        Ok(())
    })
    .budget_ms(BUDGET);
}

#[test]
fn kept_spellings_change_nothing_else() {
    let model = golden("varints");
    arbtest(|u| {
        // Any bytes that are read have the same value without their spellings.
        let bytes: Vec<u8> = Vec::arbitrary(u)?;
        let Ok(value) = laws::value_of(&model, &bytes) else { return Ok(()) };
        value.for_each_kept(&mut |kept| assert_eq!(kept.kind, KeptKind::Width));
        assert_eq!(write(&model, &value).expect("what was read is written"), bytes);
        all_laws(&model, &value);
        Ok(())
    })
    .budget_ms(BUDGET);
}

/// An integer expression over `a` and `b`.
#[derive(Debug)]
enum Ex {
    Number(i128),
    A,
    B,
    Unary(&'static str, Box<Ex>),
    Binary(&'static str, Box<Ex>, Box<Ex>),
    If(&'static str, Box<[Ex; 4]>),
}

impl Ex {
    fn arbitrary(u: &mut Unstructured<'_>, depth: u32) -> Result<Ex> {
        let inner = |u: &mut Unstructured<'_>| Ex::arbitrary(u, depth + 1);
        let most = if depth > 4 { 2 } else { 9 };
        Ok(match u.int_in_range(0..=most)? {
            0 => Ex::Number(u.int_in_range(0..=300)?),
            1 => Ex::A,
            2 => Ex::B,
            3 => Ex::Unary(u.choose(&["-", "~"])?, Box::new(inner(u)?)),
            4 => {
                let compare = u.choose(&["==", "!=", "<", "<=", ">", ">="])?;
                Ex::If(compare, Box::new([inner(u)?, inner(u)?, inner(u)?, inner(u)?]))
            }
            _ => {
                let operators = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
                let operator = u.choose(&operators)?;
                Ex::Binary(operator, Box::new(inner(u)?), Box::new(inner(u)?))
            }
        })
    }

    /// What the language reference says it is; `None` for an error.
    fn value(&self, a: i128, b: i128) -> Option<i128> {
        match self {
            Ex::Number(number) => Some(*number),
            Ex::A => Some(a),
            Ex::B => Some(b),
            Ex::Unary("-", x) => x.value(a, b)?.checked_neg(),
            Ex::Unary(_, x) => Some(!x.value(a, b)?),
            Ex::If(compare, parts) => {
                let [x, y, then, otherwise] = &**parts;
                let (x, y) = (x.value(a, b)?, y.value(a, b)?);
                let holds = match *compare {
                    "==" => x == y,
                    "!=" => x != y,
                    "<" => x < y,
                    "<=" => x <= y,
                    ">" => x > y,
                    _ => x >= y,
                };
                if holds { then.value(a, b) } else { otherwise.value(a, b) }
            }
            Ex::Binary(operator, x, y) => {
                let (x, y) = (x.value(a, b)?, y.value(a, b)?);
                let shift = u32::try_from(y).ok().filter(|shift| *shift < 128);
                match *operator {
                    "+" => x.checked_add(y),
                    "-" => x.checked_sub(y),
                    "*" => x.checked_mul(y),
                    // Down, so that the remainder is not negative for a positive divisor.
                    "/" => {
                        let quotient = x.checked_div(y)?;
                        let inexact = x.checked_rem(y)? != 0;
                        Some(if inexact && (x < 0) != (y < 0) { quotient - 1 } else { quotient })
                    }
                    "%" => x.checked_rem_euclid(y),
                    "&" => Some(x & y),
                    "|" => Some(x | y),
                    "^" => Some(x ^ y),
                    // Bits that are shifted out at the top would be lost.
                    "<<" => {
                        let shifted = x.checked_shl(shift?)?;
                        (shifted >> shift? == x).then_some(shifted)
                    }
                    _ => x.checked_shr(shift?),
                }
            }
        }
    }

    /// Binding strength of the outermost operator.
    fn strength(&self) -> u32 {
        match self {
            Ex::Number(_) | Ex::A | Ex::B => 10,
            Ex::Unary(..) => 9,
            Ex::If(..) => 0,
            Ex::Binary(operator, ..) => match *operator {
                "*" | "/" | "%" => 8,
                "+" | "-" => 7,
                "<<" | ">>" => 6,
                "&" => 5,
                "^" => 4,
                _ => 3,
            },
        }
    }
}

/// With no more parentheses than needed, so that precedence is tried too.
impl fmt::Display for Ex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_least = |f: &mut fmt::Formatter<'_>, ex: &Ex, strength: u32| {
            if ex.strength() < strength { write!(f, "({ex})") } else { write!(f, "{ex}") }
        };
        match self {
            Ex::Number(number) => write!(f, "{number}"),
            Ex::A => f.write_str("a"),
            Ex::B => f.write_str("b"),
            Ex::Unary(operator, x) => {
                f.write_str(operator)?;
                at_least(f, x, 9)
            }
            Ex::Binary(operator, x, y) => {
                at_least(f, x, self.strength())?;
                write!(f, " {operator} ")?;
                at_least(f, y, self.strength() + 1)
            }
            Ex::If(compare, parts) => {
                let [x, y, then, otherwise] = &**parts;
                at_least(f, x, 3)?;
                write!(f, " {compare} ")?;
                at_least(f, y, 3)?;
                f.write_str(" ? ")?;
                at_least(f, then, 1)?;
                f.write_str(" : ")?;
                at_least(f, otherwise, 0)
            }
        }
    }
}

#[test]
fn expressions_mean_what_they_say() {
    let mut evaluated = 0;
    arbtest(|u| {
        let ex = Ex::arbitrary(u, 0)?;
        let schema = format!(
            "module t \"Expressions\" root=File endian=little\n\
             struct File 0x18 {{ i64 a 0x00; i64 b 0x08; i64 r 0x10 is=\"0 * a + ({ex})\" }}\n"
        );
        let (a, b) = (u.int_in_range(-300..=300)?, u.int_in_range(-300..=300)?);
        let expected = ex.value(a, b).and_then(|value| i64::try_from(value).ok());
        let model = match programs::from_text("t.kdl", &schema, None) {
            Ok(model) => model,
            Err(error) => {
                // The checker finds some expressions that cannot have a value.
                assert!(expected.is_none(), "`{ex}`: {error}");
                return Ok(());
            }
        };
        let written = write(&model, &record([("a", int(a)), ("b", int(b))]));
        match (written, expected) {
            (Ok(bytes), Some(value)) => {
                assert_eq!(bytes[16..], value.to_le_bytes(), "`{ex}` with a = {a}, b = {b}");
                evaluated += 1;
            }
            (Err(_), None) => {}
            (Ok(bytes), None) => panic!("`{ex}` with a = {a}, b = {b} is {:?}", &bytes[16..]),
            (Err(error), Some(value)) => {
                panic!("`{ex}` with a = {a}, b = {b} is {value}, but: {error}");
            }
        }
        Ok(())
    })
    .budget_ms(2 * BUDGET);
    assert!(evaluated > 100, "only {evaluated} expressions have a value");
}

/// `FORMWORK_BUDGET` is the time in milliseconds for all features together, if more is wanted.
#[test]
fn changed_files_are_read_or_refused() {
    let folder = samples::workspace().join("tests/golden");
    let features = features(&folder).expect("the features can be read");
    let mut models: Vec<(Program, Vec<Vec<u8>>)> = features
        .into_iter()
        .filter_map(|feature| {
            let files = feature.files.into_iter().map(|file| file.bytes).collect();
            Some((programs::from_file(&feature.schema).ok()?, files))
        })
        .collect();
    let archives = archives::all().into_iter().map(|(name, made)| (name, made.value()));
    let formats = [
        (programs::evfl(), flows::all()),
        (programs::esf(), trees::all()),
        (programs::ainb(), graphs::all()),
        (programs::baev(), archives.collect()),
        (programs::bfres(), resources::all()),
    ];
    for (model, fixtures) in formats {
        let file = |value| write(model, value).expect("the fixture can be written");
        let files = fixtures.iter().map(|(_, value)| file(value)).collect();
        models.push((program(model.model().clone()), files));
    }
    let budget = std::env::var("FORMWORK_BUDGET").ok().and_then(|ms| ms.parse().ok());
    arbtest(|u| {
        let (model, files) = u.choose(&models)?;
        let file = u.choose(files)?;
        let bytes = mutate::bytes(u, file, 5)?;
        let shown = || format!("{} {bytes:02x?}", model.model().name);
        match laws::total(model, &bytes) {
            Err(broken) => panic!("{broken} in {}", shown()),
            Ok(Ok(value)) => {
                if let laws::Outcome::Failed(broken) = laws::get_put(model, &bytes) {
                    panic!("{broken} in {}", shown());
                }
                for result in [laws::stable(model, &value), laws::canonical(model, &value)] {
                    match result {
                        Ok(()) | Err(Broken::Refused(_)) => {}
                        Err(broken) => panic!("{broken} in {}", shown()),
                    }
                }
            }
            Ok(Err(_)) => {}
        }
        Ok(())
    })
    .budget_ms(budget.unwrap_or(2 * BUDGET));
}

#[test]
fn any_bytes_are_read_or_refused() {
    let names = ["forms", "union_patterns", "when_data", "epochs_when", "terminators", "slices"];
    for name in names {
        let model = golden(name);
        arbtest(|u| {
            let bytes: Vec<u8> = Vec::arbitrary(u)?;
            match laws::total(&model, &bytes) {
                Err(broken) => panic!("{name}: {broken}"),
                Ok(Ok(value)) => {
                    if let laws::Outcome::Failed(broken) = laws::get_put(&model, &bytes) {
                        panic!("{name}: {broken} {bytes:02x?}\n{value:?}");
                    }
                }
                Ok(Err(_)) => {}
            }
            Ok(())
        })
        .budget_ms(BUDGET / 3);
    }
}
