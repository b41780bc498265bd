//! Tables of rows: what stands where, and as what.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{Ctx, Reading, in_tag, is_body, number, optional};
use crate::model::ByteOrder;
use crate::model::{
    ArrayLength, ArrayType, Case, Cell, Check, CheckKind, Content, Definer, DefinerScope,
    DefinerSource, Encoding, EpochId, Extent, GroupOrder, Home, Label, Meaning, Measure,
    PointerType, Record, RecordId, RecordKind, RegionType, Role, Row, RowId, RowKind, RunLength,
    RunType, Storage, Tag, Target, Terminated, Terminator, Trim, Type, UnionId,
};
use crate::rust::shape::Shape;

impl<'m> Reading<'_, 'm> {
    /// The rows of a record.
    pub(super) fn record_rows(&self, id: RecordId, record: &'m Record) -> TokenStream {
        let noded = self.plan.noded(id);
        let table = record.numbered_rows().map(|(row_id, row)| self.row_table(id, row_id, row));
        let table: Vec<_> = table.collect();
        let order = self.reading_order(record);
        let order = order.iter().map(|row| Literal::u32_unsuffixed(row.0));
        let sizes = self.by_epoch(&|epoch| {
            optional(record.sizes.get(epoch.index()).copied().flatten().map(|n| quote!(#n)))
        });
        let mut code = quote!(r::record(&[#(#table),*], &[#(#order),*], &[#(#sizes),*]));
        let checks = record.checks.iter().filter_map(|check| match &check.kind {
            CheckKind::Holds(e) if !noded => {
                let (e, text) = (self.ex(Ctx { id, row: RowId(0), direct: true }, *e), &check.text);
                Some(quote!((#e, #text)))
            }
            _ => None,
        });
        let checks: Vec<_> = checks.collect();
        if !checks.is_empty() {
            code = quote!(#code.checks(&[#(#checks),*]));
        }
        if is_body(record) && !self.is_whole_case(id) {
            code = quote!(#code.part());
        }
        if noded && !self.early_rows(id).is_empty() {
            code = quote!(#code.early());
        }
        if self.shapes.is_transparent(id)
            && let Some(field) = self.shapes.fields(id).first()
        {
            let row = Literal::u32_unsuffixed(field.row.0);
            code = quote!(#code.transparent(#row));
        }
        code
    }

    /// Rows of the fixed block in the order of reading, then the others in that of declaration.
    fn reading_order(&self, record: &Record) -> Vec<RowId> {
        let placed = |row: RowId| {
            let row = &record.rows[row.index()];
            self.epochs().any(|epoch| matches!(self.home(row, epoch), Home::At(_)))
        };
        let mut order: Vec<RowId> =
            record.read_order.iter().copied().filter(|row| placed(*row)).collect();
        for (row_id, _) in record.numbered_rows() {
            if !order.contains(&row_id) {
                order.push(row_id);
            }
        }
        order
    }

    /// One for each epoch, or one for all.
    fn by_epoch(&self, make: &dyn Fn(EpochId) -> TokenStream) -> Vec<TokenStream> {
        let all: Vec<TokenStream> = self.epochs().map(make).collect();
        match all.split_first() {
            Some((first, rest))
                if rest.iter().all(|other| other.to_string() == first.to_string()) =>
            {
                vec![first.clone()]
            }
            _ => all,
        }
    }

    fn row_table(&self, id: RecordId, row_id: RowId, row: &'m Row) -> TokenStream {
        let direct = !self.plan.noded(id);
        let slot = self.plan.slot(id, row_id);
        let ctx = Ctx { id, row: row_id, direct };
        let spelled = Literal::u16_unsuffixed(self.shapes.spelling_row(id, row_id));
        let homes: Vec<Home> = self.epochs().map(|epoch| self.home(row, epoch)).collect();
        let elsewhere = matches!(
            row.kind,
            RowKind::Mark { .. } | RowKind::Value { .. } | RowKind::Slice { .. }
        );
        let typed = self.typed_row(id, row_id, row);
        let ty = match (&row.kind, typed) {
            _ if elsewhere => quote!(r::Ty::Nothing),
            (_, Some(typed)) => {
                let ty = self.ty_table(ctx, &row.ty, row, slot.is_some(), true);
                let ty = self.shared_ty(ty);
                quote!(r::Ty::Value(#typed, &#ty))
            }
            (RowKind::Pool { .. }, None) => match pool_array(&row.ty) {
                Some(array) => self.array_ty(ctx, array, slot.is_some()),
                None => quote!(r::Ty::Nothing),
            },
            _ => self.ty_table(ctx, &row.ty, row, slot.is_some(), true),
        };
        let mut code = match homes.split_first() {
            Some((first, rest)) if rest.iter().all(|home| home == first) => match first {
                Home::At(offset) => {
                    let offset = Literal::u64_unsuffixed(*offset);
                    quote!(r::at(#spelled, #offset, #ty))
                }
                Home::Next => quote!(r::next(#spelled, #ty)),
                Home::Absent => quote!(r::row(#spelled, &[r::Home::Absent], #ty)),
                Home::Nowhere => quote!(r::apart(#spelled, #ty)),
            },
            _ => {
                let homes = homes.iter().map(|home| match home {
                    Home::At(offset) => {
                        let offset = Literal::u64_unsuffixed(*offset);
                        quote!(r::Home::At(#offset))
                    }
                    Home::Next => quote!(r::Home::Next),
                    Home::Absent => quote!(r::Home::Absent),
                    Home::Nowhere => quote!(r::Home::Nowhere),
                });
                quote!(r::row(#spelled, &[#(#homes),*], #ty))
            }
        };
        if let Some(name) = self.step(id, row_id) {
            code = quote!(#code.name(#name));
        }
        if let Some(slot) = slot {
            let slot = Literal::u16_unsuffixed(slot);
            code = quote!(#code.slot(#slot));
        }
        match &row.kind {
            RowKind::Plain => {}
            RowKind::Constant(constant) => {
                let constant = Self::constant(constant);
                code = quote!(#code.is(#constant));
            }
            RowKind::Zero | RowKind::Runtime => code = quote!(#code.zero()),
            RowKind::Reserved => code = quote!(#code.reserved()),
            RowKind::Zeros => code = quote!(#code.kind(r::RowKind::Zeros)),
            RowKind::Pool { pad, .. } => code = quote!(#code.kind(r::RowKind::Pool(#pad))),
            // What an object is read as, from its address.
            RowKind::Object { .. } => code = quote!(#code.object()),
            _ => code = quote!(#code.kind(r::RowKind::Elsewhere)),
        }
        if let Some(when) = &row.when {
            let when = self.ex(ctx, *when);
            code = quote!(#code.when(#when));
            let field = self.shapes.field(id, row_id);
            if field.is_some_and(|field| matches!(field.shape, Shape::Option(_))) {
                code = quote!(#code.optional());
            }
        }
        if !row.none.is_empty() {
            let none = row.none.iter().map(|n| Literal::i128_unsuffixed(*n));
            code = quote!(#code.none(&[#(#none),*]));
        }
        if row.plus != 0 {
            let plus = Literal::i128_unsuffixed(row.plus);
            code = quote!(#code.plus(#plus));
        }
        if let Some(constant) = &row.absent {
            let constant = Self::constant(constant);
            code = quote!(#code.absent(#constant));
        }
        if in_tag(row) {
            code = quote!(#code.in_tag());
        }
        code = self.written(ctx, row, code);
        if direct && !row.checks.is_empty() {
            let checks = row.checks.iter().map(|check| self.row_check(ctx, check));
            code = quote!(#code.checks(&[#(#checks),*]));
        }
        code
    }

    /// What writing has to know of a row besides.
    fn written(&self, ctx: Ctx, row: &'m Row, mut code: TokenStream) -> TokenStream {
        if self.shapes.spelling_row(ctx.id, ctx.row) != number(ctx.row.index()) {
            let number = Literal::u32_unsuffixed(ctx.row.0);
            code = quote!(#code.number(#number));
        }
        match &row.role {
            Role::Derived => {
                let definers = row.definers.iter().filter_map(|d| self.row_definer(ctx, d));
                code = quote!(#code.derived(&[#(#definers),*]));
            }
            Role::Kept(_) | Role::View { .. } | Role::Spelling => code = quote!(#code.made()),
            _ if !ctx.direct
                && self.plan.table(ctx.id)
                && self.plan.slot(ctx.id, ctx.row).is_some() =>
            {
                code = quote!(#code.made());
            }
            Role::Default(constant) => {
                let constant = Self::constant(constant);
                code = quote!(#code.default(#constant));
            }
            _ => {}
        }
        if let Some(listed) = self.listed(row) {
            code = quote!(#code.listed(#listed));
        }
        if let Some(reference) = &row.reference {
            let path = Literal::u16_unsuffixed(self.plan.path(&reference.array));
            let filter = optional(reference.filter.as_ref().map(|e| {
                let e = Literal::u16_unsuffixed(self.plan.expr(*e, ctx.id));
                quote!(#e)
            }));
            code = quote!(#code.refers(#path, #filter));
        }
        code
    }

    fn row_definer(&self, ctx: Ctx, definer: &Definer) -> Option<TokenStream> {
        let (scope, inner) = match &definer.scope {
            DefinerScope::Own => (quote!(Own), ctx),
            DefinerScope::Case(row, case) => {
                let union = self.row(ctx.id, *row).ty.union()?;
                let record = self.model.unions[union.index()].cases[*case as usize].record;
                let number = Literal::u32_unsuffixed(record.0);
                let (row, case) = (Literal::u32_unsuffixed(row.0), Literal::u32_unsuffixed(*case));
                let direct = !self.plan.noded(record);
                (quote!(Case(#row, #case, #number)), Ctx { id: record, row: RowId(0), direct })
            }
            DefinerScope::Owner(owner, path) => {
                let (_, way) = path.split_last()?;
                let mut at = *owner;
                let mut slots = Vec::new();
                for row in way {
                    slots.push(self.plan.slot(at, *row)?);
                    let mut next = None;
                    crate::rust::plan::held(self.model, &self.row(at, *row).ty, &mut |inner| {
                        next.get_or_insert(inner);
                    });
                    at = next?;
                }
                let number = Literal::u32_unsuffixed(owner.0);
                let outer = Ctx { id: *owner, row: RowId(0), direct: false };
                (quote!(Owner(#number, &[#(#slots),*])), outer)
            }
        };
        let source = match &definer.source {
            DefinerSource::Expr(e) => {
                let e = self.ex(inner, *e);
                quote!(Is(#e))
            }
            DefinerSource::Measure { measure, row, factor, offset } => {
                let measure = match measure {
                    Measure::Count => quote!(Count),
                    Measure::Size => quote!(Size),
                    Measure::End => quote!(End),
                    Measure::At(base) => {
                        let e = Literal::u16_unsuffixed(self.plan.expr(*base, inner.id));
                        quote!(At(#e))
                    }
                    Measure::Base => match &self.row(inner.id, *row).kind {
                        RowKind::Slice { table, factor, offset, empty_base, .. } => {
                            let path = Literal::u16_unsuffixed(self.plan.path(table));
                            let empty = empty_base.and_then(|stored| {
                                stored.checked_mul(*factor).and_then(|n| n.checked_add(*offset))
                            });
                            let empty = optional(empty.map(|n| {
                                let n = Literal::i128_unsuffixed(n);
                                quote!(#n)
                            }));
                            quote!(Base(#path, #empty))
                        }
                        _ => return None,
                    },
                    Measure::Tag => quote!(Tag),
                };
                let row = Literal::u32_unsuffixed(row.0);
                let factor = Literal::i128_unsuffixed(*factor);
                let offset = Literal::i128_unsuffixed(*offset);
                quote!(Measure(r::Measure::#measure, #row, #factor, #offset))
            }
        };
        Some(quote!(r::Definer { scope: r::Scope::#scope, source: r::Given::#source }))
    }

    fn row_check(&self, ctx: Ctx, check: &Check) -> TokenStream {
        match &check.kind {
            CheckKind::Min(e) => {
                let e = self.ex(ctx, *e);
                quote!(r::RowCheck::Min(#e))
            }
            CheckKind::Max(e) => {
                let e = self.ex(ctx, *e);
                quote!(r::RowCheck::Max(#e))
            }
            CheckKind::Equals(e) => {
                let e = self.ex(ctx, *e);
                quote!(r::RowCheck::Equals(#e))
            }
            CheckKind::OneOf(list) => {
                let list = list.iter().map(|e| self.ex(ctx, *e));
                quote!(r::RowCheck::OneOf(&[#(#list),*]))
            }
            CheckKind::Holds(e) => {
                let (e, text) = (self.ex(ctx, *e), &check.text);
                quote!(r::RowCheck::Holds(#e, #text))
            }
        }
    }

    /// A type. `loc`: for a row with a slot; `whole`: for a row itself, not behind a pointer.
    pub(super) fn ty_table(
        &self,
        ctx: Ctx,
        ty: &'m Type,
        row: &'m Row,
        loc: bool,
        whole: bool,
    ) -> TokenStream {
        match ty {
            Type::Cell(cell) => match cell_name(cell) {
                Some(bits) => {
                    let name = format_ident!("U{bits}");
                    quote!(r::#name)
                }
                None => {
                    let cell = self.cell(ctx, cell, loc);
                    quote!(r::Ty::Cell(#cell))
                }
            },
            Type::Run(run) => {
                let run = self.run(ctx, run);
                quote!(r::Ty::Run(&#run))
            }
            Type::Record(record) => {
                let number = Literal::u32_unsuffixed(record.0);
                if self.plan.noded(*record) {
                    quote!(r::Ty::Node(#number))
                } else if self.shapes.is_plain_word(*record) {
                    quote!(r::Ty::Nothing)
                } else {
                    quote!(r::Ty::Direct(#number))
                }
            }
            Type::Union(union) => {
                let union = self.union(ctx, *union);
                quote!(r::Ty::Union(&#union))
            }
            Type::Pointer(pointer) => {
                let pointer = self.pointer(ctx, pointer, row, loc, whole);
                quote!(r::Ty::Pointer(&#pointer))
            }
            Type::Array(array) => self.array_ty(ctx, array, loc),
            Type::Region(region) => {
                let inner = self.ty_table(ctx, &region.inner, row, loc, whole);
                let region = self.region(ctx, region, inner);
                quote!(r::Ty::Region(&#region))
            }
            Type::ByteOrderMark => quote!(r::Ty::Mark),
            Type::Text | Type::Nothing => quote!(r::Ty::Nothing),
            Type::PerEpoch(types) => {
                let types = types.iter().map(|ty| self.ty_table(ctx, ty, row, loc, whole));
                quote!(r::Ty::PerEpoch(&[#(#types),*]))
            }
        }
    }

    fn array_ty(&self, ctx: Ctx, array: &'m ArrayType, loc: bool) -> TokenStream {
        let row = self.row(ctx.id, ctx.row);
        let element = self.ty_table(ctx, &array.element, row, loc, false);
        let array = self.array(ctx, array, element);
        quote!(r::Ty::Array(&#array))
    }

    /// Name of the static that holds this; the same for equal ones.
    pub(super) fn shared(&self, letter: &str, ty: &str, value: TokenStream) -> Ident {
        let mut statics = self.statics.borrow_mut();
        let text = format!("{ty} {value}");
        let next = statics.len();
        if let Some((ident, _, _)) = statics.get(&text) {
            return ident.clone();
        }
        let ident = format_ident!("{letter}{next}");
        let ty = format_ident!("{ty}");
        let code = quote!(static #ident: r::#ty = #value;);
        statics.insert(text, (ident.clone(), next, code));
        ident
    }

    /// A type that stands alone.
    pub(super) fn shared_ty(&self, ty: TokenStream) -> Ident {
        self.shared("T", "Ty", ty)
    }

    pub(super) fn array(&self, ctx: Ctx, array: &'m ArrayType, element: TokenStream) -> Ident {
        let count = match &array.length {
            ArrayLength::Count(e) => {
                let e = self.ex(ctx, *e);
                quote!(r::Count::Is(#e))
            }
            ArrayLength::Fill => quote!(r::Count::Fill),
            ArrayLength::Last(e) => {
                let e = self.ex(ctx, *e);
                quote!(r::Count::Last(#e))
            }
        };
        let stride = optional(array.stride.as_ref().map(|e| self.ex(ctx, *e)));
        let value = quote!(r::Array { element: #element, count: #count, stride: #stride });
        self.shared("A", "Array", value)
    }

    /// A number.
    pub(super) fn cell(&self, ctx: Ctx, cell: &Cell, loc: bool) -> TokenStream {
        if let Some(bits) = cell_name(cell) {
            let name = format_ident!("CELL{bits}");
            return quote!(r::#name);
        }
        let meaning = match &cell.meaning {
            Meaning::Int => quote!(Int),
            Meaning::Float => quote!(Float),
            Meaning::Bool { yes } => {
                let yes = Literal::u64_unsuffixed(*yes);
                quote!(Bool(#yes))
            }
            Meaning::Enum(_) => match self.closed(&cell.meaning) {
                Some(closed) => quote!(Member(&#closed)),
                None => quote!(Int),
            },
            Meaning::Word(word) => {
                let number = Literal::u32_unsuffixed(word.0);
                let (noded, plain) = (self.plan.noded(*word), self.shapes.is_plain_word(*word));
                if noded && (loc || !plain) {
                    quote!(WordNode(#number))
                } else if plain {
                    let rules = self.word_rules(*word);
                    quote!(Word(&[#(#rules),*]))
                } else {
                    quote!(DirectWord(#number))
                }
            }
        };
        let storage = self.storage(ctx, cell);
        quote!(r::Cell::of(r::Storage::#storage, r::Meaning::#meaning))
    }

    fn storage(&self, ctx: Ctx, cell: &Cell) -> TokenStream {
        match cell.storage {
            Storage::Fixed(int) => {
                let (bytes, signed) = (Literal::u8_unsuffixed(int.bytes), int.signed);
                let order = optional(int.order.map(|order| {
                    let big = order == ByteOrder::Big;
                    quote!(#big)
                }));
                quote!(Fixed(#bytes, #signed, #order))
            }
            Storage::Varint(id) => {
                let varint = &self.model.varints[id.index()];
                let order = match varint.order {
                    GroupOrder::MsbFirst => quote!(MsbFirst),
                    GroupOrder::LsbFirst => quote!(LsbFirst),
                };
                let max = Literal::u8_unsuffixed(varint.max_bytes);
                let (bits, signed) = (u32::from(varint.ty.bytes) * 8, varint.ty.signed);
                let bits = Literal::u32_unsuffixed(bits);
                quote!(Varint(::formwork::GroupOrder::#order, #max, #bits, #signed))
            }
            Storage::Bits { width, msb_first } => {
                let width = Literal::u8_unsuffixed(width);
                quote!(Bits(#width, #msb_first))
            }
            Storage::Word { first, last, signed } => {
                let (first, last) = (Literal::u8_unsuffixed(first), Literal::u8_unsuffixed(last));
                quote!(Word(#first, #last, #signed))
            }
            Storage::Letter { letter, width } => {
                let patterns = self.letters(ctx, letter);
                let width = Literal::u8_unsuffixed(width);
                quote!(Letter(#width, &[#(#patterns),*]))
            }
            Storage::TagOf => quote!(Tag),
        }
    }

    fn letters(&self, ctx: Ctx, letter: char) -> Vec<TokenStream> {
        let labels: &[Label] = match self.model.records[ctx.id.index()].kind {
            RecordKind::Case(union, case) => {
                &self.model.unions[union.index()].cases[case as usize].labels
            }
            RecordKind::Form(union, case, form) => {
                let case = &self.model.unions[union.index()].cases[case as usize];
                &case.forms[form as usize].labels
            }
            _ => &[],
        };
        let patterns = labels.iter().filter_map(|label| {
            let Label::Pattern(pattern) = label else { return None };
            let (mask, bits) = (pattern.mask, pattern.bits);
            let positions = pattern.letters.iter().find(|(l, _)| *l == letter);
            let positions = positions.map(|(_, p)| p.clone()).unwrap_or_default();
            Some(quote!((#mask, #bits, &[#(#positions),*])))
        });
        patterns.collect()
    }

    /// The names of a closed enumeration.
    fn closed(&self, meaning: &Meaning) -> Option<Ident> {
        let Meaning::Enum(id) = meaning else { return None };
        let definition = &self.model.enums[id.index()];
        if !definition.closed {
            return None;
        }
        let name = &definition.name;
        let numbers = definition.members.iter().map(|m| Literal::i128_unsuffixed(m.number));
        let value = quote!(r::Closed { name: #name, numbers: &[#(#numbers),*] });
        Some(self.shared("E", "Closed", value))
    }

    /// Rules of a plain word's bits.
    fn word_rules(&self, word: RecordId) -> Vec<TokenStream> {
        let record = &self.model.records[word.index()];
        let rules = record.rows.iter().filter_map(|row| {
            let Type::Cell(cell) = &row.ty else { return None };
            let Storage::Word { first, last, signed } = cell.storage else { return None };
            let meaning = match (&row.kind, &cell.meaning) {
                (RowKind::Zero, _) => quote!(rt::None),
                (_, Meaning::Bool { yes }) if last > first || *yes != 1 => {
                    quote!(rt::Some(r::Meaning::Bool(#yes)))
                }
                (_, meaning) => {
                    let closed = self.closed(meaning)?;
                    quote!(rt::Some(r::Meaning::Member(&#closed)))
                }
            };
            let name = optional(row.name.as_ref().map(|name| quote!(#name)));
            Some(quote!(r::WordRule {
                name: #name,
                first: #first,
                last: #last,
                signed: #signed,
                meaning: #meaning,
            }))
        });
        rules.collect()
    }

    fn run(&self, ctx: Ctx, run: &RunType) -> Ident {
        let length = match &run.length {
            RunLength::Prefix(cell) => {
                let cell = self.cell(ctx, cell, false);
                quote!(r::Length::Prefix(#cell))
            }
            RunLength::Fill => quote!(r::Length::Fill),
            RunLength::Fixed(size) => quote!(r::Length::Fixed(#size)),
            RunLength::Count(e) => {
                let e = self.ex(ctx, *e);
                quote!(r::Length::Count(#e))
            }
        };
        let content = match run.content {
            Content::Bytes => quote!(Bytes),
            Content::Text(Encoding::Ascii) => quote!(Ascii),
            Content::Text(Encoding::Utf8) => quote!(Utf8),
            Content::Text(Encoding::Utf16) => quote!(Utf16(rt::None)),
            Content::Text(Encoding::Utf16Le) => quote!(Utf16(rt::Some(false))),
            Content::Text(Encoding::Utf16Be) => quote!(Utf16(rt::Some(true))),
            Content::Text(Encoding::Utf32) => quote!(Utf32),
        };
        let align = Literal::u64_unsuffixed(run.align.unwrap_or(1));
        if let (RunLength::Fixed(size), Content::Bytes, true, None) =
            (&run.length, run.content, run.suffix.is_empty(), run.align)
        {
            let size = Literal::u64_unsuffixed(*size);
            return self.shared("B", "Run", quote!(r::bytes(#size)));
        }
        let suffix = Literal::byte_string(&run.suffix);
        let value = quote!(r::Run {
            length: #length,
            content: r::Content::#content,
            suffix: #suffix,
            align: #align,
        });
        self.shared("B", "Run", value)
    }

    fn region(&self, ctx: Ctx, region: &RegionType, inner: TokenStream) -> Ident {
        let extent = match &region.extent {
            Extent::Size(e) => {
                let room = self.gives_room(ctx, *e);
                let e = self.ex(ctx, *e);
                quote!(Size(#e, #room))
            }
            Extent::End(e) => {
                let e = self.ex(ctx, *e);
                quote!(End(#e))
            }
            Extent::Rest => quote!(Rest),
            Extent::Terminated(terminator) => {
                let terminator = terminator_code(terminator);
                quote!(Terminated(#terminator))
            }
        };
        let trim = optional(region.trim.as_ref().map(trim_code));
        let value = quote!(r::Region { extent: r::Extent::#extent, trim: #trim, inner: #inner });
        self.shared("R", "Region", value)
    }

    /// A region around a value that is read by generated code.
    pub(super) fn region_around(&self, ctx: Ctx, region: &RegionType) -> Ident {
        self.region(ctx, region, quote!(r::Ty::Nothing))
    }

    fn pointer(
        &self,
        ctx: Ctx,
        pointer: &'m PointerType,
        row: &'m Row,
        loc: bool,
        whole: bool,
    ) -> Ident {
        let kind = &self.model.pointers[pointer.kind.index()];
        let kind_number = number(pointer.kind.index());
        let cell = self.cell(ctx, pointer.cell.as_ref().unwrap_or(&kind.cell), loc);
        let class = self.by_epoch(&|epoch| self.class(pointer, epoch));
        let none = super::pointer::none_numbers(kind.none, row);
        let logged = kind.pool.is_some() || !kind.listing.is_empty() || pointer.list.is_some();
        let target = match &pointer.target {
            Target::Own(target) => {
                let value = self.typed_target(ctx.id, ctx.row, whole);
                let ty = self.ty_table(ctx, target, row, true, whole);
                let mut ty = self.shared_ty(ty);
                if let Some(typed) = value {
                    ty = self.shared_ty(quote!(r::Ty::Value(#typed, &#ty)));
                }
                quote!(Own(&#ty))
            }
            Target::Element => quote!(Element),
            Target::Pooled => {
                let text = match kind.text.as_deref() {
                    Some(text) if super::pointer::spelled(self.model, text) => {
                        let ty = self.ty_table(ctx, text, row, loc, false);
                        let ty = self.shared_ty(ty);
                        quote!(Row(&#ty))
                    }
                    _ => quote!(Kind),
                };
                quote!(Pooled(r::Pooled::#text))
            }
        };
        let mut value = quote!(r::pointer(#kind_number, #cell, &[#(#class),*], r::Target::#target));
        if pointer.section != 0 {
            let section = number(pointer.section as usize);
            value = quote!(#value.section(#section));
        }
        if let Some(policy) = pointer.list {
            let policy = super::pointer::policy_code(policy);
            value = quote!(#value.list(#policy));
        }
        if !none.is_empty() {
            let kind_none = optional(kind.none.map(|n| {
                let n = Literal::i128_unsuffixed(n);
                quote!(#n)
            }));
            value = quote!(#value.none(&[#(#none),*], #kind_none));
        }
        if logged {
            value = quote!(#value.logged());
        }
        if let Some(base) = &kind.base {
            let base = self.ex(ctx, *base);
            value = quote!(#value.base(#base));
        }
        if kind.skip != 0 {
            let skip = Literal::u64_unsuffixed(kind.skip);
            value = quote!(#value.skip(#skip));
        }
        if !pointer.optional && matches!(&pointer.target, Target::Own(Type::Nothing)) {
            value = quote!(#value.empty());
        }
        self.shared("P", "Pointer", value)
    }

    /// Texts of kinds of pointers that do not depend on the row.
    pub(super) fn texts(&self) -> Vec<TokenStream> {
        let root = self.model.root;
        let ctx = Ctx { id: root, row: RowId(0), direct: false };
        let Some(bare) = self.model.records[root.index()].rows.first() else { return Vec::new() };
        let texts = self.model.pointers.iter().map(|kind| {
            let text =
                kind.text.as_deref().filter(|text| !super::pointer::spelled(self.model, text));
            optional(text.map(|text| self.ty_table(ctx, text, bare, false, false)))
        });
        texts.collect()
    }

    /// A union.
    pub(super) fn union(&self, ctx: Ctx, id: UnionId) -> Ident {
        let union = &self.model.unions[id.index()];
        let tag_size = match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => cell_bytes(cell),
            Tag::Row(_) | Tag::Given(_) => 0,
        };
        let tag = match &union.tag {
            Tag::Row(row) if ctx.direct => {
                let row = Literal::u32_unsuffixed(row.0);
                quote!(Own(#row))
            }
            Tag::Row(row) => match self.plan.slot(ctx.id, *row) {
                Some(slot) => quote!(Slot(#slot)),
                None => quote!(Nothing),
            },
            Tag::Given(e) => {
                let e = self.ex(ctx, *e);
                quote!(Given(#e))
            }
            Tag::Own(cell) => {
                let cell = self.cell(ctx, cell, false);
                quote!(Cell(#cell, false))
            }
            Tag::Word(cell) => {
                let cell = self.cell(ctx, cell, false);
                quote!(Cell(#cell, true))
            }
        };
        let nodes = self.is_noded_union(id);
        let cases = union.cases.iter().map(|case| self.case(ctx, case));
        let cases: Vec<_> = cases.collect();
        let name = &union.name;
        let size = optional(union.size.map(|n| quote!(#n)));
        let around = union.body || matches!(union.tag, Tag::Row(_) | Tag::Given(_));
        let value = quote!(r::Union {
            name: #name,
            tag: r::Tag::#tag,
            tag_size: #tag_size,
            cases: &[#(#cases),*],
            size: #size,
            around: #around,
            nodes: #nodes,
        });
        self.shared("N", "Union", value)
    }

    fn case(&self, ctx: Ctx, case: &'m Case) -> TokenStream {
        let record = Literal::u32_unsuffixed(case.record.0);
        let taken = labels(&case.labels);
        let mut code = quote!(r::case(#record, &[#(#taken),*]));
        if let Some(guard) = &case.guard {
            let guard = self.ex(ctx, *guard);
            code = quote!(#code.guard(#guard));
        }
        if case.forms.is_empty() && case.epochs.contains(&false) {
            let epochs = &case.epochs;
            code = quote!(#code.epochs(&[#(#epochs),*]));
        }
        if case.whole {
            code = quote!(#code.whole());
        }
        if !case.forms.is_empty() {
            let forms = case.forms.iter().map(|form| {
                let labels = labels(&form.labels);
                let epochs: &[bool] = if form.epochs.contains(&false) { &form.epochs } else { &[] };
                let spelled = &self.model.records[form.record.index()];
                let logical = &self.model.records[case.record.index()];
                let lift = logical.numbered_rows().filter_map(|(row_id, row)| {
                    let (from, _) = spelled.numbered_rows().find(|(_, r)| r.name == row.name)?;
                    let to = self.plan.slot(case.record, row_id)?;
                    let from = self.plan.slot(form.record, from)?;
                    Some(quote!((#to, #from)))
                });
                let record = Literal::u32_unsuffixed(form.record.0);
                quote!(r::Form {
                    record: #record,
                    labels: &[#(#labels),*],
                    epochs: &[#(#epochs),*],
                    lift: &[#(#lift),*],
                })
            });
            code = quote!(#code.forms(&[#(#forms),*]));
        }
        code
    }
}

/// Bits of a number without a sign in the byte order of the file, which has a short name.
fn cell_name(cell: &Cell) -> Option<u32> {
    match (&cell.storage, &cell.meaning) {
        (Storage::Fixed(int), Meaning::Int)
            if !int.signed && int.order.is_none() && matches!(int.bytes, 1 | 2 | 4 | 8) =>
        {
            Some(u32::from(int.bytes) * 8)
        }
        _ => None,
    }
}

/// Bytes that something ends with.
fn terminator_code(terminator: &Terminator) -> TokenStream {
    let bytes = Literal::byte_string(&terminator.bytes);
    let mode = match terminator.mode {
        Terminated::Dropped => quote!(Dropped),
        Terminated::Kept => quote!(Kept),
        Terminated::Unread => quote!(Unread),
    };
    let optional = terminator.optional;
    quote!(rt::Terminator { bytes: #bytes, mode: rt::Terminated::#mode, optional: #optional })
}

fn trim_code(trim: &Trim) -> TokenStream {
    let terminator = optional(trim.terminator.as_ref().map(terminator_code));
    let strip = optional(trim.strip.map(|strip| quote!(#strip)));
    quote!(rt::Trim { terminator: #terminator, strip: #strip })
}

/// Code for each of these labels.
pub(in crate::rust) fn labels(labels: &[Label]) -> Vec<TokenStream> {
    labels
        .iter()
        .map(|label| match label {
            Label::Range(low, high) => {
                let (low, high) = (Literal::i128_unsuffixed(*low), Literal::i128_unsuffixed(*high));
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

/// The array of a pool's members.
fn pool_array(ty: &Type) -> Option<&ArrayType> {
    match ty {
        Type::Array(array) => Some(array),
        Type::Region(region) => pool_array(&region.inner),
        _ => None,
    }
}
