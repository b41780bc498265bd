//! Runs of bit rows end on a byte boundary.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::bit_width;
use crate::model::{ArrayLength, EpochId, Home, Model, RecordKind, Row, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (epoch, _) in context.epochs() {
        for (_, record) in context.records(epoch) {
            if matches!(record.kind, RecordKind::Word(_)) {
                continue;
            }
            // Bits since the last byte boundary; none once their number depends on the data.
            let mut run: Option<u64> = Some(0);
            let mut last: Option<&Row> = None;
            for row in record.rows.iter().filter(|row| row.home(epoch) == Home::Next) {
                if row.ty.in_epoch(epoch).is_bits() {
                    let width = bits(context.model, &row.ty, epoch).filter(|_| row.when.is_none());
                    run = run.zip(width).and_then(|(run, width)| run.checked_add(width));
                    last = Some(row);
                } else {
                    report(run, last, found);
                    run = Some(0);
                    last = None;
                }
            }
            report(run, last, found);
            for row in &record.rows {
                let endless = |ty: &Type| match ty {
                    Type::Array(array) => {
                        matches!(array.length, ArrayLength::Fill) && array.element.is_bits()
                    }
                    _ => false,
                };
                if row.ty.parts().any(endless) {
                    let name = row_name(row);
                    let message = format!("{name} has no number of bits that fills whole bytes");
                    let diagnostic = found.error("E0309", row.span, message);
                    diagnostic.label("bits end where a byte does, or before");
                    diagnostic.help(
                        "say how many with `count=`, or make a struct of whole bytes of them",
                    );
                }
            }
        }
    }
}

/// How many bits a row of them takes, if the schema alone says it.
fn bits(model: &Model, ty: &Type, epoch: EpochId) -> Option<u64> {
    match ty.in_epoch(epoch) {
        Type::Array(array) => {
            let ArrayLength::Count(count) = &array.length else { return None };
            let count = u64::try_from(model.exprs.constant(*count)?).ok()?;
            bit_width(&array.element, epoch)?.checked_mul(count)
        }
        ty => bit_width(ty, epoch),
    }
}

fn report(run: Option<u64>, last: Option<&Row>, found: &mut Diagnostics) {
    let (Some(run), Some(last)) = (run, last) else { return };
    let rest = run.next_multiple_of(8) - run;
    if rest > 0 {
        let message = format!("{rest} bits of the last byte belong to no row");
        let diagnostic = found.error("E0309", last.span, message);
        diagnostic.label(format!("{run} bits up to here"));
        diagnostic.help(format!("add `zero bits={rest}` or `reserved bits={rest}`"));
    }
}
