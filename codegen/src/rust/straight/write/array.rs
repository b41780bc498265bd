//! Structs and arrays.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::rows::Head;
use super::spot::{Spot, in_block, lit, position};
use super::writer::{Node, Src, Task, Writer};
use crate::model::{
    ArrayLength, ArrayType, ExprId, RecordId, RecordKind, Row, RowId, Storage, Type,
};
use crate::rust::mentions::mentions;
use crate::rust::shape::{Prim, Shape};
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::outline::element_piece;
use crate::rust::straight::scope::Scope;

/// What is remembered of where elements begin.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Starts<'i> {
    No,
    /// Their addresses, in a list.
    Listed,
    /// Tokens stand for them, of which this is the first.
    Settled(&'i Ident),
}

impl<'m> Writer<'_, '_, 'm> {
    /// A struct.
    pub(super) fn put_record(
        &self,
        node: &Node<'m>,
        record: RecordId,
        src: &Src,
        spot: &Spot,
        index: Option<&TokenStream>,
    ) -> Able<TokenStream> {
        if let Some(Shape::Option(_)) = src.shape {
            return unable("a struct that may not be there");
        }
        let holder = match node.record().kind {
            RecordKind::Form(..) => src.shape.as_ref().is_some_and(|shape| match shape {
                Shape::Struct(other) => *other != record,
                _ => false,
            }),
            _ => false,
        };
        if holder {
            return unable("a form of another struct");
        }
        self.by_order(node, record, src, &mut |node| {
            self.put_record_in_order(node, record, src, spot, index)
        })
    }

    /// The same, where its byte order is known.
    fn put_record_in_order(
        &self,
        node: &Node<'m>,
        record: RecordId,
        src: &Src,
        spot: &Spot,
        index: Option<&TokenStream>,
    ) -> Able<TokenStream> {
        if let Spot::Block(offset) = spot {
            let inner = self.inside(node, record, src, position(offset), index.cloned())?;
            return self.rows(&inner, spot, &Head::default());
        }
        let value = self.argument(record, src);
        let whole = self.block_size(node, &Type::Record(record));
        if let Some(size) = whole.filter(|size| *size <= 256) {
            // A block, filled where it is.
            let size = usize::try_from(size).unwrap_or(0);
            let inner = self.inside(node, record, src, quote!(at), index.cloned())?;
            let body = self.rows(&inner, &Spot::Block(quote!(0)), &Head::default())?;
            return Ok(in_block(size, &body));
        }
        self.call(Task::Put, node, record, &value, index, &quote!())
    }

    /// Elements one behind the other. `starts`: their addresses are remembered.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one array")]
    pub(super) fn put_array(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        array: &'m ArrayType,
        src: &Src,
        spot: &Spot,
        starts: Starts<'_>,
    ) -> Able<TokenStream> {
        let code = &src.code;
        let length = match array.length {
            ArrayLength::Count(count) => self.length_here(node, count, &quote!(#code.len()))?,
            _ => None,
        };
        let put = self.put_elements(node, id, row, array, src, spot, starts)?;
        Ok(quote!(#length #put))
    }

    #[allow(clippy::too_many_arguments, reason = "all of it is about one array")]
    fn put_elements(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        array: &'m ArrayType,
        src: &Src,
        spot: &Spot,
        starts: Starts<'_>,
    ) -> Able<TokenStream> {
        if let Some(described) = &array.described {
            if !described.is_plain() || array.stride.is_some() || !matches!(spot, Spot::End) {
                return unable("elements that something else describes (`of=`)");
            }
            return self.put_described(node, id, row, array, described.by, src, starts);
        }
        let (Some(Shape::List(inner)) | Some(Shape::Fixed(inner, _))) = &src.shape else {
            return unable("an array of another Rust type");
        };
        let code = &src.code;
        let (i, name) = (self.fresh("i"), self.fresh("e"));
        let x = self.src(quote!(#name), (**inner).clone());
        // The level of a type that contains itself is entered once for all elements.
        let entered = matches!(
            &array.element,
            Type::Record(id) if self.straight.record(*id).recursive
        );
        let element = Node { entered, ..node.clone() };
        let put = |spot: &Spot| {
            let put = || self.put_element(&element, id, row, &array.element, &x, spot, &i);
            self.straight.for_element(&array.element, put)
        };
        if let Some(stride) = array.stride {
            if starts != Starts::No || entered {
                return unable("elements at a `stride=` that own something");
            }
            let Spot::End = spot else { return unable("elements at a `stride=` within a block") };
            let stride = self.straight.number(&node.scope, node.view, stride)?;
            let body = self.closed(&put(&Spot::End)?);
            let full = self.room_is_full(node, &array.element, &quote!(stride));
            return Ok(quote! {
                let stride = #stride;
                for (#i, #name) in #code.iter().enumerate() {
                    let begun = cx.here();
                    #body
                    #full
                }
            });
        }
        if let Spot::Block(offset) = spot {
            let (Some(size), Some(all)) = (
                self.size(node, &array.element),
                self.size(node, &Type::Array(Box::new(array.clone()))),
            ) else {
                return unable("an array of no fixed size within a block");
            };
            let (count, size) = (
                lit(usize::try_from(all.checked_div(size).unwrap_or(0)).unwrap_or(0)),
                lit(usize::try_from(size).unwrap_or(0)),
            );
            let body = put(&Spot::Block(quote!((#offset + #i * #size))))?;
            return Ok(quote! {
                s::holds(#code.len() == #count)?;
                for (#i, #name) in #code.iter().enumerate() { #body }
            });
        }
        if let Type::Cell(cell) = &array.element
            && let Storage::Fixed(int) = cell.storage
            && let Some(bits) = self.easy_bits(row, cell, &x)
        {
            let width = lit(int.bytes.into());
            // Those of a shared table are not one behind the other yet.
            let one = !matches!(row.role, crate::model::Role::View { .. });
            if int.bytes == 1 && **inner == Shape::Int(Prim::U8) && one {
                return Ok(quote!(cx.put(&#code[..]);));
            }
            let function =
                if self.is_big(node, &int) { quote!(numbers_big) } else { quote!(numbers) };
            return Ok(quote!(cx.#function::<#width>(#code.iter().map(|#name| #bits))?;));
        }
        let piece = |index: Option<&Ident>, code: TokenStream| match (&array.element, &**inner) {
            (Type::Record(record), Shape::Struct(of))
                if record == of && !self.straight.spelling_outside(*of) =>
            {
                element_piece(*record, (&name, &self.ty(*record)), index, &code)
            }
            _ => code,
        };
        let size = self.block_size(node, &array.element).filter(|size| (1..=256).contains(size));
        if let (Some(size), Starts::No) = (size, starts) {
            let size = usize::try_from(size).unwrap_or(0);
            let body = put(&Spot::Block(quote!(0)))?;
            if !mentions(&body, "cx") && !mentions(&body, "at") && !mentions(&body, &i.to_string())
            {
                let (size, body) = (lit(size), piece(None, body));
                return Ok(quote! {
                    for (b, #name) in cx.grow(#code.len(), #size)?.chunks_exact_mut(#size).zip(#code.iter()) {
                        let b: &mut [u8; #size] = b.try_into().map_err(|_| s::Odd)?;
                        #body
                    }
                });
            }
            let block = piece(Some(&i), in_block(size, &body));
            let size = lit(size);
            return Ok(quote! {
                cx.out.reserve(#code.len().saturating_mul(#size));
                for (#i, #name) in #code.iter().enumerate() { #block }
            });
        }
        let body = put(&Spot::End)?;
        let start = match starts {
            Starts::No => None,
            Starts::Listed => Some(quote!(cx.start();)),
            Starts::Settled(first) => Some(quote! {
                let here = cx.here();
                cx.settle(#first + ((#i as u64) << 32), here)?;
            }),
        };
        let all = quote!(for (#i, #name) in #code.iter().enumerate() { #start #body });
        Ok(match entered {
            true => quote!(if !#code.is_empty() { cx.enter()?; #all cx.leave(); }),
            false => all,
        })
    }

    /// Elements of which each is described by one of another list: that is what `it` is there.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one array")]
    fn put_described(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        array: &'m ArrayType,
        by: ExprId,
        src: &Src,
        starts: Starts<'_>,
    ) -> Able<TokenStream> {
        let Some(Shape::List(inner)) = &src.shape else {
            return unable("an array of another Rust type");
        };
        let Type::Record(record) = &array.element else {
            return unable("elements that something else describes (`of=`)");
        };
        if starts != Starts::No || self.straight.record(*record).recursive {
            return unable(
                "elements that something else describes (`of=`), and that own something",
            );
        }
        let (i, name, by_name) = (self.fresh("i"), self.fresh("e"), self.fresh("by"));
        let (list, it) = self.straight.describer(&node.scope, node.view, by, &by_name)?;
        let scope = Scope { it: Some(it), ..node.scope.clone() };
        let element = Node { scope, ..node.clone() };
        let (code, x) = (&src.code, self.src(quote!(#name), (**inner).clone()));
        let body = self.put_element(&element, id, row, &array.element, &x, &Spot::End, &i)?;
        let body = self.closed(&body);
        Ok(quote! {
            for (#i, (#name, #by_name)) in #code.iter().zip(#list.iter()).enumerate() {
                #body
            }
        })
    }

    #[allow(clippy::too_many_arguments, reason = "all of it is about one element")]
    pub(super) fn put_element(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        ty: &'m Type,
        x: &Src,
        spot: &Spot,
        i: &Ident,
    ) -> Able<TokenStream> {
        match (ty, &x.shape) {
            (_, Some(Shape::Boxed(inner))) => {
                let code = &x.code;
                let x = self.src(self.straight.unboxed(code), (**inner).clone());
                self.put_element(node, id, row, ty, &x, spot, i)
            }
            (Type::Record(record), _) => self.put_record(node, *record, x, spot, Some(&quote!(#i))),
            _ => {
                let node = Node { element: Some(i.clone()), ..node.clone() };
                self.put(&node, id, row, ty, x, spot, None)
            }
        }
    }
}
