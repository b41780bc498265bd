//! What a schema says to people: remarks and examples.

use super::ast::{About, ExampleDecl, RemarkDecl, SaidDecl};
use super::kdl::{Literal, Node, Scalar};
use super::props::{self, props};
use super::words::{Args, no_children};
use crate::diagnostic::Diagnostics;
use crate::model::{Constant, RemarkKind};
use crate::prose::line;
use crate::span::Spanned;

/// Statements that stand in modules, structs, unions, cases, strings, varints and enumerations.
pub(super) const ABOUT: &[&str] = &["also", "note", "limit", "open", "example"];

/// Takes what is said to people out of a block; the other lines stay.
pub(super) fn split(nodes: &[Node], diagnostics: &mut Diagnostics) -> (Vec<About>, Vec<Node>) {
    let (about, others): (Vec<&Node>, Vec<&Node>) = nodes.iter().partition(|node| is_about(node));
    let about = about.into_iter().filter_map(|node| one(node, diagnostics)).collect();
    (about, others.into_iter().cloned().collect())
}

/// A block in which nothing else may stand.
pub(super) fn only(node: &Node, diagnostics: &mut Diagnostics) -> Vec<About> {
    let (about, others) = split(node.children.as_deref().unwrap_or_default(), diagnostics);
    for other in others {
        diagnostics
            .error("E0109", other.name.span, format!("unknown statement `{}`", other.name.value))
            .help(format!("`{}` may hold {}", node.name.value, ABOUT.join(", ")));
    }
    about
}

/// Whether a line is one of these statements: a member of an enumeration may have such a name.
pub(super) fn is_about(node: &Node) -> bool {
    ABOUT.contains(&node.name.value.as_str())
        && node.args.first().is_none_or(|first| matches!(first.value, Scalar::Text(_)))
}

pub(super) fn one(node: &Node, diagnostics: &mut Diagnostics) -> Option<About> {
    let kind = match node.name.value.as_str() {
        "also" => RemarkKind::Also,
        "note" => RemarkKind::Note,
        "limit" => RemarkKind::Limit,
        "open" => RemarkKind::Open,
        _ => return example(node, diagnostics).map(About::Example),
    };
    let mut args = Args::new(node);
    props(node, &[], diagnostics);
    no_children(node, diagnostics);
    let Some(text) = args.next().and_then(Literal::text) else {
        let word = &node.name.value;
        diagnostics
            .error("E0114", node.span, format!("`{word}` needs a text"))
            .help(format!("write `{word} \"...\"`"));
        return None;
    };
    args.end(diagnostics);
    Some(About::Remark(RemarkDecl { kind, text: line(text), span: node.span }))
}

fn example(node: &Node, diagnostics: &mut Diagnostics) -> Option<ExampleDecl> {
    let mut args = Args::new(node);
    let props = props(node, props::EXAMPLE, diagnostics);
    let Some(literal) = args.next() else {
        diagnostics
            .error("E0114", node.span, "`example` needs bytes in hexadecimal")
            .help("write `example \"01 02\" { name 513 }`");
        return None;
    };
    let bytes = literal.text().and_then(super::hex);
    let doc = args.doc(diagnostics);
    let mut says = Vec::new();
    for child in node.children.as_deref().unwrap_or_default() {
        self::props::props(child, &[], diagnostics);
        no_children(child, diagnostics);
        let [value] = child.args.as_slice() else {
            diagnostics
                .error("E0114", child.span, "an example says one value of each field")
                .help("write `example \"01 02\" { name 513 }`");
            continue;
        };
        let value = match &value.value {
            Scalar::Int(number) => Some(Constant::Int(*number)),
            Scalar::Float(number) => Some(Constant::Float(number.to_bits())),
            Scalar::Bool(truth) => Some(Constant::Bool(*truth)),
            Scalar::Text(text) => Some(Constant::Text(text.clone())),
            Scalar::Null => None,
        };
        says.push(SaidDecl { path: child.name.clone(), value, span: child.span });
    }
    let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
        diagnostics.error("E0108", literal.span, "these are not bytes in hexadecimal").help(
            "two digits for each byte, in quotes; blanks and ends of lines may stand between them",
        );
        return None;
    };
    let when = props.ex("when").cloned();
    let of = props.text("of").zip(props.span("of"));
    let of = of.map(|(text, span)| Spanned { value: text.to_owned(), span });
    Some(ExampleDecl { bytes, doc, when, of, says, span: node.span })
}
