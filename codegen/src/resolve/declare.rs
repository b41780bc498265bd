//! Declarations become records: rows are counted and named, nothing else is looked at yet.

use std::cell::RefCell;
use std::collections::HashSet;

use super::instances::Further;
use super::ways::Way;
use super::{Bound, Cx, Expr, Memo, Rec, ScopeId, Shape, Slot, Source, Variant, id32, names_of};
use crate::model::{ByteOrder, RecordId, RecordKind, RelocationEncoding};
use crate::span::{Span, Spanned};
use crate::syntax::ast::{DeclBody, HomeEx, Item, LetDecl, Props, Row, RowWord, WordField};
use crate::syntax::expr::{Ex, PathEx};

/// Rows while they are gathered.
struct Gathered<'t> {
    slots: Vec<Slot<'t>>,
    /// Names of these, and of the `let`s.
    names: HashSet<&'t str>,
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Standing<'a, 't> {
    mask: &'a [bool],
    /// Conditions over data around it, and whether each is negated.
    when: &'a [(&'t Ex, bool)],
    /// All that decide, with those over the context.
    all: &'a [(&'t Ex, bool)],
}

impl<'t> Standing<'_, 't> {
    fn way(&self, ex: &'t Ex, span: Span) -> Way<'t> {
        Way { when: self.all.to_vec(), epochs: self.mask.to_vec(), ex, span }
    }

    fn lives(&self) -> bool {
        self.mask.contains(&true)
    }
}

impl<'t> Cx<'t> {
    /// The record of a struct, union or word with these arguments. The caller counted it.
    pub(super) fn declare(&mut self, scope: ScopeId, index: usize, args: Vec<Bound>) -> RecordId {
        let decl = self.decl(scope, index);
        let mut arguments = Vec::new();
        for arg in &args {
            arguments.push(match arg {
                Bound::Type(_) | Bound::Open(_) => self.exprs.add(Expr::Bool(false)),
                Bound::Const(expr, _) | Bound::Argument(_, _, expr) => *expr,
            });
        }
        let mut further = Further { named: args.len(), list: Vec::new() };
        let args: Vec<Bound> = args.into_iter().map(|arg| self.inside(arg, &mut further)).collect();
        arguments.extend(further.list);
        let params = decl.params.iter().map(|p| p.value.as_str()).zip(args).collect();
        let props = &decl.props;
        let align = self.natural(props, "align", 1);
        let epochs = self.epoch_count();
        let id = self.push(Rec {
            name: decl.name.value.clone(),
            template: decl.name.value.clone(),
            doc: decl.doc.as_deref(),
            said_source: props.text("source"),
            params,
            arguments,
            align,
            transparent: props.flag("transparent"),
            fixed_endian: endian(props),
            msb_first: self.msb_first(scope, props),
            says_bits: props.has("bit_order"),
            encodes: match props.word("encodes") {
                Some("pointer-masks") => Some(RelocationEncoding::PointerMasks),
                Some("pointer-runs") => Some(RelocationEncoding::PointerRuns),
                _ => None,
            },
            span: decl.span,
            nesting: self.deep,
            ..Rec::empty(scope, epochs)
        });
        match &decl.body {
            DeclBody::Struct { homes, open, items } => self.fill_struct(id, homes, *open, items),
            DeclBody::Union { items, cases } => {
                self.fill_union(id, scope, index, items, cases);
            }
            DeclBody::Word { fields, storage } => {
                let mut slots = Vec::new();
                for field in fields {
                    slots.push(Slot::new(
                        Some(&field.name.value),
                        Source::Word(field),
                        vec![true; epochs],
                    ));
                }
                let int = self.integer(scope, &storage.name).unwrap_or(super::int(4, false));
                for (first, last) in unclaimed(fields, i128::from(int.bytes) * 8) {
                    slots.push(Slot::new(None, Source::Gap(first, last), vec![true; epochs]));
                }
                let rec = self.rec_mut(id);
                rec.rest_zero = decl.props.word("rest") == Some("zero");
                rec.kind = RecordKind::Word(int);
                rec.slots = slots;
                rec.homed = true;
            }
            _ => {}
        }
        id
    }

    pub(super) fn push(&mut self, rec: Rec<'t>) -> RecordId {
        let id = RecordId(id32(self.records.len()));
        self.records.push(rec);
        id
    }

    /// A property that is a number of bytes or the like, and at least so great; an error if it is not.
    pub(super) fn natural(&mut self, props: &Props, name: &str, least: u64) -> Option<u64> {
        let (said, span) = (props.int(name)?, props.span(name)?);
        let found = u64::try_from(said).ok().filter(|&n| n >= least);
        if found.is_none() {
            self.d.error("E0214", span, format!("`{name}=` is at least {least}"));
        }
        found
    }

    pub(super) fn msb_first(&self, scope: ScopeId, props: &Props) -> bool {
        let module = self.scope(scope).tree.head.as_ref();
        let word = props
            .word("bit_order")
            .or_else(|| module.and_then(|head| head.props.word("bit_order")));
        word != Some("lsb-first")
    }

    fn fill_struct(
        &mut self,
        id: RecordId,
        homes: &'t [Spanned<HomeEx>],
        open: bool,
        items: &'t [Item],
    ) {
        let epochs = self.epoch_count();
        self.fill(id, &items.iter().collect::<Vec<_>>(), &vec![true; epochs]);
        let columns = self.rec(id).columns.clone();
        let count = columns.as_ref().map_or(1, |c| c.0);
        let span = homes.first().map(|h| homes.iter().fold(h.span, |a, b| a.to(b.span)));
        if !homes.is_empty() && homes.len() != count && !(homes.len() == 1 && count > 1) {
            self.d
                .error(
                    "E0215",
                    span.unwrap_or(self.rec(id).span),
                    format!("{} sizes for {count} columns", homes.len()),
                )
                .help("give one size per column, `-` where the struct does not exist");
        }
        let mut stated = vec![None; epochs];
        for (epoch, stated) in stated.iter_mut().enumerate() {
            let column = match &columns {
                None => Some(0),
                Some((_, map)) => map[epoch],
            };
            let home = column.and_then(|column| {
                homes.get(column).or_else(|| (homes.len() == 1).then(|| homes.first()).flatten())
            });
            if let Some(HomeEx::At(size)) = home.map(|h| h.value) {
                *stated = Some(size);
            }
        }
        let has_homes = |source: &Source<'t>| match source {
            Source::Row(row, _) => !row.homes.is_empty(),
            _ => false,
        };
        let exists = (0..epochs)
            .map(|epoch| columns.as_ref().is_none_or(|(_, map)| map[epoch].is_some()))
            .collect();
        let rec = self.rec_mut(id);
        rec.exists = exists;
        let any = rec.slots.iter().any(|slot| slot.variants.iter().any(|v| has_homes(&v.source)));
        rec.homed = any || !homes.is_empty();
        rec.open = open || !rec.homed;
        rec.stated = stated;
        self.declare_unions(id);
    }

    /// Gathers the items of a body.
    pub(super) fn fill(&mut self, id: RecordId, items: &[&'t Item], mask: &[bool]) {
        let mut names = Vec::new();
        names_of(items.iter().copied(), &mut names);
        for item in items.iter().copied() {
            if let Item::Columns(labels, conditions, span) = item {
                let scope = self.rec(id).scope;
                if self.rec(id).columns.is_some() {
                    self.d.error("E0215", *span, "a struct has one `columns` line");
                }
                let map = self.columns(scope, labels, conditions, *span);
                self.rec_mut(id).columns = Some((labels.len(), map));
            }
        }
        let names: Vec<&str> = names.iter().map(|n| n.value.as_str()).collect();
        let mut gathered = Gathered { slots: Vec::new(), names: HashSet::new() };
        let standing = Standing { mask, when: &[], all: &[] };
        self.gather(id, items, &names, standing, &mut gathered);
        for slot in &mut gathered.slots {
            // Rules are those of the first; what no layout has says none.
            slot.variants.sort_by_key(|variant| !variant.epochs.contains(&true));
        }
        self.rec_mut(id).slots.extend(gathered.slots);
    }

    fn gather(
        &mut self,
        id: RecordId,
        items: &[&'t Item],
        names: &[&str],
        standing: Standing<'_, 't>,
        gathered: &mut Gathered<'t>,
    ) {
        for item in items.iter().copied() {
            match item {
                Item::Row(row) => self.gather_row(row, standing.mask, standing.when, gathered),
                Item::When { condition, then, otherwise } => {
                    let scope = self.rec(id).scope;
                    let context = self.is_context(scope, id, names, condition);
                    let holds = context.then(|| self.holds(scope, Some(id), condition));
                    for (branch, negated) in [(then, false), (otherwise, true)] {
                        let branch: Vec<&'t Item> = branch.iter().collect();
                        let mut mask = standing.mask.to_vec();
                        if let Some(holds) = &holds {
                            mask.iter_mut().zip(holds).for_each(|(a, b)| *a &= *b != negated);
                        }
                        let (mut when, mut all) = (standing.when.to_vec(), standing.all.to_vec());
                        if !context {
                            when.push((condition, negated));
                        }
                        if !context || mask != standing.mask {
                            all.push((condition, negated));
                        }
                        let inner = Standing { mask: &mask, when: &when, all: &all };
                        self.gather(id, &branch, names, inner, gathered);
                    }
                }
                Item::Let(decl) => self.gather_let(id, decl, standing, gathered),
                Item::Check(check) => {
                    if standing.lives() {
                        let way = standing.way(&check.ex, check.span);
                        self.rec_mut(id).checks.push((check, way));
                    }
                }
                Item::Derive { path, is, span } => {
                    let way = standing.way(is, *span);
                    let derives = &mut self.rec_mut(id).derives;
                    let text = path.text();
                    let apart = |known: &(&PathEx, Vec<Way<'t>>)| {
                        known.0.text() == text && known.1.iter().all(|other| way.is_apart(other))
                    };
                    match derives.iter().position(apart) {
                        _ if !standing.lives() => {}
                        Some(at) => derives[at].1.push(way),
                        None => derives.push((path, vec![way])),
                    }
                }
                Item::Layout(places, span) => {
                    if !self.is_of_whole(
                        standing,
                        "layout",
                        *span,
                        "in it: `layout { when \"C\" { put a } }`",
                    ) {
                        continue;
                    }
                    if let Some((_, first)) = self.rec(id).layout {
                        self.d
                            .error("E0203", *span, "a struct has one `layout`")
                            .also(first, "first here");
                        continue;
                    }
                    self.rec_mut(id).layout = Some((places, *span));
                }
                Item::Endian(decl) => {
                    let help = "in it: `endian { when \"C\" big; else little }`";
                    if !self.is_of_whole(standing, "endian", decl.span, help) {
                        continue;
                    }
                    if self.rec(id).endian.is_some() || self.rec(id).fixed_endian.is_some() {
                        self.d.error("E0203", decl.span, "the byte order is said twice");
                    }
                    self.rec_mut(id).endian = Some(decl);
                }
                Item::Columns(_, _, span) => {
                    // Those of the struct itself are known.
                    let own = self.rec(id).columns.is_some() && standing.when.is_empty();
                    if !own || !standing.all.is_empty() {
                        self.d.error("E0216", *span, "`columns` can't stand in a `when`");
                    }
                }
            }
        }
    }

    /// Whether a statement that is about the whole struct is not under a condition; one that no
    /// epoch has says nothing.
    fn is_of_whole(
        &mut self,
        standing: Standing<'_, 't>,
        word: &str,
        span: Span,
        help: &str,
    ) -> bool {
        if standing.lives() && !standing.all.is_empty() {
            self.d
                .error("E0216", span, format!("`{word}` can't stand in a `when`"))
                .help(format!("write the `when` {help}"));
            return false;
        }
        standing.lives()
    }

    fn gather_let(
        &mut self,
        id: RecordId,
        decl: &'t LetDecl,
        standing: Standing<'_, 't>,
        gathered: &mut Gathered<'t>,
    ) {
        let way = standing.way(&decl.ex, decl.span);
        let name = decl.name.value.as_str();
        let known = self.rec(id).let_named(name);
        if gathered.names.insert(name) && known.is_none() {
            let rec = self.rec_mut(id);
            rec.lets.push(decl);
            rec.let_ways.push(vec![way]);
            rec.let_shapes.push(Memo::Unknown);
            return;
        }
        match known {
            Some(at) if self.rec(id).let_ways[at].iter().all(|other| way.is_apart(other)) => {
                self.rec_mut(id).let_ways[at].push(way);
            }
            _ => {
                let text = format!("`{name}` is declared twice in this struct");
                self.d.error("E0203", decl.name.span, text);
            }
        }
    }

    fn gather_row(
        &mut self,
        row: &'t Row,
        mask: &[bool],
        when: &[(&'t Ex, bool)],
        gathered: &mut Gathered<'t>,
    ) {
        let name =
            row.name
                .as_ref()
                .map(|n| n.value.as_str())
                .or(matches!(row.word, RowWord::ByteOrder).then_some("byte_order"));
        // Most names are new.
        let known = name.filter(|name| !gathered.names.insert(*name));
        let clash =
            known.and_then(|name| gathered.slots.iter().position(|slot| slot.name == Some(name)));
        if let (Some(name), None) = (known, clash) {
            let span = row.name.as_ref().map_or(row.span, |n| n.span);
            self.d
                .error("E0203", span, format!("`{name}` is a `let` of this struct, too"))
                .help(format!("give the `let` another name, and ask for `{name} ?? NAME`"));
            return;
        }
        let at = match clash {
            Some(at) => {
                let first = &gathered.slots[at];
                let apart = first
                    .variants
                    .iter()
                    .all(|v| v.epochs.iter().zip(mask).all(|(a, b)| !(*a && *b)));
                let span = row.name.as_ref().map_or(row.span, |n| n.span);
                let first_span = match &first.variants[0].source {
                    Source::Row(row, _) => row.name.as_ref().map_or(row.span, |n| n.span),
                    _ => span,
                };
                if !apart {
                    let by_data = !when.is_empty();
                    let d = self.d.error(
                        "E0203",
                        span,
                        format!("`{}` is declared twice in this struct", name.unwrap_or_default()),
                    );
                    d.label("again here").also(first_span, "first here");
                    if by_data {
                        d.help("where the data decides, use a `union`, or other names");
                    }
                    return;
                }
                // The rows before it in this branch must come before it in the list, too.
                let inside = |slot: &Slot<'t>| {
                    slot.variants.iter().all(|v| v.epochs.iter().zip(mask).all(|(a, b)| !*a || *b))
                };
                let crossed = gathered.slots[at + 1..].iter().any(|slot| {
                    !inside(slot)
                        && slot
                            .variants
                            .iter()
                            .skip(1)
                            .any(|v| v.epochs.iter().zip(mask).any(|(a, b)| *a && *b))
                });
                if crossed && row.homes.is_empty() {
                    self.d
                        .error("E0203", span, "rows with equal names stand in different orders")
                        .also(first_span, "the other one is here");
                }
                let mut to = at;
                for later in at + 1..gathered.slots.len() {
                    if inside(&gathered.slots[later]) {
                        let slot = gathered.slots.remove(later);
                        gathered.slots.insert(to, slot);
                        to += 1;
                    }
                }
                to
            }
            None => {
                gathered.slots.push(Slot { name, variants: Vec::new(), shape: Memo::Unknown });
                gathered.slots.len() - 1
            }
        };
        gathered.slots[at].variants.push(Variant {
            source: Source::Row(row, None),
            epochs: mask.to_vec(),
            when: when.to_vec(),
            base: Memo::Unknown,
        });
    }
}

/// Ranges of a word's bits that no field claims, both ends included.
fn unclaimed(fields: &[WordField], width: i128) -> Vec<(u8, u8)> {
    let mut list = Vec::new();
    let mut start: Option<u8> = None;
    for bit in 0..width {
        let at = u8::try_from(bit).unwrap_or(u8::MAX);
        let claimed = fields.iter().any(|f| (f.first.value..=f.last).contains(&bit));
        match (claimed, start) {
            (false, None) => start = Some(at),
            (true, Some(first)) => {
                list.push((first, at - 1));
                start = None;
            }
            _ => {}
        }
    }
    if let (Some(first), Ok(end)) = (start, u8::try_from(width)) {
        list.push((first, end - 1));
    }
    list
}

fn endian(props: &Props) -> Option<ByteOrder> {
    match props.word("endian") {
        Some("little") => Some(ByteOrder::Little),
        Some("big") => Some(ByteOrder::Big),
        _ => None,
    }
}

impl<'t> Slot<'t> {
    pub(super) fn new(name: Option<&'t str>, source: Source<'t>, epochs: Vec<bool>) -> Slot<'t> {
        let variant = Variant { source, epochs, when: Vec::new(), base: Memo::Unknown };
        Slot { name, variants: vec![variant], shape: Memo::Unknown }
    }
}

impl<'t> Rec<'t> {
    /// Nothing yet.
    pub(super) fn empty(scope: ScopeId, epochs: usize) -> Rec<'t> {
        Rec {
            name: String::new(),
            template: String::new(),
            kind: RecordKind::Struct,
            doc: None,
            said_source: None,
            scope,
            params: Vec::new(),
            arguments: Vec::new(),
            outer: None,
            slots: Vec::new(),
            names: RefCell::default(),
            lets: Vec::new(),
            let_ways: Vec::new(),
            let_shapes: Vec::new(),
            checks: Vec::new(),
            derives: Vec::new(),
            layout: None,
            endian: None,
            fixed_endian: None,
            msb_first: true,
            says_bits: false,
            exists: vec![true; epochs],
            columns: None,
            stated: vec![None; epochs],
            open: true,
            homed: false,
            limits: vec![None; epochs],
            align: None,
            transparent: false,
            rest_zero: false,
            encodes: None,
            nesting: 0,
            span: Span { source: crate::span::SourceId(0), start: 0, end: 0 },
            rows: Vec::new(),
        }
    }
}

impl Shape {
    /// Whether it is an array or stream.
    pub(super) fn is_array(&self) -> bool {
        matches!(self, Shape::Array(_))
    }

    /// Of an array, the element.
    pub(super) fn element(&self) -> Shape {
        match self {
            Shape::Array(inner) => (**inner).clone(),
            Shape::Bytes | Shape::Run => Shape::Int(None),
            Shape::Any(records) => Shape::Any(records.clone()),
            _ => Shape::ANY,
        }
    }
}
