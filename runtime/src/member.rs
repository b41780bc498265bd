//! Members of enumerations by name and by number.

use alloc::boxed::Box;
use alloc::string::ToString;
use core::fmt;

/// An enumeration has no member of this name or number.
///
/// ```
/// use formwork::MemberError;
///
/// let error = MemberError::new("Mood", "gloomy");
/// assert_eq!(error.to_string(), "`Mood` has no member `gloomy`");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct MemberError {
    enumeration: &'static str,
    sought: Box<str>,
}

impl MemberError {
    /// An error of the enumeration of this name, about the name or number that was sought.
    #[cold]
    #[must_use]
    pub fn new(enumeration: &'static str, sought: impl fmt::Display) -> Self {
        MemberError { enumeration, sought: sought.to_string().into() }
    }

    /// Name of the enumeration.
    #[must_use]
    pub fn enumeration(&self) -> &'static str {
        self.enumeration
    }

    /// The name or number that it has no member of.
    #[must_use]
    pub fn sought(&self) -> &str {
        &self.sought
    }
}

impl fmt::Display for MemberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` has no member `{}`", self.enumeration, self.sought)
    }
}

/// As in words: it is what `main` prints of an error.
impl fmt::Debug for MemberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for MemberError {}
