//! How much memory the engine takes, counted by the allocator: what `docs/architecture.md` states.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use formwork::{ReadErrorKind, ReadOptions};
use formwork_formats::bfres::File;
use formwork_interpreter::{Program, read};
use formwork_tests::{programs, samples};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes that a unit of the budget may take: it stands for 8, and lists take up to three times as many
/// while they grow.
const UNIT: usize = 32;

/// Bytes that are not counted: of the test itself, and of what does not depend on the file.
const SLACK: usize = 0x10000;

/// One measurement at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn program(schema: &str) -> Program {
    let module = "module sizes \"Sizes\" root=File endian=little\npointer * u32\n";
    programs::from_text("sizes.kdl", &format!("{module}{schema}"), None)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// What something takes at most, besides what there was before.
fn peak<T>(what: impl FnOnce() -> T) -> (T, usize) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let result = what();
    (result, ALLOCATOR.peak_usage().saturating_sub(before))
}

/// Reads a file and writes it again: what reading took, and writing besides.
fn read_and_written(program: &Program, bytes: &[u8]) -> (usize, usize) {
    let (document, read) = peak(|| read(program, bytes, &ReadOptions::default()));
    let document = document.unwrap_or_else(|error| panic!("{error}"));
    let (again, written) = peak(|| document.write());
    assert!(again.is_ok_and(|again| again == bytes), "the same bytes");
    (read, written)
}

#[test]
fn records_of_one_size_take_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let program = program(
        "struct File { u32 n; Record items count=n }\n\
         struct Record { u32 a; u16 b; u16 c }",
    );
    let mut bytes = 250_000_u32.to_le_bytes().to_vec();
    bytes.resize(4 + 8 * 250_000, 7);
    let (read, written) = read_and_written(&program, &bytes);
    assert!(read < SLACK, "{read}");
    assert!(written < bytes.len() + SLACK, "{written}");
}

/// Reading leaves numbers where they are; writing puts columns together before they go to the records.
#[test]
fn columns_of_numbers_take_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let program = program(
        "struct File { u32 n; u32 stride; u8 kinds count=2\n\
         Column<it,n> columns of=kinds records=n stride=stride }\n\
         union Column<kind,n> given=\"kind\" {\n\
         case words 1 { u32 values count=n }\n\
         case pairs 2 { Pair values count=n } }\n\
         struct Pair { u16 a; u8 b }",
    );
    let file = |records: u32, stride: u32| {
        let numbers = [records, stride].into_iter().flat_map(u32::to_le_bytes);
        numbers.chain([2, 1]).collect::<Vec<u8>>()
    };
    let mut bytes = file(200_000, 7);
    bytes.resize(10 + 7 * 200_000, 7);
    let (read, written) = read_and_written(&program, &bytes);
    assert!(read < SLACK, "{read}");
    assert!(written < 3 * bytes.len() + SLACK, "{written}");
    // Without records nothing depends on how large they would be.
    let (read, written) = read_and_written(&program, &file(0, u32::MAX));
    assert!(read < SLACK && written < SLACK, "{read}, {written}");
}

#[test]
fn nodes_of_one_byte_take_so_much() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let program = program("struct File { Node root }\nstruct Node { u8 n; Node children count=n }");
    // Ten in ten, five times.
    let mut bytes = vec![0];
    for _ in 0..5 {
        let inside = bytes.repeat(10);
        bytes = [vec![10], inside].concat();
    }
    assert_eq!(bytes.len(), 111_111);
    let (read, written) = read_and_written(&program, &bytes);
    assert!(read < 160 * bytes.len(), "{read}");
    assert!(written < 192 * bytes.len(), "{written}");
}

#[test]
fn pointers_to_one_large_array_end_at_the_budget() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let elements = [
        "struct Item { u32 a }",
        "struct Item { u8 n; bytes b size=n }",
        "struct Item { u8 n; u8 b count=n }",
        "struct Item { u8 n; u8 m; Other o count=n; Other p count=m }\n\
         struct Other { u8 n; text t size=n encoding=ascii }",
    ];
    for element in elements {
        let program = program(&format!(
            "struct File {{ u32 n; Block blocks count=n }}\n\
             struct Block {{ *Item items count=4000 }}\n{element}"
        ));
        let count = 8_000_u32;
        let target = 4 + 4 * count;
        let mut bytes = count.to_le_bytes().to_vec();
        bytes.extend((0..count).flat_map(|_| target.to_le_bytes()));
        bytes.resize(target as usize + 4 * 4000, 0);
        for factor in [64, 8, 1] {
            let options = ReadOptions::default().budget_factor(factor).budget_floor(0);
            let (error, most) = peak(|| read(&program, &bytes, &options).map(drop));
            let error = error.expect_err("the file asks for too much");
            let units = bytes.len() * usize::try_from(factor).expect("small");
            let limit = ReadErrorKind::BudgetExceeded { limit: units as u64 };
            assert_eq!(error.kind(), &limit, "{element}");
            assert!(most < UNIT * units + SLACK, "{element}, {factor}: {most} of {units} units");
        }
    }
}

/// Large models are mostly contents and vertices, which are in the tree once at most: reading one, as
/// a tree or as types, takes no more than four times its size, and writing what was read no more than
/// as much besides.
#[test]
fn large_models_take_four_times_their_size() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(files) = samples::files("bfres", &["bfres"]) else { return };
    let size = |path: &PathBuf| path.metadata().expect("the sample is there").len();
    let large: Vec<_> = files.into_iter().filter(|path| size(path) > 1_000_000).collect();
    assert_eq!(large.len(), 5);
    samples::each(&large, "take little memory", |bytes| {
        let (read, written) = read_and_written(programs::bfres(), bytes);
        let (file, read_typed) = peak(|| File::read(bytes));
        let file = file.map_err(|error| error.to_string())?;
        let (again, written_typed) = peak(|| file.write());
        assert!(again.is_ok_and(|again| again == bytes), "the same bytes");
        let taken = [read, written, read_typed, written_typed];
        if taken.iter().any(|taken| *taken > 4 * bytes.len()) {
            return Err(format!("{taken:?} of {} bytes", bytes.len()));
        }
        Ok(())
    });
}
