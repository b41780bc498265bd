//! Readers: from bytes to the public types.
//!
//! Records without nodes are read by one function each, straight into their struct. Of records with
//! nodes a function reads the inline rows into the slots of the tree, and, for rows that nobody asks
//! for, into a struct of *early* rows. When everything is read and compared, a second function makes
//! the value of both.

mod array;
mod build;
mod cell;
mod entry;
mod finish;
mod item;
mod part;
mod pointer;
mod record;
mod region;
mod row;
mod tables;
mod union;
mod value;
mod word;

use std::cell::RefCell;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::plan::{Plan, own_row};
use super::shape::{Shape, Shapes};
use super::visit::{Part, expressions, records, rows};
use crate::diagnostic::Diagnostic;
use crate::model::{
    ByteOrder, ByteOrderRule, Constant, EpochId, Expr, Home, Model, Record, RecordId, RecordKind,
    Row, RowId, RowKind, Storage, Type,
};

/// What the reader's part of the back end cannot do yet.
pub(super) fn unsupported(_model: &Model) -> Vec<Diagnostic> {
    Vec::new()
}

/// The reader.
pub(super) fn emit(plan: &Plan<'_>) -> TokenStream {
    Reading::new(plan).emit()
}

/// Makes the reader of a model.
struct Reading<'p, 'm> {
    plan: &'p Plan<'m>,
    model: &'m Model,
    shapes: &'p Shapes<'m>,
    /// Whether some record says its own byte order.
    orders: bool,
    /// Whether some table is shared by slices, so that values are made more than once.
    slices: bool,
    /// Whether some expression looks at positions while rows are read.
    positions: bool,
    /// Fields of the store: name and type.
    store: RefCell<Vec<(proc_macro2::Ident, TokenStream)>>,
}

/// Where in the model code is made for.
#[derive(Clone, Copy)]
struct Ctx {
    record: RecordId,
    row: RowId,
    epoch: EpochId,
    /// Whether the record has no node.
    direct: bool,
    /// Whether a variable `loc` says the slot or element.
    loc: bool,
    /// Offset in the block, for cells that are known to lie in it.
    block: Option<u64>,
}

impl<'p, 'm> Reading<'p, 'm> {
    fn new(plan: &'p Plan<'m>) -> Self {
        let model = plan.model;
        let mut positions = false;
        expressions(model, &mut |_, _, _, part| {
            if let Part::Expr(e) = part {
                positions |= mentions_position(e);
            }
        });
        for record in &model.records {
            positions |= record.lets.iter().any(|l| mentions_position(&l.expr));
            positions |= record.arguments.iter().any(mentions_position);
        }
        let is_slice = |row: &Row| matches!(row.kind, RowKind::Slice { .. });
        Reading {
            plan,
            model,
            shapes: &plan.shapes,
            orders: model.records.iter().any(|record| record.endian.is_some()),
            slices: model.records.iter().any(|record| record.rows.iter().any(is_slice)),
            positions,
            store: RefCell::default(),
        }
    }

    fn emit(&self) -> TokenStream {
        let mut items = TokenStream::new();
        for (id, record) in records(self.model) {
            if self.shapes.is_plain_word(id) {
                // Somebody asks for its bits by name.
                if self.plan.noded(id) {
                    items.extend(self.noded_word(id, record));
                }
                continue;
            }
            if self.plan.noded(id) {
                items.extend(self.noded(id, record));
                items.extend(self.finish(id, record));
            } else {
                items.extend(self.direct(id, record));
            }
        }
        for id in (0..).map(crate::model::UnionId).take(self.model.unions.len()) {
            items.extend(self.finish_union(id));
        }
        items.extend(self.text_functions());
        items.extend(self.parts());
        items.extend(self.tables());
        items.extend(self.engine());
        items.extend(self.entry());
        let store = self.store.borrow();
        let names: Vec<_> = store.iter().map(|(name, _)| name).collect();
        let types: Vec<_> = store.iter().map(|(_, ty)| ty).collect();
        quote! {
            mod read {
                use ::formwork::__rt as rt;
                use super::{expression, SCHEMA};
                use rt::{Engine as _, Reader as _};

                struct Store<'o> {
                    #(#names: rt::Vec<rt::Option<#types>>,)*
                    lifetime: ::core::marker::PhantomData<&'o ()>,
                }

                impl<'o> Store<'o> {
                    fn new() -> Self {
                        Store { #(#names: rt::Vec::new(),)* lifetime: ::core::marker::PhantomData }
                    }
                }

                struct Reader<'i, 'o, M> {
                    core: rt::Core<'i>,
                    store: Store<'o>,
                    mode: ::core::marker::PhantomData<M>,
                }

                #items
            }
        }
    }

    fn row(&self, record: RecordId, row: RowId) -> &'m Row {
        &self.model.records[record.index()].rows[row.index()]
    }

    fn home(&self, row: &Row, epoch: EpochId) -> Home {
        row.homes.get(epoch.index()).copied().unwrap_or(Home::Nowhere)
    }

    fn epochs(&self) -> impl Iterator<Item = EpochId> + use<> {
        (0..u32::try_from(self.model.epochs.len()).unwrap_or(u32::MAX)).map(EpochId)
    }

    /// Code that is made for each epoch, with a choice where it differs.
    fn per_epoch(&self, make: impl Fn(EpochId) -> TokenStream) -> TokenStream {
        let mut kinds: Vec<(String, TokenStream, Vec<usize>)> = Vec::new();
        for epoch in self.epochs() {
            let code = make(epoch);
            let text = code.to_string();
            match kinds.iter_mut().find(|(known, _, _)| *known == text) {
                Some((_, _, epochs)) => epochs.push(epoch.index()),
                None => kinds.push((text, code, vec![epoch.index()])),
            }
        }
        match kinds.as_slice() {
            [] => quote!({}),
            [(_, code, _)] => code.clone(),
            _ => {
                let (last, others) = kinds.split_last().expect("there are several");
                let arms = others.iter().map(|(_, code, epochs)| {
                    let epochs = epochs.iter().map(|n| Literal::usize_unsuffixed(*n));
                    quote!(#(#epochs)|* => { #code })
                });
                let otherwise = &last.1;
                quote!(match cx.core.epoch { #(#arms)* _ => { #otherwise } })
            }
        }
    }

    /// Whether paths for people have no step for a row.
    fn silent(&self, record: RecordId, row: RowId) -> bool {
        let definition = self.row(record, row);
        definition.name.is_none()
            || self.model.records[record.index()].transparent == Some(row)
            || matches!(&definition.ty, Type::Union(u) if self.model.unions[u.index()].body)
    }

    /// Name of a row in paths.
    fn step(&self, record: RecordId, row: RowId) -> Option<&'m str> {
        if self.silent(record, row) { None } else { self.row(record, row).name.as_deref() }
    }

    /// Code of type `rt::Fallible<rt::Val>` for an expression.
    fn expr(&self, ctx: Ctx, e: &Expr, it: Option<TokenStream>) -> TokenStream {
        if let Some(n) = e.constant() {
            let n = Literal::i128_suffixed(n);
            return quote!(rt::constant_int(#n));
        }
        if ctx.direct {
            let known = |row: RowId| {
                if row == super::expr::IT {
                    return it.clone().map(|it| quote!(#it.clone()));
                }
                let name = val_name(row);
                Some(quote!(#name.clone()))
            };
            if let Some(code) = self.plan.local(e, ctx.record, &known) {
                return code;
            }
        }
        let number = self.plan.expr(e, ctx.record);
        let it = match it {
            Some(it) => quote!(rt::Some(&#it)),
            None => quote!(rt::None),
        };
        quote!(cx.expr(#number, owner, #it))
    }

    /// Code of type `u64`, with `?`, for a count or size.
    fn count(&self, ctx: Ctx, e: &Expr) -> TokenStream {
        if let Some(n) = e.constant().and_then(|n| u64::try_from(n).ok()) {
            return quote!(#n);
        }
        let code = self.expr(ctx, e, None);
        quote!({ let val = #code; rt::count_of(&mut cx.core, val, cursor.at)? })
    }

    /// Code of type `bool`, with `?`, for a condition.
    fn truth(&self, ctx: Ctx, e: &Expr, it: Option<TokenStream>) -> TokenStream {
        let code = self.expr(ctx, e, it);
        quote!({ let val = #code; rt::holds(&mut cx.core, val, cursor.at)? })
    }

    /// Code of type `bool`, with `?`: whether the highest byte of a number comes first.
    fn big(&self, bytes: u8, order: Option<ByteOrder>) -> TokenStream {
        match order {
            _ if bytes == 1 => quote!(false),
            Some(ByteOrder::Little) => quote!(false),
            Some(ByteOrder::Big) => quote!(true),
            None if self.orders => quote!(rt::order_of(cx, owner, cursor.at)?),
            None => match self.model.byte_order {
                ByteOrderRule::Fixed(ByteOrder::Little) => quote!(false),
                ByteOrderRule::Fixed(ByteOrder::Big) => quote!(true),
                ByteOrderRule::Mark { .. } => quote!(cx.core.big),
            },
        }
    }

    /// Address of the cell that is about to be read.
    fn at(ctx: Ctx) -> TokenStream {
        match ctx.block {
            Some(offset) => quote!(base.saturating_add(#offset)),
            None => quote!(cursor.at),
        }
    }

    fn spelling_row(&self, ctx: Ctx) -> u16 {
        self.shapes.spelling_row(ctx.record, ctx.row)
    }

    /// Whether a record's type is there to be made.
    fn typed(&self, id: RecordId) -> bool {
        if self.shapes.is_transparent(id) {
            return true;
        }
        let ident = self.shapes.ident(id);
        records(self.model)
            .any(|(other, _)| self.shapes.has_type(other) && self.shapes.ident(other) == ident)
    }

    /// Type of a shape, with the lifetime of values.
    fn ty(&self, shape: &Shape) -> TokenStream {
        self.shifted(self.shapes.ty_for(shape, true, &quote!('o)))
    }

    /// The reader is one module deeper than the shapes know.
    fn shifted(&self, tokens: TokenStream) -> TokenStream {
        deeper(tokens)
    }

    /// Type that the function of a record returns.
    fn result(&self, id: RecordId) -> TokenStream {
        if self.typed(id) { self.ty(&self.shapes.record(id)) } else { quote!(()) }
    }

    /// Path of a generated type.
    fn path(&self, ident: &proc_macro2::Ident) -> TokenStream {
        quote!(super::super::#ident)
    }

    /// Whether a value of this type is kept beside the tree as a whole: nothing of it hangs in the
    /// tree, and no one asks for its elements.
    fn is_whole(&self, id: RecordId, row: RowId, ty: &Type) -> bool {
        match ty {
            Type::Record(record) => {
                !self.plan.noded(*record) && !self.shapes.is_plain_word(*record)
            }
            Type::Union(union) => !self.is_noded_union(*union),
            Type::Array(array) => {
                !self.holds(&array.element) && !self.wants_items(id, row, &array.element)
            }
            Type::Region(region) => self.is_whole(id, row, &region.inner),
            Type::PerEpoch(types) => {
                types.iter().all(|ty| matches!(ty, Type::Nothing) || self.is_whole(id, row, ty))
                    && types.iter().any(|ty| !matches!(ty, Type::Nothing))
            }
            _ => false,
        }
    }

    fn wants_items(&self, id: RecordId, row: RowId, element: &Type) -> bool {
        if contains_record(element) {
            return false;
        }
        let definition = self.row(id, row);
        self.plan.items(id, row)
            || definition.reference.is_some()
            || definition.unique
            || !definition.checks.is_empty()
            || matches!(
                definition.role,
                crate::model::Role::View { .. } | crate::model::Role::Kept(_)
            )
            || matches!(
                definition.kind,
                RowKind::Pool { .. } | RowKind::Constant(_) | RowKind::Reserved | RowKind::Zero
            )
            || matches!(self.model.records[id.index()].kind, RecordKind::Form(..))
    }

    fn is_noded_union(&self, union: crate::model::UnionId) -> bool {
        self.model.unions[union.index()].cases.iter().any(|case| self.plan.noded(case.record))
    }

    /// Whether nodes, or pointers to something owned, hang on a type.
    fn holds(&self, ty: &Type) -> bool {
        match ty {
            Type::Record(record) => self.plan.noded(*record),
            Type::Union(union) => self.is_noded_union(*union),
            Type::Pointer(pointer) => !matches!(pointer.target, crate::model::Target::Pooled),
            Type::Array(array) => self.holds(&array.element),
            Type::Region(region) => self.holds(&region.inner),
            Type::PerEpoch(types) => types.iter().any(|ty| self.holds(ty)),
            Type::Cell(cell) => match cell.meaning {
                crate::model::Meaning::Word(word) => self.plan.noded(word),
                _ => false,
            },
            _ => false,
        }
    }

    /// A constant of the schema as code of type `rt::Constant`.
    fn constant(constant: &Constant) -> TokenStream {
        match constant {
            Constant::Int(n) => {
                let n = Literal::i128_suffixed(*n);
                quote!(rt::Constant::Int(#n))
            }
            Constant::Float(bits) => quote!(rt::Constant::Float(#bits)),
            Constant::Bool(b) => quote!(rt::Constant::Bool(#b)),
            Constant::Text(text) => quote!(rt::Constant::Text(#text)),
            Constant::Bytes(bytes) => {
                let bytes = Literal::byte_string(bytes);
                quote!(rt::Constant::Bytes(#bytes))
            }
        }
    }

    /// Rows of a record without a node that some expression of it asks for.
    fn asked(&self, id: RecordId) -> Vec<RowId> {
        let mut found = Vec::new();
        let mut add = |row: RowId| {
            if !found.contains(&row) {
                found.push(row);
            }
        };
        expressions(self.model, &mut |record, _, _, part| {
            if let (true, Part::Expr(e)) = (record == id, part) {
                own_rows(e, id, &mut add);
            }
        });
        for (row_id, row) in rows(&self.model.records[id.index()]) {
            if !row.checks.is_empty() {
                add(row_id);
            }
            if let Some(union) = super::visit::union_in(&row.ty)
                && let crate::model::Tag::Row(tag) = self.model.unions[union.index()].tag
            {
                add(tag);
            }
        }
        found
    }
}

/// Name of the variable that holds a row for expressions.
fn val_name(row: RowId) -> proc_macro2::Ident {
    format_ident!("v{}", row.0)
}

fn own_rows(e: &Expr, id: RecordId, add: &mut dyn FnMut(RowId)) {
    if let Some(row) = own_row(e, id) {
        add(row);
    }
    e.operands(&mut |operand| own_rows(operand, id, add));
}

/// Whether an expression needs to know where reading has come to.
fn mentions_position(e: &Expr) -> bool {
    let mut found = matches!(e, Expr::Here | Expr::RegionEnd);
    e.operands(&mut |operand| found |= mentions_position(operand));
    found
}

/// Adds one `super` to paths that begin with one.
fn deeper(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            proc_macro2::TokenTree::Ident(ident) if ident == "super" => quote!(super::super),
            proc_macro2::TokenTree::Group(group) => {
                let inner = deeper(group.stream());
                let group = proc_macro2::Group::new(group.delimiter(), inner);
                proc_macro2::TokenStream::from(proc_macro2::TokenTree::Group(group))
            }
            other => proc_macro2::TokenStream::from(other),
        })
        .collect()
}

/// Whether a type is one or more structs or unions, inline.
fn contains_record(ty: &Type) -> bool {
    match ty {
        Type::Record(_) | Type::Union(_) => true,
        Type::Region(region) => contains_record(&region.inner),
        Type::Array(array) => contains_record(&array.element),
        Type::PerEpoch(types) => types.iter().any(contains_record),
        _ => false,
    }
}

/// Whether values of a type are bits that share bytes with their neighbours.
fn is_bits(ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => matches!(cell.storage, Storage::Bits { .. }),
        Type::Array(array) => is_bits(&array.element),
        _ => false,
    }
}

/// Whether a type reaches to the end of the region around it.
fn is_fill(ty: &Type) -> bool {
    match ty {
        Type::Run(run) => matches!(run.length, crate::model::RunLength::Fill),
        Type::Region(region) => matches!(region.extent, crate::model::Extent::Rest),
        _ => false,
    }
}

/// Whether a row without bytes of its own is known from the tag of the union around it.
fn in_tag(row: &Row) -> bool {
    let letter = |storage: &Storage| matches!(storage, Storage::Letter { .. });
    match (&row.kind, &row.ty) {
        (RowKind::Constant(_), Type::Nothing) => true,
        (RowKind::Plain, Type::Cell(cell)) => {
            letter(&cell.storage) || matches!(cell.storage, Storage::TagOf)
        }
        (RowKind::Plain, Type::Pointer(pointer)) => {
            pointer.cell.as_ref().is_some_and(|cell| letter(&cell.storage))
        }
        _ => false,
    }
}

/// Numbers in tables.
fn number(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// Whether the record is the body of a case or form.
fn is_body(record: &Record) -> bool {
    matches!(record.kind, RecordKind::Case(..) | RecordKind::Form(..))
}
