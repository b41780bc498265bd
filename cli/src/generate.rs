//! `formwork generate`: makes Rust code of schemas.

use std::io::Write;
use std::path::{Path, PathBuf};

use formwork_codegen::Loaded;
use formwork_codegen::build;
use formwork_codegen::diagnostic::render;
use formwork_codegen::rust::{Options, emit};

use crate::args::Generate;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::load_named;
use crate::terminal::{say, wants_color};
use crate::{files, shown};

pub(crate) fn run(options: &Generate, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let to_stdout = options.output.as_os_str() == "-";
    if to_stdout && options.schemas.len() > 1 {
        let message = "the code of several schemas is several files; name a folder with `-o`";
        return Err(Problem::Usage(message.to_owned()));
    }
    let emitted = Options {
        serde: options.serde,
        arbitrary: options.arbitrary,
        arena: options.arena,
        views: options.views,
        ..Options::default()
    };
    let targets = targets(options)?;
    let mut outcome = Outcome::Good;
    for (schema, target) in options.schemas.iter().zip(targets) {
        let mut loaded = load_named(schema)?;
        build::check(&mut loaded);
        show_problems(&loaded);
        if loaded.diagnostics.has_errors() {
            outcome = Outcome::Bad;
            continue;
        }
        let Some(model) = &loaded.model else {
            return Err(Problem::Usage(format!(
                "{} is a library; code is made of modules",
                shown::path(schema)
            )));
        };
        let text = emit(model, &emitted);
        if to_stdout {
            out.write_all(text.as_bytes())?;
        } else {
            files::write_if_changed(&target, &text)?;
        }
    }
    Ok(outcome)
}

pub(crate) fn show_problems(loaded: &Loaded) {
    if !loaded.diagnostics.all().is_empty() {
        let text = render(&loaded.diagnostics, &loaded.sources, wants_color());
        say(text.trim_end());
    }
}

/// Where the code of each schema goes.
fn targets(options: &Generate) -> Result<Vec<PathBuf>, Problem> {
    let output = &options.output;
    let ends_in_slash = output.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
    if options.schemas.len() == 1 && !output.is_dir() && !ends_in_slash {
        return Ok(vec![output.clone()]);
    }
    let mut targets: Vec<PathBuf> = Vec::new();
    for schema in &options.schemas {
        let target = output.join(file_name(schema));
        if targets.contains(&target) {
            let message = format!("two schemas would become {}", shown::path(&target));
            return Err(Problem::Usage(message));
        }
        targets.push(target);
    }
    Ok(targets)
}

fn file_name(schema: &Path) -> String {
    let stem = schema.file_stem().unwrap_or_default().to_string_lossy();
    format!("{stem}.rs")
}
