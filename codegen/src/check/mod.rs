//! Proofs about a model: what makes reading and writing with it total.
//!
//! One file per proof. Each looks at the whole model and reports what it cannot prove; none changes
//! the model. Where a struct with parameters is used several times, the same problem is found in
//! each of its records and reported once.

mod align;
mod around;
mod bits;
mod byte_order;
mod choice;
pub(crate) mod codes;
mod columns;
mod context;
mod derive;
mod elements;
mod ended;
mod epochs;
pub(crate) mod exprs;
mod extents;
mod filled;
mod finite;
mod fits;
mod forms;
mod named;
mod nodes;
mod none;
mod order;
mod owning;
mod placement;
mod pointed;
mod pooled;
mod position;
mod referred;
mod relocated;
mod scattered;
mod stored;
mod tags;
mod taken;
mod tiling;
mod unique;
mod until;
mod words;

#[cfg(test)]
mod tests;

use crate::diagnostic::Diagnostics;
use crate::model::Model;

use context::Context;

/// Proves the model, or says what is wrong with it.
pub fn check(model: &Model, diagnostics: &mut Diagnostics) {
    let mut found = Diagnostics::default();
    finite::check(model, &mut found);
    if found.has_errors() {
        // Nothing that has no end has a size or a layout.
        diagnostics.append_distinct(found);
        return;
    }
    let context = Context::new(model);
    tiling::check(&context, &mut found);
    named::check(&context, &mut found);
    words::check(&context, &mut found);
    bits::check(&context, &mut found);
    choice::check(&context, &mut found);
    around::check(&context, &mut found);
    tags::check(&context, &mut found);
    taken::check(&context, &mut found);
    forms::check(&context, &mut found);
    derive::check(&context, &mut found);
    filled::check(&context, &mut found);
    nodes::check(&context, &mut found);
    order::check(&context, &mut found);
    unique::check(&context, &mut found);
    byte_order::check(&context, &mut found);
    placement::check(&context, &mut found);
    position::check(&context, &mut found);
    relocated::check(&context, &mut found);
    until::check(&context, &mut found);
    elements::check(&context, &mut found);
    scattered::check(&context, &mut found);
    ended::check(&context, &mut found);
    extents::check(&context, &mut found);
    none::check(&context, &mut found);
    pointed::check(&context, &mut found);
    pooled::check(&context, &mut found);
    referred::check(&context, &mut found);
    fits::check(&context, &mut found);
    epochs::check(&context, &mut found);
    align::check(&context, &mut found);
    columns::check(&context, &mut found);
    stored::check(&context, &mut found);
    diagnostics.append_distinct(found);
}
