//! Values of files: what a program edits. No offset, count, magic or padding is in them.

mod access;
mod made;

pub use formwork::spelling::KeptKind;

/// A value of any type of a schema.
///
/// Equality compares meaning: how something was spelled in the file it came from ([`Kept`]) does
/// not take part; [`Value::same_spelling`] compares that too. Floats are compared by their bits.
#[derive(Debug, Clone)]
pub enum Value {
    /// An integer, a member of an enumeration by its number, or an index into an array.
    Int(i128),
    /// A float by its bits.
    Float {
        /// The bits, in the low end.
        bits: u64,
        /// 4 or 8 bytes.
        bytes: u8,
    },
    /// A truth value.
    Bool(bool),
    /// A text, a byte order (`little` or `big`).
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Units of UTF-16 that are no text, because a surrogate is alone.
    Units(Vec<u16>),
    /// Elements.
    Array(Vec<Value>),
    /// A struct.
    Struct(StructValue),
    /// A chosen case.
    Union(Box<UnionValue>),
    /// Nothing: an optional that is not there.
    None,
    /// A value of another kind, spelled in an unusual way.
    Spelled(Box<Value>, Vec<Kept>),
}

/// Value of a struct: its data in the order of the schema.
#[derive(Debug, Clone, Default)]
pub struct StructValue {
    /// Names and values. Data with a default may be left out when building a value by hand.
    pub fields: Vec<(String, Value)>,
    /// How the struct was spelled, where that is not canonical.
    pub kept: Vec<Kept>,
}

/// Value of a union.
#[derive(Debug, Clone)]
pub struct UnionValue {
    /// Name of the case.
    pub case: String,
    /// Its rows.
    pub value: StructValue,
}

/// A spelling that deviates from the canonical one. It is written again as long as the canonical
/// one is still what it deviated from.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Row that was spelled so.
    pub row: String,
    /// What kind of freedom was used.
    pub kind: KeptKind,
    /// The spelling.
    pub stored: Value,
    /// What it replaces: the canonical spelling, or a digest of it.
    pub instead_of: Value,
}

impl StructValue {
    /// The field with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// The field with this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.fields.iter_mut().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// A struct that holds nothing but spellings means as much as none, so one of the two values
    /// may lack it.
    fn same(&self, other: &StructValue, spelling: bool) -> bool {
        if spelling && !same_kept(&self.kept, &other.kept) {
            return false;
        }
        let mut others = other.fields.iter().peekable();
        for (name, value) in &self.fields {
            if value.says_nothing(spelling) && others.peek().is_none_or(|(next, _)| next != name) {
                continue;
            }
            while others.peek().is_some_and(|(n, v)| n != name && v.says_nothing(spelling)) {
                others.next();
            }
            match others.next() {
                Some((next, wanted)) if next == name && value.same(wanted, spelling) => {}
                _ => return false,
            }
        }
        others.all(|(_, value)| value.says_nothing(spelling))
    }
}

/// In which order deviations were found does not count.
fn same_kept(a: &[Kept], b: &[Kept]) -> bool {
    let sorted = |all: &'_ [Kept]| {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|a, b| (&all[*a].row, all[*a].kind).cmp(&(&all[*b].row, all[*b].kind)));
        order
    };
    a.len() == b.len()
        && sorted(a).into_iter().zip(sorted(b)).all(|(at, bt)| {
            let (a, b) = (&a[at], &b[bt]);
            a.row == b.row
                && a.kind == b.kind
                && a.stored.same(&b.stored, true)
                && a.instead_of.same(&b.instead_of, true)
        })
}

impl Value {
    /// A field of a struct, or of the chosen case of a union.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Struct(s) => s.get(name),
            Value::Union(u) => u.value.get(name),
            Value::Spelled(inner, _) => inner.get(name),
            _ => None,
        }
    }

    /// A field of a struct, or of the chosen case of a union, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        match self {
            Value::Struct(s) => s.get_mut(name),
            Value::Union(u) => u.value.get_mut(name),
            Value::Spelled(inner, _) => inner.get_mut(name),
            _ => None,
        }
    }

    /// The elements of an array, to change them.
    pub fn elements_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Value::Array(elements) => Some(elements),
            Value::Spelled(inner, _) => inner.elements_mut(),
            _ => None,
        }
    }

    /// The elements of an array.
    #[must_use]
    pub fn elements(&self) -> Option<&[Value]> {
        match self {
            Value::Array(elements) => Some(elements),
            Value::Spelled(inner, _) => inner.elements(),
            _ => None,
        }
    }

    /// Whether two values are equal and were spelled in the same way.
    #[must_use]
    pub fn same_spelling(&self, other: &Value) -> bool {
        self.same(other, true)
    }

    /// Whether this is a struct that holds no data, nor, if that counts, a spelling.
    fn says_nothing(&self, spelling: bool) -> bool {
        match self {
            Value::Struct(value) => {
                (!spelling || value.kept.is_empty())
                    && value.fields.iter().all(|(_, field)| field.says_nothing(spelling))
            }
            Value::Spelled(inner, kept) => {
                (!spelling || kept.is_empty()) && inner.says_nothing(spelling)
            }
            _ => false,
        }
    }

    fn same(&self, other: &Value, spelling: bool) -> bool {
        match (self, other) {
            (Value::Spelled(a, ka), Value::Spelled(b, kb)) => {
                a.same(b, spelling) && (!spelling || same_kept(ka, kb))
            }
            (Value::Spelled(a, kept), b) | (b, Value::Spelled(a, kept)) => {
                a.same(b, spelling) && (!spelling || kept.is_empty())
            }
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float { bits: a, bytes: x }, Value::Float { bits: b, bytes: y }) => {
                a == b && x == y
            }
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::Units(a), Value::Units(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b, spelling))
            }
            (Value::Struct(a), Value::Struct(b)) => a.same(b, spelling),
            (Value::Union(a), Value::Union(b)) => {
                a.case == b.case && a.value.same(&b.value, spelling)
            }
            (Value::None, Value::None) => true,
            _ => false,
        }
    }

    /// Calls `visit` for every kept spelling in the value.
    pub fn for_each_kept(&self, visit: &mut dyn FnMut(&Kept)) {
        match self {
            Value::Array(elements) => elements.iter().for_each(|e| e.for_each_kept(visit)),
            Value::Struct(s) => s.for_each_kept(visit),
            Value::Union(u) => u.value.for_each_kept(visit),
            Value::Spelled(inner, kept) => {
                kept.iter().for_each(&mut *visit);
                inner.for_each_kept(visit);
            }
            _ => {}
        }
    }

    /// The value of a struct that stands for its only row, with what is kept of the struct. That
    /// is around the value if there is something, or if there is something around the value
    /// already, of a struct further in: each such struct has its own level then.
    pub(crate) fn spelled(self, kept: Vec<Kept>) -> Value {
        if kept.is_empty() && !matches!(self, Value::Spelled(..)) {
            return self;
        }
        Value::Spelled(Box::new(self), kept)
    }

    /// The value without any kept spelling: it is written canonically.
    #[must_use]
    pub fn canonical(self) -> Value {
        match self {
            Value::Array(elements) => {
                Value::Array(elements.into_iter().map(Value::canonical).collect())
            }
            Value::Struct(s) => Value::Struct(s.canonical()),
            Value::Union(u) => {
                Value::Union(Box::new(UnionValue { case: u.case, value: u.value.canonical() }))
            }
            Value::Spelled(inner, _) => inner.canonical(),
            other => other,
        }
    }

    /// What kind of value this is, for messages.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Value::Int(_) => "an integer",
            Value::Float { .. } => "a float",
            Value::Bool(_) => "a truth value",
            Value::Text(_) => "a text",
            Value::Bytes(_) => "bytes",
            Value::Units(_) => "units of UTF-16",
            Value::Array(_) => "an array",
            Value::Struct(_) => "a struct",
            Value::Union(_) => "a union",
            Value::None => "nothing",
            Value::Spelled(inner, _) => inner.kind_name(),
        }
    }
}

impl StructValue {
    fn for_each_kept(&self, visit: &mut dyn FnMut(&Kept)) {
        self.kept.iter().for_each(&mut *visit);
        self.fields.iter().for_each(|(_, v)| v.for_each_kept(visit));
    }

    fn canonical(self) -> StructValue {
        StructValue {
            fields: self.fields.into_iter().map(|(n, v)| (n, v.canonical())).collect(),
            kept: Vec::new(),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.same(other, false)
    }
}

impl Eq for Value {}
