//! Follows paths through the tree.

use formwork_model::{BinaryOp, Expr, ExprId, Member, Path, Start, Step};

use crate::engine::{Engine, Fallible, eval_error};
use crate::eval::{Found, Place, Val};
use crate::tree::{Item, Loc, NodeId, through};

impl<'m> Engine<'m, '_> {
    /// What a path leads to.
    pub(crate) fn find(
        &mut self,
        path: &'m Path,
        this: NodeId,
        it: Option<&Val>,
    ) -> Fallible<Found> {
        self.deeper(|engine| engine.find_inner(path, this, it))
    }

    fn find_inner(&mut self, path: &'m Path, this: NodeId, it: Option<&Val>) -> Fallible<Found> {
        let mut many = false;
        let mut here: Vec<Val> = match &path.start {
            Start::This => vec![Val::Place(Place::Node(this))],
            Start::Up(levels) => {
                let mut node = this;
                for _ in 0..*levels {
                    match self.tree.node(node).owner {
                        Some(owner) => node = owner,
                        None => return Ok(Found { values: Vec::new(), many }),
                    }
                }
                vec![Val::Place(Place::Node(node))]
            }
            Start::Enclosing(records) => {
                let mut at = Some(this);
                loop {
                    match at {
                        Some(node) if records.contains(&self.tree.node(node).record) => {
                            break vec![Val::Place(Place::Node(node))];
                        }
                        Some(node) => at = self.tree.node(node).owner,
                        None => return Ok(Found { values: Vec::new(), many }),
                    }
                }
            }
            Start::Root => vec![Val::Place(Place::Node(self.root))],
            Start::It => match it {
                Some(val) => vec![val.clone()],
                None => return eval_error("`it` stands for nothing here"),
            },
            Start::Argument(index) => {
                let owner = self.tree.node(this).owner;
                let argument = self.record(this).arguments.get(*index as usize);
                match (owner, argument) {
                    (Some(owner), Some(argument)) => {
                        let found = self.find_expr(*argument, owner, None)?;
                        many = found.many;
                        found.values
                    }
                    _ => Vec::new(),
                }
            }
        };
        for step in &path.steps {
            let mut next = Vec::with_capacity(here.len());
            for val in here {
                match step {
                    Step::Field(field) => {
                        for node in self.nodes_of(&val, &mut many)? {
                            let record = self.tree.node(node).record;
                            let way = field.members.iter().find(|(r, _)| *r == record);
                            if let Some((_, way)) = way {
                                self.follow(node, way, &mut next, &mut many)?;
                            }
                        }
                    }
                    Step::Index(index) => {
                        let Some(index) = self.eval_int(*index, this, it)? else { continue };
                        if let Some(val) = self.element(&val, index)? {
                            next.push(val);
                        }
                    }
                    Step::Last => {
                        if let Val::Place(Place::Loc(loc)) = val {
                            self.force_known(loc)?;
                            let count = self.count_items(loc);
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

    /// What an expression leads to, as a stream if it is one.
    pub(crate) fn find_expr(
        &mut self,
        expr: ExprId,
        this: NodeId,
        it: Option<&Val>,
    ) -> Fallible<Found> {
        match &self.model[expr] {
            Expr::Path(path) => self.find(path, this, it),
            Expr::Binary(BinaryOp::Concatenate, a, b) => {
                let mut a = self.stream_of(*a, this, it)?;
                a.extend(self.stream_of(*b, this, it)?);
                Ok(Found { values: a, many: true })
            }
            Expr::Coalesce(a, b) => {
                let found = self.find_expr(*a, this, it)?;
                if found.many || !found.values.is_empty() {
                    let mut there = found.many;
                    for val in &found.values {
                        there |= !matches!(self.load(val.clone())?, Val::None);
                    }
                    if there {
                        return Ok(found);
                    }
                }
                self.find_expr(*b, this, it)
            }
            _ => match self.eval(expr, this, it)? {
                Val::None => Ok(Found { values: Vec::new(), many: false }),
                val => Ok(Found { values: vec![val], many: false }),
            },
        }
    }

    /// The elements that an expression names: of an array all, of anything else itself.
    pub(crate) fn stream_of(
        &mut self,
        expr: ExprId,
        this: NodeId,
        it: Option<&Val>,
    ) -> Fallible<Vec<Val>> {
        let found = self.find_expr(expr, this, it)?;
        let mut all = Vec::with_capacity(found.values.len());
        for val in found.values {
            let Val::Place(Place::Loc(loc)) = val else {
                all.push(val);
                continue;
            };
            self.force_known(loc)?;
            match self.tree.item(loc) {
                Item::Array(array) if loc.index.is_none() => {
                    let count = u32::try_from(array.items.len()).unwrap_or(u32::MAX);
                    self.charge(count.into())?;
                    for index in 0..count {
                        all.push(Val::Place(Place::Loc(Loc { index: Some(index), ..loc })));
                    }
                }
                Item::Absent => {}
                _ => all.push(val),
            }
        }
        Ok(all)
    }

    fn element(&mut self, val: &Val, index: i128) -> Fallible<Option<Val>> {
        match val {
            Val::Place(Place::Loc(loc)) if loc.index.is_none() => {
                self.force_known(*loc)?;
                // A transparent record stands for the array in it.
                let mut loc = *loc;
                while let Item::Node(node) = self.tree.item(loc) {
                    let node = *node;
                    match self.record(node).transparent {
                        Some(row) => loc = Loc::row(node, row),
                        None => return Ok(None),
                    }
                }
                match self.tree.item(loc) {
                    Item::Array(array) => {
                        let inside = usize::try_from(index).is_ok_and(|i| i < array.items.len());
                        Ok(match (inside, u32::try_from(index)) {
                            (true, Ok(index)) => {
                                Some(Val::Place(Place::Loc(Loc { index: Some(index), ..loc })))
                            }
                            _ => None,
                        })
                    }
                    Item::Bytes(bytes) => Ok(usize::try_from(index)
                        .ok()
                        .and_then(|i| bytes.get(i))
                        .map(|b| Val::Int((*b).into()))),
                    _ => Ok(None),
                }
            }
            Val::Bytes(bytes) => Ok(usize::try_from(index)
                .ok()
                .and_then(|i| bytes.get(i))
                .map(|b| Val::Int((*b).into()))),
            _ => Ok(None),
        }
    }

    /// The nodes at a place: of an array all elements.
    fn nodes_of(&mut self, val: &Val, many: &mut bool) -> Fallible<Vec<NodeId>> {
        match val {
            Val::Place(Place::Node(node)) => Ok(vec![*node]),
            Val::Place(Place::Loc(loc)) => {
                self.force_known(*loc)?;
                match self.tree.item(*loc) {
                    Item::Node(node) => {
                        let node = *node;
                        // Into a transparent record that stands for an array of records.
                        if let Some(row) = self.record(node).transparent {
                            let inner = Loc::row(node, row);
                            self.force_loc(inner)?;
                            if matches!(self.tree.item(inner), Item::Array(_)) {
                                let mut nodes = vec![node];
                                nodes.extend(
                                    self.nodes_of(&Val::Place(Place::Loc(inner)), &mut false)?,
                                );
                                *many = true;
                                return Ok(nodes);
                            }
                        }
                        Ok(vec![node])
                    }
                    Item::Array(array) => {
                        *many = true;
                        let unread = |item: &Item| matches!(item, Item::Pointer(p) if matches!(p.target, Item::Unset));
                        let count = array.items.len();
                        if array.items.iter().any(unread) {
                            for index in 0..count {
                                let index = u32::try_from(index).ok();
                                self.force_loc(Loc { index, ..*loc })?;
                            }
                        }
                        let Item::Array(array) = self.tree.item(*loc) else {
                            return Ok(Vec::new());
                        };
                        let nodes: Vec<NodeId> = array
                            .items
                            .iter()
                            .filter_map(|item| match through(item) {
                                Item::Node(node) => Some(*node),
                                _ => None,
                            })
                            .collect();
                        self.charge(nodes.len() as u64)?;
                        Ok(nodes)
                    }
                    Item::Int(_) => match self.element_of(*loc)? {
                        Some(element) => self.nodes_of(&Val::Place(Place::Loc(element)), many),
                        None => Ok(Vec::new()),
                    },
                    _ => Ok(Vec::new()),
                }
            }
            _ => Ok(Vec::new()),
        }
    }

    fn follow(
        &mut self,
        mut node: NodeId,
        way: &'m [Member],
        found: &mut Vec<Val>,
        many: &mut bool,
    ) -> Fallible<()> {
        for member in way {
            match member {
                Member::Row(row) => found.push(Val::Place(Place::Loc(Loc::row(node, *row)))),
                Member::Into(row) => {
                    self.force(node, *row)?;
                    match self.tree.item(Loc::row(node, *row)) {
                        Item::Node(inner) => node = *inner,
                        _ => return Ok(()),
                    }
                }
                Member::Let(index) => {
                    let Some(definition) = self.record(node).lets.get(*index as usize) else {
                        continue;
                    };
                    let inner = self.find_expr(definition.expr, node, None)?;
                    *many |= inner.many;
                    found.extend(inner.values);
                }
            }
        }
        Ok(())
    }
}
