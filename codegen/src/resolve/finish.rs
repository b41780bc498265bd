//! From what was found to the model.

use std::collections::HashMap;

use super::imports::Found;
use super::{Cx, Memo, RecordId, ScopeId, Shape, Source, Val, id32};
use crate::model::{
    BinaryOp, ByteOrder, ByteOrderRule, Check, CheckKind, EndianRule, Epoch, Expr, ExprId, Gaps,
    Let, Model, NamedText, Record, RecordKind, RowId, UnaryOp, Union, UnionId,
};
use crate::prose::line;
use crate::syntax::ast::{CheckDecl, DeclBody, LetDecl};
use crate::syntax::expr::Ex;

impl<'t> Cx<'t> {
    /// The record of the root.
    pub(super) fn root(&mut self, main: ScopeId) -> Option<RecordId> {
        let head = self.scope(main).tree.head.as_ref()?;
        let name = head.props.text("root")?;
        let span = head.props.span("root").unwrap_or(head.span);
        match self.lookup_one(main, name, span) {
            Some(Found::Decl(at, index)) => {
                let decl = self.decl(at, index);
                let kind = matches!(decl.body, DeclBody::Struct { .. } | DeclBody::Union { .. });
                if !kind || !decl.params.is_empty() {
                    self.d
                        .error("E0232", span, format!("`{name}` can't be the root"))
                        .also(decl.name.span, "declared here")
                        .help("the root is a struct without parameters");
                    return None;
                }
                self.root = Some(RecordId(id32(self.records.len())));
                self.instance(at, index, Vec::new(), span)
            }
            None if self.is_broken(main, name) => None,
            _ => {
                let names = self.type_names(main);
                let near = crate::syntax::near::nearest(name, names.iter().map(String::as_str))
                    .map(str::to_owned);
                let d = self.d.error("E0232", span, format!("the root `{name}` is not declared"));
                if let Some(near) = near {
                    d.label(format!("did you mean `{near}`?"));
                }
                None
            }
        }
    }

    /// A struct that says its bit order does so for its own rows only; structs in it that have rows
    /// of bits in the other order must have said so.
    fn bit_orders(&mut self) {
        let bits = |rec: &super::Rec| rec.rows.iter().any(|row| row.ty.is_bits());
        let mut problems = Vec::new();
        for rec in self.records.iter().filter(|rec| rec.says_bits) {
            let mut open: Vec<(RecordId, crate::span::Span)> = Vec::new();
            let inside = |rec: &super::Rec, span: Option<crate::span::Span>| {
                let mut found = Vec::new();
                for row in &rec.rows {
                    for part in row.ty.inline_parts() {
                        if let crate::model::Type::Record(id) = part {
                            found.push((*id, span.unwrap_or(row.span)));
                        }
                    }
                }
                found
            };
            open.extend(inside(rec, None));
            let mut seen = Vec::new();
            while let Some((id, span)) = open.pop() {
                let inner = self.rec(id);
                if inner.says_bits || seen.contains(&id) {
                    continue;
                }
                seen.push(id);
                if bits(inner) && inner.msb_first != rec.msb_first {
                    problems.push((span, inner.name.clone(), inner.span, rec.msb_first));
                }
                open.extend(inside(inner, Some(span)));
            }
        }
        for (span, name, declared, msb_first) in problems {
            let order = if msb_first { "msb-first" } else { "lsb-first" };
            self.d
                .error("E0235", span, format!("`{name}` has the other bit order"))
                .also(declared, "it does not say its own, so it has that of the module")
                .help(format!("write `bit_order={order}` there, or the other one if it is meant"));
        }
    }

    /// Resolves all records and builds the model.
    pub(super) fn finish(&mut self, main: ScopeId, root: RecordId) -> Option<Model> {
        self.explore(0);
        self.find_owners();
        let relocation = self.relocation(root);
        self.complete_pointers(root);
        let mut built = 0;
        loop {
            self.explore(built);
            self.find_owners();
            self.late_arguments();
            let count = self.records.len();
            for at in built..count {
                self.build_rows(RecordId(id32(at)));
            }
            if self.records.len() == count {
                break;
            }
            built = count;
        }
        for at in 0..self.unions.len() {
            self.build_union(UnionId(id32(at)));
        }
        // Kinds of pointers may have been met late.
        self.complete_pointers(root);
        self.unused(main);
        self.late_arguments();
        if self.d.has_errors() {
            // What follows would only repeat the problems in other words; but equations and
            // layouts have problems of their own.
            if self.records.iter().any(|rec| rec.rows.len() != rec.slots.len())
                || self.unions.iter().any(|union| union.model.is_none())
            {
                return None;
            }
        }
        self.bit_orders();
        let derives = self.find_definers();
        let owns = self.owning();
        let mut layouts = Vec::new();
        for at in 0..self.records.len() {
            layouts.push(self.layout(RecordId(id32(at)), &owns));
        }
        let mut lets = Vec::new();
        let mut checks = Vec::new();
        let mut endians = Vec::new();
        for at in 0..self.records.len() {
            let id = RecordId(id32(at));
            lets.push(self.lets(id));
            checks.push(self.checks(id));
            endians.push(self.endian(id));
        }
        let recursive = self.recursive();
        let orders: Vec<_> =
            (0..self.records.len()).map(|at| self.read_order(RecordId(id32(at)))).collect();
        let transparent: Vec<_> =
            (0..self.records.len()).map(|at| self.transparent(RecordId(id32(at)))).collect();
        let (remarks, examples) = self.remarks_and_examples();
        if self.d.has_errors() {
            return None;
        }

        let head = self.scope(main).tree.head.as_ref()?;
        let mut names: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
        let mut records = Vec::new();
        let parts = layouts.into_iter().zip(lets).zip(checks).zip(endians).zip(derives);
        for (at, ((((layout, lets), checks), endian), derives)) in parts.enumerate() {
            let kind = self.word_kind(RecordId(id32(at)));
            let shown = self.shown(RecordId(id32(at)));
            let count = names.entry(shown.clone()).or_insert(0);
            *count += 1;
            let name = if *count == 1 { shown } else { format!("{shown}#{count}") };
            let sizes = self.sizes(RecordId(id32(at)));
            let parameters = self.shown_parameters(RecordId(id32(at)));
            let rec = &mut self.records[at];
            records.push(Record {
                name,
                template: rec.template.clone(),
                kind,
                doc: rec.doc.map(str::to_owned),
                source: rec.said_source.map(str::to_owned),
                parameters,
                rows: std::mem::take(&mut rec.rows),
                lets,
                arguments: std::mem::take(&mut rec.arguments),
                sizes,
                open: rec.open,
                align: rec.align,
                transparent: transparent[at],
                endian,
                derives,
                checks,
                layout: layout.0,
                passes: layout.1,
                read_order: orders[at].clone(),
                recursive: recursive[at],
                encodes: rec.encodes,
                span: rec.span,
            });
        }
        let slots = self.records.iter().flat_map(|rec| &rec.slots);
        let bodies: Vec<UnionId> = slots
            .filter_map(|slot| match slot.variants.first().map(|v| &v.source) {
                Some(Source::Case(union)) => Some(*union),
                _ => None,
            })
            .collect();
        let mut unions: Vec<Union> =
            self.unions.iter_mut().filter_map(|u| u.model.take()).collect();
        for body in bodies {
            if let Some(union) = unions.get_mut(body.index()) {
                union.body = true;
            }
        }
        let epochs = if self.epochs.list.is_empty() {
            vec![Epoch { label: "all".to_owned(), ranges: Vec::new() }]
        } else {
            self.epochs.list.clone()
        };
        let version = self.natural(&head.props, "version", 0).map(u32::try_from);
        let version = version.and_then(Result::ok).unwrap_or(1);
        let mut model = Model {
            name: head.name.value.clone(),
            title: head.title.clone().unwrap_or_else(|| head.name.value.clone()),
            version,
            extensions: head.extensions.clone(),
            sources: head.sources.clone(),
            root,
            byte_order: ByteOrderRule::Fixed(ByteOrder::Little),
            gaps: match head.props.word("gaps") {
                Some("zero") => Gaps::Zero,
                _ => Gaps::Kept,
            },
            epoch_variables: Vec::new(),
            epochs,
            records,
            unions,
            enums: self.enums.clone(),
            pointers: self.pointers.clone(),
            varints: self.varints.clone(),
            digits: self.digits.clone(),
            strings: self.strings.clone(),
            lets: self.module_lets(),
            relocation,
            remarks,
            examples,
            exprs: std::mem::take(&mut self.exprs).into_exprs(),
        };
        self.tell_blocks_apart(&mut model);
        super::offsets::computed_sizes(&mut model);
        super::stops::units_of_elements(&mut model);
        super::definers::numbers_everywhere(&mut model);
        super::step::tables_in_step(&mut model);
        self.context(&mut model, head)?;
        Some(model)
    }

    /// A condition that is about where it is asked holds, or not, for all rows of its block: it is asked
    /// where the block begins. Such a block has an expression of its own, equal as another's may be.
    fn tell_blocks_apart(&self, model: &mut Model) {
        let positions = model.mentioning(|expr| matches!(expr, Expr::Here | Expr::RegionEnd));
        for (rec, record) in self.records.iter().zip(&mut model.records) {
            let mut own: HashMap<*const Ex, ExprId> = HashMap::new();
            let mut made: HashMap<(Option<ExprId>, ExprId), ExprId> = HashMap::new();
            for (slot, row) in rec.slots.iter().zip(&mut record.rows) {
                let Some(when) = row.when.filter(|when| positions[when.index()]) else { continue };
                // The conditions of the blocks around it, from the innermost on.
                let (mut rest, mut parts) = (when, Vec::new());
                let blocks = &slot.variants[0].when;
                for _ in 1..blocks.len() {
                    let Expr::Binary(BinaryOp::BothTrue, before, one) = model.exprs[rest] else {
                        break;
                    };
                    parts.push(one);
                    rest = before;
                }
                parts.push(rest);
                let mut all = None;
                for ((block, negated), part) in blocks.iter().zip(parts.into_iter().rev()) {
                    let asked = match model.exprs[part] {
                        Expr::Unary(UnaryOp::Not, asked) if *negated => asked,
                        _ => part,
                    };
                    let mut one = match positions[asked.index()] {
                        true => *own.entry(std::ptr::from_ref(*block)).or_insert_with(|| {
                            let asked = model.exprs[asked].clone();
                            model.exprs.add(asked)
                        }),
                        false => asked,
                    };
                    if *negated {
                        one = *made
                            .entry((None, one))
                            .or_insert_with(|| model.exprs.add(Expr::Unary(UnaryOp::Not, one)));
                    }
                    all = Some(match all {
                        None => one,
                        Some(before) => *made.entry((Some(before), one)).or_insert_with(|| {
                            model.exprs.add(Expr::Binary(BinaryOp::BothTrue, before, one))
                        }),
                    });
                }
                row.when = all;
            }
        }
    }

    /// Finds types and shapes of all records from a position on, until no new record appears.
    fn explore(&mut self, from: usize) {
        let mut at = from;
        while at < self.records.len() {
            let id = RecordId(id32(at));
            for slot in 0..self.rec(id).slots.len() {
                for variant in 0..self.rec(id).slots[slot].variants.len() {
                    self.variant_base(id, slot, variant);
                    let source = self.rec(id).slots[slot].variants[variant].source.clone();
                    if let Source::Row(_, Some(union)) | Source::Case(union) = source {
                        for case in 0..self.uni(union).cases.len() {
                            self.case_record(union, case);
                        }
                    }
                }
                self.slot_shape(id, slot);
            }
            at += 1;
        }
    }

    fn find_owners(&mut self) {
        let mut owners: Vec<Vec<RecordId>> = vec![Vec::new(); self.records.len()];
        for at in 0..self.records.len() {
            let id = RecordId(id32(at));
            if let Some(outer) = self.rec(id).outer {
                owners[at].push(outer);
            }
            let mut held = Vec::new();
            for slot in &self.rec(id).slots {
                for variant in &slot.variants {
                    if let Memo::Done(Some(base)) = &variant.base {
                        held.extend(base.element.records());
                        held.extend(base.element.words());
                    }
                }
            }
            for inner in held {
                if !owners[inner.index()].contains(&id) {
                    owners[inner.index()].push(id);
                }
            }
        }
        // A struct that stands for a case is owned like the case.
        for union in 0..self.unions.len() {
            for case in 0..self.unions[union].cases.len() {
                if !self.unions[union].cases[case].whole {
                    continue;
                }
                let holder = self.unions[union].holder;
                if let Some(record) = self.case_record(UnionId(id32(union)), case) {
                    let list = &mut owners[record.index()];
                    if !list.contains(&holder) {
                        list.push(holder);
                    }
                }
            }
        }
        self.owners = owners;
    }

    /// Declarations of the module that nothing uses are resolved, too, so that their problems show.
    fn unused(&mut self, main: ScopeId) {
        let from = self.records.len();
        let tree = self.scope(main).tree;
        for (index, decl) in tree.decls.iter().enumerate() {
            if !decl.params.is_empty() || self.by_decl.contains_key(&(main, index)) {
                continue;
            }
            match &decl.body {
                DeclBody::Struct { .. } | DeclBody::Union { .. } | DeclBody::Word { .. } => {
                    self.instance(main, index, Vec::new(), decl.span);
                }
                _ => {}
            }
        }
        let unions = 0;
        let mut built = from;
        while built < self.records.len() {
            self.explore(built);
            self.find_owners();
            let count = self.records.len();
            for at in built..count {
                self.build_rows(RecordId(id32(at)));
            }
            built = count;
        }
        for at in unions..self.unions.len() {
            if self.unions[at].model.is_none() {
                self.build_union(UnionId(id32(at)));
            }
        }
    }

    pub(super) fn lets(&mut self, id: RecordId) -> Vec<Let> {
        let decls = self.rec(id).lets.clone();
        let mut list = Vec::new();
        for (at, decl) in decls.into_iter().enumerate() {
            let expr = match self.let_val(id, at) {
                Some(val) => val.expr,
                None => self.nothing(&decl.name.value),
            };
            let (name, doc) = (decl.name.value.clone(), decl.doc.clone());
            list.push(Let { name, doc, expr, span: decl.span });
        }
        list
    }

    /// The `let`s of the module itself, for its documentation.
    fn module_lets(&self) -> Vec<NamedText> {
        let decls = self.scope(self.main).tree.lets.iter();
        let named = |decl: &LetDecl| NamedText {
            name: decl.name.value.clone(),
            text: decl.text.clone(),
            doc: decl.doc.clone(),
            span: decl.span,
        };
        decls.map(named).collect()
    }

    pub(super) fn checks(&mut self, id: RecordId) -> Vec<Check> {
        let env = self.env(self.rec(id).scope, Some(id));
        let decls = self.rec(id).checks.clone();
        let mut list = Vec::new();
        for (CheckDecl { ex, text, doc, span }, way) in decls {
            let yes = Val { expr: self.exprs.add(Expr::Bool(true)), shape: Shape::Bool };
            let always = way.when.is_empty() && self.root == Some(id);
            let held = self.evaluated(always, |cx| cx.truth(&env, ex));
            if let Some(found) = held.and_then(|_| self.chosen(&env, &[way], &yes)) {
                let expr = found.expr;
                let (kind, doc) = (CheckKind::Holds(expr), doc.clone());
                list.push(Check { kind, text: line(text), doc, span: *span });
            }
        }
        list
    }

    pub(super) fn endian(&mut self, id: RecordId) -> Option<EndianRule> {
        let order = |word: &str| match word {
            "little" => Some(ByteOrder::Little),
            "big" => Some(ByteOrder::Big),
            _ => None,
        };
        if let Some(fixed) = self.rec(id).fixed_endian {
            return Some(EndianRule::Fixed(fixed));
        }
        let decl = self.rec(id).endian?;
        let env = self.env(self.rec(id).scope, Some(id));
        let mut rules = Vec::new();
        for (ex, word) in &decl.rules {
            let condition = self.truth(&env, ex)?;
            rules.push((condition, order(&word.value)?));
        }
        let otherwise = decl.otherwise.as_ref().and_then(|word| order(&word.value));
        Some(EndianRule::Chosen(rules, otherwise))
    }

    pub(super) fn transparent(&mut self, id: RecordId) -> Option<RowId> {
        if !self.rec(id).transparent {
            return None;
        }
        let choice = self.rec(id).slots.iter().position(|slot| {
            matches!(slot.variants.first().map(|v| &v.source), Some(Source::Case(_)))
        });
        if let Some(at) = choice {
            return Some(RowId(id32(at)));
        }
        use crate::model::{Role, RowKind};
        let data: Vec<usize> = self
            .rec(id)
            .rows
            .iter()
            .enumerate()
            .filter(|(_, row)| {
                !matches!(row.role, Role::Fixed | Role::Derived | Role::Spelling)
                    && !matches!(row.kind, RowKind::Mark { .. })
                    && row.name.is_some()
            })
            .map(|(at, _)| at)
            .collect();
        let is_kept = |row: usize| matches!(self.rec(id).rows[row].role, Role::Kept(_));
        match data.as_slice() {
            [only] if !is_kept(*only) => Some(RowId(id32(*only))),
            _ => {
                let rec = self.rec(id);
                let (span, name) = (rec.span, rec.name.clone());
                let count = if data.len() == 1 { 0 } else { data.len() };
                self.d
                    .error(
                        "E0233",
                        span,
                        format!("`{name}` is transparent, but has {count} rows of data"),
                    )
                    .help("the value of a transparent struct is that of its only row");
                None
            }
        }
    }

    /// Stated sizes per epoch.
    pub(super) fn sizes(&self, id: RecordId) -> Vec<Option<u64>> {
        let rec = self.rec(id);
        if let RecordKind::Word(_) = rec.kind {
            let bits = match self.word_kind(id) {
                RecordKind::Word(int) => u64::from(int.bytes) * 8,
                _ => 0,
            };
            return vec![Some(bits); self.epoch_count()];
        }
        rec.stated.clone()
    }
}
