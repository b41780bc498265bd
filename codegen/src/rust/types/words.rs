//! Packed words: a newtype of the integer, with a getter and a setter for each field.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::{arbitrary, serde};
use crate::model::{Cell, Meaning, RecordId, Row, RowKind, Storage, Type, limits};
use crate::rust::Options;
use crate::rust::docs::docs;
use crate::rust::names::Scope;
use crate::rust::shape::{FieldShape, Prim, Shape, Shapes, mask};

/// A field of a word.
struct Part<'m> {
    row: &'m Row,
    ident: Ident,
    shape: Shape,
    first: u8,
    /// As many low bits as the field has.
    mask: u64,
    /// Number of bits.
    width: u32,
    signed: bool,
}

/// A word's newtype with everything that it implements.
pub fn emit(shapes: &Shapes<'_>, id: RecordId, options: &Options) -> TokenStream {
    let record = &shapes.model().records[id.index()];
    let ident = shapes.ident(id);
    let word = shapes.word_prim(id).unwrap_or(Prim::U64);
    let prim = word.ident();
    let doc = docs(record.doc.as_deref());
    let parts: Vec<Part<'_>> =
        shapes.word_fields(id).iter().filter_map(|field| part(record, field)).collect();

    let accessors = accessors(shapes, &parts, word);
    let default = Some(shapes.default_word(id)).filter(|bits| *bits != 0).map(|bits| {
        let bits = Literal::u64_unsuffixed(bits);
        quote! {
            impl ::core::default::Default for #ident {
                fn default() -> Self {
                    Self(#bits)
                }
            }
        }
    });
    let derive_default = default.is_none().then(|| quote!(, Default));
    let data = parts.iter().fold(0, |bits, part| bits | part.mask << part.first);
    let (number, mask) = (Literal::u32_unsuffixed(id.0), Literal::u64_unsuffixed(data));
    let name = ident.to_string();
    let shown = parts.iter().map(|part| {
        let (name, method) = (part.ident.to_string(), &part.ident);
        let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
        // By its path it is the getter, also where a trait has a method of its name.
        quote!(.field(#name, &Self::#method(*self)))
    });
    let inspect = inspect(shapes, id, &parts, word);
    let serde = options.serde.then(|| {
        let (read, serde) = (read(shapes, id, &parts, word), serde::words(&ident));
        quote!(#read #serde)
    });
    let arbitrary = options.arbitrary.then(|| arbitrary::words(shapes, id, data));
    quote! {
        #doc
        #[derive(Clone, Copy #derive_default)]
        pub struct #ident(
            /// All bits, bit 0 the lowest.
            pub #prim,
        );

        impl #ident {
            #accessors
        }

        #default

        impl ::core::fmt::Debug for #ident {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(#name) #(#shown)* .finish()
            }
        }

        ::formwork::__word!(#ident #prim #number, #mask);

        #inspect
        #serde
        #arbitrary
    }
}

fn part<'m>(record: &'m crate::model::Record, field: &FieldShape) -> Option<Part<'m>> {
    let row = &record.rows[field.row.index()];
    let (first, last, signed) = bits(row)?;
    Some(Part {
        row,
        ident: field.ident.clone(),
        shape: field.shape.clone(),
        first,
        mask: mask(first, last),
        width: u32::from(last.saturating_sub(first)) + 1,
        signed,
    })
}

/// First and last bit of a row, and whether it has a sign.
fn bits(row: &Row) -> Option<(u8, u8, bool)> {
    match &row.ty {
        Type::Cell(Cell { storage: Storage::Word { first, last, signed }, .. }) => {
            Some((*first, *last, *signed))
        }
        _ => None,
    }
}

/// Names of the two setters of each field.
fn setters(parts: &[Part<'_>]) -> Vec<(Ident, Ident)> {
    let mut scope = Scope::default();
    for part in parts {
        scope.take(&[bare(&part.ident)]);
    }
    let names = parts.iter().map(|part| {
        let set = scope.take(&[format!("set_{}", bare(&part.ident))]);
        (set, scope.take(&[format!("with_{}", bare(&part.ident))]))
    });
    names.collect()
}

/// A getter and two setters for each field.
fn accessors(shapes: &Shapes<'_>, parts: &[Part<'_>], word: Prim) -> TokenStream {
    let methods = parts.iter().zip(setters(parts)).map(|(part, (set, with))| {
        let doc = docs(part.row.doc.as_deref());
        let (get, ty) = (&part.ident, shapes.ty(&part.shape, false));
        let value = getter(part, word, &ty);
        let (assign, limit) = setter(part, word);
        let name = bare(&part.ident);
        let set_doc = docs(Some(&format!("Sets `{name}`.{limit}")));
        let with_doc = docs(Some(&format!("With this `{name}`.{limit}")));
        quote! {
            #doc
            #[must_use]
            pub fn #get(self) -> #ty {
                #value
            }

            #set_doc
            pub fn #set(&mut self, value: #ty) {
                #assign
            }

            #with_doc
            #[must_use]
            pub fn #with(mut self, value: #ty) -> Self {
                Self::#set(&mut self, value);
                self
            }
        }
    });
    quote!(#(#methods)*)
}

fn bare(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").unwrap_or(&name).to_owned()
}

/// The bits of a field at the low end of the word.
fn raw(part: &Part<'_>, word: Prim) -> TokenStream {
    let (first, mask) = (Literal::u8_unsuffixed(part.first), Literal::u64_unsuffixed(part.mask));
    if part.width >= bits_of(word) {
        quote!(self.0)
    } else if part.first == 0 {
        quote!(self.0 & #mask)
    } else if u32::from(part.first) + part.width == bits_of(word) {
        quote!(self.0 >> #first)
    } else {
        quote!((self.0 >> #first) & #mask)
    }
}

/// The same where a conversion follows.
fn raw_before_as(part: &Part<'_>, word: Prim) -> TokenStream {
    let bits = raw(part, word);
    if part.width >= bits_of(word) { bits } else { quote!((#bits)) }
}

fn getter(part: &Part<'_>, word: Prim, ty: &TokenStream) -> TokenStream {
    let raw = raw(part, word);
    let number = |prim: Prim| {
        let name = prim.ident();
        if part.signed {
            let width = Literal::u8_unsuffixed(u8::try_from(part.width).unwrap_or(64));
            quote!(::formwork::algorithms::sign_extend(u64::from(#raw), #width) as #name)
        } else if prim == word {
            quote!(#raw)
        } else {
            let raw = raw_before_as(part, word);
            quote!(#raw as #name)
        }
    };
    match (&part.shape, &part.row.ty) {
        (Shape::Bool, _) => quote!(#raw != 0),
        (Shape::Int(prim), _) => number(*prim),
        (Shape::Enum(_), Type::Cell(Cell { meaning: Meaning::Enum(_), .. })) => {
            let raw = if part.signed {
                let width = Literal::u8_unsuffixed(u8::try_from(part.width).unwrap_or(64));
                quote!(::formwork::algorithms::sign_extend(u64::from(#raw), #width))
            } else {
                raw_before_as(part, word)
            };
            quote!(#ty(#raw as _))
        }
        _ => quote!(::formwork::__rt::Default::default()),
    }
}

/// The statements of a setter, and what its documentation says about values that do not fit.
fn setter(part: &Part<'_>, word: Prim) -> (TokenStream, String) {
    let prim = word.ident();
    let (first, bits) = (Literal::u8_unsuffixed(part.first), Literal::u64_unsuffixed(part.mask));
    let value = match &part.shape {
        Shape::Bool => quote!(#prim::from(value)),
        Shape::Enum(_) => quote!(value.0 as #prim),
        Shape::Int(own) if *own == word => quote!(value),
        _ => quote!(value as #prim),
    };
    let placed = |value: TokenStream| {
        if part.width >= bits_of(word) {
            quote!(self.0 = #value;)
        } else if part.first == 0 {
            quote!(self.0 = (self.0 & !#bits) | #value;)
        } else {
            quote!(self.0 = (self.0 & !(#bits << #first)) | (#value << #first);)
        }
    };
    let exact = match &part.shape {
        Shape::Bool => true,
        // The field of an enumeration may be narrower than its number.
        Shape::Enum(_) => false,
        Shape::Int(prim) => bits_of(*prim) == part.width,
        _ => false,
    };
    if exact {
        let value = if part.signed && part.width < bits_of(word) {
            quote!((#value & #bits))
        } else if part.first > 0 {
            // A cast in front of `<<` would be read as the start of type arguments.
            quote!((#value))
        } else {
            value
        };
        return (placed(value), String::new());
    }
    let ty_value = match &part.shape {
        Shape::Enum(_) => quote!(value.0),
        _ => quote!(value),
    };
    let (low, high) = range(part);
    let message = format!("the value does not fit {} bits", part.width);
    let (low, high) = (Literal::i128_unsuffixed(low), Literal::i128_unsuffixed(high));
    let assign = placed(quote!((#value & #bits)));
    let tokens = quote! {
        ::core::assert!((#low..=#high).contains(&i128::from(#ty_value)), #message);
        #assign
    };
    (tokens, format!("\n\n# Panics\n\nIf the value does not fit {} bits.", part.width))
}

/// Least and greatest number of a field.
fn range(part: &Part<'_>) -> (i128, i128) {
    limits(part.width, part.signed)
}

fn bits_of(prim: Prim) -> u32 {
    match prim {
        Prim::U8 | Prim::I8 => 8,
        Prim::U16 | Prim::I16 => 16,
        Prim::U32 | Prim::I32 => 32,
        Prim::U64 | Prim::I64 => 64,
        Prim::I128 => 128,
    }
}

/// Fields by name, and reserved bits as spelling.
fn inspect(shapes: &Shapes<'_>, id: RecordId, parts: &[Part<'_>], word: Prim) -> TokenStream {
    let ident = shapes.ident(id);
    let record = &shapes.model().records[id.index()];
    let fields = parts.iter().map(|part| {
        let name = part.row.name.as_deref().unwrap_or_default();
        let get = &part.ident;
        quote! {
            ::formwork::__rt::show(to, #name, &Self::#get(*self));
        }
    });
    let mut reserved = Vec::new();
    for (index, bits) in reserved_bits(record, &ident) {
        let raw = raw(&bits, word);
        let number = u16::try_from(index).unwrap_or(u16::MAX);
        reserved.push(quote! {
            ::formwork::__rt::inspect_bits(u64::from(#raw), #number, to, ROWS);
        });
    }
    let names = (!reserved.is_empty()).then(|| {
        let names = shapes.spelling_names(id);
        quote!(
            const ROWS: &[::formwork::inspect::RowName<'_>] = ::formwork::__rows![#(#names),*];
        )
    });
    quote! {
        impl ::formwork::inspect::Inspect for #ident {
            fn inspect(&self, to: &mut dyn ::formwork::inspect::Inspector) {
                #names
                to.begin_struct();
                #(#fields)*
                #(#reserved)*
                to.end_struct();
            }
        }
    }
}

/// Reserved bits, with the positions of their rows.
fn reserved_bits<'m>(
    record: &'m crate::model::Record,
    ident: &'m Ident,
) -> impl Iterator<Item = (usize, Part<'m>)> {
    record.rows.iter().enumerate().filter_map(|(index, row)| match (&row.kind, bits(row)) {
        (RowKind::Reserved, Some((first, last, _))) => {
            let bits = Part {
                row,
                ident: ident.clone(),
                shape: Shape::Bool,
                first,
                mask: mask(first, last),
                width: u32::from(last.saturating_sub(first)) + 1,
                signed: false,
            };
            Some((index, bits))
        }
        _ => None,
    })
}

/// What is read of a word.
fn read(shapes: &Shapes<'_>, id: RecordId, parts: &[Part<'_>], word: Prim) -> TokenStream {
    let prim = word.ident();
    let (ident, record) = (shapes.ident(id), &shapes.model().records[id.index()]);
    let (schema, required) = (&record.template, serde::required(shapes, id));
    let fields = parts.iter().zip(setters(parts)).map(|(part, (set, _))| {
        let name = part.row.name.as_deref().unwrap_or_default();
        let ty = shapes.ty(&part.shape, false);
        let (low, high) = range(part);
        let is_narrow = match &part.shape {
            Shape::Int(prim) => bits_of(*prim) != part.width,
            Shape::Enum(_) => true,
            _ => false,
        };
        let range = is_narrow.then(|| {
            let (low, high) = (Literal::i128_unsuffixed(low), Literal::i128_unsuffixed(high));
            quote!(#low #high)
        });
        quote!(#name #set [#ty] #range,)
    });
    let reserved = reserved_bits(record, &ident).map(|(index, part)| {
        let name = &shapes.row_name(id, index);
        let (mask, first) = (Literal::u64_unsuffixed(part.mask), part.first);
        let first = Literal::u8_unsuffixed(first);
        quote!(#name #mask #first #prim,)
    });
    quote! {
        ::formwork::__read_word! {
            #ident #schema [#(#required),*] { #(#fields)* } { #(#reserved)* }
        }
    }
}
