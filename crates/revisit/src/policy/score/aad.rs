//! `aad`: the page most likely to have changed since its last visit, the i-th visit weighing i (Santos 2013, "AAD").
//!
//! Score = 1 − e^(−λt) with λ = Σ i·I_i / Σ i over the visits; with `reading=calendar` i numbers the cycles since the
//! page was first seen.

use super::weighted::{READING, Reading, Terms};
use crate::estimate::recency;
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy};
use crate::{History, PageId, Pages, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "aad",
    paper: "Tan & Mitra 2010; Santos 2013 (AAD)",
    summary: "the page most likely to have changed first, recent visits weighing arithmetically more",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[READING],
    build: Build::Plain(|values| Box::new(Aad::new(Reading::of(values)))),
};

/// The most probable change first, recent visits weighing a little more.
#[derive(Debug)]
pub(crate) struct Aad {
    terms: Terms,
}

impl Aad {
    /// Nothing is known yet.
    pub(crate) fn new(reading: Reading) -> Aad {
        Aad { terms: Terms::new(reading) }
    }

    /// λ, in changes a cycle.
    fn rate(&self, history: &History, now: Time) -> f64 {
        match self.terms.reading {
            Reading::Visits => recency::arithmetic(history),
            Reading::Calendar => {
                recency::arithmetic_by_cycle(history, self.terms.cycle, self.terms.known(history, now))
            }
        }
    }
}

impl Policy for Aad {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        Some(self.terms.chance(self.rate(history, now), history, now))
    }

    fn reason(&self, _page: PageId, history: &History, now: Time) -> String {
        self.terms.reason(self.rate(history, now), "with recent visits weighing a little more", history, now)
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.terms.plan(budget);
    }
}
