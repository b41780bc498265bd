//! `arbitrary::Arbitrary`: values of bounded depth and size, most of which heed what the schema says
//! about one field, about positions in arrays and keys of elements, and about lengths that follow
//! from numbers. What only all fields together say is left to the writer, which refuses.

mod helper;
mod keys;
mod lengths;
mod rules;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, format_ident, quote};

use super::lifetimes::generics;
use crate::model::{Constant, EnumId, RecordId, Role, RowId, RowKind, UnionId};
use crate::rust::shape::{FieldShape, Prim, Shape, Shapes};

pub use helper::emit as helper;
use lengths::Unit;
use rules::Rule;

/// Of a struct.
pub fn structs(shapes: &Shapes<'_>, id: RecordId) -> TokenStream {
    let ident = shapes.ident(id);
    let lengths = lengths(shapes, id);
    let mut sources: Vec<RowId> =
        lengths::sources(shapes, id).into_iter().map(|(row, _)| row).collect();
    sources.sort_unstable();
    sources.dedup();
    let locals = sources.iter().filter_map(|row| shapes.field(id, *row)).map(|field| {
        let (local, ty) =
            (lengths::local(field.row), shapes.ty_for(&field.shape, false, &quote!('a)));
        let value = value(shapes, id, field, &lengths);
        quote!(let #local: #ty = #value;)
    });
    let fields = shapes.fields(id).iter().map(|field| {
        let name = &field.ident;
        let value = match sources.contains(&field.row) {
            true => lengths::local(field.row).to_token_stream(),
            false => value(shapes, id, field, &lengths),
        };
        quote!(#name: #value)
    });
    let spelling = shapes.has_spelling(id).then(|| format_ident!("spelling"));
    let spelling = spelling.map(|name| quote!(#name: ::formwork::__rt::Default::default()));
    let fields = fields.chain(spelling);
    let counts = lengths.iter().enumerate().map(|(at, (_, lists_of))| {
        let number = format_ident!("number_{at}");
        let lists = lists_of.iter().map(|(field, factor, offset)| {
            let least = match keys::number(shapes, id, field.row) {
                Some(array) => quote!(::formwork::__rt::Some(#array)),
                None => quote!(::formwork::__rt::None),
            };
            quote!((#least, #factor, #offset))
        });
        let count = quote!(as_arbitrary::count(u, cx, &[#(#lists),*])?);
        let elements = lists_of.iter().filter_map(|(field, ..)| match element(&field.shape) {
            Shape::Struct(_) | Shape::Index(_) => Some(is_possible(shapes, element(&field.shape))),
            _ => None,
        });
        let count = match all(elements.collect()) {
            Some(possible) => quote!(if #possible { #count } else { 0 }),
            None => count,
        };
        quote!(let #number = #count;)
    });
    let body = quote! {
        #(#counts)*
        #(#locals)*
        ::formwork::__rt::Ok(#ident { #(#fields,)* })
    };
    let record = &shapes.model().records[id.index()];
    let possible = shapes.fields(id).iter().flat_map(|field| {
        let is = matches!(field.shape, Shape::Index(_) | Shape::Fixed(..));
        let rule = Rule::of(shapes, id, field);
        let want = rule.want.filter(|_| is).map(|want| quote!(cx.has_wanted(#want)));
        let is_key = matches!(field.shape, Shape::Int(_) | Shape::Fixed(..));
        let key = rule.key_in.filter(|_| is_key).map(|array| quote!(cx.least(u, #array)? > 0));
        // A field that a layout may lack is no reason to do without the struct.
        let always = rules::epochs(&record.rows[field.row.index()]).is_none();
        let index = (is && always).then(|| is_possible(shapes, &field.shape));
        index.into_iter().chain(want).chain(key.filter(|_| always))
    });
    let possible = all(possible.collect());
    traits(shapes, &Shape::Struct(id), &ident, &body, possible.as_ref())
}

/// Numbers that say the lengths of several lists, or not just one length: each with its lists, their
/// factors and offsets.
type Lengths<'s> = Vec<(String, Vec<(&'s FieldShape, i128, i128)>)>;

fn lengths<'s>(shapes: &'s Shapes<'_>, id: RecordId) -> Lengths<'s> {
    let record = &shapes.model().records[id.index()];
    let mut lengths: Lengths<'s> = Vec::new();
    for field in shapes.fields(id) {
        let is_list = match &field.shape {
            Shape::Option(inner) => matches!(**inner, Shape::List(_)),
            shape => matches!(shape, Shape::List(_)),
        };
        let row = &record.rows[field.row.index()];
        let Some(shared) = rules::shared(shapes.model(), row).filter(|_| is_list) else { continue };
        let entry = (field, shared.factor, shared.offset);
        match lengths.iter_mut().find(|(number, _)| *number == shared.number) {
            Some((_, lists)) => lists.push(entry),
            None => lengths.push((shared.number, vec![entry])),
        }
    }
    lengths.retain(|(_, lists)| lists.len() > 1 || lists.iter().any(|list| list.1 != 1));
    lengths
}

/// The value of a field.
fn value(
    shapes: &Shapes<'_>,
    id: RecordId,
    field: &FieldShape,
    lengths: &Lengths<'_>,
) -> TokenStream {
    let row = &shapes.model().records[id.index()].rows[field.row.index()];
    let shared = lengths.iter().enumerate().find_map(|(at, (_, lists))| {
        let (_, factor, offset) = lists.iter().find(|list| list.0.row == field.row)?;
        let number = format_ident!("number_{at}");
        Some(quote!(as_arbitrary::length(#number, #factor, #offset)))
    });
    let (size, length) = match lengths::of(shapes, id, row) {
        Some((Unit::Bytes, bytes)) => (Some(quote!(as_arbitrary::size(#bytes))), shared),
        Some((Unit::Elements, elements)) => {
            (None, Some(quote!(as_arbitrary::length(#elements, 1, 0))))
        }
        Some((Unit::Padding, _)) | None => (None, shared),
    };
    let least = keys::number(shapes, id, field.row);
    let rule = Rule::of(shapes, id, field).tokens(least, size, length);
    let rule = rule.unwrap_or_else(|| quote!(as_arbitrary::ANY));
    let is_option = matches!(field.shape, Shape::Option(_));
    // What is measured is hardly ever what somebody else says; nothing is the better guess.
    let is_measured = matches!(row.kind, RowKind::Value { seen: Some(_) }) && is_option;
    let usual = (is_measured || matches!(row.role, Role::Default(_)))
        .then(|| shapes.field_default(id, field, false));
    let with_usual = |made: TokenStream| match &usual {
        Some(usual) => quote!(match cx.usual(u)? { true => #usual, false => #made }),
        None => made,
    };
    let referred = is_option && rules::has_referred(shapes, row);
    let Some(epochs) = rules::epochs(row) else {
        return with_usual(match referred {
            true => quote!(as_arbitrary::there(u, cx, #rule)?),
            false => quote!(as_arbitrary::field(u, cx, #rule)?),
        });
    };
    // What a layout lacks has to be what the schema says it is then.
    let stated: Option<&Constant> =
        row.absent.as_ref().filter(|_| !matches!(row.role, Role::Default(_)));
    let absent = match stated {
        Some(_) => shapes.field_default(id, field, false),
        None => shapes.default(&field.shape),
    };
    let made = match referred || is_option && !rules::may_be_none(row) {
        true => quote!(as_arbitrary::there(u, cx, #rule)?),
        false => quote!(as_arbitrary::field(u, cx, #rule)?),
    };
    let made = with_usual(made);
    quote!(if as_arbitrary::has(&[#(#epochs),*], cx) { #made } else { #absent })
}

/// Whether there is a value of a shape: not of a position in an array without elements.
fn is_possible(shapes: &Shapes<'_>, shape: &Shape) -> TokenStream {
    let ty = shapes.ty_for(shape, false, &quote!('a));
    quote!(<#ty as as_arbitrary::Make<'a>>::possible(u, cx)?)
}

/// What the elements of a list are.
fn element(shape: &Shape) -> &Shape {
    match shape {
        Shape::List(inner) | Shape::Option(inner) | Shape::Boxed(inner) => element(inner),
        other => other,
    }
}

fn all(parts: Vec<TokenStream>) -> Option<TokenStream> {
    (!parts.is_empty()).then(|| quote!(#(#parts)&&*))
}

/// Of a union.
pub fn unions(shapes: &Shapes<'_>, id: UnionId) -> TokenStream {
    let ident = shapes.union_ident(id);
    let union = &shapes.model().unions[id.index()];
    let count = u32::try_from(union.cases.len()).unwrap_or(0);
    let cases = (0..count).zip(&union.cases).map(|(number, case)| {
        let (variant, payload) = shapes.variant(id, number);
        let number = Literal::u32_unsuffixed(number);
        let mut conditions = Vec::new();
        if case.epochs.contains(&false) {
            let epochs = &case.epochs;
            conditions.push(quote!(as_arbitrary::has(&[#(#epochs),*], cx)));
        }
        if let Some(record) = payload {
            conditions.push(is_possible(shapes, &shapes.record(record)));
        }
        let guard = all(conditions).map(|condition| quote!(if #condition));
        let payload = payload.map(|_| quote!((as_arbitrary::field(u, cx, as_arbitrary::ANY)?)));
        quote!(#number #guard => return ::formwork::__rt::Ok(#ident::#variant #payload),)
    });
    let last = Literal::u32_unsuffixed(count.saturating_sub(1));
    let total = Literal::u32_unsuffixed(count.max(1));
    let union_id = id.0;
    let body = quote! {
        // The case that is chosen, or the next one that is possible.
        let first = match cx.forced(#union_id) {
            ::formwork::__rt::Some(case) => case,
            ::formwork::__rt::None => u.int_in_range(0..=#last)?,
        };
        for number in 0..#total {
            match (first + number) % #total {
                #(#cases)*
                _ => {}
            }
        }
        ::formwork::__rt::Ok(::formwork::__rt::Default::default())
    };
    let body = quote! {
        as_arbitrary::deeper(u, cx, |u, cx| { #body })
    };
    traits(shapes, &Shape::Choice(id), &ident, &body, None)
}

/// Of a word: any bits in its fields, the others as by default.
pub fn words(shapes: &Shapes<'_>, id: RecordId, data: u64) -> TokenStream {
    let ident = shapes.ident(id);
    let prim = shapes.word_prim(id).unwrap_or(Prim::U64);
    let is_all = prim.range().1 == i128::from(data);
    let (prim, data) = (prim.ident(), Literal::u64_unsuffixed(data));
    let body = match is_all {
        true => quote!(::formwork::__rt::Ok(#ident(::arbitrary::Arbitrary::arbitrary(u)?))),
        false => quote! {
            let bits: #prim = ::arbitrary::Arbitrary::arbitrary(u)?;
            let default: Self = ::formwork::__rt::Default::default();
            ::formwork::__rt::Ok(#ident((default.0 & !#data) | (bits & #data)))
        },
    };
    traits(shapes, &Shape::Word(id), &ident, &body, None)
}

/// Of an enumeration: its members, and now and then a number without a name.
pub fn enums(shapes: &Shapes<'_>, id: EnumId) -> TokenStream {
    let ident = shapes.enum_ident(id);
    let closed = shapes.model().enums[id.index()].closed;
    let members = shapes.members(id);
    let count = members.len();
    let cases = members.iter().enumerate().map(|(at, member)| {
        let at = Literal::usize_unsuffixed(at);
        quote!(#at => #ident::#member)
    });
    let last = Literal::usize_unsuffixed(if closed { count.saturating_sub(1) } else { count });
    let rest = if closed {
        quote!(::formwork::__rt::Default::default())
    } else {
        quote!(#ident(::arbitrary::Arbitrary::arbitrary(u)?))
    };
    let numbers = &shapes.model().enums[id.index()].members;
    let chosen = if closed {
        let known = members.iter().zip(numbers).map(|(member, known)| {
            let number = Literal::i128_unsuffixed(known.number);
            quote!(::formwork::__rt::Some(#number) => {
                return ::formwork::__rt::Ok(#ident::#member);
            })
        });
        quote!(match cx.chosen(u)? { #(#known)* _ => {} })
    } else {
        quote! {
            if let ::formwork::__rt::Some(::formwork::__rt::Ok(number)) =
                cx.chosen(u)?.map(::core::convert::TryFrom::try_from)
            {
                return ::formwork::__rt::Ok(#ident(number));
            }
        }
    };
    let body = quote! {
        #chosen
        ::formwork::__rt::Ok(match u.int_in_range(0..=#last)? {
            #(#cases,)*
            _ => #rest,
        })
    };
    traits(shapes, &Shape::Enum(id), &ident, &body, None)
}

fn traits(
    shapes: &Shapes<'_>,
    shape: &Shape,
    ident: &Ident,
    body: &TokenStream,
    possible: Option<&TokenStream>,
) -> TokenStream {
    let generics = generics(shapes, shape);
    let possible = possible.map(|possible| quote!({ #possible }));
    quote!(::formwork::__arbitrary! { [#ident #generics] u cx { #body } #possible })
}
