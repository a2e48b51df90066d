//! `gad`: the page most likely to have changed since its last visit, each visit weighing twice the one before (Santos
//! 2013, "GAD").
//!
//! Score = 1 − e^(−λt) with λ = Σ 2^(i−1)·I_i / (2^n − 1) over the visits. With `reading=calendar` i numbers the C
//! cycles since the page was first seen, so what a change weighs halves with every cycle: λ = Σ 2^(−a) / (1 − 2^(−C)),
//! where a is the age of each change in cycles, 1 for the cycle before this one. A history knows no cycles, so this
//! policy keeps that sum itself, as of each page's last visit.

use super::weighted::{READING, Reading, Terms};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::estimate::recency;
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy};
use crate::{History, Outcome, PageId, Pages, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "gad",
    paper: "Tan & Mitra 2010; Santos 2013 (GAD)",
    summary: "the page most likely to have changed first, each visit weighing twice the one before",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[READING],
    build: Build::Plain(|values| Box::new(Gad::new(Reading::of(values)))),
};

/// The most probable change first, recent visits weighing much more.
#[derive(Debug)]
pub(crate) struct Gad {
    terms: Terms,
    /// By page; only kept for the calendar reading.
    fading: Vec<Fading>,
}

/// Changes that weigh half as much with every cycle.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, serde::Serialize)]
struct Fading {
    /// What they weigh as of the last visit.
    weight: f32,
    /// That visit, in cycles since the page was first seen.
    cycles: f32,
}

impl Gad {
    /// Nothing is known yet.
    pub(crate) fn new(reading: Reading) -> Gad {
        Gad { terms: Terms::new(reading), fading: Vec::new() }
    }

    /// λ, in changes a cycle.
    fn rate(&self, page: PageId, history: &History, now: Time) -> f64 {
        if self.terms.reading == Reading::Visits {
            return recency::geometric(history);
        }
        let weight = self.fading.get(page.index()).map_or(0.0, |fading| f64::from(fading.weight));
        if weight == 0.0 {
            return 0.0;
        }
        let (waited, known) = (self.terms.waited(history, now), self.terms.known(history, now));
        (weight * (-waited).exp2() / (1.0 - (-known).exp2())).min(1.0)
    }
}

impl Policy for Gad {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        Some(self.terms.chance(self.rate(page, history, now), history, now))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        self.terms.reason(self.rate(page, history, now), "with each visit weighing twice the one before", history, now)
    }

    fn learn(&mut self, page: PageId, history: &History, visit: &Visit) {
        let observed = matches!(visit.outcome, Outcome::Changed | Outcome::Unchanged);
        if self.terms.reading == Reading::Visits || !observed {
            return;
        }
        if self.fading.len() <= page.index() {
            self.fading.resize(page.index() + 1, Fading::default());
        }
        let cycles = history.first_seen().map_or(0.0, |first| (visit.at - first).ratio(self.terms.cycle)) as f32;
        let fading = &mut self.fading[page.index()];
        fading.weight *= (fading.cycles - cycles).exp2();
        fading.weight += f32::from(u8::from(visit.outcome == Outcome::Changed));
        fading.cycles = cycles;
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.terms.plan(budget);
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep_rows(&mut self.fading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn by_the_calendar_a_change_weighs_half_as_much_each_cycle() {
        let (mut policy, mut history, page) = (Gad::new(Reading::Calendar), History::default(), PageId(0));
        policy.terms.cycle = Span::DAY;
        for (day, outcome) in [(0, Outcome::Changed), (1, Outcome::Unchanged), (4, Outcome::Changed)] {
            let visit = Visit { page, at: Time::from_secs(day * 86_400), outcome };
            history.record(&visit);
            policy.learn(page, &history, &visit);
        }
        // Six cycles are over; the first and the fifth saw a change: (2^0 + 2^4) / (2^6 - 1).
        let rate = policy.rate(page, &history, Time::from_secs(6 * 86_400));
        assert!((rate - 17.0 / 63.0).abs() < 1e-6, "{rate}");
    }
}
