//! Rules that a value must keep once it is placed.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::put::Put;
use super::src::{Ctx, Src, constant_item};
use super::{Gen, float_width, strip};
use crate::model::{
    ArrayLength, Check, CheckKind, DefinerScope, DefinerSource, Expr, ExprId, Label, Meaning,
    Measure, RecordId, Role, Row, RowId, RowKind, RunLength, Tag, Target, Type, UnionId,
};
use crate::rust::expr::mentions_position;
use crate::rust::plan::own_row;
use crate::rust::shape::Shape;

impl<'m> Gen<'_, 'm> {
    /// The function that checks a record; nothing if there is nothing to check.
    pub fn check_fn(&self, id: RecordId) -> TokenStream {
        let body = self.check_body(id);
        if body.is_empty() {
            return quote!();
        }
        let name = format_ident!("check_{}", id.0);
        let ty = self.value_ty(id);
        quote! {
            fn #name<'v>(cx: &mut Writer<'v>, node: rt::NodeId, value: &'v #ty) {
                #body
            }
        }
    }

    pub fn check_body(&self, id: RecordId) -> TokenStream {
        let ctx = Ctx { id, noded: self.plan.noded(id) };
        let record = &self.model.records[id.index()];
        let mut code = TokenStream::new();
        for (row_id, row) in (0_u32..).map(RowId).zip(&record.rows) {
            code.extend(self.check_row(ctx, row_id, row));
        }
        for check in &record.checks {
            let CheckKind::Holds(condition) = &check.kind else { continue };
            let holds = self.truth(ctx, *condition, &quote!(rt::None));
            let text = &check.text;
            let at = if ctx.noded {
                quote!(w::at(node, rt::None))
            } else {
                quote!(w::at(w::NOWHERE, rt::None))
            };
            code.extend(quote! {
                match #holds {
                    rt::Ok(true) => {}
                    rt::Ok(false) => cx.w.problem(#at, w::ProblemKind::CheckFailed {
                        check: #text.into(),
                    }),
                    rt::Err(fault) => cx.w.report(*fault, #at),
                }
            });
        }
        code
    }

    fn check_row(&self, ctx: Ctx, row_id: RowId, row: &'m Row) -> TokenStream {
        let slot = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded);
        let at = ctx.at(self, row_id);
        let put = Put { ctx, row_id, row, slot, at: at.clone() };
        let mut presence = self.check_presence(&put);
        if matches!(row.kind, RowKind::Slice { .. }) {
            return presence;
        }
        presence.extend(self.check_tag(&put));
        let mut code = self.check_count(&put);
        code.extend(self.check_given(&put));
        code.extend(self.check_reference(&put));
        code.extend(self.check_rules(&put));
        code.extend(self.check_unique_rows(&put));
        code.extend(self.check_inside(&put));
        if code.is_empty() {
            return presence;
        }
        let force = (!row.checks.is_empty()).then(|| {
            slot.map(|slot| {
                quote! {
                    if let rt::Err(fault) = rt::Engine::force(cx, node, #slot) {
                        cx.w.report(*fault, #at);
                    }
                }
            })
        });
        let derived = matches!(row.role, Role::Derived | Role::Kept(_));
        let there = match (slot, self.access(ctx.id, row_id, &quote!(value))) {
            (Some(slot), _) => Some(quote!(!::core::matches!(
                cx.w.tree.slot(node, #slot).item,
                rt::Item::Absent | rt::Item::Unset
            ))),
            (None, Some(Src { code, shape: Some(Shape::Option(_)) })) if !derived => {
                Some(quote!((#code).is_some()))
            }
            _ => {
                match self.epochs_where(row, |home| *home == crate::model::Home::Absent).as_slice()
                {
                    [] => None,
                    epochs => Some(quote!(!::core::matches!(cx.w.epoch, #(#epochs)|*))),
                }
            }
        };
        let code = match there {
            Some(there) => quote!(#force if #there { #code }),
            None => quote!({ #code }),
        };
        quote!(#presence #code)
    }

    fn check_presence(&self, put: &Put<'m>) -> TokenStream {
        let row = put.row;
        let Some(condition) = &row.when else { return quote!() };
        let optional =
            matches!(row.kind, RowKind::Plain | RowKind::Object { .. } | RowKind::Value { .. });
        // What has a slot is known to be none or not there by what is in it.
        let none = put.slot.is_none() && self.pointer_may_be_none(row);
        let left_out = none || matches!(row.role, Role::Default(_));
        let follows = matches!(
            row.role,
            Role::Derived | Role::Fixed | Role::Kept(_) | Role::View { .. } | Role::Spelling
        );
        if !optional || follows || mentions_position(self.plan.model, *condition) {
            return quote!();
        }
        let there = match (put.slot, self.access(put.ctx.id, put.row_id, &quote!(value))) {
            (Some(slot), _) => {
                quote!(!::core::matches!(cx.w.tree.slot(node, #slot).item, rt::Item::Absent))
            }
            (None, Some(Src { code, shape: Some(Shape::Option(_)) })) => quote!((#code).is_some()),
            _ => return quote!(),
        };
        let holds = self.truth(put.ctx, *condition, &quote!(rt::None));
        let at = &put.at;
        let homes = self.epochs_where(row, |home| *home != crate::model::Home::Absent);
        let missing = if left_out {
            quote!({})
        } else {
            quote!(cx.w.problem(#at, w::ProblemKind::MissingField))
        };
        let code = quote! {
            match (#holds, #there) {
                (rt::Ok(true), false) => #missing,
                (rt::Ok(false), true) => cx.w.problem(#at, w::ProblemKind::UnexpectedField {
                    why: "its condition does not hold".into(),
                }),
                (rt::Ok(_), _) => {}
                (rt::Err(fault), _) => cx.w.report(*fault, #at),
            }
        };
        self.in_epochs(&homes, code)
    }

    fn check_count(&self, put: &Put<'m>) -> TokenStream {
        self.check_count_of(put, &put.row.ty)
    }

    fn check_count_of(&self, put: &Put<'m>, ty: &'m Type) -> TokenStream {
        if let Type::PerEpoch(types) = ty {
            let mut any = false;
            let arms: Vec<TokenStream> = types
                .iter()
                .enumerate()
                .map(|(epoch, ty)| {
                    let code = self.check_count_of(put, ty);
                    any |= !code.is_empty();
                    quote!(#epoch => { #code })
                })
                .collect();
            return if any { quote!(match cx.w.epoch { #(#arms)* _ => {} }) } else { quote!() };
        }
        let at = &put.at;
        let Some(count) = count_of(ty) else { return self.check_last(put, ty) };
        if mentions_position(self.plan.model, count) || self.counts_itself(put, count) {
            return quote!();
        }
        let Some(actual) = self.count(put.ctx, put.row_id, put.row, &quote!(value), &quote!(node))
        else {
            return quote!();
        };
        let val = self.val(put.ctx, count, &quote!(rt::None));
        let why = match &self.model[count] {
            Expr::Path(path) => format!("the count is `{}`", path.text),
            _ => "another field gives the count".to_owned(),
        };
        let there = match put.slot {
            Some(slot) => {
                quote!(
                    !::core::matches!(cx.w.tree.item(rt::Loc::slot(node, #slot)), rt::Item::Absent)
                )
            }
            None => quote!(true),
        };
        quote! {
            if #there { match (#actual, #val) {
                (rt::Ok(rt::Val::Int(actual)), rt::Ok(expected)) => {
                    cx.w.compare_count(#at, &expected, actual, #why);
                }
                (rt::Err(fault), _) | (_, rt::Err(fault)) => cx.w.report(*fault, #at),
                _ => {}
            } }
        }
    }

    /// Whether a count is a row that follows from nothing but what it counts.
    fn counts_itself(&self, put: &Put<'m>, count: ExprId) -> bool {
        let Some(row) = own_row(self.plan.model, count, put.ctx.id) else { return false };
        let row = self.row(put.ctx.id, row);
        matches!(row.role, Role::Derived)
            && matches!(row.definers.as_slice(), [definer]
                if matches!(definer.scope, DefinerScope::Own)
                    && matches!(&definer.source, DefinerSource::Measure {
                        measure: Measure::Count, row, factor: 1, offset: 0,
                    } if *row == put.row_id))
    }

    /// `last=` holds for the last element, and for no other.
    fn check_last(&self, put: &Put<'m>, ty: &'m Type) -> TokenStream {
        let Type::Array(array) = strip(ty) else { return quote!() };
        let ArrayLength::Last(last) = &array.length else { return quote!() };
        let at = &put.at;
        let Some(src) = self.access(put.ctx.id, put.row_id, &quote!(value)) else {
            return quote!();
        };
        let (code, element) = match &src.shape {
            Some(Shape::List(inner) | Shape::Fixed(inner, _)) => (&src.code, (**inner).clone()),
            _ => return quote!(),
        };
        let it = self.it(put, &Src::typed(quote!(x), element), true);
        let holds = self.truth(put.ctx, *last, &quote!(rt::Some(&it)));
        quote! {
            let count = (#code).len();
            for (index, x) in (0_u32..).zip((#code).iter()) {
                let it: rt::Val<'v> = #it;
                match #holds {
                    rt::Ok(holds) => if holds != (index as usize + 1 == count) {
                        let why = if holds { "ends the array" } else { "must end the array" };
                        cx.last(#at.element(index), why);
                    },
                    rt::Err(fault) => cx.w.report(*fault, #at),
                }
            }
            if count == 0 {
                cx.w.problem(#at, w::ProblemKind::LengthMismatch {
                    expected: 1,
                    actual: 0,
                    why: "an element must end the array".into(),
                });
            }
        }
    }

    /// Code of type `Val` for what a rule is about.
    fn it(&self, put: &Put<'m>, src: &Src, element: bool) -> TokenStream {
        let node = matches!(
            src.shape.as_ref().map(bare),
            Some(Shape::Struct(_) | Shape::Choice(_) | Shape::List(_) | Shape::Fixed(..))
        );
        if node {
            if let Some(slot) = put.slot {
                let index = if element { quote!(rt::Some(index)) } else { quote!(rt::None) };
                return quote!(match cx.it(rt::Loc { node, slot: #slot, index: #index }) {
                    rt::Ok(val) => val,
                    rt::Err(_) => rt::Val::None,
                });
            }
            return quote!(rt::Val::None);
        }
        let item = match &src.shape {
            Some(Shape::Option(inner)) => {
                let x = Src::typed(quote!(x), (**inner).clone());
                let item = self.datum(&x);
                let code = &src.code;
                quote!(match #code { rt::Some(x) => #item, rt::None => rt::Item::Absent })
            }
            _ => self.datum(src),
        };
        quote!(rt::Val::of(&#item))
    }

    fn check_rules(&self, put: &Put<'m>) -> TokenStream {
        let row = put.row;
        if row.checks.is_empty() {
            return quote!();
        }
        let at = &put.at;
        let own = matches!(row.role, Role::Derived | Role::Kept(_))
            || matches!(row.kind, RowKind::Constant(_));
        let (before, src) = if own {
            let (before, src) = self.own_source(put);
            (before, src)
        } else {
            match self.access(put.ctx.id, put.row_id, &quote!(value)) {
                Some(src) => (quote!(), src),
                None => return quote!(),
            }
        };
        if let Some(Shape::List(inner) | Shape::Fixed(inner, _)) = src.shape.as_ref().map(bare) {
            let list = through(&src);
            let x = Src::typed(quote!(x), (**inner).clone());
            let it = self.it(put, &x, true);
            let element = quote!((#at).element(index));
            let rules = row.checks.iter().map(|check| self.rule(put, check, &element));
            return quote! {
                if let rt::Some(list) = #list {
                    for (index, x) in (0_u32..).zip(list.iter()) {
                        let it: rt::Val<'v> = #it;
                        #(#rules)*
                    }
                }
            };
        }
        let it = self.it(put, &src, false);
        let rules = row.checks.iter().map(|check| self.rule(put, check, at));
        let body = if own {
            // A derived row without a slot reports its own fault.
            let name = quote!(rt::Fallible<()>);
            quote! {
                let checked: #name = (|cx: &mut Writer<'v>| {
                    #before
                    let it: rt::Val<'v> = #it;
                    #(#rules)*
                    rt::Ok(())
                })(cx);
                if let rt::Err(fault) = checked {
                    cx.w.report(*fault, #at);
                }
            }
        } else {
            quote! {
                let it: rt::Val<'v> = #it;
                #(#rules)*
            }
        };
        quote!({ #body })
    }

    /// Code for the item of a constant or derived row.
    fn own_source(&self, put: &Put<'m>) -> (TokenStream, Src) {
        let (ctx, row, at) = (put.ctx, put.row, &put.at);
        let src = Src::item(quote!(&item));
        if let RowKind::Constant(constant) = &row.kind {
            let item = constant_item(constant, float_width(self, &row.ty));
            return (quote!(let item: rt::Item<'v> = #item;), src);
        }
        let item = match put.slot {
            Some(slot) => quote! {
                rt::Engine::force(cx, node, #slot)
                    .map(|()| cx.w.tree.slot(node, #slot).item.clone())
            },
            None => {
                let (record, number) =
                    (super::number(ctx.id.index()), super::number(put.row_id.index()));
                let value = self.src_of_value(ctx.id);
                quote!(w::derived_item(cx, #record, #number, node, #value))
            }
        };
        let before = quote! {
            let item: rt::Item<'v> = match #item {
                rt::Ok(item) => item,
                rt::Err(fault) => {
                    cx.w.report(*fault, #at);
                    rt::Item::Absent
                }
            };
        };
        (before, src)
    }

    fn rule(&self, put: &Put<'m>, check: &'m Check, at: &TokenStream) -> TokenStream {
        let text = match check.kind {
            CheckKind::Min(_) => format!("it >= {}", check.text),
            CheckKind::Max(_) => format!("it <= {}", check.text),
            CheckKind::OneOf(_) => format!("it in {}", check.text),
            CheckKind::Equals(_) => format!("it == {}", check.text),
            CheckKind::Holds(_) => check.text.clone(),
        };
        let (rule, limits): (TokenStream, Vec<ExprId>) = match &check.kind {
            CheckKind::Min(e) => (quote!(Min), vec![*e]),
            CheckKind::Max(e) => (quote!(Max), vec![*e]),
            CheckKind::OneOf(list) => (quote!(OneOf), list.clone()),
            CheckKind::Equals(e) => (quote!(Equals), vec![*e]),
            CheckKind::Holds(e) => (quote!(Holds), vec![*e]),
        };
        let limits: Vec<TokenStream> =
            limits.into_iter().map(|e| self.val(put.ctx, e, &quote!(rt::Some(&it)))).collect();
        let names: Vec<_> = (0..limits.len()).map(|i| format_ident!("limit{i}")).collect();
        quote! {{
            let broken = (|| -> rt::Fallible<bool> {
                #(let #names = #limits?;)*
                w::broken_rule(w::Rule::#rule, &it, &[#(#names),*])
            })();
            match broken {
                rt::Ok(false) => {}
                rt::Ok(true) => cx.w.problem(#at, w::ProblemKind::CheckFailed {
                    check: #text.into(),
                }),
                rt::Err(fault) => cx.w.report(*fault, #at),
            }
        }}
    }

    fn check_reference(&self, put: &Put<'m>) -> TokenStream {
        let Some(reference) = &put.row.reference else { return quote!() };
        if matches!(put.row.role, Role::Derived) {
            return quote!();
        }
        let path = self.plan.path(&reference.array);
        let field = match &reference.field {
            Some(field) => quote!(rt::Some(#field)),
            None => quote!(rt::None),
        };
        let at = &put.at;
        let src = match self.access(put.ctx.id, put.row_id, &quote!(value)) {
            Some(Src { shape: Some(Shape::Kept(_)), .. }) | None => match put.slot {
                Some(slot) => {
                    return quote! {{
                        let item = cx.w.tree.slot(node, #slot).item.clone();
                        let number = w::Number::number(&item);
                        let one = ::core::iter::once((rt::None, number));
                        if let rt::Err(fault) = cx.check_references(#path, #field, node, #at, one) {
                            cx.w.report(*fault, #at);
                        }
                    }};
                }
                None => return quote!(),
            },
            Some(src) => src,
        };
        let numbers = match src.shape.as_ref().map(bare) {
            Some(Shape::List(_) | Shape::Fixed(..)) => {
                let list = through(&src);
                quote!((#list).into_iter().flat_map(|list| {
                    (0_u32..).map(rt::Some).zip(list.iter().map(w::Number::number))
                }))
            }
            _ => {
                let number = src.number();
                quote!(::core::iter::once((rt::None, #number)))
            }
        };
        quote! {
            if let rt::Err(fault) = cx.check_references(#path, #field, node, #at, #numbers) {
                cx.w.report(*fault, #at);
            }
        }
    }

    fn check_unique_rows(&self, put: &Put<'m>) -> TokenStream {
        if !put.row.unique {
            return quote!();
        }
        let at = &put.at;
        let src = self.access(put.ctx.id, put.row_id, &quote!(value));
        if let Some(src) = &src
            && let Some(Shape::List(inner) | Shape::Fixed(inner, _)) = src.shape.as_ref().map(bare)
        {
            if matches!(
                bare(inner),
                Shape::Struct(_) | Shape::Choice(_) | Shape::Str | Shape::Bytes | Shape::Utf16
            ) {
                return quote!();
            }
            let list = through(src);
            return quote! {
                if let rt::Some(list) = #list {
                    cx.check_unique(#at, list.iter().map(w::Number::number));
                }
            };
        }
        if matches!(super::build::target(&put.row.ty), Type::Array(_))
            && let Some(slot) = put.slot
        {
            return quote! {{
                let item = cx.w.tree.slot(node, #slot).item.clone();
                let numbers = w::items_of(&item).iter().map(w::Number::number);
                cx.check_unique(#at, numbers);
            }};
        }
        let name = put.row.name.clone().unwrap_or_default();
        quote!(cx.check_unique_row(node, #name);)
    }

    /// The case of a union must be the one that data elsewhere says.
    fn check_given(&self, put: &Put<'m>) -> TokenStream {
        let Some(id) = put.row.ty.union() else { return quote!() };
        let union = &self.model.unions[id.index()];
        let Tag::Given(given) = &union.tag else { return quote!() };
        if !matches!(strip(&put.row.ty), Type::Union(_)) {
            return quote!();
        }
        let Some(src) = self.access(put.ctx.id, put.row_id, &quote!(value)) else {
            return quote!();
        };
        let at = &put.at;
        let val = self.val(put.ctx, *given, &quote!(rt::None));
        let mut tests = TokenStream::new();
        for otherwise in [false, true] {
            for (index, case) in (0_u32..).zip(&union.cases) {
                if case.labels.contains(&Label::Else) != otherwise {
                    continue;
                }
                let mut test = labels_take(&case.labels);
                if !case.epochs.iter().all(|e| *e) {
                    let epochs: Vec<usize> =
                        (0..case.epochs.len()).filter(|epoch| case.epochs[*epoch]).collect();
                    test = quote!(::core::matches!(cx.w.epoch, #(#epochs)|*) && #test);
                }
                if let Some(guard) = &case.guard {
                    let guard = self.truth(put.ctx, *guard, &quote!(rt::None));
                    test = quote!(#test && (#guard)?);
                }
                tests.extend(quote!(if #test { return rt::Ok((val, rt::Some(#index))); }));
            }
        }
        let names = union.cases.iter().map(|case| &case.name);
        let actual = self.case_number(id, &src);
        quote! {{
            let wanted = (|| -> rt::Fallible<(rt::Val<'v>, rt::Option<u32>)> {
                let val: rt::Val<'v> = (#val)?;
                #tests
                rt::Ok((val, rt::None))
            })();
            let actual: rt::Option<u32> = #actual;
            match wanted {
                rt::Ok((val, wanted)) => if actual.is_some() && wanted != actual {
                    cx.wrong_case(#at, &val, wanted, &[#(#names),*]);
                },
                rt::Err(fault) => cx.w.report(*fault, #at),
            }
        }}
    }

    fn case_number(&self, id: UnionId, src: &Src) -> TokenStream {
        let union = &self.model.unions[id.index()];
        let ident = self.shapes.union_ident(id);
        let code = &src.code;
        match &src.shape {
            Some(Shape::Option(inner)) => {
                let x = Src::typed(quote!(x), (**inner).clone());
                let inner = self.case_number(id, &x);
                quote!((#code).as_ref().and_then(|x| #inner))
            }
            Some(Shape::Boxed(inner)) => {
                let x = Src::typed(quote!(&**#code), (**inner).clone());
                self.case_number(id, &x)
            }
            _ => {
                let arms = (0_u32..).zip(&union.cases).map(|(index, _)| {
                    let (variant, _) = self.shapes.variant(id, index);
                    quote!(super::#ident::#variant { .. } => rt::Some(#index),)
                });
                quote!(match #code { #(#arms)* })
            }
        }
    }

    /// Checks of records without nodes in a row.
    fn check_inside(&self, put: &Put<'m>) -> TokenStream {
        let Some(src) = self.access(put.ctx.id, put.row_id, &quote!(value)) else {
            return quote!();
        };
        if matches!(src.shape, Some(Shape::Kept(_))) {
            return quote!();
        }
        self.check_type(&put.row.ty, &src, &put.at)
    }

    fn check_type(&self, ty: &'m Type, src: &Src, at: &TokenStream) -> TokenStream {
        let code = &src.code;
        match &src.shape {
            Some(Shape::Boxed(inner)) => {
                let src = Src::typed(quote!(&**#code), (**inner).clone());
                return self.check_type(ty, &src, at);
            }
            Some(Shape::Option(inner)) => {
                let some = Src::typed(quote!(x), (**inner).clone());
                let inner = self.check_type(ty, &some, at);
                if inner.is_empty() {
                    return inner;
                }
                return quote!(if let rt::Some(x) = #code { #inner });
            }
            _ => {}
        }
        match ty {
            Type::PerEpoch(types) => {
                let mut any = false;
                let arms: Vec<TokenStream> = types
                    .iter()
                    .enumerate()
                    .map(|(epoch, ty)| {
                        let code = self.check_type(ty, src, at);
                        any |= !code.is_empty();
                        quote!(#epoch => { #code })
                    })
                    .collect();
                if any { quote!(match cx.w.epoch { #(#arms)* _ => {} }) } else { quote!() }
            }
            Type::Record(record) => self.check_direct(*record, src, at),
            Type::Cell(cell) => match cell.meaning {
                Meaning::Word(word) if !self.shapes.is_plain_word(word) => {
                    self.check_direct(word, src, at)
                }
                _ => quote!(),
            },
            Type::Region(region) => self.check_type(&region.inner, src, at),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => self.check_type(target, src, at),
                _ => quote!(),
            },
            Type::Array(array) => {
                let Some(Shape::List(inner) | Shape::Fixed(inner, _)) = &src.shape else {
                    return quote!();
                };
                let x = Src::typed(quote!(x), (**inner).clone());
                let body = self.check_type(&array.element, &x, &quote!((#at).element(index)));
                if body.is_empty() {
                    return body;
                }
                quote! {
                    for (index, x) in (0_u32..).zip((#code).iter()) {
                        #body
                    }
                }
            }
            Type::Union(id) => {
                let union = &self.model.unions[id.index()];
                let ident = self.shapes.union_ident(*id);
                let mut any = false;
                let arms: Vec<TokenStream> = (0_u32..)
                    .zip(&union.cases)
                    .map(|(index, case)| {
                        let (variant, payload) = self.shapes.variant(*id, index);
                        let (pattern, inner) = match payload {
                            Some(record) => (
                                quote!(super::#ident::#variant(x)),
                                Src::typed(quote!(x), Shape::Struct(record)),
                            ),
                            None => (
                                quote!(super::#ident::#variant),
                                Src::typed(quote!(()), Shape::Bool),
                            ),
                        };
                        let body = self.check_direct(case.record, &inner, at);
                        any |= !body.is_empty();
                        quote!(#pattern => { #body })
                    })
                    .collect();
                if any { quote!(match #code { #(#arms)* }) } else { quote!() }
            }
            _ => quote!(),
        }
    }

    fn check_direct(&self, record: RecordId, src: &Src, at: &TokenStream) -> TokenStream {
        if self.plan.noded(record) || !self.is_checked(record) {
            return quote!();
        }
        let name = format_ident!("check_{}", record.0);
        let value = self.value_of(record, src);
        quote! {{
            let from = cx.w.problems.len();
            #name(cx, node, #value);
            cx.w.within(from, #at);
        }}
    }
}

/// Code of type `Option<&[T]>`-like for a list behind options and boxes.
fn through(src: &Src) -> TokenStream {
    let code = &src.code;
    match &src.shape {
        Some(Shape::Option(inner)) => match **inner {
            Shape::Boxed(_) => quote!((#code).as_deref()),
            _ => quote!((#code).as_ref()),
        },
        Some(Shape::Boxed(_)) => quote!(rt::Some(&**#code)),
        _ => quote!(rt::Some(#code)),
    }
}

fn bare(shape: &Shape) -> &Shape {
    match shape {
        Shape::Option(inner) | Shape::Boxed(inner) => bare(inner),
        other => other,
    }
}

/// Code of type `bool` for whether labels take `val`.
fn labels_take(labels: &[Label]) -> TokenStream {
    let tests = labels.iter().map(|label| match label {
        Label::Range(low, high) => {
            let low = proc_macro2::Literal::i128_suffixed(*low);
            let high = proc_macro2::Literal::i128_suffixed(*high);
            quote!(w::takes_number(&val, #low, #high))
        }
        Label::Text(text) => quote!(w::takes_text(&val, #text)),
        Label::Pattern(_) => quote!(false),
        Label::Else => quote!(true),
    });
    quote!((false #(|| #tests)*))
}

/// The expression for the number of elements of a row, or of what its pointer leads to.
fn count_of(ty: &Type) -> Option<ExprId> {
    match ty {
        Type::Array(array) => match &array.length {
            ArrayLength::Count(count) => Some(*count),
            _ => None,
        },
        Type::Run(run) => match &run.length {
            RunLength::Count(count) => Some(*count),
            _ => None,
        },
        Type::Region(region) => count_of(&region.inner),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => count_of(target),
            _ => None,
        },
        _ => None,
    }
}
