//! Elements are inserted, removed and moved in every array that something refers to, or that describes
//! something: all references mean what they meant, elements are of what they were of, and what is
//! written is read as it was meant.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use arbitrary::Unstructured;
use formwork::{EditError, ReadOptions};
use formwork_interpreter::{Edit, EditFailure, Program, Source, Stored, Value, edit, read, write};
use formwork_properties::follow::{self, Outcome};
use formwork_tests::golden::features;
use formwork_tests::{archives, flows, graphs, laws, programs, resources, samples, trees};

/// Edits of each schema, unless `FORMWORK_EDITS` says another number.
const EDITS: usize = 300;

/// Largest sample whose edits are tried, in bytes, so that the test stays short.
const LARGEST: u64 = 40_000;

fn edits() -> usize {
    let said = std::env::var("FORMWORK_EDITS").ok().and_then(|number| number.parse().ok());
    said.unwrap_or(EDITS)
}

/// Bytes that choose, from a number: those of a generator whose steps are those of SplitMix64.
fn choices(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let word = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    std::iter::repeat_with(word).take(8).flat_map(u64::to_le_bytes).collect()
}

/// What came of the edits of one schema.
#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<Outcome, usize>,
    rows: BTreeMap<(u32, u32), usize>,
    broken: Vec<String>,
}

/// Edits values of a schema; several in a row, so that later ones meet what earlier ones made.
///
/// Every other edit is one of a value that has met the row which was met least: few files have some
/// references.
fn tried(name: &str, program: &Program, values: &[Value]) -> Tally {
    let mut tally = Tally::default();
    let with: Vec<&Value> = values
        .iter()
        .filter(|value| {
            let bytes = choices(0);
            matches!(follow::check(program, value, &mut Unstructured::new(&bytes)), Ok(Some(_)))
        })
        .collect();
    let mut met: BTreeMap<(u32, u32), BTreeSet<usize>> = BTreeMap::new();
    let mut seed = 1_u64;
    while !with.is_empty() && tally.outcomes.values().sum::<usize>() < edits() {
        seed += 1;
        let turn = usize::try_from(seed / 2).unwrap_or_default();
        let least = tally.rows.iter().min_by_key(|(_, times)| **times).map(|(row, _)| *row);
        let rare = least.filter(|_| seed.is_multiple_of(2)).and_then(|row| met.get(&row));
        let at = match rare {
            Some(those) => those.iter().copied().nth(turn % those.len()).unwrap_or_default(),
            None => turn % with.len(),
        };
        let bytes = choices(seed);
        match follow::check(program, with[at], &mut Unstructured::new(&bytes)) {
            Ok(Some(tried)) => {
                *tally.outcomes.entry(tried.outcome).or_default() += 1;
                for (record, row) in tried.rows {
                    *tally.rows.entry((record.0, row.0)).or_default() += 1;
                    met.entry((record.0, row.0)).or_default().insert(at);
                }
            }
            Ok(None) => {}
            Err(broken) => {
                tally.broken.push(format!("{name}, seed {seed}: {broken}"));
                *tally.outcomes.entry(Outcome::Kept).or_default() += 1;
            }
        }
    }
    tally
}

/// Rows with references that no value leads from.
fn untouched(program: &Program, tally: &Tally) -> Vec<String> {
    let rows = follow::rows(program).into_iter();
    let left = rows.filter(|(record, row)| !tally.rows.contains_key(&(record.0, row.0)));
    let named = left.map(|(record, row)| {
        let record = &program.model().records[record.index()];
        let row = record.rows[row.index()].name.as_deref().unwrap_or("?");
        format!("{}.{row}", record.name)
    });
    named.collect()
}

/// Says what came of a schema, and fails for what does not hold.
fn report(name: &str, program: &Program, tally: &Tally) {
    let least = tally.rows.values().min().unwrap_or(&0);
    let untouched = untouched(program, tally);
    println!(
        "{name}: {:?}; each row {least} times or more; not met: {untouched:?}",
        tally.outcomes
    );
    assert!(tally.broken.is_empty(), "{}", tally.broken.join("\n"));
    assert!(tally.outcomes.contains_key(&Outcome::Held) || tally.rows.is_empty(), "{name}");
}

/// Values of the samples of a format.
fn sampled(program: &Program, folder: &str) -> Vec<Value> {
    let extensions: Vec<&str> = program.model().extensions.iter().map(String::as_str).collect();
    let mut files = samples::files(folder, &extensions).unwrap_or_default();
    files.retain(|path| path.metadata().is_ok_and(|file| file.len() <= LARGEST));
    files.iter().filter_map(|path| laws::value_of(program, &fs::read(path).ok()?).ok()).collect()
}

#[test]
fn of_every_feature() {
    let folder = samples::workspace().join("tests/golden");
    let mut schemas = 0;
    for feature in features(&folder).expect("the features can be read") {
        let name = feature.schema.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let program = programs::from_file(&feature.schema).expect("the schema is clean");
        let values: Vec<Value> = feature
            .files
            .iter()
            .filter_map(|file| {
                formwork_interpreter::read(&program, &file.bytes, &file.options)
                    .ok()
                    .map(|document| document.value())
            })
            .collect();
        let tally = tried(&name, &program, &values);
        assert_eq!(untouched(&program, &tally), [""; 0], "{name}");
        if tally.outcomes.is_empty() {
            continue;
        }
        report(&name, &program, &tally);
        assert!(tally.outcomes.contains_key(&Outcome::Held), "{name}");
        schemas += 1;
    }
    assert!(schemas >= 40, "{schemas}");
}

#[test]
fn of_event_flows() {
    let program = programs::evfl();
    let mut values: Vec<Value> = flows::all().into_iter().map(|(_, value)| value).collect();
    values.extend(sampled(program, "evfl").into_iter().take(30));
    let tally = tried("evfl", program, &values);
    report("evfl", program, &tally);
    // What we write ourselves does not have every reference.
    if samples::samples().is_some() {
        assert_eq!(untouched(program, &tally), [""; 0]);
    }
}

#[test]
fn of_archives() {
    let program = programs::baev();
    let values: Vec<Value> = archives::all().into_iter().map(|(_, made)| made.value()).collect();
    let tally = tried("baev", program, &values);
    report("baev", program, &tally);
    assert_eq!(untouched(program, &tally), [""; 0]);
}

#[test]
fn of_trees_of_values() {
    let program = programs::esf();
    let mut values: Vec<Value> = trees::all().into_iter().map(|(_, value)| value).collect();
    values.extend(sampled(program, "esf").into_iter().take(10));
    let tally = tried("esf", program, &values);
    report("esf", program, &tally);
    // What we write ourselves does not have every reference.
    if samples::samples().is_some() {
        assert_eq!(untouched(program, &tally), [""; 0]);
    }
}

#[test]
fn of_graphs() {
    let program = programs::ainb();
    let mut values: Vec<Value> = graphs::all().into_iter().map(|(_, value)| value).collect();
    values.extend(sampled(program, "ainb").into_iter().take(10));
    let tally = tried("ainb", program, &values);
    report("ainb", program, &tally);
    // Its elements are those of the nodes.
    assert_eq!(untouched(program, &tally), ["File.attachment_uses"]);
}

#[test]
fn of_resources() {
    let program = programs::bfres();
    // With what they leave out.
    let whole = |value| {
        let bytes = write(program, value).expect("it can be written");
        laws::value_of(program, &bytes).expect("it can be read")
    };
    let mut values: Vec<Value> = resources::all().iter().map(|(_, value)| whole(value)).collect();
    values.extend(sampled(program, "bfres"));
    let tally = tried("bfres", program, &values);
    report("bfres", program, &tally);
    assert_eq!(untouched(program, &tally), [""; 0]);
}

/// References in slices of a shared table, one that usually follows from others, and one into the
/// table itself.
const SHARED: &str = r#"
module shared root=File endian=little
struct File {
    u8    count
    u8    uses_count
    u8    word_count
    Node  nodes    count=count
    u8    uses     count=uses_count  from="nodes.uses"  ref=words
    u8    words    count=word_count
    u8    in_uses  ref=uses none=0xff
    u8    first    ref=words usually="count(nodes) > 2 ? 1 : 0"
}
struct Node 0x02 {
    u8     base       0x00
    u8     use_count  0x01
    slice  uses  of=File.uses base=base count=use_count
}
"#;

#[test]
fn of_shared_tables_and_what_usually_follows() {
    let program = programs::from_text("shared.kdl", SHARED, None).expect("it is clean");
    let bytes = [2, 3, 2, 0, 2, 2, 1, 1, 0, 1, 0x61, 0x62, 0xff, 1];
    let value = laws::value_of(&program, &bytes).expect("it is a file");
    let tally = tried("shared", &program, std::slice::from_ref(&value));
    report("shared", &program, &tally);
    // The word that it has instead of the first one is the same afterwards.
    let mut changed = value.clone();
    let word = Value::Int(0x63);
    let insert = Edit::Insert(Source::Value(&word));
    edit(&program, &mut changed, "words[0]", insert).expect("nothing keeps it");
    let written = write(&program, &changed).expect("it can be written");
    assert_eq!(written, [2, 3, 3, 0, 2, 2, 1, 2, 1, 2, 0x63, 0x61, 0x62, 0xff, 2]);
}

/// Where elements of a shared table come to be follows from those who have slices of it.
#[test]
fn into_shared_tables() {
    let program = programs::from_text("shared.kdl", SHARED, None).expect("it is clean");
    // The second element of the first node.
    let bytes = [2, 3, 2, 0, 2, 2, 1, 1, 0, 1, 0x61, 0x62, 1, 1];
    let value = laws::value_of(&program, &bytes).expect("it is a file");
    let done = |path: &str, edit_by: Edit<'_>| {
        let mut changed = value.clone();
        let done = edit(&program, &mut changed, path, edit_by);
        assert!(done.is_ok() || changed.same_spelling(&value));
        done.map(|()| write(&program, &changed).expect("it can be written"))
    };
    let zero = Value::Int(0);
    let insert = || Edit::Insert(Source::Value(&zero));
    let node = |uses: &str| format!(r#"{{ "uses": {uses} }}"#);
    // In front of it, behind it, and at the end of the slice, where those of others begin.
    let first = [2, 4, 2, 0, 3, 3, 1, 0, 1, 0, 1, 0x61, 0x62, 2, 1];
    assert_eq!(done("nodes[0].uses[0]", insert()).as_deref(), Ok(&first[..]));
    let last = [2, 4, 2, 0, 3, 3, 1, 1, 0, 0, 1, 0x61, 0x62, 1, 1];
    assert_eq!(done("nodes[0].uses", insert()).as_deref(), Ok(&last[..]));
    // Nodes with all that they have.
    let new = node("[1, 1]");
    let node_before = [3, 5, 2, 0, 2, 2, 2, 4, 1, 1, 1, 1, 0, 1, 0x61, 0x62, 3, 1];
    let insert_node = Edit::Insert(Source::Json(&new));
    assert_eq!(done("nodes[0]", insert_node).as_deref(), Ok(&node_before[..]));
    let moved = [2, 3, 2, 0, 1, 1, 2, 1, 1, 0, 0x61, 0x62, 2, 1];
    assert_eq!(done("nodes[0]", Edit::Move(1)).as_deref(), Ok(&moved[..]));
    let swapped = [2, 3, 2, 0, 2, 2, 1, 0, 1, 1, 0x61, 0x62, 0, 1];
    assert_eq!(done("nodes[0].uses[1]", Edit::Move(0)).as_deref(), Ok(&swapped[..]));
    // What is gone nobody may refer to; something may stand for it.
    let removed = [2, 2, 2, 0, 1, 1, 1, 0, 1, 0x61, 0x62, 0, 1];
    assert_eq!(done("nodes[0].uses[0]", Edit::Remove(None)).as_deref(), Ok(&removed[..]));
    let instead = [2, 2, 2, 0, 1, 1, 1, 1, 1, 0x61, 0x62, 0, 1];
    assert_eq!(done("nodes[0].uses[1]", Edit::Remove(Some(0))).as_deref(), Ok(&instead[..]));
    for path in ["nodes[0].uses[1]", "nodes[0]"] {
        let refused = done(path, Edit::Remove(None));
        let Err(EditFailure::Edit(EditError::StillReferenced { paths })) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(paths.iter().map(ToString::to_string).collect::<Vec<_>>(), ["in_uses"]);
    }
    // The second node has nothing that is referred to.
    let without = [1, 2, 2, 0, 2, 1, 0, 0x61, 0x62, 1, 1];
    assert_eq!(done("nodes[1]", Edit::Remove(None)).as_deref(), Ok(&without[..]));
}

/// A value is taken where a JSON text of it is, and the value that is edited stays as it was otherwise.
#[test]
fn values_of_another_type() {
    const TEXT: &str = r#"
module typed root=File endian=little
struct File { u8 count; Item items count=count; when "count > 2" { u8 more }; u8 best ref=items none=0xff }
struct Item { u16 size min=1; union data tag=u8 { case none 0; case text 1 { Name name } } }
string Name length=u8
"#;
    let program = programs::from_text("typed.kdl", TEXT, None).expect("it is clean");
    let bytes = [2, 1, 0, 0, 2, 0, 1, 1, 0x61, 1];
    let value = laws::value_of(&program, &bytes).expect("it is a file");
    let done = |path: &str, action: Edit<'_>| {
        let mut changed = value.clone();
        let done = edit(&program, &mut changed, path, action);
        assert!(done.is_ok() || changed.same_spelling(&value), "{path}");
        done.map(|()| changed).map_err(|error| error.to_string())
    };
    let item = |size: Value| {
        let data = Value::of_case("text", [("name", "b".into())]);
        Value::of_struct([("size", size), ("data", data)])
    };
    let wrong = [
        ("items[0].size", Value::from("a"), "expected an integer, found a text, in items[0].size"),
        ("items[0].size", 0x1_0000.into(), "65536 does not fit `u16`, in items[0].size"),
        ("items[0].size", Value::None, "it must be there, and is not, in items[0].size"),
        (
            "items[1].data",
            Value::of_case("other", [("name", Value::from("b"))]),
            "there is no case `other` here, in items[1].data",
        ),
        (
            "items[1].data.name",
            7.into(),
            "expected a text, found an integer, in items[1].data.name",
        ),
        (
            "items[1]",
            Value::of_struct([("size", Value::from(1))]),
            "it must be there, and is not, in items[1].data",
        ),
        (
            "items[1]",
            item(Value::from(true)),
            "expected an integer, found a truth value, in items[1].size",
        ),
        ("items", Value::from(7), "expected an array, found an integer, in items"),
        ("more", Value::from("a"), "expected an integer, found a text, in more"),
    ];
    for (path, new, words) in &wrong {
        let error = done(path, Edit::Set(Source::Value(new))).expect_err(path);
        assert_eq!(error, *words, "{path}");
    }
    for (path, place) in [("items", "items[2]"), ("items[0]", "items[0]"), ("items[2]", "items[2]")]
    {
        let error = done(path, Edit::Insert(Source::Value(&7.into()))).expect_err(path);
        assert_eq!(error, format!("expected a struct, found an integer, in {place}"));
        let new = item(Value::from("a"));
        let error = done(path, Edit::Insert(Source::Value(&new))).expect_err(path);
        assert_eq!(error, format!("expected an integer, found a text, in {place}.size"));
        let inserted = done(path, Edit::Insert(Source::Value(&item(1.into())))).expect("it is one");
        assert_eq!(inserted.get("items").and_then(Value::elements).map(<[_]>::len), Some(3));
    }
    // What follows elsewhere, and rules, are for writing: more edits may come.
    assert!(done("items[0].size", Edit::Set(Source::Value(&0.into()))).is_ok());
    assert!(done("best", Edit::Set(Source::Value(&7.into()))).is_ok());
    assert!(done("more", Edit::Set(Source::Value(&7.into()))).is_ok());
}

/// A reference into a table whose order follows from a field of those who have slices of it.
const SORTED: &str = r#"
module sorted root=File endian=little
struct File {
    u8     count
    u8     item_count
    Group  groups  count=count
    u8     items   count=item_count  from="groups.items by rank"
    u8     best    ref=items none=0xff
    u8     others  ref=items count=2
}
struct Group 0x03 {
    u8     rank   0x00
    u8     base   0x01
    u8     size   0x02
    slice  items  of=File.items base=base count=size
}
"#;

#[test]
fn into_a_table_that_is_sorted_anew() {
    let program = programs::from_text("sorted.kdl", SORTED, None).expect("it is clean");
    let bytes = [2, 3, 1, 0, 2, 2, 2, 1, 7, 8, 9, 1, 2, 0];
    let value = laws::value_of(&program, &bytes).expect("it is a file");
    let done = |path: &str, json: &str| {
        let mut changed = value.clone();
        let done = edit(&program, &mut changed, path, Edit::Set(Source::Json(json)));
        assert!(done.is_ok() || changed.same_spelling(&value));
        done.map(|()| write(&program, &changed).expect("it can be written"))
    };
    // The second group comes before the first one.
    let sorted = [2, 3, 1, 1, 2, 0, 0, 1, 9, 7, 8, 2, 0, 1];
    assert_eq!(done("groups[1].rank", "0").as_deref(), Ok(&sorted[..]));
    let same = [2, 3, 1, 0, 2, 3, 2, 1, 7, 8, 9, 1, 2, 0];
    assert_eq!(done("groups[1].rank", "3").as_deref(), Ok(&same[..]));
    // What is set itself is what was asked for, and the others stay.
    let other = [2, 3, 1, 0, 2, 2, 2, 1, 7, 8, 9, 0, 2, 0];
    assert_eq!(done("best", "0").as_deref(), Ok(&other[..]));
    // A longer slice comes before other elements.
    let longer = [2, 4, 1, 0, 3, 2, 3, 1, 7, 8, 6, 9, 1, 3, 0];
    assert_eq!(done("groups[0].items", "[7, 8, 6]").as_deref(), Ok(&longer[..]));
    // Nobody has the element that is referred to any more.
    match done("groups[0].items", "[7]") {
        Err(EditFailure::Edit(EditError::Follows { paths })) => {
            assert_eq!(paths.iter().map(ToString::to_string).collect::<Vec<_>>(), ["best"]);
        }
        other => panic!("{other:?}"),
    }
}

/// A table whose elements are nothing but bytes in one layout, and own something in the other.
const LATER: &str = r#"module m "Elements of nobody" root=File endian=little
pointer * u8 none=0
epoch version from=File.version
struct File { u8 version max=3; u8 many; Group groups count=many; u8 size; Item items count=size from="groups.items" }
struct Group { u8 first; u8 count; slice items of=File.items base=first count=count }
struct Item 0x02 0x02 { columns "<2" ">=2"; u8 a 0x00 0x00; u8 b 0x01 -; *?u8 c - 0x01 }"#;

#[test]
fn elements_of_nobody_stay_only_where_their_bytes_mean_something() {
    let program = programs::from_text("later.kdl", LATER, None).expect("it is clean");
    let bytes = [1, 1, 1, 1, 2, 5, 6, 7, 8];
    let value = laws::value_of(&program, &bytes).expect("it is a file");
    assert_eq!(write(&program, &value).expect("it can be written"), bytes);
    let set = |path: &str, number: i128| {
        let (mut changed, number) = (value.clone(), Value::Int(number));
        edit(&program, &mut changed, path, Edit::Set(Source::Value(&number))).expect("it is one");
        write(&program, &changed)
    };
    // In the same layout they are kept.
    assert_eq!(set("version", 0).expect("it can be written"), [0, 1, 1, 1, 2, 5, 6, 7, 8]);
    // In the other one a byte of them would be an address, and nobody knows of what.
    let mut nobody = laws::value_of(&program, &[1, 0, 1, 5, 6]).expect("it is a file");
    let version = Value::Int(2);
    edit(&program, &mut nobody, "version", Edit::Set(Source::Value(&version))).expect("it is one");
    let written = write(&program, &nobody).expect("it can be written");
    assert_eq!(written, [2, 0, 0]);
    laws::value_of(&program, &written).expect("what is written is read");
}

/// Numbers of groups, one behind the other, and the addresses of all of them.
const ADDRESSES: &str = r#"module m "Addresses" root=File endian=little
struct File { u32 groups_n; u32 patches_n; Group groups count=groups_n; Patch patches count=patches_n }
struct Group { u32 n; i32 numbers count=n }
struct Patch {
    u32         offset  usually="at(File.groups[group].numbers[number])"
    value ?u32  group   ref=File.groups seen="index(first(File.groups where any(it.numbers where at(it) == Patch.offset)))"
    value ?u32  number  ref="File.groups[group].numbers" seen="index(first(File.groups[group].numbers where at(it) == Patch.offset))"
}"#;

/// The budget is a multiple of the size of a file: if each address were looked for among all numbers,
/// or all of a group, these files could not be read.
#[test]
fn many_addresses_of_rows_are_found_in_a_table() {
    let program = programs::from_text("m.kdl", ADDRESSES, None).expect("the schema is clean");
    for (groups, numbers) in [(5000_u32, 1_u32), (1, 5000), (70, 70)] {
        let mut bytes: Vec<u8> = [groups, groups * numbers].map(u32::to_le_bytes).concat();
        let mut addresses = Vec::new();
        for _ in 0..groups {
            bytes.extend(numbers.to_le_bytes());
            for number in 0..numbers {
                addresses.push(u32::try_from(bytes.len()).expect("the file is small"));
                bytes.extend(number.to_le_bytes());
            }
        }
        bytes.extend(addresses.iter().flat_map(|at| at.to_le_bytes()));
        let document = formwork_interpreter::read(&program, &bytes, &ReadOptions::default())
            .unwrap_or_else(|error| panic!("{groups} groups of {numbers}: {error}"));
        let value = document.value();
        let path = format!("patches[{}]", addresses.len() - 1);
        let last = value.at_path(&path).expect("it is there");
        let of = |row| last.get(row).cloned();
        let indices = [groups - 1, numbers - 1].map(|index| Some(Value::Int(index.into())));
        assert_eq!([of("group"), of("number")], indices);
        assert!(write(&program, &value).is_ok_and(|again| again == bytes), "the same bytes");
    }
}

/// Fields that are named as the cases that they are in.
const ALIKE: &str = r#"module alike root=File endian=little
struct File  { Item items count=fill }
union Item tag=u8 { case list 1 { Inner list }; case plain 2 { u8 list } }
struct Inner { u8 count; u8 list count=count }"#;

#[test]
fn paths_lead_to_fields_that_are_named_as_their_cases() {
    let program = programs::from_text("alike.kdl", ALIKE, None).expect("it is clean");
    let bytes = [1, 2, 7, 8, 2, 9];
    let value = laws::value_of(&program, &bytes).expect("it is a file");
    let done = |path: &str, json: &str| {
        let mut changed = value.clone();
        edit(&program, &mut changed, path, Edit::Set(Source::Json(json)))?;
        Ok::<_, EditFailure>(write(&program, &changed).expect("it can be written"))
    };
    // As listings have it, with the name of the case, and as in JSON, where the case has that, too.
    for path in ["items[0].list.list[1]", "items[0].list.list.list[1]"] {
        assert_eq!(done(path, "5").as_deref().ok(), Some(&[1, 2, 7, 5, 2, 9][..]), "{path}");
    }
    for path in ["items[1].list", "items[1].plain.list"] {
        assert_eq!(done(path, "5").as_deref().ok(), Some(&[1, 2, 7, 8, 2, 5][..]), "{path}");
    }
    let longer = Some(&[1, 3, 1, 2, 3, 2, 9][..]);
    assert_eq!(done("items[0].list.list.list", "[1, 2, 3]").as_deref().ok(), longer);
    // Where both lead somewhere it is what listings have there, and the name of the module may stand
    // before it.
    for path in ["items[0].list.list", "alike.items[0].list.list", "file.items[0].list.list"] {
        assert_eq!(done(path, "[1, 2, 3]").as_deref().ok(), longer, "{path}");
    }
    for path in ["items[0].list.list.list.list", "items[1].list.list", "items[0].list.list[2]"] {
        assert!(done(path, "5").is_err(), "{path}");
    }
    // However often a name stands there.
    assert!(done(&format!("items[0]{}", ".list".repeat(10_000)), "5").is_err());
}

/// A union with a value of its own, a struct without a name, and structs that stand for a row.
const STEPS: &str = r#"module steps root=File endian=little
struct File  { u8 count; Item items count=count; Only only; Rest }
union Item tag=u8 { value u8 size seen=5; case note 1 { u8 key }; case size 2 { u8 other } }
union Plain tag=u8 { case one 1 { Only of }; case two 2 { u8 one } }
struct Only transparent { u8 sole }
struct Rest { Plain plain; u8 inner }"#;

#[test]
fn a_path_leads_to_the_same_wherever_it_is_taken() {
    let program = programs::from_text("steps.kdl", STEPS, None).expect("it is clean");
    let bytes: [u8; 9] = [2, 1, 11, 2, 21, 30, 1, 40, 50];
    let options = ReadOptions::default();
    let document = read(&program, &bytes, &options).expect("it is a file");
    let value = document.value();
    // What it leads to, where that is in the file, and whether values have a step for each of it.
    let paths = [
        ("items[0].key", 2, true),
        ("items[0].case.key", 2, true),
        ("items[0].case.note.key", 2, true),
        ("items[0].note.key", 2, true),
        ("items[1].other", 4, true),
        ("items[1].size.other", 4, true),
        ("items[1].case.size.other", 4, true),
        ("only", 5, true),
        ("only.sole", 5, false),
        ("plain.of", 7, true),
        ("plain.of.sole", 7, false),
        ("plain.one.of", 7, true),
        ("inner", 8, true),
    ];
    for (path, at, in_value) in paths {
        let number = i128::from(bytes[at]);
        assert_eq!(document.stored(path), Some(Stored::Int(number)), "{path}");
        let there = in_value.then_some(number);
        assert_eq!(value.at_path(path).and_then(Value::as_int), there, "{path}");
        let mut changed = value.clone();
        if let Some(place) = changed.at_path_mut(path) {
            *place = 9.into();
        }
        let mut edited = value.clone();
        edit(&program, &mut edited, path, Edit::Set(Source::Json("9"))).expect(path);
        let mut wanted = bytes;
        wanted[at] = 9;
        for changed in [Some(edited), in_value.then_some(changed)].into_iter().flatten() {
            assert_eq!(write(&program, &changed).expect(path), wanted, "{path}");
        }
    }
    // A field with the name of the case.
    assert_eq!(document.stored("items[1].size"), Some(Stored::Int(5)));
    assert_eq!(value.at_path("items[1].size").and_then(Value::as_int), Some(5));
    for path in ["items[0].other", "items[0].size.key", "items[1].note.other", "plain.two.of"] {
        assert_eq!(document.stored(path), None, "{path}");
        assert_eq!(value.at_path(path), None, "{path}");
        let mut edited = value.clone();
        assert!(edit(&program, &mut edited, path, Edit::Set(Source::Json("9"))).is_err(), "{path}");
    }
}

/// Slices that may have elements in common, which refer to elements of the table.
const IN_COMMON: &str = r#"module m "In common" root=File endian=little
string Name length=until-nul
pointer Label u8 to=Name in=File.pool.names none=0
struct File {
    u8 group_count
    u8 member_count
    u8 pool_at
    Group groups count=group_count
    Member members count=member_count from="groups.members"
    object Pool pool at=pool_at
}
struct Group { u8 base; u8 count; slice members of=File.members base=base count=count }
struct Member { u8 w; Label name; u8 next ref=File.members none=0xff }
struct Pool { pool names of=Name }"#;

#[test]
fn an_edit_in_a_slice_is_one_of_the_elements_that_the_slice_has() {
    let alone = IN_COMMON.replace("Label name; ", "");
    for (text, name) in [(IN_COMMON, &[16_u8][..]), (&alone, &[][..])] {
        let program = programs::from_text("m.kdl", text, None).expect("the schema is clean");
        // Of three groups, the first two have the first element in common.
        let groups = [[0, 1], [0, 1], [1, 1]].as_flattened();
        let at = u8::try_from(3 + 6 + 2 * (2 + name.len())).expect("it is a small file");
        let name: Vec<u8> = name.iter().map(|_| at).collect();
        let bytes = [&[3, 2, at], groups, &[10], &name, &[0], &[11], &name, &[0xff], b"a\0"];
        let bytes = bytes.concat();
        let value = laws::value_of(&program, &bytes).expect("it is a file");
        for group in 0..3 {
            let path = format!("groups[{group}].members[0].w");
            let mut edited = value.clone();
            edit(&program, &mut edited, &path, Edit::Set(Source::Json("99"))).expect(&path);
            let mut wanted = value.clone();
            *wanted.at_path_mut(&path).expect("it is there") = 99.into();
            let written = write(&program, &edited).expect("it can be written");
            assert_eq!(Ok(&written), write(&program, &wanted).as_ref(), "{path}");
            let again = laws::value_of(&program, &written).expect("it is a file");
            for other in 0..3 {
                let path = format!("groups[{other}].members[0].w");
                let expected = if other == group { 99 } else { i128::from(10 + other / 2) };
                assert_eq!(again.at_path(&path).and_then(Value::as_int), Some(expected), "{path}");
            }
        }
    }
}

/// Two elements have the key by which something refers to the first of them.
#[test]
fn by_a_key_that_another_element_has() {
    const TEXT: &str = "module m root=File endian=little\n\
                        struct File { u8 n; u8 start ref=items.key; Item items count=n }\n\
                        struct Item { u8 key; u8 what }";
    let program = programs::from_text("m.kdl", TEXT, None).expect("it is clean");
    let done = |bytes: &[u8], path: &str, edit_by: Edit<'_>| {
        let value = laws::value_of(&program, bytes).expect("it is a file");
        let mut changed = value.clone();
        let done = edit(&program, &mut changed, path, edit_by);
        assert!(done.is_ok() || changed.same_spelling(&value));
        done.map(|()| write(&program, &changed).expect("it can be written"))
            .map_err(|error| error.to_string())
    };
    let bytes = [3, 7, 1, 4, 7, 1, 7, 2];
    let held = Err("something still refers to it: start".to_owned());
    assert_eq!(done(&bytes, "items[1]", Edit::Remove(None)), held);
    assert_eq!(done(&bytes, "items[1]", Edit::Remove(Some(0))), Ok(vec![2, 1, 1, 4, 7, 2]));
    let moved = done(&bytes, "items[1]", Edit::Move(2)).expect_err("another one would be meant");
    assert!(moved.contains("items[2].key"), "{moved}");
    let nine = Value::Int(9);
    let renamed = done(&bytes, "items[1].key", Edit::Rename(Source::Value(&nine)));
    assert_eq!(renamed, Ok(vec![3, 9, 1, 4, 9, 1, 7, 2]));
    assert!(done(&bytes, "items[1].key", Edit::Set(Source::Value(&nine))).is_err());
    // The other one is nobody's.
    assert_eq!(done(&bytes, "items[2]", Edit::Remove(None)), Ok(vec![2, 7, 1, 4, 7, 1]));
    assert_eq!(done(&bytes, "items[2]", Edit::Move(0)).ok(), None);
    let other = done(&bytes, "items[2].key", Edit::Rename(Source::Value(&nine)));
    assert_eq!(other, Ok(vec![3, 7, 1, 4, 7, 1, 9, 2]));
    // Which of two that say the same is meant does not matter.
    let same = [3, 7, 1, 4, 7, 1, 7, 1];
    assert_eq!(done(&same, "items[1]", Edit::Remove(None)), Ok(vec![2, 7, 1, 4, 7, 1]));
    assert_eq!(done(&same, "items[1]", Edit::Move(2)), Ok(same.to_vec()));
}
