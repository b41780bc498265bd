//! Lines of the table `together`, as `lines` reads them: properties that say something of the same
//! bytes.

/// The lines.
pub const TOGETHER: &str = r#"
u8 count=2 size=2
    list
    width 2
    01 02 => [1, 2]
    not [1] => length_mismatch
u8 count=l size=2
    list
    gives u8 l
    02; 01 02 => [1, 2]
    bad 01; 01 02 => trailing_bytes
    bad 03; 01 02 => unexpected_end
    not [1] => length_mismatch
V count=2 size=4
    list
    width 4
    with struct V { u8 n; u8 v count=n }
    01 05 01 06 => [{ v: [5] }, { v: [6] }]
    02 05 06 00 => [{ v: [5, 6] }, { v: [] }]
    bad 00 00 05 06 => trailing_bytes
    not [{ v: [5] }, { v: [] }] => length_mismatch
V count=l terminator="ff"
    list
    gives u8 l
    with struct V { u8 n; u8 v count=n }
    02; 01 05 00 ff => [{ v: [5] }, { v: [] }]
    00; ff => []
    not [{ v: [255] }] => text_contains
R count=2 stride=3 size=6
    list
    width 6
    with struct R { u8 a; bytes d size=fill }
    01 02 03 04 05 06 => [{ a: 1, d: hex(02 03) }, { a: 4, d: hex(05 06) }]
R count=fill stride=3 size=l
    list
    gives u8 l
    with struct R { u8 a; bytes d size=fill }
    06; 01 02 03 04 05 06 => [{ a: 1, d: hex(02 03) }, { a: 4, d: hex(05 06) }]
    00; => []
    bad 04; 01 02 03 04 => unexpected_end size_not_multiple
R last="it.a == 0" stride=3
    list
    with struct R { u8 a; bytes d size=fill }
    01 02 03 00 05 06 => [{ a: 1, d: hex(02 03) }, { a: 0, d: hex(05 06) }]
    not [{ a: 1, d: hex(02 03) }] => contradicts
u8 last="it == 0" size=3
    list
    width 3
    01 02 00 => [1, 2, 0]
    bad 01 00 00 => trailing_bytes
    bad 01 02 03 => unexpected_end
    not [1, 0] => length_mismatch
R of=File.recs stride=3
    list
    width 6
    with struct R { u8 a; bytes d size=fill }
    01 02 03 04 05 06 => [{ a: 1, d: hex(02 03) }, { a: 4, d: hex(05 06) }]
text encoding=utf16le size=8 terminator=nul
    width 8
    61 00 00 01 00 00 00 00 => "aĀ"
    61 00 62 00 63 00 64 00 => "abcd"
    kept 61 00 00 00 62 00 00 00 => "a"
    not "a\u{0}" => text_contains
text encoding=utf16be count=l terminator=nul
    list
    gives u8 l
    02; 00 61 00 00 00 00 => ["a", ""]
    00; => []
text encoding=utf16le size=4 strip="2000"
    width 4
    61 00 20 00 => "a"
    61 00 62 00 => "ab"
    20 00 20 00 => ""
    not "a " => text_contains
text count=2 size=4 terminator=nul strip="20"
    list
    width 8
    61 62 00 20 63 00 20 20 => ["ab", "c"]
    kept 61 62 20 20 63 00 20 20 => ["ab", "c"]
    not ["ab"] => length_mismatch
text size=4 terminator=nul terminated=kept
    width 4
    61 62 63 00 => "abc\u{0}"
    61 00 00 00 => "a\u{0}"
    61 62 63 64 => "abcd"
text size=l terminator="7c"
    gives u8 l
    data array shared
    03; 61 62 7c => "ab"
    01; 7c => ""
    kept 02; 61 62 => "ab"
    kept 03; 61 7c 07 => "a"
    not "a|" => text_contains
*u8 count=l align=4 when_empty=none
    list
    gives u8 l
    align 4
    02; @0 | 01 02 => [1, 2]
    00; 00 => []
*u8 count=l align=4 when_empty=kept
    list
    gives u8 l
    align 4
    02; @0 | 01 02 => [1, 2]
    kept 00; 00 => []
*u8 count=2 none_with=y when_empty=here
    list
    gives u8 l
    front *u8 y count=l
    02 @0; @2 | 01 02 03 04 => [3, 4]
    and y = [1, 2]
*u8 count=fill size=2 none_with=y
    list
    gives u8 l
    front *u8 y count=l
    02 @0; @2 | 01 02 03 04 => [3, 4]
    and y = [1, 2]
^P list=set none_with=y
    many P^
    relocated
    gives u8 l
    front *u8 y count=l
    with pointer ^ u64 none=0
    with struct P 2 { u8 a 0; u8 b 1 }
    02 @0; @2 00 00 00 00 00 00 00 | 01 02 / 03 04 => { a: 3, b: 4 }
    and y = [1, 2]
    listed 0
    00 00; 00 00 00 00 00 00 00 00 => none
    and y = []
^P list=always section=other align=4
    width 8
    many P^
    align 4
    relocated
    with pointer ^ u64 none=0
    with struct P 2 { u8 a 0; u8 b 1 }
    @0 00 00 00 00 00 00 00 | 01 02 => { a: 1, b: 2 }
    listed 1
*text size=4 terminator=nul align=4
    width 1
    many text*
    align 4
    @0 | 61 62 00 00 => "ab"
    @0 | 61 62 63 64 => "abcd"
    not "a\u{0}" => text_contains
*Col<l> of=File.recs records=l stride=2
    list
    gives u8 l
    with struct Col<n> { u8 v count=n }
    02; @0 | 01 02 03 04 => [{ v: [1, 3] }, { v: [2, 4] }]
*u8 of=File.recs
    list
    width 1
    @0 | 05 06 => [5, 6]
    not [5] => length_mismatch
bool8 yes=0xff is=#true
    width 1
    seen true
    ff =>
    bad 00 => not_equal
    bad 01 => invalid_bool
bool16 yes=2 count=2
    list
    width 4
    02 00 00 00 => [true, false]
    bad 01 00 00 00 => invalid_bool
"#;
