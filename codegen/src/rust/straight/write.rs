//! The straight writer: one pass over a value, in the order of the layout.
//!
//! `put_*` functions append the inline rows of a record, `tail_*` functions place what it owns, and
//! `lay_*` functions do both for records whose own bytes do not come first. Pointers are written as
//! zero, or as the number for "nothing", and get their numbers when their targets are placed.

mod array;
mod behind;
mod beside;
mod cell;
mod derive;
mod late;
mod lists;
mod pass;
mod place;
mod room;
mod rows;
mod run;
mod shared;
mod spot;
mod sums;
mod tables;
mod target;
mod union;
mod writer;

use std::cell::RefCell;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::able::{Able, unable};
use super::anchors::Anchors;
use super::check::Checking;
use super::context::Straight;
use super::locals::{Locals, is_case_name};
use super::outline::{Pieces, root_piece};
use super::questions::indexed;
use crate::model::RecordId;

use rows::Head;
use writer::{Function, Node, Task, Weights, Writer};

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
    let (room, rooms) = straight.room();
    let epoch = straight.epoch_argument();
    let checks = checking.is_within_writing().then(|| {
        quote! {
            let keys = &keys_of::<#epoch>(v, #arena)?;
            check_all::<#epoch>(v, keys, #arena)?;
        }
    });
    let late = writer.late_rows()?;
    let sums = writer.sum_rows()?;
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
    let mut pieces = Pieces::new(straight.model);
    let types = |name: &str| {
        let record = is_case_name(name)?;
        let ty = straight.shapes.is_typed(record).then(|| writer.ty(record))?;
        Some(quote!(&'v #ty))
    };
    let functions = writer.functions.borrow();
    let functions: Vec<TokenStream> = functions
        .values()
        .map(|function| match function {
            Function::Done(tokens) => pieces.outline(tokens.clone(), &types),
            Function::Begun => TokenStream::new(),
        })
        .collect();
    let piece = |verb: &str, code: TokenStream| {
        let label = root_piece(verb, root);
        (!code.is_empty()).then(|| quote!(#label: { #code }))
    };
    let tokens = |code: Option<TokenStream>| code.unwrap_or_default();
    let first = [piece("rules", rules), piece("ranks", tokens(ranks))];
    let last = [
        piece("late", late),
        piece("sets", tokens(seen_at_last)),
        piece("sums", sums),
        piece("found", tokens(found)),
        piece("seen", tokens(seen)),
    ];
    let body = quote! {
        #checks
        let room = #room;
        let fill = |cx: &mut s::Ink<'v>| -> s::Straight<()> {
            #(#first)*
            { #body }
            #(#last)*
            #take_found
            rt::Ok(())
        };
        s::write(#anchors, room, out, file, fill)
    };
    let params = quote! {
        v: &'v #ty,
        #param
        out: &mut rt::Vec<u8>,
        file: rt::Option<&'v [u8]>,
        #found_param
    };
    let (body, written) = match straight.has_epochs() {
        false => (body, None),
        true => {
            let arms = straight.layouts.iter().map(
                |epoch| quote!(#epoch => written::<#epoch>(v, #arena out, file #found_argument),),
            );
            let dispatch = quote!(match epoch(v, #arena)? { #(#arms)* _ => rt::Err(s::Odd), });
            let written = quote!(fn written<'v, #epochs>(#params) -> s::Straight<()> { #body });
            (dispatch, Some(written))
        }
    };
    let write = quote!(fn write<'v>(#params) -> s::Straight<()> { #body });
    let write = pieces.outline(write, &types);
    let written = written.map(|written| pieces.outline(written, &types));
    let pieces = pieces.functions();
    Ok(quote!(#write #written #(#rooms)* #(#functions)* #(#pieces)*))
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
            beside: RefCell::default(),
            late: RefCell::default(),
            sums: RefCell::default(),
            indexed: indexed(straight.model, &straight.positioned),
            has_relocation: !model.relocation.is_empty()
                || model.records.iter().any(|record| record.encodes.is_some()),
            owes: model.records.iter().any(pass::is_placed_by_turns),
            leaves: run::leaves_terminators(model),
            ends: RefCell::default(),
            sets: RefCell::default(),
            word_at: RefCell::default(),
            locals: Locals::new(&straight.record(model.root).name),
        }
    }

    /// The code for the root.
    fn root(&self) -> Able<TokenStream> {
        let root = self.model.root;
        let big = self.big();
        self.by_epoch(|view, epoch| {
            let node = self.node(view, epoch, big, root, quote!(v), None);
            let mut node = Node { at: quote!(0_u64), decided: None, ..node };
            for frame in &mut node.scope.frames {
                frame.at = Some(node.at.clone());
            }
            let layout = &node.record().layout;
            if !node.record().comes_first() {
                return unable("a root that is not written first");
            }
            let src = self.src(quote!(v), self.straight.value_shape(root));
            self.by_order(&node, root, &src, &mut |node| {
                let big = self.straight.carried(root, None, self.order_in(root, node))?;
                let node = &Node { big: big.unwrap_or(node.big), ..node.clone() };
                let put = self.call(Task::Put, node, root, &quote!(v), None, &quote!())?;
                let tail = self.statements(node, &layout[1..])?;
                Ok(quote!(#put #tail))
            })
        })
    }

    fn name(task: Task, id: RecordId, big: bool) -> Ident {
        let big = if big { "_big" } else { "" };
        match task {
            Task::Put => format_ident!("put__{}{big}", id.0),
            Task::Tail => format_ident!("tail__{}{big}", id.0),
            Task::Lay => format_ident!("lay__{}{big}", id.0),
            Task::Pass(number) => format_ident!("pass__{}_{number}{big}", id.0),
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
                let made = self.function_body(task, id, big);
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
        let body = self.function_body(task, id, big);
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

    fn function_body(&self, task: Task, id: RecordId, big: bool) -> Able<TokenStream> {
        let name = &self.straight.record(id).name;
        // What is at hand around the call is no local of the function.
        let at_hand = self.straight.at_hand.take();
        let placed = self.straight.placed.take();
        let body = self.locals.about_name(name, || self.body(task, id, big));
        self.straight.at_hand.replace(at_hand);
        self.straight.placed.replace(placed);
        body
    }

    fn body(&self, task: Task, id: RecordId, big: bool) -> Able<TokenStream> {
        let index = self.indexed.contains(&id).then(|| quote!(index));
        let body = self.by_epoch(|view, epoch| {
            let node = self.node(view, epoch, big, id, quote!(v), index.clone());
            let layout = &node.record().layout;
            match task {
                Task::Put => self.rows(&node, &spot::Spot::End, &Head::default()),
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
}
