//! Bytes of a file that no object accounts for.

use super::prelude::*;

/// Stores what lies between objects, if the format says so.
pub(super) fn find_gaps<'i, R: Reader<'i>>(cx: &mut R) {
    if !cx.core().tables.gaps {
        return;
    }
    let core = cx.core_mut();
    let mut claims = core::mem::take(&mut core.claims);
    claims.sort_by_key(|claim| (claim.at, claim.end));
    let length = core.length();
    let mut end = 0_u64;
    let mut gaps: Vec<(Loc, u64, u64)> = Vec::new();
    for claim in &claims {
        if claim.at > end && !is_fill(core, claim.object, end, claim.at) {
            gaps.push((claim.object, end, claim.at));
        }
        end = end.max(claim.end);
    }
    if end < length {
        gaps.push((Loc::slot(NodeId(0), WHOLE), end, length));
    }
    for (loc, from, to) in gaps {
        let Ok(content) = core.between(from, to) else { continue };
        core.keep(loc, KeptKind::Gap, KeptValue::Bytes(content.to_vec()), KeptValue::None);
    }
}

/// Whether bytes before an object are what its alignment asks for.
pub(super) fn is_fill(core: &Core<'_>, object: Loc, from: u64, to: u64) -> bool {
    let zero = core.between(from, to).is_ok_and(|bytes| bytes.iter().all(|b| *b == 0));
    let record = core.tree.node(object.node).record;
    let align = core.tables.records[usize::from(record)]
        .slots
        .get(usize::from(object.slot))
        .map_or(1, |slot| if object.index.is_some() { slot.aligns.1 } else { slot.aligns.0 });
    zero && Some(to) == from.checked_next_multiple_of(align.max(1))
}
