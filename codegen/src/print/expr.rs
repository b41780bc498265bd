//! Expressions and paths as text.

use crate::model::{Expr, ExprId, Model, Path, Start, Step};

use super::record_name;

/// An expression as a schema could have it, with parentheses around every operation in another.
#[must_use]
pub fn expr_text(model: &Model, expr: ExprId) -> String {
    text(model, expr, false)
}

/// An expression as it stands in another one: an operation has parentheses.
pub(crate) fn operand_text(model: &Model, expr: ExprId) -> String {
    text(model, expr, true)
}

fn text(model: &Model, expr: ExprId, inner: bool) -> String {
    let go = |expr: ExprId| text(model, expr, true);
    let plain = |expr: ExprId| text(model, expr, false);
    let operation = match &model[expr] {
        Expr::Int(value) => return value.to_string(),
        Expr::Float(value) => return format!("{value:?}"),
        Expr::Bool(value) => return value.to_string(),
        Expr::Text(value) => return format!("'{}'", value.escape_debug()),
        Expr::Bytes(bytes) => return bytes_text(bytes),
        Expr::Epoch(number) => {
            let variable = model.epoch_variables.get(*number as usize);
            return variable.map_or_else(|| format!("epoch{number}"), |v| v.name.clone());
        }
        Expr::Path(path) => return path_text(model, path),
        Expr::Unary(op, operand) => {
            return format!("{}{}", op.sign(), go(*operand));
        }
        Expr::Binary(op, left, right) => {
            format!("{} {} {}", go(*left), op.sign(), go(*right))
        }
        Expr::If(condition, yes, no) => {
            format!("{} ? {} : {}", go(*condition), go(*yes), go(*no))
        }
        Expr::Coalesce(left, right) => format!("{} ?? {}", go(*left), go(*right)),
        Expr::In(operand, list) => {
            let list: Vec<String> = list
                .iter()
                .map(|(first, last)| match last {
                    Some(last) => format!("{}..{}", go(*first), go(*last)),
                    None => plain(*first),
                })
                .collect();
            format!("{} in [{}]", go(*operand), list.join(", "))
        }
        Expr::Is(path, case) => format!("{} is {case}", path_text(model, path)),
        Expr::Call(function, arguments) => {
            let name = function.name();
            let arguments: Vec<String> =
                arguments.iter().map(|argument| plain(*argument)).collect();
            return format!("{name}({})", arguments.join(", "));
        }
        Expr::Stream(function, stream, filter) => {
            let name = function.name();
            let filter = filter.map(|filter| format!(" where {}", plain(filter)));
            return format!("{name}({}{})", plain(*stream), filter.unwrap_or_default());
        }
        Expr::At(path) => return format!("at({})", path_text(model, path)),
        Expr::End(path) => return format!("end({})", path_text(model, path)),
        Expr::Size(path) => return format!("size({})", path_text(model, path)),
        Expr::Index(path) => return format!("index({})", path_text(model, path)),
        Expr::IsLast(path) => return format!("is_last({})", path_text(model, path)),
        Expr::Listed(path) => return format!("listed({})", path_text(model, path)),
        Expr::Stored(from, to) => return format!("bytes({}, {})", plain(*from), plain(*to)),
        Expr::FileEnd => return "end(file)".to_owned(),
        Expr::Here => return "here".to_owned(),
        Expr::RegionEnd => return "region_end".to_owned(),
        Expr::RelocationSections => return "relocation.sections".to_owned(),
        Expr::RelocationEntries => return "relocation.entries".to_owned(),
        Expr::Patricia(path) => return format!("patricia({})", path_text(model, path)),
    };
    if inner { format!("({operation})") } else { operation }
}

/// A path as resolved: `a.b` from the node, `^.a` from its owner, `Event.a` from the nearest node of
/// that name, `root.a`, `it.a`, `argument0.a`.
pub(crate) fn path_text(model: &Model, path: &Path) -> String {
    let mut out = match &path.start {
        Start::This if path.steps.is_empty() => "this".to_owned(),
        Start::This => String::new(),
        Start::Up(levels) => "^".repeat((*levels).min(64) as usize),
        Start::Enclosing(records) => {
            let mut names: Vec<String> = records.iter().map(|id| record_name(model, *id)).collect();
            names.dedup();
            match names.as_slice() {
                [name] => name.clone(),
                _ => format!("({})", names.join("|")),
            }
        }
        Start::Root => "root".to_owned(),
        Start::It => "it".to_owned(),
        Start::Argument(number) => format!("argument{number}"),
    };
    push_steps(path, &mut out, &|index| expr_text(model, index));
    out
}

/// Adds the steps of a path; `subscript` is the text of one.
pub(crate) fn push_steps(path: &Path, out: &mut String, subscript: &dyn Fn(ExprId) -> String) {
    for step in &path.steps {
        match step {
            Step::Field(field) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(&field.name);
            }
            Step::Index(index) => {
                out.push('[');
                out.push_str(&subscript(*index));
                out.push(']');
            }
            Step::Last => out.push_str("[last]"),
        }
    }
}

pub(super) fn bytes_text(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("hex('{digits}')")
}
