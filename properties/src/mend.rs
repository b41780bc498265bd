//! Values of which is left out what cannot be written.

use std::collections::BTreeSet;

use formwork::WriteError;
use formwork::path::Segment;
use formwork_interpreter::Value;

/// So often something is left out of a value that still cannot be written.
pub const ROUNDS: u32 = 12;

/// Takes out of a value what the problems are about: at first only the data itself, which becomes 0
/// or empty; later the innermost elements that it is in, since others may disagree with it. Says
/// whether anything changed.
pub fn leave_out(value: &mut Value, error: &WriteError, round: u32) -> bool {
    let mut changed = false;
    let mut elements = BTreeSet::new();
    for problem in error.problems() {
        let data = value.at_path_mut(&problem.path.to_string());
        if round < ROUNDS / 4 && data.is_some_and(clear) {
            changed = true;
            continue;
        }
        let mut array = problem.path.clone();
        while let Some(segment) = array.pop() {
            if let Segment::Index(index) = segment {
                elements.insert((array.to_string(), index));
                break;
            }
        }
    }
    // The last ones first, so that others stay where they are.
    for (array, index) in elements.into_iter().rev() {
        let elements = value.at_path_mut(&array).and_then(Value::elements_mut);
        if let Some(elements) = elements.filter(|elements| index < elements.len()) {
            elements.remove(index);
            changed = true;
        }
    }
    changed
}

/// Makes a value that says little of one that says more.
fn clear(value: &mut Value) -> bool {
    let little = match value {
        Value::Spelled(inner, _) => return clear(inner),
        Value::Int(number) if *number != 0 => Value::Int(0),
        Value::Text(text) if !text.is_empty() => Value::Text(String::new()),
        Value::Bytes(bytes) if !bytes.is_empty() => Value::Bytes(Vec::new()),
        Value::Array(elements) if !elements.is_empty() => Value::Array(Vec::new()),
        _ => return false,
    };
    *value = little;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork::path::Path;
    use formwork::{Problem, ProblemKind};
    use formwork_interpreter::StructValue;

    #[test]
    fn what_is_wrong_goes_first_itself_then_its_element() {
        let element = |number| {
            let fields = vec![("number".to_owned(), Value::Int(number))];
            Value::Struct(StructValue { fields, kept: Vec::new() })
        };
        let of = |numbers: &[i128]| {
            let elements = numbers.iter().map(|number| element(*number)).collect();
            let fields = vec![("all".to_owned(), Value::Array(elements))];
            Value::Struct(StructValue { fields, kept: Vec::new() })
        };
        let mut value = of(&[1, 2, 3]);
        let mut path = Path::new();
        path.push("all");
        path.push(1);
        path.push("number");
        let error = WriteError::from(Problem::new(path, ProblemKind::MissingField));
        assert!(leave_out(&mut value, &error, 0));
        assert_eq!(value, of(&[1, 0, 3]));
        assert!(leave_out(&mut value, &error, ROUNDS));
        assert_eq!(value, of(&[1, 3]));
    }
}
