//! Rows that say something have a name to say it by.

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{RecordKind, Role, RowKind, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (_, record) in context.model.records() {
        // Fields of words, and of forms, are looked at by their names before.
        if matches!(record.kind, RecordKind::Word(_) | RecordKind::Form(..)) {
            continue;
        }
        for row in &record.rows {
            let data = matches!(row.role, Role::Data | Role::Default(_) | Role::Elsewhere)
                && matches!(row.kind, RowKind::Plain | RowKind::Object { .. } | RowKind::Zeros);
            // The rows of a struct without a name are those of the struct around it.
            let flat = matches!(row.ty.stripped(), Type::Record(_) | Type::PerEpoch(_));
            if row.name.is_some() || !data || flat || !context.model.carries_data(&row.ty) {
                continue;
            }
            let what = match row.ty.stripped() {
                Type::Array(_) => "the list",
                Type::Union(_) => "the union",
                _ => "the row",
            };
            let diagnostic =
                found.error("E0723", row.span, format!("{what} has no name, but holds data"));
            diagnostic.help(
                "a name follows the type; it consists of letters, digits and `_`, and does not \
                 begin with a digit. Bytes that say nothing are `zero` or `reserved`",
            );
        }
    }
}
