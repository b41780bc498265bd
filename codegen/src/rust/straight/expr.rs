//! Expressions as Rust, over finished values or over numbers just read.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::able::{Able, unable};
use super::asked::Asker;
use super::context::Straight;
use super::early::early;
use super::locals::case_name;
use super::operators::{Typed, combined, compared, comparison, inside, just, known, solved};
use super::outline::find_piece;
use super::questions::{row_name, target};
use super::scope::{Access, Frame, It, Place, Scope};
use super::sight::sight_frame;
use crate::model::{
    ArrayLength, BinaryOp, Constant, Definer, DefinerScope, DefinerSource, Expr, ExprId, Field,
    Measure, Member, Model, Path, RecordId, RecordKind, Role, Row, RowId, RowKind, Start, Step,
    Type, UnaryOp, UnionId,
};
use crate::print::expr_text;
use crate::rust::shape::Shape;

/// How many `let`s are spelled out for one of them.
const MOST_NAMED: u32 = 64;

impl<'m> Straight<'_, 'm> {
    /// An expression as an `Option<i128>`. It may end the function around it with `Odd`.
    pub(in crate::rust) fn number(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        expr: ExprId,
    ) -> Able<TokenStream> {
        self.typed(scope, view, expr)?.number()
    }

    /// An expression as a `bool`, which it has to be, or else the function around it is odd.
    pub(in crate::rust) fn truth(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        expr: ExprId,
    ) -> Able<TokenStream> {
        match self.typed(scope, view, expr)? {
            Typed::Truth(truth) => Ok(known(&truth)),
            _ => unable("a number as a condition"),
        }
    }

    /// What an expression gives, or the function around it is odd: where it leads through a union, it
    /// need not be said of all cases.
    pub(in crate::rust) fn number_of_some(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        expr: ExprId,
    ) -> Able<TokenStream> {
        self.number(scope, view, expr)
            .or_else(|why| self.of_some(|| self.number(scope, view, expr)).map_err(|_| why))
    }

    /// Makes code of which the same holds for all expressions in it.
    pub(in crate::rust) fn of_some<T>(&self, make: impl FnOnce() -> T) -> T {
        let around = self.leaving.replace(true);
        let made = make();
        self.leaving.set(around);
        made
    }

    /// An expression as a `usize`, which it has to be, or else the function around it is odd.
    pub(in crate::rust) fn length(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        expr: ExprId,
    ) -> Able<TokenStream> {
        let number = self.number(scope, view, expr)?;
        Ok(quote!(s::length(#number)?))
    }

    pub(super) fn typed(&self, scope: &Scope<'_>, view: &'m Model, expr: ExprId) -> Able<Typed> {
        if let Some(truth) = self.decided(expr) {
            return Ok(Typed::Truth(quote!(rt::Some(#truth))));
        }
        Ok(match &view[expr] {
            Expr::Int(n) => {
                let n = Literal::i128_suffixed(*n);
                Typed::Number(quote!(rt::Some(#n)))
            }
            Expr::Bool(b) => Typed::Truth(quote!(rt::Some(#b))),
            Expr::Text(text) => {
                let text = Literal::byte_string(text.as_bytes());
                Typed::Text(quote!(rt::Some(&#text[..])))
            }
            Expr::Bytes(bytes) => {
                let bytes = Literal::byte_string(bytes);
                Typed::Text(quote!(rt::Some(&#bytes[..])))
            }
            Expr::Epoch(variable) => self.epoch_number(scope, view, *variable)?,
            Expr::Path(path) => {
                if let Some(typed) = self.let_at_hand(scope, view, path) {
                    return typed;
                }
                let mut kind: fn(TokenStream) -> Typed = Typed::Number;
                let mut last = TokenStream::new();
                let found = self.walk(scope, view, path, false, &mut |place| {
                    let value = match place {
                        Place::Number(number) | Place::Word(_, number) => number,
                        Place::Truth(value) => {
                            kind = Typed::Truth;
                            value
                        }
                        Place::Text(text) => {
                            kind = Typed::Text;
                            quote!(s::Chars::chars(#text))
                        }
                        _ => return unable(format!("`{}` is no number", path.text)),
                    };
                    last = quote!(rt::Some(#value));
                    Ok(quote!(found = rt::Some(#value);))
                })?;
                kind(if is(&found, &quote!(found = #last;).to_string()) {
                    last
                } else if let Some(option) = just(&found) {
                    option
                } else {
                    quote!({ let mut found = rt::None; #found found })
                })
            }
            Expr::Unary(UnaryOp::Not, a) => {
                let a = self.option(scope, view, *a)?;
                Typed::Truth(match inside(&a) {
                    Some(a) if is(&a, "false") => quote!(rt::Some(true)),
                    Some(a) if is(&a, "true") => quote!(rt::Some(false)),
                    Some(a) => quote!(rt::Some(!(#a))),
                    None => quote!(#a.map(|a: bool| !a)),
                })
            }
            Expr::Unary(UnaryOp::Negate, a) => {
                let a = self.number(scope, view, *a)?;
                Typed::Number(quote!(s::subtract(rt::Some(0), #a)?))
            }
            Expr::Unary(UnaryOp::Complement, a) => {
                let a = self.number(scope, view, *a)?;
                Typed::Number(quote!((#a).map(|a: i128| !a)))
            }
            Expr::Binary(op, a, b) => self.binary(scope, view, *op, *a, *b)?,
            Expr::If(condition, then, otherwise) => {
                let condition = self.truth(scope, view, *condition)?;
                if is(&condition, "true") {
                    return self.typed(scope, view, *then);
                }
                if is(&condition, "false") {
                    return self.typed(scope, view, *otherwise);
                }
                match (self.typed(scope, view, *then)?, self.typed(scope, view, *otherwise)?) {
                    (Typed::Number(a), Typed::Number(b)) => {
                        Typed::Number(quote!(if #condition { #a } else { #b }))
                    }
                    (Typed::Truth(a), Typed::Truth(b)) => {
                        Typed::Truth(quote!(if #condition { #a } else { #b }))
                    }
                    (Typed::Text(a), Typed::Text(b)) => {
                        Typed::Text(quote!(if #condition { #a } else { #b }))
                    }
                    _ => return unable("branches of different types"),
                }
            }
            Expr::Coalesce(a, b) => {
                let either = |a, b| quote!(match #a { rt::Some(n) => rt::Some(n), rt::None => #b });
                match (self.typed(scope, view, *a)?, self.typed(scope, view, *b)?) {
                    (Typed::Number(a), Typed::Number(b)) => Typed::Number(either(a, b)),
                    (Typed::Truth(a), Typed::Truth(b)) => Typed::Truth(either(a, b)),
                    (Typed::Text(a), Typed::Text(b)) => Typed::Text(either(a, b)),
                    _ => return unable("`??` of different types"),
                }
            }
            Expr::In(a, ranges) => {
                let a = self.typed(scope, view, *a)?;
                let is_text = matches!(a, Typed::Text(_));
                let bound = |expr: ExprId| -> Able<TokenStream> {
                    Ok(known(&match self.typed(scope, view, expr)? {
                        Typed::Text(text) if is_text => text,
                        other if !is_text => other.number()?,
                        _ => return unable("a text among numbers"),
                    }))
                };
                let mut tests = Vec::new();
                for (low, high) in ranges {
                    let low = bound(*low)?;
                    tests.push(match high {
                        Some(high) => {
                            let high = bound(*high)?;
                            quote!((#low) <= a && a <= (#high))
                        }
                        None => quote!((#low) == a),
                    });
                }
                let (ty, a) = match a {
                    Typed::Text(a) => (quote!(&[u8]), known(&a)),
                    other => (quote!(i128), known(&other.number()?)),
                };
                Typed::Truth(quote!({ let a: #ty = #a; rt::Some(#(#tests)||*) }))
            }
            Expr::Is(path, case) => {
                let mut last = TokenStream::new();
                let found = self.walk(scope, view, path, false, &mut |place| match place {
                    Place::Choice(union, value) => {
                        let cases = &self.model.unions[union.index()].cases;
                        let Some(at) = cases.iter().position(|found| found.name == *case) else {
                            return unable(format!("no case {case}"));
                        };
                        let ty = self.shapes.union_ident(union);
                        let at = u32::try_from(at).unwrap_or(u32::MAX);
                        let (variant, payload) = self.shapes.variant(union, at);
                        let inside = payload.map(|_| quote!((..)));
                        last = quote!(rt::Some(matches!(#value, super::#ty::#variant #inside)));
                        Ok(quote!(found = #last;))
                    }
                    _ => unable(format!("`{}` is no union", path.text)),
                })?;
                // What is not there is nothing of the kind.
                Typed::Truth(if found.is_empty() {
                    quote!(rt::Some(false))
                } else if is(&found, &quote!(found = #last;).to_string()) {
                    last
                } else {
                    quote!({ let mut found = rt::Some(false); #found found })
                })
            }
            Expr::Call(function, arguments) => {
                match self.called(scope, view, *function, arguments)? {
                    Some(value) => value,
                    None => return unable(format!("the expression `{}`", expr_text(view, expr))),
                }
            }
            Expr::Listed(path) => match scope.late {
                Some(late) => {
                    let listed = late.is_listed(path)?;
                    Typed::Truth(quote!(rt::Some(#listed)))
                }
                None => return unable("what the relocation table lists"),
            },
            Expr::Stream(function, stream, filter) => {
                self.stream(scope, view, *function, *stream, *filter)?
            }
            Expr::Stored(..) => match scope.late {
                Some(late) => Typed::Text(late.stored()?),
                None => return unable("bytes of the file"),
            },
            Expr::Here | Expr::RegionEnd => Typed::Number(self.place(&view[expr])?),
            Expr::IsLast(_) if let Some(last) = self.last_of(scope, view, &view[expr])? => last,
            Expr::At(_) | Expr::End(_) | Expr::Size(_)
                if let Some(number) = self.placed_number(scope, view, expr)? =>
            {
                Typed::Number(number)
            }
            Expr::At(_)
            | Expr::End(_)
            | Expr::Size(_)
            | Expr::Index(_)
            | Expr::IsLast(_)
            | Expr::FileEnd => match (self.index_of(scope, &view[expr]), scope.late) {
                (Some(index), _) => Typed::Number(index),
                (None, Some(late)) if late.has_addresses() => {
                    Typed::Number(late.address(scope, expr)?)
                }
                _ if let Expr::Size(path) = &view[expr] => {
                    Typed::Number(self.size_of(scope, view, path, expr)?)
                }
                (None, _) => {
                    return unable(format!(
                        "`{}` where that is not known yet",
                        expr_text(view, expr)
                    ));
                }
            },
            _ => return unable(format!("the expression `{}`", expr_text(view, expr))),
        })
    }

    /// The position of a node around in its array, where that is known: an `Option<i128>`.
    fn index_of(&self, scope: &Scope<'_>, expr: &Expr) -> Option<TokenStream> {
        let Expr::Index(path) = expr else { return None };
        let this = scope.frames.last().filter(|_| path.steps.is_empty())?;
        let record = self.start(path, this.record)?;
        let index = scope.frame_of(record)?.index.as_ref()?;
        Some(quote!(s::index(#index)?))
    }

    /// Whether a node around is the last one in its array, where both are known.
    fn last_of(&self, scope: &Scope<'_>, view: &'m Model, expr: &Expr) -> Able<Option<Typed>> {
        let Expr::IsLast(path) = expr else { return Ok(None) };
        let Some(this) = scope.frames.last().filter(|_| path.steps.is_empty()) else {
            return Ok(None);
        };
        let record = self.start(path, this.record).and_then(|record| scope.frame_of(record));
        let Some((index, record)) =
            record.and_then(|frame| Some((frame.index.as_ref()?, frame.record)))
        else {
            return Ok(None);
        };
        let Some((owner, row)) = self.array_row(record) else { return Ok(None) };
        let Some(holder) = scope.frame_of(owner) else { return Ok(None) };
        let count = match &holder.access {
            Access::Value(_) => {
                let mut found = None;
                self.row_place(view, holder, row, &mut |place| match place {
                    Place::List(list, _) => {
                        found = Some(quote!(rt::Some(#list.len() as i128)));
                        Ok(TokenStream::new())
                    }
                    _ => unable("the last one of something else"),
                })?;
                found
            }
            Access::Early => match target(&self.record(owner).rows[row.index()].ty) {
                Type::Array(array) => match array.length {
                    ArrayLength::Count(count) => {
                        Some(self.number(&scope.at(holder), view, count)?)
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let Some(count) = count else { return Ok(None) };
        Ok(Some(Typed::Truth(quote! {
            rt::Some(s::add(s::index(#index)?, rt::Some(1))? == #count)
        })))
    }

    /// An expression as an `Option<bool>`.
    pub(in crate::rust) fn option(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        expr: ExprId,
    ) -> Able<TokenStream> {
        match self.typed(scope, view, expr)? {
            Typed::Truth(truth) => Ok(truth),
            _ => unable("a number as a condition"),
        }
    }

    fn binary(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Able<Typed> {
        if matches!(op, BinaryOp::BothTrue | BinaryOp::EitherTrue) {
            let a = self.truth(scope, view, a)?;
            let both = op == BinaryOp::BothTrue;
            if is(&a, if both { "false" } else { "true" }) {
                return Ok(Typed::Truth(quote!(rt::Some(#a))));
            }
            let b = self.truth(scope, view, b)?;
            return Ok(Typed::Truth(if both {
                quote!(rt::Some(#a && #b))
            } else {
                quote!(rt::Some(#a || #b))
            }));
        }
        if let (BinaryOp::Equal | BinaryOp::NotEqual, Some(asked)) = (op, self.beside_none(a, b)) {
            let (Typed::Number(asked) | Typed::Truth(asked) | Typed::Text(asked)) =
                self.typed(scope, view, asked)?;
            let is_none = match op {
                BinaryOp::Equal => quote!((#asked).is_none()),
                _ => quote!((#asked).is_some()),
            };
            return Ok(Typed::Truth(quote!(rt::Some(#is_none))));
        }
        let (a, b) = (self.typed(scope, view, a)?, self.typed(scope, view, b)?);
        if let (Typed::Text(a), Typed::Text(b)) = (&a, &b) {
            return match comparison(op) {
                Some(op) => Ok(compared(op, a, b)),
                None => unable("an operator for texts"),
            };
        }
        combined(op, &a.number()?, &b.number()?)
    }

    /// What is compared with the word `none`, if one of two sides is that.
    fn beside_none(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let is_none = |side: ExprId| match &self.model[side] {
            Expr::Path(path) => match path.steps.as_slice() {
                [Step::Field(field)] => field.members.is_empty() && field.name == "none",
                _ => false,
            },
            _ => false,
        };
        match (is_none(a), is_none(b)) {
            (false, true) => Some(a),
            (true, false) => Some(b),
            _ => None,
        }
    }

    /// Code that runs `then` for what a path leads to; for all of it, if it may be a stream.
    pub(super) fn walk(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        path: &Path,
        stream: bool,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        if let Start::It = path.start {
            return match &scope.it {
                Some(It::Number(it)) if path.steps.is_empty() => then(Place::Number(it.clone())),
                Some(It::Value(ty, shape, value)) => {
                    let element = Some((ty.clone(), shape.clone()));
                    self.element(&element, value.clone(), &mut |place| {
                        self.steps(scope, view, place, &path.steps, stream, then)
                    })
                }
                Some(It::Node(frame)) => {
                    let place = Place::Node(frame.clone());
                    self.steps(scope, view, place, &path.steps, stream, then)
                }
                _ => unable("a path from `it`"),
            };
        }
        let Some(this) = scope.frames.last() else { return unable("no node") };
        if let Start::Argument(number) = path.start {
            let Some(owner) = self.owner(this.record) else {
                return unable("a parameter of a struct that several structs hold");
            };
            let Some(frame) = scope.frame_of(owner) else {
                return unable("a parameter whose struct is not at hand");
            };
            let mut outer = scope.clone();
            outer.frames.push(frame.clone());
            let argument = self.record(this.record).arguments.get(number as usize);
            return match argument.map(|argument| (*argument, &self.model[*argument])) {
                Some((_, Expr::Path(inner))) => {
                    let mut whole = inner.clone();
                    whole.steps.extend(path.steps.iter().cloned());
                    self.walk(&outer, view, &whole, stream, then)
                }
                Some((expr, _)) if path.steps.is_empty() => {
                    self.named(&outer, view, None, expr, stream, then)
                }
                _ => unable("an argument"),
            };
        }
        let start = self.start(path, this.record).and_then(|record| scope.frame_of(record));
        let start = start.or_else(|| self.frame_up(scope, path));
        if start.is_none()
            && let Some(root) = scope.frame_of(self.model.root)
            && let Some(record) = self.start(path, this.record)
            && let Some(way) = self.way_to(record)
        {
            // It is around, and there is no other one in a file.
            let mut rooted = self.path_of(&way, path);
            rooted.steps.extend(path.steps.iter().cloned());
            let place = Place::Node(root.clone());
            return self.steps(scope, view, place, &rooted.steps, stream, then);
        }
        if start.is_none()
            && self.sighted.get()
            && self.start(path, this.record) == Some(self.model.root)
        {
            let place = Place::Node(sight_frame(self.model.root, &quote!(0_u64)));
            return self.steps(scope, view, place, &path.steps, stream, then);
        }
        let Some(start) = start else { return unable(format!("`{}` is not at hand", path.text)) };
        let Access::Maybe(value) = &start.access else {
            return self.steps(scope, view, Place::Node(start.clone()), &path.steps, stream, then);
        };
        let there = Frame { access: Access::Value(quote!(#value)), ..start.clone() };
        let inner = self.steps(scope, view, Place::Node(there), &path.steps, stream, then)?;
        Ok(quote!(if let rt::Some(#value) = #value { #inner }))
    }

    /// The struct so many levels up, if all of them are at hand.
    fn frame_up<'f>(&self, scope: &'f Scope<'_>, path: &Path) -> Option<&'f Frame> {
        let Start::Up(levels) = path.start else { return None };
        let mut frames = scope.frames.iter().rev();
        let mut inner = frames.next()?;
        for _ in 0..levels {
            let outer = frames.next()?;
            if !self.owners[inner.record.index()].contains(&outer.record) {
                return None;
            }
            inner = outer;
        }
        Some(inner)
    }

    fn steps(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        place: Place,
        steps: &[Step],
        stream: bool,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let Some((step, rest)) = steps.split_first() else { return then(place) };
        match (step, place) {
            (Step::Field(field), Place::Node(frame)) if self.is_absent(view, &frame, field) => {
                Ok(TokenStream::new())
            }
            (Step::Field(_), Place::Node(frame))
                if let Some(given) = self.given_by(view, &frame, steps) =>
            {
                let (given, count) = given?;
                if let (Access::Early, Some(at)) = (&frame.access, &frame.at) {
                    // It is in no value, but it stands in the file.
                    let seen = Frame { access: Access::Seen(at.clone()), ..frame.clone() };
                    return self.steps(scope, view, Place::Node(seen), steps, stream, then);
                }
                let scope = Scope { frames: vec![frame], it: None, late: None };
                let number = self.source(&scope, view, given)?;
                let inner = self.steps(
                    &scope,
                    view,
                    Place::Number(quote!(given)),
                    &steps[count..],
                    stream,
                    then,
                )?;
                Ok(quote!(if let rt::Some(given) = #number { #inner }))
            }
            (Step::Field(field), Place::Node(frame)) => {
                let found = field.members.iter().find(|(record, _)| *record == frame.record);
                // Nothing here has the field, so the path leads to nothing.
                let Some((_, members)) = found else { return Ok(TokenStream::new()) };
                self.members(scope, view, &frame, members, stream, &mut |place| {
                    self.steps(scope, view, place, rest, stream, then)
                })
            }
            (Step::Field(field), Place::Choice(union, value)) => {
                let (mut arms, mut odd) = (TokenStream::new(), Vec::new());
                for (record, members) in &field.members {
                    let Some((pattern, frame)) = self.case_frame(union, *record) else { continue };
                    let inner = self.members(scope, view, &frame, members, stream, &mut |place| {
                        self.steps(scope, view, place, rest, stream, then)
                    });
                    match inner {
                        Ok(inner) if inner.is_empty() => {}
                        Ok(inner) if self.asking.get() => {
                            // What is done for one of many streams is often done for others.
                            let label = find_piece(*record);
                            arms.extend(quote!(#pattern => { #label: { #inner } }));
                        }
                        Ok(inner) => arms.extend(quote!(#pattern => { #inner })),
                        Err(why) => odd.push((pattern, why)),
                    }
                }
                if let Some((_, why)) = odd.first()
                    && (arms.is_empty() || !self.leaving.get())
                {
                    return Err(why.clone());
                }
                for (pattern, _) in odd {
                    arms.extend(quote!(#pattern => return rt::Err(s::Odd),));
                }
                if arms.is_empty() {
                    return Ok(arms);
                }
                Ok(quote!(match #value { #arms _ => {} }))
            }
            (Step::Field(field), Place::Word(record, word)) => {
                let found = field.members.iter().find(|(known, _)| *known == record);
                let Some((_, members)) = found else { return Ok(TokenStream::new()) };
                let [Member::Row(row)] = members.as_slice() else {
                    return unable("something else than bits");
                };
                let place = self.bits_of(record, *row, &word)?;
                self.steps(scope, view, place, rest, stream, then)
            }
            (Step::Index(index), Place::List(list, element)) => {
                let index = self.number(scope, view, *index)?;
                let inner = self.element(&element, quote!(element), &mut |place| {
                    self.steps(scope, view, place, rest, stream, then)
                })?;
                Ok(quote! {
                    if let rt::Some(element) = s::nth(#list, #index) { #inner }
                })
            }
            (Step::Last, Place::List(list, element)) => {
                let inner = self.element(&element, quote!(element), &mut |place| {
                    self.steps(scope, view, place, rest, stream, then)
                })?;
                Ok(quote!(if let rt::Some(element) = #list.last() { #inner }))
            }
            (Step::Field(_), Place::List(list, element)) if stream => {
                let before = self.streaming.replace(true);
                let inner = self.element(&element, quote!(element), &mut |place| {
                    self.steps(scope, view, place, steps, stream, then)
                });
                self.streaming.set(before);
                let (inner, steps) = (inner?, self.steps_of(scope, &list));
                if inner.is_empty() {
                    return Ok(inner);
                }
                let typed = self.typed_element(&element);
                Ok(quote!(#steps for element in #list.iter() { #typed #inner }))
            }
            // Nothing is in a text.
            (Step::Field(_), Place::Text(_)) => Ok(TokenStream::new()),
            _ => unable("a path through something else"),
        }
    }

    /// Of which type an element is, where [pieces](super::outline) of a loop may become functions.
    fn typed_element(&self, element: &Option<(Type, Shape)>) -> Option<TokenStream> {
        let (Type::Record(record), Shape::Struct(_)) = element.as_ref()? else { return None };
        let is_known = self.asking.get() && self.shapes.is_typed(*record);
        let ty = self.value_ty(*record, &quote!('_));
        is_known.then(|| quote!(let element: &#ty = element;))
    }

    /// An element of a list.
    pub(super) fn element(
        &self,
        element: &Option<(Type, Shape)>,
        value: TokenStream,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let Some((ty, shape)) = element else { return unable("letters of a text") };
        self.unwrapped(shape, value, &mut |shape, value| {
            let ty = target(ty);
            match (ty, shape) {
                (Type::Record(record), Shape::Word(_)) => {
                    then(Place::Word(*record, quote!(i128::from(#value.0))))
                }
                (Type::Record(record), _) => then(Place::Node(Frame {
                    record: *record,
                    access: Access::Value(value),
                    at: None,
                    index: None,
                })),
                (Type::Union(union), _) => then(Place::Choice(*union, value)),
                _ => match self.scalar(shape, &value) {
                    Some(place) => then(self.as_word(ty, place)),
                    None => match shape {
                        Shape::Str | Shape::Bytes => then(Place::Text(self.reached(shape, &value))),
                        _ => then(Place::List(self.reached(shape, &value), None)),
                    },
                },
            }
        })
    }

    /// Runs `then` for what is inside options, boxes and kept values.
    pub(in crate::rust) fn unwrapped(
        &self,
        shape: &Shape,
        value: TokenStream,
        then: &mut dyn FnMut(&Shape, TokenStream) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        match shape {
            Shape::Option(inner) => {
                let inner = self.unwrapped(inner, quote!(some), then)?;
                if inner.is_empty() {
                    return Ok(inner);
                }
                Ok(quote!(if let rt::Some(some) = #value { #inner }))
            }
            Shape::Boxed(inner) => self.unwrapped(inner, self.unboxed(&value), then),
            Shape::Kept(_) => unable("a number that may be kept"),
            other => then(other, value),
        }
    }

    /// A scalar as a number or truth value, from a reference to it.
    pub(super) fn scalar(&self, shape: &Shape, value: &TokenStream) -> Option<Place> {
        Some(match shape {
            Shape::Int(_) => Place::Number(quote!((*#value as i128))),
            Shape::Bool => Place::Truth(quote!(*#value)),
            Shape::Enum(_) => Place::Number(quote!(i128::from(#value.number()))),
            Shape::Word(_) => Place::Number(quote!(i128::from(#value.0))),
            Shape::Index(_) => Place::Number(quote!(i128::from(#value.number()))),
            _ => return None,
        })
    }

    /// The pattern of a case in a match over a union, and the frame of what it binds.
    pub(super) fn case_frame(
        &self,
        union: UnionId,
        record: RecordId,
    ) -> Option<(TokenStream, Frame)> {
        let cases = &self.model.unions[union.index()].cases;
        let at = cases.iter().position(|case| case.record == record)?;
        let at = u32::try_from(at).ok()?;
        let (_, payload) = self.shapes.variant(union, at);
        payload?;
        let name = case_name(record);
        let frame = Frame { record, access: Access::Value(quote!(#name)), at: None, index: None };
        Some((self.pattern(union, at, &name), frame))
    }

    /// Follows members of a node.
    fn members(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        frame: &Frame,
        members: &[Member],
        stream: bool,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        match members {
            [Member::Row(row)] if stream && self.is_view(view, frame.record, *row) => {
                self.view_place(scope, view, frame, *row, then)
            }
            [Member::Row(row)] if let Some(expr) = self.usual(view, frame, *row) => {
                // The writer makes odd what deviates.
                let scope = self.inside_of(scope, frame);
                self.named(&scope, view, Some(Asker::Row(*row)), expr, false, then)
            }
            [Member::Row(row)] => self.row_place(view, frame, *row, then),
            [Member::Into(row), rest @ ..] => {
                self.row_place(view, frame, *row, &mut |place| match place {
                    Place::Node(inner) => self.members(scope, view, &inner, rest, stream, then),
                    Place::Choice(union, value) => {
                        // The case is known from the row that comes next: all cases that have it.
                        let _ = (union, value);
                        unable("a row of some case")
                    }
                    _ => unable("a row of something else"),
                })
            }
            [Member::Let(number)] => {
                let lets = &view.records[frame.record.index()].lets;
                let Some(named) = lets.get(*number as usize) else { return unable("no `let`") };
                let scope = self.inside_of(scope, frame);
                self.named(&scope, view, Some(Asker::Let(*number)), named.expr, stream, then)
            }
            _ => unable("a `let` that leads to several things"),
        }
    }

    /// The same scope in a node that a path leads to: around that is the root, at least.
    pub(super) fn inside_of<'l>(&self, scope: &Scope<'l>, frame: &Frame) -> Scope<'l> {
        let mut inner = scope.at(frame);
        let root = self.model.root;
        if inner.frame_of(root).is_none()
            && let Some(root) = scope.frame_of(root)
        {
            inner.frames.insert(0, root.clone());
        }
        inner
    }

    /// What a `let`, an argument or a row that may deviate stands for, in the node of a scope.
    fn named(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        asker: Option<Asker>,
        expr: ExprId,
        stream: bool,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        if let Expr::Path(path) = &view[expr] {
            return self.walk(scope, view, path, stream, then);
        }
        if let (Expr::Binary(BinaryOp::Concatenate, a, b), true) = (&view[expr], stream) {
            let first = self.named(scope, view, None, *a, stream, then)?;
            let second = self.named(scope, view, None, *b, stream, then)?;
            return Ok(quote!(#first #second));
        }
        let asked = asker.and_then(|asker| self.asked(scope, view, asker, expr));
        let typed = match asked {
            Some(asked) => asked,
            None => self.written_out(scope, view, expr)?,
        };
        let (value, place) = match typed {
            Typed::Number(value) => (value, Place::Number(quote!(named))),
            Typed::Truth(value) => (value, Place::Truth(quote!(named))),
            Typed::Text(value) => (value, Place::Text(quote!(named))),
        };
        let then = then(place)?;
        Ok(quote!(if let rt::Some(named) = #value { #then }))
    }

    /// What a path stands for that is a `let` of a node at hand.
    fn let_at_hand(&self, scope: &Scope<'_>, view: &'m Model, path: &Path) -> Option<Able<Typed>> {
        let ([Step::Field(field)], this) = (path.steps.as_slice(), scope.frames.last()?) else {
            return None;
        };
        let frame = match (&path.start, &scope.it) {
            (Start::It, Some(It::Node(frame))) => frame,
            _ => scope.frame_of(self.start(path, this.record)?)?,
        };
        let (_, members) = field.members.iter().find(|(of, _)| *of == frame.record)?;
        let [Member::Let(number)] = members.as_slice() else { return None };
        if matches!(frame.access, Access::Maybe(_)) {
            return None;
        }
        let expr = view.records[frame.record.index()].lets.get(*number as usize)?.expr;
        let scope = self.inside_of(scope, frame);
        let asked = self.asked(&scope, view, Asker::Let(*number), expr);
        Some(asked.map_or_else(|| self.written_out(&scope, view, expr), Ok))
    }

    /// What a `let` or an argument stands for, which may name others.
    fn written_out(&self, scope: &Scope<'_>, view: &'m Model, expr: ExprId) -> Able<Typed> {
        if self.spelled.get() >= MOST_NAMED {
            return unable("a `let` that is used too often");
        }
        let outermost = self.spelled.replace(self.spelled.get() + 1) == 0;
        let typed = self.typed(scope, view, expr);
        if outermost {
            self.spelled.set(0);
        }
        typed
    }

    /// What a row of a value usually follows from, if it may deviate.
    fn usual(&self, view: &Model, frame: &Frame, id: RowId) -> Option<ExprId> {
        let row = &view.records[frame.record.index()].rows[id.index()];
        let (Role::Kept(expr), Access::Value(_)) = (&row.role, &frame.access) else { return None };
        let field = self.shapes.field(frame.record, id)?;
        matches!(field.shape, Shape::Kept(_)).then_some(*expr)
    }

    /// Whether a field is a row that the layout at hand does not have, and that has no value then.
    fn is_absent(&self, view: &Model, frame: &Frame, field: &Field) -> bool {
        let found = field.members.iter().find(|(of, _)| *of == frame.record);
        let Some((_, [Member::Row(id)])) = found.map(|(of, members)| (of, members.as_slice()))
        else {
            return false;
        };
        let row = &view.records[frame.record.index()].rows[id.index()];
        let Some(epoch) = self.epoch.get() else { return false };
        row.absent.is_none()
            && matches!(row.ty, Type::Record(_))
            && matches!(frame.access, Access::Value(_))
            && matches!(row.homes.get(epoch), Some(crate::model::Home::Absent))
    }

    fn is_view(&self, view: &Model, record: RecordId, row: RowId) -> bool {
        let row = &view.records[record.index()].rows[row.index()];
        matches!(row.role, Role::View { key: None, .. })
    }

    /// The lists of a shared table, in its order.
    fn view_place(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        frame: &Frame,
        id: RowId,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let row = &view.records[frame.record.index()].rows[id.index()];
        let Role::View { slices, .. } = &row.role else { return unable("no shared table") };
        let is_root = frame.record == view.root;
        if slices.iter().any(|path| path.behind(frame.record, is_root, id).is_some()) {
            return unable("a shared table with slices of its own elements");
        }
        if matches!(row.homes.get(self.epoch.get().unwrap_or(0)), Some(crate::model::Home::Absent))
        {
            return Ok(TokenStream::new());
        }
        let scope = self.inside_of(scope, frame);
        let lists = slices.iter().map(|path| self.walk(&scope, view, path, true, then));
        lists.collect()
    }

    /// The equation by which a struct gives a number to one in it, which steps lead to from there,
    /// and how many steps that are.
    #[allow(clippy::type_complexity, reason = "it is looked at where it is asked for")]
    fn given_by(
        &self,
        view: &'m Model,
        frame: &Frame,
        steps: &[Step],
    ) -> Option<Able<(&'m DefinerSource, usize)>> {
        let (Access::Value(_) | Access::Early) = frame.access else { return None };
        let (mut record, mut way) = (frame.record, Vec::new());
        for (number, step) in steps.iter().enumerate() {
            let Step::Field(field) = step else { return None };
            let (_, members) = field.members.iter().find(|(of, _)| *of == record)?;
            let [Member::Row(id)] = members.as_slice() else { return None };
            way.push(*id);
            let row = &view.records[record.index()].rows[id.index()];
            let absent = row.homes.get(self.epoch.get().unwrap_or(0));
            if matches!(absent, Some(crate::model::Home::Absent)) || row.when.is_some() {
                return None;
            }
            let given = row.definers.iter().find(|definer| {
                matches!(&definer.scope, DefinerScope::Owner(owner, path)
                    if *owner == frame.record && *path == way)
            });
            if let (Role::Derived, Some(given)) = (&row.role, given) {
                let plain = row.plus == 0 && row.none.is_empty();
                return Some(match plain {
                    true => Ok((&given.source, number + 1)),
                    false => unable("a given number with another meaning"),
                });
            }
            let Type::Record(inner) = &row.ty else { return None };
            record = *inner;
        }
        None
    }

    /// What is in a row.
    pub(super) fn row_place(
        &self,
        view: &'m Model,
        frame: &Frame,
        id: RowId,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let record = &view.records[frame.record.index()];
        let row = &record.rows[id.index()];
        let value = match &frame.access {
            // How many elements were read.
            Access::Early if row.ty.in_step().is_some() => {
                let count = early(frame.record, id);
                return then(Place::Counted(quote!(#count)));
            }
            Access::Early => return self.early_place(frame.record, id, row, then),
            Access::Seen(at) => return self.seen_place(view, frame.record, at, id, then),
            Access::Value(value) => value,
            Access::Maybe(_) => return unable("a row of a struct that may not be around"),
        };
        if let Some(in_step) = row.ty.in_step() {
            return self.count_in_step(view, frame, in_step, then);
        }
        if let RecordKind::Form(union, case, _) = record.kind {
            // Values of forms are in the struct of their case.
            let case = view.unions[union.index()].cases[case as usize].record;
            let named = view.records[case.index()]
                .numbered_rows()
                .find(|(_, other)| row.name.is_some() && other.name == row.name);
            let Some((id, _)) = named else { return unable("a row of a form without a name") };
            let frame = Frame { record: case, ..frame.clone() };
            return self.row_place(view, &frame, id, then);
        }
        let transparent = self.shapes.is_transparent(frame.record);
        let by_case = |definer: &Definer| matches!(definer.scope, DefinerScope::Case(..));
        // What is data in other layouts is in no value of this one.
        let follows = matches!(row.role, Role::Derived) && !row.definers.iter().any(by_case);
        if let Some(field) = self.shapes.field(frame.record, id).filter(|_| !follows) {
            let ident = &field.ident;
            let inside = if transparent { value.clone() } else { quote!((&#value.#ident)) };
            if let (Role::Derived, Shape::Option(shape)) = (&row.role, &field.shape)
                && let Some(Place::Number(number)) = self.scalar(shape, &quote!(some))
                && let Ok(said) = self.said_by_case(view, frame, row)
            {
                // It is data where no case says it.
                let inner = then(Place::Number(quote!(derived)))?;
                return Ok(quote! {
                    let given: rt::Option<i128> = match #inside {
                        rt::Some(some) => rt::Some(#number),
                        rt::None => #said,
                    };
                    if let rt::Some(derived) = given { #inner }
                });
            }
            return self.unwrapped(&field.shape, inside, &mut |shape, inner| {
                self.typed_place(row, shape, inner, then)
            });
        }
        match &row.role {
            Role::Fixed => match &row.kind {
                RowKind::Constant(Constant::Int(n)) => {
                    let n = Literal::i128_suffixed(*n);
                    then(Place::Number(quote!(#n)))
                }
                _ => unable("a constant that is no number"),
            },
            Role::Data
                if let Type::Record(inner) = target(&row.ty)
                    && row.when.is_none()
                    && !matches!(&row.ty, Type::Pointer(pointer) if pointer.optional) =>
            {
                // There is nothing in it but what follows from elsewhere.
                let access = Access::Value(quote!((&())));
                then(Place::Node(Frame { record: *inner, access, at: None, index: None }))
            }
            Role::Derived => {
                let [definer] = row.definers.as_slice() else {
                    return unable(format!("`{}` follows from several things", row_name(row)));
                };
                if !matches!(definer.scope, DefinerScope::Own) {
                    return unable(format!("`{}` follows from elsewhere", row_name(row)));
                }
                let scope = Scope { frames: vec![frame.clone()], it: None, late: None };
                let number = match (&definer.source, self.number_at_hand(frame, id)) {
                    (_, Some(number)) => number,
                    (DefinerSource::Expr(expr), _) => self.equation(&scope, view, id, *expr)?,
                    (source, _) => self.source(&scope, view, source)?,
                };
                if let Some(number) = inside(&number) {
                    return then(Place::Number(number));
                }
                let inner = then(Place::Number(quote!(derived)))?;
                Ok(quote!(if let rt::Some(derived) = #number { #inner }))
            }
            _ => unable(format!("`{}` is not in the value", row_name(row))),
        }
    }

    /// What the case of a union says that a row follows from: an `Option<i128>`.
    fn said_by_case(&self, view: &'m Model, frame: &Frame, row: &'m Row) -> Able<TokenStream> {
        let Access::Value(value) = &frame.access else { return unable("no value") };
        let (mut arms, mut of) = (TokenStream::new(), None);
        for definer in &row.definers {
            let DefinerScope::Case(at, case) = &definer.scope else {
                return unable(format!("`{}` follows from elsewhere", row_name(row)));
            };
            if *of.get_or_insert(*at) != *at {
                return unable(format!("`{}` follows from two unions", row_name(row)));
            }
            let Type::Union(union) = view.records[frame.record.index()].rows[at.index()].ty else {
                return unable("a union in an array");
            };
            let record = self.model.unions[union.index()].cases[*case as usize].record;
            let Some((pattern, inner)) = self.case_frame(union, record) else {
                return unable("a case of no type");
            };
            let scope = Scope { frames: vec![frame.clone(), inner], it: None, late: None };
            let number = self.source(&scope, view, &definer.source)?;
            arms.extend(quote!(#pattern => #number,));
        }
        let field = of.and_then(|at| self.shapes.field(frame.record, at));
        let Some(field) = field.filter(|field| matches!(field.shape, Shape::Choice(_))) else {
            return unable(format!("`{}` follows from several things", row_name(row)));
        };
        let ident = &field.ident;
        Ok(quote!(match &#value.#ident { #arms _ => rt::None }))
    }

    /// The number of a row that was measured already, where a value is written.
    fn number_at_hand(&self, frame: &Frame, row: RowId) -> Option<TokenStream> {
        let Access::Value(value) = &frame.access else { return None };
        let value = value.to_string();
        let at_hand = self.at_hand.borrow();
        let known = at_hand.iter().rfind(|known| {
            (known.record, known.row) == (frame.record, row) && known.value == value
        });
        known.map(|known| known.number.clone())
    }

    pub(super) fn typed_place(
        &self,
        row: &Row,
        shape: &Shape,
        value: TokenStream,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        if let Some(place) = self.scalar(shape, &value) {
            return then(self.as_word(target(&row.ty), place));
        }
        match target(&row.ty) {
            Type::Record(inner)
            | Type::Cell(crate::model::Cell {
                meaning: crate::model::Meaning::Word(inner), ..
            }) => then(Place::Node(Frame {
                record: *inner,
                access: Access::Value(value),
                at: None,
                index: None,
            })),
            Type::Union(union) => then(Place::Choice(*union, value)),
            Type::Array(array) => {
                let (Shape::List(inner) | Shape::Fixed(inner, _)) = shape else {
                    return unable("an array of another Rust type");
                };
                let element = (array.element.clone(), (**inner).clone());
                then(Place::List(self.reached(shape, &value), Some(element)))
            }
            _ => match shape {
                Shape::Str | Shape::Bytes => then(Place::Text(self.reached(shape, &value))),
                Shape::Utf16 => then(Place::List(self.reached(shape, &value), None)),
                _ => unable(format!("what `{}` is", row_name(row))),
            },
        }
    }

    /// What an equation says, as an `Option<i128>`, over values.
    pub(in crate::rust) fn source(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        source: &DefinerSource,
    ) -> Able<TokenStream> {
        match source {
            DefinerSource::Expr(expr) => self.number(scope, view, *expr),
            DefinerSource::Measure { measure: Measure::Count, row, factor, offset } => {
                let Some(frame) = scope.frames.last() else { return unable("no node") };
                let mut last = TokenStream::new();
                let count = self.row_place(view, frame, *row, &mut |place| match place {
                    Place::List(list, ..) | Place::Text(list) => {
                        last = quote!(#list.len() as i128);
                        Ok(quote!(count = #last;))
                    }
                    _ => unable("the length of something else"),
                })?;
                if (*factor, *offset) == (1, 0) && is(&count, &quote!(count = #last;).to_string()) {
                    return Ok(quote!(rt::Some(#last)));
                }
                let number = solved(&quote!(count), *factor, *offset);
                Ok(quote!({ let mut count = 0_i128; #count #number }))
            }
            DefinerSource::Measure { measure: Measure::Size, row, factor, offset }
                if let Some(frame) = scope.frames.last()
                    && let Ok(size) = self.row_size(view, frame, *row) =>
            {
                Ok(solved(&known(&size), *factor, *offset))
            }
            DefinerSource::Measure { .. } => {
                unable("a number that follows from a size or an address")
            }
        }
    }
}

/// Whether tokens are this word.
pub(super) fn is(tokens: &TokenStream, word: &str) -> bool {
    tokens.to_string() == word
}
