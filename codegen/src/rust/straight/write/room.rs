//! How large a file becomes, as far as that is quickly said of a value, so that its bytes need not
//! move while it is written.
//!
//! That is no more than a guess: what is not counted is added to the room as it comes. Blocks of
//! structs have their size, lists of numbers a size for each element, and large content is most often
//! bytes. Texts are not counted: they are many and short, and to visit them all takes time.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::model::{Cell, RecordId, Storage, Type};
use crate::rust::shape::Shape;
use crate::rust::straight::context::{Flavour, Straight};
use crate::rust::straight::locals::case_name;
use crate::rust::straight::questions::target;

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

impl Straight<'_, '_> {
    /// The room for the file of a value, which is the root: a `usize`.
    pub(super) fn room(&self, value: &TokenStream) -> TokenStream {
        if self.flavour != Flavour::Values {
            // The value takes more in the arena than in a file.
            return quote!(arena.size() / 3);
        }
        let (root, shape) = (self.model.root, self.value_shape(self.model.root));
        let room = match shape {
            Shape::Struct(_) => self.room_of_record(root, value, 0, &mut Vec::new()),
            _ => Room::fixed(0),
        };
        room.code()
    }

    fn room_of_record(
        &self,
        id: RecordId,
        value: &TokenStream,
        lists: u32,
        around: &mut Vec<RecordId>,
    ) -> Room {
        let record = self.record(id);
        let mut room = Room::fixed(record.sizes.first().copied().flatten().unwrap_or(0));
        // What contains itself is a tree, and nobody knows how many are in it.
        if around.contains(&id) {
            return room;
        }
        around.push(id);
        for field in self.shapes.fields(id) {
            let (row, name) = (&record.rows[field.row.index()], &field.ident);
            let inside = quote!((&#value.#name));
            let of_row = self.room_of(&row.ty, &field.shape, &inside, lists, around);
            // Numbers are in the block, and structs that are not behind a pointer.
            if matches!(row.ty.stripped(), Type::Pointer(_)) {
                room.fixed = room.fixed.saturating_add(of_row.fixed);
            }
            room.terms.extend(of_row.terms);
        }
        around.pop();
        room
    }

    fn room_of(
        &self,
        ty: &Type,
        shape: &Shape,
        value: &TokenStream,
        lists: u32,
        around: &mut Vec<RecordId>,
    ) -> Room {
        let ty = target(ty);
        match (shape, ty) {
            (Shape::Bytes, _) => Room::of(quote!(#value.len())),
            (Shape::Boxed(inner), _) => {
                self.room_of(ty, inner, &quote!((&**#value)), lists, around)
            }
            (Shape::Option(inner), _) => {
                let inside = self.room_of(ty, inner, &quote!(some), lists, around);
                if inside.terms.is_empty() {
                    return Room::fixed(0);
                }
                let inside = inside.code();
                Room::of(quote!(#value.as_ref().map_or(0, |some| #inside)))
            }
            (Shape::Struct(id), _) => self.room_of_record(*id, value, lists, around),
            (Shape::Choice(id), _) => {
                let mut arms = Vec::new();
                for (at, case) in self.model.unions[id.index()].cases.iter().enumerate() {
                    let at = u32::try_from(at).unwrap_or(u32::MAX);
                    let (_, Some(payload)) = self.shapes.variant(*id, at) else { continue };
                    if payload != case.record || self.shapes.is_transparent(payload) {
                        continue;
                    }
                    let name = case_name(payload);
                    let inside = self.room_of_record(payload, &quote!(#name), lists, around);
                    if !inside.terms.is_empty() {
                        let (pattern, inside) = (self.pattern(*id, at, &name), inside.code());
                        arms.push(quote!(#pattern => #inside,));
                    }
                }
                match arms.is_empty() {
                    true => Room::fixed(0),
                    false => Room::of(quote!((match #value { #(#arms)* _ => 0 }))),
                }
            }
            (Shape::List(inner), Type::Array(array)) => {
                let element = self.room_of(&array.element, inner, &quote!(x), lists + 1, around);
                if element.terms.is_empty() || lists >= LISTS {
                    let size = literal(element.fixed);
                    return match element.fixed {
                        0 => Room::fixed(0),
                        _ => Room::of(quote!(#value.len().saturating_mul(#size))),
                    };
                }
                let element = element.code();
                Room::of(quote! {
                    #value.iter().fold(0_usize, |room, x| room.saturating_add(#element))
                })
            }
            (_, Type::Cell(Cell { storage: Storage::Fixed(int), .. })) => {
                Room::fixed(int.bytes.into())
            }
            _ => Room::fixed(0),
        }
    }
}
