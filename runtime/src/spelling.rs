//! How a file spelled a value, where that is not canonical.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

/// How a file spelled a struct: reserved bytes, widths of numbers, tables in an order of their own.
///
/// It takes no part in `==`, but in `same_spelling`. Structs made by hand have
/// `Spelling::default()`, which is written canonically. One that was read can be kept while the rest
/// of the struct is edited: each of its parts is written again only as long as it still fits, or
/// else the canonical spelling takes its place.
#[derive(Clone, Default)]
pub struct Spelling(
    // A vector in a box is one word where nothing deviates, which is nearly always.
    #[allow(clippy::box_collection)] Option<Box<Vec<SpellingEntry>>>,
);

/// One deviation from the canonical spelling.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpellingEntry {
    /// Row of the schema, by its position in the struct; [`Spelling::WHOLE`] for the whole struct.
    pub row: u16,
    /// Position in the row's array, if it is about one element.
    pub index: Option<u32>,
    /// What kind of freedom was used.
    pub kind: KeptKind,
    /// The spelling.
    pub stored: KeptValue,
    /// What it replaces: the canonical spelling, or a digest of it.
    pub instead_of: KeptValue,
}

/// What a [`SpellingEntry`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum KeptKind {
    /// A number that usually follows from the value.
    Number,
    /// Width of a variable-length integer, in bytes.
    Width,
    /// Reserved bytes that are not zero.
    Reserved,
    /// Bytes behind a terminator or in place of padding.
    Tail,
    /// A longer form than needed.
    Form,
    /// Members or order of a string pool.
    Pool,
    /// Texts of a string pool that nothing leads to, in a file whose schema says that there may be
    /// some.
    Members,
    /// Nodes of a dictionary.
    Dictionary,
    /// Sections or entries of a relocation table.
    Relocation,
    /// A pointer that is none, or set, for an empty array.
    Pointer,
    /// Bytes that nothing claims.
    Gap,
    /// Address of an object that does not follow the one before it in the layout.
    Place,
    /// An object that lies in another one.
    Shared,
    /// Slices of a shared table that are not one behind the other.
    Table,
    /// Pointers to a text that do not lead to the first member of a pool that says it.
    Text,
    /// Blanks, zeros and letters of a number in digits.
    Digits,
    /// How a struct in the row is spelled that has nothing but that.
    Inside,
}

impl KeptKind {
    /// All kinds of deviations. Not [`KeptKind::Inside`], which has some inside.
    pub const ALL: [KeptKind; 16] = [
        KeptKind::Number,
        KeptKind::Width,
        KeptKind::Reserved,
        KeptKind::Tail,
        KeptKind::Form,
        KeptKind::Pool,
        KeptKind::Members,
        KeptKind::Dictionary,
        KeptKind::Relocation,
        KeptKind::Pointer,
        KeptKind::Gap,
        KeptKind::Place,
        KeptKind::Shared,
        KeptKind::Table,
        KeptKind::Text,
        KeptKind::Digits,
    ];

    /// Whether it is about where something lies, and not about how it is spelled.
    #[must_use]
    pub const fn is_arrangement(self) -> bool {
        matches!(
            self,
            KeptKind::Gap | KeptKind::Place | KeptKind::Shared | KeptKind::Table | KeptKind::Text
        )
    }

    /// Whether it is data that the schema speaks of, which a value of its own does not have.
    #[must_use]
    pub const fn is_data(self) -> bool {
        matches!(self, KeptKind::Members)
    }

    /// Name in reports: `number`, `width`...
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            KeptKind::Number => "number",
            KeptKind::Width => "width",
            KeptKind::Reserved => "reserved",
            KeptKind::Tail => "tail",
            KeptKind::Form => "form",
            KeptKind::Pool => "pool",
            KeptKind::Members => "members",
            KeptKind::Dictionary => "dictionary",
            KeptKind::Relocation => "relocation",
            KeptKind::Pointer => "pointer",
            KeptKind::Gap => "gap",
            KeptKind::Place => "place",
            KeptKind::Shared => "shared",
            KeptKind::Table => "table",
            KeptKind::Text => "text",
            KeptKind::Digits => "digits",
            KeptKind::Inside => "inside",
        }
    }
}

/// Something of a file that a [`SpellingEntry`] remembers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum KeptValue {
    /// Nothing.
    #[default]
    None,
    /// A truth value.
    Bool(bool),
    /// A number; of a float, its bits.
    Int(i128),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Units of UTF-16 that are no text.
    Units(Vec<u16>),
    /// Rows of a table, each with its fields in the order of the schema.
    Table(Vec<Vec<KeptValue>>),
    /// Elements.
    List(Vec<KeptValue>),
    /// How a struct is spelled.
    Spelling(Spelling),
}

impl Spelling {
    /// Row number that stands for the whole struct, or for the end of the file.
    pub const WHOLE: u16 = u16::MAX;

    /// The one that is canonical.
    pub(crate) const CANONICAL: Spelling = Spelling(None);

    /// Whether everything is spelled canonically.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.0.is_none()
    }

    /// All deviations, in the order in which they were met.
    #[must_use]
    pub fn entries(&self) -> &[SpellingEntry] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Remembers a deviation.
    #[cold]
    pub fn keep(&mut self, entry: SpellingEntry) {
        self.0.get_or_insert_with(Box::default).push(entry);
    }

    /// The deviation of this kind of a row, or of an element of it.
    #[must_use]
    pub fn find(&self, row: u16, index: Option<u32>, kind: KeptKind) -> Option<&SpellingEntry> {
        self.entries().iter().find(|e| e.row == row && e.index == index && e.kind == kind)
    }

    /// How the struct in a row is spelled that has nothing but that: a string pool, a dictionary.
    #[must_use]
    pub fn inside(&self, row: u16) -> Option<&Spelling> {
        match self.find(row, None, KeptKind::Inside).map(|entry| &entry.stored) {
            Some(KeptValue::Spelling(spelling)) => Some(spelling),
            _ => None,
        }
    }

    /// Remembers how such a struct is spelled, unless it is canonical.
    pub(crate) fn keep_inside(&mut self, row: u16, spelling: Spelling) {
        if !spelling.is_canonical() {
            let (stored, instead_of) = (KeptValue::Spelling(spelling), KeptValue::None);
            self.keep(SpellingEntry {
                row,
                index: None,
                kind: KeptKind::Inside,
                stored,
                instead_of,
            });
        }
    }

    /// Lets deviations of the elements of a row follow these: `new` gives their positions by the old
    /// ones; none of what is gone.
    pub(crate) fn renumber(&mut self, row: u16, new: &dyn Fn(u32) -> Option<u32>) {
        let Some(entries) = &mut self.0 else { return };
        entries.retain_mut(|entry| match entry.index {
            Some(index) if entry.row == row => {
                entry.index = new(index);
                entry.index.is_some()
            }
            _ => true,
        });
        if entries.is_empty() {
            self.0 = None;
        }
    }

    /// Forgets everything, so that the canonical spelling is written.
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

/// In which order deviations were met does not count.
impl PartialEq for Spelling {
    fn eq(&self, other: &Spelling) -> bool {
        self.entries() == other.entries() || self.cmp(other).is_eq()
    }
}

impl Eq for Spelling {}

impl PartialOrd for Spelling {
    fn partial_cmp(&self, other: &Spelling) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Spelling {
    fn cmp(&self, other: &Spelling) -> Ordering {
        let sorted = |spelling| {
            let mut entries: Vec<&SpellingEntry> = Spelling::entries(spelling).iter().collect();
            entries.sort();
            entries
        };
        sorted(self).cmp(&sorted(other))
    }
}

impl fmt::Debug for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_canonical() {
            f.write_str("..")
        } else {
            f.debug_list().entries(self.entries()).finish()
        }
    }
}
