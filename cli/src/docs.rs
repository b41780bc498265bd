//! `formwork docs`: describes formats.

use std::io::Write;
use std::path::PathBuf;

use formwork_codegen::markdown;
use formwork_interpreter::{example, program};

use crate::args::Docs;
use crate::generate::show_problems;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::load_named;
use crate::{files, shown};

pub(crate) fn run(options: &Docs, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let targets = targets(options)?;
    let mut outcome = Outcome::Good;
    for (at, schema) in options.schemas.iter().enumerate() {
        let loaded = load_named(schema)?;
        show_problems(&loaded);
        if loaded.diagnostics.has_errors() {
            outcome = Outcome::Bad;
            continue;
        }
        let Some(model) = &loaded.model else {
            return Err(Problem::Usage(format!(
                "{} is a library; pages are made of modules",
                shown::path(schema)
            )));
        };
        // A wrong example has no listing; `check` says what is wrong with it.
        let program = program(model.clone());
        let listings = model.examples.iter().map(|one| example(&program, one).unwrap_or_default());
        let page = markdown::emit_with(model, &listings.collect::<Vec<_>>());
        match targets.get(at) {
            Some(target) => files::write_if_changed(target, &page)?,
            None => out.write_all(page.as_bytes())?,
        }
    }
    Ok(outcome)
}

/// Files that the pages go to; none if the page goes to standard output.
fn targets(options: &Docs) -> Result<Vec<PathBuf>, Problem> {
    let Some(folder) = &options.output else {
        if options.schemas.len() > 1 {
            let message = "the pages of several schemas are several files; name a folder with `-o`";
            return Err(Problem::Usage(message.to_owned()));
        }
        return Ok(Vec::new());
    };
    let mut targets: Vec<PathBuf> = Vec::new();
    for schema in &options.schemas {
        let name = schema.file_stem().unwrap_or_default().to_string_lossy();
        let target = folder.join(format!("{name}.md"));
        if targets.contains(&target) {
            let message = format!("two schemas would become {}", shown::path(&target));
            return Err(Problem::Usage(message));
        }
        targets.push(target);
    }
    Ok(targets)
}
