//! Names for what a fast path says again and again: how labels and offsets of one kind are stored.

use std::collections::BTreeMap;

use quote::{ToTokens, format_ident};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprStruct, Item, ItemMod, Member, parse_quote};

use super::names::snake;

/// Makes constants of structs of the runtime that are said several times in a module, for all modules
/// of a file that have the runtime at hand as `s`.
pub(super) fn name_constants(file: &mut syn::File) {
    Modules.visit_file_mut(file);
}

struct Modules;

impl VisitMut for Modules {
    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        visit_mut::visit_item_mod_mut(self, module);
        if module.ident == "straight" {
            name_in(module);
        }
    }
}

fn name_in(module: &mut ItemMod) {
    let mut found = Constants::default();
    found.visit_item_mod_mut(module);
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    for constant in &mut found.known {
        if constant.count > 1 {
            let kind = snake(&constant.kind).to_uppercase();
            let number = taken.entry(kind.clone()).or_default();
            *number += 1;
            constant.name = Some(if *number == 1 { kind } else { format!("{kind}_{number}") });
        }
    }
    found.naming = true;
    found.visit_item_mod_mut(module);
    let named = found.known.into_iter().filter_map(|constant| {
        let (name, value) = (constant.name?, constant.value?);
        let (name, kind) = (format_ident!("{name}"), format_ident!("{}", constant.kind));
        Some(parse_quote!(const #name: s::#kind = #value;))
    });
    let named: Vec<Item> = named.collect();
    if let Some((_, items)) = &mut module.content {
        let uses = items.iter().take_while(|item| matches!(item, Item::Use(_))).count();
        items.splice(uses..uses, named);
    }
}

/// What is the same wherever it stands.
struct Constant {
    text: String,
    /// The type in the runtime.
    kind: String,
    count: u32,
    name: Option<String>,
    value: Option<Expr>,
}

/// In the order in which they are first met.
#[derive(Default)]
struct Constants {
    known: Vec<Constant>,
    /// Whether those with a name become that.
    naming: bool,
}

impl VisitMut for Constants {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let kind = match expr {
            Expr::Struct(made) => kind_of(made).filter(|_| is_constant(expr)),
            _ => None,
        };
        let Some(kind) = kind else {
            visit_mut::visit_expr_mut(self, expr);
            return;
        };
        let text = expr.to_token_stream().to_string();
        let known = self.known.iter().position(|known| known.text == text);
        if !self.naming {
            match known {
                Some(known) => self.known[known].count += 1,
                None => {
                    let (count, name, value) = (1, None, None);
                    self.known.push(Constant { text, kind, count, name, value });
                }
            }
        } else if let Some(known) = known
            && let Some(name) = &self.known[known].name
        {
            let name = format_ident!("{name}");
            let value = core::mem::replace(expr, parse_quote!(#name));
            self.known[known].value = Some(value);
        }
    }
}

/// The name of the type if it is one of the runtime's.
fn kind_of(made: &ExprStruct) -> Option<String> {
    let path: Vec<String> = made.path.segments.iter().map(|part| part.ident.to_string()).collect();
    match &path[..] {
        [module, kind] if module == "s" => Some(kind.clone()),
        _ => None,
    }
}

/// Whether an expression is the same wherever it stands.
fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Struct(made) => {
            let named = |member: &Member| matches!(member, Member::Named(_));
            made.fields.iter().all(|field| named(&field.member) && is_constant(&field.expr))
                && made.rest.as_deref().is_none_or(is_constant)
        }
        Expr::Call(call) => is_path(&call.func) && call.args.iter().all(is_constant),
        Expr::Path(_) => is_path(expr),
        Expr::Reference(of) => of.mutability.is_none() && is_constant(&of.expr),
        Expr::Array(array) => array.elems.iter().all(is_constant),
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_constant),
        Expr::Unary(unary) => is_constant(&unary.expr),
        _ => false,
    }
}

/// Whether an expression is a constant or variant of the runtime, and no local.
fn is_path(expr: &Expr) -> bool {
    let Expr::Path(path) = expr else { return false };
    let first = path.path.segments.first().map(|part| part.ident.to_string());
    let last = path.path.segments.last().map(|part| part.ident.to_string());
    path.path.segments.len() > 1
        && first.is_some_and(|first| first == "s" || first == "rt")
        && last.is_some_and(|last| last.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> String {
        let mut file = syn::parse_str(text).expect("it is Rust");
        name_constants(&mut file);
        file.to_token_stream().to_string()
    }

    fn text(text: &str) -> String {
        syn::parse_str::<syn::File>(text).expect("it is Rust").to_token_stream().to_string()
    }

    #[test]
    fn what_is_said_twice_has_a_name() {
        let found = named(
            "mod straight {
                use runtime::s;
                fn f(x: u8) {
                    g(&s::LabelKind { width: 4, nones: &[0, -1], base: rt::Some(s::Base { at: 1 }) });
                    g(&s::LabelKind { width: 4, nones: &[0, -1], base: rt::Some(s::Base { at: 1 }) });
                    g(&s::LabelKind { width: 2, ..s::LabelKind::PLAIN });
                    g(&s::LabelKind { width: x });
                    g(&s::LabelKind { width: x });
                }
            }",
        );
        let expected = text(
            "mod straight {
                use runtime::s;
                const LABEL_KIND: s::LabelKind =
                    s::LabelKind { width: 4, nones: &[0, -1], base: rt::Some(s::Base { at: 1 }) };
                fn f(x: u8) {
                    g(&LABEL_KIND);
                    g(&LABEL_KIND);
                    g(&s::LabelKind { width: 2, ..s::LabelKind::PLAIN });
                    g(&s::LabelKind { width: x });
                    g(&s::LabelKind { width: x });
                }
            }",
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn other_modules_have_their_own_words() {
        let other = "mod other { fn f() { g(s::A { x: 1 }); g(s::A { x: 1 }); } }";
        assert_eq!(named(other), text(other));
    }
}
