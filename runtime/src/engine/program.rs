//! A model, prepared for reading and writing.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::engine::item::{Blob, From};
use crate::engine::plan::{bodies, plans, Direction, Plan};
use crate::model::visit::{expressions, Part};
use crate::model::{
    ArrayType, Cell, EndianRule, EpochId, Expr, ExprId, Extent, Label, LengthRule, Member, Model,
    Owners, Path, RecordId, RecordKind, Role, Row, RowId, RowKind, RunLength, RunType, Signature,
    Start, Step, Storage, Tag, Terminated, Type, Union,
};
use crate::once::Once;
use crate::options::ReadOptions;

/// A model, prepared for reading and writing: its layouts, and what is known of them before any
/// file is looked at.
#[derive(Debug)]
pub struct Program {
    model: Model,
    /// One for each epoch, when it is needed.
    layouts: Vec<Once<Layout>>,
    /// What the first bytes of a file must be, when one is refused.
    signature: Once<Signature>,
    /// Runs something with enough of the stack.
    pub(crate) grow: Option<Grow>,
    /// What writing may cost.
    pub(crate) writing: ReadOptions,
}

/// Calls what it is given once, with a stack of which some hundred kilobytes are left.
pub type Grow = fn(&mut dyn FnMut());

impl Program {
    /// Prepares a model.
    #[must_use]
    pub fn new(model: Model) -> Program {
        let layouts = model.epochs.iter().map(|_| Once::new()).collect();
        let writing = ReadOptions::default();
        Program { model, layouts, signature: Once::new(), grow: None, writing }
    }

    /// Lets the stack grow where values nest deeply. Without it, what nests too deeply for a stack
    /// of 2 MiB is refused like what is deeper than [`ReadOptions`] allow.
    #[must_use]
    pub fn growing(mut self, grow: Grow) -> Program {
        self.grow = Some(grow);
        self
    }

    /// Says how deep a value that is written may be nested, and what it may cost where what is written
    /// is read again; without it, as much as [`ReadOptions`] allow unless they are told otherwise.
    /// How files are read is said when they are.
    #[must_use]
    pub fn allowing(mut self, limits: ReadOptions) -> Program {
        self.writing = limits;
        self
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The model in one epoch: no type in it depends on the epoch.
    #[must_use]
    pub fn model_in(&self, epoch: EpochId) -> &Model {
        &self.layout(epoch).model
    }

    /// What the first bytes of a file must be.
    pub(crate) fn signature(&self) -> &Signature {
        self.signature.get_or_make(|| Signature::of(&self.model))
    }

    /// Runs something with enough of the stack, if the stack can grow.
    pub(crate) fn deep<T>(&self, what: impl FnOnce() -> T) -> T {
        let Some(grow) = self.grow else { return what() };
        let mut what = Some(what);
        let mut result = None;
        grow(&mut || {
            if let Some(what) = what.take() {
                result = Some(what());
            }
        });
        result.expect("who makes the stack grow calls what is given once")
    }

    pub(crate) fn layout(&self, epoch: EpochId) -> &Layout {
        self.layouts[epoch.index()].get_or_make(|| Layout::new(&self.model, epoch))
    }
}

/// A model in one epoch.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The model without [`Type::PerEpoch`].
    pub model: Model,
    owners: Owners,
    pub epoch: EpochId,
    /// Plans of the records, for reading.
    pub reading: Vec<Plan>,
    /// Plans of the records, for writing.
    pub writing: Vec<Plan>,
    /// For each union, the record that shares the places of its nodes with those of the case.
    pub bodies: Vec<Option<RecordId>>,
    /// Bytes of the texts in expressions.
    pub literals: Vec<u8>,
    /// For each expression, where it is a text, its bytes.
    literal_of: Vec<Blob>,
    /// For each expression, whether it is about where the reader is.
    positions: Vec<bool>,
    /// For each expression, whether it is about where the region around the reader ends.
    ends: Vec<bool>,
    /// Whether what is written has to be read to know that it is read as it was meant.
    pub positioned: bool,
    /// For each expression, whether it is about the very node that it is evaluated in.
    own: Vec<bool>,
    /// Whether an expression is part of a definition.
    defined: Vec<bool>,
    /// For each expression, whether it is the same wherever it is evaluated, and stays so when all
    /// addresses in it are known.
    fixed: Vec<bool>,
    /// Rows from whose size some number follows, and the sizes that it says.
    pub followed: BTreeMap<(RecordId, RowId), LengthRule>,
    /// Rows from whose end one follows, and the addresses that it says.
    pub ended: BTreeMap<(RecordId, RowId), LengthRule>,
    /// Numbers that follow from how many bytes they take.
    pub counting: BTreeSet<(RecordId, RowId)>,
    /// Rows with regions or padding whose size a writer knows only when what comes behind them is
    /// placed.
    pub ahead: BTreeSet<(RecordId, RowId)>,
    /// How long rows of forms may be, where that is not all the same.
    pub lengths: BTreeMap<(RecordId, RowId), LengthRule>,
    /// How many bytes others of their rows may have.
    pub sizes: BTreeMap<(RecordId, RowId), LengthRule>,
    /// One for each union.
    pub dispatch: Vec<Dispatch>,
    /// Whether there are arrays whose elements something else describes.
    pub has_described: bool,
    /// Whether there are arrays whose elements belong to slices.
    pub has_tables: bool,
    /// Whether there are such arrays, and some struct says a byte order of its own.
    pub has_ordered_tables: bool,
}

/// Which cases of a union have to be looked at.
#[derive(Debug)]
pub(crate) struct Dispatch {
    /// Cases, or forms of cases, of this epoch, in their order.
    all: Vec<Candidate>,
    /// Of unions that begin with a byte as their tag: for each value of that byte, where those that
    /// may take it are in the list behind.
    by_byte: Option<Vec<(u32, u32)>>,
    candidates: Vec<Candidate>,
}

/// A case of a union, or one of its forms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub case: u32,
    pub form: Option<u32>,
}

impl Dispatch {
    fn new(union: &Union, epoch: EpochId) -> Dispatch {
        let mut all = Vec::new();
        for (number, case) in (0..).zip(&union.cases) {
            if case.forms.is_empty() && case.is_in(epoch) {
                all.push(Candidate { case: number, form: None });
            }
            let forms = (0..).zip(&case.forms).filter(|(_, form)| form.is_in(epoch));
            all.extend(forms.map(|(form, _)| Candidate { case: number, form: Some(form) }));
        }
        let mut dispatch = Dispatch { all, by_byte: None, candidates: Vec::new() };
        let signed = match &union.tag {
            Tag::Own(Cell { storage: Storage::Fixed(int), .. })
            | Tag::Word(Cell { storage: Storage::Fixed(int), .. })
                if int.bytes == 1 =>
            {
                int.signed
            }
            _ => return dispatch,
        };
        let mut places = Vec::new();
        for byte in 0..=u8::MAX {
            let first = dispatch.candidates.len();
            let number = if signed { i128::from(byte as i8) } else { byte.into() };
            let takes = |label: &Label| match label {
                Label::Range(low, high) => *low <= number && number <= *high,
                // What comes behind the byte is looked at later.
                Label::Pattern(pattern) => match pattern.width.checked_sub(8) {
                    Some(rest) => {
                        let first = |bits: u128| (bits >> rest) as u8;
                        (byte ^ first(pattern.bits)) & first(pattern.mask) == 0
                    }
                    None => true,
                },
                Label::Text(_) | Label::Else => true,
            };
            let may_take = |candidate: &&Candidate| candidate.labels(union).iter().any(takes);
            dispatch.candidates.extend(dispatch.all.iter().filter(may_take));
            let number = |n: usize| u32::try_from(n).unwrap_or(0);
            places.push((number(first), number(dispatch.candidates.len())));
        }
        dispatch.by_byte = Some(places);
        dispatch
    }

    /// Those whose labels may take a union that begins with these bytes.
    pub(crate) fn candidates(&self, bytes: &[u8]) -> &[Candidate] {
        match (&self.by_byte, bytes.first()) {
            (Some(places), Some(byte)) => {
                let (from, to) = places[usize::from(*byte)];
                &self.candidates[from as usize..to as usize]
            }
            _ => &self.all,
        }
    }
}

impl Candidate {
    /// What selects it.
    pub(crate) fn labels(self, union: &Union) -> &[Label] {
        let case = &union.cases[self.case as usize];
        match self.form {
            Some(form) => &case.forms[form as usize].labels,
            None => &case.labels,
        }
    }
}

impl Layout {
    fn new(whole: &Model, epoch: EpochId) -> Layout {
        let model = whole.in_epoch(epoch);
        let mut literals = Vec::new();
        let mut literal_of = Vec::new();
        let positions = model.mentioning(|expr| matches!(expr, Expr::Here | Expr::RegionEnd));
        let ends = model.mentioning(|expr| matches!(expr, Expr::RegionEnd));
        let mut own: Vec<bool> = Vec::new();
        let mut fixed: Vec<bool> = Vec::new();
        for (_, expr) in model.exprs.iter() {
            let bytes: &[u8] = match expr {
                Expr::Text(text) => text.as_bytes(),
                Expr::Bytes(bytes) => bytes,
                _ => &[],
            };
            let number = |n: usize| u32::try_from(n).unwrap_or(0);
            let (start, len) = (number(literals.len()), number(bytes.len()));
            literal_of.push(Blob { from: From::Literal, start, len });
            literals.extend_from_slice(bytes);
            let begins = |path: &Path| matches!(path.start, Start::This | Start::Argument(_));
            let mut found = expr.path().is_some_and(begins);
            expr.operands(&mut |operand| found |= own[operand.index()]);
            own.push(found);
            let mut same = match expr {
                Expr::At(path) => leads_by_rows(path),
                Expr::Int(_) | Expr::Unary(..) | Expr::Binary(..) => true,
                _ => false,
            };
            expr.operands(&mut |operand| same &= fixed[operand.index()]);
            fixed.push(same);
        }
        let owners = model.owners();
        let mut reading = plans(&model, epoch, Direction::Reading, &mut literals, &positions);
        let mut writing = plans(&model, epoch, Direction::Writing, &mut literals, &positions);
        Layout {
            bodies: bodies(&model, [&mut reading, &mut writing]),
            reading,
            writing,
            positioned: positions.contains(&true)
                || has_open_ends(&model)
                || has_own_targets((&model, &owners))
                || has_guards(&model)
                || has_loose_cases(&model)
                || asks_early((&model, &owners)),
            followed: model.sizes_followed(),
            ended: model.ends_followed(),
            counting: counting((&model, &owners)),
            ahead: ahead((&model, &owners)),
            lengths: of_rows(&model, &in_forms(&model), |id, row| {
                model.length_rule(id, row, epoch)
            }),
            sizes: of_rows(&model, &forms(&model), |id, row| model.size_rule(id, row, epoch)),
            defined: defined(&model),
            has_described: has_described(&model),
            has_tables: has_tables(&model),
            has_ordered_tables: has_tables(&model)
                && model.records.iter().any(|record| record.endian.is_some()),
            dispatch: model.unions.iter().map(|union| Dispatch::new(union, epoch)).collect(),
            model,
            owners,
            epoch,
            literals,
            literal_of,
            positions,
            ends,
            own,
            fixed,
        }
    }

    pub(crate) fn owned(&self) -> Owned<'_> {
        (&self.model, &self.owners)
    }

    /// What elements of an array behind the first begin on a multiple of. Those whose size is one
    /// follow each other.
    pub(crate) fn element_align(&self, array: &ArrayType, plans: &[Plan]) -> u64 {
        let Type::Record(id) = array.element.stripped() else { return 1 };
        let align = self.model.records[id.index()].align.unwrap_or(1).max(1);
        match plans[id.index()].size {
            Some(size) if u64::from(size) % align == 0 => 1,
            _ if array.stride.is_some() => 1,
            _ => align,
        }
    }

    /// The bytes of an expression that is a text.
    pub(crate) fn literal(&self, expr: ExprId) -> Blob {
        self.literal_of[expr.index()]
    }

    /// Whether an expression is about the very node that it is evaluated in, so that it is something
    /// else for every node.
    pub(crate) fn is_own(&self, expr: ExprId) -> bool {
        self.own[expr.index()]
    }

    /// Whether an expression is part of a definition.
    pub(crate) fn is_defined(&self, expr: ExprId) -> bool {
        self.defined[expr.index()]
    }

    /// Whether an expression is the same wherever it is evaluated, as soon as it can be.
    pub(crate) fn is_fixed(&self, expr: ExprId) -> bool {
        self.fixed[expr.index()]
    }

    /// Whether an expression is about where the reader is. When writing it has no meaning: the value
    /// decides.
    pub(crate) fn mentions_position(&self, expr: ExprId) -> bool {
        self.positions[expr.index()]
    }

    /// Whether an expression is about where the region ends that the reader is in.
    pub(crate) fn mentions_region_end(&self, expr: ExprId) -> bool {
        self.ends[expr.index()]
    }
}

/// Of each expression, whether it is part of a definition.
fn defined(model: &Model) -> Vec<bool> {
    let mut found = alloc::vec![false; model.exprs.len()];
    let lets = model.records.iter().flat_map(|record| &record.lets);
    let mut open: Vec<ExprId> = lets.map(|definition| definition.expr).collect();
    while let Some(expr) = open.pop() {
        if !core::mem::replace(&mut found[expr.index()], true) {
            model[expr].operands(&mut |operand| open.push(operand));
        }
    }
    found
}

/// Whether a path leads from the root to a row, by nothing but rows.
fn leads_by_rows(path: &Path) -> bool {
    let by_rows = |way: &[Member]| !way.iter().any(|member| matches!(member, Member::Let(_)));
    matches!(path.start, Start::Root)
        && path.steps.iter().all(|step| match step {
            Step::Field(field) => field.members.iter().all(|(_, way)| by_rows(way)),
            Step::Index(_) | Step::Last => false,
        })
}

fn has_described(model: &Model) -> bool {
    let mut rows = model.records.iter().flat_map(|record| &record.rows);
    rows.any(|row| row.ty.stripped().described().is_some())
}

/// Numbers that follow from how many bytes they take.
fn counting((model, owners): Owned<'_>) -> BTreeSet<(RecordId, RowId)> {
    let rows = model
        .records()
        .flat_map(|(id, record)| record.numbered_rows().map(move |(row, _)| (id, row)));
    rows.filter(|(record, row)| model.counts_itself(owners, *record, *row)).collect()
}

fn has_tables(model: &Model) -> bool {
    let mut rows = model.records.iter().flat_map(|record| &record.rows);
    rows.any(|row| matches!(row.role, Role::View { .. }))
}

/// Whether something ends where what follows begins, or where a region ends.
fn has_open_ends(model: &Model) -> bool {
    let open = |ty: &Type| match ty {
        Type::Region(region) => match &region.extent {
            Extent::Terminated(end) => end.optional || end.mode == Terminated::Unread,
            _ => false,
        },
        Type::Cell(Cell { storage, .. })
        | Type::Run(RunType { length: RunLength::Prefix(Cell { storage, .. }), .. }) => {
            model.ends_where_others_begin(storage)
        }
        _ => false,
    };
    let rows = model.records.iter().flat_map(|record| &record.rows);
    rows.flat_map(|row| row.ty.parts()).any(open)
}

/// Whether a tag that the case itself says may lead to another case, as something else decides.
fn has_guards(model: &Model) -> bool {
    model.unions.iter().any(|union| {
        let given = matches!(union.tag, Tag::Given(_));
        !given && union.cases.iter().any(|case| case.guard.is_some())
    })
}

/// Whether the bytes of a struct that stands for a whole case may lead to another case.
fn has_loose_cases(model: &Model) -> bool {
    let mut unions = model.unions.iter();
    unions.any(|union| {
        union.cases.iter().any(|case| case.whole && !model.leads_to_itself(union, case))
    })
}

/// Whether it depends on the elements of an array what is in one of them: a reader does not know those
/// that are still to come, and a writer does.
fn asks_early((model, owners): Owned<'_>) -> bool {
    model.records().any(|(id, record)| {
        let mut is_early = |expr: ExprId| {
            names((model, owners), (id, expr), &mut |of, found, row| match row {
                Some((record, row)) => {
                    let row = &model.records[record.index()].rows[row.index()];
                    row.ty.parts().any(|ty| matches!(ty, Type::Array(_)))
                        && !matches!(found, Expr::At(_))
                        && model.held(&row.ty).any(|held| held == id || model.holds(held, id))
                }
                None => match found {
                    Expr::IsLast(Path { start: Start::This, steps, .. }) if steps.is_empty() => {
                        !is_pointed_element(model, of)
                    }
                    Expr::IsLast(_) => true,
                    _ => false,
                },
            })
        };
        record.endian.iter().flat_map(EndianRule::conditions).any(&mut is_early)
            || record.rows.iter().any(|row| {
                let of_parts = row.ty.parts().flat_map(|part| {
                    let union = match part {
                        Type::Union(union) => Some(&model.unions[union.index()]),
                        _ => None,
                    };
                    part.lengths().chain(union.into_iter().flat_map(Union::conditions))
                });
                row.when.into_iter().chain(of_parts).any(&mut is_early)
            })
    })
}

/// Whether a struct is an element only where pointers lead to the elements: those are read when all
/// pointers are.
fn is_pointed_element(model: &Model, id: RecordId) -> bool {
    let (mut in_place, mut pointed) = (false, false);
    let rows = model.records.iter().flat_map(|record| &record.rows);
    for part in rows.flat_map(|row| row.ty.parts()) {
        let Type::Array(array) = part else { continue };
        let is_held = |part: &Type| model.held_here(part).any(|held| held == id);
        in_place |= array.element.inline_parts().any(is_held);
        pointed |= array.element.parts().any(is_held);
    }
    pointed && !in_place
}

/// Whether something ends where a pointer in it leads to: how far it reaches is read from bytes that
/// need not be its own.
fn has_own_targets((model, owners): Owned<'_>) -> bool {
    (0..).map(RecordId).zip(&model.records).any(|(id, record)| {
        record.numbered_rows().any(|(row, definition)| {
            definition.ty.parts().any(|ty| match ty {
                Type::Region(region) => match &region.extent {
                    Extent::Size(expr) | Extent::End(expr) => {
                        asks_for((model, owners), *expr, (id, row))
                    }
                    Extent::Rest | Extent::Terminated(_) => false,
                },
                _ => false,
            })
        })
    })
}

/// Whether an expression asks for the address of a row, or of something in it.
pub(crate) fn asks_for(model: Owned<'_>, expr: ExprId, row: (RecordId, RowId)) -> bool {
    let is_asked = &mut |_, found: &Expr, named| matches!(found, Expr::At(_)) && named == Some(row);
    names(model, (row.0, expr), is_asked)
}

/// Whether something may ask for what is in the elements of a row, and not only for how many they are
/// or where: an expression that leads through it, or a reference that leads into it.
pub(crate) fn asks_for_elements(model: Owned<'_>, row: (RecordId, RowId)) -> bool {
    let is_last = |path: &Path| {
        let mut fields = path.steps.iter().rev().filter_map(|step| match step {
            Step::Field(field) => Some(field),
            Step::Index(_) | Step::Last => None,
        });
        fields.next().is_some_and(|field| field.way_in(row.0).last() == Some(&Member::Row(row.1)))
    };
    let only_where = |found: &Expr| match found {
        Expr::At(path) | Expr::End(path) | Expr::Size(path) | Expr::Index(path) => is_last(path),
        _ => false,
    };
    let mut asks = false;
    expressions(model.0, &mut |of, part| {
        asks |= match part {
            Part::Expr(expr) => {
                let is_asked =
                    &mut |_, found: &Expr, named| named == Some(row) && !only_where(found);
                names(model, (of, expr), is_asked)
            }
            Part::Reference(path) => is_last(path),
            Part::Table(_) => false,
        };
    });
    asks
}

/// A model, and who holds what.
type Owned<'m> = (&'m Model, &'m Owners);

/// A row of a record that an expression names, if it names one.
type Named = Option<(RecordId, RowId)>;

/// Whether something holds for a part of an expression of a record and what it names, behind `let`s
/// and arguments, too. It is asked with the record in which the part is evaluated.
fn names(
    (model, owners): Owned<'_>,
    expr: (RecordId, ExprId),
    holds: &mut dyn FnMut(RecordId, &Expr, Named) -> bool,
) -> bool {
    let (mut open, mut known) = (alloc::vec![expr], BTreeSet::new());
    while let Some((of, expr)) = open.pop() {
        if !known.insert((of, expr.index())) {
            continue;
        }
        let found = &model[expr];
        if holds(of, found, None) {
            return true;
        }
        found.operands(&mut |operand| open.push((of, operand)));
        let Some(path) = found.path() else { continue };
        if let Start::Argument(number) = path.start {
            open.extend(model.given(owners, of, number));
        }
        for step in &path.steps {
            let field = match step {
                Step::Field(field) => field,
                Step::Index(index) => {
                    open.push((of, *index));
                    continue;
                }
                Step::Last => continue,
            };
            for (record, member) in model.ends(field) {
                match member {
                    Member::Row(id) | Member::Into(id) if holds(of, found, Some((record, id))) => {
                        return true;
                    }
                    Member::Let(id) => {
                        let lets = &model.records[record.index()].lets;
                        open.extend(lets.get(id as usize).map(|found| (record, found.expr)));
                    }
                    _ => {}
                }
            }
        }
    }
    false
}

/// Rows with regions or padding whose size follows from what comes behind them.
fn ahead((model, owners): Owned<'_>) -> BTreeSet<(RecordId, RowId)> {
    let mut found = BTreeSet::new();
    for (id, record) in model.records() {
        for (number, row) in record.numbered_rows() {
            let is_ahead = |size: ExprId| model.asks_beyond(owners, (id, number), size);
            let asks = row.ty.parts().any(|part| match part {
                Type::Region(region) => {
                    matches!(region.extent, Extent::Size(size) if is_ahead(size))
                }
                Type::Array(array) => array.stride.is_some_and(is_ahead),
                _ => false,
            });
            let is_padding =
                matches!(row.kind, RowKind::Zero | RowKind::Reserved | RowKind::Runtime);
            if asks || is_padding && row.ty.stated_size().is_some_and(is_ahead) {
                found.insert((id, number));
            }
        }
    }
    found
}

/// What the lengths of rows ask.
fn of_rows(
    model: &Model,
    records: &BTreeSet<RecordId>,
    rule: impl Fn(RecordId, &Row) -> Option<LengthRule>,
) -> BTreeMap<(RecordId, RowId), LengthRule> {
    let mut found = BTreeMap::new();
    for id in records {
        for (number, row) in model.records[id.index()].numbered_rows() {
            found.extend(rule(*id, row).map(|rule| ((*id, number), rule)));
        }
    }
    found
}

fn forms(model: &Model) -> BTreeSet<RecordId> {
    let of_forms =
        model.records().filter(|(_, record)| matches!(record.kind, RecordKind::Form(..)));
    of_forms.map(|(id, _)| id).collect()
}

/// Forms, and what is in them.
fn in_forms(model: &Model) -> BTreeSet<RecordId> {
    let mut found = forms(model);
    let mut open: Vec<RecordId> = found.iter().copied().collect();
    while let Some(id) = open.pop() {
        open.extend(model.held_by(id).filter(|held| found.insert(*held)));
    }
    found
}
