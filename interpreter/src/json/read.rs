//! From JSON to a value, by the model: with the path of everything that is wrong.

use formwork::engine::{Program, cell_fits, epoch_of};
use formwork::json::{
    escaped, keys_words, member_words, no_field, no_kept_row, plain_key, struct_words, union_words,
};
use formwork_model::{
    ArrayType, Case, Cell, EpochId, RecordId, Role, Row, RowKind, Target, Type, UnionId, seen,
};

use super::parse::{Json, Kind, parse, position};
use super::plain::Plain;
use super::{
    FORMAT, INCOMPLETE, JsonError, JsonProblem, KEPT, ROW, SCHEMA_VERSION, SPELLED, TOOL, VALUE,
};
use crate::shape::{Shape, Shapes, flattened};
use crate::stack::with_stack;
use crate::value::{StructValue, UnionValue, Value};

/// Problems that are reported at most.
const MOST_PROBLEMS: usize = 32;

/// Types that may stand around a value. The depth of a JSON text ends before, with several types
/// a level.
const MAX_DEPTH: u32 = 16_384;

/// What stands at the head of a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Program that made it, with its version: `formwork 0.1.0`. Of a text that somebody wrote it
    /// may be missing.
    pub tool: Option<String>,
    /// Name of the format.
    pub format: String,
    /// Version of its schema; where none is said, the text is taken to be of the schema at hand.
    pub schema_version: Option<u32>,
}

/// A JSON text that was read, with its header.
#[derive(Debug, Clone, PartialEq)]
pub struct Text<'t> {
    text: &'t str,
    header: Header,
    json: Json<'t>,
}

impl<'t> Text<'t> {
    /// Reads a text as far as its header.
    ///
    /// # Errors
    ///
    /// If it is no JSON, or has no header.
    pub fn parse(text: &'t str) -> Result<Text<'t>, JsonError> {
        let json = parse(text).map_err(JsonError::Syntax)?;
        let mut reader = Problems::new(text);
        let header = reader.header(&json);
        match header {
            Some(header) if reader.list.is_empty() => Ok(Text { text, header, json }),
            _ => Err(JsonError::Value(reader.list)),
        }
    }

    /// Its header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The value, as the model says what it consists of.
    ///
    /// # Errors
    ///
    /// If the header names another format or version of the schema, or the value is not of the
    /// format: fields that are missing or unknown, kinds of values, numbers, names. What follows
    /// from several fields is not looked at; [`crate::write()`] does that.
    pub fn value(&self, program: &Program) -> Result<Value, JsonError> {
        let model = program.model();
        let mut problems = Problems::new(self.text);
        let Header { format, schema_version, .. } = &self.header;
        if *format != model.name {
            problems.add_at(
                &self.json,
                FORMAT,
                format!("expected the format `{}`, found `{format}`", model.name),
            );
        } else if let Some(found) = schema_version.filter(|version| *version != model.version) {
            problems.add_at(
                &self.json,
                SCHEMA_VERSION,
                format!("expected version {} of the schema, found {found}", model.version),
            );
        }
        let Some(json) = self.json.get(VALUE).filter(|_| problems.list.is_empty()) else {
            return Err(JsonError::Value(problems.list));
        };
        // Which layout it has is known when the numbers that select it are.
        let mut epoch = None;
        if !model.epoch_variables.is_empty() {
            let mut draft = Reader::new(self.text, Shapes::new(program, None));
            epoch = epoch_of(program, draft.root(json).given()).ok();
        }
        let mut reader = Reader::new(self.text, Shapes::new(program, epoch));
        let value = reader.root(json);
        match reader.problems.list.is_empty() {
            true => Ok(value),
            false => Err(JsonError::Value(reader.problems.list)),
        }
    }
}

/// Reads the value of a row, or of one element of the array in it.
///
/// # Errors
///
/// If it is no JSON, or no such value.
pub(crate) fn part<'m>(
    program: &'m Program,
    epoch: EpochId,
    text: &str,
    row: &'m Row,
    element: Option<&'m Type>,
) -> Result<Value, JsonError> {
    let json = parse(text).map_err(JsonError::Syntax)?;
    let mut reader = Reader::new(text, Shapes::new(program, Some(epoch)));
    let value = match element {
        Some(ty) => reader.item(&json, ty, row),
        None => reader.row(&json, row),
    };
    match reader.problems.list.is_empty() {
        true => Ok(value),
        false => Err(JsonError::Value(reader.problems.list)),
    }
}

/// What is wrong so far, and where the reader is.
#[derive(Debug)]
pub(super) struct Problems<'t> {
    text: &'t str,
    path: String,
    pub list: Vec<JsonProblem>,
}

impl<'t> Problems<'t> {
    fn new(text: &'t str) -> Self {
        Problems { text, path: String::new(), list: Vec::new() }
    }

    pub(super) fn add(&mut self, json: &Json<'_>, message: String) {
        if self.list.len() < MOST_PROBLEMS {
            let (line, _) = position(self.text, json.at);
            // Each is a line, whatever keys and texts are in it.
            let (path, message) = (seen(&self.path).into_owned(), seen(&message).into_owned());
            self.list.push(JsonProblem { path, line, message });
        }
    }

    /// A problem of a member of an object, whether it is there or not.
    fn add_at(&mut self, json: &Json<'_>, key: &str, message: String) {
        let place = json.get(key).unwrap_or(json);
        self.inside(key, |problems| problems.add(place, message));
    }

    /// Does something one step further down.
    fn inside<T>(&mut self, key: &str, what: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.enter(key);
        let result = what(self);
        self.path.truncate(length);
        result
    }

    fn enter(&mut self, key: &str) -> usize {
        let length = self.path.len();
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(key);
        length
    }

    pub(super) fn wrong(&mut self, json: &Json<'_>, expected: &str) -> Value {
        let found = match &json.kind {
            Kind::Number(number) if number.len() <= 40 => (*number).to_owned(),
            Kind::Text(text) if text.chars().count() <= 40 => format!("{text:?}"),
            _ => json.kind_name().to_owned(),
        };
        self.add(json, format!("expected {expected}, found {found}"));
        Value::None
    }

    fn header(&mut self, json: &Json<'_>) -> Option<Header> {
        let Kind::Object(members) = &json.kind else {
            self.wrong(json, "an object with `format` and `value`");
            return None;
        };
        let keys = [TOOL, FORMAT, SCHEMA_VERSION, VALUE];
        for (key, _) in members.iter().filter(|(key, _)| !keys.contains(&key.as_str())) {
            let message = match key.as_str() {
                INCOMPLETE => "the text is a part of a file, which could not be read to its end",
                _ => "the header has no such key",
            };
            self.add_at(json, key, message.to_owned());
        }
        for key in [FORMAT, VALUE].into_iter().filter(|key| json.get(key).is_none()) {
            self.add_at(json, key, format!("`{key}` is missing"));
        }
        let mut text = |key: &str| match json.get(key).map(|json| (json, &json.kind)) {
            Some((_, Kind::Text(text))) => Some(text.clone()),
            Some((other, _)) => {
                self.inside(key, |problems| problems.wrong(other, "a text"));
                None
            }
            None => None,
        };
        let (tool, format) = (text(TOOL), text(FORMAT));
        if let Some(tool) = tool.as_ref().filter(|tool| !tool.starts_with("formwork ")) {
            let message = format!("expected `formwork` and its version, found `{tool}`");
            self.add_at(json, TOOL, message);
        }
        let version = json.get(SCHEMA_VERSION);
        let schema_version = version.and_then(|version| match version.kind {
            Kind::Number(number) => number.parse().ok(),
            _ => None,
        });
        if let (None, Some(version)) = (schema_version, version) {
            self.inside(SCHEMA_VERSION, |problems| {
                problems.wrong(version, "the number of a version");
            });
        }
        Some(Header { tool, format: format?, schema_version })
    }
}

/// Where what is kept of a value stands.
enum Level {
    /// Around what is in it.
    Inside,
    /// Around itself: of this struct, which stands for its only row, or nothing is.
    Own(Option<RecordId>),
}

pub(super) struct Reader<'t, 'm> {
    pub problems: Problems<'t>,
    shapes: Shapes<'m>,
    /// Types around what is being read.
    depth: u32,
}

impl<'t, 'm> Reader<'t, 'm> {
    fn new(text: &'t str, shapes: Shapes<'m>) -> Self {
        Reader { problems: Problems::new(text), shapes, depth: 0 }
    }

    fn root(&mut self, json: &Json<'_>) -> Value {
        self.problems.enter(VALUE);
        let value = match self.shapes.root() {
            Shape::Struct(record) => self.spelled(json, None, |reader, json| {
                Value::Struct(reader.structure(json, record, reader.shapes.rows(record)))
            }),
            _ => {
                // A root that stands for its one row.
                let record = &self.shapes.model.records[self.shapes.model.root.index()];
                let rows = self.shapes.rows(self.shapes.model.root);
                match record.transparent {
                    Some(row) => {
                        self.spelled(json, Some(self.shapes.model.root), |reader, json| {
                            reader.row(json, &rows[row.index()])
                        })
                    }
                    None => Value::None,
                }
            }
        };
        self.problems.path.clear();
        value
    }

    /// A value that may stand in a wrapper, with its spelling: that of a struct which stands for its
    /// only row, the `keeper`.
    fn spelled(
        &mut self,
        json: &Json<'_>,
        keeper: Option<RecordId>,
        mut read: impl FnMut(&mut Self, &Json<'_>) -> Value,
    ) -> Value {
        let (Some(inner), Kind::Object(members)) = (json.get(SPELLED), &json.kind) else {
            return read(self, json);
        };
        for (key, member) in members.iter().filter(|(key, _)| key != SPELLED && key != KEPT) {
            self.problems.inside(key, |problems| {
                problems.add(member, "beside `$value` there is only `$kept`".to_owned());
            });
        }
        let length = self.problems.enter(SPELLED);
        let value = read(self, inner);
        self.problems.path.truncate(length);
        let kept = json.get(KEPT).map(|kept| {
            self.check_kept(kept, keeper);
            self.kept(kept)
        });
        value.spelled(kept.unwrap_or_default())
    }

    fn kept(&mut self, json: &Json<'_>) -> Vec<crate::value::Kept> {
        self.problems.inside(KEPT, |problems| Plain { problems }.kept(json))
    }

    /// The value of a row.
    fn row(&mut self, json: &Json<'_>, row: &'m Row) -> Value {
        match row.kind {
            RowKind::Zeros => self.spelled(json, None, |reader, json| match json.kind {
                Kind::Null if !reader.shapes.is_never_none(&row.ty, row) => Value::None,
                _ => reader.integer(json, None, row),
            }),
            _ => self.item(json, &row.ty, row),
        }
    }

    /// The value of a row or element of this type.
    fn item(&mut self, json: &Json<'_>, ty: &'m Type, row: &'m Row) -> Value {
        // A struct may stand for nothing but another one of its kind, without an end.
        if self.depth >= MAX_DEPTH {
            self.problems.add(json, format!("it is nested deeper than {MAX_DEPTH} types"));
            return Value::None;
        }
        self.depth += 1;
        let value = with_stack(|| match self.level(ty) {
            Level::Inside => self.bare(json, ty, row),
            Level::Own(keeper) => {
                self.spelled(json, keeper, |reader, json| reader.bare(json, ty, row))
            }
        });
        self.depth -= 1;
        value
    }

    fn bare(&mut self, json: &Json<'_>, ty: &'m Type, row: &'m Row) -> Value {
        let is_null = json.kind == Kind::Null;
        if is_null && !self.shapes.is_never_none(ty, row) {
            return Value::None;
        }
        match ty.stripped() {
            Type::Record(id) => {
                let record = &self.shapes.model.records[id.index()];
                match record.transparent {
                    Some(row) => self.row(json, &record.rows[row.index()]),
                    None => Value::Struct(self.structure(json, *id, &record.rows)),
                }
            }
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => self.item(json, target, row),
                Target::Element => self.integer(json, None, row),
                Target::Pooled => {
                    let kind = &self.shapes.model.pointers[pointer.kind.index()];
                    match kind.text.as_deref() {
                        Some(text) => self.item(json, text, row),
                        None => self.text(json, false),
                    }
                }
            },
            Type::Array(array) => self.array(json, array, row),
            Type::Union(union) => self.union(json, *union),
            Type::PerEpoch(types) => match types.iter().find(|ty| !matches!(ty, Type::Nothing)) {
                Some(ty) => self.item(json, ty, row),
                None => Value::None,
            },
            ty => self.scalar(json, self.shapes.of(ty), row),
        }
    }

    fn scalar(&mut self, json: &Json<'_>, shape: Shape<'m>, row: &'m Row) -> Value {
        match shape {
            Shape::Int(cell) => self.integer(json, cell, row),
            Shape::Float(bytes) => Plain { problems: &mut self.problems }.float(json, bytes),
            Shape::Bool => match json.kind {
                Kind::Bool(yes) => Value::Bool(yes),
                _ => self.problems.wrong(json, "`true` or `false`"),
            },
            Shape::Enum(id, cell) => self.member(json, id, cell),
            Shape::Bytes => Plain { problems: &mut self.problems }.bytes(json),
            Shape::Text { utf16 } => self.text(json, utf16),
            Shape::ByteOrder => match &json.kind {
                Kind::Text(text) if text == "little" || text == "big" => Value::Text(text.clone()),
                _ => self.problems.wrong(json, "\"little\" or \"big\""),
            },
            // A packed word.
            Shape::Struct(record) => {
                Value::Struct(self.structure(json, record, self.shapes.rows(record)))
            }
            Shape::Array(_) | Shape::Union(_) => Value::None,
            Shape::Nothing => match json.kind {
                Kind::Null => Value::None,
                _ => self.problems.wrong(json, "null"),
            },
        }
    }

    fn integer(&mut self, json: &Json<'_>, cell: Option<&Cell>, row: &Row) -> Value {
        let range = cell.map(|cell| self.shapes.model.cell_range(cell));
        // What refers to an element is checked against the array, and may be stored differently.
        let range = range.filter(|_| row.reference.is_none());
        let expected = match range {
            Some((bits, signed)) => {
                let (low, high) = limits(bits, signed);
                format!("an integer from {} to {}", low - row.plus, high - row.plus)
            }
            None => "an integer".to_owned(),
        };
        let Kind::Number(number) = json.kind else { return self.problems.wrong(json, &expected) };
        let fits = |number: i128| match (range, number.checked_add(row.plus)) {
            (None, _) => true,
            (Some((bits, signed)), Some(stored)) => {
                formwork::algorithms::fits(stored, bits, signed)
            }
            (Some(_), None) => false,
        };
        match number.parse().ok().filter(|number| fits(*number)) {
            Some(number) => Value::Int(number),
            None => self.problems.wrong(json, &expected),
        }
    }

    fn member(&mut self, json: &Json<'_>, id: formwork_model::EnumId, cell: &Cell) -> Value {
        let definition = &self.shapes.model.enums[id.index()];
        let found = match &json.kind {
            Kind::Text(name) => {
                definition.members.iter().find(|member| member.name == *name).map(|m| m.number)
            }
            Kind::Number(number) => number.parse().ok().filter(|number| {
                let is_known = definition.members.iter().any(|member| member.number == *number);
                is_known || (!definition.closed && cell_fits(self.shapes.model, cell, *number))
            }),
            _ => None,
        };
        if let Some(number) = found {
            return Value::Int(number);
        }
        let names = definition.members.iter().map(|member| member.name.as_str());
        let expected = member_words(&definition.name, names, definition.closed);
        self.problems.wrong(json, &expected)
    }

    fn text(&mut self, json: &Json<'_>, utf16: bool) -> Value {
        match &json.kind {
            Kind::Text(text) => Value::Text(text.clone()),
            Kind::Object(_) if utf16 => Plain { problems: &mut self.problems }.units(json),
            _ => self.problems.wrong(json, "a text"),
        }
    }

    fn array(&mut self, json: &Json<'_>, array: &'m ArrayType, row: &'m Row) -> Value {
        if matches!(json.kind, Kind::Object(_))
            && matches!(self.shapes.of(&array.element), Shape::Int(_))
        {
            // Bytes may be given as such.
            return match (Plain { problems: &mut self.problems }).bytes(json) {
                Value::Bytes(bytes) => {
                    Value::Array(bytes.iter().map(|byte| Value::Int((*byte).into())).collect())
                }
                other => other,
            };
        }
        let Kind::List(elements) = &json.kind else { return self.problems.wrong(json, "a list") };
        let mut values = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let length = self.problems.path.len();
            self.problems.path.push_str(&format!("[{index}]"));
            values.push(self.item(element, &array.element, row));
            self.problems.path.truncate(length);
        }
        Value::Array(values)
    }

    fn union(&mut self, json: &Json<'_>, id: UnionId) -> Value {
        let union = &self.shapes.model.unions[id.index()];
        let known = |case: &&Case, key: &str| plain_key(key).is_some_and(|key| case.name == key);
        if let Kind::Object(members) = &json.kind
            && let [(key, body)] = members.as_slice()
            && let Some(case) = union.cases.iter().find(|case| known(case, key))
        {
            let length = self.problems.enter(key);
            let rows = self.shapes.rows(case.record);
            let value = self.structure(body, case.record, rows);
            self.problems.path.truncate(length);
            return Value::Union(Box::new(UnionValue { case: case.name.clone(), value }));
        }
        let expected = union_words(union.cases.iter().map(|case| case.name.as_str()));
        match &json.kind {
            Kind::Object(members) => {
                let found = keys_words(members.iter().map(|(key, _)| key.as_str()));
                self.problems.add(json, format!("expected {expected}, found {found}"));
                Value::None
            }
            _ => self.problems.wrong(json, &expected),
        }
    }

    fn structure(&mut self, json: &Json<'_>, record: RecordId, rows: &'m [Row]) -> StructValue {
        let mut value = StructValue::default();
        let Kind::Object(members) = &json.kind else {
            let name = &self.shapes.model.records[record.index()].template;
            let mut names = Vec::new();
            self.names(rows, &mut names, 0);
            self.problems.wrong(json, &struct_words(name, names.into_iter()));
            return value;
        };
        for (key, member) in members.iter().filter(|(key, _)| key != KEPT) {
            let name = plain_key(key);
            if name.and_then(|name| self.shapes.field(record, name)).is_none() {
                let mut names = Vec::new();
                self.names(rows, &mut names, 0);
                let template = &self.shapes.model.records[record.index()].template;
                let message = no_field(template, names.into_iter());
                self.problems.inside(key, |problems| problems.add(member, message));
            }
        }
        self.fields(json, rows, &mut value, (0, false));
        if let Some(kept) = json.get(KEPT) {
            value.kept = self.kept(kept);
            self.check_kept(kept, Some(record));
        }
        value
    }

    /// Looks whether all that is kept of a struct is of some row of it. `None`: of none at all.
    fn check_kept(&mut self, json: &Json<'_>, record: Option<RecordId>) {
        let Kind::List(list) = &json.kind else { return };
        for (at, one) in list.iter().enumerate() {
            let Some(row) = one.get(ROW) else { continue };
            let Kind::Text(name) = &row.kind else { continue };
            if !record.is_some_and(|record| self.is_kept_row(record, name)) {
                let length = self.problems.enter(KEPT);
                self.problems.path.push_str(&format!("[{at}].{ROW}"));
                self.problems.add(row, no_kept_row(name));
                self.problems.path.truncate(length);
            }
        }
    }

    /// Whether a record has a row that is called so where something is kept: by its name or position,
    /// behind those of structs without names that it is in, and perhaps with that of an element.
    fn is_kept_row(&self, mut record: RecordId, mut name: &str) -> bool {
        let model = self.shapes.model;
        let at = |record: RecordId, name: &str| -> Option<&'m Row> {
            let number = name.strip_prefix('#')?.parse::<usize>().ok()?;
            model.records[record.index()].rows.get(number)
        };
        while let Some((first, rest)) = name.split_once('.') {
            let Some(inner) = at(record, first).and_then(flattened) else { return false };
            (record, name) = (inner, rest);
        }
        let name = name.split('[').next().unwrap_or_default();
        let own = &model.records[record.index()];
        let all = std::iter::once(own).chain(model.forms_of(own));
        name.is_empty()
            || all.into_iter().any(|record| match name.strip_prefix('#') {
                Some(number) => number.parse().is_ok_and(|at: usize| at < record.rows.len()),
                None => record.rows.iter().any(|row| row.name.as_deref() == Some(name)),
            })
    }

    /// Whether a value of a type has a level of its own for what is kept.
    fn level(&self, ty: &Type) -> Level {
        match ty.stripped() {
            Type::Record(id) => match self.shapes.model.records[id.index()].transparent {
                Some(_) if self.shapes.model.keeps_spelling(*id) => Level::Own(Some(*id)),
                Some(_) => Level::Inside,
                None => Level::Own(None),
            },
            Type::Pointer(pointer) if pointer.owned().is_some() => Level::Inside,
            Type::PerEpoch(_) => Level::Inside,
            _ => Level::Own(None),
        }
    }

    /// Those of a struct without a name that may not be there are left out, or `null`, if it is not.
    fn fields(
        &mut self,
        json: &Json<'_>,
        rows: &'m [Row],
        value: &mut StructValue,
        (depth, optional): (u32, bool),
    ) {
        for row in rows {
            let Some(name) = &row.name else {
                if let Some(inner) = flattened(row).filter(|_| depth < 64) {
                    let optional = optional || self.shapes.may_be_missing(row);
                    self.fields(json, self.shapes.rows(inner), value, (depth + 1, optional));
                }
                continue;
            };
            let key = escaped(name);
            let is_never_none = self.shapes.is_never_none(&row.ty, row);
            let never = optional && is_never_none;
            match json.get(&key).filter(|member| !never || member.kind != Kind::Null) {
                Some(member)
                    if member.kind == Kind::Null
                        && is_never_none
                        && matches!(row.role, Role::Default(_)) =>
                {
                    let message = format!(
                        "expected {}, found null; without the field it is the default",
                        self.words(row)
                    );
                    self.problems.inside(&key, |problems| problems.add(member, message));
                }
                Some(member) => {
                    let length = self.problems.enter(&key);
                    let field = self.row(member, row);
                    self.problems.path.truncate(length);
                    value.fields.push((name.clone(), field));
                }
                None if !optional && self.shapes.is_required(row) => {
                    let message = format!("expected {}, found nothing", self.words(row));
                    self.problems.add_at(json, &key, message);
                }
                None => {}
            }
        }
    }

    /// Names that a struct may have, without those that follow from others.
    fn names(&self, rows: &'m [Row], names: &mut Vec<&'m str>, depth: u32) {
        for row in rows {
            match (&row.name, flattened(row)) {
                (Some(name), _) if self.shapes.is_data(row) => names.push(name),
                (None, Some(inner)) if depth < 64 => {
                    self.names(self.shapes.rows(inner), names, depth + 1);
                }
                _ => {}
            }
        }
    }

    /// What a row is, for messages.
    fn words(&self, row: &'m Row) -> &'static str {
        match self.shapes.row(row) {
            Shape::Int(_) => "an integer",
            Shape::Float(_) => "a number",
            Shape::Bool => "`true` or `false`",
            Shape::Enum(..) => "a member of an enumeration",
            Shape::Bytes => "bytes, {\"hex\": \"..\"}",
            Shape::Text { .. } => "a text",
            Shape::ByteOrder => "\"little\" or \"big\"",
            Shape::Array(_) => "a list",
            Shape::Struct(_) => "an object",
            Shape::Union(_) => "an object with the case",
            Shape::Nothing => "null",
        }
    }
}

/// The lowest and highest number of so many bits.
fn limits(bits: u32, signed: bool) -> (i128, i128) {
    let bits = bits.min(64);
    if signed {
        let high = 1_i128 << bits.saturating_sub(1);
        (-high, high - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    }
}
