//! The order in which objects are written, in words.

use std::fmt::Write as _;

use super::expr::written;
use super::facts::{plain_amount, row_name};
use super::plan::Cx;
use super::text::{and, code, plain};
use crate::model::{LayoutPath, Record, RecordId, Statement};

/// Lists for all structs that place something besides themselves.
pub(super) fn order(cx: &Cx<'_>) -> String {
    let mut out = String::new();
    for id in cx.sections() {
        let Some(record) = cx.record(id) else { continue };
        if !is_worth_telling(record) {
            continue;
        }
        let _ = writeln!(out, "{}:\n", cx.record_link(id));
        list(cx, record, &record.layout, 0, &mut out);
        out.push('\n');
        for (name, pass) in &record.passes {
            let _ = writeln!(out, "{}, part {}:\n", plain(cx.title(id)), code(name));
            list(cx, record, pass, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

/// Whether there is anything to write.
pub(super) fn any(cx: &Cx<'_>) -> bool {
    cx.sections().into_iter().filter_map(|id: RecordId| cx.record(id)).any(is_worth_telling)
}

/// A struct that places itself and one thing more has nothing to tell.
fn is_worth_telling(record: &Record) -> bool {
    let one = |statement: &Statement| matches!(statement, Statement::Put(_) | Statement::Tail(_));
    let plain = match record.layout.as_slice() {
        [] | [Statement::This] => true,
        [Statement::This, statement] => one(statement),
        _ => false,
    };
    !plain || !record.passes.is_empty()
}

fn it(statements: &[&Statement]) -> &'static str {
    if statements.len() > 1 { "them" } else { "it" }
}

fn list(cx: &Cx<'_>, record: &Record, statements: &[Statement], depth: usize, out: &mut String) {
    let indent = "   ".repeat(depth);
    let mut number = 0_usize;
    let mut line = |out: &mut String, text: &str| {
        number = number.saturating_add(1);
        let _ = writeln!(out, "{indent}{number}. {text}");
    };
    let mut at = 0;
    while let Some(statement) = statements.get(at) {
        at = at.saturating_add(1);
        // Several of a kind, one behind the other, are one line.
        let mut names = vec![statement];
        while let Some(next) = statements.get(at).filter(|next| alike(statement, next)) {
            names.push(next);
            at = at.saturating_add(1);
        }
        match statement {
            Statement::This => line(out, "this structure"),
            Statement::Record(_) => {
                line(out, &format!("{}, without what belongs to {}", paths(&names), it(&names)));
            }
            Statement::Tail(_) => {
                line(
                    out,
                    &format!("what belongs to {}", paths(&names).replace("then ", "then to ")),
                );
            }
            Statement::Put(_) => {
                let each = if names.len() > 1 { "each " } else { "" };
                line(out, &format!("{}, {each}with what belongs to it", paths(&names)));
            }
            Statement::Run(pass, _) => {
                line(out, &format!("part {} of {}", code(pass), paths(&names)));
            }
            Statement::Align(align) => {
                let align = plain_amount(cx, *align);
                line(out, &format!("zero bytes up to a multiple of {align}"));
            }
            Statement::Zero(size) => {
                let size = plain_amount(cx, *size);
                line(out, &format!("{size} zero {}", if size == "1" { "byte" } else { "bytes" }));
            }
            Statement::Mark(row, align) => {
                let name = row_name(record, *row);
                let align = align.map(|align| plain_amount(cx, align));
                let align = align.map(|align| format!(", on a multiple of {align}"));
                line(out, &format!("the place {name}{}", align.unwrap_or_default()));
            }
            Statement::When(condition, yes, no) => {
                line(out, &format!("if {}:", written(cx.model, *condition)));
                list(cx, record, yes, depth.saturating_add(1), out);
                if !no.is_empty() {
                    let _ = writeln!(out, "\n{indent}   otherwise:\n");
                    list(cx, record, no, depth.saturating_add(1), out);
                }
            }
        }
    }
}

fn alike(one: &Statement, other: &Statement) -> bool {
    match (one, other) {
        (Statement::Record(_), Statement::Record(_))
        | (Statement::Tail(_), Statement::Tail(_))
        | (Statement::Put(_), Statement::Put(_)) => true,
        (Statement::Run(one, _), Statement::Run(other, _)) => one == other,
        _ => false,
    }
}

fn paths(statements: &[&Statement]) -> String {
    let name = |path: &LayoutPath| code(&path.text);
    let names: Vec<String> = statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Record(path) | Statement::Tail(path) | Statement::Put(path) => {
                Some(name(path))
            }
            Statement::Run(_, path) => Some(name(path)),
            _ => None,
        })
        .collect();
    match names.as_slice() {
        [_, _, ..] => names.join(", then "),
        _ => and(&names),
    }
}
