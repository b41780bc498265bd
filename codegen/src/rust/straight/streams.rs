//! Functions of the elements of arrays.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::able::{Able, unable};
use super::context::Straight;
use super::expr::is;
use super::operators::{Typed, inside};
use super::scope::{It, Place, Scope};
use crate::model::{
    BinaryOp, Expr, ExprId, Function, Member, Model, Path, Start, Step, StreamFunction,
};
use crate::rust::shape::Shape;

/// What is done with each element: what `it` is, what is in it, and its position, if it is one of an
/// array and no reference.
pub(super) type Each<'a> = &'a mut dyn FnMut(It, Place, Option<&TokenStream>) -> Able<TokenStream>;

impl<'m> Straight<'_, 'm> {
    /// A function of a stream.
    pub(super) fn stream(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        function: StreamFunction,
        stream: ExprId,
        filter: Option<ExprId>,
    ) -> Able<Typed> {
        use StreamFunction as Of;
        if function == Of::Units {
            return unable("the units of a text");
        }
        if let (Of::Count, None) = (function, filter)
            && let Some(count) = self.count_of_members(scope, view, stream)?
        {
            return Ok(Typed::Number(count));
        }
        if let (Of::Count | Of::Sum, Expr::Path(path), None) = (function, &view[stream], filter) {
            let whole = self.whole_stream(scope, view, path, function == Of::Count);
            if whole.is_ok() || function == Of::Count {
                return whole;
            }
        }
        let is_sum = function == Of::Sum && filter.is_none();
        if let (true, Some(run)) = (is_sum, self.bytes_of(scope, view, stream)?) {
            return Ok(Typed::Number(match inside(&run) {
                Some(run) => quote!(rt::Some(s::sum_of(#run))),
                None => quote!((#run).map(s::sum_of)),
            }));
        }
        // What is farther out would be gone through once for each node, or element.
        let own = self.is_own(scope, view, stream);
        if !own && scope.late.is_none_or(|late| late.steps(&TokenStream::new()).is_none()) {
            return unable("a filter over elements that are farther out");
        }
        let before = self.counting.replace(self.counting.get() || !own);
        let body = self.each(scope, view, stream, &mut |it, place, index| {
            let inner = Scope { it: Some(it), ..scope.clone() };
            let holds = filter.map(|filter| self.truth(&inner, view, filter)).transpose()?;
            let holds = holds.map(farther_in);
            if holds.as_ref().is_some_and(|holds| is(holds, "false")) && function != Of::All {
                return Ok(TokenStream::new());
            }
            let number = |place| match place {
                Place::Number(n) => Ok(farther_in(n)),
                _ => unable("a function of elements that are no numbers"),
            };
            let step = match function {
                Of::Count => quote!(found = s::add(found, rt::Some(1))?;),
                Of::Sum => {
                    let n = number(place)?;
                    quote!(found = s::add(found, rt::Some(#n))?;)
                }
                Of::Min | Of::Max => {
                    let n = number(place)?;
                    let better = if function == Of::Min { quote!(<) } else { quote!(>) };
                    quote! {
                        let n: i128 = #n;
                        if found.is_none_or(|found: i128| n #better found) { found = rt::Some(n); }
                    }
                }
                Of::Any | Of::All => {
                    let (holds, any) = match (&holds, place) {
                        (Some(holds), _) => (quote!(#holds), function == Of::Any),
                        (None, Place::Truth(truth)) => (farther_in(truth), function == Of::Any),
                        _ => return unable("a function of elements that are no truth values"),
                    };
                    let ends = if any { quote!(#holds) } else { quote!(!(#holds)) };
                    return Ok(quote!(if #ends { break 'all rt::Some(#any); }));
                }
                Of::First => {
                    let n = number(place)?;
                    quote!(break 'all rt::Some(#n);)
                }
                Of::Units => return unable("the units of a text"),
                Of::FirstIndex => match index {
                    Some(index) => quote!(break 'all rt::Some(#index as i128);),
                    None if self.refers(view, stream) => {
                        return unable("the position that a reference means");
                    }
                    // It is in no array itself.
                    None => quote!(break 'all rt::None;),
                },
            };
            Ok(match holds {
                Some(holds) => quote!(if #holds { #step }),
                None => step,
            })
        });
        self.counting.set(before);
        let body = body?;
        Ok(match function {
            Of::Count | Of::Sum => {
                Typed::Number(quote!({ let mut found = rt::Some(0_i128); #body found }))
            }
            Of::Min | Of::Max => {
                Typed::Number(quote!({ let mut found: rt::Option<i128> = rt::None; #body found }))
            }
            Of::Any => Typed::Truth(quote!('all: { #body rt::Some(false) })),
            Of::All => Typed::Truth(quote!('all: { #body rt::Some(true) })),
            Of::First | Of::FirstIndex | Of::Units => {
                Typed::Number(quote!('all: { #body rt::Option::<i128>::None }))
            }
        })
    }

    /// How many elements a stream has that goes through pools, among others: an `Option<i128>`.
    fn count_of_members(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        stream: ExprId,
    ) -> Able<Option<TokenStream>> {
        match &view[stream] {
            Expr::Binary(BinaryOp::Concatenate, a, b) => {
                let first = self.count_of_members(scope, view, *a)?;
                let second = self.count_of_members(scope, view, *b)?;
                if first.is_none() && second.is_none() {
                    return Ok(None);
                }
                let count = |found: Option<TokenStream>, stream| match found {
                    Some(found) => Ok(found),
                    None => self.stream(scope, view, StreamFunction::Count, stream, None)?.number(),
                };
                let (first, second) = (count(first, *a)?, count(second, *b)?);
                Ok(Some(quote!(s::add(#first, #second)?)))
            }
            Expr::Path(path) => Ok(scope.late.and_then(|late| late.member_count(scope, path))),
            _ => Ok(None),
        }
    }

    /// Code that counts the steps through a list which is not the node's own.
    pub(super) fn steps_of(&self, scope: &Scope<'_>, list: &TokenStream) -> Option<TokenStream> {
        scope.late.filter(|_| self.counting.get()).and_then(|late| late.steps(list))
    }

    /// The bytes that a stream consists of, if it is of bytes: an `Option<&[u8]>`.
    fn bytes_of(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        stream: ExprId,
    ) -> Able<Option<TokenStream>> {
        let run = match &view[stream] {
            Expr::Stored(..) => stream,
            Expr::Call(Function::Numbers, arguments) => match arguments.as_slice() {
                [run] => *run,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        match self.typed(scope, view, run)? {
            Typed::Text(run) => Ok(Some(run)),
            _ => unable("numbers of no bytes"),
        }
    }

    /// Whether a stream is of what the node at hand, or the element that is `it`, holds.
    fn is_own(&self, scope: &Scope<'_>, view: &'m Model, stream: ExprId) -> bool {
        match &view[stream] {
            Expr::Binary(BinaryOp::Concatenate, a, b) => {
                self.is_own(scope, view, *a) && self.is_own(scope, view, *b)
            }
            Expr::Path(path) => match (&path.start, scope.frames.last()) {
                (Start::It, _) => true,
                (_, Some(this)) => {
                    let start = self.start(path, this.record);
                    // Where there is one such node at most, that is once for all.
                    let once = || start.is_some() && self.way_to(this.record).is_some();
                    scope.it.is_none() && (start == Some(this.record) || once())
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether some element of a stream may be a reference.
    fn refers(&self, view: &'m Model, stream: ExprId) -> bool {
        match &view[stream] {
            Expr::Binary(BinaryOp::Concatenate, a, b) => {
                self.refers(view, *a) || self.refers(view, *b)
            }
            Expr::Path(path) => match path.steps.last() {
                Some(Step::Field(field)) => field.members.iter().any(|(record, members)| {
                    members.iter().any(|member| match member {
                        Member::Row(row) | Member::Into(row) => {
                            view.records[record.index()].rows[row.index()].reference.is_some()
                        }
                        Member::Let(_) => true,
                    })
                }),
                _ => true,
            },
            _ => true,
        }
    }

    /// Code that runs `then` for all elements of a stream.
    pub(super) fn each(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        stream: ExprId,
        then: Each<'_>,
    ) -> Able<TokenStream> {
        let path = match &view[stream] {
            Expr::Binary(BinaryOp::Concatenate, a, b) => {
                let first = self.each(scope, view, *a, then)?;
                let second = self.each(scope, view, *b, then)?;
                return Ok(quote!(#first #second));
            }
            Expr::Path(path) => path,
            _ => return unable("a function over elements that no path names"),
        };
        self.walk(scope, view, path, true, &mut |place| match place {
            Place::Number(n) => then(It::Number(n.clone()), Place::Number(n), None),
            // Those that are nothing are elements, too.
            Place::List(_, Some((_, Shape::Option(_)))) => {
                unable("a filter over elements that may be nothing")
            }
            Place::List(list, Some((ty, shape))) => {
                let refers = matches!(shape, Shape::Index(_));
                let it = It::Value(ty.clone(), shape.clone(), quote!(x));
                let body = self.element(&Some((ty, shape)), quote!(x), &mut |place| {
                    then(it.clone(), place, Some(&quote!(i)).filter(|_| !refers))
                })?;
                if body.is_empty() {
                    return Ok(body);
                }
                let steps = self.steps_of(scope, &list);
                Ok(quote!(#steps for (i, x) in #list.iter().enumerate() { #body }))
            }
            _ => unable(format!("a function over what `{}` leads to", path.text)),
        })
    }

    /// The list of what describes the elements of another one, and what `it` is there, if a local has
    /// a reference to that.
    pub(super) fn describer(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        by: ExprId,
        local: &Ident,
    ) -> Able<(TokenStream, It)> {
        let Expr::Path(path) = &view[by] else { return unable("elements that a stream describes") };
        let mut found = None;
        let code = self.walk(scope, view, path, false, &mut |place| match place {
            Place::List(list, Some((ty, shape))) => {
                found = Some((list, It::Value(ty, shape, quote!(#local))));
                Ok(quote!(only))
            }
            _ => unable("elements that something else than a list describes"),
        })?;
        match found {
            Some(found) if is(&code, "only") => Ok(found),
            _ => unable("elements that a list describes which may not be there"),
        }
    }

    /// `count` or `sum` of what a path leads to.
    fn whole_stream(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        path: &Path,
        counts: bool,
    ) -> Able<Typed> {
        let step = (!counts).then(|| quote!(found = s::add(found, rt::Some(n))?;));
        let mut only = TokenStream::new();
        let body = self.walk(scope, view, path, true, &mut |place| match (place, &step) {
            // Texts of elements count as one each.
            (Place::List(_, None) | Place::Text(_), None) if self.streaming.get() => {
                Ok(quote!(found = s::add(found, rt::Some(1))?;))
            }
            (Place::List(list, ..) | Place::Text(list), None) => {
                only = quote!(rt::Some(#list.len() as i128));
                Ok(quote!(found = s::add(found, #only)?;))
            }
            (Place::Counted(count), None) => {
                only = quote!(rt::Some(#count));
                Ok(quote!(found = s::add(found, #only)?;))
            }
            (Place::Number(_), None) => Ok(quote!(found = s::add(found, rt::Some(1))?;)),
            (Place::Number(n), Some(step)) => Ok(quote!(let n: i128 = #n; #step)),
            _ => unable(format!("a function over what `{}` leads to", path.text)),
        })?;
        if !only.is_empty() && is(&body, &quote!(found = s::add(found, #only)?;).to_string()) {
            return Ok(Typed::Number(only));
        }
        Ok(Typed::Number(quote!({ let mut found = rt::Some(0_i128); #body found })))
    }
}

/// Code of a stream that stands in that of another one: its labels are called otherwise.
fn farther_in(code: TokenStream) -> TokenStream {
    let mut is_label = false;
    let renamed = code.into_iter().map(|token| {
        let was_label = std::mem::replace(
            &mut is_label,
            matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '\''),
        );
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), farther_in(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            TokenTree::Ident(name) if was_label && name.to_string().starts_with("all") => {
                TokenTree::Ident(format_ident!("{name}_in"))
            }
            token => token,
        }
    });
    renamed.collect()
}
