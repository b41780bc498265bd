//! What ends with bytes, or where padding begins, is looked at before anything else is placed: it
//! holds no addresses of things that are placed later, and nothing that is written later.

use std::collections::BTreeSet;

use super::context::{Context, row_name};
use super::stored::mentions;
use crate::diagnostic::Diagnostics;
use crate::model::{
    DefinerScope, DefinerSource, Extent, Measure, Model, RecordId, Row, RowKind, Target, Type,
};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (_, record) in context.model.records() {
        for row in &record.rows {
            let ended = |ty: &Type| match ty {
                Type::Region(region) => {
                    let ends = matches!(region.extent, Extent::Terminated(_));
                    match ends || region.trim.is_some() {
                        true => known_later(context.model, &region.inner),
                        false => None,
                    }
                }
                _ => None,
            };
            if let Some(what) = row.ty.parts().find_map(ended) {
                let message = format!("{} ends with bytes, and holds {what}", row_name(row));
                found
                    .error("E0733", row.span, message)
                    .label("what they are is not known when its end is looked for")
                    .help("let its length say where it ends: `size=`, `end=` or `count=`");
            }
        }
    }
}

/// What is inline that is not known before everything is placed.
fn known_later(model: &Model, ty: &Type) -> Option<&'static str> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![ty]);
    while let Some(ty) = open.pop() {
        for part in ty.inline_parts() {
            let records: Vec<RecordId> = match part {
                Type::Pointer(pointer) if matches!(pointer.target, Target::Element) => continue,
                Type::Pointer(_) => return Some("addresses"),
                Type::Record(id) => vec![*id],
                Type::Union(id) => {
                    let cases = &model.unions[id.index()].cases;
                    let forms = cases.iter().flat_map(|case| &case.forms).map(|form| form.record);
                    cases.iter().map(|case| case.record).chain(forms).collect()
                }
                _ => continue,
            };
            for id in records.into_iter().filter(|id| seen.insert(*id)) {
                let rows = &model.records[id.index()].rows;
                let apart =
                    |kind: &RowKind| matches!(kind, RowKind::Object { .. } | RowKind::Mark { .. });
                if rows.iter().any(|row| apart(&row.kind) || leads_behind(row)) {
                    return Some("addresses");
                }
                if rows.iter().filter_map(Row::equation).any(|expr| mentions(model, expr)) {
                    return Some("sums of its bytes");
                }
                open.extend(rows.iter().map(|row| &row.ty));
            }
        }
    }
    None
}

/// Whether a row has the address of something in the struct that holds its own.
fn leads_behind(row: &Row) -> bool {
    row.definers.iter().any(|definer| {
        let address = match &definer.source {
            DefinerSource::Measure { measure, .. } => {
                matches!(measure, Measure::At(_) | Measure::End)
            }
            DefinerSource::Expr(_) => false,
        };
        address && !matches!(definer.scope, DefinerScope::Own)
    })
}
