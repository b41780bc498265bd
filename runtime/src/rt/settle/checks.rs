//! Rules for values.

use super::prelude::*;

pub(super) enum Rule {
    Now(Check),
    Holds(u16, &'static str),
}

/// Rules that need no other row, as soon as a row is read.
///
/// # Errors
///
/// If one is broken; the path is complete.
pub(in super::super) fn check_now<'i, R: Reader<'i>>(cx: &mut R, loc: Loc) -> Read<()> {
    let Some(slot) = slot_read(cx, loc) else { return Ok(()) };
    for check in slot.checks {
        if let Err(fault) = check_row(cx, loc, &Rule::Now(*check)) {
            let core = cx.core_mut();
            let at = core.tree.slot(loc.node, loc.slot).at;
            let error = core.fault(*fault, at);
            return Err(core.located(error, loc));
        }
    }
    Ok(())
}

/// Checks a row, or each of its elements.
pub(super) fn check_row<'i, R: Reader<'i>>(cx: &mut R, loc: Loc, rule: &Rule) -> Fallible<()> {
    match cx.core().tree.item(loc) {
        Item::Array(array) if loc.index.is_none() => {
            for index in 0..array.count {
                check_one(cx, Loc { index: Some(index), ..loc }, rule)?;
            }
            Ok(())
        }
        Item::Absent => Ok(()),
        _ => check_one(cx, loc, rule),
    }
}

pub(super) fn check_one<'i, R: Reader<'i>>(cx: &mut R, loc: Loc, rule: &Rule) -> Fallible<()> {
    let it = cx.load(Val::Loc(loc))?;
    let broken = match rule {
        Rule::Now(check) => broken(cx, check, loc.node, &it)?,
        Rule::Holds(condition, text) => {
            (!cx.truth(*condition, loc.node, Some(&it))?).then(|| failed(text, &it))
        }
    };
    let Some(kind) = broken else { return Ok(()) };
    let at = cx.loc_address(loc, false)?.filter(|at| *at != UNPLACED).unwrap_or(0);
    Err(Box::new(Fault::Read(cx.core_mut().error(kind, at, loc))))
}

/// The error of a condition that does not hold.
#[must_use]
#[cold]
pub fn failed(text: &'static str, it: &Val<'_>) -> ReadErrorKind {
    ReadErrorKind::CheckFailed { check: text.into(), actual: show(it).into() }
}

/// What is wrong with a number below a limit; nothing if it is not.
///
/// # Errors
///
/// If the two cannot be compared.
pub fn below(it: &Val<'_>, limit: &Val<'_>) -> Fallible<Option<ReadErrorKind>> {
    let order = compare(it, limit)?;
    Ok(match order {
        Some(Ordering::Greater | Ordering::Equal) => None,
        _ => Some(ReadErrorKind::BelowMinimum {
            minimum: show(limit).into(),
            actual: show(it).into(),
        }),
    })
}

/// What is wrong with a number above a limit; nothing if it is not.
///
/// # Errors
///
/// If the two cannot be compared.
pub fn above(it: &Val<'_>, limit: &Val<'_>) -> Fallible<Option<ReadErrorKind>> {
    let order = compare(it, limit)?;
    Ok(match order {
        Some(Ordering::Less | Ordering::Equal) => None,
        _ => Some(ReadErrorKind::AboveMaximum {
            maximum: show(limit).into(),
            actual: show(it).into(),
        }),
    })
}

/// What is wrong with a value that is none of these; nothing if it is one.
///
/// # Errors
///
/// If one of them has no value.
pub fn none_of<'i>(
    it: &Val<'i>,
    allowed: Vec<Fallible<Val<'i>>>,
) -> Fallible<Option<ReadErrorKind>> {
    let mut hit = false;
    for allowed in allowed {
        hit |= same_bits(it, &allowed?);
    }
    Ok((!hit).then(|| ReadErrorKind::NotOneOf { actual: show(it).into() }))
}

/// What is wrong with a value that is not this; nothing if it is.
///
/// # Errors
///
/// Never.
pub fn not_equal(it: &Val<'_>, wanted: &Val<'_>) -> Fallible<Option<ReadErrorKind>> {
    Ok((!same_bits(it, wanted)).then(|| ReadErrorKind::NotEqual {
        expected: show(wanted).into(),
        actual: show(it).into(),
    }))
}

pub(super) fn broken<'i, R: Reader<'i>>(
    cx: &mut R,
    check: &Check,
    node: NodeId,
    it: &Val<'i>,
) -> Fallible<Option<ReadErrorKind>> {
    match check {
        Check::Min(limit) => below(it, &cx.expr(*limit, node, Some(it))?),
        Check::Max(limit) => above(it, &cx.expr(*limit, node, Some(it))?),
        Check::OneOf(allowed) => {
            let allowed = allowed.iter().map(|n| cx.expr(*n, node, Some(it))).collect();
            none_of(it, allowed)
        }
        Check::Equals(wanted) => not_equal(it, &cx.expr(*wanted, node, Some(it))?),
    }
}

pub(super) fn check_record<'i, R: Reader<'i>>(
    cx: &mut R,
    node: NodeId,
    checks: &'static [(u16, &'static str)],
) -> Read<()> {
    for (condition, text) in checks {
        let at = match cx.core().tree.node(node).at {
            UNPLACED => 0,
            at => at,
        };
        let holds = cx.truth(*condition, node, None);
        let core = cx.core_mut();
        let kind = match holds {
            Ok(true) => continue,
            Ok(false) => {
                ReadErrorKind::CheckFailed { check: (*text).into(), actual: "false".into() }
            }
            Err(fault) => {
                let error = core.fault(*fault, at);
                return Err(core.located(error, Loc::slot(node, WHOLE)));
            }
        };
        return Err(core.error(kind, at, Loc::slot(node, WHOLE)));
    }
    Ok(())
}

pub(super) fn check_unique<'i, R: Reader<'i>>(cx: &mut R, loc: Loc) -> Fallible<()> {
    let mut seen = BTreeSet::new();
    for (element, number) in unique_numbers(cx, loc) {
        cx.charge(1)?;
        if !seen.insert(number) {
            let kind = ReadErrorKind::DuplicateKey { key: number.to_string().into() };
            return Err(refused(cx.core_mut(), element, kind));
        }
    }
    Ok(())
}

/// The numbers that `unique` on a row is about, each with its place: the elements of the row, or
/// this row of all elements of the array around it.
pub(super) fn unique_numbers<'i, R: Reader<'i>>(cx: &R, loc: Loc) -> Vec<(Loc, i128)> {
    let tree = &cx.core().tree;
    if let Item::Array(list) = tree.item(loc) {
        return (0_u32..)
            .zip(&list.items)
            .filter_map(|(index, item)| match through(item) {
                Item::Int(n) => Some((Loc { index: Some(index), ..loc }, *n)),
                _ => None,
            })
            .collect();
    }
    let (Some(owner), 0) = (tree.owner(loc.node), tree.node(loc.node).index) else {
        return Vec::new();
    };
    let array = Loc::slot(owner, tree.node(loc.node).owner_slot);
    let Item::Array(list) = tree.item(array) else { return Vec::new() };
    let record = tree.node(loc.node).record;
    let numbers = list.items.iter().filter_map(|item| match through(item) {
        Item::Node(node) if tree.node(*node).record == record => {
            match tree.item(Loc::slot(*node, loc.slot)) {
                Item::Int(n) => Some(*n),
                _ => None,
            }
        }
        _ => None,
    });
    (0_u32..).zip(numbers).map(|(i, n)| (Loc { index: Some(i), ..array }, n)).collect()
}
