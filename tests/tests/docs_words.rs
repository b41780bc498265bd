//! What pages say, each point with a schema of a few lines.

use formwork_codegen::markdown::emit;
use formwork_tests::programs;

/// The page of a module with these lines. The schema has to be clean.
fn page(lines: &str) -> String {
    let text = format!("module t \"Test\" root=File endian=little\n{lines}\n");
    let program =
        programs::from_text("t.kdl", &text, None).unwrap_or_else(|error| panic!("{error}"));
    emit(program.model())
}

/// Each text is on the page.
fn shows(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "`{text}` is missing\n{page}");
    }
}

/// None of the texts is on the page.
fn hides(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(!page.contains(text), "`{text}` is there\n{page}");
    }
}

/// The only line with this text.
fn line<'p>(page: &'p str, text: &str) -> &'p str {
    let found: Vec<&str> = page.lines().filter(|line| line.contains(text)).collect();
    assert!(found.len() == 1, "{} lines with `{text}`\n{page}", found.len());
    found[0]
}

#[test]
fn rows_begin_behind_the_whole_pattern() {
    let page = page(
        r#"struct File { Item items count=fill }
        union Item tag=u8 {
            case small "0nnnnnnn"                   { u7 a bits=n; u8 b }
            case large "100nnnnn nnnnnnnn nnnnnnnn" { u21 c bits=n; u16 d; u8 e }
            case forms {
                form "111nnnnn nnnnnnnn" { u13 g bits=n; u8 h }
                form 0xc1                { u16 g; u8 h }
            }
        }"#,
    );
    shows(&page, &["| 0x01 | 0x01 | `u8` | `b` |", "| 0x03 | 0x02 | `u16` | `d` |"]);
    shows(&page, &["| 0x05 | 0x01 | `u8` | `e` |"]);
    shows(&page, &["| 0x02 | 0x01 | `u8` | `h` |", "| 0x03 | 0x01 | `u8` | `h` |"]);
}

#[test]
fn common_rows_begin_behind_patterns() {
    let rows = |second: &str| {
        page(&format!(
            r#"struct File {{ Item items count=fill }}
            union Item tag=u8 {{
                u8 weight
                case small "00nnnnnn nnnnnnnn" {{ u14 a bits=n }}
                case large {second}            {{ u8 b }}
            }}"#
        ))
    };
    shows(&rows("\"01______ ________\""), &["| 0x02 | 0x01 | `u8` | `weight` |"]);
    shows(&rows("0x40"), &["| + | 0x01 | `u8` | `weight` |"]);
}

#[test]
fn values_of_forms_are_described() {
    let page = page(
        r#"struct File { Item items count=2 }
        union Item tag=u8 {
            case record {
                value u16 name "Said by the value alone" source="A book"
                form 1 { u8 name }
                form 2 { u16 name }
            }
        }"#,
    );
    let value = line(&page, "`record`, the value");
    shows(value, &["| `u16` | `name` | elsewhere | Said by the value alone. Source: A book |"]);
}

#[test]
fn values_of_forms_have_no_place() {
    let page = page(
        r#"struct File { Item items count=2 }
        union Item tag=u8 {
            case list {
                form 1 { u8 size; u8  all count=fill size=size }
                form 2 { u8 end;  u16be all count=fill end=end }
            }
            case text {
                form 3 { u8 n; text words size=n }
                form 4 { u32 n; text words size=n }
            }
            case number { form 5 { u8 low }; form "1000llll llllllll" { u12 low bits=l } }
        }"#,
    );
    shows(line(&page, "`list`, the value"), &["| list of `u16` | `all` |"]);
    shows(line(&page, "`text`, the value"), &["| UTF-8 text | `words` |"]);
    shows(line(&page, "`number`, the value"), &["| `u12` | `low` |"]);
}

#[test]
fn alignments_say_what_differs() {
    let page = page(
        r#"pointer * u32 align=8
        pointer ~ u32 align=4
        string Name length=u8 align=2
        struct File {
            *Name names
            *Wide wide
            *Same same
            *u8   near  align=2
            ~u8   plain
        }
        struct Wide align=16 { u8 a }
        struct Same align=8 { u8 b }"#,
    );
    shows(
        line(&page, "| `*` |"),
        &[
            "| a multiple of 8, unless their type ([Name](#strings): 2, [Wide](#wide): 16) or the row (`File.near`) says otherwise |",
        ],
    );
    shows(line(&page, "| `~` |"), &["| a multiple of 4 |"]);
}

#[test]
fn codes_are_hexadecimal() {
    let page = page(
        r#"struct File {
            const u8  is=0x80
            const u16 few  is=7
            const i8  sign is=20
            Item items count=2
            u8   kind
            union body on=kind {
                case one 1    { u8 x }
                case two 0x10 { u16 x }
            }
            u8   small
            union rest on=small { case none 0 { }; case some 9 { u8 x } }
        }
        union Item tag=u8 {
            case first 1            { u8 value }
            case other 0x12 "20..30" { tag code; u8 value }
            case long  { form 0x41 { u8 value }; form 9 { u16 value } }
        }"#,
    );
    shows(&page, &["Always `0x80`.", "Always `7`.", "Always `20`."]);
    shows(&page, &["`0x80` at 0x00"]);
    shows(&page, &["| 0x01 | `first` |", "| 0x12, 0x14..0x1e | `other` |", "| 0x41 | `long` |"]);
    shows(&page, &["| 0x09 | `long` |", "| 0x01 | `one` |", "| 0x10 | `two` |"]);
    shows(&page, &["| 0 | `none` |", "| 9 | `some` |"]);
}

#[test]
fn widths_of_varints_are_kept() {
    let page = page(
        "varint number u32 order=msb-first bytes=5 usually=shortest \"As a test\"
        struct File { number a }",
    );
    shows(&page, &["| number | `u32` | at most 5 bytes, highest seven bits first | As a test. |"]);
    shows(&page, &["A number usually takes as few bytes as will do;", "its width is kept."]);
}

#[test]
fn errors_are_said() {
    let page = page(
        r#"struct File {
            u8 kind
            union open  on=kind { case one 1 { u8 x } }
            u8 other
            union rest  on=other { case one 1 { u8 x }; case two else { } }
            bool8 flag
            u8  size
            u16 list count=fill size=size
        }"#,
    );
    let errors = page.matches("Any other value is an error.").count();
    assert!(errors == 1, "{errors}\n{page}");
    shows(&page, &["other numbers are errors.", "bytes left over are an error."]);
    shows(&page, &["What is called an error is one of this schema"]);
}

#[test]
fn errors_that_cannot_be_are_not_said() {
    let page = page(
        r#"struct File {
            u8 kind
            union all  on=kind { case low "0..127" { u8 x }; case high "128..255" { } }
            u8 more
            union some on=more { case one 1 when="kind > 2" { u8 x }; case any "0..255" when="kind < 3" { } }
            union flag given="kind > 2" { case yes #true { u8 y }; case no #false { } }
        }"#,
    );
    hides(&page, &["error"]);
}

#[test]
fn unknown_tags_are_errors_by_version() {
    let page = page(
        r#"epoch version from=File.version
        struct File { u8 version; Item items count=2 }
        union Item tag=u8 {
            case one 1
            case any else when="version > 3" { tag code }
        }"#,
    );
    shows(&page, &["Any other tag is an error in version ..3."]);
}

#[test]
fn zeros_are_said_once() {
    let page =
        page("struct File { u8 a; zeros padding until=end usually=0 \"As many as there are\" }");
    shows(
        line(&page, "`padding`"),
        &["| zero bytes, to the end of the file | `padding` |", "| As many as there are. |"],
    );
    hides(&page, &["Zero bytes to the end."]);
}

#[test]
fn constant_parameters_are_silent() {
    let page = page(
        r#"struct File {
            u8             n
            One<4,n>       one
            Two<1>         first
            Two<2>         second
        }
        struct One<width,count> { bytes a size=width; u8 b count=count }
        struct Two<width> { bytes c size=width }"#,
    );
    shows(&page, &["- Parameter `count` is `n`."]);
    hides(&page, &["Parameter `width` is `4`", "`width` = `4`"]);
}

#[test]
fn pointers_in_elements_are_told_apart() {
    let page = page(
        r#"pointer * u64 none=0 {
            list object=set array=always
        }
        relocation { section from=0 to="at(File.table)" }
        struct File {
            u32    table_offset
            u8     n
            *Leaf* leaves count=n
            *?Leaf one
            object Table table at=table_offset
        }
        struct Leaf { u8 value }
        struct Table 0x04 .. align=8 {
            u32     count     0x00
            Section sections  count=count usually="relocation.sections"
            Entry   entries   count="sum(sections.entry_count)" usually="relocation.entries"
        }
        struct Section 0x10 { u32 start 0x00; u32 size 0x04; u32 first_entry 0x08; u32 entry_count 0x0c }
        struct Entry 0x08 encodes=pointer-masks { u32 start 0x00; u32 mask 0x04 }"#,
    );
    shows(line(&page, "| to one object |"), &["elements of `File.leaves`", "`File.one`"]);
    shows(line(&page, "| to an array |"), &["| `File.leaves` |"]);
}

#[test]
fn names_are_described() {
    let versions = page(
        r#"epoch version from=File.version
        let wide "version >= 2" "Names are longer"
        let silent "version < 9"
        struct File { u8 version; when "wide && silent" { u8 a } }"#,
    );
    shows(&versions, &["| `wide` | `version >= 2` | Names are longer. |"]);
    hides(&versions, &["`silent`"]);
    let plain = page(
        r#"let most 0x20 "As many as there can be"
        struct File {
            u8 a max=most
            u8 b
            let twice "b * 2" "Both of them"
            check "twice < 9"
        }"#,
    );
    shows(
        &plain,
        &["| `most` | `32` | As many as there can be. |", "is short for `b * 2`. Both of them."],
    );
}

#[test]
fn notation_is_explained_if_it_is_used() {
    let short = page("struct File { u8 a }");
    shows(&short, &["| `u16` | a number of so many bits"]);
    hides(&short, &["| `at(x)`", "| `x ?? y`", "| `u16be`", "| `10vvvvtt`"]);
    let long = page(
        r#"struct File { i24be a; u8 b is="at(c) + 1"; u8 c; Item item }
        union Item tag=u8 { case one "0nnnnnnn" { u7 n bits=n } }"#,
    );
    shows(&long, &["| `at(x)` |", "| `u16be` |", "| `10vvvvtt` |"]);
}

#[test]
fn stored_offsets_say_what_they_count_from() {
    let page = page(
        r#"pointer * u32 none=0
        pointer ~ u16 base="at(this)"
        struct File {
            u32   tail   is="at(list)"
            u32   size   is="end(list) - at(list)"
            u8    n
            *u8   one
            Inner inner
            u8    list   count=n
        }
        struct Inner { u16 end; ~u8 two; u8 rest count=fill end=end }"#,
    );
    shows(line(&page, "| `tail` |"), &["derived: file offset of `list`"]);
    shows(line(&page, "| `end` |"), &["derived: file offset of the end of `rest`"]);
    shows(line(&page, "| `rest` |"), &["up to the file offset `end`"]);
    shows(line(&page, "| `two` |"), &["Counts from the start of this structure."]);
    hides(line(&page, "| `one` |"), &["Counts from"]);
    shows(&page, &["A *file offset* counts from the first byte of the file."]);
    shows(&page, &["A pointer is a file offset, unless its row says what else it counts from"]);
}

#[test]
fn tags_stand_by_form_and_version() {
    let page = page(
        r#"epoch kind from=File.kind
        let short "kind == 2"
        struct File { u8 kind; Item items count=fill }
        union Item tag=u8 {
            case number {
                form 1 when=short { const value is=0 }
                form 2            { u8 value "The number" }
            }
            case other 3 { u16 value "The number" }
            case more  4 { u32 value "The number" }
            case bytes 5 { u8 size; bytes  all size=size "Bytes" }
            case words 6 { u8 size; u16    all count=fill size=size "Words" }
            case wides 7 { u8 size; u32    all count=fill size=size "Wide words" }
            case pair  8 { u8 a; u8 b }
        }"#,
    );
    shows(&page, &["These cases have one field, `value`: the number."]);
    shows(line(&page, "| 1 | `number` |"), &["| kind 2 |", "Always `0`.", "a value of the type"]);
    shows(line(&page, "| 2 | `number` |"), &["| `number` | | 0x01 | 0x01 | `u8` |"]);
    shows(&page, &["These cases hold a list, which is framed in the same way in all of them."]);
    shows(
        &page,
        &["| 6 | `words` | `u16` | 0x02 | Words. |", "| 5 | `bytes` | byte | 0x01 | Bytes. |"],
    );
    shows(&page, &["elements, in `size` bytes"]);
    assert_eq!(page.matches("`size` |").count(), 1, "{page}");
    shows(&page, &["| 8 | `pair` |"]);
}

#[test]
fn bits_of_the_tag_stand_in_front() {
    let page = page(
        r#"struct File { Item item }
        union Item tag=u8 {
            case one "0nnnnnnn" { u8 size; bytes all size=size; u7 name bits=n }
            case two 0x80 { u8 a; u8 b }
        }"#,
    );
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("`{text}`\n{page}"));
    assert!(at("| `name` | data |") < at("| `size` | derived"), "{page}");
    shows(&page, &["| `one` | 0x00 | 7 bits | bits `n` | `name` |"]);
}

#[test]
fn the_root_is_first_and_what_is_shared_is_last() {
    let page = page(
        r#"struct Point 0x02 { u8 x 0x00; u8 y 0x01 }
        struct Leaf { Point a; u8 n; u8 list count=n }
        struct Tree { Point root; Leaf leaf }
        struct File { Tree tree; Other other }
        struct Other { u8 size; text name size=size }"#,
    );
    let order: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert_eq!(order, ["File", "Tree", "Other", "Leaf", "Point"]);
}

#[test]
fn bars_are_escaped_in_tables_only() {
    let page = page(r#"struct File { u8 a; u8 b check="a > 1 || b > 2"; check "a > 3 || b > 4" }"#);
    shows(&page, &["Rule: `a > 1 \\|\\| b > 2`.", "- Rule: `a > 3 || b > 4`."]);
}

#[test]
fn numbers_beside_each_other_have_one_base() {
    let page = page(
        r#"enum Kind u32 { small 1; large 0x10000 }
        enum Few u8 { one 1; ten 10 }
        struct File { Kind kind; Few few; u8 n; u16 list count=n }"#,
    );
    shows(
        &page,
        &["| 0x01 | `small` |", "| 0x10000 | `large` |", "| 1 | `one` |", "| 10 | `ten` |"],
    );
    shows(&page, &["| 0x02 × `n` | `n` × `u16` | `list` |"]);
}

#[test]
fn lists_are_named_as_lists() {
    let page = page(
        r#"string Name length=until-nul
        struct File {
            u8    size
            u8    values count=fill size=size
            Item  items  count=fill
        }
        struct Item { text name terminator=nul }"#,
    );
    shows(&page, &["| list of `u8`, in `size` bytes | `values` |"]);
    shows(&page, &["| list of [Item](#item), to the end of the file | `items` |"]);
    shows(&page, &["| UTF-8 text, up to a zero byte | `name` |"]);
}

#[test]
fn what_no_field_holds_stands_by_itself() {
    let page = page(
        r#"struct File {
            u8 a
            value bool odd "An unusual writer" seen="a > 7" usually=#false
        }"#,
    );
    shows(&page, &["| Name | Type | Usually | Seen from | Description |"]);
    shows(line(&page, "| `odd` |"), &["| `odd` | bool | `false` | `a > 7` | An unusual writer. |"]);
}

#[test]
fn words_for_people_are_on_the_page() {
    let page = page(
        r#"struct File {
            also "game::File"
            note "Seen in one game"
            limit "At most two"
            open "What it is for"
            example "07" "Seven" { a 7 }
            u8 a
        }"#,
    );
    shows(
        &page,
        &["Also known as `game::File`.", "Seen in one game.", "- [File](#file): At most two."],
    );
    shows(&page, &["- [File](#file): What it is for.", "a = 7"]);
}
