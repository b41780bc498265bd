//! A plain walk over a tree of typed values that knows nothing of schemas: every end, size, count
//! and the offset of the tables must be right.

/// What was met on the way.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Records, arrays of records, and all other nodes.
    pub nodes: usize,
    /// Depth of the innermost record; that of the root is 0.
    pub depth: usize,
    /// Texts of nodes and of the tables, in the order of the file.
    pub unicode: Vec<Vec<u16>>,
    pub ascii: Vec<Vec<u8>>,
    /// Names of records.
    pub names: Vec<Vec<u8>>,
    /// Bytes of all arrays of numbers.
    pub array_bytes: usize,
    /// Zero bytes behind the tables.
    pub padding: usize,
}

type Walked<T> = Result<T, String>;

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    compact: bool,
    indexed: bool,
    found: Found,
}

/// Walks over a file.
pub fn walk(bytes: &[u8]) -> Walked<Found> {
    let mut walk = Walk { bytes, at: 0, compact: false, indexed: false, found: Found::default() };
    let magic = walk.word(4)?;
    let (stamped, wide) = (magic != 0xabcd, magic == 0xabcb);
    walk.compact = matches!(magic, 0xabca | 0xabcb);
    walk.indexed = walk.compact || magic == 0xabcf;
    if !(0xabca..=0xabcf).contains(&magic) || magic == 0xabcc {
        return Err(format!("magic {magic:x}"));
    }
    if stamped {
        walk.at += 8;
    }
    let footer = walk.word(4)?;
    let code = walk.word(1)?;
    if code != 0x80 {
        return Err(format!("the root has code {code:x}"));
    }
    walk.at += 3;
    let end = walk.end()?;
    walk.nodes(end, 0)?;
    if walk.at != footer {
        return Err(format!("the root ends at {}, the tables begin at {footer}", walk.at));
    }
    walk.tables(if wide { 4 } else { 2 })?;
    Ok(walk.found)
}

impl<'a> Walk<'a> {
    fn take(&mut self, size: usize) -> Walked<&'a [u8]> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..size));
        let taken = taken.ok_or_else(|| format!("{size} bytes at {} are not there", self.at))?;
        self.at += size;
        Ok(taken)
    }

    fn word(&mut self, size: usize) -> Walked<usize> {
        let bytes = self.take(size)?;
        Ok(bytes.iter().rev().fold(0, |word, byte| word << 8 | usize::from(*byte)))
    }

    fn number(&mut self) -> Walked<usize> {
        let mut number = 0;
        for _ in 0..5 {
            let byte = self.word(1)?;
            number = number << 7 | byte & 0x7f;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(format!("a number of more than five bytes before {}", self.at))
    }

    /// Where what begins here ends, by an offset or a size.
    fn end(&mut self) -> Walked<usize> {
        if self.compact {
            let size = self.number()?;
            return Ok(self.at + size);
        }
        self.word(4)
    }

    /// The end and the number of elements of an array of records; the size does not cover the
    /// number.
    fn ends(&mut self) -> Walked<(usize, usize)> {
        if self.compact {
            let (size, count) = (self.number()?, self.number()?);
            return Ok((self.at + size, count));
        }
        Ok((self.word(4)?, self.word(4)?))
    }

    fn nodes(&mut self, end: usize, depth: usize) -> Walked<()> {
        if end > self.bytes.len() {
            return Err(format!("the list at {} ends at {end}", self.at));
        }
        self.found.depth = self.found.depth.max(depth);
        while self.at < end {
            self.node(end, depth)?;
        }
        if self.at == end { Ok(()) } else { Err(format!("{} is behind the end {end}", self.at)) }
    }

    fn node(&mut self, outer: usize, depth: usize) -> Walked<()> {
        self.found.nodes += 1;
        let code = self.word(1)?;
        let elements = match (code, self.compact) {
            (0x80 | 0x81, false) => {
                self.at += 3;
                code == 0x81
            }
            (0x80..=0x9f | 0xc0..=0xdf, true) => {
                self.at += 1;
                code >= 0xc0
            }
            (0xa0 | 0xe0, true) => {
                self.at += 3;
                code == 0xe0
            }
            _ => return self.value(code),
        };
        if !elements {
            let end = self.end()?;
            if end > outer {
                return Err(format!("{end} is behind {outer}"));
            }
            return self.nodes(end, depth + 1);
        }
        let (end, count) = self.ends()?;
        if end > outer {
            return Err(format!("{end} is behind {outer}"));
        }
        for _ in 0..count {
            let end = self.end()?;
            self.nodes(end, depth + 1)?;
        }
        if self.at == end { Ok(()) } else { Err(format!("elements end at {}, not {end}", self.at)) }
    }

    fn value(&mut self, code: usize) -> Walked<()> {
        let size = match code {
            0x01 | 0x02 | 0x06 => 1,
            0x03 | 0x07 | 0x10 => 2,
            0x04 | 0x08 | 0x0a => 4,
            0x05 | 0x09 | 0x0b | 0x0c => 8,
            0x0d => 12,
            0x0e | 0x0f if self.indexed => 4,
            0x0e => {
                let text = self.utf16(2)?;
                self.found.unicode.push(text);
                0
            }
            0x0f => {
                let text = self.ascii(2)?;
                self.found.ascii.push(text);
                0
            }
            0x12..=0x15 | 0x19 | 0x1d if self.compact => 0,
            0x16 | 0x1a if self.compact => 1,
            0x17 | 0x1b if self.compact => 2,
            0x18 | 0x1c if self.compact => 3,
            0x41..=0x50 | 0x56..=0x58 | 0x5a..=0x5c => {
                let end = self.end()?;
                let size = end.checked_sub(self.at).ok_or_else(|| format!("end {end}"))?;
                self.found.array_bytes += size;
                size
            }
            _ => return Err(format!("code {code:x} before {}", self.at)),
        };
        self.take(size).map(drop)
    }

    fn ascii(&mut self, length: usize) -> Walked<Vec<u8>> {
        let length = self.word(length)?;
        self.take(length).map(<[u8]>::to_vec)
    }

    fn utf16(&mut self, length: usize) -> Walked<Vec<u16>> {
        let length = self.word(length)?;
        let units = self.take(2 * length)?.chunks_exact(2);
        Ok(units.map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect())
    }

    fn tables(&mut self, length: usize) -> Walked<()> {
        for _ in 0..self.word(2)? {
            let name = self.ascii(2)?;
            self.found.names.push(name);
        }
        if self.indexed {
            for _ in 0..self.word(4)? {
                let text = self.utf16(length)?;
                self.found.unicode.push(text);
                self.at += 4;
            }
            for _ in 0..self.word(4)? {
                let text = self.ascii(length)?;
                self.found.ascii.push(text);
                self.at += 4;
            }
        }
        let rest = self.take(self.bytes.len() - self.at)?;
        self.found.padding = rest.len();
        if rest.iter().all(|byte| *byte == 0) { Ok(()) } else { Err("no padding".to_owned()) }
    }
}
