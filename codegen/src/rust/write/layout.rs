//! Tables for the runtime: layouts, owners, relocation.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::Gen;
use super::put::owns_target;
use crate::model::{
    ByteOrder, EndianRule, LayoutPath, PointerType, Policy, RecordId, RelocationEncoding, Row,
    RowId, RowKind, RunLength, Start, Statement, Storage, Target, Type, WhenEmpty,
};

impl<'m> Gen<'_, 'm> {
    /// The tables.
    pub fn tables(&self) -> TokenStream {
        let infos: Vec<TokenStream> =
            self.model.records().map(|(id, _)| self.record_table(id)).collect();
        let relocation = self.relocation();
        let pointers = self.pointers.borrow();
        let names = (0..pointers.len()).map(|at| format_ident!("W{at}"));
        let pointers = pointers.iter().map(|(_, code)| code);
        quote! {
            static RELOCATION: rt::labels::Relocation = #relocation;
            #(static #names: w::Pointer = #pointers;)*
            static WRITE: w::WriteSchema = w::WriteSchema {
                records: &[#(#infos),*],
                rows: &ROWS,
                relocation: &RELOCATION,
            };
        }
    }

    fn record_table(&self, id: RecordId) -> TokenStream {
        let record = &self.model.records[id.index()];
        let noded = self.plan.noded(id);
        let layout = if noded { self.statements(id, &record.layout) } else { Vec::new() };
        let passes = record.passes.iter().filter(|_| noded).map(|(name, statements)| {
            let statements = self.statements(id, statements);
            quote!((#name, &[#(#statements),*] as &[w::Statement]))
        });
        let slots = self.plan.slots(id).iter().map(|row_id| {
            let row = &record.rows[row_id.index()];
            let own = self.own(id, row);
            match &row.reference {
                Some(reference) => {
                    let path = Literal::u16_unsuffixed(self.plan.path(&reference.array));
                    let pointer =
                        matches!(&row.ty, Type::Pointer(p) if matches!(p.target, Target::Element));
                    quote!(#own.refers(#path, #pointer))
                }
                None => own,
            }
        });
        let endian = match &record.endian {
            None => None,
            Some(EndianRule::Fixed(order)) => {
                let order = endian(*order);
                Some(quote!(w::OrderRule::Fixed(#order)))
            }
            Some(EndianRule::Chosen(choices, otherwise)) => {
                let choices = choices.iter().map(|(condition, order)| {
                    let n = self.plan.expr(*condition, id);
                    let order = endian(*order);
                    quote!((#n, #order))
                });
                let otherwise = match otherwise {
                    Some(order) => {
                        let order = endian(*order);
                        quote!(rt::Some(#order))
                    }
                    None => quote!(rt::None),
                };
                Some(quote!(w::OrderRule::Chosen(&[#(#choices),*], #otherwise)))
            }
        };
        let spelling = self.shapes.spelling_row(id, RowId(0));
        let mut code = quote!(w::record(&[#(#layout),*], &[#(#slots),*]));
        let passes: Vec<_> = passes.collect();
        if !passes.is_empty() {
            code = quote!(#code.passes(&[#(#passes),*]));
        }
        if let Some(endian) = endian {
            code = quote!(#code.endian(#endian));
        }
        if spelling != 0 {
            code = quote!(#code.spelling(#spelling));
        }
        code
    }

    fn statements(&self, id: RecordId, statements: &[Statement]) -> Vec<TokenStream> {
        statements
            .iter()
            .filter_map(|statement| {
                Some(match statement {
                    Statement::This => quote!(w::Statement::This),
                    Statement::Record(path) => {
                        let path = self.way(path);
                        quote!(w::Statement::Record(#path))
                    }
                    Statement::Tail(path) => {
                        let path = self.way(path);
                        quote!(w::Statement::Tail(#path))
                    }
                    Statement::Put(path) => {
                        let path = self.way(path);
                        quote!(w::Statement::Put(#path))
                    }
                    Statement::Run(pass, path) => {
                        let path = self.way(path);
                        quote!(w::Statement::Run(#pass, #path))
                    }
                    Statement::Align(e) => {
                        let n = self.plan.expr(*e, id);
                        quote!(w::Statement::Align(#n))
                    }
                    Statement::Zero(e) => {
                        let n = self.plan.expr(*e, id);
                        quote!(w::Statement::Zero(#n))
                    }
                    Statement::Mark(row, align) => {
                        let slot = self.plan.slot(id, *row)?;
                        let RowKind::Mark { address } = &self.row(id, *row).kind else {
                            return None;
                        };
                        let address = self.plan.expr(*address, id);
                        let align = match align {
                            Some(align) => {
                                let n = self.plan.expr(*align, id);
                                quote!(rt::Some(#n))
                            }
                            None => quote!(rt::None),
                        };
                        quote!(w::Statement::Mark(#slot, #address, #align))
                    }
                    Statement::When(e, then, otherwise) => {
                        let n = self.plan.expr(*e, id);
                        let then = self.statements(id, then);
                        let otherwise = self.statements(id, otherwise);
                        quote!(w::Statement::When(#n, &[#(#then),*], &[#(#otherwise),*]))
                    }
                })
            })
            .collect()
    }

    fn way(&self, path: &LayoutPath) -> TokenStream {
        let steps = path.steps.iter().map(|step| {
            let rows = step.rows.iter().filter_map(|(record, row)| {
                let slot = self.plan.slot(*record, *row)?;
                let record = Literal::u32_unsuffixed(record.0);
                let slot = Literal::u16_unsuffixed(slot);
                Some(quote!((#record, #slot)))
            });
            quote!(&[#(#rows),*])
        });
        quote!(&[#(#steps),*])
    }

    /// What a row owns.
    fn own(&self, id: RecordId, row: &Row) -> TokenStream {
        if matches!(row.kind, RowKind::Object { .. }) {
            let align = self.type_align(&row.ty).unwrap_or(1);
            let content = self.content(id, &row.ty, true);
            return {
                let align = Literal::u64_unsuffixed(align);
                quote!(w::object(&#content, #align))
            };
        }
        if matches!(row.kind, RowKind::Slice { .. }) {
            return quote!(w::slot());
        }
        if owns_target(&row.ty) || self.holds_nodes(&row.ty) {
            let content = self.content(id, &row.ty, false);
            return quote!(w::inline(&#content));
        }
        quote!(w::slot())
    }

    /// What is placed for a type. `whole`: for an object itself.
    fn content(&self, id: RecordId, ty: &Type, whole: bool) -> TokenStream {
        match ty {
            Type::Record(_) if whole => quote!(w::Content::Record),
            Type::Record(_) | Type::Union(_) => quote!(w::Content::Node),
            Type::Region(region) => self.content(id, &region.inner, false),
            Type::Array(array) => {
                let element = self.content(id, &array.element, false);
                quote!(w::Content::Array(&#element))
            }
            Type::Pointer(pointer) if matches!(pointer.target, Target::Own(_)) => {
                let pointer = self.pointer(id, pointer);
                quote!(w::Content::Pointer(&#pointer))
            }
            Type::Run(run) => {
                let align = run.align.unwrap_or(1);
                quote!(w::Content::Leaf(#align))
            }
            Type::PerEpoch(types) => {
                let types = types.iter().map(|ty| self.content(id, ty, whole));
                quote!(w::Content::PerEpoch(&[#(#types),*]))
            }
            _ => quote!(w::Content::Leaf(1)),
        }
    }

    fn pointer(&self, id: RecordId, pointer: &PointerType) -> TokenStream {
        let Target::Own(target) = &pointer.target else { return quote!() };
        let kind = &self.model.pointers[pointer.kind.index()];
        let here = pointer.when_empty.unwrap_or(kind.when_empty) != WhenEmpty::None;
        let counts = match super::strip(target) {
            Type::Run(run) => matches!(run.length, RunLength::Count(_)),
            _ => true,
        };
        let empty = !pointer.optional && matches!(target, Type::Nothing);
        let content = self.content(id, target, true);
        let align = Literal::u64_unsuffixed(self.type_align(target).unwrap_or(kind.align));
        let mut code = quote!(w::pointer(#content, #align));
        if let Some(align) = &pointer.align {
            let n = Literal::u16_unsuffixed(self.plan.expr(*align, id));
            code = quote!(#code.align(#n));
        }
        if let Some(slot) = pointer.none_with.and_then(|row| self.plan.slot(id, row)) {
            code = quote!(#code.none_with(#slot));
        }
        let flags =
            [(here, quote!(here())), (!counts, quote!(always())), (empty, quote!(empty_target()))];
        for (_, flag) in flags.into_iter().filter(|(set, _)| *set) {
            code = quote!(#code.#flag);
        }
        let mut pointers = self.pointers.borrow_mut();
        let text = code.to_string();
        let at = pointers.iter().position(|(known, _)| *known == text).unwrap_or_else(|| {
            pointers.push((text, code));
            pointers.len() - 1
        });
        let name = format_ident!("W{at}");
        quote!(#name)
    }

    fn type_align(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Record(record) => self.model.records[record.index()].align,
            Type::Run(run) => run.align,
            Type::Region(region) => self.type_align(&region.inner),
            Type::Array(array) => match super::strip(&array.element) {
                Type::Run(_) | Type::Record(_) => self.type_align(&array.element),
                _ => None,
            },
            Type::PerEpoch(types) => types.iter().find_map(|ty| self.type_align(ty)),
            _ => None,
        }
    }

    fn relocation(&self) -> TokenStream {
        let root = self.model.root;
        let kinds = self.model.pointers.iter().map(|kind| {
            let none = super::put::option_i128(kind.none);
            let width = match kind.cell.storage {
                Storage::Fixed(int) => int.bytes,
                _ => 0,
            };
            let listing = kind.listing.iter().map(|(condition, listing)| {
                let condition = match condition {
                    Some(condition) => {
                        let n = self.plan.expr(*condition, root);
                        quote!(rt::Some(#n))
                    }
                    None => quote!(rt::None),
                };
                let (object, array, dictionary, string, runtime) = (
                    policy(listing.object),
                    policy(listing.array),
                    policy(listing.dictionary),
                    policy(listing.string),
                    policy(listing.runtime),
                );
                quote!((#condition, rt::labels::listing(#object, #array, #dictionary, #string, #runtime)))
            });
            let pool = match &kind.pool {
                Some(path) => {
                    let of_root = matches!(path.start, Start::Root);
                    let path = self.plan.path(path);
                    quote!(rt::Some((#path, #of_root)))
                }
                None => quote!(rt::None),
            };
            quote!(rt::labels::Kind {
                none: #none,
                width: #width,
                listing: &[#(#listing),*],
                pool: #pool,
            })
        });
        let sections = self.model.relocation.iter().map(|section| {
            let (from, to) = (self.plan.expr(section.from, root), self.plan.expr(section.to, root));
            quote!((#from, #to))
        });
        let encoding = match self.model.records.iter().find_map(|record| record.encodes) {
            Some(RelocationEncoding::PointerMasks) => {
                quote!(rt::Some(rt::labels::RelocationEncoding::Masks))
            }
            Some(RelocationEncoding::PointerRuns) => {
                quote!(rt::Some(rt::labels::RelocationEncoding::Runs))
            }
            None => quote!(rt::None),
        };
        quote!(rt::labels::Relocation {
            encoding: #encoding,
            sections: &[#(#sections),*],
            kinds: &[#(#kinds),*],
        })
    }
}

fn endian(order: ByteOrder) -> TokenStream {
    match order {
        ByteOrder::Little => quote!(::formwork::Endian::Little),
        ByteOrder::Big => quote!(::formwork::Endian::Big),
    }
}

/// A policy as code.
pub(super) fn policy(policy: Policy) -> TokenStream {
    match policy {
        Policy::Never => quote!(rt::labels::Policy::Never),
        Policy::Set => quote!(rt::labels::Policy::Set),
        Policy::Always => quote!(rt::labels::Policy::Always),
    }
}
