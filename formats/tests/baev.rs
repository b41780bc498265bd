//! An archive of animation events that is built from nothing.

#[allow(dead_code)]
#[path = "../examples/build_baev.rs"]
mod build_baev;

use build_baev::walk;
use formwork_formats::baev::{File, Parameter, ParameterText};

#[test]
fn the_example_reads_back() {
    let bytes = walk().write().expect("the example can be written");
    let file = File::read(&bytes).expect("it was just written");
    assert_eq!(file, walk());
    assert!(file.same_spelling(&walk()), "nothing in it is unusual");
    assert_eq!(file.write().expect("it was just read"), bytes);
}

/// A pointer of 0 leads to no text, and not to the magic number that stands there.
#[test]
fn texts_may_be_absent() {
    let mut file = walk();
    let events = &mut file.archive.nodes.items[0].events.items;
    let sound = events.iter_mut().find(|event| event.name.as_deref() == Some("Sound"));
    sound.expect("there is one").triggers.items[0].params.items =
        vec![ParameterText::default().into()];
    let bytes = file.write().expect("a text may be absent");
    let read = File::read(&bytes).expect("it was just written");
    assert_eq!(read, file);
    let events = &read.archive.nodes.items[0].events.items;
    let texts = events.iter().flat_map(|event| &event.triggers.items).map(|record| {
        let [Parameter::Text(text)] = &record.params.items[..] else { return Some("no text") };
        text.value.as_deref()
    });
    assert_eq!(texts.collect::<Vec<_>>(), [None, Some("Right")]);
    assert_eq!(read.write().expect("it was just read"), bytes);
}

#[test]
fn events_may_have_no_name() {
    let mut file = walk();
    file.archive.nodes.items[0].events.items.truncate(1);
    file.archive.nodes.items[0].events.items[0].name = None;
    let bytes = file.write().expect("a name may be absent");
    let read = File::read(&bytes).expect("it was just written");
    assert_eq!(read, file);
    assert_eq!(read.archive.nodes.items[0].events.items[0].name, None);
    assert_eq!(read.write().expect("it was just read"), bytes);
}
