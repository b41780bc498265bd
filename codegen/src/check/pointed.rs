//! Pointers lead to objects, not to pointers: of an address that a path asks for, nobody could tell
//! which of the two is meant.

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{RowKind, Target, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (_, record) in context.model.records() {
        for row in &record.rows {
            let twice = row.ty.parts().any(|ty| match ty {
                Type::Pointer(pointer) => match &pointer.target {
                    Target::Own(target) => is_pointer(target),
                    Target::Pooled | Target::Element => false,
                },
                _ => false,
            });
            let message = match &row.kind {
                _ if twice => "a pointer leads to a pointer",
                RowKind::Object { .. } if is_pointer(&row.ty) => "the object is a pointer",
                _ => continue,
            };
            found
                .error("E0707", row.span, message)
                .help("put the inner pointer into a struct, which may be transparent");
        }
    }
}

fn is_pointer(ty: &Type) -> bool {
    match ty {
        Type::Pointer(_) => true,
        Type::Region(region) => is_pointer(&region.inner),
        Type::PerEpoch(list) => list.iter().any(is_pointer),
        _ => false,
    }
}
