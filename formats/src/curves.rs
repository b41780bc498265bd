//! What a curve is at a frame, and how large it is when it is baked: the schema says how keys are
//! stored, and not what is between them.

use crate::bfres::{Curve, CurveFrames, CurveKeys, CurveResult, CurveType, CurveWrap};

/// What a curve is at a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CurveValue {
    /// A number with a fraction.
    Float(f32),
    /// An integer.
    Int(i32),
    /// A truth value.
    Bool(bool),
}

impl CurveFrames {
    /// Number of keys; 0 if the file does not say when they are.
    #[must_use]
    pub fn count(&self) -> usize {
        let count = match self {
            CurveFrames::Floats(times) => times.frames.as_ref().map(Vec::len),
            CurveFrames::Fixed(times) => times.frames.as_ref().map(Vec::len),
            CurveFrames::Whole(times) => times.frames.as_ref().map(Vec::len),
        };
        count.unwrap_or(0)
    }

    /// The frame of a key.
    #[must_use]
    pub fn get(&self, key: usize) -> Option<f32> {
        match self {
            CurveFrames::Floats(times) => times.frames.as_ref()?.get(key).copied(),
            CurveFrames::Fixed(times) => times.frames.as_ref()?.get(key).copied(),
            CurveFrames::Whole(times) => {
                times.frames.as_ref()?.get(key).map(|time| f32::from(*time))
            }
        }
    }

    /// The last key that is not behind a frame, or the first one.
    fn before(&self, frame: f32) -> usize {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(|time| time <= frame) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.saturating_sub(1)
    }
}

impl CurveKeys {
    fn float(&self, index: usize) -> Option<f32> {
        match self {
            CurveKeys::Floats(keys) => keys.keys.get(index).copied(),
            CurveKeys::Shorts(keys) => keys.keys.get(index).map(|key| f32::from(*key)),
            CurveKeys::Bytes(keys) => keys.keys.get(index).map(|key| f32::from(*key)),
            CurveKeys::Ints(_) | CurveKeys::Bits(_) => None,
        }
    }

    fn int(&self, index: usize) -> Option<i32> {
        match self {
            CurveKeys::Ints(keys) => keys.keys.get(index).copied(),
            CurveKeys::Shorts(keys) => keys.keys.get(index).map(|key| i32::from(*key)),
            CurveKeys::Bytes(keys) => keys.keys.get(index).map(|key| i32::from(*key)),
            CurveKeys::Floats(_) | CurveKeys::Bits(_) => None,
        }
    }

    fn bit(&self, index: usize) -> Option<bool> {
        let CurveKeys::Bits(keys) = self else { return None };
        keys.keys.get(index / 32).map(|word| word >> (index % 32) & 1 == 1)
    }
}

impl Curve {
    /// What it is at a frame; before its first key and behind its last one as its wrap modes say.
    /// Nothing if its keys are not what its flags say, if it has none, or none with a frame.
    #[must_use]
    pub fn at(&self, frame: f32) -> Option<CurveValue> {
        let (frame, rounds) = self.wrapped(frame);
        match (self.inside(frame)?, &self.result) {
            (CurveValue::Float(value), CurveResult::Float(result)) if rounds != 0.0 => {
                Some(CurveValue::Float(value + rounds * result.delta))
            }
            (CurveValue::Int(value), CurveResult::Int(result)) if rounds != 0.0 => {
                let more = (rounds as i32).wrapping_mul(result.delta);
                Some(CurveValue::Int(value.wrapping_add(more)))
            }
            (value, _) => Some(value),
        }
    }

    /// What it is at one of its keys.
    #[must_use]
    pub fn at_key(&self, key: usize) -> Option<CurveValue> {
        if key >= self.frames.count() {
            return None;
        }
        self.between(key, 0.0)
    }

    /// The frame between first and last key that stands for another one, and after how many rounds
    /// of a curve that goes on from where it ended.
    fn wrapped(&self, frame: f32) -> (f32, f32) {
        let (start, end) = (self.start_frame, self.end_frame);
        let wrap = match frame {
            _ if frame < start => self.flags.pre_wrap(),
            _ if frame > end => self.flags.post_wrap(),
            _ => return (frame, 0.0),
        };
        let length = end - start;
        if !(length > 0.0 && length.is_finite() && frame.is_finite()) {
            return (frame.clamp(start.min(end), start.max(end)), 0.0);
        }
        let past = frame - start;
        match wrap {
            CurveWrap::REPEAT => (start + past.rem_euclid(length), 0.0),
            CurveWrap::MIRROR => {
                let place = past.rem_euclid(2.0 * length);
                (start + place.min(2.0 * length - place), 0.0)
            }
            CurveWrap::RELATIVE_REPEAT => {
                (start + past.rem_euclid(length), (past / length).floor())
            }
            _ => (frame.clamp(start, end), 0.0),
        }
    }

    fn inside(&self, frame: f32) -> Option<CurveValue> {
        let key = self.frames.before(frame);
        let (from, to) = (self.frames.get(key)?, self.frames.get(key + 1));
        let part = match to {
            Some(to) if to > from && frame > from => (frame - from) / (to - from),
            _ => 0.0,
        };
        self.between(key, part)
    }

    /// What it is at a part of the way from a key to the next one.
    fn between(&self, key: usize, part: f32) -> Option<CurveValue> {
        let scaled = |value: f32| match &self.result {
            CurveResult::Float(result) => Some(CurveValue::Float(value * self.scale + result.add)),
            CurveResult::Int(_) => None,
        };
        let float = |index| self.keys.float(index);
        match self.flags.r#type() {
            CurveType::CUBIC => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|index| float(4 * key + index));
                scaled(a? + part * (b? + part * (c? + part * d?)))
            }
            CurveType::LINEAR => scaled(float(2 * key)? + part * float(2 * key + 1)?),
            CurveType::BAKED_FLOAT => {
                let here = float(key)?;
                let next = float(key + 1).unwrap_or(here);
                scaled(here + part * (next - here))
            }
            CurveType::STEP_INT | CurveType::BAKED_INT => match &self.result {
                CurveResult::Int(result) => {
                    Some(CurveValue::Int(self.keys.int(key)?.wrapping_add(result.add)))
                }
                CurveResult::Float(_) => None,
            },
            CurveType::STEP_BOOL | CurveType::BAKED_BOOL => {
                self.keys.bit(key).map(CurveValue::Bool)
            }
            _ => None,
        }
    }
}
