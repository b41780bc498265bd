//! Unions: which case is there, and its rows.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::{Ctx, Reading, number, val_name};
use crate::model::{Case, Cell, Home, Label, Row, Storage, Tag, UnionId};

impl<'m> Reading<'_, 'm> {
    /// A union whose cases have nodes.
    pub(super) fn union_item(&self, ctx: Ctx, id: UnionId, row: &'m Row) -> TokenStream {
        if !self.is_noded_union(id) {
            let value = self.union_value(ctx, id, row);
            return quote!({
                let at = cursor.at;
                let _ = #value;
                rt::counted_item(1, at, cursor.at, rt::Vec::new())
            });
        }
        self.union_code(ctx, id, true)
    }

    /// A union whose cases have no nodes, as a value.
    pub(super) fn union_value(&self, ctx: Ctx, id: UnionId, _row: &'m Row) -> TokenStream {
        self.union_code(ctx, id, false)
    }

    fn union_code(&self, ctx: Ctx, id: UnionId, noded: bool) -> TokenStream {
        let union = &self.model.unions[id.index()];
        let tag_size = match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => cell_bytes(cell),
            Tag::Row(_) | Tag::Given(_) => 0,
        };
        let decision = self.decision(ctx, &union.tag, tag_size);
        let at = match &union.tag {
            Tag::Row(tag) if ctx.direct => {
                let name = format_ident!("a{}", tag.0);
                quote!(#name)
            }
            Tag::Row(tag) => match self.plan.slot(ctx.record, *tag) {
                Some(slot) => quote!(cx.core.tree.cell_at(rt::Loc::slot(owner, #slot))),
                None => quote!(start),
            },
            _ => quote!(start),
        };
        let name = &union.name;
        let choice = self.choice(ctx, &union.cases);
        let arms = (0_u32..).zip(&union.cases).flat_map(|(index, case)| {
            self.case_arms(ctx, id, index, case, noded, u64::from(tag_size))
        });
        quote!({
            let start = cursor.at;
            let tag_at = start;
            let decision: rt::Decision<'i> = #decision;
            let chosen: rt::Option<(u16, u16, rt::Taken)> = #choice;
            let rt::Some((case, form, taken)) = chosen else {
                let at = #at;
                return rt::Err(decision.unknown(#name, at));
            };
            match (case, form) {
                #(#arms)*
                _ => return rt::Err(decision.unknown(#name, start)),
            }
        })
    }

    fn decision(&self, ctx: Ctx, tag: &'m Tag, tag_size: u32) -> TokenStream {
        match tag {
            Tag::Row(tag) if ctx.direct => {
                let name = val_name(*tag);
                quote!(rt::Decision::given(#name.clone()))
            }
            Tag::Row(tag) => {
                let Some(slot) = self.plan.slot(ctx.record, *tag) else {
                    return quote!(rt::Decision::given(rt::Val::None));
                };
                quote!({
                    let val = cx.load(rt::Val::Loc(rt::Loc::slot(owner, #slot)));
                    rt::Decision::given(rt::value_of(&mut cx.core, val, start)?)
                })
            }
            Tag::Given(e) => {
                let code = self.expr(ctx, e, None);
                quote!({
                    let val = #code;
                    rt::Decision::given(rt::value_of(&mut cx.core, val, start)?)
                })
            }
            Tag::Own(cell) | Tag::Word(cell) => {
                let bare =
                    Row { none: Vec::new(), plus: 0, ..self.row(ctx.record, ctx.row).clone() };
                let item = self.cell_item(Ctx { block: None, ..ctx }, cell, &bare);
                let word = if matches!(tag, Tag::Word(_)) {
                    let bits = tag_size * 8;
                    let mask = if bits >= 128 { u128::MAX } else { (1_u128 << bits) - 1 };
                    quote!(match &val {
                        rt::Val::Int(n) => rt::Some((rt::unsigned(*n) & #mask, #bits)),
                        _ => rt::None,
                    })
                } else {
                    quote!(rt::None)
                };
                quote!({
                    let limit = cursor.limit;
                    let mut ahead = rt::Cursor::new(start, limit);
                    let item: rt::Item<'i> = { let cursor = &mut ahead; #item };
                    let val = rt::Val::of(&item);
                    let word: rt::Option<(u128, u32)> = #word;
                    rt::Decision { bytes: cx.core.between(start, limit)?, word, val }
                })
            }
        }
    }

    /// Which case and form take the decision. `u16::MAX`: no form.
    fn choice(&self, ctx: Ctx, cases: &'m [Case]) -> TokenStream {
        let mut tests = TokenStream::new();
        let in_epoch = |epochs: &[bool]| epochs.get(ctx.epoch.index()).copied().unwrap_or(true);
        for (index, case) in cases.iter().enumerate() {
            let index = number(index);
            if case.forms.is_empty() {
                if !in_epoch(&case.epochs) {
                    continue;
                }
                let labels = labels(&case.labels);
                let holds = match &case.guard {
                    Some(guard) => self.truth(ctx, guard, None),
                    None => quote!(true),
                };
                tests.extend(quote! {
                    if let rt::Some(taken) = decision.matching(&[#(#labels),*]) {
                        if #holds {
                            if taken.otherwise {
                                if otherwise.is_none() {
                                    otherwise = rt::Some((#index, u16::MAX, taken));
                                }
                            } else {
                                break 'chosen rt::Some((#index, u16::MAX, taken));
                            }
                        }
                    }
                });
                continue;
            }
            for (form_index, form) in case.forms.iter().enumerate() {
                if !in_epoch(&form.epochs) {
                    continue;
                }
                let form_index = number(form_index);
                let labels = labels(&form.labels);
                tests.extend(quote! {
                    if let rt::Some(taken) = decision.matching(&[#(#labels),*]) {
                        break 'chosen rt::Some((#index, #form_index, taken));
                    }
                });
            }
        }
        quote!({
            let mut otherwise: rt::Option<(u16, u16, rt::Taken)> = rt::None;
            'chosen: {
                #tests
                otherwise
            }
        })
    }

    fn case_arms(
        &self,
        ctx: Ctx,
        id: UnionId,
        index: u32,
        case: &'m Case,
        noded: bool,
        tag_size: u64,
    ) -> Vec<TokenStream> {
        let union = &self.model.unions[id.index()];
        let case_number = number(index as usize);
        let record = case.record;
        let record_number = number(record.index());
        let wrap = |value: TokenStream| {
            if noded {
                return quote!(rt::Item::Node(#value));
            }
            self.variant(id, index, value)
        };
        if case.whole {
            // The record stands for the whole union, the tag included.
            let from = if union.body || matches!(union.tag, Tag::Row(_) | Tag::Given(_)) {
                quote!(base)
            } else {
                quote!(start)
            };
            let read = format_ident!("read_{}", record.0);
            let holder = if noded { quote!(loc) } else { quote!(owner) };
            let value = wrap(quote!(value));
            return vec![quote!((#case_number, _) => {
                let mut inside = cursor.inside(#from, cursor.limit);
                let value = #read(cx, &mut inside, #holder)?;
                cursor.at = inside.at;
                #value
            })];
        }
        let limit = match union.size {
            Some(size) => quote!(cursor.limit.min(start.saturating_add(#size))),
            None => quote!(cursor.limit),
        };
        let room = union.size.is_some().then(|| quote!(inside.room = true;));
        let tag_bytes = Literal::u64_suffixed(tag_size);
        let begin = quote! {
            rt::skip_tag(cursor, u64::from(taken.bytes).max(#tag_bytes))?;
            let mut inside = cursor.inside(cursor.at, #limit);
            #room
        };
        let end = match union.size {
            Some(size) => quote!(cursor.at = inside.at.max(start.saturating_add(#size));),
            None => quote!(cursor.at = inside.at;),
        };
        let rows = format_ident!("rows_{}", record.0);
        if !noded {
            let value = wrap(quote!(value));
            return vec![quote!((#case_number, _) => {
                #begin
                let value = #rows(cx, &mut inside, owner, base, taken.number, start)?;
                inside.align_bits();
                #end
                #value
            })];
        }
        let enter = quote! {
            let node = rt::add_node(cx, #record_number, loc, start)?;
            #begin
            rt::begin_case(&mut cx.core, node, taken.number, base);
        };
        if case.forms.is_empty() {
            return vec![quote!((#case_number, _) => {
                #enter
                #rows(cx, &mut inside, node, base, start)?;
                inside.align_bits();
                #end
                cx.core.tree.node_mut(node).end = cursor.at;
                rt::Item::Node(node)
            })];
        }
        let forms = case.forms.iter().enumerate().map(|(form_index, form)| {
            let form_number = number(form_index);
            let form_record = number(form.record.index());
            let rows = format_ident!("rows_{}", form.record.0);
            let spelled = &self.model.records[form.record.index()];
            let logical = &self.model.records[record.index()];
            let mut lift = Vec::new();
            for (row_id, row) in super::super::visit::rows(logical) {
                let from = super::super::visit::rows(spelled).find(|(_, r)| r.name == row.name);
                if let (Some((from, _)), Some(to)) = (from, self.plan.slot(record, row_id))
                    && let Some(from) = self.plan.slot(form.record, from)
                {
                    lift.push(quote!((#to, #from)));
                }
            }
            quote!((#case_number, #form_number) => {
                #enter
                let rows = rt::begin_form(&mut cx.core, node, #form_record, #form_number);
                #rows(cx, &mut inside, rows, base, start)?;
                inside.align_bits();
                cx.core.tree.node_mut(rows).end = inside.at;
                rt::lift(&mut cx.core, node, rows, &[#(#lift),*]);
                #end
                cx.core.tree.node_mut(node).end = cursor.at;
                rt::Item::Node(node)
            })
        });
        let _ = ctx;
        forms.collect()
    }

    /// A variant of a union with this in it.
    pub(super) fn variant(&self, id: UnionId, case: u32, value: TokenStream) -> TokenStream {
        if !self.shapes.has_union(id) {
            return quote!({ let _ = #value; });
        }
        let path = self.path(&self.shapes.union_ident(id));
        let (variant, payload) = self.shapes.variant(id, case);
        match payload {
            Some(_) => quote!(#path::#variant(#value)),
            None => quote!({ let _ = #value; #path::#variant }),
        }
    }

    /// Whether rows with homes of a case are there in an epoch: then what follows begins behind
    /// the block.
    pub(super) fn fixed_part(
        &self,
        record: crate::model::RecordId,
        epoch: crate::model::EpochId,
    ) -> Option<u64> {
        let record = &self.model.records[record.index()];
        let homes = record.rows.iter().any(|row| matches!(self.home(row, epoch), Home::At(_)));
        let size = record.sizes.get(epoch.index()).copied().flatten();
        if homes { size } else { None }
    }
}

fn labels(labels: &[Label]) -> Vec<TokenStream> {
    labels
        .iter()
        .map(|label| match label {
            Label::Range(low, high) => {
                let (low, high) = (Literal::i128_suffixed(*low), Literal::i128_suffixed(*high));
                quote!(rt::CaseLabel::Range(#low, #high))
            }
            Label::Text(text) => quote!(rt::CaseLabel::Text(#text)),
            Label::Pattern(pattern) => {
                let (width, mask, bits) = (pattern.width, pattern.mask, pattern.bits);
                quote!(rt::CaseLabel::Pattern { width: #width, mask: #mask, bits: #bits })
            }
            Label::Else => quote!(rt::CaseLabel::Else),
        })
        .collect()
}

fn cell_bytes(cell: &Cell) -> u32 {
    match cell.storage {
        Storage::Fixed(int) => int.bytes.into(),
        _ => 0,
    }
}
