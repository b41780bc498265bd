//! Rules over finished values: references, checks, lengths that two rows agree on.

use std::cell::RefCell;
use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::expr::{Place, known, target};
use super::{Able, Access, Frame, Scope, Straight, Unable, unable};
use crate::model::{
    ArrayLength, Check, CheckKind, Definer, DefinerScope, DefinerSource, Expr, Home, Measure,
    Member, Model, Path, RecordId, RecordKind, Reference, Role, Row, RowId, RunLength, Start, Step,
    Type, UnionId,
};
use crate::rust::shape::{Shape, strip};
use crate::rust::visit::{records, rows};

/// The function `check_root` and those that it calls.
pub(super) fn emit(straight: &Straight<'_, '_>) -> Able<TokenStream> {
    let mut checking = Checking { straight, busy: BTreeSet::new(), keys: RefCell::default() };
    // Begins with "nothing is to be checked", and goes on until nothing changes.
    loop {
        let mut found = Vec::new();
        for (id, _) in checking.functions() {
            if !checking.busy.contains(&id) && !checking.body(id)?.is_empty() {
                found.push(id);
            }
        }
        if found.is_empty() {
            break;
        }
        checking.busy.extend(found);
    }
    let mut functions = TokenStream::new();
    checking.keys.borrow_mut().clear();
    for (id, _) in checking.functions() {
        if checking.busy.contains(&id) {
            functions.extend(checking.function(id)?);
        }
    }
    let root = straight.model.root;
    let ty = straight.value_ty(root, &quote!('_));
    let (epochs, epoch) = (straight.epoch_generic(), straight.epoch_argument());
    let keys = checking.keys_struct()?;
    let call = if checking.busy.contains(&root) {
        let (name, made) = (format_ident!("check_{}", root.0), &keys.made);
        quote!(#made #name::<#epoch>(v, &keys))
    } else {
        quote!(rt::Ok(()))
    };
    let (items, dispatch) = (&keys.items, epoch_of(straight)?);
    Ok(quote! {
        /// Whether the rules of the format hold for a value.
        fn check_root(v: &#ty) -> s::Straight<()> {
            #dispatch
        }
        fn check_all<#epochs>(v: &#ty) -> s::Straight<()> {
            #call
        }
        #items
        #functions
    })
}

/// Calls `check_all` for the layout that a value has.
fn epoch_of(straight: &Straight<'_, '_>) -> Able<TokenStream> {
    if !straight.has_epochs() {
        return Ok(quote!(check_all(v)));
    }
    let arms = (0..straight.model.epochs.len()).map(|epoch| {
        let epoch = Literal::usize_unsuffixed(epoch);
        quote!(#epoch => check_all::<#epoch>(v),)
    });
    Ok(quote!(match epoch(v)? { #(#arms)* _ => rt::Err(s::Odd), }))
}

struct Checking<'s, 'p, 'm> {
    straight: &'s Straight<'p, 'm>,
    /// Records with rules, or that hold some.
    busy: BTreeSet<RecordId>,
    /// Fields of arrays that references name: the path and the field.
    keys: RefCell<Vec<(Path, String)>>,
}

struct Keys {
    items: TokenStream,
    made: TokenStream,
}

impl<'m> Checking<'_, '_, 'm> {
    /// Records that have a function: structs.
    fn functions(&self) -> Vec<(RecordId, &'m crate::model::Record)> {
        let model = self.straight.model;
        records(model).filter(|(_, record)| matches!(record.kind, RecordKind::Struct)).collect()
    }

    fn function(&self, id: RecordId) -> Able<TokenStream> {
        let straight = self.straight;
        let body = self.body(id)?;
        let name = format_ident!("check_{}", id.0);
        let ty = straight.value_ty(id, &quote!('_));
        let (epochs, params) = (straight.epoch_generic(), straight.params(id, &quote!()));
        // Values made by hand may be deeper than any file.
        let level =
            straight.record(id).recursive.then(|| quote!(let _level = keys.depth.enter()?;));
        Ok(quote! {
            fn #name<#epochs>(v: &#ty, keys: &Keys, #params) -> s::Straight<()> {
                #level
                #body
                rt::Ok(())
            }
        })
    }

    fn keys_struct(&self) -> Able<Keys> {
        let straight = self.straight;
        let root = straight.model.root;
        let keys = self.keys.borrow();
        let names: Vec<_> = (0..keys.len()).map(|number| format_ident!("k{number}")).collect();
        let mut made = TokenStream::new();
        for ((path, field), name) in keys.iter().zip(&names) {
            let scope = Scope { frames: vec![value_frame(root, quote!(v))], ..Scope::default() };
            let body = straight.by_epoch(|view, _| {
                straight.walk(&scope, view, path, true, &mut |place| {
                    let Place::List(list, Some(element)) = place else {
                        return unable("keys of something else");
                    };
                    let push = straight.element(&Some(element), quote!(element), &mut |place| {
                        let Place::Node(frame) = place else { return unable("keys of numbers") };
                        let record = straight.record(frame.record);
                        let found = rows(record).find(|(_, row)| row.name.as_ref() == Some(field));
                        let Some((row, _)) = found else { return unable("no such key") };
                        straight.row_place(view, &frame, row, &mut |place| match place {
                            Place::Number(number) => Ok(quote!(found.push(#number);)),
                            _ => unable("keys that are no numbers"),
                        })
                    })?;
                    Ok(quote!(for element in #list.iter() { #push }))
                })
            })?;
            made.extend(quote! {
                let mut found: rt::Vec<i128> = rt::Vec::new();
                #body
                let #name = s::KeySet::new(found.into_iter(), false)?;
            });
        }
        Ok(Keys {
            items: quote! {
                struct Keys { depth: s::Depth, #(#names: s::KeySet,)* }
            },
            made: quote!(#made let keys = Keys { depth: s::Depth::default(), #(#names,)* };),
        })
    }

    fn body(&self, id: RecordId) -> Able<TokenStream> {
        let mut scope = Scope { frames: self.straight.enclosing_frames(id), ..Scope::default() };
        scope.frames.push(value_frame(id, quote!(v)));
        self.straight.by_epoch(|view, epoch| self.rows(&scope, view, epoch))
    }

    /// Rules of the node that a scope is in, and of all that it holds.
    fn rows(&self, scope: &Scope<'_>, view: &'m Model, epoch: usize) -> Able<TokenStream> {
        let Some(frame) = scope.frames.last() else { return unable("no node") };
        let record = &view.records[frame.record.index()];
        let mut tokens = TokenStream::new();
        for (id, row) in rows(record) {
            if matches!(row.homes.get(epoch), Some(Home::Absent)) {
                continue;
            }
            tokens.extend(self.row(scope, view, frame, id, row, epoch)?);
        }
        for check in &record.checks {
            tokens.extend(self.rule(scope, view, check)?);
        }
        Ok(tokens)
    }

    fn row(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        frame: &Frame,
        id: RowId,
        row: &'m Row,
        epoch: usize,
    ) -> Able<TokenStream> {
        let straight = self.straight;
        let mut tokens = TokenStream::new();
        if let Some(field) = straight.shapes.field(frame.record, id) {
            let Access::Value(value) = &frame.access else { return unable("no value") };
            let ident = &field.ident;
            let inside = if straight.shapes.is_transparent(frame.record) {
                value.clone()
            } else {
                quote!((&#value.#ident))
            };
            if matches!(field.shape, Shape::Kept(_)) {
                // Straight code has only canonical ones, which the equation makes.
                return match row.checks.is_empty() && row.reference.is_none() {
                    true => Ok(tokens),
                    false => unable("rules for a number that may be kept"),
                };
            }
            tokens.extend(straight.unwrapped(&field.shape, inside, &mut |shape, value| {
                self.value(scope, view, (frame.record, id), row, shape, &value, epoch)
            })?);
        } else if !row.checks.is_empty() || row.reference.is_some() {
            tokens.extend(straight.row_place(view, frame, id, &mut |place| match place {
                Place::Number(number) => self.scalar(scope, view, row, number),
                _ => unable("rules for something else"),
            })?);
        }
        Ok(tokens)
    }

    #[allow(clippy::too_many_arguments)]
    fn value(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        place: (RecordId, RowId),
        row: &'m Row,
        shape: &Shape,
        value: &TokenStream,
        epoch: usize,
    ) -> Able<TokenStream> {
        let straight = self.straight;
        if let Some(scalar) = straight.scalar(shape, value) {
            return match scalar {
                Place::Number(number) => self.scalar(scope, view, row, number),
                Place::Truth(truth) => self.scalar(scope, view, row, quote!(i128::from(#truth))),
                _ => Ok(TokenStream::new()),
            };
        }
        let mut tokens = TokenStream::new();
        let ty = target(&row.ty);
        match ty {
            Type::Array(array) => {
                if row.unique {
                    return unable("an array without equal elements");
                }
                if let ArrayLength::Count(count) = &array.length
                    && !self.is_trivial(view, place, row, count)
                {
                    let count = straight.length(scope, view, count)?;
                    tokens.extend(quote!(s::holds(#value.len() == #count)?;));
                }
                let (Shape::List(inner) | Shape::Fixed(inner, _)) = shape else {
                    return unable("an array in another shape");
                };
                if let Type::Record(element) = target(&array.element) {
                    tokens.extend(self.distinct(view, *element, inner, value)?);
                }
                let each = straight.unwrapped(inner, quote!(element), &mut |shape, value| {
                    self.inner(scope, view, row, &array.element, shape, &value, epoch)
                })?;
                if !each.is_empty() {
                    tokens.extend(quote!(for element in #value.iter() { #each }));
                }
            }
            Type::Run(run) => {
                if !row.checks.is_empty() {
                    return unable("rules for a text");
                }
                if let RunLength::Count(count) = &run.length
                    && !self.is_trivial(view, place, row, count)
                {
                    let count = straight.length(scope, view, count)?;
                    tokens.extend(quote!(s::holds(#value.len() == #count)?;));
                }
            }
            _ => tokens.extend(self.inner(scope, view, row, &row.ty, shape, value, epoch)?),
        }
        Ok(tokens)
    }

    /// What is inside of a row or of an element.
    #[allow(clippy::too_many_arguments)]
    fn inner(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        row: &'m Row,
        ty: &'m Type,
        shape: &Shape,
        value: &TokenStream,
        epoch: usize,
    ) -> Able<TokenStream> {
        let straight = self.straight;
        if let Some(scalar) = straight.scalar(shape, value) {
            return match scalar {
                Place::Number(number) => self.scalar(scope, view, row, number),
                _ => Ok(TokenStream::new()),
            };
        }
        match target(ty) {
            Type::Record(inner) if self.busy.contains(inner) => {
                let name = format_ident!("check_{}", inner.0);
                let arguments = straight.arguments(scope, *inner)?;
                let epoch = straight.epoch_argument();
                Ok(quote!(#name::<#epoch>(#value, keys, #arguments)?;))
            }
            Type::Union(union) => self.union(scope, view, *union, value, epoch),
            Type::Array(_) => unable("arrays in arrays"),
            // Floats and texts have rules too.
            _ if !row.checks.is_empty() => unable("rules for something that is no number"),
            _ => Ok(TokenStream::new()),
        }
    }

    fn union(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        union: UnionId,
        value: &TokenStream,
        epoch: usize,
    ) -> Able<TokenStream> {
        let mut arms = TokenStream::new();
        for case in &view.unions[union.index()].cases {
            let Some((pattern, frame)) = self.straight.case_frame(union, case.record) else {
                continue;
            };
            if case.guard.is_some() {
                arms.extend(quote!(#pattern => return rt::Err(s::Odd),));
                continue;
            }
            let body = if case.whole {
                // The struct stands for the whole union, and is not inside of the case.
                let Access::Value(value) = &frame.access else { return unable("no value") };
                if self.busy.contains(&case.record) {
                    let name = format_ident!("check_{}", case.record.0);
                    let arguments = self.straight.arguments(scope, case.record);
                    let epoch = self.straight.epoch_argument();
                    arguments.map(|a| quote!(#name::<#epoch>(#value, keys, #a)?;))
                } else {
                    Ok(TokenStream::new())
                }
            } else {
                self.rows(&scope.within(frame), view, epoch)
            };
            match body {
                Ok(body) if body.is_empty() => {}
                Ok(body) => arms.extend(quote!(#pattern => { #body })),
                Err(Unable(_)) => arms.extend(quote!(#pattern => return rt::Err(s::Odd),)),
            }
        }
        if arms.is_empty() {
            return Ok(arms);
        }
        Ok(quote!(match #value { #arms _ => {} }))
    }

    /// Rules of a number.
    fn scalar(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        row: &Row,
        number: TokenStream,
    ) -> Able<TokenStream> {
        let mut tokens = TokenStream::new();
        if !row.checks.is_empty() {
            let scope = Scope { it: Some(quote!(it)), ..scope.clone() };
            let rules = row.checks.iter().map(|check| self.rule(&scope, view, check));
            let rules = rules.collect::<Able<TokenStream>>()?;
            tokens.extend(quote!({ let it: i128 = #number; #rules }));
        }
        if let Some(reference) = &row.reference {
            tokens.extend(self.reference(scope, view, reference, &number)?);
        }
        Ok(tokens)
    }

    fn reference(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        reference: &Reference,
        number: &TokenStream,
    ) -> Able<TokenStream> {
        if reference.filter.is_some() {
            return unable("references to some elements");
        }
        if let Some(field) = &reference.field {
            if !matches!(reference.array.start, Start::Root) {
                return unable("references to keys that are not the root's");
            }
            let mut keys = self.keys.borrow_mut();
            let known = keys
                .iter()
                .position(|(path, name)| path.text == reference.array.text && name == field);
            let number_of = known.unwrap_or_else(|| {
                keys.push((reference.array.clone(), field.clone()));
                keys.len() - 1
            });
            let set = format_ident!("k{number_of}");
            return Ok(quote!(s::holds(keys.#set.has(#number))?;));
        }
        let mut last = TokenStream::new();
        let found =
            self.straight.walk(scope, view, &reference.array, false, &mut |place| match place {
                Place::List(list, ..) => {
                    last = quote!((#number) < #list.len() as i128);
                    Ok(quote!(held = #last;))
                }
                _ => unable("references to something else"),
            })?;
        if found.to_string() == quote!(held = #last;).to_string() {
            return Ok(quote!(s::holds(#last)?;));
        }
        Ok(quote!({ let mut held = false; #found s::holds(held)?; }))
    }

    fn rule(&self, scope: &Scope<'_>, view: &'m Model, check: &Check) -> Able<TokenStream> {
        let straight = self.straight;
        let it = scope.it.as_ref();
        let stated =
            |expr: &Expr| -> Able<TokenStream> { Ok(known(&straight.number(scope, view, expr)?)) };
        let held = match (&check.kind, it) {
            (CheckKind::Holds(expr), _) => straight.truth(scope, view, expr)?,
            (CheckKind::Min(expr), Some(it)) => {
                let least = stated(expr)?;
                quote!(#it >= #least)
            }
            (CheckKind::Max(expr), Some(it)) => {
                let most = stated(expr)?;
                quote!(#it <= #most)
            }
            (CheckKind::OneOf(list), Some(it)) => {
                let each = list.iter().map(stated).collect::<Able<Vec<_>>>()?;
                quote!(#(#it == #each)||*)
            }
            (CheckKind::Equals(expr), Some(it)) => {
                let wanted = stated(expr)?;
                quote!(#it == #wanted)
            }
            _ => return unable("a rule"),
        };
        if held.to_string() == "true" {
            return Ok(TokenStream::new());
        }
        Ok(quote!(s::holds(#held)?;))
    }

    /// Fields of elements of which no two may be equal.
    fn distinct(
        &self,
        view: &'m Model,
        element: RecordId,
        shape: &Shape,
        value: &TokenStream,
    ) -> Able<TokenStream> {
        let straight = self.straight;
        let mut tokens = TokenStream::new();
        for (id, row) in rows(&view.records[element.index()]) {
            if !row.unique || matches!(strip(&row.ty), Type::Array(_)) {
                continue;
            }
            let push = straight.unwrapped(shape, quote!(element), &mut |_, value| {
                let frame = value_frame(element, value);
                straight.row_place(view, &frame, id, &mut |place| match place {
                    Place::Number(number) => Ok(quote!(found.push(#number);)),
                    _ => unable("unique texts"),
                })
            })?;
            tokens.extend(quote! {
                let mut found: rt::Vec<i128> = rt::Vec::new();
                for element in #value.iter() { #push }
                s::KeySet::new(found.into_iter(), true)?;
            });
        }
        Ok(tokens)
    }

    /// Whether a length follows from this very row, so that it cannot be another.
    fn is_trivial(
        &self,
        view: &Model,
        (record, id): (RecordId, RowId),
        row: &Row,
        count: &Expr,
    ) -> bool {
        // The forms of a case have the rows that say how long theirs are.
        if matches!(row.role, Role::Elsewhere) {
            return true;
        }
        let Expr::Path(path) = count else { return false };
        let [Step::Field(field)] = path.steps.as_slice() else { return false };
        let holder = match path.start {
            Start::This => Some(record),
            Start::Up(1) => self.straight.owner(record),
            _ => None,
        };
        let Some(holder) = holder else { return false };
        let found = field.members.iter().find(|(record, _)| *record == holder);
        let Some((_, members)) = found else { return false };
        let [Member::Row(number)] = members.as_slice() else { return false };
        let number = &view.records[holder.index()].rows[number.index()];
        matches!(number.role, Role::Derived)
            && number.definers.iter().any(|definer| self.defines(definer, holder, record, id))
    }

    fn defines(&self, definer: &Definer, holder: RecordId, record: RecordId, id: RowId) -> bool {
        let plain = matches!(
            &definer.source,
            DefinerSource::Measure { measure: Measure::Count, row, factor: 1, offset: 0 }
                if *row == id
        );
        let here = match &definer.scope {
            DefinerScope::Own => holder == record,
            DefinerScope::Case(row, case) => {
                let ty = &self.straight.record(holder).rows[row.index()].ty;
                crate::rust::visit::union_in(ty).is_some_and(|union| {
                    let cases = &self.straight.model.unions[union.index()].cases;
                    cases.get(*case as usize).is_some_and(|case| case.record == record)
                })
            }
            DefinerScope::Owner(..) => false,
        };
        plain && here
    }
}

fn value_frame(record: RecordId, value: TokenStream) -> Frame {
    Frame { record, access: Access::Value(value), at: None, index: None }
}
