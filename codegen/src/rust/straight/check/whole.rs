//! What is looked at for all of a value at once: keys, references that a reader has noted, and the
//! elements of lists in an arena.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Checking, Pooled, value_frame};
use crate::model::{Expr, ExprId, Home, Model, Path, RecordId, Start, Step, Type, UnionId};
use crate::rust::shape::Shape;
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::expr::is;
use crate::rust::straight::questions::target;
use crate::rust::straight::scope::{Frame, Place, Scope};

/// Sets of keys as code.
pub(super) struct Keys {
    /// The type that has them.
    pub items: TokenStream,
    /// Statements that find what is in them.
    pub found: TokenStream,
    /// An expression behind those, which makes one.
    pub made: TokenStream,
}

impl<'m> Checking<'_, '_, 'm> {
    pub(super) fn keys_struct(&self) -> Able<Keys> {
        let straight = self.straight;
        let root = straight.model.root;
        let keys = self.keys.borrow();
        let ty = self.keys_name();
        let names: Vec<_> = (0..keys.len()).map(|number| format_ident!("k{number}")).collect();
        let mut sets = TokenStream::new();
        for ((path, field), name) in keys.iter().zip(&names) {
            let scope = Scope { frames: vec![value_frame(root, quote!(v))], ..Scope::default() };
            let body = straight.by_epoch(|view, _| {
                straight.walk(&scope, view, path, true, &mut |place| {
                    let Place::List(list, Some(element)) = place else {
                        return unable("keys of something else");
                    };
                    let push = straight.element(&Some(element), quote!(element), &mut |place| {
                        let Place::Node(frame) = place else { return unable("keys of numbers") };
                        let record = straight.record(frame.record);
                        let found = record
                            .numbered_rows()
                            .find(|(_, row)| row.name.as_ref() == Some(field));
                        let Some((row, _)) = found else { return unable("no such key") };
                        straight.row_place(view, &frame, row, &mut |place| match place {
                            Place::Number(number) => Ok(quote!(found.push(#number);)),
                            _ => unable("keys that are no numbers"),
                        })
                    })?;
                    Ok(quote!(for element in #list.iter() { #push }))
                })
            })?;
            sets.extend(quote! {
                let mut found: rt::Vec<i128> = rt::Vec::new();
                #body
                let #name = s::KeySet::new(found.into_iter(), false)?;
            });
        }
        let sought = self.sought.borrow();
        let counts: Vec<_> = (0..sought.len()).map(|number| format_ident!("n{number}")).collect();
        for (path, name) in sought.iter().zip(&counts) {
            let found = self.number_sought(path)?;
            sets.extend(quote! {
                let mut #name: rt::Option<i128> = rt::None;
                { let found = &mut #name; #found }
            });
        }
        if names.is_empty() && counts.is_empty() {
            let (items, made) = (quote!(type #ty = s::NoKeys;), quote!(s::NoKeys::default()));
            return Ok(Keys { items, found: sets, made });
        }
        Ok(Keys {
            items: quote! {
                struct #ty {
                    depth: s::Depth,
                    #(#names: s::KeySet,)*
                    #(#counts: rt::Option<i128>,)*
                }
            },
            found: sets,
            made: quote!(#ty { depth: s::Depth::default(), #(#names,)* #(#counts,)* }),
        })
    }

    /// Code that sets `found` to how many elements an array has that a path from the root leads to.
    fn number_sought(&self, path: &Path) -> Able<TokenStream> {
        let straight = self.straight;
        let scope =
            Scope { frames: vec![value_frame(straight.model.root, quote!(v))], ..Scope::default() };
        straight.by_epoch(|view, _| {
            straight.walk(&scope, view, path, false, &mut |place| match place {
                Place::List(list, ..) => Ok(quote!(*found = rt::Some(#list.len() as i128);)),
                _ => unable("references to something else"),
            })
        })
    }

    /// The field of the keys that has the number of elements of an array of the file, if it takes a
    /// search to find that, which is done once for all references.
    pub(super) fn sought_once(&self, scope: &Scope<'_>, path: &Path) -> Able<Option<Ident>> {
        let straight = self.straight;
        let exprs = &straight.model.exprs;
        let (mut searches, mut rooted) = (false, matches!(path.start, Start::Root));
        for step in &path.steps {
            let Step::Index(index) = step else { continue };
            searches |= has_stream(straight.model, *index);
            exprs.paths(*index, &mut |path| rooted &= is_rooted(path));
        }
        let is_root = scope.frames.last().is_some_and(|this| this.record == straight.model.root);
        if !searches || !rooted || is_root {
            return Ok(None);
        }
        // Otherwise it is said here what is not carried.
        self.number_sought(path)?;
        let mut sought = self.sought.borrow_mut();
        let known = sought.iter().position(|known| known.text == path.text);
        let number = known.unwrap_or_else(|| {
            sought.push(path.clone());
            sought.len() - 1
        });
        Ok(Some(format_ident!("n{number}")))
    }

    /// Whether the elements of a list are looked at elsewhere.
    pub(super) fn is_pooled(&self, element: &Type, shape: &Shape) -> bool {
        let Type::Record(id) = element else { return false };
        let in_pool = match shape {
            Shape::List(inner) => **inner == self.straight.value_shape(*id),
            _ => false,
        };
        in_pool && self.pooled.iter().any(|pooled| pooled.record == *id)
    }

    /// Looks up what the reader has noted.
    pub(super) fn noted(&self) -> Able<TokenStream> {
        let straight = self.straight;
        if !self.seen || !straight.noting.get() {
            return Ok(TokenStream::new());
        }
        let mut tokens = TokenStream::new();
        for (number, goal) in straight.goals.iter().enumerate() {
            if let Some(field) = &goal.field {
                let set = format_ident!("k{}", self.key_set(&goal.array, field));
                tokens.extend(quote!(s::holds(cx.keys_noted(#number, &keys.#set))?;));
                continue;
            }
            let root = straight.model.root;
            let scope = Scope { frames: vec![value_frame(root, quote!(v))], ..Scope::default() };
            let mut last = TokenStream::new();
            let found = straight.by_epoch(|view, _| {
                straight.walk(&scope, view, &goal.array, false, &mut |place| match place {
                    Place::List(list, ..) => {
                        last = quote!(#list.len());
                        Ok(quote!(count = #last;))
                    }
                    _ => unable("references to something else"),
                })
            })?;
            tokens.extend(match is(&found, &quote!(count = #last;).to_string()) {
                true => quote!(s::holds(cx.indices_noted(#number, #last))?;),
                false => quote! {
                    let mut count = 0_usize;
                    #found
                    s::holds(cx.indices_noted(#number, count))?;
                },
            });
        }
        Ok(tokens)
    }

    /// Records whose values in lists need nothing around them but the root, and do not share their
    /// Rust type with others.
    pub(super) fn find_pooled(&self) -> Vec<Pooled<'m>> {
        let straight = self.straight;
        let mut found: Vec<Pooled<'m>> = Vec::new();
        for (_, record) in straight.model.records() {
            for (_, row) in record.numbered_rows() {
                let Type::Array(array) = target(&row.ty) else { continue };
                let Type::Record(record) = array.element else { continue };
                if found.iter().all(|known| known.record != record) {
                    found.push(Pooled { record, row, by_case: false });
                }
            }
        }
        let ty = |id: RecordId| straight.value_ty(id, &quote!('_)).to_string();
        let types: Vec<String> = found.iter().map(|pooled| ty(pooled.record)).collect();
        let of_root = |id: RecordId| {
            straight.needs[id.index()].iter().all(|need| *need == straight.model.root)
        };
        found.retain(|Pooled { record, .. }| {
            let shape = straight.value_shape(*record);
            let ty = ty(*record);
            matches!(shape, Shape::Struct(_) | Shape::Choice(_))
                && !self.indexed.contains(record)
                && of_root(*record)
                && types.iter().filter(|other| **other == ty).count() == 1
        });
        found
    }

    /// Whether all rules of a record are those of the cases of one of its rows.
    pub(super) fn is_by_case(&self, id: RecordId) -> Able<bool> {
        let straight = self.straight;
        let mut found =
            straight.record(id).numbered_rows().filter_map(|(number, row)| match row.ty {
                Type::Union(union) => Some((number, union)),
                _ => None,
            });
        let (Some((union_row, union)), None) = (found.next(), found.next()) else {
            return Ok(false);
        };
        let plain = straight
            .shapes
            .field(id, union_row)
            .is_some_and(|field| matches!(field.shape, Shape::Choice(_)));
        if !plain || straight.model.unions[union.index()].cases.iter().any(|case| case.whole) {
            return Ok(false);
        }
        let rest = straight.by_epoch(|view, epoch| {
            let frame = value_frame(id, quote!(v));
            let scope = Scope { frames: straight.enclosing_frames(id), ..Scope::default() };
            let scope = scope.within(frame.clone());
            let record = &view.records[id.index()];
            let mut tokens = TokenStream::new();
            for (number, row) in record.numbered_rows().filter(|(number, _)| *number != union_row) {
                if !matches!(row.homes.get(epoch), Some(Home::Absent)) {
                    tokens.extend(self.row(&scope, view, &frame, number, row, epoch)?);
                }
            }
            for check in &record.checks {
                tokens.extend(self.rule(&scope, view, check)?);
            }
            Ok(tokens)
        })?;
        Ok(rest.is_empty())
    }

    /// Whether the writer looks at rules, for which it needs the keys.
    pub fn is_within_writing(&self) -> bool {
        self.pooled.iter().any(|pooled| pooled.by_case)
    }

    /// The rules of a case of a union in a record, in whose node `scope` is: nothing unless the
    /// writer looks at them.
    pub fn case(
        &self,
        scope: &Scope<'_>,
        view: &'m Model,
        union: UnionId,
        case: RecordId,
        epoch: usize,
    ) -> TokenStream {
        let around = scope.frames.last().map(|frame| frame.record);
        if !self.pooled.iter().any(|pooled| pooled.by_case && Some(pooled.record) == around) {
            return TokenStream::new();
        }
        let Some((_, frame)) = self.straight.case_frame(union, case) else {
            return TokenStream::new();
        };
        let mut cases = view.unions[union.index()].cases.iter();
        if cases.any(|known| known.record == case && known.guard.is_some()) {
            return quote!(return rt::Err(s::Odd););
        }
        // Where something stands is not known before all is written.
        let frames = scope.frames.iter().chain([&frame]);
        let frames = frames.map(|frame| Frame { at: None, index: None, ..frame.clone() });
        let scope = Scope { frames: frames.collect(), ..Scope::default() };
        self.straight.or_odd(case, || self.rows(&scope, view, epoch))
    }

    /// Looks at the elements of all lists, pool by pool, unless the writer does. Elements that no list
    /// has any more are looked at as well, which at worst is odd.
    pub(super) fn pools(&self) -> Able<TokenStream> {
        let straight = self.straight;
        let root = straight.model.root;
        let scope = Scope { frames: vec![value_frame(root, quote!(v))], ..Scope::default() };
        let mut tokens = TokenStream::new();
        for Pooled { record, row, .. } in self.pooled.iter().filter(|pooled| !pooled.by_case) {
            let (ty, element) = (Type::Record(*record), quote!(element));
            let shape = straight.value_shape(*record);
            let each = straight.by_epoch(|view, epoch| {
                self.inner(&scope, view, row, &ty, &shape, &element, epoch, true)
            })?;
            if !each.is_empty() {
                let ty = straight.value_ty(*record, &quote!('_));
                tokens.extend(quote!(for element in s::all_of::<#ty, _>(arena) { #each }));
            }
        }
        Ok(tokens)
    }

    /// The number of the set of keys that the elements of an array have.
    pub(super) fn key_set(&self, array: &Path, field: &str) -> usize {
        let mut keys = self.keys.borrow_mut();
        let known = keys.iter().position(|(path, name)| path.text == array.text && name == field);
        known.unwrap_or_else(|| {
            keys.push((array.clone(), field.to_owned()));
            keys.len() - 1
        })
    }
}

/// Whether an expression goes through elements.
fn has_stream(model: &Model, expr: ExprId) -> bool {
    let expr = &model[expr];
    let mut found = matches!(expr, Expr::Stream(..));
    expr.operands(&mut |operand| found |= has_stream(model, operand));
    found
}

/// Whether a path begins at the root, or at an element that one from there leads to; with a name for a
/// case or member of an enumeration it leads nowhere.
fn is_rooted(path: &Path) -> bool {
    matches!(path.start, Start::Root | Start::It)
}
