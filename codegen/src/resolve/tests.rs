//! Small schemas: what becomes of them in the model, and what is said of broken ones.

use crate::model::{Definer, DefinerScope, Home, Model, Record, Role, Row, Step, Type};
use crate::{Loaded, Provider, load};

const HEAD: &str = "module t root=File endian=little\n";

struct Libraries;

impl Provider for Libraries {
    fn library(&self, name: &str) -> Option<String> {
        let text = match name {
            "shapes" => {
                "library shapes\nparam magic_text chars\nparam limit u8\nparam Unit type\n\
                 struct Box 0x04 { magic param=magic_text 0x00 size=2; u8 top 0x02 is=limit; \
                 Unit unit 0x03 }"
            }
            "one" => {
                "library one\nimport two\nstruct One { u8 a; *?Two two }\npointer * u16 none=0"
            }
            "two" => "library two\nimport one\nstruct Two { u8 b; one.One same }",
            _ => return None,
        };
        Some(text.to_owned())
    }
}

fn loaded(text: &str) -> Loaded {
    load("t.kdl", &format!("{HEAD}{text}"), None, &Libraries)
}

fn model(text: &str) -> Model {
    let loaded = loaded(text);
    let shown = crate::diagnostic::render(&loaded.diagnostics, &loaded.sources, false);
    loaded.model.unwrap_or_else(|| panic!("no model of {text}:\n{shown}"))
}

fn problems(text: &str) -> Vec<String> {
    let loaded = loaded(text);
    assert!(loaded.model.is_none(), "{text}");
    loaded.diagnostics.all().iter().map(|d| format!("{} {}", d.code, d.message)).collect()
}

fn record<'m>(model: &'m Model, name: &str) -> &'m Record {
    let found = model.records.iter().find(|record| record.name == name);
    found.unwrap_or_else(|| {
        panic!("no `{name}` in {:?}", model.records.iter().map(|r| &r.name).collect::<Vec<_>>())
    })
}

fn row<'m>(record: &'m Record, name: &str) -> &'m Row {
    record.rows.iter().find(|row| row.name.as_deref() == Some(name)).expect("the row exists")
}

#[test]
fn counts_are_derived() {
    let model = model(
        "struct File { u8 n; u8 m; u8 free; u8 twice count=\"2 * n + 4\"; bytes rest count=n; \
         u8 size; text name size=size; u8 some count=\"free & 1\" }",
    );
    let file = record(&model, "File");
    let definers = |name: &str| row(file, name).definers.len();
    assert_eq!(definers("n"), 1, "the second use is a check");
    assert!(matches!(row(file, "n").role, Role::Derived));
    assert!(matches!(row(file, "size").role, Role::Derived));
    assert!(matches!(row(file, "m").role, Role::Data));
    assert!(matches!(row(file, "free").role, Role::Data), "only used in another expression");
    assert_eq!(file.read_order.len(), file.rows.len());
}

#[test]
fn expressions_come_in_order_and_once() {
    let text = "struct File { u8 n; u8 m; u8 kind; Part<n> a; \
                when \"n + 1 > 2\" { u8 more }; \
                Part<n> b; Part<m> c; \
                union body on=kind { case one 1 { bytes data size=\"n + 1\" } } }\n\
                struct Part<by> { u8 k is=by; u8 list count=\"k * (k + 1)\" \
                check=\"it < list[k + 1]\" }";
    let (one, other) = (model(text), model(text));
    let shown = |model: &Model| -> Vec<String> {
        model.exprs.iter().map(|(_, expr)| format!("{expr:?}")).collect()
    };
    assert_eq!(shown(&one), shown(&other), "the same in every run");
    let distinct: std::collections::HashSet<String> = shown(&one).into_iter().collect();
    assert_eq!(distinct.len(), one.exprs.len());
    for (id, expr) in one.exprs.iter() {
        expr.operands(&mut |operand| assert!(operand < id, "{id:?} {expr:?}"));
        for step in expr.path().into_iter().flat_map(|path| &path.steps) {
            assert!(!matches!(step, Step::Index(index) if *index >= id), "{id:?} {expr:?}");
        }
    }
    let parts = one.records.iter().filter(|record| record.template == "Part");
    assert_eq!(parts.count(), 2, "equal arguments make one record");
}

#[test]
fn columns_and_blocks_are_epochs() {
    let model = model(
        "epoch v from=File.version\n\
         struct File 0x04 0x08 .. { columns \"<2\" \">=2\"; u16 version 0x00 0x00; u16 a 0x02 0x04; \
         u16 b - 0x02; zero - 0x06; Tail tail }\n\
         struct Tail { when \"v == 1\" { u8 size; bytes data size=size } \n else { u32 size; \
         bytes data size=size } }",
    );
    let labels: Vec<_> = model.epochs.iter().map(|e| e.label.as_str()).collect();
    assert_eq!(labels, ["v 0", "v 1", "v 2.."]);
    let file = record(&model, "File");
    assert_eq!(row(file, "a").homes, [Home::At(2), Home::At(2), Home::At(4)]);
    assert_eq!(row(file, "b").homes, [Home::Absent, Home::Absent, Home::At(2)]);
    let tail = record(&model, "Tail");
    assert_eq!(tail.rows.len(), 2, "equal names are one row");
    assert!(matches!(tail.rows[0].ty, Type::PerEpoch(_)));
    assert!(matches!(tail.rows[0].role, Role::Derived));
    assert_eq!(model.epoch_variables[0].offset, 0);
}

#[test]
fn one_record_per_list_of_arguments() {
    let model = model(
        "struct File { u8 n; Of<u8> a; Of<u8> b; Of<u16> c; Name<n> d; Name<n> e; Name<7> f }\n\
         struct Of<T> { T value }\n\
         struct Name<length> { text value size=length }",
    );
    let mut names: Vec<_> = model.records.iter().map(|r| r.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["File", "Name<7>", "Name<n>", "Of<u16>", "Of<u8>"]);
    assert!(matches!(row(record(&model, "File"), "n").role, Role::Data));
}

#[test]
fn libraries_are_filled_in_and_may_be_circular() {
    let model = model(
        "import shapes { magic_text AB; limit 9; Unit U }\nimport one\n\
         enum U u8 { mm 0; cm 1 }\nstruct File { shapes.Box box; One one }",
    );
    let file = record(&model, "Box");
    assert!(matches!(file.rows[1].role, Role::Fixed));
    assert!(record(&model, "One").recursive && !record(&model, "Two").recursive);
    assert!(!record(&model, "File").recursive);
}

#[test]
fn cases_give_numbers_to_the_struct() {
    let model = model(
        "struct File { u8 kind; u8 n; union body on=kind { \
         case one 1 { u16 value; derive n is=1 }\n\
         case many 2 { u8 values count=n } } }",
    );
    let file = record(&model, "File");
    let scopes = |name: &str| -> Vec<bool> {
        let case = |d: &Definer| matches!(d.scope, DefinerScope::Case(..));
        row(file, name).definers.iter().map(case).collect()
    };
    assert_eq!(scopes("kind"), [false]);
    assert_eq!(scopes("n"), [true, true]);
}

#[test]
fn common_rows_stand_in_each_case() {
    let model = model(
        "struct File { Item items count=fill }\n\
         union Item tag=u8 { value u8 x seen=1; u8 common; case a 1 { u8 b }; case c 2 as=Whole }\n\
         struct Whole { const u8 tag is=2; u16 d }",
    );
    assert_eq!(record(&model, "Item").rows.len(), 2);
    assert_eq!(record(&model, "Item.a").rows.len(), 2);
    assert!(model.unions[0].cases[1].whole);
}

#[test]
fn forms_have_one_logical_row() {
    let model = model(
        "struct File { N n }\n\
         union N tag=u8 { case int { form 1 { const value is=0 }; form 2 { i8 value }; \
         form \"1vvvvvvv\" { u7 value bits=v }; form 3 { i32 value } }\n\
         case list { form 4 { u8 n; u8 values count=n }; form 5 { u8 values count=3 } } }",
    );
    let int = record(&model, "N.int");
    assert_eq!(int.rows.len(), 1);
    assert!(matches!(int.rows[0].role, Role::Elsewhere));
    let list = record(&model, "N.list");
    assert_eq!(list.rows.len(), 1, "the count is no part of the value");
}

#[test]
fn unclaimed_bits_are_rows() {
    let model = model("struct File 0x02 { F f 0x00 }\nbits F u16 { u3 a 1 3; bool b 15 }");
    let word = record(&model, "F");
    let homes: Vec<_> = word.rows.iter().map(|row| row.homes[0]).collect();
    assert_eq!(homes, [Home::At(1), Home::At(15), Home::At(0), Home::At(4)]);
}

#[test]
fn names_are_found_where_they_are_written() {
    // `x` is the row of the struct around, `it` the element, `kind.a` a member.
    model(
        "enum kind { a 1; b 2 }\n\
         struct File { u8 x; u8 k enum=kind; P list count=2 last_is_nothing=1 }\nstruct P { u8 y }"
            .replace(" last_is_nothing=1", "")
            .as_str(),
    );
    model(
        "enum kind u8 { a 1; b 2 }\n\
         struct File { kind k; u8 x; u8 values last=\"it == x && k == a || k == kind.b\"; P p; \
         check \"any(p.q where y > x)\" }\n\
         struct P { Q q count=2; check \"q[last].y == File.x\" }\nstruct Q { u8 y }",
    );
}

#[test]
fn one_mistake_is_one_problem() {
    let check = |text: &str, expected: &[&str]| assert_eq!(problems(text), expected, "{text}");
    check("struct File { u8 a count=lenght; u8 length }", &["E0219 unknown name `lenght`"]);
    check("struct File { u33 a }", &["E0209 `u33` is not a whole number of bytes"]);
    check("struct File { Sub a }", &["E0211 unknown type `Sub`"]);
    check("struct File { *A a }\nstruct A { u8 b }", &["E0210 no kind of pointer `*`"]);
    check("struct File { A<1> a }\nstruct A { u8 b }", &["E0213 `A` takes 0 arguments, not 1"]);
    check("struct File { u8 a; u8 a }", &["E0203 `a` is declared twice in this struct"]);
    check("struct File { u8 a is=b }", &["E0219 unknown name `b`"]);
    check("struct File { u8 a check=\"a\" }", &["E0221 a condition is expected here"]);
    check(
        "struct File 2 { u8 a 0; when \"a > 0\" { u8 b 1 } }",
        &["E0216 a row with an offset is always there"],
    );
    check("struct File { text a }", &["E0226 how long is it?"]);
    check("struct File { zero }", &["E0226 how many bytes are `zero`?"]);
    check("struct File { A a }\ntype A B\ntype B A", &["E0208 `A` names itself"]);
    check("struct Other { u8 a }", &["E0232 the root `File` is not declared"]);
    check("import nothing\nstruct File { u8 a }", &["E0201 no library `nothing`"]);
}

#[test]
fn odd_texts_end_in_problems() {
    // Types, names and expressions that lead back to themselves, in all ways.
    for text in [
        "struct File { let a b; let b a; u8 c count=a }",
        "struct File { A<x> x }\nstruct A<p> { u8 a count=p }",
        "struct File { A<File.a.a> a }\nstruct A<p> { u8 a count=p }",
        "let a b\nlet b a\nstruct File { u8 c count=a }",
        "epoch v from=File.v\nlet a a\nstruct File { u8 v; when a { u8 b } }",
        "struct File { File a }",
        "struct File { A<File> a }\nstruct A<T> { T a }",
        "struct File { A<u8> a }\nstruct A<T> { *A<A<T>> a }\npointer * u32",
        "struct File { u8 a is=a }",
        "union File tag=u8 { case a 1 as=File }",
        "string S length=S\nstruct File { S a }",
        "struct File { union a on=a { case b 1 { } } }",
        "struct File { slice a of=a base=a count=a }",
        "pointer * u32 to=File in=File.a\nstruct File { *File a }",
        "enum E E { a 1 }\nstruct File { E e }",
        "bits B B { u1 a 0 }\nstruct File { B b }",
        "epoch v from=File.a[0]\nstruct File { u8 a }",
        "module u root=File\nstruct File { u8 a }",
    ] {
        let loaded = loaded(text);
        assert!(loaded.model.is_none(), "{text}");
        assert!(loaded.diagnostics.has_errors(), "{text}");
    }
}
