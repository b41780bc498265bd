//! Expressions while a schema is resolved.

use std::collections::HashMap;
use std::ops::Deref;

use crate::model::{Expr, ExprId, Exprs};

/// The pool that becomes [`crate::model::Model::exprs`]. Equal expressions have the same number, so
/// types and arguments that are written alike are alike.
#[derive(Debug, Default)]
pub(super) struct Pool {
    exprs: Exprs,
    known: HashMap<String, ExprId>,
}

impl Pool {
    /// The number of an expression.
    pub(super) fn add(&mut self, expr: Expr) -> ExprId {
        // Floats can neither be hashed nor compared as keys; what they print as can.
        let key = format!("{expr:?}");
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = self.exprs.add(expr);
        self.known.insert(key, id);
        id
    }

    /// All that was added, in this order.
    pub(super) fn into_exprs(self) -> Exprs {
        self.exprs
    }
}

impl Deref for Pool {
    type Target = Exprs;

    fn deref(&self) -> &Exprs {
        &self.exprs
    }
}
