//! From items of the tree to values.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Reading;
use crate::model::{EnumId, RecordId, RowId, RowKind, Target, Type};
use crate::rust::shape::Shape;

/// What is kept beside the tree of a row, at the level of an item.
#[derive(Clone)]
struct Beside {
    /// Of a pointer in the row itself.
    target: Option<Ident>,
    /// Of pointers in its elements.
    element: Option<Ident>,
}

impl Reading<'_, '_> {
    /// Code for a value of this shape from `item`, which is a reference to the item of a row.
    pub(super) fn build(&self, shape: &Shape, record: RecordId, row: RowId) -> TokenStream {
        let beside = Beside {
            target: self
                .part_of(record, row, Part::Target)
                .map(|_| store_name(record, row, Part::Target)),
            element: self
                .part_of(record, row, Part::Element)
                .map(|_| store_name(record, row, Part::Element)),
        };
        self.build_with(shape, &beside)
    }

    /// The same for a row of which nothing is kept beside the tree.
    pub(super) fn build_plain(&self, shape: &Shape) -> TokenStream {
        self.build_with(shape, &Beside { target: None, element: None })
    }

    /// Records with nodes that stand for a row of this shape, so that a node is in its place.
    fn transparent_of(&self, shape: &Shape) -> Vec<RecordId> {
        self.model
            .records()
            .filter(|(id, _)| {
                self.plan.noded(*id)
                    && self.shapes.is_transparent(*id)
                    && self.shapes.record(*id) == *shape
            })
            .map(|(id, _)| id)
            .collect()
    }

    fn build_with(&self, shape: &Shape, beside: &Beside) -> TokenStream {
        let plain = self.build_other(shape, beside);
        let through = self.transparent_of(shape);
        if through.is_empty() || matches!(shape, Shape::Kept(_)) {
            return plain;
        }
        let arms = through.iter().map(|id| {
            let (number, finish) = (super::number(id.index()), format_ident!("finish_{}", id.0));
            quote!(rt::Some((#number, node)) => Self::#finish(cx, node)?,)
        });
        quote!(match rt::node_in(&cx.core, item) { #(#arms)* _ => #plain })
    }

    fn build_other(&self, shape: &Shape, beside: &Beside) -> TokenStream {
        match shape {
            Shape::Option(inner) => {
                let inner = self.build_with(inner, beside);
                quote!(if rt::is_absent(item) { rt::None } else { rt::Some(#inner) })
            }
            Shape::Boxed(inner) => {
                let inner = self.build_with(inner, beside);
                quote!(rt::Box::new(#inner))
            }
            other => {
                let core = self.build_core(other, beside);
                match &beside.target {
                    Some(store) => {
                        let take = self.unstore(store);
                        quote!(match rt::value_index(item) {
                            rt::Some(value) => #take,
                            rt::None => #core,
                        })
                    }
                    None => core,
                }
            }
        }
    }

    /// Code that takes value number `value` from the store.
    pub(super) fn unstore(&self, store: &Ident) -> TokenStream {
        let slices = self.slices;
        quote!(rt::stored(&mut cx.store.#store, value, #slices)?)
    }

    fn build_core(&self, shape: &Shape, beside: &Beside) -> TokenStream {
        match shape {
            Shape::Int(_)
            | Shape::Float32
            | Shape::Float64
            | Shape::Bool
            | Shape::Endian
            | Shape::Str
            | Shape::Bytes
            | Shape::Utf16
            | Shape::Enum(_)
            | Shape::Word(_)
            | Shape::Index(_) => {
                self.want(shape);
                quote!(rt::Build::build(cx, item)?)
            }
            Shape::Struct(_) => self.build_struct(shape),
            Shape::Choice(union) => {
                let finish = format_ident!("finish_union_{}", union.0);
                if self.is_noded_union(*union) {
                    quote!(match rt::through(item) {
                        rt::Item::Node(node) => Self::#finish(cx, *node)?,
                        _ => rt::Default::default(),
                    })
                } else {
                    quote!(rt::Default::default())
                }
            }
            Shape::List(element) => {
                let inner = Beside { target: beside.element.clone(), element: None };
                let build = self.build_with(element, &inner);
                quote!(match rt::through(item) {
                    rt::Item::Array(array) => {
                        let build = |item: &rt::Item<'i>| rt::Ok(#build);
                        array.items.iter().map(build).collect::<rt::Read<rt::Vec<_>>>()?
                    }
                    _ => rt::Vec::new(),
                })
            }
            Shape::Fixed(element, count) => {
                let inner = Beside { target: beside.element.clone(), element: None };
                let build = self.build_with(element, &inner);
                let default = self.shapes.default(element);
                quote!({
                    let mut values = [#default; #count];
                    if let rt::Item::Array(array) = rt::through(item) {
                        for (to, item) in values.iter_mut().zip(&array.items) {
                            *to = #build;
                        }
                    }
                    values
                })
            }
            Shape::Kept(inner) => self.build_with(inner, beside),
            Shape::Option(_) | Shape::Boxed(_) => self.build_with(shape, beside),
        }
    }

    fn build_struct(&self, shape: &Shape) -> TokenStream {
        let Shape::Struct(record) = shape else { return quote!(rt::Default::default()) };
        // Structs that hold nothing but spelling share a type, and layouts may differ in the record.
        let ident = self.shapes.ident(*record);
        let mut arms = Vec::new();
        for (id, _) in self.model.records() {
            let same = id == *record
                || (self.typed_record(id)
                    && !self.shapes.is_transparent(id)
                    && self.shapes.ident(id) == ident);
            if same && self.plan.noded(id) && self.typed_record(id) {
                let number = super::number(id.index());
                let finish = format_ident!("finish_{}", id.0);
                arms.push(quote!(#number => Self::#finish(cx, node)?,));
            }
        }
        quote!(match rt::node_in(&cx.core, item) {
            rt::Some((record, node)) => match record {
                #(#arms)*
                _ => rt::Default::default(),
            },
            rt::None => rt::Default::default(),
        })
    }

    /// Whether a value of this shape is built by its type alone.
    pub(super) fn is_plain(&self, shape: &Shape) -> bool {
        if !matches!(shape, Shape::Kept(_)) && !self.transparent_of(shape).is_empty() {
            return false;
        }
        match shape {
            Shape::List(inner)
            | Shape::Fixed(inner, _)
            | Shape::Option(inner)
            | Shape::Boxed(inner)
            | Shape::Kept(inner) => self.is_plain(inner),
            _ => true,
        }
    }

    /// Notes that values of this shape are built from items.
    pub(super) fn want(&self, shape: &Shape) {
        match shape {
            Shape::List(inner)
            | Shape::Fixed(inner, _)
            | Shape::Option(inner)
            | Shape::Boxed(inner)
            | Shape::Kept(inner) => self.want(inner),
            Shape::Struct(_)
            | Shape::Choice(_)
            | Shape::Enum(_)
            | Shape::Word(_)
            | Shape::Index(_) => {
                self.wanted.borrow_mut().insert(self.ty(shape).to_string(), shape.clone());
            }
            _ => {}
        }
    }

    /// How the generated types are built from items.
    pub(super) fn builds(&self) -> TokenStream {
        let wanted: Vec<Shape> = self.wanted.borrow().values().cloned().collect();
        let builds = wanted.iter().map(|shape| {
            let ty = self.ty(shape);
            let value = match shape {
                Shape::Enum(id) => self.convert_enum(*id, &quote!(rt::int_value(item))),
                Shape::Word(word) => {
                    let path = self.path(&self.shapes.ident(*word));
                    let prim = match self.shapes.word_prim(*word) {
                        Some(prim) => prim.ident(),
                        None => format_ident!("u64"),
                    };
                    quote!(#path(rt::word_value(&cx.core, item) as #prim))
                }
                Shape::Index(id) => {
                    let path = self.path(&self.shapes.index_ident(*id));
                    quote!(#path::new(rt::int_value(item) as u32).unwrap_or_default())
                }
                Shape::Choice(union) if self.is_noded_union(*union) => {
                    let finish = format_ident!("finish_union_{}", union.0);
                    quote!(match rt::through(item) {
                        rt::Item::Node(node) => Self::#finish(cx, *node)?,
                        _ => rt::Default::default(),
                    })
                }
                shape => self.build_struct(shape),
            };
            let value = renamed(value);
            quote! {
                impl<'i, 'o> rt::Build<'i, Reader<'i, 'o>> for #ty {
                    fn build(cx: &mut Reader<'i, 'o>, item: &rt::Item<'i>) -> rt::Read<Self> {
                        rt::Ok(#value)
                    }
                }
            }
        });
        builds.collect()
    }

    /// A number as a member of an enumeration.
    pub(super) fn convert_enum(&self, id: EnumId, n: &TokenStream) -> TokenStream {
        let path = self.path(&self.shapes.enum_ident(id));
        let prim = self.shapes.enum_prim(id).ident();
        if self.model.enums[id.index()].closed {
            quote!(#path::from_number(#n as #prim).unwrap_or_default())
        } else {
            quote!(#path(#n as #prim))
        }
    }

    /// Shape and type of what is kept beside the tree of a row.
    pub(super) fn part_of(&self, id: RecordId, row: RowId, part: Part) -> Option<(Shape, &Type)> {
        let definition = self.row(id, row);
        if !self.plan.noded(id) {
            return None;
        }
        self.plan.slot(id, row)?;
        let ty = match part {
            Part::Own => &definition.ty,
            Part::Target => target_of(&definition.ty)?,
            Part::Element => target_of(element_of(&definition.ty)?)?,
        };
        // Only what is read at the row itself, or at the address of an object.
        let slice = match part {
            Part::Own => !matches!(definition.kind, RowKind::Plain | RowKind::Object { .. }),
            _ => matches!(definition.kind, RowKind::Slice { .. } | RowKind::Pool { .. }),
        };
        let slice = slice || matches!(definition.role, crate::model::Role::Elsewhere);
        if slice || !self.is_whole(id, row, ty) || !self.can_name(ty, definition) {
            return None;
        }
        let shape = self.shapes.of(ty, definition);
        Some((shape, ty))
    }

    /// Whether the Rust type of a value is there.
    fn can_name(&self, ty: &Type, row: &crate::model::Row) -> bool {
        self.shape_exists(&self.shapes.of(ty, row))
    }

    fn shape_exists(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Struct(record) => self.typed_record(*record),
            Shape::Choice(union) => self.shapes.has_union(*union),
            Shape::Word(word) => self.shapes.has_type(*word),
            Shape::Enum(id) => self.shapes.has_enum(*id),
            Shape::Index(id) => self.shapes.has_index(*id),
            Shape::List(inner)
            | Shape::Fixed(inner, _)
            | Shape::Option(inner)
            | Shape::Boxed(inner)
            | Shape::Kept(inner) => self.shape_exists(inner),
            _ => true,
        }
    }
}

/// Code in an implementation for another type than the reader.
fn renamed(code: TokenStream) -> TokenStream {
    code.into_iter()
        .map(|token| match token {
            proc_macro2::TokenTree::Ident(ident) if ident == "Self" => {
                proc_macro2::TokenTree::Ident(format_ident!("Reader"))
            }
            proc_macro2::TokenTree::Group(group) => proc_macro2::TokenTree::Group(
                proc_macro2::Group::new(group.delimiter(), renamed(group.stream())),
            ),
            other => other,
        })
        .collect()
}

/// What is kept beside the tree of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The row itself, or the object of it.
    Own,
    /// What the pointer in the row leads to.
    Target,
    /// What pointers in the elements of the row lead to.
    Element,
}

/// Field of the store for a part.
pub(super) fn store_name(id: RecordId, row: RowId, part: Part) -> Ident {
    let letter = match part {
        Part::Own => "s",
        Part::Target => "t",
        Part::Element => "e",
    };
    format_ident!("{letter}{}_{}", id.0, row.0)
}

/// What a pointer owns, in any epoch.
pub(super) fn target_of(ty: &Type) -> Option<&Type> {
    match ty.stripped() {
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => Some(target),
            _ => None,
        },
        Type::PerEpoch(types) => types.iter().find_map(target_of),
        _ => None,
    }
}

/// Type of the elements of an array in a row or behind its pointer, in any epoch.
pub(super) fn element_of(ty: &Type) -> Option<&Type> {
    match ty.stripped() {
        Type::Array(array) => Some(&array.element),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => element_of(target),
            _ => None,
        },
        Type::PerEpoch(types) => types.iter().find_map(element_of),
        _ => None,
    }
}
