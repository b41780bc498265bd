//! The fast path, straight code: a reader and a writer without a tree between bytes and value, for
//! files that have nothing unusual.
//!
//! Whatever is not as a file written by straight code would have it is [*odd*](formwork::__rt::s::Odd),
//! and the engine begins from the start. So straight code reports nothing, and of spellings it keeps
//! only what a row shows by itself: widths and digits of numbers, which of several numbers for nothing
//! there is, bytes without a meaning, and forms of cases. It may give up where it
//! likes, but where it says something it says what the engine would say.
//!
//! A model that straight code cannot carry at all has none; cases of unions that it cannot carry are
//! odd when they occur.

mod able;
mod anchors;
mod asked;
mod asking;
mod beside;
mod bits;
mod check;
mod context;
mod digits;
mod early;
pub(super) mod ends;
pub(super) mod epochs;
mod equations;
mod expr;
mod extent;
mod findings;
mod flavour;
mod kept;
pub(super) mod letters;
mod locals;
mod names;
mod needs;
mod noted;
mod operators;
mod outline;
mod pools;
mod questions;
mod rare;
mod read;
mod rest;
mod sayable;
mod scope;
mod sight;
mod sizes;
mod standing;
mod streams;
mod summed;
mod survey;
mod write;

use proc_macro2::TokenStream;
use quote::quote;

use super::layouts::Layouts;
use super::shape::{Shape, Shapes};

pub(super) use able::{Able, Sought, Unable, unable};
use context::{Flavour, Straight};
pub(super) use early::bits_in;
pub(super) use findings::{Finding, Task};
use outline::Pieces;
pub(super) use survey::survey;

/// What is known of a model's straight code.
pub(super) struct Emitted {
    /// The module `straight`.
    pub tokens: TokenStream,
    /// What the reader does not look at; none if it alone proves that a file is plain.
    pub doubt: Option<String>,
}

/// The module `straight`, or why there is none.
pub(super) fn emit<'m>(shapes: &Shapes<'m>, views: &'m Layouts<'m>) -> Able<Emitted> {
    for_layouts(shapes, views, Flavour::Values, values)
}

/// What `make` makes for all layouts, or else for those that it carries.
fn for_layouts<'m, T>(
    shapes: &Shapes<'m>,
    views: &'m Layouts<'m>,
    flavour: Flavour,
    make: fn(&Straight<'_, 'm>) -> Able<T>,
) -> Able<T> {
    let straight = Straight::new(shapes, views, flavour);
    straight.is_not_too_much()?;
    let made =
        |layouts: Vec<usize>| make(&Straight { layouts, ..Straight::new(shapes, views, flavour) });
    let all: Vec<usize> = (0..views.len()).collect();
    let whole = make(&straight);
    if whole.is_ok() || all.len() < 2 {
        return whole;
    }
    let carried: Vec<usize> =
        all.into_iter().filter(|layout| made(vec![*layout]).is_ok()).collect();
    if carried.is_empty() { whole } else { made(carried) }
}

fn values(straight: &Straight<'_, '_>) -> Able<Emitted> {
    let model = straight.model;
    let reader = read::emit(straight)?;
    let checking = check::Checking::new(straight, false)?;
    let writer = write::emit(straight, &checking)?;
    let checks = check::emit(&checking, reader.doubt.is_none())?;
    let root = straight.value_ty(model.root, &quote!('_));
    let ty = straight.value_ty(model.root, &quote!('o));
    let written_root = straight.value_ty(model.root, &quote!('v));
    straight.has_no_rules_of_bits()?;
    let rows = straight.record(model.root).numbered_rows();
    let tried = rows.filter(|(id, _)| reader.tried.contains(id));
    let fields = tried.filter_map(|(id, _)| straight.shapes.field(model.root, id));
    let tries = fields.map(|field| {
        let field = &field.ident;
        quote! {
            value.#field = !value.#field;
            if s::writes(bytes, |out, file| written_as(&value, out, file)) {
                return rt::Ok(value);
            }
            value.#field = !value.#field;
        }
    });
    let kept = straight.kept_pool()?;
    let whole = if let Some((row, members)) = kept {
        if !straight.is_plain_root() {
            return unable("a value that is seen in the file, and a pool whose members are data");
        }
        quote! {
            let mut value = read::<M>(bytes, options)?;
            let mut found = rt::None;
            if s::writes(bytes, |out, file| written_as(&value, out, file, &mut found)) {
                s::mend_members(&mut value.spelling, #row, #members, found)?;
                return rt::Ok(value);
            }
            rt::Err(s::Odd)
        }
    } else if reader.doubt.is_none() {
        return Ok(Emitted {
            tokens: sealed(straight, &[reader.tokens, writer, checks])?,
            doubt: None,
        });
    } else {
        let trusted = (reader.sure && reader.tried.is_empty()).then(|| {
            quote! {
                if options.trusting {
                    check_root(&value)?;
                    return rt::Ok(value);
                }
            }
        });
        quote! {
            let mut value = read::<M>(bytes, options)?;
            #trusted
            // What the reader did not look at is in the bytes that the value has.
            if s::writes(bytes, |out, file| written_as(&value, out, file)) {
                return rt::Ok(value);
            }
            #(#tries)*
            rt::Err(s::Odd)
        }
    };
    let found = kept.map(|_| quote!(, found: &mut rt::Option<s::FoundMembers>));
    let (hand_on, none) = (kept.map(|_| quote!(, found)), kept.map(|_| quote!(, &mut rt::None)));
    let written = straight.read_back(quote!(written_as(value, out, rt::None #none)));
    let writing = quote! {
        /// Appends the bytes of a value, if it is the plain case.
        pub(super) fn whole(value: &#root, out: &mut rt::Vec<u8>) -> s::Straight<()> {
            #written
        }

        /// The same, where it may be known which file that has to be.
        fn written_as<'v>(
            value: &'v #written_root,
            out: &mut rt::Vec<u8>,
            file: rt::Option<&'v [u8]>
            #found
        ) -> s::Straight<()> {
            check_root(value)?;
            write(value, out, file #hand_on)
        }
    };
    let entry = quote! {
        /// The value of a file, if it is the plain case.
        pub(super) fn file<'i, 'o, M: s::Mode<'i, 'o>>(
            bytes: &'i [u8],
            options: &::formwork::ReadOptions,
        ) -> s::Straight<#ty> {
            #whole
        }

        #writing
    };
    let tokens = module(straight, &[entry, reader.tokens, writer, checks])?;
    Ok(Emitted { tokens, doubt: reader.doubt })
}

/// The module where the reader alone tells whether a file is plain.
fn sealed(straight: &Straight<'_, '_>, parts: &[TokenStream]) -> Able<TokenStream> {
    let root = straight.value_ty(straight.model.root, &quote!('_));
    let written = straight.read_back(quote!(write(value, out, rt::None)));
    let whole = quote! {
        /// Appends the bytes of a value, if it is the plain case.
        pub(super) fn whole(value: &#root, out: &mut rt::Vec<u8>) -> s::Straight<()> {
            check_root(value)?;
            #written
        }
    };
    module(straight, &[whole, quote!(#(#parts)*)])
}

fn module(straight: &Straight<'_, '_>, parts: &[TokenStream]) -> Able<TokenStream> {
    let epoch = straight.epoch_function()?;
    let mut pieces = Pieces::new(straight.model);
    let types = |name: &str| straight.case_ty(name);
    let asked = straight.asked.functions(parts).into_iter();
    let asked: Vec<TokenStream> = asked.map(|function| pieces.outline(function, &types)).collect();
    let pieces = pieces.functions();
    let code = quote! {
        /// Readers and writers for files that have nothing unusual.
        mod straight {
            use ::formwork::__rt::{self as rt, s};

            #epoch
            #(#parts)*
            #(#asked)*
            #(#pieces)*
        }
    };
    Ok(names::named(code, straight.model))
}

/// The same for the types of an arena, in its module.
pub(super) fn emit_arena<'m>(shapes: &Shapes<'m>, views: &'m Layouts<'m>) -> Able<TokenStream> {
    for_layouts(shapes, views, Flavour::Arena, in_arena)
}

fn in_arena(straight: &Straight<'_, '_>) -> Able<TokenStream> {
    if straight.reads_back() {
        return unable("what depends on where a region ends");
    }
    let model = straight.model;
    let reader = read::emit(straight)?;
    if reader.doubt.is_some() {
        return unable("a reader that has to compare bytes");
    }
    straight.has_no_rules_of_bits()?;
    let checking = check::Checking::new(straight, false)?;
    let writer = write::emit(straight, &checking)?;
    let checks = check::emit(&checking, reader.doubt.is_none())?;
    let check = (!checking.is_within_writing()).then(|| quote!(check_root(value, arena)?;));
    let root = straight.value_ty(model.root, &quote!('_));
    // Unions that contain themselves are what large files consist of.
    let many = model.records().filter(|(id, record)| {
        record.recursive && matches!(straight.value_shape(*id), Shape::Choice(_))
    });
    let many = many.map(|(id, _)| straight.value_ty(id, &quote!('_)));
    let entry = quote! {
        /// The value of a file, if it is the plain case.
        pub(super) fn file(
            bytes: &[u8],
            options: &::formwork::ReadOptions,
        ) -> s::Straight<(#root, super::pools::Pools)> {
            let mut arena = super::pools::Pools::default();
            #(s::room_for::<#many, _>(&mut arena, bytes.len());)*
            let root = read(bytes, options, &mut arena)?;
            rt::Ok((root, arena))
        }

        /// The bytes of a value, if it is the plain case.
        pub(super) fn whole(
            value: &#root,
            arena: &super::pools::Pools,
            out: &mut rt::Vec<u8>,
        ) -> s::Straight<()> {
            #check
            write(value, arena, out, rt::None)
        }
    };
    module(straight, &[entry, reader.tokens, writer, checks])
}

#[cfg(test)]
mod tests {
    use crate::rust::{Options, emit};

    fn code(text: &str) -> String {
        let loaded = crate::load("test.kdl", text, None, &());
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics.all()));
        emit(&model, &Options::default())
    }

    #[test]
    fn structs_that_hold_each_other_twice_have_an_end() {
        let mut text = String::from("module t \"Test\" root=S0 endian=little\n");
        for level in 0..26 {
            text += &format!("struct S{level} {{ S{0} a; S{0} b }}\n", level + 1);
        }
        assert!(code(&(text + "struct S26 { u8 x }\n")).len() < 100_000);
    }

    #[test]
    fn names_of_fields_make_no_writer_slower() {
        for name in ["pos", "at", "cx"] {
            let text = format!(
                "module t \"Test\" root=File endian=little\n\
                 struct File {{ u8 n; Item items count=n }}\n\
                 struct Item 0x08 {{ u32 {name} 0x00; f32 x 0x04 }}\n"
            );
            assert!(code(&text).contains("chunks_exact_mut"), "{name}");
        }
    }
}
