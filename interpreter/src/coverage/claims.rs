//! Who accounts for which bytes, in the order of their addresses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use formwork::engine::{Claim, Loc, NodeRef, Tree};
use formwork_model::{Cell, Meaning, RecordKind, RowId, RowKind, Target, Type};

/// All claims of a file.
pub(crate) struct Claims<'t> {
    tree: &'t Tree<'t, 't>,
    /// By address, with their positions in the order of reading.
    single: Vec<(Claim, usize)>,
    /// The same of elements of arrays of compact records.
    runs: Vec<Run>,
}

/// Bytes that one row accounts for, or several rows one behind the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub at: u64,
    pub end: u64,
    /// The row that begins here.
    pub first: Loc,
    /// The row that ends here.
    pub last: Loc,
}

/// Elements of an array of compact records.
struct Run {
    bytes: Range<u64>,
    first: NodeRef,
    order: usize,
    /// Bytes from one element to the next.
    stride: u64,
    /// What the rows of an element account for, counted from its start, by address.
    rows: Vec<RowOf>,
    /// Whether these are all of its bytes, each once.
    whole: bool,
    /// The first of them that ends where the element does.
    last: usize,
}

#[derive(Clone, Copy)]
struct RowOf {
    at: u64,
    end: u64,
    part: u16,
    row: RowId,
}

impl Run {
    fn new(tree: &Tree<'_, '_>, claim: Claim, first: NodeRef, order: usize) -> Run {
        let start = u64::from(tree.node_at(first));
        let stride = u64::from(tree.node_end(first)) - start;
        let mut rows = Vec::new();
        tree.claims_in(first, &mut |claim| {
            let (part, row) = (claim.loc.node.part, claim.loc.row);
            rows.push(RowOf { at: claim.at - start, end: claim.end - start, part, row });
        });
        rows.sort_by_key(|row| (row.at, row.end));
        let (mut end, mut own_end, mut whole) = (0, 0, true);
        for row in &rows {
            whole &= row.at <= end;
            end = end.max(row.end);
            if !shares(tree, Loc::row(NodeRef { part: row.part, ..first }, row.row)) {
                whole &= row.at >= own_end;
                own_end = row.end;
            }
        }
        let last = rows.iter().position(|row| row.end == stride);
        Run {
            bytes: claim.at..claim.end,
            first,
            order,
            stride,
            rows,
            whole: whole && last.is_some(),
            last: last.unwrap_or(0),
        }
    }

    /// The claim of a row of an element.
    fn claim(&self, element: u64, row: usize) -> Option<Claim> {
        let start = self.bytes.start + element * self.stride;
        let row = self.rows.get(row).filter(|_| start < self.bytes.end)?;
        let element = self.first.element + u32::try_from(element).ok()?;
        let node = NodeRef { element, part: row.part, ..self.first };
        let loc = Loc::row(node, row.row);
        Some(Claim { at: start + row.at, end: start + row.end, loc })
    }

    /// The smallest claim that has a byte; of equal ones the first.
    fn innermost(&self, offset: u64) -> Option<Claim> {
        let element = (offset - self.bytes.start) / self.stride;
        let claims = (0..self.rows.len()).filter_map(|row| self.claim(element, row));
        let around = claims.filter(|claim| claim.at <= offset && offset < claim.end);
        around.min_by_key(|claim| claim.end - claim.at)
    }
}

impl<'t> Claims<'t> {
    /// Claims in the order of reading.
    pub(crate) fn new(tree: &'t Tree<'t, 't>, claims: &[Claim]) -> Claims<'t> {
        let (mut single, mut runs) = (Vec::new(), Vec::new());
        for (order, claim) in claims.iter().enumerate() {
            match claim.run() {
                Some(first) => runs.push(Run::new(tree, *claim, first, order)),
                None => single.push((*claim, order)),
            }
        }
        single.sort_by_key(|(claim, _)| (claim.at, claim.end));
        runs.sort_by_key(|run| run.bytes.start);
        Claims { tree, single, runs }
    }

    /// For each of these bytes, in the order of their offsets, the row or element that has it; the
    /// smallest one if several do, and of equal ones the first. Claims are gone through once for all.
    pub(crate) fn innermost(&self, offsets: &[u64]) -> Vec<Option<Loc>> {
        let (mut single, mut runs) = (self.single.iter().peekable(), self.runs.iter().peekable());
        // Claims that begin before a byte, the smallest first. They are taken away when they are the
        // smallest and end before it.
        let mut open = BinaryHeap::new();
        let mut open_runs: Vec<&Run> = Vec::new();
        let mut find = |offset| {
            while let Some((claim, order)) = single.next_if(|(claim, _)| claim.at <= offset) {
                open.push(Reverse((claim.end - claim.at, *order, claim.end, claim.loc)));
            }
            while open.peek().is_some_and(|Reverse((_, _, end, _))| *end <= offset) {
                open.pop();
            }
            open_runs.retain(|run| run.bytes.end > offset);
            while let Some(run) = runs.next_if(|run| run.bytes.start <= offset) {
                open_runs.extend((run.bytes.end > offset).then_some(run));
            }
            let single = open.peek().map(|Reverse((size, order, _, loc))| (*size, *order, *loc));
            let of_runs = open_runs.iter().filter_map(|run| {
                let claim = run.innermost(offset)?;
                Some((claim.end - claim.at, run.order, claim.loc))
            });
            let around = single.into_iter().chain(of_runs);
            around.min_by_key(|(size, order, _)| (*size, *order)).map(|(_, _, loc)| loc)
        };
        offsets.iter().map(|offset| find(*offset)).collect()
    }

    /// All of them by address. Elements of arrays that share no byte with anything else come as one
    /// piece.
    pub(crate) fn pieces(&self) -> Pieces<'_, 't> {
        Pieces { claims: self, single: 0, run: 0, open: BinaryHeap::new(), reach: 0 }
    }

    /// Bytes that two rows claim which do not share them by design, and the rows.
    pub(crate) fn overlaps(&self) -> Vec<(Range<u64>, Loc, Loc)> {
        let mut found: Vec<(Range<u64>, Loc, Loc)> = Vec::new();
        // The piece that reaches furthest so far.
        let mut reach: Option<Piece> = None;
        for piece in self.pieces().filter(|piece| !shares(self.tree, piece.first)) {
            if let Some(first) = reach.filter(|first| first.end > piece.at)
                && !self.are_one(first.last, piece.first)
            {
                found.push((piece.at..first.end.min(piece.end), first.last, piece.first));
            }
            if reach.is_none_or(|first| piece.end > first.end) {
                reach = Some(piece);
            }
        }
        found
    }

    /// Whether two places are parts of one: an array and its element, a union and its case.
    fn are_one(&self, a: Loc, b: Loc) -> bool {
        let around = |inner: Loc, outer: Loc| {
            let holder = self.tree.holder(inner.node);
            holder.is_some_and(|holder| holder.whole_row() == outer.whole_row())
        };
        a.whole_row() == b.whole_row() || around(a, b) || around(b, a)
    }
}

/// Claims by address.
pub(crate) struct Pieces<'c, 't> {
    claims: &'c Claims<'t>,
    /// The next claim that is none of a run, and the next run.
    single: usize,
    run: usize,
    /// Runs that have begun: end and order of their next claim, which comes first.
    open: BinaryHeap<Reverse<Next>>,
    /// Behind the last byte so far.
    reach: u64,
}

/// The next claim of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    at: u64,
    end: u64,
    order: usize,
    run: usize,
    element: u64,
    row: usize,
}

impl Next {
    fn of(run: &Run, number: usize, element: u64, row: usize) -> Option<Next> {
        // Behind the last row comes the next element.
        let (element, row) = if row < run.rows.len() { (element, row) } else { (element + 1, 0) };
        let claim = run.claim(element, row)?;
        let (at, end, order) = (claim.at, claim.end, run.order);
        Some(Next { at, end, order, run: number, element, row })
    }
}

impl Pieces<'_, '_> {
    /// Elements from the next claim of a run on that share no byte with anything else.
    fn stretch(&mut self, next: Next) -> Option<Piece> {
        let run = &self.claims.runs[next.run];
        let start = run.bytes.start + next.element * run.stride;
        if !run.whole || next.row != 0 || self.reach > start || !self.open.is_empty() {
            return None;
        }
        let single = self.claims.single.get(self.single).map(|(claim, _)| claim.at);
        let other = self.claims.runs.get(self.run).map(|run| run.bytes.start);
        let free = single.into_iter().chain(other).min().unwrap_or(u64::MAX).min(run.bytes.end);
        let count = free.checked_sub(start)? / run.stride;
        let last = next.element + count.checked_sub(1)?;
        let piece = Piece {
            at: start,
            end: start + count * run.stride,
            first: run.claim(next.element, 0)?.loc,
            last: run.claim(last, run.last)?.loc,
        };
        self.open.extend(Next::of(run, next.run, last + 1, 0).map(Reverse));
        Some(piece)
    }
}

impl Iterator for Pieces<'_, '_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let single = self.claims.single.get(self.single);
        loop {
            let nearest = self.open.peek().map(|Reverse(next)| next.at);
            let nearest = nearest.into_iter().chain(single.map(|(claim, _)| claim.at)).min();
            match self.claims.runs.get(self.run) {
                Some(run) if nearest.is_none_or(|at| run.bytes.start <= at) => {
                    self.open.extend(Next::of(run, self.run, 0, 0).map(Reverse));
                    self.run += 1;
                }
                _ => break,
            }
        }
        let piece = match (self.open.peek().copied(), single) {
            (None, None) => return None,
            (Some(Reverse(next)), single)
                if single.is_none_or(|(claim, order)| {
                    (next.at, next.end, next.order) < (claim.at, claim.end, *order)
                }) =>
            {
                self.open.pop();
                match self.stretch(next) {
                    Some(piece) => piece,
                    None => {
                        let run = &self.claims.runs[next.run];
                        let after = Next::of(run, next.run, next.element, next.row + 1);
                        self.open.extend(after.map(Reverse));
                        let loc = run.claim(next.element, next.row)?.loc;
                        Piece { at: next.at, end: next.end, first: loc, last: loc }
                    }
                }
            }
            (_, Some((claim, _))) => {
                self.single += 1;
                Piece { at: claim.at, end: claim.end, first: claim.loc, last: claim.loc }
            }
            (Some(_), None) => return None,
        };
        self.reach = self.reach.max(piece.end);
        Some(piece)
    }
}

/// Whether a row has bytes in common with others by design.
fn shares(tree: &Tree<'_, '_>, loc: Loc) -> bool {
    let record = tree.record(loc.node);
    let Some(row) = record.rows.get(loc.row.index()) else { return true };
    matches!(record.kind, RecordKind::Word(_))
        || row.ty.stripped().is_bits()
        || matches!(row.kind, RowKind::Slice { .. } | RowKind::Value { .. })
        || is_pooled(&row.ty)
}

/// Whether a row holds pointers to texts of a pool.
fn is_pooled(ty: &Type) -> bool {
    match ty.stripped() {
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
