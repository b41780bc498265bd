//! Looking at records in place: by hand, and by the views that come of the schema. Each run touches
//! what its name says of every record, and sums it.

use crate::hand::{bytes_at, header, str_fast, Error};
use crate::{mix, schema};

/// The table by hand, in records of a size known when the file is opened: one check each.
#[inline]
fn records<'a>(d: &'a [u8]) -> Result<(&'a [u8], usize), Error> {
    let h = header(d)?;
    let size = if h.version >= 10 { 44 } else { 28 };
    let short = Error::Short { at: h.table, want: h.count.saturating_mul(size) };
    let table = d.get(h.table..).and_then(|rest| rest.get(..h.count.saturating_mul(size)));
    Ok((table.ok_or(short)?, size))
}

fn u32_at<const N: usize>(r: &[u8; N], at: usize) -> u32 {
    u32::from_le_bytes([r[at], r[at + 1], r[at + 2], r[at + 3]])
}

/// All fields of a record by hand; `extension` if it has one.
#[inline]
fn fields<const N: usize>(s: u64, name: &[u8], r: &[u8; N], extension: bool) -> u64 {
    let t = [u32_at(r, 8), u32_at(r, 12), u32_at(r, 16)];
    let (index, parent) = (u32_at(r, 24) as u16, (u32_at(r, 24) >> 16) as i16);
    let e = extension
        .then(|| [u32_at(r, N - 16), u32_at(r, N - 12), u32_at(r, N - 8), u32_at(r, N - 4)]);
    mix(s, name, t, u32_at(r, 20), index, parent, e)
}

/// Sums each record, which has one of two sizes.
#[inline]
fn each<'a>(
    d: &'a [u8],
    short: impl Fn(u64, &'a [u8; 28]) -> Result<u64, Error>,
    long: impl Fn(u64, &'a [u8; 44]) -> Result<u64, Error>,
) -> Result<u64, Error> {
    let (table, size) = records(d)?;
    let mut s = 1;
    if size == 44 {
        for r in table.chunks_exact(44) {
            s = long(s, r.first_chunk().expect("as long"))?;
        }
    } else {
        for r in table.chunks_exact(28) {
            s = short(s, r.first_chunk().expect("as long"))?;
        }
    }
    Ok(s)
}

/// One number of each record.
pub fn hand_one(d: &[u8]) -> Result<u64, Error> {
    each(d, |s, r| Ok(s + u64::from(u32_at(r, 20))), |s, r| Ok(s + u64::from(u32_at(r, 20))))
}

/// Whatever stands in the record itself.
pub fn hand_fixed(d: &[u8]) -> Result<u64, Error> {
    each(d, |s, r| Ok(fields(s, b"x", r, false)), |s, r| Ok(fields(s, b"x", r, true)))
}

/// All of it, the name as text.
pub fn hand_all(d: &[u8]) -> Result<u64, Error> {
    let name = |r: &[u8]| {
        let at = u64::from_le_bytes(*r.first_chunk().expect("as long")) as usize;
        str_fast(bytes_at(d, at)?, at)
    };
    each(
        d,
        |s, r| Ok(fields(s, name(r)?.as_bytes(), r, false)),
        |s, r| Ok(fields(s, name(r)?.as_bytes(), r, true)),
    )
}

type Found = formwork::view::Result<u64>;

/// One number of each record.
pub fn one(d: &[u8]) -> Found {
    let records = schema::File::view(d)?.records()?;
    Ok(records.iter().fold(1, |s, r| s + u64::from(r.flags().0)))
}

#[inline]
fn all(s: u64, name: &[u8], r: schema::view::Record<'_>) -> u64 {
    let mut t = r.t().iter().map(f32::to_bits);
    let mut next = || t.next().unwrap_or(0);
    let t = [next(), next(), next()];
    let e = r.extension().map(|e| [e.a(), e.b(), e.c().to_bits(), e.d()]);
    mix(s, name, t, r.flags().0, r.index(), r.parent(), e)
}

/// Whatever stands in the record itself.
pub fn fixed(d: &[u8]) -> Found {
    Ok(schema::File::view(d)?.records()?.iter().fold(1, |s, r| all(s, b"x", r)))
}

/// All of it, the name as text.
pub fn whole(d: &[u8]) -> Found {
    let records = schema::File::view(d)?.records()?;
    records.iter().try_fold(1, |s, r| Ok(all(s, r.name()?.as_bytes(), r)))
}
