//! How large a file becomes, as far as that is quickly said of a value, so that its bytes need not
//! move while it is written.
//!
//! That is no more than a guess: what is not counted is added to the room as it comes. Blocks of
//! structs have their size, lists of numbers a size for each element, and large content is most often
//! bytes. Texts are not counted: they are many and short, and to visit them all takes time.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Cell, RecordId, Storage, Type, UnionId};
use crate::rust::mentions::size;
use crate::rust::shape::Shape;
use crate::rust::straight::context::{Flavour, Straight};
use crate::rust::straight::locals::case_name;
use crate::rust::straight::questions::target;

/// Tokens of what is not worth a function.
const FEW: usize = 90;

/// Lists in lists that are gone through at most.
const LISTS: u32 = 2;

/// Bytes of a value.
struct Room {
    /// Of any value of its type.
    fixed: u64,
    /// What is counted besides: terms, each a `usize`.
    terms: Vec<TokenStream>,
}

impl Room {
    fn fixed(size: u64) -> Room {
        Room { fixed: size, terms: Vec::new() }
    }

    fn of(term: TokenStream) -> Room {
        Room { fixed: 0, terms: vec![term] }
    }

    fn code(&self) -> TokenStream {
        let (fixed, terms) = (literal(self.fixed), &self.terms);
        quote!(#fixed #(.saturating_add(#terms))*)
    }
}

fn literal(size: u64) -> Literal {
    Literal::usize_suffixed(usize::try_from(size).unwrap_or(0))
}

/// What is counted inside of what, and the functions that count.
#[derive(Default)]
struct Around {
    /// Structs that are being counted.
    records: Vec<RecordId>,
    /// Unions whose cases are.
    unions: Vec<UnionId>,
    /// Lists around.
    lists: u32,
    /// Functions, each by its struct and what it does.
    functions: Vec<(RecordId, String, Ident, TokenStream)>,
}

impl Around {
    /// The function that counts a struct in this way.
    fn function(&mut self, id: RecordId, ty: &TokenStream, code: &TokenStream) -> Ident {
        let text = code.to_string();
        let mut same = self.functions.iter().filter(|(of, ..)| *of == id);
        if let Some((.., name, _)) = same.clone().find(|(_, known, ..)| *known == text) {
            return name.clone();
        }
        let name = match same.by_ref().count() {
            0 => format_ident!("room__{}", id.0),
            number => format_ident!("room__{}_k{number}", id.0),
        };
        let function = quote!(fn #name(v: &#ty) -> usize { #code });
        self.functions.push((id, text, name.clone(), function));
        name
    }
}

impl Straight<'_, '_> {
    /// The room for the file of a value, which is the root and called `v`: a `usize`, and the
    /// functions that it calls.
    pub(super) fn room(&self) -> (TokenStream, Vec<TokenStream>) {
        if self.flavour != Flavour::Values {
            // The value takes more in the arena than in a file.
            return (quote!(arena.size() / 3), Vec::new());
        }
        let (root, shape) = (self.model.root, self.value_shape(self.model.root));
        let mut around = Around::default();
        let room = match shape {
            Shape::Struct(_) => self.room_of_record(root, &quote!(v), &mut around),
            _ => Room::fixed(0),
        };
        let mut code = room.code();
        if size(&code) > FEW {
            let name = around.function(root, &self.value_ty(root, &quote!('_)), &code);
            code = quote!(#name(v));
        }
        (code, around.functions.into_iter().map(|(.., function)| function).collect())
    }

    fn room_of_record(&self, id: RecordId, value: &TokenStream, around: &mut Around) -> Room {
        let record = self.record(id);
        let mut room = Room::fixed(record.sizes.first().copied().flatten().unwrap_or(0));
        // What contains itself is a tree, and nobody knows how many are in it.
        if around.records.contains(&id) {
            return room;
        }
        around.records.push(id);
        for field in self.shapes.fields(id) {
            let (row, name) = (&record.rows[field.row.index()], &field.ident);
            let inside = quote!((&#value.#name));
            let of_row = self.room_of(&row.ty, &field.shape, &inside, around);
            // Numbers are in the block, and structs that are not behind a pointer.
            if matches!(row.ty.stripped(), Type::Pointer(_)) {
                room.fixed = room.fixed.saturating_add(of_row.fixed);
            }
            room.terms.extend(of_row.terms);
        }
        around.records.pop();
        room
    }

    fn room_of(&self, ty: &Type, shape: &Shape, value: &TokenStream, around: &mut Around) -> Room {
        let ty = target(ty);
        match (shape, ty) {
            (Shape::Bytes, _) => Room::of(quote!(#value.len())),
            (Shape::Boxed(inner), _) => self.room_of(ty, inner, &quote!((&**#value)), around),
            (Shape::Option(inner), _) => {
                let inside = self.room_of(ty, inner, &quote!(some), around);
                if inside.terms.is_empty() {
                    return Room::fixed(0);
                }
                let inside = inside.code();
                Room::of(quote!(#value.as_ref().map_or(0, |some| #inside)))
            }
            (Shape::Struct(id), _) => self.room_of_record(*id, value, around),
            // Cases that hold their union can be in one another in any order.
            (Shape::Choice(id), _) if around.unions.contains(id) => Room::fixed(0),
            (Shape::Choice(id), _) => {
                around.unions.push(*id);
                let mut arms = Vec::new();
                for (at, case) in self.model.unions[id.index()].cases.iter().enumerate() {
                    let at = u32::try_from(at).unwrap_or(u32::MAX);
                    let (_, Some(payload)) = self.shapes.variant(*id, at) else { continue };
                    if payload != case.record || self.shapes.is_transparent(payload) {
                        continue;
                    }
                    let name = case_name(payload);
                    let inside = self.room_of_record(payload, &quote!(#name), around);
                    if !inside.terms.is_empty() {
                        let (pattern, inside) = (self.pattern(*id, at, &name), inside.code());
                        arms.push(quote!(#pattern => #inside,));
                    }
                }
                around.unions.pop();
                match arms.is_empty() {
                    true => Room::fixed(0),
                    false => Room::of(quote!((match #value { #(#arms)* _ => 0 }))),
                }
            }
            (Shape::List(inner), Type::Array(array)) => {
                let record = match &**inner {
                    Shape::Struct(id) => Some(*id),
                    _ => None,
                };
                let name = if record.is_some() { quote!(v) } else { quote!(x) };
                around.lists += 1;
                let element = self.room_of(&array.element, inner, &name, around);
                around.lists -= 1;
                if element.terms.is_empty() || around.lists >= LISTS {
                    let size = literal(element.fixed);
                    return match element.fixed {
                        0 => Room::fixed(0),
                        _ => Room::of(quote!(#value.len().saturating_mul(#size))),
                    };
                }
                let element = element.code();
                Room::of(match record {
                    Some(id) => {
                        let ty = self.value_ty(id, &quote!('_));
                        let name = around.function(id, &ty, &element);
                        quote!(#value.iter().map(#name).fold(0_usize, usize::saturating_add))
                    }
                    None => quote! {
                        #value.iter().fold(0_usize, |room, x| room.saturating_add(#element))
                    },
                })
            }
            (_, Type::Cell(Cell { storage: Storage::Fixed(int), .. })) => {
                Room::fixed(int.bytes.into())
            }
            _ => Room::fixed(0),
        }
    }
}
