//! Cases of one feature each: a schema, files as text, and what must come of them.
//!
//! `feature.hex` beside `feature.kdl` holds files, each under a heading:
//!
//! ```text
//! == short                                  # a file: see `bytes`
//! "AB" @count 02 @data 01 02
//! ! count = 03 => unexpected_end data data  # another byte at a label: error, offset and path
//! ! cut data+1 => unexpected_end data data  # the file ends at a label
//! ~ data = hex(01) => one                   # the value edited is written as the file `one`
//! ~ data = 3; more = 5 => ! wrong_kind data # the value edited is refused: problem and path
//! ~ canonical => plain                      # without any unusual spelling
//!
//! == foreign -> plain                       # is written as the file `plain` at once
//! == strange lenient                        # read with padding that is not zero
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use formwork::ReadOptions;
use formwork_interpreter::Value;

use crate::bytes::{Bytes, hex};
use crate::value_text;

/// The files of one feature.
#[derive(Debug, Clone)]
pub struct Feature {
    /// The schema's path.
    pub schema: PathBuf,
    /// Its files, in the order of the text.
    pub files: Vec<File>,
}

/// One file of a [`Feature`].
#[derive(Debug, Clone)]
pub struct File {
    /// Its heading.
    pub name: String,
    /// Name of the file that it is written as, if it is another.
    pub written: Option<String>,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// How to read it.
    pub options: ReadOptions,
    /// Broken forms of it.
    pub breaks: Vec<Break>,
    /// Edits of its value.
    pub edits: Vec<Edit>,
}

/// A file that must not be read.
#[derive(Debug, Clone)]
pub struct Break {
    /// As written.
    pub text: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Code of the error, offset and path, separated by spaces.
    pub error: String,
}

/// A value that is changed and written.
#[derive(Debug, Clone)]
pub struct Edit {
    /// As written.
    pub text: String,
    /// Drop unusual spellings first.
    pub canonical: bool,
    /// Paths and what to put there.
    pub sets: Vec<(String, Value)>,
    /// Name of the file that comes of it, or the problem and its path.
    pub result: Result<String, String>,
}

/// All features in a folder, by name. Schemas without files beside them are libraries.
///
/// # Errors
///
/// If a file cannot be read, or its text is malformed.
pub fn features(folder: &Path) -> io::Result<Vec<Feature>> {
    let mut schemas = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "hex") {
            schemas.push(path.with_extension("kdl"));
        }
    }
    schemas.sort();
    schemas.iter().map(|schema| feature(schema)).collect()
}

/// The feature of one schema.
///
/// # Errors
///
/// If the file cannot be read, or its text is malformed.
pub fn feature(schema: &Path) -> io::Result<Feature> {
    let path = schema.with_extension("hex");
    let files = parse(&fs::read_to_string(&path)?).map_err(|error| {
        io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display()))
    })?;
    Ok(Feature { schema: schema.to_owned(), files })
}

/// Reads the text form of files.
///
/// # Errors
///
/// The file, and what is wrong in it.
pub fn parse(text: &str) -> Result<Vec<File>, String> {
    let mut parts = text.split("\n== ");
    let first = parts.next().unwrap_or_default();
    let leading = first.strip_prefix("== ");
    if leading.is_none() && first.lines().any(|line| !is_comment(line)) {
        return Err("there are lines before the first heading".to_owned());
    }
    let parts: Vec<&str> = leading.into_iter().chain(parts).collect();
    parts
        .into_iter()
        .map(|part| {
            let (heading, body) = part.split_once('\n').unwrap_or((part, ""));
            file(heading, body).map_err(|error| format!("{heading}: {error}"))
        })
        .collect()
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

fn file(heading: &str, body: &str) -> Result<File, String> {
    let heading = heading.split(" #").next().unwrap_or_default();
    let mut words = heading.split_whitespace();
    let name = words.next().ok_or("a name is missing")?.to_owned();
    let mut options = ReadOptions::default();
    let mut written = None;
    while let Some(word) = words.next() {
        match word {
            "lenient" => options = options.lenient(true),
            "strict" => options = options.strict(true),
            "->" => written = Some(words.next().ok_or("a name is missing")?.to_owned()),
            other => return Err(format!("`{other}` is unknown")),
        }
    }
    let is_rule = |line: &&str| line.starts_with("! ") || line.starts_with("~ ");
    let lines: Vec<&str> =
        body.lines().map(|line| if is_rule(&line) { "" } else { line }).collect();
    let bytes = Bytes::parse(&lines.join("\n"))?;
    let mut file = File {
        name,
        written,
        bytes: bytes.finish(),
        options,
        breaks: Vec::new(),
        edits: Vec::new(),
    };
    for line in body.lines().filter(is_rule) {
        let text = line[2..].split(" #").next().unwrap_or_default().trim().to_owned();
        let (action, result) = text.rsplit_once("=>").ok_or(format!("no result in `{text}`"))?;
        let (action, result) = (action.trim(), result.trim());
        if line.starts_with('!') {
            let broken = broken(&file.bytes, &bytes, action)?;
            let error = error(&bytes, result)?;
            file.breaks.push(Break { text: text.clone(), bytes: broken, error });
        } else {
            file.edits.push(edit(&text, action, result)?);
        }
    }
    Ok(file)
}

fn broken(original: &[u8], places: &Bytes, action: &str) -> Result<Vec<u8>, String> {
    let mut bytes = original.to_vec();
    if let Some(place) = action.strip_prefix("cut ") {
        let at = usize::try_from(places.place(place.trim())?).map_err(|e| e.to_string())?;
        bytes.truncate(at);
        return Ok(bytes);
    }
    for part in action.split(';') {
        let (place, new) = part.split_once('=').ok_or(format!("no `=` in `{action}`"))?;
        let at = usize::try_from(places.place(place.trim())?).map_err(|e| e.to_string())?;
        let digits: String = new.split_whitespace().collect();
        let new = hex(&digits).ok_or(format!("bad bytes in `{action}`"))?;
        let old = bytes.get_mut(at..at + new.len()).ok_or(format!("`{action}` is outside"))?;
        if old == new {
            return Err(format!("`{action}` changes nothing"));
        }
        old.copy_from_slice(&new);
    }
    Ok(bytes)
}

/// `CODE PLACE PATH` with the place as a number.
fn error(places: &Bytes, text: &str) -> Result<String, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [code, place, path] => Ok(format!("{code} 0x{:x} {path}", places.place(place)?)),
        _ => Err(format!("`{text}` is not code, place and path")),
    }
}

fn edit(text: &str, action: &str, result: &str) -> Result<Edit, String> {
    let mut edit = Edit {
        text: text.to_owned(),
        canonical: false,
        sets: Vec::new(),
        result: match result.strip_prefix('!') {
            Some(problem) => Err(problem.trim().to_owned()),
            None => Ok(result.to_owned()),
        },
    };
    let mut rest = action;
    if let Some(after) = rest.strip_prefix("canonical") {
        edit.canonical = true;
        rest = after.trim_start().trim_start_matches(';').trim_start();
    }
    while !rest.is_empty() {
        let (path, value) = rest.split_once('=').ok_or(format!("no `=` in `{action}`"))?;
        let (value, behind) = value_text::parse_prefix(value)?;
        edit.sets.push((path.trim().to_owned(), value));
        rest = behind.trim_start().trim_start_matches(';').trim_start();
    }
    Ok(edit)
}

impl Edit {
    /// Applies the edit.
    ///
    /// # Errors
    ///
    /// The path that leads to nothing.
    pub fn apply(&self, value: &Value) -> Result<Value, String> {
        let mut value = value.clone();
        if self.canonical {
            value = value.canonical();
        }
        for (path, new) in &self.sets {
            if let Some(place) = value.at_path_mut(path) {
                *place = new.clone();
                continue;
            }
            // A field that was not there.
            let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
            match value.at_path_mut(parent) {
                Some(Value::Struct(parent)) => parent.fields.push((name.to_owned(), new.clone())),
                Some(Value::Union(parent)) => {
                    parent.value.fields.push((name.to_owned(), new.clone()));
                }
                _ => return Err(format!("nothing is at `{path}`")),
            }
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn files_with_rules() {
        let text = r#"
# A comment.
== short
@count 02 @data 01 02
! count = 03 => unexpected_end data data
! cut data+1 => unexpected_end 0x1 data
~ data = hex(01); x[0] = "=> ;" => one
~ canonical => ! check_failed file

== other -> short lenient
01
"#;
        let files = parse(text).unwrap();
        assert_eq!(files.len(), 2);
        assert_eq!(files[0].bytes, [2, 1, 2]);
        assert_eq!(files[0].breaks[0].bytes, [3, 1, 2]);
        assert_eq!(files[0].breaks[0].error, "unexpected_end 0x1 data");
        assert_eq!(files[0].breaks[1].bytes, [2, 1]);
        assert_eq!(files[0].edits[0].sets.len(), 2);
        assert_eq!(files[0].edits[0].result, Ok("one".to_owned()));
        assert!(files[0].edits[1].canonical);
        assert_eq!(files[0].edits[1].result, Err("check_failed file".to_owned()));
        assert_eq!(files[1].written.as_deref(), Some("short"));
        assert!(files[1].options.lenient);
    }
}
