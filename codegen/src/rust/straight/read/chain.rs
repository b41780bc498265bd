//! Whether each object lies where the layouts put it.
//!
//! The reader goes through a file depth first; layouts may put all records of an array before what
//! those own. So each stretch that a statement places is a *chain* of its own: where its first object
//! begins and where its last one ends, joined to as the objects are read. When a struct is read, its
//! chains are joined in the order of its layout, and the whole is one chain of whoever holds it. Chains
//! join if the second begins at its alignment behind the first, with nothing but zeros between. In the
//! end the file is one chain from its first byte to its last: then each object is where it would be
//! written, no byte is left over, and nothing has to be written to be compared.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::body::{Holder, Work};
use super::{Ctx, Reading, size};
use crate::model::{
    Home, LayoutPath, PointerType, RecordId, RecordKind, Row, RowId, RowKind, Statement, Type,
};
use crate::rust::straight::able::Unable;
use crate::rust::straight::questions::target;

/// The locals with the chains of what is read.
#[derive(Debug, Clone)]
pub(super) struct Chains {
    /// Of objects themselves.
    pub own: Ident,
    /// Of what they own; none if they own nothing.
    pub tail: Option<Ident>,
}

impl Chains {
    fn locals(&self) -> impl Iterator<Item = &Ident> {
        // In one chain for both there is one local.
        let tail = self.tail.as_ref().filter(|tail| **tail != self.own);
        [&self.own].into_iter().chain(tail)
    }

    /// One chain for both: what is read is put whole, one behind the other.
    pub fn one(local: Ident) -> Chains {
        Chains { own: local.clone(), tail: Some(local) }
    }
}

/// What a statement of a layout places.
pub(super) enum Piece {
    /// The struct's own bytes.
    This,
    /// Objects of a row, and what they own.
    Row { row: RowId, own: bool, tail: bool },
}

/// A local for a chain of nothing.
pub(super) fn opened(chain: &Ident) -> TokenStream {
    quote!(let mut #chain = s::Chain::NOTHING;)
}

impl<'m> Reading<'_, '_, 'm> {
    /// Whether functions that read a record hand the chain of what it owns to their callers.
    pub(super) fn hands_chain(&self, id: RecordId) -> bool {
        self.placing && self.straight.record(id).owns_objects()
    }

    /// The chains of the rows of the record at hand, as its layout places them.
    pub(super) fn open_chains(&self, work: &mut Work<'_, 'm>) {
        let ctx = work.ctx;
        let record = &ctx.view.records[ctx.record.index()];
        if !self.placing || !record.owns_objects() {
            return;
        }
        let mut pieces = Vec::new();
        let made = match (&ctx.chains, &record.kind) {
            (None, _) => Err("an object that a struct farther out places"),
            (_, RecordKind::Form(..)) => Err("an object of a form"),
            _ if !record.passes.is_empty() => Err("passes of a layout"),
            _ => self.pieces(ctx, &record.layout, &mut pieces),
        };
        if let Err(why) = made {
            self.doubt(why);
            return;
        }
        for piece in &pieces {
            if let Piece::Row { row: id, .. } = piece {
                let row = self.row(ctx, ctx.record, *id);
                let chains = self.about(row, || match self.is_object(row) {
                    true => {
                        let (own, tail) = (self.local("o"), self.owns(&row.ty));
                        Chains { own, tail: tail.then(|| self.local("tail")) }
                    }
                    false => Chains::one(self.local("tail")),
                });
                work.code.extend(chains.locals().map(opened));
                work.chains.insert(*id, chains);
            }
        }
        work.pieces = pieces;
    }

    fn pieces(
        &self,
        ctx: &Ctx<'m>,
        statements: &'m [Statement],
        found: &mut Vec<Piece>,
    ) -> Result<(), &'static str> {
        for statement in statements {
            match statement {
                Statement::This => found.push(Piece::This),
                Statement::Record(path) => found.extend(self.piece(ctx, path, true, false)?),
                Statement::Tail(path) => found.extend(self.piece(ctx, path, false, true)?),
                Statement::Put(path) => found.extend(self.piece(ctx, path, true, true)?),
                Statement::When(condition, then, otherwise) => {
                    match self.straight.decided(*condition) {
                        Some(true) => self.pieces(ctx, then, found)?,
                        Some(false) => self.pieces(ctx, otherwise, found)?,
                        None => return Err("a layout with a condition"),
                    }
                }
                Statement::Run(..) => return Err("passes of a layout"),
                Statement::Align(_) | Statement::Zero(_) | Statement::Mark(..) => {
                    return Err("a layout with more than objects");
                }
            }
        }
        Ok(())
    }

    /// What a statement places of the record at hand.
    fn piece(
        &self,
        ctx: &Ctx<'m>,
        path: &LayoutPath,
        own: bool,
        tail: bool,
    ) -> Result<Option<Piece>, &'static str> {
        let [step] = path.steps.as_slice() else {
            return Err("an object that a struct farther out places");
        };
        let row = step.rows.iter().find(|(record, _)| *record == ctx.record);
        let Some((_, id)) = row else { return Ok(None) };
        let row = self.row(ctx, ctx.record, *id);
        if matches!(row.homes.get(ctx.epoch), Some(Home::Absent)) {
            return Ok(None);
        }
        if matches!(row.kind, RowKind::Object { align: Some(_), .. }) {
            return Err("a layout with more than objects");
        }
        if own != tail && self.is_laid_whole(&row.ty) {
            return Err("a struct whose own bytes do not come first, in two steps");
        }
        Ok(Some(Piece::Row { row: *id, own, tail }))
    }

    /// Whether a row is an object of its own, and not a part of its struct.
    fn is_object(&self, row: &Row) -> bool {
        matches!(row.kind, RowKind::Object { .. }) || matches!(row.ty.stripped(), Type::Pointer(_))
    }

    /// Whether what is in a type, or behind its pointers, owns objects.
    fn owns(&self, ty: &Type) -> bool {
        let inner = match target(ty) {
            Type::Array(array) => array.element.stripped(),
            ty => ty,
        };
        match inner {
            Type::Record(id) => self.straight.record(*id).owns_objects(),
            Type::Cell(_) | Type::Run(_) => false,
            _ => true,
        }
    }

    /// The context for what is in a row.
    pub(super) fn row_ctx(&self, work: &Work<'_, 'm>, id: RowId) -> Ctx<'m> {
        Ctx { chains: work.chains.get(&id).cloned(), ..work.ctx.clone() }
    }

    /// Remembers where the record at hand ends, if its layout puts something before it.
    pub(super) fn own_end(&self, work: &mut Work<'_, 'm>, holder: &Holder) {
        if !work.pieces.iter().skip(1).any(|piece| matches!(piece, Piece::This)) {
            return;
        }
        let ctx = work.ctx;
        if !matches!(ctx.view.records[ctx.record.index()].kind, RecordKind::Struct) {
            self.doubt("a case whose own bytes do not come first");
            return;
        }
        let (end, base) = (self.local("a"), &holder.base);
        let value = match (&holder.part, &holder.block) {
            (Some((part, _)), _) => quote!(#part.at()),
            (None, Some((_, from, to))) => {
                let all = size(to - from);
                quote!(#base + #all)
            }
            (None, None) => quote!(#base),
        };
        work.code.extend(quote!(let #end = #value;));
        work.own = Some((base.clone(), end));
    }

    /// Joins the chains of the rows of a record, in the order of its layout.
    pub(super) fn close_chains(&self, work: &mut Work<'_, 'm>) {
        let Some(Chains { tail: Some(all), .. }) = &work.ctx.chains else { return };
        for (at, piece) in work.pieces.iter().enumerate() {
            match piece {
                Piece::This if at == 0 => {}
                Piece::This => {
                    let Some((base, end)) = &work.own else { continue };
                    let align = self.model.type_align(&Type::Record(work.ctx.record));
                    let align = size(align.unwrap_or(1));
                    work.code.extend(quote! {
                        cx.join(&mut #all, s::Chain::of(#base, #end, #align))?;
                    });
                }
                Piece::Row { row, own, tail } => {
                    let Some(chains) = work.chains.get(row) else { continue };
                    let is_object = self.is_object(self.row(work.ctx, work.ctx.record, *row));
                    if *own && is_object {
                        let own = &chains.own;
                        work.code.extend(quote!(cx.join(&mut #all, #own)?;));
                    }
                    if let Some(chain) = chains.tail.as_ref().filter(|_| *tail) {
                        work.code.extend(quote!(cx.join(&mut #all, #chain)?;));
                    }
                }
            }
        }
    }

    /// Whether a type is a struct that its layout places as a whole, with something before it.
    pub(super) fn is_laid_whole(&self, ty: &Type) -> bool {
        matches!(target(ty), Type::Record(id) if !self.straight.record(*id).comes_first())
    }

    /// Chains for what an object owns, and code that joins the object and that chain to those of the
    /// row. The object lies from the local `from` up to `end`.
    pub(super) fn object_chain(
        &self,
        ctx: &Ctx<'m>,
        ty: &Type,
        align: &TokenStream,
        from: &Ident,
        end: &TokenStream,
    ) -> Linked {
        let Some(chains) = ctx.chains.as_ref().filter(|_| self.placing) else {
            if self.placing {
                self.doubt("an object that a struct farther out places");
            }
            return Linked { chains: None, open: TokenStream::new(), join: TokenStream::new() };
        };
        let (own, local) = (&chains.own, self.local("t"));
        let alone = quote!(cx.join(&mut #own, s::Chain::of(#from, #end, #align))?;);
        let join = match (self.is_laid_whole(ty), &chains.tail) {
            (true, _) => quote!(cx.join(&mut #own, #local)?;),
            (false, Some(tail)) if self.owns(ty) => quote! {
                #alone
                cx.join(&mut #tail, #local)?;
            },
            (false, _) => {
                return Linked { chains: None, open: TokenStream::new(), join: alone };
            }
        };
        Linked { open: opened(&local), chains: Some(Chains::one(local)), join }
    }

    /// Alignment of what a pointer leads to.
    pub(super) fn target_align(
        &self,
        ctx: &Ctx<'m>,
        pointer: &PointerType,
        owned: &Type,
    ) -> TokenStream {
        let usual = self.model.target_align(pointer, owned);
        // Where such a struct joins its own bytes, it is not known who leads there.
        if self.is_laid_whole(owned)
            && (pointer.align.is_some() || usual != self.model.type_align(owned).unwrap_or(1))
        {
            self.doubt("the alignment of a struct whose own bytes do not come first");
        }
        let usual = size(usual);
        match pointer.align.filter(|_| self.placing).map(|align| self.number(ctx, align)) {
            Some(Ok(align)) => quote!(s::alignment(#align)?),
            Some(Err(Unable(why))) => {
                self.doubt(&why);
                quote!(#usual)
            }
            None => quote!(#usual),
        }
    }

    /// Code that takes over the chain that a function has handed, if it hands one.
    pub(super) fn take_chain(&self, ctx: &Ctx<'m>, id: RecordId) -> Option<TokenStream> {
        if !self.hands_chain(id) {
            return None;
        }
        let Some(Chains { tail: Some(tail), .. }) = &ctx.chains else {
            self.doubt("an object that a struct farther out places");
            return None;
        };
        Some(quote!(cx.join_handed(&mut #tail)?;))
    }

    /// Code that hands the chain of a function's record to its caller.
    pub(super) fn hand_chain(&self, id: RecordId) -> Option<TokenStream> {
        let chain = chain_of_function();
        self.hands_chain(id).then(|| quote!(cx.hand(#chain);))
    }
}

/// The chain that a function makes.
pub(super) fn chain_of_function() -> Ident {
    format_ident!("tail")
}

/// What the chain of an object is made with.
pub(super) struct Linked {
    /// For what is in the object.
    pub chains: Option<Chains>,
    /// Statements before the object is read.
    pub open: TokenStream,
    /// Statements behind it.
    pub join: TokenStream,
}
