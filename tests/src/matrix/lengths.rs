//! Lines of the table `lengths`: arrays, regions and columns, as `lines` reads them.

/// The lines.
pub const LENGTHS: &str = r#"
u8 count=2
    list
    width 2
    01 02 => [1, 2]
    00 ff => [0, 255]
    not [1] => length_mismatch
    not [1, 2, 3] => length_mismatch
    not [1, 256] => does_not_fit
u16be count=2
    list
    width 4
    01 02 00 04 => [258, 4]
    00 00 ff ff => [0, 65535]
    not [1, 65536] => does_not_fit
P count=2
    list
    width 4
    with struct P 2 { u8 a 0; u8 b 1 }
    01 02 03 04 => [{ a: 1, b: 2 }, { a: 3, b: 4 }]
    not [{ a: 1, b: 2 }] => length_mismatch
V count=2
    list
    with struct V { u8 n; u8 v count=n }
    00 02 03 04 => [{ v: [] }, { v: [3, 4] }]
    01 07 01 08 => [{ v: [7] }, { v: [8] }]
C count=2
    list
    with union C tag=u8 { case p 1 { u8 v }; case q 2 { u16 v } }
    01 05 02 06 07 => [p { v: 5 }, q { v: 1798 }]
    bad 03 05 06 07 => unknown_tag
    not [p { v: 5 }, r { v: 5 }] => unknown_case
u8 count="File.k + 0"
    list
    01 02 03 04 => [1, 2, 3, 4]
    not [1, 2, 3] => length_mismatch
u8 count=l
    list
    gives u8 l
    02; 01 02 => [1, 2]
    00; => []
u16be count=l
    list
    gives u8 l
    01; 01 02 => [258]
    00; => []
V count=l
    list
    gives u8 l
    with struct V { u8 n; u8 v count=n }
    02; 00 01 03 => [{ v: [] }, { v: [3] }]
    00; => []
u8 count="l - 1"
    list
    gives u8 l
    03; 01 02 => [1, 2]
    01; => []
    bad 00; => negative_count
u8 count="2 * l"
    list
    gives u8 l
    01; 01 02 => [1, 2]
    00; => []
    not [1] => expression length_mismatch
u8 count=fill
    list
    open
    01 02 => [1, 2]
    => []
    never named => contradicts
u16be count=fill
    list
    open
    01 02 => [258]
    => []
    never named => contradicts
P count=fill
    list
    open
    with struct P 2 { u8 a 0; u8 b 1 }
    01 02 03 04 => [{ a: 1, b: 2 }, { a: 3, b: 4 }]
    => []
    never named => contradicts
V count=fill
    list
    open
    with struct V { u8 n; u8 v count=n }
    00 01 03 => [{ v: [] }, { v: [3] }]
    => []
    never named => contradicts
u8 count=fill size=3
    list
    width 3
    01 02 03 => [1, 2, 3]
    not [1, 2] => length_mismatch
V count=fill size=l
    list
    gives u8 l
    with struct V { u8 n; u8 v count=n }
    03; 00 01 03 => [{ v: [] }, { v: [3] }]
    00; => []
    bad 01; 01 => unexpected_end
u16be count=fill end=l
    list
    gives u8 l
    >; 01 02 => [258]
    >; => []
u8 count=fill until=e
    list
    open
    never elements named => length_mismatch
    front *u8 e
    @0; 01 02 | 07 => [1, 2]
    and e = 7
    @0; | 07 => []
    and e = 7
u8 count=fill terminator="00"
    list
    01 02 00 => [1, 2]
    00 => []
    not [0] => text_contains
u8 count=fill size=4 strip="00"
    list
    width 4
    01 02 00 00 => [1, 2]
    01 02 03 04 => [1, 2, 3, 4]
    00 00 00 00 => []
    not [1, 0] => text_contains
    not [1, 2, 3, 4, 5] => length_mismatch
u8 last="it == 0"
    list
    01 02 00 => [1, 2, 0]
    00 => [0]
    not [1] => contradicts
    not [0, 0] => contradicts
    not [] => length_mismatch
P last="it.b == 0"
    list
    with struct P 2 { u8 a 0; u8 b 1 }
    01 02 03 00 => [{ a: 1, b: 2 }, { a: 3, b: 0 }]
    03 00 => [{ a: 3, b: 0 }]
R count=2 stride=3
    list
    width 6
    with struct R { u8 a; bytes d size=fill }
    01 02 03 04 05 06 => [{ a: 1, d: hex(02 03) }, { a: 4, d: hex(05 06) }]
    not [{ a: 1, d: hex(02) }, { a: 4, d: hex(05 06) }] => length_mismatch
R count=l stride=3
    list
    gives u8 l
    with struct R { u8 a; bytes d size=fill }
    01; 01 02 03 => [{ a: 1, d: hex(02 03) }]
    00; => []
R count=2 stride=l
    list
    front u8 l
    with struct R { u8 a; bytes d size=fill }
    02; 01 02 03 04 => [{ a: 1, d: hex(02) }, { a: 3, d: hex(04) }]
    and l = 2
    not [{ a: 1, d: hex(02 03) }, { a: 4, d: hex(05 06) }] => length_mismatch
P size=2
    width 2
    with struct P 2 { u8 a 0; u8 b 1 }
    01 02 => { a: 1, b: 2 }
    two 01 02 03 04 => [{ a: 1, b: 2 }, { a: 3, b: 4 }]
    never array => length_mismatch
R size=3
    width 3
    with struct R { u8 a; bytes d size=fill }
    01 02 03 => { a: 1, d: hex(02 03) }
    not { a: 1, d: hex(02) } => length_mismatch
    two 01 02 03 04 05 06 => [{ a: 1, d: hex(02 03) }, { a: 4, d: hex(05 06) }]
    never array => length_mismatch contradicts
V size=3
    width 3
    with struct V { u8 n; u8 v count=n }
    02 05 06 => { v: [5, 6] }
    bad 01 05 06 => trailing_bytes
    bad 03 05 06 => unexpected_end
    not { v: [5] } => length_mismatch
    two 01 05 00 => [{ v: [5] }, { v: [] }]
V size=l
    gives u8 l
    with struct V { u8 n; u8 v count=n }
    03; 02 05 06 => { v: [5, 6] }
    01; 00 => { v: [] }
    bad 02; 00 05 => trailing_bytes
    two 03; 00 01 05 => [{ v: [] }, { v: [5] }]
V end=l
    gives u8 l
    with struct V { u8 n; u8 v count=n }
    >; 02 05 06 => { v: [5, 6] }
    >; 00 => { v: [] }
    two >; 00 01 05 => [{ v: [] }, { v: [5] }]
V until=e
    list
    open
    front *u8 e
    never elements named => length_mismatch
    with struct V { u8 n; u8 v count=n }
    @0; 00 01 05 | 07 => [{ v: [] }, { v: [5] }]
    and e = 7
    @0; | 07 => []
    and e = 7
    two @0; 00 01 05 | 07 => [{ v: [] }, { v: [5] }]
    and e = 7
V terminator="ff"
    with struct V { u8 n; u8 v count=n }
    02 05 06 ff => { v: [5, 6] }
    00 ff => { v: [] }
    bad 01 ff ff => unexpected_end
    not { v: [255] } => text_contains
    two 00 01 05 ff => [{ v: [] }, { v: [5] }]
V terminator="ff" terminated=unread
    with struct V { u8 n; u8 v count=n }
    behind const u8 is=255
    never object => reads_otherwise
    ; 02 05 06; ff => { v: [5, 6] }
    not { v: [255] } => text_contains
    two ; 00 01 05; ff => [{ v: [] }, { v: [5] }]
V size=4 terminator="ff"
    width 4
    with struct V { u8 n; u8 v count=n }
    02 05 06 ff => { v: [5, 6] }
    01 05 ff 00 => { v: [5] }
    kept 01 05 ff 07 => { v: [5] }
    03 05 06 07 => { v: [5, 6, 7] }
    not { v: [255] } => text_contains
    two 00 01 05 ff => [{ v: [] }, { v: [5] }]
V size=4 strip="00"
    width 4
    with struct V { u8 n; u8 v count=n }
    02 05 06 00 => { v: [5, 6] }
    01 05 00 00 => { v: [5] }
    03 05 06 07 => { v: [5, 6, 7] }
    not { v: [0] } => text_contains
    two 01 05 01 06 => [{ v: [5] }, { v: [6] }]
union given="File.k" size=3 { case c 4 { u8 v count=fill }; case d else { } }
    width 3
    01 02 03 => c { v: [1, 2, 3] }
    not c { v: [1, 2] } => length_mismatch
    not d { } => contradicts length_mismatch
union given="File.k" count=2 { case c 4 { u8 v }; case d else { } }
    list
    01 02 => [c { v: 1 }, c { v: 2 }]
    not [c { v: 1 }] => length_mismatch
union given="File.k" end=l { case c 4 { u8 v count=fill }; case d else { } }
    gives u8 l
    >; 01 02 03 => c { v: [1, 2, 3] }
    >; => c { v: [] }
bool8 yes=0xff
    width 1
    ff => true
    00 => false
    bad 01 => invalid_bool
u8 bits=x
    width 1
    07 => 7
    ff => 255
    not 256 => does_not_fit
u8 seen=raw
    above
    width 1
    07 => 7
u8 count=2 from="h.m"
    list
    width 2
    front H h
    with struct H { u8 b; slice m of={x} base=b last="it == 0" }
    00; 07 00 =>
    and h = { m: [7, 0] }
u8 of=File.recs
    list
    width 2
    05 06 => [5, 6]
    not [5] => length_mismatch
u8 of="File.xs where it > 4"
    list
    05 06 07 => [5, 6, 7]
    not [5] => length_mismatch
u8 of=File.recs leading=1
    list
    width 3
    05 06 07 => [5, 6, 7]
    not [5, 6] => length_mismatch
Col<l> of=File.recs records=l stride=2
    list
    gives u8 l
    with struct Col<n> { u8 v count=n }
    02; 01 02 03 04 => [{ v: [1, 3] }, { v: [2, 4] }]
    00; => [{ v: [] }, { v: [] }]
    not [{ v: [1, 3] }, { v: [2] }] => length_mismatch
Col<l> of=File.recs records=l stride=3
    list
    gives u8 l
    with struct Col<n> { u8 v count=n }
    02; 01 02 00 03 04 00 => [{ v: [1, 3] }, { v: [2, 4] }]
    kept 02; 01 02 07 03 04 08 => [{ v: [1, 3] }, { v: [2, 4] }]
Col<l> of=File.recs records=l stride=3 at="key - 4"
    list
    gives u8 l
    with struct Col<n> { u8 v count=n }
    02; 01 00 02 03 00 04 => [{ v: [1, 3] }, { v: [2, 4] }]
    kept 01; 01 07 02 => [{ v: [1] }, { v: [2] }]
Col<l> of=File.recs leading=1 records=l stride=3
    list
    gives u8 l
    with struct Col<n> { u8 v count=n }
    02; 01 02 03 04 05 06 => [{ v: [1, 4] }, { v: [2, 5] }, { v: [3, 6] }]
E of=File.recs at="key - 4" size=4
    list
    width 4
    with struct E { u8 e }
    01 00 02 00 => [{ e: 1 }, { e: 2 }]
    kept 01 07 02 08 => [{ e: 1 }, { e: 2 }]
    not [{ e: 1 }] => length_mismatch
"#;
