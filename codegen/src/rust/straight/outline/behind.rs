//! What stands behind a piece, and may ask for what is bound in it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Block, Stmt};

use super::taken::Taken;
use crate::rust::mentions::count_all;

/// The last statements of a block, from one of them on.
#[derive(Debug, Clone)]
pub(super) struct Behind {
    code: Rc<[TokenStream]>,
    /// The last of them that has a name.
    last: Rc<BTreeMap<String, usize>>,
    from: usize,
}

impl Behind {
    /// Those that are left of a block. What is known of more of them is worked out once for a block,
    /// however many pieces it has.
    pub(super) fn of(known: &mut Option<Behind>, rest: &[Stmt]) -> Behind {
        let all = known.get_or_insert_with(|| Behind::new(rest));
        Behind { from: all.code.len() - rest.len(), ..all.clone() }
    }

    fn new(statements: &[Stmt]) -> Behind {
        let code: Rc<[TokenStream]> = statements.iter().map(ToTokens::to_token_stream).collect();
        let mut last = BTreeMap::new();
        for (at, code) in code.iter().enumerate() {
            let mut names = BTreeMap::new();
            count_all(code, &mut names);
            last.extend(names.into_keys().map(|name| (name, at)));
        }
        Behind { code, last: Rc::new(last), from: 0 }
    }

    /// Whether they ask for one of these names before they bind it themselves.
    pub(super) fn asks_for(&self, names: &BTreeSet<String>) -> bool {
        let has = |name: &String| self.last.get(name).is_some_and(|at| *at >= self.from);
        if !names.iter().any(has) {
            return false;
        }
        let code = &self.code[self.from..];
        let Ok(mut block) = syn::parse2::<Block>(quote!({ #(#code)* })) else { return true };
        let mut taken = Taken::new(names);
        taken.visit_block_mut(&mut block);
        !taken.free.is_empty()
    }
}
