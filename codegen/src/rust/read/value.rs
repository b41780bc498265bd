//! Values that are kept beside the tree, because nothing of them hangs in it.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::build::{Part, store_name};
use super::{Ctx, Reading};
use crate::model::{
    ArrayLength, ArrayType, Cell, EpochId, Meaning, RecordId, Row, RowId, RowKind, Storage, Target,
    Type, UnionId,
};
use crate::rust::shape::Shape;

/// A value that generated code reads.
pub(super) struct Typed {
    code: TokenStream,
}

impl<'m> Reading<'_, 'm> {
    /// The number of the value of a row, if it is kept beside the tree.
    pub(super) fn typed_row(&self, id: RecordId, row_id: RowId, row: &'m Row) -> Option<Literal> {
        if self.plan.slot(id, row_id).is_some() {
            let (shape, _) = self.part_of(id, row_id, Part::Own)?;
            return Some(self.typed(id, row_id, row, Part::Own, &shape));
        }
        let shape = self.free_typed(id, row_id)?;
        Some(self.typed(id, row_id, row, Part::Own, &shape))
    }

    /// Shape of a row without a slot that is no item.
    pub(super) fn free_typed(&self, id: RecordId, row_id: RowId) -> Option<Shape> {
        let row = self.row(id, row_id);
        let field = self.shapes.field(id, row_id).filter(|_| self.typed_record(id))?;
        let plain = matches!(row.kind, RowKind::Plain | RowKind::Object { .. });
        (plain && self.is_typed(&row.ty, row, &field.shape)).then(|| field.shape.clone())
    }

    /// The same for what a pointer in a row, or in its elements, leads to.
    pub(super) fn typed_target(&self, id: RecordId, row_id: RowId, whole: bool) -> Option<Literal> {
        let part = if whole { Part::Target } else { Part::Element };
        let (shape, _) = self.part_of(id, row_id, part)?;
        Some(self.typed(id, row_id, self.row(id, row_id), part, &shape))
    }

    fn typed(
        &self,
        id: RecordId,
        row_id: RowId,
        row: &'m Row,
        part: Part,
        shape: &Shape,
    ) -> Literal {
        let name = store_name(id, row_id, part);
        let known = self.store.borrow().iter().position(|(known, _)| *known == name);
        let number = known.unwrap_or_else(|| {
            let at = self.store.borrow().len();
            self.store.borrow_mut().push((name.clone(), self.ty(shape)));
            let code = self.per_epoch(|epoch| match part_type(&row.ty, part, epoch) {
                Some(ty) => self.whole(
                    Ctx { id, row: row_id, direct: !self.plan.noded(id) },
                    ty,
                    row,
                    shape,
                    &name,
                ),
                None => quote!((rt::Item::Absent, rt::NOTHING)),
            });
            self.typed_code.borrow_mut().push((at, Typed { code }));
            at
        });
        Literal::usize_unsuffixed(number)
    }

    /// Arms for the values kept beside the tree.
    pub(super) fn typed_arms(&self) -> TokenStream {
        let mut all: Vec<(usize, TokenStream)> =
            self.typed_code.borrow().iter().map(|(at, typed)| (*at, typed.code.clone())).collect();
        all.sort_by_key(|(at, _)| *at);
        let arms = all.iter().map(|(at, code)| {
            let at = Literal::usize_unsuffixed(*at);
            quote!(#at => #code,)
        });
        quote!(#(#arms)*)
    }

    /// Whether a type holds something that is no item: a record or union without nodes, or numbers
    /// that are read in one go.
    fn is_typed(&self, ty: &Type, row: &Row, shape: &Shape) -> bool {
        match ty {
            Type::Record(record) => !self.plan.noded(*record),
            Type::Union(union) => !self.is_noded_union(*union),
            Type::Cell(Cell { meaning: Meaning::Word(word), .. }) => {
                !self.plan.noded(*word) && !self.shapes.is_plain_word(*word)
            }
            Type::Array(array) => {
                let inner = list_element(shape);
                self.is_typed(&array.element, row, inner)
                    || bulk(array, &array.element, row, inner).is_some()
            }
            Type::Region(region) => self.is_typed(&region.inner, row, shape),
            Type::PerEpoch(types) => types.iter().any(|ty| self.is_typed(ty, row, shape)),
            _ => false,
        }
    }

    /// Code of type `(rt::Item, u32)`.
    fn whole(
        &self,
        ctx: Ctx,
        ty: &'m Type,
        row: &'m Row,
        shape: &Shape,
        store: &Ident,
    ) -> TokenStream {
        if matches!(ty, Type::Nothing) {
            return quote!((rt::Item::Absent, rt::NOTHING));
        }
        match ty.stripped() {
            Type::Array(array) => {
                let read = self.array_value(ctx, array, row, shape, true);
                let read = self.in_regions(ctx, ty, read);
                quote!({
                    let (value, item) = #read;
                    (item, rt::store(&mut cx.store.#store, value))
                })
            }
            _ => {
                let read = self.value(ctx, ty, row, shape);
                quote!({
                    let value = #read;
                    (rt::one(at, cursor), rt::store(&mut cx.store.#store, value))
                })
            }
        }
    }

    fn in_regions(&self, ctx: Ctx, ty: &'m Type, inner: TokenStream) -> TokenStream {
        match ty {
            Type::Region(region) => {
                let inner = self.in_regions(ctx, &region.inner, inner);
                let region = self.region_around(ctx, region);
                quote!(rt::within(cx, f, row, &#region, cursor, |cx, f, cursor| rt::Ok(#inner))?)
            }
            Type::PerEpoch(_) => self.per_epoch(|epoch| match ty.in_epoch(epoch) {
                Type::Nothing => inner.clone(),
                ty => self.in_regions(ctx, ty, inner.clone()),
            }),
            _ => inner,
        }
    }

    /// Code that reads a type at the cursor as a value of this shape.
    fn value(&self, ctx: Ctx, ty: &'m Type, row: &'m Row, shape: &Shape) -> TokenStream {
        if let Type::PerEpoch(_) = ty {
            return self.per_epoch(|epoch| match ty.in_epoch(epoch) {
                Type::Nothing => quote!(rt::Default::default()),
                ty => self.value(ctx, ty, row, shape),
            });
        }
        match (ty, shape) {
            // A struct that stands for a row has the option of the row.
            (Type::Record(record), shape) if self.shapes.record(*record) == *shape => {
                return self.direct_value(*record);
            }
            (Type::Pointer(_) | Type::Cell(_), _) => {}
            (_, Shape::Option(inner)) => {
                let inner = self.value(ctx, ty, row, inner);
                return quote!(rt::Some(#inner));
            }
            (_, Shape::Boxed(inner)) => {
                let inner = self.value(ctx, ty, row, inner);
                return quote!(rt::Box::new(#inner));
            }
            _ => {}
        }
        match ty {
            Type::Record(record) if !self.plan.noded(*record) => self.direct_value(*record),
            Type::Union(union) if !self.is_noded_union(*union) => self.union_value(ctx, *union),
            Type::Array(array) => self.array_value(ctx, array, row, shape, false),
            Type::Region(region) => {
                let inner = self.value(ctx, &region.inner, row, shape);
                let region = self.region_around(ctx, region);
                quote!(rt::within(cx, f, row, &#region, cursor, |cx, f, cursor| rt::Ok(#inner))?)
            }
            Type::Cell(cell) => match cell.meaning {
                Meaning::Word(word)
                    if !self.plan.noded(word) && !self.shapes.is_plain_word(word) =>
                {
                    self.word_value(ctx, cell, word, shape)
                }
                _ => self.built(ctx, ty, row),
            },
            _ => self.built(ctx, ty, row),
        }
    }

    fn word_value(&self, ctx: Ctx, cell: &Cell, word: RecordId, shape: &Shape) -> TokenStream {
        match shape {
            Shape::Option(inner) => {
                let inner = self.word_value(ctx, cell, word, inner);
                return quote!(rt::Some(#inner));
            }
            Shape::Boxed(inner) => {
                let inner = self.word_value(ctx, cell, word, inner);
                return quote!(rt::Box::new(#inner));
            }
            _ => {}
        }
        let bare = Cell { storage: unsigned(&cell.storage), meaning: Meaning::Int };
        let cell = self.cell(ctx, &bare, false);
        let ty = self.shared_ty(quote!(r::Ty::Cell(#cell)));
        let (number, make) = (Literal::u32_unsuffixed(word.0), format_ident!("make_{}", word.0));
        quote!({
            let own = rt::read_word(cx, f, row, #number, &#ty, cursor)?;
            Self::#make(cx, own)?
        })
    }

    fn direct_value(&self, record: RecordId) -> TokenStream {
        let number = Literal::u32_unsuffixed(record.0);
        let make = format_ident!("make_{}", record.0);
        quote!({
            let own = rt::direct(cx, #number, cursor, f.owner)?;
            Self::#make(cx, own)?
        })
    }

    fn union_value(&self, ctx: Ctx, id: UnionId) -> TokenStream {
        let union = self.union(ctx, id);
        if !self.shapes.has_union(id) {
            return quote!({ rt::read_case(cx, f, row, &#union, cursor)?; });
        }
        let make = format_ident!("make_union_{}", id.0);
        quote!({
            let (case, own) = rt::read_case(cx, f, row, &#union, cursor)?;
            Self::#make(cx, case, own)?
        })
    }

    /// A value that is built from its item.
    fn built(&self, ctx: Ctx, ty: &'m Type, row: &'m Row) -> TokenStream {
        let loc = self.plan.slot(ctx.id, ctx.row).is_some();
        let ty = self.ty_table(ctx, ty, row, loc, false);
        let ty = self.shared_ty(ty);
        quote!(rt::built(cx, f, row, &#ty, cursor)?)
    }

    /// An array as a vector, or as a pair of one and its item without elements.
    fn array_value(
        &self,
        ctx: Ctx,
        array: &'m ArrayType,
        row: &'m Row,
        shape: &Shape,
        with_item: bool,
    ) -> TokenStream {
        match shape {
            Shape::Option(inner) => {
                let inner = self.array_value(ctx, array, row, inner, with_item);
                return if with_item {
                    quote!({ let (value, item) = #inner; (rt::Some(value), item) })
                } else {
                    quote!(rt::Some(#inner))
                };
            }
            Shape::Boxed(inner) => return self.array_value(ctx, array, row, inner, with_item),
            _ => {}
        }
        let (element_shape, fixed) = match shape {
            Shape::List(element) => (&**element, false),
            Shape::Fixed(element, _) => (&**element, true),
            other => (other, false),
        };
        let loc = self.plan.slot(ctx.id, ctx.row).is_some();
        let code = if let Some(convert) = bulk(array, &array.element, row, element_shape) {
            let element = self.ty_table(ctx, &array.element, row, loc, false);
            let table = self.array(ctx, array, element);
            quote!(rt::numbers(cx, f, &#table, cursor, |raw| #convert)?)
        } else if self.is_typed(&array.element, row, element_shape) {
            let table = self.array(ctx, array, quote!(r::Ty::Nothing));
            let element = self.value(ctx, &array.element, row, element_shape);
            quote!(rt::list(cx, f, row, &#table, cursor, |cx, f, cursor| rt::Ok(#element))?)
        } else {
            let element = self.ty_table(ctx, &array.element, row, loc, false);
            let table = self.array(ctx, array, element);
            self.want(element_shape);
            quote!(rt::list_of(cx, f, row, &#table, cursor)?)
        };
        match (fixed, with_item) {
            (false, true) => code,
            (true, true) => quote!({ let (values, item) = #code; (rt::fixed(values), item) }),
            (false, false) => quote!(#code.0),
            (true, false) => quote!(rt::fixed(#code.0)),
        }
    }
}

/// The type of a part in one epoch.
fn part_type(ty: &Type, part: Part, epoch: EpochId) -> Option<&Type> {
    let ty = ty.in_epoch(epoch);
    match part {
        Part::Own => Some(ty),
        Part::Target => target_in(ty, epoch),
        Part::Element => target_in(element_in(ty, epoch)?, epoch),
    }
    .map(|ty| ty.in_epoch(epoch))
}

pub(super) fn target_in(ty: &Type, epoch: EpochId) -> Option<&Type> {
    match ty.in_epoch(epoch) {
        Type::Region(region) => target_in(&region.inner, epoch),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => Some(target),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn element_in(ty: &Type, epoch: EpochId) -> Option<&Type> {
    match ty.in_epoch(epoch) {
        Type::Region(region) => element_in(&region.inner, epoch),
        Type::Array(array) => Some(&array.element),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => element_in(target, epoch),
            _ => None,
        },
        _ => None,
    }
}

/// Shape of an element of an array of this shape.
fn list_element(shape: &Shape) -> &Shape {
    match shape {
        Shape::Option(inner) | Shape::Boxed(inner) => list_element(inner),
        Shape::List(element) | Shape::Fixed(element, _) => element,
        other => other,
    }
}

/// The bits of a word have no sign.
fn unsigned(storage: &Storage) -> Storage {
    match storage {
        Storage::Fixed(int) => Storage::Fixed(crate::model::IntType { signed: false, ..*int }),
        other => *other,
    }
}

/// How numbers of whole bytes, one behind the other, become values in one go: code over `raw`.
fn bulk(array: &ArrayType, element: &Type, row: &Row, shape: &Shape) -> Option<TokenStream> {
    let ArrayLength::Count(_) = &array.length else { return None };
    let Type::Cell(Cell { storage: Storage::Fixed(int), meaning }) = element else { return None };
    if array.stride.is_some() || !row.none.is_empty() || row.plus != 0 {
        return None;
    }
    Some(match (shape, meaning) {
        (Shape::Int(prim), Meaning::Int) => {
            let prim = prim.ident();
            if int.signed {
                let bits = u32::from(int.bytes) * 8;
                quote!(::formwork::sign_extend(raw, #bits) as #prim)
            } else {
                quote!(raw as #prim)
            }
        }
        (Shape::Float32, Meaning::Float) if int.bytes == 4 => quote!(f32::from_bits(raw as u32)),
        (Shape::Float64, Meaning::Float) if int.bytes == 8 => quote!(f64::from_bits(raw)),
        _ => return None,
    })
}
