//! Inputs for a fuzzer to begin with.

use crate::property::{Case, Property};

/// Changes of each file.
const EDITS: u8 = 4;

/// Lengths of the inputs that values are made of, in bytes.
const LENGTHS: [usize; 6] = [16, 64, 128, 256, 512, 1024];

/// Inputs that ask for every property of a file.
#[must_use]
pub fn of(file: &[u8]) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for property in Property::ALL {
        match property {
            Property::Make | Property::Change => {}
            Property::Edit => {
                let mut noise = Noise::new(file.len() as u64);
                seeds.extend((0..EDITS).map(|_| Case::input(property, &noise.bytes(16), file)));
            }
            Property::Read | Property::Rewrite | Property::Engines | Property::Arena => {
                seeds.push(Case::input(property, &[], file));
            }
        }
    }
    seeds
}

/// Inputs that values are made of; the same each time.
#[must_use]
pub fn made() -> Vec<Vec<u8>> {
    let mut noise = Noise::new(1);
    let properties = [Property::Make, Property::Change];
    let cases =
        properties.into_iter().flat_map(|property| LENGTHS.map(|length| (property, length)));
    cases
        .map(|(property, length)| {
            let choice = noise.bytes(property.choices());
            Case::input(property, &choice, &noise.bytes(length))
        })
        .collect()
}

/// Bytes without meaning that are the same each time (xorshift).
#[derive(Debug, Clone)]
pub struct Noise(u64);

impl Noise {
    /// The bytes that follow from a number.
    #[must_use]
    pub fn new(number: u64) -> Noise {
        Noise(number ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The next bytes, so many.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count)
            .map(|_| {
                self.0 ^= self.0 << 13;
                self.0 ^= self.0 >> 7;
                self.0 ^= self.0 << 17;
                self.0.to_le_bytes()[3]
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_has_seeds() {
        let seeds: Vec<Vec<u8>> = of(b"file").into_iter().chain(made()).collect();
        for property in Property::ALL {
            let asks =
                |seed: &Vec<u8>| Case::of(seed).is_some_and(|case| case.property == property);
            assert!(seeds.iter().any(asks), "{property:?}");
        }
        assert_eq!(made(), made());
    }
}
