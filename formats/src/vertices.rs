//! Attributes of vertices as numbers: which bytes are which number stands in the file.

use formwork::algorithms::{FloatCode, FloatForm};

use crate::bfres::{Attribute, AttributeFormat, IndexFormat, Mesh, VertexBuffer};

/// What the bits of one number mean.
#[derive(Clone, Copy)]
enum Number {
    /// From 0 to 1.
    Unorm,
    /// From -1 to 1.
    Snorm,
    Uint,
    Sint,
    Float,
}

impl Number {
    /// A number of so many bits; the bits above are zero.
    fn value(self, word: u32, bits: u8) -> f32 {
        let (signed, form) = match self {
            Number::Unorm => (false, FloatForm::Norm),
            Number::Snorm => (true, FloatForm::Norm),
            Number::Uint => (false, FloatForm::Fixed(0)),
            Number::Sint => (true, FloatForm::Fixed(0)),
            Number::Float => (true, FloatForm::Ieee),
        };
        let code = FloatCode { bits, signed, form };
        let value = code.value(word.into());
        let value = match code.is_single() {
            true => f32::from_bits(value as u32),
            false => f64::from_bits(value) as f32,
        };
        match self {
            // The lowest number means what the one above it does.
            Number::Snorm => value.max(-1.0),
            _ => value,
        }
    }
}

/// The bits of each number of a format, from the lowest of its bytes on.
fn channels(format: AttributeFormat) -> Option<&'static [u8]> {
    Some(match format.0 >> 8 {
        0x01 => &[4, 4],
        0x02 => &[8],
        0x09 => &[8, 8],
        0x0a => &[16],
        0x0b => &[8, 8, 8, 8],
        0x0e => &[10, 10, 10, 2],
        0x12 => &[16, 16],
        0x14 => &[32],
        0x15 => &[16, 16, 16, 16],
        0x17 => &[32, 32],
        0x18 => &[32, 32, 32],
        0x19 => &[32, 32, 32, 32],
        _ => return None,
    })
}

fn number(format: AttributeFormat) -> Option<Number> {
    Some(match format.0 & 0xff {
        1 => Number::Unorm,
        2 => Number::Snorm,
        3 | 8 => Number::Uint,
        4 | 9 => Number::Sint,
        5 => Number::Float,
        _ => return None,
    })
}

/// One vertex; what the format has not is 0, and 1 in the fourth place, as graphics units have it.
fn vertex(bytes: &[u8], number: Number, channels: &[u8]) -> [f32; 4] {
    let mut low = [0; 16];
    low[..bytes.len()].copy_from_slice(bytes);
    let all = u128::from_le_bytes(low);
    let (mut vertex, mut bit) = ([0.0, 0.0, 0.0, 1.0], 0);
    for (place, bits) in vertex.iter_mut().zip(channels) {
        let word = (all >> bit) as u32 & (u32::MAX >> (32 - bits));
        *place = number.value(word, *bits);
        bit += bits;
    }
    vertex
}

impl AttributeFormat {
    /// How many numbers each vertex has; nothing for a format without a name.
    #[must_use]
    pub fn channel_count(self) -> Option<usize> {
        self.name().and(channels(self)).map(<[u8]>::len)
    }
}

impl<'a> VertexBuffer<'a> {
    /// The attribute of a name, such as `_p0` for positions.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// What each vertex has of an attribute: up to four numbers; what its format has not is 0, and 1
    /// in the fourth place. Nothing if the format has no name, or if not all vertices are there.
    #[must_use]
    pub fn floats(&self, attribute: &Attribute<'_>) -> Option<Vec<[f32; 4]>> {
        attribute.format.name()?;
        let (number, channels) = (number(attribute.format)?, channels(attribute.format)?);
        let size = channels.iter().copied().map(usize::from).sum::<usize>() / 8;
        let buffer = attribute.buffer.get();
        let bytes = &self.buffers.get(buffer)?.data;
        let stride = self.strides.get(buffer)?.stride as usize;
        if stride < size {
            return None;
        }
        let offset = usize::from(attribute.offset);
        let mut vertices = Vec::new();
        for index in 0..self.vertex_count as usize {
            let from = index.checked_mul(stride)?.checked_add(offset)?;
            let bytes = bytes.get(from..from.checked_add(size)?)?;
            vertices.push(vertex(bytes, number, channels));
        }
        Some(vertices)
    }
}

impl Mesh<'_> {
    /// Which vertices it joins, one after another; nothing if the size of an index has no name, or
    /// if a number is greater than 32 bits have.
    #[must_use]
    pub fn vertex_indices(&self) -> Option<Vec<u32>> {
        let size = match self.index_format {
            IndexFormat::U8 => 1,
            IndexFormat::U16 => 2,
            IndexFormat::U32 => 4,
            _ => return None,
        };
        let index = |bytes: &[u8]| {
            let mut all = [0; 4];
            all[..size].copy_from_slice(bytes);
            u32::from_le_bytes(all).checked_add(self.first_vertex)
        };
        self.indices.chunks_exact(size).map(index).collect()
    }
}
