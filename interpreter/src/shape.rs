//! What kind of value a row has, whatever its bytes are like.

use formwork_model::{
    Cell, Content, EnumId, EpochId, Home, Meaning, Model, RecordId, Role, Row, RowKind, Target,
    Type, UnionId,
};

use formwork::engine::Program;

/// Structs in structs without names, and types in types, are followed so far.
const MAX_DEPTH: u32 = 64;

/// Kind of the values of a type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape<'m> {
    /// An integer, in this cell if it has one of its own.
    Int(Option<&'m Cell>),
    /// A float of so many bytes.
    Float(u8),
    Bool,
    Enum(EnumId, &'m Cell),
    Bytes,
    Text {
        /// Whether it may have units of UTF-16 that are no text.
        utf16: bool,
    },
    ByteOrder,
    Array(&'m Type),
    Struct(RecordId),
    Union(UnionId),
    Nothing,
}

/// A model in the one layout that a value has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shapes<'m> {
    pub model: &'m Model,
    /// The layout; none where it is not known.
    pub epoch: Option<EpochId>,
}

impl<'m> Shapes<'m> {
    pub(crate) fn new(program: &'m Program, epoch: Option<EpochId>) -> Self {
        let model = epoch.map_or(program.model(), |epoch| program.model_in(epoch));
        Shapes { model, epoch }
    }

    pub(crate) fn root(self) -> Shape<'m> {
        self.record(self.model.root, 0)
    }

    /// Shape of the values of a row.
    pub(crate) fn row(self, row: &'m Row) -> Shape<'m> {
        self.row_at(row, 0)
    }

    fn row_at(self, row: &'m Row, depth: u32) -> Shape<'m> {
        match row.kind {
            // The value is how many bytes are zero.
            RowKind::Zeros => Shape::Int(None),
            _ => self.of_at(&row.ty, depth),
        }
    }

    /// Shape of the values of a type.
    pub(crate) fn of(self, ty: &'m Type) -> Shape<'m> {
        self.of_at(ty, 0)
    }

    /// A struct may stand for nothing but another one of its kind: then its values say nothing.
    fn of_at(self, ty: &'m Type, depth: u32) -> Shape<'m> {
        if depth > MAX_DEPTH {
            return Shape::Nothing;
        }
        let depth = depth + 1;
        match ty {
            Type::Cell(cell) => match cell.meaning {
                Meaning::Int => Shape::Int(Some(cell)),
                Meaning::Float(_) => Shape::Float(self.model.float_width(ty)),
                Meaning::Bool { .. } => Shape::Bool,
                Meaning::Enum(id) => Shape::Enum(id, cell),
                Meaning::Word(record) => self.record(record, depth),
            },
            Type::Run(run) => match run.content {
                Content::Bytes => Shape::Bytes,
                Content::Text(encoding) => {
                    use formwork_model::Encoding::{Utf16, Utf16Be, Utf16Le};
                    Shape::Text { utf16: matches!(encoding, Utf16 | Utf16Le | Utf16Be) }
                }
            },
            Type::Record(record) => self.record(*record, depth),
            Type::Union(union) => Shape::Union(*union),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => self.of_at(target, depth),
                Target::Pooled => {
                    let text = self.model.pointers[pointer.kind.index()].text.as_deref();
                    text.map_or(Shape::Text { utf16: false }, |text| self.of_at(text, depth))
                }
                Target::Element => Shape::Int(None),
            },
            Type::Array(array) => Shape::Array(&array.element),
            Type::Region(region) => self.of_at(&region.inner, depth),
            Type::PerEpoch(types) => {
                let known = types.iter().find(|ty| !matches!(ty, Type::Nothing));
                known.map_or(Shape::Nothing, |ty| self.of_at(ty, depth))
            }
            Type::ByteOrderMark => Shape::ByteOrder,
            Type::Text => Shape::Text { utf16: false },
            Type::Nothing => Shape::Nothing,
        }
    }

    fn record(self, id: RecordId, depth: u32) -> Shape<'m> {
        let record = &self.model.records[id.index()];
        match record.transparent {
            Some(row) => self.row_at(&record.rows[row.index()], depth),
            None => Shape::Struct(id),
        }
    }

    pub(crate) fn rows(self, record: RecordId) -> &'m [Row] {
        &self.model.records[record.index()].rows
    }

    /// The row that a field of a struct stands for. Rows of structs without a name belong to the
    /// struct around them.
    pub(crate) fn field(self, record: RecordId, name: &str) -> Option<&'m Row> {
        self.find_field(record, name, 0)
    }

    fn find_field(self, record: RecordId, name: &str, depth: u32) -> Option<&'m Row> {
        let rows = self.rows(record);
        let own = rows.iter().find(|row| row.name.as_deref() == Some(name));
        own.or_else(|| {
            rows.iter()
                .filter(|_| depth < MAX_DEPTH)
                .filter_map(flattened)
                .find_map(|inner| self.find_field(inner, name, depth + 1))
        })
    }

    /// Whether the layout has no place for a row.
    pub(crate) fn is_elsewhere(self, row: &Row) -> bool {
        let home = self.epoch.and_then(|epoch| row.homes.get(epoch.index()));
        home == Some(&Home::Absent)
    }

    /// Whether values of a row say anything.
    pub(crate) fn carries_data(self, row: &Row) -> bool {
        self.model.carries_data(&row.ty)
    }

    /// Whether a value may have this field.
    pub(crate) fn is_data(self, row: &Row) -> bool {
        if self.is_elsewhere(row) || matches!(row.kind, RowKind::Mark { .. }) {
            return false;
        }
        let by_role = matches!(row.role, Role::Data | Role::Default(_) | Role::Elsewhere);
        by_role || matches!(row.kind, RowKind::Slice { .. })
    }

    /// Whether a value must have this field.
    pub(crate) fn is_required(self, row: &Row) -> bool {
        !self.is_elsewhere(row) && self.model.must_be_given(row)
    }

    /// Whether a row may not be there, as its condition or the layout says.
    pub(crate) fn may_be_missing(self, row: &Row) -> bool {
        row.when.is_some() || row.homes.contains(&Home::Absent)
    }

    /// Whether a value of this row, or of its elements, is surely something.
    pub(crate) fn is_never_none(self, ty: &Type, row: &Row) -> bool {
        let always = matches!(
            ty.stripped(),
            Type::Cell(_) | Type::Run(_) | Type::Record(_) | Type::Union(_) | Type::Array(_)
        );
        always && !self.may_be_missing(row) && row.none.is_empty() && row.absent.is_none()
    }
}

/// The record whose rows belong to the struct around this row.
pub(crate) fn flattened(row: &Row) -> Option<RecordId> {
    if row.name.is_some() {
        return None;
    }
    match row.ty.stripped() {
        Type::Record(inner) => Some(*inner),
        Type::PerEpoch(types) => types.iter().find_map(|ty| match ty.stripped() {
            Type::Record(inner) => Some(*inner),
            _ => None,
        }),
        _ => None,
    }
}
