//! A model in each of its epochs.

use std::cell::OnceCell;
use std::ops::Index;

use crate::model::{EpochId, Model};

/// A model in each of its epochs. It is made when somebody asks: of very many layouts nobody does.
pub(super) struct Layouts<'m> {
    model: &'m Model,
    made: Vec<OnceCell<Model>>,
}

impl<'m> Layouts<'m> {
    pub fn new(model: &'m Model) -> Layouts<'m> {
        Layouts { model, made: model.epochs.iter().map(|_| OnceCell::new()).collect() }
    }

    pub fn len(&self) -> usize {
        self.made.len()
    }

    pub fn get(&self, epoch: usize) -> Option<&Model> {
        let id = EpochId(u32::try_from(epoch).ok()?);
        Some(self.made.get(epoch)?.get_or_init(|| self.model.in_epoch(id)))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Model> {
        (0..self.len()).filter_map(|epoch| self.get(epoch))
    }
}

impl Index<usize> for Layouts<'_> {
    type Output = Model;

    fn index(&self, epoch: usize) -> &Model {
        self.get(epoch).unwrap_or(self.model)
    }
}
