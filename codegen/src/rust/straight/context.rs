//! What straight code is made from, and what is asked of it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::able::{Able, Sought, unable};
use super::asked::Asked;
use super::findings::Survey;
use super::locals::is_case_name;
use super::questions::{has_varint, is_digits, is_reserved, word};
use super::scope::{Access, Frame, Placed, Scope};
use super::standing::Standing;
use crate::model::{
    BinaryOp, Cell, Constant, Content, DefinerScope, DefinerSource, EndianRule, Expr, ExprId,
    FloatCode, Form, LengthRule, Meaning, Measure, Model, Owners, Path, Record, RecordId,
    Reference, Role, Row, RowId, RowKind, RunLength, RunType, Start, Storage, Tag, Type, unit_size,
};
use crate::rust::in_arena;
use crate::rust::layouts::Layouts;
use crate::rust::shape::{Shape, Shapes};

/// Why words with rules for their bits are not carried.
pub(super) const RULES_OF_BITS: &str = "rules of bits";

/// Why pools are not carried whose members are data.
pub(super) const KEPT_POOL: &str = "a pool whose members are data";

/// What straight code reads files to, and writes them from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// The ordinary types.
    Values,
    /// Those of an arena: lists, boxes and texts are runs in pools, which are at hand as `arena`.
    Arena,
}

/// What references lead to: an array of the root, perhaps by a field of its elements.
#[derive(Debug, Clone)]
pub(super) struct Goal {
    pub array: Path,
    pub field: Option<String>,
}

impl Goal {
    pub(super) fn is_of(&self, reference: &Reference) -> bool {
        self.array.text == reference.array.text && self.field == reference.field
    }
}

/// What straight code is made from.
pub(super) struct Straight<'p, 'm> {
    pub(super) flavour: Flavour,
    pub shapes: &'p Shapes<'m>,
    pub model: &'m Model,
    /// The model in each epoch.
    pub(super) views: &'m Layouts<'m>,
    /// The layouts that code is made for; files of others are odd.
    pub(super) layouts: Vec<usize>,
    /// Where the numbers are that choose the layout.
    pub(super) epoch_paths: Vec<Path>,
    /// Whether code is made for the elements of a stream.
    pub(super) streaming: std::cell::Cell<bool>,
    /// The layout that code is made for; of none, all.
    pub(super) epoch: std::cell::Cell<Option<usize>>,
    /// What noted references lead to.
    pub(super) goals: Vec<Goal>,
    /// Whether references are noted when they are read.
    pub(super) noting: std::cell::Cell<bool>,
    /// Whether steps through lists are counted.
    pub(super) counting: std::cell::Cell<bool>,
    /// Whether what cannot be said of some cases of a union is left to the engine in these.
    pub(super) leaving: std::cell::Cell<bool>,
    /// Whether code is made for a function of an expression.
    pub(super) asking: std::cell::Cell<bool>,
    /// Numbers of structs that are being written, which follow from where something in it is.
    pub(super) at_hand: std::cell::RefCell<Vec<AtHand>>,
    /// Rows whose places are known, while a table beside them is filled.
    pub(super) placed: std::cell::RefCell<Vec<Placed>>,
    /// Whether a reader looks for numbers of the root where they stand in the file.
    pub(super) sighted: std::cell::Cell<bool>,
    /// Records whose position in the array around them is asked for by what they hold.
    pub(super) positioned: BTreeSet<RecordId>,
    /// How many `let`s are being spelled out.
    pub(super) spelled: std::cell::Cell<u32>,
    /// Expressions that are being worked out from what stands in the file.
    pub(super) sought: Sought,
    /// The functions for `let`s.
    pub(super) asked: Asked,
    /// Records that files may well do without.
    pub(super) rare: Vec<bool>,
    /// Records whose rows hold each record.
    pub(super) owners: Vec<BTreeSet<RecordId>>,
    /// Enclosing records whose values expressions in each record, and in what it holds, look at.
    pub(super) needs: Vec<BTreeSet<RecordId>>,
    /// Rows that an expression or a reference names.
    pub(super) named: BTreeSet<(RecordId, RowId)>,
    /// Rows from whose size a number follows, and what that asks of it.
    pub(super) followed: BTreeMap<(RecordId, RowId), LengthRule>,
    /// In whose nodes arguments are evaluated.
    pub(super) held_by: Owners,
    /// Where the row stands that code is made for.
    pub(super) standing: std::cell::RefCell<Standing>,
    /// For each expression, whether it is about where it is asked.
    pub(super) positions: Vec<bool>,
    /// The same about where the region around ends.
    pub(super) ends: Vec<bool>,
    /// The same about where something is, or where the file ends.
    pub(super) addresses: Vec<bool>,
    /// What cannot be carried is written down, and making code goes on.
    pub(super) survey: Option<Survey>,
}

/// A number that follows from where something is that was written before.
pub(super) struct AtHand {
    pub record: RecordId,
    pub row: RowId,
    /// The struct, as code names it there.
    pub value: String,
    /// The number: an `Option<i128>`.
    pub number: TokenStream,
}

impl<'p, 'm> Straight<'p, 'm> {
    /// Whether the spelling of a struct keeps what is unusual about a row, where that is cheap: the
    /// width of a number, its digits, which of several numbers for nothing it is, or bytes without a
    /// meaning.
    pub(super) fn keeps(&self, record: RecordId, row: &Row) -> bool {
        // Of a root with a pool whose members are data it keeps these.
        let keeps_pool = || record == self.model.root && !matches!(self.kept_pool(), Ok(None));
        self.keeps_width(&row.ty)
            || (is_digits(&row.ty) || is_reserved(row) || self.keeps_none(row)) && !keeps_pool()
    }

    /// Whether it is kept which of several numbers for nothing a row has, or an element of it.
    pub(super) fn keeps_none(&self, row: &Row) -> bool {
        let ty = match &row.ty {
            Type::Array(array) => {
                let plain =
                    array.stride.is_none() && array.described.is_none() && array.in_step.is_none();
                if !plain || self.flavour == Flavour::Arena {
                    return false;
                }
                &array.element
            }
            ty => ty,
        };
        let (cell, kind) = match ty {
            Type::Cell(cell) => (cell, None),
            Type::Pointer(pointer) => {
                let kind = &self.model.pointers[pointer.kind.index()];
                (pointer.cell.as_ref().unwrap_or(&kind.cell), Some(kind))
            }
            _ => return false,
        };
        matches!(cell.storage, Storage::Fixed(_))
            && matches!(cell.meaning, Meaning::Int | Meaning::Enum(_))
            && matches!(row.kind, RowKind::Plain)
            && matches!(row.role, Role::Data | Role::Default(_))
            && row.nones(kind.and_then(|kind| kind.none)).nth(1).is_some()
    }

    /// Whether a number of variable width in a row may take more bytes than it needs.
    fn keeps_width(&self, ty: &Type) -> bool {
        let may_be_longer =
            |cell: &Cell| matches!(cell.storage, Storage::Varint(_)) && self.model.has_forms(cell);
        let mut parts = ty.parts();
        has_varint(ty)
            && parts.any(|part| match part {
                Type::Cell(cell) | Type::Run(RunType { length: RunLength::Prefix(cell), .. }) => {
                    may_be_longer(cell)
                }
                _ => false,
            })
    }

    /// The record of the node that a path begins in, if the schema alone says it.
    pub(super) fn start(&self, path: &Path, at: RecordId) -> Option<RecordId> {
        match &path.start {
            Start::This => Some(at),
            Start::Root => Some(self.model.root),
            Start::Up(levels) => {
                let mut record = at;
                for _ in 0..*levels {
                    record = self.owner(record)?;
                }
                Some(record)
            }
            Start::Enclosing(records) => {
                if records.contains(&at) {
                    return Some(at);
                }
                let around = self.around(at);
                let mut possible = records.iter().filter(|record| around.contains(record));
                let first = possible.next()?;
                possible.next().is_none().then_some(*first)
            }
            Start::It | Start::Argument(_) => None,
        }
    }

    /// The local that has the struct in which a path begins, if that is not always around.
    pub(super) fn perhaps_around<'f>(&self, scope: &'f Scope, path: &Path) -> Option<&'f Ident> {
        let this = scope.frames.last()?;
        match &scope.frame_of(self.start(path, this.record)?)?.access {
            Access::Maybe(local) => Some(local),
            _ => None,
        }
    }

    /// The record that holds a record, if there is only one.
    pub(super) fn owner(&self, record: RecordId) -> Option<RecordId> {
        let owners = &self.owners[record.index()];
        owners.first().filter(|_| owners.len() == 1).copied()
    }

    /// Whether a record is around another one wherever that stands.
    pub(super) fn is_always_around(&self, outer: RecordId, record: RecordId) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![record]);
        while let Some(record) = open.pop().filter(|_| outer != self.model.root) {
            if record == self.model.root {
                return false;
            }
            let owners = self.owners[record.index()].iter().filter(|owner| **owner != outer);
            open.extend(owners.filter(|owner| seen.insert(**owner)));
        }
        true
    }

    /// All records that may be around a record.
    pub(super) fn around(&self, record: RecordId) -> BTreeSet<RecordId> {
        let mut found = BTreeSet::new();
        let mut open = vec![record];
        while let Some(record) = open.pop() {
            for owner in &self.owners[record.index()] {
                if found.insert(*owner) {
                    open.push(*owner);
                }
            }
        }
        found
    }

    /// A record.
    pub fn record(&self, id: RecordId) -> &'m Record {
        &self.model.records[id.index()]
    }

    /// Type of a record's value, which for transparent ones is that of their row.
    pub fn value_ty(&self, id: RecordId, lifetime: &TokenStream) -> TokenStream {
        let shape = self.value_shape(id);
        match self.flavour {
            Flavour::Values => self.shapes.ty_for(&shape, true, lifetime),
            Flavour::Arena => in_arena::ty(self.shapes, &shape, true),
        }
    }

    /// The type of what a pattern binds the value of a case to, by its name.
    pub fn case_ty(&self, name: &str) -> Option<TokenStream> {
        let record = is_case_name(name)?;
        let ty = self.value_ty(record, &quote!('_));
        self.shapes.is_typed(record).then(|| quote!(&#ty))
    }

    /// Shape of a record's value.
    pub fn value_shape(&self, id: RecordId) -> Shape {
        if self.shapes.is_transparent(id) { self.shapes.record(id) } else { Shape::Struct(id) }
    }

    /// Enclosing values that functions of a record take, behind their other parameters; each with a
    /// comma.
    pub fn params(&self, id: RecordId, lifetime: &TokenStream) -> TokenStream {
        let params = self.needs[id.index()].iter().map(|need| {
            let (name, ty) = (enclosing(*need), self.value_ty(*need, &quote!('_)));
            let value = match self.is_always_around(*need, id) {
                true => quote!(#name: &#lifetime #ty,),
                false => quote!(#name: rt::Option<&#lifetime #ty>,),
            };
            let position = self.position_of(*need).map(|position| quote!(#position: usize,));
            quote!(#value #position)
        });
        let arena = self.arena_param(lifetime);
        quote!(#arena #(#params)*)
    }

    /// What to call functions of a record with for [`Straight::params`]; each with a comma.
    pub fn arguments(&self, scope: &Scope, id: RecordId) -> Able<TokenStream> {
        let mut arguments: TokenStream = self.arena_argument().into_iter().collect();
        for need in &self.needs[id.index()] {
            let always = self.is_always_around(*need, id);
            arguments.extend(match scope.frame_of(*need).map(|frame| &frame.access) {
                Some(Access::Value(value)) if always => quote!(#value,),
                Some(Access::Value(value)) => quote!(rt::Some(#value),),
                Some(Access::Maybe(value)) if !always => quote!(#value,),
                None if !always => quote!(rt::None,),
                _ => {
                    return unable(format!(
                        "{} is not at hand in {}",
                        self.record(*need).name,
                        self.record(id).name
                    ));
                }
            });
            if self.position_of(*need).is_some() {
                let index = scope.frame_of(*need).and_then(|frame| frame.index.clone());
                let index = index.unwrap_or(quote!(usize::MAX));
                arguments.extend(quote!(#index,));
            }
        }
        Ok(arguments)
    }

    /// The parameter that has the position of an enclosing record in its array, if what it holds asks
    /// for that.
    fn position_of(&self, record: RecordId) -> Option<Ident> {
        self.positioned.contains(&record).then(|| format_ident!("index__{}", record.0))
    }

    /// The frames of the parameters.
    pub fn enclosing_frames(&self, id: RecordId) -> Vec<Frame> {
        let needs = self.needs[id.index()].iter();
        needs
            .map(|need| {
                let name = enclosing(*need);
                let access = match self.is_always_around(*need, id) {
                    true => Access::Value(quote!(#name)),
                    false => Access::Maybe(name),
                };
                let index = self.position_of(*need).map(|position| quote!(#position));
                Frame { record: *need, access, at: None, index }
            })
            .collect()
    }

    /// The pool whose members are data: the row of the root whose struct holds it, and its row there,
    /// as spellings name them.
    pub(super) fn kept_pool(&self) -> Able<Option<(u16, u16)>> {
        let pools = self.model.records().flat_map(|(id, record)| {
            let rows = record.numbered_rows();
            let kept = rows.filter(|(_, row)| matches!(row.kind, RowKind::Pool { kept: true, .. }));
            kept.map(move |(row, _)| (id, row))
        });
        let pools: Vec<(RecordId, RowId)> = pools.collect();
        let [(id, row)] = pools.as_slice() else {
            return if pools.is_empty() { Ok(None) } else { unable(KEPT_POOL) };
        };
        let root = self.model.root;
        // Of several places, that in the root: the others may have nothing but what is used.
        let holders = self.holders_of_pools();
        let mut holders = holders.iter().filter(|(of, _, pool)| *of == root && pool == id);
        match (holders.next(), holders.next()) {
            (Some((of, object, _)), None)
                if self.shapes.field(root, *object).is_none()
                    && self.shapes.has_spelling(root)
                    && !self.shapes.is_transparent(root)
                    && self.flavour == Flavour::Values =>
            {
                let spelled = |record, row| self.shapes.spelling_row(record, row);
                Ok(Some((spelled(*of, *object), spelled(*id, *row))))
            }
            _ => unable(KEPT_POOL),
        }
    }

    /// Whether nothing in the root is tried both ways.
    pub(super) fn is_plain_root(&self) -> bool {
        let root = self.model.root;
        self.record(root).rows.iter().all(|row| !self.is_tried(root, row))
    }

    /// Whether a row is a truth value about the whole file that reading tries both ways, the usual
    /// one first.
    pub fn is_tried(&self, record: RecordId, row: &Row) -> bool {
        record == self.model.root
            && matches!(row.kind, RowKind::Value { seen: Some(_) })
            && matches!(row.role, Role::Default(Constant::Bool(_)))
    }

    /// Whether some row is the address of an object, so that a reader finds it wherever it is.
    pub fn says_address(&self, record: RecordId, object: RowId) -> bool {
        let definers = self.model.records().flat_map(|(id, of)| {
            let definers = of.rows.iter().flat_map(|row| &row.definers);
            definers.map(move |definer| (id, definer))
        });
        definers.into_iter().any(|(id, definer)| {
            let here = match &definer.scope {
                DefinerScope::Own => id == record,
                DefinerScope::Owner(owner, _) => *owner == record,
                DefinerScope::Case(row, case) => {
                    let union = self.model.records[id.index()].rows[row.index()].ty.union();
                    let cases = union.map(|union| &self.model.unions[union.index()].cases);
                    cases.is_some_and(|cases| cases[*case as usize].record == record)
                }
            };
            let DefinerSource::Measure { measure: Measure::At(_), row, .. } = &definer.source
            else {
                return false;
            };
            here && *row == object
        })
    }

    /// Where a reader looks for an object, an `Option<i128>`: nowhere if its condition does not hold, or
    /// nothing says where it is.
    pub(super) fn object_address(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        row: &Row,
        address: ExprId,
    ) -> Able<TokenStream> {
        let at = self.number_of_some(scope, view, address)?;
        let Some(when) = row.when else { return Ok(at) };
        // Part of the condition of what may not be there.
        let is_found = |expr: ExprId| {
            matches!(&view[expr], Expr::Binary(BinaryOp::GreaterOrEqual, found, least)
                if *found == address && matches!(view[*least], Expr::Int(0)))
        };
        let found = quote!((#at).filter(|at: &i128| *at >= 0));
        let (said, at) = match &view[when] {
            Expr::Binary(BinaryOp::BothTrue, said, last) if is_found(*last) => (*said, found),
            _ if is_found(when) => return Ok(found),
            _ => (when, at),
        };
        let said = self.truth(scope, view, said)?;
        Ok(quote!(if #said { #at } else { rt::None }))
    }

    /// Objects of the root that a reader finds by something else than a number that is their address.
    pub(super) fn found_objects(&self) -> impl Iterator<Item = (RowId, &'m Row)> {
        let root = self.model.root;
        let rows = self.record(root).numbered_rows();
        rows.filter(move |(id, row)| {
            matches!(row.kind, RowKind::Object { .. })
                && (self.shapes.carries(&row.ty) || row.when.is_some())
                && !self.says_address(root, *id)
        })
    }

    /// Rows that have words with rules, where nobody looks at these.
    pub(super) fn rules_of_bits(&self) -> Vec<(RecordId, RowId)> {
        let is_ruled = |ty: &Type| {
            let cell = match ty {
                Type::Union(union) => match &self.model.unions[union.index()].tag {
                    Tag::Own(cell) | Tag::Word(cell) => word(&Type::Cell(cell.clone())),
                    _ => None,
                },
                other => word(other),
            };
            let words = cell.filter(|id| self.shapes.is_typed(*id)).map(|id| self.record(id));
            let mut rows = words.into_iter().flat_map(|word| &word.rows);
            rows.any(|row| !row.checks.is_empty() || row.reference.is_some())
        };
        let rows = self.model.records().flat_map(|(id, record)| {
            record.numbered_rows().map(move |(row_id, row)| (id, row_id, row))
        });
        let held = |id: RecordId, row_id: RowId, row: &Row| {
            let field = self.shapes.field(id, row_id);
            field.is_some_and(|field| !matches!(field.shape, Shape::Kept(_)))
                && matches!(row.kind, RowKind::Plain | RowKind::Object { .. })
                && !row.ty.parts().any(|part| matches!(part, Type::Union(_)) && is_ruled(part))
        };
        rows.filter(|(id, row_id, row)| row.ty.parts().any(is_ruled) && !held(*id, *row_id, row))
            .map(|(id, row_id, _)| (id, row_id))
            .collect()
    }

    pub(super) fn has_no_rules_of_bits(&self) -> Able<()> {
        if self.rules_of_bits().is_empty() { Ok(()) } else { unable(RULES_OF_BITS) }
    }

    /// Whether a record chooses its byte order by the data.
    pub(super) fn is_order_chosen(&self, id: RecordId) -> bool {
        matches!(self.record(id).endian, Some(EndianRule::Chosen(..)))
    }

    /// Code for a case or form, which gives up if that cannot be carried.
    pub fn or_odd(
        &self,
        record: RecordId,
        make: impl FnOnce() -> Able<TokenStream>,
    ) -> TokenStream {
        self.in_case(record, make).unwrap_or_else(|_| quote!(return rt::Err(s::Odd);))
    }
}

impl Straight<'_, '_> {
    /// Values of a case are checked by the rows of the case, so those of its forms have no rules of
    /// their own.
    pub(super) fn must_have_no_rules(&self, form: &Form) -> Able<()> {
        let is_ruled = |row: &Row| !row.checks.is_empty() || row.reference.is_some() || row.unique;
        let record = self.record(form.record);
        if record.rows.iter().any(is_ruled) || !record.checks.is_empty() {
            return unable("a rule in a form");
        }
        Ok(())
    }
}

/// Name of the parameter that holds an enclosing value.
fn enclosing(record: RecordId) -> Ident {
    format_ident!("in__{}", record.0)
}

/// Whether there are texts of a shape that a run cannot have.
pub(super) fn has_not_all(run: &RunType, shape: &Shape) -> bool {
    let Content::Text(encoding) = run.content else { return false };
    let ended = run.suffix.len() == 1 && !matches!(run.length, RunLength::Prefix(_));
    let narrow = *shape.core() == Shape::Utf16 && unit_size(run.content) != 2;
    ended || narrow || !encoding.has_all()
}

/// Whether a cell can store every float of 4 bytes, or of 8.
pub(super) fn says_all(cell: &Cell, single: bool) -> bool {
    let all = |code: FloatCode| code.is_plain() && (single || !code.is_single());
    FloatCode::of(cell).is_none_or(all)
}
