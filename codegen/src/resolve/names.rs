//! Names of records for people.

use super::imports::Found;
use super::{Cx, RecordId, ScopeId};
use crate::model::{ByteOrder, IntType, RecordKind, Type};
use crate::syntax::ast::DeclBody;
use crate::syntax::builtin;

/// Most names that a name for a type may go through.
const MOST_NAMES: usize = 64;

impl<'t> Cx<'t> {
    /// The integer type that a name stands for, by itself or by names for it.
    pub(super) fn integer(&self, scope: ScopeId, name: &str) -> Option<IntType> {
        let (mut scope, mut name) = (scope, name);
        for _ in 0..MOST_NAMES {
            if let Some(int) = builtin::integer(name) {
                return Some(int);
            }
            let [Found::Decl(at, index)] = self.lookup(scope, name)[..] else { return None };
            let DeclBody::Alias(choices) = &self.decl(at, index).body else { return None };
            let [(None, only)] = choices.as_slice() else { return None };
            let plain = only.prefix.is_none() && only.suffix.is_none() && only.args.is_empty();
            (scope, name) = (at, plain.then_some(only.name.as_str())?);
        }
        None
    }

    /// The kind of a record, with the width of a word.
    pub(super) fn word_kind(&self, id: RecordId) -> RecordKind {
        let rec = self.rec(id);
        if !matches!(rec.kind, RecordKind::Word(_)) {
            return rec.kind.clone();
        }
        for ((scope, index), list) in &self.by_decl {
            if list.contains(&id)
                && let DeclBody::Word { storage, .. } = &self.decl(*scope, *index).body
                && let Some(int) = self.integer(*scope, &storage.name)
            {
                return RecordKind::Word(int);
            }
        }
        rec.kind.clone()
    }

    /// Name with arguments, for people.
    pub(super) fn shown(&self, id: RecordId) -> String {
        let rec = self.rec(id);
        if rec.params.is_empty() || !matches!(rec.kind, RecordKind::Struct) {
            return rec.name.clone();
        }
        let args: Vec<String> =
            rec.params.iter().map(|(_, bound)| self.shown_bound(bound)).collect();
        format!("{}<{}>", rec.name, args.join(","))
    }

    /// Names of the parameters, and arguments as in the name.
    pub(super) fn shown_parameters(&self, id: RecordId) -> Vec<(String, String)> {
        let shown =
            |(name, bound): &(&str, super::Bound)| ((*name).to_owned(), self.shown_bound(bound));
        self.rec(id).params.iter().map(shown).collect()
    }

    pub(super) fn shown_bound(&self, bound: &super::Bound) -> String {
        use crate::model::Expr;
        match bound {
            super::Bound::Type(ty) => self.shown_type(ty),
            super::Bound::Open(open) => match open.pointers.last() {
                Some((kind, _)) => self.pointers[kind.index()].name.clone(),
                None => {
                    let name = &self.decl(open.scope, open.index).name.value;
                    let args: Vec<String> =
                        open.args.iter().map(|arg| self.shown_bound(arg)).collect();
                    format!("{name}<{}>", args.join(","))
                }
            },
            super::Bound::Const(expr, _) => match &self.exprs[*expr] {
                Expr::Int(n) => n.to_string(),
                Expr::Text(t) => format!("'{t}'"),
                Expr::Bool(b) => b.to_string(),
                _ => "..".to_owned(),
            },
            super::Bound::Argument(_, _, expr) => match &self.exprs[*expr] {
                Expr::Path(path) => path.text.clone(),
                _ => "..".to_owned(),
            },
        }
    }

    fn shown_type(&self, ty: &Type) -> String {
        use crate::model::{Content, FloatCode, Meaning, RunLength, Storage};
        match ty {
            Type::Cell(cell) => match (cell.meaning.clone(), cell.storage) {
                (Meaning::Enum(id), _) => self.enums[id.index()].name.clone(),
                (Meaning::Word(id), _) => self.rec(id).name.clone(),
                (meaning, Storage::Fixed(int)) => {
                    let letter = match meaning {
                        Meaning::Bool { .. } => "bool",
                        _ if int.signed => "i",
                        _ => "u",
                    };
                    let order = match int.order {
                        Some(ByteOrder::Little) => "le",
                        Some(ByteOrder::Big) => "be",
                        None => "",
                    };
                    match FloatCode::of(cell) {
                        Some(code) => code.name(order),
                        None => format!("{letter}{}{order}", u32::from(int.bytes) * 8),
                    }
                }
                (_, Storage::Varint(id)) => self.varints[id.index()].name.clone(),
                (_, Storage::Digits { digits, .. }) => self.digits[digits.index()].name.clone(),
                _ => "bits".to_owned(),
            },
            Type::Run(run) => {
                let content = match run.content {
                    Content::Bytes => "bytes".to_owned(),
                    Content::Text(encoding) => format!("{encoding:?}").to_lowercase(),
                };
                match &run.length {
                    RunLength::Prefix(cell) => {
                        format!("{content}<{}>", self.shown_type(&Type::Cell(cell.clone())))
                    }
                    _ => content,
                }
            }
            Type::Record(id) => self.shown(*id),
            Type::Union(id) => self.uni(*id).name.clone(),
            Type::Pointer(pointer) => self.pointers[pointer.kind.index()].name.clone(),
            Type::PerEpoch(types) => {
                let first = types.iter().find(|ty| !matches!(ty, Type::Nothing));
                first.map(|ty| format!("{}..", self.shown_type(ty))).unwrap_or_default()
            }
            _ => "..".to_owned(),
        }
    }
}
