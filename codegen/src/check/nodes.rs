//! The nodes of a dictionary are what the algorithm computes: structs with four data rows, which hold
//! nothing that the names are in.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Content, ExprId, Meaning, Member, Model, Path, RecordId, Row, RowId, Start, Step, Target, Type,
    search,
};

/// What the data rows of a node are, in this order.
const COLUMNS: [&str; 4] = ["bit to test", "link for 0", "link for 1", "key"];

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for (id, record) in model.records() {
        for (number, row) in record.numbered_rows() {
            let Some(keys) = row.patricia(model) else { continue };
            if leads_through(context, id, keys, (id, number)) {
                let message = format!("{} is needed to compute itself", row_name(row));
                found
                    .error("E0505", row.span, message)
                    .label("the names stand in what the nodes hold")
                    .help(
                        "the names belong to another array, which a value has; nodes are \
                         computed, and lead to its elements by position",
                    );
                continue;
            }
            columns(model, row, found);
        }
    }
}

fn columns(model: &Model, row: &Row, found: &mut Diagnostics) {
    const HELP: &str = "the data rows of a node are the bit to test, the link for 0, the link for 1 \
                        and the key, in this order";
    let Type::Array(array) = row.ty.stripped() else { return };
    let Type::Record(node) = array.element.stripped() else {
        found
            .error("E0221", row.span, format!("{} has elements that are no structs", row_name(row)))
            .label("the nodes of a dictionary are structs with four data rows")
            .help(HELP);
        return;
    };
    let node = &model.records[node.index()];
    let rows: Vec<&Row> = node.table_rows().into_iter().map(|id| &node.rows[id.index()]).collect();
    if let Some(other) = rows.get(COLUMNS.len()) {
        let message = format!("nobody says what {} is", row_name(other));
        found
            .error("E0221", other.span, message)
            .label("the nodes of a dictionary are computed, and have four data rows")
            .also(row.span, "the dictionary")
            .help("let it follow from others (`is=EXPR`), or be `zero`, `reserved` or a constant");
        return;
    }
    if rows.len() < COLUMNS.len() {
        let (name, missing) = (&node.name, COLUMNS[rows.len()]);
        found
            .error("E0221", row.span, format!("`{name}` has no data row for the {missing}"))
            .label("the nodes of a dictionary have four data rows")
            .also(node.span, "the struct")
            .help(HELP);
        return;
    }
    for (column, (other, what)) in rows.iter().zip(COLUMNS).enumerate() {
        let (fits, kind) = match column {
            3 => (is_text(&other.ty), "text"),
            _ => (is_number(&other.ty), "integer"),
        };
        if !fits {
            found
                .error("E0221", other.span, format!("{} is no {kind}", row_name(other)))
                .label(format!("it is the {what} of the nodes of a dictionary"))
                .also(row.span, "the dictionary")
                .help(HELP);
            return;
        }
    }
}

fn is_number(ty: &Type) -> bool {
    match ty.stripped() {
        Type::Cell(cell) => matches!(cell.meaning, Meaning::Int | Meaning::Enum(_)),
        Type::Pointer(pointer) => matches!(pointer.target, Target::Element),
        Type::PerEpoch(types) => types.iter().any(is_number),
        _ => false,
    }
}

fn is_text(ty: &Type) -> bool {
    match ty.stripped() {
        Type::Run(run) => matches!(run.content, Content::Text(_)),
        Type::Text => true,
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => is_text(target),
            Target::Pooled => true,
            Target::Element => false,
        },
        Type::PerEpoch(types) => types.iter().any(is_text),
        _ => false,
    }
}

/// Whether a path leads through a row, `let`s and arguments included.
fn leads_through(context: &Context, id: RecordId, path: &Path, wanted: (RecordId, RowId)) -> bool {
    let model = context.model;
    let through = |path: &Path, within: RecordId, open: &mut Vec<(RecordId, ExprId)>| {
        if let Start::Argument(number) = path.start {
            open.extend(model.given(&context.owners, within, number));
        }
        path.steps.iter().any(|step| {
            let Step::Field(field) = step else { return false };
            model.ends(field).any(|(record, member)| match member {
                Member::Row(row) | Member::Into(row) => (record, row) == wanted,
                Member::Let(number) => {
                    let named = model.records[record.index()].lets.get(number as usize);
                    open.extend(named.map(|named| (record, named.expr)));
                    false
                }
            })
        })
    };
    let mut first = Vec::new();
    through(path, id, &mut first)
        || first.into_iter().any(|next| {
            search(next, |(within, expr), open| {
                model[expr].path().is_some_and(|path| through(path, within, open))
            })
        })
}
