//! Numbers that a schema states fit the cells in which they are stored, and its own rules.

use std::collections::HashMap;

use super::context::{Context, cells, element, row_name};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Cell, Check, CheckKind, Constant, Content, EnumId, Expr, ExprId, Extent, FloatCode, Meaning,
    Model, Role, Row, RowKind, RunLength, RunType, Storage, Type, float_of, text_units, unit_size,
};
use crate::span::Span;

pub(super) fn check(context: &Context, found: &mut Diagnostics) {
    let model = context.model;
    for row in model.records.iter().flat_map(|record| &record.rows) {
        let bounds = bounds(model, row, found);
        for cell in cells(model, &row.ty) {
            none_codes(model, row, cell, found);
            truth(model, row, cell, found);
        }
        digest(model, row, found);
        for (constant, what) in constants(row) {
            let fits = match fits(model, &row.ty, constant, row.plus) {
                Ok(()) => true,
                Err(why) => {
                    let message =
                        format!("{what} {} does not fit {}", describe(constant), row_name(row));
                    found.error("E0712", row.span, message).label(why);
                    false
                }
            };
            if fits && bounds {
                allowed(model, row, constant, what, found);
            }
        }
    }
    members(model, found);
    for kind in &model.pointers {
        if let (Some(none), Some((lowest, highest))) = (kind.none, range(model, &kind.cell))
            && !(lowest..=highest).contains(&none)
        {
            let message = format!("`none={none}` does not fit the pointer `{}`", kind.name);
            let label = format!("its number is {lowest} to {highest}");
            found.error("E0711", kind.span, message).label(label);
        }
    }
}

/// A digest has the size that its row says.
fn digest(model: &Model, row: &Row, found: &mut Diagnostics) {
    let Some(&Expr::Call(function, _)) = row.equation().map(|expr| &model[expr]) else { return };
    let Type::Run(RunType { length: RunLength::Fixed(room), .. }) = row.ty else { return };
    if let Some(size) = function.digest_size().filter(|size| *size != room) {
        let message = format!("`{}` does not fit {}", function.name(), row_name(row));
        let why = format!("it has {room} bytes, the digest {size}");
        found.error("E0712", row.span, message).label(why);
    }
}

/// Lowest and highest number that a cell can hold; `None` for floats, and where a tag's cell
/// decides.
pub(super) fn range(model: &Model, cell: &Cell) -> Option<(i128, i128)> {
    if FloatCode::of(cell).is_some() {
        return None;
    }
    match cell.storage {
        // A field of bits that is none is told of by itself.
        Storage::Word { first, last, .. }
            if !(first..=first.saturating_add(63)).contains(&last) =>
        {
            None
        }
        Storage::Bits { width, .. } | Storage::Letter { width, .. }
            if !(1..=64).contains(&width) =>
        {
            None
        }
        Storage::TagOf => None,
        _ => Some(model.number_range(cell)),
    }
}

fn none_codes(model: &Model, row: &Row, cell: &Cell, found: &mut Diagnostics) {
    let Some((lowest, highest)) = range(model, cell) else { return };
    if let Some(none) = row.none.iter().find(|none| !(lowest..=highest).contains(*none)) {
        let message = format!("`none={none}` does not fit {}", row_name(row));
        let label = format!("it is {lowest} to {highest}");
        found.error("E0711", row.span, message).label(label);
    }
}

/// The number for true fits.
fn truth(model: &Model, row: &Row, cell: &Cell, found: &mut Diagnostics) {
    let Some((_, highest)) = range(model, cell) else { return };
    let Meaning::Bool { yes } = cell.meaning else { return };
    if yes == 0 || i128::from(yes) > highest {
        let message = format!("`yes={yes}` cannot mean true in {}", row_name(row));
        let label = format!("0 means false, and {highest} is the highest number");
        found.error("E0716", row.span, message).label(label);
    }
}

/// Each member of an enumeration fits some row: rows of bits may have room for the first ones only.
fn members(model: &Model, found: &mut Diagnostics) {
    let mut widest: HashMap<EnumId, (i128, i128, Span)> = HashMap::new();
    for row in model.records.iter().flat_map(|record| &record.rows) {
        for cell in cells(model, &row.ty) {
            let (Meaning::Enum(id), Some((low, high))) = (&cell.meaning, range(model, cell)) else {
                continue;
            };
            let known = widest.entry(*id).or_insert((low, high, row.span));
            *known = (known.0.min(low), known.1.max(high), known.2);
        }
    }
    for (number, found_enum) in (0u32..).zip(&model.enums) {
        let Some((low, high, span)) = widest.get(&EnumId(number)) else { continue };
        let fits = |number: i128| (*low..=*high).contains(&number);
        let Some(member) = found_enum.members.iter().find(|member| !fits(member.number)) else {
            continue;
        };
        let (name, number) = (&member.name, member.number);
        let message = format!("`{name}` of `{}` is {number}, which fits no row", found_enum.name);
        let diagnostic = found.error("E0715", found_enum.span, message);
        diagnostic.also(*span, format!("{low} to {high}"));
    }
}

/// Values that the schema states for a row, with what they are.
fn constants(row: &Row) -> Vec<(&Constant, &'static str)> {
    let mut all = Vec::new();
    if let RowKind::Constant(constant) = &row.kind {
        all.push((constant, "the constant"));
    }
    if let Role::Default(constant) = &row.role {
        all.push((constant, "the default"));
    }
    let absent = row.absent.as_ref().filter(|_| !matches!(row.role, Role::Elsewhere));
    all.extend(absent.map(|constant| (constant, "the value of `absent=`")));
    all
}

/// Whether a value of this type, or each element, can be the constant; or why not.
pub(super) fn fits(
    model: &Model,
    ty: &Type,
    constant: &Constant,
    plus: i128,
) -> Result<(), String> {
    match (element(ty), constant) {
        (Type::Cell(cell), Constant::Int(number)) => {
            if let Meaning::Bool { .. } = cell.meaning {
                return Err("write `#true` or `#false`".to_owned());
            }
            if FloatCode::of(cell).is_some() {
                return float(cell, &number.to_string());
            }
            if let Meaning::Enum(id) = cell.meaning
                && let Some(found) = model.enums.get(id.index())
                && !found.allows(*number)
            {
                return Err(format!("`{}` has no member with this number", found.name));
            }
            match range(model, cell) {
                Some((lowest, highest))
                    if !(lowest..=highest).contains(&number.saturating_add(plus)) =>
                {
                    Err(format!(
                        "it is {} to {}",
                        lowest.saturating_sub(plus),
                        highest.saturating_sub(plus)
                    ))
                }
                _ => Ok(()),
            }
        }
        (Type::Cell(cell), Constant::Float(_)) if FloatCode::of(cell).is_none() => {
            Err("it holds no fraction".to_owned())
        }
        (Type::Cell(cell), Constant::Float(bits)) => match f64::from_bits(*bits) {
            number if number.is_finite() => float(cell, &number.to_string()),
            _ => Ok(()),
        },
        (Type::Cell(cell), Constant::Bool(_)) => match cell.meaning {
            Meaning::Bool { .. } => Ok(()),
            // One bit is a truth value too.
            Meaning::Int if range(model, cell) == Some((0, 1)) => Ok(()),
            _ => Err("it holds no truth value".to_owned()),
        },
        (Type::Cell(_), Constant::Text(_) | Constant::Bytes(_)) => {
            Err("it holds a number".to_owned())
        }
        (Type::Run(run), Constant::Bytes(bytes)) => match run.length {
            RunLength::Fixed(size) if u64::try_from(bytes.len()) != Ok(size) => {
                Err(format!("it has {size} bytes, the constant {}", bytes.len()))
            }
            _ => Ok(()),
        },
        (Type::Run(run), Constant::Text(text)) => text_fits(model, ty, run.content, text),
        (Type::Run(_), Constant::Int(_) | Constant::Float(_) | Constant::Bool(_)) => {
            Err("it holds bytes or text".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whether a text, or one of each element, can be this one, as far as a constant says how long it is.
pub(super) fn text_fits(
    model: &Model,
    ty: &Type,
    content: Content,
    text: &str,
) -> Result<(), String> {
    if let Content::Text(encoding) = content
        && let Some(letter) = encoding.missing(text)
    {
        return Err(format!("`{}` has no letter {letter:?}", encoding.name()));
    }
    let size = text_units(content, text) * unit_size(content);
    for part in ty.inline_parts() {
        let (room, exact) = match part {
            Type::Run(RunType { length: RunLength::Fixed(room), .. }) => (*room, true),
            Type::Region(region) => match (&region.extent, &region.inner) {
                (Extent::Size(room), Type::Run(_)) => {
                    let Some(room) = model.exprs.constant(*room) else { continue };
                    (u64::try_from(room).unwrap_or(0), region.trim.is_none())
                }
                _ => continue,
            },
            _ => continue,
        };
        if size > room || exact && size < room {
            return Err(format!("it has {room} bytes, the text {size}"));
        }
    }
    Ok(())
}

/// Whether a decimal is one of the floats that a cell can store.
fn float(cell: &Cell, decimal: &str) -> Result<(), String> {
    let code = FloatCode::of(cell).unwrap_or(FloatCode::DOUBLE);
    let bytes = if code.is_single() { 4 } else { 8 };
    let value = float_of(decimal, bytes).map_err(|error| error.to_string())?;
    match code.stored(value) {
        Some(_) => Ok(()),
        None => {
            let number = decimal.parse().ok().and_then(|number| code.nearest(number));
            let number = number.unwrap_or_default();
            // As few digits as say it.
            #[allow(clippy::cast_possible_truncation, reason = "it is one of 4 bytes")]
            let shown = match bytes {
                4 => (number as f32).to_string(),
                _ => number.to_string(),
            };
            Err(format!("the nearest is {shown}"))
        }
    }
}

/// Whether the bounds of a row leave something between them.
fn bounds(model: &Model, row: &Row, found: &mut Diagnostics) -> bool {
    let mut least: Option<(i128, Span)> = None;
    let mut most: Option<(i128, Span)> = None;
    for check in &row.checks {
        match &check.kind {
            CheckKind::Min(expr) => least = model.exprs.constant(*expr).map(|n| (n, check.span)),
            CheckKind::Max(expr) => most = model.exprs.constant(*expr).map(|n| (n, check.span)),
            _ => {}
        }
    }
    if let (Some((min, _)), Some((max, span))) = (least, most)
        && min > max
    {
        let message = format!("no number is at least {min} and at most {max}");
        found.error("E0713", span, message).also(row.span, "the row");
        return false;
    }
    let Some((lowest, highest)) = single(&row.ty).and_then(|cell| range(model, cell)) else {
        return true;
    };
    let (lowest, highest) = (lowest - row.plus, highest - row.plus);
    let least = least.filter(|(min, _)| *min > highest).map(|bound| (bound, "least"));
    let most = most.filter(|(max, _)| *max < lowest).map(|bound| (bound, "most"));
    if let Some(((bound, span), word)) = least.or(most) {
        let message = format!("{} is never at {word} {bound}", row_name(row));
        found.error("E0713", span, message).label(format!("it is {lowest} to {highest}"));
        return false;
    }
    for check in &row.checks {
        let CheckKind::OneOf(list) = &check.kind else { continue };
        let out = |number: i128| !(lowest..=highest).contains(&number);
        let none = |expr: &ExprId| model.exprs.constant(*expr).is_some_and(out);
        if !list.is_empty() && list.iter().all(none) {
            let message = format!("none of {} fits {}", check.text, row_name(row));
            let diagnostic = found.error("E0713", check.span, message);
            diagnostic.label(format!("it is {lowest} to {highest}"));
            return false;
        }
    }
    true
}

/// The cell of a row that is one number, or of each of its elements.
fn single(ty: &Type) -> Option<&Cell> {
    match element(ty) {
        Type::Cell(cell) if matches!(cell.meaning, Meaning::Int) => Some(cell),
        _ => None,
    }
}

/// What the schema states keeps to the row's own rules.
fn allowed(model: &Model, row: &Row, constant: &Constant, what: &str, found: &mut Diagnostics) {
    let Constant::Int(number) = constant else { return };
    let broken = row.checks.iter().find(|check| breaks(model, check, *number));
    if let Some(check) = broken {
        let message = format!("{what} {number} breaks a rule of {}", row_name(row));
        let diagnostic = found.error("E0714", row.span, message);
        let rule = match check.kind {
            CheckKind::Min(_) => "at least",
            CheckKind::Max(_) => "at most",
            CheckKind::OneOf(_) => "one of",
            CheckKind::Equals(_) | CheckKind::Holds(_) => "rule:",
        };
        diagnostic.label(format!("{rule} {}", check.text));
    }
}

fn breaks(model: &Model, check: &Check, number: i128) -> bool {
    let constant = |expr: &ExprId| model.exprs.constant(*expr);
    match &check.kind {
        CheckKind::Min(expr) => constant(expr).is_some_and(|min| number < min),
        CheckKind::Max(expr) => constant(expr).is_some_and(|max| number > max),
        CheckKind::OneOf(list) => {
            let list: Option<Vec<i128>> = list.iter().map(constant).collect();
            list.is_some_and(|list| !list.contains(&number))
        }
        CheckKind::Equals(expr) => constant(expr).is_some_and(|value| value != number),
        CheckKind::Holds(_) => false,
    }
}

fn describe(constant: &Constant) -> String {
    match constant {
        Constant::Int(number) => number.to_string(),
        Constant::Float(bits) => match f64::from_bits(*bits) {
            float if float.to_string().len() > 20 => format!("{float:e}"),
            float => float.to_string(),
        },
        Constant::Bool(value) => format!("`#{value}`"),
        Constant::Text(text) => format!("{text:?}"),
        Constant::Bytes(bytes) => format!("of {} bytes", bytes.len()),
    }
}
