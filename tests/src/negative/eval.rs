//! What expressions are in a file of which one number is another one.
//!
//! Only what rules about numbers need: paths, integers, truth values, counts, sums and addresses.

use formwork_codegen::model::{
    BinaryOp, Expr, ExprId, Function, Home, Meaning, Member, Path, RecordKind, RowId, Start, Step,
    StreamFunction, Type, UnaryOp,
};

use super::file::File;
use super::nodes::ItemView;

/// A place in the tree of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Node(usize),
    Row(usize, RowId, Option<u32>),
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Val {
    None,
    Int(i128),
    Bool(bool),
    Place(Place),
}

/// Nobody can say it here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unknown;

type Result<T> = std::result::Result<T, Unknown>;

/// A file with one number changed.
#[derive(Clone, Copy)]
pub(super) struct Changed<'f, 'm> {
    pub file: &'f File<'m>,
    /// The row or element, and the number that is stored there.
    pub number: Option<(Place, i128)>,
}

impl<'m> Changed<'_, 'm> {
    /// An integer, or nothing.
    pub(super) fn int(&self, expr: ExprId, this: usize, it: Option<Place>) -> Result<Option<i128>> {
        match self.eval(expr, this, it)? {
            Val::Int(n) => Ok(Some(n)),
            Val::None => Ok(None),
            Val::Bool(_) | Val::Place(_) => Err(Unknown),
        }
    }

    /// A condition; nothing does not hold.
    pub(super) fn holds(&self, expr: ExprId, this: usize, it: Option<Place>) -> Result<bool> {
        match self.eval(expr, this, it)? {
            Val::Bool(b) => Ok(b),
            Val::None => Ok(false),
            Val::Int(_) | Val::Place(_) => Err(Unknown),
        }
    }

    /// The value of an expression; paths to numbers are the numbers.
    pub(super) fn eval(&self, expr: ExprId, this: usize, it: Option<Place>) -> Result<Val> {
        Ok(match &self.file.model[expr] {
            Expr::Int(n) => Val::Int(*n),
            Expr::Bool(b) => Val::Bool(*b),
            Expr::Path(path) => match self.one(path, this, it)? {
                Some(place) => self.load(place)?,
                None => Val::None,
            },
            Expr::Unary(op, inner) => match (op, self.eval(*inner, this, it)?) {
                (_, Val::None) => Val::None,
                (UnaryOp::Negate, Val::Int(n)) => Val::Int(-n),
                (UnaryOp::Not, Val::Bool(b)) => Val::Bool(!b),
                (UnaryOp::Complement, Val::Int(n)) => Val::Int(!n),
                _ => return Err(Unknown),
            },
            Expr::Binary(BinaryOp::BothTrue, a, b) => {
                Val::Bool(self.holds(*a, this, it)? && self.holds(*b, this, it)?)
            }
            Expr::Binary(BinaryOp::EitherTrue, a, b) => {
                Val::Bool(self.holds(*a, this, it)? || self.holds(*b, this, it)?)
            }
            Expr::Binary(op, a, b) => {
                binary(*op, self.eval(*a, this, it)?, self.eval(*b, this, it)?)?
            }
            Expr::If(condition, a, b) => {
                let taken = if self.holds(*condition, this, it)? { a } else { b };
                self.eval(*taken, this, it)?
            }
            Expr::Coalesce(a, b) => match self.eval(*a, this, it)? {
                Val::None => self.eval(*b, this, it)?,
                val => val,
            },
            Expr::In(a, ranges) => {
                let Some(number) = self.int(*a, this, it)? else { return Ok(Val::None) };
                let mut hit = false;
                for (low, high) in ranges {
                    let low = self.int(*low, this, it)?.ok_or(Unknown)?;
                    let high = match high {
                        Some(high) => self.int(*high, this, it)?.ok_or(Unknown)?,
                        None => low,
                    };
                    hit |= (low..=high).contains(&number);
                }
                Val::Bool(hit)
            }
            Expr::Is(path, case) => match self.one(path, this, it)? {
                Some(place) => match self.node_at(place) {
                    Some(node) => match self.file.record(node) {
                        record if matches!(record.kind, RecordKind::Case(..)) => {
                            Val::Bool(record.template == *case)
                        }
                        _ => return Err(Unknown),
                    },
                    None => Val::None,
                },
                None => Val::None,
            },
            Expr::Call(Function::Number, arguments) => match arguments.as_slice() {
                [argument] => match self.eval(*argument, this, it)? {
                    Val::Bool(b) => Val::Int(b.into()),
                    other => other,
                },
                _ => return Err(Unknown),
            },
            Expr::Stream(function, stream, None) => self.stream(*function, *stream, this, it)?,
            Expr::At(path) => match self.one(path, this, it)? {
                Some(place) => self.span(place)?.map_or(Val::None, |(at, _)| Val::Int(at.into())),
                None => Val::None,
            },
            Expr::End(path) | Expr::Size(path) => match self.one(path, this, it)? {
                Some(place) => match self.span(place)? {
                    None => Val::None,
                    Some((_, None)) => return Err(Unknown),
                    Some((_, Some(end))) if matches!(self.file.model[expr], Expr::End(_)) => {
                        Val::Int(end.into())
                    }
                    Some((at, Some(end))) => Val::Int(i128::from(end) - i128::from(at)),
                },
                None => Val::None,
            },
            Expr::Index(path) => match self.one(path, this, it)? {
                Some(Place::Row(_, _, Some(index))) => Val::Int(index.into()),
                Some(Place::Node(node)) => self.index(node),
                _ => Val::None,
            },
            Expr::FileEnd => Val::Int(self.file.size().into()),
            _ => return Err(Unknown),
        })
    }

    fn index(&self, mut node: usize) -> Val {
        loop {
            let view = &self.file.nodes[node];
            if let Some(index) = view.index {
                return Val::Int(index.into());
            }
            match view.owner {
                Some(owner) => node = owner,
                None => return Val::None,
            }
        }
    }

    fn stream(
        &self,
        function: StreamFunction,
        stream: ExprId,
        this: usize,
        it: Option<Place>,
    ) -> Result<Val> {
        let Expr::Path(path) = &self.file.model[stream] else { return Err(Unknown) };
        let places = self.all(path, this, it)?;
        if function == StreamFunction::Count {
            let count: usize = places.iter().map(|place| self.elements(*place)).sum();
            return Ok(Val::Int(count as i128));
        }
        let mut numbers = Vec::new();
        for place in places.into_iter().flat_map(|place| self.spread(place)) {
            match self.load(place)? {
                Val::Int(n) => numbers.push(n),
                Val::None => {}
                _ => return Err(Unknown),
            }
        }
        let found = match function {
            StreamFunction::Sum => Some(numbers.iter().sum()),
            StreamFunction::Min => numbers.into_iter().min(),
            StreamFunction::Max => numbers.into_iter().max(),
            StreamFunction::First => numbers.first().copied(),
            _ => return Err(Unknown),
        };
        Ok(found.map_or(Val::None, Val::Int))
    }

    /// The elements of an array, or the place itself.
    fn spread(&self, place: Place) -> Vec<Place> {
        let (Place::Row(node, row, None), Some(items)) = (place, self.array(place)) else {
            return vec![place];
        };
        if !matches!(self.item(place), Some(ItemView::Array { .. })) {
            return vec![place];
        }
        (0..u32::try_from(items.len()).unwrap_or(u32::MAX))
            .map(|index| Place::Row(node, row, Some(index)))
            .collect()
    }

    /// How many elements a place stands for in a stream.
    fn elements(&self, place: Place) -> usize {
        match self.array(place) {
            Some(items) => items.len(),
            None => 1,
        }
    }

    /// The only place that a path leads to.
    pub(super) fn one(&self, path: &Path, this: usize, it: Option<Place>) -> Result<Option<Place>> {
        match self.all(path, this, it)?.as_slice() {
            [] => Ok(None),
            [place] => Ok(Some(*place)),
            _ => Err(Unknown),
        }
    }

    fn all(&self, path: &Path, this: usize, it: Option<Place>) -> Result<Vec<Place>> {
        let mut here: Vec<Place> = match &path.start {
            Start::This => vec![Place::Node(this)],
            Start::Root => vec![Place::Node(0)],
            Start::It => vec![it.ok_or(Unknown)?],
            Start::Up(levels) => {
                let mut node = Some(this);
                for _ in 0..*levels {
                    node = node.and_then(|node| self.file.nodes[node].owner);
                }
                node.map(Place::Node).into_iter().collect()
            }
            Start::Enclosing(records) => {
                // It may be whoever has the slice with this element.
                let node = self.file.nearest(this, records);
                vec![node.map(Place::Node).ok_or(Unknown)?]
            }
            Start::Argument(index) => {
                let argument = self.file.record(this).arguments.get(*index as usize);
                let argument = argument.map(|argument| &self.file.model[*argument]);
                match (self.file.nodes[this].owner, argument) {
                    (Some(owner), Some(Expr::Path(path))) => self.all(path, owner, None)?,
                    _ => return Err(Unknown),
                }
            }
        };
        for step in &path.steps {
            let mut next = Vec::new();
            for place in here {
                match step {
                    Step::Field(field) => {
                        for node in self.nodes_at(place) {
                            let record = self.file.nodes[node].record;
                            let way = field.members.iter().find(|(r, _)| *r == record);
                            if let Some((_, way)) = way {
                                next.extend(self.follow(node, way, &field.name)?);
                            }
                        }
                    }
                    Step::Index(index) => {
                        let Some(index) = self.int(*index, this, it)? else { continue };
                        next.extend(self.element(place, index));
                    }
                    Step::Last => {
                        let count = self.array(place).map_or(0, |items| items.len());
                        next.extend(self.element(place, count as i128 - 1));
                    }
                }
            }
            here = next;
        }
        Ok(here)
    }

    fn follow(&self, mut node: usize, way: &[Member], name: &str) -> Result<Option<Place>> {
        for member in way {
            match *member {
                Member::Row(row) => {
                    let rows = &self.file.record(node).rows;
                    let named = |r: &formwork_codegen::model::Row| r.name.as_deref() == Some(name);
                    if !rows.get(row.index()).is_some_and(named) {
                        return Err(Unknown);
                    }
                    return Ok(Some(Place::Row(node, row, None)));
                }
                Member::Into(row) => match self.file.nodes[node].rows.get(row.index()) {
                    Some(view) => match &view.item {
                        ItemView::Node(inner) => node = *inner,
                        ItemView::Nothing => return Ok(None),
                        _ => return Err(Unknown),
                    },
                    None => return Ok(None),
                },
                Member::Let(_) => return Err(Unknown),
            }
        }
        Ok(None)
    }

    fn item(&self, place: Place) -> Option<&ItemView> {
        let Place::Row(node, row, index) = place else { return None };
        let item = through(&self.file.nodes[node].rows.get(row.index())?.item);
        match (index, item) {
            (None, item) => Some(item),
            (Some(index), ItemView::Array { items, .. }) => {
                items.get(index as usize).map(|(_, item)| through(item))
            }
            _ => None,
        }
    }

    fn node_at(&self, place: Place) -> Option<usize> {
        match (place, self.item(place)) {
            (Place::Node(node), _) => Some(node),
            (_, Some(ItemView::Node(node))) => Some(*node),
            _ => None,
        }
    }

    fn nodes_at(&self, place: Place) -> Vec<usize> {
        if let Some(items) = self.array(place) {
            let nodes = items.iter().filter_map(|(_, item)| match through(item) {
                ItemView::Node(node) => Some(*node),
                _ => None,
            });
            return nodes.collect();
        }
        self.node_at(place).into_iter().collect()
    }

    pub(super) fn array(&self, place: Place) -> Option<&[(Option<u64>, ItemView)]> {
        match self.item(place)? {
            ItemView::Array { items, .. } => Some(items),
            ItemView::Node(node) => {
                // A record that stands for one of its rows.
                let row = self.file.record(*node).transparent?;
                self.array(Place::Row(*node, row, None))
            }
            _ => None,
        }
    }

    fn element(&self, place: Place, index: i128) -> Option<Place> {
        let Place::Row(node, row, None) = place else { return None };
        let ItemView::Array { items, .. } = self.item(place)? else { return None };
        let position = usize::try_from(index).ok().filter(|index| *index < items.len())?;
        Some(Place::Row(node, row, u32::try_from(position).ok()))
    }

    /// Address of what is in a place, behind its pointers, and where it ends if that is known.
    fn span(&self, place: Place) -> Result<Option<(u64, Option<u64>)>> {
        let Place::Row(node, row, index) = place else {
            let Place::Node(node) = place else { return Err(Unknown) };
            return self.file.nodes[node].at.map(|at| Some((at, None))).ok_or(Unknown);
        };
        let view = &self.file.nodes[node].rows[row.index()];
        let (mut item, mut at, mut end) = (&view.item, view.at, view.end);
        if matches!(self.item(place), None | Some(ItemView::Nothing)) {
            return Ok(None);
        }
        if let Some(index) = index {
            let ItemView::Array { items, .. } = through(item) else { return Err(Unknown) };
            let (start, element) = items.get(index as usize).ok_or(Unknown)?;
            (item, at, end) = (element, *start, None);
        }
        while let ItemView::Pointer { target, at: to, end: behind, .. } = item {
            (item, at, end) = (target, *to, behind.filter(|behind| Some(*behind) > *to));
        }
        // Of a union the address is that of the row.
        if let ItemView::Node(node) = item
            && !matches!(self.file.record(*node).kind, RecordKind::Case(..) | RecordKind::Form(..))
        {
            at = self.file.nodes[*node].at;
        }
        at.map(|at| Some((at, end))).ok_or(Unknown)
    }

    /// The number or truth value in a place.
    pub(super) fn load(&self, place: Place) -> Result<Val> {
        let Place::Row(node, row, index) = place else { return Ok(Val::Place(place)) };
        let definition = self.file.row(node, row);
        match self.item(place) {
            None => return Ok(Val::None),
            Some(ItemView::Node(_) | ItemView::Array { .. }) => return Ok(Val::Place(place)),
            // What is not there now may be there if the number is another one.
            Some(ItemView::Nothing) if self.number.is_none_or(|(changed, _)| changed != place) => {
                return if self.file.home(definition) == Home::Absent && definition.absent.is_some()
                {
                    Err(Unknown)
                } else {
                    Ok(Val::None)
                };
            }
            _ => {}
        }
        let filtered = definition.reference.as_ref().is_some_and(|r| r.filter.is_some());
        let mut found = Err(Unknown);
        self.file.row_sites(node, row, &mut |site| {
            let Type::Cell(cell) = site.ty else { return };
            if site.index != index || found.is_ok() {
                return;
            }
            let stored = match self.number {
                Some((changed, number)) if changed == place => Some(number),
                _ => self.file.load(&site, cell),
            };
            found = match (stored, &cell.meaning) {
                (Some(stored), _) if definition.none.contains(&stored) => Ok(Val::None),
                (Some(stored), Meaning::Int | Meaning::Enum(_)) if !filtered => {
                    Ok(Val::Int(stored - definition.plus))
                }
                (Some(stored), Meaning::Bool { .. }) => Ok(Val::Bool(stored != 0)),
                _ => Err(Unknown),
            };
        });
        found
    }
}

fn through(mut item: &ItemView) -> &ItemView {
    while let ItemView::Pointer { target, .. } = item {
        item = target;
    }
    item
}

fn binary(op: BinaryOp, a: Val, b: Val) -> Result<Val> {
    let (a, b) = match (a, b) {
        (Val::None, _) | (_, Val::None) => return Ok(Val::None),
        (Val::Int(a), Val::Int(b)) => (a, b),
        (Val::Bool(a), Val::Bool(b)) => (a.into(), b.into()),
        _ => return Err(Unknown),
    };
    let number = |n: Option<i128>| n.map(Val::Int).ok_or(Unknown);
    match op {
        BinaryOp::Add => number(a.checked_add(b)),
        BinaryOp::Subtract => number(a.checked_sub(b)),
        BinaryOp::Multiply => number(a.checked_mul(b)),
        BinaryOp::Divide if b > 0 => number(Some(a.div_euclid(b))),
        BinaryOp::Remainder if b > 0 => number(Some(a.rem_euclid(b))),
        BinaryOp::And => number(Some(a & b)),
        BinaryOp::Or => number(Some(a | b)),
        BinaryOp::Xor => number(Some(a ^ b)),
        BinaryOp::Equal => Ok(Val::Bool(a == b)),
        BinaryOp::NotEqual => Ok(Val::Bool(a != b)),
        BinaryOp::Less => Ok(Val::Bool(a < b)),
        BinaryOp::LessOrEqual => Ok(Val::Bool(a <= b)),
        BinaryOp::Greater => Ok(Val::Bool(a > b)),
        BinaryOp::GreaterOrEqual => Ok(Val::Bool(a >= b)),
        _ => Err(Unknown),
    }
}
