//! A public view of the tree of nodes: every field of a file with its place, derived ones included.

mod place;
mod show;
mod walk;

use std::ops::ControlFlow;

pub use place::NoSuchPath;

use crate::engine::Engine;
use place::Place;

/// One field of a file, as a line of a listing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldView {
    /// Path from the root, such as `flowcharts[0].name`; empty for the root. Rows without a name
    /// have the path of the struct around them.
    pub path: String,
    /// Last step of the path, or what a row without a name is: `zero`, `reserved`, `magic`.
    pub name: String,
    /// How many fields are around it.
    pub depth: usize,
    /// Offset of the first byte from the start of the file; none for fields without bytes. Of a
    /// pointer: where the pointer is, not what it leads to.
    pub offset: Option<u64>,
    /// Of fields that share bytes: bit of the first byte, or of the word around the field, at
    /// which it begins.
    pub bit: Option<u8>,
    /// Of fields that share bytes: width in bits.
    pub bits: Option<u32>,
    /// Size in bytes. Of a pointer: of the number that is stored.
    pub size: u64,
    /// Type as a schema would write it.
    pub type_name: String,
    /// Part that the field plays: `data`, `default`, `fixed`, `derived`, `kept`, `spelling`,
    /// `view`, `elsewhere`. See the reference of the language.
    pub role: &'static str,
    /// Whether the file deviates here from the canonical spelling.
    pub kept: bool,
    /// The value on one line: numbers, texts in quotes, members of enumerations by name, the
    /// chosen case of a union, all elements of an array of numbers. Empty for structs.
    pub value: String,
    /// The value for programs; none for structs.
    pub stored: Option<Stored>,
    /// The elements of an array of numbers, as many as are not folded.
    pub elements: Vec<Stored>,
    /// Of a pointer that is set: offset from the start of the file of what it leads to.
    pub target: Option<u64>,
    /// What kind of line this is.
    pub kind: FieldKind,
    /// Number of elements of an array; of [`FieldKind::Folded`], of those that are left out.
    pub count: Option<usize>,
}

/// What a [`FieldView`] is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FieldKind {
    /// A number, text or the like.
    #[default]
    Leaf,
    /// A struct; its fields follow.
    Struct,
    /// An array; its elements follow, unless they are numbers.
    Array,
    /// A pointer; what it leads to follows, unless that is a number or text.
    Pointer,
    /// The chosen case of a union; its fields follow.
    Case,
    /// Elements of an array that are left out.
    Folded,
}

/// What is stored in a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Stored {
    /// An integer, or an index into an array.
    Int(i128),
    /// A float.
    Float {
        /// The bits, in the low end.
        bits: u64,
        /// 4 or 8 bytes.
        width: u8,
    },
    /// A truth value.
    Bool(bool),
    /// A text; units of UTF-16 that are no text are replaced.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A member of an enumeration.
    Enum {
        /// Its number.
        number: i128,
        /// Its name, if it has one.
        name: Option<String>,
    },
    /// An array of so many elements.
    Count(usize),
    /// Nothing: an optional field that is not there.
    None,
}

/// How much [`walk`](crate::Document::walk) shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkOptions {
    /// Most elements of an array that are shown; also, long texts and byte runs are cut. `None`:
    /// everything is shown.
    pub fold: Option<usize>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        WalkOptions { fold: Some(16) }
    }
}

impl Engine<'_, '_> {
    /// What is stored at a path.
    pub(crate) fn stored(&self, path: &str) -> Option<Stored> {
        if self.tree.nodes.is_empty() {
            return None;
        }
        let Ok(Place::Spot(spot)) = self.place_at(path) else { return None };
        let spot = self.value_spot(spot);
        match spot.item {
            // A case or struct without rows says nothing.
            crate::tree::Item::Node(node) if self.record(*node).rows.is_empty() => {
                Some(Stored::None)
            }
            item => show::stored(self.context(), spot.ty, item),
        }
    }

    /// Path of the smallest field that has the byte at this offset.
    pub(crate) fn field_at(&self, offset: u64) -> Option<String> {
        let crate::engine::Mode::Read(reading) = &self.mode else { return None };
        let around = reading.claims.iter().filter(|claim| claim.at <= offset && offset < claim.end);
        let claim = around.min_by_key(|claim| claim.end - claim.at)?;
        let mut loc = claim.loc;
        if loc.row.index() >= self.record(loc.node).rows.len() {
            return Some(self.tree.node_path(self.model, loc.node).to_string());
        }
        if loc.index.is_none() {
            // Arrays of numbers are accounted for as a whole.
            let array = self.value_spot(self.spot(loc.node, loc.row));
            if let crate::tree::Item::Array(items) = array.item
                && items.at <= offset
                && offset < items.end
                && items.starts.is_empty()
                && let Some(stride) = (items.end - items.at).checked_div(items.items.len() as u64)
                && let Some(index) = (offset - items.at).checked_div(stride)
            {
                loc.index = u32::try_from(index).ok();
            }
        }
        Some(self.spot_path(loc))
    }
}

impl crate::Document<'_> {
    /// Calls `visit` for the field at `path` (by default the whole file) and for everything below
    /// it, in the order of the schema; pointers are followed. `visit` may end the walk.
    ///
    /// Of a file that could only be read in part, it shows that part.
    ///
    /// # Errors
    ///
    /// If the path leads to nothing.
    pub fn walk(
        &self,
        path: Option<&str>,
        options: &WalkOptions,
        visit: &mut dyn FnMut(&FieldView) -> ControlFlow<()>,
    ) -> Result<(), NoSuchPath> {
        self.engine.walk(path, options, visit)
    }

    /// What is stored at a path such as `header.flags` or `items[2].name`, derived fields included;
    /// pointers are followed. Rows of the chosen case of a union type, and of structs without a
    /// name, need no step of their own. `None` if there is no such field, or if it is a struct.
    #[must_use]
    pub fn stored(&self, path: &str) -> Option<Stored> {
        self.engine.stored(path)
    }

    /// Path of the field that has the byte at this offset from the start of the file; the smallest
    /// one if several do. `None` for bytes that no field has, such as padding between objects.
    #[must_use]
    pub fn field_at(&self, offset: u64) -> Option<String> {
        self.engine.field_at(offset)
    }
}
