//! Texts that somebody else has written, as they may be printed: names of files, what files and
//! schemas say. A terminal must not be steered by them, and a line stays one line.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use formwork_codegen::model::is_unseen;
pub(crate) use formwork_codegen::model::seen as text;

/// What [`text`] makes of several lines, which stay lines.
pub(crate) fn lines(text: &str) -> String {
    let shown: Vec<_> = text.split('\n').map(|line| self::text(line)).collect();
    shown.join("\n")
}

/// The name of a file. Bytes that are no UTF-8 stand as `\xff`.
pub(crate) fn path(path: &Path) -> String {
    let mut shown = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        shown.push_str(&text(chunk.valid()));
        chunk.invalid().iter().for_each(|byte| shown.push_str(&format!("\\x{byte:02x}")));
    }
    shown
}

/// Prints one line, whatever stands in it.
pub(crate) fn print_line(out: &mut dyn Write, line: fmt::Arguments<'_>) -> io::Result<()> {
    match line.as_str() {
        Some(line) => writeln!(out, "{}", text(line)),
        None => writeln!(out, "{}", text(&line.to_string())),
    }
}

/// Prints one line of a report.
macro_rules! line {
    ($out:expr, $($words:tt)*) => {
        $crate::shown::print_line($out, format_args!($($words)*))
    };
}
pub(crate) use line;

/// A value as JSON in lines, the first of which is not indented.
pub(crate) fn json(value: &serde_json::Value, indent: usize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Escaping(PrettyFormatter::new()));
    // Neither a value nor a buffer can fail here.
    let _ = value.serialize(&mut serializer);
    let text = String::from_utf8_lossy(&bytes);
    text.replace('\n', &format!("\n{}", " ".repeat(indent)))
}

/// Prints one JSON document.
pub(crate) fn print_json(out: &mut dyn Write, value: &serde_json::Value) -> io::Result<()> {
    writeln!(out, "{}", json(value, 0))
}

/// JSON with escapes for everything that is not seen; by itself it only has them for some of it.
struct Escaping(PrettyFormatter<'static>);

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        w: &mut W,
        text: &str,
    ) -> io::Result<()> {
        for part in text.split_inclusive(is_unseen) {
            match part.chars().next_back().filter(|c| is_unseen(*c)) {
                Some(last) => {
                    w.write_all(&part.as_bytes()[..part.len() - last.len_utf8()])?;
                    write!(w, "\\u{:04x}", u32::from(last))?;
                }
                None => w.write_all(part.as_bytes())?,
            }
        }
        Ok(())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.0.begin_array(w)
    }

    fn end_array<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.0.end_array(w)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(w, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.0.end_array_value(w)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.0.begin_object(w)
    }

    fn end_object<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.0.end_object(w)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(w, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.0.begin_object_value(w)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.0.end_object_value(w)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde_json::{Value, json};

    use super::*;

    const HOSTILE: &str = "a\n\x1b[2J\r\t\u{7f}\u{9b}\u{202e}\u{2028}é";

    #[test]
    fn nothing_unseen_is_printed() {
        assert_eq!(text(HOSTILE), "a\\n\\u{1b}[2J\\r\\t\\u{7f}\\u{9b}\\u{202e}\\u{2028}é");
        assert!(matches!(text("a é \\ \""), Cow::Borrowed("a é \\ \"")));
        assert_eq!(lines("a\n\x1bb"), "a\n\\u{1b}b");
        let mut out = Vec::new();
        line!(&mut out, "failed {}: {}", "x", HOSTILE).expect("a buffer takes all");
        let printed = String::from_utf8(out).expect("it is a text");
        assert_eq!(printed.matches('\n').count(), 1);
        assert!(!printed.trim_end_matches('\n').contains(is_unseen));
    }

    #[test]
    fn json_is_escaped_and_the_same() {
        let value = json!({ HOSTILE: [HOSTILE, 1, {}, []] });
        let printed = json(&value, 4);
        assert!(!printed.replace('\n', "").contains(is_unseen), "{printed}");
        assert_eq!(serde_json::from_str::<Value>(&printed).expect("it is JSON"), value);
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(path(Path::new(OsStr::from_bytes(b"a\xffb\n"))), "a\\xffb\\n");
    }
}
