//! Byte orders that conditions decide: whatever a struct holds, it is read and written in the same
//! order, and where no condition decides one, what reads a file and what writes it refuse the same.

use formwork::ReadOptions;
use formwork_interpreter::{Program, Value, read, write};
use formwork_tests::{laws, programs, value_text};

/// What may stand in a struct: its rows, and what the schema has for them.
const ROWS: [(&str, &str); 24] = [
    ("u16 x", ""),
    ("u8 x", ""),
    ("f32 x", ""),
    ("u16 x none=0", ""),
    ("u16be x", ""),
    ("Kind x", "enum Kind u16 { one 1 }"),
    ("Word x", "bits Word u16 { u4 low 0 3; i5 middle 4 8; bool high 15 }"),
    ("Word x count=2", "flags Word u16 { bool low 0; bool high 15 }"),
    ("u16 x count=0", ""),
    ("u8 n; u16 x count=n", ""),
    ("u8 n; u16 x count=fill size=\"2 * n\"", ""),
    ("u8 n; u24 x count=n stride=4", ""),
    ("u8 n; text x count=n encoding=utf16", ""),
    ("text x size=4 encoding=utf32", ""),
    ("Text x", "string Text length=u16"),
    ("Text x count=2", "string Text length=u8 encoding=utf16"),
    ("Choice x", "union Choice tag=u16 { case zero 0 { u8 a }; case one 1 { u16 a } }"),
    ("Choice x", "union Choice tag=u8 { case zero 0 { u8 a }; case one 1 { u16 a } }"),
    ("Inner x", "struct Inner { u8 a; u32 b }"),
    ("Inner x count=2", "struct Inner 0x04 { u16 a 0x00; u16 b 0x02 }"),
    ("Told<0> x", "struct Told<n> { i64 a count=n }"),
    ("u16 at; object u16 x at=at", ""),
    ("u8 n; u16 x size=\"2 * n\" strip=\"00\" count=fill", ""),
    ("u16 n is=\"count(x)\"; u8 x count=n", ""),
];

/// Where that stands, and where the number is that decides.
const PLACES: [(&str, &str, &[&str]); 6] = [
    ("struct File { endian { ORDER }; u8 order; ROWS }", "", &["order"]),
    (
        "struct File { Part part }",
        "struct Part { endian { ORDER }; u8 order; ROWS }",
        &["part", "order"],
    ),
    ("struct File { endian { ORDER }; u8 order; Part part }", "struct Part { ROWS }", &["order"]),
    (
        "struct File { endian { ORDER }; u8 order; Part parts count=2 }",
        "struct Part { ROWS }",
        &["order"],
    ),
    ("struct File { u8 order; Part part }", "struct Part { endian { PARENT }; ROWS }", &["order"]),
    (
        "struct File { endian { ORDER }; u8 order; *Part part }",
        "pointer * u8\nstruct Part { ROWS }",
        &["order"],
    ),
];

fn schema(rows: &str, more: &str, (file, part, _): (&str, &str, &[&str])) -> String {
    let order = "when \"order == 1\" little; when \"order == 2\" big; else error";
    let parent = order.replace("order ==", "parent.order ==");
    format!("module t \"Test\" root=File endian=little\n{more}\n{part}\n{file}\n")
        .replace("ORDER", order)
        .replace("PARENT", &parent)
        .replace("ROWS", rows)
}

/// The number that decides.
fn order<'v>(value: &'v mut Value, path: &[&str]) -> &'v mut Value {
    path.iter().fold(value, |value, name| value.get_mut(name).expect("the field is there"))
}

/// Bytes behind the number that decides: zeros, small numbers, and such that something is in them.
fn contents() -> Vec<Vec<u8>> {
    let mut all = vec![vec![0; 24]];
    for small in [1, 2, 3] {
        for at in 0..4 {
            let mut bytes = vec![0; 24];
            bytes[at] = small;
            all.push(bytes.clone());
            bytes[at + 1..].fill(1);
            all.push(bytes);
        }
    }
    all
}

/// Whether the file was read.
fn identical(program: &Program, bytes: &[u8]) -> Result<Option<Value>, String> {
    let Ok(document) = read(program, bytes, &ReadOptions::default()) else { return Ok(None) };
    let value = document.value();
    let written = write(program, &value).map_err(|error| format!("not written: {error}"))?;
    match laws::first_difference(bytes, &written) {
        None => Ok(Some(value)),
        Some(difference) => Err(difference.to_string()),
    }
}

/// What is read of a file whose order is decided; then the same with another number, which decides
/// nothing.
fn tried(program: &Program, path: &[&str], content: &[u8]) -> Result<(u32, u32), String> {
    let (mut read_files, mut undecided) = (0, 0);
    for number in [1, 2] {
        let bytes = [&[number], content].concat();
        let Some(mut value) = identical(program, &bytes)? else { continue };
        read_files += 1;
        for other in [1, 2, 9] {
            *order(&mut value, path) = Value::Int(other);
            let Ok(written) = write(program, &value) else {
                undecided += u32::from(other == 9);
                continue;
            };
            let again = read(program, &written, &ReadOptions::default())
                .map_err(|error| format!("from {number} to {other}: {error}"))?
                .value();
            if let Some(what) = value_text::difference(&value, &again) {
                return Err(format!("from {number} to {other}: {what}"));
            }
        }
    }
    identical(program, &[&[9], content].concat())?;
    Ok((read_files, undecided))
}

#[test]
fn readers_and_writers_agree_about_the_order() {
    let mut wrong = Vec::new();
    let (mut all, mut refused) = (0, 0);
    for (rows, more) in ROWS {
        for place in PLACES {
            let text = schema(rows, more, place);
            let program = match programs::from_text("t.kdl", &text, None) {
                Ok(program) => program,
                Err(error) => panic!("{text}\n{error}"),
            };
            let (mut read_files, mut undecided) = (0, 0);
            for content in contents() {
                match tried(&program, place.2, &content) {
                    Ok((read, other)) => {
                        read_files += read;
                        undecided += other;
                    }
                    Err(what) => wrong.push(format!("{text}{content:02x?}: {what}")),
                }
            }
            assert!(read_files > 0, "nothing is read of\n{text}");
            all += read_files;
            refused += undecided;
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong[..wrong.len().min(4)].join("\n\n")
    );
    assert!(refused > all / 3, "{refused} of {all} are refused without an order");
}
