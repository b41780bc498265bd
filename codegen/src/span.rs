//! Places in schema texts.

pub use formwork_model::{SourceId, Span};

/// Something with the place where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// What was written.
    pub value: T,
    /// Where.
    pub span: Span,
}

/// One schema text.
#[derive(Debug, Clone)]
pub struct Source {
    /// Path or library name, as shown in diagnostics.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// All schema texts of one run, in the order in which they were loaded.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// Adds a text and returns its number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.sources.len()).expect("fewer than 2^32 schemas"));
        self.sources.push(Source { name: name.into(), text: text.into() });
        id
    }

    /// The text with this number.
    ///
    /// # Panics
    ///
    /// If the number comes from another map.
    #[must_use]
    pub fn get(&self, id: SourceId) -> &Source {
        &self.sources[id.0 as usize]
    }

    /// All texts, first loaded first.
    #[must_use]
    pub fn all(&self) -> &[Source] {
        &self.sources
    }

    /// What was written at a place.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.source).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The statement around a place, as far as it stands on the same line.
    #[must_use]
    pub fn statement(&self, span: Span) -> &str {
        let text = &self.get(span.source).text;
        let ends = ['\n', ';', '{', '}'];
        let before = text.get(..span.start as usize).unwrap_or("");
        let start = before.rfind(ends).map_or(0, |at| at + 1);
        let behind = text.get(span.end as usize..).unwrap_or("");
        let end = span.end as usize + behind.find(ends).unwrap_or(behind.len());
        text.get(start..end).unwrap_or("")
    }

    /// Line and column (both from 1; columns count characters) of an offset in bytes.
    #[must_use]
    pub fn line_column(&self, source: SourceId, offset: u32) -> (usize, usize) {
        let text = &self.get(source).text;
        let offset = (offset as usize).min(text.len());
        let before = &text.as_bytes()[..offset];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        (line, column)
    }
}
