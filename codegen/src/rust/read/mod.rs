//! Readers: from bytes to the public types.
//!
//! What stands in the rows is a table that the runtime follows: of records with nodes it reads the
//! rows into the slots of the tree, and those that nobody asks for into a list beside it; of records
//! without, all into a list. What is generated makes values of that: `finish_*` of a node when
//! everything is read and compared, `make_*` of a list.

mod build;
mod entry;
mod finish;
mod pointer;
mod regions;
mod rows;
mod tables;
mod value;

pub(super) use rows::labels;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::plan::Plan;
use super::shape::{Shape, Shapes};
use crate::diagnostic::Diagnostic;
use crate::model::{
    Constant, EpochId, ExprId, Home, Model, Record, RecordId, RecordKind, Row, RowId, RowKind,
    Storage, Type,
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
    /// Fields of the store: name and type.
    store: RefCell<Vec<(Ident, TokenStream)>>,
    /// What reads them, by their position.
    typed_code: RefCell<Vec<(usize, value::Typed)>>,
    /// Tables that rows point to, by their text: name, number and code.
    statics: RefCell<HashMap<String, (Ident, usize, TokenStream)>>,
    /// Types that are built from items, by their text.
    wanted: RefCell<BTreeMap<String, Shape>>,
}

/// Where in the model a table or code is made for.
#[derive(Clone, Copy)]
struct Ctx {
    id: RecordId,
    row: RowId,
    /// Whether the record has no node.
    direct: bool,
}

impl<'p, 'm> Reading<'p, 'm> {
    fn new(plan: &'p Plan<'m>) -> Self {
        let model = plan.model;
        let is_slice = |row: &Row| matches!(row.kind, RowKind::Slice { .. });
        Reading {
            plan,
            model,
            shapes: &plan.shapes,
            orders: model.records.iter().any(|record| record.endian.is_some()),
            slices: model.records.iter().any(|record| record.rows.iter().any(is_slice)),
            store: RefCell::default(),
            typed_code: RefCell::default(),
            statics: RefCell::default(),
            wanted: RefCell::default(),
        }
    }

    fn emit(&self) -> TokenStream {
        let mut makers = TokenStream::new();
        let tables = self.tables();
        for (id, record) in self.model.records() {
            if self.shapes.is_plain_word(id) {
                continue;
            }
            if self.plan.noded(id) {
                makers.extend(self.finish(id, record));
            } else {
                makers.extend(self.make(id));
            }
        }
        for id in (0..).map(crate::model::UnionId).take(self.model.unions.len()) {
            makers.extend(self.make_union(id));
        }
        let builds = self.builds();
        let (engine, entry) = (self.engine(), self.entry());
        let mut statics: Vec<_> = self.statics.borrow().values().cloned().collect();
        statics.sort_by_key(|(_, at, _)| *at);
        let statics = statics.iter().map(|(_, _, code)| code);
        let store = self.store.borrow();
        let names: Vec<_> = store.iter().map(|(name, _)| name).collect();
        let types: Vec<_> = store.iter().map(|(_, ty)| ty).collect();
        quote! {
            #(#statics)*

            #tables

            #[derive(Default)]
            struct Store<'o> {
                #(#names: rt::Vec<rt::Option<#types>>,)*
                lifetime: ::core::marker::PhantomData<&'o ()>,
            }

            struct Reader<'i, 'o> {
                core: rt::Core<'i>,
                store: Store<'o>,
                leaves: rt::Leaves<'i, 'o>,
            }

            #engine

            #builds

            impl<'i, 'o> Reader<'i, 'o> {
                #makers
            }

            #entry
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

    /// An expression: code of type `r::Ex`.
    fn ex(&self, ctx: Ctx, e: ExprId) -> TokenStream {
        self.plan.ex(e, ctx.id, ctx.direct)
    }

    /// Whether a record's type is there to be made.
    fn typed_record(&self, id: RecordId) -> bool {
        if self.shapes.is_transparent(id) {
            return true;
        }
        let ident = self.shapes.ident(id);
        self.model
            .records()
            .any(|(other, _)| self.shapes.has_type(other) && self.shapes.ident(other) == ident)
    }

    /// Type of a shape, with the lifetime of values.
    fn ty(&self, shape: &Shape) -> TokenStream {
        self.shapes.ty_for(shape, true, &quote!('o))
    }

    /// Type that the function of a record returns.
    fn result(&self, id: RecordId) -> TokenStream {
        if self.typed_record(id) { self.ty(&self.shapes.record(id)) } else { quote!(()) }
    }

    /// Path of a generated type.
    fn path(&self, ident: &proc_macro2::Ident) -> TokenStream {
        quote!(super::#ident)
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
                let n = Literal::i128_unsuffixed(*n);
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

    /// Rows with a field that are kept beside the tree although the record has nodes.
    fn early_rows(&self, id: RecordId) -> Vec<RowId> {
        if !self.typed_record(id) {
            return Vec::new();
        }
        let fields = self.shapes.fields(id).iter();
        fields.map(|field| field.row).filter(|row| self.plan.slot(id, *row).is_none()).collect()
    }

    /// Whether the record of a case stands for the whole union.
    fn is_whole_case(&self, id: RecordId) -> bool {
        let mut cases = self.model.unions.iter().flat_map(|union| &union.cases);
        cases.any(|case| case.whole && case.record == id)
    }
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

/// Code of an option.
fn optional(code: Option<TokenStream>) -> TokenStream {
    match code {
        Some(code) => quote!(rt::Some(#code)),
        None => quote!(rt::None),
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
