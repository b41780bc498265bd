//! Records: the functions that read their inline rows.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::row::Wanted;
use super::{Reading, in_tag, is_body, number};
use crate::model::{CheckKind, EpochId, Home, Record, RecordId, RecordKind, RowId};
use crate::rust::visit::rows;

impl Reading<'_, '_> {
    /// Functions of a record without a node.
    pub(super) fn direct(&self, id: RecordId, record: &Record) -> TokenStream {
        if matches!(record.kind, RecordKind::Word(_)) {
            return self.direct_word(id, record);
        }
        let result = self.result(id);
        let mixed = self.is_mixed(record);
        let whole = is_body(record) && self.is_whole_case(id);
        let case = is_body(record) && !whole;
        let body = if mixed {
            self.per_epoch(|epoch| self.direct_body(id, record, case, Some(epoch)))
        } else {
            self.direct_body(id, record, case, None)
        };
        let (enter, leave) = if record.recursive {
            (quote!(cx.core.enter(owner, base)?;), quote!(cx.core.leave();))
        } else {
            (quote!(), quote!())
        };
        if case {
            let rows = format_ident!("rows_{}", id.0);
            return quote! {
                fn #rows<'i, 'o, M: rt::Mode<'i, 'o>>(
                    cx: &mut Reader<'i, 'o, M>,
                    cursor: &mut rt::Cursor<'i>,
                    owner: rt::NodeId,
                    base: u64,
                    tag: i128,
                    tag_at: u64,
                ) -> rt::Read<#result> {
                    #enter
                    let block: &'i [u8] = &[];
                    let result = { #body };
                    #leave
                    rt::Ok(result)
                }
            };
        }
        let read = format_ident!("read_{}", id.0);
        let block = self.per_epoch(|epoch| match size_of(record, epoch) {
            Some(size) => quote!(rt::block(&cx.core, cursor, #size)?),
            None => quote!({
                cursor.align_bits();
                &[]
            }),
        });
        quote! {
            #[inline]
            fn #read<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                cursor: &mut rt::Cursor<'i>,
                owner: rt::NodeId,
            ) -> rt::Read<#result> {
                let block: &'i [u8] = #block;
                let base = cursor.at;
                let tag: i128 = 0;
                let tag_at = base;
                #enter
                let result = { #body };
                #leave
                rt::Ok(result)
            }
        }
    }

    fn direct_body(
        &self,
        id: RecordId,
        record: &Record,
        case: bool,
        only: Option<EpochId>,
    ) -> TokenStream {
        let asked = self.asked(id);
        let typed = self.typed(id);
        let (mut first, mut next, mut conditions) =
            (TokenStream::new(), TokenStream::new(), TokenStream::new());
        let mut fields = Vec::new();
        for (row_id, placed) in self.reading_order(record, only) {
            let field = self.shapes.field(id, row_id).filter(|_| typed);
            if field.is_some() {
                fields.push(row_id);
            }
            let wanted = Wanted {
                field: field.map(|field| field.shape.clone()),
                val: asked.contains(&row_id),
            };
            let code = self.free_row(id, row_id, true, !case, &wanted, only);
            if placed { &mut first } else { &mut next }.extend(code);
            conditions.extend(self.conditions(id, row_id, true));
        }
        let start = self.fixed_end(id, record, case, only);
        let end = self.close(record, case, only);
        for check in &record.checks {
            let CheckKind::Holds(condition) = &check.kind else { continue };
            let ctx = super::Ctx {
                record: id,
                row: RowId(0),
                epoch: EpochId(0),
                direct: true,
                loc: false,
                block: None,
            };
            let holds = self.truth(ctx, condition, None);
            let text = &check.text;
            conditions.extend(quote! {
                if !#holds {
                    let kind = rt::failed_record(#text);
                    return rt::Err(::formwork::ReadError::new(kind, base));
                }
            });
        }
        let value = self.struct_of(id, &fields);
        quote! {
            let mut spelling = ::formwork::Spelling::default();
            let index: rt::Option<u32> = rt::None;
            let mut reach: u64 = #start;
            #first
            cursor.at = reach;
            #next
            #end
            #conditions
            #value
        }
    }

    /// Functions of a record whose uses have nodes.
    pub(super) fn noded(&self, id: RecordId, record: &Record) -> TokenStream {
        if matches!(record.kind, RecordKind::Word(_)) {
            return self.noded_word(id, record);
        }
        let slot_rows = self
            .plan
            .slots(id)
            .iter()
            .enumerate()
            .map(|(slot, row)| self.slot_row(id, *row, number(slot)));
        let slot_rows: TokenStream = slot_rows.collect();
        let rows_name = format_ident!("rows_{}", id.0);
        let case = is_body(record);
        let block = self.per_epoch(|epoch| match size_of(record, epoch).filter(|_| !case) {
            // That it is there was made sure of before.
            Some(size) => quote!(cx.core.block_at(base, #size)),
            None => quote!(&[]),
        });
        let body = if self.is_mixed(record) {
            self.per_epoch(|epoch| self.noded_body(id, record, case, Some(epoch)))
        } else {
            self.noded_body(id, record, case, None)
        };
        let rows = quote! {
            fn #rows_name<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                cursor: &mut rt::Cursor<'i>,
                owner: rt::NodeId,
                base: u64,
                tag_at: u64,
            ) -> rt::Read<()> {
                let tag = cx.core.tree.node(owner).tag;
                let mut spelling = ::formwork::Spelling::default();
                let index: rt::Option<u32> = rt::None;
                let block: &'i [u8] = #block;
                { #body }
                rt::Ok(())
            }
        };
        if case && !self.is_whole_case(id) {
            return quote!(#slot_rows #rows);
        }
        let (record_name, read) =
            (format_ident!("record_{}", id.0), format_ident!("read_{}", id.0));
        let record_number = number(id.index());
        let fixed = self.per_epoch(|epoch| match size_of(record, epoch) {
            Some(size) => quote!(rt::Some(#size)),
            None => quote!(rt::None),
        });
        quote! {
            #slot_rows
            #rows

            fn #record_name<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                cursor: &mut rt::Cursor<'i>,
                node: rt::NodeId,
            ) -> rt::Read<()> {
                let fixed: rt::Option<u64> = #fixed;
                let start = rt::open(&mut cx.core, node, cursor, fixed)?;
                #rows_name(cx, cursor, node, start, start)?;
                rt::close(&mut cx.core, node, cursor, start, fixed);
                rt::Ok(())
            }

            fn #read<'i, 'o, M: rt::Mode<'i, 'o>>(
                cx: &mut Reader<'i, 'o, M>,
                cursor: &mut rt::Cursor<'i>,
                holder: rt::Loc,
            ) -> rt::Read<rt::NodeId> {
                let node = rt::add_node(cx, #record_number, holder, cursor.at)?;
                let mut inside = cursor.inside(cursor.at, cursor.limit);
                #record_name(cx, &mut inside, node)?;
                cursor.at = inside.at;
                rt::Ok(node)
            }
        }
    }

    fn noded_body(
        &self,
        id: RecordId,
        record: &Record,
        case: bool,
        only: Option<EpochId>,
    ) -> TokenStream {
        let (mut first, mut ends, mut next) =
            (TokenStream::new(), TokenStream::new(), TokenStream::new());
        let early = self.early_rows(id);
        for (row_id, placed) in self.reading_order(record, only) {
            let row = self.row(id, row_id);
            let Some(slot) = self.plan.slot(id, row_id) else {
                let field = self.shapes.field(id, row_id).filter(|_| early.contains(&row_id));
                let wanted = Wanted { field: field.map(|field| field.shape.clone()), val: false };
                let code = self.free_row(id, row_id, false, !case, &wanted, only);
                if placed { &mut first } else { &mut next }.extend(code);
                continue;
            };
            let read = format_ident!("row_{}_{}", id.0, row_id.0);
            let make = |epoch: EpochId, fixed: bool| match self.home(row, epoch) {
                Home::At(_) if fixed => quote! {
                    if cx.core.tree.is_unset(owner, #slot) {
                        let mut at = rt::Cursor::new(base, cursor.limit);
                        #read(cx, owner, &mut at, tag_at)?;
                    }
                },
                Home::Absent if !fixed => {
                    let item = match &row.absent {
                        Some(constant) => {
                            let constant = Self::constant(constant);
                            quote!(#constant.item())
                        }
                        None => quote!(rt::Item::Absent),
                    };
                    quote!(cx.core.tree.set(owner, #slot, #item);)
                }
                home @ (Home::Next | Home::Nowhere) if !fixed => {
                    if home == Home::Nowhere && !in_tag(row) {
                        return quote!();
                    }
                    let here = self.positions.then(|| {
                        quote! {
                            cx.core.here = cursor.position();
                            cx.core.region_end = cursor.limit;
                        }
                    });
                    let call = quote!(#read(cx, owner, cursor, tag_at)?;);
                    match &row.when {
                        None => quote!(#here #call),
                        Some(when) => {
                            let ctx = super::Ctx {
                                record: id,
                                row: row_id,
                                epoch,
                                direct: false,
                                loc: false,
                                block: None,
                            };
                            let condition = self.truth(ctx, when, None);
                            quote! {
                                #here
                                let holds = match (|| -> rt::Read<bool> { rt::Ok(#condition) })() {
                                    rt::Ok(holds) => holds,
                                    rt::Err(error) => {
                                        let loc = rt::Loc::slot(owner, #slot);
                                        return rt::Err(cx.core.located(error, loc));
                                    }
                                };
                                if holds {
                                    #call
                                } else {
                                    cx.core.tree.set(owner, #slot, rt::Item::Absent);
                                }
                            }
                        }
                    }
                }
                _ => quote!(),
            };
            let code = |fixed: bool| match only {
                Some(epoch) => make(epoch, fixed),
                None => self.per_epoch(|epoch| make(epoch, fixed)),
            };
            if placed {
                let code = code(true);
                first.extend(quote!({ #code }));
                ends.extend(quote!(reach = reach.max(cx.core.tree.row_end(owner, #slot));));
            }
            let code = code(false);
            if !code.is_empty() {
                next.extend(quote!({ #code }));
            }
        }
        let start = self.fixed_end(id, record, case && !self.is_whole_case(id), only);
        let shapes: Vec<_> = early
            .iter()
            .filter_map(|row| {
                let field = self.shapes.field(id, *row)?;
                Some((format_ident!("f{}", row.0), field.shape.clone()))
            })
            .collect();
        let keep = self.keep_early(id, &shapes);
        quote! {
            let mut reach: u64 = #start;
            #first
            #ends
            cursor.at = reach;
            #next
            cx.core.keep_all(owner, spelling);
            #keep
        }
    }

    /// Rows of the fixed block in the order of reading, then the others in that of declaration;
    /// whether a row is one of the first.
    fn reading_order(&self, record: &Record, only: Option<EpochId>) -> Vec<(RowId, bool)> {
        let placed = |row: RowId| {
            let row = &record.rows[row.index()];
            let at = |epoch| matches!(self.home(row, epoch), Home::At(_));
            match only {
                Some(epoch) => at(epoch),
                None => self.epochs().any(at),
            }
        };
        let mut order: Vec<(RowId, bool)> =
            record.read_order.iter().filter(|row| placed(**row)).map(|row| (*row, true)).collect();
        for (row_id, _) in rows(record) {
            if !placed(row_id) {
                order.push((row_id, false));
            } else if !order.iter().any(|(known, _)| *known == row_id) {
                order.push((row_id, true));
            }
        }
        order
    }

    /// Whether a row stands in the fixed block in one epoch, and behind another row in another.
    fn is_mixed(&self, record: &Record) -> bool {
        record.rows.iter().any(|row| {
            let at = self.epochs().any(|e| matches!(self.home(row, e), Home::At(_)));
            at && self.epochs().any(|e| self.home(row, e) == Home::Next)
        })
    }

    /// Where rows without homes begin.
    fn fixed_end(
        &self,
        id: RecordId,
        record: &Record,
        case: bool,
        only: Option<EpochId>,
    ) -> TokenStream {
        let make = |epoch: EpochId| {
            let size = if case { self.fixed_part(id, epoch) } else { size_of(record, epoch) };
            match size {
                Some(size) => quote!(base.saturating_add(#size)),
                None => quote!(cursor.at),
            }
        };
        match only {
            Some(epoch) => make(epoch),
            None => self.per_epoch(make),
        }
    }

    /// What follows the last row of a record without a node.
    fn close(&self, record: &Record, case: bool, only: Option<EpochId>) -> TokenStream {
        if case {
            return quote!();
        }
        let make = |epoch: EpochId| match size_of(record, epoch) {
            Some(size) => quote!(cursor.at = cursor.at.max(base.saturating_add(#size));),
            None => quote!(),
        };
        let end = match only {
            Some(epoch) => make(epoch),
            None => self.per_epoch(make),
        };
        quote!(cursor.align_bits(); #end)
    }

    /// Whether the record of a case stands for the whole union.
    pub(super) fn is_whole_case(&self, id: RecordId) -> bool {
        self.model
            .unions
            .iter()
            .any(|union| union.cases.iter().any(|case| case.whole && case.record == id))
    }

    /// Rows with a field whose value is read straight away although the record has nodes.
    pub(super) fn early_rows(&self, id: RecordId) -> Vec<RowId> {
        if !self.typed(id) {
            return Vec::new();
        }
        let fields = self.shapes.fields(id).iter();
        fields.map(|field| field.row).filter(|row| self.plan.slot(id, *row).is_none()).collect()
    }

    /// The structs of early rows, and functions for objects and targets.
    pub(super) fn parts(&self) -> TokenStream {
        let mut items = TokenStream::new();
        for (id, _) in super::records(self.model) {
            if !self.plan.noded(id) {
                continue;
            }
            let early = self.early_rows(id);
            if !early.is_empty() {
                let name = format_ident!("Early{}", id.0);
                let fields = early.iter().filter_map(|row| {
                    let field = self.shapes.field(id, *row)?;
                    let (name, ty) = (format_ident!("f{}", row.0), self.ty(&field.shape));
                    Some(quote!(#name: #ty))
                });
                items.extend(quote! {
                    #[derive(Clone)]
                    struct #name<'o> {
                        #(#fields,)*
                        lifetime: ::core::marker::PhantomData<&'o ()>,
                    }
                });
            }
        }
        items.extend(self.part_functions());
        items
    }
}

fn size_of(record: &Record, epoch: EpochId) -> Option<u64> {
    record.sizes.get(epoch.index()).copied().flatten()
}
