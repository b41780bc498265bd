//! Lines of a struct.

use super::ast::{CheckDecl, EndianDecl, HomeEx, Item, LetDecl, PoolDecl, Row, RowWord, TypeEx};
use super::kdl::Node;
use super::near::nearest;
use super::props::{self, Known, props};
use super::words::{Args, is_identifier, no_children};
use super::{cases, layouts, types};
use crate::diagnostic::Diagnostics;
use crate::span::Spanned;

/// First words that are not types.
pub(super) const KEYWORDS: &[&str] = &[
    "magic",
    "const",
    "zero",
    "reserved",
    "runtime",
    "zeros",
    "byte_order",
    "tag",
    "union",
    "slice",
    "pool",
    "object",
    "mark",
    "value",
    "when",
    "else",
    "let",
    "check",
    "derive",
    "layout",
    "endian",
    "columns",
];

/// Words of the language that can't stand in a struct.
const OUTSIDE: &[&str] = &[
    "struct",
    "enum",
    "string",
    "varint",
    "digits",
    "bits",
    "flags",
    "pointer",
    "type",
    "module",
    "library",
    "import",
    "param",
    "epoch",
    "relocation",
];

/// The lines in braces.
pub(super) fn items(nodes: &[Node], diagnostics: &mut Diagnostics) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < nodes.len() {
        let node = &nodes[at];
        at += 1;
        if node.name.value == "when" {
            let otherwise = nodes.get(at).filter(|n| n.name.value == "else");
            at += usize::from(otherwise.is_some());
            if let Some(item) = when(node, otherwise, diagnostics) {
                items.push(item);
            }
        } else if let Some(item) = item(node, diagnostics) {
            items.push(item);
        }
    }
    items
}

/// The condition of a `when`.
pub(super) fn condition(node: &Node, diagnostics: &mut Diagnostics) -> Option<super::expr::Ex> {
    let mut args = Args::new(node);
    let Some(literal) = args.next() else {
        diagnostics
            .error("E0114", node.span, "`when` needs a condition")
            .help("write `when \"count > 0\" { ... }`");
        return None;
    };
    args.end(diagnostics);
    props(node, &[], diagnostics);
    props::ex(literal, diagnostics)
}

fn when(node: &Node, otherwise: Option<&Node>, diagnostics: &mut Diagnostics) -> Option<Item> {
    let condition = condition(node, diagnostics);
    let Some(children) = &node.children else {
        diagnostics.error("E0114", node.span, "`when` needs a block");
        return None;
    };
    let then = items(children, diagnostics);
    let mut rest = Vec::new();
    if let Some(other) = otherwise {
        Args::new(other).end(diagnostics);
        props(other, &[], diagnostics);
        match &other.children {
            Some(children) => rest = items(children, diagnostics),
            None => {
                diagnostics.error("E0114", other.span, "`else` needs a block");
            }
        }
    }
    Some(Item::When { condition: condition?, then, otherwise: rest })
}

fn item(node: &Node, diagnostics: &mut Diagnostics) -> Option<Item> {
    let name = node.name.value.as_str();
    match name {
        "else" => {
            diagnostics.error("E0114", node.span, "`else` without `when` before it");
            None
        }
        "let" => let_decl(node, diagnostics).map(Item::Let),
        "check" => {
            let mut args = Args::new(node);
            props(node, &[], diagnostics);
            let Some(literal) = args.next() else {
                diagnostics.error("E0114", node.span, "`check` needs a condition");
                return None;
            };
            let ex = props::ex(literal, diagnostics)?;
            let text = literal.text().unwrap_or_default().to_owned();
            let doc = args.doc(diagnostics);
            no_children(node, diagnostics);
            Some(Item::Check(CheckDecl { ex, text, doc, span: node.span }))
        }
        "derive" => derive(node, diagnostics),
        "layout" => {
            let children = node.children.as_deref().unwrap_or_default();
            Args::new(node).end(diagnostics);
            props(node, &[], diagnostics);
            Some(Item::Layout(layouts::places(children, true, diagnostics), node.span))
        }
        "endian" => endian(node, diagnostics).map(Item::Endian),
        "columns" => columns(node, diagnostics),
        _ => row(node, diagnostics).map(|row| Item::Row(Box::new(row))),
    }
}

/// `let NAME "EXPR"`.
pub(super) fn let_decl(node: &Node, diagnostics: &mut Diagnostics) -> Option<LetDecl> {
    let mut args = Args::new(node);
    props(node, &[props::SOURCE], diagnostics);
    no_children(node, diagnostics);
    let name = args.required_name(diagnostics)?;
    let Some(literal) = args.next() else {
        diagnostics
            .error("E0114", node.span, "`let` needs an expression")
            .help("write `let total \"a + b\"`");
        return None;
    };
    let ex = props::ex(literal, diagnostics)?;
    let text = literal.written();
    let doc = args.doc(diagnostics);
    Some(LetDecl { name, ex, text, doc, span: node.span })
}

fn derive(node: &Node, diagnostics: &mut Diagnostics) -> Option<Item> {
    let mut args = Args::new(node);
    let props = props(node, props::DERIVE, diagnostics);
    no_children(node, diagnostics);
    let path = args.next().and_then(|literal| props::ex(literal, diagnostics));
    args.end(diagnostics);
    let Some(path) = path.as_ref().and_then(|ex| ex.path()).cloned() else {
        diagnostics
            .error("E0114", node.span, "`derive` needs the path of a row")
            .help("write `derive header.size is=\"end(file)\"`");
        return None;
    };
    let Some(is) = props.ex("is").cloned() else {
        diagnostics.error("E0114", node.span, "`derive` needs `is=`");
        return None;
    };
    Some(Item::Derive { path, is, span: node.span })
}

fn endian(node: &Node, diagnostics: &mut Diagnostics) -> Option<EndianDecl> {
    Args::new(node).end(diagnostics);
    props(node, &[], diagnostics);
    let mut rules = Vec::new();
    let mut otherwise = None;
    for child in node.children.as_deref().unwrap_or_default() {
        let mut args = Args::new(child);
        props(child, &[], diagnostics);
        no_children(child, diagnostics);
        let condition = match child.name.value.as_str() {
            "when" => {
                let Some(literal) = args.next() else {
                    diagnostics.error("E0114", child.span, "`when` needs a condition");
                    continue;
                };
                let Some(ex) = props::ex(literal, diagnostics) else { continue };
                Some(ex)
            }
            "else" => None,
            other => {
                diagnostics
                    .error("E0109", child.name.span, format!("unknown statement `{other}`"))
                    .help("`endian` holds `when \"CONDITION\" little` and `else big`");
                continue;
            }
        };
        let word = args.name();
        args.end(diagnostics);
        let Some(word) = word.filter(|w| matches!(w.value.as_str(), "little" | "big" | "error"))
        else {
            diagnostics.error(
                "E0114",
                child.span,
                "`little` or `big` is missing here, or in `else` `error`",
            );
            continue;
        };
        match condition {
            Some(condition) if word.value != "error" => rules.push((condition, word)),
            Some(_) => {
                diagnostics.error("E0114", child.span, "`error` can only follow `else`");
            }
            None => otherwise = Some(word),
        }
    }
    if rules.is_empty() {
        diagnostics.error("E0114", node.span, "`endian` needs at least one `when`");
        return None;
    }
    Some(EndianDecl { rules, otherwise, span: node.span })
}

fn columns(node: &Node, diagnostics: &mut Diagnostics) -> Option<Item> {
    let mut labels = Vec::new();
    let mut conditions = Vec::new();
    props(node, &[], diagnostics);
    no_children(node, diagnostics);
    for literal in &node.args {
        let text = match &literal.value {
            super::kdl::Scalar::Int(n) => n.to_string(),
            super::kdl::Scalar::Text(text) => text.clone(),
            _ => {
                diagnostics.error(
                    "E0114",
                    literal.span,
                    "a column's label is a range or condition",
                );
                return None;
            }
        };
        // A bare range or comparison is about the epoch: it is completed when that is known.
        let bare = text.starts_with(['<', '>', '=', '!'])
            || super::labels::range(&text).is_some()
            || super::labels::integer(&text).is_some()
            || text == "else";
        conditions.push(if bare { None } else { Some(props::ex(literal, diagnostics)?) });
        labels.push(Spanned { value: text, span: literal.span });
    }
    if labels.is_empty() {
        diagnostics
            .error("E0114", node.span, "`columns` needs labels")
            .help("write `columns \"<9\" \">=9\"`");
        return None;
    }
    Some(Item::Columns(labels, conditions, node.span))
}

/// A line with bytes, or one that looks like it.
pub(super) fn row(node: &Node, diagnostics: &mut Diagnostics) -> Option<Row> {
    let mut args = Args::new(node);
    let word = node.name.value.as_str();
    let mut named = true;
    let mut needs_name = false;
    let mut optional = false;
    let known: &'static [Known];
    let row_word = match word {
        "magic" => {
            known = props::MAGIC;
            named = false;
            // The text comes first, unless the bytes are said by a property.
            let given = node.props.iter().any(|p| matches!(p.name.value.as_str(), "hex" | "param"));
            let text = match args.peek().and_then(|l| l.text().map(|t| (l, t))) {
                Some((literal, text)) if !given && text != "-" => {
                    args.next();
                    Some(Spanned { value: text.to_owned(), span: literal.span })
                }
                _ => None,
            };
            if text.is_none() && !given {
                diagnostics
                    .error("E0114", node.span, "`magic` needs its bytes")
                    .help("write `magic ABCD`, `magic hex=\"4142\"` or `magic param=NAME`");
                return None;
            }
            RowWord::Magic(text)
        }
        "const" => {
            known = props::CONST;
            let two = node.args.get(1).and_then(|l| l.text()).is_some_and(is_identifier);
            let first = args.peek().and_then(|l| l.text()).unwrap_or_default();
            let typed = two || looks_like_type(first);
            let ty = if typed {
                args.next().and_then(|literal| types::type_of_literal(literal, diagnostics))
            } else {
                None
            };
            RowWord::Const(ty)
        }
        "zero" => {
            known = props::ZERO;
            named = false;
            RowWord::Zero
        }
        "reserved" => {
            known = props::FILL;
            named = false;
            RowWord::Reserved
        }
        "runtime" => {
            known = props::RUNTIME;
            RowWord::Runtime
        }
        "zeros" => {
            known = props::ZEROS;
            needs_name = true;
            RowWord::Zeros
        }
        "byte_order" => {
            known = props::BYTE_ORDER;
            RowWord::ByteOrder
        }
        "tag" => {
            known = props::TAG;
            needs_name = true;
            RowWord::Tag
        }
        "union" => {
            known = props::UNION_ROW;
            let children = node.children.as_deref().unwrap_or_default();
            let (items, cases) = cases::body(children, diagnostics);
            RowWord::Union(items, cases)
        }
        "slice" => {
            known = props::SLICE;
            needs_name = true;
            RowWord::Slice
        }
        "pool" => {
            known = props::POOL;
            needs_name = true;
            RowWord::Pool(pool(node, diagnostics))
        }
        "object" => {
            known = props::OBJECT;
            needs_name = true;
            match args.peek().and_then(types::optional) {
                Some(literal) => {
                    args.next();
                    optional = true;
                    RowWord::Object(types::type_of_literal(&literal, diagnostics)?)
                }
                None => RowWord::Object(typed_word(node, &mut args, diagnostics)?),
            }
        }
        "mark" => {
            known = props::MARK;
            needs_name = true;
            RowWord::Mark
        }
        "value" => {
            known = props::VALUE;
            needs_name = true;
            match args.peek().and_then(types::optional) {
                Some(literal) => {
                    args.next();
                    optional = true;
                    RowWord::Value(types::type_of_literal(&literal, diagnostics)?)
                }
                None => RowWord::Value(typed_word(node, &mut args, diagnostics)?),
            }
        }
        "case" | "form" => {
            diagnostics
                .error("E0109", node.name.span, format!("`{word}` can only stand in a union"))
                .help("write `union NAME on=ROW { case ... }`");
            return None;
        }
        _ if OUTSIDE.contains(&word) => {
            diagnostics
                .error("E0109", node.name.span, format!("`{word}` can't stand in a struct"))
                .help("declare it at the top level, and use its name as a type here");
            return None;
        }
        _ => {
            known = props::ROW;
            RowWord::Typed(types::type_of(&node.name, diagnostics)?)
        }
    };
    let name = if !named {
        None
    } else if needs_name {
        Some(args.required_name(diagnostics)?)
    } else {
        args.name()
    };
    // A single word where a name may stand is meant as one.
    let wrong = args.peek().filter(|_| named && name.is_none()).and_then(|literal| {
        let word =
            literal.text().filter(|text| *text != "-" && !text.contains(char::is_whitespace));
        word.filter(|_| !literal.is_bare()).map(|word| (literal.span, word.to_owned()))
    });
    if let Some((span, word)) = wrong {
        diagnostics
            .error("E0110", span, format!("`{word}` is no name"))
            .help("a name consists of letters, digits and `_`, and does not begin with a digit");
    }
    let homes = args.homes(diagnostics);
    let doc = args.doc(diagnostics);
    let props = props(node, known, diagnostics);
    if !matches!(row_word, RowWord::Union(..) | RowWord::Pool(_)) {
        no_children(node, diagnostics);
    }
    let bare = matches!(
        row_word,
        RowWord::Slice | RowWord::Mark | RowWord::Value(_) | RowWord::Tag | RowWord::Object(_)
    );
    if let (true, Some(home)) = (bare, homes.first()) {
        diagnostics.error(
            "E0111",
            home.span,
            format!("`{word}` has no bytes here, so it has no offset"),
        );
    }
    Some(Row { optional, word: row_word, name, homes, doc, props, span: node.span })
}

fn typed_word(node: &Node, args: &mut Args<'_>, diagnostics: &mut Diagnostics) -> Option<TypeEx> {
    match args.next() {
        Some(literal) => types::type_of_literal(literal, diagnostics),
        None => {
            let word = &node.name.value;
            diagnostics.error("E0114", node.span, format!("`{word}` needs a type and a name"));
            None
        }
    }
}

fn looks_like_type(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        || word.contains(['.', '<'])
        || crate::syntax::builtin::is_builtin(word)
}

fn pool(node: &Node, diagnostics: &mut Diagnostics) -> PoolDecl {
    let mut pool = PoolDecl::default();
    for child in node.children.as_deref().unwrap_or_default() {
        let mut args = Args::new(child);
        props(child, &[], diagnostics);
        let word = child.name.value.as_str();
        if !matches!(word, "when" | "else") {
            no_children(child, diagnostics);
        }
        match word {
            "always" => {
                while let Some(literal) = args.next() {
                    match literal.text() {
                        Some(text) => pool.always.push(text.to_owned()),
                        None => {
                            diagnostics.error("E0114", literal.span, "`always` takes texts");
                        }
                    }
                }
            }
            "members" => match args.next().and_then(|l| l.text()) {
                Some("used") => pool.kept = false,
                Some("kept") => pool.kept = true,
                _ => {
                    diagnostics.error("E0114", child.span, "`members` is `used` or `kept`");
                }
            },
            "order" => pool.order.extend(order(child, &mut args, diagnostics).map(|o| (None, o))),
            "when" | "else" => {
                let condition = if word == "when" {
                    let Some(literal) = args.next() else {
                        diagnostics.error("E0114", child.span, "`when` needs a condition");
                        continue;
                    };
                    let Some(ex) = props::ex(literal, diagnostics) else { continue };
                    Some(ex)
                } else {
                    None
                };
                for inner in child.children.as_deref().unwrap_or_default() {
                    let mut args = Args::new(inner);
                    if inner.name.value == "order" {
                        let found = order(inner, &mut args, diagnostics);
                        pool.order.extend(found.map(|o| (condition.clone(), o)));
                        args.end(diagnostics);
                    } else {
                        diagnostics.error(
                            "E0109",
                            inner.name.span,
                            "only `order` can depend on a condition",
                        );
                    }
                }
            }
            other => {
                let d = diagnostics.error(
                    "E0109",
                    child.name.span,
                    format!("unknown statement `{other}` in a pool"),
                );
                if other == "first" {
                    d.help("write `always`");
                } else if let Some(near) = nearest(other, ["always", "members", "order"]) {
                    d.help(format!("did you mean `{near}`?"));
                }
            }
        }
        args.end(diagnostics);
    }
    pool
}

fn order(
    node: &Node,
    args: &mut Args<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<String>> {
    match args.next() {
        Some(literal) if literal.text().is_some() => {
            let value = literal.text().unwrap_or_default().to_owned();
            Some(Spanned { value, span: literal.span })
        }
        _ => {
            diagnostics.error("E0114", node.span, "`order` needs the name of an order");
            None
        }
    }
}

/// Homes of a struct: its sizes, and whether `..` follows.
pub(super) fn sizes(
    args: &mut Args<'_>,
    diagnostics: &mut Diagnostics,
) -> (Vec<Spanned<HomeEx>>, bool) {
    let homes = args.homes(diagnostics);
    let open = args.peek().and_then(|l| l.text()) == Some("..");
    if open {
        args.next();
    }
    (homes, open)
}
