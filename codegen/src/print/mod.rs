//! Listing of a model for people and golden tests: stable, one fact per line.

mod expr;
mod types;

use std::fmt::Write as _;

pub use expr::expr_text;
use expr::operand_text;
pub(crate) use expr::{path_text, push_steps};
pub use types::type_text;

use crate::model::{
    Align, BinaryOp, ByteOrderRule, Case, Check, CheckKind, Constant, Definer, DefinerScope,
    DefinerSource, EndianRule, Expr, ExprId, Gaps, Home, Label, Listing, Measure, Model, Pattern,
    PointerKind, Policy, PoolOrder, Record, RecordId, RecordKind, Role, Row, RowId, RowKind,
    Statement, Tag, Union, VarintSign, WhenEmpty,
};
use types::{cell_text, order_text};

/// The whole model as text. Everything that reading and writing depend on is in it, in the order of
/// the model; documentation and places in the schema are not.
#[must_use]
pub fn model_text(model: &Model) -> String {
    let mut out = String::new();
    head(model, &mut out);
    for kind in &model.pointers {
        pointer(model, kind, &mut out);
    }
    for varint in &model.varints {
        let ty = types::int_text(varint.ty);
        let (name, bytes, order) = (&varint.name, varint.max_bytes, varint.order);
        let zigzag = if varint.sign == VarintSign::Zigzag { " zigzag" } else { "" };
        let last = if varint.last == 8 { ", the last of 8 bits" } else { "" };
        let shortest = if varint.shortest { ", as few as will do" } else { "" };
        let _ = writeln!(
            out,
            "\nvarint {name} {ty} {order:?}{zigzag} at most {bytes} bytes{last}{shortest}"
        );
    }
    for digits in &model.digits {
        let (name, ty, base) = (&digits.name, types::int_text(digits.ty), digits.base);
        let upper = if digits.upper { " upper" } else { "" };
        let end = digits.end.iter().map(|byte| format!(" {byte:02x}")).collect::<String>();
        let fill = digits.fill;
        let room = match digits.bytes {
            Some(bytes) => format!("in {bytes} bytes, {fill:?}"),
            None => "as many as there are".to_owned(),
        };
        let _ = writeln!(out, "\ndigits {name} {ty} base {base}{upper} {room}, end{end}");
    }
    for found in &model.enums {
        let closed = if found.closed { "closed" } else { "open" };
        let _ = writeln!(out, "\nenum {} {closed}", found.name);
        for member in &found.members {
            let _ = writeln!(out, "  {} = {}", member.name, member.number);
        }
    }
    for found in &model.unions {
        union(model, found, &mut out);
    }
    for found in &model.records {
        record(model, found, &mut out);
    }
    out
}

fn head(model: &Model, out: &mut String) {
    let _ = writeln!(out, "module {} version {}", model.name, model.version);
    let _ = writeln!(out, "title {:?}", model.title);
    if !model.extensions.is_empty() {
        let _ = writeln!(out, "extensions {}", model.extensions.join(" "));
    }
    let _ = writeln!(out, "root {}", record_name(model, model.root));
    let _ = match model.byte_order {
        ByteOrderRule::Fixed(order) => writeln!(out, "byte order {}", order_text(order)),
        ByteOrderRule::Mark { offset } => writeln!(out, "byte order by the mark at {offset:#x}"),
    };
    let _ = match model.gaps {
        Gaps::Zero => writeln!(out, "gaps zero"),
        Gaps::Kept => writeln!(out, "gaps kept"),
    };
    for variable in &model.epoch_variables {
        let cell = cell_text(model, &variable.cell);
        let _ = writeln!(out, "epoch variable {} {cell} at {:#x}", variable.name, variable.offset);
    }
    for epoch in &model.epochs {
        let _ = write!(out, "epoch `{}`", epoch.label);
        for (number, ranges) in epoch.ranges.iter().enumerate() {
            let name = model.epoch_variables.get(number).map_or("?", |v| v.name.as_str());
            let ranges = ranges.iter().map(|&(first, last)| range_text(first, last));
            let _ = write!(out, " {name} in [{}]", ranges.collect::<Vec<_>>().join(", "));
        }
        out.push('\n');
    }
    for section in &model.relocation {
        let (from, to) = (expr_text(model, section.from), expr_text(model, section.to));
        let _ = writeln!(out, "relocation section {:?} from {from} to {to}", section.name);
    }
}

fn pointer(model: &Model, kind: &PointerKind, out: &mut String) {
    let cell = cell_text(model, &kind.cell);
    let _ = write!(out, "\npointer {} {cell} align={} skip={}", kind.name, kind.align, kind.skip);
    if kind.unit != 1 {
        let _ = write!(out, " unit={}", kind.unit);
    }
    if let Some(base) = &kind.base {
        let _ = write!(out, " base={}", expr_text(model, *base));
    }
    if let Some(none) = kind.none {
        let _ = write!(out, " none={none:#x}");
    }
    let _ = write!(out, " when_empty={}", when_empty_text(kind.when_empty));
    if let Some(pool) = &kind.pool {
        let _ = write!(out, " in={}", path_text(model, pool));
    }
    if let Some(text) = &kind.text {
        let _ = write!(out, " to={}", type_text(model, text));
    }
    out.push('\n');
    for (condition, listing) in &kind.listing {
        let condition = condition.as_ref().map_or_else(
            || "always".to_owned(),
            |condition| format!("when {}", expr_text(model, *condition)),
        );
        let _ = writeln!(out, "  list {condition}: {}", listing_text(*listing));
    }
}

fn listing_text(listing: Listing) -> String {
    let policy = |policy| match policy {
        Policy::Never => "never",
        Policy::Set => "set",
        Policy::Always => "always",
    };
    format!(
        "object={} array={} dictionary={} string={} runtime={}",
        policy(listing.object),
        policy(listing.array),
        policy(listing.dictionary),
        policy(listing.string),
        policy(listing.runtime)
    )
}

fn when_empty_text(when_empty: WhenEmpty) -> &'static str {
    match when_empty {
        WhenEmpty::None => "none",
        WhenEmpty::Here => "here",
        WhenEmpty::Kept => "kept",
    }
}

fn union(model: &Model, union: &Union, out: &mut String) {
    let _ = write!(out, "\nunion {}", union.name);
    let _ = match &union.tag {
        Tag::Row(row) => {
            let holder = model.records.iter().find(|record| {
                record.rows.iter().any(|row| types::is_union(model, &row.ty, union))
            });
            let name = holder.and_then(|holder| row_label(holder, *row));
            write!(out, " on row {}", name.unwrap_or_else(|| format!("#{}", row.0)))
        }
        Tag::Given(expr) => write!(out, " given {}", expr_text(model, *expr)),
        Tag::Own(cell) => write!(out, " tag {}", cell_text(model, cell)),
        Tag::Word(cell) => write!(out, " word {}", cell_text(model, cell)),
    };
    if let Some(size) = union.size {
        let _ = write!(out, " size {size:#x}");
    }
    out.push('\n');
    for case in &union.cases {
        one_case(model, case, out);
    }
}

fn one_case(model: &Model, case: &Case, out: &mut String) {
    let labels = labels_text(&case.labels);
    let _ = write!(out, "  case {}{labels}", case.name);
    let _ = write!(out, "{}", epochs_text(model, &case.epochs));
    if let Some(guard) = &case.guard {
        let _ = write!(out, " when {}", expr_text(model, *guard));
    }
    let whole = if case.whole { "as " } else { "" };
    let _ = writeln!(out, ": {whole}{}", record_name(model, case.record));
    for form in &case.forms {
        let (labels, epochs) = (labels_text(&form.labels), epochs_text(model, &form.epochs));
        let name = record_name(model, form.record);
        let _ = writeln!(out, "    form{labels}{epochs}: {name}");
    }
}

fn labels_text(labels: &[Label]) -> String {
    let mut out = String::new();
    for label in labels {
        let _ = match label {
            Label::Range(first, last) => write!(out, " {}", range_text(*first, *last)),
            Label::Text(text) => write!(out, " {text:?}"),
            Label::Pattern(pattern) => write!(out, " {}", pattern_text(pattern)),
            Label::Else => write!(out, " else"),
        };
    }
    out
}

fn pattern_text(pattern: &Pattern) -> String {
    let mut text = String::from("\"");
    for bit in (0..pattern.width).rev() {
        let letter = pattern.letters.iter().find(|(_, bits)| bits.contains(&bit));
        let one = |bits: u128| bits.checked_shr(bit).is_some_and(|bits| bits & 1 == 1);
        text.push(match letter {
            Some((letter, _)) => *letter,
            None if one(pattern.mask) => char::from(b'0' + u8::from(one(pattern.bits))),
            None => '.',
        });
        if bit % 8 == 0 && bit > 0 {
            text.push(' ');
        }
    }
    text + "\""
}

/// Nothing if it is all epochs.
fn epochs_text(model: &Model, epochs: &[bool]) -> String {
    if epochs.iter().all(|&here| here) {
        return String::new();
    }
    let here = model.epochs.iter().zip(epochs).filter(|(_, here)| **here);
    let labels: Vec<String> = here.map(|(epoch, _)| format!("`{}`", epoch.label)).collect();
    format!(" in {}", if labels.is_empty() { "no epoch".to_owned() } else { labels.join(" ") })
}

fn range_text(first: i128, last: i128) -> String {
    if first == last { first.to_string() } else { format!("{first}..{last}") }
}

fn record(model: &Model, record: &Record, out: &mut String) {
    let _ = write!(out, "\nrecord {} ", record.name);
    let _ = match &record.kind {
        RecordKind::Struct => write!(out, "struct"),
        RecordKind::Case(..) => write!(out, "case"),
        RecordKind::Form(..) => write!(out, "form"),
        RecordKind::Word(int) => write!(out, "word {}", types::int_text(*int)),
    };
    let sizes: Vec<String> =
        record.sizes.iter().map(|size| size.map_or("-".to_owned(), hex)).collect();
    if record.sizes.iter().any(Option::is_some) {
        let _ = write!(out, " size {}", sizes.join(" "));
    }
    for (said, word) in [(record.open, ".."), (record.recursive, "recursive")] {
        if said {
            let _ = write!(out, " {word}");
        }
    }
    if let Some(align) = record.align {
        let _ = write!(out, " align={align}");
    }
    if let Some(row) = record.transparent {
        let name = row_label(record, row).unwrap_or_else(|| format!("#{}", row.0));
        let _ = write!(out, " transparent={name}");
    }
    if let Some(encodes) = record.encodes {
        let _ = write!(out, " encodes {encodes:?}");
    }
    out.push('\n');
    if let Some(endian) = &record.endian {
        endian_lines(model, endian, out);
    }
    for (number, argument) in record.arguments.iter().enumerate() {
        let _ = writeln!(out, "  argument {number} = {}", expr_text(model, *argument));
    }
    let rows = record.rows.iter().map(|row| row_cells(model, record, row)).collect::<Vec<_>>();
    out.push_str(&columns(&rows, "  "));
    for found in &record.lets {
        let _ = writeln!(out, "  let {} = {}", found.name, expr_text(model, found.expr));
    }
    for derive in &record.derives {
        let source = source_text(model, record, &derive.source);
        let path: Vec<String> = derive.path.iter().map(|row| format!("#{}", row.0)).collect();
        let of = record_name(model, derive.record);
        let _ = writeln!(out, "  derive {} of {of} = {source}", path.join("."));
    }
    for check in &record.checks {
        let _ = writeln!(out, "  check {}", check_text(model, check));
    }
    if !matches!(record.kind, RecordKind::Word(_)) {
        out.push_str("  layout\n");
        statements(model, record, &record.layout, 2, out);
    }
    for (name, pass) in &record.passes {
        let _ = writeln!(out, "  pass {name}");
        statements(model, record, pass, 2, out);
    }
    let declared = (0u32..).map(RowId).take(record.rows.len());
    if !record.read_order.iter().copied().eq(declared) {
        let order: Vec<String> = record
            .read_order
            .iter()
            .map(|&row| row_label(record, row).unwrap_or_else(|| format!("#{}", row.0)))
            .collect();
        let _ = writeln!(out, "  read order {}", order.join(" "));
    }
}

fn endian_lines(model: &Model, rule: &EndianRule, out: &mut String) {
    match rule {
        EndianRule::Fixed(order) => {
            let _ = writeln!(out, "  endian {}", order_text(*order));
        }
        EndianRule::Chosen(choices, otherwise) => {
            for (condition, order) in choices {
                let condition = expr_text(model, *condition);
                let _ = writeln!(out, "  endian {} when {condition}", order_text(*order));
            }
            let otherwise = otherwise.map_or("error", order_text);
            let _ = writeln!(out, "  endian {otherwise} otherwise");
        }
    }
}

/// Home, name, type, role and what else is said of a row.
fn row_cells(model: &Model, record: &Record, row: &Row) -> Vec<String> {
    let home = |home: &Home| match home {
        Home::At(at) => hex(*at),
        Home::Next => "+".to_owned(),
        Home::Absent => "-".to_owned(),
        Home::Nowhere => ".".to_owned(),
    };
    let mut homes: Vec<String> = row.homes.iter().map(home).collect();
    if homes.windows(2).all(|pair| pair[0] == pair[1]) {
        homes.truncate(1);
    }
    let name = row.name.clone().unwrap_or_else(|| "_".to_owned());
    let ty = type_text(model, &row.ty);
    let role = role_text(model, record, row);
    let mut more = kind_words(model, record, &row.kind);
    if let Some(when) = &row.when {
        more.push(format!("when={}", expr_text(model, *when)));
    }
    if !row.none.is_empty() {
        let none: Vec<String> = row.none.iter().map(i128::to_string).collect();
        more.push(format!("none={}", none.join(",")));
    }
    if row.plus != 0 {
        more.push(format!("plus={}", row.plus));
    }
    if let Some(reference) = &row.reference {
        let field = reference.field.as_ref().map_or(String::new(), |field| format!(".{field}"));
        more.push(format!("ref={}{field}", path_text(model, &reference.array)));
        if let Some(filter) = &reference.filter {
            more.push(format!("where={}", expr_text(model, *filter)));
        }
    }
    if let Some(listed) = &row.listed {
        more.push(types::listed_text(model, listed));
    }
    if let Some(absent) = &row.absent {
        more.push(format!("absent={}", constant_text(absent)));
    }
    if row.unique {
        more.push("unique".to_owned());
    }
    if row.fill != 0 {
        more.push(format!("fill={:#04x}", row.fill));
    }
    more.extend(row.checks.iter().map(|check| format!("check[{}]", check_text(model, check))));
    vec![homes.join(" "), name, ty, role, more.join(" ")]
}

fn kind_words(model: &Model, record: &Record, kind: &RowKind) -> Vec<String> {
    let word = |word: &str| vec![word.to_owned()];
    let label = |row: RowId| row_label(record, row).unwrap_or_else(|| format!("#{}", row.0));
    match kind {
        RowKind::Plain => Vec::new(),
        RowKind::Constant(constant) => vec![format!("constant={}", constant_text(constant))],
        RowKind::Zero => word("zero"),
        RowKind::Reserved => word("reserved"),
        RowKind::Runtime => word("runtime"),
        RowKind::Zeros => word("zeros"),
        RowKind::Object { address, align } => {
            let align = align.map(|align| format!("align={}", expr_text(model, align)));
            let place = format!("object at {}", expr_text(model, *address));
            std::iter::once(place).chain(align).collect()
        }
        RowKind::Mark { address } => vec![format!("mark at {}", expr_text(model, *address))],
        RowKind::Value { seen: None } => word("value"),
        RowKind::Value { seen: Some(seen) } => vec![format!("seen={}", expr_text(model, *seen))],
        RowKind::Slice { table, base, factor, offset, unit, count, empty_base } => {
            let base = match (factor, offset, unit) {
                (1, 0, 1) => label(*base),
                (.., 1) => format!("{factor}*{}+{offset}", label(*base)),
                _ => format!("({factor}*{}+{offset})/{unit}", label(*base)),
            };
            let mut words = vec![format!("slice of {} base={base}", path_text(model, table))];
            words.extend(count.map(|count| format!("count={}", label(count))));
            words.extend(empty_base.map(|base| format!("empty_base={base}")));
            words
        }
        RowKind::Pool { always, kept, order, pad } => {
            let order: Vec<String> = order
                .iter()
                .map(|(condition, order)| match condition {
                    Some(condition) => {
                        let condition = expr_text(model, *condition);
                        format!("{} when {condition}", pool_order_text(*order))
                    }
                    None => pool_order_text(*order).to_owned(),
                })
                .collect();
            let order = order.join(", ");
            let members = if *kept { "kept" } else { "used" };
            vec![format!("pool always={always:?} members={members} order={order} pad={pad}")]
        }
    }
}

fn pool_order_text(order: PoolOrder) -> &'static str {
    match order {
        PoolOrder::FirstUse => "first-use",
        PoolOrder::EachUse => "each-use",
        PoolOrder::DepthFirst => "depth-first",
        PoolOrder::Bytes => "bytes",
        PoolOrder::BitsFromEnd => "bits-from-end",
    }
}

/// Role of a row with its equations: `data`, `derived = count(items)`.
fn role_text(model: &Model, record: &Record, row: &Row) -> String {
    if let Some(in_step) = row.ty.in_step() {
        return format!("derived = {}", crate::roles::in_step_text(record, in_step));
    }
    match &row.role {
        Role::Data => "data".to_owned(),
        Role::Default(constant) => format!("default = {}", constant_text(constant)),
        Role::Fixed => "fixed".to_owned(),
        Role::Derived => format!("derived = {}", definers_text(model, record, row)),
        Role::Kept(expr) => format!("kept = {}", expr_text(model, *expr)),
        Role::Spelling => "spelling".to_owned(),
        Role::View { slices, key } => {
            let slices: Vec<String> = slices.iter().map(|path| path_text(model, path)).collect();
            let key = key.map(|key| format!(" by {}", expr_text(model, key)));
            format!("view of {}{}", slices.join(", "), key.unwrap_or_default())
        }
        Role::Elsewhere => "elsewhere".to_owned(),
    }
}

/// The equations of a derived row, each with where it holds: `count(items)`, `at(footer) in File`.
pub(crate) fn definers_text(model: &Model, record: &Record, row: &Row) -> String {
    let text = |definer: &Definer| {
        let text = definer_text(model, record, &definer.scope, &definer.source);
        text + &epochs_text(model, &definer.epochs)
    };
    let mut equations: Vec<String> = row.definers.iter().map(text).collect();
    equations.extend(row.is_given_in_a_layout().then(|| "data otherwise".to_owned()));
    equations.join(" | ")
}

fn definer_text(
    model: &Model,
    record: &Record,
    scope: &DefinerScope,
    source: &DefinerSource,
) -> String {
    match scope {
        DefinerScope::Own => source_text(model, record, source),
        DefinerScope::Case(row, number) => {
            let union =
                record.rows.get(row.index()).and_then(|row| types::union_of(model, &row.ty));
            let case = union.and_then(|union| union.cases.get(*number as usize));
            let body = case.and_then(|case| model.records.get(case.record.index()));
            let source = source_text(model, body.unwrap_or(record), source);
            format!("{source} in case {}", case.map_or("?", |case| case.name.as_str()))
        }
        DefinerScope::Owner(owner, _) => {
            let holder = model.records.get(owner.index()).unwrap_or(record);
            format!("{} in {}", source_text(model, holder, source), holder.name)
        }
    }
}

fn source_text(model: &Model, record: &Record, source: &DefinerSource) -> String {
    let DefinerSource::Measure { measure, row, factor, offset } = source else {
        let DefinerSource::Expr(expr) = source else { return String::new() };
        return expr_text(model, *expr);
    };
    let name = row_label(record, *row).unwrap_or_else(|| format!("#{}", row.0));
    let mut text = match measure {
        Measure::Count => format!("count({name})"),
        Measure::Records => format!("records({name})"),
        Measure::Size => format!("size({name})"),
        Measure::End => format!("end({name})"),
        Measure::At(base) => {
            let (base, plus) = base_and_constant(model, *base);
            let from =
                base.map_or(String::new(), |base| format!(" - {}", operand_text(model, base)));
            let plus = match plus {
                0 => String::new(),
                1.. => format!(" - {plus}"),
                _ => format!(" + {}", plus.unsigned_abs()),
            };
            format!("at({name}){from}{plus}")
        }
        Measure::Base => format!("base({name})"),
        Measure::Tag => format!("tag({name})"),
    };
    match offset {
        0 if *factor != 1 && text.contains(' ') => text = format!("({text})"),
        0 => {}
        1.. => text = format!("({text} - {offset})"),
        _ => text = format!("({text} + {})", offset.unsigned_abs()),
    }
    if *factor != 1 {
        text = format!("{text} / {factor}");
    }
    text
}

/// An address that others count from as what is no constant in it, and the constant.
fn base_and_constant(model: &Model, base: ExprId) -> (Option<ExprId>, i128) {
    if let Some(constant) = model.exprs.constant(base) {
        return (None, constant);
    }
    let (a, b, sign) = match model[base] {
        Expr::Binary(BinaryOp::Add, a, b) => (a, b, 1),
        Expr::Binary(BinaryOp::Subtract, a, b) => (a, b, -1),
        _ => return (Some(base), 0),
    };
    match (model.exprs.constant(a), model.exprs.constant(b)) {
        (None, Some(constant)) => {
            let (base, plus) = base_and_constant(model, a);
            (base, plus.saturating_add(constant.saturating_mul(sign)))
        }
        (Some(constant), None) if sign == 1 => {
            let (base, plus) = base_and_constant(model, b);
            (base, plus.saturating_add(constant))
        }
        _ => (Some(base), 0),
    }
}

fn check_text(model: &Model, check: &Check) -> String {
    match &check.kind {
        CheckKind::Min(expr) => format!("min {}", expr_text(model, *expr)),
        CheckKind::Max(expr) => format!("max {}", expr_text(model, *expr)),
        CheckKind::OneOf(list) => {
            let list: Vec<String> = list.iter().map(|expr| expr_text(model, *expr)).collect();
            format!("one of {}", list.join(", "))
        }
        CheckKind::Equals(expr) => format!("equals {}", expr_text(model, *expr)),
        CheckKind::Holds(expr) => expr_text(model, *expr),
    }
}

fn statements(model: &Model, record: &Record, list: &[Statement], depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let align_text = |align: &Align| expr_text(model, *align);
    for statement in list {
        let _ = match statement {
            Statement::This => writeln!(out, "{indent}self"),
            Statement::Record(path) => writeln!(out, "{indent}record {}", path.text),
            Statement::Tail(path) => writeln!(out, "{indent}tail {}", path.text),
            Statement::Put(path) => writeln!(out, "{indent}put {}", path.text),
            Statement::Run(pass, path) => writeln!(out, "{indent}run {pass} {}", path.text),
            Statement::Align(align) => writeln!(out, "{indent}align {}", align_text(align)),
            Statement::Zero(size) => writeln!(out, "{indent}zero {}", expr_text(model, *size)),
            Statement::Mark(row, align) => {
                let name = row_label(record, *row).unwrap_or_else(|| format!("#{}", row.0));
                let align = align.as_ref().map(|align| format!(" align {}", align_text(align)));
                writeln!(out, "{indent}mark {name}{}", align.unwrap_or_default())
            }
            Statement::When(condition, yes, no) => {
                let _ = writeln!(out, "{indent}when {}", expr_text(model, *condition));
                statements(model, record, yes, depth.saturating_add(1), out);
                if !no.is_empty() {
                    let _ = writeln!(out, "{indent}else");
                    statements(model, record, no, depth.saturating_add(1), out);
                }
                Ok(())
            }
        };
    }
}

/// A constant as a schema has it.
#[must_use]
pub fn constant_text(constant: &Constant) -> String {
    match constant {
        Constant::Int(number) => number.to_string(),
        Constant::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
        Constant::Bool(value) => format!("#{value}"),
        Constant::Text(text) => format!("{text:?}"),
        Constant::Bytes(bytes) => expr::bytes_text(bytes),
    }
}

fn row_label(record: &Record, row: RowId) -> Option<String> {
    record.rows.get(row.index())?.name.clone()
}

pub(crate) fn record_name(model: &Model, id: RecordId) -> String {
    model.records.get(id.index()).map_or_else(|| format!("#{}", id.0), |r| r.name.clone())
}

fn hex(number: u64) -> String {
    format!("{number:#x}")
}

/// Lines with aligned columns; nothing stands behind the last word of a line.
pub(crate) fn columns(rows: &[Vec<String>], indent: &str) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        // A very wide entry does not push the others away.
        let widths = rows.iter().filter_map(|row| row.get(column)).map(|t| t.chars().count());
        widths.filter(|&width| width <= 40).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::from(indent);
        for (text, &width) in row.iter().zip(&widths) {
            let _ = write!(line, "{text:width$}  ");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
