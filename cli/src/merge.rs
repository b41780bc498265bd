//! `formwork merge`: makes one file of two that were made from a third.

use std::io::Write;
use std::path::Path;

use formwork_interpreter::{Conflict, MergeError, Merged, Version, merge};
use serde_json::{Value, json};

use crate::args::Merge;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::{Format, Formats};
use crate::terminal::say;
use crate::unread::reading_block;
use crate::{files, shown};

pub(crate) fn run(options: &Merge, out: &mut dyn Write) -> Result<Outcome, Problem> {
    if options.json && files::is_stream(&options.output) {
        let message = "`--json` prints to standard output; `-o` says where the file goes";
        return Err(Problem::Usage(message.to_owned()));
    }
    let formats = Formats::choose(&options.choice)?;
    let paths = [&options.base, &options.ours, &options.theirs];
    if paths.iter().filter(|path| files::is_stream(path)).count() > 1 {
        return Err(Problem::Usage("standard input is only one file".to_owned()));
    }
    let [base, ours, theirs] = paths.map(|path| files::read(path));
    let bytes = [base?, ours?, theirs?];
    let name = |path| options.name.as_deref().unwrap_or(path);
    // Git has an empty file where there is no base.
    let [base, ours, theirs] = &bytes;
    if base.is_empty() && ours != theirs {
        let conflict = Found { path: "file", what: "both have added it", values: [None; 3] };
        return conflicts(options, name(&options.ours), &[conflict], out);
    }
    let format = formats.require(name(&options.ours), ours)?;
    let merged = merge(&format.program, bytes.each_ref().map(Vec::as_slice), &format.options);
    match merged {
        Ok(Merged::File(bytes)) => {
            files::write_telling(&options.output, &bytes, out, |out| match options.json {
                true => {
                    let report = json!({ "format": format.name(), "conflicts": [] });
                    Ok(shown::print_json(out, &report)?)
                }
                false => Ok(()),
            })?;
            Ok(Outcome::Good)
        }
        Ok(Merged::Conflicts(all)) => {
            let found: Vec<_> = all.iter().map(Found::of).collect();
            conflicts(options, name(&options.ours), &found, out)
        }
        Err(error) => Err(refused(options, format, &error, &bytes)),
    }
}

/// A conflict, in words.
struct Found<'c> {
    path: &'c str,
    what: &'static str,
    values: [Option<&'c str>; 3],
}

impl<'c> Found<'c> {
    fn of(conflict: &'c Conflict) -> Found<'c> {
        let path = if conflict.path.is_empty() { "file" } else { &conflict.path };
        let values = conflict.values.each_ref().map(Option::as_deref);
        Found { path, what: conflict.kind.words(), values }
    }
}

const VERSIONS: [&str; 3] = ["base", "ours", "theirs"];

fn conflicts(
    options: &Merge,
    name: &Path,
    found: &[Found<'_>],
    out: &mut dyn Write,
) -> Result<Outcome, Problem> {
    if options.json {
        let list = found.iter().map(|conflict| {
            let mut entry = json!({ "path": conflict.path, "message": conflict.what });
            for (version, value) in VERSIONS.iter().zip(conflict.values) {
                entry[version] = value.map_or(Value::Null, |value| {
                    serde_json::from_str(value).unwrap_or_else(|_| json!(value))
                });
            }
            entry
        });
        shown::print_json(out, &json!({ "conflicts": list.collect::<Vec<_>>() }))?;
        return Ok(Outcome::Bad);
    }
    let mut text = format!("conflict in {}", shown::path(name));
    for conflict in found {
        text.push_str(&format!("\n  {}: {}", shown::text(conflict.path), conflict.what));
        for (version, value) in VERSIONS.iter().zip(conflict.values) {
            if conflict.values.iter().any(Option::is_some) {
                let value = shown::text(value.unwrap_or("nothing"));
                text.push_str(&format!("\n    {version:<6}  {value}"));
            }
        }
    }
    say(&text);
    Ok(Outcome::Bad)
}

/// Why there is no result.
fn refused(
    options: &Merge,
    format: &Format,
    error: &MergeError,
    [base, ours, theirs]: &[Vec<u8>; 3],
) -> Problem {
    let name = options.name.as_deref().unwrap_or(&options.ours);
    match error {
        MergeError::Read(version, error) => {
            let (path, bytes) = match version {
                Version::Base => (&options.base, base),
                Version::Ours => (&options.ours, ours),
                Version::Theirs => (&options.theirs, theirs),
            };
            let block = reading_block(path, format, error, bytes);
            Problem::Failure(block.strip_prefix("error: ").unwrap_or(&block).to_owned())
        }
        MergeError::Write(error) => {
            let problems = error.problems().iter();
            let lines =
                problems.map(|problem| format!("{}: {}", problem.path.shortened(), problem.kind));
            let lines = lines.chain(format.allowance_to_write(error).map(str::to_owned));
            let lines: String = lines.map(|line| format!("\n  {}", shown::text(&line))).collect();
            Problem::Failure(format!(
                "cannot write {} with what both have changed{lines}",
                shown::path(name)
            ))
        }
        error => {
            let (name, error) = (shown::path(name), error.to_string());
            Problem::Failure(format!("cannot merge {name}: {}", shown::text(&error)))
        }
    }
}
