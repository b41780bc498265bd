//! What the fast path of generated code stands on, straight code: readers and writers for files that
//! have nothing unusual.
//!
//! Straight code goes from bytes to values and back without a tree between. It gives up as soon as
//! anything is not as a file written by straight code would have it; then the engine begins from
//! the start, which knows what to report and what to keep. So nothing here says what is wrong.

mod arena;
mod cells;
mod chain;
mod check;
mod digits;
mod few;
mod ink;
mod kept;
mod labels;
mod levels;
mod load;
mod members;
mod mode;
mod odd;
mod pool;
mod scan;
mod shared;
mod sight;
mod summed;
mod sums;
mod tables;
mod waiting;

pub use crate::hash::{adler32, crc32};
pub use arena::{
    added, all_of, boxed_in, bytes_in, closed, gathered, list_of, one_of, opened, packed_case,
    pushed, room_for, spelled, spelling_added, spelling_of, text_added, text_in, text_of, units_in,
    units_in_be, unpacked_case, unreadable, unwritable, Common, Open, Spellings, Texts,
};
pub use cells::{
    bits, fill_room, is_kept, kept_form, letter, set, set_big, set_big_signed, set_big_unsigned,
    set_bytes, set_signed, set_unsigned, Chars, Width,
};
pub use chain::Chain;
pub use check::{
    add, divide, element_of, extension, fnv1a, greatest, least, multiply, murmur3, nth, polynomial,
    remainder, shift_left, shift_right, solved, stem, subtract, units, utf16_units, Depth, KeySet,
    Level, NoKeys,
};
pub use digits::{digits, keep_reserved, kept_digits, set_digits, set_reserved, stored_digits};
pub use ink::{write, writes, Begun, Ink, Late};
pub use kept::{is_none, is_usual_none, kept, kept_number, none_of};
pub use load::*;
pub use members::{has_only_members, kept_members, list_members, mend_members, KeptMembers};
pub use mode::{Borrow, Mode, Owning};
pub use odd::{alignment, all_below, holds, index, known, length, many, Odd, Straight};
pub use pool::{Members, PoolText};
pub use scan::{
    from_base, keep_form, list, push, trimmed, trimmed_least, usual, Bases, Part, Scan, FILL,
};
pub use shared::Gathered;
pub use sight::{address, element_at, Leads};
pub use sums::{sum_of, FILE_END};
pub use tables::{Listed, Rows, Section, Tree};
pub use waiting::{BaseCell, FoundMembers, LabelBase, LabelKind, Spot, Sum};

pub use crate::__small_case as small_case;
pub use crate::ends::{Cut, Stop};
pub use crate::model::{narrowed, widened, DigitFill, DigitForm, LengthRule, Terminated};
