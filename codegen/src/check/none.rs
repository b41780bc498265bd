//! None has one meaning: the value of a transparent struct is that of its row, so if that could be
//! none, nobody could tell from it whether the struct is there. And only numbers can stand for it.

use super::context::Context;
use crate::diagnostic::Diagnostics;
use crate::model::{
    Cell, Home, Meaning, Model, PointerType, Row, RowKind, Storage, Type, WhenEmpty,
};

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
        for row in &record.rows {
            for pointer in never_none(context.model, row) {
                let what = match pointer.none_with {
                    Some(_) => "this pointer is none where the other array is empty",
                    None => "this pointer is none where its array is empty",
                };
                found
                    .error("E0225", row.span, format!("no number stands for nothing, and {what}"))
                    .help("say `none=0` in the line that declares the kind of pointer");
            }
            let number = !matches!(row.ty.stripped(), Type::Array(_));
            if matches!(row.kind, RowKind::Object { .. }) && number && !row.none.is_empty() {
                found
                    .error("E0706", row.span, "the object may be none though it is there")
                    .help("put the number into a struct, and let that be the object");
            }
            let ranked = row.is_ranked();
            if ranked && (is_named(&row.ty) || matches!(row.kind, RowKind::Constant(_))) {
                found
                    .error("E0223", row.span, "what is stored is a rank, not the index")
                    .label("which can't be a constant, or a member of an enumeration");
            }
            let what = match (row.none.is_empty(), row.plus) {
                (true, 0) => continue,
                (false, 0) => "none",
                _ => "plus",
            };
            if let Some(cell) = integer(&row.ty)
                && is_too_wide(context.model, cell, row.plus)
            {
                found
                    .error(
                        "E0708",
                        row.span,
                        format!("`plus={}` makes numbers beyond 64 bits", row.plus),
                    )
                    .label(format!("of those that a `{}` stores", context.model.cell_name(cell)))
                    .help("values are -9223372036854775808 to 18446744073709551615");
            }
            let kind = match no_number(&row.ty) {
                None if row.plus != 0 && is_named(&row.ty) => Some("an enumeration"),
                // The kind says how far from the target it points.
                None if row.plus != 0 && is_pointer(&row.ty) => Some("a pointer"),
                kind => kind,
            };
            if let Some(kind) = kind {
                let diagnostic =
                    found.error("E0708", row.span, format!("`{what}=` is for numbers"));
                diagnostic.label(format!("this row is {kind}"));
                if is_pointer(&row.ty) {
                    diagnostic.help("`skip=` on the kind of pointer says how far inside it points");
                }
            }
        }
    }
}

/// Pointers that are written as none, though there is no number for that.
fn never_none<'m>(model: &'m Model, row: &'m Row) -> impl Iterator<Item = &'m PointerType> {
    row.ty.parts().filter_map(move |part| match part {
        Type::Pointer(pointer) => Some(&**pointer).filter(|pointer| {
            let to_array = matches!(pointer.owned().map(Type::stripped), Some(Type::Array(_)));
            let empty = to_array && pointer.when_empty(model) == WhenEmpty::None;
            let none = model.pointers[pointer.kind.index()].none.is_some() || !row.none.is_empty();
            !pointer.optional && !none && (empty || pointer.none_with.is_some())
        }),
        _ => None,
    })
}

/// Whether a row holds numbers that have names.
fn is_named(ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => matches!(cell.meaning, Meaning::Enum(_)),
        Type::Array(array) => is_named(&array.element),
        Type::Region(region) => is_named(&region.inner),
        Type::PerEpoch(list) => list.iter().any(is_named),
        _ => false,
    }
}

fn is_pointer(ty: &Type) -> bool {
    ty.inline_parts().any(|part| matches!(part, Type::Pointer(_)))
}

/// The integers that a row holds.
fn integer(ty: &Type) -> Option<&Cell> {
    match ty {
        // A tag has its own row.
        Type::Cell(cell) if matches!(cell.storage, Storage::TagOf) => None,
        Type::Cell(cell) if matches!(cell.meaning, Meaning::Int) => Some(cell),
        Type::Array(array) => integer(&array.element),
        Type::Region(region) => integer(&region.inner),
        _ => None,
    }
}

/// Whether what is stored, less `plus`, may be beyond all integers of 64 bits.
fn is_too_wide(model: &Model, cell: &Cell, plus: i128) -> bool {
    let (bits, signed) = model.cell_range(cell);
    let (least, greatest): (i128, i128) = match signed {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    };
    least.saturating_sub(plus) < i64::MIN.into() || greatest.saturating_sub(plus) > u64::MAX.into()
}

/// What a row holds, if that is no number.
fn no_number(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Cell(cell) => match cell.meaning {
            Meaning::Int | Meaning::Enum(_) => None,
            Meaning::Float(_) => Some("a float"),
            Meaning::Bool { .. } => Some("a truth value"),
            Meaning::Word(_) => Some("a packed word"),
        },
        Type::Pointer(_) | Type::Nothing => None,
        Type::Array(array) => no_number(&array.element),
        Type::Region(region) => no_number(&region.inner),
        Type::PerEpoch(list) => list.iter().find_map(no_number),
        Type::Run(_) | Type::Text => Some("text or bytes"),
        Type::ByteOrderMark => Some("a byte order mark"),
        Type::Record(_) => Some("a struct"),
        Type::Union(_) => Some("a union"),
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
    // In layouts without the row nothing is there that the struct could be.
    let is_elsewhere = row.homes.contains(&Home::Absent);
    is_elsewhere || row.when.is_some() || is_nothing(model, row, &row.ty)
}
