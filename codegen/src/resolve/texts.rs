//! Strings, terminators, and bytes in hex.

use super::imports::Found;
use super::{Bound, Cx, Expr, ScopeId};
use crate::model::{
    ByteOrder, Cell, Content, Encoding, Extent, Meaning, RegionType, RunLength, RunType, Storage,
    StringKind, Terminated, Terminator, Type, unit_size,
};
use crate::span::Span;
use crate::syntax::ast::{Decl, DeclBody, Props};
use crate::syntax::{builtin, hex, labels};

/// Content by the name of its encoding.
pub(super) fn content(word: Option<&str>, default: Content) -> Content {
    match word {
        Some("bytes") => Content::Bytes,
        Some("ascii") => Content::Text(Encoding::Ascii),
        Some("utf8") => Content::Text(Encoding::Utf8),
        Some("utf16") => Content::Text(Encoding::Utf16),
        Some("utf16le") => Content::Text(Encoding::Utf16Le),
        Some("utf16be") => Content::Text(Encoding::Utf16Be),
        Some("utf32") => Content::Text(Encoding::Utf32),
        Some("latin1") => Content::Text(Encoding::Latin1),
        Some("cp1252") => Content::Text(Encoding::Cp1252),
        Some("mutf8") => Content::Text(Encoding::Mutf8),
        _ => default,
    }
}

fn nul(content: Content) -> Vec<u8> {
    vec![0; usize::try_from(unit_size(content)).unwrap_or(1)]
}

/// Bytes of a unit of a text.
fn unit(content: Content) -> u32 {
    u32::try_from(unit_size(content)).unwrap_or(1)
}

/// `[0, 0x0e..0x0f]`: units of so many bytes, one or several of them, both ends included.
fn units(list: &str, unit: u32) -> Option<Vec<(u32, u32)>> {
    let most = u32::MAX >> (32 - 8 * unit);
    let list = list.strip_prefix('[')?.strip_suffix(']')?;
    list.split(',')
        .map(|part| {
            let part = part.trim();
            let (least, last) = match labels::integer(part) {
                Some(one) => (one, one),
                None => labels::range(part)?,
            };
            let (least, last) = (u32::try_from(least).ok()?, u32::try_from(last).ok()?);
            (least <= last && last <= most).then_some((least, last))
        })
        .collect()
}

impl<'t> Cx<'t> {
    /// The type that a `string` declaration gives with these arguments. It is noted for the model.
    pub(super) fn string(
        &mut self,
        scope: ScopeId,
        decl: &'t Decl,
        args: &[Bound],
    ) -> Option<Type> {
        let ty = self.string_type(scope, decl, args)?;
        let shown: Vec<String> = args.iter().map(|arg| self.shown_bound(arg)).collect();
        let name = match shown.as_slice() {
            [] => decl.name.value.clone(),
            shown => format!("{}<{}>", decl.name.value, shown.join(",")),
        };
        if !self.strings.iter().any(|known| known.name == name && known.span == decl.span) {
            self.strings.push(StringKind {
                name,
                doc: decl.doc.clone(),
                source: decl.props.text("source").map(str::to_owned),
                ty: ty.clone(),
                span: decl.span,
            });
        }
        Some(ty)
    }

    fn string_type(&mut self, scope: ScopeId, decl: &'t Decl, args: &[Bound]) -> Option<Type> {
        let props = &decl.props;
        let content = content(props.word("encoding"), Content::Text(Encoding::Utf8));
        let suffix = if props.has("end") { nul(content) } else { Vec::new() };
        let align = self.natural(props, "align", 1);
        let length = props.text("length").unwrap_or("fill");
        let span = props.span("length").unwrap_or(decl.span);
        let make = |length, suffix| Type::Run(RunType { content, length, suffix, align });
        match length {
            "fill" => return Some(make(RunLength::Fill, suffix)),
            "until-nul" => {
                let terminator = Terminator {
                    bytes: nul(content),
                    any: Vec::new(),
                    order: None,
                    unit: unit(content),
                    mode: Terminated::Dropped,
                    optional: false,
                };
                return Some(Type::Region(Box::new(RegionType {
                    inner: make(RunLength::Fill, Vec::new()),
                    extent: Extent::Terminated(terminator),
                    trim: None,
                })));
            }
            _ => {}
        }
        let param = decl.params.iter().position(|p| p.value == length);
        let prefix = match param.and_then(|at| args.get(at)) {
            Some(Bound::Type(ty)) => ty.clone(),
            Some(Bound::Const(expr, _)) if matches!(self.exprs[*expr], Expr::Int(_)) => {
                return Some(make(RunLength::Count(*expr), suffix));
            }
            Some(_) => {
                self.d.error("E0213", span, format!("`{length}` must be an integer type here"));
                return None;
            }
            None => {
                if let Some(int) = builtin::integer(length) {
                    let storage = Storage::Fixed(int);
                    Type::Cell(Cell { storage, meaning: Meaning::Int })
                } else if let Some(Found::Decl(at, index)) = self.lookup_one(scope, length, span) {
                    self.length_cell(at, index, span)?
                } else {
                    self.d
                        .error("E0211", span, format!("`{length}` is no length of a string"))
                        .help("write `u8`, `u16`, `u32`, `until-nul`, `fill` or a parameter");
                    return None;
                }
            }
        };
        match prefix {
            Type::Cell(cell) if is_length(&cell) => Some(make(RunLength::Prefix(cell), suffix)),
            Type::PerEpoch(types) => {
                let mut list = Vec::new();
                for ty in types {
                    list.push(match ty {
                        Type::Cell(cell) if is_length(&cell) => {
                            make(RunLength::Prefix(cell), suffix.clone())
                        }
                        Type::Nothing => Type::Nothing,
                        _ => {
                            self.d.error("E0213", span, "a length is an integer");
                            return None;
                        }
                    });
                }
                Some(Type::PerEpoch(list))
            }
            _ => {
                self.d.error("E0213", span, "a length is an integer");
                None
            }
        }
    }

    /// The type of a length, by its name.
    fn length_cell(&mut self, scope: ScopeId, index: usize, span: Span) -> Option<Type> {
        let decl = self.decl(scope, index);
        match &decl.body {
            DeclBody::Varint { .. } => {
                let storage = Storage::Varint(self.varint(scope, index)?);
                Some(Type::Cell(Cell { storage, meaning: Meaning::Int }))
            }
            DeclBody::Digits { .. } => {
                let digits = self.digits(scope, index)?;
                let storage = self.digits[digits.index()].storage(digits);
                Some(Type::Cell(Cell { storage, meaning: Meaning::Int }))
            }
            DeclBody::Alias(choices) => {
                let [(None, only)] = choices.as_slice() else {
                    let name = &decl.name.value;
                    self.d
                        .error("E0213", span, format!("`{name}` varies: pass it as an argument"))
                        .help("write `string Text<L> length=L`, and `Text<Length>`");
                    return None;
                };
                Some(self.base(scope, None, only)?.element)
            }
            _ => {
                self.d.error("E0213", span, "a length is an integer type");
                None
            }
        }
    }

    /// The string that a name means.
    pub(super) fn named_string(&mut self, scope: ScopeId, name: &str, span: Span) -> Option<Type> {
        match self.lookup_one(scope, name, span) {
            Some(Found::Decl(at, index)) => {
                let decl = self.decl(at, index);
                if matches!(decl.body, DeclBody::Text) && decl.params.is_empty() {
                    return self.string(at, decl, &[]);
                }
                self.d
                    .error("E0211", span, format!("`{name}` is not a `string` without parameters"))
                    .also(decl.name.span, "declared here");
                None
            }
            _ => {
                self.undeclared(scope, "string", name, span, &[]);
                None
            }
        }
    }

    /// `terminator=`, `terminated=`, `terminator_optional=`.
    pub(super) fn terminator(&mut self, props: &Props, content: Content) -> Option<Terminator> {
        let text = props.text("terminator")?;
        let unit = unit(content);
        let found = match text {
            "nul" => Some((nul(content), Vec::new())),
            list if list.starts_with('[') => units(list, unit).map(|any| (Vec::new(), any)),
            bytes => hex(bytes).filter(|bytes| !bytes.is_empty()).map(|bytes| (bytes, Vec::new())),
        };
        let Some((bytes, any)) = found else {
            if let Some(span) = props.span("terminator") {
                self.d.error("E0214", span, format!("`{text}` is no terminator")).help(
                    "write bytes in hex, such as `terminator=\"0d0a\"`, or `nul`, or a list of units \
                     such as `terminator=\"[0, 0x0e..0x0f]\"`",
                );
            }
            return None;
        };
        let mode = match props.word("terminated") {
            Some("kept") => Terminated::Kept,
            Some("unread") => Terminated::Unread,
            _ => Terminated::Dropped,
        };
        if let (false, Terminated::Dropped, Some(span)) =
            (any.is_empty(), mode, props.span("terminator"))
        {
            self.d
                .error("E0225", span, "which of these it was would be lost")
                .help("say `terminated=unread`, so that it is left for the next row, or `kept`");
        }
        let order = match content {
            Content::Text(Encoding::Utf16Le) => Some(ByteOrder::Little),
            Content::Text(Encoding::Utf16Be) => Some(ByteOrder::Big),
            _ => None,
        };
        let optional = props.flag("terminator_optional");
        Some(Terminator { bytes, any, order, unit, mode, optional })
    }

    /// `strip=`.
    pub(super) fn strip(&mut self, props: &Props) -> Option<u8> {
        let text = props.text("strip")?;
        match hex(text).as_deref() {
            Some([byte]) => Some(*byte),
            _ => {
                if let Some(span) = props.span("strip") {
                    self.d
                        .error("E0214", span, format!("`{text}` is not one byte in hex"))
                        .help("write `strip=\"00\"`");
                }
                None
            }
        }
    }
}

/// Whether a cell is an integer that may stand in front of a text.
fn is_length(cell: &Cell) -> bool {
    matches!(cell.storage, Storage::Fixed(_) | Storage::Varint(_) | Storage::Digits { .. })
        && matches!(cell.meaning, Meaning::Int)
}
