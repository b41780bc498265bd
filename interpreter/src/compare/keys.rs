//! Which rows name the elements of arrays, as the model says it: keys of a dictionary, fields that
//! references go by, and numbers that are unique in their array.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use formwork_model::{
    BinaryOp, DefinerSource, Expr, ExprId, Member, Model, Owners, Path, RecordId, Role, RowId,
    Start, Step, StreamFunction, Target, Type,
};

/// Arguments of arguments, and `let`s, are followed so far.
const MAX_DEPTH: u32 = 8;

/// Names of the rows that lead from an element to what names it; none if the element itself does.
pub(crate) type KeyPath = Vec<String>;

/// What names elements.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    by_array: HashMap<(RecordId, RowId), Rc<KeyPath>>,
    by_element: HashMap<RecordId, Rc<KeyPath>>,
    /// Arrays whose elements references lead to.
    targets: HashSet<(RecordId, RowId)>,
}

impl Keys {
    pub(crate) fn of(model: &Model) -> Keys {
        let mut keys = Keys::default();
        let owners = model.owners();
        for (id, record) in model.records() {
            for (row_id, row) in record.numbered_rows() {
                let row_expr = match row.role {
                    Role::Kept(expr) => Some(expr),
                    _ => None,
                };
                let definers = row.definers.iter().filter_map(|definer| match definer.source {
                    DefinerSource::Expr(expr) => Some(expr),
                    DefinerSource::Measure { .. } => None,
                });
                for expr in row_expr.into_iter().chain(definers) {
                    if let Expr::Patricia(path) = &model[expr] {
                        keys.add_dictionary(model, &owners, id, path);
                    }
                }
                if let Some(reference) = &row.reference {
                    let arrays = Arrays::of(model, &owners, id, &reference.array);
                    if let Some(field) = &reference.field {
                        // A dictionary comes before what references go by.
                        let key = Rc::new(vec![field.clone()]);
                        for place in &arrays {
                            keys.by_array.entry(*place).or_insert_with(|| Rc::clone(&key));
                        }
                    }
                    keys.targets.extend(arrays);
                }
                if row.unique {
                    match (array_element(model, &row.ty), &row.name) {
                        (Some(_), _) => {
                            keys.by_array.entry((id, row_id)).or_default();
                        }
                        (None, Some(name)) => {
                            keys.by_element
                                .entry(id)
                                .or_insert_with(|| Rc::new(vec![name.clone()]));
                        }
                        (None, None) => {}
                    }
                }
            }
        }
        keys
    }

    /// What names the elements of the array in a row.
    pub(crate) fn of_array(&self, record: RecordId, row: RowId) -> Option<&Rc<KeyPath>> {
        self.by_array.get(&(record, row))
    }

    /// What names elements that are of a record.
    pub(crate) fn of_element(&self, record: RecordId) -> Option<&Rc<KeyPath>> {
        self.by_element.get(&record)
    }

    /// Whether references lead to the elements of the array in a row.
    pub(crate) fn is_target(&self, record: RecordId, row: RowId) -> bool {
        self.targets.contains(&(record, row))
    }

    /// A path from a record leads to what names elements.
    fn add_dictionary(&mut self, model: &Model, owners: &Owners, record: RecordId, path: &Path) {
        for steps in (Ways { model, owners }).path(record, path, MAX_DEPTH) {
            let fields: Option<Vec<_>> = steps
                .iter()
                .map(|step| match step {
                    Step::Field(field) => Some(field),
                    Step::Index(_) | Step::Last => None,
                })
                .collect();
            let Some(fields) = fields else { continue };
            let array = fields.iter().rposition(|field| {
                rows_of(model, field).any(|(record, row)| {
                    array_element(model, &model.records[record.index()].rows[row.index()].ty)
                        .is_some()
                })
            });
            let Some(array) = array else { continue };
            let names = fields[array + 1..].iter().map(|field| field.name.clone());
            let key: Rc<KeyPath> = Rc::new(names.collect());
            for place in rows_of(model, fields[array]) {
                self.by_array.insert(place, Rc::clone(&key));
            }
        }
    }
}

/// The rows of the arrays that a path may lead to: also through `let`s, arguments, and structs that
/// stand for a row.
struct Arrays<'m> {
    model: &'m Model,
    owners: &'m Owners,
    found: HashSet<(RecordId, RowId)>,
    seen: HashSet<(RecordId, ExprId)>,
}

impl<'m> Arrays<'m> {
    fn of(
        model: &'m Model,
        owners: &'m Owners,
        record: RecordId,
        path: &Path,
    ) -> HashSet<(RecordId, RowId)> {
        let mut arrays =
            Arrays { model, owners, found: HashSet::default(), seen: HashSet::default() };
        arrays.path(record, path);
        arrays.found
    }

    fn path(&mut self, record: RecordId, path: &Path) {
        let (model, owners) = (self.model, self.owners);
        if let (Start::Argument(argument), []) = (&path.start, &path.steps[..]) {
            model.given(owners, record, *argument).for_each(|(owner, expr)| self.expr(owner, expr));
        }
        let last = path.steps.iter().rev().find_map(|step| match step {
            Step::Field(field) => Some(field),
            Step::Index(_) | Step::Last => None,
        });
        for (of, member) in last.into_iter().flat_map(|field| model.ends(field)) {
            match member {
                Member::Row(row) => self.row(of, row),
                Member::Let(number) => {
                    let named = model.records[of.index()].lets.get(number as usize);
                    named.into_iter().for_each(|named| self.expr(of, named.expr));
                }
                Member::Into(_) => {}
            }
        }
    }

    /// What is an array if the expression is one; not what it is chosen by.
    fn expr(&mut self, record: RecordId, expr: ExprId) {
        if !self.seen.insert((record, expr)) {
            return;
        }
        match &self.model[expr] {
            Expr::Path(path) => self.path(record, path),
            Expr::If(_, one, other) | Expr::Coalesce(one, other) => {
                self.expr(record, *one);
                self.expr(record, *other);
            }
            Expr::Stream(StreamFunction::First, stream, _) => self.expr(record, *stream),
            _ => {}
        }
    }

    fn row(&mut self, record: RecordId, row: RowId) {
        let model = self.model;
        if !self.found.insert((record, row)) {
            return;
        }
        let Some(row) = model.records[record.index()].rows.get(row.index()) else { return };
        for held in model.held(&row.ty) {
            if let Some(only) = model.records[held.index()].transparent {
                self.row(held, only);
            }
        }
    }
}

/// The steps of paths, without the arguments that they begin at and the `let`s that they lead through:
/// in place of these stand the steps of what they may be.
struct Ways<'m> {
    model: &'m Model,
    owners: &'m Owners,
}

impl<'m> Ways<'m> {
    fn path(&self, record: RecordId, path: &'m Path, depth: u32) -> Vec<Vec<&'m Step>> {
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        let mut found = match &path.start {
            Start::Argument(argument) => {
                let given = self.model.given(self.owners, record, *argument);
                given.flat_map(|(owner, expr)| self.expr(owner, expr, depth)).collect()
            }
            _ => vec![Vec::new()],
        };
        for step in &path.steps {
            let mut ways = Vec::new();
            let mut is_row = true;
            if let Step::Field(field) = step {
                is_row = field.members.is_empty();
                for (of, member) in self.model.ends(field) {
                    let Member::Let(number) = member else {
                        is_row = true;
                        continue;
                    };
                    let named = self.model.records[of.index()].lets.get(number as usize);
                    ways.extend(named.into_iter().flat_map(|it| self.expr(of, it.expr, depth)));
                }
            }
            if is_row {
                ways.push(vec![step]);
            }
            let longer = |way: Vec<&'m Step>| {
                let ways = ways.iter();
                ways.map(|more| way.iter().chain(more).copied().collect()).collect::<Vec<_>>()
            };
            found = found.into_iter().flat_map(longer).collect();
        }
        found
    }

    fn expr(&self, record: RecordId, expr: ExprId, depth: u32) -> Vec<Vec<&'m Step>> {
        match &self.model[expr] {
            Expr::Path(path) => self.path(record, path, depth),
            Expr::If(_, one, other)
            | Expr::Coalesce(one, other)
            | Expr::Binary(BinaryOp::Concatenate, one, other) => {
                let mut found = self.expr(record, *one, depth);
                found.extend(self.expr(record, *other, depth));
                found
            }
            Expr::Stream(StreamFunction::First, stream, _) => self.expr(record, *stream, depth),
            _ => Vec::new(),
        }
    }
}

/// The rows that a field of a path is, each with its record.
fn rows_of<'m>(
    model: &'m Model,
    field: &'m formwork_model::Field,
) -> impl Iterator<Item = (RecordId, RowId)> + 'm {
    field.members.iter().flat_map(move |(record, way)| {
        let mut records = vec![*record];
        let mut found = Vec::new();
        for member in way {
            let here = std::mem::take(&mut records);
            match member {
                Member::Into(row) => {
                    let rows = here.iter().filter_map(|id| {
                        model.records[id.index()].rows.get(row.index()).map(|row| &row.ty)
                    });
                    records = rows.flat_map(|ty| model.held(ty)).collect();
                }
                Member::Row(row) => {
                    let is_it = |id: &RecordId| {
                        let row = model.records[id.index()].rows.get(row.index());
                        row.is_some_and(|row| row.name.as_deref() == Some(&field.name))
                    };
                    found.extend(here.into_iter().filter(is_it).map(|id| (id, *row)));
                }
                Member::Let(_) => {}
            }
        }
        found
    })
}

/// Type of the elements, if values of a type are arrays.
fn array_element<'m>(model: &'m Model, ty: &'m Type) -> Option<&'m Type> {
    let mut ty = ty;
    for _ in 0..=model.records.len() {
        ty = model.through_transparent(ty.first()).stripped().first();
        match ty {
            Type::Array(array) => return Some(&array.element),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => ty = target,
                Target::Pooled | Target::Element => return None,
            },
            _ => return None,
        }
    }
    None
}
