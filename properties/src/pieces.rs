//! Schemas that are put together of valid pieces, and files of them.
//!
//! Texts that a fuzzer makes of letters seldom get past the parser; these nearly always become
//! models, and so try what comes behind: checks, the generators, the interpreter on bytes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use arbitrary::{Result, Unstructured};
use formwork::{Problem, ProblemKind, ReadOptions};
use formwork_codegen::diagnostic::render;
use formwork_codegen::model::Type;
use formwork_codegen::{load, markdown, print, rust};
use formwork_interpreter::{Program, Value, program, read, write};

use crate::laws::{self, Broken};
use crate::maker::schema;
use crate::property::Outcome;
use crate::text::Shipped;
use crate::{edit, patch};

/// Files that are tried with a schema.
const FILES: usize = 4;

/// Schemas that are remembered, some 100 kB each.
const REMEMBERED: usize = 2000;

/// Bytes that say which field of a file is changed, and how.
const CHOICE: usize = 16;

/// Makes a schema of the input, loads it, and reads what is left of the input as files of it, each
/// with its first bytes as the schema wants them. [`Outcome::Held`] if a file was read.
///
/// # Errors
///
/// If the front end does not know pieces that are valid, or what is read is not written as the same
/// bytes.
pub fn check(input: &[u8]) -> std::result::Result<Outcome, Broken> {
    tried(input, &mut |_, _| {})
}

/// A schema, and files of it that are read and written.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// The schema, a module named `pieces`.
    pub schema: String,
    /// The bytes of each file.
    pub files: Vec<Vec<u8>>,
}

/// What an input makes, for other tests: nothing unless [`check`] holds and some file was read.
#[must_use]
pub fn made(input: &[u8]) -> Option<Made> {
    let mut made = Made::default();
    let outcome = tried(input, &mut |text, bytes| {
        text.clone_into(&mut made.schema);
        made.files.push(bytes.to_vec());
    });
    matches!(outcome, Ok(Outcome::Held)).then_some(made)
}

/// Does what [`check`] says, and hands on each file that holds, with its schema.
fn tried(input: &[u8], held: &mut dyn FnMut(&str, &[u8])) -> std::result::Result<Outcome, Broken> {
    let mut u = Unstructured::new(input);
    let Ok(text) = schema(&mut u) else { return Ok(Outcome::Refused) };
    let Some(program) = prepared(&text)? else { return Ok(Outcome::Refused) };
    let mut outcome = Outcome::Refused;
    let first: usize = u.arbitrary::<u8>().unwrap_or_default().into();
    for number in 0..FILES {
        let Ok(bytes) = file(&mut u) else { break };
        let bytes = patch::version(&program, bytes, first + number);
        let mended = u.arbitrary().unwrap_or_default();
        let bytes = if mended { patch::file(&program, bytes) } else { bytes };
        let choice: [u8; CHOICE] = u.arbitrary().unwrap_or_default();
        let result = law(&program, &bytes, &choice).map_err(|broken| match broken {
            Broken::Changed(what) => Broken::Changed(format!("{what}, in\n{text}\n{bytes:02x?}")),
            other => Broken::Schema(format!("{other}, in\n{text}\n{bytes:02x?}")),
        })?;
        if result == Outcome::Held {
            outcome = Outcome::Held;
            held(&text, &bytes);
        }
    }
    Ok(outcome)
}

/// A schema, prepared; nothing if it is refused. What a text comes to is remembered for a while: most
/// inputs are changed copies of others, and share the schema as often as not, of which parsing alone
/// takes longer than all that is done with its files.
fn prepared(text: &str) -> std::result::Result<Option<Rc<Program>>, Broken> {
    /// Schemas by their text.
    type Known = BTreeMap<String, Option<Rc<Program>>>;
    thread_local! {
        static KNOWN: RefCell<Known> = const { RefCell::new(BTreeMap::new()) };
    }
    if let Some(known) = KNOWN.with_borrow(|known| known.get(text).cloned()) {
        return Ok(known);
    }
    let program = loaded(text)?.map(Rc::new);
    KNOWN.with_borrow_mut(|known| {
        if known.len() == REMEMBERED {
            known.clear();
        }
        known.insert(text.to_owned(), program.clone());
    });
    Ok(program)
}

/// Loads a schema, and lets everything say something about it that works on a model alone.
fn loaded(text: &str) -> std::result::Result<Option<Program>, Broken> {
    let loaded = load("pieces.kdl", text, None, &Shipped);
    let Some(model) = loaded.model else {
        // Pieces that do not go together, such as two that want the same bytes, are refused; but
        // each of them is known.
        let shown = render(&loaded.diagnostics, &loaded.sources, false);
        let is_syntax = |code: &str| code.starts_with("E00") || code.starts_with("E01");
        if loaded.diagnostics.all().iter().any(|diagnostic| is_syntax(diagnostic.code)) {
            return Err(Broken::Schema(format!("{text}\n{shown}")));
        }
        return Ok(None);
    };
    let (described, generated) = told(text);
    if described && (print::model_text(&model).is_empty() || markdown::emit(&model).is_empty()) {
        return Err(Broken::Schema(format!("nothing is said of\n{text}")));
    }
    // Generated code is compiled by other tests; here it only has to be Rust.
    if generated && rust::check(&model).is_empty() {
        let options = rust::Options {
            serde: true,
            arbitrary: true,
            arena: false,
            views: true,
            ..rust::Options::default()
        };
        if rust::emit(&model, &options).is_empty() {
            return Err(Broken::Schema(format!("no code is made of\n{text}")));
        }
    }
    Ok(Some(program(model)))
}

/// Whether pages are made for a schema, and whether code is: pages take as long as all else, and are for
/// one text of 16; code takes some hundred times as long, and is for one of 1024, and so for some
/// thousands in ten million inputs. The input is not asked, because it says the same each time once it
/// is used up.
fn told(text: &str) -> (bool, bool) {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = text.bytes().fold(0x811c_9dc5, mix);
    (hash >> 28 == 0, hash >> 22 == 0)
}

/// What is read is written as the same bytes, and without what is kept about them as a file with the
/// same value; so is a value in which `choice` changed a field, if it is written at all.
fn law(program: &Program, bytes: &[u8], choice: &[u8]) -> std::result::Result<Outcome, Broken> {
    let value = laws::total(program, bytes)?;
    let lenient = ReadOptions::default().lenient(true);
    let Ok(read_leniently) = read(program, bytes, &lenient) else {
        return if value.is_ok() {
            Err(Broken::Schema("only the strict reader accepts".to_owned()))
        } else {
            Ok(Outcome::Refused)
        };
    };
    let written = laws::rewritten(program, &read_leniently)?;
    laws::first_difference(bytes, &written)
        .map_or(Ok(()), |found| Err(Broken::Rewritten(found)))?;
    let Ok(value) = value else { return Ok(Outcome::Refused) };
    identical(program, bytes, &value)?;
    match laws::canonical(program, &value) {
        // What shares bytes in a file gets bytes of its own, for which a pointer may be too narrow, or
        // which begin at the address that stands for nothing.
        Err(Broken::Refused(error))
            if error.problems().iter().all(|p| is_beyond(p, bytes) || is_nowhere(p, program)) => {}
        other => other?,
    }
    edit::check(program, choice, bytes, &lenient)?;
    Ok(Outcome::Held)
}

fn identical(program: &Program, bytes: &[u8], value: &Value) -> std::result::Result<(), Broken> {
    let written = write(program, value).map_err(Broken::Refused)?;
    laws::first_difference(bytes, &written).map_or(Ok(()), |found| Err(Broken::Rewritten(found)))
}

/// Whether a number does not fit that is larger than any address of a byte, or count, in a file.
fn is_beyond(problem: &Problem, file: &[u8]) -> bool {
    let ProblemKind::DoesNotFit { value, .. } = &problem.kind else { return false };
    // In front of it may stand the row that has it.
    let number = value.rsplit(' ').next().unwrap_or_default();
    number.parse::<i128>().is_ok_and(|value| value >= file.len() as i128)
}

/// Whether a number would be read as nothing that is such a number of some pointer.
fn is_nowhere(problem: &Problem, program: &Program) -> bool {
    let ProblemKind::MeansNothing { value } = &problem.kind else { return false };
    let model = program.model();
    let mut rows = model.records.iter().flat_map(|record| &record.rows);
    rows.any(|row| {
        row.ty.inline_parts().any(|part| match part {
            Type::Pointer(pointer) => {
                let kind = &model.pointers[pointer.kind.index()];
                row.none.contains(value) || kind.none == Some(*value)
            }
            _ => false,
        })
    })
}

/// Bytes of which many are small, so that counts and offsets lead somewhere.
fn file(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    if u.is_empty() {
        return Err(arbitrary::Error::NotEnoughData);
    }
    let size = u.int_in_range(0..=96)?;
    let mut bytes = Vec::new();
    for _ in 0..size {
        let byte: u8 = u.arbitrary()?;
        bytes.push(match byte {
            0x00..=0x7f => byte,
            0x80..=0xbf => byte % 4,
            0xc0..=0xdf => 0,
            _ => byte,
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::Noise;

    /// Code is generated for about one of 1024 schemas, however short the inputs are.
    #[test]
    fn code_is_generated_now_and_then() {
        let mut noise = Noise::new(6);
        for length in [24, 64, 400] {
            let mut generated = 0;
            for _ in 0..25_600 {
                let bytes = noise.bytes(length);
                let text = schema(&mut Unstructured::new(&bytes)).expect("a schema is made");
                generated += u32::from(told(&text).1);
            }
            assert!((12..=50).contains(&generated), "{generated} of 25600 with {length} bytes");
        }
    }

    #[test]
    fn numbers_beyond_the_file_may_not_fit() {
        let is_excused = |value: &str| {
            let kind = ProblemKind::DoesNotFit { value: value.into(), ty: "u8".into() };
            is_beyond(&Problem::new(formwork::path::Path::default(), kind), &[0; 15])
        };
        assert!(is_excused("264"));
        assert!(is_excused("its `o4` 270"));
        assert!(is_excused("its `o4` 15"));
        assert!(!is_excused("its `o4` 14"));
        assert!(!is_excused("something"));
    }

    #[test]
    fn pointers_may_lead_to_the_address_of_nothing() {
        let text = "module t \"Test\" root=File endian=little\npointer * u8 none=4\n\
                    struct File { *?u8 item; u8 number none=5 }\n";
        let program = program(load("t.kdl", text, None, &()).model.expect("a schema"));
        let is_excused = |value: i128| {
            let kind = ProblemKind::MeansNothing { value };
            is_nowhere(&Problem::new(formwork::path::Path::default(), kind), &program)
        };
        assert!(is_excused(4));
        assert!(!is_excused(5));
    }

    /// Most schemas are valid: otherwise nothing is tried.
    #[test]
    fn most_pieces_go_together() {
        let (mut models, mut read) = (0, 0);
        let mut noise = Noise::new(4);
        for _ in 0..1000 {
            let bytes = noise.bytes(400);
            let text = schema(&mut Unstructured::new(&bytes)).expect("there are enough bytes");
            models += u32::from(load("t.kdl", &text, None, &Shipped).model.is_some());
            match check(&bytes) {
                Ok(Outcome::Refused) => {}
                Ok(_) => read += 1,
                Err(broken) => panic!("{broken}"),
            }
        }
        assert!(models > 500, "{models} of 1000 schemas have a model");
        assert!(read > 50, "files of {read} of 1000 schemas are read");
    }
}
