//! Attributes of vertices as numbers: which bytes are which number stands in the file.

use crate::bfres::{Attribute, AttributeFormat, IndexFormat, Mesh, VertexBuffer, VertexColumn};

/// A number of a vertex as a float.
trait Number: Copy {
    fn float(self) -> f32;
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            #[allow(clippy::cast_lossless, reason = "some of them are wider than a float is exact")]
            fn float(self) -> f32 {
                self as f32
            }
        }
    )*};
}

numbers!(u8 i8 u16 i16 u32 i32 f32);

/// A number of so many bits of which the greatest is 1.
fn fraction(number: impl Number, bits: u8, signed: bool) -> f32 {
    let greatest = (1_u32 << (bits - u8::from(signed))) - 1;
    number.float() / greatest.float()
}

/// What each vertex has: what the format has not is 0, and 1 in the fourth place, as graphics units
/// have it.
macro_rules! vertices {
    (
        $column:expr;
        $($one:ident)*; $($two:ident)*; $($three:ident)*; $($four:ident)*;
        $($other:pat => $otherwise:expr,)*
    ) => {
        match $column {
            $(VertexColumn::$one(of) => each(&of.values, |n| [n.float(), 0.0, 0.0, 1.0]),)*
            $(VertexColumn::$two(of) => each(&of.values, |v| [v.x.float(), v.y.float(), 0.0, 1.0]),)*
            $(VertexColumn::$three(of) => {
                each(&of.values, |v| [v.x.float(), v.y.float(), v.z.float(), 1.0])
            })*
            $(VertexColumn::$four(of) => {
                each(&of.values, |v| [v.x.float(), v.y.float(), v.z.float(), v.w.float()])
            })*
            $($other => $otherwise,)*
        }
    };
}

fn each<T>(values: &[T], vertex: impl Fn(&T) -> [f32; 4]) -> Vec<[f32; 4]> {
    values.iter().map(vertex).collect()
}

/// Whether the integers of a format mean fractions of the greatest one.
fn is_normed(format: AttributeFormat) -> bool {
    matches!(format.0 & 0xff, 1 | 2)
}

impl AttributeFormat {
    /// How many numbers each vertex has; nothing for a format without a name.
    #[must_use]
    pub fn channel_count(self) -> Option<usize> {
        self.name()?;
        Some(match self.0 >> 8 {
            0x02 | 0x0a | 0x14 => 1,
            0x01 | 0x09 | 0x12 | 0x17 => 2,
            0x18 => 3,
            0x0b | 0x0e | 0x15 | 0x19 => 4,
            _ => return None,
        })
    }
}

impl<'a> VertexBuffer<'a> {
    /// The attribute of a name, such as `_p0` for positions.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// What the vertices have of an attribute, which is one of this buffer's: the columns of each
    /// buffer are in the order of its attributes. Nothing if the buffer is not as its attributes
    /// say, and was read as bytes, or is behind the end of the file.
    #[must_use]
    pub fn column(&self, attribute: &Attribute<'_>) -> Option<&VertexColumn<'a>> {
        let buffer = attribute.buffer.get();
        let mut beside = self.attributes.iter().filter(|other| other.buffer.get() == buffer);
        let place = beside.position(|other| other == attribute)?;
        self.buffers.get(buffer)?.columns.as_ref()?.get(place)
    }

    /// What each vertex has of an attribute: up to four numbers; what its format has not is 0, and 1
    /// in the fourth place. Nothing if the format has no name or the buffer no columns.
    #[must_use]
    pub fn floats(&self, attribute: &Attribute<'_>) -> Option<Vec<[f32; 4]>> {
        let normed = is_normed(attribute.format);
        let part = |number: i32, bits, signed| match normed {
            true => fraction(number, bits, signed),
            false => number.float(),
        };
        let mut vertices = vertices! {
            self.column(attribute)?;
            Unorm8 Snorm8 Uint8 Sint8 Unorm16 Snorm16 Uint16 Sint16 Float16 Uint32 Sint32 Float32;
            Unorm8x2 Snorm8x2 Uint8x2 Sint8x2 Unorm16x2 Snorm16x2 Uint16x2 Sint16x2 Float16x2
            Uint32x2 Sint32x2 Float32x2;
            Uint32x3 Sint32x3 Float32x3;
            Unorm8x4 Snorm8x4 Uint8x4 Sint8x4 Unorm16x4 Snorm16x4 Uint16x4 Sint16x4 Float16x4
            Uint32x4 Sint32x4 Float32x4;
            VertexColumn::Unorm4(of) => each(&of.values, |v| {
                let bits = v.bits;
                [part(bits.x().into(), 4, false), part(bits.y().into(), 4, false), 0.0, 1.0]
            }),
            VertexColumn::Unsigned10(of) => each(&of.values, |v| {
                let [x, y, z] = [v.bits.x(), v.bits.y(), v.bits.z()];
                let [x, y, z] = [x, y, z].map(|n| part(n.into(), 10, false));
                [x, y, z, part(v.bits.w().into(), 2, false)]
            }),
            VertexColumn::Signed10(of) => each(&of.values, |v| {
                let [x, y, z] = [v.bits.x(), v.bits.y(), v.bits.z()];
                let [x, y, z] = [x, y, z].map(|n| part(n.into(), 10, true));
                [x, y, z, part(v.bits.w().into(), 2, true)]
            }),
            VertexColumn::Unknown(_) => return None,
        };
        if normed {
            // The lowest number with a sign means what the one above it does.
            vertices.as_flattened_mut().iter_mut().for_each(|number| *number = number.max(-1.0));
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
