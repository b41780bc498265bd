//! Runs of bytes or text.

use proc_macro2::Literal;

use super::super::ends::{self, Ends};
use super::spot::{Spot, bytes_at, in_block, lit};
use super::*;
use crate::model::{Content, Encoding, RunLength, RunType, Storage, Terminated};

impl<'m> Writer<'_, '_, 'm> {
    /// Of text in units of 16 bits, whether the highest byte comes first; and what the value must be.
    fn units(
        &self,
        node: &Node<'m>,
        run: &RunType,
        src: &Src,
    ) -> Able<(Option<bool>, TokenStream)> {
        let Some(shape) = &src.shape else { return unable("a run without a value") };
        let units = match run.content {
            Content::Bytes | Content::Text(Encoding::Ascii | Encoding::Utf8) => None,
            Content::Text(Encoding::Utf16) => Some(node.big),
            Content::Text(Encoding::Utf16Le) => Some(false),
            Content::Text(Encoding::Utf16Be) => Some(true),
            Content::Text(Encoding::Utf32) => return unable("text in this encoding"),
        };
        match (shape, units) {
            (Shape::Str | Shape::Bytes, None) | (Shape::Utf16, Some(_)) => {}
            _ => return unable("a run of another Rust type"),
        }
        let code = &src.code;
        let ascii = matches!(run.content, Content::Text(Encoding::Ascii))
            .then(|| quote!(s::holds(#code.is_ascii())?;));
        Ok((units, quote!(#ascii)))
    }

    /// A run that ends before what is around it does.
    pub(super) fn put_ended(
        &self,
        node: &Node<'m>,
        run: &RunType,
        ends: &Ends<'_>,
        src: &Src,
        spot: &Spot,
    ) -> Able<TokenStream> {
        let (None, test) = self.units(node, run, src)? else {
            return unable("text in UTF-16 that ends before what is around it");
        };
        let code = &src.code;
        let content = quote!(s::Chars::chars(#code));
        let put = match (ends, spot) {
            (Ends::Stop(of), Spot::End) => {
                let stop = ends::stop(of);
                let follows = match of.mode {
                    // No region ends between them.
                    Terminated::Unread if node.id == self.model.root && !node.element => {
                        let bytes = Literal::byte_string(&of.bytes);
                        Some(quote!(cx.must_follow(#bytes);))
                    }
                    Terminated::Unread => {
                        return unable("a terminator that is left to what is behind the struct");
                    }
                    _ => None,
                };
                quote!(cx.ended(#content, #stop)?; #follows)
            }
            (Ends::Stop(_), Spot::Block(_)) => return unable("a terminator within a block"),
            (Ends::Cut(size, trim), spot) => {
                let (size, cut) =
                    (lit(usize::try_from(*size).unwrap_or(usize::MAX)), ends::cut(trim));
                match spot {
                    Spot::End => {
                        quote!(s::fill_room(cx.grow(#size, 1)?, 0, #size, #content, #cut)?;)
                    }
                    Spot::Block(at) => quote!(s::fill_room(b, #at, #size, #content, #cut)?;),
                }
            }
        };
        Ok(quote!(#test #put))
    }

    /// A run.
    pub(super) fn put_run(
        &self,
        node: &Node<'m>,
        id: RowId,
        run: &'m RunType,
        src: &Src,
        spot: &Spot,
    ) -> Able<TokenStream> {
        let code = &src.code;
        let (units, mut test) = self.units(node, run, src)?;
        if let ([end], Content::Text(_), false) =
            (run.suffix.as_slice(), run.content, matches!(run.length, RunLength::Prefix(_)))
        {
            match units {
                None => test.extend(quote!(s::holds(!s::Chars::chars(#code).contains(&#end))?;)),
                Some(_) => return unable("a terminator of one byte behind text in UTF-16"),
            }
        }
        let length = match units {
            None => quote!(s::Chars::chars(#code).len()),
            Some(_) => quote!(#code.len()),
        };
        if let RunLength::Fixed(size) = run.length {
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            let bytes = if units.is_some() { quote!((#length * 2)) } else { length.clone() };
            test.extend(quote!(s::holds(#bytes == #size)?;));
        }
        if let Spot::Block(offset) = spot {
            let RunLength::Fixed(size) = run.length else {
                return unable("text or bytes of no fixed size within a block");
            };
            if units.is_some() {
                return unable("text in UTF-16 within a block");
            }
            let put = bytes_at(&quote!(s::Chars::chars(#code)), spot);
            let behind = super::spot::sum(offset, usize::try_from(size).unwrap_or(usize::MAX));
            let suffix = suffix(&run.suffix, &Spot::Block(behind));
            return Ok(quote!(#test #put #suffix));
        }
        let align = run.align.filter(|align| *align > 1).map(|align| quote!(cx.align(#align);));
        // A text with a plain length goes in one piece.
        if let (RunLength::Prefix(cell), None) = (&run.length, units)
            && let Storage::Fixed(int) = cell.storage
            && !int.signed
        {
            let (width, big) = (lit(int.bytes.into()), self.is_big(node, &int));
            let suffix = Literal::byte_string(&run.suffix);
            return Ok(quote! {
                #test
                #align
                cx.text::<#width>(s::Chars::chars(#code), #big, #suffix)?;
            });
        }
        let prefix = match &run.length {
            RunLength::Prefix(cell) => match cell.storage {
                Storage::Fixed(int) => {
                    let (bits, signed) = (u32::from(int.bytes) * 8, int.signed);
                    let bits = quote!(s::bits(#length as i128, #bits, #signed)?);
                    let width = lit(int.bytes.into());
                    let function =
                        if self.is_big(node, &int) { quote!(set_big) } else { quote!(set) };
                    in_block(int.bytes.into(), &quote!(s::#function::<#width>(b, 0, #bits);))
                }
                Storage::Varint(varint) => {
                    let (width, most, order) = self.varint(varint);
                    let kept = self.width(node, id);
                    quote!(cx.varint(rt::Some(#length as i128), #width, #most, #order, #kept)?;)
                }
                _ => return unable("a length in bits"),
            },
            _ => quote!(),
        };
        let put = match units {
            None => quote!(cx.put(s::Chars::chars(#code));),
            Some(big) => quote!(cx.units(#code, #big)?;),
        };
        let suffix = suffix(&run.suffix, spot);
        Ok(quote!(#test #align #prefix #put #suffix))
    }
}

fn suffix(bytes: &[u8], spot: &Spot) -> TokenStream {
    if bytes.is_empty() {
        return quote!();
    }
    let literal = Literal::byte_string(bytes);
    bytes_at(&quote!(#literal), spot)
}
