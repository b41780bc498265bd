//! Numbers that follow from others.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::src::{Ctx, Src, coding};
use super::{Gen, number, strip};
use crate::model::{
    Content, DefinerScope, DefinerSource, Expr, ExprId, PoolOrder, RecordId, Role, Row, RowId,
    RowKind, Target, Type,
};
use crate::rust::shape::Shape;

impl<'m> Gen<'_, 'm> {
    /// Code of type `Fallible<Val>` for an expression in the node `node` with fields in `value`.
    pub fn val(&self, ctx: Ctx, e: ExprId, it: &TokenStream) -> TokenStream {
        if !ctx.noded {
            let (record, ex) = (number(ctx.id.index()), self.plan.ex(e, ctx.id, true));
            let value = self.src_of_value(ctx.id);
            return quote!(w::eval_in(cx, #record, node, #value, #ex, #it));
        }
        if let Some(n) = self.plan.model.exprs.constant(e) {
            let n = Literal::i128_suffixed(n);
            return quote!({
                let val: rt::Fallible<rt::Val<'_>> = rt::Ok(rt::Val::Int(#n));
                val
            });
        }
        let n = self.plan.expr(e, ctx.id);
        quote!(rt::Engine::expr(cx, #n, node, #it))
    }

    /// Code of type `Src` for what is in a variable `value`.
    pub fn src_of_value(&self, id: RecordId) -> TokenStream {
        if self.has_value(id) { quote!(w::Source::src(value)) } else { quote!(w::Src::Nothing) }
    }

    /// Code of type `Fallible<bool>`.
    pub fn truth(&self, ctx: Ctx, e: ExprId, it: &TokenStream) -> TokenStream {
        let val = self.val(ctx, e, it);
        quote!((#val).and_then(|val| rt::truth_of(&val)))
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
            (self.access(ctx.id, row, value), self.row(ctx.id, row).ty.union())
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
        if let Some(src) = src {
            let count = match &row.ty {
                Type::PerEpoch(types) => self.count_per_epoch(&src, types)?,
                ty => self.count_of(&src, content_of(ty))?,
            };
            return Some(quote!(rt::Fallible::Ok(rt::Val::Int(#count))));
        }
        if let RowKind::Constant(crate::model::Constant::Bytes(bytes)) = &row.kind {
            let n = Literal::i128_suffixed(bytes.len() as i128);
            return Some(quote!(rt::Fallible::Ok(rt::Val::Int(#n))));
        }
        let slot = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded)?;
        Some(quote!(cx.count_slot(#node, #slot)))
    }

    /// Code of type `i128`, for a row whose types are those of the epochs.
    fn count_per_epoch(&self, src: &Src, types: &[Type]) -> Option<TokenStream> {
        let first = content_of(types.first()?);
        if types.iter().all(|ty| content_of(ty) == first) {
            return self.count_of(src, first);
        }
        let arms = types.iter().enumerate().filter_map(|(epoch, ty)| {
            let count = self.count_of(src, content_of(ty))?;
            Some(quote!(#epoch => #count,))
        });
        Some(quote!(match cx.w.epoch { #(#arms)* _ => 0_i128 }))
    }

    /// Code of type `i128`.
    fn count_of(&self, src: &Src, content: Option<Content>) -> Option<TokenStream> {
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

    /// The code that computes a slot.
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
                            let n = self.plan.expr(*condition, id);
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
                        let n = self.plan.expr(*key, holder.unwrap_or(id));
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
                    quote!(w::derived_slot(cx, node, #slot))
                }
            }
            (_, Role::Kept(e)) => {
                if let Some(table) = self.table(id, row, &loc, true) {
                    table
                } else {
                    self.kept_number(ctx, row_id, row, *e)
                }
            }
            _ => return None,
        };
        let value = body.to_string().contains("value").then(|| {
            let value = self.remembered(id);
            quote!(let value = #value;)
        });
        Some((slot, quote!({ #value #body })))
    }

    /// Code for the value of the node `node`.
    pub fn remembered(&self, id: RecordId) -> TokenStream {
        if self.has_value(id) {
            let name = format_ident!("value_{}", id.0);
            quote!(#name(cx, node))
        } else {
            self.nothing(id)
        }
    }

    fn kept_number(&self, ctx: Ctx, row_id: RowId, row: &Row, e: ExprId) -> TokenStream {
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
        let made = match &self.model[*e] {
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

/// What the bytes or the text of a type are.
fn content_of(ty: &Type) -> Option<Content> {
    match strip(super::build::target(ty)) {
        Type::Run(run) => Some(run.content),
        _ => None,
    }
}
