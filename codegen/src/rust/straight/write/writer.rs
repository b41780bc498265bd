//! What functions of the writer are made from, and what they ask of it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::sums::SumRow;
use crate::model::{
    ByteOrder, ByteOrderRule, EndianRule, ExprId, Model, RecordId, RecordKind, Row, RowId, Sizes,
    Type,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::anchors::Anchors;
use crate::rust::straight::check::Checking;
use crate::rust::straight::context::Straight;
use crate::rust::straight::ends::{self, Ends};
use crate::rust::straight::locals::Locals;
use crate::rust::straight::questions::is_here;
use crate::rust::straight::scope::{Access, Frame, Late, Scope};

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Appends the inline rows.
    Put,
    /// Places what is owned.
    Tail,
    /// Both, where the own bytes do not come first.
    Lay,
    /// Runs the pass with this number.
    Pass(u32),
}

/// What becomes of an array with a table beside it, or of such a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Beside {
    /// Zeros are left for the table.
    Filled,
    /// It is remembered where the elements begin.
    Listed,
}

pub(super) enum Function {
    /// It is being written, further out.
    Begun,
    Done(TokenStream),
}

/// Rows that are written in one block at most, those of structs and unions in it included: code for
/// each of them stands where the block is filled, however often a struct is in it.
const MOST_ROWS: u32 = 200;

/// For each record, how many rows are written where it is written, those of all that is in it.
pub(super) struct Weights(Vec<Option<u32>>);

impl Weights {
    pub(super) fn new(model: &Model) -> Weights {
        let mut weights = Weights(vec![None; model.records.len()]);
        for (id, _) in model.records() {
            weights.add(model, id);
        }
        weights
    }

    pub(super) fn add(&mut self, model: &Model, id: RecordId) {
        if self.0[id.index()].is_some() {
            return;
        }
        // What is in itself, in a list, is not in a block.
        self.0[id.index()] = Some(0);
        let mut weight = 0_u32;
        for row in &model.records[id.index()].rows {
            for inner in inline(model, &row.ty) {
                self.add(model, inner);
            }
            weight = weight.saturating_add(1).saturating_add(self.of_type(model, &row.ty));
        }
        self.0[id.index()] = Some(weight);
    }

    pub(super) fn of(&self, id: RecordId) -> u32 {
        self.0[id.index()].unwrap_or(0)
    }

    fn of_type(&self, model: &Model, ty: &Type) -> u32 {
        let all = inline(model, ty);
        all.into_iter().fold(0, |weight, id| weight.saturating_add(self.of(id)))
    }
}

/// Records that are written where a value of a type is.
pub(super) fn inline(model: &Model, ty: &Type) -> Vec<RecordId> {
    match ty {
        Type::Record(id) => vec![*id],
        Type::Union(id) => model.unions[id.index()].records().collect(),
        Type::Array(array) => inline(model, &array.element),
        Type::Region(region) => inline(model, &region.inner),
        Type::PerEpoch(types) => types.iter().flat_map(|ty| inline(model, ty)).collect(),
        _ => Vec::new(),
    }
}

/// What functions of a writer are made from.
pub(super) struct Writer<'s, 'p, 'm> {
    pub(super) straight: &'s Straight<'p, 'm>,
    pub(super) checking: &'s Checking<'s, 'p, 'm>,
    pub(super) model: &'m Model,
    pub(super) sizes: Vec<Sizes<'m>>,
    pub(super) weights: Weights,
    pub(super) functions: RefCell<BTreeMap<(Task, RecordId, bool), Function>>,
    pub(super) failed: RefCell<BTreeSet<(Task, RecordId, bool)>>,
    pub(super) anchors: Anchors,
    /// Arrays that are filled when those beside them are written, and those; by the record, its row
    /// and the layout.
    pub(super) beside: RefCell<BTreeMap<(RecordId, RowId, usize), Beside>>,
    pub(super) late: RefCell<Vec<LateRow>>,
    /// Rows that follow from bytes of the file.
    pub(super) sums: RefCell<Vec<SumRow>>,
    /// Records that ask for their position in the array around them.
    pub(super) indexed: BTreeSet<RecordId>,
    pub(super) has_relocation: bool,
    /// Whether what is still to be placed is counted, since one of several statements places it.
    pub(super) owes: bool,
    /// Whether some terminator is left to what follows.
    pub(super) leaves: bool,
    /// Regions that end at an address, by the record that says it.
    pub(super) ends: RefCell<Vec<(RecordId, ExprId)>>,
    /// Streams of addresses in which bits look for their place.
    pub(super) sets: RefCell<Vec<ExprId>>,
    /// Where the word is whose bits are made, a place in the block at hand; its width in bytes, and
    /// whether its highest byte comes first.
    pub(super) word_at: RefCell<Option<(TokenStream, u8, bool)>>,
    pub(super) locals: Locals,
}

/// A row whose number is stored in the end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LateRow {
    pub(super) record: RecordId,
    pub(super) row: RowId,
    /// The row whose number it is.
    pub(super) said: RowId,
    /// What leads to the record, as in [`Node`].
    pub(super) way: Vec<(RecordId, RowId)>,
    pub(super) big: bool,
}

/// The number of something in a list, which takes it if it does not have it.
pub(super) fn numbered<T: PartialEq>(list: &RefCell<Vec<T>>, of: T) -> usize {
    let mut list = list.borrow_mut();
    list.iter().position(|known| *known == of).unwrap_or_else(|| {
        list.push(of);
        list.len() - 1
    })
}

/// What the writer knows while it writes: no addresses, but it counts steps.
pub(super) struct Counting;

impl Late for Counting {
    fn address(&self, _: &Scope<'_>, _: ExprId) -> Able<TokenStream> {
        unable("an address that is not known yet")
    }

    fn has_addresses(&self) -> bool {
        false
    }

    fn steps(&self, list: &TokenStream) -> Option<TokenStream> {
        Some(quote!(cx.steps(#list.len())?;))
    }
}

/// Code of type `&T`.
#[derive(Debug, Clone)]
pub(super) struct Src {
    /// Of lists and texts, something with `len()` and `iter()`.
    pub(super) code: TokenStream,
    /// What the value around holds.
    pub(super) held: TokenStream,
    /// The shape of T; none if there is no value.
    pub(super) shape: Option<Shape>,
}

impl Src {
    pub(super) fn nothing() -> Src {
        Src { code: quote!(&()), held: quote!(&()), shape: None }
    }
}

/// A node whose rows are written.
#[derive(Clone)]
pub(super) struct Node<'m> {
    pub(super) view: &'m Model,
    pub(super) epoch: usize,
    /// Whether the highest byte of numbers comes first, if they do not say themselves.
    pub(super) big: bool,
    /// The record of which it has been decided that this is its byte order.
    pub(super) decided: Option<RecordId>,
    /// The record of the rows: of the form, if there is one.
    pub(super) id: RecordId,
    /// A reference to the struct that holds them.
    pub(super) value: TokenStream,
    pub(super) scope: Scope<'static>,
    /// Address that offsets of rows count from.
    pub(super) at: TokenStream,
    /// Position in the array around it: a `usize`.
    pub(super) index: Option<TokenStream>,
    /// Structs around, with the rows that hold what is in them, the outermost first: those that are
    /// written by the same function.
    pub(super) way: Vec<(RecordId, RowId)>,
    /// The row that is written, if what is in it is in no array or union and behind no pointer.
    pub(super) row: Option<RowId>,
    /// The position of the element of a row that is written: a `usize`.
    pub(super) element: Option<Ident>,
    /// The level of the type that is written next has been entered, for all elements of an array.
    pub(super) entered: bool,
}

impl<'m> Node<'m> {
    pub(super) fn record(&self) -> &'m crate::model::Record {
        &self.view.records[self.id.index()]
    }

    pub(super) fn row(&self, row: RowId) -> &'m Row {
        &self.record().rows[row.index()]
    }
}

impl<'m> Writer<'_, '_, 'm> {
    /// A name for a local that nothing around has.
    pub(super) fn fresh(&self, kind: &str) -> Ident {
        self.locals.fresh(kind)
    }

    /// Code for each layout, with names of locals that do not depend on what was written before.
    pub(super) fn by_epoch(
        &self,
        mut body: impl FnMut(&'m Model, usize) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        self.straight.by_epoch(|view, epoch| self.locals.apart(|| body(view, epoch)))
    }

    /// Byte order of the file, as far as straight code carries it.
    pub(super) fn big(&self) -> bool {
        matches!(self.model.byte_order, ByteOrderRule::Fixed(ByteOrder::Big))
    }

    /// Byte order inside of a record.
    pub(super) fn order_in(&self, id: RecordId, node: &Node<'m>) -> Able<bool> {
        match &self.model.records[id.index()].endian {
            None => Ok(node.big),
            Some(EndianRule::Fixed(order)) => Ok(*order == ByteOrder::Big),
            Some(EndianRule::Chosen(..)) if node.decided == Some(id) => Ok(node.big),
            Some(EndianRule::Chosen(..)) => unable("a byte order that the file chooses here"),
        }
    }

    /// Code for each byte order that a record may choose, and the choice between them. `make` takes
    /// the node around.
    pub(super) fn by_order(
        &self,
        node: &Node<'m>,
        id: RecordId,
        src: &Src,
        make: &mut dyn FnMut(&Node<'m>) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        let Some(EndianRule::Chosen(rules, otherwise)) = &self.model.records[id.index()].endian
        else {
            return make(node);
        };
        if node.decided == Some(id) {
            return make(node);
        }
        let mut decided = |order: ByteOrder| {
            make(&Node { big: order == ByteOrder::Big, decided: Some(id), ..node.clone() })
        };
        let access = Access::Value(self.argument(id, src));
        let scope = node.scope.within(Frame { record: id, access, at: None, index: None });
        let mut code = match otherwise {
            Some(order) => decided(*order)?,
            None => quote!(return rt::Err(s::Odd);),
        };
        for (condition, order) in rules.iter().rev() {
            let condition = self.straight.truth(&scope, node.view, *condition)?;
            let then = decided(*order)?;
            code = quote!(if #condition { #then } else { #code });
        }
        Ok(code)
    }

    /// The node that the function of a record is about.
    pub(super) fn node(
        &self,
        view: &'m Model,
        epoch: usize,
        big: bool,
        id: RecordId,
        value: TokenStream,
        index: Option<TokenStream>,
    ) -> Node<'m> {
        let mut frames = self.straight.enclosing_frames(id);
        frames.push(Frame {
            record: id,
            access: Access::Value(value.clone()),
            at: Some(quote!(o)),
            index: index.clone(),
        });
        let scope = Scope { frames, it: None, late: Some(&Counting) };
        Node {
            view,
            epoch,
            big,
            decided: Some(id),
            id,
            value,
            scope,
            at: quote!(o),
            index,
            way: Vec::new(),
            row: None,
            element: None,
            entered: false,
        }
    }

    /// The record that holds the rows of another one: forms are in the struct of their case.
    pub(super) fn holder(&self, id: RecordId) -> RecordId {
        match self.model.records[id.index()].kind {
            RecordKind::Form(union, case, _) => {
                self.model.unions[union.index()].cases[case as usize].record
            }
            _ => id,
        }
    }

    /// What a value of a shape is taken from.
    pub(super) fn src(&self, held: TokenStream, shape: Shape) -> Src {
        Src { code: self.straight.reached(&shape, &held), held, shape: Some(shape) }
    }

    /// Type of what functions of a record take.
    pub(super) fn ty(&self, id: RecordId) -> TokenStream {
        let shapes = self.straight.shapes;
        if shapes.is_transparent(id) || shapes.is_typed(id) {
            self.straight.value_ty(id, &quote!('v))
        } else {
            quote!(())
        }
    }

    /// What functions of a record take for a value.
    pub(super) fn argument(&self, id: RecordId, src: &Src) -> TokenStream {
        let shapes = self.straight.shapes;
        match src.shape {
            // A struct that has nothing but spelling is no field, but may be the element of a list.
            None if shapes.is_typed(id) => {
                let ty = self.ty(id);
                quote!((&<#ty>::default()))
            }
            _ if shapes.is_transparent(id) || shapes.is_typed(id) => src.held.clone(),
            _ => quote!(&()),
        }
    }

    /// The field of a row, from the struct around it.
    pub(super) fn field(&self, node: &Node<'m>, row: RowId) -> Option<Src> {
        let holder = self.holder(node.id);
        let shapes = self.straight.shapes;
        let row = if holder == node.id {
            row
        } else {
            let name = node.row(row).name.as_ref()?;
            let rows = &self.model.records[holder.index()].rows;
            let at = rows.iter().position(|r| r.name.as_ref() == Some(name))?;
            RowId(u32::try_from(at).ok()?)
        };
        let field = shapes.field(holder, row)?;
        let value = &node.value;
        if shapes.is_transparent(holder) {
            return Some(self.src(value.clone(), field.shape.clone()));
        }
        if !shapes.is_typed(holder) {
            return None;
        }
        let ident = &field.ident;
        Some(self.src(quote!((&#value.#ident)), field.shape.clone()))
    }

    /// Size in bytes of a type, if it is always the same.
    pub(super) fn size(&self, node: &Node<'m>, ty: &Type) -> Option<u64> {
        self.sizes[node.epoch].of(ty)
    }

    /// The same, if all that is in it has a place that is known before anything is written.
    pub(super) fn block_size(&self, node: &Node<'m>, ty: &'m Type) -> Option<u64> {
        self.size(node, ty).filter(|_| self.is_block(node, ty))
    }

    pub(super) fn is_block(&self, node: &Node<'m>, ty: &Type) -> bool {
        match ty {
            // The size of the room says nothing of what is in it.
            Type::Region(region) => match ends::ends(self.model, region) {
                Ok(Some(Ends::Room(..))) => false,
                Ok(Some(_)) => ends::filling(region).is_some(),
                _ => self.size(node, &region.inner).is_some() && self.is_block(node, &region.inner),
            },
            Type::Array(array) => {
                array.stride.is_none()
                    && (self.size(node, &array.element).is_none()
                        || self.is_block(node, &array.element))
            }
            Type::Record(id) => {
                let rows = &node.view.records[id.index()].rows;
                self.weights.of(*id) <= MOST_ROWS
                    && rows.iter().filter(|row| is_here(row, node.epoch)).all(|row| {
                        self.size(node, &row.ty).is_none() || self.is_block(node, &row.ty)
                    })
            }
            Type::Union(_) => self.weights.of_type(self.model, ty) <= MOST_ROWS,
            _ => true,
        }
    }

    /// The node of a record inside of another node.
    pub(super) fn inside(
        &self,
        node: &Node<'m>,
        id: RecordId,
        src: &Src,
        at: TokenStream,
        index: Option<TokenStream>,
    ) -> Able<Node<'m>> {
        let value = self.argument(id, src);
        let scope = node.scope.within(Frame {
            record: id,
            access: Access::Value(value.clone()),
            at: Some(at.clone()),
            index: index.clone(),
        });
        let big = self.straight.carried(id, None, self.order_in(id, node))?;
        let big = big.unwrap_or(node.big);
        let mut way = Vec::new();
        if let Some(row) = node.row {
            way.clone_from(&node.way);
            way.push((node.id, row));
        }
        Ok(Node {
            id,
            value,
            scope,
            at,
            index,
            way,
            row: None,
            big,
            decided: Some(id),
            element: None,
            entered: false,
            ..node.clone()
        })
    }

    /// Code that gives up if something of a struct is spelled in a way that straight code does not
    /// keep. It keeps widths and digits of numbers in rows, numbers for nothing, bytes without a
    /// meaning, and forms.
    pub(super) fn canonical(&self, id: RecordId, value: &TokenStream) -> TokenStream {
        if !self.is_spelled(id) {
            return quote!();
        }
        let forms = match self.model.records[id.index()].kind {
            RecordKind::Case(union, case) => {
                let forms = &self.model.unions[union.index()].cases[case as usize].forms;
                forms.iter().map(|form| form.record).collect()
            }
            _ => Vec::new(),
        };
        let (mut rows, mut nones) = (Vec::new(), Vec::new());
        for record in std::iter::once(id).chain(forms.iter().copied()) {
            for (row_id, row) in self.model.records[record.index()].numbered_rows() {
                if self.straight.keeps(id, row) {
                    let list = if self.straight.keeps_none(row) { &mut nones } else { &mut rows };
                    list.push(self.straight.shapes.spelling_row(record, row_id));
                }
            }
        }
        let whole = forms.len() > 1;
        if id == self.model.root
            && let Ok(Some((row, _))) = self.straight.kept_pool()
        {
            let spelling = self.straight.spelling(id, value);
            return match rows.is_empty() && nones.is_empty() && !whole {
                true => quote!(s::holds(s::has_only_members(#spelling, #row))?;),
                false => quote!(s::holds(false)?;),
            };
        }
        if rows.is_empty() && nones.is_empty() && !whole {
            let spelling = self.straight.spelling(id, value);
            return quote!(s::holds(#spelling.is_canonical())?;);
        }
        let spelling = self.straight.spelling(id, value);
        quote!(s::holds(s::is_kept(#spelling, &[#(#rows),*], &[#(#nones),*], #whole))?;)
    }

    /// Whether a struct has a field for its spelling.
    pub(super) fn is_spelled(&self, id: RecordId) -> bool {
        let shapes = self.straight.shapes;
        shapes.has_spelling(id) && shapes.is_typed(id) && !shapes.is_transparent(id)
    }

    /// The bytes that a number in digits had in the file: an `Option<&[u8]>`.
    pub(super) fn kept_digits(&self, node: &Node<'m>, row: RowId) -> TokenStream {
        match self.kept_row(node, row) {
            Some((spelling, row)) => quote!(s::stored_digits(#spelling, #row)),
            None => quote!(rt::None),
        }
    }

    /// The spelling that keeps what is unusual about a row, and the row's number there.
    pub(super) fn kept_row(&self, node: &Node<'m>, row: RowId) -> Option<(TokenStream, u16)> {
        self.kept_in_row(node, row).filter(|_| node.element.is_none())
    }

    /// As `kept_row`, and if it is about an element of the row, this one's index is not told apart.
    fn kept_in_row(&self, node: &Node<'m>, row: RowId) -> Option<(TokenStream, u16)> {
        let holder = self.holder(node.id);
        let keeps = self.straight.keeps(holder, node.row(row));
        (keeps && self.is_spelled(holder)).then(|| {
            let number = self.straight.shapes.spelling_row(node.id, row);
            (self.straight.spelling(holder, &node.value), number)
        })
    }

    /// Which of several numbers for nothing a row had in the file, or an element of it, if that is
    /// kept: a `u64`.
    pub(super) fn kept_none(
        &self,
        node: &Node<'m>,
        id: RowId,
        pointer: Option<i128>,
    ) -> Option<TokenStream> {
        let row = node.row(id);
        let kept = self.kept_in_row(node, id).filter(|_| self.straight.keeps_none(row));
        let (spelling, number) = kept?;
        let index = match &node.element {
            Some(index) => quote!(rt::Some(#index)),
            None => quote!(rt::None),
        };
        let all = row.nones(pointer).map(Literal::i128_unsuffixed);
        Some(quote!(s::none_of(#spelling, #number, #index, &[#(#all),*])))
    }

    /// The width that a number of variable width had in the file: an `s::Width`.
    pub(super) fn width(&self, node: &Node<'m>, row: RowId) -> TokenStream {
        if node.element.is_some() || !self.is_spelled(self.holder(node.id)) {
            return quote!(s::Width::SHORTEST);
        }
        let row = self.straight.shapes.spelling_row(node.id, row);
        let spelling = self.straight.spelling(self.holder(node.id), &node.value);
        quote!(s::Width::of(#spelling, #row))
    }
}
