//! Codes of problems with the text itself.

/// Code, title and explanation.
pub const CODES: &[(&str, &str, &str)] = &[
    ("E0101", "schema too long", "A schema text may have at most 16 MiB."),
    (
        "E0102",
        "nesting too deep",
        "Braces and block comments may be nested at most 64 levels deep.",
    ),
    (
        "E0103",
        "not KDL",
        "A schema is a document of KDL version 2. Truth values are written `#true` and `#false`, \
         texts with blanks stand in quotes, and a word can't begin with a digit.",
    ),
    (
        "E0104",
        "type annotation",
        "KDL allows `(type)` before a value or node. Schemas give it no meaning; the type of a row \
         is its first word.",
    ),
    (
        "E0105",
        "malformed expression",
        "The text of a property is not an expression. Operators and their precedence are those of \
         Rust, with `c ? a : b`, `a ?? b`, `a in [b, c..d]` and `a is CASE` in addition; texts \
         stand in single quotes.",
    ),
    (
        "E0106",
        "unknown property",
        "The node has no property of this name. The help line names a similar one or lists all.",
    ),
    ("E0107", "given twice", "A property or parameter is given twice on one node."),
    (
        "E0108",
        "wrong kind of value",
        "The property takes another kind of value: a number, a text, `#true` or one of some words.",
    ),
    (
        "E0109",
        "unknown statement",
        "The first word of the line is not known here. In a struct it is a type or a keyword, at \
         the top level a declaration.",
    ),
    (
        "E0110",
        "missing or wrong name",
        "A name is missing, or is none: names consist of letters, digits and `_`, and don't begin \
         with a digit. Words of the language can't be names of types.",
    ),
    (
        "E0111",
        "word in a wrong position",
        "A line is: type, name, offsets, documentation, properties. Offsets and sizes are not \
         negative and fit 32 bits.",
    ),
    (
        "E0112",
        "malformed type",
        "A type is a name, perhaps with a sigil such as `*` or `*?` in front, with arguments in \
         `<>`, and with a sigil behind for arrays of pointers.",
    ),
    ("E0113", "unexpected block", "The node takes no block in braces."),
    ("E0114", "incomplete statement", "A part of the statement is missing or has the wrong form."),
    ("E0115", "declared twice", "The name or number is declared twice."),
];
