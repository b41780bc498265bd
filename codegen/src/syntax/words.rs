//! Positions in a line: name, homes, documentation.

use super::ast::HomeEx;
use super::kdl::{Literal, Node, Scalar};
use crate::diagnostic::Diagnostics;
use crate::prose::tidy;
use crate::span::Spanned;

/// The arguments of a node, taken from the front.
pub(super) struct Args<'a> {
    node: &'a Node,
    at: usize,
}

impl<'a> Args<'a> {
    pub fn new(node: &'a Node) -> Args<'a> {
        Args { node, at: 0 }
    }

    pub fn peek(&self) -> Option<&'a Literal> {
        self.node.args.get(self.at)
    }

    pub fn next(&mut self) -> Option<&'a Literal> {
        let literal = self.node.args.get(self.at)?;
        self.at += 1;
        Some(literal)
    }

    /// A name, if the next word is one.
    pub fn name(&mut self) -> Option<Spanned<String>> {
        let literal = self.peek()?;
        let text = literal.text().filter(|text| is_identifier(text))?;
        self.at += 1;
        Some(Spanned { value: text.to_owned(), span: literal.part(0, text.len()) })
    }

    /// A name; it is an error if there is none.
    pub fn required_name(&mut self, diagnostics: &mut Diagnostics) -> Option<Spanned<String>> {
        if let Some(name) = self.name() {
            return Some(name);
        }
        let word = &self.node.name.value;
        match self.next() {
            Some(literal) => diagnostics
                .error("E0110", literal.span, format!("`{word}` needs a name here"))
                .help(
                    "a name consists of letters, digits and `_`, and does not begin with a digit",
                ),
            None => diagnostics.error("E0110", self.node.span, format!("`{word}` needs a name")),
        };
        None
    }

    /// Integers and `-`.
    pub fn homes(&mut self, diagnostics: &mut Diagnostics) -> Vec<Spanned<HomeEx>> {
        let mut homes = Vec::new();
        while let Some(literal) = self.peek() {
            let value = match &literal.value {
                Scalar::Int(n) => match u64::try_from(*n) {
                    Ok(n) if n <= u64::from(u32::MAX) => HomeEx::At(n),
                    _ => {
                        diagnostics.error(
                            "E0111",
                            literal.span,
                            "an offset or size lies between 0 and 0xffffffff",
                        );
                        HomeEx::Absent
                    }
                },
                Scalar::Text(text) if text == "-" => HomeEx::Absent,
                _ => break,
            };
            homes.push(Spanned { value, span: literal.span });
            self.at += 1;
        }
        homes
    }

    /// The documentation, which ends the line.
    pub fn doc(&mut self, diagnostics: &mut Diagnostics) -> Option<String> {
        let doc = self.peek().and_then(Literal::text).map(tidy);
        if doc.is_some() {
            if let Some(word) = self.peek().filter(|literal| literal.is_bare()) {
                let said = self.said().to_owned();
                let word = (word.span, word.written());
                let message = format!("`{}` behind `{said}` is no name and no offset", word.1);
                let d = diagnostics.error("E0111", word.0, message);
                // Whoever leaves out a `;` has written a whole statement here.
                let more = self.node.args.get(self.at + 1).is_some();
                let starts = is_identifier(word.1.trim_start_matches(['*', '?']));
                if more && starts {
                    d.help(format!("if `{}` begins a statement, a `;` stands before it", word.1));
                    self.at = self.node.args.len();
                    return doc;
                }
                let is_operator = !word.1.contains(|c: char| c.is_ascii_alphanumeric());
                d.help(if is_operator && !self.node.props.is_empty() {
                    "an expression with blanks stands in quotes, all of it: `count=\"n + 1\"`"
                } else if word.1.ends_with(',') {
                    "statements on one line stand between `;`"
                } else {
                    "a name consists of letters, digits and `_`, and does not begin with a digit; \
                     documentation stands in quotes"
                });
                // What follows from that is no error of its own.
                self.at = self.node.args.len();
                return doc;
            }
            if let Some(literal) = self.peek().filter(|_| doc.as_deref() == Some("")) {
                let message = format!("the text behind `{}` is empty", self.said());
                diagnostics.error("E0111", literal.span, message).help(
                    match self.node.name.value.as_str() {
                        "case" => "documentation is left out where there is none, and a label that is an empty \
                                   text is `\"''\"`",
                        _ => "documentation is left out where there is none",
                    },
                );
                self.at += 1;
                self.end(diagnostics);
                return None;
            }
            self.at += 1;
        }
        self.end(diagnostics);
        doc
    }

    /// Nothing may follow.
    pub fn end(&mut self, diagnostics: &mut Diagnostics) {
        if let Some(literal) = self.peek() {
            diagnostics
                .error("E0111", literal.span, format!("unexpected word after `{}`", self.said()))
                .help("a line is: type, name, offsets, \"documentation\", property=value");
            self.at = self.node.args.len();
        }
    }

    fn said(&self) -> &str {
        let before = self.at.checked_sub(1).and_then(|at| self.node.args.get(at));
        before.and_then(Literal::text).unwrap_or(&self.node.name.value)
    }
}

/// Whether a text is a name: letters, digits and `_`, not a digit first.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// No braces may follow.
pub(super) fn no_children(node: &Node, diagnostics: &mut Diagnostics) {
    if node.children.as_ref().is_some_and(|c| !c.is_empty()) {
        let name = node.name.value.as_str();
        let d = diagnostics.error("E0113", node.span, format!("`{name}` has no block"));
        match name {
            "if" => d.help("a condition is `when \"CONDITION\" { ... }`"),
            "for" | "while" | "repeat" | "loop" => {
                d.help("an array says how many elements it has: `Part parts count=n`")
            }
            "switch" | "match" => d.help("a choice is `union name on=kind { case a 1 { ... } }`"),
            _ => d,
        };
    }
}
