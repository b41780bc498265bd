//! A walk through a file by its views: each node is visited in place, and its numbers and lengths summed,
//! as `hand::walk` does it.

use formwork::view::{Items, Result};
use formwork_formats::esf::view::Node;
use formwork_formats::esf::File;

#[inline]
fn step(s: &mut u64, v: u64) {
    *s = s.rotate_left(1).wrapping_add(v);
}

fn nodes<'a>(all: Items<'a, Node<'a>>, s: &mut u64) -> Result<()> {
    all.each(|node| {
        let v = match node {
            Node::Record(record) => {
                step(s, record.tag().number().into());
                nodes(record.nodes()?, s)?;
                return Ok(());
            }
            Node::Records(records) => {
                step(s, records.tag().number().into());
                return records.elements()?.each(|element| nodes(element.nodes()?, s));
            }
            Node::Bool(n) => n.value().into(),
            Node::I8(n) => n.value() as u64,
            Node::I16(n) => n.value() as u64,
            Node::I32(n) => n.value() as u64,
            Node::I64(n) => n.value() as u64,
            Node::U8(n) => n.value().into(),
            Node::U16(n) => n.value().into(),
            Node::U32(n) => n.value().into(),
            Node::U64(n) => n.value(),
            Node::F32(n) => n.value().to_bits().into(),
            Node::F64(n) => n.value().to_bits(),
            Node::Xy(n) => u64::from(n.value().x().to_bits()) + u64::from(n.value().y().to_bits()),
            Node::Xyz(n) => {
                let (x, y, z) = (n.value().x(), n.value().y(), n.value().z());
                u64::from(x.to_bits()) + u64::from(y.to_bits()) + u64::from(z.to_bits())
            }
            Node::Angle(n) => n.value().into(),
            Node::UnicodeKey(n) => n.key().into(),
            Node::AsciiKey(n) => n.key().into(),
            Node::Bools(n) => n.values()?.len() as u64,
            Node::I8s(n) => n.values()?.len() as u64,
            Node::U8s(n) => n.values()?.len() as u64,
            Node::F32s(n) => n.values()?.len() as u64,
            Node::Xys(n) => n.values()?.len() as u64,
            _ => 1,
        };
        step(s, v);
        Ok(())
    })
}

/// Visits all nodes.
pub fn walk(d: &[u8]) -> Result<u64> {
    let root = File::view(d)?.root()?;
    let mut s = 1;
    nodes(root.nodes()?, &mut s)?;
    Ok(s)
}
