//! Default values, as tokens.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{FieldShape, Prim, Shape, Shapes};
use crate::model::{
    ArrayLength, Constant, EnumId, Home, Meaning, Model, RecordId, Role, Row, RowKind, Target, Type,
};

/// Longest list whose constant count a default value has.
const LONGEST: i128 = 4096;

impl Shapes<'_> {
    /// Default value of a shape, as tokens.
    #[must_use]
    pub fn default(&self, shape: &Shape) -> TokenStream {
        match shape {
            Shape::Int(_) => quote!(0),
            Shape::Float32 | Shape::Float64 => quote!(0.0),
            Shape::Bool => quote!(false),
            Shape::Endian => quote!(::formwork::Endian::Little),
            Shape::Option(_) => quote!(::formwork::__rt::None),
            Shape::List(_) => quote!(::formwork::__rt::Vec::new()),
            Shape::Boxed(inner) => {
                let inner = self.default(inner);
                quote!(::formwork::__rt::Box::new(#inner))
            }
            Shape::Fixed(inner, count) => {
                let inner = self.default(inner);
                quote!([#inner; #count])
            }
            Shape::Kept(_) => quote!(::formwork::Kept::canonical()),
            Shape::Enum(_)
            | Shape::Word(_)
            | Shape::Str
            | Shape::Bytes
            | Shape::Utf16
            | Shape::Struct(_)
            | Shape::Choice(_)
            | Shape::Index(_) => quote!(::formwork::__rt::Default::default()),
        }
    }

    /// Default value of a field: the constant of the schema if it states one.
    #[must_use]
    pub fn field_default(
        &self,
        record: RecordId,
        field: &FieldShape,
        from_codec: bool,
    ) -> TokenStream {
        let row = &self.model.records[record.index()].rows[field.row.index()];
        // Whether it is there follows from other fields, which a default value cannot know. Writing
        // takes nothing for the constant where it is there.
        let gone = row.homes.contains(&Home::Absent) && row.absent.is_none();
        if matches!(field.shape, Shape::Option(_)) && (gone || row.when.is_some()) {
            return self.default(&field.shape);
        }
        if let Role::Default(constant) = &row.role
            && let Some(value) = self.constant(constant, &field.shape, from_codec)
        {
            return value;
        }
        if let (Some(constant), false) = (&row.absent, matches!(field.shape, Shape::Option(_)))
            && let Some(value) = self.constant(constant, &field.shape, from_codec)
        {
            return value;
        }
        if let (Shape::List(element), Some(count)) = (&field.shape, constant_count(self.model, row))
        {
            let element = self.default(element);
            let usual = quote!(::formwork::__rt::Default::default());
            let element = if element.to_string() == usual.to_string() {
                quote!(::formwork::__rt::Default::default)
            } else {
                quote!(|| #element)
            };
            return quote!(::formwork::__rt::repeat(#element, #count));
        }
        self.default(&field.shape)
    }

    /// A constant of the schema as a value of this shape; `None` if it is none.
    #[must_use]
    pub fn constant(
        &self,
        constant: &Constant,
        shape: &Shape,
        from_codec: bool,
    ) -> Option<TokenStream> {
        Some(match (shape, constant) {
            (Shape::Option(inner), constant) => {
                let inner = self.constant(constant, inner, from_codec)?;
                quote!(::formwork::__rt::Some(#inner))
            }
            (Shape::Boxed(inner), constant) => {
                let inner = self.constant(constant, inner, from_codec)?;
                quote!(::formwork::__rt::Box::new(#inner))
            }
            (Shape::Kept(_), _) => return None,
            (Shape::Int(prim), Constant::Int(number)) => integer(*prim, *number)?,
            (Shape::Int(prim), Constant::Bool(yes)) => integer(*prim, i128::from(*yes))?,
            (Shape::Bool, Constant::Bool(yes)) => quote!(#yes),
            (Shape::Bool, Constant::Int(number)) => {
                let yes = *number != 0;
                quote!(#yes)
            }
            (Shape::Float32, constant) => {
                let bits = Literal::u64_unsuffixed(constant.float_bits(4)?);
                quote!(f32::from_bits(#bits))
            }
            (Shape::Float64, constant) => {
                let bits = Literal::u64_unsuffixed(constant.float_bits(8)?);
                quote!(f64::from_bits(#bits))
            }
            (Shape::Enum(id), Constant::Int(number)) => self.member(*id, *number, from_codec)?,
            (Shape::Enum(id), Constant::Text(name)) => {
                let members = &self.model.enums[id.index()].members;
                let member = members.iter().find(|member| member.name == *name)?;
                self.member(*id, member.number, from_codec)?
            }
            (Shape::Index(id), Constant::Int(number)) => {
                let number = Literal::u32_unsuffixed(u32::try_from(*number).ok()?);
                let ty = self.ty(&Shape::Index(*id), from_codec);
                quote!(#ty::new_const(#number))
            }
            (Shape::Str, Constant::Text(text)) => {
                quote!(::formwork::__rt::Cow::Borrowed(#text))
            }
            (Shape::Utf16, Constant::Text(text)) => quote!(::formwork::Utf16::from(#text)),
            (Shape::Bytes, Constant::Bytes(bytes)) => {
                let bytes = Literal::byte_string(bytes);
                quote!(::formwork::__rt::Cow::Borrowed(#bytes))
            }
            (Shape::Bytes, Constant::Text(text)) => {
                let bytes = Literal::byte_string(text.as_bytes());
                quote!(::formwork::__rt::Cow::Borrowed(#bytes))
            }
            (Shape::Endian, Constant::Text(text)) if text == "big" => {
                quote!(::formwork::Endian::Big)
            }
            (Shape::Fixed(element, count), Constant::Bytes(bytes)) if bytes.len() == *count => {
                self.elements(bytes, element, from_codec)?
            }
            (Shape::List(element), Constant::Bytes(bytes)) => {
                let elements = self.elements(bytes, element, from_codec)?;
                quote!(::formwork::__rt::Vec::from(#elements))
            }
            _ => return None,
        })
    }

    fn elements(&self, bytes: &[u8], element: &Shape, from_codec: bool) -> Option<TokenStream> {
        let elements: Option<Vec<_>> = bytes
            .iter()
            .map(|byte| self.constant(&Constant::Int((*byte).into()), element, from_codec))
            .collect();
        let elements = elements?;
        Some(quote!([#(#elements),*]))
    }

    /// A member of an enumeration by its number; of open ones, any number.
    #[must_use]
    pub fn member(&self, id: EnumId, number: i128, from_codec: bool) -> Option<TokenStream> {
        let definition = &self.model.enums[id.index()];
        let ty = self.ty(&Shape::Enum(id), from_codec);
        let at = definition.members.iter().position(|member| member.number == number);
        match at {
            Some(at) => {
                let member = &self.members(id)[at];
                Some(quote!(#ty::#member))
            }
            None if definition.closed => None,
            None => {
                let number = integer(self.enum_prim(id), number)?;
                Some(quote!(#ty(#number)))
            }
        }
    }

    /// Number of the member that an enumeration's default value is: 0 if there is such a member,
    /// else the first one.
    #[must_use]
    pub fn default_member(&self, id: EnumId) -> i128 {
        let members = &self.model.enums[id.index()].members;
        match members.iter().find(|member| member.number == 0) {
            Some(_) => 0,
            None => members.first().map_or(0, |member| member.number),
        }
    }

    /// Bits of a plain word's default value: its constants and defaults in their places.
    #[must_use]
    pub fn default_word(&self, record: RecordId) -> u64 {
        let mut word = 0;
        for row in &self.model.records[record.index()].rows {
            let Type::Cell(cell) = &row.ty else { continue };
            let crate::model::Storage::Word { first, last, .. } = cell.storage else { continue };
            let constant = match (&row.role, &row.kind) {
                (Role::Default(constant), _) | (_, RowKind::Constant(constant)) => constant,
                _ => continue,
            };
            let number = match (constant, &cell.meaning) {
                (Constant::Bool(true), Meaning::Bool { yes }) => (*yes).into(),
                (Constant::Int(number), _) => *number,
                (Constant::Bool(yes), _) => i128::from(*yes),
                (Constant::Text(name), Meaning::Enum(id)) => {
                    let members = &self.model.enums[id.index()].members;
                    members.iter().find(|m| m.name == *name).map_or(0, |member| member.number)
                }
                _ => 0,
            };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "masked")]
            let bits = number as u64 & mask(first, last);
            word |= bits << first;
        }
        word
    }
}

/// As many low bits as there are from the first to the last.
#[must_use]
pub fn mask(first: u8, last: u8) -> u64 {
    let width = u32::from(last.saturating_sub(first)) + 1;
    u64::MAX.checked_shr(64_u32.saturating_sub(width)).unwrap_or(0)
}

/// A number as a literal, if the type holds it.
#[must_use]
pub fn integer(prim: Prim, number: i128) -> Option<TokenStream> {
    let (least, greatest) = prim.range();
    if number < least || number > greatest {
        return None;
    }
    let literal = Literal::u128_unsuffixed(number.unsigned_abs());
    Some(if number < 0 { quote!(-#literal) } else { quote!(#literal) })
}

/// Number of elements that an array always has.
pub fn constant_count(model: &Model, row: &Row) -> Option<usize> {
    let mut ty = row.ty.stripped();
    if let Type::Pointer(pointer) = ty
        && let Target::Own(target) = &pointer.target
    {
        ty = target.stripped();
    }
    let Type::Array(array) = ty else { return None };
    let ArrayLength::Count(count) = &array.length else { return None };
    let count = model.exprs.constant(*count).filter(|count| (1..=LONGEST).contains(count))?;
    usize::try_from(count).ok()
}
