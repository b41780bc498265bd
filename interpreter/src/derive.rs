//! Numbers that follow from others: equations of derived rows, in both directions.

use formwork_model::{
    Content, Definer, DefinerScope, DefinerSource, Encoding, Label, Measure, RowId, Type,
};

use crate::engine::{Engine, Fallible, Fault, eval_error};
use crate::eval::Val;
use crate::read::cell::unit_bytes;
use crate::read::object::strip_region;
use crate::tree::{Item, Loc, NodeId, UNPLACED};

impl<'m> Engine<'m, '_> {
    /// What the equations of a derived row give; `None` if none applies.
    pub(crate) fn derived(&mut self, loc: Loc) -> Fallible<Option<Val>> {
        for definer in &self.row(loc).definers {
            if let Some(node) = self.scope(definer, loc) {
                let val = self.deeper(|engine| engine.source(&definer.source, node))?;
                return Ok(Some(val));
            }
        }
        Ok(None)
    }

    /// Whether an equation gives this row its number in this node.
    pub(crate) fn is_derived_here(&self, loc: Loc) -> bool {
        self.row(loc).definers.iter().any(|definer| self.scope(definer, loc).is_some())
    }

    /// Node in which an equation is evaluated, if it applies.
    fn scope(&self, definer: &'m Definer, loc: Loc) -> Option<NodeId> {
        match &definer.scope {
            DefinerScope::Own => Some(loc.node),
            DefinerScope::Case(row, case) => {
                let ty = &self.record(loc.node).rows[row.index()].ty;
                let Some(Type::Union(union)) = crate::eval::union_type(ty) else {
                    return None;
                };
                let record = self.model.unions[union.index()].cases[*case as usize].record;
                match self.tree.item(Loc::row(loc.node, *row)) {
                    Item::Node(node) if self.tree.node(*node).record == record => Some(*node),
                    _ => None,
                }
            }
            DefinerScope::Owner(record, path) => {
                let mut at = self.tree.node(loc.node).owner;
                while let Some(node) = at {
                    if self.tree.node(node).record == *record && self.leads_to(node, path, loc) {
                        return Some(node);
                    }
                    at = self.tree.node(node).owner;
                }
                None
            }
        }
    }

    /// Whether rows lead from a node to a row.
    fn leads_to(&self, mut node: NodeId, path: &[RowId], loc: Loc) -> bool {
        let Some((last, way)) = path.split_last() else { return false };
        for row in way {
            match self.tree.item(Loc::row(node, *row)) {
                Item::Node(inner) => node = *inner,
                _ => return false,
            }
        }
        node == loc.node && *last == loc.row
    }

    fn source(&mut self, source: &'m DefinerSource, node: NodeId) -> Fallible<Val> {
        match source {
            DefinerSource::Expr(expr) => {
                let val = self.eval(*expr, node, None)?;
                self.load(val)
            }
            DefinerSource::Measure { measure, row, factor, offset } => {
                let loc = Loc::row(node, *row);
                let measured = match self.measure(measure, loc)? {
                    Val::Int(n) => n,
                    other => return Ok(other),
                };
                let rest = measured.checked_sub(*offset);
                let exact = rest.filter(|rest| rest.checked_rem(*factor) == Some(0));
                match exact.and_then(|rest| rest.checked_div(*factor)) {
                    Some(stored) => Ok(Val::Int(stored)),
                    None => eval_error(format!(
                        "{measured} is not {factor} times a whole number plus {offset}"
                    )),
                }
            }
        }
    }

    /// Something about a row.
    fn measure(&mut self, measure: &'m Measure, loc: Loc) -> Fallible<Val> {
        Ok(match measure {
            Measure::Count => {
                self.force(loc.node, loc.row)?;
                Val::Int(self.count_units(loc).into())
            }
            Measure::Size => match self.row_size(loc)? {
                Some(size) => Val::Int(size.into()),
                None => Val::None,
            },
            Measure::End => match self.placed(loc, true)? {
                Some(end) => Val::Int(end.into()),
                None => Val::None,
            },
            Measure::At(base) => {
                let Some(at) = self.placed(loc, false)? else { return Ok(Val::None) };
                match self.eval_int(*base, loc.node, None)? {
                    Some(base) => Val::Int(i128::from(at) - base),
                    None => Val::Int(at.into()),
                }
            }
            Measure::Base => Val::Int(self.slice_base(loc)?),
            Measure::Tag => self.tag_of(loc)?,
        })
    }

    fn placed(&mut self, loc: Loc, end: bool) -> Fallible<Option<u64>> {
        self.force(loc.node, loc.row)?;
        match self.loc_address(loc, end)? {
            Some(UNPLACED) => Err(Box::new(Fault::NotPlaced(self.describe(loc)))),
            other => Ok(other),
        }
    }

    /// Elements of an array, bytes of a byte run, units of a text.
    pub(crate) fn count_units(&self, loc: Loc) -> u64 {
        let mut ty = &self.row(loc).ty;
        while let Type::Pointer(pointer) = ty {
            match &pointer.target {
                formwork_model::Target::Own(target) => ty = target,
                _ => break,
            }
        }
        match (strip_region(ty), self.tree.item(loc)) {
            (Type::Run(run), Item::Text(text)) => text_units(run.content, text),
            _ => self.count_items(loc),
        }
    }

    /// Size in bytes of the region of a row.
    fn row_size(&mut self, loc: Loc) -> Fallible<Option<u64>> {
        self.force(loc.node, loc.row)?;
        let (at, end) = (self.loc_address(loc, false)?, self.loc_address(loc, true)?);
        match (at, end) {
            (Some(at), Some(end)) if at != UNPLACED && end != UNPLACED => Ok(Some(end - at)),
            (None, _) | (_, None) => Ok(None),
            _ => self.measured_size(loc).map(Some),
        }
    }

    /// The label of the chosen case, as stored.
    fn tag_of(&mut self, loc: Loc) -> Fallible<Val> {
        let Some(Type::Union(id)) = crate::eval::union_type(&self.row(loc).ty) else {
            return Ok(Val::None);
        };
        let Item::Node(node) = self.tree.item(loc) else { return Ok(Val::None) };
        let record = self.tree.node(*node).record;
        let union = &self.model.unions[id.index()];
        let case = union.cases.iter().find(|case| case.record == record);
        Ok(match case.and_then(|case| case.labels.first()) {
            Some(Label::Range(low, _)) => Val::Int(*low),
            Some(Label::Text(text)) => Val::Text(text.as_str().into()),
            _ => Val::None,
        })
    }
}

/// Units of a text in its encoding.
pub(crate) fn text_units(content: Content, text: &str) -> u64 {
    match content {
        Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be) => {
            text.encode_utf16().count() as u64
        }
        Content::Text(Encoding::Utf32) => text.chars().count() as u64,
        Content::Bytes | Content::Text(_) => {
            debug_assert_eq!(unit_bytes(content), 1);
            text.len() as u64
        }
    }
}
