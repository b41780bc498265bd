//! None has one meaning: the value of a transparent struct is that of its row, so if that could be
//! none, nobody could tell from it whether the struct is there.

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{Row, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (_, record) in context.model.records() {
        let row = record.transparent.and_then(|row| record.rows.get(row.index()));
        if let Some(row) = row.filter(|row| may_be_none(row)) {
            let name = &record.template;
            found
                .error("E0706", row.span, format!("the value of `{name}` may be none"))
                .label("which is that of this row")
                .help(
                    "let the struct not be transparent, or the pointer to the struct be optional",
                );
        }
    }
}

fn may_be_none(row: &Row) -> bool {
    fn is_optional(ty: &Type) -> bool {
        match ty {
            Type::Pointer(pointer) => pointer.optional,
            Type::Region(region) => is_optional(&region.inner),
            Type::PerEpoch(list) => list.iter().any(is_optional),
            _ => false,
        }
    }
    row.when.is_some() || !row.none.is_empty() || is_optional(&row.ty)
}
