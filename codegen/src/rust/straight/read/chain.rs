//! Whether each object lies where the layouts put it.
//!
//! The reader goes through a file depth first; layouts may put all records of an array before what
//! those own. So each stretch that a statement places is a *chain* of its own: where its first object
//! begins and where its last one ends, joined to as the objects are read. When a struct is read, its
//! chains are joined in the order of its layout, and the whole is one chain of whoever holds it. Chains
//! join if the second begins at its alignment behind the first, with nothing but zeros between. In the
//! end the file is one chain from its first byte to its last: then each object is where it would be
//! written, no byte is left over, and nothing has to be written to be compared.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::body::{Holder, Work};
use super::{Ctx, Reading, size};
use crate::model::{
    Align, ExprId, Home, LayoutPath, PointerType, RecordId, RecordKind, Row, RowId, RowKind,
    Statement, Type,
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
    /// Of what each pass puts that is run.
    passes: Vec<(String, Ident)>,
}

impl Chains {
    fn locals(&self) -> impl Iterator<Item = &Ident> {
        // In one chain for both there is one local.
        let tail = self.tail.as_ref().filter(|tail| **tail != self.own);
        [&self.own].into_iter().chain(tail).chain(self.passes.iter().map(|(_, local)| local))
    }

    /// One chain for both: what is read is put whole, one behind the other.
    pub fn one(local: Ident) -> Chains {
        Chains { own: local.clone(), tail: Some(local), passes: Vec::new() }
    }

    fn pass(&self, name: &str) -> Option<&Ident> {
        self.passes.iter().find(|(known, _)| known == name).map(|(_, local)| local)
    }
}

/// What a statement of a layout places.
pub(super) enum Piece {
    /// The struct's own bytes.
    This,
    /// Objects of a row, and what they own.
    Row { row: RowId, own: bool, tail: bool },
    /// What a pass puts of what is in a row.
    Run { row: RowId, pass: String },
    /// Zeros up to a multiple.
    Align(Align),
    /// One or the other.
    When(ExprId, Vec<Piece>, Vec<Piece>),
}

impl Piece {
    fn each<'p>(pieces: &'p [Piece], action: &mut dyn FnMut(&'p Piece)) {
        for piece in pieces {
            action(piece);
            if let Piece::When(_, then, otherwise) = piece {
                Piece::each(then, action);
                Piece::each(otherwise, action);
            }
        }
    }
}

/// What the layout of a record places, and its passes, with the local of the chain of each.
#[derive(Default)]
pub(super) struct Pieces {
    layout: Vec<Piece>,
    passes: Vec<(Ident, Vec<Piece>)>,
    /// Rows that one statement or another places, as a condition says.
    turns: BTreeSet<RowId>,
}

impl Pieces {
    fn all(&self) -> impl Iterator<Item = &[Piece]> {
        [&self.layout[..]].into_iter().chain(self.passes.iter().map(|(_, pieces)| &pieces[..]))
    }
}

/// A local for a chain of nothing.
pub(super) fn opened(chain: &Ident) -> TokenStream {
    quote!(let mut #chain = s::Chain::NOTHING;)
}

impl<'m> Reading<'_, '_, 'm> {
    /// Whether functions that read a record hand the chain of what it owns to their callers.
    pub(super) fn hands_chain(&self, id: RecordId) -> bool {
        let record = self.straight.record(id);
        self.placing && (record.owns_objects() || !record.passes.is_empty())
    }

    /// The chains of the rows of the record at hand, as its layout places them.
    pub(super) fn open_chains(&self, work: &mut Work<'_, 'm>) {
        let ctx = work.ctx;
        let record = &ctx.view.records[ctx.record.index()];
        if !self.hands_chain(ctx.record) {
            return;
        }
        let made = match (&ctx.chains, &record.kind) {
            (None, _) => Err("an object that a struct farther out places"),
            (_, RecordKind::Form(..)) => Err("an object of a form"),
            (Some(chains), _) => self.all_pieces(ctx, chains),
        };
        match made {
            Ok(pieces) => work.pieces = pieces,
            Err(why) => return self.doubt(why),
        }
        let mut rows: BTreeMap<RowId, Vec<(String, Ident)>> = BTreeMap::new();
        for pieces in work.pieces.all() {
            Piece::each(pieces, &mut |piece| match piece {
                Piece::Row { row, .. } => _ = rows.entry(*row).or_default(),
                Piece::Run { row, pass } => {
                    let passes = rows.entry(*row).or_default();
                    if passes.iter().all(|(known, _)| known != pass) {
                        passes.push((pass.clone(), self.local(pass)));
                    }
                }
                Piece::This | Piece::Align(_) | Piece::When(..) => {}
            });
        }
        for (id, passes) in rows {
            let row = self.row(ctx, ctx.record, id);
            let chains = self.about(row, || match self.is_object(row) {
                true => {
                    let (own, tail) = (self.local("o"), self.owns(&row.ty));
                    Chains { own, tail: tail.then(|| self.local("tail")), passes }
                }
                false => Chains { passes, ..Chains::one(self.local("tail")) },
            });
            work.code.extend(chains.locals().map(opened));
            work.chains.insert(id, chains);
        }
    }

    /// What the layout of the record at hand and its passes place.
    fn all_pieces(&self, ctx: &Ctx<'m>, chains: &Chains) -> Result<Pieces, &'static str> {
        let record = &ctx.view.records[ctx.record.index()];
        let mut made = Pieces::default();
        self.pieces(ctx, &record.layout, &mut made.layout)?;
        for (pass, statements) in &record.passes {
            let mut pieces = Vec::new();
            self.pieces(ctx, statements, &mut pieces)?;
            match chains.pass(pass) {
                Some(chain) => made.passes.push((chain.clone(), pieces)),
                None if pieces.is_empty() => {}
                None => return Err("a pass that nothing runs"),
            }
        }
        let mut turns = BTreeSet::new();
        for piece in made.all().flatten() {
            let Piece::When(_, then, otherwise) = piece else { continue };
            for pieces in [then, otherwise] {
                let mut is_own = false;
                Piece::each(pieces, &mut |piece| match piece {
                    Piece::Row { row, .. } | Piece::Run { row, .. } => _ = turns.insert(*row),
                    Piece::This => is_own = true,
                    Piece::Align(_) | Piece::When(..) => {}
                });
                if is_own {
                    return Err("own bytes in a layout with a condition");
                }
            }
        }
        Ok(Pieces { turns, ..made })
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
                Statement::Record(path) => self.piece(ctx, path, true, false, found)?,
                Statement::Tail(path) => self.piece(ctx, path, false, true, found)?,
                Statement::Put(path) => self.piece(ctx, path, true, true, found)?,
                Statement::When(condition, then, otherwise) => {
                    match self.straight.decided(*condition) {
                        Some(true) => self.pieces(ctx, then, found)?,
                        Some(false) => self.pieces(ctx, otherwise, found)?,
                        None => {
                            let (mut when, mut not) = (Vec::new(), Vec::new());
                            self.pieces(ctx, then, &mut when)?;
                            self.pieces(ctx, otherwise, &mut not)?;
                            found.push(Piece::When(*condition, when, not));
                        }
                    }
                }
                Statement::Run(pass, path) => {
                    let Some((id, row)) = self.placed(ctx, path)? else { continue };
                    let has_pass = |id: RecordId| {
                        self.straight.record(id).passes.iter().any(|(name, _)| name == pass)
                    };
                    if self.model.held(&row.ty).any(has_pass) {
                        found.push(Piece::Run { row: id, pass: pass.clone() });
                    }
                }
                Statement::Align(align) => found.push(Piece::Align(*align)),
                Statement::Zero(_) => return Err("zeros in a layout"),
                Statement::Mark(..) => return Err("a place in a layout"),
            }
        }
        Ok(())
    }

    /// The row of the record at hand that a statement is about, if it has it.
    fn placed(
        &self,
        ctx: &Ctx<'m>,
        path: &LayoutPath,
    ) -> Result<Option<(RowId, &'m Row)>, &'static str> {
        let [step] = path.steps.as_slice() else {
            return Err("an object that a struct farther out places");
        };
        let row = step.rows.iter().find(|(record, _)| *record == ctx.record);
        let row = row.map(|(_, id)| (*id, self.row(ctx, ctx.record, *id)));
        Ok(row.filter(|(_, row)| !matches!(row.homes.get(ctx.epoch), Some(Home::Absent))))
    }

    /// What a statement places of the record at hand.
    fn piece(
        &self,
        ctx: &Ctx<'m>,
        path: &LayoutPath,
        own: bool,
        tail: bool,
        found: &mut Vec<Piece>,
    ) -> Result<(), &'static str> {
        let Some((id, row)) = self.placed(ctx, path)? else { return Ok(()) };
        if own != tail && self.is_laid_whole(&row.ty) {
            return Err("a struct whose own bytes do not come first, in two steps");
        }
        found.push(Piece::Row { row: id, own, tail });
        Ok(())
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
        let is_own = |piece: &Piece| matches!(piece, Piece::This);
        if !work.pieces.layout.iter().skip(1).any(is_own) {
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

    /// Joins the chains of the rows of a record, in the order of its layout, and those of its passes.
    pub(super) fn close_chains(&self, work: &mut Work<'_, 'm>) {
        let pieces = std::mem::take(&mut work.pieces);
        match work.ctx.chains.as_ref().and_then(|chains| chains.tail.as_ref()) {
            Some(all) => {
                let made = self.joined(work, &pieces, &pieces.layout, all);
                work.code.extend(made);
            }
            None if pieces.layout.len() > 1 => self.doubt("objects of what owns none"),
            None => {}
        }
        for (all, pass) in &pieces.passes {
            let made = self.joined(work, &pieces, pass, all);
            work.code.extend(made);
        }
        // What no statement places is not written.
        for row in &pieces.turns {
            let locals = work.chains.get(row).into_iter().flat_map(Chains::locals);
            let placed = locals.map(|chain| quote!(s::holds(#chain.is_nothing())?;));
            work.code.extend(placed);
        }
    }

    fn joined(
        &self,
        work: &Work<'_, 'm>,
        pieces: &Pieces,
        statements: &[Piece],
        all: &Ident,
    ) -> TokenStream {
        let join = |row: RowId, chain: &Ident| match pieces.turns.contains(&row) {
            true => quote!(cx.join(&mut #all, #chain.take())?;),
            false => quote!(cx.join(&mut #all, #chain)?;),
        };
        let mut code = TokenStream::new();
        for (at, piece) in statements.iter().enumerate() {
            match piece {
                Piece::This if at == 0 => {}
                Piece::This => {
                    let Some((base, end)) = &work.own else { continue };
                    let align = self.model.type_align(&Type::Record(work.ctx.record));
                    let align = size(align.unwrap_or(1));
                    code.extend(quote! {
                        cx.join(&mut #all, s::Chain::of(#base, #end, #align))?;
                    });
                }
                Piece::Row { row: id, own, tail } => {
                    let Some(chains) = work.chains.get(id) else { continue };
                    let row = self.row(work.ctx, work.ctx.record, *id);
                    let own = Some(&chains.own).filter(|_| *own && self.is_object(row));
                    let tail = chains.tail.as_ref().filter(|_| *tail);
                    code.extend(own.into_iter().chain(tail).map(|chain| join(*id, chain)));
                }
                Piece::Run { row, pass } => {
                    let chain = work.chains.get(row).and_then(|chains| chains.pass(pass));
                    code.extend(chain.map(|chain| join(*row, chain)));
                }
                Piece::Align(align) => {
                    let aligned = self.aligned(work.ctx, *align);
                    code.extend(quote!(cx.join(&mut #all, #aligned)?;));
                }
                Piece::When(condition, then, otherwise) => {
                    let then = self.joined(work, pieces, then, all);
                    let otherwise = self.joined(work, pieces, otherwise, all);
                    match self.truth(work.ctx, *condition) {
                        Ok(holds) => code.extend(quote!(if #holds { #then } else { #otherwise })),
                        Err(Unable(why)) => self.doubt(&why),
                    }
                }
            }
        }
        code
    }

    /// A chain of an alignment that an expression says, if it says one.
    pub(super) fn aligned(&self, ctx: &Ctx<'m>, align: ExprId) -> TokenStream {
        match self.number(ctx, align) {
            Ok(align) => quote!(s::Chain::aligned(s::alignment(#align)?)),
            Err(Unable(why)) => {
                self.doubt(&why);
                quote!(s::Chain::NOTHING)
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
                let passes = (!chains.passes.is_empty()).then(|| chains.clone());
                return Linked { chains: passes, open: TokenStream::new(), join: alone };
            }
        };
        // What passes put is put in the order of the values, however far in it is.
        let inner = Chains { passes: chains.passes.clone(), ..Chains::one(local.clone()) };
        Linked { open: opened(&local), chains: Some(inner), join }
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
        let record = self.straight.record(id);
        let mut taken = TokenStream::new();
        for (pass, _) in record.passes.iter().rev() {
            match ctx.chains.as_ref().and_then(|chains| chains.pass(pass)) {
                Some(chain) => taken.extend(quote!(cx.join_pass(&mut #chain)?;)),
                None => self.doubt("a pass that nothing runs"),
            }
        }
        if record.owns_objects() {
            let Some(Chains { tail: Some(tail), .. }) = &ctx.chains else {
                self.doubt("an object that a struct farther out places");
                return None;
            };
            taken.extend(quote!(cx.join_handed(&mut #tail)?;));
        }
        Some(taken)
    }

    /// The chains that a function of a record makes.
    pub(super) fn chains_of_function(&self, id: RecordId) -> Option<Chains> {
        let passes = &self.straight.record(id).passes;
        let passes = passes.iter().map(|(pass, _)| (pass.clone(), format_ident!("pass_{pass}")));
        let tail = Chains::one(format_ident!("tail"));
        self.hands_chain(id).then(|| Chains { passes: passes.collect(), ..tail })
    }

    /// Code that opens the chains of a function of a record, and code that hands them to its caller.
    pub(super) fn handed_chains(&self, id: RecordId) -> Option<(TokenStream, TokenStream)> {
        let chains = self.chains_of_function(id)?;
        let (own, passes) = (&chains.own, chains.passes.iter().map(|(_, chain)| chain));
        let open = chains.locals().map(opened).collect();
        Some((open, quote!(#(cx.hand_pass(#passes);)* cx.hand(#own);)))
    }
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
