//! What the schema says about reading, as static tables.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::pointer::{none_numbers, policy_code, text_unit};
use super::value::element_in;
use super::{Reading, in_tag, number, optional};
use crate::model::{
    ArrayLength, ByteOrder, ByteOrderRule, Case, CheckKind, DefinerScope, DefinerSource,
    EndianRule, EpochId, Expr, ExprId, Gaps, Home, Label, Meaning, Measure, PointerType, PoolOrder,
    Record, RecordId, RecordKind, RelocationEncoding, Role, Row, RowId, RowKind, RunLength,
    Storage, Target, Type, WhenEmpty,
};

impl Reading<'_, '_> {
    pub(super) fn tables(&self) -> TokenStream {
        let table = self.model.records().map(|(id, record)| self.record_table(id, record));
        let table: Vec<_> = table.collect();
        let rows = self.model.records().map(|(id, record)| self.record_rows(id, record));
        let rows: Vec<_> = rows.collect();
        let texts = self.texts();
        let count = Literal::usize_unsuffixed(rows.len());
        let (orders, slices) = (self.orders, self.slices);
        let big = matches!(self.model.byte_order, ByteOrderRule::Fixed(ByteOrder::Big));
        let gaps = self.model.gaps == Gaps::Kept;
        quote! {
            static ROWS: [r::RecordRows; #count] = [#(#rows),*];

            static TABLES: rt::ReadTables = rt::ReadTables {
                schema: &SCHEMA,
                records: &[#(#table),*],
                rows: &ROWS,
                texts: &[#(#texts),*],
                orders: #orders,
                slices: #slices,
                relocation: &RELOCATION,
                big: #big,
                gaps: #gaps,
            };
        }
    }

    fn record_table(&self, id: RecordId, record: &Record) -> TokenStream {
        let noded = self.plan.noded(id);
        let base = match record.kind {
            RecordKind::Form(..) => self.shapes.spelling_row(id, RowId(0)),
            _ => 0,
        };
        let endian = record.endian.as_ref().filter(|_| noded).map(|rule| {
            let is_big = |order: &ByteOrder| *order == ByteOrder::Big;
            let (choices, otherwise) = match rule {
                EndianRule::Fixed(order) => (Vec::new(), Some(is_big(order))),
                EndianRule::Chosen(choices, otherwise) => (
                    choices
                        .iter()
                        .map(|(e, order)| {
                            let (e, big) = (self.plan.expr(*e, id), is_big(order));
                            quote!((#e, #big))
                        })
                        .collect(),
                    otherwise.as_ref().map(is_big),
                ),
            };
            let otherwise = optional(otherwise.map(|big| quote!(#big)));
            quote!(rt::EndianRule { choices: &[#(#choices),*], otherwise: #otherwise })
        });
        let order = record.read_order.iter().filter_map(|row| {
            let slot = self.plan.slot(id, *row)?;
            let definition = self.row(id, *row);
            let object = matches!(definition.kind, RowKind::Object { .. });
            (object || self.holds(&definition.ty)).then_some(slot)
        });
        let order: Vec<u16> = order.collect();
        let slots: Vec<TokenStream> =
            self.plan.slots(id).iter().map(|row| self.slot_table(id, *row)).collect();
        let slot_rows: Vec<&Row> =
            self.plan.slots(id).iter().map(|row| self.row(id, *row)).collect();
        let names = slot_rows.iter().any(|row| row.patricia(self.model).is_some());
        let references = slot_rows.iter().any(|row| row.reference.is_some() || is_name_list(row));
        let settles = self.plan.slots(id).iter().any(|row_id| {
            let row = self.row(id, *row_id);
            let late = matches!(
                row.kind,
                RowKind::Object { .. }
                    | RowKind::Mark { .. }
                    | RowKind::Value { .. }
                    | RowKind::Slice { .. }
                    | RowKind::Pool { .. }
            );
            late || matches!(row.role, Role::Kept(_) | Role::View { .. })
                || self.plan.settled(id, *row_id)
                || row.unique
                || matches!(&row.ty, Type::Pointer(p) if p.none_with.is_some())
                || row.checks.iter().any(|check| matches!(check.kind, CheckKind::Holds(_)))
        });
        let checks = record.checks.iter().filter_map(|check| match &check.kind {
            CheckKind::Holds(e) if noded => {
                let (e, text) = (self.plan.expr(*e, id), &check.text);
                Some(quote!((#e, #text)))
            }
            _ => None,
        });
        let checks: Vec<_> = checks.collect();
        let table = record.numbered_rows().filter_map(|(row_id, row)| {
            let data = matches!(row.role, Role::Data | Role::Default(_)) && self.plan.table(id);
            self.plan.slot(id, row_id).filter(|_| data)
        });
        let table: Vec<u16> = table.collect();
        let forms = match record.kind {
            RecordKind::Case(union, case) => {
                let case = &self.model.unions[union.index()].cases[case as usize];
                self.forms(id, record, case)
            }
            _ => Vec::new(),
        };
        let order = order.iter().map(|slot| Literal::u16_unsuffixed(*slot));
        let mut code = quote!(rt::record_read(&[#(#order),*], &[#(#slots),*]));
        if base != 0 {
            code = quote!(#code.spelling_base(#base));
        }
        if let Some(endian) = endian {
            code = quote!(#code.endian(#endian));
        }
        if names {
            code = quote!(#code.names());
        }
        if references {
            code = quote!(#code.references());
        }
        if settles {
            code = quote!(#code.settles());
        }
        if !checks.is_empty() {
            code = quote!(#code.checks(&[#(#checks),*]));
        }
        if !table.is_empty() {
            code = quote!(#code.table(&[#(#table),*]));
        }
        if let Some(encoding) = record.encodes {
            let encoding = encoding_code(encoding);
            code = quote!(#code.encodes(#encoding));
        }
        if !forms.is_empty() {
            code = quote!(#code.forms(&[#(#forms),*]));
        }
        code
    }

    fn forms(&self, id: RecordId, record: &Record, case: &Case) -> Vec<TokenStream> {
        case.forms
            .iter()
            .map(|form| {
                let epochs = &form.epochs;
                let spelled = &self.model.records[form.record.index()];
                let rows = spelled.rows.iter().filter_map(|row| {
                    let name = row.name.as_ref()?;
                    let (logical, _) = record
                        .numbered_rows()
                        .find(|(_, other)| other.name.as_ref() == Some(name))?;
                    let slot = self.plan.slot(id, logical)?;
                    let can = match &row.kind {
                        RowKind::Constant(constant) => {
                            let constant = Self::constant(constant);
                            quote!(rt::Can::Constant(#constant))
                        }
                        _ => self.can(&row.ty, 0),
                    };
                    Some(quote!((#slot, #can)))
                });
                quote!(rt::FormRead { epochs: &[#(#epochs),*], rows: &[#(#rows),*] })
            })
            .collect()
    }

    fn can(&self, ty: &Type, depth: u32) -> TokenStream {
        if depth > 64 {
            return quote!(rt::Can::Any);
        }
        match ty {
            Type::Cell(cell) => match cell.meaning {
                Meaning::Bool { yes } => quote!(rt::Can::Truth(#yes)),
                _ => {
                    let (bits, signed) = width(self.model, cell);
                    quote!(rt::Can::Fits { bits: #bits, signed: #signed })
                }
            },
            Type::Array(array) => {
                let inner = self.can(&array.element, depth + 1);
                quote!(rt::Can::Elements(&#inner))
            }
            Type::Region(region) => self.can(&region.inner, depth + 1),
            Type::Record(record) => {
                let record = &self.model.records[record.index()];
                match record.transparent {
                    Some(row) => self.can(&record.rows[row.index()].ty, depth + 1),
                    None => quote!(rt::Can::Any),
                }
            }
            _ => quote!(rt::Can::Any),
        }
    }

    fn slot_table(&self, id: RecordId, row_id: RowId) -> TokenStream {
        let row = self.row(id, row_id);
        let nowhere = !self.epochs().any(|e| matches!(self.home(row, e), Home::At(_) | Home::Next));
        let mut code = self.kind_code(id, row);
        if let Some(e) = row.when.as_ref().filter(|_| nowhere && !in_tag(row)) {
            let e = Literal::u16_unsuffixed(self.plan.expr(*e, id));
            code = quote!(#code.when(#e));
        }
        let slice = matches!(row.kind, RowKind::Slice { .. });
        let pointers = |element: bool| {
            let all: Vec<TokenStream> = self
                .epochs()
                .map(|epoch| {
                    let ty = row.ty.in_epoch(epoch);
                    let ty = if element { element_in(ty, epoch) } else { Some(ty) };
                    let pointer = ty.and_then(|ty| pointer_in(ty, epoch));
                    optional(pointer.map(|p| self.pointer_table(id, row, p, epoch)))
                })
                .collect();
            let texts: Vec<String> = all.iter().map(ToString::to_string).collect();
            match all.first() {
                Some(first) if texts.iter().all(|text| *text == texts[0]) => {
                    (texts[0] != optional(None).to_string()).then(|| quote!(&[#first]))
                }
                _ => Some(quote!(&[#(#all),*])),
            }
        };
        if let Some(pointers) = pointers(false).filter(|_| !slice) {
            code = quote!(#code.pointer(#pointers));
        }
        if let Some(pointers) = pointers(true).filter(|_| !slice) {
            code = quote!(#code.element(#pointers));
        }
        if let Some(slot) = none_with(&row.ty).and_then(|row| self.plan.slot(id, row)) {
            code = quote!(#code.none_with(#slot));
        }
        let definers: Vec<TokenStream> = if self.plan.settled(id, row_id) {
            row.definers.iter().filter_map(|d| self.definer(id, d)).collect()
        } else {
            Vec::new()
        };
        if !definers.is_empty() {
            code = quote!(#code.definers(&[#(#definers),*]));
        }
        if let Role::Kept(e) = &row.role {
            let usual = self.usual(id, *e);
            code = quote!(#code.kept(#usual));
        }
        let kept_field = self
            .shapes
            .field(id, row_id)
            .is_some_and(|field| matches!(field.shape, crate::rust::shape::Shape::Kept(_)));
        if kept_field {
            code = quote!(#code.kept_field());
        }
        let view = match &row.role {
            Role::View { slices, key } => {
                let paths = slices.iter().map(|path| self.plan.path(path));
                let key = optional(key.as_ref().map(|key| {
                    let holder = slices.iter().find_map(last_record).unwrap_or(id);
                    let key = self.plan.expr(*key, holder);
                    quote!(#key)
                }));
                Some(quote!((&[#(#paths),*], #key)))
            }
            _ => None,
        };
        if let Some(view) = view {
            code = quote!(#code.view(#view));
        }
        let pool = match &row.kind {
            RowKind::Pool { always, order, .. } => {
                let data = matches!(row.role, Role::Data);
                let order = order.iter().map(|(condition, order)| {
                    let condition = optional(condition.as_ref().map(|e| {
                        let e = self.plan.expr(*e, id);
                        quote!(#e)
                    }));
                    let order = match order {
                        PoolOrder::FirstUse => quote!(rt::None),
                        PoolOrder::Bytes => quote!(rt::Some(::formwork::PoolOrder::Bytes)),
                        PoolOrder::BitsFromEnd => {
                            quote!(rt::Some(::formwork::PoolOrder::BitsFromEnd))
                        }
                    };
                    quote!((#condition, #order))
                });
                Some(quote!(rt::Pool {
                    always: &[#(#always),*],
                    order: &[#(#order),*],
                    data: #data,
                }))
            }
            _ => None,
        };
        if let Some(pool) = pool {
            code = quote!(#code.pool(#pool));
        }
        if let Some(path) = row.patricia(self.model) {
            let path = Literal::u16_unsuffixed(self.plan.path(path));
            code = quote!(#code.names(#path));
        }
        if matches!(row.role, Role::Elsewhere) {
            code = quote!(#code.elsewhere());
        }
        if is_name_list(row) {
            code = quote!(#code.name_list());
        }
        let reference = row.reference.as_ref().map(|reference| {
            let array = self.plan.path(&reference.array);
            let filter = optional(reference.filter.as_ref().map(|e| {
                let e = self.plan.expr(*e, id);
                quote!(#e)
            }));
            let field = optional(reference.field.as_ref().map(|field| {
                let slots = self.model.records().filter_map(|(other, record)| {
                    let (row, _) = record
                        .numbered_rows()
                        .find(|(_, row)| row.name.as_deref() == Some(field))?;
                    let slot = self.plan.slot(other, row)?;
                    let other = number(other.index());
                    Some(quote!((#other, #slot)))
                });
                quote!(&[#(#slots),*])
            }));
            let pointer = matches!(
                &row.ty,
                Type::Pointer(pointer) if matches!(pointer.target, Target::Element)
            );
            quote!(rt::Reference {
                array: #array,
                filter: #filter,
                field: #field,
                pointer: #pointer,
            })
        });
        if let Some(reference) = reference {
            code = quote!(#code.reference(#reference));
        }
        if row.unique {
            code = quote!(#code.unique());
        }
        let checks = row.checks.iter().filter_map(|check| {
            Some(match &check.kind {
                CheckKind::Min(e) => {
                    let e = self.plan.expr(*e, id);
                    quote!(rt::Check::Min(#e))
                }
                CheckKind::Max(e) => {
                    let e = self.plan.expr(*e, id);
                    quote!(rt::Check::Max(#e))
                }
                CheckKind::Equals(e) => {
                    let e = self.plan.expr(*e, id);
                    quote!(rt::Check::Equals(#e))
                }
                CheckKind::OneOf(list) => {
                    let list = list.iter().map(|e| self.plan.expr(*e, id));
                    quote!(rt::Check::OneOf(&[#(#list),*]))
                }
                CheckKind::Holds(_) => return None,
            })
        });
        let conditions = row.checks.iter().filter_map(|check| match &check.kind {
            CheckKind::Holds(e) => {
                let (e, text) = (self.plan.expr(*e, id), &check.text);
                Some(quote!((#e, #text)))
            }
            _ => None,
        });
        let (checks, conditions): (Vec<_>, Vec<_>) = (checks.collect(), conditions.collect());
        if !checks.is_empty() {
            code = quote!(#code.checks(&[#(#checks),*]));
        }
        if !conditions.is_empty() {
            code = quote!(#code.conditions(&[#(#conditions),*]));
        }
        let unit = text_unit(&row.ty);
        if unit != 1 {
            code = quote!(#code.unit(#unit));
        }
        let aligns = (self.align(&row.ty, false), self.align(&row.ty, true));
        if aligns != (1, 1) {
            let (own, element) =
                (Literal::u64_unsuffixed(aligns.0), Literal::u64_unsuffixed(aligns.1));
            code = quote!(#code.aligns((#own, #element)));
        }
        code
    }

    fn kind_code(&self, id: RecordId, row: &Row) -> TokenStream {
        let kind = match &row.kind {
            RowKind::Object { address } => {
                let e = self.plan.expr(*address, id);
                quote!(rt::SlotKind::Object(#e))
            }
            RowKind::Mark { address } => {
                let e = self.plan.expr(*address, id);
                quote!(rt::SlotKind::Mark(#e))
            }
            RowKind::Value { seen: Some(seen) } => {
                let e = self.plan.expr(*seen, id);
                quote!(rt::SlotKind::Seen(#e))
            }
            RowKind::Value { seen: None } => quote!(rt::SlotKind::Unseen),
            RowKind::Slice { table, base, factor, offset, count, empty_base } => {
                let table = self.plan.path(table);
                let base = self.plan.slot(id, *base).unwrap_or(u16::MAX);
                let count = self.plan.slot(id, *count).unwrap_or(u16::MAX);
                let (factor, offset) =
                    (Literal::i128_suffixed(*factor), Literal::i128_suffixed(*offset));
                let empty = optional(empty_base.map(|n| {
                    let n = Literal::i128_suffixed(n);
                    quote!(#n)
                }));
                quote!(rt::SlotKind::Slice(rt::Slice {
                    table: #table,
                    base: #base,
                    count: #count,
                    factor: #factor,
                    offset: #offset,
                    empty_base: #empty,
                }))
            }
            _ => return quote!(rt::slot()),
        };
        quote!(rt::slot_of(#kind))
    }

    fn pointer_table(
        &self,
        id: RecordId,
        row: &Row,
        pointer: &PointerType,
        epoch: EpochId,
    ) -> TokenStream {
        let kind = &self.model.pointers[pointer.kind.index()];
        let target = match &pointer.target {
            Target::Own(target) => Some(target.in_epoch(epoch).stripped()),
            _ => None,
        };
        let none = none_numbers(kind.none, row);
        let count = match target {
            Some(Type::Array(array)) => match &array.length {
                ArrayLength::Count(count) => Some(count),
                _ => None,
            },
            Some(Type::Run(run)) => match &run.length {
                RunLength::Count(count) => Some(count),
                _ => None,
            },
            _ => None,
        };
        let fill = matches!(target, Some(Type::Array(a)) if matches!(a.length, ArrayLength::Fill));
        let when_empty = pointer.when_empty.unwrap_or(kind.when_empty);
        let flags = [
            (target.is_some(), quote!(own())),
            (pointer.optional, quote!(optional())),
            (pointer.none_with.is_some(), quote!(none_with())),
            (fill, quote!(fill())),
            (matches!(target, Some(Type::Run(_))), quote!(run())),
            (when_empty == WhenEmpty::None, quote!(none_when_empty())),
        ];
        let mut code = quote!(rt::pointer(&[#(#none),*]));
        for (_, flag) in flags.into_iter().filter(|(set, _)| *set) {
            code = quote!(#code.#flag);
        }
        if let Some(e) = count {
            let e = Literal::u16_unsuffixed(self.plan.expr(*e, id));
            code = quote!(#code.count(#e));
        }
        if let Some(e) = &kind.base {
            let e = Literal::u16_unsuffixed(self.plan.expr(*e, id));
            code = quote!(#code.base(#e));
        }
        if kind.skip != 0 {
            let skip = Literal::i128_unsuffixed(kind.skip.into());
            code = quote!(#code.skip(#skip));
        }
        code
    }

    fn definer(&self, id: RecordId, definer: &crate::model::Definer) -> Option<TokenStream> {
        let (scope, scope_record) = match &definer.scope {
            DefinerScope::Own => (quote!(rt::Scope::Own), id),
            DefinerScope::Case(union_row, case) => {
                let slot = self.plan.slot(id, *union_row)?;
                let union = self.row(id, *union_row).ty.union()?;
                let record = self.model.unions[union.index()].cases[*case as usize].record;
                let number = number(record.index());
                (quote!(rt::Scope::Case(#slot, #number)), record)
            }
            DefinerScope::Owner(owner, path) => {
                let mut slots = Vec::new();
                let mut at = *owner;
                for row in path {
                    slots.push(self.plan.slot(at, *row)?);
                    let ty = &self.row(at, *row).ty;
                    crate::rust::plan::held(self.model, ty, &mut |inner| at = inner);
                }
                let number = number(owner.index());
                (quote!(rt::Scope::Owner(#number, &[#(#slots),*])), *owner)
            }
        };
        let source = match &definer.source {
            DefinerSource::Expr(e) => self.usual(scope_record, *e),
            DefinerSource::Measure { measure, row, factor, offset } => {
                let slot = self.plan.slot(scope_record, *row)?;
                let (factor, offset) =
                    (Literal::i128_suffixed(*factor), Literal::i128_suffixed(*offset));
                let measure = match measure {
                    Measure::Count => quote!(rt::Measure::Count),
                    Measure::Size => quote!(rt::Measure::Size),
                    Measure::End => quote!(rt::Measure::End),
                    Measure::At(base) => {
                        let e = self.plan.expr(*base, scope_record);
                        quote!(rt::Measure::At(#e))
                    }
                    Measure::Base => quote!(rt::Measure::Base),
                    Measure::Tag => {
                        let union = self.row(scope_record, *row).ty.union()?;
                        let cases = &self.model.unions[union.index()].cases;
                        let tags = cases.iter().filter_map(|case| {
                            let record = number(case.record.index());
                            match case.labels.first()? {
                                Label::Range(low, _) => {
                                    let low = Literal::i128_suffixed(*low);
                                    Some(quote!((#record, rt::Constant::Int(#low))))
                                }
                                Label::Text(text) => {
                                    Some(quote!((#record, rt::Constant::Text(#text))))
                                }
                                _ => None,
                            }
                        });
                        quote!(rt::Measure::Tag(&[#(#tags),*]))
                    }
                };
                quote!(rt::Usual::Measure {
                    measure: #measure,
                    slot: #slot,
                    factor: #factor,
                    offset: #offset,
                })
            }
        };
        Some(quote!(rt::Definer { scope: #scope, source: #source }))
    }

    fn usual(&self, id: RecordId, e: ExprId) -> TokenStream {
        match &self.model[e] {
            Expr::Patricia(path) => {
                let path = self.plan.path(path);
                quote!(rt::Usual::Patricia(#path))
            }
            Expr::RelocationSections => quote!(rt::Usual::Sections),
            Expr::RelocationEntries => quote!(rt::Usual::Entries),
            _ => {
                let e = self.plan.expr(e, id);
                quote!(rt::Usual::Expr(#e))
            }
        }
    }

    pub(super) fn listed(&self, row: &Row) -> Option<TokenStream> {
        let runtime = matches!(row.kind, RowKind::Runtime);
        if row.listed.is_none() && !runtime {
            return None;
        }
        let policy = optional(row.listed.and_then(|l| l.policy).map(policy_code));
        let kind = optional(row.listed.and_then(|l| l.kind).map(|kind| {
            let kind = number(kind.index());
            quote!(#kind)
        }));
        let section = row.listed.map_or(0, |l| number(l.section as usize));
        let widths = self.epochs().map(|epoch| self.model.size_of(&row.ty, epoch).unwrap_or(0));
        let widths: Vec<u64> = widths.collect();
        let widths = match widths.as_slice() {
            [first, rest @ ..] if rest.iter().all(|w| w == first) => vec![*first],
            _ => widths,
        };
        Some(quote!(rt::labels::ListedRow {
            policy: #policy,
            kind: #kind,
            section: #section,
            runtime: #runtime,
            widths: &[#(#widths),*],
        }))
    }

    /// Alignment of the object that a row or its elements lead to.
    fn align(&self, ty: &Type, element: bool) -> u64 {
        let (mut ty, mut align, mut element) = (ty, 1, element);
        loop {
            match ty {
                Type::Pointer(pointer) => {
                    align = self.model.pointers[pointer.kind.index()].align;
                    match &pointer.target {
                        Target::Own(target) => ty = target,
                        _ => return align,
                    }
                }
                Type::Array(array) if element => {
                    element = false;
                    ty = &array.element;
                }
                Type::Region(region) => ty = &region.inner,
                Type::PerEpoch(types) => {
                    match types.iter().find(|ty| !matches!(ty, Type::Nothing)) {
                        Some(first) => ty = first,
                        None => return align,
                    }
                }
                _ => return self.type_align(ty).unwrap_or(align),
            }
        }
    }

    fn type_align(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Record(record) => self.model.records[record.index()].align,
            Type::Run(run) => run.align,
            Type::Region(region) => self.type_align(&region.inner),
            Type::Array(array) => match array.element.stripped() {
                Type::Run(_) | Type::Record(_) => self.type_align(&array.element),
                _ => None,
            },
            _ => None,
        }
    }
}

fn encoding_code(encoding: RelocationEncoding) -> TokenStream {
    match encoding {
        RelocationEncoding::PointerMasks => quote!(rt::labels::RelocationEncoding::Masks),
        RelocationEncoding::PointerRuns => quote!(rt::labels::RelocationEncoding::Runs),
    }
}

fn is_name_list(row: &Row) -> bool {
    matches!(row.kind, RowKind::Value { seen: None }) && matches!(row.ty, Type::Array(_))
}

fn none_with(ty: &Type) -> Option<RowId> {
    match ty {
        Type::Pointer(pointer) => pointer.none_with,
        Type::PerEpoch(types) => types.iter().find_map(none_with),
        _ => None,
    }
}

/// The pointer that a type is, inside of regions.
fn pointer_in(ty: &Type, epoch: EpochId) -> Option<&PointerType> {
    match ty.in_epoch(epoch) {
        Type::Region(region) => pointer_in(&region.inner, epoch),
        Type::Pointer(pointer) if !matches!(pointer.target, Target::Pooled) => Some(pointer),
        _ => None,
    }
}

/// The record in which a path ends.
fn last_record(path: &crate::model::Path) -> Option<RecordId> {
    path.steps.iter().rev().find_map(|step| match step {
        crate::model::Step::Field(field) => field.members.first().map(|(record, _)| *record),
        _ => None,
    })
}

/// Width in bits, and whether it has a sign.
fn width(model: &crate::model::Model, cell: &crate::model::Cell) -> (u32, bool) {
    match cell.storage {
        Storage::Fixed(int) => (u32::from(int.bytes) * 8, int.signed),
        Storage::Varint(id) => {
            let ty = model.varints[id.index()].ty;
            (u32::from(ty.bytes) * 8, ty.signed)
        }
        Storage::Bits { width, .. } | Storage::Letter { width, .. } => (width.into(), false),
        Storage::Word { first, last, signed } => (u32::from(last - first) + 1, signed),
        Storage::TagOf => (64, true),
    }
}
