//! The listing for people: one line per field.

use std::io::{self, IsTerminal, Write};

use formwork_interpreter::Document;
use formwork_interpreter::line::{SHOWN, bytes_of, push_place, push_size, push_words, spaced};

use super::for_each;
use crate::args::Dump;
use crate::problem::Problem;
use crate::shown::line;
use crate::terminal::refuses_color;

pub(super) fn print(
    options: &Dump,
    document: &Document<'_>,
    bytes: &[u8],
    out: &mut dyn Write,
) -> Result<(), Problem> {
    let guide = guide(io::stdout().is_terminal(), !refuses_color());
    let digits = format!("{:x}", bytes.len()).len().max(4);
    // Room for the prefix, and for the number of a bit.
    let width = digits + 5;
    // One line after another: a listing may have millions.
    let mut line = String::new();
    for_each(options, document, |field| {
        line.clear();
        push_place(field, digits, &mut line);
        write!(out, "{line:<width$}")?;
        line.clear();
        push_size(field, &mut line);
        write!(out, "{line:>7}  ")?;
        if options.bytes {
            write!(out, "{:<room$}  ", spaced(bytes_of(field, bytes)), room = SHOWN * 3)?;
        }
        line.clear();
        (0..field.depth).for_each(|_| line.push_str(guide));
        out.write_all(line.as_bytes())?;
        line.clear();
        push_words(field, &mut line);
        line!(out, "{line}")?;
        Ok(())
    })
}

/// What stands before a name for each field around it: on a terminal, lines that lead the eye.
fn guide(terminal: bool, color: bool) -> &'static str {
    match (terminal, color) {
        (false, _) => "  ",
        (true, false) => "│ ",
        (true, true) => "\x1b[2m│\x1b[0m ",
    }
}
