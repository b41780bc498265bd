//! What is said about a field.

use formwork_model::Span;

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
    /// Where the schema declares the row; none for what is no row, and where the model does not say it.
    pub declared: Option<Span>,
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

impl WalkOptions {
    /// How many of so many elements are shown of an array of numbers.
    pub(crate) fn shown(&self, count: usize) -> usize {
        self.fold.map_or(count, |fold| fold.min(count))
    }
}
