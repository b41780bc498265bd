//! How much of a file a schema explains, and what it does not.

use std::collections::HashSet;

use formwork::{ReadError, ReadOptions};
use formwork_model::{Cell, Meaning, Model, RowId, RowKind, Storage, Target, Type};

use crate::document::{Document, read_partly};
use crate::engine::{Engine, Mode};
use crate::read::Claim;
use crate::read::object::strip_region;
use crate::tree::{Loc, NodeId, UNPLACED};
use crate::value::KeptKind;

/// What a schema explains of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Coverage {
    /// Size of the file in bytes.
    pub size: u64,
    /// Bytes that rows claim.
    pub claimed: u64,
    /// Other bytes that are zero where the layout puts zero: alignment, and `zero` statements.
    pub fill: u64,
    /// Runs of the bytes that are left, in the order of their offsets.
    pub gaps: Vec<Gap>,
    /// Bytes that two fields claim, in the order of their offsets. Texts of a pool, and elements of
    /// a table that owners hold slices of, have two fields by design and are not among them.
    pub overlaps: Vec<Overlap>,
    /// Offsets of pointers that the relocation table of the file lists and the schema does not know.
    pub unknown_pointers: Vec<u64>,
    /// Pointers of the schema that the relocation table lacks.
    pub unlisted_pointers: Vec<Unlisted>,
    /// Why the file could not be read to its end; what was read until then is accounted for.
    pub error: Option<ReadError>,
}

/// Bytes that nothing explains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gap {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
    /// Whether they all are zero.
    pub zero: bool,
    /// Field before it; none at the start of the file.
    pub before: Option<String>,
    /// Field behind it; none at the end of the file.
    pub after: Option<String>,
}

/// Bytes that two fields claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlap {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
    /// The field that begins first.
    pub first: String,
    /// The other.
    pub second: String,
}

/// A pointer that a relocation table lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unlisted {
    /// Offset of the pointer.
    pub offset: u64,
    /// The pointer; none if no field has the byte there.
    pub field: Option<String>,
}

impl Coverage {
    /// Bytes that nothing explains.
    #[must_use]
    pub fn unexplained(&self) -> u64 {
        self.size - self.claimed - self.fill
    }
}

/// Accounts for every byte of a file.
#[must_use]
pub fn coverage(model: &Model, bytes: &[u8], options: &ReadOptions) -> Coverage {
    let (mut document, error) = read_partly(model, bytes, options);
    let claims = claims(&document.engine);
    let size = bytes.len() as u64;
    let gaps = gaps(&claims, size);
    let claimed = size - gaps.iter().map(|gap| gap.end - gap.at).sum::<u64>();
    // Without an end it is not known what the layout would place where.
    let fill = match &error {
        None => Fill::of(model, &document, bytes, &gaps),
        Some(_) => Fill::None,
    };
    let mut coverage = Coverage { size, claimed, ..Coverage::default() };
    for gap in &gaps {
        let content = formwork::slice(bytes, gap.at, gap.end - gap.at).unwrap_or(&[]);
        let zero = content.iter().all(|byte| *byte == 0);
        let names = Names::of(&document.engine, gap);
        if zero && fill.has(gap, &names) {
            coverage.fill += gap.end - gap.at;
            continue;
        }
        coverage.gaps.push(Gap {
            offset: gap.at,
            size: gap.end - gap.at,
            zero,
            before: names.before,
            after: names.after,
        });
    }
    coverage.overlaps = overlaps(&document.engine, &claims);
    if error.is_none() {
        // It was computed before, when the file was read.
        for (offset, unknown) in document.engine.table_differences().unwrap_or_default() {
            if unknown {
                coverage.unknown_pointers.push(offset);
            } else {
                let field = document.field_at(offset);
                coverage.unlisted_pointers.push(Unlisted { offset, field });
            }
        }
    }
    coverage.error = error;
    coverage
}

/// Bytes between claims.
#[derive(Debug, Clone, Copy)]
struct Between {
    at: u64,
    end: u64,
    before: Option<Loc>,
    after: Option<Loc>,
}

/// All claims in the order of their addresses, bit fields included.
fn claims(engine: &Engine<'_, '_>) -> Vec<Claim> {
    let Mode::Read(reading) = &engine.mode else { return Vec::new() };
    let mut claims = reading.claims.clone();
    for index in 0..u32::try_from(engine.tree.nodes.len()).unwrap_or(u32::MAX) {
        let node = NodeId(index);
        for (row, definition) in (0_u32..).zip(&engine.record(node).rows) {
            // Rows of bits share bytes, so reading them claims none.
            let loc = Loc::row(node, RowId(row));
            let slot = engine.tree.slot(node, loc.row);
            let placed = slot.at != UNPLACED && slot.end != UNPLACED;
            if placed && slot.at < slot.end && is_bits(&definition.ty) {
                claims.push(Claim { at: slot.at, end: slot.end, loc });
            }
        }
    }
    claims.sort_by_key(|claim| (claim.at, claim.end));
    claims
}

fn is_bits(ty: &Type) -> bool {
    match strip_region(ty) {
        Type::Cell(Cell { storage: Storage::Bits { .. }, .. }) => true,
        Type::Array(array) => is_bits(&array.element),
        _ => false,
    }
}

fn gaps(claims: &[Claim], size: u64) -> Vec<Between> {
    let mut gaps = Vec::new();
    let mut end = 0;
    let mut before = None;
    for claim in claims {
        if claim.at > end {
            gaps.push(Between { at: end, end: claim.at, before, after: Some(claim.loc) });
        }
        if claim.end > end {
            end = claim.end;
            before = Some(claim.loc);
        }
    }
    if end < size {
        gaps.push(Between { at: end, end: size, before, after: None });
    }
    gaps
}

/// The fields around a gap, by their paths.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Names {
    before: Option<String>,
    after: Option<String>,
}

impl Names {
    fn of(engine: &Engine<'_, '_>, gap: &Between) -> Names {
        Names {
            before: gap.before.map(|loc| name(engine, loc)),
            after: gap.after.map(|loc| name(engine, loc)),
        }
    }
}

fn name(engine: &Engine<'_, '_>, loc: Loc) -> String {
    if loc.row.index() >= engine.record(loc.node).rows.len() {
        return engine.tree.node_path(engine.model, loc.node).to_string();
    }
    engine.spot_path(loc)
}

/// Where the layout of the schema puts zero bytes that belong to no row.
enum Fill {
    /// Nowhere, as far as is known.
    None,
    /// In all gaps of the file.
    Everywhere,
    /// In these gaps of the file as the schema would lay it out: fields around them, and sizes.
    Between(HashSet<(Names, u64)>),
}

impl Fill {
    /// The file is written without what is kept of its gaps: then all gaps are what the layout
    /// makes them.
    fn of(model: &Model, document: &Document<'_>, bytes: &[u8], gaps: &[Between]) -> Fill {
        if gaps.is_empty() {
            return Fill::None;
        }
        let mut value = document.value();
        value.forget_kept(KeptKind::Gap);
        let Ok(written) = crate::write(model, &value) else { return Fill::None };
        if written == bytes {
            return Fill::Everywhere;
        }
        let (again, _) = read_partly(model, &written, &ReadOptions::default());
        let claims = claims(&again.engine);
        let made = self::gaps(&claims, written.len() as u64);
        let names = |gap: &Between| (Names::of(&again.engine, gap), gap.end - gap.at);
        Fill::Between(made.iter().map(names).collect())
    }

    fn has(&self, gap: &Between, names: &Names) -> bool {
        match self {
            Fill::None => false,
            Fill::Everywhere => true,
            Fill::Between(made) => made.contains(&(names.clone(), gap.end - gap.at)),
        }
    }
}

fn overlaps(engine: &Engine<'_, '_>, claims: &[Claim]) -> Vec<Overlap> {
    let mut found: Vec<Overlap> = Vec::new();
    // The claim that reaches furthest so far.
    let mut reach: Option<&Claim> = None;
    for claim in claims.iter().filter(|claim| !shares(engine, claim.loc)) {
        if let Some(first) = reach.filter(|first| first.end > claim.at)
            && !are_one(engine, first.loc, claim.loc)
        {
            let size = first.end.min(claim.end) - claim.at;
            let (first, second) = (name(engine, first.loc), name(engine, claim.loc));
            let overlap = Overlap { offset: claim.at, size, first, second };
            if found.last() != Some(&overlap) {
                found.push(overlap);
            }
        }
        if reach.is_none_or(|first| claim.end > first.end) {
            reach = Some(claim);
        }
    }
    found
}

/// Whether a row has bytes in common with others by design.
fn shares(engine: &Engine<'_, '_>, loc: Loc) -> bool {
    let record = engine.record(loc.node);
    let Some(row) = record.rows.get(loc.row.index()) else { return true };
    let word = matches!(record.kind, formwork_model::RecordKind::Word(_));
    word || is_bits(&row.ty)
        || matches!(row.kind, RowKind::Slice { .. } | RowKind::Value { .. })
        || is_pooled(&row.ty)
}

/// Whether a row holds pointers to texts of a pool.
fn is_pooled(ty: &Type) -> bool {
    match strip_region(ty) {
        Type::Pointer(pointer) => match &pointer.target {
            Target::Pooled => true,
            Target::Own(target) => is_pooled(target),
            Target::Element => false,
        },
        Type::Array(array) => is_pooled(&array.element),
        Type::Cell(Cell { meaning: Meaning::Word(_), .. }) => true,
        _ => false,
    }
}

/// Whether two places are parts of one: an array and its element, a union and its case.
fn are_one(engine: &Engine<'_, '_>, a: Loc, b: Loc) -> bool {
    let same = |a: Loc, b: Loc| a.node == b.node && a.row == b.row;
    let around = |inner: Loc, outer: Loc| {
        let node = engine.tree.node(inner.node);
        node.owner.is_some_and(|owner| owner == outer.node && node.owner_row == outer.row)
    };
    same(a, b) || around(a, b) || around(b, a)
}
