//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use formwork::ReadOptions;

/// How deep values may nest at most, whatever is said.
const DEEPEST: i64 = 100_000;

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
    /// Make JSON of a file.
    Decode(Decode),
    /// Make a file of JSON.
    Encode(Encode),
    /// Change something in a file; what refers to elements of arrays follows them.
    Edit(Edit),
    /// Show how two files of one format differ.
    Diff(Diff),
    /// Make one file of two that were made from a third.
    Merge(Merge),
    /// Show how much of files a schema explains.
    Coverage(Coverage),
    /// Write a schema to start from, and a file that it reads.
    New(New),
    /// Generate Rust code that reads and writes files.
    Generate(Generate),
    /// Describe formats: tables of offsets, and all that a schema says besides.
    Docs(Docs),
    /// Write fuzz targets for `cargo fuzz`, with dictionaries and seeds.
    Fuzz(Fuzz),
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
  formwork check --paths game.kdl
  formwork check --json *.kdl")]
pub(crate) struct Check {
    /// Schema files, or names of built-in formats and libraries.
    #[arg(required = true, value_name = "SCHEMA")]
    pub schemas: Vec<PathBuf>,
    /// List each row with the part it plays: data, fixed, derived from what, kept.
    #[arg(long)]
    pub roles: bool,
    /// List each struct and case with whether the fast path carries it, and why not.
    #[arg(long)]
    pub paths: bool,
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
    #[arg(short, long, value_name = "FILE.kdl", conflicts_with = "format")]
    pub schema: Option<PathBuf>,
    /// Use this built-in format, whatever the file looks like.
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    #[command(flatten)]
    pub limits: Limits,
}

/// What a file may cost.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Limits {
    /// How deep values may nest, counted in entries into types that contain themselves; 256 unless
    /// it is said.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=DEEPEST))]
    pub max_depth: Option<u32>,
    /// Units of work for each byte of the file: a byte decoded, an element looked at; 64 unless it is
    /// said.
    #[arg(long, value_name = "N")]
    pub max_work: Option<u64>,
}

impl Limits {
    pub(crate) fn options(&self) -> ReadOptions {
        let options = ReadOptions::default();
        let (depth, work) = (options.max_depth, options.budget_factor);
        options
            .max_depth(self.max_depth.unwrap_or(depth))
            .budget_factor(self.max_work.unwrap_or(work))
    }

    /// Whether they are not the usual ones.
    pub(crate) fn are_said(&self) -> bool {
        self.max_depth.is_some() || self.max_work.is_some()
    }
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
    /// What reads and writes: by default the compiled engine for built-in formats, and the
    /// interpreter with `--schema`.
    #[arg(long, value_enum)]
    pub engine: Option<EngineName>,
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
    /// Code that was generated from the built-in schemas.
    Compiled,
    /// The schema is followed as it stands.
    Interpreted,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
If the file cannot be read to its end, what was read is shown, then the error. Exit code 1 then.

Examples:
  formwork dump game.bin
  formwork dump --path 'levels[0].rooms[3]' --bytes game.bin
  formwork dump --json --all --schema game.kdl game.bin
  formwork dump --watch --schema game.kdl game.bin")]
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
    /// Show it again whenever the file or the schema changes, until interrupted. Of a schema with
    /// errors, its diagnostics are shown.
    #[arg(long)]
    pub watch: bool,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without -o the code goes to standard output. A folder gets NAME.rs for each schema. A file that has
the same text already is not touched. The code needs the crate `formwork` and nothing else.

Examples:
  formwork generate game.kdl -o src/game.rs
  formwork generate --serde schemas/*.kdl -o src/formats/")]
pub(crate) struct Generate {
    /// Schema files, or names of built-in formats.
    #[arg(required = true, value_name = "SCHEMA")]
    pub schemas: Vec<PathBuf>,
    /// File to write, or folder; `-`, the default, is standard output.
    #[arg(short, long, value_name = "PATH", default_value = "-", hide_default_value = true)]
    pub output: PathBuf,
    /// Implement the traits of `serde` for the types.
    #[arg(long)]
    pub serde: bool,
    /// Implement `arbitrary::Arbitrary` for the types.
    #[arg(long)]
    pub arbitrary: bool,
    /// Add a module `arena` with small types whose lists are in pools, for very large files.
    #[arg(long)]
    pub arena: bool,
    /// Add a module `view` with types that look at a file in place and find each field when it is asked
    /// for.
    #[arg(long)]
    pub views: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A page is Markdown as GitHub reads it, with a Mermaid diagram. Without -o it goes to standard output.
A file that has the same text already is not touched.

Examples:
  formwork docs evfl
  formwork docs schemas/*.kdl -o docs/formats/")]
pub(crate) struct Docs {
    /// Schema files, or names of built-in formats.
    #[arg(required = true, value_name = "SCHEMA")]
    pub schemas: Vec<PathBuf>,
    /// Folder that gets NAME.md for each schema.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Writes a crate with a target for each schema that tries whether what reads and writes keeps its
promises. In a manifest that is there already, only the list of these targets is replaced. Without
SCHEMA, the targets are those of all built-in formats.

Examples:
  formwork fuzz game.kdl --seeds samples/
  formwork fuzz -o fuzz/")]
pub(crate) struct Fuzz {
    /// Schema files, or names of built-in formats: all that the crate is to have targets for.
    #[arg(value_name = "SCHEMA")]
    pub schemas: Vec<PathBuf>,
    /// Folder of the crate.
    #[arg(short, long, value_name = "DIR", default_value = "fuzz")]
    pub output: PathBuf,
    /// Files and folders; those that have one of the formats become seeds in DIR/corpus/NAME. May be
    /// given several times.
    #[arg(long, value_name = "PATH")]
    pub seeds: Vec<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
`formwork encode` makes the same file of the JSON again. `-` is standard input or output.

Examples:
  formwork decode game.bin -o game.bin.json
  formwork decode --compact --schema game.kdl game.bin | jq .value.levels
  git config diff.game.textconv 'formwork decode --partial --schema game.kdl'")]
pub(crate) struct Decode {
    /// The file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub choice: Choice,
    /// File to write; `-` is standard output.
    #[arg(short, long, value_name = "PATH", default_value = "-", hide_default_value = true)]
    pub output: PathBuf,
    /// Notation of the value; there is one.
    #[arg(short = 'f', long, value_enum, value_name = "NOTATION", default_value = "json")]
    pub notation: Notation,
    /// One line without spaces.
    #[arg(long)]
    pub compact: bool,
    /// What reads the file: the schema itself, which is the default, or code generated from a
    /// built-in one. The text is the same.
    #[arg(long, value_enum)]
    pub engine: Option<EngineName>,
    /// Of a file that cannot be read to its end, print what was read, with the error at the top. The
    /// exit code is 0 then.
    #[arg(long, conflicts_with = "engine")]
    pub partial: bool,
}

/// How `decode` writes a value down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Notation {
    /// JSON, as docs/json.md describes it.
    Json,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The head of the JSON names the format; one that is not built in needs --schema. Without -o, what is
made of game.bin.json is game.bin, unless that is there already. If there is any error, no file is
written.

Examples:
  formwork encode game.bin.json
  formwork encode --schema game.kdl edited.json -o game.bin
  formwork encode edited.json -o game.bin --against game.bin
  formwork decode game.bin | formwork encode - | cmp - game.bin")]
pub(crate) struct Encode {
    /// The JSON; `-` is standard input.
    #[arg(value_name = "JSON")]
    pub file: PathBuf,
    #[command(flatten)]
    pub choice: Choice,
    /// File to write; `-` is standard output.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Show how what is written differs from this file, as `formwork diff` does it; on standard
    /// error if the file itself goes to standard output.
    #[arg(long, value_name = "ORIGINAL")]
    pub against: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
PATH is a path as `formwork dump --path` takes it, or with the names of cases as they are in JSON. It
is an element for `insert` (where it comes to be), `remove` and `move`; `insert` takes an array, too,
and adds to its end. Whatever refers to an element of an array refers to it afterwards, whatever its
position is then; an element that something refers to is not removed. References in a new element
count elements as they are before it is there.

With `--changes` there is one change in each line of a text, `ACTION PATH [VALUE]`; a line that begins
with a blank goes on with the one before, `#` begins a comment. They are made one after the other,
paths are those after the changes before, and the file is written once, behind the last.

What changes is printed as `formwork diff` does it. The file is replaced at once, or stays as it is.
Exit code 1 if it cannot be edited so, 2 if PATH leads nowhere or to something else.

Examples:
  formwork edit game.bin insert 'rooms[0]' '{\"name\": \"cellar\", \"next\": null}'
  formwork edit game.bin remove 'rooms[3]' --instead 2 -o smaller.bin
  formwork edit game.bin move 'rooms[3]' 0 --dry-run
  formwork edit game.bin set 'rooms[3].name' '\"attic\"'
  formwork edit game.bin rename 'texts[2].key' 71
  formwork edit game.bin insert rooms - --schema game.kdl < room.json
  formwork edit game.bin --changes mod.txt -o modded.bin")]
pub(crate) struct Edit {
    /// The file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What is done.
    #[arg(value_enum, value_name = "ACTION", required_unless_present = "changes")]
    pub action: Option<Action>,
    /// Where.
    #[arg(value_name = "PATH", required_unless_present = "changes")]
    pub path: Option<String>,
    /// The new value as JSON, `-` for standard input; of `move`, the position to move to.
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    pub value: Option<String>,
    #[command(flatten)]
    pub choice: Choice,
    /// File to write, instead of FILE itself; `-` is standard output.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Of `remove`: what refers to the element refers to the one at this position afterwards,
    /// counted as before.
    #[arg(long, value_name = "INDEX")]
    pub instead: Option<u32>,
    /// A text of changes, one in each line, instead of ACTION, PATH and VALUE; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["action", "path", "value", "instead"])]
    pub changes: Option<PathBuf>,
    /// Show what would change, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Show only how what the file says changes, not its bytes.
    #[arg(long)]
    pub meaning: bool,
    /// Show values in full, and all ranges of bytes.
    #[arg(long)]
    pub all: bool,
}

/// What `edit` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Action {
    /// Put an element into an array.
    Insert,
    /// Take an element out of an array.
    Remove,
    /// Take an element to another position of its array.
    Move,
    /// Put a value in the place of another one.
    Set,
    /// The same with a key that others refer to an element by: they follow.
    Rename,
}

#[derive(Debug, clap::Args)]
#[command(
    override_usage = "formwork diff [OPTIONS] <A> <B>",
    after_help = "\
Nothing is printed of equal files. Otherwise there is a line for each difference of what the files
say (`~` changed, `+` added, `-` removed, `>` moved, `=` spelled differently), and for each range of
bytes. Exit code 0 if they are equal, 1 if they differ, 2 if that cannot be told.

Examples:
  formwork diff before.bin after.bin
  formwork diff --meaning --schema game.kdl before.bin after.bin
  formwork diff --json before.bin after.bin | jq .changes
  git config diff.game.command 'formwork diff --git --schema game.kdl'"
)]
pub(crate) struct Diff {
    /// The two files; `-` is standard input.
    #[arg(required = true, num_args = 1.., value_names = ["A", "B"])]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: Choice,
    /// Compare only what the files say, not their bytes.
    #[arg(long, conflicts_with = "bytes")]
    pub meaning: bool,
    /// Show only the ranges of bytes that differ, with the field that each belongs to.
    #[arg(long)]
    pub bytes: bool,
    /// Show values in full, and all ranges of bytes.
    #[arg(long)]
    pub all: bool,
    /// Take the arguments that git gives to an external diff program; the exit code is 0 then.
    #[arg(long)]
    pub git: bool,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Fields are merged one by one; elements are matched as `formwork diff` does it, and references lead to
the elements that they led to. If both have changed a field in different ways, it is named with its
three values, and nothing is written. Exit code 0 if the files are merged, 1 if there are conflicts,
2 if a file cannot be read or what both say together cannot be written.

Examples:
  formwork merge base.bin ours.bin theirs.bin -o merged.bin
  git config merge.game.driver 'formwork merge %O %A %B -o %A --name %P'")]
pub(crate) struct Merge {
    /// What both files were made from.
    #[arg(value_name = "BASE")]
    pub base: PathBuf,
    /// One of them.
    #[arg(value_name = "OURS")]
    pub ours: PathBuf,
    /// The other.
    #[arg(value_name = "THEIRS")]
    pub theirs: PathBuf,
    #[command(flatten)]
    pub choice: Choice,
    /// File to write, which may be one of the three; `-` is standard output.
    #[arg(short, long, value_name = "PATH", default_value = "-", hide_default_value = true)]
    pub output: PathBuf,
    /// What the file is called where the three have names that say nothing, as with git.
    #[arg(long, value_name = "PATH")]
    pub name: Option<PathBuf>,
    /// Print the conflicts as one JSON document; needs -o.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Two figures: the share of the bytes that rows of the schema claim, and the share that is claimed or
declared fill, which is zero where alignment or a `zero` statement puts it. Exit code 1 if a file
cannot be read to its end.

Examples:
  formwork coverage samples/
  formwork coverage --schema game.kdl game.bin
  formwork coverage --json samples/ > report.json")]
pub(crate) struct Coverage {
    /// Files and folders. Folders are searched with everything below them.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: Choice,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Writes NAME.kdl, which explains itself, and NAME.bin, a small file that it reads.

Example:
  formwork new level
  formwork dump --schema level.kdl level.bin")]
pub(crate) struct New {
    /// Name of the format: lower case letters, digits and `_`.
    #[arg(value_name = "NAME")]
    pub name: String,
}
