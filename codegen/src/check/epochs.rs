//! Every row and every struct has a layout where it is used.

use super::context::{Context, exists, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{Home, Role, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    for record in &context.model.records {
        // With arguments, it is these that say which rows there are.
        let given = !record.arguments.is_empty();
        for row in &record.rows {
            let nowhere = row.homes.iter().all(|home| *home == Home::Absent);
            if nowhere && !row.homes.is_empty() && !given {
                let message = format!("{} is in no version of the format", row_name(row));
                found.note("E0720", row.span, message).help("remove it, or give it a home");
            }
            // Of a field of forms it is what one of them usually has.
            let field = matches!(row.role, Role::Elsewhere);
            if row.absent.is_some() && !field && !row.homes.contains(&Home::Absent) {
                let message = format!("`absent=` of {} is never used", row_name(row));
                found.note("E0721", row.span, message).label("the row is in every version");
            }
        }
    }
    for (epoch, _) in context.epochs() {
        for (_, record) in context.records(epoch) {
            for row in record.rows.iter().filter(|row| row.holds_bytes()) {
                let Some(Type::Record(id)) = row.ty.parts_in(epoch).last() else { continue };
                let Some(used) = context.record(*id) else { continue };
                if row.home(epoch) != Home::Absent && !exists(used, epoch) {
                    let within = context.in_epoch(epoch);
                    let message = format!("`{}` does not exist{within}", used.name);
                    let diagnostic = found.error("E0722", row.span, message);
                    diagnostic.label("but this row does").also(used.span, "has no size there");
                    diagnostic.help(match row.home(epoch) {
                        Home::At(_) => "write `-` for the home of the row",
                        _ => "a column of the struct must be for this layout, too",
                    });
                }
            }
        }
    }
}
