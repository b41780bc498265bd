//! Checksums of texts, runs of bytes and numbers, one behind the other.

use super::find::Visit;
use super::item::{ArrayRef, Blob, Item, Loc, NodeRef};
use super::plan::has_plain_numbers;
use super::state::Engine;
use super::tree::Elements;
use super::val::{describe, eval_error, Fallible, Val};
use crate::checksum::Checksum;
use crate::model::{BinaryOp, Expr, ExprId, IntType, Meaning, Storage};

impl<'p> Engine<'p, '_> {
    /// The checksum of what an expression names: of a stream all of it, of anything else just that,
    /// and nothing if it is nothing.
    pub(crate) fn checksum(
        &mut self,
        mut sum: Checksum,
        runs: ExprId,
        this: NodeRef,
        it: Option<Val>,
    ) -> Fallible<Val> {
        let (mut many, mut some) = (false, false);
        self.add_runs(&mut sum, runs, this, it, &mut many, &mut some)?;
        if !many && !some {
            return Ok(Val::None);
        }
        Ok(match sum {
            Checksum::Crc32(crc) => Val::Int((!crc).into()),
            Checksum::Adler32(sum) => Val::Int(sum.into()),
            Checksum::Digest(digest) => {
                // The last block is padded, and the digest takes room.
                self.charge(64)?;
                let (digest, size) = digest.end();
                Val::Bytes(self.tree.add_bytes(&digest[..size]))
            }
        })
    }

    fn add_runs(
        &mut self,
        sum: &mut Checksum,
        runs: ExprId,
        this: NodeRef,
        it: Option<Val>,
        many: &mut bool,
        some: &mut bool,
    ) -> Fallible<()> {
        if let Expr::Binary(BinaryOp::Concatenate, a, b) = &self.model[runs] {
            *many = true;
            self.add_runs(sum, *a, this, it, many, some)?;
            return self.add_runs(sum, *b, this, it, many, some);
        }
        let copies = self.copies.len();
        self.walk_expr(runs, this, it, many, &mut |engine, val| {
            *some |= engine.add_run(sum, val)?;
            Ok(true)
        })?;
        self.forget_copies(copies);
        Ok(())
    }

    /// Adds a run, or all elements of an array. Says whether there is such a thing.
    fn add_run(&mut self, sum: &mut Checksum, val: Val) -> Fallible<bool> {
        match self.load(val)? {
            Val::None => return Ok(false),
            Val::Text(blob) | Val::Bytes(blob) => self.add_blob(sum, blob)?,
            Val::Int(n) => match u8::try_from(n) {
                Ok(byte) => {
                    self.charge(1)?;
                    sum.add(&[byte]);
                }
                Err(_) => return eval_error(alloc::format!("{n} is not the number of a byte")),
            },
            Val::Loc(loc) if loc.index().is_none() => match self.bytes_of(loc) {
                Some(blob) => self.add_blob(sum, blob)?,
                None => {
                    let add: &mut Visit<'_, 'p, '_> = &mut |engine, val| {
                        engine.add_run(sum, val)?;
                        Ok(true)
                    };
                    self.elements(Val::Loc(loc), add)?;
                }
            },
            other => {
                let message = alloc::format!("expected texts or bytes, found {}", describe(other));
                return eval_error(message);
            }
        }
        Ok(true)
    }

    fn add_blob(&mut self, sum: &mut Checksum, blob: Blob) -> Fallible<()> {
        self.charge(blob.len.into())?;
        sum.add(self.tree.bytes(blob));
        Ok(())
    }

    /// The bytes of an array, if it is an array of numbers that are just that.
    fn bytes_of(&self, loc: Loc) -> Option<Blob> {
        let Item::Array(ArrayRef::Own(number)) = self.tree.item(loc) else { return None };
        let Elements::Cells(cells) = self.tree.elements(number) else { return None };
        let byte = Storage::Fixed(IntType { bytes: 1, signed: false, order: None });
        let plain = cells.cell.storage == byte && cells.cell.meaning == Meaning::Int;
        let array = self.tree.arrays.get(number as usize)?;
        (plain && array.gap == 0 && has_plain_numbers(self.tree.row(loc))).then_some(Blob {
            from: cells.from,
            start: cells.first,
            len: array.count,
        })
    }
}
