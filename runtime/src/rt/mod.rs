//! What generated code stands on. Not part of the public interface: it changes together with the
//! generator, and [`expect_codegen`] makes sure that the two fit.
#![allow(clippy::must_use_candidate)]

mod engine;
pub mod labels;
mod macros;
mod names;
mod read;
pub mod rows;
mod schema;
mod settle;
mod tables;
mod tree;
mod val;
mod value;
pub mod write;

pub use crate::straight as s;
pub use engine::{int_of, truth_of, Engine, Found, Function, StreamFunction};
pub use names::*;
pub use read::*;
pub use schema::{Member, PathInfo, RecordInfo, Schema, SlotInfo, Source, Start, Step};
pub use settle::{
    above, below, element_of, failed, is_derived, lists, none_of, not_equal, settle, val_kept,
};
pub use tree::{
    ancestor, element_address, enclosing, through, ArrayItem, Bytes, Item, Loc, Node, NodeId,
    PointerItem, Slot, Text, Tree, NOTHING, UNPLACED, WHOLE,
};
pub use val::{
    binary, compare, describe, eval_error, integer, is_one, is_within, read_kind, same, unary,
    BinaryOp, Evaluated, Fallible, Fault, It, UnaryOp, Val,
};
