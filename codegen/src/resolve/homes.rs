//! Where rows stand, and what fills the space between them.

use super::base::{per_epoch, run};
use super::{Cx, RecordId, Source};
use crate::model::{Cell, Content, Home, Meaning, RunLength, Storage, Type};
use crate::span::Span;
use crate::syntax::ast::{HomeEx, Row, RowWord};

impl<'t> Cx<'t> {
    pub(super) fn set_limits(&mut self, union: crate::model::UnionId, limits: &[Option<u64>]) {
        let mut records = Vec::new();
        for case in &self.uni(union).cases {
            records.push(case.record);
            records.extend(case.forms.iter().map(|f| f.1));
        }
        for record in records {
            self.rec_mut(record).limits = limits.to_vec();
        }
    }

    /// Where a body that begins at these homes ends, per epoch: at the next row, or with the
    /// struct.
    pub(super) fn limits_behind(&self, id: RecordId, homes: &[Home]) -> Vec<Option<u64>> {
        let mut limits = Vec::new();
        for (epoch, home) in homes.iter().enumerate() {
            limits.push(match home {
                Home::At(at) => self.next_home(id, epoch, *at),
                _ => None,
            });
        }
        limits
    }

    /// Where a row stands in each epoch.
    pub(super) fn homes(&mut self, id: RecordId, slot: usize) -> Vec<Home> {
        let epochs = self.epoch_count();
        let mut homes = vec![Home::Absent; epochs];
        let mut wrong: Option<(Span, String)> = None;
        // Of an expression without quotes, a minus is taken as an offset.
        let mut minus = false;
        let mut by_data: Option<(Span, Span)> = None;
        {
            let rec = self.rec(id);
            for variant in &rec.slots[slot].variants {
                let Source::Row(row, _) = &variant.source else { continue };
                let nowhere = matches!(
                    row.word,
                    RowWord::Slice
                        | RowWord::Object(_)
                        | RowWord::Mark
                        | RowWord::Value(_)
                        | RowWord::Const(None)
                        | RowWord::Tag
                ) || row.props.has("bits") && matches!(row.word, RowWord::Typed(_));
                let columns = rec.columns.as_ref().map_or(1, |c| c.0);
                let count = row.homes.len();
                if count > 1 && count != columns && wrong.is_none() {
                    let message = format!("{count} offsets for {columns} columns");
                    wrong = Some((row.homes[0].span.to(row.homes[count - 1].span), message));
                    minus = columns == 1 && row.homes.iter().any(|h| h.value == HomeEx::Absent);
                } else if count == 1 && columns > 1 && wrong.is_none() {
                    let message = format!("one offset for {columns} columns");
                    wrong = Some((row.homes[0].span, message));
                }
                if let (Some((condition, _)), Some(home)) =
                    (variant.when.first(), row.homes.first())
                {
                    by_data = Some((home.span, condition.span));
                }
                for (epoch, home) in homes.iter_mut().enumerate() {
                    if !variant.epochs[epoch] || !rec.exists[epoch] {
                        continue;
                    }
                    let column = rec.columns.as_ref().map_or(Some(0), |c| c.1[epoch]);
                    *home = match column {
                        None => Home::Absent,
                        Some(_) if nowhere => Home::Nowhere,
                        Some(_) if count == 0 => Home::Next,
                        Some(column) => match row.homes.get(column).map(|h| h.value) {
                            Some(HomeEx::At(at)) => Home::At(at),
                            Some(HomeEx::Absent) => Home::Absent,
                            None => Home::Next,
                        },
                    };
                }
            }
        }
        if let Some((span, condition)) = by_data {
            self.d
                .error("E0216", span, "a row with an offset is always there")
                .also(condition, "this is about the data of the file")
                .help("use a `union`, or a struct without offsets");
        }
        if let Some((span, message)) = wrong {
            self.d.error("E0215", span, message).help(match minus {
                true => "what is computed stands in quotes: `size=\"length - 1\"`",
                false => "give one offset per column, `-` where the row does not exist",
            });
        }
        homes
    }

    /// The next home behind an offset, or the end of the record.
    fn next_home(&self, id: RecordId, epoch: usize, at: u64) -> Option<u64> {
        let rec = self.rec(id);
        let mut next = rec.stated[epoch].or(rec.limits[epoch]);
        for slot in &rec.slots {
            for variant in &slot.variants {
                let Source::Row(row, _) = &variant.source else { continue };
                if !variant.epochs[epoch] {
                    continue;
                }
                let column = rec.columns.as_ref().map_or(Some(0), |c| c.1[epoch]);
                let home = column.and_then(|column| row.homes.get(column)).map(|h| h.value);
                if let Some(HomeEx::At(other)) = home
                    && other > at
                    && next.is_none_or(|next| other < next)
                {
                    next = Some(other);
                }
            }
        }
        next.filter(|&next| next > at)
    }

    /// Type of `zero`, `reserved`, `runtime`.
    pub(super) fn fill_type(
        &mut self,
        id: RecordId,
        slot: usize,
        row: &'t Row,
        homes: &[Home],
    ) -> Option<Type> {
        let env = self.record_env(id);
        if let Some(bits) = row.props.int("bits") {
            let Some(width) = u8::try_from(bits).ok().filter(|b| (1..=64).contains(b)) else {
                let span = row.props.span("bits").unwrap_or(row.span);
                self.d.error("E0214", span, "`bits=` lies between 1 and 64");
                return None;
            };
            let msb_first = self.rec(id).msb_first;
            let storage = Storage::Bits { width, msb_first };
            return Some(Type::Cell(Cell { storage, meaning: Meaning::Int }));
        }
        if let Some(ex) = row.props.ex("size") {
            if matches!(ex.word(), Some("fill" | "rest")) && self.member(id, "fill", 0).is_none() {
                return Some(run(Content::Bytes, RunLength::Fill));
            }
            let size = self.int(&env, ex)?;
            let number = self.exprs.constant(size);
            return Some(match number.and_then(|n| u64::try_from(n).ok()) {
                Some(size) => run(Content::Bytes, RunLength::Fixed(size)),
                None => run(Content::Bytes, RunLength::Count(size)),
            });
        }
        let mut types = Vec::new();
        for (epoch, home) in homes.iter().enumerate() {
            types.push(match home {
                Home::At(at) => match self.next_home(id, epoch, *at) {
                    Some(next) => run(Content::Bytes, RunLength::Fixed(next - at)),
                    None => {
                        self.no_size(id, slot, row);
                        return None;
                    }
                },
                Home::Next => {
                    self.no_size(id, slot, row);
                    return None;
                }
                Home::Absent | Home::Nowhere => Type::Nothing,
            });
        }
        Some(per_epoch(types))
    }

    fn no_size(&mut self, _id: RecordId, _slot: usize, row: &Row) {
        let word = match row.word {
            RowWord::Zero => "zero",
            RowWord::Reserved => "reserved",
            _ => "runtime",
        };
        self.d
            .error("E0226", row.span, format!("how many bytes are `{word}`?"))
            .help(format!("write `{word} size=4`; only before another offset it can be left out"));
    }
}
