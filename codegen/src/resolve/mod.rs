//! Trees to model: imports, names, types, parameters, epochs, expressions, equations.
//!
//! Every struct that is used becomes a [`Rec`] per distinct list of arguments. First all types are
//! found (which may declare further records), then all expressions are resolved against them.

mod about;
mod base;
mod calls;
mod choices;
pub mod codes;
mod columns;
mod conditions;
mod consts;
mod declare;
mod definers;
mod described;
mod enums;
mod epochs;
mod equations;
mod exprs;
mod finish;
mod heads;
mod homes;
mod imports;
mod instances;
mod late;
mod layouts;
mod lengths;
mod names;
mod offsets;
mod order;
mod paths;
mod pointers;
mod pool;
mod rows;
mod shapes;
mod step;
mod stops;
#[cfg(test)]
mod tests;
mod texts;
mod unions;
mod ways;
mod widest;
mod words;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::diagnostic::Diagnostics;
use crate::model::{
    Enum, EnumId, Expr, ExprId, IntType, Model, PointerId, PointerKind, RecordId, RecordKind,
    RelocationEncoding, Row as ModelRow, RowId, StringKind, Type, Union, UnionId, Varint,
};
use crate::span::{Span, Spanned};
use crate::syntax::ast::{
    CaseDecl, CheckDecl, Decl, EndianDecl, Item, LetDecl, Place, Row, Tree, TypeEx, WordField,
};
use crate::syntax::expr::{Ex, PathEx};
pub(crate) use imports::load;

/// Most records of a model: parameters can multiply types without bound.
const MAX_RECORDS: usize = 4096;
/// Deepest nesting of types in types.
const MAX_NESTING: u32 = 64;

/// Resolves the first tree, a module, with the libraries that it imports.
pub(crate) fn resolve(
    trees: &[Tree],
    links: &[HashMap<String, usize>],
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let mut known = epochs::Cuts::new();
    loop {
        let mut cx = Cx::new(trees, links);
        cx.epochs.known.append(&mut known);
        let main = cx.scope_of_main();
        cx.check_scope(main);
        let complete = !cx.d.has_errors();
        if complete {
            cx.find_epochs(main);
        }
        // Without the parameters of a library everything would be unknown.
        let model =
            complete.then(|| cx.root(main)).flatten().and_then(|root| cx.finish(main, root));
        if !cx.epochs.missing.is_empty() && !cx.epochs.list.is_empty() {
            known.append(&mut cx.epochs.known);
            known.append(&mut cx.epochs.missing);
            continue;
        }
        let failed = cx.d.has_errors();
        diagnostics.append_distinct(cx.d);
        return if failed { None } else { model };
    }
}

/// Position in [`Cx::scopes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct ScopeId(usize);

/// A text with its parameters filled in.
#[derive(Debug)]
struct Scope<'t> {
    tree: &'t Tree,
    /// Values of the library's parameters.
    params: Vec<(&'t str, ScopeParam<'t>)>,
    imports: Vec<(&'t str, ScopeId)>,
    decls: HashMap<&'t str, usize>,
}

/// Value of a library's parameter.
#[derive(Debug, Clone)]
enum ScopeParam<'t> {
    /// A type, written in this scope.
    Type(ScopeId, &'t TypeEx),
    /// A number or text.
    Const(ExprId, Shape),
}

/// Value of a parameter of a struct, union or string.
#[derive(Debug, Clone)]
enum Bound {
    Type(Type),
    /// A type with arguments that are evaluated where the type is an argument.
    Open(Open),
    Const(ExprId, Shape),
    /// Evaluated in the owner: position in [`Rec::arguments`].
    Argument(u32, Shape, ExprId),
}

/// A declared type with arguments, which is no record yet: whoever uses it is the owner of its node,
/// in which the arguments are evaluated.
#[derive(Debug, Clone)]
struct Open {
    scope: ScopeId,
    index: usize,
    args: Vec<Bound>,
    /// Kinds of the pointers that lead to it, from the innermost on, and whether each may be none.
    pointers: Vec<(PointerId, bool)>,
}

/// What a path or expression is about.
#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Int(Option<EnumId>),
    Bool,
    Float,
    Text,
    Bytes,
    /// A text or bytes.
    Run,
    Address,
    /// A node of one of these records.
    Nodes(Vec<RecordId>),
    Union(UnionId),
    Array(Box<Shape>),
    Order,
    Nothing,
    /// Not known, or one of several: those that have fields are nodes of these records.
    Any(Vec<RecordId>),
}

impl Shape {
    /// Not known at all.
    const ANY: Self = Self::Any(Vec::new());
}

/// Something computed on demand.
#[derive(Debug, Clone)]
enum Memo<T> {
    Unknown,
    Busy,
    Done(T),
}

/// A struct, body or word that is used.
#[derive(Debug)]
struct Rec<'t> {
    name: String,
    template: String,
    kind: RecordKind,
    doc: Option<&'t str>,
    /// What `source=` says.
    said_source: Option<&'t str>,
    scope: ScopeId,
    params: Vec<(&'t str, Bound)>,
    arguments: Vec<ExprId>,
    /// For bodies of cases and forms: the record that holds them.
    outer: Option<RecordId>,
    slots: Vec<Slot<'t>>,
    lets: Vec<&'t LetDecl>,
    /// What each of them is.
    let_ways: Vec<ways::Ways<'t>>,
    let_shapes: Vec<Memo<Option<Shape>>>,
    checks: Vec<(&'t CheckDecl, ways::Way<'t>)>,
    derives: Vec<(&'t PathEx, ways::Ways<'t>)>,
    layout: Option<(&'t [Place], Span)>,
    endian: Option<&'t EndianDecl>,
    fixed_endian: Option<crate::model::ByteOrder>,
    msb_first: bool,
    /// Whether the struct says its bit order itself.
    says_bits: bool,
    /// Epochs that have the record.
    exists: Vec<bool>,
    /// Column of each epoch, if the struct has columns.
    columns: Option<(usize, Vec<Option<usize>>)>,
    /// Sizes as stated, per epoch.
    stated: Vec<Option<u64>>,
    open: bool,
    /// Whether rows have offsets.
    homed: bool,
    /// For bodies in unions: where they end, per epoch, if that is known.
    limits: Vec<Option<u64>>,
    align: Option<u64>,
    transparent: bool,
    /// Of a word: whether bits that no field claims are zero.
    rest_zero: bool,
    encodes: Option<RelocationEncoding>,
    nesting: u32,
    span: Span,
    /// Rows when they are resolved, in the order of the slots.
    rows: Vec<ModelRow>,
    /// Where names are.
    names: RefCell<Names<'t>>,
}

/// Positions of slots and `let`s by name, for so many of both.
#[derive(Debug, Default)]
struct Names<'t> {
    known: (usize, usize),
    slots: HashMap<&'t str, usize>,
    lets: HashMap<&'t str, usize>,
    /// Slots without a name.
    unnamed: Rc<[usize]>,
}

impl<'t> Rec<'t> {
    fn slot_named(&self, name: &str) -> Option<usize> {
        self.named(|names| names.slots.get(name).copied())
    }

    fn let_named(&self, name: &str) -> Option<usize> {
        self.named(|names| names.lets.get(name).copied())
    }

    fn unnamed(&self) -> Rc<[usize]> {
        self.named(|names| Rc::clone(&names.unnamed))
    }

    fn named<R>(&self, get: impl FnOnce(&Names<'t>) -> R) -> R {
        let mut names = self.names.borrow_mut();
        let known = (self.slots.len(), self.lets.len());
        if names.known != known {
            *names = Names { known, ..Names::default() };
            for (at, slot) in self.slots.iter().enumerate() {
                slot.name.map(|name| *names.slots.entry(name).or_insert(at));
            }
            let slots = self.slots.iter().enumerate();
            names.unnamed =
                slots.filter(|(_, slot)| slot.name.is_none()).map(|(at, _)| at).collect();
            for (at, found) in self.lets.iter().enumerate() {
                names.lets.entry(found.name.value.as_str()).or_insert(at);
            }
        }
        get(&names)
    }
}

/// A row, perhaps spelled differently in different epochs.
#[derive(Debug)]
struct Slot<'t> {
    name: Option<&'t str>,
    variants: Vec<Variant<'t>>,
    shape: Memo<Option<Shape>>,
}

#[derive(Debug)]
struct Variant<'t> {
    source: Source<'t>,
    epochs: Vec<bool>,
    /// Conditions over data, and whether each is negated.
    when: Vec<(&'t Ex, bool)>,
    base: Memo<Option<Base>>,
}

/// Where a row comes from.
#[derive(Debug, Clone)]
enum Source<'t> {
    Row(&'t Row, Option<UnionId>),
    /// The union inside the record of a `union` declaration.
    Case(UnionId),
    Word(&'t WordField),
    /// Bits of a word that no field claims: the first and the last.
    Gap(u8, u8),
    /// The logical field of forms: the form and row whose type it has.
    Logical(RecordId, RowId, Option<&'t Row>),
}

/// A type as written, without lengths and regions.
#[derive(Debug, Clone)]
struct Base {
    prefix: Option<(PointerId, bool)>,
    element: Type,
    /// The element of a type that is only passed on.
    open: Option<Open>,
    suffix: Option<(PointerId, bool)>,
    /// `bytes` or `text`, whose length the row says.
    raw: bool,
    /// A sigil without a type.
    sigil_only: bool,
}

/// A union that is used.
#[derive(Debug)]
struct Uni<'t> {
    name: String,
    /// The record that holds the union's row.
    holder: RecordId,
    row: RowId,
    decl: UnionDecl<'t>,
    cases: Vec<UniCase<'t>>,
    /// What `on=` or `given=` says.
    decides: Option<ExprId>,
    model: Option<Union>,
}

#[derive(Debug, Clone)]
enum UnionDecl<'t> {
    Row(&'t Row),
    Decl(&'t Decl),
}

#[derive(Debug)]
struct UniCase<'t> {
    decl: &'t CaseDecl,
    record: RecordId,
    whole: bool,
    epochs: Vec<bool>,
    forms: Vec<(usize, RecordId, Vec<bool>)>,
}

/// What an expression is resolved in.
#[derive(Debug, Clone)]
struct Env {
    record: Option<RecordId>,
    scope: ScopeId,
    /// What `it` is.
    it: Option<Shape>,
    /// Element whose fields come first: the condition of `where`.
    element: Option<Shape>,
    /// Name that stands for `it`: the array row that a check belongs to.
    alias: Option<String>,
    /// Whether only the place of what the path leads to matters, so that its type is not asked for.
    place: bool,
    /// For bases of pointers: the records that hold one of the kind.
    holders: Vec<RecordId>,
    depth: u32,
}

/// An expression and what it gives.
#[derive(Debug, Clone)]
struct Val {
    expr: ExprId,
    shape: Shape,
}

/// Everything known while resolving.
struct Cx<'t> {
    d: Diagnostics,
    /// Attempts that are going on, whose problems are none.
    attempts: u32,
    /// Problems that were found meanwhile, and will not be found again.
    lasting: Diagnostics,
    trees: &'t [Tree],
    links: &'t [HashMap<String, usize>],
    scopes: Vec<Scope<'t>>,
    shared: HashMap<usize, ScopeId>,
    epochs: epochs::Epochs<'t>,
    records: Vec<Rec<'t>>,
    unions: Vec<Uni<'t>>,
    enums: Vec<Enum>,
    enum_ids: HashMap<(ScopeId, usize), EnumId>,
    /// Storage of the enumerations that have one.
    pointers: Vec<PointerKind>,
    pointer_decls: Vec<(ScopeId, usize)>,
    pointer_ids: HashMap<(ScopeId, usize), PointerId>,
    /// Of kinds that are stored as several types, by their first one: the kind in each epoch that has one.
    pointer_families: HashMap<PointerId, Vec<Option<PointerId>>>,
    varints: Vec<Varint>,
    digits: Vec<crate::model::Digits>,
    exprs: pool::Pool,
    strings: Vec<StringKind>,
    varint_ids: HashMap<(ScopeId, usize), crate::model::VarintId>,
    digits_ids: HashMap<(ScopeId, usize), crate::model::DigitsId>,
    instances: HashMap<String, RecordId>,
    /// Records of each declaration.
    by_decl: HashMap<(ScopeId, usize), Vec<RecordId>>,
    /// Declarations that are being looked into: aliases and strings that may name themselves.
    busy: Vec<(ScopeId, usize)>,
    main: ScopeId,
    root: Option<RecordId>,
    /// Owners of each record, once all types are known.
    owners: Vec<Vec<RecordId>>,
    too_many: bool,
    /// How far the search for types is nested.
    deep: u32,
    /// Arguments that are more than a constant.
    late: Vec<late::Late<'t>>,
    /// What `it` is in the arguments of the type that is looked at.
    it: Option<Shape>,
    /// Whether the type that is looked at is an argument.
    passing: bool,
    /// Whether a path is looked at of which only the place matters, not what is there.
    placing: bool,
    /// What such a path has met whose type is not known yet.
    unfinished: Option<(RecordId, usize)>,
    /// Whether what is looked at is evaluated in any file: no condition says where.
    always: bool,
}

impl<'t> Cx<'t> {
    fn new(trees: &'t [Tree], links: &'t [HashMap<String, usize>]) -> Cx<'t> {
        Cx {
            d: Diagnostics::default(),
            attempts: 0,
            lasting: Diagnostics::default(),
            trees,
            links,
            scopes: Vec::new(),
            shared: HashMap::new(),
            epochs: epochs::Epochs::default(),
            records: Vec::new(),
            unions: Vec::new(),
            enums: Vec::new(),
            enum_ids: HashMap::new(),
            pointers: Vec::new(),
            pointer_decls: Vec::new(),
            pointer_ids: HashMap::new(),
            pointer_families: HashMap::new(),
            varints: Vec::new(),
            digits: Vec::new(),
            exprs: pool::Pool::default(),
            strings: Vec::new(),
            varint_ids: HashMap::new(),
            digits_ids: HashMap::new(),
            instances: HashMap::new(),
            by_decl: HashMap::new(),
            busy: Vec::new(),
            main: ScopeId(0),
            root: None,
            owners: Vec::new(),
            too_many: false,
            deep: 0,
            late: Vec::new(),
            it: None,
            passing: false,
            placing: false,
            unfinished: None,
            always: false,
        }
    }

    /// Tries something whose problems are none.
    fn attempt<R>(&mut self, attempt: impl FnOnce(&mut Self) -> R) -> R {
        let kept = std::mem::take(&mut self.d);
        self.attempts += 1;
        let found = attempt(self);
        self.attempts -= 1;
        self.d = kept;
        if self.attempts == 0 {
            self.d.append(std::mem::take(&mut self.lasting));
        }
        found
    }

    /// Finds out what is remembered: its problems are problems in an attempt, too.
    fn once<R>(&mut self, find: impl FnOnce(&mut Self) -> R) -> R {
        if self.attempts == 0 {
            return find(self);
        }
        let kept = std::mem::take(&mut self.d);
        let found = find(self);
        let problems = std::mem::replace(&mut self.d, kept);
        self.lasting.append(problems);
        found
    }

    fn rec(&self, id: RecordId) -> &Rec<'t> {
        &self.records[id.index()]
    }

    fn rec_mut(&mut self, id: RecordId) -> &mut Rec<'t> {
        &mut self.records[id.index()]
    }

    fn uni(&self, id: UnionId) -> &Uni<'t> {
        &self.unions[id.index()]
    }

    fn scope(&self, id: ScopeId) -> &Scope<'t> {
        &self.scopes[id.0]
    }

    fn decl(&self, scope: ScopeId, index: usize) -> &'t Decl {
        &self.scope(scope).tree.decls[index]
    }

    /// Number of epochs; at least one.
    fn epoch_count(&self) -> usize {
        self.epochs.list.len().max(1)
    }
}

/// Number as an id.
fn id32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// An integer type of the file's byte order.
fn int(bytes: u8, signed: bool) -> IntType {
    IntType { bytes, signed, order: None }
}

/// Names of rows and lets that items declare, inside `when` too.
fn names_of<'t>(items: impl IntoIterator<Item = &'t Item>, names: &mut Vec<&'t Spanned<String>>) {
    for item in items {
        match item {
            Item::Row(row) => names.extend(row.name.as_ref()),
            Item::Let(decl) => names.push(&decl.name),
            Item::When { then, otherwise, .. } => {
                names_of(then, names);
                names_of(otherwise, names);
            }
            _ => {}
        }
    }
}
