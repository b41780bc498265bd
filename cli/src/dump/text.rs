//! The listing for people: one line per field.

use std::io::{self, IsTerminal, Write};

use formwork_interpreter::{Document, FieldKind, FieldView};

use super::{bytes_of, for_each};
use crate::args::Dump;
use crate::problem::Problem;
use crate::refuses_color;

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
    for_each(options, document, |field| {
        let offset = match (field.offset, field.bit.filter(|_| field.bits.is_some())) {
            (Some(offset), Some(bit)) => format!("0x{offset:0digits$x}.{bit}"),
            (Some(offset), None) => format!("0x{offset:0digits$x}"),
            (None, _) => String::new(),
        };
        let size = match (field.bits, field.offset, field.kind) {
            (Some(1), ..) => "1 bit".to_owned(),
            (Some(bits), ..) => format!("{bits} bits"),
            (None, Some(_), kind) if kind != FieldKind::Folded => format!("{:#x}", field.size),
            _ => String::new(),
        };
        // Room for the prefix, and for the number of a bit.
        let width = digits + 5;
        write!(out, "{offset:<width$}{size:>7}  ")?;
        if options.bytes {
            write!(out, "{:<room$}  ", spaced(bytes_of(field, bytes)), room = SHOWN * 3)?;
        }
        writeln!(out, "{}{}", guide.repeat(field.depth), words(field))?;
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

/// Name, type, value, target and role.
fn words(field: &FieldView) -> String {
    if field.kind == FieldKind::Folded {
        return format!("… {} (--all shows them)", field.value);
    }
    let mut line = field.name.clone();
    if !field.type_name.is_empty() && field.type_name != field.name {
        line.push_str(&format!(": {}", field.type_name));
    }
    if !field.value.is_empty() {
        line.push_str(&format!(" = {}", field.value));
    }
    if let Some(target) = field.target {
        line.push_str(&format!(" -> {target:#x}"));
    }
    let mark = match field.role {
        _ if field.kept => "kept",
        "derived" => "derived",
        "fixed" if field.type_name != field.name => "fixed",
        "view" => "view",
        "kept" | "spelling" if field.type_name != field.name => "usual",
        _ => "",
    };
    if !mark.is_empty() {
        line.push_str(&format!(" ({mark})"));
    }
    line
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
