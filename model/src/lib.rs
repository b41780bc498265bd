//! The checked model of a format: plain data, the only thing that the engine and back ends see.
//!
//! A model knows nothing of KDL and nothing of Rust. Everything in it is resolved: names are
//! numbers, parameters are bound (each use of a parameterised struct with other arguments is a
//! record of its own), `let`s are expressions, conditions over the context are gone (they split
//! the context into [`Epoch`]s), and what stands on disk where is said per epoch.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod ahead;
mod decimal;
mod digits;
mod encoding;
mod expr;
mod floats;
mod fold;
mod ids;
mod layout;
mod length;
mod linear;
mod packed;
mod parts;
mod paths;
mod reach;
pub mod signature;
mod size;
mod span;
mod spelled;
mod types;
mod unseen;
mod view;
pub mod visit;
mod walk;

pub use decimal::{float_of, Inexact};
pub use digits::{DigitFill, DigitForm, Digits, NotDigits};
pub use encoding::text_of_mutf8;
pub use expr::{
    BinaryOp, CallArgs, Expr, Exprs, Field, Function, Member, Path, Start, Step, StreamFunction,
    UnaryOp,
};
pub use floats::{narrowed, widened, FloatCode};
pub use fold::Plain;
pub use ids::{DigitsId, EnumId, EpochId, ExprId, PointerId, RecordId, RowId, UnionId, VarintId};
pub use layout::{Align, LayoutPath, PathStep, Statement};
pub use length::{leading, LengthRule};
pub use linear::Linear;
pub use packed::{pack, unpack};
pub use parts::{OneForEach, Parts};
pub use paths::{search, Lead};
pub use signature::{Signature, SignatureCell};
pub use size::{bit_width, cell_size, text_units, unit_size, Sizes};
pub use types::{
    limits, ArrayLength, ArrayType, ByteOrder, Cell, Columns, Content, Described, Encoding, Extent,
    FloatForm, GroupOrder, InStep, IntType, Listed, Meaning, PointerType, Policy, Reference,
    RegionType, RunLength, RunType, Storage, Target, Terminated, Terminator, Trim, Type,
    VarintSign, WhenEmpty,
};

pub use span::{SourceId, Span};
pub use unseen::{is_unseen, seen};
pub use walk::{storage_range, KeptAs, Owners};

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Index;

/// A format, checked.
#[derive(Debug, Clone)]
pub struct Model {
    /// Name of the module, in lower case.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Version of the schema itself (`version=`); 1 unless said.
    pub version: u32,
    /// Extensions of file names, without the dot.
    pub extensions: Vec<String>,
    /// Where the knowledge comes from.
    pub sources: Vec<String>,
    /// The record that a file holds. It is a struct without parameters.
    pub root: RecordId,
    /// Byte order of cells that do not say their own.
    pub byte_order: ByteOrderRule,
    /// What bytes may be that nothing claims.
    pub gaps: Gaps,
    /// Numbers that are constant for a file and select layouts; none in most formats.
    pub epoch_variables: Vec<EpochVariable>,
    /// The layouts; at least one.
    pub epochs: Vec<Epoch>,
    /// Structs, bodies of cases and forms, and packed words.
    pub records: Vec<Record>,
    /// Choices.
    pub unions: Vec<Union>,
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// Kinds of pointers.
    pub pointers: Vec<PointerKind>,
    /// Kinds of variable-length integers.
    pub varints: Vec<Varint>,
    /// Kinds of integers in digits.
    pub digits: Vec<Digits>,
    /// Declared texts, each with its arguments, in the order in which they are first used. Rows hold
    /// their types themselves; this list is for names and documentation.
    pub strings: Vec<StringKind>,
    /// Named expressions of the module, for documentation: what stands in rows has them filled in.
    pub lets: Vec<NamedText>,
    /// Sections of the relocation table, if the format declares any.
    pub relocation: Vec<RelocationSection>,
    /// What the schema says to people beyond documentation, in the order of the text.
    pub remarks: Vec<Remark>,
    /// Bytes with what they mean.
    pub examples: Vec<Example>,
    /// Expressions, to which everything else refers by number.
    pub exprs: Exprs,
}

impl Index<ExprId> for Model {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.exprs[id]
    }
}

/// Byte order of a whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrderRule {
    /// Always this one.
    Fixed(ByteOrder),
    /// Two bytes at this offset, `0xfeff` in the file's own order. The order is data of the root:
    /// its row of type [`Type::ByteOrderMark`].
    Mark {
        /// Offset of the mark from the start of the file, in bytes; the same in every epoch.
        offset: u64,
    },
}

/// What happens to bytes of a file that no row and no layout statement accounts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gaps {
    /// They are dropped, and reported by `coverage`; the writer fills with zero.
    Zero,
    /// They are kept in the value, beside the object before them.
    Kept,
}

/// A number that stands at a constant place and is the same for the whole file.
#[derive(Debug, Clone)]
pub struct EpochVariable {
    /// Its name in conditions.
    pub name: String,
    /// Offset from the start of the file, in bytes; the same in every epoch. Of some bits, that of
    /// the integer that has them.
    pub offset: u64,
    /// How it is stored: in whole bytes, or in bits of a word.
    pub cell: Cell,
    /// The integer that has its bits, if it is some bits of a word.
    pub word: Option<IntType>,
    /// The row that holds it, as a path of inline rows from the root.
    pub path: Vec<RowId>,
    /// Where it is declared.
    pub span: Span,
}

/// A range of the context in which every layout is constant.
#[derive(Debug, Clone)]
pub struct Epoch {
    /// Label for people, such as `major 5..8`; `all` where the format has one layout.
    pub label: String,
    /// One list of inclusive ranges per epoch variable; the variable lies in one of them.
    pub ranges: Vec<Vec<(i128, i128)>>,
}

/// A struct, the body of a case or of a form, or a packed word.
///
/// At run time a record becomes a *node* with a slot per row. The node's *owner* is the node whose
/// row holds it (inline, behind a pointer, in an array, or as the case of a union).
#[derive(Debug, Clone)]
pub struct Record {
    /// Name for people, unique in the model: `Dictionary<actors.name>`, `Event.data.fork`.
    pub name: String,
    /// Name of the declaration without parameters: `Dictionary`, `fork`.
    pub template: String,
    /// What it is.
    pub kind: RecordKind,
    /// Documentation.
    pub doc: Option<String>,
    /// Source of the knowledge (`source=`).
    pub source: Option<String>,
    /// Parameters of the declaration: names, and arguments as in `name`.
    pub parameters: Vec<(String, String)>,
    /// Rows in the order of declaration.
    pub rows: Vec<Row>,
    /// Named expressions, evaluated with the node of this record as `this`.
    pub lets: Vec<Let>,
    /// Arguments for the parameters, each evaluated with the *owner* node as `this`.
    pub arguments: Vec<ExprId>,
    /// Size of the fixed block per epoch, in bytes (bits for a word): what the rows with homes
    /// occupy. `None` where the record does not exist or has no fixed block.
    pub sizes: Vec<Option<u64>>,
    /// Whether rows follow the fixed block (`..`), or there is no fixed block at all.
    pub open: bool,
    /// An object of this type begins on a multiple of this many bytes.
    pub align: Option<u64>,
    /// The value of the record is the value of this row.
    pub transparent: Option<RowId>,
    /// Byte order of the cells below that do not say their own.
    pub endian: Option<EndianRule>,
    /// Equations for rows of nested records that say `is=owner`.
    pub derives: Vec<Derive>,
    /// Rules that hold for the whole record.
    pub checks: Vec<Check>,
    /// How an object of this type is placed. Always complete: the default is written out.
    pub layout: Vec<Statement>,
    /// Named parts of the layout that the owner runs.
    pub passes: Vec<(String, Vec<Statement>)>,
    /// The order in which rows are read: a row comes after what its place, length or presence
    /// needs. Rows of the fixed block first, then as `rows`, then objects and pointers.
    pub read_order: Vec<RowId>,
    /// Whether a way from the type into itself closes here: entering it counts for the depth limit.
    /// Of the types on one circle it is the first that is met from the root on.
    pub recursive: bool,
    /// Algorithm that this record encodes one entry of, for entries of a relocation table.
    pub encodes: Option<RelocationEncoding>,
    /// Where it is declared.
    pub span: Span,
}

/// What a [`Record`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordKind {
    /// A struct.
    Struct,
    /// The rows of a case. Its node's owner is the node of the record that holds the union.
    Case(UnionId, u32),
    /// The rows of a form. Its node's owner is the node of the case.
    Form(UnionId, u32, u32),
    /// Bit fields in an integer. Rows have [`Storage::Word`]; homes are bit numbers.
    Word(IntType),
}

/// One line of a struct.
#[derive(Debug, Clone)]
pub struct Row {
    /// Name; none for padding and the like, and for structs whose rows belong to this one.
    pub name: Option<String>,
    /// Documentation.
    pub doc: Option<String>,
    /// Source of the knowledge (`source=`).
    pub source: Option<String>,
    /// What it is.
    pub kind: RowKind,
    /// Type; [`Type::Nothing`] for marks.
    pub ty: Type,
    /// Where it stands, per epoch.
    pub homes: Vec<Home>,
    /// Condition over the values of the file: the row is there only if it holds.
    pub when: Option<ExprId>,
    /// What part it plays in the value.
    pub role: Role,
    /// The equations that give the stored number when writing, for [`Role::Derived`] rows; at most
    /// one applies to a node. Where none does, the number is data. Empty for other roles.
    pub definers: Vec<Definer>,
    /// Stored numbers that mean "nothing".
    pub none: Vec<i128>,
    /// Stored number = value + this.
    pub plus: i128,
    /// The number or pointer refers to an element of an array.
    pub reference: Option<Reference>,
    /// Place in the relocation table, of numbers and of `runtime` rows that say one; pointers say
    /// it in their type.
    pub listed: Option<Listed>,
    /// Rules for the value.
    pub checks: Vec<Check>,
    /// The value in epochs that have no home for the row; without it the row is optional. Of a field of
    /// forms, what it usually is.
    pub absent: Option<Constant>,
    /// For arrays of references and tables: no two elements may be equal.
    pub unique: bool,
    /// What each byte of padding of no constant size is.
    pub fill: u8,
    /// Where it is declared.
    pub span: Span,
}

/// What a [`Row`] is.
#[derive(Debug, Clone)]
pub enum RowKind {
    /// Bytes in this record: a cell, an array, a struct, a union, a pointer.
    Plain,
    /// Bytes that are compared with a constant.
    Constant(Constant),
    /// Zero bytes (or bits); an error if they are not, unless read leniently. The type is a run.
    Zero,
    /// Bytes kept if they are not zero. The type is a run.
    Reserved,
    /// Zero bytes that a program fills in memory; a pointer as far as relocation goes.
    Runtime,
    /// Zero bytes to the end of the region; the value is how many.
    Zeros,
    /// An object that no pointer cell of this record owns.
    Object {
        /// Address where it is read: `base + at`, or `find`.
        address: ExprId,
        /// Alignment, besides that of its type, wherever a layout places it.
        align: Option<ExprId>,
    },
    /// An address without bytes. The layout sets it.
    Mark {
        /// Address when reading.
        address: ExprId,
    },
    /// A field without bytes here.
    Value {
        /// Computed when reading.
        seen: Option<ExprId>,
    },
    /// Elements of a shared table.
    Slice {
        /// The table: path of an array row that has [`Row`] role [`Role::View`].
        table: Path,
        /// Row that says the first element's index, which is `(factor * row + offset) / unit`.
        base: RowId,
        /// Never zero.
        factor: i128,
        /// Added to the stored number times the factor.
        offset: i128,
        /// What that counts for each element: 4 where it counts bytes of elements of four. Above zero.
        unit: i128,
        /// Row of the number of elements. Where there is none, the row's type says the length: up to
        /// and including the first element for which [`ArrayLength::Last`] holds.
        count: Option<RowId>,
        /// Stored number if there are no elements; otherwise it says the running total.
        empty_base: Option<i128>,
    },
    /// A string pool's members: an array of strings.
    Pool {
        /// Members that are there even if nothing refers to them.
        always: Vec<String>,
        /// Whether the file's list is data (`members kept`) or follows from the labels.
        kept: bool,
        /// Order of the members: the first whose condition holds in this record's node.
        order: Vec<(Option<ExprId>, PoolOrder)>,
        /// Each member's end is filled to a multiple of this.
        pad: u64,
    },
}

/// Where a row stands in one epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// At this offset from the start of the record, in bytes (bits in a word).
    At(u64),
    /// Behind the row before it.
    Next,
    /// Not in this epoch.
    Absent,
    /// Nowhere: objects, marks, values, slices.
    Nowhere,
}

/// Part that a row plays in the value.
#[derive(Debug, Clone)]
pub enum Role {
    /// In the value, as stored.
    Data,
    /// In the value; this constant unless said (`usually=CONSTANT`).
    Default(Constant),
    /// Not in the value: always the same.
    Fixed,
    /// Not in the value: computed when writing, compared when reading. See [`Row::definers`].
    Derived,
    /// In the value only where it deviates from this expression (`usually=EXPR`).
    Kept(ExprId),
    /// Spelling only: in the value only where it is not canonical (reserved bytes, pools).
    Spelling,
    /// Not in the value: the concatenation of the slices at these paths, which owners hold
    /// (`from=`), stably sorted by `key` if there is one.
    View {
        /// Paths of slice rows, evaluated in this record.
        slices: Vec<Path>,
        /// Sort key, evaluated in the record that holds the slice.
        key: Option<ExprId>,
    },
    /// In the value, but its bytes are elsewhere: a key in a parallel dictionary, or the logical
    /// field of forms.
    Elsewhere,
}

/// Equation that gives a derived row its number.
#[derive(Debug, Clone)]
pub struct Definer {
    /// Which nodes it applies to.
    pub scope: DefinerScope,
    /// The other side.
    pub source: DefinerSource,
    /// In which epochs; if empty, in all that the row is in.
    pub epochs: Vec<bool>,
    /// Where it is written.
    pub span: Span,
}

impl Definer {
    /// Whether it applies in an epoch that the row is in.
    #[must_use]
    pub fn is_in(&self, epoch: EpochId) -> bool {
        self.epochs.get(epoch.index()).copied().unwrap_or(true)
    }
}

/// Node in which a [`Definer`] is evaluated, relative to the node of the row.
#[derive(Debug, Clone)]
pub enum DefinerScope {
    /// The row's own node.
    Own,
    /// The node of this case of the union in this row, if that case is chosen.
    Case(RowId, u32),
    /// An enclosing node of this record, from which `path` leads to the row.
    Owner(RecordId, Vec<RowId>),
}

/// Right-hand side of a [`Definer`].
#[derive(Debug, Clone)]
pub enum DefinerSource {
    /// An expression.
    Expr(ExprId),
    /// `(measure of row - offset) / factor`, exactly; from `count="2 * clip_count"` and the like. A size
    /// with an end within it ([`crate::Trim`]) is chosen so that it can be divided.
    Measure {
        /// What is measured.
        measure: Measure,
        /// Of which row of the scope's record.
        row: RowId,
        /// Not zero.
        factor: i128,
        /// Added after multiplying.
        offset: i128,
    },
}

/// Something about a row that a number can be derived from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// Number of elements (bytes of a byte run, units of a text).
    Count,
    /// Number of the records whose columns the elements are.
    Records,
    /// Size of the region, in bytes.
    Size,
    /// Address behind the last byte.
    End,
    /// Address of the first byte, minus this base.
    At(ExprId),
    /// Index of a slice's first element in its table.
    Base,
    /// Label of the chosen case of a union, as stored.
    Tag,
}

/// `derive PATH is=EXPR`, or an `at=` or `count=` that names a row of a nested record.
#[derive(Debug, Clone)]
pub struct Derive {
    /// Inline rows from this record to the row; the last one is the row.
    pub path: Vec<RowId>,
    /// Record that holds the row.
    pub record: RecordId,
    /// The equation, evaluated in the record that has the `derive`.
    pub source: DefinerSource,
    /// Where it is written.
    pub span: Span,
}

/// A rule for a value.
#[derive(Debug, Clone)]
pub struct Check {
    /// What must hold.
    pub kind: CheckKind,
    /// As written, for messages.
    pub text: String,
    /// What the schema says about it, for messages.
    pub doc: Option<String>,
    /// Where it is written.
    pub span: Span,
}

/// What a [`Check`] demands. `it` is the value of the row (or element).
#[derive(Debug, Clone)]
pub enum CheckKind {
    /// At least.
    Min(ExprId),
    /// At most.
    Max(ExprId),
    /// One of these.
    OneOf(Vec<ExprId>),
    /// Equal (`is=` on data that is not a number, or an expression over constants).
    Equals(ExprId),
    /// True.
    Holds(ExprId),
}

/// A value that a schema states.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// An integer.
    Int(i128),
    /// A float by its bits, in 64-bit form.
    Float(u64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Constant {
    /// The float that it is, if it is a number.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "schemas state small numbers")]
    pub fn float(&self) -> Option<f64> {
        match self {
            Constant::Float(bits) => Some(f64::from_bits(*bits)),
            Constant::Int(number) => Some(*number as f64),
            Constant::Bool(_) | Constant::Text(_) | Constant::Bytes(_) => None,
        }
    }

    /// The bits of the float that it is, in so many bytes.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "the width is what is meant")]
    pub fn float_bits(&self, bytes: u8) -> Option<u64> {
        let float = self.float()?;
        Some(if bytes == 4 { (float as f32).to_bits().into() } else { float.to_bits() })
    }
}

/// A named expression of a record.
#[derive(Debug, Clone)]
pub struct Let {
    /// Name.
    pub name: String,
    /// Documentation.
    pub doc: Option<String>,
    /// Expression, with the record's node as `this`.
    pub expr: ExprId,
    /// Where it is declared.
    pub span: Span,
}

/// A named expression of the module, as written.
#[derive(Debug, Clone)]
pub struct NamedText {
    /// Name.
    pub name: String,
    /// The expression.
    pub text: String,
    /// Documentation.
    pub doc: Option<String>,
    /// Where it is declared.
    pub span: Span,
}

/// What a [`Remark`] or [`Example`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The format; of an example: a whole file.
    Module,
    /// A struct, union type, or case. An example of a case is one of the struct around it.
    Record(RecordId),
    /// A declared text: its position in [`Model::strings`].
    Text(u32),
    /// A kind of variable-length integer.
    Varint(VarintId),
    /// A kind of integer in digits.
    Digits(DigitsId),
    /// An enumeration.
    Enum(EnumId),
}

/// What kind of [`Remark`] it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkKind {
    /// Another name that people know (`also`).
    Also,
    /// Something worth knowing (`note`).
    Note,
    /// How large or how many something can be, or was seen (`limit`).
    Limit,
    /// Something that nobody knows yet (`open`).
    Open,
    /// What files with some of the extensions are.
    Extension,
}

/// A sentence for people.
#[derive(Debug, Clone)]
pub struct Remark {
    /// What it is about.
    pub subject: Subject,
    /// What kind it is.
    pub kind: RemarkKind,
    /// The words.
    pub text: String,
    /// Of [`RemarkKind::Extension`]: the extensions.
    pub names: Vec<String>,
    /// Where it is written.
    pub span: Span,
}

/// Bytes, and what a reader finds in them.
#[derive(Debug, Clone)]
pub struct Example {
    /// What the bytes are.
    pub subject: Subject,
    /// The bytes. Offsets in them count from the first of them.
    pub bytes: Vec<u8>,
    /// What they show.
    pub doc: Option<String>,
    /// Layouts that read them so, one flag per epoch; a whole file says its own.
    pub epochs: Vec<bool>,
    /// Fields and what is in them.
    pub says: Vec<Said>,
    /// Where it is written.
    pub span: Span,
}

/// What an [`Example`] says of a field.
#[derive(Debug, Clone)]
pub struct Said {
    /// Path of the field; empty for the whole.
    pub path: String,
    /// Its value; `None` if nothing is there.
    pub value: Option<Constant>,
    /// Where it is written.
    pub span: Span,
}

/// Byte order of a record's cells.
#[derive(Debug, Clone)]
pub enum EndianRule {
    /// Always this one.
    Fixed(ByteOrder),
    /// The first condition that holds decides. `None` in the end: an error.
    Chosen(Vec<(ExprId, ByteOrder)>, Option<ByteOrder>),
}

impl EndianRule {
    /// Whether the data may decide nothing, which is an error.
    #[must_use]
    pub fn may_fail(&self) -> bool {
        matches!(self, EndianRule::Chosen(_, None))
    }

    /// The conditions that decide.
    pub fn conditions(&self) -> impl Iterator<Item = ExprId> + '_ {
        let chosen = match self {
            EndianRule::Fixed(_) => &[][..],
            EndianRule::Chosen(choices, _) => choices,
        };
        chosen.iter().map(|(condition, _)| *condition)
    }
}

/// A choice between bodies.
#[derive(Debug, Clone)]
pub struct Union {
    /// Name for people, unique in the model: `Item`, `Event.data`.
    pub name: String,
    /// Documentation.
    pub doc: Option<String>,
    /// Source of the knowledge (`source=`).
    pub source: Option<String>,
    /// Whether a record consists of this union (and what stands beside it): a union declared as a
    /// type. The row that holds it has no step of its own in paths, and a case that stands for the
    /// whole begins where the record does.
    pub body: bool,
    /// What decides.
    pub tag: Tag,
    /// The cases. Labels are disjoint within an epoch.
    pub cases: Vec<Case>,
    /// Size of every case in bytes, if the union has a fixed one (`size=`): shorter cases are
    /// an error of the schema.
    pub size: Option<u64>,
    /// Where it is declared.
    pub span: Span,
}

/// What decides which case of a union is there.
#[derive(Debug, Clone)]
pub enum Tag {
    /// A row of the record that holds the union, derived from the case when writing.
    Row(RowId),
    /// A number or text that is data elsewhere; the case must agree.
    Given(ExprId),
    /// The union begins with this number; labels are numbers or bit patterns, which may reach
    /// into the bytes behind the tag (first byte first).
    Own(Cell),
    /// The union begins with this number, and patterns cover it from the highest bit.
    Word(Cell),
}

/// One body of a [`Union`].
#[derive(Debug, Clone)]
pub struct Case {
    /// Name.
    pub name: String,
    /// Documentation.
    pub doc: Option<String>,
    /// What selects it; empty if it has forms.
    pub labels: Vec<Label>,
    /// Epochs that have it, one flag per epoch.
    pub epochs: Vec<bool>,
    /// Further condition over the data.
    pub guard: Option<ExprId>,
    /// Rows. Of `as=T`: the struct T, which then stands for the whole union, tag included.
    pub record: RecordId,
    /// Whether `record` stands for the whole union (`as=`).
    pub whole: bool,
    /// Spellings of the one value; the rows of `record` then have role `Elsewhere`.
    pub forms: Vec<Form>,
    /// Where it is declared.
    pub span: Span,
}

/// One spelling of a case.
#[derive(Debug, Clone)]
pub struct Form {
    /// What selects it.
    pub labels: Vec<Label>,
    /// Epochs that have it.
    pub epochs: Vec<bool>,
    /// Rows, which have the names of the case's rows.
    pub record: RecordId,
    /// Where it is declared.
    pub span: Span,
}

/// What selects a case.
#[derive(Debug, Clone, PartialEq)]
pub enum Label {
    /// Numbers from the first to the last, both included.
    Range(i128, i128),
    /// A text or bytes.
    Text(String),
    /// Bits.
    Pattern(Pattern),
    /// Whatever no other case takes.
    Else,
}

/// Bits of a tag, and of the bytes behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Number of bits, a multiple of 8.
    pub width: u32,
    /// Bits that are fixed, bit 0 the last written.
    pub mask: u128,
    /// Their values.
    pub bits: u128,
    /// Letters, each with its bit numbers from the most significant down.
    pub letters: Vec<(char, Vec<u32>)>,
}

/// An enumeration.
#[derive(Debug, Clone)]
pub struct Enum {
    /// Name.
    pub name: String,
    /// Documentation.
    pub doc: Option<String>,
    /// Source of the knowledge (`source=`).
    pub source: Option<String>,
    /// Whether a number without a name is an error.
    pub closed: bool,
    /// Members in the order of declaration.
    pub members: Vec<EnumMember>,
    /// Where it is declared.
    pub span: Span,
}

impl Enum {
    /// Whether a row of it may have this number: a closed one has those of its members alone.
    #[must_use]
    pub fn allows(&self, number: i128) -> bool {
        !self.closed || self.members.iter().any(|member| member.number == number)
    }
}

/// A member of an [`Enum`].
#[derive(Debug, Clone)]
pub struct EnumMember {
    /// Name.
    pub name: String,
    /// Number.
    pub number: i128,
    /// Documentation.
    pub doc: Option<String>,
}

/// A kind of pointer, as declared by `pointer`.
#[derive(Debug, Clone)]
pub struct PointerKind {
    /// Sigil or name.
    pub name: String,
    /// Documentation.
    pub doc: Option<String>,
    /// How the number is stored.
    pub cell: Cell,
    /// Address that the number counts from, evaluated in the record that holds the pointer.
    /// `None`: the start of the file.
    pub base: Option<ExprId>,
    /// Number for "nothing", if there is one.
    pub none: Option<i128>,
    /// What a pointer to an empty array is.
    pub when_empty: WhenEmpty,
    /// Targets begin on a multiple of this many bytes, unless their type says otherwise.
    pub align: u64,
    /// The number points this many bytes into the target.
    pub skip: u64,
    /// The number counts units of this many bytes.
    pub unit: u64,
    /// Targets are members of this pool: rows of kind [`RowKind::Pool`], as a path from the root.
    pub pool: Option<Path>,
    /// For pooled pointers: how the target is stored.
    pub text: Option<Box<Type>>,
    /// Relocation: the first rule whose condition holds (evaluated in the root's node).
    pub listing: Vec<(Option<ExprId>, Listing)>,
    /// Where it is declared.
    pub span: Span,
}

/// Which pointers stand in the relocation table, by class of target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listing {
    /// Pointers to one object.
    pub object: Policy,
    /// Pointers to arrays.
    pub array: Policy,
    /// Pointers to records whose rows hold a `patricia` equation.
    pub dictionary: Policy,
    /// Pooled pointers.
    pub string: Policy,
    /// Rows that a program fills in memory.
    pub runtime: Policy,
}

/// A kind of variable-length integer.
#[derive(Debug, Clone)]
pub struct Varint {
    /// Name.
    pub name: String,
    /// Documentation.
    pub doc: Option<String>,
    /// The integer that values fit.
    pub ty: IntType,
    /// Which group of seven bits comes first.
    pub order: GroupOrder,
    /// Most bytes that one may take.
    pub max_bytes: u8,
    /// How one with a sign has it.
    pub sign: VarintSign,
    /// Bits of the last byte that one may take: 7, or 8, since none can follow.
    pub last: u8,
    /// Whether one always takes as few bytes as will do.
    pub shortest: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A text as declared by `string`, with its arguments.
#[derive(Debug, Clone)]
pub struct StringKind {
    /// Name, with arguments: `Name`, `Wide<u16>`.
    pub name: String,
    /// Documentation.
    pub doc: Option<String>,
    /// Source of the knowledge (`source=`).
    pub source: Option<String>,
    /// The type of rows that use it.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// Order of a string pool's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolOrder {
    /// As labels are met in the order of their addresses.
    FirstUse,
    /// As labels are met in the order of their addresses, and each has a member of its own: a text
    /// that two of them name is there twice.
    EachUse,
    /// As labels are met in the value: rows in their order, each with all that it leads to.
    DepthFirst,
    /// By bytes.
    Bytes,
    /// By the bits from the last byte's lowest to the first byte's highest.
    BitsFromEnd,
}

/// How entries of a relocation table say where pointers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelocationEncoding {
    /// An offset and a mask of up to 32 eight-byte words.
    PointerMasks,
    /// Runs of pointers at equal distances.
    PointerRuns,
}

/// One section of the relocation table.
#[derive(Debug, Clone)]
pub struct RelocationSection {
    /// Name that `section=` refers to; may be empty if there is only one.
    pub name: String,
    /// Address of the first byte, evaluated in the root's node.
    pub from: ExprId,
    /// Address behind the last byte.
    pub to: ExprId,
    /// Where it is declared.
    pub span: Span,
}
