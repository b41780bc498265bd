//! Values without what only other layouts have.

use formwork_model::{Constant, Meaning, RecordId, Role, Row, Target, Type};

use formwork::engine::{Program, epoch_of, given_is};

use crate::shape::{Shape, Shapes};
use crate::stack::with_stack;
use crate::value::{StructValue, UnionValue, Value};

/// The value as a reader would give it: without the fields that its own layout does not have and that
/// say what stands for them there (`absent=`, or nothing), and without structs that say nothing.
///
/// Generated types have the fields of all layouts, and the value of a file whose version somebody
/// changes has those of the version before: both may be written, and are read again without them. A
/// field that says something else stays; writing refuses it.
#[must_use]
pub fn in_layout(program: &Program, value: Value) -> Value {
    read_as(program, value, None)
}

/// The same of a value that was written and read again: a field that it leaves out is what it was read
/// as, if that is what the schema says of a field that nobody mentions.
pub(crate) fn completed(program: &Program, value: Value, read: &Value) -> Value {
    read_as(program, value, Some(read))
}

/// The value without what says that rows with defaults are not there for their conditions: these may
/// hold when something else has changed.
pub(crate) fn left_open(program: &Program, value: Value) -> Value {
    let epoch = epoch_of(program, value.given()).ok();
    let walk = Layout { shapes: Shapes::new(program, epoch), depth: 0, leaves_open: true };
    walk.record(value, program.model().root, None)
}

fn read_as(program: &Program, value: Value, read: Option<&Value>) -> Value {
    let epoch = epoch_of(program, value.given()).ok();
    let walk = Layout { shapes: Shapes::new(program, epoch), depth: 0, leaves_open: false };
    walk.record(value, program.model().root, read)
}

/// The walk.
#[derive(Clone, Copy)]
struct Layout<'m> {
    shapes: Shapes<'m>,
    /// Through how many structs that stand for one of their rows it has come.
    depth: u32,
    /// Whether it leaves out what conditions may bring, and nothing else.
    leaves_open: bool,
}

/// Structs that stand for one of their rows, one in another, are followed so far.
const MAX_DEPTH: u32 = 64;

impl<'m> Layout<'m> {
    fn record(self, value: Value, id: RecordId, read: Option<&Value>) -> Value {
        let record = &self.shapes.model.records[id.index()];
        match (value, record.transparent) {
            (Value::Spelled(inner, kept), _) => {
                Value::Spelled(Box::new(self.record(*inner, id, read.map(Value::bare))), kept)
            }
            (Value::Struct(value), None) => Value::Struct(self.fields(value, id, read)),
            (value, Some(row)) if self.depth < MAX_DEPTH => {
                Layout { depth: self.depth + 1, ..self }.value(
                    value,
                    &record.rows[row.index()].ty,
                    read,
                )
            }
            (value, _) => value,
        }
    }

    fn value(self, value: Value, ty: &'m Type, read: Option<&Value>) -> Value {
        with_stack(|| match (ty.stripped(), value) {
            (Type::Record(id), value) => self.record(value, *id, read),
            (Type::Pointer(pointer), value) => match &pointer.target {
                Target::Own(target) => self.value(value, target, read),
                Target::Pooled | Target::Element => value,
            },
            (_, Value::Spelled(inner, kept)) => {
                Value::Spelled(Box::new(self.value(*inner, ty, read.map(Value::bare))), kept)
            }
            (Type::Array(array), Value::Array(elements)) => {
                let inside = Layout { depth: 0, ..self };
                let read = read.and_then(Value::elements);
                let elements = elements.into_iter().enumerate().map(|(at, value)| {
                    inside.value(value, &array.element, read.and_then(|read| read.get(at)))
                });
                Value::Array(elements.collect())
            }
            (Type::Union(id), Value::Union(union)) => {
                let UnionValue { case, value } = *union;
                let cases = &self.shapes.model.unions[id.index()].cases;
                let value = match cases.iter().find(|known| known.name == case) {
                    Some(known) => self.fields(value, known.record, read),
                    None => value,
                };
                Value::Union(Box::new(UnionValue { case, value }))
            }
            (Type::Cell(cell), Value::Struct(value)) => match cell.meaning {
                Meaning::Word(id) => Value::Struct(self.fields(value, id, read)),
                _ => Value::Struct(value),
            },
            (_, value) => value,
        })
    }

    fn fields(self, value: StructValue, record: RecordId, read: Option<&Value>) -> StructValue {
        let fields = value.fields.into_iter().filter_map(|(name, field)| {
            let Some(row) = self.shapes.field(record, &name) else { return Some((name, field)) };
            if self.leaves_open {
                let is_open = row.when.is_some()
                    && matches!(row.role, Role::Default(_))
                    && row.none.is_empty();
                if is_open && field.is_none() {
                    return None;
                }
                return Some((name, Layout { depth: 0, ..self }.value(field, &row.ty, None)));
            }
            if self.shapes.is_elsewhere(row) && is_nothing(row, &field) {
                return None;
            }
            let field = match (&field, &row.role) {
                (Value::None, Role::Default(said)) if row.may_be_left_out() => {
                    self.stated(said, row).unwrap_or(field)
                }
                _ => {
                    let read = read.and_then(|read| read.get(&name));
                    Layout { depth: 0, ..self }.value(field, &row.ty, read)
                }
            };
            let says_nothing = match &field {
                Value::None => true,
                Value::Struct(value) => value.fields.is_empty() && value.kept.is_empty(),
                _ => false,
            };
            (!says_nothing || self.shapes.carries_data(row)).then_some((name, field))
        });
        let mut fields: Vec<_> = fields.collect();
        for (at, (name, value)) in read.and_then(Value::fields).unwrap_or(&[]).iter().enumerate() {
            let here = fields.get(at).is_some_and(|(known, _)| known == name);
            if here || fields.iter().any(|(known, _)| known == name) {
                continue;
            }
            let usual = self.shapes.field(record, name).and_then(Row::usual);
            if value.is_none() || usual.is_some_and(|usual| given_is(&value.given(), usual)) {
                fields.insert(at.min(fields.len()), (name.clone(), value.clone()));
            }
        }
        StructValue { fields, kept: value.kept }
    }
}

impl Layout<'_> {
    /// The value that a row has by default.
    fn stated(self, said: &Constant, row: &Row) -> Option<Value> {
        Some(match (self.shapes.row(row), said) {
            (Shape::Int(_) | Shape::Enum(..), Constant::Int(number)) => Value::Int(*number),
            (Shape::Bool, Constant::Bool(truth)) => Value::Bool(*truth),
            (Shape::Bool, Constant::Int(number)) => Value::Bool(*number != 0),
            (Shape::Float(bytes), said) => Value::Float { bits: said.float_bits(bytes)?, bytes },
            (Shape::Text { .. } | Shape::ByteOrder, Constant::Text(text)) => {
                Value::Text(text.clone())
            }
            (Shape::Bytes, Constant::Text(text)) => Value::Bytes(text.as_bytes().to_vec()),
            (Shape::Bytes, Constant::Bytes(bytes)) => Value::Bytes(bytes.clone()),
            _ => return None,
        })
    }
}

/// Whether a value is what a row has in a layout without it.
fn is_nothing(row: &Row, value: &Value) -> bool {
    let constant = row.absent.as_ref();
    matches!(value, Value::None)
        || constant.is_some_and(|constant| given_is(&value.given(), constant))
}
