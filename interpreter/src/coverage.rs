//! How much of a file a schema explains, and what it does not.

mod claims;

use std::collections::HashSet;

use formwork::engine::{self, Document, Item, Loc, Program};
use formwork::spelling::KeptKind;
use formwork::{ReadError, ReadOptions};

use crate::view::Places;
use claims::{Claims, Piece};

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
pub fn coverage(program: &Program, bytes: &[u8], options: &ReadOptions) -> Coverage {
    let (mut document, error) = engine::read_claiming(program, bytes, options);
    let size = bytes.len() as u64;
    let gaps = gaps(&document, size);
    let claimed = size - gaps.iter().map(|gap| gap.end - gap.at).sum::<u64>();
    let mut coverage = Coverage { size, claimed, ..Coverage::default() };
    coverage.overlaps = overlaps(&document);
    // Without an end it is not known what the layout would place where.
    let (fill, padding) = match &error {
        None => {
            let padding = document.padding().iter().map(|bytes| (bytes.start, bytes.end)).collect();
            (Fill::of(&mut document, bytes, &gaps), padding)
        }
        Some(_) => (Fill::None, HashSet::new()),
    };
    for gap in &gaps {
        let content = formwork::algorithms::slice(bytes, gap.at, gap.end - gap.at).unwrap_or(&[]);
        let zero = formwork::algorithms::is_zero(content);
        let names = Names::of(&document, gap);
        if zero && (padding.contains(&(gap.at, gap.end)) || fill.has(gap, &names)) {
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
    if error.is_none() {
        let (unknown, unlisted) =
            document.unlisted().into_iter().partition::<Vec<_>, _>(|(_, unknown)| *unknown);
        let offsets = |pointers: Vec<(u64, bool)>| -> Vec<u64> {
            pointers.into_iter().map(|(offset, _)| offset).collect()
        };
        coverage.unknown_pointers = offsets(unknown);
        let unlisted = offsets(unlisted);
        let fields = fields_at(&document, &unlisted);
        let unlisted = unlisted.into_iter().zip(fields);
        coverage.unlisted_pointers =
            unlisted.map(|(offset, field)| Unlisted { offset, field }).collect();
    }
    coverage.error = error;
    coverage
}

impl crate::Document<'_> {
    /// Path of the field that has the byte at this offset from the start of the file; the smallest
    /// one if several do. `None` for bytes that no field has, such as padding between objects.
    #[must_use]
    pub fn field_at(&self, offset: u64) -> Option<String> {
        // Who accounts for what is only written down where somebody asks.
        let program = self.engine.program();
        let (again, _) = engine::read_claiming(program, self.bytes, &self.options);
        fields_at(&again, &[offset]).pop()?
    }
}

/// Paths of the smallest fields that have these bytes, which are in the order of their offsets.
fn fields_at(document: &Document<'_, '_>, offsets: &[u64]) -> Vec<Option<String>> {
    let found = Claims::new(document.tree(), document.claims()).innermost(offsets);
    let found = offsets.iter().zip(found);
    found.map(|(offset, loc)| Some(path_at(document, *offset, loc?))).collect()
}

/// Path of a field that has a byte; of the element that has it where it is an array of numbers.
fn path_at(document: &Document<'_, '_>, offset: u64, mut loc: Loc) -> String {
    let tree = document.tree();
    let places = Places(tree);
    if loc.index().is_none() && tree.record(loc.node).rows.len() > loc.row.index() {
        // Arrays of numbers are accounted for as a whole.
        let spot = places.value(places.spot(loc.node, loc.row));
        if let (Item::Array(array), Some(at), Some(end)) = (spot.item, spot.at, spot.end)
            && (at..end).contains(&offset)
            && !tree.has_starts(array)
            && let Some(stride) = (end - at).checked_div(tree.count(array).into())
            && let Some(index) = (offset - at).checked_div(stride)
        {
            loc = loc.indexed(u32::try_from(index).ok());
        }
    }
    places.path(loc)
}

/// Bytes between claims.
#[derive(Debug, Clone, Copy)]
struct Between {
    at: u64,
    end: u64,
    before: Option<Loc>,
    after: Option<Loc>,
}

fn gaps(document: &Document<'_, '_>, size: u64) -> Vec<Between> {
    let claims = Claims::new(document.tree(), document.claims());
    let mut gaps = Vec::new();
    let mut end = 0;
    let mut before = None;
    for Piece { at, end: next, first, last } in claims.pieces() {
        if at > end {
            gaps.push(Between { at: end, end: at, before, after: Some(first) });
        }
        if next > end {
            end = next;
            before = Some(last);
        }
    }
    if end < size {
        gaps.push(Between { at: end, end: size, before, after: None });
    }
    gaps
}

fn overlaps(document: &Document<'_, '_>) -> Vec<Overlap> {
    let places = Places(document.tree());
    let claims = Claims::new(document.tree(), document.claims());
    let overlaps = claims.overlaps().into_iter().map(|(bytes, first, second)| Overlap {
        offset: bytes.start,
        size: bytes.end - bytes.start,
        first: places.path(first),
        second: places.path(second),
    });
    let mut found: Vec<Overlap> = overlaps.collect();
    found.dedup();
    found
}

/// The fields around a gap, by their paths.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Names {
    before: Option<String>,
    after: Option<String>,
}

impl Names {
    fn of(document: &Document<'_, '_>, gap: &Between) -> Names {
        let places = Places(document.tree());
        let name = |loc: Option<Loc>| loc.map(|loc| places.path(loc));
        Names { before: name(gap.before), after: name(gap.after) }
    }
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
    /// The file is written as the layout arranges it: then all gaps are what the layout makes them.
    fn of(document: &mut Document<'_, '_>, bytes: &[u8], gaps: &[Between]) -> Fill {
        if gaps.is_empty() {
            return Fill::None;
        }
        for kind in KeptKind::ALL.into_iter().filter(|kind| kind.is_arrangement()) {
            document.forget_kept(kind);
        }
        let Ok(written) = document.write() else { return Fill::None };
        if written == bytes {
            return Fill::Everywhere;
        }
        let options = ReadOptions::default();
        let (again, _) = engine::read_claiming(document.program(), &written, &options);
        let made = self::gaps(&again, written.len() as u64);
        let names = |gap: &Between| (Names::of(&again, gap), gap.end - gap.at);
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
