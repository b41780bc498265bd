//! What of an event flow follows from the rest and cannot be said in its schema: the language has no
//! word for what can be reached from somewhere.

use std::collections::BTreeSet;

use crate::evfl::{EntryPoint, EventData, EventIndex, Flowchart};

impl Flowchart<'_> {
    /// The sub flow events that can be reached from an event, depth first: a switch by its cases, a
    /// fork by its branches and then its join.
    #[must_use]
    pub fn sub_flow_events(&self, from: EventIndex) -> Vec<EventIndex> {
        let (mut found, mut seen, mut todo) = (Vec::new(), BTreeSet::new(), vec![from]);
        while let Some(index) = todo.pop() {
            let Some(event) = self.event(index).filter(|_| seen.insert(index)) else { continue };
            match &event.data {
                EventData::Action(action) => todo.extend(action.next),
                EventData::Switch(switch) => {
                    todo.extend(switch.cases.iter().rev().map(|case| case.event));
                }
                EventData::Fork(fork) => {
                    todo.push(fork.join);
                    todo.extend(fork.branches.iter().rev());
                }
                EventData::Join(join) => todo.extend(join.next),
                EventData::SubFlow(sub_flow) => {
                    found.push(index);
                    todo.extend(sub_flow.next);
                }
            }
        }
        found
    }

    /// Gives every entry point the sub flow events that can be reached from its main event; none to
    /// one without.
    pub fn refresh_sub_flow_events(&mut self) {
        let lists: Vec<Vec<EventIndex>> =
            self.entry_points.iter().map(|entry| self.of(entry)).collect();
        for (entry, list) in self.entry_points.iter_mut().zip(lists) {
            entry.sub_flow_events = list;
        }
    }

    fn of(&self, entry: &EntryPoint<'_>) -> Vec<EventIndex> {
        entry.main_event.map(|main| self.sub_flow_events(main)).unwrap_or_default()
    }
}
