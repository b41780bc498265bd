//! Bytes of a file that no row accounts for.
//!
//! They are kept beside the object that follows them: when it is placed again, the same bytes come
//! before it, in place of what alignment and `zero` statements would give. An object that would
//! then lie on a wrong address goes back to the canonical place.

use formwork_model::{Gaps, RowId, Target, Type};

use crate::engine::Engine;
use crate::tree::Loc;
use crate::value::{Kept, KeptKind, Value};
use crate::write::place::type_align;

impl<'m> Engine<'m, '_> {
    /// Stores what lies between objects, if the format says so.
    pub(crate) fn find_gaps(&mut self) {
        if self.model.gaps != Gaps::Kept {
            return;
        }
        let bytes = self.reading().bytes;
        let mut objects = std::mem::take(&mut self.reading().objects);
        objects.sort_by_key(|object| (object.at, object.end));
        let mut end = 0_u64;
        let mut gaps: Vec<(Loc, u64, u64)> = Vec::new();
        for object in &objects {
            if object.at > end && !self.is_fill(object.loc, end, object.at) {
                gaps.push((object.loc, end, object.at));
            }
            end = end.max(object.end);
        }
        let length = bytes.len() as u64;
        if end < length {
            gaps.push((Loc::row(self.root, RowId(u32::MAX)), end, length));
        }
        for (loc, from, to) in gaps {
            let Ok(content) = formwork::slice(bytes, from, to - from) else { continue };
            let row = match loc.row == RowId(u32::MAX) {
                true => String::new(),
                false => self.kept_name(loc),
            };
            let stored = Value::Bytes(content.to_vec());
            let kept = Kept { row, kind: KeptKind::Gap, stored, instead_of: Value::None };
            self.tree.node_mut(loc.node).kept.push((loc.row, kept));
        }
    }

    /// Whether bytes before an object are what its alignment asks for.
    fn is_fill(&mut self, object: Loc, from: u64, to: u64) -> bool {
        let bytes = self.reading().bytes;
        let zero = formwork::slice(bytes, from, to - from)
            .is_ok_and(|bytes| bytes.iter().all(|b| *b == 0));
        zero && to == from.next_multiple_of(self.object_align(object).max(1))
    }

    /// Alignment of the object that a row or element leads to.
    fn object_align(&self, loc: Loc) -> u64 {
        if loc.row == RowId(u32::MAX) {
            return 1;
        }
        let mut ty = &self.row(loc).ty;
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
                Type::Array(array) if loc.index.is_some() => ty = &array.element,
                Type::Region(region) => ty = &region.inner,
                _ => return type_align(self.model, ty).unwrap_or(align),
            }
        }
    }

    /// Moves the cursor to where an object begins: behind the bytes that were kept before it, or
    /// on its alignment. Returns the address.
    pub(crate) fn begin(&mut self, loc: Loc, align: u64) -> u64 {
        if let Some(kept) = self.kept_of(loc, KeptKind::Gap)
            && let Value::Bytes(bytes) = kept.stored
        {
            let from = self.writing().last_end;
            let at = from + bytes.len() as u64;
            if at.is_multiple_of(align.max(1)) {
                self.writing().loose.push((from, bytes));
                self.writing().cursor = at;
                return at;
            }
        }
        let cursor = &mut self.writing().cursor;
        *cursor = cursor.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
        *cursor
    }

    /// Moves the cursor behind an object.
    pub(crate) fn finish(&mut self, end: u64) {
        let writing = self.writing();
        writing.cursor = end;
        writing.last_end = end;
    }
}
