//! Versions of a format: sets of epochs and their names.

use super::text::number;
use crate::model::{Cell, Epoch, EpochVariable, Meaning, Model, Storage, limits};

/// Name of a set of epochs, one flag per epoch: `major 5..8`. Empty if it is all of them.
pub(super) fn label(model: &Model, set: &[bool]) -> String {
    let here: Vec<&Epoch> =
        model.epochs.iter().zip(set).filter(|(_, here)| **here).map(|(epoch, _)| epoch).collect();
    if here.len() == model.epochs.len() {
        return String::new();
    }
    if let ([variable], true) = (model.epoch_variables.as_slice(), here.len() > 1) {
        let mut ranges: Vec<(i128, i128)> = here
            .iter()
            .flat_map(|epoch| epoch.ranges.first().into_iter().flatten())
            .copied()
            .collect();
        ranges.sort_unstable();
        let mut joined: Vec<(i128, i128)> = Vec::new();
        for (first, last) in ranges {
            // Members of an enumeration are no range, even if their numbers follow each other.
            match joined.last_mut().filter(|_| !matches!(variable.cell.meaning, Meaning::Enum(_))) {
                Some(before) if before.1.saturating_add(1) >= first => {
                    before.1 = last.max(before.1)
                }
                _ => joined.push((first, last)),
            }
        }
        let texts: Vec<String> =
            joined.iter().map(|&range| range_text(model, variable, range)).collect();
        return format!("{} {}", variable.name, texts.join(", "));
    }
    let labels: Vec<&str> = here.iter().map(|epoch| epoch.label.as_str()).collect();
    labels.join("; ")
}

fn range_text(model: &Model, variable: &EpochVariable, (first, last): (i128, i128)) -> String {
    let (least, most) = bounds(&variable.cell);
    // Enumerations of versions are mostly written in hexadecimal.
    let hexadecimal = matches!(variable.cell.meaning, Meaning::Enum(_));
    let plain = |value: i128| if hexadecimal { format!("{value:#x}") } else { number(value) };
    let name = |value: i128| member(model, variable, value).unwrap_or_else(|| plain(value));
    match (first, last) {
        _ if first == last => name(first),
        _ if first <= least => format!("..{}", name(last)),
        _ if last >= most => format!("{}..", name(first)),
        _ => format!("{}..{}", name(first), name(last)),
    }
}

fn member(model: &Model, variable: &EpochVariable, value: i128) -> Option<String> {
    let Meaning::Enum(id) = variable.cell.meaning else { return None };
    let members = &model.enums.get(id.index())?.members;
    members.iter().find(|member| member.number == value).map(|member| member.name.clone())
}

/// Least and greatest number that a cell can hold.
pub(super) fn bounds(cell: &Cell) -> (i128, i128) {
    let (bits, signed) = match cell.storage {
        Storage::Fixed(int) => (u32::from(int.bytes).saturating_mul(8), int.signed),
        Storage::Bits { width, .. } => (u32::from(width), false),
        _ => return (i128::MIN, i128::MAX),
    };
    limits(bits, signed)
}

/// Groups epochs for which `text` says the same: the text, and the epochs as flags. Epochs without
/// a text are in no group.
pub(super) fn group<T: PartialEq>(
    count: usize,
    mut text: impl FnMut(usize) -> Option<T>,
) -> Vec<(T, Vec<bool>)> {
    let mut groups: Vec<(T, Vec<bool>)> = Vec::new();
    for epoch in 0..count {
        let Some(text) = text(epoch) else { continue };
        let at = groups.iter().position(|(known, _)| *known == text).unwrap_or_else(|| {
            groups.push((text, vec![false; count]));
            groups.len().saturating_sub(1)
        });
        groups[at].1[epoch] = true;
    }
    groups
}

/// One text for all epochs: alone if they agree, otherwise each with its epochs behind it.
pub(super) fn join(model: &Model, groups: &[(String, Vec<bool>)]) -> String {
    match groups {
        [] => String::new(),
        [(text, _)] => text.clone(),
        _ => {
            let each = groups.iter().map(|(text, set)| format!("{text} ({})", label(model, set)));
            let each: Vec<String> = each.collect();
            each.join(if groups.iter().any(|(text, _)| text.contains(',')) { "; " } else { ", " })
        }
    }
}
