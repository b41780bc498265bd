//! Views: types that look at a file in place.
//!
//! They stand in a module `view` beside the ordinary types, with the same names, and have a function
//! for each field. What cannot be looked at has none: [`Views::missing`] says why. A view never looks
//! around itself but at the start of the file, so what depends on a struct around has none either.
//!
//! `record` emits the struct of a view, `rows` where its rows are, `field` its functions, `item` what
//! is in a row, `cell` its numbers, `number` what expressions give, `past` where something ends,
//! `element` the elements of arrays, `choice` unions.

mod cell;
mod choice;
mod element;
mod field;
mod item;
mod number;
mod past;
mod record;
mod rows;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::docs::docs;
use super::layouts::Layouts;
use super::names::Scope;
use super::shape::Shapes;
use super::straight::{Able, Sought, Unable, bits_in, epochs, unable};
use crate::model::{
    ByteOrder, ByteOrderRule, EndianRule, EpochId, Expr, Home, Meaning, Model, Record, RecordId,
    RecordKind, RowId, RowKind, Signature, SignatureCell, Sizes, Storage, UnionId,
};

/// What is emitted, and the fields that have no function.
#[derive(Debug, Default)]
pub(in crate::rust) struct Emitted {
    /// The module `view`, and the function of the root that leads to it.
    pub tokens: TokenStream,
    /// Each as `File.name: why`, in the order of the model.
    pub missing: Vec<String>,
}

/// The module `view`; or why there is none.
pub(in crate::rust) fn emit(
    shapes: &Shapes<'_>,
    layouts: &Layouts<'_>,
    shown: bool,
) -> Able<Emitted> {
    let views = Views { shown, ..Views::new(shapes, layouts)? };
    let root = shapes.model().root;
    views.find_ends();
    // What views ask of others is known when all were made once.
    views.items();
    let items = views.items();
    let open = views.open()?;
    let (ident, name) = (shapes.ident(root), views.record_ident(root));
    let lifetime = shapes.borrows(&shapes.record(root)).then(|| quote!(<'_>));
    let doc = docs(Some(
        "Looks at a file in place: a view, whose functions find each field when it is asked for.\n\n\
         # Errors\n\nIf the file does not begin as files of this format do. Rules of the format are \
         not checked: [`read`](Self::read) does that.",
    ));
    let module_doc = docs(Some(&format!(
        "[`{name}`](view::{name}) looks at a file in place: nothing is read before it is asked for, \
         and nothing is\nallocated. See [`formwork::view`](::formwork::view).\n\nTypes have the names \
         that they have outside of this module, and a function for each field."
    )));
    let (items, decoders) = (items.into_values(), views.decoders.borrow());
    let decoders = decoders.values().map(|decoder| &decoder.tokens);
    let tokens = quote! {
        impl #ident #lifetime {
            #doc
            pub fn view(bytes: &[u8]) -> ::formwork::view::Result<view::#name<'_>> {
                view::open(bytes)
            }
        }

        #module_doc
        pub mod view {
            use ::formwork::__rt::{self as rt, s};
            use ::formwork::view as v;

            #open
            #(#items)*
            #(#decoders)*
        }
    };
    let missing = views.missing.borrow();
    let missing = missing.iter().map(|((_, _, name), why)| format!("{name}: {why}")).collect();
    Ok(Emitted { tokens, missing })
}

/// Something that has a type in the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    Record(RecordId),
    Union(UnionId),
}

/// The beginning of a record: its fixed block, and the rows behind that which have constant places all
/// the same, since what is before them has a constant size.
#[derive(Debug, Default)]
struct Block {
    size: u64,
    rows: BTreeMap<RowId, u64>,
}

impl Block {
    fn of(record: &Record, sizes: &Sizes<'_>, epoch: EpochId) -> Block {
        let mut block = Block {
            size: record.sizes.get(epoch.index()).copied().flatten().unwrap_or(0),
            rows: BTreeMap::new(),
        };
        for (id, row) in (0..).map(RowId).zip(&record.rows) {
            match row.home(epoch) {
                Home::Absent | Home::Nowhere => continue,
                Home::At(at) if at < block.size => continue,
                Home::Next if row.when.is_none() => {}
                Home::At(_) | Home::Next => break,
            }
            let plain = !matches!(row.kind, RowKind::Zeros | RowKind::Pool { .. });
            let size = sizes.of(&row.ty).filter(|_| plain);
            let Some(end) = size.and_then(|size| block.size.checked_add(size)) else { break };
            block.rows.insert(id, block.size);
            block.size = end;
        }
        block
    }
}

/// The last row that is found of those that stand behind something of no fixed size, and why none
/// behind it is.
type Found = (Option<RowId>, Unable);

/// What everything that is emitted needs to know.
struct Views<'s, 'm> {
    shapes: &'s Shapes<'m>,
    model: &'m Model,
    /// The model in each layout.
    layouts: &'s Layouts<'s>,
    /// Sizes in each layout.
    sizes: Vec<Sizes<'s>>,
    /// What stands at constant places in each record, in each layout.
    blocks: Vec<Vec<Block>>,
    /// The byte order of all numbers that do not say their own, if it is always the same.
    order: Option<ByteOrder>,
    /// Which expressions are about where they are asked for.
    positions: Vec<bool>,
    records: Vec<Ident>,
    unions: Vec<Ident>,
    open: RefCell<Vec<Wanted>>,
    /// Addresses that are being worked out.
    sought: Sought,
    seen: RefCell<BTreeSet<Wanted>>,
    /// Types that say how elements are found, by the row of their array.
    decoders: RefCell<BTreeMap<(RecordId, RowId), element::Decoder>>,
    names: RefCell<Scope>,
    /// Names of records and unions.
    scope: Scope,
    /// By record and layout.
    found: RefCell<BTreeMap<(RecordId, usize), Found>>,
    /// What has no end that can be found.
    endless: RefCell<BTreeSet<Wanted>>,
    missing: RefCell<BTreeMap<(RecordId, RowId, String), String>>,
    /// Whether views show themselves.
    shown: bool,
    /// Records whose views are asked where they are by those of others.
    forced: RefCell<BTreeSet<RecordId>>,
    /// Structs that stand for one of their rows, and why that has no function, if it has none. While
    /// that is being found out, it has one.
    stand_for: RefCell<BTreeMap<RecordId, Option<String>>>,
}

impl<'s, 'm> Views<'s, 'm> {
    fn new(shapes: &'s Shapes<'m>, layouts: &'s Layouts<'s>) -> Able<Views<'s, 'm>> {
        let model = shapes.model();
        if layouts.len() > usize::from(u8::MAX) {
            return unable("more than 255 layouts");
        }
        // The names that the ordinary types have come first.
        let mut scope = Scope::default();
        let all = (0..u32::try_from(model.records.len()).unwrap_or(u32::MAX)).map(RecordId);
        let mut records: Vec<Ident> = all.clone().map(|id| shapes.ident(id)).collect();
        let typed = |id: &RecordId| shapes.has_type(*id);
        for id in all.clone().filter(typed) {
            records[id.index()] = scope.take(&[records[id.index()].to_string()]);
        }
        let unions = (0..u32::try_from(model.unions.len()).unwrap_or(u32::MAX)).map(UnionId);
        let unions = unions.map(|id| scope.take(&[shapes.union_ident(id).to_string()])).collect();
        for id in all.filter(|id| !typed(id)) {
            records[id.index()] = scope.take(&[records[id.index()].to_string()]);
        }
        let order = match model.byte_order {
            ByteOrderRule::Fixed(order) if model.records.iter().all(|r| r.endian.is_none()) => {
                Some(order)
            }
            _ => None,
        };
        let sizes = (0..).map(EpochId).zip(layouts.iter()).map(|(epoch, model)| model.sizes(epoch));
        let sizes: Vec<Sizes<'s>> = sizes.collect();
        let blocks = layouts.iter().zip(&sizes).zip(0..).map(|((model, sizes), epoch)| {
            model.records.iter().map(|record| Block::of(record, sizes, EpochId(epoch))).collect()
        });
        Ok(Views {
            blocks: blocks.collect(),
            shapes,
            model,
            layouts,
            sizes,
            order,
            positions: model.mentioning(|expr| matches!(expr, Expr::Here | Expr::RegionEnd)),
            records,
            unions,
            open: RefCell::default(),
            sought: Sought::default(),
            seen: RefCell::default(),
            decoders: RefCell::default(),
            names: RefCell::new(scope.clone()),
            scope,
            found: RefCell::default(),
            endless: RefCell::default(),
            missing: RefCell::default(),
            shown: false,
            forced: RefCell::default(),
            stand_for: RefCell::default(),
        })
    }

    /// The types of all views that the root's leads to.
    fn items(&self) -> BTreeMap<Wanted, TokenStream> {
        self.forget();
        self.record_ty(self.model.root);
        let mut items = BTreeMap::new();
        while let Some(next) = self.next() {
            let tokens = match next {
                Wanted::Record(id) => self.record(id),
                Wanted::Union(id) => self.choice(id),
            };
            items.insert(next, tokens);
        }
        items
    }

    /// Forgets what was asked for until now.
    fn forget(&self) {
        self.open.borrow_mut().clear();
        self.seen.borrow_mut().clear();
        self.decoders.borrow_mut().clear();
        self.stand_for.borrow_mut().clear();
        self.found.borrow_mut().clear();
        self.names.replace(self.scope.clone());
    }

    fn want(&self, wanted: Wanted) {
        if self.seen.borrow_mut().insert(wanted) {
            self.open.borrow_mut().push(wanted);
        }
    }

    fn next(&self) -> Option<Wanted> {
        self.open.borrow_mut().pop()
    }

    fn record_ident(&self, id: RecordId) -> &Ident {
        &self.records[id.index()]
    }

    /// The type of a record's view, which is emitted then.
    fn record_ty(&self, id: RecordId) -> TokenStream {
        self.want(Wanted::Record(id));
        let ident = self.record_ident(id);
        quote!(#ident<'a>)
    }

    /// The type of a union's view, which is emitted then.
    fn union_ty(&self, id: UnionId) -> TokenStream {
        self.want(Wanted::Union(id));
        let ident = &self.unions[id.index()];
        quote!(#ident<'a>)
    }

    /// Notes why a field has no function.
    fn without(&self, record: RecordId, row: RowId, name: &str, why: &str) {
        let name = format!("{}.{name}", self.model.records[record.index()].name);
        self.missing.borrow_mut().insert((record, row, name), why.to_owned());
    }

    /// Numbers of all layouts.
    fn epochs(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.layouts.len()
    }

    /// Whether a record exists in a layout.
    fn exists(&self, id: RecordId, epoch: usize) -> bool {
        let record = &self.layouts[epoch].records[id.index()];
        let absent = |row: &crate::model::Row| row.home(layout(epoch)) == Home::Absent;
        record.rows.is_empty() || !record.rows.iter().all(absent)
    }

    /// Code for each layout, as one piece if it is the same for all; where there is none it is an
    /// error. `place` is that of which the layout is asked.
    fn by_layout(
        &self,
        place: &TokenStream,
        mut make: impl FnMut(usize) -> Able<Option<TokenStream>>,
        otherwise: &TokenStream,
    ) -> Able<TokenStream> {
        let mut bodies: Vec<(String, TokenStream, Vec<usize>)> = Vec::new();
        for epoch in self.epochs() {
            let Some(tokens) = make(epoch)? else { continue };
            let text = tokens.to_string();
            match bodies.iter_mut().find(|(known, ..)| *known == text) {
                Some((.., epochs)) => epochs.push(epoch),
                None => bodies.push((text, tokens, vec![epoch])),
            }
        }
        Ok(match &bodies[..] {
            [] => otherwise.clone(),
            [(_, tokens, _)] => tokens.clone(),
            [arms @ .., (_, last, _)] => {
                let arms = arms.iter().map(|(_, tokens, epochs)| {
                    let epochs = epochs.iter().map(|epoch| Literal::usize_unsuffixed(*epoch));
                    quote!(#(#epochs)|* => { #tokens })
                });
                quote!(match #place.layout() { #(#arms)* _ => { #last } })
            }
        })
    }

    /// `open`, which makes the view of a file: in its byte order and layout, if it begins as it should.
    fn open(&self) -> Able<TokenStream> {
        let root = self.model.root;
        let name = self.record_ident(root);
        let order = match self.model.byte_order {
            ByteOrderRule::Fixed(order) => {
                let order = endian(order);
                quote!(let place = place.ordered(#order);)
            }
            ByteOrderRule::Mark { offset } => {
                let at = Literal::u64_unsuffixed(offset);
                quote! {
                    let mark = place.skip(#at)?;
                    let place = match mark.take(2)? {
                        b"\xff\xfe" => place.ordered(v::LE),
                        b"\xfe\xff" => place.ordered(v::BE),
                        _ => return rt::Err(mark.no_order()),
                    };
                }
            }
        };
        let (mut layout, mut is_early) = (TokenStream::new(), false);
        if self.layouts.len() > 1 {
            let mut names = Vec::new();
            for (number, variable) in self.model.epoch_variables.iter().enumerate() {
                let Some(mut int) = variable.stored() else {
                    return unable("a layout by a number of no whole bytes");
                };
                if matches!(variable.cell.meaning, Meaning::Bool { yes: 2.. }) {
                    return unable("a layout by what is true as another number than one");
                }
                match self.model.epoch_order(variable) {
                    None => {}
                    Some((_, EndianRule::Fixed(order))) => int.order = Some(*order),
                    Some(([], EndianRule::Chosen(..))) => is_early = true,
                    Some((_, EndianRule::Chosen(..))) => {
                        return unable("a layout by a number in an order that a struct chooses");
                    }
                }
                let at = Literal::u64_unsuffixed(variable.offset);
                let raw = self.load(int, &quote!(place.skip(#at)?)).0;
                let name = quote::format_ident!("n{number}");
                layout.extend(quote!(let #name = i128::from(#raw);));
                if let Storage::Word { first, last, signed } = variable.cell.storage {
                    let bits = bits_in(&quote!(#name), first, last, signed);
                    layout.extend(quote!(let #name = #bits;));
                }
                names.push((name, &variable.name));
            }
            let tests = self.model.epochs.iter().enumerate().map(|(epoch, of)| {
                let tests = names.iter().zip(&of.ranges);
                let tests = tests.map(|((name, _), ranges)| epochs::is_in(name, ranges));
                let epoch = Literal::usize_unsuffixed(epoch);
                quote!(if #(#tests)&&* { place.in_layout(#epoch) } else)
            });
            let (first, text) = names.first().ok_or_else(|| Unable("no layout".to_owned()))?;
            layout.extend(quote! {
                let place = #(#tests)* { return rt::Err(place.no_layout(#text, #first)) };
            });
        }
        let mut chosen = self.chosen_order(root)?;
        if is_early {
            // What it asks for stands at the same places in all layouts, so also in the smallest.
            let smallest = self.epochs().min_by_key(|epoch| self.block(root, *epoch)).unwrap_or(0);
            let smallest = Literal::usize_unsuffixed(smallest);
            let early = std::mem::take(&mut chosen);
            layout = quote!(let place = place.in_layout(#smallest); #early #layout);
        }
        let magics = Signature::of(self.model).cells.into_iter().filter(|cell| cell.is_magic);
        let magics = magics.map(|SignatureCell { offset, allowed, .. }| {
            let offset = Literal::u64_unsuffixed(offset);
            let allowed = allowed.iter().map(|bytes| Literal::byte_string(bytes));
            quote!(place.skip(#offset)?.holds(&[#(#allowed),*])?;)
        });
        Ok(quote! {
            /// The view of a file.
            pub(super) fn open(bytes: &[u8]) -> v::Result<#name<'_>> {
                let place = v::Place::of(bytes);
                #order
                #layout
                #(#magics)*
                #chosen
                #name::__at(place)
            }
        })
    }

    /// Code that finds the byte order of the root, if that has one of its own.
    fn chosen_order(&self, root: RecordId) -> Able<TokenStream> {
        let (rules, otherwise) = match &self.model.records[root.index()].endian {
            None => return Ok(TokenStream::new()),
            Some(EndianRule::Fixed(order)) => {
                let order = endian(*order);
                return Ok(quote!(let place = place.ordered(#order);));
            }
            Some(EndianRule::Chosen(rules, otherwise)) => (rules, otherwise),
        };
        let name = self.record_ident(root);
        let (file, place) = (quote!(file), quote!(place));
        let none = quote!(return rt::Err(place.undecided()));
        let order = self.by_body_at(
            root,
            &file,
            &place,
            &quote!(0),
            |body| {
                let mut code = match otherwise {
                    Some(order) => endian(*order),
                    None => none.clone(),
                };
                for (condition, order) in rules.iter().rev() {
                    let (holds, order) =
                        (self.truth(body, &body.place, *condition)?, endian(*order));
                    code = quote!(if v::holds(#holds) { #order } else { #code });
                }
                Ok(Some(code))
            },
            &none,
        )?;
        Ok(quote! {
            let file = #name::__at(place)?;
            let order = #order;
            let place = place.ordered(order);
        })
    }

    /// Size in bytes of what stands at constant places in a record.
    fn block(&self, id: RecordId, epoch: usize) -> u64 {
        self.blocks[epoch][id.index()].size
    }

    /// The union that a record is, tag and all, if it has nothing else.
    fn body_union(&self, id: RecordId) -> Option<UnionId> {
        let record = &self.model.records[id.index()];
        let [row] = record.rows.as_slice() else { return None };
        let crate::model::Type::Union(union) = row.ty else { return None };
        let of = &self.model.unions[union.index()];
        let own = matches!(of.tag, crate::model::Tag::Own(_) | crate::model::Tag::Word(_));
        let plain = row.when.is_none() && record.align.is_none() && record.endian.is_none();
        (of.body && own && plain && self.shapes.has_union(union)).then_some(union)
    }

    /// The size of the block, if it is the same in all layouts that have the record.
    fn constant_block(&self, id: RecordId) -> Option<u64> {
        if !self.forms(id).is_empty() {
            return None;
        }
        let mut sizes = self.epochs().filter(|e| self.exists(id, *e)).map(|e| self.block(id, e));
        let first = sizes.next()?;
        sizes.all(|size| size == first).then_some(first)
    }

    /// The records that spell a case.
    fn forms(&self, id: RecordId) -> Vec<RecordId> {
        match self.model.records[id.index()].kind {
            RecordKind::Case(union, case) => {
                let case = &self.model.unions[union.index()].cases[case as usize];
                case.forms.iter().map(|form| form.record).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a way from a type into itself closes in this record, where its end is looked for: in its
    /// own rows or those of its forms, or, of a case, in a record that is nothing but its union.
    fn is_circular(&self, id: RecordId) -> bool {
        let closes = |id: RecordId| self.model.records[id.index()].recursive;
        let of_union = |union: UnionId| {
            let mut records = (0..).map(RecordId).take(self.model.records.len());
            records.any(|record| closes(record) && self.body_union(record) == Some(union))
        };
        let RecordKind::Case(union, _) = self.model.records[id.index()].kind else {
            return closes(id);
        };
        closes(id) || self.forms(id).into_iter().any(closes) || of_union(union)
    }

    /// Whether a record is one case of a union, and its view knows the number that chose it.
    fn is_case(&self, id: RecordId) -> bool {
        matches!(self.model.records[id.index()].kind, RecordKind::Case(..))
    }
}

/// A layout, by its number.
fn layout(epoch: usize) -> EpochId {
    EpochId(u32::try_from(epoch).unwrap_or(0))
}

/// A byte order, in generated code.
fn endian(order: ByteOrder) -> TokenStream {
    match order {
        ByteOrder::Little => quote!(v::LE),
        ByteOrder::Big => quote!(v::BE),
    }
}
