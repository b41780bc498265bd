//! Locals of the code that is made: numbered, and named after what they are for.

use std::cell::{Cell, RefCell};

use proc_macro2::Ident;
use quote::format_ident;

use crate::model::{RecordId, Row};
use crate::rust::names::snake;

/// The locals of a function. Each has a number that no other has; people read other names
/// ([`names`](super::names)).
pub(super) struct Locals {
    next: Cell<u32>,
    /// The row or struct that is made code for.
    about: RefCell<String>,
}

impl Locals {
    /// For code that is about a struct.
    pub(super) fn new(record: &str) -> Locals {
        Locals { next: Cell::default(), about: RefCell::new(snake(record)) }
    }

    /// A name that no other local of the function has.
    pub(super) fn fresh(&self, kind: &str) -> Ident {
        let number = self.next.get();
        self.next.set(number + 1);
        format_ident!("{kind}{number}__{}", *self.about.borrow())
    }

    /// Makes code of its own, whose locals do not depend on what was made before.
    pub(super) fn apart<T>(&self, make: impl FnOnce() -> T) -> T {
        let before = self.next.replace(0);
        let made = make();
        self.next.set(before);
        made
    }

    /// Makes code for a row.
    pub(super) fn about<T>(&self, row: &Row, make: impl FnOnce() -> T) -> T {
        match &row.name {
            Some(name) => self.about_name(name, make),
            None => make(),
        }
    }

    /// Makes code for what has a name in the schema.
    pub(super) fn about_name<T>(&self, name: &str, make: impl FnOnce() -> T) -> T {
        let around = self.about.replace(snake(name));
        let made = make();
        self.about.replace(around);
        made
    }
}

/// What a pattern binds the value of a case of a union to.
pub(super) fn case_name(record: RecordId) -> Ident {
    format_ident!("c__{}", record.0)
}

/// The record of a case whose value has this name.
pub(super) fn is_case_name(name: &str) -> Option<RecordId> {
    name.strip_prefix("c__")?.parse().ok().map(RecordId)
}
