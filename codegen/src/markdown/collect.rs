//! Kinds of pointers, declared texts, and what collects things from all over a file: string pools,
//! shared tables, dictionaries, the relocation table.

use std::fmt::Write as _;

use super::about::in_line;
use super::expr::{path_text, words, written};
use super::facts::{base_words, listed_words, stored_number};
use super::plan::Cx;
use super::text::{and, code, head, hex, number, plain, prose, sentence, source, table};
use super::types::{cell_text, int_text, type_text};
use crate::model::{
    Constant, DigitFill, DigitsId, EpochId, Expr, ExprId, GroupOrder, Home, Listing, Model, Path,
    PointerId, PointerKind, PointerType, Policy, PoolOrder, Record, RecordId, RecordKind,
    RelocationEncoding, Role, Row, RowKind, RunLength, RunType, Step, Subject, Target, Type,
    Varint, VarintId, VarintSign, WhenEmpty,
};

const FIRST: EpochId = EpochId(0);

pub(super) fn strings(cx: &Cx<'_>) -> String {
    let mut rows = Vec::new();
    for (at, string) in (0_u32..).zip(&cx.model.strings) {
        let text = match string.ty.in_epoch(FIRST) {
            Type::Run(run) => super::types::run_text(cx, run),
            ty @ Type::Region(_) => super::types::plain_text(cx, ty, FIRST),
            _ => String::new(),
        };
        let mut said: Vec<String> = string.doc.as_deref().map(sentence).into_iter().collect();
        said.extend(in_line(cx.model, Subject::Text(at)));
        said.extend(string.source.as_deref().map(|found| format!("Source: {}", source(found))));
        rows.push(vec![plain(&string.name), text, said.join(" ")]);
    }
    table(&head(&["Name", "Stored as", "Description"]), &rows)
}

pub(super) fn varints(cx: &Cx<'_>) -> String {
    let mut rows = Vec::new();
    for (id, varint) in (0_u32..).map(VarintId).zip(&cx.model.varints) {
        let order = match varint.order {
            GroupOrder::MsbFirst => "highest seven bits first",
            GroupOrder::LsbFirst => "lowest seven bits first",
        };
        let mut said: Vec<String> = varint.doc.as_deref().map(sentence).into_iter().collect();
        said.extend(in_line(cx.model, Subject::Varint(id)));
        let sign = match varint.sign {
            _ if !varint.ty.signed => "",
            VarintSign::Twos => ", two's complement",
            VarintSign::Zigzag => ", zigzag",
        };
        let last = match varint.last {
            8 => format!(", byte {} with eight bits", varint.max_bytes),
            _ => String::new(),
        };
        let shortest = match varint.shortest {
            true => ", no more than needed",
            false => "",
        };
        rows.push(vec![
            plain(&varint.name),
            code(&int_text(varint.ty)),
            format!("at most {} bytes, {order}{sign}{last}{shortest}", varint.max_bytes),
            said.join(" "),
        ]);
    }
    let head = head(&["Name", "Holds", "Stored as", "Description"]);
    let text = table(&head, &rows);
    let of = |is: fn(&Varint) -> bool| cx.model.varints.iter().any(is);
    let twos = match of(|varint| varint.ty.signed && varint.sign == VarintSign::Twos) {
        true => "Two's complement: the highest bit of the highest group stands for all above it.\n",
        false => "",
    };
    let zigzag = match of(|varint| varint.ty.signed && varint.sign == VarintSign::Zigzag) {
        true => "Zigzag: 0, -1, 1, -2 and 2 are stored as 0 to 4.\n",
        false => "",
    };
    let last = match of(|varint| varint.last == 8) {
        true => "A byte with eight bits is always the last one.\n",
        false => "",
    };
    let widths = match (of(|varint| varint.shortest), of(|varint| !varint.shortest)) {
        (true, false) => "A number takes as few bytes as will do; more are an error.\n",
        (true, true) => {
            "A number usually takes as few bytes as will do; one that takes more, up to the most that it may, is an error where the table says so, and elsewhere legal, and its width is kept.\n"
        }
        _ => {
            "A number usually takes as few bytes as will do; one that takes more, up to the most that it may, is legal, and its width is kept.\n"
        }
    };
    format!(
        "{text}\nSeven bits in each byte; all but the last have their high bit set.\n{last}{twos}{zigzag}{widths}"
    )
}

pub(super) fn digits(cx: &Cx<'_>) -> String {
    let mut rows = Vec::new();
    for (id, digits) in (0_u32..).map(DigitsId).zip(&cx.model.digits) {
        let base = match digits.base {
            8 => "octal digits".to_owned(),
            10 => "decimal digits".to_owned(),
            16 if digits.upper => "hexadecimal digits, `A` to `F`".to_owned(),
            16 => "hexadecimal digits, `a` to `f`".to_owned(),
            base => format!("digits of base {base}"),
        };
        let fill = match digits.fill {
            DigitFill::ZerosFirst => "zeros in front",
            DigitFill::BlanksFirst => "blanks in front",
            DigitFill::BlanksLast => "blanks behind",
        };
        let end: Vec<String> = digits.end.iter().map(|byte| format!("{byte:02x}")).collect();
        let end = match end.as_slice() {
            [] => String::new(),
            bytes => format!(", then {}", code(&bytes.join(" "))),
        };
        let mut said: Vec<String> = digits.doc.as_deref().map(sentence).into_iter().collect();
        said.extend(in_line(cx.model, Subject::Digits(id)));
        let stored = match digits.bytes {
            Some(bytes) => format!("{bytes} bytes of {base}, {fill}{end}"),
            None if digits.end.is_empty() => format!("{base}, up to the first byte that is none"),
            None => format!("{base}{end}"),
        };
        rows.push(vec![plain(&digits.name), code(&int_text(digits.ty)), stored, said.join(" ")]);
    }
    let head = head(&["Name", "Holds", "Stored as", "Description"]);
    let text = table(&head, &rows);
    format!(
        "{text}\nA number that stands among other blanks and zeros is legal, and its bytes are kept; no digits at all are 0.\n"
    )
}

pub(super) fn pointers(cx: &Cx<'_>) -> String {
    let mut rows = Vec::new();
    for kind in &cx.model.pointers {
        let base = base_words(cx, kind).unwrap_or_else(|| "the start of the file".to_owned());
        let empty = match kind.when_empty {
            _ if kind.pool.is_some() => "",
            WhenEmpty::None => "none",
            WhenEmpty::Here => "where it would be",
            WhenEmpty::Kept => "either",
        };
        let align = match kind.align {
            ..=1 => String::new(),
            align => format!("a multiple of {align}{}", other_alignments(cx, kind)),
        };
        let mut said: Vec<String> = kind.doc.as_deref().map(sentence).into_iter().collect();
        if let (Some(pool), Some(text)) = (&kind.pool, &kind.text) {
            let pool = code(&path_text(cx.model, pool));
            said.push(format!("Leads to a {} in {pool}.", type_text(cx, text, FIRST)));
        }
        rows.push(vec![
            code(&kind.name),
            cell_text(cx, &kind.cell),
            base,
            kind.none.map(|none| code(&number(none))).unwrap_or_default(),
            empty.to_owned(),
            align,
            said.join(" "),
        ]);
    }
    let titles = [
        "Kind",
        "Stored as",
        "Counts from",
        "None is",
        "Empty array",
        "Targets begin on",
        "Description",
    ];
    table(&head(&titles), &rows)
}

/// Types and rows that say another alignment for targets of a kind of pointer; empty if there are none.
fn other_alignments(cx: &Cx<'_>, kind: &PointerKind) -> String {
    let mut types: Vec<String> = Vec::new();
    let mut rows: Vec<String> = Vec::new();
    let add = |list: &mut Vec<String>, text: String| {
        if !list.contains(&text) {
            list.push(text);
        }
    };
    for (id, record, row) in rows_where(cx.model, |row| !pointers_in(&row.ty).is_empty()) {
        for pointer in pointers_in(&row.ty).into_iter().filter(|p| is_kind(cx.model, p, kind)) {
            let Target::Own(target) = &pointer.target else { continue };
            if pointer.align.is_some() {
                add(&mut rows, code(&row_path(cx, id, record, row)));
                continue;
            }
            match own_align(cx.model, target) {
                Some((leaf, align)) if align != kind.align => {
                    add(&mut types, format!("{}: {align}", leaf_text(cx, leaf)));
                }
                _ => {}
            }
        }
    }
    let mut said = Vec::new();
    if !types.is_empty() {
        said.push(format!("their type ({})", types.join(", ")));
    }
    if !rows.is_empty() {
        said.push(format!("the row ({})", rows.join(", ")));
    }
    match said.as_slice() {
        [] => String::new(),
        said => format!(", unless {} says otherwise", said.join(" or ")),
    }
}

fn is_kind(model: &Model, pointer: &PointerType, kind: &PointerKind) -> bool {
    model.pointers.get(pointer.kind.index()).is_some_and(|found| std::ptr::eq(found, kind))
}

/// The type in a target that states an alignment for itself, and the alignment in bytes.
fn own_align<'m>(model: &'m Model, target: &'m Type) -> Option<(&'m Type, u64)> {
    match target {
        Type::Record(id) => Some((target, model.records.get(id.index())?.align?)),
        Type::Run(run) => Some((target, run.align?)),
        Type::Region(region) => own_align(model, &region.inner),
        Type::Array(array) => match array.element.in_epoch(FIRST) {
            element @ (Type::Run(_) | Type::Record(_) | Type::Region(_)) => {
                own_align(model, element)
            }
            _ => None,
        },
        Type::PerEpoch(types) => types.iter().find_map(|ty| own_align(model, ty)),
        _ => None,
    }
}

/// A type that states its alignment, which is not repeated.
fn leaf_text(cx: &Cx<'_>, leaf: &Type) -> String {
    match leaf {
        Type::Run(run) if cx.string(leaf).is_none() => {
            super::types::run_text(cx, &RunType { align: None, ..run.clone() })
        }
        _ => type_text(cx, leaf, FIRST),
    }
}

/// Rows of a kind, with their records.
fn rows_where(model: &Model, keep: impl Fn(&Row) -> bool) -> Vec<(RecordId, &Record, &Row)> {
    let mut found = Vec::new();
    for (id, record) in model.records() {
        found.extend(record.rows.iter().filter(|row| keep(row)).map(|row| (id, record, row)));
    }
    found
}

/// Name of a row for lists: `Actor.name`, of cases `Event.data.fork.branches`.
fn row_path(cx: &Cx<'_>, id: RecordId, record: &Record, row: &Row) -> String {
    let top = cx.top(id);
    let title = cx.title(top);
    let name = cx.record(top).map_or("", |top| top.name.as_str());
    let holder = match record.kind {
        RecordKind::Case(..) | RecordKind::Form(..) => match record.name.strip_prefix(name) {
            Some(rest) => format!("{title}{rest}"),
            None => record.name.clone(),
        },
        RecordKind::Struct | RecordKind::Word(_) => title.to_owned(),
    };
    format!("{holder}.{}", row.name.as_deref().unwrap_or("_"))
}

/// Paths without repetition, in the order of the schema.
fn row_paths(cx: &Cx<'_>, rows: &[(RecordId, &Record, &Row)]) -> Vec<String> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(|(_, _, row)| (row.span.source, row.span.start));
    let mut paths: Vec<String> = Vec::new();
    for (id, record, row) in rows {
        let path = code(&row_path(cx, id, record, row));
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

pub(super) fn has_pools(model: &Model) -> bool {
    !rows_where(model, |row| matches!(row.kind, RowKind::Pool { .. })).is_empty()
}

pub(super) fn pools(cx: &Cx<'_>) -> String {
    let mut out = String::new();
    for (id, _, row) in rows_where(cx.model, |row| matches!(row.kind, RowKind::Pool { .. })) {
        let RowKind::Pool { always, kept, order, pad } = &row.kind else { continue };
        let name = code(row.name.as_deref().unwrap_or("pool"));
        let ty = match row.ty.in_epoch(FIRST) {
            Type::Array(array) => type_text(cx, &array.element, FIRST),
            ty => type_text(cx, ty, FIRST),
        };
        let _ = writeln!(out, "{} holds texts in {name}, each a {ty}.\n", cx.record_link(id));
        let members = if *kept {
            "The list of members belongs to the data: texts that nothing refers to may be among them."
        } else if order.iter().any(|(_, order)| *order == PoolOrder::EachUse) {
            "Its members are the texts that pointers lead to."
        } else {
            "Its members are the texts that pointers lead to, each once."
        };
        let _ = writeln!(out, "- {members}");
        for text in always {
            let text = if text.is_empty() { "The empty text".to_owned() } else { code(text) };
            let _ = writeln!(out, "- {text} is always a member.");
        }
        for (at, (condition, order)) in order.iter().enumerate() {
            let order = match order {
                PoolOrder::FirstUse => {
                    "in the order of the pointers that lead to them, by their offsets"
                }
                PoolOrder::EachUse => {
                    "in the order of the pointers that lead to them, by their offsets; each pointer has a text of its own, even where two are the same"
                }
                PoolOrder::DepthFirst => {
                    "in the order in which the fields lead to them: each field, with all that it leads to, before the next one"
                }
                PoolOrder::Bytes => "by their bytes",
                PoolOrder::BitsFromEnd => {
                    "by their bits from the end: bit 0 is the lowest bit of the last byte, bit 8 the lowest of the byte before; \
                     of two texts the one with 0 at the lowest bit that differs comes first, and bits in front of a text are 0"
                }
            };
            let when = match condition {
                Some(condition) => format!("If {}, sorted", written(cx.model, *condition)),
                None if at > 0 => "Otherwise sorted".to_owned(),
                None => "Sorted".to_owned(),
            };
            let _ = writeln!(out, "- {when} {order}.");
        }
        if *pad > 1 {
            let _ = writeln!(
                out,
                "- Each is filled up with zero bytes to a multiple of {pad}; the filling belongs to it."
            );
        }
        let kinds: Vec<PointerId> = (0_u32..)
            .map(PointerId)
            .zip(&cx.model.pointers)
            .filter(|(_, kind)| kind.pool.as_ref().is_some_and(|pool| ends_in(pool, id, row)))
            .map(|(kind, _)| kind)
            .collect();
        let here = |row: &Row| {
            let pointers = pointers_in(&row.ty);
            pointers.iter().any(|p| matches!(p.target, Target::Pooled) && kinds.contains(&p.kind))
        };
        let users = row_paths(cx, &rows_where(cx.model, here));
        if !users.is_empty() {
            let _ = writeln!(out, "- Pointers to texts: {}.", users.join(", "));
        }
        out.push('\n');
    }
    out
}

/// Whether a path ends in this row of this record.
fn ends_in(path: &Path, id: RecordId, row: &Row) -> bool {
    match path.steps.last() {
        Some(Step::Field(field)) => {
            row.name.as_ref() == Some(&field.name) && field.members.iter().any(|(of, _)| *of == id)
        }
        _ => false,
    }
}

pub(super) fn has_shared(model: &Model) -> bool {
    !rows_where(model, |row| matches!(row.role, Role::View { .. })).is_empty()
}

/// Tables whose elements belong to others.
pub(super) fn shared(cx: &Cx<'_>) -> String {
    let mut out = String::from(
        "The elements of these tables belong to the structures that say where theirs begin and how \
         many there are; behind each other they make up the whole table.\n\n",
    );
    let mut rows = Vec::new();
    for (id, record, row) in rows_where(cx.model, |row| matches!(row.role, Role::View { .. })) {
        let Role::View { slices, key } = &row.role else { continue };
        let slices: Vec<String> =
            slices.iter().map(|path| code(&path_text(cx.model, path))).collect();
        rows.push(vec![
            code(&row_path(cx, id, record, row)),
            slices.join(", then "),
            key.map(|key| written(cx.model, key)).unwrap_or_default(),
        ]);
    }
    out.push_str(&table(&head(&["Table", "Made of", "Sorted by"]), &rows));
    out
}

pub(super) fn has_dictionaries(model: &Model) -> bool {
    model.records().any(|(id, _)| model.is_dictionary(id))
}

pub(super) fn dictionaries(cx: &Cx<'_>) -> String {
    let mut out = String::from(
        "A dictionary is a radix tree (PATRICIA) from names to positions.\n\
         Bits of a name are counted from its end: bit 0 is the lowest bit of the last byte, bit 8 the lowest of the byte before; bits in front of the name are 0.\n\
         Node 0 is the root, whose bit is -1 and whose name is empty; node i + 1 belongs to element i, so the nodes are in the order of the elements and are not sorted.\n\n\
         To look up a name: start at the root and go to its first link. As long as the bit of a node is greater than that of the node before, go on to its link for that bit of the name. The last node is the only one that can have the name.\n\n\
         To build the tree, insert the names in order:\n\n\
         1. Look the name up; call the node where that ends L, and the lowest bit in which the name differs from that of L (of the root: from the empty text) d.\n\
         2. Walk from the root again, as long as the bit of the next node is greater than that of the node before and less than d.\n\
         3. The new node tests d. Its link for the name's own bit d leads to itself, the other one to where the walk was to go on; the link that led there now leads to the new node.\n\n\
         In an empty tree both links of the root lead to the root. Empty and equal names are errors.\n\n",
    );
    let mut rows = Vec::new();
    for id in cx.sections() {
        let members = cx.members(cx.class(id));
        let is_one = |id: &RecordId| cx.model.is_dictionary(*id);
        if !members.iter().any(is_one) {
            continue;
        }
        for (holder, record, row) in rows_where(cx.model, |row| leads_to(&row.ty, members)) {
            let keys = keys(cx, &row.ty, members);
            rows.push(vec![code(&row_path(cx, holder, record, row)), keys]);
        }
    }
    out.push_str(&table(&head(&["Dictionary", "Names"]), &rows));
    out
}

/// Whether a row holds one of these records, or points to one.
fn leads_to(ty: &Type, members: &[RecordId]) -> bool {
    target_of(ty, members).is_some()
}

fn target_of(ty: &Type, members: &[RecordId]) -> Option<RecordId> {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match ty {
            Type::Record(id) if members.contains(id) => return Some(*id),
            Type::Pointer(pointer) => {
                if let Target::Own(target) = &pointer.target {
                    work.push(target);
                }
            }
            Type::Array(array) => work.push(&array.element),
            Type::Region(region) => work.push(&region.inner),
            Type::PerEpoch(types) => work.extend(types),
            _ => {}
        }
    }
    None
}

/// The names that a dictionary is about: its argument, or its own path.
fn keys(cx: &Cx<'_>, ty: &Type, members: &[RecordId]) -> String {
    let Some(id) = target_of(ty, members) else { return String::new() };
    let arguments = super::types::arguments(cx, id);
    if !arguments.is_empty() {
        let values: Vec<String> = arguments.into_iter().map(|(_, value)| value).collect();
        return values.join(", ");
    }
    let tree = cx
        .record(id)
        .and_then(|record| record.rows.iter().find(|row| row.patricia(cx.model).is_some()));
    match tree.map(|row| (&row.role, row.patricia(cx.model))) {
        Some((Role::Kept(_), Some(path))) => code(&path_text(cx.model, path)),
        _ => String::new(),
    }
}

pub(super) fn has_relocation(model: &Model) -> bool {
    !model.relocation.is_empty()
}

pub(super) fn relocation(cx: &Cx<'_>) -> String {
    let model = cx.model;
    let mut out = String::from(
        "The relocation table lists where the file holds pointers, so that a program can turn offsets into addresses.\n\n",
    );
    let mut rows = Vec::new();
    for (at, section) in model.relocation.iter().enumerate() {
        let name = if section.name.is_empty() { at.to_string() } else { prose(&section.name) };
        rows.push(vec![name, bound(cx, section.from), bound(cx, section.to)]);
    }
    let _ = writeln!(out, "{}", table(&head(&["Section", "From", "To"]), &rows));
    for record in &model.records {
        if let Some(encoding) = record.encodes {
            let id = model.records().find(|(_, found)| std::ptr::eq(*found, record));
            let link = id.map(|(id, _)| cx.record_link(id)).unwrap_or_default();
            let _ = writeln!(out, "{}\n", encoding_words(encoding, &link));
        }
    }
    out.push_str(&listed(cx));
    out
}

fn bound(cx: &Cx<'_>, expr: ExprId) -> String {
    match &cx.model[expr] {
        Expr::If(condition, yes, no) => {
            let (yes, no) = (words(cx.model, *yes), words(cx.model, *no));
            format!("{yes} if {}, else {no}", written(cx.model, *condition))
        }
        Expr::Int(value) => hex(u64::try_from(*value).unwrap_or_default()),
        _ => words(cx.model, expr),
    }
}

fn encoding_words(encoding: RelocationEncoding, link: &str) -> String {
    match encoding {
        RelocationEncoding::PointerMasks => format!(
            "{link}: an offset, and a mask of 32 bits; bit k means that the eight bytes at the offset + 8 k are a pointer.\n\
             The first entry begins at the first pointer that is listed and takes all that its mask reaches; the next one begins at the first that is left."
        ),
        RelocationEncoding::PointerRuns => format!(
            "{link}: an offset, then how often the pattern repeats, how many pointers follow each other in it, and how many words of eight bytes are skipped behind them."
        ),
    }
}

/// Classes of pointers, in the order of [`Listing`].
const CLASSES: [&str; 5] = [
    "to one object",
    "to an array",
    "to a dictionary",
    "to a text of a pool",
    "filled in by programs",
];

fn policies(listing: Listing) -> [Policy; 5] {
    [listing.object, listing.array, listing.dictionary, listing.string, listing.runtime]
}

fn policy_text(policy: Policy) -> &'static str {
    match policy {
        Policy::Never => "never",
        Policy::Set => "if it is set",
        Policy::Always => "always",
    }
}

/// What is listed, by kind of pointer and class of target, with the rows.
fn listed(cx: &Cx<'_>) -> String {
    let model = cx.model;
    let mut rows = Vec::new();
    for (number, kind) in model.pointers.iter().enumerate() {
        if kind.listing.is_empty() {
            continue;
        }
        for (class, title) in CLASSES.iter().enumerate() {
            let is_one = |pointer: &PointerType| {
                pointer.kind.index() == number && class_of(model, pointer) == class
            };
            let paths = holders_of(cx, &is_one);
            if paths.is_empty() {
                continue;
            }
            let mut each: Vec<(String, String)> = Vec::new();
            for (condition, listing) in &kind.listing {
                let policy = policies(*listing).get(class).copied().unwrap_or(Policy::Never);
                let condition = condition.map(|c| written(model, c)).unwrap_or_default();
                each.push((condition, policy_text(policy).to_owned()));
            }
            let same = each.windows(2).all(|pair| pair[0].1 == pair[1].1);
            let text = match each.as_slice() {
                [(_, first), ..] if same => first.clone(),
                all => {
                    let part = |(condition, policy): &(String, String)| match condition.as_str() {
                        "" => format!("otherwise {policy}"),
                        condition => format!("where {condition} {policy}"),
                    };
                    all.iter().map(part).collect::<Vec<_>>().join(", ")
                }
            };
            rows.push(vec![code(&kind.name), (*title).to_owned(), text, paths.join(", ")]);
        }
    }
    let mut out = String::new();
    if !rows.is_empty() {
        let own = rows_where(model, |row| pointers_in(&row.ty).iter().any(|p| p.list.is_some()));
        if !own.is_empty() {
            out.push_str("Rows that say something else themselves do so in their description.\n\n");
        }
        out.push_str(&table(&head(&["Pointers", "Which lead", "Listed", "Rows"]), &rows));
    }
    let others = rows_where(model, |row| {
        let listed = row.listed.filter(|listed| listed.policy != Some(Policy::Never));
        listed.and_then(|listed| listed_words(cx, listed)).is_some()
    });
    let numbers = row_paths(cx, &others);
    if !numbers.is_empty() {
        let _ = writeln!(out, "\nNumbers that are listed as well: {}.", and(&numbers));
    }
    out
}

/// Rows that hold such a pointer, in the order of the schema. Of a row that has it in what it leads to,
/// that is said.
fn holders_of(cx: &Cx<'_>, is_one: &dyn Fn(&PointerType) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (id, record, row) in rows_where(cx.model, |_| true) {
        for (pointer, inside) in pointers_and_depths(&row.ty) {
            if is_one(pointer) {
                let path = code(&row_path(cx, id, record, row));
                let text = match inside {
                    Inside::Row => path,
                    Inside::Target => format!("the target of {path}"),
                    Inside::Elements => format!("elements of {path}"),
                };
                found.push((row.span.source, row.span.start, text));
            }
        }
    }
    found.sort_by_key(|(source, start, _)| (*source, *start));
    let mut texts: Vec<String> = Vec::new();
    for (.., text) in found {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// Where in a row a pointer stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Inside {
    /// In the row itself.
    Row,
    /// In what the row points to.
    Target,
    /// In each element of an array there.
    Elements,
}

/// Pointers that a row holds here or in what it points to.
fn pointers_in(ty: &Type) -> Vec<&PointerType> {
    pointers_and_depths(ty).into_iter().map(|(pointer, _)| pointer).collect()
}

/// The same, with where they stand.
fn pointers_and_depths(ty: &Type) -> Vec<(&PointerType, Inside)> {
    let mut found = Vec::new();
    let mut work = vec![(ty, Inside::Row)];
    while let Some((ty, inside)) = work.pop() {
        match ty {
            Type::Pointer(pointer) => {
                found.push((&**pointer, inside));
                if let Target::Own(target) = &pointer.target {
                    let deeper = if inside == Inside::Row { Inside::Target } else { inside };
                    work.push((target, deeper));
                }
            }
            Type::Array(array) => work.push((&array.element, Inside::Elements)),
            Type::Region(region) => work.push((&region.inner, inside)),
            Type::PerEpoch(types) => work.extend(types.iter().map(|ty| (ty, inside))),
            _ => {}
        }
    }
    found
}

/// Position in [`CLASSES`].
fn class_of(model: &Model, pointer: &PointerType) -> usize {
    match &pointer.target {
        Target::Pooled => 3,
        Target::Element => 0,
        Target::Own(target) => {
            let mut ty = target.in_epoch(FIRST);
            while let Type::Region(region) = ty {
                ty = &region.inner;
            }
            match ty {
                Type::Array(_) => 1,
                Type::Run(run) if matches!(run.length, RunLength::Count(_)) => 1,
                Type::Record(id) if model.is_dictionary(*id) => 2,
                _ => 0,
            }
        }
    }
}

/// Constants without a name at the same offset in every file, for the overview.
pub(super) fn magic(cx: &Cx<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut work = vec![(cx.model.root, 0_u64)];
    while let Some((id, start)) = work.pop() {
        let Some(record) = cx.record(id) else { continue };
        for (number, row) in record.rows.iter().enumerate() {
            let at = match row.homes.as_slice() {
                [Home::At(first), rest @ ..] if rest.iter().all(|h| *h == Home::At(*first)) => {
                    *first
                }
                // Without homes only the first row's offset is known here.
                [Home::Next, ..] if number == 0 => 0,
                _ => continue,
            };
            let at = start.saturating_add(at);
            match (&row.kind, &row.ty) {
                (RowKind::Constant(constant), _) if row.name.is_none() => {
                    let text = match constant {
                        Constant::Int(value) => stored_number(&row.ty, *value),
                        constant => super::text::constant(constant),
                    };
                    found.push((at, format!("{text} at {}", hex(at))));
                }
                (RowKind::Plain, Type::Record(inner)) => work.push((*inner, at)),
                _ => {}
            }
        }
    }
    found.sort();
    found.into_iter().map(|(_, text)| text).collect()
}
