//! The straight reader: from bytes to values, depth first, each byte once.
//!
//! What has a constant size is looked at as one block, with one check of bounds; what has not is read
//! from a part of the file that knows where it ends. Records that stand in one place of the schema
//! are read where they stand, so that values are made in place; others have functions.
//!
//! Where an object lies does not matter to the value, so addresses are held against the file only
//! where a number in the file follows from them. Of spelling it keeps what is as cheap as it is
//! common: the width of a number, and the form of a case. If the reader cannot tell whether all that
//! follows from something else is what it should be, it is not sealed: what it reads counts only if
//! the writer makes the same bytes of it.

mod array;
mod body;
mod cell;
mod choice;
mod elsewhere;
mod form;
mod item;
mod pointer;
mod row;
mod run;
mod seal;
mod sweep;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::{Able, Frame, Scope, Straight, Unable, unable};
use crate::model::{
    ByteOrder, ByteOrderRule, EndianRule, EpochId, Expr, Model, Pattern, RecordId, RowId, Sizes,
    Storage,
};
use crate::rust::shape::Shape;

/// Units of work that each byte of a file allows, where each byte is decoded once.
const SEALED: usize = 4;
/// The same, where texts of a pool are decoded for each label.
const POOLED: usize = 16;

/// The reader of a model.
pub(super) struct Reader {
    pub tokens: TokenStream,
    /// Whether what is read needs no comparison of bytes.
    pub sealed: bool,
}

/// The function `read` and those that it calls.
pub(super) fn emit(straight: &Straight<'_, '_>) -> Able<Reader> {
    let reading = Reading::new(straight);
    let entry = reading.entry()?;
    let functions = reading.functions()?;
    let sealed = reading.doubt.borrow().is_none();
    Ok(Reader { tokens: quote!(#entry #functions), sealed })
}

/// Makes the reader.
struct Reading<'s, 'p, 'm> {
    straight: &'s Straight<'p, 'm>,
    model: &'m Model,
    sizes: Vec<Sizes<'m>>,
    /// In how many places of the schema each record stands.
    uses: Vec<usize>,
    /// Rows that expressions or tags ask for.
    asked: BTreeSet<(RecordId, RowId)>,
    /// Bodies of functions by record, byte order and epoch.
    bodies: RefCell<BTreeMap<(RecordId, bool, usize), Body>>,
    /// Names of early numbers that are known here.
    known: RefCell<BTreeSet<String>>,
    /// The number of the next local.
    next: Cell<u32>,
    /// Why the reader cannot vouch for what it reads.
    doubt: RefCell<Option<String>>,
}

/// The body of a function in one epoch.
enum Body {
    /// It is being made.
    Open,
    Made(TokenStream),
    Not(String),
}

/// What is read.
#[derive(Clone)]
struct Ctx<'m> {
    view: &'m Model,
    epoch: usize,
    /// Whether the highest byte of a number comes first.
    big: bool,
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
    /// An array without elements is not what a plain file has here.
    filled: bool,
    /// The local that takes the address and the end of what a pointer leads to.
    extent: Option<Ident>,
    /// The local that keeps an unusual width of the row's number, and the row's number there.
    keeps: Option<(Ident, u16)>,
}

/// Where something is read.
#[derive(Clone)]
enum Spot {
    /// At a constant place in a block, whose address is `base`.
    Block { block: Ident, at: u64, base: TokenStream },
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
            Spot::Block { block, at, base } => {
                Spot::Block { block: block.clone(), at: at + offset, base: base.clone() }
            }
            stream => stream.clone(),
        }
    }
}

impl<'s, 'p, 'm> Reading<'s, 'p, 'm> {
    fn new(straight: &'s Straight<'p, 'm>) -> Self {
        let model = straight.model;
        let sizes = (0..model.epochs.len())
            .map(|epoch| {
                let epoch = epoch_id(epoch);
                model.in_epoch(epoch).sizes(epoch)
            })
            .collect();
        let mut reading = Reading {
            straight,
            model,
            sizes,
            uses: seal::uses(model),
            asked: seal::asked(model),
            bodies: RefCell::default(),
            known: RefCell::default(),
            next: Cell::new(0),
            doubt: RefCell::default(),
        };
        reading.doubt = RefCell::new(reading.general_doubt());
        reading
    }

    /// The function that begins.
    fn entry(&self) -> Able<TokenStream> {
        let root = self.model.root;
        let ty = self.straight.value_ty(root, &quote!('o));
        let mut variables = TokenStream::new();
        for (index, variable) in self.model.epoch_variables.iter().enumerate() {
            let Storage::Fixed(int) = variable.cell.storage else {
                return unable("an epoch variable of no fixed width");
            };
            let (name, block) = (format_ident!("n{index}"), format_ident!("b"));
            let offset = size(variable.offset);
            let width = Literal::usize_unsuffixed(int.bytes.into());
            let big = int.order.map_or(self.file_order(), |order| order == ByteOrder::Big);
            let number = cell::load(int, big, &block, 0).tokens;
            variables.extend(quote! {
                let b: &[u8; #width] = cx.part(#offset)?.block()?;
                let #name = #number;
            });
        }
        let name = function(root, self.file_order());
        let call = |epoch: usize| {
            self.call(root, self.file_order(), epoch)?;
            Ok(match self.straight.has_epochs() {
                true => {
                    let epoch = Literal::usize_unsuffixed(epoch);
                    quote!(#name::<M, #epoch>(&mut cx, &mut part)?)
                }
                false => quote!(#name::<M>(&mut cx, &mut part)?),
            })
        };
        let value = if self.straight.has_epochs() {
            let (mut tests, mut why) = (TokenStream::new(), None);
            for (epoch, layout) in self.model.epochs.iter().enumerate() {
                let conditions = layout.ranges.iter().enumerate().map(|(index, ranges)| {
                    let name = format_ident!("n{index}");
                    let ranges = ranges.iter().map(|(low, high)| {
                        let (low, high) = (number(*low), number(*high));
                        if low.to_string() == high.to_string() {
                            quote!(#low)
                        } else {
                            quote!(#low..=#high)
                        }
                    });
                    quote!(matches!(#name, #(#ranges)|*))
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
        // A plain file decodes each byte once, and a pooled text as often as something names it.
        let sealed = self.doubt.borrow().is_none();
        let factor = Literal::usize_unsuffixed(if sealed { SEALED } else { POOLED });
        // Otherwise the value is written, which looks at the rules first.
        let check = sealed.then(|| quote!(check_root(&value)?;));
        Ok(quote! {
            /// The value of a file.
            fn read<'i, 'o, M: rt::Mode<'i, 'o>>(
                bytes: &'i [u8],
                options: &::formwork::ReadOptions,
            ) -> s::Straight<#ty> {
                let mut cx = s::Scan::new(bytes, options, #factor)?;
                let mut part = cx.part(0)?;
                #variables
                let value = #value;
                #check
                rt::Ok(value)
            }
        })
    }

    /// All functions that were asked for.
    fn functions(&self) -> Able<TokenStream> {
        let mut wanted: Vec<(RecordId, bool)> = Vec::new();
        for (record, big, _) in self.bodies.borrow().keys() {
            if !wanted.contains(&(*record, *big)) {
                wanted.push((*record, *big));
            }
        }
        let mut functions = TokenStream::new();
        for (record, big) in wanted {
            let body = self.straight.by_epoch(|_, epoch| {
                Ok(match self.bodies.borrow().get(&(record, big, epoch)) {
                    Some(Body::Made(body)) => body.clone(),
                    _ => quote!(return rt::Err(s::Odd);),
                })
            })?;
            let (name, epochs) = (function(record, big), self.straight.epoch_generic());
            let ty = self.straight.value_ty(record, &quote!('o));
            functions.extend(quote! {
                fn #name<'i, 'o, M: rt::Mode<'i, 'o>, #epochs>(
                    cx: &mut s::Scan<'i>,
                    part: &mut s::Part<'i>,
                ) -> s::Straight<#ty> {
                    #body
                }
            });
        }
        Ok(functions)
    }

    /// Makes the function of a record in an epoch, unless it is there.
    fn call(&self, record: RecordId, big: bool, epoch: usize) -> Able<()> {
        let key = (record, big, epoch);
        match self.bodies.borrow().get(&key) {
            Some(Body::Not(why)) => return unable(why.clone()),
            Some(_) => return Ok(()),
            None => {}
        }
        self.bodies.borrow_mut().insert(key, Body::Open);
        // What is known around is not known in a function.
        let known = self.known.take();
        let next = self.next.replace(0);
        let made = self.function_body(record, big, epoch);
        self.known.replace(known);
        self.next.set(next);
        let (body, result) = match made {
            Ok(tokens) => (Body::Made(tokens), Ok(())),
            Err(Unable(why)) => (Body::Not(why.clone()), unable(why)),
        };
        self.bodies.borrow_mut().insert(key, body);
        result
    }

    fn function_body(&self, record: RecordId, big: bool, epoch: usize) -> Able<TokenStream> {
        let ctx = Ctx {
            view: self.model.in_epoch(epoch_id(epoch)),
            epoch,
            big,
            frames: Vec::new(),
            record,
            base: quote!(0_usize),
            pattern: None,
            tag: None,
            word: None,
            filled: false,
            extent: None,
            keeps: None,
        };
        let spot = Spot::Stream { part: format_ident!("part"), local: false };
        let recursive = self.straight.record(record).recursive;
        let enter = recursive.then(|| quote!(cx.enter()?;));
        let leave = recursive.then(|| quote!(cx.leave();));
        let shape = self.straight.value_shape(record);
        let body = self.record(&ctx, &spot, record, &shape, &|value| {
            // A value is made before it is left.
            if recursive {
                quote!(let value = #value; #leave return rt::Ok(value);)
            } else {
                quote!(return rt::Ok(#value);)
            }
        })?;
        Ok(sweep::sweep(quote!(#enter #body)))
    }

    /// Byte order of the file: whether the highest byte comes first.
    fn file_order(&self) -> bool {
        // A mark says it, and is read: files of the other order are odd.
        matches!(self.model.byte_order, ByteOrderRule::Fixed(ByteOrder::Big))
    }

    /// Byte order in a record.
    fn order_in(&self, ctx: &Ctx<'m>, record: RecordId) -> Able<bool> {
        match &self.straight.record(record).endian {
            None => Ok(ctx.big),
            Some(EndianRule::Fixed(order)) => Ok(*order == ByteOrder::Big),
            Some(EndianRule::Chosen(..)) => unable("a byte order that the file chooses"),
        }
    }

    /// A name that no other local has.
    fn local(&self, name: &str) -> Ident {
        let number = self.next.get();
        self.next.set(number + 1);
        format_ident!("{name}{number}")
    }

    /// Remembers that something is not looked at.
    fn doubt(&self, why: &str) {
        self.doubt.borrow_mut().get_or_insert_with(|| why.to_owned());
    }

    fn scope(&self, ctx: &Ctx<'m>) -> Scope<'static> {
        Scope { frames: ctx.frames.clone(), it: None, late: None }
    }

    /// A length or address: a `usize`.
    fn length(&self, ctx: &Ctx<'m>, expr: &Expr) -> Able<TokenStream> {
        if let Some(n) = expr.constant() {
            let Ok(n) = u64::try_from(n) else { return unable("a negative size") };
            let n = size(n);
            return Ok(quote!(#n));
        }
        let tokens = self.straight.length(&self.scope(ctx), ctx.view, expr)?;
        self.checked(tokens)
    }

    /// A number: an `Option<i128>`.
    fn number(&self, ctx: &Ctx<'m>, expr: &Expr) -> Able<TokenStream> {
        let tokens = self.straight.number(&self.scope(ctx), ctx.view, expr)?;
        self.checked(tokens)
    }

    /// A condition: a `bool`.
    fn truth(&self, ctx: &Ctx<'m>, expr: &Expr) -> Able<TokenStream> {
        let tokens = self.straight.truth(&self.scope(ctx), ctx.view, expr)?;
        self.checked(tokens)
    }

    /// The tokens, if all numbers in them are known where they stand.
    fn checked(&self, tokens: TokenStream) -> Able<TokenStream> {
        match unknown(&tokens, &self.known.borrow()) {
            Some(name) => unable(format!("{name} is not read yet")),
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

    fn row(&self, ctx: &Ctx<'m>, record: RecordId, row: RowId) -> &'m crate::model::Row {
        &ctx.view.records[record.index()].rows[row.index()]
    }
}

/// The name of an early number that is asked for and not known.
fn unknown(tokens: &TokenStream, known: &BTreeSet<String>) -> Option<String> {
    tokens.clone().into_iter().find_map(|token| match token {
        TokenTree::Group(group) => unknown(&group.stream(), known),
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            let early = name
                .strip_prefix("n_")
                .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_'));
            (early && !known.contains(&name)).then_some(name)
        }
        _ => None,
    })
}

/// Whether a name is in tokens.
fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Ident(ident) => ident == *name,
        _ => false,
    })
}

/// Name of a record's function.
fn function(record: RecordId, big: bool) -> Ident {
    if big { format_ident!("read_{}_be", record.0) } else { format_ident!("read_{}", record.0) }
}

fn epoch_id(epoch: usize) -> EpochId {
    EpochId(u32::try_from(epoch).unwrap_or(u32::MAX))
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

/// What is inside of options, boxes and kept numbers.
fn core(shape: &Shape) -> &Shape {
    match shape {
        Shape::Option(inner) | Shape::Boxed(inner) | Shape::Kept(inner) => core(inner),
        other => other,
    }
}

/// A value in the options and boxes that its place has.
fn wrap(shape: &Shape, value: TokenStream) -> TokenStream {
    match shape {
        Shape::Option(inner) => {
            let value = wrap(inner, value);
            quote!(rt::Some(#value))
        }
        Shape::Boxed(inner) => {
            let value = wrap(inner, value);
            quote!(rt::Box::new(#value))
        }
        // What deviates is odd.
        Shape::Kept(_) => quote!(::formwork::Kept::canonical()),
        _ => value,
    }
}

/// Nothing, in a place that may have nothing.
fn nothing(shape: &Shape) -> Able<TokenStream> {
    match shape {
        Shape::Option(_) => Ok(quote!(rt::None)),
        Shape::Kept(_) => Ok(quote!(::formwork::Kept::canonical())),
        _ => unable("nothing where something has to be"),
    }
}
