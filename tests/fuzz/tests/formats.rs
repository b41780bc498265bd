//! The properties of fuzz targets, for every format: on fixtures, on changed fixtures, and on values
//! that are made of nothing. `FORMWORK_FUZZ_SECONDS=60` goes on for so long, best with `--release`;
//! `FORMWORK_FUZZ_FORMAT=esf` tries that one alone, and `FORMWORK_FUZZ_SEED=7` tries other inputs.
//! `FORMWORK_FUZZ_LAST=FILE` leaves the input that is tried in a file, for what hangs or aborts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use std::{env, fs};

use arbitrary::Unstructured;
use formwork_properties::laws::Broken;
use formwork_properties::seeds::{self, Noise};
use formwork_properties::{Case, Check, Outcome, Property, mutate};
use formwork_tests_fuzz::{Named, fixtures, subjects};

/// Changed fixtures of each format: the same ones on every machine.
const CHANGED: u32 = 2000;

/// Made values of each format. They take longer.
const MADE: u32 = 400;

/// Inputs by property and outcome.
type Counts = BTreeMap<(&'static str, Outcome), u32>;

fn check(subject: &dyn Check, input: &[u8], counts: &mut Counts) -> Result<Outcome, Broken> {
    if let Ok(file) = env::var("FORMWORK_FUZZ_LAST") {
        fs::write(file, input).expect("the input can be written");
    }
    let case = Case::of(input).expect("inputs are long enough");
    let outcome = subject.check(&case)?;
    *counts.entry((case.property.name(), outcome)).or_default() += 1;
    Ok(outcome)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The formats, or the one that somebody asked for.
fn tried() -> Vec<Named> {
    let mut all = subjects();
    if let Ok(only) = env::var("FORMWORK_FUZZ_FORMAT") {
        all.retain(|(name, _)| *name == only);
        assert!(!all.is_empty(), "no format `{only}`");
    }
    all
}

/// What inputs are chosen by.
fn noise(seed: u64) -> Noise {
    let asked = env::var("FORMWORK_FUZZ_SEED").ok().and_then(|asked| asked.parse::<u64>().ok());
    Noise::new(asked.map_or(seed, |asked| seed.wrapping_add(asked << 8)))
}

/// Goes on for so many cases or, if somebody asked for it, for a time.
fn repeat(cases: u32, mut act: impl FnMut(u32)) {
    let asked = env::var("FORMWORK_FUZZ_SECONDS").ok().and_then(|asked| asked.parse().ok());
    let Some(seconds) = asked else { return (0..cases).for_each(act) };
    let formats = u32::try_from(tried().len()).expect("there are few formats").max(1);
    let (budget, start) = (Duration::from_secs(seconds) / formats, Instant::now());
    (0..u32::MAX).take_while(|_| start.elapsed() <= budget).for_each(&mut act);
}

#[test]
fn fixtures_hold() {
    for (name, subject) in tried() {
        let mut counts = Counts::new();
        for (file, bytes) in fixtures(&*subject) {
            for seed in seeds::of(&bytes) {
                let case = Case::of(&seed).expect("seeds are long enough");
                match check(&*subject, &seed, &mut counts) {
                    Ok(Outcome::Refused) if case.property != Property::Edit => {
                        panic!("{name}, {file}: {} refuses", case.property.name());
                    }
                    Ok(_) => {}
                    Err(broken) => panic!("{name}, {file}: {}: {broken}", case.property.name()),
                }
            }
        }
        println!("{name}: {counts:?}");
    }
}

#[test]
fn changed_fixtures_hold() {
    for (name, subject) in tried() {
        let files = fixtures(&*subject);
        if files.is_empty() {
            println!("SKIPPED {name}: it has no fixtures");
            continue;
        }
        let mut counts = Counts::new();
        let mut noise = noise(2);
        repeat(CHANGED, |number| {
            let bytes = noise.bytes(64);
            let mut u = Unstructured::new(&bytes);
            let (_, file) = &files[number as usize % files.len()];
            let changed = mutate::bytes(&mut u, file, 5).unwrap_or_else(|_| file.clone());
            let property = match number / 8 % 5 {
                0 => Property::Read,
                1 => Property::Rewrite,
                2 => Property::Edit,
                3 => Property::Engines,
                _ => Property::Arena,
            };
            // As by default, leniently, strictly.
            let strictness = u8::try_from(number % 3).expect("it is small");
            let input = Case::input_read_as(strictness, property, &bytes[48..], &changed);
            if let Err(broken) = check(&*subject, &input, &mut counts) {
                panic!("{name}: {broken}\n    {}", hex(&input));
            }
        });
        println!("{name}: {counts:?}");
    }
}

/// Most values can be written: what is refused too often tries nothing.
#[test]
fn made_values_hold() {
    for (name, subject) in tried() {
        let mut counts = Counts::new();
        let mut noise = noise(3);
        repeat(MADE, |number| {
            let length = [32, 64, 200, 600][number as usize % 4];
            // A third of them are changed when they are files.
            let property = if number % 3 == 0 { Property::Change } else { Property::Make };
            let input = Case::input(property, &noise.bytes(32), &noise.bytes(length));
            if let Err(broken) = check(&*subject, &input, &mut counts) {
                panic!("{name}: {broken}\n    {}", hex(&input));
            }
        });
        println!("{name}: {counts:?}");
        let of = |outcome| counts.get(&(Property::Make.name(), outcome)).copied().unwrap_or(0);
        let (refused, held) = (of(Outcome::Refused), of(Outcome::Held));
        assert!(held > 4 * refused, "{name}: {refused} values are refused, {held} are not");
        let accepted = |(name, outcome): &(&str, Outcome)| {
            *name == Property::Change.name() && *outcome != Outcome::Refused
        };
        assert!(counts.keys().any(accepted), "{name}: no changed file is read");
    }
}
