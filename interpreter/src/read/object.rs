//! Reads what lies behind addresses: targets of pointers, objects, pooled texts.

use formwork::ReadErrorKind;
use formwork_model::{ArrayLength, PointerType, Row, RowId, RowKind, Target, Type, WhenEmpty};

use super::{Cursor, Read};
use crate::engine::Engine;
use crate::tree::{ArrayItem, Item, Loc, NodeId, PointerItem, UNPLACED};
use crate::value::{KeptKind, Value};

/// What to do next to read everything that a node leads to.
enum Next {
    Node(NodeId),
    Row(NodeId, RowId),
    Element(Loc),
}

impl<'m, 'b> Engine<'m, 'b> {
    /// Reads the number of a pointer; of a pooled one the text too.
    pub(crate) fn read_pointer(
        &mut self,
        pointer: &'m PointerType,
        loc: Loc,
        row: &'m Row,
        cursor: &mut Cursor<'b>,
    ) -> Read<Item> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let cell = cursor.at;
        let storage = pointer.cell.as_ref().unwrap_or(&kind.cell);
        let stored = match self.read_cell(storage, &[], loc, cursor)? {
            Item::Int(n) => n,
            _ => 0,
        };
        let mut item = PointerItem::to(Item::Unset);
        item.cell = cell;
        item.stored = stored;
        let none = kind.none == Some(stored) || row.none.contains(&stored);
        if none && !matches!(pointer.target, Target::Own(_)) {
            item.target = Item::Absent;
        } else if matches!(pointer.target, Target::Pooled) {
            let address = self.target_address(pointer, stored, loc, cell)?;
            item.at = address;
            item.target = self.read_pooled(pointer, address, loc)?;
            item.end = address;
        }
        Ok(Item::Pointer(Box::new(item)))
    }

    /// Address that a stored number means.
    pub(crate) fn target_address(
        &mut self,
        pointer: &'m PointerType,
        stored: i128,
        loc: Loc,
        cell: u64,
    ) -> Read<u64> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let base = match &kind.base {
            Some(base) => self
                .eval_int(*base, loc.node, None)
                .map_err(|fault| self.fault(*fault, cell, loc))?
                .unwrap_or(0),
            None => 0,
        };
        let length = self.reading().bytes.len() as u64;
        let target = base.checked_add(stored).and_then(|n| n.checked_sub(kind.skip.into()));
        match target.and_then(|target| u64::try_from(target).ok()) {
            Some(target) if target <= length => Ok(target),
            _ => {
                let kind = ReadErrorKind::PointerOutOfBounds { target: target.unwrap_or(stored) };
                Err(self.error(kind, cell, loc))
            }
        }
    }

    fn read_pooled(&mut self, pointer: &'m PointerType, address: u64, loc: Loc) -> Read<Item> {
        let kind = &self.model.pointers[pointer.kind.index()];
        let key = (address, pointer.kind.0);
        if let Some(item) = self.reading().texts.get(&key) {
            let item = item.clone();
            // The value will hold the text once for each pointer.
            let size = crate::project::item_key(&item).len() as u64;
            self.budget.charge(size).map_err(|kind| self.error(kind, address, loc))?;
            return Ok(item);
        }
        let Some(text) = kind.text.as_deref() else { return Ok(Item::Absent) };
        let length = self.reading().bytes.len() as u64;
        let claims = self.reading().claims.len();
        let row = self.row(loc);
        let item = self.read_type(text, loc, row, &mut Cursor::new(address, length))?;
        // The pool claims its members.
        self.reading().claims.truncate(claims);
        self.reading().texts.insert(key, item.clone());
        Ok(item)
    }

    /// Reads everything that a node leads to, in the order of rows, depth first.
    pub(crate) fn resolve_node(&mut self, node: NodeId) -> Read<()> {
        let mut todo = vec![Next::Node(node)];
        self.resolve(&mut todo)
    }

    /// Works without recursion over siblings; the depth of targets in targets is that of the data.
    fn resolve(&mut self, todo: &mut Vec<Next>) -> Read<()> {
        while let Some(next) = todo.pop() {
            match next {
                Next::Node(node) => {
                    let rows = self.record(node).read_order.len();
                    let order = &self.record(node).read_order;
                    for index in (0..rows).rev() {
                        todo.push(Next::Row(node, order[index]));
                    }
                }
                Next::Row(node, row) => {
                    let loc = Loc::row(node, row);
                    if let RowKind::Object { .. } = self.row(loc).kind
                        && matches!(self.tree.slot(node, row).item, Item::Unset)
                    {
                        self.read_object_unless_absent(loc)?;
                    }
                    self.push_targets(loc, todo)?;
                }
                Next::Element(loc) => self.push_targets(loc, todo)?,
            }
        }
        Ok(())
    }

    /// Reads the target of a pointer in a row or element, and remembers what it leads to.
    fn push_targets(&mut self, loc: Loc, todo: &mut Vec<Next>) -> Read<()> {
        if let Some(pointer) = self.pending(loc) {
            self.read_target(loc, pointer)?;
        }
        if matches!(self.row(loc).kind, RowKind::Slice { .. }) {
            return Ok(());
        }
        match self.tree.item(loc) {
            Item::Node(node) => todo.push(Next::Node(*node)),
            Item::Array(array) if loc.index.is_none() => {
                let leads = |item: &Item| matches!(item, Item::Node(_) | Item::Pointer(_));
                if array.items.iter().any(leads) {
                    for index in (0..array.items.len()).rev() {
                        let index = u32::try_from(index).unwrap_or(u32::MAX);
                        todo.push(Next::Element(Loc { index: Some(index), ..loc }));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The pointer in a row or element whose target has not been read.
    fn pending(&self, loc: Loc) -> Option<&'m PointerType> {
        let mut item = &self.tree.slot(loc.node, loc.row).item;
        let mut ty = &self.row(loc).ty;
        if let Some(index) = loc.index {
            loop {
                match (item, strip(ty)) {
                    (Item::Pointer(pointer), Type::Pointer(of)) => {
                        item = &pointer.target;
                        ty = match &of.target {
                            Target::Own(target) => target,
                            _ => return None,
                        };
                    }
                    (Item::Array(array), Type::Array(of)) => {
                        item = array.items.get(index as usize)?;
                        ty = &of.element;
                        break;
                    }
                    _ => return None,
                }
            }
        }
        match (item, strip(ty)) {
            (Item::Pointer(pointer), Type::Pointer(of)) => {
                (matches!(pointer.target, Item::Unset) && !pointer.busy).then_some(of)
            }
            _ => None,
        }
    }

    /// Makes sure that what the pointer in a row leads to has been read.
    pub(crate) fn force_target(&mut self, loc: Loc) -> Read<()> {
        if let Some(pointer) = self.pending(loc) {
            self.read_target(loc, pointer)?;
        }
        Ok(())
    }

    fn read_target(&mut self, loc: Loc, pointer: &'m PointerType) -> Read<()> {
        let Some(item) = self.tree.pointer_mut(loc) else { return Ok(()) };
        item.busy = true;
        let (stored, cell) = (item.stored, item.cell);
        let result = self.read_target_of(loc, pointer, stored, cell);
        if let Some(item) = self.tree.pointer_mut(loc) {
            item.busy = false;
            let (target, at, end) = result?;
            item.target = target;
            item.at = at;
            item.end = end;
        }
        Ok(())
    }

    fn read_target_of(
        &mut self,
        loc: Loc,
        pointer: &'m PointerType,
        stored: i128,
        cell: u64,
    ) -> Read<(Item, u64, u64)> {
        let row = self.row(loc);
        let kind = &self.model.pointers[pointer.kind.index()];
        let none = kind.none == Some(stored) || row.none.contains(&stored);
        let Target::Own(target) = &pointer.target else {
            // An element is looked for when all arrays are there, or when somebody asks for it.
            let absent = none && pointer.optional;
            let item = if absent { Item::Absent } else { Item::Int(stored) };
            return Ok((item, cell, cell));
        };
        let count = match strip_region(target) {
            Type::Array(array) => match &array.length {
                ArrayLength::Count(count) => Some(count),
                _ => None,
            },
            Type::Run(run) => match &run.length {
                formwork_model::RunLength::Count(count) => Some(count),
                _ => None,
            },
            _ => None,
        };
        if none {
            if pointer.optional {
                return Ok((Item::Absent, cell, cell));
            }
            let Some(count) = count else {
                if pointer.none_with.is_some() {
                    return Ok((Item::Absent, cell, cell));
                }
                // As many elements as there is room for: without an address, none.
                if let Type::Array(array) = strip_region(target)
                    && matches!(array.length, ArrayLength::Fill)
                {
                    if self.when_empty(pointer) != WhenEmpty::None {
                        self.keep(loc, KeptKind::Pointer, Value::Bool(false), Value::Bool(true));
                    }
                    return Ok((empty_item(target), UNPLACED, UNPLACED));
                }
                return Err(self.error(ReadErrorKind::NullPointer, cell, loc));
            };
            if self.evaluate_count(*count, loc, cell)? != 0 {
                return Err(self.error(ReadErrorKind::NullPointer, cell, loc));
            }
            if self.when_empty(pointer) != WhenEmpty::None && pointer.none_with.is_none() {
                self.keep(loc, KeptKind::Pointer, Value::Bool(false), Value::Bool(true));
            }
            return Ok((empty_item(target), UNPLACED, UNPLACED));
        }
        let at = self.target_address(pointer, stored, loc, cell)?;
        let length = self.reading().bytes.len() as u64;
        let mut cursor = Cursor::new(at, length);
        let item = self.read_type(target, loc, row, &mut cursor)?;
        cursor.align_bits();
        self.note_object(at, cursor.at, loc);
        let empty = match &item {
            Item::Array(array) => array.items.is_empty(),
            Item::Bytes(bytes) => bytes.is_empty(),
            _ => false,
        };
        let fill = matches!(
            strip_region(target),
            Type::Array(array) if matches!(array.length, ArrayLength::Fill)
        );
        let free = pointer.none_with.is_none() && (count.is_some() || fill);
        if empty && free && self.when_empty(pointer) == WhenEmpty::None {
            self.keep(loc, KeptKind::Pointer, Value::Bool(true), Value::Bool(false));
        }
        Ok((item, at, cursor.at))
    }

    pub(crate) fn when_empty(&self, pointer: &PointerType) -> WhenEmpty {
        pointer.when_empty.unwrap_or(self.model.pointers[pointer.kind.index()].when_empty)
    }

    fn read_object_unless_absent(&mut self, loc: Loc) -> Read<()> {
        if let Some(condition) = &self.row(loc).when {
            let at = self.tree.node(loc.node).at;
            let holds = self
                .eval_bool(*condition, loc.node, None)
                .map_err(|fault| self.fault(*fault, at, loc))?;
            if !holds {
                self.tree.slot_mut(loc.node, loc.row).item = Item::Absent;
                return Ok(());
            }
        }
        self.read_object(loc)
    }

    /// Reads an object that no pointer cell of its owner leads to.
    pub(crate) fn read_object(&mut self, loc: Loc) -> Read<()> {
        let row = self.row(loc);
        let RowKind::Object { address } = row.kind else { return Ok(()) };
        if self.home(row) == formwork_model::Home::Absent {
            self.tree.slot_mut(loc.node, loc.row).item = Item::Absent;
            return Ok(());
        }
        let from = self.tree.node(loc.node).at;
        self.tree.slot_mut(loc.node, loc.row).busy = true;
        let result = self.read_object_at(loc, row, address, from);
        self.tree.slot_mut(loc.node, loc.row).busy = false;
        result
    }

    fn read_object_at(
        &mut self,
        loc: Loc,
        row: &'m Row,
        address: formwork_model::ExprId,
        from: u64,
    ) -> Read<()> {
        let address = self
            .eval_int(address, loc.node, None)
            .map_err(|fault| self.fault(*fault, from, loc))?;
        let Some(address) = address else {
            self.tree.slot_mut(loc.node, loc.row).item = Item::Absent;
            return Ok(());
        };
        let length = self.reading().bytes.len() as u64;
        let at = match u64::try_from(address) {
            Ok(at) if at <= length => at,
            _ => {
                let kind = ReadErrorKind::PointerOutOfBounds { target: address };
                return Err(self.error(kind, from, loc));
            }
        };
        let slot = self.tree.slot_mut(loc.node, loc.row);
        slot.at = at;
        let mut cursor = Cursor::new(at, length);
        let item = self.read_type(&row.ty, loc, row, &mut cursor)?;
        cursor.align_bits();
        let slot = self.tree.slot_mut(loc.node, loc.row);
        slot.item = item;
        slot.end = cursor.at;
        self.note_object(at, cursor.at, loc);
        self.check_now(loc, row)
    }
}

/// An empty array, or run of bytes, of a type.
pub(crate) fn empty_item(ty: &Type) -> Item {
    match strip_region(ty) {
        Type::Run(_) => Item::Bytes(Vec::new().into()),
        _ => Item::Array(Box::new(ArrayItem::of(Vec::new()))),
    }
}

/// A type inside its regions.
pub(crate) fn strip_region(ty: &Type) -> &Type {
    match ty {
        Type::Region(region) => strip_region(&region.inner),
        _ => ty,
    }
}

fn strip(ty: &Type) -> &Type {
    strip_region(ty)
}
