//! Differences between the bytes of two files, each with the row that it belongs to.
//!
//! Rows are compared with rows, wherever they stand, so an object that is somewhere else has not
//! changed. Every byte belongs to the smallest claim around it.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;

use formwork::engine::{Claim, Item, Loc, NodeRef, Tree, WHOLE};
use formwork_model::{Role, RowKind};

use super::extent::{Extent, Owned};
use super::partners::Partners;
use super::sharing::{self, Fields};
use crate::compare::{Matching, PartId, Parts, Quick, ROOT, What};
use crate::view::{Places, form_of};

/// Equal bytes between two differences of one row that make two of them.
const APART: usize = 8;

/// Bytes of one of two files, or of both, that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteRange {
    /// Why they differ.
    pub cause: Cause,
    /// Bytes of the first file.
    pub old: Option<Extent>,
    /// Bytes of the second file.
    pub new: Option<Extent>,
    /// The field that they belong to, or that they begin with.
    pub field: Option<String>,
    /// The field that they end with, if it is another one.
    pub last_field: Option<String>,
}

/// Why bytes differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// They say something else.
    Edited,
    /// Only the second file has the field.
    Added,
    /// Only the first file has it.
    Removed,
    /// They follow from others: a count, an offset, a hash, the number of an element that is at
    /// another place now.
    Recomputed,
    /// They say the same in another way.
    Spelled,
    /// They belong to no field.
    Padding,
    /// They are the same bytes at another address.
    Moved,
}

impl Cause {
    /// All of them.
    pub const ALL: [Cause; 7] = [
        Cause::Edited,
        Cause::Added,
        Cause::Removed,
        Cause::Recomputed,
        Cause::Spelled,
        Cause::Padding,
        Cause::Moved,
    ];

    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Cause::Edited => "edited",
            Cause::Added => "added",
            Cause::Removed => "removed",
            Cause::Recomputed => "recomputed",
            Cause::Spelled => "spelled",
            Cause::Padding => "padding",
            Cause::Moved => "moved",
        }
    }
}

/// One of two files.
pub(crate) struct File<'w, 't> {
    pub parts: &'w Parts<'t>,
    pub bytes: &'w [u8],
    pub claims: &'w [Claim],
}

/// Bytes that belong to the claim at a position, or to none.
#[derive(Debug, Clone, Copy)]
struct Piece {
    at: u64,
    end: u64,
    owner: Option<u32>,
}

/// All bytes of a file with their owners.
struct Map {
    /// By address; at one address in the order of reading.
    claims: Vec<Owned>,
    /// Positions of claims by their rows, and where those of each node begin, or of each array of
    /// compact records.
    by_row: Vec<u32>,
    starts: Vec<u32>,
    pieces: Vec<Piece>,
    fields: Fields,
}

impl Map {
    fn of(file: &File<'_, '_>) -> Map {
        let tree = file.parts.tree;
        let mut claims: Vec<Owned> = Vec::with_capacity(file.claims.len());
        let mut add = |claim: &Claim| {
            let number = u32::try_from(claims.len()).unwrap_or(u32::MAX);
            claims.push(Owned { at: claim.at, end: claim.end, loc: claim.loc, number });
        };
        for claim in file.claims {
            let Some(first) = claim.run() else {
                add(claim);
                continue;
            };
            let stride = u64::from(tree.node_end(first)) - u64::from(tree.node_at(first));
            let count = (claim.end - claim.at).checked_div(stride).unwrap_or(0);
            for n in 0..u32::try_from(count).unwrap_or(u32::MAX) {
                let element = NodeRef { element: first.element + n, ..first };
                tree.claims_in(element, &mut |claim| add(&claim));
            }
        }
        claims.sort_by_key(|claim| claim.at);
        let (by_row, starts) = by_row(&mut claims);
        let length = u64::try_from(file.bytes.len()).unwrap_or(u64::MAX);
        let pieces = pieces(&claims, length);
        Map { claims, by_row, starts, pieces, fields: Fields::default() }
    }

    /// The claim of a row with this number.
    fn claim(&self, loc: Loc, number: u32) -> Option<(u32, &Owned)> {
        let id = loc.node.id as usize;
        let range = *self.starts.get(id)? as usize..*self.starts.get(id + 1)? as usize;
        let own = &self.by_row[range];
        let of = |position: u32| &self.claims[position as usize];
        let at = own.partition_point(|position| {
            let claim = of(*position);
            (claim.loc, claim.number) < (loc, number)
        });
        let position = *own.get(at)?;
        let claim = of(position);
        (claim.loc == loc && claim.number == number).then_some((position, claim))
    }

    /// What lies behind the last byte of each claim, up to the next one.
    fn gaps(&self) -> HashMap<Option<u32>, Range<u64>, Quick> {
        let mut before = None;
        let mut gaps = HashMap::default();
        for piece in &self.pieces {
            match piece.owner {
                None => {
                    gaps.insert(before, piece.at..piece.end);
                }
                owner => before = owner,
            }
        }
        gaps
    }
}

/// Positions of claims by their rows, and where those of each node begin. Claims come with their
/// positions in the order of reading, and are left with those among the claims of their row.
fn by_row(claims: &mut [Owned]) -> (Vec<u32>, Vec<u32>) {
    let nodes = claims.iter().map(|claim| claim.loc.node.id as usize + 1).max().unwrap_or(0);
    let mut starts = vec![0_u32; nodes + 1];
    for claim in &*claims {
        starts[claim.loc.node.id as usize + 1] += 1;
    }
    for id in 0..nodes {
        starts[id + 1] += starts[id];
    }
    let mut next = starts.clone();
    let mut by_row = vec![0_u32; claims.len()];
    for (position, claim) in (0..).zip(&*claims) {
        let next = &mut next[claim.loc.node.id as usize];
        by_row[*next as usize] = position;
        *next += 1;
    }
    for id in 0..nodes {
        let own = &mut by_row[starts[id] as usize..starts[id + 1] as usize];
        own.sort_by_key(|position| {
            let claim = &claims[*position as usize];
            (claim.loc, claim.number)
        });
        let mut last = None;
        for position in own {
            let claim = &mut claims[*position as usize];
            let number = match last {
                Some((loc, number)) if loc == claim.loc => number + 1,
                _ => 0,
            };
            claim.number = number;
            last = Some((claim.loc, number));
        }
    }
    (by_row, starts)
}

/// All bytes in pieces, each with the smallest claim around it; of equal ones, the first.
fn pieces(claims: &[Owned], length: u64) -> Vec<Piece> {
    let mut open: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    let mut next = (0..u32::try_from(claims.len()).unwrap_or(u32::MAX)).peekable();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = 0;
    while at < length {
        while let Some(claim) = next.next_if(|claim| claims[*claim as usize].at <= at) {
            let Owned { at, end, .. } = claims[claim as usize];
            open.push(Reverse((end - at, claim)));
        }
        while open.peek().is_some_and(|Reverse((_, claim))| claims[*claim as usize].end <= at) {
            open.pop();
        }
        let owner = open.peek().map(|Reverse((_, claim))| *claim);
        let until = owner.map_or(length, |claim| claims[claim as usize].end);
        let begins = next.peek().map_or(length, |claim| claims[*claim as usize].at);
        let end = until.min(begins).min(length);
        match pieces.last_mut() {
            Some(last) if last.owner == owner => last.end = end,
            _ => pieces.push(Piece { at, end, owner }),
        }
        at = end;
    }
    pieces
}

/// Bytes at the beginning and at the end of two files that are the same.
struct Ends {
    /// Where the first difference is, and behind the last one in either file.
    first: u64,
    last: [u64; 2],
}

impl Ends {
    fn of(a: &[u8], b: &[u8]) -> Ends {
        let long = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let first = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let (rest, other) = (&a[first..], &b[first..]);
        let behind = rest.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
        let last = [a, b].map(|bytes| long(bytes.len() - behind));
        Ends { first: long(first), last }
    }

    /// Where bytes of the second file are in the first one, if they are at one of the ends.
    fn old(&self, new: Extent) -> Option<Extent> {
        let [old_last, last] = self.last;
        if new.end <= self.first {
            return Some(new);
        }
        let at = new.at.checked_sub(last)? + old_last;
        Some(Extent { at, end: at + (new.end - new.at) })
    }

    /// Whether bytes at the end have the same addresses in both files.
    fn keeps_addresses(&self) -> bool {
        self.last[0] == self.last[1]
    }

    /// Whether bytes of the first file are at one of the ends.
    fn has_old(&self, old: Extent) -> bool {
        old.end <= self.first || old.at >= self.last[0]
    }
}

/// Compares the bytes of two files, whose changed parts are known. Of files that could not be read to
/// their ends, rows are compared that are in both.
pub(crate) fn compare(
    files: &[File<'_, '_>; 2],
    matching: &Matching,
    changed: &[HashSet<PartId, Quick>; 2],
    is_whole: bool,
) -> Vec<ByteRange> {
    let [a, b] = files;
    let (map_a, map_b) = (Map::of(a), Map::of(b));
    let same = Ends::of(a.bytes, b.bytes);
    let spelled = files.each_ref().map(|file| Unusual::of(file.parts.tree));
    // What says the same and is spelled as usual in both files follows from what is around it, such
    // as padding. A list that has only lost numbers is changed in the first file.
    let settled = |cause: Cause, old: Loc, new: Loc| {
        let lost = || logical(a.parts, old).is_some_and(|part| changed[0].contains(&part));
        match cause {
            Cause::Spelled if lost() => Cause::Edited,
            Cause::Spelled if !spelled[0].is_about(old) && !spelled[1].is_about(new) => {
                Cause::Recomputed
            }
            cause => cause,
        }
    };
    let mut found = Found::default();
    let mut partners = Partners::of_second(a.parts, b.parts, matching);
    let mut gaps = map_a.gaps();
    let mut last = None;
    for piece in &map_b.pieces {
        let new = Extent { at: piece.at, end: piece.end };
        if let Some(old) = same.old(new) {
            let claim = piece.owner.map(|owner| map_b.claims[owner as usize]);
            // Equal bytes at another address may be those of something else.
            let is_its = old == new
                || claim.is_none_or(|claim| {
                    let row = partners.row(claim.loc);
                    let its = row.and_then(|loc| map_a.claim(loc, claim.number));
                    its.is_some_and(|(_, its)| its.at + (new.at - claim.at) == old.at)
                });
            if is_its {
                found.place(old, new, claim.map(|claim| claim.loc));
                last = piece.owner.or(last);
                continue;
            }
        }
        let Some(owner) = piece.owner else {
            // Bytes behind a claim are those behind what it was.
            if !is_whole {
                continue;
            }
            let before = match last.map(|last| map_b.claims[last as usize]) {
                None => Some(None),
                Some(claim) => {
                    let row = partners.row(claim.loc);
                    let partner = row.and_then(|loc| map_a.claim(loc, claim.number));
                    partner.map(|(position, _)| Some(position))
                }
            };
            let old = before.and_then(|claim| gaps.remove(&claim));
            let old = old.map(|range| Extent { at: range.start, end: range.end });
            // What lies beside the rows may begin elsewhere, and be the same bytes.
            if new.of(a.bytes) != new.of(b.bytes) {
                found.add(&|_| vec![(Cause::Padding, None)], files, old, Some(new), None);
            }
            continue;
        };
        let claim = map_b.claims[owner as usize];
        let partner = partners.row(claim.loc).and_then(|loc| map_a.claim(loc, claim.number));
        last = Some(owner);
        let Some((_, its)) = partner else {
            if is_whole {
                let (cause, loc) = alone(b.parts, &changed[1], claim, Cause::Added, &|part| {
                    matching.backward(part).is_some()
                });
                found.add(&|_| vec![(cause, Some((1, loc)))], files, None, Some(new), None);
            }
            continue;
        };
        let old = if its.end - its.at == claim.end - claim.at {
            let offset = piece.at - claim.at;
            let at = its.at + offset;
            Some(Extent { at, end: at + (piece.end - piece.at) })
        } else {
            (piece.at == claim.at).then_some(Extent { at: its.at, end: its.end })
        };
        let partners = RefCell::new(&mut partners);
        let why = |range: Extent| {
            let cause_of_owner = match sharing::tagged(b.parts.tree, claim) {
                Some(rows) => cause_of_tag(files, &changed[1], claim, rows, its.loc),
                None => cause(b.parts, &changed[1], claim),
            };
            let own = (settled(cause_of_owner, its.loc, claim.loc), Some((1, claim.loc)));
            if sharing::is_other_case(a.parts.tree, its.loc, b.parts.tree, claim) {
                return vec![own];
            }
            let mut all = Vec::new();
            for own in map_b.fields.beside(b.parts.tree, &map_b.claims, claim, range) {
                let (cause, loc) = match partners.borrow_mut().row(own.loc) {
                    Some(loc) if !sharing::differ(a.parts, loc, b.parts, own.loc) => continue,
                    None if !is_whole => continue,
                    Some(loc) => (settled(cause(b.parts, &changed[1], own), loc, own.loc), own.loc),
                    None => alone(b.parts, &changed[1], own, Cause::Added, &|part| {
                        matching.backward(part).is_some()
                    }),
                };
                all.push((cause, Some((1, loc))));
            }
            if all.is_empty() {
                all.push(own);
            }
            all
        };
        found.add(&why, files, old, Some(new), Some(claim.loc));
    }
    if !is_whole {
        return found.finish(files);
    }
    let mut partners = Partners::of_first(a.parts, b.parts, matching);
    let mut gone = gaps.into_values().collect::<Vec<_>>();
    gone.sort_by_key(|range| range.start);
    let mut gone = gone.into_iter().peekable();
    for piece in &map_a.pieces {
        let extent = Extent { at: piece.at, end: piece.end };
        let old = Some(extent).filter(|extent| !same.has_old(*extent));
        let stays = old.is_none() && (same.keeps_addresses() || extent.end <= same.first);
        let Some(owner) = piece.owner.filter(|_| !stays) else {
            if gone.next_if(|range| range.start == piece.at).is_some() && old.is_some() {
                found.add(&|_| vec![(Cause::Padding, None)], files, old, None, None);
            }
            continue;
        };
        let claim = map_a.claims[owner as usize];
        let partner = partners.row(claim.loc).and_then(|loc| map_b.claim(loc, claim.number));
        if partner.is_none() {
            let (cause, loc) = alone(a.parts, &changed[0], claim, Cause::Removed, &|part| {
                matching.forward(part).is_some()
            });
            found.add(&|_| vec![(cause, Some((0, loc)))], files, Some(extent), None, None);
        }
    }
    found.finish(files)
}

/// Rows of a file that are spelled in an unusual way.
struct Unusual<'t> {
    tree: &'t Tree<'t, 't>,
    rows: HashSet<Loc, Quick>,
    /// Structs of which something is, apart from where it lies.
    wholes: HashSet<NodeRef, Quick>,
    /// Rows and elements with such a thing in them.
    around: HashSet<Loc, Quick>,
}

impl<'t> Unusual<'t> {
    fn of(tree: &'t Tree<'t, 't>) -> Unusual<'t> {
        let (mut rows, mut wholes) = (HashSet::default(), HashSet::default());
        let mut around = HashSet::default();
        for (loc, kind, _) in tree.deviations() {
            if loc.row != WHOLE {
                rows.insert(loc.whole_row());
            } else if !kind.is_arrangement() {
                wholes.insert(loc.node);
            } else {
                continue;
            }
            let mut node = loc.node;
            while let Some(holder) = tree.holder(node)
                && around.insert(holder)
            {
                node = holder.node;
            }
        }
        Unusual { tree, rows, wholes, around }
    }

    /// Whether a row is spelled so, or something in it, or what it is in.
    fn is_about(&self, mut loc: Loc) -> bool {
        if self.rows.is_empty() && self.wholes.is_empty() {
            return false;
        }
        if self.around.contains(&loc) {
            return true;
        }
        loop {
            if self.rows.contains(&loc.whole_row()) || self.wholes.contains(&loc.node) {
                return true;
            }
            match self.tree.holder(loc.node) {
                Some(holder) => loc = holder,
                None => return false,
            }
        }
    }
}

/// Why the bytes of a claim differ, if they do.
fn cause(parts: &Parts<'_>, changed: &HashSet<PartId, Quick>, claim: Owned) -> Cause {
    let tree = parts.tree;
    let part = logical(parts, claim.loc).or_else(|| logical(parts, claim.loc.whole_row()));
    // The number in a pointer follows from where its target is, unless there is none in one file. Of
    // another text in a pool, it is all that is edited.
    let pointer = tree.pointer_view(tree.entry(claim.loc));
    if let Some(pointer) = pointer.filter(|pointer| pointer.cell == Some(claim.at)) {
        let is_set = pointer.at.is_some_and(|at| Some(at) != pointer.cell);
        let shares = pointer.end.is_none_or(|end| pointer.at.is_some_and(|at| end <= at));
        let is_edited = part.is_some_and(|part| changed.contains(&part));
        if is_set && !(shares && is_edited) {
            return Cause::Recomputed;
        }
    }
    if let Some(part) = part {
        let list = parts.part(part).parent;
        let is_unread = parts.part(part).what == What::Unread;
        return if is_unread || changed.contains(&part) || changed.contains(&list) {
            Cause::Edited
        } else if parts.target(part).is_some() {
            Cause::Recomputed
        } else {
            Cause::Spelled
        };
    }
    let mut loc = claim.loc;
    loop {
        if let Some(row) = tree.record(loc.node).rows.get(loc.row.index()) {
            match (&row.role, &row.kind) {
                _ if tree.is_kept(loc) => return Cause::Spelled,
                (Role::Derived | Role::Fixed | Role::View { .. } | Role::Kept(_), _)
                | (_, RowKind::Pool { .. }) => return Cause::Recomputed,
                _ => {}
            }
        }
        match tree.holder(loc.node) {
            Some(holder) => loc = holder,
            None => return Cause::Spelled,
        }
    }
}

/// Why the tag of a case differs, of which no row says more. Which form a case has follows from its
/// value, unless a file says otherwise.
fn cause_of_tag(
    files: &[File<'_, '_>; 2],
    changed: &HashSet<PartId, Quick>,
    claim: Owned,
    rows: NodeRef,
    partner: Loc,
) -> Cause {
    let [a, b] = files.each_ref().map(|file| file.parts);
    let is_spelled = |tree: &Tree<'_, '_>, node: NodeRef| tree.is_kept(Loc::row(node, WHOLE));
    let its = match a.tree.item(partner) {
        Item::Node(node) => form_of(node).map(|_| node),
        _ => None,
    };
    let own = match b.tree.item(claim.loc) {
        Item::Node(node) if node != rows => Some(node),
        _ => None,
    };
    match (cause(b, changed, claim), its, own) {
        (Cause::Spelled, Some(its), Some(own))
            if !is_spelled(a.tree, its) && !is_spelled(b.tree, own) =>
        {
            Cause::Recomputed
        }
        (cause, ..) => cause,
    }
}

/// Why only one file has the bytes of a claim, and the row or element that it is about: the outermost
/// part that only this file has, or a row that follows from others.
fn alone(
    parts: &Parts<'_>,
    changed: &HashSet<PartId, Quick>,
    claim: Owned,
    otherwise: Cause,
    is_matched: &dyn Fn(PartId) -> bool,
) -> (Cause, Loc) {
    let mut outermost = None;
    let mut loc = claim.loc;
    loop {
        if let Some(part) = logical(parts, loc).filter(|part| *part != ROOT) {
            if is_matched(part) {
                break;
            }
            outermost = Some(loc);
        }
        match parts.tree.holder(loc.node) {
            Some(holder) => loc = holder,
            None => break,
        }
    }
    match (outermost, cause(parts, changed, claim)) {
        (Some(loc), _) => (otherwise, loc),
        (None, Cause::Recomputed) if !is_pooled(parts, claim.loc) => (Cause::Recomputed, claim.loc),
        (None, _) => (otherwise, claim.loc),
    }
}

/// Whether a row or element is a text of a pool.
fn is_pooled(parts: &Parts<'_>, loc: Loc) -> bool {
    let row = parts.tree.record(loc.node).rows.get(loc.row.index());
    row.is_some_and(|row| matches!(row.kind, RowKind::Pool { .. }))
}

/// The part in a row; of a row of a form, that of the case's row of this name.
fn logical(parts: &Parts<'_>, loc: Loc) -> Option<PartId> {
    parts.at(loc).or_else(|| {
        let holder = parts.tree.holder(loc.node)?;
        let case = parts.of_node(holder.node).filter(|_| holder.node.as_rows() == loc.node)?;
        let row = parts.tree.record(loc.node).rows.get(loc.row.index())?;
        parts.field(case, row.name.as_ref()?)
    })
}

/// Differences as they are met.
#[derive(Default)]
struct Found {
    differing: Vec<Differing>,
    /// Stretches of the second file that are in the first one at another address.
    moved: Vec<Moved>,
}

/// Why bytes differ, and the row that it is about, with the file that it is in.
type Reason = (Cause, Option<(usize, Loc)>);

struct Differing {
    cause: Cause,
    old: Option<Extent>,
    new: Option<Extent>,
    /// The first and the last row, and the file that they are in.
    first: Option<(usize, Loc)>,
    last: Option<(usize, Loc)>,
}

struct Moved {
    /// From the first file to the second.
    shift: i128,
    new: Extent,
    first: Option<Loc>,
    last: Option<Loc>,
}

impl Found {
    /// Adds bytes that differ, if they do; `why` says of a range which rows in it differ.
    fn add(
        &mut self,
        why: &dyn Fn(Extent) -> Vec<Reason>,
        files: &[File<'_, '_>; 2],
        old: Option<Extent>,
        new: Option<Extent>,
        owner: Option<Loc>,
    ) {
        if let (Some(from), Some(to)) = (old, new)
            && from.end - from.at == to.end - to.at
        {
            self.place(from, to, owner);
            let content = |side: usize, extent: Extent| {
                formwork::algorithms::slice(files[side].bytes, extent.at, extent.end - extent.at)
                    .unwrap_or(&[])
            };
            for range in runs(content(0, from), content(1, to)) {
                let part = |extent: Extent| {
                    let offset = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
                    Extent {
                        at: extent.at + offset(range.start),
                        end: extent.at + offset(range.end),
                    }
                };
                for (cause, row) in why(part(to)) {
                    self.push(cause, Some(part(from)), Some(part(to)), row);
                }
            }
            return;
        }
        for (cause, row) in new.or(old).into_iter().flat_map(why) {
            self.push(cause, old, new, row);
        }
    }

    fn push(
        &mut self,
        cause: Cause,
        old: Option<Extent>,
        new: Option<Extent>,
        row: Option<(usize, Loc)>,
    ) {
        let touch = |a: Option<Extent>, b: Option<Extent>| match (a, b) {
            (Some(a), Some(b)) => a.end == b.at,
            (None, None) => true,
            _ => false,
        };
        if let Some(last) = self.differing.last_mut()
            && last.cause == cause
            && cause != Cause::Edited
            && ((last.old, last.new) == (old, new)
                || (touch(last.old, old) && touch(last.new, new)))
        {
            let grow = |to: &mut Option<Extent>, by: Option<Extent>| {
                if let (Some(to), Some(by)) = (to, by) {
                    to.end = by.end;
                }
            };
            grow(&mut last.old, old);
            grow(&mut last.new, new);
            last.last = row;
            return;
        }
        self.differing.push(Differing { cause, old, new, first: row, last: row });
    }

    /// Remembers where bytes are that have as many bytes in the other file.
    fn place(&mut self, from: Extent, to: Extent, row: Option<Loc>) {
        let shift = i128::from(to.at) - i128::from(from.at);
        if let Some(last) = self.moved.last_mut()
            && last.shift == shift
        {
            last.new.end = to.end;
            last.last = row.or(last.last);
            return;
        }
        self.moved.push(Moved { shift, new: to, first: row, last: row });
    }

    fn finish(self, files: &[File<'_, '_>; 2]) -> Vec<ByteRange> {
        let path = |row: Option<(usize, Loc)>| {
            row.map(|(side, loc)| Places(files[side].parts.tree).path(loc))
        };
        let mut ranges: Vec<ByteRange> = Vec::new();
        for Differing { cause, old, new, first, last } in self.differing {
            let last_field = if first == last { None } else { path(last) };
            ranges.push(ByteRange { cause, old, new, field: path(first), last_field });
        }
        for moved in self.moved.into_iter().filter(|moved| moved.shift != 0) {
            let back = |at: u64| u64::try_from(i128::from(at) - moved.shift).unwrap_or(0);
            let Extent { at, end } = moved.new;
            let second = |loc: Option<Loc>| loc.map(|loc| (1, loc));
            let last = moved.last.filter(|last| moved.first != Some(*last));
            ranges.push(ByteRange {
                cause: Cause::Moved,
                old: Some(Extent { at: back(at), end: back(end) }),
                new: Some(moved.new),
                field: path(second(moved.first)),
                last_field: path(second(last)),
            });
        }
        ranges.sort_by_key(|range| match (range.new, range.old) {
            (Some(new), _) => (false, new.at),
            (None, old) => (true, old.map_or(0, |old| old.at)),
        });
        ranges
    }
}

/// Where bytes of the same number differ.
fn runs(a: &[u8], b: &[u8]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    if a == b {
        return runs;
    }
    for (at, _) in a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b) {
        match runs.last_mut() {
            Some(run) if at - run.end < APART => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}
