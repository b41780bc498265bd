//! Lines of the table `texts`: texts and runs of bytes, as `lines` reads them.

/// The lines.
pub const TEXTS: &str = r#"
text size=3
    width 3
    61 62 63 => "abc"
    c3 a9 61 => "éa"
    00 00 00 => "\u{0}\u{0}\u{0}"
    bad 61 62 ff => invalid_text
    not "ab" => length_mismatch
    not "abcd" => length_mismatch
bytes size=3
    width 3
    61 ff 00 => hex(61 ff 00)
    not hex(61) => length_mismatch
text size=l
    gives u8 l
    data array shared
    02; 61 62 => "ab"
    00; => ""
    bad 01; ff => invalid_text
bytes size=l
    gives u8 l
    data array shared
    02; 61 ff => hex(61 ff)
    00; => hex()
text size="l - 1"
    gives u8 l
    data array shared
    03; 61 62 => "ab"
    01; => ""
    bad 00; => negative_count
bytes count=3
    width 3
    61 ff 00 => hex(61 ff 00)
    not hex(61) => length_mismatch
text count=3
    width 3
    61 62 63 => "abc"
    not "ab" => length_mismatch
text count=l
    gives u8 l
    02; 61 62 => "ab"
    00; => ""
text end=l
    gives u8 l
    >; 61 62 => "ab"
    >; => ""
    two >; 61 62 => "ab"
text size=fill
    open
    never named => contradicts
    61 62 => "ab"
    => ""
    bad 61 ff => invalid_text
bytes size=fill
    open
    never named => contradicts
    61 ff => hex(61 ff)
    => hex()
text until=e
    open
    front *u8 e
    never elements named => length_mismatch
    @0; 61 62 | 07 => "ab"
    and e = 7
    @0; | 07 => ""
    and e = 7
    two @0; 61 62 | 07 => "ab"
    and e = 7
text encoding=ascii size=2
    width 2
    61 7f => "a\u{7f}"
    bad 61 80 => invalid_text
    not "aé" => text_not_encodable
    not "é" => text_not_encodable length_mismatch
text encoding=utf16le size=4
    width 4
    61 00 e9 00 => "aé"
    3d d8 00 de => "😀"
    not "a" => length_mismatch
text encoding=utf16le size=2
    width 2
    never value perhaps => wrong_kind reads_otherwise
    00 d8 => utf16(d800)
    00 dc => utf16(dc00)
text encoding=utf16be count=2
    width 4
    00 61 00 e9 => "aé"
    d8 3d de 00 => "😀"
    not "a" => length_mismatch
text encoding=utf16 count=l
    gives u8 l
    02; 61 00 e9 00 => "aé"
    00; => ""
text encoding=utf32 size=4
    width 4
    00 f6 01 00 => "😀"
    bad 00 d8 00 00 => invalid_text
    bad 00 00 11 00 => invalid_text
    not "ab" => length_mismatch
text encoding=latin1 size=2
    width 2
    61 7f => "a\u{7f}"
    a9 ff => "©ÿ"
    not "a€" => text_not_encodable
    not "é" => length_mismatch
text encoding=cp1252 count=l
    gives u8 l
    02; 80 e9 => "€é"
    00; => ""
    not "aЖ" => text_not_encodable
text encoding=cp1252 terminator="99"
    80 61 99 => "€a"
    99 => ""
    not "a™b" => text_contains
text encoding=mutf8 count=l
    gives u8 l
    02; c0 80 => "\u{0}"
    06; ed a0 bd ed b8 80 => "😀"
    05; 61 e2 82 ac 7f => "a€\u{7f}"
    00; => ""
    bad 02; 61 00 => invalid_text
    bad 02; c0 81 => invalid_text
    bad 03; ed a0 bd => invalid_text
    bad 04; f0 9f 98 80 => invalid_text
text encoding=mutf8 terminator=nul
    61 c0 80 00 => "a\u{0}"
    ed a0 bd ed b8 80 00 => "😀"
    00 => ""
    bad c0 00 => invalid_text
text encoding=mutf8 size=6
    width 6
    ed a0 bd ed b8 80 => "😀"
    c0 80 c3 a9 61 62 => "\u{0}éab"
    bad 61 62 63 64 65 00 => invalid_text
    not "😀a" => length_mismatch
    not "abcde" => length_mismatch
text encoding=bytes size=2
    width 2
    61 ff => hex(61 ff)
text terminator="7c"
    61 62 7c => "ab"
    7c => ""
    bad ff 7c => invalid_text
    not "a|b" => text_contains
bytes terminator="7c"
    61 ff 7c => hex(61 ff)
    7c => hex()
    not hex(61 7c) => text_contains
text terminator=nul
    61 62 00 => "ab"
    00 => ""
    not "a\u{0}" => text_contains
bytes terminator="0d0a"
    61 0d 0d 0a => hex(61 0d)
    0d 0a => hex()
    not hex(61 0d 0a) => text_contains
text encoding=utf16le terminator=nul
    61 00 00 01 00 00 => "aĀ"
    00 00 => ""
    not "a\u{0}" => text_contains
text terminator="7c" terminated=dropped
    61 7c => "a"
    7c => ""
text terminator="7c" terminated=kept
    61 7c => "a|"
    7c => "|"
    not "a" => missing_terminator contradicts
    not "|a|" => text_contains contradicts
text terminator="7c" terminated=unread
    never object => reads_otherwise
    behind const u8 is=0x7c
    ; 61 62; 7c => "ab"
    ; ; 7c => ""
    not "a|" => text_contains
    two ; 61 62; 7c => ["ab", ""]
text terminator="[0x7c, 0x30..0x32]" terminated=kept
    61 7c => "a|"
    31 => "1"
    not "a" => missing_terminator contradicts
    not "1a|" => text_contains contradicts
bytes terminator="[0x7c, 0xff]" terminated=unread
    never object => reads_otherwise
    behind const u8 is=0x7c
    ; 61 62; 7c => hex(61 62)
    ; ; 7c => hex()
    not hex(61 ff) => text_contains
    two ; 61 62; 7c => [hex(61 62), hex()]
text encoding=utf16le terminator="[0x7c, 0x0a]" terminated=kept
    7c 01 7c 00 => "ż|"
    00 0a 0a 00 => "\u{a00}\n"
    not "a" => missing_terminator contradicts
    not "\na|" => text_contains contradicts
text size=4 terminator="[0x7c, 0x0a]" terminated=kept strip="20"
    width 4
    61 7c 20 20 => "a|"
    61 62 20 20 => "ab"
    kept 61 0a 7c 20 => "a\n"
    not "a|b" => text_contains
text terminator="7c" terminator_optional=#true
    open
    61 62 7c => "ab"
    7c => ""
    last 61 62 => "ab"
    last => ""
    not "a|b" => text_contains
bytes terminator="7c" terminator_optional=#true
    61 ff 7c => hex(61 ff)
    7c => hex()
    not hex(7c) => text_contains
text size=4 terminator=nul
    width 4
    61 62 00 00 => "ab"
    00 00 00 00 => ""
    61 62 63 64 => "abcd"
    kept 61 62 00 63 => "ab"
    not "a\u{0}" => text_contains
    not "abcde" => length_mismatch
text size=4 terminator="7c"
    width 4
    61 62 7c 00 => "ab"
    61 62 63 64 => "abcd"
    kept 61 62 7c 01 => "ab"
    not "a|" => text_contains
bytes size=4 strip="40"
    width 4
    61 40 62 40 => hex(61 40 62)
    61 62 63 64 => hex(61 62 63 64)
    40 40 40 40 => hex()
    not hex(61 40) => text_contains
    not hex(61 62 63 64 65) => length_mismatch
text size=l strip="20"
    gives u8 l
    data array shared
    03; 61 20 62 => "a b"
    00; => ""
    kept 03; 61 20 20 => "a"
    not "a " => text_contains
text size=fill strip="20"
    open
    never named => contradicts
    61 62 => "ab"
    => ""
    kept 61 62 20 => "ab"
    not "a " => text_contains
text terminator=nul strip="20"
    61 00 => "a"
text size=4 terminator="7c" strip="20"
    width 4
    61 62 7c 20 => "ab"
    61 20 7c 20 => "a "
    kept 61 62 7c 00 => "ab"
    kept 61 62 20 20 => "ab"
    not "a|" => text_contains
text count=2 size=3
    list
    width 6
    61 62 63 64 65 66 => ["abc", "def"]
    not ["abc"] => length_mismatch
    not ["abc", "d"] => length_mismatch
text count=2 terminator=nul
    list
    61 62 00 00 => ["ab", ""]
    00 63 00 => ["", "c"]
    not ["abc"] => length_mismatch
    not ["a\u{0}", ""] => text_contains
text count=l terminator="7c"
    list
    gives u8 l
    02; 61 62 7c 7c => ["ab", ""]
    00; => []
bytes count=2 size=2 strip="40"
    list
    width 4
    61 40 62 63 => [hex(61), hex(62 63)]
    not [hex(61 40), hex(61)] => text_contains
text count=fill terminator=nul
    list
    open
    never named => contradicts
    61 62 00 63 00 => ["ab", "c"]
    => []
text count=fill size=2
    list
    open
    never named => contradicts
    61 62 63 64 => ["ab", "cd"]
    => []
Name
    with string Name length=u8
    02 61 62 => "ab"
    00 => ""
    bad 01 ff => invalid_text
Name encoding=utf16
    with string Name length=u8
    02 61 62 => "ab"
Name align=4
    with string Name length=u8
    align 4
    02 61 62 => "ab"
text size=3 terminated=kept
    width 3
    61 62 63 => "abc"
text size=3 terminator_optional=#true
    width 3
    61 62 63 => "abc"
"#;
