//! What the page has a heading for, and where links lead.

use std::collections::{HashMap, HashSet};

use super::text::plain;
use crate::model::{
    Cell, EnumId, EpochId, Meaning, Model, Record, RecordId, RecordKind, Row, Sizes, Type, Union,
    UnionId,
};
use crate::print;
use crate::span::Span;

/// Most rounds in which records are told apart; each finds at least one more difference.
const ROUNDS: usize = 64;

/// Structs of up to so many bytes are small.
const SMALL: u64 = 0x20;

/// Something with a heading of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// Structs that differ in their arguments only.
    Class(usize),
    /// A union inside of such a struct: the way to it.
    Union(usize, String),
    /// An enumeration.
    Enum(EnumId),
    /// A part of the page.
    Part(Part),
}

/// The parts of the page, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Overview,
    Versions,
    Tables,
    Structures,
    Enumerations,
    Strings,
    Varints,
    Digits,
    Pointers,
    Pools,
    Shared,
    Dictionaries,
    Relocation,
    Order,
    Examples,
    Limits,
    Open,
    Sources,
}

/// A heading.
#[derive(Debug, Clone)]
pub(super) struct Heading {
    pub key: Key,
    /// Number of `#`.
    pub level: usize,
    pub title: String,
}

/// The model with everything that links need.
pub(super) struct Cx<'m> {
    pub model: &'m Model,
    /// Sizes, per epoch.
    pub sizes: Vec<Sizes<'m>>,
    /// Struct or word around each union, and the way from it.
    places: Vec<Option<(RecordId, String)>>,
    /// Record that holds the row of each union.
    holders: Vec<Option<RecordId>>,
    /// Class of each record.
    classes: Vec<usize>,
    /// Records by their names.
    names: HashMap<&'m str, RecordId>,
    /// Records of each class.
    members: HashMap<usize, Vec<RecordId>>,
    /// Names for people, of each record.
    titles: Vec<String>,
    /// Declared strings by their types in words.
    strings: HashMap<String, String>,
    /// Anchors of headings.
    anchors: HashMap<Key, String>,
    /// What the examples look like, field by field.
    listings: Vec<String>,
}

impl<'m> Cx<'m> {
    /// `body` makes the section of a record; records whose sections are equal share one.
    pub(super) fn new(model: &'m Model, body: &dyn Fn(&Cx<'m>, RecordId) -> String) -> Cx<'m> {
        let epochs = (0..model.epochs.len()).map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let mut cx = Cx {
            model,
            sizes: epochs.map(|at| model.sizes(EpochId(at))).collect(),
            places: Vec::new(),
            holders: holders(model),
            classes: Vec::new(),
            names: model.records().map(|(id, record)| (record.name.as_str(), id)).collect(),
            members: HashMap::new(),
            titles: Vec::new(),
            strings: HashMap::new(),
            anchors: HashMap::new(),
            listings: Vec::new(),
        };
        cx.places = cx.find_places();
        for string in model.strings.iter().rev() {
            cx.strings.insert(print::type_text(model, &string.ty), string.name.clone());
        }
        let declared: Vec<(String, crate::span::Span)> =
            model.records.iter().map(|record| (record.template.clone(), record.span)).collect();
        let (mut classes, mut count) = number(declared.iter());
        for _ in 0..ROUNDS {
            cx.set_classes(classes.clone());
            let several: HashSet<usize> = repeated(&classes);
            let bodies: Vec<(usize, String)> = model
                .records()
                .map(|(id, _)| {
                    let class = classes[id.index()];
                    let alone = !several.contains(&class) || !cx.has_section(id);
                    (class, if alone { String::new() } else { body(&cx, id) })
                })
                .collect();
            let (finer, finer_count) = number(bodies.iter());
            classes = finer;
            if finer_count == count {
                break;
            }
            count = finer_count;
        }
        cx.set_classes(classes);
        cx
    }

    fn set_classes(&mut self, classes: Vec<usize>) {
        self.classes = classes;
        self.members = HashMap::new();
        // Sections of each name: a name that several have needs its arguments.
        let mut named: HashMap<&str, HashSet<usize>> = HashMap::new();
        for (id, record) in self.model.records() {
            let class = self.class(id);
            self.members.entry(class).or_default().push(id);
            if self.has_section(id) {
                named.entry(record.template.as_str()).or_default().insert(class);
            }
        }
        let title = |(id, record): (RecordId, &Record)| {
            let several = named.get(record.template.as_str()).is_some_and(|found| found.len() > 1);
            let name =
                if self.has_section(id) && !several { &record.template } else { &record.name };
            name.clone()
        };
        self.titles = self.model.records().map(title).collect();
    }

    /// Says what examples look like, one listing for each.
    pub(super) fn set_listings(&mut self, listings: &[String]) {
        self.listings = listings.to_vec();
    }

    /// The listing of an example; empty if it has none.
    pub(super) fn listing(&self, example: usize) -> &str {
        self.listings.get(example).map_or("", String::as_str)
    }

    /// Whether a record is not part of another one's section.
    pub(super) fn has_section(&self, id: RecordId) -> bool {
        self.model
            .records
            .get(id.index())
            .is_some_and(|r| matches!(r.kind, RecordKind::Struct | RecordKind::Word(_)))
    }

    pub(super) fn class(&self, id: RecordId) -> usize {
        self.classes.get(id.index()).copied().unwrap_or(usize::MAX)
    }

    /// All records of the class.
    pub(super) fn members(&self, class: usize) -> &[RecordId] {
        self.members.get(&class).map_or(&[], Vec::as_slice)
    }

    /// One record per section: the root, then what it leads to, and so on, each where it is met first;
    /// small ones that several lead to stand at the end.
    pub(super) fn sections(&self) -> Vec<RecordId> {
        let mut seen = HashSet::new();
        let mut all: Vec<RecordId> = self
            .model
            .records()
            .map(|(id, _)| id)
            .filter(|id| self.has_section(*id) && seen.insert(self.class(*id)))
            .collect();
        all.sort_by_key(|id| self.record(*id).map(|r| (r.span.source, r.span.start)));
        // Those that nothing leads to come last, as the schema has them.
        let mut found: Vec<RecordId> = Vec::new();
        let mut met = HashSet::new();
        let mut at = 0;
        for start in std::iter::once(self.model.root).chain(all.iter().copied()) {
            if met.insert(self.class(start)) {
                found.push(start);
            }
            while let Some(id) = found.get(at).copied() {
                at = at.saturating_add(1);
                for (next, _) in self.leads(id) {
                    if met.insert(self.class(next)) {
                        found.push(next);
                    }
                }
            }
        }
        let first = |id: RecordId| {
            let class = self.class(id);
            all.iter().copied().find(|other| self.class(*other) == class)
        };
        let found: Vec<RecordId> = found.into_iter().filter_map(first).collect();
        let mut mentions: HashMap<usize, HashSet<Span>> = HashMap::new();
        for (class, row) in found.iter().flat_map(|id| self.leads(*id)) {
            mentions.entry(self.class(class)).or_default().insert(row);
        }
        let is_small = |id: &RecordId| {
            let shared = mentions.get(&self.class(*id)).is_some_and(|rows| rows.len() > 1);
            shared && *id != self.model.root && self.leads(*id).is_empty() && self.has_size(*id)
        };
        let (last, mut sections): (Vec<RecordId>, Vec<RecordId>) =
            found.into_iter().partition(is_small);
        sections.extend(last);
        sections
    }

    /// Whether the size of a struct is the same everywhere, and small.
    fn has_size(&self, id: RecordId) -> bool {
        let sizes = self.sizes.iter().filter_map(|sizes| sizes.of(&Type::Record(id)));
        let mut sizes = sizes.peekable();
        sizes.peek().is_some() && sizes.all(|size| size <= SMALL)
    }

    /// Other structs that a section mentions, each with the row that does, in the order of the rows.
    fn leads(&self, id: RecordId) -> Vec<(RecordId, Span)> {
        let mut found = Vec::new();
        let mut work = vec![id];
        let mut seen = HashSet::new();
        while let Some(at) = work.pop() {
            let Some(record) = self.record(at).filter(|_| seen.insert(at)) else { continue };
            let mut bodies = Vec::new();
            for row in &record.rows {
                for part in row.ty.parts() {
                    match part {
                        Type::Record(inner) => found.push((*inner, row.span)),
                        Type::Cell(Cell { meaning: Meaning::Word(word), .. }) => {
                            found.push((*word, row.span));
                        }
                        Type::Union(union) => {
                            for case in self.union(*union).iter().flat_map(|union| &union.cases) {
                                if case.whole {
                                    found.push((case.record, case.span));
                                } else {
                                    bodies.push(case.record);
                                    bodies.extend(case.forms.iter().map(|form| form.record));
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            work.extend(bodies.into_iter().rev());
        }
        let class = self.class(id);
        found.retain(|(other, _)| self.class(*other) != class && self.has_section(*other));
        found
    }

    pub(super) fn record(&self, id: RecordId) -> Option<&'m Record> {
        self.model.records.get(id.index())
    }

    pub(super) fn union(&self, id: UnionId) -> Option<&'m Union> {
        self.model.unions.get(id.index())
    }

    /// Name of a struct for people: with its arguments only if another section has the same name.
    pub(super) fn title(&self, id: RecordId) -> &str {
        self.titles.get(id.index()).map_or("", String::as_str)
    }

    /// The same struct with other arguments, if they share a section; the record itself is among
    /// them.
    pub(super) fn alike(&self, record: &Record) -> Vec<&'m Record> {
        let id = self.names.get(record.name.as_str());
        let members = id.map_or(&[][..], |id| self.members(self.class(*id)));
        members.iter().filter_map(|id| self.record(*id)).collect()
    }

    /// Whether sections are being compared, and nothing is printed yet.
    pub(super) fn is_comparing(&self) -> bool {
        self.anchors.is_empty()
    }

    /// Name of the declared string that is this type.
    pub(super) fn string(&self, ty: &Type) -> Option<&str> {
        if !matches!(ty, Type::Run(_) | Type::Region(_)) || self.strings.is_empty() {
            return None;
        }
        self.strings.get(&print::type_text(self.model, ty)).map(String::as_str)
    }

    /// The record that holds the row of a union.
    pub(super) fn direct_holder(&self, id: UnionId) -> Option<&'m Record> {
        self.record((*self.holders.get(id.index())?)?)
    }

    /// Name of a union inside of a struct: `Event.data`.
    pub(super) fn union_title(&self, id: UnionId) -> String {
        let Some(union) = self.union(id) else { return String::new() };
        let Some((holder, _)) = self.place(id) else { return union.name.clone() };
        let holder_name = self.record(holder).map_or("", |r| r.name.as_str());
        match union.name.strip_prefix(holder_name) {
            Some(rest) => format!("{}{rest}", self.title(holder)),
            None => union.name.clone(),
        }
    }

    fn place(&self, id: UnionId) -> Option<(RecordId, &str)> {
        let (record, way) = self.places.get(id.index())?.as_ref()?;
        Some((*record, way))
    }

    /// For each union the struct around it, and the rows and cases that lead to it.
    fn find_places(&self) -> Vec<Option<(RecordId, String)>> {
        let way = |start: UnionId| {
            let mut way = String::new();
            let mut at = start;
            // Unions are finitely deep; a longer way would be a circle.
            for _ in 0..=self.model.unions.len() {
                let holder = (*self.holders.get(at.index())?)?;
                let record = self.record(holder)?;
                let leads = |row: &Row| row.ty.unions().any(|union| union == at);
                let row = record.rows.iter().position(leads)?;
                way = format!("/{row}{way}");
                match record.kind {
                    RecordKind::Case(union, case) => {
                        way = format!("/{case}{way}");
                        at = union;
                    }
                    RecordKind::Form(union, case, form) => {
                        way = format!("/{case}.{form}{way}");
                        at = union;
                    }
                    RecordKind::Struct | RecordKind::Word(_) => return Some((holder, way)),
                }
            }
            None
        };
        let ids = (0_u32..).map(UnionId).take(self.model.unions.len());
        ids.map(way).collect()
    }

    /// The struct around a union.
    pub(super) fn holder(&self, id: UnionId) -> Option<RecordId> {
        self.place(id).map(|(record, _)| record)
    }

    /// Heading of a record; of the body of a case that of its struct.
    pub(super) fn record_key(&self, id: RecordId) -> Key {
        let top = self.top(id);
        Key::Class(self.class(top))
    }

    /// The struct that a record is a part of: itself, or the one around its union.
    pub(super) fn top(&self, id: RecordId) -> RecordId {
        match self.record(id).map(|record| &record.kind) {
            Some(RecordKind::Case(union, _) | RecordKind::Form(union, ..)) => {
                self.holder(*union).unwrap_or(id)
            }
            _ => id,
        }
    }

    pub(super) fn union_key(&self, id: UnionId) -> Key {
        let Some((holder, way)) = self.place(id) else { return Key::Part(Part::Structures) };
        let class = self.class(holder);
        match self.union(id) {
            Some(union) if !union.body => Key::Union(class, way.to_owned()),
            _ => Key::Class(class),
        }
    }

    /// Gives the headings their anchors, as GitHub makes them.
    pub(super) fn name_anchors(&mut self, headings: &[Heading]) {
        let mut used: HashMap<String, usize> = HashMap::new();
        for heading in headings {
            let slug = slug(&heading.title);
            let count = used.entry(slug.clone()).or_insert(0);
            let anchor = if *count == 0 { slug } else { format!("{slug}-{count}") };
            *count = count.saturating_add(1);
            self.anchors.insert(heading.key.clone(), anchor);
        }
    }

    /// A link, or only its text if the page has no such heading.
    pub(super) fn link(&self, key: &Key, text: &str) -> String {
        match self.anchors.get(key) {
            Some(anchor) => format!("[{text}](#{anchor})"),
            // Sections are still compared: what they link to is part of it.
            None if self.is_comparing() => format!("[{text}]({key:?})"),
            None => text.to_owned(),
        }
    }

    pub(super) fn record_link(&self, id: RecordId) -> String {
        let top = self.top(id);
        self.link(&self.record_key(id), &plain(self.title(top)))
    }

    pub(super) fn union_link(&self, id: UnionId) -> String {
        self.link(&self.union_key(id), &plain(&self.union_title(id)))
    }
}

/// Numbers equal things equally, in the order in which they come.
fn number<T: std::hash::Hash + Eq>(things: impl Iterator<Item = T>) -> (Vec<usize>, usize) {
    let mut known: HashMap<T, usize> = HashMap::new();
    let mut numbers = Vec::new();
    for thing in things {
        let next = known.len();
        numbers.push(*known.entry(thing).or_insert(next));
    }
    (numbers, known.len())
}

fn repeated(classes: &[usize]) -> HashSet<usize> {
    let mut seen = HashSet::new();
    classes.iter().copied().filter(|class| !seen.insert(*class)).collect()
}

/// The anchor that GitHub gives a heading.
fn slug(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Unions of the rows of a record, in the order of the rows.
pub(super) fn unions_in(rows: &[Row]) -> Vec<UnionId> {
    let mut found = Vec::new();
    for union in rows.iter().flat_map(|row| row.ty.unions()) {
        if !found.contains(&union) {
            found.push(union);
        }
    }
    found
}

/// For each union the record that holds its row.
fn holders(model: &Model) -> Vec<Option<RecordId>> {
    let mut direct: Vec<Option<RecordId>> = vec![None; model.unions.len()];
    for (id, record) in model.records() {
        for union in unions_in(&record.rows) {
            if let Some(holder) = direct.get_mut(union.index()) {
                holder.get_or_insert(id);
            }
        }
    }
    direct
}
