//! Questions about a model that several of its users ask.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::{
    limits, ArrayLength, ByteOrder, Case, Cell, Check, CheckKind, Constant, DefinerScope,
    DefinerSource, Digits, EndianRule, EpochId, EpochVariable, Expr, ExprId, Extent, FloatCode,
    Form, Home, IntType, Label, Meaning, Model, Path, Pattern, PointerType, Record, RecordId,
    RecordKind, Role, Row, RowId, RowKind, RunLength, RunType, Span, Statement, Storage, Tag,
    Target, Type, Union, UnionId, Varint, VarintId, WhenEmpty,
};

/// What stands for the value of a row where that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptAs {
    /// The value itself.
    Value,
    /// The bits of a float of so many bytes.
    Float(u8),
    /// A list of values for each struct in the array.
    Table(RecordId),
}

/// Of each record, those whose rows hold it, in order.
#[derive(Debug)]
pub struct Owners(Vec<Vec<RecordId>>);

impl Type {
    /// The type inside its regions.
    #[must_use]
    pub fn stripped(&self) -> &Type {
        let mut ty = self;
        while let Type::Region(region) = ty {
            ty = &region.inner;
        }
        ty
    }

    /// Whether a pointer in it leads to an object of its own.
    #[must_use]
    pub fn owns_target(&self) -> bool {
        self.parts().any(|part| matches!(part, Type::Pointer(pointer) if pointer.owned().is_some()))
    }

    /// Whether the bit cursor reads it: it begins and ends within bytes.
    #[must_use]
    pub fn is_bits(&self) -> bool {
        match self {
            Type::Cell(cell) => matches!(cell.storage, Storage::Bits { .. }),
            Type::Array(array) => array.stride.is_none() && array.element.is_bits(),
            _ => false,
        }
    }

    /// How many bytes a run or region has, where an expression says it.
    #[must_use]
    pub fn stated_size(&self) -> Option<ExprId> {
        match self {
            Type::Region(region) => match region.extent {
                Extent::Size(size) => Some(size),
                _ => None,
            },
            Type::Run(RunType { length: RunLength::Count(count), .. }) => Some(*count),
            _ => None,
        }
    }

    /// Whether it reaches to the end of the region around it.
    #[must_use]
    pub fn is_fill(&self) -> bool {
        match self {
            Type::Run(run) => matches!(run.length, RunLength::Fill),
            Type::Region(region) => matches!(region.extent, Extent::Rest),
            _ => false,
        }
    }

    /// Whether a reader takes all that the region around it has left.
    #[must_use]
    pub fn takes_rest(&self) -> bool {
        match self {
            Type::Array(array) => matches!(array.length, ArrayLength::Fill),
            _ => self.is_fill(),
        }
    }

    /// Type of a string pool's member, and how many members there are.
    #[must_use]
    pub fn pool_members(&self) -> Option<(&Type, &ArrayLength)> {
        match self.stripped() {
            Type::Array(array) => Some((&array.element, &array.length)),
            _ => None,
        }
    }
}

impl Row {
    /// Whether its bytes are somewhere else, so that its properties are rules alone.
    #[must_use]
    pub fn has_no_bytes(&self) -> bool {
        matches!(self.kind, RowKind::Value { .. }) || matches!(self.role, Role::Elsewhere)
    }

    /// Whether its bytes stand in its record, or at the end of a pointer in it.
    #[must_use]
    pub fn holds_bytes(&self) -> bool {
        !matches!(self.kind, RowKind::Value { .. } | RowKind::Mark { .. } | RowKind::Slice { .. })
            && !matches!(self.role, Role::Elsewhere)
    }

    /// What it follows from, or usually does, if it says so itself.
    #[must_use]
    pub fn equation(&self) -> Option<ExprId> {
        match (&self.role, self.definers.as_slice()) {
            (Role::Kept(expr), _) => Some(*expr),
            (Role::Derived, [definer]) => match (&definer.scope, &definer.source) {
                (DefinerScope::Own, DefinerSource::Expr(expr)) => Some(*expr),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a derived row is data where no equation applies: all of them belong to cases, or not to
    /// all layouts that have it.
    #[must_use]
    pub fn perhaps_given(&self) -> bool {
        self.definers.iter().all(|definer| matches!(definer.scope, DefinerScope::Case(..)))
            || self.is_given_in_a_layout()
    }

    /// Whether some layout has the row, and nothing that gives it its number.
    #[must_use]
    pub fn is_given_in_a_layout(&self) -> bool {
        let epochs = (0..).map(EpochId).zip(&self.homes);
        let mut there = epochs.filter(|(_, home)| **home != Home::Absent).map(|(epoch, _)| epoch);
        !self.definers.is_empty()
            && there.any(|epoch| !self.definers.iter().any(|definer| definer.is_in(epoch)))
    }

    /// Whether nothing in the value can be a number or pointer for nothing in the file.
    #[must_use]
    pub fn may_say_none(&self, model: &Model) -> bool {
        match self.ty.stripped() {
            Type::Pointer(pointer) => pointer.may_be_none(model, self),
            _ => !self.none.is_empty(),
        }
    }

    /// The numbers that stand for nothing, each once, where pointers of its kind may have one of their
    /// own: first the one that is written, then others that files may have.
    pub fn nones(&self, pointer: Option<i128>) -> impl Iterator<Item = i128> + '_ {
        let of_pointers = pointer.filter(|none| !self.none.contains(none));
        self.none.iter().copied().chain(of_pointers)
    }

    /// Whether it stores positions among some elements of an array.
    #[must_use]
    pub fn is_ranked(&self) -> bool {
        self.reference.as_ref().is_some_and(|reference| reference.filter.is_some())
    }

    /// Whether it may be left out of a value, since the schema says what it is then.
    #[must_use]
    pub fn has_usual(&self) -> bool {
        self.usual().is_some()
    }

    /// What it is where a value leaves it out, if the schema says so.
    #[must_use]
    pub fn usual(&self) -> Option<&Constant> {
        match (&self.role, &self.absent) {
            (Role::Default(usual), _) => Some(usual),
            (Role::Data, absent) => absent.as_ref(),
            _ => None,
        }
    }

    /// Whether a rule of it is about what is known only when everything is read: other rows, the
    /// element that a rank means, a value whose bytes are somewhere else.
    #[must_use]
    pub fn is_late(&self, check: &Check) -> bool {
        matches!(check.kind, CheckKind::Holds(_)) || self.has_no_bytes() || self.is_ranked()
    }

    /// Where it stands in an epoch.
    #[must_use]
    pub fn home(&self, epoch: EpochId) -> Home {
        self.homes.get(epoch.index()).copied().unwrap_or(Home::Nowhere)
    }

    /// A row of data with a type, places for each epoch, and nothing else.
    #[must_use]
    pub fn new(name: Option<String>, ty: Type, homes: Vec<Home>) -> Row {
        Row {
            name,
            doc: None,
            source: None,
            kind: RowKind::Plain,
            ty,
            homes,
            when: None,
            role: Role::Data,
            definers: Vec::new(),
            none: Vec::new(),
            plus: 0,
            reference: None,
            listed: None,
            checks: Vec::new(),
            absent: None,
            unique: false,
            fill: 0,
            span: Span::default(),
        }
    }

    /// Whether nothing in a field means its default: some layout lacks it, so that a type has nothing
    /// for it there, and it cannot be nothing itself.
    #[must_use]
    pub fn may_be_left_out(&self) -> bool {
        matches!(self.role, Role::Default(_))
            && self.homes.contains(&Home::Absent)
            && self.none.is_empty()
            && self.when.is_none()
    }

    /// Path of the keys, if the row holds the nodes of a radix tree.
    #[must_use]
    pub fn patricia<'m>(&self, model: &'m Model) -> Option<&'m Path> {
        let path = |id: ExprId| match &model[id] {
            Expr::Patricia(path) => Some(path),
            _ => None,
        };
        if let Role::Kept(expr) = self.role {
            return path(expr);
        }
        self.definers.iter().find_map(|definer| match definer.source {
            DefinerSource::Expr(expr) => path(expr),
            DefinerSource::Measure { .. } => None,
        })
    }

    /// Whether the row has no bytes of its own but stands in the tag of its union.
    #[must_use]
    pub fn in_tag(&self) -> bool {
        let letter = |cell: &Cell| matches!(cell.storage, Storage::Letter { .. });
        match (&self.kind, &self.ty) {
            (RowKind::Constant(_), Type::Nothing) => true,
            (RowKind::Plain | RowKind::Constant(_), Type::Cell(cell)) => {
                letter(cell) || matches!(cell.storage, Storage::TagOf)
            }
            (RowKind::Plain, Type::Pointer(pointer)) => pointer.cell.as_ref().is_some_and(letter),
            _ => false,
        }
    }
}

impl Record {
    /// Whether a row says where a slice begins in its table, or how many elements it has.
    #[must_use]
    pub fn is_slice_number(&self, id: RowId) -> bool {
        self.rows.iter().any(|row| match &row.kind {
            RowKind::Slice { base, count, .. } => *base == id || *count == Some(id),
            _ => false,
        })
    }

    /// Whether its layout begins with its own bytes.
    #[must_use]
    pub fn comes_first(&self) -> bool {
        matches!(self.layout.first(), Some(Statement::This))
    }

    /// Whether its layout places something beside its own bytes.
    #[must_use]
    pub fn owns_objects(&self) -> bool {
        self.layout.len() > 1
    }

    /// The byte order that it always has, whatever is around it; nothing if it has that of what is
    /// around it, or chooses.
    #[must_use]
    pub fn fixed_order(&self) -> Option<ByteOrder> {
        match self.endian {
            Some(EndianRule::Fixed(order)) => Some(order),
            Some(EndianRule::Chosen(..)) | None => None,
        }
    }

    /// All rows with their numbers.
    pub fn numbered_rows(&self) -> impl Iterator<Item = (RowId, &Row)> {
        (0u32..).map(RowId).zip(&self.rows)
    }

    /// Rows that take the numbers of an algorithm which computes elements, in order.
    #[must_use]
    pub fn table_rows(&self) -> Vec<RowId> {
        (0..)
            .zip(&self.rows)
            .filter(|(_, row)| matches!(row.role, Role::Data | Role::Default(_)))
            .map(|(index, _)| RowId(index))
            .collect()
    }
}

impl Pattern {
    /// Whether the fixed bits of the pattern are those of a number.
    #[must_use]
    pub fn takes(&self, number: u128) -> bool {
        number & self.mask == self.bits
    }
}

impl Case {
    /// Whether an epoch has it.
    #[must_use]
    pub fn is_in(&self, epoch: EpochId) -> bool {
        self.epochs.get(epoch.index()).copied().unwrap_or(true)
    }
}

impl Form {
    /// Whether an epoch has it.
    #[must_use]
    pub fn is_in(&self, epoch: EpochId) -> bool {
        self.epochs.get(epoch.index()).copied().unwrap_or(true)
    }
}

impl Union {
    /// The records of its cases, each with those of the case's forms behind it.
    pub fn records(&self) -> impl Iterator<Item = RecordId> + '_ {
        self.cases.iter().flat_map(|case| {
            core::iter::once(case.record).chain(case.forms.iter().map(|form| form.record))
        })
    }

    /// What is asked to know the case, in the record that holds the union: the tag that is given, and
    /// the conditions of cases.
    pub fn conditions(&self) -> impl Iterator<Item = ExprId> + '_ {
        let given = match self.tag {
            Tag::Given(given) => Some(given),
            Tag::Row(_) | Tag::Own(_) | Tag::Word(_) => None,
        };
        given.into_iter().chain(self.cases.iter().filter_map(|case| case.guard))
    }

    /// The case whose rows a record has.
    #[must_use]
    pub fn case_of(&self, record: RecordId) -> Option<&Case> {
        self.cases.iter().find(|case| case.record == record)
    }
}

impl EpochVariable {
    /// The integer at its offset: itself, or the one that has its bits.
    #[must_use]
    pub fn stored(&self) -> Option<IntType> {
        match self.cell.storage {
            Storage::Fixed(int) => Some(int),
            Storage::Word { .. } => self.word,
            _ => None,
        }
    }
}

impl Model {
    /// The rows on a way through structs and words in place, each with its record; as far as the way
    /// leads.
    #[must_use]
    pub fn rows_along(&self, from: RecordId, way: &[RowId]) -> Vec<(RecordId, RowId)> {
        let mut here = Some(from);
        let mut rows = Vec::new();
        for row in way {
            let known = here.and_then(|record| {
                Some((record, self.records.get(record.index())?.rows.get(row.index())?))
            });
            let Some((record, of)) = known else { break };
            rows.push((record, *row));
            here = of.ty.in_place();
        }
        rows
    }

    /// The byte order that a struct around an epoch variable has of its own, if the number follows one,
    /// with the part of its way that leads into that struct.
    #[must_use]
    pub fn epoch_order<'m>(
        &'m self,
        variable: &'m EpochVariable,
    ) -> Option<(&'m [RowId], &'m EndianRule)> {
        if variable.stored().map_or(true, |int| int.bytes == 1 || int.order.is_some()) {
            return None;
        }
        let rows = self.rows_along(self.root, &variable.path);
        rows.iter().enumerate().rev().find_map(|(depth, (record, _))| {
            let rule = self.records[record.index()].endian.as_ref()?;
            Some((&variable.path[..depth], rule))
        })
    }

    /// All records with their numbers.
    pub fn records(&self) -> impl Iterator<Item = (RecordId, &Record)> {
        (0u32..).map(RecordId).zip(&self.records)
    }

    /// Alignment that a type states for itself, in bytes.
    #[must_use]
    pub fn type_align(&self, ty: &Type) -> Option<u64> {
        match ty.stripped() {
            Type::Record(record) => self.records[record.index()].align,
            Type::Run(run) => run.align,
            Type::Array(array) => match array.element.stripped() {
                Type::Run(_) | Type::Record(_) => self.type_align(&array.element),
                _ => None,
            },
            _ => None,
        }
    }

    /// Alignment of what a pointer owns, in bytes, unless the pointer's row states it: that of the
    /// type, or else that of the kind of pointer.
    #[must_use]
    pub fn target_align(&self, pointer: &PointerType, target: &Type) -> u64 {
        self.type_align(target).unwrap_or(self.pointers[pointer.kind.index()].align)
    }

    /// The records whose nodes a value of this type can hold: inline and behind pointers, cases of
    /// unions, packed words.
    pub fn held<'m>(&'m self, ty: &'m Type) -> impl Iterator<Item = RecordId> + 'm {
        ty.parts().flat_map(|part| self.held_here(part))
    }

    /// Those of this very type, and not of its parts.
    pub fn held_here(&self, part: &Type) -> impl Iterator<Item = RecordId> + '_ {
        let (one, cases) = match part {
            Type::Record(id) => (Some(*id), &[][..]),
            Type::Union(id) => (None, &self.unions[id.index()].cases[..]),
            Type::Cell(Cell { meaning: Meaning::Word(id), storage }) => {
                let whole = !matches!(
                    storage,
                    Storage::Word { .. } | Storage::Letter { .. } | Storage::TagOf
                );
                (whole.then_some(*id), &[][..])
            }
            _ => (None, &[][..]),
        };
        one.into_iter().chain(cases.iter().map(|case| case.record))
    }

    /// Records that the rows of a record hold; of a case also those of its forms.
    pub fn held_by(&self, record: RecordId) -> impl Iterator<Item = RecordId> + '_ {
        let record = &self.records[record.index()];
        let forms = match record.kind {
            RecordKind::Case(union, case) => {
                &self.unions[union.index()].cases[case as usize].forms[..]
            }
            _ => &[],
        };
        let rows = record.rows.iter().flat_map(|row| self.held(&row.ty));
        rows.chain(forms.iter().map(|form| form.record))
    }

    /// What an argument of a record is, with each record in whose node it is evaluated: those that hold
    /// the record.
    pub fn given<'o>(
        &self,
        owners: &'o Owners,
        record: RecordId,
        argument: u32,
    ) -> impl Iterator<Item = (RecordId, ExprId)> + 'o {
        let given = self.records[record.index()].arguments.get(argument as usize).copied();
        given.into_iter().flat_map(move |given| {
            owners.0[record.index()].iter().map(move |owner| (*owner, given))
        })
    }

    /// Of each record, those that hold it: what it takes to look at the whole model, once.
    #[must_use]
    pub fn owners(&self) -> Owners {
        let mut owners = vec![Vec::new(); self.records.len()];
        for (owner, _) in self.records() {
            for held in self.held_by(owner) {
                let of: &mut Vec<RecordId> = &mut owners[held.index()];
                if of.last() != Some(&owner) {
                    of.push(owner);
                }
            }
        }
        Owners(owners)
    }

    /// Whether something gives a derived row its number wherever it is: in each layout, and in every
    /// case that the equations' union can have.
    #[must_use]
    pub fn always_derived(&self, record: &Record, row: &Row) -> bool {
        if row.is_given_in_a_layout() {
            return false;
        }
        let mut given: Vec<(RowId, u32)> = Vec::new();
        for definer in &row.definers {
            match &definer.scope {
                DefinerScope::Own | DefinerScope::Owner(..) => return true,
                DefinerScope::Case(union, case) => given.push((*union, *case)),
            }
        }
        given.iter().any(|(at, _)| {
            let row = &record.rows[at.index()];
            let Type::Union(union) = row.ty.stripped() else { return false };
            let cases = self.unions[union.index()].cases.len();
            row.when.is_none()
                && !row.homes.contains(&Home::Absent)
                && (0..u32::try_from(cases).unwrap_or(u32::MAX))
                    .all(|case| given.contains(&(*at, case)))
        })
    }

    /// Whether the value says whether a row under a condition is there. Of what carries no data it
    /// says nothing.
    #[must_use]
    pub fn is_optional_data(&self, row: &Row) -> bool {
        let kind = matches!(
            row.kind,
            RowKind::Plain
                | RowKind::Zeros
                | RowKind::Object { .. }
                | RowKind::Value { .. }
                | RowKind::Slice { .. }
        );
        kind && matches!(row.role, Role::Data | Role::Default(_) | Role::Elsewhere)
            && self.carries_data(&row.ty)
    }

    /// Whether the struct that stands for a whole case begins with a constant that leads to that case:
    /// otherwise its bytes may lead to another one.
    #[must_use]
    pub fn leads_to_itself(&self, union: &Union, case: &Case) -> bool {
        let (Tag::Own(tag) | Tag::Word(tag)) = &union.tag else { return true };
        let record = &self.records[case.record.index()];
        let first = record
            .rows
            .iter()
            .find(|row| row.homes.iter().any(|home| matches!(home, Home::At(0) | Home::Next)));
        let Some(Row { kind: RowKind::Constant(Constant::Int(number)), ty, .. }) = first else {
            return false;
        };
        let Type::Cell(cell) = ty else { return false };
        let in_label = |label: &Label| matches!(label, Label::Range(low, high) if (low..=high).contains(&number));
        // The first case is taken that a tag leads to.
        let taken = union.cases.iter().find(|case| case.labels.iter().any(in_label));
        cell.storage == tag.storage && taken.is_some_and(|taken| taken.record == case.record)
    }

    /// Whether values of a record may have some of another one in them.
    #[must_use]
    pub fn holds(&self, record: RecordId, other: RecordId) -> bool {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![record]);
        while let Some(id) = todo.pop() {
            for inner in self.held_by(id) {
                if inner == other {
                    return true;
                }
                if seen.insert(inner) {
                    todo.push(inner);
                }
            }
        }
        false
    }

    /// Whether a type is the union that a record consists of: its row has no step of its own in
    /// paths.
    #[must_use]
    pub fn is_body(&self, ty: &Type) -> bool {
        matches!(ty, Type::Union(id) if self.unions[id.index()].body)
    }

    /// Whether a record holds the nodes of a radix tree.
    #[must_use]
    pub fn is_dictionary(&self, record: RecordId) -> bool {
        self.records[record.index()].rows.iter().any(|row| row.patricia(self).is_some())
    }

    /// What leads to the rows of a case or form.
    #[must_use]
    pub fn labels_of(&self, record: RecordId) -> &[Label] {
        let case = |union: UnionId, case: u32| &self.unions[union.index()].cases[case as usize];
        match self.records[record.index()].kind {
            RecordKind::Case(union, at) => &case(union, at).labels,
            RecordKind::Form(union, at, form) => &case(union, at).forms[form as usize].labels,
            RecordKind::Struct | RecordKind::Word(_) => &[],
        }
    }

    /// The tag that leads to a case or form.
    #[must_use]
    pub fn tag_of(&self, record: RecordId) -> Option<&Tag> {
        match self.records[record.index()].kind {
            RecordKind::Case(union, _) | RecordKind::Form(union, ..) => {
                Some(&self.unions[union.index()].tag)
            }
            RecordKind::Struct | RecordKind::Word(_) => None,
        }
    }

    /// Width in bits and sign of a cell.
    #[must_use]
    pub fn cell_range(&self, cell: &Cell) -> (u32, bool) {
        storage_range(&cell.storage, &self.varints, &self.digits)
    }

    /// The least and the greatest number that there is room for in a cell.
    #[must_use]
    pub fn number_range(&self, cell: &Cell) -> (i128, i128) {
        let (bits, signed) = self.cell_range(cell);
        let all = limits(bits, signed);
        match cell.storage {
            Storage::Digits { digits, .. } => self.digits[digits.index()].range(),
            Storage::Varint(id) => limits(self.varint_room(id).min(bits), signed),
            _ => all,
        }
    }

    /// Name of a cell's type for messages: `u16`; of a varint that has no room for all of it, with
    /// how many bytes it has.
    #[must_use]
    pub fn cell_name(&self, cell: &Cell) -> String {
        if let Some(code) = FloatCode::of(cell) {
            return code.name("");
        }
        let (bits, signed) = self.cell_range(cell);
        let name = format!("{}{bits}", if signed { "i" } else { "u" });
        match cell.storage {
            Storage::Varint(id) if self.varint_room(id) < bits => {
                format!("{name} bytes={}", self.varints[id.index()].max_bytes)
            }
            _ => name,
        }
    }

    /// Whether what follows a number says where it ends.
    #[must_use]
    pub fn ends_where_others_begin(&self, storage: &Storage) -> bool {
        match storage {
            Storage::Digits { digits, bytes: None } => self.digits[digits.index()].end.is_empty(),
            _ => false,
        }
    }

    /// Bits that there are in the most bytes of a varint.
    fn varint_room(&self, id: VarintId) -> u32 {
        let varint = &self.varints[id.index()];
        varint.room(varint.max_bytes)
    }

    /// Bytes of a float of this type.
    #[must_use]
    pub fn float_width(&self, ty: &Type) -> u8 {
        match ty {
            Type::Cell(cell) if FloatCode::of(cell).is_some_and(FloatCode::is_single) => 4,
            _ => 8,
        }
    }

    /// What stands for the value of a row where that is kept.
    #[must_use]
    pub fn kept_as(&self, row: &Row) -> KeptAs {
        match row.ty.stripped() {
            Type::Array(array) => match array.element {
                Type::Record(id) => KeptAs::Table(id),
                _ => KeptAs::Value,
            },
            Type::Cell(Cell { meaning: Meaning::Float(_), .. }) => {
                KeptAs::Float(self.float_width(&row.ty))
            }
            _ => KeptAs::Value,
        }
    }

    /// Names of the columns of a table that is kept row by row.
    #[must_use]
    pub fn columns(&self, id: RecordId) -> Vec<&str> {
        let record = &self.records[id.index()];
        let rows = record.table_rows().into_iter();
        rows.map(|id| record.rows[id.index()].name.as_deref().unwrap_or_default()).collect()
    }

    /// Whether a value must have this row, where its layout has it.
    #[must_use]
    pub fn must_be_given(&self, row: &Row) -> bool {
        let by_kind = !matches!(
            row.kind,
            RowKind::Constant(_)
                | RowKind::Zero
                | RowKind::Runtime
                | RowKind::Reserved
                | RowKind::Mark { .. }
                | RowKind::Pool { kept: false, .. }
        );
        let by_role = matches!(row.role, Role::Data | Role::Elsewhere)
            || matches!(row.kind, RowKind::Slice { .. });
        let by_type = match &row.ty {
            Type::ByteOrderMark | Type::Nothing => false,
            Type::Pointer(pointer) => {
                pointer.none_with.is_some() || !pointer.may_be_none(self, row)
            }
            _ => true,
        };
        by_kind
            && by_role
            && by_type
            && row.absent.is_none()
            && row.when.is_none()
            && row.none.is_empty()
            && self.carries_data(&row.ty)
    }

    /// The record whose value is that of its only row, which is the value of a row of this type, and
    /// so on: the type of the value itself.
    #[must_use]
    pub fn through_transparent<'m>(&'m self, ty: &'m Type) -> &'m Type {
        let mut ty = ty;
        // Structs that contain nothing but each other stand for nothing.
        for _ in 0..=self.records.len() {
            let Type::Record(id) = ty.stripped() else { break };
            let record = &self.records[id.index()];
            let Some(row) = record.transparent else { break };
            ty = &record.rows[row.index()].ty;
        }
        ty
    }
}

impl PointerType {
    /// What it leads to, if it owns that.
    #[must_use]
    pub fn owned(&self) -> Option<&Type> {
        match &self.target {
            Target::Own(ty) => Some(ty),
            Target::Pooled | Target::Element => None,
        }
    }

    /// Whether the value of a row that is this pointer may be none although the row is there.
    #[must_use]
    pub fn may_be_none(&self, model: &Model, row: &Row) -> bool {
        let nullable = model.pointers[self.kind.index()].none.is_some();
        self.optional
            || self.none_with.is_some()
            || !row.none.is_empty()
            || nullable && !matches!(self.target, Target::Own(_))
    }

    /// What it is if it leads to an empty array. The number for nothing says that an optional
    /// target is not there, so one that is there and empty has an address.
    #[must_use]
    pub fn when_empty(&self, model: &Model) -> WhenEmpty {
        match self.optional {
            true => WhenEmpty::Here,
            false => self.when_empty.unwrap_or(model.pointers[self.kind.index()].when_empty),
        }
    }
}

impl Model {
    /// In how many rows, and as how many whole cases, each record stands.
    #[must_use]
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.records.len()];
        let rows = self.records.iter().flat_map(|record| &record.rows);
        let texts = self.pointers.iter().filter_map(|kind| kind.text.as_deref());
        for ty in rows.map(|row| &row.ty).chain(texts) {
            for id in ty.records().collect::<BTreeSet<_>>() {
                uses[id.index()] += 1;
            }
        }
        for case in self.unions.iter().flat_map(|union| &union.cases).filter(|case| case.whole) {
            uses[case.record.index()] += 1;
        }
        uses
    }

    /// Whether values of a type say anything.
    #[must_use]
    pub fn carries_data(&self, ty: &Type) -> bool {
        self.carries(ty, 64)
    }

    fn carries(&self, ty: &Type, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        match ty {
            Type::Nothing => false,
            Type::Region(region) => self.carries(&region.inner, depth),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => {
                    (pointer.optional && pointer.none_with.is_none()) || self.carries(target, depth)
                }
                Target::Pooled | Target::Element => true,
            },
            Type::Record(id) => self.records[id.index()].rows.iter().any(|row| match &row.role {
                Role::Data | Role::Default(_) | Role::Elsewhere => {
                    !matches!(row.kind, RowKind::Mark { .. }) && self.carries(&row.ty, depth)
                }
                Role::Derived => row.perhaps_given(),
                _ => matches!(row.kind, RowKind::Slice { .. }),
            }),
            Type::Array(array) => array.in_step.is_none(),
            _ => true,
        }
    }

    /// The number that spellings have for the first row of a record: those of a case and of all its
    /// forms are counted together, the case's first.
    #[must_use]
    pub fn first_row(&self, record: RecordId) -> usize {
        let RecordKind::Form(union, case, form) = self.records[record.index()].kind else {
            return 0;
        };
        let case = &self.unions[union.index()].cases[case as usize];
        let rows = |id: RecordId| self.records[id.index()].rows.len();
        let forms = case.forms.iter().take(form as usize);
        rows(case.record) + forms.map(|form| rows(form.record)).sum::<usize>()
    }
}

impl Cell {
    /// Whether its bytes depend on the byte order of the record around it.
    #[must_use]
    pub fn follows_order(&self) -> bool {
        matches!(self.storage, Storage::Fixed(IntType { bytes: 2.., order: None, .. }))
    }
}

/// Width in bits and sign of what a cell stores, of a model with these numbers of variable length and
/// these in digits.
#[must_use]
pub fn storage_range(storage: &Storage, varints: &[Varint], digits: &[Digits]) -> (u32, bool) {
    let of = |ty: IntType| (u32::from(ty.bytes) * 8, ty.signed);
    match *storage {
        Storage::Fixed(int) => of(int),
        Storage::Varint(id) => of(varints[id.index()].ty),
        Storage::Digits { digits: id, .. } => of(digits[id.index()].ty),
        Storage::Bits { width, .. } | Storage::Letter { width, .. } => (width.into(), false),
        Storage::Word { first, last, signed } => (u32::from(last - first) + 1, signed),
        Storage::TagOf => (64, true),
    }
}
