//! `proportional`: visits in proportion to change rates (Cho & Garcia-Molina 2003).
//!
//! Visits of page i per cycle = fetches · r_i / Σ r, so its interval is cycle · Σ r / (fetches · r_i). Reading: r_i is the
//! rate from unequal intervals of [`poisson`], which is never zero. Intuitive, and known to be worse than `uniform`
//! when fast pages change faster than the budget can follow.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::estimate::poisson;
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy, interval_reason, overdue};
use crate::{History, PageId, Pages, Span, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "proportional",
    paper: "Cho & Garcia-Molina 2003",
    summary: "visits in proportion to change rates",
    spending: Spending::Solves,
    needs_truth: false,
    parameters: &[],
    build: Build::Plain(|_| Box::new(Proportional::new())),
};

/// Visits in proportion to change rates.
#[derive(Debug)]
pub(crate) struct Proportional {
    /// Changes a day, by page; what is not there was never visited.
    rates: Vec<f32>,
    total: f64,
    budget: Budget,
}

impl Proportional {
    /// Nothing is known yet.
    pub(crate) fn new() -> Proportional {
        Proportional { rates: Vec::new(), total: 0.0, budget: Budget { fetches: 1, cycle: Span::HOUR } }
    }

    fn interval(&self, page: PageId) -> Span {
        let rate = self.rates.get(page.index()).copied().filter(|rate| *rate > 0.0).unwrap_or(1.0);
        let share = self.total / (self.budget.fetches.max(1) as f64 * f64::from(rate));
        self.budget.cycle * share.clamp(1.0, 1e6)
    }
}

impl Default for Proportional {
    fn default() -> Proportional {
        Proportional::new()
    }
}

impl Policy for Proportional {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        overdue(history.elapsed(now)?, self.interval(page))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let rate = poisson::rate(history);
        let rest = interval_reason(history.elapsed(now).unwrap_or_default(), self.interval(page));
        format!("it changes about {rate:.2} times a day, so {rest}")
    }

    fn learn(&mut self, page: PageId, history: &History, _visit: &Visit) {
        if self.rates.len() <= page.index() {
            self.rates.resize(page.index() + 1, 0.0);
        }
        let rate = poisson::rate(history) as f32;
        let old = std::mem::replace(&mut self.rates[page.index()], rate);
        self.total += f64::from(rate) - f64::from(old);
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.budget = budget;
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.budget.fetches)?;
        checkpoint.keep(&mut self.total)?;
        checkpoint.keep_rows(&mut self.rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    #[test]
    fn a_page_twice_as_fast_is_visited_twice_as_often() {
        let mut policy = Proportional::new();
        policy.rates = vec![2.0, 1.0];
        policy.total = 3.0;
        policy.budget = Budget { fetches: 1, cycle: Span::DAY };
        assert_eq!(policy.interval(PageId(0)), Span::DAY * 1.5);
        assert_eq!(policy.interval(PageId(1)), Span::DAY * 3.0);
    }

    #[test]
    fn the_total_follows_every_visit() {
        let (mut policy, mut history) = (Proportional::new(), History::default());
        for day in 0..20 {
            let visit = Visit { page: PageId(3), at: Time::from_secs(day * 86_400), outcome: Outcome::Changed };
            history.record(&visit);
            policy.learn(PageId(3), &history, &visit);
        }
        assert!((policy.total - poisson::rate(&history)).abs() < 1e-3);
    }
}
