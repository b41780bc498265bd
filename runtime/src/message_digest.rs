//! Digests of bytes, which may come run by run: MD5 (RFC 1321), SHA-1 and SHA-256 (FIPS 180-4).

/// Bytes of a block.
const BLOCK: usize = 64;

/// A kind of digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Md5,
    Sha1,
    Sha256,
}

/// The digest of the bytes that were added so far.
#[derive(Debug, Clone)]
pub(crate) struct MessageDigest {
    kind: Kind,
    /// The first ones of these count: as many as the digest has words.
    state: [u32; 8],
    length: u64,
    /// Bytes of a block that is not full.
    rest: [u8; BLOCK],
}

/// MD5.
///
/// ```
/// let digest = formwork::algorithms::md5(b"abc");
/// assert_eq!(digest[..4], [0x90, 0x01, 0x50, 0x98]);
/// ```
#[must_use]
pub fn md5(bytes: &[u8]) -> [u8; 16] {
    whole(Kind::Md5, bytes)
}

/// SHA-1.
///
/// ```
/// let digest = formwork::algorithms::sha1(b"abc");
/// assert_eq!(digest[..4], [0xa9, 0x99, 0x3e, 0x36]);
/// ```
#[must_use]
pub fn sha1(bytes: &[u8]) -> [u8; 20] {
    whole(Kind::Sha1, bytes)
}

/// SHA-256.
///
/// ```
/// let digest = formwork::algorithms::sha256(b"abc");
/// assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    whole(Kind::Sha256, bytes)
}

fn whole<const N: usize>(kind: Kind, bytes: &[u8]) -> [u8; N] {
    let mut digest = MessageDigest::new(kind);
    digest.add(bytes);
    let (all, _) = digest.end();
    let mut first = [0; N];
    first.iter_mut().zip(all).for_each(|(to, from)| *to = from);
    first
}

impl MessageDigest {
    pub(crate) fn new(kind: Kind) -> Self {
        let state = match kind {
            Kind::Md5 | Kind::Sha1 => {
                [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0, 0, 0, 0]
            }
            Kind::Sha256 => SHA256_START,
        };
        MessageDigest { kind, state, length: 0, rest: [0; BLOCK] }
    }

    pub(crate) fn add(&mut self, mut bytes: &[u8]) {
        let filled = (self.length % BLOCK as u64) as usize;
        self.length = self.length.wrapping_add(bytes.len() as u64);
        if filled > 0 {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - filled));
            self.rest[filled..filled + now.len()].copy_from_slice(now);
            if filled + now.len() < BLOCK {
                return;
            }
            let full = self.rest;
            self.blocks(&full);
            bytes = later;
        }
        let (blocks, rest) = bytes.split_at(bytes.len() - bytes.len() % BLOCK);
        self.blocks(blocks);
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    /// The digest, and how many bytes of this it is.
    pub(crate) fn end(mut self) -> ([u8; 32], usize) {
        // A bit that is set, and zeros up to the last eight bytes of a block, which say how many bits
        // there were.
        let bits = self.length.wrapping_mul(8);
        let filled = (self.length % BLOCK as u64) as usize;
        let last = BLOCK - 8;
        let padding = if filled < last { last - filled } else { last + BLOCK - filled };
        let mut end = [0; BLOCK + 8];
        end[0] = 0x80;
        let (size, words) = match self.kind {
            Kind::Md5 => (bits.to_le_bytes(), 4),
            Kind::Sha1 => (bits.to_be_bytes(), 5),
            Kind::Sha256 => (bits.to_be_bytes(), 8),
        };
        end[padding..padding + 8].copy_from_slice(&size);
        self.add(&end[..padding + 8]);
        let mut digest = [0; 32];
        for (to, word) in digest.chunks_exact_mut(4).zip(&self.state[..words]) {
            to.copy_from_slice(&match self.kind {
                Kind::Md5 => word.to_le_bytes(),
                Kind::Sha1 | Kind::Sha256 => word.to_be_bytes(),
            });
        }
        (digest, words * 4)
    }

    fn blocks(&mut self, blocks: &[u8]) {
        for block in blocks.chunks_exact(BLOCK) {
            match self.kind {
                Kind::Md5 => md5_block(&mut self.state, block),
                Kind::Sha1 => sha1_block(&mut self.state, block),
                Kind::Sha256 => sha256_block(&mut self.state, block),
            }
        }
    }
}

/// The words of a block.
#[inline]
fn words(block: &[u8], word: fn([u8; 4]) -> u32) -> [u32; 16] {
    let mut words = [0; 16];
    for (to, from) in words.iter_mut().zip(block.chunks_exact(4)) {
        *to = word([from[0], from[1], from[2], from[3]]);
    }
    words
}

fn md5_block(state: &mut [u32; 8], block: &[u8]) {
    let block = words(block, u32::from_le_bytes);
    let [mut a, mut b, mut c, mut d, ..] = *state;
    let mut step = |mixed: fn(u32, u32, u32) -> u32, from: usize, number: usize, by: u32| {
        let sum = a
            .wrapping_add(mixed(b, c, d))
            .wrapping_add(MD5_SINES[number])
            .wrapping_add(block[from % 16]);
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(by)));
    };
    for n in 0..16 {
        step(|b, c, d| d ^ (b & (c ^ d)), n, n, [7, 12, 17, 22][n % 4]);
    }
    for n in 0..16 {
        step(|b, c, d| c ^ (d & (b ^ c)), 5 * n + 1, 16 + n, [5, 9, 14, 20][n % 4]);
    }
    for n in 0..16 {
        step(|b, c, d| b ^ c ^ d, 3 * n + 5, 32 + n, [4, 11, 16, 23][n % 4]);
    }
    for n in 0..16 {
        step(|b, c, d| c ^ (b | !d), 7 * n, 48 + n, [6, 10, 15, 21][n % 4]);
    }
    add(state, &[a, b, c, d]);
}

fn sha1_block(state: &mut [u32; 8], block: &[u8]) {
    let mut block = words(block, u32::from_be_bytes);
    let [mut a, mut b, mut c, mut d, mut e, ..] = *state;
    let mut step = |mixed: fn(u32, u32, u32) -> u32, number: usize, constant: u32| {
        let n = number % 16;
        if number >= 16 {
            let far = block[(n + 13) % 16] ^ block[(n + 8) % 16] ^ block[(n + 2) % 16] ^ block[n];
            block[n] = far.rotate_left(1);
        }
        let sum = a
            .rotate_left(5)
            .wrapping_add(mixed(b, c, d))
            .wrapping_add(e)
            .wrapping_add(constant)
            .wrapping_add(block[n]);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
    };
    for n in 0..20 {
        step(|b, c, d| d ^ (b & (c ^ d)), n, 0x5a82_7999);
    }
    for n in 20..40 {
        step(|b, c, d| b ^ c ^ d, n, 0x6ed9_eba1);
    }
    for n in 40..60 {
        step(|b, c, d| (b & c) | (d & (b | c)), n, 0x8f1b_bcdc);
    }
    for n in 60..80 {
        step(|b, c, d| b ^ c ^ d, n, 0xca62_c1d6);
    }
    add(state, &[a, b, c, d, e]);
}

fn sha256_block(state: &mut [u32; 8], block: &[u8]) {
    let mut block = words(block, u32::from_be_bytes);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (number, constant) in SHA256_ROOTS.iter().enumerate() {
        let n = number % 16;
        if number >= 16 {
            let (near, far) = (block[(n + 14) % 16], block[(n + 1) % 16]);
            let near = near.rotate_right(17) ^ near.rotate_right(19) ^ (near >> 10);
            let far = far.rotate_right(7) ^ far.rotate_right(18) ^ (far >> 3);
            block[n] =
                block[n].wrapping_add(far).wrapping_add(block[(n + 9) % 16]).wrapping_add(near);
        }
        let one = h
            .wrapping_add(e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
            .wrapping_add(g ^ (e & (f ^ g)))
            .wrapping_add(*constant)
            .wrapping_add(block[n]);
        let two = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22))
            .wrapping_add((a & b) | (c & (a | b)));
        (h, g, f, e) = (g, f, e, d.wrapping_add(one));
        (d, c, b, a) = (c, b, a, one.wrapping_add(two));
    }
    add(state, &[a, b, c, d, e, f, g, h]);
}

#[inline]
fn add(state: &mut [u32; 8], words: &[u32]) {
    state.iter_mut().zip(words).for_each(|(word, add)| *word = word.wrapping_add(*add));
}

/// Of MD5: the sines of 1 to 64, as fractions of 32 bits without their signs.
#[rustfmt::skip]
const MD5_SINES: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a,
    0xa830_4613, 0xfd46_9501, 0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be,
    0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821, 0xf61e_2562, 0xc040_b340,
    0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8,
    0x676f_02d9, 0x8d2a_4c8a, 0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c,
    0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70, 0x289b_7ec6, 0xeaa1_27fa,
    0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92,
    0xffef_f47d, 0x8584_5dd1, 0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1,
    0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

/// Of SHA-256: the fractions of the square roots of the first eight primes.
#[rustfmt::skip]
const SHA256_START: [u32; 8] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c,
    0x1f83_d9ab, 0x5be0_cd19,
];

/// The fractions of the cube roots of the first 64.
#[rustfmt::skip]
const SHA256_ROOTS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1,
    0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
    0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147,
    0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
    0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];
