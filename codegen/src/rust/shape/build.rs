//! From types of a model to Rust types.

use super::data::Data;
use super::graph::{Borrowing, Used};
use super::index::{Indices, table_of};
use super::{FieldShape, Prim, Shape};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{
    ArrayLength, Cell, Constant, Content, Encoding, FloatCode, Home, Meaning, Model, Record,
    RecordId, RecordKind, Role, Row, RowId, RowKind, RunType, Tag, Target, Type, UnionId, limits,
};
use crate::rust::codes;
use crate::rust::names::{Scope, ident, snake};

/// Longest array with a constant count that is an array of Rust.
const LONGEST: i128 = 32;

/// The shapes of all records.
#[derive(Debug)]
pub struct Built<'m> {
    pub model: &'m Model,
    /// By record.
    pub fields: Vec<Vec<FieldShape>>,
    /// By record: whether its values are those of its one field.
    pub transparent: Vec<bool>,
    /// By record: the integer of plain words.
    pub words: Vec<Option<Prim>>,
    /// By record: whether something of it, or of what says nothing in it, may be spelled in more than
    /// one way.
    pub spelled: Vec<bool>,
    /// By record: rows of structs that have nothing but spelling, with their records. It is kept in
    /// that of the record.
    pub insides: Vec<Vec<(RowId, RecordId)>>,
    /// By enumeration: the integer that holds every number it is stored as.
    pub enums: Vec<Prim>,
    pub indices: Indices,
    pub used: Used,
    pub borrowing: Borrowing,
    /// By record: the one whose type it shares, itself in most cases.
    pub twins: Vec<RecordId>,
    /// By union: the case of its default value.
    pub first_cases: Vec<u32>,
    pub problems: Vec<Diagnostic>,
}

impl<'m> Built<'m> {
    pub fn new(model: &'m Model, data: &Data<'m>) -> Built<'m> {
        let count = model.records.len();
        let ids = || (0..u32::try_from(count).unwrap_or(u32::MAX)).map(RecordId);
        let mut built = Built {
            model,
            fields: vec![Vec::new(); count],
            transparent: vec![false; count],
            words: vec![None; count],
            spelled: ids().map(|id| model.may_be_spelled(id)).collect(),
            insides: vec![Vec::new(); count],
            enums: Vec::new(),
            indices: Indices::new(model),
            used: Used::default(),
            borrowing: Borrowing::default(),
            twins: ids().collect(),
            first_cases: vec![0; model.unions.len()],
            problems: Vec::new(),
        };
        built.enums = (0..model.enums.len()).map(|id| built.enum_prim(id)).collect();
        built.words = model.records.iter().map(|record| built.plain_word(record)).collect();
        for (index, word) in built.words.iter().enumerate() {
            built.spelled[index] &= word.is_none();
        }
        built.find_insides(data);
        built.find_transparent(data);
        for id in ids() {
            built.fields[id.index()] = built.build_fields(id, data);
        }
        // What turned out to have more than one field, or none, is a struct after all. Shapes of
        // whoever holds it change with it.
        loop {
            let more = ids()
                .filter(|id| built.transparent[id.index()] && built.fields[id.index()].len() != 1);
            let more: Vec<_> = more.collect();
            if more.is_empty() {
                break;
            }
            for id in more {
                built.transparent[id.index()] = false;
            }
            for id in ids() {
                built.fields[id.index()] = built.build_fields(id, data);
            }
        }
        built.problems = built.find_problems();
        built
    }

    /// Rows of structs that say nothing but may be spelled in more than one way, or have something
    /// like that in them.
    fn find_insides(&mut self, data: &Data<'m>) {
        let says_nothing = |row: &Row| {
            data.is_data(row)
                && !matches!(row.kind, RowKind::Slice { .. })
                && !data.carries(&row.ty)
        };
        let mut changed = true;
        while changed {
            changed = false;
            for (index, record) in self.model.records.iter().enumerate() {
                for (id, row) in record.numbered_rows().filter(|(_, row)| says_nothing(row)) {
                    let Some(inner) = record_of_target(&row.ty) else { continue };
                    let rows = &self.model.records[inner.index()].rows;
                    let kept = |row: &Row| matches!(row.role, Role::Kept(e) if self.model.is_kept_field(row, e));
                    let spelled = self.spelled[inner.index()] || rows.iter().any(kept);
                    if spelled && !self.insides[index].contains(&(id, inner)) {
                        self.insides[index].push((id, inner));
                        self.spelled[index] = true;
                        changed = true;
                    }
                }
            }
        }
        self.insides.iter_mut().for_each(|rows| rows.sort_unstable());
    }

    /// Transparent records without spelling that neither are a case nor contain themselves.
    fn find_transparent(&mut self, data: &Data<'m>) {
        let mut cases = vec![false; self.model.records.len()];
        // Whoever reads a file wants a type with its name.
        cases[self.model.root.index()] = true;
        for case in self.model.unions.iter().flat_map(|union| &union.cases) {
            cases[case.record.index()] = true;
        }
        for (id, record) in self.model.records() {
            let row = record.transparent.map(|row| &record.rows[row.index()]);
            let field = row.is_some_and(|row| data.is_data(row) && data.row_carries(record, row));
            let bare = !self.model.keeps_spelling(id) && !cases[id.index()];
            self.transparent[id.index()] = field && bare;
        }
        // One that leads to itself through nothing but transparent ones would have an endless type.
        for start in 0..self.transparent.len() {
            let mut seen = vec![false; self.transparent.len()];
            let mut todo = vec![start];
            while let Some(at) = todo.pop() {
                let record = &self.model.records[at];
                let Some(row) = record.transparent.filter(|_| self.transparent[at]) else {
                    continue;
                };
                for next in record.rows[row.index()].ty.records() {
                    if next.index() == start {
                        self.transparent[start] = false;
                    } else if !std::mem::replace(&mut seen[next.index()], true) {
                        todo.push(next.index());
                    }
                }
            }
        }
    }

    /// Shape of a record as seen by whoever holds it.
    pub fn record(&self, id: RecordId) -> Shape {
        let record = &self.model.records[id.index()];
        if self.words[id.index()].is_some() {
            return Shape::Word(id);
        }
        match record.transparent {
            Some(row) if self.transparent[id.index()] => {
                self.row_shape(record, &record.rows[row.index()])
            }
            _ => Shape::Struct(id),
        }
    }

    /// Record of the struct in the variant of a case.
    pub fn payload(&self, union: UnionId, case: u32) -> Option<RecordId> {
        let record = self.model.unions[union.index()].cases[case as usize].record;
        let index = record.index();
        let some =
            !self.fields[index].is_empty() || self.spelled[index] || self.words[index].is_some();
        some.then_some(record)
    }

    fn build_fields(&self, id: RecordId, data: &Data<'m>) -> Vec<FieldShape> {
        let record = &self.model.records[id.index()];
        let mut scope = Scope::with(&["spelling"]);
        // Rows with names of their own choose first.
        let named = record.rows.iter().filter_map(|row| row.name.as_ref());
        let own: Vec<String> = named.map(|name| snake(name)).collect();
        let mut fields = Vec::new();
        for (index, row) in (0..).zip(&record.rows) {
            let Some(shape) = self.field_shape(record, row, data) else { continue };
            let ident = match &row.name {
                Some(name) => scope.take(&field_names(&snake(name))),
                None => {
                    let Some(inner) = record_of(&row.ty) else { continue };
                    let name = snake(&self.model.records[inner.index()].template);
                    let free = |name: &String| !own.contains(name);
                    let names = [name.clone(), format!("{name}_rows")];
                    let names: Vec<String> = names.into_iter().filter(free).collect();
                    scope.take(&names)
                }
            };
            fields.push(FieldShape { row: RowId(index), ident, shape });
        }
        fields
    }

    /// Shape of a row's field, if it has one.
    fn field_shape(&self, record: &Record, row: &Row, data: &Data<'m>) -> Option<Shape> {
        if let Role::Kept(expr) = &row.role {
            return self.model.is_kept_field(row, *expr).then(|| {
                let shape = self.row_shape(record, row);
                // Whether it is there at all follows from something else.
                let shape = match shape {
                    Shape::Option(inner) if row.none.is_empty() => *inner,
                    other => other,
                };
                Shape::Kept(Box::new(shape))
            });
        }
        if !data.is_data(row) || (row.name.is_none() && record_of(&row.ty).is_none()) {
            return None;
        }
        if let Some(shape) = data.stated(record, row).into_iter().map(stated).reduce(wider) {
            return Some(shape);
        }
        if !data.carries(&row.ty) && !matches!(row.kind, RowKind::Slice { .. }) {
            return None;
        }
        if matches!(row.role, Role::Derived) {
            return (!self.model.always_derived(record, row))
                .then(|| self.row_shape(record, row).optional());
        }
        Some(self.row_shape(record, row))
    }

    /// Shape of a row with its option. A case has no option for the epochs that don't have the case.
    pub fn row_shape(&self, record: &Record, row: &Row) -> Shape {
        let shape = match &row.kind {
            RowKind::Slice { table, .. } => self.slice(table),
            // How many there are.
            RowKind::Zeros => Shape::Int(Prim::U64),
            RowKind::Pool { .. } => Shape::List(Box::new(self.element(&row.ty, row))),
            _ => self.element(&row.ty, row),
        };
        let shape = self.with_constants(shape, row);
        let exists = |epoch: usize| match record.kind {
            RecordKind::Case(union, case) => {
                self.model.unions[union.index()].cases[case as usize].epochs[epoch]
            }
            _ => true,
        };
        let gone = row.absent.is_none()
            && (0..).zip(&row.homes).any(|(epoch, home)| *home == Home::Absent && exists(epoch));
        if gone || row.when.is_some() { shape.optional() } else { shape }
    }

    /// Elements of the table that a slice is a part of.
    fn slice(&self, table: &crate::model::Path) -> Shape {
        let found = table_of(self.model, table);
        match found {
            Some((record, row)) => {
                let row = &self.model.records[record.index()].rows[row.index()];
                match self.shape(&row.ty, row) {
                    Shape::Fixed(element, _) => Shape::List(element),
                    list => list,
                }
            }
            None => Shape::List(Box::new(Shape::Int(Prim::I128))),
        }
    }

    /// Defaults and values of layouts without the row may be wider than what is stored.
    fn with_constants(&self, shape: Shape, row: &Row) -> Shape {
        let default = match &row.role {
            Role::Default(constant) => Some(constant),
            _ => None,
        };
        let wider = |prim: Prim| {
            let mut prim = prim;
            for constant in [default, row.absent.as_ref()].into_iter().flatten() {
                if let Constant::Int(number) = constant {
                    prim = prim.join(Prim::holding(*number, *number));
                }
            }
            prim
        };
        match shape {
            Shape::Int(prim) => Shape::Int(wider(prim)),
            Shape::Option(inner) => match *inner {
                Shape::Int(prim) => Shape::Option(Box::new(Shape::Int(wider(prim)))),
                other => Shape::Option(Box::new(other)),
            },
            other => other,
        }
    }

    /// Shape of a type where it stands by itself: a row, an element. With the option that stored
    /// numbers for nothing give it.
    pub fn element(&self, ty: &Type, row: &Row) -> Shape {
        let shape = self.shape(ty, row);
        if self.may_be_none(ty, row) { shape.optional() } else { shape }
    }

    fn may_be_none(&self, ty: &Type, row: &Row) -> bool {
        match ty.stripped() {
            Type::Cell(cell) => {
                !row.none.is_empty() && matches!(cell.meaning, Meaning::Int | Meaning::Enum(_))
            }
            Type::Pointer(pointer) => {
                let owns = matches!(pointer.target, Target::Own(_));
                let kind = &self.model.pointers[pointer.kind.index()];
                pointer.optional
                    || pointer.none_with.is_some() && self.none_is_none(&pointer.target)
                    || !row.none.is_empty()
                    || kind.none.is_some() && !owns
            }
            Type::PerEpoch(types) => types.iter().enumerate().any(|(epoch, ty)| {
                // That there is no row has its own option.
                let there = row.homes.get(epoch) != Some(&Home::Absent);
                matches!(ty, Type::Nothing) && there && row.absent.is_none()
                    || self.may_be_none(ty, row)
            }),
            _ => false,
        }
    }

    /// Whether a pointer that is none because an array is empty gives none: one to an array gives
    /// an empty array.
    fn none_is_none(&self, target: &Target) -> bool {
        let Target::Own(target) = target else { return true };
        match target.stripped() {
            Type::Array(array) => matches!(array.length, ArrayLength::Last(_)),
            Type::Run(run) => !matches!(run.length, crate::model::RunLength::Count(_)),
            _ => true,
        }
    }

    /// Shape of a type, without the option of the row or element itself.
    pub fn shape(&self, ty: &Type, row: &Row) -> Shape {
        match ty {
            Type::Cell(cell) => self.cell(cell, row),
            Type::Run(run) => run_shape(run),
            Type::Record(record) => self.record(*record),
            Type::Union(union) => Shape::Choice(*union),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => self.shape(target, row),
                Target::Pooled => match self.model.pointers[pointer.kind.index()].text.as_deref() {
                    Some(text) => self.shape(text, row),
                    None => Shape::Str,
                },
                Target::Element => match &row.reference {
                    Some(reference) => Shape::Index(self.indices.of(self.model, &reference.array)),
                    None => Shape::Int(Prim::U64),
                },
            },
            Type::Array(array) => {
                let element = self.element(&array.element, row);
                match &array.length {
                    ArrayLength::Count(count) => match self.model.exprs.constant(*count) {
                        Some(count) if (0..=LONGEST).contains(&count) && is_scalar(&element) => {
                            Shape::Fixed(Box::new(element), usize::try_from(count).unwrap_or(0))
                        }
                        _ => Shape::List(Box::new(element)),
                    },
                    _ => Shape::List(Box::new(element)),
                }
            }
            Type::Region(region) => self.shape(&region.inner, row),
            Type::PerEpoch(types) => types
                .iter()
                .filter(|ty| !matches!(ty, Type::Nothing))
                .map(|ty| self.shape(ty, row))
                .reduce(|a, b| join(&a, &b).unwrap_or(a))
                .unwrap_or(Shape::Int(Prim::U8)),
            Type::ByteOrderMark => Shape::Endian,
            Type::Text => Shape::Str,
            // Elements of a slice are those of its table; what else has no bytes has no value.
            Type::Nothing => Shape::Int(Prim::U8),
        }
    }

    fn cell(&self, cell: &Cell, row: &Row) -> Shape {
        match &cell.meaning {
            Meaning::Float(_) => match FloatCode::of(cell).is_some_and(FloatCode::is_single) {
                true => Shape::Float32,
                false => Shape::Float64,
            },
            Meaning::Bool { .. } => Shape::Bool,
            Meaning::Enum(id) => Shape::Enum(*id),
            Meaning::Word(record) => self.record(*record),
            Meaning::Int => match &row.reference {
                Some(reference) if reference.field.is_none() => {
                    Shape::Index(self.indices.of(self.model, &reference.array))
                }
                _ => {
                    let (least, greatest) = self.cell_range(cell);
                    let least = least.saturating_sub(row.plus);
                    let greatest = greatest.saturating_sub(row.plus);
                    Shape::Int(if row.plus == 0 {
                        self.cell_prim(cell)
                    } else {
                        Prim::holding(least, greatest)
                    })
                }
            },
        }
    }

    /// Least and greatest stored number.
    fn cell_range(&self, cell: &Cell) -> (i128, i128) {
        let (bits, signed) = self.model.cell_range(cell);
        limits(bits, signed)
    }

    fn cell_prim(&self, cell: &Cell) -> Prim {
        let (least, greatest) = self.cell_range(cell);
        Prim::holding(least, greatest)
    }

    /// Holds every number of an enumeration, in whatever it is stored.
    fn enum_prim(&self, id: usize) -> Prim {
        let mut joined: Option<Prim> = None;
        let mut add = |prim: Prim| joined = Some(joined.map_or(prim, |known| known.join(prim)));
        for member in &self.model.enums[id].members {
            add(Prim::holding(member.number, member.number));
        }
        let variables = self.model.epoch_variables.iter().map(|variable| &variable.cell);
        let mut cells: Vec<&Cell> = variables.collect();
        for row in self.model.records.iter().flat_map(|record| &record.rows) {
            cells.extend(cells_in(&row.ty));
        }
        for union in &self.model.unions {
            if let Tag::Own(cell) | Tag::Word(cell) = &union.tag {
                cells.push(cell);
            }
        }
        for cell in cells {
            if matches!(&cell.meaning, Meaning::Enum(of) if of.index() == id) {
                add(self.cell_prim(cell));
            }
        }
        joined.unwrap_or(Prim::U8)
    }

    /// The integer of a word whose fields are plain numbers, truth values and members.
    fn plain_word(&self, record: &Record) -> Option<Prim> {
        let RecordKind::Word(int) = record.kind else { return None };
        let plain = record.rows.iter().all(|row| {
            let homes = row.homes.windows(2).all(|pair| pair[0] == pair[1])
                && !row.homes.contains(&Home::Absent);
            let kind = match (&row.kind, &row.role) {
                (RowKind::Plain, Role::Data | Role::Default(_)) => {
                    row.name.is_some() && matches!(&row.ty, Type::Cell(cell) if self.total(cell))
                }
                (RowKind::Constant(_), Role::Fixed) => true,
                (RowKind::Zero | RowKind::Reserved, _) => true,
                _ => false,
            };
            homes
                && kind
                && row.when.is_none()
                && row.none.is_empty()
                && row.plus == 0
                && row.reference.is_none()
        });
        let unsigned = match int.bytes {
            0..=1 => Prim::U8,
            2 => Prim::U16,
            3..=4 => Prim::U32,
            _ => Prim::U64,
        };
        (plain && record.transparent.is_none()).then_some(unsigned)
    }

    /// Whether any bits are a value of a field, so that an accessor always has an answer.
    fn total(&self, cell: &Cell) -> bool {
        match cell.meaning {
            Meaning::Int => true,
            Meaning::Bool { yes } => yes == 1 && self.model.cell_range(cell).0 == 1,
            Meaning::Enum(id) => !self.model.enums[id.index()].closed,
            Meaning::Float(_) | Meaning::Word(_) => false,
        }
    }

    /// Types that differ by layout and have no type in common.
    fn find_problems(&self) -> Vec<Diagnostic> {
        let mut problems = Diagnostics::default();
        for row in self.model.records.iter().flat_map(|record| &record.rows) {
            if !self.joins(&row.ty, row) && !problems.contains(codes::DIFFERS, row.span) {
                problems
                    .error(codes::DIFFERS, row.span, "the row has another Rust type in each layout")
                    .help("make it a union, or give each layout a row with a name of its own");
            }
        }
        problems.all().to_vec()
    }

    fn joins(&self, ty: &Type, row: &Row) -> bool {
        match ty {
            Type::PerEpoch(types) => {
                let mut joined: Option<Shape> = None;
                for ty in types.iter().filter(|ty| !matches!(ty, Type::Nothing)) {
                    if !self.joins(ty, row) {
                        return false;
                    }
                    let shape = self.shape(ty, row);
                    joined = match joined {
                        None => Some(shape),
                        Some(known) => match join(&known, &shape) {
                            Some(shape) => Some(shape),
                            None => return false,
                        },
                    };
                }
                true
            }
            Type::Region(region) => self.joins(&region.inner, row),
            Type::Array(array) => self.joins(&array.element, row),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => self.joins(target, row),
                _ => true,
            },
            _ => true,
        }
    }
}

/// A type that holds the values of both.
fn join(a: &Shape, b: &Shape) -> Option<Shape> {
    let list = |a: &Shape, b: &Shape| Some(Shape::List(Box::new(join(a, b)?)));
    match (a, b) {
        (a, b) if a == b => Some(a.clone()),
        (Shape::Int(a), Shape::Int(b)) => Some(Shape::Int(a.join(*b))),
        (Shape::Float32 | Shape::Float64, Shape::Float32 | Shape::Float64) => Some(Shape::Float64),
        (Shape::Option(a), Shape::Option(b)) => Some(join(a, b)?.optional()),
        (Shape::Option(a), b) | (b, Shape::Option(a)) => Some(join(a, b)?.optional()),
        (Shape::List(a) | Shape::Fixed(a, _), Shape::List(b) | Shape::Fixed(b, _)) => list(a, b),
        // Only UTF-16 holds text that is none.
        (Shape::Utf16, Shape::Str) | (Shape::Str, Shape::Utf16) => Some(Shape::Utf16),
        _ => None,
    }
}

/// Type of a value that a schema states.
fn stated(constant: &Constant) -> Shape {
    match constant {
        Constant::Int(number) => Shape::Int(Prim::holding(*number, *number)),
        Constant::Float(_) => Shape::Float64,
        Constant::Bool(_) => Shape::Bool,
        Constant::Text(_) => Shape::Str,
        Constant::Bytes(_) => Shape::Bytes,
    }
}

fn wider(a: Shape, b: Shape) -> Shape {
    join(&a, &b).unwrap_or(a)
}

fn run_shape(run: &RunType) -> Shape {
    match run.content {
        Content::Bytes => Shape::Bytes,
        Content::Text(
            Encoding::Ascii
            | Encoding::Utf8
            | Encoding::Utf32
            | Encoding::Latin1
            | Encoding::Cp1252
            | Encoding::Mutf8,
        ) => Shape::Str,
        Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be) => Shape::Utf16,
    }
}

fn is_scalar(shape: &Shape) -> bool {
    matches!(shape, Shape::Int(_) | Shape::Float32 | Shape::Float64 | Shape::Bool | Shape::Enum(_))
}

/// Names for a field, best first.
fn field_names(name: &str) -> Vec<String> {
    // The identifier of a keyword has a name of its own.
    let shown = ident(name).to_string();
    let bare = shown.strip_prefix("r#").map(str::to_owned).unwrap_or(shown);
    vec![bare.clone(), format!("{bare}_")]
}

/// The record that is inline in a row.
fn record_of(ty: &Type) -> Option<RecordId> {
    match ty.stripped() {
        Type::Record(record) => Some(*record),
        Type::PerEpoch(types) => {
            types.iter().find(|ty| !matches!(ty, Type::Nothing)).and_then(record_of)
        }
        _ => None,
    }
}

/// The record that is in a row, or behind its pointer.
fn record_of_target(ty: &Type) -> Option<RecordId> {
    match ty.stripped() {
        Type::Record(record) => Some(*record),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => record_of_target(target),
            _ => None,
        },
        Type::PerEpoch(types) => {
            types.iter().find(|ty| !matches!(ty, Type::Nothing)).and_then(record_of_target)
        }
        _ => None,
    }
}

fn cells_in(ty: &Type) -> impl Iterator<Item = &Cell> {
    ty.parts().filter_map(|part| match part {
        Type::Cell(cell) => Some(cell),
        _ => None,
    })
}
