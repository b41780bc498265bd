//! The first step of writing: nodes and slots from the value, and what cannot be said at all.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::src::{Ctx, Src, constant_item};
use super::{Gen, float_width, strip};
use crate::model::{
    Cell, Content, DefinerScope, Encoding, Home, Meaning, PointerType, RecordId, RecordKind, Role,
    Row, RowId, RowKind, RunLength, RunType, Target, Type, UnionId,
};
use crate::rust::plan;
use crate::rust::shape::Shape;

impl<'m> Gen<'_, 'm> {
    /// The function that plans a record; nothing if there is nothing to plan.
    pub fn plan_fn(&self, id: RecordId) -> TokenStream {
        let body = self.plan_body(id);
        if body.is_empty() {
            return quote!();
        }
        let name = self.name("plan", id);
        let ty = self.value_ty(id);
        quote! {
            fn #name<'v>(cx: &mut Writer<'v>, node: rt::NodeId, value: &'v #ty) {
                #body
            }
        }
    }

    /// A call of a record's plan.
    fn plan_call(&self, id: RecordId, node: &TokenStream, value: &TokenStream) -> TokenStream {
        let trivial =
            if self.is_alias(id) { self.plan_body(id).is_empty() } else { self.is_trivial(id) };
        if trivial {
            return quote!();
        }
        let name = self.name("plan", id);
        quote!(#name(cx, #node, #value);)
    }

    pub fn plan_body(&self, id: RecordId) -> TokenStream {
        let noded = self.plan.noded(id);
        let ctx = Ctx { id, noded };
        let record = &self.model.records[id.index()];
        let mut code = TokenStream::new();
        if noded && self.has_value(id) && !self.is_alias(id) {
            let refs = format_ident!("r{}", id.0);
            code.extend(quote! {
                cx.w.remember(node, cx.#refs.len());
                cx.#refs.push(value);
            });
        }
        let rows = || (0_u32..).map(RowId).zip(&record.rows);
        let of_forms = self.rows_of_forms(id);
        for (row_id, row) in rows() {
            if !matches!(row.role, Role::Derived) && !of_forms.contains(&row_id) {
                code.extend(self.plan_row(ctx, row_id, row));
            }
        }
        for (row_id, row) in rows() {
            if matches!(row.role, Role::Derived) {
                code.extend(self.plan_derived(ctx, row_id, row));
            }
        }
        if record.recursive && !noded && !code.is_empty() {
            let limit = quote!(w::MAX_DEPTH);
            code = quote! {
                cx.w.depth += 1;
                if cx.w.depth > #limit {
                    let at = w::At { node: w::NOWHERE, row: rt::None, index: rt::None };
                    cx.w.problem(at, w::ProblemKind::DepthLimit { limit: #limit });
                } else {
                    #code
                }
                cx.w.depth -= 1;
            };
        }
        code
    }

    /// Rows of a case that hold nodes, if each of its forms has them of the same records: the form
    /// plans them, and the case has the same nodes. Planned twice on each level, they would double
    /// with each.
    fn rows_of_forms(&self, id: RecordId) -> Vec<RowId> {
        let record = &self.model.records[id.index()];
        let RecordKind::Case(union, case) = record.kind else { return Vec::new() };
        let forms = &self.model.unions[union.index()].cases[case as usize].forms;
        let nodes = |row: &Row| {
            let mut found = Vec::new();
            plan::held(self.model, &row.ty, &mut |inner| found.push(inner));
            found.retain(|inner| self.plan.noded(*inner));
            found
        };
        let rows = record.numbered_rows().filter(|(_, row)| {
            let held = nodes(row);
            row.name.is_some()
                && !forms.is_empty()
                && !held.is_empty()
                && forms.iter().all(|form| {
                    let same = self.row_named(form.record, row);
                    same.is_some_and(|same| nodes(self.row(form.record, same)) == held)
                })
        });
        rows.map(|(row_id, _)| row_id).collect()
    }

    /// The row of a record that is called like another one.
    fn row_named(&self, id: RecordId, like: &Row) -> Option<RowId> {
        let record = &self.model.records[id.index()];
        record.numbered_rows().find(|(_, row)| row.name == like.name).map(|(row_id, _)| row_id)
    }

    fn set_slot(&self, ctx: Ctx, row: RowId, item: TokenStream) -> TokenStream {
        match self.plan.slot(ctx.id, row).filter(|_| ctx.noded) {
            Some(slot) => quote! {
                let item = { #item };
                cx.w.tree.set(node, #slot, item);
            },
            None => item,
        }
    }

    fn plan_row(&self, ctx: Ctx, row_id: RowId, row: &'m Row) -> TokenStream {
        let absent = self.epochs_where(row, |home| *home == Home::Absent);
        let there = self.epochs_where(row, |home| *home != Home::Absent);
        let mut code = self.in_epochs(&there, self.plan_there(ctx, row_id, row));
        if !absent.is_empty() {
            code.extend(self.in_epochs(&absent, self.plan_absent(ctx, row_id, row)));
        }
        code
    }

    fn plan_absent(&self, ctx: Ctx, row_id: RowId, row: &'m Row) -> TokenStream {
        let at = ctx.at(self, row_id);
        let mut code = TokenStream::new();
        let fallback = match &row.absent {
            Some(constant) => constant_item(constant, float_width(self, &row.ty)),
            None => quote!(rt::Item::Absent),
        };
        let given = if matches!(row.role, Role::Kept(_)) {
            None
        } else {
            self.access(ctx.id, row_id, &quote!(value))
        };
        if let Some(src) = given {
            let value = &src.code;
            let scalar = matches!(
                strip_option(src.shape.as_ref()),
                Some(
                    Shape::Int(_)
                        | Shape::Bool
                        | Shape::Float32
                        | Shape::Float64
                        | Shape::Enum(_)
                        | Shape::Str
                        | Shape::Bytes
                )
            );
            let same = match (&row.absent, scalar) {
                (Some(_), true) => {
                    quote!(w::is_constant(&w::Datum::item(#value), &#fallback))
                }
                (Some(_), false) => quote!(true),
                (None, _) => quote!(false),
            };
            let there = match &src.shape {
                Some(Shape::Option(_)) => quote!((#value).is_some()),
                Some(Shape::List(_)) => quote!(!(#value).is_empty()),
                _ if row.absent.is_some() => quote!(true),
                _ => quote!(false),
            };
            code.extend(quote! {
                if #there && !#same {
                    cx.not_in_epoch(#at);
                }
            });
        }
        if let Some(slot) = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded) {
            code.extend(quote!(cx.w.tree.set(node, #slot, #fallback);));
        }
        code
    }

    fn plan_there(&self, ctx: Ctx, row_id: RowId, row: &'m Row) -> TokenStream {
        let slot = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded);
        match &row.kind {
            RowKind::Constant(constant) => {
                let item = constant_item(constant, float_width(self, &row.ty));
                let Some(slot) = slot else { return quote!() };
                let item = match row.ty {
                    Type::Pointer(_) => quote!(w::pointer_to(#item)),
                    _ => item,
                };
                return quote!(cx.w.tree.set(node, #slot, #item););
            }
            RowKind::Zero | RowKind::Runtime | RowKind::Reserved => {
                let Some(slot) = slot else { return quote!() };
                let item = match self.kept(ctx.id, row_id, &quote!(rt::None), "Reserved") {
                    Some(kept) => {
                        quote!(#kept.map_or(rt::Item::Absent, |e| w::kept_item(&e.stored)))
                    }
                    None => quote!(rt::Item::Absent),
                };
                return quote!(let item = #item; cx.w.tree.set(node, #slot, item););
            }
            RowKind::Mark { .. } | RowKind::Pool { .. } => return quote!(),
            _ => {}
        }
        if matches!(row.role, Role::Kept(_) | Role::Spelling | Role::View { .. }) {
            return quote!();
        }
        if matches!(row.kind, RowKind::Zeros) {
            let Some(src) = self.access(ctx.id, row_id, &quote!(value)) else { return quote!() };
            let number = src.number();
            let at = ctx.at(self, row_id);
            let check = quote! {
                if let rt::Some(n) = #number {
                    if n < 0 || n > i128::from(u32::MAX) {
                        cx.w.problem(#at, w::does_not_fit(n, "u32"));
                    }
                }
            };
            let code = &src.code;
            let item = slot.map(|slot| quote!(cx.w.tree.set(node, #slot, w::Datum::item(#code));));
            return quote!(#check #item);
        }
        let Some(src) = self.access(ctx.id, row_id, &quote!(value)) else {
            return self.plan_nothing(ctx, row_id, row);
        };
        let at = ctx.at(self, row_id);
        if let Some(Shape::Option(inner)) = &src.shape {
            // Elements of arrays of references may have options of their own.
            let none = self.plan_none(ctx, row_id, row, slot);
            let code = &src.code;
            let some = Src::typed(quote!(x), (**inner).clone());
            let some = self.plan_item(ctx, row_id, row, &row.ty, &some, &quote!(rt::None), &at);
            let some = match slot {
                Some(slot) => quote! {
                    let item = { #some };
                    cx.w.tree.set(node, #slot, item);
                },
                None => some,
            };
            if some.is_empty() && none.is_empty() {
                return quote!();
            }
            return quote!(match #code { rt::Some(x) => { #some } rt::None => { #none } });
        }
        let item = self.plan_item(ctx, row_id, row, &row.ty, &src, &quote!(rt::None), &at);
        self.set_slot(ctx, row_id, item)
    }

    /// Whether a row is a pointer whose value may be none although it is there.
    pub(super) fn pointer_may_be_none(&self, row: &Row) -> bool {
        match strip(&row.ty) {
            Type::Pointer(pointer) => pointer.may_be_none(self.model, row),
            _ => false,
        }
    }

    /// Whether a row under a condition is a pointer without a value of its own for none.
    pub(super) fn is_none_when(&self, row: &Row) -> bool {
        row.when.is_some()
            && matches!(strip(&row.ty), Type::Pointer(_))
            && !matches!(row.role, Role::Default(_))
    }

    /// An option that is none.
    fn plan_none(&self, ctx: Ctx, row_id: RowId, row: &'m Row, slot: Option<u16>) -> TokenStream {
        let at = ctx.at(self, row_id);
        let optional_pointer = matches!(row.ty, Type::PerEpoch(_)) || self.pointer_may_be_none(row);
        let may = optional_pointer
            || row.when.is_some()
            || !row.none.is_empty()
            || row.absent.is_some()
            || matches!(row.role, Role::Derived | Role::Default(_));
        let missing = (!may).then(|| quote!(cx.w.problem(#at, w::ProblemKind::MissingField);));
        let item = match &row.role {
            // Left out, which means the constant; under a condition, only if it holds.
            Role::Default(constant) if row.when.is_none() => {
                constant_item(constant, float_width(self, &row.ty))
            }
            // Under a condition, that says whether the row or its target is not there.
            _ if self.is_none_when(row) => quote!(rt::Item::Absent),
            _ if matches!(row.ty, Type::Pointer(_)) => quote!(w::pointer_to(rt::Item::Absent)),
            _ => quote!(rt::Item::Absent),
        };
        let set = slot.map(|slot| quote!(cx.w.tree.set(node, #slot, #item);));
        quote!(#missing #set)
    }

    /// A row that no field is for: it says nothing, but has bytes.
    fn plan_nothing(&self, ctx: Ctx, row_id: RowId, row: &'m Row) -> TokenStream {
        let slot = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded);
        let Some(slot) = slot else { return quote!() };
        // Numbers of tables are there already.
        if matches!(row.kind, RowKind::Value { .. }) || self.plan.table(ctx.id) {
            return quote!();
        }
        let at = ctx.at(self, row_id);
        let src = Src::typed(quote!(nothing), Shape::Bool);
        let item = self.plan_item(ctx, row_id, row, &row.ty, &src, &quote!(rt::None), &at);
        if row.when.is_some() {
            // Whether it is there follows from what is read.
            if let Some(when) = &row.when {
                let n = self.plan.expr(*when, ctx.id);
                return quote! {
                    let there = ::core::matches!(rt::Engine::truth(cx, #n, node, rt::None), rt::Ok(true));
                    if there {
                        let item = { #item };
                        cx.w.tree.set(node, #slot, item);
                    } else {
                        cx.w.tree.set(node, #slot, rt::Item::Absent);
                    }
                };
            }
        }
        quote! {
            let item = { #item };
            cx.w.tree.set(node, #slot, item);
        }
    }

    fn plan_derived(&self, ctx: Ctx, row_id: RowId, row: &'m Row) -> TokenStream {
        let slot = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded);
        let at = ctx.at(self, row_id);
        let absent = self.epochs_where(row, |home| *home == Home::Absent);
        let mut code = TokenStream::new();
        if let (Some(slot), false) = (slot, absent.is_empty()) {
            let set = quote!(cx.w.tree.set(node, #slot, rt::Item::Absent););
            code.extend(self.in_epochs(&absent, set));
        }
        let Some(src) = self.access(ctx.id, row_id, &quote!(value)) else { return code };
        let Some(Shape::Option(inner)) = &src.shape else { return code };
        // A number may follow from one case of a union and be data in another.
        let derived = self.is_derived(ctx, row);
        let there = self.epochs_where(row, |home| *home != Home::Absent);
        let some = Src::typed(quote!(x), (**inner).clone());
        let some = self.plan_item(ctx, row_id, row, &row.ty, &some, &quote!(rt::None), &at);
        let some = match slot {
            Some(slot) => quote!(let item = { #some }; cx.w.tree.set(node, #slot, item);),
            None => some,
        };
        let given = &src.code;
        let missing = row
            .definers
            .iter()
            .all(|definer| matches!(definer.scope, DefinerScope::Case(..)))
            .then(|| quote!(cx.w.problem(#at, w::ProblemKind::MissingField);));
        let body = quote! {
            match (#derived, #given) {
                (true, rt::Some(_)) => cx.w.problem(#at, w::ProblemKind::UnexpectedField {
                    why: "it follows from other fields".into(),
                }),
                (true, rt::None) => {}
                (false, rt::Some(x)) => { #some }
                (false, rt::None) => { #missing }
            }
        };
        code.extend(self.in_epochs(&there, body));
        code
    }

    /// Code for the item of a type, if the row has a slot; else only for what is wrong with it.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one value")]
    fn plan_item(
        &self,
        ctx: Ctx,
        row_id: RowId,
        row: &'m Row,
        ty: &'m Type,
        src: &Src,
        index: &TokenStream,
        at: &TokenStream,
    ) -> TokenStream {
        let slot = self.plan.slot(ctx.id, row_id).filter(|_| ctx.noded);
        let want = slot.is_some();
        let code = &src.code;
        match (&src.shape, ty) {
            (Some(Shape::Boxed(inner)), _) => {
                let src = Src::typed(quote!(&**#code), (**inner).clone());
                return self.plan_item(ctx, row_id, row, ty, &src, index, at);
            }
            (Some(Shape::Option(inner)), ty) if !matches!(ty, Type::PerEpoch(_)) => {
                let some = Src::typed(quote!(x), (**inner).clone());
                let some = self.plan_item(ctx, row_id, row, ty, &some, index, at);
                if some.is_empty() {
                    return some;
                }
                let none = match (want, ty) {
                    (false, _) => quote!(),
                    (true, Type::Pointer(_)) => quote!(w::pointer_to(rt::Item::Absent)),
                    (true, _) => quote!(rt::Item::Absent),
                };
                return quote!(match #code { rt::Some(x) => { #some } rt::None => { #none } });
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
                        let inner = self.plan_item(ctx, row_id, row, ty, src, index, at);
                        any |= !inner.is_empty();
                        quote!(#epoch => { #inner })
                    })
                    .collect();
                if !any {
                    return quote!();
                }
                let otherwise = want.then(|| quote!(rt::Item::Absent));
                quote!(match cx.w.epoch { #(#arms)* _ => { #otherwise } })
            }
            Type::Cell(cell) => {
                if let Meaning::Word(word) = cell.meaning {
                    if self.plan.noded(word) {
                        return self.plan_node(word, slot, src, index, at, quote!());
                    }
                    let call = self.plan_direct(word, src, at);
                    let item = want.then(|| quote!(rt::Item::Bool(true)));
                    return quote!(#call #item);
                }
                let check = self.plan_number(row, cell, src, at);
                let item = want.then(|| self.datum(src));
                quote!(#check #item)
            }
            Type::Run(run) => {
                let check = self.plan_run(run, src, at);
                let item = want.then(|| quote!(w::Datum::item(#code)));
                quote!(#check #item)
            }
            Type::Text => {
                let item = want.then(|| quote!(w::Datum::item(#code)));
                quote!(#item)
            }
            Type::ByteOrderMark => {
                let item = want.then(|| quote!(w::Datum::item(#code)));
                quote!(cx.w.order = *#code; #item)
            }
            Type::Record(record) => {
                let before = self.alias.replace(self.alias_in(ctx.id, row_id, *record));
                let code = if self.plan.noded(*record) {
                    self.plan_node(*record, slot, src, index, at, quote!())
                } else {
                    let call = self.plan_direct(*record, src, at);
                    let item = want.then(|| quote!(rt::Item::Bool(true)));
                    quote!(#call #item)
                };
                self.alias.set(before);
                code
            }
            Type::Union(union) => self.plan_union(ctx, *union, slot, src, index, at),
            Type::Region(region) => self.plan_item(ctx, row_id, row, &region.inner, src, index, at),
            Type::Pointer(pointer) => self.plan_pointer(ctx, row_id, row, pointer, src, index, at),
            Type::Array(array) => self.plan_array(ctx, row_id, row, &array.element, src, at, want),
            Type::Nothing => {
                // Elements of a slice are those of its table.
                if let RowKind::Slice { table, .. } = &row.kind
                    && let Some((record, table_row)) =
                        crate::rust::shape::table_of(self.model, table)
                    && let Type::Array(array) = target(&self.row(record, table_row).ty)
                {
                    let element = &array.element;
                    return self.plan_array(ctx, row_id, row, element, src, at, want);
                }
                let item = want.then(|| quote!(rt::Item::Absent));
                quote!(#item)
            }
        }
    }

    pub fn datum(&self, src: &Src) -> TokenStream {
        let code = &src.code;
        match &src.shape {
            None => quote!(rt::Clone::clone(#code)),
            Some(Shape::Enum(_) | Shape::Index(_) | Shape::Word(_)) => {
                quote!(w::number_item(#code))
            }
            _ => quote!(w::Datum::item(#code)),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "all of it is about one array")]
    fn plan_array(
        &self,
        ctx: Ctx,
        row_id: RowId,
        row: &'m Row,
        element: &'m Type,
        src: &Src,
        at: &TokenStream,
        want: bool,
    ) -> TokenStream {
        let Some(Shape::List(inner) | Shape::Fixed(inner, _)) = &src.shape else {
            let item = want.then(|| quote!(rt::Item::Array(w::array(rt::Vec::new()))));
            return quote!(#item);
        };
        let code = &src.code;
        let items = want
            && (self.plan.items(ctx.id, row_id)
                || matches!(row.kind, RowKind::Slice { .. })
                || self.holds_nodes(element));
        let x = Src::typed(quote!(x), (**inner).clone());
        let here = quote!((#at).element(index));
        let inner_ctx = if items { ctx } else { Ctx { noded: false, ..ctx } };
        let item =
            self.plan_item(inner_ctx, row_id, row, element, &x, &quote!(rt::Some(index)), &here);
        if items {
            return quote! {{
                let mut items = rt::Vec::with_capacity((#code).len());
                for (index, x) in (0_u32..).zip((#code).iter()) {
                    let item = { #item };
                    items.push(item);
                }
                rt::Item::Array(w::array(items))
            }};
        }
        let counted = want.then(|| quote!(rt::Item::Array(w::counted((#code).len()))));
        if item.is_empty() {
            return quote!(#counted);
        }
        quote! {
            for (index, x) in (0_u32..).zip((#code).iter()) {
                #item
            }
            #counted
        }
    }

    /// Whether nodes, or pointers to something owned, hang on a type.
    pub fn holds_nodes(&self, ty: &Type) -> bool {
        match ty {
            Type::Record(record) => self.plan.noded(*record),
            Type::Union(union) => self.model.unions[union.index()]
                .cases
                .iter()
                .any(|case| self.plan.noded(case.record)),
            Type::Pointer(pointer) => !matches!(pointer.target, Target::Pooled),
            Type::Array(array) => self.holds_nodes(&array.element),
            Type::Region(region) => self.holds_nodes(&region.inner),
            Type::PerEpoch(types) => types.iter().any(|ty| self.holds_nodes(ty)),
            Type::Cell(cell) => matches!(cell.meaning, Meaning::Word(w) if self.plan.noded(w)),
            _ => false,
        }
    }

    /// A node for a record, and its plan.
    fn plan_node(
        &self,
        record: RecordId,
        slot: Option<u16>,
        src: &Src,
        index: &TokenStream,
        at: &TokenStream,
        then: TokenStream,
    ) -> TokenStream {
        let slot = slot.unwrap_or(u16::MAX);
        let number = super::number(record.index());
        let value = self.value_of(record, src);
        let call = self.plan_call(record, &quote!(inner), &value);
        let loc = if index.to_string() == quote!(rt::None).to_string() {
            quote!(rt::Loc::slot(node, #slot))
        } else {
            quote!(rt::Loc { node, slot: #slot, index: #index })
        };
        quote!(cx.plan_node(#number, #loc, #at, |cx, inner| { #call #then }))
    }

    /// The value of a record: what the source has, or nothing if there is nothing to say.
    pub fn value_of(&self, record: RecordId, src: &Src) -> TokenStream {
        match &src.shape {
            Some(Shape::Bool) if !self.has_bool_value(record) => self.nothing(record),
            _ => src.code.clone(),
        }
    }

    fn has_bool_value(&self, record: RecordId) -> bool {
        self.shapes.is_transparent(self.holder(record))
    }

    /// The plan of a record without a node.
    fn plan_direct(&self, record: RecordId, src: &Src, at: &TokenStream) -> TokenStream {
        let value = self.value_of(record, src);
        let call = self.plan_call(record, &quote!(node), &value);
        if call.is_empty() {
            return call;
        }
        quote! {{
            let from = cx.w.problems.len();
            #call
            cx.w.within(from, #at);
        }}
    }

    fn plan_number(&self, row: &Row, cell: &Cell, src: &Src, at: &TokenStream) -> TokenStream {
        let Some(shape) = &src.shape else { return quote!() };
        if !matches!(cell.meaning, Meaning::Int | Meaning::Enum(_)) {
            return quote!();
        }
        // What a rank among some elements is stored as is known later.
        if row.reference.as_ref().is_some_and(|reference| reference.filter.is_some()) {
            return quote!();
        }
        let int = matches!(cell.meaning, Meaning::Int);
        let plus = if int { row.plus } else { 0 };
        // References are compared with what they refer to.
        let fits = row.reference.is_some() || self.always_fits(shape, cell, plus);
        if fits && row.none.is_empty() {
            return quote!();
        }
        let number = src.number();
        let (bits, signed) = self.cell_range(cell);
        let name = self.cell_name(cell);
        let plus = Literal::i128_suffixed(plus);
        let none = row.none.iter().map(|n| Literal::i128_suffixed(*n));
        let fits = match fits {
            true => quote!(true),
            false => quote!(::formwork::fits(stored, #bits, #signed)),
        };
        let is_none = (!row.none.is_empty()).then(|| {
            quote!(else if [#(#none),*].contains(&stored) {
                cx.w.problem(#at, w::is_nothing(n));
            })
        });
        quote! {
            if let rt::Some(n) = #number {
                let stored = n.saturating_add(#plus);
                if !#fits {
                    cx.w.problem(#at, w::does_not_fit(n, #name));
                } #is_none
            }
        }
    }

    fn plan_run(&self, run: &RunType, src: &Src, at: &TokenStream) -> TokenStream {
        let mut code = TokenStream::new();
        let Content::Text(encoding) = run.content else { return code };
        let chars = src.chars();
        if encoding == Encoding::Ascii {
            code.extend(quote! {
                if (#chars).beyond_ascii() {
                    cx.w.problem(#at, w::ProblemKind::TextNotEncodable { encoding: "ascii" });
                }
            });
        }
        if let ([byte], false) = (run.suffix.as_slice(), matches!(run.length, RunLength::Prefix(_)))
        {
            code.extend(quote! {
                if (#chars).contains(#byte) {
                    cx.w.problem(#at, w::ProblemKind::TextContains { what: "the terminator".into() });
                }
            });
        }
        code
    }

    #[allow(clippy::too_many_arguments, reason = "all of it is about one pointer")]
    fn plan_pointer(
        &self,
        ctx: Ctx,
        row_id: RowId,
        row: &'m Row,
        pointer: &'m PointerType,
        src: &Src,
        index: &TokenStream,
        at: &TokenStream,
    ) -> TokenStream {
        let want = self.plan.slot(ctx.id, row_id).is_some() && ctx.noded;
        let code = &src.code;
        match &pointer.target {
            Target::Own(target) => {
                let item = self.plan_item(ctx, row_id, row, target, src, index, at);
                if want { quote!(w::pointer_to({ #item })) } else { item }
            }
            Target::Pooled => {
                let kind = &self.model.pointers[pointer.kind.index()];
                let check = match kind.text.as_deref().map(strip) {
                    Some(Type::Run(run)) => self.plan_run(run, src, at),
                    _ => quote!(),
                };
                let log = self.has_pool.then(|| {
                    let kind = super::number(pointer.kind.index());
                    quote!(cx.w.plan_label(#kind, node, w::Datum::item(#code));)
                });
                let item = want.then(|| quote!(w::pointer_to(w::Datum::item(#code))));
                quote!(#check #log #item)
            }
            Target::Element => {
                let item = want.then(|| {
                    let item = self.datum(src);
                    quote!(w::pointer_to(#item))
                });
                quote!(#item)
            }
        }
    }

    fn plan_union(
        &self,
        ctx: Ctx,
        id: UnionId,
        slot: Option<u16>,
        src: &Src,
        index: &TokenStream,
        at: &TokenStream,
    ) -> TokenStream {
        let union = &self.model.unions[id.index()];
        let ident = self.shapes.union_ident(id);
        let code = &src.code;
        let want = slot.is_some();
        let mut any = want;
        let arms: Vec<TokenStream> = (0_u32..)
            .zip(&union.cases)
            .map(|(number, case)| {
                let (variant, payload) = self.shapes.variant(id, number);
                let (pattern, inner) = match payload {
                    Some(record) => (
                        quote!(super::#ident::#variant(x)),
                        Src::typed(quote!(x), Shape::Struct(record)),
                    ),
                    None => (quote!(super::#ident::#variant), Src::typed(quote!(()), Shape::Bool)),
                };
                let exists = if case.forms.is_empty() && !case.epochs.iter().all(|e| *e) {
                    let epochs: Vec<usize> =
                        (0..case.epochs.len()).filter(|epoch| !case.epochs[*epoch]).collect();
                    let name = &case.name;
                    Some(quote! {
                        if ::core::matches!(cx.w.epoch, #(#epochs)|*) {
                            cx.no_case(#at, #name);
                        }
                    })
                } else {
                    None
                };
                let body = if self.plan.noded(case.record) {
                    let then = if case.forms.is_empty() {
                        quote!()
                    } else {
                        self.plan_forms(id, number, slot, &inner, at)
                    };
                    self.plan_node(case.record, slot, &inner, index, at, then)
                } else {
                    let call = self.plan_direct(case.record, &inner, at);
                    let item = want.then(|| quote!(rt::Item::Bool(true)));
                    quote!(#call #item)
                };
                any |= exists.is_some() || !body.is_empty();
                quote!(#pattern => { #exists #body })
            })
            .collect();
        let _ = ctx;
        if !any {
            return quote!();
        }
        quote!(match #code { #(#arms)* })
    }

    /// Chooses the form of a case: the one that was kept if it still holds, else the first. The
    /// node of the case is `inner`.
    fn plan_forms(
        &self,
        id: UnionId,
        number: u32,
        slot: Option<u16>,
        src: &Src,
        at: &TokenStream,
    ) -> TokenStream {
        let case = &self.model.unions[id.index()].cases[number as usize];
        let slot = slot.unwrap_or(u16::MAX);
        let value = self.value_of(case.record, src);
        let mut tests = Vec::new();
        let mut plans = Vec::new();
        for (index, form) in case.forms.iter().enumerate() {
            let record = &self.model.records[form.record.index()];
            let mut test = if form.epochs.iter().all(|e| *e) {
                quote!(true)
            } else {
                let epochs: Vec<usize> =
                    (0..form.epochs.len()).filter(|epoch| form.epochs[*epoch]).collect();
                quote!(::core::matches!(cx.w.epoch, #(#epochs)|*))
            };
            for (row_id, row) in (0_u32..).map(RowId).zip(&record.rows) {
                if row.name.is_none() {
                    continue;
                }
                let Some(src) = self.access(form.record, row_id, &value) else { continue };
                let says = match &row.kind {
                    RowKind::Constant(constant) => {
                        let wanted = constant_item(constant, 8);
                        {
                            let item = self.datum(&src);
                            quote!(w::is_constant(&#item, &#wanted))
                        }
                    }
                    _ => self.can_say(&row.ty, &src, 0),
                };
                test = quote!(#test && #says);
            }
            tests.push(quote!(#index => #test,));
            let form_number = super::number(index);
            let form_record = super::number(form.record.index());
            let call = self.plan_call(form.record, &quote!(rows), &value);
            let lift = self.rows_of_forms(case.record).into_iter().filter_map(|row_id| {
                let to = self.plan.slot(case.record, row_id)?;
                let from = self.row_named(form.record, self.row(case.record, row_id))?;
                let from = self.plan.slot(form.record, from)?;
                Some(quote!(cx.w.tree.lift(inner, #to, rows, #from);))
            });
            plans.push(quote! {
                #index => {
                    let loc = rt::Loc { node: inner, slot: #slot, index: rt::None };
                    let rows = cx.w.tree.add(#form_record, rt::Some(loc));
                    cx.w.tree.node_mut(inner).form = rt::Some((#form_number, rows));
                    #call
                    #(#lift)*
                }
            });
        }
        let count = case.forms.len();
        let kept = match self.spelling_of_case(case.record) {
            true => {
                quote!(w::kept_in(&(#value).spelling, u16::MAX, rt::None, ::formwork::KeptKind::Form))
            }
            false => quote!(rt::None),
        };
        quote! {{
            let says = |form: usize| -> bool { match form { #(#tests)* _ => false } };
            match (0..#count).find(|form| says(*form)) {
                rt::None => cx.w.problem(#at, w::ProblemKind::NoForm),
                rt::Some(first) => {
                    let chosen = w::kept_form(#kept, first).filter(|form| says(*form)).unwrap_or(first);
                    match chosen { #(#plans)* _ => {} }
                }
            }
        }}
    }

    fn spelling_of_case(&self, record: RecordId) -> bool {
        self.shapes.has_spelling(record) && self.shapes.is_typed(record)
    }

    /// Code for whether a type can hold a value.
    fn can_say(&self, ty: &Type, src: &Src, depth: u32) -> TokenStream {
        if depth > 64 {
            return quote!(true);
        }
        let code = &src.code;
        match (ty, &src.shape) {
            (_, Some(Shape::Option(inner))) => {
                let x = Src::typed(quote!(x), (**inner).clone());
                let inner = self.can_say(ty, &x, depth + 1);
                quote!((#code).as_ref().map_or(true, |x| #inner))
            }
            (Type::Cell(cell), _) if matches!(cell.meaning, Meaning::Int | Meaning::Enum(_)) => {
                let (bits, signed) = self.cell_range(cell);
                let number = src.number();
                quote!((#number).map_or(true, |n| ::formwork::fits(n, #bits, #signed)))
            }
            (Type::Array(array), Some(Shape::List(inner) | Shape::Fixed(inner, _))) => {
                let x = Src::typed(quote!(x), (**inner).clone());
                let inner = self.can_say(&array.element, &x, depth + 1);
                quote!((#code).iter().all(|x| #inner))
            }
            (Type::Region(region), _) => self.can_say(&region.inner, src, depth + 1),
            (Type::Record(record), _) => match self.model.records[record.index()].transparent {
                Some(row) => match self.access(*record, row, code) {
                    Some(src) => self.can_say(&self.row(*record, row).ty, &src, depth + 1),
                    None => quote!(true),
                },
                None => quote!(true),
            },
            _ => quote!(true),
        }
    }
}

fn strip_option(shape: Option<&Shape>) -> Option<&Shape> {
    match shape {
        Some(Shape::Option(inner) | Shape::Boxed(inner)) => strip_option(Some(inner)),
        other => other,
    }
}

/// What a type leads to.
pub(super) fn target(ty: &Type) -> &Type {
    match ty {
        Type::Region(region) => target(&region.inner),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(inner) => target(inner),
            _ => ty,
        },
        other => other,
    }
}
