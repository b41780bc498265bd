//! Gives functions and locals the names of what they are for.
//!
//! While code is made, names have numbers, which say exactly what is meant: `read__3` reads record 3,
//! `text__0` texts of one kind, `n__3_1` is the number in its row 1, and `b7__width` the seventh local,
//! bytes for a row `width`.
//! When all of it is there, each gets a name that nothing else has: `read_room`, `n_width`,
//! `width_block`. No name of a schema has two underscores in it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use crate::model::{Model, RecordId, RowId};
use crate::rust::names::{is_keyword, snake};

/// The same code, with the names that people read.
pub(super) fn named(code: TokenStream, model: &Model) -> TokenStream {
    let (taken, last, common, locals) = Default::default();
    let at = Position::default();
    let mut names = Names { model, taken, last, common, locals, at };
    names.take(&code);
    names.at = Position::default();
    names.named(code)
}

/// The names that code has.
struct Names<'m> {
    model: &'m Model,
    /// All that stand in it and stay.
    taken: BTreeSet<String>,
    /// Where each local stands for the last time, by the function.
    last: BTreeMap<(usize, String), usize>,
    /// Those that functions have got, and what is named in more than one.
    common: Given,
    /// Those that the locals of the function at hand have got.
    locals: Given,
    at: Position,
}

/// How far the code has been gone through.
#[derive(Default)]
struct Position {
    functions: usize,
    names: usize,
}

impl Position {
    fn pass(&mut self, name: &Ident) {
        self.functions += usize::from(name == "fn");
        self.names += 1;
    }
}

/// Names, each by the one that it stands for.
#[derive(Default)]
struct Given {
    names: BTreeMap<String, String>,
    /// Where each is needed for the last time. Behind that, another local may have it, whether it
    /// hides the first one or stands where that is not seen.
    taken: BTreeMap<String, usize>,
}

impl Given {
    fn give(&mut self, old: String, name: &str, last: usize) {
        self.names.insert(old, name.to_owned());
        self.taken.insert(name.to_owned(), last);
    }

    fn is_taken(&self, name: &str, at: usize) -> bool {
        self.taken.get(name).is_some_and(|last| *last >= at)
    }
}

impl Names<'_> {
    fn take(&mut self, code: &TokenStream) {
        // What comes next in brackets are the parameters of a function.
        let mut takes = false;
        for token in code.clone() {
            match token {
                TokenTree::Group(group) => {
                    self.take(&group.stream());
                    if takes && group.delimiter() == Delimiter::Parenthesis {
                        takes = false;
                        self.keep_apart(&group.stream());
                    }
                }
                TokenTree::Ident(ident) => {
                    self.at.pass(&ident);
                    takes |= ident == "fn";
                    let name = ident.to_string();
                    if name.contains("__") {
                        self.last.insert((self.at.functions, name), self.at.names);
                    } else {
                        self.taken.insert(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// Parameters are there together, also those that nothing asks for.
    fn keep_apart(&mut self, params: &TokenStream) {
        for token in params.clone() {
            if let TokenTree::Ident(ident) = token {
                let last = self.last.get_mut(&(self.at.functions, ident.to_string()));
                if let Some(last) = last {
                    *last = self.at.names;
                }
            }
        }
    }

    fn named(&mut self, code: TokenStream) -> TokenStream {
        let each = code.into_iter().map(|token| match token {
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), self.named(group.stream())))
            }
            TokenTree::Ident(ident) => {
                self.at.pass(&ident);
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
            (None, Some(wanted)) => (wanted, matches!(head, "n" | "v")),
            (None, None) => return ident,
        };
        // The word alone, where nothing has it.
        let word = match wanted.strip_suffix("_item") {
            Some(several) if is_local => singular(several),
            _ => {
                self.of_row(head, rest).or_else(|| wanted.strip_suffix("_case").map(str::to_owned))
            }
        };
        let name = match word.filter(|word| self.is_free(word)) {
            Some(word) => word,
            None => self.free(&wanted),
        };
        let last = (self.at.functions, text);
        match self.last.get(&last) {
            Some(at) if is_local => self.locals.give(last.1, &name, *at),
            _ => self.common.give(last.1, &name, usize::MAX),
        }
        Ident::new(&name, ident.span())
    }

    /// What a name with numbers of a record, and perhaps of a row, is to be.
    fn wanted(&self, head: &str, rest: &str) -> Option<String> {
        let (number, rest) = match rest.split_once('_') {
            Some((number, rest)) => (number, Some(rest)),
            None => (rest, None),
        };
        let number: u32 = number.parse().ok()?;
        if matches!(head, "text" | "bytes") {
            return Some(format!("read_{head}"));
        }
        let id = RecordId(number);
        let record = self.model.records.get(id.index())?;
        let label = snake(&record.name);
        let verb = match head {
            "block" | "case" | "arm" => "read",
            "one" => "put",
            other => other,
        };
        // The width of what a case is in is no part of the name.
        let rest = match rest.filter(|rest| head == "case" && rest.starts_with('w')) {
            Some(width) => width.split_once('_').map(|(_, order)| order),
            None => rest,
        };
        let Some(rest) = rest else {
            return Some(match head {
                // Of the name of a case, what is behind that of its union.
                "c" => format!("{}_case", snake(record.name.rsplit('.').next().unwrap_or(""))),
                _ => format!("{verb}_{label}"),
            });
        };
        if head == "ask" {
            // Those of other layouts are numbered.
            let (kind, number) = rest.split('_').next()?.split_at_checked(1)?;
            let number: usize = number.parse().ok()?;
            let name = match kind {
                "l" => &record.lets.get(number)?.name,
                _ => record.rows.get(number)?.name.as_ref()?,
            };
            // A piece of one has words besides.
            let is_word = |part: &&str| !part.starts_with(|c: char| c.is_ascii_digit());
            let words = rest.split('_').skip(1).filter(is_word);
            let words: String = words.map(|word| format!("_{word}")).collect();
            return Some(format!("{label}_{}{words}", snake(name)));
        }
        // Pieces of functions that do the same for a row or a case are numbered.
        let rest = match rest.rsplit_once('k') {
            Some(("", _)) => return Some(format!("{verb}_{label}")),
            Some((row, _)) if row.ends_with('_') => row.trim_end_matches('_'),
            _ => rest,
        };
        let names_rows = matches!(
            head,
            "fill" | "hold" | "made" | "n" | "v" | "x" | "put" | "read" | "tail" | "run"
        );
        let name_of = |number: &str| {
            let row = number.parse().ok().map(RowId).filter(|_| names_rows)?;
            record.rows.get(row.index())?.name.as_deref().map(snake)
        };
        let several = |(first, last)| Some(format!("{}_to_{}", name_of(first)?, name_of(last)?));
        let name = name_of(rest).or_else(|| rest.split_once("_to_").and_then(several));
        Some(format!("{verb}_{label}_{}", name.unwrap_or_else(|| rest.to_owned())))
    }

    /// The name of what is read for a row, without that of its record.
    fn of_row(&self, head: &str, rest: &str) -> Option<String> {
        let (record, row) = rest.split_once('_').filter(|_| matches!(head, "n" | "v"))?;
        let (record, row) = (RecordId(record.parse().ok()?), RowId(row.parse().ok()?));
        let row = self.model.records.get(record.index())?.rows.get(row.index())?;
        Some(format!("{head}_{}", snake(row.name.as_deref()?)))
    }

    /// A name that nothing has which can be seen from where this one is to stand.
    fn free(&self, wanted: &str) -> String {
        if self.is_free(wanted) {
            return wanted.to_owned();
        }
        let mut numbers = (2_u32..).map(|number| format!("{wanted}_{number}"));
        numbers.find(|name| !self.is_had(name)).unwrap_or_default()
    }

    fn is_free(&self, name: &str) -> bool {
        !is_keyword(name) && !self.is_had(name)
    }

    fn is_had(&self, name: &str) -> bool {
        let given = [&self.common, &self.locals];
        self.taken.contains(name) || given.iter().any(|given| given.is_taken(name, self.at.names))
    }
}

/// The word for one of several.
fn singular(several: &str) -> Option<String> {
    let one = match several.strip_suffix("ies") {
        Some(head) => format!("{head}y"),
        None => several.strip_suffix('s').filter(|one| !one.ends_with('s'))?.to_owned(),
    };
    (one.len() > 1).then_some(one)
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
        "e" => "item",
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
        "x" => "value",
        other => other,
    };
    let about = match kind {
        "i" => singular(about).unwrap_or_else(|| about.to_owned()),
        _ => about.to_owned(),
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
                    read_room2_be(n_first_width, v_all)
                }
            ),
        );
    }

    /// Functions that differ in what they are handed read the same.
    #[test]
    fn functions_that_read_are_called_so() {
        let code = quote! {
            fn block__1() { case__2(text__0) }
            fn case__2() { case__2_w8(case__2_w8_be) }
        };
        becomes(
            code,
            quote! {
                fn read_room() { read_room2(read_text) }
                fn read_room2() { read_room2_2(read_room2_be) }
            },
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
    fn rows_of_two_structs_are_told_apart() {
        let code = quote! {
            fn a() { f(n__1_0, n__2_0, v__2_0); }
            fn b() { let n__2_0 = 1; }
        };
        becomes(
            code,
            quote! {
                fn a() { f(n_first_width, n_x, v_x); }
                fn b() { let n_x = 1; }
            },
        );
        let model = {
            let text = "module t \"Test\" root=A endian=little\nstruct A { u8 x; B b }\nstruct B { u8 x }\n";
            crate::load("test.kdl", text, None, &()).model.expect("it is good")
        };
        let code = quote! {
            fn a(n__0_0: u8, n__1_0: u8) {}
            fn b() { f(n__0_0, n__1_0, n__0_0); }
        };
        let expected = quote! {
            fn a(n_x: u8, n_b_x: u8) {}
            fn b() { f(n_x, n_b_x, n_x); }
        };
        assert_eq!(named(code, &model).to_string(), expected.to_string());
    }

    /// What is not needed any more leaves its name to others.
    #[test]
    fn names_are_free_behind_the_last_place_of_a_local() {
        let code = quote! {
            for (i0__rooms, e1__rooms) in all { f(i0__rooms, e1__rooms); }
            for (i2__rooms, e3__rooms) in all { for e4__rooms in e3__rooms { g(e3__rooms, i2__rooms); } }
        };
        becomes(
            code,
            quote! {
                for (room_index, room) in all { f(room_index, room); }
                for (room_index, room) in all { for rooms_item in room { g(room, room_index); } }
            },
        );
    }

    #[test]
    fn elements_have_the_word_for_one() {
        let one = |several| singular(several).unwrap_or_default();
        assert_eq!(one("entries"), "entry");
        assert_eq!(one("rooms"), "room");
        assert_eq!([one("glass"), one("data"), one("s")], [""; 3]);
        let code = quote!(for e0__types in all {
            match e0__types {
                A(c__1) => c__1,
                B(c__2) => c__2,
            }
        });
        becomes(
            code,
            quote!(for types_item in all {
                match types_item {
                    A(room) => room,
                    B(room2) => room2,
                }
            }),
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
