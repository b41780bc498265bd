//! Codes of problems that the proofs find.

/// Code, title and explanation.
pub const CODES: &[(&str, &str, &str)] = &[
    (
        "E0301",
        "rows overlap",
        "Two rows of a struct take the same byte. Each byte of a fixed block belongs to one row; \
         what has several meanings is a union. The message names the layout if the format has \
         several.",
    ),
    (
        "E0302",
        "gap between rows",
        "Bytes of a fixed block belong to no row. Say what they are: `zero` if they are always \
         zero, `reserved` if they are kept as they are, or a row.",
    ),
    (
        "E0303",
        "case leaves bytes unfilled",
        "The rows of a case must fill the bytes from the home of the union to the next row, or to \
         the end of the struct. Unfilled bytes are not taken to be zero: say `zero`.",
    ),
    (
        "E0304",
        "size is not what the rows take",
        "The size that stands behind the name of a struct, or that a union demands of its cases, is \
         not the end of the rows.",
    ),
    (
        "E0305",
        "no fixed size",
        "Homes are constant, so all rows before a home must have a size that is the same in every \
         file. Rows of varying size follow the fixed block: end its size with `..` and give them \
         no homes.",
    ),
    ("E0306", "block too large", "A fixed block may have at most 4 GiB."),
    (
        "E0307",
        "bits outside of the word",
        "A bit field lies beyond the highest bit of its word, or ends before it begins. Bits count \
         from 0, the lowest; both ends are included.",
    ),
    ("E0308", "bit fields overlap", "Two bit fields of a word take the same bit."),
    (
        "E0309",
        "bits do not end on a byte",
        "Rows of bits that follow each other share bytes, but the row behind them begins with a \
         whole byte. Say what the other bits are: `zero bits=3` or `reserved bits=3`.",
    ),
    (
        "E0310",
        "row without a home",
        "Either all rows of a struct have homes, or none has. Only if `..` follows the size of the \
         struct, rows without homes may follow: they stand behind the fixed block, so they come \
         behind all rows that have a home.",
    ),
    (
        "E0401",
        "cases share a label",
        "Two cases or forms of a union take the same number, text or bits in the same layout, so \
         reading could not decide.",
    ),
    ("E0402", "two cases for everything else", "A union has at most one `else` in each layout."),
    ("E0403", "case can never be chosen", "The label is a number that the tag cannot hold."),
    (
        "E0405",
        "pattern of the wrong width",
        "With `word=` a pattern has exactly the bits of the word. With `tag=` it may reach into the \
         bytes behind the tag.",
    ),
    (
        "E0406",
        "form lacks a field",
        "All forms of a case say the same fields, each as stored bytes, as a `const`, or as bits of \
         the pattern.",
    ),
    (
        "E0407",
        "no form is total",
        "Some form of a case, as a rule the last, should be able to say every value; otherwise \
         writing some values is an error.",
    ),
    (
        "E0408",
        "tag is not kept",
        "A union with `tag=` or `word=` writes the number in front of a case, so the value must say \
         it. One number, or a pattern whose letters are all in rows by `bits=`, follows from the \
         case. Of several numbers, a range or `else` a row `tag NAME` keeps which it was. A pattern \
         or `else` stands alone: beside other labels nothing would say which one it was.",
    ),
    (
        "E0501",
        "derived without an equation",
        "The row says `is=owner`, but no struct that holds it says `derive PATH is=...` or names it \
         in `at=`, `count=` or `size=`.",
    ),
    (
        "E0502",
        "equation missing here",
        "The struct has a row with `is=owner`. Other structs that use it give the equation, this \
         one does not.",
    ),
    (
        "E0505",
        "equations in a circle",
        "To compute the row when writing, its own number is needed. Of a number of variable length the \
         size is, so it does not follow from where something behind it is; nor does whether a row is \
         there (`when`).",
    ),
    (
        "E0506",
        "length that is not turned round",
        "A number is derived from a length that says `n`, `n + c`, `c - n`, `n << c` or `n * c + d`. Of other \
         expressions nobody knows which number gives a length, so the number stays data, and a \
         value in which both do not agree can't be written.",
    ),
    (
        "E0508",
        "row needed before it is read",
        "The place, length, presence or byte order of a row depends on another one, in its struct or in \
         one around, which depends on it in turn or cannot be read earlier. What decides \
         the byte order of an epoch stands at one offset, the same in all epochs.",
    ),
    (
        "E0509",
        "position where none is",
        "`here` and `region_end` are about where a reader is. They say how long something is, and \
         whether data is there; of what follows from other rows, and of rules, they say nothing, and \
         whether bytes are there that the value does not have cannot follow from the end of a region.",
    ),
    (
        "E0511",
        "object that is always there",
        "An object with `?` is there if its address is one. Where each number of the row that says \
         the address is one, it is always there, and a value without it can't be written. `none=` \
         of the row says which number stands for nothing; then the row is derived, too. If the \
         object is always there, leave out the `?`.",
    ),
    (
        "E0512",
        "optional object without data",
        "An object with `?` is there if the value has it. Of an object without data, such as `nothing`, \
         a value has nothing, so that nobody could say whether it is to be written.",
    ),
    (
        "E0601",
        "never placed",
        "The row owns an object, but the layout of the struct has no statement for it: `record` \
         places its bytes, `tail` what it owns in turn, `put` both. For a `mark` it is `mark`.",
    ),
    ("E0602", "placed twice", "Each owned object is placed exactly once; two statements do so."),
    (
        "E0603",
        "placed in one branch only",
        "Both branches of a `when` in a layout place the same objects, except for those that may \
         be absent or empty.",
    ),
    (
        "E0604",
        "pass never run",
        "A struct has a `pass`, so the layout of every struct that owns it says `run` once for it.",
    ),
    (
        "E0605",
        "nothing to place",
        "The path of a layout statement leads to a row that owns no object, or into an object that \
         has a layout of its own. What that one leaves to others stands in a `pass` of its struct, and \
         `run` places it.",
    ),
    ("E0606", "unknown pass", "The structs at the path have no `pass` of this name."),
    (
        "E0607",
        "layout does not begin with `self`",
        "A struct that is placed behind something that it owns cannot be inline or an element of \
         an array, where its bytes follow others; nor can it be the root, which begins the file.",
    ),
    ("E0608", "`self` not once", "Each layout places the struct itself exactly once, by `self`."),
    (
        "E0609",
        "pointers behind the relocation table",
        "The relocation table lists the pointers of the file, so everything that holds pointers is \
         placed before it, and its sections end before it does.",
    ),
    (
        "E0610",
        "something comes between",
        "A row with `until=OBJECT`, or `end=\"at(OBJECT)\"`, ends where the object begins, so the \
         layout places the object directly behind it, without alignment.",
    ),
    (
        "E0701",
        "struct without end",
        "A struct contains itself inline, so every value of it would be infinitely large.",
    ),
    (
        "E0702",
        "value without end",
        "A struct has a pointer that must be set and that leads to a struct of the same type, \
         directly or through others, so there is no finite value.",
    ),
    (
        "E0703",
        "elements without size",
        "Elements are read until a region ends or an element fits, but take no bytes, so there \
         could be any number of them.",
    ),
    (
        "E0704",
        "no room",
        "A row reaches to the end of the region around it, so nothing can follow. If what follows stands \
         at the end, say where the row ends: `end=\"region_end - 4\"`.",
    ),
    (
        "E0705",
        "elements perhaps without size",
        "Elements are read until a region ends. In some files one may take no bytes, and then as \
         many as the limits of reading allow could follow.",
    ),
    (
        "E0706",
        "value of a struct that may be none",
        "The value of a transparent struct is that of its row. If that may be none, because of a \
         pointer, a number, a condition or a layout without the row, the value does not say whether the struct is there. Nor does \
         an object that is a number say so, if some number stands for nothing.",
    ),
    (
        "E0707",
        "pointer to a pointer",
        "A pointer leads directly to another pointer, or an object is one, with no struct between \
         that would have a place of its own.",
    ),
    (
        "E0708",
        "not a number",
        "`none=` says which stored number stands for nothing, and `plus=` what is added to a number; \
         they have no meaning in a row that holds a float, a truth value, text, or a struct, and \
         nothing is added to the members of an enumeration. Values are numbers of 64 bits, so `i64` \
         has no `plus=` that makes them smaller.",
    ),
    (
        "E0709",
        "address of a text in a pool",
        "`at`, `end` and `size` of a label ask where its text stands, which the pool decides when \
         everything else is placed. A reader can use that, as in `find=`, but no number that is \
         written can follow from it.",
    ),
    (
        "E0711",
        "code for nothing does not fit",
        "A number given by `none=` cannot be stored in the row or pointer.",
    ),
    (
        "E0712",
        "constant does not fit",
        "A value given by `is=`, `usually=` or `absent=` cannot be stored in the row.",
    ),
    (
        "E0713",
        "empty bounds",
        "No number that the row has room for keeps to its `min=`, `max=` or `one_of=`.",
    ),
    (
        "E0714",
        "constant breaks a rule",
        "A value given by `is=`, `usually=` or `absent=` does not keep to `min=`, `max=` or \
         `one_of=` of the same row.",
    ),
    (
        "E0715",
        "member does not fit",
        "The number of a member of an enumeration cannot be stored in a row of that type.",
    ),
    (
        "E0716",
        "number for true does not fit",
        "`yes=` is 0, which means false, or greater than the row can hold.",
    ),
    (
        "E0717",
        "size that the content does not have",
        "`size=` with a constant says how many bytes there are, and the content has another size \
         whatever is in the file, in every layout; or elements have more bytes than their \
         `stride=`. A file is refused in which such a row is there.",
    ),
    ("E0720", "row without a home", "The row is absent from every layout of the format."),
    (
        "E0721",
        "default that is never used",
        "`absent=` is the value in layouts that do not have the row, but all have it.",
    ),
    (
        "E0722",
        "struct does not exist in this layout",
        "The row is there in a layout in which its struct has no size.",
    ),
    (
        "E0723",
        "data without a name",
        "The row holds data, so a value needs a name for it. A word that is no name is taken for \
         documentation, and a number for an offset: a name consists of letters, digits and `_`, \
         and does not begin with a digit. Only structs, whose rows then belong to the struct \
         around them, need none.",
    ),
    (
        "E0724",
        "slice that its table does not take",
        "`from=` of a shared table says where the slices are that it consists of. A slice of the \
         table stands at a place that none of these paths leads to, or the array has no `from=`: \
         what it has could be read, but nothing would write it into the table. Name the place in \
         `from=`, too.",
    ),
    ("E0730", "alignment not positive", "An alignment is a number of bytes, 1 or more."),
    ("E0731", "negative fill", "`zero` in a layout writes a number of bytes, 0 or more."),
    (
        "E0732",
        "elements that are not aligned",
        "Elements of varying size have padding between them, so that each begins on the `align=` of \
         its struct. Elements of a fixed size follow one another: such a struct can be one only \
         where the array is an object, which a layout places, and the size of the struct is a \
         multiple of its alignment.",
    ),
    (
        "E0733",
        "addresses or sums in something that ends with bytes",
        "Where `terminator=` or `strip=` says the end of something, its bytes are looked at when it is \
         written, before all that it leads to is placed: pointers in it, numbers that say where an \
         object is, and sums of bytes of the file are not known then. Let a length say where it ends.",
    ),
    (
        "E0734",
        "struct that is not around",
        "A path that begins with the name of a struct begins in the nearest one with this name that \
         holds what the path is written in. No such struct ever does, so the path would always be \
         nothing. The root is always around: a path through it leads everywhere. What a pointer counts \
         from is around it wherever its struct stands.",
    ),
    (
        "E0735",
        "nothing to be unique in",
        "`unique=#true` says that no two elements of an array are equal in a row: of the array that is \
         the nearest around the row, whichever structs and unions are between them, or of the array \
         that the row is. What is compared are numbers, texts and bytes; a struct or union has parts, \
         of which one can say it.",
    ),
    (
        "E0740",
        "elements that are no columns",
        "With `records=`, each element of the array is a column: of each record it has one element \
         of its own. So its type is a struct that is one array with `count=`, or a union type whose \
         cases are; the count is not a constant, since there may be any number of records. The \
         elements of that array have a size that does not depend on what is in them: numbers, \
         structs of a fixed size, texts and bytes with `size=`. They lead nowhere else.",
    ),
];
