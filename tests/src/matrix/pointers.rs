//! Lines of the table `pointers`, as `lines` reads them.

/// The lines.
pub const POINTERS: &str = r#"
*u8
    width 1
    many u8*
    @0 | 07 => 7
    bad 00 => null_pointer
    bad f0 => unexpected_end pointer_out_of_bounds
*?u8
    width 1
    many u8*?
    missing => none
    @0 | 07 => 7
    00 => none
*u8 align=4
    width 1
    many u8*
    align 4
    @0 | 07 => 7
*?u8 none=255
    width 1
    many u8*?
    missing => none
    @0 | ff => 255
*u8 plus=1
    width 1
    many u8*
    @1 | 07 => 7
*?P none=255
    width 1
    many P*?
    with struct P 2 { u8 a 0; u8 b 1 }
    missing => none
    @0 | ff 00 => { a: 255, b: 0 }
    ff => none
    kept 00 => none
*?P none="254 255"
    width 1
    many P*?
    with struct P 2 { u8 a 0; u8 b 1 }
    missing => none
    @0 | 01 02 => { a: 1, b: 2 }
    fe => none
    kept 00 => none
    kept ff => none
*P plus=1
    width 1
    many P*
    with struct P 2 { u8 a 0; u8 b 1 }
    @1 | 01 02 => { a: 1, b: 2 }
    bad 00 => null_pointer
*u16be count=2
    list
    width 1
    @0 | 01 02 00 07 => [258, 7]
    bad 00 => null_pointer
    not [1] => length_mismatch
*u8 count=2 align=4
    list
    width 1
    align 4
    @0 | 01 02 => [1, 2]
*u8 count=l
    list
    gives u8 l
    02; @0 | 01 02 => [1, 2]
    00; 00 => []
    kept 00; < => []
    bad 01; 00 => null_pointer
*u8 count=l when_empty=none
    list
    gives u8 l
    02; @0 | 01 02 => [1, 2]
    00; 00 => []
    kept 00; < => []
*u8 count=l when_empty=here
    list
    gives u8 l
    02; @0 | 01 02 => [1, 2]
    00; @0 => []
    kept 00; 00 => []
*u8 count=l when_empty=kept
    list
    gives u8 l
    02; @0 | 01 02 => [1, 2]
    00; @0 => []
    kept 00; 00 => []
*u8 count=l align=4 when_empty=here
    list
    gives u8 l
    align 4
    02; @0 | 01 02 => [1, 2]
*?u8 count=l
    list
    gives u8 l
    missing => none
    02; @0 | 01 02 => [1, 2]
    00; @0 => []
    00; 00 => none
*u8 last="it == 0"
    list
    width 1
    @0 | 01 00 => [1, 0]
    @0 | 00 => [0]
    not [1] => contradicts
    not [] => length_mismatch
    bad 00 => null_pointer
*u8 count=fill size=2
    list
    width 1
    @0 | 01 02 => [1, 2]
    not [1] => length_mismatch
*u8 count=fill
    list
    width 1
    never elements named => contradicts
    @0 | 01 02 => [1, 2]
*P
    width 1
    many P*
    with struct P 2 { u8 a 0; u8 b 1 }
    @0 | 01 02 => { a: 1, b: 2 }
    bad 00 => null_pointer
*?P
    width 1
    many P*?
    with struct P 2 { u8 a 0; u8 b 1 }
    missing => none
    @0 | 01 02 => { a: 1, b: 2 }
    00 => none
*P count=l
    list
    gives u8 l
    with struct P 2 { u8 a 0; u8 b 1 }
    02; @0 | 01 02 03 04 => [{ a: 1, b: 2 }, { a: 3, b: 4 }]
    00; 00 => []
*C
    width 1
    many C*
    with union C tag=u8 { case p 1 { u8 v }; case q 2 { u16 v } }
    @0 | 01 05 => p { v: 5 }
    @0 | 02 05 06 => q { v: 1541 }
    not r { v: 5 } => unknown_case
*V size=3
    width 1
    never array => length_mismatch
    many V*
    with struct V { u8 n; u8 v count=n }
    @0 | 02 05 06 => { v: [5, 6] }
    not { v: [5] } => length_mismatch
*V terminator="ff"
    width 1
    never array => text_contains
    many V*
    with struct V { u8 n; u8 v count=n }
    @0 | 02 05 06 ff => { v: [5, 6] }
    @0 | 00 ff => { v: [] }
    not { v: [255] } => text_contains
*text size=3
    width 1
    many text*
    @0 | 61 62 63 => "abc"
    bad 00 => null_pointer
    not "ab" => length_mismatch
*bytes size=l
    gives u8 l
    data array shared
    many bytes*
    02; @0 | 61 ff => hex(61 ff)
    01; @0 | 00 => hex(00)
*text terminator=nul
    width 1
    many text*
    @0 | 61 62 00 => "ab"
    @0 | 00 => ""
    not "a\u{0}" => text_contains
*text encoding=utf16le count=2
    width 1
    @0 | 61 00 e9 00 => "aé"
    not "a" => length_mismatch
*text size=4 strip="20"
    width 1
    many text*
    @0 | 61 20 20 20 => "a"
    @0 | 61 62 63 64 => "abcd"
    not "a " => text_contains
*text count=2 size=2
    list
    width 1
    @0 | 61 62 63 64 => ["ab", "cd"]
    not ["ab"] => length_mismatch
*Name
    width 1
    many Name*
    with string Name length=u8
    @0 | 02 61 62 => "ab"
    @0 | 00 => ""
*R count=2 stride=3
    list
    width 1
    with struct R { u8 a; bytes d size=fill }
    @0 | 01 02 03 04 05 06 => [{ a: 1, d: hex(02 03) }, { a: 4, d: hex(05 06) }]
u8* count=2
    list
    width 2
    @0 @1 | 07 08 => [7, 8]
    not [7] => length_mismatch
u8*? count=2
    list
    width 2
    @0 @1 | 07 08 => [7, 8]
    00 @0 | 08 => [none, 8]
    00 00 => [none, none]
u8* count=2 align=4
    list
    width 2
    align 4
    @0 @4 | 07 00 00 00 08 => [7, 8]
P* count=l
    list
    gives u8 l
    with struct P 2 { u8 a 0; u8 b 1 }
    02; @0 @2 | 01 02 03 04 => [{ a: 1, b: 2 }, { a: 3, b: 4 }]
    00; => []
u8* count=2 size=2
    list
    width 2
    @0 @1 | 07 08 => [7, 8]
    not [7] => length_mismatch
u8* count=2 terminator="ff"
    list
    @0 @1 ff | 07 08 => [7, 8]
*u8* count=2
    list
    width 1
    @0 | @2 @3 07 08 => [7, 8]
    bad 00 => null_pointer
* ref=File.xs
    width 1
    missing => none
    03 => 2
    08 => 7
    00 => none
    bad 0a => not_an_element
    not 8 => index_out_of_range
*? ref=File.xs
    width 1
    missing => none
    03 => 2
    00 => none
    bad 0a => not_an_element
    not 8 => index_out_of_range
*P none_with=y
    many P*
    gives u8 l
    front *u8 y count=l
    with struct P 2 { u8 a 0; u8 b 1 }
    02 @0; @2 | 01 02 / 03 04 => { a: 3, b: 4 }
    and y = [1, 2]
    00 00; 00 => none
    and y = []
*u8 count=2 none_with=y
    list
    gives u8 l
    front *u8 y count=l
    02 @0; @2 | 01 02 03 04 => [3, 4]
    and y = [1, 2]
^?u8
    width 8
    many u8^?
    missing => none
    relocated
    with pointer ^ u64 none=0 list=set
    @0 00 00 00 00 00 00 00 | 07 => 7
    listed 0
    00 00 00 00 00 00 00 00 => none
^?u8 list=set
    width 8
    many u8^?
    missing => none
    relocated
    with pointer ^ u64 none=0
    @0 00 00 00 00 00 00 00 | 07 => 7
    listed 0
    00 00 00 00 00 00 00 00 => none
^?u8 list=always
    width 8
    many u8^?
    missing => none
    relocated
    with pointer ^ u64 none=0
    @0 00 00 00 00 00 00 00 | 07 => 7
    listed 0
    00 00 00 00 00 00 00 00 => none
    listed 0
^?u8 list=never
    width 8
    many u8^?
    missing => none
    relocated
    with pointer ^ u64 none=0 list=set
    @0 00 00 00 00 00 00 00 | 07 => 7
    00 00 00 00 00 00 00 00 => none
^?u8 section=other
    width 8
    many u8^?
    missing => none
    relocated
    with pointer ^ u64 none=0 list=set
    @0 00 00 00 00 00 00 00 | 07 => 7
    listed 1
    00 00 00 00 00 00 00 00 => none
^u8 count=l list=set
    list
    gives u8 l
    relocated
    with pointer ^ u64 none=0
    02; @0 00 00 00 00 00 00 00 | 07 08 => [7, 8]
    listed 0
    00; 00 00 00 00 00 00 00 00 => []
u64 is="at(File.xs)" list=always
    width 8
    seen 1
    relocated
    01 00 00 00 00 00 00 00 =>
    listed 0
    bad 02 00 00 00 00 00 00 00 => not_derived
u64 is="at(File.xs)" list=never section=other
    width 8
    seen 1
    relocated
    01 00 00 00 00 00 00 00 =>
"#;
