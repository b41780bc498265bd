//! A file that can be read, with everything that a rule can be broken at.

use std::collections::{HashMap, HashSet};

use formwork::ReadOptions;
use formwork::engine::{Program, read};
use formwork::straight::Stop;
use formwork_codegen::model::{
    EpochId, Home, Model, PointerType, Record, RecordId, RecordKind, Row, RowId, Storage, Tag,
    Target, Type,
};

use super::cell::whole_bytes;
use super::nodes::{ItemView, NodeView, nodes};
use super::order::Turn;
use super::uses::{Phase, Uses};

/// A file, as it is before anything is broken.
pub struct File<'m> {
    /// The model, of the file's epoch.
    pub model: &'m Model,
    /// That epoch.
    pub epoch: EpochId,
    /// The bytes.
    pub bytes: &'m [u8],
    /// One for each use of a record.
    pub nodes: Vec<NodeView>,
    /// How many things were noticed that are no errors.
    pub notes: usize,
    /// Which rows the model's expressions mention.
    pub uses: Uses,
    /// Positions of the nodes that a node owns.
    owned: Vec<Vec<usize>>,
    /// Positions of the nodes of each record.
    pub nodes_of: HashMap<RecordId, Vec<usize>>,
    /// Elements of the longest array: no index may be greater.
    pub longest: u64,
    /// How often each byte is read as part of a row; bits count once for all.
    claims: Vec<u8>,
    /// Who reads a text first, by the offset of its first byte.
    texts: HashMap<u64, (Turn, usize, RowId, Option<u32>)>,
    /// How many regions end at a terminator that begins at this offset.
    terminators: HashMap<u64, usize>,
    /// Bytes that decide how the rest is read: byte order, epoch, tags in front of whole structs.
    steering: HashSet<u64>,
}

/// A place that holds one value of a simple type: in a row, in an element, or behind a pointer.
#[derive(Debug, Clone, Copy)]
pub struct Site<'f> {
    /// The node.
    pub node: usize,
    /// The row.
    pub row: RowId,
    /// Position in the array in the row.
    pub index: Option<u32>,
    /// Type of what is there.
    pub ty: &'f Type,
    /// What is there.
    pub item: &'f ItemView,
    /// Offset of the first byte.
    pub at: u64,
    /// Offset behind the last byte, where it is known.
    pub end: Option<u64>,
    /// Whether a pointer in the row leads to it.
    pub behind: bool,
    /// Of an element: whether the array ends where an element says so.
    pub ends_array: bool,
}

impl<'m> File<'m> {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The message of the reader, if the file is broken already.
    pub fn read(program: &'m Program, bytes: &'m [u8]) -> Result<File<'m>, String> {
        let mut document =
            read(program, bytes, &ReadOptions::default()).map_err(|error| error.to_string())?;
        let epoch = document.epoch();
        let view = program.model_in(epoch);
        let mut file = File {
            model: view,
            epoch,
            bytes,
            nodes: nodes(&mut document),
            notes: document.notes().len(),
            uses: Uses::of(view),
            owned: Vec::new(),
            nodes_of: HashMap::new(),
            longest: 0,
            claims: vec![0; bytes.len()],
            texts: HashMap::new(),
            terminators: HashMap::new(),
            steering: HashSet::new(),
        };
        for (position, node) in file.nodes.iter().enumerate() {
            file.nodes_of.entry(node.record).or_default().push(position);
            file.owned.push(Vec::new());
            if let Some(owned) = node.owner.and_then(|owner| file.owned.get_mut(owner)) {
                owned.push(position);
            }
        }
        file.count_claims();
        file.find_texts();
        file.find_steering();
        let mut longest = 0;
        file.sites(&mut |site| {
            if let ItemView::Array { items, .. } = site.item {
                longest = longest.max(items.len() as u64);
            }
        });
        file.longest = longest;
        Ok(file)
    }

    /// The record of a node.
    #[must_use]
    pub fn record(&self, node: usize) -> &'m Record {
        &self.model.records[self.nodes[node].record.index()]
    }

    /// A row of a node.
    #[must_use]
    pub fn row(&self, node: usize, row: RowId) -> &'m Row {
        &self.record(node).rows[row.index()]
    }

    /// A row, as a position in the model.
    #[must_use]
    pub fn key(&self, site: &Site<'_>) -> (RecordId, RowId) {
        (self.nodes[site.node].record, site.row)
    }

    /// The nearest of a node and those around it that is one of these records.
    #[must_use]
    pub fn nearest(&self, node: usize, records: &[RecordId]) -> Option<usize> {
        let mut node = Some(node);
        while let Some(at) = node
            && !records.contains(&self.nodes[at].record)
        {
            node = self.nodes[at].owner;
        }
        node
    }

    /// The nodes that a node owns.
    #[must_use]
    pub fn owned(&self, node: usize) -> &[usize] {
        self.owned.get(node).map_or(&[], Vec::as_slice)
    }

    /// Size of the file in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The byte at an offset.
    #[must_use]
    pub fn byte(&self, at: u64) -> Option<u8> {
        self.bytes.get(usize::try_from(at).ok()?).copied()
    }

    /// Where a row stands in the file's epoch.
    #[must_use]
    pub fn home(&self, row: &Row) -> Home {
        row.homes.get(self.epoch.index()).copied().unwrap_or(Home::Nowhere)
    }

    /// Path of a row or element, as errors say it.
    #[must_use]
    pub fn path(&self, node: usize, row: Option<RowId>, index: Option<u32>) -> String {
        let mut steps = Vec::new();
        let mut at = Some((node, row, index));
        while let Some((node, row, index)) = at {
            if let Some(index) = index {
                steps.push(format!("[{index}]"));
            }
            if let Some(row) = row {
                self.push_name(node, row, &mut steps);
            }
            let view = &self.nodes[self.of_case(node)];
            at = view.owner.map(|owner| (owner, Some(view.owner_row), view.index));
        }
        steps.reverse();
        let path = steps.concat();
        match path.strip_prefix('.') {
            Some(path) => path.to_owned(),
            None if path.is_empty() => "file".to_owned(),
            None => path,
        }
    }

    /// The case of a form, whose rows stand for those of the case.
    pub fn of_case(&self, node: usize) -> usize {
        let mut node = node;
        while matches!(self.record(node).kind, RecordKind::Form(..)) {
            let Some(owner) = self.nodes[node].owner else { break };
            node = owner;
        }
        node
    }

    fn push_name(&self, node: usize, row: RowId, steps: &mut Vec<String>) {
        let record = self.record(node);
        let Some(definition) = record.rows.get(row.index()) else { return };
        let body = matches!(definition.ty, Type::Union(id) if self.model.unions[id.index()].body);
        if let Some(name) = &definition.name
            && record.transparent != Some(row)
            && !body
        {
            steps.push(format!(".{name}"));
        }
    }

    /// Path of a site.
    #[must_use]
    pub fn site_path(&self, site: &Site<'_>) -> String {
        self.path(site.node, Some(site.row), site.index)
    }

    /// Name of a row for people: that of its record, and its own or its offset there.
    #[must_use]
    pub fn about(&self, node: usize, row: RowId) -> String {
        let record = self.record(node);
        let definition = &record.rows[row.index()];
        match (&definition.name, self.home(definition)) {
            (Some(name), _) => format!("{}.{name}", record.name),
            (None, Home::At(offset)) => format!("{}+0x{offset:x}", record.name),
            (None, _) => format!("{}#{}", record.name, row.0),
        }
    }

    /// Calls `visit` for everything that the file holds.
    pub fn sites<'f>(&'f self, visit: &mut dyn FnMut(Site<'f>)) {
        for node in 0..self.nodes.len() {
            for row in 0..self.nodes[node].rows.len() {
                self.row_sites(node, RowId(u32::try_from(row).unwrap_or(u32::MAX)), visit);
            }
        }
    }

    /// Calls `visit` for everything in one row.
    pub fn row_sites<'f>(&'f self, node: usize, row: RowId, visit: &mut dyn FnMut(Site<'f>)) {
        let definition = self.row(node, row);
        let view = &self.nodes[node].rows[row.index()];
        // Slices are elements of another row; logical fields of forms are spelled there.
        let elsewhere = matches!(definition.role, formwork_codegen::model::Role::Elsewhere)
            || matches!(definition.kind, formwork_codegen::model::RowKind::Slice { .. });
        let Some(at) = view.at.filter(|_| !elsewhere) else { return };
        let site = Site {
            node,
            row,
            index: None,
            ty: &definition.ty,
            item: &view.item,
            at,
            end: view.end,
            behind: false,
            ends_array: false,
        };
        self.inner_sites(site, visit);
    }

    fn inner_sites<'f>(&'f self, site: Site<'f>, visit: &mut dyn FnMut(Site<'f>)) {
        match (site.ty, site.item) {
            (Type::Region(region), _) => {
                visit(site);
                self.inner_sites(Site { ty: &region.inner, ..site }, visit);
            }
            (Type::Pointer(pointer), ItemView::Pointer { target, at, end, cell, .. }) => {
                visit(Site { at: cell.unwrap_or(site.at), ..site });
                let (Some(at), Some(cell)) = (*at, *cell) else { return };
                if at == cell || matches!(**target, ItemView::Nothing) {
                    return;
                }
                match &pointer.target {
                    Target::Own(ty) => {
                        let inner = Site { ty, item: target, at, end: *end, behind: true, ..site };
                        self.inner_sites(inner, visit);
                    }
                    Target::Pooled => {
                        let kind = &self.model.pointers[pointer.kind.index()];
                        if let Some(ty) = kind.text.as_deref() {
                            let inner =
                                Site { ty, item: target, at, end: None, behind: true, ..site };
                            self.inner_sites(inner, visit);
                        }
                    }
                    Target::Element => {}
                }
            }
            (Type::Array(array), ItemView::Array { items, at, end }) => {
                visit(Site { at: at.unwrap_or(site.at), end: *end, ..site });
                if site.index.is_some() {
                    // Paths have room for one position in a row.
                    return;
                }
                let ends = matches!(array.length, formwork_codegen::model::ArrayLength::Last(_));
                for (index, (at, item)) in (0_u32..).zip(items) {
                    let Some(at) = *at else { continue };
                    self.inner_sites(
                        Site {
                            index: Some(index),
                            ty: &array.element,
                            item,
                            at,
                            end: None,
                            ends_array: ends,
                            ..site
                        },
                        visit,
                    );
                }
            }
            _ => visit(site),
        }
    }

    /// Whether bytes belong to one row only, and decide nothing before it is read.
    #[must_use]
    pub fn alone(&self, at: u64, end: u64) -> bool {
        (at..end).all(|at| {
            usize::try_from(at).ok().and_then(|at| self.claims.get(at)).is_some_and(|n| *n <= 1)
                && !self.steering.contains(&at)
        })
    }

    /// Whether some expression mentions a row in this phase.
    #[must_use]
    pub fn mentioned(&self, key: (RecordId, RowId), phase: Phase) -> bool {
        self.uses.of_row(key.0, key.1).iter().any(|usage| usage.phase == phase)
    }

    /// Whether a region around a node, up to the object that it is part of, may end before the file.
    #[must_use]
    pub fn in_region(&self, mut node: usize) -> bool {
        loop {
            let view = &self.nodes[self.of_case(node)];
            let Some(owner) = view.owner else { return false };
            let row = self.row(owner, view.owner_row);
            match bounded(self.model, &row.ty) {
                Bounds::Bounded => return true,
                Bounds::Free => return false,
                Bounds::Around => {}
            }
            if matches!(row.kind, formwork_codegen::model::RowKind::Object { .. }) {
                return false;
            }
            node = owner;
        }
    }

    /// Whether a site is the first one that reads the text at this offset.
    #[must_use]
    pub fn reads_first(&self, site: &Site<'_>, start: u64) -> bool {
        let first = self.texts.get(&start);
        first.is_some_and(|(_, node, row, index)| {
            (*node, *row, *index) == (site.node, site.row, site.index)
        })
    }

    /// Whether a pointer in a pool counts from somewhere else than the start of the file.
    fn counts_from_pool(&self, site: &Site<'_>) -> bool {
        fn pooled(ty: &Type) -> Option<&PointerType> {
            match ty {
                Type::Pointer(pointer) => match &pointer.target {
                    Target::Pooled => Some(pointer),
                    Target::Own(target) => pooled(target),
                    Target::Element => None,
                },
                Type::Region(region) => pooled(&region.inner),
                Type::Array(array) => pooled(&array.element),
                _ => None,
            }
        }
        let pointer = pooled(&self.row(site.node, site.row).ty);
        pointer.is_some_and(|pointer| self.model.pointers[pointer.kind.index()].base.is_some())
    }

    /// How many texts end at a terminator that begins here.
    #[must_use]
    pub fn terminated_at(&self, at: u64) -> usize {
        self.terminators.get(&at).copied().unwrap_or(0)
    }

    fn find_texts(&mut self) {
        let mut texts: HashMap<u64, (Turn, usize, RowId, Option<u32>)> = HashMap::new();
        self.sites(&mut |site| {
            if let Type::Run(run) = site.ty
                && let Some(start) = site.at.checked_next_multiple_of(run.align.unwrap_or(1).max(1))
            {
                // To know where its pool is, the reader reads the pool.
                let turn =
                    if self.counts_from_pool(&site) { vec![vec![2]] } else { self.turn(&site) };
                let here = (turn, site.node, site.row, site.index);
                match texts.get_mut(&start) {
                    Some(first) if first.0 > here.0 => *first = here,
                    Some(_) => {}
                    None => {
                        texts.insert(start, here);
                    }
                }
            }
        });
        self.texts = texts;
    }

    fn count_claims(&mut self) {
        let mut claims = vec![0_u8; self.bytes.len()];
        let mut claim = |at: u64, end: u64| {
            for at in at..end {
                if let Some(n) = usize::try_from(at).ok().and_then(|at| claims.get_mut(at)) {
                    *n = n.saturating_add(1);
                }
            }
        };
        self.sites(&mut |site| match site.ty {
            Type::Cell(cell) => {
                if let Some(size) = whole_bytes(cell)
                    && !matches!(cell.storage, Storage::Word { .. })
                {
                    claim(site.at, site.at + size);
                }
            }
            Type::Pointer(pointer) => {
                if let Some(size) = whole_bytes(self.pointer_cell(pointer)) {
                    claim(site.at, site.at + size);
                }
            }
            Type::Run(_) => {
                if let Some(end) = site.end.filter(|_| site.index.is_none()) {
                    claim(site.at, end);
                }
            }
            _ => {}
        });
        self.claims = claims;
    }

    fn find_steering(&mut self) {
        let mut found = HashSet::new();
        let mut terminators: HashMap<u64, usize> = HashMap::new();
        if let formwork_codegen::model::ByteOrderRule::Mark { offset } = self.model.byte_order {
            found.extend(offset..offset + 2);
        }
        for variable in &self.model.epoch_variables {
            if let Some(size) = whole_bytes(&variable.cell) {
                found.extend(variable.offset..variable.offset + size);
            }
        }
        for (node, view) in self.nodes.iter().enumerate() {
            let (Some(owner), Some(at)) = (view.owner, view.at) else { continue };
            if matches!(self.record(node).kind, RecordKind::Form(..)) {
                continue;
            }
            let ty = &self.row(owner, view.owner_row).ty;
            let Some(union) = union_in(ty).map(|id| &self.model.unions[id.index()]) else {
                continue;
            };
            let whole =
                union.cases.iter().any(|case| case.whole && case.record == self.nodes[node].record);
            if let (Tag::Own(cell) | Tag::Word(cell), true) = (&union.tag, whole) {
                found.extend(at..at + whole_bytes(cell).unwrap_or(0));
            }
        }
        self.sites(&mut |site| {
            if let Type::Region(region) = site.ty
                && let formwork_codegen::model::Extent::Terminated(terminator) = &region.extent
            {
                let from = usize::try_from(site.at).unwrap_or(usize::MAX);
                let order = self.nodes[site.node].order.unwrap_or_default();
                let stop = Stop::of(terminator, order);
                if let Some(content) = stop.find(self.bytes.get(from..).unwrap_or(&[])) {
                    let at = site.at + content as u64;
                    found.extend(at..at + stop.width() as u64);
                    *terminators.entry(at).or_default() += 1;
                }
            }
        });
        self.terminators = terminators;
        self.steering = found;
    }
}

enum Bounds {
    /// The region around it.
    Around,
    /// A region of its own.
    Bounded,
    /// The file.
    Free,
}

fn bounded(model: &Model, ty: &Type) -> Bounds {
    match ty {
        Type::Region(_) => Bounds::Bounded,
        Type::Array(array) if array.stride.is_some() => Bounds::Bounded,
        Type::Array(array) => bounded(model, &array.element),
        Type::Union(id) if model.unions[id.index()].size.is_some() => Bounds::Bounded,
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => match bounded(model, target) {
                Bounds::Around => Bounds::Free,
                other => other,
            },
            Target::Pooled | Target::Element => Bounds::Free,
        },
        _ => Bounds::Around,
    }
}

/// The union in a row, also of its elements.
fn union_in(ty: &Type) -> Option<formwork_codegen::model::UnionId> {
    match ty {
        Type::Union(id) => Some(*id),
        Type::Region(region) => union_in(&region.inner),
        Type::Array(array) => union_in(&array.element),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => union_in(target),
            Target::Pooled | Target::Element => None,
        },
        _ => None,
    }
}
