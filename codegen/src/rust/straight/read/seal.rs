//! What the reader looks at itself, and what it cannot vouch for.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::equations::{Equation, Measured, Side, equation};
use super::body::{Work, extent, pool_place};
use super::{Ctx, Reading, number};
use crate::model::visit::{Part, expressions};
use crate::model::{
    ArrayLength, ByteOrder, Content, DefinerScope, DefinerSource, Expr, ExprId, Extent, Home,
    IntType, Linear, Measure, Member, Model, Path, Record, RecordId, Role, Row, RowId, RowKind,
    RunLength, Start, Step, Tag, Target, Type,
};
use crate::rust::mentions::mentions;
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, Unable, unable};
use crate::rust::straight::context::{Flavour, Straight};
use crate::rust::straight::early::early;
use crate::rust::straight::locals::case_name;
use crate::rust::straight::operators::inside;
use crate::rust::straight::pools::PoolText;
use crate::rust::straight::questions::{is_algorithm, is_plain_number, only_row, rows_with_bytes};
use crate::rust::straight::scope::Scope;
use crate::rust::straight::summed::{AtHand, Base, Edge, Summed, distance, plus, summed};

/// Rows that expressions and tags ask for.
pub(super) fn asked(straight: &Straight<'_, '_>) -> BTreeSet<(RecordId, RowId)> {
    let model = straight.model;
    let mut found = BTreeSet::new();
    expressions(model, &mut |_, part| match part {
        Part::Expr(expr) => straight.paths(expr, &mut |path| ask(path, &mut found)),
        Part::Reference(path) | Part::Table(path) => {
            model.exprs.with_subscripts(path, &mut |path| ask(path, &mut found));
        }
    });
    for (id, record) in model.records() {
        for expr in record.lets.iter().map(|l| l.expr).chain(record.arguments.iter().copied()) {
            straight.paths(expr, &mut |path| ask(path, &mut found));
        }
        for row in &record.rows {
            if let Some(union) = row.ty.union()
                && let Tag::Row(tag) = model.unions[union.index()].tag
            {
                found.insert((id, tag));
            }
        }
    }
    found
}

fn ask(path: &Path, found: &mut BTreeSet<(RecordId, RowId)>) {
    for step in &path.steps {
        let Step::Field(field) = step else { continue };
        for (record, way) in &field.members {
            if let [Member::Row(row), ..] | [Member::Into(row), ..] = way.as_slice() {
                found.insert((*record, *row));
            }
        }
    }
}

/// The only row of a record that a path leads to, by nothing but its name.
fn own(path: &Path, record: RecordId) -> Option<RowId> {
    match (&path.start, path.steps.as_slice()) {
        (Start::This | Start::Up(_) | Start::Enclosing(_), [Step::Field(field)]) => {
            only_row(field, record)
        }
        _ => None,
    }
}

/// An expression as a multiple of a row's number, plus something.
fn linear(model: &Model, expr: ExprId, record: RecordId, row: RowId) -> Option<(i128, i128)> {
    let Linear { path, factor, offset, .. } = model.exprs.linear(expr)?;
    (own(path, record) == Some(row)).then_some((factor, offset))
}

/// What an equation says of an address: of which row, and whether of its end.
enum Address {
    Of(RowId, bool),
    FileEnd,
}

impl<'m> Reading<'_, '_, 'm> {
    /// What in the model the reader does not look at, wherever it is, and whether the value depends on
    /// that.
    pub(super) fn general_doubts(&self) -> Vec<(String, bool)> {
        let model = self.model;
        let mut found = Vec::new();
        if !model.relocation.is_empty() {
            found.push(("a relocation table".to_owned(), true));
        }
        for row in model.records.iter().flat_map(|record| &record.rows) {
            let why = match (&row.kind, &row.role) {
                (RowKind::Pool { kept: true, .. }, _) => "a pool whose members are data",
                (RowKind::Pool { .. }, _) if row.when.is_some() => "a pool with a condition",
                (RowKind::Pool { .. }, _) if self.straight.flavour == Flavour::Arena => {
                    "a pool of an arena"
                }
                (RowKind::Mark { .. }, _) => "an address without bytes",
                (RowKind::Slice { .. }, _) | (_, Role::View { .. }) => "a shared table",
                (_, Role::Kept(expr)) if is_algorithm(model, *expr) => {
                    "a table that follows from the value"
                }
                (_, Role::Kept(_)) if !is_plain_number(row) => {
                    "something else than a number that is kept"
                }
                _ => continue,
            };
            found.push((why.to_owned(), !matches!(row.kind, RowKind::Mark { .. })));
        }
        let is_ruled = |id: RecordId, record: &Record| {
            let late = |row: RowId| self.straight.is_ruled_late(self.straight.view(0), id, row);
            record.numbered_rows().any(|(row, _)| late(row))
        };
        if model.records().any(|(id, record)| is_ruled(id, record)) {
            found.push(("a rule for an address".to_owned(), true));
        }
        found
    }

    /// Code that remembers a pool between two addresses, if the reader looks at pools.
    pub(super) fn pool_noted(
        &self,
        ctx: &Ctx<'m>,
        id: RowId,
        row: &'m Row,
        extent: &TokenStream,
    ) -> Option<TokenStream> {
        let RowKind::Pool { always, order, pad, .. } = &row.kind else { return None };
        let noted = || {
            let Type::Array(array) = row.ty.stripped() else {
                return unable("a pool that is no array");
            };
            let place = pool_place(ctx.record);
            let pool = self.straight.pool_here(ctx.record, id, &quote!(#place))?;
            let order = self.straight.pool_order(&self.scope(ctx), ctx.view, order)?;
            let order = self.checked(order)?;
            let is_big = |int: &IntType| int.order.map_or(ctx.big, |order| order == ByteOrder::Big);
            let text = PoolText::of(&array.element)?.tokens(&is_big, *pad);
            Ok(quote!(cx.pool(#pool, #extent, &[#(#always),*], #order, &#text);))
        };
        if !self.is_sealed() {
            return None;
        }
        match noted() {
            Ok(noted) => Some(noted),
            Err(Unable(why)) => {
                self.doubt(&why);
                None
            }
        }
    }

    /// Whether the type of a row has as many elements as another row's number says, which is then
    /// the equation of that number turned round.
    pub(super) fn is_counted_by(
        &self,
        ctx: &Ctx<'m>,
        row: RowId,
        record: RecordId,
        number: RowId,
    ) -> bool {
        self.is_counted(ctx, row, record, number, (1, 0))
    }

    fn is_counted(
        &self,
        ctx: &Ctx<'m>,
        row: RowId,
        record: RecordId,
        number: RowId,
        equation: (i128, i128),
    ) -> bool {
        let row = self.row(ctx, ctx.record, row);
        is_there(ctx, row) && counted(self.model, &row.ty, record, number, equation)
    }

    /// Whether a derived row is what it should be because of how the file is read.
    fn follows(&self, ctx: &Ctx<'m>, id: RowId, source: &DefinerSource) -> bool {
        if self.gives_its_size(ctx, id, source) == Some(true) {
            return true;
        }
        let DefinerSource::Measure { measure, row, factor, offset } = source else { return false };
        let measured = self.row(ctx, ctx.record, *row);
        let here = is_there(ctx, measured);
        let equation = Some((*factor, *offset));
        let number = |expr: ExprId| linear(self.model, expr, ctx.record, id) == equation;
        match (measure, &measured.ty) {
            (Measure::Count, _) => self.is_counted(ctx, *row, ctx.record, id, (*factor, *offset)),
            (Measure::Size, Type::Region(region)) => {
                here && matches!(&region.extent, Extent::Size(size) if number(*size))
            }
            (Measure::End, Type::Region(region)) => {
                here && matches!(&region.extent, Extent::End(end) if number(*end))
            }
            // The arms of the union look at it.
            (Measure::Tag, ty) => ty.one_union().is_some_and(
                |union| matches!(ctx.view.unions[union.index()].tag, Tag::Row(row) if row == id),
            ),
            _ => false,
        }
    }

    /// Whether a number says the size of something that has this size because the number says so: it
    /// is an argument of the struct that a pointer leads to.
    fn gives_its_size(&self, ctx: &Ctx<'m>, id: RowId, source: &DefinerSource) -> Option<bool> {
        let Equation { side: Side::Size, of, factor, offset } = equation(self.model, source)?
        else {
            return None;
        };
        let (first, further) = match &of {
            Measured::Row(row) => (*row, None),
            Measured::Path(path) => {
                let (Start::This, [Step::Field(head), further @ ..]) =
                    (&path.start, path.steps.as_slice())
                else {
                    return None;
                };
                let first = only_row(head, ctx.record)?;
                match further {
                    [] => (first, None),
                    [Step::Field(further)] => (first, Some(further)),
                    _ => return None,
                }
            }
        };
        let row = self.row(ctx, ctx.record, first);
        let Type::Pointer(pointer) = row.ty.stripped() else { return None };
        let kind = &ctx.view.pointers[pointer.kind.index()];
        let may_be_none = !row.none.is_empty() || kind.none.is_some() || row.when.is_some();
        let Type::Record(inner) = pointer.owned()? else { return None };
        if may_be_none || self.straight.owner(*inner) != Some(ctx.record) {
            return None;
        }
        let mut with_bytes =
            rows_with_bytes(&ctx.view.records[inner.index()], ctx.epoch).map(|(id, _)| id);
        let sized = match further {
            Some(field) => {
                let row = only_row(field, *inner)?;
                with_bytes.any(|id| id == row).then_some(row)?
            }
            None => with_bytes.next().filter(|_| with_bytes.next().is_none())?,
        };
        let sized = self.row(ctx, *inner, sized);
        let size = match &sized.ty {
            Type::Region(region) => match region.extent {
                Extent::Size(size) if region.trim.is_none() => size,
                _ => return None,
            },
            Type::Run(run) if run.suffix.is_empty() && run.align.is_none() => match run.length {
                RunLength::Count(count) if matches!(run.content, Content::Bytes) => count,
                _ => return None,
            },
            _ => return None,
        };
        let said = self.model.exprs.linear(size)?;
        let Start::Argument(number) = said.path.start else { return None };
        let argument = *self.straight.record(*inner).arguments.get(number as usize)?;
        let Expr::Path(path) = &self.model[argument] else { return None };
        let plain = matches!(sized.kind, RowKind::Plain) && sized.when.is_none();
        let here = matches!(path.start, Start::This | Start::Enclosing(_));
        let by_it = said.path.steps.is_empty() && here && own(path, ctx.record) == Some(id);
        Some(plain && by_it && (said.factor, said.offset) == (factor, offset))
    }

    fn address(&self, ctx: &Ctx<'m>, source: &DefinerSource) -> Option<Address> {
        let inside = |path: &Path| match path.start {
            Start::This => own(path, ctx.record),
            _ => None,
        };
        match source {
            DefinerSource::Expr(expr) => match &self.model[*expr] {
                Expr::FileEnd => Some(Address::FileEnd),
                Expr::At(path) => Some(Address::Of(inside(path)?, false)),
                Expr::End(path) => Some(Address::Of(inside(path)?, true)),
                _ => None,
            },
            DefinerSource::Measure { measure, row, factor: 1, offset: 0 } => match measure {
                Measure::End => Some(Address::Of(*row, true)),
                Measure::At(base) if self.model.exprs.constant(*base) == Some(0) => {
                    Some(Address::Of(*row, false))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The row whose size in bytes a number says, if its address and end tell the size.
    fn sized_by(&self, ctx: &Ctx<'m>, source: &DefinerSource) -> Option<RowId> {
        let DefinerSource::Measure { measure: Measure::Size, row, .. } = source else {
            return None;
        };
        let there = self.row(ctx, ctx.record, *row);
        let ty = match there.ty.stripped() {
            Type::Pointer(pointer) => pointer.owned()?,
            ty => ty,
        };
        let plain = match ty {
            Type::Record(_) | Type::Array(_) => true,
            Type::Region(region) => {
                region.trim.is_none() && matches!(region.extent, Extent::Size(_))
            }
            _ => false,
        };
        (plain && there.when.is_none()).then_some(*row)
    }

    /// Code that holds a number against the size that it says.
    fn same_size(
        &self,
        work: &Work<'_, 'm>,
        ctx: &Ctx<'m>,
        name: &Ident,
        source: &DefinerSource,
    ) -> Option<TokenStream> {
        let DefinerSource::Measure { factor, offset, .. } = source else { return None };
        let extent = extent(ctx.record, self.sized_by(ctx, source)?);
        if !mentions(&work.code, &extent.to_string()) {
            return None;
        }
        let (factor, offset) = (number(*factor), number(*offset));
        Some(quote! {
            match #extent {
                rt::Some((at, end)) => {
                    let number = s::solved((end - at) as i128, #factor, #offset)?;
                    s::holds(number == rt::Some(#name))?;
                }
                // What is not there has no size.
                rt::None => return rt::Err(s::Odd),
            }
        })
    }

    /// Leaves a number out of the value if the case that was read says it.
    fn given_by_case(&self, work: &mut Work<'_, 'm>, id: RowId, row: &Row) -> Able<()> {
        let Some(field) = work.fields.iter().position(|(known, _)| *known == id) else {
            return Ok(());
        };
        let ctx = work.ctx;
        let mut arms = TokenStream::new();
        let mut of = None;
        for definer in &row.definers {
            let DefinerScope::Case(at, case) = &definer.scope else { continue };
            let Type::Union(union) = self.row(ctx, ctx.record, *at).ty else {
                return unable("a union in an array");
            };
            if *of.get_or_insert(*at) != *at {
                return unable("a number that follows from two unions");
            }
            let record = self.model.unions[union.index()].cases[*case as usize].record;
            let pattern = self.straight.pattern(union, *case, &case_name(record));
            arms.extend(quote!(#pattern => rt::None,));
        }
        let is_union = |at: RowId| matches!((work.wanted)(at), Some(Shape::Choice(_)));
        let of = of.filter(|at| is_union(*at));
        let union = of.and_then(|at| work.fields.iter().find(|(known, _)| *known == at));
        let Some((_, union)) = union else { return unable("a union that is not in the value") };
        let (union, value) = (union.clone(), work.fields[field].1.clone());
        let given = self.local("g");
        work.code.extend(quote!(let #given = match &#union { #arms _ => #value };));
        work.fields[field].1 = quote!(#given);
        Ok(())
    }

    /// Code that holds a number against the bytes of the file that it follows from.
    fn same_sum(
        &self,
        work: &Work<'_, 'm>,
        ctx: &Ctx<'m>,
        id: RowId,
        sum: &Summed,
    ) -> Able<TokenStream> {
        let name = early(ctx.record, id);
        let own = extent(ctx.record, id);
        let is_known = self.known.borrow().contains(&name.to_string());
        if !is_known || !mentions(&work.code, &own.to_string()) {
            return unable("a sum at no plain place");
        }
        let from = self.edge(work, ctx, &sum.from)?;
        let to = self.edge(work, ctx, &sum.to)?;
        let scope = Scope { late: Some(&AtHand), ..self.scope(ctx) };
        let number = self.straight.number(&scope, ctx.view, sum.expr)?;
        Ok(quote! {{
            let bytes: &[u8] = &cx.summed(#from, #to, s::known(#own)?)?;
            s::holds(rt::Some(#name) == #number)?;
        }})
    }

    /// Where bytes begin or end: an `i128`.
    fn edge(&self, work: &Work<'_, 'm>, ctx: &Ctx<'m>, edge: &Edge) -> Able<TokenStream> {
        let address = match edge.base {
            Base::FileBegin => {
                let at = number(edge.plus);
                return Ok(quote!(#at));
            }
            Base::FileEnd => quote!(cx.len() as i128),
            Base::Around(record) => {
                let scope = self.scope(ctx);
                let at = scope.frame_of(record).and_then(|frame| frame.at.clone());
                let sizes = &self.sizes[ctx.epoch];
                let (at, behind) = match at {
                    Some(at) => (quote!(i128::from(#at)), 0),
                    None => match distance(ctx.view, sizes, ctx.epoch, ctx.record, record) {
                        Some(distance) => {
                            let at = &ctx.base;
                            (quote!(#at as i128), distance.into())
                        }
                        None => return unable("bytes from where something around begins"),
                    },
                };
                return Ok(plus(at, edge.plus.saturating_sub(behind)));
            }
            Base::Row(row, end) => {
                let extent = extent(ctx.record, row);
                let there = self.row(ctx, ctx.record, row);
                let plain = there.when.is_none()
                    && there.none.is_empty()
                    && mentions(&work.code, &extent.to_string());
                if !plain {
                    return unable("bytes of the file at no plain row");
                }
                let side = if end { quote!(1) } else { quote!(0) };
                quote!(s::known(#extent)?.#side as i128)
            }
        };
        Ok(plus(address, edge.plus))
    }

    /// What a row follows from, if the row itself says it, and nothing else does. The size or the end of
    /// another row of the struct is a measure, whichever of the two says it: not behind a pointer, where
    /// an expression has nothing to measure in an empty array.
    fn own_source(&self, ctx: &Ctx<'m>, row: &Row) -> Option<DefinerSource> {
        let source = match (&row.role, row.definers.as_slice()) {
            (Role::Kept(expr), _) => DefinerSource::Expr(*expr),
            (_, [definer]) if matches!(definer.scope, DefinerScope::Own) => definer.source.clone(),
            _ => return None,
        };
        if let Some(Equation { side, of: Measured::Path(path), factor, offset }) =
            equation(self.model, &source)
            && matches!(path.start, Start::This)
            && let Some(row) = own(path, ctx.record)
            && let measured = self.row(ctx, ctx.record, row)
            && !matches!(measured.ty.stripped(), Type::Pointer(_))
            && is_there(ctx, measured)
            && let Some(measure) = match side {
                Side::Size => Some(Measure::Size),
                Side::End => Some(Measure::End),
                Side::At => None,
            }
        {
            return Some(DefinerSource::Measure { measure, row, factor, offset });
        }
        Some(source)
    }

    /// Rows that follow from something, or usually do: what does not is left to the engine.
    fn derived(&self, ctx: &Ctx<'m>) -> impl Iterator<Item = (RowId, &'m Row)> + use<'m> {
        let epoch = ctx.epoch;
        ctx.view.records[ctx.record.index()].numbered_rows().filter(move |(_, row)| {
            follows(row) && !matches!(row.homes.get(epoch), Some(Home::Absent))
        })
    }

    /// Rows of a record whose addresses are asked for.
    pub(super) fn extents_asked(&self, ctx: &Ctx<'m>) -> Vec<RowId> {
        let mut found = Vec::new();
        for (id, row) in self.derived(ctx) {
            if let Ok(Some(sum)) = summed(ctx.view, ctx.record, row) {
                if self.doubt.borrow().is_none() {
                    found.push(id);
                    found.extend(sum.rows());
                }
                continue;
            }
            if let Some(source) = self.own_source(ctx, row)
                && !self.follows(ctx, id, &source)
            {
                match self.address(ctx, &source) {
                    Some(Address::Of(row, _)) => found.push(row),
                    _ => found.extend(self.sized_by(ctx, &source)),
                }
            }
        }
        for (id, row) in ctx.view.records[ctx.record.index()].numbered_rows() {
            if self.dictionary_in(&row.ty).is_some() && matches!(row.ty, Type::Pointer(_)) {
                found.push(id);
            }
        }
        self.extents_seen(ctx, &mut found);
        found
    }

    /// Compares numbers with what they follow from.
    pub(super) fn settle(&self, work: &mut Work<'_, 'm>) -> Able<()> {
        let ctx = work.ctx;
        for (_, row) in ctx.view.records[ctx.record.index()].numbered_rows() {
            if matches!(&row.ty, Type::Pointer(pointer) if pointer.none_with.is_some()) {
                self.doubt("a pointer that is none with an array");
            }
        }
        for (id, row) in self.derived(ctx) {
            // What a file has instead of what usually follows is part of the value.
            let is_value = matches!(row.role, Role::Kept(_)) && (work.wanted)(id).is_some();
            let doubt = |why: &str| match is_value {
                true => self.doubt_value(why),
                false => self.doubt(why),
            };
            let cases =
                row.definers.iter().all(|definer| matches!(definer.scope, DefinerScope::Case(..)));
            if cases && !row.definers.is_empty() {
                // The arms of the union look at it.
                self.given_by_case(work, id, row)?;
                continue;
            }
            let (Some(source), name) = (self.own_source(ctx, row), early(ctx.record, id)) else {
                doubt("a number that follows from several things, or something around it");
                continue;
            };
            if self.follows(ctx, id, &source) {
                continue;
            }
            match summed(ctx.view, ctx.record, row) {
                // Otherwise the writer looks at it.
                Ok(Some(_)) if self.doubt.borrow().is_some() => {
                    doubt("a number that follows from bytes of the file");
                    continue;
                }
                Ok(Some(sum)) => {
                    match self.same_sum(work, ctx, id, &sum) {
                        Ok(same) => work.code.extend(same),
                        Err(Unable(why)) => doubt(&why),
                    }
                    continue;
                }
                Ok(None) => {}
                Err(Unable(why)) => {
                    doubt(&why);
                    continue;
                }
            }
            if !self.known.borrow().contains(&name.to_string()) {
                doubt("something else than a number that follows from the value");
                continue;
            }
            // What follows from nothing is stored as zero.
            let nothing = number(-row.plus);
            let compared = match self.address(ctx, &source) {
                Some(Address::FileEnd) => quote!(s::holds(#name == cx.len() as i128)?;),
                Some(Address::Of(row, end)) => {
                    let there = self.row(ctx, ctx.record, row);
                    if there.when.is_some() || !there.none.is_empty() {
                        doubt("the address of what may not be there");
                        continue;
                    }
                    let extent = extent(ctx.record, row);
                    if !mentions(&work.code, &extent.to_string()) {
                        doubt("an address that is not known");
                        continue;
                    }
                    let side = if end { quote!((_, at)) } else { quote!((at, _)) };
                    quote!(s::holds(#name == #extent.map_or(#nothing, |#side| at as i128))?;)
                }
                None => {
                    let DefinerSource::Expr(expr) = &source else {
                        match self.same_size(work, ctx, &name, &source) {
                            Some(same) => work.code.extend(same),
                            None => doubt("a measure"),
                        }
                        continue;
                    };
                    match self.number(ctx, *expr) {
                        Ok(said) => {
                            let said = match inside(&said) {
                                Some(said) => quote!(#said),
                                None => quote!(#said.unwrap_or(#nothing)),
                            };
                            self.deviation(work, id, row, &name, &said)
                                .unwrap_or_else(|| quote!(s::holds(#name == #said)?;))
                        }
                        Err(Unable(why)) => {
                            doubt(&why);
                            continue;
                        }
                    }
                }
            };
            work.code.extend(compared);
        }
        Ok(())
    }

    /// Code that keeps the number of a row beside the one that usually follows, if they differ;
    /// nothing where that is left to the engine.
    fn deviation(
        &self,
        work: &mut Work<'_, 'm>,
        id: RowId,
        row: &'m Row,
        name: &Ident,
        said: &TokenStream,
    ) -> Option<TokenStream> {
        let record = work.ctx.record;
        let field = work.fields.iter().position(|(of, _)| *of == id)?;
        if !self.straight.takes_deviation(record, id, row) {
            return None;
        }
        let kept = self.local("kept");
        work.fields[field].1 = quote!(#kept);
        Some(quote!(let #kept = s::kept(#name, #said)?;))
    }
}

/// Whether a row is in every file of the epoch.
fn is_there(ctx: &Ctx<'_>, row: &Row) -> bool {
    row.when.is_none() && !matches!(row.homes.get(ctx.epoch), Some(Home::Absent))
}

/// Whether a row follows from something, or usually does.
pub(super) fn follows(row: &Row) -> bool {
    matches!(row.role, Role::Derived | Role::Kept(_))
}

/// Whether a type has exactly as many elements as a number says by an equation.
fn counted(
    model: &Model,
    ty: &Type,
    record: RecordId,
    number: RowId,
    equation: (i128, i128),
) -> bool {
    let exact = |expr: ExprId| linear(model, expr, record, number) == Some(equation);
    match ty.stripped() {
        Type::Array(array) => matches!(&array.length, ArrayLength::Count(count) if exact(*count)),
        Type::Run(run) => matches!(&run.length, RunLength::Count(count) if exact(*count)),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) if !pointer.optional => {
                counted(model, target, record, number, equation)
            }
            _ => false,
        },
        _ => false,
    }
}
