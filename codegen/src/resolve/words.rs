//! Sizes of types that are the same everywhere, as `sizeof` needs them before types are resolved.

use super::{Cx, ScopeId};
use crate::model::{Cell, RunLength, Storage, Type};
use crate::syntax::ast::{DeclBody, HomeEx, Item, RowWord, TypeEx};
use crate::syntax::builtin;
use crate::syntax::expr::ExKind;

impl<'t> Cx<'t> {
    /// Size in bytes of a type by name.
    pub(super) fn static_size(&self, scope: ScopeId, name: &str, depth: u32) -> Option<i128> {
        if depth > 32 || name.is_empty() {
            return None;
        }
        if let Some(size) = builtin_size(name) {
            return Some(size);
        }
        let super::imports::Found::Decl(at, index) = *self.lookup(scope, name).first()? else {
            return None;
        };
        match &self.decl(at, index).body {
            DeclBody::Struct { homes, open: false, items } => {
                if let [only] = homes.as_slice() {
                    return match only.value {
                        HomeEx::At(size) => Some(i128::from(size)),
                        HomeEx::Absent => None,
                    };
                }
                if !homes.is_empty() {
                    return None;
                }
                let mut bits = 0i128;
                for item in items {
                    let Item::Row(row) = item else {
                        match item {
                            Item::Check(_)
                            | Item::Let(_)
                            | Item::Derive { .. }
                            | Item::Layout(..) => continue,
                            _ => return None,
                        }
                    };
                    bits = bits.checked_add(self.row_bits(at, row, depth)?)?;
                }
                Some(bits.checked_add(7)? / 8)
            }
            DeclBody::Enum { storage: Some(ty), .. }
            | DeclBody::Word { storage: ty, .. }
            | DeclBody::Pointer { storage: ty, .. } => self.static_size(at, &ty.name, depth + 1),
            DeclBody::Alias(choices) => match choices.as_slice() {
                [(None, only)] if plain(only) => self.static_size(at, &only.name, depth + 1),
                _ => None,
            },
            _ => None,
        }
    }

    /// Size in bytes of the type that a parameter stands for.
    pub(super) fn type_size(&self, ty: &Type) -> Option<i128> {
        match ty {
            Type::Cell(cell) => fixed_size(cell),
            Type::Pointer(pointer) => match &pointer.cell {
                Some(cell) => fixed_size(cell),
                None => fixed_size(&self.pointers.get(pointer.kind.index())?.cell),
            },
            Type::Run(run) => match run.length {
                RunLength::Fixed(size) if run.suffix.is_empty() => Some(size.into()),
                _ => None,
            },
            Type::Record(id) => {
                let rec = self.rec(*id);
                let mut sizes = rec.exists.iter().zip(&rec.stated).filter(|(exists, _)| **exists);
                let first = *sizes.next()?.1;
                match first {
                    Some(size) if !rec.open && sizes.all(|(_, other)| *other == first) => {
                        Some(size.into())
                    }
                    None if sizes.all(|(_, other)| other.is_none()) => {
                        self.static_size(rec.scope, &rec.template, 0)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn row_bits(&self, scope: ScopeId, row: &crate::syntax::ast::Row, depth: u32) -> Option<i128> {
        let number = |name: &str| match row.props.ex(name).map(|ex| &ex.kind) {
            None => Some(None),
            Some(ExKind::Int(n)) => Some(Some(*n)),
            Some(_) => None,
        };
        if let Some(bits) = row.props.int("bits") {
            return Some(bits);
        }
        if let Some(size) = number("size")? {
            return size.checked_mul(8);
        }
        match &row.word {
            RowWord::Typed(ty) if plain(ty) => {
                let one = match builtin::bit_width(&ty.name) {
                    Some(width) => i128::from(width),
                    None => self.static_size(scope, &ty.name, depth + 1)?.checked_mul(8)?,
                };
                one.checked_mul(number("count")?.unwrap_or(1))
            }
            // What it leads to, and how many of these, takes no bytes here.
            RowWord::Typed(TypeEx { prefix: Some((kind, _)), .. }) => {
                self.static_size(scope, kind, depth + 1)?.checked_mul(8)
            }
            RowWord::Typed(TypeEx { suffix: Some((kind, _)), .. }) => {
                let one = self.static_size(scope, kind, depth + 1)?.checked_mul(8)?;
                one.checked_mul(number("count")??)
            }
            RowWord::Magic(Some(text)) => i128::try_from(text.value.len()).ok()?.checked_mul(8),
            RowWord::ByteOrder => Some(16),
            RowWord::Value(_) | RowWord::Mark | RowWord::Slice | RowWord::Object(_) => Some(0),
            _ => None,
        }
    }
}

fn fixed_size(cell: &Cell) -> Option<i128> {
    match cell.storage {
        Storage::Fixed(int) => Some(int.bytes.into()),
        _ => None,
    }
}

fn plain(ty: &TypeEx) -> bool {
    ty.prefix.is_none() && ty.suffix.is_none() && ty.args.is_empty()
}

fn builtin_size(name: &str) -> Option<i128> {
    if let Some(int) = builtin::integer(name) {
        return Some(i128::from(int.bytes));
    }
    if builtin::bit_width(name).is_some() {
        return None;
    }
    let stem = name.trim_end_matches("le").trim_end_matches("be");
    match stem {
        "f32" | "bool32" => Some(4),
        "f64" => Some(8),
        "bool8" => Some(1),
        "f16" | "bool16" => Some(2),
        "nothing" => Some(0),
        _ => name.strip_prefix("bytes").and_then(|n| n.parse().ok()),
    }
}
