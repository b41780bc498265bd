//! Properties: which a node may have, and what their values are.

use super::ast::{Prop, PropValue, Props};
use super::expr::{self, Ex, ExKind};
use super::kdl::{Literal, Node, Property, Scalar};
use super::near::nearest;
use crate::diagnostic::Diagnostics;

/// What the value of a property is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An expression; numbers and truth values stand for themselves.
    Ex,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any text.
    Text,
    /// An integer.
    Int,
    /// A truth value.
    Flag,
    /// A reference.
    Ref,
    /// A list of slices.
    From,
    /// Integers: one, or several in a text.
    Numbers,
}

/// Name and kind of a property.
pub(super) type Known = (&'static str, Kind);

const POLICY: Kind = Kind::Word(&["never", "set", "always"]);
const ENDIAN: Kind = Kind::Word(&["little", "big"]);
const BIT_ORDER: Kind = Kind::Word(&["msb-first", "lsb-first"]);
pub(super) const SOURCE: Known = ("source", Kind::Text);

pub(super) const MODULE: &[Known] = &[
    ("root", Kind::Text),
    ("endian", Kind::Word(&["little", "big", "byte_order"])),
    ("gaps", Kind::Word(&["zero", "kept"])),
    ("bit_order", BIT_ORDER),
    ("version", Kind::Int),
    ("language", Kind::Int),
];

/// Properties of rows with a type.
pub(super) const ROW: &[Known] = &[
    ("count", Kind::Ex),
    ("size", Kind::Ex),
    ("end", Kind::Ex),
    ("until", Kind::Ex),
    ("is", Kind::Ex),
    ("usually", Kind::Ex),
    ("min", Kind::Ex),
    ("max", Kind::Ex),
    ("one_of", Kind::Ex),
    ("check", Kind::Ex),
    ("ref", Kind::Ref),
    ("none", Kind::Numbers),
    ("plus", Kind::Int),
    ("from", Kind::From),
    ("when_empty", Kind::Word(&["none", "here", "kept"])),
    ("none_with", Kind::Text),
    ("absent", Kind::Ex),
    ("yes", Kind::Int),
    ("align", Kind::Ex),
    ("section", Kind::Text),
    ("list", POLICY),
    ("unique", Kind::Flag),
    ("enum", Kind::Text),
    ("encoding", ENCODING),
    ("terminator", Kind::Text),
    ("terminated", Kind::Word(&["dropped", "kept", "unread"])),
    ("terminator_optional", Kind::Flag),
    ("strip", Kind::Text),
    ("last", Kind::Ex),
    ("stride", Kind::Ex),
    ("of", Kind::Ref),
    ("leading", Kind::Int),
    ("records", Kind::Ex),
    ("at", Kind::Ex),
    ("bits", Kind::Text),
    SOURCE,
];

const ENCODING: Kind = Kind::Word(&[
    "bytes", "ascii", "utf8", "utf16", "utf16le", "utf16be", "utf32", "latin1", "cp1252", "mutf8",
]);
const OF_BYTES: Kind = Kind::Word(&["ascii", "utf8", "latin1", "cp1252", "mutf8"]);

pub(super) const MAGIC: &[Known] = &[
    ("size", Kind::Ex),
    ("hex", Kind::Text),
    ("param", Kind::Text),
    ("encoding", OF_BYTES),
    SOURCE,
];
pub(super) const CONST: &[Known] = &[("is", Kind::Ex), ("yes", Kind::Int), SOURCE];
pub(super) const FILL: &[Known] = &[("size", Kind::Ex), ("bits", Kind::Int), SOURCE];
pub(super) const ZERO: &[Known] =
    &[("size", Kind::Ex), ("bits", Kind::Int), ("fill", Kind::Int), SOURCE];
pub(super) const RUNTIME: &[Known] =
    &[("size", Kind::Ex), ("section", Kind::Text), ("list", POLICY), SOURCE];
pub(super) const ZEROS: &[Known] = &[("until", Kind::Ex), ("usually", Kind::Ex), SOURCE];
pub(super) const BYTE_ORDER: &[Known] = &[("usually", Kind::Ex), SOURCE];
pub(super) const TAG: &[Known] = &[
    ("ref", Kind::Ref),
    ("none", Kind::Numbers),
    ("plus", Kind::Int),
    ("is", Kind::Ex),
    ("usually", Kind::Ex),
    ("enum", Kind::Text),
    ("min", Kind::Ex),
    ("max", Kind::Ex),
    ("one_of", Kind::Ex),
    ("check", Kind::Ex),
    SOURCE,
];
pub(super) const UNION_ROW: &[Known] = &[
    ("on", Kind::Ex),
    ("given", Kind::Ex),
    ("tag", Kind::Text),
    ("word", Kind::Text),
    ("size", Kind::Ex),
    ("end", Kind::Ex),
    ("count", Kind::Ex),
    ("until", Kind::Ex),
    ("last", Kind::Ex),
    ("stride", Kind::Ex),
    ("terminator", Kind::Text),
    ("terminated", Kind::Word(&["dropped", "kept", "unread"])),
    ("terminator_optional", Kind::Flag),
    ("strip", Kind::Text),
    SOURCE,
];
pub(super) const SLICE: &[Known] = &[
    ("of", Kind::Ex),
    ("base", Kind::Ex),
    ("count", Kind::Ex),
    ("last", Kind::Ex),
    ("empty_base", Kind::Int),
    SOURCE,
];
pub(super) const POOL: &[Known] =
    &[("of", Kind::Text), ("count", Kind::Ex), ("pad", Kind::Int), SOURCE];
pub(super) const OBJECT: &[Known] = &[
    ("at", Kind::Ex),
    ("find", Kind::Ex),
    ("base", Kind::Ex),
    ("align", Kind::Ex),
    ("count", Kind::Ex),
    ("size", Kind::Ex),
    ("end", Kind::Ex),
    ("until", Kind::Ex),
    ("stride", Kind::Ex),
    ("last", Kind::Ex),
    ("ref", Kind::Ref),
    ("none", Kind::Numbers),
    ("plus", Kind::Int),
    ("encoding", ENCODING),
    ("terminator", Kind::Text),
    ("terminated", Kind::Word(&["dropped", "kept", "unread"])),
    ("terminator_optional", Kind::Flag),
    ("strip", Kind::Text),
    ("enum", Kind::Text),
    ("yes", Kind::Int),
    ("min", Kind::Ex),
    ("max", Kind::Ex),
    ("one_of", Kind::Ex),
    ("check", Kind::Ex),
    ("from", Kind::From),
    ("unique", Kind::Flag),
    SOURCE,
];
pub(super) const MARK: &[Known] =
    &[("at", Kind::Ex), ("find", Kind::Ex), ("base", Kind::Ex), SOURCE];
pub(super) const VALUE: &[Known] = &[
    ("seen", Kind::Ex),
    ("usually", Kind::Ex),
    ("ref", Kind::Ref),
    ("array", Kind::Flag),
    ("enum", Kind::Text),
    ("min", Kind::Ex),
    ("max", Kind::Ex),
    ("one_of", Kind::Ex),
    ("check", Kind::Ex),
    ("unique", Kind::Flag),
    SOURCE,
];
pub(super) const CASE: &[Known] = &[("when", Kind::Ex), ("as", Kind::Text), SOURCE];
pub(super) const FORM: &[Known] = &[("when", Kind::Ex), SOURCE];
pub(super) const STRUCT: &[Known] = &[
    ("align", Kind::Int),
    ("endian", ENDIAN),
    ("bit_order", BIT_ORDER),
    ("encodes", Kind::Word(&["pointer-masks", "pointer-runs"])),
    SOURCE,
];
pub(super) const UNION: &[Known] = &[
    ("tag", Kind::Text),
    ("word", Kind::Text),
    ("given", Kind::Ex),
    ("size", Kind::Int),
    ("align", Kind::Int),
    ("endian", ENDIAN),
    ("bit_order", BIT_ORDER),
    SOURCE,
];
pub(super) const ENUM: &[Known] = &[("closed", Kind::Flag), SOURCE];
pub(super) const WORD: &[Known] = &[("rest", Kind::Word(&["zero", "kept"])), SOURCE];
pub(super) const WORD_FIELD: &[Known] = &[
    ("ref", Kind::Ref),
    ("none", Kind::Numbers),
    ("plus", Kind::Int),
    ("enum", Kind::Text),
    ("is", Kind::Ex),
    ("usually", Kind::Ex),
    ("min", Kind::Ex),
    ("max", Kind::Ex),
    ("one_of", Kind::Ex),
    ("check", Kind::Ex),
    SOURCE,
];
pub(super) const STRING: &[Known] = &[
    ("length", Kind::Text),
    ("encoding", ENCODING),
    ("end", Kind::Word(&["nul"])),
    ("align", Kind::Int),
    SOURCE,
];
pub(super) const VARINT: &[Known] = &[
    ("order", BIT_ORDER),
    ("bytes", Kind::Int),
    ("sign", Kind::Word(&["twos", "zigzag"])),
    ("last", Kind::Int),
    ("is", Kind::Word(&["shortest"])),
    ("usually", Kind::Word(&["shortest"])),
    SOURCE,
];
pub(super) const DIGITS: &[Known] = &[
    ("bytes", Kind::Int),
    ("base", Kind::Int),
    ("fill", Kind::Word(&["zeros-first", "blanks-first", "blanks-last"])),
    ("letters", Kind::Word(&["lower", "upper"])),
    ("end", Kind::Text),
    SOURCE,
];
pub(super) const POINTER: &[Known] = &[
    ("to", Kind::Text),
    ("base", Kind::Ex),
    ("none", Kind::Numbers),
    ("when_empty", Kind::Word(&["none", "here", "kept"])),
    ("in", Kind::Ex),
    ("skip", Kind::Int),
    ("unit", Kind::Int),
    ("align", Kind::Int),
    ("list", POLICY),
    SOURCE,
];
pub(super) const LIST: &[Known] = &[
    ("object", POLICY),
    ("array", POLICY),
    ("dictionary", POLICY),
    ("string", POLICY),
    ("runtime", POLICY),
];
pub(super) const EPOCH: &[Known] = &[("from", Kind::Ex), SOURCE];
pub(super) const SECTION: &[Known] = &[("from", Kind::Ex), ("to", Kind::Ex), SOURCE];
pub(super) const DERIVE: &[Known] = &[("is", Kind::Ex)];
pub(super) const EXAMPLE: &[Known] = &[("when", Kind::Ex), ("of", Kind::Text)];
pub(super) const PLACE: &[Known] = &[("align", Kind::Ex)];
pub(super) const ALIAS: &[Known] = &[SOURCE];

/// Names of former or other languages, and what to write instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("empty", "write `when_empty=none|here|kept`, `none_with=ROW` or, on a slice, `empty_base=N`"),
    ("open", "enumerations are open unless `closed=#true` is said"),
    ("offset", "offsets are written behind the name: `u32 name 0x04`"),
    ("type", "the type is the first word: `u32 name`"),
    ("if", "put the row into a block: `when \"CONDITION\" { ... }`"),
    ("length", "write `size=` for bytes or `count=` for elements"),
    ("default", "write `usually=`"),
    ("value", "write `is=`"),
    ("trim", "write `strip=`: these bytes at the end are not part of the value"),
    (
        "mark",
        "`byte_order` is 0xfeff; where other bytes say the order, write \
         `endian { when \"CONDITION\" little; else big }` in the struct",
    ),
];

/// The properties of a node, checked against those that it may have.
pub(super) fn props(node: &Node, known: &'static [Known], diagnostics: &mut Diagnostics) -> Props {
    let mut props = Props::default();
    let mut seen: Vec<(&str, crate::span::Span)> = Vec::new();
    for prop in &node.props {
        let name = prop.name.value.as_str();
        if let Some((_, first)) = seen.iter().find(|(n, _)| *n == name) {
            diagnostics
                .error("E0107", prop.name.span, format!("`{name}` is given twice"))
                .label("again here")
                .also(*first, "first here");
            continue;
        }
        seen.push((name, prop.span));
        let Some(&(name, kind)) = known.iter().find(|(n, _)| *n == name) else {
            unknown(node, prop, known, diagnostics);
            continue;
        };
        if let Some(value) = value(name, kind, &prop.value, diagnostics) {
            let text = match &prop.value.value {
                Scalar::Text(text) => text.clone(),
                Scalar::Int(n) => n.to_string(),
                Scalar::Float(n) => n.to_string(),
                Scalar::Bool(b) => b.to_string(),
                Scalar::Null => String::new(),
            };
            props.0.push(Prop { name, value, text, span: prop.span });
        }
    }
    props
}

fn unknown(node: &Node, prop: &Property, known: &'static [Known], diagnostics: &mut Diagnostics) {
    let name = prop.name.value.as_str();
    let d = diagnostics.error(
        "E0106",
        prop.name.span,
        format!("`{}` has no property `{name}`", node.name.value),
    );
    if let Some((_, help)) = ELSEWHERE.iter().find(|(n, _)| *n == name) {
        d.help(*help);
    } else if node.name.value == "object" && matches!(name, "is" | "usually") {
        d.help(
            "what stands elsewhere is data: make it a struct with the number in it, which says \
             `is=owner`",
        );
    } else if node.args.is_empty() && known.iter().any(|(n, _)| *n == "is") {
        let line = format!("{} {name}", node.name.value);
        d.help(format!("a name has no `=`: write `{line} is=V` if it is always V"));
    } else if let Some(near) = nearest(name, known.iter().map(|k| k.0)) {
        d.label(format!("did you mean `{near}`?")).help(format!("write `{near}=`"));
    } else {
        let names: Vec<_> = known.iter().map(|k| k.0).collect();
        d.help(format!("it may have: {}", names.join(", ")));
    }
}

/// An expression from a value.
pub(super) fn ex(literal: &Literal, diagnostics: &mut Diagnostics) -> Option<Ex> {
    let kind = match &literal.value {
        Scalar::Text(text) => return expr::expression(literal, text, diagnostics),
        Scalar::Int(n) => ExKind::Int(*n),
        Scalar::Float(n) => ExKind::Float(*n),
        Scalar::Bool(b) => ExKind::Bool(*b),
        Scalar::Null => {
            diagnostics.error("E0108", literal.span, "an expression is expected here");
            return None;
        }
    };
    Some(Ex::new(kind, literal.span))
}

fn value(
    name: &str,
    kind: Kind,
    literal: &Literal,
    diagnostics: &mut Diagnostics,
) -> Option<PropValue> {
    let wrong = |diagnostics: &mut Diagnostics, what: &str| {
        diagnostics
            .error("E0108", literal.span, format!("`{name}=` takes {what}"))
            .label(format!("this is not {what}"));
        None
    };
    match (kind, &literal.value) {
        (Kind::Ex, _) => ex(literal, diagnostics).map(PropValue::Ex),
        (Kind::Word(words), Scalar::Text(text)) => {
            if words.contains(&text.as_str()) {
                return Some(PropValue::Word(text.clone()));
            }
            let list: Vec<_> = words.iter().map(|w| format!("`{w}`")).collect();
            let d =
                diagnostics.error("E0108", literal.span, format!("`{name}=` can't be `{text}`"));
            if let Some(near) = nearest(text, words.iter().copied()) {
                d.label(format!("did you mean `{near}`?"));
            }
            d.help(format!("it is one of {}", list.join(", ")));
            None
        }
        (Kind::Word(_), _) => wrong(diagnostics, "a word"),
        (Kind::Text, Scalar::Text(text)) => Some(PropValue::Text(text.clone())),
        // `strip=40` and `terminator=00` are numbers in KDL.
        (Kind::Text, Scalar::Int(_)) if matches!(name, "strip" | "terminator" | "hex") => {
            diagnostics
                .error("E0108", literal.span, format!("`{name}=` takes bytes in hex, in quotes"))
                .help(format!("write `{name}=\"40\"` for the byte 0x40"));
            None
        }
        (Kind::Text, _) => wrong(diagnostics, "a text"),
        (Kind::Int, Scalar::Int(n)) => Some(PropValue::Int(*n)),
        (Kind::Int, _) => wrong(diagnostics, "an integer"),
        (Kind::Flag, Scalar::Bool(b)) => Some(PropValue::Flag(*b)),
        (Kind::Flag, Scalar::Text(text)) if text == "true" || text == "false" => {
            diagnostics
                .error("E0108", literal.span, format!("`{name}=` takes a truth value"))
                .help(format!("write `{name}=#{text}`"));
            None
        }
        (Kind::Flag, _) => wrong(diagnostics, "`#true` or `#false`"),
        (Kind::Ref, Scalar::Text(text)) => {
            expr::reference(literal, text, diagnostics).map(PropValue::Ref)
        }
        (Kind::Ref, _) => wrong(diagnostics, "the path of an array"),
        (Kind::From, Scalar::Text(text)) => {
            expr::slices(literal, text, diagnostics).map(PropValue::From)
        }
        (Kind::From, _) => wrong(diagnostics, "paths of slices"),
        (Kind::Numbers, Scalar::Int(n)) => Some(PropValue::Numbers(vec![*n])),
        (Kind::Numbers, Scalar::Text(text)) => {
            if text == "none" {
                return Some(PropValue::Numbers(Vec::new()));
            }
            let numbers: Option<Vec<i128>> = text
                .split([' ', ','])
                .filter(|part| !part.is_empty())
                .map(super::labels::integer)
                .collect();
            match numbers {
                Some(list) if !list.is_empty() => Some(PropValue::Numbers(list)),
                _ => wrong(diagnostics, "integers"),
            }
        }
        (Kind::Numbers, _) => wrong(diagnostics, "integers"),
    }
}
