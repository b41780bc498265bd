//! What stands at constant offsets of the file: byte order and epochs.

use super::{Cx, RecordId, id32};
use crate::model::{
    ByteOrder, ByteOrderRule, EpochId, EpochVariable, Home, Member, Model, RecordKind, RowId, Step,
    Type,
};

impl<'t> Cx<'t> {
    /// Byte order of the file, and where the epochs stand.
    pub(super) fn context(
        &mut self,
        model: &mut Model,
        head: &'t crate::syntax::ast::Head,
    ) -> Option<()> {
        let root = model.root;
        let mark = inline_ways(model, root, |row| matches!(row.ty, Type::ByteOrderMark));
        match head.props.word("endian") {
            Some("big") => model.byte_order = ByteOrderRule::Fixed(ByteOrder::Big),
            Some("byte_order") => {
                let span = head.props.span("endian").unwrap_or(head.span);
                let Some((way, _)) = mark else {
                    self.d
                        .error(
                            "E0234",
                            span,
                            "no `byte_order` row at a constant offset of the root",
                        )
                        .help(
                            "write `byte_order 0x0c` in the root, or in a struct inside it, where \
                             0xfeff stands; where other bytes say the order, write `endian { when \
                             \"CONDITION\" little; else big }` in the struct",
                        );
                    return None;
                };
                match offset_of(model, root, &way) {
                    Some(offset) => model.byte_order = ByteOrderRule::Mark { offset },
                    None => {
                        self.d
                            .error("E0234", span, "the `byte_order` row moves")
                            .help("it must stand at one offset, the same in every epoch");
                        return None;
                    }
                }
            }
            _ => {}
        }
        let decides = usize::from(matches!(model.byte_order, ByteOrderRule::Mark { .. }));
        let rows = model.records.iter().flat_map(|record| &record.rows);
        let mut marks = rows.filter(|row| matches!(row.ty, Type::ByteOrderMark));
        if let Some(idle) = marks.nth(decides) {
            let d = self.d.error("E0234", idle.span, "this `byte_order` decides nothing");
            match decides {
                0 => d.help("write `endian=byte_order` in the line of the module"),
                _ => d.help(
                    "one row says the order of the whole file; where others say that of a struct, \
                     write `endian { when \"CONDITION\" little; else big }` in it",
                ),
            };
            return None;
        }
        for at in 0..self.epochs.vars.len() {
            let decl = self.epochs.vars[at].decl;
            let root_name = self.rec(root).template.clone();
            let env = self.env(self.main, Some(root));
            let mut ex = decl.from.clone();
            if ex.head.value == root_name && !ex.steps.is_empty() {
                let crate::syntax::expr::StepEx::Field(first) = ex.steps.remove(0) else {
                    return None;
                };
                ex.head = first;
            }
            let (path, _) = self.path(&env, &ex)?;
            let mut way = Vec::new();
            for step in &path.steps {
                let Step::Field(field) = step else { return None };
                let (_, members) = field.members.first()?;
                for member in members {
                    if let Member::Row(row) | Member::Into(row) = member {
                        way.push(*row);
                    }
                }
            }
            let Some(offset) = offset_of(model, root, &way) else {
                self.d
                    .error("E0207", decl.span, "the epoch does not stand at one constant offset")
                    .help("all rows on the way must be inline, always there, and have the same offset in every epoch");
                return None;
            };
            let var = &self.epochs.vars[at];
            model.epoch_variables.push(EpochVariable {
                name: decl.name.value.clone(),
                offset,
                cell: var.cell.clone(),
                word: var.word,
                path: way,
                span: decl.span,
            });
        }
        Some(())
    }
}

/// The first inline row that satisfies a condition, as a way from a record.
fn inline_ways(
    model: &Model,
    root: RecordId,
    wanted: impl Fn(&crate::model::Row) -> bool,
) -> Option<(Vec<RowId>, RecordId)> {
    let mut stack = vec![(root, Vec::new())];
    let mut seen = vec![root];
    while let Some((id, way)) = stack.pop() {
        for (at, row) in model.records[id.index()].rows.iter().enumerate() {
            let mut longer: Vec<RowId> = way.clone();
            longer.push(RowId(id32(at)));
            if wanted(row) {
                return Some((longer, id));
            }
            if let Type::Record(inner) = row.ty
                && !seen.contains(&inner)
            {
                seen.push(inner);
                stack.push((inner, longer));
            }
        }
    }
    None
}

/// Offset of a row from the start of the root, if it is the same in every epoch.
fn offset_of(model: &Model, root: RecordId, way: &[RowId]) -> Option<u64> {
    let mut found = None;
    for epoch in (0..id32(model.epochs.len())).map(EpochId) {
        let mut offset = 0u64;
        let rows = model.rows_along(root, way);
        if rows.len() < way.len() {
            return None;
        }
        for (record, row) in rows {
            if model.records[record.index()].rows[row.index()].when.is_some() {
                return None;
            }
            // Bits stand where their word does.
            if !matches!(model.records[record.index()].kind, RecordKind::Word(_)) {
                offset = offset.checked_add(model.row_offset(record, row, epoch)?)?;
            }
        }
        if found.is_some_and(|found| found != offset) {
            return None;
        }
        found = Some(offset);
    }
    found
}

/// Sizes of records with offsets that don't state one: what their rows occupy.
pub(super) fn computed_sizes(model: &mut Model) {
    for _ in 0..64 {
        let mut changed = false;
        for at in 0..model.records.len() {
            for epoch in 0..model.epochs.len() {
                let record = &model.records[at];
                if record.sizes[epoch].is_some() || matches!(record.kind, RecordKind::Word(_)) {
                    continue;
                }
                let mut end: Option<u64> = None;
                let mut known = true;
                for row in &record.rows {
                    if let Home::At(offset) = row.homes[epoch] {
                        // The choice of a declared union lies over its common rows.
                        if matches!(row.ty, Type::Union(_)) && record.open {
                            continue;
                        }
                        match model.size_of(&row.ty, EpochId(id32(epoch))) {
                            Some(size) => {
                                end = end.max(Some(offset.saturating_add(size)));
                            }
                            None => known = false,
                        }
                    }
                }
                if known && end.is_some() {
                    model.records[at].sizes[epoch] = end;
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}
