//! Lifetimes of types that borrow from a file.

use proc_macro2::TokenStream;
use quote::quote;

use crate::rust::shape::{Shape, Shapes};

/// `<'a>` of a type that borrows.
pub(super) fn generics(shapes: &Shapes<'_>, shape: &Shape) -> TokenStream {
    if shapes.borrows(shape) { quote!(<'a>) } else { quote!() }
}

/// `<'_>` of a type that borrows.
pub(super) fn elided(shapes: &Shapes<'_>, shape: &Shape) -> TokenStream {
    if shapes.borrows(shape) { quote!(<'_>) } else { quote!() }
}
