//! Rows of structs as rows of a table.

use super::epochs::{group, join, label};
use super::expr::{path_text, place, words, written};
use super::facts::{facts, row_name};
use super::plan::Cx;
use super::text::{code, constant, head, hex, number, table};
use super::types::{TO_THE_END, content_type, type_text};
use crate::model::{
    ArrayLength, Cell, Constant, Content, DefinerScope, DefinerSource, EpochId, Expr, ExprId, Home,
    Meaning, Measure, Record, RecordId, Role, Row, RowId, RowKind, RunType, Storage, Tag, Type,
    Union,
};
use crate::roles::in_step_text;

/// A table of rows, perhaps of several cases.
#[derive(Debug, Default)]
pub(super) struct Table {
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    /// First column, such as the case.
    lead: String,
    /// Offset by epoch; `None` where the row is absent.
    offsets: Vec<Option<String>>,
    /// Offset of the first epoch that has one, for sorting.
    at: Option<u64>,
    /// Whether the row has no bytes here.
    nowhere: bool,
    /// Whether the row is made of bits of the tag.
    in_tag: bool,
    cells: Vec<String>,
}

impl Table {
    /// Adds rows of a record that the filter lets through. The first one has `lead` in front.
    pub(super) fn add(
        &mut self,
        cx: &Cx<'_>,
        id: RecordId,
        lead: &str,
        here: &[bool],
        keep: &dyn Fn(&Row) -> bool,
    ) {
        let Some(record) = cx.record(id) else { return };
        let columns: Vec<Vec<Option<Place>>> =
            (0..cx.model.epochs.len()).map(|epoch| offsets(cx, record, epoch)).collect();
        let mut lines = Vec::new();
        for (number, row) in record.rows.iter().enumerate() {
            if !keep(row) {
                continue;
            }
            let places: Vec<Option<Place>> = columns
                .iter()
                .zip(here)
                .map(|(column, here)| column.get(number).cloned().flatten().filter(|_| *here))
                .collect();
            let at = places.iter().flatten().find_map(|place| place.at);
            lines.push(Line {
                lead: String::new(),
                offsets: places.into_iter().map(|place| place.map(|place| place.text)).collect(),
                at,
                nowhere: row.homes.contains(&Home::Nowhere) && !in_tag(row.ty.first()),
                in_tag: in_tag(row.ty.first()),
                cells: cells(cx, record, row, here, &definer_groups(cx, record, row)),
            });
        }
        self.push(lines, lead);
    }

    /// Adds one line that is no row.
    pub(super) fn add_line(&mut self, lead: &str, here: &[bool], offset: &str, cells: [&str; 5]) {
        let offsets = here.iter().map(|here| here.then(|| offset.to_owned())).collect();
        let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
        let lead = lead.to_owned();
        self.lines.push(Line { lead, offsets, at: Some(0), nowhere: false, in_tag: true, cells });
    }

    /// Adds what several cases have in common: rows of the first, equations of each.
    pub(super) fn add_common(
        &mut self,
        cx: &Cx<'_>,
        union: &Union,
        cases: &[usize],
        shared: &[Row],
    ) {
        let bodies: Vec<&Record> = cases
            .iter()
            .filter_map(|at| union.cases.get(*at).and_then(|case| cx.record(case.record)))
            .collect();
        let Some(record) = bodies.first() else { return };
        let mut lines = Vec::new();
        for row in &record.rows {
            if !shared.iter().any(|other| other.span == row.span) {
                continue;
            }
            let places: Vec<Option<Place>> = (0..cx.model.epochs.len())
                .map(|epoch| common_place(cx, &bodies, row, epoch))
                .collect();
            let mut groups: Vec<(String, Vec<String>)> = Vec::new();
            for case in cases.iter().filter_map(|at| union.cases.get(*at)) {
                let Some(body) = cx.record(case.record) else { continue };
                let same = body.rows.iter().find(|other| other.span == row.span);
                for (text, _) in same.map(|row| definer_groups(cx, body, row)).unwrap_or_default() {
                    add_to_group(&mut groups, text, Some(code(&case.name)));
                }
            }
            if let [(_, cases)] = groups.as_mut_slice() {
                cases.clear();
            }
            let at = places.iter().flatten().find_map(|place| place.at);
            let here = vec![true; places.len()];
            lines.push(Line {
                lead: String::new(),
                offsets: places.into_iter().map(|place| place.map(|place| place.text)).collect(),
                at,
                nowhere: row.homes.contains(&Home::Nowhere) && !in_tag(row.ty.first()),
                in_tag: in_tag(row.ty.first()),
                cells: cells(cx, record, row, &here, &groups),
            });
        }
        self.push(lines, "");
    }

    fn push(&mut self, mut lines: Vec<Line>, lead: &str) {
        let constant = lines.iter().all(|line| {
            let mut offsets = line.offsets.iter().flatten();
            offsets.next().is_none_or(|first| offsets.all(|other| other == first))
        });
        if constant && lines.iter().all(|line| line.nowhere || line.at.is_some()) {
            lines.sort_by_key(|line| (line.nowhere, line.at));
        } else {
            lines.sort_by_key(|line| (line.nowhere, !line.in_tag));
        }
        if let Some(first) = lines.first_mut() {
            lead.clone_into(&mut first.lead);
        }
        self.lines.extend(lines);
    }

    /// Changes the last line that was added, of which the filter let one row through.
    pub(super) fn last(&mut self) -> Option<&mut [String]> {
        self.lines.last_mut().map(|line| line.cells.as_mut_slice())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The table with one column of offsets for each group of versions that agree.
    pub(super) fn print(&self, cx: &Cx<'_>, lead: &str, offset: &str, exists: &[bool]) -> String {
        let count = cx.model.epochs.len();
        let groups = group(count, |epoch| {
            if !exists.get(epoch).copied().unwrap_or(false) {
                return None;
            }
            let column = self.lines.iter().map(|line| line.offsets.get(epoch).cloned().flatten());
            Some(column.collect::<Vec<_>>())
        });
        let mut titles = vec![lead.to_owned()];
        for (_, set) in &groups {
            titles.push(match groups.len() {
                1 => offset.to_owned(),
                _ => format!("{offset}, {}", label(cx.model, set)),
            });
        }
        titles.extend(head(&["Size", "Type", "Name", "Role", "Description"]));
        let mut rows = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let mut row = vec![line.lead.clone()];
            for (column, _) in &groups {
                let offset = column.get(at).cloned().flatten();
                row.push(offset.unwrap_or_else(|| "–".to_owned()));
            }
            row.extend(line.cells.iter().cloned());
            rows.push(row);
        }
        table(&titles, &rows)
    }
}

/// Offset, size, type, name, role and description of one row of a record, as they are in these epochs.
pub(super) fn row_cells(cx: &Cx<'_>, id: RecordId, at: usize, here: &[bool]) -> Vec<String> {
    let Some(record) = cx.record(id) else { return Vec::new() };
    let Some(row) = record.rows.get(at) else { return Vec::new() };
    let places = group(cx.model.epochs.len(), |epoch| {
        let place = offsets(cx, record, epoch).into_iter().nth(at).flatten();
        place.filter(|_| here.get(epoch) == Some(&true)).map(|place| place.text)
    });
    let mut found = vec![join(cx.model, &places)];
    found.extend(cells(cx, record, row, here, &definer_groups(cx, record, row)));
    found
}

/// Offset of a row in one epoch.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    /// In bits, if it is constant.
    at: Option<u64>,
    text: String,
}

/// Offset in one epoch of a row that several bodies have; right behind the row before if they differ.
fn common_place(cx: &Cx<'_>, bodies: &[&Record], row: &Row, epoch: usize) -> Option<Place> {
    let mut found = bodies.iter().filter_map(|body| {
        let number = body.rows.iter().position(|other| other.span == row.span)?;
        offsets(cx, body, epoch).into_iter().nth(number).flatten()
    });
    let first = found.next()?;
    let same = found.all(|other| other == first);
    Some(if same { first } else { Place { at: None, text: offset_text(None, 8) } })
}

/// Offset of each row in one epoch: `None` where it is absent.
fn offsets(cx: &Cx<'_>, record: &Record, epoch: usize) -> Vec<Option<Place>> {
    let unit = if matches!(record.kind, crate::model::RecordKind::Word(_)) { 1 } else { 8 };
    let mut cursor = start(cx, record);
    let mut places = Vec::new();
    for row in &record.rows {
        let home = row.homes.get(epoch).copied().unwrap_or(Home::Absent);
        let place = match home {
            Home::Absent => {
                places.push(None);
                continue;
            }
            // Bits of the tag stand where the tag does, whatever the rows before them take.
            _ if in_tag(row.ty.in_epoch(epoch_id(epoch))) => {
                places.push(Some(Place { at: Some(0), text: offset_text(Some(0), unit) }));
                continue;
            }
            Home::Nowhere => {
                places.push(Some(Place { at: None, text: String::new() }));
                continue;
            }
            Home::At(at) => at.checked_mul(unit),
            Home::Next => cursor,
        };
        let aligned = match row.ty.in_epoch(epoch_id(epoch)) {
            Type::Run(RunType { align: Some(align), .. }) if home == Home::Next => {
                let step = align.checked_mul(8);
                place.filter(|at| step.is_some_and(|step| step > 0 && at.is_multiple_of(step)))
            }
            _ => place,
        };
        let text = match word_bits(row.ty.in_epoch(epoch_id(epoch))) {
            Some((first, last)) if first == last => first.to_string(),
            Some((first, last)) => format!("{first}..{last}"),
            None => offset_text(aligned, unit),
        };
        places.push(Some(Place { at: aligned, text }));
        let size = cx.sizes.get(epoch).and_then(|sizes| {
            let ty = row.ty.in_epoch(epoch_id(epoch));
            sizes.bits_of(ty)
        });
        let size = if unit == 1 { Some(0) } else { size };
        cursor = match (aligned, size) {
            _ if row.when.is_some() => None,
            (Some(at), Some(size)) => at.checked_add(size),
            _ => None,
        };
    }
    places
}

/// Whether a row is made of bits of the tag in front.
fn in_tag(ty: &Type) -> bool {
    let storage = match ty {
        Type::Cell(cell) => Some(cell.storage),
        Type::Pointer(pointer) => pointer.cell.as_ref().map(|cell| cell.storage),
        _ => None,
    };
    matches!(storage, Some(Storage::Letter { .. } | Storage::TagOf))
}

/// First and last bit of a field of a word.
fn word_bits(ty: &Type) -> Option<(u8, u8)> {
    let cell = match ty {
        Type::Cell(cell) => cell,
        Type::Pointer(pointer) => pointer.cell.as_ref()?,
        _ => return None,
    };
    match cell.storage {
        Storage::Word { first, last, .. } => Some((first, last)),
        _ => None,
    }
}

/// Where rows without homes begin, in bits: behind the tag, or behind a pattern that reaches
/// further. `None` if that depends on the label.
fn start(cx: &Cx<'_>, record: &Record) -> Option<u64> {
    use crate::model::RecordKind;
    let (union, labels) = match record.kind {
        RecordKind::Struct | RecordKind::Word(_) => return Some(0),
        RecordKind::Case(union, case) => {
            let union = cx.union(union)?;
            (union, &union.cases.get(case as usize)?.labels)
        }
        RecordKind::Form(union, case, form) => {
            let union = cx.union(union)?;
            (union, &union.cases.get(case as usize)?.forms.get(form as usize)?.labels)
        }
    };
    match &union.tag {
        Tag::Own(_) | Tag::Word(_) => union.covered(labels)?.checked_mul(8),
        Tag::Row(_) | Tag::Given(_) => union.body.then_some(0),
    }
}

fn offset_text(at: Option<u64>, unit: u64) -> String {
    match at {
        None => "+".to_owned(),
        Some(at) if unit == 1 => at.to_string(),
        Some(at) if at.is_multiple_of(8) => hex(at / 8),
        Some(at) => format!("{}.{}", hex(at / 8), at % 8),
    }
}

fn epoch_id(epoch: usize) -> EpochId {
    EpochId(u32::try_from(epoch).unwrap_or(u32::MAX))
}

/// Size, type, name, role and description.
fn cells(
    cx: &Cx<'_>,
    record: &Record,
    row: &Row,
    here: &[bool],
    definers: &[(String, Vec<String>)],
) -> Vec<String> {
    let count = cx.model.epochs.len();
    let present = |epoch: usize| {
        here.get(epoch).copied().unwrap_or(false)
            && !matches!(row.homes.get(epoch), None | Some(Home::Absent))
    };
    let sizes = group(count, |epoch| present(epoch).then(|| size_text(cx, record, row, epoch)));
    let sizes = join(cx.model, &sizes);
    let types =
        group(count, |epoch| present(epoch).then(|| row_type(cx, record, row, epoch_id(epoch))));
    let types = join(cx.model, &types);
    let name = row.name.as_deref().map(code).unwrap_or_default();
    vec![sizes, types, name, role(cx, record, row, definers), facts(cx, record, row).join(" ")]
}

fn size_text(cx: &Cx<'_>, record: &Record, row: &Row, epoch: usize) -> String {
    let Some(sizes) = cx.sizes.get(epoch) else { return String::new() };
    let ty = row.ty.in_epoch(epoch_id(epoch));
    let cell = match ty {
        Type::Cell(cell) => Some(cell),
        Type::Pointer(pointer) => pointer.cell.as_ref(),
        _ => None,
    };
    match cell.map(|cell| cell.storage) {
        Some(Storage::Letter { width, .. } | Storage::Bits { width, .. }) => {
            return bits_text(u64::from(width));
        }
        Some(Storage::Word { first, last, .. }) => {
            return bits_text(u64::from(last.saturating_sub(first)).saturating_add(1));
        }
        Some(Storage::TagOf) => return String::new(),
        Some(Storage::Fixed(_) | Storage::Varint(_) | Storage::Digits { .. }) | None => {}
    }
    if row.homes.contains(&Home::Nowhere) {
        return String::new();
    }
    match (sizes.of(ty), sizes.bits_of(ty), ty) {
        (Some(size), _, _) => hex(size),
        (None, Some(bits), _) => bits_text(bits),
        (None, None, Type::Union(_)) => {
            room(record, row, epoch).map_or_else(|| "varies".to_owned(), hex)
        }
        (None, None, Type::Array(array)) if array.stride.is_none() && array.described.is_none() => {
            match (sizes.of(&array.element), &array.length) {
                (Some(size), ArrayLength::Count(count)) => {
                    format!("{} × {}", hex(size), factor(cx, *count))
                }
                (Some(size), ArrayLength::Fill | ArrayLength::Last(_)) => {
                    format!("{} each", hex(size))
                }
                _ => "varies".to_owned(),
            }
        }
        _ => "varies".to_owned(),
    }
}

/// An amount by which a size is multiplied.
fn factor(cx: &Cx<'_>, count: ExprId) -> String {
    let text = written(cx.model, count);
    match text.strip_prefix('`').and_then(|text| text.strip_suffix('`')) {
        Some(inner) if inner.contains(' ') && !inner.ends_with(')') => code(&format!("({inner})")),
        _ => text,
    }
}

/// Bytes from a row to the next home, or to the end of the struct.
fn room(record: &Record, row: &Row, epoch: usize) -> Option<u64> {
    let home = |row: &Row| match row.homes.get(epoch) {
        Some(Home::At(at)) => Some(*at),
        _ => None,
    };
    let start = home(row)?;
    let next = record.rows.iter().filter_map(home).filter(|at| *at > start).min();
    let size = record.sizes.get(epoch).copied().flatten();
    next.or(size)?.checked_sub(start)
}

fn bits_text(bits: u64) -> String {
    if bits == 1 { "1 bit".to_owned() } else { format!("{bits} bits") }
}

/// The type, or what a row without a value is.
fn row_type(cx: &Cx<'_>, record: &Record, row: &Row, epoch: EpochId) -> String {
    let ty = row.ty.in_epoch(epoch);
    match &row.kind {
        RowKind::Zero | RowKind::Reserved => "padding".to_owned(),
        RowKind::Zeros => format!("zero bytes, {}", end_text(cx, record)),
        RowKind::Runtime => "runtime".to_owned(),
        RowKind::Constant(Constant::Bytes(bytes))
            if matches!(ty, Type::Run(RunType { content: Content::Bytes, .. })) =>
        {
            let text = bytes.iter().any(u8::is_ascii_alphanumeric)
                && bytes.iter().all(|b| *b == 0 || *b == b' ' || b.is_ascii_graphic());
            if text { "characters" } else { "bytes" }.to_owned()
        }
        RowKind::Mark { .. } => "address".to_owned(),
        RowKind::Object { .. } => format!("object {}", type_text(cx, ty, epoch)),
        RowKind::Slice { count, .. } => {
            // Where no row says how many there are, the type says where they end.
            let (Some(count), Type::Array(array)) = (count, ty) else {
                return type_text(cx, ty, epoch);
            };
            format!("{} × {}", row_name(record, *count), type_text(cx, &array.element, epoch))
        }
        RowKind::Value { .. } => value_type(cx, ty, epoch),
        _ if matches!(row.role, Role::Elsewhere) => content_type(cx, ty, epoch),
        _ => type_text(cx, ty, epoch).replace(TO_THE_END, end_text(cx, record)),
    }
}

/// Where rows of a record end that go to the end.
fn end_text(cx: &Cx<'_>, record: &Record) -> &'static str {
    let is_root = cx.record(cx.model.root).is_some_and(|root| std::ptr::eq(root, record));
    if is_root { "to the end of the file" } else { TO_THE_END }
}

/// The type of a value that is stored elsewhere, or nowhere.
pub(super) fn value_type(cx: &Cx<'_>, ty: &Type, epoch: EpochId) -> String {
    match ty {
        Type::Cell(Cell { meaning: Meaning::Bool { .. }, .. }) => "bool".to_owned(),
        _ => type_text(cx, ty, epoch),
    }
}

/// The part that the row plays, with what it follows from.
fn role(cx: &Cx<'_>, record: &Record, row: &Row, definers: &[(String, Vec<String>)]) -> String {
    if let Some(in_step) = row.ty.in_step() {
        return format!("derived: {}", in_step_text(record, in_step));
    }
    match &row.role {
        Role::Data => "data".to_owned(),
        Role::Default(value) => format!("default {}", constant(value)),
        Role::Fixed => "fixed".to_owned(),
        Role::Derived => {
            let each = definers.iter().map(|(text, cases)| match cases.as_slice() {
                [] => text.clone(),
                cases => format!("{text} ({})", cases.join(", ")),
            });
            let otherwise = row.is_given_in_a_layout().then(|| "otherwise data".to_owned());
            format!("derived: {}", each.chain(otherwise).collect::<Vec<_>>().join("; "))
        }
        Role::Kept(expr) => format!("kept: usually {}", usual(cx, *expr)),
        Role::Spelling if matches!(row.kind, RowKind::Pool { .. }) => {
            "kept: usually the texts that pointers lead to".to_owned()
        }
        Role::Spelling => "unused".to_owned(),
        Role::View { slices, key } => {
            let slices: Vec<String> =
                slices.iter().map(|path| code(&path_text(cx.model, path))).collect();
            let key = key.map(|key| format!(", sorted by {}", written(cx.model, key)));
            format!("view: all of {}{}", slices.join(", then "), key.unwrap_or_default())
        }
        Role::Elsewhere => "elsewhere".to_owned(),
    }
}

/// An equation, with a link to the section about it.
fn usual(cx: &Cx<'_>, expr: ExprId) -> String {
    use super::plan::{Key, Part};
    match &cx.model[expr] {
        Expr::Patricia(_) => {
            let text = words(cx.model, expr);
            text.replacen("radix tree", &cx.link(&Key::Part(Part::Dictionaries), "radix tree"), 1)
        }
        Expr::RelocationSections | Expr::RelocationEntries => {
            let link = cx.link(&Key::Part(Part::Relocation), "relocation table");
            words(cx.model, expr).replacen("relocation table", &link, 1)
        }
        Expr::Int(value) => code(&number(*value)),
        _ => words(cx.model, expr),
    }
}

/// Equations of a derived row, each with the cases that it holds in.
fn definer_groups(cx: &Cx<'_>, record: &Record, row: &Row) -> Vec<(String, Vec<String>)> {
    let mut groups = Vec::new();
    for definer in &row.definers {
        let (text, case) = match &definer.scope {
            DefinerScope::Own => (source_words(cx, record, &definer.source), None),
            DefinerScope::Case(union, number) => {
                let union = record.rows.get(union.index()).and_then(|row| row.ty.unions().next());
                let union = union.and_then(|id| cx.union(id));
                let case = union.and_then(|union| union.cases.get(*number as usize));
                let body = case.and_then(|case| cx.record(case.record)).unwrap_or(record);
                let name = case.map(|case| code(&case.name));
                (source_words(cx, body, &definer.source), name)
            }
            // Another one for each use of the struct: said for all that share a section.
            DefinerScope::Owner(..) if cx.is_comparing() => ("its owner".to_owned(), None),
            DefinerScope::Owner(..) => {
                for other in cx.alike(record) {
                    let rows = other.rows.iter().filter(|other| other.span == row.span);
                    for definer in rows.flat_map(|row| &row.definers) {
                        if let DefinerScope::Owner(owner, _) = &definer.scope {
                            let holder = cx.record(*owner).unwrap_or(record);
                            let text = source_words(cx, holder, &definer.source);
                            let text = format!("{text} in {}", cx.record_link(*owner));
                            add_to_group(&mut groups, text, None);
                        }
                    }
                }
                continue;
            }
        };
        let text = match definer.epochs.as_slice() {
            [] => text,
            epochs => format!("{text} in {}", label(cx.model, epochs)),
        };
        add_to_group(&mut groups, text, case);
    }
    groups
}

fn add_to_group(groups: &mut Vec<(String, Vec<String>)>, text: String, case: Option<String>) {
    match groups.iter_mut().find(|(known, _)| *known == text) {
        Some((_, cases)) => cases.extend(case),
        None => groups.push((text, case.into_iter().collect())),
    }
}

fn source_words(cx: &Cx<'_>, record: &Record, source: &DefinerSource) -> String {
    let (measure, row, factor, offset) = match source {
        DefinerSource::Expr(expr) => return usual(cx, *expr),
        DefinerSource::Measure { measure, row, factor, offset } => {
            (measure, *row, *factor, *offset)
        }
    };
    let name = row_name(record, row);
    let mut text = match measure {
        Measure::Count if is_run(record, row) => format!("length of {name}"),
        Measure::Count => format!("number of {name}"),
        Measure::Records => format!("number of records in {name}"),
        Measure::Size => format!("size of {name}, in bytes"),
        Measure::End => format!("file offset of the end of {name}"),
        Measure::At(base) => match (cx.model.exprs.constant(*base), &cx.model[*base]) {
            (Some(0), _) => format!("file offset of {name}"),
            (None, Expr::At(path)) => {
                format!("distance from the start of {} to {name}", place(cx.model, path))
            }
            (None, Expr::End(path)) => {
                format!("distance from the end of {} to {name}", place(cx.model, path))
            }
            _ => format!("file offset of {name}, minus {}", written(cx.model, *base)),
        },
        Measure::Base => format!("index of the first of {name}"),
        Measure::Tag => format!("case of {name}"),
    };
    match offset {
        0 => {}
        1.. => text = format!("{text}, minus {}", number(offset)),
        _ => text = format!("{text}, plus {}", number(offset.saturating_neg())),
    }
    if factor != 1 {
        text = format!("{text}, divided by {factor}");
    }
    text
}

/// Whether a row is bytes or text rather than elements.
fn is_run(record: &Record, row: RowId) -> bool {
    let Some(row) = record.rows.get(row.index()) else { return false };
    let mut ty = &row.ty;
    loop {
        ty = match ty {
            Type::Run(_) => return true,
            Type::Region(region) => &region.inner,
            Type::Pointer(pointer) => match &pointer.target {
                crate::model::Target::Own(target) => target,
                _ => return false,
            },
            Type::PerEpoch(types) => match types.first() {
                Some(ty) => ty,
                None => return false,
            },
            _ => return false,
        };
    }
}
