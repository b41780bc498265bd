//! Runs of bit rows end on a byte boundary.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::bit_width;
use crate::model::{ArrayLength, Home, RecordKind, Row, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for (epoch, _) in context.epochs() {
        for (_, record) in context.records(epoch) {
            if matches!(record.kind, RecordKind::Word(_)) {
                continue;
            }
            // Bits since the last byte boundary; none once presence depends on the data.
            let mut run: Option<u64> = Some(0);
            let mut last: Option<&Row> = None;
            for row in record.rows.iter().filter(|row| row.home(epoch) == Home::Next) {
                match bit_width(&row.ty, epoch) {
                    Some(width) => {
                        run = run.filter(|_| row.when.is_none()).map(|run| run + width);
                        last = Some(row);
                    }
                    None => {
                        report(run, last, found);
                        run = Some(0);
                        last = None;
                    }
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
