//! Digests against the vectors of their standards, and of what lies around the ends of blocks.

use formwork::algorithms::{md5, sha1, sha256};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// RFC 1321, A.5.
#[test]
fn md5_vectors() {
    for (text, digest) in [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f",
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a",
        ),
    ] {
        assert_eq!(hex(&md5(text.as_bytes())), digest, "{text}");
    }
}

const TWO_BLOCKS: &str = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

/// FIPS 180-2, appendix A, and the examples of FIPS 180-4.
#[test]
fn sha1_vectors() {
    for (text, digest) in [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (TWO_BLOCKS, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    ] {
        assert_eq!(hex(&sha1(text.as_bytes())), digest, "{text}");
    }
    assert_eq!(hex(&sha1(&[b'a'; 1_000_000])), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

/// FIPS 180-2, appendix B, and the examples of FIPS 180-4.
#[test]
fn sha256_vectors() {
    for (text, digest) in [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (TWO_BLOCKS, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ] {
        assert_eq!(hex(&sha256(text.as_bytes())), digest, "{text}");
    }
    let many = sha256(&[b'a'; 1_000_000]);
    assert_eq!(hex(&many), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/// Lengths around the ends of blocks: digests of all digests up to 130 bytes of `0, 1, 2, ..`.
#[test]
fn every_length_around_a_block() {
    let bytes: Vec<u8> = (0..130).collect();
    let all = |digest: fn(&[u8]) -> Vec<u8>| -> Vec<u8> {
        (0..=bytes.len()).flat_map(|length| digest(&bytes[..length])).collect()
    };
    let (md5s, sha1s) = (all(|bytes| md5(bytes).to_vec()), all(|bytes| sha1(bytes).to_vec()));
    let sha256s = all(|bytes| sha256(bytes).to_vec());
    assert_eq!(hex(&md5(&md5s)), "948a4ea64101794d6716d23b5585c2f6");
    assert_eq!(hex(&sha1(&sha1s)), "69e8170ae953351d42e29a858ad1f6d32b9fc7d5");
    assert_eq!(
        hex(&sha256(&sha256s)),
        "e5bbbecd60c3632a3455f465bfd8b079c30ef608d2bcc34227f4e5573029020e"
    );
}
