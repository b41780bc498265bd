//! Expressions: as a schema has them, and in words.

use super::text::{code, number};
use crate::model::{
    BinaryOp, Expr, ExprId, Function, Model, Path, Start, Step, StreamFunction, UnaryOp,
};
use crate::print;

/// An expression as code, with paths as they are written.
pub(super) fn written(model: &Model, expr: ExprId) -> String {
    code(&text(model, expr, 0))
}

/// An expression with paths as they are written.
#[must_use]
pub fn as_written(model: &Model, expr: ExprId) -> String {
    text(model, expr, 0)
}

/// How tightly an expression holds together: 0 a choice, 12 one word.
fn level(expr: &Expr) -> u8 {
    match expr {
        Expr::If(..) => 0,
        Expr::Coalesce(..) => 1,
        Expr::Binary(op, ..) => tightness(*op),
        Expr::In(..) | Expr::Is(..) => 4,
        Expr::Unary(..) => 11,
        _ => 12,
    }
}

/// Whether an expression is true or false.
pub(super) fn is_condition(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(UnaryOp::Not, _) | Expr::Bool(_) | Expr::IsLast(_) | Expr::Listed(_) => true,
        Expr::Stream(StreamFunction::Any | StreamFunction::All, ..) => true,
        _ => (2..=4).contains(&level(expr)),
    }
}

/// How tightly the operands of an operator hold together.
fn tightness(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::EitherTrue => 2,
        BinaryOp::BothTrue => 3,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessOrEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterOrEqual => 4,
        BinaryOp::Or => 5,
        BinaryOp::Xor => 6,
        BinaryOp::And => 7,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 8,
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Concatenate => 9,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 10,
    }
}

/// The text, in parentheses if it holds together less tightly than asked.
fn text(model: &Model, expr: ExprId, least: u8) -> String {
    let here = level(&model[expr]);
    let go = |expr: ExprId, least: u8| text(model, expr, least);
    let tighter = here.saturating_add(1);
    let out = match &model[expr] {
        Expr::Int(value) => number(*value),
        Expr::Path(path) => path_text(model, path),
        Expr::Unary(op, operand) => {
            format!("{}{}", op.sign(), go(*operand, here))
        }
        Expr::Binary(op, left, right) => {
            let comparison = here == 4;
            let left = go(*left, if comparison { tighter } else { here });
            format!("{left} {} {}", op.sign(), go(*right, tighter))
        }
        Expr::If(condition, yes, no) => {
            format!("{} ? {} : {}", go(*condition, tighter), go(*yes, 0), go(*no, 0))
        }
        Expr::Coalesce(left, right) => format!("{} ?? {}", go(*left, here), go(*right, tighter)),
        Expr::In(operand, list) => {
            let range = |(first, last): &(ExprId, Option<ExprId>)| match last {
                Some(last) => format!("{}..{}", go(*first, 5), go(*last, 5)),
                None => go(*first, 0),
            };
            let list: Vec<String> = list.iter().map(range).collect();
            format!("{} in [{}]", go(*operand, tighter), list.join(", "))
        }
        Expr::Is(path, case) => format!("{} is {case}", path_text(model, path)),
        Expr::Call(function, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|a| go(*a, 0)).collect();
            format!("{}({})", function.name(), arguments.join(", "))
        }
        Expr::Stream(function, stream, filter) => {
            let filter = filter.map(|filter| format!(" where {}", go(filter, 0)));
            let stream = go(*stream, 0);
            let name = match function {
                StreamFunction::FirstIndex => "index of the first",
                other => other.name(),
            };
            format!("{name}({stream}{})", filter.unwrap_or_default())
        }
        Expr::At(path) => format!("at({})", path_text(model, path)),
        Expr::End(path) => format!("end({})", path_text(model, path)),
        Expr::Size(path) => format!("size({})", path_text(model, path)),
        Expr::Index(path) => format!("index({})", path_text(model, path)),
        Expr::IsLast(path) => format!("is_last({})", path_text(model, path)),
        Expr::Listed(path) => format!("listed({})", path_text(model, path)),
        Expr::Patricia(path) => format!("patricia({})", path_text(model, path)),
        _ => print::expr_text(model, expr),
    };
    if here < least { format!("({out})") } else { out }
}

/// A path as written; of one that nobody wrote, the steps.
pub(super) fn path_text(model: &Model, path: &Path) -> String {
    if !path.text.is_empty() {
        return with_indices(model, path);
    }
    let mut out = match &path.start {
        Start::Argument(number) => format!("argument{number}"),
        Start::Root => "root".to_owned(),
        Start::It => "it".to_owned(),
        Start::This | Start::Up(_) | Start::Enclosing(_) => String::new(),
    };
    print::push_steps(path, &mut out, &|index| text(model, index, 0));
    if out.is_empty() { "this".to_owned() } else { out }
}

/// The text of a path, with the subscripts that it leaves out.
fn with_indices(model: &Model, path: &Path) -> String {
    let mut subscripts = path.steps.iter().filter_map(|step| match step {
        Step::Index(index) => Some(text(model, *index, 0)),
        Step::Last => Some("last".to_owned()),
        Step::Field(_) => None,
    });
    let mut parts = path.text.split("[..]");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for _ in 0..out.matches('[').count() {
        subscripts.next();
    }
    for part in parts {
        out += &format!("[{}]", subscripts.next().unwrap_or_default());
        for _ in 0..part.matches('[').count() {
            subscripts.next();
        }
        out += part;
    }
    out
}

/// What a number follows from, in words where there are some.
pub(super) fn words(model: &Model, expr: ExprId) -> String {
    match &model[expr] {
        Expr::At(path) => format!("file offset of {}", place(model, path)),
        Expr::End(path) => format!("file offset of the end of {}", place(model, path)),
        Expr::Size(path) => format!("size of {}, in bytes", place(model, path)),
        Expr::Index(path) => format!("index of {}", place(model, path)),
        Expr::FileEnd => "size of the file".to_owned(),
        Expr::Patricia(path) => format!("radix tree over {}", code(&path_text(model, path))),
        Expr::RelocationSections => "the sections of the relocation table".to_owned(),
        Expr::RelocationEntries => "the entries of the relocation table".to_owned(),
        Expr::Stream(function, stream, None) if matches!(model[*stream], Expr::Path(_)) => {
            let stream = written(model, *stream);
            match function {
                StreamFunction::Count | StreamFunction::Units => format!("number of {stream}"),
                StreamFunction::Sum => format!("sum of {stream}"),
                StreamFunction::Min => format!("least of {stream}"),
                StreamFunction::Max => format!("greatest of {stream}"),
                _ => written(model, expr),
            }
        }
        Expr::Binary(BinaryOp::Subtract, end, start) => match &model[*start] {
            Expr::At(path) => match targets(model, *end) {
                Some(targets) => {
                    let from = place(model, path);
                    format!("distance from the start of {from} to {}", targets.join(", else to "))
                }
                None => written(model, expr),
            },
            _ => written(model, expr),
        },
        Expr::Coalesce(value, otherwise) if matches!(model[*otherwise], Expr::Int(_)) => {
            format!("{}, or {}", words(model, *value), written(model, *otherwise))
        }
        Expr::Coalesce(..) => match targets(model, expr) {
            Some(targets) => format!("file offset of {}", targets.join(", else of ")),
            None => written(model, expr),
        },
        Expr::Call(Function::Murmur3, arguments) => match arguments.as_slice() {
            [text, seed] => {
                let (text, seed) = (written(model, *text), written(model, *seed));
                format!("murmur3 hash of {text} with seed {seed}")
            }
            _ => written(model, expr),
        },
        Expr::Call(Function::Fnv1a, arguments) => match arguments.as_slice() {
            [text] => format!("FNV-1a hash of {}", written(model, *text)),
            _ => written(model, expr),
        },
        Expr::Call(Function::Polynomial, arguments) => match arguments.as_slice() {
            [text, rest @ ..] => {
                let (text, rest): (_, Vec<String>) =
                    (written(model, *text), rest.iter().map(|of| written(model, *of)).collect());
                match rest.as_slice() {
                    [factor, start] => {
                        format!("polynomial hash of {text} with factor {factor}, from {start} on")
                    }
                    factor => format!("polynomial hash of {text} with factor {}", factor.concat()),
                }
            }
            [] => written(model, expr),
        },
        Expr::Call(
            function @ (Function::Crc32
            | Function::Adler32
            | Function::Md5
            | Function::Sha1
            | Function::Sha256),
            arguments,
        ) => match arguments.as_slice() {
            [bytes] => {
                let name = match function {
                    Function::Crc32 => "CRC-32",
                    Function::Adler32 => "Adler-32",
                    Function::Md5 => "MD5",
                    Function::Sha1 => "SHA-1",
                    _ => "SHA-256",
                };
                format!("{name} of {}", joined(model, *bytes))
            }
            _ => written(model, expr),
        },
        Expr::Stored(from, to) => match (&model[*from], &model[*to]) {
            (Expr::At(first), Expr::End(last)) if first.text == last.text => {
                format!("the bytes of {}", place(model, first))
            }
            (Expr::At(first), Expr::End(last)) => {
                format!(
                    "the bytes from {} to the end of {}",
                    place(model, first),
                    place(model, last)
                )
            }
            _ => format!("the bytes from {} to {}", words(model, *from), words(model, *to)),
        },
        Expr::Call(Function::Length, arguments) => match arguments.as_slice() {
            [text] => format!("length of {}, in bytes", written(model, *text)),
            _ => written(model, expr),
        },
        Expr::Call(Function::Utf16Units, arguments) => match arguments.as_slice() {
            [text] => format!("length of {}, in units of UTF-16", written(model, *text)),
            _ => written(model, expr),
        },
        _ => written(model, expr),
    }
}

fn is_this(path: &Path) -> bool {
    matches!(path.start, Start::This) && path.steps.is_empty()
}

/// A place, by its path.
pub(super) fn place(model: &Model, path: &Path) -> String {
    if is_this(path) { "this structure".to_owned() } else { code(&path_text(model, path)) }
}

/// Places of `at(a) ?? at(b) ?? at(c)`.
fn targets(model: &Model, expr: ExprId) -> Option<Vec<String>> {
    match &model[expr] {
        Expr::At(path) => Some(vec![place(model, path)]),
        Expr::Coalesce(left, right) => {
            let mut all = targets(model, *left)?;
            all.extend(targets(model, *right)?);
            Some(all)
        }
        _ => None,
    }
}

/// Several runs of bytes, one behind the other.
fn joined(model: &Model, expr: ExprId) -> String {
    match &model[expr] {
        Expr::Binary(BinaryOp::Concatenate, a, b) => {
            format!("{} followed by {}", joined(model, *a), joined(model, *b))
        }
        _ => words(model, expr),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DefinerSource, Role};

    /// The equation of `x` as written, and in words.
    fn shown(equation: &str) -> (String, String) {
        let text = format!(
            "module t \"Test\" root=File endian=little
             pointer * u8 none=0
             struct File {{
                 u8    a
                 u8    b
                 *u8   list   count=a
                 *Leaf leaf
                 u32   x      is=\"{equation}\"
                 text  name   size=b
             }}
             struct Leaf {{ u8 value }}"
        );
        let loaded = crate::load("t.kdl", &text, None, &());
        let problems = crate::diagnostic::render(&loaded.diagnostics, &loaded.sources, false);
        let model = loaded.model.unwrap_or_else(|| panic!("{equation}\n{problems}"));
        let rows = model.records.iter().flat_map(|record| &record.rows);
        let mut rows = rows.filter(|row| row.name.as_deref() == Some("x"));
        let row = rows.next().expect("the row is there");
        assert!(matches!(row.role, Role::Derived), "{equation}");
        let DefinerSource::Expr(expr) = row.definers[0].source else { panic!("{equation}") };
        (written(&model, expr), words(&model, expr))
    }

    #[test]
    fn parentheses_stand_where_they_are_needed() {
        let check = |text: &str| assert_eq!(shown(text).0, code(text));
        check("a + 2 * b");
        check("(a + 2) * b");
        check("a - (b - 1)");
        check("a - b - 1");
        check("(a << 1 | 1) & ~2 ^ 4");
        check("a > 0 && b in [1, 3..9] ? 1 : 0");
        check("list[a / 2] ?? 7");
        check("list[last] ?? leaf.value");
        check("count(list where it > 1) + 0x1000");
    }

    #[test]
    fn equations_in_words() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text).1, expected);
        check("count(list)", "number of `list`");
        check("sum(list) + 1", "`sum(list) + 1`");
        check("max(list)", "greatest of `list`");
        check("end(file)", "size of the file");
        check("at(leaf)", "file offset of `leaf`");
        check("at(this)", "file offset of this structure");
        check("at(leaf) - at(this)", "distance from the start of this structure to `leaf`");
        check("at(leaf) - at(list)", "distance from the start of `list` to `leaf`");
        check("at(leaf) ?? 0", "file offset of `leaf`, or `0`");
        check("size(list)", "size of `list`, in bytes");
        check("fnv1a(name)", "FNV-1a hash of `name`");
        check("murmur3(name, 5)", "murmur3 hash of `name` with seed `5`");
        check("polynomial(name, 31)", "polynomial hash of `name` with factor `31`");
        check(
            "polynomial(name, 33, 5381)",
            "polynomial hash of `name` with factor `33`, from `0x1505` on",
        );
        check("length(name)", "length of `name`, in bytes");
    }
}
