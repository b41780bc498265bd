//! Where expressions are evaluated, and what they find there.

use proc_macro2::{Ident, TokenStream};

use super::able::{Able, unable};
use crate::model::{ExprId, Path, RecordId, RowId, Type, UnionId};
use crate::rust::shape::Shape;

/// A node that expressions may look at.
#[derive(Debug, Clone)]
pub(in crate::rust) struct Frame {
    pub record: RecordId,
    pub access: Access,
    /// Its address: a number of 64 bits.
    pub at: Option<TokenStream>,
    /// Its position in the array around it.
    pub index: Option<TokenStream>,
}

/// A row that was written, while a table beside it is filled.
#[derive(Clone)]
pub(super) struct Placed {
    pub record: RecordId,
    pub row: RowId,
    /// Locals with the addresses where it begins and ends.
    pub from: Ident,
    pub end: Ident,
    /// Of an array, how many elements it has, a `usize`, and where they are.
    pub elements: Option<(TokenStream, Elements)>,
}

/// Where the elements of an array are.
#[derive(Clone)]
pub(super) enum Elements {
    /// Each has so many bytes.
    OfSize(u64),
    /// Their addresses are remembered behind the mark in a local.
    Listed(Ident),
}

/// How the rows of a node are had.
#[derive(Debug, Clone)]
pub(in crate::rust) enum Access {
    /// An expression for a reference to its value.
    Value(TokenStream),
    /// A local that has a reference to its value, if it is around at all.
    Maybe(Ident),
    /// Numbers are in locals named by [`early`], values in those named by [`early_value`].
    Early,
    /// Numbers stand in the file, the struct at this address: a `u64`.
    Seen(TokenStream),
}

/// Addresses, for those who know them.
pub(in crate::rust) trait Late {
    /// What `at(path)`, `end(path)`, `index(path)` and the like are: an `Option<i128>`.
    fn address(&self, scope: &Scope, expr: ExprId) -> Able<TokenStream>;

    /// Whether it knows any.
    fn has_addresses(&self) -> bool {
        true
    }

    /// Whether it finds them by following numbers in the file that is written.
    fn follows_ink(&self) -> bool {
        false
    }

    /// The bytes of the file that an expression asks for: an `Option<&[u8]>`.
    fn stored(&self) -> Able<TokenStream> {
        unable("bytes of the file")
    }

    /// The number of members of the pool that a path leads to, if it is one: an `Option<i128>`.
    fn member_count(&self, _scope: &Scope, _path: &Path) -> Option<TokenStream> {
        None
    }

    /// Code that takes as many steps off an account as a list has elements, where there is one.
    fn steps(&self, _list: &TokenStream) -> Option<TokenStream> {
        None
    }

    /// What `listed(path)` is: a `bool`.
    fn is_listed(&self, path: &Path) -> Able<TokenStream> {
        unable(format!("whether `{}` is listed", path.text))
    }
}

/// What a rule or a condition is about.
#[derive(Clone)]
pub(in crate::rust) enum It {
    /// A number: an `i128`.
    Number(TokenStream),
    /// A value of a type, by a reference.
    Value(Type, Shape, TokenStream),
    /// A struct.
    Node(Frame),
}

/// Where an expression is evaluated.
#[derive(Clone, Default)]
pub(in crate::rust) struct Scope<'l> {
    /// The node and those around it, the node itself last.
    pub frames: Vec<Frame>,
    /// What `it` is.
    pub it: Option<It>,
    /// Who knows addresses.
    pub late: Option<&'l dyn Late>,
}

impl<'l> Scope<'l> {
    /// The value of the nearest node of a record.
    pub fn value_of(&self, record: RecordId) -> Option<TokenStream> {
        self.frame_of(record).and_then(|frame| match &frame.access {
            Access::Value(value) => Some(value.clone()),
            Access::Maybe(_) | Access::Early | Access::Seen(_) => None,
        })
    }

    /// The nearest node of a record.
    pub fn frame_of(&self, record: RecordId) -> Option<&Frame> {
        self.frames.iter().rev().find(|frame| frame.record == record)
    }

    /// The same in a node, which may be one of those around.
    pub fn at(&self, frame: &Frame) -> Scope<'l> {
        let is_it = |known: &Frame| {
            known.record == frame.record
                && match (&known.access, &frame.access) {
                    (Access::Value(a), Access::Value(b)) => a.to_string() == b.to_string(),
                    (Access::Early, Access::Early) => true,
                    (Access::Seen(a), Access::Seen(b)) => a.to_string() == b.to_string(),
                    _ => false,
                }
        };
        let frames = match self.frames.iter().rposition(is_it) {
            Some(at) => self.frames[..=at].to_vec(),
            // What is around it is not at hand.
            None => vec![frame.clone()],
        };
        Scope { frames, it: None, late: self.late }
    }

    /// The same, inside of one more node.
    #[must_use]
    pub fn within(&self, frame: Frame) -> Scope<'l> {
        let mut scope = self.clone();
        scope.frames.push(frame);
        scope
    }
}

/// What a path leads to.
pub(super) enum Place {
    /// A node.
    Node(Frame),
    /// A number: an `i128`.
    Number(TokenStream),
    /// A truth value: a `bool`.
    Truth(TokenStream),
    /// Bits of a record: the number that they are in, an `i128`.
    Word(RecordId, TokenStream),
    /// A union: a reference to its enum.
    Choice(UnionId, TokenStream),
    /// An array: a reference to something with `len()` and `iter()`, and the type of its elements.
    /// Without a type it is a text in units of 16 bits.
    List(TokenStream, Option<(Type, Shape)>),
    /// An array that no value has, and how many elements that has: an `i128`.
    Counted(TokenStream),
    /// A text or bytes: a reference to something with `len()` and `chars()`.
    Text(TokenStream),
}
