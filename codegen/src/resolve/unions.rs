//! Unions: what decides, labels, patterns, guards.

use super::{Cx, Expr, RecordId, Shape, UnionDecl};
use crate::model::{
    Case, Cell, EnumId, Form, Label, Meaning, Pattern, RowId, Storage, Tag, Union, UnionId,
};
use crate::span::Span;
use crate::syntax::ast::{DeclBody, LabelEx, LabelKind, Props, TypeEx};
use crate::syntax::builtin;
use crate::syntax::near::nearest;

/// What labels are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Labelled {
    Number(Option<EnumId>),
    Bool,
    Text,
    Bytes,
    /// Nobody knows, because of an error.
    Unknown,
}

impl<'t> Cx<'t> {
    /// Builds the model's union. Its records' rows are built already.
    pub(super) fn build_union(&mut self, id: UnionId) {
        let uni = self.uni(id);
        let (name, holder, decl) = (uni.name.clone(), uni.holder, uni.decl.clone());
        let (props, span, doc): (&'t Props, Span, Option<String>) = match decl {
            UnionDecl::Row(row) => (&row.props, row.span, row.doc.clone()),
            UnionDecl::Decl(decl) => (&decl.props, decl.span, decl.doc.clone()),
        };
        let source = props.text("source").map(str::to_owned);
        let found = self.tag(id, holder, props, span);
        let (tag, labelled, width) = match found {
            Some(found) => found,
            None => (Tag::Given(self.exprs.add(Expr::Int(0))), Labelled::Unknown, None),
        };
        if self.uni(id).cases.is_empty() {
            self.d
                .error("E0228", span, "the union has no case")
                .help("write `case NAME LABEL { ... }`");
        }
        let mut cases: Vec<Case> = Vec::new();
        for at in 0..self.uni(id).cases.len() {
            let case = &self.uni(id).cases[at];
            let (case_decl, epochs) = (case.decl, case.epochs.clone());
            let forms: Vec<_> = case.forms.iter().map(|f| (f.0, f.1, f.2.clone())).collect();
            if let Some(first) = cases.iter().find(|c| c.name == case_decl.name.value) {
                let first = first.span;
                self.d
                    .error(
                        "E0203",
                        case_decl.name.span,
                        format!("case `{}` is declared twice", case_decl.name.value),
                    )
                    .also(first, "first here");
            }
            let record = self.case_record(id, at).unwrap_or(self.uni(id).cases[at].record);
            let whole = self.uni(id).cases[at].whole;
            if whole {
                if matches!(tag, Tag::Row(_)) {
                    let span = case_decl.props.span("as").unwrap_or(case_decl.span);
                    self.d
                        .error("E0228", span, "`as=` needs a union with `tag=` or `word=`")
                        .help("write the struct as a row: `case x 1 { Struct value }`");
                }
                if !case_decl.items.is_empty() {
                    self.d
                        .error("E0228", case_decl.span, "a case with `as=` has no rows of its own")
                        .help("they stand in the struct");
                }
            }
            // A word in quotes behind the labels that is no member is documentation.
            let mut said = case_decl.labels.as_slice();
            let mut doc = case_decl.doc.clone();
            if let ([_, .., last], None) = (said, &doc)
                && let (LabelKind::Name(word), true) = (&last.kind, last.quoted)
                && !self.is_member(labelled, word)
            {
                doc = Some(word.clone());
                said = &said[..said.len() - 1];
            }
            let labels = self.labels(said, labelled, width);
            if labels.is_empty() && case_decl.labels.is_empty() && forms.is_empty() {
                self.d
                    .error("E0228", case_decl.span, "the case has no label")
                    .help("write `case NAME 1 { ... }` or `case NAME else { ... }`");
            }
            if !forms.is_empty() && !case_decl.labels.is_empty() {
                self.d.error(
                    "E0228",
                    case_decl.labels[0].span,
                    "the labels of a case with forms stand at the forms",
                );
            }
            let guard = match case_decl.props.ex("when") {
                Some(ex) if !self.is_context(self.rec(holder).scope, holder, &[], ex) => {
                    let env = self.env(self.rec(holder).scope, Some(holder));
                    self.truth(&env, ex)
                }
                _ => None,
            };
            let mut built = Vec::new();
            for (number, record, epochs) in forms {
                let form = &case_decl.forms[number];
                let labels = self.labels(&form.labels, labelled, width);
                built.push(Form { labels, epochs, record, span: form.span });
            }
            self.widen_fields(record, &built, &tag);
            cases.push(Case {
                name: case_decl.name.value.clone(),
                doc,
                labels,
                epochs,
                guard,
                record,
                whole,
                forms: built,
                span: case_decl.span,
            });
        }
        let size = match self.uni(id).decl {
            UnionDecl::Decl(decl) => self.natural(&decl.props, "size", 0),
            UnionDecl::Row(_) => None,
        };
        self.unions[id.index()].model =
            Some(Union { name, doc, source, body: false, tag, cases, size, span });
    }

    /// What decides, what labels are compared with, and the width of the tag in bits.
    fn tag(
        &mut self,
        id: UnionId,
        holder: RecordId,
        props: &'t Props,
        span: Span,
    ) -> Option<(Tag, Labelled, Option<u32>)> {
        let given: Vec<&str> =
            ["on", "given", "tag", "word"].into_iter().filter(|n| props.has(n)).collect();
        let (one, other) = (given.first().copied(), given.get(1).copied());
        if let (Some(first), Some(second)) = (one, other) {
            let at = props.span(second).unwrap_or(span);
            self.d.error("E0228", at, format!("`{first}=` and `{second}=` exclude each other"));
            return None;
        }
        match one {
            None => {
                self.d
                    .error("E0228", span, "what decides between the cases?")
                    .help("write `on=ROW`, `tag=u8`, `word=u32` or `given=EXPRESSION`");
                None
            }
            Some(name @ ("tag" | "word")) => {
                let word = props.text(name)?;
                let at = props.span(name).unwrap_or(span);
                let cell = self.tag_cell(holder, word, at)?;
                let width = match cell.storage {
                    Storage::Fixed(int) => Some(u32::from(int.bytes) * 8),
                    _ => None,
                };
                let labelled = match cell.meaning {
                    Meaning::Enum(id) => Labelled::Number(Some(id)),
                    Meaning::Bool { .. } => Labelled::Bool,
                    _ => Labelled::Number(None),
                };
                let tag = if name == "tag" { Tag::Own(cell) } else { Tag::Word(cell) };
                Some((tag, labelled, width))
            }
            Some(name) => {
                let ex = props.ex(name)?;
                let env = self.env(self.rec(holder).scope, Some(holder));
                let found = self.expr(&env, ex)?;
                let always = self.is_always(holder, self.uni(id).row.index());
                self.evaluated(always, |cx| cx.of_one_kind(ex.span, &found))?;
                let labelled = match &found.shape {
                    Shape::Int(id) => Labelled::Number(*id),
                    Shape::Any(_) | Shape::Address => Labelled::Number(None),
                    Shape::Bool => Labelled::Bool,
                    Shape::Text => Labelled::Text,
                    Shape::Bytes => Labelled::Bytes,
                    other => {
                        let what = self.describe(other);
                        self.d
                            .error("E0228", ex.span, "a union is decided by a number or a text")
                            .label(format!("this is {what}"));
                        return None;
                    }
                };
                self.unions[id.index()].decides = Some(found.expr);
                let row = ex.word().filter(|_| name == "on");
                if let Some(row) = row.and_then(|word| self.row_named(holder, word))
                    && row != self.uni(id).row
                    && self.is_tag_row(id, holder, row)
                {
                    return Some((Tag::Row(row), labelled, None));
                }
                Some((Tag::Given(found.expr), labelled, None))
            }
        }
    }

    /// Whether the row can be derived from the case: each case says one number or text.
    fn is_tag_row(&self, id: UnionId, holder: RecordId, row: RowId) -> bool {
        let Some(built) = self.rec(holder).rows.get(row.index()) else { return false };
        if !matches!(built.role, crate::model::Role::Data) || !built.definers.is_empty() {
            return false;
        }
        if !matches!(built.kind, crate::model::RowKind::Plain) || !built.none.is_empty() {
            return false;
        }
        if self.rec(holder).slots[self.uni(id).row.index()]
            .variants
            .iter()
            .any(|v| !v.when.is_empty())
        {
            return false;
        }
        self.uni(id).cases.iter().all(|case| {
            let labels = &case.decl.labels;
            case.forms.is_empty()
                && !case.whole
                && case.decl.props.get("when").is_none()
                && match labels.as_slice() {
                    [_] => true,
                    // The second may be documentation.
                    [_, last] => last.quoted && matches!(last.kind, LabelKind::Name(_)),
                    _ => false,
                }
                && labels.iter().all(|label| match &label.kind {
                    LabelKind::Range(a, b) => a == b,
                    LabelKind::Bool(_) | LabelKind::Text(_) | LabelKind::Name(_) => true,
                    LabelKind::Pattern(bits) => {
                        // Perhaps a member of an enumeration with an odd name.
                        !bits.contains(' ') && !bits.starts_with(['0', '1'])
                    }
                    LabelKind::Else => false,
                })
        })
    }

    fn tag_cell(&mut self, holder: RecordId, word: &str, span: Span) -> Option<Cell> {
        let scope = self.rec(holder).scope;
        if let Some(int) = self.integer(scope, word) {
            return Some(Cell { storage: Storage::Fixed(int), meaning: Meaning::Int });
        }
        let ty = TypeEx::plain(word, span);
        // Numbers that are no tags, since they have no whole bytes, or not always as many.
        let mut is_number = builtin::bit_width(word).is_some();
        let cell = match self.lookup_one(scope, word, span) {
            Some(super::imports::Found::Decl(at, index)) => match &self.decl(at, index).body {
                DeclBody::Varint { .. } | DeclBody::Digits { .. } | DeclBody::Alias(_) => {
                    is_number = true;
                    None
                }
                DeclBody::Enum { storage: Some(storage), .. } => {
                    let id = self.enumeration(at, index);
                    let int = self.integer(at, &storage.name);
                    int.map(|int| Cell { storage: Storage::Fixed(int), meaning: Meaning::Enum(id) })
                }
                _ => None,
            },
            _ => None,
        };
        if cell.is_none() {
            let is_row = self.row_named(holder, word).is_some();
            let d = self.d.error("E0228", ty.span, format!("`{word}` can't be a tag"));
            let is_text = word.starts_with("text") || word.starts_with("bytes");
            d.help(match (is_row, is_text) {
                (true, _) => {
                    format!("write `on={word}`: `tag=` is the type of a number of its own")
                }
                (_, true) => "put the text and the union into a struct: `text kind size=4` and \
                              `union content on=kind { ... }`"
                    .to_owned(),
                _ if is_number => format!(
                    "put the number and the union into a struct: `{word} kind` and `union content \
                     on=kind {{ ... }}`"
                ),
                _ => "a tag is an integer type, or an enumeration with one".to_owned(),
            });
        }
        cell
    }

    fn labels(&mut self, labels: &[LabelEx], labelled: Labelled, width: Option<u32>) -> Vec<Label> {
        let mut list = Vec::new();
        for label in labels {
            list.extend(self.label(label, labelled, width));
        }
        list
    }

    fn label(&mut self, label: &LabelEx, labelled: Labelled, width: Option<u32>) -> Option<Label> {
        if labelled == Labelled::Unknown {
            return None;
        }
        let member = |cx: &Self, name: &str| match labelled {
            Labelled::Number(Some(id)) => {
                let members = &cx.enums[id.index()].members;
                // `animal.cat` and `cat` are the same.
                let last = name.rsplit('.').next().unwrap_or(name);
                members.iter().find(|m| m.name == last).map(|m| m.number)
            }
            _ => None,
        };
        let wrong = |cx: &mut Self, what: &str| {
            let is = match labelled {
                Labelled::Number(Some(id)) => {
                    format!("a member of `{}`", cx.enums[id.index()].name)
                }
                Labelled::Number(None) => "a number".to_owned(),
                Labelled::Bool => "a truth value".to_owned(),
                Labelled::Text => "a text".to_owned(),
                Labelled::Bytes => "bytes".to_owned(),
                Labelled::Unknown => return None,
            };
            cx.d.error("E0229", label.span, format!("a label is {what}, but the tag is {is}"));
            None
        };
        match &label.kind {
            LabelKind::Else => Some(Label::Else),
            LabelKind::Range(from, to) => match labelled {
                Labelled::Number(_) => {
                    if from > to {
                        self.d.error("E0229", label.span, "the range is empty");
                        return None;
                    }
                    Some(Label::Range(*from, *to))
                }
                _ => wrong(self, "a number"),
            },
            LabelKind::Bool(value) => match labelled {
                Labelled::Bool => Some(Label::Range(i128::from(*value), i128::from(*value))),
                _ => wrong(self, "a truth value"),
            },
            LabelKind::Text(text) => match labelled {
                Labelled::Text | Labelled::Bytes => Some(Label::Text(text.clone())),
                _ => wrong(self, "a text"),
            },
            LabelKind::Name(name) => match member(self, name) {
                Some(number) => Some(Label::Range(number, number)),
                None => {
                    self.unknown_label(label.span, name, labelled);
                    None
                }
            },
            LabelKind::Pattern(bits) => {
                if let Some(number) = member(self, bits) {
                    return Some(Label::Range(number, number));
                }
                if !matches!(labelled, Labelled::Number(_)) {
                    return wrong(self, "a pattern");
                }
                self.pattern(bits, label.span, width)
            }
        }
    }

    /// Whether a word is a member of the tag's enumeration, or nearly.
    fn is_member(&self, labelled: Labelled, word: &str) -> bool {
        let Labelled::Number(Some(id)) = labelled else { return false };
        let members = &self.enums[id.index()].members;
        nearest(word, members.iter().map(|m| m.name.as_str())).is_some()
    }

    fn unknown_label(&mut self, span: Span, name: &str, labelled: Labelled) {
        match labelled {
            Labelled::Number(Some(id)) => {
                let found = &self.enums[id.index()];
                let near =
                    nearest(name, found.members.iter().map(|m| m.name.as_str())).map(str::to_owned);
                let (shown, declared) = (found.name.clone(), found.span);
                let d = self.d.error("E0229", span, format!("`{shown}` has no member `{name}`"));
                if let Some(near) = near {
                    d.label(format!("did you mean `{near}`?"));
                }
                d.also(declared, "declared here");
            }
            Labelled::Text => {
                self.d
                    .error("E0229", span, format!("`{name}` is no label"))
                    .help(format!("a text stands in single quotes: `\"'{name}'\"`"));
            }
            _ => {
                let of = |of: &&crate::model::Enum| of.members.iter().any(|m| m.name == name);
                let members = self.enums.iter().find(of).map(|found| found.name.clone());
                let d = self.d.error("E0229", span, format!("`{name}` is no label"));
                match members.filter(|_| labelled == Labelled::Number(None)) {
                    Some(found) => {
                        d.label("what decides is a number of no enumeration").help(format!(
                            "with `a ?? 0` or `c ? a : 0` it is any number; say \
                             `a ?? {found}.{name}`, or a number for a label"
                        ))
                    }
                    None => d.help(
                        "a label is a number, a range `\"5..9\"`, a pattern of bits, or `else`",
                    ),
                };
            }
        }
    }

    fn pattern(&mut self, bits: &str, span: Span, width: Option<u32>) -> Option<Label> {
        let length = u32::try_from(bits.len()).ok()?;
        let fits = match width {
            Some(width) => length >= width,
            None => false,
        };
        if !fits || length > 128 {
            let d = self.d.error("E0229", span, format!("the pattern has {length} bits"));
            match width {
                Some(width) => d.help(format!("the tag has {width}; patterns have at most 128")),
                None => d.help("patterns belong to unions with `tag=` or `word=`"),
            };
            return None;
        }
        let (mut mask, mut value) = (0u128, 0u128);
        let mut letters: Vec<(char, Vec<u32>)> = Vec::new();
        for (at, c) in bits.chars().enumerate() {
            let bit = length - 1 - u32::try_from(at).ok()?;
            match c {
                '0' | '_' => mask |= 1 << bit,
                '1' => {
                    mask |= 1 << bit;
                    value |= 1 << bit;
                }
                letter => match letters.iter_mut().find(|l| l.0 == letter) {
                    Some((_, list)) => list.push(bit),
                    None => letters.push((letter, vec![bit])),
                },
            }
        }
        Some(Label::Pattern(Pattern { width: length, mask, bits: value, letters }))
    }
}
