//! Cases and forms of unions.

use super::ast::{CaseDecl, FormDecl, Item, LabelEx};
use super::kdl::Node;
use super::props::{self, props};
use super::words::Args;
use super::{about, labels, rows};
use crate::diagnostic::Diagnostics;

/// The block of a union: common rows, then cases.
pub(super) fn body(nodes: &[Node], diagnostics: &mut Diagnostics) -> (Vec<Item>, Vec<CaseDecl>) {
    let mut common = Vec::new();
    let mut cases = Vec::new();
    for node in nodes {
        if node.name.value == "case" {
            cases.extend(case(node, diagnostics));
        } else if cases.is_empty() || matches!(node.name.value.as_str(), "layout" | "let") {
            common.push(node.clone());
        } else if matches!(node.name.value.as_str(), "default" | "else") {
            let word = &node.name.value;
            diagnostics
                .error("E0109", node.name.span, format!("`{word}` is no case"))
                .help("write `case NAME else { ... }`: a case has a name, and a label");
        } else {
            diagnostics
                .error("E0109", node.name.span, "common rows stand before the first case")
                .help("move the line up");
        }
    }
    (rows::items(&common, diagnostics), cases)
}

fn labels_of(args: &mut Args<'_>) -> Vec<LabelEx> {
    let mut list = Vec::new();
    while let Some(label) = args.peek().and_then(labels::label) {
        list.push(label);
        args.next();
    }
    list
}

fn case(node: &Node, diagnostics: &mut Diagnostics) -> Option<CaseDecl> {
    let mut args = Args::new(node);
    let name = args.required_name(diagnostics);
    let labels = labels_of(&mut args);
    let doc = args.doc(diagnostics);
    let props = props(node, props::CASE, diagnostics);
    let mut own = Vec::new();
    let mut forms = Vec::new();
    let (about, lines) = about::split(node.children.as_deref().unwrap_or_default(), diagnostics);
    for child in lines {
        if child.name.value == "form" {
            forms.extend(form(&child, diagnostics));
        } else {
            own.push(child);
        }
    }
    let items = rows::items(&own, diagnostics);
    Some(CaseDecl { name: name?, labels, doc, props, items, forms, about, span: node.span })
}

fn form(node: &Node, diagnostics: &mut Diagnostics) -> Option<FormDecl> {
    let mut args = Args::new(node);
    let labels = labels_of(&mut args);
    args.doc(diagnostics);
    let props = props(node, props::FORM, diagnostics);
    if labels.is_empty() {
        diagnostics
            .error("E0110", node.span, "`form` needs a label")
            .help("write `form 0x12 { ... }`");
        return None;
    }
    let items = rows::items(node.children.as_deref().unwrap_or_default(), diagnostics);
    Some(FormDecl { labels, props, items, span: node.span })
}
