//! Layouts: what is placed when.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::rows::Head;
use super::spot::stood_number;
use super::writer::{Node, Src, Task, Writer};
use crate::model::{
    Home, Label, LayoutPath, PathStep, RecordId, RecordKind, Row, RowId, RowKind, Statement,
    Storage, Tag, Type, WhenEmpty,
};
use crate::rust::mentions::mentions;
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::locals::case_name;
use crate::rust::straight::outline::piece;

/// What a statement places of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The objects themselves.
    Record,
    /// What hangs on them.
    Tail,
    /// Both.
    Put,
    /// Nothing: another branch places it, so it must not be there.
    Nothing,
}

/// Where what a statement has placed is remembered for another one.
#[derive(Clone)]
pub(super) struct Kept {
    pub name: Ident,
    /// Whether what hangs on it comes first: then it is a token.
    pub token: bool,
}

impl<'m> Writer<'_, '_, 'm> {
    /// Statements of a layout.
    pub(super) fn statements(
        &self,
        node: &Node<'m>,
        statements: &'m [Statement],
    ) -> Able<TokenStream> {
        let mut kept = BTreeMap::new();
        let mut order = Vec::new();
        collect(statements, &mut order);
        let mut before = TokenStream::new();
        for (text, part) in &order {
            if kept.contains_key(text) {
                continue;
            }
            let other = match part {
                Part::Record => Part::Tail,
                Part::Tail => Part::Record,
                Part::Put | Part::Nothing => continue,
            };
            if !order.iter().any(|(known, part)| known == text && *part == other) {
                continue;
            }
            let name = format_ident!("kept_{}", kept.len());
            let token = *part == Part::Tail;
            before.extend(match token {
                true => quote!(let mut #name: s::Spot = cx.token()?;),
                false => quote!(let mut #name = 0_u64;),
            });
            kept.insert(text.clone(), Kept { name, token });
        }
        let body = self.sequence(node, statements, &kept)?;
        if !mentions_start(&body) {
            return Ok(quote!(#before #body));
        }
        Ok(quote!(let mark = cx.mark(); #before #body cx.release(mark);))
    }

    pub(super) fn sequence(
        &self,
        node: &Node<'m>,
        statements: &'m [Statement],
        kept: &BTreeMap<String, Kept>,
    ) -> Able<TokenStream> {
        let mut tokens = TokenStream::new();
        for statement in statements {
            let made = self.statement(node, statement, kept);
            let row = match statement {
                Statement::Record(path)
                | Statement::Tail(path)
                | Statement::Put(path)
                | Statement::Run(_, path) => {
                    let rows = path.steps.first().map_or(&[][..], |step| &step.rows);
                    rows.iter().find(|(record, _)| *record == node.id).map(|(_, row)| *row)
                }
                _ => None,
            };
            let made = self.straight.carried(node.id, row, made)?;
            let verb = match statement {
                Statement::Tail(_) => "tail",
                Statement::Run(..) => "run",
                _ => "put",
            };
            tokens.extend(match row {
                Some(row) if !made.as_ref().is_none_or(TokenStream::is_empty) => {
                    let label = piece(verb, node.id, row);
                    quote!(#label: { #made })
                }
                _ => quote!(#made),
            });
        }
        Ok(tokens)
    }

    fn statement(
        &self,
        node: &Node<'m>,
        statement: &'m Statement,
        kept: &BTreeMap<String, Kept>,
    ) -> Able<TokenStream> {
        Ok(match statement {
            Statement::This => {
                let at = &node.at;
                let put = self.call(
                    Task::Put,
                    node,
                    node.id,
                    &quote!(v),
                    node.index.as_ref(),
                    &quote!(),
                )?;
                quote!(let here = cx.align(align); cx.settle(#at, here)?; #put)
            }
            Statement::Record(path) => self.each(node, path, Part::Record, kept)?,
            Statement::Tail(path) => self.each(node, path, Part::Tail, kept)?,
            Statement::Put(path) => self.each(node, path, Part::Put, kept)?,
            Statement::Run(pass, path) => {
                self.step(node, &path.steps, &mut |node, id| self.run_row(node, id, pass))?
            }
            Statement::Align(align) => {
                let align = self.straight.number(&node.scope, node.view, *align)?;
                quote!(cx.align_to(#align)?;)
            }
            Statement::Zero(size) => {
                let size = self.straight.number(&node.scope, node.view, *size)?;
                quote!(cx.zero(#size)?;)
            }
            Statement::Mark(..) => return unable("an address without bytes"),
            Statement::When(condition, then, otherwise) => {
                let holds = self.straight.truth(&node.scope, node.view, *condition)?;
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                paths(then, &mut yes);
                paths(otherwise, &mut no);
                let branch = |statements, all: &[_], others: &[_]| {
                    let (without, all) =
                        (self.unplaced(node, others, all)?, self.sequence(node, statements, kept)?);
                    Ok(quote!(#without #all))
                };
                match holds.to_string().as_str() {
                    "true" => return branch(then, &yes, &no),
                    "false" => return branch(otherwise, &no, &yes),
                    _ => {}
                }
                let (then, otherwise) = (branch(then, &yes, &no)?, branch(otherwise, &no, &yes)?);
                quote!(if #holds { #then } else { #otherwise })
            }
        })
    }

    /// Makes odd what some paths lead to, and these others do not. Of what pointers lead to nothing
    /// is said where it is counted.
    fn unplaced(
        &self,
        node: &Node<'m>,
        paths: &[&'m LayoutPath],
        others: &[&'m LayoutPath],
    ) -> Able<TokenStream> {
        let mut tokens = TokenStream::new();
        for path in paths {
            if !others.iter().any(|other| other.text == path.text) {
                tokens.extend(self.step(node, &path.steps, &mut |node, id| match !self.owes
                    || matches!(node.row(id).kind, RowKind::Object { .. })
                {
                    true => self.place(node, id, Part::Nothing, None),
                    false => Ok(quote!()),
                })?);
            }
        }
        Ok(tokens)
    }

    /// Makes odd what is there in a row.
    fn nothing(&self, node: &Node<'m>, id: RowId, row: &'m Row) -> Able<TokenStream> {
        let owns = match (&row.kind, row.ty.stripped()) {
            (RowKind::Object { .. }, _) | (_, Type::Pointer(_)) => true,
            _ => !self.place(node, id, Part::Tail, None)?.is_empty(),
        };
        // What is computed is there if what it is computed from is.
        let Some(src) = self.field(node, id).filter(|_| owns) else { return Ok(quote!()) };
        let code = &src.code;
        Ok(match &src.shape {
            Some(Shape::Option(inner)) if matches!(**inner, Shape::List(_)) => {
                let x = self.fresh("x");
                let list = self.src(quote!(#x), (**inner).clone());
                let list = &list.code;
                quote!(if let rt::Some(#x) = #code { s::holds(#list.is_empty())?; })
            }
            Some(Shape::Option(_)) => quote!(s::holds(#code.is_none())?;),
            Some(Shape::List(_)) => quote!(s::holds(#code.is_empty())?;),
            _ => quote!(s::holds(false)?;),
        })
    }

    /// What a path of a statement leads to.
    pub(super) fn each(
        &self,
        node: &Node<'m>,
        path: &'m LayoutPath,
        part: Part,
        kept: &BTreeMap<String, Kept>,
    ) -> Able<TokenStream> {
        let kept = kept.get(&path.text);
        if kept.is_some() && path.steps.len() > 1 {
            return unable("objects further in that are placed in two steps");
        }
        self.step(node, &path.steps, &mut |node, id| self.place(node, id, part, kept))
    }

    /// Runs `then` for the rows that steps lead to.
    pub(super) fn step(
        &self,
        node: &Node<'m>,
        steps: &'m [PathStep],
        then: &mut dyn FnMut(&Node<'m>, RowId) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let Some((step, rest)) = steps.split_first() else { return Ok(quote!()) };
        let Some((_, id)) = step.rows.iter().find(|(record, _)| *record == node.id) else {
            return Ok(quote!());
        };
        let row = node.row(*id);
        if matches!(row.homes.get(node.epoch), Some(Home::Absent)) {
            return Ok(quote!());
        }
        if rest.is_empty() {
            return then(node, *id);
        }
        let Some(src) = self.field(node, *id) else { return unable("a way through no field") };
        let at = self.row_at(node, *id)?;
        self.through(node, row.ty.stripped(), &src, at, &mut |inner| self.step(inner, rest, then))
    }

    /// Runs `then` for the nodes in a row.
    pub(super) fn through(
        &self,
        node: &Node<'m>,
        ty: &'m Type,
        src: &Src,
        at: TokenStream,
        then: &mut dyn FnMut(&Node<'m>) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let code = &src.code;
        match (ty, &src.shape) {
            (_, Some(Shape::Option(inner))) => {
                let x = self.fresh("x");
                let some = self.src(quote!(#x), (**inner).clone());
                let body = self.through(node, ty, &some, at, then)?;
                Ok(if body.is_empty() {
                    body
                } else {
                    quote!(if let rt::Some(#x) = #code { #body })
                })
            }
            (_, Some(Shape::Boxed(inner))) => {
                let x = self.src(self.straight.unboxed(code), (**inner).clone());
                self.through(node, ty, &x, at, then)
            }
            (Type::Record(record), _) => self.by_order(node, *record, src, &mut |node| {
                then(&self.inside(node, *record, src, at.clone(), None)?)
            }),
            (Type::Union(id), Some(_)) => {
                let union = &node.view.unions[id.index()];
                let mut arms = TokenStream::new();
                for (number, case) in (0_u32..).zip(&union.cases) {
                    let (_, payload) = self.straight.shapes.variant(*id, number);
                    let Some(record) = payload else { continue };
                    let name = case_name(record);
                    let x = self.src(quote!(#name), Shape::Struct(record));
                    // Offsets of rows in a case count from the record around it.
                    let follows = self.follows_tag(node, case.record);
                    let base = if case.whole || follows { at.clone() } else { node.at.clone() };
                    let mut inner = self.inside(node, case.record, &x, base, None)?;
                    if let Some(frame) = inner.scope.frames.last_mut().filter(|_| follows) {
                        frame.at = None;
                    }
                    let body = self.straight.or_odd(case.record, || then(&inner));
                    if !body.is_empty() {
                        let pattern = self.straight.pattern(*id, number, &name);
                        arms.extend(quote!(#pattern => { #body }));
                    }
                }
                Ok(if arms.is_empty() { arms } else { quote!(match #code { #arms _ => {} }) })
            }
            _ => unable("a way through something else"),
        }
    }

    /// Address of a row of a node.
    pub(super) fn row_at(&self, node: &Node<'m>, id: RowId) -> Able<TokenStream> {
        let head = self.head_of(node)?;
        let plan = self.plan(node, &head)?;
        let at = &node.at;
        let offset = match plan.block.iter().find(|(row, _)| *row == id) {
            Some((_, offset)) => *offset,
            None if plan.rest.first() == Some(&id) => plan.end,
            None if self.is_stood(node, id) => {
                let number = stood_number(node.id, id);
                return Ok(quote!(cx.stood(#number, #at)?));
            }
            None => return self.straight.sight_behind(node.view, node.id, at, id),
        };
        Ok(if offset == 0 { quote!(#at) } else { quote!((#at + #offset)) })
    }

    /// Whether a row owns something and stands where no numbers say: then it is remembered where that is,
    /// by where its struct begins.
    pub(super) fn is_stood(&self, node: &Node<'m>, id: RowId) -> bool {
        let row = node.row(id);
        let owns = |ty: &Type| match ty {
            Type::Record(record) => self.straight.record(*record).owns_objects(),
            Type::Union(union) => {
                let mut records = self.model.unions[union.index()].records();
                records.any(|record| self.straight.record(record).owns_objects())
            }
            ty => matches!(ty, Type::Pointer(_)),
        };
        matches!(node.record().kind, RecordKind::Struct)
            && matches!(row.homes.get(node.epoch), Some(Home::Next))
            && row.ty.inline_parts().any(owns)
            && self.straight.sight_behind(node.view, node.id, &quote!(o), id).is_err()
    }

    /// What stands before the rows of a case, as far as offsets go.
    pub(super) fn head_of(&self, node: &Node<'m>) -> Able<Head> {
        let crate::model::RecordKind::Case(union, case) = node.record().kind else {
            return Ok(Head::default());
        };
        let union = &node.view.unions[union.index()];
        if union.cases[case as usize].whole {
            return Ok(Head::default());
        }
        if self.follows_tag(node, node.id) {
            let size = match &union.tag {
                Tag::Own(cell) | Tag::Word(cell) => match cell.storage {
                    Storage::Fixed(int) => u64::from(int.bytes),
                    _ => return unable("a tag of variable width"),
                },
                Tag::Row(_) | Tag::Given(_) => 0,
            };
            return Ok(Head {
                size,
                code: Some(Box::new(|_| TokenStream::new())),
                ..Head::default()
            });
        }
        // Rows with homes count from the record around; others would need to know where it begins.
        let next = node
            .record()
            .rows
            .iter()
            .any(|row| matches!(row.homes.get(node.epoch), Some(Home::Next)));
        if next {
            return unable("objects of a case at an offset that varies");
        }
        Ok(Head { code: Some(Box::new(|_| TokenStream::new())), ..Head::default() })
    }

    /// Whether all rows of a case stand behind its tag, one behind the other, so that their offsets count
    /// from where the union begins.
    fn follows_tag(&self, node: &Node<'m>, case: RecordId) -> bool {
        let record = &node.view.records[case.index()];
        let RecordKind::Case(union, number) = record.kind else { return false };
        let union = &node.view.unions[union.index()];
        let case = &union.cases[number as usize];
        let pattern = case.labels.iter().any(|label| matches!(label, Label::Pattern(_)));
        let home = |row: &Row| row.homes.get(node.epoch).copied();
        let mut rows = record.rows.iter();
        !case.whole
            && !pattern
            && rows.all(|row| !matches!(home(row), Some(Home::At(_))))
            && record.rows.iter().any(|row| home(row) == Some(Home::Next))
    }

    /// Places what a row owns.
    pub(super) fn place(
        &self,
        node: &Node<'m>,
        id: RowId,
        part: Part,
        kept: Option<&Kept>,
    ) -> Able<TokenStream> {
        let row = node.row(id);
        self.locals.about(row, || self.place_row(node, id, row, part, kept))
    }

    fn place_row(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        part: Part,
        kept: Option<&Kept>,
    ) -> Able<TokenStream> {
        if part == Part::Nothing {
            return self.nothing(node, id, row);
        }
        if matches!(row.kind, RowKind::Object { .. }) {
            let placed = self.place_object(node, id, row, part, kept)?;
            return match part {
                Part::Tail => Ok(placed),
                _ => self.with_measures(node, id, placed),
            };
        }
        if matches!(row.kind, RowKind::Slice { .. }) {
            return Ok(quote!());
        }
        match row.ty.stripped() {
            Type::Pointer(pointer) if super::shared::is_led_table(row, node.epoch) => {
                let kind = &self.model.pointers[pointer.kind.index()];
                let zero = row.nones(kind.none).next() == Some(0);
                if pointer.when_empty(self.model) != WhenEmpty::Here && (self.owes || !zero) {
                    return unable("a pointer to a shared table that may be none");
                }
                if part == Part::Tail {
                    return Ok(quote!());
                }
                let (name, gathered) = (self.fresh("gathered"), self.gathered(node, id, row)?);
                let (src, at) = (self.gathered_src(&name, row)?, self.row_at(node, id)?);
                let placed =
                    self.place_target(node, id, row, pointer, &src, &at, part, None, None)?;
                let placed = self.with_measures(node, id, placed)?;
                Ok(quote!(let #name = #gathered; #placed))
            }
            Type::Pointer(pointer) => {
                let src = match self.field(node, id) {
                    Some(src) => src,
                    None if !self.straight.shapes.carries(&row.ty) => Src::nothing(),
                    None => return unable("a pointer without a field"),
                };
                let at = self.row_at(node, id)?;
                let placed =
                    self.place_target(node, id, row, pointer, &src, &at, part, kept, None)?;
                match part {
                    Part::Tail => Ok(placed),
                    _ => self.with_measures(node, id, placed),
                }
            }
            Type::Record(_) | Type::Union(_) | Type::Array(_) if part == Part::Record => {
                Ok(quote!())
            }
            ty @ (Type::Record(_) | Type::Union(_)) => {
                let Some(src) = self.field(node, id) else { return Ok(quote!()) };
                let at = self.row_at(node, id)?;
                self.through(node, ty, &src, at, &mut |inner| self.tail(inner))
            }
            Type::Array(array) => {
                let Some(src) = self.field(node, id) else { return Ok(quote!()) };
                let at = self.row_at(node, id)?;
                if let Some(Shape::Option(inner)) = &src.shape {
                    let (x, code) = (self.fresh("x"), &src.code);
                    let some = self.src(quote!(#x), (**inner).clone());
                    let body = self.tail_elements(node, id, row, array, &some, &at, None)?;
                    return Ok(match body.is_empty() {
                        true => body,
                        false => quote!(if let rt::Some(#x) = #code { #body }),
                    });
                }
                self.tail_elements(node, id, row, array, &src, &at, None)
            }
            _ => Ok(quote!()),
        }
    }

    /// What a node owns.
    pub(super) fn tail(&self, node: &Node<'m>) -> Able<TokenStream> {
        if let crate::model::RecordKind::Case(union, case) = node.record().kind {
            let case = &node.view.unions[union.index()].cases[case as usize];
            for form in &case.forms {
                if node.view.records[form.record.index()].owns_objects() {
                    return unable("objects that a form owns");
                }
            }
            let layout = &node.record().layout;
            return match layout.first() {
                Some(Statement::This) => {
                    let rest = self.statements(node, &layout[1..])?;
                    Ok(rest)
                }
                _ => unable("a case whose own bytes do not come first"),
            };
        }
        let layout = &node.record().layout;
        match layout.split_first() {
            Some((Statement::This, [])) => Ok(quote!()),
            Some((Statement::This, _)) => {
                let at = &node.at;
                self.call(
                    Task::Tail,
                    node,
                    node.id,
                    &node.value,
                    node.index.as_ref(),
                    &quote!(#at,),
                )
            }
            _ => unable("an inline struct whose own bytes do not come first"),
        }
    }
}

/// Paths of statements in their order, with what is placed of them.
pub(super) fn collect(statements: &[Statement], found: &mut Vec<(String, Part)>) {
    for statement in statements {
        match statement {
            Statement::Record(path) => found.push((path.text.clone(), Part::Record)),
            Statement::Tail(path) => found.push((path.text.clone(), Part::Tail)),
            Statement::Put(path) => found.push((path.text.clone(), Part::Put)),
            Statement::When(_, then, otherwise) => {
                collect(then, found);
                collect(otherwise, found);
            }
            _ => {}
        }
    }
}

/// Paths of what statements place.
fn paths<'m>(statements: &'m [Statement], found: &mut Vec<&'m LayoutPath>) {
    for statement in statements {
        match statement {
            Statement::Record(path) | Statement::Tail(path) | Statement::Put(path) => {
                found.push(path);
            }
            Statement::When(_, then, otherwise) => {
                paths(then, found);
                paths(otherwise, found);
            }
            _ => {}
        }
    }
}

/// Whether code remembers addresses of elements.
fn mentions_start(tokens: &TokenStream) -> bool {
    mentions(tokens, "start")
}
