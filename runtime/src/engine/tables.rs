//! Shared tables: arrays whose elements belong to slices that stand elsewhere.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use super::item::{ArrayRef, From, Item, Loc, NodeRef};
use super::kept::Kept;
use super::plan::Place;
use super::program::asks_for_elements;
use super::settle::kept_kind;
use super::state::Engine;
use super::tree::{cell_bytes, Elements};
use super::val::{eval_error, Fallible, Fault, Val};
use super::walk::Walk;
use crate::load::Endian;
use crate::model::{
    ExprId, Home, IntType, Path, RecordId, RecordKind, Role, RowKind, Step, Storage, Type,
};
use crate::spelling::{KeptKind, KeptValue};

/// How a file had the slices in a table, where they are not one behind the other.
#[derive(Debug, Default)]
struct KeptTable {
    /// How many elements it had.
    count: usize,
    /// First element and number of elements of each slice, in the order of their owners; of one whose
    /// base is not there, 0.
    slices: Vec<(i128, u32)>,
    /// Elements that belong to no slice, with their positions.
    others: Vec<(usize, Vec<u8>)>,
}

impl<'p> Engine<'p, '_> {
    /// The slices of a shared table in the order in which the table has them, those with elements and
    /// those whose place says something; or all, the empty ones at the end.
    pub(crate) fn slices(
        &mut self,
        loc: Loc,
        slices: &'p [Path],
        key: Option<ExprId>,
        all: bool,
    ) -> Fallible<Vec<Loc>> {
        let mut owners: Vec<(i128, Loc)> = Vec::new();
        // What its own elements have is in the table behind these.
        let (mut inside, mut around) = (Vec::new(), Vec::new());
        for path in slices {
            match self.inside_table(loc, path) {
                Some(steps) => inside.push(steps),
                None => around.push(path),
            }
        }
        let order = (key, all);
        for path in around {
            self.walk(path, loc.node, None, &mut false, &mut |engine, val| {
                engine.add_owner(val, order, &mut owners)
            })?;
        }
        if !inside.is_empty() {
            let found = self.owners_inside(loc, &inside, order, &mut owners);
            if found.is_err() && self.is_reading() {
                // What was read is shown, and nobody would come to an end with these.
                owners.iter().for_each(|(_, slice)| self.tree.set_item(*slice, Item::Unset));
            }
            found?;
        }
        owners.sort_by_key(|(rank, _)| *rank);
        Ok(owners.into_iter().map(|(_, slice)| slice).collect())
    }

    /// The steps of a path from an element of a table, if it leads there through the table.
    fn inside_table<'a>(&self, table: Loc, path: &'a Path) -> Option<&'a [Step]> {
        let record = self.tree.record_id(table.node);
        path.behind(record, table.node == NodeRef::ROOT, table.row)
    }

    /// Whether elements of a table have slices of it.
    pub(crate) fn holds_own_slices(&self, table: Loc, slices: &[Path]) -> bool {
        slices.iter().any(|path| self.inside_table(table, path).is_some())
    }

    /// Adds a slice with its rank, unless it is none of those that are asked for.
    fn add_owner(
        &mut self,
        val: Val,
        (key, all): (Option<ExprId>, bool),
        owners: &mut Vec<(i128, Loc)>,
    ) -> Fallible<bool> {
        let Val::Loc(slice) = val else { return Ok(true) };
        // In another layout the numbers are no slice's.
        if self.tree.home(slice) == Home::Absent {
            return Ok(true);
        }
        let empty = match self.fetch(slice)? {
            Item::Array(array) => self.tree.count(array) == 0,
            _ => self.count_items(slice) == 0,
        };
        let rank = match key {
            _ if all && empty => i128::MAX,
            _ if empty && self.is_in_no_place(slice)? => return Ok(true),
            Some(key) => self.eval_int(key, slice.node, None)?.unwrap_or(i128::MAX),
            None => 0,
        };
        owners.push((rank, slice));
        Ok(true)
    }

    /// Adds the slices that elements of a table have in it: those of the first element in the order of
    /// the paths, then those of the next, also of elements that only such slices have. So a tree stands
    /// in its table level by level.
    fn owners_inside(
        &mut self,
        loc: Loc,
        inside: &[&'p [Step]],
        order: (Option<ExprId>, bool),
        owners: &mut Vec<(i128, Loc)>,
    ) -> Fallible<()> {
        // A slice that has elements on so many levels has an element that is inside of itself.
        let most = if self.is_reading() { self.count_items(loc) } else { u64::MAX };
        let (mut next, mut level, mut end) = (0, 0, owners.len());
        while let Some((_, slice)) = owners.get(next).copied() {
            if next == end {
                (level, end) = (level + 1, owners.len());
                if level > most {
                    let slice = self.tree.path(slice);
                    return eval_error(format!("`{slice}` has elements that have it"));
                }
            }
            next += 1;
            let Item::Array(array) = self.fetch(slice)? else { continue };
            let count = self.tree.count(array);
            self.charge(count.into())?;
            for index in 0..count {
                let Some(Item::Node(element)) = self.tree.element(array, index) else { continue };
                for steps in inside {
                    self.walk_on(steps, element, &mut |engine, val| {
                        engine.add_owner(val, order, owners)
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Where reading has failed: slices of tables whose elements are inside of themselves have none,
    /// since nobody would come to an end with them.
    pub(crate) fn part_tables(&mut self) {
        if !self.layout.has_tables {
            return;
        }
        let mut walk = Walk::all(&self.tree);
        while let Some(node) = walk.next(&self.tree) {
            for (row, definition) in self.tree.record(node).numbered_rows() {
                let (table, Role::View { slices, key }) = (Loc::row(node, row), &definition.role)
                else {
                    continue;
                };
                if self.holds_own_slices(table, slices) {
                    let _: Fallible<_> = self.slices(table, slices, *key, false);
                }
            }
        }
    }

    /// Whether a slice without elements begins where the schema says that such slices do, or nothing
    /// says where it does.
    fn is_in_no_place(&mut self, slice: Loc) -> Fallible<bool> {
        let usual = self.empty_base(slice)?;
        if usual.is_none() || !self.is_reading() {
            return Ok(usual.is_some());
        }
        let stored = self.stored_base(slice)?;
        Ok(stored.is_none() || stored == usual)
    }

    /// The slices tile the table in the declared order if their bases are running totals.
    pub(crate) fn compare_view(
        &mut self,
        loc: Loc,
        slices: &'p [Path],
        key: Option<ExprId>,
    ) -> Fallible<()> {
        let mut next: i128 = 0;
        let owners = self.slices(loc, slices, key, false)?;
        let (mut tiled, mut usual) = (true, true);
        for slice in &owners {
            // A file that was read has the elements that its numbers say.
            let (stored, count) = match self.slice_numbers(*slice) {
                Some((base, count)) => (base.into(), count.into()),
                None => {
                    let count = i128::from(self.count_items(*slice));
                    (self.stored_base(*slice)?.unwrap_or(next), count)
                }
            };
            if count == 0 {
                let expected = self.empty_base(*slice)?.unwrap_or(next);
                if stored != expected {
                    usual = false;
                    let at = match &self.tree.row(*slice).kind {
                        RowKind::Slice { base, .. } => {
                            self.tree.row_at(Loc::row(slice.node, *base))
                        }
                        _ => self.tree.row_at(*slice),
                    };
                    let message = format!("the empty slice begins at {stored}, not {expected}");
                    self.note(at, *slice, message);
                }
                continue;
            }
            tiled &= stored == next;
            next += count;
        }
        let at = self.tree.row_at(loc);
        if !tiled {
            self.note(at, loc, "the slices do not tile the table in its order".into());
        } else if next != i128::from(self.count_items(loc)) {
            tiled = false;
            self.note(at, loc, "elements of the table belong to nobody".into());
        }
        if !tiled || !usual {
            let owners = self.slices(loc, slices, key, true)?;
            let table = self.keep_table(loc, &owners)?;
            self.keep(loc, KeptKind::Table, table, KeptValue::None);
        }
        Ok(())
    }

    /// Where a slice of a file begins in its table, and how many elements it has, if that is plain to
    /// see.
    pub(crate) fn slice_numbers(&self, slice: Loc) -> Option<(i64, i64)> {
        let numbers = self.tree.row_plan(slice.node, slice.row).slice.as_ref()?;
        self.tree.slice_in_place(slice.node, numbers)
    }

    fn keep_table(&mut self, loc: Loc, owners: &[Loc]) -> Fallible<KeptValue> {
        let count = self.count_items(loc);
        let mut owned = alloc::vec![false; count as usize];
        let number = |n: i128| KeptValue::Int(n);
        let mut kept = alloc::vec![number(count.into()), number(owners.len() as i128)];
        for slice in owners {
            let elements = self.count_items(*slice);
            let base = self.stored_base(*slice)?;
            let stored = base.map_or(KeptValue::None, number);
            kept.extend([stored, number(elements.into())]);
            let first = base.and_then(|base| usize::try_from(base).ok()).unwrap_or(usize::MAX);
            let owned =
                first.checked_add(elements as usize).and_then(|end| owned.get_mut(first..end));
            owned.into_iter().flatten().for_each(|owned| *owned = true);
        }
        let mut asked = None;
        for (index, _) in (0..).zip(owned).filter(|(_, owned)| !owned) {
            let Some(bytes) = self.raw_element(loc, index, &mut asked) else {
                let element = self.tree.path(loc.at(index));
                return eval_error(format!("`{element}` belongs to nobody, so it would be lost"));
            };
            kept.extend([number(index.into()), KeptValue::Bytes(bytes)]);
        }
        Ok(KeptValue::List(kept))
    }

    /// Bytes of an element of an array, if it is nothing but these. `asked`: whether something asks
    /// for what is in the elements, which is found out once for all of them.
    fn raw_element(&self, loc: Loc, index: u32, asked: &mut Option<bool>) -> Option<Vec<u8>> {
        let Item::Array(array @ ArrayRef::Own(number)) = self.tree.item(loc) else { return None };
        let (from, start, size) = match self.tree.elements(number) {
            Elements::Records(records) => {
                (records.from, records.first + records.stride * index, records.stride)
            }
            Elements::Cells(cells) => {
                let size = u32::from(cell_bytes(cells.cell));
                (cells.from, cells.first + size * index, size)
            }
            _ => {
                let Item::Node(node) = self.tree.element(array, index)? else { return None };
                // What somebody asks for has to be there when the value is written, too.
                let size = self.size_alone(self.tree.record_id(node))?;
                let row = (self.tree.record_id(loc.node), loc.row);
                if *asked.get_or_insert_with(|| asks_for_elements(self.layout.owned(), row)) {
                    return None;
                }
                (From::File, self.tree.node_at(node), size)
            }
        };
        let bytes = matches!(from, From::File).then_some(self.tree.file)?;
        let start = start as usize;
        bytes.get(start..start.checked_add(size as usize)?).map(<[u8]>::to_vec)
    }

    /// Size of a record of which there is nothing anywhere else, and which takes the same number of
    /// bytes in every file.
    fn size_alone(&self, record: RecordId) -> Option<u32> {
        let plan = |record: RecordId| &self.layout.reading[record.index()];
        let (mut seen, mut todo) = (BTreeSet::from([record]), alloc::vec![record]);
        while let Some(id) = todo.pop() {
            if !plan(id).pointing.is_empty() || !plan(id).placing.is_empty() {
                return None;
            }
            todo.extend(self.model.held_by(id).filter(|inner| seen.insert(*inner)));
        }
        plan(record).size
    }

    fn kept_table(&self, loc: Loc) -> Option<KeptTable> {
        let kept = self.tree.kept_of(loc, KeptKind::Table)?;
        let KeptValue::List(values) = &kept.stored else { return None };
        let [KeptValue::Int(count), KeptValue::Int(owners), values @ ..] = &values[..] else {
            return None;
        };
        let owners = usize::try_from(*owners).ok()?;
        let count = usize::try_from(*count).ok()?;
        let mut table = KeptTable { count, ..KeptTable::default() };
        for pair in values.chunks_exact(2) {
            match pair {
                [base, KeptValue::Int(count)] if table.slices.len() < owners => {
                    let base = match base {
                        KeptValue::Int(base) => *base,
                        _ => 0,
                    };
                    table.slices.push((base, u32::try_from(*count).ok()?));
                }
                [KeptValue::Int(index), KeptValue::Bytes(bytes)] => {
                    table.others.push((usize::try_from(*index).ok()?, bytes.clone()));
                }
                _ => return None,
            }
        }
        Some(table)
    }

    /// A shared table: the slices of its owners one behind the other, or as the file had them.
    pub(crate) fn gather(
        &mut self,
        loc: Loc,
        slices: &'p [Path],
        key: Option<ExprId>,
    ) -> Fallible<Item> {
        let kept = self.kept_table(loc);
        let owners = self.slices(loc, slices, key, kept.is_some())?;
        let kept = kept.filter(|kept| kept.slices.len() == owners.len());
        let mut items = Vec::new();
        if let Some(kept) = &kept {
            if let Some(items) = self.as_it_was(loc, &owners, kept)? {
                for (slice, (base, _)) in owners.iter().zip(&kept.slices) {
                    self.writing.kept_bases.insert(*slice, *base);
                }
                return Ok(Item::Array(ArrayRef::Own(self.tree.add_items(&items))));
            }
        }
        let mut order: Vec<usize> = (0..owners.len()).collect();
        let mut others = Vec::new();
        if let Some(kept) = kept {
            order.sort_by_key(|i| kept.slices[*i].0);
            for slice in order.iter().filter(|i| kept.slices[**i].1 == 0) {
                if self.count_items(owners[*slice]) == 0 {
                    self.writing.kept_bases.insert(owners[*slice], kept.slices[*slice].0);
                }
            }
            others = kept.others;
        }
        let mut others = others.into_iter().peekable();
        for i in order {
            while let Some((_, bytes)) = others.next_if(|(at, _)| *at <= items.len()) {
                items.extend(self.element_of_bytes(loc, items.len(), &bytes)?);
            }
            let slice = owners[i];
            let base = u32::try_from(items.len()).unwrap_or(u32::MAX);
            if let Item::Array(array) = self.tree.item(slice) {
                let elements = 0..self.tree.count(array);
                items.extend(elements.filter_map(|index| self.tree.element(array, index)));
            }
            if let Some(slot) = self.tree.slot_index(slice) {
                let bases = &mut self.writing.bases;
                bases.resize(self.tree.slots.len().max(bases.len()), u32::MAX);
                bases[slot] = base;
            }
        }
        for (_, bytes) in others {
            items.extend(self.element_of_bytes(loc, items.len(), &bytes)?);
        }
        Ok(Item::Array(ArrayRef::Own(self.tree.add_items(&items))))
    }

    /// The elements where the file had them, unless slices have become longer or shorter, or those
    /// that had elements together do not agree any more.
    fn as_it_was(
        &mut self,
        loc: Loc,
        owners: &[Loc],
        kept: &KeptTable,
    ) -> Fallible<Option<Vec<Item>>> {
        let mut items: Vec<Option<Item>> = alloc::vec![None; kept.count];
        // A slice is written as a whole, unless some of its elements are those of another one.
        let mut apart = false;
        let mut unused = Vec::new();
        for (slice, (base, count)) in owners.iter().zip(&kept.slices) {
            if self.count_items(*slice) != u64::from(*count) {
                return Ok(None);
            }
            let Item::Array(array) = self.tree.item(*slice) else { continue };
            for index in 0..*count {
                let at = base.checked_add(index.into()).and_then(|at| usize::try_from(at).ok());
                let (Some(place), Some(item)) =
                    (at.and_then(|at| items.get_mut(at)), self.tree.element(array, index))
                else {
                    return Ok(None);
                };
                match *place {
                    None => *place = Some(item),
                    Some(other) if self.is_same(other, item) => {
                        // In a value that is edited, each slice has its own.
                        if self.writing.in_value {
                            continue;
                        }
                        apart = true;
                        if let (Item::Node(node), true) = (item, other != item) {
                            unused.push(node);
                        }
                    }
                    Some(_) => return Ok(None),
                }
            }
        }
        for (at, bytes) in &kept.others {
            let item = self.element_of_bytes(loc, *at, bytes)?;
            match items.get_mut(*at) {
                Some(place @ None) => *place = item,
                _ => return Ok(None),
            }
        }
        if apart {
            for (at, place) in (0..).zip(&mut items) {
                if let Some(Item::Node(node)) = *place {
                    *place = self.own_element(loc.at(at), node)?.map(Item::Node);
                }
            }
        }
        let Some(items) = items.into_iter().collect::<Option<Vec<Item>>>() else { return Ok(None) };
        unused.into_iter().for_each(|node| self.tree.bury(node));
        for (slice, (base, count)) in owners.iter().zip(&kept.slices).filter(|_| apart) {
            // Whoever asks for the address of an element is to find the one that has it.
            let first = usize::try_from(*base).unwrap_or(usize::MAX);
            let own = first.checked_add(*count as usize).and_then(|end| items.get(first..end));
            if let (Item::Array(_), Some(own)) = (self.tree.item(*slice), own) {
                let own = ArrayRef::Own(self.tree.add_items(own));
                self.tree.set_item(*slice, Item::Array(own));
            }
        }
        Ok(Some(items))
    }

    /// An element of a compact array as a node of its own.
    fn own_element(&mut self, at: Loc, node: NodeRef) -> Fallible<Option<NodeRef>> {
        if !node.is_element() {
            return Ok(Some(node));
        }
        let Some(records) = self.tree.records(node.id).copied() else { return Ok(None) };
        let start = (records.first + records.stride * node.element) as usize;
        let (bytes, order) = match records.from {
            From::File => (self.tree.file, Some(records.order)),
            From::Own => (&self.tree.own[..], None),
            From::Literal => return Ok(None),
        };
        let Some(bytes) = bytes.get(start..start + records.stride as usize) else {
            return Ok(None);
        };
        let bytes = bytes.to_vec();
        self.record_of_bytes(records.record, at, &bytes, order)
    }

    /// Whether two elements say the same, and so does what they own.
    pub(crate) fn is_same(&self, a: Item, b: Item) -> bool {
        match (a, b) {
            (Item::Node(a), Item::Node(b)) => {
                let mut rows = self.tree.record(a).numbered_rows();
                self.tree.record_id(a) == self.tree.record_id(b)
                    && rows.all(|(row, _)| {
                        let [a, b] = [a, b].map(|node| self.tree.entry(Loc::row(node, row)));
                        self.is_same(a, b)
                    })
            }
            (Item::Pointer(a), Item::Pointer(b)) => {
                let [a, b] = [a, b].map(|number| self.tree.pointers[number as usize].target);
                self.is_same(a, b)
            }
            (Item::Array(a), Item::Array(b)) => {
                self.tree.count(a) == self.tree.count(b)
                    && (0..self.tree.count(a)).all(|index| {
                        let element = |of| self.tree.element(of, index).unwrap_or(Item::Absent);
                        self.is_same(element(a), element(b))
                    })
            }
            (Item::Node(_) | Item::Array(_) | Item::Pointer(_), _)
            | (_, Item::Node(_) | Item::Array(_) | Item::Pointer(_)) => false,
            (a, b) => a == b || self.same_item(a, b),
        }
    }

    /// An element that was kept as bytes.
    fn element_of_bytes(&mut self, loc: Loc, index: usize, bytes: &[u8]) -> Fallible<Option<Item>> {
        let row = self.tree.row(loc);
        let mut ty = row.ty.stripped();
        while let Type::Pointer(pointer) = ty {
            let Some(owned) = pointer.owned() else { return Ok(None) };
            ty = owned.stripped();
        }
        let Type::Array(array) = ty else { return Ok(None) };
        match &array.element {
            Type::Record(record) => {
                // In a layout that has been chosen since, the bytes may be no element: they were
                // kept because there was nothing but them.
                let plan = &self.layout.reading[record.index()];
                let size = if plan.compact { plan.size } else { self.size_alone(*record) };
                if size.map(|size| size as usize) != Some(bytes.len()) {
                    return Ok(None);
                }
                let at = loc.at(u32::try_from(index).unwrap_or(u32::MAX));
                if !plan.compact {
                    return Ok(Some(Item::Node(self.raw_node(*record, at, bytes))));
                }
                let order = match self.model.records[record.index()].fixed_order() {
                    Some(order) => order.into(),
                    None => self.node_order(loc.node)?.unwrap_or_default(),
                };
                let node = self.record_of_bytes(*record, at, bytes, Some(order))?;
                node.iter().for_each(|node| self.keep_numbers(*node, bytes, order));
                Ok(node.map(Item::Node))
            }
            Type::Cell(cell) => {
                let Storage::Fixed(int) = cell.storage else { return Ok(None) };
                let order = match int.order {
                    Some(order) => Some(order.into()),
                    None => self.node_order(loc.node)?,
                };
                let mut number = [0; 8];
                for (i, byte) in bytes.iter().take(8).enumerate() {
                    let place = match order {
                        Some(Endian::Big) => bytes.len().min(8) - 1 - i,
                        _ => i,
                    };
                    number[place] = *byte;
                }
                Ok(Some(self.tree.meant(u64::from_le_bytes(number), cell, row)))
            }
            _ => Ok(None),
        }
    }

    /// A node that is written as the bytes that it was, and no part of the value: nothing asks for
    /// what is in it.
    fn raw_node(&mut self, record: RecordId, at: Loc, bytes: &[u8]) -> NodeRef {
        let node = self.tree.add(record, Some(at));
        self.tree.add_block(node);
        self.tree.bury(node);
        self.writing.raw.insert(node, bytes.to_vec());
        node
    }

    /// Whether a node is written as the bytes that it was.
    pub(crate) fn is_raw(&self, node: NodeRef) -> bool {
        !node.is_element() && self.writing.raw.contains_key(&NodeRef::own(node.id))
    }

    /// Numbers that usually follow from others stay what the bytes of an element say, since nobody has
    /// it who could say otherwise.
    fn keep_numbers(&mut self, node: NodeRef, bytes: &[u8], order: Endian) {
        let model = self.model;
        for (number, part) in (0..).zip(self.tree.plan(node).parts.clone()) {
            let Place::Home(start) = part.place else { continue };
            let record = &model.records[part.record.index()];
            let order = part.order.unwrap_or(order);
            for (id, row) in record.numbered_rows() {
                let usual = matches!(row.role, Role::Kept(expr) if kept_kind(&model[expr]) == KeptKind::Number);
                let (true, Type::Cell(cell)) = (usual, row.ty.stripped()) else { continue };
                let loc = Loc::row(NodeRef { part: number, ..node }, id);
                let raw = |int: IntType, at: u64| {
                    let order = int.order.map_or(order, Endian::from);
                    crate::load_uint(bytes, u64::from(start) + at, int.bytes, order).ok()
                };
                let place = self.tree.row_plan(loc.node, loc.row).place;
                let raw = match (&record.kind, cell.storage, place) {
                    (RecordKind::Word(int), Storage::Word { first, last, .. }, _) => {
                        let mask = u64::MAX >> (63 - (last - first));
                        raw(*int, 0).map(|word| word >> first & mask)
                    }
                    (_, Storage::Fixed(int), Place::Home(at)) => raw(int, at.into()),
                    (_, Storage::Fixed(int), Place::Tail(at)) => {
                        let block = self.tree.plan_of(part.record).block.unwrap_or(0);
                        raw(int, (block + at).into())
                    }
                    _ => None,
                };
                let Some(raw) = raw else { continue };
                let stored = self.kept_value(self.tree.meant(raw, cell, row));
                let (kind, instead_of) = (KeptKind::Number, KeptValue::None);
                self.tree.keep(loc.node, Kept { row: id, index: None, kind, stored, instead_of });
            }
        }
    }

    /// A record from its bytes, which have the byte order of a file, or else the lowest byte first.
    fn record_of_bytes(
        &mut self,
        record: RecordId,
        at: Loc,
        bytes: &[u8],
        order: Option<Endian>,
    ) -> Fallible<Option<NodeRef>> {
        let node = self.tree.add(record, Some(at));
        self.tree.add_block(node);
        let block = self.tree.block(node);
        for piece in &self.tree.plan(node).pieces {
            let Place::Home(offset) = piece.place else { return Ok(None) };
            let (from, to) = (offset as usize, (block + piece.from) as usize);
            let len = piece.len as usize;
            let source = bytes.get(from..from + len);
            let place = self.tree.own.get_mut(to..to + len);
            let (Some(source), Some(place)) = (source, place) else { return Ok(None) };
            place.copy_from_slice(source);
            let order = order.map(|order| piece.order.unwrap_or(order));
            if piece.number && order == Some(Endian::Big) {
                place.reverse();
            }
        }
        Ok(Some(node))
    }

    /// Index that the schema says for a slice without elements. The equation of the base's row turns
    /// it back into the stored number.
    pub(crate) fn empty_base(&self, loc: Loc) -> Fallible<Option<i128>> {
        match &self.tree.row(loc).kind {
            kind @ RowKind::Slice { empty_base: Some(stored), .. } => said_base(kind, *stored),
            _ => Ok(None),
        }
    }

    /// Index of a slice's first element in its table.
    pub(crate) fn slice_base(&mut self, loc: Loc) -> Fallible<i128> {
        let RowKind::Slice { table, .. } = &self.tree.row(loc).kind else { return Ok(0) };
        if self.is_reading() {
            // Compared with the table as a whole, not slice by slice.
            return Ok(self.stored_base(loc)?.unwrap_or(0));
        }
        if !self.tree.kept.is_empty() {
            self.force_tables(table, loc)?;
        }
        if let Some(base) = self.writing.kept_bases.get(&loc) {
            return Ok(*base);
        }
        if self.count_items(loc) == 0 {
            if let Some(index) = self.empty_base(loc)? {
                return Ok(index);
            }
        }
        if let Some(base) = self.base_in_table(loc) {
            return Ok(base.into());
        }
        self.force_tables(table, loc)?;
        match self.base_in_table(loc) {
            Some(base) => Ok(base.into()),
            None => Err(Box::new(Fault::Eval("the shared table does not take this slice".into()))),
        }
    }

    fn force_tables(&mut self, table: &'p Path, slice: Loc) -> Fallible<()> {
        self.walk(table, slice.node, None, &mut false, &mut |engine, val| {
            if let Val::Loc(table) = val {
                engine.force_loc(table)?;
            }
            Ok(true)
        })?;
        Ok(())
    }

    /// Index of a slice's first element, if its table has taken it.
    pub(crate) fn base_in_table(&self, loc: Loc) -> Option<u32> {
        let base = *self.writing.bases.get(self.tree.slot_index(loc)?)?;
        (base != u32::MAX).then_some(base)
    }
}

pub(super) const LARGE_BASE: &str = "the base of the slice is too large";

/// Index that a stored number says for the first element of a slice.
pub(super) fn said_base(slice: &RowKind, stored: i128) -> Fallible<Option<i128>> {
    let RowKind::Slice { factor, offset, unit, .. } = slice else { return Ok(None) };
    let counted = stored.checked_mul(*factor).and_then(|n| n.checked_add(*offset));
    let Some(counted) = counted else { return eval_error(LARGE_BASE) };
    match (counted.checked_div(*unit), counted.checked_rem(*unit)) {
        (Some(index), Some(0)) => Ok(Some(index)),
        _ => eval_error(format!("the slice begins at {counted}, which is no multiple of {unit}")),
    }
}
