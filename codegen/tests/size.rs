//! How much code is generated grows with a schema, and not with the ways through it.

use std::fmt::Write as _;

use formwork_codegen::{load, rust};

/// Structs of six choices each, of which each case is the struct before.
fn nested(levels: usize) -> String {
    let mut text = "module nested \"Choices of choices\" root=File endian=big\n".to_owned();
    let mut inner = "i8".to_owned();
    for level in 0..levels {
        let name = if level + 1 == levels { "File".to_owned() } else { format!("S{level}") };
        let _ = writeln!(text, "struct {name} {{");
        for row in 0..6 {
            let _ = writeln!(text, "u8 k{row}\nunion u{row} on=k{row} {{");
            for case in 0..3 {
                let _ = writeln!(text, "case c{case} {case} {{ {inner} r{row}_{case} }}");
            }
            text.push_str("}\n");
        }
        text.push_str("}\n");
        inner = name;
    }
    text
}

#[test]
fn code_of_nested_choices() {
    let size = |levels: usize| {
        let loaded = load("nested.kdl", &nested(levels), None, &());
        let model = loaded.model.expect("it has no errors");
        rust::emit(&model, &rust::Options::default()).len()
    };
    let sizes = [3, 4, 5].map(size);
    for (one, next) in sizes.iter().zip(&sizes[1..]) {
        assert!(next.abs_diff(*one) < 400_000, "bytes of code for 3 to 5 levels: {sizes:?}");
    }
}

/// As before, but of structs that hold the one before twice.
#[test]
fn code_of_doubled_structs() {
    let mut text = "module doubled \"Twice, twice...\" root=S20 endian=big\n\
                    struct S0 { u8 n }\n"
        .to_owned();
    for level in 1..=20 {
        let inner = level - 1;
        let _ = writeln!(text, "struct S{level} {{ S{inner} a; S{inner} b }}");
    }
    let loaded = load("doubled.kdl", &text, None, &());
    let model = loaded.model.expect("it has no errors");
    let code = rust::emit(&model, &rust::Options::default());
    assert!(code.len() < 400_000, "{} bytes of code", code.len());
}

/// A union of so many cases that hold the union again, and may so be in one another in any order.
#[test]
fn code_of_trees() {
    let size = |cases: usize| {
        let mut text = "module trees \"Trees\" root=File endian=big\nstruct File { Tree tree }\n\
                        union Tree tag=u8 {\ncase leaf 0 { u8 v }\n"
            .to_owned();
        for case in 1..=cases {
            let _ = writeln!(text, "case c{case} {case} {{ Tree a; u8 n; Tree b count=n }}");
        }
        text.push_str("}\n");
        let loaded = load("trees.kdl", &text, None, &());
        let model = loaded.model.expect("it has no errors");
        rust::emit(&model, &rust::Options::default()).len()
    };
    let sizes = [4, 8, 16].map(size);
    assert!(sizes[2] < 4 * sizes[0], "bytes of code for 4, 8 and 16 cases: {sizes:?}");
}
