//! What is known of a record while it is read: numbers and values in locals. And bits of numbers.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::able::{Able, unable};
use super::context::Straight;
use super::questions::row_name;
use super::scope::Place;
use crate::model::{Cell, Meaning, RecordId, RecordKind, Row, RowId, RowKind, Storage, Type};
use crate::rust::shape::Shape;

/// The local in which a row's number is, in readers.
pub(in crate::rust) fn early(record: RecordId, row: RowId) -> Ident {
    format_ident!("n__{}_{}", record.0, row.0)
}

/// The local in which a row's value is, in readers, if that is no plain number.
pub(in crate::rust) fn early_value(record: RecordId, row: RowId) -> Ident {
    format_ident!("v__{}_{}", record.0, row.0)
}

/// Whether a row that is read is a number in the local named by [`early`].
pub(super) fn is_early_number(row: &Row) -> bool {
    matches!(
        &row.ty,
        Type::Cell(Cell { meaning: Meaning::Int | Meaning::Enum(_) | Meaning::Bool { .. }, .. })
    ) && row.none.is_empty()
}

impl Straight<'_, '_> {
    /// A row of a record that is being read.
    pub(super) fn early_place(
        &self,
        record: RecordId,
        id: RowId,
        row: &Row,
        then: &mut dyn FnMut(Place) -> Able<TokenStream>,
    ) -> Able<TokenStream> {
        if is_early_number(row) {
            let mut number = |name: TokenStream| match &row.ty {
                Type::Cell(Cell { meaning: Meaning::Bool { .. }, .. }) => {
                    then(Place::Truth(quote!((#name != 0))))
                }
                _ => then(Place::Number(name)),
            };
            if row.when.is_some() && !matches!(row.kind, RowKind::Value { .. }) {
                let (maybe, inner) = (early_value(record, id), number(quote!(some))?);
                return Ok(quote!(if let rt::Some(some) = #maybe { #inner }));
            }
            let name = early(record, id);
            return number(quote!(#name));
        }
        let stored = matches!(row.kind, RowKind::Plain | RowKind::Object { .. });
        let form = matches!(self.record(record).kind, RecordKind::Form(..));
        if !stored || form {
            return unable(format!(
                "`{}` is asked for while it is read, and is no number",
                row_name(row)
            ));
        }
        let (name, shape) = (early_value(record, id), self.early_shape(record, id, row));
        self.unwrapped(&shape, quote!((&#name)), &mut |shape, inner| {
            self.typed_place(row, shape, inner, then)
        })
    }

    /// The shape of the value in the local named by [`early_value`].
    pub(super) fn early_shape(&self, record: RecordId, id: RowId, row: &Row) -> Shape {
        match self.shapes.field(record, id) {
            Some(field) => field.shape.clone(),
            None => self.shapes.of(&row.ty, row),
        }
    }

    /// A number whose bits are rows, as such.
    pub(super) fn as_word(&self, ty: &Type, place: Place) -> Place {
        match (ty, place) {
            (Type::Cell(Cell { meaning: Meaning::Word(record), .. }), Place::Number(number)) => {
                Place::Word(*record, number)
            }
            (_, place) => place,
        }
    }

    /// A row of bits in a number.
    pub(super) fn bits_of(&self, record: RecordId, id: RowId, word: &TokenStream) -> Able<Place> {
        let row = &self.record(record).rows[id.index()];
        let Type::Cell(Cell { storage: Storage::Word { first, last, signed }, meaning }) = &row.ty
        else {
            return unable("something else than bits");
        };
        if !row.none.is_empty() || !matches!(row.kind, RowKind::Plain) {
            return unable("bits that may be nothing");
        }
        let number = bits_in(word, *first, *last, *signed);
        let plus = Literal::i128_suffixed(row.plus);
        Ok(match meaning {
            Meaning::Bool { .. } => Place::Truth(quote!((#number != 0))),
            Meaning::Int | Meaning::Enum(_) if row.plus == 0 => Place::Number(number),
            Meaning::Int | Meaning::Enum(_) => Place::Number(quote!((#number - #plus))),
            Meaning::Float(_) | Meaning::Word(_) => return unable("something else than bits"),
        })
    }
}

/// The number that some bits of a word are: both are `i128`.
pub(in crate::rust) fn bits_in(
    word: &TokenStream,
    first: u8,
    last: u8,
    signed: bool,
) -> TokenStream {
    let width = u32::from(last - first) + 1;
    let mask = Literal::i128_suffixed((1 << width) - 1);
    let bits = quote!(((#word) >> #first & #mask));
    match signed {
        true => quote!(i128::from(::formwork::algorithms::sign_extend(#bits as u64, #width))),
        false => bits,
    }
}
