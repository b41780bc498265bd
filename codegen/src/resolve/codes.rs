//! Codes of problems with names, types and what they mean together.

/// Code, title and explanation.
pub const CODES: &[(&str, &str, &str)] = &[
    (
        "E0201",
        "no such library",
        "An import is looked for as `NAME.kdl` beside the schema, then among the built-in \
         libraries and those that the caller provides.",
    ),
    (
        "E0202",
        "too many imports",
        "Imports with parameters may be nested 64 levels deep, and a schema may use 256 texts. \
         Libraries that import each other with growing arguments have no end.",
    ),
    (
        "E0203",
        "declared twice",
        "A name has two declarations in one place. In the branches of a `when` over the context \
         equal names are one row; where the data decides, they must differ.",
    ),
    (
        "E0204",
        "wrong parameter of a library",
        "An import gives each parameter of the library one value of its kind: `type`, `chars`, \
         `bool` or an integer.",
    ),
    (
        "E0205",
        "ambiguous name",
        "Several imports declare the name. With the name of the import in front it is clear: \
         `nn.Label`.",
    ),
    (
        "E0206",
        "neither module nor library",
        "A schema begins with `module NAME \"Title\" root=STRUCT`, or with `library NAME`.",
    ),
    (
        "E0207",
        "wrong epoch",
        "An epoch is an integer, or a member of an enumeration, at one constant offset of the \
         file. Conditions compare it with constants. Only the module declares epochs.",
    ),
    (
        "E0208",
        "no end",
        "A type, alias, argument or named expression needs itself, or parameters make more and \
         more structs. A struct may contain itself behind a pointer or in an array, with the same \
         arguments. A named expression may not ask for itself of another element, or of what is in \
         one, either: a row with `is=`, or a `value` with `seen=`, may.",
    ),
    (
        "E0209",
        "type in a wrong place",
        "The type says too little or too much here: an enumeration without storage, `bool` \
         without a size, some bits outside of `bits`, an integer type where one is needed.",
    ),
    (
        "E0210",
        "unknown kind of pointer",
        "A sigil in front of or behind a type is declared by `pointer`.",
    ),
    (
        "E0211",
        "unknown type",
        "No struct, union, enumeration, string, alias, parameter or import has this name, or it is \
         of the wrong kind.",
    ),
    (
        "E0213",
        "wrong arguments of a type",
        "A type takes as many arguments as it has parameters, each a type or a value as its use \
         demands.",
    ),
    (
        "E0214",
        "number out of range",
        "A number that the schema states is impossible here: bits that don't fit, an alignment of \
         zero, bytes in hex that are none.",
    ),
    (
        "E0215",
        "wrong columns",
        "`columns` gives each epoch one column: ranges such as `\"<9\"`, `\"5..8\"`, `\"9\"`, members of \
         the epoch's enumeration, conditions over epochs, or `else`. Every row of the struct has as \
         many offsets as there are columns, or none.",
    ),
    (
        "E0216",
        "statement under a condition",
        "Rows with offsets are always there: a `when` over data can't contain them. `layout` and \
         `endian` are about the whole struct and have a `when` of their own; a row that `derive` \
         gives an equation has one in both branches of a `when`, or `C ? A : B` outside of it.",
    ),
    (
        "E0217",
        "wrong form or common row",
        "Beside forms, a case holds only `value` rows, and each of them is in a form. Common rows \
         stand before the first case. Forms say one value by the names of their rows, so a struct \
         in a form has a name, too. What follows from other rows is none of them, and defaults stand \
         in the forms. A field has one type, which says what every form has: rows of another kind \
         (an integer and a float, bytes and a text) make two cases. Of structs the last form's has \
         all fields and numbers of the others.",
    ),
    (
        "E0218",
        "condition without a truth value",
        "A condition over the context must be true or false in every epoch.",
    ),
    (
        "E0219",
        "unknown name",
        "A name in an expression is that of a row, `let` or parameter of the struct, of the struct \
         around a case, of an epoch, or of an enclosing struct type: `File.count`.",
    ),
    (
        "E0220",
        "no such field or element",
        "A path goes on with a row that its struct does not have, or with an element of something \
         that is no array.",
    ),
    (
        "E0221",
        "wrong kind of value",
        "An operand, condition or equation has the wrong type: integers, truth values, texts, \
         bytes, floats and addresses are not exchanged silently.",
    ),
    (
        "E0222",
        "wrong call",
        "The function does not exist, or takes other arguments; or it asks where something is that has \
         no place: a computed `let`, or a slice. Bytes of the file (`bytes(…)`) are \
         known when all others are written: only integers in whole bytes, and bytes of a known size, \
         follow from them, by `is=` or `usually=`, and nothing else can ask for them, be it a size, a \
         rule or a `let`. A rule can ask for the row that follows from them.",
    ),
    (
        "E0223",
        "wrong reference",
        "`ref=` names one array, or a `let` that chooses one; `in=` a pool that is reached from the root without arrays; if there are \
         several ways to its struct, it begins with the root: `in=File.first.names`. Elements are known \
         by a number of their own: a row, also of a case or of a struct without a name, a `let`, or a \
         `value`. A slice is a part \
         of one array: where each element of another one has such an array, its path begins with the \
         struct of the element, which is around.",
    ),
    ("E0224", "not a constant", "The value must be the same for every file."),
    (
        "E0225",
        "wrong or missing property",
        "Properties exclude each other, belong to another kind of row, or are missing.",
    ),
    (
        "E0226",
        "no length",
        "The length of the row is not known: give `size=`, `count=`, `end=`, `terminator=`, or an \
         offset of what follows.",
    ),
    (
        "E0227",
        "wrong letter",
        "A row with `bits=` takes the bits that the pattern of its case names by this letter; the \
         type must be wide enough.",
    ),
    (
        "E0228",
        "wrong union",
        "A union says what decides (`on=`, `tag=`, `word=` or `given=`) and has cases with labels.",
    ),
    (
        "E0229",
        "wrong label",
        "A label is a number, a range, a member of the tag's enumeration, a text in single quotes, \
         a truth value, a pattern as long as the tag or longer, or `else`, as the tag demands.",
    ),
    (
        "E0230",
        "wrong path in a layout",
        "A layout names rows of the struct that own objects, or marks.",
    ),
    (
        "E0231",
        "wrong equation for another row",
        "`derive` gives an equation to a row of the struct, of the struct around a case, or of an \
         inline struct that says `is=owner`. A row has one equation.",
    ),
    ("E0232", "wrong root", "The root of a module is a struct without parameters."),
    (
        "E0233",
        "struct is not transparent",
        "The value of a transparent struct is that of its only row with data; all others must be \
         fixed or derived.",
    ),
    (
        "E0234",
        "no byte order mark",
        "A module with `endian=byte_order` has a `byte_order` row at a constant offset of its \
         root.",
    ),
    (
        "E0235",
        "bit order not said",
        "`bit_order=` on a struct is about its own rows. A struct in it that has rows of bits says \
         its own bit order, where it is not that of the module.",
    ),
    (
        "E0236",
        "no sign here",
        "The bits that a letter of a pattern stands for hold no negative numbers. `sign=` says how an \
         integer of variable length has its sign, so its type is one with a sign.",
    ),
    (
        "E0237",
        "list or struct that is measured",
        "`seen=` gives one number, truth value or text. A list, struct or union stands where its bytes \
         are.",
    ),
    (
        "E0238",
        "example of no layout",
        "The `when=` of an example is a condition over epochs and selects layouts that have what \
         the example is of. A whole file says its layout itself, and an enumeration has no bytes.",
    ),
    (
        "E0239",
        "no part of this schema",
        "`include` puts the declarations of another text in the place of this line. That text begins \
         with `part NAME`, the name of the module or library that includes it, and includes nothing \
         itself.",
    ),
    (
        "E0240",
        "value that can't be nothing",
        "`value ?TYPE NAME seen=EXPR` is nothing where the expression gives nothing. What is not \
         measured says `none=` where its bytes are, and a default with `usually=` would leave \
         nobody a way to say nothing.",
    ),
];
