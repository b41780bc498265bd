//! `formwork explain`: what the code of a diagnostic means.

use std::io::Write;

use crate::args::Explain;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::shown;

pub(crate) fn run(options: &Explain, out: &mut dyn Write) -> Result<Outcome, Problem> {
    match formwork_codegen::codes::explain(&options.code) {
        Some(text) => {
            writeln!(out, "{}", text.trim_end())?;
            Ok(Outcome::Good)
        }
        None => Err(Problem::Usage(format!(
            "there is no code `{}`; codes look like E0301",
            shown::text(&options.code)
        ))),
    }
}
