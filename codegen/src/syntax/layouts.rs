//! Statements of a layout.

use super::ast::Place;
use super::expr::PathEx;
use super::kdl::Node;
use super::near::nearest;
use super::props::{self, props};
use super::rows;
use super::words::{Args, no_children};
use crate::diagnostic::Diagnostics;

const STATEMENTS: [&str; 11] =
    ["self", "record", "tail", "put", "pass", "run", "align", "zero", "mark", "when", "else"];

/// The statements in braces. Passes can't stand in passes.
pub(super) fn places(nodes: &[Node], passes: bool, diagnostics: &mut Diagnostics) -> Vec<Place> {
    let mut list = Vec::new();
    let mut at = 0;
    while at < nodes.len() {
        let node = &nodes[at];
        at += 1;
        let otherwise =
            nodes.get(at).filter(|n| node.name.value == "when" && n.name.value == "else");
        at += usize::from(otherwise.is_some());
        place(node, otherwise, passes, &mut list, diagnostics);
    }
    list
}

fn place(
    node: &Node,
    otherwise: Option<&Node>,
    passes: bool,
    list: &mut Vec<Place>,
    diagnostics: &mut Diagnostics,
) {
    let mut args = Args::new(node);
    let word = node.name.value.as_str();
    if !matches!(word, "when" | "pass") {
        no_children(node, diagnostics);
    }
    let children = node.children.as_deref().unwrap_or_default();
    let aligned = matches!(word, "mark" | "put" | "record");
    let props = props(node, if aligned { props::PLACE } else { &[] }, diagnostics);
    match word {
        "self" => list.push(Place::This),
        "record" | "tail" | "put" => {
            // Before the first of them.
            list.extend(props.ex("align").cloned().map(Place::Align));
            for path in paths(node, &mut args, diagnostics) {
                list.push(match word {
                    "record" => Place::Record(path),
                    "tail" => Place::Tail(path),
                    _ => Place::Put(path),
                });
            }
        }
        "run" => {
            let Some(name) = args.required_name(diagnostics) else { return };
            for path in paths(node, &mut args, diagnostics) {
                list.push(Place::Run(name.clone(), path));
            }
        }
        "pass" => {
            if !passes {
                diagnostics.error("E0114", node.span, "`pass` can't stand in a `pass` or `when`");
            }
            let Some(name) = args.required_name(diagnostics) else { return };
            list.push(Place::Pass(name, places(children, false, diagnostics)));
        }
        "align" | "zero" => {
            let Some(literal) = args.next() else {
                diagnostics.error("E0114", node.span, format!("`{word}` needs a number"));
                return;
            };
            if let Some(ex) = props::ex(literal, diagnostics) {
                list.push(if word == "align" { Place::Align(ex) } else { Place::Zero(ex) });
            }
        }
        "mark" => {
            let Some(name) = args.required_name(diagnostics) else { return };
            list.push(Place::Mark(name, props.ex("align").cloned()));
        }
        "when" => {
            let condition = rows::condition(node, diagnostics);
            let then = places(children, false, diagnostics);
            let other = otherwise.and_then(|n| n.children.as_deref()).unwrap_or_default();
            let other = places(other, false, diagnostics);
            if let Some(condition) = condition {
                list.push(Place::When(condition, then, other));
            }
            return;
        }
        "else" => {
            diagnostics.error("E0114", node.span, "`else` without `when` before it");
        }
        _ => {
            let d = diagnostics.error(
                "E0109",
                node.name.span,
                format!("unknown statement `{word}` in a layout"),
            );
            match nearest(word, STATEMENTS) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.help(format!("a layout consists of: {}", STATEMENTS.join(", "))),
            };
            return;
        }
    }
    args.end(diagnostics);
}

fn paths(node: &Node, args: &mut Args<'_>, diagnostics: &mut Diagnostics) -> Vec<PathEx> {
    let mut list = Vec::new();
    while let Some(literal) = args.next() {
        let Some(ex) = props::ex(literal, diagnostics) else { continue };
        match ex.path() {
            Some(path) => list.push(path.clone()),
            None => {
                diagnostics.error("E0114", literal.span, "the path of a row is expected here");
            }
        }
    }
    if list.is_empty() && node.args.is_empty() {
        let word = &node.name.value;
        diagnostics.error("E0114", node.span, format!("`{word}` needs the path of a row"));
    }
    list
}
