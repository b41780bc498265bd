//! Models as string literals, for generated code.

use proc_macro2::{Literal, TokenStream};
use quote::ToTokens;

use crate::model::{Model, pack};

/// Most characters of a line.
const WIDTH: usize = 96;

/// What [`pack`] makes of a model, as a string literal on several lines.
#[must_use]
pub fn literal(model: &Model) -> TokenStream {
    quoted(&pack(model)).into_token_stream()
}

fn quoted(text: &str) -> Literal {
    let mut source = String::from("\"\\\n");
    let mut column = 0;
    for char in text.chars() {
        let mut escaped = match char {
            '\'' => "'".to_owned(),
            _ => char.escape_debug().to_string(),
        };
        // Behind it stands a backslash, or quote and semicolon.
        if column + escaped.chars().count() + 2 > WIDTH {
            source.push_str("\\\n");
            column = 0;
        }
        if column == 0 && char == ' ' {
            "\\x20".clone_into(&mut escaped); // Plain spaces are skipped there.
        }
        column += escaped.chars().count();
        source.push_str(&escaped);
    }
    source.push('"');
    source.parse().expect("whatever needs it is escaped")
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;
    use crate::load;

    fn check(text: &str) {
        let literal = quoted(text);
        let code: syn::File = syn::parse2(quote! {
            mod inner {
                const TEXT: &str = #literal;
            }
        })
        .unwrap();
        let code = prettyplease::unparse(&code);
        assert!(code.contains(&literal.to_string()), "{code}");
        assert!(code.lines().all(|line| line.chars().count() <= WIDTH), "{code}");
        let code: syn::File = syn::parse_str(&code).unwrap();
        let [syn::Item::Mod(inner)] = &code.items[..] else { panic!("no module") };
        let [syn::Item::Const(item)] = &inner.content.as_ref().unwrap().1[..] else {
            panic!("no constant")
        };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(found), .. }) = &*item.expr else {
            panic!("no literal")
        };
        assert_eq!(found.value(), text);
    }

    #[test]
    fn texts_are_kept() {
        check("");
        check(" ");
        check(&" ".repeat(1000));
        for char in
            ["\"", "\\", "'", "\n", "\r\n", "\t", "\0", "ä", "\u{a0}", "\u{202e}", "\u{301}"]
        {
            check(char);
            for filled in 90..100 {
                check(&("x".repeat(filled) + char + " " + char + &"  y".repeat(filled)));
            }
        }
    }

    #[test]
    fn models_are_kept() {
        let text = include_str!("../../../schemas/esf.kdl");
        let loaded = load("esf", text, None, &());
        let model = loaded.model.expect("it is a schema");
        assert_eq!(literal(&model).to_string(), quoted(&pack(&model)).to_string());
        check(&pack(&model));
    }
}
