//! `nad`: the page most likely to have changed since its last visit, all past visits weighing the same (Santos 2013,
//! "NAD").
//!
//! Score = 1 − e^(−λt) with λ = X / n and t the cycles since the last visit; with `reading=calendar` λ = X / C for the
//! C cycles since the page was first seen, which ranks pages known for equally long as t·X does.

use super::weighted::{READING, Reading, Terms};
use crate::estimate::recency;
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy};
use crate::{History, PageId, Pages, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "nad",
    paper: "Tan & Mitra 2010; Santos 2013 (NAD)",
    summary: "the page most likely to have changed first, from the plain mean of its past",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[READING],
    build: Build::Plain(|values| Box::new(Nad::new(Reading::of(values)))),
};

/// The most probable change first, from a plain mean of the past.
#[derive(Debug)]
pub(crate) struct Nad {
    terms: Terms,
}

impl Nad {
    /// Nothing is known yet.
    pub(crate) fn new(reading: Reading) -> Nad {
        Nad { terms: Terms::new(reading) }
    }

    /// λ, in changes a cycle.
    fn rate(&self, history: &History, now: Time) -> f64 {
        match self.terms.reading {
            Reading::Visits => recency::equal(history),
            Reading::Calendar => recency::equal_by_cycle(history, self.terms.known(history, now)),
        }
    }
}

impl Policy for Nad {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        Some(self.terms.chance(self.rate(history, now), history, now))
    }

    fn reason(&self, _page: PageId, history: &History, now: Time) -> String {
        self.terms.reason(self.rate(history, now), "on the whole", history, now)
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.terms.plan(budget);
    }
}
