//! Where the value of a row comes from, as code.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Gen;
use crate::model::{
    Cell, Content, Encoding, Home, Meaning, RecordId, RecordKind, Row, RowId, Storage, Type,
};
use crate::rust::shape::Shape;

/// Code of type `&T`.
#[derive(Clone)]
pub(super) struct Src {
    pub code: TokenStream,
    /// The shape of T; none if it is an item of the tree.
    pub shape: Option<Shape>,
}

impl Src {
    pub fn typed(code: TokenStream, shape: Shape) -> Src {
        Src { code, shape: Some(shape) }
    }

    pub fn item(code: TokenStream) -> Src {
        Src { code, shape: None }
    }

    /// Code of type `Option<i128>`.
    pub fn number(&self) -> TokenStream {
        let code = &self.code;
        quote!(w::Number::number(#code))
    }

    /// Code of type `Chars`.
    pub fn chars(&self) -> TokenStream {
        let code = &self.code;
        quote!(w::Run::chars(#code))
    }
}

/// A record whose functions are being written.
#[derive(Clone, Copy)]
pub(super) struct Ctx {
    pub id: RecordId,
    pub noded: bool,
}

impl Ctx {
    /// Code for the place of a row.
    pub fn at(self, g: &Gen<'_, '_>, row: RowId) -> TokenStream {
        let node = if self.noded { quote!(node) } else { quote!(w::NOWHERE) };
        let name = g.step_name(self.id, row);
        quote!(w::at(#node, #name))
    }
}

impl<'m> Gen<'_, 'm> {
    pub fn row(&self, id: RecordId, row: RowId) -> &'m Row {
        &self.model.records[id.index()].rows[row.index()]
    }

    /// The step of a row in paths for people: `Option<&'static str>`.
    pub fn step_name(&self, id: RecordId, row: RowId) -> TokenStream {
        let record = &self.model.records[id.index()];
        let definition = &record.rows[row.index()];
        let body = matches!(&definition.ty, Type::Union(u) if self.model.unions[u.index()].body);
        match &definition.name {
            Some(name) if record.transparent != Some(row) && !body => quote!(rt::Some(#name)),
            _ => quote!(rt::None),
        }
    }

    /// Name of a function for a record.
    pub fn name(&self, what: &str, id: RecordId) -> proc_macro2::Ident {
        match self.alias.get() {
            Some((alias, holder)) if alias == id => {
                format_ident!("{what}_{}_as_{}", id.0, holder.0)
            }
            _ => format_ident!("{what}_{}", id.0),
        }
    }

    /// Whether code is for values of a record that are in the struct of another one.
    pub fn is_alias(&self, id: RecordId) -> bool {
        self.alias.get().is_some_and(|(alias, _)| alias == id)
    }

    /// The record of the logical row, if the row of a form is of another one.
    pub fn alias_in(
        &self,
        id: RecordId,
        row: RowId,
        record: RecordId,
    ) -> Option<(RecordId, RecordId)> {
        let RecordKind::Form(union, case, _) = self.model.records[id.index()].kind else {
            return None;
        };
        let logical = self.model.unions[union.index()].cases[case as usize].record;
        let name = self.row(id, row).name.as_ref()?;
        let rows = &self.model.records[logical.index()].rows;
        let row = rows.iter().find(|row| row.name.as_ref() == Some(name))?;
        match super::strip(&row.ty) {
            Type::Record(holder) if *holder != record => Some((record, *holder)),
            _ => None,
        }
    }

    /// The record whose struct holds the rows of another one: forms are in that of their case.
    pub fn holder(&self, id: RecordId) -> RecordId {
        if let Some((alias, holder)) = self.alias.get()
            && alias == id
        {
            return holder;
        }
        match self.model.records[id.index()].kind {
            RecordKind::Form(union, case, _) => {
                self.model.unions[union.index()].cases[case as usize].record
            }
            _ => id,
        }
    }

    /// The field of a row, from a variable `value`.
    pub fn access(&self, id: RecordId, row: RowId, value: &TokenStream) -> Option<Src> {
        let holder = self.holder(id);
        if self.shapes.is_plain_word(holder) {
            return self.word_access(holder, row, value);
        }
        let row = if holder == id {
            row
        } else {
            let name = self.row(id, row).name.as_ref()?;
            let rows = &self.model.records[holder.index()].rows;
            let at = rows.iter().position(|r| r.name.as_ref() == Some(name))?;
            RowId(u32::try_from(at).ok()?)
        };
        let field = self.shapes.field(holder, row)?;
        if self.shapes.is_transparent(holder) {
            return Some(Src::typed(value.clone(), field.shape.clone()));
        }
        if !self.shapes.is_typed(holder) {
            return None;
        }
        let ident = &field.ident;
        Some(Src::typed(quote!(&(#value).#ident), field.shape.clone()))
    }

    /// A field of a plain word, as an item.
    fn word_access(&self, id: RecordId, row: RowId, value: &TokenStream) -> Option<Src> {
        let Type::Cell(Cell { storage: Storage::Word { first, last, signed }, meaning }) =
            &self.row(id, row).ty
        else {
            return None;
        };
        let bool_yes = match meaning {
            Meaning::Bool { .. } => quote!(true),
            _ => quote!(false),
        };
        Some(Src::item(
            quote!(&w::word_item(u64::from((#value).0), #first, #last, #signed, #bool_yes)),
        ))
    }

    /// The type of a record's value, behind a reference.
    pub fn value_ty(&self, id: RecordId) -> TokenStream {
        let id = self.holder(id);
        if self.shapes.is_transparent(id)
            && let Some(field) = self.shapes.fields(id).first()
        {
            return self.shapes.ty_for(&field.shape, true, &quote!('v));
        }
        if self.shapes.is_typed(id) {
            let shape =
                if self.shapes.is_plain_word(id) { Shape::Word(id) } else { Shape::Struct(id) };
            return self.shapes.ty_for(&shape, true, &quote!('v));
        }
        quote!(())
    }

    /// Whether values of a record are anything.
    pub fn has_value(&self, id: RecordId) -> bool {
        let id = self.holder(id);
        self.shapes.is_transparent(id) || self.shapes.is_typed(id)
    }

    /// Code for a value of a record that says nothing.
    pub fn nothing(&self, id: RecordId) -> TokenStream {
        let id = self.holder(id);
        if self.shapes.is_typed(id) && !self.shapes.is_plain_word(id) {
            let ident = self.shapes.ident(id);
            return quote!(&super::#ident {});
        }
        quote!(&())
    }

    /// Code of type `Option<&'v Spelling>` for the spelling beside a row's field.
    pub fn spelling(&self, id: RecordId) -> Option<TokenStream> {
        let holder = self.holder(id);
        let has = self.shapes.has_spelling(holder)
            && self.shapes.is_typed(holder)
            && !self.shapes.is_transparent(holder);
        has.then(|| quote!(&value.spelling))
    }

    /// Code of type `Option<&SpellingEntry>`.
    pub fn kept(
        &self,
        id: RecordId,
        row: RowId,
        index: &TokenStream,
        kind: &str,
    ) -> Option<TokenStream> {
        let spelling = self.spelling(id)?;
        let number = self.shapes.spelling_row(id, row);
        let kind = format_ident!("{kind}");
        Some(quote!(w::kept_in(#spelling, #number, #index, ::formwork::KeptKind::#kind)))
    }

    /// Epochs in which a row has a home of this sort.
    pub fn epochs_where(&self, row: &Row, test: impl Fn(&Home) -> bool) -> Vec<usize> {
        (0..self.model.epochs.len())
            .filter(|epoch| test(row.homes.get(*epoch).unwrap_or(&Home::Nowhere)))
            .collect()
    }

    /// Code that runs if the epoch is one of these.
    pub fn in_epochs(&self, epochs: &[usize], code: TokenStream) -> TokenStream {
        if epochs.is_empty() || code.is_empty() {
            return quote!();
        }
        if epochs.len() == self.model.epochs.len() {
            return code;
        }
        quote!(if ::core::matches!(cx.w.epoch, #(#epochs)|*) { #code })
    }

    /// Width in bits and sign of a cell.
    pub fn cell_range(&self, cell: &Cell) -> (u32, bool) {
        match cell.storage {
            Storage::Fixed(int) => (u32::from(int.bytes) * 8, int.signed),
            Storage::Varint(id) => {
                let ty = self.model.varints[id.index()].ty;
                (u32::from(ty.bytes) * 8, ty.signed)
            }
            Storage::Bits { width, .. } | Storage::Letter { width, .. } => (width.into(), false),
            Storage::Word { first, last, signed } => (u32::from(last - first) + 1, signed),
            Storage::TagOf => (64, true),
        }
    }

    /// Name of a cell's type for messages: `u16`.
    pub fn cell_name(&self, cell: &Cell) -> String {
        let (bits, signed) = self.cell_range(cell);
        format!("{}{bits}", if signed { "i" } else { "u" })
    }

    /// Whether every number of a shape, plus this, fits a cell.
    pub fn always_fits(&self, shape: &Shape, cell: &Cell, plus: i128) -> bool {
        let (low, high) = match shape {
            Shape::Int(prim) => prim.range(),
            Shape::Enum(id) => self.shapes.enum_prim(*id).range(),
            Shape::Option(inner) => return self.always_fits(inner, cell, plus),
            Shape::Boxed(inner) => return self.always_fits(inner, cell, plus),
            Shape::Bool | Shape::Float32 | Shape::Float64 | Shape::Word(_) => return true,
            _ => return false,
        };
        let (bits, signed) = self.cell_range(cell);
        let fits = |n: i128| {
            n.checked_add(plus).is_some_and(|n| {
                if bits >= 127 {
                    return true;
                }
                if signed {
                    (-(1_i128 << (bits - 1))..1_i128 << (bits - 1)).contains(&n)
                } else {
                    (0..1_i128 << bits).contains(&n)
                }
            })
        };
        fits(low) && fits(high)
    }
}

/// Coding of a run.
pub(super) fn coding(content: Content) -> TokenStream {
    match content {
        Content::Bytes | Content::Text(Encoding::Ascii | Encoding::Utf8) => {
            quote!(w::Coding::Bytes)
        }
        Content::Text(Encoding::Utf16 | Encoding::Utf16Le | Encoding::Utf16Be) => {
            quote!(w::Coding::Units)
        }
        Content::Text(Encoding::Utf32) => quote!(w::Coding::Letters),
    }
}

/// A constant of the schema as an item.
pub(super) fn constant_item(constant: &crate::model::Constant, bytes: u8) -> TokenStream {
    use crate::model::Constant;
    match constant {
        Constant::Int(n) => {
            let n = proc_macro2::Literal::i128_suffixed(*n);
            quote!(rt::Item::Int(#n))
        }
        Constant::Float(bits) => {
            #[allow(clippy::cast_possible_truncation, reason = "the width is what is meant")]
            let bits = if bytes == 4 {
                u64::from((f64::from_bits(*bits) as f32).to_bits())
            } else {
                *bits
            };
            quote!(rt::Item::Float { bits: #bits, bytes: #bytes })
        }
        Constant::Bool(b) => quote!(rt::Item::Bool(#b)),
        Constant::Text(text) => quote!(rt::Item::Text(rt::Text::Borrowed(#text))),
        Constant::Bytes(bytes) => {
            let bytes = proc_macro2::Literal::byte_string(bytes);
            quote!(rt::Item::Bytes(rt::Bytes::Borrowed(#bytes)))
        }
    }
}
