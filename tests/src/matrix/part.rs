//! The parts that the row of a cell plays for others, said without the engine.

use formwork_interpreter::Value;

use crate::flows::{case, int, list, record};

/// What else a schema says of the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Nothing: it is data.
    Data,
    /// It is the `count=` of an array.
    Count,
    /// It is the `size=` of a region.
    Size,
    /// It decides between the cases of a union that have one label each.
    On,
    /// It decides between a case and all others.
    Else,
    /// Another number follows from it.
    Asked,
    /// It is an index in a path.
    Index,
    /// It says whether another row is there.
    When,
    /// A `check` of the struct is about it.
    Check,
    /// It is an argument of a type, and a count there.
    Argument,
    /// A `let` names it, and another number follows from that.
    Let,
}

/// Rows behind that of the cell: their bytes, and their fields in a value.
pub type Behind = (Vec<u8>, Vec<(&'static str, Value)>);

impl Part {
    /// All of them.
    pub const ALL: [Part; 11] = [
        Part::Data,
        Part::Count,
        Part::Size,
        Part::On,
        Part::Else,
        Part::Asked,
        Part::Index,
        Part::When,
        Part::Check,
        Part::Argument,
        Part::Let,
    ];

    /// Name of the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Part::Data => "data",
            Part::Count => "count",
            Part::Size => "size",
            Part::On => "on",
            Part::Else => "else",
            Part::Asked => "asked",
            Part::Index => "index",
            Part::When => "when",
            Part::Check => "check",
            Part::Argument => "argument",
            Part::Let => "let",
        }
    }

    /// The rows behind, for a row at this path.
    #[must_use]
    pub fn rows(self, x: &str) -> String {
        match self {
            Part::Data => String::new(),
            Part::Count => format!("u8 a count=\"{x}\""),
            Part::Size => format!("u8 a count=fill size=\"{x}\""),
            Part::On => format!(
                "union s on=\"{x}\" {{ case four 4 {{ u8 p }}; case six 6 {{ u16 q }}; \
                 case seven 7 {{ }} }}"
            ),
            Part::Else => format!(
                "union s on=\"{x}\" {{ case few \"..5\" 7 {{ u8 p }}; case more else {{ u16 q }} }}"
            ),
            Part::Asked => format!("i32 y is=\"({x} ?? 700) + 1\""),
            Part::Index => format!("u8 y is=\"File.xs[{x}] ?? 99\""),
            Part::When => format!("when \"{x} == 4\" {{ u8 y }}"),
            Part::Check => format!("check \"({x} ?? 0) != 7\""),
            Part::Argument => format!("Arg<{x}> g"),
            Part::Let => format!("let n \"({x} ?? 6) * 2\"; i32 y is=\"n - 1\""),
        }
    }

    /// Declarations that the rows need.
    #[must_use]
    pub fn declarations(self) -> &'static str {
        match self {
            Part::Argument => "struct Arg<n> { u8 a count=n }\n",
            _ => "",
        }
    }

    /// Whether the row is derived from the rows behind, unless its own properties say otherwise.
    #[must_use]
    pub fn gives(self) -> bool {
        matches!(self, Part::Count | Part::Size | Part::On)
    }

    /// The codes of errors about rows behind a number for which nothing can stand there.
    #[must_use]
    pub fn codes(self) -> &'static [&'static str] {
        &[
            "expression",
            "negative_count",
            "unexpected_end",
            "budget_exceeded",
            "unknown_tag",
            "check_failed",
        ]
    }

    /// The rows behind, if the row means this; or the codes of errors, for reading.
    ///
    /// # Errors
    ///
    /// The codes that an error may have.
    pub fn behind(self, meaning: Option<i128>) -> Result<Behind, Vec<&'static str>> {
        let none = (Vec::new(), Vec::new());
        let follows = |number: i128| {
            let number = i32::try_from(number).unwrap_or_default();
            Ok((number.to_le_bytes().to_vec(), Vec::new()))
        };
        let few = |p| Ok((vec![0x11], vec![("s", case(p, [("p", int(0x11))]))]));
        let more = |q| Ok((vec![0x22, 0x01], vec![("s", case(q, [("q", int(0x122))]))]));
        match self {
            Part::Data => Ok(none),
            Part::Count | Part::Size | Part::Argument => match meaning {
                None => Err(vec!["expression"]),
                Some(n) if n < 0 => Err(vec!["negative_count"]),
                Some(n) => {
                    // More than a file of a test holds.
                    let n = usize::try_from(n).ok().filter(|n| *n < 20);
                    let n = n.ok_or_else(|| vec!["unexpected_end", "budget_exceeded"])?;
                    let a = list(vec![int(0x2a); n]);
                    let inside = self == Part::Argument;
                    let field = if inside { ("g", record([("a", a)])) } else { ("a", a) };
                    Ok((vec![0x2a; n], vec![field]))
                }
            },
            Part::On => match meaning {
                Some(4) => few("four"),
                Some(6) => more("six"),
                Some(7) => Ok((Vec::new(), vec![("s", case("seven", []))])),
                Some(_) => Err(vec!["unknown_tag"]),
                None => Err(vec!["expression", "unknown_tag"]),
            },
            Part::Else => match meaning {
                Some(n) if n <= 5 || n == 7 => few("few"),
                _ => more("more"),
            },
            Part::Asked => follows(meaning.unwrap_or(700) + 1),
            Part::Index => {
                let element = meaning.filter(|n| (0..8).contains(n)).unwrap_or(99);
                Ok((vec![u8::try_from(element).unwrap_or_default()], Vec::new()))
            }
            Part::When => match meaning {
                Some(4) => Ok((vec![0x33], vec![("y", int(0x33))])),
                _ => Ok((Vec::new(), vec![("y", Value::None)])),
            },
            Part::Check if meaning == Some(7) => Err(vec!["check_failed"]),
            Part::Check => Ok(none),
            Part::Let => follows(meaning.unwrap_or(6) * 2 - 1),
        }
    }
}
