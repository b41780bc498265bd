use super::listed::structs;
use super::{emit, name};
use crate::model::{Model, RecordId};
use crate::rust::Options;
use crate::rust::in_arena::{spelling_outside, ty};
use crate::rust::shape::Shapes;

const TREE: &str = r#"
module tree "Tree" root=File endian=little

varint length u32 order=msb-first bytes=5 usually=shortest

struct File {
    Node   nodes  count=fill
}

union Node tag=u8 {
    case number 0x01 { u16 value }
    case list   0x02 { length size; Node nodes count=fill size=size }
    case text   0x03 { Text text }
    case end    0x04
}

struct Text {
    length  code
    Chars   chars
    u8      first usually=1
}

string Chars length=u8 encoding=utf8
"#;

fn model(text: &str) -> Model {
    let loaded = crate::load("test.kdl", text, None, &());
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics.all()))
}

/// The same without a case that has nothing in it.
fn model_of_full() -> Model {
    model(&TREE.replace("    case end    0x04\n", ""))
}

/// Without spaces and line ends, so that only words count.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn record(shapes: &Shapes<'_>, name: &str) -> RecordId {
    let found = structs(shapes).find(|id| shapes.ident(*id) == name);
    found.unwrap_or_else(|| panic!("there is no {name}"))
}

#[test]
fn spellings_of_cases_stand_outside() {
    let model = model(TREE);
    let shapes = Shapes::new(&model);
    let outside = |name| spelling_outside(&shapes, record(&shapes, name));
    assert!(outside("NodeList"));
    // One has no spelling, the other is not a case.
    assert!(!outside("NodeNumber"));
    assert!(shapes.has_spelling(record(&shapes, "Text")) && !outside("Text"));
}

#[test]
fn types() {
    let model = model(TREE);
    let shapes = Shapes::new(&model);
    let nodes = &shapes.fields(record(&shapes, "NodeList"))[0].shape;
    let seen = |inside| packed(&ty(&shapes, nodes, inside).to_string());
    assert_eq!(seen(false), "::formwork::arena::Run<Node>");
    assert_eq!(seen(true), "::formwork::arena::Run<super::Node>");
    let code = packed(&emit(&shapes, None, &Options::default()).to_string());
    for part in [
        "pub struct FileArena",
        "pub struct NodeNumber { pub value: u16, }",
        "List(NodeList, ::formwork::arena::SpellingId),",
        "Number(NodeNumber, ::formwork::arena::SpellingId),",
        "End,",
        "pub chars: ::formwork::arena::Run<str>",
        "pub spelling: ::formwork::arena::SpellingId",
    ] {
        assert!(code.contains(&packed(part)), "{part}, in {code}");
    }
}

/// A constant of the schema is written out, and so is a case that has something in it; the rest is
/// derived.
#[test]
fn defaults() {
    let model = model(TREE);
    let code = packed(&emit(&Shapes::new(&model), None, &Options::default()).to_string());
    let written = |name: &str| code.contains(&format!("Defaultfor{name}{{"));
    assert!(written("Text"));
    assert!(!written("Node") && !written("NodeNumber") && !written("File"));
    let full = model_of_full();
    let code = packed(&emit(&Shapes::new(&full), None, &Options::default()).to_string());
    assert!(code.contains("DefaultforNode{"));
}

#[test]
fn a_type_that_has_the_name() {
    let text = "module twice \"Twice\" root=File endian=little\n\n\
                struct File {\n    FileArena a\n}\n\nstruct FileArena {\n    u8 x\n    u8 y\n}\n";
    let model = model(text);
    assert_eq!(name(&Shapes::new(&model)), "FileArena2");
}

#[test]
fn the_default_of_a_union_is_its_first_case() {
    let text = r#"
module first "First cases" root=File endian=little

struct File { Some some; Tree tree; Other other; Maybe maybe }

union Some tag=u8 { case a 1 { Part part }; case b 2 { u8 q } }

union Tree tag=u8 { case node 1 { Tree left; Tree right }; case leaf 2 { Some some } }

union Other tag=u8 { case back 1 { Another another }; case some 2 { u8 a } }

union Another tag=u8 { case there 1 { Other other }; case back 2 { u8 b } }

union Maybe tag=u8 { case part 1 { Part part }; case none 2; case more 3 }

struct Part { u8 p }
"#;
    let model = model(text);
    let shapes = Shapes::new(&model);
    let first = |name: &str| {
        let union = (0..).map(crate::model::UnionId).zip(&model.unions);
        let mut union = union.filter(|(_, union)| union.name == name);
        union.next().map(|(id, _)| shapes.first_case(id))
    };
    assert_eq!(["Some", "Tree", "Other", "Another"].map(first), [0, 1, 1, 0].map(Some));
    assert_eq!(first("Maybe"), Some(1));
}
