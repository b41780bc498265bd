//! `formwork new`: writes a schema to start from, and a file that it reads.

use std::io::Write;
use std::path::PathBuf;

use crate::args::New;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::{files, shown};

/// The schema; `NAME` stands for the name of the format.
const SCHEMA: &str = include_str!("new/starter.kdl");

pub(crate) fn run(options: &New, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let name = &options.name;
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !starts_well || !name.chars().all(is_name) {
        return Err(Problem::Usage(format!(
            "`{}` is no name of a format; it begins with a lower case letter, and has lower case \
             letters, digits and `_`",
            shown::text(name)
        )));
    }
    let schema = PathBuf::from(format!("{name}.kdl"));
    let sample = PathBuf::from(format!("{name}.bin"));
    let text = SCHEMA.replace("NAME", name).into_bytes();
    let both = [(schema.clone(), text), (sample.clone(), sample_file())];
    if let Some((path, _)) = both.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(Problem::Usage(format!("{} is there already", path.display())));
    }
    files::write_new(&both)?;
    let (schema, sample) = (schema.display(), sample.display());
    writeln!(out, "{schema}: a schema to start from\n{sample}: a file that it reads\n\nTry:")?;
    for command in ["check", "dump --schema", "roundtrip --schema"] {
        let file = if command == "check" { String::new() } else { format!(" {sample}") };
        writeln!(out, "  formwork {command} {schema}{file}")?;
    }
    writeln!(out, "  formwork dump --watch --schema {schema} {sample}")?;
    Ok(Outcome::Good)
}

/// Two rooms with their doors: what the starter schema reads.
fn sample_file() -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(b"ROOM");
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(2_u16.to_le_bytes());
    bytes.extend(12_u32.to_le_bytes());
    // The rooms: name, kind, fill, number of doors, offset of the doors.
    for (name, kind, doors, at) in
        [(b"hall\0\0\0\0", 1_u8, 2_u16, 44_u32), (b"cellar\0\0", 2, 1, 48)]
    {
        bytes.extend(name);
        bytes.extend([kind, 0]);
        bytes.extend(doors.to_le_bytes());
        bytes.extend(at.to_le_bytes());
    }
    for door in [1_u16, 0, 0] {
        bytes.extend(door.to_le_bytes());
    }
    bytes
}
