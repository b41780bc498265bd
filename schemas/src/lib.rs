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

/// Name and text of every part that a schema includes.
const PARTS: &[(&str, &str)] = &[
    ("bfres/curves", include_str!("../bfres/curves.kdl")),
    ("bfres/material_anims", include_str!("../bfres/material_anims.kdl")),
    ("bfres/materials", include_str!("../bfres/materials.kdl")),
    ("bfres/models", include_str!("../bfres/models.kdl")),
    ("bfres/samplers", include_str!("../bfres/samplers.kdl")),
    ("bfres/scenes", include_str!("../bfres/scenes.kdl")),
    ("bfres/shaders", include_str!("../bfres/shaders.kdl")),
    ("bfres/shape_anims", include_str!("../bfres/shape_anims.kdl")),
    ("bfres/shapes", include_str!("../bfres/shapes.kdl")),
    ("bfres/skeletal_anims", include_str!("../bfres/skeletal_anims.kdl")),
    ("bfres/skeletons", include_str!("../bfres/skeletons.kdl")),
    ("bfres/user_data", include_str!("../bfres/user_data.kdl")),
    ("bfres/vertices", include_str!("../bfres/vertices.kdl")),
    ("bfres/visibility_anims", include_str!("../bfres/visibility_anims.kdl")),
];

/// Text of the schema or library with this name, such as `evfl`, or of a part that one includes, such
/// as `bfres/curves`; `None` if there is none.
#[must_use]
pub fn get(name: &str) -> Option<&'static str> {
    ALL.iter().chain(PARTS).find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Names of all schemas, libraries among them and parts not, in alphabetical order.
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

    #[test]
    fn all_parts_are_included() {
        for (name, text) in super::PARTS {
            let (of, _) = name.split_once('/').expect("a part is in a folder");
            assert!(text.starts_with(&format!("part {of} ")), "{name}");
            let whole = super::get(of).expect("its schema is there");
            assert!(whole.contains(&format!("include \"{name}\"")), "{name}");
        }
        let included = super::ALL.iter().flat_map(|(_, text)| text.lines());
        let included = included.filter_map(|line| line.strip_prefix("include \""));
        for name in included {
            assert!(super::get(name.trim_end_matches('"')).is_some(), "{name}");
        }
    }
}
