//! The named algorithms of the schema language, which generated code and the engine share: numbers at
//! offsets, bit fields, variable-length integers, text, hashes, dictionaries, orders of string pools,
//! and entries of relocation tables.

pub use crate::bits::{BitOrder, BitReader};
pub use crate::dictionary::{patricia, DictionaryError, DictionaryNode, DICTIONARY_LIMIT};
pub use crate::hash::{adler32, crc32, fnv1a_32, murmur3_32, polynomial_32, FNV1A_SEED};
pub use crate::load::{is_zero, load_uint, sign_extend, slice};
pub use crate::message_digest::{md5, sha1, sha256};
pub use crate::model::{FloatCode, FloatForm};
pub use crate::pool::{compare, PoolOrder};
pub use crate::relocation::{
    decode_masks, decode_runs, encode_masks, encode_runs, MaskEntry, RunEntry,
};
pub use crate::store::{fits, store_uint};
pub use crate::text::checked_str;
pub use crate::varint::{read_varint, store_varint, varint_width, GroupOrder};
