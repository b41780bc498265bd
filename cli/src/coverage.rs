//! `formwork coverage`: shows how much of files a schema explains.

use std::io::Write;
use std::path::PathBuf;

use formwork_interpreter::{Coverage, coverage};
use serde_json::{Value, json};

use crate::args::Coverage as Options;
use crate::detect::hex;
use crate::many::{self, Found, NotRead, find, report};
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::schema::Formats;
use crate::shown::{self, line};

/// Lines that are printed of one kind, for one file.
const SHOWN: usize = 16;

/// Bytes of a gap that are shown.
const FIRST_BYTES: usize = 8;

pub(crate) fn run(options: &Options, out: &mut dyn Write) -> Result<Outcome, Problem> {
    let files = find(&options.paths)?;
    let formats = Formats::choose(&options.choice)?;
    let judge = |file: &Found| judge(file, &formats);
    report::<Totals>(&files, options.json, out, judge, Report::print, Report::to_json)
}

/// What became of one file.
struct Report {
    path: PathBuf,
    format: Option<String>,
    /// Why there are no figures.
    error: Option<String>,
    /// Why it was skipped, unless no format is known.
    reason: Option<&'static str>,
    figures: Option<(Coverage, Vec<u8>)>,
    /// Which option allows what is refused.
    allowance: Option<&'static str>,
}

fn judge(file: &Found, formats: &Formats) -> Report {
    let path = file.path.clone();
    let mut report =
        Report { path, format: None, error: None, reason: None, figures: None, allowance: None };
    let bytes = match file.content() {
        Ok(bytes) => bytes,
        Err(NotRead::Skipped(reason)) => {
            report.reason = Some(reason);
            return report;
        }
        Err(NotRead::Failed(error)) => {
            report.error = Some(error);
            return report;
        }
    };
    match formats.of(&file.path, &bytes) {
        Some(format) => {
            report.format = Some(format.name().to_owned());
            let figures = coverage(&format.program, &bytes, &format.options);
            let error = figures.error.as_ref();
            report.allowance = error.and_then(|error| format.allowance(error.kind()));
            report.figures = Some((figures, bytes));
        }
        None if file.is_named => report.error = Some("no known format".to_owned()),
        None => {}
    }
    report
}

impl Report {
    fn print(&self, out: &mut dyn Write) -> Result<(), Problem> {
        let path = shown::path(&self.path);
        let Some((coverage, bytes)) = &self.figures else {
            match &self.error {
                Some(error) => line!(out, "failed {path}: {error}")?,
                None => {
                    let reason = self.reason.unwrap_or("no known format");
                    line!(out, "skipped {path}: {reason}")?;
                }
            }
            return Ok(());
        };
        let claimed = percent(coverage.claimed, coverage.size);
        let explained = percent(coverage.claimed + coverage.fill, coverage.size);
        line!(out, "{claimed} claimed, {explained} explained: {path}")?;
        if let Some(error) = &coverage.error {
            line!(out, "  error: {error}")?;
            if let Some(allowance) = self.allowance {
                line!(out, "    {allowance}")?;
            }
        }
        let gaps = coverage.gaps.iter().map(|gap| {
            let first = first_bytes(bytes, gap.offset, gap.size);
            let what = if gap.zero { "zero".to_owned() } else { first };
            let between = match (&gap.before, &gap.after) {
                (Some(before), Some(after)) => format!("between {before} and {after}"),
                (Some(before), None) => format!("behind {before}"),
                (None, Some(after)) => format!("before {after}"),
                (None, None) => "the whole file".to_owned(),
            };
            format!("gap at {:#x}, {}: {what}, {between}", gap.offset, count(gap.size))
        });
        list(gaps, out)?;
        let overlaps = coverage.overlaps.iter().map(|overlap| {
            let size = count(overlap.size);
            let (first, second) = (&overlap.first, &overlap.second);
            format!("overlap at {:#x}, {size}: {first} and {second}", overlap.offset)
        });
        list(overlaps, out)?;
        let unknown = coverage.unknown_pointers.iter().map(|offset| {
            format!("pointer at {offset:#x}: in the relocation table, but not in the schema")
        });
        list(unknown, out)?;
        let unlisted = coverage.unlisted_pointers.iter().map(|pointer| {
            let field = pointer.field.as_deref().unwrap_or("no field");
            format!("pointer at {:#x}: {field} is not in the relocation table", pointer.offset)
        });
        list(unlisted, out)
    }

    fn to_json(&self) -> Value {
        let mut file = json!({ "path": self.path.display().to_string(), "format": self.format });
        if let Some(error) = &self.error {
            file["error"] = json!({ "message": error });
        }
        if let Some(reason) = &self.reason {
            file["reason"] = json!(reason);
        }
        let Some((coverage, bytes)) = &self.figures else { return file };
        file["size"] = json!(coverage.size);
        file["claimed"] = json!(coverage.claimed);
        file["fill"] = json!(coverage.fill);
        file["unexplained"] = json!(coverage.unexplained());
        file["gaps"] = coverage
            .gaps
            .iter()
            .map(|gap| {
                json!({
                    "offset": gap.offset,
                    "size": gap.size,
                    "zero": gap.zero,
                    "first_bytes": hex(content(bytes, gap.offset, gap.size)),
                    "before": gap.before,
                    "after": gap.after,
                })
            })
            .collect();
        file["overlaps"] = coverage
            .overlaps
            .iter()
            .map(|overlap| {
                let fields = [&overlap.first, &overlap.second];
                json!({ "offset": overlap.offset, "size": overlap.size, "fields": fields })
            })
            .collect();
        file["unknown_pointers"] = json!(coverage.unknown_pointers);
        file["unlisted_pointers"] = coverage
            .unlisted_pointers
            .iter()
            .map(|pointer| json!({ "offset": pointer.offset, "field": pointer.field }))
            .collect();
        if let Some(error) = &coverage.error {
            file["error"] = json!({
                "message": error.kind().to_string(),
                "offset": error.offset(),
                "path": error.path().to_string(),
            });
        }
        file
    }
}

/// What became of all files.
#[derive(Debug, Default)]
struct Totals {
    files: u64,
    failed: u64,
    skipped: u64,
    size: u64,
    claimed: u64,
    fill: u64,
}

impl many::Totals for Totals {
    type Report = Report;

    fn add(&mut self, report: &Report) {
        match &report.figures {
            Some((coverage, _)) => {
                self.files += 1;
                self.failed += u64::from(coverage.error.is_some());
                self.size += coverage.size;
                self.claimed += coverage.claimed;
                self.fill += coverage.fill;
            }
            None if report.error.is_some() => self.failed += 1,
            None => self.skipped += 1,
        }
    }

    fn is_good(&self) -> bool {
        self.failed == 0
    }

    fn print(&self, out: &mut dyn Write) -> Result<(), Problem> {
        let Totals { files, failed, skipped, size, claimed, fill } = self;
        let unexplained = size - claimed - fill;
        let (claimed, explained) = (percent(*claimed, *size), percent(claimed + fill, *size));
        writeln!(
            out,
            "{files} files, {size} bytes: {claimed} claimed by rows, {explained} with declared \
             fill, {unexplained} bytes unexplained, {failed} failed, {skipped} skipped"
        )?;
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!({
            "files": self.files,
            "failed": self.failed,
            "skipped": self.skipped,
            "size": self.size,
            "claimed": self.claimed,
            "fill": self.fill,
            "unexplained": self.size - self.claimed - self.fill,
        })
    }
}

/// Lines of one kind; of many, the first ones.
fn list(lines: impl ExactSizeIterator<Item = String>, out: &mut dyn Write) -> Result<(), Problem> {
    let more = lines.len().saturating_sub(SHOWN);
    for line in lines.take(SHOWN) {
        line!(out, "  {line}")?;
    }
    if more > 0 {
        line!(out, "  … {more} more (--json has them)")?;
    }
    Ok(())
}

/// A share, rounded down, so that `100.00 %` means all of it.
fn percent(part: u64, whole: u64) -> String {
    let hundredths = match u128::from(part) * 10_000 {
        _ if whole == 0 => 10_000,
        share => share / u128::from(whole),
    };
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

fn count(size: u64) -> String {
    if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") }
}

/// The first bytes of a gap.
fn content(bytes: &[u8], offset: u64, size: u64) -> &[u8] {
    let shown = size.min(u64::try_from(FIRST_BYTES).unwrap_or(u64::MAX));
    formwork::algorithms::slice(bytes, offset, shown).unwrap_or(&[])
}

fn first_bytes(bytes: &[u8], offset: u64, size: u64) -> String {
    let shown = content(bytes, offset, size);
    let words: Vec<_> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    let more = if u64::try_from(shown.len()).unwrap_or(0) < size { " …" } else { "" };
    format!("{}{more}", words.join(" "))
}
