//! A schema with its generated code, and whether properties hold for it.

use std::marker::PhantomData;
use std::path::Path;

use arbitrary::{Arbitrary, Unstructured};
use formwork::{ReadOptions, WriteError};
use formwork_codegen::diagnostic::render;
use formwork_codegen::load;
use formwork_interpreter::{Program, Value, in_layout, program, read, write};

use crate::codec::{Codec, Show};
use crate::laws::{Broken, first_difference, respelled};
use crate::property::{CHANGE, Case, Outcome, Property};
use crate::refusal::{refused, unwritten};
use crate::text::Shipped;
use crate::{edit, mend, mutate, shown, value_text};

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
        let file = match C::read(bytes, options) {
            Ok(file) => file,
            Err(error) => return refused(error, bytes),
        };
        let written = C::write(&file).map_err(Broken::Refused)?;
        match first_difference(bytes, &written) {
            None => Ok(Outcome::Held),
            Some(difference) => Err(Broken::Rewritten(difference)),
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
        let written = C::write(&file);
        if let Some(arenas) = C::arenas() {
            arenas.of_value(&file, &written, &|show| self.differ(show))?;
        }
        let value = self.value(&file);
        let line = value_text::line;
        let by_interpreter = write(&self.program, &value);
        let written = match (written, by_interpreter) {
            (Err(error), Err(_)) => return self.make_less(value, error),
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

    /// A value that cannot be written, without what the problems are about.
    fn make_less(&self, value: Value, error: WriteError) -> Result<Outcome, Broken> {
        let Some((value, written)) = self.mended(value, error)? else {
            return Ok(Outcome::Refused);
        };
        let file = match C::read(&written, &ReadOptions::default()) {
            Ok(file) => file,
            Err(error) => return Err(Broken::Unreadable(error, written.clone())),
        };
        let said = in_layout(&self.program, value);
        if let Some(what) = value_text::difference(&said, &self.value(&file)) {
            return Err(Broken::Changed(what));
        }
        match C::write(&file) {
            Err(error) => Err(Broken::Refused(error)),
            Ok(again) => match first_difference(&written, &again) {
                Some(difference) => Err(Broken::Rewritten(difference)),
                None => Ok(Outcome::Held),
            },
        }
    }

    /// What is left of a value that cannot be written without what the problems are about, and its
    /// file; nothing if that cannot be written either.
    fn mended(
        &self,
        mut value: Value,
        mut error: WriteError,
    ) -> Result<Option<(Value, Vec<u8>)>, Broken> {
        for round in 0..mend::ROUNDS {
            unwritten(&error)?;
            if !mend::leave_out(&mut value, &error, round) {
                break;
            }
            match write(&self.program, &value) {
                Ok(written) => return Ok(Some((value, written))),
                Err(again) => error = again,
            }
        }
        Ok(None)
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
            Err(error) => match self.mended(self.value(&file), error)? {
                Some((_, written)) => written,
                None => return Ok(Outcome::Refused),
            },
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
