//! Files that are nearly right, put right.

use formwork::{ReadError, ReadErrorKind, ReadOptions};
use formwork_codegen::model::{ByteOrder, ByteOrderRule, Storage};
use formwork_interpreter::{Program, read};

/// Most errors of a file that are put right, one behind the other.
const ROUNDS: usize = 12;

/// Most bytes that a file grows to.
const MOST: usize = 256;

/// Changes a file where the reader says what is wrong with it, as long as that is a number that it
/// expects otherwise or an end that comes too early: few files made of chance say what follows from
/// the rest of them. The file may still be wrong afterwards.
#[must_use]
pub fn file(program: &Program, mut bytes: Vec<u8>) -> Vec<u8> {
    let error = |bytes: &[u8]| read(program, bytes, &ReadOptions::default()).err();
    let Some(mut wrong) = error(&bytes) else { return bytes };
    for _ in 0..ROUNDS {
        let mut better = None;
        for changed in candidates(&bytes, &wrong) {
            match error(&changed) {
                None => return changed,
                Some(again) if better.is_none() && is_another(&wrong, &again) => {
                    better = Some((changed, again));
                }
                Some(_) => {}
            }
        }
        let Some(found) = better else { break };
        (bytes, wrong) = found;
    }
    bytes
}

/// The file with the numbers of this version, of those that the schema tells apart; a later one is
/// taken modulo how many there are.
#[must_use]
pub fn version(program: &Program, mut bytes: Vec<u8>, number: usize) -> Vec<u8> {
    let model = program.model();
    let Some(epoch) = model.epochs.get(number % model.epochs.len().max(1)) else { return bytes };
    for (variable, ranges) in model.epoch_variables.iter().zip(&epoch.ranges) {
        let (Storage::Fixed(int), Ok(at)) = (variable.cell.storage, variable.offset.try_into())
        else {
            continue;
        };
        let at: usize = at;
        let Some((low, high)) = ranges.last() else { continue };
        // Ranges without an end are those of the number: its middle says more than its least.
        let number = if (*low..=*high).contains(&1) { 1 } else { *low };
        let width = usize::from(int.bytes);
        let mut stored = number.to_le_bytes()[..width].to_vec();
        let order = int.order.unwrap_or(match model.byte_order {
            ByteOrderRule::Fixed(order) => order,
            ByteOrderRule::Mark { .. } => ByteOrder::Little,
        });
        if order == ByteOrder::Big {
            stored.reverse();
        }
        bytes.resize(bytes.len().max(at + width), 0);
        bytes[at..at + width].copy_from_slice(&stored);
    }
    bytes
}

/// Whether an error is about something else than one before it.
fn is_another(before: &ReadError, error: &ReadError) -> bool {
    (error.offset(), error.kind().code()) != (before.offset(), before.kind().code())
}

/// What a file might have to be instead.
fn candidates(bytes: &[u8], error: &ReadError) -> Vec<Vec<u8>> {
    let Ok(at) = usize::try_from(error.offset()) else { return Vec::new() };
    match error.kind() {
        ReadErrorKind::NotDerived { expected, .. } | ReadErrorKind::NotEqual { expected, .. } => {
            expected.parse().map_or_else(|_| Vec::new(), |number| with(bytes, at, number))
        }
        ReadErrorKind::BelowMinimum { minimum: limit, .. }
        | ReadErrorKind::AboveMaximum { maximum: limit, .. } => {
            limit.parse().map_or_else(|_| Vec::new(), |number| with(bytes, at, number))
        }
        ReadErrorKind::NotZero
        | ReadErrorKind::UnknownTag { .. }
        | ReadErrorKind::InvalidBool { .. }
        | ReadErrorKind::NotInEnum { .. }
        | ReadErrorKind::IndexOutOfRange { .. } => with(bytes, at, 0),
        ReadErrorKind::NullPointer | ReadErrorKind::PointerOutOfBounds { .. } => {
            with(bytes, at, bytes.len() as i128 / 2)
        }
        ReadErrorKind::UnexpectedEnd { needed, remaining } => {
            let more = usize::try_from(needed - remaining.min(needed)).unwrap_or(usize::MAX);
            let size = bytes.len().saturating_add(more);
            if size > MOST {
                return with(bytes, at, 0);
            }
            let mut longer = bytes.to_vec();
            longer.resize(size, 1);
            vec![longer]
        }
        _ => Vec::new(),
    }
}

/// A file with a number of each width, in both byte orders.
fn with(bytes: &[u8], at: usize, number: i128) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for width in [1, 2, 4, 8] {
        let little = &number.to_le_bytes()[..width];
        let big: Vec<u8> = little.iter().rev().copied().collect();
        for number in [little, &big] {
            let mut changed = bytes.to_vec();
            if let Some(place) = changed.get_mut(at..at + width) {
                place.copy_from_slice(number);
                all.push(changed);
            }
            if width == 1 {
                break;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use formwork_codegen::load;

    use super::*;

    #[test]
    fn numbers_and_ends_are_put_right() {
        let text = "module m root=File endian=big\n\
                    struct File { u8 kind max=3; zero size=1; u8 n; u16 list count=n; \
                    u32 sum is=\"sum(list) + 7\" }";
        let loaded = load("m.kdl", text, None, &());
        let program = formwork_interpreter::program(loaded.model.expect("it has no errors"));
        let patched = file(&program, vec![9, 5, 2, 0, 4]);
        assert_eq!(patched, [3, 0, 2, 0, 4, 1, 1, 0, 0, 1, 12]);
        assert!(read(&program, &patched, &ReadOptions::default()).is_ok());
        let right = vec![0, 0, 0, 0, 0, 0, 7];
        assert_eq!(file(&program, right.clone()), right);
    }
}
