//! `formwork encode`: makes a file of JSON.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use formwork_interpreter::json::{Header, JsonError, Text};
use formwork_interpreter::write;

use crate::args::{Choice, Encode};
use crate::diff::Show;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::{Format, Formats};
use crate::{diff, files, shown};

pub(crate) fn run(options: &Encode, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let bytes = files::read(&options.file)?;
    let shown = match files::is_stream(&options.file) {
        true => "standard input".to_owned(),
        false => shown::path(&options.file),
    };
    let refused = |what: &str, lines: Vec<String>| {
        let lines = lines.iter().map(|line| format!("\n  {}", shown::text(line)));
        let lines: Vec<_> = lines.collect();
        Problem::Failure(format!("cannot encode {shown}{what}{}", lines.concat()))
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return Err(refused("", vec!["it is no UTF-8 text".to_owned()]));
    };
    let text = Text::parse(&text).map_err(|error| refused("", lines(&error)))?;
    let formats = choose(&options.choice, text.header())?;
    let Formats::One(format) = &formats else {
        return Err(refused("", vec!["its format is not known".to_owned()]));
    };
    let what = format!(" as {}", format.name());
    let foreign = foreign(text.header());
    let value = text.value(&format.program).map_err(|error| {
        refused(&what, lines(&error).into_iter().chain(foreign.clone()).collect())
    })?;
    let target = match &options.output {
        Some(output) => output.clone(),
        None => default_output(&options.file, format)?,
    };
    // What it is compared with may be what it replaces.
    let original =
        options.against.as_ref().map(|path| Ok::<_, Problem>((path, files::read(path)?)));
    let original = original.transpose()?;
    let bytes = write(&format.program, &value).map_err(|error| {
        let problems = error.problems().iter().map(|problem| {
            let path = problem.path.shortened();
            // A path without steps is the whole file.
            let inner = if problem.path.is_empty() { String::new() } else { format!(".{path}") };
            format!("value{inner}: {}", problem.kind)
        });
        let allowance = format.allowance_to_write(&error).map(str::to_owned);
        refused(&what, problems.chain(allowance).chain(foreign.clone()).collect())
    })?;
    files::write_telling(&target, &bytes, out, |out| match &original {
        Some((path, original)) => {
            let show = Show { meaning: true, bytes: true, all: false };
            diff::written(format, [path, &target], [original, &bytes], show, out)
        }
        None => Ok(()),
    })?;
    Ok(Outcome::Good)
}

fn lines(error: &JsonError) -> Vec<String> {
    error.to_string().lines().map(str::to_owned).collect()
}

/// A hint for texts that another version of this program has made.
fn foreign(header: &Header) -> Option<String> {
    let own = format!("formwork {}", env!("CARGO_PKG_VERSION"));
    let made_by = header.tool.as_ref().filter(|tool| **tool != own)?;
    Some(format!("note: the text was made by {made_by}, this is {own}"))
}

/// The format that is said, or that the text names.
fn choose(choice: &Choice, header: &Header) -> Result<Formats, Problem> {
    if choice.schema.is_some() || choice.format.is_some() {
        return Formats::choose(choice);
    }
    let limits = choice.limits.clone();
    let named = Choice { schema: None, format: Some(header.format.clone()), limits };
    Formats::choose(&named).map_err(|problem| match problem {
        Problem::Usage(message) => {
            Problem::Failure(format!("{message}\n  --schema FILE.kdl says what another format is"))
        }
        other => other,
    })
}

/// `a.bin` for `a.bin.json`. A file that is there already is not replaced unless it is named.
fn default_output(input: &Path, format: &Format) -> Result<PathBuf, Problem> {
    if files::is_stream(input) {
        return Ok(PathBuf::from("-"));
    }
    let mut output = match input.extension() == Some(OsStr::new("json")) {
        true => input.with_extension(""),
        false => input.to_owned(),
    };
    if output.extension().is_none() || output == input {
        let mut name = output.into_os_string();
        name.push(".");
        name.push(format.model().extensions.first().map_or("bin", String::as_str));
        output = name.into();
    }
    if output.exists() {
        let shown = shown::path(&output);
        return Err(Problem::Usage(format!("{shown} is there already; `-o {shown}` replaces it")));
    }
    Ok(output)
}
