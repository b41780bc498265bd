//! Evaluates expressions in the tree.

use std::cmp::Ordering;
use std::rc::Rc;

use formwork::{DictionaryError, ReadErrorKind};
use formwork_model::{
    BinaryOp, Expr, ExprId, Function, Model, Path, PointerType, Row, RowId, StreamFunction, Target,
    Type,
};

use crate::arithmetic::{binary, compare, unary};
use crate::engine::{Engine, Fallible, Fault, Mode, eval_error};
use crate::read::object::strip_region;
use crate::tree::{Item, Loc, NodeId, UNPLACED};

/// Result of an expression.
#[derive(Debug, Clone)]
pub(crate) enum Val {
    /// Nothing: no such element, a pointer that is none, an optional that is not there.
    None,
    Int(i128),
    Float(f64),
    Bool(bool),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    Units(Rc<[u16]>),
    Place(Place),
    /// Rows of numbers and texts that an algorithm made.
    Table(Rc<Vec<Vec<Item>>>),
}

/// A place in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Node(NodeId),
    Loc(Loc),
}

/// What a path leads to: places, or the value of a `let`.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub values: Vec<Val>,
    /// Whether the path went through an array.
    pub many: bool,
}

impl<'m> Engine<'m, '_> {
    pub(crate) fn eval(&mut self, expr: ExprId, this: NodeId, it: Option<&Val>) -> Fallible<Val> {
        self.deeper(|engine| engine.eval_inner(expr, this, it))
    }

    fn eval_inner(&mut self, expr: ExprId, this: NodeId, it: Option<&Val>) -> Fallible<Val> {
        self.charge(1)?;
        Ok(match &self.model[expr] {
            Expr::Int(n) => Val::Int(*n),
            Expr::Float(f) => Val::Float(*f),
            Expr::Bool(b) => Val::Bool(*b),
            Expr::Text(t) => Val::Text(t.as_str().into()),
            Expr::Bytes(b) => Val::Bytes(b.as_slice().into()),
            Expr::Epoch(variable) => {
                self.context.get(*variable as usize).map_or(Val::None, |n| Val::Int(*n))
            }
            Expr::Path(path) => {
                let found = self.find(path, this, it)?;
                if found.many {
                    return eval_error(format!("`{}` is many values", path.text));
                }
                match found.values.into_iter().next() {
                    Some(val) => self.load(val)?,
                    None => Val::None,
                }
            }
            Expr::Unary(op, a) => {
                let a = self.eval(*a, this, it)?;
                unary(*op, &a)?
            }
            Expr::Binary(BinaryOp::BothTrue, a, b) => {
                Val::Bool(self.eval_bool(*a, this, it)? && self.eval_bool(*b, this, it)?)
            }
            Expr::Binary(BinaryOp::EitherTrue, a, b) => {
                Val::Bool(self.eval_bool(*a, this, it)? || self.eval_bool(*b, this, it)?)
            }
            Expr::Binary(op, a, b) => {
                let a = self.eval(*a, this, it)?;
                let b = self.eval(*b, this, it)?;
                binary(*op, &a, &b)?
            }
            Expr::If(condition, a, b) => {
                if self.eval_bool(*condition, this, it)? {
                    self.eval(*a, this, it)?
                } else {
                    self.eval(*b, this, it)?
                }
            }
            Expr::Coalesce(a, b) => match self.eval(*a, this, it)? {
                Val::None => self.eval(*b, this, it)?,
                val => val,
            },
            Expr::In(a, ranges) => {
                let a = self.eval(*a, this, it)?;
                let mut hit = false;
                for (low, high) in ranges {
                    let low = self.eval(*low, this, it)?;
                    hit |= match high {
                        None => compare(&a, &low)? == Some(Ordering::Equal),
                        Some(high) => {
                            let high = self.eval(*high, this, it)?;
                            matches!(compare(&a, &low)?, Some(Ordering::Equal | Ordering::Greater))
                                && matches!(
                                    compare(&a, &high)?,
                                    Some(Ordering::Equal | Ordering::Less)
                                )
                        }
                    };
                }
                Val::Bool(hit)
            }
            Expr::Is(path, case) => {
                let found = self.find(path, this, it)?;
                let mut is = false;
                for val in found.values {
                    is |= self.case_name(&val)?.is_some_and(|name| name == case);
                }
                Val::Bool(is)
            }
            Expr::Call(function, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.eval(*arg, this, it)?);
                }
                self.call(*function, &values)?
            }
            Expr::Stream(function, source, filter) => {
                self.stream(*function, *source, *filter, this, it)?
            }
            Expr::At(path) => self.address(path, this, it, false)?,
            Expr::End(path) => self.address(path, this, it, true)?,
            Expr::Size(path) => {
                match (self.address(path, this, it, false)?, self.address(path, this, it, true)?) {
                    (Val::Int(at), Val::Int(end)) => Val::Int(end - at),
                    _ => Val::None,
                }
            }
            Expr::Index(path) => {
                let found = self.find(path, this, it)?;
                self.position(found.values.into_iter().next())?
            }
            Expr::IsLast(path) => {
                let found = self.find(path, this, it)?;
                match found.values.into_iter().next() {
                    Some(Val::Place(Place::Node(node))) => {
                        let node = self.tree.enclosing_struct(self.model, node);
                        let n = self.tree.node(node);
                        let (owner, row, index) = (n.owner, n.owner_row, n.index);
                        let mut count = 0;
                        if let Some(owner) = owner {
                            let array = Loc::row(owner, row);
                            self.force_known(array)?;
                            count = self.count_items(array);
                        }
                        Val::Bool(index.is_some_and(|i| u64::from(i) + 1 == count))
                    }
                    _ => Val::None,
                }
            }
            Expr::Listed(path) => self.listed(path, this, it)?,
            Expr::FileEnd => Val::Int(self.file_end()?.into()),
            Expr::Here => Val::Int(self.here.into()),
            Expr::RegionEnd => Val::Int(self.region_end.into()),
            Expr::RelocationSections => Val::Table(self.relocation_tables()?.0),
            Expr::RelocationEntries => Val::Table(self.relocation_tables()?.1),
            Expr::Patricia(path) => Val::Table(self.patricia(path, this, it)?),
        })
    }

    pub(crate) fn eval_bool(
        &mut self,
        expr: ExprId,
        this: NodeId,
        it: Option<&Val>,
    ) -> Fallible<bool> {
        match self.eval(expr, this, it)? {
            Val::Bool(b) => Ok(b),
            Val::None => Ok(false),
            other => eval_error(format!("a condition is {}, not a truth value", describe(&other))),
        }
    }

    /// The value of an expression that must be an integer; `None` if it is nothing.
    pub(crate) fn eval_int(
        &mut self,
        expr: ExprId,
        this: NodeId,
        it: Option<&Val>,
    ) -> Fallible<Option<i128>> {
        match self.eval(expr, this, it)? {
            Val::Int(n) => Ok(Some(n)),
            Val::None => Ok(None),
            other => eval_error(format!("expected an integer, found {}", describe(&other))),
        }
    }

    fn file_end(&self) -> Fallible<u64> {
        match &self.mode {
            Mode::Read(reading) => Ok(reading.bytes.len() as u64),
            Mode::Write(writing) => match writing.total {
                Some(total) => Ok(total),
                None => Err(Box::new(Fault::NotPlaced("the end of the file".into()))),
            },
        }
    }

    fn index_of(&self, node: NodeId) -> Val {
        let node = self.tree.enclosing_struct(self.model, node);
        // An element may be wrapped: the index is that of the nearest array around it.
        let mut at = Some(node);
        while let Some(node) = at {
            let n = self.tree.node(node);
            if let Some(index) = n.index {
                return Val::Int(index.into());
            }
            at = n.owner;
        }
        Val::None
    }

    /// The value at a place: numbers and texts as they are, everything else stays a place.
    pub(crate) fn load(&mut self, val: Val) -> Fallible<Val> {
        let Val::Place(Place::Loc(loc)) = val else { return Ok(val) };
        self.force_loc(loc)?;
        Ok(match self.tree.item(loc) {
            Item::Unset => {
                return eval_error(format!("`{}` is not known here", self.describe(loc)));
            }
            Item::Absent => Val::None,
            Item::Int(n) => Val::Int(*n),
            Item::Float { bits, bytes: 4 } => {
                Val::Float(f64::from(f32::from_bits(u32::try_from(*bits).unwrap_or(u32::MAX))))
            }
            Item::Float { bits, .. } => Val::Float(f64::from_bits(*bits)),
            Item::Bool(b) => Val::Bool(*b),
            Item::Text(text) => Val::Text(Rc::clone(text)),
            Item::Bytes(bytes) => Val::Bytes(Rc::clone(bytes)),
            Item::Units(units) => Val::Units(Rc::clone(units)),
            Item::Node(node) => {
                let node = *node;
                // A transparent record stands for its only row.
                match self.record(node).transparent {
                    Some(row) => {
                        let inner = self.load(Val::Place(Place::Loc(Loc::row(node, row))))?;
                        match inner {
                            Val::Place(_) | Val::None => Val::Place(Place::Node(node)),
                            scalar => scalar,
                        }
                    }
                    None => Val::Place(Place::Node(node)),
                }
            }
            Item::Array(_) | Item::Pointer(_) => Val::Place(Place::Loc(loc)),
        })
    }

    /// Makes sure that a row, or the element of it that is asked for, is there.
    pub(crate) fn force_loc(&mut self, loc: Loc) -> Fallible<()> {
        self.force(loc.node, loc.row)?;
        if loc.index.is_some() && self.is_reading() {
            self.force_target(loc).map_err(|error| Box::new(Fault::Read(error)))?;
        }
        Ok(())
    }

    /// Makes sure that something is there to count or to go into: of what is being read nobody knows
    /// yet how many elements it has.
    pub(crate) fn force_known(&mut self, loc: Loc) -> Fallible<()> {
        self.force_loc(loc)?;
        if self.is_reading() && matches!(self.tree.item(loc), Item::Unset) {
            return eval_error(format!("`{}` is not known here", self.describe(loc)));
        }
        Ok(())
    }

    /// Number of elements, bytes or units of a row.
    pub(crate) fn count_items(&self, loc: Loc) -> u64 {
        match self.tree.item(loc) {
            Item::Array(array) => array.items.len() as u64,
            Item::Bytes(bytes) => bytes.len() as u64,
            Item::Text(text) => text.len() as u64,
            Item::Units(units) => units.len() as u64,
            Item::Node(node) => match self.record(*node).transparent {
                Some(row) => self.count_items(Loc::row(*node, row)),
                None => 1,
            },
            Item::Unset | Item::Absent => 0,
            _ => 1,
        }
    }

    fn case_name(&mut self, val: &Val) -> Fallible<Option<&'m str>> {
        let Val::Place(place) = *val else { return Ok(None) };
        let mut node = match place {
            Place::Node(node) => node,
            Place::Loc(loc) => {
                self.force_loc(loc)?;
                match self.tree.item(loc) {
                    Item::Node(node) => *node,
                    _ => return Ok(None),
                }
            }
        };
        loop {
            if let Some(name) = self.case_of(node) {
                return Ok(Some(name));
            }
            // A union type is a record around the union.
            let record = self.record(node);
            let inner = record
                .rows
                .iter()
                .position(|row| matches!(row.ty, Type::Union(_)))
                .and_then(|row| u32::try_from(row).ok());
            let Some(row) = inner else { return Ok(None) };
            self.force(node, RowId(row))?;
            match self.tree.item(Loc::row(node, RowId(row))) {
                Item::Node(inner) => node = *inner,
                _ => return Ok(None),
            }
        }
    }

    /// Name of the case whose node this is.
    pub(crate) fn case_of(&self, node: NodeId) -> Option<&'m str> {
        let n = self.tree.node(node);
        let owner = n.owner?;
        let row = &self.record(owner).rows[n.owner_row.index()];
        let Type::Union(union) = union_type(&row.ty)? else { return None };
        let union = &self.model.unions[union.index()];
        union.cases.iter().find(|c| c.record == n.record).map(|c| c.name.as_str())
    }

    /// Position of an element in the array around it; of a reference, the position it means.
    fn position(&mut self, val: Option<Val>) -> Fallible<Val> {
        Ok(match val {
            None => Val::None,
            Some(Val::Place(Place::Node(node))) => self.index_of(node),
            Some(Val::Place(Place::Loc(loc))) => {
                self.element_of(loc)?;
                match self.load(Val::Place(Place::Loc(loc)))? {
                    Val::Place(Place::Node(node)) => self.index_of(node),
                    Val::Int(n) if self.row(loc).reference.is_some() => Val::Int(n),
                    _ => loc.index.map_or(Val::None, |i| Val::Int(i.into())),
                }
            }
            Some(val) => val,
        })
    }

    fn stream(
        &mut self,
        function: StreamFunction,
        source: ExprId,
        filter: Option<ExprId>,
        this: NodeId,
        it: Option<&Val>,
    ) -> Fallible<Val> {
        if function == StreamFunction::Count && filter.is_none() {
            // The length of one byte run or text counts its bytes.
            let found = self.find_expr(source, this, it)?;
            if let ([Val::Place(Place::Loc(loc))], false) = (found.values.as_slice(), found.many) {
                let loc = *loc;
                self.force_known(loc)?;
                return Ok(Val::Int(self.count_items(loc).into()));
            }
        }
        let mut values = self.stream_of(source, this, it)?;
        if let (StreamFunction::All, Some(condition)) = (function, filter) {
            for val in &values {
                if !self.eval_bool(condition, this, Some(val))? {
                    return Ok(Val::Bool(false));
                }
            }
            return Ok(Val::Bool(true));
        }
        if let Some(filter) = filter {
            let mut kept = Vec::new();
            for val in values {
                if self.eval_bool(filter, this, Some(&val))? {
                    kept.push(val);
                }
            }
            values = kept;
        }
        if function == StreamFunction::Count {
            return Ok(Val::Int(values.len() as i128));
        }
        let mut result = match function {
            StreamFunction::Sum => Val::Int(0),
            StreamFunction::Any => Val::Bool(!values.is_empty()),
            StreamFunction::All => Val::Bool(true),
            _ => Val::None,
        };
        if function == StreamFunction::First {
            return Ok(values.into_iter().next().unwrap_or(Val::None));
        }
        if function == StreamFunction::FirstIndex {
            return self.position(values.into_iter().next());
        }
        if filter.is_some() && matches!(function, StreamFunction::Any) {
            return Ok(result);
        }
        if matches!(function, StreamFunction::Any) {
            result = Val::Bool(false);
        }
        for val in values {
            let val = self.load(val)?;
            if matches!(val, Val::None) {
                continue;
            }
            result = match function {
                StreamFunction::Sum => binary(BinaryOp::Add, &result, &val)?,
                StreamFunction::Any => Val::Bool(truth(&result) || truth(&val)),
                StreamFunction::All => Val::Bool(truth(&result) && truth(&val)),
                StreamFunction::Min | StreamFunction::Max => {
                    let wanted = if function == StreamFunction::Min {
                        Ordering::Less
                    } else {
                        Ordering::Greater
                    };
                    match result {
                        Val::None => val,
                        other if compare(&val, &other)? == Some(wanted) => val,
                        other => other,
                    }
                }
                StreamFunction::Count | StreamFunction::First | StreamFunction::FirstIndex => {
                    result
                }
            };
        }
        Ok(result)
    }

    /// Address of the first byte at a path, or behind the last.
    fn address(
        &mut self,
        path: &'m Path,
        this: NodeId,
        it: Option<&Val>,
        end: bool,
    ) -> Fallible<Val> {
        let found = self.find(path, this, it)?;
        let Some(Val::Place(place)) = found.values.into_iter().next() else {
            return Ok(Val::None);
        };
        let address = match place {
            Place::Node(node) => self.node_address(node, end)?,
            Place::Loc(loc) => {
                // While a row is being read its own address is known already.
                if !self.tree.slot(loc.node, loc.row).busy {
                    self.force_loc(loc)?;
                }
                match self.loc_address(loc, end)? {
                    Some(address) => address,
                    None => return Ok(Val::None),
                }
            }
        };
        if address == UNPLACED {
            return Err(Box::new(Fault::NotPlaced(path.text.clone())));
        }
        Ok(Val::Int(address.into()))
    }

    fn node_address(&mut self, node: NodeId, end: bool) -> Fallible<u64> {
        let node = self.tree.enclosing_struct(self.model, node);
        let n = self.tree.node(node);
        if !end {
            return Ok(n.at);
        }
        if n.end != UNPLACED {
            return Ok(n.end);
        }
        // A record of fixed size ends where that size does, also while it is being read.
        let record = self.record(node);
        if !record.open
            && let Some(Some(size)) = record.sizes.get(self.epoch.index())
            && n.at != UNPLACED
        {
            return Ok(n.at.saturating_add(*size));
        }
        Ok(UNPLACED)
    }

    /// Address of what is in a row or element; `None` if it is not there.
    pub(crate) fn loc_address(&mut self, loc: Loc, end: bool) -> Fallible<Option<u64>> {
        let slot = self.tree.slot(loc.node, loc.row);
        let (slot_at, slot_end) = (slot.at, slot.end);
        let mut item = &slot.item;
        let mut here = if end { slot_end } else { slot_at };
        if let Some(index) = loc.index {
            while let Item::Pointer(pointer) = item {
                item = &pointer.target;
            }
            let Item::Array(array) = item else { return Ok(None) };
            let Some(element) = array.items.get(index as usize) else { return Ok(None) };
            here = element_address(array, index as usize, end);
            item = element;
        }
        let mut pointed = false;
        while let Item::Pointer(pointer) = item {
            here = if end { pointer.end } else { pointer.at };
            item = &pointer.target;
            pointed = true;
        }
        let unplaced = pointed && here == UNPLACED;
        match item {
            Item::Absent if !self.leads_to_nothing(loc) => Ok(None),
            // Its pointer is none, or it is not placed yet.
            Item::Array(_) | Item::Bytes(_) if unplaced => {
                Ok((!self.has_no_place(loc)).then_some(UNPLACED))
            }
            Item::Int(_) if self.row(loc).reference.is_some() => match self.element_of(loc)? {
                Some(element) => self.loc_address(element, end),
                None => Ok(Some(here)),
            },
            Item::Node(node) => {
                let node = *node;
                let is_case = self.case_of(node).is_some();
                if is_case { Ok(Some(here)) } else { Ok(Some(self.node_address(node, end)?)) }
            }
            _ => Ok(Some(here)),
        }
    }

    /// Whether what a row or element points to, and has no address, will never have one. In a file,
    /// what was read without one has none.
    fn has_no_place(&self, loc: Loc) -> bool {
        self.is_reading()
            || pointer_type(self.row(loc), loc).is_some_and(|of| self.is_left_out(loc, of))
    }

    /// Whether a row always points to a place without bytes. Such a place has an address.
    pub(crate) fn leads_to_nothing(&self, loc: Loc) -> bool {
        match crate::read::object::strip_region(&self.row(loc).ty) {
            Type::Pointer(pointer) => {
                !pointer.optional && matches!(&pointer.target, Target::Own(Type::Nothing))
            }
            _ => false,
        }
    }

    fn call(&mut self, function: Function, args: &[Val]) -> Fallible<Val> {
        if args.iter().any(|arg| matches!(arg, Val::None)) {
            return Ok(Val::None);
        }
        let text = |index: usize| -> Fallible<Rc<[u8]>> {
            match args.get(index) {
                Some(Val::Text(text)) => Ok(text.as_bytes().into()),
                Some(Val::Bytes(bytes)) => Ok(Rc::clone(bytes)),
                _ => eval_error("expected a text"),
            }
        };
        match function {
            Function::Murmur3 | Function::Fnv1a => {
                let bytes = text(0)?;
                self.charge(bytes.len() as u64)?;
                let seed = match args.get(1) {
                    Some(Val::Int(n)) => u32::try_from(*n).ok(),
                    _ => None,
                };
                Ok(Val::Int(if function == Function::Murmur3 {
                    formwork::murmur3_32(&bytes, seed.unwrap_or(0)).into()
                } else {
                    formwork::fnv1a_32(&bytes, seed.unwrap_or(formwork::FNV1A_SEED)).into()
                }))
            }
            Function::Stem | Function::Extension => {
                let Some(Val::Text(path)) = args.first() else {
                    return eval_error("expected a text");
                };
                let base = path.rsplit('/').next().unwrap_or(path);
                let (stem, extension) = base.rsplit_once('.').unwrap_or((base, ""));
                Ok(Val::Text(if function == Function::Stem { stem } else { extension }.into()))
            }
            Function::EndsWith => Ok(Val::Bool(text(0)?.ends_with(&text(1)?))),
            Function::Length => match args.first() {
                Some(Val::Text(text)) => Ok(Val::Int(text.len() as i128)),
                Some(Val::Bytes(bytes)) => Ok(Val::Int(bytes.len() as i128)),
                Some(Val::Units(units)) => Ok(Val::Int(units.len() as i128)),
                Some(Val::Place(Place::Loc(loc))) => Ok(Val::Int(self.count_items(*loc).into())),
                _ => eval_error("expected a text or bytes"),
            },
            Function::Number => match args.first() {
                Some(Val::Int(n)) => Ok(Val::Int(*n)),
                Some(Val::Bool(b)) => Ok(Val::Int((*b).into())),
                _ => eval_error("expected a member of an enumeration"),
            },
        }
    }

    /// Nodes of the radix tree over the texts at a path.
    fn patricia(
        &mut self,
        path: &'m Path,
        this: NodeId,
        it: Option<&Val>,
    ) -> Fallible<Rc<Vec<Vec<Item>>>> {
        let keys = self.texts(path, this, it)?;
        let bytes: u64 = keys.iter().map(|k| k.len() as u64 + 1).sum();
        self.charge(bytes)?;
        let nodes = formwork::patricia(&keys.iter().map(|k| k.as_bytes()).collect::<Vec<_>>());
        let nodes = match nodes {
            Ok(nodes) => nodes,
            Err(error) => {
                let key = match error {
                    DictionaryError::EmptyKey { index }
                    | DictionaryError::DuplicateKey { index, .. }
                    | DictionaryError::KeyTooLong { index } => keys.get(index),
                    _ => None,
                };
                let key = key.map_or_else(String::new, |key| key.to_string());
                return Err(Box::new(Fault::Keys(error, key)));
            }
        };
        let empty: Rc<str> = "".into();
        let names = std::iter::once(&empty).chain(&keys);
        Ok(Rc::new(
            nodes
                .iter()
                .zip(names)
                .map(|(node, name)| {
                    vec![
                        Item::Int(node.bit.into()),
                        Item::Int(node.zero.into()),
                        Item::Int(node.one.into()),
                        Item::Text(Rc::clone(name)),
                    ]
                })
                .collect(),
        ))
    }

    /// All texts at a path, through arrays.
    pub(crate) fn texts(
        &mut self,
        path: &'m Path,
        this: NodeId,
        it: Option<&Val>,
    ) -> Fallible<Vec<Rc<str>>> {
        let found = self.find(path, this, it)?;
        let mut texts = Vec::with_capacity(found.values.len());
        let mut values = found.values;
        // A path that ends in a list of texts means its elements.
        if let ([Val::Place(Place::Loc(loc))], false) = (values.as_slice(), found.many) {
            let loc = *loc;
            self.force_loc(loc)?;
            if let Item::Array(array) = self.tree.item(loc) {
                let count = u32::try_from(array.items.len()).unwrap_or(u32::MAX);
                values = (0..count)
                    .map(|i| Val::Place(Place::Loc(Loc { index: Some(i), ..loc })))
                    .collect();
            }
        }
        for val in values {
            match self.load(val)? {
                Val::Text(text) => texts.push(text),
                other => {
                    return eval_error(format!(
                        "`{}` is {}, not a text",
                        path.text,
                        describe(&other)
                    ));
                }
            }
        }
        Ok(texts)
    }
}

/// Whether a type is a union that a record consists of: its row has no step of its own in paths.
pub(crate) fn is_body(model: &Model, ty: &Type) -> bool {
    matches!(ty, Type::Union(union) if model.unions[union.index()].body)
}

/// The union type of a row, inside regions and arrays.
pub(crate) fn union_type(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Union(_) => Some(ty),
        Type::Region(region) => union_type(&region.inner),
        Type::Array(array) => union_type(&array.element),
        _ => None,
    }
}

/// The pointer that a row or element is.
fn pointer_type(row: &Row, loc: Loc) -> Option<&PointerType> {
    let mut ty = strip_region(&row.ty);
    if loc.index.is_some() {
        while let Type::Pointer(pointer) = ty {
            let Target::Own(target) = &pointer.target else { return None };
            ty = strip_region(target);
        }
        let Type::Array(array) = ty else { return None };
        ty = strip_region(&array.element);
    }
    match ty {
        Type::Pointer(pointer) => Some(pointer),
        _ => None,
    }
}

/// Address of an element that is neither a node nor a pointer.
fn element_address(array: &crate::tree::ArrayItem, index: usize, end: bool) -> u64 {
    if array.at == UNPLACED {
        return UNPLACED;
    }
    if array.starts.is_empty() {
        let count = array.items.len() as u64;
        let stride = (array.end - array.at).checked_div(count).unwrap_or(0);
        let at = array.at + stride * index as u64;
        return if end { at + stride } else { at };
    }
    let index = if end { index + 1 } else { index };
    array.starts.get(index).copied().unwrap_or(array.end)
}

fn truth(val: &Val) -> bool {
    matches!(val, Val::Bool(true))
}

pub(crate) fn describe(val: &Val) -> &'static str {
    match val {
        Val::None => "nothing",
        Val::Int(_) => "an integer",
        Val::Float(_) => "a float",
        Val::Bool(_) => "a truth value",
        Val::Text(_) => "a text",
        Val::Bytes(_) => "bytes",
        Val::Units(_) => "units of UTF-16",
        Val::Place(Place::Node(_)) => "a struct",
        Val::Place(Place::Loc(_)) => "an array",
        Val::Table(_) => "a table",
    }
}

/// A fault while reading, as the kind of error it is.
pub(crate) fn read_kind(fault: Fault) -> Result<ReadErrorKind, formwork::ReadError> {
    match fault {
        Fault::Read(error) => Err(error),
        Fault::Limit(kind) => Ok(kind),
        Fault::Eval(message) => Ok(ReadErrorKind::Expression { message: message.into() }),
        Fault::Keys(DictionaryError::DuplicateKey { .. }, key) => {
            Ok(ReadErrorKind::DuplicateKey { key: key.into() })
        }
        Fault::Keys(error, _) => {
            Ok(ReadErrorKind::Expression { message: error.to_string().into() })
        }
        Fault::NotPlaced(what) => Ok(ReadErrorKind::Expression {
            message: format!("the address of `{what}` is not known here").into(),
        }),
        Fault::Cycle(what) => {
            Ok(ReadErrorKind::Expression { message: format!("`{what}` depends on itself").into() })
        }
    }
}
