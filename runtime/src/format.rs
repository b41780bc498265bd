//! What every format can do.

use alloc::vec::Vec;
use core::fmt::Debug;

use crate::{Notes, ReadError, ReadOptions, WriteError};

/// A type that stands for a whole file: the root of generated types, and its arena.
///
/// What it does without this trait it does with it, in the same way; the trait is for code over
/// several formats. Readers give [`Of`](Self::Of), the same type with what it borrows of the bytes,
/// so one bound without a lifetime is enough:
///
/// ```
/// use std::error::Error;
///
/// use formwork::Format;
///
/// /// Whether a file is written as it was.
/// fn is_kept<F: Format>(bytes: &[u8]) -> Result<bool, Box<dyn Error>> {
///     let file = F::read(bytes)?;
///     Ok(file.write()? == bytes)
/// }
/// ```
pub trait Format: Sized {
    /// Name of the schema's module.
    const NAME: &'static str;

    /// Extensions of file names, without the dot.
    const EXTENSIONS: &'static [&'static str];

    /// What stands at constant offsets of every file. Empty if that says too little to know a file
    /// by it.
    const MAGIC: &'static [Magic];

    /// This type with what it borrows for a lifetime; of types that own all they have, the type
    /// itself.
    type Of<'a>: Format<Of<'static> = Self::Of<'static>> + Debug + Clone + Send + Sync + 'a;

    /// Reads a file with these limits, as strictly as they say.
    ///
    /// # Errors
    ///
    /// The first thing that does not fit the schema, with its offset in bytes and its path.
    fn read_with<'a>(bytes: &'a [u8], options: &ReadOptions) -> Result<Self::Of<'a>, ReadError>;

    /// Reads a file, and notes what is worth knowing of it and no error.
    ///
    /// # Errors
    ///
    /// The first thing that does not fit the schema, with its offset in bytes and its path.
    fn read_noting<'a>(
        bytes: &'a [u8],
        options: &ReadOptions,
        notes: &mut Notes,
    ) -> Result<Self::Of<'a>, ReadError>;

    /// Reads a file with these limits into a value that borrows nothing of it.
    ///
    /// # Errors
    ///
    /// The first thing that does not fit the schema, with its offset in bytes and its path.
    fn read_owned_with(bytes: &[u8], options: &ReadOptions)
        -> Result<Self::Of<'static>, ReadError>;

    /// The same value, borrowing nothing.
    #[must_use]
    fn into_owned(self) -> Self::Of<'static>;

    /// Appends the bytes of the file.
    ///
    /// # Errors
    ///
    /// Everything in the value that the format cannot say, each with its path; nothing is appended
    /// then.
    fn write_into(&self, out: &mut Vec<u8>) -> Result<(), WriteError>;

    /// Whether the value can be written.
    ///
    /// # Errors
    ///
    /// Those of [`write_into`](Self::write_into).
    fn validate(&self) -> Result<(), WriteError>;

    /// Whether bytes begin as every file of the format does. They may be all of a file or its
    /// beginning; whether the rest fits is seen when it is read.
    #[must_use]
    fn detect(bytes: &[u8]) -> bool {
        !Self::MAGIC.is_empty() && Self::MAGIC.iter().all(|magic| magic.stands(bytes))
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The first thing that does not fit the schema, with its offset in bytes and its path.
    fn read(bytes: &[u8]) -> Result<Self::Of<'_>, ReadError> {
        Self::read_with(bytes, &ReadOptions::default())
    }

    /// Reads a file into a value that borrows nothing of it.
    ///
    /// # Errors
    ///
    /// The first thing that does not fit the schema, with its offset in bytes and its path.
    fn read_owned(bytes: &[u8]) -> Result<Self::Of<'static>, ReadError> {
        Self::read_owned_with(bytes, &ReadOptions::default())
    }

    /// The bytes of the file.
    ///
    /// # Errors
    ///
    /// Those of [`write_into`](Self::write_into).
    fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut bytes = Vec::new();
        self.write_into(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the file to a stream. Nothing is written of a value that the format cannot say.
    ///
    /// # Errors
    ///
    /// Those of the stream, and as `InvalidData` those of [`write_into`](Self::write_into).
    #[cfg(feature = "std")]
    fn write_to(&self, mut to: impl std::io::Write) -> std::io::Result<()> {
        let bytes = self.write();
        let invalid = |error| std::io::Error::new(std::io::ErrorKind::InvalidData, error);
        to.write_all(&bytes.map_err(invalid)?)
    }
}

/// A place in a file at which one of a few byte strings stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Magic {
    /// In bytes from the start of the file.
    pub offset: u64,
    /// What may stand there; all of one length.
    pub allowed: &'static [&'static [u8]],
}

impl Magic {
    /// Whether bytes of a file have it.
    #[must_use]
    pub fn stands(&self, bytes: &[u8]) -> bool {
        crate::model::signature::stands(bytes, self.offset, self.allowed)
    }

    /// How many bits a file of another kind would have to have by chance.
    #[must_use]
    pub fn bits(&self) -> u64 {
        crate::model::signature::bits(self.allowed)
    }
}
