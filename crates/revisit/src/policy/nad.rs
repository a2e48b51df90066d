//! `nad`: the page most likely to have changed since its last visit, all past visits weighing the same (Santos 2013, "NAD").
//!
//! Score = 1 − e^(−λt) with λ = X / n and t the cycles since the last visit.

use super::{Budget, Policy, cycles_since};
use crate::{History, PageId, Pages, Span, Time};

/// The most probable change first, from a plain mean of the past.
#[derive(Debug)]
pub struct Nad {
    cycle: Span,
}

impl Nad {
    /// Nothing is known yet.
    pub fn new() -> Nad {
        Nad { cycle: Span::HOUR }
    }
}

impl Default for Nad {
    fn default() -> Nad {
        Nad::new()
    }
}

/// λ = X / n: the share of visits that saw a change.
fn share(history: &History) -> f64 {
    f64::from(history.changes()) / f64::from(history.observations().max(1))
}

impl Policy for Nad {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        Some(-(-share(history) * cycles_since(history, self.cycle, now)).exp_m1())
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let (n, x) = (history.observations(), history.changes());
        let chance = 100.0 * self.score(page, history, now).unwrap_or_default();
        let cycles = cycles_since(history, self.cycle, now);
        format!(
            "{x} of {n} visits saw a change and {cycles:.1} cycles have passed: {chance:.0} % likely to have changed"
        )
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.cycle = budget.cycle;
    }
}
