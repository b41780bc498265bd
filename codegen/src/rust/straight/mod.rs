//! The fast path, straight code: a reader and a writer without a tree between bytes and value, for
//! files that have nothing unusual.
//!
//! Whatever is not as a file written by straight code would have it is [*odd*](formwork::__rt::s::Odd),
//! and the engine begins from the start. So straight code reports nothing, and of spellings it keeps
//! only widths of numbers and forms of cases, which a row shows by itself. It may give up where it
//! likes, but where it says something it says what the engine would say.
//!
//! A model that straight code cannot carry at all has none; cases of unions that it cannot carry are
//! odd when they occur.

mod bits;
mod check;
mod early;
pub(super) mod ends;
pub(super) mod epochs;
mod expr;
mod extent;
mod flavour;
pub(super) mod letters;
mod noted;
mod operators;
mod rare;
mod read;
mod rest;
mod sight;
mod streams;
mod survey;
mod write;

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::shape::{Shape, Shapes};
use super::visit::{Part, expressions};
use crate::model::{
    Constant, DefinerScope, DefinerSource, EndianRule, EpochId, Expr, ExprId, Form, Measure,
    Member, Model, Path, Record, RecordId, RecordKind, Role, Row, RowId, RowKind, Sizes, Start,
    Step, Type, UnionId,
};

use early::{early, early_value, is_early_number};
pub(super) use expr::{Access, Frame, Scope};
use flavour::Flavour;
pub(super) use survey::{Finding, survey};

/// Why straight code cannot carry something.
#[derive(Debug, Clone)]
pub(super) struct Unable(pub String);

/// Something that straight code can carry, or why not.
pub(super) type Able<T> = Result<T, Unable>;

/// Why words with rules for their bits are not carried.
const RULES_OF_BITS: &str = "rules of bits";

/// Why pools are not carried whose members are data.
const KEPT_POOL: &str = "a pool whose members are data";

/// Why not.
pub(super) fn unable<T>(why: impl Into<String>) -> Able<T> {
    Err(Unable(why.into()))
}

/// What straight code is made from.
pub(super) struct Straight<'p, 'm> {
    flavour: Flavour,
    pub shapes: &'p Shapes<'m>,
    pub model: &'m Model,
    /// The model in each epoch.
    views: &'m [Model],
    /// The layouts that code is made for; files of others are odd.
    layouts: Vec<usize>,
    /// Whether code is made for the elements of a stream.
    streaming: std::cell::Cell<bool>,
    /// The layout that code is made for; of none, all.
    epoch: std::cell::Cell<Option<usize>>,
    /// What noted references lead to.
    goals: Vec<noted::Goal>,
    /// Whether references are noted when they are read.
    noting: std::cell::Cell<bool>,
    /// Whether steps through lists are counted.
    counting: std::cell::Cell<bool>,
    /// How many `let`s are being spelled out.
    spelled: std::cell::Cell<u32>,
    /// Records that files may well do without.
    rare: Vec<bool>,
    /// Records whose rows hold each record.
    owners: Vec<BTreeSet<RecordId>>,
    /// Enclosing records whose values expressions in each record, and in what it holds, look at.
    needs: Vec<BTreeSet<RecordId>>,
    /// What cannot be carried is written down, and making code goes on.
    survey: Option<survey::Survey>,
}

/// What is known of a model's straight code.
pub(super) struct Emitted {
    /// The module `straight`.
    pub tokens: TokenStream,
    /// Whether the reader alone proves that a file is plain.
    pub sealed: bool,
}

/// The model in each of its epochs.
pub(super) fn views(model: &Model) -> Vec<Model> {
    (0..).map(EpochId).take(model.epochs.len()).map(|epoch| model.in_epoch(epoch)).collect()
}

/// The module `straight`, or why there is none.
pub(super) fn emit<'m>(shapes: &Shapes<'m>, views: &'m [Model]) -> Able<Emitted> {
    for_layouts(shapes, views, Flavour::Values, values)
}

/// What `make` makes for all layouts, or else for those that it carries.
fn for_layouts<'m, T>(
    shapes: &Shapes<'m>,
    views: &'m [Model],
    flavour: Flavour,
    make: fn(&Straight<'_, 'm>) -> Able<T>,
) -> Able<T> {
    let made =
        |layouts: Vec<usize>| make(&Straight { layouts, ..Straight::new(shapes, views, flavour) });
    let all: Vec<usize> = (0..views.len()).collect();
    let whole = made(all.clone());
    if whole.is_ok() || all.len() < 2 {
        return whole;
    }
    let carried: Vec<usize> =
        all.into_iter().filter(|layout| made(vec![*layout]).is_ok()).collect();
    if carried.is_empty() { whole } else { made(carried) }
}

fn values(straight: &Straight<'_, '_>) -> Able<Emitted> {
    straight.is_not_too_much()?;
    let model = straight.model;
    let reader = read::emit(straight)?;
    let checking = check::Checking::new(straight, false)?;
    let writer = write::emit(straight, &checking)?;
    let checks = check::emit(&checking, reader.sealed)?;
    let epoch = straight.epoch_function()?;
    let (tokens, root) = (&reader.tokens, straight.value_ty(model.root, &quote!('_)));
    let ty = straight.value_ty(model.root, &quote!('o));
    let written_root = straight.value_ty(model.root, &quote!('v));
    straight.has_no_rules_of_bits()?;
    straight.has_no_rests()?;
    let rows = straight.record(model.root).numbered_rows();
    let tried = rows.filter(|(_, row)| straight.is_tried(model.root, row));
    let fields = tried.filter_map(|(id, _)| straight.shapes.field(model.root, id));
    let tries = fields.map(|field| {
        let field = &field.ident;
        quote! {
            value.#field = !value.#field;
            if s::writes(bytes, |out, file| written_as(&value, out, file)) {
                return rt::Ok(value);
            }
            value.#field = !value.#field;
        }
    });
    let kept = straight.kept_pool()?;
    let whole = if let Some((row, members)) = kept {
        if !straight.is_plain_root() {
            return unable("a value that is seen in the file, and a pool whose members are data");
        }
        quote! {
            let mut value = read::<M>(bytes, options)?;
            let mut found = rt::None;
            if s::writes(bytes, |out, file| written_as(&value, out, file, &mut found)) {
                s::mend_members(&mut value.spelling, #row, #members, found)?;
                return rt::Ok(value);
            }
            rt::Err(s::Odd)
        }
    } else if reader.sealed {
        quote!(read::<M>(bytes, options))
    } else {
        quote! {
            let mut value = read::<M>(bytes, options)?;
            // What the reader did not look at is in the bytes that the value has.
            if s::writes(bytes, |out, file| written_as(&value, out, file)) {
                return rt::Ok(value);
            }
            #(#tries)*
            rt::Err(s::Odd)
        }
    };
    let found = kept.map(|_| quote!(, found: &mut rt::Option<s::FoundMembers>));
    let (hand_on, none) = (kept.map(|_| quote!(, found)), kept.map(|_| quote!(, &mut rt::None)));
    let writing = quote! {
        /// Appends the bytes of a value, if it is the plain case.
        pub(super) fn whole(value: &#root, out: &mut rt::Vec<u8>) -> s::Straight<()> {
            written_as(value, out, rt::None #none)
        }

        /// The same, where it may be known which file that has to be.
        fn written_as<'v>(
            value: &'v #written_root,
            out: &mut rt::Vec<u8>,
            file: rt::Option<&'v [u8]>
            #found
        ) -> s::Straight<()> {
            check_root(value)?;
            write(value, out, file #hand_on)
        }
    };
    let tokens = quote! {
        /// Readers and writers for files that have nothing unusual.
        mod straight {
            use ::formwork::__rt::{self as rt, s};

            /// The value of a file, if it is the plain case.
            pub(super) fn file<'i, 'o, M: s::Mode<'i, 'o>>(
                bytes: &'i [u8],
                options: &::formwork::ReadOptions,
            ) -> s::Straight<#ty> {
                #whole
            }

            #writing

            #epoch
            #tokens
            #writer
            #checks
        }
    };
    Ok(Emitted { tokens, sealed: reader.sealed })
}

/// The same for the types of an arena, in its module.
pub(super) fn emit_arena<'m>(shapes: &Shapes<'m>, views: &'m [Model]) -> Able<TokenStream> {
    for_layouts(shapes, views, Flavour::Arena, in_arena)
}

fn in_arena(straight: &Straight<'_, '_>) -> Able<TokenStream> {
    straight.is_not_too_much()?;
    let model = straight.model;
    let reader = read::emit(straight)?;
    if !reader.sealed {
        return unable("a reader that has to compare bytes");
    }
    straight.has_no_rules_of_bits()?;
    straight.has_no_rests()?;
    let checking = check::Checking::new(straight, false)?;
    let writer = write::emit(straight, &checking)?;
    let checks = check::emit(&checking, reader.sealed)?;
    let check = (!checking.is_within_writing()).then(|| quote!(check_root(value, arena)?;));
    let epoch = straight.epoch_function()?;
    let (tokens, root) = (reader.tokens, straight.value_ty(model.root, &quote!('_)));
    // Unions that contain themselves are what large files consist of.
    let many = model.records().filter(|(id, record)| {
        record.recursive && matches!(straight.value_shape(*id), Shape::Choice(_))
    });
    let many = many.map(|(id, _)| straight.value_ty(id, &quote!('_)));
    Ok(quote! {
        /// Readers and writers for files that have nothing unusual.
        mod straight {
            use ::formwork::__rt::{self as rt, s};

            /// The value of a file, if it is the plain case.
            pub(super) fn file(
                bytes: &[u8],
                options: &::formwork::ReadOptions,
            ) -> s::Straight<(#root, super::pools::Pools)> {
                let mut arena = super::pools::Pools::default();
                #(s::room_for::<#many, _>(&mut arena, bytes.len());)*
                let root = read(bytes, options, &mut arena)?;
                rt::Ok((root, arena))
            }

            /// The bytes of a value, if it is the plain case.
            pub(super) fn whole(
                value: &#root,
                arena: &super::pools::Pools,
                out: &mut rt::Vec<u8>,
            ) -> s::Straight<()> {
                #check
                write(value, arena, out, rt::None)
            }

            #epoch
            #tokens
            #writer
            #checks
        }
    })
}

impl<'p, 'm> Straight<'p, 'm> {
    fn new(shapes: &'p Shapes<'m>, views: &'m [Model], flavour: Flavour) -> Self {
        let model = shapes.model();
        let mut owners = vec![BTreeSet::new(); model.records.len()];
        for (id, record) in model.records() {
            for child in children(model, record) {
                owners[child.index()].insert(id);
            }
        }
        let mut straight = Straight {
            flavour,
            shapes,
            model,
            views,
            layouts: (0..model.epochs.len()).collect(),
            streaming: false.into(),
            epoch: None.into(),
            goals: Vec::new(),
            noting: true.into(),
            counting: false.into(),
            spelled: 0.into(),
            rare: rare::rare(model),
            owners,
            needs: Vec::new(),
            survey: None,
        };
        straight.needs = straight.find_needs();
        straight.goals = straight.find_goals();
        straight
    }

    fn find_needs(&self) -> Vec<BTreeSet<RecordId>> {
        let mut needs = vec![BTreeSet::new(); self.model.records.len()];
        expressions(self.model, &mut |id, part| match part {
            Part::Expr(expr) => self.seeds(expr, id, &mut needs[id.index()]),
            Part::Reference(path) | Part::Table(path) => {
                let needs = &mut needs[id.index()];
                let seed = &mut |path: &Path| self.seed_all(path, id, needs);
                self.model.exprs.with_subscripts(path, seed);
            }
        });
        for (id, record) in self.model.records() {
            let tabled = |row: &Row| {
                let Role::Kept(expr) = row.role else { return false };
                matches!(self.model[expr], Expr::RelocationSections | Expr::RelocationEntries)
            };
            let kept = |row: &Row| matches!(row.kind, RowKind::Pool { kept: true, .. });
            // Where sections begin and end is said in the root, and how it is spelled.
            if (record.rows.iter().any(tabled) || record.rows.iter().any(kept))
                && id != self.model.root
            {
                needs[id.index()].insert(self.model.root);
            }
            let Some(owner) = self.owner(id).filter(|_| !record.arguments.is_empty()) else {
                continue;
            };
            needs[id.index()].insert(owner);
            self.seed_arguments(owner, &record.arguments, &mut needs[id.index()]);
            for argument in &record.arguments {
                self.seeds(*argument, owner, &mut needs[id.index()]);
            }
        }
        loop {
            let mut changed = false;
            for (id, record) in self.model.records() {
                let around = self.around(id);
                for child in children(self.model, record) {
                    // What is nowhere around cannot be handed on.
                    let of_child = needs[child.index()].iter().copied();
                    let of_child: Vec<_> =
                        of_child.filter(|need| *need != id && around.contains(need)).collect();
                    for need in of_child {
                        changed |= needs[id.index()].insert(need);
                    }
                }
            }
            if !changed {
                return needs;
            }
        }
    }

    fn seeds(&self, expr: ExprId, at: RecordId, needs: &mut BTreeSet<RecordId>) {
        self.model.exprs.paths(expr, &mut |path| self.seed_all(path, at, needs));
    }

    /// The structs that arguments in a record stand for, as far as they are arguments themselves.
    fn seed_arguments(
        &self,
        record: RecordId,
        arguments: &[ExprId],
        needs: &mut BTreeSet<RecordId>,
    ) {
        let (mut record, mut arguments) = (record, arguments.to_vec());
        for _ in 0..self.model.records.len() {
            let mut next = Vec::new();
            for argument in &arguments {
                self.model.exprs.paths(*argument, &mut |path| {
                    if let Start::Argument(number) = path.start {
                        next.extend(self.record(record).arguments.get(number as usize).copied());
                    }
                });
            }
            let Some(owner) = self.owner(record).filter(|_| !next.is_empty()) else { return };
            needs.insert(owner);
            for argument in &next {
                self.seeds(*argument, owner, needs);
            }
            (record, arguments) = (owner, next);
        }
    }

    /// The root, if `let`s of other records that a path names look at it, or at what there is once
    /// in a file: that is found from the root.
    fn seed_beyond(&self, path: &Path, at: RecordId, needs: &mut BTreeSet<RecordId>) {
        let root = self.model.root;
        let (mut open, mut seen) = (vec![path], BTreeSet::new());
        while let Some(path) = open.pop() {
            for step in &path.steps {
                let Step::Field(field) = step else { continue };
                for (record, members) in &field.members {
                    let expr = match members.as_slice() {
                        [Member::Let(number)] => {
                            self.record(*record).lets.get(*number as usize).map(|named| named.expr)
                        }
                        [Member::Row(row)] => match self.record(*record).rows[row.index()].role {
                            Role::Kept(expr) => Some(expr),
                            _ => None,
                        },
                        _ => None,
                    };
                    let Some(expr) = expr.filter(|_| *record != at) else { continue };
                    if !seen.insert((*record, expr.0)) {
                        continue;
                    }
                    self.model.exprs.paths(expr, &mut |path| {
                        let start = self.start(path, *record);
                        if start.is_some_and(|start| {
                            start == root || start != *record && self.way_to(start).is_some()
                        }) {
                            needs.insert(root);
                        }
                        open.push(path);
                    });
                }
            }
        }
    }

    /// The record in which a path begins, and those that the `let`s ask for which it names there.
    fn seed_all(&self, path: &Path, at: RecordId, needs: &mut BTreeSet<RecordId>) {
        self.seed_beyond(path, at, needs);
        let (mut open, mut seen) = (vec![path], BTreeSet::new());
        while let Some(path) = open.pop() {
            needs.extend(self.seed(path, at));
            let fields = path.steps.iter().filter_map(|step| match step {
                Step::Field(field) => field.members.iter().find(|(record, _)| *record == at),
                _ => None,
            });
            for (_, members) in fields {
                if let [Member::Let(number)] = members.as_slice()
                    && seen.insert(*number)
                    && let Some(named) = self.record(at).lets.get(*number as usize)
                {
                    self.model.exprs.paths(named.expr, &mut |path| open.push(path));
                }
            }
        }
    }

    /// The record in which a path begins, if that is another one.
    fn seed(&self, path: &Path, at: RecordId) -> Option<RecordId> {
        self.start(path, at).filter(|record| *record != at)
    }

    /// The record of the node that a path begins in, if the schema alone says it.
    fn start(&self, path: &Path, at: RecordId) -> Option<RecordId> {
        match &path.start {
            Start::This => Some(at),
            Start::Root => Some(self.model.root),
            Start::Up(levels) => {
                let mut record = at;
                for _ in 0..*levels {
                    record = self.owner(record)?;
                }
                Some(record)
            }
            Start::Enclosing(records) => {
                if records.contains(&at) {
                    return Some(at);
                }
                let around = self.around(at);
                let mut possible = records.iter().filter(|record| around.contains(record));
                let first = possible.next()?;
                possible.next().is_none().then_some(*first)
            }
            Start::It | Start::Argument(_) => None,
        }
    }

    /// The local that has the struct in which a path begins, if that is not always around.
    fn perhaps_around<'f>(&self, scope: &'f Scope, path: &Path) -> Option<&'f Ident> {
        let this = scope.frames.last()?;
        match &scope.frame_of(self.start(path, this.record)?)?.access {
            Access::Maybe(local) => Some(local),
            _ => None,
        }
    }

    /// The record that holds a record, if there is only one.
    fn owner(&self, record: RecordId) -> Option<RecordId> {
        let owners = &self.owners[record.index()];
        owners.first().filter(|_| owners.len() == 1).copied()
    }

    /// Whether a record is around another one wherever that stands.
    fn is_always_around(&self, outer: RecordId, record: RecordId) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![record]);
        while let Some(record) = open.pop().filter(|_| outer != self.model.root) {
            if record == self.model.root {
                return false;
            }
            let owners = self.owners[record.index()].iter().filter(|owner| **owner != outer);
            open.extend(owners.filter(|owner| seen.insert(**owner)));
        }
        true
    }

    /// All records that may be around a record.
    fn around(&self, record: RecordId) -> BTreeSet<RecordId> {
        let mut found = BTreeSet::new();
        let mut open = vec![record];
        while let Some(record) = open.pop() {
            for owner in &self.owners[record.index()] {
                if found.insert(*owner) {
                    open.push(*owner);
                }
            }
        }
        found
    }

    /// A record.
    pub fn record(&self, id: RecordId) -> &'m Record {
        &self.model.records[id.index()]
    }

    /// Type of a record's value, which for transparent ones is that of their row.
    pub fn value_ty(&self, id: RecordId, lifetime: &TokenStream) -> TokenStream {
        let shape = self.value_shape(id);
        match self.flavour {
            Flavour::Values => self.shapes.ty_for(&shape, true, lifetime),
            Flavour::Arena => super::arena::ty(self.shapes, &shape, true),
        }
    }

    /// Shape of a record's value.
    pub fn value_shape(&self, id: RecordId) -> Shape {
        if self.shapes.is_transparent(id) { self.shapes.record(id) } else { Shape::Struct(id) }
    }

    /// Enclosing values that functions of a record take, behind their other parameters; each with a
    /// comma.
    pub fn params(&self, id: RecordId, lifetime: &TokenStream) -> TokenStream {
        let params = self.needs[id.index()].iter().map(|need| {
            let (name, ty) = (enclosing(*need), self.value_ty(*need, &quote!('_)));
            match self.is_always_around(*need, id) {
                true => quote!(#name: &#lifetime #ty,),
                false => quote!(#name: rt::Option<&#lifetime #ty>,),
            }
        });
        let arena = self.arena_param(lifetime);
        quote!(#arena #(#params)*)
    }

    /// What to call functions of a record with for [`Straight::params`]; each with a comma.
    pub fn arguments(&self, scope: &Scope, id: RecordId) -> Able<TokenStream> {
        let mut arguments: TokenStream = self.arena_argument().into_iter().collect();
        for need in &self.needs[id.index()] {
            let always = self.is_always_around(*need, id);
            arguments.extend(match scope.frame_of(*need).map(|frame| &frame.access) {
                Some(Access::Value(value)) if always => quote!(#value,),
                Some(Access::Value(value)) => quote!(rt::Some(#value),),
                Some(Access::Maybe(value)) if !always => quote!(#value,),
                None if !always => quote!(rt::None,),
                _ => {
                    return unable(format!(
                        "{} is not at hand in {}",
                        self.record(*need).name,
                        self.record(id).name
                    ));
                }
            });
        }
        Ok(arguments)
    }

    /// The frames of the parameters.
    pub fn enclosing_frames(&self, id: RecordId) -> Vec<Frame> {
        let needs = self.needs[id.index()].iter();
        needs
            .map(|need| {
                let name = enclosing(*need);
                let access = match self.is_always_around(*need, id) {
                    true => Access::Value(quote!(#name)),
                    false => Access::Maybe(name),
                };
                Frame { record: *need, access, at: None, index: None }
            })
            .collect()
    }

    /// The pool whose members are data: the row of the root whose struct holds it, and its row there,
    /// as spellings name them.
    fn kept_pool(&self) -> Able<Option<(u16, u16)>> {
        let pools = self.model.records().flat_map(|(id, record)| {
            let rows = record.numbered_rows();
            let kept = rows.filter(|(_, row)| matches!(row.kind, RowKind::Pool { kept: true, .. }));
            kept.map(move |(row, _)| (id, row))
        });
        let pools: Vec<(RecordId, RowId)> = pools.collect();
        let [(id, row)] = pools.as_slice() else {
            return if pools.is_empty() { Ok(None) } else { unable(KEPT_POOL) };
        };
        let root = self.model.root;
        // Of several places, that in the root: the others may have nothing but what is used.
        let holders = self.holders_of_pools();
        let mut holders = holders.iter().filter(|(of, _, pool)| *of == root && pool == id);
        match (holders.next(), holders.next()) {
            (Some((of, object, _)), None)
                if self.shapes.field(root, *object).is_none()
                    && self.shapes.has_spelling(root)
                    && !self.shapes.is_transparent(root)
                    && self.flavour == Flavour::Values =>
            {
                let spelled = |record, row| self.shapes.spelling_row(record, row);
                Ok(Some((spelled(*of, *object), spelled(*id, *row))))
            }
            _ => unable(KEPT_POOL),
        }
    }

    /// Rows that hold a struct with a pool: the record, the row, and the record of the struct.
    fn holders_of_pools(&self) -> Vec<(RecordId, RowId, RecordId)> {
        let mut found = Vec::new();
        for (id, record) in self.model.records() {
            for (row_id, row) in record.numbered_rows() {
                if let Type::Record(inner) = expr::target(&row.ty)
                    && self
                        .record(*inner)
                        .rows
                        .iter()
                        .any(|row| matches!(row.kind, RowKind::Pool { .. }))
                {
                    found.push((id, row_id, *inner));
                }
            }
        }
        found
    }

    /// Whether nothing in the root is tried both ways.
    fn is_plain_root(&self) -> bool {
        let root = self.model.root;
        self.record(root).rows.iter().all(|row| !self.is_tried(root, row))
    }

    /// Whether a row is a truth value about the whole file that reading tries both ways, the usual
    /// one first.
    pub fn is_tried(&self, record: RecordId, row: &Row) -> bool {
        record == self.model.root
            && matches!(row.kind, RowKind::Value { seen: Some(_) })
            && matches!(row.role, Role::Default(Constant::Bool(_)))
    }

    /// Whether some row is the address of an object, so that a reader finds it wherever it is.
    pub fn says_address(&self, record: RecordId, object: RowId) -> bool {
        let definers = self.model.records().flat_map(|(id, of)| {
            let definers = of.rows.iter().flat_map(|row| &row.definers);
            definers.map(move |definer| (id, definer))
        });
        definers.into_iter().any(|(id, definer)| {
            let here = match &definer.scope {
                DefinerScope::Own => id == record,
                DefinerScope::Owner(owner, _) => *owner == record,
                DefinerScope::Case(row, case) => {
                    let union = self.model.records[id.index()].rows[row.index()].ty.union();
                    let cases = union.map(|union| &self.model.unions[union.index()].cases);
                    cases.is_some_and(|cases| cases[*case as usize].record == record)
                }
            };
            let DefinerSource::Measure { measure: Measure::At(_), row, .. } = &definer.source
            else {
                return false;
            };
            here && *row == object
        })
    }

    /// Objects of the root that a reader finds by something else than a number that is their address.
    fn found_objects(&self) -> impl Iterator<Item = (RowId, &'m Row)> {
        let root = self.model.root;
        let rows = self.record(root).numbered_rows();
        rows.filter(move |(id, row)| {
            matches!(row.kind, RowKind::Object { .. })
                && self.shapes.carries(&row.ty)
                && !self.says_address(root, *id)
        })
    }

    /// Rows of words with rules. Bits of words are taken as they are: nobody looks at rules for them.
    fn rules_of_bits(&self) -> Vec<(RecordId, RowId)> {
        let words = self.model.records().filter(|(id, record)| {
            matches!(record.kind, RecordKind::Word(_)) && self.shapes.is_typed(*id)
        });
        let rows = words.flat_map(|(id, record)| {
            record.numbered_rows().map(move |(row_id, row)| (id, row_id, row))
        });
        rows.filter(|(.., row)| !row.checks.is_empty() || row.reference.is_some())
            .map(|(id, row_id, _)| (id, row_id))
            .collect()
    }

    fn has_no_rules_of_bits(&self) -> Able<()> {
        if self.rules_of_bits().is_empty() { Ok(()) } else { unable(RULES_OF_BITS) }
    }

    /// Whether a record chooses its byte order by the data.
    fn is_order_chosen(&self, id: RecordId) -> bool {
        matches!(self.record(id).endian, Some(EndianRule::Chosen(..)))
    }

    /// Code for a case or form, which gives up if that cannot be carried.
    pub fn or_odd(
        &self,
        record: RecordId,
        make: impl FnOnce() -> Able<TokenStream>,
    ) -> TokenStream {
        self.in_case(record, make).unwrap_or_else(|_| quote!(return rt::Err(s::Odd);))
    }
}

/// What a row without bytes of its own, or a pool, is called.
fn kind(row: &Row) -> &'static str {
    match row.kind {
        RowKind::Slice { .. } => "a slice of a shared table",
        RowKind::Pool { .. } => "a string pool that is no struct of its own",
        RowKind::Object { .. } => "an object at an address",
        RowKind::Mark { .. } => "an address without bytes",
        RowKind::Value { .. } => "a value that is not stored",
        _ => "a row of this kind",
    }
}

impl Straight<'_, '_> {
    /// Values of a case are checked by the rows of the case, so those of its forms have no rules of
    /// their own, and store what they mean.
    fn must_have_no_rules(&self, form: &Form) -> Able<()> {
        let is_ruled = |row: &Row| {
            let rules = !row.checks.is_empty() || row.reference.is_some() || row.unique;
            rules || !row.none.is_empty() || row.plus != 0
        };
        if self.record(form.record).rows.iter().any(is_ruled) {
            return unable("a rule for a row of a form");
        }
        Ok(())
    }
}

/// Name of the parameter that holds an enclosing value.
fn enclosing(record: RecordId) -> Ident {
    format_ident!("e{}", record.0)
}

/// Records that the rows of a record hold, inline or behind pointers, cases and forms too.
fn children(model: &Model, record: &Record) -> BTreeSet<RecordId> {
    let mut found = BTreeSet::new();
    for part in record.rows.iter().flat_map(|row| row.ty.parts()) {
        match part {
            Type::Record(id) => {
                found.insert(*id);
            }
            Type::Union(id) => {
                found.extend(model.unions[id.index()].cases.iter().map(|case| case.record));
            }
            _ => {}
        }
    }
    if let RecordKind::Case(union, case) = record.kind {
        let case = &model.unions[union.index()].cases[case as usize];
        found.extend(case.forms.iter().map(|form| form.record));
    }
    found
}

/// Whether code mentions a name that is not that of a field.
fn mentions(tokens: &TokenStream, name: &str) -> bool {
    // Two dots are a range.
    let (mut dot, mut field) = (false, false);
    for token in tokens.clone() {
        let found = match &token {
            TokenTree::Group(group) => mentions(&group.stream(), name),
            TokenTree::Ident(ident) => !field && ident == name,
            _ => false,
        };
        if found {
            return true;
        }
        let is_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        (field, dot) = (is_dot && !dot, is_dot);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust::{Options, emit};

    fn code(text: &str) -> String {
        let loaded = crate::load("test.kdl", text, None, &());
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics.all()));
        emit(&model, &Options::default())
    }

    #[test]
    fn structs_that_hold_each_other_twice_have_an_end() {
        let mut text = String::from("module t \"Test\" root=S0 endian=little\n");
        for level in 0..26 {
            text += &format!("struct S{level} {{ S{0} a; S{0} b }}\n", level + 1);
        }
        assert!(code(&(text + "struct S26 { u8 x }\n")).len() < 100_000);
    }

    #[test]
    fn names_of_fields_make_no_writer_slower() {
        for name in ["pos", "at", "cx"] {
            let text = format!(
                "module t \"Test\" root=File endian=little\n\
                 struct File {{ u8 n; Item items count=n }}\n\
                 struct Item 0x08 {{ u32 {name} 0x00; f32 x 0x04 }}\n"
            );
            assert!(code(&text).contains("chunks_exact_mut"), "{name}");
        }
    }

    #[test]
    fn fields_are_not_mentioned() {
        assert!(mentions(&quote!(s::set(b, at, x.pos);), "at"));
        assert!(mentions(&quote!(f(&b[x.pos..at])), "at"));
        assert!(!mentions(&quote!(f(&b[0..x.at], y.0.at.cx)), "at"));
        assert!(!mentions(&quote!(f(&b[0..x.at], y.0.at.cx)), "cx"));
        assert!(mentions(&quote!(cx.put(x.cx)), "cx"));
    }
}
