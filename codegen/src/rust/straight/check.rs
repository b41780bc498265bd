//! Rules over finished values: references, checks, lengths that two rows agree on.

mod lengths;
mod whole;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use self::whole::Keys;
use super::able::{Able, Unable, unable};
use super::context::{Flavour, RULES_OF_BITS, Straight};
use super::early::early;
use super::expr::is;
use super::operators::{Typed, compared, comparison, known};
use super::outline::Pieces;
use super::questions::{indexed, target, word};
use super::scope::{Access, Frame, It, Place, Scope};
use crate::model::{
    ArrayLength, BinaryOp, Check, CheckKind, ExprId, Home, Model, Path, RecordId, RecordKind,
    Reference, Role, Row, RowId, RowKind, RunLength, Start, Type, UnionId,
};
use crate::rust::mentions::{count, mentions};
use crate::rust::shape::Shape;

/// The function `check_root` and those that it calls; and for a reader that is sealed `seen_root`,
/// which leaves out what the reader has looked at itself. `checking` is what the writer was made with.
pub(super) fn emit(checking: &Checking<'_, '_, '_>, sealed: bool) -> Able<TokenStream> {
    let all = checking.emit()?;
    let rest = match sealed {
        true => Some(Checking::new(checking.straight, true)?.emit()?),
        false => None,
    };
    Ok(quote!(#all #rest))
}

/// What looks at rules.
pub(super) struct Checking<'s, 'p, 'm> {
    straight: &'s Straight<'p, 'm>,
    /// Whether it is for values that a reader has made.
    seen: bool,
    /// Whether the reader has noted the references of the row at hand.
    noted: Cell<bool>,
    /// Records whose values in lists are looked at elsewhere than with the list.
    pooled: Vec<Pooled<'m>>,
    /// Records with rules, or that hold some.
    busy: BTreeSet<RecordId>,
    /// Records that ask for their position in the array around them.
    indexed: BTreeSet<RecordId>,
    /// Fields of arrays that references name: the path and the field.
    keys: RefCell<Vec<(Path, String)>>,
    /// Arrays of the file that references lead to, and that take a search to be found.
    sought: RefCell<Vec<Path>>,
}

/// A record whose values stand in pools of an arena.
struct Pooled<'m> {
    record: RecordId,
    /// A row that holds a list of them.
    row: &'m Row,
    /// Whether all its rules are those of the cases of one union: then the writer looks at them where
    /// it writes a case. Otherwise they are looked at pool by pool, which is faster than list by list,
    /// but is one more walk.
    by_case: bool,
}

impl<'s, 'p, 'm> Checking<'s, 'p, 'm> {
    /// Finds out which records have rules. `seen` is as in [`Checking::seen`].
    pub(super) fn new(straight: &'s Straight<'p, 'm>, seen: bool) -> Able<Self> {
        let mut checking = Checking {
            straight,
            seen,
            noted: false.into(),
            pooled: Vec::new(),
            busy: BTreeSet::new(),
            indexed: indexed(straight.model, &straight.positioned),
            keys: RefCell::default(),
            sought: RefCell::default(),
        };
        if straight.flavour == Flavour::Arena && !seen {
            checking.pooled = checking.find_pooled();
        }
        // Begins with "nothing is to be checked", and goes on until nothing changes.
        loop {
            let mut found = Vec::new();
            for (id, _) in checking.functions() {
                if !checking.busy.contains(&id) && !checking.body(id)?.is_empty() {
                    found.push(id);
                }
            }
            if found.is_empty() {
                break;
            }
            checking.busy.extend(found);
        }
        for at in 0..checking.pooled.len() {
            checking.pooled[at].by_case = checking.is_by_case(checking.pooled[at].record)?;
        }
        checking.keys.borrow_mut().clear();
        checking.sought.borrow_mut().clear();
        Ok(checking)
    }

    fn emit(&self) -> Able<TokenStream> {
        let straight = self.straight;
        let mut pieces = Pieces::new(straight.model);
        let mut functions = TokenStream::new();
        for (id, _) in self.functions() {
            if self.busy.contains(&id) {
                let function = self.function(id)?;
                functions.extend(pieces.outline(function, &|name| straight.case_ty(name)));
            }
        }
        let pieces = pieces.functions();
        functions.extend(quote!(#(#pieces)*));
        let root = straight.model.root;
        let ty = straight.value_ty(root, &quote!('_));
        let (epochs, epoch) = (straight.epoch_generic(), straight.epoch_argument());
        let (noted, pooled) = (self.noted()?, self.pools()?);
        let (arena, param) = (straight.arena_argument(), straight.arena_param(&quote!()));
        let call = if self.busy.contains(&root) {
            let name = self.function_name(root);
            let index = self.indexed.contains(&root).then(|| quote!(usize::MAX,));
            quote!(#name::<#epoch>(v, keys, #index #arena))
        } else {
            quote!(rt::Ok(()))
        };
        let Keys { items, found, made } = self.keys_struct()?;
        if self.is_within_writing() {
            return Ok(quote! {
                fn keys_of<#epochs>(v: &#ty, #param) -> s::Straight<Keys> {
                    #found
                    rt::Ok(#made)
                }
                /// Whether the rules hold that are not looked at where something is written.
                fn check_all<#epochs>(v: &#ty, keys: &Keys, #param) -> s::Straight<()> {
                    #pooled
                    #call
                }
                #items
                #functions
            });
        }
        let (begin, all) = (self.name("root"), self.name("all"));
        let scan = self.seen.then(|| quote!(cx: &s::Scan<'_>,));
        let body = quote! {
            #found
            let keys = &#made;
            #noted
            #pooled
            #call
        };
        let by_layout = self.by_layout();
        let all = by_layout.is_some().then(|| {
            quote! {
                fn #all<#epochs>(v: &#ty, #param #scan) -> s::Straight<()> {
                    #body
                }
            }
        });
        let body = by_layout.unwrap_or(body);
        Ok(quote! {
            /// Whether the rules of the format hold for a value.
            fn #begin(v: &#ty, #param #scan) -> s::Straight<()> {
                #body
            }
            #all
            #items
            #functions
        })
    }
}

impl<'m> Checking<'_, '_, 'm> {
    /// Name of a function.
    fn name(&self, what: &str) -> Ident {
        format_ident!("{}_{what}", self.verb())
    }

    fn verb(&self) -> &'static str {
        if self.seen { "seen" } else { "check" }
    }

    /// Name of the function of a record.
    fn function_name(&self, id: RecordId) -> Ident {
        format_ident!("{}__{}", self.verb(), id.0)
    }

    /// Name of the type that has sets of keys.
    fn keys_name(&self) -> Ident {
        if self.seen { format_ident!("SeenKeys") } else { format_ident!("Keys") }
    }

    /// Calls the function for the layout that a value has, if there is more than one.
    fn by_layout(&self) -> Option<TokenStream> {
        let (straight, all) = (self.straight, self.name("all"));
        let (arena, cx) = (straight.arena_argument(), self.seen.then(|| quote!(cx,)));
        if !straight.has_epochs() {
            return None;
        }
        let arms = straight.layouts.iter().map(|epoch| {
            let epoch = Literal::usize_unsuffixed(*epoch);
            quote!(#epoch => #all::<#epoch>(v, #arena #cx),)
        });
        Some(quote!(match epoch(v, #arena)? { #(#arms)* _ => rt::Err(s::Odd), }))
    }
}

impl<'m> Checking<'_, '_, 'm> {
    /// Records that have a function: structs.
    fn functions(&self) -> Vec<(RecordId, &'m crate::model::Record)> {
        let (model, shapes) = (self.straight.model, self.straight.shapes);
        // A struct that stands in a form only is perhaps the type of no field.
        let has_values = |id: RecordId| {
            shapes.is_typed(id) || shapes.is_transparent(id) || !shapes.carries(&Type::Record(id))
        };
        let structs = model.records().filter(|(_, of)| matches!(of.kind, RecordKind::Struct));
        structs.filter(|(id, _)| has_values(*id)).collect()
    }

    fn function(&self, id: RecordId) -> Able<TokenStream> {
        let straight = self.straight;
        let body = self.body(id)?;
        let (name, keys) = (self.function_name(id), self.keys_name());
        let ty = straight.value_ty(id, &quote!('_));
        let (epochs, params) = (straight.epoch_generic(), straight.params(id, &quote!()));
        let index = self.indexed.contains(&id).then(|| quote!(index: usize,));
        Ok(quote! {
            fn #name<#epochs>(v: &#ty, keys: &#keys, #index #params) -> s::Straight<()> {
                #body
                rt::Ok(())
            }
        })
    }

    fn body(&self, id: RecordId) -> Able<TokenStream> {
        self.straight.for_rare(id, || {
            let made = self.rules_of(id);
            Ok(self.straight.carried(id, None, made)?.unwrap_or_default())
        })
    }

    fn rules_of(&self, id: RecordId) -> Able<TokenStream> {
        let mut scope = Scope { frames: self.straight.enclosing_frames(id), ..Scope::default() };
        let index = self.indexed.contains(&id).then(|| quote!(index));
        scope.frames.push(Frame { index, ..value_frame(id, quote!(v)) });
        self.straight.by_epoch(|view, epoch| self.rows(&scope, view, epoch))
    }

    /// Rules of the node that a scope is in, and of all that it holds.
    fn rows(&self, scope: &Scope<'_>, view: &'m Model, epoch: usize) -> Able<TokenStream> {
        let Some(frame) = scope.frames.last() else { return unable("no node") };
        let record = &view.records[frame.record.index()];
        let mut tokens = TokenStream::new();
        for (id, row) in record.numbered_rows() {
            if matches!(row.homes.get(epoch), Some(Home::Absent)) {
                continue;
            }
            let made = self.row(scope, view, frame, id, row, epoch);
            tokens.extend(self.straight.carried(frame.record, Some(id), made)?);
        }
        for check in &record.checks {
            let made = self.rule(scope, view, check);
            let span = Some(check.span);
            tokens.extend(self.straight.carried_at(frame.record, None, span, made)?);
        }
        // Nobody has a field for it, where the rules would be looked at.
        let is_struct = matches!(record.kind, RecordKind::Struct) && frame.record != view.root;
        if is_struct && !tokens.is_empty() && !view.carries_data(&Type::Record(frame.record)) {
            let span = record.checks.first().map(|check| check.span);
            let made = unable("a rule in a struct that has no data");
            let made = self.straight.carried_at(frame.record, None, span, made)?;
            return Ok(made.unwrap_or_default());
        }
        Ok(tokens)
    }

    fn row(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        frame: &Frame,
        id: RowId,
        row: &'m Row,
        epoch: usize,
    ) -> Able<TokenStream> {
        let straight = self.straight;
        let mut tokens = TokenStream::new();
        let array = matches!(row.ty.stripped(), Type::Array(_));
        if row.unique && !array && !is_only_element(view, frame.record) {
            return unable("what must all differ, farther in than in elements");
        }
        if let Role::View { .. } = row.role {
            // Those who hold its elements look at the rules.
            return Ok(tokens);
        }
        if let RowKind::Slice { table, .. } = &row.kind
            && let Some(rules) = self.of_table(scope, view, frame, id, (row, table))?
        {
            tokens.extend(rules);
        }
        self.noted.set(self.seen && straight.goal(frame.record, id, row).is_some());
        if let Some(field) = straight.shapes.field(frame.record, id) {
            let Access::Value(value) = &frame.access else { return unable("no value") };
            let ident = &field.ident;
            let inside = if straight.shapes.is_transparent(frame.record) {
                value.clone()
            } else {
                quote!((&#value.#ident))
            };
            if matches!(field.shape, Shape::Kept(_)) {
                // What deviates is taken over as it is, or left to the engine.
                return match row.checks.is_empty() && row.reference.is_none() {
                    true => Ok(tokens),
                    false => unable("a rule for a number with `usually=`"),
                };
            }
            tokens.extend(straight.unwrapped(&field.shape, inside, &mut |shape, value| {
                self.value(scope, view, (frame.record, id), row, shape, &value, epoch)
            })?);
        } else if !row.checks.is_empty() || row.reference.is_some() {
            let made = straight.row_place(view, frame, id, &mut |place| match place {
                Place::Number(number) => self.scalar(scope, view, row, number),
                _ => unable("a rule for something that is no number"),
            });
            // Otherwise the writer looks at them when everything is placed.
            if made.is_ok() || !straight.is_ruled_late(view, frame.record, id) {
                tokens.extend(made?);
            }
        }
        Ok(tokens)
    }

    /// What a shared table says of each element, for a list of it.
    fn of_table(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        frame: &Frame,
        id: RowId,
        (row, table): (&'m Row, &'m Path),
    ) -> Able<Option<TokenStream>> {
        let straight = self.straight;
        let way = straight.table(frame.record, table)?;
        let Some((record, of)) = way.last() else { return Ok(None) };
        let rules = &view.records[record.index()].rows[of.index()];
        if !rules.checks.is_empty() || rules.unique || !row.checks.is_empty() || row.unique {
            return unable("a rule for a shared table");
        }
        let Some(reference) = rules.reference.as_ref().filter(|of| of.filter.is_none()) else {
            return Ok(None);
        };
        let Some(array) = straight.way_of(*record, &reference.array) else {
            return unable("references in a shared table to one of several arrays");
        };
        let array = straight.path_of(&array, &reference.array);
        let reference = Reference { array, ..reference.clone() };
        let rule = self.reference(scope, view, &reference, &quote!(it))?;
        let tested = straight.row_place(view, frame, id, &mut |place| match place {
            Place::List(list, element @ Some(_)) => {
                let each = straight.element(&element, quote!(x), &mut |place| match place {
                    Place::Number(number) => Ok(quote!(let it: i128 = #number; #rule)),
                    _ => unable("references that are no numbers"),
                })?;
                Ok(quote!(for x in #list.iter() { #each }))
            }
            _ => unable("a list of another Rust type"),
        })?;
        Ok(Some(tested))
    }

    #[allow(clippy::too_many_arguments)]
    fn value(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        place: (RecordId, RowId),
        row: &'m Row,
        shape: &Shape,
        value: &TokenStream,
        epoch: usize,
    ) -> Able<TokenStream> {
        let straight = self.straight;
        if let Some(scalar) = straight.scalar(shape, value) {
            let own = match scalar {
                Place::Number(number) => self.scalar(scope, view, row, number)?,
                Place::Truth(truth) => self.scalar(scope, view, row, quote!(i128::from(#truth)))?,
                _ => TokenStream::new(),
            };
            let bits = self.bits(scope, view, &row.ty, shape, value)?;
            let inside = self.record(scope, &row.ty, value, false)?;
            return Ok(quote!(#own #bits #inside));
        }
        let mut tokens = TokenStream::new();
        let ty = target(&row.ty);
        let held = value;
        let value = &match ty {
            Type::Array(_) | Type::Run(_) => straight.reached(shape, value),
            _ => value.clone(),
        };
        match ty {
            Type::Array(array) => {
                if row.unique {
                    return unable("elements that must all differ");
                }
                tokens.extend(self.length(scope, view, place, row, shape, value)?);
                let (Shape::List(inner) | Shape::Fixed(inner, _)) = shape else {
                    return unable("an array of another Rust type");
                };
                if let Type::Record(element) = target(&array.element) {
                    tokens.extend(self.distinct(view, *element, inner, value)?);
                }
                let each = straight.for_element(&array.element, || {
                    straight.unwrapped(inner, quote!(element), &mut |shape, value| {
                        self.inner(scope, view, row, &array.element, shape, &value, epoch, true)
                    })
                })?;
                if !each.is_empty() && !self.is_pooled(&array.element, shape) {
                    let at_once = self.all_below(scope, view, row, (inner, value), &each);
                    let all = at_once.unwrap_or_else(|| match mentions(&each, "i") {
                        true => quote!(for (i, element) in #value.iter().enumerate() { #each }),
                        false => quote!(for element in #value.iter() { #each }),
                    });
                    tokens.extend(match self.level(&array.element) {
                        Some(level) => quote!(if !#value.is_empty() { #level #all }),
                        None => all,
                    });
                }
            }
            Type::Run(_) => {
                tokens.extend(self.rules_of_value(scope, view, row, &row.ty, shape, held)?);
                tokens.extend(self.length(scope, view, place, row, shape, value)?);
            }
            _ => tokens.extend(self.inner(scope, view, row, &row.ty, shape, value, epoch, false)?),
        }
        Ok(tokens)
    }

    /// Code that gives up if a list or text is not as long as its row says.
    pub(super) fn length(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        place: (RecordId, RowId),
        row: &'m Row,
        shape: &Shape,
        value: &TokenStream,
    ) -> Able<TokenStream> {
        if self.seen {
            return Ok(TokenStream::new());
        }
        let (straight, ty) = (self.straight, target(&row.ty));
        let count = match ty {
            Type::Array(array) => match array.length {
                ArrayLength::Count(count) => Some(count),
                _ => None,
            },
            Type::Run(run) => match run.length {
                RunLength::Count(count) if !self.is_own_size(view, place, run, count) => {
                    Some(count)
                }
                _ => None,
            },
            _ => None,
        };
        let is_open = |count: &ExprId| {
            !self.is_trivial(view, place, row, *count) && !straight.is_about_place(*count)
        };
        if let Some(count) = count.filter(is_open) {
            let count = straight.length(scope, view, count)?;
            return Ok(has_length(value, &count).unwrap_or_default());
        }
        let counted = matches!(row.kind, RowKind::Slice { count: Some(_), .. });
        let (Type::Array(array), Shape::List(inner) | Shape::Fixed(inner, _), false) =
            (ty, shape, counted)
        else {
            return Ok(TokenStream::new());
        };
        let ArrayLength::Last(last) = array.length else { return Ok(TokenStream::new()) };
        let it = It::Value(array.element.clone(), (**inner).clone(), quote!(element));
        let scope = Scope { it: Some(it), ..scope.clone() };
        let is_last = straight.truth(&scope, view, last)?;
        Ok(quote! {
            s::holds(!#value.is_empty())?;
            for (at, element) in #value.iter().enumerate() {
                let is_last: bool = #is_last;
                s::holds(is_last == (at + 1 == #value.len()))?;
            }
        })
    }

    /// Enters the level of a type that contains itself: values made by hand may be deeper than any
    /// file.
    fn level(&self, ty: &Type) -> Option<TokenStream> {
        let Type::Record(id) = target(ty) else { return None };
        let recursive = self.straight.record(*id).recursive;
        recursive.then(|| quote!(let _level = keys.depth.enter()?;))
    }

    /// The rules of the record that a type is, which may stand for a number in it; of an element,
    /// `entered`, whose position is in the local `i`.
    fn record(
        &self,
        scope: &Scope<'_>,
        ty: &Type,
        value: &TokenStream,
        entered: bool,
    ) -> Able<TokenStream> {
        let inner = match target(ty) {
            Type::Record(inner) if self.busy.contains(inner) => *inner,
            _ => return Ok(TokenStream::new()),
        };
        let name = self.function_name(inner);
        let arguments = self.straight.arguments(scope, inner)?;
        let epoch = self.straight.epoch_argument();
        let level = if entered { None } else { self.level(ty) };
        let index = self.indexed.contains(&inner).then(|| match entered {
            true => quote!(i,),
            false => quote!(usize::MAX,),
        });
        Ok(quote!({ #level #name::<#epoch>(#value, keys, #index #arguments)?; }))
    }

    /// What is inside of a row or of an element, whose level is `entered`.
    #[allow(clippy::too_many_arguments)]
    fn inner(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        row: &'m Row,
        ty: &'m Type,
        shape: &Shape,
        value: &TokenStream,
        epoch: usize,
        entered: bool,
    ) -> Able<TokenStream> {
        let straight = self.straight;
        if let Some(scalar) = straight.scalar(shape, value) {
            let own = match scalar {
                Place::Number(number) => self.scalar(scope, view, row, number)?,
                _ => TokenStream::new(),
            };
            let bits = self.bits(scope, view, ty, shape, value)?;
            let inside = self.record(scope, ty, value, entered)?;
            return Ok(quote!(#own #bits #inside));
        }
        match target(ty) {
            Type::Record(_) => {
                let inside = self.record(scope, ty, value, entered)?;
                if inside.is_empty() && !row.checks.is_empty() {
                    return unable("a rule for something that is no number");
                }
                Ok(inside)
            }
            Type::Union(union) => self.union(scope, view, *union, value, epoch),
            Type::Array(_) => unable("arrays in arrays"),
            // Elements are as long as the number says that all of them have.
            Type::Run(run) => {
                let mut tokens = self.rules_of_value(scope, view, row, ty, shape, value)?;
                if let (RunLength::Count(count), false) = (&run.length, self.seen) {
                    let value = straight.reached(shape, value);
                    let count = straight.length(scope, view, *count)?;
                    tokens.extend(has_length(&value, &count));
                }
                Ok(tokens)
            }
            // Bits that are a struct, as one of them is no plain number.
            ty if let (Some(id), Shape::Struct(_)) = (word(ty), shape)
                && row.checks.is_empty() =>
            {
                self.rows(&scope.within(value_frame(id, value.clone())), view, epoch)
            }
            // Floats have rules too.
            _ if !row.checks.is_empty() => unable("a rule for something that is no number"),
            _ => Ok(TokenStream::new()),
        }
    }

    fn union(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        union: UnionId,
        value: &TokenStream,
        epoch: usize,
    ) -> Able<TokenStream> {
        let mut arms = TokenStream::new();
        for case in &view.unions[union.index()].cases {
            let Some((pattern, frame)) = self.straight.case_frame(union, case.record) else {
                continue;
            };
            let body = self.straight.in_case(case.record, || {
                if case.whole {
                    // The struct stands for the whole union, and is not inside of the case.
                    let Access::Value(value) = &frame.access else { return unable("no value") };
                    if self.indexed.contains(&case.record) {
                        return unable("the position of a case that stands for its union");
                    }
                    if self.busy.contains(&case.record) {
                        let name = self.function_name(case.record);
                        let arguments = self.straight.arguments(scope, case.record);
                        let epoch = self.straight.epoch_argument();
                        let level = self.level(&Type::Record(case.record));
                        arguments.map(|a| quote!({ #level #name::<#epoch>(#value, keys, #a)?; }))
                    } else {
                        Ok(TokenStream::new())
                    }
                } else {
                    self.rows(&scope.within(frame), view, epoch)
                }
            });
            match body {
                Ok(body) if body.is_empty() => {}
                Ok(body) => arms.extend(quote!(#pattern => { #body })),
                Err(Unable(_)) => arms.extend(quote!(#pattern => return rt::Err(s::Odd),)),
            }
        }
        if arms.is_empty() {
            return Ok(arms);
        }
        Ok(quote!(match #value { #arms _ => {} }))
    }

    /// Rules of a number.
    fn scalar(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        row: &Row,
        number: TokenStream,
    ) -> Able<TokenStream> {
        let mut tokens = TokenStream::new();
        if !row.checks.is_empty() {
            let rules = |it: TokenStream| {
                let scope = Scope { it: Some(It::Number(it)), ..scope.clone() };
                let rules = row.checks.iter().map(|check| self.rule(&scope, view, check));
                rules.collect::<Able<TokenStream>>()
            };
            let named = rules(quote!(it))?;
            tokens.extend(match count(&named, "it") {
                1 => rules(number.clone())?,
                _ => quote!({ let it: i128 = #number; #named }),
            });
        }
        if let Some(reference) = row.reference.as_ref().filter(|_| !self.noted.get()) {
            tokens.extend(self.reference(scope, view, reference, &number)?);
        }
        Ok(tokens)
    }

    /// Rules of the bits of a word.
    fn bits(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        ty: &Type,
        shape: &Shape,
        value: &TokenStream,
    ) -> Able<TokenStream> {
        let (Some(id), Shape::Word(_)) = (word(target(ty)), shape) else {
            return Ok(TokenStream::new());
        };
        let frame = Frame { record: id, access: Access::Early, at: None, index: None };
        let scope = scope.within(frame);
        let rows: Vec<_> = view.records[id.index()].numbered_rows().collect();
        let rules = rows.iter().map(|(row_id, row)| {
            let number = early(id, *row_id);
            self.scalar(&scope, view, row, quote!(#number))
        });
        let rules = rules.collect::<Able<TokenStream>>()?;
        let mut bits = TokenStream::new();
        for (row_id, _) in rows {
            let number = early(id, row_id);
            if mentions(&rules, &number.to_string()) {
                bits.extend(match self.straight.bits_of(id, row_id, &quote!(word))? {
                    Place::Number(bits) => quote!(let #number: i128 = #bits;),
                    Place::Truth(bit) => quote!(let #number = i128::from(#bit);),
                    _ => return unable(RULES_OF_BITS),
                });
            }
        }
        Ok(match rules.is_empty() {
            true => rules,
            false => quote!({ let word = i128::from(#value.0); #bits #rules }),
        })
    }

    fn reference(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        reference: &Reference,
        number: &TokenStream,
    ) -> Able<TokenStream> {
        if reference.filter.is_some() || self.straight.refers_to_nothing(reference) {
            // Of some elements only: the writer has no number for one that does not count.
            return Ok(TokenStream::new());
        }
        if let Some(field) = &reference.field {
            if !matches!(reference.array.start, Start::Root) {
                return unable("a reference to keys of an array that is not the file's own");
            }
            let set = format_ident!("k{}", self.key_set(&reference.array, field));
            return Ok(quote!(s::holds(keys.#set.has(#number))?;));
        }
        if let Some(count) = self.sought_once(scope, &reference.array)? {
            return Ok(quote!(s::holds(keys.#count.is_some_and(|count| (#number) < count))?;));
        }
        let (found, last) = self.referred(scope, view, reference)?;
        if let Some(last) = last {
            return Ok(below(number, &last));
        }
        // Where nothing of this kind is around, the number is only a number.
        let held = match self.straight.perhaps_around(scope, &reference.array) {
            Some(around) => quote!(#around.is_none()),
            None => quote!(false),
        };
        // The way to the array has locals of its own, with names that the number's may have, too.
        Ok(quote!({ let number: i128 = #number; let mut held = #held; #found s::holds(held)?; }))
    }

    /// Code that says in `held` whether a `number` is a position in the array that a reference leads
    /// into; and how many elements that has, if nothing else has to be found for it.
    fn referred(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        reference: &Reference,
    ) -> Able<(TokenStream, Option<TokenStream>)> {
        let mut last = TokenStream::new();
        let mut held = TokenStream::new();
        let found =
            self.straight.walk(scope, view, &reference.array, false, &mut |place| match place {
                Place::List(list, ..) => {
                    last = quote!(#list.len() as i128);
                    held = quote!(held = number < #last;);
                    Ok(held.clone())
                }
                _ => unable("references to something else"),
            })?;
        let is_all = is(&found, &held.to_string());
        Ok((found, is_all.then_some(last)))
    }

    /// The rules of all elements of a list at once, if those of one only say that it is a position in
    /// an array that is at hand.
    fn all_below(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        row: &Row,
        (shape, list): (&Shape, &TokenStream),
        each: &TokenStream,
    ) -> Option<TokenStream> {
        let reference = row.reference.as_ref().filter(|_| matches!(shape, Shape::Index(_)))?;
        let (_, last) = self.referred(scope, view, reference).ok()?;
        let last = last?;
        let number = self.straight.scalar(shape, &quote!(element))?;
        let Place::Number(number) = number else { return None };
        is(each, &below(&number, &last).to_string())
            .then(|| quote!(s::all_below(#list.iter().map(|element| element.number()), #last)?;))
    }

    /// Rules of a value that is no number.
    fn rules_of_value(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        row: &Row,
        ty: &Type,
        shape: &Shape,
        value: &TokenStream,
    ) -> Able<TokenStream> {
        let it = It::Value(ty.clone(), shape.clone(), value.clone());
        let scope = Scope { it: Some(it), ..scope.clone() };
        row.checks.iter().map(|check| self.rule(&scope, view, check)).collect()
    }

    /// The rule that a check says, of what `it` is.
    pub(super) fn rule(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        check: &Check,
    ) -> Able<TokenStream> {
        let straight = self.straight;
        let compare = |op: BinaryOp, expr: ExprId| -> Able<TokenStream> {
            let Some(sign) = comparison(op) else { return unable("a rule of this kind") };
            let stated = straight.typed(scope, view, expr)?;
            let compared = match self.it(scope)? {
                Typed::Text(it) => match stated {
                    Typed::Text(stated) => compared(sign, &it, &stated),
                    _ => return unable("a text that is compared with a number"),
                },
                it => compared(sign, &it.number()?, &stated.number()?),
            };
            match compared {
                Typed::Truth(held) => Ok(known(&held)),
                _ => unable("a rule of this kind"),
            }
        };
        let held = match &check.kind {
            CheckKind::Holds(expr) => straight.truth(scope, view, *expr)?,
            CheckKind::Min(expr) => compare(BinaryOp::GreaterOrEqual, *expr)?,
            CheckKind::Max(expr) => compare(BinaryOp::LessOrEqual, *expr)?,
            CheckKind::Equals(expr) => compare(BinaryOp::Equal, *expr)?,
            CheckKind::OneOf(list) => {
                let each = list.iter().map(|expr| compare(BinaryOp::Equal, *expr));
                let each = each.collect::<Able<Vec<_>>>()?;
                quote!(#(#each)||*)
            }
        };
        if held.to_string() == "true" {
            return Ok(TokenStream::new());
        }
        Ok(quote!(s::holds(#held)?;))
    }

    /// What a rule is about.
    fn it(&self, scope: &Scope<'_>) -> Able<Typed> {
        match &scope.it {
            Some(It::Number(it)) => Ok(Typed::Number(quote!(rt::Some(#it)))),
            Some(It::Value(_, Shape::Str | Shape::Bytes, value)) => {
                Ok(Typed::Text(quote!(rt::Some(s::Chars::chars(#value)))))
            }
            _ => unable("a rule for something that is no number"),
        }
    }

    /// Fields of elements of which no two may be equal.
    fn distinct(
        &self,
        view: &'m Model,
        element: RecordId,
        shape: &Shape,
        value: &TokenStream,
    ) -> Able<TokenStream> {
        let straight = self.straight;
        let mut tokens = TokenStream::new();
        for (id, row) in view.records[element.index()].numbered_rows() {
            if !row.unique || matches!(row.ty.stripped(), Type::Array(_)) {
                continue;
            }
            let push = straight.unwrapped(shape, quote!(element), &mut |_, value| {
                let frame = value_frame(element, value);
                straight.row_place(view, &frame, id, &mut |place| match place {
                    Place::Number(number) => Ok(quote!(found.push(#number);)),
                    _ => unable("texts that must all differ"),
                })
            })?;
            tokens.extend(quote! {
                let mut found: rt::Vec<i128> = rt::Vec::new();
                for element in #value.iter() { #push }
                s::KeySet::new(found.into_iter(), true)?;
            });
        }
        Ok(tokens)
    }
}

impl<'m> Straight<'_, 'm> {
    /// Whether a row has rules and is in no value, and the value does not say what it follows from.
    pub(super) fn is_ruled_late(&self, view: &'m Model, record: RecordId, id: RowId) -> bool {
        let row = &view.records[record.index()].rows[id.index()];
        if row.checks.is_empty()
            || row.reference.is_some()
            || !matches!(row.role, Role::Derived)
            || self.shapes.field(record, id).is_some()
        {
            return false;
        }
        let at_hand = self.at_hand.take();
        let frame = value_frame(record, quote!(v));
        let said = self.row_place(view, &frame, id, &mut |_| Ok(TokenStream::new()));
        self.at_hand.replace(at_hand);
        said.is_err()
    }
}

/// Whether a record is nothing but the element of arrays, in itself.
fn is_only_element(model: &Model, id: RecordId) -> bool {
    let rows = model.records.iter().flat_map(|record| &record.rows);
    let mut holders = rows.filter(|row| model.held(&row.ty).any(|held| held == id));
    matches!(model.records[id.index()].kind, RecordKind::Struct)
        && holders.all(|row| match target(&row.ty) {
            Type::Array(array) => matches!(target(&array.element), Type::Record(of) if *of == id),
            _ => false,
        })
}

fn value_frame(record: RecordId, value: TokenStream) -> Frame {
    Frame { record, access: Access::Value(value), at: None, index: None }
}

/// Whether a list or text has as much as a number says, unless that is its own length.
fn has_length(value: &TokenStream, count: &TokenStream) -> Option<TokenStream> {
    let own = quote!(s::length(rt::Some(#value.len() as i128))?);
    (!is(count, &own.to_string())).then(|| quote!(s::holds(#value.len() == #count)?;))
}

/// Code that gives up unless a number is less than another one.
fn below(number: &TokenStream, last: &TokenStream) -> TokenStream {
    quote!(s::holds((#number) < #last)?;)
}
