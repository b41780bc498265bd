//! Passes: parts of the layouts of structs farther in, which the layout of a struct around runs.
//!
//! What a pass goes through was placed before, so its address is in the pointer that leads there. And
//! as an object may be placed by this statement or by that one, it is counted what is still to be
//! placed.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::place::{Part, collect};
use super::writer::{Node, Src, Task, Writer};
use crate::model::{PointerType, Record, RecordId, RowId, Statement, Storage, Target, Type};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};

/// Whether passes place what a record owns, or one statement or another that says the same path.
pub(super) fn is_placed_by_turns(record: &Record) -> bool {
    let mut all = BTreeSet::new();
    let twice = record.layout.iter().any(|statement| {
        let mut found = Vec::new();
        collect(std::slice::from_ref(statement), &mut found);
        found.retain(|(_, part)| matches!(part, Part::Record | Part::Put));
        let paths: BTreeSet<String> = found.into_iter().map(|(path, _)| path).collect();
        paths.into_iter().any(|path| !all.insert(path))
    });
    twice || !record.passes.is_empty()
}

/// How deep passes that run passes are looked into.
const MOST_PASSES: u32 = 8;

/// A pass, and where what it goes through is.
struct Run<'a> {
    pass: &'a str,
    at: &'a TokenStream,
    /// Its position in the array around it.
    index: Option<&'a TokenStream>,
}

impl<'m> Writer<'_, '_, 'm> {
    /// Runs a pass of what is in a row.
    pub(super) fn run_row(&self, node: &Node<'m>, id: RowId, pass: &str) -> Able<TokenStream> {
        let row = node.row(id);
        if !self.has_pass(&row.ty, pass, 0) {
            return Ok(quote!());
        }
        if matches!(row.kind, crate::model::RowKind::Object { .. }) {
            return unable("a pass of an object at an address");
        }
        let Some(src) = self.field(node, id) else { return unable("a pass through no field") };
        let at = self.row_at(node, id)?;
        let run = Run { pass, at: &at, index: None };
        self.locals.about(row, || self.run(node, &row.ty, &src, &run))
    }

    /// Runs a pass of what is in a value of a type at an address.
    fn run(&self, node: &Node<'m>, ty: &'m Type, src: &Src, run: &Run<'_>) -> Able<TokenStream> {
        let code = &src.code;
        let Some(Shape::Option(inner)) = &src.shape else {
            return self.run_there(node, ty, src, run);
        };
        let x = self.fresh("x");
        let some = self.src(quote!(#x), (**inner).clone());
        let body = self.run(node, ty, &some, run)?;
        Ok(quote!(if let rt::Some(#x) = #code { #body }))
    }

    /// The same for something that is there.
    fn run_there(
        &self,
        node: &Node<'m>,
        ty: &'m Type,
        src: &Src,
        run: &Run<'_>,
    ) -> Able<TokenStream> {
        let (code, &Run { pass, at, index }) = (&src.code, run);
        match (&src.shape, ty.stripped()) {
            (Some(Shape::Boxed(inner)), _) => {
                let src = self.src(self.straight.unboxed(code), (**inner).clone());
                self.run(node, ty, &src, run)
            }
            (_, Type::Pointer(pointer)) => {
                let Target::Own(target) = &pointer.target else { return Ok(quote!()) };
                let (led, start) = (self.led(node, pointer, at)?, self.fresh("led"));
                let run = Run { at: &quote!(#start), ..*run };
                let body = self.run(node, target, src, &run)?;
                let body = quote!({ let #start = #led; #body });
                Ok(match src.shape {
                    // There may be no address.
                    Some(Shape::List(_)) => quote!(if !#code.is_empty() #body),
                    _ => body,
                })
            }
            (_, Type::Record(record)) => self.by_order(node, *record, src, &mut |node| {
                let inner = self.inside(node, *record, src, at.clone(), index.cloned())?;
                let passes = &inner.record().passes;
                let Some(number) = passes.iter().position(|(name, _)| name == pass) else {
                    return Ok(quote!());
                };
                let task = Task::Pass(u32::try_from(number).unwrap_or(u32::MAX));
                self.call(task, node, *record, &inner.value, index, &quote!(#at,))
            }),
            (Some(Shape::List(inner) | Shape::Fixed(inner, _)), Type::Array(array)) => {
                let Some(size) = self.size(node, &array.element) else {
                    return unable("a pass through elements of no fixed size");
                };
                let (i, base, name) = (self.fresh("i"), self.fresh("base"), self.fresh("e"));
                let x = self.src(quote!(#name), (**inner).clone());
                let element = quote!((#base + #i as u64 * #size));
                let run = Run { at: &element, index: Some(&quote!(#i)), pass };
                let body = self.run(node, &array.element, &x, &run)?;
                Ok(quote! {
                    let #base = #at;
                    for (#i, #name) in #code.iter().enumerate() { #body }
                })
            }
            _ => unable("a pass through something else"),
        }
    }

    /// Whether structs in a type, or behind its pointers, have a pass that does something in files of
    /// the layout at hand.
    fn has_pass(&self, ty: &Type, pass: &str, depth: u32) -> bool {
        let works = |id: RecordId| {
            let mut passes = self.straight.record(id).passes.iter();
            passes.any(|(name, statements)| name == pass && self.work(statements, depth))
        };
        ty.parts().any(|part| match part {
            Type::Record(id) => works(*id),
            Type::Union(id) => {
                self.model.unions[id.index()].cases.iter().any(|case| works(case.record))
            }
            _ => false,
        })
    }

    fn work(&self, statements: &[Statement], depth: u32) -> bool {
        // Who goes round in a circle is taken to do something.
        depth > MOST_PASSES
            || statements.iter().any(|statement| match statement {
                Statement::When(condition, then, otherwise) => {
                    match self.straight.decided(*condition) {
                        Some(true) => self.work(then, depth),
                        Some(false) => self.work(otherwise, depth),
                        None => self.work(then, depth) || self.work(otherwise, depth),
                    }
                }
                Statement::Run(pass, path) => {
                    let rows = path.steps.last().map(|step| step.rows.as_slice());
                    rows.unwrap_or_default().iter().any(|(record, row)| {
                        let ty = &self.straight.record(*record).rows[row.index()].ty;
                        self.has_pass(ty, pass, depth + 1)
                    })
                }
                _ => true,
            })
    }

    /// Where the pointer at an address leads, which has its number.
    pub(super) fn led(
        &self,
        node: &Node<'m>,
        pointer: &'m PointerType,
        at: &TokenStream,
    ) -> Able<TokenStream> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let cell = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let (Storage::Fixed(int), None, 0, 1) = (cell.storage, kind.base, kind.skip, kind.unit)
        else {
            return unable("a way through a pointer that is no plain address");
        };
        let (width, big) = (int.bytes, self.is_big(node, &int));
        Ok(quote!(cx.led(#at, #width, #big)?))
    }
}
