//! Expressions over the values of a file.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Index;

use super::{ExprId, RecordId, RowId};

/// Expressions by number. An operand has a lower number than what it is an operand of.
#[derive(Debug, Clone, Default)]
pub struct Exprs(Vec<Expr>);

impl Exprs {
    /// Adds an expression.
    ///
    /// # Panics
    ///
    /// If there are 2^32 expressions already.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        let id = u32::try_from(self.0.len()).expect("fewer than 2^32 expressions");
        self.0.push(expr);
        ExprId(id)
    }

    /// All expressions with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        (0..).map(ExprId).zip(&self.0)
    }

    /// Number of expressions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Index<ExprId> for Exprs {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.0[id.index()]
    }
}

/// An expression. Evaluated in a node, which is `this`.
#[derive(Debug, Clone)]
pub enum Expr {
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(String),
    /// Bytes: `hex('4949')`.
    Bytes(Vec<u8>),
    /// An epoch variable, by position.
    Epoch(u32),
    /// A place in the tree of nodes.
    Path(Path),
    /// One operand.
    Unary(UnaryOp, ExprId),
    /// Two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `c ? a : b`.
    If(ExprId, ExprId, ExprId),
    /// `a ?? b`: b if a is none, or a path of it leads to nothing.
    Coalesce(ExprId, ExprId),
    /// `a in [b, c..d]`: equal to one, or in one of the inclusive ranges.
    In(ExprId, Vec<(ExprId, Option<ExprId>)>),
    /// `a is CASE`: the union at this path has this case, by name.
    Is(Path, String),
    /// A function of plain values.
    Call(Function, CallArgs),
    /// A function of a stream.
    Stream(StreamFunction, ExprId, Option<ExprId>),
    /// Address of the first byte of the object or row at a path.
    At(Path),
    /// Address behind its last byte.
    End(Path),
    /// Its size in bytes.
    Size(Path),
    /// Its position in the array around it.
    Index(Path),
    /// Whether it is the last element of the array around it.
    IsLast(Path),
    /// Whether the file's relocation table lists the pointer in this row.
    Listed(Path),
    /// The bytes of the file between two addresses, those of the row that follows from them as zeros.
    Stored(ExprId, ExprId),
    /// Size of the file in bytes.
    FileEnd,
    /// Position of the next byte to read or write, and end of the region around it, as addresses.
    Here,
    /// End of the region around the row being read, as an address.
    RegionEnd,
    /// The sections of the relocation table, as elements of four numbers: start, size, first
    /// entry, number of entries.
    RelocationSections,
    /// The entries of the relocation table, in the encoding of the element's record.
    RelocationEntries,
    /// Nodes of the radix tree over these keys, as elements of: bit, link for 0, link for 1, key.
    Patricia(Path),
}

impl Expr {
    /// Whether it makes the elements of a whole table.
    #[must_use]
    pub fn is_table(&self) -> bool {
        matches!(self, Expr::Patricia(_) | Expr::RelocationSections | Expr::RelocationEntries)
    }

    /// Calls `visit` for each operand, in the order in which they are written. Subscripts inside of
    /// paths are no operands.
    pub fn operands(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            Expr::Unary(_, a) => visit(*a),
            Expr::Binary(_, a, b) | Expr::Coalesce(a, b) | Expr::Stored(a, b) => {
                [a, b].into_iter().for_each(|e| visit(*e))
            }
            Expr::If(a, b, c) => [a, b, c].into_iter().for_each(|e| visit(*e)),
            Expr::In(a, ranges) => {
                visit(*a);
                for (low, high) in ranges {
                    visit(*low);
                    high.iter().for_each(|high| visit(*high));
                }
            }
            Expr::Call(_, arguments) => arguments.iter().for_each(|argument| visit(*argument)),
            Expr::Stream(_, stream, filter) => {
                visit(*stream);
                filter.iter().for_each(|filter| visit(*filter));
            }
            Expr::Path(_)
            | Expr::Is(..)
            | Expr::At(_)
            | Expr::End(_)
            | Expr::Size(_)
            | Expr::Index(_)
            | Expr::IsLast(_)
            | Expr::Listed(_)
            | Expr::Patricia(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Bool(_)
            | Expr::Text(_)
            | Expr::Bytes(_)
            | Expr::Epoch(_)
            | Expr::FileEnd
            | Expr::Here
            | Expr::RegionEnd
            | Expr::RelocationSections
            | Expr::RelocationEntries => {}
        }
    }

    /// The path that it is about, if it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Expr::Path(path)
            | Expr::Is(path, _)
            | Expr::At(path)
            | Expr::End(path)
            | Expr::Size(path)
            | Expr::Index(path)
            | Expr::IsLast(path)
            | Expr::Listed(path)
            | Expr::Patricia(path) => Some(path),
            _ => None,
        }
    }
}

/// Arguments of a [`Function`].
pub type CallArgs = Vec<ExprId>;

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Operators with two operands. Integers are checked 128 bits; division rounds down and the
/// remainder is not negative; shifts are by 0 to 127.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    BothTrue,
    EitherTrue,
    /// `a ++ b`: one stream behind the other.
    Concatenate,
}

impl UnaryOp {
    /// Sign in schemas.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            UnaryOp::Negate => "-",
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
        }
    }
}

impl BinaryOp {
    /// Sign in schemas.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessOrEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterOrEqual => ">=",
            BinaryOp::BothTrue => "&&",
            BinaryOp::EitherTrue => "||",
            BinaryOp::Concatenate => "++",
        }
    }

    /// What a comparison says of two values in this order; nothing of another operator.
    #[must_use]
    pub fn holds(self, order: core::cmp::Ordering) -> Option<bool> {
        Some(match self {
            BinaryOp::Equal => order.is_eq(),
            BinaryOp::NotEqual => order.is_ne(),
            BinaryOp::Less => order.is_lt(),
            BinaryOp::LessOrEqual => order.is_le(),
            BinaryOp::Greater => order.is_gt(),
            BinaryOp::GreaterOrEqual => order.is_ge(),
            _ => return None,
        })
    }
}

/// Functions of plain values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `murmur3(text, seed)`.
    Murmur3,
    /// `fnv1a(text)`.
    Fnv1a,
    /// `polynomial(text, factor, start)`, where `start` may be left out.
    Polynomial,
    /// `crc32(text)`.
    Crc32,
    /// `adler32(text)`.
    Adler32,
    /// `md5(text)`, which is bytes.
    Md5,
    /// `sha1(text)`, which is bytes.
    Sha1,
    /// `sha256(text)`, which is bytes.
    Sha256,
    /// `stem(text)`: base name up to its last dot.
    Stem,
    /// `extension(text)`: what follows the last dot.
    Extension,
    /// `ends_with(text, text)`.
    EndsWith,
    /// `length(x)`: bytes of a byte run or of a text as UTF-8.
    Length,
    /// `utf16_units(text)`: units that a text has in UTF-16.
    Utf16Units,
    /// `number(x)`: the number of an enumeration member.
    Number,
    /// `numbers(x)`: the bytes of a byte run as numbers, which are a stream.
    Numbers,
    /// `min(a, b)`: the lesser of two numbers.
    Least,
    /// `max(a, b)`: the greater of two numbers.
    Greatest,
    /// `floor(x)`: the greatest integer that is not above a number.
    Floor,
    /// `ceil(x)`: the least integer that is not below a number.
    Ceil,
    /// `round(x)`: the nearest integer; of two the one farther from zero.
    Round,
    /// `trunc(x)`: the nearest integer that is not farther from zero.
    Trunc,
}

impl Function {
    /// How many bytes it gives, if it is a digest.
    #[must_use]
    pub fn digest_size(self) -> Option<u64> {
        match self {
            Function::Md5 => Some(16),
            Function::Sha1 => Some(20),
            Function::Sha256 => Some(32),
            _ => None,
        }
    }

    /// Name in schemas.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Function::Murmur3 => "murmur3",
            Function::Fnv1a => "fnv1a",
            Function::Polynomial => "polynomial",
            Function::Crc32 => "crc32",
            Function::Adler32 => "adler32",
            Function::Md5 => "md5",
            Function::Sha1 => "sha1",
            Function::Sha256 => "sha256",
            Function::Stem => "stem",
            Function::Extension => "extension",
            Function::EndsWith => "ends_with",
            Function::Length => "length",
            Function::Utf16Units => "utf16_units",
            Function::Number => "number",
            Function::Numbers => "numbers",
            Function::Least => "min",
            Function::Greatest => "max",
            Function::Floor => "floor",
            Function::Ceil => "ceil",
            Function::Round => "round",
            Function::Trunc => "trunc",
        }
    }
}

/// Functions of streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum StreamFunction {
    Count,
    Sum,
    Min,
    Max,
    Any,
    All,
    First,
    /// Position of the first one in the array that it is an element of.
    FirstIndex,
    /// Units of one text that may have several bytes each: nothing, if it is not there.
    Units,
}

impl StreamFunction {
    /// Its name, for people: that of `FirstIndex` is what `index(first(...))` says.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StreamFunction::Count | StreamFunction::Units => "count",
            StreamFunction::Sum => "sum",
            StreamFunction::Min => "min",
            StreamFunction::Max => "max",
            StreamFunction::Any => "any",
            StreamFunction::All => "all",
            StreamFunction::First => "first",
            StreamFunction::FirstIndex => "first index",
        }
    }
}

/// A place in the tree of nodes.
#[derive(Debug, Clone)]
pub struct Path {
    /// Where it begins.
    pub start: Start,
    /// What follows. A step on an array without a [`Step::Index`] goes on in all elements, which
    /// makes the path a stream.
    pub steps: Vec<Step>,
    /// As written, for messages.
    pub text: String,
}

/// Beginning of a [`Path`].
#[derive(Debug, Clone)]
pub enum Start {
    /// The node itself.
    This,
    /// The owner, so many levels up (1 is the node's owner).
    Up(u32),
    /// The nearest of node, owner, owner's owner... that is of one of these records.
    Enclosing(Vec<RecordId>),
    /// The root.
    Root,
    /// The element that a check, filter, `where` or `last=` is about.
    It,
    /// An argument of the node's record: [`super::Record::arguments`], evaluated in the owner.
    Argument(u32),
}

impl Start {
    /// Whether it is the node itself, if that is of a record.
    pub fn is_in(&self, record: RecordId) -> bool {
        match self {
            Start::This => true,
            Start::Enclosing(records) => records.contains(&record),
            Start::Up(_) | Start::Root | Start::It | Start::Argument(_) => false,
        }
    }
}

/// One step of a [`Path`].
#[derive(Debug, Clone)]
pub enum Step {
    /// A row or `let` of the record that was reached.
    Field(Field),
    /// One element of the array that was reached.
    Index(ExprId),
    /// The last element.
    Last,
}

/// A field, which may belong to several records: cases of a union, or uses of a parameterised
/// struct. Where the record that is reached has none of it, the path leads to nothing.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub members: Vec<(RecordId, Vec<Member>)>,
}

/// Way from a node to a field: through unnamed inline rows and union rows if need be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member {
    /// A row of the node.
    Row(RowId),
    /// Into the node of the chosen case (or unnamed struct) in this row, then on.
    Into(RowId),
    /// A `let` of the node, by position.
    Let(u32),
}
