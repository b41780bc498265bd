//! Code that writes a value: plan, place, check, fill. What all schemas have in common is in the
//! runtime, `rt::write`.

mod build;
mod check;
mod derive;
mod layout;
mod put;
mod sources;
mod src;
mod tags;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::expr::mentions_position;
use super::plan::Plan;
use super::shape::{Shape, Shapes};
use crate::diagnostic::Diagnostic;
use crate::model::{
    ByteOrder, ByteOrderRule, Constant, DefinerSource, Expr, ExprId, Home, Model, RecordId, Role,
    RowId, RowKind, Type,
};

/// What is written for a writer.
pub(super) struct Parts {
    /// Items of the module `codec`.
    pub codec: TokenStream,
    /// Methods of the root's type.
    pub api: TokenStream,
}

/// What the writer cannot do with a model.
pub(super) fn unsupported(_model: &Model) -> Vec<Diagnostic> {
    Vec::new()
}

/// The writer of a model.
pub(super) fn emit(plan: &Plan<'_>) -> Parts {
    let generator = Gen::new(plan);
    Parts { codec: generator.codec(), api: generator.api() }
}

/// What the functions of a writer are made from.
struct Gen<'p, 'm> {
    plan: &'p Plan<'m>,
    model: &'m Model,
    shapes: &'p Shapes<'m>,
    /// Whether there are string pools.
    has_pool: bool,
    /// Records of which nothing is planned, and of which nothing is checked.
    trivial: RefCell<HashMap<RecordId, bool>>,
    unchecked: RefCell<HashMap<RecordId, bool>>,
    /// Tables of pointers, by their text.
    pointers: RefCell<Vec<(String, TokenStream)>>,
    /// Records that a file can hold.
    reachable: HashSet<RecordId>,
    /// A record whose values are in the struct of another one, while code for them is written:
    /// rows of forms may be of another record than those of their case.
    alias: Cell<Option<(RecordId, RecordId)>>,
}

impl<'p, 'm> Gen<'p, 'm> {
    fn new(plan: &'p Plan<'m>) -> Self {
        let model = plan.model;
        let has_pool = model
            .records
            .iter()
            .flat_map(|record| &record.rows)
            .any(|row| matches!(row.kind, RowKind::Pool { .. }));
        let generator = Gen {
            plan,
            model,
            shapes: &plan.shapes,
            has_pool,
            pointers: RefCell::default(),
            trivial: RefCell::default(),
            unchecked: RefCell::default(),
            reachable: super::unused::reachable(model),
            alias: Cell::default(),
        };
        generator.find_trivial();
        generator
    }

    /// Begins with "nothing is to be done" and takes away what is not so until nothing changes.
    fn find_trivial(&self) {
        for (id, _) in self.model.records() {
            self.trivial.borrow_mut().insert(id, true);
            self.unchecked.borrow_mut().insert(id, true);
        }
        loop {
            let mut changed = false;
            for (id, _) in self.model.records() {
                if self.is_trivial(id) && !self.plan_body(id).is_empty() {
                    self.trivial.borrow_mut().insert(id, false);
                    changed = true;
                }
                if !self.is_checked(id) && !self.check_body(id).is_empty() {
                    self.unchecked.borrow_mut().insert(id, false);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn is_trivial(&self, id: RecordId) -> bool {
        self.trivial.borrow().get(&id).copied().unwrap_or(true)
    }

    fn is_checked(&self, id: RecordId) -> bool {
        !self.unchecked.borrow().get(&id).copied().unwrap_or(true)
    }

    fn codec(&self) -> TokenStream {
        let aliases = self.aliases();
        let mut functions = TokenStream::new();
        let mut values = TokenStream::new();
        let mut fields = TokenStream::new();
        let mut inits = TokenStream::new();
        let mut node_value = TokenStream::new();
        let mut compute = TokenStream::new();
        let mut expand = TokenStream::new();
        let mut check = TokenStream::new();
        let mut spelling = TokenStream::new();
        for (id, _) in self.model.records() {
            let noded = self.plan.noded(id);
            if !self.reachable.contains(&id) {
                continue;
            }
            let index = number(id.index());
            functions.extend(self.plan_fn(id));
            functions.extend(self.check_fn(id));
            if !noded {
                continue;
            }
            let value = self.remembered(id);
            // Nodes of forms may have their values elsewhere.
            let known = aliases
                .iter()
                .any(|(alias, _)| *alias == id)
                .then(|| quote!(if cx.w.tree.node(node).value != rt::NOTHING));
            if self.has_value(id) {
                let refs = format_ident!("r{}", id.0);
                let name = format_ident!("value_{}", id.0);
                let ty = self.value_ty(id);
                node_value.extend(quote!(#index => w::Source::src(#name(self, node)),));
                fields.extend(quote!(#refs: rt::Vec<&'v #ty>,));
                inits.extend(quote!(#refs: rt::Vec::new(),));
                values.extend(quote! {
                    #[inline]
                    fn #name<'v>(cx: &Writer<'v>, node: rt::NodeId) -> &'v #ty {
                        cx.#refs[cx.w.tree.node(node).value as usize]
                    }
                });
            }
            if self.is_checked(id) {
                let name = format_ident!("check_{}", id.0);
                check.extend(
                    quote!(#index #known => { let value = #value; #name(cx, node, value); }),
                );
            }
            if self.spelling(id).is_some() {
                spelling.extend(
                    quote!(#index #known => { let value = #value; rt::Some(&value.spelling) }),
                );
            }
            let mut early = TokenStream::new();
            for row_id in self.plan.slots(id) {
                let row = self.row(id, *row_id);
                if let Some((slot, code)) = self.compute_fn(id, *row_id) {
                    let derived = quote!({ w::derived_slot(cx, node, #slot) }).to_string();
                    if code.to_string() != derived {
                        compute.extend(quote!((#index, #slot) => #code,));
                    }
                    if is_early(self.model, row) {
                        let at = src::Ctx { id, noded: true }.at(self, *row_id);
                        early.extend(quote! {
                            if let rt::Err(fault) = rt::Engine::force(cx, node, #slot) {
                                cx.w.report(*fault, #at);
                            }
                        });
                    }
                }
                if let (Role::Default(constant), Some(when), Some(slot)) =
                    (&row.role, &row.when, self.plan.slot(id, *row_id))
                {
                    let n = self.plan.expr(*when, id);
                    let constant = src::constant_item(constant, float_width(self, &row.ty));
                    early.extend(quote!(cx.default_when(node, #slot, #n, #constant);));
                }
                if let (Some(when), Some(slot)) = (&row.when, self.plan.slot(id, *row_id))
                    && self.is_none_when(row)
                    && self.pointer_may_be_none(row)
                    && matches!(row.role, Role::Data | Role::Elsewhere)
                    && !mentions_position(self.plan.model, *when)
                {
                    let n = self.plan.expr(*when, id);
                    let none = quote!(w::pointer_to(rt::Item::Absent));
                    let homes = self.epochs_where(row, |home| *home != Home::Absent);
                    let code = quote!(cx.default_when(node, #slot, #n, #none););
                    early.extend(self.in_epochs(&homes, code));
                }
                if let Some(with) = none_with(&row.ty)
                    && let (Some(slot), Some(with)) =
                        (self.plan.slot(id, *row_id), self.plan.slot(id, with))
                {
                    early.extend(quote!(cx.none_with(node, #slot, #with);));
                }
            }
            if !early.is_empty() {
                expand.extend(quote!(#index => { #early }));
            }
        }
        let tables = self.tables();
        let names = self.model.epochs.iter().map(|epoch| &epoch.label);
        for (record, holder) in &aliases {
            self.alias.set(Some((*record, *holder)));
            functions.extend(self.plan_fn(*record));
            self.alias.set(None);
        }
        let (write, numbers) = (self.write_fn(), self.sources());
        quote! {
            use rt::write as w;
            use w::Helpers as _;

            #tables

            struct Writer<'v> {
                w: w::Writing<'v>,
                #fields
            }

            impl<'v> Writer<'v> {
                fn new(order: ::formwork::Endian) -> Self {
                    Writer { w: w::Writing::new(&SCHEMA, order), #inits }
                }

                fn epoch_name(&self) -> &'static str {
                    [#(#names),*].get(self.w.epoch).copied().unwrap_or("")
                }

                #[cold]
                fn not_in_epoch(&mut self, at: w::At) {
                    let epoch = self.epoch_name();
                    self.no_row(at, epoch);
                }

                #[cold]
                fn no_case(&mut self, at: w::At, case: &str) {
                    let epoch = self.epoch_name();
                    self.w.problem(at, w::no_case(case, epoch));
                }

                #[cold]
                fn last(&mut self, at: w::At, why: &str) {
                    self.w.problem(at, w::wrong_last(why));
                }

                #[cold]
                fn wrong_case(
                    &mut self,
                    at: w::At,
                    val: &rt::Val<'v>,
                    wanted: rt::Option<u32>,
                    names: &[&'static str],
                ) {
                    let name = wanted.and_then(|case| names.get(case as usize)).copied();
                    self.w.problem(at, w::wrong_case(name, val));
                }
            }

            impl<'v> rt::Engine<'v> for Writer<'v> {
                fn tree(&self) -> &rt::Tree<'v> {
                    &self.w.tree
                }
                fn tree_mut(&mut self) -> &mut rt::Tree<'v> {
                    &mut self.w.tree
                }
                fn is_reading(&self) -> bool {
                    false
                }
                fn epoch(&self) -> usize {
                    self.w.epoch
                }
                fn context(&self, variable: usize) -> rt::Val<'v> {
                    self.w.context.get(variable).map_or(rt::Val::None, |n| rt::Val::Int(*n))
                }
                fn force(&mut self, node: rt::NodeId, slot: u16) -> rt::Fallible<()> {
                    w::Write::force_write(self, node, slot)
                }
                fn force_element(&mut self, loc: rt::Loc) -> rt::Fallible<()> {
                    rt::Ok(())
                }
                fn expr(
                    &mut self,
                    number: u16,
                    this: rt::NodeId,
                    it: rt::Option<&rt::Val<'v>>,
                ) -> rt::Fallible<rt::Val<'v>> {
                    expression(self, number, this, it)
                }
                fn element_of(&mut self, loc: rt::Loc) -> rt::Fallible<rt::Option<rt::Loc>> {
                    w::Write::element_written(self, loc)
                }
                fn charge(&mut self, units: u64) -> rt::Fallible<()> {
                    rt::Ok(())
                }
                fn nesting(&mut self) -> &mut u32 {
                    &mut self.w.nesting
                }
                fn file_end(&self) -> rt::Fallible<u64> {
                    self.w.file_end()
                }
                fn here(&self) -> u64 {
                    0
                }
                fn region_end(&self) -> u64 {
                    0
                }
                fn lists(&mut self, address: u64) -> rt::Fallible<rt::Option<bool>> {
                    rt::Ok(rt::None)
                }
                fn has_no_place(&mut self, loc: rt::Loc) -> bool {
                    w::has_no_place(self, loc)
                }
            }

            impl<'v> w::Write<'v> for Writer<'v> {
                fn w(&mut self) -> &mut w::Writing<'v> {
                    &mut self.w
                }
                fn w_ref(&self) -> &w::Writing<'v> {
                    &self.w
                }
                fn tables(&self) -> &'static w::WriteSchema {
                    &WRITE
                }
                fn spelling(&self, node: rt::NodeId) -> rt::Option<&'v ::formwork::Spelling> {
                    let cx = self;
                    match cx.w.tree.node(node).record {
                        #spelling
                        _ => rt::None,
                    }
                }
                fn node_value(&self, node: rt::NodeId) -> w::Src<'v> {
                    if self.w.tree.node(node).value == rt::NOTHING {
                        return w::Src::Nothing;
                    }
                    match self.w.tree.node(node).record {
                        #node_value
                        _ => w::Src::Nothing,
                    }
                }
                fn local(
                    &mut self,
                    number: u16,
                    row: &mut dyn FnMut(&mut Self, usize) -> rt::Fallible<rt::Val<'v>>,
                    it: rt::Option<&rt::Val<'v>>,
                ) -> rt::Fallible<rt::Val<'v>> {
                    own(self, number, row, it)
                }
                fn compute(
                    &mut self,
                    node: rt::NodeId,
                    slot: u16,
                ) -> rt::Fallible<rt::Option<rt::Item<'v>>> {
                    let cx = self;
                    match (cx.w.tree.node(node).record, slot) {
                        #compute
                        _ => w::derived_slot(cx, node, slot),
                    }
                }
                fn expand_node(&mut self, node: rt::NodeId) {
                    let cx = self;
                    match cx.w.tree.node(node).record {
                        #expand
                        _ => {}
                    }
                }
                fn check_node(&mut self, node: rt::NodeId) {
                    let cx = self;
                    match cx.w.tree.node(node).record {
                        #check
                        _ => {}
                    }
                }
            }

            #values
            #functions
            #write
            #numbers
        }
    }

    /// Records whose values are in the structs of others, in forms.
    fn aliases(&self) -> BTreeSet<(RecordId, RecordId)> {
        let mut found = BTreeSet::new();
        for (id, record) in self.model.records() {
            for (row_id, row) in record.numbered_rows() {
                if let Type::Record(inner) = strip(&row.ty) {
                    found.extend(self.alias_in(id, row_id, *inner));
                }
            }
        }
        found
    }

    fn api(&self) -> TokenStream {
        let root = self.model.root;
        let ident = self.shapes.ident(root);
        let borrowed = self.shapes.borrows(&Shape::Struct(root)).then(|| quote!(<'_>));
        let straight = if self.plan.straight {
            quote!(straight::whole(self).ok())
        } else {
            quote!(::formwork::__rt::None)
        };
        quote! {
            impl #ident #borrowed {
                /// The bytes of the file.
                ///
                /// # Errors
                ///
                /// Everything in the value that the format cannot say, each with its path.
                pub fn write(
                    &self,
                ) -> ::formwork::__rt::Result<::formwork::__rt::Vec<u8>, ::formwork::WriteError> {
                    codec::write(self)
                }

                /// Appends the bytes of the file.
                ///
                /// # Errors
                ///
                /// Those of `write`; nothing is appended then.
                pub fn write_into(
                    &self,
                    out: &mut ::formwork::__rt::Vec<u8>,
                ) -> ::formwork::__rt::Result<(), ::formwork::WriteError> {
                    let bytes = codec::write(self)?;
                    if out.is_empty() {
                        *out = bytes;
                    } else {
                        out.extend_from_slice(&bytes);
                    }
                    ::formwork::__rt::Ok(())
                }

                /// Whether the value can be written.
                ///
                /// # Errors
                ///
                /// Those of `write`.
                pub fn validate(
                    &self,
                ) -> ::formwork::__rt::Result<(), ::formwork::WriteError> {
                    codec::write(self).map(|_| ())
                }

                /// The bytes of the file, by the writer that carries every value.
                #[doc(hidden)]
                pub fn __write_thorough(
                    &self,
                ) -> ::formwork::__rt::Result<::formwork::__rt::Vec<u8>, ::formwork::WriteError> {
                    codec::thorough(self)
                }

                /// The bytes of the file, if the writer for plain values carries it.
                #[doc(hidden)]
                pub fn __write_straight(
                    &self,
                ) -> ::formwork::__rt::Option<::formwork::__rt::Vec<u8>> {
                    #straight
                }
            }
        }
    }

    /// The function that writes a value.
    fn write_fn(&self) -> TokenStream {
        let root = self.model.root;
        let number_of = number(root.index());
        let ty = self.value_ty(root);
        let order = match self.model.byte_order {
            ByteOrderRule::Fixed(ByteOrder::Big) => quote!(::formwork::Endian::Big),
            _ => quote!(::formwork::Endian::Little),
        };
        let ty_here = self.shapes.ty_for(&Shape::Struct(root), true, &quote!('_));
        let straight = self.plan.straight.then(|| {
            quote! {
                if let rt::Ok(bytes) = super::straight::whole(value) {
                    return rt::Ok(bytes);
                }
            }
        });
        let context = self.context();
        let plan = if self.is_trivial(root) {
            quote!()
        } else {
            let name = format_ident!("plan_{}", root.0);
            quote!(#name(cx, node, value);)
        };
        quote! {
            pub(super) fn write(
                value: &#ty_here,
            ) -> rt::Result<rt::Vec<u8>, ::formwork::WriteError> {
                #straight
                thorough(value)
            }

            pub(super) fn thorough<'v>(
                value: &'v #ty,
            ) -> rt::Result<rt::Vec<u8>, ::formwork::WriteError> {
                let mut writer = Writer::new(#order);
                {
                    let cx = &mut writer;
                    if #context {
                        let node = cx.w.tree.add(#number_of, rt::None);
                        #plan
                        w::Write::run(cx);
                    }
                }
                writer.w.finish()
            }
        }
    }

    /// Code of type `bool` that finds the epoch that a value is written in.
    fn context(&self) -> TokenStream {
        if self.model.epoch_variables.is_empty() {
            return quote!(true);
        }
        let mut tests = Vec::new();
        for variable in &self.model.epoch_variables {
            let mut record = self.model.root;
            let mut value = quote!(value);
            let mut names: Vec<&str> = Vec::new();
            let mut number = quote!(rt::None);
            for (depth, row_id) in variable.path.iter().enumerate() {
                let row = self.row(record, *row_id);
                names.extend(row.name.as_deref());
                let access = self.access(record, *row_id, &value);
                if depth + 1 == variable.path.len() {
                    number = match (&access, &row.role) {
                        (Some(src), _) => src.number(),
                        (None, Role::Default(Constant::Int(n))) => {
                            let n = Literal::i128_suffixed(*n);
                            quote!(rt::Some(#n))
                        }
                        _ => quote!(rt::None),
                    };
                } else if let (Some(src), Type::Record(inner)) = (access, strip(&row.ty)) {
                    value = src.code;
                    record = *inner;
                } else {
                    break;
                }
            }
            tests.push(quote!(cx.w.set_context(#number, &[#(#names),*])));
        }
        let names = self.model.epoch_variables.iter().map(|variable| &variable.name);
        let epochs = self.model.epochs.iter().map(|epoch| {
            let variables = epoch.ranges.iter().map(|ranges| {
                let ranges = ranges.iter().map(|(low, high)| {
                    let (low, high) = (Literal::i128_suffixed(*low), Literal::i128_suffixed(*high));
                    quote!((#low, #high))
                });
                quote!(&[#(#ranges),*] as &[(i128, i128)])
            });
            quote!(&[#(#variables),*] as &[&[(i128, i128)]])
        });
        quote!(#(#tests)&&* && cx.w.choose_epoch(&[#(#names),*], &[#(#epochs),*]))
    }
}

/// Whether a slot is computed before anything is placed.
fn is_early(model: &Model, row: &crate::model::Row) -> bool {
    let patricia = |e: ExprId| matches!(model[e], Expr::Patricia(_));
    match &row.role {
        Role::Kept(e) => patricia(*e),
        Role::Derived => {
            row.definers.iter().any(|d| matches!(d.source, DefinerSource::Expr(e) if patricia(e)))
        }
        Role::View { .. } => true,
        _ => false,
    }
}

/// The row with whose emptiness a pointer is none.
fn none_with(ty: &Type) -> Option<RowId> {
    match ty {
        Type::Pointer(pointer) if matches!(pointer.target, crate::model::Target::Own(_)) => {
            pointer.none_with
        }
        Type::PerEpoch(types) => types.iter().find_map(none_with),
        _ => None,
    }
}

/// The type inside of regions.
fn strip(ty: &Type) -> &Type {
    match ty {
        Type::Region(region) => strip(&region.inner),
        other => other,
    }
}

/// Bytes of a float cell.
fn float_width(generator: &Gen<'_, '_>, ty: &Type) -> u8 {
    match ty {
        Type::Cell(cell) if generator.cell_range(cell).0 == 32 => 4,
        _ => 8,
    }
}

/// Numbers in generated tables have 16 bits.
fn number(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}
