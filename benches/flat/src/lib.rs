//! Workload "flat": a header, a table of records holding an absolute pointer each to a
//! u16-length-prefixed string, a bit-field word and a version-conditional tail (version >= 10).
//!
//! header (40): magic "SKLT", version u32, bom u16, header_size u16, count u32,
//!              table_ptr u64, pool_ptr u64, file_size u64
//! record (28 or 44): name_ptr u64, t [f32; 3], flags u32, index u16, parent i16,
//!              from version 10: ext { a u32, b u32, c f32, d u32 }
//! string: len u16, bytes (UTF-8), NUL, padding to 2. All little-endian.

#![forbid(unsafe_code)]

pub mod binrw_;
pub mod deku_;
pub mod generated;
pub mod hand;
pub mod runtime;
pub mod view;
pub mod written;

/// What comes of `schema/flat.kdl`.
#[allow(missing_docs)]
pub mod schema {
    formwork::schema!("flat");

    /// See [`super::sum`].
    pub fn sum(file: &File<'_>) -> u64 {
        file.records.iter().fold(1, |s, r| {
            let e = r.extension.as_ref().map(|e| [e.a, e.b, e.c.to_bits(), e.d]);
            let name = r.name.as_bytes();
            super::mix(s, name, r.t.map(f32::to_bits), r.flags.0, r.index, r.parent, e)
        })
    }
}

use harness::Lcg;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags {
    pub visible: bool,
    pub kind: u8,      // 3 bits
    pub rot: u8,       // 3
    pub billboard: u8, // 4
    pub project: bool,
    pub ident: bool,
    pub group: u8, // 8
    pub rest: u16, // 11
}

impl Flags {
    #[inline]
    pub fn from_bits(w: u32) -> Flags {
        Flags {
            visible: w & 1 != 0,
            kind: (w >> 1 & 7) as u8,
            rot: (w >> 4 & 7) as u8,
            billboard: (w >> 7 & 15) as u8,
            project: w >> 11 & 1 != 0,
            ident: w >> 12 & 1 != 0,
            group: (w >> 13 & 0xff) as u8,
            rest: (w >> 21) as u16,
        }
    }
    #[inline]
    pub fn bits(&self) -> u32 {
        self.visible as u32
            | (self.kind as u32) << 1
            | (self.rot as u32) << 4
            | (self.billboard as u32) << 7
            | (self.project as u32) << 11
            | (self.ident as u32) << 12
            | (self.group as u32) << 13
            | (self.rest as u32) << 21
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ext {
    pub a: u32,
    pub b: u32,
    pub c: f32,
    pub d: u32,
}

/// The owned form; `S` is `String` or `&str`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rec<S> {
    pub name: S,
    pub t: [f32; 3],
    pub flags: Flags,
    pub index: u16,
    pub parent: i16,
    pub ext: Option<Ext>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Model<S> {
    pub version: u32,
    pub recs: Vec<Rec<S>>,
}

/// Position-dependent mix of every field, so that every contender must have decoded everything.
#[inline]
#[allow(clippy::too_many_arguments)]
pub fn mix(
    s: u64,
    name: &[u8],
    t: [u32; 3],
    flags: u32,
    index: u16,
    parent: i16,
    ext: Option<[u32; 4]>,
) -> u64 {
    let mut s = s.rotate_left(1);
    s = s.wrapping_add(name.len() as u64 + name[0] as u64 + name[name.len() - 1] as u64);
    s = s.wrapping_add(t[0] as u64).wrapping_add(t[1] as u64).wrapping_add(t[2] as u64);
    s = s.wrapping_add(flags as u64).wrapping_add(index as u64).wrapping_add(parent as u16 as u64);
    if let Some(e) = ext {
        s = s
            .wrapping_add(e[0] as u64)
            .wrapping_add(e[1] as u64)
            .wrapping_add(e[2] as u64)
            .wrapping_add(e[3] as u64);
    }
    s
}

pub fn sum<S: AsRef<str>>(m: &Model<S>) -> u64 {
    m.recs.iter().fold(1, |s, r| {
        mix(
            s,
            r.name.as_ref().as_bytes(),
            r.t.map(f32::to_bits),
            r.flags.bits(),
            r.index,
            r.parent,
            r.ext.map(|e| [e.a, e.b, e.c.to_bits(), e.d]),
        )
    })
}

pub fn sum_word<S: AsRef<str>, F: Copy>(m: &[hand::WordRec<S, F>], bits: impl Fn(F) -> u32) -> u64 {
    m.iter().fold(1, |s, r| {
        let e = r.ext.map(|e| [e.a, e.b, e.c.to_bits(), e.d]);
        mix(
            s,
            r.name.as_ref().as_bytes(),
            r.t.map(f32::to_bits),
            bits(r.flags),
            r.index,
            r.parent,
            e,
        )
    })
}
pub fn sum_pooled(p: &hand::Pooled) -> u64 {
    p.model.recs.iter().fold(1, |s, r| {
        let n = &p.pool.as_bytes()[r.name.0 as usize..(r.name.0 + r.name.1) as usize];
        let e = r.ext.map(|e| [e.a, e.b, e.c.to_bits(), e.d]);
        mix(s, n, r.t.map(f32::to_bits), r.flags.bits(), r.index, r.parent, e)
    })
}

pub fn generate(n: usize, version: u32) -> Model<String> {
    let mut g = Lcg(42);
    let parts = [
        "Spine", "Arm_L", "Arm_R", "Leg_L", "Leg_R", "Head", "Finger", "Toe", "Root", "Weapon",
        "Cloth", "Hair",
    ];
    let recs = (0..n)
        .map(|i| Rec {
            name: format!(
                "{}_{}{:02}",
                parts[g.below(12) as usize],
                parts[g.below(12) as usize],
                g.below(100)
            ),
            t: [0; 3].map(|_: i32| g.below(100_000) as f32 / 64.0),
            flags: Flags::from_bits(g.draw() ^ g.draw() << 1),
            index: i as u16,
            parent: (g.below(40_000) as i32 - 20_000) as i16,
            ext: (version >= 10).then(|| Ext {
                a: g.draw(),
                b: g.draw(),
                c: g.below(1000) as f32,
                d: g.draw(),
            }),
        })
        .collect();
    Model { version, recs }
}

/// Digest for comparing writers' output.
pub fn digest(b: &[u8]) -> u64 {
    b.chunks(8).fold(b.len() as u64 + 1, |s, c| {
        let mut w = [0; 8];
        w[..c.len()].copy_from_slice(c);
        (s.rotate_left(5) ^ u64::from_le_bytes(w)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}

#[cfg(test)]
mod tests {
    use super::generated::*;
    use super::runtime::*;
    use super::*;

    fn same<O: Order>(order: O, version: u32) {
        let file = hand::write(&generate(300, version));
        let model = generated::read::<CowOwned, _>(&file, Const::<false>).unwrap();
        let bytes = written::write::<CowOwned, _, { written::how::RUNS }>(&model, order).unwrap();
        assert_eq!(bytes == file, !order.is_big());
        let again = generated::read::<CowOwned, _>(&bytes, order).unwrap();
        assert_eq!(model, again);
        assert_eq!(written::append_and_patch::<CowOwned, _>(&model, order).unwrap(), bytes);
    }

    #[test]
    fn every_order_and_version_comes_back() {
        same(Const::<false>, 10);
        same(Const::<true>, 10);
        same(Flag(formwork::Endian::Big), 10);
        same(Flag(formwork::Endian::Little), 9);
    }

    #[test]
    fn errors_say_where() {
        let mut file = hand::write(&generate(3, 10));
        file[40 + 44 + 7] = 0x7f;
        let error = generated::read::<CowBorrowed, _>(&file, Const::<false>).unwrap_err();
        assert!(error.to_string().ends_with("in recs[1].name"), "{error}");
    }

    #[test]
    fn deviations_are_written_again() {
        let kept = Kept::found(7u16, 3);
        assert_eq!((kept.get(3), kept.get(4)), (7, 4));
        assert_eq!(Kept::found(3u16, 3).get(9), 9);
    }

    #[test]
    fn no_prefix_of_a_file_panics() {
        let file = hand::write(&generate(20, 10));
        for end in 0..file.len() - 2 {
            assert!(generated::read::<CowBorrowed, _>(&file[..end], Const::<false>).is_err());
        }
    }
}
