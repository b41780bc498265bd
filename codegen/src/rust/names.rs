//! Names of generated Rust: from words of a schema to identifiers that Rust takes and that are
//! unique where they stand.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};

/// Identifiers that are taken in one place: the fields of a struct, the types of a file.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    taken: HashSet<String>,
}

impl Scope {
    /// A scope in which these names are taken from the start.
    pub fn with(taken: &[&str]) -> Scope {
        Scope { taken: taken.iter().map(|&name| name.to_owned()).collect() }
    }

    /// Takes the first of these names that is free; if none is, the last one with a number.
    pub fn take(&mut self, candidates: &[String]) -> Ident {
        for name in candidates {
            if self.taken.insert(name.clone()) {
                return ident(name);
            }
        }
        let last = candidates.last().map_or("X", String::as_str);
        let mut number = 2_u32;
        loop {
            let name = format!("{last}{number}");
            if self.taken.insert(name.clone()) {
                return ident(&name);
            }
            number = number.saturating_add(1);
        }
    }
}

/// An identifier for a name that is one but for being a keyword.
pub fn ident(name: &str) -> Ident {
    match name {
        "self" | "super" | "crate" | "Self" | "_" => Ident::new(&format!("{name}_"), span()),
        name if is_keyword(name) => Ident::new_raw(name, span()),
        name => Ident::new(name, span()),
    }
}

/// The place of everything that is generated.
pub fn span() -> Span {
    Span::call_site()
}

/// Keywords of all editions, and words reserved to become some.
pub fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &str = " abstract as async await become box break const continue do dyn else \
        enum extern false final fn for gen if impl in let loop macro match mod move mut override \
        priv pub ref return static struct trait true try type typeof unsafe unsized use virtual \
        where while yield ";
    KEYWORDS.split_whitespace().any(|keyword| keyword == name)
}

/// Name of a type or variant: `event_data` and `EVENT_DATA` become `EventData`.
pub fn camel(name: &str) -> String {
    let shouted = !name.chars().any(char::is_lowercase);
    let mut text = String::new();
    for word in words(name) {
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            // A number behind a number would run together with it.
            let digits = text.chars().last().is_some_and(|last| last.is_ascii_digit());
            if digits && first.is_ascii_digit() {
                text.push('_');
            }
            text.extend(first.to_uppercase());
            let rest = letters.as_str();
            text.push_str(&if shouted { rest.to_lowercase() } else { rest.to_owned() });
        }
    }
    begun(text)
}

/// Name of a field or method: `firstEntry` becomes `first_entry`.
pub fn snake(name: &str) -> String {
    begun(parts(name).join("_").to_lowercase())
}

/// Name of a constant: `firstEntry` becomes `FIRST_ENTRY`.
pub fn shout(name: &str) -> String {
    begun(parts(name).join("_").to_uppercase())
}

/// A name that does not begin with a digit and is not empty.
fn begun(text: String) -> String {
    match text.chars().next() {
        Some(first) if first.is_ascii_digit() => format!("_{text}"),
        Some(_) => text,
        None => "_x".to_owned(),
    }
}

/// The runs of letters and digits in a name. What no identifier takes is written as its number.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        let here = words.last_mut().expect("there is always a word");
        let known = letter.is_ascii_alphanumeric();
        if known || (letter.is_alphabetic() && is_ident(letter)) {
            here.push(letter);
        } else if letter.is_ascii() {
            words.push(String::new());
        } else {
            words.push(format!("u{:x}", u32::from(letter)));
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether Rust takes a letter in an identifier.
fn is_ident(letter: char) -> bool {
    syn::parse_str::<Ident>(&format!("x{letter}")).is_ok()
}

/// Words, cut also where a lower-case letter stands before an upper-case one.
fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for word in words(name) {
        let mut part = String::new();
        let mut before = ' ';
        for letter in word.chars() {
            if letter.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
                parts.push(std::mem::take(&mut part));
            }
            part.push(letter);
            before = letter;
        }
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{Scope, camel, ident, shout, snake};

    #[test]
    fn cases() {
        for (name, upper, lower, loud) in [
            ("event_data", "EventData", "event_data", "EVENT_DATA"),
            ("EventData", "EventData", "event_data", "EVENT_DATA"),
            ("RELT", "Relt", "relt", "RELT"),
            ("nn.Label", "NnLabel", "nn_label", "NN_LABEL"),
            ("Names<actors.name>", "NamesActorsName", "names_actors_name", "NAMES_ACTORS_NAME"),
            ("v1_2", "V1_2", "v1_2", "V1_2"),
            ("2d", "_2d", "_2d", "_2D"),
            ("-", "_x", "_x", "_x"),
        ] {
            assert_eq!((camel(name), snake(name)), (upper.to_owned(), lower.to_owned()), "{name}");
            assert_eq!(shout(name), loud, "{name}");
        }
    }

    #[test]
    fn words_of_rust() {
        let shown = |name| ident(name).to_string();
        assert_eq!(shown("type"), "r#type");
        assert_eq!(shown("Self"), "Self_");
        assert_eq!(shown("Vec"), "Vec");
    }

    #[test]
    fn one_name_once() {
        let mut scope = Scope::with(&["spelling"]);
        let mut take = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            scope.take(&names).to_string()
        };
        assert_eq!(take(&["a"]), "a");
        assert_eq!(take(&["a", "b_a"]), "b_a");
        assert_eq!(take(&["a", "b_a"]), "b_a2");
        assert_eq!(take(&["spelling"]), "spelling2");
    }
}
