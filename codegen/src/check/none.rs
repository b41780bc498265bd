//! None has one meaning: the value of a transparent struct is that of its row, so if that could be
//! none, nobody could tell from it whether the struct is there.

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{Model, Row, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (_, record) in context.model.records() {
        let row = record.transparent.and_then(|row| record.rows.get(row.index()));
        if let Some(row) = row.filter(|row| may_be_none(context.model, row)) {
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

fn may_be_none(model: &Model, row: &Row) -> bool {
    fn is_nothing(model: &Model, row: &Row, ty: &Type) -> bool {
        match ty {
            Type::Pointer(pointer) => pointer.may_be_none(model, row),
            Type::Region(region) => is_nothing(model, row, &region.inner),
            Type::PerEpoch(list) => list.iter().any(|ty| is_nothing(model, row, ty)),
            // Of an array it is elements that may be none.
            Type::Array(_) => false,
            _ => !row.none.is_empty(),
        }
    }
    row.when.is_some() || is_nothing(model, row, &row.ty)
}
