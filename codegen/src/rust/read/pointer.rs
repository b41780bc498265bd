//! Pointers.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Reading;
use crate::model::{Content, EpochId, Model, PointerType, Policy, Row, RunLength, Target, Type};

impl Reading<'_, '_> {
    /// What a pointer leads to in an epoch.
    pub(super) fn class(&self, pointer: &PointerType, epoch: EpochId) -> TokenStream {
        match &pointer.target {
            Target::Pooled => quote!(rt::labels::Class::Text),
            Target::Element => quote!(rt::labels::Class::Object),
            Target::Own(ty) => match ty.in_epoch(epoch).stripped() {
                Type::Array(_) => quote!(rt::labels::Class::Array),
                Type::Run(run) if matches!(run.length, RunLength::Count(_)) => {
                    quote!(rt::labels::Class::Array)
                }
                Type::Record(record) if self.model.is_dictionary(*record) => {
                    quote!(rt::labels::Class::Dictionary)
                }
                _ => quote!(rt::labels::Class::Object),
            },
        }
    }
}

/// Numbers for "nothing": that of the kind first.
pub(super) fn none_numbers(kind: Option<i128>, row: &Row) -> Vec<Literal> {
    let mut all: Vec<i128> = kind.into_iter().collect();
    for none in &row.none {
        if !all.contains(none) {
            all.push(*none);
        }
    }
    all.into_iter().map(Literal::i128_unsuffixed).collect()
}

pub(super) fn policy_code(policy: Policy) -> TokenStream {
    match policy {
        Policy::Never => quote!(rt::labels::Policy::Never),
        Policy::Set => quote!(rt::labels::Policy::Set),
        Policy::Always => quote!(rt::labels::Policy::Always),
    }
}

/// Bytes of a unit of the text in a type.
pub(super) fn text_unit(ty: &Type) -> u8 {
    match ty {
        Type::Region(region) => text_unit(&region.inner),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => text_unit(target),
            _ => 1,
        },
        Type::PerEpoch(types) => types.iter().map(text_unit).max().unwrap_or(1),
        Type::Run(run) => match run.content {
            Content::Bytes => 1,
            content => u8::try_from(crate::model::unit_size(content)).unwrap_or(1),
        },
        _ => 1,
    }
}

/// Whether a text may be spelled in more than one way, or depends on who points to it.
pub(super) fn spelled(model: &Model, ty: &Type) -> bool {
    let varint =
        |cell: &crate::model::Cell| matches!(cell.storage, crate::model::Storage::Varint(_));
    match ty {
        Type::Run(run) => match &run.length {
            RunLength::Prefix(cell) => varint(cell),
            RunLength::Count(count) => model.exprs.constant(*count).is_none(),
            RunLength::Fill | RunLength::Fixed(_) => false,
        },
        Type::Region(region) => {
            region.trim.is_some()
                || match &region.extent {
                    crate::model::Extent::Size(e) | crate::model::Extent::End(e) => {
                        model.exprs.constant(*e).is_none()
                    }
                    crate::model::Extent::Terminated(end) => end.optional,
                    crate::model::Extent::Rest => false,
                }
                || spelled(model, &region.inner)
        }
        _ => true,
    }
}
