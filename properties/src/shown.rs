//! Values of generated types as the interpreter has them.

use formwork::inspect::Inspect;
use formwork::{Problem, WriteError};
use formwork_interpreter::{Kept, Program, StructValue, UnionValue, Value, value_of};

use crate::value_text;

/// The value of anything that shows itself.
///
/// # Panics
///
/// If it does not show itself properly, which is a defect of the code that was generated.
#[must_use]
pub fn of(program: &Program, shown: &dyn Inspect) -> Value {
    value_of(program, |to| shown.inspect(to)).expect("a generated type shows one value")
}

/// Code and path of each problem, sorted.
#[must_use]
pub fn problems(error: &WriteError) -> String {
    let problem = |p: &Problem| format!("{} {}", p.kind.code(), p.path);
    let mut problems: Vec<_> = error.problems().iter().map(problem).collect();
    problems.sort();
    problems.join(", ")
}

/// The kept spellings of a value, a line each.
#[must_use]
pub fn kept(value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    value.for_each_kept(&mut |kept| {
        let (stored, instead_of) =
            (value_text::line(&kept.stored), value_text::line(&kept.instead_of));
        all.push(format!("{} {}: {stored} for {instead_of}", kept.kind.name(), kept.row));
    });
    all
}

/// The value with its kept spellings in an order of their own: in which order they were met means
/// nothing.
#[must_use]
pub fn sorted(value: Value) -> Value {
    let sort = |kept: Vec<Kept>| {
        let mut kept: Vec<Kept> =
            kept.into_iter().map(|k| Kept { stored: positional(k.stored), ..k }).collect();
        kept.sort_by_key(|kept| (kept.row.clone(), kept.kind));
        kept
    };
    let inside = |value: StructValue| StructValue {
        fields: value.fields.into_iter().map(|(name, field)| (name, sorted(field))).collect(),
        kept: sort(value.kept),
    };
    match value {
        Value::Array(elements) => Value::Array(elements.into_iter().map(sorted).collect()),
        Value::Struct(value) => Value::Struct(inside(value)),
        Value::Union(union) => {
            let UnionValue { case, value } = *union;
            Value::Union(Box::new(UnionValue { case, value: inside(value) }))
        }
        Value::Spelled(inner, kept) => Value::Spelled(Box::new(sorted(*inner)), sort(kept)),
        other => other,
    }
}

/// Rows of a table without the names of their fields, as generated code keeps them.
fn positional(value: Value) -> Value {
    match value {
        Value::Struct(row) => {
            Value::Array(row.fields.into_iter().map(|(_, field)| positional(field)).collect())
        }
        Value::Array(elements) => Value::Array(elements.into_iter().map(positional).collect()),
        other => other,
    }
}
