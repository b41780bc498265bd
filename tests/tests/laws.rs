//! The laws hold for the files of all features, whole, cut and changed.

use formwork::algorithms::{FNV1A_SEED, fnv1a_32};
use formwork::{ReadErrorKind, ReadOptions};
use formwork_interpreter::{Program, Value, in_layout, read, write};
use formwork_tests::flows::{case, int, list, record};
use formwork_tests::golden::{Feature, features};
use formwork_tests::laws::{self, Broken, Outcome};
use formwork_tests::seeds::Noise;
use formwork_tests::{edit, programs, samples};

fn each(action: impl Fn(&Feature, &Program, &mut Vec<String>)) {
    let mut problems = Vec::new();
    let only = std::env::var("GOLDEN").unwrap_or_default();
    let folder = samples::workspace().join("tests/golden");
    for feature in features(&folder).expect("the features can be read") {
        let name = feature.schema.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !name.contains(&only) {
            continue;
        }
        match programs::from_file(&feature.schema) {
            // The goldens report what is wrong with a schema.
            Err(_) => println!("SKIPPED {name}: its schema is not clean"),
            Ok(model) => {
                let mut own = Vec::new();
                action(&feature, &model, &mut own);
                problems.extend(own.into_iter().map(|problem| format!("{name}, {problem}")));
            }
        }
    }
    let shown: Vec<_> = problems.iter().take(200).cloned().collect();
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), shown.join("\n"));
}

/// What reads is written as the same bytes; and with a field changed it is refused, or read again as
/// what was written.
fn check(model: &Program, bytes: &[u8]) -> Result<(), String> {
    let lenient = ReadOptions::default().lenient(true);
    if laws::total(model, bytes).map_err(|broken| broken.to_string())?.is_err() {
        return Ok(());
    }
    // Each file has chances of its own, the same in every run; most have none.
    let chance = fnv1a_32(bytes, FNV1A_SEED);
    if chance.is_multiple_of(4) {
        let choice = Noise::new(chance.into()).bytes(16);
        let changed = edit::check(model, &choice, bytes, &lenient);
        changed.map_err(|broken| format!("with a changed field: {broken}"))?;
    }
    match laws::get_put(model, bytes) {
        Outcome::Identical => Ok(()),
        Outcome::Equivalent(difference) => Err(format!("written differently: {difference}")),
        Outcome::Failed(broken) => Err(broken.to_string()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn cut_files_are_errors_or_files() {
    each(|feature, model, problems| {
        for file in &feature.files {
            for size in 0..file.bytes.len() {
                if let Err(error) = check(model, &file.bytes[..size]) {
                    problems.push(format!("{} cut to {size} bytes: {error}", file.name));
                }
            }
        }
    });
}

#[test]
fn changed_files_are_errors_or_files() {
    each(|feature, model, problems| {
        for file in &feature.files {
            let mut seen = 0;
            for at in 0..file.bytes.len() {
                let old = file.bytes[at];
                let flips = (0..8).map(|bit| old ^ (1 << bit));
                for new in flips.chain([0x00, 0x7f, 0x80, 0xff, old.wrapping_add(1)]) {
                    let mut bytes = file.bytes.clone();
                    bytes[at] = new;
                    if let Err(error) = check(model, &bytes) {
                        seen += 1;
                        if seen < 4 {
                            let place = format!("{} with {new:02x} at 0x{at:x}", file.name);
                            problems.push(format!("{place}: {error}\n    {}", hex(&bytes)));
                        }
                    }
                }
            }
        }
    });
}

/// What is read of a file that is trusted, if that is right: the value that is read otherwise; and if the
/// file is refused otherwise, and the value can be written, then a file with that value.
fn trusted(program: &Program, bytes: &[u8]) -> Result<(), String> {
    let value = |options| read(program, bytes, &options).map(|document| document.value());
    let trusted = value(ReadOptions::default().trusting(true));
    match (value(ReadOptions::default()), trusted) {
        (Ok(value), Ok(trusted)) if value == trusted => Ok(()),
        (Ok(_), Ok(trusted)) => Err(format!("another value is trusted: {trusted:?}")),
        (Ok(_), Err(error)) => Err(format!("it is refused if it is trusted: {error}")),
        (Err(_), Err(_)) => Ok(()),
        (Err(error), Ok(trusted)) => {
            let Ok(written) = write(program, &trusted) else { return Ok(()) };
            let again = read(program, &written, &ReadOptions::default());
            match again.map(|document| document.value()) {
                Ok(again) if again == trusted => Ok(()),
                again => Err(format!("{error}; trusted, and written as {again:?}")),
            }
        }
    }
}

#[test]
fn files_that_are_trusted_have_the_same_values() {
    each(|feature, model, problems| {
        for file in &feature.files {
            let changed = (0..file.bytes.len()).map(|at| {
                let mut bytes = file.bytes.clone();
                bytes[at] = bytes[at].wrapping_add(1);
                bytes
            });
            let all = std::iter::once(file.bytes.clone()).chain(changed);
            let found = all.filter_map(|bytes| Some((trusted(model, &bytes).err()?, hex(&bytes))));
            for (error, bytes) in found.take(3) {
                problems.push(format!("{}: {error}\n    {bytes}", file.name));
            }
        }
    });
}

/// What follows from the value is not compared, and what is unusual in it is not kept.
#[test]
fn what_follows_from_the_value_is_trusted() {
    let program = programs::from_text(
        "trust.kdl",
        "module t \"Trust\" root=File endian=little\n\
         string Text length=until-nul\n\
         pointer Label u8 to=Text in=File.texts.texts\n\
         struct File { u8 sum is=\"sum(list)\"; u8 list count=2 max=9; Label a; Label b; Texts texts }\n\
         struct Texts { pool texts of=Text }\n",
        None,
    )
    .expect("the schema is right");
    let trusting = ReadOptions::default().trusting(true);
    let strictly = |bytes: &[u8]| read(&program, bytes, &ReadOptions::default()).map(drop);
    let trusted = |bytes: &[u8]| {
        let document = read(&program, bytes, &trusting).map_err(|error| error.kind().code())?;
        Ok(document.write().expect("it can be written"))
    };
    let usual = b"\x03\x01\x02\x05\x07b\0a\0";
    assert_eq!(trusted(usual).as_deref(), Ok(&usual[..]));
    // A wrong sum, and texts in another order, which nobody remembers.
    assert!(strictly(b"\x04\x01\x02\x05\x07b\0a\0").is_err());
    assert_eq!(trusted(b"\x04\x01\x02\x05\x07b\0a\0").as_deref(), Ok(&usual[..]));
    assert!(strictly(b"\x03\x01\x02\x07\x05a\0b\0").is_ok());
    assert_eq!(trusted(b"\x03\x01\x02\x07\x05a\0b\0").as_deref(), Ok(&usual[..]));
    // Rules about values hold.
    assert_eq!(trusted(b"\x03\x0a\x02\x05\x07b\0a\0"), Err("above_maximum"));
}

/// A file of `recursion.kdl` with so many lists in each other.
fn nested(levels: u16) -> Vec<u8> {
    let mut bytes = vec![0, 0];
    bytes.extend_from_slice(&(2 * levels + 2).to_le_bytes());
    for _ in 0..levels {
        bytes.extend_from_slice(&[2, 1]);
    }
    bytes.extend_from_slice(&[1, 5]);
    bytes
}

fn nested_value(levels: u16) -> Value {
    let mut item = case("leaf", [("value", int(5))]);
    for _ in 0..levels {
        item = case("list", [("items", list([item]))]);
    }
    record([("node", Value::None), ("items", list([item]))])
}

/// On a stack of the size that threads usually have.
/// Each sum waits for the one behind it, or before it, and there are more than levels of any stack.
#[test]
fn sums_may_wait_for_each_other() {
    const MANY: usize = 20_000;
    for (other, is_last_first) in [("index(this) + 1", true), ("index(this) - 1", false)] {
        let item = format!("File.items[{other}]");
        let text = format!(
            "module sums root=File endian=little\n\
             struct File {{ Item items count=fill }}\n\
             struct Item {{\n\
                 u8 data\n\
                 u8 sum is=\"(sum(bytes(at({item}), end({item}))) + 1) % 251\"\n\
             }}\n"
        );
        let program = programs::from_text("sums.kdl", &text, None).expect("it is a schema");
        let mut bytes: Vec<u8> = (0..MANY).flat_map(|n| [(n % 200) as u8, 0]).collect();
        let (mut sum, mut items) = (0, (0..MANY).collect::<Vec<_>>());
        if is_last_first {
            items.reverse();
        }
        for item in items {
            let own = ((sum + 1) % 251) as u8;
            bytes[2 * item + 1] = own;
            sum = usize::from(bytes[2 * item]) + usize::from(own);
        }
        match laws::get_put(&program, &bytes) {
            Outcome::Identical => {}
            other => panic!("{other:?}"),
        }
        bytes[2 * MANY / 2] ^= 1;
        let error = read(&program, &bytes, &ReadOptions::default()).err().expect("a sum is wrong");
        assert_eq!(error.kind().code(), "not_derived");
    }
}

#[test]
fn nesting_is_limited() {
    let run = || {
        let path = samples::workspace().join("tests/golden/recursion.kdl");
        let model = programs::from_file(&path).unwrap_or_else(|error| panic!("{error}"));
        let accepted = |levels, options: &ReadOptions| {
            let bytes = nested(levels);
            match read(&model, &bytes, options) {
                Ok(_) => {
                    // Comparing, copying and writing go as deep as reading.
                    match laws::get_put(&model, &bytes) {
                        Outcome::Identical => true,
                        other => panic!("{levels} levels: {other:?}"),
                    }
                }
                Err(error) => {
                    let limit = options.max_depth;
                    assert_eq!(error.kind(), &ReadErrorKind::DepthLimit { limit });
                    assert!(error.path().len() > 8, "{error}");
                    false
                }
            }
        };
        let options = ReadOptions::default();
        let deepest = (0..600).take_while(|levels| accepted(*levels, &options)).count();
        assert!((100..=256).contains(&deepest), "{deepest} levels are accepted");
        for levels in [600, 5000, 32000] {
            assert!(!accepted(levels, &options));
        }
        let few = ReadOptions::default().max_depth(8);
        assert!((0..20).take_while(|levels| accepted(*levels, &few)).count() <= 8);

        let deepest = u16::try_from(deepest).expect("it is less than 600");
        laws::put_get(&model, &nested_value(deepest - 1)).expect("it is as deep as can be read");
        for levels in [deepest + 1, 2000] {
            match laws::put_get(&model, &nested_value(levels)) {
                Err(laws::Broken::Refused(error)) => {
                    let code = |p: &formwork::Problem| p.kind.code() == "depth_limit";
                    assert!(error.problems().iter().any(code), "{error}");
                }
                other => panic!("{levels} levels: {other:?}"),
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    thread.expect("a thread can be started").join().expect("no panic");
}

/// A field of another layout may say what stands for it, as it does when somebody changes the version
/// of a file; the reader leaves it out.
#[test]
fn fields_of_other_layouts_may_say_what_stands_for_them() {
    let path = samples::workspace().join("tests/golden/epochs_columns.kdl");
    let model = programs::from_file(&path).expect("the schema is clean");
    let value = |added| {
        record([
            ("version", record([("minor", int(5)), ("major", int(1))])),
            ("moved", int(10)),
            ("added", added),
            ("optional", Value::None),
            ("part", record([("a", int(1)), ("b", int(2)), ("c", Value::None)])),
            ("dropped", int(9)),
        ])
    };
    laws::put_get(&model, &value(int(7))).expect("7 is what `added` is without a home");
    let read = in_layout(&model, value(int(7)));
    assert_eq!(read.at_path("added"), None);
    assert_eq!(read.at_path("part.c"), None);
    assert_eq!(in_layout(&model, value(int(8))).at_path("added"), Some(&int(8)));
    let refused = laws::put_get(&model, &value(int(8)));
    assert!(matches!(refused, Err(Broken::Refused(_))), "{refused:?}");
}

/// No tree can hold an empty name: the nodes that a file has for it stay for these names only.
#[test]
fn nodes_for_names_that_no_tree_can_hold_stay_for_these_names() {
    let path = samples::workspace().join("tests/golden/dictionary.kdl");
    let model = programs::from_file(&path).expect("the schema is clean");
    let numbers: [u32; 6] = [2, 0x0c, 0x1c, 0x48, 5, 0x46];
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    bytes.extend([6, 0, 0, 0, 2, 0, 0, 0]);
    for (bit, branches, name) in [(u32::MAX, [1, 0], 0x46), (0, [0, 1], 0x48), (1, [1, 2], 0x46)] {
        bytes.extend(u32::to_le_bytes(bit));
        bytes.extend(branches.map(u16::to_le_bytes).concat());
        bytes.extend(u32::to_le_bytes(name));
    }
    bytes.extend(b"\x01\0\0\0\0\0\x01a\0");
    assert!(matches!(laws::get_put(&model, &bytes), Outcome::Identical));
    let mut value = laws::value_of(&model, &bytes).expect("the file can be read");
    let edited = |value: &mut Value, field: &str, new: Value| {
        let items = value.get_mut("items").and_then(Value::elements_mut).expect("there are items");
        *items[0].get_mut(field).expect("there is such a field") = new;
    };
    edited(&mut value, "size", int(7));
    laws::put_get(&model, &value).expect("the names are the same");
    edited(&mut value, "name", Value::Text("b".into()));
    let refused = laws::put_get(&model, &value);
    assert!(matches!(refused, Err(Broken::Refused(_))), "{refused:?}");
}

/// References by numbers that follow from what the elements say, or from where they stand.
#[test]
fn references_go_by_numbers_that_follow() {
    let program = programs::from_text(
        "keys.kdl",
        "module keys root=File endian=little\n\
         struct File { u8 count; Item items count=count; u8 named ref=items.sum\n\
         u8 placed ref=items.place; u8 usual ref=items.order; u16be first ref=items.id; u16 ids is=\"sum(items.id)\" }\n\
         struct Item { u16be id; u8 sum is=\"sum(name) % 251\"; u8 place is=\"at(name)\"; \
         u8 order usually=\"index(this) + 7\"; bytes name size=1 }\n",
        None,
    )
    .expect("it is a schema");
    let bytes = b"\x02\x00\x07a\x06\x07a\x00\x09b\x0c\x08bb\x06\x08\x00\x09\x10\x00";
    match laws::get_put(&program, bytes) {
        Outcome::Identical => {}
        other => panic!("{other:?}"),
    }
    let code = |bytes: &[u8]| {
        read(&program, bytes, &ReadOptions::default()).err().map(|error| error.kind().code())
    };
    assert_eq!(
        code(b"\x02\x00\x07a\x06\x07a\x00\x09b\x0c\x08bc\x06\x08\x00\x09\x10\x00"),
        Some("not_an_element")
    );
    assert_eq!(
        code(b"\x02\x00\x07a\x06\x07a\x00\x09b\x0c\x08bb\x06\x09\x00\x09\x10\x00"),
        Some("not_an_element")
    );
}
