//! Checksums of bytes that come run by run.

use crate::hash::{adler32_behind, crc32_behind};
use crate::message_digest::{Kind, MessageDigest};
use crate::model::Function;

/// The checksum of the bytes that were added so far.
#[derive(Debug, Clone)]
pub(crate) enum Checksum {
    /// The register.
    Crc32(u32),
    Adler32(u32),
    Digest(MessageDigest),
}

impl Checksum {
    /// What a function computes, if it is a checksum.
    pub(crate) fn of(function: Function) -> Option<Self> {
        Some(match function {
            Function::Crc32 => Checksum::Crc32(u32::MAX),
            Function::Adler32 => Checksum::Adler32(1),
            Function::Md5 => Checksum::Digest(MessageDigest::new(Kind::Md5)),
            Function::Sha1 => Checksum::Digest(MessageDigest::new(Kind::Sha1)),
            Function::Sha256 => Checksum::Digest(MessageDigest::new(Kind::Sha256)),
            _ => return None,
        })
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        match self {
            Checksum::Crc32(crc) => *crc = crc32_behind(*crc, bytes),
            Checksum::Adler32(sum) => *sum = adler32_behind(*sum, bytes),
            Checksum::Digest(digest) => digest.add(bytes),
        }
    }
}
