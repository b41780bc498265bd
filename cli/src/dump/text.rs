//! The listing for people: one line per field.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use formwork_interpreter::{Document, FieldKind, FieldView};

use super::{bytes_of, for_each};
use crate::args::Dump;
use crate::problem::Problem;
use crate::refuses_color;
use crate::shown::line;

/// Bytes that are shown beside a field.
const SHOWN: usize = 8;

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

fn push_place(field: &FieldView, digits: usize, to: &mut String) {
    let Some(offset) = field.offset else { return };
    let _ = write!(to, "0x{offset:0digits$x}");
    if let Some(bit) = field.bit.filter(|_| field.bits.is_some()) {
        let _ = write!(to, ".{bit}");
    }
}

fn push_size(field: &FieldView, to: &mut String) {
    let _ = match (field.bits, field.offset, field.kind) {
        (Some(1), ..) => write!(to, "1 bit"),
        (Some(bits), ..) => write!(to, "{bits} bits"),
        (None, Some(_), kind) if kind != FieldKind::Folded => write!(to, "{:#x}", field.size),
        _ => Ok(()),
    };
}

/// What stands before a name for each field around it: on a terminal, lines that lead the eye.
fn guide(terminal: bool, color: bool) -> &'static str {
    match (terminal, color) {
        (false, _) => "  ",
        (true, false) => "│ ",
        (true, true) => "\x1b[2m│\x1b[0m ",
    }
}

/// Name, type, value, target and role.
fn push_words(field: &FieldView, to: &mut String) {
    if field.kind == FieldKind::Folded {
        let _ = write!(to, "… {} (--all shows them)", field.value);
        return;
    }
    to.push_str(&field.name);
    if !field.type_name.is_empty() && field.type_name != field.name {
        to.push_str(": ");
        to.push_str(&field.type_name);
    }
    if !field.value.is_empty() {
        to.push_str(" = ");
        to.push_str(&field.value);
    }
    if let Some(target) = field.target {
        let _ = write!(to, " -> {target:#x}");
    }
    let mark = match field.role {
        _ if field.kept => " (kept)",
        "derived" => " (derived)",
        "fixed" if field.type_name != field.name => " (fixed)",
        "view" => " (view)",
        "kept" | "spelling" if field.type_name != field.name => " (usual)",
        _ => "",
    };
    to.push_str(mark);
}

/// The first bytes in hexadecimal.
fn spaced(bytes: &[u8]) -> String {
    let shown = if bytes.len() > SHOWN { SHOWN - 1 } else { bytes.len() };
    let mut words: Vec<_> = bytes.iter().take(shown).map(|b| format!("{b:02x}")).collect();
    if shown < bytes.len() {
        words.push("…".to_owned());
    }
    words.join(" ")
}
