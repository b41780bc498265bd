//! What is found by views, shown part by part. What is not found is shown as the words of the error.

use alloc::string::ToString;

use super::{Fixed, Items, List, Result, Walked};
use crate::inspect::{Inspect, Inspector};

impl Inspect for &str {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.text(self);
    }
}

impl Inspect for &[u8] {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.bytes(self);
    }
}

impl<T: Inspect> Inspect for Result<T> {
    fn inspect(&self, to: &mut dyn Inspector) {
        match self {
            Ok(found) => found.inspect(to),
            Err(error) => to.text(&error.to_string()),
        }
    }
}

impl<'a, E: Fixed<'a, Item: Inspect>> Inspect for List<'a, E> {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.begin_list(self.len());
        self.iter().for_each(|item| Inspect::inspect(&item, to));
        to.end_list();
    }
}

impl<'a, E: Walked<'a, Item: Inspect>> Inspect for Items<'a, E> {
    fn inspect(&self, to: &mut dyn Inspector) {
        to.begin_list(self.iter().count());
        self.iter().for_each(|item| Inspect::inspect(&item, to));
        to.end_list();
    }
}
