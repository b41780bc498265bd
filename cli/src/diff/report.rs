//! What differs between two files, as lines and as JSON.

use std::io::Write;
use std::path::Path;

use formwork_interpreter::{ByteRange, Cause, Change, ChangeKind, Diff, Extent};
use serde_json::{Value, json};

use crate::problem::Problem;
use crate::shown::{self, line};

/// So many byte ranges of a kind are shown, unless all are.
const SHOWN: usize = 16;

/// Values are cut behind so many characters, unless they are shown in full.
const LONG: usize = 96;

/// What of a difference is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Show {
    /// What the files say.
    pub meaning: bool,
    /// Their bytes.
    pub bytes: bool,
    /// Values in full, and all byte ranges.
    pub all: bool,
}

/// How two files differ.
pub(crate) struct Report<'r> {
    pub names: [&'r Path; 2],
    pub format: &'r str,
    pub diff: &'r Diff,
    pub show: Show,
}

impl Report<'_> {
    /// Whether nothing of what is shown differs.
    pub(crate) fn is_equal(&self) -> bool {
        match self.show.bytes {
            true => self.diff.same_bytes,
            false => self.diff.same_meaning(),
        }
    }

    pub(crate) fn print(&self, out: &mut dyn Write) -> Result<(), Problem> {
        if self.is_equal() {
            return Ok(());
        }
        let [a, b] = self.names;
        line!(out, "--- {}", shown::path(a))?;
        line!(out, "+++ {}", shown::path(b))?;
        let diff = self.diff;
        if self.show.meaning {
            for change in &diff.changes {
                self.print_change(change, out)?;
            }
            for spelling in &diff.spellings {
                let where_ = match spelling.unusual {
                    [true, true] => "unusual in both, in different ways",
                    [true, false] => "unusual in the first file only",
                    _ => "unusual in the second file only",
                };
                let (field, kind) = (&spelling.field, spelling.kind.name());
                line!(out, "= {}: {kind}, {where_}", named(field))?;
            }
        }
        if self.show.bytes {
            let [old, new] = diff.sizes;
            match old == new {
                true => line!(out, "bytes: {old}")?,
                false => line!(out, "bytes: {old} -> {new}")?,
            }
            for cause in Cause::ALL {
                let ranges: Vec<_> = diff.ranges.iter().filter(|r| r.cause == cause).collect();
                let shown = if self.show.all { ranges.len() } else { SHOWN };
                for range in ranges.iter().take(shown) {
                    line!(out, "  {}", range_line(range))?;
                }
                if let Some(more) = ranges.len().checked_sub(shown).filter(|more| *more > 0) {
                    line!(out, "  … {more} more {} (--all shows them)", cause.name())?;
                }
            }
        }
        self.print_sum(out)
    }

    fn print_sum(&self, out: &mut dyn Write) -> Result<(), Problem> {
        let diff = self.diff;
        let mut sum = vec![counted(diff.changes.len(), "change")];
        sum.push(counted(diff.spellings.len(), "spelling"));
        if self.show.bytes {
            sum.push(counted(diff.ranges.len(), "byte range"));
        }
        let is_whole = diff.errors.iter().all(Option::is_none);
        let same = match (diff.same_meaning(), is_whole) {
            (true, true) => ": the files say the same in other bytes",
            (true, false) => ": what could be read of both says the same",
            _ => "",
        };
        line!(out, "{}{same}", sum.join(", "))?;
        Ok(())
    }

    fn print_change(&self, change: &Change, out: &mut dyn Write) -> Result<(), Problem> {
        let cut = |text: &str| match text.char_indices().nth(LONG) {
            Some((end, _)) if !self.show.all => format!("{}…", &text[..end]),
            _ => text.to_owned(),
        };
        let within = match &change.within {
            Some(name) => format!("  in {}", cut(name)),
            None => String::new(),
        };
        let line = match (change.kind, &change.old, &change.new) {
            (ChangeKind::Moved, Some(old), Some(new)) => {
                format!("> {} -> {}", named(&old.path), named(&new.path))
            }
            (_, Some(old), Some(new)) => {
                let was = match old.path == new.path {
                    true => String::new(),
                    false => format!(" (was {})", named(&old.path)),
                };
                let (from, to) = (cut(&old.value), cut(&new.value));
                let other = match old.value == new.value {
                    true => ", another element",
                    false => "",
                };
                format!("~ {}{was}: {from} -> {to}{other}", named(&new.path))
            }
            (ChangeKind::Changed, None, Some(new)) => {
                format!("~ {}: null -> {}", named(&new.path), cut(&new.value))
            }
            (ChangeKind::Changed, Some(old), None) => {
                format!("~ {}: {} -> null", named(&old.path), cut(&old.value))
            }
            (_, None, Some(new)) => format!("+ {}: {}", named(&new.path), cut(&new.value)),
            (_, Some(old), None) => format!("- {}: {}", named(&old.path), cut(&old.value)),
            (_, None, None) => return Ok(()),
        };
        line!(out, "{line}{within}")?;
        Ok(())
    }

    pub(crate) fn to_json(&self) -> Value {
        let diff = self.diff;
        let [a, b] = self.names.map(|name| name.display().to_string());
        let mut document = json!({
            "old": a,
            "new": b,
            "format": self.format,
            "same_meaning": diff.same_meaning(),
            "same_bytes": diff.same_bytes,
        });
        if self.show.meaning {
            document["changes"] = diff.changes.iter().map(change_json).collect();
            document["spellings"] = diff
                .spellings
                .iter()
                .map(|spelling| {
                    let [old, new] = spelling.unusual;
                    let kind = spelling.kind.name();
                    json!({ "field": spelling.field, "kind": kind, "old": old, "new": new })
                })
                .collect();
        }
        if self.show.bytes {
            document["sizes"] = json!(diff.sizes);
            document["ranges"] = diff.ranges.iter().map(range_json).collect();
        }
        let errors = diff.errors.iter().map(|error| match error {
            Some(error) => json!({
                "kind": error.kind().code(),
                "message": error.kind().to_string(),
                "offset": error.offset(),
                "path": error.path().to_string(),
            }),
            None => Value::Null,
        });
        document["errors"] = errors.collect();
        document
    }
}

/// A path, or what stands for the empty one.
fn named(path: &str) -> &str {
    if path.is_empty() { "file" } else { path }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn range_line(range: &ByteRange) -> String {
    let show = |extent: Extent| format!("{:#06x}..{:#06x}", extent.at, extent.end);
    let place = match (range.old, range.new) {
        (Some(old), Some(new)) if old == new => show(new),
        (Some(old), Some(new)) => format!("{} -> {}", show(old), show(new)),
        (None, Some(new)) => show(new),
        (Some(old), None) => show(old),
        (None, None) => String::new(),
    };
    let field = match (&range.field, &range.last_field) {
        (Some(field), Some(last)) => format!("  {} to {}", named(field), named(last)),
        (Some(field), None) => format!("  {}", named(field)),
        _ => String::new(),
    };
    format!("{:<10}  {place}{field}", range.cause.name())
}

/// A JSON text as a value.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn change_json(change: &Change) -> Value {
    let place = |place: &Option<formwork_interpreter::Place>| match place {
        Some(place) => json!({ "path": place.path, "value": parsed(&place.value) }),
        None => Value::Null,
    };
    let mut document = json!({
        "kind": change.kind.name(),
        "old": place(&change.old),
        "new": place(&change.new),
    });
    if let Some(within) = &change.within {
        document["within"] = parsed(within);
    }
    document
}

fn range_json(range: &ByteRange) -> Value {
    let extent = |extent: Option<Extent>| match extent {
        Some(Extent { at, end }) => json!({ "offset": at, "size": end - at }),
        None => Value::Null,
    };
    let mut document = json!({
        "cause": range.cause.name(),
        "old": extent(range.old),
        "new": extent(range.new),
        "field": range.field,
    });
    if let Some(last) = &range.last_field {
        document["last_field"] = json!(last);
    }
    document
}
