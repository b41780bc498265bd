//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Looks into, checks and rewrites binary files whose layout a schema describes.
#[derive(Debug, Parser)]
#[command(
    name = "formwork",
    version = concat!(env!("CARGO_PKG_VERSION"), " (schema language 1)"),
    arg_required_else_help = true,
    after_help = "\
Exit codes: 0 all is well, 1 a file or schema has an error, 2 wrong usage.

Examples:
  formwork formats
  formwork dump game.bin --schema game.kdl
  formwork roundtrip --json samples/"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the built-in formats.
    Formats(Formats),
    /// Check schemas.
    Check(Check),
    /// Explain the code of a diagnostic.
    Explain(Explain),
    /// Read files, write them again, and compare.
    Roundtrip(Roundtrip),
    /// Show the fields of a file: offset, size, name, type, value.
    Dump(Dump),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  formwork formats
  formwork formats --json")]
pub(crate) struct Formats {
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Diagnostics go to standard error; the last line on standard output is
`N schemas, N errors, N notes`. Exit code 1 if there is any error.

Examples:
  formwork check game.kdl
  formwork check --roles game.kdl
  formwork check --json *.kdl")]
pub(crate) struct Check {
    /// Schema files, or names of built-in formats and libraries.
    #[arg(required = true, value_name = "SCHEMA")]
    pub schemas: Vec<PathBuf>,
    /// List each row with the part it plays: data, fixed, derived from what, kept.
    #[arg(long)]
    pub roles: bool,
    /// Print one JSON document, diagnostics included.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  formwork explain E0301")]
pub(crate) struct Explain {
    /// The code, as in `error[E0301]`.
    pub code: String,
}

/// How the schema of a file is found.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Choice {
    /// Use this schema, whatever the file looks like. Imports are looked for beside it, then among
    /// the built-in ones.
    #[arg(long, value_name = "FILE.kdl", conflicts_with = "format")]
    pub schema: Option<PathBuf>,
    /// Use this built-in format, whatever the file looks like.
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Prints a line for each file: `identical PATH`, `equivalent PATH: ...` (reads back to the same value,
other bytes), `failed PATH: ...` or `skipped PATH: no known format`. The last line is
`N identical, N equivalent, N failed, N skipped`. Exit code 1 if any failed.

Examples:
  formwork roundtrip samples/
  formwork roundtrip -v --schema game.kdl a.bin b.bin
  formwork roundtrip --json samples/ > report.json")]
pub(crate) struct Roundtrip {
    /// Files and folders. Folders are searched with everything below them.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: Choice,
    /// What reads and writes.
    #[arg(long, value_enum, default_value_t = EngineName::Interpreted)]
    pub engine: EngineName,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
    /// Print notes and the kept deviations of each file.
    #[arg(short, long)]
    pub verbose: bool,
}

/// What reads and writes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// The schema is followed as it stands.
    Interpreted,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
If the file cannot be read to its end, what was read is shown, then the error. Exit code 1 then.

Examples:
  formwork dump game.bin
  formwork dump --path 'levels[0].rooms[3]' --bytes game.bin
  formwork dump --json --all --schema game.kdl game.bin")]
pub(crate) struct Dump {
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub choice: Choice,
    /// Show only this field and what is below it, such as `levels[0].rooms[3]`.
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Show all elements of long arrays, and long texts and byte runs in full.
    #[arg(long)]
    pub all: bool,
    /// Show the bytes of each field without fields of its own.
    #[arg(long)]
    pub bytes: bool,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}
