//! Enumerations, varints and numbers in digits.

use super::imports::Found;
use super::{Cx, ScopeId, id32};
use crate::model::{
    DigitFill, Digits, DigitsId, Enum, EnumId, EnumMember, GroupOrder, Varint, VarintId, VarintSign,
};
use crate::span::Span;
use crate::syntax::ast::DeclBody;
use crate::syntax::hex;

impl<'t> Cx<'t> {
    pub(super) fn enumeration(&mut self, scope: ScopeId, index: usize) -> EnumId {
        if let Some(&id) = self.enum_ids.get(&(scope, index)) {
            return id;
        }
        let decl = self.decl(scope, index);
        let members = match &decl.body {
            DeclBody::Enum { members, .. } => members.as_slice(),
            _ => &[],
        };
        let id = EnumId(id32(self.enums.len()));
        self.enums.push(Enum {
            name: decl.name.value.clone(),
            doc: decl.doc.clone(),
            source: decl.props.text("source").map(str::to_owned),
            closed: decl.props.flag("closed"),
            members: members
                .iter()
                .map(|m| EnumMember {
                    name: m.name.value.clone(),
                    number: m.number,
                    doc: m.doc.clone(),
                })
                .collect(),
            span: decl.span,
        });
        self.enum_ids.insert((scope, index), id);
        id
    }

    /// The enumeration that `enum=NAME` names.
    pub(super) fn enum_named(&mut self, scope: ScopeId, name: &str, span: Span) -> Option<EnumId> {
        match self.lookup_one(scope, name, span) {
            Some(Found::Decl(at, index))
                if matches!(self.decl(at, index).body, DeclBody::Enum { .. }) =>
            {
                Some(self.enumeration(at, index))
            }
            Some(_) => {
                self.d.error("E0211", span, format!("`{name}` is not an enumeration"));
                None
            }
            None => {
                self.undeclared(scope, "enumeration", name, span, &[]);
                None
            }
        }
    }

    pub(super) fn varint(&mut self, scope: ScopeId, index: usize) -> Option<VarintId> {
        if let Some(&id) = self.varint_ids.get(&(scope, index)) {
            return Some(id);
        }
        let decl = self.decl(scope, index);
        let DeclBody::Varint { storage } = &decl.body else { return None };
        let Some(ty) = self.integer(scope, &storage.name) else {
            self.d
                .error("E0209", storage.span, "a `varint` needs the integer type of its values")
                .help("write `varint Name u32`");
            return None;
        };
        if let (false, Some(span)) = (ty.signed, decl.props.span("sign")) {
            let message = format!("a `{}` has no sign", storage.name);
            self.d.error("E0236", span, message).help("its type is `i8` to `i64`");
        }
        let order = match decl.props.word("order") {
            Some("lsb-first") => GroupOrder::LsbFirst,
            _ => GroupOrder::MsbFirst,
        };
        let sign = match decl.props.word("sign") {
            Some("zigzag") => VarintSign::Zigzag,
            _ => VarintSign::Twos,
        };
        let last = match decl.props.int("last") {
            None | Some(7) => 7,
            Some(8) => 8,
            Some(_) => {
                let span = decl.props.span("last").unwrap_or(decl.span);
                self.d
                    .error("E0214", span, "the last byte has 7 bits of a number, or 8")
                    .help("leave out `last=`, or say `last=8`: no byte can follow");
                7
            }
        };
        // What the last one has more the others need not have.
        let most = (u16::from(ty.bytes) * 8 - u16::from(last - 7)).div_ceil(7);
        let bytes = decl.props.int("bytes").unwrap_or(i128::from(most));
        if !(1..=i128::from(most)).contains(&bytes) {
            let span = decl.props.span("bytes").unwrap_or(decl.span);
            self.d.error("E0214", span, format!("`bytes=` lies between 1 and {most} here"));
        }
        if let (true, Some(span)) = (decl.props.has("is"), decl.props.span("usually")) {
            self.d
                .error("E0225", span, "`is=` and `usually=` exclude each other")
                .help("with `is=shortest` a longer form is an error, with `usually=` it is kept");
        }
        let id = VarintId(id32(self.varints.len()));
        self.varints.push(Varint {
            name: decl.name.value.clone(),
            doc: decl.doc.clone(),
            ty,
            order,
            max_bytes: u8::try_from(bytes).unwrap_or(10),
            sign,
            last,
            shortest: decl.props.has("is"),
            span: decl.span,
        });
        self.varint_ids.insert((scope, index), id);
        Some(id)
    }

    pub(super) fn digits(&mut self, scope: ScopeId, index: usize) -> Option<DigitsId> {
        if let Some(&id) = self.digits_ids.get(&(scope, index)) {
            return Some(id);
        }
        let decl = self.decl(scope, index);
        let DeclBody::Digits { storage } = &decl.body else { return None };
        let Some(ty) = self.integer(scope, &storage.name) else {
            self.d
                .error("E0209", storage.span, "`digits` needs the integer type of its values")
                .help("write `digits Name u32 bytes=8`, or `digits Name u32 end=\"0a\"`");
            return None;
        };
        let mut number = |name: &str, usual: i128, least: u8, most: u8| {
            let found = decl.props.int(name).unwrap_or(usual);
            if let Some(found) = u8::try_from(found).ok().filter(|n| (least..=most).contains(n)) {
                return found;
            }
            let span = decl.props.span(name).unwrap_or(decl.span);
            let message = format!("`{name}=` lies between {least} and {most} here");
            self.d.error("E0214", span, message);
            least
        };
        let has_size = decl.props.has("bytes");
        let bytes = has_size.then(|| number("bytes", 1, 1, Digits::MOST_BYTES));
        let base = number("base", 10, 2, 16);
        let end = decl.props.text("end").unwrap_or("");
        let end = if end == "nul" { Some(vec![0]) } else { hex(end) };
        let digit = |byte: u8| char::from(byte).is_digit(base.into()) || ty.signed && byte == b'-';
        let may_end = |end: &Vec<u8>| match bytes {
            Some(bytes) => {
                end.len() < usize::from(bytes) && end.iter().all(|byte| matches!(byte, 0 | b' '))
            }
            None => end.len() <= Digits::MOST_BYTES.into() && !end.iter().any(|byte| digit(*byte)),
        };
        let Some(end) = end.filter(may_end) else {
            let span = decl.props.span("end").unwrap_or(decl.span);
            let message = match has_size {
                true => "what follows digits are bytes 00 and 20, and leaves room for a digit",
                false => "what ends digits are bytes that are none",
            };
            self.d
                .error("E0214", span, message)
                .help("write them in hex, such as `end=\"00 20\"`, or `nul`");
            return None;
        };
        if let (false, Some(span)) = (has_size, decl.props.span("fill")) {
            self.d
                .error("E0214", span, "there is nothing to fill without `bytes=`")
                .help("write how many bytes each number takes, or leave out `fill=`");
        }
        let fill = match decl.props.word("fill") {
            Some("blanks-first") => DigitFill::BlanksFirst,
            Some("blanks-last") => DigitFill::BlanksLast,
            _ => DigitFill::ZerosFirst,
        };
        let upper = decl.props.word("letters") == Some("upper");
        let id = DigitsId(id32(self.digits.len()));
        let (name, doc, span) = (decl.name.value.clone(), decl.doc.clone(), decl.span);
        self.digits.push(Digits { name, doc, ty, bytes, base, fill, upper, end, span });
        self.digits_ids.insert((scope, index), id);
        Some(id)
    }
}
