//! Errors: their words, their places, and the limits that cause some of them.

use std::error::Error;
use std::mem::size_of;

use formwork::engine::Budget;
use formwork::path::{Path, Segment};
use formwork::{
    EditError, MemberError, Problem, ProblemKind, ReadError, ReadErrorKind, ReadOptions, WriteError,
};

#[test]
fn an_error_is_one_word() {
    assert_eq!(size_of::<ReadError>(), size_of::<usize>());
    assert_eq!(size_of::<Result<(), ReadError>>(), size_of::<usize>());
}

#[test]
fn errors_can_be_boxed_and_sent() {
    fn boxed(error: impl Error + Send + Sync + 'static) -> Box<dyn Error + Send + Sync> {
        Box::new(error)
    }
    let read = boxed(ReadError::new(ReadErrorKind::NotZero, 0x10));
    assert_eq!(read.to_string(), "padding is not zero, at 0x10 in file");
    let write = boxed(WriteError::new(vec![]));
    assert_eq!(write.to_string(), "");
}

/// `main() -> Result<(), Box<dyn Error>>` prints an error by `Debug`, and reporters all sources: each
/// thing is said, and once.
#[test]
fn what_main_prints() {
    let read = ReadError::new(ReadErrorKind::NotZero, 0x10).in_field("name");
    assert_eq!(format!("{read:?}"), "padding is not zero, at 0x10 in name (not_zero)");
    let parts = format!("{read:#?}");
    assert!(parts.starts_with("ReadError {") && parts.contains("kind: NotZero"), "{parts}");
    let problem = |name| Problem::new(Path::from(vec![Segment::from(name)]), ProblemKind::NoForm);
    let write = WriteError::new(vec![problem("a"), problem("b")]);
    assert_eq!(
        format!("{write:?}"),
        "none of the forms that the schema has can hold it, in a (no_form)\n\
         none of the forms that the schema has can hold it, in b (no_form)"
    );
    let parts = format!("{write:#?}");
    assert!(parts.starts_with("WriteError {") && parts.contains("kind: NoForm"), "{parts}");
    let edit = EditError::Invalid(write.clone());
    assert_eq!(format!("{edit:?}"), write.to_string());
    let member = MemberError::new("Mood", 9);
    assert_eq!(format!("{member:?}"), member.to_string());
    let all: [&dyn Error; 4] = [&read, &write, &edit, &member];
    assert!(all.iter().all(|error| error.source().is_none()));
}

#[test]
fn a_path_grows_from_the_inside_out() {
    let error = ReadError::new(ReadErrorKind::NullPointer, 0x28)
        .in_field("params")
        .in_index(3)
        .in_field(String::from("events"))
        .in_index(0)
        .in_field("flowcharts");
    assert_eq!(error.path().to_string(), "flowcharts[0].events[3].params");
    assert_eq!(error.path().segments()[1], Segment::Index(0));
    assert_eq!(error.path().len(), 5);
    let rebased = error.clone().rebased(0x1000);
    assert_eq!(rebased.offset(), 0x1028);
    assert_eq!(rebased.rebased(u64::MAX).offset(), u64::MAX);
    let moved = error.with_path(Path::from(vec![Segment::from("name")]));
    assert_eq!(moved.path().to_string(), "name");
}

#[test]
fn paths() {
    let mut path = Path::new();
    assert!(path.is_empty());
    path.push(3);
    path.push("name");
    assert_eq!(path.to_string(), "[3].name");
    path.push(0);
    path.push(1);
    assert_eq!(path.to_string(), "[3].name[0][1]");
    assert_eq!(path.pop(), Some(Segment::Index(1)));
    assert_eq!(path.segments().iter().cloned().collect::<Path>(), path);
}

fn text(text: &str) -> Box<str> {
    text.into()
}

#[test]
fn words_and_codes_of_read_errors() {
    use ReadErrorKind as Kind;
    let (expected, actual) = (|| text("1"), || text("2"));
    for (kind, code, words) in [
        (
            Kind::UnexpectedEnd { needed: 1, remaining: 0 },
            "unexpected_end",
            "needs 1 byte, but 0 remain",
        ),
        (
            Kind::PointerOutOfBounds { target: -8 },
            "pointer_out_of_bounds",
            "pointer -0x8 is outside the file",
        ),
        (Kind::NullPointer, "null_pointer", "pointer is null, but must lead somewhere"),
        (
            Kind::NotEqual { expected: expected(), actual: actual() },
            "not_equal",
            "expected 1, found 2",
        ),
        (Kind::NotZero, "not_zero", "padding is not zero"),
        (
            Kind::BelowMinimum { minimum: text("3"), actual: actual() },
            "below_minimum",
            "2 is below the minimum 3",
        ),
        (
            Kind::AboveMaximum { maximum: text("1"), actual: actual() },
            "above_maximum",
            "2 is above the maximum 1",
        ),
        (
            Kind::ObjectNotFound,
            "object_not_found",
            "nothing says where this is, but it must be there",
        ),
        (Kind::NotPlaced, "not_placed", "the layout has no place for it"),
        (Kind::NotOneOf { actual: actual() }, "not_one_of", "2 is none of the allowed values"),
        (
            Kind::CheckFailed { check: text("a < 2"), why: text(""), actual: actual() },
            "check_failed",
            "the rule `a < 2` does not hold: the value is 2",
        ),
        (
            Kind::NotInEnum { name: text("Kind"), value: -1 },
            "not_in_enum",
            "enum `Kind` has no name for -1",
        ),
        (
            Kind::UnknownTag { union_name: text("Data"), tag: text("7") },
            "unknown_tag",
            "union `Data` has no case for 7",
        ),
        (Kind::InvalidBool { value: 2 }, "invalid_bool", "2 is neither true nor false"),
        (Kind::InvalidText { encoding: "utf-8" }, "invalid_text", "text is not valid utf-8"),
        (Kind::MissingTerminator, "missing_terminator", "terminator is missing"),
        (
            Kind::TrailingBytes { remaining: 3 },
            "trailing_bytes",
            "3 bytes left over behind the content",
        ),
        (
            Kind::UndecidedByteOrder { actual: text("0x1234") },
            "undecided_byte_order",
            "0x1234 is no byte order mark of either order",
        ),
        (
            Kind::VarintTooLong { limit: 5 },
            "varint_too_long",
            "variable-length integer is longer than 5 bytes",
        ),
        (
            Kind::VarintOverflow,
            "varint_overflow",
            "variable-length integer is too large for its type",
        ),
        (
            Kind::VarintNotShortest { width: 3, shortest: 1 },
            "varint_not_shortest",
            "variable-length integer takes 3 bytes where 1 byte would do",
        ),
        (
            Kind::NotADigit { byte: b'x', base: 8 },
            "not_a_digit",
            "byte 0x78 (`x`) is no digit of base 8",
        ),
        (Kind::DigitsOverflow, "digits_overflow", "number in digits is too large for its type"),
        (
            Kind::IndexOutOfRange { index: 1, count: 1 },
            "index_out_of_range",
            "index 1 is out of range, the array has 1 element",
        ),
        (
            Kind::NotAnElement { what: text("pointer 0x30 leads to no element of its array") },
            "not_an_element",
            "pointer 0x30 leads to no element of its array",
        ),
        (
            Kind::NotDerived { expected: expected(), actual: actual() },
            "not_derived",
            "stored 2 differs from 1, which it is derived from",
        ),
        (Kind::DuplicateKey { key: text("a") }, "duplicate_key", "the key \"a\" is there twice"),
        (
            Kind::NoLayout { name: text("version"), value: 3 },
            "no_layout",
            "there is no layout for `version` 3",
        ),
        (Kind::DepthLimit { limit: 256 }, "depth_limit", "nested deeper than the limit of 256"),
        (
            Kind::BudgetExceeded { limit: 64 },
            "budget_exceeded",
            "decoding exceeds the limit of 64 units for a file of this length",
        ),
        (
            Kind::NegativeCount { what: "count", count: -1 },
            "negative_count",
            "count -1 is negative",
        ),
        (
            Kind::EndOutOfBounds { end: 2, start: 4, limit: 8 },
            "pointer_out_of_bounds",
            "it would end at 0x2, which is in front of its start",
        ),
        (
            Kind::EndOutOfBounds { end: 9, start: 4, limit: 8 },
            "pointer_out_of_bounds",
            "it would end at 0x9, but what is around it ends at 0x8",
        ),
        (
            Kind::SizeNotMultiple { size: 10, stride: 4 },
            "size_not_multiple",
            "size 0xa is not a multiple of the stride 0x4",
        ),
        (Kind::Expression { message: text("division by zero") }, "expression", "division by zero"),
    ] {
        assert_eq!(kind.code(), code);
        assert_eq!(kind.to_string(), words);
    }
}

#[test]
fn words_and_codes_of_problems() {
    use ProblemKind as Kind;
    for (kind, code, words) in [
        (
            Kind::DoesNotFit { value: text("300"), ty: text("u8") },
            "does_not_fit",
            "300 does not fit `u8`",
        ),
        (
            Kind::LengthMismatch { expected: 2, actual: 3, why: text("both use `count`") },
            "length_mismatch",
            "its length is 3, but must be 2: both use `count`",
        ),
        (
            Kind::IndexOutOfRange { index: 5, count: 2 },
            "index_out_of_range",
            "index 5 is out of range, the array has 2 elements",
        ),
        (
            Kind::TextNotEncodable { encoding: "ascii", letter: 'é' },
            "text_not_encodable",
            "it has the character 'é', which ascii cannot say",
        ),
        (
            Kind::TextContains { what: text("its terminator") },
            "text_contains",
            "it contains its terminator, and would be read as less than it is",
        ),
        (Kind::MissingField, "missing_field", "it must be there, and is not"),
        (
            Kind::UnexpectedField { why: text("since version 9") },
            "unexpected_field",
            "it must not be there: since version 9",
        ),
        (
            Kind::WrongKind { expected: text("a text"), actual: text("a number") },
            "wrong_kind",
            "expected a text, found a number",
        ),
        (Kind::UnknownCase { name: text("x") }, "unknown_case", "there is no case `x` here"),
        (
            Kind::CheckFailed { check: text("a"), why: text("") },
            "check_failed",
            "the rule `a` does not hold",
        ),
        (
            Kind::CheckFailed { check: text("a"), why: text("All have one.") },
            "check_failed",
            "the rule `a` does not hold: All have one",
        ),
        (Kind::DuplicateKey { key: text("a") }, "duplicate_key", "the key \"a\" is there twice"),
        (Kind::EmptyKey, "empty_key", "a key must not be empty"),
        (Kind::NoForm, "no_form", "none of the forms that the schema has can hold it"),
        (
            Kind::NoLayout { name: text("version"), value: 3 },
            "no_layout",
            "there is no layout for `version` 3",
        ),
        (
            Kind::Contradicts { what: text("the case must be `a`, as 3 elsewhere says") },
            "contradicts",
            "the case must be `a`, as 3 elsewhere says",
        ),
        (
            Kind::NotPlaced,
            "not_placed",
            "it would be written nowhere: the layout has no place for it",
        ),
        (Kind::MeansNothing { value: 65535 }, "means_nothing", "65535 would be read as nothing"),
        (Kind::Cycle { what: text("`size`") }, "cycle", "`size` depends on itself"),
        (Kind::DepthLimit { limit: 2 }, "depth_limit", "it is nested deeper than the limit of 2"),
        (
            Kind::TooLong { most: 8, actual: 11, why: text("the schema fixes the size") },
            "length_mismatch",
            "its length is 11, but must be at most 8: the schema fixes the size",
        ),
        (
            Kind::NotAnElement { what: text("no element has the key 97") },
            "not_an_element",
            "no element has the key 97",
        ),
        (Kind::TooLarge { limit: 1 }, "too_large", "it is larger than the limit of 1 byte"),
        (
            Kind::ReadsOtherwise { why: text("a 3") },
            "reads_otherwise",
            "it would be read as something else: a 3",
        ),
        (
            Kind::FoundElsewhere { at: 4, looked: Some(2) },
            "found_elsewhere",
            "it would be at 0x4, but a reader looks for it at 0x2",
        ),
        (
            Kind::FoundElsewhere { at: 4, looked: None },
            "found_elsewhere",
            "it would be at 0x4, but nothing tells a reader where it is",
        ),
        (Kind::Expression { message: text("overflow") }, "expression", "overflow"),
    ] {
        assert_eq!(kind.code(), code);
        assert_eq!(kind.to_string(), words);
    }
}

#[test]
fn a_write_error_tells_every_problem() {
    assert_eq!(WriteError::check(vec![]), Ok(()));
    let problems = vec![
        Problem::new(Path::from(vec![Segment::from("a")]), ProblemKind::MissingField),
        Problem::new(Path::new(), ProblemKind::NoForm),
    ];
    let error = WriteError::check(problems.clone()).unwrap_err();
    let words = "it must be there, and is not, in a\n\
                 none of the forms that the schema has can hold it, in file";
    assert_eq!(error.to_string(), words);
    assert_eq!(error.problems(), problems);
    assert_eq!(error.into_problems(), problems);
    let one = WriteError::from(problems[1].clone());
    assert_eq!(one.problems(), &problems[1..]);
}

#[test]
fn budget() {
    let options = ReadOptions::default();
    let limit = |len| Budget::new(len, &options).left();
    assert_eq!(limit(0), 0x10000);
    assert_eq!(limit(1 << 20), 64 << 20);
    assert_eq!(limit(u64::MAX), u64::MAX);

    let mut budget = Budget::new(1 << 10, &options);
    assert_eq!(budget.charge(0x10000), Ok(()));
    assert_eq!(budget.charge(0), Ok(()));
    let exceeded = Err(ReadErrorKind::BudgetExceeded { limit: 0x10000 });
    assert_eq!(budget.charge(1), exceeded);
    assert_eq!(budget.charge(u64::MAX), exceeded);
}

#[test]
fn depth() {
    let mut budget = Budget::new(0, &ReadOptions::default().max_depth(2));
    assert_eq!(budget.enter(), Ok(()));
    assert_eq!(budget.enter(), Ok(()));
    assert_eq!(budget.enter(), Err(ReadErrorKind::DepthLimit { limit: 2 }));
    budget.leave();
    assert_eq!(budget.enter(), Ok(()));
    assert!(budget.enter().is_err());
    let mut budget = Budget::new(0, &ReadOptions::default());
    assert!((0..256).all(|_| budget.enter().is_ok()));
    assert!(budget.enter().is_err());
}

#[test]
fn an_excerpt_shows_the_place() {
    let bytes: Vec<u8> = (0..40).map(|n: u8| n.wrapping_mul(7)).collect();
    let at = |offset| ReadError::new(ReadErrorKind::NotZero, offset).excerpt(&bytes);
    assert_eq!(
        at(25),
        "00000000  00 07 0e 15 1c 23 2a 31  38 3f 46 4d 54 5b 62 69  .....#*18?FMT[bi\n\
         00000010  70 77 7e 85 8c 93 9a a1  a8 af b6 bd c4 cb d2 d9  pw~.............\n\
         \u{20}                                     ^                              ^\n"
    );
    // The end of the file, and what would be behind it.
    let end = "00000010  70 77 7e 85 8c 93 9a a1  a8 af b6 bd c4 cb d2 d9  pw~.............\n\
               00000020  e0 e7 ee f5 fc 03 0a 11                           ........\n\
               \u{20}                                  ^                                ^\n";
    assert_eq!(at(40), end);
    assert_eq!(at(u64::MAX), end);
    assert_eq!(at(0).lines().count(), 2);
    assert_eq!(ReadError::new(ReadErrorKind::NotZero, 0).excerpt(&[]), "");
}
