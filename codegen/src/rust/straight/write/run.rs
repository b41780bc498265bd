//! Runs of bytes or text.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::super::ends::{self, Ends, RoomSize};
use super::super::operators;
use super::spot::{Spot, bytes_at, in_block, lit};
use super::writer::{Node, Src, Writer};
use crate::model::{
    Content, Definer, DefinerScope, Encoding, Expr, ExprId, Extent, Model, RegionType, Role, Row,
    RowId, RowKind, RunLength, RunType, Storage, Terminated, Terminator, Trim, Type,
};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::equations::Side;
use crate::rust::straight::questions::has_varint;

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
            Content::Text(
                Encoding::Utf32 | Encoding::Latin1 | Encoding::Cp1252 | Encoding::Mutf8,
            ) => {
                return unable("text in this encoding");
            }
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
        id: RowId,
        run: &RunType,
        ends: &Ends<'_>,
        src: &Src,
        spot: &Spot,
    ) -> Able<TokenStream> {
        let (units, test) = self.units(node, run, src)?;
        let code = &src.code;
        let content = match units {
            None => quote!(s::Chars::chars(#code)),
            Some(big) => quote!(&s::unit_bytes(#code, #big)),
        };
        let put = match (ends, spot) {
            (Ends::Stop(of), Spot::End) => {
                let follows = self.follows(node, of)?;
                let align = run.align.filter(|align| *align > 1).map(|align| {
                    let align = Literal::u64_unsuffixed(align);
                    quote!(cx.align(#align);)
                });
                match ends::byte(of) {
                    Some(byte) => quote!(#align cx.ended_by(#content, #byte)?; #follows),
                    None => {
                        let stop = ends::stop(of, node.big);
                        quote!(#align cx.ended(#content, #stop)?; #follows)
                    }
                }
            }
            (Ends::Cut(..) | Ends::Room(..), _) if run.align.is_some_and(|align| align > 1) => {
                return unable("an aligned text in a room");
            }
            (Ends::Stop(_), Spot::Block(_)) => return unable("a terminator within a block"),
            (Ends::Room(..), Spot::Block(_)) => {
                return unable("a room of no fixed size in a block");
            }
            (Ends::Room(size, trim), Spot::End) => {
                let end = self.room_end(node, id, *size, trim)?;
                quote!({ let begun = cx.begun(); cx.put(#content); #end })
            }
            (Ends::Cut(size, trim), spot) => {
                let (size, cut) =
                    (lit(usize::try_from(*size).unwrap_or(usize::MAX)), ends::cut(trim, node.big));
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

    /// Anything else that ends before what is around it does.
    #[allow(clippy::too_many_arguments, reason = "all of it is about one value")]
    pub(super) fn put_ended_struct(
        &self,
        node: &Node<'m>,
        id: RowId,
        row: &'m Row,
        region: &'m RegionType,
        ends: &Ends<'_>,
        src: &Src,
        spot: &Spot,
    ) -> Able<TokenStream> {
        let Spot::End = spot else { return unable("a struct in a room within a block") };
        if !self.is_final(&region.inner) {
            return unable("a pointer in what ends at a terminator or in a room");
        }
        if self.is_measured_ahead() {
            return unable("a struct that ends at a terminator, among sizes that others need");
        }
        let content = self.closed(&self.put(node, id, row, &region.inner, src, spot, None)?);
        let end = match ends {
            Ends::Stop(of) => {
                let (stop, follows) = (ends::stop(of, node.big), self.follows(node, of)?);
                quote!(cx.end(begun, #stop)?; #follows)
            }
            Ends::Cut(size, trim) => {
                let (size, cut) = (Literal::u64_unsuffixed(*size), ends::cut(trim, node.big));
                quote!(cx.end_room(begun, #size, #cut)?;)
            }
            Ends::Room(size, trim) => self.room_end(node, id, *size, trim)?,
        };
        Ok(quote!({ let begun = cx.begun(); #content #end }))
    }

    /// Code that ends content, which has begun at `begun`, in a room of a size that an expression says.
    fn room_end(&self, node: &Node<'m>, id: RowId, size: ExprId, trim: &Trim) -> Able<TokenStream> {
        let cut = ends::cut(trim, node.big);
        Ok(match self.room_size(node, id, size)? {
            RoomSize::Said => {
                let size = self.straight.number(&node.scope, node.view, size)?;
                quote!(cx.end_room(begun, s::length(#size)?, #cut)?;)
            }
            RoomSize::Least(of) => {
                let rule = operators::rule(of);
                quote!(cx.end_least(begun, #cut, &#rule)?;)
            }
        })
    }

    /// How it is known how large a room is. What it follows from must be filled in.
    fn room_size(&self, node: &Node<'m>, id: RowId, size: ExprId) -> Able<RoomSize<'_>> {
        let room = self.straight.room_size(node.id, id, size)?;
        let said = || self.says(node, size, id, Side::Size) || self.size_is_said(node, size, id);
        match room {
            RoomSize::Least(_) if node.element.is_some() || !said() => {
                unable("a room whose size follows from it in another way")
            }
            room => Ok(room),
        }
    }

    /// What notes that a terminator is left to what follows.
    fn follows(&self, node: &Node<'m>, of: &Terminator) -> Able<Option<TokenStream>> {
        if of.mode != Terminated::Unread {
            return Ok(None);
        }
        let stop = ends::stop(of, node.big);
        if self.model.unions.iter().any(|union| union.size.is_some()) {
            return unable("a terminator that is left to what follows, and unions of a size");
        }
        Ok(Some(quote!(cx.must_follow(#stop);)))
    }

    /// Content of a region: what must follow something in it stands in it, too.
    pub(super) fn closed(&self, content: &TokenStream) -> TokenStream {
        match self.leaves {
            true => quote!(let left = cx.left(); #content cx.closes(left)?;),
            false => content.clone(),
        }
    }

    /// Whether the bytes of a type are what they will be as soon as they are written, but for numbers
    /// that are filled in, which the writer of bytes counts.
    fn is_final(&self, ty: &Type) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![ty]);
        while let Some(ty) = open.pop() {
            for part in ty.parts() {
                let record = match part {
                    Type::Pointer(_) => return false,
                    Type::Record(id) => vec![*id],
                    Type::Union(id) => {
                        let cases = &self.model.unions[id.index()].cases;
                        let forms = cases.iter().flat_map(|case| &case.forms);
                        let forms = forms.map(|form| form.record);
                        cases.iter().map(|case| case.record).chain(forms).collect()
                    }
                    _ => continue,
                };
                for id in record.into_iter().filter(|id| seen.insert(*id)) {
                    let rows = &self.model.records[id.index()].rows;
                    if !rows.iter().all(is_final) {
                        return false;
                    }
                    open.extend(rows.iter().map(|row| &row.ty));
                }
            }
        }
        true
    }

    /// Whether something may ask for a size before it is written, which the engine does not say of
    /// structs that end at a terminator.
    fn is_measured_ahead(&self) -> bool {
        let rows = || self.model.records.iter().flat_map(|record| &record.rows);
        let derived = |row: &Row| matches!(row.role, Role::Derived) && has_varint(&row.ty);
        rows().any(derived)
            || self.model.exprs.iter().any(|expr| matches!(expr, (_, Expr::Size(_))))
    }

    /// Code that holds a number of elements or units against an expression about where they stand. Other
    /// lengths are checked before anything is written.
    pub(super) fn length_here(
        &self,
        node: &Node<'m>,
        expr: ExprId,
        length: &TokenStream,
    ) -> Able<Option<TokenStream>> {
        if !self.straight.is_about_place(expr) || self.straight.is_about_end(expr) {
            return Ok(None);
        }
        let said = self.straight.number(&node.scope, node.view, expr)?;
        Ok(Some(quote!(s::holds(#said == rt::Some(#length as i128))?;)))
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
        if let RunLength::Count(count) = run.length {
            test.extend(self.length_here(node, count, &length)?);
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
                    let (width, most, order) = self.varint(varint)?;
                    let kept = self.width(node, id);
                    quote!(cx.varint(rt::Some(#length as i128), #width, #most, #order, #kept)?;)
                }
                Storage::Digits { .. } => return unable("a length in digits"),
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

/// Whether nothing outside of its record says what a row is.
fn is_final(row: &Row) -> bool {
    let own = |definer: &Definer| !matches!(definer.scope, DefinerScope::Owner(..));
    row.definers.iter().all(own)
        && matches!(
            row.kind,
            RowKind::Plain
                | RowKind::Zero
                | RowKind::Reserved
                | RowKind::Zeros
                | RowKind::Constant(_)
                | RowKind::Value { .. }
        )
}

/// Whether a terminator is left to what follows.
pub(super) fn leaves_terminators(model: &Model) -> bool {
    let left = |ty: &Type| match ty {
        Type::Region(region) => {
            matches!(&region.extent, Extent::Terminated(stop) if stop.mode == Terminated::Unread)
        }
        _ => false,
    };
    model.records.iter().flat_map(|record| &record.rows).any(|row| row.ty.parts().any(left))
}
