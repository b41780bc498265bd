//! Values made by hand.

use super::{StructValue, UnionValue, Value};

impl Value {
    /// A struct of these fields, which stand in the order of the schema.
    ///
    /// ```
    /// use formwork_interpreter::Value;
    ///
    /// let room = Value::of_struct([("width", 3.into()), ("name", "Hall".into())]);
    /// assert_eq!(room.get("name").and_then(Value::as_str), Some("Hall"));
    /// ```
    pub fn of_struct<N: Into<String>>(fields: impl IntoIterator<Item = (N, Value)>) -> Value {
        Value::Struct(fields.into_iter().collect())
    }

    /// A union that is this case, with these fields.
    pub fn of_case<N: Into<String>>(
        case: impl Into<String>,
        fields: impl IntoIterator<Item = (N, Value)>,
    ) -> Value {
        let value = fields.into_iter().collect();
        Value::Union(Box::new(UnionValue { case: case.into(), value }))
    }
}

impl<N: Into<String>> FromIterator<(N, Value)> for StructValue {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(fields: I) -> StructValue {
        let fields = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
        StructValue { fields, kept: Vec::new() }
    }
}

/// An array.
impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(elements: I) -> Value {
        Value::Array(elements.into_iter().collect())
    }
}

macro_rules! integers {
    ($($number:ty)*) => {$(
        impl From<$number> for Value {
            fn from(number: $number) -> Value {
                Value::Int(number.into())
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 i8 i16 i32 i64 i128);

/// Of four bytes.
impl From<f32> for Value {
    fn from(number: f32) -> Value {
        Value::Float { bits: number.to_bits().into(), bytes: 4 }
    }
}

/// Of eight bytes.
impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Float { bits: number.to_bits(), bytes: 8 }
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Value {
        Value::Bool(yes)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Value {
        Value::Bytes(bytes.to_owned())
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Value {
        Value::Bytes(bytes)
    }
}

impl From<Vec<Value>> for Value {
    fn from(elements: Vec<Value>) -> Value {
        Value::Array(elements)
    }
}

impl From<StructValue> for Value {
    fn from(value: StructValue) -> Value {
        Value::Struct(value)
    }
}

impl From<UnionValue> for Value {
    fn from(value: UnionValue) -> Value {
        Value::Union(Box::new(value))
    }
}

/// Something, or nothing.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::None, Into::into)
    }
}
