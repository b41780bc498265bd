//! What hostile and extreme files cost: text that is named again and again, and deep nesting.
//!
//! Event flows have both: labels that share one text, and containers in containers.
#![allow(missing_docs)]

use std::borrow::Cow;
use std::thread;

use formwork::{ReadError, ReadErrorKind, ReadOptions};
use formwork_formats::evfl::{
    Actor, Container, Event, EventData, EventJoin, File, Flowchart, Item, ItemCase,
};
use formwork_interpreter::Program;

struct Libraries;

impl formwork_codegen::Provider for Libraries {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

fn model() -> Program {
    let text = formwork_schemas::get("evfl").expect("the schema is built in");
    formwork_interpreter::program(
        formwork_codegen::load("evfl.kdl", text, None, &Libraries).model.expect("it is right"),
    )
}

/// A file whose events all have the same name, of so many bytes.
fn labels(events: usize, size: usize) -> Vec<u8> {
    let name: Cow<'_, str> = "n".repeat(size).into();
    let event = || Event {
        name: name.clone(),
        data: EventData::Join(EventJoin::default()),
        ..Default::default()
    };
    let flowchart = Flowchart {
        name: "labels".into(),
        events: (0..events).map(|_| event()).collect(),
        ..Default::default()
    };
    File { flowcharts: vec![flowchart], ..Default::default() }.write().expect("it can be written")
}

/// Bytes of text in all names of a file.
fn text_of(file: &File<'_>) -> usize {
    file.flowcharts.iter().flat_map(|f| &f.events).map(|event| event.name.len()).sum()
}

/// Each name counts as often as it is named, so a value has at most 64 bytes of text for each byte
/// of its file: in every form, also where the text is not copied.
#[test]
fn one_text_that_many_name() {
    let model = model();
    let hostile = labels(1_700, 60_000);
    assert!((125_000..140_000).contains(&hostile.len()), "{} bytes", hostile.len());
    let limit = |error: ReadError| {
        let is = matches!(error.kind(), ReadErrorKind::BudgetExceeded { .. });
        assert!(is, "{error}");
    };
    limit(File::read(&hostile).expect_err("borrowed"));
    limit(File::read_owned(&hostile).expect_err("owned"));
    let options = ReadOptions::default();
    limit(formwork_interpreter::read(&model, &hostile, &options).err().expect("interpreted"));

    let fair = labels(1_700, 2_000);
    let most = 64 * fair.len();
    let borrowed = File::read(&fair).expect("borrowed");
    assert!(text_of(&borrowed) <= most);
    assert!(borrowed.flowcharts[0].events.iter().all(|e| matches!(e.name, Cow::Borrowed(_))));
    let owned = File::read_owned(&fair).expect("owned");
    assert!(text_of(&owned) <= most);
    assert!(formwork_interpreter::read(&model, &fair, &options).is_ok());
}

/// Containers in containers, so many levels.
fn nested(levels: usize) -> File<'static> {
    let mut inner = Container::default();
    for _ in 1..levels {
        let item = Item { name: "inner".into(), case: ItemCase::Container(inner) };
        inner = Container { items: vec![item], ..Default::default() };
    }
    let actor = Actor { name: "deep".into(), params: Some(inner), ..Default::default() };
    let flowchart = Flowchart { name: "deep".into(), actors: vec![actor], ..Default::default() };
    File { flowcharts: vec![flowchart], ..Default::default() }
}

/// Runs something with the stack that threads have by default.
fn on_two_mebibytes(what: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(what).expect("a thread");
    thread.join().expect("the thread ends well");
}

#[test]
fn nested_to_the_limit() {
    on_two_mebibytes(|| {
        let deepest = usize::try_from(ReadOptions::default().max_depth).expect("a small number");
        let bytes = nested(deepest).write().expect("it can be written");
        let file = File::read(&bytes).expect("it is read");
        let copy = file.clone();
        assert!(copy == file);
        assert!(copy.same_spelling(&file));
        assert!(format!("{copy:?}").matches("inner").count() + 1 == deepest);
        assert!(copy.write().expect("it is written") == bytes);
        drop(copy);
        let owned = file.into_owned();
        assert!(owned == File::read_owned(&bytes).expect("it is read"));
    });
}

#[test]
fn nested_beyond_the_limit() {
    on_two_mebibytes(|| {
        let limit = ReadOptions::default().max_depth;
        let levels = usize::try_from(limit).expect("a small number") + 1;
        let options = ReadOptions::default().max_depth(limit + 10);
        let bytes = match nested(levels).write() {
            Ok(bytes) => bytes,
            // The writer may have the same limit.
            Err(error) => {
                assert!(error.to_string().contains("deep"), "{error}");
                return;
            }
        };
        let error = File::read(&bytes).expect_err("too deep");
        assert!(matches!(error.kind(), ReadErrorKind::DepthLimit { .. }), "{error}");
        assert!(File::read_with(&bytes, &options).is_ok());
    });
}
