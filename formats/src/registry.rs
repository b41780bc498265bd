//! All formats that are compiled in, behind one type.

use std::error::Error;
use std::fmt;

use formwork::inspect::{Inspect, Inspector};
use formwork::{Format, Magic, Notes, ReadError, ReadOptions, WriteError};

use crate::{AnyFile, FormatId};

/// Declares [`FormatId`] and [`AnyFile`] from the list of formats.
macro_rules! registry {
    ($(
        $(#[$doc:meta])*
        $name:ident = $feature:literal: $variant:ident($root:ident $(<$a:lifetime>)?);
    )*) => {
        /// A format that is compiled in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum FormatId {$(
            $(#[$doc])*
            #[cfg(feature = $feature)]
            $variant,
        )*}

        impl FormatId {
            /// The formats whose features are on, in alphabetical order.
            pub const ALL: &'static [FormatId] = &[$(
                #[cfg(feature = $feature)]
                FormatId::$variant,
            )*];

            fn about(self) -> $crate::registry::About {
                match self {$(
                    #[cfg(feature = $feature)]
                    FormatId::$variant => $crate::registry::About::of::<$name::$root>(),
                )*}
            }

            fn read_as<'a>(
                self,
                bytes: &'a [u8],
                options: &formwork::ReadOptions,
            ) -> Result<AnyFile<'a>, formwork::ReadError> {
                // Without any format there is nothing to read.
                let _ = (bytes, options);
                match self {$(
                    #[cfg(feature = $feature)]
                    FormatId::$variant => {
                        $name::$root::read_with(bytes, options).map(AnyFile::$variant)
                    }
                )*}
            }
        }

        /// A file of any format that is compiled in.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "there is one, and it is not moved about")]
        pub enum AnyFile<'a> {
            $(
                $(#[$doc])*
                #[cfg(feature = $feature)]
                $variant($name::$root $(<$a>)?),
            )*
            /// No file: the lifetime is there without any format, too.
            #[doc(hidden)]
            None(std::convert::Infallible, std::marker::PhantomData<&'a ()>),
        }

        impl AnyFile<'_> {
            /// The format.
            #[must_use]
            pub fn format(&self) -> FormatId {
                match self {
                    $(
                        #[cfg(feature = $feature)]
                        AnyFile::$variant(_) => FormatId::$variant,
                    )*
                    AnyFile::None(never, _) => match *never {},
                }
            }

            /// The same value, borrowing nothing.
            #[must_use]
            pub fn into_owned(self) -> AnyFile<'static> {
                match self {
                    $(
                        #[cfg(feature = $feature)]
                        AnyFile::$variant(file) => {
                            AnyFile::$variant(formwork::Format::into_owned(file))
                        }
                    )*
                    AnyFile::None(never, _) => match never {},
                }
            }

            fn inside(&self) -> &dyn $crate::registry::Whole {
                match self {
                    $(
                        #[cfg(feature = $feature)]
                        AnyFile::$variant(file) => file,
                    )*
                    AnyFile::None(never, _) => match *never {},
                }
            }
        }

        $(
            #[cfg(feature = $feature)]
            impl<'a> From<$name::$root $(<$a>)?> for AnyFile<'a> {
                fn from(file: $name::$root $(<$a>)?) -> AnyFile<'a> {
                    AnyFile::$variant(file)
                }
            }
        )*
    };
}

/// What can be done with a file whatever its format is.
pub(crate) trait Whole: Inspect {
    fn append_to(&self, out: &mut Vec<u8>) -> Result<(), WriteError>;

    fn check(&self) -> Result<(), WriteError>;
}

impl<F: Format + Inspect> Whole for F {
    fn append_to(&self, out: &mut Vec<u8>) -> Result<(), WriteError> {
        self.write_into(out)
    }

    fn check(&self) -> Result<(), WriteError> {
        self.validate()
    }
}

// Without any format there is no file.
#[allow(unreachable_code)]
impl AnyFile<'_> {
    /// Name of the schema's module, which is that of the feature too.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.format().name()
    }

    /// Extensions of file names, without the dot.
    #[must_use]
    pub fn extensions(&self) -> &'static [&'static str] {
        self.format().extensions()
    }

    /// The bytes of the file.
    ///
    /// # Errors
    ///
    /// Everything in the value that the format cannot say, each with its path.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut bytes = Vec::new();
        self.write_into(&mut bytes)?;
        Ok(bytes)
    }

    /// Appends the bytes of the file.
    ///
    /// # Errors
    ///
    /// Those of `write`; nothing is appended then.
    pub fn write_into(&self, out: &mut Vec<u8>) -> Result<(), WriteError> {
        self.inside().append_to(out)
    }

    /// Whether the value can be written.
    ///
    /// # Errors
    ///
    /// Those of `write`.
    pub fn validate(&self) -> Result<(), WriteError> {
        self.inside().check()
    }
}

impl Inspect for AnyFile<'_> {
    fn inspect(&self, to: &mut dyn Inspector) {
        self.inside().inspect(to);
    }
}

impl FormatId {
    /// Name of the schema's module, which is that of the feature too.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.about().name
    }

    /// Extensions of file names, without the dot.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        self.about().extensions
    }

    /// What stands at constant offsets of every file.
    #[must_use]
    pub fn magic(self) -> &'static [Magic] {
        self.about().magic
    }

    /// How many bits a file of another kind would have to have by chance to begin like this.
    #[must_use]
    pub fn magic_bits(self) -> u64 {
        self.magic().iter().map(Magic::bits).sum()
    }

    /// The format with this name, if its feature is on.
    #[must_use]
    pub fn named(name: &str) -> Option<FormatId> {
        FormatId::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// Whether bytes begin as every file of the format does.
    #[must_use]
    pub fn detects(self, bytes: &[u8]) -> bool {
        (self.about().detect)(bytes)
    }

    /// Reads a file of this format.
    ///
    /// # Errors
    ///
    /// The first thing that does not fit the schema, with its offset in bytes and its path.
    pub fn read<'a>(
        self,
        bytes: &'a [u8],
        options: &ReadOptions,
    ) -> Result<AnyFile<'a>, ReadError> {
        self.read_as(bytes, options)
    }

    /// Reads a file, shows its value, and writes it.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read); nothing is shown then.
    pub fn roundtrip(
        self,
        bytes: &[u8],
        options: &ReadOptions,
        to: &mut dyn Inspector,
    ) -> Result<RoundTrip, ReadError> {
        (self.about().roundtrip)(bytes, options, to)
    }
}

/// Name of the format.
impl fmt::Display for FormatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The format that bytes begin as; of several, the one that says most of how its files begin. They may
/// be all of a file or its beginning.
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<FormatId> {
    let fitting = FormatId::ALL.iter().copied().filter(|format| format.detects(bytes));
    fitting.max_by_key(|format| format.magic_bits())
}

/// Reads a file of whatever format it begins as.
///
/// # Errors
///
/// If that is none, or the file does not fit its schema.
pub fn read_any(bytes: &[u8]) -> Result<AnyFile<'_>, ReadAnyError> {
    read_any_with(bytes, &ReadOptions::default())
}

/// Reads a file of whatever format it begins as, with these limits.
///
/// # Errors
///
/// If that is none, or the file does not fit its schema.
pub fn read_any_with<'a>(
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<AnyFile<'a>, ReadAnyError> {
    let format = detect(bytes).ok_or(ReadAnyError::Unknown)?;
    format.read(bytes, options).map_err(|error| ReadAnyError::Read { format, error })
}

/// Why a file of unknown format is not read.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadAnyError {
    /// It begins as files of no format that is compiled in.
    Unknown,
    /// It begins as a file of a format, and goes on as none.
    Read {
        /// The format.
        format: FormatId,
        /// The first thing that does not fit.
        error: ReadError,
    },
}

impl fmt::Display for ReadAnyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadAnyError::Unknown => f.write_str("the file begins as those of no known format"),
            ReadAnyError::Read { format, .. } => write!(f, "the file is no {format}"),
        }
    }
}

/// In words, with the cause: it is what `main` prints of an error.
impl fmt::Debug for ReadAnyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadAnyError::Unknown => write!(f, "{self}"),
            ReadAnyError::Read { error, .. } => write!(f, "{self}: {error:?}"),
        }
    }
}

impl Error for ReadAnyError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ReadAnyError::Unknown => None,
            ReadAnyError::Read { error, .. } => Some(error),
        }
    }
}

/// What came of a file that was read and written.
#[derive(Debug)]
#[non_exhaustive]
pub struct RoundTrip {
    /// What was noticed while reading.
    pub notes: Notes,
    /// The bytes that the value is written as.
    pub written: Result<Vec<u8>, WriteError>,
    /// If those are others than before: whether they are read as an equal value.
    pub again: Option<Result<bool, ReadError>>,
}

/// What there is to know of a format without a file.
pub(crate) struct About {
    name: &'static str,
    extensions: &'static [&'static str],
    magic: &'static [Magic],
    detect: fn(&[u8]) -> bool,
    roundtrip: fn(&[u8], &ReadOptions, &mut dyn Inspector) -> Result<RoundTrip, ReadError>,
}

#[allow(dead_code)] // Without any format.
impl About {
    pub(crate) fn of<F>() -> About
    where
        F: Format,
        for<'a> F::Of<'a>: Inspect + PartialEq,
    {
        About {
            name: F::NAME,
            extensions: F::EXTENSIONS,
            magic: F::MAGIC,
            detect: F::detect,
            roundtrip: roundtrip::<F>,
        }
    }
}

#[allow(dead_code, clippy::needless_late_init)]
fn roundtrip<F>(
    bytes: &[u8],
    options: &ReadOptions,
    to: &mut dyn Inspector,
) -> Result<RoundTrip, ReadError>
where
    F: Format,
    for<'a> F::Of<'a>: Inspect + PartialEq,
{
    let mut notes = Notes::default();
    // It has to be there longer than what is read of it.
    let written;
    let file = F::read_noting(bytes, options, &mut notes)?;
    file.inspect(to);
    written = file.write();
    let again = match &written {
        Ok(written) if written != bytes => {
            let again = F::read_with(written, options);
            Some(again.map(|again| again == file))
        }
        _ => None,
    };
    drop(file);
    Ok(RoundTrip { notes, written, again })
}
