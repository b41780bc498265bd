//! Unions: cases, forms and tags.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::rows::{Head, TagCode};
use super::spot::{Spot, bytes_at, lit, position};
use super::writer::{Node, Src, Writer};
use crate::model::{Case, Cell, IntType, Label, RowId, Storage, Tag, Type, Union, UnionId};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::epochs::epoch_id;
use crate::rust::straight::locals::case_name;
use crate::rust::straight::operators::Typed;
use crate::rust::straight::outline::case_piece;
use crate::rust::straight::sayable::Said;
use crate::rust::straight::scope::{Access, Frame};

impl<'m> Writer<'_, '_, 'm> {
    /// A union. `home`: where it begins in the record around it, in bytes, if that is always the
    /// same.
    pub(super) fn put_union(
        &self,
        node: &Node<'m>,
        row: RowId,
        id: UnionId,
        src: &Src,
        spot: &Spot,
        home: Option<u64>,
    ) -> Able<TokenStream> {
        if matches!(src.shape, Some(Shape::Option(_)) | None) {
            return unable("a union that may not be there");
        }
        let union = &node.view.unions[id.index()];
        if union.size.is_some() && !self.model.is_filled(id, epoch_id(node.epoch)) {
            return unable("a union of a size that a case may not fill");
        }
        let given = match &union.tag {
            Tag::Given(given) if self.straight.is_about_end(*given) => quote!(),
            Tag::Given(given) => match self.straight.typed(&node.scope, node.view, *given)? {
                Typed::Text(text) => quote!(let given: &[u8] = s::known(#text)?;),
                number => {
                    let number = number.number()?;
                    quote!(let given: i128 = s::known(#number)?;)
                }
            },
            Tag::Row(_) | Tag::Own(_) | Tag::Word(_) => quote!(),
        };
        let code = &src.code;
        let arms = (0_u32..).zip(&union.cases).map(|(number, case)| {
            let (_, payload) = self.straight.shapes.variant(id, number);
            let name = case_name(payload.unwrap_or(case.record));
            let pattern = self.straight.pattern(id, number, &name);
            let inner = match payload {
                Some(record) => self.src(quote!(#name), Shape::Struct(record)),
                None => Src::nothing(),
            };
            let put = || self.put_case(node, row, id, case, &inner, spot, home);
            let body = match self.straight.in_case(case.record, put) {
                Ok(body) if union.cases.len() > 2 => {
                    let label = case_piece(payload.unwrap_or(case.record));
                    quote!(#label: { let _: () = { #body }; rt::Ok(()) })
                }
                Ok(body) => quote!({ let _: () = { #body }; rt::Ok(()) }),
                Err(_) => quote!(rt::Err(s::Odd)),
            };
            quote!(#pattern => #body,)
        });
        Ok(quote!(#given (match #code { #(#arms)* })?;))
    }

    #[allow(clippy::too_many_arguments, reason = "all of it is about one case")]
    fn put_case(
        &self,
        node: &Node<'m>,
        _row: RowId,
        id: UnionId,
        case: &'m Case,
        src: &Src,
        spot: &Spot,
        home: Option<u64>,
    ) -> Able<TokenStream> {
        let union = &node.view.unions[id.index()];
        if case.forms.is_empty() && !case.epochs.get(node.epoch).copied().unwrap_or(true) {
            return unable("a case of another layout");
        }
        let check = self.check_given(node, union, case)?;
        let rules = self.checking.case(&node.scope, node.view, id, case.record, node.epoch);
        let check = quote!(#check #rules);
        if case.whole {
            if !self.model.leads_to_itself(union, case) {
                return unable("a case whose own bytes may lead to another one");
            }
            let begins = match union.tag {
                Tag::Own(_) | Tag::Word(_) => !union.body || home == Some(0),
                _ => home == Some(0),
            };
            if !begins {
                return unable("a case that stands for what is around");
            }
            let body = match spot {
                Spot::End => self.put_record(node, case.record, src, spot, None)?,
                Spot::Block(_) => return unable("a whole case in a block"),
            };
            return Ok(quote!(#check #body));
        }
        let inner = self.inside(node, case.record, src, node.at.clone(), None)?;
        if case.forms.is_empty() {
            let rows = self.put_case_rows(&inner, id, &case.labels, spot, home)?;
            return Ok(quote!(#check #rows));
        }
        let canonical = self.canonical(case.record, &inner.value);
        let (mut first, mut bodies, mut says) =
            (TokenStream::new(), TokenStream::new(), TokenStream::new());
        let mut open = true;
        for (number, form) in case.forms.iter().enumerate() {
            self.straight.must_have_no_rules(form)?;
            if !form.epochs.get(node.epoch).copied().unwrap_or(true) {
                continue;
            }
            let mut rows = inner.clone();
            rows.id = form.record;
            rows.scope = inner.scope.within(Frame {
                record: form.record,
                access: Access::Value(inner.value.clone()),
                at: Some(node.at.clone()),
                index: None,
            });
            let said = Said { view: node.view, epoch: node.epoch, form };
            let test = self.straight.form_says(said, &|id, _| {
                let src = self.field(&rows, id)?;
                Some((src.code, src.shape?))
            })?;
            let put = || {
                let lengths = self.lengths(&rows)?;
                let put = self.put_case_rows(&rows, id, &form.labels, spot, home)?;
                Ok(quote!(#lengths #put))
            };
            let body = self.straight.or_odd(form.record, put);
            bodies.extend(quote!(#number => { #body }));
            match &test {
                _ if !open => {}
                Some(test) => first.extend(quote!(if #test { #number } else)),
                None => {
                    first.extend(quote!({ #number }));
                    open = false;
                }
            }
            let test = test.unwrap_or(quote!(true));
            says.extend(quote!(#number => #test,));
        }
        if open {
            first.extend(quote!({ return rt::Err(s::Odd) }));
        }
        let spelling = self.straight.spelling(case.record, &inner.value);
        let chosen = if case.forms.len() > 1 && self.is_spelled(case.record) {
            quote! {
                let form = match s::kept_form(#spelling, first) {
                    rt::Some(kept) if (match kept { #says _ => false }) => kept,
                    _ => first,
                };
            }
        } else {
            quote!(let form = first;)
        };
        Ok(quote! {
            #check
            #canonical
            let first: usize = #first;
            #chosen
            match form { #bodies _ => return rt::Err(s::Odd), }
        })
    }

    /// Code that gives up if rows of a form are not as long as they say. Rules of its case say nothing of
    /// that.
    fn lengths(&self, rows: &Node<'m>) -> Able<TokenStream> {
        let mut code = TokenStream::new();
        for (id, row) in rows.record().numbered_rows().filter(|(_, row)| row.name.is_some()) {
            let Some(Src { held, shape: Some(shape), .. }) = self.field(rows, id) else { continue };
            // What the length must be for a number of the form was asked when that was chosen.
            if rows.view.length_rule(rows.id, row, epoch_id(rows.epoch)).is_some() {
                continue;
            }
            let straight = self.straight;
            code.extend(straight.unwrapped(&shape, held, &mut |shape, value| {
                let (place, value) = ((rows.id, id), straight.reached(shape, &value));
                self.checking.length(&rows.scope, rows.view, place, row, shape, &value)
            })?);
        }
        Ok(code)
    }

    /// Code that gives up if data elsewhere asks for another case.
    fn check_given(&self, node: &Node<'m>, union: &'m Union, case: &'m Case) -> Able<TokenStream> {
        let has_forms = union.cases.iter().any(|case| !case.forms.is_empty());
        if matches!(union.tag, Tag::Given(_)) && has_forms {
            return unable("forms that data elsewhere chooses");
        }
        let Tag::Given(given) = union.tag else {
            // Whose label another case with a condition has, too, is not there if that holds.
            let rival = |other: &Case| {
                let shared = |label| case.labels.iter().any(|own| overlaps(own, label));
                let other_one = other.record != case.record;
                other.guard.is_some() && other_one && other.labels.iter().any(shared)
            };
            if union.cases.iter().any(rival) {
                return unable("a case with a condition, and another one for the same numbers");
            }
            let Some(guard) = case.guard else { return Ok(quote!()) };
            let holds = self.straight.truth(&node.scope, node.view, guard)?;
            return Ok(quote!(s::holds(#holds)?;));
        };
        if union.cases.iter().any(|case| case.guard.is_some()) {
            return self.check_guarded(node, union, case);
        }
        if self.straight.is_about_end(given) {
            return Ok(quote!());
        }
        let labels = |case: &Case| -> Able<Vec<TokenStream>> {
            let mut tests = Vec::new();
            for label in &case.labels {
                match label {
                    Label::Range(low, high) => {
                        let (low, high) =
                            (Literal::i128_suffixed(*low), Literal::i128_suffixed(*high));
                        tests.push(quote!((#low..=#high).contains(&given)));
                    }
                    Label::Text(text) => {
                        let text = Literal::byte_string(text.as_bytes());
                        tests.push(quote!((given == &#text[..])));
                    }
                    Label::Else => {}
                    _ => return unable("a label that is no number"),
                }
            }
            Ok(tests)
        };
        if !case.labels.contains(&Label::Else) {
            let tests = labels(case)?;
            return Ok(quote!(s::holds(false #(|| #tests)*)?;));
        }
        let mut others = Vec::new();
        for other in &union.cases {
            let here = other.epochs.get(node.epoch).copied().unwrap_or(true);
            if other.record != case.record && here {
                others.extend(labels(other)?);
            }
        }
        Ok(quote!(s::holds(!(false #(|| #others)*))?;))
    }

    /// The same where cases have conditions: the first one counts whose label and condition hold.
    fn check_guarded(
        &self,
        node: &Node<'m>,
        union: &'m Union,
        case: &'m Case,
    ) -> Able<TokenStream> {
        let taken = |case: &'m Case| -> Able<TokenStream> {
            let mut tests = Vec::new();
            for label in &case.labels {
                match label {
                    Label::Range(low, high) => {
                        let (low, high) =
                            (Literal::i128_suffixed(*low), Literal::i128_suffixed(*high));
                        tests.push(quote!((#low..=#high).contains(&given)));
                    }
                    Label::Else => tests.push(quote!(true)),
                    _ => return unable("a label that is no number, in a case with a condition"),
                }
            }
            let guard = match case.guard {
                Some(guard) => {
                    let guard = self.straight.truth(&node.scope, node.view, guard)?;
                    Some(quote!(&& #guard))
                }
                None => None,
            };
            Ok(quote!(((false #(|| #tests)*) #guard)))
        };
        let here = |case: &&Case| case.epochs.get(node.epoch).copied().unwrap_or(true);
        let is_else = |case: &Case| case.labels.contains(&Label::Else);
        let at = union.cases.iter().position(|other| other.record == case.record).unwrap_or(0);
        let before = union.cases.iter().enumerate().filter(|(number, other)| {
            // Those for all other numbers come last.
            match (is_else(other), is_else(case)) {
                (true, false) => false,
                (false, true) => true,
                _ => *number < at,
            }
        });
        let before = before.map(|(_, other)| other).filter(here);
        let mut others = Vec::new();
        for other in before {
            if other.record != case.record {
                others.push(taken(other)?);
            }
        }
        let own = taken(case)?;
        Ok(quote!(s::holds(#own && !(false #(|| #others)*))?;))
    }

    /// The tag and the rows of a case or form.
    fn put_case_rows(
        &self,
        inner: &Node<'m>,
        id: UnionId,
        labels: &'m [Label],
        spot: &Spot,
        home: Option<u64>,
    ) -> Able<TokenStream> {
        let union = &inner.view.unions[id.index()];
        let mut head =
            Head { from: home.unwrap_or(0), least: union.size.unwrap_or(0), ..Head::default() };
        let mut before = TokenStream::new();
        match &union.tag {
            Tag::Own(cell) | Tag::Word(cell) => {
                let Storage::Fixed(int) = cell.storage else {
                    return unable("a tag of variable width");
                };
                let word = matches!(union.tag, Tag::Word(_));
                let (size, bits, code) = self.tag(inner, union, &int, labels, word)?;
                before = bits;
                head.size = size;
                head.code = Some(code);
            }
            Tag::Row(_) | Tag::Given(_) => {
                head.code = Some(Box::new(|_| TokenStream::new()));
            }
        }
        if home.is_none() {
            let fixed =
                inner.record().rows.iter().any(|row| {
                    matches!(row.homes.get(inner.epoch), Some(crate::model::Home::At(_)))
                });
            if fixed {
                return unable("a case at an offset that varies");
            }
        }
        // In a block, offsets of rows count from where the record around begins.
        let base = match (spot, home) {
            (Spot::End, _) => Spot::End,
            (Spot::Block(offset), Some(home)) => {
                let home = usize::try_from(home).unwrap_or(usize::MAX);
                Spot::Block(minus(offset, home)?)
            }
            (Spot::Block(_), None) => return unable("a union at an offset that varies"),
        };
        let rows = self.rows(inner, &base, &head)?;
        Ok(quote!(#before #rows))
    }

    /// Size of a tag in bytes, code that computes it, and code that writes it at an offset.
    fn tag(
        &self,
        rows: &Node<'m>,
        union: &Union,
        int: &IntType,
        labels: &'m [Label],
        word: bool,
    ) -> Able<(u64, TokenStream, TagCode)> {
        let (size, width) = (u64::from(int.bytes), lit(int.bytes.into()));
        let function = if self.is_big(rows, int) { quote!(set_big) } else { quote!(set) };
        let tag_row = rows.record().numbered_rows().find_map(|(id, row)| match &row.ty {
            Type::Cell(cell) if matches!(cell.storage, Storage::TagOf) => Some((id, row, cell)),
            _ => None,
        });
        match labels.first() {
            Some(Label::Pattern(_)) if tag_row.is_some() => unable("a tag beside a pattern"),
            Some(Label::Pattern(pattern)) => {
                let bits = Literal::u128_suffixed(pattern.bits);
                let (mut letters, mut labels_of) = (TokenStream::new(), Vec::new());
                for (id, row) in rows.record().numbered_rows() {
                    let Type::Cell(cell) = &row.ty else {
                        if let Type::Pointer(p) = &row.ty
                            && let Some(Cell { storage: Storage::Letter { letter, .. }, .. }) =
                                p.cell
                        {
                            let places = pattern.letters.iter().find(|(known, _)| *known == letter);
                            let place = places.and_then(|(_, places)| adjacent(places));
                            let (Some(place), Some(src), true) =
                                (place, self.field(rows, id), word)
                            else {
                                return unable("a pointer in a pattern");
                            };
                            labels_of.push((row, p, src, place));
                        }
                        continue;
                    };
                    let Storage::Letter { letter, .. } = cell.storage else { continue };
                    let Some((_, places)) =
                        pattern.letters.iter().find(|(known, _)| *known == letter)
                    else {
                        return unable("a letter that is not in the pattern");
                    };
                    if places.len() > 63 {
                        return unable("a letter of many bits");
                    }
                    let bits = self.row_bits(rows, id, row, cell)?;
                    letters.extend(match adjacent(places) {
                        Some((last, _)) => {
                            let last = lit(last.into());
                            quote!(tag |= u128::from(#bits) << #last;)
                        }
                        None => quote!(tag |= s::letter(i128::from(#bits), &[#(#places),*])?;),
                    });
                }
                let before = quote!(let mut tag: u128 = #bits; #letters);
                if word && !labels_of.is_empty() {
                    let big = self.is_big(rows, int);
                    let mut labels = TokenStream::new();
                    for (row, pointer, src, place) in labels_of {
                        let around = self.word_at.replace(Some((quote!(word_at), int.bytes, big)));
                        let label = self.put_label(rows, row, pointer, &src, place);
                        self.word_at.replace(around);
                        labels.extend(label?);
                    }
                    let code = move |offset: &TokenStream| {
                        let at = position(offset);
                        quote! {
                            let word_at = #at;
                            #labels
                            s::#function::<#width>(b, #offset, tag as u64);
                        }
                    };
                    return Ok((size, before, Box::new(code)));
                }
                if word {
                    let code = move |offset: &TokenStream| quote!(s::#function::<#width>(b, #offset, tag as u64););
                    return Ok((size, before, Box::new(code)));
                }
                let bytes = usize::try_from(pattern.width / 8).unwrap_or(16).min(16);
                let skip = lit(16 - bytes);
                let code = move |offset: &TokenStream| {
                    bytes_at(&quote!(&tag.to_be_bytes()[#skip..]), &Spot::Block(offset.clone()))
                };
                Ok((size.max(bytes as u64), before, Box::new(code)))
            }
            Some(Label::Range(low, _)) => {
                if let Some((id, row, _)) = tag_row
                    && let Some(notes) = self.base_tag(rows, id, row, int, labels)?
                {
                    let code = move |offset: &TokenStream| notes(&position(offset));
                    return Ok((size, quote!(), Box::new(code)));
                }
                let before = match tag_row {
                    Some((id, row, cell)) => {
                        let bits = self.row_bits(rows, id, row, cell)?;
                        // A negative tag is a large number here, which no label takes.
                        let sign = u32::from(int.signed);
                        let tests = labels.iter().filter_map(|label| match label {
                            Label::Range(low, high) => {
                                let most = (1_i128 << (u32::from(int.bytes) * 8 - sign)) - 1;
                                let (low, high) = (
                                    Literal::i128_suffixed(*low),
                                    Literal::i128_suffixed((*high).min(most)),
                                );
                                Some(quote!((#low..=#high).contains(&i128::from(tag))))
                            }
                            _ => None,
                        });
                        quote!(let tag: u64 = #bits; s::holds(#(#tests)||*)?;)
                    }
                    None => {
                        #[allow(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "two's complement is meant"
                        )]
                        let low = *low as u64;
                        quote!(let tag = #low;)
                    }
                };
                let code =
                    move |offset: &TokenStream| quote!(s::#function::<#width>(b, #offset, tag););
                Ok((size, before, Box::new(code)))
            }
            Some(Label::Else) => {
                let Some((id, row, cell)) = tag_row else {
                    return unable("a tag of all other numbers that is no data");
                };
                let bits = self.row_bits(rows, id, row, cell)?;
                let taken = self.straight.other_tags(rows.epoch, union)?;
                let unused = match int.bytes {
                    bytes @ 1..8 => lit(64 - usize::from(bytes) * 8),
                    _ => return unable("a tag of 64 bits for all other numbers"),
                };
                // It may be of a wider type than what is stored.
                let ty = if int.signed { quote!(i64) } else { quote!(u64) };
                let before = quote! {
                    let tag: u64 = #bits;
                    let stored = (tag << #unused) as #ty >> #unused;
                    let number = i128::from(stored);
                    s::holds(stored as u64 == tag && !(false #(|| #taken)*))?;
                };
                let code =
                    move |offset: &TokenStream| quote!(s::#function::<#width>(b, #offset, tag););
                Ok((size, before, Box::new(code)))
            }
            _ => unable("a tag that is no number"),
        }
    }

    /// The label of the case that a union has: an `Option<i128>`.
    pub(super) fn tag_number(&self, node: &Node<'m>, row: RowId) -> Able<TokenStream> {
        self.tag_label(node, row, &|label| match label {
            Label::Range(low, _) => {
                let low = Literal::i128_suffixed(*low);
                quote!(rt::Some(#low))
            }
            _ => quote!(rt::None),
        })
    }

    /// The text of the case that is there: an `Option<&[u8]>`.
    pub(super) fn tag_text(&self, node: &Node<'m>, row: RowId) -> Able<TokenStream> {
        self.tag_label(node, row, &|label| match label {
            Label::Text(text) => {
                let text = Literal::byte_string(text.as_bytes());
                quote!(rt::Some(&#text[..]))
            }
            _ => quote!(rt::None),
        })
    }

    /// What the first label of the case says that is there.
    fn tag_label(
        &self,
        node: &Node<'m>,
        row: RowId,
        says: &dyn Fn(&Label) -> TokenStream,
    ) -> Able<TokenStream> {
        let Some(id) = node.row(row).ty.one_union() else {
            return unable("a tag of something else");
        };
        let Some(src) = self.field(node, row) else { return unable("a union without a field") };
        let union = &node.view.unions[id.index()];
        let ty = self.straight.shapes.union_ident(id);
        let code = &src.code;
        let code = match &src.shape {
            Some(Shape::Option(_)) if node.row(row).when.is_some() => {
                return unable("a union that may not be there");
            }
            // Other layouts do not have it.
            Some(Shape::Option(_)) => quote!(s::known(#code.as_ref())?),
            _ => code.clone(),
        };
        let mut arms = TokenStream::new();
        for (number, case) in (0_u32..).zip(&union.cases) {
            let (variant, _) = self.straight.shapes.variant(id, number);
            let label = case.labels.first().map_or(quote!(rt::None), says);
            arms.extend(quote!(super::#ty::#variant { .. } => #label,));
        }
        Ok(quote!((match #code { #arms })))
    }

    /// Whether all cases of a union end before an offset, and are of fixed size.
    pub(super) fn union_fits(&self, node: &Node<'m>, id: UnionId, home: u64, limit: u64) -> bool {
        let union = &node.view.unions[id.index()];
        let tag = match &union.tag {
            Tag::Own(Cell { storage: Storage::Fixed(int), .. })
            | Tag::Word(Cell { storage: Storage::Fixed(int), .. }) => u64::from(int.bytes),
            Tag::Own(_) | Tag::Word(_) => return false,
            Tag::Row(_) | Tag::Given(_) => 0,
        };
        union.cases.iter().all(|case| {
            if case.whole {
                return false;
            }
            let bodies = if case.forms.is_empty() {
                vec![case.record]
            } else {
                case.forms.iter().map(|form| form.record).collect()
            };
            bodies.iter().all(|body| {
                let rows = Node { id: *body, ..node.clone() };
                let head = Head {
                    from: home,
                    size: tag,
                    code: Some(Box::new(|_| TokenStream::new())),
                    least: union.size.unwrap_or(0),
                };
                self.plan(&rows, &head).is_ok_and(|plan| plan.rest.is_empty() && plan.end <= limit)
            })
        })
    }
}

/// Whether a tag may have both labels.
fn overlaps(a: &Label, b: &Label) -> bool {
    match (a, b) {
        (Label::Range(low, high), Label::Range(other_low, other_high)) => {
            low <= other_high && other_low <= high
        }
        (Label::Text(a), Label::Text(b)) => a == b,
        (Label::Else, _) | (_, Label::Else) => false,
        _ => true,
    }
}

/// The lowest of bits that follow each other, the highest first, and how many they are.
fn adjacent(places: &[u32]) -> Option<(u8, u8)> {
    let follow = places.windows(2).all(|pair| pair[0] == pair[1] + 1);
    let lowest = places.last().filter(|_| follow)?;
    Some((u8::try_from(*lowest).ok()?, u8::try_from(places.len()).ok()?))
}

/// An offset minus a constant.
fn minus(offset: &TokenStream, less: usize) -> Able<TokenStream> {
    match offset.to_string().parse::<usize>() {
        _ if less == 0 => Ok(offset.clone()),
        Ok(offset) => match offset.checked_sub(less) {
            Some(rest) => Ok(lit(rest)),
            None => unable("a union in front of its struct"),
        },
        Err(_) => {
            let less = lit(less);
            Ok(quote!((#offset - #less)))
        }
    }
}
