//! A schema with its generated code, and whether properties hold for it.

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::path::Path;

use arbitrary::{Arbitrary, Unstructured};
use formwork::{ReadError, ReadOptions, WriteError};
use formwork_codegen::diagnostic::render;
use formwork_codegen::load;
use formwork_interpreter::{
    FieldKind, Program, Value, WalkOptions, coverage, program, read, write,
};

use crate::codec::{Codec, Show};
use crate::laws::{Broken, Difference, first_difference, inside, respelled};
use crate::property::{CHANGE, Case, Outcome, Property};
use crate::text::Shipped;
use crate::{edit, mutate, shown, value_text};

/// A schema with its generated code.
#[derive(Debug)]
pub struct Subject<C> {
    program: Program,
    codec: PhantomData<fn() -> C>,
}

/// A [`Subject`] whatever its types are.
pub trait Check: Sync {
    /// Its schema, prepared.
    fn program(&self) -> &Program;

    /// Tries what an input asks for.
    ///
    /// # Errors
    ///
    /// If the property does not hold.
    fn check(&self, case: &Case<'_>) -> Result<Outcome, Broken>;
}

impl<C: Codec> Subject<C> {
    /// A schema that comes with Formwork.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or it is not the schema of a format.
    pub fn built_in(name: &str) -> Result<Subject<C>, String> {
        let text = formwork_schemas::get(name).ok_or_else(|| format!("no schema `{name}`"))?;
        Subject::of(name, text, None)
    }

    /// A schema file. Imports are looked for beside it, then among those that come with Formwork.
    ///
    /// # Errors
    ///
    /// If it cannot be read or has errors.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Subject<C>, String> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        Subject::of(&path.display().to_string(), &text, path.parent())
    }

    /// A schema that is prepared.
    #[must_use]
    pub fn new(program: Program) -> Subject<C> {
        Subject { program, codec: PhantomData }
    }

    fn of(name: &str, text: &str, folder: Option<&Path>) -> Result<Subject<C>, String> {
        let loaded = load(name, text, folder, &Shipped);
        match loaded.model {
            Some(model) => Ok(Subject::new(program(model))),
            None => Err(render(&loaded.diagnostics, &loaded.sources, false)),
        }
    }

    fn value(&self, file: &C::File<'_>) -> Value {
        shown::of(&self.program, file)
    }

    fn read_only(bytes: &[u8], options: &ReadOptions) -> Result<Outcome, Broken> {
        match C::read(bytes, options) {
            Ok(_) => Ok(Outcome::Held),
            Err(error) => refused(error, bytes),
        }
    }

    fn rewrite(&self, bytes: &[u8], options: &ReadOptions) -> Result<Outcome, Broken> {
        // Declared first, so that both values may borrow for as long.
        #[allow(clippy::needless_late_init)]
        let written;
        let file = match C::read(bytes, options) {
            Ok(file) => file,
            Err(error) => return refused(error, bytes),
        };
        written = C::write(&file).map_err(Broken::Refused)?;
        let again = match C::read(&written, options) {
            Ok(again) => again,
            Err(error) => return Err(Broken::Unreadable(error, written.clone())),
        };
        self.equal(&file, &again)?;
        let twice = C::write(&again).map_err(Broken::Refused)?;
        if let Some(difference) = first_difference(&written, &twice) {
            return Err(Broken::Unstable(difference));
        }
        if written == bytes {
            return Ok(Outcome::Held);
        }
        if !C::same_spelling(&file, &again) {
            let (before, after) = (self.value(&file), self.value(&again));
            if is_new(&before, &after) {
                return Err(respelled(&before, &after));
            }
        }
        match unexplained(&self.program, bytes, &written, options) {
            Some(difference) => Err(Broken::Rewritten(difference)),
            None => Ok(Outcome::Normalised),
        }
    }

    fn equal(&self, file: &C::File<'_>, again: &C::File<'_>) -> Result<(), Broken> {
        let (a, b) = (self.value(file), self.value(again));
        match value_text::difference(&a, &b) {
            Some(what) => Err(Broken::Changed(what)),
            None => Ok(()),
        }
    }

    fn make(&self, bytes: &[u8]) -> Result<Outcome, Broken> {
        let Ok(file) = C::File::arbitrary(&mut Unstructured::new(bytes)) else {
            return Ok(Outcome::Refused);
        };
        if let Some(arenas) = C::arenas() {
            arenas.of_value(&file, &|show| self.differ(show))?;
        }
        let value = self.value(&file);
        let line = value_text::line;
        let by_interpreter = write(&self.program, &value);
        let written = match (C::write(&file), by_interpreter) {
            (Err(error), Err(_)) => return unwritten(&error),
            (Ok(written), Ok(expected)) => {
                if let Some(difference) = first_difference(&expected, &written) {
                    return Err(Broken::Engines(format!("written differently: {difference}")));
                }
                written
            }
            (Ok(_), Err(error)) => {
                let problems = shown::problems(&error);
                return Err(Broken::Engines(format!(
                    "only the interpreter refuses: {problems}; {}",
                    line(&value)
                )));
            }
            (Err(error), Ok(_)) => {
                let problems = shown::problems(&error);
                return Err(Broken::Engines(format!(
                    "only generated code refuses: {problems}; {}",
                    line(&value)
                )));
            }
        };
        match C::read(&written, &ReadOptions::default()) {
            Ok(again) => self.equal(&file, &again)?,
            Err(error) => return Err(Broken::Unreadable(error, written.clone())),
        }
        Ok(Outcome::Held)
    }

    /// A file that is nearly right: `choice` says how it differs from one that is written, and what
    /// must hold for it.
    fn change(
        &self,
        choice: &[u8],
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<Outcome, Broken> {
        let (choice, edit) = choice.split_at(CHANGE.min(choice.len()));
        let Ok(file) = C::File::arbitrary(&mut Unstructured::new(bytes)) else {
            return Ok(Outcome::Refused);
        };
        let written = match C::write(&file) {
            Ok(written) => written,
            Err(error) => return unwritten(&error),
        };
        let mut u = Unstructured::new(choice);
        let asked = u.int_in_range(0..=7_u8);
        let (Ok(asked), Ok(changed)) = (asked, mutate::bytes(&mut u, &written, 2)) else {
            return Ok(Outcome::Refused);
        };
        match asked {
            0..=2 => self.rewrite(&changed, options),
            3..=4 => self.engines(&changed, options),
            5..=6 => self.arena(&changed, options),
            _ => edit::check(&self.program, edit, &changed, options),
        }
    }

    fn arena(&self, bytes: &[u8], options: &ReadOptions) -> Result<Outcome, Broken> {
        match C::arenas() {
            Some(arenas) => arenas.of_file(bytes, options, &|show| self.differ(show)),
            None => Ok(Outcome::Refused),
        }
    }

    /// In what two values differ that are shown, the second of an arena.
    fn differ(&self, show: &dyn Fn(Show<'_>)) -> Broken {
        let mut shown = Vec::new();
        show(&mut |value| shown.push(shown::of(&self.program, value)));
        let [value, found] = &shown[..] else {
            return Broken::Arena("there is nothing to show".to_owned());
        };
        match value_text::difference(value, found) {
            Some(difference) => Broken::Arena(format!("ordinary and arena: {difference}")),
            None => Broken::Arena(respelled(value, found).to_string()),
        }
    }

    fn engines(&self, bytes: &[u8], options: &ReadOptions) -> Result<Outcome, Broken> {
        let compiled = C::read(bytes, options);
        let interpreted = read(&self.program, bytes, options).map(|document| document.value());
        let (file, value) = match (compiled, interpreted) {
            (Ok(file), Ok(value)) => (file, value),
            (Err(error), Err(_)) => return refused(error, bytes),
            (Ok(_), Err(error)) => {
                return Err(Broken::Engines(format!("only the interpreter refuses: {error}")));
            }
            (Err(error), Ok(_)) => {
                return Err(Broken::Engines(format!("only generated code refuses: {error}")));
            }
        };
        let found = self.value(&file);
        if let Some(difference) = value_text::difference(&value, &found) {
            return Err(Broken::Engines(format!("interpreted and compiled: {difference}")));
        }
        if !shown::sorted(value.clone()).same_spelling(&shown::sorted(found.clone())) {
            return Err(respelled(&value, &found));
        }
        match (write(&self.program, &value), C::write(&file)) {
            (Ok(expected), Ok(found)) => match first_difference(&expected, &found) {
                None => Ok(Outcome::Held),
                Some(difference) => {
                    Err(Broken::Engines(format!("written differently: {difference}")))
                }
            },
            (Err(error), _) | (_, Err(error)) => Err(Broken::Refused(error)),
        }
    }
}

impl<C: Codec> Check for Subject<C> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn check(&self, case: &Case<'_>) -> Result<Outcome, Broken> {
        let options = case.options();
        match case.property {
            Property::Read => Self::read_only(case.bytes, &options),
            Property::Rewrite => self.rewrite(case.bytes, &options),
            Property::Make => self.make(case.bytes),
            Property::Edit => edit::check(&self.program, case.choice, case.bytes, &options),
            Property::Engines => self.engines(case.bytes, &options),
            Property::Arena => self.arena(case.bytes, &options),
            Property::Change => self.change(case.choice, case.bytes, &options),
        }
    }
}

/// A file that is not read, if the error is honest.
pub(crate) fn refused(error: ReadError, bytes: &[u8]) -> Result<Outcome, Broken> {
    inside(error, bytes).map(|_| Outcome::Refused)
}

/// A value that is not written, if the error says why.
pub(crate) fn unwritten(error: &WriteError) -> Result<Outcome, Broken> {
    if error.problems().is_empty() || error.to_string().is_empty() {
        return Err(Broken::Silent);
    }
    Ok(Outcome::Refused)
}

/// Whether the value that was written and read again deviates from what is canonical where the first
/// one did not. What no longer fits may be lost: a pool that lacks a text which a label leads to is
/// written as it should be, and with it whatever was said about its bytes.
fn is_new(before: &Value, after: &Value) -> bool {
    let rows = |value: &Value| {
        let mut rows = Vec::new();
        value.for_each_kept(&mut |kept| rows.push((kept.kind, kept.row.clone())));
        rows
    };
    let mut known = rows(before);
    rows(after).iter().any(|row| match known.iter().position(|other| other == row) {
        Some(at) => {
            known.swap_remove(at);
            false
        }
        None => true,
    })
}

/// Where fields are.
#[derive(Default)]
struct Places {
    /// Fields with bytes: path, offset and size, and of a pointer what it leads to.
    fields: BTreeSet<(String, u64, u64, Option<u64>)>,
    /// Offsets and sizes of padding in elements that follow from other values. Nobody holds what
    /// else such an element may have, so nothing of it is kept.
    padding: Vec<(u64, u64)>,
}

impl Places {
    fn of(program: &Program, bytes: &[u8], options: &ReadOptions) -> Option<Places> {
        let document = read(program, bytes, options).ok()?;
        let mut places = Places::default();
        let mut computed: Option<String> = None;
        let everything = WalkOptions { fold: None };
        let walked = document.walk(None, &everything, &mut |field| {
            if computed.as_ref().is_some_and(|array| !field.path.starts_with(array)) {
                computed = None;
            }
            if field.kind == FieldKind::Array && matches!(field.role, "derived" | "kept" | "view") {
                computed.get_or_insert_with(|| format!("{}[", field.path));
            }
            if let Some(offset) = field.offset {
                if computed.is_some() && matches!(field.name.as_str(), "zero" | "reserved") {
                    places.padding.push((offset, field.size));
                }
                places.fields.insert((field.path.clone(), offset, field.size, field.target));
            }
            ControlFlow::Continue(())
        });
        walked.ok().map(|()| places)
    }
}

/// The first difference between a file and what was written of its value that nothing allows.
///
/// Allowed are bytes that no row claims and no fill explains, which are dropped, as is padding in
/// elements that are computed, and other places for the objects of files that another program
/// arranged: if both have the same size and all fields at the same offsets, each byte that the
/// schema explains must be the same.
fn unexplained(
    program: &Program,
    bytes: &[u8],
    written: &[u8],
    options: &ReadOptions,
) -> Option<Difference> {
    if bytes.len() != written.len() {
        return None;
    }
    let places = Places::of(program, bytes, options)?;
    if places.fields != Places::of(program, written, options)?.fields {
        return None;
    }
    let gaps = coverage(program, bytes, options).gaps.into_iter().map(|gap| (gap.offset, gap.size));
    let mut same = bytes.to_vec();
    for (offset, size) in gaps.chain(places.padding) {
        let (from, size) = (usize::try_from(offset).ok()?, usize::try_from(size).ok()?);
        for at in from..from.saturating_add(size) {
            if let (Some(byte), Some(new)) = (same.get_mut(at), written.get(at)) {
                *byte = *new;
            }
        }
    }
    first_difference(&same, written)
}
