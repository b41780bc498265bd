//! What became of a file, and of all files, as lines and as JSON.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use formwork::ReadError;
use formwork_codegen::markdown::as_written;
use formwork_codegen::model::Model;
use formwork_interpreter::{Deviation, KeptKind, Note};
use serde_json::{Map, Value, json};

use crate::many;
use crate::problem::Problem;
use crate::shown::{self, line};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Result {
    Identical,
    Equivalent,
    Failed,
    Skipped,
}

impl Result {
    fn word(self) -> &'static str {
        match self {
            Result::Identical => "identical",
            Result::Equivalent => "equivalent",
            Result::Failed => "failed",
            Result::Skipped => "skipped",
        }
    }
}

/// How many deviations of each kind a value keeps.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptCounts([u64; KeptKind::ALL.len()]);

impl KeptCounts {
    pub(crate) fn add(&mut self, kind: KeptKind) {
        for (count, known) in self.0.iter_mut().zip(KeptKind::ALL) {
            *count += u64::from(known == kind);
        }
    }

    fn add_all(&mut self, other: &KeptCounts) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }

    fn to_json(&self) -> Value {
        let named = KeptKind::ALL.iter().zip(self.0);
        Value::Object(named.map(|(kind, count)| (kind.name().to_owned(), json!(count))).collect())
    }

    /// Whether something is kept of where objects lie; or anything but data.
    fn has(&self, arrangement: bool) -> bool {
        let mut named = KeptKind::ALL.iter().zip(self.0);
        named.any(|(kind, count)| {
            count > 0 && !kind.is_data() && (!arrangement || kind.is_arrangement())
        })
    }

    /// Those that occur: `2 number, 1 pool`.
    fn words(&self) -> Option<String> {
        self.words_if(|_| true)
    }

    fn words_if(&self, wanted: impl Fn(KeptKind) -> bool) -> Option<String> {
        let named = KeptKind::ALL.iter().zip(self.0).filter(|(kind, _)| wanted(**kind));
        let words: Vec<_> = named
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| format!("{count} {}", kind.name()))
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// How many deviations of a file are shown.
const SHOWN: usize = 20;

/// What became of one file.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    pub path: PathBuf,
    pub format: Option<String>,
    pub result: Result,
    /// Size in bytes, if the file could be opened.
    pub size: Option<usize>,
    pub error: Option<String>,
    /// Why it was skipped, unless no format is known.
    pub reason: Option<&'static str>,
    /// Where reading failed, or the first byte that differs.
    pub offset: Option<u64>,
    /// The field there.
    pub field: Option<String>,
    pub kept: KeptCounts,
    /// What is kept, one by one.
    pub deviations: Vec<Unusual>,
    pub notes: Vec<Note>,
    /// Which option allows what is refused.
    pub allowance: Option<&'static str>,
}

/// A deviation, with the rule of the schema that does not give it.
#[derive(Debug, Clone)]
pub(crate) struct Unusual {
    deviation: Deviation,
    rule: String,
}

impl Unusual {
    pub(crate) fn new(model: &Model, deviation: Deviation) -> Unusual {
        let rule = match deviation.usually {
            Some(usually) => format!("it is usually `{}`", as_written(model, usually)),
            None => rule(deviation.kind).to_owned(),
        };
        Unusual { deviation, rule }
    }
}

/// The rule that does not hold.
fn rule(kind: KeptKind) -> &'static str {
    match kind {
        KeptKind::Number => "a number is the one that follows from the value",
        KeptKind::Width => "a number takes as few bytes as it can",
        KeptKind::Reserved => "reserved bytes are zero, and as many as the schema says",
        KeptKind::Tail => "what fills a region or ends a text is canonical",
        KeptKind::Form => "the first form is taken that can say the value",
        KeptKind::Pool => "a pool has the texts that pointers lead to, in its order",
        KeptKind::Members => "a pool has no other texts (the schema keeps them)",
        KeptKind::Dictionary => "a dictionary is the tree of its names",
        KeptKind::Relocation => "a relocation table lists the pointers of the schema",
        KeptKind::Pointer => "a pointer to an empty array is set, or not, as the schema says",
        KeptKind::Gap => "nothing but zero padding lies between objects",
        KeptKind::Place => "objects lie in the order of the layout, and hold no others",
        KeptKind::Shared => "no object lies inside of another one",
        KeptKind::Table => "slices lie one behind the other in their table",
        KeptKind::Text => "pointers lead to the first member with their text",
        KeptKind::Digits => "digits have the usual blanks and zeros around them",
        _ => "the spelling is canonical",
    }
}

impl Report {
    /// A file that nothing is known of yet: skipped, unless something else becomes of it.
    pub(crate) fn new(path: &Path) -> Report {
        Report {
            path: path.to_owned(),
            format: None,
            result: Result::Skipped,
            size: None,
            error: None,
            reason: None,
            offset: None,
            field: None,
            kept: KeptCounts::default(),
            deviations: Vec::new(),
            notes: Vec::new(),
            allowance: None,
        }
    }

    pub(crate) fn failed(mut self, error: String) -> Report {
        self.result = Result::Failed;
        self.error = Some(error);
        self
    }

    pub(crate) fn failed_reading(mut self, error: &ReadError) -> Report {
        self.offset = Some(error.offset());
        self.field = Some(error.path().to_string());
        self.failed(error.to_string())
    }

    /// The first byte that differs, in words.
    pub(crate) fn place(&self) -> String {
        let offset = self.offset.unwrap_or(0);
        let field = self.field.as_deref().unwrap_or("no field");
        format!("first differing offset {offset:#x} in {field}")
    }

    pub(crate) fn print(
        &self,
        verbose: bool,
        out: &mut dyn Write,
    ) -> std::result::Result<(), Problem> {
        let (word, path) = (self.result.word(), shown::path(&self.path));
        match (&self.error, self.result) {
            (Some(error), _) => line!(out, "{word} {path}: {error}")?,
            (None, Result::Equivalent) => line!(out, "{word} {path}: {}", self.place())?,
            (None, Result::Skipped) => {
                line!(out, "{word} {path}: {}", self.reason.unwrap_or("no known format"))?;
            }
            (None, _) => line!(out, "{word} {path}")?,
        }
        if let Some(allowance) = self.allowance {
            line!(out, "  {allowance}")?;
        }
        if verbose {
            for note in &self.notes {
                let Note { message, offset, path, .. } = note;
                line!(out, "  note: {message}, at {offset:#x} in {path}")?;
            }
            if let Some(words) = self.kept.words() {
                line!(out, "  kept: {words}")?;
            }
            for deviation in self.deviations.iter().take(SHOWN) {
                let Unusual { deviation: Deviation { path, kind, offset, .. }, rule } = deviation;
                let at = offset.map(|at| format!(" at {at:#x}")).unwrap_or_default();
                line!(out, "  {}: {path}{at}: not by the rule that {rule}", kind.name())?;
            }
            if let Some(more) = self.deviations.len().checked_sub(SHOWN).filter(|n| *n > 0) {
                line!(out, "  and {more} more")?;
            }
        }
        Ok(())
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut file = Map::new();
        file.insert("path".to_owned(), json!(self.path.display().to_string()));
        file.insert("format".to_owned(), json!(self.format));
        file.insert("outcome".to_owned(), json!(self.result.word()));
        file.insert("size".to_owned(), json!(self.size));
        let optional = [
            ("error", self.error.as_ref().map(|error| json!(error))),
            ("reason", self.reason.map(|reason| json!(reason))),
            ("offset", self.offset.map(|offset| json!(offset))),
            ("field", self.field.as_ref().map(|field| json!(field))),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                file.insert(name.to_owned(), value);
            }
        }
        file.insert("kept".to_owned(), self.kept.to_json());
        let deviations = self.deviations.iter().map(|Unusual { deviation, rule }| {
            json!({
                "path": deviation.path,
                "kind": deviation.kind.name(),
                "offset": deviation.offset,
                "rule": rule,
            })
        });
        file.insert("deviations".to_owned(), deviations.collect());
        let notes = self.notes.iter().map(
            |note| json!({ "offset": note.offset, "path": note.path, "message": note.message }),
        );
        file.insert("notes".to_owned(), notes.collect());
        Value::Object(file)
    }
}

/// What became of all files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Totals {
    identical: u64,
    equivalent: u64,
    failed: u64,
    skipped: u64,
    /// Of the identical ones: those that keep nothing but data, and those that keep an arrangement.
    by_rules: u64,
    arranged: u64,
    kept: KeptCounts,
}

impl many::Totals for Totals {
    type Report = Report;

    fn add(&mut self, report: &Report) {
        let count = match report.result {
            Result::Identical => &mut self.identical,
            Result::Equivalent => &mut self.equivalent,
            Result::Failed => &mut self.failed,
            Result::Skipped => &mut self.skipped,
        };
        *count += 1;
        if report.result == Result::Identical {
            self.by_rules += u64::from(!report.kept.has(false));
            self.arranged += u64::from(report.kept.has(true));
        }
        self.kept.add_all(&report.kept);
    }

    fn is_good(&self) -> bool {
        self.failed == 0
    }

    fn print(&self, out: &mut dyn Write) -> std::result::Result<(), Problem> {
        writeln!(out, "{self}")?;
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!({
            "identical": self.identical,
            "equivalent": self.equivalent,
            "failed": self.failed,
            "skipped": self.skipped,
            "by_rules": self.by_rules,
            "spelled": self.identical - self.by_rules - self.arranged,
            "arranged": self.arranged,
            "kept": self.kept.to_json(),
        })
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { identical, equivalent, failed, skipped, .. } = self;
        write!(
            f,
            "{identical} identical, {equivalent} equivalent, {failed} failed, {skipped} skipped"
        )?;
        if *identical == 0 {
            return Ok(());
        }
        let (by_rules, arranged) = (self.by_rules, self.arranged);
        let spelled = identical - by_rules - arranged;
        write!(f, "\nof the identical: {by_rules} by the rules")?;
        if let Some(words) = self.kept.words_if(KeptKind::is_data) {
            write!(f, " ({words})")?;
        }
        write!(f, ", {spelled} spelled")?;
        if let Some(words) = self.kept.words_if(|kind| !kind.is_data() && !kind.is_arrangement()) {
            write!(f, " ({words})")?;
        }
        write!(f, ", {arranged} arranged")?;
        if let Some(words) = self.kept.words_if(KeptKind::is_arrangement) {
            write!(f, " ({words})")?;
        }
        Ok(())
    }
}
