//! Declarations of unions: bodies of cases and forms.

use super::instances::Further;
use super::{Bound, Cx, Expr, Rec, ScopeId, Slot, Source, Uni, UniCase, UnionDecl, id32, names_of};
use crate::model::{Path, RecordId, RecordKind, RowId, Start, UnionId};
use crate::span::Span;
use crate::syntax::ast::{CaseDecl, Item, Row, RowWord};
use crate::syntax::expr::Ex;

/// A union to be declared.
pub(super) struct Plan<'a, 't> {
    name: String,
    /// The record that holds it, and in which row.
    holder: RecordId,
    row: RowId,
    decl: UnionDecl<'t>,
    /// Rows that each case begins with.
    common: &'a [&'t Item],
    cases: &'t [CaseDecl],
    /// Epochs that have the union.
    mask: &'a [bool],
}

impl<'t> Cx<'t> {
    /// Declares the unions among the rows of a record. Called once its rows have their numbers.
    pub(super) fn declare_unions(&mut self, id: RecordId) {
        for at in 0..self.rec(id).slots.len() {
            for variant in 0..self.rec(id).slots[at].variants.len() {
                let v = &self.rec(id).slots[at].variants[variant];
                let Source::Row(row, None) = v.source else { continue };
                let mask = v.epochs.clone();
                let RowWord::Union(items, cases) = &row.word else { continue };
                let name = row.name.as_ref().map_or("union", |n| n.value.as_str());
                let shown = format!("{}.{name}", self.rec(id).name);
                let union = self.new_union(Plan {
                    name: shown,
                    holder: id,
                    row: RowId(id32(at)),
                    decl: UnionDecl::Row(row),
                    common: &items.iter().collect::<Vec<_>>(),
                    cases,
                    mask: &mask,
                });
                let variant = &mut self.rec_mut(id).slots[at].variants[variant];
                variant.source = Source::Row(row, Some(union));
            }
        }
    }

    pub(super) fn fill_union(
        &mut self,
        id: RecordId,
        scope: ScopeId,
        index: usize,
        items: &'t [Item],
        cases: &'t [CaseDecl],
    ) {
        let epochs = self.epoch_count();
        let mask = vec![true; epochs];
        // Rows with bytes stand in each case, since a case with `as=` has none of them; what has no
        // bytes belongs to the union itself.
        let (common, own): (Vec<&'t Item>, Vec<&'t Item>) =
            items.iter().partition(|item| match item {
                Item::Row(row) => !matches!(row.word, RowWord::Value(_)),
                Item::When { .. } => true,
                _ => false,
            });
        self.fill(id, &own, &mask);
        let row = RowId(id32(self.rec(id).slots.len()));
        let decl = self.decl(scope, index);
        let name = self.rec(id).name.clone();
        let data = self.rec(id).slots.iter().any(|slot| slot.name.is_some());
        let rec = self.rec_mut(id);
        rec.open = true;
        rec.transparent |= !data;
        let placeholder = UnionId(u32::MAX);
        rec.slots.push(Slot::new(Some("case"), Source::Case(placeholder), mask.clone()));
        let union = self.new_union(Plan {
            name,
            holder: id,
            row,
            decl: UnionDecl::Decl(decl),
            common: &common,
            cases,
            mask: &mask,
        });
        self.rec_mut(id).slots[row.index()].variants[0].source = Source::Case(union);
        self.names_in_cases(&own, union);
    }

    /// What a union has by itself, outside of its cases, has a name of its own: the path from
    /// outside is the same.
    fn names_in_cases(&mut self, own: &[&'t Item], union: UnionId) {
        let (mut common, mut inside) = (Vec::new(), Vec::new());
        names_of(own.iter().copied(), &mut common);
        for case in &self.uni(union).cases {
            names_of(&case.decl.items, &mut inside);
            for form in &case.decl.forms {
                names_of(&form.items, &mut inside);
            }
        }
        for name in inside {
            let Some(first) = common.iter().find(|known| known.value == name.value) else {
                continue;
            };
            let text = format!("`{}` is declared twice in this union", name.value);
            self.d.error("E0203", name.span, text).also(first.span, "first here");
        }
    }

    fn new_union(&mut self, plan: Plan<'_, 't>) -> UnionId {
        let Plan { name, holder, row, decl, common, cases, mask } = plan;
        let id = UnionId(id32(self.unions.len()));
        let scope = self.rec(holder).scope;
        self.unions.push(Uni {
            name: name.clone(),
            holder,
            row,
            decl,
            cases: Vec::new(),
            decides: None,
            model: None,
        });
        let mut list = Vec::new();
        for (at, case) in cases.iter().enumerate() {
            let mut epochs = mask.to_vec();
            // A condition over the context selects epochs; another one is a guard.
            if let Some(ex) = case.props.ex("when")
                && self.is_context(scope, holder, &[], ex)
            {
                let holds = self.holds(scope, Some(holder), ex);
                for (epoch, holds) in epochs.iter_mut().zip(holds) {
                    *epoch &= holds;
                }
            }
            let kind = RecordKind::Case(id, id32(at));
            let shown = format!("{name}.{}", case.name.value);
            let record =
                self.body(holder, kind, shown, &case.name.value, case.doc.as_deref(), case.span);
            let mut forms = Vec::new();
            for (number, form) in case.forms.iter().enumerate() {
                let mut mask = epochs.clone();
                if let Some(ex) = form.props.ex("when") {
                    if self.is_context(scope, holder, &[], ex) {
                        let holds = self.holds(scope, Some(holder), ex);
                        for (epoch, holds) in mask.iter_mut().zip(holds) {
                            *epoch &= holds;
                        }
                    } else {
                        let span = form.props.span("when").unwrap_or(form.span);
                        self.d
                            .error("E0217", span, "the `when=` of a form is about the epoch")
                            .help("what the data decides is said by the label");
                    }
                }
                let kind = RecordKind::Form(id, id32(at), id32(number));
                let shown = format!("{name}.{}.{number}", case.name.value);
                let body = self.body(record, kind, shown, &case.name.value, None, form.span);
                let items: Vec<&'t Item> = common.iter().copied().chain(&form.items).collect();
                self.fill(body, &items, &mask);
                self.finish_body(body, &items, &mask);
                forms.push((number, body, mask));
            }
            let whole = case.props.has("as");
            let mut items: Vec<&'t Item> = Vec::new();
            if !whole && forms.is_empty() {
                items.extend(common);
            }
            items.extend(&case.items);
            self.fill(record, &items, &epochs);
            if !forms.is_empty() {
                self.logical_rows(record, &forms, &epochs);
            }
            self.finish_body(record, &items, &epochs);
            list.push(UniCase { decl: case, record, whole, epochs, forms });
        }
        self.unions[id.index()].cases = list;
        id
    }

    /// An empty record for a case or form.
    pub(super) fn body(
        &mut self,
        outer: RecordId,
        kind: RecordKind,
        name: String,
        template: &str,
        doc: Option<&'t str>,
        span: Span,
    ) -> RecordId {
        let epochs = self.epoch_count();
        let given = self.rec(outer).params.clone();
        let mut further = Further { named: given.len(), list: Vec::new() };
        let mut params = Vec::new();
        let mut arguments = Vec::new();
        for (at, (name, bound)) in given.iter().enumerate() {
            let (bound, argument) = match bound {
                Bound::Argument(_, shape, _) => {
                    let at = id32(at);
                    let path = Path {
                        start: Start::Argument(at),
                        steps: Vec::new(),
                        text: (*name).to_owned(),
                    };
                    let expr = self.exprs.add(Expr::Path(path));
                    let bound = Bound::Argument(at, shape.clone(), expr);
                    (bound, expr)
                }
                Bound::Const(expr, _) => (bound.clone(), *expr),
                Bound::Type(_) => (bound.clone(), self.exprs.add(Expr::Bool(false))),
                Bound::Open(_) => {
                    let bound = self.inside(bound.clone(), &mut further);
                    (bound, self.exprs.add(Expr::Bool(false)))
                }
            };
            params.push((*name, bound));
            arguments.push(argument);
        }
        arguments.extend(further.list);
        let holder = self.rec(outer);
        let rec = Rec {
            name,
            template: template.to_owned(),
            kind,
            doc,
            params,
            arguments,
            outer: Some(outer),
            msb_first: holder.msb_first,
            span,
            nesting: holder.nesting,
            ..Rec::empty(holder.scope, epochs)
        };
        self.push(rec)
    }

    fn finish_body(&mut self, id: RecordId, items: &[&'t Item], mask: &[bool]) {
        let homed = has_homes(items.iter().copied());
        let rec = self.rec_mut(id);
        rec.exists = mask.to_vec();
        rec.homed = homed;
        rec.open = !homed;
        self.declare_unions(id);
    }

    /// Whether a row is computed or fixed in every form that has it, so that it is no part of the
    /// value.
    fn is_computed(&self, forms: &[(usize, RecordId, Vec<bool>)], name: &str) -> bool {
        forms.iter().all(|(_, form, _)| {
            let form = self.rec(*form);
            let Some(slot) = form.slot_named(name).and_then(|at| form.slots.get(at)) else {
                return true;
            };
            let fixed = slot.variants.iter().all(|variant| match &variant.source {
                Source::Row(row, _) => {
                    matches!(row.word, RowWord::Typed(_)) && row.props.has("is")
                        || matches!(row.word, RowWord::Const(Some(_)))
                }
                _ => false,
            });
            fixed || measured(&form.slots).contains(&name)
        })
    }

    /// The rows of a case that has forms: the union of the forms' rows by name.
    fn logical_rows(
        &mut self,
        case: RecordId,
        forms: &[(usize, RecordId, Vec<bool>)],
        epochs: &[bool],
    ) {
        // Declared by `value`, those come first.
        let declared: Vec<(&'t str, &'t Row)> = self
            .rec(case)
            .slots
            .iter()
            .filter_map(|slot| match (&slot.variants[0].source, slot.name) {
                (Source::Row(row, _), Some(name)) if matches!(row.word, RowWord::Value(_)) => {
                    Some((name, *row))
                }
                _ => None,
            })
            .collect();
        for slot in &self.rec(case).slots {
            if let Source::Row(row, _) = &slot.variants[0].source
                && !matches!(row.word, RowWord::Value(_))
            {
                let span = row.span;
                self.d
                    .error("E0217", span, "beside forms a case holds only `value` rows")
                    .help("move the line into the forms");
                break;
            }
        }
        let mut slots: Vec<Slot<'t>> = Vec::new();
        let mut unnamed = Vec::new();
        for (_, form, _) in forms {
            for (at, slot) in self.rec(*form).slots.iter().enumerate() {
                let Some(name) = slot.name else {
                    if let Source::Row(row, _) = &slot.variants[0].source
                        && matches!(row.word, RowWord::Typed(_))
                    {
                        unnamed.push(row.span);
                    }
                    continue;
                };
                if !declared.iter().any(|d| d.0 == name) && self.is_computed(forms, name) {
                    continue;
                }
                let value = declared.iter().find(|d| d.0 == name).map(|d| d.1);
                let source = Source::Logical(*form, RowId(id32(at)), value);
                let typed = match &slot.variants[0].source {
                    Source::Row(row, _) => !matches!(row.word, RowWord::Const(None) | RowWord::Tag),
                    _ => true,
                };
                match slots.iter_mut().find(|s| s.name == Some(name)) {
                    // The last form can say every value.
                    Some(known) if typed => known.variants[0].source = source,
                    Some(_) => {}
                    None => slots.push(Slot::new(Some(name), source, epochs.to_vec())),
                }
            }
        }
        for span in unnamed {
            self.d
                .error(
                    "E0217",
                    span,
                    "the value of a case takes its fields from forms by their names",
                )
                .help("give the row a name, or write the rows of the struct here");
        }
        for (name, row) in &declared {
            if !slots.iter().any(|slot| slot.name == Some(name)) {
                self.d.error("E0217", row.span, format!("no form has a row `{name}`"));
            }
        }
        self.rec_mut(case).slots = slots;
    }
}

/// What says the length or place of a row, and so gives rows that it names their numbers.
pub(super) fn measures(row: &Row) -> impl Iterator<Item = &Ex> {
    let names = ["count", "records", "size", "end", "on", "base", "at"];
    // Beside `of=` it is about descriptors.
    let is_of = row.props.has("of");
    names
        .into_iter()
        .filter(move |name| *name != "at" || !is_of)
        .filter_map(|name| row.props.ex(name))
}

/// Names of rows that lengths and places name, and so are computed from.
pub(super) fn measured<'t>(slots: &[Slot<'t>]) -> Vec<&'t str> {
    let mut list = Vec::new();
    for variant in slots.iter().flat_map(|slot| &slot.variants) {
        let Source::Row(row, _) = &variant.source else { continue };
        for ex in measures(row) {
            ex.walk(&mut |part: &'t Ex| list.extend(part.word()));
        }
    }
    list
}

pub(super) fn has_homes<'t>(items: impl IntoIterator<Item = &'t Item>) -> bool {
    items.into_iter().any(|item| match item {
        Item::Row(row) => !row.homes.is_empty(),
        Item::When { then, otherwise, .. } => has_homes(then) || has_homes(otherwise),
        _ => false,
    })
}
