//! What generated code has to remember of a file beside its value: which records have nodes, and
//! which of their rows have slots.

use std::cell::RefCell;
use std::collections::HashSet;

use super::expr::{Registry, is_scalar};
use super::marks::Marks;
use super::shape::Shapes;
use crate::model::{
    ArrayLength, DefinerScope, DefinerSource, Expr, ExprId, Home, Measure, Member, Model, Path,
    RecordId, Role, Row, RowId, RunLength, Start, Step, Tag, Target, Type,
};

/// The analysis of a model, and the numbers of what is generated once for reading and writing.
pub(super) struct Plan<'m> {
    pub model: &'m Model,
    pub shapes: Shapes<'m>,
    /// Whether straight code is tried first.
    pub straight: bool,
    noded: HashSet<RecordId>,
    tables: HashSet<RecordId>,
    slots: Vec<Vec<RowId>>,
    items: HashSet<(RecordId, RowId)>,
    pub(super) registry: RefCell<Registry>,
}

impl<'m> Plan<'m> {
    pub fn new(model: &'m Model) -> Self {
        let mut marks = Marks::new(model);
        marks.look();
        let slots = model
            .records()
            .map(|(id, record)| {
                if !marks.noded.contains(&id) {
                    return Vec::new();
                }
                let wanted = |(row_id, row): &(RowId, &Row)| marks.has_slot(id, *row_id, row);
                record.numbered_rows().filter(wanted).map(|(row_id, _)| row_id).collect()
            })
            .collect();
        Plan {
            model,
            shapes: Shapes::new(model),
            straight: false,
            slots,
            tables: marks.tables,
            noded: marks.noded,
            items: marks.items,
            registry: RefCell::default(),
        }
    }

    /// Whether each use of the record has a node.
    pub fn noded(&self, record: RecordId) -> bool {
        self.noded.contains(&record)
    }

    /// Whether records of this kind are made by an algorithm: nodes of dictionaries, entries of
    /// relocation tables.
    pub fn table(&self, record: RecordId) -> bool {
        self.tables.contains(&record)
    }

    /// Rows with a slot, in the order of slots.
    pub fn slots(&self, record: RecordId) -> &[RowId] {
        self.slots.get(record.index()).map_or(&[], Vec::as_slice)
    }

    /// The slot of a row.
    pub fn slot(&self, record: RecordId, row: RowId) -> Option<u16> {
        let at = self.slots(record).iter().position(|r| *r == row)?;
        u16::try_from(at).ok()
    }

    /// Whether the elements of the array in a row are asked for one by one.
    pub fn items(&self, record: RecordId, row: RowId) -> bool {
        self.items.contains(&(record, row))
    }

    /// Whether a derived row must be compared after reading; otherwise its equation holds because
    /// of how the file is read.
    pub fn settled(&self, record: RecordId, row: RowId) -> bool {
        is_settled(self.model, record, row)
    }
}

/// Whether a derived row is compared.
pub(super) fn is_settled(model: &Model, id: RecordId, row_id: RowId) -> bool {
    let record = &model.records[id.index()];
    let row = &record.rows[row_id.index()];
    if !matches!(row.role, Role::Derived) {
        return false;
    }
    let [definer] = row.definers.as_slice() else { return true };
    let (DefinerScope::Own, DefinerSource::Measure { measure, row: of, factor, offset }) =
        (&definer.scope, &definer.source)
    else {
        return true;
    };
    let measured = &record.rows[of.index()];
    match measure {
        Measure::Count => !counted_by(model, &measured.ty, id, row_id, *factor, *offset),
        Measure::Tag => match &measured.ty {
            // A range or `else` takes several numbers, of which the first is canonical.
            Type::Union(union) => {
                let union = &model.unions[union.index()];
                let one = |label: &crate::model::Label| match label {
                    crate::model::Label::Range(low, high) => low == high,
                    _ => false,
                };
                !(matches!(union.tag, Tag::Row(row) if row == row_id)
                    && union
                        .cases
                        .iter()
                        .all(|case| matches!(case.labels.as_slice(), [label] if one(label))))
            }
            _ => true,
        },
        _ => true,
    }
}

/// Whether a type has exactly as many elements as the row says.
fn counted_by(
    model: &Model,
    ty: &Type,
    id: RecordId,
    row: RowId,
    factor: i128,
    offset: i128,
) -> bool {
    let exact = |e: ExprId| factor == 1 && offset == 0 && own_row(model, e, id) == Some(row);
    match ty {
        Type::Array(array) => matches!(&array.length, ArrayLength::Count(e) if exact(*e)),
        Type::Run(run) => matches!(&run.length, RunLength::Count(e) if exact(*e)),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => counted_by(model, target, id, row, factor, offset),
            _ => false,
        },
        _ => false,
    }
}

/// The own row that an expression is nothing but.
pub(super) fn own_row(model: &Model, e: ExprId, id: RecordId) -> Option<RowId> {
    match &model[e] {
        Expr::Path(Path { start: Start::This, steps, .. }) => match steps.as_slice() {
            [Step::Field(field)] => match field.members.as_slice() {
                [(record, way)] if *record == id => match way.as_slice() {
                    [Member::Row(row)] => Some(*row),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression needs nothing but own rows that are scalars.
pub(super) fn is_local(model: &Model, e: ExprId, id: RecordId) -> bool {
    match &model[e] {
        Expr::Int(_)
        | Expr::Float(_)
        | Expr::Bool(_)
        | Expr::Text(_)
        | Expr::Bytes(_)
        | Expr::Epoch(_)
        | Expr::Here
        | Expr::RegionEnd
        | Expr::FileEnd => true,
        Expr::Path(Path { start: Start::It, steps, .. }) => steps.is_empty(),
        Expr::Path(_) => own_row(model, e, id).is_some_and(|row| {
            let record = &model.records[id.index()];
            let row = &record.rows[row.index()];
            is_scalar(&row.ty) && !row.homes.iter().all(|home| matches!(home, Home::Nowhere))
        }),
        Expr::Binary(crate::model::BinaryOp::Concatenate, ..) => false,
        Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::If(..)
        | Expr::Coalesce(..)
        | Expr::In(..)
        | Expr::Call(..) => {
            let mut local = true;
            model[e].operands(&mut |operand| local &= is_local(model, operand, id));
            local
        }
        _ => false,
    }
}

/// Calls `visit` for the records that a type holds: inline, as cases, in arrays and behind pointers.
pub(super) fn held(model: &Model, ty: &Type, visit: &mut dyn FnMut(RecordId)) {
    model.held(ty).for_each(visit);
}

impl Plan<'_> {
    /// A listing for people: what has nodes, and which rows have slots.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (id, record) in self.model.records() {
            let how = match (self.noded(id), self.table(id)) {
                (_, true) => "table",
                (true, _) => "node",
                _ => "direct",
            };
            let slots: Vec<String> = self
                .slots(id)
                .iter()
                .map(|row| {
                    let name = record.rows[row.index()].name.clone();
                    let name = name.unwrap_or_else(|| format!("#{}", row.0));
                    let items = if self.items(id, *row) { "[]" } else { "" };
                    let settled = if self.settled(id, *row) { "=" } else { "" };
                    format!("{name}{items}{settled}")
                })
                .collect();
            out.push_str(&format!("{how:6} {}: {}\n", record.name, slots.join(" ")));
        }
        out
    }
}
