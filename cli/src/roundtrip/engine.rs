//! What reads and writes: code that was generated from a schema, or the schema itself.

use formwork::inspect::{Inspector, RowName};
use formwork::{ReadError, ReadOptions, Spelling, WriteError};
use formwork_interpreter::{Note, Program, read};

use super::report::{KeptCounts, Unusual};
use crate::schema::Format;

/// What reads and writes the files of a format.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Engine<'a> {
    Compiled(formwork_formats::FormatId),
    Interpreted(&'a Program),
}

/// What came of a file that could be read.
#[derive(Debug)]
pub(crate) struct Done {
    pub notes: Vec<Note>,
    pub kept: KeptCounts,
    /// The bytes that the value is written as.
    pub written: Result<Vec<u8>, WriteError>,
    /// If those are others than before: whether they are read as an equal value.
    pub again: Option<Result<bool, ReadError>>,
}

impl Engine<'_> {
    pub(crate) fn run(self, bytes: &[u8], options: &ReadOptions) -> Result<Done, ReadError> {
        match self {
            Engine::Compiled(format) => compiled(format, bytes, options),
            Engine::Interpreted(program) => interpreted(program, bytes, options),
        }
    }
}

fn compiled(
    format: formwork_formats::FormatId,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Done, ReadError> {
    let mut counter = Counter::default();
    let done = format.roundtrip(bytes, options, &mut counter)?;
    let notes = done.notes.all().iter().map(|note| Note {
        offset: note.offset,
        path: note.path.clone(),
        message: note.message.clone(),
    });
    let notes = notes.collect();
    Ok(Done { notes, kept: counter.kept, written: done.written, again: done.again })
}

fn interpreted(program: &Program, bytes: &[u8], options: &ReadOptions) -> Result<Done, ReadError> {
    let document = read(program, bytes, options)?;
    let mut counter = Counter::default();
    if !document.is_canonical() {
        document.inspect(&mut counter);
    }
    let written = document.write();
    let again = match &written {
        Ok(written) if written != bytes => {
            let again = read(program, written, options);
            Some(again.map(|again| again.value() == document.value()))
        }
        _ => None,
    };
    Ok(Done { notes: document.notes().to_vec(), kept: counter.kept, written, again })
}

/// The field at an offset, in the file as it was or else as it is written. Only the interpreter
/// knows places, and it is asked only about files that differ.
pub(crate) fn field_at(format: &Format, files: [&[u8]; 2], offset: u64) -> Option<String> {
    files
        .iter()
        .find_map(|bytes| read(&format.program, bytes, &format.options).ok()?.field_at(offset))
}

/// What is kept of a file, one by one. Only the interpreter knows where it is about.
pub(crate) fn deviations(format: &Format, bytes: &[u8]) -> Vec<Unusual> {
    let Ok(document) = read(&format.program, bytes, &format.options) else {
        return Vec::new();
    };
    let all = document.deviations().into_iter();
    all.map(|deviation| Unusual::new(format.model(), deviation)).collect()
}

/// Counts the kept spellings of a value that is shown to it.
#[derive(Debug, Default)]
struct Counter {
    kept: KeptCounts,
}

impl Inspector for Counter {
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
    fn begin_struct(&mut self) {}
    fn field(&mut self, _: &str) {}
    fn flatten(&mut self, _: u16) {}
    fn begin_spelled(&mut self) {}
    fn end_spelled(&mut self) {}
    fn end_struct(&mut self) {}
    fn begin_case(&mut self, _: &str) {}
    fn end_case(&mut self) {}

    fn spelling(&mut self, spelling: &Spelling, _: &[RowName<'_>]) {
        spelling.entries().iter().for_each(|entry| self.kept.add(entry.kind));
    }
}
