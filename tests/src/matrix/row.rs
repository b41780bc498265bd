//! The row of a cell as it is written in a schema, and what stands for it in a file.

/// A row in front of the row of the cell, in the same struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lead {
    /// Type and name.
    pub head: String,
    /// Properties, with a blank in front.
    pub props: String,
    /// Size in bytes.
    pub width: usize,
}

/// The row of a cell, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Its type.
    pub ty: String,
    /// Its type as an element of an array.
    pub many: String,
    /// Properties, with a blank in front.
    pub props: String,
    /// Size in bytes, if it is constant.
    pub width: Option<usize>,
    /// Rows in front of it.
    pub lead: Vec<Lead>,
    /// Rows behind it.
    pub rest: String,
    /// Declarations that it needs.
    pub declarations: String,
    /// Whether the file has a relocation table.
    pub relocated: bool,
    /// Labels of a union whose tag it is.
    pub labels: String,
    /// Whether the properties say how bytes are read, and so stand where the bytes are.
    pub below: bool,
    /// Whether its value is a list.
    pub is_list: bool,
    /// Whether it reaches to the end of what is around it, so that nothing stands behind.
    pub open: bool,
}

impl Row {
    /// Whether it has a property.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.props.contains(&format!(" {word}="))
    }

    /// The type in parts: what makes a pointer of it, its name, and what makes pointers of elements.
    pub(super) fn sigils(&self) -> (&str, &str, &str) {
        let is_sigil = |c: char| "*^?".contains(c);
        let rest = self.ty.trim_start_matches(is_sigil);
        let name = rest.trim_end_matches(is_sigil);
        (&self.ty[..self.ty.len() - rest.len()], name, &rest[name.len()..])
    }

    /// A property that the place gives, unless the row has it.
    pub(super) fn own(&self, prop: &str) -> String {
        let word = prop.split('=').next().unwrap_or_default();
        if self.has(word) { String::new() } else { format!(" {prop}") }
    }

    /// The rows in front, each with its end.
    pub(super) fn front(&self) -> String {
        self.lead.iter().map(|lead| format!("{}{}; ", lead.head, lead.props)).collect()
    }

    /// The rows in front with homes from `start` on, and the home behind them.
    pub(super) fn front_at(&self, start: usize, lacking: &str) -> (String, usize) {
        let (mut text, mut home) = (String::new(), start);
        for lead in &self.lead {
            text.push_str(&format!("{}{lacking} {home}{}; ", lead.head, lead.props));
            home += lead.width;
        }
        (text, home)
    }

    /// Size of the rows in front and of the row itself; one byte where it has no constant size.
    pub(super) fn size(&self) -> usize {
        self.lead.iter().map(|lead| lead.width).sum::<usize>() + self.width.unwrap_or(1)
    }
}

/// A byte of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Byte {
    /// This one.
    Is(u8),
    /// The address of what lies behind the row's pointers, and so many bytes more.
    To(usize),
    /// The address behind the row.
    End,
    /// The address of the row.
    Start,
}

/// What stands in a file for a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    /// Bytes of the rows in front.
    pub lead: Vec<Byte>,
    /// Bytes of the row.
    pub row: Vec<Byte>,
    /// Bytes of the rows behind.
    pub rest: Vec<Byte>,
    /// Bytes that its pointers lead to.
    pub targets: Vec<Byte>,
    /// How many of these bytes the pointers of the rows in front lead to.
    pub front: usize,
    /// What the address of these is a multiple of.
    pub align: usize,
    /// The section of the relocation table that lists the row, if one does.
    pub listed: Option<usize>,
}

impl Piece {
    /// Bytes alone.
    #[must_use]
    pub fn plain(row: &[u8], rest: &[u8]) -> Piece {
        let is = |bytes: &[u8]| bytes.iter().copied().map(Byte::Is).collect();
        Piece { row: is(row), rest: is(rest), align: 1, ..Piece::default() }
    }

    /// From bytes in hexadecimal: `lead; row; rest | targets`, of which all but the row may be left
    /// out. Those that rows in front lead to end with a stroke. `@2` is the address of the targets and two more, `>` the address behind the row, `<` that
    /// of the row.
    ///
    /// # Panics
    ///
    /// If it is none of these.
    #[must_use]
    pub fn parse(text: &str) -> Piece {
        let (line, targets) = text.split_once('|').unwrap_or((text, ""));
        let byte = |word: &str| match word.as_bytes().first() {
            Some(b'@') => Byte::To(word[1..].parse().expect("a number stands behind @")),
            Some(b'>') => Byte::End,
            Some(b'<') => Byte::Start,
            _ => Byte::Is(u8::from_str_radix(word, 16).expect("two digits")),
        };
        let bytes = |text: &str| text.split_whitespace().map(byte).collect::<Vec<_>>();
        let parts: Vec<_> = line.split(';').map(bytes).collect();
        let (lead, row, rest) = match &parts[..] {
            [row] => (vec![], row.clone(), vec![]),
            [lead, row] => (lead.clone(), row.clone(), vec![]),
            [lead, row, rest] => (lead.clone(), row.clone(), rest.clone()),
            _ => panic!("too many parts: {text}"),
        };
        let (first, then) = targets.split_once('/').unwrap_or(("", targets));
        let front = bytes(first).len();
        let targets = [bytes(first), bytes(then)].concat();
        Piece { lead, row, rest, targets, front, align: 1, listed: None }
    }
}
