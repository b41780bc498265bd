//! Where a row stands that code is made for: what `here` and `region_end` are in its expressions.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::able::{Able, unable};
use super::context::Straight;
use crate::model::{
    BinaryOp, DefinerSource, EpochId, Expr, ExprId, Member, Model, Path, RecordId, RecordKind,
    RowId, Step, Type, UnaryOp,
};

/// Where the row stands, and what was asked there.
#[derive(Default)]
pub(super) struct Standing {
    place: Option<Place>,
    /// Conditions that were asked where their blocks begin: locals of type `bool`.
    begun: BTreeMap<ExprId, Ident>,
    /// Code that asks them.
    ahead: TokenStream,
}

struct Place {
    /// The local with the address.
    here: Ident,
    /// Code for the address: a number.
    at: TokenStream,
    /// The same for where the region around ends; not if nobody knows yet.
    end: Option<TokenStream>,
    is_asked: bool,
}

impl<'m> Straight<'_, 'm> {
    /// Makes code for the rows of a record, which stand somewhere else than what is around it.
    pub(super) fn elsewhere<T>(&self, make: impl FnOnce() -> T) -> T {
        let around = self.standing.take();
        let made = make();
        self.standing.replace(around);
        made
    }

    /// The next row stands here, in a region that ends there.
    pub(super) fn stand(
        &self,
        (record, row): (RecordId, RowId),
        at: TokenStream,
        end: Option<TokenStream>,
    ) {
        let here = format_ident!("here__{}_{}", record.0, row.0);
        self.standing.borrow_mut().place = Some(Place { here, at, end, is_asked: false });
    }

    /// Code in front of a row for which code was made: what was asked about where it stands. `asked`
    /// stands before it if anything was.
    pub(super) fn stood(&self, asked: &TokenStream) -> TokenStream {
        let mut standing = self.standing.borrow_mut();
        let ahead = std::mem::take(&mut standing.ahead);
        match standing.place.take() {
            Some(Place { here, at, is_asked: true, .. }) => quote!(#asked let #here = #at; #ahead),
            _ => ahead,
        }
    }

    /// What `here` is, or `region_end`: an `Option<i128>`.
    pub(super) fn place(&self, expr: &Expr) -> Able<TokenStream> {
        let mut standing = self.standing.borrow_mut();
        let Some(place) = &mut standing.place else {
            return unable("where something stands, of which that is not known");
        };
        if let Expr::RegionEnd = expr {
            return match &place.end {
                Some(end) => Ok(quote!(rt::Some(#end as i128))),
                None => unable("where a region ends, before that is written"),
            };
        }
        place.is_asked = true;
        let here = &place.here;
        Ok(quote!(rt::Some(#here as i128)))
    }

    /// Whether a condition holds for a row: a `bool`. What is about where it is asked was asked where
    /// its block begins, and holds there for all rows of the block, and for those that are there
    /// otherwise.
    pub(super) fn block_holds(
        &self,
        condition: ExprId,
        truth: &dyn Fn(ExprId) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        self.begun(condition, None, truth)
    }

    fn begun(
        &self,
        condition: ExprId,
        guard: Option<&TokenStream>,
        truth: &dyn Fn(ExprId) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        if !self.is_about_place(condition) {
            return truth(condition);
        }
        if let Some(known) = self.standing.borrow().begun.get(&condition) {
            return Ok(quote!(#known));
        }
        match self.model[condition] {
            Expr::Unary(UnaryOp::Not, a) => {
                let a = self.begun(a, guard, truth)?;
                return Ok(quote!(!#a));
            }
            Expr::Binary(BinaryOp::BothTrue, a, b) => {
                let a = self.begun(a, guard, truth)?;
                let b = self.begun(b, Some(&a), truth)?;
                return Ok(quote!((#a && #b)));
            }
            _ => {}
        }
        let name = format_ident!("when__{}", condition.0);
        let mut holds = truth(condition)?;
        if let Some(guard) = guard {
            holds = quote!(#guard && #holds);
        }
        let mut standing = self.standing.borrow_mut();
        standing.ahead.extend(quote!(let #name: bool = #holds;));
        standing.begun.insert(condition, name.clone());
        Ok(quote!(#name))
    }

    /// Whether an expression is about where the region around ends. A writer does not know that: the value
    /// decides, and what was written is read again.
    pub(super) fn is_about_end(&self, expr: ExprId) -> bool {
        self.ends[expr.index()]
    }

    /// Whether a path from a node of a record is that node, which has no fixed size: where it ends is
    /// known when all of it is written.
    pub(super) fn is_own_end(&self, path: &Path, record: RecordId) -> bool {
        is_own_end(self.model, path, record)
    }

    /// Whether what is written has to be read again.
    pub(super) fn reads_back(&self) -> bool {
        self.ends.contains(&true) || self.has_rests()
    }

    /// Code that writes, and gives up unless what was written is read as the value, if that has to be seen.
    pub(super) fn read_back(&self, write: TokenStream) -> TokenStream {
        if !self.reads_back() {
            return write;
        }
        quote! {
            let from = out.len();
            #write?;
            let same = out.get(from..).is_some_and(|written| {
                file::<s::Borrow>(written, &::formwork::ReadOptions::default())
                    .is_ok_and(|again| rt::Same::same(&again, value, true))
            });
            if !same {
                out.truncate(from);
            }
            s::holds(same)
        }
    }

    /// Whether an expression is about where something is, or where the file ends.
    pub(super) fn is_about_address(&self, expr: ExprId) -> bool {
        self.addresses[expr.index()]
    }

    /// Whether an expression is about where it is asked.
    pub(super) fn is_about_place(&self, expr: ExprId) -> bool {
        self.positions[expr.index()]
    }
}

fn is_own_end(model: &Model, path: &Path, record: RecordId) -> bool {
    let of = &model.records[record.index()];
    matches!(of.kind, RecordKind::Struct)
        && path.steps.is_empty()
        && path.start.is_in(record)
        && (0..)
            .map(EpochId)
            .zip(&model.epochs)
            .all(|(epoch, _)| model.size_of(&Type::Record(record), epoch).is_none())
}

/// Whether an expression is a number that says where its struct ends.
pub(super) fn says_own_end(model: &Model, expr: &Expr) -> bool {
    let Expr::Path(Path { steps, .. }) = expr else { return false };
    let Some(Step::Field(field)) = steps.last() else { return false };
    field.members.iter().any(|(record, members)| {
        let [Member::Row(row)] = members.as_slice() else { return false };
        // Nobody holds a struct without its rows.
        let Some(row) = model.records[record.index()].rows.get(row.index()) else { return false };
        row.definers.iter().any(|definer| match definer.source {
            DefinerSource::Expr(expr) => {
                matches!(&model[expr], Expr::End(path) if is_own_end(model, path, *record))
            }
            DefinerSource::Measure { .. } => false,
        })
    })
}
