//! Time zones by hand, and by the crate `tz-rs`.

use std::borrow::Cow;

use crate::cursor::{ascii, be32, be64, find, Cursor};

formwork::schema!("tzif");

/// What both blocks have in common, besides their numbers.
struct Parts<'a> {
    version: Version,
    times: &'a [u8],
    kinds: Vec<ClockShortIndex>,
    clocks: &'a [u8],
    names: &'a [u8],
    leaps: &'a [u8],
    standard: Vec<bool>,
    universal: Vec<bool>,
}

fn parts<'a>(file: &mut Cursor<'a>, time: usize) -> Option<Parts<'a>> {
    let b = file.block::<44>()?;
    if &b[..4] != b"TZif" || b[5..20] != [0; 15] {
        return None;
    }
    let count = |at: usize| be32(b, at) as usize;
    let times = file.many(count(32), time)?;
    let kinds = file.take(count(32))?;
    if kinds.iter().any(|kind| usize::from(*kind) >= count(36)) {
        return None;
    }
    Some(Parts {
        version: Version(b[4]),
        times,
        kinds: kinds.iter().map(|kind| ClockShortIndex::from(*kind)).collect(),
        clocks: file.many(count(36), 6)?,
        names: file.take(count(40))?,
        leaps: file.many(count(28), time + 4)?,
        standard: truths(file.take(count(24))?)?,
        universal: truths(file.take(count(20))?)?,
    })
}

fn truths(bytes: &[u8]) -> Option<Vec<bool>> {
    if bytes.iter().any(|b| *b > 1) {
        return None;
    }
    Some(bytes.iter().map(|b| *b == 1).collect())
}

fn clock<'a>(b: &[u8], names: &'a [u8]) -> Option<(i32, bool, Cow<'a, str>)> {
    let name = names.get(usize::from(b[5])..)?;
    let name = ascii(&name[..find(name, 0)?])?;
    (b[4] < 2).then_some((be32(b, 0) as i32, b[4] == 1, name))
}

pub fn read(bytes: &[u8]) -> Option<File<'_>> {
    let mut file = Cursor(bytes);
    let block = parts(&mut file, 4)?;
    let mut clocks = Vec::with_capacity(block.clocks.len() / 6);
    for b in block.clocks.chunks_exact(6) {
        let (offset, is_summer, name) = clock(b, block.names)?;
        clocks.push(ClockShort { offset, is_summer, name });
    }
    let leap = |b: &[u8]| LeapI32 { at: be32(b, 0) as i32, correction: be32(b, 4) as i32 };
    let short = BlockI32Short {
        version: block.version,
        times: block.times.chunks_exact(4).map(|b| be32(b, 0) as i32).collect(),
        kinds: block.kinds,
        clocks,
        leaps: block.leaps.chunks_exact(8).map(leap).collect(),
        standard: block.standard,
        universal: block.universal,
        ..BlockI32Short::default()
    };
    if short.version < Version::SECOND {
        return file.0.is_empty().then(|| File { short, ..File::default() });
    }
    let block = parts(&mut file, 8)?;
    let mut clocks = Vec::with_capacity(block.clocks.len() / 6);
    for b in block.clocks.chunks_exact(6) {
        let (offset, is_summer, name) = clock(b, block.names)?;
        clocks.push(ClockLong { offset, is_summer, name });
    }
    let leap = |b: &[u8]| LeapI64 { at: be64(b, 0) as i64, correction: be32(b, 8) as i32 };
    let long = BlockI64Long {
        version: block.version,
        times: block.times.chunks_exact(8).map(|b| be64(b, 0) as i64).collect(),
        kinds: block.kinds,
        clocks,
        leaps: block.leaps.chunks_exact(12).map(leap).collect(),
        standard: block.standard,
        universal: block.universal,
        ..BlockI64Long::default()
    };
    if file.u8()? != b'\n' {
        return None;
    }
    let rule = ascii(file.until(b'\n')?)?;
    let (long, rule) = (Some(long), Some(rule));
    file.0.is_empty().then(|| File { short, long, rule, ..File::default() })
}

/// Names, each once, in the order in which they are met; and where each name begins.
fn names<'a>(all: impl Iterator<Item = &'a str>) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut table, mut places): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
    let mut known: Vec<(&str, u8)> = Vec::new();
    for name in all {
        if let Some((_, place)) = known.iter().find(|(known, _)| *known == name) {
            places.push(*place);
            continue;
        }
        if !name.is_ascii() || name.contains('\0') {
            return None;
        }
        let place = u8::try_from(table.len()).ok()?;
        known.push((name, place));
        places.push(place);
        table.extend_from_slice(name.as_bytes());
        table.push(0);
    }
    Some((table, places))
}

fn head(out: &mut Vec<u8>, version: Version, counts: [usize; 6]) -> Option<()> {
    out.extend_from_slice(b"TZif");
    out.push(version.0);
    out.extend_from_slice(&[0; 15]);
    for count in counts {
        out.extend_from_slice(&u32::try_from(count).ok()?.to_be_bytes());
    }
    Some(())
}

fn put_kinds(out: &mut Vec<u8>, kinds: &[ClockShortIndex], clocks: usize) -> Option<()> {
    for kind in kinds {
        let number = kind.number();
        if number as usize >= clocks {
            return None;
        }
        out.push(u8::try_from(number).ok()?);
    }
    Some(())
}

pub fn write(file: &File<'_>) -> Option<Vec<u8>> {
    let block = &file.short;
    let size = |times: usize, clocks: usize| 44 + times * 9 + clocks * 16;
    let long = file.long.as_ref().map_or(0, |long| size(long.times.len(), long.clocks.len()));
    let all = size(block.times.len(), block.clocks.len()) + long + 64;
    let mut out = Vec::with_capacity(all);
    if block.kinds.len() != block.times.len() {
        return None;
    }
    let (table, places) = names(block.clocks.iter().map(|clock| &*clock.name))?;
    let (leaps, clocks) = (block.leaps.len(), block.clocks.len());
    let counts = [block.universal.len(), block.standard.len(), leaps, block.times.len(), clocks];
    let [universal, standard, leaps, times, clocks] = counts;
    let counts = [universal, standard, leaps, times, clocks, table.len()];
    head(&mut out, block.version, counts)?;
    out.extend(block.times.iter().flat_map(|time| time.to_be_bytes()));
    put_kinds(&mut out, &block.kinds, clocks)?;
    for (clock, place) in block.clocks.iter().zip(places) {
        out.extend_from_slice(&clock.offset.to_be_bytes());
        out.extend_from_slice(&[clock.is_summer.into(), place]);
    }
    out.extend_from_slice(&table);
    for leap in &block.leaps {
        out.extend_from_slice(&leap.at.to_be_bytes());
        out.extend_from_slice(&leap.correction.to_be_bytes());
    }
    out.extend(block.standard.iter().map(|is| u8::from(*is)));
    out.extend(block.universal.iter().map(|is| u8::from(*is)));
    if block.version < Version::SECOND {
        return (file.long.is_none() && file.rule.is_none()).then_some(out);
    }
    let (block, rule) = (file.long.as_ref()?, file.rule.as_ref()?);
    if block.kinds.len() != block.times.len() || !rule.is_ascii() || rule.contains('\n') {
        return None;
    }
    let (table, places) = names(block.clocks.iter().map(|clock| &*clock.name))?;
    let (leaps, clocks) = (block.leaps.len(), block.clocks.len());
    let (universal, standard) = (block.universal.len(), block.standard.len());
    let counts = [universal, standard, leaps, block.times.len(), clocks, table.len()];
    head(&mut out, block.version, counts)?;
    out.extend(block.times.iter().flat_map(|time| time.to_be_bytes()));
    put_kinds(&mut out, &block.kinds, clocks)?;
    for (clock, place) in block.clocks.iter().zip(places) {
        out.extend_from_slice(&clock.offset.to_be_bytes());
        out.extend_from_slice(&[clock.is_summer.into(), place]);
    }
    out.extend_from_slice(&table);
    for leap in &block.leaps {
        out.extend_from_slice(&leap.at.to_be_bytes());
        out.extend_from_slice(&leap.correction.to_be_bytes());
    }
    out.extend(block.standard.iter().map(|is| u8::from(*is)));
    out.extend(block.universal.iter().map(|is| u8::from(*is)));
    out.push(b'\n');
    out.extend_from_slice(rule.as_bytes());
    out.push(b'\n');
    Some(out)
}

/// The wider block, with its rule parsed.
pub fn peer(bytes: &[u8]) -> Option<u64> {
    let zone = tz::TimeZone::from_tz_data(bytes).ok()?;
    Some(zone.as_ref().transitions().len() as u64 + 1)
}
