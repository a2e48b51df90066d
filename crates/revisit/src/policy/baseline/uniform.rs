//! `uniform`: every page at the same interval, as short as the budget allows (Cho & Garcia-Molina 2003).
//!
//! Interval = cycle · pages / fetches. Unlike `age` it leaves budget unspent rather than visit a page early.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy, interval_reason, overdue};
use crate::{History, PageId, Pages, Span, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "uniform",
    paper: "Cho & Garcia-Molina 2003",
    summary: "one interval for all pages, the shortest the budget allows",
    spending: Spending::Solves,
    needs_truth: false,
    parameters: &[],
    build: Build::Plain(|_| Box::new(Uniform::new())),
};

/// One interval for all.
#[derive(Debug)]
pub(crate) struct Uniform {
    interval: Span,
}

impl Uniform {
    /// One interval for all, known once the budget is.
    pub(crate) fn new() -> Uniform {
        Uniform { interval: Span::ZERO }
    }
}

impl Default for Uniform {
    fn default() -> Uniform {
        Uniform::new()
    }
}

impl Policy for Uniform {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        overdue(history.elapsed(now)?, self.interval)
    }

    fn reason(&self, _page: PageId, history: &History, now: Time) -> String {
        interval_reason(history.elapsed(now).unwrap_or_default(), self.interval)
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, _now: Time) {
        let share = pages.len() as f64 / budget.fetches.max(1) as f64;
        self.interval = budget.cycle * share.max(1.0);
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.interval)
    }
}
