//! Numbers as printable characters that need no escapes in a string literal.

use alloc::string::String;
use core::str::Chars;

/// So many characters end a number, and as many others say that it goes on.
const BASE: u8 = 46;

/// Appends a number, lowest digit first. Each has one form only: what goes on counts from 1.
pub(super) fn write(mut number: u128, to: &mut String) {
    loop {
        let digit = (number % u128::from(BASE)) as u8;
        let Some(rest) = (number / u128::from(BASE)).checked_sub(1) else {
            return to.push(char(digit));
        };
        to.push(char(digit + BASE));
        number = rest;
    }
}

/// Takes a number off the front.
pub(super) fn read(from: &mut Chars<'_>) -> Option<u128> {
    let (mut number, mut scale) = (0_u128, 1_u128);
    loop {
        let digit = digit(from.next()?)?;
        let more = digit >= BASE;
        number = number.checked_add(scale.checked_mul((digit % BASE).into())?)?;
        if !more {
            return Some(number);
        }
        scale = scale.checked_mul(BASE.into())?;
        number = number.checked_add(scale)?;
    }
}

/// How many characters a number takes.
pub(super) fn count(mut number: usize) -> usize {
    let mut count = 1;
    while let Some(rest) = (number / usize::from(BASE)).checked_sub(1) {
        (number, count) = (rest, count + 1);
    }
    count
}

/// `!` to `~` without `"` and `\`.
fn char(digit: u8) -> char {
    let byte = digit + b'!';
    let byte = byte + u8::from(byte >= b'"');
    char::from(byte + u8::from(byte >= b'\\'))
}

fn digit(char: char) -> Option<u8> {
    match u8::try_from(char).ok()? {
        byte @ b'!' => Some(byte - b'!'),
        byte @ b'#'..=b'[' => Some(byte - b'!' - 1),
        byte @ b']'..=b'~' => Some(byte - b'!' - 2),
        _ => None,
    }
}
