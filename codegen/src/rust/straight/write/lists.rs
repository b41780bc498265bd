//! Pointer cells, and what pools and relocation tables want of them.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use super::cell::cut;
use super::spot::{Spot, in_block, position};
use super::writer::{Node, Src, Writer};
use crate::model::{
    ArrayLength, Listing, PointerId, PointerKind, PointerType, Policy, Row, RowId, RowKind,
    RunLength, Storage, Target, Type, WhenEmpty,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};

/// What a pointer leads to, as listings tell it.
#[derive(Clone, Copy)]
enum Class {
    Object,
    Array,
    Dictionary,
    Text,
}

impl<'m> Writer<'_, '_, 'm> {
    /// A pointer's cell. Numbers of objects come when those are placed.
    pub(super) fn put_pointer(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        pointer: &'m PointerType,
        src: &Src,
        spot: &Spot,
    ) -> Able<TokenStream> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let cell = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let Storage::Fixed(int) = cell.storage else { return unable("a pointer in single bits") };
        if row.plus != 0 {
            return unable("a pointer with something added");
        }
        let offset = match spot {
            Spot::Block(offset) => offset.clone(),
            Spot::End => {
                let width = usize::from(int.bytes);
                let place = Spot::Block(quote!(0));
                let body = self.put_pointer(node, id, row, pointer, src, &place)?;
                return Ok(in_block(width, &body));
            }
        };
        let at = position(&offset);
        let usual = row.nones(kind.none).next();
        let nothing = match (self.kept_none(node, id, kind.none), usual) {
            (Some(kept), _) => self.store(node, &int, &kept, spot),
            (None, Some(0)) => quote!(),
            (None, Some(none)) => {
                let (bits, signed) = self.model.cell_range(cell);
                let none = cut(none, bits, signed)?;
                self.store(node, &int, &none.into_token_stream(), spot)
            }
            (None, None) => quote!(return rt::Err(s::Odd);),
        };
        let code = &src.code;
        let agrees = match (pointer.none_with, &src.shape) {
            (Some(with), Some(Shape::Option(_))) => {
                let filled = self.is_filled(node, with)?;
                quote!(s::holds(#code.is_some() == #filled)?;)
            }
            (Some(with), Some(Shape::Fixed(..))) => {
                let filled = self.is_filled(node, with)?;
                quote!(s::holds(#filled)?;)
            }
            _ => quote!(),
        };
        let put = match &pointer.target {
            Target::Element => return unable("a pointer to an element"),
            Target::Pooled => {
                let big = self.is_big(node, &int);
                let label = self.label_kind(node, row, pointer.kind, big, int.bytes, (0, 0))?;
                let (inner, optional) = match &src.shape {
                    Some(Shape::Option(inner)) => (&**inner, true),
                    Some(shape) => (shape, false),
                    None => return unable("a pooled pointer without a text"),
                };
                if !matches!(inner, Shape::Str | Shape::Bytes) {
                    return unable("a pooled text of another Rust type");
                }
                let push =
                    |text: TokenStream| quote!(cx.label(#at, s::Chars::chars(#text), #label););
                let put = if optional {
                    let push = push(quote!(x));
                    quote!(match #code { rt::Some(x) => { #push } rt::None => { #nothing } })
                } else {
                    push(quote!(#code))
                };
                let set = if optional { quote!(#code.is_some()) } else { quote!(true) };
                let listed = self.list(pointer, &at, &set);
                quote!(#put #listed)
            }
            Target::Own(target) => {
                let placed = self.placed(node, pointer, target, src)?;
                let put = match &placed {
                    _ if nothing.is_empty() => quote!(),
                    None => quote!(),
                    Some(placed) => quote!(if !#placed { #nothing }),
                };
                let set = placed.unwrap_or(quote!(true));
                let listed = self.list(pointer, &at, &set);
                let owed = self.owes.then(|| quote!(if #set { cx.owe(); }));
                quote!(#put #listed #owed)
            }
        };
        Ok(quote!(#agrees #put))
    }

    /// Whether the array in a row has elements: a `bool`.
    fn is_filled(&self, node: &Node<'m>, array: RowId) -> Able<TokenStream> {
        let Some(Src { code, shape, .. }) = self.field(node, array) else {
            return unable("an array elsewhere");
        };
        Ok(match shape {
            Some(Shape::Option(inner)) => {
                let list = self.src(quote!(x), *inner).code;
                quote!(#code.as_ref().is_some_and(|x| !#list.is_empty()))
            }
            _ => quote!((!#code.is_empty())),
        })
    }

    /// Whether what a pointer owns has a place: a `bool`; nothing if it always has.
    pub(super) fn placed(
        &self,
        node: &Node<'m>,
        pointer: &'m PointerType,
        target: &'m Type,
        src: &Src,
    ) -> Able<Option<TokenStream>> {
        let code = &src.code;
        if matches!(target, Type::Nothing) {
            // It leads where something would be.
            return match pointer.when_empty(self.model) {
                WhenEmpty::Here if !pointer.optional => Ok(None),
                _ => unable("a pointer to nothing"),
            };
        }
        if let Some(with) = pointer.none_with {
            let counted = match target.stripped() {
                Type::Array(array) => !matches!(array.length, ArrayLength::Last(_)),
                Type::Run(run) => matches!(run.length, RunLength::Count(_)),
                _ => false,
            };
            return match &src.shape {
                // They are always there.
                Some(Shape::Fixed(_, 1..)) => Ok(None),
                // They would have no place, and somebody has to say so.
                _ if counted && !pointer.optional => {
                    unable("elements that have no place where another array is empty")
                }
                // Whether the two agree is looked at where the pointer is written.
                Some(Shape::Option(_)) => Ok(Some(quote!(#code.is_some()))),
                _ => self.is_filled(node, with).map(Some),
            };
        }
        match &src.shape {
            Some(Shape::Option(inner)) => {
                let x = self.src(quote!(x), (**inner).clone());
                let inner = self.full(pointer, target, &x)?;
                return Ok(Some(match inner {
                    None => quote!(#code.is_some()),
                    Some(full) => quote!((match #code { rt::Some(x) => #full, rt::None => false })),
                }));
            }
            Some(Shape::Boxed(inner)) => {
                let x = self.src(self.straight.unboxed(code), (**inner).clone());
                return self.full(pointer, target, &x);
            }
            _ => {}
        }
        self.full(pointer, target, src)
    }

    /// Whether an array is not left out for being empty: a `bool`.
    fn full(
        &self,
        pointer: &'m PointerType,
        target: &'m Type,
        src: &Src,
    ) -> Able<Option<TokenStream>> {
        let when = pointer.when_empty(self.model);
        let code = &src.code;
        let counted = match target.stripped() {
            Type::Array(_) => !matches!(src.shape, Some(Shape::Fixed(_, 1..))),
            Type::Run(run) => {
                if matches!(run.length, RunLength::Count(_)) && self.has_relocation {
                    return unable("a run that may be empty, in a file with a relocation table");
                }
                matches!(run.length, RunLength::Count(_))
            }
            _ => false,
        };
        Ok((counted && when == WhenEmpty::None).then(|| quote!((!#code.is_empty()))))
    }

    /// Numbers for nothing that a pointer or label to something may come to be.
    pub(super) fn nones(&self, row: &Row, kind: &PointerKind) -> Vec<Literal> {
        // Where the root begins with bytes, nothing else is at the start of the file.
        let root = &self.model.records[self.model.root.index()];
        let begins = root.sizes.iter().all(|size| size.is_some_and(|size| size > 0));
        let least = if begins { 1 } else { 0 };
        let nones = row.nones(kind.none).filter(|none| kind.base.is_some() || *none >= least);
        nones.map(Literal::i128_unsuffixed).collect()
    }

    /// A reference to the constant that says how a kind of label is stored.
    pub(super) fn label_kind(
        &self,
        node: &Node<'m>,
        row: &Row,
        kind: PointerId,
        big: bool,
        width: u8,
        (first, bits): (u8, u8),
    ) -> Able<TokenStream> {
        let pointer = &self.model.pointers[kind.index()];
        let Some(path) = &pointer.pool else { return unable("a pooled pointer without a pool") };
        let Some(pool) = self.straight.pool_number(&self.anchors, path) else {
            return unable("a pool that is not at a known place");
        };
        let (skip, unit) = (pointer.skip, pointer.unit);
        let Ok(skip) = u32::try_from(skip) else { return unable("a pointer far into its text") };
        let base = match pointer.base {
            None => None,
            Some(base) => {
                let Some((anchor, end)) = self.anchors.side(node.view, base, node.id) else {
                    return unable("a pooled pointer from a base that is at no known place");
                };
                Some(quote!(rt::Some(s::LabelBase { anchor: #anchor, end: #end })))
            }
        };
        let nones = self.nones(row, pointer);
        let fields = [
            (pool != 0).then(|| quote!(pool: #pool,)),
            big.then(|| quote!(big: true,)),
            (skip != 0).then(|| quote!(skip: #skip,)),
            (unit != 1).then(|| quote!(unit: #unit,)),
            base.map(|base| quote!(base: #base,)),
            (!nones.is_empty()).then(|| quote!(nones: &[#(#nones),*],)),
            ((first, bits) != (0, 0)).then(|| quote!(bits: (#first, #bits),)),
        ];
        let fields: TokenStream = fields.into_iter().flatten().collect();
        Ok(quote!(&s::LabelKind { width: #width, #fields ..s::LabelKind::PLAIN }))
    }

    /// Code that lists a pointer in the relocation table, if it is to be.
    fn list(&self, pointer: &'m PointerType, at: &TokenStream, set: &TokenStream) -> TokenStream {
        if !self.has_relocation {
            return quote!();
        }
        let section = pointer.section;
        // What leads nowhere leads into no section of its own.
        let push = match section == 0 || set.to_string() == "true" {
            true => quote!(cx.list(#at, #section);),
            false => quote!(cx.list(#at, if #set { #section } else { 0 });),
        };
        self.by_policy(pointer, &|policy| match policy {
            Policy::Never => quote!(),
            Policy::Always => push.clone(),
            Policy::Set if set.to_string() == "true" => push.clone(),
            Policy::Set => quote!(if #set { #push }),
        })
    }

    /// Code for what a pointer's own policy says, or for each that its kind may say.
    fn by_policy(&self, pointer: &PointerType, one: &dyn Fn(Policy) -> TokenStream) -> TokenStream {
        if let Some(policy) = pointer.list {
            return one(policy);
        }
        let kind = &self.model.pointers[pointer.kind.index()];
        let class = self.class(pointer);
        let policies: Vec<Policy> = kind.listing.iter().map(|(_, l)| of_class(l, class)).collect();
        let last = kind.listing.last().is_none_or(|(condition, _)| condition.is_some());
        let otherwise = last.then_some(Policy::Never);
        let mut all = policies.iter().copied().chain(otherwise);
        let Some(first) = all.next() else { return one(Policy::Never) };
        if all.all(|policy| policy == first) {
            return one(first);
        }
        let arms = (0_u8..).zip(&policies).map(|(number, policy)| {
            let code = one(*policy);
            quote!(#number => { #code })
        });
        let (kind, never) = (pointer.kind.index(), one(Policy::Never));
        quote!(match cx.rule(#kind) { #(#arms)* _ => { #never } })
    }

    /// Whether the relocation table lists the pointer in a row: a `bool`.
    pub(super) fn is_listed(&self, node: &Node<'m>, id: RowId) -> Able<TokenStream> {
        let row = node.row(id);
        let (Type::Pointer(pointer), None) = (&row.ty, &row.when) else {
            return unable("whether something else than a pointer is listed");
        };
        let Some(src) = self.field(node, id) else { return unable("a pointer of no field") };
        let set = match (&pointer.target, &src.shape) {
            (Target::Own(target), _) => self.placed(node, pointer, target, &src)?,
            (_, Some(Shape::Option(_))) => {
                let code = &src.code;
                Some(quote!(#code.is_some()))
            }
            _ => None,
        };
        let set = set.unwrap_or(quote!(true));
        Ok(self.by_policy(pointer, &|policy| match policy {
            Policy::Never => quote!(false),
            Policy::Always => quote!(true),
            Policy::Set => set.clone(),
        }))
    }

    fn class(&self, pointer: &PointerType) -> Class {
        match &pointer.target {
            Target::Pooled => Class::Text,
            Target::Element => Class::Object,
            Target::Own(ty) => match ty.stripped() {
                Type::Run(run) if matches!(run.length, RunLength::Count(_)) => Class::Array,
                Type::Array(_) => Class::Array,
                Type::Record(record) if self.model.is_dictionary(*record) => Class::Dictionary,
                _ => Class::Object,
            },
        }
    }

    /// Gives up on rows that are listed without being pointers.
    pub(super) fn listed_row(&self, row: &Row) -> Able<()> {
        if !self.has_relocation {
            return Ok(());
        }
        let runtime = matches!(row.kind, RowKind::Runtime)
            && self.model.pointers.iter().any(|kind| {
                kind.listing.iter().any(|(_, listing)| listing.runtime != Policy::Never)
            });
        if row.listed.is_some() || runtime {
            return unable("a number in the relocation table");
        }
        Ok(())
    }

    /// Code that finds out which rule each kind of pointer is listed by.
    pub(super) fn rules(&self) -> Able<TokenStream> {
        if !self.has_relocation {
            return Ok(quote!());
        }
        let root = self.model.root;
        self.by_epoch(|view, epoch| {
            let node = self.node(view, epoch, self.big(), root, quote!(v), None);
            let mut tokens = TokenStream::new();
            for kind in &self.model.pointers {
                let mut code = quote!(u8::MAX);
                for (number, (condition, _)) in kind.listing.iter().enumerate().rev() {
                    let number = u8::try_from(number).unwrap_or(u8::MAX);
                    code = match condition {
                        None => quote!(#number),
                        Some(condition) => {
                            let holds = self.straight.truth(&node.scope, view, *condition)?;
                            quote!(if #holds { #number } else { #code })
                        }
                    };
                }
                tokens.extend(quote!(let rule: u8 = #code; cx.add_rule(rule);));
            }
            Ok(tokens)
        })
    }
}

fn of_class(listing: &Listing, class: Class) -> Policy {
    match class {
        Class::Object => listing.object,
        Class::Array => listing.array,
        Class::Dictionary => listing.dictionary,
        Class::Text => listing.string,
    }
}
