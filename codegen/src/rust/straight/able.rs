//! What straight code can carry, or why not.

use std::cell::RefCell;

use crate::model::ExprId;

/// Why straight code cannot carry something.
#[derive(Debug, Clone)]
pub(in crate::rust) struct Unable(pub String);

/// Something that straight code can carry, or why not.
pub(in crate::rust) type Able<T> = Result<T, Unable>;

/// Why not.
pub(in crate::rust) fn unable<T>(why: impl Into<String>) -> Able<T> {
    Err(Unable(why.into()))
}

/// Expressions that are being worked out. To find the address that one of them asks for may take the
/// expression itself: code for that would never end.
#[derive(Debug, Default)]
pub(in crate::rust) struct Sought(RefCell<Vec<ExprId>>);

impl Sought {
    /// What is made of an expression, if it is not being worked out.
    pub(in crate::rust) fn within<T>(
        &self,
        expr: ExprId,
        make: impl FnOnce() -> Able<T>,
    ) -> Able<T> {
        if self.0.borrow().contains(&expr) {
            return unable("an address that follows from itself");
        }
        self.0.borrow_mut().push(expr);
        let made = make();
        self.0.borrow_mut().pop();
        made
    }
}
