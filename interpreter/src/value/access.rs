//! Looking into values and changing them, whatever is spelled around them.

use super::Value;

impl Value {
    /// The value itself, without what is spelled in an unusual way around it: what to match on.
    #[must_use]
    pub fn bare(&self) -> &Value {
        match self {
            Value::Spelled(inner, _) => inner.bare(),
            value => value,
        }
    }

    /// The value itself, to change it; how it was spelled stays around it.
    pub fn bare_mut(&mut self) -> &mut Value {
        match self {
            Value::Spelled(inner, _) => inner.bare_mut(),
            value => value,
        }
    }

    /// An integer, the number of a member of an enumeration, an index.
    #[must_use]
    pub fn as_int(&self) -> Option<i128> {
        match self.bare() {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The same, if it is no negative number and has up to 64 bits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_int().and_then(|number| number.try_into().ok())
    }

    /// The same, if it fits a signed number of 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_int().and_then(|number| number.try_into().ok())
    }

    /// A float of either width.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self.bare() {
            Value::Float { bits, bytes: 4 } => {
                u32::try_from(*bits).ok().map(|bits| f32::from_bits(bits).into())
            }
            Value::Float { bits, .. } => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// A truth value.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.bare() {
            Value::Bool(yes) => Some(*yes),
            _ => None,
        }
    }

    /// A text.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self.bare() {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Bytes.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self.bare() {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Whether it is nothing: an optional that is not there.
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self.bare(), Value::None)
    }

    /// Name of the case that a union is.
    #[must_use]
    pub fn case(&self) -> Option<&str> {
        match self.bare() {
            Value::Union(union) => Some(&union.case),
            _ => None,
        }
    }

    /// The fields of a struct, or of the chosen case of a union, in the order of the schema.
    #[must_use]
    pub fn fields(&self) -> Option<&[(String, Value)]> {
        match self.bare() {
            Value::Struct(value) => Some(&value.fields),
            Value::Union(union) => Some(&union.value.fields),
            _ => None,
        }
    }

    /// The fields of a struct, or of the chosen case of a union, to change them.
    pub fn fields_mut(&mut self) -> Option<&mut Vec<(String, Value)>> {
        match self.bare_mut() {
            Value::Struct(value) => Some(&mut value.fields),
            Value::Union(union) => Some(&mut union.value.fields),
            _ => None,
        }
    }
}
