//! Nodes at the top level.

use std::collections::HashMap;

use super::ast::{
    Decl, DeclBody, EpochDecl, Head, Import, Include, ListDecl, MemberDecl, ParamDecl, Props,
    SectionDecl, Tree, TypeEx, WordField,
};
use super::builtin::{is_builtin, small};
use super::kdl::{Node, Scalar};
use super::near::nearest;
use super::props::{self, Known, props};
use super::words::{Args, is_identifier, no_children};
use super::{about, cases, rows, types};
use crate::diagnostic::Diagnostics;
use crate::prose::line;
use crate::span::{SourceId, Spanned};

const TOP: [&str; 20] = [
    "module",
    "library",
    "part",
    "param",
    "include",
    "import",
    "epoch",
    "let",
    "pointer",
    "string",
    "varint",
    "digits",
    "enum",
    "flags",
    "bits",
    "type",
    "struct",
    "union",
    "relocation",
    "source",
];

/// Those that declare something by which rows name it.
const DECLARING: [&str; 9] =
    ["string", "varint", "digits", "enum", "flags", "bits", "type", "struct", "union"];

/// Builds the tree of a text from its nodes.
pub(super) fn tree(source: SourceId, nodes: &[Node], diagnostics: &mut Diagnostics) -> Tree {
    let mut tree = Tree {
        source,
        head: None,
        part: None,
        includes: Vec::new(),
        params: Vec::new(),
        imports: Vec::new(),
        epochs: Vec::new(),
        lets: Vec::new(),
        decls: Vec::new(),
        broken: Vec::new(),
        relocation: Vec::new(),
    };
    for node in nodes {
        let before = tree.decls.len();
        top(node, &mut tree, diagnostics);
        if tree.decls.len() == before && DECLARING.contains(&node.name.value.as_str()) {
            tree.broken.extend(node.args.first().and_then(|name| name.text()).map(str::to_owned));
        }
    }
    tree
}

fn top(node: &Node, tree: &mut Tree, diagnostics: &mut Diagnostics) {
    let mut args = Args::new(node);
    match node.name.value.as_str() {
        "module" | "library" => head(node, tree, diagnostics),
        "param" => {
            props(node, &[], diagnostics);
            no_children(node, diagnostics);
            let Some(name) = args.required_name(diagnostics) else { return };
            let Some(kind) = args.name() else {
                diagnostics
                    .error("E0110", node.span, "`param` needs a kind")
                    .help("write `chars`, `type` or an integer type such as `u32`");
                return;
            };
            args.doc(diagnostics);
            tree.params.push(ParamDecl { name, kind });
        }
        "import" => tree.imports.extend(import(node, diagnostics)),
        "include" => tree.includes.extend(include(node, tree.decls.len(), diagnostics)),
        "part" => part(node, tree, diagnostics),
        "epoch" => {
            let props = props(node, props::EPOCH, diagnostics);
            no_children(node, diagnostics);
            let Some(name) = args.required_name(diagnostics) else { return };
            args.doc(diagnostics);
            let Some(from) = props.ex("from").and_then(|ex| ex.path()).cloned() else {
                diagnostics
                    .error("E0114", node.span, "`epoch` needs the path of the row that holds it")
                    .help("write `epoch version from=File.header.version`");
                return;
            };
            tree.epochs.push(EpochDecl { name, from, span: node.span });
        }
        "let" => tree.lets.extend(rows::let_decl(node, diagnostics)),
        "relocation" => {
            args.end(diagnostics);
            props(node, &[], diagnostics);
            relocation(node, tree, diagnostics);
        }
        "source" => {}
        "pointer" => tree.decls.extend(pointer(node, diagnostics)),
        "struct" | "union" => tree.decls.extend(body(node, diagnostics)),
        "enum" => tree.decls.extend(enumeration(node, diagnostics)),
        "bits" | "flags" => tree.decls.extend(word(node, diagnostics)),
        "string" => {
            let decl = header(node, &mut args, props::STRING, diagnostics);
            let about = about::only(node, diagnostics);
            if let Some((name, params, props)) = decl {
                if !props.has("length") {
                    diagnostics
                        .error("E0114", node.span, "`string` needs `length=`")
                        .help("write `length=u16`, `length=until-nul` or `length=fill`");
                }
                let doc = args.doc(diagnostics);
                let body = DeclBody::Text;
                tree.decls.push(Decl { name, params, doc, props, body, about, span: node.span });
            }
        }
        word @ ("varint" | "digits") => {
            let known = if word == "varint" { props::VARINT } else { props::DIGITS };
            let decl = header(node, &mut args, known, diagnostics);
            let about = about::only(node, diagnostics);
            if let Some((name, params, props)) = decl {
                let storage = storage(node, &mut args, diagnostics);
                let doc = args.doc(diagnostics);
                if let Some(storage) = storage {
                    let body = match word {
                        "varint" => DeclBody::Varint { storage },
                        _ => DeclBody::Digits { storage },
                    };
                    tree.decls.push(Decl {
                        name,
                        params,
                        doc,
                        props,
                        body,
                        about,
                        span: node.span,
                    });
                }
            }
        }
        "type" => tree.decls.extend(alias(node, diagnostics)),
        other => {
            let d = diagnostics.error(
                "E0109",
                node.name.span,
                format!("unknown declaration `{other}`"),
            );
            if let Some(near) = nearest(other, TOP) {
                d.label(format!("did you mean `{near}`?"));
            } else if tree.head.is_none() && tree.part.is_none() && tree.decls.is_empty() {
                d.help("a schema begins with `module NAME root=STRUCT endian=little`");
            } else if types::type_of(&node.name, &mut Diagnostics::default()).is_some()
                && node.args.first().is_some_and(|a| a.text().is_some())
            {
                d.help("rows stand in structs: `struct File { ... }`");
            }
        }
    }
}

fn head(node: &Node, tree: &mut Tree, diagnostics: &mut Diagnostics) {
    let mut args = Args::new(node);
    let library = node.name.value == "library";
    let known: &'static [Known] = if library { &props::MODULE[1..] } else { props::MODULE };
    let props = props(node, known, diagnostics);
    let Some(name) = args.required_name(diagnostics) else { return };
    let title = args.doc(diagnostics).as_deref().map(line);
    let first = tree.head.as_ref().map(|head| head.span);
    if let Some(first) = first.or(tree.part.as_ref().map(|part| part.span)) {
        diagnostics
            .error("E0115", node.span, "a schema has one `module` or `library`")
            .also(first, "first here");
        return;
    }
    let mut extensions = Vec::new();
    let mut kinds = Vec::new();
    let mut sources = Vec::new();
    let mut about = Vec::new();
    for child in node.children.as_deref().unwrap_or_default() {
        if about::is_about(child) {
            about.extend(about::one(child, diagnostics));
            continue;
        }
        let is_extension = match child.name.value.as_str() {
            "extension" => true,
            "source" => false,
            other => {
                diagnostics
                    .error("E0109", child.name.span, format!("unknown statement `{other}`"))
                    .help(format!(
                        "a module may hold `extension` and `source`, and {}",
                        about::ABOUT.join(", ")
                    ));
                continue;
            }
        };
        self::props(child, &[], diagnostics);
        let mut texts = Vec::new();
        for literal in &child.args {
            match literal.text() {
                Some(text) => texts.push(line(text)),
                None => {
                    diagnostics.error("E0108", literal.span, "a text is expected here");
                }
            }
        }
        if !is_extension {
            sources.extend(texts);
            continue;
        }
        // A text with a blank is no extension, but says what such files are.
        if texts.last().is_some_and(|text| text.contains(' ')) {
            let doc = texts.pop().unwrap_or_default();
            kinds.push((texts.clone(), doc, child.span));
        }
        extensions.extend(texts);
    }
    if !library && !props.has("root") {
        diagnostics
            .error("E0114", node.span, "`module` needs `root=`")
            .help("write `root=File`, or `library` instead of `module`");
    }
    let span = node.span;
    tree.head = Some(Head { library, name, title, props, extensions, kinds, sources, about, span });
}

fn import(node: &Node, diagnostics: &mut Diagnostics) -> Option<Import> {
    let mut args = Args::new(node);
    props(node, &[], diagnostics);
    let name = args.required_name(diagnostics)?;
    args.doc(diagnostics);
    let mut list: Vec<(Spanned<String>, _)> = Vec::new();
    for child in node.children.as_deref().unwrap_or_default() {
        props(child, &[], diagnostics);
        no_children(child, diagnostics);
        if let Some((first, _)) = list.iter().find(|(n, _)| n.value == child.name.value) {
            diagnostics
                .error(
                    "E0107",
                    child.name.span,
                    format!("parameter `{}` is given twice", child.name.value),
                )
                .also(first.span, "first here");
            continue;
        }
        match child.args.as_slice() {
            [value] => list.push((child.name.clone(), types::import_argument(value))),
            _ => {
                diagnostics.error(
                    "E0114",
                    child.span,
                    format!("parameter `{}` needs one value", child.name.value),
                );
            }
        }
    }
    Some(Import { name, args: list, span: node.span })
}

/// `part NAME "title"`.
fn part(node: &Node, tree: &mut Tree, diagnostics: &mut Diagnostics) {
    let mut args = Args::new(node);
    props(node, &[], diagnostics);
    no_children(node, diagnostics);
    let Some(name) = args.required_name(diagnostics) else { return };
    args.doc(diagnostics);
    let first = tree.head.as_ref().map(|head| head.span);
    if let Some(first) = first.or(tree.part.as_ref().map(|part| part.span)) {
        diagnostics
            .error("E0115", node.span, "a text is a module, a library, or a part of one")
            .also(first, "first here");
        return;
    }
    tree.part = Some(name);
}

/// `include "NAME"`.
fn include(node: &Node, decls: usize, diagnostics: &mut Diagnostics) -> Option<Include> {
    let mut args = Args::new(node);
    props(node, &[], diagnostics);
    no_children(node, diagnostics);
    let name = args.next();
    args.end(diagnostics);
    match name.and_then(|literal| Some((literal.text()?, literal.span))) {
        Some((text, span)) if is_text_name(text) => {
            Some(Include { name: Spanned { value: text.to_owned(), span }, decls })
        }
        found => {
            let span = found.map_or(node.span, |(_, span)| span);
            diagnostics.error("E0110", span, "`include` needs the name of a text").help(
                "write `include \"NAME\"` or `include \"FOLDER/NAME\"`, with letters, digits, `_` \
                 and `-`: the text is `NAME.kdl` in the folder of this one",
            );
            None
        }
    }
}

/// Whether a name leads to a text in the folder of the one that names it, or in a folder there.
fn is_text_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.split('/').all(|part| !part.is_empty() && part.chars().all(plain))
}

fn relocation(node: &Node, tree: &mut Tree, diagnostics: &mut Diagnostics) {
    for child in node.children.as_deref().unwrap_or_default() {
        if child.name.value != "section" {
            diagnostics
                .error(
                    "E0109",
                    child.name.span,
                    format!("unknown statement `{}`", child.name.value),
                )
                .help("`relocation` holds `section NAME from=ADDRESS to=ADDRESS`");
            continue;
        }
        let props = props(child, props::SECTION, diagnostics);
        no_children(child, diagnostics);
        let mut args = Args::new(child);
        let name = args.next().and_then(|l| l.text()).unwrap_or_default().to_owned();
        args.end(diagnostics);
        match (props.ex("from").cloned(), props.ex("to").cloned()) {
            (Some(from), Some(to)) => {
                tree.relocation.push(SectionDecl { name, from, to, span: child.span });
            }
            _ => {
                diagnostics.error("E0114", child.span, "`section` needs `from=` and `to=`");
            }
        }
    }
}

/// Name, parameters and properties of a declaration: `struct Names<keys>`.
fn header(
    node: &Node,
    args: &mut Args<'_>,
    known: &'static [Known],
    diagnostics: &mut Diagnostics,
) -> Option<(Spanned<String>, Vec<Spanned<String>>, Props)> {
    let props = props(node, known, diagnostics);
    let word = &node.name.value;
    let Some(literal) = args.next() else {
        diagnostics.error("E0110", node.span, format!("`{word}` needs a name"));
        return None;
    };
    let Some(text) = literal.text() else {
        diagnostics.error("E0110", literal.span, format!("`{word}` needs a name here"));
        return None;
    };
    let (name, list) = match text.split_once('<') {
        Some((name, rest)) => match rest.strip_suffix('>') {
            Some(list) => (name, Some(list)),
            None => {
                diagnostics
                    .error("E0110", literal.span, "`>` is missing here")
                    .help("a name with a blank behind it stands in quotes: `\"Name<a, b>\"`");
                return None;
            }
        },
        None => (text, None),
    };
    if !is_identifier(name) {
        diagnostics
            .error("E0110", literal.span, format!("`{name}` is not a name"))
            .help("a name consists of letters, digits and `_`, and does not begin with a digit");
        return None;
    }
    if crate::syntax::builtin::is_builtin(name)
        || rows::KEYWORDS.contains(&name)
        || about::ABOUT.contains(&name)
    {
        diagnostics
            .error("E0110", literal.span, format!("`{name}` is a word of the language"))
            .help("names of types usually begin with a capital letter");
        return None;
    }
    let mut params: Vec<Spanned<String>> = Vec::new();
    let mut at = name.len() + 1;
    for part in list.iter().flat_map(|list| list.split(',')) {
        let value = part.trim().to_owned();
        let span = literal.part(at, at + part.len());
        at += part.len() + 1;
        if !is_identifier(&value) {
            diagnostics.error("E0110", span, format!("`{value}` is not the name of a parameter"));
        } else if params.iter().any(|p| p.value == value) {
            diagnostics.error("E0115", span, format!("parameter `{value}` is declared twice"));
        } else {
            params.push(Spanned { value, span });
        }
    }
    let name = Spanned { value: name.to_owned(), span: literal.part(0, name.len()) };
    Some((name, params, props))
}

fn storage(node: &Node, args: &mut Args<'_>, diagnostics: &mut Diagnostics) -> Option<TypeEx> {
    match args.peek() {
        Some(literal) if literal.text().is_some_and(|t| !t.contains(' ')) => {
            args.next();
            types::type_of_literal(literal, diagnostics)
        }
        _ => {
            let word = &node.name.value;
            diagnostics
                .error("E0114", node.span, format!("`{word}` needs an integer type"))
                .help(format!("write `{word} Name u32`"));
            None
        }
    }
}

fn body(node: &Node, diagnostics: &mut Diagnostics) -> Option<Decl> {
    let mut args = Args::new(node);
    let is_struct = node.name.value == "struct";
    let known = if is_struct { props::STRUCT } else { props::UNION };
    let (name, params, mut props) = header(node, &mut args, known, diagnostics)?;
    let (homes, open) = rows::sizes(&mut args, diagnostics);
    if args.peek().and_then(|l| l.text()) == Some("transparent") {
        let span = args.next().map_or(node.span, |l| l.span);
        props.0.push(super::ast::Prop {
            name: "transparent",
            value: super::ast::PropValue::Flag(true),
            text: String::new(),
            span,
        });
    }
    let doc = args.doc(diagnostics);
    let (about, children) = about::split(node.children.as_deref().unwrap_or_default(), diagnostics);
    let body = if is_struct {
        DeclBody::Struct { homes, open, items: rows::items(&children, diagnostics) }
    } else {
        if let Some(home) = homes.first() {
            diagnostics
                .error("E0111", home.span, "a union has no size of this kind")
                .help("write `size=8` if every case has the same size");
        }
        let (items, cases) = cases::body(&children, diagnostics);
        DeclBody::Union { items, cases }
    };
    Some(Decl { name, params, doc, props, body, about, span: node.span })
}

fn enumeration(node: &Node, diagnostics: &mut Diagnostics) -> Option<Decl> {
    let mut args = Args::new(node);
    let (name, params, props) = header(node, &mut args, props::ENUM, diagnostics)?;
    let typed = args.peek().and_then(|l| l.text()).is_some_and(is_identifier);
    let storage = if typed { storage(node, &mut args, diagnostics) } else { None };
    let doc = args.doc(diagnostics);
    let mut members: Vec<MemberDecl> = Vec::new();
    let (mut names, mut numbers) = (HashMap::new(), HashMap::new());
    let (about, lines) = about::split(node.children.as_deref().unwrap_or_default(), diagnostics);
    for child in &lines {
        self::props(child, &[], diagnostics);
        no_children(child, diagnostics);
        let mut args = Args::new(child);
        let number = match args.next().map(|l| &l.value) {
            Some(Scalar::Int(n)) => *n,
            _ => {
                let name = &child.name.value;
                let d = diagnostics.error("E0114", child.span, format!("`{name}` needs a number"));
                match name.as_str() {
                    "else" | "default" | "_" => d.help(
                        "numbers without a name are kept as they are, unless the enumeration says \
                         `closed=#true`",
                    ),
                    _ => d.help(format!("write `{name} 0`")),
                };
                continue;
            }
        };
        let doc = args.doc(diagnostics);
        let name = child.name.clone();
        if let Some(first) = names.get(&name.value).and_then(|&at: &usize| members.get(at)) {
            diagnostics
                .error("E0115", name.span, format!("member `{}` is declared twice", name.value))
                .also(first.name.span, "first here");
        } else if let Some(first) = numbers.get(&number).and_then(|&at: &usize| members.get(at)) {
            diagnostics
                .error(
                    "E0115",
                    child.span,
                    format!("`{}` and `{}` have the same number", first.name.value, name.value),
                )
                .also(first.name.span, "first here");
        } else {
            names.insert(name.value.clone(), members.len());
            numbers.insert(number, members.len());
            members.push(MemberDecl { name, number, doc });
        }
    }
    let body = DeclBody::Enum { storage, members };
    Some(Decl { name, params, doc, props, body, about, span: node.span })
}

fn word(node: &Node, diagnostics: &mut Diagnostics) -> Option<Decl> {
    let mut args = Args::new(node);
    let (name, params, props) = header(node, &mut args, props::WORD, diagnostics)?;
    let storage = storage(node, &mut args, diagnostics);
    let doc = args.doc(diagnostics);
    let mut fields: Vec<WordField> = Vec::new();
    let mut free: i128 = 0;
    let (about, lines) = about::split(node.children.as_deref().unwrap_or_default(), diagnostics);
    for child in &lines {
        let mut args = Args::new(child);
        let props = self::props(child, props::WORD_FIELD, diagnostics);
        no_children(child, diagnostics);
        let ty = types::type_of(&child.name, diagnostics);
        let field = args.required_name(diagnostics);
        let homes = args.homes(diagnostics);
        let doc = args.doc(diagnostics);
        let (Some(ty), Some(name)) = (ty, field) else { continue };
        let numbers: Vec<i128> = homes
            .iter()
            .filter_map(|h| match h.value {
                super::ast::HomeEx::At(n) => Some(i128::from(n)),
                super::ast::HomeEx::Absent => None,
            })
            .collect();
        let (first, last) = match numbers.as_slice() {
            [only] => (*only, *only),
            [first, last] if first <= last => (*first, *last),
            _ => {
                let (last, hint) = bits_hint(&child.name.value, &name.value, free);
                diagnostics
                    .error("E0114", child.span, "a bit field needs its first and last bit")
                    .help(hint);
                free = last + 1;
                continue;
            }
        };
        free = free.max(last + 1);
        let span = homes.first().map_or(child.span, |h| h.span);
        let first = Spanned { value: first, span };
        fields.push(WordField { ty, name, first, last, doc, props, span: child.span });
    }
    let body = DeclBody::Word { storage: storage?, fields };
    Some(Decl { name, params, doc, props, body, about, span: node.span })
}

/// The bits of a field behind all others, as wide as the name of its type says, and how it is written.
fn bits_hint(ty: &str, name: &str, first: i128) -> (i128, String) {
    let width = small(ty).map(|(bits, _)| i128::from(bits));
    let ty = if width.is_none() && is_builtin(ty) && ty != "bool" { "u1" } else { ty };
    let bits = width.unwrap_or(1);
    let last = first + bits - 1;
    let shown = if bits > 1 { format!("{first} {last}") } else { first.to_string() };
    (last, format!("write `{ty} {name} {shown}`; bit 0 is the lowest"))
}

fn alias(node: &Node, diagnostics: &mut Diagnostics) -> Option<Decl> {
    let mut args = Args::new(node);
    let (name, params, props) = header(node, &mut args, props::ALIAS, diagnostics)?;
    let mut choices = Vec::new();
    if let Some(children) = &node.children {
        for child in children {
            let mut args = Args::new(child);
            self::props(child, &[], diagnostics);
            let condition = match child.name.value.as_str() {
                "when" => args.next().and_then(|l| props::ex(l, diagnostics)).map(Some),
                "else" => Some(None),
                _ => None,
            };
            let ty = args.next().and_then(|l| types::type_of_literal(l, diagnostics));
            args.end(diagnostics);
            match (condition, ty) {
                (Some(condition), Some(ty)) => choices.push((condition, ty)),
                _ => {
                    diagnostics
                        .error("E0114", child.span, "this is not a choice of a type")
                        .help("write `when \"CONDITION\" u32` or `else u16`");
                }
            }
        }
    } else {
        let Some(literal) = args.next() else {
            diagnostics
                .error("E0114", node.span, "`type` needs the type that it names")
                .help("write `type Guid bytes16`");
            return None;
        };
        choices.push((None, types::type_of_literal(literal, diagnostics)?));
    }
    let doc = args.doc(diagnostics);
    let body = DeclBody::Alias(choices);
    Some(Decl { name, params, doc, props, body, about: Vec::new(), span: node.span })
}

fn pointer(node: &Node, diagnostics: &mut Diagnostics) -> Option<Decl> {
    let mut args = Args::new(node);
    let props = props(node, props::POINTER, diagnostics);
    let name = match args.next() {
        Some(literal) if literal.text().is_some_and(|t| !t.is_empty()) => {
            Spanned { value: literal.text().unwrap_or_default().to_owned(), span: literal.span }
        }
        _ => {
            diagnostics
                .error("E0110", node.span, "`pointer` needs a sigil or a name")
                .help("write `pointer * u32 none=0`");
            return None;
        }
    };
    let storage = storage(node, &mut args, diagnostics);
    let doc = args.doc(diagnostics);
    let mut lists = Vec::new();
    for child in node.children.as_deref().unwrap_or_default() {
        let (condition, inner) = match child.name.value.as_str() {
            "list" => (None, std::slice::from_ref(child)),
            "when" => {
                let Some(condition) = rows::condition(child, diagnostics) else { continue };
                (Some(condition), child.children.as_deref().unwrap_or_default())
            }
            "else" => (None, child.children.as_deref().unwrap_or_default()),
            other => {
                diagnostics
                    .error("E0109", child.name.span, format!("unknown statement `{other}`"))
                    .help("a pointer holds `list`, perhaps in `when` and `else`");
                continue;
            }
        };
        for list in inner {
            if list.name.value != "list" {
                diagnostics.error(
                    "E0109",
                    list.name.span,
                    format!("unknown statement `{}`", list.name.value),
                );
                continue;
            }
            Args::new(list).end(diagnostics);
            let props = self::props(list, props::LIST, diagnostics);
            lists.push(ListDecl { condition: condition.clone(), props });
        }
    }
    let body = DeclBody::Pointer { storage: storage?, lists };
    let (params, about) = (Vec::new(), Vec::new());
    Some(Decl { name, params, doc, props, body, about, span: node.span })
}
