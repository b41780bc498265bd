//! Homes tile: in every epoch, each byte of a fixed block belongs to exactly one row.
//!
//! Rows of a union's cases take the bytes from the union's home to the next row's. Each case is laid
//! over the rows around it and must fill what they leave.

#![deny(clippy::arithmetic_side_effects)]

use super::context::{Context, bodies, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{
    EpochId, Home, Record, RecordId, RecordKind, Row, RowKind, Sizes, Tag, Type, UnionId,
};
use crate::model::{bit_width, cell_size};
use crate::span::Span;

/// Largest fixed block in bytes. Blocks are read whole.
const LARGEST: u64 = 1 << 32;

/// Most unions inside cases of unions that are followed.
const NESTING: u32 = 16;

/// Bytes that a row takes.
#[derive(Clone)]
struct Claim {
    start: u64,
    /// Behind the last byte; `None` if that differs from file to file.
    end: Option<u64>,
    span: Span,
    name: String,
}

/// A union whose cases lie among the rows around it.
struct Choice {
    union: UnionId,
    /// Offset of the first byte behind the tag, if the tag is the union's own.
    start: u64,
    /// Offset from which the cases' homes count.
    zero: u64,
    claim: Claim,
}

/// Where in the schema one walk over the bytes is.
struct Walk<'a> {
    context: &'a Context<'a>,
    sizes: &'a Sizes<'a>,
    epoch: EpochId,
    record: &'a Record,
    /// Size of the fixed block in bytes.
    size: Option<u64>,
}

/// The case that is laid, and the bytes that it should fill.
#[derive(Clone, Copy)]
struct Body<'a> {
    name: &'a str,
    span: Span,
    from: u64,
    to: Option<u64>,
    /// Whether the union says its size.
    sized: bool,
}

/// Rows without homes stand behind those that have some, and only where the block is not all.
fn homeless(epoch: EpochId, record: &Record, found: &mut Diagnostics) {
    let mut rows = record.rows.iter().filter(|row| row.holds_bytes());
    let at = |row: &&Row| matches!(row.home(epoch), Home::At(_));
    let Some(last) = rows.rfind(at) else { return };
    let sized = record.sizes.get(epoch.index()).is_some_and(Option::is_some);
    let behind = record.rows.iter().position(|row| std::ptr::eq(row, last));
    for (number, row) in record.rows.iter().enumerate() {
        let early = Some(number) < behind;
        let closed = sized && !record.open;
        if !row.holds_bytes() || row.home(epoch) != Home::Next || !(early || closed) {
            continue;
        }
        let name = row_name(row);
        let diagnostic = found.error("E0310", row.span, format!("{name} has no home"));
        diagnostic.also(last.span, "this row has one");
        diagnostic.help(match !closed {
            true => "write its offset behind its name, or move it behind all rows with offsets",
            false => "write its offset behind its name",
        });
    }
}

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (epoch, _) in context.epochs() {
        for (_, record) in context.records(epoch) {
            homeless(epoch, record, found);
        }
    }
    for (epoch, sizes) in context.epochs() {
        for (_, record) in context.records(epoch) {
            if record.kind != RecordKind::Struct {
                continue;
            }
            let size = record.sizes.get(epoch.index()).copied().flatten();
            let placed = |row: &Row| {
                matches!(row.home(epoch), Home::At(_))
                    || matches!(row.ty.in_epoch(epoch), Type::Union(_))
            };
            if size.is_none() && !record.rows.iter().any(placed) {
                continue;
            }
            if let Some(size) = size.filter(|&size| size > LARGEST) {
                let message = format!("a fixed block of {size} bytes is too large");
                found.error("E0306", record.span, message).label("at most 4 GiB");
                continue;
            }
            let walk = Walk { context, sizes, epoch, record, size };
            walk.lay(record, 0, Some(0), &[], None, NESTING, found);
        }
    }
}

impl<'a> Walk<'a> {
    /// Lays the rows of a record over what is there, then those of each case of its unions.
    ///
    /// `zero` is where its homes count from, `next` where a row without a home stands.
    #[allow(clippy::too_many_arguments, reason = "one recursive step, called in two places")]
    fn lay(
        &self,
        record: &Record,
        zero: u64,
        next: Option<u64>,
        around: &[Claim],
        body: Option<Body>,
        nesting: u32,
        found: &mut Diagnostics,
    ) {
        let Some(nesting) = nesting.checked_sub(1) else { return };
        let Some((mut claims, choices)) = self.claims(record, zero, next, found) else { return };
        claims.extend_from_slice(around);
        if choices.is_empty() {
            self.verify(claims, body, found);
            return;
        }
        // Rows around a choice that begins where they do are common to its cases.
        let common = |choice: &Choice| {
            let at = choice.claim.start;
            claims.iter().any(|c| c.start <= at && c.end.is_some_and(|end| end > at))
        };
        let starts: Vec<u64> = claims.iter().map(|claim| claim.start).collect();
        let homes: Vec<u64> = choices.iter().map(|choice| choice.start).collect();
        let limit = body.and_then(|body| body.to).or(self.limit());
        let own_end = |choice: &Choice| {
            let own = self.context.model.unions.get(choice.union.index());
            own.and_then(|union| union.size?.checked_add(choice.zero))
        };
        let end_of = |choice: &Choice| {
            let later = starts.iter().chain(&homes).copied().filter(|&at| at > choice.start);
            own_end(choice).or_else(|| later.min().filter(|_| !common(choice))).or(limit)
        };
        for (number, choice) in choices.iter().enumerate() {
            let mut around = claims.clone();
            for (other, choice) in choices.iter().enumerate() {
                if other != number {
                    let end = end_of(choice);
                    around.push(Claim { start: choice.start, end, ..choice.claim.clone() });
                }
            }
            let (end, sized) = (end_of(choice), own_end(choice).is_some());
            for id in bodies(self.context.model, choice.union, self.epoch) {
                self.lay_body(id, choice, (end, sized), &around, nesting, found);
            }
        }
    }

    fn lay_body(
        &self,
        id: RecordId,
        choice: &Choice,
        (to, sized): (Option<u64>, bool),
        around: &[Claim],
        nesting: u32,
        found: &mut Diagnostics,
    ) {
        let Some(record) = self.context.record(id) else { return };
        let (name, from) = (record.template.as_str(), choice.start);
        let body = Body { name, span: record.span, from, to, sized };
        if record.kind == RecordKind::Struct {
            // `as=`: another struct stands for the whole; it is looked at by itself.
            let from = choice.zero;
            let end = self.sizes.record(id).and_then(|size| from.checked_add(size));
            if let (Some(end), Some(to)) = (end, to)
                && end != to
            {
                let message = format!(
                    "`{}` stands for a case of `{}` but is {:#x} bytes instead of {:#x}",
                    record.name,
                    self.record.name,
                    end.saturating_sub(from),
                    to.saturating_sub(from),
                );
                found.error("E0304", choice.claim.span, message).also(record.span, "this struct");
            }
            return;
        }
        // A pattern may reach into the bytes behind the tag.
        let union = self.context.model.unions.get(choice.union.index());
        let covered = union.and_then(|union| union.covered(union.labels_of(id)));
        let start = covered.and_then(|bytes| choice.claim.start.checked_add(bytes));
        let start = start.unwrap_or(choice.start);
        let mut around = around.to_vec();
        if start > choice.start {
            let name = format!("the pattern of case `{name}`");
            let (span, end) = (record.span, Some(start));
            around.push(Claim { start: choice.start, end, span, name });
        }
        let rows_have_homes =
            record.rows.iter().any(|row| matches!(row.home(self.epoch), Home::At(_)));
        if rows_have_homes || record.rows.iter().all(|row| bit_width(&row.ty, self.epoch).is_none())
        {
            let zero = choice.zero;
            self.lay(record, zero, Some(start), &around, Some(body), nesting, found);
            return;
        }
        // Rows of bits share bytes; `bits` looks at them, here only their sum counts.
        let end = self.sizes.record(id).and_then(|size| start.checked_add(size));
        around.push(Claim { start, end, ..choice.claim.clone() });
        self.verify(around, Some(body), found);
    }

    /// End of the rows that have homes.
    fn limit(&self) -> Option<u64> {
        if self.record.open { None } else { self.size }
    }

    /// What the rows of a record take, and its unions. `None` if something was reported.
    fn claims(
        &self,
        record: &Record,
        zero: u64,
        next: Option<u64>,
        found: &mut Diagnostics,
    ) -> Option<(Vec<Claim>, Vec<Choice>)> {
        let (mut claims, mut choices) = (Vec::new(), Vec::new());
        let mut next = next;
        for row in record.rows.iter().filter(|row| row.holds_bytes()) {
            let start = match row.home(self.epoch) {
                Home::Absent | Home::Nowhere => continue,
                Home::Next => match next {
                    Some(start) => start,
                    // Behind something of varying size.
                    None => continue,
                },
                Home::At(at) => match zero.checked_add(at) {
                    Some(start) if start <= LARGEST => start,
                    _ => {
                        let message = format!("{} cannot stand at {at:#x}", row_name(row));
                        found.error("E0306", row.span, message).label("beyond 4 GiB");
                        return None;
                    }
                },
            };
            let name = row_name(row);
            let mut claim = Claim { start, end: None, span: row.span, name };
            if let Type::Union(union) = *row.ty.in_epoch(self.epoch)
                && let Some(declared) = self.context.model.unions.get(union.index())
            {
                let (tag, zero) = match &declared.tag {
                    Tag::Row(_) | Tag::Given(_) => (0, zero),
                    Tag::Own(cell) | Tag::Word(cell) => (cell_size(cell).unwrap_or(0), start),
                };
                let behind = start.checked_add(tag)?;
                if tag > 0 {
                    let name = format!("the tag of {}", claim.name);
                    claims.push(Claim { end: Some(behind), name, ..claim.clone() });
                }
                choices.push(Choice { union, start: behind, zero, claim });
                next = None;
                continue;
            }
            let size = match row.kind {
                RowKind::Pool { .. } | RowKind::Zeros => None,
                _ => self.sizes.of(&row.ty),
            };
            claim.end = match size {
                Some(size) => match start.checked_add(size).filter(|&end| end <= LARGEST) {
                    Some(end) => Some(end),
                    None => {
                        let message = format!("{} is too large for a fixed block", row_name(row));
                        let label = format!("{size:#x} bytes at {start:#x}");
                        found.error("E0306", row.span, message).label(label);
                        return None;
                    }
                },
                None => None,
            };
            next = claim.end;
            claims.push(claim);
        }
        Some((claims, choices))
    }

    /// Overlaps, or else gaps, or else a wrong end: one wrong number causes several of them.
    fn verify(&self, mut claims: Vec<Claim>, body: Option<Body>, found: &mut Diagnostics) {
        claims.sort_by_key(|claim| (claim.start, claim.end));
        let mut told = false;
        let mut before: Option<&Claim> = None;
        for claim in &claims {
            if claim.end == Some(claim.start) {
                continue;
            }
            if let Some(before) = before {
                told |= self.overlap(before, claim, found);
            }
            if before.is_none_or(|before| before.end.is_some() && before.end <= claim.end)
                || claim.end.is_none()
            {
                before = Some(claim);
            }
        }
        if told {
            return;
        }
        let mut at = 0;
        for claim in &claims {
            if claim.start > at {
                self.gap(at, claim, body, found);
                return;
            }
            match claim.end {
                Some(end) => at = at.max(end),
                None => return self.unknown_end(claim, found),
            }
        }
        self.end(at, claims.iter().max_by_key(|claim| claim.end), body, found);
    }

    fn overlap(&self, before: &Claim, claim: &Claim, found: &mut Diagnostics) -> bool {
        let within = self.context.in_epoch(self.epoch);
        let (first, second) = (&before.name, &claim.name);
        match before.end {
            Some(end) if end > claim.start => {
                // The row that is declared later is the one to mend.
                let (one, two) = if before.span.start <= claim.span.start {
                    (before, claim)
                } else {
                    (claim, before)
                };
                let message = format!("{} overlaps {}{within}", two.name, one.name);
                let range =
                    |c: &Claim| format!("takes {:#x} to {:#x}", c.start, c.end.unwrap_or(c.start));
                let diagnostic = found.error("E0301", two.span, message);
                diagnostic.label(range(two)).also(one.span, range(one));
                true
            }
            None => {
                let message = format!("{second} cannot have a home behind {first}{within}");
                let diagnostic = found.error("E0305", claim.span, message);
                diagnostic.label("where this stands is not the same in every file");
                diagnostic.also(before.span, "this has no fixed size");
                true
            }
            Some(_) => false,
        }
    }

    fn gap(&self, at: u64, claim: &Claim, body: Option<Body>, found: &mut Diagnostics) {
        let within = self.context.in_epoch(self.epoch);
        let hole = format!("{at:#x} to {:#x}", claim.start);
        match body {
            Some(body) if at >= body.from => {
                let message = format!("case `{}` leaves {hole} unfilled{within}", body.name);
                found.error("E0303", body.span, message).help(format!("add `zero {at:#x}`"));
            }
            _ => {
                let message = format!("nothing takes {hole} of `{}`{within}", self.record.name);
                let diagnostic = found.error("E0302", claim.span, message);
                diagnostic.label(format!("the row before ends at {at:#x}"));
                diagnostic.help(format!("add `zero {at:#x}`, `reserved {at:#x}` or a row"));
            }
        }
    }

    /// A row of varying size stands in the block.
    fn unknown_end(&self, claim: &Claim, found: &mut Diagnostics) {
        let Some(size) = self.size else { return };
        if claim.start >= size && self.record.open {
            return;
        }
        let within = self.context.in_epoch(self.epoch);
        let message = format!("{} has no fixed size{within}", claim.name);
        let diagnostic = found.error("E0305", claim.span, message);
        diagnostic.label(format!("`{}` is to be {size:#x} bytes", self.record.name));
        diagnostic.help("end the size of the struct with `..` if a variable part follows");
    }

    fn end(&self, at: u64, last: Option<&Claim>, body: Option<Body>, found: &mut Diagnostics) {
        let within = self.context.in_epoch(self.epoch);
        let name = &self.record.name;
        // A case that should end earlier than the struct overlaps the row behind it.
        let to = match body {
            Some(body) => body.to.or(self.limit()),
            None => self.size,
        };
        let Some(to) = to else { return };
        let behind = body.is_some() && self.limit().is_some_and(|limit| limit > to);
        if behind || at == to {
            return;
        }
        if at > to {
            // What stands behind the block of an open struct is its variable part.
            if self.record.open && !body.is_some_and(|body| body.sized) {
                return;
            }
            let place = last.map_or(self.record.span, |last| last.span);
            let row = last.map_or("a row", |last| last.name.as_str());
            let message = format!("{row} ends at {at:#x}, beyond the size of `{name}`{within}");
            let diagnostic = found.error("E0304", place, message);
            diagnostic.also(self.record.span, format!("said to be {to:#x} bytes"));
            return;
        }
        match body {
            Some(body) => {
                let message =
                    format!("case `{}` leaves {at:#x} to {to:#x} unfilled{within}", body.name);
                found.error("E0303", body.span, message).help(format!("add `zero {at:#x}`"));
            }
            None => {
                let message =
                    format!("the rows of `{name}` end at {at:#x}, but its size is {to:#x}{within}");
                let diagnostic = found.error("E0304", self.record.span, message);
                diagnostic.help(format!("add `zero {at:#x}`, or write the size {at:#x}"));
            }
        }
    }
}
