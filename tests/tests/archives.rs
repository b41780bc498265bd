//! Archives of animation events: what the schema says against a writer that knows nothing of it.

use formwork_interpreter::Program;
use formwork_tests::archives::{self, Archive, Event, Form, Node, Parameter, Record};
use formwork_tests::laws::{self, Outcome};
use formwork_tests::programs;

fn program() -> &'static Program {
    programs::baev()
}

/// The value is what was meant, the bytes are what the other writer has, and nothing is kept.
fn check(name: &str, archive: &Archive) {
    let (bytes, value) = (archive.bytes(), archive.value());
    let read = laws::value_of(program(), &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read, value, "{name}");
    let mut kept = Vec::new();
    read.for_each_kept(&mut |spelling| kept.push(format!("{spelling:?}")));
    assert!(kept.is_empty(), "{name}: {kept:?}");
    let written =
        laws::put_get(program(), &value).unwrap_or_else(|error| panic!("{name}: {error}"));
    if let Some(difference) = laws::first_difference(&bytes, &written) {
        panic!("{name}: {difference}");
    }
    match laws::get_put(program(), &bytes) {
        Outcome::Identical => {}
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn files_of_another_writer() {
    archives::all().iter().for_each(|(name, archive)| check(name, archive));
}

/// Every number of events, records and parameters up to two, in each form.
#[test]
fn small_archives() {
    let texts = ["b", "a", ""];
    let mut checked = 0;
    for form in [Form::Later, Form::Early, Form::ByKind] {
        for shape in 0..81_usize {
            let counts = [shape % 3, shape / 3 % 3, shape / 9 % 3, shape / 27];
            let record = |number: usize| Record {
                params: (0..counts[3])
                    .map(|at| match (number + at) % 4 {
                        0 => Parameter::Text(texts[at]),
                        1 => Parameter::Int(5),
                        2 => Parameter::Vector([1.0, 2.0, 3.0]),
                        _ => Parameter::Float(0.5),
                    })
                    .collect(),
                frames: (1.0, 2.0),
            };
            let event = |number: usize| Event {
                name: texts[number],
                triggers: (0..counts[1]).map(record).collect(),
                holds: (0..counts[2]).map(|at| record(at + 1)).collect(),
                id: 1,
            };
            let events = (0..counts[0]).map(event).collect();
            let nodes = vec![Node { events, name_hash: 3, unknown: 4 }];
            let records = counts[0] * (counts[1] + counts[2]);
            // Where nothing tells, the order of the other writers is taken.
            let told = records > 1 && counts[3] > 0;
            if form == Form::ByKind && !told {
                continue;
            }
            check(
                &format!("{form:?} {counts:?}"),
                &Archive { form, groups: vec![(7, vec![0])], nodes },
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 81 * 2 + 28);
}

/// Groups are searched by their hashes.
#[test]
fn groups_in_another_order() {
    let (name, archive) = archives::all().swap_remove(0);
    let mut bytes = archive.bytes();
    assert_eq!(bytes[0x130..0x134], 0x0674_fd60_u32.to_le_bytes(), "{name}");
    bytes[0x130..0x134].copy_from_slice(&0x14b8_6a93_u32.to_le_bytes());
    let error = laws::value_of(program(), &bytes).expect_err("it is out of order");
    assert_eq!(error.offset(), 0x148);
    assert_eq!(error.path().to_string(), "archive.groups.items[1].key_hash");
}
