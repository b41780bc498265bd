//! Looking into values and changing them, whatever is spelled around them.

use std::marker::PhantomData;
use std::ptr;

use super::Value;
use crate::paths::{Ground, ValueStep, parse_path, trail};

impl Value {
    /// Follows a path such as `flowcharts[0].events[3].name`, as listings have it or, with names of
    /// cases, as in JSON.
    #[must_use]
    pub fn at_path(&self, path: &str) -> Option<&Value> {
        let places = trail(&Inside(PhantomData), self, &parse_path(path)?).ok()?;
        Some(places.last().copied().unwrap_or(self))
    }

    /// The same, to change what is there.
    pub fn at_path_mut(&mut self, path: &str) -> Option<&mut Value> {
        let steps = parse_path(path)?;
        let places = trail(&Inside(PhantomData), &*self, &steps).ok()?;
        let places: Vec<*const Value> = places.into_iter().map(ptr::from_ref).collect();
        let mut here = self;
        for (step, to) in steps.into_iter().zip(places) {
            here = match step {
                ValueStep::Index(index) => here.elements_mut()?.get_mut(index)?,
                ValueStep::Field(name) => here.step_to(name, to)?,
            };
        }
        Some(here)
    }

    /// One step to a place that a name leads to.
    fn step_to(&mut self, name: &str, to: *const Value) -> Option<&mut Value> {
        if ptr::eq(self, to) {
            return Some(self);
        }
        if self.get(name).is_some_and(|field| ptr::eq(field, to)) {
            return self.get_mut(name);
        }
        let body = self.get_mut(BODY)?;
        if ptr::eq(body, to) { Some(body) } else { body.get_mut(name) }
    }

    /// The union of a union with values of its own, which is a struct.
    fn body(&self) -> Option<&Value> {
        let Value::Struct(fields) = self.bare() else { return None };
        fields.get(BODY).filter(|body| body.case().is_some())
    }

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

/// Where a union with values of its own has its case.
const BODY: &str = "case";

/// Values, to follow paths in them.
struct Inside<'v>(PhantomData<&'v Value>);

impl<'v> Ground for Inside<'v> {
    type Place = &'v Value;
    type Key = *const Value;

    fn key(&self, at: &'v Value) -> *const Value {
        at
    }

    fn fields(&self, at: &'v Value, name: &str) -> Vec<&'v Value> {
        let inner = at.body().and_then(|body| body.get(name));
        at.get(name).into_iter().chain(inner).collect()
    }

    fn element(&self, at: &'v Value, index: usize) -> Option<&'v Value> {
        at.elements()?.get(index)
    }

    fn case(&self, at: &'v Value, name: &str) -> Option<&'v Value> {
        let mut unions = [Some(at), at.body()].into_iter().flatten();
        unions.find(|union| union.case() == Some(name))
    }
}
