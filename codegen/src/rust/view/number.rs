//! What expressions give, as options: nothing follows from nothing.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Views;
use super::cell::storable;
use super::item::Lead;
use super::rows::{Body, Scope};
use crate::model::{
    BinaryOp, Expr, ExprId, Function, Meaning, Member, Path, RecordId, Row, RowId, RowKind, Start,
    Step, Target, Type, UnaryOp,
};
use crate::rust::straight::{Able, unable};

/// The option that an expression gives.
enum Given {
    Number(TokenStream),
    Truth(TokenStream),
}

impl Views<'_, '_> {
    /// The number that an expression gives, an option; `here` is where it is asked for.
    pub(super) fn number(
        &self,
        body: &Body<'_>,
        here: &TokenStream,
        id: ExprId,
    ) -> Able<TokenStream> {
        match self.given(body, here, id)? {
            Given::Number(number) => Ok(number),
            Given::Truth(truth) => Ok(quote!((#truth).map(i128::from))),
        }
    }

    /// The truth value that an expression gives, an option.
    pub(super) fn truth(
        &self,
        body: &Body<'_>,
        here: &TokenStream,
        id: ExprId,
    ) -> Able<TokenStream> {
        match self.given(body, here, id)? {
            Given::Truth(truth) => Ok(truth),
            Given::Number(_) => unable("a condition that is a number"),
        }
    }

    fn given(&self, body: &Body<'_>, here: &TokenStream, id: ExprId) -> Able<Given> {
        if let Some(number) = self.model.exprs.constant(id) {
            let number = Literal::i128_unsuffixed(number);
            return Ok(Given::Number(quote!(rt::Some(#number))));
        }
        let number = |id: ExprId| self.number(body, here, id);
        let truth = |id: ExprId| self.truth(body, here, id);
        Ok(match &self.model[id] {
            Expr::Bool(yes) => Given::Truth(quote!(rt::Some(#yes))),
            Expr::Path(path) => self.path(body, here, path)?,
            Expr::Unary(UnaryOp::Not, a) => {
                let a = truth(*a)?;
                Given::Truth(quote!((#a).map(|a: bool| !a)))
            }
            Expr::Unary(UnaryOp::Negate, a) => {
                let a = number(*a)?;
                Given::Number(quote!((#a).and_then(|a: i128| a.checked_neg())))
            }
            Expr::Unary(UnaryOp::Complement, a) => {
                let a = number(*a)?;
                Given::Number(quote!((#a).map(|a: i128| !a)))
            }
            Expr::Binary(op, a, b) => self.binary(body, here, *op, *a, *b)?,
            Expr::If(condition, a, b) => {
                let condition = truth(*condition)?;
                self.either(
                    body,
                    here,
                    *a,
                    *b,
                    &|a, b| quote!(if v::holds(#condition) { #a } else { #b }),
                )?
            }
            Expr::Coalesce(a, b) => self.either(
                body,
                here,
                *a,
                *b,
                &|a, b| quote!(match #a { rt::None => #b, some => some }),
            )?,
            Expr::In(a, ranges) => {
                let a = number(*a)?;
                let mut tests = Vec::new();
                for (low, high) in ranges {
                    let low = self.model.exprs.constant(*low);
                    let high = match high {
                        Some(high) => self.model.exprs.constant(*high),
                        None => low,
                    };
                    let (Some(low), Some(high)) = (low, high) else {
                        return unable("a range that is not constant");
                    };
                    let (low, high) =
                        (Literal::i128_unsuffixed(low), Literal::i128_unsuffixed(high));
                    tests.push(quote!(#low..=#high));
                }
                Given::Truth(quote!((#a).map(|a: i128| matches!(a, #(#tests)|*))))
            }
            Expr::Call(Function::Number, arguments) if arguments.len() == 1 => {
                Given::Number(number(arguments[0])?)
            }
            Expr::FileEnd => Given::Number(quote!(rt::Some(#here.file_end() as i128))),
            Expr::Here => Given::Number(quote!(rt::Some(#here.address() as i128))),
            Expr::RegionEnd => Given::Number(quote!(rt::Some(#here.region_end() as i128))),
            Expr::At(path) => {
                Given::Number(self.sought.within(id, || self.address_of(body, path))?)
            }
            _ => return unable("an expression that views do not know"),
        })
    }

    /// The address of a row, an option.
    fn address_of(&self, body: &Body<'_>, path: &Path) -> Able<TokenStream> {
        let row = own_row(body, path)?;
        let spot = self.spot(body, row)?;
        let (place, row) = (spot.place(), body.row(row));
        Ok(match &row.ty {
            _ if row.when.is_some() => return unable("the address of what may not be there"),
            // It is that of what the pointer leads to.
            Type::Pointer(pointer) => {
                let Lead { raw, nones, address } =
                    self.lead(Scope::Row(body), &spot, pointer, row)?;
                let none = (!nones.is_empty()).then(|| quote!(#(#nones)|* => rt::None,));
                quote!({ let from = #place; match #raw { #none raw => #address } })
            }
            Type::Run(run) if run.align.is_some() => {
                return unable("the address of something aligned");
            }
            _ => quote!(rt::Some(#place.address() as i128)),
        })
    }

    /// One of two values of one type.
    fn either(
        &self,
        body: &Body<'_>,
        here: &TokenStream,
        a: ExprId,
        b: ExprId,
        choose: &dyn Fn(TokenStream, TokenStream) -> TokenStream,
    ) -> Able<Given> {
        Ok(match (self.given(body, here, a)?, self.given(body, here, b)?) {
            (Given::Truth(a), Given::Truth(b)) => Given::Truth(choose(a, b)),
            (Given::Number(a), Given::Number(b)) => Given::Number(choose(a, b)),
            _ => return unable("an expression of two types"),
        })
    }

    fn binary(
        &self,
        body: &Body<'_>,
        here: &TokenStream,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Able<Given> {
        if let BinaryOp::BothTrue | BinaryOp::EitherTrue = op {
            let (a, b) = (self.truth(body, here, a)?, self.truth(body, here, b)?);
            return Ok(Given::Truth(match op {
                BinaryOp::BothTrue => quote!(rt::Some(v::holds(#a) && v::holds(#b))),
                _ => quote!(rt::Some(v::holds(#a) || v::holds(#b))),
            }));
        }
        let (a, b) = match (self.given(body, here, a)?, self.given(body, here, b)?) {
            (Given::Number(a), Given::Number(b)) => (a, b),
            (Given::Truth(a), Given::Truth(b)) => {
                return match op {
                    BinaryOp::Equal => {
                        Ok(Given::Truth(quote!(v::both(#a, #b, |a, b| rt::Some(a == b)))))
                    }
                    BinaryOp::NotEqual => {
                        Ok(Given::Truth(quote!(v::both(#a, #b, |a, b| rt::Some(a != b)))))
                    }
                    _ => unable("truth values as numbers"),
                };
            }
            _ => return unable("an expression of two types"),
        };
        let compare = |sign: TokenStream| {
            Given::Truth(quote!(v::both(#a, #b, |a: i128, b: i128| rt::Some(a #sign b))))
        };
        let checked = |name: TokenStream| {
            Given::Number(quote!(v::both(#a, #b, |a: i128, b: i128| a.#name(b))))
        };
        let plain = |sign: TokenStream| {
            Given::Number(quote!(v::both(#a, #b, |a: i128, b: i128| rt::Some(a #sign b))))
        };
        let model = |name: TokenStream| {
            Given::Number(quote! {
                v::both(#a, #b, |a: i128, b: i128| ::formwork::model::BinaryOp::#name.apply(a, b))
            })
        };
        Ok(match op {
            BinaryOp::Equal => compare(quote!(==)),
            BinaryOp::NotEqual => compare(quote!(!=)),
            BinaryOp::Less => compare(quote!(<)),
            BinaryOp::LessOrEqual => compare(quote!(<=)),
            BinaryOp::Greater => compare(quote!(>)),
            BinaryOp::GreaterOrEqual => compare(quote!(>=)),
            BinaryOp::Add => checked(quote!(checked_add)),
            BinaryOp::Subtract => checked(quote!(checked_sub)),
            BinaryOp::Multiply => checked(quote!(checked_mul)),
            BinaryOp::And => plain(quote!(&)),
            BinaryOp::Or => plain(quote!(|)),
            BinaryOp::Xor => plain(quote!(^)),
            BinaryOp::Divide => model(quote!(Divide)),
            BinaryOp::Remainder => model(quote!(Remainder)),
            BinaryOp::ShiftLeft => model(quote!(ShiftLeft)),
            BinaryOp::ShiftRight => model(quote!(ShiftRight)),
            BinaryOp::BothTrue | BinaryOp::EitherTrue | BinaryOp::Concatenate => {
                return unable("an expression that views do not know");
            }
        })
    }

    /// What is at a path.
    fn path(&self, body: &Body<'_>, here: &TokenStream, path: &Path) -> Able<Given> {
        let root = self.model.root;
        let from = match &path.start {
            Start::This => body.clone(),
            Start::Root => self.root_body(body),
            Start::Enclosing(records) => {
                let shown = self.shown(body);
                if records.contains(&shown) || records.contains(&body.record) {
                    body.clone()
                } else if records.contains(&root) {
                    self.root_body(body)
                } else {
                    return unable("it depends on a struct around");
                }
            }
            Start::Up(0) => body.clone(),
            Start::Up(_) | Start::Argument(_) => return unable("it depends on a struct around"),
            Start::It => return unable("an expression that views do not know"),
        };
        self.steps(&from, here, &path.steps)
    }

    /// The record that a body's view is of.
    fn shown(&self, body: &Body<'_>) -> RecordId {
        match body.model.records[body.record.index()].kind {
            crate::model::RecordKind::Form(union, case, _) => {
                self.model.unions[union.index()].cases[case as usize].record
            }
            _ => body.record,
        }
    }

    fn root_body<'x>(&'x self, body: &Body<'x>) -> Body<'x> {
        let (place, root) = (&body.place, self.model.root);
        self.record_ty(root);
        self.forced.borrow_mut().insert(root);
        let ident = self.record_ident(root);
        self.body(root, None, body.epoch, quote!(#ident::__at(#place.start())?))
    }

    /// `here` stays where it is asked for, through every `let`.
    fn steps(&self, body: &Body<'_>, here: &TokenStream, steps: &[Step]) -> Able<Given> {
        let Some((Step::Field(field), rest)) = steps.split_first() else {
            return unable("a path to no number");
        };
        let shown = self.shown(body);
        let known = field.members.iter().find(|(id, _)| *id == body.record);
        let known = known.or_else(|| field.members.iter().find(|(id, _)| *id == shown));
        let Some((of, members)) = known else { return unable("a path into something else") };
        // In a form, its own row of that name.
        let row = |id: RowId| -> Able<RowId> {
            if *of == body.record {
                return Ok(id);
            }
            let name = self.model.records[of.index()].rows[id.index()].name.as_deref();
            let rows = &body.model.records[body.record.index()].rows;
            match rows.iter().position(|row| row.name.as_deref() == name) {
                Some(at) => Ok(RowId(u32::try_from(at).unwrap_or(0))),
                None => unable("a row that a form is without"),
            }
        };
        match members.as_slice() {
            [Member::Row(id)] if rest.is_empty() => {
                let id = row(*id)?;
                Ok(match self.is_truth(body.row(id)) {
                    true => {
                        let number = self.row_number(body, id)?;
                        Given::Truth(quote!((#number).map(|n: i128| n != 0)))
                    }
                    false => Given::Number(self.row_number(body, id)?),
                })
            }
            [Member::Row(id)] => {
                let inner = self.inner(body, row(*id)?)?;
                self.steps(&inner, here, rest)
            }
            [Member::Into(id), more @ ..] if !more.is_empty() => {
                let inner = self.inner(body, row(*id)?)?;
                let field = crate::model::Field {
                    members: vec![(inner.record, more.to_vec())],
                    ..field.clone()
                };
                let steps: Vec<Step> =
                    std::iter::once(Step::Field(field)).chain(rest.iter().cloned()).collect();
                self.steps(&inner, here, &steps)
            }
            [Member::Let(number)] if rest.is_empty() => {
                let lets = &body.model.records[of.index()].lets;
                let Some(named) = lets.get(*number as usize) else { return unable("no `let`") };
                self.given(body, here, named.expr)
            }
            _ => unable("a path into something else"),
        }
    }

    fn is_truth(&self, row: &Row) -> bool {
        matches!(&row.ty, Type::Cell(cell) if matches!(cell.meaning, Meaning::Bool { .. }))
    }

    /// The view of a struct in a row.
    fn inner<'x>(&'x self, body: &Body<'x>, id: RowId) -> Able<Body<'x>> {
        let row = body.row(id);
        if row.when.is_some() {
            return unable("a path into what may not be there");
        }
        let target = match &row.ty {
            Type::Record(record) => *record,
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(Type::Record(record)) => *record,
                _ => return unable("a path into something else"),
            },
            _ => return unable("a path into something else"),
        };
        let shape = crate::rust::shape::Shape::Struct(target);
        let spot = self.spot(body, id)?;
        let item = self.item(Scope::Row(body), &spot, &row.ty, (body.record, id), &shape)?;
        if item.optional {
            return unable("a path into what may not be there");
        }
        let value = item.value;
        self.forced.borrow_mut().insert(target);
        Ok(self.body(target, None, body.epoch, quote!((#value))))
    }

    /// The number in a row, an option.
    pub(super) fn row_number(&self, body: &Body<'_>, id: RowId) -> Able<TokenStream> {
        let row = body.row(id);
        let value = match (&row.kind, &row.ty) {
            (RowKind::Value { seen: Some(seen) }, _) => {
                let place = self.stand(body, id, *seen)?;
                self.number(body, &place, *seen)?
            }
            (RowKind::Constant(crate::model::Constant::Int(number)), _) => {
                let number = Literal::i128_unsuffixed(*number);
                quote!(rt::Some(#number))
            }
            (RowKind::Plain, Type::Cell(cell)) => {
                if let Meaning::Float(_) | Meaning::Word(_) = cell.meaning {
                    return unable("a number that is a float or a word");
                }
                if row.is_ranked() {
                    return unable("a position among some elements");
                }
                if let (crate::model::Home::Absent, absent) = (body.home(id), &row.absent) {
                    return Ok(match absent {
                        Some(crate::model::Constant::Int(number)) => {
                            let number = Literal::i128_unsuffixed(*number);
                            quote!(rt::Some(#number))
                        }
                        _ => quote!(rt::None::<i128>),
                    });
                }
                let spot = self.spot(body, id)?;
                let stored = self.stored(Scope::Row(body), &spot, cell.storage)?;
                let (raw, plus) = (stored.tokens, Literal::i128_unsuffixed(row.plus));
                let nones = storable(&row.none, stored.prim);
                let number = match row.plus {
                    0 => quote!(raw as i128),
                    _ => quote!(raw as i128 - #plus),
                };
                match nones.is_empty() {
                    true => quote!({ let raw = #raw; rt::Some(#number) }),
                    false => {
                        quote!(match #raw { #(#nones)|* => rt::None, raw => rt::Some(#number) })
                    }
                }
            }
            _ => return unable("a path to no number"),
        };
        match row.when {
            Some(when) => {
                let here = match self.spot(body, id) {
                    Ok(spot) => spot.place(),
                    Err(_) => self.stand(body, id, when)?,
                };
                let when = self.present(body, row, &here, when)?;
                Ok(quote!(if v::holds(#when) { #value } else { rt::None }))
            }
            None => Ok(value),
        }
    }
}

/// The row of a body's own that a path leads to.
fn own_row(body: &Body<'_>, path: &Path) -> Able<RowId> {
    let (Start::This | Start::Up(0), [Step::Field(field)]) = (&path.start, path.steps.as_slice())
    else {
        return unable("the address of something else");
    };
    let found = field.members.iter().find(|(id, _)| *id == body.record);
    match found.map(|(_, members)| members.as_slice()) {
        Some([Member::Row(row)]) => Ok(*row),
        _ => unable("the address of something else"),
    }
}
