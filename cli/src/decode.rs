//! `formwork decode`: makes JSON of a file.

use std::io::Write;

use formwork::ReadError;
use formwork::inspect::Inspect;
use formwork_interpreter::json::{Style, part_to_json, to_json};
use formwork_interpreter::{Value, read, read_partly, value_of};

use crate::args::{Decode, EngineName};
use crate::files;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::{Format, Formats};
use crate::terminal::say;
use crate::unread::reading_block;

pub(crate) fn run(options: &Decode, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let formats = Formats::choose(&options.choice)?;
    let bytes = files::read(&options.file)?;
    let format = formats.require(&options.file, &bytes)?;
    let style = if options.compact { Style::Compact } else { Style::Pretty };
    if options.partial {
        let (document, error) = read_partly(&format.program, &bytes, &format.options);
        let text = match &error {
            None => to_json(&format.program, &document.value(), style),
            Some(error) => part_to_json(&format.program, &document.value(), error, style),
        };
        files::write(&options.output, text.as_bytes(), out)?;
        if let Some(error) = &error {
            out.flush()?;
            say(&reading_block(&options.file, format, error, &bytes));
        }
        return Ok(Outcome::Good);
    }
    let value = match options.engine {
        Some(EngineName::Compiled) => compiled(options, format, &bytes)?,
        Some(EngineName::Interpreted) | None => interpreted(format, &bytes),
    };
    let value = match value {
        Ok(value) => value,
        Err(error) => {
            say(&reading_block(&options.file, format, &error, &bytes));
            return Ok(Outcome::Bad);
        }
    };
    let text = to_json(&format.program, &value, style);
    files::write(&options.output, text.as_bytes(), out)?;
    Ok(Outcome::Good)
}

fn interpreted(format: &Format, bytes: &[u8]) -> Result<Value, ReadError> {
    Ok(read(&format.program, bytes, &format.options)?.value())
}

fn compiled(
    options: &Decode,
    format: &Format,
    bytes: &[u8],
) -> Result<Result<Value, ReadError>, Problem> {
    let found = formwork_formats::FormatId::named(format.name());
    let Some(engine) = found.filter(|_| options.choice.schema.is_none()) else {
        let message = "there is no compiled code of a schema file; it is interpreted";
        return Err(Problem::Usage(message.to_owned()));
    };
    let file = match engine.read(bytes, &format.options) {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    match value_of(&format.program, |to| Inspect::inspect(&file, to)) {
        Ok(value) => Ok(Ok(value)),
        Err(error) => Err(Problem::Failure(error.to_string())),
    }
}
