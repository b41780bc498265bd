//! The string tables behind the nodes, shared by both candidates.
use formwork::{Endian, ReadError, ReadErrorKind};
use formwork::algorithms::{load_uint, slice};
use harness::sink::Sink;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tables {
    pub names: Vec<String>,
    pub utf16: Vec<(u32, String)>,
    pub ascii: Vec<(u32, String)>,
    /// Table position by key, `u32::MAX` where there is none.
    pub by16: Vec<u32>,
    pub by8: Vec<u32>,
}

struct Input<'a> {
    bytes: &'a [u8],
    at: u64,
}
impl<'a> Input<'a> {
    fn uint(&mut self, width: u8) -> Result<u64, ReadError> {
        let value = load_uint(self.bytes, self.at, width, Endian::Little)?;
        self.at += u64::from(width);
        Ok(value)
    }
    fn take(&mut self, size: u64) -> Result<&'a [u8], ReadError> {
        let bytes = slice(self.bytes, self.at, size)?;
        self.at += size;
        Ok(bytes)
    }
    fn text(&mut self) -> Result<String, ReadError> {
        let size = self.uint(2)?;
        let at = self.at;
        let text = formwork::algorithms::checked_str(self.take(size)?).map(str::to_owned);
        text.ok_or_else(|| ReadError::new(ReadErrorKind::InvalidText { encoding: "utf-8" }, at))
    }
    fn text16(&mut self) -> Result<String, ReadError> {
        let size = self.uint(2)? * 2;
        let at = self.at;
        let units: Vec<u16> =
            self.take(size)?.chunks_exact(2).map(|x| u16::from_le_bytes([x[0], x[1]])).collect();
        String::from_utf16(&units)
            .map_err(|_| ReadError::new(ReadErrorKind::InvalidText { encoding: "utf-16" }, at))
    }
}

pub fn read_tables(bytes: &[u8], at: u64) -> Result<Tables, ReadError> {
    let mut c = Input { bytes, at };
    let mut t = Tables::default();
    for _ in 0..c.uint(2)? {
        t.names.push(c.text()?);
    }
    for _ in 0..c.uint(4)? {
        let text = c.text16()?;
        t.utf16.push((c.uint(4)? as u32, text));
    }
    for _ in 0..c.uint(4)? {
        let text = c.text()?;
        t.ascii.push((c.uint(4)? as u32, text));
    }
    t.by16 = by_key(&t.utf16);
    t.by8 = by_key(&t.ascii);
    Ok(t)
}
fn by_key(table: &[(u32, String)]) -> Vec<u32> {
    let mut places = vec![u32::MAX; table.len()];
    for (place, (key, _)) in table.iter().enumerate() {
        if let Some(slot) = places.get_mut(*key as usize) {
            *slot = place as u32;
        }
    }
    places
}

impl Tables {
    #[must_use]
    pub fn utf16(&self, key: u32) -> &str {
        &self.utf16[self.by16[key as usize] as usize].1
    }
    #[must_use]
    pub fn ascii(&self, key: u32) -> &str {
        &self.ascii[self.by8[key as usize] as usize].1
    }
    /// In bytes, as written.
    #[must_use]
    pub fn size(&self) -> u64 {
        let mut measure = harness::sink::Measure::new();
        self.write(&mut measure);
        measure.position()
    }
    pub fn write(&self, sink: &mut impl Sink) {
        sink.bytes(&(self.names.len() as u16).to_le_bytes());
        for name in &self.names {
            sink.bytes(&(name.len() as u16).to_le_bytes());
            sink.bytes(name.as_bytes());
        }
        sink.bytes(&(self.utf16.len() as u32).to_le_bytes());
        for (key, text) in &self.utf16 {
            sink.bytes(&(text.encode_utf16().count() as u16).to_le_bytes());
            text.encode_utf16().for_each(|unit| sink.bytes(&unit.to_le_bytes()));
            sink.bytes(&key.to_le_bytes());
        }
        sink.bytes(&(self.ascii.len() as u32).to_le_bytes());
        for (key, text) in &self.ascii {
            sink.bytes(&(text.len() as u16).to_le_bytes());
            sink.bytes(text.as_bytes());
            sink.bytes(&key.to_le_bytes());
        }
    }
}
