//! Places regions: bytes whose extent is said by a size, an end or a terminator.

use formwork::ProblemKind;
use formwork_model::{Expr, ExprId, Extent, Model, RegionType, Row, RunLength, Terminated, Type};

use super::Expectation;
use super::lay::Spot;
use crate::engine::{Engine, Fallible, eval_error};
use crate::read::region::{canonical_tail, content_length, find_terminator};
use crate::tree::Loc;
use crate::value::{KeptKind, Value};

impl<'m> Engine<'m, '_> {
    pub(crate) fn lay_region(
        &mut self,
        loc: Loc,
        region: &'m RegionType,
        row: &'m Row,
        spot: &mut Spot,
    ) -> Fallible<()> {
        let at = spot.at;
        let key = (loc.node, loc.row);
        let measuring = self.is_measuring();
        if measuring
            && loc.index.is_none()
            && let Some(size) = self.writing().measured.get(&key)
        {
            spot.at += *size;
            return Ok(());
        }
        let around = self.writing().room;
        let room = match &region.extent {
            Extent::Size(size) if self.gives_room(loc, *size) => {
                match self.eval_int(*size, loc.node, None) {
                    Ok(size) => {
                        size.and_then(|n| u64::try_from(n).ok()).and_then(|n| at.checked_add(n))
                    }
                    Err(fault) if matches!(*fault, crate::engine::Fault::NotPlaced(_)) => None,
                    Err(fault) => return Err(fault),
                }
            }
            Extent::Rest => around,
            Extent::Size(_) | Extent::End(_) | Extent::Terminated(_) => None,
        };
        let inside = if region.trim.is_some() { None } else { room };
        self.writing().room = inside;
        let laid = self.lay_inline(loc, &region.inner, row, spot);
        self.writing().room = around;
        laid?;
        spot.align();
        let content_end = spot.at;
        match (&region.extent, &region.trim) {
            (Extent::Size(size), None) => {
                self.expect(loc, *size, content_end - at, "size");
            }
            (Extent::End(end), None) => {
                if !measuring {
                    self.expect(loc, *end, content_end, "end");
                }
            }
            (Extent::Rest, None) => {}
            (Extent::Terminated(terminator), _) => {
                let content = self.content_bytes(loc, &region.inner, row, at, content_end)?;
                let found = find_terminator(terminator, &content);
                let fits = match terminator.mode {
                    Terminated::Kept => {
                        found.is_some_and(|i| i + terminator.bytes.len() == content.len())
                            || (terminator.optional && found.is_none())
                    }
                    Terminated::Dropped | Terminated::Unread => found.is_none(),
                };
                if !fits {
                    let what = match terminator.mode {
                        Terminated::Kept => "no terminator at its end",
                        _ => "the terminator",
                    };
                    self.problem(loc, ProblemKind::TextContains { what: what.into() });
                }
                let width = terminator.bytes.len() as u64;
                let full = around.is_some_and(|room| content_end.saturating_add(width) > room);
                let ended_by_region = terminator.optional
                    && (full
                        || self.kept_of(loc, KeptKind::Tail).is_some_and(|kept| {
                            kept.still_for(&Value::Int(content.len() as i128))
                        }));
                if terminator.mode == Terminated::Dropped && !ended_by_region {
                    if !measuring {
                        self.writing().loose.push((content_end, terminator.bytes.clone()));
                    }
                    spot.at += terminator.bytes.len() as u64;
                }
            }
            (extent, Some(trim)) => {
                let content = self.content_bytes(loc, &region.inner, row, at, content_end)?;
                let size = room.and_then(|room| usize::try_from(room.saturating_sub(at)).ok());
                let kept = self
                    .kept_of(loc, KeptKind::Tail)
                    .filter(|kept| kept.still_for(&Value::Int(content.len() as i128)))
                    .and_then(|kept| match kept.stored {
                        Value::Bytes(tail) => Some(tail),
                        _ => None,
                    })
                    .filter(|tail| size.is_none_or(|size| size == content.len() + tail.len()));
                let tail = match kept {
                    Some(tail) => Some(tail),
                    None => canonical_tail(trim, &content, size),
                };
                let Some(tail) = tail else {
                    let expected = size.map_or(0, |size| size as i128);
                    let why = "the schema fixes the size".into();
                    let actual = content.len() as u64;
                    self.problem(loc, ProblemKind::LengthMismatch { expected, actual, why });
                    return Ok(());
                };
                let mut whole = content.clone();
                whole.extend_from_slice(&tail);
                if content_length(trim, &whole) != content.len() {
                    let what = "what ends it".into();
                    self.problem(loc, ProblemKind::TextContains { what });
                }
                spot.at = content_end + tail.len() as u64;
                if !measuring {
                    self.writing().loose.push((content_end, tail));
                }
                if let Extent::Size(size) = extent {
                    self.expect(loc, *size, spot.at - at, "size");
                }
            }
        }
        if measuring && loc.index.is_none() {
            let size = spot.at - at;
            self.writing().measured.insert(key, size);
        }
        Ok(())
    }

    /// Whether the size of a region is known before what is in it.
    pub(crate) fn gives_room(&self, loc: Loc, size: ExprId) -> bool {
        !self.followed.contains(&(self.tree.node(loc.node).record, loc.row))
            && !mentions_position(self.model, size)
    }

    /// Notes that a length must agree with what the schema says of it.
    pub(crate) fn expect(&mut self, loc: Loc, expr: ExprId, actual: u64, what: &'static str) {
        if !self.is_measuring() && !mentions_position(self.model, expr) {
            self.writing().expectations.push(Expectation { loc, expr, actual, what });
        }
    }

    /// Bytes of something that is placed already, to look at where it ends.
    fn content_bytes(
        &mut self,
        loc: Loc,
        ty: &'m Type,
        row: &'m Row,
        at: u64,
        end: u64,
    ) -> Fallible<Vec<u8>> {
        if let Type::Run(run) = ty
            && matches!(run.length, RunLength::Fill)
            && run.suffix.is_empty()
        {
            let order = self.node_order(loc.node)?;
            let item = self.tree.item(loc);
            return Ok(super::fill::encode(run.content, item, order.unwrap_or_default()));
        }
        if self.is_measuring() {
            return eval_error("the size of a trimmed struct cannot be computed ahead");
        }
        // Filled ahead of the rest; the final buffer is made afresh.
        let (Ok(from), Ok(to)) = (usize::try_from(at), usize::try_from(end)) else {
            return eval_error("the file is too large");
        };
        if self.writing().out.len() < to {
            self.writing().out.resize(to, 0);
        }
        let loose = self.writing().loose.iter().rev().take_while(|(place, _)| *place >= at);
        for (place, bytes) in loose.cloned().collect::<Vec<_>>() {
            self.put(place, &bytes);
        }
        self.fill_item(loc, ty, row)?;
        self.fill_inside(loc)?;
        Ok(self.writing().out.get(from..to).unwrap_or(&[]).to_vec())
    }
}

/// Whether an expression is about where the reader is. When writing it has no meaning: the value
/// decides.
pub(crate) fn mentions_position(model: &Model, expr: ExprId) -> bool {
    let expr = &model[expr];
    let mut found = matches!(expr, Expr::Here | Expr::RegionEnd);
    expr.operands(&mut |operand| found |= mentions_position(model, operand));
    found
}
