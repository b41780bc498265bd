//! Loads schemas: files, and those that are built in.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use formwork::{ProblemKind, ReadErrorKind, ReadOptions, WriteError};
use formwork_codegen::diagnostic::render;
use formwork_codegen::model::{Model, Signature};
use formwork_codegen::{Loaded, Provider};
use formwork_formats::FormatId;
use formwork_interpreter::{Program, program};

use crate::args::Choice;
use crate::problem::Problem;
use crate::terminal::wants_color;
use crate::{files, shown};

/// Gives imports the built-in schemas.
pub(crate) struct BuiltIn;

impl Provider for BuiltIn {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }

    fn names(&self) -> Vec<String> {
        formwork_schemas::names().map(str::to_owned).collect()
    }
}

/// Which option allows what is nested deeper.
const DEPTH: &str = "--max-depth N allows more";

/// Which option allows what is more work.
const WORK: &str = "--max-work N allows N units for each byte of the file, in place of 64";

/// A format that files can be read as.
pub(crate) struct Format {
    pub program: Program,
    pub signature: Signature,
    /// How files of it are read.
    pub options: ReadOptions,
}

impl Format {
    pub(crate) fn new(model: Model, options: &ReadOptions) -> Format {
        let signature = Signature::of(&model);
        let program = program(model).allowing(options.clone());
        Format { program, signature, options: options.clone() }
    }

    pub(crate) fn model(&self) -> &Model {
        self.program.model()
    }

    /// The name of its module.
    pub(crate) fn name(&self) -> &str {
        &self.model().name
    }

    /// Which option allows what a limit of reading refuses.
    pub(crate) fn allowance(&self, kind: &ReadErrorKind) -> Option<&'static str> {
        match kind {
            // Expressions that need each other have a limit of their own.
            ReadErrorKind::DepthLimit { limit } if *limit == self.options.max_depth => Some(DEPTH),
            ReadErrorKind::BudgetExceeded { .. } => Some(WORK),
            _ => None,
        }
    }

    /// The same of a value that cannot be written.
    pub(crate) fn allowance_to_write(&self, error: &WriteError) -> Option<&'static str> {
        let is_too_deep = |kind: &ProblemKind| matches!(kind, ProblemKind::DepthLimit { limit } if *limit == self.options.max_depth);
        error.problems().iter().any(|problem| is_too_deep(&problem.kind)).then_some(DEPTH)
    }
}

/// A format that a file may have.
pub(crate) enum Candidate {
    Loaded(Format),
    /// One that is built in; its schema is loaded when a file has it.
    BuiltIn(FormatId, ReadOptions, OnceLock<Format>),
}

impl Candidate {
    fn fits(&self, bytes: &[u8]) -> bool {
        match self {
            Candidate::Loaded(format) => format.signature.fits(bytes),
            Candidate::BuiltIn(id, ..) => id.detects(bytes),
        }
    }

    /// How many bits a file of another format would have to have by chance.
    fn bits(&self) -> u64 {
        match self {
            Candidate::Loaded(format) => format.signature.bits(),
            Candidate::BuiltIn(id, ..) => id.magic_bits(),
        }
    }

    fn has_extension_of(&self, path: &Path) -> bool {
        let Some(extension) = path.extension().and_then(|extension| extension.to_str()) else {
            return false;
        };
        let is = |known: &str| known.eq_ignore_ascii_case(extension);
        match self {
            Candidate::Loaded(format) => format.model().extensions.iter().any(|known| is(known)),
            Candidate::BuiltIn(id, ..) => id.extensions().iter().any(|known| is(known)),
        }
    }

    fn format(&self) -> &Format {
        match self {
            Candidate::Loaded(format) => format,
            Candidate::BuiltIn(id, options, format) => format.get_or_init(|| {
                let model = load_built_in(id.name()).ok().flatten();
                Format::new(model.expect("a built-in schema has no errors"), options)
            }),
        }
    }
}

/// Loads a schema file, or the built-in schema of this name if there is no such file.
pub(crate) fn load_named(path: &Path) -> Result<Loaded, Problem> {
    let shown = shown::path(path);
    match files::schema(path) {
        Ok(text) => {
            let folder = match path.parent() {
                Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
                Some(parent) => parent,
                None => Path::new("."),
            };
            Ok(formwork_codegen::load(&shown, &text, Some(folder), &BuiltIn))
        }
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(Problem::Failure(format!("{shown} is no UTF-8 text")))
        }
        Err(error) => match formwork_schemas::get(&shown) {
            Some(text) => Ok(formwork_codegen::load(&format!("{shown}.kdl"), text, None, &BuiltIn)),
            None => Err(files::unopened(path, &error)),
        },
    }
}

/// Loads a built-in schema; `None` if it is a library.
fn load_built_in(name: &str) -> Result<Option<Model>, Problem> {
    let Some(text) = formwork_schemas::get(name) else { return Ok(None) };
    let loaded = formwork_codegen::load(&format!("{name}.kdl"), text, None, &BuiltIn);
    if loaded.diagnostics.has_errors() {
        return Err(refused(&loaded, name));
    }
    Ok(loaded.model)
}

fn refused(loaded: &Loaded, name: &str) -> Problem {
    let text = render(&loaded.diagnostics, &loaded.sources, wants_color());
    Problem::Failure(format!("the schema {name} has errors\n\n{}", text.trim_end()))
}

/// All built-in formats, in the order of their names. Libraries are not among them.
pub(crate) fn built_in() -> Result<Vec<Format>, Problem> {
    let mut formats = Vec::new();
    for name in formwork_schemas::names() {
        if let Some(model) = load_built_in(name)? {
            formats.push(Format::new(model, &ReadOptions::default()));
        }
    }
    formats.sort_by(|a, b| a.name().cmp(b.name()));
    Ok(formats)
}

/// The formats that a command may use.
pub(crate) enum Formats {
    /// Every file has this one.
    One(Box<Format>),
    /// Files say which one they have.
    Detected(Vec<Candidate>),
}

impl Formats {
    pub(crate) fn choose(choice: &Choice) -> Result<Formats, Problem> {
        Formats::choose_noting(choice, &mut Vec::new())
    }

    /// The same; `files` gets the schema files that were read, of refused schemas too.
    pub(crate) fn choose_noting(
        choice: &Choice,
        files: &mut Vec<PathBuf>,
    ) -> Result<Formats, Problem> {
        let options = choice.limits.options();
        if let Some(path) = &choice.schema {
            let loaded = load_named(path)?;
            files.extend(loaded.files.iter().cloned());
            if loaded.diagnostics.has_errors() {
                return Err(refused(&loaded, &shown::path(path)));
            }
            return match loaded.model {
                Some(model) => Ok(Formats::One(Box::new(Format::new(model, &options)))),
                None => Err(Problem::Usage(format!(
                    "{} is a library; files are read by a module",
                    shown::path(path)
                ))),
            };
        }
        let Some(name) = &choice.format else {
            let built_in =
                |id: &FormatId| Candidate::BuiltIn(*id, options.clone(), OnceLock::new());
            return Ok(Formats::Detected(FormatId::ALL.iter().map(built_in).collect()));
        };
        match load_built_in(name)? {
            Some(model) => Ok(Formats::One(Box::new(Format::new(model, &options)))),
            None => {
                let known: Vec<_> = FormatId::ALL.iter().map(|id| id.name()).collect();
                Err(Problem::Usage(format!(
                    "there is no built-in format `{}`; there is: {}",
                    shown::text(name),
                    known.join(", ")
                )))
            }
        }
    }

    /// The format of a file: by what its first bytes must be, then by its extension.
    pub(crate) fn of(&self, path: &Path, bytes: &[u8]) -> Option<&Format> {
        let formats = match self {
            Formats::One(format) => return Some(format),
            Formats::Detected(formats) => formats,
        };
        let fitting = formats.iter().filter(|format| format.fits(bytes));
        // The one that says most; of equals the one that also has the extension.
        let best = fitting.max_by_key(|format| (format.bits(), format.has_extension_of(path)));
        let best = best.or_else(|| formats.iter().find(|format| format.has_extension_of(path)));
        best.map(Candidate::format)
    }

    /// The format of a file, which must have one.
    pub(crate) fn require(&self, path: &Path, bytes: &[u8]) -> Result<&Format, Problem> {
        self.of(path, bytes).ok_or_else(|| {
            let file = shown::path(path);
            Problem::Failure(format!(
                "{file} has no known format\n  --format NAME or --schema FILE.kdl says which it has"
            ))
        })
    }
}
