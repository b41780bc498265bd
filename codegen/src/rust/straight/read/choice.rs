//! Unions: which case is there, and its rows.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::body::{Holder, tag_size};
use super::{Body, Callee, Ctx, Handed, Reading, Sink, Spot, number, size};
use crate::model::{
    Case, Cell, DefinerScope, DefinerSource, Home, Label, Measure, Pattern, RecordId, Role,
    Storage, Tag, Union, UnionId, limits,
};
use crate::rust::in_arena::Beside;
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::early::{early, is_early_number};
use crate::rust::straight::epochs::epoch_id;
use crate::rust::straight::operators::{Typed, known};
use crate::rust::straight::outline::{arm_piece, small_piece};
use crate::rust::straight::scope::{Access, Frame, Place};

/// What decides, as locals.
struct Decision {
    before: TokenStream,
    /// The number that labels are compared with; or the text, a `&[u8]`.
    number: TokenStream,
    is_text: bool,
    /// Lowest and highest number that its type has, if that type is narrower than 128 bits.
    limits: Option<(i128, i128)>,
    /// The bytes of the tag, the first highest: a number of 64 bits; and their number.
    bytes: Option<(Ident, u64)>,
    /// Where the union begins: a `usize`.
    start: Option<Ident>,
}

impl Decision {
    /// A number or text that is known.
    fn of(number: TokenStream, is_text: bool) -> Decision {
        Decision {
            before: TokenStream::new(),
            number,
            is_text,
            limits: None,
            bytes: None,
            start: None,
        }
    }

    /// Stands for one that cannot be carried.
    fn unknown() -> Decision {
        Decision {
            before: TokenStream::new(),
            number: quote!(0),
            is_text: false,
            limits: None,
            bytes: Some((format_ident!("w"), 8)),
            start: Some(format_ident!("a")),
        }
    }
}

impl<'m> Reading<'_, '_, 'm> {
    #[allow(clippy::too_many_arguments, reason = "the parts of a union")]
    pub(super) fn union(
        &self,
        ctx: &Ctx<'m>,
        holder: &Holder,
        spot: &Spot,
        id: UnionId,
        target: &Shape,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let union = &ctx.view.unions[id.index()];
        let shapes = self.straight.shapes;
        if shapes.has_union(id) && *target != Shape::Choice(id) {
            return unable("a union of another Rust type");
        }
        if union.size.is_some() && !self.model.is_filled(id, epoch_id(ctx.epoch)) {
            return unable("a union of a size that a case may not fill");
        }
        // What is wrong with the tag itself is told of the row that holds the union, and once.
        let mut wrong = None;
        let decision = match self.decision(ctx, spot, union) {
            Err(why) if self.straight.is_survey() => {
                wrong = Some(why);
                Decision::unknown()
            }
            made => made?,
        };
        let mut arms = TokenStream::new();
        let mut otherwise = None;
        let in_epoch = |epochs: &[bool]| epochs.get(ctx.epoch).copied().unwrap_or(true);
        // Functions of their own, so that cases do not share one large stack frame. Where compilers
        // optimise, small ones do not need that, and would not be inlined: a case of many counts as
        // one that hardly ever occurs.
        let apart = union.cases.len() > 2;
        // A union in a case of another one must not hide what the outer one makes.
        let made = self.local("m");
        let by_function = |body: TokenStream| match (apart, ctx.pushing) {
            (true, true) => quote!({ #body rt::Ok(()) }),
            (true, false) => quote!({ let #made; #body rt::Ok(#made) }),
            (false, _) => quote!({ #body }),
        };
        let ty = match (ctx.pushing, shapes.has_union(id)) {
            (true, _) => None,
            (false, true) => Some(self.ty_of(&Shape::Choice(id))),
            (false, false) => Some(quote!(())),
        };
        let whole = |record: RecordId, body: Able<TokenStream>| match body {
            Ok(body) if apart => match (is_small(&body), &ty) {
                (true, ty) => small_piece(record, ty.as_ref().map(|ty| (&made, ty)), &body),
                (false, ty) => arm_piece(record, ty.as_ref().map(|ty| (&made, ty)), &body),
            },
            Err(_) if apart => quote!(rt::Err(s::Odd)),
            Ok(body) => quote!({ #body }),
            Err(_) => quote!({ return rt::Err(s::Odd) }),
        };
        let mut pattern = |label: &Label, guard: Option<&TokenStream>| match self
            .pattern(label, &decision, guard)
        {
            Err(why) if self.straight.is_survey() => {
                wrong.get_or_insert(why);
                Ok(None)
            }
            made => made.map(Some),
        };
        for (index, case) in (0_u32..).zip(&union.cases) {
            let variant = |value: TokenStream| {
                let keep = |value: TokenStream| {
                    if apart && !ctx.pushing { quote!(#made = #value;) } else { sink(value) }
                };
                if !shapes.has_union(id) {
                    return keep(quote!(()));
                }
                let path = self.path(&shapes.union_ident(id));
                let (variant, payload) = shapes.variant(id, index);
                keep(match payload {
                    Some(record) if self.straight.beside(id, record) == Beside::Canonical => {
                        quote!(#path::#variant(#value, ::formwork::arena::SpellingId::CANONICAL))
                    }
                    Some(_) => quote!(#path::#variant(#value)),
                    None => quote!(#path::#variant),
                })
            };
            if case.forms.is_empty() {
                if !in_epoch(&case.epochs) {
                    continue;
                }
                let guard = match &case.guard {
                    Some(guard) => {
                        let guard = self.truth(ctx, *guard);
                        let guard = self.straight.carried(case.record, None, guard)?;
                        guard.map(|guard| quote!(&& #guard))
                    }
                    None => None,
                };
                for label in &case.labels {
                    let make = || {
                        self.case(ctx, holder, spot, union, case, None, label, &decision, &variant)
                    };
                    let call = || self.called_case(ctx, holder, union, case, label, &variant);
                    let body = match call() {
                        Ok(call) => by_function(call),
                        Err(_) => {
                            let make = || self.sighted(case.record, &make);
                            let body = self.inside(|| self.straight.in_case(case.record, make));
                            whole(case.record, body)
                        }
                    };
                    if let Label::Else = label {
                        let taken = guard.clone().map(|guard| quote!(if true #guard));
                        otherwise = otherwise.or(Some(quote!(_ #taken => #body,)));
                        continue;
                    }
                    if let Some(pattern) = pattern(label, guard.as_ref())? {
                        arms.extend(quote!(#pattern => #body,));
                    }
                }
                continue;
            }
            for (at, form) in case.forms.iter().enumerate() {
                if !in_epoch(&form.epochs) {
                    continue;
                }
                self.straight.must_have_no_rules(form)?;
                for label in &form.labels {
                    let make = || {
                        let form = Some(at);
                        self.case(ctx, holder, spot, union, case, form, label, &decision, &variant)
                    };
                    let body = self.inside(|| self.straight.in_case(form.record, make));
                    let body = whole(case.record, body);
                    if let (Label::Else, Tag::Own(_) | Tag::Word(_)) = (label, &union.tag) {
                        otherwise = otherwise.or(Some(quote!(_ => #body,)));
                        continue;
                    }
                    if let Some(pattern) = pattern(label, None)? {
                        arms.extend(quote!(#pattern => #body,));
                    }
                }
            }
        }
        if let Some(why) = wrong {
            return Err(why);
        }
        let (before, number) = (decision.before, decision.number);
        if apart && ctx.pushing {
            return Ok(quote! {
                #before
                (match #number { #arms #otherwise _ => rt::Err(s::Odd) })?;
            });
        }
        if apart {
            let rest = sink(quote!(#made));
            return Ok(quote! {
                #before
                let #made = (match #number { #arms #otherwise _ => rt::Err(s::Odd) })?;
                #rest
            });
        }
        Ok(quote! {
            #before
            match #number { #arms #otherwise _ => return rt::Err(s::Odd), }
        })
    }

    fn decision(&self, ctx: &Ctx<'m>, spot: &Spot, union: &'m Union) -> Able<Decision> {
        match &union.tag {
            Tag::Row(id) => {
                let row = self.row(ctx, ctx.record, *id);
                if is_early_number(row) {
                    let number = early(ctx.record, *id);
                    return self.checked(quote!(#number)).map(|number| Decision::of(number, false));
                }
                let frame =
                    Frame { record: ctx.record, access: Access::Early, at: None, index: None };
                let found =
                    self.straight.row_place(ctx.view, &frame, *id, &mut |place| match place {
                        Place::Text(text) => Ok(quote!(found = rt::Some(s::Chars::chars(#text));)),
                        _ => unable("a tag that is no number and no text"),
                    })?;
                let found = self.checked(found)?;
                let text = quote!(s::known({ let mut found = rt::None; #found found })?);
                Ok(Decision::of(text, true))
            }
            Tag::Given(expr) => Ok(match self.typed(ctx, *expr)? {
                Typed::Text(text) => Decision::of(known(&text), true),
                given => Decision::of(known(&given.number()?), false),
            }),
            Tag::Own(cell) | Tag::Word(cell) => {
                let Spot::Stream { part, .. } = spot else { return unable("a union in a block") };
                let width = tag_size(&union.tag)?;
                let (start, block, tag) = (self.local("a"), self.local("b"), self.local("c"));
                let at = Spot::block(block.clone());
                let (_, stored) = self.stored(ctx, &at, cell.storage)?;
                let (raw, wide) = (&stored.tokens, size(width));
                let cases = union.cases.iter();
                let labels = cases
                    .flat_map(|c| c.labels.iter().chain(c.forms.iter().flat_map(|f| &f.labels)));
                let patterned = labels.into_iter().any(|l| matches!(l, Label::Pattern(_)));
                let mut before = quote! {
                    let #start = #part.at();
                    let #block: &'i [u8; #wide] = #part.block()?;
                    let #tag = #raw;
                };
                let bytes = if patterned {
                    let bytes = self.local("w");
                    let value = match &union.tag {
                        // A word is covered from its highest bit, whatever its byte order.
                        Tag::Word(_) => {
                            let bits = Literal::u64_unsuffixed(crate::rust::shape::mask(
                                0,
                                u8::try_from(width * 8 - 1).unwrap_or(63),
                            ));
                            quote!(#tag as u64 & #bits)
                        }
                        _ => quote!(s::uint_be::<#wide, _>(#block, 0)),
                    };
                    before.extend(quote!(let #bytes = #value;));
                    Some((bytes, width))
                } else {
                    None
                };
                let limits = tag_limits(cell);
                let (number, start) = (quote!(#tag), Some(start));
                Ok(Decision { before, number, is_text: false, limits, bytes, start })
            }
        }
    }

    /// The pattern of an arm.
    fn pattern(
        &self,
        label: &Label,
        decision: &Decision,
        guard: Option<&TokenStream>,
    ) -> Able<TokenStream> {
        match label {
            Label::Text(text) if decision.is_text => {
                let text = Literal::byte_string(text.as_bytes());
                let guard = guard.map(|guard| quote!(if true #guard));
                Ok(quote!(#text #guard))
            }
            Label::Range(low, high) if !decision.is_text => {
                let (least, most) = decision.limits.unwrap_or((i128::MIN, i128::MAX));
                let (low_n, high_n) = (number((*low).max(least)), number((*high).min(most)));
                let range = if low == high { low_n } else { quote!(#low_n..=#high_n) };
                let guard = guard.map(|guard| quote!(if true #guard));
                Ok(quote!(#range #guard))
            }
            Label::Pattern(pattern) => {
                let Some((bytes, width)) = &decision.bytes else { return unable("no bytes") };
                let of_tag = u32::try_from(width * 8).unwrap_or(u32::MAX);
                let (mask, bits, more) = if pattern.width >= of_tag {
                    let beyond = pattern.width - of_tag;
                    let low = if beyond == 0 { 0 } else { (1_u128 << beyond) - 1 };
                    if pattern.mask & low != 0 {
                        return unable("a pattern that fixes bytes behind the tag");
                    }
                    (pattern.mask >> beyond, pattern.bits >> beyond, 0)
                } else {
                    (pattern.mask, pattern.bits, of_tag - pattern.width)
                };
                let (mask, bits) = (Literal::u128_unsuffixed(mask), Literal::u128_unsuffixed(bits));
                let value = match more {
                    0 => quote!(#bytes),
                    more => quote!((#bytes >> #more)),
                };
                Ok(quote!(_ if #value & #mask == #bits #guard))
            }
            Label::Text(_) | Label::Range(..) => unable("a label of another type than the tag"),
            Label::Else => unable("an arm for all others"),
        }
    }

    /// The rows of a case, by one of its labels.
    #[allow(clippy::too_many_arguments, reason = "the parts of a case")]
    fn case(
        &self,
        ctx: &Ctx<'m>,
        holder: &Holder,
        spot: &Spot,
        union: &'m Union,
        case: &'m Case,
        form: Option<usize>,
        label: &'m Label,
        decision: &Decision,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let derived = self.tag_is_derived(ctx, union, case)?;
        if case.whole {
            let (Tag::Own(_) | Tag::Word(_), Some(start), Spot::Stream { part, .. }) =
                (&union.tag, &decision.start, spot)
            else {
                return unable("a case that stands for everything around it");
            };
            let base = &holder.base;
            let from = if union.body { quote!(#base) } else { quote!(#start) };
            let mut inner = ctx.clone();
            (inner.filled, inner.entered, inner.pushing) = (false, false, false);
            let shape = self.straight.shapes.record(case.record);
            let read = self.record(&inner, spot, case.record, &shape, sink)?;
            return Ok(quote!(#part.back(cx, #from)?; #read));
        }
        let pattern = match label {
            Label::Pattern(pattern) => Some(pattern),
            _ => None,
        };
        let mut before = derived;
        let mut inner = ctx.clone();
        (inner.pattern, inner.tag, inner.word) = (None, None, None);
        (inner.filled, inner.extent, inner.keeps) = (false, None, None);
        (inner.entered, inner.pushing) = (false, false);
        let mut limit = None;
        if let (Tag::Own(_) | Tag::Word(_), Spot::Stream { part, .. }) = (&union.tag, spot) {
            before.extend(self.covered(part, pattern, decision, &mut inner)?);
        }
        let mut holder = holder.clone();
        if let Some(bytes) = union.size {
            let Some((part, _)) = holder.part.clone() else {
                return unable("a union of a size in a block");
            };
            let name = self.local("p");
            let start = match &decision.start {
                Some(start) => quote!(#start),
                None => {
                    let start = self.local("a");
                    before.extend(quote!(let #start = #part.at();));
                    quote!(#start)
                }
            };
            let bytes = size(bytes);
            before.extend(quote! {
                let mut #name = cx.between(#part.at(), #part.end().min(#start + #bytes))?;
            });
            limit = Some(quote! {
                #part.reach(#name.at())?;
                #part.reach(#start + #bytes)?;
            });
            holder.part = Some((name, true));
        }
        let rows_of = match form {
            Some(at) => case.forms[at].record,
            None => case.record,
        };
        let frame = |record| Frame { record, access: Access::Early, at: None, index: None };
        inner.frames.push(frame(case.record));
        if form.is_some() {
            inner.frames.push(frame(rows_of));
        }
        inner.record = rows_of;
        inner.big = self.order_in(&inner, case.record)?;
        // A case in the midst of a block has the block of the record around it.
        let homes = inner.view.records[rows_of.index()]
            .rows
            .iter()
            .any(|row| matches!(row.homes.get(ctx.epoch), Some(Home::At(_))));
        if holder.block.is_none() && homes && holder.base.is_empty() {
            return unable("a case that counts from nowhere");
        }
        let target = Shape::Struct(case.record);
        let mut rows = self.rows(&inner, &holder, &|row| self.wanted(rows_of, row, &target))?;
        // What decides otherwise is data.
        let spelled = !matches!(inner.view.tag_of(case.record), Some(Tag::Given(_)));
        if let Some(at) = form.filter(|_| spelled) {
            self.keep_form(&inner, case, at, &mut rows)?;
        }
        let numbers = self.numbers_of_case(ctx, case, &inner)?;
        let value = match self.straight.shapes.is_typed(case.record) {
            true => self.literal(rows_of, &target, &rows)?,
            false => quote!(()),
        };
        let (value, rows) = (sink(value), rows.code);
        Ok(quote!(#before #rows #numbers #limit #value))
    }

    /// What is made for a record; if that cannot be made of what is at hand, numbers of the root are
    /// looked for where they stand in the file.
    fn sighted<T>(&self, record: RecordId, make: &dyn Fn() -> Able<T>) -> Able<T> {
        let straight = self.straight;
        if straight.sighted.get() || !straight.needs[record.index()].contains(&self.model.root) {
            return make();
        }
        if let Ok(made) = self.inside(|| straight.perhaps(make)) {
            return Ok(made);
        }
        straight.sighted.set(true);
        let made = make();
        straight.sighted.set(false);
        made
    }

    /// The rows of a case that takes more than a few lines, by its function.
    fn called_case(
        &self,
        ctx: &Ctx<'m>,
        holder: &Holder,
        union: &'m Union,
        case: &'m Case,
        label: &Label,
        sink: Sink<'_>,
    ) -> Able<TokenStream> {
        let (shapes, id) = (self.straight.shapes, case.record);
        let is_value = shapes.is_typed(id) && !shapes.is_transparent(id);
        if self.straight.is_survey()
            || case.whole
            || union.size.is_some()
            || matches!(label, Label::Pattern(_))
            || !is_value
            || self.straight.spelling_outside(id)
        {
            return unable("a case that is read where it stands");
        }
        let has_homes = ctx.view.records[id.index()]
            .rows
            .iter()
            .any(|row| matches!(row.homes.get(ctx.epoch), Some(Home::At(_))));
        let (handed, bytes) = match (&holder.part, &holder.block) {
            (None, Some((block, from, end))) => {
                let bytes = match (from, holder.whole) {
                    (0, true) => quote!(#block),
                    (from, _) => {
                        let from = size(*from);
                        quote!(s::within(#block, #from))
                    }
                };
                (Handed::CaseOfBlock(end - from), bytes)
            }
            (Some((part, true)), _) if !has_homes => (Handed::CaseOfPart, quote!(&mut #part)),
            (Some((part, false)), _) if !has_homes => (Handed::CaseOfPart, quote!(#part)),
            _ => return unable("a case that counts from nowhere"),
        };
        let callee = Callee { record: id, big: ctx.big, pushing: false, handed };
        self.call(callee, ctx.epoch)?;
        if let Some(Body::Made(body)) = self.bodies.borrow().get(&(callee, ctx.epoch))
            && is_small(body)
        {
            return unable("a case that is read where it stands");
        }
        let derived = self.tag_is_derived(ctx, union, case)?;
        let mut inner = ctx.clone();
        inner.frames.push(Frame { record: id, access: Access::Early, at: None, index: None });
        inner.record = id;
        let numbers = self.numbers_of_case(ctx, case, &inner)?;
        let call = self.call_code(callee, &bytes);
        let (value, chain) = (sink(quote!(value)), self.take_chain(ctx, id));
        Ok(quote! {
            #derived
            let value = #call;
            #chain
            #numbers
            #value
        })
    }

    /// Statements that make the value of a case in its function.
    pub(super) fn case_body(&self, ctx: &Ctx<'m>, handed: Handed) -> Able<TokenStream> {
        let id = ctx.record;
        let (at, mut before) = (self.local("a"), TokenStream::new());
        let (block, part) = match handed {
            Handed::CaseOfBlock(width) => {
                before = quote!(let #at = cx.place(block););
                (Some((format_ident!("block"), 0, width)), None)
            }
            _ => (None, Some((format_ident!("part"), false))),
        };
        let base = quote!(#at);
        let holder = Holder { base, block, whole: true, part, case: true };
        let mut inner = ctx.clone();
        inner.frames.push(Frame { record: id, access: Access::Early, at: None, index: None });
        inner.big = self.order_in(&inner, id)?;
        let target = Shape::Struct(id);
        let rows = self.rows(&inner, &holder, &|row| self.wanted(id, row, &target))?;
        let value = self.literal(id, &target, &rows)?;
        let rows = rows.code;
        Ok(quote!(#before #rows let value = #value;))
    }

    /// Steps over the bytes that a pattern covers.
    fn covered(
        &self,
        part: &Ident,
        pattern: Option<&'m Pattern>,
        decision: &Decision,
        inner: &mut Ctx<'m>,
    ) -> Able<TokenStream> {
        let tag = self.local("c");
        let Some(pattern) = pattern else {
            let number = &decision.number;
            inner.tag = Some(tag.clone());
            return Ok(quote!(let #tag = i128::from(#number);));
        };
        let Some((bytes, width)) = &decision.bytes else { return unable("no bytes") };
        let all = u64::from(pattern.width / 8);
        if pattern.width > 64 {
            return unable("a pattern of more than 64 bits");
        }
        let word = self.local("w");
        let code = if all > *width {
            let (more, block) = (all - width, self.local("b"));
            let (more, bits) = (size(more), size(more * 8));
            quote! {
                let #block: &'i [u8; #more] = #part.block()?;
                let #word = #bytes << #bits | s::uint_be::<#more, _>(#block, 0);
            }
        } else {
            let less = u32::try_from((width - all) * 8).unwrap_or(0);
            match less {
                0 => quote!(let #word = #bytes;),
                less => quote!(let #word = #bytes >> #less;),
            }
        };
        inner.pattern = Some((pattern, word.clone()));
        inner.tag = Some(tag.clone());
        Ok(quote!(#code let #tag = i128::from(#word);))
    }

    /// Checks that a derived tag is the first number of its case, if the case has several.
    fn tag_is_derived(&self, ctx: &Ctx<'m>, union: &Union, case: &Case) -> Able<TokenStream> {
        let Tag::Row(row) = union.tag else { return Ok(TokenStream::new()) };
        let definition = self.row(ctx, ctx.record, row);
        if !matches!(definition.role, Role::Derived) {
            return Ok(TokenStream::new());
        }
        Ok(match case.labels.as_slice() {
            [Label::Range(low, high)] if low == high => TokenStream::new(),
            [Label::Text(_)] => TokenStream::new(),
            [Label::Range(low, _), ..] => {
                let (name, low) = (early(ctx.record, row), number(*low));
                quote!(s::holds(#name == #low)?;)
            }
            // It follows from nothing.
            [Label::Else] => TokenStream::new(),
            _ => {
                self.doubt_value("a tag that follows from its case");
                TokenStream::new()
            }
        })
    }

    /// Numbers of the record around that this case says.
    fn numbers_of_case(&self, ctx: &Ctx<'m>, case: &Case, inner: &Ctx<'m>) -> Able<TokenStream> {
        let mut code = TokenStream::new();
        let record = &ctx.view.records[ctx.record.index()];
        for (id, row) in record.numbered_rows() {
            for definer in &row.definers {
                let DefinerScope::Case(union_row, at) = definer.scope else { continue };
                let Some(union) = record.rows.get(union_row.index()).and_then(|row| row.ty.union())
                else {
                    continue;
                };
                let of = &ctx.view.unions[union.index()].cases[at as usize];
                if of.record != case.record {
                    continue;
                }
                let name = early(ctx.record, id);
                let known = self.known.borrow().contains(&name.to_string());
                let stated = match definer.source {
                    DefinerSource::Expr(expr) => self.model.exprs.constant(expr),
                    DefinerSource::Measure { .. } => None,
                };
                match &definer.source {
                    DefinerSource::Expr(_) if known && stated.is_some() => {
                        let n = number(stated.unwrap_or(0));
                        code.extend(quote!(s::holds(#name == #n)?;));
                    }
                    DefinerSource::Measure {
                        measure: Measure::Count,
                        row,
                        factor: 1,
                        offset: 0,
                    } if self.is_counted_by(inner, *row, ctx.record, id) => {}
                    _ => self.doubt_value("a number that a case says"),
                }
            }
        }
        Ok(code)
    }
}

/// Lowest and highest number of an integer.
fn tag_limits(cell: &Cell) -> Option<(i128, i128)> {
    let Storage::Fixed(int) = cell.storage else { return None };
    Some(limits(u32::from(int.bytes) * 8, int.signed))
}

/// Whether code reads little, and nothing many times.
fn is_small(code: &TokenStream) -> bool {
    let mut left = 250_u32;
    reads_little(code, &mut left)
}

fn reads_little(code: &TokenStream, left: &mut u32) -> bool {
    code.clone().into_iter().all(|token| {
        let Some(less) = left.checked_sub(1) else { return false };
        *left = less;
        match token {
            TokenTree::Group(group) => reads_little(&group.stream(), left),
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                !matches!(&*name, "for" | "while" | "gathered")
                    && !name.starts_with("read__")
                    && !name.starts_with("push__")
            }
            _ => true,
        }
    })
}
