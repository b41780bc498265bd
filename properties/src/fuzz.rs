//! What fuzz targets do: try one input, count, and panic if something does not hold.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::laws::Broken;
use crate::property::{Case, Outcome};
use crate::subject::Check;

/// Tries an input.
///
/// # Panics
///
/// If the property that it asks for does not hold.
pub fn run(subject: &dyn Check, input: &[u8]) {
    let Some(case) = Case::of(input) else { return };
    report(case.property.name(), subject.check(&case));
}

/// Counts what came of an input.
///
/// # Panics
///
/// If it is a finding.
pub fn report(name: &'static str, result: Result<Outcome, Broken>) {
    match result {
        Ok(outcome) => tally(name, outcome),
        Err(broken) => panic!("{name}: {broken}"),
    }
}

/// Inputs by property and outcome.
type Counts = BTreeMap<(&'static str, Outcome), u64>;

/// With `FORMWORK_TALLY=N` in the environment, prints how many inputs were refused and accepted, by
/// property, whenever there were N more.
fn tally(name: &'static str, outcome: Outcome) {
    static EVERY: OnceLock<Option<u64>> = OnceLock::new();
    static COUNTS: Mutex<(u64, Counts)> = Mutex::new((0, Counts::new()));
    let every = EVERY.get_or_init(|| env::var("FORMWORK_TALLY").ok()?.parse().ok());
    let Some(every) = every.filter(|every| *every > 0) else { return };
    let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    *counts.1.entry((name, outcome)).or_default() += 1;
    counts.0 += 1;
    if counts.0.is_multiple_of(every) {
        let mut line = format!("tally of {}:", counts.0);
        for ((name, outcome), count) in &counts.1 {
            let _ = write!(line, " {name} {outcome:?} {count};");
        }
        eprintln!("{line}");
    }
}
