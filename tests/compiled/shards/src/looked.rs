//! Views of files, as they are and broken in many ways: what they find is in the value that the engine
//! reads, if it reads any.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use formwork::inspect::Inspect;
use formwork::{ReadError, ReadOptions};
use formwork_interpreter::{Program, StructValue, Value, read, value_of};
use formwork_tests::value_text;
use formwork_tests_compiled::inputs;
use formwork_tests_compiled::schemas::{self, Schema};
use formwork_tests_module::Show;

/// The views of one schema.
#[derive(Debug, Clone, Copy)]
pub struct Looked {
    /// Name of the schema.
    pub name: &'static str,
    /// Shows the view of a file, if it can be looked at.
    pub view: fn(&[u8], Show<'_>) -> Result<(), ReadError>,
}

/// The [`Looked`] of generated code: its name, and the path of the type that stands for a file.
#[macro_export]
macro_rules! looked {
    ($name:literal, $module:ident::$root:ident) => {
        $crate::Looked {
            name: $name,
            view: |bytes, show| $module::$root::view(bytes).map(|view| show(&view)),
        }
    };
}

/// Largest file that is broken in many ways, in bytes.
const SHORT: usize = 40;

/// What was tried.
#[derive(Debug, Default)]
struct Counts {
    /// Files, and how many of them the engine reads.
    files: usize,
    read: usize,
    /// Numbers and texts that were the same.
    same: usize,
}

/// Looks at all files of some schemas.
///
/// # Panics
///
/// If a view panics, or finds what is not in the value.
pub fn check_looked(modules: &[Looked]) {
    let schemas = schemas::all();
    let (mut wrong, mut counts) = (String::new(), Counts::default());
    for module in modules {
        let schema = schemas.iter().find(|schema| schema.name == module.name);
        let schema = schema.expect("the module was made of a schema");
        let program = schema.program().expect("the module was made of its model");
        if let Some(text) = of_schema(module, schema, &program, &mut counts) {
            let _ = writeln!(wrong, "{}: {text}", module.name);
        }
    }
    println!("{} schemas, {counts:?}", modules.len());
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(counts.read > modules.len(), "there were files to look at");
}

/// What is wrong with the views of a schema.
fn of_schema(
    module: &Looked,
    schema: &Schema,
    program: &Program,
    counts: &mut Counts,
) -> Option<String> {
    let files = inputs::of(schema);
    let broken = files.iter().filter(|input| input.bytes.len() <= SHORT);
    let broken: Vec<_> = broken.flat_map(inputs::mutated).collect();
    files.iter().chain(&broken).find_map(|input| {
        let mut found = None;
        let mut show = |file: &dyn Inspect| found = value_of(program, |to| file.inspect(to)).ok();
        let work = AssertUnwindSafe(|| (module.view)(&input.bytes, &mut show));
        let Ok(viewed) = catch_unwind(work) else { return Some(format!("{}: panic", input.label)) };
        counts.files += 1;
        let document = read(program, &input.bytes, &ReadOptions::default()).ok()?;
        counts.read += 1;
        let mut path = String::from("file");
        let difference = match (viewed, &found) {
            (Err(error), _) => Some(format!("not looked at: {error}")),
            (Ok(()), Some(found)) => differs(found, &document.value(), &mut path, &mut counts.same),
            (Ok(()), None) => Some("not shown".to_owned()),
        };
        difference.map(|text| format!("{}: {path}: {text}", input.label))
    })
}

/// What is in a view and not in a value, which may have more.
fn differs(view: &Value, value: &Value, path: &mut String, same: &mut usize) -> Option<String> {
    let begin = path.len();
    let mut step = |name: &str, view: &Value, value: &Value, same: &mut usize| {
        path.push_str(name);
        let found = differs(view, value, path, same);
        if found.is_none() {
            path.truncate(begin);
        }
        found
    };
    let fields = |view: &StructValue, value: &StructValue, same: &mut usize, step: Step<'_>| {
        view.fields.iter().find_map(|(name, field)| {
            let other = value.fields.iter().find(|(known, _)| known == name);
            let Some((_, other)) = other else { return Some(format!("`{name}` is in no value")) };
            step(&format!(".{name}"), field, other, same)
        })
    };
    match (view, value) {
        (view, Value::Spelled(value, _)) => step("", view, value, same),
        (Value::Struct(view), Value::Struct(value)) => fields(view, value, same, &mut step),
        (Value::Union(view), Value::Union(value)) if view.case == value.case => {
            fields(&view.value, &value.value, same, &mut step)
        }
        (Value::Array(view), Value::Array(value)) if view.len() == value.len() => view
            .iter()
            .zip(value)
            .enumerate()
            .find_map(|(at, (view, value))| step(&format!("[{at}]"), view, value, same)),
        // Text in UTF-16 is the units of it.
        (Value::Array(units), Value::Text(text)) => {
            let units: Option<Vec<u16>> = units.iter().map(unit).collect();
            let text: Vec<u16> = text.encode_utf16().collect();
            (units != Some(text)).then(|| "other units".to_owned())
        }
        (Value::Array(units), Value::Units(text)) => {
            let units: Option<Vec<u16>> = units.iter().map(unit).collect();
            (units.as_deref() != Some(&text[..])).then(|| "other units".to_owned())
        }
        (view, value) => {
            *same += 1;
            value_text::difference(view, value)
        }
    }
}

type Step<'s> = &'s mut dyn FnMut(&str, &Value, &Value, &mut usize) -> Option<String>;

fn unit(value: &Value) -> Option<u16> {
    match value {
        Value::Int(number) => u16::try_from(*number).ok(),
        _ => None,
    }
}
