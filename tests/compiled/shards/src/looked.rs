//! Views of files, as they are and broken in many ways: what they find is in the value that the engine
//! reads, if it reads any.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use formwork::inspect::{Inspect, Inspector, RowName};
use formwork::{ReadError, ReadOptions, Spelling};
use formwork_interpreter::{Document, Program, Stored, StructValue, Value, read, value_of};
use formwork_tests::value_text;
use formwork_tests_compiled::inputs;
use formwork_tests_compiled::schemas::{self, Schema};
use formwork_tests_module::Show;
use rayon::prelude::*;

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
    /// Numbers and texts that were the same as in values, and numbers that are in none.
    same: usize,
    stored: usize,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.files += other.files;
        self.read += other.read;
        self.same += other.same;
        self.stored += other.stored;
    }
}

/// Looks at all files of some schemas.
///
/// # Panics
///
/// If a view panics, or finds what is not in the value.
pub fn check_looked(modules: &[Looked]) {
    let schemas = schemas::all();
    let (mut wrong, mut counts) = (String::new(), Counts::default());
    let looked = modules.par_iter().map(|module| {
        let schema = schemas.iter().find(|schema| schema.name == module.name);
        let schema = schema.expect("the module was made of a schema");
        let program = schema.program().expect("the module was made of its model");
        let mut counts = Counts::default();
        (of_schema(module, schema, &program, &mut counts), counts)
    });
    let found: Vec<(Option<String>, Counts)> = looked.collect();
    for (module, (text, tried)) in modules.iter().zip(found) {
        counts.add(&tried);
        if let Some(text) = text {
            let _ = writeln!(wrong, "{}: {text}", module.name);
        }
    }
    println!("{} schemas, {counts:?}", modules.len());
    assert!(wrong.is_empty(), "\n{wrong}");
    // Of a few schemas that somebody chose there may be none here.
    assert!(modules.is_empty() || counts.read > modules.len(), "there were files to look at");
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
        let document = read(program, &input.bytes, &ReadOptions::default()).ok();
        let mut found = None;
        let mut show = |file: &dyn Inspect| match document {
            Some(_) => found = value_of(program, |to| file.inspect(to)).ok(),
            None => file.inspect(&mut Descent::default()),
        };
        let work = AssertUnwindSafe(|| (module.view)(&input.bytes, &mut show));
        let viewed = match catch_unwind(work) {
            Ok(viewed) => viewed,
            Err(why) if why.is::<TooDeep>() && document.is_none() => Ok(()),
            Err(_) => return Some(format!("{}: panic", input.label)),
        };
        counts.files += 1;
        let document = document?;
        counts.read += 1;
        let mut looking = Looking { document: &document, path: String::new(), counts };
        let difference = match (viewed, &found) {
            (Err(error), _) => Some(format!("not looked at: {error}")),
            (Ok(()), Some(found)) => looking.differs(found, &document.value()),
            (Ok(()), None) => Some("not shown".to_owned()),
        };
        let path = looking.path;
        difference.map(|text| format!("{}: {path}: {text}", input.label))
    })
}

/// How deep values are entered that no reader has bounded.
const DEEPEST: u32 = 300;

/// Sees all of a view, and ends that of a broken file whose pointers lead back to what they are in.
#[derive(Debug, Default)]
struct Descent {
    depth: u32,
}

/// What is thrown where a view goes too deep.
struct TooDeep;

impl Inspector for Descent {
    fn begin_struct(&mut self) {
        self.depth += 1;
        if self.depth > DEEPEST {
            resume_unwind(Box::new(TooDeep));
        }
    }

    fn end_struct(&mut self) {
        self.depth -= 1;
    }

    fn int(&mut self, _: i128) {}
    fn float32(&mut self, _: u32) {}
    fn float64(&mut self, _: u64) {}
    fn bool(&mut self, _: bool) {}
    fn text(&mut self, _: &str) {}
    fn bytes(&mut self, _: &[u8]) {}
    fn units(&mut self, _: &[u16]) {}
    fn none(&mut self) {}
    fn member(&mut self, _: i128, _: Option<&str>) {}
    fn begin_list(&mut self, _: usize) {}
    fn end_list(&mut self) {}
    fn field(&mut self, _: &str) {}
    fn flatten(&mut self, _: u16) {}
    fn begin_case(&mut self, _: &str) {}
    fn end_case(&mut self) {}
    fn begin_spelled(&mut self) {}
    fn end_spelled(&mut self) {}
    fn spelling(&mut self, _: &Spelling, _: &[RowName<'_>]) {}
}

/// A file that was read, and where in it a view is compared with the value.
struct Looking<'d> {
    document: &'d Document<'d>,
    path: String,
    counts: &'d mut Counts,
}

impl Looking<'_> {
    /// What is in a view and not in a value, which may have more. The path stays there.
    fn differs(&mut self, view: &Value, value: &Value) -> Option<String> {
        match (view, value) {
            (view, Value::Spelled(value, _)) => self.differs(view, value),
            (Value::Struct(view), Value::Struct(value)) => self.fields(view, value),
            (Value::Union(view), Value::Union(value)) if view.case == value.case => {
                self.fields(&view.value, &value.value)
            }
            (Value::Array(view), Value::Array(value)) if view.len() == value.len() => {
                let mut pairs = view.iter().zip(value).enumerate();
                pairs.find_map(|(at, (view, value))| {
                    self.step(&format!("[{at}]"), |looking| looking.differs(view, value))
                })
            }
            // Text in UTF-16 is the units of it.
            (Value::Array(units), Value::Text(text)) => {
                other_units(units, &text.encode_utf16().collect::<Vec<_>>())
            }
            (Value::Array(units), Value::Units(text)) => other_units(units, text),
            (view, value) => {
                self.counts.same += 1;
                value_text::difference(view, value)
            }
        }
    }

    fn fields(&mut self, view: &StructValue, value: &StructValue) -> Option<String> {
        view.fields.iter().find_map(|(name, field)| {
            let dot = if self.path.is_empty() { "" } else { "." };
            if let Some(name) = name.strip_suffix(" as stored") {
                return self.step(&format!("{dot}{name}"), |looking| looking.is_stored(field));
            }
            let other = value.fields.iter().find(|(known, _)| known == name);
            let Some((_, other)) = other else { return Some(format!("`{name}` is in no value")) };
            self.step(&format!("{dot}{name}"), |looking| looking.differs(field, other))
        })
    }

    /// What the file has of a field that is in no value where it is as usual.
    fn is_stored(&mut self, view: &Value) -> Option<String> {
        let stored = self.document.stored(&self.path);
        let same = match (view, &stored) {
            (Value::Int(a), Some(Stored::Int(b) | Stored::Enum { number: b, .. })) => a == b,
            (Value::Bool(a), Some(Stored::Bool(b))) => a == b,
            (Value::Float { bits: a, .. }, Some(Stored::Float { bits: b, .. })) => a == b,
            (Value::Text(a), Some(Stored::Text(b))) => a == b,
            (Value::Bytes(a), Some(Stored::Bytes(b))) => a == b,
            (Value::None, None | Some(Stored::None)) => true,
            _ => false,
        };
        self.counts.stored += 1;
        (!same).then(|| format!("{} and {stored:?}", value_text::line(view)))
    }

    fn step(
        &mut self,
        name: &str,
        look: impl FnOnce(&mut Self) -> Option<String>,
    ) -> Option<String> {
        let begin = self.path.len();
        self.path.push_str(name);
        let found = look(self);
        if found.is_none() {
            self.path.truncate(begin);
        }
        found
    }
}

fn other_units(view: &[Value], units: &[u16]) -> Option<String> {
    let found: Option<Vec<u16>> = view.iter().map(unit).collect();
    (found.as_deref() != Some(units)).then(|| "other units".to_owned())
}

fn unit(value: &Value) -> Option<u16> {
    match value {
        Value::Int(number) => u16::try_from(*number).ok(),
        _ => None,
    }
}
