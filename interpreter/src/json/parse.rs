//! JSON texts as trees. Numbers stay texts, so that none is rounded.

use std::collections::HashSet;
use std::fmt;

use crate::stack::with_stack;

/// How deep lists and objects may be nested. A format's own limit of depth ends before.
const MAX_DEPTH: u32 = 2048;

/// Something of a JSON text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Json<'t> {
    /// Where it begins in the text, in bytes.
    pub at: usize,
    pub kind: Kind<'t>,
}

/// What a [`Json`] is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind<'t> {
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(&'t str),
    Text(String),
    List(Vec<Json<'t>>),
    /// Keys are unique.
    Object(Vec<(String, Json<'t>)>),
}

impl Json<'_> {
    /// What it is, for messages.
    pub(super) fn kind_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a truth value",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a text",
            Kind::List(_) => "a list",
            Kind::Object(_) => "an object",
        }
    }

    /// The member of an object with this key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match &self.kind {
            Kind::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, json)| json),
            _ => None,
        }
    }
}

/// A text that is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SyntaxError { line, column, message } = self;
        write!(f, "{message}, at line {line}, column {column}")
    }
}

/// Line and column of a place in a text, both from 1.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

pub(super) fn parse(text: &str) -> Result<Json<'_>, SyntaxError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let json = parser.value();
    let json = json.and_then(|json| match parser.peek() {
        None => Ok(json),
        Some(_) => Err("something follows after the end".to_owned()),
    });
    json.map_err(|message| {
        let (line, column) = position(text, parser.at);
        SyntaxError { line, column, message }
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

type Parsed<T> = Result<T, String>;

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.at += rest.len() - trimmed.len();
        trimmed.bytes().next()
    }

    fn expect(&mut self, symbol: u8) -> Parsed<()> {
        if self.peek() == Some(symbol) {
            self.at += 1;
            return Ok(());
        }
        Err(format!("`{}` is missing", char::from(symbol)))
    }

    fn value(&mut self) -> Parsed<Json<'t>> {
        let next = self.peek();
        let at = self.at;
        let kind = match next {
            Some(b'{') => self.deeper(Parser::object)?,
            Some(b'[') => self.deeper(Parser::list)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return Err("the text ends where a value is expected".to_owned()),
        };
        Ok(Json { at, kind })
    }

    fn deeper(&mut self, what: impl FnOnce(&mut Self) -> Parsed<Kind<'t>>) -> Parsed<Kind<'t>> {
        if self.depth >= MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        self.at += 1;
        let kind = with_stack(|| what(self));
        self.depth -= 1;
        kind
    }

    fn list(&mut self) -> Parsed<Kind<'t>> {
        let mut elements = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Kind::List(elements));
        }
        loop {
            elements.push(self.value()?);
            if self.peek() == Some(b',') {
                self.at += 1;
                continue;
            }
            self.expect(b']')?;
            return Ok(Kind::List(elements));
        }
    }

    fn object(&mut self) -> Parsed<Kind<'t>> {
        let mut members = Vec::new();
        let mut keys = HashSet::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Kind::Object(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err("a key in quotes is missing".to_owned());
            }
            let start = self.at;
            let key = self.string()?;
            if !keys.insert(key.clone()) {
                self.at = start;
                return Err(format!("the key {key:?} is there twice"));
            }
            self.expect(b':')?;
            members.push((key, self.value()?));
            if self.peek() == Some(b',') {
                self.at += 1;
                continue;
            }
            self.expect(b'}')?;
            return Ok(Kind::Object(members));
        }
    }

    fn word(&mut self) -> Parsed<Kind<'t>> {
        let words =
            [("null", Kind::Null), ("true", Kind::Bool(true)), ("false", Kind::Bool(false))];
        for (word, kind) in words {
            let follows =
                |rest: &str| rest.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
            if let Some(rest) = self.rest().strip_prefix(word)
                && !follows(rest)
            {
                self.at += word.len();
                return Ok(kind);
            }
        }
        Err("a value is expected here".to_owned())
    }

    fn number(&mut self) -> Parsed<Kind<'t>> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'))
            .unwrap_or(rest.len());
        let number = &rest[..length];
        if !is_number(number) {
            return Err(format!("`{number}` is no JSON number"));
        }
        self.at += length;
        Ok(Kind::Number(number))
    }

    fn string(&mut self) -> Parsed<String> {
        // Behind the opening quote.
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| matches!(c, '"' | '\\' | '\0'..='\x1f'));
            let Some(plain) = plain else {
                self.at = self.text.len();
                return Err("a text has no end".to_owned());
            };
            text.push_str(&rest[..plain]);
            self.at += plain;
            match rest.as_bytes()[plain] {
                b'"' => {
                    self.at += 1;
                    return Ok(text);
                }
                b'\\' => text.push(self.escape()?),
                _ => {
                    return Err(
                        "a control character stands in a text; it is `\\n` or `\\u00..`".to_owned()
                    );
                }
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        let start = self.at;
        let letter = self.rest().as_bytes().get(1).copied();
        self.at += 2;
        let plain = match letter {
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit();
                let units = match first {
                    Some(high @ 0xd800..=0xdbff) if self.rest().starts_with("\\u") => {
                        self.at += 2;
                        vec![high, self.unit().unwrap_or(0)]
                    }
                    Some(unit) => vec![unit],
                    None => Vec::new(),
                };
                let mut decoded = char::decode_utf16(units);
                match (decoded.next(), decoded.next()) {
                    (Some(Ok(c)), None) => c,
                    _ => {
                        self.at = start;
                        return Err("this is no character; lone surrogates are written as \
                                    {\"utf16\": [..]}"
                            .to_owned());
                    }
                }
            }
            _ => {
                self.at = start;
                return Err("this escape is unknown".to_owned());
            }
        };
        Ok(plain)
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.rest().get(..4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u16::from_str_radix(digits, 16).ok()
    }
}

/// Whether a text is a number by the grammar of JSON.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let json =
            parse(" {\"a\": [1, -0.5e+3, true, null], \"b\\u00e9\": \"\\ud83d\\ude00\\n\"} ")
                .expect("it is JSON");
        let Kind::Object(members) = &json.kind else { panic!("{json:?}") };
        assert_eq!(members[1].0, "bé");
        assert_eq!(members[1].1.kind, Kind::Text("😀\n".to_owned()));
        let Kind::List(list) = &members[0].1.kind else { panic!("{json:?}") };
        assert_eq!(list[1].kind, Kind::Number("-0.5e+3"));
    }

    #[test]
    fn refused() {
        let deep = "[".repeat(1_000_000);
        let texts = [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\":1,\"a\":2}",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "0x10",
            "nul",
            "nulls",
            "\"a",
            "\"\\q\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\t\"",
            "1 2",
            "{a: 1}",
            "\"\\u12",
            "\"\\",
            "\"\\u00é9\"",
            "NaN",
            "--1",
            &deep,
        ];
        for text in texts {
            assert!(parse(text).is_err(), "{}", &text[..text.len().min(20)]);
        }
    }

    #[test]
    fn places() {
        let error = parse("{\n  \"é\": 1,\n  \"b\": x\n}").expect_err("x is nothing");
        assert_eq!((error.line, error.column), (3, 8));
    }
}
