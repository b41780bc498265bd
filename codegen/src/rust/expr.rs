//! Expressions as Rust code, and the tables that go with them.

use std::collections::HashMap;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::plan::{Plan, is_local, own_row};
use crate::model::{
    BinaryOp, Expr, ExprId, Function, Member, Model, Path, RecordId, RecordKind, Row, RowId, Start,
    Step, StreamFunction, Target, Type, UnaryOp,
};

/// What has a number because it is generated once, for reading and writing alike.
#[derive(Default)]
pub(super) struct Registry {
    exprs: Vec<(ExprId, RecordId)>,
    paths: Vec<Path>,
    sources: Vec<Source>,
    known: HashMap<String, u16>,
    /// Expressions over rows of records without nodes, by their text.
    own: Vec<(String, TokenStream)>,
}

#[derive(Debug, Clone)]
enum Source {
    Path(u16),
    Concatenate(u16, u16),
    Coalesce(u16, u16),
    Expr(u16),
}

/// How code gets at what is not in the expression.
struct Env<'a> {
    /// The engine: `e` or `cx`.
    engine: TokenStream,
    /// The node that the expression is evaluated in, and the element that it is about.
    tree: Option<(TokenStream, TokenStream)>,
    /// Own rows as local variables; [`IT`] is the element that the expression is about.
    local: Option<&'a dyn Fn(RowId) -> Option<TokenStream>>,
    this: RecordId,
}

/// Asked for as a row, this is the element or row that a rule is about.
pub(super) const IT: RowId = RowId(u32::MAX);

impl Plan<'_> {
    /// The number of an expression; see `rt::Engine::expr`.
    pub fn expr(&self, e: ExprId, this: RecordId) -> u16 {
        let mut registry = self.registry.borrow_mut();
        let next = number(registry.exprs.len());
        let key = format!("e {} {e:?}", this.0);
        match registry.known.get(&key) {
            Some(known) => *known,
            None => {
                registry.known.insert(key, next);
                registry.exprs.push((e, this));
                next
            }
        }
    }

    /// The number of a path; see `rt::Engine::find`.
    pub fn path(&self, path: &Path) -> u16 {
        let mut registry = self.registry.borrow_mut();
        let next = number(registry.paths.len());
        let key = format!("p {path:?}");
        match registry.known.get(&key) {
            Some(known) => *known,
            None => {
                registry.known.insert(key, next);
                registry.paths.push(path.clone());
                next
            }
        }
    }

    /// The number of a value that may be many; see `rt::Engine::source`.
    pub fn source(&self, e: ExprId, this: RecordId) -> u16 {
        let source = match &self.model[e] {
            Expr::Path(path) => Source::Path(self.path(path)),
            Expr::Binary(BinaryOp::Concatenate, a, b) => {
                Source::Concatenate(self.source(*a, this), self.source(*b, this))
            }
            Expr::Coalesce(a, b) => Source::Coalesce(self.source(*a, this), self.source(*b, this)),
            _ => Source::Expr(self.expr(e, this)),
        };
        let mut registry = self.registry.borrow_mut();
        let next = number(registry.sources.len());
        let key = format!("s {source:?}");
        match registry.known.get(&key) {
            Some(known) => *known,
            None => {
                registry.known.insert(key, next);
                registry.sources.push(source);
                next
            }
        }
    }

    /// Code of type `rt::Fallible<rt::Val>` for an expression that needs nothing but constants, the
    /// context, and own scalar rows, for which `local` gives code of type `rt::Val` ([`IT`] stands
    /// for `it`). It uses an engine named `cx`. `None` if it needs the tree.
    pub fn local(
        &self,
        e: ExprId,
        this: RecordId,
        local: &dyn Fn(RowId) -> Option<TokenStream>,
    ) -> Option<TokenStream> {
        if let Some(n) = self.model.exprs.constant(e) {
            let n = Literal::i128_suffixed(n);
            return Some(quote!(rt::Ok(rt::Val::Int(#n))));
        }
        if !is_local(self.model, e, this) || !rows_known(self.model, e, this, local) {
            return None;
        }
        let env = Env { engine: quote!(cx), tree: None, local: Some(local), this };
        let code = self.code(e, &env)?;
        Some(quote!((|| -> rt::Fallible<rt::Val<'_>> { rt::Ok(#code) })()))
    }

    /// An expression as code of type `r::Ex`. In a record without a node it is about own rows, if
    /// it needs nothing else.
    pub fn ex(&self, e: ExprId, this: RecordId, direct: bool) -> TokenStream {
        if let Some(n) = self.model.exprs.constant(e) {
            let n = Literal::i128_unsuffixed(n);
            return quote!(r::Ex::Int(#n));
        }
        let here = mentions_position(self.model, e);
        if direct {
            let known = |row: RowId| {
                if row == IT {
                    return Some(quote!(it.cloned().unwrap_or(rt::Val::None)));
                }
                let row = Literal::u32_unsuffixed(row.0);
                Some(quote!(f(cx, #row)?))
            };
            if let Some(code) = self.local(e, this, &known) {
                let text = code.to_string();
                let own = &mut self.registry.borrow_mut().own;
                let at = own.iter().position(|(known, _)| *known == text).unwrap_or_else(|| {
                    own.push((text, code));
                    own.len() - 1
                });
                let at = Literal::usize_unsuffixed(at);
                return if here { quote!(r::Ex::OwnHere(#at)) } else { quote!(r::Ex::Own(#at)) };
            }
        }
        let number = Literal::u16_unsuffixed(self.expr(e, this));
        if here { quote!(r::Ex::NodeHere(#number)) } else { quote!(r::Ex::Node(#number)) }
    }

    /// The function that evaluates expressions over own rows.
    fn own_function(&self) -> TokenStream {
        let own = &self.registry.borrow().own;
        let arms = own.iter().enumerate().map(|(at, (_, code))| {
            let at = Literal::usize_unsuffixed(at);
            quote!(#at => #code,)
        });
        quote! {
            /// Evaluates the expression of this number over rows of a record without a node.
            fn own<'a, E: rt::Engine<'a>>(
                cx: &mut E,
                number: u16,
                f: &mut dyn FnMut(&mut E, usize) -> rt::Fallible<rt::Val<'a>>,
                it: rt::Option<&rt::Val<'a>>,
            ) -> rt::Fallible<rt::Val<'a>> {
                match number {
                    #(#arms)*
                    _ => rt::Ok(rt::Val::None),
                }
            }
        }
    }

    /// Tables and functions for everything that has a number. Called last.
    pub fn emit(&self) -> TokenStream {
        let infos: Vec<TokenStream> =
            self.model.records().map(|(id, _)| self.record_info(id)).collect();
        let mut functions = Vec::new();
        let mut arms = Vec::new();
        let mut paths = Vec::new();
        // Expressions lead to paths, and subscripts in paths to expressions.
        loop {
            let (next, path) = {
                let registry = self.registry.borrow();
                (registry.exprs.get(arms.len()).copied(), registry.paths.get(paths.len()).cloned())
            };
            if let Some((e, this)) = next {
                let (arm, function) = self.function(arms.len(), e, this);
                arms.push(arm);
                functions.push(function);
            } else if let Some(path) = path {
                paths.push(self.path_info(&path));
            } else {
                break;
            }
        }
        let own = self.own_function();
        let sources = self.registry.borrow().sources.clone();
        let sources = sources.iter().map(|source| match source {
            Source::Path(p) => quote!(rt::Source::Path(#p)),
            Source::Concatenate(a, b) => quote!(rt::Source::Concatenate(#a, #b)),
            Source::Coalesce(a, b) => quote!(rt::Source::Coalesce(#a, #b)),
            Source::Expr(e) => quote!(rt::Source::Expr(#e)),
        });
        quote! {
            pub(super) static SCHEMA: rt::Schema = rt::Schema {
                records: &[#(#infos),*],
                paths: &[#(#paths),*],
                sources: &[#(#sources),*],
            };

            /// Evaluates the expression of this number.
            pub(super) fn expression<'a, E: rt::Engine<'a>>(
                e: &mut E,
                number: u16,
                this: rt::NodeId,
                it: rt::Option<&rt::Val<'a>>,
            ) -> rt::Evaluated<'a> {
                e.charge(1)?;
                match number {
                    #(#arms)*
                    _ => rt::Ok(rt::Val::None),
                }
            }

            /// The expressions. Each is a function of its own, since they may nest deeply.
            trait Expressions<'a>: rt::Engine<'a> {
                #(#functions)*
            }

            impl<'a, E: rt::Engine<'a>> Expressions<'a> for E {}

            #own
        }
    }

    /// The function of an expression, and the arm that calls it.
    fn function(&self, at: usize, e: ExprId, this: RecordId) -> (TokenStream, TokenStream) {
        let env =
            Env { engine: quote!(e), tree: Some((quote!(this), quote!(it))), local: None, this };
        let code = self.code(e, &env).unwrap_or_else(|| quote!(rt::Val::None));
        let name = format_ident!("x{at}");
        let index = Literal::usize_unsuffixed(at);
        let function = quote! {
            fn #name(e: &mut Self, this: rt::NodeId, it: rt::It<'_, 'a>) -> rt::Evaluated<'a> {
                rt::Ok(#code)
            }
        };
        (quote!(#index => E::#name(e, this, it),), function)
    }

    /// Code of type `rt::Val`, with `?` where it may fail.
    fn code(&self, e: ExprId, env: &Env<'_>) -> Option<TokenStream> {
        let engine = &env.engine;
        Some(match &self.model[e] {
            Expr::Int(n) => {
                let n = Literal::i128_suffixed(*n);
                quote!(rt::Val::Int(#n))
            }
            Expr::Float(f) => {
                let bits = f.to_bits();
                quote!(rt::Val::Float(f64::from_bits(#bits)))
            }
            Expr::Bool(b) => quote!(rt::Val::Bool(#b)),
            Expr::Text(text) => quote!(rt::Val::Text(rt::Text::Borrowed(#text))),
            Expr::Bytes(bytes) => {
                let bytes = Literal::byte_string(bytes);
                quote!(rt::Val::Bytes(rt::Bytes::Borrowed(#bytes)))
            }
            Expr::Epoch(variable) => {
                let variable = *variable as usize;
                quote!(#engine.context(#variable))
            }
            Expr::Path(path) => return self.path_code(e, path, env),
            Expr::Unary(op, a) => {
                let a = self.code(*a, env)?;
                let op = match op {
                    UnaryOp::Negate => quote!(Negate),
                    UnaryOp::Not => quote!(Not),
                    UnaryOp::Complement => quote!(Complement),
                };
                quote!({ let a = #a; rt::unary(rt::UnaryOp::#op, &a)? })
            }
            Expr::Binary(BinaryOp::BothTrue, a, b) => {
                let (a, b) = (self.code(*a, env)?, self.code(*b, env)?);
                quote!(rt::Val::Bool(rt::truth_of(&#a)? && rt::truth_of(&#b)?))
            }
            Expr::Binary(BinaryOp::EitherTrue, a, b) => {
                let (a, b) = (self.code(*a, env)?, self.code(*b, env)?);
                quote!(rt::Val::Bool(rt::truth_of(&#a)? || rt::truth_of(&#b)?))
            }
            Expr::Binary(op, a, b) => {
                let op = binary(*op)?;
                let (a, b) = (self.code(*a, env)?, self.code(*b, env)?);
                quote!({ let a = #a; let b = #b; rt::binary(rt::BinaryOp::#op, &a, &b)? })
            }
            Expr::If(condition, a, b) => {
                let condition = self.code(*condition, env)?;
                let (a, b) = (self.code(*a, env)?, self.code(*b, env)?);
                quote!(if rt::truth_of(&#condition)? { #a } else { #b })
            }
            Expr::Coalesce(a, b) => {
                let (a, b) = (self.code(*a, env)?, self.code(*b, env)?);
                quote!(match #a { rt::Val::None => #b, val => val })
            }
            Expr::In(a, ranges) => {
                let a = self.code(*a, env)?;
                let mut tests = Vec::new();
                for (low, high) in ranges {
                    let low = self.code(*low, env)?;
                    tests.push(match high {
                        None => quote!({ let low = #low; hit |= rt::is_one(&a, &low)?; }),
                        Some(high) => {
                            let high = self.code(*high, env)?;
                            quote!({
                                let low = #low;
                                let high = #high;
                                hit |= rt::is_within(&a, &low, &high)?;
                            })
                        }
                    });
                }
                quote!({ let a = #a; let mut hit = false; #(#tests)* rt::Val::Bool(hit) })
            }
            Expr::Is(path, case) => {
                let (this, it) = env.tree.as_ref()?;
                let path = self.path(path);
                quote!(rt::Val::Bool(#engine.is_case(#path, #case, #this, #it)?))
            }
            Expr::Call(function, arguments) => {
                let mut code = Vec::new();
                for argument in arguments {
                    code.push(self.code(*argument, env)?);
                }
                let function = match function {
                    Function::Murmur3 => quote!(Murmur3),
                    Function::Fnv1a => quote!(Fnv1a),
                    Function::Stem => quote!(Stem),
                    Function::Extension => quote!(Extension),
                    Function::EndsWith => quote!(EndsWith),
                    Function::Length => quote!(Length),
                    Function::Number => quote!(Number),
                };
                quote!({
                    let arguments = [#(#code),*];
                    #engine.call(rt::Function::#function, &arguments)?
                })
            }
            Expr::Stream(function, source, filter) => {
                let (this, it) = env.tree.as_ref()?;
                let source = self.source(*source, env.this);
                let filter = match filter {
                    Some(filter) => {
                        let filter = self.expr(*filter, env.this);
                        quote!(rt::Some(#filter))
                    }
                    None => quote!(rt::None),
                };
                let function = match function {
                    StreamFunction::Count => quote!(Count),
                    StreamFunction::Sum => quote!(Sum),
                    StreamFunction::Min => quote!(Min),
                    StreamFunction::Max => quote!(Max),
                    StreamFunction::Any => quote!(Any),
                    StreamFunction::All => quote!(All),
                    StreamFunction::First => quote!(First),
                    StreamFunction::FirstIndex => quote!(FirstIndex),
                };
                quote!(#engine.stream(rt::StreamFunction::#function, #source, #filter, #this, #it)?)
            }
            Expr::At(path) => self.address(path, env, "address", Some(false))?,
            Expr::End(path) => self.address(path, env, "address", Some(true))?,
            Expr::Size(path) => self.address(path, env, "size", None)?,
            Expr::IsLast(path) => self.address(path, env, "is_last", None)?,
            Expr::Listed(path) => self.address(path, env, "listed", None)?,
            Expr::Index(path) => {
                let (this, it) = env.tree.as_ref()?;
                let path = self.path(path);
                quote!({
                    let found = #engine.find(#path, #this, #it)?;
                    #engine.position(found.values.into_iter().next())?
                })
            }
            Expr::FileEnd => quote!(rt::Val::Int(#engine.file_end()?.into())),
            Expr::Here => quote!(rt::Val::Int(#engine.here().into())),
            Expr::RegionEnd => quote!(rt::Val::Int(#engine.region_end().into())),
            // Tables are made where a row asks for them.
            Expr::RelocationSections | Expr::RelocationEntries | Expr::Patricia(_) => {
                quote!(return rt::eval_error("a table is no single value"))
            }
        })
    }

    fn address(
        &self,
        path: &Path,
        env: &Env<'_>,
        method: &str,
        end: Option<bool>,
    ) -> Option<TokenStream> {
        let engine = &env.engine;
        let (this, it) = env.tree.as_ref()?;
        let path = self.path(path);
        let method = format_ident!("{method}");
        let end = end.map(|end| quote!(#end,));
        Some(quote!(#engine.#method(#path, #end #this, #it)?))
    }

    fn path_code(&self, e: ExprId, path: &Path, env: &Env<'_>) -> Option<TokenStream> {
        if let Some(local) = env.local {
            return match (&path.start, path.steps.is_empty()) {
                (Start::It, true) => local(IT),
                _ => local(own_row(self.model, e, env.this)?),
            };
        }
        let engine = &env.engine;
        let (this, it) = env.tree.as_ref()?;
        if let Some(code) = self.direct_path(path, env) {
            return Some(code);
        }
        let path = self.path(path);
        Some(quote!(#engine.value(#path, #this, #it)?))
    }

    /// The commonest paths need no walk: a row of the node, of an owner, or of the root.
    fn direct_path(&self, path: &Path, env: &Env<'_>) -> Option<TokenStream> {
        let engine = &env.engine;
        let (this, _) = env.tree.as_ref()?;
        let [Step::Field(field)] = path.steps.as_slice() else { return None };
        let mut arms = Vec::new();
        for (record, way) in &field.members {
            let [Member::Row(row)] = way.as_slice() else { return None };
            let slot = self.slot(*record, *row)?;
            let record = number(record.index());
            arms.push(quote!(#record => #engine.slot_value(node, #slot)?,));
        }
        let load = quote!(match #engine.tree().node(node).record {
            #(#arms)*
            _ => rt::Val::None,
        });
        let found = match &path.start {
            Start::This => return Some(quote!({ let node = #this; #load })),
            Start::Root => return Some(quote!({ let node = #engine.root(); #load })),
            Start::Up(levels) => quote!(rt::ancestor(#engine.tree(), #this, #levels)),
            Start::Enclosing(records) => {
                let records = records.iter().map(|record| number(record.index()));
                quote!(rt::enclosing(#engine.tree(), #this, &[#(#records),*]))
            }
            Start::It | Start::Argument(_) => return None,
        };
        Some(quote!(match #found {
            rt::Some(node) => #load,
            rt::None => rt::Val::None,
        }))
    }

    fn path_info(&self, path: &Path) -> TokenStream {
        let start = match &path.start {
            Start::This => quote!(This),
            Start::Up(levels) => {
                let levels = number(*levels as usize);
                quote!(Up(#levels))
            }
            Start::Enclosing(records) => {
                let records = records.iter().map(|record| number(record.index()));
                quote!(Enclosing(&[#(#records),*]))
            }
            Start::Root => quote!(Root),
            Start::It => quote!(It),
            Start::Argument(index) => {
                let index = number(*index as usize);
                quote!(Argument(#index))
            }
        };
        let steps = path.steps.iter().map(|step| match step {
            Step::Field(field) => {
                let members = field.members.iter().filter_map(|(record, way)| {
                    let way = self.way(*record, way, &field.name)?;
                    let record = number(record.index());
                    Some(quote!((#record, &[#(#way),*])))
                });
                quote!(rt::Step::Field(&[#(#members),*]))
            }
            Step::Index(index) => {
                // Evaluated in the node that the whole path starts from.
                let index = self.expr(*index, RecordId(u32::MAX));
                quote!(rt::Step::Index(#index))
            }
            Step::Last => quote!(rt::Step::Last),
        });
        let text = &path.text;
        quote!(rt::PathInfo::new(rt::Start::#start, &[#(#steps),*], #text))
    }

    /// A way from a record to a field, in slots.
    fn way(&self, record: RecordId, way: &[Member], name: &str) -> Option<Vec<TokenStream>> {
        let mut here = vec![record];
        let mut steps = Vec::new();
        for member in way {
            match member {
                Member::Row(row) => {
                    let slot = here.iter().find_map(|record| {
                        let known = self.model.records[record.index()].rows.get(row.index())?;
                        let named = way.len() == 1 || known.name.as_deref() == Some(name);
                        self.slot(*record, *row).filter(|_| named)
                    })?;
                    steps.push(quote!(rt::Member::Slot(#slot)));
                }
                Member::Into(row) => {
                    let holder = here.iter().copied().find(|r| self.slot(*r, *row).is_some())?;
                    let slot = self.slot(holder, *row)?;
                    steps.push(quote!(rt::Member::Into(#slot)));
                    let ty = &self.model.records[holder.index()].rows[row.index()].ty;
                    here.clear();
                    super::plan::held(self.model, ty, &mut |record| here.push(record));
                }
                Member::Let(index) => {
                    let (holder, definition) = here.iter().find_map(|record| {
                        let lets = &self.model.records[record.index()].lets;
                        Some((*record, lets.get(*index as usize)?))
                    })?;
                    let source = self.source(definition.expr, holder);
                    steps.push(quote!(rt::Member::Let(#source)));
                }
            }
        }
        Some(steps)
    }

    fn record_info(&self, id: RecordId) -> TokenStream {
        let record = &self.model.records[id.index()];
        let name = &record.template;
        let inner = matches!(record.kind, RecordKind::Case(..) | RecordKind::Form(..));
        let form = matches!(record.kind, RecordKind::Form(..));
        let transparent = record.transparent.and_then(|row| self.slot(id, row));
        let recursive = record.recursive;
        let sizes = record.sizes.iter().map(|size| match size {
            Some(size) if !record.open => quote!(rt::Some(#size)),
            _ => quote!(rt::None),
        });
        let slots = self.slots(id).iter().map(|row| {
            let definition = &record.rows[row.index()];
            let silent = record.transparent == Some(*row) || self.is_body(&definition.ty);
            self.slot_info(*row, definition, silent)
        });
        let union = record.rows.iter().position(|row| matches!(row.ty, Type::Union(_)));
        let union = union.and_then(|row| self.slot(id, RowId(u32::try_from(row).ok()?)));
        // Arguments of records without nodes are asked for by nobody.
        let arguments: Vec<u16> = if self.noded(id) {
            record
                .arguments
                .iter()
                .map(|argument| self.source(*argument, RecordId(u32::MAX)))
                .collect()
        } else {
            Vec::new()
        };
        let mut code = quote!(rt::RecordInfo::new(#name, &[#(#sizes),*], &[#(#slots),*]));
        let flags = [
            (form, quote!(form())),
            (inner && !form, quote!(inner())),
            (recursive, quote!(recursive())),
        ];
        for (_, flag) in flags.into_iter().filter(|(set, _)| *set) {
            code = quote!(#code.#flag);
        }
        if let Some(slot) = transparent {
            code = quote!(#code.transparent(#slot));
        }
        if let Some(slot) = union {
            code = quote!(#code.union(#slot));
        }
        if !arguments.is_empty() {
            code = quote!(#code.arguments(&[#(#arguments),*]));
        }
        code
    }

    fn slot_info(&self, row_id: RowId, row: &Row, silent: bool) -> TokenStream {
        let number_of = Literal::u32_unsuffixed(row_id.0);
        let mut code = match &row.name {
            Some(name) => quote!(rt::SlotInfo::named(#number_of, #name)),
            None => quote!(rt::SlotInfo::unnamed(#number_of)),
        };
        let flags = [
            (silent, quote!(silent())),
            (row.reference.is_some(), quote!(reference())),
            (leads_to_nothing(&row.ty), quote!(empty_target())),
        ];
        for (_, flag) in flags.into_iter().filter(|(set, _)| *set) {
            code = quote!(#code.#flag);
        }
        if let Some(union) = row.ty.union() {
            let cases = self.model.unions[union.index()].cases.iter().map(|case| {
                let record = number(case.record.index());
                let name = &case.name;
                quote!((#record, #name))
            });
            code = quote!(#code.cases(&[#(#cases),*]));
        }
        code
    }

    /// Whether a type is a union that a record consists of.
    fn is_body(&self, ty: &Type) -> bool {
        matches!(ty, Type::Union(union) if self.model.unions[union.index()].body)
    }
}

/// Whether code for all own rows of an expression is there.
fn rows_known(
    model: &Model,
    e: ExprId,
    this: RecordId,
    local: &dyn Fn(RowId) -> Option<TokenStream>,
) -> bool {
    match &model[e] {
        Expr::Path(Path { start: Start::It, .. }) => local(IT).is_some(),
        Expr::Path(_) => own_row(model, e, this).is_some_and(|row| local(row).is_some()),
        other => {
            let mut known = true;
            other.operands(&mut |operand| known &= rows_known(model, operand, this, local));
            known
        }
    }
}

fn leads_to_nothing(ty: &Type) -> bool {
    match ty {
        Type::Region(region) => leads_to_nothing(&region.inner),
        Type::Pointer(pointer) => {
            !pointer.optional && matches!(&pointer.target, Target::Own(Type::Nothing))
        }
        _ => false,
    }
}

/// Whether the value of a row is one number or text.
pub(super) fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => !matches!(cell.meaning, crate::model::Meaning::Word(_)),
        Type::Run(_) | Type::Text => true,
        Type::PerEpoch(types) => {
            types.iter().all(|ty| is_scalar(ty) || matches!(ty, Type::Nothing))
        }
        _ => false,
    }
}

/// Numbers in generated tables have 16 bits; models are kept far smaller by the limits of schemas.
pub(super) fn number(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

fn binary(op: BinaryOp) -> Option<TokenStream> {
    Some(match op {
        BinaryOp::Add => quote!(Add),
        BinaryOp::Subtract => quote!(Subtract),
        BinaryOp::Multiply => quote!(Multiply),
        BinaryOp::Divide => quote!(Divide),
        BinaryOp::Remainder => quote!(Remainder),
        BinaryOp::And => quote!(And),
        BinaryOp::Or => quote!(Or),
        BinaryOp::Xor => quote!(Xor),
        BinaryOp::ShiftLeft => quote!(ShiftLeft),
        BinaryOp::ShiftRight => quote!(ShiftRight),
        BinaryOp::Equal => quote!(Equal),
        BinaryOp::NotEqual => quote!(NotEqual),
        BinaryOp::Less => quote!(Less),
        BinaryOp::LessOrEqual => quote!(LessOrEqual),
        BinaryOp::Greater => quote!(Greater),
        BinaryOp::GreaterOrEqual => quote!(GreaterOrEqual),
        BinaryOp::BothTrue | BinaryOp::EitherTrue | BinaryOp::Concatenate => return None,
    })
}

/// Whether an expression asks where reading has come to.
pub(super) fn mentions_position(model: &Model, e: ExprId) -> bool {
    let e = &model[e];
    let mut found = matches!(e, Expr::Here | Expr::RegionEnd);
    e.operands(&mut |operand| found |= mentions_position(model, operand));
    found
}
