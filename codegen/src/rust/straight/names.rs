//! Gives functions and locals the names of what they are for.
//!
//! While code is made, names have numbers, which say exactly what is meant: `read__3` reads record 3,
//! `n__3_1` is the number in its row 1, and `b7__width` the seventh local, bytes for a row `width`.
//! When all of it is there, each gets a name that nothing else has: `read_room`, `n_room_width`,
//! `width_block`. No name of a schema has two underscores in it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Group, Ident, TokenStream, TokenTree};

use crate::model::{Model, RecordId, RowId};
use crate::rust::names::snake;

/// The same code, with the names that people read.
pub(super) fn named(code: TokenStream, model: &Model) -> TokenStream {
    let (taken, common, locals) = Default::default();
    let mut names = Names { model, taken, common, locals };
    names.take(&code);
    names.named(code)
}

/// The names that code has.
struct Names<'m> {
    model: &'m Model,
    /// All that stand in it and stay.
    taken: BTreeSet<String>,
    /// Those that functions have got, and what is named in more than one.
    common: Given,
    /// Those that the locals of the function at hand have got.
    locals: Given,
}

/// Names, each by the one that it stands for.
#[derive(Default)]
struct Given {
    names: BTreeMap<String, String>,
    taken: BTreeSet<String>,
}

impl Given {
    fn give(&mut self, old: String, name: &str) {
        self.names.insert(old, name.to_owned());
        self.taken.insert(name.to_owned());
    }
}

impl Names<'_> {
    fn take(&mut self, code: &TokenStream) {
        for token in code.clone() {
            match token {
                TokenTree::Group(group) => self.take(&group.stream()),
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    if !name.contains("__") {
                        self.taken.insert(name);
                    }
                }
                _ => {}
            }
        }
    }

    fn named(&mut self, code: TokenStream) -> TokenStream {
        let each = code.into_iter().map(|token| match token {
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), self.named(group.stream())))
            }
            TokenTree::Ident(ident) => {
                if ident == "fn" {
                    self.locals = Given::default();
                }
                TokenTree::Ident(self.name(ident))
            }
            other => other,
        });
        each.collect()
    }

    fn name(&mut self, ident: Ident) -> Ident {
        let text = ident.to_string();
        let Some((head, rest)) = text.split_once("__") else { return ident };
        let known = self.common.names.get(&text).or_else(|| self.locals.names.get(&text));
        if let Some(name) = known {
            return Ident::new(name, ident.span());
        }
        let (wanted, is_local) = match (local(head, rest), self.wanted(head, rest)) {
            (Some(wanted), _) => (wanted, true),
            (None, Some(wanted)) => (wanted, false),
            (None, None) => return ident,
        };
        let name = self.free(&wanted);
        let given = if is_local { &mut self.locals } else { &mut self.common };
        given.give(text, &name);
        Ident::new(&name, ident.span())
    }

    /// What a name with numbers of a record, and perhaps of a row, is to be.
    fn wanted(&self, head: &str, rest: &str) -> Option<String> {
        let (number, rest) = match rest.split_once('_') {
            Some((number, rest)) => (number, Some(rest)),
            None => (rest, None),
        };
        let id = RecordId(number.parse().ok()?);
        let record = self.model.records.get(id.index())?;
        let label = snake(&record.name);
        let Some(rest) = rest else { return Some(format!("{head}_{label}")) };
        let row = rest.parse().ok().map(RowId).filter(|_| matches!(head, "made" | "n" | "v" | "x"));
        let name = row.and_then(|row| record.rows.get(row.index())?.name.as_deref());
        Some(format!("{head}_{label}_{}", name.map_or_else(|| rest.to_owned(), snake)))
    }

    /// A name that nothing has which can be seen from where this one is to stand.
    fn free(&self, wanted: &str) -> String {
        let numbers = (2_u32..).map(|number| format!("{wanted}_{number}"));
        core::iter::once(wanted.to_owned())
            .chain(numbers)
            .find(|name| {
                let given = [&self.taken, &self.common.taken, &self.locals.taken];
                !given.iter().any(|taken| taken.contains(name))
            })
            .unwrap_or_default()
    }
}

/// What a local is to be called, of which `head` has the kind and a number, and `about` what it is for.
fn local(head: &str, about: &str) -> Option<String> {
    let kind = head.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if kind.len() == head.len() {
        return None;
    }
    let what = match kind {
        "a" => "at",
        "b" => "block",
        "c" => "number",
        "f" => "value",
        "i" => "index",
        "n" => "offset",
        "o" => "chain",
        "p" => "part",
        "r" => "bytes",
        "t" => "text",
        "u" => "length",
        "v" => "list",
        "w" => "word",
        other => other,
    };
    Some(format!("{about}_{what}"))
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn model() -> Model {
        let text = "module t \"Test\" root=File endian=little\n\
            struct File { Room all count=2; Room2 other }\n\
            struct Room { u8 firstWidth; zero size=1 }\n\
            struct Room2 { u8 x }\n";
        let loaded = crate::load("test.kdl", text, None, &());
        loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics.all()))
    }

    #[track_caller]
    fn becomes(code: TokenStream, expected: TokenStream) {
        assert_eq!(named(code, &model()).to_string(), expected.to_string());
    }

    #[test]
    fn functions_are_named_after_structs() {
        let code = quote!(
            fn read__1() {
                read__2_be(n__1_0, v__0_0)
            }
        );
        becomes(
            code,
            quote!(
                fn read_room() {
                    read_room2_be(n_room_first_width, v_file_all)
                }
            ),
        );
    }

    #[test]
    fn locals_are_named_after_rows_in_each_function() {
        let code = quote! {
            fn a() { let b1__x = 1; let b2__x = b1__x; }
            fn b() { let b2__x = 1; }
        };
        becomes(
            code,
            quote! {
                fn a() { let x_block = 1; let x_block_2 = x_block; }
                fn b() { let x_block = 1; }
            },
        );
    }

    #[test]
    fn names_that_stand_there_are_left_alone() {
        let code = quote!(
            fn read__1() {
                let b1__x = read_room;
                f(Room { x_block: b1__x })
            }
        );
        becomes(
            code,
            quote!(
                fn read_room_2() {
                    let x_block_2 = read_room;
                    f(Room { x_block: x_block_2 })
                }
            ),
        );
    }
}
