//! What a form can say: its rows have room for a value, and can be as long.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::able::{Able, unable};
use super::context::{Straight, has_not_all, says_all};
use super::early::{early, is_early_number};
use super::ends::{self, Ends};
use super::epochs::epoch_id;
use super::operators::allows;
use super::questions::target;
use super::scope::{Access, Frame, Place, Scope};
use crate::model::{
    Cell, Constant, Content, Encoding, Expr, ExprId, FloatCode, Form, Home, Label, Meaning, Model,
    RecordKind, Role, Row, RowId, RowKind, RunLength, Storage, Tag, Type, Union, limits,
};
use crate::rust::shape::{Prim, Shape, float_code};

/// Structs within structs are followed so far.
const DEPTH: u32 = 16;

/// Where a form stands.
#[derive(Clone, Copy)]
pub(super) struct Said<'m> {
    pub view: &'m Model,
    pub epoch: usize,
    pub form: &'m Form,
}

/// What a value has for a row of a form, with its shape. Of lists and texts the code is something with
/// `len()` and `iter()`, of others a reference.
pub(super) type Value<'a> = dyn Fn(RowId, &Row) -> Option<(TokenStream, Shape)> + 'a;

/// What a cell stores for a float: an `Option<u64>`.
pub(super) fn stored_float(cell: &Cell, shape: &Shape, code: &TokenStream) -> Able<TokenStream> {
    let Some(float) = FloatCode::of(cell) else { return unable("a float of bits") };
    let stored = float_code(float);
    Ok(match (shape, float.is_single()) {
        (Shape::Float32, true) | (Shape::Float64, false) => {
            quote!((#stored).stored(u64::from(#code.to_bits())))
        }
        (Shape::Float64, true) => {
            quote!(s::narrowed(#code.to_bits()).and_then(|bits| (#stored).stored(u64::from(bits))))
        }
        _ => return unable("a float of another width"),
    })
}

impl<'m> Straight<'_, 'm> {
    /// Whether a form can say what a value has for its rows: a `bool`; nothing if it always can.
    pub(super) fn form_says(&self, of: Said<'m>, value: &Value<'_>) -> Able<Option<TokenStream>> {
        let record = of.form.record;
        let mut tests = Vec::new();
        for (id, row) in of.view.records[record.index()].numbered_rows() {
            let is_absent = matches!(row.homes.get(of.epoch), Some(Home::Absent));
            if row.name.is_none() || is_absent {
                continue;
            }
            let Some((code, shape)) = value(id, row) else { continue };
            if let Some(when) = row.when {
                let holds = self.holds_in_form(of, when, value)?;
                tests.push(match (&shape, row.may_say_none(self.model)) {
                    (Shape::Option(_), false) => quote!(#holds == #code.is_some()),
                    (Shape::Option(_), true) => quote!((#holds || #code.is_none())),
                    _ => holds,
                });
            }
            match &row.kind {
                RowKind::Constant(constant) => tests.push(self.equals(&code, &shape, constant)?),
                _ => tests.extend(self.can_say(of, row, &row.ty, &code, &shape, 0)?),
            }
            if let Some(rule) = of.view.length_rule(record, row, epoch_id(of.epoch)) {
                tests.push(allows(&rule, &self.counted(row, &code, &shape)?));
            }
        }
        Ok((!tests.is_empty()).then(|| quote!((#(#tests)&&*))))
    }

    /// Whether a condition holds, if it asks for nothing but numbers of the form: a `bool`.
    fn holds_in_form(&self, of: Said<'m>, when: ExprId, value: &Value<'_>) -> Able<TokenStream> {
        let record = of.form.record;
        let (mut open, mut asked) = (vec![when], BTreeSet::new());
        while let Some(expr) = open.pop() {
            let row = match &self.model[expr] {
                Expr::Path(path) => path.own_row(record),
                Expr::Int(_) | Expr::Bool(_) | Expr::Epoch(_) | Expr::Unary(..) => None,
                Expr::Binary(..) | Expr::If(..) | Expr::Coalesce(..) | Expr::In(..) => None,
                _ => return unable("a condition in a form"),
            };
            if row.is_none() && self.model[expr].path().is_some() {
                return unable("a condition in a form");
            }
            asked.extend(row);
            self.model[expr].operands(&mut |operand| open.push(operand));
        }
        let mut locals = TokenStream::new();
        for id in asked {
            let row = &of.view.records[record.index()].rows[id.index()];
            let is_data = matches!((&row.kind, &row.role), (RowKind::Plain, Role::Data));
            let held = value(id, row).filter(|_| is_data && is_early_number(row));
            let number = held.and_then(|(code, shape)| self.number_in(&shape, &code));
            let Some(number) = number else { return unable("a condition in a form") };
            let name = early(record, id);
            locals.extend(quote!(let #name: i128 = #number;));
        }
        let frame = Frame { record, access: Access::Early, at: None, index: None };
        let scope = Scope { frames: vec![frame], it: None, late: None };
        let holds = self.truth(&scope, of.view, when)?;
        Ok(quote!({ #locals #holds }))
    }

    /// A number or truth value as a number, from a reference to it: an `i128`.
    fn number_in(&self, shape: &Shape, code: &TokenStream) -> Option<TokenStream> {
        match self.scalar(shape, code)? {
            Place::Number(number) => Some(number),
            Place::Truth(truth) => Some(quote!(i128::from(#truth))),
            _ => None,
        }
    }

    /// The same of a row, or of what is in it.
    fn can_say(
        &self,
        of: Said<'m>,
        row: &Row,
        ty: &'m Type,
        code: &TokenStream,
        shape: &Shape,
        depth: u32,
    ) -> Able<Option<TokenStream>> {
        if depth > DEPTH {
            return unable("a form nested too deep");
        }
        let inside = |ty: &'m Type, shape: &Shape, held: &TokenStream| {
            self.can_say(of, row, ty, &self.reached(shape, held), shape, depth + 1)
        };
        match (ty, shape) {
            (ty, Shape::Option(inner)) => {
                let nothing = row.when.is_some() || row.may_say_none(self.model);
                let some = inside(ty, inner, &quote!(x))?;
                if some.is_none() && nothing {
                    return Ok(None);
                }
                let some = some.unwrap_or(quote!(true));
                Ok(Some(quote!((match #code { rt::Some(x) => #some, rt::None => #nothing }))))
            }
            (ty, Shape::Boxed(inner)) => inside(ty, inner, &self.unboxed(code)),
            (_, Shape::Kept(_)) => unable("a kept number in a form"),
            (Type::Cell(cell), Shape::Float32 | Shape::Float64)
                if !says_all(cell, *shape == Shape::Float32) =>
            {
                let stored = stored_float(cell, shape, code)?;
                Ok(Some(quote!(#stored.is_some())))
            }
            (Type::Cell(cell), Shape::Int(prim)) => {
                self.has_room(of, row, cell, *prim, &quote!(*#code))
            }
            (Type::Cell(cell), Shape::Enum(_) | Shape::Index(_)) => {
                let prim = match shape {
                    Shape::Enum(id) => self.shapes.enum_prim(*id),
                    _ => Prim::U32,
                };
                self.has_room(of, row, cell, prim, &quote!(#code.number()))
            }
            (Type::Array(array), Shape::List(inner) | Shape::Fixed(inner, _)) => {
                let each = inside(&array.element, inner, &quote!(x))?;
                Ok(each.map(|each| quote!(#code.iter().all(|x| #each))))
            }
            (Type::Run(run), shape) if has_not_all(run, shape) => {
                let in_bytes = run.content.is_in_bytes() && *shape == Shape::Str;
                let is_ascii = match run.content {
                    Content::Text(Encoding::Ascii) if in_bytes => quote!(&&chars.is_ascii()),
                    Content::Text(Encoding::Utf8) if in_bytes => quote!(),
                    _ => return unable("a text that a form may be unable to say"),
                };
                // Behind a length the text may have what ends others.
                let end = match (run.suffix.as_slice(), &run.length) {
                    ([end], RunLength::Count(_) | RunLength::Fixed(_) | RunLength::Fill) => {
                        Some(*end)
                    }
                    _ => None,
                };
                let end = end.into_iter();
                Ok(Some(quote!({
                    let chars = s::Chars::chars(#code);
                    true #(&& !chars.contains(&#end))* #is_ascii
                })))
            }
            (Type::Region(region), shape) => {
                let says = self.can_say(of, row, &region.inner, code, shape, depth + 1)?;
                let ends = match ends::ends(self.model, region)? {
                    None => return Ok(says),
                    Some(Ends::Stop(stop)) => ends::stop(stop, false),
                    Some(_) => return unable("content that a form may be unable to end"),
                };
                match (ends::filling(region), shape) {
                    (Some(run), Shape::Str | Shape::Bytes) if run.content.is_in_bytes() => {
                        let says = says.map(|says| quote!(#says &&));
                        let chars = quote!(s::Chars::chars(#code));
                        Ok(Some(quote!((#says (#ends).allows(#chars, true)))))
                    }
                    _ => unable("content that a form may be unable to end"),
                }
            }
            (Type::Record(id), shape) => {
                let record = &of.view.records[id.index()];
                let Some(only) = record.transparent else { return Ok(None) };
                let only = &record.rows[only.index()];
                let epoch = epoch_id(of.epoch);
                let is_long = of.view.length_rule(*id, only, epoch).is_some();
                if is_long || !only.checks.is_empty() || !record.checks.is_empty() {
                    return unable("a rule for what is in a row of a form");
                }
                let Shape::Struct(around) = shape else {
                    return self.can_say(of, only, &only.ty, code, shape, depth + 1);
                };
                // A struct around the value, for its spelling.
                let [field] = self.shapes.fields(*around) else {
                    return unable("a form of a struct");
                };
                let ident = &field.ident;
                let code = self.reached(&field.shape, &quote!((&#code.#ident)));
                self.can_say(of, only, &only.ty, &code, &field.shape, depth + 1)
            }
            (Type::PerEpoch(_), _) => unable("a type by epoch"),
            _ => Ok(None),
        }
    }

    /// Whether there is room for a number of this type in a cell, and it does not stand for nothing
    /// there.
    fn has_room(
        &self,
        of: Said<'m>,
        row: &Row,
        cell: &Cell,
        prim: Prim,
        value: &TokenStream,
    ) -> Able<Option<TokenStream>> {
        let (bits, signed) = self.model.cell_range(cell);
        let ((low, high), (least, greatest)) = match cell.meaning {
            Meaning::Int => (self.model.number_range(cell), prim.range()),
            Meaning::Enum(_) => (limits(bits, signed), prim.range()),
            _ => return unable("a form that says a number as something else"),
        };
        if bits == 0 || bits > 64 {
            return unable("a form that says a number as something else");
        }
        let (low, high) = (low.saturating_sub(row.plus), high.saturating_sub(row.plus));
        if high < least || greatest < low {
            return Ok(Some(quote!(false)));
        }
        let mut tests = Vec::new();
        if low > least {
            let low = Literal::i128_unsuffixed(low);
            tests.push(quote!(#value >= #low));
        }
        if high < greatest {
            let high = Literal::i128_unsuffixed(high);
            tests.push(quote!(#value <= #high));
        }
        for none in row.none.iter().map(|none| none.saturating_sub(row.plus)) {
            if (least..=greatest).contains(&none) {
                let none = Literal::i128_unsuffixed(none);
                tests.push(quote!(#value != #none));
            }
        }
        if matches!(cell.storage, Storage::TagOf) {
            tests.push(self.leads_here(of, row, value)?);
        }
        Ok((!tests.is_empty()).then(|| quote!((#(#tests)&&*))))
    }

    /// Whether the tag that says a number is one of a form's, and of no other one.
    fn leads_here(&self, of: Said<'m>, row: &Row, value: &TokenStream) -> Able<TokenStream> {
        let record = &of.view.records[of.form.record.index()];
        let RecordKind::Form(union, ..) = record.kind else { return unable("a tag of no form") };
        let union = &of.view.unions[union.index()];
        let (Tag::Own(cell) | Tag::Word(cell)) = &union.tag else {
            return unable("a tag that stands elsewhere");
        };
        let (least, most) = self.model.number_range(cell);
        let mut tests = Vec::new();
        for label in &of.form.labels {
            let (low, high) = match label {
                Label::Range(low, high) => ((*low).max(least), (*high).min(most)),
                Label::Else => (least, most),
                _ => return unable("a tag beside a pattern"),
            };
            let (low, high) = (Literal::i128_suffixed(low), Literal::i128_suffixed(high));
            let taken = match label {
                Label::Else => self.other_tags(of.epoch, union)?,
                _ => Vec::new(),
            };
            tests.push(quote!((#low..=#high).contains(&number) #(&& !#taken)*));
        }
        let plus = Literal::i128_suffixed(row.plus);
        let number = match row.plus {
            0 => quote!(i128::from(#value)),
            _ => quote!(i128::from(#value).saturating_add(#plus)),
        };
        Ok(quote!({ let number = #number; #(#tests)||* }))
    }

    /// Whether `number` is one of those that cases have which are not for all others.
    pub(super) fn other_tags(&self, epoch: usize, union: &Union) -> Able<Vec<TokenStream>> {
        let mut found = Vec::new();
        for case in &union.cases {
            if case.guard.is_some() {
                return unable("a tag of all other numbers beside a condition");
            }
            let here = |epochs: &[bool]| epochs.get(epoch).copied().unwrap_or(true);
            let forms = case.forms.iter().filter(|form| here(&form.epochs));
            let own = case.labels.iter().filter(|_| here(&case.epochs));
            for label in own.chain(forms.flat_map(|form| &form.labels)) {
                match label {
                    Label::Else => {}
                    Label::Range(low, high) => {
                        let (low, high) =
                            (Literal::i128_suffixed(*low), Literal::i128_suffixed(*high));
                        found.push(quote!((#low..=#high).contains(&number)));
                    }
                    _ => return unable("a tag of all other numbers beside a pattern"),
                }
            }
        }
        Ok(found)
    }

    /// Whether a value is a constant.
    pub(super) fn equals(
        &self,
        code: &TokenStream,
        shape: &Shape,
        constant: &Constant,
    ) -> Able<TokenStream> {
        Ok(match (shape, constant) {
            (Shape::Option(inner), constant) => {
                let test = self.equals(&self.reached(inner, &quote!(x)), inner, constant)?;
                quote!((match #code { rt::Some(x) => #test, rt::None => false }))
            }
            (Shape::Bool, Constant::Bool(b)) => quote!((*#code == #b)),
            (Shape::Float32, Constant::Float(_)) => {
                let bits = Literal::u64_unsuffixed(constant.float_bits(4).unwrap_or(0));
                quote!((#code.to_bits() == #bits))
            }
            (Shape::Float64, Constant::Float(bits)) => quote!((#code.to_bits() == #bits)),
            (Shape::Str, Constant::Text(text)) => {
                quote!((s::Chars::chars(#code) == #text.as_bytes()))
            }
            (shape, Constant::Int(n)) => {
                let Some(number) = self.number_in(shape, code) else {
                    return unable("a constant of another Rust type");
                };
                let n = Literal::i128_suffixed(*n);
                quote!((#number == #n))
            }
            _ => return unable("a constant of another Rust type"),
        })
    }

    /// Number of elements, bytes or units of a value: a `usize`.
    pub(super) fn counted(
        &self,
        row: &Row,
        code: &TokenStream,
        shape: &Shape,
    ) -> Able<TokenStream> {
        Ok(match shape {
            Shape::Option(inner) => {
                let inner = self.counted(row, &self.reached(inner, &quote!(x)), inner)?;
                quote!((match #code { rt::Some(x) => #inner, rt::None => 0 }))
            }
            Shape::Boxed(inner) => {
                self.counted(row, &self.reached(inner, &self.unboxed(code)), inner)?
            }
            Shape::List(_) | Shape::Fixed(..) | Shape::Bytes | Shape::Utf16 => quote!(#code.len()),
            Shape::Str => match target(&row.ty) {
                Type::Run(run)
                    if matches!(run.content, Content::Text(Encoding::Ascii | Encoding::Utf8)) =>
                {
                    quote!(#code.len())
                }
                _ => return unable("a count of wide letters"),
            },
            _ => return unable("a count of something else"),
        })
    }
}
