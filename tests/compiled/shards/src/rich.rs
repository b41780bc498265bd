//! Generated code with all options: values are edited as JSON, or made of nothing, and written as
//! the interpreter writes them; and arenas read and write what ordinary values do.

use std::env;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use formwork::inspect::Inspect;
use formwork::{ReadOptions, WriteError};
use formwork_codegen::model::RecordKind;
use formwork_interpreter::{KeptKind, Program, Value, read, write};
use formwork_properties::laws::Broken;
use formwork_properties::{Case, Check, Outcome, Property};
use formwork_tests::golden::{self, Edit, Feature, File};
use formwork_tests::{laws, value_text};
use formwork_tests_compiled::inputs;
use formwork_tests_compiled::known::Known;
use formwork_tests_compiled::schemas::{self, Schema};
use formwork_tests_compiled::value::{self, problems};
use formwork_tests_module::Show;
use serde_json::Value as Json;

use crate::edit::apply;

/// How many values are made of nothing.
const RANDOM: u64 = 64;

/// Bytes that a value is made of.
const SEED: usize = 400;

/// Result of writing.
type Written = Result<Vec<u8>, WriteError>;

/// Changes a value, or says why it cannot.
pub type Change<'a> = &'a mut dyn FnMut(&mut Json) -> Result<(), String>;

/// Generated code of one schema, with all options.
#[derive(Debug, Clone, Copy)]
pub struct Rich {
    /// Name of the schema.
    pub name: &'static str,
    /// Reads a file, changes its value as JSON, and writes it. Fails if the file is not read, the
    /// change is not possible, or there is no value of the type that has this JSON.
    pub edit: fn(&[u8], &ReadOptions, Change<'_>) -> Result<Written, String>,
    /// Makes a value of random bytes, shows and writes it; then reads what was written and shows
    /// that.
    pub random: fn(&[u8], Show<'_>) -> Option<Written>,
    /// The properties of the code, of which those of arenas are tried.
    pub subject: fn(Program) -> Box<dyn Check>,
    /// Whether files are read into arenas without an ordinary value between.
    pub straight_arena: bool,
}

/// The [`Rich`] of generated code: its name, the path of the type that stands for a file, whether
/// there is straight code for arenas, and the types as `codec!` has them.
#[macro_export]
macro_rules! rich {
    ($name:literal, $module:ident::$root:ident, $straight:literal, $($codec:tt)+) => {{
        $crate::deps::codec!(Format: $($codec)+);

        $crate::Rich {
            name: $name,
            edit: |bytes, options, change| {
                use $crate::deps::{serde, serde_json};
                let file = $module::$root::read_with(bytes, options);
                let file = file.map_err(|error| ::std::format!("not read: {error}"))?;
                let text = |error: serde_json::Error| ::std::string::ToString::to_string(&error);
                let mut json = serde_json::to_value(&file).map_err(text)?;
                change(&mut json)?;
                let edited = <$module::$root as serde::Deserialize>::deserialize(&json);
                ::core::result::Result::Ok(edited.map_err(text)?.write())
            },
            random: |bytes, show| {
                use $crate::deps::arbitrary;
                let mut bytes = arbitrary::Unstructured::new(bytes);
                let value = <$module::$root as arbitrary::Arbitrary<'_>>::arbitrary(&mut bytes);
                let value = value.ok()?;
                show(&value);
                let written = value.write();
                if let ::core::result::Result::Ok(written) = &written {
                    if let ::core::result::Result::Ok(again) = $module::$root::read(written) {
                        show(&again);
                    }
                }
                ::core::option::Option::Some(written)
            },
            subject: |program| ::std::boxed::Box::new($crate::deps::Subject::<Format>::new(program)),
            straight_arena: $straight,
        }
    }};
}

/// Checks all edits of the features, and values made of nothing.
///
/// # Panics
///
/// If something is not as the list of what is known says. `BLESS=1` writes it anew.
pub fn check_rich(modules: &[Rich]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("known.txt");
    let mut known = Known::load_from(&path);
    let schemas = schemas::all();
    let mut wrong = String::new();
    let mut counts = Counts::default();
    for module in modules {
        let schema = schemas.iter().find(|schema| schema.name == module.name);
        let schema = schema.expect("the module was made of a schema");
        let program = schema.program().expect("the module was made of its model");
        let folder = schema.path.parent().expect("a file lies in a folder");
        let features = golden::features(folder).expect("the features can be read");
        let feature = features.into_iter().find(|feature| feature.schema == schema.path);
        let (mut kinds, mut lines) = (Vec::new(), Vec::new());
        let mut add = |kind: &str, text: String| {
            if !kinds.iter().any(|known| known == kind) {
                kinds.push(kind.to_owned());
            }
            lines.push(format!("{}: {kind}: {text}", module.name));
        };
        for feature in feature.iter() {
            edits(module, &program, feature, &mut counts, &mut add);
        }
        random(module, &program, &mut counts, &mut add);
        arenas(module, schema, program, &mut counts, &mut add);
        if env::var_os("BLESS").is_some() {
            known.add(module.name, kinds.clone());
        }
        if known.of(module.name) != kinds {
            let _ = writeln!(wrong, "{}: now {}", module.name, kinds.join(" "));
            lines.iter().for_each(|line| {
                let _ = writeln!(wrong, "    {line}");
            });
        }
        lines.iter().for_each(|line| println!("{line}"));
    }
    if env::var_os("BLESS").is_some() {
        known.store(&path);
    }
    println!("{} schemas, {counts:?}", modules.len());
    assert!(wrong.is_empty(), "not as shards/known.txt says (BLESS=1 accepts):\n{wrong}");
}

/// What was tried.
#[derive(Debug, Default)]
struct Counts {
    same: usize,
    canonical: usize,
    edits: usize,
    /// Edits that end in another file, or in an error of the writer.
    compared: usize,
    /// Edits that no value of the type can have.
    impossible: usize,
    /// Edits that JSON does not say.
    unsaid: usize,
    random: usize,
    random_written: usize,
    /// Files that were read into arenas, or refused for the same reason, and how many were read.
    arenas: usize,
    arenas_read: usize,
    /// Values made of nothing that were put into arenas and written as without.
    arenas_made: usize,
    /// Schemas of which arenas are read without an ordinary value between.
    straight_arenas: usize,
}

type Add<'a> = &'a mut dyn FnMut(&str, String);

fn edits(module: &Rich, program: &Program, feature: &Feature, counts: &mut Counts, add: Add<'_>) {
    let has_words = program.model().records.iter().any(|r| matches!(r.kind, RecordKind::Word(_)));
    for file in &feature.files {
        let Ok(document) = read(program, &file.bytes, &file.options) else { continue };
        let value = document.value();
        let mut clears = true;
        value.for_each_kept(&mut |kept| {
            clears &= kept.kind != KeptKind::Number;
            clears &= kept.kind != KeptKind::Reserved || !has_words;
        });
        let mut compare = |what: &str, value: &Value, change: Change<'_>| {
            let Ok(expected) = write(program, value) else { return };
            match (module.edit)(&file.bytes, &file.options, change) {
                Ok(Ok(found)) => {
                    if let Some(difference) = laws::first_difference(&expected, &found) {
                        add(what, format!("{}: {difference}", file.name));
                    }
                }
                Ok(Err(error)) => add(what, format!("{}: {}", file.name, problems(&error))),
                Err(error) => add(what, format!("{}: {error}", file.name)),
            }
        };
        counts.same += 1;
        compare("json", &value, &mut |_| Ok(()));
        // Numbers that deviate and bits that nobody claims are no spelling of generated types, but
        // data that JSON does not tell from other data.
        if clears {
            counts.canonical += 1;
            compare("canonical", &value.clone().canonical(), &mut |json| {
                clear(json);
                Ok(())
            });
        }
        for edit in file.edits.iter().filter(|edit| !edit.canonical || clears) {
            counts.edits += 1;
            if let Err(text) = one_edit(module, feature, file, edit, counts) {
                add("edit", format!("{}, `{}`: {text}", file.name, edit.text));
            }
        }
    }
}

/// Drops every unusual spelling.
fn clear(json: &mut Json) {
    match json {
        Json::Object(fields) => {
            fields.remove("spelling");
            fields.values_mut().for_each(clear);
        }
        Json::Array(elements) => elements.iter_mut().for_each(clear),
        _ => {}
    }
}

fn one_edit(
    module: &Rich,
    feature: &Feature,
    file: &File,
    edit: &Edit,
    counts: &mut Counts,
) -> Result<(), String> {
    let mut said = true;
    // A case without fields has a struct if it has spelling, and JSON looks different then.
    let mut change = |structs| {
        (module.edit)(&file.bytes, &file.options, &mut |json| {
            if edit.canonical {
                clear(json);
            }
            let changed = apply(json, edit, structs);
            said = changed.is_ok();
            changed
        })
    };
    let mut result = change(0);
    for structs in 1..8 {
        if !result.as_ref().is_err_and(|error| error.contains("unit")) {
            break;
        }
        result = change(structs);
    }
    if !said {
        counts.unsaid += 1;
        return Ok(());
    }
    let written = match (result, &edit.result) {
        (Ok(written), _) => written,
        (Err(_), Err(_)) => {
            counts.impossible += 1;
            return Ok(());
        }
        (Err(error), Ok(_)) => return Err(error),
    };
    counts.compared += 1;
    match (written, &edit.result) {
        (Ok(written), Ok(name)) => {
            let expected = feature.files.iter().find(|file| file.name == *name);
            let expected = &expected.ok_or("there is no such file")?.bytes;
            match laws::first_difference(expected, &written) {
                None => Ok(()),
                Some(difference) => Err(difference.to_string()),
            }
        }
        (Err(error), Err(expected)) if problems(&error).split(", ").any(|p| p == expected) => {
            Ok(())
        }
        (Err(error), _) => Err(format!("refused: {}", problems(&error))),
        (Ok(_), Err(_)) => Err("written".to_owned()),
    }
}

/// Values made of nothing: most of them cannot be written, and both engines must say why.
fn random(module: &Rich, program: &Program, counts: &mut Counts, add: Add<'_>) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..RANDOM {
        let bytes: Vec<u8> = (0..SEED).map(|_| next(&mut state)).collect();
        let mut shown: Vec<Value> = Vec::new();
        let mut show = |file: &dyn Inspect| shown.push(value::of(program, file));
        let work = AssertUnwindSafe(|| (module.random)(&bytes, &mut show));
        let Ok(written) = catch_unwind(work) else {
            add("panic", format!("round {round}"));
            return;
        };
        let Some(written) = written else { continue };
        counts.random += 1;
        counts.random_written += usize::from(written.is_ok());
        let text = match (write(program, &shown[0]), written) {
            (Ok(expected), Ok(found)) => {
                let difference = laws::first_difference(&expected, &found);
                let again = || match shown.get(1) {
                    Some(again) => value_text::difference(&shown[0], again),
                    None => Some("not read again".to_owned()),
                };
                difference.map(|difference| difference.to_string()).or_else(again)
            }
            (Err(expected), Err(found)) => {
                let (expected, found) = (problems(&expected), problems(&found));
                (expected != found).then(|| format!("expected {expected}; found {found}"))
            }
            (Ok(_), Err(found)) => Some(format!("refused: {}", problems(&found))),
            (Err(expected), Ok(_)) => Some(format!("written; expected {}", problems(&expected))),
        };
        if let Some(text) = text {
            add("random", format!("{}: {text}", value_text::line(&shown[0])));
            return;
        }
    }
}

/// Arenas: all files of a schema, broken ones too, and values made of nothing.
fn arenas(module: &Rich, schema: &Schema, program: Program, counts: &mut Counts, add: Add<'_>) {
    counts.straight_arenas += usize::from(module.straight_arena);
    let subject = (module.subject)(program);
    let mut check = |label: &str, input: &[u8]| {
        let case = Case::of(input)?;
        match catch_unwind(AssertUnwindSafe(|| subject.check(&case))) {
            Ok(Ok(outcome)) => Some(outcome),
            Ok(Err(Broken::Arena(text))) => {
                add("arena", format!("{label}: {text}"));
                None
            }
            // Whatever else does not hold is tried elsewhere.
            Ok(Err(_)) => None,
            Err(_) => {
                add("arena panic", label.to_owned());
                None
            }
        }
    };
    for input in inputs::of(schema) {
        let read_as =
            |strictness| Case::input_read_as(strictness, Property::Arena, &[], &input.bytes);
        let same = |made: &Vec<u8>| Case::of(made).is_some_and(|c| c.options() == input.options);
        let made = (0..3).map(read_as).find(same).unwrap_or_else(|| read_as(0));
        let outcome = check(&input.label, &made);
        counts.arenas += usize::from(outcome.is_some());
        counts.arenas_read += usize::from(outcome.is_some_and(|known| known != Outcome::Refused));
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..RANDOM {
        let bytes: Vec<u8> = (0..SEED).map(|_| next(&mut state)).collect();
        let outcome = check(&format!("round {round}"), &Case::input(Property::Make, &[], &bytes));
        counts.arenas_made += usize::from(outcome == Some(Outcome::Held));
    }
}

/// The next of a row of random bytes. Small ones are common, so that lists are short and positions
/// exist.
fn next(state: &mut u64) -> u8 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let [a, b, ..] = state.to_le_bytes();
    if a < 0x60 { b % 4 } else { b }
}
