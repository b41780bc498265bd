//! Shared tables: their elements are those of lists elsewhere, which store where they begin.
//!
//! A list that is written leaves a note where its base goes, and a table that is written leaves one
//! for each of its lists, by where the list is in memory. In the end they are brought together, so
//! it does not matter which of the two comes first in the layout.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::array::Starts;
use super::derive::made_name;
use super::spot::{Spot, in_block, position};
use super::writer::{Node, Src, Writer};
use crate::model::{
    ArrayType, Definer, DefinerScope, DefinerSource, ExprId, Home, IntType, Label, Measure, Member,
    Model, Path, RecordId, Role, Row, RowId, RowKind, Start, Step, Storage, Type,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::outline::root_piece;
use crate::rust::straight::questions::target;
use crate::rust::straight::scope::{Frame, It, Place, Scope};
use crate::rust::straight::sight::sight_frame;

impl<'m> Writer<'_, '_, 'm> {
    /// Number of a shared table.
    fn table_number(&self, record: RecordId, row: RowId) -> usize {
        let all = self.model.records().flat_map(|(id, record)| {
            record.numbered_rows().map(move |(row_id, row)| ((id, row_id), row))
        });
        let mut views = all.filter(|(_, row)| matches!(row.role, Role::View { .. }));
        views.position(|(place, _)| place == (record, row)).unwrap_or(usize::MAX)
    }

    /// The array of a shared table, if its elements are the same whoever has them.
    fn table_array(&self, row: &'m Row) -> Able<&'m ArrayType> {
        let Type::Array(array) = target(&row.ty) else {
            return unable("a shared table that is no array");
        };
        if let Type::Record(id) = &array.element {
            // What there is once in a file is around whoever has the element, or nowhere.
            let once = |need: &RecordId| {
                self.straight.way_to(*need).is_some() && self.straight.is_always_around(*need, *id)
            };
            if !self.straight.needs[id.index()].iter().all(once) {
                return unable("elements of a shared table that ask who is around them");
            }
            if self.indexed.contains(id) {
                return unable("elements of a shared table that ask for their position");
            }
            if self.straight.record(*id).owns_objects() {
                return unable("elements of a shared table that own something");
            }
        } else if !matches!(array.element, Type::Cell(_)) {
            return unable("elements of a shared table of another kind");
        }
        if !row.checks.is_empty() || row.unique {
            return unable("a rule for a shared table");
        }
        Ok(array)
    }

    /// The elements of a shared table, where it is written: a `Gathered`.
    pub(super) fn gathered(&self, node: &Node<'m>, id: RowId, row: &'m Row) -> Able<TokenStream> {
        self.table_array(row)?;
        let Role::View { slices, key } = &row.role else { return unable("no shared table") };
        let mut lists = TokenStream::new();
        for path in slices {
            lists.extend(match key {
                None => {
                    self.straight.walk(
                        &node.scope,
                        node.view,
                        path,
                        true,
                        &mut |place| match place {
                            Place::List(list, Some(_)) => Ok(quote!(lists.push((0_i128, #list));)),
                            _ => unable("a shared table of something else than lists"),
                        },
                    )?
                }
                Some(key) => self.keyed(node, path, *key)?,
            });
        }
        let (number, sorted) = (self.table_number(node.id, id), key.is_some());
        Ok(quote!({
            let mut lists: rt::Vec<(i128, &'v rt::Vec<_>)> = rt::Vec::new();
            #lists
            cx.gather(#number, lists, #sorted)?
        }))
    }

    /// The lists that a path leads to, each with its key, which the struct has that holds it.
    fn keyed(&self, node: &Node<'m>, path: &'m Path, key: ExprId) -> Able<TokenStream> {
        let Some((Step::Field(last), before)) = path.steps.split_last() else {
            return unable("a shared table by keys of something else");
        };
        let holders = Path { steps: before.to_vec(), ..path.clone() };
        let list = |frame: &Frame| {
            let found = last.members.iter().find(|(record, _)| *record == frame.record);
            let Some((_, members)) = found else { return Ok(quote!()) };
            let [Member::Row(row)] = members.as_slice() else {
                return unable("a shared table by keys of something else");
            };
            let scope = self.straight.inside_of(&node.scope, frame);
            let rank = self.straight.number(&scope, node.view, key)?;
            self.straight.row_place(node.view, frame, *row, &mut |place| match place {
                Place::List(list, Some(_)) => {
                    Ok(quote!(lists.push(((#rank).unwrap_or(i128::MAX), #list));))
                }
                _ => unable("a shared table of something else than lists"),
            })
        };
        self.straight.walk(&node.scope, node.view, &holders, true, &mut |place| match place {
            Place::Node(frame) => list(&frame),
            Place::List(all, element) => {
                let inner = self.straight.element(&element, quote!(holder), &mut |place| {
                    let Place::Node(frame) = place else {
                        return unable("a shared table of lists in other things");
                    };
                    list(&Frame { index: Some(quote!(number)), ..frame })
                })?;
                Ok(quote!(for (number, holder) in #all.iter().enumerate() { #inner }))
            }
            _ => unable("a shared table of lists in other things"),
        })
    }

    /// How many elements a shared table has: an `i128`.
    pub(super) fn gathered_count(&self, node: &Node<'m>, row: &'m Row) -> Able<TokenStream> {
        let Role::View { slices, .. } = &row.role else { return unable("no shared table") };
        let mut count = TokenStream::new();
        for path in slices {
            count.extend(self.straight.walk(&node.scope, node.view, path, true, &mut |place| {
                match place {
                    Place::List(list, Some(_)) => Ok(quote!(count += #list.len() as i128;)),
                    _ => unable("a shared table of something else than lists"),
                }
            })?);
        }
        Ok(quote!({ let mut count = 0_i128; #count count }))
    }

    /// What a shared table is written from, if that is in this local.
    pub(super) fn gathered_src(&self, name: &Ident, row: &'m Row) -> Able<Src> {
        let shape = match self.straight.shapes.of(&row.ty, row) {
            Shape::Fixed(element, _) => Shape::List(element),
            list @ Shape::List(_) => list,
            _ => return unable("a shared table of another Rust type"),
        };
        Ok(Src { code: quote!(#name), held: quote!(#name), shape: Some(shape) })
    }

    /// A shared table among the rows of its struct, which was gathered before them.
    pub(super) fn put_table(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<TokenStream> {
        let array = self.table_array(row)?;
        if !matches!(row.ty, Type::Array(_)) || !matches!(spot, Spot::End) {
            return unable("a shared table in a block");
        }
        let src = self.gathered_src(&made_name(node.id, id), row)?;
        self.put_array(node, id, row, array, &src, spot, Starts::No)
    }

    /// Code for each list of which a row is the base; it takes the place of that.
    fn based(
        &self,
        node: &Node<'m>,
        id: RowId,
        int: &IntType,
        range: (i128, i128),
    ) -> Able<Vec<impl Fn(&TokenStream) -> TokenStream + use<>>> {
        let row = node.row(id);
        let mut found = Vec::new();
        for definer in &row.definers {
            let Definer {
                scope: DefinerScope::Own,
                source: DefinerSource::Measure { measure: Measure::Base, row: of, factor, offset },
                ..
            } = definer
            else {
                return unable("the base of a list that something else says, too");
            };
            let RowKind::Slice { table, empty_base, unit: 1, .. } = &node.row(*of).kind else {
                return unable("the base of no list");
            };
            let way = self.straight.table(node.id, table)?;
            let Some((table, table_row)) = way.last() else { return unable("no table") };
            let row_of_table = &node.view.records[table.index()].rows[table_row.index()];
            self.takes(row_of_table, node.id, *of)?;
            let table = self.table_number(*table, *table_row);
            let Some(src) = self.field(node, *of) else { return unable("a list in no field") };
            if !matches!(src.shape, Some(Shape::List(_))) {
                return unable("a list of another Rust type");
            }
            let literal = Literal::i128_unsuffixed;
            let other = |name: &str, number: i128, usual: i128| {
                let (name, value) = (format_ident!("{name}"), literal(number));
                (number != usual).then(|| quote!(#name: #value,))
            };
            let any = (i64::MIN.into(), u64::MAX.into());
            let (low, high) = (literal(range.0), literal(range.1));
            let fields = [
                self.is_big(node, int).then(|| quote!(big: true,)),
                int.signed.then(|| quote!(signed: true,)),
                other("factor", *factor, 1),
                other("offset", *offset, 0),
                other("plus", row.plus, 0),
                empty_base.map(literal).map(|number| quote!(empty: rt::Some(#number),)),
                (range != any).then(|| quote!(range: (#low, #high),)),
                (!found.is_empty()).then(|| quote!(again: true,)),
            ];
            let (width, fields) = (int.bytes, fields.into_iter().flatten());
            let cell = quote!(&s::BaseCell { width: #width, #(#fields)* ..s::BaseCell::PLAIN });
            let list = src.held;
            found.push(move |place: &TokenStream| quote!(cx.base(#list, #place, #table, #cell)?;));
        }
        Ok(found)
    }

    /// A table takes the lists that name it, or else their bases follow from nothing.
    fn takes(&self, table: &Row, record: RecordId, slice: RowId) -> Able<()> {
        let Role::View { slices, .. } = &table.role else { return unable("no shared table") };
        let leads = |path: &Path| match path.steps.last() {
            Some(Step::Field(field)) => field.members.iter().any(|(of, members)| {
                *of == record && matches!(members.as_slice(), [Member::Row(row)] if *row == slice)
            }),
            _ => false,
        };
        if slices.iter().any(leads) {
            return Ok(());
        }
        unable("a list that its table does not take")
    }

    /// A row that is the base of a list, if it is one.
    pub(super) fn base_row(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        spot: &Spot,
    ) -> Able<Option<TokenStream>> {
        if !is_base(row) {
            return Ok(None);
        }
        let Type::Cell(crate::model::Cell { storage: Storage::Fixed(int), meaning }) = &row.ty
        else {
            return unable("the base of a list in another number");
        };
        if !matches!(meaning, crate::model::Meaning::Int) || !row.none.is_empty() {
            return unable("the base of a list with another meaning");
        }
        let all = (i128::from(i64::MIN), i128::from(u64::MAX));
        let notes = |place: TokenStream| -> Able<TokenStream> {
            let based = self.based(node, id, int, all)?;
            Ok(based.iter().map(|based| based(&place)).collect())
        };
        Ok(Some(match spot {
            Spot::Block(offset) => notes(position(offset))?,
            Spot::End => in_block(int.bytes.into(), &notes(quote!(at))?),
        }))
    }

    /// Code that remembers where the tag of a case goes, if that is the base of a list; it takes the
    /// place.
    pub(super) fn base_tag(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        int: &IntType,
        labels: &[Label],
    ) -> Able<Option<impl Fn(&TokenStream) -> TokenStream + use<>>> {
        if !is_base(row) {
            return Ok(None);
        }
        let [Label::Range(low, high)] = labels else {
            return unable("the base of a list in a tag with several labels");
        };
        let (low, high) = ((*low).max(i128::from(i64::MIN)), (*high).min(i128::from(u64::MAX)));
        let based = self.based(node, id, int, (low, high))?;
        Ok(Some(move |place: &TokenStream| based.iter().map(|based| based(place)).collect()))
    }

    /// Code that stores the bases, and then looks at what a reader sees in the file: where regions
    /// end, and which bits depend on addresses.
    pub(super) fn seen_at_last(&self) -> Able<TokenStream> {
        let views = self.model.records.iter().flat_map(|record| &record.rows);
        let shared = views.into_iter().any(|row| matches!(row.role, Role::View { .. }));
        let (ends, sets) = (self.ends()?, self.sets()?);
        if !shared && ends.is_empty() && sets.is_empty() {
            return Ok(quote!());
        }
        Ok(quote!(cx.placed()?; #ends #sets))
    }

    /// Code that finds out which elements references count.
    pub(super) fn ranks(&self) -> Able<TokenStream> {
        let straight = self.straight;
        let root = self.model.root;
        if straight.ranks().is_empty() {
            return Ok(quote!());
        }
        self.by_epoch(|view, epoch| {
            let node = self.node(view, epoch, self.big(), root, quote!(v), None);
            let mut tokens = TokenStream::new();
            for (number, (record, (array, filter))) in straight.ranks().into_iter().enumerate() {
                let Some(way) = straight.way_of(record, array) else {
                    return unable("a reference that counts only some of the elements");
                };
                let rooted = straight.path_of(&way, array);
                let found =
                    straight.walk(&node.scope, view, &rooted, false, &mut |place| match place {
                        Place::List(list, Some((ty, shape))) => {
                            let it = It::Value(ty, shape, quote!(x));
                            let scope = Scope { it: Some(it), ..node.scope.clone() };
                            let counts = straight.truth(&scope, view, filter)?;
                            Ok(quote! {
                                for x in #list.iter() { ranks.push(#counts); }
                            })
                        }
                        _ => unable("a reference that counts only some of the elements"),
                    })?;
                tokens.extend(quote! {
                    let mut ranks: rt::Vec<bool> = rt::Vec::new();
                    #found
                    cx.rank(#number, ranks.into_iter());
                });
            }
            Ok(tokens)
        })
    }

    /// Remembers where a region ends that ends at an address.
    pub(super) fn must_end(&self, node: &Node<'m>, end: ExprId) -> Able<TokenStream> {
        let (number, at) = (self.end_number(node, end)?, &node.at);
        Ok(quote!(cx.must_end(#number, #at);))
    }

    /// Remembers the size of a region which began where `begun` says, where addresses say how large it
    /// has to be.
    pub(super) fn must_fill(&self, node: &Node<'m>, size: ExprId) -> Able<TokenStream> {
        let (number, at) = (self.end_number(node, size)?, &node.at);
        Ok(quote!(cx.must_fill(#number, #at, begun);))
    }

    /// The number of what addresses say of a region, which has to be something that can be looked for.
    fn end_number(&self, node: &Node<'m>, end: ExprId) -> Able<usize> {
        self.end_of(node.view, node.id, end)?;
        Ok({
            let mut ends = self.ends.borrow_mut();
            let known = ends.iter().position(|known| *known == (node.id, end));
            known.unwrap_or_else(|| {
                ends.push((node.id, end));
                ends.len() - 1
            })
        })
    }

    fn end_of(&self, view: &'m Model, record: RecordId, end: ExprId) -> Able<TokenStream> {
        let straight = self.straight;
        let sights = super::super::sight::Sights { straight, view, ink: true };
        let mut frames = vec![sight_frame(self.model.root, &quote!(0_u64))];
        if record != self.model.root {
            frames.push(sight_frame(record, &quote!(at)));
        }
        straight.number(&Scope { frames, it: None, late: Some(&sights) }, view, end)
    }

    fn ends(&self) -> Able<TokenStream> {
        let ends = self.ends.borrow().clone();
        if ends.is_empty() {
            return Ok(quote!());
        }
        let arms = self.by_epoch(|view, _| {
            let mut arms = TokenStream::new();
            for (number, (record, end)) in ends.iter().enumerate() {
                // Of another layout.
                let Ok(end) = self.end_of(view, *record, *end) else { continue };
                arms.extend(quote!(#number => #end,));
            }
            let label = root_piece("ends", self.model.root);
            Ok(quote! {
                #label: {
                    for (number, at, end) in cx.take_ends()? {
                        let found: rt::Option<i128> = match number {
                            #arms
                            _ => return rt::Err(s::Odd),
                        };
                        s::holds(found == rt::Some(i128::from(end)))?;
                    }
                }
            })
        })?;
        Ok(arms)
    }

    /// The set of addresses in which a bit looks for the place of its word, if that is what an
    /// expression says: `any(STREAM where it == at(this))`.
    pub(super) fn address_set(&self, expr: ExprId) -> Option<ExprId> {
        use crate::model::{BinaryOp, Expr, StreamFunction};
        let Expr::Stream(StreamFunction::Any, stream, Some(filter)) = &self.model[expr] else {
            return None;
        };
        let Expr::Binary(BinaryOp::Equal, a, b) = &self.model[*filter] else { return None };
        let it = |expr: &ExprId| matches!(&self.model[*expr], Expr::Path(path) if matches!(path.start, Start::It) && path.steps.is_empty());
        let here = |expr: &ExprId| matches!(&self.model[*expr], Expr::At(path) if matches!(path.start, Start::This) && path.steps.is_empty());
        let rooted = |expr: ExprId| {
            let mut all = true;
            self.model.exprs.paths(expr, &mut |path| all &= matches!(path.start, Start::Root));
            all
        };
        ((it(a) && here(b) || it(b) && here(a)) && rooted(*stream)).then_some(*stream)
    }

    /// Number of a set of addresses.
    pub(super) fn set_number(&self, stream: ExprId) -> Able<usize> {
        let mut sets = self.sets.borrow_mut();
        if let Some(known) = sets.iter().position(|known| *known == stream) {
            return Ok(known);
        }
        sets.push(stream);
        Ok(sets.len() - 1)
    }

    fn set_of(&self, view: &'m Model, epoch: usize, stream: ExprId) -> Able<TokenStream> {
        let straight = self.straight;
        let root = self.model.root;
        let node = self.node(view, epoch, self.big(), root, quote!(v), None);
        let sights = super::super::sight::Sights { straight, view, ink: true };
        let scope = Scope { late: Some(&sights), ..node.scope.clone() };
        straight.each(&scope, view, stream, &mut |_, place, _| match place {
            Place::Number(n) => Ok(quote!(found.push(#n);)),
            _ => unable("a set of something else than addresses"),
        })
    }

    fn sets(&self) -> Able<TokenStream> {
        let sets = self.sets.borrow().clone();
        let mut tokens = TokenStream::new();
        for (number, stream) in sets.into_iter().enumerate() {
            tokens.extend(self.by_epoch(|view, epoch| {
                let found = self.set_of(view, epoch, stream)?;
                let label = root_piece("set", self.model.root);
                Ok(quote! {
                    #label: {
                        if cx.asks(#number) {
                            let mut found: rt::Vec<i128> = rt::Vec::new();
                            #found
                            cx.set_flags(#number, found)?;
                        }
                    }
                })
            })?);
        }
        Ok(tokens)
    }
}

/// Whether a row says where a list begins in its table.
pub(super) fn is_base(row: &Row) -> bool {
    matches!(row.role, Role::Derived)
        && row.definers.iter().any(|definer| {
            matches!(definer.source, DefinerSource::Measure { measure: Measure::Base, .. })
        })
}

/// Whether a row is a shared table behind a pointer, in a layout.
pub(super) fn is_led_table(row: &Row, epoch: usize) -> bool {
    let absent = matches!(row.homes.get(epoch), Some(Home::Absent));
    !absent && matches!(row.role, Role::View { .. }) && matches!(row.ty, Type::Pointer(_))
}
