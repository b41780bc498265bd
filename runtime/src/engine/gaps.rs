//! Bytes of a file that no row accounts for.
//!
//! They are kept beside the object that follows them: when it is placed again, the same bytes come
//! before it, in place of what alignment and `zero` statements would give. An object that would
//! then lie on a wrong address goes back to the canonical place.

use super::item::{Loc, NodeRef, WHOLE};
use super::state::Engine;
use super::write::place::type_align;
use crate::model::{Gaps, Target, Type};
use crate::spelling::{KeptKind, KeptValue};

impl<'p> Engine<'p, '_> {
    /// Stores what lies between objects, if the format says so.
    pub(crate) fn find_gaps(&mut self) {
        if self.model.gaps != Gaps::Kept {
            return;
        }
        let file = self.tree.file;
        let mut objects = core::mem::take(&mut self.reading.objects);
        objects.sort_by_key(|object| (object.at, object.end));
        let mut end = 0_u64;
        let mut gaps: alloc::vec::Vec<(Loc, u64, u64)> = alloc::vec::Vec::new();
        for object in &objects {
            if object.at > end && !self.is_fill(object.loc, end, object.at) {
                gaps.push((object.loc, end, object.at));
            }
            end = end.max(object.end);
        }
        let length = file.len() as u64;
        if end < length {
            gaps.push((Loc::row(NodeRef::ROOT, WHOLE), end, length));
        }
        for (loc, from, to) in gaps {
            if let Ok(content) = crate::slice(file, from, to - from) {
                let stored = KeptValue::Bytes(content.to_vec());
                self.keep(loc, KeptKind::Gap, stored, KeptValue::None);
            }
        }
    }

    /// Whether bytes before an object are what its alignment asks for.
    fn is_fill(&mut self, object: Loc, from: u64, to: u64) -> bool {
        let bytes = crate::slice(self.tree.file, from, to - from);
        let zero = bytes.is_ok_and(|bytes| bytes.iter().all(|b| *b == 0));
        zero && to == from.next_multiple_of(self.object_align(object).max(1))
    }

    /// Alignment of the object that a row or element leads to.
    fn object_align(&self, loc: Loc) -> u64 {
        if loc.row == WHOLE {
            return 1;
        }
        let mut ty = &self.tree.row(loc).ty;
        let mut align = 1;
        loop {
            match ty {
                Type::Pointer(pointer) => {
                    align = self.model.pointers[pointer.kind.index()].align;
                    match &pointer.target {
                        Target::Own(target) => ty = target,
                        _ => return align,
                    }
                }
                Type::Array(array) if loc.index().is_some() => ty = &array.element,
                Type::Region(region) => ty = &region.inner,
                _ => return type_align(self.model, ty).unwrap_or(align),
            }
        }
    }

    /// Moves the cursor to where an object begins: behind the bytes that were kept before it, or
    /// on its alignment. Returns the address.
    pub(crate) fn begin(&mut self, loc: Loc, align: u64) -> u64 {
        if let Some(kept) = self.tree.kept_of(loc, KeptKind::Gap) {
            if let KeptValue::Bytes(bytes) = &kept.stored {
                let from = self.writing.last_end;
                let at = from + bytes.len() as u64;
                if at % align.max(1) == 0 {
                    let bytes = bytes.clone();
                    self.writing.loose.push((from, bytes));
                    self.writing.cursor = at;
                    return at;
                }
            }
        }
        let cursor = &mut self.writing.cursor;
        *cursor = cursor.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
        *cursor
    }

    /// Moves the cursor behind an object.
    pub(crate) fn finish(&mut self, end: u64) {
        self.writing.cursor = end;
        self.writing.last_end = end;
    }
}
