//! The file without its last byte.

use formwork::ReadOptions;
use formwork_codegen::model::{
    ArrayLength, Extent, Home, RecordKind, RowKind, RunLength, Target, Type,
};

use super::cell::whole_bytes;
use super::file::{File, Site};
use super::nodes::ItemView;
use super::texts::parts;
use super::{Case, Expected, Kind, Plan, Reason, error};

pub(super) fn plan(plan: &mut Plan<'_, '_>) {
    let file = plan.file;
    let Some(last) = file.size().checked_sub(1) else { return };
    let mut holder = None;
    let mut steers = file.uses.file_end || !file.alone(last, last + 1);
    file.sites(&mut |site| {
        // What leads to the end of the file would lead behind it.
        let target = matches!(site.item, ItemView::Pointer { at: Some(at), .. } if *at > last);
        steers |= target || site.at > last;
        let size = match site.ty {
            Type::Cell(cell) => whole_bytes(cell),
            Type::Pointer(pointer) => whole_bytes(file.pointer_cell(pointer)),
            Type::Run(_) => site.end.map(|end| end.saturating_sub(site.at)),
            _ => None,
        };
        if size.is_some_and(|size| site.at <= last && last < site.at + size) {
            holder = Some(site);
        }
    });
    let Some(site) = holder else { return };
    let place = (site.node, site.row);
    if steers {
        return plan.leave_out(Kind::Cut, place, Reason::SteersOthers);
    }
    if reaches(&file.row(site.node, site.row).ty) || file.in_region(site.node) {
        return plan.leave_out(Kind::Cut, place, Reason::UnknownElements);
    }
    let Some(expected) = expect(file, &site, last) else {
        return plan.leave_out(Kind::Cut, place, Reason::UnknownElements);
    };
    let case = Case {
        kind: Kind::Cut,
        about: file.about(site.node, site.row),
        patches: Vec::new(),
        cut: Some(last),
        options: ReadOptions::default(),
        expected,
    };
    plan.found.push(((Kind::Cut, file.nodes[site.node].record, site.row), case));
}

/// A fixed block is checked as a whole, the outermost first; other rows fail by themselves.
fn expect(file: &File<'_>, site: &Site<'_>, last: u64) -> Option<Expected> {
    let code = "unexpected_end";
    let offset = match site.ty {
        Type::Run(run) => {
            let parts = parts(file, site, run)?;
            let end = parts.content + parts.size;
            if last >= end { end } else { parts.content }
        }
        _ => site.at,
    };
    let mut expected = error(code, offset, file.site_path(site));
    let mut step = Some((site.node, site.row));
    while let Some((node, row)) = step {
        let definition = file.row(node, row);
        let object = matches!(definition.kind, RowKind::Object { .. });
        if reaches(&definition.ty) {
            return None;
        }
        if object || leaves(&definition.ty, site.ty) {
            break;
        }
        let record = file.record(node);
        let block = record.sizes.get(file.epoch.index()).copied().flatten().is_some();
        let placed = matches!(file.home(definition), Home::At(_));
        match record.kind {
            RecordKind::Struct if block && placed => {
                let at = file.nodes[node].at?;
                expected = error(code, at, file.path(node, None, None));
            }
            RecordKind::Struct | RecordKind::Case(..) => {}
            RecordKind::Form(..) | RecordKind::Word(_) => return None,
        }
        let view = &file.nodes[node];
        step = view.owner.map(|owner| (owner, view.owner_row));
    }
    Some(expected)
}

/// Whether a pointer leads to what is in a row; the pointer that is `held` itself is in the row.
fn leaves(ty: &Type, held: &Type) -> bool {
    match ty {
        _ if std::ptr::eq(ty, held) => false,
        Type::Region(region) => leaves(&region.inner, held),
        Type::Array(array) => leaves(&array.element, held),
        Type::Pointer(pointer) => matches!(pointer.target, Target::Own(_)),
        _ => false,
    }
}

/// Whether a type reaches to the end of what is around it, or to an end of its own.
fn reaches(ty: &Type) -> bool {
    match ty {
        Type::Region(region) => {
            matches!(region.extent, Extent::Rest | Extent::Terminated(_)) || reaches(&region.inner)
        }
        Type::Array(array) => {
            !matches!(array.length, ArrayLength::Count(_))
                || array.stride.is_some()
                || reaches(&array.element)
        }
        Type::Run(run) => matches!(run.length, RunLength::Fill),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => reaches(target),
            Target::Pooled | Target::Element => false,
        },
        _ => false,
    }
}
