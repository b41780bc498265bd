//! Which Rust type each row, record and union has.
//!
//! Everything is decided once, when a [`Shapes`] is made; whoever emits code asks.

mod build;
mod data;
mod defaults;
mod graph;
mod index;
mod kinds;
mod naming;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use crate::diagnostic::Diagnostic;
use crate::model::{
    EnumId, FloatCode, FloatForm, KeptAs, Model, RecordId, RecordKind, Row, RowId, Type, UnionId,
};

pub use defaults::{constant_count, integer, mask};
pub use index::{IndexId, table_of};
pub use kinds::{FieldShape, Prim, Shape};

use build::Built;
use data::Data;
use naming::Naming;

/// The Rust types of a model.
#[derive(Debug)]
pub struct Shapes<'m> {
    model: &'m Model,
    data: Data<'m>,
    built: Built<'m>,
    names: Naming,
}

impl<'m> Shapes<'m> {
    /// Decides the types of everything in a model.
    #[must_use]
    pub fn new(model: &'m Model) -> Shapes<'m> {
        let data = Data::new(model);
        let mut built = Built::new(model, &data);
        graph::box_circles(&mut built);
        built.used = graph::reachable(&built);
        built.borrowing = graph::borrowing(&built);
        built.first_cases = graph::first_cases(&built);
        built.twins = graph::twins(&built);
        let names = Naming::new(model, &built);
        Shapes { model, data, built, names }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// What Rust types cannot say, as diagnostics.
    #[must_use]
    pub fn problems(&self) -> Vec<Diagnostic> {
        self.built.problems.clone()
    }

    /// Public fields of a record's struct, in order, without `spelling`; empty for plain words, and
    /// for records that say nothing. Of a record without a struct of its own ([`Shapes::record`]
    /// gives another shape) it is the one field that it stands for.
    #[must_use]
    pub fn fields(&self, record: RecordId) -> &[FieldShape] {
        if self.is_plain_word(record) { &[] } else { &self.built.fields[record.index()] }
    }

    /// The field of a row, if it has one.
    #[must_use]
    pub fn field(&self, record: RecordId, row: RowId) -> Option<&FieldShape> {
        self.fields(record).iter().find(|field| field.row == row)
    }

    /// Shape of a value of this record as seen by whoever holds it: of transparent ones, that of
    /// the row.
    #[must_use]
    pub fn record(&self, record: RecordId) -> Shape {
        self.built.record(record)
    }

    /// Whether values of this record are values of its one row, without a struct.
    #[must_use]
    pub fn is_transparent(&self, record: RecordId) -> bool {
        self.built.transparent[record.index()]
    }

    /// Whether the record is a newtype of the integer that its bits are in.
    #[must_use]
    pub fn is_plain_word(&self, record: RecordId) -> bool {
        self.built.words[record.index()].is_some()
    }

    /// The integer of a plain word.
    #[must_use]
    pub fn word_prim(&self, record: RecordId) -> Option<Prim> {
        self.built.words[record.index()]
    }

    /// Shape of the value of a type in that row (its element, target or inside). Without the option
    /// and box of the row itself, which only [`FieldShape::shape`] has; elements of arrays have
    /// their option.
    #[must_use]
    pub fn of(&self, ty: &Type, row: &Row) -> Shape {
        self.built.shape(ty, row)
    }

    /// Name that each field of a plain word has in accessors, with its row.
    #[must_use]
    pub fn word_fields(&self, record: RecordId) -> &[FieldShape] {
        &self.built.fields[record.index()]
    }

    /// Whether a derived row is data where no equation applies.
    #[must_use]
    pub fn perhaps_given(&self, row: &Row) -> bool {
        matches!(row.role, crate::model::Role::Derived) && row.perhaps_given()
    }

    /// Whether a public struct or newtype is emitted for a record. Uses of one declaration that
    /// have nothing but spelling share the type of the first of them.
    #[must_use]
    pub fn has_type(&self, record: RecordId) -> bool {
        self.built.used.records[record.index()]
            && !self.is_transparent(record)
            && self.built.twins[record.index()] == record
    }

    /// Whether values of a record have a struct or newtype, perhaps one that they share.
    #[must_use]
    pub fn is_typed(&self, record: RecordId) -> bool {
        self.built.used.records[record.index()] && !self.is_transparent(record)
    }

    /// Whether a public enum is emitted for a union.
    #[must_use]
    pub fn has_union(&self, union: UnionId) -> bool {
        self.built.used.unions[union.index()]
    }

    /// Whether a public type is emitted for an enumeration.
    #[must_use]
    pub fn has_enum(&self, id: EnumId) -> bool {
        self.built.used.enums[id.index()]
    }

    /// Whether a public type is emitted for an index.
    #[must_use]
    pub fn has_index(&self, id: IndexId) -> bool {
        self.built.used.indices[id.index()]
    }

    /// All indices.
    pub fn indices(&self) -> impl Iterator<Item = IndexId> + '_ {
        (0..u32::try_from(self.built.indices.len()).unwrap_or(u32::MAX)).map(IndexId)
    }

    /// The array that positions of this type are in: the record that holds it, and its row.
    #[must_use]
    pub fn index_array(&self, id: IndexId) -> Option<(RecordId, RowId)> {
        self.built.indices.array(id)
    }

    /// The index that positions in the array of a row have, if anything refers to it.
    #[must_use]
    pub fn index_into(&self, record: RecordId, row: RowId) -> Option<IndexId> {
        let array = (index::first_like(self.model, record, row), row);
        self.indices().find(|id| self.index_array(*id) == Some(array))
    }

    /// Name of a record's type.
    #[must_use]
    pub fn ident(&self, record: RecordId) -> Ident {
        self.names.records[record.index()].clone()
    }

    /// Name of a union's type.
    #[must_use]
    pub fn union_ident(&self, union: UnionId) -> Ident {
        self.names.unions[union.index()].clone()
    }

    /// Name of a case's variant, and the record of the struct in it. `None`: the variant has
    /// nothing in it.
    #[must_use]
    pub fn variant(&self, union: UnionId, case: u32) -> (Ident, Option<RecordId>) {
        let ident = self.names.variants[union.index()][case as usize].clone();
        (ident, self.built.payload(union, case))
    }

    /// The case that a union's default value has.
    #[must_use]
    pub fn first_case(&self, union: UnionId) -> u32 {
        self.built.first_cases[union.index()]
    }

    /// Name of an enumeration's type.
    #[must_use]
    pub fn enum_ident(&self, id: EnumId) -> Ident {
        self.names.enums[id.index()].clone()
    }

    /// Names of an enumeration's members, in their order: constants of open ones, variants of
    /// closed ones.
    #[must_use]
    pub fn members(&self, id: EnumId) -> &[Ident] {
        &self.names.members[id.index()]
    }

    /// Integer that holds every number of an enumeration.
    #[must_use]
    pub fn enum_prim(&self, id: EnumId) -> Prim {
        self.built.enums[id.index()]
    }

    /// Name of an index type.
    #[must_use]
    pub fn index_ident(&self, index: IndexId) -> Ident {
        self.names.indices[index.index()].clone()
    }

    /// Whether a type has a lifetime.
    #[must_use]
    pub fn borrows(&self, shape: &Shape) -> bool {
        self.built.borrowing.of(shape)
    }

    /// Whether a record's struct has a field `spelling`.
    #[must_use]
    pub fn has_spelling(&self, record: RecordId) -> bool {
        self.built.spelled[record.index()] && self.is_typed(record)
    }

    /// Rows of structs that have nothing but spelling, with their records. They have no fields: how
    /// they are spelled is in the spelling of the record.
    #[must_use]
    pub fn insides(&self, record: RecordId) -> &[(RowId, RecordId)] {
        &self.built.insides[record.index()]
    }

    /// Number by which a row is named in the spelling of its record. Rows of a form are named in
    /// that of their case, behind its own.
    #[must_use]
    pub fn spelling_row(&self, record: RecordId, row: RowId) -> u16 {
        let mut number = row.index();
        if let RecordKind::Form(union, case, form) = self.model.records[record.index()].kind {
            let case = &self.model.unions[union.index()].cases[case as usize];
            number += self.model.records[case.record.index()].rows.len();
            for form in case.forms.iter().take(form as usize) {
                number += self.model.records[form.record.index()].rows.len();
            }
        }
        u16::try_from(number).unwrap_or(u16::MAX)
    }

    /// Rows that a record's spelling may name, by number, as tokens: names, in parentheses with what
    /// numbers and tables that are kept of them stand for.
    #[must_use]
    pub fn spelling_names(&self, record: RecordId) -> Vec<TokenStream> {
        let record = &self.model.records[record.index()];
        let forms = self.model.forms_of(record);
        let all = std::iter::once(record).chain(forms);
        all.flat_map(|record| {
            record.rows.iter().enumerate().map(|(index, row)| {
                let name = row_name(row, index);
                match self.model.kept_as(row) {
                    KeptAs::Value => quote!(#name),
                    KeptAs::Float(bytes) => {
                        let bytes = Literal::u8_unsuffixed(bytes);
                        quote!((#name #bytes))
                    }
                    KeptAs::Table(id) => {
                        let columns = self.model.columns(id);
                        quote!((#name [#(#columns),*]))
                    }
                }
            })
        })
        .collect()
    }

    /// Name of the row that stands for the struct in a row without a name.
    #[must_use]
    pub fn inner_name(&self, row: &Row) -> Option<&'m str> {
        let Type::Record(record) = row.ty.stripped().first().stripped() else { return None };
        if !self.is_transparent(*record) {
            return None;
        }
        let record = &self.model.records[record.index()];
        record.rows[record.transparent?.index()].name.as_deref()
    }

    /// Name of a row in the spelling of its record.
    #[must_use]
    pub fn row_name(&self, record: RecordId, index: usize) -> String {
        row_name(&self.model.records[record.index()].rows[index], index)
    }

    /// Whether values of a type say anything; fields of those that do not hold spelling only.
    #[must_use]
    pub fn carries(&self, ty: &Type) -> bool {
        self.data.carries(ty)
    }

    /// The type as tokens, as seen from the module `codec` (`super::Event<'a>`) or from the top
    /// level.
    #[must_use]
    pub fn ty(&self, shape: &Shape, from_codec: bool) -> TokenStream {
        self.ty_for(shape, from_codec, &quote!('a))
    }

    /// Like [`Shapes::ty`], with this lifetime.
    #[must_use]
    pub fn ty_for(&self, shape: &Shape, from_codec: bool, lifetime: &TokenStream) -> TokenStream {
        let inner = |shape: &Shape| self.ty_for(shape, from_codec, lifetime);
        let path = |ident: Ident| {
            let up = from_codec.then(|| quote!(super::));
            let generic = self.borrows(shape).then(|| quote!(<#lifetime>));
            quote!(#up #ident #generic)
        };
        match shape {
            Shape::Int(prim) => {
                let prim = prim.ident();
                quote!(#prim)
            }
            Shape::Float32 => quote!(f32),
            Shape::Float64 => quote!(f64),
            Shape::Bool => quote!(bool),
            Shape::Enum(id) => path(self.enum_ident(*id)),
            Shape::Word(record) | Shape::Struct(record) => path(self.ident(*record)),
            Shape::Endian => quote!(::formwork::Endian),
            Shape::Str => quote!(::formwork::alloc::borrow::Cow<#lifetime, str>),
            Shape::Bytes => quote!(::formwork::alloc::borrow::Cow<#lifetime, [u8]>),
            Shape::Utf16 => quote!(::formwork::Utf16),
            Shape::Choice(union) => path(self.union_ident(*union)),
            Shape::Index(id) => path(self.index_ident(*id)),
            Shape::List(element) => {
                let element = inner(element);
                quote!(::formwork::alloc::vec::Vec<#element>)
            }
            Shape::Fixed(element, count) => {
                let element = inner(element);
                quote!([#element; #count])
            }
            Shape::Option(some) => {
                let some = inner(some);
                quote!(::core::option::Option<#some>)
            }
            Shape::Boxed(target) => {
                let target = inner(target);
                quote!(::formwork::alloc::boxed::Box<#target>)
            }
            Shape::Kept(number) => {
                let number = inner(number);
                quote!(::formwork::Kept<#number>)
            }
        }
    }
}

/// Name of a row in the spelling of its record, `#3` if it has none.
fn row_name(row: &Row, index: usize) -> String {
    row.name.clone().unwrap_or_else(|| format!("#{index}"))
}

/// Code of the way in which a float is stored.
pub fn float_code(code: FloatCode) -> TokenStream {
    let FloatCode { bits, signed, form } = code;
    let bits = Literal::u8_unsuffixed(bits);
    let form = match form {
        FloatForm::Ieee => quote!(Ieee),
        FloatForm::Norm => quote!(Norm),
        FloatForm::Fixed(fraction) => {
            let fraction = Literal::u8_unsuffixed(fraction);
            quote!(Fixed(#fraction))
        }
    };
    let form = quote!(::formwork::algorithms::FloatForm::#form);
    quote! {
        ::formwork::algorithms::FloatCode { bits: #bits, signed: #signed, form: #form }
    }
}
