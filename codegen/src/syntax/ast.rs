//! What a schema text says, with places; nothing is looked up yet.

use super::expr::{Ex, FromEx, PathEx, RefEx};
use crate::model::{Constant, RemarkKind};
use crate::span::{SourceId, Span, Spanned};

/// One schema text.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub source: SourceId,
    pub head: Option<Head>,
    /// The module or library that this text is a part of.
    pub part: Option<Spanned<String>>,
    pub includes: Vec<Include>,
    pub params: Vec<ParamDecl>,
    pub imports: Vec<Import>,
    pub epochs: Vec<EpochDecl>,
    pub lets: Vec<LetDecl>,
    pub decls: Vec<Decl>,
    /// Names of declarations that have an error of their own, and so are not among these.
    pub broken: Vec<String>,
    pub relocation: Vec<SectionDecl>,
}

/// `include "NAME"`.
#[derive(Debug, Clone)]
pub(crate) struct Include {
    pub name: Spanned<String>,
    /// How many declarations stand before it.
    pub decls: usize,
}

/// `module` or `library`.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub library: bool,
    pub name: Spanned<String>,
    pub title: Option<String>,
    pub props: Props,
    pub extensions: Vec<String>,
    /// What files with some extensions are.
    pub kinds: Vec<(Vec<String>, String, Span)>,
    pub sources: Vec<String>,
    pub about: Vec<About>,
    pub span: Span,
}

/// What a schema says to people.
#[derive(Debug, Clone)]
pub(crate) enum About {
    Remark(RemarkDecl),
    Example(ExampleDecl),
}

/// `note "TEXT"` and the like.
#[derive(Debug, Clone)]
pub(crate) struct RemarkDecl {
    pub kind: RemarkKind,
    pub text: String,
    pub span: Span,
}

/// `example "BYTES" "DOC" { PATH VALUE }`.
#[derive(Debug, Clone)]
pub(crate) struct ExampleDecl {
    pub bytes: Vec<u8>,
    pub doc: Option<String>,
    pub when: Option<Ex>,
    /// Which of several uses with other arguments it is of.
    pub of: Option<Spanned<String>>,
    pub says: Vec<SaidDecl>,
    pub span: Span,
}

/// `PATH VALUE`; without a value: nothing is there.
#[derive(Debug, Clone)]
pub(crate) struct SaidDecl {
    pub path: Spanned<String>,
    pub value: Option<Constant>,
    pub span: Span,
}

/// `param NAME KIND`.
#[derive(Debug, Clone)]
pub(crate) struct ParamDecl {
    pub name: Spanned<String>,
    pub kind: Spanned<String>,
}

/// `import NAME { PARAM VALUE }`.
#[derive(Debug, Clone)]
pub(crate) struct Import {
    pub name: Spanned<String>,
    pub args: Vec<(Spanned<String>, Argument)>,
    pub span: Span,
}

/// Value of a library's parameter, or argument of a type.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    /// As written.
    pub text: String,
    /// Read as a type, if it can be one.
    pub ty: Option<TypeEx>,
    /// Read as an expression, if it can be one.
    pub ex: Option<Ex>,
    pub span: Span,
}

/// `epoch NAME from=PATH`.
#[derive(Debug, Clone)]
pub(crate) struct EpochDecl {
    pub name: Spanned<String>,
    pub from: PathEx,
    pub span: Span,
}

/// `let NAME "EXPR" "DOC"`.
#[derive(Debug, Clone)]
pub(crate) struct LetDecl {
    pub name: Spanned<String>,
    pub ex: Ex,
    /// The expression as written; of a number its digits.
    pub text: String,
    pub doc: Option<String>,
    pub span: Span,
}

/// `section NAME from= to=` of `relocation`.
#[derive(Debug, Clone)]
pub(crate) struct SectionDecl {
    pub name: String,
    pub from: Ex,
    pub to: Ex,
    pub span: Span,
}

/// Something with a name at the top level.
#[derive(Debug, Clone)]
pub(crate) struct Decl {
    pub name: Spanned<String>,
    pub params: Vec<Spanned<String>>,
    pub doc: Option<String>,
    pub props: Props,
    pub body: DeclBody,
    pub about: Vec<About>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum DeclBody {
    Struct {
        homes: Vec<Spanned<HomeEx>>,
        open: bool,
        items: Vec<Item>,
    },
    Union {
        items: Vec<Item>,
        cases: Vec<CaseDecl>,
    },
    Enum {
        storage: Option<TypeEx>,
        members: Vec<MemberDecl>,
    },
    Word {
        storage: TypeEx,
        fields: Vec<WordField>,
    },
    Text,
    Varint {
        storage: TypeEx,
    },
    /// `digits`.
    Digits {
        storage: TypeEx,
    },
    Pointer {
        storage: TypeEx,
        lists: Vec<ListDecl>,
    },
    Alias(Vec<(Option<Ex>, TypeEx)>),
}

/// `list object=set ...`, with the condition under which it applies.
#[derive(Debug, Clone)]
pub(crate) struct ListDecl {
    pub condition: Option<Ex>,
    pub props: Props,
}

#[derive(Debug, Clone)]
pub(crate) struct MemberDecl {
    pub name: Spanned<String>,
    pub number: i128,
    pub doc: Option<String>,
}

/// A field of `bits` or `flags`.
#[derive(Debug, Clone)]
pub(crate) struct WordField {
    pub ty: TypeEx,
    pub name: Spanned<String>,
    pub first: Spanned<i128>,
    pub last: i128,
    pub doc: Option<String>,
    pub props: Props,
    pub span: Span,
}

/// An offset, or `-`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HomeEx {
    At(u64),
    Absent,
}

/// `check "EXPR" "TEXT"`.
#[derive(Debug, Clone)]
pub(crate) struct CheckDecl {
    pub ex: Ex,
    /// The condition as written.
    pub text: String,
    pub doc: Option<String>,
    pub span: Span,
}

/// Something in a struct or in the body of a case.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Row(Box<Row>),
    When { condition: Ex, then: Vec<Item>, otherwise: Vec<Item> },
    Let(LetDecl),
    Check(CheckDecl),
    Derive { path: PathEx, is: Ex, span: Span },
    Layout(Vec<Place>, Span),
    Endian(EndianDecl),
    Columns(Vec<Spanned<String>>, Vec<Option<Ex>>, Span),
}

/// `endian { when "C" little; else big }`.
#[derive(Debug, Clone)]
pub(crate) struct EndianDecl {
    pub rules: Vec<(Ex, Spanned<String>)>,
    pub otherwise: Option<Spanned<String>>,
    pub span: Span,
}

/// A line of a struct.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Of an object: whether it may not be there.
    pub optional: bool,
    pub word: RowWord,
    pub name: Option<Spanned<String>>,
    pub homes: Vec<Spanned<HomeEx>>,
    pub doc: Option<String>,
    pub props: Props,
    pub span: Span,
}

/// First word of a line.
#[derive(Debug, Clone)]
pub(crate) enum RowWord {
    Typed(TypeEx),
    Magic(Option<Spanned<String>>),
    Const(Option<TypeEx>),
    Zero,
    Reserved,
    Runtime,
    Zeros,
    ByteOrder,
    Tag,
    Union(Vec<Item>, Vec<CaseDecl>),
    Slice,
    Pool(PoolDecl),
    Object(TypeEx),
    Mark,
    Value(TypeEx),
}

#[derive(Debug, Clone, Default)]
pub(crate) struct PoolDecl {
    pub always: Vec<String>,
    pub kept: bool,
    /// The first whose condition holds.
    pub order: Vec<(Option<Ex>, Spanned<String>)>,
}

#[derive(Debug, Clone)]
pub(crate) struct CaseDecl {
    pub name: Spanned<String>,
    pub labels: Vec<LabelEx>,
    pub doc: Option<String>,
    pub props: Props,
    pub items: Vec<Item>,
    pub forms: Vec<FormDecl>,
    pub about: Vec<About>,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct FormDecl {
    pub labels: Vec<LabelEx>,
    pub props: Props,
    pub items: Vec<Item>,
    pub span: Span,
}

/// What selects a case or form.
#[derive(Debug, Clone)]
pub(crate) struct LabelEx {
    pub kind: LabelKind,
    /// Whether it stands in quotes.
    pub quoted: bool,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum LabelKind {
    /// Both ends included; open ends are the limits of 128 bits.
    Range(i128, i128),
    Bool(bool),
    Text(String),
    /// Member of an enumeration.
    Name(String),
    Pattern(String),
    Else,
}

/// A statement of a layout.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    This,
    Record(PathEx),
    Tail(PathEx),
    Put(PathEx),
    Run(Spanned<String>, PathEx),
    Align(Ex),
    Zero(Ex),
    Mark(Spanned<String>, Option<Ex>),
    When(Ex, Vec<Place>, Vec<Place>),
    Pass(Spanned<String>, Vec<Place>),
}

/// A type as written: `*?nn.Names<items.name>`.
#[derive(Debug, Clone)]
pub(crate) struct TypeEx {
    /// Sigil in front, and whether `?` follows.
    pub prefix: Option<(String, bool)>,
    /// Name, perhaps with dots; empty for a sigil alone.
    pub name: String,
    pub args: Vec<Argument>,
    /// Sigil behind: elements are pointers.
    pub suffix: Option<(String, bool)>,
    pub span: Span,
}

impl TypeEx {
    /// A plain name.
    pub fn plain(name: &str, span: Span) -> TypeEx {
        TypeEx { prefix: None, name: name.to_owned(), args: Vec::new(), suffix: None, span }
    }
}

/// Properties of a node. Names are known and distinct.
#[derive(Debug, Clone, Default)]
pub(crate) struct Props(pub Vec<Prop>);

#[derive(Debug, Clone)]
pub(crate) struct Prop {
    pub name: &'static str,
    pub value: PropValue,
    /// As written, for messages.
    pub text: String,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum PropValue {
    Ex(Ex),
    Word(String),
    Text(String),
    Int(i128),
    Flag(bool),
    Ref(RefEx),
    From(FromEx),
    Numbers(Vec<i128>),
}

impl Props {
    pub fn get(&self, name: &str) -> Option<&Prop> {
        self.0.iter().find(|p| p.name == name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn span(&self, name: &str) -> Option<Span> {
        self.get(name).map(|p| p.span)
    }

    pub fn ex(&self, name: &str) -> Option<&Ex> {
        match &self.get(name)?.value {
            PropValue::Ex(ex) => Some(ex),
            _ => None,
        }
    }

    /// The word of an expression that is one word, or of a word property.
    pub fn word(&self, name: &str) -> Option<&str> {
        match &self.get(name)?.value {
            PropValue::Ex(ex) => ex.word(),
            PropValue::Word(word) | PropValue::Text(word) => Some(word),
            _ => None,
        }
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match &self.get(name)?.value {
            PropValue::Text(text) | PropValue::Word(text) => Some(text),
            _ => None,
        }
    }

    pub fn int(&self, name: &str) -> Option<i128> {
        match self.get(name)?.value {
            PropValue::Int(n) => Some(n),
            _ => None,
        }
    }

    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name).map(|p| &p.value), Some(PropValue::Flag(true)))
    }

    pub fn numbers(&self, name: &str) -> Vec<i128> {
        match self.get(name).map(|p| &p.value) {
            Some(PropValue::Numbers(list)) => list.clone(),
            _ => Vec::new(),
        }
    }
}
