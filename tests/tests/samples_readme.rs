//! What the README says of the files of each format that others made: how many there are, how many
//! are written as they were, how many of these by the rules of the schema alone, and how many bytes
//! the schema explains.

use std::cell::Cell;
use std::fs;

use formwork::ReadOptions;
use formwork_interpreter::coverage;
use formwork_tests::{laws, programs, samples};

#[test]
fn figures_of_the_readme_hold() {
    let Some(folder) = samples::samples() else { return };
    let readme = fs::read_to_string(samples::workspace().join("README.md")).expect("it is there");
    for name in ["ainb", "bfres", "evfl", "esf"] {
        let program = programs::shipped(name);
        let known: Vec<&str> = program.model().extensions.iter().map(String::as_str).collect();
        let files = samples::files_in(&folder.join(name), &known);
        let size = |path| fs::metadata(path).expect("the sample is there").len();
        let bytes: u64 = files.iter().map(size).sum();
        let (by_rules, explained) = (Cell::new(0), Cell::new(0));
        // That all are identical is looked at by the other tests of samples.
        samples::each(&files, "are read", |file| {
            let value = laws::value_of(&program, file).expect("it was read");
            // That a pool has texts which nothing leads to is no rule that is broken.
            let mut usual = true;
            value.for_each_kept(&mut |kept| usual &= kept.kind.name() == "members");
            by_rules.set(by_rules.get() + usize::from(usual));
            let found = coverage(&program, file, &ReadOptions::default());
            explained.set(explained.get() + found.size - found.unexplained());
            Ok(())
        });
        let (all, by_rules) = (files.len(), by_rules.get());
        // No more than there is: 100.00 % are all bytes.
        let hundredths = explained.get() * 10_000 / bytes;
        let (percent, rest) = (hundredths / 100, hundredths % 100);
        let figures = format!("| {all} | {all} | {by_rules} | {percent}.{rest:02} % |");
        let row = readme.lines().find(|line| line.contains(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("no row of the table is about `{name}`"));
        assert!(row.contains(&figures), "of `{name}` the README says\n{row}, not\n{figures}");
    }
}
