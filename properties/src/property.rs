//! What must hold for a schema and its generated code, and how an input says which of it is tried.

use formwork::ReadOptions;

/// Something that must hold for every input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// Any bytes are read, or end in an error that lies within them.
    Read,
    /// What is read is written and read again: the value is equal, the second file is equal to the
    /// first one, and that is equal to the input wherever both place things alike.
    Rewrite,
    /// A value that nobody read is written and read again: it is equal.
    Make,
    /// One field of a value in JSON is changed: encoding it ends in an error, or in a file with that
    /// value.
    Edit,
    /// Generated code and interpreter say the same.
    Engines,
    /// Generated code reads into arenas and writes from them what it does without.
    Arena,
    /// A value that nobody read is written, and the file changed in a few places: then what must
    /// hold for files holds for it. Most changes of files that a fuzzer finds break something that
    /// the reader compares; here the change is all that may be wrong.
    Change,
}

impl Property {
    /// All properties, in the order of the numbers that choose them.
    pub const ALL: [Property; 7] = [
        Property::Read,
        Property::Rewrite,
        Property::Make,
        Property::Edit,
        Property::Engines,
        Property::Arena,
        Property::Change,
    ];

    /// A word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Property::Read => "read",
            Property::Rewrite => "rewrite",
            Property::Make => "make",
            Property::Edit => "edit",
            Property::Engines => "engines",
            Property::Arena => "arena",
            Property::Change => "change",
        }
    }

    /// Bytes of an input, behind the first one, that say what is changed.
    pub(crate) fn choices(self) -> usize {
        match self {
            Property::Edit => EDIT,
            Property::Change => CHANGE + EDIT,
            _ => 0,
        }
    }
}

/// How strictly an input is read, by the number that chooses it.
const STRICTNESS: u8 = 3;

/// Bytes that say which field of a value is edited, and how.
const EDIT: usize = 16;

/// Bytes that say where a file is changed, and how, before those of an edit.
pub(crate) const CHANGE: usize = 16;

/// What an input asks for. Its first byte chooses the property and how strictly to read; what is
/// behind is the file, or what a value is made of. Before that, [`Property::Edit`] has 16 bytes that
/// choose the change, [`Property::Change`] 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case<'a> {
    /// What is tried.
    pub property: Property,
    /// 0 as by default, 1 leniently, 2 strictly.
    strictness: u8,
    /// What chooses the change; empty unless the property is [`Property::Edit`] or
    /// [`Property::Change`].
    pub choice: &'a [u8],
    /// The file, or what a value is made of.
    pub bytes: &'a [u8],
}

impl<'a> Case<'a> {
    /// Reads an input; `None` if it is too short.
    #[must_use]
    pub fn of(input: &'a [u8]) -> Option<Case<'a>> {
        let (first, rest) = input.split_first()?;
        let count = Property::ALL.len();
        let property = Property::ALL[usize::from(*first) % count];
        let strictness = u8::try_from(usize::from(*first) / count).ok()? % STRICTNESS;
        let (choice, bytes) = rest.split_at_checked(property.choices())?;
        Some(Case { property, strictness, choice, bytes })
    }

    /// How to read the file.
    #[must_use]
    pub fn options(&self) -> ReadOptions {
        let options = ReadOptions::default();
        match self.strictness {
            1 => options.lenient(true),
            2 => options.strict(true),
            _ => options,
        }
    }

    /// An input that asks for this property of a file, read as by default. `choice` is cut or
    /// filled up with zero bytes to the length that is needed.
    #[must_use]
    pub fn input(property: Property, choice: &[u8], bytes: &[u8]) -> Vec<u8> {
        Case::input_read_as(0, property, choice, bytes)
    }

    /// The same, read as by default if `strictness` is 0, leniently if it is 1, strictly if it is 2.
    #[must_use]
    pub fn input_read_as(
        strictness: u8,
        property: Property,
        choice: &[u8],
        bytes: &[u8],
    ) -> Vec<u8> {
        let number = Property::ALL.iter().position(|known| *known == property).unwrap_or(0);
        let number = number + usize::from(strictness % STRICTNESS) * Property::ALL.len();
        let mut input = vec![u8::try_from(number).unwrap_or(0)];
        let filled = choice.iter().copied().chain(std::iter::repeat(0));
        input.extend(filled.take(property.choices()));
        input.extend_from_slice(bytes);
        input
    }
}

/// What came of an input for which the property holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It was refused with an error: the file by the reader, the value by the writer, the change by
    /// one of both or by JSON. Or there are no arenas to try.
    Refused,
    /// It was accepted, and all that must hold does.
    Held,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_say_what_they_were_made_of() {
        for property in Property::ALL {
            let input = Case::input(property, &[1, 2], b"file");
            let case = Case::of(&input).expect("it is long enough");
            assert_eq!((case.property, case.bytes), (property, &b"file"[..]));
            assert_eq!(case.options(), ReadOptions::default());
            assert_eq!(case.choice.first(), (property.choices() > 0).then_some(&1));
            let lenient = Case::input_read_as(1, property, &[1, 2], b"file");
            let case = Case::of(&lenient).expect("it is long enough");
            assert_eq!((case.property, case.options().lenient), (property, true));
        }
    }

    #[test]
    fn first_bytes_choose_all_there_is() {
        assert_eq!(Case::of(&[]), None);
        let cases = (0..=u8::MAX).filter_map(|first| {
            let input: Vec<u8> = std::iter::once(first).chain([0; CHANGE + EDIT]).collect();
            Case::of(&input).map(|case| (case.property, case.strictness))
        });
        let different: std::collections::BTreeSet<_> = cases.collect();
        assert_eq!(different.len(), Property::ALL.len() * usize::from(STRICTNESS));
    }
}
