//! How paths are read, whatever they lead through.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// One step of a path in text form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueStep<'a> {
    Field(&'a str),
    Index(usize),
}

/// Splits `a[0].b` into its steps; `None` if it is not of that form.
pub(crate) fn parse_path(path: &str) -> Option<Vec<ValueStep<'_>>> {
    let mut steps = Vec::new();
    for part in path.split('.').filter(|p| !p.is_empty()) {
        let (name, rest) = match part.find('[') {
            Some(at) => part.split_at(at),
            None => (part, ""),
        };
        if !name.is_empty() {
            steps.push(ValueStep::Field(name));
        }
        for index in rest.split('[').skip(1) {
            steps.push(ValueStep::Index(index.strip_suffix(']')?.parse().ok()?));
        }
    }
    Some(steps)
}

/// A path as people write it.
pub(crate) fn shown(steps: &[ValueStep<'_>]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            ValueStep::Field(name) => push_name(&mut path, name),
            ValueStep::Index(index) => push_index(&mut path, index),
        }
    }
    path
}

/// Adds a name to a path.
pub(crate) fn push_name(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Adds the position of an element to a path.
pub(crate) fn push_index(path: &mut String, index: impl fmt::Display) {
    let _ = write!(path, "[{index}]");
}

/// What paths lead through.
pub(crate) trait Ground {
    /// Something that a path leads to.
    type Place: Copy;
    /// Tells places apart.
    type Key: Ord;

    fn key(&self, at: Self::Place) -> Self::Key;

    /// The fields of this name, also of what has no step of its own in listings: structs without a
    /// name, the union that a struct consists of, pointers. What listings mean by the name comes
    /// first.
    fn fields(&self, at: Self::Place, name: &str) -> Vec<Self::Place>;

    /// An element of the array there.
    fn element(&self, at: Self::Place, index: usize) -> Option<Self::Place>;

    /// The union there, if it is this case.
    fn case(&self, at: Self::Place, name: &str) -> Option<Self::Place>;
}

/// Where a path ends that leads nowhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stuck<P> {
    /// How many steps could be gone.
    pub gone: usize,
    /// Where to.
    pub at: P,
}

/// How far a path was followed.
struct Way<P> {
    gone: usize,
    at: P,
    /// Whether the last step was the name of the case that is there.
    named: bool,
    /// The way before this step.
    before: Option<usize>,
}

/// Follows a path; says where each step leads. As in JSON, the name of a case may stand before its
/// fields, of which one may have the same name: where a step can be either, it is the field, as in
/// listings, and the other one is tried if the way ends.
pub(crate) fn trail<G: Ground>(
    ground: &G,
    start: G::Place,
    steps: &[ValueStep<'_>],
) -> Result<Vec<G::Place>, Stuck<G::Place>> {
    let mut ways = vec![Way { gone: 0, at: start, named: false, before: None }];
    let (mut open, mut seen) = (vec![0], BTreeSet::new());
    let mut stuck: Option<Stuck<G::Place>> = None;
    while let Some(here) = open.pop() {
        let Way { gone, at, named, .. } = ways[here];
        let Some(step) = steps.get(gone) else { return Ok(places(&ways, here)) };
        if !seen.insert((gone, ground.key(at), named)) {
            continue;
        }
        // The best one is last.
        let mut next = Vec::new();
        match *step {
            ValueStep::Index(_) if named => {}
            ValueStep::Index(index) => next.extend(ground.element(at, index).map(|at| (at, false))),
            ValueStep::Field(name) => {
                let case = if named { None } else { ground.case(at, name) };
                next.extend(case.map(|at| (at, true)));
                next.extend(ground.fields(at, name).into_iter().rev().map(|at| (at, false)));
            }
        }
        if next.is_empty() && stuck.as_ref().is_none_or(|stuck| stuck.gone < gone) {
            stuck = Some(Stuck { gone, at });
        }
        for (at, named) in next {
            open.push(ways.len());
            ways.push(Way { gone: gone + 1, at, named, before: Some(here) });
        }
    }
    Err(stuck.unwrap_or(Stuck { gone: 0, at: start }))
}

fn places<P: Copy>(ways: &[Way<P>], last: usize) -> Vec<P> {
    let mut places = Vec::new();
    let mut here = last;
    while let Some(before) = ways[here].before {
        places.push(ways[here].at);
        here = before;
    }
    places.reverse();
    places
}

/// How far a path led, and the steps that this is about.
type StuckIn<'s, 'p, P> = (Stuck<P>, &'s [ValueStep<'p>]);

/// Follows a path from the root of a file. The name of the module, or `file`, may stand before it.
/// What is wrong is said of the steps behind that.
pub(crate) fn in_file<'s, 'p, G: Ground>(
    ground: &G,
    root: G::Place,
    module: &str,
    steps: &'s [ValueStep<'p>],
) -> Result<G::Place, StuckIn<'s, 'p, G::Place>> {
    let last = |trail: Vec<G::Place>| trail.last().copied().unwrap_or(root);
    let stuck = match trail(ground, root, steps) {
        Ok(trail) => return Ok(last(trail)),
        Err(stuck) => stuck,
    };
    match steps {
        [ValueStep::Field(first), rest @ ..]
            if stuck.gone == 0 && (*first == module || *first == "file") =>
        {
            trail(ground, root, rest).map(last).map_err(|stuck| (stuck, rest))
        }
        _ => Err((stuck, steps)),
    }
}
