//! The model of one struct, text or number by itself: what is inside of it, without what surrounds it.
//!
//! Pointers and references are the numbers that are stored, and what follows from something outside is
//! data. So a run of bytes can be read that is a part of some file.

use std::collections::{HashMap, HashSet};

use formwork_model::{
    ArrayLength, ByteOrder, ByteOrderRule, Cell, Check, CheckKind, DefinerScope, DefinerSource,
    EndianRule, Epoch, EpochId, Expr, ExprId, Extent, Gaps, Home, Meaning, Measure, Member, Model,
    Path, Record, RecordId, RecordKind, Role, Row, RowId, RowKind, RunLength, Start, Statement,
    Step, Storage, Subject, Tag, Type, UnionId,
};

/// What an example is of, by itself, in one layout.
///
/// # Errors
///
/// Why it cannot be read without what surrounds it.
pub(crate) fn alone(model: &Model, subject: Subject, epoch: EpochId) -> Result<Model, String> {
    let mut model = in_one_epoch(model, epoch);
    let original = model.root;
    model.root = root(&mut model, subject)?;
    let depths = depths(&model);
    let inside = Inside { cut: cut_rows(&model, &depths), whole: model.root == original, depths };
    inside.can_be_read(&model)?;
    let records = std::mem::take(&mut model.records);
    let view = Model { records: records.clone(), ..model.clone() };
    model.records = (0..)
        .map(RecordId)
        .zip(records)
        .map(|(id, record)| match inside.depths.contains_key(&id) {
            true => inside.record(&view, id, record),
            false => nothing(record),
        })
        .collect();
    for kind in &mut model.pointers {
        kind.base = None;
        kind.pool = None;
        kind.listing.clear();
    }
    model.relocation.clear();
    model.gaps = Gaps::Kept;
    model.byte_order = match mark(&model, model.root, 0) {
        Some(offset) => ByteOrderRule::Mark { offset },
        None => match model.byte_order {
            ByteOrderRule::Mark { .. } => ByteOrderRule::Fixed(ByteOrder::Little),
            fixed @ ByteOrderRule::Fixed(_) => fixed,
        },
    };
    Ok(model)
}

/// The same model with one epoch, which no row of a file decides.
fn in_one_epoch(model: &Model, epoch: EpochId) -> Model {
    let mut view = model.in_epoch(epoch);
    let label = view.epochs.get(epoch.index()).map(|epoch| epoch.label.clone());
    view.epochs = vec![Epoch { label: label.unwrap_or_default(), ranges: Vec::new() }];
    view.epoch_variables.clear();
    for record in &mut view.records {
        record.sizes = vec![record.sizes.get(epoch.index()).copied().flatten()];
        for row in &mut record.rows {
            row.homes = vec![row.home(epoch)];
        }
    }
    for case in view.unions.iter_mut().flat_map(|union| &mut union.cases) {
        case.epochs = vec![case.is_in(epoch)];
        for form in &mut case.forms {
            form.epochs = vec![form.is_in(epoch)];
        }
    }
    view
}

/// The record that the bytes hold: the struct, the one around a case, or one made for a text or number.
fn root(model: &mut Model, subject: Subject) -> Result<RecordId, String> {
    let ty = match subject {
        Subject::Module | Subject::Enum(_) => return Ok(model.root),
        Subject::Text(at) => model.strings.get(at as usize).map(|text| text.ty.clone()),
        Subject::Varint(id) => {
            Some(Type::Cell(Cell { storage: Storage::Varint(id), meaning: Meaning::Int }))
        }
        Subject::Digits(id) => model.digits.get(id.index()).map(|digits| {
            let storage = digits.storage(id);
            Type::Cell(Cell { storage, meaning: Meaning::Int })
        }),
        Subject::Record(id) => match model.records.get(id.index()).map(|record| &record.kind) {
            Some(RecordKind::Struct) => return Ok(id),
            Some(RecordKind::Word(int)) => {
                Some(Type::Cell(Cell { storage: Storage::Fixed(*int), meaning: Meaning::Word(id) }))
            }
            Some(RecordKind::Case(union, _) | RecordKind::Form(union, ..)) => {
                return holder(model, *union)
                    .ok_or_else(|| "a case inside of another one has no example".to_owned());
            }
            None => None,
        },
    };
    let ty = ty.ok_or("the schema does not have it")?;
    let ty = match ty {
        Type::PerEpoch(_) => return Err("it is different in each layout".to_owned()),
        ty => ty,
    };
    let template = model.records.get(model.root.index()).ok_or("there is no root")?;
    let mut record = nothing(template.clone());
    record.name = "value".to_owned();
    record.kind = RecordKind::Struct;
    record.sizes = vec![None];
    record.open = true;
    record.read_order = vec![RowId(0)];
    record.transparent = Some(RowId(0));
    record.rows = vec![Row::new(Some("value".to_owned()), ty, vec![Home::Next])];
    let id =
        RecordId(u32::try_from(model.records.len()).map_err(|_| "there are too many records")?);
    model.records.push(record);
    Ok(id)
}

/// The struct that holds a union.
fn holder(model: &Model, union: UnionId) -> Option<RecordId> {
    let holds = |record: &Record| record.rows.iter().any(|row| row.ty.unions().any(|u| u == union));
    let mut structs = model.records().filter(|(_, record)| record.kind == RecordKind::Struct);
    structs.find(|(_, record)| holds(record)).map(|(id, _)| id)
}

/// Records that stand in the bytes, each with the least number of owners that it has there.
fn depths(model: &Model) -> HashMap<RecordId, u32> {
    let mut depths = HashMap::from([(model.root, 0)]);
    let mut work = std::collections::VecDeque::from([(model.root, 0_u32)]);
    while let Some((id, depth)) = work.pop_front() {
        let Some(record) = model.records.get(id.index()) else { continue };
        let mut inner = Vec::new();
        for part in record.rows.iter().flat_map(|row| row.ty.inline_parts()) {
            match part {
                Type::Record(id) => inner.push(*id),
                Type::Union(id) => {
                    let cases = model.unions.get(id.index()).map(|union| &union.cases);
                    inner.extend(cases.into_iter().flatten().map(|case| case.record));
                }
                Type::Cell(Cell { meaning: Meaning::Word(id), .. }) => inner.push(*id),
                _ => {}
            }
        }
        if let RecordKind::Case(union, case) = record.kind {
            let union = model.unions.get(union.index());
            let case = union.and_then(|union| union.cases.get(case as usize));
            inner.extend(case.iter().flat_map(|case| &case.forms).map(|form| form.record));
        }
        for id in inner {
            let depth = depth.saturating_add(1);
            depths.entry(id).or_insert_with(|| {
                work.push_back((id, depth));
                depth
            });
        }
    }
    depths
}

/// Rows whose content is elsewhere in the file, or nowhere.
fn cut_rows(model: &Model, depths: &HashMap<RecordId, u32>) -> HashSet<(RecordId, RowId)> {
    let mut cut = HashSet::new();
    for (id, record) in model.records().filter(|(id, _)| depths.contains_key(id)) {
        for (number, row) in record.numbered_rows() {
            let pointer = row.ty.inline_parts().any(|part| matches!(part, Type::Pointer(_)));
            if pointer || is_elsewhere(model, record, row) {
                cut.insert((id, number));
            }
        }
    }
    cut
}

/// Whether a row has no bytes in its record, so that it is left out.
fn is_elsewhere(model: &Model, record: &Record, row: &Row) -> bool {
    match row.kind {
        RowKind::Object { .. } | RowKind::Mark { .. } | RowKind::Slice { .. } => true,
        // The value of a case with forms is in those.
        RowKind::Value { .. } => match record.kind {
            RecordKind::Case(union, case) => {
                let union = model.unions.get(union.index());
                let case = union.and_then(|union| union.cases.get(case as usize));
                case.is_none_or(|case| case.forms.is_empty())
            }
            _ => true,
        },
        _ => false,
    }
}

/// A record with nothing in it.
fn nothing(record: Record) -> Record {
    Record {
        rows: Vec::new(),
        lets: Vec::new(),
        arguments: Vec::new(),
        sizes: vec![Some(0)],
        open: false,
        transparent: None,
        endian: None,
        derives: Vec::new(),
        checks: Vec::new(),
        layout: vec![Statement::This],
        passes: Vec::new(),
        read_order: Vec::new(),
        recursive: false,
        encodes: None,
        align: None,
        ..record
    }
}

/// What is inside of the bytes.
struct Inside {
    depths: HashMap<RecordId, u32>,
    cut: HashSet<(RecordId, RowId)>,
    /// Whether the bytes are a whole file after all.
    whole: bool,
}

impl Inside {
    /// A record without what is outside.
    fn record(&self, model: &Model, id: RecordId, mut record: Record) -> Record {
        let holds = |check: &Check| self.has_check(model, id, check);
        let numbers = (0..).map(RowId);
        let elsewhere: Vec<bool> =
            record.rows.iter().map(|row| is_elsewhere(model, &record, row)).collect();
        for ((number, row), elsewhere) in numbers.zip(&mut record.rows).zip(elsewhere) {
            if elsewhere {
                row.kind = RowKind::Plain;
                row.ty = Type::Nothing;
                row.homes = vec![Home::Absent];
                row.when = None;
                row.role = Role::Data;
                row.definers.clear();
                row.none.clear();
                row.checks.clear();
                row.reference = None;
                row.listed = None;
                continue;
            }
            let pointed = self.cut.contains(&(id, number));
            as_numbers(model, &mut row.ty);
            let follows = row.definers.iter().all(|definer| self.has_definer(model, id, definer));
            row.role = match std::mem::replace(&mut row.role, Role::Data) {
                Role::Derived if !follows => Role::Data,
                Role::Kept(expr) if !self.has(model, id, expr) => Role::Data,
                Role::View { .. } => Role::Data,
                Role::Spelling if matches!(row.kind, RowKind::Pool { .. }) => Role::Data,
                role => role,
            };
            if !matches!(row.role, Role::Derived) {
                row.definers.clear();
            }
            if matches!(row.kind, RowKind::Pool { .. }) {
                row.kind = RowKind::Plain;
            }
            if pointed {
                row.none.clear();
            }
            row.reference = None;
            row.listed = None;
            row.checks.retain(holds);
        }
        record.checks.retain(holds);
        record.derives.clear();
        record.layout = vec![Statement::This];
        record.passes.clear();
        record.encodes = None;
        record
    }

    /// Whether everything that reading needs is there.
    fn can_be_read(&self, model: &Model) -> Result<(), String> {
        for (id, record) in model.records().filter(|(id, _)| self.depths.contains_key(id)) {
            let mut needed: Vec<ExprId> = Vec::new();
            for row in &record.rows {
                if is_elsewhere(model, record, row) {
                    continue;
                }
                needed.extend(row.when);
                row.ty.inline_parts().for_each(|part| needs(model, part, &mut needed));
            }
            if let Some(EndianRule::Chosen(choices, _)) = &record.endian {
                needed.extend(choices.iter().map(|(condition, _)| *condition));
            }
            if let Some(expr) = needed.into_iter().find(|expr| !self.has(model, id, *expr)) {
                let mut text = String::new();
                model.exprs.paths(expr, &mut |path| {
                    if !self.has_path(id, path) {
                        text.clone_from(&path.text);
                    }
                });
                return Err(format!(
                    "`{}` cannot be read without `{text}`, which is not in these bytes",
                    record.name
                ));
            }
        }
        Ok(())
    }

    fn has_check(&self, model: &Model, id: RecordId, check: &Check) -> bool {
        match &check.kind {
            CheckKind::OneOf(these) => these.iter().all(|expr| self.has(model, id, *expr)),
            CheckKind::Min(expr)
            | CheckKind::Max(expr)
            | CheckKind::Equals(expr)
            | CheckKind::Holds(expr) => self.has(model, id, *expr),
        }
    }

    fn has_definer(&self, model: &Model, id: RecordId, definer: &formwork_model::Definer) -> bool {
        let id = match &definer.scope {
            DefinerScope::Own => id,
            DefinerScope::Case(row, case) => {
                let row = model.records.get(id.index()).and_then(|r| r.rows.get(row.index()));
                let union = row.and_then(|row| row.ty.unions().next());
                let union = union.and_then(|union| model.unions.get(union.index()));
                match union.and_then(|union| union.cases.get(*case as usize)) {
                    Some(case) => case.record,
                    None => return false,
                }
            }
            DefinerScope::Owner(..) => return false,
        };
        match &definer.source {
            DefinerSource::Expr(expr) => self.has(model, id, *expr),
            DefinerSource::Measure { measure, row, .. } => {
                let base = match measure {
                    Measure::At(base) => self.has(model, id, *base),
                    Measure::Base => false,
                    Measure::Count
                    | Measure::Records
                    | Measure::Size
                    | Measure::End
                    | Measure::Tag => true,
                };
                base && !self.cut.contains(&(id, *row))
            }
        }
    }

    /// Whether an expression of a record is about nothing but these bytes.
    fn has(&self, model: &Model, id: RecordId, expr: ExprId) -> bool {
        let here = match &model[expr] {
            Expr::Epoch(_)
            | Expr::Listed(_)
            | Expr::RelocationSections
            | Expr::RelocationEntries
            | Expr::Patricia(_) => false,
            Expr::FileEnd => self.whole,
            _ => true,
        };
        let mut all = here;
        model[expr].operands(&mut |operand| all = all && self.has(model, id, operand));
        if let Some(path) = model[expr].path() {
            model.exprs.with_subscripts(path, &mut |path| all = all && self.has_path(id, path));
        }
        all
    }

    fn has_path(&self, id: RecordId, path: &Path) -> bool {
        let depth = self.depths.get(&id).copied().unwrap_or(0);
        let start = match &path.start {
            Start::This | Start::It => true,
            Start::Up(levels) => *levels <= depth,
            Start::Enclosing(records) => records.iter().any(|id| self.depths.contains_key(id)),
            Start::Root => self.whole,
            Start::Argument(_) => false,
        };
        let is_cut = |record: RecordId, member: &Member| match member {
            Member::Row(row) => self.cut.contains(&(record, *row)),
            _ => false,
        };
        start
            && path.steps.iter().all(|step| match step {
                Step::Field(field) => field
                    .members
                    .iter()
                    .all(|(record, way)| !way.iter().any(|member| is_cut(*record, member))),
                Step::Index(_) | Step::Last => true,
            })
    }
}

/// Expressions that a type is read by.
fn needs(model: &Model, ty: &Type, to: &mut Vec<ExprId>) {
    match ty {
        Type::Run(run) => {
            if let RunLength::Count(count) = &run.length {
                to.push(*count);
            }
        }
        Type::Array(array) => {
            to.extend(array.stride);
            to.extend(array.described.iter().flat_map(|described| described.expressions()));
            match &array.length {
                ArrayLength::Count(count) => to.push(*count),
                ArrayLength::Last(_) | ArrayLength::Fill => {}
            }
        }
        Type::Region(region) => match &region.extent {
            Extent::Size(expr) | Extent::End(expr) => to.push(*expr),
            Extent::Terminated(_) | Extent::Rest => {}
        },
        Type::Union(id) => {
            let Some(union) = model.unions.get(id.index()) else { return };
            if let Tag::Given(expr) = &union.tag {
                to.push(*expr);
            }
            to.extend(union.cases.iter().filter_map(|case| case.guard));
        }
        _ => {}
    }
}

/// A type with the numbers of pointers in place of what they lead to.
fn as_numbers(model: &Model, ty: &mut Type) {
    match ty {
        Type::Pointer(pointer) => {
            let kind = model.pointers.get(pointer.kind.index());
            let cell = pointer.cell.clone().or_else(|| kind.map(|kind| kind.cell.clone()));
            *ty = match cell {
                Some(cell) => Type::Cell(Cell { meaning: Meaning::Int, ..cell }),
                None => Type::Nothing,
            };
        }
        Type::Array(array) => as_numbers(model, &mut array.element),
        Type::Region(region) => as_numbers(model, &mut region.inner),
        _ => {}
    }
}

/// Offset of the byte order mark inside of a record.
fn mark(model: &Model, id: RecordId, start: u64) -> Option<u64> {
    model.records.get(id.index())?.rows.iter().find_map(|row| {
        let Some(Home::At(at)) = row.homes.first() else { return None };
        let at = start.checked_add(*at)?;
        match row.ty {
            Type::ByteOrderMark => Some(at),
            Type::Record(inner) => mark(model, inner, at),
            _ => None,
        }
    })
}
