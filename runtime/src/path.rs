//! Where in a value something is: the fields and indices that lead there from the root.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// Into the field of this name.
    Field(Cow<'static, str>),
    /// Into the element at this position of an array, from 0.
    Index(usize),
}

impl From<&'static str> for Segment {
    fn from(name: &'static str) -> Self {
        Segment::Field(Cow::Borrowed(name))
    }
}

impl From<usize> for Segment {
    fn from(index: usize) -> Self {
        Segment::Index(index)
    }
}

/// The way from the root of a value to the place that an error speaks of.
///
/// It prints in the way that programmers write such places. The empty path is the root itself, and
/// prints as `file`.
///
/// ```
/// use formwork::path::Path;
///
/// let mut path = Path::new();
/// assert_eq!(path.to_string(), "file");
/// path.push("events");
/// path.push(3);
/// path.push("params");
/// path.prepend(0);
/// path.prepend("flowcharts");
/// assert_eq!(path.to_string(), "flowcharts[0].events[3].params");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The root: no segments.
    #[must_use]
    pub const fn new() -> Self {
        Path(Vec::new())
    }

    /// Adds a step at the end, further from the root.
    pub fn push(&mut self, segment: impl Into<Segment>) {
        self.0.push(segment.into());
    }

    /// Takes the last step away, the one furthest from the root. `None` at the root.
    pub fn pop(&mut self) -> Option<Segment> {
        self.0.pop()
    }

    /// Adds a step at the start, next to the root. Takes time in proportion to the length of the
    /// path, which the depth limit of reading bounds.
    pub fn prepend(&mut self, segment: impl Into<Segment>) {
        self.0.insert(0, segment.into());
    }

    /// The steps, from the root on.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Whether this is the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many steps lead from the root to here.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl Path {
    /// The path as messages say it: of one with more than 64 steps, the first and the last 16, and how
    /// many are between them.
    ///
    /// ```
    /// use formwork::path::{Path, Segment};
    ///
    /// let path: Path = (0..100).map(Segment::Index).collect();
    /// let shown = path.shortened().to_string();
    /// assert!(shown.starts_with("[0][1][2]"));
    /// assert!(shown.contains("[15]… 68 steps …[84]"));
    /// assert!(shown.ends_with("[98][99]"));
    /// ```
    #[must_use]
    pub fn shortened(&self) -> impl fmt::Display + '_ {
        Shortened(self)
    }
}

/// Steps of a path that messages say in full.
const LONG: usize = 64;

/// Steps at either end of one that is longer.
const END: usize = 16;

struct Shortened<'p>(&'p Path);

impl fmt::Display for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = &self.0 .0;
        if steps.len() <= LONG {
            return self.0.fmt(f);
        }
        let last = steps.len() - END;
        write_steps(f, &steps[..END], true)?;
        write!(f, "… {} steps …", last - END)?;
        write_steps(f, &steps[last..], false)
    }
}

fn write_steps(f: &mut fmt::Formatter<'_>, steps: &[Segment], from_root: bool) -> fmt::Result {
    for (position, segment) in steps.iter().enumerate() {
        match segment {
            Segment::Field(name) if from_root && position == 0 => f.write_str(name)?,
            Segment::Field(name) => write!(f, ".{name}")?,
            Segment::Index(index) => write!(f, "[{index}]")?,
        }
    }
    Ok(())
}

impl From<Vec<Segment>> for Path {
    fn from(segments: Vec<Segment>) -> Self {
        Path(segments)
    }
}

impl FromIterator<Segment> for Path {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        Path(segments.into_iter().collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("file");
        }
        write_steps(f, &self.0, true)
    }
}
