//! The functions for what `let`s and rows follow from.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{RecordId, RowId};
use crate::rust::mentions::called;

/// What an expression is asked for as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::rust) enum Asker {
    /// A `let`, by its number.
    Let(u32),
    /// What a row follows from.
    Row(RowId),
}

/// The functions for expressions.
#[derive(Default)]
pub(super) struct Asked {
    /// By the record, who asks, the layout, whether the root is at hand, and whether what is written can
    /// be looked at: the function, or none if it is spelled out where it is asked for.
    pub known: RefCell<BTreeMap<Key, Option<Function>>>,
    /// Each behind its name, and all that is behind that as text.
    code: RefCell<Vec<(Ident, String, TokenStream)>>,
}

pub(super) type Key = (RecordId, Asker, Option<usize>, bool, bool);

/// A function that gives what an expression is.
#[derive(Clone)]
pub(super) struct Function {
    pub name: Ident,
    /// Whether it takes the root, too, and what is written.
    pub rooted: bool,
    pub looks: bool,
    pub is_truth: bool,
}

impl Asked {
    /// The functions that code calls, and those that they call.
    pub fn functions(&self, code: &[TokenStream]) -> Vec<TokenStream> {
        let all = self.code.borrow();
        let all = all.iter().map(|(name, _, code)| (name.to_string(), code.clone())).collect();
        called(code, all)
    }

    /// The name of a function, which is made unless there is one that does the same.
    pub fn name(&self, record: RecordId, asker: Asker, rest: &TokenStream) -> Ident {
        let first = match asker {
            Asker::Let(number) => format!("ask__{}_l{number}", record.0),
            Asker::Row(row) => format!("ask__{}_r{}", record.0, row.0),
        };
        let text = rest.to_string();
        let mut code = self.code.borrow_mut();
        let mut same = 0;
        for (name, known, _) in code.iter() {
            let is_of = name.to_string();
            if is_of == first || is_of.starts_with(&format!("{first}_")) {
                if *known == text {
                    return name.clone();
                }
                same += 1;
            }
        }
        let name = match same {
            0 => format_ident!("{first}"),
            _ => format_ident!("{first}_{same}"),
        };
        code.push((name.clone(), text, quote!(fn #name #rest)));
        name
    }
}
