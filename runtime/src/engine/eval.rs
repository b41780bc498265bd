//! Evaluates expressions in the tree.

use core::cmp::Ordering;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::item::{Blob, Item, Loc, NodeRef};
use super::plan::Direction;
use super::state::{Engine, Table};
use super::val::{describe, eval_error, unary, whole, Fallible, Fault, Val};
use crate::checksum::Checksum;
use crate::dictionary::{patricia, DictionaryError};
use crate::functions;
use crate::model::{BinaryOp, Expr, ExprId, Function, Path, RowId, Type, UnaryOp};

impl<'p> Engine<'p, '_> {
    pub(crate) fn eval(&mut self, id: ExprId, this: NodeRef, it: Option<Val>) -> Fallible<Val> {
        // What nearly all expressions are costs no level.
        match &self.model[id] {
            Expr::Int(n) => {
                self.charge(1)?;
                Ok(Val::Int(*n))
            }
            Expr::Path(path) => match self.near(path, this)? {
                Some(val) => Ok(val),
                None => self.deeper(|engine| engine.eval_inner(id, this, it)),
            },
            _ => self.deeper(|engine| engine.eval_inner(id, this, it)),
        }
    }

    fn eval_inner(&mut self, id: ExprId, this: NodeRef, it: Option<Val>) -> Fallible<Val> {
        self.charge(1)?;
        let model = self.model;
        Ok(match &model[id] {
            Expr::Int(n) => Val::Int(*n),
            Expr::Float(f) => Val::Float(*f),
            Expr::Bool(b) => Val::Bool(*b),
            Expr::Text(_) => Val::Text(self.layout.literal(id)),
            Expr::Bytes(_) => Val::Bytes(self.layout.literal(id)),
            Expr::Epoch(variable) => {
                self.context.get(*variable as usize).map_or(Val::None, |n| Val::Int(*n))
            }
            Expr::Path(path) => {
                let found = self.find_first(path, this, it)?;
                if found.many {
                    return eval_error(format!("`{}` is many values", path.text));
                }
                self.load(found.first)?
            }
            Expr::Unary(op, a) => unary(*op, self.eval(*a, this, it)?)?,
            Expr::Binary(BinaryOp::BothTrue, a, b) => {
                Val::Bool(self.eval_bool(*a, this, it)? && self.eval_bool(*b, this, it)?)
            }
            Expr::Binary(BinaryOp::EitherTrue, a, b) => {
                Val::Bool(self.eval_bool(*a, this, it)? || self.eval_bool(*b, this, it)?)
            }
            Expr::Binary(op, a, b) => {
                let a = self.eval(*a, this, it)?;
                let b = self.eval(*b, this, it)?;
                self.tree.binary(*op, a, b)?
            }
            Expr::If(condition, a, b) => {
                let chosen = if self.eval_bool(*condition, this, it)? { a } else { b };
                self.eval(*chosen, this, it)?
            }
            Expr::Coalesce(a, b) => match self.eval(*a, this, it)? {
                Val::None => self.eval(*b, this, it)?,
                val => val,
            },
            Expr::In(a, ranges) => self.is_in(*a, ranges, this, it)?,
            Expr::Is(path, case) => {
                let mut is = false;
                self.walk(path, this, it, &mut false, &mut |engine, val| {
                    is |= engine.case_name(val)?.is_some_and(|name| name == case);
                    Ok(true)
                })?;
                Val::Bool(is)
            }
            Expr::Call(function, args) => match (Checksum::of(*function), &args[..]) {
                (Some(sum), [runs]) => self.checksum(sum, *runs, this, it)?,
                _ => {
                    let mut values = [Val::None; 4];
                    if args.len() > values.len() {
                        return eval_error("a function has too many arguments");
                    }
                    for (value, arg) in values.iter_mut().zip(args) {
                        *value = self.eval(*arg, this, it)?;
                    }
                    self.call(*function, &values[..args.len()])?
                }
            },
            Expr::Stream(function, source, filter) => {
                self.stream(id, *function, *source, *filter, this, it)?
            }
            Expr::At(path) => self.address(path, this, it, false)?,
            Expr::End(path) => self.address(path, this, it, true)?,
            Expr::Size(path) => match self.tried_size_of(path, this, it)? {
                Some(size) => Val::Int(size.into()),
                None => match self.address(path, this, it, false) {
                    Ok(at) => match (at, self.address(path, this, it, true)?) {
                        (Val::Int(at), Val::Int(end)) => Val::Int(end - at),
                        _ => Val::None,
                    },
                    Err(fault) => self.size_ahead(path, this, it, fault)?,
                },
            },
            Expr::Index(path) => {
                let found = self.find_first(path, this, it)?;
                self.position(found.first)?
            }
            Expr::IsLast(path) => {
                let found = self.find_first(path, this, it)?;
                self.is_last_of(found.first)?
            }
            Expr::Listed(path) => self.listed(path, this, it)?,
            Expr::Stored(from, to) => {
                match (self.eval_int(*from, this, it)?, self.eval_int(*to, this, it)?) {
                    (Some(from), Some(to)) => self.stored_bytes(from, to)?,
                    _ => Val::None,
                }
            }
            Expr::FileEnd => Val::Int(self.file_end()?.into()),
            Expr::Here => Val::Int(self.here.into()),
            Expr::RegionEnd => Val::Int(self.region_end.into()),
            Expr::RelocationSections => Val::Table(self.relocation_tables()?.0),
            Expr::RelocationEntries => Val::Table(self.relocation_tables()?.1),
            Expr::Patricia(path) => Val::Table(self.patricia(path, this, it)?),
        })
    }

    fn is_in(
        &mut self,
        a: ExprId,
        ranges: &[(ExprId, Option<ExprId>)],
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Val> {
        let a = self.eval(a, this, it)?;
        let mut hit = false;
        for (low, high) in ranges {
            let low = self.eval(*low, this, it)?;
            let order = self.tree.compare(a, low)?;
            hit |= match high {
                None => order == Some(Ordering::Equal),
                Some(high) => {
                    let high = self.eval(*high, this, it)?;
                    matches!(order, Some(Ordering::Equal | Ordering::Greater))
                        && matches!(
                            self.tree.compare(a, high)?,
                            Some(Ordering::Equal | Ordering::Less)
                        )
                }
            };
        }
        Ok(Val::Bool(hit))
    }

    pub(crate) fn eval_bool(
        &mut self,
        expr: ExprId,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<bool> {
        match self.eval(expr, this, it)? {
            Val::Bool(b) => Ok(b),
            Val::None => Ok(false),
            other => eval_error(format!("a condition is {}, not a truth value", describe(other))),
        }
    }

    /// Whether the condition of a row holds. What is about where it is asked is asked where its block
    /// begins, and holds there for all rows of the block, and for those that are there otherwise.
    pub(crate) fn block_holds(&mut self, condition: ExprId, this: NodeRef) -> Fallible<bool> {
        if !self.layout.mentions_position(condition) {
            return self.eval_bool(condition, this, None);
        }
        Ok(matches!(self.asked_at_begin(condition, this)?, Val::Bool(true)))
    }

    fn asked_at_begin(&mut self, condition: ExprId, this: NodeRef) -> Fallible<Val> {
        let mut known = self.begun.iter().rev();
        if let Some((.., val)) = known.find(|(node, of, _)| (*node, *of) == (this, condition)) {
            return Ok(*val);
        }
        let val = match self.model[condition] {
            Expr::Unary(UnaryOp::Not, a) => unary(UnaryOp::Not, self.asked_at_begin(a, this)?)?,
            Expr::Binary(BinaryOp::BothTrue, a, b) => {
                let holds = |engine: &mut Self, part| -> Fallible<bool> {
                    Ok(matches!(engine.asked_at_begin(part, this)?, Val::Bool(true)))
                };
                Val::Bool(holds(self, a)? && holds(self, b)?)
            }
            _ => self.eval(condition, this, None)?,
        };
        self.begun.push((this, condition, val));
        Ok(val)
    }

    /// The value of an expression that must be an integer; `None` if it is nothing.
    pub(crate) fn eval_int(
        &mut self,
        expr: ExprId,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Option<i128>> {
        match self.eval(expr, this, it)? {
            Val::Int(n) => Ok(Some(n)),
            Val::None => Ok(None),
            other => eval_error(format!("expected an integer, found {}", describe(other))),
        }
    }

    fn file_end(&self) -> Fallible<u64> {
        match self.tree.direction {
            Direction::Reading => Ok(self.tree.file.len() as u64),
            Direction::Writing => match self.writing.total {
                Some(total) => Ok(total),
                None => Err(Box::new(Fault::NotPlaced("end of the file".into()))),
            },
        }
    }

    /// The value at a place: numbers and texts as they are, everything else stays a place.
    pub(crate) fn load(&mut self, val: Val) -> Fallible<Val> {
        let loc = match val {
            Val::Loc(loc) => loc,
            Val::Byte(blob, at) => return Ok(Val::Int(self.tree.byte(blob, at).into())),
            _ => return Ok(val),
        };
        Ok(match self.fetch(loc)? {
            Item::Unset => return self.not_known(loc),
            Item::Absent => Val::None,
            // A transparent record stands for its only row.
            Item::Node(node) => match self.tree.record(node).transparent {
                Some(row) => match self.load(Val::Loc(Loc::row(node, row)))? {
                    Val::Node(_) | Val::Loc(_) | Val::None => Val::Node(node),
                    scalar => scalar,
                },
                None => Val::Node(node),
            },
            Item::Array(_) => Val::Loc(loc),
            item => self.tree.val(item),
        })
    }

    #[cold]
    pub(super) fn not_known<T>(&self, loc: Loc) -> Fallible<T> {
        if self.writing.summed.contains(&loc.whole_row()) {
            return Err(Box::new(Fault::NotWritten(self.describe(loc))));
        }
        eval_error(format!("`{}` is not known here", self.describe(loc)))
    }

    /// Makes sure that a row, or the element of it that is asked for, is there.
    pub(crate) fn force_loc(&mut self, loc: Loc) -> Fallible<()> {
        self.force(loc.node, loc.row)?;
        if loc.index().is_some() && self.is_reading() {
            self.force_target(loc).map_err(|error| Box::new(Fault::Read(error)))?;
        }
        Ok(())
    }

    /// What is in a row or element, through pointers. It is read or computed if it is not there yet.
    #[inline]
    pub(crate) fn fetch(&mut self, loc: Loc) -> Fallible<Item> {
        match self.tree.entry(loc) {
            Item::Unset => self.fetch_slowly(loc),
            Item::Pointer(number) => match self.tree.pointers[number as usize].target {
                Item::Unset | Item::Pointer(_) => self.fetch_slowly(loc),
                target => Ok(target),
            },
            // Nobody knows yet what elements the row has.
            Item::Absent if loc.index().is_some() => self.fetch_slowly(loc),
            item => Ok(item),
        }
    }

    fn fetch_slowly(&mut self, loc: Loc) -> Fallible<Item> {
        match self.tree.entry(loc) {
            Item::Pointer(number) => {
                let target = self.tree.pointers[number as usize].target;
                if !matches!(target, Item::Unset | Item::Pointer(_)) {
                    return Ok(target);
                }
                self.force_loc(loc)?;
            }
            Item::Unset if loc.index().is_none() => self.force_unset(loc)?,
            _ => self.force_loc(loc)?,
        }
        Ok(self.tree.item(loc))
    }

    /// Like [`Engine::fetch`], for something to count or to go into: of what is being read nobody
    /// knows yet how many elements it has.
    #[inline]
    pub(crate) fn fetch_known(&mut self, loc: Loc) -> Fallible<Item> {
        match self.fetch_finished(loc)? {
            Some(item) => Ok(item),
            None => self.not_known(loc),
        }
    }

    /// The same, but nothing where it is an array that is still being read.
    #[inline]
    pub(crate) fn fetch_finished(&mut self, loc: Loc) -> Fallible<Option<Item>> {
        let item = self.fetch(loc)?;
        if item.is_unset() && self.is_reading() {
            return match self.tree.count_so_far(loc) {
                Some(_) => Ok(None),
                None => self.not_known(loc),
            };
        }
        Ok(Some(item))
    }

    /// Makes sure that something is there to count or to go into: of what is being read nobody knows
    /// yet how many elements it has.
    pub(crate) fn force_known(&mut self, loc: Loc) -> Fallible<()> {
        self.force_loc(loc)?;
        if self.is_reading() && self.tree.item(loc).is_unset() {
            return self.not_known(loc);
        }
        Ok(())
    }

    /// Number of elements, bytes or units of a row.
    pub(crate) fn count_items(&self, loc: Loc) -> u64 {
        let mut loc = loc;
        loop {
            return match self.tree.item(loc) {
                Item::Array(array) => self.tree.count(array).into(),
                Item::Bytes(blob) | Item::Text(blob) => blob.len.into(),
                Item::Units(_, len) => len.into(),
                Item::Node(node) => match self.tree.record(node).transparent {
                    Some(row) => {
                        loc = Loc::row(node, row);
                        continue;
                    }
                    None => 1,
                },
                Item::Unset | Item::Absent => 0,
                _ => 1,
            };
        }
    }

    fn case_name(&mut self, val: Val) -> Fallible<Option<&'p str>> {
        let mut node = match val {
            Val::Node(node) => node,
            Val::Loc(loc) => match self.fetch(loc)? {
                Item::Node(node) => node,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        loop {
            if let Some((union, case)) = self.tree.case_of(node) {
                return Ok(Some(&union.cases[case].name));
            }
            // A union type is a record around the union.
            let rows = &self.tree.record(node).rows;
            let inner = rows.iter().position(|row| matches!(row.ty, Type::Union(_)));
            let Some(row) = inner.and_then(|row| u32::try_from(row).ok()) else { return Ok(None) };
            self.force(node, RowId(row))?;
            match self.tree.item(Loc::row(node, RowId(row))) {
                Item::Node(inner) => node = inner,
                _ => return Ok(None),
            }
        }
    }

    /// Whether something is the last element of the array around it.
    fn is_last_of(&mut self, val: Val) -> Fallible<Val> {
        match val {
            Val::Node(node) => self.is_last(node),
            Val::Byte(blob, at) => Ok(Val::Bool(at + 1 == blob.len)),
            Val::Loc(loc) if self.tree.row(loc).reference.is_none() => match self.load(val)? {
                Val::Node(node) => self.is_last(node),
                _ if loc.index().is_some() => self.is_last_in(loc),
                _ => self.is_last(loc.node),
            },
            _ => Ok(Val::None),
        }
    }

    fn is_last(&mut self, node: NodeRef) -> Fallible<Val> {
        let node = self.tree.enclosing_struct(node);
        match self.tree.holder(node) {
            Some(holder) => self.is_last_in(holder),
            None => Ok(Val::Bool(false)),
        }
    }

    fn is_last_in(&mut self, holder: Loc) -> Fallible<Val> {
        let holder = self.in_table(holder)?;
        let array = holder.whole_row();
        self.force_known(array)?;
        let count = self.count_items(array);
        Ok(Val::Bool(holder.index().is_some_and(|i| u64::from(i) + 1 == count)))
    }

    fn index_of(&mut self, node: NodeRef) -> Fallible<Val> {
        let node = self.tree.enclosing_struct(node);
        // An element may be wrapped: the index is that of the nearest array around it.
        let mut at = self.tree.holder(node);
        while let Some(holder) = at {
            if let Some(index) = self.in_table(holder)?.index() {
                return Ok(Val::Int(index.into()));
            }
            at = self.tree.holder(holder.node);
        }
        Ok(Val::None)
    }

    /// Position of an element in the array around it; of a reference, the position it means.
    pub(crate) fn position(&mut self, val: Val) -> Fallible<Val> {
        Ok(match val {
            Val::Node(node) => self.index_of(node)?,
            // Whether there is such an element is not known yet.
            Val::Loc(loc) if loc.index().is_some() && self.opened_at(loc).is_some() => {
                return self.not_known(loc);
            }
            Val::Loc(loc) => {
                self.element_of(loc)?;
                match self.load(val)? {
                    Val::Node(node) => self.index_of(node)?,
                    Val::Int(n) if self.tree.row(loc).reference.is_some() => Val::Int(n),
                    _ => match loc.index() {
                        Some(index) => Val::Int(index.into()),
                        None => self.index_of(loc.node)?,
                    },
                }
            }
            Val::Byte(_, at) => Val::Int(at.into()),
            // What was computed stands nowhere.
            _ => Val::None,
        })
    }

    pub(super) fn call(&mut self, function: Function, args: &[Val]) -> Fallible<Val> {
        if args.iter().any(|arg| matches!(arg, Val::None)) {
            return Ok(Val::None);
        }
        let arg = |index: usize| args.get(index).copied().unwrap_or(Val::None);
        let text = |index: usize| match arg(index) {
            Val::Text(blob) | Val::Bytes(blob) => Ok(blob),
            _ => eval_error("expected a text"),
        };
        match function {
            Function::Murmur3 | Function::Fnv1a => {
                let blob = text(0)?;
                self.charge(blob.len.into())?;
                let seed = match arg(1) {
                    Val::Int(n) => Some(n),
                    _ => None,
                };
                let bytes = self.tree.bytes(blob);
                Ok(Val::Int(match function {
                    Function::Murmur3 => functions::murmur3(bytes, seed).into(),
                    _ => functions::fnv1a(bytes, seed).into(),
                }))
            }
            Function::Polynomial => {
                let blob = text(0)?;
                self.charge(blob.len.into())?;
                let Val::Int(factor) = arg(1) else { return eval_error("expected a number") };
                let start = match arg(2) {
                    Val::Int(start) => start,
                    _ => 0,
                };
                Ok(Val::Int(functions::polynomial(self.tree.bytes(blob), factor, start).into()))
            }
            Function::Stem | Function::Extension => {
                let Val::Text(path) = arg(0) else { return eval_error("expected a text") };
                let bytes = self.tree.bytes(path);
                let part = match function {
                    Function::Stem => functions::stem(bytes),
                    _ => functions::extension(bytes),
                };
                Ok(Val::Text(path.part(part.start, part.len())))
            }
            Function::EndsWith => {
                let (whole, end) = (text(0)?, text(1)?);
                Ok(Val::Bool(self.tree.bytes(whole).ends_with(self.tree.bytes(end))))
            }
            Function::Length => match arg(0) {
                Val::Text(blob) | Val::Bytes(blob) => Ok(Val::Int(blob.len.into())),
                Val::Units(_, len) => Ok(Val::Int(len.into())),
                Val::Loc(loc) => Ok(Val::Int(self.count_items(loc).into())),
                _ => eval_error("expected a text or bytes"),
            },
            Function::Utf16Units => match arg(0) {
                Val::Text(blob) => {
                    self.charge(blob.len.into())?;
                    Ok(Val::Int(functions::utf16_units(self.tree.bytes(blob)).into()))
                }
                Val::Units(_, len) => Ok(Val::Int(len.into())),
                _ => eval_error("expected a text"),
            },
            // As a value it is no place any more, and streams take its bytes one by one.
            Function::Numbers => match arg(0) {
                run @ (Val::Bytes(_) | Val::None) => Ok(run),
                _ => eval_error("expected bytes"),
            },
            Function::Least | Function::Greatest => {
                let (a, b) = (arg(0), arg(1));
                let wanted = match function {
                    Function::Least => Ordering::Less,
                    _ => Ordering::Greater,
                };
                Ok(if self.tree.compare(b, a)? == Some(wanted) { b } else { a })
            }
            Function::Floor | Function::Ceil | Function::Round | Function::Trunc => match arg(0) {
                Val::Int(n) => Ok(Val::Int(n)),
                Val::Float(f) => whole(function, f),
                _ => eval_error("expected a number"),
            },
            Function::Crc32
            | Function::Adler32
            | Function::Md5
            | Function::Sha1
            | Function::Sha256 => eval_error("a checksum is of one argument"),
            Function::Number => match arg(0) {
                Val::Int(n) => Ok(Val::Int(n)),
                Val::Bool(b) => Ok(Val::Int(b.into())),
                _ => eval_error("expected a member of an enumeration"),
            },
        }
    }

    /// Nodes of the radix tree over the texts at a path.
    fn patricia(&mut self, path: &'p Path, this: NodeRef, it: Option<Val>) -> Fallible<u32> {
        let keys = self.texts(path, this, it)?;
        let bytes: u64 = keys.iter().map(|key| u64::from(key.len) + 1).sum();
        self.charge(bytes)?;
        let nodes = patricia(&keys.iter().map(|key| self.tree.bytes(*key)).collect::<Vec<_>>());
        let nodes = match nodes {
            Ok(nodes) => nodes,
            Err(error) => {
                let index = match error {
                    DictionaryError::EmptyKey { index }
                    | DictionaryError::DuplicateKey { index, .. }
                    | DictionaryError::KeyTooLong { index } => Some(index),
                    _ => None,
                };
                let key = index.and_then(|index| keys.get(index));
                let key = key.map_or_else(String::new, |key| self.tree.text(*key).into());
                let place = match index {
                    Some(index) if !self.is_reading() => self.place_of(path, this, it, index)?,
                    _ => None,
                };
                return Err(Box::new(Fault::Keys(error, key, place)));
            }
        };
        let mut table = Table::with_room_for(4, nodes.len());
        let names = core::iter::once(Blob::EMPTY).chain(keys);
        for (node, name) in nodes.iter().zip(names) {
            let [bit, zero, one] = [i64::from(node.bit), i64::from(node.zero), i64::from(node.one)];
            table.push([Item::Int(bit), Item::Int(zero), Item::Int(one), Item::Text(name)]);
        }
        Ok(self.add_table(table))
    }

    /// Where the text at a path stands that is the one at a position among all.
    fn place_of(
        &mut self,
        path: &'p Path,
        this: NodeRef,
        it: Option<Val>,
        mut left: usize,
    ) -> Fallible<Option<Loc>> {
        let mut place = None;
        self.walk(path, this, it, &mut false, &mut |engine, val| {
            let Val::Loc(loc) = val else { return Ok(true) };
            let (count, whole) = match engine.fetch(loc)? {
                Item::Array(array) if loc.index().is_none() => {
                    (engine.tree.count(array) as usize, true)
                }
                _ => (1, false),
            };
            if left < count {
                let index = u32::try_from(left).unwrap_or(0);
                place = Some(if whole { loc.at(index) } else { loc });
                return Ok(false);
            }
            left -= count;
            Ok(true)
        })?;
        Ok(place)
    }

    pub(crate) fn add_table(&mut self, table: Table) -> u32 {
        let number = u32::try_from(self.tables.len()).unwrap_or(u32::MAX);
        self.tables.push(table);
        number
    }

    /// All texts at a path, through arrays.
    pub(crate) fn texts(
        &mut self,
        path: &'p Path,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Vec<Blob>> {
        if let Some(known) = self.known_keys(path, this)? {
            return Ok(self.key_texts(known).to_vec());
        }
        let mut texts = vec![];
        let mut many = false;
        self.walk(path, this, it, &mut many, &mut |engine, val| {
            match val {
                Val::Loc(loc) => match engine.fetch(loc)? {
                    Item::Array(array) if loc.index().is_none() => {
                        for index in 0..engine.tree.count(array) {
                            match engine.load(Val::Loc(loc.at(index)))? {
                                Val::Text(text) => texts.push(text),
                                other => return no_text(path, other),
                            }
                        }
                    }
                    _ => match engine.load(val)? {
                        Val::Text(text) => texts.push(text),
                        other => return no_text(path, other),
                    },
                },
                Val::Text(text) => texts.push(text),
                other => return no_text(path, other),
            }
            Ok(true)
        })?;
        if many && !self.is_reading() {
            self.keep_texts(path, this, &texts, 0);
        }
        Ok(texts)
    }
}

#[cold]
fn no_text<T>(path: &Path, val: Val) -> Fallible<T> {
    eval_error(format!("`{}` is {}, not a text", path.text, describe(val)))
}
