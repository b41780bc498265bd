//! What has a size of its own, whatever is in the file, fills the size that is stated for it.

use super::context::{Context, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{ArrayType, EpochId, Extent, Model, RegionType, Type};

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for row in model.records.iter().flat_map(|record| &record.rows) {
        for array in row.ty.parts().filter_map(|part| match part {
            Type::Array(array) => Some(array),
            _ => None,
        }) {
            let Some((stride, own)) = too_narrow(model, array) else { continue };
            let message = format!("elements of {} do not fit a stride of {stride}", row_name(row));
            found
                .note("E0717", row.span, message)
                .label(format!("each has {own} bytes, whatever is in the file"))
                .help("`stride=` counts bytes from the begin of an element to that of the next");
        }
        let regions = row.ty.parts().filter_map(|part| match part {
            Type::Region(region) => contradicts(model, region),
            _ => None,
        });
        for (stated, own) in regions {
            let message = format!("{} does not have the size {stated}", row_name(row));
            found
                .note("E0717", row.span, message)
                .label(format!("it has {own}, whatever is in the file"))
                .help("it can only be left out; what fills the rest is a row of its own");
        }
    }
}

/// The size that is stated and the one that the content has, if no epoch has a content that fills
/// it. Where padding may follow, and of content that is measured by its end, that is not known.
fn contradicts(model: &Model, region: &RegionType) -> Option<(u64, u64)> {
    let Extent::Size(size) = region.extent else { return None };
    let stated = u64::try_from(model.exprs.constant(size)?).ok()?;
    let sizes = sizes_of(model, &region.inner);
    let sizes = sizes.filter(|sizes| region.trim.is_none() && !sizes.contains(&stated))?;
    sizes.first().map(|own| (stated, *own))
}

/// A stride and the size of the elements, if in no epoch one fits.
fn too_narrow(model: &Model, array: &ArrayType) -> Option<(i128, u64)> {
    let stride = model.exprs.constant(array.stride?)?;
    let least = sizes_of(model, &array.element)?.into_iter().min()?;
    (i128::from(least) > stride).then_some((stride, least))
}

/// The size that something has in each epoch, if it has one in all.
fn sizes_of(model: &Model, ty: &Type) -> Option<Vec<u64>> {
    let epochs = (0..).map(EpochId).take(model.epochs.len().max(1));
    epochs.map(|epoch| model.size_of(ty, epoch)).collect()
}
