//! The straight reader: from bytes to values, depth first, each byte once.
//!
//! What has a constant size is looked at as one block, with one check of bounds; what has not is read
//! from a part of the file that knows where it ends. Records that stand in one place of the schema
//! are read where they stand, so that values are made in place; others have functions.
//!
//! Where an object lies does not matter to the value, so addresses are held against the file only
//! where a number in the file follows from them, and where that proves that each object is where the
//! layouts put it. Of spelling it keeps what is as cheap as it is
//! common, such as the width of a number, and the form of a case. If the reader cannot tell whether all that
//! follows from something else is what it should be, it is not sealed: what it reads counts only if
//! the writer makes the same bytes of it.

mod array;
mod block;
mod body;
mod cell;
mod chain;
mod choice;
mod effort;
mod elsewhere;
mod form;
mod item;
mod order;
mod pointer;
mod row;
mod run;
mod seal;
mod seen;
mod slice;
mod sweep;
mod text;
mod waits;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use super::able::{Able, Unable, unable};
use super::anchors::Anchors;
use super::context::{Flavour, KEPT_POOL, Straight};
use super::early::{bits_in, early_value, is_early_number};
use super::locals::Locals;
use super::operators::Typed;
use super::outline::Pieces;
use super::scope::{Frame, It, Late, Scope};
use crate::rust::mentions::called;

use crate::model::{
    ByteOrder, EndianRule, Expr, ExprId, Meaning, Model, Path, Pattern, RecordId, RecordKind, Row,
    RowId, Sizes, Storage,
};
use crate::rust::shape::Shape;

use chain::Chains;

/// Units of work that each byte of a file allows, where each byte is decoded once.
const SEALED: usize = 4;
/// The same, where texts of a pool are decoded for each label.
const POOLED: usize = 16;

/// The reader of a model.
pub(super) struct Reader {
    pub tokens: TokenStream,
    /// What it does not look at, so that bytes have to be compared; none if it looks at everything.
    pub doubt: Option<String>,
    /// Values of the root that it does not see, so that both are tried.
    pub tried: BTreeSet<RowId>,
    /// Whether the value is right in any case: what it does not look at follows from that.
    pub sure: bool,
}

/// The function `read` and those that it calls.
pub(super) fn emit(straight: &Straight<'_, '_>) -> Able<Reader> {
    let made = |doubt, sure: bool| -> Able<Reader> {
        let reading = Reading::new(straight, doubt);
        reading.unsure.set(reading.unsure.get() || !sure);
        let entry = reading.entry()?;
        let functions = reading.functions()?;
        let (tokens, tried) = (quote!(#entry #functions), reading.tried.take());
        Ok(Reader { tokens, doubt: reading.doubt.take(), tried, sure: !reading.unsure.get() })
    };
    let reader = made(None, true)?;
    if reader.doubt.is_none() {
        return Ok(reader);
    }
    // The writer looks at all rules, so nothing has to be noted for them.
    straight.noting.set(false);
    made(reader.doubt, reader.sure)
}

/// Makes the reader.
struct Reading<'s, 'p, 'm> {
    straight: &'s Straight<'p, 'm>,
    model: &'m Model,
    sizes: Vec<Sizes<'m>>,
    /// Places that numbers of labels count from.
    anchors: Anchors,
    bases: BTreeSet<usize>,
    /// In how many places of the schema each record stands.
    uses: Vec<usize>,
    /// Rows that expressions or tags ask for.
    asked: BTreeSet<(RecordId, RowId)>,
    /// Bodies of functions by what they read, and epoch.
    bodies: RefCell<BTreeMap<(Callee, usize), Body>>,
    /// Names of early numbers and values that are known here.
    known: RefCell<BTreeSet<String>>,
    /// Types of values that are known.
    types: RefCell<BTreeMap<String, TokenStream>>,
    texts: text::Texts,
    locals: Locals,
    /// Whether it is looked at where objects lie.
    placing: bool,
    /// Why the reader cannot vouch for what it reads.
    doubt: RefCell<Option<String>>,
    /// Whether that may be something about the value, and not only what follows from it.
    unsure: Cell<bool>,
    /// Values of the root that it does not see.
    tried: RefCell<BTreeSet<RowId>>,
}

/// What a function reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Callee {
    record: RecordId,
    /// Whether the highest byte of a number comes first.
    big: bool,
    /// Whether the value goes to an open list of an arena, rather than to the caller: values that
    /// are moved take longer than all else.
    pushing: bool,
    handed: Handed,
}

/// What a function is handed to read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Handed {
    /// The part that begins with the struct.
    Part,
    /// The bytes of the struct.
    Block,
    /// The part that goes on with what a case has, whose places do not matter.
    CaseOfPart,
    /// So many bytes, of the struct that a case is in.
    CaseOfBlock(u64),
}

/// The body of a function in one epoch.
enum Body {
    /// It is being made.
    Open,
    Made(TokenStream),
    Not(String),
}

/// What keeps how a row is spelled, or an element of it.
#[derive(Clone)]
struct Keeps {
    /// The local with the spelling.
    spelling: Ident,
    /// The row's number there.
    row: u16,
    /// The list that the element is going to be pushed to.
    list: Option<Ident>,
}

impl Keeps {
    /// Whether a number is one of those for nothing, which one is kept: a `bool`.
    fn none(&self, number: &TokenStream, nones: &[TokenStream]) -> TokenStream {
        let (spelling, row) = (&self.spelling, Literal::u16_unsuffixed(self.row));
        let index = match &self.list {
            Some(list) => quote!(rt::Some(#list.len())),
            None => quote!(rt::None),
        };
        quote!(s::is_none(#number, &[#(#nones),*], &mut #spelling, #row, #index))
    }
}

/// What is read.
#[derive(Clone)]
struct Ctx<'m> {
    view: &'m Model,
    epoch: usize,
    /// Whether the highest byte of a number comes first.
    big: bool,
    /// The record of which it has been decided that this is its byte order.
    decided: Option<RecordId>,
    frames: Vec<Frame>,
    record: RecordId,
    /// Address of that record: a `usize`.
    base: TokenStream,
    /// The pattern that selected the case around, and the local with its bits.
    pattern: Option<(&'m Pattern, Ident)>,
    /// The tag of the union around: a number of 128 bits.
    tag: Option<Ident>,
    /// The bits of the word around: a number of 64 bits.
    word: Option<Ident>,
    /// The number of 64 bits that a row of bits is part of, and its lowest bit there.
    bits: Option<(Ident, u8)>,
    /// An array without elements is not what a plain file has here.
    filled: bool,
    /// The local that takes the address and the end of what a pointer leads to.
    extent: Option<Ident>,
    /// What keeps how a row is spelled.
    keeps: Option<Keeps>,
    /// The level of the type that is read next has been entered, for all elements of a list.
    entered: bool,
    /// The part at hand has just the elements that are read next, whatever else says where they end.
    whole: bool,
    /// The position of the struct that is read next in its array: a `usize`.
    index: Option<Ident>,
    /// What describes the element that is read next, and the statement that finds it.
    it: Option<(It, TokenStream)>,
    /// The value goes to the open list `into`, wherever it is made.
    pushing: bool,
    /// The locals that chains of objects are joined to.
    chains: Option<Chains>,
}

impl Ctx<'_> {
    /// The local with the spelling that keeps how the number of a whole row is spelled, and the row's
    /// number there.
    fn keeps_row(&self) -> Option<(&Ident, Literal)> {
        let keeps = self.keeps.as_ref().filter(|keeps| keeps.list.is_none())?;
        Some((&keeps.spelling, Literal::u16_unsuffixed(keeps.row)))
    }

    /// The same with what keeps how an element is spelled that is going to be pushed to a list.
    fn for_element(&self, list: &Ident) -> Self {
        let keeps = self.keeps.clone().filter(|keeps| keeps.list.is_none());
        let keeps = keeps.map(|keeps| Keeps { list: Some(list.clone()), ..keeps });
        Ctx { keeps, ..self.clone() }
    }
}

/// Where something is read.
#[derive(Clone)]
enum Spot {
    /// At a constant place in a block, whose address is `base`. `whole`: there is nothing else in it.
    Block { block: Ident, at: u64, base: TokenStream, whole: bool },
    /// Next in a part. `local`: the part is a local, and no reference.
    Stream { part: Ident, local: bool },
}

/// What becomes of a value.
type Sink<'k> = &'k dyn Fn(TokenStream) -> TokenStream;

impl Spot {
    /// A local part.
    fn local(part: Ident) -> Spot {
        Spot::Stream { part, local: true }
    }

    /// All of a block, whose address does not matter.
    fn block(block: Ident) -> Spot {
        Spot::Block { block, at: 0, base: quote!(0_usize), whole: true }
    }

    /// Address of what is read.
    fn address(&self) -> TokenStream {
        match self {
            Spot::Block { at: 0, base, .. } => base.clone(),
            Spot::Block { at, base, .. } => {
                let at = size(*at);
                quote!((#base + #at))
            }
            Spot::Stream { part, .. } => quote!(#part.at()),
        }
    }

    /// Farther on in the same block.
    fn plus(&self, offset: u64) -> Spot {
        match self {
            Spot::Block { block, at, base, .. } => {
                let (block, at, base) = (block.clone(), at + offset, base.clone());
                Spot::Block { block, at, base, whole: false }
            }
            stream => stream.clone(),
        }
    }
}

impl<'s, 'p, 'm> Reading<'s, 'p, 'm> {
    /// Makes a reader that vouches for what it reads, if it is not yet known why it cannot.
    fn new(straight: &'s Straight<'p, 'm>, doubt: Option<String>) -> Self {
        let model = straight.model;
        let sizes = straight.sizes();
        let mut reading = Reading {
            straight,
            model,
            sizes,
            anchors: Anchors::new(straight),
            bases: BTreeSet::new(),
            uses: model.uses(),
            asked: seal::asked(straight),
            bodies: RefCell::default(),
            known: RefCell::default(),
            types: RefCell::default(),
            texts: text::Texts::default(),
            locals: Locals::new(&straight.record(model.root).name),
            placing: doubt.is_none() && straight.record(model.root).owns_objects(),
            doubt: RefCell::new(doubt),
            unsure: Cell::new(false),
            tried: RefCell::default(),
        };
        let pooled = model.pointers.iter().filter(|kind| kind.pool.is_some());
        let sides = pooled.filter_map(|kind| reading.anchors.side(model, kind.base?, model.root));
        reading.bases = sides.map(|(number, _)| number).collect();
        for (why, is_value) in reading.general_doubts() {
            match is_value {
                true => reading.doubt_value(&why),
                false => reading.doubt(&why),
            }
        }
        reading
    }

    /// The function that begins.
    fn entry(&self) -> Able<TokenStream> {
        let root = self.model.root;
        let ty = self.straight.value_ty(root, &quote!('o));
        let mut variables = TokenStream::new();
        for (index, variable) in self.model.epoch_variables.iter().enumerate() {
            let Some(int) = variable.stored() else {
                return unable("an epoch variable of variable width");
            };
            if matches!(variable.cell.meaning, Meaning::Bool { yes: 2.. }) {
                return unable("an epoch variable that is true as another number than one");
            }
            let (name, block) = (format_ident!("n{index}"), format_ident!("b"));
            let offset = size(variable.offset);
            let width = Literal::usize_unsuffixed(int.bytes.into());
            let load = |big: bool| cell::load(int, big, &block, 0).tokens;
            let number = match self.model.epoch_order(variable) {
                None => load(int.order.map_or(self.file_order(), |order| order == ByteOrder::Big)),
                Some((_, EndianRule::Fixed(order))) => load(*order == ByteOrder::Big),
                Some((way, EndianRule::Chosen(..))) => self.in_order_of(variable, way, &load)?,
            };
            variables.extend(quote! {
                let b: &[u8; #width] = cx.part(#offset)?.block()?;
                let #name = #number;
            });
            if let Storage::Word { first, last, signed } = variable.cell.storage {
                let bits = bits_in(&quote!(i128::from(#name)), first, last, signed);
                variables.extend(quote!(let #name = #bits;));
            }
        }
        let (mode, arena) = (self.straight.mode_argument(), self.straight.arena_argument());
        let call_in = |ctx: &Ctx<'m>| {
            let callee =
                Callee { record: root, big: ctx.big, pushing: false, handed: Handed::Part };
            let (name, epoch) = (function(callee), ctx.epoch);
            self.straight.in_epoch(epoch, || self.call(callee, epoch))?;
            Ok(match self.straight.has_epochs() {
                true => {
                    let epoch = Literal::usize_unsuffixed(epoch);
                    quote!(#name::<#mode #epoch>(&mut cx, #arena &mut part)?)
                }
                false => quote!(#name::<#mode>(&mut cx, #arena &mut part)?),
            })
        };
        let call = |epoch: usize| {
            let ctx = Ctx { decided: None, ..self.outset(root, epoch, self.file_order()) };
            let call = self.by_order(&ctx, &Spot::local(format_ident!("part")), root, &call_in)?;
            let ranks = self.ranks(epoch)?;
            Ok(if ranks.is_empty() { call } else { quote!({ #ranks #call }) })
        };
        let value = if self.straight.has_epochs() {
            let (mut tests, mut why) = (TokenStream::new(), None);
            for &epoch in &self.straight.layouts {
                let layout = &self.model.epochs[epoch];
                let conditions = layout.ranges.iter().enumerate().map(|(index, ranges)| {
                    super::epochs::is_in(&format_ident!("n{index}"), ranges)
                });
                let call = match call(epoch) {
                    Ok(call) => call,
                    // Files of this layout are odd.
                    Err(reason) => {
                        why = Some(reason);
                        continue;
                    }
                };
                tests.extend(quote!(if #(#conditions)&&* { #call } else));
            }
            match why {
                Some(why) if tests.is_empty() => return Err(why),
                _ => quote!(#tests { return rt::Err(s::Odd) }),
            }
        } else {
            call(0)?
        };
        let members = self.members()?;
        let enter = self.straight.record(root).recursive.then(|| quote!(cx.enter()?;));
        // A plain file decodes each byte once, and a pooled text as often as something names it.
        let sealed = self.doubt.borrow().is_none();
        let pooled = self.model.pointers.iter().any(|kind| kind.pool.is_some());
        let once = sealed && !pooled;
        let factor = Literal::usize_unsuffixed(if once { SEALED } else { POOLED });
        // Whether the engine's budget is enough for what was read, where that is known.
        let effort = sealed.then(|| effort::effort(self.model)).flatten();
        let (before, behind) = match effort {
            Some((base, weight)) => {
                let (base, weight) =
                    (Literal::u64_unsuffixed(base), Literal::u64_unsuffixed(weight));
                (None, Some(quote!(cx.affords(options, &part, #base, #weight)?;)))
            }
            None => (Some(quote!(s::usual(options)?;)), None),
        };
        // Otherwise the value is written, which looks at the rules first.
        // No writer carries a root whose own bytes do not come first.
        if !self.straight.record(root).passes.is_empty() {
            self.doubt("a pass that nothing runs");
        }
        let ends = match self.hands_chain(root) {
            false => quote!(s::holds(part.at() == cx.len())?;),
            true => quote!(cx.is_all(part.at())?;),
        };
        let sums = self.model.exprs.iter().any(|(_, expr)| matches!(expr, Expr::Stored(..)));
        let sums = sums.then(|| quote!(cx.sums_end()?;));
        let pools = (sealed && pooled).then(|| quote!(cx.pools_hold()?;));
        let check = sealed.then(|| {
            quote! {
                #pools
                if !options.trusting {
                    #ends
                    #sums
                }
                seen_root(&value, #arena &cx)?;
            }
        });
        let goals = Literal::usize_unsuffixed(match self.straight.noting.get() {
            true => self.straight.goals.len(),
            false => 0,
        });
        let (generics, bytes, arena) = match self.straight.flavour {
            Flavour::Arena => {
                (quote!(), quote!(&[u8]), Some(quote!(arena: &mut super::pools::Pools,)))
            }
            _ => (quote!(<'i, 'o, M: s::Mode<'i, 'o>>), quote!(&'i [u8]), None),
        };
        // Where there is nothing left to do with the value, who asks for it calls this.
        let is_all = sealed
            && self.straight.flavour == Flavour::Values
            && self.straight.carried(root, None, self.straight.kept_pool())?.flatten().is_none();
        let head = match is_all {
            true => quote! {
                /// The value of a file, if it is the plain case.
                pub(super) fn file #generics
            },
            false => quote! {
                /// The value of a file.
                fn read #generics
            },
        };
        if !self.bases.is_empty() && self.straight.flavour == Flavour::Arena {
            return unable("labels from a base in an arena");
        }
        if !self.bases.is_empty() {
            return Ok(quote! {
                #head(
                    bytes: #bytes,
                    options: &::formwork::ReadOptions,
                ) -> s::Straight<#ty> {
                    #before
                    let mut bases = s::Bases::default();
                    loop {
                        let mut cx = s::Scan::new(bytes, options, #factor, #goals);
                        cx.know(bases);
                        let mut part = cx.part(0)?;
                        #enter
                        #variables
                        let value = #value;
                        match cx.must_know()? {
                            rt::Some(known) => bases = known,
                            rt::None => {
                                #check
                                #members
                                return rt::Ok(value);
                            }
                        }
                    }
                }
            });
        }
        Ok(quote! {
            #head(
                bytes: #bytes,
                options: &::formwork::ReadOptions,
                #arena
            ) -> s::Straight<#ty> {
                #before
                let mut cx = s::Scan::new(bytes, options, #factor, #goals);
                let mut part = cx.part(0)?;
                #enter
                #variables
                let value = #value;
                #behind
                #check
                #members
                rt::Ok(value)
            }
        })
    }

    /// Code that takes the members of a pool which are data to the spelling of the value.
    fn members(&self) -> Able<TokenStream> {
        let straight = self.straight;
        let Some((row, members)) =
            straight.carried(self.model.root, None, straight.kept_pool())?.flatten()
        else {
            return Ok(TokenStream::new());
        };
        // They are looked for in the same place, whatever the layout.
        let in_layout =
            |epoch: usize| straight.in_epoch(epoch, || self.members_in(straight.view(epoch)));
        let all = straight.layouts.iter().map(|epoch| in_layout(*epoch));
        let made = all.collect::<Able<Vec<_>>>().and_then(|all| {
            let same = all.windows(2).all(|two| two[0].to_string() == two[1].to_string());
            match all.into_iter().next() {
                Some(first) if same => Ok(first),
                _ => unable(KEPT_POOL),
            }
        });
        let Some(texts) = straight.carried(self.model.root, None, made)? else {
            return Ok(TokenStream::new());
        };
        Ok(quote! {
            let mut value = value;
            let mut texts = rt::None;
            #texts
            s::list_members(&mut value.spelling, #row, #members, s::known(texts)?);
        })
    }

    fn members_in(&self, view: &'m Model) -> Able<TokenStream> {
        let pools = view.records().flat_map(|(id, record)| {
            record.numbered_rows().map(move |(row_id, row)| (id, row_id, row))
        });
        let kept = pools
            .into_iter()
            .find(|(_, _, row)| matches!(row.kind, crate::model::RowKind::Pool { kept: true, .. }));
        let Some((record, row_id, row)) = kept else { return unable(KEPT_POOL) };
        let holders = self.straight.holders_of_pools();
        let root = self.model.root;
        let holder = holders.iter().find(|(of, _, pool)| *of == root && *pool == record);
        let Some(&(of, object, _)) = holder else { return unable(KEPT_POOL) };
        use crate::model::{Extent, Type};
        let ty = match &row.ty {
            // An object is not in a region of another one, so it may go on to the end of the file.
            Type::Region(region) if region.trim.is_none() => match region.extent {
                Extent::Rest => &region.inner,
                Extent::End(end) if matches!(self.model[end], Expr::FileEnd) => &region.inner,
                _ => return unable(KEPT_POOL),
            },
            ty => ty,
        };
        let Type::Array(array) = ty else { return unable(KEPT_POOL) };
        let many = match &array.length {
            crate::model::ArrayLength::Fill => None,
            crate::model::ArrayLength::Count(count) => Some(*count),
            _ => return unable(KEPT_POOL),
        };
        self.straight.sight_way(view, &[(of, object)], &mut |_, at| {
            self.straight.sight_texts(view, record, row_id, &at, many)
        })
    }

    /// Code that finds out which elements references count that count only some.
    fn ranks(&self, epoch: usize) -> Able<TokenStream> {
        if self.straight.ranks().is_empty() {
            return Ok(TokenStream::new());
        }
        self.doubt_value("a reference that counts only some of the elements");
        self.straight.in_epoch(epoch, || self.straight.seen_ranks(self.straight.view(epoch)))
    }

    /// All functions that are called.
    fn functions(&self) -> Able<TokenStream> {
        let callees: BTreeSet<Callee> = self.bodies.borrow().keys().map(|(c, _)| *c).collect();
        let mut all = Vec::new();
        for callee in callees {
            all.push((function(callee).to_string(), self.function_of(callee)?));
        }
        all.extend(self.texts.functions());
        // Where another way was found, a function may have been made for nothing.
        let root = self.model.root;
        let chosen = self.straight.is_order_chosen(root);
        let orders = [false, true].into_iter().filter(|big| chosen || *big == self.file_order());
        let begins: Vec<TokenStream> = orders
            .map(|big| Callee { record: root, big, pushing: false, handed: Handed::Part })
            .map(|callee| function(callee).into_token_stream())
            .collect();
        let mut pieces = Pieces::new(self.model);
        let types = self.types.borrow();
        let types = |name: &str| types.get(name).cloned();
        let functions: Vec<TokenStream> = called(&begins, all)
            .into_iter()
            .map(|function| pieces.outline(function, &types))
            .collect();
        let pieces = pieces.functions();
        Ok(quote!(#(#functions)* #(#pieces)*))
    }

    fn function_of(&self, callee: Callee) -> Able<TokenStream> {
        let body = self.straight.by_epoch(|_, epoch| {
            Ok(match self.bodies.borrow().get(&(callee, epoch)) {
                Some(Body::Made(body)) => body.clone(),
                _ => quote!(return rt::Err(s::Odd);),
            })
        })?;
        let (name, epochs) = (function(callee), self.straight.epoch_generic());
        let ty = self.straight.value_ty(callee.record, &quote!('o));
        let (mode, arena) = match self.straight.flavour {
            Flavour::Values => (quote!('o, M: s::Mode<'i, 'o>,), None),
            Flavour::Arena => (quote!(), Some(quote!(arena: &mut super::pools::Pools,))),
        };
        let (open, hand) = self.handed_chains(callee.record).unzip();
        if callee.pushing {
            return Ok(quote! {
                fn #name<'i, #mode #epochs>(
                    cx: &mut s::Scan<'i>,
                    #arena
                    into: &s::Open<#ty>,
                    rest: &'i [u8],
                    end: usize,
                    mut count: usize,
                ) -> s::Straight<&'i [u8]> {
                    #open
                    // A part that nobody else sees can be in registers.
                    let part = &mut s::Part::behind(rest, end);
                    while part.more(&mut count) {
                        #body
                    }
                    #hand
                    rt::Ok(part.rest())
                }
            });
        }
        let bytes = match callee.handed {
            Handed::Part | Handed::CaseOfPart => quote!(part: &mut s::Part<'i>),
            Handed::Block => self.block_parameter(callee.record),
            Handed::CaseOfBlock(width) => {
                let width = size(width);
                quote!(block: &'i [u8; #width])
            }
        };
        Ok(quote! {
            fn #name<'i, #mode #epochs>(
                cx: &mut s::Scan<'i>,
                #arena
                #bytes,
            ) -> s::Straight<#ty> {
                #open
                #body
            }
        })
    }

    /// Makes a function in an epoch, unless it is there.
    fn call(&self, callee: Callee, epoch: usize) -> Able<()> {
        if self.straight.is_survey() {
            let key = format!("read {callee:?} {epoch} {}", self.straight.sighted.get());
            return self.straight.find_in_function(key, || {
                let known = self.known.take();
                let made = self.function_body(callee, epoch);
                self.known.replace(known);
                self.straight.carried(callee.record, None, made).map(|_| ())
            });
        }
        let key = (callee, epoch);
        match self.bodies.borrow().get(&key) {
            // Now it may be found in the file what was not at hand.
            Some(Body::Not(_)) if self.straight.sighted.get() => {}
            Some(Body::Not(why)) => return unable(why.clone()),
            Some(_) => return Ok(()),
            None => {}
        }
        self.bodies.borrow_mut().insert(key, Body::Open);
        // What is known around is not known in a function.
        let known = self.known.take();
        let doubt = self.doubt.borrow().clone();
        let made = self.function_body(callee, epoch);
        self.known.replace(known);
        let (body, result) = match made {
            Ok(tokens) => (Body::Made(tokens), Ok(())),
            Err(Unable(why)) => {
                // What there is no code for is not in doubt.
                self.doubt.replace(doubt);
                (Body::Not(why.clone()), unable(why))
            }
        };
        self.bodies.borrow_mut().insert(key, body);
        result
    }

    fn function_body(&self, callee: Callee, epoch: usize) -> Able<TokenStream> {
        let name = &self.straight.record(callee.record).name;
        let locals = &self.locals;
        locals.apart(|| locals.about_name(name, || self.function_body_named(callee, epoch)))
    }

    /// Where the reading of a record begins, of whose surroundings nothing is known.
    fn outset(&self, record: RecordId, epoch: usize, big: bool) -> Ctx<'m> {
        Ctx {
            view: self.straight.view(epoch),
            epoch,
            big,
            decided: Some(record),
            frames: Vec::new(),
            record,
            base: quote!(0_usize),
            pattern: None,
            tag: None,
            word: None,
            bits: None,
            filled: false,
            extent: None,
            keeps: None,
            entered: false,
            whole: false,
            index: None,
            it: None,
            pushing: false,
            chains: None,
        }
    }

    fn function_body_named(&self, callee: Callee, epoch: usize) -> Able<TokenStream> {
        let Callee { record, big, pushing, handed } = callee;
        let chains = self.chains_of_function(record);
        let ctx = Ctx { pushing, chains, ..self.outset(record, epoch, big) };
        let hand = self.handed_chains(record).map(|(_, hand)| hand);
        let (before, spot) = match handed {
            Handed::Part => (None, Spot::Stream { part: format_ident!("part"), local: false }),
            Handed::Block => self.handed_block(record, epoch)?,
            Handed::CaseOfPart | Handed::CaseOfBlock(_) => {
                let body = self.case_body(&ctx, handed)?;
                return Ok(sweep::sweep(quote!(#body #hand return rt::Ok(value);)));
            }
        };
        let shape = self.straight.value_shape(record);
        // What a transparent record stands for is pushed where it is made.
        let pushed = pushing && self.straight.shapes.is_transparent(record);
        let body = self.record(&ctx, &spot, record, &shape, &|value| match (pushing, pushed) {
            (false, _) => quote!(#hand return rt::Ok(#value);),
            (true, true) => TokenStream::new(),
            (true, false) => push(&value),
        })?;
        Ok(sweep::sweep(quote!(#before #body)))
    }

    /// The local for the value of a row, which expressions may ask for.
    fn field_local(&self, ctx: &Ctx<'m>, id: RowId, row: &Row) -> Ident {
        match self.is_value_asked(ctx.record, id, row) {
            true => early_value(ctx.record, id),
            false => self.local("f"),
        }
    }

    /// The number of a row that numbers of labels count from.
    fn is_base(&self, record: RecordId, id: RowId) -> Option<usize> {
        self.anchors.of_row(record, id).filter(|number| self.bases.contains(number))
    }

    /// Whether expressions ask for the value of a row, which is no plain number.
    fn is_value_asked(&self, record: RecordId, id: RowId, row: &Row) -> bool {
        let form = matches!(self.straight.record(record).kind, RecordKind::Form(..));
        !form && self.is_asked(record, id) && !is_early_number(row)
    }

    /// The value of a row is known from here on, if that is what its local is for.
    fn value_is_known(&self, local: &Ident) {
        let name = local.to_string();
        if name.starts_with("v__") {
            self.known.borrow_mut().insert(name);
        }
    }

    /// A name that no other local has.
    fn local(&self, kind: &str) -> Ident {
        self.locals.fresh(kind)
    }

    /// What is made is for a row.
    fn about<T>(&self, row: &Row, make: impl FnOnce() -> T) -> T {
        self.locals.about(row, make)
    }

    /// Whether nothing is in doubt yet.
    fn is_sealed(&self) -> bool {
        self.doubt.borrow().is_none()
    }

    /// Remembers that something is not looked at.
    fn doubt(&self, why: &str) {
        self.doubt.borrow_mut().get_or_insert_with(|| why.to_owned());
    }

    /// The same of something that the value depends on.
    fn doubt_value(&self, why: &str) {
        self.unsure.set(true);

        self.doubt(why);
    }

    fn scope(&self, ctx: &Ctx<'m>) -> Scope<'_> {
        let it = ctx.it.as_ref().map(|(it, _)| it.clone());
        Scope { frames: ctx.frames.clone(), it, late: Some(self) }
    }

    /// A length or address: a `usize`.
    fn length(&self, ctx: &Ctx<'m>, expr: ExprId) -> Able<TokenStream> {
        if let Some(n) = self.model.exprs.constant(expr) {
            let Ok(n) = u64::try_from(n) else { return unable("a negative size") };
            let n = size(n);
            return Ok(quote!(#n));
        }
        let tokens = self.straight.length(&self.scope(ctx), ctx.view, expr)?;
        self.checked(tokens)
    }

    /// A number: an `Option<i128>`.
    fn number(&self, ctx: &Ctx<'m>, expr: ExprId) -> Able<TokenStream> {
        let tokens = self.straight.number(&self.scope(ctx), ctx.view, expr)?;
        self.checked(tokens)
    }

    /// A condition: a `bool`.
    fn truth(&self, ctx: &Ctx<'m>, expr: ExprId) -> Able<TokenStream> {
        let tokens = self.straight.truth(&self.scope(ctx), ctx.view, expr)?;
        self.checked(tokens)
    }

    /// What an expression gives.
    fn typed(&self, ctx: &Ctx<'m>, expr: ExprId) -> Able<Typed> {
        let typed = self.straight.typed(&self.scope(ctx), ctx.view, expr)?;
        match &typed {
            Typed::Number(tokens) | Typed::Truth(tokens) | Typed::Text(tokens) => {
                self.checked(tokens.clone())?;
            }
        }
        Ok(typed)
    }

    /// The tokens, if all numbers in them are known where they stand.
    fn checked(&self, tokens: TokenStream) -> Able<TokenStream> {
        match unknown(&tokens, &self.known.borrow()) {
            Some((record, row)) => {
                let record = self.straight.record(record);
                let row = record.rows[row.index()].name.as_deref().unwrap_or("a row");
                unable(format!("`{row}` of `{}` is asked for before it is read", record.name))
            }
            None => Ok(tokens),
        }
    }

    /// Runs something whose numbers are known only inside of it.
    fn inside<T>(&self, make: impl FnOnce() -> Able<T>) -> Able<T> {
        let known = self.known.borrow().clone();
        let made = make();
        self.known.replace(known);
        made
    }

    /// Path of a generated type.
    fn path(&self, ident: &Ident) -> TokenStream {
        quote!(super::#ident)
    }

    /// A value in the options and boxes that its place has.
    fn wrap(&self, shape: &Shape, value: TokenStream) -> TokenStream {
        match shape {
            Shape::Option(inner) => {
                let value = self.wrap(inner, value);
                quote!(rt::Some(#value))
            }
            Shape::Boxed(inner) => {
                let value = self.wrap(inner, value);
                match self.straight.flavour {
                    Flavour::Values => quote!(rt::Box::new(#value)),
                    Flavour::Arena => {
                        quote!({ let value = #value; s::boxed_in(arena, value)? })
                    }
                }
            }
            // What deviates is odd, unless it is compared where it is taken over.
            Shape::Kept(_) => quote!(::formwork::Kept::canonical()),
            _ => value,
        }
    }

    fn row(&self, ctx: &Ctx<'m>, record: RecordId, row: RowId) -> &'m crate::model::Row {
        &ctx.view.records[record.index()].rows[row.index()]
    }
}

impl Late for Reading<'_, '_, '_> {
    fn member_count(&self, scope: &Scope<'_>, path: &Path) -> Option<TokenStream> {
        self.straight.member_count(&self.anchors, scope, path).filter(|_| self.is_sealed())
    }

    fn steps(&self, list: &TokenStream) -> Option<TokenStream> {
        Some(quote!(cx.charge(#list.len())?;))
    }

    /// Where records around begin, and where the file ends.
    fn address(&self, scope: &Scope<'_>, expr: ExprId) -> Able<TokenStream> {
        let Some(this) = scope.frames.last() else { return unable("no node") };
        let found = match &self.model[expr] {
            Expr::FileEnd => return Ok(quote!(rt::Some(cx.len() as i128))),
            Expr::At(path) if path.steps.is_empty() => self
                .straight
                .start(path, this.record)
                .and_then(|record| scope.frame_of(record))
                .and_then(|frame| frame.at.clone()),
            _ => None,
        };
        if let Some(at) = found {
            return Ok(quote!(rt::Some(i128::from(#at))));
        }
        let straight = self.straight;
        let view = straight.view(straight.epoch.get().unwrap_or(0));
        if let Expr::Size(path) = &self.model[expr] {
            return straight.size_of(scope, view, path, expr);
        }
        let found = straight.sight_at(scope, view, expr)?;
        self.doubt_value("the address of something elsewhere");
        Ok(found)
    }
}

/// The row of an early number or value that is asked for and not known.
fn unknown(tokens: &TokenStream, known: &BTreeSet<String>) -> Option<(RecordId, RowId)> {
    tokens.clone().into_iter().find_map(|token| match token {
        TokenTree::Group(group) => unknown(&group.stream(), known),
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            let numbers = name.strip_prefix("n__").or_else(|| name.strip_prefix("v__"))?;
            let (record, row) = numbers.split_once('_')?;
            let early = (RecordId(record.parse().ok()?), RowId(row.parse().ok()?));
            (!known.contains(&name)).then_some(early)
        }
        _ => None,
    })
}

/// Name of a function.
fn function(callee: Callee) -> Ident {
    let (verb, width) = match callee.handed {
        _ if callee.pushing => ("push", String::new()),
        Handed::Part => ("read", String::new()),
        Handed::Block => ("block", String::new()),
        Handed::CaseOfPart => ("case", String::new()),
        Handed::CaseOfBlock(width) => ("case", format!("_w{width}")),
    };
    let order = if callee.big { "_be" } else { "" };
    format_ident!("{verb}__{}{width}{order}", callee.record.0)
}

/// Adds a value to the open list that a function is given.
fn push(value: &TokenStream) -> TokenStream {
    quote!(let element = #value; s::pushed(arena, into, element);)
}

/// A number without a type.
fn number(n: i128) -> TokenStream {
    let literal = Literal::u128_unsuffixed(n.unsigned_abs());
    if n < 0 { quote!(-#literal) } else { quote!(#literal) }
}

/// A number of bytes.
fn size(n: u64) -> Literal {
    Literal::u64_unsuffixed(n)
}

/// Nothing, in a place that may have nothing.
fn nothing(shape: &Shape) -> Able<TokenStream> {
    match shape {
        Shape::Option(_) => Ok(quote!(rt::None)),
        Shape::Kept(_) => Ok(quote!(::formwork::Kept::canonical())),
        _ => unable("nothing where something has to be"),
    }
}
