//! Texts with what occurs in them again said only once.
//!
//! A squeezed text is a sequence of: how many characters follow, those characters, how many
//! characters come again, and how far before their place they stand. The last characters have
//! nothing behind them.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::digits;

/// Fewest characters that are worth saying that they come again.
const LEAST: usize = 4;
/// Most characters that one such saying makes, so that the length of an expanded text is bounded.
const MOST: usize = 255;
/// How many earlier places are looked at.
const TRIES: usize = 100;

/// The short form of a text.
pub(super) fn squeeze(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut to = String::new();
    let (mut at, mut kept) = (0, 0);
    for (again, distance) in cheapest(&chars) {
        match distance {
            None => at += 1,
            Some(distance) => {
                digits::write((at - kept) as u128, &mut to);
                to.extend(&chars[kept..at]);
                digits::write((again - LEAST) as u128, &mut to);
                digits::write((distance - 1) as u128, &mut to);
                at += again;
                kept = at;
            }
        }
    }
    digits::write((at - kept) as u128, &mut to);
    to.extend(&chars[kept..]);
    to
}

/// The text that was squeezed.
pub(super) fn expand(squeezed: &str) -> Option<String> {
    let mut from = squeezed.chars();
    let mut chars = Vec::new();
    loop {
        for _ in 0..digits::read(&mut from)? {
            chars.push(from.next()?);
        }
        if from.as_str().is_empty() {
            return Some(chars.into_iter().collect());
        }
        let again = usize::try_from(digits::read(&mut from)?).ok()?.checked_add(LEAST)?;
        let distance = usize::try_from(digits::read(&mut from)?).ok()?.checked_add(1)?;
        if again > MOST {
            return None;
        }
        let first = chars.len().checked_sub(distance)?;
        for place in first..first + again {
            chars.push(chars[place]);
        }
    }
}

/// Steps through a text that make its short form shortest: one character that is kept, or so many
/// that stand at a distance before.
fn cheapest(chars: &[char]) -> Vec<(usize, Option<usize>)> {
    let earlier = earlier(chars);
    // For each place, what the text from there on costs, and the step to take.
    let mut costs = alloc::vec![0; chars.len() + 1];
    let mut steps = alloc::vec![(1, None); chars.len()];
    for at in (0..chars.len()).rev() {
        costs[at] = costs[at + 1] + 1;
        let mut longest = LEAST - 1;
        let mut place = earlier[at];
        for _ in 0..TRIES {
            let Some(from) = place.filter(|_| longest < MOST) else { break };
            let pairs = chars[from..].iter().zip(&chars[at..]).take(MOST);
            let same = pairs.take_while(|(a, b)| a == b).count();
            for again in longest + 1..=same {
                let length = digits::count(again - LEAST) + digits::count(at - from - 1);
                let cost = costs[at + again] + length + 1;
                if cost < costs[at] {
                    costs[at] = cost;
                    steps[at] = (again, Some(at - from));
                }
            }
            longest = longest.max(same);
            place = earlier[from];
        }
    }
    let mut at = 0;
    core::iter::from_fn(|| {
        let step = *steps.get(at)?;
        at += step.0;
        Some(step)
    })
    .collect()
}

/// For each place of a text, the nearest one before it with the same beginning.
fn earlier(chars: &[char]) -> Vec<Option<usize>> {
    let mut last = BTreeMap::new();
    let mut found: Vec<_> =
        (0..).zip(chars.windows(LEAST)).map(|(at, window)| last.insert(window, at)).collect();
    found.resize(chars.len(), None);
    found
}
