//! `sad`: the page most likely to have changed since its last visit, only the last visit counting (Santos 2013, "SAD").
//!
//! Score = 1 − e^(−λt) with λ = 1 if the last visit saw a change, else 0; with `reading=calendar` λ = 1 only if that visit
//! was in the cycle before this one, so that a page which changed a moment ago is visited again at once or not at all.

use super::registry::{Entry, Spending};
use super::weighted::{READING, Reading, Terms};
use super::{Budget, Policy};
use crate::estimate::recency;
use crate::{History, PageId, Pages, Time};

/// The registry's entry.
pub(super) const ENTRY: Entry = Entry {
    name: "sad",
    paper: "Tan & Mitra 2010; Santos 2013 (SAD)",
    summary: "the page most likely to have changed first, from its last visit only",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[READING],
    build: |values| Box::new(Sad::new(Reading::of(values))),
};

/// The most probable change first, from the last visit alone.
#[derive(Debug)]
pub struct Sad {
    terms: Terms,
}

impl Sad {
    /// Nothing is known yet.
    pub fn new(reading: Reading) -> Sad {
        Sad { terms: Terms::new(reading) }
    }

    /// λ, in changes a cycle.
    fn rate(&self, history: &History, now: Time) -> f64 {
        match self.terms.reading {
            Reading::Visits => recency::last_only(history),
            Reading::Calendar => recency::last_only_by_cycle(history, self.terms.waited(history, now)),
        }
    }
}

impl Policy for Sad {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        Some(self.terms.chance(self.rate(history, now), history, now))
    }

    fn reason(&self, _page: PageId, history: &History, now: Time) -> String {
        self.terms.reason(self.rate(history, now), "by the last visit alone", history, now)
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.terms.plan(budget);
    }
}
