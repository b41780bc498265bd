//! What holds for the arenas of a generated root type: they read and write as ordinary values do.

use std::fmt::Display;

use formwork::{ProblemKind, ReadError, ReadOptions, WriteError};

use crate::codec::{Codec, Show};
use crate::laws::{Broken, first_difference};
use crate::property::Outcome;
use crate::refusal::refused;

/// A file in an arena. [`codec!`](crate::codec) makes it.
pub trait Arena<C: Codec> {
    /// Writes the file.
    ///
    /// # Errors
    ///
    /// As `write` of the arena.
    fn write(&self) -> Result<Vec<u8>, WriteError>;

    /// Whether it is the same as an ordinary value, which has the same spelling, too. If not, both
    /// are shown, the ordinary one first.
    ///
    /// # Errors
    ///
    /// As `to_value` of the arena.
    fn is(&self, file: &C::File<'_>, show: Show<'_>) -> Result<bool, WriteError>;
}

/// An arena whose type has no name here.
type Boxed<C> = Box<dyn Arena<C>>;

/// How files come into arenas.
#[derive(Debug)]
pub struct Arenas<C: Codec> {
    /// `read_with` of the arena.
    pub read: fn(&[u8], &ReadOptions) -> Result<Boxed<C>, ReadError>,
    /// `from_value` of the arena.
    pub from_value: for<'a> fn(&C::File<'a>) -> Result<Boxed<C>, WriteError>,
}

impl<C: Codec> Arenas<C> {
    /// A file is read by both or by none, with the same error; what is read is the same and is
    /// written the same, also if it came into the arena as a value.
    ///
    /// # Errors
    ///
    /// If not. `describe` says where two values differ.
    pub(crate) fn of_file(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
        describe: Describe<'_>,
    ) -> Result<Outcome, Broken> {
        let (file, arena) = match (C::read(bytes, options), (self.read)(bytes, options)) {
            (Ok(file), Ok(arena)) => (file, arena),
            (Err(error), Err(other)) if error == other => return refused(error, bytes),
            (Err(error), Err(other)) => return Err(errors("read", &error, &other)),
            (Ok(_), Err(error)) => return Err(only("the arena refuses to read", &error)),
            (Err(error), Ok(_)) => return Err(only("the ordinary reader refuses", &error)),
        };
        let expected = C::write(&file);
        same(&*arena, &file, &expected, describe)?;
        self.of_value(&file, &expected, describe)
    }

    /// A value goes into an arena and comes out again, and both are written alike or refused alike.
    /// `expected` is what came of writing the value.
    ///
    /// # Errors
    ///
    /// If not. `describe` says where two values differ.
    pub(crate) fn of_value(
        &self,
        file: &C::File<'_>,
        expected: &Result<Vec<u8>, WriteError>,
        describe: Describe<'_>,
    ) -> Result<Outcome, Broken> {
        match (self.from_value)(file) {
            Ok(arena) => same(&*arena, file, expected, describe),
            Err(error) if is_deep(&error) => Ok(Outcome::Refused),
            Err(error) => Err(only("the arena refuses the value", &error)),
        }
    }
}

/// Says in what two values differ, the ordinary one and that of an arena.
pub(crate) type Describe<'a> = &'a dyn Fn(&dyn Fn(Show<'_>)) -> Broken;

/// An arena holds a value and is written as the value is.
fn same<C: Codec>(
    arena: &dyn Arena<C>,
    file: &C::File<'_>,
    expected: &Result<Vec<u8>, WriteError>,
    describe: Describe<'_>,
) -> Result<Outcome, Broken> {
    match arena.is(file, &mut |_| {}) {
        Ok(true) => {}
        // What is shown again is shown by the same function, so its result is known.
        Ok(false) => return Err(describe(&|show| drop(arena.is(file, show)))),
        Err(error) if is_deep(&error) => return Ok(Outcome::Refused),
        Err(error) => return Err(only("the arena gives no value", &error)),
    }
    match (expected, arena.write()) {
        (Ok(expected), Ok(written)) => match first_difference(expected, &written) {
            None => Ok(Outcome::Held),
            Some(difference) => Err(Broken::Arena(format!("written differently: {difference}"))),
        },
        (Err(error), Err(other)) if *error == other => Ok(Outcome::Refused),
        (Err(error), _) if is_deep(error) => Ok(Outcome::Refused),
        (_, Err(error)) if is_deep(&error) => Ok(Outcome::Refused),
        (Err(error), Err(other)) => Err(errors("written", error, &other)),
        (Ok(_), Err(error)) => Err(only("the arena refuses to write", &error)),
        (Err(error), Ok(_)) => Err(only("the ordinary writer refuses", error)),
    }
}

/// How deep a value may be depends on the native stack, of which one may take more than the other.
fn is_deep(error: &WriteError) -> bool {
    let deep = |kind: &ProblemKind| matches!(kind, ProblemKind::DepthLimit { .. });
    error.problems().iter().any(|problem| deep(&problem.kind))
}

fn only(what: &str, error: &dyn Display) -> Broken {
    Broken::Arena(format!("only {what}: {error}"))
}

fn errors(what: &str, ordinary: &dyn Display, arena: &dyn Display) -> Broken {
    Broken::Arena(format!("not {what} for other reasons: {ordinary}; in the arena: {arena}"))
}
