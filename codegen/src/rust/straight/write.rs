//! The straight writer: one pass over a value, in the order of the layout.
//!
//! `put_*` functions append the inline rows of a record, `tail_*` functions place what it owns, and
//! `lay_*` functions do both for records whose own bytes do not come first. Pointers are written as
//! zero, or as the number for "nothing", and get their numbers when their targets are placed.

mod array;
mod behind;
mod cell;
mod derive;
pub(super) mod late;
mod lists;
mod pass;
mod place;
mod room;
mod rows;
mod run;
mod shared;
mod spot;
mod tables;
mod target;
mod union;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::check::Checking;
use super::{Able, Access, Frame, Scope, Straight, ends, mentions, unable};
use crate::model::{
    ByteOrder, ByteOrderRule, EndianRule, ExprId, Model, RecordId, RecordKind, Row, RowId, Sizes,
    Statement, Type,
};
use crate::rust::shape::Shape;
use crate::rust::visit::indexed;

use late::{Anchors, LateRow};

/// The function `write` and those that it calls.
pub(super) fn emit(
    straight: &Straight<'_, '_>,
    checking: &Checking<'_, '_, '_>,
) -> Able<TokenStream> {
    let writer = Writer::new(straight, checking);
    let root = straight.model.root;
    let ty = writer.ty(root);
    let anchors = writer.anchors.count();
    let epochs = straight.epoch_generic();
    let (arena, param) = (straight.arena_argument(), straight.arena_param(&quote!('v)));
    let body = writer.root()?;
    let room = straight.room(&quote!(v));
    let epoch = straight.epoch_argument();
    let checks = checking.is_within_writing().then(|| {
        quote! {
            let keys = &keys_of::<#epoch>(v, #arena)?;
            check_all::<#epoch>(v, keys, #arena)?;
        }
    });
    let late = writer.late_rows()?;
    let found = straight.carried(root, None, writer.found_objects())?;
    let seen = straight.carried(root, None, writer.seen_values())?;
    let rules = writer.rules()?;
    let found_param = straight
        .carried(root, None, straight.kept_pool())?
        .flatten()
        .map(|_| quote!(found: &mut rt::Option<s::FoundMembers>,));
    let found_argument = found_param.as_ref().map(|_| quote!(, found));
    let take_found = found_param.as_ref().map(|_| quote!(*found = cx.take_members();));
    let ranks = straight.carried(root, None, writer.ranks())?;
    let seen_at_last = straight.carried(root, None, writer.seen_at_last())?;
    let functions = writer.functions.borrow();
    let functions = functions.values().map(|function| match function {
        Function::Done(tokens) => tokens.clone(),
        Function::Begun => TokenStream::new(),
    });
    let dispatch = if straight.has_epochs() {
        let arms = straight
            .layouts
            .iter()
            .map(|epoch| quote!(#epoch => written::<#epoch>(v, #arena out, file #found_argument),));
        quote!(match epoch(v, #arena)? { #(#arms)* _ => rt::Err(s::Odd), })
    } else {
        quote!(written(v, #arena out, file #found_argument))
    };
    Ok(quote! {
        fn write<'v>(
            v: &'v #ty,
            #param
            out: &mut rt::Vec<u8>,
            file: rt::Option<&'v [u8]>,
            #found_param
        ) -> s::Straight<()> {
            #dispatch
        }

        fn written<'v, #epochs>(
            v: &'v #ty,
            #param
            out: &mut rt::Vec<u8>,
            file: rt::Option<&'v [u8]>,
            #found_param
        ) -> s::Straight<()> {
            #checks
            s::write(#anchors, #room, out, file, |cx| {
                #rules
                #ranks
                { #body }
                #late
                #seen_at_last
                #found
                #seen
                #take_found
                rt::Ok(())
            })
        }

        #(#functions)*
    })
}

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    /// Appends the inline rows.
    Put,
    /// Places what is owned.
    Tail,
    /// Both, where the own bytes do not come first.
    Lay,
    /// Runs the pass with this number.
    Pass(u32),
}

enum Function {
    /// It is being written, further out.
    Begun,
    Done(TokenStream),
}

/// Rows that are written in one block at most, those of structs and unions in it included: code for
/// each of them stands where the block is filled, however often a struct is in it.
const MOST_ROWS: u32 = 200;

/// For each record, how many rows are written where it is written, those of all that is in it.
struct Weights(Vec<Option<u32>>);

impl Weights {
    fn new(model: &Model) -> Weights {
        let mut weights = Weights(vec![None; model.records.len()]);
        for (id, _) in model.records() {
            weights.add(model, id);
        }
        weights
    }

    fn add(&mut self, model: &Model, id: RecordId) {
        if self.0[id.index()].is_some() {
            return;
        }
        // What is in itself, in a list, is not in a block.
        self.0[id.index()] = Some(0);
        let mut weight = 0_u32;
        for row in &model.records[id.index()].rows {
            for inner in inline(model, &row.ty) {
                self.add(model, inner);
            }
            weight = weight.saturating_add(1).saturating_add(self.of_type(model, &row.ty));
        }
        self.0[id.index()] = Some(weight);
    }

    fn of(&self, id: RecordId) -> u32 {
        self.0[id.index()].unwrap_or(0)
    }

    fn of_type(&self, model: &Model, ty: &Type) -> u32 {
        let all = inline(model, ty);
        all.into_iter().fold(0, |weight, id| weight.saturating_add(self.of(id)))
    }
}

/// Records that are written where a value of a type is.
fn inline(model: &Model, ty: &Type) -> Vec<RecordId> {
    match ty {
        Type::Record(id) => vec![*id],
        Type::Union(id) => model.unions[id.index()].records().collect(),
        Type::Array(array) => inline(model, &array.element),
        Type::Region(region) => inline(model, &region.inner),
        Type::PerEpoch(types) => types.iter().flat_map(|ty| inline(model, ty)).collect(),
        _ => Vec::new(),
    }
}

/// What functions of a writer are made from.
struct Writer<'s, 'p, 'm> {
    straight: &'s Straight<'p, 'm>,
    checking: &'s Checking<'s, 'p, 'm>,
    model: &'m Model,
    sizes: Vec<Sizes<'m>>,
    weights: Weights,
    functions: RefCell<BTreeMap<(Task, RecordId, bool), Function>>,
    failed: RefCell<BTreeSet<(Task, RecordId, bool)>>,
    anchors: Anchors,
    late: RefCell<Vec<LateRow>>,
    /// Records that ask for their position in the array around them.
    indexed: BTreeSet<RecordId>,
    has_relocation: bool,
    /// Whether what is still to be placed is counted, since one of several statements places it.
    owes: bool,
    /// Whether some terminator is left to what follows.
    leaves: bool,
    /// Regions that end at an address, by the record that says it.
    ends: RefCell<Vec<(RecordId, ExprId)>>,
    /// Streams of addresses in which bits look for their place.
    sets: RefCell<Vec<ExprId>>,
    /// Where the word is whose bits are made, a place in the block at hand; its width in bytes, and
    /// whether its highest byte comes first.
    word_at: RefCell<Option<(TokenStream, u8, bool)>>,
    /// How many locals the code at hand has.
    locals: Cell<u32>,
}

/// Code of type `&T`.
#[derive(Debug, Clone)]
struct Src {
    /// Of lists and texts, something with `len()` and `iter()`.
    code: TokenStream,
    /// What the value around holds.
    held: TokenStream,
    /// The shape of T; none if there is no value.
    shape: Option<Shape>,
}

impl Src {
    fn nothing() -> Src {
        Src { code: quote!(&()), held: quote!(&()), shape: None }
    }
}

/// A node whose rows are written.
#[derive(Clone)]
struct Node<'m> {
    view: &'m Model,
    epoch: usize,
    /// Whether the highest byte of numbers comes first, if they do not say themselves.
    big: bool,
    /// The record of which it has been decided that this is its byte order.
    decided: Option<RecordId>,
    /// The record of the rows: of the form, if there is one.
    id: RecordId,
    /// A reference to the struct that holds them.
    value: TokenStream,
    scope: Scope<'static>,
    /// Address that offsets of rows count from.
    at: TokenStream,
    /// Position in the array around it: a `usize`.
    index: Option<TokenStream>,
    /// Structs around, with the rows that hold what is in them, the outermost first: those that are
    /// written by the same function.
    way: Vec<(RecordId, RowId)>,
    /// The row that is written, if what is in it is in no array or union and behind no pointer.
    row: Option<RowId>,
    /// Whether an element of a row is written.
    element: bool,
    /// The level of the type that is written next has been entered, for all elements of an array.
    entered: bool,
}

impl<'m> Node<'m> {
    fn record(&self) -> &'m crate::model::Record {
        &self.view.records[self.id.index()]
    }

    fn row(&self, row: RowId) -> &'m Row {
        &self.record().rows[row.index()]
    }
}

impl<'s, 'p, 'm> Writer<'s, 'p, 'm> {
    fn new(straight: &'s Straight<'p, 'm>, checking: &'s Checking<'s, 'p, 'm>) -> Self {
        let model = straight.model;
        Writer {
            straight,
            checking,
            model,
            sizes: straight.sizes(),
            weights: Weights::new(straight.model),
            functions: RefCell::default(),
            failed: RefCell::default(),
            anchors: Anchors::new(straight),
            late: RefCell::default(),
            indexed: indexed(model),
            has_relocation: !model.relocation.is_empty()
                || model.records.iter().any(|record| record.encodes.is_some()),
            owes: model.records.iter().any(pass::is_placed_by_turns),
            leaves: run::leaves_terminators(model),
            ends: RefCell::default(),
            sets: RefCell::default(),
            word_at: RefCell::default(),
            locals: Cell::default(),
        }
    }

    /// A name for a local that nothing around has.
    fn fresh(&self, prefix: &str) -> Ident {
        let number = self.locals.get();
        self.locals.set(number + 1);
        format_ident!("{prefix}_{number}")
    }

    /// Code for each layout, with names of locals that do not depend on what was written before.
    fn by_epoch(
        &self,
        mut body: impl FnMut(&'m Model, usize) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let before = self.locals.get();
        let tokens = self.straight.by_epoch(|view, epoch| {
            self.locals.set(0);
            body(view, epoch)
        });
        self.locals.set(before);
        tokens
    }

    /// The code for the root.
    fn root(&self) -> Able<TokenStream> {
        let root = self.model.root;
        let big = self.big();
        self.by_epoch(|view, epoch| {
            let node = self.node(view, epoch, big, root, quote!(v), None);
            let node = Node { at: quote!(0_u64), decided: None, ..node };
            let layout = &node.record().layout;
            if !matches!(layout.first(), Some(Statement::This)) {
                return unable("a root that is not written first");
            }
            let put = self.call(Task::Put, &node, root, &quote!(v), None, &quote!())?;
            let tail = self.statements(&node, &layout[1..])?;
            Ok(quote!(#put #tail))
        })
    }

    /// Byte order of the file, as far as straight code carries it.
    fn big(&self) -> bool {
        matches!(self.model.byte_order, ByteOrderRule::Fixed(ByteOrder::Big))
    }

    /// Byte order inside of a record.
    fn order_in(&self, id: RecordId, node: &Node<'m>) -> Able<bool> {
        match &self.model.records[id.index()].endian {
            None => Ok(node.big),
            Some(EndianRule::Fixed(order)) => Ok(*order == ByteOrder::Big),
            Some(EndianRule::Chosen(..)) if node.decided == Some(id) => Ok(node.big),
            Some(EndianRule::Chosen(..)) => unable("a byte order that the file chooses here"),
        }
    }

    /// Code for each byte order that a record may choose, and the choice between them. `make` takes
    /// the node around.
    fn by_order(
        &self,
        node: &Node<'m>,
        id: RecordId,
        src: &Src,
        make: &mut dyn FnMut(&Node<'m>) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let Some(EndianRule::Chosen(rules, otherwise)) = &self.model.records[id.index()].endian
        else {
            return make(node);
        };
        if node.decided == Some(id) {
            return make(node);
        }
        let mut decided = |order: ByteOrder| {
            make(&Node { big: order == ByteOrder::Big, decided: Some(id), ..node.clone() })
        };
        let access = Access::Value(self.argument(id, src));
        let scope = node.scope.within(Frame { record: id, access, at: None, index: None });
        let mut code = match otherwise {
            Some(order) => decided(*order)?,
            None => quote!(return rt::Err(s::Odd);),
        };
        for (condition, order) in rules.iter().rev() {
            let condition = self.straight.truth(&scope, node.view, *condition)?;
            let then = decided(*order)?;
            code = quote!(if #condition { #then } else { #code });
        }
        Ok(code)
    }

    /// The node that the function of a record is about.
    fn node(
        &self,
        view: &'m Model,
        epoch: usize,
        big: bool,
        id: RecordId,
        value: TokenStream,
        index: Option<TokenStream>,
    ) -> Node<'m> {
        let mut frames = self.straight.enclosing_frames(id);
        frames.push(Frame {
            record: id,
            access: Access::Value(value.clone()),
            at: Some(quote!(o)),
            index: index.clone(),
        });
        let scope = Scope { frames, it: None, late: Some(&late::Counting) };
        Node {
            view,
            epoch,
            big,
            decided: Some(id),
            id,
            value,
            scope,
            at: quote!(o),
            index,
            way: Vec::new(),
            row: None,
            element: false,
            entered: false,
        }
    }

    /// The record that holds the rows of another one: forms are in the struct of their case.
    fn holder(&self, id: RecordId) -> RecordId {
        match self.model.records[id.index()].kind {
            RecordKind::Form(union, case, _) => {
                self.model.unions[union.index()].cases[case as usize].record
            }
            _ => id,
        }
    }

    /// What a value of a shape is taken from.
    fn src(&self, held: TokenStream, shape: Shape) -> Src {
        Src { code: self.straight.reached(&shape, &held), held, shape: Some(shape) }
    }

    /// Type of what functions of a record take.
    fn ty(&self, id: RecordId) -> TokenStream {
        let shapes = self.straight.shapes;
        if shapes.is_transparent(id) || shapes.is_typed(id) {
            self.straight.value_ty(id, &quote!('v))
        } else {
            quote!(())
        }
    }

    /// What functions of a record take for a value.
    fn argument(&self, id: RecordId, src: &Src) -> TokenStream {
        let shapes = self.straight.shapes;
        if shapes.is_transparent(id) || shapes.is_typed(id) {
            src.held.clone()
        } else {
            quote!(&())
        }
    }

    fn name(task: Task, id: RecordId, big: bool) -> Ident {
        let big = if big { "_big" } else { "" };
        match task {
            Task::Put => format_ident!("put_{}{big}", id.0),
            Task::Tail => format_ident!("tail_{}{big}", id.0),
            Task::Lay => format_ident!("lay_{}{big}", id.0),
            Task::Pass(number) => format_ident!("pass_{}_{number}{big}", id.0),
        }
    }

    /// A call of the function for a record; `more` are its arguments behind value and index, each
    /// with a comma.
    fn call(
        &self,
        task: Task,
        node: &Node<'m>,
        id: RecordId,
        value: &TokenStream,
        index: Option<&TokenStream>,
        more: &TokenStream,
    ) -> Able<TokenStream> {
        let big = self.straight.carried(id, None, self.order_in(id, node))?;
        let big = big.unwrap_or(node.big);
        self.function(task, id, big)?;
        let name = Self::name(task, id, big);
        let arguments = self.straight.arguments(&node.scope, id)?;
        let epoch = self.straight.epoch_argument();
        let index = self.indexed.contains(&id).then(|| {
            let index = index.cloned().unwrap_or(quote!(usize::MAX));
            quote!(#index,)
        });
        let keys = self.checking.is_within_writing().then(|| quote!(keys,));
        let call = quote!(#name::<#epoch>(cx, #value, #index #more #keys #arguments)?;);
        Ok(match task {
            Task::Put if self.straight.record(id).recursive && !node.entered => {
                quote!(cx.enter()?; #call cx.leave();)
            }
            _ => call,
        })
    }

    /// Makes sure that a function is there.
    fn function(&self, task: Task, id: RecordId, big: bool) -> Able<()> {
        if self.straight.is_survey() {
            return self.straight.find_in_function(format!("{task:?} {} {big}", id.0), || {
                let made = self.body(task, id, big);
                self.straight.carried(id, None, made).map(|_| ())
            });
        }
        let key = (task, id, big);
        if self.failed.borrow().contains(&key) {
            return unable(format!(
                "{} of {}",
                Self::name(task, id, big),
                self.straight.record(id).name
            ));
        }
        if self.functions.borrow().contains_key(&key) {
            return Ok(());
        }
        self.functions.borrow_mut().insert(key, Function::Begun);
        let body = self.body(task, id, big);
        let (tokens, result) = match body {
            Ok(tokens) => (tokens, Ok(())),
            // Who calls it from inside of a circle gives up there.
            Err(why) => {
                self.failed.borrow_mut().insert(key);
                (quote!(return rt::Err(s::Odd);), Err(why))
            }
        };
        let name = Self::name(task, id, big);
        let (ty, epochs) = (self.ty(id), self.straight.epoch_generic());
        let params = self.straight.params(id, &quote!('v));
        let index = self.indexed.contains(&id).then(|| quote!(index: usize,));
        let (more, output) = match task {
            Task::Put => (quote!(), quote!(())),
            Task::Tail | Task::Pass(_) => (quote!(o: s::Spot,), quote!(())),
            Task::Lay => (quote!(align: u64,), quote!(s::Spot)),
        };
        let result_code = match task {
            Task::Lay => quote!(rt::Ok(o)),
            _ => quote!(rt::Ok(())),
        };
        // Who calls the others enters the level.
        let recursive = self.straight.record(id).recursive && task != Task::Put;
        let (enter, leave) = match recursive {
            true => (quote!(cx.enter()?;), quote!(cx.leave();)),
            false => (quote!(), quote!()),
        };
        let keys = self.checking.is_within_writing().then(|| quote!(keys: &Keys,));
        let function = quote! {
            fn #name<'v, #epochs>(
                cx: &mut s::Ink<'v>,
                v: &'v #ty,
                #index
                #more
                #keys
                #params
            ) -> s::Straight<#output> {
                #enter
                #tokens
                #leave
                #result_code
            }
        };
        self.functions.borrow_mut().insert(key, Function::Done(function));
        result
    }

    fn body(&self, task: Task, id: RecordId, big: bool) -> Able<TokenStream> {
        let index = self.indexed.contains(&id).then(|| quote!(index));
        let body = self.by_epoch(|view, epoch| {
            let node = self.node(view, epoch, big, id, quote!(v), index.clone());
            let layout = &node.record().layout;
            match task {
                Task::Put => self.rows(&node, &spot::Spot::End, &rows::Head::default()),
                Task::Tail => self.statements(&node, &layout[1..]),
                Task::Lay => self.statements(&node, layout),
                Task::Pass(number) => match node.record().passes.get(number as usize) {
                    Some((_, statements)) => self.statements(&node, statements),
                    None => unable("no such pass"),
                },
            }
        })?;
        Ok(match task {
            Task::Put => quote!(let o = cx.here(); #body),
            Task::Tail | Task::Pass(_) => body,
            Task::Lay => quote!(let o = cx.token()?; #body),
        })
    }

    /// The field of a row, from the struct around it.
    fn field(&self, node: &Node<'m>, row: RowId) -> Option<Src> {
        let holder = self.holder(node.id);
        let shapes = self.straight.shapes;
        let row = if holder == node.id {
            row
        } else {
            let name = node.row(row).name.as_ref()?;
            let rows = &self.model.records[holder.index()].rows;
            let at = rows.iter().position(|r| r.name.as_ref() == Some(name))?;
            RowId(u32::try_from(at).ok()?)
        };
        let field = shapes.field(holder, row)?;
        let value = &node.value;
        if shapes.is_transparent(holder) {
            return Some(self.src(value.clone(), field.shape.clone()));
        }
        if !shapes.is_typed(holder) {
            return None;
        }
        let ident = &field.ident;
        Some(self.src(quote!((&#value.#ident)), field.shape.clone()))
    }

    /// Size in bytes of a type, if it is always the same.
    fn size(&self, node: &Node<'m>, ty: &Type) -> Option<u64> {
        self.sizes[node.epoch].of(ty)
    }

    /// The same, if all that is in it has a place that is known before anything is written.
    fn block_size(&self, node: &Node<'m>, ty: &'m Type) -> Option<u64> {
        self.size(node, ty).filter(|_| self.is_block(node, ty))
    }

    fn is_block(&self, node: &Node<'m>, ty: &Type) -> bool {
        match ty {
            // The size of the room says nothing of what is in it.
            Type::Region(region) => match ends::ends(self.model, region) {
                Ok(Some(_)) => ends::filling(region).is_some(),
                _ => self.size(node, &region.inner).is_some() && self.is_block(node, &region.inner),
            },
            Type::Array(array) => {
                self.size(node, &array.element).is_none() || self.is_block(node, &array.element)
            }
            Type::Record(id) => {
                let rows = &node.view.records[id.index()].rows;
                self.weights.of(*id) <= MOST_ROWS
                    && rows.iter().filter(|row| derive::is_here(row, node.epoch)).all(|row| {
                        self.size(node, &row.ty).is_none() || self.is_block(node, &row.ty)
                    })
            }
            Type::Union(_) => self.weights.of_type(self.model, ty) <= MOST_ROWS,
            _ => true,
        }
    }

    /// The node of a record inside of another node.
    fn inside(
        &self,
        node: &Node<'m>,
        id: RecordId,
        src: &Src,
        at: TokenStream,
        index: Option<TokenStream>,
    ) -> Able<Node<'m>> {
        let value = self.argument(id, src);
        let scope = node.scope.within(Frame {
            record: id,
            access: Access::Value(value.clone()),
            at: Some(at.clone()),
            index: index.clone(),
        });
        let big = self.straight.carried(id, None, self.order_in(id, node))?;
        let big = big.unwrap_or(node.big);
        let mut way = Vec::new();
        if let Some(row) = node.row {
            way.clone_from(&node.way);
            way.push((node.id, row));
        }
        Ok(Node {
            id,
            value,
            scope,
            at,
            index,
            way,
            row: None,
            big,
            decided: Some(id),
            element: false,
            entered: false,
            ..node.clone()
        })
    }

    /// Code that gives up if something of a struct is spelled in a way that straight code does not
    /// keep. It keeps widths of numbers in rows, and forms.
    fn canonical(&self, id: RecordId, value: &TokenStream) -> TokenStream {
        if !self.is_spelled(id) {
            return quote!();
        }
        let forms = match self.model.records[id.index()].kind {
            RecordKind::Case(union, case) => {
                let forms = &self.model.unions[union.index()].cases[case as usize].forms;
                forms.iter().map(|form| form.record).collect()
            }
            _ => Vec::new(),
        };
        let mut rows = Vec::new();
        for record in std::iter::once(id).chain(forms.iter().copied()) {
            for (row_id, row) in self.model.records[record.index()].numbered_rows() {
                if derive::has_varint(&row.ty) {
                    rows.push(self.straight.shapes.spelling_row(record, row_id));
                }
            }
        }
        let whole = forms.len() > 1;
        if id == self.model.root
            && let Ok(Some((row, _))) = self.straight.kept_pool()
        {
            let spelling = self.straight.spelling(id, value);
            return match rows.is_empty() && !whole {
                true => quote!(s::holds(s::has_only_members(#spelling, #row))?;),
                false => quote!(s::holds(false)?;),
            };
        }
        if rows.is_empty() && !whole {
            let spelling = self.straight.spelling(id, value);
            return quote!(s::holds(#spelling.is_canonical())?;);
        }
        let spelling = self.straight.spelling(id, value);
        quote!(s::holds(s::is_kept(#spelling, &[#(#rows),*], #whole))?;)
    }

    /// Whether a struct has a field for its spelling.
    fn is_spelled(&self, id: RecordId) -> bool {
        let shapes = self.straight.shapes;
        shapes.has_spelling(id) && shapes.is_typed(id) && !shapes.is_transparent(id)
    }

    /// The width that a number of variable width had in the file: an `s::Width`.
    fn width(&self, node: &Node<'m>, row: RowId) -> TokenStream {
        if node.element || !self.is_spelled(self.holder(node.id)) {
            return quote!(s::Width::SHORTEST);
        }
        let row = self.straight.shapes.spelling_row(node.id, row);
        let spelling = self.straight.spelling(self.holder(node.id), &node.value);
        quote!(s::Width::of(#spelling, #row))
    }
}
