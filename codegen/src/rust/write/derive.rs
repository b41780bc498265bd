//! Numbers that follow from others.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::put::Put;
use super::src::{Ctx, Src, coding};
use super::{Gen, mentions_position, number, strip};
use crate::model::{
    DefinerScope, DefinerSource, Expr, Label, Measure, PoolOrder, RecordId, Role, Row, RowId,
    RowKind, Target, Type,
};
use crate::rust::shape::Shape;
use crate::rust::visit::union_in;

impl<'m> Gen<'_, 'm> {
    /// Code of type `Fallible<Val>` for an expression in the node `node` with fields in `value`.
    pub fn val(&self, ctx: Ctx, e: &Expr, it: &TokenStream) -> TokenStream {
        if !ctx.noded {
            let local = |row: RowId| -> Option<TokenStream> {
                if row == crate::rust::expr::IT {
                    return Some(quote!(it.clone()));
                }
                self.local_row(ctx, row)
            };
            if let Some(code) = self.plan.local(e, ctx.id, &local) {
                return quote!({ let val: rt::Fallible<rt::Val<'_>> = #code; val });
            }
        } else if let Some(n) = e.constant() {
            let n = Literal::i128_suffixed(n);
            return quote!({
                let val: rt::Fallible<rt::Val<'_>> = rt::Ok(rt::Val::Int(#n));
                val
            });
        }
        let n = self.plan.expr(e, ctx.id);
        quote!(rt::Engine::expr(cx, #n, node, #it))
    }

    /// An own row of a record without a node, as code of type `Val`.
    fn local_row(&self, ctx: Ctx, row_id: RowId) -> Option<TokenStream> {
        let row = self.row(ctx.id, row_id);
        match self.access(ctx.id, row_id, &quote!(value)) {
            Some(src) => {
                let item = match &src.shape {
                    Some(Shape::Option(inner)) => {
                        let x = Src::typed(quote!(x), (**inner).clone());
                        let item = self.datum(&x);
                        let code = &src.code;
                        if matches!(row.role, Role::Derived) {
                            let derived = self.derive(ctx, row, &quote!(value));
                            return Some(quote!(match #code {
                                rt::Some(x) => rt::Val::of(&#item),
                                rt::None => {
                                    let derived: rt::Fallible<rt::Option<rt::Val<'v>>> = #derived;
                                    derived?.unwrap_or(rt::Val::None)
                                }
                            }));
                        }
                        quote!(match #code { rt::Some(x) => #item, rt::None => rt::Item::Absent })
                    }
                    _ => self.datum(&src),
                };
                Some(quote!(rt::Val::of(&#item)))
            }
            None => match &row.kind {
                RowKind::Constant(constant) => {
                    let item =
                        super::src::constant_item(constant, super::float_width(self, &row.ty));
                    Some(quote!(rt::Val::of(&#item)))
                }
                _ if matches!(row.role, Role::Derived) => {
                    let derived = self.derive(ctx, row, &quote!(value));
                    Some(quote!({
                        let derived: rt::Fallible<rt::Option<rt::Val<'v>>> = #derived;
                        derived?.unwrap_or(rt::Val::None)
                    }))
                }
                _ => None,
            },
        }
    }

    /// Code of type `Fallible<bool>`.
    pub fn truth(&self, ctx: Ctx, e: &Expr, it: &TokenStream) -> TokenStream {
        let val = self.val(ctx, e, it);
        quote!((#val).and_then(|val| rt::truth_of(&val)))
    }

    /// Code of type `Fallible<Option<i128>>`.
    pub fn int(&self, ctx: Ctx, e: &Expr, it: &TokenStream) -> TokenStream {
        let val = self.val(ctx, e, it);
        quote!((#val).and_then(|val| rt::int_of(&val)))
    }

    /// Notes that a length must agree with an expression.
    pub fn expect(&self, put: &Put<'m>, e: &Expr, actual: &TokenStream, what: &str) -> TokenStream {
        if mentions_position(e) {
            return quote!();
        }
        let at = &put.at;
        if put.ctx.noded {
            let n = self.plan.expr(e, put.ctx.id);
            return quote! {
                if M == w::LAY {
                    w::Write::expect(cx, #at, node, #n, #actual, #what);
                }
            };
        }
        let n = self.int(put.ctx, e, &quote!(rt::None));
        quote! {
            if M == w::LAY {
                match #n {
                    rt::Ok(rt::Some(expected)) => cx.w.compare_length(#at, expected, #actual, #what),
                    rt::Ok(rt::None) => {}
                    rt::Err(fault) => cx.w.report(*fault, #at),
                }
            }
        }
    }

    /// Code of type `bool`: whether an equation gives a row its number here.
    pub fn is_derived(&self, ctx: Ctx, row: &Row) -> TokenStream {
        let mut code = quote!(false);
        for definer in &row.definers {
            let applies = match &definer.scope {
                DefinerScope::Own => return quote!(true),
                DefinerScope::Case(union_row, case) => {
                    self.case_test(ctx, *union_row, *case, &quote!(value))
                }
                DefinerScope::Owner(owner, path) => {
                    let Some(scope) = self.owner_scope(*owner, path) else { continue };
                    quote!((#scope).is_some())
                }
            };
            code = quote!(#code || #applies);
        }
        code
    }

    /// Code of type `bool`: whether a union has a case.
    fn case_test(&self, ctx: Ctx, row: RowId, case: u32, value: &TokenStream) -> TokenStream {
        let (Some(src), Some(union)) =
            (self.access(ctx.id, row, value), union_in(&self.row(ctx.id, row).ty))
        else {
            return quote!(false);
        };
        let ident = self.shapes.union_ident(union);
        let (variant, _) = self.shapes.variant(union, case);
        let code = &src.code;
        match &src.shape {
            Some(Shape::Option(_)) => {
                quote!(::core::matches!(#code, rt::Some(super::#ident::#variant { .. })))
            }
            _ => quote!(::core::matches!(#code, super::#ident::#variant { .. })),
        }
    }

    fn owner_scope(&self, owner: RecordId, path: &[RowId]) -> Option<TokenStream> {
        let record = number(owner.index());
        let (_, way) = path.split_last()?;
        let mut at = owner;
        let mut slots = Vec::new();
        for row in way {
            slots.push(self.plan.slot(at, *row)?);
            let mut next = None;
            crate::rust::plan::held(self.model, &self.row(at, *row).ty, &mut |inner| {
                next.get_or_insert(inner);
            });
            at = next?;
        }
        Some(quote!(w::owner_scope(&cx.w.tree, node, #record, &[#(#slots),*])))
    }

    /// Code of type `Fallible<Option<Val>>`: what the equations of a row give.
    pub fn derive(&self, ctx: Ctx, row: &'m Row, value: &TokenStream) -> TokenStream {
        let mut code = quote!(rt::Ok(rt::None));
        for definer in row.definers.iter().rev() {
            code = match &definer.scope {
                DefinerScope::Own => {
                    let source = self.source(ctx, &definer.source, value, &quote!(node));
                    quote!((#source).map(rt::Some))
                }
                DefinerScope::Case(union_row, case) => {
                    let Some(union) = union_in(&self.row(ctx.id, *union_row).ty) else { continue };
                    let Some(src) = self.access(ctx.id, *union_row, value) else { continue };
                    let record = self.model.unions[union.index()].cases[*case as usize].record;
                    let ident = self.shapes.union_ident(union);
                    let (variant, payload) = self.shapes.variant(union, *case);
                    let x = match payload {
                        Some(_) => Src::typed(quote!(x), Shape::Struct(record)),
                        None => Src::typed(quote!(()), Shape::Bool),
                    };
                    let inner_value = self.value_of(record, &x);
                    let inner = Ctx { id: record, noded: self.plan.noded(record) };
                    let source = self.source(inner, &definer.source, &inner_value, &quote!(inner));
                    let bind = payload.map(|_| quote!((x)));
                    let pattern = quote!(super::#ident::#variant #bind);
                    let pattern = match &src.shape {
                        Some(Shape::Option(_)) => quote!(rt::Some(#pattern)),
                        _ => pattern,
                    };
                    let node = match self.plan.slot(ctx.id, *union_row).filter(|_| inner.noded) {
                        Some(slot) => quote! {
                            let inner = cx.node_at(rt::Loc::slot(node, #slot)).unwrap_or(node);
                        },
                        None => quote!(let inner = node;),
                    };
                    let given = &src.code;
                    quote!(match #given {
                        #pattern => { #node (#source).map(rt::Some) }
                        _ => #code,
                    })
                }
                DefinerScope::Owner(owner, path) => {
                    let Some(scope) = self.owner_scope(*owner, path) else { continue };
                    let outer = Ctx { id: *owner, noded: true };
                    let value_code = if self.has_value(*owner) {
                        let name = format_ident!("value_{}", owner.0);
                        quote!(#name(cx, scope))
                    } else {
                        self.nothing(*owner)
                    };
                    let source =
                        self.source(outer, &definer.source, &quote!(value), &quote!(scope));
                    quote!(match #scope {
                        rt::Some(scope) => {
                            let value = #value_code;
                            (#source).map(rt::Some)
                        }
                        rt::None => #code,
                    })
                }
            };
        }
        code
    }

    /// Code of type `Fallible<Val>` for one side of an equation.
    fn source(
        &self,
        ctx: Ctx,
        source: &'m DefinerSource,
        value: &TokenStream,
        node: &TokenStream,
    ) -> TokenStream {
        match source {
            DefinerSource::Expr(e) => {
                let val = self.val(ctx, e, &quote!(rt::None));
                let load = if ctx.noded && e.constant().is_none() {
                    quote!(.and_then(|val| rt::Engine::load(cx, val)))
                } else {
                    quote!()
                };
                quote!({ let (node, value) = (#node, #value); (#val)#load })
            }
            DefinerSource::Measure { measure, row, factor, offset } => {
                let measured = self.measure(ctx, measure, *row, value, node);
                if *factor == 1 && *offset == 0 {
                    return measured;
                }
                let (factor, offset) =
                    (Literal::i128_suffixed(*factor), Literal::i128_suffixed(*offset));
                quote!((#measured).and_then(|val| w::exactly(val, #factor, #offset)))
            }
        }
    }

    fn measure(
        &self,
        ctx: Ctx,
        measure: &'m Measure,
        row_id: RowId,
        value: &TokenStream,
        node: &TokenStream,
    ) -> TokenStream {
        let row = self.row(ctx.id, row_id);
        let slot = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded);
        let loc = slot.map(|slot| quote!(rt::Loc::slot(#node, #slot)));
        match measure {
            Measure::Count => match self.count(ctx, row_id, row, value, node) {
                Some(count) => count,
                None => quote!(rt::Ok(rt::Val::None)),
            },
            Measure::Size => match loc {
                Some(loc) => quote!(cx.row_size(#loc)),
                None => quote!(rt::Ok(rt::Val::None)),
            },
            Measure::End => match loc {
                Some(loc) => quote!(cx.placed(#loc, true, rt::None)),
                None => quote!(rt::Ok(rt::Val::None)),
            },
            Measure::At(base) => {
                let Some(loc) = loc else { return quote!(rt::Ok(rt::Val::None)) };
                let n = self.plan.expr(base, ctx.id);
                quote!(cx.placed(#loc, false, rt::Some(#n)))
            }
            Measure::Base => {
                let (Some(loc), RowKind::Slice { table, factor, offset, empty_base, .. }) =
                    (loc, &row.kind)
                else {
                    return quote!(rt::Ok(rt::Val::None));
                };
                let path = self.plan.path(table);
                let empty = super::put::option_i128(empty_base.and_then(|stored| {
                    stored.checked_mul(*factor).and_then(|n| n.checked_add(*offset))
                }));
                quote!(w::Tables::slice_base(cx, #loc, #path, #empty).map(rt::Val::Int))
            }
            Measure::Tag => self.tag(ctx, row_id, row, value),
        }
    }

    /// Code of type `Fallible<Val>`: the label of a union's case.
    fn tag(&self, ctx: Ctx, row_id: RowId, row: &Row, value: &TokenStream) -> TokenStream {
        let (Some(id), Some(src)) = (union_in(&row.ty), self.access(ctx.id, row_id, value)) else {
            return quote!(rt::Ok(rt::Val::None));
        };
        let union = &self.model.unions[id.index()];
        let ident = self.shapes.union_ident(id);
        let option = matches!(src.shape, Some(Shape::Option(_)));
        let arms = (0_u32..).zip(&union.cases).map(|(index, case)| {
            let (variant, _) = self.shapes.variant(id, index);
            let label = match case.labels.first() {
                Some(Label::Range(low, _)) => {
                    let low = Literal::i128_suffixed(*low);
                    quote!(rt::Val::Int(#low))
                }
                Some(Label::Text(text)) => quote!(rt::Val::Text(rt::Text::Borrowed(#text))),
                _ => quote!(rt::Val::None),
            };
            let pattern = quote!(super::#ident::#variant { .. });
            let pattern = if option { quote!(rt::Some(#pattern)) } else { pattern };
            quote!(#pattern => #label,)
        });
        let none = option.then(|| quote!(rt::None => rt::Val::None,));
        let code = &src.code;
        quote!(rt::Fallible::Ok(match #code { #(#arms)* #none }))
    }

    /// Code of type `Fallible<Val>`: number of elements, bytes or units of a row.
    pub fn count(
        &self,
        ctx: Ctx,
        row_id: RowId,
        row: &'m Row,
        value: &TokenStream,
        node: &TokenStream,
    ) -> Option<TokenStream> {
        let kept = matches!(row.role, Role::Kept(_) | Role::View { .. } | Role::Spelling)
            || matches!(row.kind, RowKind::Pool { .. });
        let src = if kept { None } else { self.access(ctx.id, row_id, value) };
        let run = match strip(super::build::target(&row.ty)) {
            Type::Run(run) => Some(run),
            _ => None,
        };
        if let Some(src) = src {
            let count = self.count_of(&src, run.map(|run| run.content))?;
            return Some(quote!(rt::Fallible::Ok(rt::Val::Int(#count))));
        }
        if let RowKind::Constant(crate::model::Constant::Bytes(bytes)) = &row.kind {
            let n = Literal::i128_suffixed(bytes.len() as i128);
            return Some(quote!(rt::Fallible::Ok(rt::Val::Int(#n))));
        }
        let slot = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded)?;
        Some(quote!(cx.count_slot(#node, #slot)))
    }

    /// Code of type `i128`.
    fn count_of(&self, src: &Src, content: Option<crate::model::Content>) -> Option<TokenStream> {
        let code = &src.code;
        Some(match src.shape.as_ref()? {
            Shape::Option(inner) => {
                let x = Src::typed(quote!(x), (**inner).clone());
                let inner = self.count_of(&x, content)?;
                quote!(match #code { rt::Some(x) => #inner, rt::None => 0_i128 })
            }
            Shape::Boxed(inner) => {
                let x = Src::typed(quote!(&**#code), (**inner).clone());
                return self.count_of(&x, content);
            }
            Shape::List(_) | Shape::Fixed(..) => quote!((#code).len() as i128),
            Shape::Str | Shape::Bytes | Shape::Utf16 => {
                let coding = coding(content?);
                let chars = src.chars();
                quote!(i128::from(#chars.size(#coding) / #coding.unit()))
            }
            Shape::Struct(record) => {
                let row = self.model.records[record.index()].transparent?;
                let src = self.access(*record, row, code)?;
                return self.count_of(&src, content);
            }
            _ => return None,
        })
    }

    /// The function that computes a slot.
    pub fn compute_fn(&self, id: RecordId, row_id: RowId) -> Option<(u16, TokenStream)> {
        let slot = self.plan.slot(id, row_id)?;
        let row = self.row(id, row_id);
        let ctx = Ctx { id, noded: true };
        let loc = quote!(rt::Loc::slot(node, #slot));
        let body = match (&row.kind, &row.role) {
            (RowKind::Pool { always, order, kept, .. }, _) => {
                let orders = order.iter().map(|(condition, order)| {
                    let condition = match condition {
                        Some(condition) => {
                            let n = self.plan.expr(condition, id);
                            quote!(rt::Some(#n))
                        }
                        None => quote!(rt::None),
                    };
                    let order = match order {
                        PoolOrder::FirstUse => quote!(FirstUse),
                        PoolOrder::Bytes => quote!(Bytes),
                        PoolOrder::BitsFromEnd => quote!(BitsFromEnd),
                    };
                    quote!((#condition, ::formwork::PoolOrder::#order))
                });
                quote! {
                    w::Tables::members(cx, #loc, &[#(#always),*], &[#(#orders),*], #kept)
                        .map(rt::Some)
                }
            }
            (RowKind::Mark { .. }, _) => return None,
            (RowKind::Value { seen: Some(_) }, role)
                if !matches!(role, Role::Data | Role::Default(_) | Role::Elsewhere) =>
            {
                quote!(rt::Ok(rt::Some(rt::Item::Absent)))
            }
            (_, Role::View { slices, key }) => {
                let paths = slices.iter().map(|path| self.plan.path(path));
                let key = match key {
                    Some(key) => {
                        let holder = slices.iter().find_map(|path| {
                            path.steps.iter().rev().find_map(|step| match step {
                                crate::model::Step::Field(field) => {
                                    field.members.first().map(|(record, _)| *record)
                                }
                                _ => None,
                            })
                        });
                        let n = self.plan.expr(key, holder.unwrap_or(id));
                        quote!(rt::Some(#n))
                    }
                    None => quote!(rt::None),
                };
                let wrap = if matches!(row.ty, Type::Pointer(_)) {
                    quote!(w::pointer_to(item))
                } else {
                    quote!(item)
                };
                quote! {
                    let item = w::Tables::gather(cx, #loc, &[#(#paths),*], #key)?;
                    rt::Ok(rt::Some(#wrap))
                }
            }
            (_, Role::Derived) => {
                if let Some(table) = self.table(id, row, &loc, false) {
                    table
                } else {
                    let derived = self.derive(ctx, row, &quote!(value));
                    quote! {
                        let derived: rt::Fallible<rt::Option<rt::Val<'v>>> = #derived;
                        derived.map(|val| val.map(rt::Val::into_item))
                    }
                }
            }
            (_, Role::Kept(e)) => {
                if let Some(table) = self.table(id, row, &loc, true) {
                    table
                } else {
                    self.kept_number(ctx, row_id, row, e)
                }
            }
            _ => return None,
        };
        let name = format_ident!("compute_{}_{}", id.0, slot);
        let value = self.remembered(id);
        Some((
            slot,
            quote! {
                fn #name<'v>(
                    cx: &mut Writer<'v>,
                    node: rt::NodeId,
                ) -> rt::Fallible<rt::Option<rt::Item<'v>>> {
                    let value = #value;
                    #body
                }
            },
        ))
    }

    fn kept_number(&self, ctx: Ctx, row_id: RowId, row: &Row, e: &Expr) -> TokenStream {
        let val = self.val(ctx, e, &quote!(rt::None));
        let value = self.access(ctx.id, row_id, &quote!(value));
        let given = match value {
            Some(Src { code, shape: Some(Shape::Kept(inner)) }) => {
                let (a, b) = (
                    Src::typed(quote!(stored), (*inner).clone()),
                    Src::typed(quote!(instead), (*inner).clone()),
                );
                let (a, b) = (self.option_datum(&a), self.option_datum(&b));
                quote! {
                    if let rt::Some((stored, instead)) = (#code).deviation() {
                        let same = match instead {
                            rt::None => true,
                            rt::Some(instead) => w::keeps(&#b, &canonical),
                        };
                        if same {
                            return rt::Ok(rt::Some(#a));
                        }
                    }
                }
            }
            _ => match self.kept(ctx.id, row_id, &quote!(rt::None), "Number") {
                Some(kept) => quote! {
                    if let rt::Some(entry) = #kept {
                        if w::keeps(&w::kept_item(&entry.instead_of), &canonical) {
                            return rt::Ok(rt::Some(w::kept_item(&entry.stored)));
                        }
                    }
                },
                None => quote!(),
            },
        };
        let wrap = if matches!(row.ty, Type::Pointer(_)) {
            quote!(w::pointer_to(canonical.into_item()))
        } else {
            quote!(canonical.into_item())
        };
        quote! {
            let canonical: rt::Val<'v> = match #val {
                rt::Ok(val) => val,
                rt::Err(fault) => return rt::Err(fault),
            };
            #given
            rt::Ok(rt::Some(#wrap))
        }
    }

    fn option_datum(&self, src: &Src) -> TokenStream {
        match &src.shape {
            Some(Shape::Option(inner)) => {
                let x = Src::typed(quote!(x), (**inner).clone());
                let item = self.datum(&x);
                let code = &src.code;
                quote!(match #code { rt::Some(x) => #item, rt::None => rt::Item::Absent })
            }
            _ => self.datum(src),
        }
    }

    /// Code of type `Fallible<Option<Item>>` for a table that an algorithm makes.
    fn table(&self, id: RecordId, row: &Row, loc: &TokenStream, kept: bool) -> Option<TokenStream> {
        let e = match &row.role {
            Role::Kept(e) => e,
            _ => row.definers.iter().find_map(|definer| match &definer.source {
                DefinerSource::Expr(e) => Some(e),
                _ => None,
            })?,
        };
        let made = match e {
            Expr::Patricia(path) => {
                let path = self.plan.path(path);
                quote!(w::Made::Patricia(#path))
            }
            Expr::RelocationSections => quote!(w::Made::Sections),
            Expr::RelocationEntries => quote!(w::Made::Entries),
            _ => return None,
        };
        let _ = id;
        let Type::Array(array) = strip(&row.ty) else { return None };
        let Type::Record(record) = array.element else { return None };
        let rows = &self.model.records[record.index()].rows;
        let mut columns = Vec::new();
        for (row_id, row) in (0_u32..).map(RowId).zip(rows) {
            if !matches!(row.role, Role::Data | Role::Default(_)) {
                continue;
            }
            let slot = self.plan.slot(record, row_id).unwrap_or(u16::MAX);
            let pointer =
                matches!(&row.ty, Type::Pointer(p) if !matches!(p.target, Target::Own(_)));
            columns.push(quote!(w::Column { slot: #slot, pointer: #pointer }));
        }
        let record = number(record.index());
        Some(quote!(
            w::Tables::table(cx, #loc, #record, &[#(#columns),*], #made, #kept).map(rt::Some)
        ))
    }
}
