//! Expressions in the tree: what generated readers and writers have in common.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::schema::{Member, PathInfo, Source, Start, Step};
use super::tree::{
    element_address, through, Item, Loc, NodeId, Text, Tree, NOTHING, UNPLACED, WHOLE,
};
use super::val::{binary, compare, describe, eval_error, BinaryOp, Fallible, Fault, Val};
use crate::dictionary::{patricia, DictionaryError, DictionaryNode};
use crate::error::ReadErrorKind;
use crate::path::Path;

/// Functions of streams; counting has a function of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum StreamFunction {
    Count,
    Sum,
    Min,
    Max,
    Any,
    All,
    First,
    FirstIndex,
}

/// Functions of plain values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Function {
    Murmur3,
    Fnv1a,
    Stem,
    Extension,
    EndsWith,
    Length,
    Number,
}

/// What a path leads to.
#[derive(Debug, Clone)]
pub struct Found<'a> {
    /// Places, or the values of a `let`.
    pub values: Vec<Val<'a>>,
    /// Whether the path went through an array.
    pub many: bool,
}

/// A reader or a writer of one file: the tree, and what is asked for on demand.
///
/// The methods without a body are generated.
pub trait Engine<'a>: Sized {
    /// The nodes.
    fn tree(&self) -> &Tree<'a>;
    /// The nodes, to change them.
    fn tree_mut(&mut self) -> &mut Tree<'a>;
    /// Whether a file is read; else one is written.
    fn is_reading(&self) -> bool;
    /// Position in the list of epochs.
    fn epoch(&self) -> usize;
    /// Value of an epoch variable.
    fn context(&self, variable: usize) -> Val<'a>;
    /// Makes sure that a slot has its item, and that what a pointer in it leads to is there.
    ///
    /// # Errors
    ///
    /// If reading or computing it fails.
    fn force(&mut self, node: NodeId, slot: u16) -> Fallible<()>;
    /// Makes sure that the target of a pointer in an element of an array is there.
    ///
    /// # Errors
    ///
    /// If reading it fails.
    fn force_element(&mut self, loc: Loc) -> Fallible<()>;
    /// The expression of this number. `it` is the element that it is about.
    ///
    /// # Errors
    ///
    /// If it has no value.
    fn expr(&mut self, number: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<Val<'a>>;
    /// The element that the reference in a slot or element leads to.
    ///
    /// # Errors
    ///
    /// If it leads to none.
    fn element_of(&mut self, loc: Loc) -> Fallible<Option<Loc>>;
    /// Takes units of work from the budget.
    ///
    /// # Errors
    ///
    /// If it is used up.
    fn charge(&mut self, units: u64) -> Fallible<()>;
    /// Depth of nested evaluation, to change it.
    fn nesting(&mut self) -> &mut u32;
    /// Address behind the last byte of the file.
    ///
    /// # Errors
    ///
    /// If it is not known yet.
    fn file_end(&self) -> Fallible<u64>;
    /// Position of the next byte to read.
    fn here(&self) -> u64;
    /// End of the region around it.
    fn region_end(&self) -> u64;
    /// Whether the file's relocation table lists this address; nothing when writing.
    ///
    /// # Errors
    ///
    /// If the table is not read yet.
    fn lists(&mut self, address: u64) -> Fallible<Option<bool>>;
    /// Whether what a slot or element points to, and has no address, will never have one. In a
    /// file, what was read without one has none.
    fn has_no_place(&mut self, _loc: Loc) -> bool {
        true
    }

    /// The root.
    fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Path of a slot or element, for messages.
    fn describe(&self, loc: Loc) -> String {
        format!("{}", self.tree().path(loc))
    }

    /// Runs something one level deeper. Native stacks are small and don't grow here, so there is a
    /// limit to how far expressions lead from row to row.
    ///
    /// # Errors
    ///
    /// `DepthLimit`, and those of `what`.
    fn deeper<T>(&mut self, what: impl FnOnce(&mut Self) -> Fallible<T>) -> Fallible<T> {
        const LIMIT: u32 = 300;
        if *self.nesting() >= LIMIT {
            return Err(Box::new(Fault::Limit(ReadErrorKind::DepthLimit { limit: LIMIT })));
        }
        *self.nesting() += 1;
        let result = what(self);
        *self.nesting() -= 1;
        result
    }

    /// A condition: nothing counts as false.
    ///
    /// # Errors
    ///
    /// If the expression fails or is no truth value.
    fn truth(&mut self, number: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<bool> {
        let val = self.expr(number, this, it)?;
        truth_of(&val)
    }

    /// An integer; `None` if it is nothing.
    ///
    /// # Errors
    ///
    /// If the expression fails or is no integer.
    fn int(&mut self, number: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<Option<i128>> {
        let val = self.expr(number, this, it)?;
        int_of(&val)
    }

    /// Makes sure that a slot, or the element of it that is asked for, is there.
    ///
    /// # Errors
    ///
    /// If reading or computing it fails.
    fn force_loc(&mut self, loc: Loc) -> Fallible<()> {
        if loc.slot == WHOLE {
            return Ok(());
        }
        self.force(loc.node, loc.slot)?;
        if loc.index.is_some() && self.is_reading() {
            self.force_element(loc)?;
        }
        Ok(())
    }

    /// Makes sure that something is there to count or to go into: of what is being read nobody knows
    /// yet how many elements it has.
    ///
    /// # Errors
    ///
    /// If it cannot be read or computed, or is being read.
    fn force_known(&mut self, loc: Loc) -> Fallible<()> {
        self.force_loc(loc)?;
        if self.is_reading() && matches!(self.tree().item(loc), Item::Unset) {
            return eval_error(format!("`{}` is not known here", self.describe(loc)));
        }
        Ok(())
    }

    /// What a path leads to.
    ///
    /// # Errors
    ///
    /// If something on its way cannot be read or computed.
    fn find(&mut self, path: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<Found<'a>> {
        let info: &'static PathInfo = &self.tree().schema.paths[usize::from(path)];
        let mut many = false;
        let mut here: Vec<Val<'a>> = Vec::new();
        match info.start {
            Start::This => here.push(Val::Node(this)),
            Start::Up(levels) => {
                let mut node = this;
                for _ in 0..levels {
                    match self.tree().owner(node) {
                        Some(owner) => node = owner,
                        None => return Ok(Found { values: here, many }),
                    }
                }
                here.push(Val::Node(node));
            }
            Start::Enclosing(records) => {
                let mut node = this;
                while !records.contains(&self.tree().node(node).record) {
                    match self.tree().owner(node) {
                        Some(owner) => node = owner,
                        None => return Ok(Found { values: here, many }),
                    }
                }
                here.push(Val::Node(node));
            }
            Start::Root => here.push(Val::Node(self.root())),
            Start::It => match it {
                Some(val) => here.push(val.clone()),
                None => return eval_error("`it` stands for nothing here"),
            },
            Start::Argument(index) => {
                let owner = self.tree().owner(this);
                let argument = self.tree().info(this).arguments.get(usize::from(index));
                if let (Some(owner), Some(argument)) = (owner, argument) {
                    let found = self.deeper(|engine| engine.source(*argument, owner, None))?;
                    many = found.many;
                    here = found.values;
                }
            }
        }
        for step in info.steps {
            let mut next = Vec::with_capacity(here.len());
            for val in here {
                match step {
                    Step::Field(members) => {
                        for node in self.nodes_of(&val, &mut many)? {
                            let record = self.tree().node(node).record;
                            if let Some((_, way)) = members.iter().find(|(r, _)| *r == record) {
                                self.follow(node, way, &mut next, &mut many)?;
                            }
                        }
                    }
                    Step::Index(index) => {
                        let Some(index) = self.int(*index, this, it)? else { continue };
                        if let Some(val) = self.element(&val, index)? {
                            next.push(val);
                        }
                    }
                    Step::Last => {
                        if let Val::Loc(loc) = val {
                            self.force_known(loc)?;
                            let count = self.tree().count_items(loc);
                            if let Some(val) = self.element(&val, i128::from(count) - 1)? {
                                next.push(val);
                            }
                        }
                    }
                }
            }
            self.charge(next.len() as u64)?;
            here = next;
        }
        Ok(Found { values: here, many })
    }

    /// What an argument or `let` leads to, as a stream if it is one.
    ///
    /// # Errors
    ///
    /// If something on its way cannot be read or computed.
    fn source(&mut self, source: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<Found<'a>> {
        match self.tree().schema.sources[usize::from(source)] {
            Source::Path(path) => self.find(path, this, it),
            Source::Concatenate(a, b) => {
                let mut values = self.stream_of(a, this, it)?;
                values.extend(self.stream_of(b, this, it)?);
                Ok(Found { values, many: true })
            }
            Source::Coalesce(a, b) => {
                let found = self.source(a, this, it)?;
                if found.many || !found.values.is_empty() {
                    let mut there = found.many;
                    for val in &found.values {
                        there |= !matches!(self.load(val.clone())?, Val::None);
                    }
                    if there {
                        return Ok(found);
                    }
                }
                self.source(b, this, it)
            }
            Source::Expr(number) => match self.deeper(|engine| engine.expr(number, this, it))? {
                Val::None => Ok(Found { values: Vec::new(), many: false }),
                val => Ok(Found { values: alloc::vec![val], many: false }),
            },
        }
    }

    /// The elements that a source names: of an array all, of anything else itself.
    ///
    /// # Errors
    ///
    /// If something on its way cannot be read or computed.
    fn stream_of(
        &mut self,
        source: u16,
        this: NodeId,
        it: Option<&Val<'a>>,
    ) -> Fallible<Vec<Val<'a>>> {
        let found = self.source(source, this, it)?;
        let mut all = Vec::with_capacity(found.values.len());
        for val in found.values {
            let Val::Loc(loc) = val else {
                all.push(val);
                continue;
            };
            self.force_known(loc)?;
            match self.tree().item(loc) {
                Item::Array(array) if loc.index.is_none() => {
                    let count = array.count;
                    self.charge(count.into())?;
                    all.extend((0..count).map(|i| Val::Loc(Loc { index: Some(i), ..loc })));
                }
                Item::Absent => {}
                _ => all.push(val),
            }
        }
        Ok(all)
    }

    /// One element of an array or byte run.
    ///
    /// # Errors
    ///
    /// If the array cannot be read or computed.
    fn element(&mut self, val: &Val<'a>, index: i128) -> Fallible<Option<Val<'a>>> {
        match val {
            Val::Loc(loc) if loc.index.is_none() => {
                self.force_known(*loc)?;
                // A transparent record stands for the array in it.
                let mut loc = *loc;
                while let Item::Node(node) = *self.tree().item(loc) {
                    match self.tree().info(node).transparent {
                        Some(slot) => loc = Loc::slot(node, slot),
                        None => return Ok(None),
                    }
                }
                match self.tree().item(loc) {
                    Item::Array(array) => Ok(u32::try_from(index)
                        .ok()
                        .filter(|i| *i < array.count)
                        .map(|i| Val::Loc(Loc { index: Some(i), ..loc }))),
                    Item::Bytes(bytes) => Ok(byte_at(bytes, index)),
                    _ => Ok(None),
                }
            }
            Val::Bytes(bytes) => Ok(byte_at(bytes, index)),
            _ => Ok(None),
        }
    }

    /// The nodes at a place: of an array all elements.
    ///
    /// # Errors
    ///
    /// If something cannot be read or computed.
    fn nodes_of(&mut self, val: &Val<'a>, many: &mut bool) -> Fallible<Vec<NodeId>> {
        let mut nodes = Vec::new();
        match val {
            Val::Node(node) => nodes.push(*node),
            Val::Loc(loc) if loc.slot == WHOLE => nodes.push(loc.node),
            Val::Loc(loc) => {
                self.force_known(*loc)?;
                match self.tree().item(*loc) {
                    Item::Node(node) => {
                        let node = *node;
                        nodes.push(node);
                        // Into a transparent record that stands for an array of records.
                        if let Some(slot) = self.tree().info(node).transparent {
                            let inner = Loc::slot(node, slot);
                            self.force_loc(inner)?;
                            if matches!(self.tree().item(inner), Item::Array(_)) {
                                nodes.extend(self.nodes_of(&Val::Loc(inner), &mut false)?);
                                *many = true;
                            }
                        }
                    }
                    Item::Array(array) => {
                        *many = true;
                        let unread = |item: &Item<'_>| matches!(item, Item::Pointer(p) if matches!(p.target, Item::Unset));
                        if array.items.iter().any(unread) {
                            for index in 0..array.count {
                                self.force_loc(Loc { index: Some(index), ..*loc })?;
                            }
                        }
                        if let Item::Array(array) = self.tree().item(*loc) {
                            nodes.extend(array.items.iter().filter_map(|i| match through(i) {
                                Item::Node(node) => Some(*node),
                                _ => None,
                            }));
                        }
                        self.charge(nodes.len() as u64)?;
                    }
                    Item::Int(_) => {
                        if let Some(element) = self.element_of(*loc)? {
                            return self.nodes_of(&Val::Loc(element), many);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(nodes)
    }

    /// Goes from a node to a field.
    ///
    /// # Errors
    ///
    /// If something cannot be read or computed.
    fn follow(
        &mut self,
        mut node: NodeId,
        way: &'static [Member],
        found: &mut Vec<Val<'a>>,
        many: &mut bool,
    ) -> Fallible<()> {
        for member in way {
            match member {
                Member::Slot(slot) => found.push(Val::Loc(Loc::slot(node, *slot))),
                Member::Into(slot) => {
                    self.force(node, *slot)?;
                    match self.tree().item(Loc::slot(node, *slot)) {
                        Item::Node(inner) => node = *inner,
                        _ => return Ok(()),
                    }
                }
                Member::Let(source) => {
                    let inner = self.deeper(|engine| engine.source(*source, node, None))?;
                    *many |= inner.many;
                    found.extend(inner.values);
                }
            }
        }
        Ok(())
    }

    /// The value at a path that is not many.
    ///
    /// # Errors
    ///
    /// If it cannot be read or computed, or is many.
    fn value(&mut self, path: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<Val<'a>> {
        let found = self.find(path, this, it)?;
        if found.many {
            let text = self.tree().schema.paths[usize::from(path)].text;
            return eval_error(format!("`{text}` is many values"));
        }
        match found.values.into_iter().next() {
            Some(val) => self.load(val),
            None => Ok(Val::None),
        }
    }

    /// The value in a slot of a node.
    ///
    /// # Errors
    ///
    /// If it cannot be read or computed.
    #[inline]
    fn slot_value(&mut self, node: NodeId, slot: u16) -> Fallible<Val<'a>> {
        // Most are numbers that were read before.
        if let Item::Int(n) = self.tree().slot(node, slot).item {
            return Ok(Val::Int(n));
        }
        self.load(Val::Loc(Loc::slot(node, slot)))
    }

    /// The value at a place: numbers and texts as they are, everything else stays a place.
    ///
    /// # Errors
    ///
    /// If it cannot be read or computed.
    fn load(&mut self, val: Val<'a>) -> Fallible<Val<'a>> {
        let Val::Loc(loc) = val else { return Ok(val) };
        if loc.slot == WHOLE {
            return Ok(Val::Node(loc.node));
        }
        self.force_loc(loc)?;
        match self.tree().item(loc) {
            Item::Unset => {
                let what = self.describe(loc);
                eval_error(format!("`{what}` is not known here"))
            }
            Item::Absent => Ok(Val::None),
            Item::Node(node) => {
                let node = *node;
                // A transparent record stands for its only row.
                match self.tree().info(node).transparent {
                    Some(slot) => {
                        let inner = self.load(Val::Loc(Loc::slot(node, slot)))?;
                        Ok(match inner {
                            Val::Loc(_) | Val::Node(_) | Val::None => Val::Node(node),
                            scalar => scalar,
                        })
                    }
                    None => Ok(Val::Node(node)),
                }
            }
            Item::Array(_) | Item::Pointer(_) => Ok(Val::Loc(loc)),
            item => Ok(Val::of(item)),
        }
    }

    /// Whether the union at a path has this case.
    ///
    /// # Errors
    ///
    /// If it cannot be read or computed.
    fn is_case(
        &mut self,
        path: u16,
        case: &str,
        this: NodeId,
        it: Option<&Val<'a>>,
    ) -> Fallible<bool> {
        let found = self.find(path, this, it)?;
        let mut is = false;
        for val in found.values {
            is |= self.case_name(&val)?.is_some_and(|name| name == case);
        }
        Ok(is)
    }

    /// Name of the case of the union at a place.
    ///
    /// # Errors
    ///
    /// If it cannot be read or computed.
    fn case_name(&mut self, val: &Val<'a>) -> Fallible<Option<&'static str>> {
        let mut node = match *val {
            Val::Node(node) => node,
            Val::Loc(loc) if loc.slot == WHOLE => loc.node,
            Val::Loc(loc) => {
                self.force_loc(loc)?;
                match self.tree().item(loc) {
                    Item::Node(node) => *node,
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        loop {
            if let Some(name) = self.tree().case_of(node) {
                return Ok(Some(name));
            }
            // A union type is a record around the union.
            let Some(slot) = self.tree().info(node).union else { return Ok(None) };
            self.force(node, slot)?;
            match self.tree().item(Loc::slot(node, slot)) {
                Item::Node(inner) => node = *inner,
                _ => return Ok(None),
            }
        }
    }

    /// Position of an element in the array around it; of a reference, the position it means.
    ///
    /// # Errors
    ///
    /// If it cannot be read or computed.
    fn position(&mut self, val: Option<Val<'a>>) -> Fallible<Val<'a>> {
        Ok(match val {
            None => Val::None,
            Some(Val::Node(node)) => self.index_of(node),
            Some(Val::Loc(loc)) => {
                self.element_of(loc)?;
                match self.load(Val::Loc(loc))? {
                    Val::Node(node) => self.index_of(node),
                    Val::Int(n) if self.tree().slot_info(loc).reference => Val::Int(n),
                    _ => loc.index.map_or(Val::None, |i| Val::Int(i.into())),
                }
            }
            Some(val) => val,
        })
    }

    /// Position of a node in the nearest array around it.
    fn index_of(&self, node: NodeId) -> Val<'a> {
        let tree = self.tree();
        let mut at = Some(tree.enclosing_struct(node));
        while let Some(node) = at {
            let n = tree.node(node);
            if n.index != NOTHING {
                return Val::Int(n.index.into());
            }
            at = tree.owner(node);
        }
        Val::None
    }

    /// Whether what is at a path is the last element of its array.
    ///
    /// # Errors
    ///
    /// If it cannot be read or computed.
    fn is_last(&mut self, path: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<Val<'a>> {
        let found = self.find(path, this, it)?;
        Ok(match found.values.into_iter().next() {
            Some(Val::Node(node)) => {
                let node = self.tree().enclosing_struct(node);
                let index = self.tree().node(node).index;
                let mut count = 0;
                if let Some(holder) = self.tree().holder(node) {
                    let array = Loc { index: None, ..holder };
                    self.force_known(array)?;
                    count = self.tree().count_items(array);
                }
                Val::Bool(index != NOTHING && u64::from(index) + 1 == count)
            }
            _ => Val::None,
        })
    }

    /// Whether the file's relocation table lists the pointer at a path.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn listed(&mut self, path: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<Val<'a>> {
        if !self.is_reading() {
            return Ok(Val::None);
        }
        // Says whether it can be asked at all.
        self.lists(UNPLACED)?;
        let found = self.find(path, this, it)?;
        let Some(Val::Loc(loc)) = found.values.into_iter().next() else {
            return Ok(Val::None);
        };
        let slot = self.tree().slot(loc.node, loc.slot);
        let cell = match &slot.item {
            Item::Pointer(pointer) => pointer.cell,
            _ => slot.at,
        };
        Ok(self.lists(cell)?.map_or(Val::None, Val::Bool))
    }

    /// A function of a stream. `filter` is an expression about `it`.
    ///
    /// # Errors
    ///
    /// If it cannot be read or computed.
    fn stream(
        &mut self,
        function: StreamFunction,
        source: u16,
        filter: Option<u16>,
        this: NodeId,
        it: Option<&Val<'a>>,
    ) -> Fallible<Val<'a>> {
        if function == StreamFunction::Count && filter.is_none() {
            // The length of one byte run or text counts its bytes.
            let found = self.source(source, this, it)?;
            if let ([Val::Loc(loc)], false) = (found.values.as_slice(), found.many) {
                let loc = *loc;
                self.force_known(loc)?;
                return Ok(Val::Int(self.tree().count_items(loc).into()));
            }
        }
        let mut values = self.stream_of(source, this, it)?;
        if let (StreamFunction::All, Some(condition)) = (function, filter) {
            for val in &values {
                if !self.truth(condition, this, Some(val))? {
                    return Ok(Val::Bool(false));
                }
            }
            return Ok(Val::Bool(true));
        }
        if let Some(filter) = filter {
            let mut kept = Vec::new();
            for val in values {
                if self.truth(filter, this, Some(&val))? {
                    kept.push(val);
                }
            }
            values = kept;
        }
        let mut result = match function {
            StreamFunction::Count => return Ok(Val::Int(values.len() as i128)),
            StreamFunction::First => return Ok(values.into_iter().next().unwrap_or(Val::None)),
            StreamFunction::FirstIndex => return self.position(values.into_iter().next()),
            StreamFunction::Any if filter.is_some() => return Ok(Val::Bool(!values.is_empty())),
            StreamFunction::Any => Val::Bool(false),
            StreamFunction::All => Val::Bool(true),
            StreamFunction::Sum => Val::Int(0),
            StreamFunction::Min | StreamFunction::Max => Val::None,
        };
        for val in values {
            let val = self.load(val)?;
            if matches!(val, Val::None) {
                continue;
            }
            result = match function {
                StreamFunction::Sum => binary(BinaryOp::Add, &result, &val)?,
                StreamFunction::Any => Val::Bool(is_true(&result) || is_true(&val)),
                StreamFunction::All => Val::Bool(is_true(&result) && is_true(&val)),
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
                _ => result,
            };
        }
        Ok(result)
    }

    /// Address of the first byte at a path, or behind the last.
    ///
    /// # Errors
    ///
    /// `NotPlaced` if it is there and not placed yet.
    fn address(
        &mut self,
        path: u16,
        end: bool,
        this: NodeId,
        it: Option<&Val<'a>>,
    ) -> Fallible<Val<'a>> {
        let found = self.find(path, this, it)?;
        let address = match found.values.into_iter().next() {
            Some(Val::Node(node)) => self.node_address(node, end),
            Some(Val::Loc(loc)) if loc.slot == WHOLE => self.node_address(loc.node, end),
            Some(Val::Loc(loc)) => {
                // While a row is being read its own address is known already.
                if !self.tree().slot(loc.node, loc.slot).busy {
                    self.force_loc(loc)?;
                }
                match self.loc_address(loc, end)? {
                    Some(address) => address,
                    None => return Ok(Val::None),
                }
            }
            _ => return Ok(Val::None),
        };
        if address == UNPLACED {
            let text = self.tree().schema.paths[usize::from(path)].text;
            return Err(Box::new(Fault::NotPlaced(text.into())));
        }
        Ok(Val::Int(address.into()))
    }

    /// Size in bytes of what is at a path.
    ///
    /// # Errors
    ///
    /// `NotPlaced` if it is there and not placed yet.
    fn size(&mut self, path: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<Val<'a>> {
        let at = self.address(path, false, this, it)?;
        let end = self.address(path, true, this, it)?;
        Ok(match (at, end) {
            (Val::Int(at), Val::Int(end)) => Val::Int(end - at),
            _ => Val::None,
        })
    }

    /// Address of a node, [`UNPLACED`] if it is not known.
    fn node_address(&self, node: NodeId, end: bool) -> u64 {
        let tree = self.tree();
        let node = tree.enclosing_struct(node);
        let n = tree.node(node);
        if !end || n.end != UNPLACED {
            return if end { n.end } else { n.at };
        }
        // A record of fixed size ends where that size does, also while it is being read.
        match tree.info(node).sizes.get(self.epoch()) {
            Some(Some(size)) if n.at != UNPLACED => n.at.saturating_add(*size),
            _ => UNPLACED,
        }
    }

    /// Address of what is in a slot or element; `None` if it is not there.
    ///
    /// # Errors
    ///
    /// If it is a reference that leads nowhere.
    fn loc_address(&mut self, loc: Loc, end: bool) -> Fallible<Option<u64>> {
        let slot = self.tree().slot(loc.node, loc.slot);
        let mut here = if end { slot.end } else { slot.at };
        let mut item = &slot.item;
        if let Some(index) = loc.index {
            let Item::Array(array) = through(item) else { return Ok(None) };
            if index >= array.count {
                return Ok(None);
            }
            here = element_address(array, index as usize, end).unwrap_or(UNPLACED);
            match array.items.get(index as usize) {
                Some(element) => item = element,
                None => return Ok(Some(here)),
            }
        }
        let mut pointed = false;
        while let Item::Pointer(pointer) = item {
            here = if end { pointer.end } else { pointer.at };
            item = &pointer.target;
            pointed = true;
        }
        let unplaced = pointed && here == UNPLACED;
        match item {
            Item::Absent if !self.tree().slot_info(loc).empty_target => Ok(None),
            // Its pointer is none, or it is not placed yet.
            Item::Array(_) | Item::Bytes(_) if unplaced => {
                Ok((!self.has_no_place(loc)).then_some(UNPLACED))
            }
            Item::Int(_) if self.tree().slot_info(loc).reference => match self.element_of(loc)? {
                Some(element) => self.loc_address(element, end),
                None => Ok(Some(here)),
            },
            Item::Node(node) => {
                let node = *node;
                if self.tree().case_of(node).is_some() {
                    Ok(Some(here))
                } else {
                    Ok(Some(self.node_address(node, end)))
                }
            }
            _ => Ok(Some(here)),
        }
    }

    /// A function of plain values.
    ///
    /// # Errors
    ///
    /// If an argument is of the wrong kind.
    fn call(&mut self, function: Function, args: &[Val<'a>]) -> Fallible<Val<'a>> {
        if args.iter().any(|arg| matches!(arg, Val::None)) {
            return Ok(Val::None);
        }
        let bytes = |index: usize| -> Fallible<&[u8]> {
            match args.get(index) {
                Some(Val::Text(text)) => Ok(text.as_bytes()),
                Some(Val::Bytes(bytes)) => Ok(bytes),
                _ => eval_error("expected a text"),
            }
        };
        match function {
            Function::Murmur3 | Function::Fnv1a => {
                let text = bytes(0)?;
                self.charge(text.len() as u64)?;
                let seed = match args.get(1) {
                    Some(Val::Int(n)) => u32::try_from(*n).ok(),
                    _ => None,
                };
                Ok(Val::Int(if function == Function::Murmur3 {
                    crate::murmur3_32(text, seed.unwrap_or(0)).into()
                } else {
                    crate::fnv1a_32(text, seed.unwrap_or(crate::FNV1A_SEED)).into()
                }))
            }
            Function::Stem | Function::Extension => {
                let Some(Val::Text(path)) = args.first() else {
                    return eval_error("expected a text");
                };
                let part = |path: &str| -> (usize, usize) {
                    let base = path.rfind('/').map_or(0, |i| i + 1);
                    let dot = path[base..].rfind('.').map(|i| base + i);
                    match (function, dot) {
                        (Function::Stem, Some(dot)) => (base, dot),
                        (Function::Stem, None) => (base, path.len()),
                        (_, Some(dot)) => (dot + 1, path.len()),
                        (_, None) => (path.len(), path.len()),
                    }
                };
                Ok(Val::Text(match path {
                    Text::Borrowed(path) => {
                        let (from, to) = part(path);
                        Text::Borrowed(path.get(from..to).unwrap_or(""))
                    }
                    Text::Owned(path) => {
                        let (from, to) = part(path);
                        Text::Owned(Rc::from(path.get(from..to).unwrap_or("")))
                    }
                }))
            }
            Function::EndsWith => Ok(Val::Bool(bytes(0)?.ends_with(bytes(1)?))),
            Function::Length => match args.first() {
                Some(Val::Text(text)) => Ok(Val::Int(text.len() as i128)),
                Some(Val::Bytes(bytes)) => Ok(Val::Int(bytes.len() as i128)),
                Some(Val::Units(units)) => Ok(Val::Int(units.len() as i128)),
                Some(Val::Loc(loc)) => Ok(Val::Int(self.tree().count_items(*loc).into())),
                _ => eval_error("expected a text or bytes"),
            },
            Function::Number => match args.first() {
                Some(Val::Int(n)) => Ok(Val::Int(*n)),
                Some(Val::Bool(b)) => Ok(Val::Int((*b).into())),
                _ => eval_error("expected a member of an enumeration"),
            },
        }
    }

    /// All texts at a path, through arrays.
    ///
    /// # Errors
    ///
    /// If something there is no text.
    fn texts(&mut self, path: u16, this: NodeId, it: Option<&Val<'a>>) -> Fallible<Vec<Text<'a>>> {
        let found = self.find(path, this, it)?;
        let mut values = found.values;
        // A path that ends in a list of texts means its elements.
        if let ([Val::Loc(loc)], false) = (values.as_slice(), found.many) {
            let loc = *loc;
            self.force_loc(loc)?;
            if let Item::Array(array) = self.tree().item(loc) {
                values =
                    (0..array.count).map(|i| Val::Loc(Loc { index: Some(i), ..loc })).collect();
            }
        }
        let mut texts = Vec::with_capacity(values.len());
        for val in values {
            match self.load(val)? {
                Val::Text(text) => texts.push(text),
                other => {
                    let text = self.tree().schema.paths[usize::from(path)].text;
                    return eval_error(format!("`{text}` is {}, not a text", describe(&other)));
                }
            }
        }
        Ok(texts)
    }

    /// Nodes of the radix tree over the texts at a path, each with its name.
    ///
    /// # Errors
    ///
    /// `Keys` if no tree can hold them.
    fn patricia(&mut self, path: u16, this: NodeId) -> Fallible<Vec<(DictionaryNode, Text<'a>)>> {
        let keys = self.texts(path, this, None)?;
        let bytes: u64 = keys.iter().map(|k| k.len() as u64 + 1).sum();
        self.charge(bytes)?;
        let nodes = match patricia(&keys.iter().map(|k| k.as_bytes()).collect::<Vec<_>>()) {
            Ok(nodes) => nodes,
            Err(error) => {
                let key = match error {
                    DictionaryError::EmptyKey { index }
                    | DictionaryError::DuplicateKey { index, .. }
                    | DictionaryError::KeyTooLong { index } => keys.get(index),
                    _ => None,
                };
                let key = key.map_or_else(String::new, |key| String::from(&**key));
                return Err(Box::new(Fault::Keys(error, key)));
            }
        };
        let names = core::iter::once(Text::Borrowed("")).chain(keys);
        Ok(nodes.into_iter().zip(names).collect())
    }

    /// Path of a node, for errors.
    fn node_path(&self, node: NodeId) -> Path {
        self.tree().node_path(node)
    }
}

/// A condition: nothing counts as false.
///
/// # Errors
///
/// If it is no truth value.
pub fn truth_of(val: &Val<'_>) -> Fallible<bool> {
    match val {
        Val::Bool(b) => Ok(*b),
        Val::None => Ok(false),
        other => eval_error(format!("a condition is {}, not a truth value", describe(other))),
    }
}

/// An integer; `None` if it is nothing.
///
/// # Errors
///
/// If it is no integer.
pub fn int_of(val: &Val<'_>) -> Fallible<Option<i128>> {
    match val {
        Val::Int(n) => Ok(Some(*n)),
        Val::None => Ok(None),
        other => eval_error(format!("expected an integer, found {}", describe(other))),
    }
}

fn is_true(val: &Val<'_>) -> bool {
    matches!(val, Val::Bool(true))
}

fn byte_at<'a>(bytes: &[u8], index: i128) -> Option<Val<'a>> {
    let index = usize::try_from(index).ok()?;
    bytes.get(index).map(|b| Val::Int((*b).into()))
}
