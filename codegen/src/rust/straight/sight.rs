//! Numbers that are read where they stand in the file: rows of structs at known addresses, and ways
//! through pointers and arrays to other structs.
//!
//! A reader asks for them before it has come there, and a writer when all is written. Both have what
//! is asked here: `cx.seen`, `cx.leads`.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr as Code, Pat, Stmt};

use super::able::{Able, unable};
use super::context::{KEPT_POOL, Straight};
use super::expr::is;
use super::questions::target;
use super::scope::{Access, Frame, It, Late, Place, Scope};
use crate::model::{
    ArrayLength, ArrayType, DefinerScope, DefinerSource, Expr, ExprId, Home, Measure, Member,
    Model, Path, RecordId, Row, RowId, RowKind, Start, Step, Storage, Target, Type,
};
use crate::print::expr_text;

/// What stands at an address.
pub(super) enum Sight<'m> {
    /// A struct.
    Node(RecordId),
    /// Elements of a type, each of so many bytes; their number is an `Option<i128>`, if it is known.
    Elements(&'m Type, u64, Option<TokenStream>),
    /// A number.
    Cell(&'m crate::model::Cell),
    /// Something else.
    Other,
}

/// Takes what stands at an address, which is a `u64`.
pub(super) type Then<'a, 'm> = &'a mut dyn FnMut(Sight<'m>, TokenStream) -> Able<TokenStream>;

/// How many structs a way may lead through.
const LONGEST: usize = 16;

impl<'m> Straight<'_, 'm> {
    /// The only row that holds a record, if that holds no more than one.
    fn holder(&self, record: RecordId) -> Option<(RecordId, RowId)> {
        let owner = self.owner(record)?;
        let mut found = None;
        for (id, row) in self.record(owner).numbered_rows() {
            let ty = match row.ty.stripped() {
                Type::Pointer(pointer) => pointer.owned().map_or(&row.ty, Type::stripped),
                ty => ty,
            };
            let holds = |ty: &Type| {
                ty.parts().any(|part| matches!(part, Type::Record(of) if *of == record))
            };
            if !holds(&row.ty) {
                continue;
            }
            let once = matches!(ty, Type::Record(of) if *of == record);
            if !once || found.replace((owner, id)).is_some() {
                return None;
            }
        }
        found
    }

    /// The rows that lead from the root to a record, of which a file has no more than one.
    pub(super) fn way_to(&self, record: RecordId) -> Option<Vec<(RecordId, RowId)>> {
        let (mut record, mut way) = (record, Vec::new());
        while record != self.model.root {
            let (owner, row) = self.holder(record).filter(|_| way.len() < LONGEST)?;
            way.push((owner, row));
            record = owner;
        }
        way.reverse();
        Some(way)
    }

    /// The only row that holds a record, which is an array of such or of pointers to them.
    pub(super) fn array_row(&self, record: RecordId) -> Option<(RecordId, RowId)> {
        let owner = self.owner(record)?;
        let mut found = None;
        for (id, row) in self.record(owner).numbered_rows() {
            let mut parts = row.ty.parts();
            if !parts.any(|part| matches!(part, Type::Record(of) if *of == record)) {
                continue;
            }
            let Type::Array(array) = target(&row.ty) else { return None };
            let element = target(&array.element);
            let is_element = matches!(element, Type::Record(of) if *of == record);
            if !is_element || found.replace((owner, id)).is_some() {
                return None;
            }
        }
        found
    }

    /// The layout that code is made for.
    pub(super) fn layout(&self) -> usize {
        self.epoch.get().unwrap_or(0)
    }

    /// Whether the highest byte of numbers comes first, wherever they are.
    fn sight_order(&self) -> Able<bool> {
        use crate::model::{ByteOrder, ByteOrderRule};
        if self.model.records.iter().any(|record| record.endian.is_some()) {
            return unable("numbers that are looked for, in a byte order of their own");
        }
        match self.model.byte_order {
            ByteOrderRule::Fixed(order) => Ok(order == ByteOrder::Big),
            _ => Ok(false),
        }
    }

    /// Runs `then` for what is in a row of the struct at an address.
    pub(super) fn sight_row(
        &self,
        view: &'m Model,
        record: RecordId,
        at: &TokenStream,
        id: RowId,
        then: Then<'_, 'm>,
    ) -> Able<TokenStream> {
        let row = &view.records[record.index()].rows[id.index()];
        if row.when.is_some() || !row.none.is_empty() && matches!(row.ty, Type::Pointer(_)) {
            return unable("the place of what may not be there");
        }
        if let RowKind::Slice { .. } = row.kind {
            return self.sight_slice(view, record, at, row, then);
        }
        let place = match row.homes.get(self.layout()) {
            Some(Home::At(0)) => at.clone(),
            Some(Home::At(home)) => {
                let home = Literal::u64_unsuffixed(*home);
                quote!((#at + #home))
            }
            Some(Home::Next) => self.sight_next(view, record, at, id)?,
            Some(Home::Nowhere) if let RowKind::Object { address, .. } = row.kind => {
                let address = self.sight_number(view, record, at, address)?;
                let inner = self.sight_type(view, record, at, &row.ty, &quote!(led), then)?;
                return Ok(quote!(if let rt::Some(led) = s::address(#address)? { #inner }));
            }
            Some(Home::Absent) | None => return Ok(TokenStream::new()),
            _ => return unable("the place of what has none"),
        };
        let found = self.sight_type(view, record, at, &row.ty, &place, then)?;
        match &row.ty {
            // A number that stands for none has no address.
            Type::Cell(cell) if !row.none.is_empty() => {
                let (number, none) = (self.seen_number(cell, &place)?, &row.none);
                let none = none.iter().map(|none| Literal::i128_unsuffixed(*none));
                Ok(quote!(if ![#(#none),*].contains(&#number) { #found }))
            }
            _ => Ok(found),
        }
    }

    /// The number at an address: an `i128`.
    fn seen_number(&self, cell: &crate::model::Cell, at: &TokenStream) -> Able<TokenStream> {
        let Storage::Fixed(int) = cell.storage else {
            return unable("a number of no fixed width");
        };
        let big = self.sight_order()?;
        let big = int.order.map_or(big, |order| order == crate::model::ByteOrder::Big);
        let (width, signed) = (int.bytes, int.signed);
        Ok(quote!(cx.seen_signed(#at, #width, #big, #signed)?))
    }

    /// Where a row begins that follows others: a `u64`.
    pub(super) fn sight_next(
        &self,
        view: &'m Model,
        record: RecordId,
        at: &TokenStream,
        id: RowId,
    ) -> Able<TokenStream> {
        let of = &view.records[record.index()];
        let layout = self.layout();
        let mut fixed = of.sizes.get(layout).copied().flatten().unwrap_or(0);
        let mut more = TokenStream::new();
        // One of no fixed size may stand last among those with offsets.
        for (_, row) in of.numbered_rows() {
            if let Some(Home::At(home)) = row.homes.get(layout)
                && self.sight_size(&row.ty).is_none()
            {
                fixed = *home;
                more.extend(self.sight_length(view, record, at, row)?);
            }
        }
        for (before, row) in of.numbered_rows() {
            if before == id {
                let fixed = Literal::u64_unsuffixed(fixed);
                return Ok(quote!((#at + #fixed #more)));
            }
            if !matches!(row.homes.get(layout), Some(Home::Next)) {
                continue;
            }
            match self.sight_size(&row.ty).filter(|_| row.when.is_none()) {
                Some(size) => fixed += size,
                None => more.extend(self.sight_length(view, record, at, row)?),
            }
        }
        unable("a row that is not there")
    }

    /// Where a row of a struct begins that follows arrays, in a file that is written, whose numbers
    /// of elements are: a `u64`.
    pub(super) fn sight_behind(
        &self,
        view: &'m Model,
        record: RecordId,
        at: &TokenStream,
        id: RowId,
    ) -> Able<TokenStream> {
        let of = &view.records[record.index()];
        let counted = |row: &Row| match &row.ty {
            Type::Array(array) => match &array.length {
                ArrayLength::Count(count) => match &self.model[*count] {
                    Expr::Path(Path { start: Start::This, steps, .. }) => {
                        let [Step::Field(field)] = steps.as_slice() else { return false };
                        let found = field.members.iter().find(|(other, _)| *other == record);
                        let Some((_, [Member::Row(number)])) =
                            found.map(|(of, members)| (of, members.as_slice()))
                        else {
                            return false;
                        };
                        // It is stored with the rows.
                        of.rows[number.index()].definers.iter().all(|definer| {
                            matches!(
                                definer.source,
                                DefinerSource::Measure { measure: Measure::Count, .. }
                            ) && matches!(definer.scope, DefinerScope::Own)
                        })
                    }
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        };
        let layout = self.layout();
        let varies =
            of.numbered_rows().take_while(|(before, _)| *before != id).filter(|(_, row)| {
                matches!(row.homes.get(layout), Some(Home::At(_) | Home::Next))
                    && self.sight_size(&row.ty).is_none()
            });
        let next = matches!(of.rows[id.index()].homes.get(layout), Some(Home::Next));
        if !next || !varies.into_iter().all(|(_, row)| counted(row)) {
            return unable("a row at an offset that varies");
        }
        self.sight_next(view, record, at, id)
    }

    pub(super) fn sight_size(&self, ty: &Type) -> Option<u64> {
        self.sizes().get(self.layout())?.of(ty)
    }

    /// `+` how many bytes a row has, which is an array.
    fn sight_length(
        &self,
        view: &'m Model,
        record: RecordId,
        at: &TokenStream,
        row: &'m Row,
    ) -> Able<TokenStream> {
        let Type::Array(array) = &row.ty else { return unable("the place of what varies") };
        let (Some(size), None) = (self.sight_size(&array.element), row.when) else {
            return unable("the place of what varies");
        };
        let Some(count) = self.sight_count(view, record, at, array)? else {
            return unable("the place behind elements of no known number");
        };
        let size = Literal::u64_unsuffixed(size);
        Ok(quote!(+ s::many(#count, #size)?))
    }

    /// How many elements an array has: an `Option<i128>`.
    fn sight_count(
        &self,
        view: &'m Model,
        record: RecordId,
        at: &TokenStream,
        array: &'m ArrayType,
    ) -> Able<Option<TokenStream>> {
        let ArrayLength::Count(count) = array.length else { return Ok(None) };
        if array.stride.is_some() || array.described.is_some() {
            return unable("the place of elements that something else says");
        }
        self.sight_number(view, record, at, count).map(Some)
    }

    /// What an expression of the struct at an address gives: an `Option<i128>`.
    fn sight_number(
        &self,
        view: &'m Model,
        record: RecordId,
        at: &TokenStream,
        expr: ExprId,
    ) -> Able<TokenStream> {
        let sights = Sights { straight: self, view, ink: false };
        let scope = Scope { late: Some(&sights), ..self.sight_scope(record, at) };
        self.sought.within(expr, || self.number(&scope, view, expr))
    }

    /// What is at hand in the struct at an address.
    fn sight_scope(&self, record: RecordId, at: &TokenStream) -> Scope<'static> {
        Scope { frames: vec![sight_frame(record, at)], it: None, late: None }
    }

    /// What a value of a type is at a place, in the struct at an address.
    fn sight_type(
        &self,
        view: &'m Model,
        record: RecordId,
        at: &TokenStream,
        ty: &'m Type,
        place: &TokenStream,
        then: Then<'_, 'm>,
    ) -> Able<TokenStream> {
        match ty {
            Type::Region(region) => self.sight_type(view, record, at, &region.inner, place, then),
            Type::Record(inner) => then(Sight::Node(*inner), place.clone()),
            Type::Array(array) => {
                let Some(size) = self.sight_size(&array.element) else {
                    return unable("the place of elements that vary");
                };
                let count = self.sight_count(view, record, at, array)?;
                then(Sight::Elements(&array.element, size, count), place.clone())
            }
            Type::Cell(cell) => then(Sight::Cell(cell), place.clone()),
            Type::Pointer(pointer) => {
                let kind = &view.pointers[pointer.kind.index()];
                let (Target::Own(target), None, Storage::Fixed(int)) =
                    (&pointer.target, &pointer.cell, kind.cell.storage)
                else {
                    return unable("a way through another pointer");
                };
                if int.signed {
                    return unable("a pointer with a sign");
                }
                if kind.unit != 1 {
                    return unable("a pointer in units");
                }
                let big = self.sight_order()?;
                let big = int.order.map_or(big, |order| order == crate::model::ByteOrder::Big);
                let (width, skip) = (int.bytes, Literal::u64_unsuffixed(kind.skip));
                let nones = kind.none.iter().map(|none| Literal::i128_unsuffixed(*none));
                let base = match kind.base {
                    None => quote!(rt::Some(0)),
                    Some(base) => self.sight_number(view, record, at, base)?,
                };
                let inner = self.sight_type(view, record, at, target, &quote!(led), then)?;
                Ok(quote! {
                    if let rt::Some(led) = cx.leads(#place, &s::Leads {
                        width: #width,
                        big: #big,
                        skip: #skip,
                        nones: &[#(#nones),*],
                        base: #base,
                    })? { #inner }
                })
            }
            _ => then(Sight::Other, place.clone()),
        }
    }

    /// Part of a shared table.
    fn sight_slice(
        &self,
        view: &'m Model,
        record: RecordId,
        at: &TokenStream,
        row: &'m Row,
        then: Then<'_, 'm>,
    ) -> Able<TokenStream> {
        let RowKind::Slice { table, base, factor, offset, unit: 1, count: Some(count), .. } =
            &row.kind
        else {
            return unable("the place of a slice without a number of elements");
        };
        let frame = sight_frame(record, at);
        let number = |id: RowId| {
            let mut found = TokenStream::new();
            self.row_place(view, &frame, id, &mut |place| match place {
                Place::Number(number) => {
                    found = number;
                    Ok(TokenStream::new())
                }
                _ => unable("a slice by something that is no number"),
            })?;
            Ok(found)
        };
        let (first, count) = (number(*base)?, number(*count)?);
        let (factor, offset) = (Literal::i128_suffixed(*factor), Literal::i128_suffixed(*offset));
        let way = self.table(record, table)?;
        let inner = self.sight_table(view, &way, &mut |element, size, table| {
            let wide = Literal::u64_unsuffixed(size);
            let place = quote!(place);
            let inner = then(Sight::Elements(element, size, Some(quote!(rt::Some(count)))), place)?;
            Ok(quote! {
                if let rt::Some(place) =
                    s::element_at(#table, #wide, rt::Some(first), rt::Some(i128::MAX))?
                { #inner }
            })
        })?;
        Ok(quote! {{
            let first: i128 = s::known(s::add(
                s::multiply(rt::Some(#first), rt::Some(#factor))?, rt::Some(#offset))?)?;
            let count: i128 = #count;
            #inner
        }})
    }

    /// Runs `then` for the elements of a shared table, with their size and address.
    pub(super) fn sight_table(
        &self,
        view: &'m Model,
        way: &[(RecordId, RowId)],
        then: &mut dyn FnMut(&'m Type, u64, TokenStream) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        self.sight_way(view, way, &mut |sight, at| match sight {
            Sight::Elements(element, size, _) => then(element, size, at),
            _ => unable("a shared table that is no array"),
        })
    }

    /// Runs `then` for what rows lead to, from the root on.
    pub(super) fn sight_way(
        &self,
        view: &'m Model,
        way: &[(RecordId, RowId)],
        then: Then<'_, 'm>,
    ) -> Able<TokenStream> {
        self.sight_rows(view, &quote!(0_u64), way, then)
    }

    fn sight_rows(
        &self,
        view: &'m Model,
        at: &TokenStream,
        way: &[(RecordId, RowId)],
        then: Then<'_, 'm>,
    ) -> Able<TokenStream> {
        let Some(((record, row), rest)) = way.split_first() else {
            return then(Sight::Node(self.model.root), at.clone());
        };
        if rest.is_empty() {
            return self.sight_row(view, *record, at, *row, then);
        }
        self.sight_row(view, *record, at, *row, &mut |sight, at| match sight {
            Sight::Node(_) => self.sight_rows(view, &at, rest, then),
            _ => unable("a way through something else"),
        })
    }

    /// The rows that lead from the root to the shared table of a slice in a record.
    pub(super) fn table(&self, record: RecordId, path: &Path) -> Able<Vec<(RecordId, RowId)>> {
        let path = match path.start {
            Start::Argument(number) if path.steps.is_empty() => {
                let argument = self.record(record).arguments.get(number as usize);
                match argument.map(|argument| &self.model[*argument]) {
                    Some(Expr::Path(path)) if matches!(path.start, Start::Root) => path,
                    _ => return unable("a shared table that is no plain argument"),
                }
            }
            _ => path,
        };
        match self.way_of(record, path) {
            Some(way) if !way.is_empty() => Ok(way),
            _ => unable("a shared table of which there may be several"),
        }
    }

    /// The rows that lead from the root to what a path in a record names, of which a file has no
    /// more than one.
    pub(super) fn way_of(&self, record: RecordId, path: &Path) -> Option<Vec<(RecordId, RowId)>> {
        let mut record = match &path.start {
            Start::Root => self.model.root,
            _ => self.start(path, record)?,
        };
        let mut way = self.way_to(record)?;
        for (number, step) in path.steps.iter().enumerate() {
            let Step::Field(field) = step else { return None };
            let (_, members) = field.members.iter().find(|(of, _)| *of == record)?;
            let [Member::Row(id)] = members.as_slice() else { return None };
            way.push((record, *id));
            if number + 1 < path.steps.len() {
                let row = &self.record(record).rows[id.index()];
                match target(&row.ty) {
                    Type::Record(inner) => record = *inner,
                    _ => return None,
                }
            }
        }
        Some(way)
    }

    /// The members of a pool in the struct at an address: so many, or up to the end of the file.
    pub(super) fn sight_texts(
        &self,
        view: &'m Model,
        record: RecordId,
        id: RowId,
        at: &TokenStream,
        many: Option<ExprId>,
    ) -> Able<TokenStream> {
        let row = &view.records[record.index()].rows[id.index()];
        let place = match row.homes.get(self.layout()) {
            Some(Home::At(home)) => {
                let home = Literal::u64_unsuffixed(*home);
                quote!((#at + #home))
            }
            Some(Home::Next) => self.sight_next(view, record, at, id)?,
            _ => return unable(KEPT_POOL),
        };
        let many = match many {
            None => quote!(rt::None),
            Some(many) => {
                let number = self.number(&self.sight_scope(record, at), view, many)?;
                quote!(rt::Some(s::length(#number)?))
            }
        };
        Ok(quote!(texts = rt::Some(cx.members(#place, #many)?);))
    }

    /// A path that names what rows from the root lead to.
    pub(super) fn path_of(&self, way: &[(RecordId, RowId)], like: &Path) -> Path {
        let steps = way.iter().map(|(record, row)| {
            let name = self.record(*record).rows[row.index()].name.clone().unwrap_or_default();
            Step::Field(crate::model::Field {
                name,
                members: vec![(*record, vec![Member::Row(*row)])],
            })
        });
        Path { start: Start::Root, steps: steps.collect(), text: like.text.clone() }
    }

    /// A row of a struct at an address.
    pub(super) fn seen_place(
        &self,
        view: &'m Model,
        record: RecordId,
        at: &TokenStream,
        id: RowId,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        use crate::model::Meaning;
        let row = &view.records[record.index()].rows[id.index()];
        self.sight_row(view, record, at, id, &mut |sight, at| match sight {
            Sight::Node(inner) => then(Place::Node(sight_frame(inner, &at))),
            Sight::Cell(cell) => {
                let number = self.seen_number(cell, &at)?;
                let plus = Literal::i128_suffixed(row.plus);
                match cell.meaning {
                    Meaning::Bool { .. } => then(Place::Truth(quote!((#number != 0)))),
                    Meaning::Int | Meaning::Enum(_) if row.plus == 0 => then(Place::Number(number)),
                    Meaning::Int | Meaning::Enum(_) => {
                        then(Place::Number(quote!((#number - #plus))))
                    }
                    Meaning::Word(word) => then(Place::Word(word, number)),
                    Meaning::Float(_) => unable("a float that is looked for"),
                }
            }
            _ => unable("something else than a number that is looked for"),
        })
    }
}

/// A struct at an address.
pub(super) fn sight_frame(record: RecordId, at: &TokenStream) -> Frame {
    let access = Access::Seen(at.clone());
    Frame { record, access, at: Some(at.clone()), index: None }
}

/// The number that code finds in one step, if it does nothing else than
/// `if let rt::Some(at) = … { found = rt::Some(i128::from(at)); }`.
fn found_at_once(code: &TokenStream) -> Option<TokenStream> {
    let Ok(Stmt::Expr(Code::If(step), _)) = syn::parse2(code.clone()) else { return None };
    let (Code::Let(some), [Stmt::Expr(Code::Assign(found), Some(_))], None) =
        (&*step.cond, &step.then_branch.stmts[..], &step.else_branch)
    else {
        return None;
    };
    let Pat::TupleStruct(pattern) = &*some.pat else { return None };
    let at = pattern.elems.first()?;
    let (found, option) = (found.to_token_stream(), &some.expr);
    is(&found, &quote!(found = rt::Some(i128::from(#at))).to_string())
        .then(|| quote!(#option.map(i128::from)))
}

/// Addresses that are found by following numbers in the file.
pub(super) struct Sights<'a, 'p, 'm> {
    pub straight: &'a Straight<'p, 'm>,
    pub view: &'m Model,
    /// Whether the file is one that is written.
    pub ink: bool,
}

impl Late for Sights<'_, '_, '_> {
    fn address(&self, scope: &Scope<'_>, expr: ExprId) -> Able<TokenStream> {
        self.straight.sight_at(scope, self.view, expr)
    }

    fn follows_ink(&self) -> bool {
        self.ink
    }
}

impl<'m> Straight<'_, 'm> {
    /// The address of what a path leads to, or behind that: an `Option<i128>`.
    pub(super) fn sight_at(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        side: ExprId,
    ) -> Able<TokenStream> {
        let not_known =
            || unable(format!("`{}` where that is not known yet", expr_text(self.model, side)));
        let (path, is_end) = match &self.model[side] {
            Expr::FileEnd if scope.late.is_some_and(|late| late.follows_ink()) => {
                return Ok(quote!(rt::Some(i128::from(cx.here()))));
            }
            Expr::At(path) => (path, false),
            Expr::End(path) => (path, true),
            _ => return not_known(),
        };
        let found = self.sight_path(scope, view, path, &mut |sight, at| {
            let size = match sight {
                _ if !is_end => return Ok(quote!(found = rt::Some(i128::from(#at));)),
                Sight::Node(record) => self.sight_size(&Type::Record(record)),
                Sight::Cell(cell) => self.sight_size(&Type::Cell(cell.clone())),
                Sight::Elements(..) | Sight::Other => None,
            };
            let Some(size) = size.map(Literal::u64_unsuffixed) else { return not_known() };
            Ok(quote!(found = rt::Some(i128::from(#at + #size));))
        })?;
        Ok(match found_at_once(&found) {
            Some(found) => found,
            None => quote!({ let mut found: rt::Option<i128> = rt::None; #found found }),
        })
    }

    fn sight_path(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        path: &Path,
        then: Then<'_, 'm>,
    ) -> Able<TokenStream> {
        let not_known = || unable(format!("`at({})` where that is not known yet", path.text));
        let start = match (&path.start, scope.frames.last()) {
            (Start::Root, _) => Some(self.model.root),
            (_, Some(this)) => self.start(path, this.record),
            _ => None,
        };
        let Some(start) = start else { return not_known() };
        let seen = scope.frame_of(start).and_then(|frame| match &frame.access {
            Access::Seen(at) => Some(at.clone()),
            _ => None,
        });
        if let Some(at) = seen {
            return self.sight_steps(scope, view, Sight::Node(start), at, &path.steps, then);
        }
        let Some(way) = self.way_to(start) else { return not_known() };
        self.sight_way(view, &way, &mut |sight, at| {
            self.sight_steps(scope, view, sight, at, &path.steps, then)
        })
    }

    fn sight_steps(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        sight: Sight<'m>,
        at: TokenStream,
        steps: &[Step],
        then: Then<'_, 'm>,
    ) -> Able<TokenStream> {
        let Some((step, rest)) = steps.split_first() else { return then(sight, at) };
        match (step, sight) {
            (Step::Field(field), Sight::Node(record)) => {
                let found = field.members.iter().find(|(of, _)| *of == record);
                let Some((_, members)) = found else { return Ok(TokenStream::new()) };
                let [Member::Row(row)] = members.as_slice() else {
                    return unable("the place of something that is no row");
                };
                self.sight_row(view, record, &at, *row, &mut |sight, at| {
                    self.sight_steps(scope, view, sight, at, rest, then)
                })
            }
            (Step::Index(_) | Step::Last, Sight::Node(record)) => {
                let Some(row) = self.record(record).transparent else {
                    return unable("the place of an element of no array");
                };
                self.sight_row(view, record, &at, row, &mut |sight, at| match sight {
                    Sight::Elements(..) => self.sight_steps(scope, view, sight, at, steps, then),
                    _ => unable("the place of an element of no array"),
                })
            }
            (Step::Index(number), Sight::Elements(element, size, count)) => {
                let index = self.number(scope, view, *number)?;
                // That there is a first one is for the bytes to say.
                let first = self.model.exprs.constant(*number) == Some(0);
                let Some(count) = count.or(first.then(|| quote!(rt::Some(1)))) else {
                    return unable("the place of an element of nobody knows how many");
                };
                let size = Literal::u64_unsuffixed(size);
                let root = self.model.root;
                let inner = self.sight_type(
                    view,
                    root,
                    &quote!(0_u64),
                    element,
                    &quote!(place),
                    &mut |sight, at| self.sight_steps(scope, view, sight, at, rest, then),
                )?;
                Ok(quote! {
                    if let rt::Some(place) = s::element_at(#at, #size, #index, #count)? { #inner }
                })
            }
            _ => unable("the place of something else"),
        }
    }
}

/// What filtered references lead to: an array, by its path, and the elements that count.
pub(super) type Ranks<'m> = (&'m Path, ExprId);

impl<'m> Straight<'_, 'm> {
    /// All arrays of which references count only some elements.
    pub(super) fn ranks(&self) -> Vec<(RecordId, Ranks<'m>)> {
        let mut all: Vec<(RecordId, Ranks<'m>)> = Vec::new();
        for (id, record) in self.model.records() {
            for reference in record.rows.iter().filter_map(|row| row.reference.as_ref()) {
                let Some(filter) = reference.filter else { continue };
                if self.rank_number(&all, &reference.array, filter).is_none() {
                    all.push((id, (&reference.array, filter)));
                }
            }
        }
        all
    }

    fn rank_number(
        &self,
        all: &[(RecordId, Ranks<'m>)],
        array: &Path,
        filter: ExprId,
    ) -> Option<usize> {
        all.iter().position(|(_, (known, of))| known.text == array.text && *of == filter)
    }

    /// The number of what a filtered reference leads to.
    pub(super) fn rank_of(&self, reference: &crate::model::Reference) -> Able<Option<usize>> {
        let Some(filter) = reference.filter else { return Ok(None) };
        match self.rank_number(&self.ranks(), &reference.array, filter) {
            Some(number) => Ok(Some(number)),
            None => unable("a reference that counts only some of the elements"),
        }
    }

    /// Code of a reader that finds out which elements references count.
    pub(super) fn seen_ranks(&self, view: &'m Model) -> Able<TokenStream> {
        let mut tokens = TokenStream::new();
        for (number, (record, (array, filter))) in self.ranks().into_iter().enumerate() {
            let Some(way) = self.way_of(record, array) else {
                return unable(
                    "a reference that counts only some elements of one of several arrays",
                );
            };
            let found = self.sight_way(view, &way, &mut |sight, at| {
                let Sight::Elements(element, size, Some(count)) = sight else {
                    return unable("a reference that counts only some of the elements");
                };
                let it = match element {
                    Type::Record(inner) => It::Node(sight_frame(*inner, &quote!(element))),
                    Type::Cell(cell)
                        if matches!(
                            cell.meaning,
                            crate::model::Meaning::Int | crate::model::Meaning::Enum(_)
                        ) =>
                    {
                        It::Number(self.seen_number(cell, &quote!(element))?)
                    }
                    _ => return unable("a reference that counts only some of the elements"),
                };
                let sights = Sights { straight: self, view, ink: false };
                let root = sight_frame(self.model.root, &quote!(0_u64));
                let scope = Scope { frames: vec![root], it: Some(it), late: Some(&sights) };
                let counts = self.truth(&scope, view, filter)?;
                let size = Literal::u64_unsuffixed(size);
                Ok(quote! {
                    let count = s::length(#count)?;
                    cx.charge(count)?;
                    let mut element: u64 = #at;
                    for index in 0..count {
                        if #counts { found.push(s::known(u32::try_from(index).ok())?); }
                        element += #size;
                    }
                })
            })?;
            tokens.extend(quote! {
                let mut found: rt::Vec<u32> = rt::Vec::new();
                #found
                cx.rank(#number, found);
            });
        }
        Ok(tokens)
    }
}
