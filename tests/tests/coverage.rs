//! Every byte of a file is accounted for: by a row, by fill that the layout declares, or as a gap.

use std::fs;
use std::ops::ControlFlow;

use formwork::ReadOptions;
use formwork::spelling::KeptKind;
use formwork_interpreter::{Coverage, Program, WalkOptions, coverage, read};
use formwork_tests::golden::features;
use formwork_tests::{archives, programs, samples};

fn of(model: &Program, bytes: &[u8]) -> Coverage {
    coverage(model, bytes, &ReadOptions::default())
}

/// What must hold of every report.
fn check(found: &Coverage, bytes: &[u8]) -> Result<(), String> {
    if found.size != bytes.len() as u64 || found.claimed + found.fill > found.size {
        return Err(format!("the sum is wrong: {found:?}"));
    }
    let gaps: u64 = found.gaps.iter().map(|gap| gap.size).sum();
    if gaps != found.unexplained() {
        return Err(format!("gaps of {gaps} bytes, but {} unexplained", found.unexplained()));
    }
    let mut end = 0;
    for gap in &found.gaps {
        if gap.offset < end || gap.size == 0 || gap.offset + gap.size > found.size {
            return Err(format!("gap out of place: {gap:?}"));
        }
        end = gap.offset + gap.size;
        let content =
            formwork::algorithms::slice(bytes, gap.offset, gap.size).map_err(|e| e.to_string())?;
        if gap.zero != content.iter().all(|byte| *byte == 0) {
            return Err(format!("not as the bytes are: {gap:?}"));
        }
    }
    Ok(())
}

#[test]
fn sums_are_right_for_all_features() {
    let mut problems = Vec::new();
    for feature in features(&samples::workspace().join("tests/golden")).expect("features") {
        let Ok(model) = programs::from_file(&feature.schema) else { continue };
        for file in &feature.files {
            let mut add = |result: Result<(), String>| {
                if let Err(problem) = result {
                    let schema = feature.schema.display();
                    problems.push(format!("{schema}, {}: {problem}", file.name));
                }
            };
            add(check(&coverage(&model, &file.bytes, &file.options), &file.bytes));
            // Broken files are accounted for, too.
            for at in 0..file.bytes.len() {
                let mut bytes = file.bytes.clone();
                bytes[at] ^= 0x81;
                add(check(&of(&model, &bytes), &bytes));
                add(check(&of(&model, &file.bytes[..at]), &file.bytes[..at]));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems[0]);
}

/// Rows of bits, words, unions with tags of their own, slices and pools: all bytes are claimed, and
/// none twice.
#[test]
fn features_explain_their_files() {
    let mut problems = Vec::new();
    for feature in features(&samples::workspace().join("tests/golden")).expect("features") {
        let Ok(model) = programs::from_file(&feature.schema) else { continue };
        let name = feature.schema.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for file in &feature.files {
            let found = coverage(&model, &file.bytes, &file.options);
            let keeps = |kind: KeptKind| {
                read(&model, &file.bytes, &file.options).is_ok_and(|document| {
                    document.deviations().iter().any(|kept| kept.kind == kind)
                })
            };
            // Objects that lie in others are claimed twice; nothing claims the bytes between them.
            if (!found.overlaps.is_empty() && !keeps(KeptKind::Shared))
                || (found.unexplained() > 0 && !keeps(KeptKind::Gap))
            {
                let Coverage { gaps, overlaps, .. } = found;
                problems.push(format!("{name}, {}: {gaps:?} {overlaps:?}", file.name));
            }
        }
    }
    let expected = EXPLAINED_OTHERWISE;
    let found: Vec<_> =
        problems.iter().filter(|p| !expected.iter().any(|e| p.starts_with(e))).collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// Files whose report is not clean: of an array that is none, `end(items)` is the place of its
/// pointer, so the pool is looked for on top of it. Zeros in front of an object whose place is kept
/// are not kept themselves, and no rule says that they are there.
const EXPLAINED_OTHERWISE: &[&str] =
    &["dictionary_keys, none: ", "arranged_marks, turned_less: ", "arranged_too_far, "];

#[test]
fn event_flows_are_explained() {
    let Some(folder) = samples::samples() else { return };
    let entries = fs::read_dir(folder.join("evfl")).expect("the folder can be read");
    let mut count = 0;
    let mut problems = Vec::new();
    for entry in entries {
        let path = entry.expect("readable").path();
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        if !matches!(extension, "bfevfl" | "bfevtm") {
            continue;
        }
        count += 1;
        let bytes = fs::read(&path).expect("the sample can be read");
        let found = of(programs::evfl(), &bytes);
        let Coverage { claimed, fill, size, .. } = found;
        // Nothing else is in the report.
        if found != (Coverage { claimed, fill, size, ..Coverage::default() })
            || claimed + fill != size
        {
            problems.push(format!("{}: {found:?}", path.display()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(count, 51);
}

#[test]
fn graphs_are_explained() {
    let mut folders = vec![samples::workspace().join("fixtures")];
    folders.extend(samples::samples().map(|folder| folder.join("ainb")));
    let mut count = 0;
    for path in folders.iter().flat_map(|folder| fs::read_dir(folder).expect("it can be read")) {
        let path = path.expect("readable").path();
        let is_graph = path.extension().is_some_and(|extension| extension == "ainb");
        // One file has bodies of another tool that nothing leads to any more.
        if !is_graph || path.file_name().is_some_and(|n| n == "Vss_Kaisou04_66b8.logic.root.ainb") {
            continue;
        }
        count += 1;
        let bytes = fs::read(&path).expect("the file can be read");
        let size = bytes.len() as u64;
        let all = Coverage { claimed: size, size, ..Coverage::default() };
        assert_eq!(of(programs::ainb(), &bytes), all, "{}", path.display());
    }
    assert!(count >= 4, "{count} files");
}

#[test]
fn trees_are_explained() {
    let folder = samples::workspace().join("fixtures");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|extension| extension == "esf") {
            count += 1;
            let bytes = fs::read(&path).expect("the fixture can be read");
            let size = bytes.len() as u64;
            let all = Coverage { claimed: size, size, ..Coverage::default() };
            assert_eq!(of(programs::esf(), &bytes), all, "{}", path.display());
        }
    }
    assert!(count >= 9, "{count} files");
}

#[test]
fn archives_are_explained() {
    for (name, archive) in archives::all() {
        let bytes = archive.bytes();
        let found = of(programs::baev(), &bytes);
        let Coverage { claimed, fill, size, .. } = found;
        assert_eq!(found, Coverage { claimed, fill, size, ..Coverage::default() }, "{name}");
        assert_eq!(claimed + fill, size, "{name}");
    }
}

/// Files that their format's own converter made are explained to the last byte, those of other tools
/// but for what these left behind.
#[test]
fn models_are_explained() {
    let Some(files) = samples::files("bfres", &["bfres"]) else { return };
    samples::each(&files, "are explained", |bytes| {
        let found = of(programs::bfres(), bytes);
        let unexplained = found.unexplained();
        let by_rules = read(programs::bfres(), bytes, &ReadOptions::default())
            .is_ok_and(|document| document.is_canonical());
        if unexplained * 1000 > found.size || (by_rules && unexplained > 0) {
            return Err(format!("{unexplained} of {} bytes: {:?}", found.size, found.gaps));
        }
        Ok(())
    });
}

/// Offset of a field.
fn offset(model: &Program, bytes: &[u8], path: &str) -> usize {
    let document = read(model, bytes, &ReadOptions::default()).expect("it can be read");
    let mut found = None;
    let walked = document.walk(Some(path), &WalkOptions::default(), &mut |field| {
        found = field.offset;
        ControlFlow::Break(())
    });
    walked.expect("there is such a field");
    usize::try_from(found.expect("it has bytes")).expect("files are small")
}

#[test]
fn relocation_tables_are_compared() {
    let path = samples::workspace().join("fixtures/flowchart.bfevfl");
    let bytes = fs::read(path).expect("the fixture is there");
    let model = programs::evfl();
    let found = of(model, &bytes);
    assert_eq!((found.unknown_pointers.len(), found.unlisted_pointers.len()), (0, 0));
    let entry = offset(model, &bytes, "relocations.entries[0]");
    let start = u32::from_le_bytes(bytes[entry..entry + 4].try_into().expect("four bytes"));
    let mask = u32::from_le_bytes(bytes[entry + 4..entry + 8].try_into().expect("four bytes"));
    // Not the first pointers: whether they are listed says who wrote the file.
    let listed = 31 - mask.leading_zeros();
    let free = mask.trailing_ones();
    let mut other = bytes.clone();
    other[entry + 4..entry + 8]
        .copy_from_slice(&(mask ^ (1 << listed) ^ (1 << free)).to_le_bytes());
    let found = of(model, &other);
    assert_eq!(found.unknown_pointers, [u64::from(start + 8 * free)]);
    let unlisted: Vec<_> = found.unlisted_pointers.iter().map(|pointer| pointer.offset).collect();
    assert_eq!(unlisted, [u64::from(start + 8 * listed)]);
    assert!(found.unlisted_pointers[0].field.is_some());
}
