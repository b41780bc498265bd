//! Generated code with all options: values have the JSON of the command and are read from it, as they
//! are or edited; or they are made of nothing, and written as the interpreter writes them; and arenas
//! read and write what ordinary values do.

use std::env;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use formwork::inspect::Inspect;
use formwork::{ReadOptions, WriteError};
use formwork_interpreter::json::{Style, Text, to_json};
use formwork_interpreter::{Program, StructValue, UnionValue, Value, read, write};
use formwork_properties::laws::Broken;
use formwork_properties::{Case, Check, Outcome, Property};
use formwork_tests::golden::{Edit, Feature, File};
use formwork_tests::{laws, value_text};
use formwork_tests_compiled::inputs;
use formwork_tests_compiled::known::Known;
use formwork_tests_compiled::schemas::{self, Schema};
use formwork_tests_compiled::value::{self, problems};
use formwork_tests_module::Show;

/// How many values are made of nothing.
const RANDOM: u64 = 64;

/// Bytes that a value is made of.
const SEED: usize = 400;

/// Result of writing.
type Written = Result<Vec<u8>, WriteError>;

/// What `serde` makes of a file.
#[derive(Debug)]
pub struct Through {
    /// Its value as JSON.
    pub compact: String,
    /// The same with line breaks.
    pub pretty: String,
    /// The same by way of an arena.
    pub arena: String,
    /// The JSON of what is read from that of the command, and whether it is the same file.
    pub again: (String, bool),
    /// Whether what is written by a format for programs is read as the same value.
    pub binary: Result<bool, String>,
}

/// Generated code of one schema, with all options.
#[derive(Debug, Clone, Copy)]
pub struct Rich {
    /// Name of the schema.
    pub name: &'static str,
    /// Reads a file, and takes its value through `serde`; the text is the JSON of the command.
    pub through: fn(&[u8], &ReadOptions, &str) -> Result<Through, String>,
    /// Reads a value from JSON and writes the file.
    pub written: fn(&str) -> Result<Written, String>,
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
    ($name:literal, $module:ident::$root:ident, $straight:literal, $arena:path, $($codec:tt)+) => {{
        $crate::deps::codec!(Format: $($codec)+);

        $crate::Rich {
            name: $name,
            through: |bytes, options, command| {
                use ::std::string::ToString as _;
                use $crate::deps::erased_serde::deserialize;
                use $crate::forms;
                let file = $module::$root::read_with(bytes, options);
                let file = file.map_err(|error| ::std::format!("not read: {error}"))?;
                let arena = <$arena>::from_value(&file).map_err(|error| error.to_string())?;
                let mut again: ::core::option::Option<$module::$root> = None;
                forms::from_json(command, &mut |from| {
                    deserialize(from).map(|file| again = Some(file))
                })?;
                let again = again.ok_or("nothing is read")?;
                let mut unpacked: ::core::option::Option<$module::$root> = None;
                let binary = forms::through_binary(&file, &mut |from| {
                    deserialize(from).map(|file| unpacked = Some(file))
                })?;
                ::core::result::Result::Ok($crate::Through {
                    compact: forms::compact(&file)?,
                    pretty: forms::pretty(&file)?,
                    arena: forms::compact(&arena)?,
                    again: (forms::compact(&again)?, again.write().ok() == file.write().ok()),
                    binary: binary
                        .map(|()| unpacked.is_some_and(|again| again.same_spelling(&file))),
                })
            },
            written: |text| {
                let mut file: ::core::option::Option<$module::$root> = None;
                $crate::forms::from_json(text, &mut |from| {
                    $crate::deps::erased_serde::deserialize(from).map(|read| file = Some(read))
                })?;
                ::core::result::Result::Ok(file.ok_or("nothing is read")?.write())
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

/// Checks the JSON of the features, all their edits, and values made of nothing.
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
        let feature = inputs::feature(schema);
        let (mut kinds, mut lines) = (Vec::new(), Vec::new());
        let mut add = |kind: &str, text: String| {
            if !kinds.iter().any(|known| known == kind) {
                kinds.push(kind.to_owned());
            }
            lines.push(format!("{}: {kind}: {text}", module.name));
        };
        for feature in feature.iter() {
            json(module, &program, feature, &mut counts, &mut add);
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
    /// Files whose JSON was compared, and those of which a character or a number is spelled otherwise.
    files: usize,
    spelled: usize,
    edits: usize,
    /// Edits that end in another file, or in an error of the writer.
    compared: usize,
    /// Edits that no value of the type can have.
    impossible: usize,
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

/// Values as JSON: what `serde` writes is what the command writes, and each reads what the other does.
fn json(module: &Rich, program: &Program, feature: &Feature, counts: &mut Counts, add: Add<'_>) {
    for file in &feature.files {
        let Ok(document) = read(program, &file.bytes, &file.options) else { continue };
        let value = document.value();
        counts.files += 1;
        if let Err(text) = same_json(module, program, file, &value, counts) {
            add("json", format!("{}: {text}", file.name));
        }
        let canonical = value.clone().canonical();
        if let (Ok(expected), text) = (write(program, &canonical), pretty(program, &canonical)) {
            let written = (module.written)(&text);
            if !matches!(&written, Ok(Ok(found)) if *found == expected) {
                add("canonical", format!("{}: {written:?}", file.name));
            }
        }
        for edit in &file.edits {
            counts.edits += 1;
            if let Err(text) = one_edit(module, program, feature, &value, edit, counts) {
                add("edit", format!("{}, `{}`: {text}", file.name, edit.text));
            }
        }
    }
}

fn pretty(program: &Program, value: &Value) -> String {
    to_json(program, value, Style::Pretty)
}

fn same_json(
    module: &Rich,
    program: &Program,
    file: &File,
    value: &Value,
    counts: &mut Counts,
) -> Result<(), String> {
    let Through { compact, pretty: lines, arena, again, binary } =
        (module.through)(&file.bytes, &file.options, &pretty(program, value))?;
    let command = to_json(program, value, Style::Compact);
    let command = command.trim_end();
    if compact != command {
        // How a character or a number is spelled is left to whoever writes JSON.
        let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text);
        let (ours, theirs) = (parsed(command), parsed(&compact));
        if ours.map_err(|e| e.to_string())? != theirs.map_err(|e| e.to_string())? {
            return Err(format!("the command writes\n{command}\nserde\n{compact}"));
        }
        counts.spelled += 1;
    }
    if arena != compact {
        return Err(format!("of an arena\n{arena}\nof a value\n{compact}"));
    }
    if again != (compact.clone(), true) {
        return Err(format!("read again: {again:?}\n{command}"));
    }
    if binary != Ok(true) {
        return Err(format!("packed: {binary:?}\n{command}"));
    }
    let text = Text::parse(&lines).and_then(|text| text.value(program));
    match text {
        Ok(again) if again.same_spelling(value) => Ok(()),
        Ok(again) => Err(format!("read by the command: {}", value_text::line(&again))),
        Err(error) => Err(format!("refused by the command: {error}\n{lines}")),
    }
}

fn one_edit(
    module: &Rich,
    program: &Program,
    feature: &Feature,
    value: &Value,
    edit: &Edit,
    counts: &mut Counts,
) -> Result<(), String> {
    let edited = edit.apply(value)?;
    let written = match ((module.written)(&pretty(program, &edited)), &edit.result) {
        (Ok(written), _) => written,
        // A value that no type can have.
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
                    Some(again) => value_text::difference(&said_only(&shown[0]), &said_only(again)),
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

/// A value without fields that are nothing. A type may have a struct without a name, all fields of
/// which are nothing, where the file has none; in a value nothing tells that from none.
fn said_only(value: &Value) -> Value {
    let fields = |value: &StructValue| {
        let said = value.fields.iter().filter(|(_, value)| !matches!(value, Value::None));
        let fields = said.map(|(name, value)| (name.clone(), said_only(value))).collect();
        StructValue { fields, kept: value.kept.clone() }
    };
    match value {
        Value::Array(elements) => Value::Array(elements.iter().map(said_only).collect()),
        Value::Struct(value) => Value::Struct(fields(value)),
        Value::Union(chosen) => {
            let (case, value) = (chosen.case.clone(), fields(&chosen.value));
            Value::Union(Box::new(UnionValue { case, value }))
        }
        Value::Spelled(value, kept) => Value::Spelled(Box::new(said_only(value)), kept.clone()),
        other => other.clone(),
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
