//! Proofs about models that are made by hand.

use super::check;
use crate::diagnostic::Diagnostics;
use crate::model::{
    ArrayLength, ArrayType, ByteOrder, ByteOrderRule, Case, Cell, Content, Epoch, Expr, Exprs,
    Gaps, Home, IntType, Label, LayoutPath, Meaning, Model, PathStep, PointerId, PointerKind,
    PointerType, Record, RecordId, RecordKind, Row, RowId, RunLength, RunType, Statement, Storage,
    Tag, Target, Type, Union, UnionId, WhenEmpty,
};
use crate::span::{SourceId, Span};

/// A place that no other thing of a test has.
fn span() -> Span {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = NEXT.fetch_add(1, Ordering::Relaxed);
    Span { source: SourceId(0), start, end: start + 1 }
}

fn int(bytes: u8) -> Type {
    let storage = Storage::Fixed(IntType { bytes, signed: false, order: None });
    Type::Cell(Cell { storage, meaning: Meaning::Int })
}

fn row(name: &str, home: Home, ty: Type) -> Row {
    Row { span: span(), ..Row::new(Some(name.to_owned()), ty, vec![home]) }
}

fn record(name: &str, size: Option<u64>, rows: Vec<Row>) -> Record {
    let read_order = (0u32..).map(RowId).take(rows.len()).collect();
    Record {
        name: name.to_owned(),
        template: name.to_owned(),
        kind: RecordKind::Struct,
        doc: None,
        source: None,
        parameters: Vec::new(),
        rows,
        lets: Vec::new(),
        arguments: Vec::new(),
        sizes: vec![size],
        open: size.is_none(),
        align: None,
        transparent: None,
        endian: None,
        derives: Vec::new(),
        checks: Vec::new(),
        layout: vec![Statement::This],
        passes: Vec::new(),
        read_order,
        recursive: false,
        encodes: None,
        span: span(),
    }
}

fn model(records: Vec<Record>) -> Model {
    Model {
        name: "t".to_owned(),
        title: String::new(),
        version: 1,
        extensions: Vec::new(),
        sources: Vec::new(),
        root: RecordId(0),
        byte_order: ByteOrderRule::Fixed(ByteOrder::Little),
        gaps: Gaps::Zero,
        epoch_variables: Vec::new(),
        epochs: vec![Epoch { label: "all".to_owned(), ranges: Vec::new() }],
        records,
        unions: Vec::new(),
        enums: Vec::new(),
        pointers: vec![PointerKind {
            name: "*".to_owned(),
            doc: None,
            cell: Cell {
                storage: Storage::Fixed(IntType { bytes: 4, signed: false, order: None }),
                meaning: Meaning::Int,
            },
            base: None,
            none: Some(0),
            when_empty: WhenEmpty::None,
            align: 1,
            skip: 0,
            unit: 1,
            pool: None,
            text: None,
            listing: Vec::new(),
            span: span(),
        }],
        varints: Vec::new(),
        digits: Vec::new(),
        strings: Vec::new(),
        lets: Vec::new(),
        relocation: Vec::new(),
        remarks: Vec::new(),
        examples: Vec::new(),
        exprs: Exprs::default(),
    }
}

fn pointer(to: u32, optional: bool) -> Type {
    Type::Pointer(Box::new(PointerType {
        kind: PointerId(0),
        cell: None,
        target: Target::Own(Type::Record(RecordId(to))),
        optional,
        when_empty: None,
        none_with: None,
        align: None,
        section: 0,
        list: None,
    }))
}

fn path(record: u32, row: u32) -> LayoutPath {
    let steps = vec![PathStep { rows: vec![(RecordId(record), RowId(row))] }];
    LayoutPath { steps, text: format!("#{row}"), span: span() }
}

fn codes(model: &Model) -> Vec<&'static str> {
    let mut diagnostics = Diagnostics::default();
    check(model, &mut diagnostics);
    diagnostics.all().iter().map(|d| d.code).collect()
}

fn at(offset: u64) -> Home {
    Home::At(offset)
}

#[test]
fn homes_tile() {
    let file = |size, homes: [u64; 3]| {
        let rows = homes.iter().zip(["a", "b", "c"]).map(|(&h, n)| row(n, at(h), int(4)));
        codes(&model(vec![record("File", Some(size), rows.collect())]))
    };
    assert!(file(12, [0, 4, 8]).is_empty());
    assert!(file(12, [4, 8, 0]).is_empty());
    assert_eq!(file(12, [0, 2, 8]), ["E0301"]);
    assert_eq!(file(16, [0, 4, 12]), ["E0302"]);
    assert_eq!(file(16, [0, 4, 8]), ["E0304"]);
    assert_eq!(file(10, [0, 4, 8]), ["E0304"]);
    assert_eq!(file(12, [0, 4, u64::MAX]), ["E0306"]);
    assert_eq!(file(u64::MAX, [0, 4, 8]), ["E0306"]);
}

#[test]
fn cases_tile() {
    let file = |first: u64, second: u8| {
        let mut bodies = Vec::new();
        for (number, size) in [(0, 4), (1, second)] {
            let mut body = record(
                "body",
                None,
                vec![row("x", at(if number == 0 { first } else { 4 }), int(size))],
            );
            body.kind = RecordKind::Case(UnionId(0), number);
            bodies.push(body);
        }
        let rows = vec![
            row("kind", at(0), int(4)),
            row("body", at(4), Type::Union(UnionId(0))),
            row("last", at(8), int(4)),
        ];
        let mut records = vec![record("File", Some(12), rows)];
        records.extend(bodies);
        let mut model = model(records);
        let case = |number: u32| Case {
            name: format!("c{number}"),
            doc: None,
            labels: vec![Label::Range(number.into(), number.into())],
            epochs: vec![true],
            guard: None,
            record: RecordId(number + 1),
            whole: false,
            forms: Vec::new(),
            span: span(),
        };
        model.unions.push(Union {
            name: "File.body".to_owned(),
            body: false,
            doc: None,
            source: None,
            tag: Tag::Row(RowId(0)),
            cases: vec![case(0), case(1)],
            size: None,
            span: span(),
        });
        codes(&model)
    };
    assert!(file(4, 4).is_empty());
    assert_eq!(file(4, 2), ["E0303"]);
    assert_eq!(file(6, 4), ["E0301"]);
    assert_eq!(file(4, 8), ["E0301"]);
}

#[test]
fn nothing_is_in_itself() {
    let node = |ty: Type| {
        let mut file = record("File", None, vec![row("next", Home::Next, ty)]);
        file.layout = vec![Statement::This, Statement::Put(path(0, 0))];
        codes(&model(vec![file]))
    };
    assert_eq!(node(Type::Record(RecordId(0))), ["E0701"]);
    assert_eq!(node(pointer(0, false)), ["E0702"]);
    assert!(node(pointer(0, true)).is_empty());
}

#[test]
fn deep_structs_have_sizes() {
    let count = 4096;
    let mut records = Vec::new();
    for number in 1..count {
        let inner = Type::Record(RecordId(number));
        records.push(record("S", None, vec![row("a", Home::Next, inner)]));
    }
    records.push(record("S", None, vec![row("a", Home::Next, int(4))]));
    let mut model = model(records);
    let all = crate::model::EpochId(0);
    assert_eq!(model.fixed_size(RecordId(0), all), Some(4));
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let run = move || {
        assert!(codes(&model).is_empty());
        model.records.reverse();
        for (number, record) in model.records.iter_mut().enumerate().skip(1) {
            record.rows[0].ty = Type::Record(RecordId(number as u32 - 1));
        }
        assert!(codes(&model).is_empty());
    };
    thread.spawn(run).expect("it starts").join().expect("no panic");
}

#[test]
fn objects_are_placed_once() {
    let mut exprs = Exprs::default();
    let (yes, zero) = (exprs.add(Expr::Bool(true)), exprs.add(Expr::Int(0)));
    let some = exprs.add(Expr::FileEnd);
    let file = |layout: Vec<Statement>| {
        let rows = vec![row("a", at(0), pointer(1, false)), row("b", at(4), pointer(1, true))];
        let mut file = record("File", Some(8), rows);
        file.layout = layout;
        let leaf = record("Leaf", Some(4), vec![row("x", at(0), int(4))]);
        codes(&Model { exprs: exprs.clone(), ..model(vec![file, leaf]) })
    };
    let put = |row| Statement::Put(path(0, row));
    let this = Statement::This;
    assert!(file(vec![this.clone(), put(0), put(1)]).is_empty());
    assert_eq!(file(vec![this.clone(), put(0)]), ["E0601"]);
    assert_eq!(file(vec![this.clone(), put(0), put(1), put(0)]), ["E0602"]);
    assert_eq!(file(vec![put(0), put(1)]), ["E0608"]);
    let when = |then, otherwise| Statement::When(some, then, otherwise);
    let always = Statement::When(yes, vec![put(0)], vec![]);
    assert!(file(vec![this.clone(), put(1), always]).is_empty());
    assert!(file(vec![this.clone(), put(0), when(vec![put(1)], vec![])]).is_empty());
    assert_eq!(file(vec![this.clone(), put(1), when(vec![put(0)], vec![])]), ["E0603"]);
    assert!(file(vec![this.clone(), put(1), when(vec![put(0)], vec![put(0)])]).is_empty());
    assert_eq!(file(vec![this, put(1), put(0), Statement::Align(zero)]), ["E0730"]);
}

#[test]
fn arrays_to_the_end_have_elements_with_bytes() {
    let array = |element: Type| {
        let length = ArrayLength::Fill;
        let ty = Type::Array(Box::new(ArrayType {
            element,
            length,
            stride: None,
            described: None,
            in_step: None,
        }));
        codes(&model(vec![record("File", None, vec![row("a", Home::Next, ty)])]))
    };
    let run = |length| {
        Type::Run(RunType { content: Content::Bytes, length, suffix: Vec::new(), align: None })
    };
    assert!(array(int(1)).is_empty());
    assert_eq!(array(Type::Nothing), ["E0703"]);
    assert_eq!(array(run(RunLength::Fixed(0))), ["E0703"]);
    assert!(array(run(RunLength::Fixed(3))).is_empty());
}

/// Schemas in which there is nothing to find.
#[test]
fn sound_schemas_have_no_problems() {
    let head = "module t \"Test\" root=File endian=little\npointer * u32 none=0\n";
    let leaf = "struct Leaf 4 { u32 value 0 }\n";
    let texts = [
        // A pass that the owner runs, in a pass that its own owner runs.
        "struct File 4 { *Outer outer 0; layout { self; put outer; run late outer } }
         struct Outer 4 { *Inner inner 0; layout { self; put inner; pass late { run late inner } } }
         struct Inner 4 { *Leaf leaf 0; layout { self; pass late { put leaf } } }",
        // Bytes first, what they own later; an array of pointers to what is placed before itself.
        "struct File 8 { *Node* nodes 0 count=n; u32 n 4; layout { self; record nodes; tail nodes } }
         struct Node 4 { *Leaf leaf 0; layout { put leaf; self } }",
        // Through a choice and an unnamed struct, row by row.
        "struct File {
             Head
             union body on=kind { case a 1 { *Leaf x; *Leaf y }; case b 2 { *Leaf x }; case c 3 { } }
             layout { self; put leaf; put body.y body.x }
         }
         struct Head 8 { u32 kind 0; *Leaf leaf 4 }",
        // What may be empty, in one branch only.
        "struct File 12 {
             *Leaf a 0 count=n
             *?Leaf b 4
             u32 n 8
             layout { self; when \"n > 0\" { put a b; }; else { zero 4 } }
         }",
        // A region that ends at the next object.
        "struct File 8 .. {
             u32 at 0
             u32 n 4
             u8 data count=fill until=leaf
             object Leaf leaf at=at
         }",
        // Versions with other homes, and a row that comes and goes.
        "epoch version from=File.version
         struct File 8 0x10 0x0c {
             columns \"1\" \"2..3\" \"else\"
             u32 version 0 0 0
             u32 a       4 8 4
             u32 b       - 4 -
             u32 c       - 12 8 absent=5
         }",
        // Bits, words, patterns beside ranges, forms from the narrowest to the widest.
        "struct File {
             b3 a
             b5 b
             Flags flags
             Item items count=fill
         }
         bits Flags u16 { u4 low 0 3; u4 high 12 15 }
         union Item tag=u8 {
             case small \"0nnnnnnn\" { u7 value bits=n }
             case large \"128..199\" { tag code; u32 value }
             case pair  \"1100 1___ tttttttt\" { u8 value bits=t }
             case wide {
                 form 208 { const value is=0 }
                 form 209 { u8 value }
                 form 210 { u32 value }
             }
         }",
        // A choice in the midst of a block, and cases that fill it in different ways.
        "struct File 0x10 {
             union body 0 on=kind {
                 case a 1 { u32 x 0; zero 4 }
                 case b 2 { u16 x 0; u16 y 2; u32 z 4 }
                 case c 3 { reserved 0 }
             }
             u32 kind 8
             u32 last 0x0c
         }",
        // A struct that can end: in an array, behind a pointer that may be none, in a case.
        "struct File { Tree tree }
         struct Tree { u8 n; Tree children count=n; *?Tree other; Either either }
         union Either tag=u8 { case leaf 0 { }; case node 1 { Either inner } }",
    ];
    let mut wrong = String::new();
    for text in texts {
        let text = format!("{head}{leaf}{text}");
        let loaded = crate::load("t.kdl", &text, None, &());
        let shown = crate::diagnostic::render(&loaded.diagnostics, &loaded.sources, false);
        if !loaded.diagnostics.all().is_empty() || loaded.model.is_none() {
            wrong.push_str(&format!("{text}\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
