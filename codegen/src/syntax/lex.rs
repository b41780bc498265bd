//! Tokens of expressions.

use crate::model::{Inexact, float_of};

/// Most tokens of one expression.
const MAX_TOKENS: usize = 4096;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Int(i128),
    Float(f64),
    Text(String),
    Word(String),
    Symbol(&'static str),
    End,
}

/// Longest first.
const SYMBOLS: [&str; 33] = [
    "++", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "??", "..", "+", "-", "*", "/", "%", "&",
    "|", "^", "~", "!", "<", ">", "?", ":", "(", ")", "[", "]", ",", ".", "#", "=",
];

/// Why a text is no expression; places are offsets in it.
pub(super) struct Problem {
    pub start: usize,
    pub end: usize,
    pub message: String,
    pub help: Option<String>,
}

/// A token with the offsets of its start and end.
pub(super) type Spot = (Token, usize, usize);

/// The tokens of a text, with [`Token::End`] behind them.
pub(super) fn lex(text: &str) -> Result<Vec<Spot>, Problem> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let problem = |end: usize, message: &str| Problem {
            start,
            end: floor(text, end.max(start + 1)),
            message: message.to_owned(),
            help: None,
        };
        if tokens.len() >= MAX_TOKENS {
            return Err(problem(start + 1, "the expression is too long"));
        }
        let byte = bytes[at];
        let token = if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        } else if byte.is_ascii_digit() {
            let (token, end) = number(text, at).map_err(|message| problem(at + 1, message))?;
            at = end;
            token
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                at += 1;
            }
            Token::Word(text[start..at].to_owned())
        } else if byte == b'\'' {
            let Some(length) = text[at + 1..].find('\'') else {
                return Err(problem(text.len(), "the text has no end"));
            };
            at += length + 2;
            Token::Text(text[start + 1..at - 1].to_owned())
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| text[at..].starts_with(**s)) {
            at += symbol.len();
            // `#true` is how KDL writes it.
            if *symbol == "#" {
                continue;
            }
            Token::Symbol(symbol)
        } else {
            let mut end = at + 1;
            while !text.is_char_boundary(end) {
                end += 1;
            }
            let mut found = problem(end, "this character has no meaning in an expression");
            found.end = end;
            if text[at..].starts_with('"') {
                found.help = Some("texts stand in single quotes: `name == 'ABCD'`".to_owned());
            }
            return Err(found);
        };
        tokens.push((token, start, at));
    }
    tokens.push((Token::End, text.len(), text.len()));
    Ok(tokens)
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn number(text: &str, start: usize) -> Result<(Token, usize), &'static str> {
    let bytes = text.as_bytes();
    let radix = match bytes.get(start..start + 2) {
        Some(b"0x") => 16,
        Some(b"0b") => 2,
        Some(b"0o") => 8,
        _ => 10,
    };
    let mut at = if radix == 10 { start } else { start + 2 };
    let first = at;
    while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
        if radix == 10 && matches!(bytes[at], b'e' | b'E') {
            break;
        }
        at += 1;
    }
    let fraction = radix == 10
        && bytes.get(at) == Some(&b'.')
        && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
    let exponent = radix == 10 && matches!(bytes.get(at), Some(b'e' | b'E'));
    if fraction || exponent {
        if fraction {
            at += 1;
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
            }
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            at += 1;
            if matches!(bytes.get(at), Some(b'+' | b'-')) {
                at += 1;
            }
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
            }
        }
        return match float_of(&text[start..at], 8) {
            Ok(bits) => Ok((Token::Float(f64::from_bits(bits)), at)),
            Err(Inexact::NoDecimal) => Err("this is not a number"),
            Err(_) => Err("no float is exactly this number"),
        };
    }
    let digits = text[first..at].replace('_', "");
    let value = i128::from_str_radix(&digits, radix).map_err(|_| "this is not a number")?;
    Ok((Token::Int(value), at))
}
