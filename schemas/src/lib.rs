//! Schemas of binary formats in the language of Formwork: texts and nothing else.
#![forbid(unsafe_code)]

/// Name and text of every schema.
const ALL: &[(&str, &str)] = &[
    ("ainb", include_str!("../ainb.kdl")),
    ("baev", include_str!("../baev.kdl")),
    ("bfres", include_str!("../bfres.kdl")),
    ("esf", include_str!("../esf.kdl")),
    ("evfl", include_str!("../evfl.kdl")),
    ("nn", include_str!("../nn.kdl")),
];

/// Text of the schema or library with this name, such as `evfl`; `None` if there is none.
#[must_use]
pub fn get(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Names of all schemas, libraries included, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_sorted_and_found() {
        let names: Vec<_> = super::names().collect();
        assert!(names.is_sorted());
        for name in names {
            let text = super::get(name).expect("every name has a text");
            assert!(text.contains("module ") || text.contains("library "), "{name}");
        }
        assert_eq!(super::get("none"), None);
    }
}
